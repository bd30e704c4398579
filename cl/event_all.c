/* Events of a whole context: behind the work of all its queues, and before it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/event.h"
#include "cl/queue_private.h"

/* Makes queue wait for all that another queue has got so far. */
static ocl_status wait_for_queue(struct ocl_queue *queue, struct ocl_queue *other)
{
    uint64_t position;
    cl_event mark;

    if (other == queue || ocl_queue_has_no_work(other))
        return OCL_OK;
    ocl_status status = ocl_queue_mark(other, &mark, &position);
    if (status != OCL_OK)
        return status;
    status = ocl_queue_hold(queue, 1, &mark);
    clReleaseEvent(mark);
    return status;
}

/* A queue of its own gathers the others' work: it goes when that is complete. */
ocl_status ocl_event_record_all(struct ocl_event *event)
{
    struct ocl_context *context = ocl_event_context(event);
    struct ocl_queue *all = NULL, *queue;
    uint64_t cursor = UINT64_MAX;
    ocl_status status = ocl_queue_create(context, OCL_QUEUE_NON_BLOCKING, 0, &all);

    if (status != OCL_OK)
        return status;
    while (status == OCL_OK && (queue = ocl_queue_next(context, &cursor)) != NULL) {
        status = wait_for_queue(all, queue);
        ocl_queue_release(queue);
    }
    if (status == OCL_OK)
        status = ocl_event_record(event, all);
    ocl_queue_destroy(all);
    return status;
}

/* The queue that waits for everything that the whole context waits for, so that queues made later
 * can wait for it. */
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
    struct ocl_queue *queue;
    uint64_t cursor = UINT64_MAX;
    ocl_status status = find_entrance(context, &queue);

    while (status == OCL_OK && (queue = ocl_queue_next(context, &cursor)) != NULL) {
        if (!ocl_queue_is_going(
                queue)) /* what such a queue may still get is part of another's turn */
            status = ocl_event_wait_in_queue(event, queue);
        ocl_queue_release(queue);
    }
    return status;
}

ocl_status ocl_queue_enter(struct ocl_queue *queue)
{
    struct ocl_queue *entrance = atomic_load(&queue->context->entrance);

    return entrance ? wait_for_queue(queue, entrance) : OCL_OK;
}
