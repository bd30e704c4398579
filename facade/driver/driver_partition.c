/* The driver API's parts of devices, and green contexts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check_made.h"
#include "facade/device/partition.h"
#include "facade/driver/driver.h"
#include "facade/stream/green.h"
#include "facade/stream/stream.h"

/* --- resources -------------------------------------------------------------------------------- */

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type)
{
    const CUresult result = facade_driver_device(device);
    if (result != CUDA_SUCCESS)
        return result;
    return resource != NULL ? facade_driver_error(facade_partition_tell(resource, type, device, 0))
                            : CUDA_ERROR_INVALID_VALUE;
}

static CUresult find_green(CUgreenCtx handle, struct facade_green **green)
{
    const CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    *green = facade_handle_find(FACADE_GREEN, handle);
    return *green != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource, CUdevResourceType type)
{
    struct facade_green *green = NULL;
    const CUresult result = find_green(hCtx, &green);
    if (result != CUDA_SUCCESS)
        return result;
    return resource != NULL ? facade_driver_error(facade_partition_tell(
                                  resource, type, green->context->device, green->multiprocessors))
                            : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetDevResource(CUcontext hCtx, CUdevResource *resource, CUdevResourceType type)
{
    const CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    const struct facade_green_context *part = facade_handle_find(FACADE_GREEN_CONTEXT, hCtx);
    if (part != NULL)
        return cuGreenCtxGetDevResource((CUgreenCtx)part->green, resource, type);
    const struct facade_context *context = facade_handle_find(FACADE_CONTEXT, hCtx);
    return context != NULL ? cuDeviceGetDevResource(context->device, resource, type)
                           : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups,
                                     const CUdevResource *input, CUdevResource *remaining,
                                     unsigned int useFlags, unsigned int minCount)
{
    const CUresult ready = facade_driver_ready();
    return ready == CUDA_SUCCESS ? facade_driver_error(facade_partition_split(
                                       result, nbGroups, input, remaining, useFlags, minCount))
                                 : ready;
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources,
                                   unsigned int nbResources)
{
    struct facade_resources *made = NULL;
    const CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (phDesc == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = facade_partition_describe(resources, nbResources, &made);
    if (error == cudaSuccess)
        *phDesc = (CUdevResourceDesc)made;
    return facade_driver_error(error);
}

/* --- green contexts --------------------------------------------------------------------------- */

CUresult cuGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev,
                          unsigned int flags)
{
    struct facade_green *made = NULL;
    const CUresult result = facade_driver_device(dev);
    if (result != CUDA_SUCCESS)
        return result;
    const struct facade_resources *resources = facade_handle_find(FACADE_RESOURCES, desc);
    if (phCtx == NULL || flags != CU_GREEN_CTX_DEFAULT_STREAM || resources == NULL ||
        resources->device != dev)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = facade_green_create(dev, resources->multiprocessors, &made);
    if (error != cudaSuccess)
        return facade_driver_error(error);
    ocl_made_note("green context", made, facade_primary(dev));
    *phCtx = (CUgreenCtx)made;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx hCtx)
{
    struct facade_green *green = NULL;
    const CUresult result = find_green(hCtx, &green);
    if (result == CUDA_SUCCESS)
        facade_green_destroy(green);
    return result;
}

CUresult cuCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx)
{
    struct facade_green *green = NULL;
    if (pContext == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = find_green(hCtx, &green);
    if (result == CUDA_SUCCESS)
        *pContext = (CUcontext)green->handle;
    return result;
}

CUresult cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long *greenCtxId)
{
    struct facade_green *green = NULL;
    if (greenCtxId == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = find_green(greenCtx, &green);
    if (result == CUDA_SUCCESS)
        *greenCtxId = green->id;
    return result;
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent)
{
    struct facade_green *green = NULL;
    const CUresult result = find_green(hCtx, &green);
    return result == CUDA_SUCCESS ? facade_driver_error(facade_green_record(green, hEvent))
                                  : result;
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent)
{
    struct facade_green *green = NULL;
    const CUresult result = find_green(hCtx, &green);
    return result == CUDA_SUCCESS ? facade_driver_error(facade_green_wait(green, hEvent)) : result;
}

/* --- streams ---------------------------------------------------------------------------------- */

/* They must be non-blocking. Source: CUDA Driver API 13.0, cuGreenCtxStreamCreate(). */
CUresult cuGreenCtxStreamCreate(CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags,
                                int priority)
{
    struct facade_green *green = NULL;
    const CUresult result = find_green(greenCtx, &green);
    if (result != CUDA_SUCCESS)
        return result;
    return phStream != NULL && flags == CU_STREAM_NON_BLOCKING
               ? facade_driver_error(facade_green_create_stream(green, priority, phStream))
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx *phCtx)
{
    struct facade_stream *stream = NULL;
    CUresult result = phCtx != NULL ? facade_driver_check() : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_stream_look(hStream, &stream));
    if (result == CUDA_SUCCESS)
        *phCtx = (CUgreenCtx)facade_stream_green(stream);
    return result;
}
