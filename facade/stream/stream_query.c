/* What can be asked about a stream, and its attributes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/device/device.h"
#include "facade/graph/capture.h"
#include "facade/stream/stream.h"

cudaError_t facade_stream_get_attribute(cudaStream_t handle, int attribute,
                                        cudaLaunchAttributeValue *value)
{
    struct facade_stream *stream = NULL;
    if (value == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_stream_look(handle, &stream);
    if (error != cudaSuccess)
        return error;
    switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
        value->accessPolicyWindow = stream->access_policy.accessPolicyWindow;
        return cudaSuccess;
    case cudaLaunchAttributeSynchronizationPolicy:
        value->syncPolicy = stream->sync_policy;
        return cudaSuccess;
    case cudaLaunchAttributePriority:
        value->priority = stream->priority;
        return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomainMap:
        value->memSyncDomainMap = stream->domain_map;
        return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomain:
        value->memSyncDomain = stream->domain;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t facade_window_check(const struct cudaAccessPolicyWindow *window)
{
    const bool is_ratio = window->hitRatio >= 0.0f && window->hitRatio <= 1.0f; /* no NaN */
    const bool is_hit = (unsigned)window->hitProp <= cudaAccessPropertyPersisting;
    const bool is_miss = (unsigned)window->missProp <= cudaAccessPropertyStreaming;
    return is_ratio && is_hit && is_miss ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t facade_stream_set_attribute(cudaStream_t handle, int attribute,
                                        const cudaLaunchAttributeValue *value)
{
    struct facade_stream *stream = NULL;
    if (value == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_stream_look(handle, &stream);
    if (error != cudaSuccess)
        return error;
    switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
        error = facade_window_check(&value->accessPolicyWindow);
        if (error == cudaSuccess)
            stream->access_policy = *value;
        return error;
    case cudaLaunchAttributePriority:
        /* Kept and given back; an OpenCL queue's own priority is fixed when it is made. */
        if (value->priority > FACADE_PRIORITY_LEAST || value->priority < FACADE_PRIORITY_GREATEST)
            return cudaErrorInvalidValue;
        stream->priority = value->priority;
        return cudaSuccess;
    case cudaLaunchAttributeSynchronizationPolicy:
        if (value->syncPolicy < cudaSyncPolicyAuto ||
            value->syncPolicy > cudaSyncPolicyBlockingSync)
            return cudaErrorInvalidValue;
        stream->sync_policy = value->syncPolicy;
        return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomainMap:
        stream->domain_map = value->memSyncDomainMap;
        return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomain:
        stream->domain = value->memSyncDomain;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t facade_stream_copy_attributes(cudaStream_t target, cudaStream_t source)
{
    struct facade_stream *to = NULL, *from = NULL;
    cudaError_t error = facade_stream_look(target, &to);
    if (error == cudaSuccess)
        error = facade_stream_look(source, &from);
    if (error != cudaSuccess)
        return error;
    to->access_policy = from->access_policy;
    to->sync_policy = from->sync_policy;
    to->domain_map = from->domain_map;
    to->domain = from->domain;
    return cudaSuccess;
}

/* The legacy stream has no capture to spoil. */
cudaError_t facade_stream_flags(cudaStream_t handle, unsigned *flags)
{
    struct facade_stream *stream = NULL;
    bool is_capturing = false;
    if (flags == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_stream_look(handle, &stream);
    if (error == cudaSuccess && !facade_stream_is_legacy(handle))
        error = facade_capture_check(stream, FACADE_TO_SUBMIT, &is_capturing);
    if (error == cudaSuccess)
        *flags = stream->flags;
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
    struct facade_stream *stream = NULL;
    if (priority == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_stream_look(hStream, &stream);
    if (error == cudaSuccess)
        *priority = stream->priority;
    return facade_result(error);
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags)
{
    return facade_result(facade_stream_flags(hStream, flags));
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId)
{
    struct facade_stream *stream = NULL;
    if (streamId == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_stream_look(hStream, &stream);
    if (error == cudaSuccess)
        *streamId = stream->id;
    return facade_result(error);
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device)
{
    struct facade_stream *stream = NULL;
    if (device == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_stream_look(hStream, &stream);
    if (error == cudaSuccess)
        *device = stream->context->device;
    return facade_result(error);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue *value_out)
{
    return facade_result(facade_stream_get_attribute(hStream, (int)attr, value_out));
}

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue *value)
{
    return facade_result(facade_stream_set_attribute(hStream, (int)attr, value));
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    return facade_result(facade_stream_copy_attributes(dst, src));
}

/* No line of any cache persists, so there is nothing to reset. */
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    struct facade_context *context = NULL;
    return facade_result(facade_current(&context));
}
