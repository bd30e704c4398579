/* Tests of facade/driver/driver_memory.c and facade/driver/driver_pointer.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

TEST_BODY(driver_memory_refuses_nothing_and_too_much)
{
    CUdeviceptr address = 7;
    driver_use_primary();
    assert_int_equal(cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(address, 0);
    assert_int_equal(cuMemAlloc(&address, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemAlloc(NULL, 16), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemAlloc(&address, 16));
    assert_int_equal(address % 256, 0);
    assert_int_equal(cuMemFree(address + 1), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemFree(address));
    assert_int_equal(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemFree(0));
}

TEST_BODY(driver_memory_is_the_runtimes)
{
    CUcontext context = driver_use_primary();
    void *from_runtime = NULL;
    CUdeviceptr from_driver = driver_allocate(64);
    assert_int_equal(cudaMalloc(&from_runtime, 64), cudaSuccess);
    assert_driver(cuMemsetD8((uintptr_t)from_runtime, 9, 64));
    assert_int_equal(
        cudaMemcpy((void *)(uintptr_t)from_driver, from_runtime, 64, cudaMemcpyDeviceToDevice),
        cudaSuccess);
    unsigned char bytes[64] = {0};
    assert_driver(cuMemcpyDtoH(bytes, from_driver, 64));
    assert_int_equal(bytes[63], 9);
    assert_driver(cuMemFree((uintptr_t)from_runtime));
    assert_int_equal(cudaFree((void *)(uintptr_t)from_driver), cudaSuccess);
    CUcontext current = NULL;
    assert_driver(cuCtxGetCurrent(&current));
    assert_ptr_equal(current, context);
}

TEST_BODY(driver_memory_pitch_fits_rows)
{
    CUdeviceptr address = 7, base = 0;
    size_t pitch = 7, bytes = 0;
    driver_use_primary();
    assert_driver(cuMemAllocPitch(&address, &pitch, 1000, 3, 8));
    assert_true(pitch >= 1000 && pitch % 16 == 0);
    assert_driver(cuMemGetAddressRange(&base, &bytes, address + 2 * pitch + 999));
    assert_int_equal(base, address);
    assert_true(bytes >= 2 * pitch + 1000);
    assert_int_equal(cuMemAllocPitch(&address, &pitch, 1000, 3, 5), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAllocPitch(&address, &pitch, 1000, 0, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(driver_memory_range_is_told_in_part)
{
    CUdeviceptr base = 0;
    size_t bytes = 0;
    driver_use_primary();
    CUdeviceptr address = driver_allocate(5000);
    assert_driver(cuMemGetAddressRange(&base, NULL, address + 10));
    assert_int_equal(base, address);
    assert_driver(cuMemGetAddressRange(NULL, &bytes, address + 4999));
    assert_int_equal(bytes, 5000);
    assert_driver(cuMemGetAddressRange(NULL, NULL, address));
    assert_int_equal(cuMemGetAddressRange(&base, &bytes, (uintptr_t)&base), CUDA_ERROR_NOT_FOUND);
}

TEST_BODY(driver_memory_of_the_host)
{
    static const unsigned wanted = CU_MEMHOSTALLOC_PORTABLE;
    void *host = NULL;
    unsigned flags = 0;
    CUdeviceptr device = 0;
    int value = 0;
    driver_use_primary();
    assert_driver(cuMemHostAlloc(&host, 4096, wanted));
    assert_driver(cuMemHostGetFlags(&flags, host));
    assert_int_equal(flags, wanted | CU_MEMHOSTALLOC_DEVICEMAP);
    assert_driver(cuMemHostGetDevicePointer(&device, (char *)host + 4, 0));
    assert_driver(cuMemsetD32(device, 77, 1));
    assert_driver(cuCtxSynchronize());
    memcpy(&value, (char *)host + 4, sizeof value);
    assert_int_equal(value, 77);
    assert_driver(cuMemFreeHost(host));
    assert_int_equal(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(driver_memory_of_the_user_is_registered)
{
    unsigned flags = 0;
    void *heap = aligned_alloc(4096, 8192);
    driver_use_primary();
    assert_non_null(heap);
    assert_driver(cuMemHostRegister(heap, 8192, 0));
    assert_int_equal(cuMemHostRegister(heap, 8192, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_driver(cuMemHostGetFlags(&flags, heap));
    assert_driver(cuMemHostUnregister(heap));
    assert_int_equal(cuMemHostUnregister(heap), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    free(heap);
}

TEST_BODY(driver_pointer_tells_what_an_address_is)
{
    unsigned type = 0;
    CUcontext context = driver_use_primary(), owner = NULL;
    CUdeviceptr start = 0, address = driver_allocate(4096);
    size_t bytes = 0;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT,
                                    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                    CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *data[] = {&type, &owner, &start, &bytes};
    assert_driver(cuPointerGetAttributes(4, wanted, data, address + 100));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_ptr_equal(owner, context);
    assert_int_equal(start, address);
    assert_int_equal(bytes, 4096);
    assert_driver(cuPointerGetAttributes(4, wanted, data, (uintptr_t)&type));
    assert_int_equal(type, 0);
    assert_null(owner);
    assert_int_equal(
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)&type),
        CUDA_ERROR_INVALID_VALUE);
}

/* Memory of a context that the caller made belongs to that context, also while another one is
 * current. */
TEST_BODY(driver_pointer_knows_the_owning_context)
{
    CUcontext primary = driver_use_primary(), made = NULL, owner = NULL;
    assert_driver(cuCtxCreate(&made, NULL, 0, 0));
    CUdeviceptr address = driver_allocate(4096);
    assert_driver(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address));
    assert_ptr_equal(owner, made);
    assert_driver(cuCtxPushCurrent(primary));
    assert_driver(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address));
    assert_ptr_equal(owner, made);
    assert_driver(cuCtxDestroy(made));
}

/* Garbage is collected in threads that never chose a context; code goes so as well. */
TEST_BODY(driver_memory_is_freed_without_a_current_context)
{
    const CUcontext context = driver_use_primary();
    CUmodule module = NULL;
    static _Alignas(4096) char own[4096];
    const CUdeviceptr device = driver_allocate(64);
    CUdeviceptr managed = 0;
    CUcontext current = context;
    void *host = NULL;
    assert_driver(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    assert_driver(cuMemAllocHost(&host, 64));
    assert_driver(cuMemHostRegister(own, sizeof own, 0));
    assert_driver(cuModuleLoadData(&module, driver_kernels));
    assert_driver(cuCtxSetCurrent(NULL));
    assert_driver(cuModuleUnload(module));
    assert_driver(cuMemFree(0));
    assert_driver(cuMemFree(device));
    assert_driver(cuMemFree(managed));
    assert_driver(cuMemFreeHost(host));
    assert_driver(cuMemHostUnregister(own));
    assert_int_equal(cuMemFree(device), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemFreeHost(own), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuCtxGetCurrent(&current));
    assert_null(current);
    assert_driver(cuCtxSetCurrent(context));
    assert_int_equal(cuMemFree(device), CUDA_ERROR_INVALID_VALUE);
}
