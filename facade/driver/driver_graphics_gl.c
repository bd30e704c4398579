/* The driver API's functions for OpenGL: registering, and those of CUDA's first versions, which know buffers by their names.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"
#include "facade/graphics/graphics.h"
#include "include/cudaGL.h"

static CUresult register_one(CUgraphicsResource *resource, GLuint name, GLenum target,
                             unsigned flags, bool is_old)
{
    const CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graphics_register(
                     (cudaGraphicsResource_t *)(void *)resource, name, target, flags, is_old))
               : result;
}

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, GLuint buffer,
                                    unsigned int Flags)
{
    return register_one(pCudaResource, buffer, 0, Flags, false);
}

/* Target 0 is none. */
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *pCudaResource, GLuint image, GLenum target,
                                   unsigned int Flags)
{
    return target == 0 ? CUDA_ERROR_INVALID_VALUE
                       : register_one(pCudaResource, image, target, Flags, false);
}

CUresult cuGLGetDevices_v2(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                           unsigned int cudaDeviceCount, CUGLDeviceList deviceList)
{
    const CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graphics_devices(pCudaDeviceCount, pCudaDevices,
                                                             cudaDeviceCount, (int)deviceList))
               : result;
}

CUresult cuGLGetDevices(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                        unsigned int cudaDeviceCount, CUGLDeviceList deviceList)
{
    return cuGLGetDevices_v2(pCudaDeviceCount, pCudaDevices, cudaDeviceCount, deviceList);
}

/* --- CUDA's first versions --- */

CUresult cuGLCtxCreate_v2(CUcontext *pCtx, unsigned int Flags, CUdevice device)
{
    return cuCtxCreate_v2(pCtx, Flags, device);
}

CUresult cuGLCtxCreate(CUcontext *pCtx, unsigned int Flags, CUdevice device)
{
    return cuCtxCreate_v2(pCtx, Flags, device);
}

CUresult cuGLInit(void)
{
    return facade_driver_check();
}

CUresult cuGLRegisterBufferObject(GLuint buffer)
{
    CUgraphicsResource made = NULL;
    return register_one(&made, buffer, 0, 0, true);
}

/* The resource of a buffer, and what facade_driver_check() says. */
static CUresult find(GLuint buffer, cudaGraphicsResource_t *resource)
{
    const CUresult result = facade_driver_check();
    *resource = result == CUDA_SUCCESS ? facade_graphics_find_old(buffer) : NULL;
    return result;
}

CUresult cuGLSetBufferObjectMapFlags(GLuint buffer, unsigned int Flags)
{
    cudaGraphicsResource_t resource = NULL;
    const CUresult result = find(buffer, &resource);
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graphics_set_map_flags(resource, Flags))
               : result;
}

CUresult cuGLUnregisterBufferObject(GLuint buffer)
{
    cudaGraphicsResource_t resource = NULL;
    const CUresult result = find(buffer, &resource);
    return result == CUDA_SUCCESS ? facade_driver_error(facade_graphics_unregister(resource))
                                  : result;
}

CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr *dptr, size_t *size, GLuint buffer,
                                     CUstream hStream)
{
    cudaGraphicsResource_t resource = NULL;
    void *pointer = NULL;
    CUresult result = find(buffer, &resource);
    if (result == CUDA_SUCCESS && dptr == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && resource == NULL)
        result = CUDA_ERROR_MAP_FAILED;
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_graphics_map(1, &resource, (cudaStream_t)hStream));
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_graphics_pointer(&pointer, size, resource));
    if (result == CUDA_SUCCESS)
        *dptr = (uintptr_t)pointer;
    return result;
}

CUresult cuGLMapBufferObject_v2(CUdeviceptr *dptr, size_t *size, GLuint buffer)
{
    return cuGLMapBufferObjectAsync_v2(dptr, size, buffer, NULL);
}

CUresult cuGLUnmapBufferObjectAsync(GLuint buffer, CUstream hStream)
{
    cudaGraphicsResource_t resource = NULL;
    const CUresult result = find(buffer, &resource);
    if (result != CUDA_SUCCESS)
        return result;
    return resource == NULL
               ? CUDA_ERROR_UNMAP_FAILED
               : facade_driver_error(facade_graphics_unmap(1, &resource, (cudaStream_t)hStream));
}

CUresult cuGLUnmapBufferObject(GLuint buffer)
{
    return cuGLUnmapBufferObjectAsync(buffer, NULL);
}

/* --- Addresses and sizes of 32 bits: what does not fit is refused --- */

CUresult cuGLMapBufferObjectAsync(CUdeviceptr_v1 *dptr, unsigned int *size, GLuint buffer,
                                  CUstream hStream)
{
    CUdeviceptr pointer = 0;
    size_t bytes = 0;
    if (dptr == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = cuGLMapBufferObjectAsync_v2(&pointer, &bytes, buffer, hStream);
    if (result != CUDA_SUCCESS)
        return result;
    if (pointer > UINT32_MAX || bytes > UINT32_MAX) {
        (void)cuGLUnmapBufferObjectAsync(buffer, hStream);
        return CUDA_ERROR_MAP_FAILED;
    }
    *dptr = (CUdeviceptr_v1)pointer;
    if (size != NULL)
        *size = (unsigned)bytes;
    return CUDA_SUCCESS;
}

CUresult cuGLMapBufferObject(CUdeviceptr_v1 *dptr, unsigned int *size, GLuint buffer)
{
    return cuGLMapBufferObjectAsync(dptr, size, buffer, NULL);
}
