/* Tests of facade/memory/memory_managed.c and managed_advice.c: what host, kernels and copies see of
 * managed memory, and what is remembered about it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/managed_support.h"

#include <sys/mman.h>
#include <unistd.h>

#define KIB ((size_t)1024)
#define MIB ((size_t)1024 * 1024)

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* --- allocation ------------------------------------------------------------------------------- */

TEST_BODY(managed_is_zero_and_begins_at_a_page)
{
    static const size_t sizes[] = {1, 3, 4095, 4096, 4097, 100000, 5 * MIB + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *p = managed_block(sizes[i]);
        assert_int_equal((uintptr_t)p % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(p[k], 0);
        memset(p, 0xff, sizes[i]); /* what is made of it next is zero again */
        assert_success(cudaFree(p));
    }
}

TEST_BODY(managed_allocation_checks_arguments)
{
    void *p = &p;
    assert_success(cudaFree(managed_block(16)));
    assert_fails(cudaErrorInvalidValue, cudaMallocManaged(NULL, 16, cudaMemAttachGlobal));
    assert_fails(cudaErrorInvalidValue, cudaMallocManaged(&p, 16, 0));
    assert_null(p);
    assert_fails(cudaErrorInvalidValue, cudaMallocManaged(&p, 16, cudaMemAttachSingle));
    assert_fails(cudaErrorInvalidValue,
                 cudaMallocManaged(&p, 16, cudaMemAttachGlobal | cudaMemAttachHost));
    assert_fails(cudaErrorMemoryAllocation, cudaMallocManaged(&p, SIZE_MAX, cudaMemAttachGlobal));
    assert_fails(cudaErrorMemoryAllocation,
                 cudaMallocManaged(&p, (size_t)1 << 50, cudaMemAttachHost));
    assert_null(p);
    p = &p;
    assert_success(cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
    assert_null(p);
    assert_success(cudaFree(p));
}

TEST_BODY(managed_is_freed_by_its_start_alone)
{
    char *p = managed_block(64 * KIB);
    assert_fails(cudaErrorInvalidValue, cudaFree(p + 1));
    assert_fails(cudaErrorInvalidValue, cudaFree(p + 4096));
    assert_fails(cudaErrorInvalidValue, cudaFreeHost(p));
    assert_fails(cudaErrorInvalidValue, cudaHostUnregister(p));
    p[100] = 1;
    assert_success(cudaFree(p));
    assert_fails(cudaErrorInvalidValue, cudaFree(p));
    struct cudaPointerAttributes attributes;
    assert_success(cudaPointerGetAttributes(&attributes, p));
    assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
}

/* Ten times what the device has, one after the other. */
TEST_BODY(managed_memory_comes_back)
{
    size_t before = 0, after = 0, total = 0;
    assert_success(cudaFree(managed_block(MIB)));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaMemGetInfo(&before, &total));
    for (int i = 0; i < 200; i++) {
        int *p = managed_block(MIB);
        p[i] = i;
        assert_success(cudaFree(p));
    }
    assert_success(cudaMemGetInfo(&after, &total));
    assert_true(after + 8 * MIB >= before);
}

TEST_BODY(managed_tells_what_it_is)
{
    char *p = managed_block(64 * KIB);
    struct cudaPointerAttributes attributes;
    struct cudaDeviceProp properties;
    unsigned flags = 77;
    void *device = NULL;
    assert_success(cudaPointerGetAttributes(&attributes, p + 5000));
    assert_int_equal(attributes.type, cudaMemoryTypeManaged);
    assert_int_equal(attributes.device, 0);
    assert_ptr_equal(attributes.devicePointer, p + 5000);
    assert_ptr_equal(attributes.hostPointer, p + 5000);
    assert_success(cudaHostGetFlags(&flags, p));
    assert_int_equal(flags, cudaHostAllocMapped);
    assert_fails(cudaErrorInvalidValue, cudaHostGetDevicePointer(&device, p, 0));
    assert_fails(cudaErrorInvalidValue, cudaHostRegister(p, 4096, 0));
    assert_success(cudaGetDeviceProperties(&properties, 0));
    assert_int_equal(properties.managedMemory, 1);
    int value = 77;
    assert_success(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, 0));
    assert_int_equal(value, properties.concurrentManagedAccess);
    assert_success(cudaFree(p));
}

