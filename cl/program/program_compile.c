/* Compiling text, SPIR-V and stored binaries into cl_programs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/program_compile.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cl/base/deadline.h"
#include "cl/base/options.h"
#include "cl/device/driver_declarations.h"
#include "cl/device/driver_limits.h"
#include "cl/own_thread.h"
#include "cl/profile.h"
#include "cl/program/program_cache.h"
#include "cl/trace.h"

/* The compiler's log, or an empty text. NULL only without memory. */
static char *read_log(const struct ocl_context *context, cl_program program)
{
    size_t bytes = 0;
    const cl_device_id device = context->device->id;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS)
        bytes = 0;
    char *log = calloc(bytes + 1, 1);
    if (log && bytes > 0)
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    return log;
}

/* Debian 13's rocm-opencl-icd does not depend on the package that has a header of its own compiler: every kernel with
 * CLK_LOCAL_MEM_FENCE fails. */
static void explain_lack(const struct ocl_context *context, const char *log)
{
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    if (log && strstr(log, "opencl-c-base.h") && !atomic_flag_test_and_set(&is_said))
        ocl_complain("the compiler of %s lacks its header opencl-c-base.h: install "
                     "libclang-common-17-dev, or that of "
                     "the compiler's own version",
                     context->device->facts.name);
}

static void trace_warnings(const struct ocl_context *context, cl_program program)
{
    if (!ocl_trace_on())
        return;
    char *log = read_log(context, program);
    if (log && strspn(log, " \t\r\n") < strlen(log))
        ocl_trace("the compiler of %s says:\n%s", context->device->facts.name, log);
    free(log);
}

/* Under OpenCL 2.0 and older SPIR-V needs an extension, whose function the loader does not
 * export. */
static cl_program create_with_il(const struct ocl_context *context, const void *code, size_t bytes,
                                 cl_int *error)
{
    const struct ocl_device_facts *facts = &context->device->facts;
    if (facts->opencl_major > 2 || (facts->opencl_major == 2 && facts->opencl_minor >= 1))
        return clCreateProgramWithIL(context->cl, code, bytes, error);
    union { /* ISO C has no conversion from an object pointer to a function pointer */
        void *object;
        cl_program(CL_API_CALL *function)(cl_context, const void *, size_t, cl_int *);
    } create = {clGetExtensionFunctionAddressForPlatform(context->device->platform,
                                                         "clCreateProgramWithILKHR")};
    *error = OCL_E_NOT_SUPPORTED;
    return create.object ? create.function(context->cl, code, bytes, error) : NULL;
}

static cl_program create_program(const struct ocl_context *context, const void *code, size_t bytes,
                                 bool is_il, cl_int *error)
{
    if (is_il)
        return create_with_il(context, code, bytes, error);
    const char *text = code;
    return clCreateProgramWithSource(context->cl, 1, &text, &bytes, error);
}

/* What the code is. */
enum kind { KIND_TEXT, KIND_OWN_TEXT /* clem's */, KIND_IL };

/* *made is NULL only where the driver takes no such code. */
static ocl_status create_and_build(const struct ocl_context *context, const void *code,
                                   size_t bytes, enum kind kind, const char *options,
                                   cl_program *made)
{
    cl_int error = CL_SUCCESS;
    if (kind == KIND_OWN_TEXT)
        return ocl_driver_build_own(context->device, context->cl, code, bytes, options, made);
    *made = create_program(context, code, bytes, kind == KIND_IL, &error);
    return *made ? ocl_driver_build(context->device, *made, options) : error;
}

static ocl_status build_from_code(struct ocl_context *context, const void *code, size_t bytes,
                                  enum kind kind, const char *options, cl_program *program,
                                  char **log)
{
    cl_program made = NULL;
    const ocl_status error = create_and_build(context, code, bytes, kind, options, &made);
    if (!made)
        return error;
    if (error == CL_SUCCESS) {
        trace_warnings(context, made);
        *program = made;
        return OCL_OK;
    }
    *log = read_log(context, made);
    explain_lack(context, *log);
    clReleaseProgram(made);
    return error == CL_BUILD_PROGRAM_FAILURE ? OCL_E_BUILD : error;
}

/* Some drivers forget the arguments of a program that comes from a binary. Where they were asked
 * for, such a program is of no use. */
