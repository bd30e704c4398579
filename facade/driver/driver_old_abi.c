/* The first versions of the driver's memory functions, with addresses and sizes of 32 bits. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif
#include "facade/state/internal.h"

/* Each widens its arguments and calls the version of today. An address that comes back has to fit
 * into 32 bits, which it does on no device of 64 bit addresses: then what was allocated is freed
 * again, and the caller gets the error that CUDA has for memory beyond a 32 bit context's reach.
 */

/* Sizes of today's devices do not fit either: the largest number says "at least this much". */
static unsigned int clamp_size(size_t size)
{
    return size < UINT32_MAX ? (unsigned int)size : UINT32_MAX;
}

static bool fits(CUdeviceptr address)
{
    return address <= UINT32_MAX;
}

CUresult cuDeviceTotalMem(unsigned int *bytes, CUdevice dev)
{
    size_t wide = 0;
    CUresult result = cuDeviceTotalMem_v2(bytes != NULL ? &wide : NULL, dev);
    if (result == CUDA_SUCCESS && bytes != NULL)
        *bytes = clamp_size(wide);
    return result;
}

CUresult cuMemGetInfo(unsigned int *free, unsigned int *total)
{
    size_t wide_free = 0;
    size_t wide_total = 0;
    CUresult result = cuMemGetInfo_v2(&wide_free, &wide_total);
    if (result != CUDA_SUCCESS)
        return result;
    if (free != NULL)
        *free = clamp_size(wide_free);
    if (total != NULL)
        *total = clamp_size(wide_total);
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr_v1 *dptr, unsigned int bytesize)
{
    CUdeviceptr wide = 0;
    CUresult result = cuMemAlloc_v2(dptr != NULL ? &wide : NULL, bytesize);
    if (result != CUDA_SUCCESS || dptr == NULL)
        return result;
    if (!fits(wide)) {
        (void)cuMemFree_v2(wide);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *dptr = (CUdeviceptr_v1)wide;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocPitch(CUdeviceptr_v1 *dptr, unsigned int *pPitch, unsigned int WidthInBytes,
                         unsigned int Height, unsigned int ElementSizeBytes)
{
    CUdeviceptr wide = 0;
    size_t pitch = 0;
    CUresult result =
        cuMemAllocPitch_v2(dptr != NULL ? &wide : NULL, pPitch != NULL ? &pitch : NULL,
                           WidthInBytes, Height, ElementSizeBytes);
    if (result != CUDA_SUCCESS || dptr == NULL || pPitch == NULL)
        return result;
    if (!fits(wide) || pitch > UINT32_MAX) {
        (void)cuMemFree_v2(wide);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *dptr = (CUdeviceptr_v1)wide;
    *pPitch = (unsigned int)pitch;
    return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr_v1 dptr)
{
    return cuMemFree_v2(dptr);
}

CUresult cuMemGetAddressRange(CUdeviceptr_v1 *pbase, unsigned int *psize, CUdeviceptr_v1 dptr)
{
    CUdeviceptr base = 0;
    size_t size = 0;
    CUresult result = cuMemGetAddressRange_v2(&base, &size, dptr);
    if (result != CUDA_SUCCESS)
        return result;
    if (pbase != NULL)
        *pbase = (CUdeviceptr_v1)base;
    if (psize != NULL)
        *psize = clamp_size(size);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr_v1 *dptr, unsigned int *bytes, CUmodule hmod,
                           const char *name)
{
    CUdeviceptr wide = 0;
    size_t size = 0;
    CUresult result =
        cuModuleGetGlobal_v2(dptr != NULL ? &wide : NULL, bytes != NULL ? &size : NULL, hmod, name);
    if (result == CUDA_SUCCESS && !fits(wide))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && dptr != NULL)
        *dptr = (CUdeviceptr_v1)wide;
    if (result == CUDA_SUCCESS && bytes != NULL)
        *bytes = clamp_size(size);
    return result;
}

CUresult cuMemAllocHost(void **pp, unsigned int bytesize)
{
    return cuMemAllocHost_v2(pp, bytesize);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr_v1 *pdptr, void *p, unsigned int Flags)
{
    CUdeviceptr wide = 0;
    CUresult result = cuMemHostGetDevicePointer_v2(pdptr != NULL ? &wide : NULL, p, Flags);
    if (result != CUDA_SUCCESS || pdptr == NULL)
        return result;
    if (!fits(wide))
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = (CUdeviceptr_v1)wide;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr_v1 dstDevice, const void *srcHost, unsigned int ByteCount)
{
    return cuMemcpyHtoD_v2(dstDevice, srcHost, ByteCount);
}

CUresult cuMemcpyDtoH(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount)
{
    return cuMemcpyDtoH_v2(dstHost, srcDevice, ByteCount);
}

CUresult cuMemcpyDtoD(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice, unsigned int ByteCount)
{
    return cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr_v1 dstDevice, const void *srcHost, unsigned int ByteCount,
                           CUstream hStream)
{
    return cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, hStream);
}

CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount,
                           CUstream hStream)
{
    return cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, hStream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount, CUstream hStream)
{
    return cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream);
}

