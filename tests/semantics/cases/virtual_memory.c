/* Semantics of virtual memory management.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <unistd.h>

#include "../oracle.h"

static CUmemAllocationProp properties(void)
{
    CUmemAllocationProp prop;
    memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return prop;
}

static CUmemAccessDesc access_of(CUmemAccess_flags flags)
{
    CUmemAccessDesc access;
    memset(&access, 0, sizeof access);
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = flags;
    return access;
}

/* Whether the device can do it; a step says that it cannot. */
static bool is_supported(void)
{
    int value = 0;
    make_runtime_context();
    REQUIRE_DRIVER(
        cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    if (value == 0)
        SKIP("no virtual memory management");
    return value != 0;
}

static size_t granularity(void)
{
    const CUmemAllocationProp prop = properties();
    size_t bytes = 0;
    REQUIRE_DRIVER(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    return bytes;
}

void case_virtual_memory_granularity(void)
{
    if (!is_supported())
        return;
    CUmemAllocationProp prop = properties();
    size_t bytes = 77;
    DRIVER(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    DEVICE_VALUE((long long)bytes, "minimum");
    VALUE((bytes & (bytes - 1)) == 0, "is a power of two");
    DRIVER(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    DEVICE_VALUE((long long)bytes, "recommended");
    DRIVER(cuMemGetAllocationGranularity(NULL, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    DRIVER(cuMemGetAllocationGranularity(&bytes, NULL, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    DRIVER(cuMemGetAllocationGranularity(&bytes, &prop, (CUmemAllocationGranularity_flags)5));
    prop.location.id = 99;
    DRIVER_AS(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
              "device 99");
    prop = properties();
    prop.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    DRIVER_AS(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
              "type 0");
    prop = properties();
    prop.location.type = CU_MEM_LOCATION_TYPE_INVALID;
    DRIVER_AS(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
              "nowhere");
}

void case_virtual_memory_reserve(void)
{
    if (!is_supported())
        return;
    const size_t grain = granularity();
    CUdeviceptr p = 0;
    CUdeviceptr q = 0;
    DRIVER(cuMemAddressReserve(NULL, grain, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&p, 0, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&p, grain + 1, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&p, grain / 2, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&p, grain, 3, 0, 0));
    DRIVER(cuMemAddressReserve(&p, grain, 0, 0, 1));
    DRIVER(cuMemAddressReserve(&p, 4 * grain, 0, 0, 0));
    VALUE(p % grain == 0, "aligned");
    DRIVER(cuMemAddressReserve(&q, grain, 16 * grain, 0, 0));
    VALUE(q % (16 * grain) == 0, "aligned as asked");
    DRIVER(cuMemAddressFree(q, grain));
    DRIVER_AS(cuMemAddressReserve(&q, grain, 0, p, 0), "at an address that is taken");
    VALUE(q != p, "got another");
    DRIVER(cuMemAddressFree(q, grain));
    DRIVER(cuMemAddressFree(0, grain));
    DRIVER(cuMemAddressFree(p, grain));
    DRIVER(cuMemAddressFree(p + grain, grain));
    DRIVER(cuMemAddressFree(p, 0));
    DRIVER(cuMemAddressFree(p, 4 * grain));
    DRIVER_AS(cuMemAddressFree(p, 4 * grain), "free again");
    DRIVER_AS(cuMemAddressReserve(&q, 4 * grain, 0, p, 0), "at an address that was free");
    VALUE(q == p, "got it");
    DRIVER(cuMemAddressFree(q, 4 * grain));
    DRIVER(cuMemAddressReserve(&q, (size_t)1 << 60, 0, 0, 0));
}

void case_virtual_memory_create(void)
{
    if (!is_supported())
        return;
    const size_t grain = granularity();
    CUmemAllocationProp prop = properties();
    CUmemAllocationProp got;
    CUmemGenericAllocationHandle handle = 0;
    CUmemGenericAllocationHandle again = 0;
    DRIVER(cuMemCreate(NULL, grain, &prop, 0));
    DRIVER(cuMemCreate(&handle, 0, &prop, 0));
    DRIVER(cuMemCreate(&handle, grain + 1, &prop, 0));
    DRIVER(cuMemCreate(&handle, grain, NULL, 0));
    DRIVER(cuMemCreate(&handle, grain, &prop, 1));
    DRIVER(cuMemCreate(&handle, (size_t)1 << 50, &prop, 0));
    prop.location.id = 99;
    DRIVER_AS(cuMemCreate(&handle, grain, &prop, 0), "device 99");
    prop = properties();
    prop.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    DRIVER_AS(cuMemCreate(&handle, grain, &prop, 0), "type 0");
    prop = properties();
    DRIVER(cuMemCreate(&handle, grain, &prop, 0));
    memset(&got, 0x55, sizeof got);
    DRIVER(cuMemGetAllocationPropertiesFromHandle(&got, handle));
    VALUE(got.type, "type");
    VALUE(got.location.type, "location");
    VALUE(got.location.id, "device");
    VALUE(got.requestedHandleTypes, "handle types");
    DRIVER(cuMemGetAllocationPropertiesFromHandle(NULL, handle));
    DRIVER(cuMemGetAllocationPropertiesFromHandle(&got, 0));
    DRIVER(cuMemRetainAllocationHandle(&again, NULL));
    DRIVER(cuMemRetainAllocationHandle(NULL, &handle));
    DRIVER(cuMemRelease(0));
    DRIVER(cuMemRelease(handle));
    DRIVER_AS(cuMemRelease(handle), "release again");
}

void case_virtual_memory_map(void)
{
    if (!is_supported())
        return;
    const size_t grain = granularity();
    const CUmemAllocationProp prop = properties();
    const CUmemAccessDesc both = access_of(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemGenericAllocationHandle handle = 0;
    CUmemGenericAllocationHandle got = 0;
    CUdeviceptr p = 0;
    int word = -1;
    REQUIRE_DRIVER(cuMemCreate(&handle, 2 * grain, &prop, 0));
    REQUIRE_DRIVER(cuMemAddressReserve(&p, 8 * grain, 0, 0, 0));
    DRIVER(cuMemMap(0, grain, 0, handle, 0));
    DRIVER(cuMemMap(p, 0, 0, handle, 0));
    DRIVER(cuMemMap(p, grain, 0, 0, 0));
    DRIVER(cuMemMap(p, grain, 0, handle, 1));
    DRIVER(cuMemMap(p, 3 * grain, 0, handle, 0));
    DRIVER(cuMemMap(p, grain / 2, 0, handle, 0));
    DRIVER(cuMemMap(p + 4096, grain, 0, handle, 0));
    DRIVER(cuMemMap(p, 2 * grain, 0, handle, 0));
    DRIVER_AS(cuMemMap(p, 2 * grain, 0, handle, 0), "map again");
    DRIVER_AS(cuMemMap(p + 4 * grain, 2 * grain, 0, handle, 0), "at two addresses");
    DRIVER_AS(cuMemMap(p + 8 * grain, 2 * grain, 0, handle, 0), "outside the reservation");
    DRIVER_AS(cuMemMap(p + 6 * grain, grain, grain, handle, 0), "half of it");
    DRIVER_AS(cuMemcpyHtoD(p, &word, sizeof word), "write without access");
    DRIVER_AS(cuMemcpyDtoH(&word, p, sizeof word), "read without access");
    DRIVER_AS(cuMemsetD32(p, 1, 1), "fill without access");
    DRIVER(cuMemSetAccess(0, grain, &both, 1));
    DRIVER(cuMemSetAccess(p, 0, &both, 1));
    DRIVER(cuMemSetAccess(p, 2 * grain, NULL, 1));
    DRIVER(cuMemSetAccess(p, 2 * grain, &both, 0));
    DRIVER(cuMemSetAccess(p, 8 * grain, &both, 1));
    DRIVER(cuMemSetAccess(p, grain, &both, 1));
    DRIVER(cuMemSetAccess(p, 2 * grain, &both, 1));
    DRIVER_AS(cuMemSetAccess(p + 4 * grain, 2 * grain, &both, 1), "the second address");
    unsigned long long flags = 77;
    DRIVER(cuMemGetAccess(&flags, &both.location, p));
    VALUE((long long)flags, "access");
    DRIVER(cuMemGetAccess(NULL, &both.location, p));
    DRIVER(cuMemGetAccess(&flags, NULL, p));
    DRIVER(cuMemGetAccess(&flags, &both.location, 0));
    DRIVER_AS(cuMemGetAccess(&flags, &both.location, p + 7 * grain),
              "access of what is not mapped");
    word = 1234;
    DRIVER_AS(cuMemcpyHtoD(p, &word, sizeof word), "write");
    word = -1;
    DRIVER_AS(cuMemcpyDtoH(&word, p + 4 * grain, sizeof word), "read at the second address");
    VALUE(word, "the same memory");
    DRIVER(cuMemRetainAllocationHandle(&got, (void *)(uintptr_t)p));
    VALUE(got == handle, "the same handle");
    DRIVER(cuMemRelease(got));
    DRIVER(cuMemRetainAllocationHandle(&got, (void *)(uintptr_t)(p + 7 * grain)));
    CUdeviceptr base = 0;
    size_t size = 0;
    DRIVER(cuMemGetAddressRange(&base, &size, p + 4));
    VALUE(base == p, "begins there");
    VALUE((long long)(size / grain), "is as long");
    DRIVER(cuMemRelease(handle));
    word = -1;
    DRIVER_AS(cuMemcpyDtoH(&word, p, sizeof word), "read after release");
    VALUE(word, "what is read after release");
    DRIVER(cuMemAddressFree(p, 8 * grain));
    DRIVER(cuMemFree(p));
    DRIVER(cuMemUnmap(0, grain));
    DRIVER(cuMemUnmap(p, 0));
    DRIVER(cuMemUnmap(p, grain));
    DRIVER(cuMemUnmap(p + 7 * grain, grain));
    DRIVER(cuMemUnmap(p, 2 * grain));
    DRIVER_AS(cuMemUnmap(p, 2 * grain), "unmap again");
    DRIVER_AS(cuMemcpyDtoH(&word, p, sizeof word), "read after unmap");
    DRIVER_AS(cuMemUnmap(p + 4 * grain, 4 * grain), "unmap the rest");
    DRIVER_AS(cuMemAddressFree(p, 8 * grain), "free the addresses");
}

void case_virtual_memory_grow(void)
{
    if (!is_supported())
        return;
    const size_t grain = granularity();
    const CUmemAllocationProp prop = properties();
    const CUmemAccessDesc both = access_of(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUdeviceptr p = 0;
    enum { PARTS = 4 };
    CUmemGenericAllocationHandle handles[PARTS];
    REQUIRE_DRIVER(cuMemAddressReserve(&p, PARTS * grain, 0, 0, 0));
    for (int i = 0; i < PARTS; i++) {
        const CUdeviceptr at = p + (size_t)i * grain;
        DRIVER_AS(cuMemCreate(&handles[i], grain, &prop, 0), "part %d: create", i);
        DRIVER_AS(cuMemMap(at, grain, 0, handles[i], 0), "part %d: map", i);
        DRIVER_AS(cuMemRelease(handles[i]), "part %d: release", i);
        DRIVER_AS(cuMemSetAccess(at, grain, &both, 1), "part %d: access", i);
        DRIVER_AS(cuMemsetD32(p, (unsigned)i, (size_t)(i + 1) * grain / 4), "part %d: fill all", i);
        VALUE(read_int((void *)(uintptr_t)(at + grain - 4)), "part %d: last word", i);
        VALUE(read_int((void *)(uintptr_t)p), "part %d: first word", i);
    }
    REQUIRE(launch_store((int *)(uintptr_t)(p + 2 * grain - 4), 99, NULL));
    DRIVER(cuCtxSynchronize());
    VALUE(read_int((void *)(uintptr_t)(p + 2 * grain - 4)), "by a kernel");
    struct cudaPointerAttributes attributes;
    CALL(cudaPointerGetAttributes(&attributes, (void *)(uintptr_t)(p + grain + 4)));
    VALUE(attributes.type, "type of the memory");
    VALUE(attributes.device, "device of the memory");
    VALUE(attributes.hostPointer != NULL, "has a host pointer");
    CALL_AS(cudaMemcpy((void *)(uintptr_t)p, (void *)(uintptr_t)(p + 2 * grain), 2 * grain,
                       cudaMemcpyDefault),
            "copy from parts to parts");
    CALL_AS(cudaFree((void *)(uintptr_t)p), "free");
    DRIVER_AS(cuMemSetAccess(p, PARTS * grain, &both, 1), "access of all");
    DRIVER_AS(cuMemUnmap(p, PARTS * grain), "unmap all");
    DRIVER_AS(cuMemAddressFree(p, PARTS * grain), "free the addresses");
}

void case_virtual_memory_protection(void)
{
    if (!is_supported())
        return;
    const size_t grain = granularity();
    const CUmemAllocationProp prop = properties();
    CUmemAccessDesc access = access_of(CU_MEM_ACCESS_FLAGS_PROT_READ);
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr p = 0;
    int word = 5;
    unsigned long long flags = 77;
    REQUIRE_DRIVER(cuMemCreate(&handle, grain, &prop, 0));
    REQUIRE_DRIVER(cuMemAddressReserve(&p, grain, 0, 0, 0));
    REQUIRE_DRIVER(cuMemMap(p, grain, 0, handle, 0));
    DRIVER_AS(cuMemSetAccess(p, grain, &access, 1), "read alone");
    DRIVER_AS(cuMemGetAccess(&flags, &access.location, p), "get");
    VALUE((long long)flags, "flags of read alone");
    DRIVER_AS(cuMemcpyDtoH(&word, p, sizeof word), "read");
    DRIVER_TRY_AS(cuMemcpyHtoD(p, &word, sizeof word), "write");
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    DRIVER_AS(cuMemSetAccess(p, grain, &access, 1), "none");
    DRIVER_AS(cuMemGetAccess(&flags, &access.location, p), "get none");
    VALUE((long long)flags, "flags of none");
    DRIVER_AS(cuMemcpyDtoH(&word, p, sizeof word), "read of none");
    access.flags = (CUmemAccess_flags)2;
    DRIVER_AS(cuMemSetAccess(p, grain, &access, 1), "flags 2");
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    access.location.id = 99;
    DRIVER_AS(cuMemSetAccess(p, grain, &access, 1), "device 99");
    access.location.type = CU_MEM_LOCATION_TYPE_INVALID;
    DRIVER_AS(cuMemSetAccess(p, grain, &access, 1), "nowhere");
    DRIVER(cuMemUnmap(p, grain));
    DRIVER(cuMemRelease(handle));
    DRIVER(cuMemAddressFree(p, grain));
}

void case_virtual_memory_export(void)
{
    if (!is_supported())
        return;
    const size_t grain = granularity();
    CUmemAllocationProp prop = properties();
    CUmemGenericAllocationHandle plain = 0;
    CUmemGenericAllocationHandle handle = 0;
    CUmemGenericAllocationHandle imported = 0;
    int descriptor = -1;
    REQUIRE_DRIVER(cuMemCreate(&plain, grain, &prop, 0));
    DRIVER_AS(cuMemExportToShareableHandle(&descriptor, plain,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
              "export what was not made for it");
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    DRIVER(cuMemCreate(&handle, grain, &prop, 0));
    DRIVER(cuMemExportToShareableHandle(NULL, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DRIVER(cuMemExportToShareableHandle(&descriptor, handle,
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    DRIVER(cuMemExportToShareableHandle(&descriptor, handle,
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    VALUE(descriptor >= 0, "has a descriptor");
    DRIVER(cuMemImportFromShareableHandle(NULL, (void *)(intptr_t)descriptor,
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    DRIVER_AS(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)descriptor,
                                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
              "import");
    VALUE(imported != 0, "has a handle");
    DRIVER_AS(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)9999,
                                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
              "import no descriptor");
    close(descriptor);
    DRIVER_AS(cuMemRelease(handle), "release");
}
