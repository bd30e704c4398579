/* Programs of the run-time compiler, as its files share them. Private to facade/compile/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_NVRTC_PROGRAM_H
#define FACADE_NVRTC_PROGRAM_H

#include <stdbool.h>

#include "facade/compile/clang_flags.h"
#include "include/nvrtc.h"

struct nvrtc_header {
    char *name, *text;
};

struct nvrtc_expression {
    char *text;
    char *lowered; /* NULL until compiled */
};

struct _nvrtcProgram {
    char *source, *name;
    struct nvrtc_header *headers;
    size_t header_count;
    struct nvrtc_expression *expressions;
    size_t expression_count;
    char *ptx;        /* NULL until compiled */
    char *log;        /* never NULL but without memory */
    bool is_compiled; /* an attempt was made, with options that there are */
    int (*callback)(void *, void *);
    void *payload;
    struct _nvrtcProgram *next; /* of all live ones */
};

/* --- options.c: what nvrtcCompileProgram is given ---------------------------------------------- */

struct nvrtc_options {
    struct clang_device_options device;
    struct clang_arguments arguments; /* for clang, behind its own */
    bool is_all_device;               /* functions without annotations are for devices */
};

/* Errors: NVRTC_ERROR_INVALID_OPTION, and *bad is the option; NVRTC_ERROR_OUT_OF_MEMORY. The caller
 * frees options->arguments, also after errors. */
nvrtcResult nvrtc_read_options(struct nvrtc_options *options, int count, const char *const *values,
                               const char **bad);

/* --- names.c: name expressions ---------------------------------------------------------------- */

/* A pointer to each one's function or variable, as source text behind the program's. */
bool nvrtc_write_expressions(const struct _nvrtcProgram *program, FILE *out);

/* Takes those pointers out of the program's PTX again; what they led to are the lowered names.
 * Errors: NVRTC_ERROR_OUT_OF_MEMORY. */
nvrtcResult nvrtc_read_names(struct _nvrtcProgram *program);

/* --- compile.c -------------------------------------------------------------------------------- */

/* Compiles in a folder of its own, which is gone when it returns. Fills program->ptx and log.
 * Errors: NVRTC_ERROR_COMPILATION; NVRTC_ERROR_BUILTIN_OPERATION_FAILURE without a clang that can do
 *         it, and for a folder that cannot be written; NVRTC_ERROR_OUT_OF_MEMORY. */
nvrtcResult nvrtc_compile(struct _nvrtcProgram *program, const struct nvrtc_options *options);

#endif