/* --- host and kernels ------------------------------------------------------------------------- */

TEST_BODY(managed_host_and_kernels_see_each_other)
{
    enum { COUNT = 3 * 1024 * 1024 / 4 + 5 };
    int *p = managed_block(COUNT * sizeof *p);
    uint32_t seed = 99;
    int *model = calloc(COUNT, sizeof *model);
    assert_non_null(model);
    for (int round = 0; round < 4; round++) {
        for (int touch = 0; touch < 20; touch++) {
            const size_t at = next_random(&seed) % COUNT;
            assert_int_equal(p[at], model[at]);
            p[at] = model[at] = (int)(next_random(&seed) % 1000);
        }
        const size_t begin = next_random(&seed) % COUNT, count = COUNT - begin;
        run_on("add", p + begin, (int)count, round + 1, NULL);
        assert_success(cudaDeviceSynchronize());
        for (size_t i = begin; i < COUNT; i++)
            model[i] += round + 1;
    }
    assert_memory_equal(p, model, COUNT * sizeof *p);
    free(model);
    assert_success(cudaFree(p));
}

TEST_BODY(managed_is_seen_after_each_way_to_wait)
{
    enum { COUNT = 1000 };
    int *p = managed_block(COUNT * sizeof *p);
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaEventCreate(&event));
    run_on("pattern", p, COUNT, 1, stream);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(p[COUNT - 1], pattern_value(COUNT - 1, 1));
    run_on("pattern", p, COUNT, 2, stream);
    assert_success(cudaEventRecord(event, stream));
    assert_success(cudaEventSynchronize(event));
    assert_int_equal(p[COUNT - 1], pattern_value(COUNT - 1, 2));
    run_on("pattern", p, COUNT, 3, cudaStreamPerThread);
    while (cudaStreamQuery(cudaStreamPerThread) == cudaErrorNotReady)
        pause_briefly();
    assert_int_equal(p[COUNT - 1], pattern_value(COUNT - 1, 3));
    run_on("pattern", p, COUNT, 4, NULL);
    int last = 0;
    assert_success(cudaMemcpy(&last, p + COUNT - 1, sizeof last, cudaMemcpyDefault));
    assert_int_equal(last, pattern_value(COUNT - 1, 4));
    assert_int_equal(p[COUNT - 1], last);
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* One kernel reads what the host wrote into a second block and writes a third. */
TEST_BODY(managed_blocks_work_together)
{
    enum { COUNT = 100000 };
    int *p = managed_block(COUNT * sizeof *p), *out = managed_block(sizeof *out);
    int n = COUNT, sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += p[i] = i % 13;
    void *args[] = {&p, &n, &out};
    assert_success(launch_1d(managed_kernel("total"), 1, 1, args, 0, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(*out, sum);
    p[COUNT - 1] += 5;
    assert_success(launch_1d(managed_kernel("total"), 1, 1, args, 0, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(*out, sum + 5);
    assert_success(cudaFree(p));
    assert_success(cudaFree(out));
}

struct own_use {
    int number;
    const void *add;
};

static void *use_managed(void *data)
{
    enum { COUNT = 20000 };
    const struct own_use *use = data;
    for (int round = 0; round < 5; round++) {
        int *p = NULL, n = COUNT;
        void *args[] = {&p, &n, &round};
        THREAD_SUCCESS(cudaMallocManaged((void **)&p, COUNT * sizeof *p, cudaMemAttachGlobal));
        THREAD_CHECK(p[COUNT - 1] == 0);
        p[7] = use->number;
        THREAD_SUCCESS(cudaMemAdvise(p, COUNT, cudaMemAdviseSetReadMostly, on_device()));
        THREAD_SUCCESS(launch_1d(use->add, COUNT / 50, 50, args, 0, cudaStreamPerThread));
        THREAD_SUCCESS(cudaMemPrefetchAsync(p, COUNT, on_host(), 0, cudaStreamPerThread));
        THREAD_SUCCESS(cudaStreamSynchronize(cudaStreamPerThread));
        THREAD_CHECK(p[7] == use->number + round && p[COUNT - 1] == round);
        THREAD_SUCCESS(cudaFree(p));
    }
    return NULL;
}

TEST_BODY(managed_threads_use_their_own)
{
    struct own_use uses[4];
    assert_success(cudaFree(managed_block(16)));
    for (int i = 0; i < 4; i++)
        uses[i] = (struct own_use){i + 1, managed_kernel("add")};
    run_threads(4, use_managed, uses, sizeof uses[0]);
}

/* --- copies and fills ------------------------------------------------------------------------- */

/* Any kind of copy fits: managed memory is the host's and the device's. */
TEST_BODY(managed_copies_follow_a_model)
{
    enum { BYTES = 300000, ROUNDS = 60 };
    unsigned char *managed = managed_block(BYTES), *device = NULL, *pinned = NULL;
    unsigned char *pageable = malloc(BYTES), *model[4];
    uint32_t seed = 5;
    assert_non_null(pageable);
    assert_success(cudaMalloc((void **)&device, BYTES));
    assert_success(cudaMallocHost((void **)&pinned, BYTES));
    unsigned char *blocks[4] = {managed, device, pinned, pageable};
    for (int i = 0; i < 4; i++) {
        model[i] = malloc(BYTES);
        assert_non_null(model[i]);
        for (size_t k = 0; k < BYTES; k++)
            model[i][k] = (unsigned char)next_random(&seed);
        assert_success(cudaMemcpy(blocks[i], model[i], BYTES, cudaMemcpyDefault));
    }
    for (int round = 0; round < ROUNDS; round++) {
        const bool is_source = next_random(&seed) % 2 == 0;
        const int other = (int)(next_random(&seed) % 4);
        const int from = is_source ? 0 : other, to = is_source ? other : 0;
        const size_t bytes = 1 + next_random(&seed) % (BYTES / 2);
        const size_t source = next_random(&seed) % (BYTES - bytes + 1);
        const size_t target = next_random(&seed) % (BYTES - bytes + 1);
        const bool is_pageable = from == 3 || to == 3;
        enum cudaMemcpyKind kind = cudaMemcpyDefault;
        if (!is_pageable)
            kind = (enum cudaMemcpyKind)(next_random(&seed) % 5);
        assert_success(
            cudaMemcpyAsync(blocks[to] + target, blocks[from] + source, bytes, kind, NULL));
        memmove(model[to] + target, model[from] + source, bytes);
        if (round % 4 == 0) {
            assert_success(cudaDeviceSynchronize());
            managed[round] = model[0][round] = (unsigned char)round;
        }
    }
    unsigned char *seen = malloc(BYTES);
    assert_non_null(seen);
    for (int i = 0; i < 4; i++) {
        assert_success(cudaMemcpy(seen, blocks[i], BYTES, cudaMemcpyDefault));
        assert_memory_equal(seen, model[i], BYTES);
        free(model[i]);
    }
    free(seen);
    free(pageable);
    assert_success(cudaFreeHost(pinned));
    assert_success(cudaFree(device));
    assert_success(cudaFree(managed));
}

TEST_BODY(managed_copies_are_done_when_they_return)
{
    enum { BYTES = 5 * 1024 * 1024 };
    char *p = managed_block(BYTES), *device = NULL;
    assert_success(cudaMalloc((void **)&device, BYTES));
    assert_success(cudaMemset(device, 7, BYTES));
    assert_success(cudaMemcpy(p, device, BYTES, cudaMemcpyDeviceToDevice));
    assert_int_equal(p[BYTES - 1], 7);
    assert_success(cudaMemset(p, 9, BYTES));
    assert_int_equal(p[BYTES - 1], 9);
    assert_fails(cudaErrorInvalidValue, cudaMemcpy(p, device, BYTES + 1, cudaMemcpyDefault));
    assert_fails(cudaErrorInvalidValue, cudaMemset(p + 1, 0, BYTES));
    assert_success(cudaFree(device));
    assert_success(cudaFree(p));
}

TEST_BODY(managed_rows_are_copied_and_filled)
{
    enum { PITCH = 333, OTHER = 257, WIDTH = 201, ROWS = 19 };
    unsigned char *p = managed_block(PITCH * ROWS), *device = NULL, back[OTHER * ROWS];
    assert_success(cudaMalloc((void **)&device, OTHER * ROWS));
    assert_success(cudaMemset(device, 0, OTHER * ROWS));
    for (int i = 0; i < PITCH * ROWS; i++)
        p[i] = (unsigned char)(i * 31);
    assert_success(cudaMemcpy2D(device, OTHER, p + 3, PITCH, WIDTH, ROWS, cudaMemcpyHostToDevice));
    assert_success(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
    for (int y = 0; y < ROWS; y++) {
        assert_memory_equal(back + y * OTHER, p + 3 + y * PITCH, WIDTH);
        if (y < ROWS - 1)
            assert_int_equal(back[y * OTHER + WIDTH], 0);
    }
    assert_success(cudaMemset2D(p + 1, PITCH, 5, WIDTH, ROWS));
    assert_int_equal(p[1] + p[PITCH * (ROWS - 1) + WIDTH], 10);
    assert_int_equal(p[0], 0);
    assert_int_equal(p[WIDTH + 1], (unsigned char)((WIDTH + 1) * 31));
    assert_success(cudaFree(device));
    assert_success(cudaFree(p));
}

/* --- attachment ------------------------------------------------------------------------------- */

TEST_BODY(managed_attach_checks_arguments)
{
    char *p = managed_block(64 * KIB), *device = NULL;
    cudaStream_t stream = NULL;
    assert_success(cudaMalloc((void **)&device, 4096));
    assert_success(cudaStreamCreate(&stream));
    for (unsigned flags = 1; flags <= 8; flags++) {
        const bool is_one = flags == 1 || flags == 2 || flags == 4;
        if (is_one)
            assert_success(cudaStreamAttachMemAsync(stream, p, 0, flags));
        else
            assert_fails(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, p, 0, flags));
    }
    assert_success(cudaStreamAttachMemAsync(stream, p, 64 * KIB, cudaMemAttachHost));
    assert_fails(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, p, 64 * KIB - 1, 1));
    assert_fails(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, p, 64 * KIB + 1, 1));
    assert_fails(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, p + 1, 0, 1));
    assert_fails(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, NULL, 0, 1));
    assert_fails(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, device, 0, 1));
    assert_fails(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, &p, 0, 1));
    assert_fails(cudaErrorInvalidValue, cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachSingle));
    assert_success(cudaStreamAttachMemAsync(cudaStreamPerThread, p, 0, cudaMemAttachSingle));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(device));
    assert_success(cudaFree(p));
}

