/* Semantics of managed memory: allocation, attachment, prefetch, advice, and what other functions
 * make of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

/* Whether pages of 64 KiB or of 4 KiB are counted differs; MIB ranges at their multiples do not. */
static char *managed_block(size_t bytes)
{
    void *p = NULL;
    REQUIRE(cudaMallocManaged(&p, bytes, cudaMemAttachGlobal));
    memset(p, 0, bytes);
    return p;
}

static struct cudaMemLocation at(int type, int id)
{
    struct cudaMemLocation location = {(enum cudaMemLocationType)type, id};
    return location;
}

static struct cudaMemLocation on_device(void)
{
    return at(cudaMemLocationTypeDevice, 0);
}

static struct cudaMemLocation on_host(void)
{
    return at(cudaMemLocationTypeHost, 0);
}

static cudaStream_t bogus(void)
{
    static char memory[256];
    return (cudaStream_t)(void *)memory;
}

void case_managed_alloc(void)
{
    void *p = &p;
    CALL(cudaMallocManaged(NULL, 0, 0));
    CALL(cudaMallocManaged(NULL, 16, cudaMemAttachGlobal));
    CALL(cudaMallocManaged(NULL, 16, 0));
    CALL(cudaMallocManaged(NULL, SIZE_MAX, 99));
    CALL(cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
    VALUE(p == NULL, "p is NULL after 0 bytes");
    VALUE(p == (void *)&p, "p unchanged after 0 bytes");
    CALL(cudaMallocManaged(&p, 0, 0));
    for (unsigned flags = 0; flags <= 9; flags++) {
        p = &p;
        CALL_AS(cudaMallocManaged(&p, 4096, flags), "flags %u", flags);
        VALUE(p == (void *)&p, "flags %u: unchanged", flags);
        if (p != (void *)&p) {
            VALUE((uintptr_t)p % 256, "flags %u: address modulo 256", flags);
            CALL_AS(cudaFree(p), "flags %u: free", flags);
        }
    }
    p = &p;
    CALL(cudaMallocManaged(&p, SIZE_MAX, cudaMemAttachGlobal));
    CALL(cudaMallocManaged(&p, HUGE_SIZE, 0));
    VALUE(p == (void *)&p, "p unchanged after too much");
    CALL(cudaMallocManaged(&p, 1, cudaMemAttachHost));
    VALUE(*(char *)p, "host attached: readable");
    CALL(cudaFree(p));
}

void case_managed_free(void)
{
    char *p = managed_block(64 * KIB);
    CALL(cudaFree(p + 1));
    CALL(cudaFree(p + 4096));
    CALL(cudaFreeHost(p));
    CALL(cudaFreeAsync(p, NULL));
    CALL(cudaDeviceSynchronize());
    p = managed_block(64 * KIB);
    CALL(cudaFree(p));
    CALL(cudaFree(p));
    CALL_AS(cudaFreeHost(p), "freed: as host memory");
    p = managed_block(64 * KIB);
    DRIVER(cuMemFree(address_of(p)));
    p = managed_block(64 * KIB);
    DRIVER(cuMemFreeHost(p));
}

void case_managed_free_waits(void)
{
    int *p = (int *)managed_block(64 * KIB);
    spin_prepare();
    REQUIRE(spin_start(NULL, SPIN_MS));
    REQUIRE(launch_store(p, 5, NULL));
    CALL(cudaFree(p));
    VALUE(spin_is_over(), "cudaFree waited");
    CALL(cudaDeviceSynchronize());
}

/* The host and kernels see each other's stores. */
void case_managed_kernel(void)
{
    int *p = (int *)managed_block(3 * MIB);
    p[0] = 40;
    p[MIB / 2] = 41;
    int n = 1 << 19;
    int v = 2;
    void *args[] = {&p, &n, &v};
    CALL(launch(KERNEL_ADD, 1 << 11, 256, args, 0, NULL));
    CALL(cudaDeviceSynchronize());
    VALUE(p[0], "as the kernel left it");
    VALUE(p[n - 1], "the last one");
    VALUE(p[n], "the one behind");
    p[1] = 7;
    CALL(launch_store(p + 2, 9, cudaStreamPerThread));
    CALL(cudaStreamSynchronize(cudaStreamPerThread));
    VALUE(p[1] * 100 + p[2], "store by the host, then by a kernel");
    int *q = NULL;
    REQUIRE(cudaMallocManaged((void **)&q, 4096, cudaMemAttachGlobal));
    VALUE(q[0] + q[1023], "fresh memory");
}

void case_managed_attach(void)
{
    char *p = managed_block(64 * KIB);
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreate(&s));
    for (unsigned flags = 0; flags <= 8; flags++) {
        CALL_AS(cudaStreamAttachMemAsync(s, p, 0, flags), "flags %u", flags);
        CALL_AS(cudaStreamAttachMemAsync(NULL, p, 0, flags), "NULL stream, flags %u", flags);
        CALL_AS(cudaStreamAttachMemAsync(cudaStreamPerThread, p, 0, flags),
                "per thread stream, flags %u", flags);
    }
    CALL(cudaStreamAttachMemAsync(s, p, 64 * KIB, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(s, p, 64 * KIB, cudaMemAttachGlobal));
    CALL(cudaStreamAttachMemAsync(s, p, 64 * KIB, cudaMemAttachHost));
    CALL(cudaStreamAttachMemAsync(s, p, 4096, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(s, p, 1, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(s, p, 64 * KIB + 1, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(s, p, SIZE_MAX, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(s, p + 4096, 0, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(s, p + 4096, 60 * KIB, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(s, p + 1, 0, cudaMemAttachGlobal));
    CALL(cudaStreamAttachMemAsync(s, NULL, 0, cudaMemAttachGlobal));
    CALL(cudaStreamAttachMemAsync(s, NULL, 4096, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(NULL, NULL, 4096, 99));
    CALL(cudaStreamAttachMemAsync(s, p, 4096, 99));
    CALL(cudaStreamAttachMemAsync(NULL, p, 4096, cudaMemAttachSingle));
    CALL(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachGlobal));
    CALL(cudaStreamDestroy(s));
    CALL(cudaFree(p));
}

/* What CUDA did not allocate is managed memory's equal where devices reach all memory of the process, as the one that
 * answers were recorded on does not. */
static bool others_differ(void)
{
    int reaches_all = 0;
    REQUIRE(cudaDeviceGetAttribute(&reaches_all, cudaDevAttrPageableMemoryAccess, 0));
    if (reaches_all)
        SKIP("the device reaches pageable memory");
    return reaches_all;
}

void case_managed_attach_others(void)
{
    size_t count = 0;
    const struct place *places = make_places(&count);
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreate(&s));
    if (others_differ())
        return;
    for (size_t i = 0; i < count; i++) {
        CALL_AS(cudaStreamAttachMemAsync(s, places[i].p, 0, cudaMemAttachGlobal), "%s global",
                places[i].name);
        CALL_AS(cudaStreamAttachMemAsync(s, places[i].p, 0, cudaMemAttachHost), "%s host",
                places[i].name);
        CALL_AS(cudaStreamAttachMemAsync(s, places[i].p, 0, cudaMemAttachSingle), "%s single",
                places[i].name);
        CALL_AS(cudaStreamAttachMemAsync(s, places[i].p, 4096, cudaMemAttachSingle),
                "%s single, 4096", places[i].name);
    }
}

/* Kernels of the stream that memory is attached to use it while the host uses other memory. */
void case_managed_attach_order(void)
{
    int *p = (int *)managed_block(4096);
    int *q = NULL;
    cudaStream_t s = NULL;
    REQUIRE(cudaMallocManaged((void **)&q, 4096, cudaMemAttachHost));
    REQUIRE(cudaStreamCreate(&s));
    q[0] = 1;
    CALL(cudaStreamAttachMemAsync(s, q, 0, cudaMemAttachSingle));
    CALL(cudaStreamSynchronize(s));
    CALL(launch_store(q, 5, s));
    CALL(cudaStreamSynchronize(s));
    VALUE(q[0], "attached to the stream");
    CALL(cudaStreamAttachMemAsync(s, q, 0, cudaMemAttachGlobal));
    CALL(launch_store(q, 6, NULL));
    CALL(cudaDeviceSynchronize());
    VALUE(q[0], "attached to all");
    CALL(cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachHost));
    CALL(cudaDeviceSynchronize());
    p[3] = 8;
    VALUE(p[3], "attached to the host");
    CALL(cudaStreamAttachMemAsync(s, q, 0, cudaMemAttachSingle));
    CALL(cudaStreamDestroy(s));
    CALL(launch_store(q, 7, NULL));
    CALL(cudaDeviceSynchronize());
    VALUE(q[0], "its stream is destroyed");
}

void case_managed_prefetch(void)
{
    char *p = managed_block(4 * MIB);
    p[2 * MIB] = 42;
    CALL(cudaMemPrefetchAsync(p, 4 * MIB, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, 4 * MIB, on_host(), 0, NULL));
    CALL(cudaDeviceSynchronize());
    VALUE(p[2 * MIB], "value after there and back");
    CALL(cudaMemPrefetchAsync(p, 2 * MIB, on_device(), 0, cudaStreamPerThread));
    CALL(cudaMemPrefetchAsync(p, 2 * MIB, on_device(), 0, cudaStreamLegacy));
    CALL(cudaMemPrefetchAsync(p + 1, 1, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(p + 4097, 70000, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, 0, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, 4 * MIB + 1, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, 8 * MIB, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(p + MIB, 4 * MIB, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, SIZE_MAX, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, SIZE_MAX / 2, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(NULL, 4096, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(NULL, 0, on_device(), 0, NULL));
    CALL(cudaMemPrefetchAsync(p + 4 * MIB, 0, on_device(), 0, NULL));
    CALL(cudaDeviceSynchronize());
    VALUE(p[2 * MIB], "value after all");
}

void case_managed_prefetch_locations(void)
{
    char *p = managed_block(64 * KIB);
    for (int type = -1; type <= 6; type++) {
        for (int id = -2; id <= 1; id++) {
            CALL_AS(cudaMemPrefetchAsync(p, 64 * KIB, at(type, id), 0, NULL), "type %d id %d", type,
                    id);
        }
    }
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, at(1, 1000), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, at(3, 1000), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, at(2, 1000), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, at(99, 0), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, on_device(), 1, NULL));
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, on_device(), 99, NULL));
    CALL(cudaMemPrefetchAsync(p, 0, at(1, -1), 1, NULL));
    CALL(cudaMemPrefetchAsync(p, 0, at(1, -1), 0, NULL));
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, at(1, -1), 1, NULL));
    CALL(cudaMemPrefetchAsync(NULL, 64 * KIB, at(1, -1), 0, NULL));
    CALL(cudaMemPrefetchAsync(NULL, 64 * KIB, on_device(), 1, NULL));
    CALL(cudaDeviceSynchronize());
}

void case_managed_prefetch_others(void)
{
    size_t count = 0;
    const struct place *places = make_places(&count);
    if (others_differ())
        return;
    for (size_t i = 0; i < count; i++) {
        CALL_AS(cudaMemPrefetchAsync(places[i].p, 4096, on_device(), 0, NULL), "%s to the device",
                places[i].name);
        CALL_AS(cudaMemPrefetchAsync(places[i].p, 4096, on_host(), 0, NULL), "%s to the host",
                places[i].name);
        CALL_AS(cudaMemPrefetchAsync(places[i].p, 0, on_host(), 0, NULL), "%s, 0 bytes",
                places[i].name);
    }
    CALL(cudaDeviceSynchronize());
}

void case_managed_prefetch_stream(void)
{
    char *p = managed_block(64 * KIB);
    cudaStream_t s = NULL;
    cudaStream_t gone = NULL;
    REQUIRE(cudaStreamCreate(&s));
    REQUIRE(cudaStreamCreate(&gone));
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, on_device(), 0, s));
    CALL(cudaStreamDestroy(gone));
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, on_device(), 0, bogus()));
    CALL(cudaMemPrefetchAsync(NULL, 64 * KIB, on_device(), 0, bogus()));
    CALL(cudaStreamSynchronize(s));
}

