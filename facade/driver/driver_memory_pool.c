/* The driver API's stream-ordered memory and its pools.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <string.h>

#include "facade/memory/memory_pool.h"

/* Locations, access flags, attributes and types have the runtime's numbers. */
static struct cudaMemLocation location_of(const CUmemLocation *location)
{
    return (struct cudaMemLocation){(enum cudaMemLocationType)location->type, location->id};
}

static CUresult ready_at(const CUmemLocation *location, struct cudaMemLocation *place)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (location == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *place = location_of(location);
    return CUDA_SUCCESS;
}

/* --- which pool ------------------------------------------------------------------------------- */

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_pool_get_default(pool_out, dev))
                                  : result;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_pool_get_current(pool, dev))
                                  : result;
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_pool_set_current(dev, pool))
                                  : result;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
                                CUmemAllocationType type)
{
    struct cudaMemLocation place;
    CUresult result = ready_at(location, &place);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_pool_get_default_at(pool_out, &place, (enum cudaMemAllocationType)type));
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    struct cudaMemLocation place;
    CUresult result = ready_at(location, &place);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_pool_get_current_at(pool, &place, (enum cudaMemAllocationType)type));
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    struct cudaMemLocation place;
    CUresult result = ready_at(location, &place);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_pool_set_current_at(&place, (enum cudaMemAllocationType)type, pool));
}

/* --- pools ------------------------------------------------------------------------------------ */

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
    struct cudaMemPoolProps properties;
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (poolProps == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    _Static_assert(sizeof properties == sizeof *poolProps, "the same structure by another name");
    memcpy(&properties, poolProps, sizeof properties);
    return facade_driver_error(facade_pool_create(pool, &properties));
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_pool_destroy(pool)) : result;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_pool_trim(pool, minBytesToKeep))
                                  : result;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_pool_set_attribute(
                                        pool, (enum cudaMemPoolAttr)attr, value))
                                  : result;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_pool_get_attribute(
                                        pool, (enum cudaMemPoolAttr)attr, value))
                                  : result;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (map == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_pool_set_access(pool, NULL, 0)); /* is it alive? */
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        const struct cudaMemAccessDesc one = {location_of(&map[i].location),
                                              (enum cudaMemAccessFlags)map[i].flags};
        result = facade_driver_error(facade_pool_set_access(pool, &one, 1));
    }
    return result;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location)
{
    enum cudaMemAccessFlags found = cudaMemAccessFlagsProtNone;
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (flags == NULL || location == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaMemLocation place = location_of(location);
    result = facade_driver_error(facade_pool_get_access(&found, memPool, &place));
    if (result == CUDA_SUCCESS)
        *flags = (CUmemAccess_flags)found;
    return result;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* pool: the device's current one when from_pool is false. */
static CUresult allocate(CUdeviceptr *dptr, size_t bytes, bool from_pool, CUmemoryPool pool,
                         CUstream stream)
{
    void *pointer = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (dptr == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cudaError_t error = from_pool ? facade_pool_allocate_from(&pointer, bytes, pool, stream)
                                  : facade_pool_allocate(&pointer, bytes, stream);
    if (error == cudaSuccess)
        *dptr = (uintptr_t)pointer;
    return facade_driver_error(error);
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    return allocate(dptr, bytesize, false, NULL, hStream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                 CUstream hStream)
{
    return allocate(dptr, bytesize, true, pool, hStream);
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_pool_free((void *)(uintptr_t)dptr, hStream))
               : result;
}
