/* Operations of the runtime API: streams, events, host functions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

enum { BYTES = 1 << 16 };

/* ---- Streams ---- */

static int ask_stream(cudaStream_t stream)
{
    cudaStreamAttrValue value;
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusActive;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    int priority = 1, device = 1, error = 0;
    unsigned flags = 0;
    unsigned long long id = 0;
    memset(&value, 0, sizeof value);
    TRY(cudaStreamGetPriority, stream, &priority);
    TRY(cudaStreamGetFlags, stream, &flags);
    TRY(cudaStreamGetId, stream, &id);
    TRY(cudaStreamGetDevice, stream, &device);
    TRY(cudaStreamGetAttribute, stream, cudaLaunchAttributeSynchronizationPolicy, &value);
    value.syncPolicy = cudaSyncPolicyAuto;
    TRY(cudaStreamSetAttribute, stream, cudaLaunchAttributeSynchronizationPolicy, &value);
    TRY(cudaStreamCopyAttributes, stream, NULL);
    TRY(cudaStreamIsCapturing, stream, &capture);
    TRY(cudaStreamGetCaptureInfo, stream, &capture, NULL, NULL, NULL, NULL, NULL);
    TRY(cudaStreamGetCaptureInfo_v2, stream, &capture, NULL, NULL, NULL, NULL);
    TRY(cudaThreadExchangeStreamCaptureMode, &mode);
    TRY(cudaThreadExchangeStreamCaptureMode, &mode);
    TRY(cudaCtxResetPersistingL2Cache);
    CHECK(device == 0 && capture == cudaStreamCaptureStatusNone);
    return error;
}

int operation_streams(void)
{
    cudaStream_t blocking = NULL, other = NULL, urgent = NULL;
    int error = 0, least = 0, greatest = 0;
    TRY(cudaDeviceGetStreamPriorityRange, &least, &greatest);
    TRY(cudaStreamCreate, &blocking);
    TRY(cudaStreamCreateWithFlags, &other, cudaStreamNonBlocking);
    TRY(cudaStreamCreateWithPriority, &urgent, cudaStreamNonBlocking, greatest);
    if (error == 0)
        error = ask_stream(blocking);
    TRY(cudaStreamSynchronize, blocking);
    TRY(cudaStreamQuery, other);
    TRY(cudaStreamSynchronize, NULL);
    if (urgent != NULL)
        END(cudaStreamDestroy, urgent);
    if (other != NULL)
        END(cudaStreamDestroy, other);
    if (blocking != NULL)
        END(cudaStreamDestroy, blocking);
    return error;
}

/* ---- Events ---- */

/* Asks until the answer is another than that it is not ready. */
static int query_event(cudaEvent_t event)
{
    int error = cudaErrorNotReady;
    while (error == cudaErrorNotReady)
        error = CALL(cudaEventQuery, event);
    return error;
}

static int query_stream(cudaStream_t stream)
{
    int error = cudaErrorNotReady;
    while (error == cudaErrorNotReady)
        error = CALL(cudaStreamQuery, stream);
    return error;
}

static int time_on_stream(cudaEvent_t start, cudaEvent_t end, cudaStream_t stream, void *memory)
{
    float milliseconds = -1.0f;
    int error = 0;
    TRY(cudaEventRecord, start, stream);
    TRY(cudaMemsetAsync, memory, 1, BYTES, stream);
    TRY(cudaEventRecordWithFlags, end, stream, cudaEventRecordDefault);
    TRY(cudaStreamWaitEvent, NULL, end, 0);
    TRY(cudaStreamWaitEvent, stream, end, 0);
    if (error == 0)
        error = query_event(end);
    TRY(cudaEventSynchronize, end);
    TRY(cudaEventElapsedTime, &milliseconds, start, end);
    CHECK(milliseconds >= 0.0f);
    TRY(cudaMemsetAsync, memory, 2, BYTES, NULL);
    if (error == 0)
        error = query_stream(stream);
    if (error == 0)
        error = query_stream(NULL);
    return error;
}

int operation_events(void)
{
    cudaEvent_t start = NULL, end = NULL;
    cudaStream_t stream = NULL;
    void *memory = NULL;
    int error = 0;
    TRY(cudaMalloc, &memory, BYTES);
    TRY(cudaEventCreate, &start);
    TRY(cudaEventCreateWithFlags, &end, cudaEventBlockingSync);
    TRY(cudaStreamCreate, &stream);
    if (error == 0)
        error = time_on_stream(start, end, stream, memory);
    if (stream != NULL)
        END(cudaStreamDestroy, stream);
    if (end != NULL)
        END(cudaEventDestroy, end);
    if (start != NULL)
        END(cudaEventDestroy, start);
    END(cudaFree, memory);
    return error;
}

/* ---- Host functions ---- */

static _Atomic int calls;

static void count_call(void *data)
{
    (void)data;
    calls++;
}

static void count_callback(cudaStream_t stream, cudaError_t error, void *data)
{
    (void)stream;
    (void)error;
    (void)data;
    calls++;
}

int operation_host_functions(void)
{
    cudaStream_t stream = NULL;
    int error = 0;
    calls = 0;
    TRY(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    TRY(cudaLaunchHostFunc, NULL, count_call, NULL);
    TRY(cudaStreamAddCallback, stream, count_callback, NULL, 0);
    END(cudaStreamSynchronize, NULL);
    if (stream != NULL)
        END(cudaStreamSynchronize, stream);
    CHECK(calls == 2);
    if (stream != NULL)
        END(cudaStreamDestroy, stream);
    return error;
}
