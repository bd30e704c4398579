/* Tests of facade/memory/memory_pool.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/runtime_support.h"

#include <cuda.h>
#include <unistd.h>

#define MIB ((size_t)1024 * 1024)

static struct cudaMemPoolProps device_properties(void)
{
    struct cudaMemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    return properties;
}

static cudaMemPool_t make_pool(void)
{
    const struct cudaMemPoolProps properties = device_properties();
    cudaMemPool_t pool = NULL;
    assert_success(cudaMemPoolCreate(&pool, &properties));
    assert_non_null(pool);
    return pool;
}

static cudaMemPool_t default_pool(void)
{
    cudaMemPool_t pool = NULL;
    assert_success(cudaDeviceGetDefaultMemPool(&pool, 0));
    return pool;
}

static uint64_t get(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    uint64_t value = 0;
    assert_success(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static void set(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, uint64_t value)
{
    assert_success(cudaMemPoolSetAttribute(pool, attribute, &value));
}

static cudaStream_t make_stream(void)
{
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static char *take(size_t bytes, cudaStream_t stream)
{
    char *p = NULL;
    assert_success(cudaMallocAsync((void **)&p, bytes, stream));
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 256, 0);
    return p;
}

static char *take_from(cudaMemPool_t pool, size_t bytes, cudaStream_t stream)
{
    char *p = NULL;
    assert_success(cudaMallocFromPoolAsync((void **)&p, bytes, pool, stream));
    assert_non_null(p);
    return p;
}

static bool is_device_memory(const void *p)
{
    struct cudaPointerAttributes attributes;
    assert_success(cudaPointerGetAttributes(&attributes, p));
    return attributes.type == cudaMemoryTypeDevice;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* What each stream wrote is there when it reads, whatever memory the streams got from each other.
 * */
TEST_BODY(memory_pool_streams_see_their_own_bytes)
{
    enum { STREAMS = 4, ROUNDS = 40, BYTES = 70000 };
    cudaStream_t streams[STREAMS];
    unsigned char *found = NULL;
    assert_success(cudaMallocHost((void **)&found, STREAMS * ROUNDS * 3));
    for (int i = 0; i < STREAMS; i++)
        streams[i] = make_stream();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < STREAMS; i++) {
            unsigned char *to = found + (round * STREAMS + i) * 3;
            char *p = take(BYTES, streams[i]);
            assert_success(cudaMemsetAsync(p, round * STREAMS + i, BYTES, streams[i]));
            const size_t places[] = {0, BYTES / 2, BYTES - 1};
            for (int k = 0; k < 3; k++)
                assert_success(
                    cudaMemcpyAsync(to + k, p + places[k], 1, cudaMemcpyDeviceToHost, streams[i]));
            assert_success(cudaFreeAsync(p, streams[i]));
        }
    }
    assert_success(cudaDeviceSynchronize());
    for (int i = 0; i < STREAMS * ROUNDS * 3; i++)
        assert_int_equal(found[i], i / 3 % 256);
    for (int i = 0; i < STREAMS; i++)
        assert_success(cudaStreamDestroy(streams[i]));
    assert_success(cudaFreeHost(found));
}

/* p is freed behind a gate. Another stream must not get it until an event says so. */
TEST_BODY(memory_pool_reuse_waits_for_its_event)
{
    struct gate gate = GATE_INITIALIZER;
    cudaStream_t first = make_stream(), second = make_stream();
    cudaEvent_t event = NULL;
    unsigned char found = 0;
    assert_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    char *p = take(MIB, first), *copy = NULL;
    assert_success(cudaMalloc((void **)&copy, MIB));
    gate_hold(&gate, first);
    assert_success(cudaMemsetAsync(p, 1, MIB, first));
    assert_success(cudaMemcpyAsync(copy, p, MIB, cudaMemcpyDeviceToDevice, first));
    assert_success(cudaFreeAsync(p, first));
    assert_success(cudaEventRecord(event, first));
    char *q = take(MIB, second);
    assert_ptr_not_equal(q, p);
    assert_success(cudaMemsetAsync(q, 2, MIB, second));
    assert_success(cudaStreamSynchronize(second));
    assert_success(cudaStreamWaitEvent(second, event, 0));
    char *r = take(MIB, second);
    assert_ptr_equal(r, p);
    assert_success(cudaMemsetAsync(r, 3, MIB, second));
    assert_int_equal(cudaStreamQuery(second), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(second));
    assert_success(cudaMemcpy(&found, copy + MIB - 1, 1, cudaMemcpyDeviceToHost));
    assert_int_equal(found, 1);
    assert_success(cudaMemcpy(&found, r, 1, cudaMemcpyDeviceToHost));
    assert_int_equal(found, 3);
    assert_success(cudaFree(copy));
    assert_success(cudaFreeAsync(q, second));
    assert_success(cudaFreeAsync(r, second));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(first));
    assert_success(cudaStreamDestroy(second));
}

