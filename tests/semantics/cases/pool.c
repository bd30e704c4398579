/* Semantics of stream-ordered allocation and memory pools.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

static struct cudaMemPoolProps device_properties(void)
{
    struct cudaMemPoolProps p;
    memset(&p, 0, sizeof p);
    p.allocType = cudaMemAllocationTypePinned;
    p.handleTypes = cudaMemHandleTypeNone;
    p.location.type = cudaMemLocationTypeDevice;
    return p;
}

static cudaMemPool_t own_pool(void)
{
    struct cudaMemPoolProps p = device_properties();
    cudaMemPool_t pool = NULL;
    REQUIRE(cudaMemPoolCreate(&pool, &p));
    return pool;
}

static cudaMemPool_t default_pool(void)
{
    cudaMemPool_t pool = NULL;
    REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0));
    return pool;
}

static cudaStream_t new_stream(void)
{
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
}

static cudaMemPool_t bogus(void)
{
    static char memory[4096];
    return (cudaMemPool_t)(void *)(memory + 1024);
}

/* create_with: name and value name the step. */
static void create_with(const char *name, long long value, const struct cudaMemPoolProps *p)
{
    cudaMemPool_t pool = NULL;
    CALL_AS(cudaMemPoolCreate(&pool, p), "%s %lld", name, value);
    if (pool) {
        CALL_AS(cudaMemPoolDestroy(pool), "%s %lld: destroy", name, value);
    }
}

void case_pool_create(void)
{
    struct cudaMemPoolProps p = device_properties();
    CALL(cudaMemPoolCreate(NULL, NULL));
    CALL(cudaMemPoolCreate(NULL, &p));
    create_with("no properties", 0, NULL);
    create_with("good", 0, &p);
    for (int type = -1; type <= 3; type++) {
        p = device_properties();
        p.allocType = (enum cudaMemAllocationType)type;
        create_with("allocType", type, &p);
    }
    static const int handles[] = {1, 2, 3, 4, 16, 99}; /* 8 depends on the machine's set-up */
    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++) {
        p = device_properties();
        p.handleTypes = (enum cudaMemAllocationHandleType)handles[i];
        create_with("handleTypes", handles[i], &p);
    }
    static const size_t sizes[] = {1, 4096, 2 * MIB, 64 * MIB, HUGE_SIZE, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        p = device_properties();
        p.maxSize = sizes[i];
        create_with("maxSize", (long long)sizes[i], &p);
    }
    static const unsigned short usages[] = {1, 2, 3, 0xffff};
    for (size_t i = 0; i < sizeof usages / sizeof usages[0]; i++) {
        p = device_properties();
        p.usage = usages[i];
        create_with("usage", usages[i], &p);
    }
    p = device_properties();
    p.win32SecurityAttributes = &p;
    create_with("security attributes", 0, &p);
    p = device_properties();
    p.reserved[0] = 1;
    create_with("reserved byte", 0, &p);
    p = device_properties();
    p.reserved[sizeof p.reserved - 1] = 1;
    create_with("last reserved byte", 0, &p);
}

void case_pool_create_locations(void)
{
    static const char *const names[] = {"none", "device", "host", "node", "current node", "type 5"};
    static const int ids[] = {-1, 0, 1000};
    struct cudaMemPoolProps p = device_properties();
    for (int type = 0; type <= 5; type++) {
        for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
            p.location.type = (enum cudaMemLocationType)type;
            p.location.id = ids[i];
            p.allocType = cudaMemAllocationTypePinned;
            create_with(names[type], ids[i], &p);
            p.allocType = cudaMemAllocationTypeManaged;
            create_with(names[type], ids[i], &p);
        }
    }
    p.location.type = (enum cudaMemLocationType)(-1);
    create_with("type", -1, &p);
}

void case_pool_max_size(void)
{
    struct cudaMemPoolProps p = device_properties();
    cudaMemPool_t pool = NULL;
    void *a = NULL;
    void *b = NULL;
    p.maxSize = 64 * MIB;
    CALL(cudaMemPoolCreate(&pool, &p));
    CALL(cudaMallocFromPoolAsync(&a, 48 * MIB, pool, NULL));
    CALL(cudaMallocFromPoolAsync(&b, 48 * MIB, pool, NULL));
    CALL(cudaFreeAsync(a, NULL));
    CALL(cudaDeviceSynchronize());
    CALL(cudaMallocFromPoolAsync(&b, 48 * MIB, pool, NULL));
    CALL(cudaMallocFromPoolAsync(&a, 128 * MIB, pool, NULL));
}

