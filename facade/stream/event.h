/* Events as runtime and driver API share them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_EVENT_H
#define FACADE_EVENT_H

#include "facade/state/handles.h"

/* The live event a handle means.
 * Errors: cudaErrorInvalidResourceHandle for NULL; cudaErrorContextIsDestroyed for one that was
 *         destroyed, as NVIDIA's runtime says it. */
cudaError_t facade_event_find(cudaEvent_t handle, struct facade_event **found);

/* Errors: cudaErrorInvalidValue for unknown flags, or interprocess without disabled timing. */
cudaError_t facade_event_create(cudaEvent_t *handle, unsigned flags);

/* The handle by which other processes open an interprocess event of this one; what such a handle opens, in the current context: an
 * event without timing.
 * Errors: cudaErrorInvalidResourceHandle for an event that is not of this process, or not interprocess, and for a handle whose
 *         event or process is gone or another user's; cudaErrorDeviceUninitialized, which is CUDA_ERROR_INVALID_CONTEXT, in the
 *         process whose handle it is; cudaErrorNotSupported where cudaDevAttrIpcEventSupport is 0. */
cudaError_t facade_event_handle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
cudaError_t facade_event_open(cudaEvent_t *event, const cudaIpcEventHandle_t *handle);

cudaError_t facade_event_destroy(cudaEvent_t handle);

/* Errors: cudaErrorInvalidValue for unknown flags; cudaErrorIllegalState for
 *         cudaEventRecordExternal. */
cudaError_t facade_event_record(cudaEvent_t handle, cudaStream_t stream, unsigned flags);
cudaError_t facade_event_record_in(cudaEvent_t handle, struct facade_stream *stream);
cudaError_t facade_event_wait_in(cudaEvent_t handle, struct facade_stream *stream);
cudaError_t facade_event_query(cudaEvent_t handle);

/* cuCtxRecordEvent and cuCtxWaitEvent: behind all work of a context, and before all that comes.
 * Errors: cudaErrorContextIsDestroyed; record: cudaErrorInvalidResourceHandle for an event of another
 *         context. */
cudaError_t facade_event_record_context(cudaEvent_t handle, struct facade_context *context);
cudaError_t facade_event_wait_context(cudaEvent_t handle, struct facade_context *context);
cudaError_t facade_event_synchronize(cudaEvent_t handle);
cudaError_t facade_event_elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

#endif
