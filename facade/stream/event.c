/* Events: creation, recording, waiting, timing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/stream/event.h"

#include <string.h>

#include "cl/check_made.h"
#include "cl/share.h"
#include "facade/graph/capture.h"
#include "facade/state/runtime.h"
#include "facade/stream/stream.h"
#include "facade/stream/stream_work.h"

enum { KNOWN_FLAGS = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess };

static void forget_events(struct facade_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct facade_event *event = context->events;
    context->events = NULL;
    pthread_mutex_unlock(&context->lock);
    while (event != NULL) {
        struct facade_event *next = event->next;
        struct ocl_event *inner = event->event;
        facade_capture_forget_event(event);
        facade_handle_free(event);
        ocl_event_destroy(inner);
        event = next;
    }
}

/* Shows it too, so that who has its address from before finds it in the list. false: without memory, and the event is gone. */
static bool link_event(struct facade_event *event)
{
    struct facade_context *context = event->context;
    pthread_mutex_lock(&context->lock);
    if (!facade_handle_show(event)) {
        pthread_mutex_unlock(&context->lock);
        return false;
    }
    event->next = context->events;
    if (event->next != NULL)
        event->next->previous = event;
    context->events = event;
    atomic_store(&context->forget[FACADE_PART_EVENTS], forget_events);
    pthread_mutex_unlock(&context->lock);
    return true;
}

/* Its handle goes with it; what it stands for is the caller's. NULL: another thread has been quicker. */
static struct ocl_event *unlink_event(struct facade_context *context, struct facade_event *event)
{
    pthread_mutex_lock(&context->lock);
    if (facade_handle_find(FACADE_EVENT, event) == NULL || event->context != context) {
        pthread_mutex_unlock(&context->lock);
        return NULL;
    }
    struct ocl_event *const inner = event->event;
    if (event->previous != NULL)
        event->previous->next = event->next;
    else if (context->events == event)
        context->events = event->next;
    if (event->next != NULL)
        event->next->previous = event->previous;
    facade_handle_free(event);
    pthread_mutex_unlock(&context->lock);
    return inner;
}

cudaError_t facade_event_find(cudaEvent_t handle, struct facade_event **found)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    if (handle == NULL)
        return cudaErrorInvalidResourceHandle;
    *found = facade_handle_find(FACADE_EVENT, handle);
    return *found != NULL ? cudaSuccess : cudaErrorContextIsDestroyed;
}

/* Another thread may reset the device meanwhile. Success: the caller leaves the context. */
static cudaError_t enter(const struct facade_event *event, struct facade_context **context)
{
    *context = event->context;
    return facade_context_enter(*context, FACADE_EVENT, event) ? cudaSuccess
                                                               : cudaErrorContextIsDestroyed;
}

/* Takes over inner. */
static cudaError_t make_event_of(struct facade_context *context, struct ocl_event *inner,
                                 unsigned flags, struct facade_event **made)
{
    *made = facade_handle_make(FACADE_EVENT, sizeof **made);
    if (*made != NULL) {
        (*made)->context = context;
        (*made)->event = inner;
        (*made)->flags = flags;
    }
    if (*made != NULL && link_event(*made))
        return cudaSuccess;
    ocl_event_destroy(inner);
    return cudaErrorMemoryAllocation;
}

static cudaError_t make_event(struct facade_context *context, unsigned flags,
                              struct facade_event **made)
{
    struct ocl_context *cl = atomic_load(&context->cl);
    struct ocl_event *inner = NULL;
    if (cl == NULL) /* a reset has begun meanwhile */
        return cudaErrorContextIsDestroyed;
    const ocl_status status =
        (flags & cudaEventInterprocess) != 0
            ? ocl_share_create_event(cl, &inner)
            : ocl_event_create(cl, (flags & cudaEventDisableTiming) == 0, &inner);
    return status == OCL_OK ? make_event_of(context, inner, flags, made)
                            : facade_error_from(status, FACADE_OTHER);
}

cudaError_t facade_event_create(cudaEvent_t *handle, unsigned flags)
{
    struct facade_context *context = NULL;
    struct facade_event *event = NULL;
    if (handle == NULL || (flags & ~(unsigned)KNOWN_FLAGS) != 0)
        return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current_enter(&context);
    if (error != cudaSuccess)
        return error;
    error = make_event(context, flags, &event);
    if (error == cudaSuccess) {
        *handle = (cudaEvent_t)event;
        ocl_made_note("event", event, context);
    }
    facade_context_leave(context);
    return error;
}

