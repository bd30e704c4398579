/* The runtime's texture and surface references, which CUDA 12 dropped, and texture objects by the
 * names of CUDA 11.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "facade/code/registered_reference.h"
#include "facade/code/registration.h"
#include "facade/code/texture_reference.h"
#include "facade/memory/memory.h"
#include "facade/memory/memory_array.h"

/* --- which reference is meant ----------------------------------------------------------------- */

/* What cudaGetTextureReference gave for a name is a part of the reference. */
static struct facade_reference *owner_of(const void *host, bool is_surface)
{
    const size_t offset = is_surface ? offsetof(struct facade_reference, host_surface)
                                     : offsetof(struct facade_reference, host_texture);
    const char *place = host;
    return place != NULL ? facade_handle_find(is_surface ? FACADE_SURFACE_REFERENCE
                                                         : FACADE_TEXTURE_REFERENCE,
                                              place - offset)
                         : NULL;
}

static cudaError_t invalid(bool is_surface)
{
    return is_surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture;
}

static cudaError_t find_of_library(const struct facade_registered_reference *from,
                                   struct facade_reference **reference)
{
    struct facade_library *library = NULL;
    struct facade_module *module = NULL;
    cudaError_t error = facade_registered_library(from->binary, &library);
    if (error == cudaSuccess)
        error = facade_library_module(library, &module);
    if (error == cudaSuccess)
        error = facade_reference_of_module(module, from->name, from->is_surface, reference);
    return error == cudaErrorSymbolNotFound ? invalid(from->is_surface) : error;
}

static cudaError_t find_reference(const void *host, bool is_surface,
                                  struct facade_reference **reference)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    const struct facade_registered_reference *from = facade_registered_reference(host, is_surface);
    if (from != NULL)
        return find_of_library(from, reference);
    *reference = owner_of(host, is_surface);
    return *reference != NULL ? cudaSuccess : invalid(is_surface);
}

static struct facade_module *module_at(struct facade_context *context, size_t index)
{
    pthread_mutex_lock(&context->lock);
    struct facade_module *module = context->modules;
    while (module != NULL && index-- > 0)
        module = module->next;
    pthread_mutex_unlock(&context->lock);
    return module;
}

/* A name is compared with the names there are, and so never read further than it is one. */
static cudaError_t find_named(const char *name, bool is_surface,
                              struct facade_reference **reference)
{
    struct facade_context *context = NULL;
    struct facade_module *module;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; (module = module_at(context, i)) != NULL; i++) {
        error = facade_reference_of_module(module, name, is_surface, reference);
        if (error != cudaErrorSymbolNotFound)
            return error;
    }
    return invalid(is_surface);
}

/* symbol is a registered host variable, or as in old programs the name of one. */
static cudaError_t get_reference(const void **host, const void *symbol, bool is_surface)
{
    struct facade_reference *reference = NULL;
    if (host == NULL)
        return cudaErrorInvalidValue;
    if (symbol == NULL)
        return invalid(is_surface);
    if (facade_registered_reference(symbol, is_surface) != NULL) {
        *host = symbol;
        return cudaSuccess;
    }
    cudaError_t error = find_named(symbol, is_surface, &reference);
    if (error == cudaSuccess)
        *host = is_surface ? (const void *)&reference->host_surface
                           : (const void *)&reference->host_texture;
    return error;
}

cudaError_t cudaGetTextureReference(const struct textureReference **texref, const void *symbol)
{
    return facade_result(get_reference((const void **)texref, symbol, false));
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surfref, const void *symbol)
{
    return facade_result(get_reference((const void **)surfref, symbol, true));
}

/* --- binding ---------------------------------------------------------------------------------- */

/* Where nobody registered how the texture is read, linear filtering wants the floats that element
 * types do not give. */
static enum cudaTextureReadMode read_mode(const struct textureReference *host)
{
    const struct facade_registered_reference *from = facade_registered_reference(host, false);
    if (from != NULL)
        return from->reads_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    return host->filterMode == cudaFilterModeLinear &&
                   host->channelDesc.f != cudaChannelFormatKindFloat && host->channelDesc.x < 32
               ? cudaReadModeNormalizedFloat
               : cudaReadModeElementType;
}

static struct cudaTextureDesc describe(const struct textureReference *host)
{
    struct cudaTextureDesc desc = {
        .filterMode = host->filterMode,
        .readMode = read_mode(host),
        .sRGB = host->sRGB,
        .normalizedCoords = host->normalized,
        .maxAnisotropy = host->maxAnisotropy,
        .mipmapFilterMode = host->mipmapFilterMode,
        .mipmapLevelBias = host->mipmapLevelBias,
        .minMipmapLevelClamp = host->minMipmapLevelClamp,
        .maxMipmapLevelClamp = host->maxMipmapLevelClamp,
        .disableTrilinearOptimization = host->disableTrilinearOptimization,
    };
    for (int i = 0; i < 3; i++)
        desc.addressMode[i] = host->addressMode[i];
    return desc;
}

