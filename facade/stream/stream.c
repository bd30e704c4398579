/* Streams: creation, the special ones, waiting, host functions.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

#include "cl/check_made.h"
#include "facade/device/device.h"
#include "facade/graph/capture.h"
#include "facade/state/runtime.h"
#include "facade/state/thread_state.h"
#include "facade/stream/event.h"
#include "facade/stream/green.h"
#include "facade/stream/stream.h"
#include "facade/stream/stream_work.h"

static _Atomic uint64_t next_id = 1;

/* What NVIDIA's runtime gives for a stream whose synchronization policy nobody set. */
#define NO_POLICY ((enum cudaSynchronizationPolicy) - 1)

static struct ocl_context *context_cl(struct facade_context *context)
{
    return atomic_load_explicit(&context->cl, memory_order_acquire);
}

/* --- making and unmaking ---------------------------------------------------------------------- */

/* The handle that the user has is the stream, or one that CUDA names. */
static struct facade_stream *new_stream(struct facade_context *context, struct ocl_queue *queue,
                                        cudaStream_t named)
{
    struct facade_stream *stream = facade_handle_make(FACADE_STREAM, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->context = context;
    stream->queue = queue;
    stream->id = atomic_fetch_add(&next_id, 1);
    stream->handle = named != NULL ? named : (cudaStream_t)stream;
    stream->sync_policy = NO_POLICY;
    stream->domain_map.remote = 1;
    return stream;
}

/* The OpenCL context that is being closed takes the queues with it; here only the handles end. */
static void forget_streams(struct facade_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct facade_stream *stream = context->streams;
    context->streams = NULL;
    struct facade_stream *legacy = atomic_exchange(&context->legacy, NULL);
    pthread_mutex_unlock(&context->lock);
    while (stream != NULL) {
        struct facade_stream *next = stream->next;
        facade_capture_leave(stream);
        facade_handle_free(stream);
        stream = next;
    }
    facade_handle_free(legacy);
}

/* Shows it too, so that who has its address from before finds it in the list. false: without memory, and the stream is gone. */
static bool link_stream(struct facade_stream *stream)
{
    struct facade_context *context = stream->context;
    pthread_mutex_lock(&context->lock);
    if (!facade_handle_show(stream)) {
        pthread_mutex_unlock(&context->lock);
        return false;
    }
    stream->next = context->streams;
    if (stream->next != NULL)
        stream->next->previous = stream;
    context->streams = stream;
    atomic_store(&context->forget[FACADE_PART_STREAMS], forget_streams);
    pthread_mutex_unlock(&context->lock);
    return true;
}

/* Its handle goes with it; its queue is the caller's. NULL: another thread has been quicker. */
static struct ocl_queue *unlink_stream(struct facade_context *context, struct facade_stream *stream)
{
    pthread_mutex_lock(&context->lock);
    if (facade_handle_find(FACADE_STREAM, stream) == NULL || stream->context != context) {
        pthread_mutex_unlock(&context->lock);
        return NULL;
    }
    struct ocl_queue *const queue = stream->queue;
    if (stream->previous != NULL)
        stream->previous->next = stream->next;
    else if (context->streams == stream)
        context->streams = stream->next;
    if (stream->next != NULL)
        stream->next->previous = stream->previous;
    facade_handle_free(stream);
    pthread_mutex_unlock(&context->lock);
    return queue;
}

static cudaError_t make_stream(struct facade_context *context, enum ocl_queue_kind kind,
                               int priority, struct facade_stream **made)
{
    struct ocl_queue *queue = NULL;
    struct ocl_context *cl = context_cl(context);
    if (cl == NULL)
        return cudaErrorContextIsDestroyed;
    ocl_status status = ocl_queue_create(cl, kind, priority, &queue);
    if (status != OCL_OK)
        return facade_error_from(status, FACADE_OTHER);
    *made = new_stream(context, queue, NULL);
    if (*made != NULL) {
        (*made)->flags = kind == OCL_QUEUE_BLOCKING ? cudaStreamDefault : cudaStreamNonBlocking;
        (*made)->priority = priority;
        if (link_stream(*made))
            return cudaSuccess;
    }
    *made = NULL;
    ocl_queue_destroy(queue);
    return cudaErrorMemoryAllocation;
}

static void unmake_stream(struct facade_context *context, struct facade_stream *stream)
{
    facade_capture_leave(stream);
    ocl_queue_destroy(unlink_stream(context, stream));
}

/* Another thread may reset the device meanwhile. */
static cudaError_t destroy(struct facade_stream *stream)
{
    struct facade_context *const context = stream->context;
    if (!facade_context_enter(context, FACADE_STREAM, stream))
        return cudaErrorContextIsDestroyed;
    unmake_stream(context, stream);
    facade_context_leave(context);
    return facade_context_check(context);
}

/* A stream of the green context that is current, if one is. */
static cudaError_t make_user_stream(struct facade_context *context, enum ocl_queue_kind kind,
                                    int priority, struct facade_stream **made)
{
    struct facade_green *green = facade_stack_green();
    cudaError_t error = make_stream(context, kind, priority, made);
    if (error != cudaSuccess || green == NULL || *made == NULL)
        return error;
    error = facade_green_join(green, *made);
    if (error != cudaSuccess) {
        unmake_stream(context, *made);
        *made = NULL;
    }
    return error;
}

/* --- the special streams ---------------------------------------------------------------------- */

static struct facade_stream *make_legacy(struct facade_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct facade_stream *made = atomic_load(&context->legacy);
    struct ocl_context *cl = context_cl(context);
    if (made == NULL && cl != NULL) {
        made = new_stream(context, ocl_queue_legacy(cl), cudaStreamLegacy);
        if (made != NULL && !facade_handle_show(made))
            made = NULL;
        atomic_store(&context->forget[FACADE_PART_STREAMS], forget_streams);
        atomic_store(&context->legacy, made);
    }
    pthread_mutex_unlock(&context->lock);
    return made;
}

cudaError_t facade_stream_legacy(struct facade_context *context, struct facade_stream **stream)
{
    *stream = atomic_load_explicit(&context->legacy, memory_order_acquire);
    if (*stream == NULL)
        *stream = make_legacy(context);
    if (*stream == NULL && context_cl(context) == NULL)
        return cudaErrorContextIsDestroyed;
    return *stream != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* One stream per thread and context. The list lives until the thread ends; entries whose context
 * was closed since are dropped when they are met. Another stream may have the handle by then. */
struct thread_stream {
    struct facade_stream *stream;
    uint64_t id; /* the stream's */
    struct thread_stream *next;
};

static bool is_current(const struct thread_stream *entry)
{
    const struct facade_stream *found = facade_handle_find(FACADE_STREAM, entry->stream);
    return found != NULL && found->id == entry->id;
}

/* At the thread's end. */
static void release_streams(struct facade_thread *thread)
{
    while (thread->streams != NULL) {
        struct thread_stream *entry = thread->streams;
        thread->streams = entry->next;
        if (facade_process_state() == cudaSuccess && is_current(entry))
            (void)destroy(entry->stream);
        free(entry);
    }
}

static struct facade_stream *known_thread_stream(struct facade_context *context)
{
    const struct facade_green *green = facade_stack_green();
    for (struct thread_stream **link = &facade_thread()->streams; *link != NULL;) {
        struct thread_stream *entry = *link;
        if (!is_current(entry)) {
            *link = entry->next;
            free(entry);
        } else if (entry->stream->context == context && entry->stream->green == green &&
                   !atomic_load(&entry->stream->is_detached)) {
            return entry->stream;
        } else {
            link = &entry->next;
        }
    }
    return NULL;
}

static cudaError_t per_thread_stream(struct facade_context *context, struct facade_stream **stream)
{
    *stream = known_thread_stream(context);
    if (*stream != NULL)
        return cudaSuccess;
    struct facade_thread *thread = facade_thread();
    struct thread_stream *entry = facade_thread_may_keep(thread) ? malloc(sizeof *entry) : NULL;
    if (entry == NULL)
        return cudaErrorMemoryAllocation;
    cudaError_t error = make_user_stream(context, OCL_QUEUE_BLOCKING, 0, stream);
    if (*stream == NULL) {
        free(entry);
        return error;
    }
    (*stream)->handle = cudaStreamPerThread;
    *entry = (struct thread_stream){*stream, (*stream)->id, thread->streams};
    thread->streams = entry;
    thread->release_streams = release_streams;
    return cudaSuccess;
}

bool facade_stream_is_legacy(cudaStream_t handle)
{
    return handle == cudaStreamLegacy || (handle == NULL && !facade_is_per_thread());
}

static bool is_per_thread(cudaStream_t handle)
{
    return handle == cudaStreamPerThread || (handle == NULL && facade_is_per_thread());
}

static cudaError_t default_stream(struct facade_context *context, struct facade_stream **stream)
{
    struct facade_green *green = facade_stack_green();
    const cudaError_t error = facade_stream_legacy(context, stream);
    return error == cudaSuccess && green != NULL ? facade_green_enter_default(green, *stream)
                                                 : error;
}

/* What is made the first time is of an open context. */
static cudaError_t special_stream(struct facade_context *context, cudaStream_t handle,
                                  struct facade_stream **found)
{
    if (facade_stream_is_legacy(handle) && facade_stack_green() == NULL &&
        (*found = atomic_load_explicit(&context->legacy, memory_order_acquire)) != NULL)
        return cudaSuccess;
    if (!facade_context_enter(context, FACADE_CONTEXT, context))
        return cudaErrorContextIsDestroyed;
    const cudaError_t error = facade_stream_is_legacy(handle) ? default_stream(context, found)
                                                              : per_thread_stream(context, found);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_stream_look(cudaStream_t handle, struct facade_stream **found)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    if (facade_stream_is_legacy(handle) || is_per_thread(handle))
        return special_stream(context, handle, found);
    *found = facade_handle_find(FACADE_STREAM, handle);
    if (*found == NULL)
        return cudaErrorInvalidResourceHandle;
    return atomic_load_explicit(&(*found)->is_detached, memory_order_acquire)
               ? cudaErrorContextIsDestroyed
               : cudaSuccess;
}

struct facade_green *facade_stream_green(const struct facade_stream *stream)
{
    return stream->handle == cudaStreamLegacy ? facade_stack_green() : stream->green;
}

cudaError_t facade_stream_find(cudaStream_t handle, struct facade_stream **found)
{
    bool is_capturing = false;
    cudaError_t error = facade_stream_look(handle, found);
    return error == cudaSuccess ? facade_capture_check(*found, FACADE_TO_SUBMIT, &is_capturing)
                                : error;
}

cudaError_t facade_stream_find_to_capture(cudaStream_t handle, struct facade_stream **found,
                                          bool *is_capturing)
{
    *is_capturing = false;
    cudaError_t error = facade_stream_look(handle, found);
    return error == cudaSuccess ? facade_capture_check(*found, FACADE_TO_CAPTURE, is_capturing)
                                : error;
}

cudaError_t facade_stream_find_to_wait(cudaStream_t handle, struct facade_stream **found)
{
    cudaError_t error = facade_stream_look(handle, found);
    return error == cudaSuccess ? facade_capture_check_wait(*found) : error;
}

/* --- what both APIs do with streams ----------------------------------------------------------- */

static int clamped(int priority)
{
    if (priority > FACADE_PRIORITY_LEAST)
        return FACADE_PRIORITY_LEAST;
    return priority < FACADE_PRIORITY_GREATEST ? FACADE_PRIORITY_GREATEST : priority;
}

cudaError_t facade_stream_create(cudaStream_t *handle, unsigned flags, int priority)
{
    struct facade_context *context = NULL;
    struct facade_stream *stream = NULL;
    if (handle == NULL || (flags & ~(unsigned)cudaStreamNonBlocking) != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current_enter(&context);
    if (error != cudaSuccess)
        return error;
    error = make_user_stream(
        context, (flags & cudaStreamNonBlocking) != 0 ? OCL_QUEUE_NON_BLOCKING : OCL_QUEUE_BLOCKING,
        clamped(priority), &stream);
    if (stream != NULL) {
        *handle = stream->handle;
        ocl_made_note("stream", stream->handle, context);
    }
    facade_context_leave(context);
    return error;
}

cudaError_t facade_stream_create_apart(struct facade_stream **stream)
{
    struct facade_context *context = NULL;
    const cudaError_t error = facade_current(&context);
    return error == cudaSuccess ? make_stream(context, OCL_QUEUE_APART, 0, stream) : error;
}

cudaError_t facade_stream_destroy(cudaStream_t handle)
{
    cudaError_t error = facade_process_state();
    if (error == cudaErrorCudartUnloading)
        ocl_made_forget(handle);
    if (error != cudaSuccess)
        return error;
    struct facade_stream *stream = facade_handle_find(FACADE_STREAM, handle);
    if (stream == NULL || stream->handle != handle)
        return cudaErrorInvalidResourceHandle;
    return destroy(stream);
}

/* Another thread may reset the device meanwhile. */
static cudaError_t ask_queue(struct facade_stream *stream,
                             ocl_status (*ask)(struct ocl_queue *queue))
{
    struct facade_context *const context = stream->context;
    if (!facade_context_enter(context, FACADE_STREAM, stream))
        return cudaErrorContextIsDestroyed;
    const cudaError_t error = facade_error_from(ask(stream->queue), FACADE_OTHER);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_stream_synchronize(cudaStream_t handle)
{
    struct facade_stream *stream = NULL;
    const cudaError_t error = facade_stream_find_to_wait(handle, &stream);
    return error == cudaSuccess ? ask_queue(stream, ocl_queue_finish) : error;
}

cudaError_t facade_stream_query(cudaStream_t handle)
{
    struct facade_stream *stream = NULL;
    const cudaError_t error = facade_stream_find_to_wait(handle, &stream);
    return error == cudaSuccess ? ask_queue(stream, ocl_queue_query) : error;
}

/* An event of no capture is a node in one. */
static cudaError_t wait_external(struct facade_stream *stream, cudaEvent_t event, bool is_capturing)
{
    struct facade_work *work = NULL;
    if (!is_capturing)
        return cudaErrorIllegalState;
    cudaError_t error = facade_work_of_wait(event, &work);
    return error == cudaSuccess ? facade_capture_add(stream, cudaGraphNodeTypeWaitEvent, work, NULL)
                                : error;
}

cudaError_t facade_stream_wait_event(cudaStream_t handle, cudaEvent_t event, unsigned flags)
{
    struct facade_stream *stream = NULL;
    struct facade_event *found = NULL;
    bool is_capturing = false, is_done = false;
    cudaError_t error = facade_stream_find_to_capture(handle, &stream, &is_capturing);
    if (error != cudaSuccess)
        return error;
    if ((flags & ~(unsigned)cudaEventWaitExternal) != 0)
        return cudaErrorInvalidValue;
    error = facade_event_find(event, &found);
    if (error != cudaSuccess)
        return error;
    if (flags == cudaEventWaitExternal)
        return wait_external(stream, event, is_capturing);
    error = facade_capture_wait(found, stream, &is_done);
    if (error != cudaSuccess || is_done)
        return error;
    struct facade_context *const context = stream->context;
    if (!facade_context_enter(context, FACADE_STREAM, stream))
        return cudaErrorContextIsDestroyed;
    error = facade_event_wait_in(event, stream);
    facade_context_leave(context);
    return error;
}

/* --- host functions and callbacks ------------------------------------------------------------- */

struct host_call {
    cudaHostFn_t function;
    cudaStreamCallback_t callback;
    CUstreamCallback driver_callback;
    cudaStream_t stream;
    void *data;
};

static void end_host_call(void *call)
{
    facade_host_function_end();
    free(call);
}

/* A function that ends its thread has returned. */
static void run_host_call(void *data, ocl_status status)
{
    struct host_call *call = data;
    cudaError_t error = facade_error_from(status, FACADE_OTHER);
    facade_host_function_begin();
    pthread_cleanup_push(end_host_call, call);
    if (call->callback != NULL)
        call->callback(call->stream, error, call->data);
    else if (call->driver_callback != NULL)
        call->driver_callback(call->stream, facade_driver_error(error), call->data);
    else if (status == OCL_OK)
        call->function(call->data);
    pthread_cleanup_pop(1);
}

/* The call is freed by run_host_call(), which always runs, after a failure too. */
static cudaError_t enqueue_host_call(struct facade_stream *stream, const struct host_call *wanted)
{
    struct host_call *call = malloc(sizeof *call);
    if (call == NULL)
        return cudaErrorMemoryAllocation;
    struct facade_context *const context = stream->context;
    if (!facade_context_enter(context, FACADE_STREAM, stream)) {
        free(call);
        return cudaErrorContextIsDestroyed;
    }
    *call = *wanted;
    ocl_status status = ocl_queue_host_function(stream->queue, run_host_call, call, true);
    if (status != OCL_OK)
        free(call);
    facade_context_leave(context);
    return facade_error_from(status, FACADE_OTHER);
}

static cudaError_t add_host_call(cudaStream_t handle, const struct host_call *call)
{
    struct facade_stream *stream = NULL;
    cudaError_t error = facade_stream_find(handle, &stream);
    return error == cudaSuccess ? enqueue_host_call(stream, call) : error;
}

cudaError_t facade_stream_call(struct facade_stream *stream, cudaHostFn_t function, void *data)
{
    const struct host_call call = {.function = function, .data = data};
    return enqueue_host_call(stream, &call);
}

cudaError_t facade_stream_host_function(cudaStream_t handle, cudaHostFn_t function, void *data)
{
    const struct cudaHostNodeParams params = {function, data};
    struct facade_stream *stream = NULL;
    struct facade_work *work = NULL;
    bool is_capturing = false;
    if (function == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_stream_find_to_capture(handle, &stream, &is_capturing);
    if (error != cudaSuccess || !is_capturing)
        return error == cudaSuccess ? facade_stream_call(stream, function, data) : error;
    error = facade_work_of_host(&params, &work);
    return error == cudaSuccess ? facade_capture_add(stream, cudaGraphNodeTypeHost, work, NULL)
                                : error;
}

static cudaError_t add_callback(cudaStream_t handle, cudaStreamCallback_t callback, void *data,
                                unsigned flags)
{
    const struct host_call call = {.callback = callback, .stream = handle, .data = data};
    return callback != NULL && flags == 0 ? add_host_call(handle, &call) : cudaErrorInvalidValue;
}

cudaError_t facade_stream_add_driver_callback(cudaStream_t handle, CUstreamCallback callback,
                                              void *data, unsigned flags)
{
    const struct host_call call = {.driver_callback = callback, .stream = handle, .data = data};
    return callback != NULL && flags == 0 ? add_host_call(handle, &call) : cudaErrorInvalidValue;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
    return facade_result(facade_stream_create(pStream, cudaStreamDefault, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    return facade_result(facade_stream_create(pStream, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
    return facade_result(facade_stream_create(pStream, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return facade_result(facade_stream_destroy(stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return facade_result(facade_stream_synchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return facade_result(facade_stream_query(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    return facade_result(facade_stream_wait_event(stream, event, flags));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    return facade_result(facade_stream_host_function(stream, fn, userData));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags)
{
    return facade_result(add_callback(stream, callback, userData, flags));
}
