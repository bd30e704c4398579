/* Tests of facade/memory/memory_set.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <time.h>

#include "tests/facade/memory_support.h"
#include "tests/facade/runtime_support.h"

enum { BYTES = 64 * 1024 };

static void compare(const struct block *block, const unsigned char *wanted)
{
    unsigned char *got = malloc(block->bytes);
    read_block(block, got);
    assert_memory_equal(got, wanted, block->bytes);
    free(got);
}

/* A block of each kind that sets may name, with known contents, and a model of it. */
static struct block make_filled(enum block_kind kind, unsigned char *model)
{
    struct block block = make_block(kind, BYTES);
    fill_random(model, BYTES, 37);
    write_block(&block, model);
    return block;
}

TEST_BODY(memory_set_any_range)
{
    static const size_t ranges[][2] = {{0, 1},     {3, 5},      {1, 15},    {16, 16},
                                       {7, 1000},  {100, 4096}, {1, 33333}, {0, 64 * 1024},
                                       {65535, 1}, {0, 0}};
    unsigned char *model = malloc(BYTES);
    for (int kind = PINNED; kind <= DEVICE; kind++) {
        struct block block = make_filled((enum block_kind)kind, model);
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
            memset(model + ranges[i][0], (int)(i + 200), ranges[i][1]);
            if (i % 2 != 0)
                assert_success(cudaMemsetAsync(block.address + ranges[i][0], (int)(i + 200),
                                               ranges[i][1], NULL));
            else
                assert_success(
                    cudaMemset(block.address + ranges[i][0], (int)(i + 200), ranges[i][1]));
            compare(&block, model);
        }
        end_block(&block);
    }
    free(model);
}

TEST_BODY(memory_set_takes_the_low_byte)
{
    unsigned char got[32];
    struct block block = make_block(DEVICE, 32);
    assert_success(cudaMemset(block.address, 0x1234, 16));
    assert_success(cudaMemset(block.address + 16, -1, 16));
    read_block(&block, got);
    assert_int_equal(got[0], 0x34);
    assert_int_equal(got[15], 0x34);
    assert_int_equal(got[16], 0xff);
    assert_int_equal(got[31], 0xff);
    end_block(&block);
}

TEST_BODY(memory_set_2d_leaves_padding_alone)
{
    unsigned char *model = malloc(BYTES);
    uint32_t random = 41;
    for (int round = 0; round < 30; round++) {
        struct block block = make_filled(round % 3 == 0 ? PINNED : DEVICE, model);
        size_t width = 1 + random_below(&random, 200), height = 1 + random_below(&random, 100);
        size_t pitch = width + random_below(&random, 300), offset = random_below(&random, 50);
        for (size_t y = 0; y < height; y++)
            memset(model + offset + y * pitch, round, width);
        if (round % 2 != 0)
            assert_success(
                cudaMemset2DAsync(block.address + offset, pitch, round, width, height, NULL));
        else
            assert_success(cudaMemset2D(block.address + offset, pitch, round, width, height));
        compare(&block, model);
        end_block(&block);
    }
    free(model);
}

TEST_BODY(memory_set_3d_leaves_padding_alone)
{
    unsigned char *model = malloc(BYTES);
    uint32_t random = 43;
    for (int round = 0; round < 30; round++) {
        struct block block = make_filled(round % 3 == 0 ? PINNED : DEVICE, model);
        struct cudaExtent extent = {1 + random_below(&random, 60), 1 + random_below(&random, 12),
                                    1 + random_below(&random, 8)};
        struct cudaPitchedPtr p = {block.address, extent.width + random_below(&random, 200),
                                   extent.width, extent.height + random_below(&random, 5)};
        for (size_t z = 0; z < extent.depth; z++) {
            for (size_t y = 0; y < extent.height; y++)
                memset(model + (z * p.ysize + y) * p.pitch, round, extent.width);
        }
        if (round % 2 != 0)
            assert_success(cudaMemset3DAsync(p, round, extent, NULL));
        else
            assert_success(cudaMemset3D(p, round, extent));
        compare(&block, model);
        end_block(&block);
    }
    free(model);
}

TEST_BODY(memory_set_large)
{
    size_t bytes = 20 * MIB + 3;
    struct block block = make_block(DEVICE, bytes + 2);
    unsigned char *got = malloc(bytes + 2);
    assert_success(cudaMemset(block.address, 1, bytes + 2));
    assert_success(cudaMemset(block.address + 1, 2, bytes));
    read_block(&block, got);
    assert_int_equal(got[0], 1);
    for (size_t i = 1; i <= bytes; i++)
        assert_int_equal(got[i], 2);
    assert_int_equal(got[bytes + 1], 1);
    end_block(&block);
    free(got);
}

TEST_BODY(memory_set_nothing_succeeds)
{
    assert_success(cudaMemset(NULL, 0, 0));
    assert_success(cudaMemsetAsync(NULL, 0, 0, NULL));
    assert_success(cudaMemset2D(NULL, 0, 1, 0, 0));
    assert_success(cudaMemset3D((struct cudaPitchedPtr){0}, 1, (struct cudaExtent){0}));
}

