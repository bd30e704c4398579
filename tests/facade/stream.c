/* Tests of facade/stream/stream.c: creation, destruction, host functions, callbacks.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "tests/facade/runtime_support.h"

TEST_BODY(stream_keeps_its_flags)
{
    for (unsigned flags = 0; flags <= cudaStreamNonBlocking; flags++) {
        cudaStream_t stream = NULL;
        unsigned told = 77;
        assert_success(cudaStreamCreateWithFlags(&stream, flags));
        assert_success(cudaStreamGetFlags(stream, &told));
        assert_int_equal(told, flags);
        assert_success(cudaStreamDestroy(stream));
    }
}

TEST_BODY(stream_refuses_bad_arguments)
{
    cudaStream_t stream = (cudaStream_t)(uintptr_t)77;
    assert_fails(cudaErrorInvalidValue, cudaStreamCreate(NULL));
    assert_fails(cudaErrorInvalidValue, cudaStreamCreateWithFlags(NULL, 0));
    assert_fails(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 2));
    assert_fails(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, ~0u));
    assert_fails(cudaErrorInvalidValue, cudaStreamCreateWithPriority(&stream, 99, 0));
    assert_ptr_equal(stream, (void *)(uintptr_t)77);
}

TEST_BODY(stream_clamps_priorities)
{
    int least = 77, greatest = 77;
    assert_success(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    assert_int_equal(least, 0);
    assert_true(greatest <= least);
    const int wanted[] = {0, -1, greatest, greatest - 1, 1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        int told = 77, expected = wanted[i] > least      ? least
                                  : wanted[i] < greatest ? greatest
                                                         : wanted[i];
        cudaStream_t stream = NULL;
        assert_success(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wanted[i]));
        assert_success(cudaStreamGetPriority(stream, &told));
        assert_int_equal(told, expected);
        int *p = device_ints(4);
        assert_success(cudaMemsetAsync(p, 1, 16, stream));
        assert_success(cudaStreamSynchronize(stream));
        assert_int_equal(read_device_int(p + 3), 0x01010101);
        assert_success(cudaFree(p));
        assert_success(cudaStreamDestroy(stream));
    }
}

/* A stale handle is an error in every call, and never the handle of a newer stream's work. */
TEST_BODY(stream_destroyed_one_is_unknown)
{
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    unsigned flags = 0;
    int *p = device_ints(4);
    assert_success(cudaEventCreate(&event));
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaStreamDestroy(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamDestroy(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamQuery(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamGetFlags(stream, &flags));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(stream, event, 0));
    assert_fails(cudaErrorInvalidResourceHandle, cudaEventRecord(event, stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLaunchHostFunc(stream, gate_wait, NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaMemsetAsync(p, 1, 4, stream));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaFree(p));
}

TEST_BODY(stream_special_ones_cannot_be_destroyed)
{
    assert_success(cudaFree(NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamDestroy(NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamLegacy));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamPerThread));
    assert_success(cudaStreamSynchronize(NULL));
    assert_success(cudaStreamSynchronize(cudaStreamPerThread));
}

/* Destroying does not wait, and what was queued is still done. */
TEST_BODY(stream_destroyed_with_work_finishes_it)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaStream_t stream = NULL;
    int *p = device_ints(16);
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&gate, stream);
    assert_success(cudaMemsetAsync(p, 1, 64, stream));
    assert_success(cudaStreamDestroy(stream));
    gate_open(&gate);
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(p + 15), 0x01010101);
    assert_success(cudaFree(p));
}

TEST_BODY(stream_many_at_once)
{
    enum { COUNT = 200 };
    static cudaStream_t streams[COUNT];
    unsigned char *p = NULL, got[COUNT];
    assert_success(cudaMalloc((void **)&p, COUNT));
    for (int i = 0; i < COUNT; i++)
        assert_success(
            cudaStreamCreateWithFlags(&streams[i], i % 2 != 0 ? cudaStreamNonBlocking : 0));
    for (int i = 0; i < COUNT; i++)
        assert_success(cudaMemsetAsync(p + i, i, 1, streams[i]));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaMemcpy(got, p, COUNT, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(got[i], i);
        assert_success(cudaStreamQuery(streams[i]));
        assert_success(cudaStreamDestroy(streams[i]));
    }
    assert_success(cudaFree(p));
}

/* --- what idle streams cost ------------------------------------------------------------------- */

enum { FEW = 10, MANY = 10000, CALLS = 4, SAMPLES = 12 };

struct costs {
    const void *kernel;
    cudaStream_t stream; /* a blocking one */
    int *memory;
    double least[CALLS]; /* microseconds */
};

