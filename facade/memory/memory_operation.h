/* Stream memory operations: values that streams write to memory, and wait for there.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MEMORY_OPERATION_H
#define FACADE_MEMORY_OPERATION_H

#include "facade/graph/work.h"

/* Of one batch. Source: CUDA Driver API 13.0, cuStreamBatchMemOp(). */
enum { FACADE_MOST_OPERATIONS = 256 };

/* A type of nodes that only the driver API has. */
#define FACADE_NODE_TYPE_OPERATIONS ((enum cudaGraphNodeType)CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)

/* Carries out the operations in a stream that was found, in their order, or makes a node of them where it captures.
 * All are checked first. Errors: cudaErrorInvalidValue; cudaErrorNotSupported for what no device here does; those of
 * captures. */
cudaError_t facade_operate(struct facade_stream *stream, bool is_capturing, unsigned count,
                           const CUstreamBatchMemOpParams *params);

/* The same as a work with one reference for the caller, of the current context. Copies params.
 * Errors: as above; cudaErrorMemoryAllocation. */
cudaError_t facade_work_of_operations(unsigned count, const CUstreamBatchMemOpParams *params,
                                      unsigned flags, struct facade_work **work);

/* What it was made from: *count of them, as long as the work lives. Needs: a work of that kind. */
CUstreamBatchMemOpParams *facade_work_operations(const struct facade_work *work, unsigned *count);

#endif
