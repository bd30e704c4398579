/* Events: points in a queue that can be waited for, asked about and timed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/event.h"

#include <sched.h>
#include <stdlib.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/queue/clock.h"
#include "cl/queue/outer_event.h"
#include "cl/queue/queue_private.h"
#include "cl/queue/waited.h"
#include "cl/slab.h"
#include "cl/state/failure.h"

/* What an event holds since it was last recorded. */
struct point {
    uint64_t serial; /* unique in the process; 0: never recorded */
    struct ocl_stamp stamp;
    bool is_complete;
    bool has_time;
    uint64_t time;           /* nanoseconds on the device's clock */
    struct ocl_queue *queue; /* may be gone: only for comparing, together with queue_id */
    uint64_t queue_id;
    uint64_t position; /* complete when this many commands of the queue are */
    bool is_reading;   /* the command behind those is the reading of the clock */
};

/* Memory comes from a slab and the lock stays initialised: a thread that waited for a point looks
 * at the event afterwards, which another thread may have destroyed meanwhile. */
struct ocl_event {
    void *slab_word;
    bool has_lock;
    pthread_mutex_t lock;
    struct ocl_context *context;
    bool has_timing;
    struct point point;
    _Atomic(struct ocl_outer_event *) outer; /* in place of point, or NULL (changes under lock) */
};

static struct ocl_slab event_slab = OCL_SLAB_INITIALIZER(sizeof(struct ocl_event));
static _Atomic uint64_t last_serial;

/* Puts point into event and lets go of what was there. */
static void replace_point(struct ocl_event *event, struct point point)
{
    pthread_mutex_lock(&event->lock);
    const struct point before = event->point;
    event->point = point;
    pthread_mutex_unlock(&event->lock);
    ocl_stream_forget(before.serial);
    ocl_stamp_release(&before.stamp);
}

/* A copy that keeps its driver's event alive until ocl_stamp_release(); after an error there is none. */
static ocl_status copy_point(struct ocl_event *event, struct point *point)
{
    pthread_mutex_lock(&event->lock);
    *point = event->point;
    const ocl_status status = ocl_stamp_retain(&point->stamp);
    pthread_mutex_unlock(&event->lock);
    return status;
}

/* ---- Events of several processes ---- */

struct ocl_outer_event *ocl_event_hold_outer(struct ocl_event *event)
{
    if (!atomic_load(&event->outer))
        return NULL;
    pthread_mutex_lock(&event->lock);
    struct ocl_outer_event *outer = atomic_load(&event->outer);
    if (outer)
        atomic_fetch_add(&outer->references, 1);
    pthread_mutex_unlock(&event->lock);
    return outer;
}

void ocl_outer_event_release(struct ocl_outer_event *outer)
{
    if (outer && atomic_fetch_sub(&outer->references, 1) == 1)
        outer->ways->destroy(outer);
}

static void drop_outer(struct ocl_event *event)
{
    if (!atomic_load(&event->outer))
        return;
    pthread_mutex_lock(&event->lock);
    struct ocl_outer_event *outer = atomic_exchange(&event->outer, NULL);
    pthread_mutex_unlock(&event->lock);
    ocl_outer_event_release(outer);
}

ocl_status ocl_event_create_outer(struct ocl_context *context, struct ocl_outer_event *outer,
                                  struct ocl_event **event)
{
    const ocl_status status = ocl_event_create(context, false, event);

    if (status == OCL_OK)
        atomic_store(&(*event)->outer, outer);
    return status;
}

/* ---- Making and ending ---- */

ocl_status ocl_event_create(struct ocl_context *context, bool has_timing, struct ocl_event **event)
{
    const ocl_status status = has_timing ? ocl_stamp_open(context) : OCL_OK;

    if (status != OCL_OK)
        return status;
    struct ocl_event *made = ocl_slab_take(&event_slab);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    if (!made->has_lock) {
        pthread_mutex_init(&made->lock, NULL);
        made->has_lock = true;
    }
    made->context = context;
    made->has_timing = has_timing;
    replace_point(made, (struct point){.serial = 0});
    *event = made;
    return OCL_OK;
}

