/* cudaGL.h: buffers and textures of OpenGL for programs that use the driver API. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDAGL_H
#define CUDAGL_H

#include "cuda.h"

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

/* Source: CUDA Driver API 13.0, OpenGL Interoperability. */
typedef enum CUGLDeviceList_enum {
    CU_GL_DEVICE_LIST_ALL = 0x01,
    CU_GL_DEVICE_LIST_CURRENT_FRAME = 0x02,
    CU_GL_DEVICE_LIST_NEXT_FRAME = 0x03,
} CUGLDeviceList;

typedef enum CUGLmap_flags_enum {
    CU_GL_MAP_RESOURCE_FLAGS_NONE = 0x00,
    CU_GL_MAP_RESOURCE_FLAGS_READ_ONLY = 0x01,
    CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 0x02,
} CUGLmap_flags;

/* As the runtime's functions of the same names in cuda_gl_interop.h, whose errors and differences hold. The _v2 forms are
 * today's; the first ones have 32-bit addresses and sizes.
 *
 * Errors:  CUDA_ERROR_NOT_INITIALIZED; CUDA_ERROR_INVALID_CONTEXT without a current CUDA context.
 * Source:  CUDA Driver API 13.0, OpenGL Interoperability.
 */
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, GLuint buffer,
                                            unsigned int Flags);
CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource *pCudaResource, GLuint image,
                                           GLenum target, unsigned int Flags);
CUresult CUDAAPI cuGLGetDevices_v2(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                                   unsigned int cudaDeviceCount, CUGLDeviceList deviceList);

/* Deprecated. cuGLCtxCreate is cuCtxCreate as it was; cuGLInit does nothing.
 * Source:  CUDA Driver API 13.0, OpenGL Interoperability [DEPRECATED]. */
CUresult CUDAAPI cuGLCtxCreate_v2(CUcontext *pCtx, unsigned int Flags, CUdevice device);
CUresult CUDAAPI cuGLInit(void);
CUresult CUDAAPI cuGLRegisterBufferObject(GLuint buffer);
CUresult CUDAAPI cuGLMapBufferObject_v2(CUdeviceptr *dptr, size_t *size, GLuint buffer);
CUresult CUDAAPI cuGLUnmapBufferObject(GLuint buffer);
CUresult CUDAAPI cuGLUnregisterBufferObject(GLuint buffer);
CUresult CUDAAPI cuGLSetBufferObjectMapFlags(GLuint buffer, unsigned int Flags);
CUresult CUDAAPI cuGLMapBufferObjectAsync_v2(CUdeviceptr *dptr, size_t *size, GLuint buffer,
                                             CUstream hStream);
CUresult CUDAAPI cuGLUnmapBufferObjectAsync(GLuint buffer, CUstream hStream);

/* ---- per-thread default streams */
CUresult CUDAAPI cuGLMapBufferObject_v2_ptds(CUdeviceptr *dptr, size_t *size, GLuint buffer);
CUresult CUDAAPI cuGLMapBufferObjectAsync_v2_ptsz(CUdeviceptr *dptr, size_t *size, GLuint buffer,
                                                  CUstream hStream);

/* ---- first versions */
#if defined(__CUDA_API_VERSION_INTERNAL)
CUresult CUDAAPI cuGLGetDevices(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                                unsigned int cudaDeviceCount, CUGLDeviceList deviceList);
CUresult CUDAAPI cuGLCtxCreate(CUcontext *pCtx, unsigned int Flags, CUdevice device);
CUresult CUDAAPI cuGLMapBufferObject(CUdeviceptr_v1 *dptr, unsigned int *size, GLuint buffer);
CUresult CUDAAPI cuGLMapBufferObjectAsync(CUdeviceptr_v1 *dptr, unsigned int *size, GLuint buffer,
                                          CUstream hStream);
#else
#define cuGLGetDevices cuGLGetDevices_v2
#define cuGLCtxCreate  cuGLCtxCreate_v2
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cuGLMapBufferObject      cuGLMapBufferObject_v2_ptds
#define cuGLMapBufferObjectAsync cuGLMapBufferObjectAsync_v2_ptsz
#else
#define cuGLMapBufferObject      cuGLMapBufferObject_v2
#define cuGLMapBufferObjectAsync cuGLMapBufferObjectAsync_v2
#endif
#endif

#pragma GCC visibility pop

#if defined(__cplusplus)
}
#endif

#endif
