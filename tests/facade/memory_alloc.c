/* Tests of facade/memory/memory_alloc.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tests/facade/memory_support.h"

static unsigned char byte_at(const void *device)
{
    unsigned char byte = 0;
    assert_success(cudaMemcpy(&byte, device, 1, cudaMemcpyDeviceToHost));
    return byte;
}

TEST_BODY(memory_alloc_zero_bytes_gives_null)
{
    void *p = &p;
    assert_success(cudaMalloc(&p, 0));
    assert_null(p);
    assert_success(cudaFree(p));
}

TEST_BODY(memory_alloc_refuses_impossible_sizes)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 4095, SIZE_MAX / 2 + 1, (size_t)1 << 50};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *p = &p;
        assert_fails(cudaErrorMemoryAllocation, cudaMalloc(&p, sizes[i]));
        assert_null(p);
    }
    void *p = NULL;
    assert_success(cudaMalloc(&p, 16));
    assert_success(cudaFree(p));
}

TEST_BODY(memory_alloc_refuses_null)
{
    assert_fails(cudaErrorInvalidValue, cudaMalloc(NULL, 16));
    assert_fails(cudaErrorInvalidValue, cudaMalloc(NULL, 0));
}

TEST_BODY(memory_alloc_aligns_every_size)
{
    enum { COUNT = 300 };
    void *p[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        assert_success(cudaMalloc(&p[i], 1 + i * i));
        assert_int_equal((uintptr_t)p[i] % 256, 0);
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_success(cudaFree(p[i]));
}

TEST_BODY(memory_alloc_keeps_neighbours_apart)
{
    enum { COUNT = 200 };
    unsigned char *p[COUNT];
    size_t bytes[COUNT];
    uint32_t random = 7;
    for (size_t i = 0; i < COUNT; i++) {
        bytes[i] = 1 + random_below(&random, i % 10 == 0 ? 3 * MIB : 5000);
        assert_success(cudaMalloc((void **)&p[i], bytes[i]));
        assert_success(cudaMemset(p[i], (int)i, bytes[i]));
    }
    for (size_t i = 0; i < COUNT; i += 2)
        assert_success(cudaFree(p[i]));
    for (size_t i = 0; i < COUNT; i += 2) {
        assert_success(cudaMalloc((void **)&p[i], bytes[i]));
        assert_success(cudaMemset(p[i], (int)i, bytes[i]));
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(byte_at(p[i]), i);
        assert_int_equal(byte_at(p[i] + bytes[i] - 1), i);
        assert_success(cudaFree(p[i]));
    }
}

TEST_BODY(memory_alloc_pitch_fits_rows)
{
    static const size_t widths[] = {1, 4, 31, 32, 33, 511, 512, 513, 4096, 5000};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        void *p = NULL;
        size_t pitch = 0;
        assert_success(cudaMallocPitch(&p, &pitch, widths[i], 3));
        assert_true(pitch >= widths[i]);
        assert_true(pitch < widths[i] + 512);
        assert_int_equal(pitch % 512, 0);
        assert_success(cudaMemset(p, 1, 3 * pitch));
        assert_fails(cudaErrorInvalidValue, cudaMemset(p, 1, 3 * pitch + 1));
        assert_success(cudaFree(p));
    }
}

TEST_BODY(memory_alloc_3d_tells_its_shape)
{
    struct cudaPitchedPtr p = {0};
    assert_success(cudaMalloc3D(&p, (struct cudaExtent){100, 3, 2}));
    assert_int_equal(p.pitch, 512);
    assert_int_equal(p.xsize, 100);
    assert_int_equal(p.ysize, 3);
    assert_success(cudaMemset(p.ptr, 0, 6 * p.pitch));
    assert_fails(cudaErrorInvalidValue, cudaMemset(p.ptr, 0, 6 * p.pitch + 1));
    assert_success(cudaFree(p.ptr));
}

/* The codes are those that NVIDIA's runtime gives: what wraps around to nothing is a bad value. */
TEST_BODY(memory_alloc_pitch_refuses_what_no_size_holds)
{
    static const struct {
        struct cudaExtent extent;
        cudaError_t error;
    } cases[] = {
        {{SIZE_MAX, 3, 2}, cudaErrorInvalidValue},
        {{100, SIZE_MAX, 2}, cudaErrorMemoryAllocation},
        {{100, 3, SIZE_MAX}, cudaErrorMemoryAllocation},
        {{SIZE_MAX, SIZE_MAX, 2}, cudaErrorInvalidValue},
        {{1024, (size_t)1 << 30, (size_t)1 << 30}, cudaErrorInvalidValue},
        {{MIB, (size_t)1 << 40, 1}, cudaErrorMemoryAllocation},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cudaPitchedPtr p = {&p, 7, 7, 7};
        assert_fails(cases[i].error, cudaMalloc3D(&p, cases[i].extent));
        assert_null(p.ptr);
        assert_int_equal(p.xsize, 7);
        assert_int_equal(p.ysize, 7);
    }
}

