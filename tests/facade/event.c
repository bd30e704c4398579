/* Tests of facade/stream/event.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda.h>

#include "tests/facade/runtime_support.h"

static cudaEvent_t make_event(unsigned flags)
{
    cudaEvent_t event = NULL;
    assert_success(cudaEventCreateWithFlags(&event, flags));
    assert_non_null(event);
    return event;
}

static cudaStream_t make_stream(void)
{
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

TEST_BODY(event_takes_every_flag)
{
    static const unsigned valid[] = {cudaEventDefault, cudaEventBlockingSync,
                                     cudaEventDisableTiming,
                                     cudaEventBlockingSync | cudaEventDisableTiming};
    cudaEvent_t event = NULL;
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
        event = make_event(valid[i]);
        assert_success(cudaEventRecord(event, NULL));
        assert_success(cudaEventSynchronize(event));
        assert_success(cudaEventDestroy(event));
    }
    assert_fails(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    assert_fails(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, 8));
    assert_fails(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, ~0u));
    assert_fails(cudaErrorInvalidValue, cudaEventCreate(NULL));
}

/* Where the device says that events cannot be shared between processes, all that would share them agrees. */
TEST_BODY(event_interprocess_is_refused_everywhere)
{
    int can = 1;
    struct cudaDeviceProp p;
    cudaIpcEventHandle_t handle;
    cudaEvent_t event = NULL, opened = NULL;
    const unsigned flags = cudaEventInterprocess | cudaEventDisableTiming;
    assert_success(cudaSetDevice(0));
    assert_success(cudaDeviceGetAttribute(&can, cudaDevAttrIpcEventSupport, 0));
    assert_success(cudaGetDeviceProperties(&p, 0));
    assert_int_equal(p.ipcEventSupported, can);
    assert_success(cudaFree(NULL)); /* now it is known what was only expected */
    assert_success(cudaDeviceGetAttribute(&can, cudaDevAttrIpcEventSupport, 0));
    if (can)
        TEST_SKIP("events can be shared here: facade/ipc_event does");
    assert_fails(cudaErrorNotSupported, cudaEventCreateWithFlags(&event, flags));
    assert_fails(cudaErrorNotSupported,
                 cudaEventCreateWithFlags(&event, flags | cudaEventBlockingSync));
    assert_int_equal(
        cuEventCreate((CUevent *)&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING),
        CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(cuEventCreate((CUevent *)&event, CU_EVENT_INTERPROCESS),
                     CUDA_ERROR_INVALID_VALUE);
    event = make_event(cudaEventDisableTiming);
    memset(&handle, 0, sizeof handle);
    assert_fails(cudaErrorNotSupported, cudaIpcGetEventHandle(&handle, event));
    assert_fails(cudaErrorNotSupported, cudaIpcOpenEventHandle(&opened, handle));
    assert_success(cudaEventDestroy(event));
}

TEST_BODY(event_never_recorded_is_complete)
{
    cudaEvent_t event = make_event(0), recorded = make_event(0);
    cudaStream_t stream = make_stream();
    float ms = 77;
    assert_success(cudaEventQuery(event));
    assert_success(cudaEventSynchronize(event));
    assert_success(cudaStreamWaitEvent(stream, event, 0));
    assert_success(cudaStreamSynchronize(stream));
    assert_success(cudaEventRecord(recorded, stream));
    assert_success(cudaEventSynchronize(recorded));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, recorded));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, recorded, event));
    assert_true(ms == 77);
    assert_success(cudaEventDestroy(event));
    assert_success(cudaEventDestroy(recorded));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(event_follows_its_stream)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaEvent_t event = make_event(cudaEventDisableTiming);
    cudaStream_t stream = make_stream();
    gate_hold(&gate, stream);
    assert_success(cudaEventRecord(event, stream));
    for (int i = 0; i < 20; i++) {
        assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
        pause_briefly();
    }
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    gate_open(&gate);
    assert_success(cudaEventSynchronize(event));
    assert_success(cudaEventQuery(event));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(stream));
}

/* What is queued after the record does not matter; the newest record is the one that counts. */
TEST_BODY(event_means_its_latest_record)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaEvent_t event = make_event(0);
    cudaStream_t held = make_stream(), free_stream = make_stream();
    assert_success(cudaEventRecord(event, held));
    assert_success(cudaEventSynchronize(event));
    gate_hold(&gate, held);
    assert_success(cudaEventQuery(event));
    assert_success(cudaEventRecord(event, held));
    assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
    assert_success(cudaEventRecord(event, free_stream));
    assert_success(cudaEventSynchronize(event));
    assert_success(cudaEventQuery(event));
    assert_int_equal(cudaStreamQuery(held), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(held));
    assert_success(cudaStreamDestroy(free_stream));
}

