/* Blocks of the driver, cut up for small sizes and kept for reuse. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_POOL_H
#define OCL_POOL_H

#include "cl/state/state.h"

/* Where a pool's blocks come from, and how much there is. Tests put their own in place of the
 * driver. */
struct ocl_pool_source {
    ocl_status (*create)(struct ocl_context *context, size_t bytes, struct ocl_block **block);
    void (*destroy)(struct ocl_block *block);
    size_t (*first)(const struct ocl_block *block); /* see ocl_block_first() */
    /* Bytes there are in all, now; UINT64_MAX when nobody knows. */
    uint64_t (*total)(struct ocl_context *context);
    /* Bytes that can be touched now; UINT64_MAX for all of them. */
    uint64_t (*available)(struct ocl_context *context);
    /* Bytes of unused blocks that are kept, unless that is more than a sixteenth of total. */
    uint64_t kept_most;
    /* The blocks are the device's memory: pools of a context that say so are counted together. */
    bool is_device_memory;
    /* Large blocks begin at places of a page that differ, where the processors that use them are the host's. */
    bool is_staggered;
};

/* The block layer: device memory, and pinned host memory. Blocks of the latter begin at a page and
 * are cut at pages as long as requests are whole pages. */
extern const struct ocl_pool_source ocl_pool_device, ocl_pool_host;

/* Managed memory, cut at pages as well. */
extern const struct ocl_pool_source ocl_pool_managed;

/* Part of a driver block, in use by one allocation. */
struct ocl_piece_view {
    struct ocl_block *block;
    size_t offset; /* in block; block->address + offset is a multiple of OCL_MEMORY_ALIGNMENT */
    size_t bytes;  /* at least what was asked for, rounded up to OCL_MEMORY_ALIGNMENT */
};

/* Makes an empty pool; takes nothing from the driver. Owns: the caller destroys it. Errors:
 * OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_pool_create(struct ocl_context *context, const struct ocl_pool_source *source,
                           struct ocl_pool **pool);

/* Gives all blocks back to the driver. Needs: nobody uses a piece. Safe on NULL. */
void ocl_pool_destroy(struct ocl_pool *pool);

/* Takes bytes > 0. Cost: under 1 us while blocks have room; otherwise the driver's.
 * Errors: OCL_E_OUT_OF_MEMORY when the driver or the accounting has no room even after everything
 * kept was given back; the driver's others. Locks: memory_lock, not across the driver. */
ocl_status ocl_pool_take(struct ocl_pool *pool, size_t bytes, struct ocl_piece **piece);
struct ocl_piece_view ocl_pool_view(const struct ocl_piece *piece);

/* Needs: no command uses the piece any more. Locks: as ocl_pool_take(). */
void ocl_pool_give(struct ocl_pool *pool, struct ocl_piece *piece);

/* Gives what is kept back to the driver. Returns whether there was anything. Locks: as
 * ocl_pool_take(). */
bool ocl_pool_trim(struct ocl_pool *pool);

/* Bytes of the device, and how many of them an allocation may still hope for. Blocks kept whole
 * count as free, room inside blocks that are in use does not. */
void ocl_pool_info(struct ocl_pool *pool, uint64_t *free_bytes, uint64_t *total_bytes);

/* Bytes of blocks that are kept whole. */
uint64_t ocl_pool_reusable(struct ocl_pool *pool);

#endif
