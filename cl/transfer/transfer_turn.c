/* Turns of a legacy queue that work on memory of other contexts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/queue_private.h"
#include "cl/transfer/transfer_private.h"

static bool takes_part(const struct ocl_turn *turn, const struct ocl_queue *other)
{
    const struct ocl_queue *first = turn->others[0];

    return turn->queue->kind == OCL_QUEUE_LEGACY && other &&
           other->context != turn->queue->context && !(first && first->context == other->context);
}

ocl_status ocl_turn_begin(struct ocl_turn *turn, struct ocl_queue *queue, struct ocl_queue *first,
                          struct ocl_queue *second)
{
    ocl_status status = OCL_OK;

    *turn = (struct ocl_turn){.queue = queue};
    if (takes_part(turn, first) && ocl_queue_retain(first))
        turn->others[0] = first;
    if (takes_part(turn, second) && ocl_queue_retain(second))
        turn->others[turn->others[0] ? 1 : 0] = second;
    for (unsigned i = 0; status == OCL_OK && i < 2 && turn->others[i]; i++) {
        struct ocl_context *context = turn->others[i]->context;
        if (!ocl_queues_are_idle(context))
            status = ocl_event_follow(queue, context->legacy);
    }
    return status;
}

ocl_status ocl_turn_end(struct ocl_turn *turn, ocl_status status)
{
    for (unsigned i = 0; i < 2 && turn->others[i]; i++) {
        if (status == OCL_OK)
            status = ocl_event_follow(turn->others[i]->context->legacy, turn->queue);
        ocl_queue_release(turn->others[i]);
    }
    return status;
}