/* offset: what the caller is told of the memory bound, 0 for arrays. */
static cudaError_t bind(const struct textureReference *host,
                        const struct cudaResourceDesc *resource, size_t offset)
{
    struct facade_texture_description description = {.has_view = false};
    struct facade_reference *reference = NULL;
    cudaError_t error = find_reference(host, false, &reference);
    if (error == cudaSuccess)
        error = facade_resource_from_runtime(&description.resource, resource);
    if (error != cudaSuccess)
        return error;
    const struct cudaTextureDesc texture = describe(host);
    error = facade_texture_describe(&description, &texture);
    if (error != cudaSuccess)
        return error;
    reference->host_offset = offset;
    return facade_reference_bind(reference, &description);
}

/* How far address lies behind an aligned one, and how many bytes its allocation has from there.
 * False for unknown memory. */
static bool measure(const void *address, size_t *offset, size_t *present)
{
    uint64_t base = 0;
    size_t bytes = 0;
    if (address == NULL ||
        facade_memory_address_range(&base, &bytes, (uintptr_t)address) != cudaSuccess)
        return false;
    const size_t distance = (uintptr_t)address - base;
    *offset = distance % FACADE_TEXTURE_ALIGNMENT;
    *present = bytes - distance + *offset;
    return true;
}

/* Memory is bound from the last aligned address on; a caller that takes no offset promises that
 * there is none. */
static cudaError_t take_offset(size_t *offset, const void *address, size_t *present,
                               const void **aligned)
{
    size_t distance = 0;
    if (!measure(address, &distance, present) || (offset == NULL && distance != 0))
        return cudaErrorInvalidValue;
    if (offset != NULL)
        *offset = distance;
    *aligned = (const char *)address - distance;
    return cudaSuccess;
}

