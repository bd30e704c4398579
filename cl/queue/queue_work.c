/* The work of queues: submitting it, what is known about it, and waiting for it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/queue/chain.h"
#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"
#include "cl/queue/waited.h"
#include "cl/state/failure.h"

/* How long a query polls a marker that it has just enqueued: a queue whose work ended long ago is
 * reported complete by the first query too, and a busy one costs this much once. Where all processors are taken, the driver's
 * thread gets one when this one has given it away a few times. */
enum { FIRST_QUERY_US = 100, FIRST_QUERY_YIELDS = 5 };

/* ---- Submitting ---- */

/* The flush policy. CUDA's commands never wait for somebody to synchronise, so every command is
 * flushed at once, except where the driver is known to start it by itself: NVIDIA's ran a kernel
 * that nobody had flushed after 2 microseconds, and clFlush() costs 0.7 there (H200, driver 580).
 * On PoCL 3.1 it costs 0.004. */
static bool wants_flush(const struct ocl_queue *queue)
{
    return !queue->context->tuning.starts_by_itself;
}

/* How drivers tell in a later call that a command has failed on the device. After an illegal access
 * NVIDIA's driver answers -9999, CL_OUT_OF_RESOURCES, or, from clFinish(), that the queue is invalid, which a queue
 * of ours is for no other reason (H200, driver 580). */
static ocl_status keep_failure(struct ocl_context *context, ocl_status status)
{
    if (status == OCL_OK || status == CL_OUT_OF_HOST_MEMORY)
        return status;
    return ocl_context_fail(context, status);
}

ocl_status ocl_queue_start(struct ocl_queue *queue, uint64_t submitted)
{
    const ocl_status status =
        wants_flush(queue) ? keep_failure(queue->context, clFlush(queue->cl)) : OCL_OK;

    if (status == OCL_OK)
        ocl_counter_raise(&queue->flushed, submitted);
    return status;
}

ocl_status ocl_queue_flush(struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);

    return atomic_load(&queue->flushed) < submitted ? ocl_queue_start(queue, submitted) : OCL_OK;
}

/* A driver that starts commands by itself may hold back those of one queue for as long as a kernel of another runs, unless
 * they were flushed: see push_mark(). */
static void push_work(struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);

    if (atomic_load(&queue->pushed) >= submitted)
        return;
    (void)clFlush(queue->cl); /* a failure is that of the work, which who waits for it is told */
    ocl_counter_raise(&queue->pushed, submitted);
}

/* What the host is about to wait for may itself wait for what other queues have: kernels that look at memory until somebody
 * writes to it. The queue that is waited for, if one is, the driver flushes. */
static void push_others(struct ocl_context *context, const struct ocl_queue *waited)
{
    struct ocl_queue_walk walk = {.context = context};

    if (!context->tuning.starts_by_itself)
        return;
    while (ocl_queue_walk_on(&walk))
        if (walk.at != waited)
            push_work(walk.at);
}

static void count_blocking_work(const struct ocl_queue *queue)
{
    if (queue->kind == OCL_QUEUE_BLOCKING)
        atomic_fetch_add(&queue->context->blocking_work, 1);
}

void ocl_queue_count(struct ocl_queue *queue, unsigned commands)
{
    atomic_fetch_add(&queue->submitted, commands);
    ocl_queue_note_work(queue);
    count_blocking_work(queue);
}

ocl_status ocl_queue_hold(struct ocl_queue *queue, cl_uint count, const cl_event *events)
{
    struct ocl_command command;
    ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_ORDER);

    if (status != OCL_OK)
        return status;
    status = ocl_enqueue_barrier(&command, count, events);
    ocl_command_end(&command);
    return status;
}

/* Queue's lock held. */
static ocl_status renew_mark(struct ocl_queue *queue, uint64_t position)
{
    cl_event event;
    struct ocl_command command;
    ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_ORDER);

    if (status != OCL_OK)
        return status;
    status = ocl_enqueue_mark(&command, &event);
    ocl_command_end(&command);
    if (status != OCL_OK)
        return status;
    status = ocl_queue_start(queue, position); /* somebody will wait for it */
    if (status != OCL_OK) {
        clReleaseEvent(event);
        return status;
    }
    if (queue->mark)
        clReleaseEvent(queue->mark);
    queue->mark = event;
    queue->mark_position = position;
    queue->mark_is_pushed = wants_flush(queue);
    return OCL_OK;
}

/* A driver that starts commands by itself may tell who asks for a marker's state that it is submitted for as long as a kernel
 * of another queue runs, unless its own queue was flushed (NVIDIA's, driver 580); who waits in the driver flushes. Queue's
 * lock held. */