static bool knows_arguments(cl_program program)
{
    cl_uint count = 0, arguments = 0;
    if (clCreateKernelsInProgram(program, 0, NULL, &count) != CL_SUCCESS)
        return false;
    cl_kernel *all = calloc(count + 1, sizeof(cl_kernel));
    if (!all)
        return false;
    bool knows = count == 0 || clCreateKernelsInProgram(program, count, all, NULL) == CL_SUCCESS;
    for (cl_uint i = 0; knows && i < count; i++) {
        size_t length = 0;
        clGetKernelInfo(all[i], CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
        knows = arguments == 0 || clGetKernelArgInfo(all[i], 0, CL_KERNEL_ARG_TYPE_NAME, 0, NULL,
                                                     &length) == CL_SUCCESS;
    }
    for (cl_uint i = 0; i < count; i++)
        if (all[i])
            clReleaseKernel(all[i]);
    free(all);
    return knows;
}

static bool build_from_binary(struct ocl_context *context, const void *binary, size_t bytes,
                              const char *options, cl_program *program)
{
    cl_int status = CL_SUCCESS, error = CL_SUCCESS;
    const unsigned char *data = binary;
    const cl_device_id device = context->device->id;
    cl_program made =
        clCreateProgramWithBinary(context->cl, 1, &device, &bytes, &data, &status, &error);
    if (!made)
        return false;
    if (status == CL_SUCCESS && ocl_driver_build(context->device, made, options) == OCL_OK &&
        (!strstr(options, OCL_OPTION_ARGUMENT_INFO) || knows_arguments(made))) {
        *program = made;
        return true;
    }
    clReleaseProgram(made);
    return false;
}

static bool load_cached(struct ocl_context *context, const char *directory,
                        const struct ocl_cache_key *key, cl_program *program)
{
    void *binary = NULL;
    size_t bytes = 0;
    if (!ocl_program_cache_load(directory, key, &binary, &bytes))
        return false;
    const bool is_built = build_from_binary(context, binary, bytes, key->options, program);
    free(binary);
    ocl_trace("program cache: a stored program was %s",
              is_built ? "used" : "refused by the driver");
    return is_built;
}

static void store_cached(const char *directory, const struct ocl_cache_key *key, cl_program program)
{
    size_t bytes = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) !=
            CL_SUCCESS ||
        bytes == 0)
        return;
    unsigned char *binary = malloc(bytes);
    if (binary &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        ocl_program_cache_store(directory, key, binary, bytes);
    free(binary);
}

/* Unknown drivers, too, may compile again for an answer: one that took longer over it than over half a
 * build, and long enough to be felt, is not asked any more by this process. Nor is any whose answer could
 * not be kept. */
static void store_if_cheap(const struct ocl_context *context, const char *directory,
                           const struct ocl_cache_key *key, uint64_t build_ns, cl_program program)
{
    enum { FELT_NS = 20000000 };
    static _Atomic uint64_t dear; /* a bit for each device */
    const uint64_t bit = (uint64_t)1 << (context->device->index % 64);
    if (ocl_driver_keeps_programs(context->device) || (atomic_load(&dear) & bit) ||
        !ocl_program_cache_is_writable(directory))
        return;
    const uint64_t begin = ocl_now();
    store_cached(directory, key, program);
    const uint64_t taken = ocl_now() - begin;
    if (taken > FELT_NS && taken > build_ns / 2) {
        ocl_trace(
            "program cache: %s is not asked again: it took %llu ms to tell a program's binary",
            context->device->facts.name, (unsigned long long)taken / 1000000u);
        atomic_fetch_or(&dear, bit);
    }
}

struct compilation {
    struct ocl_context *context;
    const char *directory; /* NULL: nothing is kept */
    enum kind kind;
    struct ocl_cache_key key;
    cl_program *program;
    char **log;
};

static ocl_status compile(void *data)
{
    static const char *const names[] = {"OpenCL C", "what PTX became, or clem's own", "SPIR-V"};
    const struct compilation *c = data;
    const uint64_t start = ocl_profile_start_of_span();
    if (c->directory && load_cached(c->context, c->directory, &c->key, c->program)) {
        ocl_profile_span(OCL_SPOOL_CACHED, names[c->kind], start, 0);
        return OCL_OK;
    }
    const uint64_t begin = ocl_now();
    ocl_status status = build_from_code(c->context, c->key.code, c->key.bytes, c->kind,
                                        c->key.options, c->program, c->log);
    ocl_profile_span(OCL_SPOOL_COMPILE, names[c->kind], start, 0);
    if (status == OCL_OK && c->directory)
        store_if_cheap(c->context, c->directory, &c->key, ocl_now() - begin, *c->program);
    return status;
}

static ocl_status compile_within(const char *directory, struct ocl_context *context,
                                 const void *code, size_t bytes, enum kind kind,
                                 const char *options, cl_program *program, char **log)
{
    struct compilation wanted = {
        context, directory, kind, {&context->device->facts, options, code, bytes}, program, log};
    *log = NULL;
    return own_thread_call(compile, &wanted, OCL_E_OUT_OF_MEMORY);
}

ocl_status ocl_program_compile(struct ocl_context *context, const void *code, size_t bytes,
                               bool is_il, const char *options, cl_program *program, char **log)
{
    return compile_within(ocl_options_get()->cache_dir, context, code, bytes,
                          is_il ? KIND_IL : KIND_TEXT, options, program, log);
}

ocl_status ocl_program_compile_own(struct ocl_context *context, const void *code, size_t bytes,
                                   const char *options, cl_program *program, char **log)
{
    return compile_within(ocl_options_get()->cache_dir, context, code, bytes, KIND_OWN_TEXT,
                          options, program, log);
}

ocl_status ocl_program_compile_kept(struct ocl_context *context, const void *code, size_t bytes,
                                    const char *options, cl_program *program, char **log)
{
    return compile_within(ocl_program_cache_directory(), context, code, bytes, KIND_OWN_TEXT,
                          options, program, log);
}