/* Memory of one stream may be used by the host while another stream works. Where pages move, that
 * is so for blocks with pages of their own, which small ones have not. */
TEST_BODY(managed_attached_memory_is_the_hosts_meanwhile)
{
    struct gate gate = GATE_INITIALIZER;
    int *mine = managed_block(2 * MIB), *busy = managed_block(2 * MIB);
    cudaStream_t stream = NULL, other = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_success(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    (void)managed_kernel("add");
    assert_success(cudaStreamAttachMemAsync(stream, mine, 0, cudaMemAttachSingle));
    assert_success(cudaStreamAttachMemAsync(other, busy, 0, cudaMemAttachSingle));
    assert_success(cudaDeviceSynchronize());
    gate_hold(&gate, other);
    run_on("add", busy, 100, 3, other);
    mine[5] = 5;
    run_on("add", mine, 100, 1, stream);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(mine[5], 6);
    mine[5] = 8;
    assert_int_equal(cudaStreamQuery(other), cudaErrorNotReady);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(other));
    assert_int_equal(busy[99], 3);
    assert_int_equal(mine[5], 8);
    assert_success(cudaStreamAttachMemAsync(other, busy, 0, cudaMemAttachGlobal));
    run_on("add", busy, 100, 1, stream);
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(busy[0], 4);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaStreamDestroy(other));
    assert_success(cudaFree(mine));
    assert_success(cudaFree(busy));
}

