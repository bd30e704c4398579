/* Device time: commands that carry it, and turning a plain queue into a profiled one when the first is wanted.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue_private.h"

/* What a stamp command writes; the driver may read it at any later time. */
static const cl_uint stamp_value = 0;

/* A command that ends when everything before it in cl, and after (may be NULL), is complete. */
static ocl_status enqueue_stamp(enum ocl_stamp kind, cl_mem buffer, cl_command_queue cl, cl_event after,
                                cl_event *event)
{
    const cl_uint count = after ? 1 : 0;
    const cl_event *list = after ? &after : NULL;

    if (kind == OCL_STAMP_MARKER)
        return clEnqueueMarkerWithWaitList(cl, count, list, event);
    return clEnqueueWriteBuffer(cl, buffer, CL_FALSE, 0, sizeof stamp_value, &stamp_value, count, list, event);
}

ocl_status ocl_stamp_read(cl_event event, uint64_t *nanoseconds)
{
    cl_ulong end = 0;
    const cl_int status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);

    *nanoseconds = end;
    return status;
}

/* ---- The self-test ---- */

enum { SAMPLES = 4 };

/* Markers are good when their times fit between those of the writes around them. */
static enum ocl_stamp judge(const uint64_t times[SAMPLES])
{
    bool rises = times[1] != 0 && times[3] != 0;

    for (int i = 1; i < SAMPLES; i++)
        rises = rises && times[i - 1] <= times[i];
    return rises ? OCL_STAMP_MARKER : OCL_STAMP_COMMAND;
}

/* Write, marker, write, marker. */
static ocl_status sample_stamps(cl_command_queue cl, cl_mem buffer, uint64_t times[SAMPLES])
{
    cl_event events[SAMPLES] = { NULL };
    ocl_status status = OCL_OK;

    for (int i = 0; i < SAMPLES && status == OCL_OK; i++)
        status = enqueue_stamp(i % 2 == 0 ? OCL_STAMP_COMMAND : OCL_STAMP_MARKER, buffer, cl, NULL, &events[i]);
    if (status == OCL_OK)
        status = clFinish(cl);
    for (int i = 0; i < SAMPLES; i++) {
        times[i] = 0;
        if (status == OCL_OK)
            (void)ocl_stamp_read(events[i], &times[i]); /* a time that cannot be read stays 0 */
        if (events[i])
            clReleaseEvent(events[i]);
    }
    return status;
}

/* The first of several threads that test at once keeps its buffer. */
static void keep(struct ocl_context *context, enum ocl_stamp kind, cl_mem buffer)
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

ocl_status ocl_stamp_open(struct ocl_context *context)
{
    uint64_t times[SAMPLES];
    cl_int status = CL_SUCCESS;

    if (atomic_load(&context->stamp) != OCL_STAMP_UNKNOWN)
        return OCL_OK;
    cl_command_queue cl = ocl_queue_make(context, 0, true, &status);
    if (!cl)
        return status;
    cl_mem buffer = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, sizeof stamp_value, NULL, &status);
    if (buffer)
        status = sample_stamps(cl, buffer, times);
    if (buffer && status == OCL_OK)
        keep(context, judge(times), buffer);
    else if (buffer)
        clReleaseMemObject(buffer);
    clReleaseCommandQueue(cl);
    return status;
}

void ocl_stamp_close(struct ocl_context *context)
{
    if (context->stamp_buffer)
        clReleaseMemObject(context->stamp_buffer);
    context->stamp_buffer = NULL;
    atomic_store(&context->stamp, OCL_STAMP_UNKNOWN);
}

/* ---- Stamping ---- */