void case_pool_destroy(void)
{
    cudaMemPool_t pool = own_pool();
    int *p = NULL;
    CALL(cudaMemPoolDestroy(NULL));
    CALL(cudaMemPoolDestroy(default_pool()));
    CALL(cudaMallocFromPoolAsync((void **)&p, 4096, pool, NULL));
    CALL_AS(cudaMemPoolDestroy(pool), "with a live allocation");
    CALL(launch_store(p, 5, NULL));
    CALL(cudaDeviceSynchronize());
    VALUE(read_int(p), "the allocation still works");
    CALL(cudaFreeAsync(p, NULL));
    CALL(cudaDeviceSynchronize());
    pool = own_pool();
    CALL(cudaMemPoolDestroy(pool));
    pool = own_pool();
    CALL(cudaDeviceSetMemPool(0, pool));
    CALL_AS(cudaMemPoolDestroy(pool), "the current pool");
    cudaMemPool_t current = NULL;
    CALL(cudaDeviceGetMemPool(&current, 0));
    VALUE(current == default_pool(), "the current pool is the default one again");
}

static void all_attributes(const char *name, cudaMemPool_t pool)
{
    static const char *const names[] = {
        "",          "follow events", "opportunistic", "internal dependencies",
        "threshold", "reserved",      "reserved high", "used",
        "used high"};
    for (int a = 1; a <= 8; a++) {
        union {
            int flag;
            uint64_t bytes;
        } value = {.bytes = 77};
        CALL_AS(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)a, &value), "%s: %s", name,
                names[a]);
        if (a <= 3) {
            VALUE(value.flag, "%s: %s: value", name, names[a]);
        } else if (a == 5 || a == 6) {
            DEVICE_VALUE((long long)value.bytes, "%s: %s: value", name, names[a]);
            VALUE(value.bytes == 0, "%s: %s: is 0", name, names[a]);
        } else {
            VALUE((long long)value.bytes, "%s: %s: value", name, names[a]);
        }
    }
}

void case_pool_attributes(void)
{
    cudaMemPool_t pool = own_pool();
    void *a = NULL;
    void *b = NULL;
    all_attributes("default pool", default_pool());
    all_attributes("fresh", pool);
    CALL(cudaMallocFromPoolAsync(&a, 1000, pool, NULL));
    all_attributes("1000 bytes", pool);
    CALL(cudaMallocFromPoolAsync(&b, 3 * MIB + 1, pool, NULL));
    all_attributes("and 3 MiB + 1", pool);
    CALL(cudaFreeAsync(b, NULL));
    all_attributes("3 MiB + 1 freed", pool);
    CALL(cudaDeviceSynchronize());
    all_attributes("synchronized", pool);
    CALL(cudaFreeAsync(a, NULL));
    CALL(cudaDeviceSynchronize());
    all_attributes("all freed", pool);
    uint64_t zero = 0;
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
    all_attributes("high marks reset", pool);
}

void case_pool_set_attributes(void)
{
    cudaMemPool_t pool = own_pool();
    uint64_t value = 0;
    for (int a = -1; a <= 10; a++) {
        static const uint64_t values[] = {0, 1, 2, 5 * MIB, UINT64_MAX};
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            value = values[i];
            CALL_AS(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)a, &value),
                    "attribute %d to %llx", a, (unsigned long long)values[i]);
            if (a >= 1 && a <= 4) {
                value = 77;
                CALL_AS(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)a, &value),
                        "attribute %d to %llx: get", a, (unsigned long long)values[i]);
                VALUE((long long)(a == 4 ? value : (uint32_t)value), "attribute %d to %llx: value",
                      a, (unsigned long long)values[i]);
            }
        }
    }
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, NULL));
    CALL(cudaMemPoolSetAttribute(NULL, cudaMemPoolAttrReleaseThreshold, &value));
    CALL(cudaMemPoolSetAttribute(NULL, (enum cudaMemPoolAttr)99, NULL));
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, NULL));
    CALL(cudaMemPoolGetAttribute(NULL, cudaMemPoolAttrReleaseThreshold, &value));
    CALL(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)0, &value));
    CALL(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)99, &value));
    CALL(cudaMemPoolGetAttribute(NULL, (enum cudaMemPoolAttr)99, NULL));
}

/* reserved: bytes that the pool holds of the device. */
static uint64_t reserved(cudaMemPool_t pool)
{
    uint64_t bytes = 0;
    REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &bytes));
    return bytes;
}

