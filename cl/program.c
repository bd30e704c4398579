/* Building programs and finding their kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program.h"

#include <stdlib.h>
#include <string.h>

#include "cl/kernel.h"
#include "cl/options.h"
#include "cl/program_cache.h"
#include "cl/trace.h"

/* Source: the SPIR-V specification, "Magic Number"; both byte orders are valid. */
static bool is_spirv(const void *code, size_t bytes)
{
    static const unsigned char little[] = { 0x03, 0x02, 0x23, 0x07 };
    static const unsigned char big[] = { 0x07, 0x23, 0x02, 0x03 };
    return bytes >= sizeof little && (memcmp(code, little, sizeof little) == 0 ||
                                      memcmp(code, big, sizeof big) == 0);
}

static char *copy_text(const void *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    if (copy) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
    }
    return copy;
}

/* The user's options behind the one that clem needs to know what `void **args` holds. */
static char *make_options(const char *options)
{
    static const char needed[] = "-cl-kernel-arg-info";
    if (!options || !*options)
        return copy_text(needed, strlen(needed));
    if (strstr(options, needed))
        return copy_text(options, strlen(options));
    char *made = malloc(sizeof needed + 1 + strlen(options));
    if (made)
        stpcpy(stpcpy(stpcpy(made, needed), " "), options);
    return made;
}

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

static void trace_warnings(const struct ocl_context *context, cl_program program)
{
    if (!ocl_trace_on())
        return;
    char *log = read_log(context, program);
    if (log && strspn(log, " \t\r\n") < strlen(log))
        ocl_trace("the compiler of %s says:\n%s", context->device->facts.name, log);
    free(log);
}

/* Under OpenCL 2.0 and older SPIR-V needs an extension, whose function the loader does not export. */
static cl_program create_with_il(const struct ocl_context *context, const void *code, size_t bytes,
                                 cl_int *error)
{
    const struct ocl_device_facts *facts = &context->device->facts;
    if (facts->opencl_major > 2 || (facts->opencl_major == 2 && facts->opencl_minor >= 1))
        return clCreateProgramWithIL(context->cl, code, bytes, error);
    union { /* ISO C has no conversion from an object pointer to a function pointer */
        void *object;
        cl_program(CL_API_CALL *function)(cl_context, const void *, size_t, cl_int *);
    } create = { clGetExtensionFunctionAddressForPlatform(context->device->platform,
                                                          "clCreateProgramWithILKHR") };
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

static ocl_status build_from_code(struct ocl_context *context, const void *code, size_t bytes,
                                  bool is_il, const char *options, cl_program *program, char **log)
{
    cl_int error = CL_SUCCESS;
    cl_program made = create_program(context, code, bytes, is_il, &error);
    if (!made)
        return error;
    error = clBuildProgram(made, 1, &context->device->id, options, NULL, NULL);
    if (error == CL_SUCCESS) {
        trace_warnings(context, made);
        *program = made;
        return OCL_OK;
    }
    *log = read_log(context, made);
    clReleaseProgram(made);
    return error == CL_BUILD_PROGRAM_FAILURE ? OCL_E_BUILD : error;
}

/* Some drivers forget the arguments of a program that comes from a binary; such a program is of no use. */
static bool knows_arguments(cl_program program)
{
    cl_uint count = 0, arguments = 0;
    if (clCreateKernelsInProgram(program, 0, NULL, &count) != CL_SUCCESS)
        return false;
    cl_kernel *all = calloc(count + 1, sizeof *all);
    if (!all)
        return false;
    bool knows = count == 0 ||
                 clCreateKernelsInProgram(program, count, all, NULL) == CL_SUCCESS;
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
    if (status == CL_SUCCESS &&
        clBuildProgram(made, 1, &device, options, NULL, NULL) == CL_SUCCESS &&
        knows_arguments(made)) {
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
    ocl_trace("program cache: a stored program was %s", is_built ? "used" : "refused by the driver");
    return is_built;
}

/* Asking for the binary makes PoCL compile every kernel, so this runs only where a cache is asked for. */
static void store_cached(const char *directory, const struct ocl_cache_key *key, cl_program program)
{
    size_t bytes = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) !=
            CL_SUCCESS ||
        bytes == 0)
        return;
    unsigned char *binary = malloc(bytes);
    if (binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) ==
                      CL_SUCCESS)
        ocl_program_cache_store(directory, key, binary, bytes);
    free(binary);
}

ocl_status ocl_program_compile(struct ocl_context *context, const void *code, size_t bytes,
                               bool is_il, const char *options, cl_program *program, char **log)
{
    const char *directory = ocl_options_get()->cache_dir;
    const struct ocl_cache_key key = { &context->device->facts, options, code, bytes };
    *log = NULL;
    if (directory && load_cached(context, directory, &key, program))
        return OCL_OK;
    ocl_status status = build_from_code(context, code, bytes, is_il, options, program, log);
    if (status == OCL_OK && directory)
        store_cached(directory, &key, *program);
    return status;
}

static ocl_status read_names(struct ocl_program *program)
{
    size_t bytes = 0;
    cl_int error = clGetProgramInfo(program->cl, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &bytes);
    if (error != CL_SUCCESS)
        return error;
    program->names = calloc(bytes + 1, 1);
    if (!program->names)
        return OCL_E_OUT_OF_MEMORY;
    return clGetProgramInfo(program->cl, CL_PROGRAM_KERNEL_NAMES, bytes, program->names, NULL);
}

