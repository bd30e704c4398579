/* Green contexts: events of all their streams.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/event.h"
#include "facade/graph/capture.h"
#include "facade/state/runtime.h"
#include "facade/stream/event.h"
#include "facade/stream/green.h"
#include "facade/stream/stream.h"

static cudaError_t find_event(struct facade_green *green, cudaEvent_t handle,
                              struct facade_event **event)
{
    cudaError_t error = facade_context_check(green->context);
    if (error == cudaSuccess)
        error = facade_event_find(handle, event);
    return error;
}

cudaError_t facade_green_record(struct facade_green *green, cudaEvent_t handle)
{
    struct facade_event *event = NULL;
    cudaError_t error = find_event(green, handle, &event);
    if (error == cudaSuccess && event->context != green->context)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = facade_capture_check_green(green);
    if (error != cudaSuccess)
        return error;
    facade_capture_forget_event(event);
    return facade_error_from(facade_green_gather(green, event->event), FACADE_OTHER);
}

cudaError_t facade_green_finish(struct facade_green *green)
{
    struct ocl_event *event = NULL;
    cudaError_t error = facade_context_check(green->context);
    if (error == cudaSuccess)
        error = facade_capture_check_green(green);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error != cudaSuccess)
        return error;
    ocl_status status = ocl_event_create(atomic_load(&green->context->cl), false, &event);
    if (status != OCL_OK)
        return facade_error_from(status, FACADE_OTHER);
    status = facade_green_gather(green, event);
    if (status == OCL_OK)
        status = ocl_event_wait(event);
    ocl_event_destroy(event);
    return facade_error_from(status, FACADE_OTHER);
}

cudaError_t facade_green_wait(struct facade_green *green, cudaEvent_t handle)
{
    struct facade_event *event = NULL;
    cudaError_t error = find_event(green, handle, &event);
    if (error == cudaSuccess)
        error = facade_capture_check_event(event);
    if (error == cudaSuccess)
        error = facade_capture_check_green(green);
    if (error != cudaSuccess)
        return error;
    return facade_error_from(facade_green_hold(green, event->event), FACADE_OTHER);
}

cudaError_t facade_green_create_stream(struct facade_green *green, int priority,
                                       cudaStream_t *handle)
{
    cudaError_t error = facade_context_check(green->context);
    if (error != cudaSuccess)
        return error;
    if (!facade_stack_push((struct facade_context *)green->handle))
        return cudaErrorMemoryAllocation;
    error = facade_stream_create(handle, cudaStreamNonBlocking, priority);
    (void)facade_stack_pop();
    return error;
}
