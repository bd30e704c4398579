/* Semantics of streams.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdatomic.h>

#include "../oracle.h"

static void *bogus(void)
{
    return (void *)(uintptr_t)3;
}

void case_stream_create(void)
{
    cudaStream_t s = NULL;
    CALL(cudaStreamCreate(NULL));
    CALL(cudaStreamCreateWithFlags(NULL, 0));
    CALL(cudaStreamCreateWithFlags(NULL, 99));
    CALL(cudaStreamCreateWithPriority(NULL, 99, INT_MAX));
    CALL(cudaStreamCreateWithFlags(&s, 2));
    CALL(cudaStreamCreateWithFlags(&s, 3));
    CALL(cudaStreamCreateWithFlags(&s, ~0u));
    VALUE(s == NULL, "untouched");
    CALL(cudaStreamCreateWithPriority(&s, 99, 0));
    for (unsigned flags = 0; flags <= 1; flags++) {
        unsigned got = 77;
        CALL_AS(cudaStreamCreateWithFlags(&s, flags), "flags %u", flags);
        CALL_AS(cudaStreamGetFlags(s, &got), "flags %u: get", flags);
        VALUE(got, "flags %u: value", flags);
        CALL_AS(cudaStreamDestroy(s), "flags %u: destroy", flags);
    }
    static const int priorities[] = {0, 1, 100, INT_MAX, -1, -2, -3, -100, INT_MIN};
    for (size_t i = 0; i < sizeof priorities / sizeof priorities[0]; i++) {
        int got = 77;
        CALL_AS(cudaStreamCreateWithPriority(&s, 1, priorities[i]), "priority %d", priorities[i]);
        CALL_AS(cudaStreamGetPriority(s, &got), "priority %d: get", priorities[i]);
        DEVICE_VALUE(got, "priority %d: value", priorities[i]);
        CALL_AS(cudaStreamDestroy(s), "priority %d: destroy", priorities[i]);
    }
}

void case_stream_destroy(void)
{
    cudaStream_t s = NULL;
    CALL(cudaStreamDestroy(NULL));
    CALL(cudaStreamDestroy(cudaStreamLegacy));
    CALL(cudaStreamDestroy(cudaStreamPerThread));
    CALL(cudaStreamDestroy(bogus()));
    REQUIRE(cudaStreamCreate(&s));
    CALL(cudaStreamDestroy(s));
    CALL_AS(cudaStreamDestroy(s), "destroy twice");
    CALL_AS(cudaStreamQuery(s), "query destroyed");
    CALL_AS(cudaStreamSynchronize(s), "synchronize destroyed");
    CALL(cudaDeviceSynchronize());
}

void case_stream_destroy_busy(void)
{
    cudaStream_t s = NULL;
    int *p = pinned_block(4096);
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    spin_prepare();
    REQUIRE(spin_start(s, SPIN_MS));
    REQUIRE(launch_store(p, 6, s));
    CALL(cudaStreamDestroy(s));
    VALUE(spin_is_over(), "cudaStreamDestroy waited");
    CALL(cudaDeviceSynchronize());
    VALUE(*p, "work queued before is done");
}

static void special(const char *name, cudaStream_t s)
{
    unsigned flags = 77;
    int priority = 77;
    int device = 77;
    unsigned long long id = 77;
    cudaEvent_t event;
    REQUIRE(cudaEventCreate(&event));
    CALL_AS(cudaStreamQuery(s), "%s: query", name);
    CALL_AS(cudaStreamSynchronize(s), "%s: synchronize", name);
    CALL_AS(cudaStreamGetFlags(s, &flags), "%s: flags", name);
    VALUE(flags, "%s: flags value", name);
    CALL_AS(cudaStreamGetFlags(s, NULL), "%s: flags to NULL", name);
    CALL_AS(cudaStreamGetPriority(s, &priority), "%s: priority", name);
    VALUE(priority, "%s: priority value", name);
    CALL_AS(cudaStreamGetPriority(s, NULL), "%s: priority to NULL", name);
    CALL_AS(cudaStreamGetDevice(s, &device), "%s: device", name);
    VALUE(device, "%s: device value", name);
    CALL_AS(cudaStreamGetDevice(s, NULL), "%s: device to NULL", name);
    CALL_AS(cudaStreamGetId(s, &id), "%s: id", name);
    DEVICE_VALUE((long long)id, "%s: id value", name);
    CALL_AS(cudaStreamGetId(s, NULL), "%s: id to NULL", name);
    CALL_AS(cudaEventRecord(event, s), "%s: record", name);
    CALL_AS(cudaStreamWaitEvent(s, event, 0), "%s: wait", name);
    CALL_AS(cudaEventSynchronize(event), "%s: event synchronize", name);
    CALL_AS(cudaEventDestroy(event), "%s: event destroy", name);
}

void case_stream_special_handles(void)
{
    cudaStream_t s = NULL;
    cudaStream_t t = NULL;
    unsigned long long a = 0;
    unsigned long long b = 0;
    REQUIRE(cudaStreamCreate(&s));
    REQUIRE(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    special("NULL", NULL);
    special("legacy", cudaStreamLegacy);
    special("per thread", cudaStreamPerThread);
    special("blocking", s);
    special("non-blocking", t);
    CALL(cudaStreamGetId(NULL, &a));
    CALL(cudaStreamGetId(cudaStreamLegacy, &b));
    VALUE(a == b, "NULL and legacy have one id");
    CALL(cudaStreamGetId(cudaStreamPerThread, &b));
    VALUE(a == b, "NULL and per thread have one id");
    CALL(cudaStreamGetId(s, &b));
    VALUE(a == b, "NULL and a created stream have one id");
    special("bogus", bogus());
}

void case_stream_wait_event(void)
{
    cudaStream_t s = NULL;
    cudaEvent_t event = NULL;
    REQUIRE(cudaStreamCreate(&s));
    REQUIRE(cudaEventCreate(&event));
    CALL(cudaStreamWaitEvent(s, event, 0));
    CALL(cudaStreamWaitEvent(NULL, event, 0));
    CALL(cudaStreamWaitEvent(s, NULL, 0));
    CALL(cudaStreamWaitEvent(s, NULL, 99));
    CALL(cudaStreamWaitEvent(s, event, 1));
    CALL(cudaStreamWaitEvent(s, event, 2));
    CALL(cudaStreamWaitEvent(s, event, 99));
    CALL(cudaStreamWaitEvent(bogus(), NULL, 99));
    CALL(cudaStreamWaitEvent(bogus(), event, 0));
    CALL(cudaEventRecord(event, s));
    CALL(cudaStreamWaitEvent(NULL, event, 0));
    CALL(cudaDeviceSynchronize());
}

static atomic_int callback_count;
static atomic_int callback_status;
static atomic_int callback_call;

static void on_stream(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream;
    callback_status = (int)status;
    callback_count += *(int *)data;
}

static void on_host(void *data)
{
    callback_count += *(int *)data;
}

static void calls_cuda(void *data)
{
    (void)data;
    void *p = NULL;
    callback_call = (int)cudaMalloc(&p, 16);
}

void case_stream_callbacks(void)
{
    cudaStream_t s = NULL;
    int one = 1;
    callback_status = 77;
    REQUIRE(cudaStreamCreate(&s));
    CALL(cudaStreamAddCallback(s, NULL, NULL, 0));
    CALL(cudaStreamAddCallback(s, NULL, NULL, 1));
    CALL(cudaStreamAddCallback(s, on_stream, &one, 1));
    CALL(cudaStreamAddCallback(bogus(), NULL, NULL, 1));
    CALL(cudaStreamAddCallback(s, on_stream, &one, 0));
    CALL(cudaStreamSynchronize(s));
    VALUE(callback_count, "callback ran");
    VALUE(callback_status, "status given to the callback");
    CALL(cudaStreamAddCallback(NULL, on_stream, &one, 0));
    CALL(cudaDeviceSynchronize());
    VALUE(callback_count, "callback on NULL ran");
    CALL(cudaLaunchHostFunc(s, NULL, NULL));
    CALL(cudaLaunchHostFunc(bogus(), NULL, NULL));
    CALL(cudaLaunchHostFunc(s, on_host, &one));
    CALL(cudaLaunchHostFunc(NULL, on_host, &one));
    CALL(cudaLaunchHostFunc(cudaStreamPerThread, on_host, &one));
    CALL(cudaDeviceSynchronize());
    VALUE(callback_count, "host functions ran");
    CALL(cudaLaunchHostFunc(s, calls_cuda, NULL));
    CALL(cudaStreamSynchronize(s));
    TEXT(cudaGetErrorName((cudaError_t)callback_call), "cudaMalloc inside a host function");
}

void case_stream_callback_order(void)
{
    cudaStream_t s = NULL;
    int one = 1;
    callback_count = 0;
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    spin_prepare();
    REQUIRE(spin_start(s, SPIN_MS));
    CALL(cudaLaunchHostFunc(s, on_host, &one));
    VALUE(callback_count, "not yet run");
    CALL(cudaStreamQuery(s));
    CALL(cudaStreamSynchronize(s));
    VALUE(callback_count, "run");
    CALL(cudaStreamQuery(s));
}

void case_stream_query_not_ready(void)
{
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    spin_prepare();
    REQUIRE(spin_start(s, SPIN_MS));
    CALL(cudaStreamQuery(s));
    CALL(cudaStreamQuery(NULL));
    CALL(cudaStreamQuery(cudaStreamPerThread));
    CALL(cudaStreamSynchronize(NULL));
    CALL_AS(cudaStreamQuery(s), "still busy after synchronizing NULL");
    CALL(cudaDeviceSynchronize());
    CALL_AS(cudaStreamQuery(s), "after cudaDeviceSynchronize");
}

void case_stream_attributes(void)
{
    cudaStream_t s = NULL;
    cudaStream_t t = NULL;
    cudaLaunchAttributeValue v = {{0}};
    REQUIRE(cudaStreamCreate(&s));
    REQUIRE(cudaStreamCreate(&t));
    for (int id = 0; id <= 17; id++) {
        v = (cudaLaunchAttributeValue){{0}};
        CALL_AS(cudaStreamGetAttribute(s, (cudaLaunchAttributeID)id, &v), "get %d", id);
        CALL_AS(cudaStreamSetAttribute(s, (cudaLaunchAttributeID)id, &v), "set %d", id);
    }
    CALL(cudaStreamGetAttribute(s, (cudaLaunchAttributeID)99, &v));
    CALL(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, NULL));
    CALL(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, NULL));
    CALL(cudaStreamGetAttribute(bogus(), (cudaLaunchAttributeID)99, NULL));
    CALL(cudaStreamGetAttribute(NULL, cudaLaunchAttributeSynchronizationPolicy, &v));
    VALUE(v.syncPolicy, "policy of NULL");
    v.syncPolicy = cudaSyncPolicyYield;
    CALL(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    v.syncPolicy = (enum cudaSynchronizationPolicy)0;
    CALL(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    VALUE(v.syncPolicy, "policy as set");
    v.syncPolicy = (enum cudaSynchronizationPolicy)99;
    CALL_AS(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v), "policy 99");
    CALL(cudaStreamCopyAttributes(t, s));
    CALL(cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &v));
    VALUE(v.syncPolicy, "policy as copied");
    CALL(cudaStreamCopyAttributes(NULL, s));
    CALL(cudaStreamCopyAttributes(t, NULL));
    CALL(cudaStreamCopyAttributes(bogus(), s));
}

void case_stream_attach(void)
{
    void *p = device_block(4096);
    CALL(cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(NULL, NULL, 0, 99));
    CALL(cudaStreamAttachMemAsync(NULL, NULL, 0, cudaMemAttachGlobal));
}

void case_stream_capture_queries(void)
{
    cudaStream_t s = NULL;
    enum cudaStreamCaptureStatus status = (enum cudaStreamCaptureStatus)77;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    unsigned long long id = 0;
    cudaGraph_t graph = NULL;
    REQUIRE(cudaStreamCreate(&s));
    CALL(cudaStreamIsCapturing(s, NULL));
    CALL(cudaStreamIsCapturing(s, &status));
    VALUE(status, "status");
    CALL(cudaStreamIsCapturing(NULL, &status));
    CALL(cudaStreamGetCaptureInfo(s, &status, &id, NULL, NULL, NULL, NULL));
    CALL(cudaStreamGetCaptureInfo(s, NULL, &id, NULL, NULL, NULL, NULL));
    CALL(cudaThreadExchangeStreamCaptureMode(NULL));
    CALL(cudaThreadExchangeStreamCaptureMode(&mode));
    VALUE(mode, "mode before");
    CALL(cudaStreamEndCapture(s, &graph));
    CALL(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)99));
}
