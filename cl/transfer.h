/* Copies and fills: one description, one planner.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRANSFER_H
#define OCL_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/queue.h"
#include "cl/status.h"

/* One end of a copy. Row y of slice z starts at address + z*slice_bytes + y*pitch. What address
 * means is found in the registry: device, pinned or registered memory; a number that is in no
 * allocation is pageable host memory. */
struct ocl_copy_end {
    uint64_t address;
    size_t pitch;       /* bytes from row to row */
    size_t slice_bytes; /* bytes from slice to slice */
};

/* A volume of depth slices of height rows of width bytes. Linear copies have height = depth = 1. */
struct ocl_copy {
    struct ocl_copy_end source, target;
    size_t width, height, depth;
};

/* So many bytes that lie in a row. */
static inline struct ocl_copy ocl_copy_linear(uint64_t target, uint64_t source, size_t bytes)
{
    return (struct ocl_copy){.source = {source, bytes, bytes},
                             .target = {target, bytes, bytes},
                             .width = bytes,
                             .height = 1,
                             .depth = 1};
}

/* How much of the work is done when ocl_transfer_copy() returns. */
enum ocl_transfer_wait {
    OCL_WAIT_ALL,    /* the copy is complete */
    OCL_WAIT_SOURCE, /* pageable ends are done with: source staged, target written */
    OCL_WAIT_TARGET, /* a pageable target is written; a pageable source is read when its turn comes */
};

/* Copies. Rows must not overlap each other in the target; source and target may overlap only for
 * linear copies, and then the result is as if through a third place.
 * Needs:  every known range holds what is copied (the facade checked); width, height, depth > 0.
 * Order:  after earlier work of the queue. Device to pageable memory always completes before
 *         returning.
 * Errors: the driver's; OCL_E_OUT_OF_MEMORY for staging; the sticky failure. */
ocl_status ocl_transfer_copy(struct ocl_queue *queue, const struct ocl_copy *copy,
                             enum ocl_transfer_wait wait);

/* The same for ends whose allocations the caller holds (ocl_memory_hold()), NULL for pageable memory.
 * Owns: lets both go, whatever comes of it. */
struct ocl_copy_holds {
    struct ocl_allocation *source, *target;
};
ocl_status ocl_transfer_copy_held(struct ocl_queue *queue, const struct ocl_copy *copy,
                                  struct ocl_copy_holds holds, enum ocl_transfer_wait wait);

/* Makes ready what copies and fills of the device need, so that none of them has a driver load code later, for which NVIDIA's
 * waits until no kernel runs. Does nothing but for the first time, and on CPUs, whose drivers do not wait. What cannot be
 * made ready is made when it is needed. */
void ocl_transfer_prepare(struct ocl_context *context);

/* A copy after all that the queue's context and those of both ends have got in any queue so far, and before all that they get
 * later. Waits for nothing but the copy, or for all that where an end is pageable. Errors: as ocl_transfer_copy(). */
ocl_status ocl_transfer_copy_alone(struct ocl_queue *queue, const struct ocl_copy *copy);

/* A fill of depth slices of height rows of count elements of element_bytes (1, 2 or 4) with value's
 * low bytes. */
struct ocl_fill {
    uint64_t address;
    size_t pitch, slice_bytes; /* bytes, as in struct ocl_copy_end */
    size_t count, height, depth;
    size_t element_bytes;
    uint32_t value;
};

/* Fills; bytes between rows are left alone. Needs: address is a multiple of element_bytes. Order:
 * after earlier work of the queue; returns after completion when wait is OCL_WAIT_ALL. Errors:
 * OCL_E_NOT_FOUND when address is in no allocation; the driver's; the sticky failure. */
ocl_status ocl_transfer_fill(struct ocl_queue *queue, const struct ocl_fill *fill,
                             enum ocl_transfer_wait wait);

#endif
