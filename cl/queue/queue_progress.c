/* How far queues are, as far as that is known; asks the driver about single events only.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/queue_private.h"

void ocl_counter_raise(_Atomic uint64_t *counter, uint64_t value)
{
    uint64_t now = atomic_load(counter);

    while (now < value && !atomic_compare_exchange_weak(counter, &now, value)) {
    }
}

/* What the legacy queue has waited for is complete when it has come past that. Both notes only grow, and what belongs to
 * seen_by_legacy was written to seen_until first. */
static void learn_from_legacy(struct ocl_queue *queue)
{
    const uint64_t seen = atomic_load(&queue->seen_by_legacy);

    if (atomic_load(&queue->context->legacy->finished) >= atomic_load(&queue->seen_until))
        ocl_counter_raise(&queue->finished, seen);
}

bool ocl_queue_has_no_work(struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);

    if (queue->kind == OCL_QUEUE_BLOCKING && atomic_load(&queue->finished) < submitted)
        learn_from_legacy(queue);
    return atomic_load(&queue->finished) >= submitted;
}

static cl_int ask_state(cl_event event, cl_int *state)
{
    return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *state, state, NULL);
}

cl_int ocl_event_state(cl_event event)
{
    cl_int state = CL_QUEUED;
    const cl_int asked = ask_state(event, &state);

    return asked == CL_SUCCESS ? state : asked;
}

cl_int ocl_event_news(cl_event event)
{
    cl_int state = CL_QUEUED;

    return ask_state(event, &state) == CL_SUCCESS ? state : CL_QUEUED;
}

/* Reading id before and after: the counters between are then those of the queue that had it. */
bool ocl_queue_has_finished(const struct ocl_queue *queue, uint64_t id, uint64_t position)
{
    if (atomic_load(&queue->id) != id)
        return false;
    const uint64_t finished = atomic_load(&queue->finished);
    return finished >= position && atomic_load(&queue->id) == id;
}

void ocl_queue_note_finished(struct ocl_queue *queue, uint64_t id, uint64_t position)
{
    pthread_mutex_lock(&queue->lock);
    if (atomic_load(&queue->id) == id)
        ocl_counter_raise(&queue->finished, position);
    pthread_mutex_unlock(&queue->lock);
}

/* A command that another thread counted meanwhile may be behind the reading. */
void ocl_queue_note_reading(struct ocl_queue *queue, uint64_t id, uint64_t position)
{
    pthread_mutex_lock(&queue->lock);
    if (atomic_load(&queue->id) == id) {
        const bool is_last = atomic_load(&queue->submitted) == position + 1;
        ocl_counter_raise(&queue->finished, position + is_last);
    }
    pthread_mutex_unlock(&queue->lock);
}
