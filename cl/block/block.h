/* One allocation of the driver, made as the address strategy says. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_BLOCK_H
#define OCL_BLOCK_H

#include "cl/base/address_range.h"
#include "cl/base/own_file.h"
#include "cl/state/state.h"

enum ocl_block_kind {
    OCL_BLOCK_DEVICE,     /* by the address strategy */
    OCL_BLOCK_HOST,       /* pinned, by the capability's host_method */
    OCL_BLOCK_REGISTERED, /* the user's memory */
    OCL_BLOCK_MANAGED,    /* by the capability's managed */
    OCL_BLOCK_IMPORTED    /* pages of a file, which other processes map as well */
};

/* One allocation of the driver: what OpenCL commands and arguments name. */
struct ocl_block {
    struct ocl_context *context;
    cl_mem buffer;    /* NULL under usm, and under svm where a buffer over SVM is not coherent */
    void *pointer;    /* svm or usm allocation, mapped or registered host memory; NULL otherwise */
    uint64_t address; /* device address of byte 0 of buffer */
    size_t bytes;     /* of the driver's object: what was asked for and block_slack on top */
    bool is_mapped;   /* pinned host memory: buffer is mapped at pointer */
    enum ocl_block_kind kind;
    const struct ocl_block_strategy *strategy; /* block_strategy.h */
    bool is_linked;                            /* on the context's list */
    void *reserved; /* a range of host addresses that stands for the block, or NULL */
    size_t reserved_bytes;
    struct ocl_range_claim claim; /* keeps the device address apart from the host's addresses */
    struct ocl_pin *pins[3];      /* block_registered.c: the user's pages that the block shares */
    void *pages; /* pinned memory: what holds pointer, where it is not the buffer's */
    _Atomic(struct ocl_export *)
        exported; /* block_exported.c: device memory that other processes may map, or NULL */
    struct ocl_region *region;         /* managed memory whose pages move, or NULL */
    struct ocl_guarded *guarded;       /* block_guarded.c: the pages that it is, or NULL */
    struct ocl_block *next, *previous; /* context.blocks (block_lock) */
};

/* Device memory of at least bytes, behind the first aligned byte: ocl_block_first(). Contents are
 * not defined.
 * Shape:  block->address is the device address of byte 0 of the driver's object (block->buffer or
 *         block->pointer); block->bytes is the object's size.
 * Order:  learning a raw address runs a kernel and waits for it, on a queue of its own.
 * Locks:  takes block_lock, holds none while the driver works.
 * Errors: OCL_E_OUT_OF_MEMORY when the driver has no room; the driver's. */
ocl_status ocl_block_create(struct ocl_context *context, size_t bytes, struct ocl_block **block);

/* Pinned host memory: page-aligned at block->pointer; block->address is what kernels use, and
 * equals the pointer where the capability says reaches_pinned_host. Errors as above. */
ocl_status ocl_block_create_host(struct ocl_context *context, size_t bytes,
                                 struct ocl_block **block);

/* Managed memory: page-aligned at block->pointer, which is block->address. Contents are not
 * defined. Errors as above; OCL_E_NOT_SUPPORTED. */
ocl_status ocl_block_create_managed(struct ocl_context *context, size_t bytes,
                                    struct ocl_block **block);

/* Any of those three under --check=guard: exactly so many bytes, which begin at block->guarded->start and end before a page
 * that nobody may touch. Where it cannot be guarded, what the others make of whole pages; then block->guarded is NULL. Pinned and
 * managed memory under --check=race: whole pages of the process's own, which it watches (check_host.h). Errors as above. */
ocl_status ocl_block_create_guarded(struct ocl_context *context, enum ocl_block_kind kind,
                                    size_t bytes, struct ocl_block **block);

/* Pins [host, host+bytes) of the user's memory.
 * Shape:  the object covers the whole pages around it: block->pointer is the first page, and
 *         block->address its address, so that address + (host - pointer) is the device address of
 *         host.
 * Errors: as above; OCL_E_INVALID_VALUE when the driver refuses the memory. */
ocl_status ocl_block_wrap_host(struct ocl_context *context, void *host, size_t bytes,
                               struct ocl_block **block);

/* Device memory over the bytes of a file from offset on, which is a multiple of a page; the file stays the caller's. It is at
 * block->pointer, which is block->address, for the host as for kernels.
 * Errors: as above; CL_MAP_FAILURE when the file cannot be mapped; OCL_E_NOT_SUPPORTED where capability.shares_memory is not. */
ocl_status ocl_block_import(struct ocl_context *context, int file, uint64_t offset, size_t bytes,
                            struct ocl_block **block);

/* What a block gives to other processes. */
struct ocl_export {
    struct own_file file; /* in memory alone; it cannot change its size */
    size_t first;         /* offset in the block of the file's first byte */
    size_t bytes;
};

/* Puts a file in memory in place of a block's pages, with the same bytes at the same addresses, unless that has been done; from then
 * on block->exported says which. Needs: capability.shares_memory, a block of device memory, and a stillness (stillness.h).
 * Errors: OCL_E_OUT_OF_MEMORY, which leaves all as it was; OCL_E_NOT_SUPPORTED where the system has no such files. */
ocl_status ocl_block_export(struct ocl_block *block);

/* Before the driver gets the block back: its pages are the process's own again. false: the system has none, and the driver must not
 * get the block back, whose memory others may have. */
bool ocl_block_end_export(struct ocl_block *block);

/* Gives the block back to the driver: at once, or, when a launch may have declared it, by the thread of
 * that launch. Needs: no command that uses it is running, and no cl_kernel has it as an argument that
 * will be launched again. Safe on NULL and half-made blocks. */
void ocl_block_destroy(struct ocl_block *block);

/* Offset of the first byte whose device address is a multiple of OCL_MEMORY_ALIGNMENT. */
size_t ocl_block_first(const struct ocl_block *block);

/* Whether the driver keeps the addresses of its buffers free in the host's address space, as one does
 * that has one address space for both sides. Found out at the first call, with buffers of its own.
 * Locks: none while the driver works. */
bool ocl_block_driver_reserves(struct ocl_context *context);

/* Declares to a kernel that it may follow addresses into any live block, as the strategy's
 * extension asks. Lists of pointers go stale when context.memory_generation changes; flags (usm) do
 * not. Nothing to do for raw and handle.
 * Needs: nobody else uses the kernel meanwhile. Locks: block_lock, while the driver copies the
 *        list. */
ocl_status ocl_block_declare_indirect(struct ocl_context *context, cl_kernel kernel);

/* Whether there is a block that the above would name. Locks: block_lock. */
bool ocl_blocks_are_declared(struct ocl_context *context);

/* Around a launch, from before it looks at context.memory_generation until it is enqueued: what it
 * declares, or has declared before, is given back to the driver no sooner. Locks: block_lock. */
unsigned ocl_blocks_hold(struct ocl_context *context);
void ocl_blocks_let_go(struct ocl_context *context, unsigned round);

/* The status a caller gets for a cl_int: every way to say "no room" becomes OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_block_status(cl_int error);

#endif
