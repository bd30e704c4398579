/* In-order queues: making, destroying and closing them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue.h"

#include <assert.h>
#include <stdlib.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/queue/queue_private.h"
#include "cl/state/paging.h"
#include "cl/trace.h"

/* How long closing waits for the callbacks of a context that has failed; of one that was abandoned some never come. */
enum { FAILED_CLOSE_MS = 1000 };

/* ---- Making and destroying ---- */

/* The context's first queue: what the others are like is found out for it. */
static ocl_status open_legacy(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;

    assert(!context->legacy);
    ocl_stamp_choose(context);
    context->tuning = ocl_queue_tuning_of(context);
    const ocl_status status = ocl_queue_open(queue);
    if (status == OCL_OK)
        context->legacy = queue;
    else
        ocl_stamp_close(context);
    return status;
}

ocl_status ocl_queue_create(struct ocl_context *context, enum ocl_queue_kind kind, int priority,
                            struct ocl_queue **queue)
{
    struct ocl_queue *made = ocl_queue_take(context, kind, priority);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    if (kind == OCL_QUEUE_LEGACY) {
        const ocl_status status = open_legacy(made);
        if (status != OCL_OK) {
            ocl_queue_give(made);
            return status;
        }
    }
    ocl_queue_link(made);
    *queue = made;
    return OCL_OK;
}

static void release_task(struct ocl_worker_task *task)
{
    struct ocl_queue *queue =
        (struct ocl_queue *)((char *)task - offsetof(struct ocl_queue, release));

    ocl_queue_release(queue);
}

/* A queue whose end the driver is to tell; it may be gone when the driver does. */
struct awaited_end {
    struct ocl_queue *queue;
    uint64_t id;
};

/* Whether the owner's reference to the queue with this id is the caller's to give back: once. */
static bool take_release(struct ocl_queue *queue, uint64_t id)
{
    pthread_mutex_lock(&queue->lock);
    const bool is_mine = atomic_load(&queue->id) == id && queue->awaits_release;
    if (is_mine)
        queue->awaits_release = false;
    pthread_mutex_unlock(&queue->lock);
    return is_mine;
}

static void CL_CALLBACK post_release(cl_event event, cl_int status, void *data)
{
    const struct awaited_end end = *(struct awaited_end *)data;

    (void)event;
    (void)status;
    free(data);
    if (take_release(end.queue, end.id))
        ocl_worker_post(end.queue->context->bridge, &end.queue->release);
}

static ocl_status await_end(struct ocl_queue *queue, cl_event event)
{
    struct awaited_end *end = malloc(sizeof *end);

    if (!end)
        return OCL_E_OUT_OF_MEMORY;
    *end = (struct awaited_end){queue, atomic_load(&queue->id)};
    pthread_mutex_lock(&queue->lock);
    queue->awaits_release = true;
    pthread_mutex_unlock(&queue->lock);
    const cl_int error = clSetEventCallback(event, CL_COMPLETE, post_release, end);
    if (error == CL_SUCCESS)
        return OCL_OK;
    take_release(queue, end->id);
    free(end);
    return error;
}

/* Leaves the caller's reference with the bridge worker, which gives it back once the work is
 * complete. */
static ocl_status release_when_done(struct ocl_queue *queue)
{
    uint64_t position;
    cl_event event;
    ocl_status status = ocl_worker_start(queue->context->bridge);

    if (status == OCL_OK)
        status = ocl_queue_mark(queue, &event, &position);
    if (status != OCL_OK)
        return status;
    queue->release.function = release_task;
    status = await_end(queue, event);
    clReleaseEvent(event);
    return status;
}

static void leave_for_close(struct ocl_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->awaits_release = true;
    pthread_mutex_unlock(&queue->lock);
}

/* Until its work is complete a destroyed queue stays in the list: the legacy queue still waits for it, and so does who gives
 * back memory. Where the driver gives no event to tell when that is, the wait is here; for an abandoned context's nobody
 * waits until it closes. */
static void give_back_owners_reference(struct ocl_queue *queue)
{
    if (atomic_load(&queue->context->is_abandoned)) {
        leave_for_close(queue);
        return;
    }
    if (!ocl_queue_has_no_work(queue)) {
        if (release_when_done(queue) == OCL_OK)
            return;
        ocl_queue_wait_out(queue);
    }
    ocl_queue_release(queue);
}

void ocl_queue_destroy(struct ocl_queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->context->queue_lock);
    queue->is_destroyed = true;
    pthread_mutex_unlock(&queue->context->queue_lock);
    queue->context->paging->detach(
        queue); /* what is attached after this sees that the queue goes */
    give_back_owners_reference(queue);
}

/* ---- Closing ---- */

static struct ocl_queue *take_undestroyed(struct ocl_context *context)
{
    struct ocl_queue *queue;

    pthread_mutex_lock(&context->queue_lock);
    for (queue = context->queues; queue; queue = queue->next) {
        if (!queue->is_destroyed)
            break;
    }
    if (queue)
        queue->is_destroyed = true;
    pthread_mutex_unlock(&context->queue_lock);
    return queue;
}

/* Callbacks of complete events may come a little after clFinish() has returned. */
static bool wait_until_gone(struct ocl_context *context)
{
    uint64_t end = 0;

    pthread_mutex_lock(&context->queue_lock);
    while (context->queues) {
        if (ocl_context_failure(context) == OCL_OK) {
            ocl_steady_wait(&context->queue_gone, &context->queue_lock);
            continue;
        }
        if (end == 0)
            end = ocl_deadline_after(FAILED_CLOSE_MS);
        if (!ocl_condition_wait_until(&context->queue_gone, &context->queue_lock, end))
            break;
    }
    const bool is_gone = !context->queues;
    pthread_mutex_unlock(&context->queue_lock);
    return is_gone;
}

/* What was to tell that a queue's work is complete may wait for ever in the driver. Where its gates can be opened after all
 * the work comes to an end, and does so while its memory is there; a driver that is left with work that cannot begin may
 * hold up other contexts' (NVIDIA's, 580). */
static void release_abandoned(struct ocl_context *context)
{
    const bool is_open = ocl_gate_open_stuck(context);
    uint64_t cursor = UINT64_MAX;
    struct ocl_queue *queue;

    while ((queue = ocl_queue_next(context, &cursor)) != NULL) {
        if (is_open && atomic_load(&queue->cl))
            (void)ocl_steady_finish(queue->cl);
        if (take_release(queue, cursor))
            ocl_queue_release(queue);
        ocl_queue_release(queue);
    }
}

ocl_status ocl_queues_close(struct ocl_context *context)
{
    struct ocl_queue *queue;

    if (!context->legacy)
        return OCL_OK;
    (void)ocl_queues_finish(context); /* what failed was told to whoever asked */
    while ((queue = take_undestroyed(context)) != NULL)
        give_back_owners_reference(queue);
    if (atomic_load(&context->is_abandoned))
        release_abandoned(context);
    const bool is_gone = wait_until_gone(context);
    (void)ocl_gate_open_stuck(context); /* by workers that were still at it */
    ocl_gate_open_all(context, is_gone ? ocl_context_failure(context) : OCL_E_EXECUTION);
    if (!is_gone) {
        ocl_trace("the driver did not end its work after a failure: the context stays in memory");
        return OCL_E_NOT_READY;
    }
    context->legacy = NULL;
    atomic_store(&context->entrance, NULL);
    ocl_stamp_close(context);
    return OCL_OK;
}