/* No event and no wait tells that the first stream is done: it is, and the driver knows, or will in a moment. A
 * machine that is busy with other things may not see it each time. */
TEST_BODY(memory_pool_reuses_what_is_done_elsewhere)
{
    enum { ROUNDS = 20 };
    int reused = 0;
    cudaStream_t first = make_stream(), second = make_stream();
    volatile unsigned char *copy = NULL;
    assert_success(cudaHostAlloc((void **)&copy, MIB, 0));
    for (int round = 1; round <= ROUNDS; round++) {
        cudaMemPool_t pool = make_pool();
        char *p = take_from(pool, MIB, first);
        assert_success(cudaMemsetAsync(p, round, MIB, first));
        assert_success(
            cudaMemcpyAsync((void *)(uintptr_t)copy, p, MIB, cudaMemcpyDeviceToHost, first));
        assert_success(cudaFreeAsync(p, first));
        while (copy[0] != round || copy[MIB - 1] != round)
            usleep(1000);
        usleep(2000);
        char *q = take_from(pool, MIB, second);
        reused += q == p;
        assert_success(cudaFreeAsync(q, second));
        assert_success(cudaMemPoolDestroy(pool));
    }
    assert_true(reused > 0);
    assert_success(cudaFreeHost((void *)(uintptr_t)copy));
    assert_success(cudaStreamDestroy(first));
    assert_success(cudaStreamDestroy(second));
}