cudaError_t facade_event_handle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    struct facade_event *found = NULL;
    struct ocl_share_handle made;
    if (handle == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_event_find(event, &found);
    if (error != cudaSuccess)
        return error;
    if (!ocl_share_is_possible(ocl_event_context(found->event)))
        return cudaErrorNotSupported;
    error = facade_error_from(ocl_share_event(found->event, &made), FACADE_SHARING);
    if (error == cudaSuccess)
        memcpy(handle, &made, sizeof *handle);
    return error;
}

cudaError_t facade_event_open(cudaEvent_t *event, const cudaIpcEventHandle_t *handle)
{
    struct facade_context *context = NULL;
    struct facade_event *made = NULL;
    struct ocl_event *inner = NULL;
    struct ocl_share_handle given;
    if (event == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current_enter(&context);
    if (error != cudaSuccess)
        return error;
    memcpy(&given, handle, sizeof given);
    error = facade_error_from(ocl_share_open_event(atomic_load(&context->cl), &given, &inner),
                              FACADE_SHARING);
    if (error == cudaSuccess)
        error = make_event_of(context, inner, cudaEventDisableTiming, &made);
    if (error == cudaSuccess)
        *event = (cudaEvent_t)made;
    facade_context_leave(context);
    return error;
}

cudaError_t facade_event_destroy(cudaEvent_t handle)
{
    struct facade_event *event = NULL;
    struct facade_context *context = NULL;
    cudaError_t error = facade_event_find(handle, &event);
    if (error == cudaErrorCudartUnloading)
        ocl_made_forget(handle);
    if (error == cudaSuccess)
        error = enter(event, &context);
    if (error != cudaSuccess)
        return error;
    facade_capture_forget_event(event);
    ocl_event_destroy(unlink_event(context, event));
    facade_context_leave(context);
    return facade_context_check(context);
}

/* In a capture, an event is a mark of what comes before it, or, for who is outside, a node. */
static cudaError_t record_captured(struct facade_event *event, struct facade_stream *stream,
                                   unsigned flags)
{
    struct facade_work *work = NULL;
    if (flags != cudaEventRecordExternal)
        return facade_capture_record(event, stream);
    cudaError_t error = facade_work_of_record((cudaEvent_t)event, &work);
    return error == cudaSuccess
               ? facade_capture_add(stream, cudaGraphNodeTypeEventRecord, work, NULL)
               : error;
}

cudaError_t facade_event_record(cudaEvent_t handle, cudaStream_t stream_handle, unsigned flags)
{
    struct facade_event *event = NULL;
    struct facade_stream *stream = NULL;
    bool is_capturing = false;
    cudaError_t error = facade_event_find(handle, &event);
    if (error == cudaSuccess)
        error = facade_stream_find_to_capture(stream_handle, &stream, &is_capturing);
    if (error != cudaSuccess)
        return error;
    if ((flags & ~(unsigned)cudaEventRecordExternal) != 0)
        return cudaErrorInvalidValue;
    if (flags == cudaEventRecordExternal && !is_capturing)
        return cudaErrorIllegalState;
    if (event->context != stream->context)
        return cudaErrorInvalidResourceHandle;
    return is_capturing ? record_captured(event, stream, flags)
                        : facade_event_record_in(handle, stream);
}

cudaError_t facade_event_record_in(cudaEvent_t handle, struct facade_stream *stream)
{
    struct facade_event *event = NULL;
    cudaError_t error = facade_event_find(handle, &event);
    if (error != cudaSuccess)
        return error;
    if (event->context != stream->context)
        return cudaErrorInvalidResourceHandle;
    struct facade_context *context = NULL;
    error = enter(event, &context);
    if (error != cudaSuccess)
        return error;
    facade_capture_forget_event(event);
    error = facade_error_from(ocl_event_record(event->event, stream->queue), FACADE_OTHER);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_event_wait_in(cudaEvent_t handle, struct facade_stream *stream)
{
    struct facade_event *event = NULL;
    struct facade_context *context = NULL;
    cudaError_t error = facade_event_find(handle, &event);
    if (error == cudaSuccess)
        error = enter(event, &context);
    if (error != cudaSuccess)
        return error;
    error = facade_error_from(ocl_event_wait_in_queue(event->event, stream->queue), FACADE_OTHER);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_event_record_context(cudaEvent_t handle, struct facade_context *context)
{
    struct facade_event *event = NULL;
    cudaError_t error = facade_context_check(context);
    if (error == cudaSuccess)
        error = facade_event_find(handle, &event);
    if (error == cudaSuccess && event->context != context)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = facade_capture_check_context(context);
    if (error == cudaSuccess)
        error = enter(event, &context);
    if (error != cudaSuccess)
        return error;
    facade_capture_forget_event(event);
    error = facade_error_from(ocl_event_record_all(event->event), FACADE_OTHER);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_event_wait_context(cudaEvent_t handle, struct facade_context *context)
{
    struct facade_event *event = NULL;
    cudaError_t error = facade_context_check(context);
    if (error == cudaSuccess)
        error = facade_event_find(handle, &event);
    if (error == cudaSuccess)
        error = facade_capture_check_event(event);
    if (error == cudaSuccess)
        error = facade_capture_check_context(context);
    if (error != cudaSuccess)
        return error;
    return facade_error_from(ocl_event_wait_in_all(event->event, atomic_load(&context->cl)),
                             FACADE_OTHER);
}

/* Whether work is done can be told of what is no part of a capture, and while none forbids to ask. */
static cudaError_t find_to_ask(cudaEvent_t handle, struct facade_event **event)
{
    cudaError_t error = facade_event_find(handle, event);
    if (error == cudaSuccess)
        error = facade_capture_check_event(*event);
    return error == cudaSuccess ? facade_capture_check_call() : error;
}

static cudaError_t ask_event(cudaEvent_t handle, ocl_status (*ask)(struct ocl_event *event))
{
    struct facade_event *event = NULL;
    struct facade_context *context = NULL;
    cudaError_t error = find_to_ask(handle, &event);
    if (error == cudaSuccess)
        error = enter(event, &context);
    if (error != cudaSuccess)
        return error;
    error = facade_error_from(ask(event->event), FACADE_OTHER);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_event_query(cudaEvent_t handle)
{
    return ask_event(handle, ocl_event_query);
}

cudaError_t facade_event_synchronize(cudaEvent_t handle)
{
    return ask_event(handle, ocl_event_wait);
}

static cudaError_t elapsed_within(float *milliseconds, const struct facade_event *first,
                                  const struct facade_event *last)
{
    double nanoseconds = 0;
    if (facade_handle_find(FACADE_EVENT, last) == NULL)
        return cudaErrorContextIsDestroyed;
    if (!ocl_event_is_recorded(first->event) || !ocl_event_is_recorded(last->event))
        return cudaErrorInvalidResourceHandle;
    ocl_status status = ocl_event_elapsed(first->event, last->event, &nanoseconds);
    if (status == OCL_OK)
        *milliseconds = (float)(nanoseconds / 1e6);
    return facade_error_from(status, FACADE_OTHER);
}

cudaError_t facade_event_elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    struct facade_event *first = NULL, *last = NULL;
    struct facade_context *context = NULL;
    if (milliseconds == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_event_find(start, &first);
    if (error == cudaSuccess)
        error = facade_event_find(end, &last);
    if (error != cudaSuccess)
        return error;
    if (((first->flags | last->flags) & cudaEventDisableTiming) != 0 ||
        first->context != last->context)
        return cudaErrorInvalidResourceHandle;
    error = facade_capture_check_time(first);
    if (error == cudaSuccess)
        error = facade_capture_check_time(last);
    if (error == cudaSuccess)
        error = enter(first, &context);
    if (error != cudaSuccess)
        return error;
    error = elapsed_within(milliseconds, first, last);
    facade_context_leave(context);
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return facade_result(facade_event_create(event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return facade_result(facade_event_create(event, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return facade_result(facade_event_destroy(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return facade_result(facade_event_record(event, stream, cudaEventRecordDefault));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    return facade_result(facade_event_record(event, stream, flags));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return facade_result(facade_event_query(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return facade_result(facade_event_synchronize(event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return facade_result(facade_event_elapsed(ms, start, end));
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    return facade_result(facade_event_handle(handle, event));
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    return facade_result(facade_event_open(event, &handle));
}
