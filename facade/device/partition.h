/* Parts of a device's multiprocessors, as numbers. Sources: CUDA Driver API 13.0, Green Contexts.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_PARTITION_H
#define FACADE_PARTITION_H

#include "facade/state/internal.h"

/* What cuDevResourceGenerateDesc() makes; equal ones are one. They live as long as the process: CUDA has no function that ends
 * them. */
struct facade_resources {
    int device;
    unsigned multiprocessors;
    struct facade_resources *next;
};

/* Fills a resource of so many of the device's multiprocessors, which can be split; 0: all.
 * Errors: cudaErrorInvalidResourceType for another type than CU_DEV_RESOURCE_TYPE_SM. */
cudaError_t facade_partition_tell(CUdevResource *resource, CUdevResourceType type, int device,
                                  unsigned multiprocessors);

/* cuDevSmResourceSplitByCount(): groups of at least least multiprocessors, rounded up to what compute capability 7.5 can have.
 * Errors: cudaErrorInvalidValue; cudaErrorInvalidResourceType; cudaErrorInvalidResourceConfiguration for what is itself part
 *         of a split, or too small. */
cudaError_t facade_partition_split(CUdevResource *groups, unsigned *count,
                                   const CUdevResource *input, CUdevResource *remaining,
                                   unsigned flags, unsigned least);

/* One resource, or several of one split. Errors: cudaErrorInvalidValue; cudaErrorInvalidResourceType;
 * cudaErrorInvalidResourceConfiguration; cudaErrorMemoryAllocation. */
cudaError_t facade_partition_describe(const CUdevResource *list, unsigned count,
                                      struct facade_resources **made);

#endif