static void push_mark(struct ocl_queue *queue)
{
    if (!queue->mark || queue->mark_is_pushed)
        return;
    queue->mark_is_pushed = true;
    (void)clFlush(queue->cl); /* a failure is that of the work, which the marker tells */
}

void ocl_queue_push(struct ocl_queue *queue, uint64_t id)
{
    pthread_mutex_lock(&queue->lock);
    if (atomic_load(&queue->id) == id)
        push_mark(queue);
    pthread_mutex_unlock(&queue->lock);
}

ocl_status ocl_queue_mark(struct ocl_queue *queue, cl_event *event, uint64_t *position)
{
    ocl_status status = OCL_OK;

    pthread_mutex_lock(&queue->lock);
    *position = atomic_load(&queue->submitted);
    if (!queue->mark || queue->mark_position != *position)
        status = renew_mark(queue, *position);
    if (status == OCL_OK)
        status = clRetainEvent(queue->mark);
    if (status == OCL_OK)
        *event = queue->mark;
    pthread_mutex_unlock(&queue->lock);
    return status;
}

/* ---- What is known ---- */

bool ocl_queue_is_idle(struct ocl_queue *queue)
{
    const struct ocl_queue_rule *behind = ocl_queue_is_behind(queue);

    return ocl_queue_has_no_work(queue) && !ocl_queue_entrance(queue) &&
           (!behind->blocking || ocl_queues_blocking_are_idle(queue->context)) &&
           (!behind->legacy || ocl_queue_has_no_work(queue->context->legacy));
}

/* What a marker behind position commands tells that is not on its way any more. A failure may be that of asking, which is
 * no news of the work: only a wait makes it count as finished then. */
static ocl_status settle_mark(struct ocl_queue *queue, uint64_t position, cl_int state)
{
    if (state < 0)
        return ocl_context_fail(queue->context, state);
    ocl_counter_raise(&queue->finished, position);
    return OCL_OK;
}

/* Looks at the marker that is kept, if any. Queue's lock held. */
static ocl_status look_at_mark(struct ocl_queue *queue)
{
    if (!queue->mark)
        return OCL_OK;
    const cl_int state = ocl_event_state(queue->mark);
    if (state > CL_COMPLETE) {
        push_mark(queue);
        return OCL_E_NOT_READY;
    }
    clReleaseEvent(queue->mark);
    queue->mark = NULL;
    return settle_mark(queue, queue->mark_position, state);
}

/* Asks for the state of event again and again until it is complete, has failed, or the time is up.
 */
static cl_int poll_event(cl_event event)
{
    const uint64_t end = ocl_now() + (uint64_t)FIRST_QUERY_US * 1000;
    unsigned yields = 0;
    cl_int state;

    do {
        for (unsigned round = 0; round < 16; round++) {
            state = ocl_event_state(event);
            if (state <= CL_COMPLETE)
                return state;
        }
        sched_yield();
    } while (++yields < FIRST_QUERY_YIELDS || ocl_now() < end);
    return state;
}

/* Puts a marker behind all work and gives it a moment. */
static ocl_status query_with_new_mark(struct ocl_queue *queue)
{
    uint64_t position;
    cl_event event;
    ocl_status status = ocl_queue_mark(queue, &event, &position);

    if (status != OCL_OK)
        return status;
    const cl_int state = poll_event(event);
    clReleaseEvent(event);
    if (state <= CL_COMPLETE)
        return settle_mark(queue, position, state);
    ocl_queue_push(queue, atomic_load(&queue->id));
    return OCL_E_NOT_READY;
}

static ocl_status query_one(struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);
    uint64_t chained;

    if (atomic_load(&queue->finished) >= submitted)
        return OCL_OK;
    if (atomic_load(&queue->context->is_abandoned))
        return ocl_context_fail(queue->context, OCL_E_EXECUTION);
    if (ocl_chain_is_done(queue, &chained)) {
        ocl_counter_raise(&queue->finished, chained);
        return OCL_OK;
    }
    pthread_mutex_lock(&queue->lock);
    const ocl_status status = look_at_mark(queue);
    pthread_mutex_unlock(&queue->lock);
    if (status != OCL_OK || atomic_load(&queue->finished) >= submitted)
        return status;
    return query_with_new_mark(queue);
}

/* ---- Waiting ---- */