TEST_BODY(memory_alloc_pitch_of_nothing)
{
    static const struct cudaExtent empty[] = {
        {0, 3, 2}, {100, 0, 2}, {100, 3, 0}, {0, SIZE_MAX, SIZE_MAX}};
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        struct cudaPitchedPtr p = {&p, 7, 7, 7};
        assert_success(cudaMalloc3D(&p, empty[i]));
        assert_null(p.ptr);
        assert_int_equal(p.pitch, 0);
        assert_int_equal(p.xsize, empty[i].width);
        assert_int_equal(p.ysize, empty[i].height);
    }
}

TEST_BODY(memory_alloc_pitch_refuses_null)
{
    void *p = NULL;
    size_t pitch = 0;
    assert_fails(cudaErrorInvalidValue, cudaMallocPitch(NULL, &pitch, 16, 16));
    assert_fails(cudaErrorInvalidValue, cudaMallocPitch(&p, NULL, 16, 16));
    assert_fails(cudaErrorInvalidValue, cudaMallocPitch(&p, NULL, 0, 16));
    assert_fails(cudaErrorInvalidValue, cudaMalloc3D(NULL, (struct cudaExtent){1, 1, 1}));
}

TEST_BODY(memory_alloc_free_of_null_is_nothing)
{
    assert_success(cudaFree(NULL));
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
}

TEST_BODY(memory_alloc_free_refuses_what_starts_nowhere)
{
    static const size_t sizes[] = {4096, 64 * MIB};
    int on_stack = 0;
    for (size_t i = 0; i < 2; i++) {
        unsigned char *p = NULL;
        assert_success(cudaMalloc((void **)&p, sizes[i]));
        assert_success(cudaMemset(p, 5, sizes[i]));
        assert_fails(cudaErrorInvalidValue, cudaFree(p + 1));
        assert_fails(cudaErrorInvalidValue, cudaFree(p + 256));
        assert_fails(cudaErrorInvalidValue, cudaFree(p + sizes[i] - 1));
        assert_fails(cudaErrorInvalidValue, cudaFree(p + sizes[i]));
        assert_int_equal(byte_at(p), 5);
        assert_success(cudaFree(p));
        assert_fails(cudaErrorInvalidValue, cudaFree(p));
    }
    assert_fails(cudaErrorInvalidValue, cudaFree(&on_stack));
    assert_fails(cudaErrorInvalidValue, cudaFree((void *)(uintptr_t)16));
    assert_fails(cudaErrorInvalidValue, cudaFree((void *)UINTPTR_MAX));
}

TEST_BODY(memory_alloc_free_refuses_host_memory)
{
    struct block pinned = make_block(PINNED, 4096);
    struct block registered = make_block(REGISTERED, 4096);
    struct block pageable = make_block(PAGEABLE, 4096);
    assert_fails(cudaErrorInvalidValue, cudaFree(pageable.address));
    assert_fails(cudaErrorInvalidValue, cudaFree(pinned.address));
    assert_fails(cudaErrorInvalidValue, cudaFree(registered.address));
    end_block(&pinned);
    end_block(&registered);
    end_block(&pageable);
}

static void spin_on_host(void *data)
{
    (void)data;
    struct timespec duration = {0, 100 * 1000 * 1000};
    nanosleep(&duration, NULL);
}

/* The fill is queued behind something slow when its memory is freed, and what comes next in that
 * place is not hit. */
