/* Managed memory: one pointer for host and kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_MANAGED_H
#define OCL_MANAGED_H

#include "cl/memory.h"
#include "cl/queue.h"

/* How a context makes managed memory. */
enum ocl_managed_method {
    OCL_MANAGED_NONE,     /* it cannot */
    OCL_MANAGED_SHARED,   /* host and kernels work on the same bytes at any time */
    OCL_MANAGED_MIGRATING /* pages move; the host faults on pages that the device owns */
};
enum ocl_managed_method ocl_managed_method(const struct ocl_context *context);

struct ocl_allocation;

/* Whether another context has memory whose pages move: one atomic read or two. And whether an allocation is such memory, which
 * kernels of this context must not get: their launches send only the pages that their own context knows, and OpenCL says of
 * such a pointer that it is one of its own context alone. Needs: a reference to the allocation. */
bool ocl_managed_moves_elsewhere(const struct ocl_context *own);
bool ocl_managed_is_of_another(const struct ocl_context *own,
                               const struct ocl_allocation *allocation);

/* Who may use an allocation: launches of all queues, of none, or of one. */
enum ocl_managed_attachment { OCL_MANAGED_GLOBAL, OCL_MANAGED_HOST, OCL_MANAGED_SINGLE };

/* Allocates managed memory, known to the registry as OCL_MEMORY_MANAGED; freed by
 * ocl_memory_free(OCL_MEMORY_MANAGED, pointer).
 * Units:  bytes > 0. *pointer is page-aligned, the same for host and kernels; contents are zero.
 * Errors: OCL_E_NOT_SUPPORTED; OCL_E_OUT_OF_MEMORY, also when device memory would be oversubscribed. */
ocl_status ocl_managed_allocate(struct ocl_context *context, size_t bytes, unsigned flags,
                                enum ocl_managed_attachment attachment, void **pointer);

/* Makes memory of the program managed memory of the context, until ocl_managed_give_back() or the
 * context's end. Its contents stay. It cannot be freed, and its pages do not move.
 * Errors: OCL_E_ALREADY when part of it is known otherwise or to another context;
 *         OCL_E_NOT_SUPPORTED (logged) where kernels do not reach it by the host's address; OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_managed_adopt(struct ocl_context *context, void *host, size_t bytes);

/* Order:  waits for the context's work. Nothing to do for memory that no context adopted. */
void ocl_managed_give_back(void *host);

/* Changes who uses it, in queue's order. queue is kept for OCL_MANAGED_SINGLE only.
 * Errors: OCL_E_NOT_FOUND: pointer is not the start of managed memory; OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_managed_attach(struct ocl_queue *queue, void *pointer,
                              enum ocl_managed_attachment attachment);

/* Where a range is wanted next, in queue's order. Moves whole pages; does not wait for the device. When it is their turn, they
 * go to the device at once, to the host at once when the device is done with them, and otherwise with the host's
 * next wait or touch.
 * Needs: the range lies in one managed allocation. Errors: OCL_E_OUT_OF_MEMORY; the sticky failure. */
ocl_status ocl_managed_to_device(struct ocl_queue *queue, void *pointer, size_t bytes);
ocl_status ocl_managed_to_host(struct ocl_queue *queue, void *pointer, size_t bytes);

/* Makes a range of any memory safe for the host to pass to the system: pages of managed memory in
 * it become resident and stay so until the next launch. is_write: the system will write there.
 * Returns at once for memory that is not managed. Waits for the device where it owns the pages. */
void ocl_managed_make_resident(const void *pointer, size_t bytes, bool is_write);

#endif
