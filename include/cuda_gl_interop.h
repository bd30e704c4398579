/* cuda_gl_interop.h: buffers and textures of OpenGL for programs that use the runtime. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_GL_INTEROP_H
#define CUDA_GL_INTEROP_H

#include "cuda_runtime_api.h"

/* Programs that bring OpenGL's header of their own include it before. */
#if defined(__has_include)
#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#endif
#endif
typedef unsigned int GLuint;
typedef unsigned int GLenum;

#if defined(__cplusplus)
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Source: CUDA Runtime API 13.0, OpenGL Interoperability. */
enum cudaGLDeviceList {
    cudaGLDeviceListAll = 1,
    cudaGLDeviceListCurrentFrame = 2,
    cudaGLDeviceListNextFrame = 3
};

/* The devices that the current OpenGL context uses: *pCudaDeviceCount of them, of which the first cudaDeviceCount are written.
 *
 * Errors:  cudaErrorInvalidValue; cudaErrorInvalidGraphicsContext without a current OpenGL context.
 * Differs: the calling thread's current device alone: all devices reach OpenGL's objects through the host.
 * Source:  CUDA Runtime API 13.0, OpenGL Interoperability.
 */
cudaError_t CUDARTAPI cudaGLGetDevices(unsigned int *pCudaDeviceCount, int *pCudaDevices,
                                       unsigned int cudaDeviceCount,
                                       enum cudaGLDeviceList deviceList);

/* Register a buffer object; a texture (GL_TEXTURE_2D, _RECTANGLE, _3D, _2D_ARRAY, _CUBE_MAP) or a renderbuffer. flags:
 * cudaGraphicsRegisterFlags; for buffers the first three.
 *
 * Errors:  cudaErrorInvalidValue for flags, names, targets and formats that there are not, and for empty buffers;
 *          cudaErrorOperatingSystem without a current OpenGL context; cudaErrorMemoryAllocation.
 * Differs: the resource has memory of its own on the device; what the two hold is copied when it is mapped and unmapped.
 *          OpenGL ES is no OpenGL.
 * Source:  CUDA Runtime API 13.0, OpenGL Interoperability.
 */
cudaError_t CUDARTAPI cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource,
                                                   GLuint buffer, unsigned int flags);
cudaError_t CUDARTAPI cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource,
                                                  GLuint image, GLenum target, unsigned int flags);

/* Deprecated: the functions of CUDA's first versions, which know buffers by their names. cudaGLSetGLDevice is cudaSetDevice.
 *
 * Errors:  those above; cudaErrorMapBufferObjectFailed and cudaErrorUnmapBufferObjectFailed for buffers that are not registered;
 *          cudaErrorInvalidResourceHandle for them in the others.
 * Source:  CUDA Runtime API 13.0, OpenGL Interoperability [DEPRECATED].
 */
enum cudaGLMapFlags {
    cudaGLMapFlagsNone = 0,
    cudaGLMapFlagsReadOnly = 1,
    cudaGLMapFlagsWriteDiscard = 2
};

cudaError_t CUDARTAPI cudaGLSetGLDevice(int device);
cudaError_t CUDARTAPI cudaGLRegisterBufferObject(GLuint bufObj);
cudaError_t CUDARTAPI cudaGLMapBufferObject(void **devPtr, GLuint bufObj);
cudaError_t CUDARTAPI cudaGLUnmapBufferObject(GLuint bufObj);
cudaError_t CUDARTAPI cudaGLUnregisterBufferObject(GLuint bufObj);
cudaError_t CUDARTAPI cudaGLSetBufferObjectMapFlags(GLuint bufObj, unsigned int flags);
cudaError_t CUDARTAPI cudaGLMapBufferObjectAsync(void **devPtr, GLuint bufObj, cudaStream_t stream);
cudaError_t CUDARTAPI cudaGLUnmapBufferObjectAsync(GLuint bufObj, cudaStream_t stream);

#pragma GCC visibility pop

#if defined(__cplusplus)
}
#endif

#endif
