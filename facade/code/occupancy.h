/* Occupancy as runtime and driver API share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_OCCUPANCY_H
#define FACADE_OCCUPANCY_H

#include "facade/code/library.h"

/* Blocks of block_size threads with dynamic_shared bytes that fit on one multiprocessor; 0 when
 * none does.
 * Errors: cudaErrorInvalidValue for a size that is not positive or unknown flags. */
cudaError_t facade_occupancy_blocks(int *blocks, const struct facade_function *function,
                                    int block_size, size_t dynamic_shared, unsigned flags);

/* The same as measured with the kernel's own code, where that gathers (ocl_kernel_gathers()): what a cooperative launch can
 * have. Errors: cudaErrorNotSupported for a kernel that cannot be launched so; those of launches. */
cudaError_t facade_occupancy_measured(int *blocks, const struct facade_function *function,
                                      int block_size, size_t dynamic_shared);

/* What a caller of the potential block size functions wants: shared bytes for a block size (or
 * always the same bytes when the function is NULL), and the largest block (0: no limit of its
 * own). */
struct facade_occupancy_wish {
    size_t (*shared_of)(int block_size);
    size_t shared;
    int limit;
    unsigned flags;
};

/* The block size that keeps most threads on a multiprocessor, and the smallest grid that fills the
 * device with it. */
cudaError_t facade_occupancy_best(int *grid, int *block_size,
                                  const struct facade_function *function,
                                  const struct facade_occupancy_wish *wish);

/* Dynamic bytes each of `blocks` blocks may use so that all still fit. Errors: as above, and when
 * they do not fit. */
cudaError_t facade_occupancy_shared(size_t *shared, const struct facade_function *function,
                                    int blocks, int block_size);

/* Clusters of one block that the device holds at once, of blocks as the configuration says. Larger clusters there are none of.
 * Errors: cudaErrorInvalidClusterSize for larger ones; those of facade_occupancy_blocks(). */
cudaError_t facade_occupancy_clusters(int *clusters, const struct facade_function *function,
                                      const cudaLaunchConfig_t *config);

#endif
