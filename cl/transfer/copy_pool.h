/* Host threads that share the copying of host memory. Private to cl/transfer/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_COPY_POOL_H
#define OCL_COPY_POOL_H

#include <stdbool.h>

#include "cl/status.h"
#include "cl/transfer.h"

struct ocl_copy_pool;

/* threads: how many copy at once at most, the caller's own included; fewer where fewer processors
 * are online. They start at the first large copy. */
ocl_status ocl_copy_pool_create(unsigned threads, struct ocl_copy_pool **pool);

/* Ends the threads. Needs: no copy is going on. Safe on NULL. */
void ocl_copy_pool_destroy(struct ocl_copy_pool *pool);

/* Copies a volume whose addresses are host pointers, and returns when it is copied. Small ones are
 * the caller's work alone. Where no thread can be started the caller copies everything.
 * Needs: source and target do not overlap. is_streaming: linear copies store past the caches.
 * Locks: takes the pool's lock for moments; safe from many threads, which then share the pool. */
void ocl_copy_pool_run(struct ocl_copy_pool *pool, const struct ocl_copy *copy, bool is_streaming);

#endif
