/* The driver API's external memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <string.h>

#include "facade/memory/external_memory.h"

_Static_assert(sizeof(struct cudaExternalMemoryHandleDesc) ==
                       sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC) &&
                   sizeof(struct cudaExternalMemoryBufferDesc) ==
                       sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC),
               "the same structures by other names");

CUresult cuImportExternalMemory(CUexternalMemory *extMem_out,
                                const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc)
{
    struct cudaExternalMemoryHandleDesc description;
    cudaExternalMemory_t made = NULL;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS && (extMem_out == NULL || memHandleDesc == NULL))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    memcpy(&description, memHandleDesc, sizeof description);
    result = facade_driver_error(facade_external_import(&made, &description));
    if (result == CUDA_SUCCESS)
        *extMem_out = (CUexternalMemory)made;
    return result;
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc)
{
    struct cudaExternalMemoryBufferDesc description;
    void *pointer = NULL;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS && (devPtr == NULL || bufferDesc == NULL))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    memcpy(&description, bufferDesc, sizeof description);
    result = facade_driver_error(
        facade_external_map(&pointer, (cudaExternalMemory_t)extMem, &description));
    if (result == CUDA_SUCCESS)
        *devPtr = (uintptr_t)pointer;
    return result;
}

CUresult
cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *mipmap, CUexternalMemory extMem,
                                        const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc)
{
    struct facade_array_format format;
    cudaMipmappedArray_t made = NULL;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS && (mipmap == NULL || mipmapDesc == NULL))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    const CUDA_ARRAY3D_DESCRIPTOR *array = &mipmapDesc->arrayDesc;
    const struct cudaExtent extent = {array->Width, array->Height, array->Depth};
    cudaError_t error = facade_array_format_from_driver(&format, array->Format, array->NumChannels);
    if (error == cudaSuccess)
        error = facade_external_map_array(&made, (cudaExternalMemory_t)extMem, mipmapDesc->offset,
                                          &format, extent, mipmapDesc->numLevels, array->Flags);
    if (error == cudaSuccess)
        *mipmap = (CUmipmappedArray)made;
    return facade_driver_error(error);
}

CUresult cuDestroyExternalMemory(CUexternalMemory extMem)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_external_destroy((cudaExternalMemory_t)extMem))
               : result;
}
