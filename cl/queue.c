/* In-order queues: their life, what is known about their work, and waiting for it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue.h"

#include <assert.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "cl/queue_private.h"
#include "cl/slab.h"
#include "cl/trace.h"

/* How long a query polls a marker that it has just enqueued: a queue whose work ended long ago is reported complete
 * by the first query too, and a busy one costs this much once. */
enum { FIRST_QUERY_US = 100 };

/* How long closing waits for the callbacks of a context that has failed. */
enum { FAILED_CLOSE_SECONDS = 5 };

static struct ocl_slab queue_slab = OCL_SLAB_INITIALIZER(sizeof(struct ocl_queue));
static _Atomic uint64_t last_id;

static struct ocl_queue_tuning tuning_of(const struct ocl_device *device)
{
    /* On a CPU the work runs on the same cores: polling takes them away from it. */
    if (device->facts.device_class == OCL_CLASS_CPU)
        return (struct ocl_queue_tuning){ .wait = OCL_WAIT_BY_FINISH, .flush_after = 1, .is_profiled = true };
    return (struct ocl_queue_tuning){ .wait = OCL_WAIT_BY_FINISH, .flush_after = 1, .is_profiled = false };
}

void ocl_counter_raise(_Atomic uint64_t *counter, uint64_t value)
{
    uint64_t now = atomic_load(counter);

    while (now < value && !atomic_compare_exchange_weak(counter, &now, value)) {
    }
}

/* ---- Making and destroying ---- */

/* Source: cl_khr_priority_hints in the OpenCL Extension Specification. */
static cl_queue_properties priority_hint(int priority)
{
    return priority < 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR;
}

cl_command_queue ocl_queue_make(const struct ocl_context *context, int priority, bool is_profiled, cl_int *error)
{
    const struct ocl_device *device = context->device;
    const cl_command_queue_properties flags = is_profiled ? CL_QUEUE_PROFILING_ENABLE : 0;

    if (device->facts.opencl_major < 2)
        return clCreateCommandQueue(context->cl, device->id, flags, error);

    cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, flags, 0, 0, 0 };
    if (priority != 0 && strstr(device->facts.extensions, "cl_khr_priority_hints")) {
        list[2] = CL_QUEUE_PRIORITY_KHR;
        list[3] = priority_hint(priority);
    }
    cl_command_queue made = clCreateCommandQueueWithProperties(context->cl, device->id, list, error);
    if (!made && list[2] != 0) { /* a hint is no reason to fail */
        list[2] = 0;
        made = clCreateCommandQueueWithProperties(context->cl, device->id, list, error);
    }
    return made;
}

static void link_queue(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;

    pthread_mutex_lock(&context->queue_lock);
    atomic_store(&queue->id, atomic_fetch_add(&last_id, 1) + 1);
    queue->previous = NULL;
    queue->next = context->queues;
    if (queue->next)
        queue->next->previous = queue;
    context->queues = queue;
    if (queue->kind == OCL_QUEUE_BLOCKING)
        atomic_fetch_add(&context->blocking_queues, 1);
    pthread_mutex_unlock(&context->queue_lock);
}

static void unlink_queue(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;

    pthread_mutex_lock(&context->queue_lock);
    if (queue->previous)
        queue->previous->next = queue->next;
    else
        context->queues = queue->next;
    if (queue->next)
        queue->next->previous = queue->previous;
    if (queue->kind == OCL_QUEUE_BLOCKING)
        atomic_fetch_sub(&context->blocking_queues, 1);
    pthread_cond_broadcast(&context->queue_gone); /* under the lock: the context may go right after */
    pthread_mutex_unlock(&context->queue_lock);
}

/* Locks stay initialised while the memory is free: events look at queues that may be gone. */
static struct ocl_queue *take_queue(void)
{
    struct ocl_queue *queue = ocl_slab_take(&queue_slab);

    if (queue && !queue->has_locks) {
        pthread_mutex_init(&queue->order_lock, NULL);
        pthread_mutex_init(&queue->lock, NULL);
        queue->has_locks = true;
    }
    return queue;
}

static void reset_queue(struct ocl_queue *queue)
{
    queue->is_destroyed = false;
    queue->is_pinned = false;
    queue->side = NULL;
    queue->retired = NULL;
    queue->mark = NULL;
    queue->mark_position = 0;
    atomic_store(&queue->submitters, 0);
    atomic_store(&queue->references, 1);
    atomic_store(&queue->submitted, 0);
    atomic_store(&queue->finished, 0);
    atomic_store(&queue->flushed, 0);
    atomic_store(&queue->seen, 0);
    atomic_store(&queue->seen_by_legacy, 0);
}

