/* The commands of a copy, whatever the address strategy makes of device memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer_command.h"

#include "cl/extension.h"
#include "cl/managed_private.h"
#include "cl/queue_private.h"
#include "cl/steady.h"

/* A copy between two pointers, for memory without a cl_mem. */
static cl_int copy_pointers(struct ocl_queue *queue, void *target, const void *source, size_t bytes,
                            cl_event *event)
{
    const struct ocl_context *context = queue->context;

    if (context->capability.address == OCL_ADDRESS_USM)
        return context->device->extension->enqueue_usm_copy(queue->cl, CL_FALSE, target, source,
                                                            bytes, 0, NULL, event);
    return clEnqueueSVMMemcpy(queue->cl, CL_FALSE, target, source, bytes, 0, NULL, event);
}

static ocl_status finish_enqueue(struct ocl_queue *queue, cl_int error)
{
    ocl_command_end(queue, error == CL_SUCCESS ? 1 : 0);
    return error;
}

ocl_status ocl_command_write(struct ocl_queue *queue, const struct ocl_place *target,
                             const void *source, size_t bytes, cl_event *event)
{
    const ocl_status status = ocl_command_begin(queue);

    if (status != OCL_OK)
        return status;
    if (!target->buffer)
        return finish_enqueue(queue, copy_pointers(queue, target->pointer, source, bytes, event));
    return finish_enqueue(queue,
                          clEnqueueWriteBuffer(queue->cl, target->buffer, CL_FALSE, target->offset,
                                               bytes, source, 0, NULL, event));
}

ocl_status ocl_command_write_now(struct ocl_queue *queue, const struct ocl_place *target,
                                 const void *source, size_t bytes)
{
    ocl_status status = ocl_command_begin(queue);

    if (status != OCL_OK)
        return status;
    status = ocl_gate_pass(queue);
    if (status == OCL_OK) {
        const int before = ocl_steady_begin();
        status = clEnqueueWriteBuffer(queue->cl, target->buffer, CL_TRUE, target->offset, bytes,
                                      source, 0, NULL, NULL);
        ocl_steady_end(before);
    }
    return finish_enqueue(queue, status);
}

ocl_status ocl_command_read(struct ocl_queue *queue, void *target, const struct ocl_place *source,
                            size_t bytes, cl_event *event)
{
    const ocl_status status = ocl_command_begin(queue);

    if (status != OCL_OK)
        return status;
    if (!source->buffer)
        return finish_enqueue(queue, copy_pointers(queue, target, source->pointer, bytes, event));
    return finish_enqueue(queue,
                          clEnqueueReadBuffer(queue->cl, source->buffer, CL_FALSE, source->offset,
                                              bytes, target, 0, NULL, event));
}

ocl_status ocl_command_copy(struct ocl_queue *queue, const struct ocl_place *target,
                            const struct ocl_place *source, size_t bytes)
{
    const ocl_status status = ocl_command_begin(queue);

    if (status != OCL_OK)
        return status;
    if (!source->buffer)
        return finish_enqueue(queue,
                              copy_pointers(queue, target->pointer, source->pointer, bytes, NULL));
    return finish_enqueue(queue, clEnqueueCopyBuffer(queue->cl, source->buffer, target->buffer,
                                                     source->offset, target->offset, bytes, 0, NULL,
                                                     NULL));
}

/* ---- Rectangles ---- */

/* What the rectangle commands want: a slice pitch that is a multiple of the row pitch and at least
 * as long as the rows.
 * Source: OpenCL 3.0, clEnqueueReadBufferRect. */
static bool is_legal(const struct ocl_command_rows *rows, const size_t extent[3])
{
    return rows->slice_bytes % rows->pitch == 0 && rows->slice_bytes >= rows->pitch * extent[1];
}

struct rect_call {
    struct ocl_queue *queue;
    const struct ocl_place *device;
    const struct ocl_command_rows *device_rows, *host_rows;
    const void *source;
    void *target; /* NULL when the device is the target */
};

/* Slices first .. first + extent[2] - 1. With one slice the slice pitches mean nothing: 0 lets the
 * driver compute them. */
static cl_int enqueue_slices(const struct rect_call *call, size_t first, const size_t extent[3])
{
    const size_t device_origin[3] = {call->device->offset + first * call->device_rows->slice_bytes,
                                     0, 0};
    const size_t host_origin[3] = {first * call->host_rows->slice_bytes, 0, 0};
    const size_t device_slice = extent[2] > 1 ? call->device_rows->slice_bytes : 0;
    const size_t host_slice = extent[2] > 1 ? call->host_rows->slice_bytes : 0;

    if (call->target)
        return clEnqueueReadBufferRect(call->queue->cl, call->device->buffer, CL_FALSE,
                                       device_origin, host_origin, extent, call->device_rows->pitch,
                                       device_slice, call->host_rows->pitch, host_slice,
                                       call->target, 0, NULL, NULL);
    return clEnqueueWriteBufferRect(call->queue->cl, call->device->buffer, CL_FALSE, device_origin,
                                    host_origin, extent, call->device_rows->pitch, device_slice,
                                    call->host_rows->pitch, host_slice, call->source, 0, NULL,
                                    NULL);
}

static ocl_status run_rect(const struct rect_call *call, const size_t extent[3])
{
    const bool at_once = is_legal(call->device_rows, extent) && is_legal(call->host_rows, extent);
    const size_t part[3] = {extent[0], extent[1], at_once ? extent[2] : 1};
    const ocl_status status = ocl_command_begin(call->queue);
    unsigned enqueued = 0;
    cl_int error = CL_SUCCESS;

    if (status != OCL_OK)
        return status;
    for (size_t slice = 0; slice < extent[2] && error == CL_SUCCESS; slice += part[2]) {
        error = enqueue_slices(call, slice, part);
        enqueued += error == CL_SUCCESS;
    }
    ocl_command_end(call->queue, enqueued);
    return error;
}

ocl_status ocl_command_write_rows(struct ocl_queue *queue, const struct ocl_place *device,
                                  const struct ocl_command_rows *device_rows, const void *host,
                                  const struct ocl_command_rows *host_rows, const size_t extent[3])
{
    const struct rect_call call = {queue, device, device_rows, host_rows, host, NULL};

    return run_rect(&call, extent);
}

ocl_status ocl_command_read_rows(struct ocl_queue *queue, const struct ocl_place *device,
                                 const struct ocl_command_rows *device_rows, void *host,
                                 const struct ocl_command_rows *host_rows, const size_t extent[3])
{
    const struct rect_call call = {queue, device, device_rows, host_rows, NULL, host};

    return run_rect(&call, extent);
}
