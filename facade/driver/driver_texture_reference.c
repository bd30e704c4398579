/* The driver API's texture and surface references.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <stddef.h>
#include <string.h>

#include "facade/code/texture_reference.h"
#include "facade/memory/memory.h"
#include "facade/memory/memory_array.h"

/* --- finding ---------------------------------------------------------------------------------- */

static CUresult find_reference(const void *handle, bool is_surface,
                               struct facade_reference **reference)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    *reference = facade_handle_find(
        is_surface ? FACADE_SURFACE_REFERENCE : FACADE_TEXTURE_REFERENCE, handle);
    return *reference != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* For functions that give something back: a missing place for it is told after a missing
 * reference. */
static CUresult find_to_ask(const void *output, CUtexref handle,
                            struct facade_reference **reference)
{
    CUresult result = find_reference(handle, false, reference);
    return result == CUDA_SUCCESS && output == NULL ? CUDA_ERROR_INVALID_VALUE : result;
}

static CUresult find_in_module(const void *output, CUmodule handle, const char *name,
                               bool is_surface, struct facade_reference **reference)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    struct facade_module *module = facade_handle_find(FACADE_MODULE, handle);
    if (module == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (output == NULL || name == NULL || name[0] == '\0')
        return CUDA_ERROR_INVALID_VALUE;
    return facade_driver_error(facade_reference_of_module(module, name, is_surface, reference));
}

CUresult cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_in_module(pTexRef, hmod, name, false, &reference);
    if (result == CUDA_SUCCESS)
        *pTexRef = (CUtexref)reference;
    return result;
}

CUresult cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_in_module(pSurfRef, hmod, name, true, &reference);
    if (result == CUDA_SUCCESS)
        *pSurfRef = (CUsurfref)reference;
    return result;
}

CUresult cuTexRefCreate(CUtexref *pTexRef)
{
    struct facade_reference *reference = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (pTexRef == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_reference_new(&reference));
    if (result == CUDA_SUCCESS)
        *pTexRef = (CUtexref)reference;
    return result;
}

CUresult cuTexRefDestroy(CUtexref hTexRef)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result == CUDA_SUCCESS)
        facade_reference_free(reference);
    return result;
}

/* References feed every kernel of their module: there is nothing to do but to check. */
CUresult cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef)
{
    struct facade_reference *reference = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    const struct facade_function *function = facade_handle_find(FACADE_FUNCTION, hfunc);
    if (function == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    return texunit == CU_PARAM_TR_DEFAULT && reference->module == function->module
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* --- binding ---------------------------------------------------------------------------------- */

/* What cannot be sampled as it is described by now may be so after the next call. Unknown modes are
 * kept like known ones, but for address modes, which become CLAMP, as NVIDIA's driver does it. */
static CUresult apply(struct facade_reference *reference)
{
    cudaError_t error = facade_reference_apply(reference);
    return error == cudaErrorMemoryAllocation ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

static CUresult bind(struct facade_reference *reference, const CUDA_RESOURCE_DESC *resource)
{
    reference->description.resource = *resource;
    reference->is_bound = true;
    return apply(reference);
}

/* format: that of the array. */
static CUresult bind_array(struct facade_reference *reference, const CUDA_RESOURCE_DESC *resource,
                           const struct facade_array_format *format, unsigned flags)
{
    if ((flags & ~(unsigned)CU_TRSA_OVERRIDE_FORMAT) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags == CU_TRSA_OVERRIDE_FORMAT) {
        reference->format = format->format;
        reference->channels = format->texel.channels;
    }
    return bind(reference, resource);
}

CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags)
{
    const CUDA_RESOURCE_DESC resource = {
        .resType = CU_RESOURCE_TYPE_ARRAY,
        .res.array.hArray = hArray,
    };
    struct facade_reference *reference = NULL;
    struct facade_array *array = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    cudaError_t error = facade_array_find((cudaArray_const_t)hArray, &array);
    return error == cudaSuccess ? bind_array(reference, &resource, &array->format, Flags)
                                : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                   unsigned int Flags)
{
    const CUDA_RESOURCE_DESC resource = {
        .resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
        .res.mipmap.hMipmappedArray = hMipmappedArray,
    };
    struct facade_reference *reference = NULL;
    struct facade_mipmapped_array *mipmap = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    cudaError_t error =
        facade_mipmapped_array_find((cudaMipmappedArray_const_t)hMipmappedArray, &mipmap);
    return error == cudaSuccess ? bind_array(reference, &resource, &mipmap->format, Flags)
                                : CUDA_ERROR_INVALID_HANDLE;
}

/* Counted from the start of the allocation, as for texture objects. */
static size_t misalignment(CUdeviceptr address)
{
    uint64_t base = 0;
    if (facade_memory_address_range(&base, NULL, address) != cudaSuccess)
        base = 0;
    return (size_t)((address - base) % FACADE_TEXTURE_ALIGNMENT);
}

/* Binds from the last aligned address on and tells how far that is. Kernels then get nothing when
 * there is no memory; that is no error. */
CUresult cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    const size_t offset = misalignment(dptr);
    if (ByteOffset == NULL && offset != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (ByteOffset != NULL)
        *ByteOffset = offset;
    const CUDA_RESOURCE_DESC resource = {
        .resType = CU_RESOURCE_TYPE_LINEAR,
        .res.linear.devPtr = dptr - offset,
        .res.linear.sizeInBytes = bytes + offset,
    };
    return bind(reference, &resource);
}

enum { PITCH_ALIGNMENT = 32 };

CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                                 CUdeviceptr dptr, size_t Pitch)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (desc == NULL || Pitch == 0 || Pitch % PITCH_ALIGNMENT != 0 || misalignment(dptr) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    reference->format = desc->Format;
    reference->channels = desc->NumChannels;
    const CUDA_RESOURCE_DESC resource = {
        .resType = CU_RESOURCE_TYPE_PITCH2D,
        .res.pitch2D.devPtr = dptr,
        .res.pitch2D.width = desc->Width,
        .res.pitch2D.height = desc->Height,
        .res.pitch2D.pitchInBytes = Pitch,
    };
    return bind(reference, &resource);
}

/* Before version 4.1 the pitch needed no alignment that devices of today would ask for. */
CUresult cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                                 CUdeviceptr dptr, size_t Pitch)
{
    return cuTexRefSetAddress2D_v3(hTexRef, desc, dptr, Pitch);
}

