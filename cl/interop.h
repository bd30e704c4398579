/* What stands behind cl/'s handles, as untyped OpenCL objects, and back.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_INTEROP_H
#define OCL_INTEROP_H

#include "cl/context.h"
#include "cl/memory.h"
#include "cl/queue.h"

/* cl_platform_id and cl_device_id. Needs: device in range. */
void ocl_interop_device(int device, void **platform, void **id);
/* The device with this cl_device_id, or -1. */
int ocl_interop_find_device(const void *id);

/* cl_context. */
void *ocl_interop_context(const struct ocl_context *context);

/* The cl_mem that holds the byte at pointer, and its offset. Errors: OCL_E_NOT_FOUND; OCL_E_NOT_SUPPORTED when the memory
 * is no cl_mem. */
ocl_status ocl_interop_buffer(const void *pointer, void **buffer, size_t *offset);
/* The device address of a byte of a buffer of this context. Errors: OCL_E_NOT_FOUND. */
ocl_status ocl_interop_find_buffer(struct ocl_context *context, const void *buffer, size_t offset,
                                   uint64_t *address);

/* The cl_command_queue, after it was put in order behind what the queue must wait for. It may be another one after the
 * next timed event. */
ocl_status ocl_interop_queue(struct ocl_queue *queue, void **commands);
/* The caller enqueued on it by hand. */
ocl_status ocl_interop_queue_used(struct ocl_queue *queue);
bool ocl_interop_is_queue(const struct ocl_queue *queue, const void *commands);

/* Whether the self-test found that kernels reach pinned host memory; and facts the facade shows. */
struct ocl_interop_facts {
    bool reaches_pinned_host;
    bool device_is_host_memory;
};
void ocl_interop_facts(const struct ocl_context *context, struct ocl_interop_facts *facts);

#endif