/* Prefetching does not wait, and keeps the stream's order. */
void case_managed_prefetch_order(void)
{
    int *p = (int *)managed_block(64 * KIB);
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    spin_prepare();
    REQUIRE(spin_start(s, SPIN_MS));
    REQUIRE(launch_store(p + 5, 11, s));
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, on_host(), 0, s));
    VALUE(spin_is_over(), "prefetch to the host waited");
    CALL(cudaMemPrefetchAsync(p, 64 * KIB, on_device(), 0, s));
    VALUE(spin_is_over(), "prefetch to the device waited");
    CALL(cudaStreamQuery(s));
    CALL(cudaStreamSynchronize(s));
    VALUE(p[5], "value");
}

void case_managed_prefetch_batch(void)
{
    char *p = managed_block(4 * MIB);
    void *list[] = {p, p + 2 * MIB, NULL};
    size_t sizes[] = {MIB, MIB, 0};
    struct cudaMemLocation to[] = {on_device(), on_host(), at(1, -1)};
    size_t index[] = {0, 1, 2};
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreate(&s));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 1, 0, s));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, NULL));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, cudaStreamLegacy));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, cudaStreamPerThread));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 1, s));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 0, to, index, 1, 0, s));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 0, 0, s));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 3, 0, s));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 3, to, index, 2, 0, s));
    CALL(cudaMemPrefetchBatchAsync(NULL, sizes, 2, to, index, 2, 0, s));
    CALL(cudaMemPrefetchBatchAsync(list, NULL, 2, to, index, 2, 0, s));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, NULL, index, 2, 0, s));
    CALL(cudaMemPrefetchBatchAsync(list, sizes, 2, to, NULL, 2, 0, s));
    CALL(cudaMemPrefetchBatchAsync(NULL, NULL, 0, NULL, NULL, 0, 0, NULL));
    index[0] = 1;
    CALL_AS(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s), "first index is 1");
    index[0] = 0;
    index[1] = 0;
    CALL_AS(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s), "indices are equal");
    index[1] = 5;
    CALL_AS(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s), "index 5 of 2");
    index[1] = 1;
    CALL_AS(cudaMemPrefetchBatchAsync(list, sizes, 2, to + 1, index, 2, 0, s), "bad device");
    sizes[1] = 3 * MIB;
    CALL_AS(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s), "size beyond the end");
    sizes[1] = 0;
    CALL_AS(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s), "size 0");
    sizes[1] = MIB;
    list[1] = device_block(MIB);
    CALL_AS(cudaMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s), "device memory");
    CALL(cudaStreamSynchronize(s));
}

