/* Which streams wait for which: every pair, both directions, and the per-thread entry points.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/runtime_support.h"

enum stream_kind { LEGACY, NULL_STREAM, BLOCKING, NON_BLOCKING, PER_THREAD, STREAM_KINDS };

/* Whether work of the row's stream holds back work that is given to the column's stream afterwards.
 * Source: NVIDIA's runtime on an H200 (tests/semantics/native.tsv, ordering). */
static const bool waits[STREAM_KINDS][STREAM_KINDS] = {
    [LEGACY] = {true, true, true, false, true},
    [NULL_STREAM] = {true, true, true, false, true},
    [BLOCKING] = {true, true, false, false, false},
    [NON_BLOCKING] = {false, false, false, false, false},
    [PER_THREAD] = {true, true, false, false, false},
};

static cudaStream_t make(enum stream_kind kind)
{
    cudaStream_t stream = NULL;
    if (kind == BLOCKING || kind == NON_BLOCKING)
        assert_success(
            cudaStreamCreateWithFlags(&stream, kind == BLOCKING ? 0 : cudaStreamNonBlocking));
    if (kind == LEGACY)
        stream = cudaStreamLegacy;
    return kind == PER_THREAD ? cudaStreamPerThread : stream;
}

static void end(enum stream_kind kind, cudaStream_t stream)
{
    if (kind == BLOCKING || kind == NON_BLOCKING)
        assert_success(cudaStreamDestroy(stream));
}

/* first: gate, *p = 1. second: *q = *p. One that waits copies 1; one that does not wait is done
 * before the gate opens. */
static void check_pair(enum stream_kind first_kind, enum stream_kind second_kind)
{
    struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1), *q = device_ints(1);
    cudaStream_t first = make(first_kind);
    bool is_same = first_kind == second_kind && (first_kind == LEGACY || first_kind == PER_THREAD);
    cudaStream_t second = make(second_kind);
    bool expected = waits[first_kind][second_kind] || is_same;
    gate_hold(&gate, first);
    assert_success(cudaMemsetAsync(p, 1, sizeof *p, first));
    assert_success(cudaMemcpyAsync(q, p, sizeof *p, cudaMemcpyDeviceToDevice, second));
    if (expected) {
        assert_stays_busy(second);
        gate_open(&gate);
        assert_success(cudaStreamSynchronize(second));
    } else {
        assert_success(cudaStreamSynchronize(second));
        assert_success(cudaStreamQuery(second));
        assert_int_equal(cudaStreamQuery(first), cudaErrorNotReady);
        gate_open(&gate);
    }
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(p), 0x01010101);
    assert_int_equal(read_device_int(q), expected ? 0x01010101 : 0);
    end(first_kind, first);
    end(second_kind, second);
    assert_success(cudaFree(p));
    assert_success(cudaFree(q));
}

static void check_row(enum stream_kind first)
{
    for (int second = 0; second < STREAM_KINDS; second++)
        check_pair(first, (enum stream_kind)second);
}

TEST_BODY(ordering_behind_the_legacy_stream)
{
    check_row(LEGACY);
    check_row(NULL_STREAM);
}

TEST_BODY(ordering_behind_blocking_streams)
{
    check_row(BLOCKING);
}

TEST_BODY(ordering_behind_non_blocking_streams)
{
    check_row(NON_BLOCKING);
}

TEST_BODY(ordering_behind_per_thread_streams)
{
    check_row(PER_THREAD);
}

/* blocking a, then legacy, then blocking b: b comes after a, though they would not wait for each
 * other. */
TEST_BODY(ordering_through_the_legacy_stream)
{
    static struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1), *q = device_ints(1), *r = device_ints(1);
    cudaStream_t a = make(BLOCKING), b = make(BLOCKING);
    gate_hold(&gate, a);
    assert_success(cudaMemsetAsync(p, 1, 4, a));
    assert_success(cudaMemsetAsync(r, 1, 4, NULL));
    assert_success(cudaMemcpyAsync(q, p, 4, cudaMemcpyDeviceToDevice, b));
    assert_stays_busy(b);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(b));
    assert_int_equal(read_device_int(q), 0x01010101);
    end(BLOCKING, a);
    end(BLOCKING, b);
    assert_success(cudaFree(p));
    assert_success(cudaFree(q));
    assert_success(cudaFree(r));
}

/* An attachment in the legacy stream has nothing to do, but is work: b comes after a. In another stream it is none. */
static void check_attachment(size_t bytes, enum stream_kind kind, bool is_barrier)
{
    struct gate gate = GATE_INITIALIZER;
    void *managed = NULL;
    const cudaError_t error = cudaMallocManaged(&managed, bytes, cudaMemAttachGlobal);
    if (error == cudaErrorNotSupported)
        TEST_SKIP("this strategy has no managed memory");
    assert_int_equal(error, cudaSuccess);
    int *p = device_ints(1), *q = device_ints(1);
    cudaStream_t a = make(BLOCKING), b = make(BLOCKING), between = make(kind);
    gate_hold(&gate, a);
    assert_success(cudaMemsetAsync(p, 1, sizeof *p, a));
    assert_success(cudaStreamAttachMemAsync(between, managed, 0, cudaMemAttachGlobal));
    assert_success(cudaMemcpyAsync(q, p, sizeof *p, cudaMemcpyDeviceToDevice, b));
    if (is_barrier)
        assert_stays_busy(b);
    else
        assert_success(cudaStreamSynchronize(b));
    gate_open(&gate);
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(q), is_barrier ? 0x01010101 : 0);
    end(kind, between);
    end(BLOCKING, a);
    end(BLOCKING, b);
    assert_success(cudaFree(managed));
    assert_success(cudaFree(p));
    assert_success(cudaFree(q));
}

