/* Semantics of events.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../oracle.h"

static void *bogus(void)
{
    return (void *)(uintptr_t)3;
}

void case_event_create(void)
{
    cudaEvent_t e = NULL;
    CALL(cudaEventCreate(NULL));
    CALL(cudaEventCreateWithFlags(NULL, 0));
    CALL(cudaEventCreateWithFlags(NULL, 99));
    for (unsigned flags = 0; flags <= 8; flags++) {
        e = NULL;
        CALL_AS(cudaEventCreateWithFlags(&e, flags), "flags %u", flags);
        if (e) {
            CALL_AS(cudaEventDestroy(e), "flags %u: destroy", flags);
        }
    }
    CALL(cudaEventCreateWithFlags(&e, ~0u));
    CALL(cudaEventDestroy(NULL));
    CALL(cudaEventDestroy(bogus()));
    REQUIRE(cudaEventCreate(&e));
    CALL(cudaEventDestroy(e));
    CALL_AS(cudaEventDestroy(e), "destroy twice");
    CALL_AS(cudaEventRecord(e, NULL), "record destroyed");
    CALL_AS(cudaEventQuery(e), "query destroyed");
    CALL_AS(cudaEventSynchronize(e), "synchronize destroyed");
    CALL_AS(cudaStreamWaitEvent(NULL, e, 0), "wait for destroyed");
}

void case_event_arguments(void)
{
    cudaEvent_t e = NULL;
    REQUIRE(cudaEventCreate(&e));
    CALL(cudaEventQuery(NULL));
    CALL(cudaEventQuery(bogus()));
    CALL(cudaEventSynchronize(NULL));
    CALL(cudaEventSynchronize(bogus()));
    CALL(cudaEventRecord(NULL, NULL));
    CALL(cudaEventRecord(NULL, bogus()));
    CALL(cudaEventRecord(e, bogus()));
    CALL(cudaEventRecord(bogus(), NULL));
    CALL_AS(cudaEventQuery(e), "query of an unrecorded event");
    CALL_AS(cudaEventSynchronize(e), "synchronize of an unrecorded event");
    CALL(cudaEventRecordWithFlags(e, NULL, 0));
    CALL(cudaEventRecordWithFlags(e, NULL, 1));
    CALL(cudaEventRecordWithFlags(e, NULL, 2));
    CALL(cudaEventRecordWithFlags(NULL, NULL, 99));
    CALL(cudaEventRecord(e, cudaStreamPerThread));
    CALL(cudaEventSynchronize(e));
    CALL(cudaEventQuery(e));
}

void case_event_elapsed_arguments(void)
{
    cudaEvent_t a = NULL;
    cudaEvent_t b = NULL;
    cudaEvent_t untimed = NULL;
    float ms = -7.0f;
    REQUIRE(cudaEventCreate(&a));
    REQUIRE(cudaEventCreate(&b));
    REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CALL(cudaEventElapsedTime(NULL, NULL, NULL));
    CALL(cudaEventElapsedTime(NULL, a, b));
    CALL(cudaEventElapsedTime(&ms, NULL, b));
    CALL(cudaEventElapsedTime(&ms, a, NULL));
    CALL(cudaEventElapsedTime(&ms, bogus(), b));
    CALL_AS(cudaEventElapsedTime(&ms, a, b), "both unrecorded");
    CALL_AS(cudaEventElapsedTime(&ms, untimed, b), "untimed and unrecorded");
    VALUE(ms == -7.0f, "output unchanged");
    REQUIRE(cudaEventRecord(a, NULL));
    CALL_AS(cudaEventElapsedTime(&ms, a, b), "end unrecorded");
    CALL_AS(cudaEventElapsedTime(&ms, b, a), "start unrecorded");
    REQUIRE(cudaEventRecord(untimed, NULL));
    REQUIRE(cudaDeviceSynchronize());
    CALL_AS(cudaEventElapsedTime(&ms, untimed, a), "start untimed");
    CALL_AS(cudaEventElapsedTime(&ms, a, untimed), "end untimed");
    CALL_AS(cudaEventElapsedTime(NULL, a, untimed), "NULL output, end untimed");
    CALL_AS(cudaEventElapsedTime(&ms, a, a), "an event with itself");
    VALUE(ms == 0.0f, "is 0");
}

void case_event_not_ready(void)
{
    cudaEvent_t a = NULL;
    cudaEvent_t b = NULL;
    cudaEvent_t untimed = NULL;
    cudaStream_t s = NULL;
    float ms = -7.0f;
    REQUIRE(cudaEventCreate(&a));
    REQUIRE(cudaEventCreate(&b));
    REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    spin_prepare();
    REQUIRE(cudaEventRecord(a, s));
    REQUIRE(spin_start(s, SPIN_MS));
    REQUIRE(cudaEventRecord(b, s));
    REQUIRE(cudaEventRecord(untimed, s));
    CALL(cudaEventQuery(b));
    CALL(cudaEventQuery(untimed));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL_AS(cudaEventElapsedTime(&ms, a, untimed), "not ready and untimed");
    CALL_AS(cudaEventElapsedTime(NULL, a, b), "not ready, NULL output");
    CALL(cudaEventSynchronize(b));
    CALL(cudaEventQuery(b));
    CALL(cudaEventElapsedTime(&ms, a, b));
    VALUE(ms > SPIN_MS / 3.0f && ms < SPIN_MS * 30.0f, "elapsed covers the kernel");
    CALL(cudaEventElapsedTime(&ms, b, a));
    VALUE(ms < 0.0f, "negative in the other order");
}

void case_event_records_again(void)
{
    cudaEvent_t e = NULL;
    cudaStream_t s = NULL;
    REQUIRE(cudaEventCreate(&e));
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    spin_prepare();
    REQUIRE(cudaEventRecord(e, s));
    REQUIRE(cudaStreamSynchronize(s));
    CALL_AS(cudaEventQuery(e), "recorded and done");
    REQUIRE(spin_start(s, SPIN_MS));
    CALL_AS(cudaEventQuery(e), "later work does not matter");
    REQUIRE(cudaEventRecord(e, s));
    CALL_AS(cudaEventQuery(e), "recorded again behind work");
    CALL_AS(cudaEventDestroy(e), "destroy before it is done");
    VALUE(spin_is_over(), "destroy waited");
    CALL(cudaStreamSynchronize(s));
}

/* A wait takes the event's state at the time of the call. */
void case_event_wait_order(void)
{
    cudaEvent_t e = NULL;
    cudaStream_t s = NULL;
    cudaStream_t t = NULL;
    int *p = pinned_block(4096);
    REQUIRE(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    REQUIRE(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    spin_prepare();
    REQUIRE(launch_store(p, 0, t));
    REQUIRE(cudaDeviceSynchronize());
    REQUIRE(spin_start(s, SPIN_MS));
    REQUIRE(cudaEventRecord(e, s));
    REQUIRE(cudaStreamWaitEvent(t, e, 0));
    REQUIRE(launch_store(p, 1, t));
    CALL_AS(cudaStreamQuery(t), "waiting stream");
    REQUIRE(cudaStreamSynchronize(s));
    REQUIRE(cudaStreamSynchronize(t));
    VALUE(p[0], "stored in the end");
    REQUIRE(spin_start(s, SPIN_MS));
    REQUIRE(cudaStreamWaitEvent(t, e, 0));
    REQUIRE(cudaEventRecord(e, s));
    REQUIRE(launch_store(p, 2, t));
    CALL_AS(cudaStreamSynchronize(t), "a wait before the record");
    VALUE(p[0], "did not wait");
    CALL_AS(cudaStreamQuery(s), "other stream");
    CALL(cudaDeviceSynchronize());
}