/* Makes the profiled queue that a plain one needs. Made without the lock: some drivers take long. */
static ocl_status make_side(struct ocl_queue *queue)
{
    cl_int status = CL_SUCCESS;
    cl_command_queue side = ocl_queue_make(queue->context, queue->priority, true, &status);

    if (!side)
        return status;
    pthread_mutex_lock(&queue->lock);
    if (!queue->side && !atomic_load(&queue->is_final)) {
        queue->side = side;
        side = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    if (side)
        clReleaseCommandQueue(side);
    return OCL_OK;
}

/* An event behind everything in cl. Queue's lock held. */
static ocl_status mark_plain(struct ocl_queue *queue, cl_event *event)
{
    ocl_status status = clEnqueueMarkerWithWaitList(queue->cl, 0, NULL, event);

    if (status != OCL_OK)
        return status;
    status = clFlush(queue->cl); /* another queue will wait for it */
    if (status != OCL_OK)
        clReleaseEvent(*event);
    return status;
}

/* Puts side behind cl, on the device. Queue's lock held. */
static ocl_status chain_side(struct ocl_queue *queue)
{
    cl_event event;
    ocl_status status = mark_plain(queue, &event);

    if (status == OCL_OK) {
        status = clEnqueueBarrierWithWaitList(queue->side, 1, &event, NULL);
        clReleaseEvent(event);
    }
    return status;
}

/* Replaces the plain queue by the profiled one, unless a thread is just using the plain one: it may be in a blocking
 * call, so nobody waits for it and the next stamp tries again. Queue's lock held. */
static void try_switch(struct ocl_queue *queue)
{
    int nobody = 0;

    if (queue->is_pinned)
        return;
    if (!atomic_compare_exchange_strong(&queue->submitters, &nobody, OCL_SUBMITTERS_SWITCHING))
        return;
    if (chain_side(queue) == OCL_OK) {
        queue->retired = queue->cl;
        queue->cl = queue->side;
        queue->side = NULL;
        atomic_store(&queue->is_final, true);
    }
    atomic_store(&queue->submitters, 0);
}

/* A stamp in the profiled queue beside the plain one. It is in order among its like, because the markers that it waits
 * for are. Queue's lock held. */
static ocl_status stamp_aside(struct ocl_queue *queue, enum ocl_stamp kind, cl_event *event)
{
    cl_event after;
    ocl_status status = mark_plain(queue, &after);

    if (status != OCL_OK)
        return status;
    status = enqueue_stamp(kind, queue->context->stamp_buffer, queue->side, after, event);
    clReleaseEvent(after);
    if (status == OCL_OK)
        status = clFlush(queue->side);
    return status;
}

/* Queue's lock held. */
static ocl_status stamp_queue(struct ocl_queue *queue, enum ocl_stamp kind, cl_event *event)
{
    *event = NULL;
    if (!atomic_load(&queue->is_final))
        try_switch(queue);
    if (!atomic_load(&queue->is_final))
        return stamp_aside(queue, kind, event);
    ocl_status status = enqueue_stamp(kind, queue->context->stamp_buffer, queue->cl, NULL, event);
    if (status == OCL_OK)
        status = clFlush(queue->cl); /* a program may poll the event */
    return status;
}

ocl_status ocl_queue_stamp(struct ocl_queue *queue, cl_event *event, uint64_t *position)
{
    const enum ocl_stamp kind = (enum ocl_stamp)atomic_load(&queue->context->stamp);
    ocl_status status = OCL_OK;

    if (!atomic_load(&queue->is_final))
        status = make_side(queue);
    if (status != OCL_OK)
        return status;
    pthread_mutex_lock(&queue->lock);
    *position = atomic_load(&queue->submitted);
    status = stamp_queue(queue, kind, event);
    pthread_mutex_unlock(&queue->lock);
    if (status != OCL_OK && *event)
        clReleaseEvent(*event);
    if (status == OCL_OK)
        ocl_counter_raise(&queue->flushed, *position);
    return status;
}

ocl_status ocl_queue_pin(struct ocl_queue *queue)
{
    ocl_status status = OCL_OK;

    if (!atomic_load(&queue->is_final))
        status = make_side(queue);
    if (status != OCL_OK)
        return status;
    pthread_mutex_lock(&queue->lock);
    if (!atomic_load(&queue->is_final))
        try_switch(queue);
    queue->is_pinned = true;
    pthread_mutex_unlock(&queue->lock);
    return OCL_OK;
}
