/* What descriptions of textures and surfaces stand for: checked, and made for launches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory.h"
#include "facade/device/device.h"
#include "facade/memory/memory.h"
#include "facade/memory/memory_array.h"
#include "facade/texture/texture.h"

/* What cudaDeviceProp tells as texturePitchAlignment. */
enum { PITCH_ALIGNMENT = 32 };

_Static_assert((int)CU_TR_ADDRESS_MODE_WRAP == OCL_ADDRESS_MODE_WRAP &&
                   (int)CU_TR_ADDRESS_MODE_CLAMP == OCL_ADDRESS_MODE_CLAMP &&
                   (int)CU_TR_ADDRESS_MODE_MIRROR == OCL_ADDRESS_MODE_MIRROR &&
                   (int)CU_TR_ADDRESS_MODE_BORDER == OCL_ADDRESS_MODE_BORDER,
               "address modes have one numbering");

/* --- resources -------------------------------------------------------------------------------- */

/* What is sampled, before a view narrows it. */
struct source {
    struct ocl_texture_view view;
    struct facade_array_format format;
    struct cudaExtent extent;
    unsigned flags; /* of the array */
    bool is_mipmapped;
};

static bool has_layers(const struct source *source)
{
    return (source->flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
}

static unsigned layer_count(const struct ocl_array *array)
{
    const struct ocl_array_shape *shape = ocl_array_shape(array);
    return shape->layers > 0 ? shape->layers : 1;
}

static void use_array(struct source *source, struct ocl_array *array)
{
    source->view.source = OCL_TEXTURE_ARRAY;
    source->view.array = array;
    source->view.last_layer = layer_count(array) - 1;
}

static cudaError_t read_array(struct source *source, CUarray handle)
{
    struct facade_array *array = NULL;
    if (handle == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_array_find((cudaArray_const_t)handle, &array);
    if (error != cudaSuccess)
        return error;
    use_array(source, array->array);
    source->view.first_level = source->view.last_level = array->level;
    source->format = array->format;
    source->extent = array->extent;
    source->flags = array->flags;
    return cudaSuccess;
}

static cudaError_t read_mipmapped_array(struct source *source, CUmipmappedArray handle)
{
    struct facade_mipmapped_array *mipmap = NULL;
    if (facade_mipmapped_array_find((cudaMipmappedArray_const_t)handle, &mipmap) != cudaSuccess)
        return cudaErrorInvalidValue;
    source->is_mipmapped = true;
    use_array(source, mipmap->array);
    source->view.last_level = mipmap->level_count - 1;
    source->format = mipmap->format;
    source->extent = mipmap->extent;
    source->flags = mipmap->flags;
    return cudaSuccess;
}

static size_t attribute(int name, const struct facade_context *context)
{
    int value = 0;
    return facade_device_attribute(&value, name, context->device) == cudaSuccess && value > 0
               ? (size_t)value
               : SIZE_MAX;
}

/* How many bytes from address on are memory that a kernel may touch. CUDA does not ask whether all
 * that a texture spans was allocated; what was not is left out of the texture here. An address is
 * aligned when it is a multiple of the alignment from its allocation's start on: allocations start
 * at multiples of less than CUDA's. */
static cudaError_t memory_behind(uint64_t address, size_t *bytes)
{
    uint64_t base = 0;
    size_t size = 0;
    if (address == 0 || facade_memory_address_range(&base, &size, address) != cudaSuccess ||
        (address - base) % FACADE_TEXTURE_ALIGNMENT != 0)
        return cudaErrorInvalidValue;
    *bytes = size - (size_t)(address - base);
    return cudaSuccess;
}

static cudaError_t read_linear(struct source *source, const CUDA_RESOURCE_DESC *resource,
                               const struct facade_context *context)
{
    const uint64_t address = resource->res.linear.devPtr;
    const size_t bytes = resource->res.linear.sizeInBytes;
    size_t present = 0;
    cudaError_t error = facade_array_format_from_driver(
        &source->format, resource->res.linear.format, resource->res.linear.numChannels);
    if (error != cudaSuccess)
        return error;
    const size_t texel = ocl_texel_bytes(&source->format.texel);
    if (bytes / texel > attribute(cudaDevAttrMaxTexture1DLinearWidth, context))
        return cudaErrorInvalidValue;
    error = memory_behind(address, &present);
    source->view.source = OCL_TEXTURE_LINEAR;
    source->view.address = address;
    source->view.width = (bytes < present ? bytes : present) / texel;
    source->view.height = 1;
    return error;
}

static bool pitched_is_within(const CUDA_RESOURCE_DESC *resource,
                              const struct facade_context *context)
{
    const size_t pitch = resource->res.pitch2D.pitchInBytes;
    return resource->res.pitch2D.width <= attribute(cudaDevAttrMaxTexture2DLinearWidth, context) &&
           resource->res.pitch2D.height <=
               attribute(cudaDevAttrMaxTexture2DLinearHeight, context) &&
           pitch <= attribute(cudaDevAttrMaxTexture2DLinearPitch, context) &&
           pitch % PITCH_ALIGNMENT == 0;
}

static size_t between(size_t least, size_t value, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Rows may overlap, and sizes may be 0: CUDA asks for neither to make sense. At least one texel is
 * left. */
static cudaError_t read_pitched(struct source *source, const CUDA_RESOURCE_DESC *resource,
                                const struct facade_context *context)
{
    struct ocl_texture_view *view = &source->view;
    size_t present = 0;
    cudaError_t error = facade_array_format_from_driver(
        &source->format, resource->res.pitch2D.format, resource->res.pitch2D.numChannels);
    if (error != cudaSuccess)
        return error;
    if (!pitched_is_within(resource, context))
        return cudaErrorInvalidValue;
    error = memory_behind(resource->res.pitch2D.devPtr, &present);
    const size_t texel = ocl_texel_bytes(&source->format.texel);
    if (error != cudaSuccess || present < texel)
        return cudaErrorInvalidValue;
    view->source = OCL_TEXTURE_PITCHED;
    view->address = resource->res.pitch2D.devPtr;
    view->pitch = resource->res.pitch2D.pitchInBytes;
    view->width = between(1, resource->res.pitch2D.width, present / texel);
    const size_t rows =
        view->pitch == 0 ? SIZE_MAX - 1 : (present - view->width * texel) / view->pitch + 1;
    view->height = between(1, resource->res.pitch2D.height, rows);
    return cudaSuccess;
}

static cudaError_t read_resource(struct source *source, const CUDA_RESOURCE_DESC *resource,
                                 const struct facade_context *context)
{
    *source = (struct source){.flags = 0};
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return read_array(source, resource->res.array.hArray);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return read_mipmapped_array(source, resource->res.mipmap.hMipmappedArray);
    case CU_RESOURCE_TYPE_LINEAR:
        return read_linear(source, resource, context);
    case CU_RESOURCE_TYPE_PITCH2D:
        return read_pitched(source, resource, context);
    default:
        return cudaErrorInvalidValue;
    }
}

/* --- views ------------------------------------------------------------------------------------ */

/* The plain formats of CUresourceViewFormat in the order of their numbers: groups of 1, 2 and 4
 * channels. */
static const CUarray_format view_formats[] = {
    CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8,    CU_AD_FORMAT_UNSIGNED_INT16,
    CU_AD_FORMAT_SIGNED_INT16,  CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
    CU_AD_FORMAT_HALF,          CU_AD_FORMAT_FLOAT,
};
enum { VIEW_FORMATS = 3 * sizeof view_formats / sizeof view_formats[0] };

static cudaError_t read_view_format(struct source *source, CUresourceViewFormat format)
{
    struct facade_array_format seen;
    const unsigned number = (unsigned)format - 1;
    if (number >= VIEW_FORMATS)
        return cudaErrorInvalidValue;
    cudaError_t error =
        facade_array_format_from_driver(&seen, view_formats[number / 3], 1u << number % 3);
    if (error == cudaSuccess &&
        ocl_texel_bytes(&seen.texel) != ocl_texel_bytes(&source->format.texel))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        source->format = seen;
    return error;
}

/* A view of a plain format is as large as what it views. Only layered resources have layers to
 * choose from: the six faces of a cube are none. */
static bool view_fits(const struct source *source, const CUDA_RESOURCE_VIEW_DESC *view)
{
    const unsigned last_layer =
        (source->flags & CUDA_ARRAY3D_LAYERED) != 0 ? source->view.last_layer : 0;
    return view->width == source->extent.width && view->height == source->extent.height &&
           view->depth == source->extent.depth && view->firstMipmapLevel <= view->lastMipmapLevel &&
           (source->is_mipmapped || view->lastMipmapLevel == 0) &&
           view->firstLayer <= view->lastLayer && view->lastLayer <= last_layer;
}

/* Memory has no views: CUDA does not look at the description then. */
static cudaError_t read_view(struct source *source, const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct ocl_texture_view *part = &source->view;
    if (part->source != OCL_TEXTURE_ARRAY)
        return cudaSuccess;
    cudaError_t error = read_view_format(source, view->format);
    if (error != cudaSuccess)
        return error;
    if (!view_fits(source, view))
        return cudaErrorInvalidValue;
    /* Levels that are not there are the last one. */
    const unsigned levels = part->last_level - part->first_level + 1;
    const unsigned first = part->first_level;
    part->first_level = first + (unsigned)between(0, view->firstMipmapLevel, levels - 1);
    part->last_level = first + (unsigned)between(0, view->lastMipmapLevel, levels - 1);
    if ((source->flags & CUDA_ARRAY3D_LAYERED) != 0) {
        part->first_layer = view->firstLayer;
        part->last_layer = view->lastLayer;
    }
    return cudaSuccess;
}

/* --- sampling --------------------------------------------------------------------------------- */

/* The flags that the driver refuses; two unnamed bits below them are let through. */
static const unsigned refused_flags = ~0x7fu;

static unsigned dimensions(const struct source *source)
{
    if (source->view.source == OCL_TEXTURE_LINEAR)
        return 1;
    if (source->view.source == OCL_TEXTURE_PITCHED)
        return 2;
    if (source->extent.depth != 0 && !has_layers(source))
        return 3;
    return source->extent.height != 0 ? 2 : 1;
}

static bool sampling_is_valid(const struct source *source, const CUDA_TEXTURE_DESC *sampling)
{
    const bool is_seamless = (sampling->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    for (unsigned i = 0; i < dimensions(source); i++) {
        if ((unsigned)sampling->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return false;
    }
    for (size_t i = 0; i < sizeof sampling->reserved / sizeof sampling->reserved[0]; i++) {
        if (sampling->reserved[i] != 0)
            return false;
    }
    return (unsigned)sampling->filterMode <= CU_TR_FILTER_MODE_LINEAR &&
           (unsigned)sampling->mipmapFilterMode <= CU_TR_FILTER_MODE_LINEAR &&
           (sampling->flags & refused_flags) == 0 &&
           (!is_seamless || (source->flags & CUDA_ARRAY3D_CUBEMAP) != 0);
}

/* Integers of 8 and 16 bits are read as parts of 1 unless the texture reads integers; larger ones
 * always are integers. */
static bool reads_normalized(const CUDA_TEXTURE_DESC *sampling,
                             const struct facade_array_format *format)
{
    if (format->is_normalized)
        return true;
    return format->texel.type != OCL_CHANNEL_FLOAT && format->texel.channel_bytes < 4 &&
           (sampling->flags & CU_TRSF_READ_AS_INTEGER) == 0;
}

/* Linear filtering mixes floats: the driver accepts it for integers, and there is none. */
static bool reads_floats(const CUDA_TEXTURE_DESC *sampling,
                         const struct facade_array_format *format)
{
    return format->texel.type == OCL_CHANNEL_FLOAT || reads_normalized(sampling, format);
}

/* Modes of dimensions that the texture does not have may be anything. */
static enum ocl_address_mode address_mode(CUaddress_mode mode)
{
    return (unsigned)mode <= CU_TR_ADDRESS_MODE_BORDER ? (enum ocl_address_mode)mode
                                                       : OCL_ADDRESS_MODE_CLAMP;
}

static void read_sampling(struct ocl_sampling *sampling, const CUDA_TEXTURE_DESC *from,
                          const struct facade_array_format *format)
{
    *sampling = (struct ocl_sampling){
        .is_linear = from->filterMode == CU_TR_FILTER_MODE_LINEAR && reads_floats(from, format),
        .is_mipmap_linear = from->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR,
        .reads_normalized = reads_normalized(from, format),
        .has_normalized_coordinates = (from->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .level_bias = from->mipmapLevelBias,
        .min_level = from->minMipmapLevelClamp,
        .max_level = from->maxMipmapLevelClamp,
        .is_seamless_cube = (from->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
    };
    sampling->is_srgb = (from->flags & CU_TRSF_SRGB) != 0 && sampling->reads_normalized &&
                        format->texel.type == OCL_CHANNEL_UNSIGNED &&
                        format->texel.channel_bytes == 1;
    for (int i = 0; i < 3; i++)
        sampling->address[i] = address_mode(from->addressMode[i]);
    for (int i = 0; i < 4; i++)
        sampling->border[i] = from->borderColor[i];
}

/* --- building --------------------------------------------------------------------------------- */

cudaError_t facade_texture_build(struct facade_context *context,
                                 const struct facade_texture_description *description,
                                 struct ocl_texture **texture)
{
    struct source source;
    struct ocl_sampling sampling;
    cudaError_t error = read_resource(&source, &description->resource, context);
    if (error == cudaSuccess && !sampling_is_valid(&source, &description->sampling))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && description->has_view)
        error = read_view(&source, &description->view);
    if (error != cudaSuccess)
        return error;
    read_sampling(&sampling, &description->sampling, &source.format);
    source.view.texel = source.format.texel;
    return facade_error_from(
        ocl_texture_create(atomic_load(&context->cl), &source.view, &sampling, texture),
        FACADE_OTHER);
}

/* An array without the surface flag does as well: NVIDIA's driver does not ask for it. */
cudaError_t facade_surface_build(struct facade_context *context, const CUDA_RESOURCE_DESC *resource,
                                 struct ocl_texture **surface)
{
    struct facade_array *array = NULL;
    if (resource->resType != CU_RESOURCE_TYPE_ARRAY || resource->res.array.hArray == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_array_find((cudaArray_const_t)resource->res.array.hArray, &array);
    if (error != cudaSuccess)
        return error;
    if (array->context != context)
        return cudaErrorInvalidValue;
    return facade_error_from(ocl_surface_create(array->array, array->level, surface), FACADE_OTHER);
}
