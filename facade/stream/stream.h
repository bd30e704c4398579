/* Streams as runtime and driver API share them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_STREAM_H
#define FACADE_STREAM_H

#include "facade/state/handles.h"

/* The context's legacy stream, made when the context was opened. */
cudaError_t facade_stream_legacy(struct facade_context *context, struct facade_stream **stream);

/* Makes a stream of the current context. Errors: cudaErrorInvalidValue for flags other than 0 and
 * cudaStreamNonBlocking. priority is clamped to the range. */
cudaError_t facade_stream_create(cudaStream_t *handle, unsigned flags, int priority);

/* Makes a non-blocking one for work that other streams were given before, and wait for: it does not wait for what the whole
 * context waits for since. */
cudaError_t facade_stream_create_apart(struct facade_stream **stream);
cudaError_t facade_stream_destroy(cudaStream_t handle);

/* The green context that a stream that was found is in, the current one for the default stream; NULL: none. */
struct facade_green *facade_stream_green(const struct facade_stream *stream);

/* Whether the handle names the legacy stream for this thread: 0 or cudaStreamLegacy. */
bool facade_stream_is_legacy(cudaStream_t handle);

cudaError_t facade_stream_synchronize(cudaStream_t handle);
cudaError_t facade_stream_query(cudaStream_t handle);

/* As facade_stream_find(), for calls that a stream may capture instead; and for those that only ask the handle's own
 * properties, which captures do not mind. */
cudaError_t facade_stream_find_to_capture(cudaStream_t handle, struct facade_stream **found,
                                          bool *is_capturing);
cudaError_t facade_stream_look(cudaStream_t handle, struct facade_stream **found);

/* As facade_stream_find(), for calls that facade_capture_check_wait() is for. */
cudaError_t facade_stream_find_to_wait(cudaStream_t handle, struct facade_stream **found);

/* A stream's flags, which nobody may ask for while it captures: NVIDIA's runtime spoils the capture, too. */
cudaError_t facade_stream_flags(cudaStream_t handle, unsigned *flags);

/* Errors: cudaErrorInvalidValue for unknown flags; cudaErrorIllegalState for
 *         cudaEventWaitExternal. */
cudaError_t facade_stream_wait_event(cudaStream_t handle, cudaEvent_t event, unsigned flags);

/* function(data) after earlier work, not at all when that failed. */
cudaError_t facade_stream_host_function(cudaStream_t handle, cudaHostFn_t function, void *data);

/* The same, for a function, in a stream that was found. */
cudaError_t facade_stream_call(struct facade_stream *stream, cudaHostFn_t function, void *data);

/* callback(stream, status, data) after earlier work, also when that failed. */
cudaError_t facade_stream_add_driver_callback(cudaStream_t handle, CUstreamCallback callback,
                                              void *data, unsigned flags);

/* stream_query.c. attribute: cudaLaunchAttributeID. Errors: cudaErrorInvalidValue for one that
 * streams do not have. */
cudaError_t facade_stream_get_attribute(cudaStream_t handle, int attribute,
                                        cudaLaunchAttributeValue *value);
cudaError_t facade_stream_set_attribute(cudaStream_t handle, int attribute,
                                        const cudaLaunchAttributeValue *value);
cudaError_t facade_stream_copy_attributes(cudaStream_t target, cudaStream_t source);

/* cudaErrorInvalidValue unless hitRatio is from 0 to 1 and the properties are there; a miss does not persist. Its bytes are
 * a hint without a limit. Source: CUDA Runtime API 13.0, cudaAccessPolicyWindow. */
cudaError_t facade_window_check(const struct cudaAccessPolicyWindow *window);

/* capture_calls.c: mode is cudaStreamCaptureMode or CUstreamCaptureMode. Errors: those of the runtime's functions. */
cudaError_t facade_stream_begin_capture(cudaStream_t handle, int mode);
cudaError_t facade_stream_begin_capture_to(cudaStream_t handle, cudaGraph_t graph,
                                           const cudaGraphNode_t *nodes,
                                           const cudaGraphEdgeData *edges, size_t count, int mode);
cudaError_t facade_stream_end_capture(cudaStream_t handle, cudaGraph_t *graph);

/* status: cudaStreamCaptureStatus or CUstreamCaptureStatus; all other results may be NULL, and stay as they are for a
 * stream that is not capturing. */
cudaError_t facade_stream_capture_info(cudaStream_t handle, int *status, unsigned long long *id,
                                       cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                       const cudaGraphEdgeData **edges, size_t *count);
cudaError_t facade_stream_depend(cudaStream_t handle, const cudaGraphNode_t *nodes,
                                 const cudaGraphEdgeData *edges, size_t count, unsigned flags);

/* Swaps the calling thread's capture mode with *mode. Needs: mode is not NULL. */
cudaError_t facade_exchange_capture_mode(int *mode);

#endif
