/* The runtime's functions for OpenGL: registering, and those of CUDA's first versions, which know buffers by their names.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/graphics/graphics.h"
#include "include/cuda_gl_interop.h"

cudaError_t cudaGLGetDevices(unsigned int *pCudaDeviceCount, int *pCudaDevices,
                             unsigned int cudaDeviceCount, enum cudaGLDeviceList deviceList)
{
    return facade_result(
        facade_graphics_devices(pCudaDeviceCount, pCudaDevices, cudaDeviceCount, (int)deviceList));
}

cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, GLuint buffer,
                                         unsigned int flags)
{
    return facade_result(facade_graphics_register(resource, buffer, 0, flags, false));
}

/* Target 0 is none. */
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, GLuint image,
                                        GLenum target, unsigned int flags)
{
    return facade_result(target == 0
                             ? cudaErrorInvalidValue
                             : facade_graphics_register(resource, image, target, flags, false));
}

/* --- CUDA's first versions --- */

cudaError_t cudaGLSetGLDevice(int device)
{
    return cudaSetDevice(device);
}

cudaError_t cudaGLRegisterBufferObject(GLuint bufObj)
{
    cudaGraphicsResource_t made = NULL;
    return facade_result(facade_graphics_register(&made, bufObj, 0, 0, true));
}

cudaError_t cudaGLSetBufferObjectMapFlags(GLuint bufObj, unsigned int flags)
{
    return facade_result(facade_graphics_set_map_flags(facade_graphics_find_old(bufObj), flags));
}

static cudaError_t map(void **pointer, GLuint buffer, cudaStream_t stream)
{
    const cudaGraphicsResource_t resource = facade_graphics_find_old(buffer);
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    const cudaError_t error = resource == NULL ? cudaErrorMapBufferObjectFailed
                                               : facade_graphics_map(1, &resource, stream);
    return error == cudaSuccess ? facade_graphics_pointer(pointer, NULL, resource) : error;
}

static cudaError_t unmap(GLuint buffer, cudaStream_t stream)
{
    const cudaGraphicsResource_t resource = facade_graphics_find_old(buffer);
    return resource == NULL ? cudaErrorUnmapBufferObjectFailed
                            : facade_graphics_unmap(1, &resource, stream);
}

cudaError_t cudaGLMapBufferObject(void **devPtr, GLuint bufObj)
{
    return facade_result(map(devPtr, bufObj, NULL));
}

cudaError_t cudaGLMapBufferObjectAsync(void **devPtr, GLuint bufObj, cudaStream_t stream)
{
    return facade_result(map(devPtr, bufObj, stream));
}

cudaError_t cudaGLUnmapBufferObject(GLuint bufObj)
{
    return facade_result(unmap(bufObj, NULL));
}

cudaError_t cudaGLUnmapBufferObjectAsync(GLuint bufObj, cudaStream_t stream)
{
    return facade_result(unmap(bufObj, stream));
}

cudaError_t cudaGLUnregisterBufferObject(GLuint bufObj)
{
    return facade_result(facade_graphics_unregister(facade_graphics_find_old(bufObj)));
}
