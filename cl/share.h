/* Memory that several processes of one user have.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SHARE_H
#define OCL_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "cl/context.h"
#include "cl/status.h"

/* What one process gives to another so that it finds something: an address of this process, which answers there, and a secret. */
enum { OCL_SHARE_BYTES = 64 };
struct ocl_share_handle {
    unsigned char bytes[OCL_SHARE_BYTES];
};

/* Whether the device memory of a context can be shared: where it is the host's. */
bool ocl_share_is_possible(const struct ocl_context *context);

/* Whether that is to be expected of a context of the device, before there is one. */
bool ocl_share_is_expected(int device);

/* What pools that share their memory are known by in all processes. */
enum { OCL_SHARE_POOL_BYTES = 32 };
struct ocl_share_pool {
    unsigned char bytes[OCL_SHARE_POOL_BYTES];
};

/* Makes a handle of the allocation of device memory that holds the byte at pointer; it means that allocation from its first byte
 * on, as long as that lives. The same one each time. pool: whose stream-ordered memory is meant, or NULL for other memory.
 * Order:  the first one of a block waits for the work of all contexts, and holds off new work for as long as its bytes take.
 * Errors: OCL_E_NOT_FOUND for anything else than such memory of this process's own; OCL_E_NOT_SUPPORTED; OCL_E_NOT_READY when the
 *         device did not come to rest; OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_share_memory(const void *pointer, const struct ocl_share_pool *pool,
                            struct ocl_share_handle *handle);

/* Names a new pool. Errors: as above, but OCL_E_NOT_FOUND and OCL_E_NOT_READY. */
ocl_status ocl_share_name_pool(struct ocl_share_pool *pool);

/* Makes a file that tells other processes which pool it is; the caller closes it. And reads one, which stays the caller's. Errors:
 * OCL_E_NOT_SUPPORTED, OCL_E_OUT_OF_MEMORY; read: OCL_E_NOT_FOUND when it is none. */
ocl_status ocl_share_make_pool_file(const struct ocl_share_pool *pool, int *file);
ocl_status ocl_share_read_pool_file(int file, struct ocl_share_pool *pool);

/* Opens another process's memory; once more in the same context gives the same address and counts.
 * Order:  asks that process, and waits for its answer for at most some seconds.
 * Errors: OCL_E_NOT_FOUND when the handle is none, or its process, or the memory there, is gone, or another user's;
 *         OCL_E_ALREADY in the process that made the handle; OCL_E_NOT_SUPPORTED; CL_MAP_FAILURE; OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_share_open_memory(struct ocl_context *context, const struct ocl_share_handle *handle,
                                 uint64_t *address);

/* The same for memory of a pool; OCL_E_INVALID_VALUE when the handle is not of that pool's. */
ocl_status ocl_share_open_pooled(struct ocl_context *context, const struct ocl_share_pool *pool,
                                 const struct ocl_share_handle *handle, uint64_t *address);

/* Whether what is opened at pointer is a pool's, and so is freed by what frees other memory. */
bool ocl_share_is_pooled(const void *pointer);

/* Gives back one opening. The last one waits for the context's work, as freeing does. Errors: OCL_E_NOT_FOUND when no opened
 * memory starts there; the context's sticky failure. */
ocl_status ocl_share_close_memory(const void *pointer);

/* The same without waiting; the last one's memory goes when nobody holds it any more. */
ocl_status ocl_share_discard_memory(const void *pointer);

struct ocl_event;

/* An event that other processes may open, and record and wait for as well: without timing, and otherwise as those of event.h. Its
 * state lies in a file in memory. A record whose process ends before it is complete is a failure: of asking and waiting, and of the
 * context whose queue waits for it.
 * Errors: OCL_E_NOT_SUPPORTED where device memory cannot be shared, or the system has no such files; OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_share_create_event(struct ocl_context *context, struct ocl_event **event);

/* Errors: OCL_E_NOT_FOUND for an event that was not made so; as ocl_share_memory(). */
ocl_status ocl_share_event(struct ocl_event *event, struct ocl_share_handle *handle);

/* Opens another process's event; each opening is an event of its own. Errors: as ocl_share_open_memory(). */
ocl_status ocl_share_open_event(struct ocl_context *context, const struct ocl_share_handle *handle,
                                struct ocl_event **event);

#endif