void ocl_event_destroy(struct ocl_event *event)
{
    if (!event)
        return;
    drop_outer(event);
    replace_point(event, (struct point){.serial = 0});
    ocl_slab_give(&event_slab, event);
}

struct ocl_context *ocl_event_context(const struct ocl_event *event)
{
    return event->context;
}

bool ocl_event_is_recorded(struct ocl_event *event)
{
    pthread_mutex_lock(&event->lock);
    const bool is_recorded = event->point.serial != 0;
    pthread_mutex_unlock(&event->lock);
    return is_recorded;
}

/* A point without timing in a queue that is known to be idle needs no command at all. */
static ocl_status take_point(struct ocl_queue *queue, bool has_timing, struct point *point)
{
    if (has_timing) {
        const ocl_status status = ocl_queue_stamp(queue, &point->stamp, &point->position);
        point->is_reading = point->stamp.slot != NULL;
        return status;
    }
    point->position = atomic_load(&queue->submitted);
    point->is_complete = atomic_load(&queue->finished) >= point->position;
    return point->is_complete ? OCL_OK
                              : ocl_queue_mark(queue, &point->stamp.event, &point->position);
}

ocl_status ocl_event_record(struct ocl_event *event, struct ocl_queue *queue)
{
    struct point point = {.serial = atomic_fetch_add(&last_serial, 1) + 1,
                          .queue = queue,
                          .queue_id = atomic_load(&queue->id)};

    if (queue->context != event->context)
        return OCL_E_INVALID_VALUE;
    struct ocl_outer_event *outer = ocl_event_hold_outer(event);
    if (outer) {
        const ocl_status recorded = outer->ways->record(outer, queue);
        ocl_outer_event_release(outer);
        return recorded;
    }
    ocl_status status = ocl_queue_order(queue);
    if (status == OCL_OK)
        status = take_point(queue, event->has_timing, &point);
    if (status == OCL_OK) {
        const struct ocl_stream stream = ocl_queue_stream(queue);
        ocl_stream_record(&stream, point.serial);
        replace_point(event, point);
    }
    return status;
}

/* Whether the point is complete, as far as that is known without asking the driver. */
static bool is_known_complete(const struct point *point)
{
    return point->serial == 0 || point->is_complete ||
           ocl_queue_has_finished(point->queue, point->queue_id, point->position);
}

/* Keeps the news that a point is complete, for the event if it still holds that point, and for the
 * queue. */
static void note_complete(struct ocl_event *event, const struct point *point)
{
    pthread_mutex_lock(&event->lock);
    if (event->point.serial == point->serial)
        event->point.is_complete = true;
    pthread_mutex_unlock(&event->lock);
    if (point->is_reading)
        ocl_queue_note_reading(point->queue, point->queue_id, point->position);
    else
        ocl_queue_note_finished(point->queue, point->queue_id, point->position);
}

/* ---- Readings without a marker ---- */

/* A marker behind all that the point's queue has got by now; NULL: the queue is gone, since all that is complete. *is_exact:
 * nothing but the reading came behind the point. */
static ocl_status mark_behind(const struct point *point, cl_event *mark, bool *is_exact)
{
    struct ocl_queue *queue = ocl_queue_acquire(point->queue, point->queue_id);
    uint64_t position = 0;

    *mark = NULL;
    *is_exact = false;
    if (!queue)
        return OCL_OK;
    const ocl_status status = ocl_queue_mark(queue, mark, &position);
    *is_exact = position == point->position + 1;
    ocl_queue_release(queue);
    return status;
}

/* A reading that has not come does not tell whether it still will: a marker behind it does. */
static ocl_status ask_behind(const struct point *point, cl_int *state)
{
    bool is_exact;
    cl_event mark;
    const ocl_status status = mark_behind(point, &mark, &is_exact);

    *state = CL_COMPLETE;
    if (status == OCL_OK && mark) {
        *state = ocl_event_state(mark);
        clReleaseEvent(mark);
    }
    return status;
}

