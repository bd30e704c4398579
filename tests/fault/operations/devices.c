/* Operations of the runtime API that ask about devices and choose, reset and open them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#include <cuda_profiler_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int ask_properties(void)
{
    struct cudaDeviceProp properties;
    struct cudaChannelFormatDesc texel = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    enum cudaAtomicOperation operations[] = {cudaAtomicOperationIntegerAdd};
    unsigned capabilities = 0;
    char bus[32];
    size_t width = 0;
    int device = 0, value = 0, error = 0;
    TRY(cudaGetDeviceProperties, &properties, 0);
    TRY(cudaGetDeviceProperties_v2, &properties, 0);
    TRY(cudaDeviceGetAttribute, &value, cudaDevAttrWarpSize, 0);
    TRY(cudaDeviceGetTexture1DLinearMaxWidth, &width, &texel, 0);
    TRY(cudaDeviceGetHostAtomicCapabilities, &capabilities, operations, 1, 0);
    TRY(cudaChooseDevice, &device, &properties);
    TRY(cudaDeviceGetPCIBusId, bus, sizeof bus, 0);
    TRY(cudaDeviceGetByPCIBusId, &device, bus);
    CHECK(properties.totalGlobalMem > 0 && value == 32 && width > 0 && device == 0);
    (void)CALL(cudaDeviceGetP2PAttribute, &value, cudaDevP2PAttrAccessSupported, 0, 1);
    (void)CALL(cudaDeviceGetP2PAtomicCapabilities, &capabilities, operations, 1, 0, 1);
    return error;
}

static int use_settings(void)
{
    enum cudaFuncCache cache = cudaFuncCachePreferNone;
    enum cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
    unsigned flags = 0;
    size_t limit = 0;
    int list[] = {0}, error = 0;
    TRY(cudaSetValidDevices, list, 1);
    TRY(cudaSetDeviceFlags, cudaDeviceScheduleAuto);
    TRY(cudaGetDeviceFlags, &flags);
    TRY(cudaDeviceGetLimit, &limit, cudaLimitStackSize);
    TRY(cudaDeviceSetLimit, cudaLimitStackSize, limit);
    TRY(cudaThreadGetLimit, &limit, cudaLimitStackSize);
    TRY(cudaThreadSetLimit, cudaLimitStackSize, limit);
    TRY(cudaDeviceGetCacheConfig, &cache);
    TRY(cudaDeviceSetCacheConfig, cache);
    TRY(cudaThreadGetCacheConfig, &cache);
    TRY(cudaThreadSetCacheConfig, cache);
    TRY(cudaDeviceGetSharedMemConfig, &banks);
    TRY(cudaDeviceSetSharedMemConfig, banks);
    TRY(cudaProfilerStart);
    TRY(cudaProfilerStop);
    return error;
}

static int ask_library(void)
{
    enum cudaDriverEntryPointQueryResult found;
    void *function = NULL;
    double number = 0;
    int version = 0, error = 0;
    TRY(cudaDriverGetVersion, &version);
    TRY(cudaRuntimeGetVersion, &version);
    TRY(cudaGetDriverEntryPoint, "cuInit", &function, 0, &found);
    TRY(cudaGetDriverEntryPointByVersion, "cuInit", &function, 12000, 0, &found);
    TRY(cudaSetDoubleForDevice, &number);
    TRY(cudaSetDoubleForHost, &number);
    (void)CALL(cudaPeekAtLastError);
    (void)CALL(cudaGetLastError);
    CHECK(NOTE(cudaGetErrorName)(cudaSuccess) != NULL);
    CHECK(NOTE(cudaGetErrorString)(cudaSuccess) != NULL);
    return error;
}

int operation_queries(void)
{
    int device = 1, count = 0, error = 0;
    TRY(cudaGetDeviceCount, &count);
    TRY(cudaSetDevice, 0);
    TRY(cudaGetDevice, &device);
    TRY(cudaInitDevice, 0, 0, 0);
    CHECK(device == 0 && count > 0);
    if (error == 0)
        error = ask_properties();
    if (error == 0)
        error = use_settings();
    if (error == 0)
        error = ask_library();
    TRY(cudaThreadSynchronize);
    return error;
}

static void ignore_log(void *data, cudaLogLevel level, char *text, size_t bytes)
{
    (void)data, (void)level, (void)text, (void)bytes;
}

static void ignore_log_of_driver(void *data, CUlogLevel level, char *text, size_t bytes)
{
    (void)data, (void)level, (void)text, (void)bytes;
}

static int dump_logs(void)
{
    cudaLogIterator place = 0;
    char path[] = "/tmp/clem-fault-XXXXXX", buffer[256];
    size_t bytes = sizeof buffer;
    int error = 0;
    const int file = mkstemp(path);
    if (file >= 0)
        close(file);
    TRY(cudaLogsCurrent, &place, 0);
    TRY(cudaLogsDumpToMemory, &place, buffer, &bytes, 0);
    TRY(cudaLogsDumpToFile, &place, path, 0);
    TRY(cuLogsCurrent, &place, 0);
    bytes = sizeof buffer;
    TRY(cuLogsDumpToMemory, &place, buffer, &bytes, 0);
    TRY(cuLogsDumpToFile, &place, path, 0);
    unlink(path);
    return error;
}

int operation_logs(void)
{
    cudaLogsCallbackHandle handle = NULL;
    CUlogsCallbackHandle other = NULL;
    void *memory = NULL;
    int error = 0;
    TRY(cudaLogsRegisterCallback, ignore_log, NULL, &handle);
    TRY(cuLogsRegisterCallback, ignore_log_of_driver, NULL, &other);
    TRY(cudaMalloc, &memory, 64);
    TRY(cudaMemset, memory, 1, 64);
    END(cudaFree, memory);
    if (error == 0)
        error = dump_logs();
    if (handle != NULL)
        END(cudaLogsUnregisterCallback, handle);
    if (other != NULL)
        END(cuLogsUnregisterCallback, other);
    return error;
}

/* A strategy may fall back, but something must work afterwards. */
int operation_open(void)
{
    int error = 0;
    END(cudaDeviceReset);
    TRY(cudaFree, NULL);
    END(cudaThreadExit);
    TRY(cudaFree, NULL);
    return error;
}
