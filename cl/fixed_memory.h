/* Memory whose addresses are given out before anybody may use it: what graphs allocate.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_FIXED_MEMORY_H
#define OCL_FIXED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/context.h"
#include "cl/queue.h"
#include "cl/status.h"

/* A block of device memory. Its addresses are nobody's until a part of it begins to be memory that users know. */
struct ocl_fixed;

/* Makes a block, with one holder.
 * Units:  bytes > 0. Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_fixed_create(struct ocl_context *context, size_t bytes, struct ocl_fixed **block);

/* The block goes when nobody holds it, none of its parts is in use, and the work is complete that was queued before the last
 * one ended. It outlives its context, but has no memory then. */
void ocl_fixed_hold(struct ocl_fixed *block);
void ocl_fixed_let_go(struct ocl_fixed *block);

uint64_t ocl_fixed_address(const struct ocl_fixed *block);
size_t ocl_fixed_bytes(const struct ocl_fixed *block);

/* What parts begin at multiples of, from the block's begin. */
size_t ocl_fixed_unit(const struct ocl_fixed *block);

/* From now on bytes at address are device memory like any other, for work that queue gets: behind what was queued elsewhere for
 * parts of the block that have ended.
 * Needs:  the range lies in the block and begins at a unit; bytes > 0. Contents are not defined.
 * Errors: OCL_E_ALREADY when any byte of it is in use; OCL_E_NOT_FOUND when the block's context was closed;
 *         OCL_E_OUT_OF_MEMORY; those of making the queue wait for others. */
ocl_status ocl_fixed_begin(struct ocl_fixed *block, struct ocl_queue *queue, uint64_t address,
                           size_t bytes);

/* They are not any more, for work that is submitted to queue from now on.
 * Errors: OCL_E_NOT_FOUND when no part in use begins there; those of making the queue wait for others. */
ocl_status ocl_fixed_end(struct ocl_queue *queue, uint64_t address);

/* Whether a part in use begins at address. */
bool ocl_fixed_is_used(uint64_t address);

/* Whether address lies in a block, in use or not. left, bytes to the end of the block, and context may be NULL. */
bool ocl_fixed_find(uint64_t address, struct ocl_context **context, size_t *left);

/* What a device has of such memory, in bytes. Pages of a block that nobody has touched yet, or that were given back, are not
 * held where device memory is the host's. */
enum ocl_fixed_attribute {
    OCL_FIXED_USED, /* from the begin of each block to the end of the last part that was in use */
    OCL_FIXED_USED_HIGH,
    OCL_FIXED_RESERVED, /* of blocks */
    OCL_FIXED_RESERVED_HIGH
};
uint64_t ocl_fixed_get(int device, enum ocl_fixed_attribute attribute);

/* Lowers a peak to what there is now. */
void ocl_fixed_reset(int device, enum ocl_fixed_attribute attribute);

/* Gives back what can be: blocks that nobody holds, and the pages of those without a part in use or work that is not known to
 * be complete. */
void ocl_fixed_trim(int device);

#endif