/* The legacy queue is the first of a context and opens what all its queues share. */
static void open_queues(struct ocl_context *context, struct ocl_queue *legacy)
{
    assert(!context->legacy);
    pthread_cond_init(&context->queue_gone, NULL);
    context->legacy = legacy;
}

ocl_status ocl_queue_create(struct ocl_context *context, enum ocl_queue_kind kind, int priority,
                            struct ocl_queue **queue)
{
    cl_int error = CL_SUCCESS;
    struct ocl_queue *made = take_queue();

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    if (kind == OCL_QUEUE_LEGACY)
        context->tuning = tuning_of(context->device);
    reset_queue(made);
    made->context = context;
    made->kind = kind;
    made->priority = priority;
    atomic_store(&made->is_final, context->tuning.is_profiled);
    made->cl = ocl_queue_make(context, priority, context->tuning.is_profiled, &error);
    if (!made->cl) {
        ocl_slab_give(&queue_slab, made);
        return error;
    }
    if (kind == OCL_QUEUE_LEGACY)
        open_queues(context, made);
    link_queue(made);
    *queue = made;
    return OCL_OK;
}

static void release_driver_queue(cl_command_queue cl)
{
    if (cl)
        clReleaseCommandQueue(cl);
}

static void discard(struct ocl_queue *queue)
{
    if (queue->mark)
        clReleaseEvent(queue->mark);
    release_driver_queue(queue->side);
    release_driver_queue(queue->retired);
    release_driver_queue(queue->cl);
    pthread_mutex_lock(&queue->lock); /* ocl_queue_note_finished() looks at id under it */
    atomic_store(&queue->id, 0);
    pthread_mutex_unlock(&queue->lock);
    unlink_queue(queue);
    ocl_slab_give(&queue_slab, queue);
}

bool ocl_queue_retain(struct ocl_queue *queue)
{
    uint32_t now = atomic_load(&queue->references);

    while (now != 0) {
        if (atomic_compare_exchange_weak(&queue->references, &now, now + 1))
            return true;
    }
    return false;
}

void ocl_queue_release(struct ocl_queue *queue)
{
    if (atomic_fetch_sub(&queue->references, 1) == 1)
        discard(queue);
}

static bool has_no_work(const struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);

    return atomic_load(&queue->finished) >= submitted;
}

static void release_task(struct ocl_worker_task *task)
{
    struct ocl_queue *queue = (struct ocl_queue *)((char *)task - offsetof(struct ocl_queue, release));

    ocl_queue_release(queue);
}

static void CL_CALLBACK post_release(cl_event event, cl_int status, void *data)
{
    struct ocl_queue *queue = data;

    (void)event;
    (void)status;
    ocl_worker_post(queue->context->bridge, &queue->release);
}

/* Leaves the caller's reference with the bridge worker, which gives it back once the work is complete. */
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
    status = clSetEventCallback(event, CL_COMPLETE, post_release, queue);
    clReleaseEvent(event);
    return status;
}

/* Until its work is complete a destroyed queue stays in the list: the legacy queue still waits for it. Where the driver
 * gives no event to tell when that is (it has failed), the driver's queue is let go at once and ends by itself. */
static void give_back_owners_reference(struct ocl_queue *queue)
{
    if (has_no_work(queue) || release_when_done(queue) != OCL_OK)
        ocl_queue_release(queue);
}

void ocl_queue_destroy(struct ocl_queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->context->queue_lock);
    queue->is_destroyed = true;
    pthread_mutex_unlock(&queue->context->queue_lock);
    give_back_owners_reference(queue);
}

struct ocl_context *ocl_queue_context(const struct ocl_queue *queue)
{
    return queue->context;
}

struct ocl_queue *ocl_queue_legacy(struct ocl_context *context)
{
    return context->legacy;
}

struct ocl_queue *ocl_queue_next(struct ocl_context *context, uint64_t *cursor)
{
    struct ocl_queue *queue;

    pthread_mutex_lock(&context->queue_lock);
    for (queue = context->queues; queue; queue = queue->next) {
        const uint64_t id = atomic_load(&queue->id);
        if (id != 0 && id < *cursor && ocl_queue_retain(queue)) {
            *cursor = id;
            break;
        }
    }
    pthread_mutex_unlock(&context->queue_lock);
    return queue;
}

/* ---- Submitting ---- */

/* Between enter() and leave() queue->cl stays what it is. A final queue needs no count; one that became final after the
 * look at is_final has a count too many, which no longer matters. */
