/* Checks of managed memory and of pointers: what works on it, and what is told about any.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda.h>
#include <string.h>

#include "bench/checks/checks.h"

enum { WORDS = 4096, GROUP = 64 };

struct managed {
    cudaLibrary_t library;
    uint32_t *managed, *device, *counter;
};

/* Copies both ways, fills of bytes and rows, through the API that device memory has. */
static bool copy_and_fill(struct attempt *attempt, struct managed *all)
{
    static uint32_t words[WORDS];
    pattern_fill(words, sizeof words, PATTERN_WORDS, 0);
    if (!cuda_ok(attempt, cudaMemcpy(all->managed, words, sizeof words, cudaMemcpyHostToDevice),
                 "cudaMemcpy to managed memory") ||
        !cuda_ok(attempt,
                 cudaMemcpy(all->device, all->managed, sizeof words, cudaMemcpyDeviceToDevice),
                 "cudaMemcpy from managed memory") ||
        !check_words_at(attempt, all->device, words, WORDS) ||
        !cuda_ok(attempt, cudaMemset(all->managed, 0x11, 256), "cudaMemset") ||
        !cuda_ok(attempt, cudaMemset2D((char *)all->managed + 1024, 64, 0x22, 16, 3),
                 "cudaMemset2D") ||
        !cuda_ok(attempt,
                 cudaMemcpy2D((char *)all->managed + 2048, 128, all->device, 32, 32, 4,
                              cudaMemcpyDeviceToDevice),
                 "cudaMemcpy2D") ||
        !check_wait(attempt))
        return false;
    unsigned char *expected = (unsigned char *)words;
    uint32_t first[32];
    memcpy(first, words, sizeof first);
    memset(expected, 0x11, 256);
    for (size_t row = 0; row < 3; row++)
        memset(expected + 1024 + row * 64, 0x22, 16);
    for (size_t row = 0; row < 4; row++)
        memcpy(expected + 2048 + row * 128, (char *)first + row * 32, 32);
    return check_that(attempt, memcmp(all->managed, words, sizeof words) == 0,
                      "the host finds other bytes in managed memory");
}

/* Kernels with plain and atomic stores between the host's own loads and stores. */
static bool run_kernels(struct attempt *attempt, struct managed *all)
{
    uint32_t value = 3;
    void *add[] = {&all->managed, &value}, *count[] = {&all->counter};
    const dim3 groups = {WORDS / GROUP, 1, 1}, local = {GROUP, 1, 1};
    *all->counter = 40;
    for (uint32_t i = 0; i < WORDS; i++)
        all->managed[i] = i;
    if (!check_launch(attempt, all->library, "check_add", groups, local, add) ||
        !check_launch(attempt, all->library, "check_count", groups, local, count) ||
        !check_wait(attempt))
        return false;
    for (uint32_t i = 0; i < WORDS; i++)
        if (all->managed[i] != i + value)
            return attempt_wrong(attempt, i * sizeof *all->managed);
    return check_that(attempt, *all->counter == 40 + WORDS, "atomics on managed memory miscount");
}

bool check_managed(struct attempt *attempt)
{
    struct managed all = {NULL, NULL, NULL, NULL};
    bool fine =
        check_load(attempt, "check", &all.library) &&
        cuda_ok(attempt, cudaMallocManaged((void **)&all.managed, WORDS * 4, cudaMemAttachGlobal),
                "cudaMallocManaged") &&
        cuda_ok(attempt, cudaMallocManaged((void **)&all.counter, 4, cudaMemAttachGlobal),
                "cudaMallocManaged") &&
        cuda_ok(attempt, cudaMalloc((void **)&all.device, WORDS * 4), "cudaMalloc") &&
        copy_and_fill(attempt, &all) && run_kernels(attempt, &all);
    check_unload(all.library);
    cudaFree(all.managed);
    cudaFree(all.counter);
    cudaFree(all.device);
    return fine;
}