void case_managed_discard_batch(void)
{
    char *p = managed_block(4 * MIB);
    void *list[] = {p, p + 2 * MIB, NULL};
    size_t sizes[] = {2 * MIB, 2 * MIB, 0};
    struct cudaMemLocation to[] = {on_device(), on_host()};
    size_t index[] = {0, 1};
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreate(&s));
    CALL(cudaMemDiscardBatchAsync(list, sizes, 2, 0, s));
    CALL(cudaMemDiscardBatchAsync(list, sizes, 2, 0, NULL));
    CALL(cudaMemDiscardBatchAsync(list, sizes, 2, 1, s));
    CALL(cudaMemDiscardBatchAsync(list, sizes, 0, 0, s));
    CALL(cudaMemDiscardBatchAsync(list, sizes, 3, 0, s));
    CALL(cudaMemDiscardBatchAsync(NULL, sizes, 2, 0, s));
    CALL(cudaMemDiscardBatchAsync(list, NULL, 2, 0, s));
    CALL(cudaMemDiscardAndPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s));
    CALL(cudaMemDiscardAndPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, NULL));
    CALL(cudaMemDiscardAndPrefetchBatchAsync(list, sizes, 2, to, index, 2, 1, s));
    CALL(cudaMemDiscardAndPrefetchBatchAsync(list, sizes, 2, to, index, 0, 0, s));
    CALL(cudaMemDiscardAndPrefetchBatchAsync(list, sizes, 0, to, index, 1, 0, s));
    CALL(cudaMemDiscardAndPrefetchBatchAsync(list, sizes, 2, NULL, index, 2, 0, s));
    CALL(cudaMemDiscardAndPrefetchBatchAsync(list, sizes, 2, to, NULL, 2, 0, s));
    CALL(cudaMemDiscardAndPrefetchBatchAsync(NULL, sizes, 2, to, index, 2, 0, s));
    list[1] = device_block(2 * MIB);
    CALL_AS(cudaMemDiscardBatchAsync(list, sizes, 2, 0, s), "device memory");
    CALL(cudaStreamSynchronize(s));
    p[0] = 3;
    VALUE(p[0], "written after the discard");
}

