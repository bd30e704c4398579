/* Tests of facade/stream/stream_query.c: what can be asked about a stream, and its attributes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/runtime_support.h"

enum stream_kind { BLOCKING, NON_BLOCKING, LEGACY, NULL_STREAM, PER_THREAD, STREAM_KINDS };

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

/* Every kind is ready, then not ready while its work is held, then ready again; the answer is no
 * error. */
TEST_BODY(stream_query_follows_the_work)
{
    static struct gate gates[STREAM_KINDS];
    int *p = device_ints(4);
    for (int kind = 0; kind < STREAM_KINDS; kind++) {
        gates[kind] = (struct gate)GATE_INITIALIZER;
        cudaStream_t stream = make((enum stream_kind)kind);
        assert_success(cudaStreamQuery(stream));
        gate_hold(&gates[kind], stream);
        assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
        assert_success(cudaMemsetAsync(p, 1, 16, stream));
        assert_stays_busy(stream);
        assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
        gate_open(&gates[kind]);
        assert_success(cudaStreamSynchronize(stream));
        assert_success(cudaStreamQuery(stream));
        end((enum stream_kind)kind, stream);
    }
    assert_success(cudaFree(p));
}

/* A stream becomes ready by itself, without anybody waiting for it. */
TEST_BODY(stream_query_alone_sees_the_end)
{
    int *p = device_ints(1 << 16);
    cudaStream_t stream = make(NON_BLOCKING);
    assert_success(cudaMemsetAsync(p, 1, sizeof(int) << 16, stream));
    cudaError_t error = cudaErrorNotReady;
    for (int i = 0; i < 60000 && error == cudaErrorNotReady; i++) {
        error = cudaStreamQuery(stream);
        pause_briefly();
    }
    assert_success(error);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

TEST_BODY(stream_query_of_the_others_while_one_is_held)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaStream_t held = make(NON_BLOCKING), other = make(NON_BLOCKING);
    gate_hold(&gate, held);
    assert_success(cudaStreamQuery(other));
    assert_success(cudaStreamQuery(NULL));
    assert_success(cudaStreamQuery(cudaStreamPerThread));
    assert_success(cudaStreamSynchronize(NULL));
    assert_int_equal(cudaStreamQuery(held), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaStreamQuery(held));
    end(NON_BLOCKING, held);
    end(NON_BLOCKING, other);
}

TEST_BODY(stream_query_tells_what_a_stream_is)
{
    unsigned long long ids[STREAM_KINDS] = {0};
    for (int kind = 0; kind < STREAM_KINDS; kind++) {
        cudaStream_t stream = make((enum stream_kind)kind);
        enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusActive;
        unsigned flags = 77;
        int priority = 77, device = 77;
        assert_success(cudaStreamGetFlags(stream, &flags));
        assert_int_equal(flags, kind == NON_BLOCKING ? cudaStreamNonBlocking : 0);
        assert_success(cudaStreamGetPriority(stream, &priority));
        assert_int_equal(priority, 0);
        assert_success(cudaStreamGetDevice(stream, &device));
        assert_int_equal(device, 0);
        assert_success(cudaStreamGetId(stream, &ids[kind]));
        assert_success(cudaStreamIsCapturing(stream, &capture));
        assert_int_equal(capture, cudaStreamCaptureStatusNone);
        assert_fails(cudaErrorInvalidValue, cudaStreamGetFlags(stream, NULL));
        assert_fails(cudaErrorInvalidValue, cudaStreamGetPriority(stream, NULL));
        assert_fails(cudaErrorInvalidValue, cudaStreamGetId(stream, NULL));
        end((enum stream_kind)kind, stream);
    }
    assert_true(ids[LEGACY] == ids[NULL_STREAM]);
    assert_true(ids[BLOCKING] != ids[NON_BLOCKING] && ids[BLOCKING] != ids[LEGACY]);
    assert_true(ids[PER_THREAD] != ids[LEGACY] && ids[PER_THREAD] != ids[BLOCKING]);
}

/* Ids are never given again. */
TEST_BODY(stream_query_ids_are_unique)
{
    unsigned long long last = 0;
    for (int i = 0; i < 50; i++) {
        unsigned long long id = 0;
        cudaStream_t stream = make(BLOCKING);
        assert_success(cudaStreamGetId(stream, &id));
        assert_true(id > last);
        last = id;
        end(BLOCKING, stream);
    }
}

static void *tell_id(void *data)
{
    THREAD_SUCCESS(cudaStreamGetId(cudaStreamPerThread, data));
    return NULL;
}

TEST_BODY(stream_query_per_thread_ids_differ)
{
    unsigned long long ids[4] = {0};
    run_threads(4, tell_id, ids, sizeof ids[0]);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++)
            assert_true(ids[i] != ids[k]);
    }
}

TEST_BODY(stream_query_attributes_are_kept)
{
    cudaStream_t stream = make(BLOCKING), other = make(BLOCKING);
    cudaLaunchAttributeValue value, got;
    memset(&value, 0, sizeof value);
    value.syncPolicy = cudaSyncPolicySpin;
    assert_success(
        cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
    assert_success(cudaStreamGetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &got));
    assert_int_equal(got.syncPolicy, cudaSyncPolicySpin);
    value.priority = -1;
    assert_success(cudaStreamSetAttribute(stream, cudaLaunchAttributePriority, &value));
    assert_success(cudaStreamGetAttribute(stream, cudaLaunchAttributePriority, &got));
    assert_int_equal(got.priority, -1);
    assert_success(cudaStreamCopyAttributes(other, stream));
    assert_success(cudaStreamGetAttribute(other, cudaLaunchAttributeSynchronizationPolicy, &got));
    assert_int_equal(got.syncPolicy, cudaSyncPolicySpin);
    memset(&value, 0, sizeof value);
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitRatio = 0.5f;
    assert_success(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    value.accessPolicyWindow.hitRatio = -0.5f;
    assert_fails(cudaErrorInvalidValue,
                 cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    assert_success(cudaStreamGetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &got));
    assert_true(got.accessPolicyWindow.hitRatio == 0.5f);
    assert_fails(cudaErrorInvalidValue,
                 cudaStreamGetAttribute(stream, (cudaLaunchAttributeID)99, &got));
    assert_fails(cudaErrorInvalidValue,
                 cudaStreamSetAttribute(stream, (cudaLaunchAttributeID)99, &value));
    value.syncPolicy = (enum cudaSynchronizationPolicy)99;
    assert_fails(cudaErrorInvalidValue,
                 cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
    end(BLOCKING, stream);
    end(BLOCKING, other);
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaStreamGetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &got));
}
