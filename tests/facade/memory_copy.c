/* Tests of facade/memory/memory_copy.c and facade/memory/copy_request.c: linear, peer and batch copies.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/facade/memory_support.h"
#include "tests/facade/runtime_support.h"

/* --- between every pair of kinds -------------------------------------------------------------- */

static void copy_one(struct block *target, struct block *source, size_t bytes, bool is_async,
                     uint32_t *random)
{
    unsigned char *wanted = malloc(target->bytes), *put = malloc(source->bytes),
                  *got = malloc(target->bytes);
    size_t from = random_below(random, source->bytes - bytes + 1),
           to = random_below(random, target->bytes - bytes + 1);
    enum cudaMemcpyKind kind =
        next_random(random) % 2 != 0 ? cudaMemcpyDefault : kind_between(target->kind, source->kind);
    fill_random(put, source->bytes, next_random(random) | 1);
    fill_random(wanted, target->bytes, next_random(random) | 1);
    write_block(source, put);
    write_block(target, wanted);
    memcpy(wanted + to, put + from, bytes);
    if (is_async)
        assert_success(
            cudaMemcpyAsync(target->address + to, source->address + from, bytes, kind, NULL));
    else
        assert_success(cudaMemcpy(target->address + to, source->address + from, bytes, kind));
    read_block(target, got);
    assert_memory_equal(got, wanted, target->bytes);
    free(wanted);
    free(put);
    free(got);
}

static void copy_all_pairs(size_t block_bytes, const size_t *sizes, size_t count)
{
    uint32_t random = 1 + (uint32_t)block_bytes;
    for (int to = 0; to < BLOCK_KINDS; to++) {
        for (int from = 0; from < BLOCK_KINDS; from++) {
            struct block target = make_block((enum block_kind)to, block_bytes);
            struct block source = make_block((enum block_kind)from, block_bytes);
            for (size_t i = 0; i < count; i++)
                copy_one(&target, &source, sizes[i], i % 2 != 0, &random);
            end_block(&target);
            end_block(&source);
        }
    }
}

TEST_BODY(memory_copy_small_between_all_kinds)
{
    static const size_t sizes[] = {1,   2,   3,    4,    15,   16,        17,
                                   255, 256, 1000, 4096, 4097, 16 * 1024, 60000};
    copy_all_pairs(64 * KIB, sizes, sizeof sizes / sizeof sizes[0]);
}

TEST_BODY(memory_copy_large_between_all_kinds)
{
    static const size_t sizes[] = {1024 * 1024 + 5, 3 * 1024 * 1024, 12 * 1024 * 1024 + 1};
    copy_all_pairs(13 * MIB, sizes, sizeof sizes / sizeof sizes[0]);
}

TEST_BODY(memory_copy_overlapping)
{
    static const struct {
        size_t to, from, bytes;
    } cases[] = {{16, 0, 128}, {0, 16, 128}, {0, 0, 256},
                 {1, 0, 4000}, {0, 1, 4000}, {128, 0, 128}};
    unsigned char model[8192], got[8192];
    struct block block = make_block(DEVICE, sizeof model);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fill_random(model, sizeof model, 3);
        write_block(&block, model);
        memmove(model + cases[i].to, model + cases[i].from, cases[i].bytes);
        assert_success(cudaMemcpy(block.address + cases[i].to, block.address + cases[i].from,
                                  cases[i].bytes, cudaMemcpyDeviceToDevice));
        read_block(&block, got);
        assert_memory_equal(got, model, sizeof model);
    }
    end_block(&block);
}

/* --- arguments -------------------------------------------------------------------------------- */

TEST_BODY(memory_copy_nothing_succeeds)
{
    for (int kind = cudaMemcpyHostToHost; kind <= cudaMemcpyDefault; kind++) {
        assert_success(cudaMemcpy(NULL, NULL, 0, (enum cudaMemcpyKind)kind));
        assert_success(cudaMemcpyAsync(NULL, NULL, 0, (enum cudaMemcpyKind)kind, NULL));
    }
}

