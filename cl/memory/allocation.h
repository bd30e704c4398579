/* Allocations: what an address is of. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_ALLOCATION_H
#define OCL_ALLOCATION_H

#include "cl/block/block.h"
#include "cl/check.h"
#include "cl/memory.h"
#include "cl/profile.h"

/* What the registry finds. Memory comes from a slab: readable after it was freed. */
struct ocl_allocation {
    void *slab_word;
    _Atomic uint32_t references;                        /* 0: free or dying */
    void (*destroy)(struct ocl_allocation *allocation); /* memory.c: gives back what it holds */
    enum ocl_memory_kind kind;
    struct ocl_context *context;
    uint64_t address;
    void *host;
    size_t bytes;
    unsigned flags;
    uint64_t id;
    struct ocl_block *block;
    size_t offset;           /* of the first byte inside block */
    struct ocl_piece *piece; /* what goes back to the pool; NULL for the user's own memory */
    enum ocl_memory_kind
        home;        /* whose pool that is: kind, but of managed memory that got pinned memory */
    size_t span;     /* bytes that stand in the registry; 0: those of bytes, rounded up */
    bool is_listed;  /* they do */
    bool is_virtual; /* a mapping (virtual.h), which nobody frees */
    bool is_in_use;  /* before it is handed out: by kernels of the last owner's */
    _Atomic(struct ocl_twin *) twin; /* twin.h: of pinned memory that kernels do not see, or NULL */
    struct ocl_ordered *ordered; /* ordered_private.h: of stream-ordered memory, otherwise NULL */
    struct ocl_fixed
        *fixed; /* fixed_private.h: the block that it is, or that it is a part of; else NULL */
    _Atomic(struct ocl_region *)
        region;           /* managed_private.h: of its own; NULL: its block's, if that has one */
    _Atomic bool is_live; /* known to users; whoever clears it ends the allocation */
};

/* The OpenCL name of a byte of device memory. */
struct ocl_place {
    cl_mem buffer; /* NULL: use pointer */
    size_t offset;
    void *pointer;
};

/* Where address is, for commands of this context. Needs: address lies in allocation, or in what is mapped behind it. */
struct ocl_place ocl_allocation_place(const struct ocl_allocation *allocation, uint64_t address);

/* Whether it is another's memory that ocl_memory_close() gives back. */
static inline bool ocl_allocation_is_imported(const struct ocl_allocation *allocation)
{
    return allocation->block && allocation->block->kind == OCL_BLOCK_IMPORTED;
}

/* memory.c's part of ocl_managed_allocate(): a piece, of at least least bytes, of a block of managed
 * memory, made known, with a reference. Contents are not defined. Errors: as ocl_memory_allocate(). */
ocl_status ocl_memory_allocate_managed(struct ocl_context *context, size_t bytes, size_t least,
                                       unsigned flags, struct ocl_allocation **allocation);

/* Device memory that users do not know, by its pool's name for it (pool.h). Errors: OCL_E_OUT_OF_MEMORY; the
 * driver's. */
ocl_status ocl_memory_take_piece(struct ocl_context *context, size_t bytes,
                                 struct ocl_piece **piece);
void ocl_memory_give_piece(struct ocl_context *context, struct ocl_piece *piece);

/* Ends every allocation of a context that is closing, gives all kept memory back to the driver and frees the pool.
 * Needs: all work of the context is complete; no other thread uses the context. */
void ocl_memory_release_all(struct ocl_context *context);

/* Whether its bytes are in pages of the process's own that stay where they are: of managed memory that kernels use in place. */
static inline bool ocl_allocation_has_pages(const struct ocl_allocation *allocation)
{
    const struct ocl_capability *const capability = &allocation->context->capability;
    return allocation->kind == OCL_MEMORY_MANAGED &&
           (uint64_t)(uintptr_t)allocation->host == allocation->address &&
           capability->device_is_host_memory &&
           (capability->managed == OCL_MANAGED_IN_FINE_SVM ||
            capability->managed == OCL_MANAGED_IN_HOST);
}

/* The same for kernels that are checked. Only what none but commands and kernels write has bytes that nobody wrote. */
static inline void ocl_allocation_check(const struct ocl_allocation *allocation, bool is_new)
{
    static const char *const kinds[] = {[OCL_MEMORY_DEVICE] = "device memory",
                                        [OCL_MEMORY_HOST] = "pinned memory",
                                        [OCL_MEMORY_REGISTERED] = "registered memory",
                                        [OCL_MEMORY_MANAGED] = "managed memory"};
    const uint64_t host = (uint64_t)(uintptr_t)allocation->host;
    const bool has_pages = ocl_allocation_has_pages(allocation);
    if (!ocl_check_wants(OCL_CHECK_KERNELS))
        return;
    if (!is_new)
        ocl_check_freed(allocation->address);
    else if (allocation->is_in_use)
        ocl_check_handed_on(allocation->address, allocation->bytes, kinds[allocation->kind]);
    else
        ocl_check_allocated(allocation->address, allocation->bytes, kinds[allocation->kind],
                            allocation->kind != OCL_MEMORY_DEVICE && !has_pages);
    if (is_new && has_pages)
        ocl_check_follow_pages(allocation->address);
    if (host == 0 || host == allocation->address)
        return;
    if (!is_new)
        ocl_check_freed(host);
    else
        ocl_check_allocated(host, allocation->bytes, kinds[allocation->kind], true);
}

/* An allocation has become the user's, or is no longer. */
static inline void ocl_allocation_count(const struct ocl_allocation *allocation, bool is_new)
{
    const int64_t bytes = (int64_t)allocation->bytes;

    ocl_allocation_check(allocation, is_new);
    ocl_profile_memory(allocation->kind == OCL_MEMORY_DEVICE    ? OCL_SPOOL_DEVICE
                       : allocation->kind == OCL_MEMORY_MANAGED ? OCL_SPOOL_MANAGED
                                                                : OCL_SPOOL_PINNED,
                       is_new ? bytes : -bytes);
}

#endif
