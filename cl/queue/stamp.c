/* How an event gets its device time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/steady.h"
#include "cl/queue/clock.h"
#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"
#include "cl/trace.h"

/* Measured on an H200 (driver 580), microseconds:
 *
 *                                           plain queue   profiled queue   CUDA
 *   launch without an event                         3.6              3.8    3.1 to 3.7
 *   launch and clFinish()                           8.7              9.0    8.1 to 8.5
 *   marker with an event                            1.3              7.4    0.8 to 1.2 (record)
 *   launch with an event                            5.7             11.1
 *   a kernel of 6.6, timed by two markers                           17.2    7.1 to 7.5 (events)
 *   the same, by two readings of the clock          9.4
 *
 * So profiling itself is free and events are dear in a profiled queue; and a marker that waits for
 * one of another queue carries no usable time there. On PoCL 3.1 profiling costs nothing that can
 * be told from noise. Hence: readings of the clock on plain queues where the device has a clock for
 * kernels, otherwise profiled queues from the start; chosen once per context, before its first
 * queue is made. */

/* ---- Choosing ---- */

/* The clock needs asm that only NVIDIA's compiler takes, so other drivers are spared the attempt.
 */
static bool may_have_clock(const struct ocl_context *context)
{
    return context->capability.reaches_pinned_host && ocl_queue_is_nvidia(context);
}

enum { SAMPLES = 4 };

/* Markers are good when their times fit between those of the writes around them, and other queues do not delay them. */
static enum ocl_stamp_kind judge(const struct ocl_context *context, const uint64_t times[SAMPLES])
{
    bool rises = !context->tuning.marks_late && times[1] != 0 && times[3] != 0;

    for (int i = 1; i < SAMPLES; i++)
        rises = rises && times[i - 1] <= times[i];
    return rises ? OCL_STAMP_MARKER : OCL_STAMP_COMMAND;
}

/* A command that ends when everything before it is complete. */
static ocl_status enqueue_profiled(struct ocl_command *command, enum ocl_stamp_kind kind,
                                   cl_mem buffer, cl_event *event)
{
    return kind == OCL_STAMP_MARKER ? ocl_enqueue_marker(command, event)
                                    : ocl_enqueue_stamp(command, buffer, event);
}

static ocl_status read_profile(cl_event event, uint64_t *nanoseconds)
{
    cl_ulong end = 0;
    const cl_int status =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);

    *nanoseconds = end;
    return status;
}

/* Write, marker, write, marker. */
static ocl_status sample(cl_command_queue cl, cl_mem buffer, uint64_t times[SAMPLES])
{
    cl_event events[SAMPLES] = {NULL};
    ocl_status status = OCL_OK;
    struct ocl_command command;

    ocl_command_begin_own(&command, cl);
    for (int i = 0; i < SAMPLES && status == OCL_OK; i++)
        status = enqueue_profiled(&command, i % 2 == 0 ? OCL_STAMP_COMMAND : OCL_STAMP_MARKER,
                                  buffer, &events[i]);
    ocl_command_end(&command);
    if (status == OCL_OK)
        status = ocl_steady_finish(cl);
    for (int i = 0; i < SAMPLES; i++) {
        times[i] = 0;
        if (status == OCL_OK)
            (void)read_profile(events[i], &times[i]); /* a time that cannot be read stays 0 */
        if (events[i])
            clReleaseEvent(events[i]);
    }
    return status;
}

/* The first of several threads that test at once keeps its buffer. */
static void keep(struct ocl_context *context, enum ocl_stamp_kind kind, cl_mem buffer)
{
    pthread_mutex_lock(&context->queue_lock);
    if (atomic_load(&context->stamp) == OCL_STAMP_UNKNOWN) {
        context->stamp_buffer = buffer;
        buffer = NULL;
        atomic_store(&context->stamp, (int)kind);
    }
    pthread_mutex_unlock(&context->queue_lock);
    if (buffer)
        clReleaseMemObject(buffer);
}

void ocl_stamp_choose(struct ocl_context *context)
{
    struct ocl_clock *clock = NULL;

    if (!may_have_clock(context))
        return;
    ocl_status status = ocl_clock_create(context, &clock);
    if (status == OCL_OK)
        status = ocl_clock_prove(clock);
    if (status == OCL_OK) {
        context->clock = clock;
        atomic_store(&context->stamp, OCL_STAMP_CLOCK);
        return;
    }
    ocl_clock_close(clock);
    ocl_trace("%s: no clock for kernels (%s): times come from profiling",
              context->device->facts.name, ocl_status_name(status));
}

ocl_status ocl_stamp_open(struct ocl_context *context)
{
    uint64_t times[SAMPLES];
    cl_int status = CL_SUCCESS;

    if (atomic_load(&context->stamp) != OCL_STAMP_UNKNOWN)
        return OCL_OK;
    cl_command_queue cl = ocl_queue_make(context, 0, true, &status);
    if (!cl)
        return status;
    cl_mem buffer = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, OCL_STAMP_BYTES, NULL, &status);
    if (buffer)
        status = sample(cl, buffer, times);
    if (buffer && status == OCL_OK)
        keep(context, judge(context, times), buffer);
    else if (buffer)
        clReleaseMemObject(buffer);
    clReleaseCommandQueue(cl);
    return status;
}

