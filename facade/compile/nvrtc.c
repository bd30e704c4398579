/* The run-time compiler's entry points. Any number of threads may use programs of their own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/compile/program.h"

#define EXPORT __attribute__((visibility("default")))

enum { MAJOR = 13, MINOR = 0 };

/* Source: what NVRTC 13.0 answers, up to the newest that clem reports. */
static const int architectures[] = {75, 80, 86, 87, 88, 89, 90};

/* --- programs --------------------------------------------------------------------------------- */

static struct _nvrtcProgram *programs;
static pthread_mutex_t programs_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_live(const struct _nvrtcProgram *program)
{
    pthread_mutex_lock(&programs_lock);
    const struct _nvrtcProgram *live = programs;
    while (live != NULL && live != program)
        live = live->next;
    pthread_mutex_unlock(&programs_lock);
    return live != NULL;
}

/* True: it was there. */
static bool unlink_program(struct _nvrtcProgram *program)
{
    pthread_mutex_lock(&programs_lock);
    struct _nvrtcProgram **link = &programs;
    while (*link != NULL && *link != program)
        link = &(*link)->next;
    bool is_there = *link != NULL;
    if (is_there)
        *link = program->next;
    pthread_mutex_unlock(&programs_lock);
    return is_there;
}

/* Accepts half-made programs. */
static void free_program(struct _nvrtcProgram *program)
{
    for (size_t i = 0; program->headers != NULL && i < program->header_count; i++) {
        free(program->headers[i].name);
        free(program->headers[i].text);
    }
    for (size_t i = 0; i < program->expression_count; i++) {
        free(program->expressions[i].text);
        free(program->expressions[i].lowered);
    }
    free(program->headers);
    free(program->expressions);
    free(program->source);
    free(program->name);
    free(program->ptx);
    free(program->log);
    free(program);
}

static bool copy_headers(struct _nvrtcProgram *program, size_t count, const char *const *headers,
                         const char *const *names)
{
    program->headers = calloc(count + 1, sizeof *program->headers);
    program->header_count = count;
    for (size_t i = 0; program->headers != NULL && i < count; i++) {
        struct nvrtc_header *header = &program->headers[i];
        header->name = strdup(names[i]);
        header->text = strdup(headers[i]);
        if (header->name == NULL || header->text == NULL)
            return false;
    }
    return program->headers != NULL;
}