static void enter(struct ocl_queue *queue)
{
    if (atomic_load_explicit(&queue->is_final, memory_order_acquire))
        return;
    int now = atomic_load(&queue->submitters);
    while (now == OCL_SUBMITTERS_SWITCHING || !atomic_compare_exchange_weak(&queue->submitters, &now, now + 1)) {
        if (now == OCL_SUBMITTERS_SWITCHING) {
            sched_yield();
            now = atomic_load(&queue->submitters);
        }
    }
}

static void leave(struct ocl_queue *queue)
{
    if (atomic_load_explicit(&queue->is_final, memory_order_acquire))
        return;
    const int before = atomic_fetch_sub(&queue->submitters, 1);
    assert(before > 0);
    (void)before;
}

ocl_status ocl_queue_prepare(struct ocl_queue *queue)
{
    const ocl_status status = ocl_queue_order(queue);

    if (status == OCL_OK)
        enter(queue);
    return status;
}

/* The flush policy. A command must not wait for somebody to synchronise, because CUDA's never does, so every command
 * is flushed while the device has nothing else of this queue to do. With flush_after above 1 a busy queue collects that
 * many commands first; it is 1 wherever nothing else would start the last ones. */
static bool wants_flush(const struct ocl_queue *queue, uint64_t before, uint64_t after)
{
    return after - atomic_load(&queue->flushed) >= queue->context->tuning.flush_after ||
           atomic_load(&queue->finished) >= before;
}

/* How drivers tell in a later call that a command has failed on the device. Source: -9999 and CL_OUT_OF_RESOURCES are
 * what NVIDIA's driver answers after an illegal access. */
static ocl_status keep_failure(struct ocl_context *context, ocl_status status)
{
    return status == OCL_OK || status == CL_OUT_OF_HOST_MEMORY ? status : ocl_context_fail(context, status);
}

static ocl_status flush_to(struct ocl_queue *queue, cl_command_queue cl, uint64_t submitted)
{
    const ocl_status status = keep_failure(queue->context, clFlush(cl));

    if (status == OCL_OK)
        ocl_counter_raise(&queue->flushed, submitted);
    return status;
}

ocl_status ocl_queue_flush(struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);
    ocl_status status = OCL_OK;

    if (atomic_load(&queue->flushed) < submitted) {
        enter(queue);
        status = flush_to(queue, queue->cl, submitted);
        leave(queue);
    }
    return status;
}

static void count_blocking_work(const struct ocl_queue *queue)
{
    if (queue->kind == OCL_QUEUE_BLOCKING)
        atomic_fetch_add(&queue->context->blocking_work, 1);
}

void ocl_queue_submitted(struct ocl_queue *queue, unsigned commands)
{
    if (commands > 0) {
        const uint64_t before = atomic_fetch_add(&queue->submitted, commands);
        count_blocking_work(queue);
        if (wants_flush(queue, before, before + commands))
            (void)flush_to(queue, queue->cl, before + commands); /* a failure is kept in the context */
    }
    leave(queue);
}

void ocl_queue_completed(struct ocl_queue *queue, uint64_t before, unsigned commands)
{
    uint64_t now = before;

    /* Commands of other threads may have been enqueued behind ours: then only what came before is known. */
    if (atomic_compare_exchange_strong(&queue->submitted, &now, before + commands)) {
        ocl_counter_raise(&queue->flushed, before + commands);
        ocl_counter_raise(&queue->finished, before + commands);
    } else {
        atomic_fetch_add(&queue->submitted, commands);
        ocl_counter_raise(&queue->finished, before);
    }
    count_blocking_work(queue);
    leave(queue);
}

ocl_status ocl_queue_hold(struct ocl_queue *queue, cl_uint count, const cl_event *events)
{
    ocl_status status;

    pthread_mutex_lock(&queue->lock); /* nobody switches queues meanwhile */
    status = clEnqueueBarrierWithWaitList(queue->cl, count, events, NULL);
    if (status == OCL_OK) {
        atomic_fetch_add(&queue->submitted, 1);
        count_blocking_work(queue);
    }
    pthread_mutex_unlock(&queue->lock);
    return status;
}

/* Queue's lock held. */
static ocl_status renew_mark(struct ocl_queue *queue, uint64_t position)
{
    cl_event event;
    ocl_status status = clEnqueueMarkerWithWaitList(queue->cl, 0, NULL, &event);

    if (status != OCL_OK)
        return status;
    status = flush_to(queue, queue->cl, position); /* somebody will wait for it */
    if (status != OCL_OK) {
        clReleaseEvent(event);
        return status;
    }
    if (queue->mark)
        clReleaseEvent(queue->mark);
    queue->mark = event;
    queue->mark_position = position;
    return OCL_OK;
}