/* Cuts "a;b;c" into names, one kernel each. */
static ocl_status make_kernels(struct ocl_program *program)
{
    size_t count = 1;
    for (const char *c = program->names; *c; c++)
        count += *c == ';';
    program->kernels = calloc(count, sizeof *program->kernels);
    if (!program->kernels)
        return OCL_E_OUT_OF_MEMORY;
    char *rest = program->names;
    for (char *name = strsep(&rest, ";"); name; name = strsep(&rest, ";")) {
        if (!*name)
            continue;
        struct ocl_kernel *kernel = &program->kernels[program->kernel_count++];
        kernel->program = program;
        kernel->name = name;
    }
    return OCL_OK;
}

static ocl_status create_empty(struct ocl_context *context, const void *code, size_t bytes,
                               bool is_il, const char *options, struct ocl_program **program)
{
    struct ocl_program *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->context = context;
    made->text_bytes = bytes;
    made->text = is_il ? NULL : copy_text(code, bytes);
    made->options = make_options(options);
    *program = made;
    return made->options && (is_il || made->text) ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

static ocl_status build(struct ocl_program *program, const void *code, size_t bytes, bool is_il,
                        char **log)
{
    ocl_status status = ocl_program_compile(program->context, code, bytes, is_il, program->options,
                                            &program->cl, log);
    if (status == OCL_OK)
        status = read_names(program);
    if (status == OCL_OK)
        status = make_kernels(program);
    return status;
}

/* Tells everybody who listens, and makes sure that the caller gets a text. */
static void report_failure(const struct ocl_context *context, ocl_status status, char **log)
{
    if (!*log)
        *log = calloc(1, 1);
    ocl_log(true, "a program does not build on %s (%s)%s%s", context->device->facts.name,
            ocl_status_name(status), *log && **log ? ":\n" : "", *log ? *log : "");
}

ocl_status ocl_program_build(struct ocl_context *context, const void *code, size_t bytes,
                             const char *options, struct ocl_program **program, char **log)
{
    struct ocl_program *made = NULL;
    char *text = NULL;
    ocl_status status = OCL_E_INVALID_VALUE;
    const bool is_il = code && is_spirv(code, bytes);
    if (log)
        *log = NULL;
    if (!code)
        goto fail;
    status = OCL_E_NOT_SUPPORTED;
    if (is_il && !*context->device->facts.il_version)
        goto fail;
    status = create_empty(context, code, bytes, is_il, options, &made);
    if (status == OCL_OK)
        status = build(made, code, bytes, is_il, &text);
    if (status != OCL_OK)
        goto fail;
    *program = made;
    return OCL_OK;
fail:
    report_failure(context, status, &text);
    ocl_program_release(made);
    if (log)
        *log = text;
    else
        free(text);
    return status;
}

static void release_kernel(struct ocl_kernel *kernel)
{
    for (int kind = 0; kind < OCL_FORM_COUNT; kind++)
        ocl_form_release(kernel, (enum ocl_form_kind)kind);
    for (size_t i = 0; i < kernel->argument_count; i++)
        free(kernel->arguments[i].type);
    free(kernel->arguments);
    free(kernel->parameters);
}

void ocl_program_release(struct ocl_program *program)
{
    if (!program)
        return;
    for (size_t i = 0; i < program->kernel_count; i++)
        release_kernel(&program->kernels[i]);
    if (program->cl)
        clReleaseProgram(program->cl);
    pthread_cond_destroy(&program->changed);
    pthread_mutex_destroy(&program->lock);
    free(program->kernels);
    free(program->names);
    free(program->options);
    free(program->text);
    free(program);
}

size_t ocl_program_kernel_count(const struct ocl_program *program)
{
    return program->kernel_count;
}

struct ocl_kernel *ocl_program_kernel(struct ocl_program *program, size_t index)
{
    return index < program->kernel_count ? &program->kernels[index] : NULL;
}

struct ocl_kernel *ocl_program_find_kernel(struct ocl_program *program, const char *name)
{
    for (size_t i = 0; i < program->kernel_count; i++)
        if (strcmp(program->kernels[i].name, name) == 0)
            return &program->kernels[i];
    return NULL;
}

bool ocl_lazy_begin(struct ocl_program *program, _Atomic int *state)
{
    pthread_mutex_lock(&program->lock);
    while (atomic_load_explicit(state, memory_order_relaxed) == OCL_LAZY_RUNNING)
        pthread_cond_wait(&program->changed, &program->lock);
    const bool is_mine = !ocl_lazy_is_done(state);
    if (is_mine)
        atomic_store_explicit(state, OCL_LAZY_RUNNING, memory_order_relaxed);
    pthread_mutex_unlock(&program->lock);
    return is_mine;
}

void ocl_lazy_end(struct ocl_program *program, _Atomic int *state, bool is_done)
{
    pthread_mutex_lock(&program->lock);
    atomic_store_explicit(state, is_done ? OCL_LAZY_DONE : OCL_LAZY_NEW, memory_order_release);
    pthread_cond_broadcast(&program->changed);
    pthread_mutex_unlock(&program->lock);
}