static bool are_all_there(int count, const char *const *values)
{
    for (int i = 0; i < count; i++)
        if (values == NULL || values[i] == NULL)
            return false;
    return count >= 0;
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name,
                                      int numHeaders, const char *const *headers,
                                      const char *const *includeNames)
{
    if (prog == NULL)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (src == NULL || !are_all_there(numHeaders, headers) ||
        !are_all_there(numHeaders, includeNames))
        return NVRTC_ERROR_INVALID_INPUT;
    struct _nvrtcProgram *program = calloc(1, sizeof *program);
    if (program == NULL)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    program->source = strdup(src);
    program->name = strdup(name != NULL ? name : "default_program");
    program->log = strdup("");
    if (!copy_headers(program, (size_t)numHeaders, headers, includeNames) ||
        program->source == NULL || program->name == NULL || program->log == NULL) {
        free_program(program);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&programs_lock);
    program->next = programs;
    programs = program;
    pthread_mutex_unlock(&programs_lock);
    *prog = program;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog)
{
    if (prog == NULL || !unlink_program(*prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    free_program(*prog);
    *prog = NULL;
    return NVRTC_SUCCESS;
}

/* --- compiling -------------------------------------------------------------------------------- */

static void forget_results(struct _nvrtcProgram *program)
{
    for (size_t i = 0; i < program->expression_count; i++) {
        free(program->expressions[i].lowered);
        program->expressions[i].lowered = NULL;
    }
    free(program->ptx);
    program->ptx = NULL;
}

static nvrtcResult refuse_option(struct _nvrtcProgram *program, const char *option)
{
    char *log = NULL;
    if (asprintf(&log, "clem's nvrtc cannot take the option '%s'\n",
                 option != NULL ? option : "(null)") < 0)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    free(program->log);
    program->log = log;
    return NVRTC_ERROR_INVALID_OPTION;
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions,
                                       const char *const *options)
{
    struct nvrtc_options read = {.is_all_device = false};
    const char *bad = NULL;
    if (!is_live(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (numOptions < 0)
        return NVRTC_ERROR_INVALID_INPUT;
    if (numOptions > 0 && options == NULL)
        return NVRTC_ERROR_INVALID_OPTION;
    forget_results(prog);
    read.device.run_time_compiler = true;
    nvrtcResult result = nvrtc_read_options(&read, numOptions, options, &bad);
    if (result == NVRTC_ERROR_INVALID_OPTION)
        result = refuse_option(prog, bad);
    prog->is_compiled = prog->is_compiled || result == NVRTC_SUCCESS;
    if (result == NVRTC_SUCCESS && prog->callback != NULL &&
        prog->callback(prog->payload, NULL) == 1)
        result = NVRTC_ERROR_CANCELLED;
    if (result == NVRTC_SUCCESS)
        result = nvrtc_compile(prog, &read);
    clang_arguments_free(&read.arguments);
    return result;
}

/* --- results ---------------------------------------------------------------------------------- */

static nvrtcResult check(const struct _nvrtcProgram *program, const void *out)
{
    if (!is_live(program))
        return NVRTC_ERROR_INVALID_PROGRAM;
    return out == NULL ? NVRTC_ERROR_INVALID_INPUT : NVRTC_SUCCESS;
}

/* Before a compilation that succeeds, text is empty, and other code is no bytes. */
static const char *text_or_none(const char *text)
{
    return text != NULL ? text : "";
}

/* A function that gives something of a program's to where its caller says. */
#define GIVES(name, type, give)                                                                    \
    EXPORT nvrtcResult name(nvrtcProgram prog, type to)                                            \
    {                                                                                              \
        const nvrtcResult result = check(prog, to);                                                \
        if (result == NVRTC_SUCCESS)                                                               \
            give;                                                                                  \
        return result;                                                                             \
    }

GIVES(nvrtcGetPTXSize, size_t *, *to = strlen(text_or_none(prog->ptx)) + 1)
GIVES(nvrtcGetPTX, char *, strcpy(to, text_or_none(prog->ptx)))
GIVES(nvrtcGetCUBINSize, size_t *, *to = prog->ptx != NULL ? strlen(prog->ptx) + 1 : 0)
GIVES(nvrtcGetCUBIN, char *,
      memcpy(to, text_or_none(prog->ptx), prog->ptx != NULL ? strlen(prog->ptx) + 1 : 0))
GIVES(nvrtcGetProgramLogSize, size_t *, *to = strlen(text_or_none(prog->log)) + 1)
GIVES(nvrtcGetProgramLog, char *, strcpy(to, text_or_none(prog->log)))
/* Programs are never compiled for link-time optimisation or for OptiX: these have no such code. */
GIVES(nvrtcGetLTOIRSize, size_t *, *to = 0)
GIVES(nvrtcGetLTOIR, char *, (void)to)
GIVES(nvrtcGetOptiXIRSize, size_t *, *to = 0)
GIVES(nvrtcGetOptiXIR, char *, (void)to)

/* --- names ------------------------------------------------------------------------------------ */

static struct nvrtc_expression *find_expression(nvrtcProgram prog, const char *text)
{
    for (size_t i = 0; i < prog->expression_count; i++)
        if (strcmp(prog->expressions[i].text, text) == 0)
            return &prog->expressions[i];
    return NULL;
}

EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression)
{
    if (!is_live(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (name_expression == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    if (prog->is_compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    if (find_expression(prog, name_expression) != NULL)
        return NVRTC_SUCCESS;
    struct nvrtc_expression *grown =
        realloc(prog->expressions, (prog->expression_count + 1) * sizeof *grown);
    if (grown == NULL)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    prog->expressions = grown;
    grown[prog->expression_count] = (struct nvrtc_expression){strdup(name_expression), NULL};
    if (grown[prog->expression_count].text == NULL)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    prog->expression_count++;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression,
                                       const char **lowered_name)
{
    if (!is_live(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (name_expression == NULL || lowered_name == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    if (prog->ptx == NULL)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    const struct nvrtc_expression *expression = find_expression(prog, name_expression);
    if (expression == NULL || expression->lowered == NULL)
        return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *lowered_name = expression->lowered;
    return NVRTC_SUCCESS;
}

/* --- what does not depend on a program -------------------------------------------------------- */

EXPORT const char *nvrtcGetErrorString(nvrtcResult result)
{
    static const char *const names[] = {
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "NVRTC_ERROR_INTERNAL_ERROR",
        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
        "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
        "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
        "NVRTC_ERROR_PCH_CREATE",
        "NVRTC_ERROR_CANCELLED",
        "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
    };
    return (size_t)result < sizeof names / sizeof names[0] ? names[result] : "NVRTC_ERROR unknown";
}

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (major == NULL || minor == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = MAJOR;
    *minor = MINOR;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs)
{
    if (numArchs == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    *numArchs = sizeof architectures / sizeof architectures[0];
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs)
{
    if (supportedArchs == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(supportedArchs, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

/* Precompiled headers are never made: the options that ask for them change nothing. */
static _Atomic size_t pch_heap_bytes = 256u << 20;

EXPORT nvrtcResult nvrtcGetPCHHeapSize(size_t *ret)
{
    if (ret == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    *ret = atomic_load(&pch_heap_bytes);
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcSetPCHHeapSize(size_t size)
{
    atomic_store(&pch_heap_bytes, size);
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram prog)
{
    return is_live(prog) ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}

GIVES(nvrtcGetPCHHeapSizeRequired, size_t *, *to = 0)

/* Called once for each compilation, before clang runs, which cannot be asked while it does. */
EXPORT nvrtcResult nvrtcSetFlowCallback(nvrtcProgram prog, int (*callback)(void *, void *),
                                        void *payload)
{
    if (!is_live(prog))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (callback == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    prog->callback = callback;
    prog->payload = payload;
    return NVRTC_SUCCESS;
}