/* Where the driver refuses to wait it still tells how far it is: who waits goes on to use memory that the work uses. */
static cl_int wait_by_asking(const struct ocl_context *context, cl_event event)
{
    const struct timespec nap = {.tv_nsec = 100000};
    const int before = ocl_steady_begin();
    cl_int state;

    while ((state = ocl_event_state(event)) > CL_COMPLETE && !atomic_load(&context->is_abandoned))
        nanosleep(&nap, NULL);
    ocl_steady_end(before);
    return state;
}

/* After a wait that failed the event says more than -14, "a command of the list failed". */
static cl_int wait_in_driver(struct ocl_context *context, cl_event event)
{
    const cl_int waited =
        atomic_load(&context->gates) > 0 ? ocl_gate_await(context, event) : ocl_steady_event(event);

    return waited == CL_SUCCESS ? ocl_event_state(event) : wait_by_asking(context, event);
}

/* What the work has come to is not known when asking fails, so that its memory cannot be used again. */
ocl_status ocl_queue_wait_for_event(struct ocl_context *context, cl_event event)
{
    push_others(context, NULL);
    const cl_int state = wait_in_driver(context, event);

    if (state > CL_COMPLETE)
        return ocl_context_fail(context, OCL_E_EXECUTION); /* abandoned */
    if (state == CL_OUT_OF_HOST_MEMORY)
        return ocl_context_fail(context, state);
    return state < 0 ? keep_failure(context, state) : OCL_OK;
}

ocl_status ocl_queue_wait_at_mark(struct ocl_queue *queue, uint64_t *covered)
{
    cl_event event;
    ocl_status status = ocl_queue_mark(queue, &event, covered);

    if (status != OCL_OK)
        return status;
    status = ocl_queue_wait_for_event(queue->context, event);
    clReleaseEvent(event);
    return status;
}

/* Whether clFinish() may wait: it must wait for nothing that comes later, since a program's function behind what is waited
 * for may itself wait for whoever waits; PoCL's waits until the queue is empty. */
static bool may_finish(const struct ocl_context *context)
{
    return context->tuning.finishes_exactly && atomic_load(&context->gates) == 0;
}

/* The one place that waits for a queue. No lock is held. *covered commands are complete then. By a marker, or by clFinish()
 * where the driver's will do: measured (launch and wait, microseconds) on an H200 with driver 580 that takes 8.8, a marker and
 * clWaitForEvents() 9.9, polling a marker 9.5, polling the kernel's own event 11, CUDA 8.1 to 8.5; on PoCL 3.1 a
 * marker takes 37 and clFinish() 30, and polling takes the cores that do the work. Other drivers have not been measured. */
static ocl_status wait_for_queue(struct ocl_queue *queue, uint64_t *covered)
{
    struct ocl_context *context = queue->context;
    ocl_status status = CL_OUT_OF_HOST_MEMORY;

    if (atomic_load(&context->is_abandoned))
        return ocl_context_fail(context, OCL_E_EXECUTION);
    if (ocl_chain_await(queue, covered))
        return OCL_OK;
    if (may_finish(context)) {
        push_others(context, queue);
        *covered = atomic_load(&queue->submitted);
        status = keep_failure(context, ocl_steady_finish(queue->cl));
    }
    /* Which is no news of the work. */
    return status == CL_OUT_OF_HOST_MEMORY ? ocl_queue_wait_at_mark(queue, covered) : status;
}

/* A driver that has refused to wait may run the work all the same, and its memory is given back next: it is asked once more,
 * and what it still does after a second refusal nobody can know. */
static void wait_again(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;
    uint64_t covered;

    if (atomic_load(&context->is_abandoned))
        return;
    if (!may_finish(context) && ocl_queue_wait_at_mark(queue, &covered) == OCL_OK)
        return;
    /* Also where no marker can be had any more: of a context that has failed nothing later comes, but for functions of the
     * program that gates hold up. */
    if (atomic_load(&context->gates) == 0)
        (void)ocl_steady_finish(queue->cl);
}

/* After a failure of the device nothing of the queue runs any more: it counts as finished. */
static ocl_status finish_one(struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);
    uint64_t covered = submitted;

    if (atomic_load(&queue->finished) >= submitted)
        return OCL_OK;
    const ocl_status status = wait_for_queue(queue, &covered);
    const bool has_failed = ocl_context_failure(queue->context) != OCL_OK;
    if (status != OCL_OK && has_failed)
        wait_again(queue);
    if (status == OCL_OK || has_failed) {
        ocl_counter_raise(&queue->flushed, covered);
        ocl_counter_raise(&queue->finished, covered);
    }
    return status;
}

void ocl_queue_wait_out(struct ocl_queue *queue)
{
    (void)finish_one(queue);
}