TEST_BODY(memory_pool_kernels_use_it)
{
    cudaStream_t stream = make_stream();
    cudaLibrary_t library = load_text("kernel void put(global int *p, int v) { p[get_global_id(0)] "
                                      "= v + (int)get_global_id(0); }\n");
    const void *kernel = find_kernel(library, "put");
    int found[64] = {0}, value = 7;
    int *p = (int *)(void *)take(sizeof found, stream);
    void *args[] = {&p, &value};
    assert_success(launch_1d(kernel, 4, 16, args, 0, stream));
    assert_success(cudaMemcpyAsync(found, p, sizeof found, cudaMemcpyDeviceToHost, stream));
    assert_success(cudaFreeAsync(p, stream));
    assert_success(cudaStreamSynchronize(stream));
    for (int i = 0; i < 64; i++)
        assert_int_equal(found[i], 7 + i);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(memory_pool_pointers_are_device_memory)
{
    CUmemoryPool pool = NULL;
    cudaStream_t stream = make_stream();
    char *p = take(10000, stream);
    assert_true(is_device_memory(p));
    assert_true(is_device_memory(p + 9999));
    assert_int_equal(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                           (CUdeviceptr)(uintptr_t)(p + 5000)),
                     CUDA_SUCCESS);
    assert_ptr_equal(pool, default_pool());
    assert_success(cudaFreeAsync(p, stream));
    assert_false(is_device_memory(p));
    assert_fails(cudaErrorInvalidValue, cudaFreeAsync(p, stream));
    assert_fails(cudaErrorInvalidValue, cudaFree(p));
    assert_success(cudaMalloc((void **)&p, 16));
    assert_int_equal(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                           (CUdeviceptr)(uintptr_t)p),
                     CUDA_SUCCESS);
    assert_null(pool);
    assert_success(cudaFree(p));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(memory_pool_frees_by_either_function)
{
    cudaStream_t stream = make_stream();
    void *plain = NULL;
    char *p = take(4096, stream);
    assert_success(cudaFree(p));
    assert_false(is_device_memory(p));
    assert_success(cudaMalloc(&plain, 4096));
    assert_success(cudaMemsetAsync(plain, 1, 4096, stream));
    assert_success(cudaFreeAsync(plain, stream));
    assert_false(is_device_memory(plain));
    assert_fails(cudaErrorInvalidValue, cudaFree(plain));
    assert_success(cudaStreamSynchronize(stream));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(memory_pool_refuses_bad_arguments)
{
    cudaStream_t stream = make_stream();
    int on_stack = 0;
    void *p = &p, *pinned = NULL;
    cudaMemPool_t pool = make_pool();
    assert_fails(cudaErrorInvalidValue, cudaMallocAsync(NULL, 16, stream));
    assert_success(cudaMallocAsync(&p, 0, stream));
    assert_null(p);
    assert_success(cudaFreeAsync(NULL, stream));
    p = &p;
    assert_fails(cudaErrorMemoryAllocation, cudaMallocAsync(&p, (size_t)1 << 50, stream));
    assert_null(p);
    assert_fails(cudaErrorMemoryAllocation, cudaMallocAsync(&p, SIZE_MAX, stream));
    assert_fails(cudaErrorInvalidValue, cudaMallocFromPoolAsync(NULL, 16, pool, stream));
    assert_fails(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&p, 16, NULL, stream));
    assert_fails(cudaErrorInvalidValue, cudaFreeAsync(&on_stack, stream));
    assert_success(cudaMallocHost(&pinned, 4096));
    assert_fails(cudaErrorInvalidValue, cudaFreeAsync(pinned, stream));
    assert_success(cudaFreeHost(pinned));
    assert_success(cudaMallocAsync(&p, 4096, stream));
    assert_fails(cudaErrorInvalidValue, cudaFreeAsync((char *)p + 16, stream));
    assert_success(cudaFreeAsync(p, stream));
    assert_success(cudaStreamDestroy(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaMallocAsync(&p, 16, stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaFreeAsync(p, stream));
    assert_success(cudaMemPoolDestroy(pool));
}

TEST_BODY(memory_pool_serves_special_streams)
{
    static cudaStream_t const streams[] = {NULL, cudaStreamLegacy, cudaStreamPerThread};
    for (size_t i = 0; i < 3; i++) {
        char *p = take(5000, streams[i]);
        assert_success(cudaMemsetAsync(p, 1, 5000, streams[i]));
        assert_success(cudaFreeAsync(p, streams[i]));
        assert_ptr_equal(take(5000, streams[i]), p);
        assert_success(cudaFreeAsync(p, streams[(i + 1) % 3]));
        assert_success(cudaDeviceSynchronize());
    }
}

/* --- pools ------------------------------------------------------------------------------------ */

TEST_BODY(memory_pool_attributes)
{
    cudaMemPool_t pool = make_pool();
    cudaStream_t stream = make_stream();
    for (int a = cudaMemPoolReuseFollowEventDependencies;
         a <= cudaMemPoolReuseAllowInternalDependencies; a++) {
        int flags[2] = {-1, 55}, off = 0;
        assert_success(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)a, flags));
        assert_int_equal(flags[0], 1);
        assert_int_equal(flags[1], 55); /* an int is written, not more */
        assert_success(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)a, &off));
        assert_success(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)a, flags));
        assert_int_equal(flags[0], 0);
    }
    assert_int_equal(get(pool, cudaMemPoolAttrReleaseThreshold), 0);
    set(pool, cudaMemPoolAttrReleaseThreshold, UINT64_MAX);
    assert_int_equal(get(pool, cudaMemPoolAttrReleaseThreshold), UINT64_MAX);
    char *p = take_from(pool, MIB, stream);
    assert_true(get(pool, cudaMemPoolAttrUsedMemCurrent) >= MIB);
    assert_success(cudaFreeAsync(p, stream));
    assert_int_equal(get(pool, cudaMemPoolAttrUsedMemCurrent), 0);
    assert_true(get(pool, cudaMemPoolAttrUsedMemHigh) >= MIB);
    assert_success(cudaStreamSynchronize(stream));
    assert_true(get(pool, cudaMemPoolAttrReservedMemCurrent) >= MIB);
    set(pool, cudaMemPoolAttrUsedMemHigh, 0);
    assert_int_equal(get(pool, cudaMemPoolAttrUsedMemHigh), 0);
    assert_success(cudaMemPoolTrimTo(pool, 0));
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemCurrent), 0);
    assert_true(get(pool, cudaMemPoolAttrReservedMemHigh) >= MIB);
    set(pool, cudaMemPoolAttrReservedMemHigh, 0);
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemHigh), 0);
    assert_success(cudaMemPoolDestroy(pool));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(memory_pool_attributes_refuse_bad_arguments)
{
    cudaMemPool_t pool = make_pool();
    uint64_t value = 1;
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPoolGetAttribute(NULL, cudaMemPoolAttrReleaseThreshold, &value));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, NULL));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)0, &value));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)99, &value));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &value));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &value));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolTrimTo(NULL, 0));
    assert_success(cudaMemPoolDestroy(pool));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolTrimTo(pool, 0));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolDestroy(NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolDestroy(default_pool()));
}

