/* Code as programs hand it over: what it is, files of it, and where its compiler's log goes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_CODE_H
#define FACADE_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "facade/library.h"

/* How long code is that says so itself: up to the zero byte of text, the zero word of SPIR-V. */
size_t facade_code_bytes(const void *code);

/* Refuses what no OpenCL device takes. Errors: cudaErrorInvalidKernelImage, cudaErrorInvalidPtx,
 * cudaErrorNoKernelImageForDevice; the logs say why. */
cudaError_t facade_code_check(const void *code, size_t bytes);

/* The whole file with a zero word after it, which the caller frees. Errors: cudaErrorFileNotFound,
 * cudaErrorInvalidValue for an empty path, cudaErrorInvalidKernelImage for an empty file,
 * cudaErrorMemoryAllocation. */
cudaError_t facade_code_read_file(const char *path, char **text, size_t *bytes);

bool facade_jit_is_valid(const struct facade_jit *jit);
bool facade_jit_wants_log(const struct facade_jit *jit);

/* Fills one of the caller's buffers, if there is one. The size option holds the capacity on the way
 * in and the written length on the way out. */
void facade_jit_give_log(const struct facade_jit *jit, int buffer_option, int size_option,
                         const char *log);

#endif