/* --- the program's own memory ------------------------------------------------------------------- */

static bool reaches_pageable(void)
{
    int value = 77;
    assert_success(cudaFree(NULL)); /* the strategy is chosen */
    assert_success(cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, 0));
    return value != 0;
}

/* Where devices use the program's own memory in place, what is said of managed memory is said of it, too. */
TEST_BODY(managed_calls_take_the_programs_own_memory)
{
    enum { COUNT = 100003 };
    if (!reaches_pageable())
        TEST_SKIP("devices do not reach pageable memory");
    int *p = malloc(COUNT * sizeof *p);
    assert_non_null(p);
    for (int i = 0; i < COUNT; i++)
        p[i] = i;
    const size_t bytes = COUNT * sizeof *p;
    void *ranges[] = {p, p + 5};
    size_t sizes[] = {bytes, 1}, index = 0;
    struct cudaMemLocation place = on_device();
    assert_success(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, on_device()));
    assert_success(cudaMemPrefetchAsync(p, bytes, on_device(), 0, NULL));
    run_on("add", p, COUNT, 3, NULL);
    assert_success(cudaMemPrefetchAsync(p + 1, 1, on_host(), 0, NULL));
    assert_success(cudaStreamAttachMemAsync(NULL, p, bytes, cudaMemAttachGlobal));
    assert_success(
        cudaMemPrefetchBatchAsync(ranges, sizes, 2, &place, &index, 1, 0, cudaStreamPerThread));
    assert_success(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(p[i], i + 3);
    free(p);
}