/* What cudaPointerGetAttributes says of an address in memory of one type. */
static bool is_told(struct attempt *attempt, const void *pointer, enum cudaMemoryType type)
{
    struct cudaPointerAttributes told;
    if (!cuda_ok(attempt, cudaPointerGetAttributes(&told, pointer), "cudaPointerGetAttributes") ||
        !check_that(attempt, told.type == type, "another type of memory is told"))
        return false;
    const bool has_device = type != cudaMemoryTypeUnregistered;
    const bool has_host = type == cudaMemoryTypeHost || type == cudaMemoryTypeManaged;
    return check_that(attempt, !has_device || told.device == attempt->device->index,
                      "another device is told") &&
           check_that(attempt,
                      type == cudaMemoryTypeHost || !has_device || told.devicePointer == pointer,
                      "another device pointer is told") &&
           check_that(attempt, !has_host || told.hostPointer == pointer,
                      "another host pointer is told") &&
           check_that(attempt, has_host || has_device == false || told.hostPointer == NULL,
                      "a host pointer is told for device memory");
}

typedef CUresult range_function(CUdeviceptr *base, size_t *bytes, CUdeviceptr inner);
typedef CUresult attribute_function(void *value, CUpointer_attribute attribute,
                                    CUdeviceptr pointer);

static bool is_in_range(struct attempt *attempt, char *memory, size_t bytes)
{
    check_function *range = NULL, *ask = NULL;
    CUdeviceptr base = 0, start = 0;
    size_t told = 0;
    CUmemorytype type = 0;
    const CUdeviceptr inner = (CUdeviceptr)(uintptr_t)(memory + bytes / 2 + 1);
    return check_driver(attempt, "cuMemGetAddressRange", &range) &&
           check_driver(attempt, "cuPointerGetAttribute", &ask) &&
           check_that(attempt, ((range_function *)range)(&base, &told, inner) == CUDA_SUCCESS,
                      "cuMemGetAddressRange failed for an inner address") &&
           check_that(attempt, base == (CUdeviceptr)(uintptr_t)memory && told == bytes,
                      "cuMemGetAddressRange tells another range") &&
           check_that(attempt,
                      ((attribute_function *)ask)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, inner) ==
                              CUDA_SUCCESS &&
                          type == CU_MEMORYTYPE_DEVICE,
                      "cuPointerGetAttribute tells another type") &&
           check_that(attempt,
                      ((attribute_function *)ask)(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                                  inner) == CUDA_SUCCESS &&
                          start == base,
                      "cuPointerGetAttribute tells another beginning");
}

bool check_queries(struct attempt *attempt)
{
    enum { BYTES = 1000 };
    char *device = NULL, *pinned = NULL, *managed = NULL, pageable[8];
    bool fine = cuda_ok(attempt, cudaMalloc((void **)&device, BYTES), "cudaMalloc") &&
                cuda_ok(attempt, cudaMallocHost((void **)&pinned, BYTES), "cudaMallocHost") &&
                is_told(attempt, device, cudaMemoryTypeDevice) &&
                is_told(attempt, device + 333, cudaMemoryTypeDevice) &&
                is_told(attempt, pinned, cudaMemoryTypeHost) &&
                is_told(attempt, pinned + 333, cudaMemoryTypeHost) &&
                is_told(attempt, pageable, cudaMemoryTypeUnregistered) &&
                is_in_range(attempt, device, BYTES);
    if (fine && cudaMallocManaged((void **)&managed, BYTES, cudaMemAttachGlobal) == cudaSuccess)
        fine = is_told(attempt, managed, cudaMemoryTypeManaged) &&
               is_told(attempt, managed + 333, cudaMemoryTypeManaged);
    cudaGetLastError();
    cudaFree(device);
    cudaFree(managed);
    cudaFreeHost(pinned);
    return fine;
}
