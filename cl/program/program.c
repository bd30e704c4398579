/* Building programs and finding their kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program.h"

#include <stdlib.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/own_thread.h"
#include "cl/program/kernel.h"
#include "cl/program/kernel_parts.h"
#include "cl/program/program_compile.h"
#include "cl/program/program_include.h"
#include "cl/program/translation.h"
#include "cl/trace.h"

/* Source: the SPIR-V specification, "Magic Number"; both byte orders are valid. */
static bool is_spirv(const void *code, size_t bytes)
{
    static const unsigned char little[] = {0x03, 0x02, 0x23, 0x07};
    static const unsigned char big[] = {0x07, 0x23, 0x02, 0x03};
    return bytes >= sizeof little &&
           (memcmp(code, little, sizeof little) == 0 || memcmp(code, big, sizeof big) == 0);
}

/* The user's options behind the one that clem needs to know what `void **args` holds. */
static char *with_argument_info(const char *options)
{
    static const char needed[] = OCL_OPTION_ARGUMENT_INFO " ";
    char *made = malloc(sizeof needed + strlen(options));
    if (made)
        stpcpy(stpcpy(made, needed), options);
    return made;
}

static ocl_status read_names(struct ocl_program *program)
{
    size_t count = 0, bytes = 0;
    cl_int error =
        clGetProgramInfo(program->cl, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    if (error == CL_SUCCESS && count > 0)
        error = clGetProgramInfo(program->cl, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &bytes);
    if (error != CL_SUCCESS)
        return error;
    program->names = calloc(bytes + 1, 1);
    if (!program->names)
        return OCL_E_OUT_OF_MEMORY;
    return bytes == 0 ? OCL_OK
                      : clGetProgramInfo(program->cl, CL_PROGRAM_KERNEL_NAMES, bytes,
                                         program->names, NULL);
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
        const bool is_table = strcmp(name, OCL_SYMBOL_TABLE) == 0;
        program->has_symbol_table |= is_table;
        if (!*name || is_table)
            continue;
        struct ocl_kernel *kernel = &program->kernels[program->kernel_count++];
        kernel->program = program;
        kernel->name = kernel->text_name = name;
    }
    return OCL_OK;
}

struct ocl_program *ocl_program_empty(struct ocl_context *context)
{
    struct ocl_program *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->context = context;
    return made;
}