/* --- setting ---------------------------------------------------------------------------------- */

/* Sets a member of the description of how texels are read. A value that is not allowed is told
 * after a missing reference. */
static CUresult set_member(CUtexref handle, bool is_allowed, size_t offset, const void *value,
                           size_t bytes)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(handle, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (!is_allowed)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy((char *)&reference->description.sampling + offset, value, bytes);
    return apply(reference);
}

#define MEMBER_BYTES(member) sizeof(((CUDA_TEXTURE_DESC *)NULL)->member)
#define SET_MEMBER(handle, is_allowed, member, value)                                              \
    set_member(handle, is_allowed, offsetof(CUDA_TEXTURE_DESC, member), value, MEMBER_BYTES(member))

CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (NumPackedComponents < 0 || NumPackedComponents > 4 || NumPackedComponents == 3)
        return CUDA_ERROR_INVALID_VALUE;
    reference->format = fmt;
    reference->channels = (unsigned)NumPackedComponents;
    return apply(reference);
}

CUresult cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (dim < 0 || dim > 2)
        return CUDA_ERROR_INVALID_VALUE;
    const bool is_known = (unsigned)am <= CU_TR_ADDRESS_MODE_BORDER;
    reference->description.sampling.addressMode[dim] = is_known ? am : CU_TR_ADDRESS_MODE_CLAMP;
    return apply(reference);
}

CUresult cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    return SET_MEMBER(hTexRef, true, filterMode, &fm);
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    const bool is_known = (unsigned)fm <= CU_TR_FILTER_MODE_LINEAR;
    return SET_MEMBER(hTexRef, is_known, mipmapFilterMode, &fm);
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias)
{
    return SET_MEMBER(hTexRef, true, mipmapLevelBias, &bias);
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                                     float maxMipmapLevelClamp)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    reference->description.sampling.minMipmapLevelClamp = minMipmapLevelClamp;
    reference->description.sampling.maxMipmapLevelClamp = maxMipmapLevelClamp;
    return apply(reference);
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso)
{
    return SET_MEMBER(hTexRef, true, maxAnisotropy, &maxAniso);
}

CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor)
{
    return SET_MEMBER(hTexRef, pBorderColor != NULL, borderColor, pBorderColor);
}

/* All bits up to the highest named one are let through, as NVIDIA's driver does. */
static const unsigned refused_flags = ~0x7fu;

CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags)
{
    return SET_MEMBER(hTexRef, (Flags & refused_flags) == 0, flags, &Flags);
}

/* --- asking ----------------------------------------------------------------------------------- */

static CUresult get_member(void *output, CUtexref handle, size_t offset, size_t bytes)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_to_ask(output, handle, &reference);
    if (result == CUDA_SUCCESS)
        memcpy(output, (const char *)&reference->description.sampling + offset, bytes);
    return result;
}

#define GET_MEMBER(output, handle, member)                                                         \
    get_member(output, handle, offsetof(CUDA_TEXTURE_DESC, member), MEMBER_BYTES(member))

static bool is_bound_to(const struct facade_reference *reference, CUresourcetype type)
{
    return reference->is_bound && reference->description.resource.resType == type;
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    const CUDA_RESOURCE_DESC *resource = &reference->description.resource;
    CUdeviceptr address = 0;
    if (is_bound_to(reference, CU_RESOURCE_TYPE_LINEAR))
        address = resource->res.linear.devPtr;
    else if (is_bound_to(reference, CU_RESOURCE_TYPE_PITCH2D))
        address = resource->res.pitch2D.devPtr;
    else
        return CUDA_ERROR_INVALID_VALUE;
    if (pdptr != NULL)
        *pdptr = address;
    return CUDA_SUCCESS;
}