void case_managed_advise(void)
{
    char *p = managed_block(64 * KIB);
    for (int advice = -1; advice <= 8; advice++) {
        enum cudaMemoryAdvise a = (enum cudaMemoryAdvise)advice;
        for (int type = -1; type <= 5; type++) {
            for (int id = -1; id <= 1; id++) {
                CALL_AS(cudaMemAdvise(p, 64 * KIB, a, at(type, id)), "advice %d type %d id %d",
                        advice, type, id);
            }
        }
        CALL_AS(cudaMemAdvise(p, 64 * KIB, a, at(1, 1000)), "advice %d device 1000", advice);
        CALL_AS(cudaMemAdvise(p, 64 * KIB, a, at(3, 1000)), "advice %d NUMA node 1000", advice);
    }
}

void case_managed_advise_ranges(void)
{
    char *p = managed_block(4 * MIB);
    enum cudaMemoryAdvise read_mostly = cudaMemAdviseSetReadMostly;
    CALL(cudaMemAdvise(p, 0, read_mostly, on_device()));
    CALL(cudaMemAdvise(p, 4 * MIB, read_mostly, on_device()));
    CALL(cudaMemAdvise(p + 1, 1, read_mostly, on_device()));
    CALL(cudaMemAdvise(p + 4096, 4096, read_mostly, on_device()));
    CALL(cudaMemAdvise(p, 4 * MIB + 1, read_mostly, on_device()));
    CALL(cudaMemAdvise(p, 8 * MIB, read_mostly, on_device()));
    CALL(cudaMemAdvise(p, SIZE_MAX, read_mostly, on_device()));
    CALL(cudaMemAdvise(NULL, 4096, read_mostly, on_device()));
    CALL(cudaMemAdvise(NULL, 0, read_mostly, on_device()));
    CALL(cudaMemAdvise(p, 0, (enum cudaMemoryAdvise)99, on_device()));
    CALL(cudaMemAdvise(NULL, 0, (enum cudaMemoryAdvise)99, at(1, -1)));
    CALL(cudaMemAdvise(p, 0, cudaMemAdviseSetPreferredLocation, at(1, -1)));
    size_t count = 0;
    const struct place *places = make_places(&count);
    if (others_differ())
        return;
    for (size_t i = 0; i < count; i++) {
        CALL_AS(cudaMemAdvise(places[i].p, 4096, read_mostly, on_device()), "%s read mostly",
                places[i].name);
        CALL_AS(cudaMemAdvise(places[i].p, 4096, cudaMemAdviseSetAccessedBy, on_device()),
                "%s accessed by", places[i].name);
        CALL_AS(cudaMemAdvise(places[i].p, 4096, cudaMemAdviseSetPreferredLocation, on_host()),
                "%s preferred location", places[i].name);
    }
}

