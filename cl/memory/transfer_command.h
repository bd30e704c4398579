/* The commands of a copy, whatever the address strategy makes of device memory. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRANSFER_COMMAND_H
#define OCL_TRANSFER_COMMAND_H

#include "cl/memory/allocation.h"
#include "cl/state/state.h"

/* Each enqueues without waiting, between its own ocl_command_begin() and ocl_command_end().
 * event may be NULL; otherwise the caller releases *event. The places are memory of the queue's
 * context. Errors: the driver's; the sticky failure. */
ocl_status ocl_command_write(struct ocl_queue *queue, const struct ocl_place *target,
                             const void *source, size_t bytes, cl_event *event);
/* Waits until the bytes are taken, so no move of managed memory may have to wait for it: the context
 * has none. Needs: target->buffer; context->migration is NULL. */
ocl_status ocl_command_write_now(struct ocl_queue *queue, const struct ocl_place *target,
                                 const void *source, size_t bytes);
ocl_status ocl_command_read(struct ocl_queue *queue, void *target, const struct ocl_place *source,
                            size_t bytes, cl_event *event);
ocl_status ocl_command_copy(struct ocl_queue *queue, const struct ocl_place *target,
                            const struct ocl_place *source, size_t bytes);

/* One side of a rectangle command. */
struct ocl_command_rows {
    size_t pitch, slice_bytes;
};

/* A volume between device memory and the host. Needs: device->buffer; both pitches are at least
 * width (the driver refuses others); slices may lie anywhere. */
ocl_status ocl_command_write_rows(struct ocl_queue *queue, const struct ocl_place *device,
                                  const struct ocl_command_rows *device_rows, const void *host,
                                  const struct ocl_command_rows *host_rows, const size_t extent[3]);
ocl_status ocl_command_read_rows(struct ocl_queue *queue, const struct ocl_place *device,
                                 const struct ocl_command_rows *device_rows, void *host,
                                 const struct ocl_command_rows *host_rows, const size_t extent[3]);

#endif
