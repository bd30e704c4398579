/* Rectangles and volumes between pinned host memory and a device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/allocation.h"
#include "cl/memory/transfer_command.h"
#include "cl/queue/queue_private.h"
#include "cl/transfer/transfer_kernel.h"
#include "cl/transfer/transfer_private.h"

/* More commands than this for one copy, where slices must go one by one, and a kernel is better. */
enum { MANY_SLICES = 64 };

static bool is_write(const struct ocl_transfer *transfer)
{
    return transfer->target.kind == OCL_SIDE_DEVICE;
}

/* The commands refuse rows that overlap, and memory without a cl_mem. */
static bool allows_command(const struct ocl_transfer *transfer)
{
    const struct ocl_copy *copy = &transfer->copy;
    const struct ocl_side *device = is_write(transfer) ? &transfer->target : &transfer->source;

    return device->allocation->block->buffer && copy->source.pitch >= copy->width &&
           copy->target.pitch >= copy->width;
}

static bool allows_kernel(const struct ocl_transfer *transfer)
{
    return ocl_side_is_reached(&transfer->source, transfer->queue->context) &&
           ocl_side_is_reached(&transfer->target, transfer->queue->context);
}

static bool prefers_command(const struct ocl_transfer *transfer)
{
    const struct ocl_copy *copy = &transfer->copy;

    if (copy->width >= transfer->limits->rect_command_row)
        return copy->depth <= MANY_SLICES;
    return copy->depth == 1 && copy->height <= transfer->limits->rect_command_rows;
}

static ocl_status copy_by_command(struct ocl_transfer *transfer)
{
    const struct ocl_copy *copy = &transfer->copy;
    const size_t extent[3] = {copy->width, copy->height, copy->depth};
    const struct ocl_command_rows source_rows = {copy->source.pitch, copy->source.slice_bytes};
    const struct ocl_command_rows target_rows = {copy->target.pitch, copy->target.slice_bytes};

    if (is_write(transfer)) {
        const struct ocl_place device = ocl_side_place(&transfer->target, copy->target.address);
        return ocl_command_write_rows(transfer->queue, &device, &target_rows,
                                      (const void *)(uintptr_t)copy->source.address, &source_rows,
                                      extent);
    }
    const struct ocl_place device = ocl_side_place(&transfer->source, copy->source.address);
    return ocl_command_read_rows(transfer->queue, &device, &source_rows,
                                 (void *)(uintptr_t)copy->target.address, &target_rows, extent);
}

static ocl_status copy_by_kernel(struct ocl_transfer *transfer)
{
    struct ocl_copy copy = transfer->copy;

    copy.source.address = transfer->source.kernel_address;
    copy.target.address = transfer->target.kernel_address;
    return ocl_transfer_kernel_copy(transfer->queue, &copy);
}

/* Neither a command nor a kernel can take the host's rows when their turn comes: the host does, here if the caller waits.
 */
static ocl_status copy_in_turn(struct ocl_transfer *transfer)
{
    if (transfer->wait != OCL_WAIT_ALL && !ocl_queue_is_idle(transfer->queue))
        return ocl_transfer_later(transfer);
    const ocl_status status = ocl_queue_settle(transfer->queue);
    if (status != OCL_OK)
        return status;
    return is_write(transfer) ? ocl_transfer_write_staged(transfer)
                              : ocl_transfer_read_staged(transfer);
}

/* Drivers may find a rectangle out of bounds whose last rows' gaps are: what they refuse goes the other way. */
ocl_status ocl_transfer_pinned_rect(struct ocl_transfer *transfer)
{
    const bool is_kernel_able = allows_kernel(transfer);

    if (allows_command(transfer) && (prefers_command(transfer) || !is_kernel_able)) {
        const ocl_status status = copy_by_command(transfer);
        if (status != CL_INVALID_VALUE)
            return status;
    }
    return is_kernel_able ? copy_by_kernel(transfer) : copy_in_turn(transfer);
}