/* All attributes of a range. AccessedBy is asked for with room for 3. */
static void range_values(const char *name, const void *p, size_t bytes)
{
    for (int attribute = 1; attribute <= 8; attribute++) {
        int values[3] = {77, 77, 77};
        size_t size = attribute == cudaMemRangeAttributeAccessedBy ? sizeof values : sizeof(int);
        CALL_AS(
            cudaMemRangeGetAttribute(values, size, (enum cudaMemRangeAttribute)attribute, p, bytes),
            "%s: %d", name, attribute);
        VALUE(values[0], "%s: %d: value", name, attribute);
        if (attribute == cudaMemRangeAttributeAccessedBy) {
            VALUE(values[1], "%s: %d: second", name, attribute);
            VALUE(values[2], "%s: %d: third", name, attribute);
        }
    }
}

void case_managed_range_values(void)
{
    char *p = managed_block(8 * MIB);
    range_values("fresh", p, 8 * MIB);
    range_values("one byte", p + 5, 1);
    REQUIRE(cudaMemAdvise(p, 4 * MIB, cudaMemAdviseSetReadMostly, on_device()));
    range_values("read mostly, advised half", p, 4 * MIB);
    range_values("read mostly, all", p, 8 * MIB);
    REQUIRE(cudaMemAdvise(p, 4 * MIB, cudaMemAdviseUnsetReadMostly, on_device()));
    range_values("read mostly no more", p, 4 * MIB);
    REQUIRE(cudaMemAdvise(p, 4 * MIB, cudaMemAdviseSetPreferredLocation, on_device()));
    range_values("prefers the device", p, 4 * MIB);
    range_values("prefers the device, all", p, 8 * MIB);
    range_values("prefers the device, other half", p + 4 * MIB, 4 * MIB);
    REQUIRE(cudaMemAdvise(p + 4 * MIB, 4 * MIB, cudaMemAdviseSetPreferredLocation, on_host()));
    range_values("other half prefers the host", p + 4 * MIB, 4 * MIB);
    range_values("halves prefer different places", p, 8 * MIB);
    REQUIRE(cudaMemAdvise(p, 8 * MIB, cudaMemAdviseUnsetPreferredLocation, on_host()));
    range_values("prefers nothing", p, 8 * MIB);
    REQUIRE(cudaMemAdvise(p, 4 * MIB, cudaMemAdviseSetAccessedBy, on_device()));
    range_values("accessed by the device", p, 4 * MIB);
    range_values("accessed by the device, all", p, 8 * MIB);
    REQUIRE(cudaMemAdvise(p, 4 * MIB, cudaMemAdviseSetAccessedBy, on_host()));
    range_values("accessed by both", p, 4 * MIB);
    REQUIRE(cudaMemAdvise(p, 4 * MIB, cudaMemAdviseUnsetAccessedBy, on_device()));
    range_values("accessed by the host", p, 4 * MIB);
}