TEST_BODY(ordering_through_attachments)
{
    static const size_t sizes[] = {1 << 12, 1 << 22};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_attachment(sizes[i], LEGACY, true);
        check_attachment(sizes[i], NULL_STREAM, true);
        check_attachment(sizes[i], BLOCKING, false);
    }
}

/* A blocking stream that is made while the legacy stream works still comes after that work. */
TEST_BODY(ordering_of_streams_made_later)
{
    static struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1), *q = device_ints(1);
    gate_hold(&gate, NULL);
    assert_success(cudaMemsetAsync(p, 1, 4, NULL));
    cudaStream_t late = make(BLOCKING);
    assert_success(cudaMemcpyAsync(q, p, 4, cudaMemcpyDeviceToDevice, late));
    assert_stays_busy(late);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(late));
    assert_int_equal(read_device_int(q), 0x01010101);
    end(BLOCKING, late);
    assert_success(cudaFree(p));
    assert_success(cudaFree(q));
}

/* A blocking stream that is gone still holds the legacy stream back while it has work. */
TEST_BODY(ordering_behind_destroyed_streams)
{
    static struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1), *q = device_ints(1);
    cudaStream_t gone = make(BLOCKING);
    gate_hold(&gate, gone);
    assert_success(cudaMemsetAsync(p, 1, 4, gone));
    assert_success(cudaStreamDestroy(gone));
    assert_success(cudaMemcpyAsync(q, p, 4, cudaMemcpyDeviceToDevice, NULL));
    assert_stays_busy(NULL);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(NULL));
    assert_int_equal(read_device_int(q), 0x01010101);
    assert_success(cudaFree(p));
    assert_success(cudaFree(q));
}

/* --- entry points of the per-thread default stream -------------------------------------------- */

/* Stream 0 of these entry points is the thread's own stream: blocking streams do not hold it. */
TEST_BODY(ordering_of_per_thread_entry_points)
{
    static struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1), *q = device_ints(1);
    cudaStream_t blocking = make(BLOCKING);
    gate_hold(&gate, blocking);
    assert_success(cudaMemsetAsync(p, 1, 4, blocking));
    assert_success(cudaMemcpyAsync_ptsz(q, p, 4, cudaMemcpyDeviceToDevice, NULL));
    assert_success(cudaStreamSynchronize_ptsz(NULL));
    assert_success(cudaStreamQuery_ptsz(NULL));
    assert_success(cudaMemset_ptds(q, 2, 4));
    assert_success(cudaStreamSynchronize_ptsz(NULL));
    int seen = 0;
    assert_success(cudaMemcpy_ptds(&seen, q, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(seen, 0x02020202);
    assert_int_equal(cudaStreamQuery(blocking), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaDeviceSynchronize());
    end(BLOCKING, blocking);
    assert_success(cudaFree(p));
    assert_success(cudaFree(q));
}

TEST_BODY(ordering_per_thread_null_is_the_per_thread_stream)
{
    unsigned long long null_id = 0, own_id = 1, legacy_id = 0;
    assert_success(cudaStreamGetId_ptsz(NULL, &null_id));
    assert_success(cudaStreamGetId(cudaStreamPerThread, &own_id));
    assert_success(cudaStreamGetId_ptsz(cudaStreamLegacy, &legacy_id));
    assert_true(null_id == own_id);
    assert_true(legacy_id != own_id);
    /* The mark does not stay behind. */
    assert_success(cudaStreamGetId(NULL, &null_id));
    assert_true(null_id == legacy_id);
    static struct gate gate = GATE_INITIALIZER;
    assert_success(cudaLaunchHostFunc_ptsz(NULL, gate_wait, &gate));
    assert_int_equal(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
    assert_int_equal(cudaStreamQuery_ptsz(NULL), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize_ptsz(NULL));
}

static void *own_stream_is_free(void *data)
{
    int *q = data;
    THREAD_SUCCESS(cudaMemsetAsync_ptsz(q, 3, sizeof *q, NULL));
    THREAD_SUCCESS(cudaStreamSynchronize_ptsz(NULL));
    return NULL;
}

/* Streams of two threads do not wait for each other; the legacy stream waits for both. */
TEST_BODY(ordering_of_two_threads)
{
    static struct gate gate = GATE_INITIALIZER;
    int *q = device_ints(1), *r = device_ints(1);
    gate_hold(&gate, cudaStreamPerThread);
    run_threads(1, own_stream_is_free, q, 0);
    assert_int_equal(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
    assert_success(cudaMemcpyAsync(r, q, 4, cudaMemcpyDeviceToDevice, NULL));
    assert_stays_busy(NULL);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(NULL));
    assert_int_equal(read_device_int(r), 0x03030303);
    assert_success(cudaFree(q));
    assert_success(cudaFree(r));
}
