/* Copies and fills that the host carries out when their turn in the queue has come, while the caller goes on: between
 * contexts, between two ranges of host memory, and from pageable memory that is not to be read before.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

#include "cl/base/deadline.h"
#include "cl/block/block.h"
#include "cl/context.h"
#include "cl/memory/allocation.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"
#include "cl/transfer/transfer_private.h"

/* How long a copy whose turn has come waits for memory: a device that is lost may speak of nothing but memory. */
enum { PATIENCE_MS = 1000, LONGEST_PAUSE_MS = 16 };

/* Queues of its own keep the contexts of both ends open until the turn is over, and references the memory. */
struct passage {
    struct ocl_transfer transfer;
    struct ocl_queue *from,
        *to; /* NULL: that end is the context's that the turn is in, and needs no command */
};

static void end_passage(struct passage *passage)
{
    ocl_side_release(&passage->transfer.source);
    ocl_side_release(&passage->transfer.target);
    if (passage->from)
        ocl_queue_release(passage->from);
    if (passage->to)
        ocl_queue_release(passage->to);
    free(passage);
}

/* The end that is device memory is reached by commands of its own context alone. */
static ocl_status run_on(struct ocl_transfer *transfer, struct ocl_queue *queue)
{
    transfer->queue = queue;
    transfer->limits = ocl_plan_limits(queue->context->device->facts.device_class);
    transfer->wait = OCL_WAIT_ALL;
    return ocl_transfer_run(transfer);
}

static ocl_status run(struct passage *passage)
{
    struct ocl_transfer *transfer = &passage->transfer;

    if (ocl_transfer_is_between_devices(transfer))
        return ocl_transfer_pass_by_host(transfer, passage->from, passage->to);
    if (transfer->target.kind == OCL_SIDE_DEVICE)
        return run_on(transfer, passage->to);
    if (transfer->source.kind == OCL_SIDE_DEVICE)
        return run_on(transfer, passage->from);
    ocl_transfer_copy_by_host(transfer);
    return OCL_OK;
}

/* Not where the work has failed already: nothing is given there any more. */
static bool is_short(const struct passage *passage, ocl_status status)
{
    return ocl_block_status(status) == OCL_E_OUT_OF_MEMORY &&
           ocl_context_failure(passage->transfer.queue->context) == OCL_OK;
}

/* Memory that is short for a moment is no reason to fail for good, and the same bytes may be copied once more. */
static ocl_status run_patiently(struct passage *passage)
{
    const uint64_t end = ocl_deadline_after(PATIENCE_MS);
    ocl_status status = run(passage);

    for (long pause = 1; is_short(passage, status) && ocl_now() < end;
         pause = pause < LONGEST_PAUSE_MS ? 2 * pause : pause) {
        nanosleep(&(struct timespec){.tv_nsec = pause * 1000000}, NULL);
        status = run(passage);
    }
    return status;
}

/* What fails here nobody waits for: like a command's failure it becomes the context's. */
static void run_passage(void *data, ocl_status status)
{
    struct passage *passage = data;
    struct ocl_context *context = passage->transfer.queue->context;

    const bool moves = ocl_sides_begin(&passage->transfer.source, &passage->transfer.target);
    if (status == OCL_OK)
        status = run_patiently(passage);
    if (moves)
        ocl_sides_end();
    if (status != OCL_OK)
        (void)ocl_context_fail(context, status);
    end_passage(passage);
}

/* A queue that lives as long as the reference: nobody else destroys it, and its context does not close
 * before it is gone. */
ocl_status ocl_transfer_borrow_queue(struct ocl_context *context, struct ocl_queue **queue)
{
    struct ocl_queue *made = NULL;
    const ocl_status status = ocl_queue_create(context, OCL_QUEUE_NON_BLOCKING, 0, &made);

    if (status != OCL_OK)
        return status;
    (void)ocl_queue_retain(made);
    ocl_queue_destroy(made);
    *queue = made;
    return OCL_OK;
}

static ocl_status borrow_for(const struct ocl_side *side, const struct ocl_queue *given,
                             struct ocl_queue **queue)
{
    const struct ocl_allocation *allocation = side->allocation;

    return allocation && (side->kind == OCL_SIDE_DEVICE || allocation->context != given->context)
               ? ocl_transfer_borrow_queue(allocation->context, queue)
               : OCL_OK;
}

static bool is_foreign(const struct ocl_side *side, const struct ocl_queue *queue)
{
    return side->allocation->context != queue->context;
}

static bool is_read_late(const struct ocl_transfer *transfer)
{
    return transfer->wait == OCL_WAIT_TARGET && transfer->source.kind == OCL_SIDE_PAGEABLE &&
           transfer->target.kind != OCL_SIDE_PAGEABLE;
}

/* When its turn is now, the host is as good as anybody; but for device memory of another context, whose queue may have
 * other things to wait for. */
bool ocl_transfer_goes_later(const struct ocl_transfer *transfer)
{
    const struct ocl_side *source = &transfer->source, *target = &transfer->target;

    if (is_read_late(transfer))
        return !ocl_queue_is_idle(transfer->queue);
    if (transfer->wait == OCL_WAIT_ALL || source->kind == OCL_SIDE_PAGEABLE ||
        target->kind == OCL_SIDE_PAGEABLE)
        return false;
    if ((source->kind == OCL_SIDE_DEVICE && is_foreign(source, transfer->queue)) ||
        (target->kind == OCL_SIDE_DEVICE && is_foreign(target, transfer->queue)))
        return true;
    /* Two commands go through a third place, which is waited for. */
    if (ocl_transfer_overlaps(transfer))
        return !ocl_queue_is_idle(transfer->queue) ||
               !transfer->queue->context->capability.device_is_host_memory;
    const bool has_device_end = source->kind == OCL_SIDE_DEVICE || target->kind == OCL_SIDE_DEVICE;
    const bool needs_host = !has_device_end || is_foreign(source, transfer->queue) ||
                            is_foreign(target, transfer->queue);
    return needs_host && !ocl_queue_is_idle(transfer->queue);
}

/* Pinned memory of another context is in no order of that context's. */
static struct ocl_queue *owner(const struct ocl_side *side, struct ocl_queue *borrowed)
{
    return side->kind == OCL_SIDE_DEVICE ? borrowed : NULL;
}

/* Takes over the passage. */
static ocl_status give_turn(struct ocl_queue *queue, struct passage *passage)
{
    const struct ocl_transfer *transfer = &passage->transfer;
    struct ocl_turn turn;
    ocl_status status = ocl_turn_begin(&turn, queue, owner(&transfer->source, passage->from),
                                       owner(&transfer->target, passage->to));

    if (status == OCL_OK)
        status = ocl_queue_in_turn(queue, run_passage, passage);
    if (status != OCL_OK)
        end_passage(passage);
    return ocl_turn_end(&turn, status);
}

ocl_status ocl_transfer_later(struct ocl_transfer *transfer)
{
    struct ocl_queue *queue = transfer->queue;
    struct passage *passage = calloc(1, sizeof *passage);

    if (!passage)
        return OCL_E_OUT_OF_MEMORY;
    passage->transfer = *transfer;
    transfer->source.allocation = NULL; /* the references go with it */
    transfer->target.allocation = NULL;
    ocl_status status = borrow_for(&passage->transfer.source, queue, &passage->from);
    if (status == OCL_OK)
        status = borrow_for(&passage->transfer.target, queue, &passage->to);
    if (status == OCL_OK)
        return give_turn(queue, passage);
    end_passage(passage);
    return status;
}