ocl_status ocl_queue_mark(struct ocl_queue *queue, cl_event *event, uint64_t *position)
{
    ocl_status status = OCL_OK;

    pthread_mutex_lock(&queue->lock);
    *position = atomic_load(&queue->submitted);
    if (!queue->mark || queue->mark_position != *position)
        status = renew_mark(queue, *position);
    if (status == OCL_OK) {
        clRetainEvent(queue->mark);
        *event = queue->mark;
    }
    pthread_mutex_unlock(&queue->lock);
    return status;
}

/* ---- What is known ---- */

cl_int ocl_event_state(cl_event event)
{
    cl_int state = CL_QUEUED;
    const cl_int asked = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);

    return asked == CL_SUCCESS ? state : asked;
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

static bool are_blocking_idle(struct ocl_context *context)
{
    bool idle = true;

    if (atomic_load(&context->blocking_queues) == 0)
        return true;
    pthread_mutex_lock(&context->queue_lock);
    for (const struct ocl_queue *queue = context->queues; queue && idle; queue = queue->next)
        idle = queue->kind != OCL_QUEUE_BLOCKING || has_no_work(queue);
    pthread_mutex_unlock(&context->queue_lock);
    return idle;
}

bool ocl_queue_is_idle(struct ocl_queue *queue)
{
    if (!has_no_work(queue))
        return false;
    switch (queue->kind) {
    case OCL_QUEUE_LEGACY:
        return are_blocking_idle(queue->context);
    case OCL_QUEUE_BLOCKING:
        return has_no_work(queue->context->legacy);
    case OCL_QUEUE_NON_BLOCKING:
        break;
    }
    return true;
}

/* Looks at the marker that is kept, if any. Queue's lock held. */
static ocl_status look_at_mark(struct ocl_queue *queue)
{
    if (!queue->mark)
        return OCL_OK;
    const cl_int state = ocl_event_state(queue->mark);
    if (state > CL_COMPLETE)
        return OCL_E_NOT_READY;
    ocl_counter_raise(&queue->finished, queue->mark_position);
    clReleaseEvent(queue->mark);
    queue->mark = NULL;
    return state == CL_COMPLETE ? OCL_OK : ocl_context_fail(queue->context, state);
}

static uint64_t microseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Asks for the state of event again and again until it is complete, has failed, or the time is up. */
static cl_int poll_event(cl_event event, unsigned microseconds)
{
    const uint64_t end = microseconds_now() + microseconds;
    cl_int state;

    do {
        for (unsigned round = 0; round < 16; round++) {
            state = ocl_event_state(event);
            if (state <= CL_COMPLETE)
                return state;
        }
        sched_yield();
    } while (microseconds_now() < end);
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
    const cl_int state = poll_event(event, FIRST_QUERY_US);
    clReleaseEvent(event);
    if (state > CL_COMPLETE)
        return OCL_E_NOT_READY;
    ocl_counter_raise(&queue->finished, position);
    return state == CL_COMPLETE ? OCL_OK : ocl_context_fail(queue->context, state);
}

static ocl_status query_one(struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);

    if (atomic_load(&queue->finished) >= submitted)
        return OCL_OK;
    pthread_mutex_lock(&queue->lock);
    const ocl_status status = look_at_mark(queue);
    pthread_mutex_unlock(&queue->lock);
    if (status != OCL_OK || atomic_load(&queue->finished) >= submitted)
        return status;
    return query_with_new_mark(queue);
}

/* ---- Waiting ---- */

ocl_status ocl_queue_wait_for_event(struct ocl_context *context, cl_event event)
{
    cl_int state = CL_QUEUED;

    if (context->tuning.wait == OCL_WAIT_BY_POLLING)
        state = poll_event(event, context->tuning.poll_us);
    if (state > CL_COMPLETE) {
        const cl_int waited = clWaitForEvents(1, &event);
        state = ocl_event_state(event); /* says more than -14, "a command of the list failed" */
        if (state > CL_COMPLETE)
            state = waited;
    }
    return state < 0 ? keep_failure(context, state) : OCL_OK;
}