void case_managed_range_prefetched(void)
{
    char *p = managed_block(8 * MIB);
    REQUIRE(cudaMemPrefetchAsync(p, 4 * MIB, on_device(), 0, NULL));
    range_values("at the device", p, 4 * MIB);
    range_values("at the device, all", p, 8 * MIB);
    REQUIRE(cudaMemPrefetchAsync(p + 4 * MIB, 4 * MIB, on_host(), 0, NULL));
    range_values("other half at the host", p + 4 * MIB, 4 * MIB);
    range_values("halves at different places", p, 8 * MIB);
    REQUIRE(cudaDeviceSynchronize());
    p[0] = 1;
    range_values("touched by the host", p, 4 * MIB);
    REQUIRE(cudaMemPrefetchAsync(p, 100, on_host(), 0, NULL));
    range_values("100 bytes at the host: those", p, 100);
    range_values("100 bytes at the host: the page", p, 4096);
    range_values("100 bytes at the host: next", p + 2 * MIB, 4096);
    REQUIRE(cudaMemPrefetchAsync(p, 8 * MIB, at(cudaMemLocationTypeHostNuma, 0), 0, NULL));
    range_values("at NUMA node 0", p, 8 * MIB);
    REQUIRE(cudaDeviceSynchronize());
}

void case_managed_range_arguments(void)
{
    char *p = managed_block(64 * KIB);
    int v[8] = {77, 77, 77, 77, 77, 77, 77, 77};
    for (int attribute = -1; attribute <= 10; attribute++) {
        static const size_t sizes[] = {0, 1, 3, 4, 6, 8, 16};
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            CALL_AS(cudaMemRangeGetAttribute(v, sizes[i], (enum cudaMemRangeAttribute)attribute, p,
                                             64 * KIB),
                    "attribute %d size %zu", attribute, sizes[i]);
        }
    }
    enum cudaMemRangeAttribute a = cudaMemRangeAttributeReadMostly;
    CALL(cudaMemRangeGetAttribute(NULL, 4, a, p, 64 * KIB));
    CALL(cudaMemRangeGetAttribute(v, 4, a, NULL, 64 * KIB));
    CALL(cudaMemRangeGetAttribute(v, 4, a, p, 0));
    CALL(cudaMemRangeGetAttribute(v, 4, a, p, 64 * KIB + 1));
    CALL(cudaMemRangeGetAttribute(v, 4, a, p, 8 * MIB));
    CALL(cudaMemRangeGetAttribute(v, 4, a, p, SIZE_MAX));
    CALL(cudaMemRangeGetAttribute(v, 4, a, p + 64 * KIB, 1));
    CALL(cudaMemRangeGetAttribute(NULL, 0, (enum cudaMemRangeAttribute)99, NULL, 0));
    size_t count = 0;
    const struct place *places = make_places(&count);
    for (size_t i = 0; i < count; i++) {
        CALL_AS(cudaMemRangeGetAttribute(v, 4, a, places[i].p, 4096), "%s", places[i].name);
    }
}