CUresult cuMemcpyDtoA(CUarray dstArray, unsigned int dstOffset, CUdeviceptr_v1 srcDevice,
                      unsigned int ByteCount)
{
    return cuMemcpyDtoA_v2(dstArray, dstOffset, srcDevice, ByteCount);
}

CUresult cuMemcpyAtoD(CUdeviceptr_v1 dstDevice, CUarray srcArray, unsigned int srcOffset,
                      unsigned int ByteCount)
{
    return cuMemcpyAtoD_v2(dstDevice, srcArray, srcOffset, ByteCount);
}

CUresult cuMemcpyHtoA(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                      unsigned int ByteCount)
{
    return cuMemcpyHtoA_v2(dstArray, dstOffset, srcHost, ByteCount);
}

CUresult cuMemcpyAtoH(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                      unsigned int ByteCount)
{
    return cuMemcpyAtoH_v2(dstHost, srcArray, srcOffset, ByteCount);
}

CUresult cuMemcpyAtoA(CUarray dstArray, unsigned int dstOffset, CUarray srcArray,
                      unsigned int srcOffset, unsigned int ByteCount)
{
    return cuMemcpyAtoA_v2(dstArray, dstOffset, srcArray, srcOffset, ByteCount);
}

CUresult cuMemcpyHtoAAsync(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                           unsigned int ByteCount, CUstream hStream)
{
    return cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost, ByteCount, hStream);
}

CUresult cuMemcpyAtoHAsync(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount, CUstream hStream)
{
    return cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset, ByteCount, hStream);
}

CUresult cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR_v1 *pAllocateArray)
{
    if (pAllocateArray == NULL)
        return cuArrayCreate_v2(pHandle, NULL);
    const CUDA_ARRAY_DESCRIPTOR wide = {
        .Width = pAllocateArray->Width,
        .Height = pAllocateArray->Height,
        .Format = pAllocateArray->Format,
        .NumChannels = pAllocateArray->NumChannels,
    };
    return cuArrayCreate_v2(pHandle, &wide);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY_DESCRIPTOR wide;
    CUresult result = cuArrayGetDescriptor_v2(pArrayDescriptor != NULL ? &wide : NULL, hArray);
    if (result == CUDA_SUCCESS && pArrayDescriptor != NULL)
        *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR_v1){
            .Width = clamp_size(wide.Width),
            .Height = clamp_size(wide.Height),
            .Format = wide.Format,
            .NumChannels = wide.NumChannels,
        };
    return result;
}

CUresult cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1 *pAllocateArray)
{
    if (pAllocateArray == NULL)
        return cuArray3DCreate_v2(pHandle, NULL);
    const CUDA_ARRAY3D_DESCRIPTOR wide = {
        .Width = pAllocateArray->Width,
        .Height = pAllocateArray->Height,
        .Depth = pAllocateArray->Depth,
        .Format = pAllocateArray->Format,
        .NumChannels = pAllocateArray->NumChannels,
        .Flags = pAllocateArray->Flags,
    };
    return cuArray3DCreate_v2(pHandle, &wide);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR wide;
    CUresult result = cuArray3DGetDescriptor_v2(pArrayDescriptor != NULL ? &wide : NULL, hArray);
    if (result == CUDA_SUCCESS && pArrayDescriptor != NULL)
        *pArrayDescriptor = (CUDA_ARRAY3D_DESCRIPTOR_v1){
            .Width = clamp_size(wide.Width),
            .Height = clamp_size(wide.Height),
            .Depth = clamp_size(wide.Depth),
            .Format = wide.Format,
            .NumChannels = wide.NumChannels,
            .Flags = wide.Flags,
        };
    return result;
}

