/* Several pieces of PTX made into one text.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_CODE_LINK_H
#define FACADE_CODE_LINK_H

#include "facade/code/code.h"

/* Starts as {0}. */
struct facade_link {
    struct facade_link_piece *pieces;
    size_t count;
};

/* Adds a copy of code, as facade_code_copy() reads it; NVIDIA's device runtime is left out.
 * Errors: cudaErrorMemoryAllocation, the code's refusal, cudaErrorInvalidPtx for other than PTX.
 *         *log, NULL or for the caller to free, says why in words. */
cudaError_t facade_link_add(struct facade_link *link, const void *data, size_t bytes,
                            const char *name, char **log);

/* The text of all pieces, NUL-terminated, which the caller frees, as he frees *log; and what it was parsed to, where
 * the caller asks for it and frees it.
 * Errors: cudaErrorInvalidValue when there are none; with words in *log, cudaErrorInvalidKernelImage
 *         for pieces that do not fit together and cudaErrorInvalidPtx for a text that is none, or
 *         lacks a variable; cudaErrorMemoryAllocation. */
struct ptx_module;
cudaError_t facade_link_complete(const struct facade_link *link, char **text,
                                 struct ptx_module **module, char **log);

void facade_link_clear(struct facade_link *link);

#endif