static cudaError_t bind_linear(size_t *offset, const struct textureReference *host,
                               const void *address, const struct cudaChannelFormatDesc *desc,
                               size_t size)
{
    const void *aligned = NULL;
    size_t present = 0;
    if (host == NULL)
        return cudaErrorInvalidTexture;
    if (desc == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = take_offset(offset, address, &present, &aligned);
    if (error != cudaSuccess)
        return error;
    const size_t before = (size_t)((const char *)address - (const char *)aligned);
    const struct cudaResourceDesc resource = {
        .resType = cudaResourceTypeLinear,
        .res.linear = {.devPtr = (void *)(uintptr_t)aligned,
                       .desc = *desc,
                       .sizeInBytes = size < present - before ? size + before : present},
    };
    return bind(host, &resource, before);
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texref,
                            const void *devPtr, const struct cudaChannelFormatDesc *desc,
                            size_t size)
{
    return facade_result(bind_linear(offset, texref, devPtr, desc, size));
}

static cudaError_t bind_pitched(size_t *offset, const struct textureReference *host,
                                const void *address, const struct cudaChannelFormatDesc *desc,
                                size_t width, size_t height, size_t pitch)
{
    const void *aligned = NULL;
    size_t present = 0;
    if (host == NULL)
        return cudaErrorInvalidTexture;
    if (desc == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = take_offset(offset, address, &present, &aligned);
    if (error != cudaSuccess)
        return error;
    const struct cudaResourceDesc resource = {
        .resType = cudaResourceTypePitch2D,
        .res.pitch2D = {.devPtr = (void *)(uintptr_t)aligned,
                        .desc = *desc,
                        .width = width,
                        .height = height,
                        .pitchInBytes = pitch},
    };
    return bind(host, &resource, (size_t)((const char *)address - (const char *)aligned));
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texref,
                              const void *devPtr, const struct cudaChannelFormatDesc *desc,
                              size_t width, size_t height, size_t pitch)
{
    return facade_result(bind_pitched(offset, texref, devPtr, desc, width, height, pitch));
}

/* The description must be the array's: reading its bits as something else takes a view. */
static cudaError_t check_desc(const struct facade_array_format *format,
                              const struct cudaChannelFormatDesc *desc)
{
    struct facade_array_format described;
    if (desc == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_array_format_from_desc(&described, desc);
    if (error == cudaSuccess &&
        (described.format != format->format || described.texel.channels != format->texel.channels))
        error = cudaErrorInvalidValue;
    return error;
}

static cudaError_t bind_array(const struct textureReference *host, cudaArray_const_t handle,
                              const struct cudaChannelFormatDesc *desc)
{
    struct facade_array *array = NULL;
    const struct cudaResourceDesc resource = {
        .resType = cudaResourceTypeArray,
        .res.array.array = (cudaArray_t)(uintptr_t)handle,
    };
    if (host == NULL)
        return cudaErrorInvalidTexture;
    cudaError_t error = facade_array_find(handle, &array);
    if (error == cudaSuccess)
        error = check_desc(&array->format, desc);
    return error == cudaSuccess ? bind(host, &resource, 0) : error;
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texref, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    return facade_result(bind_array(texref, array, desc));
}

static cudaError_t bind_mipmapped(const struct textureReference *host,
                                  cudaMipmappedArray_const_t handle,
                                  const struct cudaChannelFormatDesc *desc)
{
    struct facade_mipmapped_array *mipmap = NULL;
    const struct cudaResourceDesc resource = {
        .resType = cudaResourceTypeMipmappedArray,
        .res.mipmap.mipmap = (cudaMipmappedArray_t)(uintptr_t)handle,
    };
    if (host == NULL)
        return cudaErrorInvalidTexture;
    cudaError_t error = facade_mipmapped_array_find(handle, &mipmap);
    if (error == cudaSuccess)
        error = check_desc(&mipmap->format, desc);
    return error == cudaSuccess ? bind(host, &resource, 0) : error;
}

cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                            cudaMipmappedArray_const_t mipmappedArray,
                                            const struct cudaChannelFormatDesc *desc)
{
    return facade_result(bind_mipmapped(texref, mipmappedArray, desc));
}

cudaError_t cudaUnbindTexture(const struct textureReference *texref)
{
    struct facade_reference *reference = NULL;
    cudaError_t error = find_reference(texref, false, &reference);
    return facade_result(error == cudaSuccess ? facade_reference_unbind(reference) : error);
}

static cudaError_t get_offset(size_t *offset, const struct textureReference *host)
{
    struct facade_reference *reference = NULL;
    cudaError_t error = find_reference(host, false, &reference);
    if (error != cudaSuccess)
        return error;
    if (offset == NULL)
        return cudaErrorInvalidValue;
    if (!reference->is_bound)
        return cudaErrorInvalidTextureBinding;
    *offset = reference->host_offset;
    return cudaSuccess;
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texref)
{
    return facade_result(get_offset(offset, texref));
}

static cudaError_t bind_surface(const struct surfaceReference *host, cudaArray_const_t handle,
                                const struct cudaChannelFormatDesc *desc)
{
    struct facade_reference *reference = NULL;
    struct facade_array *array = NULL;
    cudaError_t error = find_reference(host, true, &reference);
    if (error == cudaSuccess)
        error = facade_array_find(handle, &array);
    if (error == cudaSuccess)
        error = check_desc(&array->format, desc);
    if (error == cudaSuccess && (array->flags & CUDA_ARRAY3D_SURFACE_LDST) == 0)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    const struct facade_texture_description description = {
        .resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                     .res.array.hArray = (CUarray)(uintptr_t)handle},
    };
    return facade_reference_bind(reference, &description);
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surfref, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    return facade_result(bind_surface(surfref, array, desc));
}

/* --- texture objects by the names of CUDA 11 -------------------------------------------------- */

/* Today's description is theirs. */
_Static_assert(sizeof(struct cudaTextureDesc_v2) == sizeof(struct cudaTextureDesc),
               "one layout for both");

cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *pTexObject,
                                       const struct cudaResourceDesc *pResDesc,
                                       const struct cudaTextureDesc_v2 *pTexDesc,
                                       const struct cudaResourceViewDesc *pResViewDesc)
{
    struct cudaTextureDesc desc;
    if (pTexDesc == NULL)
        return cudaCreateTextureObject(pTexObject, pResDesc, NULL, pResViewDesc);
    memcpy(&desc, pTexDesc, sizeof desc);
    return cudaCreateTextureObject(pTexObject, pResDesc, &desc, pResViewDesc);
}

cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc_v2 *pTexDesc,
                                               cudaTextureObject_t texObject)
{
    struct cudaTextureDesc desc;
    if (pTexDesc == NULL)
        return cudaGetTextureObjectTextureDesc(NULL, texObject);
    cudaError_t error = cudaGetTextureObjectTextureDesc(&desc, texObject);
    if (error == cudaSuccess)
        memcpy(pTexDesc, &desc, sizeof desc);
    return error;
}