TEST_BODY(memory_copy_refuses_unknown_kinds)
{
    static const int kinds[] = {5, 6, -1, 100};
    struct block device = make_block(DEVICE, 64);
    unsigned char host[64] = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        enum cudaMemcpyKind kind = (enum cudaMemcpyKind)kinds[i];
        assert_fails(cudaErrorInvalidMemcpyDirection, cudaMemcpy(device.address, host, 64, kind));
        assert_fails(cudaErrorInvalidMemcpyDirection,
                     cudaMemcpyAsync(device.address, host, 64, kind, NULL));
    }
    end_block(&device);
}

TEST_BODY(memory_copy_refuses_null)
{
    struct block device = make_block(DEVICE, 64);
    unsigned char host[64] = {0};
    assert_fails(cudaErrorInvalidValue, cudaMemcpy(NULL, host, 64, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy(device.address, NULL, 64, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemcpy(NULL, device.address, 64, cudaMemcpyDeviceToHost));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy(host, NULL, 64, cudaMemcpyDeviceToHost));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy(NULL, NULL, 64, cudaMemcpyDefault));
    end_block(&device);
}

TEST_BODY(memory_copy_refuses_ranges_that_leave)
{
    struct block kinds[] = {make_block(DEVICE, 64 * KIB), make_block(PINNED, 64 * KIB)};
    struct block other = make_block(DEVICE, MIB);
    for (size_t i = 0; i < 2; i++) {
        unsigned char *p = kinds[i].address;
        enum cudaMemcpyKind to = kind_between(kinds[i].kind, DEVICE),
                            from = kind_between(DEVICE, kinds[i].kind);
        assert_success(cudaMemcpy(p, other.address, 64 * KIB, to));
        assert_fails(cudaErrorInvalidValue, cudaMemcpy(p, other.address, 64 * KIB + 1, to));
        assert_fails(cudaErrorInvalidValue, cudaMemcpy(p + 1, other.address, 64 * KIB, to));
        assert_fails(cudaErrorInvalidValue, cudaMemcpy(other.address, p + 1, 64 * KIB, from));
        assert_fails(cudaErrorInvalidValue, cudaMemcpy(other.address, p, SIZE_MAX, from));
        end_block(&kinds[i]);
    }
    end_block(&other);
}

TEST_BODY(memory_copy_refuses_stale_streams)
{
    struct block device = make_block(DEVICE, 64);
    unsigned char host[64] = {0};
    cudaStream_t stream;
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaStreamDestroy(stream));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaMemcpyAsync(device.address, host, 64, cudaMemcpyHostToDevice, stream));
    end_block(&device);
}

/* --- when calls return ------------------------------------------------------------------------ */

/* Something on a stream that takes its time: until it may end, or for a while where a call is
 * expected to wait for it. */
struct obstacle {
    _Atomic bool may_end, has_ended;
};

enum { OBSTACLE_MS = 50, OBSTACLE_MOST_MS = 5000 };

static void stand_in_the_way(void *data)
{
    struct obstacle *obstacle = data;
    const struct timespec tick = {0, 1000 * 1000};
    for (int i = 0; i < OBSTACLE_MOST_MS && (i < OBSTACLE_MS || !obstacle->may_end); i++)
        nanosleep(&tick, NULL);
    obstacle->has_ended = true;
}

/* A copy behind an obstacle: whether the call returned only after it. */
static bool copy_waits(cudaStream_t stream, struct block *target, struct block *source,
                       bool is_expected)
{
    static struct obstacle obstacle;
    obstacle.has_ended = false;
    obstacle.may_end = is_expected;
    assert_success(cudaLaunchHostFunc(stream, stand_in_the_way, &obstacle));
    assert_success(cudaMemcpyAsync(target->address, source->address, source->bytes,
                                   cudaMemcpyDefault, stream));
    bool has_waited = obstacle.has_ended;
    if (source->kind == PAGEABLE)
        memset(source->address, 0, source->bytes);
    obstacle.may_end = true;
    assert_success(cudaStreamSynchronize(stream));
    return has_waited;
}

