/* Tests of facade/driver/driver_managed.c: managed memory by the driver API, its old forms, and the
 * attribute that makes memory synchronous.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

static CUdeviceptr managed_address(size_t bytes)
{
    CUdeviceptr address = 0;
    CUresult result = cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL);
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        TEST_SKIP("this strategy has no managed memory");
    assert_int_equal(result, CUDA_SUCCESS);
    return address;
}

static int *ints_of(CUdeviceptr address)
{
    return (int *)(uintptr_t)address;
}

static void store(CUdeviceptr address, int value, unsigned count, CUstream stream)
{
    void *args[] = {&address, &value};
    assert_driver(
        cuLaunchKernel(driver_function("store"), count, 1, 1, 1, 1, 1, 0, stream, args, NULL));
}

static int range_attribute(CUdeviceptr address, CUmem_range_attribute attribute)
{
    int value = 77;
    assert_driver(cuMemRangeGetAttribute(&value, sizeof value, attribute, address, 1));
    return value;
}

TEST_BODY(driver_managed_needs_a_context)
{
    CUdeviceptr address = 0;
    const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    assert_int_equal(cuMemAllocManaged(&address, 16, 1), CUDA_ERROR_NOT_INITIALIZED);
    assert_driver(cuInit(0));
    assert_int_equal(cuMemAllocManaged(&address, 16, 1), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuMemPrefetchAsync(16, 16, here, 0, NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuMemAdvise(16, 16, CU_MEM_ADVISE_SET_READ_MOSTLY, here),
                     CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuStreamAttachMemAsync(NULL, 16, 0, 1), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_BODY(driver_managed_memory_is_allocated_and_freed)
{
    driver_use_primary();
    CUdeviceptr address = managed_address(100000), other = 7, base = 0;
    size_t bytes = 0;
    int *p = ints_of(address);
    assert_int_equal(p[0] + p[24999], 0);
    p[1] = 4;
    store(address, 9, 1, NULL);
    assert_driver(cuCtxSynchronize());
    assert_int_equal(p[0] * 10 + p[1], 94);
    assert_driver(cuMemGetAddressRange(&base, &bytes, address + 99999));
    assert_true(base == address);
    assert_int_equal(bytes, 100000);
    assert_int_equal(cuMemAllocManaged(&other, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_true(other == 0);
    assert_int_equal(cuMemAllocManaged(&other, 16, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAllocManaged(NULL, 16, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAllocManaged(&other, SIZE_MAX, 1), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemFree(address + 4), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemFree(address));
    assert_int_equal(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(driver_managed_attributes_of_pointers)
{
    driver_use_primary();
    CUdeviceptr address = managed_address(5000), pointer = 0;
    unsigned type = 0;
    unsigned char is_managed = 7, is_synchronous = 7;
    void *host = NULL;
    CUpointer_attribute wanted[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_SYNC_MEMOPS};
    void *data[] = {&type, &pointer, &host, &is_managed, &is_synchronous};
    assert_driver(cuPointerGetAttributes(5, wanted, data, address + 4999));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_true(pointer == address + 4999);
    assert_true((uintptr_t)host == address + 4999);
    assert_int_equal(is_managed, 1);
    assert_int_equal(is_synchronous, 1);
    CUdeviceptr plain = driver_allocate(16);
    assert_driver(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, plain));
    assert_int_equal(is_managed, 0);
    assert_driver(cuMemFree(plain));
    assert_driver(cuMemFree(address));
}

TEST_BODY(driver_managed_streams_and_places)
{
    driver_use_primary();
    CUdeviceptr address = managed_address(2 << 20);
    CUstream stream = NULL;
    const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    const CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    const CUmemLocation far = {CU_MEM_LOCATION_TYPE_DEVICE, 1000};
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuStreamAttachMemAsync(stream, address, 0, CU_MEM_ATTACH_SINGLE));
    store(address, 3, 1000, stream);
    assert_driver(cuMemPrefetchAsync(address, 2 << 20, host, 0, stream));
    assert_driver(cuStreamSynchronize(stream));
    assert_int_equal(ints_of(address)[999], 3);
    assert_int_equal(range_attribute(address, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), -1);
    assert_driver(cuMemPrefetchAsync(address, 4096, here, 0, stream));
    assert_int_equal(range_attribute(address, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 0);
    assert_driver(cuMemAdvise(address, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, here));
    assert_int_equal(range_attribute(address, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY), 0);
    assert_int_equal(cuMemPrefetchAsync(address, 4096, far, 0, stream), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(cuMemAdvise(address, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, far),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamAttachMemAsync(NULL, address, 0, CU_MEM_ATTACH_SINGLE),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuMemFree(address));
}

TEST_BODY(driver_managed_batches)
{
    driver_use_primary();
    CUdeviceptr address = managed_address(2 << 20);
    CUdeviceptr ranges[] = {address, address + (1 << 20)};
    size_t sizes[] = {1 << 20, 1 << 20}, indices[] = {0, 1};
    CUmemLocation places[] = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, {CU_MEM_LOCATION_TYPE_HOST, 0}};
    CUstream stream = NULL;
    int values[2] = {77, 77};
    void *data[] = {&values[0], &values[1]};
    size_t data_sizes[] = {sizeof(int), sizeof(int)};
    CUmem_range_attribute attributes[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                          CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
    assert_driver(cuStreamCreate(&stream, 0));
    assert_driver(cuMemPrefetchBatchAsync(ranges, sizes, 2, places, indices, 2, 0, stream));
    assert_driver(cuMemRangeGetAttributes(data, data_sizes, attributes, 2, ranges[0], sizes[0]));
    assert_int_equal(values[1], 0);
    assert_driver(cuMemRangeGetAttributes(data, data_sizes, attributes, 2, ranges[1], sizes[1]));
    assert_int_equal(values[1], -1);
    assert_int_equal(values[0], 0);
    assert_driver(cuMemDiscardBatchAsync(ranges, sizes, 2, 0, stream));
    assert_driver(
        cuMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, places, indices, 1, 0, stream));
    assert_driver(cuMemRangeGetAttributes(data, data_sizes, attributes, 2, address, 2 << 20));
    assert_int_equal(values[1], 0);
    assert_int_equal(cuMemPrefetchBatchAsync(ranges, sizes, 2, places, indices, 2, 0, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemDiscardBatchAsync(NULL, sizes, 2, 0, stream), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuMemFree(address));
}

typedef CUresult old_prefetch(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream);
typedef CUresult old_advise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                            CUdevice device);

static void *function_of(const char *name, int version)
{
    void *function = NULL;
    assert_driver(cuGetProcAddress(name, &function, version, 0, NULL));
    assert_non_null(function);
    return function;
}

TEST_BODY(driver_managed_old_forms_take_devices)
{
    driver_use_primary();
    CUdeviceptr address = managed_address(4096);
    old_prefetch *prefetch = (old_prefetch *)(uintptr_t)function_of("cuMemPrefetchAsync", 8000);
    old_advise *advise = (old_advise *)(uintptr_t)function_of("cuMemAdvise", 8000);
    assert_ptr_not_equal(function_of("cuMemAdvise", 8000), function_of("cuMemAdvise", 12020));
    assert_driver(prefetch(address, 4096, 0, NULL));
    assert_int_equal(range_attribute(address, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 0);
    assert_driver(prefetch(address, 4096, CU_DEVICE_CPU, NULL));
    assert_int_equal(range_attribute(address, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), -1);
    assert_driver(advise(address, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
    assert_int_equal(range_attribute(address, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), -1);
    assert_driver(advise(address, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 1000));
    assert_int_equal(advise(address, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, 1000),
                     CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(prefetch(address, 4096, -2, NULL), CUDA_ERROR_INVALID_DEVICE);
    assert_driver(cuMemFree(address));
}

/* --- synchronous memory ----------------------------------------------------------------------- */