static CUDA_MEMCPY2D widen_2d(const CUDA_MEMCPY2D_v1 *copy)
{
    return (CUDA_MEMCPY2D){
        .srcXInBytes = copy->srcXInBytes,
        .srcY = copy->srcY,
        .srcMemoryType = copy->srcMemoryType,
        .srcHost = copy->srcHost,
        .srcDevice = copy->srcDevice,
        .srcArray = copy->srcArray,
        .srcPitch = copy->srcPitch,
        .dstXInBytes = copy->dstXInBytes,
        .dstY = copy->dstY,
        .dstMemoryType = copy->dstMemoryType,
        .dstHost = copy->dstHost,
        .dstDevice = copy->dstDevice,
        .dstArray = copy->dstArray,
        .dstPitch = copy->dstPitch,
        .WidthInBytes = copy->WidthInBytes,
        .Height = copy->Height,
    };
}

static CUDA_MEMCPY3D widen_3d(const CUDA_MEMCPY3D_v1 *copy)
{
    return (CUDA_MEMCPY3D){
        .srcXInBytes = copy->srcXInBytes,
        .srcY = copy->srcY,
        .srcZ = copy->srcZ,
        .srcLOD = copy->srcLOD,
        .srcMemoryType = copy->srcMemoryType,
        .srcHost = copy->srcHost,
        .srcDevice = copy->srcDevice,
        .srcArray = copy->srcArray,
        .srcPitch = copy->srcPitch,
        .srcHeight = copy->srcHeight,
        .dstXInBytes = copy->dstXInBytes,
        .dstY = copy->dstY,
        .dstZ = copy->dstZ,
        .dstLOD = copy->dstLOD,
        .dstMemoryType = copy->dstMemoryType,
        .dstHost = copy->dstHost,
        .dstDevice = copy->dstDevice,
        .dstArray = copy->dstArray,
        .dstPitch = copy->dstPitch,
        .dstHeight = copy->dstHeight,
        .WidthInBytes = copy->WidthInBytes,
        .Height = copy->Height,
        .Depth = copy->Depth,
    };
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D_v1 *pCopy)
{
    if (pCopy == NULL)
        return cuMemcpy2D_v2(NULL);
    CUDA_MEMCPY2D wide = widen_2d(pCopy);
    return cuMemcpy2D_v2(&wide);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D_v1 *pCopy)
{
    if (pCopy == NULL)
        return cuMemcpy2DUnaligned_v2(NULL);
    CUDA_MEMCPY2D wide = widen_2d(pCopy);
    return cuMemcpy2DUnaligned_v2(&wide);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1 *pCopy, CUstream hStream)
{
    if (pCopy == NULL)
        return cuMemcpy2DAsync_v2(NULL, hStream);
    CUDA_MEMCPY2D wide = widen_2d(pCopy);
    return cuMemcpy2DAsync_v2(&wide, hStream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D_v1 *pCopy)
{
    if (pCopy == NULL)
        return cuMemcpy3D_v2(NULL);
    CUDA_MEMCPY3D wide = widen_3d(pCopy);
    return cuMemcpy3D_v2(&wide);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D_v1 *pCopy, CUstream hStream)
{
    if (pCopy == NULL)
        return cuMemcpy3DAsync_v2(NULL, hStream);
    CUDA_MEMCPY3D wide = widen_3d(pCopy);
    return cuMemcpy3DAsync_v2(&wide, hStream);
}

CUresult cuMemsetD8(CUdeviceptr_v1 dstDevice, unsigned char uc, unsigned int N)
{
    return cuMemsetD8_v2(dstDevice, uc, N);
}

CUresult cuMemsetD16(CUdeviceptr_v1 dstDevice, unsigned short us, unsigned int N)
{
    return cuMemsetD16_v2(dstDevice, us, N);
}

CUresult cuMemsetD32(CUdeviceptr_v1 dstDevice, unsigned int ui, unsigned int N)
{
    return cuMemsetD32_v2(dstDevice, ui, N);
}

CUresult cuMemsetD2D8(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned char uc,
                      unsigned int Width, unsigned int Height)
{
    return cuMemsetD2D8_v2(dstDevice, dstPitch, uc, Width, Height);
}

CUresult cuMemsetD2D16(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned short us,
                       unsigned int Width, unsigned int Height)
{
    return cuMemsetD2D16_v2(dstDevice, dstPitch, us, Width, Height);
}

CUresult cuMemsetD2D32(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned int ui,
                       unsigned int Width, unsigned int Height)
{
    return cuMemsetD2D32_v2(dstDevice, dstPitch, ui, Width, Height);
}