TEST_BODY(event_holds_another_stream)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaEvent_t event = make_event(cudaEventDisableTiming);
    cudaStream_t first = make_stream(), second = make_stream();
    int *p = device_ints(1), *q = device_ints(1);
    gate_hold(&gate, first);
    assert_success(cudaMemsetAsync(p, 1, 4, first));
    assert_success(cudaEventRecord(event, first));
    assert_success(cudaStreamWaitEvent(second, event, 0));
    assert_success(cudaMemcpyAsync(q, p, 4, cudaMemcpyDeviceToDevice, second));
    assert_stays_busy(second);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(second));
    assert_int_equal(read_device_int(q), 0x01010101);
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(first));
    assert_success(cudaStreamDestroy(second));
    assert_success(cudaFree(p));
    assert_success(cudaFree(q));
}

/* A wait takes the record that is there when it is called: a later record does not hold the
 * stream. */
TEST_BODY(event_recorded_after_the_wait_holds_nothing)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaEvent_t event = make_event(cudaEventDisableTiming);
    cudaStream_t held = make_stream(), waiting = make_stream();
    assert_success(cudaStreamWaitEvent(waiting, event, 0));
    gate_hold(&gate, held);
    assert_success(cudaEventRecord(event, held));
    assert_success(cudaStreamSynchronize(waiting));
    assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(held));
    assert_success(cudaStreamDestroy(waiting));
}

/* A wait outlives the event that it waits for. */
TEST_BODY(event_destroyed_while_pending)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaEvent_t event = make_event(0);
    cudaStream_t first = make_stream(), second = make_stream();
    int *p = device_ints(1), *q = device_ints(1);
    gate_hold(&gate, first);
    assert_success(cudaMemsetAsync(p, 1, 4, first));
    assert_success(cudaEventRecord(event, first));
    assert_success(cudaStreamWaitEvent(second, event, 0));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaMemcpyAsync(q, p, 4, cudaMemcpyDeviceToDevice, second));
    assert_stays_busy(second);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(second));
    assert_int_equal(read_device_int(q), 0x01010101);
    assert_success(cudaStreamDestroy(first));
    assert_success(cudaStreamDestroy(second));
    assert_success(cudaFree(p));
    assert_success(cudaFree(q));
}

TEST_BODY(event_destroyed_one_is_unknown)
{
    cudaEvent_t event = make_event(0);
    float ms = 77;
    assert_success(cudaEventDestroy(event));
    assert_fails(cudaErrorContextIsDestroyed, cudaEventDestroy(event));
    assert_fails(cudaErrorContextIsDestroyed, cudaEventRecord(event, NULL));
    assert_fails(cudaErrorContextIsDestroyed, cudaEventQuery(event));
    assert_fails(cudaErrorContextIsDestroyed, cudaEventSynchronize(event));
    assert_fails(cudaErrorContextIsDestroyed, cudaStreamWaitEvent(NULL, event, 0));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventDestroy(NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventQuery(NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventRecord(NULL, NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, NULL, NULL));
    assert_fails(cudaErrorInvalidValue, cudaEventElapsedTime(NULL, NULL, NULL));
}

TEST_BODY(event_flags_of_calls)
{
    cudaEvent_t event = make_event(0);
    assert_success(cudaEventRecordWithFlags(event, NULL, cudaEventRecordDefault));
    assert_fails(cudaErrorIllegalState,
                 cudaEventRecordWithFlags(event, NULL, cudaEventRecordExternal));
    assert_fails(cudaErrorInvalidValue, cudaEventRecordWithFlags(event, NULL, 2));
    assert_fails(cudaErrorIllegalState, cudaStreamWaitEvent(NULL, event, cudaEventWaitExternal));
    assert_fails(cudaErrorInvalidValue, cudaStreamWaitEvent(NULL, event, 2));
    assert_success(cudaEventDestroy(event));
}

/* --- times ------------------------------------------------------------------------------------ */

TEST_BODY(event_times_need_timing_and_completion)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaEvent_t start = make_event(0), stop = make_event(0),
                untimed = make_event(cudaEventDisableTiming);
    cudaStream_t stream = make_stream();
    float ms = 77;
    assert_success(cudaEventRecord(start, stream));
    gate_hold(&gate, stream);
    assert_success(cudaEventRecord(stop, stream));
    assert_success(cudaEventRecord(untimed, stream));
    assert_int_equal(cudaEventElapsedTime(&ms, start, stop), cudaErrorNotReady);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, untimed));
    assert_true(ms == 77);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, untimed, stop));
    assert_success(cudaEventElapsedTime(&ms, start, stop));
    assert_true(ms >= 0);
    assert_success(cudaEventElapsedTime(&ms, start, start));
    assert_true(ms == 0);
    assert_success(cudaEventDestroy(start));
    assert_success(cudaEventDestroy(stop));
    assert_success(cudaEventDestroy(untimed));
    assert_success(cudaStreamDestroy(stream));
}