TEST_BODY(memory_pool_create_refuses_bad_properties)
{
    struct cudaMemPoolProps p = device_properties();
    cudaMemPool_t pool = NULL;
    int types = 0;
    assert_fails(cudaErrorInvalidValue, cudaMemPoolCreate(NULL, &p));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, NULL));
    p.allocType = cudaMemAllocationTypeInvalid;
    assert_fails(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, &p));
    p = device_properties();
    p.location.type = cudaMemLocationTypeInvalid;
    assert_fails(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, &p));
    p = device_properties();
    p.location.id = 1000;
    assert_int_not_equal(cudaMemPoolCreate(&pool, &p), cudaSuccess);
    (void)cudaGetLastError();
    p = device_properties();
    p.handleTypes = cudaMemHandleTypeFabric;
    assert_fails(cudaErrorNotSupported, cudaMemPoolCreate(&pool, &p));
    assert_null(pool);
    assert_success(cudaFree(NULL));
    assert_success(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
    p.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    if (types == 0) {
        assert_fails(cudaErrorNotSupported, cudaMemPoolCreate(&pool, &p));
        assert_null(pool);
    } else {
        assert_int_equal(types, cudaMemHandleTypePosixFileDescriptor);
        assert_success(cudaMemPoolCreate(&pool, &p));
        assert_success(cudaMemPoolDestroy(pool));
    }
}

TEST_BODY(memory_pool_holds_no_more_than_its_maximum)
{
    struct cudaMemPoolProps properties = device_properties();
    cudaMemPool_t pool = NULL;
    cudaStream_t stream = make_stream();
    void *q = NULL;
    properties.maxSize = 8 * MIB;
    assert_success(cudaMemPoolCreate(&pool, &properties));
    char *p = take_from(pool, 6 * MIB, stream);
    assert_fails(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&q, 6 * MIB, pool, stream));
    assert_success(cudaFreeAsync(p, stream));
    assert_success(cudaStreamSynchronize(stream));
    p = take_from(pool, 7 * MIB, stream);
    assert_success(cudaFreeAsync(p, stream));
    assert_success(cudaMemPoolDestroy(pool));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(memory_pool_memory_outlives_its_pool)
{
    cudaMemPool_t pool = make_pool();
    cudaStream_t stream = make_stream();
    unsigned char found = 0;
    char *p = take_from(pool, 4096, stream);
    assert_success(cudaMemPoolDestroy(pool));
    assert_success(cudaMemsetAsync(p, 9, 4096, stream));
    assert_success(cudaMemcpyAsync(&found, p + 4095, 1, cudaMemcpyDeviceToHost, stream));
    assert_success(cudaFreeAsync(p, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(found, 9);
    assert_false(is_device_memory(p));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(memory_pool_of_a_device)
{
    cudaMemPool_t own = make_pool(), found = NULL;
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    assert_success(cudaDeviceGetMemPool(&found, 0));
    assert_ptr_equal(found, default_pool());
    assert_success(cudaDeviceSetMemPool(0, own));
    assert_success(cudaMemGetMemPool(&found, &here, cudaMemAllocationTypePinned));
    assert_ptr_equal(found, own);
    assert_success(cudaMemGetDefaultMemPool(&found, &here, cudaMemAllocationTypePinned));
    assert_ptr_equal(found, default_pool());
    char *p = take(4096, NULL);
    assert_true(get(own, cudaMemPoolAttrUsedMemCurrent) >= 4096);
    assert_success(cudaFreeAsync(p, NULL));
    assert_success(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, default_pool()));
    assert_success(cudaDeviceGetMemPool(&found, 0));
    assert_ptr_equal(found, default_pool());
    assert_success(cudaDeviceSetMemPool(0, own));
    assert_success(cudaMemPoolDestroy(own));
    assert_success(cudaDeviceGetMemPool(&found, 0));
    assert_ptr_equal(found, default_pool());
    assert_fails(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, own));
    assert_fails(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetMemPool(&found, 1000));
    assert_fails(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&found, -1));
    assert_fails(cudaErrorInvalidValue, cudaDeviceGetMemPool(NULL, 0));
}

TEST_BODY(memory_pool_access)
{
    cudaMemPool_t pool = make_pool();
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    struct cudaMemAccessDesc wanted = {here, cudaMemAccessFlagsProtReadWrite};
    enum cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    assert_success(cudaMemPoolGetAccess(&flags, pool, &here));
    assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
    assert_success(cudaMemPoolSetAccess(pool, &wanted, 1));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolSetAccess(NULL, &wanted, 1));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, NULL, 1));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolGetAccess(NULL, pool, &here));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolGetAccess(&flags, pool, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPoolGetAccess(&flags, NULL, &here));
    wanted.flags = cudaMemAccessFlagsProtNone;
    assert_fails(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &wanted, 1));
    wanted.location.id = 1000;
    assert_fails(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &wanted, 1));
    assert_success(cudaMemPoolDestroy(pool));
}

