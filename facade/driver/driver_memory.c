/* The driver API's memory: device memory, pinned host memory, ranges.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "cl/memory.h"
#include "facade/memory/memory.h"
#include "facade/state/runtime.h"

static void *pointer_of(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* What takes memory back finds its context by the address: none has to be current, as in threads that collect garbage. */
static CUresult release(cudaError_t (*with)(void *), void *pointer)
{
    struct ocl_memory_view view;
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (facade_stack_top() != NULL) {
        result = facade_driver_check();
        return result == CUDA_SUCCESS ? facade_driver_error(with(pointer)) : result;
    }
    struct facade_context *owner =
        ocl_memory_find(pointer, &view) ? facade_context_owning(view.context) : NULL;
    if (owner == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!facade_stack_push(owner))
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = facade_driver_error(with(pointer));
    (void)facade_stack_pop();
    return result;
}

/* --- device memory ---------------------------------------------------------------------------- */

CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_memory_info(free, total)) : result;
}

/* Unlike the runtime, the driver API refuses to allocate nothing; *dptr is 0 after it. */
CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    void *pointer = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (dptr == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *dptr = 0;
    if (bytesize == 0)
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_memory_allocate(&pointer, bytesize));
    *dptr = (uintptr_t)pointer;
    return result;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes)
{
    void *pointer = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (dptr == NULL || pPitch == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *dptr = 0;
    *pPitch = 0;
    bool is_element = ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16;
    if (!is_element || WidthInBytes == 0 || Height == 0 || WidthInBytes > FACADE_MAX_PITCH)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaExtent extent = {WidthInBytes, Height, 1};
    result = facade_driver_error(facade_memory_allocate_pitched(&pointer, pPitch, extent));
    *dptr = (uintptr_t)pointer;
    return result;
}

CUresult cuMemFree_v2(CUdeviceptr dptr)
{
    CUresult result = facade_driver_ready();
    return result != CUDA_SUCCESS || dptr == 0 ? result
                                               : release(facade_memory_free, pointer_of(dptr));
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    uint64_t base = 0;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS || (pbase == NULL && psize == NULL))
        return result;
    if (facade_memory_address_range(&base, psize, dptr) != cudaSuccess)
        return CUDA_ERROR_NOT_FOUND;
    if (pbase != NULL)
        *pbase = base;
    return CUDA_SUCCESS;
}

/* --- pinned host memory ----------------------------------------------------------------------- */

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_memory_allocate_host(pp, bytesize, Flags))
               : result;
}

CUresult cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    return cuMemHostAlloc(pp, bytesize, 0);
}

CUresult cuMemFreeHost(void *p)
{
    CUresult result = facade_driver_ready();
    return result != CUDA_SUCCESS || (p == NULL && facade_stack_top() == NULL)
               ? result
               : release(facade_memory_free_host, p);
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    void *pointer = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (pdptr == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_memory_device_pointer(&pointer, p, Flags));
    *pdptr = (uintptr_t)pointer;
    return result;
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_memory_host_flags(pFlags, p))
                                  : result;
}

CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_memory_register(p, bytesize, Flags))
                                  : result;
}

CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
    return cuMemHostRegister_v2(p, bytesize, Flags);
}

CUresult cuMemHostUnregister(void *p)
{
    return release(facade_memory_unregister, p);
}