void case_managed_range_lists(void)
{
    char *p = managed_block(64 * KIB);
    int v[3] = {77, 77, 77};
    int w[2] = {77, 77};
    void *data[] = {&v[0], w, &v[2]};
    size_t sizes[] = {4, 8, 4};
    enum cudaMemRangeAttribute a[] = {cudaMemRangeAttributeReadMostly,
                                      cudaMemRangeAttributeAccessedBy,
                                      cudaMemRangeAttributeLastPrefetchLocation};
    REQUIRE(cudaMemAdvise(p, 64 * KIB, cudaMemAdviseSetReadMostly, on_device()));
    CALL(cudaMemRangeGetAttributes(data, sizes, a, 3, p, 64 * KIB));
    VALUE(v[0], "first");
    VALUE(w[0], "second");
    VALUE(v[2], "third");
    CALL(cudaMemRangeGetAttributes(data, sizes, a, 0, p, 64 * KIB));
    CALL(cudaMemRangeGetAttributes(NULL, sizes, a, 3, p, 64 * KIB));
    CALL(cudaMemRangeGetAttributes(data, NULL, a, 3, p, 64 * KIB));
    CALL(cudaMemRangeGetAttributes(data, sizes, NULL, 3, p, 64 * KIB));
    CALL(cudaMemRangeGetAttributes(data, sizes, a, 3, NULL, 64 * KIB));
    CALL(cudaMemRangeGetAttributes(data, sizes, a, 3, p, 0));
    CALL(cudaMemRangeGetAttributes(data, sizes, a, 3, p, 4 * MIB));
    CALL(cudaMemRangeGetAttributes(NULL, NULL, NULL, 0, NULL, 0));
    data[1] = NULL;
    CALL_AS(cudaMemRangeGetAttributes(data, sizes, a, 3, p, 64 * KIB), "second output is NULL");
    data[1] = w;
    sizes[2] = 3;
    v[0] = 77;
    CALL_AS(cudaMemRangeGetAttributes(data, sizes, a, 3, p, 64 * KIB), "third size is 3");
    VALUE(v[0], "first, third size is 3");
    sizes[2] = 4;
    a[2] = (enum cudaMemRangeAttribute)99;
    CALL_AS(cudaMemRangeGetAttributes(data, sizes, a, 3, p, 64 * KIB), "third attribute is 99");
}

/* Copies of each kind between managed memory and the rest: a managed pointer passes for either. */
void case_managed_copies(void)
{
    size_t count = 0;
    const struct place *places = make_places(&count);
    char *m = managed_block(64 * KIB);
    char *other = managed_block(64 * KIB);
    for (int kind = 0; kind <= 4; kind++) {
        enum cudaMemcpyKind k = (enum cudaMemcpyKind)kind;
        for (size_t i = 0; i < count; i++) {
            if (kind == cudaMemcpyHostToHost && !places[i].usable) {
                continue;
            }
            TRY_AS(cudaMemcpy(m, places[i].p, PLACE_BYTES, k), "kind %d from %s", kind,
                   places[i].name);
            TRY_AS(cudaMemcpy(places[i].p, m, PLACE_BYTES, k), "kind %d to %s", kind,
                   places[i].name);
        }
        memset(m, kind + 1, 100);
        TRY_AS(cudaMemcpy(other, m, 100, k), "kind %d managed to managed", kind);
        VALUE(other[99], "kind %d managed to managed: value", kind);
        TRY_AS(cudaMemcpy(m + 50, m, 100, k), "kind %d within", kind);
        TRY_AS(cudaMemcpy(m, m + 60 * KIB, 8 * KIB, k), "kind %d beyond the end", kind);
        TRY_AS(cudaMemcpyAsync(other, m, 100, k, NULL), "kind %d asynchronous", kind);
    }
}

