/* Device memory, pinned host memory, and the question "what is this pointer?".
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_MEMORY_H
#define OCL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/context.h"
#include "cl/status.h"

enum ocl_memory_kind {
    OCL_MEMORY_DEVICE,     /* cudaMalloc */
    OCL_MEMORY_HOST,       /* pinned host memory that clem allocated */
    OCL_MEMORY_REGISTERED, /* the user's host memory, pinned in place */
    OCL_MEMORY_MANAGED     /* one pointer for host and kernels; see managed.h */
};

/* A copy of what is known about an allocation; holds no reference. */
struct ocl_memory_view {
    enum ocl_memory_kind kind;
    struct ocl_context *context;
    uint64_t address; /* of the first byte, as kernels see it */
    void *host;     /* of the first byte, as the host sees it; NULL when the host cannot reach it */
    size_t bytes;   /* as asked for, not rounded */
    unsigned flags; /* the caller's own, given at allocation */
    uint64_t id;    /* unique in the process, never used again */
    bool is_imported; /* by ocl_memory_import() */
    void *pool_owner; /* of stream-ordered memory: see ordered_pool.h; NULL otherwise */
    bool is_virtual;  /* a mapping: see virtual.h */
};

enum { OCL_MEMORY_ALIGNMENT = 256 };

/* Allocates device memory.
 * Shape:  *address is a multiple of OCL_MEMORY_ALIGNMENT; contents are not defined.
 * Units:  bytes > 0.
 * Order:  may reuse memory freed before; never waits for the device unless memory is short.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_memory_allocate(struct ocl_context *context, size_t bytes, unsigned flags,
                               uint64_t *address);

/* Allocates pinned host memory, page-aligned. *host is the pointer for both sides where the strategy lets kernels
 * reach it; *address is what kernels must use. Errors as above. */
ocl_status ocl_memory_allocate_host(struct ocl_context *context, size_t bytes, unsigned flags,
                                    void **host, uint64_t *address);

/* Pins bytes of the user's memory at host. Errors: OCL_E_ALREADY when any byte of it is known already;
 * OCL_E_INVALID_VALUE for no bytes, for a range that wraps and for memory that the driver refuses. */
ocl_status ocl_memory_register(struct ocl_context *context, void *host, size_t bytes,
                               unsigned flags);

/* The same for memory of the program that is managed memory from now on, until
 * ocl_memory_give_back(). Errors as above; OCL_E_NOT_SUPPORTED where kernels do not reach such memory by
 * the host's address. */
ocl_status ocl_memory_adopt(struct ocl_context *context, void *host, size_t bytes);
ocl_status ocl_memory_give_back(const void *host);

/* Whether this thread's calls find memory that was freed, too, as long as it is there: for work that has its turn in a queue, and
 * was given to that before the memory was freed. Freeing waits for such work, or comes behind it. */
void ocl_memory_find_freed(bool does);

/* Device memory that is bytes of a file from offset on; the file stays the caller's, and must have those bytes.
 * Shape:  the address is aligned as offset is, to at most a page; it is the host's as well.
 * Errors: OCL_E_NOT_SUPPORTED on devices whose memory is not the host's; OCL_E_INVALID_VALUE for no bytes; CL_MAP_FAILURE;
 *         OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_memory_import(struct ocl_context *context, int file, uint64_t offset, size_t bytes,
                             unsigned flags, uint64_t *address);

/* Ends that, as ocl_memory_free() ends other memory. Errors: OCL_E_NOT_FOUND where no such memory starts. */
ocl_status ocl_memory_close(const void *pointer);

/* Frees what starts exactly at pointer (device address or host pointer) and is of the given kind.
 * Order:  waits for all work of the owning context that was submitted before; stream-ordered memory is free
 *         behind the work of the legacy queue and the blocking ones instead, without waiting.
 * Errors: OCL_E_NOT_FOUND when nothing of that kind starts there, or memory that is adopted or imported; the context's sticky
 *         failure. */
ocl_status ocl_memory_free(enum ocl_memory_kind kind, const void *pointer);

/* Frees device memory of clem's own that no command uses any more, without waiting for anything: a launch may need that while
 * all that runs waits for it, as the kernel does that launched it. Nothing for the address 0. */
void ocl_memory_discard(uint64_t address);

/* Finds the allocation that holds the byte at pointer (a device address or host pointer). Lock-free. */
bool ocl_memory_find(const void *pointer, struct ocl_memory_view *view);

/* The same, and the allocation stays what it is until it is let go, which NULL, for a pointer into none, need not be. */
struct ocl_allocation *ocl_memory_hold(const void *pointer, struct ocl_memory_view *view);
void ocl_memory_let_go(struct ocl_allocation *allocation);

/* Free and total bytes of the context's device, after clem's own accounting; memory kept for reuse counts as free. */
void ocl_memory_info(struct ocl_context *context, size_t *free_bytes, size_t *total_bytes);

/* Gives memory kept for reuse back to the driver, so that tests see which calls come to it for more. */
void ocl_memory_trim(struct ocl_context *context);

#endif