static ocl_status ask(const struct point *point, cl_int *state)
{
    ocl_status status = OCL_OK;

    *state = ocl_stamp_state(&point->stamp);
    if (*state > CL_COMPLETE && !point->stamp.event)
        status = ask_behind(point, state);
    if (status == OCL_OK && *state > CL_COMPLETE)
        ocl_queue_push(point->queue, point->queue_id);
    return status;
}

/* Whether the reading comes within the time that waiting in the driver is not worth. */
static bool comes_soon(const struct point *point)
{
    enum { SOON = 50000, ROUNDS = 64 };
    const uint64_t end = ocl_now() + SOON;

    do {
        for (unsigned round = 0; round < ROUNDS; round++)
            if (ocl_stamp_state(&point->stamp) == CL_COMPLETE)
                return true;
        sched_yield();
    } while (ocl_now() < end);
    return false;
}

/* The driver is told to wait where that is for nothing else, too: what came behind the point may wait for the caller. */
static ocl_status await_reading(struct ocl_context *context, const struct point *point)
{
    const struct timespec nap = {.tv_nsec = 20000};
    ocl_status status = OCL_OK;
    bool is_over = comes_soon(point);

    while (!is_over && status == OCL_OK) {
        bool is_exact;
        cl_event mark;
        if (atomic_load(&context->is_abandoned))
            return ocl_context_fail(context, OCL_E_EXECUTION);
        status = mark_behind(point, &mark, &is_exact);
        if (status != OCL_OK || !mark)
            return status;
        if (is_exact || ocl_event_state(mark) <= CL_COMPLETE) {
            status = ocl_queue_wait_for_event(context, mark);
            is_over = true;
        }
        clReleaseEvent(mark);
        if (!is_over) {
            const int before = ocl_steady_begin();
            nanosleep(&nap, NULL);
            ocl_steady_end(before);
            is_over = ocl_stamp_state(&point->stamp) == CL_COMPLETE;
        }
    }
    return status;
}

static ocl_status await(struct ocl_context *context, const struct point *point)
{
    return point->stamp.event ? ocl_queue_wait_for_event(context, point->stamp.event)
                              : await_reading(context, point);
}

/* ---- Asking and waiting ---- */

/* What a complete, failed or unfinished point means to who asked. */
static ocl_status settle(struct ocl_event *event, const struct point *point, cl_int state,
                         struct ocl_context *context)
{
    if (state > CL_COMPLETE)
        return OCL_E_NOT_READY;
    if (state < 0)
        return ocl_context_fail(context, state);
    note_complete(event, point);
    return ocl_context_failure(context);
}

static ocl_status ask_and_settle(struct ocl_event *event, const struct point *point)
{
    cl_int state;
    const ocl_status status = ask(point, &state);

    return status == OCL_OK ? settle(event, point, state, event->context) : status;
}

ocl_status ocl_event_query(struct ocl_event *event)
{
    struct ocl_context *context = event->context;
    struct ocl_outer_event *outer = ocl_event_hold_outer(event);
    struct point point;

    if (outer) {
        const ocl_status asked = outer->ways->query(outer);
        ocl_outer_event_release(outer);
        if (asked == OCL_OK)
            ocl_streams_finished(NULL);
        return asked == OCL_OK ? ocl_waited(context, OCL_WAITED_BY_ASKING, asked) : asked;
    }
    ocl_status status = copy_point(event, &point);

    if (status != OCL_OK)
        return status;
    if (is_known_complete(&point))
        status = ocl_context_failure(context);
    else
        status = ask_and_settle(event, &point);
    ocl_stamp_release(&point.stamp);
    if (status == OCL_OK)
        ocl_stream_see(point.serial);
    return status == OCL_OK ? ocl_waited(context, OCL_WAITED_BY_ASKING, status) : status;
}

