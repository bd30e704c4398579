/* Texture and surface objects as runtime, driver API and texture references share them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TEXTURE_H
#define FACADE_TEXTURE_H

#include "cl/texture.h"
#include "facade/state/handles.h"

/* What cudaDeviceProp tells as textureAlignment and surfaceAlignment. */
enum { FACADE_TEXTURE_ALIGNMENT = 512 };

/* What the user described, in the driver's words: the runtime's descriptions say no more. */
struct facade_texture_description {
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling; /* not of surfaces */
    CUDA_RESOURCE_VIEW_DESC view;
    bool has_view; /* otherwise view is zero */
};

/* cudaTextureObject_t, cudaSurfaceObject_t and the driver's are numbers: ocl_texture_id(). */
struct facade_texture {
    struct facade_context *context;
    struct ocl_texture *texture;
    bool is_surface;
    struct facade_texture_description description;
    struct facade_texture *next, *previous; /* of the context's */
};

/* --- texture_build.c -------------------------------------------------------------------------- */

/* Makes what a launch can read from, in the given context; the caller releases it.
 * Errors: cudaErrorInvalidValue; cudaErrorInvalidResourceHandle for a stale array;
 *         cudaErrorNotSupported for formats OpenCL cannot hold;
 *         cudaErrorMemoryAllocation. */
cudaError_t facade_texture_build(struct facade_context *context,
                                 const struct facade_texture_description *description,
                                 struct ocl_texture **texture);
cudaError_t facade_surface_build(struct facade_context *context, const CUDA_RESOURCE_DESC *resource,
                                 struct ocl_texture **surface);

/* --- texture_object.c ------------------------------------------------------------------------- */

/* The same as an object of the current context. *object is left alone after an error. */
cudaError_t facade_texture_create(unsigned long long *object,
                                  const struct facade_texture_description *description);
cudaError_t facade_surface_create(unsigned long long *object, const CUDA_RESOURCE_DESC *resource);

/* Errors: cudaErrorInvalidValue when there is no such texture, or surface. */
cudaError_t facade_texture_find(unsigned long long object, bool is_surface,
                                struct facade_texture **found);

/* Queued launches may still use it. What is no object is nothing to do. */
cudaError_t facade_texture_destroy(unsigned long long object, bool is_surface);

/* --- texture.c -------------------------------------------------------------------------------- */

/* The runtime's description of a resource in the driver's words.
 * Errors: cudaErrorInvalidValue; cudaErrorInvalidChannelDescriptor. */
cudaError_t facade_resource_from_runtime(CUDA_RESOURCE_DESC *resource,
                                         const struct cudaResourceDesc *desc);

/* Fills in how the described resource is sampled.
 * Errors: cudaErrorInvalidFilterSetting for linear filtering of integers, cudaErrorInvalidNormSetting
 *         for normalised reading of what is no small integer; those of a resource that is not there. */
cudaError_t facade_texture_describe(struct facade_texture_description *description,
                                    const struct cudaTextureDesc *texture);

#endif
