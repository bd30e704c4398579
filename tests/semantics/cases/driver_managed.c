/* Semantics of managed memory by the driver API.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"

static CUdeviceptr managed_block(size_t bytes)
{
    CUdeviceptr p = 0;
    make_driver_context();
    REQUIRE_DRIVER(cuMemAllocManaged(&p, bytes, CU_MEM_ATTACH_GLOBAL));
    return p;
}

static CUmemLocation at(int type, int id)
{
    CUmemLocation location = {(CUmemLocationType)type, id};
    return location;
}

void case_driver_managed_alloc(void)
{
    CUdeviceptr p = 7;
    make_driver_context();
    DRIVER(cuMemAllocManaged(NULL, 0, 0));
    DRIVER(cuMemAllocManaged(NULL, 16, CU_MEM_ATTACH_GLOBAL));
    DRIVER(cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
    VALUE((long long)p, "p after 0 bytes");
    for (unsigned flags = 0; flags <= 8; flags++) {
        p = 7;
        DRIVER_AS(cuMemAllocManaged(&p, 4096, flags), "flags %u", flags);
        VALUE(p == 7, "flags %u: unchanged", flags);
        if (p != 7) {
            DRIVER_AS(cuMemFree(p), "flags %u: free", flags);
        }
    }
    DRIVER(cuMemAllocManaged(&p, HUGE_SIZE, CU_MEM_ATTACH_GLOBAL));
    DRIVER(cuMemAllocManaged(&p, SIZE_MAX, CU_MEM_ATTACH_GLOBAL));
    DRIVER(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    DRIVER(cuMemFree(p + 16));
    DRIVER(cuMemFreeHost((void *)(uintptr_t)p));
    DRIVER(cuMemFree(p));
    DRIVER_AS(cuMemFree(p), "free twice");
}

void case_driver_managed_pointers(void)
{
    CUdeviceptr p = managed_block(64 * KIB);
    CUdeviceptr host = 0;
    CUdeviceptr base = 0;
    size_t size = 0;
    unsigned flags = 77;
    REQUIRE_DRIVER(cuMemAllocManaged(&host, 4096, CU_MEM_ATTACH_HOST));
    record_pointer_attributes("managed", (void *)(uintptr_t)p);
    record_pointer_attributes("managed + 5000", (void *)(uintptr_t)(p + 5000));
    record_pointer_attributes("managed, host", (void *)(uintptr_t)host);
    DRIVER(cuMemGetAddressRange(&base, &size, p + 5000));
    VALUE(base == p, "base");
    VALUE((long long)size, "size");
    DRIVER(cuMemHostGetDevicePointer(&base, (void *)(uintptr_t)p, 0));
    DRIVER(cuMemHostGetFlags(&flags, (void *)(uintptr_t)p));
    DRIVER(cuMemHostRegister((void *)(uintptr_t)p, 64 * KIB, 0));
}

void case_driver_managed_attach(void)
{
    CUdeviceptr p = managed_block(64 * KIB);
    CUstream s = NULL;
    REQUIRE_DRIVER(cuStreamCreate(&s, 0));
    for (unsigned flags = 0; flags <= 5; flags++) {
        DRIVER_AS(cuStreamAttachMemAsync(s, p, 0, flags), "flags %u", flags);
        DRIVER_AS(cuStreamAttachMemAsync(NULL, p, 0, flags), "NULL stream, flags %u", flags);
    }
    DRIVER(cuStreamAttachMemAsync(s, p, 64 * KIB, CU_MEM_ATTACH_SINGLE));
    DRIVER(cuStreamAttachMemAsync(s, p, 4096, CU_MEM_ATTACH_SINGLE));
    DRIVER(cuStreamAttachMemAsync(s, p + 4096, 0, CU_MEM_ATTACH_SINGLE));
    DRIVER(cuStreamAttachMemAsync(s, 0, 0, CU_MEM_ATTACH_SINGLE));
    DRIVER(cuStreamAttachMemAsync(NULL, 0, 0, 99));
    DRIVER(cuStreamDestroy(s));
}

void case_driver_managed_prefetch(void)
{
    CUdeviceptr p = managed_block(64 * KIB);
    for (int type = 0; type <= 5; type++) {
        for (int id = -1; id <= 1; id++) {
            DRIVER_AS(cuMemPrefetchAsync(p, 64 * KIB, at(type, id), 0, NULL), "type %d id %d", type,
                      id);
        }
    }
    DRIVER(cuMemPrefetchAsync(p, 64 * KIB, at(1, 0), 1, NULL));
    DRIVER(cuMemPrefetchAsync(p, 0, at(1, 0), 0, NULL));
    DRIVER(cuMemPrefetchAsync(0, 4096, at(1, 0), 0, NULL));
    DRIVER(cuMemPrefetchAsync(p, SIZE_MAX, at(1, 0), 0, NULL));
    DRIVER(cuMemPrefetchAsync(p, 8 * MIB, at(1, 0), 0, NULL));
    CUdeviceptr list[] = {p, p + 32 * KIB};
    size_t sizes[] = {32 * KIB, 32 * KIB};
    CUmemLocation to[] = {at(1, 0), at(2, 0)};
    size_t index[] = {0, 1};
    CUstream s = NULL;
    REQUIRE_DRIVER(cuStreamCreate(&s, 0));
    DRIVER(cuMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s));
    DRIVER(cuMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, NULL));
    DRIVER(cuMemPrefetchBatchAsync(list, sizes, 2, to, index, 2, 1, s));
    DRIVER(cuMemPrefetchBatchAsync(list, sizes, 0, to, index, 2, 0, s));
    DRIVER(cuMemPrefetchBatchAsync(list, sizes, 2, to, index, 0, 0, s));
    DRIVER(cuMemPrefetchBatchAsync(NULL, sizes, 2, to, index, 2, 0, s));
    DRIVER(cuMemDiscardBatchAsync(list, sizes, 2, 0, s));
    DRIVER(cuMemDiscardBatchAsync(list, sizes, 2, 1, s));
    DRIVER(cuMemDiscardBatchAsync(list, sizes, 0, 0, s));
    DRIVER(cuMemDiscardBatchAsync(NULL, sizes, 2, 0, s));
    DRIVER(cuMemDiscardAndPrefetchBatchAsync(list, sizes, 2, to, index, 2, 0, s));
    DRIVER(cuMemDiscardAndPrefetchBatchAsync(list, sizes, 2, to, index, 2, 1, s));
    DRIVER(cuStreamSynchronize(s));
}

void case_driver_managed_advise(void)
{
    CUdeviceptr p = managed_block(64 * KIB);
    for (int advice = 0; advice <= 8; advice++) {
        for (int type = 0; type <= 5; type++) {
            DRIVER_AS(cuMemAdvise(p, 64 * KIB, (CUmem_advise)advice, at(type, 0)),
                      "advice %d type %d", advice, type);
        }
        DRIVER_AS(cuMemAdvise(p, 64 * KIB, (CUmem_advise)advice, at(1, -1)), "advice %d device -1",
                  advice);
    }
    DRIVER(cuMemAdvise(p, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, at(1, 0)));
    DRIVER(cuMemAdvise(0, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, at(1, 0)));
    DRIVER(cuMemAdvise(p, 8 * MIB, CU_MEM_ADVISE_SET_READ_MOSTLY, at(1, 0)));
}

void case_driver_managed_range(void)
{
    CUdeviceptr p = managed_block(64 * KIB);
    for (int attribute = 0; attribute <= 9; attribute++) {
        int v[2] = {77, 77};
        DRIVER_AS(cuMemRangeGetAttribute(v, 4, (CUmem_range_attribute)attribute, p, 64 * KIB),
                  "attribute %d", attribute);
        VALUE(v[0], "attribute %d: value", attribute);
        DRIVER_AS(cuMemRangeGetAttribute(v, 8, (CUmem_range_attribute)attribute, p, 64 * KIB),
                  "attribute %d size 8", attribute);
        DRIVER_AS(cuMemRangeGetAttribute(v, 0, (CUmem_range_attribute)attribute, p, 64 * KIB),
                  "attribute %d size 0", attribute);
    }
    int v = 77;
    void *data[] = {&v};
    size_t size = 4;
    CUmem_range_attribute a = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    DRIVER(cuMemRangeGetAttribute(NULL, 4, a, p, 4096));
    DRIVER(cuMemRangeGetAttribute(&v, 4, a, 0, 4096));
    DRIVER(cuMemRangeGetAttribute(&v, 4, a, p, 0));
    DRIVER(cuMemRangeGetAttributes(data, &size, &a, 1, p, 4096));
    DRIVER(cuMemRangeGetAttributes(data, &size, &a, 0, p, 4096));
    DRIVER(cuMemRangeGetAttributes(NULL, &size, &a, 1, p, 4096));
}

typedef CUresult (*advise_old)(CUdeviceptr p, size_t count, CUmem_advise advice, CUdevice device);
typedef CUresult (*prefetch_old)(CUdeviceptr p, size_t count, CUdevice device, CUstream stream);

/* old: the form that programs of CUDA 8 to 12 call. */
static void *old(const char *name)
{
    void *function = NULL;
    REQUIRE_DRIVER(cuGetProcAddress(name, &function, 8000, 0, NULL));
    require(function != NULL, name);
    return function;
}