typedef ocl_status queue_function(struct ocl_queue *queue);

/* Calls function for every queue, or every blocking one, that is not known to be idle. Returns the
 * first bad status; OCL_E_NOT_READY ends the search. */
static ocl_status for_busy_queues(struct ocl_context *context, bool only_blocking,
                                  queue_function *function)
{
    struct ocl_queue_walk walk = {context, only_blocking, NULL};
    ocl_status first = OCL_OK;

    while (first != OCL_E_NOT_READY && ocl_queue_walk_on(&walk)) {
        const ocl_status status = function(walk.at);
        if (first == OCL_OK)
            first = status;
    }
    ocl_queue_walk_end(&walk);
    return first;
}

/* One queue more: after a failure too, since all is to be waited for, but not when one is not ready. */
static void go_on(ocl_status *status, struct ocl_queue *queue, queue_function *function)
{
    if (!queue || *status == OCL_E_NOT_READY)
        return;
    const ocl_status now = function(queue);
    if (*status == OCL_OK)
        *status = now;
}

/* For the queue and what its kind is behind. Its commands wait for the legacy queue by themselves, so that this is not asked
 * again but for one that is still to come. */
static ocl_status for_queue(struct ocl_queue *queue, bool with_next, queue_function *function)
{
    struct ocl_context *context = queue->context;
    const struct ocl_queue_rule *behind = ocl_queue_is_behind(queue);
    ocl_status status = OCL_OK;

    go_on(&status, ocl_queue_entrance(queue), function);
    go_on(&status, with_next && behind->legacy ? context->legacy : NULL, function);
    if (status != OCL_E_NOT_READY && behind->blocking && !ocl_queues_blocking_are_idle(context)) {
        const ocl_status blocking = for_busy_queues(context, true, function);
        if (status == OCL_OK)
            status = blocking;
    }
    go_on(&status, queue, function);
    return status == OCL_OK ? ocl_context_failure(context) : status;
}

ocl_status ocl_queue_finish_unseen(struct ocl_queue *queue)
{
    const ocl_status status = for_queue(queue, false, finish_one);

    return ocl_waited(queue->context, OCL_WAITED_FOR_WORK, status);
}

static void note_finished(const struct ocl_queue *queue, ocl_status status)
{
    const struct ocl_stream stream = ocl_queue_stream(queue);

    if (status == OCL_OK)
        ocl_stream_finished(&stream);
}

ocl_status ocl_queue_finish(struct ocl_queue *queue)
{
    const ocl_status status = ocl_queue_finish_unseen(queue);

    note_finished(queue, status);
    return status;
}

ocl_status ocl_queue_settle(struct ocl_queue *queue)
{
    if (ocl_queue_is_idle(queue))
        return ocl_context_failure(queue->context);
    const ocl_status status = for_queue(queue, true, finish_one);

    return ocl_waited(queue->context, OCL_WAITED_FOR_WORK, status);
}

ocl_status ocl_queue_query(struct ocl_queue *queue)
{
    const ocl_status status = for_queue(queue, false, query_one);

    note_finished(queue, status);
    return status == OCL_OK ? ocl_waited(queue->context, OCL_WAITED_BY_ASKING, status) : status;
}

ocl_status ocl_queues_query(struct ocl_context *context)
{
    const ocl_status status = for_busy_queues(context, false, query_one);

    if (status == OCL_OK)
        ocl_streams_finished(context);
    return status;
}

static ocl_status note_ending(struct ocl_queue *queue)
{
    atomic_store(&queue->ending, atomic_load(&queue->submitted));
    return OCL_OK;
}

void ocl_queues_note_ending(struct ocl_context *context)
{
    (void)for_busy_queues(context, false, note_ending);
}

static ocl_status query_ending(struct ocl_queue *queue)
{
    const uint64_t ending = atomic_load(&queue->ending);
    const ocl_status status = atomic_load(&queue->finished) < ending ? query_one(queue) : OCL_OK;

    return atomic_load(&queue->finished) < ending ? status : OCL_OK;
}

ocl_status ocl_queues_query_ending(struct ocl_context *context)
{
    return for_busy_queues(context, false, query_ending);
}

ocl_status ocl_queues_finish(struct ocl_context *context)
{
    ocl_status status = OCL_OK;

    if (!ocl_queues_are_idle(context))
        status = for_busy_queues(context, false, finish_one);
    if (status == OCL_OK)
        ocl_streams_finished(context);
    return ocl_waited(context, OCL_WAITED_FOR_WORK, status);
}
