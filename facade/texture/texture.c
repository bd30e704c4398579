/* The runtime's texture objects, and channel descriptions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/texture/texture.h"

#include <string.h>

#include "facade/device/device.h"
#include "facade/memory/memory_array.h"

/* --- channel descriptions --------------------------------------------------------------------- */

/* A pure function of its arguments: it needs no device and cannot fail. */
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = f};
}

static cudaError_t get_channel_desc(struct cudaChannelFormatDesc *desc, cudaArray_const_t handle)
{
    struct facade_array *array = NULL;
    if (desc == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_array_find(handle, &array);
    if (error == cudaSuccess)
        *desc = facade_array_desc(&array->format);
    return error;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    return facade_result(get_channel_desc(desc, array));
}

/* --- descriptions, to the driver's words ------------------------------------------------------ */

_Static_assert((int)cudaResourceTypeArray == CU_RESOURCE_TYPE_ARRAY &&
                   (int)cudaResourceTypePitch2D == CU_RESOURCE_TYPE_PITCH2D &&
                   (int)cudaAddressModeBorder == CU_TR_ADDRESS_MODE_BORDER &&
                   (int)cudaFilterModeLinear == CU_TR_FILTER_MODE_LINEAR &&
                   (int)cudaResViewFormatFloat4 == CU_RES_VIEW_FORMAT_FLOAT_4X32 &&
                   (int)cudaResViewFormatUnsignedBlockCompressed7 ==
                       CU_RES_VIEW_FORMAT_UNSIGNED_BC7,
               "both APIs have one numbering");

cudaError_t facade_resource_from_runtime(CUDA_RESOURCE_DESC *resource,
                                         const struct cudaResourceDesc *desc)
{
    struct facade_array_format format;
    cudaError_t error = cudaSuccess;
    memset(resource, 0, sizeof *resource);
    resource->resType = (CUresourcetype)desc->resType;
    resource->flags = desc->flags;
    switch (desc->resType) {
    case cudaResourceTypeArray:
        resource->res.array.hArray = (CUarray)desc->res.array.array;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        resource->res.mipmap.hMipmappedArray = (CUmipmappedArray)desc->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        error = facade_array_format_from_desc(&format, &desc->res.linear.desc);
        if (error != cudaSuccess)
            return error;
        resource->res.linear.devPtr = (CUdeviceptr)(uintptr_t)desc->res.linear.devPtr;
        resource->res.linear.format = format.format;
        resource->res.linear.numChannels = format.texel.channels;
        resource->res.linear.sizeInBytes = desc->res.linear.sizeInBytes;
        return cudaSuccess;
    case cudaResourceTypePitch2D:
        error = facade_array_format_from_desc(&format, &desc->res.pitch2D.desc);
        if (error != cudaSuccess)
            return error;
        resource->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)desc->res.pitch2D.devPtr;
        resource->res.pitch2D.format = format.format;
        resource->res.pitch2D.numChannels = format.texel.channels;
        resource->res.pitch2D.width = desc->res.pitch2D.width;
        resource->res.pitch2D.height = desc->res.pitch2D.height;
        resource->res.pitch2D.pitchInBytes = desc->res.pitch2D.pitchInBytes;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

/* Floats have one way to be read, and no flag for it. */
static void sampling_from_runtime(CUDA_TEXTURE_DESC *sampling, const struct cudaTextureDesc *desc,
                                  bool is_float_texture)
{
    const bool reads_integers = !is_float_texture && desc->readMode != cudaReadModeNormalizedFloat;
    memset(sampling, 0, sizeof *sampling);
    for (int i = 0; i < 3; i++)
        sampling->addressMode[i] = (CUaddress_mode)desc->addressMode[i];
    for (int i = 0; i < 4; i++)
        sampling->borderColor[i] = desc->borderColor[i];
    sampling->filterMode = (CUfilter_mode)desc->filterMode;
    sampling->flags =
        (reads_integers ? CU_TRSF_READ_AS_INTEGER : 0) |
        (desc->normalizedCoords != 0 ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
        (desc->sRGB != 0 ? CU_TRSF_SRGB : 0) |
        (desc->disableTrilinearOptimization != 0 ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
        (desc->seamlessCubemap != 0 ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
    sampling->maxAnisotropy = desc->maxAnisotropy;
    sampling->mipmapFilterMode = (CUfilter_mode)desc->mipmapFilterMode;
    sampling->mipmapLevelBias = desc->mipmapLevelBias;
    sampling->minMipmapLevelClamp = desc->minMipmapLevelClamp;
    sampling->maxMipmapLevelClamp = desc->maxMipmapLevelClamp;
}

static void view_from_runtime(CUDA_RESOURCE_VIEW_DESC *view,
                              const struct cudaResourceViewDesc *desc)
{
    *view = (CUDA_RESOURCE_VIEW_DESC){
        .format = (CUresourceViewFormat)desc->format,
        .width = desc->width,
        .height = desc->height,
        .depth = desc->depth,
        .firstMipmapLevel = desc->firstMipmapLevel,
        .lastMipmapLevel = desc->lastMipmapLevel,
        .firstLayer = desc->firstLayer,
        .lastLayer = desc->lastLayer,
    };
}

/* --- descriptions, back ----------------------------------------------------------------------- */

static struct cudaChannelFormatDesc channel_desc(CUarray_format format, unsigned channels)
{
    struct facade_array_format found;
    if (facade_array_format_from_driver(&found, format, channels) != cudaSuccess)
        return (struct cudaChannelFormatDesc){.f = cudaChannelFormatKindNone};
    return facade_array_desc(&found);
}

static void resource_to_runtime(struct cudaResourceDesc *desc, const CUDA_RESOURCE_DESC *resource)
{
    memset(desc, 0, sizeof *desc);
    desc->resType = (enum cudaResourceType)resource->resType;
    desc->flags = resource->flags;
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        desc->res.array.array = (cudaArray_t)resource->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        desc->res.mipmap.mipmap = (cudaMipmappedArray_t)resource->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        desc->res.linear.devPtr = (void *)(uintptr_t)resource->res.linear.devPtr;
        desc->res.linear.desc =
            channel_desc(resource->res.linear.format, resource->res.linear.numChannels);
        desc->res.linear.sizeInBytes = resource->res.linear.sizeInBytes;
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        desc->res.pitch2D.devPtr = (void *)(uintptr_t)resource->res.pitch2D.devPtr;
        desc->res.pitch2D.desc =
            channel_desc(resource->res.pitch2D.format, resource->res.pitch2D.numChannels);
        desc->res.pitch2D.width = resource->res.pitch2D.width;
        desc->res.pitch2D.height = resource->res.pitch2D.height;
        desc->res.pitch2D.pitchInBytes = resource->res.pitch2D.pitchInBytes;
        break;
    }
}

static void sampling_to_runtime(struct cudaTextureDesc *desc, const CUDA_TEXTURE_DESC *sampling,
                                bool is_float_texture)
{
    const unsigned flags = sampling->flags;
    const bool reads_elements = is_float_texture || (flags & CU_TRSF_READ_AS_INTEGER) != 0;
    memset(desc, 0, sizeof *desc);
    for (int i = 0; i < 3; i++)
        desc->addressMode[i] = (enum cudaTextureAddressMode)sampling->addressMode[i];
    for (int i = 0; i < 4; i++)
        desc->borderColor[i] = sampling->borderColor[i];
    desc->filterMode = (enum cudaTextureFilterMode)sampling->filterMode;
    desc->readMode = reads_elements ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    desc->sRGB = (flags & CU_TRSF_SRGB) != 0;
    desc->normalizedCoords = (flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    desc->maxAnisotropy = sampling->maxAnisotropy;
    desc->mipmapFilterMode = (enum cudaTextureFilterMode)sampling->mipmapFilterMode;
    desc->mipmapLevelBias = sampling->mipmapLevelBias;
    desc->minMipmapLevelClamp = sampling->minMipmapLevelClamp;
    desc->maxMipmapLevelClamp = sampling->maxMipmapLevelClamp;
    desc->disableTrilinearOptimization = (flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
    desc->seamlessCubemap = (flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
}

/* --- what the runtime checks before the driver does ------------------------------------------- */

static cudaError_t find_format(const CUDA_RESOURCE_DESC *resource,
                               struct facade_array_format *format)
{
    struct facade_array *array = NULL;
    struct facade_mipmapped_array *mipmap = NULL;
    cudaError_t error = cudaErrorInvalidValue;
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        error = facade_array_find((cudaArray_const_t)resource->res.array.hArray, &array);
        if (error == cudaSuccess)
            *format = array->format;
        return error;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        if (resource->res.mipmap.hMipmappedArray == NULL)
            return cudaErrorInvalidResourceHandle;
        if (facade_mipmapped_array_find(
                (cudaMipmappedArray_const_t)resource->res.mipmap.hMipmappedArray, &mipmap) !=
            cudaSuccess)
            return cudaErrorInvalidValue;
        *format = mipmap->format;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR:
        return facade_array_format_from_driver(format, resource->res.linear.format,
                                               resource->res.linear.numChannels);
    case CU_RESOURCE_TYPE_PITCH2D:
        return facade_array_format_from_driver(format, resource->res.pitch2D.format,
                                               resource->res.pitch2D.numChannels);
    }
    return error;
}

static bool is_float(const struct facade_array_format *format)
{
    return format->texel.type == OCL_CHANNEL_FLOAT || format->is_normalized;
}

static cudaError_t check_read_mode(const struct facade_array_format *format,
                                   const struct cudaTextureDesc *texture)
{
    const bool is_normalized = texture->readMode == cudaReadModeNormalizedFloat;
    const bool has_parts = !is_float(format) && format->texel.channel_bytes < 4;
    if (texture->filterMode == cudaFilterModeLinear && !is_float(format) &&
        !(is_normalized && has_parts))
        return cudaErrorInvalidFilterSetting;
    return is_normalized && !has_parts ? cudaErrorInvalidNormSetting : cudaSuccess;
}

cudaError_t facade_texture_describe(struct facade_texture_description *description,
                                    const struct cudaTextureDesc *texture)
{
    struct facade_array_format format;
    cudaError_t error = find_format(&description->resource, &format);
    if (error == cudaSuccess)
        error = check_read_mode(&format, texture);
    if (error == cudaSuccess)
        sampling_from_runtime(&description->sampling, texture, is_float(&format));
    return error;
}

/* --- texture objects -------------------------------------------------------------------------- */

static cudaError_t create_texture(cudaTextureObject_t *object,
                                  const struct cudaResourceDesc *resource,
                                  const struct cudaTextureDesc *texture,
                                  const struct cudaResourceViewDesc *view)
{
    struct facade_texture_description description = {.has_view = view != NULL};
    if (object == NULL || resource == NULL)
        return cudaErrorInvalidValue;
    if (texture == NULL)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = facade_resource_from_runtime(&description.resource, resource);
    if (error == cudaSuccess)
        error = facade_texture_describe(&description, texture);
    if (error != cudaSuccess)
        return error;
    if (view != NULL)
        view_from_runtime(&description.view, view);
    return facade_texture_create(object, &description);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                    const struct cudaResourceDesc *pResDesc,
                                    const struct cudaTextureDesc *pTexDesc,
                                    const struct cudaResourceViewDesc *pResViewDesc)
{
    return facade_result(create_texture(pTexObject, pResDesc, pTexDesc, pResViewDesc));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
    return facade_result(facade_texture_destroy(texObject, false));
}

/* The runtime asks the resource for its format: an array that is gone has none. */
static cudaError_t find_texture(cudaTextureObject_t object, struct facade_texture **found,
                                struct facade_array_format *format)
{
    cudaError_t error = facade_texture_find(object, false, found);
    if (error == cudaSuccess && find_format(&(*found)->description.resource, format) != cudaSuccess)
        error = cudaErrorInvalidValue;
    return error;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaTextureObject_t texObject)
{
    struct facade_array_format format;
    struct facade_texture *texture = NULL;
    if (pResDesc == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = find_texture(texObject, &texture, &format);
    if (error == cudaSuccess)
        resource_to_runtime(pResDesc, &texture->description.resource);
    return facade_result(error);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                            cudaTextureObject_t texObject)
{
    struct facade_array_format format;
    struct facade_texture *texture = NULL;
    if (pTexDesc == NULL)
        return facade_result(cudaErrorInvalidResourceHandle);
    cudaError_t error = find_texture(texObject, &texture, &format);
    if (error == cudaSuccess)
        sampling_to_runtime(pTexDesc, &texture->description.sampling, is_float(&format));
    return facade_result(error);
}

/* A texture without a view has one of zeros, and it is no error to ask for nothing. */
static cudaError_t get_view(struct cudaResourceViewDesc *desc, cudaTextureObject_t object)
{
    struct facade_texture *texture = NULL;
    cudaError_t error = facade_texture_find(object, false, &texture);
    if (error != cudaSuccess || desc == NULL)
        return error;
    const CUDA_RESOURCE_VIEW_DESC *view = &texture->description.view;
    *desc = (struct cudaResourceViewDesc){
        .format = (enum cudaResourceViewFormat)view->format,
        .width = view->width,
        .height = view->height,
        .depth = view->depth,
        .firstMipmapLevel = view->firstMipmapLevel,
        .lastMipmapLevel = view->lastMipmapLevel,
        .firstLayer = view->firstLayer,
        .lastLayer = view->lastLayer,
    };
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                 cudaTextureObject_t texObject)
{
    return facade_result(get_view(pResViewDesc, texObject));
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                 const struct cudaChannelFormatDesc *fmtDesc,
                                                 int device)
{
    struct facade_array_format format;
    int width = 0;
    if (maxWidthInElements == NULL || fmtDesc == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_device_check(device);
    if (error == cudaSuccess)
        error = facade_array_format_from_desc(&format, fmtDesc);
    if (error == cudaSuccess)
        error = facade_device_attribute(&width, cudaDevAttrMaxTexture1DLinearWidth, device);
    if (error == cudaSuccess)
        *maxWidthInElements = (size_t)width;
    return facade_result(error);
}
