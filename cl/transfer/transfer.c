/* Copies: what both ends are, and who carries them out.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer.h"

#include "cl/check.h"
#include "cl/check/check_transfer.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/memory/uses.h"
#include "cl/queue/queue_private.h"
#include "cl/queue/waited.h"
#include "cl/transfer/transfer_private.h"

static bool is_foreign(const struct ocl_side *side, const struct ocl_queue *queue)
{
    return side->allocation && side->allocation->context != queue->context;
}

static bool is_foreign_device(const struct ocl_side *side, const struct ocl_queue *queue)
{
    return side->kind == OCL_SIDE_DEVICE && is_foreign(side, queue);
}

ocl_status ocl_transfer_copy(struct ocl_queue *queue, const struct ocl_copy *copy,
                             enum ocl_transfer_wait wait)
{
    const struct ocl_copy_holds holds = {ocl_address_acquire(copy->source.address),
                                         ocl_address_acquire(copy->target.address)};

    return ocl_transfer_copy_held(queue, copy, holds, wait);
}

static void check(struct ocl_queue *queue, const struct ocl_copy *copy, enum ocl_transfer_wait wait)
{
    const struct ocl_check_rows source = {copy->source.address, copy->source.pitch,
                                          copy->source.slice_bytes},
                                target = {copy->target.address, copy->target.pitch,
                                          copy->target.slice_bytes};
    const struct ocl_check_shape shape = {copy->width, copy->height, copy->depth};
    ocl_transfer_check(queue, &target, &source, &shape, wait);
}

/* Memory whose bytes the host writes and reads as it likes, at the address that the side has. */
static bool is_pinned(const struct ocl_side *side)
{
    const struct ocl_allocation *allocation = side->allocation;
    return allocation &&
           (allocation->kind == OCL_MEMORY_HOST || allocation->kind == OCL_MEMORY_REGISTERED ||
            (allocation->kind == OCL_MEMORY_MANAGED &&
             allocation->context->capability.managed == OCL_MANAGED_IN_HOST));
}

/* Ends are named as kernels know them. */
static void check_order(const struct ocl_transfer *transfer)
{
    const struct ocl_copy *copy = &transfer->copy;
    const struct ocl_stream stream = ocl_queue_stream(transfer->queue);
    const struct ocl_side *const from = &transfer->source, *const to = &transfer->target;
    const struct ocl_check_rows source = {from->allocation ? from->address : 0, copy->source.pitch,
                                          copy->source.slice_bytes},
                                target = {to->address, copy->target.pitch,
                                          copy->target.slice_bytes};
    const struct ocl_check_shape shape = {copy->width, copy->height, copy->depth};
    ocl_check_transfer(&stream, to->allocation ? &target : NULL, &source, &shape, is_pinned(from));
}

/* The host knows a copy to be complete that it waits for, or that writes to pageable memory. */
static void note_complete(const struct ocl_transfer *transfer, enum ocl_transfer_wait wait)
{
    const struct ocl_stream stream = ocl_queue_stream(transfer->queue);
    if (wait == OCL_WAIT_ALL || transfer->target.kind == OCL_SIDE_PAGEABLE)
        ocl_stream_finished(&stream);
}

ocl_status ocl_transfer_copy_held(struct ocl_queue *queue, const struct ocl_copy *copy,
                                  struct ocl_copy_holds holds, enum ocl_transfer_wait wait)
{
    struct ocl_transfer transfer = {
        .queue = queue,
        .limits = ocl_plan_limits(queue->context->device->facts.device_class),
        .copy = *copy,
        .source = ocl_side_in(holds.source, copy->source.address),
        .target = ocl_side_in(holds.target, copy->target.address),
        .wait = wait,
    };
    check(queue, copy, wait);
    if (ocl_check_wants(OCL_CHECK_RACE))
        check_order(&transfer);
    const bool moves = ocl_sides_begin(&transfer.source, &transfer.target);
    ocl_status status;

    ocl_plan_collapse(&transfer.copy);
    transfer.copy.source.address = transfer.source.address;
    transfer.copy.target.address = transfer.target.address;
    const bool goes_later = ocl_transfer_goes_later(&transfer);
    /* Freeing memory waits for its own context's work only, and so does not protect it from this
     * queue. */
    if (is_foreign(&transfer.source, queue) || is_foreign(&transfer.target, queue))
        transfer.wait = OCL_WAIT_ALL;
    if (goes_later)
        status = ocl_transfer_later(&transfer);
    else if (is_foreign_device(&transfer.source, queue) ||
             is_foreign_device(&transfer.target, queue))
        status = ocl_transfer_run_foreign(&transfer);
    else
        status = ocl_transfer_run(&transfer);
    if (moves)
        ocl_sides_end();
    if (status == OCL_OK) {
        note_complete(&transfer, wait);
        ocl_use_note(transfer.source.allocation, queue);
        ocl_use_note(transfer.target.allocation, queue);
    }
    ocl_side_release(&transfer.source);
    ocl_side_release(&transfer.target);
    return status == OCL_OK && wait == OCL_WAIT_ALL
               ? ocl_waited(queue->context, OCL_WAITED_FOR_COPY, status)
               : status;
}