void case_pool_trim(void)
{
    cudaMemPool_t pool = own_pool();
    uint64_t all = UINT64_MAX;
    void *p = NULL;
    REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    CALL(cudaMemPoolTrimTo(NULL, 0));
    CALL(cudaMemPoolTrimTo(pool, 0));
    CALL(cudaMemPoolTrimTo(pool, SIZE_MAX));
    CALL(cudaMallocFromPoolAsync(&p, 64 * MIB, pool, NULL));
    CALL(cudaFreeAsync(p, NULL));
    CALL(cudaDeviceSynchronize());
    VALUE(reserved(pool) >= 64 * MIB, "kept under the threshold");
    CALL(cudaMemPoolTrimTo(pool, 128 * MIB));
    VALUE(reserved(pool) >= 64 * MIB, "kept by a trim to more");
    CALL(cudaMemPoolTrimTo(pool, 0));
    VALUE((long long)reserved(pool), "after a trim to 0");
    CALL(cudaMallocFromPoolAsync(&p, 64 * MIB, pool, NULL));
    CALL(cudaMemPoolTrimTo(pool, 0));
    VALUE(reserved(pool) >= 64 * MIB, "a live allocation stays");
    all = 0;
    REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    CALL(cudaFreeAsync(p, NULL));
    VALUE(reserved(pool) >= 64 * MIB, "freed, not synchronized");
    CALL(cudaDeviceSynchronize());
    VALUE((long long)reserved(pool), "synchronized with threshold 0");
}

void case_pool_access(void)
{
    cudaMemPool_t pool = own_pool();
    struct cudaMemAccessDesc d[2];
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    enum cudaMemAccessFlags flags = (enum cudaMemAccessFlags)77;
    memset(d, 0, sizeof d);
    CALL(cudaMemPoolGetAccess(&flags, pool, &here));
    VALUE(flags, "own device");
    CALL(cudaMemPoolGetAccess(NULL, pool, &here));
    CALL(cudaMemPoolGetAccess(&flags, NULL, &here));
    CALL(cudaMemPoolGetAccess(&flags, pool, NULL));
    for (int type = 0; type <= 5; type++) {
        here.type = (enum cudaMemLocationType)type;
        here.id = 0;
        flags = (enum cudaMemAccessFlags)77;
        CALL_AS(cudaMemPoolGetAccess(&flags, pool, &here), "get, type %d", type);
        VALUE(flags, "get, type %d: value", type);
        here.id = 1000;
        CALL_AS(cudaMemPoolGetAccess(&flags, pool, &here), "get, type %d id 1000", type);
    }
    for (int type = 0; type <= 4; type++) {
        for (int f = 0; f <= 4; f++) {
            d[0].location.type = (enum cudaMemLocationType)type;
            d[0].location.id = 0;
            d[0].flags = (enum cudaMemAccessFlags)f;
            CALL_AS(cudaMemPoolSetAccess(pool, d, 1), "set, type %d flags %d", type, f);
        }
    }
    d[0].location.type = cudaMemLocationTypeDevice;
    d[0].flags = cudaMemAccessFlagsProtReadWrite;
    CALL(cudaMemPoolSetAccess(pool, d, 1));
    CALL(cudaMemPoolSetAccess(pool, d, 0));
    CALL(cudaMemPoolSetAccess(pool, NULL, 0));
    CALL(cudaMemPoolSetAccess(pool, NULL, 1));
    CALL(cudaMemPoolSetAccess(NULL, d, 1));
    d[1] = d[0];
    CALL_AS(cudaMemPoolSetAccess(pool, d, 2), "the same device twice");
    d[1].location.id = 1000;
    CALL_AS(cudaMemPoolSetAccess(pool, d, 2), "second device 1000");
    d[1].location.id = -1;
    CALL_AS(cudaMemPoolSetAccess(pool, d, 2), "second device -1");
    here = d[0].location;
    CALL(cudaMemPoolGetAccess(&flags, pool, &here));
    VALUE(flags, "at the end");
}

