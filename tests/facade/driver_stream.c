/* Tests of facade/driver/driver_stream.c and facade/driver/driver_event.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "tests/facade/driver_support.h"

static CUstream make_stream(unsigned flags)
{
    CUstream stream = NULL;
    assert_driver(cuStreamCreate(&stream, flags));
    return stream;
}

static void sleep_a_while(void *data)
{
    const struct timespec duration = {0, 100000000};
    nanosleep(&duration, NULL);
    *(int *)data = 1;
}

TEST_BODY(driver_stream_is_busy_while_a_host_function_runs)
{
    int has_run = 0;
    CUevent event = NULL;
    driver_use_primary();
    CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
    assert_driver(cuEventCreate(&event, CU_EVENT_DEFAULT));
    assert_driver(cuEventQuery(event));
    assert_driver(cuLaunchHostFunc(stream, sleep_a_while, &has_run));
    assert_driver(cuEventRecord(event, stream));
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    assert_int_equal(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    assert_driver(cuEventSynchronize(event));
    assert_int_equal(has_run, 1);
    assert_driver(cuStreamQuery(stream));
    assert_driver(cuEventDestroy(event));
    assert_driver(cuStreamDestroy(stream));
}

TEST_BODY(driver_stream_waits_for_an_event_of_another)
{
    int has_run = 0;
    CUevent event = NULL;
    driver_use_primary();
    CUstream first = make_stream(CU_STREAM_NON_BLOCKING),
             second = make_stream(CU_STREAM_NON_BLOCKING);
    assert_driver(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    assert_driver(cuLaunchHostFunc(first, sleep_a_while, &has_run));
    assert_driver(cuEventRecord(event, first));
    assert_driver(cuStreamWaitEvent(second, event, 0));
    assert_int_equal(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    assert_driver(cuStreamSynchronize(second));
    assert_int_equal(has_run, 1);
}

TEST_BODY(driver_stream_is_timed_by_events)
{
    int has_run = 0;
    float milliseconds = -1;
    CUevent start = NULL, end = NULL, untimed = NULL;
    driver_use_primary();
    CUstream stream = make_stream(0);
    assert_driver(cuEventCreate(&start, 0));
    assert_driver(cuEventCreate(&end, 0));
    assert_driver(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    assert_driver(cuEventRecord(start, stream));
    assert_driver(cuLaunchHostFunc(stream, sleep_a_while, &has_run));
    assert_driver(cuEventRecord(end, stream));
    assert_driver(cuEventRecord(untimed, stream));
    assert_driver(cuStreamSynchronize(stream));
    assert_driver(cuEventElapsedTime(&milliseconds, start, end));
    assert_true(milliseconds >= 90 && milliseconds < 5000);
    assert_int_equal(cuEventElapsedTime(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
}

struct heard {
    CUstream stream;
    CUresult status, inside;
    int count;
};

static void CUDA_CB hear(CUstream stream, CUresult status, void *data)
{
    struct heard *heard = data;
    CUdeviceptr address = 0;
    heard->stream = stream;
    heard->status = status;
    heard->inside = cuMemAlloc(&address, 16);
    heard->count++;
}

TEST_BODY(driver_stream_callbacks_may_not_call_back)
{
    struct heard heard = {NULL, CUDA_ERROR_UNKNOWN, CUDA_SUCCESS, 0};
    CUdeviceptr address = 0;
    driver_use_primary();
    CUstream stream = make_stream(0);
    assert_driver(cuStreamAddCallback(stream, hear, &heard, 0));
    assert_driver(cuStreamSynchronize(stream));
    assert_int_equal(heard.count, 1);
    assert_ptr_equal(heard.stream, stream);
    assert_driver(heard.status);
    assert_int_equal(heard.inside, CUDA_ERROR_NOT_PERMITTED);
    assert_driver(cuMemAlloc(&address, 16));
    assert_int_equal(cuStreamAddCallback(stream, hear, &heard, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(driver_stream_knows_its_context)
{
    CUcontext primary = driver_use_primary(), made = NULL, seen = NULL;
    CUgreenCtx green = (CUgreenCtx)&green;
    CUdevice device = -1;
    CUstream stream = make_stream(0);
    assert_driver(cuCtxCreate(&made, NULL, 0, 0));
    assert_driver(cuStreamGetCtx(stream, &seen));
    assert_ptr_equal(seen, primary);
    assert_driver(cuStreamGetCtx_v2(NULL, &seen, &green));
    assert_ptr_equal(seen, made);
    assert_null(green);
    assert_driver(cuStreamGetDevice(stream, &device));
    assert_int_equal(device, 0);
    assert_driver(cuCtxDestroy(made));
}

TEST_BODY(driver_stream_keeps_attributes)
{
    CUstreamAttrValue value;
    int priority = 1;
    unsigned flags = 7;
    driver_use_primary();
    CUstream stream = NULL;
    assert_driver(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -2));
    assert_driver(cuStreamGetPriority(stream, &priority));
    assert_int_equal(priority, -2);
    assert_driver(cuStreamGetFlags(stream, &flags));
    assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
    memset(&value, 0, sizeof value);
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    assert_driver(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    memset(&value, 0, sizeof value);
    assert_driver(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_YIELD);
}

TEST_BODY(driver_stream_captures_nothing_unasked)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    driver_use_primary();
    assert_driver(cuStreamIsCapturing(NULL, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    assert_driver(cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_driver(cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
}
