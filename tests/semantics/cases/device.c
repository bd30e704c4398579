/* Semantics of device management.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <string.h>

#include "../oracle.h"

void case_device_set(void)
{
    int devices = 0;
    int device = 77;
    CALL(cudaGetDeviceCount(NULL));
    CALL(cudaGetDeviceCount(&devices));
    VALUE(devices >= 1, "at least one device");
    DEVICE_VALUE(devices, "devices");
    CALL(cudaGetDevice(NULL));
    CALL(cudaGetDevice(&device));
    VALUE(device, "current device at the start");
    CALL(cudaSetDevice(-1));
    CALL(cudaSetDevice(INT_MIN));
    CALL_AS(cudaSetDevice(devices), "cudaSetDevice(count)");
    CALL(cudaSetDevice(INT_MAX));
    CALL(cudaGetDevice(&device));
    VALUE(device, "current device after failures");
    CALL(cudaSetDevice(0));
    CALL(cudaSetDevice(0));
    CALL(cudaInitDevice(0, 0, 0));
    CALL(cudaInitDevice(-1, 0, 0));
    CALL(cudaInitDevice(0, 0, 0xff));
    CALL(cudaInitDevice(0, 0xffff, cudaInitDeviceFlagsAreValid));
    CALL(cudaInitDevice(-1, 0xffff, 0xff));
    CALL(cudaInitDevice(0, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid));
    CALL(cudaDeviceSynchronize());
}

void case_device_properties(void)
{
    int devices = 0;
    struct cudaDeviceProp p;
    REQUIRE(cudaGetDeviceCount(&devices));
    CALL(cudaGetDeviceProperties(NULL, 0));
    CALL(cudaGetDeviceProperties(NULL, -1));
    CALL(cudaGetDeviceProperties(&p, -1));
    CALL_AS(cudaGetDeviceProperties(&p, devices), "device = count");
    memset(&p, 0x55, sizeof p);
    CALL(cudaGetDeviceProperties(&p, 0));
    DEVICE_TEXT(p.name, "name");
    DEVICE_VALUE(p.major * 10 + p.minor, "compute capability");
    VALUE(p.warpSize, "warpSize");
    DEVICE_VALUE(p.sharedMemPerBlock, "sharedMemPerBlock");
    DEVICE_VALUE(p.maxThreadsPerBlock, "maxThreadsPerBlock");
    DEVICE_VALUE(p.maxThreadsDim[2], "maxThreadsDim[2]");
    DEVICE_VALUE(p.maxGridSize[0], "maxGridSize[0]");
    DEVICE_VALUE(p.maxGridSize[1], "maxGridSize[1]");
    DEVICE_VALUE(p.memPitch, "memPitch");
    DEVICE_VALUE(p.textureAlignment, "textureAlignment");
    DEVICE_VALUE(p.texturePitchAlignment, "texturePitchAlignment");
    DEVICE_VALUE(p.totalConstMem, "totalConstMem");
    DEVICE_VALUE(p.asyncEngineCount, "asyncEngineCount");
    VALUE(p.unifiedAddressing, "unifiedAddressing");
    VALUE(p.canMapHostMemory, "canMapHostMemory");
    DEVICE_VALUE(p.managedMemory, "managedMemory");
    DEVICE_VALUE(p.concurrentManagedAccess, "concurrentManagedAccess");
    DEVICE_VALUE(p.pageableMemoryAccess, "pageableMemoryAccess");
    DEVICE_VALUE(p.canUseHostPointerForRegisteredMem, "canUseHostPointerForRegisteredMem");
    DEVICE_VALUE(p.hostRegisterSupported, "hostRegisterSupported");
    DEVICE_VALUE(p.streamPrioritiesSupported, "streamPrioritiesSupported");
    DEVICE_VALUE(p.concurrentKernels, "concurrentKernels");
    DEVICE_VALUE(p.reserved[0], "reserved[0]");
}

void case_device_attributes(void)
{
    int value = 77;
    CALL(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    CALL(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, -1));
    CALL(cudaDeviceGetAttribute(NULL, (enum cudaDeviceAttr)0, -1));
    CALL(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)0, 0));
    CALL(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)(-1), 0));
    CALL(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)10000, 0));
    CALL(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)10000, -1));
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1));
    VALUE(value, "value after failures");
    for (int attribute = 1; attribute <= 160; attribute++) {
        value = 77;
        CALL_AS(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)attribute, 0), "attribute %d",
                attribute);
        DEVICE_VALUE(value, "attribute %d: value", attribute);
    }
}

void case_device_p2p(void)
{
    int value = 77;
    CALL(cudaDeviceCanAccessPeer(NULL, 0, 0));
    CALL(cudaDeviceCanAccessPeer(&value, 0, 0));
    VALUE(value, "access of a device to itself");
    CALL(cudaDeviceCanAccessPeer(&value, 0, -1));
    CALL(cudaDeviceCanAccessPeer(&value, 1000, 0));
    CALL(cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 0));
    CALL(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
    CALL(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, -1));
    CALL(cudaDeviceGetP2PAttribute(&value, (enum cudaDeviceP2PAttr)99, 0, -1));
    CALL(cudaDeviceGetP2PAttribute(&value, (enum cudaDeviceP2PAttr)99, 0, 0));
    CALL(cudaDeviceGetP2PAttribute(NULL, (enum cudaDeviceP2PAttr)99, -1, -1));
    CALL(cudaDeviceEnablePeerAccess(0, 0));
    CALL(cudaDeviceEnablePeerAccess(-1, 0));
    CALL(cudaDeviceEnablePeerAccess(0, 1));
    CALL(cudaDeviceDisablePeerAccess(0));
    CALL(cudaDeviceDisablePeerAccess(-1));
}

void case_device_limits(void)
{
    size_t value = 77;
    CALL(cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    CALL(cudaDeviceGetLimit(NULL, (enum cudaLimit)99));
    CALL(cudaDeviceGetLimit(&value, (enum cudaLimit)99));
    CALL(cudaDeviceGetLimit(&value, (enum cudaLimit)(-1)));
    for (int limit = 0; limit <= 8; limit++) {
        value = 77;
        CALL_AS(cudaDeviceGetLimit(&value, (enum cudaLimit)limit), "get %d", limit);
        DEVICE_VALUE((long long)value, "get %d: value", limit);
        CALL_AS(cudaDeviceSetLimit((enum cudaLimit)limit, value), "set %d to the same", limit);
    }
    CALL(cudaDeviceSetLimit((enum cudaLimit)99, 0));
    CALL(cudaDeviceSetLimit((enum cudaLimit)(-1), 0));
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
    CALL(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    VALUE((long long)value, "stack size as set");
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 2049));
    CALL(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    VALUE((long long)value, "stack size 2049 as set");
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, SIZE_MAX));
    CALL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 0));
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 * MIB));
    CALL(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    VALUE((long long)value, "heap size as set");
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 0));
    CALL(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    DEVICE_VALUE((long long)value, "heap size 0 as set");
    CALL(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 1000));
    CALL(cudaDeviceReset());
    CALL(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    DEVICE_VALUE((long long)value, "stack size after reset");
}

void case_device_cache_config(void)
{
    enum cudaFuncCache config = (enum cudaFuncCache)77;
    CALL(cudaDeviceGetCacheConfig(NULL));
    CALL(cudaDeviceGetCacheConfig(&config));
    VALUE(config, "at the start");
    for (int i = -1; i <= 4; i++) {
        CALL_AS(cudaDeviceSetCacheConfig((enum cudaFuncCache)i), "set %d", i);
        CALL_AS(cudaDeviceGetCacheConfig(&config), "set %d: get", i);
        VALUE(config, "set %d: value", i);
    }
}

void case_device_flags(void)
{
    unsigned flags = 77;
    CALL(cudaGetDeviceFlags(NULL));
    CALL(cudaGetDeviceFlags(&flags));
    VALUE(flags, "at the start");
    CALL(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
    CALL(cudaGetDeviceFlags(&flags));
    VALUE(flags, "after spin");
    CALL(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
    CALL(cudaSetDeviceFlags(0x7));
    CALL(cudaSetDeviceFlags(0x100));
    CALL(cudaSetDeviceFlags(0x40));
    CALL(cudaSetDeviceFlags(~0u));
    CALL(cudaSetDeviceFlags(cudaDeviceMapHost));
    CALL(cudaSetDeviceFlags(cudaDeviceLmemResizeToMax));
    CALL(cudaSetDeviceFlags(cudaDeviceSyncMemops));
    CALL(cudaGetDeviceFlags(&flags));
    VALUE(flags, "after sync memops");
    make_runtime_context();
    CALL(cudaGetDeviceFlags(&flags));
    VALUE(flags, "once initialised");
    CALL(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    CALL(cudaGetDeviceFlags(&flags));
    VALUE(flags, "changed after initialisation");
    CALL(cudaSetDeviceFlags(0x100));
    CALL(cudaDeviceReset());
    CALL(cudaGetDeviceFlags(&flags));
    VALUE(flags, "after reset");
}

void case_device_valid_devices(void)
{
    int zero = 0;
    int bad = 1000;
    int twice[2] = {0, 0};
    CALL(cudaSetValidDevices(NULL, 0));
    CALL(cudaSetValidDevices(NULL, 1));
    CALL(cudaSetValidDevices(&zero, 1));
    CALL(cudaSetValidDevices(&zero, -1));
    CALL(cudaSetValidDevices(&zero, 1000));
    CALL(cudaSetValidDevices(&bad, 1));
    CALL(cudaSetValidDevices(twice, 2));
    make_runtime_context();
    CALL(cudaSetValidDevices(&zero, 1));
}

void case_device_choose(void)
{
    int device = 77;
    struct cudaDeviceProp p;
    memset(&p, 0, sizeof p);
    CALL(cudaChooseDevice(NULL, NULL));
    CALL(cudaChooseDevice(&device, NULL));
    CALL(cudaChooseDevice(NULL, &p));
    CALL(cudaChooseDevice(&device, &p));
    VALUE(device, "chosen");
    p.major = 99;
    CALL(cudaChooseDevice(&device, &p));
}

void case_device_pci_bus_id(void)
{
    char id[64];
    int device = 77;
    memset(id, 'x', sizeof id);
    CALL(cudaDeviceGetPCIBusId(NULL, 64, 0));
    CALL(cudaDeviceGetPCIBusId(id, 0, 0));
    CALL(cudaDeviceGetPCIBusId(id, -1, 0));
    CALL(cudaDeviceGetPCIBusId(NULL, 0, -1));
    CALL(cudaDeviceGetPCIBusId(id, 64, -1));
    CALL(cudaDeviceGetPCIBusId(id, 64, 1000));
    VALUE(id[0] == 'x', "untouched");
    CALL(cudaDeviceGetPCIBusId(id, 5, 0));
    id[63] = '\0';
    VALUE((long long)strlen(id) == 63, "length 5: not terminated");
    CALL(cudaDeviceGetPCIBusId(id, 12, 0));
    CALL(cudaDeviceGetPCIBusId(id, 13, 0));
    CALL(cudaDeviceGetPCIBusId(id, 64, 0));
    DEVICE_TEXT(id, "id");
    VALUE((long long)strlen(id), "length");
    CALL(cudaDeviceGetByPCIBusId(&device, id));
    VALUE(device, "found by its id");
    CALL(cudaDeviceGetByPCIBusId(NULL, id));
    CALL(cudaDeviceGetByPCIBusId(&device, NULL));
    CALL(cudaDeviceGetByPCIBusId(NULL, NULL));
    CALL(cudaDeviceGetByPCIBusId(&device, ""));
    CALL(cudaDeviceGetByPCIBusId(&device, "garbage"));
    CALL(cudaDeviceGetByPCIBusId(&device, "ffff:ff:1f.0"));
    CALL_AS(cudaDeviceGetByPCIBusId(&device, id + 5), "without the domain");
    id[strlen(id) - 2] = '\0';
    CALL_AS(cudaDeviceGetByPCIBusId(&device, id), "without the function");
}

void case_device_priorities(void)
{
    int least = 77;
    int greatest = 77;
    CALL(cudaDeviceGetStreamPriorityRange(NULL, NULL));
    CALL(cudaDeviceGetStreamPriorityRange(&least, NULL));
    CALL(cudaDeviceGetStreamPriorityRange(NULL, &greatest));
    CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    VALUE(least, "least");
    DEVICE_VALUE(greatest, "greatest");
}

void case_device_misc(void)
{
    size_t width = 0;
    struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    CALL(cudaDeviceGetTexture1DLinearMaxWidth(NULL, &format, 0));
    CALL(cudaDeviceGetTexture1DLinearMaxWidth(&width, NULL, 0));
    CALL(cudaDeviceGetTexture1DLinearMaxWidth(&width, &format, -1));
    CALL(cudaDeviceGetTexture1DLinearMaxWidth(&width, &format, 0));
    DEVICE_VALUE(width, "linear texture width");
    CALL(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                            cudaFlushGPUDirectRDMAWritesToOwner));
    CALL(cudaDeviceFlushGPUDirectRDMAWrites((enum cudaFlushGPUDirectRDMAWritesTarget)9,
                                            (enum cudaFlushGPUDirectRDMAWritesScope)9));
    CALL(cudaDeviceGetNvSciSyncAttributes(NULL, 0, 0));
    CALL(cudaDeviceGetNvSciSyncAttributes(NULL, -1, 9));
    CALL(cudaCtxResetPersistingL2Cache());
    enum cudaAtomicOperation operation = cudaAtomicOperationIntegerAdd;
    unsigned capability = 77;
    CALL(cudaDeviceGetHostAtomicCapabilities(NULL, NULL, 0, 0));
    CALL(cudaDeviceGetHostAtomicCapabilities(&capability, &operation, 0, 0));
    CALL(cudaDeviceGetHostAtomicCapabilities(&capability, &operation, 1, -1));
    CALL(cudaDeviceGetHostAtomicCapabilities(&capability, NULL, 1, 0));
    CALL(cudaDeviceGetHostAtomicCapabilities(&capability, &operation, 1, 0));
    DEVICE_VALUE(capability, "capability");
    operation = (enum cudaAtomicOperation)99;
    CALL(cudaDeviceGetHostAtomicCapabilities(&capability, &operation, 1, 0));
    CALL(cudaDeviceGetP2PAtomicCapabilities(&capability, &operation, 1, 0, 0));
}

void case_device_reset(void)
{
    cudaStream_t stream;
    cudaEvent_t event;
    void *p = NULL;
    REQUIRE(cudaStreamCreate(&stream));
    REQUIRE(cudaEventCreate(&event));
    (void)kernel(KERNEL_NOOP);
    CALL(cudaDeviceReset());
    CALL(cudaDeviceReset());
    CALL(cudaMalloc(&p, 16));
    CALL(cudaFree(p));
    CALL_AS(cudaStreamQuery(stream), "query of a stream of before");
    CALL_AS(cudaStreamSynchronize(stream), "synchronize of a stream of before");
    CALL_AS(cudaEventQuery(event), "query of an event of before");
    CALL_AS(cudaEventDestroy(event), "destroy of an event of before");
    CALL_AS(cudaStreamDestroy(stream), "destroy of a stream of before");
    CALL_AS(launch(KERNEL_NOOP, 1, 1, NULL, 0, NULL), "launch of a kernel of before");
    CALL(cudaDeviceSynchronize());
}

void case_device_reset_waits(void)
{
    spin_prepare();
    REQUIRE(spin_start(NULL, SPIN_MS));
    CALL(cudaDeviceReset());
    VALUE(spin_is_over(), "cudaDeviceReset waited for work");
    CALL(cudaDeviceSynchronize());
}