void case_pool_current(void)
{
    cudaMemPool_t pool = NULL;
    cudaMemPool_t again = NULL;
    cudaMemPool_t own = own_pool();
    CALL(cudaDeviceGetDefaultMemPool(NULL, 0));
    CALL(cudaDeviceGetDefaultMemPool(&pool, -1));
    CALL(cudaDeviceGetDefaultMemPool(&pool, 1000));
    CALL(cudaDeviceGetDefaultMemPool(NULL, 1000));
    VALUE(pool == NULL, "untouched");
    CALL(cudaDeviceGetDefaultMemPool(&pool, 0));
    CALL(cudaDeviceGetMemPool(NULL, 0));
    CALL(cudaDeviceGetMemPool(&again, -1));
    CALL(cudaDeviceGetMemPool(&again, 1000));
    CALL(cudaDeviceGetMemPool(&again, 0));
    VALUE(pool == again, "the current pool is the default one");
    CALL(cudaDeviceSetMemPool(-1, own));
    CALL(cudaDeviceSetMemPool(1000, own));
    CALL(cudaDeviceSetMemPool(0, NULL));
    CALL(cudaDeviceSetMemPool(0, own));
    CALL(cudaDeviceGetMemPool(&again, 0));
    VALUE(again == own, "the current pool as set");
    CALL(cudaDeviceGetDefaultMemPool(&again, 0));
    VALUE(again == pool, "the default pool stays");
    void *p = NULL;
    uint64_t used = 0;
    CALL(cudaMallocAsync(&p, 4096, NULL));
    CALL(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    VALUE(used >= 4096, "cudaMallocAsync takes from the current pool");
    CALL(cudaFreeAsync(p, NULL));
    CALL(cudaDeviceSetMemPool(0, pool));
    CALL(cudaMemPoolDestroy(own));
}

void case_pool_by_location(void)
{
    cudaMemPool_t pool = NULL;
    cudaMemPool_t own = own_pool();
    struct cudaMemLocation to = {cudaMemLocationTypeDevice, 0};
    enum cudaMemAllocationType pinned = cudaMemAllocationTypePinned;
    CALL(cudaMemGetDefaultMemPool(&pool, &to, pinned));
    VALUE(pool == default_pool(), "the default pool");
    CALL(cudaMemGetDefaultMemPool(NULL, &to, pinned));
    CALL(cudaMemGetDefaultMemPool(&pool, NULL, pinned));
    CALL(cudaMemGetMemPool(&pool, &to, pinned));
    VALUE(pool == default_pool(), "the current pool");
    CALL(cudaMemGetMemPool(NULL, &to, pinned));
    CALL(cudaMemGetMemPool(&pool, NULL, pinned));
    for (int type = 0; type <= 3; type++) {
        CALL_AS(cudaMemGetDefaultMemPool(&pool, &to, (enum cudaMemAllocationType)type),
                "default, device, type %d", type);
        CALL_AS(cudaMemGetMemPool(&pool, &to, (enum cudaMemAllocationType)type),
                "current, device, type %d", type);
        CALL_AS(cudaMemSetMemPool(&to, (enum cudaMemAllocationType)type, own),
                "set, device, type %d", type);
    }
    CALL(cudaMemGetMemPool(&pool, &to, pinned));
    VALUE(pool == own, "as set");
    CALL(cudaMemSetMemPool(&to, pinned, NULL));
    CALL(cudaMemSetMemPool(NULL, pinned, own));
    for (int type = 0; type <= 5; type++) {
        struct cudaMemLocation other = {(enum cudaMemLocationType)type, 0};
        CALL_AS(cudaMemGetDefaultMemPool(&pool, &other, pinned), "default, location %d", type);
        CALL_AS(cudaMemGetMemPool(&pool, &other, pinned), "current, location %d", type);
        if (type != cudaMemLocationTypeDevice) {
            CALL_AS(cudaMemSetMemPool(&other, pinned, own), "set, location %d", type);
        }
    }
    to.id = 1000;
    CALL_AS(cudaMemGetDefaultMemPool(&pool, &to, pinned), "default, device 1000");
    CALL_AS(cudaMemGetMemPool(&pool, &to, pinned), "current, device 1000");
    CALL_AS(cudaMemSetMemPool(&to, pinned, own), "set, device 1000");
}

void case_pool_malloc(void)
{
    void *p = &p;
    cudaStream_t s = new_stream();
    CALL(cudaMallocAsync(NULL, 0, NULL));
    CALL(cudaMallocAsync(NULL, 16, NULL));
    CALL(cudaMallocAsync(&p, 0, NULL));
    VALUE(p == NULL, "p is NULL after 0 bytes");
    VALUE(p == (void *)&p, "p unchanged after 0 bytes");
    p = &p;
    CALL(cudaMallocAsync(&p, HUGE_SIZE, NULL));
    VALUE(p == (void *)&p, "p unchanged after too much");
    VALUE(p == NULL, "p is NULL after too much");
    CALL(cudaMallocAsync(&p, SIZE_MAX, NULL));
    CALL(cudaMallocAsync(&p, 1, NULL));
    VALUE((uintptr_t)p % 256, "address modulo 256");
    CALL(cudaFreeAsync(p, NULL));
    CALL(cudaMallocAsync(&p, 16, cudaStreamPerThread));
    CALL(cudaFreeAsync(p, cudaStreamLegacy));
    CALL(cudaMallocAsync(&p, 16, s));
    CALL(cudaFreeAsync(p, s));
    CALL(cudaMallocAsync(&p, 16, s));
    CALL(cudaFreeAsync(p, NULL));
    cudaMemPool_t pool = own_pool();
    CALL(cudaMallocFromPoolAsync(&p, 16, pool, s));
    CALL(cudaFreeAsync(p, s));
    CALL(cudaMallocFromPoolAsync(&p, 0, pool, s));
    CALL(cudaMallocFromPoolAsync(NULL, 16, pool, s));
    CALL(cudaMallocFromPoolAsync(&p, 16, NULL, s));
    CALL(cudaMallocFromPoolAsync(NULL, 0, NULL, s));
    CALL(cudaMallocFromPoolAsync(&p, HUGE_SIZE, pool, s));
    CALL(cudaMallocFromPoolAsync(&p, SIZE_MAX, pool, s));
    TRY(cudaMallocFromPoolAsync(&p, 16, bogus(), s));
}

void case_pool_free(void)
{
    char *p = NULL;
    char *device = device_block(4096);
    char *pinned = pinned_block(4096);
    char *heap = malloc(4096);
    cudaStream_t s = new_stream();
    CALL(cudaFreeAsync(NULL, NULL));
    CALL(cudaFreeAsync(NULL, s));
    REQUIRE(cudaMallocAsync((void **)&p, 4096, s));
    TRY(cudaFreeAsync(p + 1, s));
    TRY(cudaFreeAsync(p + 256, s));
    TRY(cudaFreeAsync(p + 4096, s));
    TRY(cudaFreeAsync(p, s));
    TRY_AS(cudaFreeAsync(p, s), "twice");
    REQUIRE(cudaStreamSynchronize(s));
    TRY_AS(cudaFreeAsync(p, s), "twice, synchronized");
    REQUIRE(cudaMallocAsync((void **)&p, 4096, s));
    TRY_AS(cudaFree(p), "cudaFree of asynchronous memory");
    TRY_AS(cudaFree(p), "cudaFree of asynchronous memory, twice");
    TRY_AS(cudaFreeAsync(p, s), "cudaFreeAsync after cudaFree");
    REQUIRE(cudaMallocAsync((void **)&p, 4096, s));
    TRY_AS(cudaFreeHost(p), "cudaFreeHost of asynchronous memory");
    TRY_AS(cudaFreeAsync(device, s), "cudaFreeAsync of cudaMalloc memory");
    TRY_AS(cudaFree(device), "cudaFree of it after that");
    TRY_AS(cudaFreeAsync(pinned, s), "cudaFreeAsync of pinned memory");
    TRY_AS(cudaFreeAsync(heap, s), "cudaFreeAsync of heap memory");
    TRY_AS(cudaFreeAsync(&s, s), "cudaFreeAsync of the stack");
    REQUIRE(cudaMallocAsync((void **)&p, 4096, s));
    DRIVER_TRY(cuMemFree(address_of(p)));
    REQUIRE(cudaMallocAsync((void **)&p, 4096, s));
    DRIVER_TRY(cuMemFreeAsync(address_of(p), NULL));
    free(heap);
}

void case_pool_use(void)
{
    int *p = NULL;
    int *q = NULL;
    int value = 0;
    cudaStream_t s = new_stream();
    CALL(cudaMallocAsync((void **)&p, 4096, s));
    CALL(launch_store(p + 5, 21, s));
    CALL(cudaMemcpyAsync(&value, p + 5, 4, cudaMemcpyDeviceToHost, s));
    CALL(cudaFreeAsync(p, s));
    CALL(cudaMallocAsync((void **)&q, 4096, s));
    VALUE(p == q, "the same address again in the same stream");
    CALL(cudaStreamSynchronize(s));
    VALUE(value, "value");
    CALL(cudaMemset(q, 1, 4096));
    CALL(cudaMemcpy(&value, q + 1023, 4, cudaMemcpyDefault));
    VALUE(value, "synchronous use");
    TRY(cudaMemset(q, 1, 8 * MIB * 1024));
    CALL(cudaFreeAsync(q, s));
    TRY_AS(launch_store(q, 3, s), "store after the free");
    TRY_AS(cudaMemset(q, 1, 16), "cudaMemset after the free");
    CALL(cudaStreamSynchronize(s));
    TRY_AS(cudaMemset(q, 1, 16), "cudaMemset after the free, synchronized");
}

/* Freed memory goes to another stream only when that is safe. */
void case_pool_reuse(void)
{
    int *p = NULL;
    int *q = NULL;
    cudaStream_t s = new_stream();
    cudaStream_t t = new_stream();
    cudaEvent_t event = NULL;
    spin_prepare();
    REQUIRE(cudaEventCreate(&event));
    REQUIRE(cudaMallocAsync((void **)&p, 32 * MIB, s));
    REQUIRE(cudaDeviceSynchronize());
    REQUIRE(spin_start(s, SPIN_MS));
    CALL(cudaFreeAsync(p, s));
    CALL(cudaMallocAsync((void **)&q, 32 * MIB, t));
    VALUE(spin_is_over(), "cudaMallocAsync in another stream waited");
    CALL(launch_store(q, 5, t));
    CALL(cudaStreamSynchronize(t));
    VALUE(read_int(q), "usable in the other stream");
    CALL(cudaStreamSynchronize(s));
    CALL(cudaFreeAsync(q, t));
    CALL(cudaEventRecord(event, t));
    CALL(cudaStreamWaitEvent(s, event, 0));
    CALL(cudaMallocAsync((void **)&p, 32 * MIB, s));
    CALL(launch_store(p, 6, s));
    CALL(cudaStreamSynchronize(s));
    VALUE(read_int(p), "reused behind an event");
}

void case_pool_waits(void)
{
    int *p = NULL;
    cudaStream_t s = new_stream();
    spin_prepare();
    REQUIRE(cudaMallocAsync((void **)&p, MIB, s));
    REQUIRE(cudaDeviceSynchronize());
    REQUIRE(spin_start(s, SPIN_MS));
    CALL(cudaFreeAsync(p, s));
    VALUE(spin_is_over(), "cudaFreeAsync waited");
    CALL(cudaMallocAsync((void **)&p, MIB, s));
    VALUE(spin_is_over(), "cudaMallocAsync waited");
    CALL(cudaFree(p));
    VALUE(spin_is_over(), "cudaFree waited");
    CALL(cudaDeviceSynchronize());
}

void case_pool_pointers(void)
{
    struct cudaPointerAttributes a;
    char *p = NULL;
    cudaStream_t s = new_stream();
    memset(&a, 0, sizeof a);
    REQUIRE(cudaMallocAsync((void **)&p, 5000, s));
    CALL(cudaPointerGetAttributes(&a, p));
    VALUE(a.type, "type");
    VALUE(a.device, "device");
    VALUE(a.devicePointer == p, "devicePointer is p");
    VALUE(a.hostPointer == NULL, "hostPointer is NULL");
    CALL(cudaPointerGetAttributes(&a, p + 4999));
    VALUE(a.type, "last byte: type");
    record_pointer_attributes("pool", p);
    record_pointer_attributes("pool + 100", p + 100);
    CUmemoryPool pool = NULL;
    DRIVER(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address_of(p)));
    VALUE((void *)pool == (void *)default_pool(), "the default pool");
    CALL(cudaFreeAsync(p, s));
    CALL_AS(cudaPointerGetAttributes(&a, p), "freed");
    VALUE(a.type, "freed: type");
    CALL(cudaStreamSynchronize(s));
    CALL_AS(cudaPointerGetAttributes(&a, p), "freed, synchronized");
    VALUE(a.type, "freed, synchronized: type");
}

void case_pool_after_reset(void)
{
    cudaMemPool_t own = own_pool();
    cudaMemPool_t pool = default_pool();
    void *p = NULL;
    REQUIRE(cudaMallocAsync(&p, 4096, NULL));
    CALL(cudaDeviceReset());
    CALL(cudaFreeAsync(p, NULL));
    cudaMemPool_t again = NULL;
    CALL(cudaDeviceGetDefaultMemPool(&again, 0));
    DEVICE_VALUE(again == pool, "same default pool");
    CALL(cudaMallocAsync(&p, 4096, NULL));
    TRY(cudaMallocFromPoolAsync(&p, 4096, own, NULL));
    CALL(cudaDeviceSynchronize());
}
