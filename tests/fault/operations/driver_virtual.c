/* Operations of the driver API: virtual memory management.
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* names are symbols, and old versions have theirs */
#include <unistd.h>

#include "operation.h"

enum { GRAIN = 2 << 20, PARTS = 2 };

static const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

static int make(CUmemGenericAllocationHandle *handle)
{
    size_t grain = 0;
    int error = 0;
    CUmemAllocationProp got = {0};
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .requestedHandleTypes =
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      .location = here};
    TRY(cuMemGetAllocationGranularity, &grain, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    TRY(cuMemCreate, handle, GRAIN, &prop, 0);
    TRY(cuMemGetAllocationPropertiesFromHandle, &got, *handle);
    CHECK(grain == GRAIN && got.requestedHandleTypes == prop.requestedHandleTypes);
    return error;
}

/* Another handle of the same memory. */
static int pass_on(CUmemGenericAllocationHandle handle, CUmemGenericAllocationHandle *other)
{
    int file = -1, error = 0;
    TRY(cuMemExportToShareableHandle, &file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    TRY(cuMemImportFromShareableHandle, other, (void *)(intptr_t)file,
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (file >= 0)
        close(file);
    return error;
}

/* The second part is the first one's memory; a fill goes over both. */
static int work(CUdeviceptr memory, CUmemGenericAllocationHandle handle)
{
    const CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle same = 0;
    unsigned long long flags = 0;
    unsigned word = 0;
    int error = 0;
    TRY(cuMemSetAccess, memory, PARTS * GRAIN, &access, 1);
    TRY(cuMemGetAccess, &flags, &here, memory);
    TRY(cuMemsetD32_v2, memory, 7, PARTS * GRAIN / sizeof word);
    TRY(cuMemcpyDtoH_v2, &word, memory + GRAIN, sizeof word);
    TRY(cuMemRetainAllocationHandle, &same, (void *)(uintptr_t)memory);
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE && word == 7 && same == handle);
    if (same != 0)
        END(cuMemRelease, same);
    return error;
}

static int map_both(CUdeviceptr memory)
{
    CUmemGenericAllocationHandle handles[PARTS] = {0};
    int error = make(&handles[0]);
    if (error == 0)
        error = pass_on(handles[0], &handles[1]);
    for (size_t i = 0; i < PARTS; i++)
        TRY(cuMemMap, memory + i * GRAIN, GRAIN, 0, handles[i], 0);
    if (error == 0)
        error = work(memory, handles[0]);
    END(cuMemUnmap, memory, PARTS * GRAIN);
    for (size_t i = 0; i < PARTS; i++)
        if (handles[i] != 0)
            END(cuMemRelease, handles[i]);
    return error;
}

int operation_driver_virtual(void)
{
    CUdeviceptr memory = 0;
    int error = 0, can = 0;
    TRY(cuInit, 0);
    TRY(cudaFree, NULL); /* the primary context is current */
    TRY(cuDeviceGetAttribute, &can, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0);
    if (error != 0 || can == 0)
        return error;
    TRY(cuMemAddressReserve, &memory, PARTS * GRAIN, 0, 0, 0);
    if (error == 0)
        error = map_both(memory);
    if (memory != 0)
        END(cuMemAddressFree, memory, PARTS * GRAIN);
    return error;
}
