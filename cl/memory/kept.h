/* Driver blocks that nobody uses, kept for reuse by size. Private to cl/memory/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KEPT_H
#define OCL_KEPT_H

#include "cl/memory/pieces.h"

/* The caller's lock (memory_lock) is held in every function here. */
struct ocl_kept {
    struct ocl_pool_block **blocks; /* sorted by bytes */
    size_t count, room;
    uint64_t bytes; /* of all */
    uint64_t most;  /* the caller's limit: a larger block is not kept */
    uint64_t clock;
};

/* Keeps a block. False when it is too large, or without memory. bytes may exceed most afterwards:
 * the caller takes the oldest ones out. */
bool ocl_kept_add(struct ocl_kept *kept, struct ocl_pool_block *block);

/* Takes out the smallest block of least to most bytes; NULL when there is none. */
struct ocl_pool_block *ocl_kept_take(struct ocl_kept *kept, size_t least, size_t most);

/* Takes out the block that was kept for the longest time. Needs: count is not 0. */
struct ocl_pool_block *ocl_kept_take_oldest(struct ocl_kept *kept);

/* Frees the list, not the blocks. */
void ocl_kept_release(struct ocl_kept *kept);

#endif