void ocl_stamp_close(struct ocl_context *context)
{
    if (context->stamp_buffer)
        clReleaseMemObject(context->stamp_buffer);
    ocl_clock_close(context->clock);
    context->stamp_buffer = NULL;
    context->clock = NULL;
    atomic_store(&context->stamp, OCL_STAMP_UNKNOWN);
}

/* ---- Stamping ---- */

/* A reading that is still to come is that of every stamp until the queue gets something else. Queue's lock held. */
static bool share_reading(struct ocl_queue *queue, struct ocl_stamp *stamp, uint64_t *position)
{
    enum { MOST_AFTER = 31 }; /* less than clocks tell apart */

    if (!queue->reading || atomic_load(&queue->submitted) != queue->reading_position + 1 ||
        ocl_clock_is_written(queue->reading))
        return false;
    ocl_clock_retain(queue->reading);
    stamp->slot = queue->reading;
    stamp->after = queue->reading_stamps < MOST_AFTER ? queue->reading_stamps : MOST_AFTER;
    queue->reading_stamps++;
    *position = queue->reading_position;
    return true;
}

/* Queue's lock held. */
static void keep_reading(struct ocl_queue *queue, struct ocl_clock_slot *slot, uint64_t position)
{
    if (queue->reading)
        ocl_clock_release(queue->reading);
    ocl_clock_retain(slot);
    queue->reading = slot;
    queue->release_reading = ocl_clock_release;
    queue->reading_position = position;
    queue->reading_stamps = 1;
}

static ocl_status new_reading(struct ocl_queue *queue, struct ocl_stamp *stamp, uint64_t *position)
{
    struct ocl_clock *clock = queue->context->clock;
    struct ocl_clock_slot *slot = ocl_clock_take(clock);
    struct ocl_command command;

    if (!slot)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_ORDER);
    if (status == OCL_OK) {
        pthread_mutex_lock(&queue->lock);
        *position = atomic_load(&queue->submitted);
        status = ocl_clock_enqueue(clock, &command, &queue->clock_kernel, slot);
        ocl_command_end(&command);
        if (status == OCL_OK)
            keep_reading(queue, slot, *position);
        pthread_mutex_unlock(&queue->lock);
    }
    if (status != OCL_OK) {
        ocl_clock_discard(slot);
        return status;
    }
    stamp->slot = slot;
    return OCL_OK;
}

/* The reading itself tells when it has been written. A marker costs as much again, so it is there only where queues wait
 * for points long after they were recorded; it may be behind another thread's commands, of which the reading says nothing. */
static ocl_status stamp_by_clock(struct ocl_queue *queue, struct ocl_stamp *stamp,
                                 uint64_t *position)
{
    uint64_t marked;

    pthread_mutex_lock(&queue->lock);
    const bool is_shared = share_reading(queue, stamp, position);
    pthread_mutex_unlock(&queue->lock);
    const ocl_status status = is_shared ? OCL_OK : new_reading(queue, stamp, position);
    if (status != OCL_OK)
        return status;
    if (!atomic_load(&queue->context->marks_readings) ||
        ocl_queue_mark(queue, &stamp->event, &marked) != OCL_OK)
        (void)ocl_queue_flush(queue); /* a failure is kept in the context */
    return OCL_OK;
}

static ocl_status stamp_by_profile(struct ocl_queue *queue, enum ocl_stamp_kind kind,
                                   struct ocl_stamp *stamp, uint64_t *position)
{
    struct ocl_command command;
    ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_ORDER);

    if (status != OCL_OK)
        return status;
    *position = atomic_load(&queue->submitted);
    status = enqueue_profiled(&command, kind, queue->context->stamp_buffer, &stamp->event);
    ocl_command_end(&command);
    if (status == OCL_OK)
        status = ocl_queue_start(queue, *position); /* a program may poll the event */
    if (status != OCL_OK && stamp->event) {
        clReleaseEvent(stamp->event);
        stamp->event = NULL;
    }
    return status;
}

ocl_status ocl_queue_stamp(struct ocl_queue *queue, struct ocl_stamp *stamp, uint64_t *position)
{
    const enum ocl_stamp_kind kind = (enum ocl_stamp_kind)atomic_load(&queue->context->stamp);

    *stamp = (struct ocl_stamp){.event = NULL};
    return kind == OCL_STAMP_CLOCK ? stamp_by_clock(queue, stamp, position)
                                   : stamp_by_profile(queue, kind, stamp, position);
}

ocl_status ocl_stamp_read(const struct ocl_stamp *stamp, uint64_t *nanoseconds)
{
    if (!stamp->slot)
        return read_profile(stamp->event, nanoseconds);
    *nanoseconds = ocl_clock_read(stamp->slot) + stamp->after;
    return OCL_OK;
}

ocl_status ocl_stamp_retain(const struct ocl_stamp *stamp)
{
    const ocl_status status = stamp->event ? clRetainEvent(stamp->event) : OCL_OK;

    if (status == OCL_OK && stamp->slot)
        ocl_clock_retain(stamp->slot);
    return status;
}

cl_int ocl_stamp_state(const struct ocl_stamp *stamp)
{
    if (stamp->slot && ocl_clock_is_written(stamp->slot))
        return CL_COMPLETE;
    if (stamp->event)
        return ocl_event_state(stamp->event);
    return stamp->slot ? CL_SUBMITTED : CL_COMPLETE;
}

void ocl_stamp_release(const struct ocl_stamp *stamp)
{
    if (stamp->slot)
        ocl_clock_release(stamp->slot);
    if (stamp->event)
        clReleaseEvent(stamp->event);
}
