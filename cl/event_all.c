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
    struct ocl_queue_walk walk = {.context = context};
    struct ocl_queue *all = NULL;
    ocl_status status = ocl_queue_create(context, OCL_QUEUE_NON_BLOCKING, 0, &all);

    if (status != OCL_OK)
        return status;
    while (status == OCL_OK && ocl_queue_walk_on(&walk))
        status = wait_for_queue(all, walk.at);
    ocl_queue_walk_end(&walk);
    if (status == OCL_OK)
        status = ocl_event_record(event, all);
    ocl_queue_destroy(all);
    return status;
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

struct ocl_queue *ocl_queue_entrance(struct ocl_queue *queue)
{
    struct ocl_queue *entrance = atomic_load(&queue->context->entrance);

    if (!entrance || entrance == queue || !ocl_queue_is_behind(queue)->entrance ||
        ocl_queue_has_no_work(entrance) ||
        atomic_load(&queue->entered) == atomic_load(&entrance->submitted))
        return NULL;
    /* What a queue may still get that was destroyed is part of another's turn. */
    return ocl_queue_is_going(queue) ? NULL : entrance;
}

/* What the entrance has waited for, queue has waited for as well. */
static void take_over_waits(struct ocl_queue *queue, struct ocl_queue *entrance)
{
    struct ocl_queue_waits waits;

    ocl_queue_copy_waits(entrance, &waits);
    for (unsigned i = 0; i < OCL_QUEUE_WAITS; i++)
        if (waits.ids[i] != 0)
            ocl_queue_note_wait(queue, waits.ids[i], waits.positions[i]);
}

/* Another thread that comes here waits for the lock, and so its command comes behind the wait too. */
ocl_status ocl_queue_enter(struct ocl_queue *queue)
{
    struct ocl_queue *entrance = ocl_queue_entrance(queue);
    ocl_status status = OCL_OK;

    if (!entrance)
        return OCL_OK;
    pthread_mutex_lock(&queue->order_lock);
    const uint64_t position = atomic_load(&entrance->submitted);
    if (atomic_load(&queue->entered) != position)
        status = wait_for_queue(queue, entrance);
    if (status == OCL_OK) {
        atomic_store(&queue->entered, position);
        take_over_waits(queue, entrance);
    }
    pthread_mutex_unlock(&queue->order_lock);
    return status;
}
