/* Green contexts. Their default stream is that of the primary context, so that its blocking streams, in whichever green
 * context they are, keep their order with it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/stream/green.h"

#include "cl/event.h"
#include "facade/graph/capture.h"
#include "facade/state/runtime.h"

/* --- making and unmaking ---------------------------------------------------------------------- */

static void free_green(struct facade_green *green)
{
    facade_handle_free(green->handle);
    facade_handle_free(green);
}

/* The OpenCL context that is being closed takes the entrances with it. */
static void forget_greens(struct facade_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct facade_green *green = context->greens;
    context->greens = NULL;
    pthread_mutex_unlock(&context->lock);
    while (green != NULL) {
        struct facade_green *next = green->next;
        free_green(green);
        green = next;
    }
}

static void link_green(struct facade_green *green)
{
    struct facade_context *context = green->context;
    pthread_mutex_lock(&context->lock);
    green->next = context->greens;
    if (green->next != NULL)
        green->next->previous = green;
    context->greens = green;
    atomic_store(&context->forget[FACADE_PART_GREENS], forget_greens);
    pthread_mutex_unlock(&context->lock);
}

static struct facade_green *new_green(struct facade_context *primary, unsigned multiprocessors)
{
    struct facade_green *green = facade_handle_new(FACADE_GREEN, sizeof *green);
    if (green == NULL)
        return NULL;
    green->handle = facade_handle_new(FACADE_GREEN_CONTEXT, sizeof *green->handle);
    if (green->handle == NULL) {
        facade_handle_free(green);
        return NULL;
    }
    green->handle->green = green;
    green->context = primary;
    green->id = facade_context_next_id();
    green->multiprocessors = multiprocessors;
    link_green(green);
    return green;
}

cudaError_t facade_green_create(int device, unsigned multiprocessors, struct facade_green **made)
{
    struct facade_context *primary = facade_primary(device);
    const cudaError_t error = facade_primary_retain(primary);
    *made = error == cudaSuccess ? new_green(primary, multiprocessors) : NULL;
    if (*made != NULL)
        return cudaSuccess;
    (void)facade_primary_release(primary);
    return error != cudaSuccess ? error : cudaErrorMemoryAllocation;
}

/* Lock of the context held. */
static void unlink_green(struct facade_green *green)
{
    if (green->previous != NULL)
        green->previous->next = green->next;
    else if (green->context->greens == green)
        green->context->greens = green->next;
    if (green->next != NULL)
        green->next->previous = green->previous;
}

/* Lock of the context held. */
static void detach_streams(const struct facade_green *green)
{
    for (struct facade_stream *s = green->context->streams; s != NULL; s = s->next)
        if (s->green == green)
            atomic_store(&s->is_detached, true);
}

void facade_green_destroy(struct facade_green *green)
{
    struct facade_context *context = green->context;
    (void)facade_capture_check_green(green);
    pthread_mutex_lock(&context->lock);
    unlink_green(green);
    detach_streams(green);
    pthread_mutex_unlock(&context->lock);
    struct ocl_queue *entrance = green->entrance;
    free_green(green);
    if (entrance != NULL)
        ocl_queue_destroy(entrance);
    (void)facade_primary_release(context);
}

/* --- order ------------------------------------------------------------------------------------ */

/* Lock of the context held, so that streams stay. */
static ocl_status follow_streams(struct ocl_queue *queue, const struct facade_green *green)
{
    const struct facade_context *context = green->context;
    struct facade_stream *legacy = atomic_load(&context->legacy);
    ocl_status status = OCL_OK;
    for (struct facade_stream *s = context->streams; status == OCL_OK && s != NULL; s = s->next)
        if (s->green == green)
            status = ocl_event_follow(queue, s->queue);
    if (status == OCL_OK && atomic_load(&green->has_default) && legacy != NULL)
        status = ocl_event_follow(queue, legacy->queue);
    return status;
}

/* A queue of its own gathers the streams' work: it goes when that is complete. */
ocl_status facade_green_gather(struct facade_green *green, struct ocl_event *event)
{
    struct facade_context *context = green->context;
    struct ocl_queue *all = NULL;
    ocl_status status = ocl_queue_create(atomic_load(&context->cl), OCL_QUEUE_APART, 0, &all);
    if (status != OCL_OK)
        return status;
    pthread_mutex_lock(&context->lock);
    status = follow_streams(all, green);
    pthread_mutex_unlock(&context->lock);
    if (status == OCL_OK)
        status = ocl_event_record(event, all);
    ocl_queue_destroy(all);
    return status;
}

/* Lock of the context held. */
static ocl_status wait_in_streams(struct facade_green *green, struct ocl_event *event)
{
    ocl_status status = OCL_OK;
    if (green->entrance == NULL)
        status = ocl_queue_create(atomic_load(&green->context->cl), OCL_QUEUE_APART, 0,
                                  &green->entrance);
    if (status == OCL_OK)
        status = ocl_event_wait_in_queue(event, green->entrance);
    struct facade_stream *stream = green->context->streams;
    for (; status == OCL_OK && stream != NULL; stream = stream->next)
        if (stream->green == green)
            status = ocl_event_wait_in_queue(event, stream->queue);
    atomic_fetch_add(&green->waits, 1);
    return status;
}

ocl_status facade_green_hold(struct facade_green *green, struct ocl_event *event)
{
    pthread_mutex_lock(&green->context->lock);
    const ocl_status status = wait_in_streams(green, event);
    pthread_mutex_unlock(&green->context->lock);
    return status;
}

/* --- streams ---------------------------------------------------------------------------------- */

cudaError_t facade_green_join(struct facade_green *green, struct facade_stream *stream)
{
    ocl_status status = OCL_OK;
    pthread_mutex_lock(&green->context->lock);
    stream->green = green;
    if (green->entrance != NULL)
        status = ocl_event_follow(stream->queue, green->entrance);
    pthread_mutex_unlock(&green->context->lock);
    return facade_error_from(status, FACADE_OTHER);
}

cudaError_t facade_green_enter_default(struct facade_green *green, struct facade_stream *legacy)
{
    const uint64_t waits = atomic_load(&green->waits);
    ocl_status status = OCL_OK;
    atomic_store(&green->has_default, true);
    if (atomic_load(&green->default_waits) == waits)
        return cudaSuccess;
    pthread_mutex_lock(&green->context->lock);
    if (green->entrance != NULL)
        status = ocl_event_follow(legacy->queue, green->entrance);
    if (status == OCL_OK)
        atomic_store(&green->default_waits, waits);
    pthread_mutex_unlock(&green->context->lock);
    return facade_error_from(status, FACADE_OTHER);
}
