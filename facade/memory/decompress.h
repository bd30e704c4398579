/* Batches of packed bytes that streams unpack.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_DECOMPRESS_H
#define FACADE_DECOMPRESS_H

#include "facade/state/internal.h"

/* Unpacks count pieces in the stream's order, all of which are checked first. *index, which may be NULL: the piece that an error
 * is about; SIZE_MAX for none. A piece that is not in its format leaves its target as it is, and 0 as its size.
 * Errors: cudaErrorInvalidValue; those of finding the stream, which cannot capture this: there are no such nodes;
 *         cudaErrorMemoryAllocation. Source: CUDA Driver API 13.0, cuMemBatchDecompressAsync(). */
cudaError_t facade_decompress(const CUmemDecompressParams *params, size_t count, unsigned flags,
                              size_t *index, cudaStream_t handle);

#endif
