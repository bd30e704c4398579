/* The commands of a copy, whatever the address strategy makes of device memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/transfer_command.h"

#include "cl/base/steady.h"
#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"

static ocl_status finish_enqueue(struct ocl_command *command, cl_int error)
{
    ocl_command_end(command);
    return error;
}

ocl_status ocl_command_write(struct ocl_queue *queue, const struct ocl_place *target,
                             const void *source, size_t bytes, cl_event *event)
{
    struct ocl_command command;
    const ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY);

    if (status != OCL_OK)
        return status;
    if (!target->buffer)
        return finish_enqueue(
            &command, ocl_enqueue_pointer_copy(&command, target->pointer, source, bytes, event));
    return finish_enqueue(&command, ocl_enqueue_write(&command, target->buffer, false,
                                                      target->offset, bytes, source, event));
}

ocl_status ocl_command_write_now(struct ocl_queue *queue, const struct ocl_place *target,
                                 const void *source, size_t bytes)
{
    struct ocl_command command;
    ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY);

    if (status != OCL_OK)
        return status;
    status = ocl_gate_pass(queue);
    if (status == OCL_OK) {
        const int before = ocl_steady_begin();
        status =
            ocl_enqueue_write(&command, target->buffer, true, target->offset, bytes, source, NULL);
        ocl_steady_end(before);
    }
    return finish_enqueue(&command, status);
}

ocl_status ocl_command_read(struct ocl_queue *queue, void *target, const struct ocl_place *source,
                            size_t bytes, cl_event *event)
{
    struct ocl_command command;
    const ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY);

    if (status != OCL_OK)
        return status;
    if (!source->buffer)
        return finish_enqueue(
            &command, ocl_enqueue_pointer_copy(&command, target, source->pointer, bytes, event));
    return finish_enqueue(
        &command, ocl_enqueue_read(&command, source->buffer, source->offset, bytes, target, event));
}

ocl_status ocl_command_copy(struct ocl_queue *queue, const struct ocl_place *target,
                            const struct ocl_place *source, size_t bytes)
{
    struct ocl_command command;
    const ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY);

    if (status != OCL_OK)
        return status;
    if (!source->buffer)
        return finish_enqueue(&command, ocl_enqueue_pointer_copy(&command, target->pointer,
                                                                 source->pointer, bytes, NULL));
    return finish_enqueue(&command, ocl_enqueue_copy(&command, source->buffer, target->buffer,
                                                     source->offset, target->offset, bytes, NULL));
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
static cl_int enqueue_slices(const struct rect_call *call, struct ocl_command *command,
                             size_t first, const size_t extent[3])
{
    const struct ocl_command_rows *on_device = call->device_rows, *on_host = call->host_rows;
    const bool has_slices = extent[2] > 1;
    const struct ocl_rows device = {
        {call->device->offset + first * on_device->slice_bytes, 0, 0},
        on_device->pitch,
        has_slices ? on_device->slice_bytes : 0,
    };
    const struct ocl_rows host = {
        {first * on_host->slice_bytes, 0, 0},
        on_host->pitch,
        has_slices ? on_host->slice_bytes : 0,
    };

    return call->target ? ocl_enqueue_read_rows(command, call->device->buffer, &device,
                                                call->target, &host, extent)
                        : ocl_enqueue_write_rows(command, call->device->buffer, &device,
                                                 call->source, &host, extent);
}

static ocl_status run_rect(const struct rect_call *call, const size_t extent[3])
{
    const bool at_once = is_legal(call->device_rows, extent) && is_legal(call->host_rows, extent);
    const size_t part[3] = {extent[0], extent[1], at_once ? extent[2] : 1};
    struct ocl_command command;
    const ocl_status status = ocl_command_begin(&command, call->queue, OCL_COMMAND_MEMORY);
    cl_int error = CL_SUCCESS;

    if (status != OCL_OK)
        return status;
    for (size_t slice = 0; slice < extent[2] && error == CL_SUCCESS; slice += part[2])
        error = enqueue_slices(call, &command, slice, part);
    return finish_enqueue(&command, error);
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