void case_managed_copies_shapes(void)
{
    char *m = managed_block(64 * KIB);
    char *d = device_block(64 * KIB);
    char back[64] = {0};
    memset(m, 5, 64 * KIB);
    TRY(cudaMemcpy2D(d, 128, m, 256, 64, 16, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2D(d, 128, m, 256, 64, 16, cudaMemcpyDeviceToDevice));
    TRY(cudaMemcpy2D(m, 128, d, 256, 64, 16, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy2D(m, 128, d, 256, 64, 16, cudaMemcpyDefault));
    TRY(cudaMemcpy(back, d + 128, 64, cudaMemcpyDeviceToHost));
    VALUE(back[63], "second row");
    TRY(cudaMemcpyPeer(d, 0, m, 0, 64));
    TRY(cudaMemcpyPeer(m, 0, d, 0, 64));
    TRY(cudaMemset(m, 3, 100));
    TRY(cudaMemset(m + 64 * KIB - 10, 3, 11));
    TRY(cudaMemset2D(m, 64, 4, 32, 4));
    TRY(cudaMemsetAsync(m + 4000, 6, 200, NULL));
    TRY(cudaDeviceSynchronize());
    VALUE(m[0] + 10 * m[33] + 100 * m[4100], "as set");
    m[7] = 9;
    TRY(cudaMemcpy(back, m, 64, cudaMemcpyDeviceToHost));
    VALUE(back[7], "as stored by the host");
}

void case_managed_pointers(void)
{
    char *p[3];
    struct cudaPointerAttributes a;
    p[0] = managed_block(64 * KIB);
    p[1] = p[0] + 5000;
    p[2] = NULL;
    REQUIRE(cudaMallocManaged((void **)&p[2], 4096, cudaMemAttachHost));
    for (int i = 0; i < 3; i++) {
        memset(&a, 0, sizeof a);
        a.device = 77;
        CALL_AS(cudaPointerGetAttributes(&a, p[i]), "%d", i);
        VALUE(a.type, "%d: type", i);
        VALUE(a.device, "%d: device", i);
        VALUE(a.devicePointer == p[i], "%d: devicePointer is p", i);
        VALUE(a.hostPointer == p[i], "%d: hostPointer is p", i);
    }
    char *d = p[0];
    CALL(cudaFree(d));
    CALL(cudaPointerGetAttributes(&a, d));
    VALUE(a.type, "freed: type");
}

void case_managed_host_functions(void)
{
    char *p = managed_block(64 * KIB);
    void *d = NULL;
    unsigned flags = 99;
    CALL(cudaHostRegister(p, 64 * KIB, 0));
    CALL(cudaHostUnregister(p));
    CALL(cudaHostRegister(p + 4096, 4096, cudaHostRegisterMapped));
    CALL(cudaHostUnregister(p + 4096));
    CALL(cudaHostGetDevicePointer(&d, p, 0));
    VALUE(d == (void *)p, "device pointer is p");
    CALL(cudaHostGetDevicePointer(&d, p + 100, 0));
    CALL(cudaHostGetFlags(&flags, p));
    VALUE(flags, "flags");
    CALL(cudaFree(p));
}

void case_managed_properties(void)
{
    struct cudaDeviceProp p;
    int v = 77;
    REQUIRE(cudaGetDeviceProperties(&p, 0));
    VALUE(p.managedMemory, "managedMemory");
    DEVICE_VALUE(p.concurrentManagedAccess, "concurrentManagedAccess");
    DEVICE_VALUE(p.pageableMemoryAccess, "pageableMemoryAccess");
    DEVICE_VALUE(p.directManagedMemAccessFromHost, "directManagedMemAccessFromHost");
    VALUE(p.memoryPoolsSupported, "memoryPoolsSupported");
    CALL(cudaDeviceGetAttribute(&v, cudaDevAttrManagedMemory, 0));
    VALUE(v, "attribute");
}

void case_managed_after_reset(void)
{
    char *p = managed_block(64 * KIB);
    struct cudaPointerAttributes a;
    CALL(cudaDeviceReset());
    CALL(cudaPointerGetAttributes(&a, p));
    VALUE(a.type, "type");
    CALL(cudaFree(p));
}
