/* The runtime's surface objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "facade/memory/memory_array.h"
#include "facade/texture/texture.h"

static cudaError_t create_surface(cudaSurfaceObject_t *object, const struct cudaResourceDesc *desc)
{
    CUDA_RESOURCE_DESC resource;
    if (object == NULL || desc == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_resource_from_runtime(&resource, desc);
    if (error != cudaSuccess)
        return error;
    const bool has_nothing =
        (desc->resType == cudaResourceTypeArray && desc->res.array.array == NULL) ||
        (desc->resType == cudaResourceTypeMipmappedArray && desc->res.mipmap.mipmap == NULL);
    return has_nothing ? cudaErrorInvalidResourceHandle : facade_surface_create(object, &resource);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                    const struct cudaResourceDesc *pResDesc)
{
    return facade_result(create_surface(pSurfObject, pResDesc));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
    return facade_result(facade_texture_destroy(surfObject, true));
}

/* The code for a missing argument is what NVIDIA's runtime gives. */
static cudaError_t get_resource(struct cudaResourceDesc *desc, cudaSurfaceObject_t object)
{
    struct facade_texture *surface = NULL;
    struct facade_array *array = NULL;
    if (desc == NULL)
        return cudaErrorInvalidDevice;
    cudaError_t error = facade_texture_find(object, true, &surface);
    if (error == cudaSuccess)
        error = facade_array_find((cudaArray_const_t)surface->description.resource.res.array.hArray,
                                  &array);
    if (error != cudaSuccess)
        return error;
    memset(desc, 0, sizeof *desc);
    desc->resType = cudaResourceTypeArray;
    desc->res.array.array = (cudaArray_t)surface->description.resource.res.array.hArray;
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaSurfaceObject_t surfObject)
{
    return facade_result(get_resource(pResDesc, surfObject));
}