ocl_status ocl_event_wait(struct ocl_event *event)
{
    struct ocl_context *context = event->context;
    struct ocl_outer_event *outer = ocl_event_hold_outer(event);
    struct point point;

    if (outer) {
        const ocl_status waited = outer->ways->wait(outer);
        ocl_outer_event_release(outer);
        ocl_streams_finished(NULL);
        return ocl_waited(context, OCL_WAITED_FOR_WORK, waited);
    }
    ocl_status status = copy_point(event, &point);

    if (status != OCL_OK)
        return status;
    if (is_known_complete(&point)) {
        status = ocl_context_failure(context);
    } else {
        status = await(context, &point);
        if (status == OCL_OK)
            status = settle(event, &point, CL_COMPLETE, context);
    }
    ocl_stamp_release(&point.stamp);
    if (status == OCL_OK)
        ocl_stream_see(point.serial);
    return ocl_waited(context, OCL_WAITED_FOR_WORK, status);
}

/* ---- Timing ---- */

/* The driver may call a stamp complete a moment later than the queue, whose counters answer first.
 */
static ocl_status read_time(struct ocl_event *event, struct point *point)
{
    ocl_status status = OCL_OK;

    if (ocl_stamp_state(&point->stamp) != CL_COMPLETE)
        status = await(event->context, point);
    if (status == OCL_OK)
        status = ocl_stamp_read(&point->stamp, &point->time);
    if (status != OCL_OK)
        return status;
    pthread_mutex_lock(&event->lock);
    if (event->point.serial == point->serial) {
        event->point.time = point->time;
        event->point.has_time = true;
    }
    pthread_mutex_unlock(&event->lock);
    return OCL_OK;
}

static ocl_status time_of(struct ocl_event *event, uint64_t *time)
{
    struct point point;
    ocl_status status = ocl_event_query(event);

    if (status == OCL_OK)
        status = copy_point(event, &point);
    if (status != OCL_OK)
        return status;
    if (!point.has_time)
        status =
            point.stamp.event || point.stamp.slot ? read_time(event, &point) : OCL_E_INVALID_VALUE;
    *time = point.time;
    ocl_stamp_release(&point.stamp);
    return status;
}

ocl_status ocl_event_elapsed(struct ocl_event *start, struct ocl_event *end, double *nanoseconds)
{
    uint64_t first, last;

    if (start->context != end->context)
        return OCL_E_INVALID_VALUE;
    if (!start->has_timing || !end->has_timing)
        return OCL_E_TIMING_DISABLED;
    if (!ocl_event_is_recorded(start) || !ocl_event_is_recorded(end))
        return OCL_E_INVALID_VALUE;
    ocl_status status = time_of(start, &first);
    if (status == OCL_OK)
        status = time_of(end, &last);
    if (status == OCL_OK)
        *nanoseconds = (double)(int64_t)(last - first);
    return status;
}

/* ---- Waiting in a queue ---- */

/* The failure of another context's work is ours too: what waited for it goes on with wrong data. */
static void note_foreign_failure(void *data, cl_int status)
{
    if (status < 0)
        (void)ocl_context_fail(data, status);
}

static bool has_been_read(struct ocl_event *event, const struct point *point)
{
    if (!point->stamp.slot || ocl_stamp_state(&point->stamp) != CL_COMPLETE)
        return false;
    note_complete(event, point);
    return true;
}

/* Gives a reading the marker that it has not, if nothing has come behind it; the event keeps it for others that wait. */
static ocl_status mark_reading(struct ocl_event *event, struct point *point)
{
    bool is_exact;
    cl_event mark;
    const ocl_status status = mark_behind(point, &mark, &is_exact);

    if (status != OCL_OK || !mark)
        return status;
    if (!is_exact) {
        clReleaseEvent(mark);
        return OCL_OK;
    }
    point->stamp.event = mark;
    pthread_mutex_lock(&event->lock);
    if (event->point.serial == point->serial && !event->point.stamp.event &&
        clRetainEvent(mark) == CL_SUCCESS)
        event->point.stamp.event = mark;
    pthread_mutex_unlock(&event->lock);
    return OCL_OK;
}

