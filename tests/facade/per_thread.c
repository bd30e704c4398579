/* A program part that was compiled for per-thread default streams: its plain calls mean the
 * thread's own stream.
 * SPDX-License-Identifier: Apache-2.0 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "tests/facade/runtime_support.h"

/* The header renames the calls, and gives these their own names back. */
#undef cudaStreamQuery
#undef cudaMemsetAsync
#undef cudaStreamGetId
#define plain_query       cudaStreamQuery
#define plain_memset      cudaMemsetAsync
#define plain_get_id      cudaStreamGetId
#define per_thread_query  cudaStreamQuery_ptsz
#define per_thread_memset cudaMemsetAsync_ptsz
#define per_thread_get_id cudaStreamGetId_ptsz

static const char *const add_text = "__kernel void add(__global int *p, int v) { p[0] += v; }\n";

/* In this file cudaLaunchHostFunc(NULL) is the renamed one: the gate holds the thread's own
 * stream. */
TEST_BODY(per_thread_stream_is_the_default)
{
    static struct gate gate = GATE_INITIALIZER;
    unsigned long long id = 0, own = 1;
    assert_success(per_thread_get_id(NULL, &id));
    assert_success(plain_get_id(cudaStreamPerThread, &own));
    assert_true(id == own);
    gate_hold(&gate, NULL);
    assert_int_equal(per_thread_query(NULL), cudaErrorNotReady);
    assert_int_equal(plain_query(cudaStreamPerThread), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(NULL));
    assert_success(plain_query(cudaStreamPerThread));
}

TEST_BODY(per_thread_launches_and_copies_do_not_wait_for_blocking_streams)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaLibrary_t library = load_text(add_text);
    const void *kernel = find_kernel(library, "add");
    cudaStream_t blocking = NULL;
    int *p = device_ints(4), value = 5, seen = 0;
    void *args[] = {&p, &value};
    assert_success(cudaStreamCreate(&blocking));
    gate_hold(&gate, blocking);
    assert_success(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    assert_success(cudaMemcpyAsync(&seen, p, sizeof seen, cudaMemcpyDeviceToHost, NULL));
    assert_success(cudaStreamSynchronize(NULL));
    assert_int_equal(seen, 5);
    assert_success(cudaMemcpy(&seen, p, sizeof seen, cudaMemcpyDeviceToHost));
    assert_int_equal(plain_query(blocking), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(blocking));
    assert_success(cudaStreamDestroy(blocking));
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(p));
}

TEST_BODY(per_thread_events_record_the_own_stream)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaEvent_t event = NULL;
    assert_success(cudaEventCreate(&event));
    gate_hold(&gate, NULL);
    assert_success(cudaEventRecord(event, NULL));
    assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaEventSynchronize(event));
    assert_success(cudaEventDestroy(event));
}

struct own_work {
    int *p;
    int value, result;
};

static void *use_own_stream(void *data)
{
    struct own_work *work = data;
    for (int i = 0; i < 50; i++) {
        THREAD_SUCCESS(per_thread_memset(work->p, work->value, sizeof *work->p, NULL));
        THREAD_SUCCESS(cudaMemcpyAsync(&work->result, work->p, sizeof work->result,
                                       cudaMemcpyDeviceToHost, NULL));
        THREAD_SUCCESS(cudaStreamSynchronize(NULL));
        THREAD_CHECK(work->result == work->value * 0x01010101);
    }
    return NULL;
}

/* Threads come and go, each with a stream of its own; what they queued stays in order. */
TEST_BODY(per_thread_streams_of_many_threads)
{
    int *p = device_ints(16);
    for (int round = 0; round < 4; round++) {
        struct own_work work[16];
        for (int i = 0; i < 16; i++)
            work[i] = (struct own_work){p + i, i + 1, 0};
        run_threads(16, use_own_stream, work, sizeof work[0]);
    }
    assert_success(plain_memset(p, 0, 64, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(p + 15), 0);
    assert_success(cudaFree(p));
}

static void *leave_work_behind(void *data)
{
    THREAD_SUCCESS(cudaMemsetAsync_ptsz(data, 7, 4, NULL));
    return NULL;
}

/* A thread may end while its stream still has work: that is done, and the device waits for it. */
TEST_BODY(per_thread_stream_outlived_by_its_work)
{
    int *p = device_ints(1);
    run_threads(1, leave_work_behind, p, 0);
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(p), 0x07070707);
    assert_success(cudaFree(p));
}