/* The one place that waits for a queue; tuning says how. No lock is held. *covered commands are complete then. */
static ocl_status wait_for_queue(struct ocl_queue *queue, uint64_t *covered)
{
    cl_event event;
    ocl_status status;

    if (queue->context->tuning.wait == OCL_WAIT_BY_FINISH) {
        *covered = atomic_load(&queue->submitted);
        enter(queue);
        const cl_command_queue cl = queue->cl; /* stays alive in queue->retired when it is replaced meanwhile */
        leave(queue);
        return keep_failure(queue->context, clFinish(cl));
    }
    status = ocl_queue_mark(queue, &event, covered);
    if (status == OCL_OK) {
        status = ocl_queue_wait_for_event(queue->context, event);
        clReleaseEvent(event);
    }
    return status;
}

/* After a failure of the device nothing of the queue runs any more: it counts as finished. */
static ocl_status finish_one(struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);
    uint64_t covered = submitted;

    if (atomic_load(&queue->finished) >= submitted)
        return OCL_OK;
    const ocl_status status = wait_for_queue(queue, &covered);
    if (status == OCL_OK || ocl_context_failure(queue->context) != OCL_OK) {
        ocl_counter_raise(&queue->flushed, covered);
        ocl_counter_raise(&queue->finished, covered);
    }
    return status;
}

typedef ocl_status queue_function(struct ocl_queue *queue);

/* Calls function for every queue, or every blocking one, that is not known to be idle. Returns the first bad status;
 * OCL_E_NOT_READY ends the search. */
static ocl_status for_busy_queues(struct ocl_context *context, bool only_blocking, queue_function *function)
{
    uint64_t cursor = UINT64_MAX;
    struct ocl_queue *queue;
    ocl_status first = OCL_OK;

    while (first != OCL_E_NOT_READY && (queue = ocl_queue_next(context, &cursor)) != NULL) {
        if (!has_no_work(queue) && (!only_blocking || queue->kind == OCL_QUEUE_BLOCKING)) {
            const ocl_status status = function(queue);
            if (first == OCL_OK)
                first = status;
        }
        ocl_queue_release(queue);
    }
    return first;
}

/* A call for the legacy queue is one for the blocking queues too. */
static ocl_status for_queue(struct ocl_queue *queue, queue_function *function)
{
    struct ocl_context *context = queue->context;
    ocl_status status = OCL_OK;

    if (queue->kind == OCL_QUEUE_LEGACY && !are_blocking_idle(context))
        status = for_busy_queues(context, true, function);
    if (status != OCL_E_NOT_READY) {
        const ocl_status own = function(queue);
        if (status == OCL_OK)
            status = own;
    }
    return status == OCL_OK ? ocl_context_failure(context) : status;
}

ocl_status ocl_queue_finish(struct ocl_queue *queue)
{
    return for_queue(queue, finish_one);
}

ocl_status ocl_queue_query(struct ocl_queue *queue)
{
    return for_queue(queue, query_one);
}

static bool are_all_idle(struct ocl_context *context)
{
    bool idle = true;

    pthread_mutex_lock(&context->queue_lock);
    for (const struct ocl_queue *queue = context->queues; queue && idle; queue = queue->next)
        idle = has_no_work(queue);
    pthread_mutex_unlock(&context->queue_lock);
    return idle;
}

ocl_status ocl_queues_finish(struct ocl_context *context)
{
    ocl_status status = OCL_OK;

    if (!are_all_idle(context))
        status = for_busy_queues(context, false, finish_one);
    return status == OCL_OK ? ocl_context_failure(context) : status;
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
    struct timespec end;
    int waited = 0;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += FAILED_CLOSE_SECONDS;
    pthread_mutex_lock(&context->queue_lock);
    while (context->queues && waited == 0) {
        if (ocl_context_failure(context) == OCL_OK)
            pthread_cond_wait(&context->queue_gone, &context->queue_lock);
        else
            waited = pthread_cond_timedwait(&context->queue_gone, &context->queue_lock, &end);
    }
    pthread_mutex_unlock(&context->queue_lock);
    return waited == 0;
}

ocl_status ocl_queues_close(struct ocl_context *context)
{
    struct ocl_queue *queue;

    if (!context->legacy)
        return OCL_OK;
    (void)ocl_queues_finish(context); /* what failed was told to whoever asked */
    while ((queue = take_undestroyed(context)) != NULL)
        give_back_owners_reference(queue);
    if (!wait_until_gone(context)) {
        ocl_trace("the driver did not end its work after a failure: the context stays in memory");
        return OCL_E_NOT_READY;
    }
    context->legacy = NULL;
    ocl_stamp_close(context);
    pthread_cond_destroy(&context->queue_gone);
    return OCL_OK;
}