TEST_BODY(managed_calls_refuse_what_is_no_memory)
{
    enum { PAGE = 4096, PAGES = 3 };
    char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *device = NULL;
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_success(cudaMalloc((void **)&device, PAGE));
    assert_int_equal(munmap(p + PAGE, PAGE), 0);
    if (reaches_pageable())
        assert_success(cudaMemPrefetchAsync(p, PAGE, on_host(), 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, PAGE + 1, on_host(), 0, NULL));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPrefetchAsync(p, PAGES * PAGE, on_device(), 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, SIZE_MAX, on_host(), 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, 0, on_host(), 0, NULL));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemAdvise(p + PAGE, 1, cudaMemAdviseSetReadMostly, on_device()));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemAdvise(device, 1, cudaMemAdviseSetReadMostly, on_device()));
    assert_fails(cudaErrorInvalidValue,
                 cudaStreamAttachMemAsync(NULL, p + PAGE, 1, cudaMemAttachGlobal));
    assert_success(cudaFree(device));
    assert_int_equal(munmap(p, PAGE), 0);
    assert_int_equal(munmap(p + 2 * PAGE, PAGE), 0);
}

/* --- prefetching ------------------------------------------------------------------------------ */

TEST_BODY(managed_prefetch_keeps_contents)
{
    enum { COUNT = 6 * 1024 * 1024 / 4, ROUNDS = 12 };
    int *p = managed_block(COUNT * sizeof *p);
    uint32_t seed = 11;
    run_on("pattern", p, COUNT, 3, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        const size_t begin = next_random(&seed) % (COUNT * sizeof *p);
        const size_t bytes = 1 + next_random(&seed) % (COUNT * sizeof *p - begin);
        assert_success(cudaMemPrefetchAsync((char *)p + begin, bytes,
                                            round % 2 == 0 ? on_host() : on_device(), 0,
                                            round % 3 == 0 ? cudaStreamPerThread : NULL));
        if (round % 5 == 0) {
            assert_success(cudaDeviceSynchronize());
            assert_int_equal(p[begin / sizeof *p], pattern_value(begin / sizeof *p, 3));
        }
    }
    run_on("add", p, COUNT, 1, NULL);
    assert_success(cudaMemPrefetchAsync(p, COUNT * sizeof *p, on_host(), 0, NULL));
    assert_success(cudaDeviceSynchronize());
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(p[i], pattern_value(i, 4));
    assert_success(cudaFree(p));
}

