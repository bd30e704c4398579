/* Buffers and textures of the program's OpenGL as runtime and driver API share them. OpenCL drivers share objects only within a
 * context that was made for one of OpenGL, which CUDA names when all its memory is there already. So a resource has memory, or
 * arrays, of its own: mapping brings the texels, unmapping takes them back, through the host.
 * Calls that map and unmap need the OpenGL context, or one that shares its objects, to be current in the calling thread.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_GRAPHICS_H
#define FACADE_GRAPHICS_H

#include "facade/state/internal.h"

/* Registers a buffer object; target 0, or a texture or renderbuffer of a target. flags: cudaGraphicsRegisterFlags.
 * is_old: by a function of CUDA's first versions, which know resources by the buffer's name.
 * Errors: cudaErrorInvalidValue for flags, names, targets and formats that there are not; cudaErrorOperatingSystem without a
 *         current OpenGL context; cudaErrorMemoryAllocation. */
cudaError_t facade_graphics_register(cudaGraphicsResource_t *resource, unsigned name,
                                     unsigned target, unsigned flags, bool is_old);

/* One that is mapped is not unmapped before: OpenGL has what it had. Waits for the context's work.
 * Errors: cudaErrorInvalidResourceHandle. */
cudaError_t facade_graphics_unregister(cudaGraphicsResource_t resource);

/* flags: cudaGraphicsMapFlags, for the next times. Errors: cudaErrorInvalidValue; cudaErrorAlreadyMapped. */
cudaError_t facade_graphics_set_map_flags(cudaGraphicsResource_t resource, unsigned flags);

/* All of them, or none.
 * Order:  mapping: all that OpenGL was told before comes before what the stream is given next; unmapping waits for what the
 *         stream was given before, and comes before what OpenGL is told next.
 * Errors: cudaErrorInvalidResourceHandle; cudaErrorAlreadyMapped, also for one that is named twice; cudaErrorNotMapped;
 *         cudaErrorInvalidGraphicsContext without a current OpenGL context; cudaErrorMapBufferObjectFailed and
 *         cudaErrorUnmapBufferObjectFailed for what the program has mapped itself, destroyed or made anew. */
cudaError_t facade_graphics_map(unsigned count, const cudaGraphicsResource_t *resources,
                                cudaStream_t stream);
cudaError_t facade_graphics_unmap(unsigned count, const cudaGraphicsResource_t *resources,
                                  cudaStream_t stream);

/* What a mapped resource is. bytes may be NULL.
 * Errors: cudaErrorNotMapped; cudaErrorNotMappedAsPointer and cudaErrorNotMappedAsArray for the other kind;
 *         cudaErrorInvalidValue for a layer, face or level that is not there. */
cudaError_t facade_graphics_pointer(void **pointer, size_t *bytes, cudaGraphicsResource_t resource);
cudaError_t facade_graphics_array(cudaArray_t *array, cudaGraphicsResource_t resource,
                                  unsigned layer, unsigned level);
cudaError_t facade_graphics_mipmapped(cudaMipmappedArray_t *array, cudaGraphicsResource_t resource);

/* The live resource of the current context that facade_graphics_register() made, with is_old, of this buffer; NULL: none. */
cudaGraphicsResource_t facade_graphics_find_old(unsigned name);

/* list: cudaGLDeviceList. The current device alone: all reach OpenGL in the same way.
 * Errors: cudaErrorInvalidValue; cudaErrorInvalidGraphicsContext without a current OpenGL context. */
cudaError_t facade_graphics_devices(unsigned *found, int *devices, unsigned room, int list);

#endif