static bool copy_waits_between(enum block_kind to, enum block_kind from, size_t bytes,
                               bool is_expected)
{
    struct block target = make_block(to, bytes), source = make_block(from, bytes);
    unsigned char *put = malloc(bytes), *got = malloc(bytes);
    cudaStream_t stream;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill_random(put, bytes, 5);
    write_block(&source, put);
    assert_success(cudaDeviceSynchronize());
    bool has_waited = copy_waits(stream, &target, &source, is_expected);
    read_block(&target, got);
    assert_memory_equal(got, put, bytes);
    assert_success(cudaStreamDestroy(stream));
    end_block(&target);
    end_block(&source);
    free(put);
    free(got);
    return has_waited;
}

TEST_BODY(memory_copy_async_does_not_wait_for_pinned_memory)
{
    assert_false(copy_waits_between(DEVICE, PINNED, 4096, false));
    assert_false(copy_waits_between(PINNED, DEVICE, 4096, false));
    assert_false(copy_waits_between(DEVICE, REGISTERED, MIB, false));
    assert_false(copy_waits_between(REGISTERED, DEVICE, MIB, false));
    assert_false(copy_waits_between(DEVICE, DEVICE, MIB, false));
}

TEST_BODY(memory_copy_async_to_pageable_memory_completes)
{
    assert_true(copy_waits_between(PAGEABLE, DEVICE, 4096, true));
    assert_true(copy_waits_between(PAGEABLE, DEVICE, 3 * MIB, true));
}

TEST_BODY(memory_copy_async_between_host_memory_completes)
{
    for (int to = PAGEABLE; to <= REGISTERED; to++) {
        for (int from = PAGEABLE; from <= REGISTERED; from++)
            assert_true(copy_waits_between((enum block_kind)to, (enum block_kind)from, 4096, true));
    }
}

/* The source is overwritten as soon as the call returns; whether large copies wait is the
 * implementation's choice. */
TEST_BODY(memory_copy_async_stages_pageable_memory)
{
    assert_false(copy_waits_between(DEVICE, PAGEABLE, 64, false));
    assert_false(copy_waits_between(DEVICE, PAGEABLE, 4096, false));
    copy_waits_between(DEVICE, PAGEABLE, 70000, true);
    copy_waits_between(DEVICE, PAGEABLE, 3 * MIB, true);
    copy_waits_between(DEVICE, PAGEABLE, 40 * MIB, true);
}

/* The blocking forms wait for the legacy stream's earlier work, but between two places of the
 * device they go on. */
TEST_BODY(memory_copy_blocking_waits_where_the_host_takes_part)
{
    for (int to = PAGEABLE; to <= DEVICE; to++) {
        for (int from = PAGEABLE; from <= DEVICE; from++) {
            struct block target = make_block((enum block_kind)to, 4096),
                         source = make_block((enum block_kind)from, 4096);
            bool is_inner = to == DEVICE && from == DEVICE;
            struct obstacle obstacle = {.may_end = !is_inner};
            assert_success(cudaLaunchHostFunc(NULL, stand_in_the_way, &obstacle));
            assert_success(cudaMemcpy(target.address, source.address, 4096, cudaMemcpyDefault));
            assert_int_equal(obstacle.has_ended, !is_inner);
            obstacle.may_end = true;
            assert_success(cudaDeviceSynchronize());
            end_block(&target);
            end_block(&source);
        }
    }
}

/* The legacy stream and blocking streams come after each other. */
TEST_BODY(memory_copy_blocking_comes_after_blocking_streams)
{
    struct block device = make_block(DEVICE, 4096);
    struct obstacle obstacle = {.may_end = true};
    unsigned char host[4096];
    cudaStream_t blocking;
    assert_success(cudaStreamCreate(&blocking));
    assert_success(cudaMemset(device.address, 1, 4096));
    assert_success(cudaLaunchHostFunc(blocking, stand_in_the_way, &obstacle));
    assert_success(cudaMemsetAsync(device.address, 2, 4096, blocking));
    assert_success(cudaMemcpy(host, device.address, 4096, cudaMemcpyDeviceToHost));
    assert_int_equal(host[0], 2);
    assert_int_equal(host[4095], 2);
    assert_success(cudaStreamDestroy(blocking));
    end_block(&device);
}