TEST_BODY(memory_alloc_free_waits_for_queued_work)
{
    unsigned char *p = NULL, *q = NULL;
    cudaStream_t stream;
    assert_success(cudaMalloc((void **)&p, MIB));
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_success(cudaLaunchHostFunc(stream, spin_on_host, NULL));
    assert_success(cudaMemsetAsync(p, 1, MIB, stream));
    assert_success(cudaFree(p));
    assert_success(cudaStreamQuery(stream));
    assert_success(cudaMalloc((void **)&q, MIB));
    assert_success(cudaMemset(q, 2, MIB));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(byte_at(q), 2);
    assert_int_equal(byte_at(q + MIB - 1), 2);
    assert_success(cudaFree(q));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(memory_alloc_reset_ends_everything)
{
    unsigned char *p = NULL, byte = 0;
    assert_success(cudaMalloc((void **)&p, 4096));
    assert_success(cudaDeviceReset());
    assert_fails(cudaErrorInvalidValue, cudaFree(p));
    assert_fails(cudaErrorInvalidValue, cudaMemset(p, 0, 16));
    assert_fails(cudaErrorInvalidValue, cudaMemcpy(p, &byte, 1, cudaMemcpyHostToDevice));
    assert_success(cudaMalloc((void **)&p, 4096));
    assert_success(cudaMemset(p, 9, 4096));
    assert_int_equal(byte_at(p + 4095), 9);
    assert_success(cudaFree(p));
}

TEST_BODY(memory_alloc_reports_what_is_left)
{
    size_t before = 0, during = 0, after = 0, total = 0, other = 0;
    void *p = NULL;
    assert_success(cudaMemGetInfo(&before, &total));
    assert_true(before > 0 && before <= total);
    assert_success(cudaMalloc(&p, 64 * MIB));
    assert_success(cudaMemGetInfo(&during, &other));
    assert_true(during + 64 * MIB <= before);
    assert_success(cudaFree(p));
    assert_success(cudaMemGetInfo(&after, &other));
    assert_true(after >= during + 64 * MIB);
}

struct worker {
    pthread_t thread;
    uint32_t seed;
    const char *failure;
};

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            self->failure = #condition;                                                            \
            return NULL;                                                                           \
        }                                                                                          \
    } while (0)

/* cmocka's assertions belong to the main thread. */
static void *allocate_and_free(void *data)
{
    struct worker *self = data;
    enum { KEPT = 16, ROUNDS = 400 };
    unsigned char *kept[KEPT] = {0};
    size_t bytes[KEPT] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        size_t i = random_below(&self->seed, KEPT);
        unsigned char back = 0;
        if (kept[i] != NULL) {
            CHECK(cudaMemcpy(&back, kept[i] + bytes[i] - 1, 1, cudaMemcpyDeviceToHost) ==
                  cudaSuccess);
            CHECK(back == (unsigned char)(i));
            CHECK(cudaFree(kept[i]) == cudaSuccess);
        }
        bytes[i] = 1 + random_below(&self->seed, 20000);
        CHECK(cudaMalloc((void **)&kept[i], bytes[i]) == cudaSuccess);
        CHECK(cudaMemset(kept[i], (int)i, bytes[i]) == cudaSuccess);
    }
    for (size_t i = 0; i < KEPT; i++)
        CHECK(cudaFree(kept[i]) == cudaSuccess);
    return NULL;
}

TEST_BODY(memory_alloc_from_many_threads)
{
    enum { THREADS = 8 };
    struct worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.seed = 1 + i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, allocate_and_free, &workers[i]),
                         0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].failure != NULL)
            fail_msg("thread %u: %s", i, workers[i].failure);
    }
}

static void *free_it(void *data)
{
    return (void *)(uintptr_t)cudaFree(data);
}

TEST_BODY(memory_alloc_free_by_another_thread)
{
    void *p = NULL, *result = NULL;
    pthread_t thread;
    assert_success(cudaMalloc(&p, 4096));
    assert_int_equal(pthread_create(&thread, NULL, free_it, p), 0);
    pthread_join(thread, &result);
    assert_int_equal((uintptr_t)result, cudaSuccess);
    assert_fails(cudaErrorInvalidValue, cudaFree(p));
}

