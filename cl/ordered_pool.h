/* Stream-ordered memory: allocated and freed in the order of queues, reused without waiting.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_ORDERED_POOL_H
#define OCL_ORDERED_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/context.h"
#include "cl/queue.h"
#include "cl/status.h"

/* A pool serves any number of contexts and keeps what was freed for its own next allocations. Its
 * memory is known to the registry as OCL_MEMORY_DEVICE. */
struct ocl_ordered_pool;

/* Makes an empty pool.
 * Units:  most_bytes: the most memory it may hold; 0 for as much as there is.
 * owner:  what ocl_memory_find() tells about memory of this pool until the pool is destroyed.
 * Owns:   the caller destroys it. Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_ordered_pool_create(uint64_t most_bytes, void *owner,
                                   struct ocl_ordered_pool **pool);

/* Ends the caller's use of the pool. Memory of it that is in use stays valid until it is freed; the
 * pool itself goes with the last of it. Safe on NULL. */
void ocl_ordered_pool_destroy(struct ocl_ordered_pool *pool);

enum ocl_ordered_attribute {
    OCL_ORDERED_FOLLOW_EVENTS, /* 0 or 1: reuse what was freed in another queue that this one has
                                  waited for */
    OCL_ORDERED_OPPORTUNISTIC, /* 0 or 1: reuse what was freed in another queue when the work before
                                  the free is known to be complete */
    OCL_ORDERED_INTERNAL,      /* 0 or 1: when memory is short, make the queue wait for another one
                                  to reuse what was freed there */
    OCL_ORDERED_THRESHOLD,     /* bytes that the pool keeps when somebody synchronises */
    OCL_ORDERED_RESERVED,      /* bytes held by the pool: in use and kept; read-only */
    OCL_ORDERED_RESERVED_HIGH, /* the most there were since the start or the last set */
    OCL_ORDERED_USED,          /* bytes in use; read-only */
    OCL_ORDERED_USED_HIGH
};
uint64_t ocl_ordered_pool_get(const struct ocl_ordered_pool *pool,
                              enum ocl_ordered_attribute attribute);

/* Setting one of the peaks, to whatever value, lowers it to what there is now. */
void ocl_ordered_pool_set(struct ocl_ordered_pool *pool, enum ocl_ordered_attribute attribute,
                          uint64_t value);

/* Gives memory that nobody uses, and that no queued work uses, back to the driver until the pool
 * holds no more than keep bytes, or there is none left. */
void ocl_ordered_pool_trim(struct ocl_ordered_pool *pool, uint64_t keep);

/* Allocates memory of context for work that is submitted to queue from now on, and for whatever is
 * ordered after that. queue may belong to another context.
 * Shape:  as ocl_memory_allocate(). Units: bytes > 0.
 * Cost:   no OpenCL call when memory of that size was freed in the same queue before.
 * Order:  never waits; memory is reused in another queue only as the attributes allow.
 * Errors: OCL_E_OUT_OF_MEMORY; the context's failure; the driver's. */
ocl_status ocl_ordered_allocate(struct ocl_ordered_pool *pool, struct ocl_context *context,
                                struct ocl_queue *queue, size_t bytes, uint64_t *address);

/* Frees device memory that starts at pointer after all work submitted to queue so far; the pointer
 * is unknown at once. Memory that was not allocated from a pool becomes plain's.
 * Errors: OCL_E_NOT_FOUND when no device memory starts there; the failure of the queue's
 *         context. */
ocl_status ocl_ordered_free(struct ocl_queue *queue, struct ocl_ordered_pool *plain,
                            const void *pointer);

#endif