/* --- peers ------------------------------------------------------------------------------------ */

TEST_BODY(memory_copy_peer)
{
    struct block a = make_block(DEVICE, 4096), b = make_block(DEVICE, 4096);
    unsigned char put[4096], got[4096];
    int count = 0;
    assert_success(cudaGetDeviceCount(&count));
    fill_random(put, sizeof put, 11);
    write_block(&b, put);
    assert_success(cudaMemcpyPeer(a.address, 0, b.address, 0, 4096));
    read_block(&a, got);
    assert_memory_equal(got, put, sizeof put);
    assert_success(cudaMemset(a.address, 0, 4096));
    assert_success(cudaMemcpyPeerAsync(a.address, 0, b.address, 0, 4000, NULL));
    read_block(&a, got);
    assert_memory_equal(got, put, 4000);
    assert_int_equal(got[4000], 0);
    assert_fails(cudaErrorInvalidDevice, cudaMemcpyPeer(a.address, -1, b.address, 0, 64));
    assert_fails(cudaErrorInvalidDevice, cudaMemcpyPeer(a.address, 0, b.address, count, 64));
    assert_fails(cudaErrorInvalidDevice,
                 cudaMemcpyPeerAsync(a.address, count, b.address, 0, 64, NULL));
    end_block(&a);
    end_block(&b);
}

/* Skipped where there is one device. */
TEST_BODY(memory_copy_between_two_devices)
{
    static const size_t bytes = 3 * 1024 * 1024 + 7;
    unsigned char *put = malloc(bytes), *got = malloc(bytes), *p[2] = {0};
    int count = 0;
    assert_success(cudaGetDeviceCount(&count));
    if (count < 2)
        TEST_SKIP("needs two devices");
    fill_random(put, bytes, 13);
    for (int device = 0; device < 2; device++) {
        assert_success(cudaSetDevice(device));
        assert_success(cudaMalloc((void **)&p[device], bytes));
    }
    assert_success(cudaMemcpy(p[0], put, bytes, cudaMemcpyDefault));
    assert_success(cudaMemcpyPeer(p[1], 1, p[0], 0, bytes));
    assert_success(cudaMemcpy(got, p[1], bytes, cudaMemcpyDefault));
    assert_memory_equal(got, put, bytes);
    assert_success(cudaMemset(p[0], 0, bytes));
    assert_success(cudaMemcpy(p[0], p[1], bytes, cudaMemcpyDefault));
    assert_success(cudaMemcpy(got, p[0], bytes, cudaMemcpyDefault));
    assert_memory_equal(got, put, bytes);
    free(put);
    free(got);
}

/* A thread that works on one device may name the other's memory everywhere. */
TEST_BODY(memory_copy_names_memory_of_other_devices)
{
    enum { BYTES = 300000 };
    unsigned char *put = malloc(BYTES), *got = malloc(BYTES), *device[2] = {0}, *pinned = NULL;
    struct cudaPointerAttributes attributes;
    cudaStream_t stream;
    int count = 0;
    assert_success(cudaGetDeviceCount(&count));
    if (count < 2)
        TEST_SKIP("needs two devices");
    fill_random(put, BYTES, 17);
    for (int i = 0; i < 2; i++) {
        assert_success(cudaSetDevice(i));
        assert_success(cudaMalloc((void **)&device[i], BYTES));
    }
    assert_success(cudaMallocHost((void **)&pinned, BYTES));
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaSetDevice(0));
    assert_success(cudaPointerGetAttributes(&attributes, device[1]));
    assert_int_equal(attributes.device, 1);
    memcpy(pinned, put, BYTES);
    assert_success(cudaMemcpy(device[0], pinned, BYTES, cudaMemcpyDefault));
    assert_success(cudaMemset(device[1], 7, BYTES));
    assert_success(cudaMemcpy2D(device[1], 1000, device[0], 1000, 600, 300, cudaMemcpyDefault));
    memset(pinned, 0, BYTES);
    assert_success(cudaMemcpyAsync(pinned, device[1], BYTES, cudaMemcpyDefault, stream));
    assert_success(cudaStreamSynchronize(stream));
    for (size_t y = 0; y < 300; y++)
        memset(put + y * 1000 + 600, 7, 400);
    assert_memory_equal(pinned, put, BYTES);
    assert_success(cudaMemcpy(got, device[1], BYTES, cudaMemcpyDefault));
    assert_memory_equal(got, put, BYTES);
    assert_success(cudaFree(device[1]));
    assert_success(cudaFreeHost(pinned));
    assert_success(cudaFree(device[0]));
    assert_success(cudaStreamDestroy(stream));
    free(put);
    free(got);
}

