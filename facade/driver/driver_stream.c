/* The driver API's streams.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/stream/stream.h"

/* CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are the runtime's special handles, and flags have the
 * same numbers. */

/* --- making and unmaking ---------------------------------------------------------------------- */

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    if (phStream == NULL || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_stream_create(phStream, flags, priority))
               : result;
}

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return cuStreamCreateWithPriority(phStream, Flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream hStream)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_stream_destroy(hStream)) : result;
}

CUresult cuStreamDestroy(CUstream hStream)
{
    return cuStreamDestroy_v2(hStream);
}

/* --- queries ---------------------------------------------------------------------------------- */

static CUresult find_stream(CUstream handle, struct facade_stream **stream)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_stream_look(handle, stream))
                                  : result;
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
    struct facade_stream *stream = NULL;
    if (priority == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_stream(hStream, &stream);
    if (result == CUDA_SUCCESS)
        *priority = stream->priority;
    return result;
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
    struct facade_stream *stream = NULL;
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_stream(hStream, &stream);
    if (result == CUDA_SUCCESS)
        *device = stream->context->device;
    return result;
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    CUresult result = flags != NULL ? facade_driver_check() : CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS ? facade_driver_error(facade_stream_flags(hStream, flags))
                                  : result;
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    struct facade_stream *stream = NULL;
    if (streamId == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_stream(hStream, &stream);
    if (result == CUDA_SUCCESS)
        *streamId = stream->id;
    return result;
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    struct facade_stream *stream = NULL;
    if (pctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_stream(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    const struct facade_green *green = facade_stream_green(stream);
    *pctx = green != NULL ? (CUcontext)green->handle : (CUcontext)stream->context;
    return CUDA_SUCCESS;
}

/* Of a stream of a green context, that and the primary context. */
CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    struct facade_stream *stream = NULL;
    if (pCtx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_stream(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    *pCtx = (CUcontext)stream->context;
    if (pGreenCtx != NULL)
        *pGreenCtx = (CUgreenCtx)facade_stream_green(stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_stream_get_attribute(hStream, (int)attr, (cudaLaunchAttributeValue *)value_out));
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_stream_set_attribute(hStream, (int)attr, (const cudaLaunchAttributeValue *)value));
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_stream_copy_attributes(dst, src))
                                  : result;
}

/* --- waiting ---------------------------------------------------------------------------------- */

CUresult cuStreamQuery(CUstream hStream)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_stream_query(hStream)) : result;
}

CUresult cuStreamSynchronize(CUstream hStream)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_stream_synchronize(hStream))
                                  : result;
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_stream_wait_event(hStream, hEvent, Flags))
               : result;
}

/* --- host functions --------------------------------------------------------------------------- */

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                             unsigned int flags)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_stream_add_driver_callback(hStream, callback, userData, flags));
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_stream_host_function(hStream, fn, userData))
               : result;
}

/* --- capture ---------------------------------------------------------------------------------- */

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    if (mode == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    int value = (int)*mode;
    CUresult result = facade_driver_error(facade_exchange_capture_mode(&value));
    if (result == CUDA_SUCCESS)
        *mode = (CUstreamCaptureMode)value;
    return result;
}

/* Edges say nothing, and have one layout in both APIs. */
_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "one layout");

static CUresult capture_info(CUstream stream, CUstreamCaptureStatus *told, unsigned long long *id,
                             CUgraph *graph, const CUgraphNode **nodes,
                             const CUgraphEdgeData **edges, size_t *count)
{
    int status = 0;
    const cudaGraphEdgeData *same = NULL;
    if (told == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(
            facade_stream_capture_info(stream, &status, id, graph, nodes, &same, count));
    if (result == CUDA_SUCCESS)
        *told = (CUstreamCaptureStatus)status;
    if (edges != NULL && same != NULL)
        *edges = (const CUgraphEdgeData *)(const void *)same;
    return result;
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    return capture_info(hStream, captureStatus, NULL, NULL, NULL, NULL, NULL);
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                cuuint64_t *id_out)
{
    return cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, NULL, NULL, NULL, NULL);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out,
                                   size_t *numDependencies_out)
{
    return cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out,
                                     dependencies_out, NULL, numDependencies_out);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out,
                                   const CUgraphEdgeData **edgeData_out,
                                   size_t *numDependencies_out)
{
    unsigned long long id = id_out != NULL ? *id_out : 0;
    const CUresult result = capture_info(hStream, captureStatus_out, &id, graph_out,
                                         dependencies_out, edgeData_out, numDependencies_out);
    if (id_out != NULL)
        *id_out = id;
    return result;
}