/* What an array or a mipmapped array is bound by: both are one pointer. */
static CUresult get_bound(void *output, CUtexref handle, CUresourcetype type)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_to_ask(output, handle, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (!is_bound_to(reference, type))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(output, &reference->description.resource.res, sizeof(void *));
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef)
{
    return get_bound(phArray, hTexRef, CU_RESOURCE_TYPE_ARRAY);
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef)
{
    return get_bound(phMipmappedArray, hTexRef, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
}

CUresult cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_to_ask(pam, hTexRef, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (dim < 0 || dim > 2)
        return CUDA_ERROR_INVALID_VALUE;
    *pam = reference->description.sampling.addressMode[dim];
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetFilterMode(CUfilter_mode *pfm, CUtexref hTexRef)
{
    return GET_MEMBER(pfm, hTexRef, filterMode);
}

CUresult cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(hTexRef, false, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (pFormat != NULL)
        *pFormat = reference->format;
    if (pNumChannels != NULL)
        *pNumChannels = (int)reference->channels;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *pfm, CUtexref hTexRef)
{
    return GET_MEMBER(pfm, hTexRef, mipmapFilterMode);
}

CUresult cuTexRefGetMipmapLevelBias(float *pbias, CUtexref hTexRef)
{
    return GET_MEMBER(pbias, hTexRef, mipmapLevelBias);
}

CUresult cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                     CUtexref hTexRef)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_to_ask(pminMipmapLevelClamp, hTexRef, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (pmaxMipmapLevelClamp == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pminMipmapLevelClamp = reference->description.sampling.minMipmapLevelClamp;
    *pmaxMipmapLevelClamp = reference->description.sampling.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMaxAnisotropy(int *pmaxAniso, CUtexref hTexRef)
{
    return GET_MEMBER(pmaxAniso, hTexRef, maxAnisotropy);
}

CUresult cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef)
{
    return GET_MEMBER(pBorderColor, hTexRef, borderColor);
}

CUresult cuTexRefGetFlags(unsigned int *pFlags, CUtexref hTexRef)
{
    return GET_MEMBER(pFlags, hTexRef, flags);
}

/* --- surfaces --------------------------------------------------------------------------------- */

CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags)
{
    struct facade_reference *reference = NULL;
    struct facade_array *array = NULL;
    CUresult result = find_reference(hSurfRef, true, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (facade_array_find((cudaArray_const_t)hArray, &array) != cudaSuccess)
        return CUDA_ERROR_INVALID_HANDLE;
    if (Flags != 0 || (array->flags & CUDA_ARRAY3D_SURFACE_LDST) == 0)
        return CUDA_ERROR_INVALID_VALUE;
    const struct facade_texture_description description = {
        .resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = hArray},
    };
    return facade_driver_error(facade_reference_bind(reference, &description));
}

CUresult cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef)
{
    struct facade_reference *reference = NULL;
    CUresult result = find_reference(hSurfRef, true, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    if (phArray == NULL || !reference->is_bound)
        return CUDA_ERROR_INVALID_VALUE;
    *phArray = reference->description.resource.res.array.hArray;
    return CUDA_SUCCESS;
}

/* --- the first version, with addresses of 32 bits --------------------------------------------- */

CUresult cuTexRefSetAddress(unsigned int *ByteOffset, CUtexref hTexRef, CUdeviceptr_v1 dptr,
                            unsigned int bytes)
{
    size_t offset = 0;
    CUresult result =
        cuTexRefSetAddress_v2(ByteOffset != NULL ? &offset : NULL, hTexRef, dptr, bytes);
    if (result == CUDA_SUCCESS && ByteOffset != NULL)
        *ByteOffset = (unsigned int)offset;
    return result;
}

CUresult cuTexRefSetAddress2D(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR_v1 *desc,
                              CUdeviceptr_v1 dptr, unsigned int Pitch)
{
    if (desc == NULL)
        return cuTexRefSetAddress2D_v3(hTexRef, NULL, dptr, Pitch);
    const CUDA_ARRAY_DESCRIPTOR wide = {
        .Width = desc->Width,
        .Height = desc->Height,
        .Format = desc->Format,
        .NumChannels = desc->NumChannels,
    };
    return cuTexRefSetAddress2D_v3(hTexRef, &wide, dptr, Pitch);
}

/* Addresses that do not fit cannot be told. */
CUresult cuTexRefGetAddress(CUdeviceptr_v1 *pdptr, CUtexref hTexRef)
{
    CUdeviceptr wide = 0;
    CUresult result = cuTexRefGetAddress_v2(&wide, hTexRef);
    if (result != CUDA_SUCCESS || pdptr == NULL)
        return result;
    if (wide > UINT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = (CUdeviceptr_v1)wide;
    return CUDA_SUCCESS;
}