/* --- batches ---------------------------------------------------------------------------------- */

struct batch {
    void *targets[4];
    const void *sources[4];
    size_t sizes[4], starts[4], count, rules;
    struct cudaMemcpyAttributes attributes[4];
};

static struct batch make_batch(struct block *target, struct block *source)
{
    struct batch batch = {.count = 3, .rules = 1};
    for (size_t i = 0; i < 3; i++) {
        batch.targets[i] = target->address + 1000 * i;
        batch.sources[i] = source->address + 500 * i;
        batch.sizes[i] = 100 + i;
    }
    for (size_t i = 0; i < 4; i++)
        batch.attributes[i].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    return batch;
}

static cudaError_t submit(struct batch *batch, cudaStream_t stream)
{
    return cudaMemcpyBatchAsync((void *const *)batch->targets, (const void *const *)batch->sources,
                                batch->sizes, batch->count, batch->attributes, batch->starts,
                                batch->rules, stream);
}

TEST_BODY(memory_copy_batch_copies_each)
{
    struct block target = make_block(DEVICE, 4096),
                 sources[] = {make_block(DEVICE, 4096), make_block(PAGEABLE, 4096)};
    unsigned char put[4096], got[4096], wanted[4096];
    cudaStream_t stream;
    assert_success(cudaStreamCreate(&stream));
    fill_random(put, sizeof put, 17);
    for (size_t k = 0; k < 2; k++) {
        struct batch batch = make_batch(&target, &sources[k]);
        memset(wanted, 0, sizeof wanted);
        write_block(&target, wanted);
        write_block(&sources[k], put);
        for (size_t i = 0; i < 3; i++)
            memcpy(wanted + 1000 * i, put + 500 * i, 100 + i);
        batch.rules = 2;
        batch.starts[1] = 2;
        batch.attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
        assert_success(submit(&batch, stream));
        assert_success(cudaStreamSynchronize(stream));
        read_block(&target, got);
        assert_memory_equal(got, wanted, sizeof got);
        end_block(&sources[k]);
    }
    end_block(&target);
    assert_success(cudaStreamDestroy(stream));
}

/* What a host function before it in the stream writes is what the batch copies. */
TEST_BODY(memory_copy_batch_reads_in_stream_order)
{
    enum { BYTES = 4096 };
    struct block source = make_block(PAGEABLE, BYTES);
    struct block target = make_block(DEVICE, BYTES);
    struct batch batch = make_batch(&target, &source);
    struct gate gate = GATE_INITIALIZER;
    unsigned char put[BYTES], got[BYTES];
    cudaStream_t stream;
    assert_success(cudaStreamCreate(&stream));
    fill_random(put, sizeof put, 23);
    gate_hold(&gate, stream);
    assert_success(submit(&batch, stream));
    write_block(&source, put);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    read_block(&target, got);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(got + 1000 * i, put + 500 * i, 100 + i);
    assert_success(cudaStreamDestroy(stream));
    end_block(&target);
    end_block(&source);
}