static double clock_microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void launch_in(const struct costs *costs, cudaStream_t stream)
{
    void *args[] = {(void *)(uintptr_t)&costs->memory};
    assert_success(launch_1d(costs->kernel, 1, 1, args, 0, stream));
}

static void call_one(const struct costs *costs, int call)
{
    cudaStream_t made = NULL;
    switch (call) {
    case 0:
        launch_in(costs, costs->stream);
        launch_in(costs, cudaStreamLegacy);
        break;
    case 1:
        launch_in(costs, costs->stream);
        assert_success(cudaDeviceSynchronize());
        break;
    case 2:
        assert_success(cudaStreamCreate(&made));
        assert_success(cudaStreamDestroy(made));
        break;
    default:
        assert_success(cudaStreamQuery(cudaStreamLegacy));
        assert_success(cudaDeviceSynchronize());
    }
}

/* The least of several: other programs make calls longer, never shorter. */
static void measure(struct costs *costs)
{
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (int call = 0; call < CALLS; call++) {
            assert_success(cudaDeviceSynchronize());
            const double begin = clock_microseconds();
            call_one(costs, call);
            const double took = clock_microseconds() - begin;
            if (costs->least[call] == 0 || took < costs->least[call])
                costs->least[call] = took;
        }
    }
}

static size_t resident_bytes(void)
{
    unsigned long whole = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &whole, &resident), 2);
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static int too_dear(const struct costs *many, const struct costs *few, int call)
{
    return many->least[call] > 5 * few->least[call] + 20;
}

static int any_too_dear(const struct costs *many, const struct costs *few)
{
    for (int call = 0; call < CALLS; call++)
        if (too_dear(many, few, call))
            return 1;
    return 0;
}

/*
 * Both in turn, so that both meet the same load, and again while the two differ: a thread that has to be woken on a
 * machine with other work makes a call longer for a while.  What depends on the number of streams costs a thousand
 * times as much in every round.
 */
TEST_BODY(stream_idle_ones_cost_next_to_nothing)
{
    static cudaStream_t streams[MANY];
    struct costs few = {
        .kernel = find_kernel(load_text("__kernel void k(__global int *p) { p[0] = 1; }\n"), "k")};
    few.memory = device_ints(4);
    assert_success(cudaStreamCreate(&few.stream));
    struct costs many = few;
    launch_in(&few, few.stream); /* compiles */
    for (int round = 0; round < 3 || (round < 30 && any_too_dear(&many, &few)); round++) {
        for (int i = 0; i < FEW; i++)
            assert_success(cudaStreamCreate(&streams[i]));
        measure(&few);
        const size_t before = resident_bytes();
        for (int i = FEW; i < MANY; i++)
            assert_success(
                cudaStreamCreateWithFlags(&streams[i], i % 2 != 0 ? cudaStreamNonBlocking : 0));
        assert_true(resident_bytes() < before + 100000000);
        measure(&many);
        for (int i = 0; i < MANY; i++)
            assert_success(cudaStreamDestroy(streams[i]));
    }
    for (int call = 0; call < CALLS; call++) {
        if (too_dear(&many, &few, call))
            print_error("call %d: %g us among %d streams, %g us among %d\n", call, many.least[call],
                        MANY, few.least[call], FEW);
        assert_false(too_dear(&many, &few, call));
    }
    assert_success(cudaStreamDestroy(few.stream));
    assert_success(cudaFree(few.memory));
}

/* --- host functions --------------------------------------------------------------------------- */

struct list {
    int values[256];
    int count;
};

struct entry {
    struct list *list;
    int value;
};

static void append(void *data)
{
    struct entry *entry = data;
    entry->list->values[entry->list->count++] = entry->value;
}