TEST_BODY(managed_prefetch_waits_for_nothing)
{
    struct gate gate = GATE_INITIALIZER;
    int *p = managed_block(MIB);
    cudaStream_t stream = NULL;
    (void)managed_kernel("pattern");
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&gate, stream);
    run_on("pattern", p, 1000, 5, stream);
    assert_success(cudaMemPrefetchAsync(p, MIB, on_host(), 0, stream));
    assert_success(cudaMemPrefetchAsync(p, MIB, on_device(), 0, stream));
    assert_stays_busy(stream);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(p[999], pattern_value(999, 5));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

TEST_BODY(managed_prefetch_checks_arguments)
{
    char *p = managed_block(64 * KIB), *device = NULL;
    const struct cudaMemLocation nowhere = {cudaMemLocationTypeNone, 0};
    const struct cudaMemLocation far = {cudaMemLocationTypeDevice, 1000};
    const struct cudaMemLocation node = {cudaMemLocationTypeHostNuma, 0};
    const struct cudaMemLocation no_node = {cudaMemLocationTypeHostNuma, 100000};
    const struct cudaMemLocation current = {cudaMemLocationTypeHostNumaCurrent, 0};
    assert_success(cudaMalloc((void **)&device, 4096));
    assert_success(cudaMemPrefetchAsync(p + 64 * KIB - 1, 1, node, 0, NULL));
    assert_success(cudaMemPrefetchAsync(p, 64 * KIB, current, 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, 0, on_device(), 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, 64 * KIB + 1, on_host(), 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(p + 1, SIZE_MAX, on_host(), 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, 1, on_device(), 1, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, 1, nowhere, 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, 1, no_node, 0, NULL));
    assert_fails(cudaErrorInvalidDevice, cudaMemPrefetchAsync(p, 1, far, 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(NULL, 1, far, 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(device, 1, on_host(), 0, NULL));
    if (!reaches_pageable())
        assert_fails(cudaErrorInvalidValue, cudaMemPrefetchAsync(&p, 1, on_host(), 0, NULL));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaMemPrefetchAsync(NULL, 0, far, 0, (cudaStream_t)(void *)&p));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaFree(device));
    assert_success(cudaFree(p));
}

static int last_prefetch(const void *p, size_t bytes)
{
    int value = 77;
    assert_success(cudaMemRangeGetAttribute(&value, sizeof value,
                                            cudaMemRangeAttributeLastPrefetchLocation, p, bytes));
    return value;
}

TEST_BODY(managed_batches_go_to_their_places)
{
    char *p = managed_block(4 * MIB);
    void *ranges[] = {p, p + MIB, p + 2 * MIB, p + 3 * MIB};
    size_t sizes[] = {MIB, MIB, MIB, MIB}, indices[] = {0, 3};
    struct cudaMemLocation places[] = {on_host(), on_device()};
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreate(&stream));
    memset(p, 6, 4 * MIB);
    assert_success(cudaMemPrefetchBatchAsync(ranges, sizes, 4, places, indices, 2, 0, stream));
    assert_int_equal(last_prefetch(p, 3 * MIB), cudaCpuDeviceId);
    assert_int_equal(last_prefetch(p + 3 * MIB, MIB), 0);
    assert_int_equal(last_prefetch(p, 4 * MIB), cudaInvalidDeviceId);
    assert_success(
        cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, places + 1, indices, 1, 0, stream));
    assert_int_equal(last_prefetch(p, 2 * MIB), 0);
    assert_success(cudaMemDiscardBatchAsync(ranges, sizes, 2, 0, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(p[4 * MIB - 1], 6); /* not discarded */
    indices[0] = 1;
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPrefetchBatchAsync(ranges, sizes, 4, places, indices, 2, 0, stream));
    indices[0] = 0;
    indices[1] = 4;
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPrefetchBatchAsync(ranges, sizes, 4, places, indices, 2, 0, stream));
    indices[1] = 3;
    places[1].id = 1000;
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPrefetchBatchAsync(ranges, sizes, 4, places, indices, 2, 0, stream));
    places[1].id = 0;
    sizes[3] = MIB + 1;
    assert_fails(cudaErrorInvalidValue,
                 cudaMemPrefetchBatchAsync(ranges, sizes, 4, places, indices, 2, 0, stream));
    assert_fails(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(ranges, sizes, 4, 0, stream));
    assert_fails(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(ranges, sizes, 1, 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(ranges, sizes, 1, 1, stream));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* --- advice ----------------------------------------------------------------------------------- */

enum { PAGE = 4096, PAGES = 64 };

struct page_advice {
    bool is_read_mostly, device_accesses, host_accesses;
    int preferred;
};

static void advise_model(struct page_advice *pages, size_t begin, size_t bytes, int advice,
                         bool is_host)
{
    for (size_t page = begin / PAGE; page <= (begin + bytes - 1) / PAGE; page++) {
        struct page_advice *one = &pages[page];
        bool *accesses = is_host ? &one->host_accesses : &one->device_accesses;
        if (advice <= cudaMemAdviseUnsetReadMostly)
            one->is_read_mostly = advice == cudaMemAdviseSetReadMostly;
        else if (advice == cudaMemAdviseSetPreferredLocation)
            one->preferred = is_host ? cudaCpuDeviceId : 0;
        else if (advice == cudaMemAdviseUnsetPreferredLocation)
            one->preferred = cudaInvalidDeviceId;
        else
            *accesses = advice == cudaMemAdviseSetAccessedBy;
    }
}

static struct page_advice common_model(const struct page_advice *pages, size_t begin, size_t bytes)
{
    struct page_advice common = pages[begin / PAGE];
    for (size_t page = begin / PAGE; page <= (begin + bytes - 1) / PAGE; page++) {
        common.is_read_mostly &= pages[page].is_read_mostly;
        common.device_accesses &= pages[page].device_accesses;
        common.host_accesses &= pages[page].host_accesses;
        if (common.preferred != pages[page].preferred)
            common.preferred = cudaInvalidDeviceId;
    }
    return common;
}

static void check_advice(const char *p, const struct page_advice *pages, size_t begin, size_t bytes)
{
    const struct page_advice want = common_model(pages, begin, bytes);
    int read_mostly = 77, preferred = 77, accessors[3] = {77, 77, 77}, expected[3], count = 0;
    void *data[] = {&read_mostly, &preferred, accessors};
    size_t sizes[] = {sizeof read_mostly, sizeof preferred, sizeof accessors};
    enum cudaMemRangeAttribute attributes[] = {cudaMemRangeAttributeReadMostly,
                                               cudaMemRangeAttributePreferredLocation,
                                               cudaMemRangeAttributeAccessedBy};
    assert_success(cudaMemRangeGetAttributes(data, sizes, attributes, 3, p + begin, bytes));
    if (want.device_accesses)
        expected[count++] = 0;
    if (want.host_accesses)
        expected[count++] = cudaCpuDeviceId;
    while (count < 3)
        expected[count++] = cudaInvalidDeviceId;
    assert_int_equal(read_mostly, want.is_read_mostly);
    assert_int_equal(preferred, want.preferred);
    assert_memory_equal(accessors, expected, sizeof expected);
}

TEST_BODY(managed_advice_is_kept_by_pages)
{
    enum { BYTES = PAGES * PAGE - 100 };
    char *p = managed_block(BYTES);
    struct page_advice pages[PAGES];
    uint32_t seed = 3;
    for (int i = 0; i < PAGES; i++)
        pages[i] = (struct page_advice){.preferred = cudaInvalidDeviceId};
    for (int round = 0; round < 400; round++) {
        const size_t begin = next_random(&seed) % BYTES;
        const size_t bytes = 1 + next_random(&seed) % (BYTES - begin);
        const int advice = 1 + (int)(next_random(&seed) % 6);
        const bool is_host = next_random(&seed) % 2 == 0;
        assert_success(cudaMemAdvise(p + begin, bytes, (enum cudaMemoryAdvise)advice,
                                     is_host ? on_host() : on_device()));
        advise_model(pages, begin, bytes, advice, is_host);
        for (int i = 0; i < 4; i++) {
            const size_t from = next_random(&seed) % BYTES;
            check_advice(p, pages, from, 1 + next_random(&seed) % (BYTES - from));
            check_advice(p, pages, from, 1);
        }
    }
    assert_success(cudaFree(p));
}

/* A new allocation at the same place is not the old one. */
TEST_BODY(managed_advice_ends_with_its_allocation)
{
    for (int round = 0; round < 20; round++) {
        int value = 77;
        char *p = managed_block(64 * KIB);
        assert_int_equal(last_prefetch(p, 64 * KIB), cudaInvalidDeviceId);
        assert_success(cudaMemRangeGetAttribute(&value, sizeof value,
                                                cudaMemRangeAttributeReadMostly, p, 64 * KIB));
        assert_int_equal(value, 0);
        assert_success(cudaMemAdvise(p, 64 * KIB, cudaMemAdviseSetReadMostly, on_device()));
        assert_success(cudaMemPrefetchAsync(p, 64 * KIB, on_device(), 0, NULL));
        assert_int_equal(last_prefetch(p, 64 * KIB), 0);
        if (round == 10)
            assert_success(cudaDeviceReset());
        else
            assert_success(cudaFree(p));
    }
}

TEST_BODY(managed_range_attributes_tell_types)
{
    char *p = managed_block(64 * KIB);
    static const struct cudaMemLocation places[] = {{cudaMemLocationTypeDevice, 0},
                                                    {cudaMemLocationTypeHost, 0},
                                                    {cudaMemLocationTypeHostNuma, 0}};
    static const int ids[] = {0, cudaCpuDeviceId, 0};
    int type = 77, id = 77;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        assert_success(cudaMemAdvise(p, 64 * KIB, cudaMemAdviseSetPreferredLocation, places[i]));
        assert_success(cudaMemPrefetchAsync(p, 64 * KIB, places[i], 0, NULL));
        for (int attribute = cudaMemRangeAttributePreferredLocationType;
             attribute <= cudaMemRangeAttributeLastPrefetchLocationType; attribute += 2) {
            assert_success(cudaMemRangeGetAttribute(&type, sizeof type,
                                                    (enum cudaMemRangeAttribute)attribute, p, 1));
            assert_success(cudaMemRangeGetAttribute(
                &id, sizeof id, (enum cudaMemRangeAttribute)(attribute + 1), p, 1));
            assert_int_equal(type, places[i].type);
            assert_int_equal(id, ids[i]);
        }
    }
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaFree(p));
}