static ocl_status create(struct ocl_context *context, const void *code, size_t bytes, bool is_il,
                         const char *options, struct ocl_program **program)
{
    struct ocl_program *made = ocl_program_empty(context);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->text_bytes = bytes;
    if (!is_il)
        made->text = ocl_program_include(code, &made->text_bytes, &made->has_device_header);
    made->options = options ? strdup(options) : strdup("");
    made->info_options = made->options ? with_argument_info(made->options) : NULL;
    *program = made;
    return made->info_options && (is_il || made->text) ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

/* NVIDIA's compiler (580) fails on a kernel without parameters when it is asked for argument
 * info. So what does not build is tried without, and the info is then asked of another build:
 * kernel_info.c. */
static ocl_status compile(struct ocl_program *program, const void *code, size_t bytes, bool is_il,
                          char **log)
{
    char *second_log = NULL;
    ocl_status status = program->is_builtin
                            ? ocl_program_compile_own(program->context, code, bytes,
                                                      program->info_options, &program->cl, log)
                            : ocl_program_compile(program->context, code, bytes, is_il,
                                                  program->info_options, &program->cl, log);
    program->has_info = status == OCL_OK;
    if (status != OCL_E_BUILD)
        return status;
    status = ocl_program_compile(program->context, code, bytes, is_il, program->options,
                                 &program->cl, &second_log);
    free(second_log);
    if (status == OCL_OK) {
        free(*log);
        *log = NULL;
    }
    return status;
}

static ocl_status build_kernels(struct ocl_program *program, const void *code, size_t bytes,
                                bool is_il, char **log)
{
    ocl_status status = compile(program, code, bytes, is_il, log);
    if (status == OCL_OK)
        status = read_names(program);
    if (status == OCL_OK)
        status = make_kernels(program);
    return status;
}

static ocl_status build(struct ocl_context *context, const void *code, size_t bytes,
                        const char *options, bool is_builtin, struct ocl_program **program,
                        char **log)
{
    const bool is_il = is_spirv(code, bytes);
    if (is_il && !*context->device->facts.il_version)
        return OCL_E_NOT_SUPPORTED;
    ocl_status status = create(context, code, bytes, is_il, options, program);
    if (status != OCL_OK)
        return status;
    struct ocl_program *made = *program;
    made->is_builtin = is_builtin;
    return is_il ? build_kernels(made, code, bytes, true, log)
                 : build_kernels(made, made->text, made->text_bytes, false, log);
}

/* Tells everybody who listens, and makes sure that the caller gets a text. */
static void report_failure(const struct ocl_context *context, ocl_status status, char **log)
{
    if (!*log)
        *log = calloc(1, 1);
    ocl_log(true, "a program does not build on %s (%s)%s%s", context->device->facts.name,
            ocl_status_name(status), *log && **log ? ":\n" : "", *log ? *log : "");
}

/* Hands over what was made, or why nothing was. */
static ocl_status finish_build(struct ocl_context *context, ocl_status status,
                               struct ocl_program *made, char *text, struct ocl_program **program,
                               char **log)
{
    if (log)
        *log = NULL;
    if (status == OCL_OK) {
        *program = made;
        return OCL_OK;
    }
    report_failure(context, status, &text);
    ocl_program_release(made);
    if (log)
        *log = text;
    else
        free(text);
    return status;
}

/* What a program is made of, and what came of it. */
struct making {
    struct ocl_context *context;
    const void *code;
    size_t bytes;
    const char *options;
    bool is_builtin;
    struct ptx_module *module; /* or NULL; else in place of code */
    struct ocl_program *made;
    char *text; /* the compiler's */
};

static ocl_status make(void *data)
{
    struct making *m = data;
    if (m->module)
        return m->context->kernel_parts->ptx_open_parsed(m->context, m->module, &m->made, &m->text);
    if (!m->code)
        return OCL_E_INVALID_VALUE;
    return ptx_is_ptx(m->code, m->bytes) ? m->context->kernel_parts->ptx_open(
                                               m->context, m->code, m->bytes, &m->made, &m->text)
                                         : build(m->context, m->code, m->bytes, m->options,
                                                 m->is_builtin, &m->made, &m->text);
}

static ocl_status make_program(struct making *making, struct ocl_program **program, char **log)
{
    const int before = ocl_steady_begin();
    const ocl_status status = own_thread_call(make, making, OCL_E_OUT_OF_MEMORY);
    ocl_steady_end(before);
    return finish_build(making->context, status, making->made, making->text, program, log);
}

ocl_status ocl_program_build(struct ocl_context *context, const void *code, size_t bytes,
                             const char *options, struct ocl_program **program, char **log)
{
    struct making making = {.context = context, .code = code, .bytes = bytes, .options = options};
    return make_program(&making, program, log);
}

ocl_status ocl_program_build_builtin(struct ocl_context *context, const char *text, size_t bytes,
                                     const char *options, struct ocl_program **program, char **log)
{
    struct making making = {
        .context = context, .code = text, .bytes = bytes, .options = options, .is_builtin = true};
    return make_program(&making, program, log);
}

ocl_status ocl_program_build_parsed(struct ocl_context *context, struct ptx_module *module,
                                    struct ocl_program **program, char **log)
{
    struct making making = {.context = context, .module = module};
    return make_program(&making, program, log);
}

struct ptx_module *ocl_program_module(const struct ocl_program *program)
{
    return program->ptx ? ptx_module_hold(program->ptx->module) : NULL;
}

void ocl_kernel_release(struct ocl_kernel *kernel)
{
    for (int kind = 0; kind < OCL_FORM_COUNT; kind++)
        ocl_form_release(kernel, (enum ocl_form_kind)kind);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        free(kernel->arguments[i].type);
        free(kernel->arguments[i].name);
    }
    free(kernel->arguments);
    free(kernel->bundles);
    free(kernel->parameters);
    free(kernel->reason);
    ocl_parts_of(kernel)->ptx_forget(kernel);
}

void ocl_program_release(struct ocl_program *program)
{
    if (!program)
        return;
    const struct ocl_kernel_parts *parts = program->context->kernel_parts;
    parts->launches_release(program);
    ocl_program_release(program->by_image);
    ocl_program_release(program->shaped);
    parts->program_forget_references(program);
    parts->symbols_release(program);
    for (size_t i = 0; i < program->kernel_count; i++)
        ocl_kernel_release(&program->kernels[i]);
    parts->ptx_close(program);
    if (program->description)
        clReleaseProgram(program->description);
    if (program->cl)
        clReleaseProgram(program->cl);
    pthread_cond_destroy(&program->changed);
    pthread_mutex_destroy(&program->lock);
    free(program->kernels);
    free(program->names);
    free(program->info_options);
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
