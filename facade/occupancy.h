/* Occupancy as runtime and driver API share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_OCCUPANCY_H
#define FACADE_OCCUPANCY_H

#include "facade/library.h"

/* Blocks of block_size threads with dynamic_shared bytes that fit on one multiprocessor; 0 when none does.
 * Errors: cudaErrorInvalidValue for a size that is not positive or unknown flags. */
cudaError_t facade_occupancy_blocks(int *blocks, const struct facade_function *function, int block_size,
                                    size_t dynamic_shared, unsigned flags);

/* Dynamic bytes each of `blocks` blocks may use so that all still fit. Errors: as above, and when they do not fit. */
cudaError_t facade_occupancy_shared(size_t *shared, const struct facade_function *function, int blocks, int block_size);

#endif
