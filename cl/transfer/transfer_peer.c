/* Copies that touch memory of another context than the queue's: waited for, and through the host
 * between two devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/memory/allocation.h"
#include "cl/queue/queue_private.h"
#include "cl/transfer/staging.h"
#include "cl/transfer/transfer_private.h"

/* Bytes that are on the host at a time on their way between two devices. */
enum { PASSING_BYTES = 16 * 1024 * 1024 };

/* The queue that works on a device end: the call's own where it can. */
static ocl_status queue_for(const struct ocl_side *side, struct ocl_queue *given,
                            struct ocl_queue **queue)
{
    struct ocl_context *context = side->allocation->context;

    if (context == given->context) {
        *queue = given;
        return OCL_OK;
    }
    return ocl_staging_queue(context->staging, given, queue);
}

/* The same transfer with one end replaced by pageable memory at address, run to its end on queue.
 */
static ocl_status run_half(const struct ocl_transfer *whole, struct ocl_queue *queue,
                           const struct ocl_copy *copy, bool is_read)
{
    const struct ocl_copy_end *host = is_read ? &copy->target : &copy->source;
    const struct ocl_side passing = {.kind = OCL_SIDE_PAGEABLE, .address = host->address};
    struct ocl_transfer half = {
        .queue = queue,
        .limits = ocl_plan_limits(queue->context->device->facts.device_class),
        .copy = *copy,
        .source = is_read ? whole->source : passing,
        .target = is_read ? passing : whole->target,
        .wait = OCL_WAIT_ALL,
    };

    ocl_plan_collapse(&half.copy);
    return ocl_transfer_run(&half);
}

static ocl_status pass(const struct ocl_transfer *transfer, struct ocl_queue *from,
                       struct ocl_queue *to, void *memory, size_t bytes)
{
    struct ocl_cursor cursor = {0};
    struct ocl_copy portion;
    ocl_status status = OCL_OK;

    while (status == OCL_OK && ocl_plan_next(&transfer->copy, bytes, &cursor, &portion)) {
        const struct ocl_copy_end packed = {(uint64_t)(uintptr_t)memory, portion.width,
                                            portion.width * portion.height};
        struct ocl_copy half = portion;
        half.target = packed;
        status = run_half(transfer, from, &half, true);
        half = portion;
        half.source = packed;
        if (status == OCL_OK)
            status = run_half(transfer, to, &half, false);
    }
    return status;
}

ocl_status ocl_transfer_pass_by_host(const struct ocl_transfer *transfer, struct ocl_queue *from,
                                     struct ocl_queue *to)
{
    const size_t total = ocl_plan_bytes(&transfer->copy);
    const size_t bytes = total < PASSING_BYTES ? total : PASSING_BYTES;
    void *memory = malloc(bytes);

    if (!memory)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = pass(transfer, from, to, memory, bytes);
    free(memory);
    return status;
}

static ocl_status copy_between_devices(const struct ocl_transfer *transfer)
{
    struct ocl_queue *from, *to;
    ocl_status status = queue_for(&transfer->source, transfer->queue, &from);

    if (status == OCL_OK)
        status = queue_for(&transfer->target, transfer->queue, &to);
    return status == OCL_OK ? ocl_transfer_pass_by_host(transfer, from, to) : status;
}

bool ocl_transfer_is_between_devices(const struct ocl_transfer *transfer)
{
    return transfer->source.kind == OCL_SIDE_DEVICE && transfer->target.kind == OCL_SIDE_DEVICE &&
           transfer->source.allocation->context != transfer->target.allocation->context;
}

/* All device ends are in one context, though not the queue's. */
static ocl_status copy_elsewhere(struct ocl_transfer *transfer)
{
    const struct ocl_side *device =
        transfer->target.kind == OCL_SIDE_DEVICE ? &transfer->target : &transfer->source;
    struct ocl_queue *queue;
    const ocl_status status = queue_for(device, transfer->queue, &queue);

    if (status != OCL_OK)
        return status;
    transfer->queue = queue;
    transfer->limits = ocl_plan_limits(queue->context->device->facts.device_class);
    transfer->wait = OCL_WAIT_ALL;
    return ocl_transfer_run(transfer);
}

ocl_status ocl_transfer_run_foreign(struct ocl_transfer *transfer)
{
    const ocl_status status = ocl_queue_settle(transfer->queue);

    if (status != OCL_OK)
        return status;
    if (ocl_transfer_is_between_devices(transfer))
        return copy_between_devices(transfer);
    return copy_elsewhere(transfer);
}
