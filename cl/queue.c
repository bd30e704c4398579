/* In-order queues: making, destroying and closing them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cl/clock.h"
#include "cl/command.h"
#include "cl/deadline.h"
#include "cl/managed_private.h"
#include "cl/queue_private.h"
#include "cl/slab.h"
#include "cl/steady.h"
#include "cl/trace.h"

/* How long closing waits for the callbacks of a context that has failed; of one that was abandoned some never come. */
enum { FAILED_CLOSE_MS = 1000 };

static struct ocl_slab queue_slab = OCL_SLAB_INITIALIZER(sizeof(struct ocl_queue));
static _Atomic uint64_t last_id;

bool ocl_queue_is_nvidia(const struct ocl_context *context)
{
    return strstr(context->device->facts.extensions, "cl_nv_compiler_options") != NULL;
}

/* Waiting, measured (launch and wait, microseconds): on an H200 with driver 580 clFinish() 8.8, a
 * marker and clWaitForEvents() 9.9, polling a marker 9.5, polling the kernel's own event 11, CUDA
 * 8.1 to 8.5; on PoCL 3.1 the differences are noise, and polling takes the cores that do the work.
 * So clFinish() it is; other drivers have not been measured. Starting: see wants_flush().
 * Profiling: see stamp.c. */
static struct ocl_queue_tuning tuning_of(const struct ocl_context *context)
{
    return (struct ocl_queue_tuning){.wait = OCL_WAIT_BY_FINISH,
                                     .starts_by_itself = ocl_queue_is_nvidia(context),
                                     .is_profiled =
                                         atomic_load(&context->stamp) != OCL_STAMP_CLOCK};
}

/* ---- Making and destroying ---- */

/* Source: cl_khr_priority_hints in the OpenCL Extension Specification. */
static cl_queue_properties priority_hint(int priority)
{
    return priority < 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR;
}

static cl_command_queue make(const struct ocl_context *context, int priority, bool is_profiled,
                             cl_int *error)
{
    const struct ocl_device *device = context->device;
    const cl_command_queue_properties flags = is_profiled ? CL_QUEUE_PROFILING_ENABLE : 0;

    if (device->facts.opencl_major < 2 || device->facts.platform_major < 2)
        return clCreateCommandQueue(context->cl, device->id, flags, error);

    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, 0, 0, 0};
    if (priority != 0 && strstr(device->facts.extensions, "cl_khr_priority_hints")) {
        list[2] = CL_QUEUE_PRIORITY_KHR;
        list[3] = priority_hint(priority);
    }
    cl_command_queue made =
        clCreateCommandQueueWithProperties(context->cl, device->id, list, error);
    if (!made && list[2] != 0) { /* a hint is no reason to fail */
        list[2] = 0;
        made = clCreateCommandQueueWithProperties(context->cl, device->id, list, error);
    }
    return made;
}

cl_command_queue ocl_queue_make(const struct ocl_context *context, int priority, bool is_profiled,
                                cl_int *error)
{
    cl_command_queue made = make(context, priority, is_profiled, error);

    if (made)
        ocl_command_watch(made, 0);
    return made;
}

static ocl_status open_slowly(struct ocl_queue *queue)
{
    const struct ocl_context *context = queue->context;
    cl_int error = CL_SUCCESS;
    cl_command_queue none = NULL;
    cl_command_queue made =
        ocl_queue_make(context, queue->priority, context->tuning.is_profiled, &error);

    if (!made)
        return error;
    if (!atomic_compare_exchange_strong(&queue->cl, &none, made))
        clReleaseCommandQueue(made); /* another thread was first */
    return OCL_OK;
}

ocl_status ocl_queue_open(struct ocl_queue *queue)
{
    return atomic_load(&queue->cl) ? OCL_OK : open_slowly(queue);
}

/* From here on others may find it. */
static void link_queue(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;

    pthread_mutex_lock(&context->queue_lock);
    atomic_store(&queue->id, atomic_fetch_add(&last_id, 1) + 1);
    atomic_store(&queue->references, 1);
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
    ocl_queue_unlist(queue);
    if (queue->kind == OCL_QUEUE_BLOCKING)
        atomic_fetch_sub(&context->blocking_queues, 1);
    pthread_cond_broadcast(
        &context->queue_gone); /* under the lock: the context may go right after */
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
    queue->awaits_release = false;
    queue->clock_kernel = NULL;
    queue->reading = NULL;
    queue->mark = NULL;
    queue->turns = NULL;
    queue->mark_position = 0;
    memset(&queue->waits, 0, sizeof queue->waits);
    atomic_store(&queue->cl, NULL);
    atomic_store(&queue->submitted, 0);
    atomic_store(&queue->finished, 0);
    atomic_store(&queue->flushed, 0);
    atomic_store(&queue->seen, 0);
    atomic_store(&queue->seen_by_legacy, 0);
    atomic_store(&queue->seen_until, 0);
    atomic_store(&queue->entered, 0);
}

/* The context's first queue: what the others are like is found out for it. */
static ocl_status open_legacy(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;

    assert(!context->legacy);
    ocl_stamp_choose(context);
    context->tuning = tuning_of(context);
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
    struct ocl_queue *made = take_queue();

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    reset_queue(made);
    made->context = context;
    made->kind = kind;
    made->priority = priority;
    if (kind == OCL_QUEUE_LEGACY) {
        const ocl_status status = open_legacy(made);
        if (status != OCL_OK) {
            ocl_slab_give(&queue_slab, made);
            return status;
        }
    }
    link_queue(made);
    *queue = made;
    return OCL_OK;
}

static void discard(struct ocl_queue *queue)
{
    if (queue->mark)
        clReleaseEvent(queue->mark);
    if (queue->clock_kernel)
        clReleaseKernel(queue->clock_kernel);
    if (queue->reading)
        ocl_clock_release(queue->reading);
    ocl_worker_destroy(queue->turns); /* which may be the thread that runs here */
    if (atomic_load(&queue->cl))
        clReleaseCommandQueue(queue->cl);
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

/* The memory of a queue stays one of a queue, and a reference holds its id. */
struct ocl_queue *ocl_queue_acquire(const struct ocl_queue *queue, uint64_t id)
{
    struct ocl_queue *kept = (struct ocl_queue *)(uintptr_t)queue;

    if (!kept || !ocl_queue_retain(kept))
        return NULL;
    if (atomic_load(&kept->id) == id)
        return kept;
    ocl_queue_release(kept);
    return NULL;
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

/* Until its work is complete a destroyed queue stays in the list: the legacy queue still waits for it, and so does who gives
 * back memory. Where the driver gives no event to tell when that is, the wait is here; for an abandoned context's nobody
 * waits. */
static void give_back_owners_reference(struct ocl_queue *queue)
{
    const bool is_abandoned = atomic_load(&queue->context->is_abandoned);

    if (!is_abandoned && !ocl_queue_has_no_work(queue)) {
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
    ocl_migration_detach(queue); /* what is attached after this sees that the queue goes */
    give_back_owners_reference(queue);
}

bool ocl_queue_is_going(struct ocl_queue *queue)
{
    pthread_mutex_lock(&queue->context->queue_lock);
    const bool is_going = queue->is_destroyed;
    pthread_mutex_unlock(&queue->context->queue_lock);
    return is_going;
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

/* What was to tell that a queue's work is complete waits for ever in the driver. */
static void release_abandoned(struct ocl_context *context)
{
    uint64_t cursor = UINT64_MAX;
    struct ocl_queue *queue;

    while ((queue = ocl_queue_next(context, &cursor)) != NULL) {
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
