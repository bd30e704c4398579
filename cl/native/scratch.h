/* Memory for blocks while they run, one piece for each processor. Private to cl/native/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_NATIVE_SCRATCH_H
#define OCL_NATIVE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

struct ocl_scratch_pool;

/* A piece: memory at a multiple of 64, of whatever values. */
struct ocl_scratch {
    void *memory;
    size_t bytes;
    struct ocl_scratch_slot *slot; /* where the pool has it; NULL: nowhere */
};

/* A pool of `count` pieces that have no bytes yet. NULL only without memory. Counted: it goes with the last who holds it. */
struct ocl_scratch_pool *ocl_scratch_pool_create(size_t count);
void ocl_scratch_pool_hold(struct ocl_scratch_pool *pool);

/* Needs: the last one has every piece given back before. Takes NULL. */
void ocl_scratch_pool_release(struct ocl_scratch_pool *pool);

/* Sees to it that there are `count` pieces of so many bytes, from now on, taken or not. False without memory.
 * Threads: any; it never waits. */
bool ocl_scratch_reserve(struct ocl_scratch_pool *pool, size_t bytes);

/* Takes a piece of at least so many bytes. More than `count` threads may have one at a time: where there is no memory for more,
 * those that come last wait.
 * Needs: so many bytes were reserved. */
struct ocl_scratch ocl_scratch_take(struct ocl_scratch_pool *pool, size_t bytes);
void ocl_scratch_give(struct ocl_scratch scratch);

#endif