TEST_BODY(memory_set_refuses_bad_memory)
{
    struct block device = make_block(DEVICE, BYTES), pageable = make_block(PAGEABLE, BYTES);
    assert_fails(cudaErrorInvalidValue, cudaMemset(NULL, 0, 16));
    assert_fails(cudaErrorInvalidValue, cudaMemset(pageable.address, 0, 16));
    assert_fails(cudaErrorInvalidValue, cudaMemset(device.address, 0, BYTES + 1));
    assert_fails(cudaErrorInvalidValue, cudaMemset(device.address + 1, 0, BYTES));
    assert_fails(cudaErrorInvalidValue, cudaMemset(device.address, 0, SIZE_MAX));
    assert_success(cudaMemset2D(device.address, 1024, 1, 1024, 64));
    assert_fails(cudaErrorInvalidValue, cudaMemset2D(device.address, 1024, 1, 1024, 65));
    assert_fails(cudaErrorInvalidValue, cudaMemset2D(device.address, 100, 1, 60, SIZE_MAX));
    assert_fails(cudaErrorInvalidValue, cudaMemset2D(device.address, 59, 1, 60, 5));
    assert_fails(cudaErrorInvalidValue, cudaMemset2D(NULL, 100, 1, 60, 5));
    const struct cudaPitchedPtr p = {device.address, 1024, 1024, 32};
    assert_success(cudaMemset3D(p, 1, (struct cudaExtent){1024, 32, 2}));
    assert_fails(cudaErrorInvalidValue, cudaMemset3D(p, 1, (struct cudaExtent){1024, 32, 3}));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemset3D(p, 1, (struct cudaExtent){1024, 32, SIZE_MAX}));
    end_block(&device);
    end_block(&pageable);
}

TEST_BODY(memory_set_single_row)
{
    static const size_t pitches[] = {0, 59, SIZE_MAX};
    unsigned char got[256];
    struct block block = make_block(DEVICE, 256);
    for (size_t i = 0; i < 3; i++) {
        assert_success(cudaMemset(block.address, 0xee, 256));
        assert_success(cudaMemset2D(block.address, pitches[i], 7, 60, 1));
        read_block(&block, got);
        assert_int_equal(got[59], 7);
        assert_int_equal(got[60], 0xee);
    }
    end_block(&block);
}

static void take_a_while(void *data)
{
    const struct timespec duration = {0, 50 * 1000 * 1000};
    nanosleep(&duration, NULL);
    atomic_store((_Atomic bool *)data, true);
}

static void wait_for_permission(void *data)
{
    const struct timespec tick = {0, 1000 * 1000};
    for (int i = 0; i < 5000 && !atomic_load((_Atomic bool *)data); i++)
        nanosleep(&tick, NULL);
}

/* Host memory shows the value as soon as the blocking form returns, after earlier work of the
 * stream. */
TEST_BODY(memory_set_of_pinned_memory_completes)
{
    struct block kinds[] = {make_block(PINNED, BYTES), make_block(REGISTERED, BYTES)};
    for (size_t i = 0; i < 2; i++) {
        _Atomic bool has_run = false;
        memset(kinds[i].address, 0, BYTES);
        assert_success(cudaLaunchHostFunc(NULL, take_a_while, (void *)&has_run));
        assert_success(cudaMemset(kinds[i].address, 9, BYTES));
        assert_true(has_run);
        assert_int_equal(kinds[i].address[0], 9);
        assert_int_equal(kinds[i].address[BYTES - 1], 9);
        end_block(&kinds[i]);
    }
}

/* Both forms return while earlier work of the stream still runs; the asynchronous one for host
 * memory as well. */
TEST_BODY(memory_set_otherwise_does_not_wait)
{
    struct block device = make_block(DEVICE, BYTES), pinned = make_block(PINNED, BYTES);
    _Atomic bool may_end = false;
    assert_success(cudaLaunchHostFunc(NULL, wait_for_permission, (void *)&may_end));
    assert_success(cudaMemset(device.address, 9, BYTES));
    assert_success(cudaMemsetAsync(pinned.address, 9, BYTES, NULL));
    assert_int_equal(cudaStreamQuery(NULL), cudaErrorNotReady);
    may_end = true;
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(pinned.address[BYTES - 1], 9);
    end_block(&device);
    end_block(&pinned);
}

/* Several fills run at once, each with a larger grid than those before it: PoCL up to 5 ends the process when these have
 * different compiled forms of a kernel (cl/transfer/transfer_kernel.c). */
TEST_BODY(memory_set_of_growing_sizes_runs_at_once)
{
    enum { STREAMS = 8, LEAST = 2 << 20 };
    struct gate gate = GATE_INITIALIZER;
    cudaStream_t streams[STREAMS];
    char *memory[STREAMS], got[4];
    setenv("POCL_MAX_PTHREAD_COUNT", "8", 1); /* as many kernels run at once */
    for (size_t i = 0; i < STREAMS; i++) {
        assert_success(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        assert_success(cudaMalloc((void **)&memory[i], (i + 1) * LEAST));
        gate_hold(&gate, streams[i]);
        assert_success(cudaMemsetAsync(memory[i], (int)i + 1, (i + 1) * LEAST, streams[i]));
    }
    gate_open(&gate);
    for (size_t i = 0; i < STREAMS; i++) {
        const char wanted[] = {(char)(i + 1), (char)(i + 1), (char)(i + 1), (char)(i + 1)};
        assert_success(cudaStreamSynchronize(streams[i]));
        assert_success(cudaMemcpy(got, memory[i] + (i + 1) * LEAST - sizeof got, sizeof got,
                                  cudaMemcpyDeviceToHost));
        assert_memory_equal(got, wanted, sizeof got);
        assert_success(cudaFree(memory[i]));
        assert_success(cudaStreamDestroy(streams[i]));
    }
}