/* Sizes and offsets past 32 bits reach the device whole. */
TEST_BODY(memory_alloc_beyond_4_gib)
{
    size_t available = 0, total = 0;
    unsigned char *p = NULL;
    unsigned value = 0;
    assert_success(cudaMemGetInfo(&available, &total));
    if (available < 5 * GIB)
        TEST_SKIP("needs 5 GiB of device memory");
    cudaError_t error = cudaMalloc((void **)&p, 4 * GIB + 64 * KIB);
    if (error == cudaErrorMemoryAllocation)
        TEST_SKIP("the device allows no allocation above 4 GiB");
    assert_success(error);
    assert_success(cudaMemset(p, 0x11, 64 * KIB));
    assert_success(cudaMemset(p + 4 * GIB, 0x22, 64 * KIB));
    assert_success(cudaMemset(p + 4 * GIB - 2, 0x33, 4));
    assert_success(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 0x11111111);
    assert_success(cudaMemcpy(&value, p + 4 * GIB, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 0x22223333);
    assert_success(cudaMemcpy(p + 8, p + 4 * GIB + 100, 4, cudaMemcpyDeviceToDevice));
    assert_success(cudaMemcpy(&value, p + 8, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 0x22222222);
    assert_fails(cudaErrorInvalidValue, cudaMemset(p, 0, 4 * GIB + 64 * KIB + 1));
    assert_success(cudaFree(p));
}

/* Sets what the process may still take of address space, or of data; 0: all. */
static void limit_to(bool is_data, unsigned long long left)
{
    unsigned long long space = 0, data = 0;
    struct rlimit limit;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu %*u %*u %*u %*u %llu", &space, &data), 2);
    fclose(file);
    assert_int_equal(is_data ? getrlimit(RLIMIT_DATA, &limit) : getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    if (left)
        limit.rlim_cur = (is_data ? data : space) * (rlim_t)sysconf(_SC_PAGESIZE) + left;
    assert_int_equal(is_data ? setrlimit(RLIMIT_DATA, &limit) : setrlimit(RLIMIT_AS, &limit), 0);
}

TEST_BODY(memory_alloc_of_more_than_the_process_may_have_fails)
{
    const size_t bytes = (size_t)1 << 30;
    const struct cudaChannelFormatDesc words = {32, 32, 32, 32, cudaChannelFormatKindUnsigned};
    struct cudaDeviceProp properties;
    cudaArray_t array = NULL;
    void *p = NULL;
    assert_success(cudaGetDeviceProperties(&properties, 0));
    for (int is_data = 0; is_data < 2; is_data++) {
        limit_to(is_data, bytes / 2);
        assert_fails(cudaErrorMemoryAllocation, cudaMallocHost(&p, bytes));
        assert_fails(cudaErrorMemoryAllocation, cudaMallocManaged(&p, bytes, cudaMemAttachGlobal));
        if (properties.integrated) {
            assert_fails(cudaErrorMemoryAllocation, cudaMalloc(&p, bytes));
            assert_fails(cudaErrorMemoryAllocation, cudaMallocAsync(&p, bytes, NULL));
            assert_fails(cudaErrorMemoryAllocation,
                         cudaMallocArray(&array, &words, 8192, 8192, cudaArrayDefault));
        }
        limit_to(is_data, 0);
        assert_success(cudaMalloc(&p, 4096));
        assert_success(cudaMemset(p, 7, 4096));
        assert_int_equal(byte_at(p), 7);
        assert_success(cudaFree(p));
    }
}

/* What programs do when memory is short can be tried on any device. */
TEST_BODY(memory_alloc_may_be_limited_for_tests)
{
    struct cudaDeviceProp properties;
    size_t left = 0, all = 0;
    void *p = NULL, *q = NULL;
    setenv("CLEM_MEMORY", "96M", 1);
    assert_success(cudaGetDeviceProperties(&properties, 0));
    assert_int_equal(properties.totalGlobalMem, 96 * MIB);
    assert_success(cudaMemGetInfo(&left, &all));
    assert_int_equal(all, 96 * MIB);
    assert_in_range(left, 1, 96 * MIB);
    assert_success(cudaMalloc(&p, 64 * MIB));
    assert_fails(cudaErrorMemoryAllocation, cudaMalloc(&q, 48 * MIB));
    assert_fails(cudaErrorMemoryAllocation, cudaMallocAsync(&q, 48 * MIB, NULL));
    assert_null(q);
    assert_success(cudaMemset(p, 7, 64 * MIB));
    assert_int_equal(byte_at((char *)p + 64 * MIB - 1), 7);
    assert_success(cudaMemGetInfo(&left, &all));
    assert_in_range(left, 0, 32 * MIB);
    assert_success(cudaFree(p));
    assert_success(cudaMalloc(&q, 48 * MIB));
    assert_success(cudaFree(q));
}

TEST_BODY(memory_alloc_limit_that_is_none_is_not_one)
{
    size_t left = 0, all = 0;
    setenv("CLEM_MEMORY", "64MB", 1);
    assert_success(cudaMemGetInfo(&left, &all));
    assert_true(all > (size_t)64 << 20);
}
