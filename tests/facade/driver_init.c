/* Tests of facade/driver/driver_init.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

TEST_BODY(driver_init_comes_before_everything_else)
{
    int count = -1;
    CUdeviceptr address = 1;
    CUcontext context = NULL;
    assert_int_equal(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cuMemAlloc(&address, 16), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cuMemFree(0), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(count, -1);
    assert_int_equal(address, 1);
    assert_int_equal(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    assert_driver(cuInit(0));
    assert_driver(cuDeviceGetCount(&count));
    assert_true(count > 0);
}

TEST_BODY(driver_init_makes_no_context)
{
    CUcontext context = (CUcontext)&context;
    CUdeviceptr address = 0;
    unsigned flags = 0;
    int is_active = -1;
    assert_driver(cuInit(0));
    assert_driver(cuCtxGetCurrent(&context));
    assert_null(context);
    assert_driver(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
    assert_int_equal(is_active, 0);
    assert_int_equal(cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_BODY(driver_init_is_done_by_the_runtime_as_well)
{
    CUdeviceptr address = 0;
    assert_int_equal(cudaFree(NULL), cudaSuccess);
    assert_driver(cuMemAlloc(&address, 16));
    assert_driver(cuMemFree(address));
}

TEST_BODY(driver_init_failures_are_no_runtime_errors)
{
    driver_use_primary();
    assert_int_equal(cuMemFree(3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH(NULL, 0, 16), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuModuleGetFunction(NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
}
