/* Tests of facade/driver/driver_device.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

TEST_BODY(driver_device_attributes_are_those_of_the_runtime)
{
    assert_driver(cuInit(0));
    for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; i++) {
        int driver = -7, runtime = -7;
        CUresult result = cuDeviceGetAttribute(&driver, (CUdevice_attribute)i, 0);
        assert_int_equal(result, (int)cudaDeviceGetAttribute(&runtime, (enum cudaDeviceAttr)i, 0));
        assert_int_equal(driver, runtime);
    }
}

TEST_BODY(driver_device_facts_are_those_of_the_runtime)
{
    struct cudaDeviceProp prop;
    CUdevprop old;
    CUuuid uuid;
    char name[256];
    size_t bytes = 0;
    int major = 0, minor = 0;
    assert_driver(cuInit(0));
    assert_int_equal(cudaGetDeviceProperties(&prop, 0), cudaSuccess);
    assert_driver(cuDeviceGetName(name, sizeof name, 0));
    assert_string_equal(name, prop.name);
    assert_driver(cuDeviceTotalMem(&bytes, 0));
    assert_int_equal(bytes, prop.totalGlobalMem);
    assert_driver(cuDeviceGetUuid(&uuid, 0));
    assert_memory_equal(&uuid, &prop.uuid, sizeof uuid);
    assert_driver(cuDeviceComputeCapability(&major, &minor, 0));
    assert_int_equal(major, 7);
    assert_int_equal(minor, 5);
    assert_driver(cuDeviceGetProperties(&old, 0));
    assert_int_equal(old.SIMDWidth, 32);
    assert_int_equal(old.maxThreadsPerBlock, prop.maxThreadsPerBlock);
    assert_int_equal(old.maxGridSize[1], prop.maxGridSize[1]);
}

TEST_BODY(driver_device_names_are_cut)
{
    char full[256], cut[8];
    assert_driver(cuInit(0));
    assert_driver(cuDeviceGetName(full, sizeof full, 0));
    memset(cut, 'x', sizeof cut);
    assert_driver(cuDeviceGetName(cut, 4, 0));
    assert_memory_equal(cut, full, 3);
    assert_int_equal(cut[3], '\0');
    assert_int_equal(cut[4], 'x');
    assert_int_equal(cuDeviceGetName(cut, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(driver_device_is_found_by_its_pci_address)
{
    int count = 0;
    assert_driver(cuInit(0));
    assert_driver(cuDeviceGetCount(&count));
    for (int i = 0; i < count; i++) {
        char text[32];
        CUdevice found = -1;
        assert_driver(cuDeviceGetPCIBusId(text, sizeof text, i));
        assert_driver(cuDeviceGetByPCIBusId(&found, text));
        assert_int_equal(found, i);
        assert_driver(cuDeviceGetByPCIBusId(&found, strchr(text, ':') + 1));
    }
}

TEST_BODY(driver_device_reaches_no_other)
{
    CUcontext context = driver_use_primary();
    int can = -1;
    assert_driver(cuDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    assert_int_equal(cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    assert_int_equal(cuCtxDisablePeerAccess(context), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    assert_int_equal(cuCtxEnablePeerAccess(NULL, 0), CUDA_ERROR_INVALID_CONTEXT);
}
