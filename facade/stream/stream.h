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
cudaError_t facade_stream_destroy(cudaStream_t handle);

/* Whether the handle names the legacy stream for this thread: 0 or cudaStreamLegacy. */
bool facade_stream_is_legacy(cudaStream_t handle);

cudaError_t facade_stream_synchronize(cudaStream_t handle);
cudaError_t facade_stream_query(cudaStream_t handle);

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

/* Swaps the calling thread's capture mode with *mode. Needs: mode is not NULL. */
cudaError_t facade_exchange_capture_mode(int *mode);

#endif