/* Each step needs the one before, and the result is stored, so that no compiler can leave the loop
 * out. */
static const char *const spin_text = "__kernel void spin(__global uint *p, uint n)\n"
                                     "{\n"
                                     "    uint x = p[0];\n"
                                     "    for (uint i = 0; i < n; i++)\n"
                                     "        x = x * 1664525u + (x >> 13) + 1013904223u;\n"
                                     "    p[0] = x;\n"
                                     "}\n";

static double host_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void CUDART_CB note_time(void *time)
{
    *(double *)time = host_ms();
}

/* Two pairs of moments of the host: before the first event is recorded and after the second has come, and behind the first
 * event and before the second, within the stream. What the events tell lies between, whoever else has the processors. */
struct spin_time {
    double before, begin, end, after;
    float told;
};

static struct spin_time time_spin(const void *kernel, unsigned *p, unsigned n)
{
    struct spin_time time = {.told = -1};
    cudaEvent_t start = make_event(0), stop = make_event(0);
    cudaStream_t stream = make_stream();
    void *args[] = {&p, &n};
    float back = 1;
    time.before = host_ms();
    assert_success(cudaEventRecord(start, stream));
    assert_success(cudaLaunchHostFunc(stream, note_time, &time.begin));
    assert_success(launch_1d(kernel, 1, 1, args, 0, stream));
    assert_success(cudaLaunchHostFunc(stream, note_time, &time.end));
    assert_success(cudaEventRecord(stop, stream));
    assert_success(cudaEventSynchronize(stop));
    time.after = host_ms();
    assert_success(cudaEventElapsedTime(&time.told, start, stop));
    assert_success(cudaEventElapsedTime(&back, stop, start));
    assert_true(time.told >= 0 && back == -time.told);
    assert_success(cudaEventDestroy(start));
    assert_success(cudaEventDestroy(stop));
    assert_success(cudaStreamDestroy(stream));
    return time;
}

/* The kernel's loop is made long enough for at least 40 ms. The events' time is no shorter than the kernel's and no longer
 * than the host's, but for the clocks' rates. */
TEST_BODY(event_times_cover_a_long_kernel)
{
    cudaLibrary_t library = load_text(spin_text);
    const void *kernel = find_kernel(library, "spin");
    unsigned *p = (unsigned *)device_ints(1), n = 1 << 16;
    struct spin_time time;
    do {
        n *= 2;
        time = time_spin(kernel, p, n);
        assert_true(time.told <= (time.after - time.before) * 1.05 + 0.1);
        assert_true(time.told >= (time.end - time.begin) * 0.95 - 0.1);
    } while (time.end - time.begin < 40 && n < 1u << 31);
    assert_true(time.end - time.begin >= 40);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(p));
}

/* Three in a row: the whole is the sum of its parts. */
TEST_BODY(event_times_add_up)
{
    cudaEvent_t events[4];
    cudaStream_t stream = make_stream();
    int *p = device_ints(1 << 18);
    for (int i = 0; i < 4; i++) {
        events[i] = make_event(0);
        assert_success(cudaEventRecord(events[i], stream));
        assert_success(cudaMemsetAsync(p, i, sizeof(int) << 18, stream));
    }
    assert_success(cudaStreamSynchronize(stream));
    float whole = 0, sum = 0;
    assert_success(cudaEventElapsedTime(&whole, events[0], events[3]));
    for (int i = 0; i < 3; i++) {
        float part = -1;
        assert_success(cudaEventElapsedTime(&part, events[i], events[i + 1]));
        assert_true(part >= 0);
        sum += part;
    }
    assert_true(sum <= whole * 1.001f + 0.001f && sum >= whole * 0.999f - 0.001f);
    for (int i = 0; i < 4; i++)
        assert_success(cudaEventDestroy(events[i]));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* On the legacy stream a record comes after the work of all blocking streams. */
TEST_BODY(event_on_the_legacy_stream_includes_blocking_work)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaEvent_t event = make_event(0);
    cudaStream_t blocking = NULL;
    assert_success(cudaStreamCreate(&blocking));
    gate_hold(&gate, blocking);
    assert_success(cudaEventRecord(event, NULL));
    for (int i = 0; i < 20; i++) {
        assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
        pause_briefly();
    }
    gate_open(&gate);
    assert_success(cudaEventSynchronize(event));
    assert_success(cudaStreamQuery(blocking));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(blocking));
}

TEST_BODY(event_many_records)
{
    cudaEvent_t event = make_event(0);
    cudaStream_t stream = make_stream();
    for (int i = 0; i < 2000; i++)
        assert_success(cudaEventRecord(event, stream));
    assert_success(cudaEventSynchronize(event));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(stream));
}