/* A queue that waits for a reading whose queue went on. */
struct late_wait {
    struct point point;
    struct ocl_queue *source; /* counted, so that its context stays */
    struct ocl_context *waits;
};

static void drop_late_wait(struct late_wait *wait)
{
    ocl_stamp_release(&wait->point.stamp);
    ocl_queue_release(wait->source);
    free(wait);
}

static void end_late_wait(void *data, cl_int state)
{
    struct late_wait *wait = data;
    const ocl_status status = await_reading(wait->source->context, &wait->point);

    (void)state;
    if (status != OCL_OK)
        (void)ocl_context_fail(wait->waits, status);
    drop_late_wait(wait);
}

/* A marker would have the queue wait for what came behind the point as well. So a thread waits for the reading, and from
 * now on the context's readings get their markers at once. */
static ocl_status wait_for_reading(struct ocl_queue *queue, const struct point *point,
                                   struct ocl_context *from)
{
    struct late_wait *wait = malloc(sizeof *wait);

    if (!wait)
        return OCL_E_OUT_OF_MEMORY;
    *wait = (struct late_wait){*point, ocl_queue_acquire(point->queue, point->queue_id),
                               queue->context};
    if (!wait->source) { /* gone, since its work is complete */
        free(wait);
        return OCL_OK;
    }
    (void)ocl_stamp_retain(&point->stamp); /* which has no event of the driver */
    atomic_store(&from->marks_readings, true);
    const ocl_status status = ocl_gate_hold_until(queue, end_late_wait, wait);
    if (status != OCL_OK)
        drop_late_wait(wait);
    return status;
}

static ocl_status wait_for_point(struct ocl_queue *queue, struct ocl_event *event,
                                 struct point *point)
{
    struct ocl_context *from = event->context;

    if (!point->stamp.event) {
        const ocl_status status = mark_reading(event, point);
        if (status != OCL_OK)
            return status;
    }
    if (!point->stamp.event)
        return wait_for_reading(queue, point, from);
    if (from == queue->context)
        return ocl_queue_hold(queue, 1, &point->stamp.event);
    /* A driver refuses events of another cl_context (-34). */
    return ocl_gate_hold(queue, from, point->stamp.event, queue->context->bridge,
                         note_foreign_failure, queue->context);
}

/* A wait is work of the legacy queue's even for what is complete: blocking queues are behind each other then.
 * Source: CUDA Runtime API 13.0, stream synchronization behavior, legacy default stream. */
ocl_status ocl_event_wait_in_queue(struct ocl_event *event, struct ocl_queue *queue)
{
    struct ocl_outer_event *outer = ocl_event_hold_outer(event);
    const struct ocl_stream stream = ocl_queue_stream(queue);
    struct point point;

    if (outer) {
        const ocl_status waiting = outer->ways->wait_in_queue(outer, queue);
        ocl_outer_event_release(outer);
        ocl_stream_doubt(&stream);
        return waiting;
    }
    ocl_status status = copy_point(event, &point);

    if (status != OCL_OK)
        return status;
    const bool is_same_queue = point.queue == queue && point.queue_id == atomic_load(&queue->id);
    const bool must_wait =
        !is_same_queue && !is_known_complete(&point) && !has_been_read(event, &point);
    status = ocl_context_failure(queue->context);
    if (status == OCL_OK && (must_wait || queue->kind == OCL_QUEUE_LEGACY))
        status = ocl_queue_order(queue);
    if (status == OCL_OK && must_wait)
        status = wait_for_point(queue, event, &point);
    if (status == OCL_OK && !is_same_queue && point.serial != 0)
        ocl_queue_keep_wait(queue, point.queue_id, point.position);
    if (status == OCL_OK)
        ocl_stream_await(&stream, point.serial);
    ocl_stamp_release(&point.stamp);
    return status;
}
