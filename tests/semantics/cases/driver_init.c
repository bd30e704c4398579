/* Semantics of the driver API's start and devices.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"

void case_driver_init_before(void)
{
    int n = 77;
    CUdevice device = 77;
    CUcontext context = NULL;
    CUdeviceptr p = 0;
    CUmodule module = NULL;
    CUstream stream = NULL;
    const char *name = NULL;
    DRIVER(cuDriverGetVersion(&n));
    DRIVER(cuGetErrorName(CUDA_SUCCESS, &name));
    DRIVER(cuDeviceGetCount(&n));
    DRIVER(cuDeviceGetCount(NULL));
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDeviceGet(NULL, -1));
    DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
    DRIVER(cuCtxGetCurrent(&context));
    DRIVER(cuCtxGetCurrent(NULL));
    DRIVER(cuMemAlloc(&p, 16));
    DRIVER(cuMemAlloc(NULL, 0));
    DRIVER(cuMemFree(0));
    DRIVER(cuModuleLoadData(&module, NULL));
    DRIVER(cuStreamCreate(&stream, 99));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuCtxPopCurrent(NULL));
    void *f = NULL;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    DRIVER(cuGetProcAddress("cuInit", &f, 13000, 0, &status));
    DRIVER(cuInit(1));
    DRIVER(cuDeviceGetCount(&n));
    DRIVER(cuInit(0));
    DRIVER(cuInit(0));
    DRIVER(cuInit(1));
    DRIVER(cuMemAlloc(&p, 16));
    DRIVER(cuMemAlloc(NULL, 0));
    DRIVER(cuMemFree(0));
    DRIVER(cuModuleLoadData(&module, NULL));
    DRIVER(cuStreamCreate(&stream, 99));
    DRIVER(cuStreamCreate(NULL, 99));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuCtxGetDevice(&device));
    DRIVER(cuCtxGetDevice(NULL));
}

void case_driver_init_devices(void)
{
    int n = 0;
    CUdevice device = 77;
    char name[256];
    size_t bytes = 0;
    CUuuid uuid;
    REQUIRE_DRIVER(cuInit(0));
    DRIVER(cuDeviceGetCount(NULL));
    DRIVER(cuDeviceGetCount(&n));
    DRIVER(cuDeviceGet(NULL, 0));
    DRIVER(cuDeviceGet(NULL, -1));
    DRIVER(cuDeviceGet(&device, -1));
    DRIVER_AS(cuDeviceGet(&device, n), "cuDeviceGet of the count");
    VALUE(device, "untouched");
    DRIVER(cuDeviceGet(&device, 0));
    VALUE(device, "first device");
    DRIVER(cuDeviceGetName(NULL, 0, -1));
    DRIVER(cuDeviceGetName(NULL, 256, 0));
    DRIVER(cuDeviceGetName(name, 0, 0));
    DRIVER(cuDeviceGetName(name, -1, 0));
    DRIVER(cuDeviceGetName(name, 256, -1));
    memset(name, 'x', sizeof name);
    DRIVER(cuDeviceGetName(name, 4, 0));
    VALUE(name[3] == '\0', "cut name ends with 0");
    DRIVER(cuDeviceGetName(name, 256, 0));
    DEVICE_TEXT(name, "name");
    DRIVER(cuDeviceTotalMem(NULL, 0));
    DRIVER(cuDeviceTotalMem(NULL, -1));
    DRIVER(cuDeviceTotalMem(&bytes, -1));
    DRIVER(cuDeviceTotalMem(&bytes, 0));
    VALUE(bytes > 0, "some memory");
    DRIVER(cuDeviceGetUuid(NULL, 0));
    DRIVER(cuDeviceGetUuid(&uuid, -1));
    DRIVER(cuDeviceGetUuid(&uuid, 0));
    DRIVER(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    DRIVER(cuDeviceGetAttribute(NULL, (CUdevice_attribute)0, -1));
    DRIVER(cuDeviceGetAttribute(&n, (CUdevice_attribute)0, 0));
    DRIVER(cuDeviceGetAttribute(&n, (CUdevice_attribute)99999, 0));
    DRIVER(cuDeviceGetAttribute(&n, (CUdevice_attribute)99999, -1));
    DRIVER(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, -1));
    DRIVER(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    VALUE(n, "warp size");
    DRIVER(cuDeviceGetByPCIBusId(&device, NULL));
    DRIVER(cuDeviceGetByPCIBusId(NULL, "garbage"));
    DRIVER(cuDeviceGetByPCIBusId(&device, "garbage"));
    DRIVER(cuDeviceGetPCIBusId(NULL, 64, 0));
    DRIVER(cuDeviceGetPCIBusId(name, 5, 0));
    DRIVER(cuDeviceGetPCIBusId(name, 13, 0));
    DRIVER(cuDeviceGetPCIBusId(name, 64, -1));
    int major = 0;
    int minor = 0;
    DRIVER(cuDeviceComputeCapability(&major, &minor, 0));
    DRIVER(cuDeviceComputeCapability(NULL, &minor, 0));
    DRIVER(cuDeviceCanAccessPeer(&n, 0, 0));
    VALUE(n, "access to itself");
    DRIVER(cuDeviceCanAccessPeer(&n, 0, -1));
}
