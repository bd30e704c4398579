/* The driver API's resources of OpenGL: mapping, and what they are mapped as.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"
#include "facade/graphics/graphics.h"

static CUresult after_check(cudaError_t (*call)(unsigned, const cudaGraphicsResource_t *,
                                                cudaStream_t),
                            unsigned count, CUgraphicsResource *resources, CUstream stream)
{
    const CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(call(count, (const cudaGraphicsResource_t *)(void *)resources,
                                          (cudaStream_t)stream))
               : result;
}

CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource *resources, CUstream hStream)
{
    return after_check(facade_graphics_map, count, resources, hStream);
}

CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *resources,
                                  CUstream hStream)
{
    return after_check(facade_graphics_unmap, count, resources, hStream);
}

CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource)
{
    const CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graphics_unregister((cudaGraphicsResource_t)resource))
               : result;
}

CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags)
{
    const CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_graphics_set_map_flags(
                                        (cudaGraphicsResource_t)resource, flags))
                                  : result;
}

CUresult cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags)
{
    return cuGraphicsResourceSetMapFlags_v2(resource, flags);
}

CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *pDevPtr, size_t *pSize,
                                               CUgraphicsResource resource)
{
    void *pointer = NULL;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS && pDevPtr == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(
            facade_graphics_pointer(&pointer, pSize, (cudaGraphicsResource_t)resource));
    if (result == CUDA_SUCCESS)
        *pDevPtr = (uintptr_t)pointer;
    return result;
}

/* An address of 64 bits does not fit: refused where it does not. */
CUresult cuGraphicsResourceGetMappedPointer(CUdeviceptr_v1 *pDevPtr, unsigned int *pSize,
                                            CUgraphicsResource resource)
{
    CUdeviceptr pointer = 0;
    size_t bytes = 0;
    const CUresult result = cuGraphicsResourceGetMappedPointer_v2(&pointer, &bytes, resource);
    if (result != CUDA_SUCCESS)
        return result;
    if (pDevPtr == NULL || pointer > UINT32_MAX || bytes > UINT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    *pDevPtr = (CUdeviceptr_v1)pointer;
    if (pSize != NULL)
        *pSize = (unsigned)bytes;
    return CUDA_SUCCESS;
}

CUresult cuGraphicsSubResourceGetMappedArray(CUarray *pArray, CUgraphicsResource resource,
                                             unsigned int arrayIndex, unsigned int mipLevel)
{
    const CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graphics_array((cudaArray_t *)(void *)pArray,
                                                           (cudaGraphicsResource_t)resource,
                                                           arrayIndex, mipLevel))
               : result;
}

CUresult cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *pMipmappedArray,
                                                   CUgraphicsResource resource)
{
    const CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_graphics_mipmapped(
                                        (cudaMipmappedArray_t *)(void *)pMipmappedArray,
                                        (cudaGraphicsResource_t)resource))
                                  : result;
}