TEST_BODY(memory_pool_ends_with_the_device)
{
    cudaMemPool_t pool = make_pool();
    char *p = take_from(pool, MIB, NULL);
    char *q = take(MIB, NULL);
    assert_success(cudaFreeAsync(take_from(pool, MIB, NULL), NULL));
    assert_success(cudaDeviceReset());
    assert_false(is_device_memory(p));
    assert_false(is_device_memory(q));
    assert_int_equal(get(pool, cudaMemPoolAttrReservedMemCurrent), 0);
    assert_int_equal(get(default_pool(), cudaMemPoolAttrUsedMemCurrent), 0);
    p = take_from(pool, MIB, NULL);
    assert_success(cudaFreeAsync(p, NULL));
    assert_success(cudaMemPoolDestroy(pool));
}

/* Memory of one device in the order of another one's stream. */
TEST_BODY(memory_pool_of_another_device)
{
    int count = 0;
    struct cudaPointerAttributes attributes;
    setenv("POCL_DEVICES", "pthread pthread", 0); /* PoCL makes as many as it is asked for */
    if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2)
        TEST_SKIP("there is one device");
    cudaMemPool_t pool = make_pool();
    assert_success(cudaSetDevice(1));
    cudaStream_t stream = make_stream();
    char *p = take_from(pool, 4096, stream), *q = take(4096, stream);
    assert_success(cudaPointerGetAttributes(&attributes, p));
    assert_int_equal(attributes.device, 0);
    assert_success(cudaPointerGetAttributes(&attributes, q));
    assert_int_equal(attributes.device, 1);
    assert_success(cudaFreeAsync(p, stream));
    assert_success(cudaFreeAsync(q, stream));
    assert_ptr_equal(take(4096, stream), q);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaMemPoolDestroy(pool));
}

/* --- threads ---------------------------------------------------------------------------------- */

enum { THREAD_ROUNDS = 400 };

static void *allocate_and_free(void *data)
{
    unsigned char *number = data, found[64];
    cudaStream_t stream = NULL;
    THREAD_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int round = 0; round < THREAD_ROUNDS; round++) {
        const size_t bytes = 64 + (size_t)(round % 7) * 1000;
        char *p = NULL, *other = NULL;
        THREAD_SUCCESS(cudaMallocAsync((void **)&p, bytes, stream));
        THREAD_SUCCESS(cudaMallocAsync((void **)&other, bytes, cudaStreamPerThread));
        THREAD_SUCCESS(cudaMemsetAsync(p, *number, bytes, stream));
        THREAD_SUCCESS(cudaMemcpyAsync(found, p + bytes - 64, 64, cudaMemcpyDeviceToHost, stream));
        THREAD_SUCCESS(cudaFreeAsync(p, stream));
        THREAD_SUCCESS(cudaFreeAsync(other, cudaStreamPerThread));
        if (round % 8 == 0) {
            THREAD_SUCCESS(cudaStreamSynchronize(stream));
            THREAD_CHECK(found[0] == *number && found[63] == *number);
        }
    }
    THREAD_SUCCESS(cudaStreamSynchronize(stream));
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

TEST_BODY(memory_pool_serves_many_threads)
{
    unsigned char numbers[4] = {11, 22, 33, 44};
    run_threads(4, allocate_and_free, numbers, 1);
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(get(default_pool(), cudaMemPoolAttrUsedMemCurrent), 0);
    assert_int_equal(get(default_pool(), cudaMemPoolAttrReservedMemCurrent), 0);
}

/* Without the driver the pair is one of the cheapest calls: far below a launch. */
TEST_BODY(memory_pool_pairs_are_cheap)
{
    enum { PAIRS = 20000 };
    cudaStream_t stream = make_stream();
    struct timespec start, end;
    double best = 1e9;
    for (int turn = 0; turn < 5; turn++) {
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int i = 0; i < PAIRS; i++)
            assert_success(cudaFreeAsync(take(4096, stream), stream));
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double seconds =
            (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
        best = seconds < best ? seconds : best;
    }
    print_message("%.3f us for a pair\n", best / PAIRS * 1e6);
    assert_true(best / PAIRS < 20e-6); /* sanitizers and loaded machines included */
    assert_success(cudaStreamDestroy(stream));
}
