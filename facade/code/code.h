/* Code as programs hand it over: what it is, files of it, and where its compiler's log goes. Private to facade/code/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_CODE_H
#define FACADE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facade/code/library.h"

/* Code as a library or module keeps it. */
struct facade_code {
    char *text;   /* OpenCL C, PTX or SPIR-V, with a zero word after it; NULL when refused */
    size_t bytes; /* without the zeros */
    bool is_ptx;
    struct ptx_module *module; /* of PTX that was parsed already, or NULL */
    struct ocl_pack *pack;     /* what it became ahead of time, or NULL */
    cudaError_t refusal;       /* cudaSuccess, or why no OpenCL device takes it */
    const char *why;           /* the same in words */
};

/* Copies code; of a fat binary, the PTX in it.
 * Shape:  bytes 0: the code says itself how long it is: up to the zero byte of text, the zero word
 *         of SPIR-V, what a fat binary's header says. A fat binary's wrapper is followed, but only
 *         so: files have no pointers.
 * Errors: cudaErrorMemoryAllocation. What is wrong with the code stands in its refusal:
 *         cudaErrorInvalidKernelImage, cudaErrorNoKernelImageForDevice,
 *         cudaErrorUnsupportedPtxVersion.
 * Owns:   the caller calls facade_code_free(), also after errors. */
cudaError_t facade_code_copy(struct facade_code *code, const void *data, size_t bytes);
void facade_code_free(struct facade_code *code);

/* The whole file with a zero word after it, which the caller frees. Errors: cudaErrorFileNotFound,
 * cudaErrorInvalidValue for an empty path, cudaErrorInvalidKernelImage for an empty file,
 * cudaErrorMemoryAllocation. */
cudaError_t facade_code_read_file(const char *path, char **text, size_t *bytes);

bool facade_jit_is_valid(const struct facade_jit *jit);
bool facade_jit_wants_log(const struct facade_jit *jit);

/* Whether an option is written back that a build alone can tell. */
bool facade_jit_wants_answer(const struct facade_jit *jit);

/* Fills the caller's buffers, if there are any, once for a build: one with the log (NULL: there is nothing to say), the other with
 * nothing. Their size options hold the capacity on the way in and the written length on the way out. */
void facade_jit_give_logs(const struct facade_jit *jit, bool is_error, const char *log);

/* Nanoseconds of the clock that nobody sets. */
uint64_t facade_jit_now(void);

/* Writes how long reading and building took into the value of CU_JIT_WALL_TIME, as a float of milliseconds, whatever
 * came of them. */
void facade_jit_give_time(const struct facade_jit *jit, uint64_t nanoseconds);

#endif