TEST_BODY(stream_host_functions_keep_their_order)
{
    enum { COUNT = 200 };
    static struct list list;
    static struct entry entries[COUNT];
    cudaStream_t stream = NULL;
    int *p = device_ints(16);
    assert_success(cudaStreamCreate(&stream));
    for (int i = 0; i < COUNT; i++) {
        entries[i] = (struct entry){&list, i};
        assert_success(cudaLaunchHostFunc(stream, append, &entries[i]));
        if (i % 3 == 0)
            assert_success(cudaMemsetAsync(p, i, 64, stream));
    }
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(list.count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(list.values[i], i);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

struct exchange {
    int *pinned;
    int seen;
};

static void read_and_write(void *data)
{
    struct exchange *exchange = data;
    exchange->seen = exchange->pinned[0];
    exchange->pinned[1] = 1234;
}

/* A host function sees what came before it, and what comes after sees what it wrote. */
TEST_BODY(stream_host_function_stands_between_copies)
{
    cudaStream_t stream = NULL;
    struct exchange exchange = {NULL, 0};
    int *p = device_ints(2);
    assert_success(cudaMallocHost((void **)&exchange.pinned, 8));
    exchange.pinned[0] = exchange.pinned[1] = 0;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_success(cudaMemsetAsync(p, 0x11, 4, stream));
    assert_success(cudaMemcpyAsync(exchange.pinned, p, 4, cudaMemcpyDeviceToHost, stream));
    assert_success(cudaLaunchHostFunc(stream, read_and_write, &exchange));
    assert_success(cudaMemcpyAsync(p + 1, exchange.pinned + 1, 4, cudaMemcpyHostToDevice, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(exchange.seen, 0x11111111);
    assert_int_equal(read_device_int(p + 1), 1234);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFreeHost(exchange.pinned));
    assert_success(cudaFree(p));
}

static void end_own_thread(void *data)
{
    (void)data;
    pthread_exit(NULL);
}

static void count_call(void *data)
{
    ++*(int *)data;
}

static void end_own_thread_in_callback(cudaStream_t stream, cudaError_t error, void *data)
{
    (void)stream;
    assert_int_equal(error, cudaSuccess);
    end_own_thread(data);
}

/* Functions that end their thread have returned: the stream goes on, and closing the device too. */
TEST_BODY(stream_host_functions_may_end_their_thread)
{
    int calls = 0;
    for (int i = 0; i < 3; i++) {
        assert_success(cudaLaunchHostFunc(NULL, end_own_thread, NULL));
        assert_success(cudaLaunchHostFunc(NULL, count_call, &calls));
        assert_success(cudaStreamAddCallback(NULL, end_own_thread_in_callback, NULL, 0));
        assert_success(cudaDeviceSynchronize());
        assert_int_equal(calls, i + 1);
    }
    assert_success(cudaLaunchHostFunc(NULL, end_own_thread, NULL));
    assert_success(cudaLaunchHostFunc(NULL, count_call, &calls));
    assert_success(cudaDeviceReset());
    assert_int_equal(calls, 4);
}

struct calls {
    cudaError_t allocate, query, name;
};

static void call_cuda(void *data)
{
    struct calls *calls = data;
    void *p = NULL;
    calls->allocate = cudaMalloc(&p, 16);
    calls->query = cudaStreamQuery(NULL);
}

TEST_BODY(stream_host_functions_may_not_call_cuda)
{
    struct calls calls = {cudaSuccess, cudaSuccess, cudaSuccess};
    void *p = NULL;
    assert_success(cudaLaunchHostFunc(NULL, call_cuda, &calls));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(calls.allocate, cudaErrorNotPermitted);
    assert_int_equal(calls.query, cudaErrorNotPermitted);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_success(cudaMalloc(&p, 16));
    assert_success(cudaFree(p));
}

struct callback {
    cudaStream_t stream;
    cudaError_t status;
    int calls;
};

static void note_callback(cudaStream_t stream, cudaError_t status, void *data)
{
    struct callback *callback = data;
    callback->stream = stream;
    callback->status = status;
    callback->calls++;
}

TEST_BODY(stream_callbacks_get_stream_and_status)
{
    struct callback callback = {NULL, cudaErrorUnknown, 0};
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaStreamAddCallback(stream, note_callback, &callback, 0));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(callback.calls, 1);
    assert_int_equal(callback.status, cudaSuccess);
    assert_ptr_equal(callback.stream, stream);
    assert_fails(cudaErrorInvalidValue, cudaStreamAddCallback(stream, note_callback, &callback, 1));
    assert_fails(cudaErrorInvalidValue, cudaStreamAddCallback(stream, NULL, &callback, 0));
    assert_fails(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, NULL, NULL));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(callback.calls, 1);
    assert_success(cudaStreamDestroy(stream));
}

/* Later work of the stream waits for the host function. */
TEST_BODY(stream_work_waits_for_host_functions)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaStream_t stream = NULL;
    volatile int *pinned = NULL;
    assert_success(cudaMallocHost((void **)(uintptr_t)&pinned, 4));
    *pinned = 0;
    int *p = device_ints(1);
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&gate, stream);
    assert_success(
        cudaMemcpyAsync(p, (void *)(uintptr_t)pinned, 4, cudaMemcpyHostToDevice, stream));
    assert_stays_busy(stream);
    *pinned = 99;
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(read_device_int(p), 99);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
    assert_success(cudaFreeHost((void *)(uintptr_t)pinned));
}
