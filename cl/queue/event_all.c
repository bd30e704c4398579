/* Events of a whole context: behind the work of all its queues, and before it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/event.h"
#include "cl/queue/queue_private.h"

/* A queue of its own gathers the others' work: it goes when that is complete. The next one need not wait for it. */
ocl_status ocl_event_record_all(struct ocl_event *event)
{
    struct ocl_context *context = ocl_event_context(event);
    struct ocl_queue_walk walk = {.context = context};
    struct ocl_queue *all = NULL;
    ocl_status status = ocl_queue_create(context, OCL_QUEUE_NON_BLOCKING, 0, &all);

    if (status != OCL_OK)
        return status;
    atomic_store(&all->is_covered, true);
    while (status == OCL_OK && ocl_queue_walk_on(&walk))
        if (!atomic_load(&walk.at->is_covered))
            status = ocl_queue_wait_for(all, walk.at);
    ocl_queue_walk_end(&walk);
    if (status == OCL_OK)
        status = ocl_event_record(event, all);
    ocl_queue_destroy(all);
    return status;
}

/* Of the whole context, or of one queue of it. */
static ocl_status follow(struct ocl_queue *queue, struct ocl_context *context,
                         struct ocl_queue *other)
{
    struct ocl_event *before;
    ocl_status status = ocl_event_create(context, false, &before);

    if (status != OCL_OK)
        return status;
    status = other ? ocl_event_record(before, other) : ocl_event_record_all(before);
    if (status == OCL_OK)
        status = ocl_event_wait_in_queue(before, queue);
    ocl_event_destroy(before);
    return status;
}

ocl_status ocl_event_follow_all(struct ocl_queue *queue, struct ocl_context *context)
{
    return follow(queue, context, NULL);
}

ocl_status ocl_event_follow(struct ocl_queue *queue, struct ocl_queue *other)
{
    return follow(queue, other->context, other);
}

/* The queue that waits for everything that the whole context waits for, and that each other queue waits for before its next
 * command. */
static ocl_status find_entrance(struct ocl_context *context, struct ocl_queue **entrance)
{
    struct ocl_queue *none = NULL;

    *entrance = atomic_load(&context->entrance);
    if (*entrance)
        return OCL_OK;
    const ocl_status status = ocl_queue_create(context, OCL_QUEUE_NON_BLOCKING, 0, entrance);
    if (status != OCL_OK || atomic_compare_exchange_strong(&context->entrance, &none, *entrance))
        return status;
    ocl_queue_destroy(*entrance); /* another thread was first */
    *entrance = none;
    return OCL_OK;
}

ocl_status ocl_event_wait_in_all(struct ocl_event *event, struct ocl_context *context)
{
    struct ocl_queue *entrance;
    const ocl_status status = find_entrance(context, &entrance);

    return status == OCL_OK ? ocl_event_wait_in_queue(event, entrance) : status;
}