TEST_BODY(memory_copy_batch_refuses_bad_lists)
{
    struct block block = make_block(DEVICE, 8192);
    struct batch batch = make_batch(&block, &block);
    cudaStream_t stream;
    assert_success(cudaStreamCreate(&stream));
    assert_fails(cudaErrorInvalidValue, submit(&batch, NULL));
    assert_fails(cudaErrorInvalidValue, submit(&batch, cudaStreamLegacy));
    assert_success(submit(&batch, cudaStreamPerThread));
    batch.starts[0] = 1;
    assert_fails(cudaErrorInvalidValue, submit(&batch, stream));
    batch = make_batch(&block, &block);
    batch.rules = 2;
    batch.starts[1] = 0;
    assert_fails(cudaErrorInvalidValue, submit(&batch, stream));
    batch.starts[1] = 3;
    assert_fails(cudaErrorInvalidValue, submit(&batch, stream));
    batch.starts[1] = 1;
    batch.rules = 4;
    assert_fails(cudaErrorInvalidValue, submit(&batch, stream));
    batch = make_batch(&block, &block);
    batch.attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    assert_fails(cudaErrorInvalidValue, submit(&batch, stream));
    batch = make_batch(&block, &block);
    batch.targets[1] = NULL;
    assert_fails(cudaErrorInvalidValue, submit(&batch, stream));
    batch = make_batch(&block, &block);
    batch.sizes[1] = (size_t)1 << 50;
    assert_fails(cudaErrorInvalidValue, submit(&batch, stream));
    assert_success(cudaStreamDestroy(stream));
    end_block(&block);
}

TEST_BODY(memory_copy_batch_3d)
{
    struct block target = make_block(DEVICE, 4096), source = make_block(DEVICE, 4096);
    unsigned char put[4096], got[4096], wanted[4096] = {0};
    struct cudaMemcpy3DBatchOp op = {0};
    cudaStream_t stream;
    assert_success(cudaStreamCreate(&stream));
    fill_random(put, sizeof put, 19);
    write_block(&source, put);
    write_block(&target, wanted);
    op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = source.address;
    op.src.op.ptr.rowLength = 64;
    op.src.op.ptr.layerHeight = 8;
    op.dst.op.ptr.ptr = target.address;
    op.extent = (struct cudaExtent){32, 4, 3};
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    for (size_t z = 0; z < 3; z++) {
        for (size_t y = 0; y < 4; y++)
            memcpy(wanted + (z * 4 + y) * 32, put + (z * 8 + y) * 64, 32);
    }
    assert_success(cudaMemcpy3DBatchAsync(1, &op, 0, stream));
    assert_success(cudaStreamSynchronize(stream));
    read_block(&target, got);
    assert_memory_equal(got, wanted, sizeof got);
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, &op, 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, NULL, 0, stream));
    assert_success(cudaStreamDestroy(stream));
    end_block(&target);
    end_block(&source);
}

/* --- threads ---------------------------------------------------------------------------------- */

static void *copy_round_trips(void *data)
{
    enum { BYTES = 100000, ROUNDS = 30 };
    uint32_t seed = (uint32_t)(uintptr_t)data;
    unsigned char *put = malloc(BYTES), *got = malloc(BYTES), *a = NULL, *b = NULL;
    bool good = put != NULL && got != NULL && cudaMalloc((void **)&a, BYTES) == cudaSuccess &&
                cudaMalloc((void **)&b, BYTES) == cudaSuccess;
    for (int i = 0; good && i < ROUNDS; i++) {
        cudaStream_t stream = i % 2 != 0 ? cudaStreamPerThread : NULL;
        fill_random(put, BYTES, seed + (uint32_t)i * 100 + 1);
        memset(got, 0, BYTES);
        good = cudaMemcpyAsync(a, put, BYTES, cudaMemcpyHostToDevice, stream) == cudaSuccess &&
               cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, stream) == cudaSuccess &&
               cudaMemcpyAsync(got, b, BYTES, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
               cudaStreamSynchronize(stream) == cudaSuccess && memcmp(put, got, BYTES) == 0;
    }
    good = cudaFree(a) == cudaSuccess && cudaFree(b) == cudaSuccess && good;
    free(put);
    free(got);
    return good ? NULL : data;
}

TEST_BODY(memory_copy_from_many_threads)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copy_round_trips, (void *)(i + 1)), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}