void case_driver_managed_old_forms(void)
{
    CUdeviceptr p = managed_block(64 * KIB);
    advise_old advise = (advise_old)(uintptr_t)old("cuMemAdvise");
    prefetch_old prefetch = (prefetch_old)(uintptr_t)old("cuMemPrefetchAsync");
    for (int device = -2; device <= 1; device++) {
        DRIVER_AS(prefetch(p, 64 * KIB, device, NULL), "prefetch to %d", device);
        for (int advice = 0; advice <= 7; advice++) {
            DRIVER_AS(advise(p, 64 * KIB, (CUmem_advise)advice, device), "advice %d device %d",
                      advice, device);
        }
    }
    int v = 77;
    REQUIRE_DRIVER(prefetch(p, 64 * KIB, CU_DEVICE_CPU, NULL));
    REQUIRE_DRIVER(advise(p, 64 * KIB, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
    DRIVER(cuMemRangeGetAttribute(&v, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 4096));
    VALUE(v, "last prefetch location");
    DRIVER(cuMemRangeGetAttribute(&v, 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 4096));
    VALUE(v, "preferred location");
    DRIVER_AS(prefetch(p, 0, 0, NULL), "0 bytes");
    DRIVER_AS(prefetch(0, 4096, 0, NULL), "NULL");
}

/* Setting attributes of memory of every kind. */
void case_driver_managed_set_attribute(void)
{
    size_t count = 0;
    const struct place *places = make_places(&count);
    void *managed = (void *)(uintptr_t)managed_block(64 * KIB);
    unsigned yes = 1;
    for (size_t i = 0; i < count; i++) {
        int got = 77;
        DRIVER_AS(
            cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address_of(places[i].p)),
            "%s", places[i].name);
        DRIVER_AS(
            cuPointerGetAttribute(&got, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address_of(places[i].p)),
            "%s: get", places[i].name);
        VALUE(got, "%s: value", places[i].name);
    }
    int got = 77;
    DRIVER(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address_of(managed)));
    DRIVER(cuPointerGetAttribute(&got, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address_of(managed)));
    VALUE(got, "managed");
    CUdeviceptr d = address_of(device_block(4096));
    for (int attribute = 0; attribute <= 22; attribute++) {
        DRIVER_AS(cuPointerSetAttribute(&yes, (CUpointer_attribute)attribute, d), "attribute %d",
                  attribute);
    }
    yes = 2;
    DRIVER_AS(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d), "to 2");
    DRIVER(cuPointerGetAttribute(&got, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d + 100));
    VALUE(got, "as set to 2, seen from inside");
    yes = 0;
    DRIVER_AS(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d + 100), "to 0");
    DRIVER(cuPointerGetAttribute(&got, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
    VALUE(got, "as set to 0 from inside");
    DRIVER(cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    DRIVER(cuPointerSetAttribute(NULL, (CUpointer_attribute)99, 0));
}
