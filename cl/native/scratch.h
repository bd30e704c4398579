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

/* A pool of `count` pieces that have no bytes yet. NULL only without memory. It goes when it is released and whoever held it has let it
 * go. */
struct ocl_scratch_pool *ocl_scratch_pool_create(size_t count);

/* Takes NULL. Needs: nobody holds it from now on who did not before. */
void ocl_scratch_pool_release(struct ocl_scratch_pool *pool);

/* The second needs: every piece that was taken meanwhile is given back. */
void ocl_scratch_pool_hold(struct ocl_scratch_pool *pool);
void ocl_scratch_pool_let_go(struct ocl_scratch_pool *pool);

/* Sees to it that there are `count` pieces of so many bytes, from now on, taken or not. False without memory.
 * Threads: any; it never waits. */
bool ocl_scratch_reserve(struct ocl_scratch_pool *pool, size_t bytes);

/* Takes a piece of at least so many bytes. More than `count` threads may have one at a time: where there is no memory for more,
 * those that come last wait.
 * Needs: so many bytes were reserved. */
struct ocl_scratch ocl_scratch_take(struct ocl_scratch_pool *pool, size_t bytes);
void ocl_scratch_give(struct ocl_scratch scratch);

#endif
