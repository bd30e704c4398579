/* What all queues of a context wait for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/queue_private.h"

ocl_status ocl_queue_wait_for(struct ocl_queue *queue, struct ocl_queue *other)
{
    uint64_t position;
    cl_event mark;
    const struct ocl_stream stream = ocl_queue_stream(queue);

    ocl_stream_follow(&stream, atomic_load(&other->id));
    if (other == queue || ocl_queue_has_no_work(other))
        return OCL_OK;
    ocl_status status = ocl_queue_mark(other, &mark, &position);
    if (status != OCL_OK)
        return status;
    status = ocl_queue_hold(queue, 1, &mark);
    clReleaseEvent(mark);
    return status;
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
        status = ocl_queue_wait_for(queue, entrance);
    if (status == OCL_OK) {
        atomic_store(&queue->entered, position);
        take_over_waits(queue, entrance);
    }
    pthread_mutex_unlock(&queue->order_lock);
    return status;
}
