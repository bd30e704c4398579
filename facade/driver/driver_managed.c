/* The driver API's managed memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/memory/memory_managed.h"

/* The runtime's location and the driver's are one layout, as are lists of addresses. */
_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation) &&
                   offsetof(struct cudaMemLocation, id) == offsetof(CUmemLocation, id),
               "one layout");
_Static_assert(sizeof(CUdeviceptr) == sizeof(void *), "one layout");

static void *pointer_of(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

static struct cudaMemLocation location_of(CUmemLocation location)
{
    return (struct cudaMemLocation){(enum cudaMemLocationType)location.type, location.id};
}

/* What CUDA 8 to 12 call a place: a device or CU_DEVICE_CPU. */
static struct cudaMemLocation old_location(CUdevice device)
{
    if (device == CU_DEVICE_CPU)
        return (struct cudaMemLocation){cudaMemLocationTypeHost, 0};
    return (struct cudaMemLocation){cudaMemLocationTypeDevice, device};
}

static CUresult prefetch(CUdeviceptr address, size_t bytes, struct cudaMemLocation location,
                         unsigned flags, CUstream stream)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_managed_prefetch(pointer_of(address), bytes, location, flags, stream));
}

static CUresult advise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                       struct cudaMemLocation location)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_managed_advise(pointer_of(address), bytes, (int)advice, location));
}

/* --- entry points ----------------------------------------------------------------------------- */

/* Unlike the runtime, the driver API refuses to allocate nothing; *dptr is 0 after it. */
CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
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
    result = facade_driver_error(facade_managed_allocate(&pointer, bytesize, flags));
    *dptr = (uintptr_t)pointer;
    return result;
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                unsigned int flags)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_managed_attach(hStream, pointer_of(dptr), length, flags));
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                               unsigned int flags, CUstream hStream)
{
    return prefetch(devPtr, count, location_of(location), flags, hStream);
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream)
{
    return prefetch(devPtr, count, old_location(dstDevice), 0, hStream);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                 CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                 size_t numPrefetchLocs, unsigned long long flags, CUstream hStream)
{
    const struct facade_managed_batch batch = {
        (void *const *)dptrs, sizes,           count, (const struct cudaMemLocation *)prefetchLocs,
        prefetchLocIdxs,      numPrefetchLocs, flags};
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_managed_prefetch_batch(&batch, hStream))
               : result;
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                unsigned long long flags, CUstream hStream)
{
    const struct facade_managed_batch batch = {
        .pointers = (void *const *)dptrs, .sizes = sizes, .count = count, .flags = flags};
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_managed_discard_batch(&batch, hStream))
               : result;
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                           CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                           size_t numPrefetchLocs, unsigned long long flags,
                                           CUstream hStream)
{
    return cuMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                                   numPrefetchLocs, flags, hStream);
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                        CUmemLocation location)
{
    return advise(devPtr, count, advice, location_of(location));
}

/* This form tells of a bad device, the new one of a bad value. */
CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
    const bool reads_device = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
                              advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                              advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS && reads_device && device != CU_DEVICE_CPU)
        result = facade_driver_device(device);
    return result == CUDA_SUCCESS ? advise(devPtr, count, advice, old_location(device)) : result;
}

CUresult cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_managed_range_attribute(data, dataSize, (int)attribute, pointer_of(devPtr), count));
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_managed_range_attributes(
        data, dataSizes, (const int *)attributes, numAttributes, pointer_of(devPtr), count));
}