TEST_BODY(managed_range_attributes_check_arguments)
{
    char *p = managed_block(64 * KIB);
    int v[2] = {77, 77};
    const enum cudaMemRangeAttribute mostly = cudaMemRangeAttributeReadMostly;
    assert_fails(cudaErrorInvalidValue, cudaMemRangeGetAttribute(NULL, 4, mostly, p, 1));
    assert_fails(cudaErrorInvalidValue, cudaMemRangeGetAttribute(v, 0, mostly, p, 1));
    assert_fails(cudaErrorInvalidValue, cudaMemRangeGetAttribute(v, 8, mostly, p, 1));
    assert_fails(cudaErrorInvalidValue, cudaMemRangeGetAttribute(v, 4, mostly, NULL, 1));
    assert_fails(cudaErrorInvalidValue, cudaMemRangeGetAttribute(v, 4, mostly, p, 0));
    assert_fails(cudaErrorInvalidValue, cudaMemRangeGetAttribute(v, 4, mostly, p + 1, 64 * KIB));
    assert_fails(cudaErrorInvalidValue, cudaMemRangeGetAttribute(v, 4, mostly, v, 1));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemRangeGetAttribute(v, 6, cudaMemRangeAttributeAccessedBy, p, 1));
    assert_fails(cudaErrorInvalidValue,
                 cudaMemRangeGetAttribute(v, 4, (enum cudaMemRangeAttribute)9, p, 1));
    assert_int_equal(v[0], 77);
    assert_success(cudaMemRangeGetAttribute(v, 8, cudaMemRangeAttributeAccessedBy, p, 1));
    assert_int_equal(v[1], cudaInvalidDeviceId);
    assert_success(cudaFree(p));
}
