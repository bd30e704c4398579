/* Tests of facade/driver/driver_memory_pool.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

static CUmemoryPool make_pool(void)
{
    CUmemPoolProps properties;
    CUmemoryPool pool = NULL;
    memset(&properties, 0, sizeof properties);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    assert_driver(cuMemPoolCreate(&pool, &properties));
    return pool;
}

TEST_BODY(driver_memory_pool_allocates_and_frees)
{
    driver_use_primary();
    CUstream stream = NULL;
    CUdeviceptr p = 0, base = 0;
    size_t bytes = 0;
    unsigned char found = 0;
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuMemAllocAsync(&p, 5000, stream));
    assert_driver(cuMemGetAddressRange(&base, &bytes, p + 100));
    assert_int_equal(base, p);
    assert_int_equal(bytes, 5000);
    assert_driver(cuMemsetD8Async(p, 7, 5000, stream));
    assert_driver(cuMemcpyDtoHAsync(&found, p + 4999, 1, stream));
    assert_driver(cuMemFreeAsync(p, stream));
    assert_driver(cuStreamSynchronize(stream));
    assert_int_equal(found, 7);
    assert_int_equal(cuMemFreeAsync(p, stream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAllocAsync(NULL, 16, stream), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemAllocAsync(&p, 0, stream));
    assert_int_equal(p, 0);
    assert_driver(cuMemFreeAsync(0, stream));
    assert_int_equal(cuMemAllocAsync(&p, (size_t)1 << 50, stream), CUDA_ERROR_OUT_OF_MEMORY);
    assert_driver(cuStreamDestroy(stream));
    assert_int_equal(cuMemAllocAsync(&p, 16, stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST_BODY(driver_memory_pool_of_a_device)
{
    driver_use_primary();
    CUmemoryPool own = make_pool(), first = NULL, found = NULL;
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    CUdeviceptr p = 0;
    uint64_t used = 0;
    int flag = 0;
    assert_driver(cuDeviceGetDefaultMemPool(&first, 0));
    assert_driver(cuMemGetDefaultMemPool(&found, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    assert_ptr_equal(found, first);
    assert_driver(cuDeviceSetMemPool(0, own));
    assert_driver(cuDeviceGetMemPool(&found, 0));
    assert_ptr_equal(found, own);
    assert_driver(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, first));
    assert_driver(cuMemGetMemPool(&found, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    assert_ptr_equal(found, first);
    assert_driver(cuMemAllocFromPoolAsync(&p, 4096, own, NULL));
    assert_driver(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 4096);
    assert_driver(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
    assert_driver(cuMemPoolSetAccess(own, &access, 1));
    assert_driver(cuMemPoolGetAccess(&flags, own, &here));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_driver(cuMemPoolTrimTo(own, 0));
    assert_driver(cuMemFreeAsync(p, NULL));
    assert_driver(cuMemPoolDestroy(own));
    assert_int_equal(cuMemPoolDestroy(own), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemPoolDestroy(first), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAllocFromPoolAsync(&p, 4096, own, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemPoolCreate(&own, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* A context of its own takes memory from the device's pool too, and leaves nothing in it. */
TEST_BODY(driver_memory_pool_serves_every_context)
{
    CUcontext primary = driver_use_primary(), own = NULL;
    CUmemoryPool pool = NULL;
    CUdeviceptr p = 0, q = 0;
    uint64_t threshold = UINT64_MAX, reserved = 0;
    assert_driver(cuDeviceGetDefaultMemPool(&pool, 0));
    assert_driver(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    assert_driver(cuMemAllocAsync(&q, 4096, NULL));
    assert_driver(cuCtxCreate(&own, NULL, 0, 0));
    assert_driver(cuMemAllocAsync(&p, 4096, NULL));
    assert_driver(cuMemsetD8(p, 1, 4096));
    assert_driver(cuMemFreeAsync(p, NULL));
    assert_driver(cuMemAllocAsync(&p, 100000, NULL));
    assert_driver(cuCtxDestroy(own));
    assert_driver(cuCtxSetCurrent(primary));
    assert_int_equal(cuMemFreeAsync(p, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
    assert_int_equal(reserved, 4096);
    assert_driver(cuMemFreeAsync(q, NULL));
}

TEST_BODY(driver_memory_pool_needs_a_context)
{
    CUdeviceptr p = 0;
    CUmemoryPool pool = NULL;
    assert_int_equal(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_ERROR_NOT_INITIALIZED);
    assert_driver(cuInit(0));
    assert_int_equal(cuMemAllocAsync(&p, 16, NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_driver(cuDeviceGetDefaultMemPool(&pool, 0));
    assert_non_null(pool);
}