TEST_BODY(driver_pointer_attribute_is_set_for_an_allocation)
{
    driver_use_primary();
    CUdeviceptr address = driver_allocate(4096), other = driver_allocate(4096);
    unsigned yes = 1, no = 0, got = 0;
    const CUpointer_attribute sync = CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
    for (int round = 0; round < 3; round++) {
        assert_driver(cuPointerSetAttribute(&yes, sync, address + 100));
        assert_driver(cuPointerGetAttribute(&got, sync, address + 4095));
        assert_int_equal(got & 0xff, 1);
        assert_driver(cuPointerGetAttribute(&got, sync, other));
        assert_int_equal(got & 0xff, 0);
        assert_driver(cuPointerSetAttribute(&no, sync, address));
        assert_driver(cuPointerGetAttribute(&got, sync, address));
        assert_int_equal(got & 0xff, 0);
    }
    assert_int_equal(cuPointerSetAttribute(NULL, sync, address), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuPointerSetAttribute(&yes, sync, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuPointerSetAttribute(&yes, sync, (uintptr_t)&yes), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_CONTEXT, address),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuPointerSetAttribute(&yes, sync, address));
    assert_driver(cuMemFree(address));
    address = driver_allocate(4096); /* most likely the same place */
    assert_driver(cuPointerGetAttribute(&got, sync, address));
    assert_int_equal(got & 0xff, 0);
    assert_driver(cuMemFree(address));
    assert_driver(cuMemFree(other));
}

TEST_BODY(driver_synchronous_memory_is_copied_at_once)
{
    driver_use_primary();
    enum { BYTES = 8 << 20 };
    CUdeviceptr source = driver_allocate(BYTES), target = driver_allocate(BYTES);
    unsigned yes = 1;
    CUstream stream = NULL;
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, target));
    for (int round = 0; round < 5; round++) {
        assert_driver(cuMemsetD8Async(source, (unsigned char)round, BYTES, stream));
        assert_driver(cuMemcpyDtoDAsync(target, source, BYTES, stream));
        assert_driver(cuStreamQuery(stream));
        assert_driver(cuMemsetD8Async(target, (unsigned char)round, BYTES, stream));
        assert_driver(cuStreamQuery(stream));
    }
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuMemFree(source));
    assert_driver(cuMemFree(target));
}
