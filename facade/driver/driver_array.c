/* The driver API's arrays: making, asking, destroying, and linear copies to and from them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/memory/copy_request.h"
#include "facade/memory/memory_array.h"

/* --- making ----------------------------------------------------------------------------------- */

static CUresult create(CUarray *handle, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    struct facade_array_format format;
    const struct cudaExtent extent = {descriptor->Width, descriptor->Height, descriptor->Depth};
    cudaArray_t made = NULL;
    cudaError_t error =
        facade_array_format_from_driver(&format, descriptor->Format, descriptor->NumChannels);
    if (error == cudaSuccess)
        error = facade_array_create(&made, &format, extent, descriptor->Flags);
    if (error == cudaSuccess)
        *handle = (CUarray)made;
    return facade_driver_error(error);
}

CUresult cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (pHandle == NULL || pAllocateArray == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = pAllocateArray->Width,
        .Height = pAllocateArray->Height,
        .Format = pAllocateArray->Format,
        .NumChannels = pAllocateArray->NumChannels,
    };
    return create(pHandle, &descriptor);
}

CUresult cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (pHandle == NULL || pAllocateArray == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return create(pHandle, pAllocateArray);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
                                const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                unsigned int numMipmapLevels)
{
    const CUDA_ARRAY3D_DESCRIPTOR *descriptor = pMipmappedArrayDesc;
    struct facade_array_format format;
    cudaMipmappedArray_t made = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (pHandle == NULL || descriptor == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaExtent extent = {descriptor->Width, descriptor->Height, descriptor->Depth};
    cudaError_t error =
        facade_array_format_from_driver(&format, descriptor->Format, descriptor->NumChannels);
    if (error == cudaSuccess)
        error = facade_mipmapped_array_create(&made, &format, extent, numMipmapLevels,
                                              descriptor->Flags, NULL);
    if (error == cudaSuccess)
        *pHandle = (CUmipmappedArray)made;
    return facade_driver_error(error);
}

CUresult cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
                                  unsigned int level)
{
    cudaArray_t found = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (pLevelArray == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(
        facade_mipmapped_array_level(&found, (cudaMipmappedArray_const_t)hMipmappedArray, level));
    if (result == CUDA_SUCCESS)
        *pLevelArray = (CUarray)found;
    return result;
}

/* --- asking ----------------------------------------------------------------------------------- */

static CUresult find(CUarray handle, struct facade_array **array)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_array_find((cudaArray_const_t)handle, array))
               : result;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    struct facade_array *array = NULL;
    if (pArrayDescriptor == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find(hArray, &array);
    if (result == CUDA_SUCCESS)
        *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){
            .Width = array->extent.width,
            .Height = array->extent.height,
            .Format = array->format.format,
            .NumChannels = array->format.texel.channels,
        };
    return result;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    struct facade_array *array = NULL;
    if (pArrayDescriptor == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find(hArray, &array);
    if (result == CUDA_SUCCESS)
        *pArrayDescriptor = (CUDA_ARRAY3D_DESCRIPTOR){
            .Width = array->extent.width,
            .Height = array->extent.height,
            .Depth = array->extent.depth,
            .Format = array->format.format,
            .NumChannels = array->format.texel.channels,
            .Flags = array->flags,
        };
    return result;
}

/* --- what no array here has (facade/memory/memory_array.c) ------------------------------------ */

static CUresult has_no_such(const void *answer, CUarray handle)
{
    struct facade_array *array = NULL;
    if (answer == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = find(handle, &array);
    return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result;
}

static CUresult mipmap_has_no_such(const void *answer, CUmipmappedArray handle)
{
    struct facade_mipmapped_array *mipmap = NULL;
    if (answer == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(
            facade_mipmapped_array_find((cudaMipmappedArray_const_t)handle, &mipmap));
    return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx)
{
    (void)planeIdx;
    return has_no_such(pPlaneArray, hArray);
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                      CUarray array, CUdevice device)
{
    (void)device;
    return has_no_such(memoryRequirements, array);
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                               CUmipmappedArray mipmap, CUdevice device)
{
    (void)device;
    return mipmap_has_no_such(memoryRequirements, mipmap);
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUarray array)
{
    return has_no_such(sparseProperties, array);
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                             CUmipmappedArray mipmap)
{
    return mipmap_has_no_such(sparseProperties, mipmap);
}

/* --- destroying ------------------------------------------------------------------------------- */

CUresult cuArrayDestroy(CUarray hArray)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_array_free((cudaArray_t)hArray))
                                  : result;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_mipmapped_array_free(
                                        (cudaMipmappedArray_t)hMipmappedArray))
                                  : result;
}

/* --- linear copies ---------------------------------------------------------------------------- */

/* One end: bytes from offset on of an array's first row, or memory. */
struct end {
    CUarray array;
    bool is_array;
    size_t offset;
    uint64_t address;
    enum facade_claim claim;
};

static struct end array_end(CUarray array, size_t offset)
{
    return (struct end){.array = array, .is_array = true, .offset = offset};
}

static struct end device_end(CUdeviceptr address)
{
    return (struct end){.address = address, .claim = FACADE_CLAIM_DEVICE};
}

static struct end host_end(const void *pointer)
{
    return (struct end){.address = (uintptr_t)pointer, .claim = FACADE_CLAIM_HOST};
}

static cudaError_t make_end(struct facade_copy_end *made, const struct end *end)
{
    *made = (struct facade_copy_end){.base = end->address, .x = end->offset};
    if (!end->is_array)
        return cudaSuccess;
    return end->array != NULL ? facade_array_find((cudaArray_const_t)end->array, &made->array)
                              : cudaErrorInvalidValue;
}

static CUresult copy(struct end target, struct end source, size_t bytes, CUstream stream,
                     bool is_async)
{
    struct facade_copy_request request = {.source = source.claim, .target = target.claim};
    struct facade_copy_end from, to;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS || bytes == 0)
        return result;
    cudaError_t error = make_end(&to, &target);
    if (error == cudaSuccess)
        error = make_end(&from, &source);
    if (error == cudaSuccess)
        error = facade_copy_volume(&request, &from, &to, (struct cudaExtent){bytes, 1, 1});
    if (error == cudaSuccess)
        error = facade_copy_submit(&request, stream, is_async);
    return facade_driver_error(error);
}

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                         size_t ByteCount)
{
    return copy(array_end(dstArray, dstOffset), device_end(srcDevice), ByteCount, NULL, false);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount)
{
    return copy(device_end(dstDevice), array_end(srcArray, srcOffset), ByteCount, NULL, false);
}

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount)
{
    return copy(array_end(dstArray, dstOffset), host_end(srcHost), ByteCount, NULL, false);
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount, CUstream hStream)
{
    return copy(array_end(dstArray, dstOffset), host_end(srcHost), ByteCount, hStream, true);
}

CUresult cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return copy(host_end(dstHost), array_end(srcArray, srcOffset), ByteCount, NULL, false);
}

CUresult cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                              CUstream hStream)
{
    return copy(host_end(dstHost), array_end(srcArray, srcOffset), ByteCount, hStream, true);
}

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount)
{
    return copy(array_end(dstArray, dstOffset), array_end(srcArray, srcOffset), ByteCount, NULL,
                false);
}
