/* Semantics of memory pools by the driver API.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"

static CUmemPoolProps device_properties(void)
{
    CUmemPoolProps p;
    memset(&p, 0, sizeof p);
    p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return p;
}

static CUmemoryPool own_pool(void)
{
    CUmemPoolProps p = device_properties();
    CUmemoryPool pool = NULL;
    make_driver_context();
    REQUIRE_DRIVER(cuMemPoolCreate(&pool, &p));
    return pool;
}

void case_driver_pool_create(void)
{
    CUmemPoolProps p = device_properties();
    CUmemoryPool pool = NULL;
    make_driver_context();
    DRIVER(cuMemPoolCreate(NULL, NULL));
    DRIVER(cuMemPoolCreate(&pool, NULL));
    DRIVER(cuMemPoolCreate(NULL, &p));
    for (int type = 0; type <= 3; type++) {
        p = device_properties();
        p.allocType = (CUmemAllocationType)type;
        DRIVER_AS(cuMemPoolCreate(&pool, &p), "type %d", type);
    }
    for (int type = 0; type <= 5; type++) {
        p = device_properties();
        p.location.type = (CUmemLocationType)type;
        DRIVER_AS(cuMemPoolCreate(&pool, &p), "location %d", type);
    }
    p = device_properties();
    p.location.id = 1000;
    DRIVER_AS(cuMemPoolCreate(&pool, &p), "device 1000");
    p = device_properties();
    p.reserved[3] = 1;
    DRIVER_AS(cuMemPoolCreate(&pool, &p), "reserved byte 3");
    DRIVER(cuMemPoolDestroy(NULL));
    DRIVER_AS(cuMemPoolDestroy(own_pool()), "destroy");
}

void case_driver_pool_attributes(void)
{
    CUmemoryPool pool = own_pool();
    for (int a = 0; a <= 9; a++) {
        uint64_t value = 77;
        DRIVER_AS(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)a, &value), "get %d", a);
        VALUE((long long)(a <= 3 ? (uint32_t)value : value), "get %d: value", a);
        value = 1;
        DRIVER_AS(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)a, &value), "set %d to 1", a);
        value = 0;
        DRIVER_AS(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)a, &value), "set %d to 0", a);
    }
    DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, NULL));
    DRIVER(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, NULL));
    DRIVER(cuMemPoolGetAttribute(NULL, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, NULL));
    DRIVER(cuMemPoolTrimTo(pool, 0));
    DRIVER(cuMemPoolTrimTo(NULL, 0));
}

void case_driver_pool_current(void)
{
    CUmemoryPool own = own_pool();
    CUmemoryPool pool = NULL;
    CUmemoryPool again = NULL;
    DRIVER(cuDeviceGetDefaultMemPool(NULL, 0));
    DRIVER(cuDeviceGetDefaultMemPool(&pool, -1));
    DRIVER(cuDeviceGetDefaultMemPool(&pool, 1000));
    DRIVER(cuDeviceGetDefaultMemPool(&pool, 0));
    DRIVER(cuDeviceGetMemPool(NULL, 0));
    DRIVER(cuDeviceGetMemPool(&again, 1000));
    DRIVER(cuDeviceGetMemPool(&again, 0));
    VALUE(pool == again, "the current pool is the default one");
    DRIVER(cuDeviceSetMemPool(0, NULL));
    DRIVER(cuDeviceSetMemPool(1000, own));
    DRIVER(cuDeviceSetMemPool(0, own));
    DRIVER(cuDeviceGetMemPool(&again, 0));
    VALUE(again == own, "as set");
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    DRIVER(cuMemGetDefaultMemPool(&again, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    VALUE(again == pool, "the default pool by location");
    DRIVER(cuMemGetMemPool(&again, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    VALUE(again == own, "the current pool by location");
    DRIVER(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    DRIVER(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, NULL));
    DRIVER(cuMemSetMemPool(NULL, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    DRIVER(cuMemGetMemPool(NULL, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    DRIVER(cuMemGetMemPool(&again, NULL, CU_MEM_ALLOCATION_TYPE_PINNED));
    DRIVER(cuMemGetDefaultMemPool(&again, &here, (CUmemAllocationType)9));
}

void case_driver_pool_access(void)
{
    CUmemoryPool pool = own_pool();
    CUmemAccessDesc d;
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemAccess_flags flags = (CUmemAccess_flags)77;
    memset(&d, 0, sizeof d);
    DRIVER(cuMemPoolGetAccess(&flags, pool, &here));
    VALUE(flags, "own device");
    DRIVER(cuMemPoolGetAccess(NULL, pool, &here));
    DRIVER(cuMemPoolGetAccess(&flags, NULL, &here));
    DRIVER(cuMemPoolGetAccess(&flags, pool, NULL));
    for (int f = 0; f <= 3; f++) {
        d.location = here;
        d.flags = (CUmemAccess_flags)f;
        DRIVER_AS(cuMemPoolSetAccess(pool, &d, 1), "flags %d", f);
    }
    DRIVER(cuMemPoolSetAccess(pool, NULL, 1));
    DRIVER(cuMemPoolSetAccess(pool, NULL, 0));
    DRIVER(cuMemPoolSetAccess(NULL, &d, 1));
}

void case_driver_pool_malloc(void)
{
    CUmemoryPool pool = own_pool();
    CUdeviceptr p = 7;
    CUdeviceptr d = 0;
    REQUIRE_DRIVER(cuMemAlloc(&d, 4096));
    DRIVER(cuMemAllocAsync(NULL, 16, NULL));
    DRIVER(cuMemAllocAsync(&p, 0, NULL));
    VALUE((long long)p, "p after 0 bytes");
    DRIVER(cuMemAllocAsync(&p, HUGE_SIZE, NULL));
    DRIVER(cuMemAllocAsync(&p, 4096, NULL));
    DRIVER_TRY(cuMemFreeAsync(p + 1, NULL));
    DRIVER(cuMemFreeAsync(p, NULL));
    DRIVER_TRY_AS(cuMemFreeAsync(p, NULL), "free twice");
    DRIVER(cuMemFreeAsync(0, NULL));
    DRIVER_TRY_AS(cuMemFreeAsync(d, NULL), "free of cuMemAlloc memory");
    DRIVER(cuMemAllocFromPoolAsync(&p, 4096, pool, NULL));
    DRIVER(cuMemFreeAsync(p, NULL));
    DRIVER(cuMemAllocFromPoolAsync(&p, 0, pool, NULL));
    DRIVER(cuMemAllocFromPoolAsync(&p, 4096, NULL, NULL));
    DRIVER(cuMemAllocFromPoolAsync(NULL, 4096, pool, NULL));
    DRIVER(cuMemAllocFromPoolAsync(NULL, 0, NULL, NULL));
    DRIVER(cuCtxSynchronize());
    CUdeviceptr base = 0;
    size_t size = 0;
    REQUIRE_DRIVER(cuMemAllocAsync(&p, 5000, NULL));
    DRIVER(cuMemGetAddressRange(&base, &size, p + 100));
    VALUE(base == p, "base");
    VALUE((long long)size, "size");
}
