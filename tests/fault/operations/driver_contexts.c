/* Operations of the driver API: devices, contexts, streams, events.
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* names are symbols, and old versions have theirs */
#include "operation.h"

#include <time.h>

#include <cudaProfiler.h>

enum { BYTES = 1 << 16 };

/* ---- Devices ---- */

static int ask_device(void)
{
    CUdevprop properties;
    CUuuid uuid;
    CUatomicOperation operations[] = {CU_ATOMIC_OPERATION_INTEGER_ADD};
    CUdevice same = 1;
    char name[100], bus[32];
    size_t bytes = 0, width = 0;
    unsigned capabilities = 0;
    int value = 0, minor = 0, error = 0;
    TRY(cuDeviceGetName, name, sizeof name, 0);
    TRY(cuDeviceGetUuid_v2, &uuid, 0);
    TRY(cuDeviceGetUuid, &uuid, 0);
    TRY(cuDeviceTotalMem_v2, &bytes, 0);
    TRY(cuDeviceGetTexture1DLinearMaxWidth, &width, CU_AD_FORMAT_FLOAT, 1, 0);
    TRY(cuDeviceGetAttribute, &value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
    TRY(cuDeviceGetHostAtomicCapabilities, &capabilities, operations, 1, 0);
    TRY(cuDeviceGetProperties, &properties, 0);
    TRY(cuDeviceGetPCIBusId, bus, sizeof bus, 0);
    TRY(cuDeviceGetByPCIBusId, &same, bus);
    CHECK(bytes > 0 && value == 32 && same == 0 && width > 0);
    TRY(cuDeviceComputeCapability, &value, &minor, 0);
    TRY(cuDeviceGetExecAffinitySupport, &value, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0);
    (void)CALL(cuDeviceGetP2PAttribute, &value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1);
    (void)CALL(cuDeviceGetP2PAtomicCapabilities, &capabilities, operations, 1, 0, 1);
    return error;
}

int operation_driver_devices(void)
{
    CUdevice device = 1;
    CUdriverProcAddressQueryResult found;
    const char *text = NULL;
    void *function = NULL;
    int count = 0, version = 0, error = 0;
    TRY(cuInit, 0);
    TRY(cuDriverGetVersion, &version);
    TRY(cuDeviceGetCount, &count);
    TRY(cuDeviceGet, &device, 0);
    CHECK(count > 0 && device == 0);
    if (error == 0)
        error = ask_device();
    TRY(cuGetErrorName, CUDA_ERROR_INVALID_VALUE, &text);
    TRY(cuGetErrorString, CUDA_ERROR_INVALID_VALUE, &text);
    TRY(cuGetProcAddress_v2, "cuInit", &function, 12000, 0, &found);
    TRY(cuGetProcAddress, "cuInit", &function, 12000, 0);
    CHECK(function != NULL);
    TRY(cudaFree, NULL); /* they want a context */
    TRY(cuProfilerStart);
    TRY(cuProfilerStop);
    return error;
}

/* ---- Contexts ---- */

static int ask_context(CUcontext context)
{
    CUcontext current = NULL;
    CUdevice device = 1;
    CUfunc_cache cache = CU_FUNC_CACHE_PREFER_NONE;
    CUsharedconfig banks = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
    CUexecAffinityParam affinity;
    unsigned flags = 0, version = 0;
    unsigned long long id = 0;
    size_t limit = 0;
    int least = 0, greatest = 0, error = 0;
    TRY(cuCtxGetCurrent, &current);
    TRY(cuCtxGetDevice, &device);
    TRY(cuCtxGetDevice_v2, &device, context);
    CHECK(current == context && device == 0);
    TRY(cuCtxGetFlags, &flags);
    TRY(cuCtxSetFlags, flags);
    TRY(cuCtxGetId, context, &id);
    TRY(cuCtxGetApiVersion, context, &version);
    TRY(cuCtxGetLimit, &limit, CU_LIMIT_STACK_SIZE);
    TRY(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, limit);
    TRY(cuCtxGetCacheConfig, &cache);
    TRY(cuCtxSetCacheConfig, cache);
    TRY(cuCtxGetSharedMemConfig, &banks);
    TRY(cuCtxSetSharedMemConfig, banks);
    TRY(cuCtxGetStreamPriorityRange, &least, &greatest);
    TRY(cuCtxResetPersistingL2Cache);
    (void)CALL(cuCtxGetExecAffinity, &affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT);
    return error;
}

static int work_in(CUcontext context)
{
    CUdeviceptr memory = 0;
    CUevent event = NULL;
    int value = 0, error = ask_context(context);
    TRY(cuMemAlloc_v2, &memory, BYTES);
    TRY(cuMemsetD8Async, memory, 1, BYTES, NULL);
    TRY(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
    TRY(cuCtxRecordEvent, context, event);
    TRY(cuCtxWaitEvent, context, event);
    TRY(cuCtxSynchronize);
    TRY(cuCtxSynchronize_v2, context);
    TRY(cuMemcpyDtoH_v2, &value, memory, sizeof value);
    CHECK(value == 0x01010101);
    if (event != NULL)
        END(cuEventDestroy_v2, event);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    return error;
}

static int create_old(void)
{
    CUcontext contexts[3] = {NULL, NULL, NULL}, popped = NULL;
    int error = 0;
    TRY(cuCtxCreate, &contexts[0], 0, 0);
    TRY(cuCtxCreate_v2, &contexts[1], 0, 0);
    TRY(cuCtxCreate_v3, &contexts[2], NULL, 0, 0, 0);
    if (contexts[2] != NULL) {
        END(cuCtxPopCurrent, &popped);
        END(cuCtxPushCurrent, contexts[2]);
        END(cuCtxDestroy, contexts[2]);
    }
    if (contexts[1] != NULL)
        END(cuCtxDetach, contexts[1]);
    if (contexts[0] != NULL)
        END(cuCtxDestroy_v2, contexts[0]);
    return error;
}

int operation_driver_contexts(void)
{
    CUcontext own = NULL, before = NULL, popped = NULL, attached = NULL;
    int error = 0;
    TRY(cuInit, 0);
    TRY(cuCtxGetCurrent, &before);
    TRY(cuCtxCreate_v4, &own, NULL, 0, 0);
    if (error == 0)
        error = work_in(own);
    if (error == 0 && (error = CALL(cuCtxAttach, &attached, 0)) == 0)
        END(cuCtxDetach, attached);
    if (own != NULL) {
        END(cuCtxPopCurrent_v2, &popped);
        END(cuCtxPushCurrent_v2, own);
        END(cuCtxDestroy_v2, own);
    }
    if (error == 0)
        error = create_old();
    (void)cuCtxSetCurrent(before);
    return error;
}

static void pause_a_moment(void *unused)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    (void)unused;
    nanosleep(&moment, NULL);
}

/* Events of one context are waited for in another's stream, while a host function is yet before them. */
int operation_two_contexts(void)
{
    CUcontext before = NULL, own = NULL;
    CUstream here = NULL;
    CUevent event = NULL;
    CUdeviceptr memory = 0, other = 0;
    int value = 0, error = 0;
    TRY(cudaFree, NULL);
    TRY(cuCtxGetCurrent, &before);
    TRY(cuStreamCreate, &here, CU_STREAM_NON_BLOCKING);
    TRY(cuMemAlloc_v2, &memory, BYTES);
    TRY(cuCtxCreate_v4, &own, NULL, 0, 0);
    TRY(cuMemAlloc_v2, &other, BYTES);
    TRY(cuEventCreate, &event, 0);
    TRY(cuMemsetD8Async, other, 3, BYTES, NULL);
    TRY(cuLaunchHostFunc, NULL, pause_a_moment, NULL);
    TRY(cuEventRecord, event, NULL);
    TRY(cuCtxSetCurrent, before);
    TRY(cuStreamWaitEvent, here, event, 0);
    TRY(cuMemcpyPeerAsync, memory, before, other, own, BYTES, here);
    TRY(cuMemcpyDtoHAsync_v2, &value, memory, sizeof value, here);
    TRY(cuStreamSynchronize, here);
    CHECK(value == 0x03030303);
    (void)cuCtxSetCurrent(before);
    if (here != NULL)
        END(cuStreamDestroy_v2, here);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    if (event != NULL)
        END(cuEventDestroy_v2, event);
    if (own != NULL)
        END(cuCtxDestroy_v2, own); /* with its memory */
    (void)cuCtxSetCurrent(before);
    return error;
}

int operation_driver_primary(void)
{
    CUcontext context = NULL, before = NULL;
    unsigned flags = 0;
    int active = 0, error = 0;
    TRY(cuInit, 0);
    TRY(cuCtxGetCurrent, &before);
    TRY(cuDevicePrimaryCtxGetState, 0, &flags, &active);
    TRY(cuDevicePrimaryCtxSetFlags_v2, 0, flags);
    TRY(cuDevicePrimaryCtxSetFlags, 0, flags);
    TRY(cuDevicePrimaryCtxRetain, &context, 0);
    if (error == 0)
        END(cuDevicePrimaryCtxRelease_v2, 0);
    if (error == 0 && (error = CALL(cuDevicePrimaryCtxRetain, &context, 0)) == 0)
        END(cuDevicePrimaryCtxRelease, 0);
    END(cuDevicePrimaryCtxReset_v2, 0);
    END(cuDevicePrimaryCtxReset, 0);
    TRY(cuCtxSetCurrent, before);
    TRY(cudaFree, NULL);
    return error;
}

/* ---- Streams and events ---- */

static int ask_stream(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUstreamAttrValue value;
    CUcontext context = NULL;
    CUgreenCtx green = NULL;
    CUdevice device = 1;
    unsigned flags = 0;
    unsigned long long id = 0;
    int priority = 1, error = 0;
    memset(&value, 0, sizeof value);
    TRY(cuStreamGetPriority, stream, &priority);
    TRY(cuStreamGetFlags, stream, &flags);
    TRY(cuStreamGetDevice, stream, &device);
    TRY(cuStreamGetId, stream, &id);
    TRY(cuStreamGetCtx, stream, &context);
    TRY(cuStreamGetCtx_v2, stream, &context, &green);
    TRY(cuStreamGetAttribute, stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value);
    value.syncPolicy = CU_SYNC_POLICY_AUTO;
    TRY(cuStreamSetAttribute, stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value);
    TRY(cuStreamCopyAttributes, stream, NULL);
    TRY(cuThreadExchangeStreamCaptureMode, &mode);
    TRY(cuThreadExchangeStreamCaptureMode, &mode);
    TRY(cuStreamIsCapturing, stream, &status);
    TRY(cuStreamGetCaptureInfo, stream, &status, NULL);
    TRY(cuStreamGetCaptureInfo_v2, stream, &status, NULL, NULL, NULL, NULL);
    TRY(cuStreamGetCaptureInfo_v3, stream, &status, NULL, NULL, NULL, NULL, NULL);
    CHECK(device == 0 && status == CU_STREAM_CAPTURE_STATUS_NONE);
    return error;
}

static _Atomic int calls;

static void count_call(void *data)
{
    (void)data;
    calls++;
}

static void count_callback(CUstream stream, CUresult error, void *data)
{
    (void)stream, (void)error, (void)data;
    calls++;
}

static int query_stream(CUstream stream)
{
    int error = CUDA_ERROR_NOT_READY;
    while (error == CUDA_ERROR_NOT_READY)
        error = CALL(cuStreamQuery, stream);
    return error;
}

static int query_event(CUevent event)
{
    int error = CUDA_ERROR_NOT_READY;
    while (error == CUDA_ERROR_NOT_READY)
        error = CALL(cuEventQuery, event);
    return error;
}

static int use_stream(CUstream stream, CUevent start, CUevent end)
{
    float milliseconds = -1;
    int error = ask_stream(stream);
    calls = 0;
    TRY(cuEventRecord, start, stream);
    TRY(cuLaunchHostFunc, stream, count_call, NULL);
    TRY(cuStreamAddCallback, stream, count_callback, NULL, 0);
    TRY(cuEventRecordWithFlags, end, stream, 0);
    TRY(cuStreamWaitEvent, NULL, end, 0);
    if (error == 0)
        error = query_event(end);
    TRY(cuEventSynchronize, end);
    TRY(cuEventElapsedTime_v2, &milliseconds, start, end);
    TRY(cuEventElapsedTime, &milliseconds, start, end);
    if (error == 0)
        error = query_stream(stream);
    END(cuStreamSynchronize, stream);
    CHECK(milliseconds >= 0 && calls == 2);
    return error;
}

int operation_driver_streams(void)
{
    CUstream stream = NULL, urgent = NULL;
    CUevent start = NULL, end = NULL;
    int error = 0;
    TRY(cuInit, 0);
    TRY(cudaFree, NULL);
    TRY(cuStreamCreate, &stream, CU_STREAM_DEFAULT);
    TRY(cuStreamCreateWithPriority, &urgent, CU_STREAM_NON_BLOCKING, -1);
    TRY(cuEventCreate, &start, 0);
    TRY(cuEventCreate, &end, 0);
    if (error == 0)
        error = use_stream(stream, start, end);
    if (end != NULL)
        END(cuEventDestroy_v2, end);
    if (start != NULL)
        END(cuEventDestroy, start);
    if (urgent != NULL)
        END(cuStreamDestroy, urgent);
    if (stream != NULL)
        END(cuStreamDestroy_v2, stream);
    return error;
}

/* ---- What devices tell, and what others write to them ---- */

static void never(cudaAsyncNotificationInfo_t *info, void *data, cudaAsyncCallbackHandle_t handle)
{
    (void)info;
    (void)data;
    (void)handle;
}

static void never_by_driver(CUasyncNotificationInfo *info, void *data, CUasyncCallbackHandle handle)
{
    (void)info;
    (void)data;
    (void)handle;
}

int operation_driver_notifications(void)
{
    cudaAsyncCallbackHandle_t one = NULL;
    CUasyncCallbackHandle other = NULL;
    int error = 0;
    TRY(cuInit, 0);
    TRY(cudaFree, NULL);
    TRY(cudaDeviceRegisterAsyncNotification, 0, never, NULL, &one);
    TRY(cuDeviceRegisterAsyncNotification, 0, never_by_driver, NULL, &other);
    TRY(cudaDeviceFlushGPUDirectRDMAWrites, cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
        cudaFlushGPUDirectRDMAWritesToOwner);
    TRY(cuFlushGPUDirectRDMAWrites, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER);
    if (one != NULL)
        END(cudaDeviceUnregisterAsyncNotification, 0, one);
    if (other != NULL)
        END(cuDeviceUnregisterAsyncNotification, 0, other);
    return error;
}

/* ---- Green contexts ---- */

static int use_green(CUgreenCtx green, CUevent event)
{
    CUstream stream = NULL, later = NULL;
    CUcontext context = NULL;
    CUgreenCtx found = NULL;
    CUdevResource part;
    unsigned long long id = 0;
    int error = 0;
    TRY(cuGreenCtxStreamCreate, &stream, green, CU_STREAM_NON_BLOCKING, 0);
    TRY(cuGreenCtxGetId, green, &id);
    TRY(cuGreenCtxGetDevResource, green, &part, CU_DEV_RESOURCE_TYPE_SM);
    TRY(cuStreamGetGreenCtx, stream, &found);
    CHECK(error != 0 || found == green);
    TRY(cuGreenCtxRecordEvent, green, event);
    TRY(cuGreenCtxWaitEvent, green, event);
    TRY(cuGreenCtxStreamCreate, &later, green, CU_STREAM_NON_BLOCKING, 0);
    TRY(cuCtxFromGreenCtx, &context, green);
    TRY(cuCtxGetDevResource, context, &part, CU_DEV_RESOURCE_TYPE_SM);
    TRY(cuCtxSynchronize_v2, context);
    if (later != NULL)
        END(cuStreamDestroy_v2, later);
    if (stream != NULL)
        END(cuStreamDestroy_v2, stream);
    return error;
}

int operation_driver_greens(void)
{
    CUdevResource all;
    CUdevResourceDesc desc = NULL;
    CUgreenCtx green = NULL;
    CUevent event = NULL;
    unsigned groups = 0;
    int error = 0;
    TRY(cuInit, 0);
    TRY(cudaFree, NULL);
    TRY(cuDeviceGetDevResource, 0, &all, CU_DEV_RESOURCE_TYPE_SM);
    TRY(cuDevSmResourceSplitByCount, NULL, &groups, &all, NULL, 0, 1);
    TRY(cuDevResourceGenerateDesc, &desc, &all, 1);
    TRY(cuGreenCtxCreate, &green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM);
    TRY(cuEventCreate, &event, 0);
    if (error == 0)
        error = use_green(green, event);
    if (event != NULL)
        END(cuEventDestroy_v2, event);
    if (green != NULL)
        END(cuGreenCtxDestroy, green);
    return error;
}
