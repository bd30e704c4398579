/* Nodes of graphs that copy and fill.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MEMORY_WORK_H
#define FACADE_MEMORY_WORK_H

#include "facade/graph/work.h"

/* Each makes a work with one reference for the caller. Errors: those of the call that does the same without a graph;
 * cudaErrorMemoryAllocation. */
cudaError_t facade_work_of_copy(const struct cudaMemcpy3DParms *params, struct facade_work **work);
cudaError_t facade_work_of_fill(const struct cudaMemsetParams *params, struct facade_work **work);

/* The same of what a stream captures; a fill is of one slice. */
struct facade_copy_request;
struct ocl_fill;
cudaError_t facade_work_of_request(const struct facade_copy_request *request,
                                   struct facade_work **work);
cudaError_t facade_work_of_ocl_fill(const struct ocl_fill *fill, struct facade_work **work);

/* A linear copy as a volume of one row. */
struct cudaMemcpy3DParms facade_copy_as_volume(void *target, const void *source, size_t bytes,
                                               enum cudaMemcpyKind kind);

/* What they were made from. Needs: a work of that kind. */
struct cudaMemcpy3DParms facade_work_copy(const struct facade_work *work);
struct cudaMemsetParams facade_work_fill(const struct facade_work *work);

#endif
