/* Semantics of driver streams and events.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>

#include "../oracle.h"

static void *bogus(void)
{
    return (void *)(uintptr_t)64;
}

void case_driver_stream_arguments(void)
{
    CUstream s = NULL;
    CUevent e = NULL;
    CUcontext context = NULL;
    CUdevice device = 77;
    unsigned flags = 77;
    int priority = 77;
    unsigned long long id = 0;
    make_driver_context();
    DRIVER(cuStreamCreate(NULL, 0));
    DRIVER(cuStreamCreate(&s, 2));
    DRIVER(cuStreamCreate(NULL, 99));
    DRIVER(cuStreamCreateWithPriority(&s, 99, 0));
    DRIVER(cuStreamCreateWithPriority(&s, 1, INT_MAX));
    DRIVER(cuStreamGetPriority(s, &priority));
    VALUE(priority, "priority INT_MAX becomes");
    DRIVER(cuStreamCreate(&s, 1));
    DRIVER(cuStreamGetFlags(s, &flags));
    VALUE(flags, "flags");
    DRIVER(cuStreamGetFlags(s, NULL));
    DRIVER(cuStreamGetPriority(s, NULL));
    DRIVER(cuStreamGetId(s, &id));
    DRIVER(cuStreamGetId(s, NULL));
    DRIVER(cuStreamGetDevice(s, &device));
    VALUE(device, "device");
    DRIVER(cuStreamGetCtx(s, &context));
    DRIVER(cuStreamGetCtx(NULL, &context));
    VALUE(context != NULL, "context of NULL");
    DRIVER(cuStreamGetCtx(s, NULL));
    DRIVER(cuStreamQuery(s));
    DRIVER(cuStreamQuery(NULL));
    DRIVER(cuStreamQuery(CU_STREAM_PER_THREAD));
    DRIVER(cuStreamQuery(bogus()));
    DRIVER(cuStreamSynchronize(NULL));
    DRIVER(cuStreamWaitEvent(s, NULL, 0));
    DRIVER(cuStreamWaitEvent(s, NULL, 99));
    REQUIRE_DRIVER(cuEventCreate(&e, 0));
    DRIVER(cuStreamWaitEvent(s, e, 99));
    DRIVER(cuStreamWaitEvent(s, e, 0));
    DRIVER(cuStreamAddCallback(s, NULL, NULL, 0));
    DRIVER(cuStreamAddCallback(s, NULL, NULL, 1));
    DRIVER(cuLaunchHostFunc(s, NULL, NULL));
    DRIVER(cuStreamDestroy(NULL));
    DRIVER(cuStreamDestroy(CU_STREAM_LEGACY));
    DRIVER(cuStreamDestroy(CU_STREAM_PER_THREAD));
    DRIVER(cuStreamDestroy(s));
    DRIVER_AS(cuStreamDestroy(s), "destroy twice");
    DRIVER_AS(cuStreamQuery(s), "query destroyed");
}

void case_driver_stream_events(void)
{
    CUevent e = NULL;
    CUevent f = NULL;
    CUevent untimed = NULL;
    float ms = -7;
    make_driver_context();
    DRIVER(cuEventCreate(NULL, 0));
    DRIVER(cuEventCreate(NULL, 99));
    for (unsigned flags = 0; flags <= 8; flags++) {
        DRIVER_AS(cuEventCreate(&e, flags), "flags %u", flags);
    }
    REQUIRE_DRIVER(cuEventCreate(&e, 0));
    REQUIRE_DRIVER(cuEventCreate(&f, 0));
    REQUIRE_DRIVER(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    DRIVER(cuEventQuery(NULL));
    DRIVER(cuEventQuery(e));
    DRIVER(cuEventSynchronize(NULL));
    DRIVER(cuEventSynchronize(e));
    DRIVER(cuEventRecord(NULL, NULL));
    DRIVER(cuEventRecord(bogus(), NULL));
    DRIVER(cuEventElapsedTime(&ms, e, f));
    DRIVER(cuEventElapsedTime(NULL, NULL, NULL));
    DRIVER(cuEventElapsedTime(&ms, NULL, f));
    DRIVER(cuEventElapsedTime(NULL, e, f));
    DRIVER(cuEventElapsedTime(&ms, untimed, f));
    DRIVER(cuEventRecord(e, NULL));
    DRIVER(cuEventRecordWithFlags(f, NULL, 2));
    DRIVER(cuEventRecordWithFlags(f, NULL, 1));
    DRIVER(cuEventRecordWithFlags(f, NULL, 0));
    DRIVER(cuEventSynchronize(f));
    DRIVER(cuEventElapsedTime(&ms, e, f));
    VALUE(ms >= 0, "time is not negative");
    REQUIRE_DRIVER(cuEventRecord(untimed, NULL));
    DRIVER(cuEventElapsedTime(&ms, untimed, f));
    DRIVER(cuEventElapsedTime(&ms, f, untimed));
    DRIVER(cuEventDestroy(NULL));
    DRIVER(cuEventDestroy(e));
    DRIVER_AS(cuEventDestroy(e), "destroy twice");
}

void case_driver_stream_not_ready(void)
{
    cudaStream_t s = NULL;
    CUevent e = NULL;
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    spin_prepare();
    REQUIRE_DRIVER(cuEventCreate(&e, 0));
    REQUIRE(spin_start(s, SPIN_MS));
    DRIVER(cuEventRecord(e, s));
    DRIVER(cuStreamQuery(s));
    DRIVER(cuEventQuery(e));
    TEXT(cudaGetErrorName(cudaPeekAtLastError()), "runtime's last error");
    float ms = 0;
    DRIVER(cuEventElapsedTime(&ms, e, e));
    DRIVER(cuEventSynchronize(e));
    DRIVER(cuStreamQuery(s));
    DRIVER(cuCtxSynchronize());
}
