/* Semantics of cudaFree.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "../oracle.h"

void case_free_trivial(void)
{
    CALL(cudaFree(NULL));
    CALL(cudaFree(NULL));
    CALL(cudaFreeHost(NULL));
}

void case_free_twice(void)
{
    void *small = NULL;
    void *large = NULL;
    REQUIRE(cudaMalloc(&small, 64));
    REQUIRE(cudaMalloc(&large, 64 * MIB));
    CALL(cudaFree(small));
    CALL(cudaFree(small));
    CALL(cudaFree(large));
    CALL(cudaFree(large));
    CALL(cudaDeviceSynchronize());
}

void case_free_interior(void)
{
    char *small = device_block(4096);
    char *large = device_block(64 * MIB);
    CALL(cudaFree(small + 1));
    CALL(cudaFree(small + 256));
    CALL(cudaFree(small + 4095));
    CALL(cudaFree(large + 2 * MIB));
    CALL(cudaFree(large + 64 * MIB));
    VALUE(read_int(small), "the block still works");
    CALL(cudaFree(small));
    CALL(cudaFree(large));
}

void case_free_host_memory(void)
{
    int on_stack = 0;
    void *heap = malloc(4096);
    void *registered = aligned_alloc(4096, 8192);
    void *pinned = pinned_block(4096);
    void *mapped = NULL;
    REQUIRE(cudaHostAlloc(&mapped, 4096, cudaHostAllocMapped));
    REQUIRE(cudaHostRegister(registered, 8192, cudaHostRegisterDefault));
    CALL(cudaFree(&on_stack));
    CALL(cudaFree(heap));
    CALL(cudaFree((void *)(uintptr_t)16));
    CALL(cudaFree((void *)(uintptr_t)UINTPTR_MAX));
    CALL(cudaFree(registered));
    CALL(cudaFree(pinned));
    CALL(cudaFree(mapped));
    VALUE(*(int *)registered * 0, "registered memory is still there");
    CALL(cudaHostUnregister(registered));
    CALL(cudaFreeHost(mapped));
    CALL(cudaFreeHost(pinned));
    CALL(cudaDeviceSynchronize());
    free(heap);
    free(registered);
}

void case_free_host_wrong(void)
{
    int on_stack = 0;
    char *heap = malloc(4096);
    char *registered = aligned_alloc(4096, 8192);
    char *pinned = pinned_block(8192);
    char *device = device_block(8192);
    REQUIRE(cudaHostRegister(registered, 8192, cudaHostRegisterDefault));
    CALL(cudaFreeHost(&on_stack));
    CALL(cudaFreeHost(heap));
    CALL(cudaFreeHost(registered));
    CALL(cudaFreeHost(device));
    CALL(cudaFreeHost(pinned + 16));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFree(device));
    CALL(cudaDeviceSynchronize());
}

void case_free_after_reset(void)
{
    void *device = device_block(4096);
    void *pinned = pinned_block(4096);
    CALL(cudaDeviceReset());
    CALL(cudaFree(device));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFree(NULL));
}

void case_free_with_work_queued(void)
{
    cudaStream_t stream;
    int *p = device_block(4096);
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    spin_prepare();
    CALL(spin_start(stream, SPIN_MS));
    CALL(launch_store(p, 5, stream));
    CALL(cudaFree(p));
    VALUE(spin_is_over(), "cudaFree waited");
    CALL(cudaStreamQuery(stream));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaDeviceSynchronize());
}

void case_free_unrelated_work(void)
{
    cudaStream_t stream;
    void *p = device_block(4096);
    void *pinned = pinned_block(4096);
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    spin_prepare();
    REQUIRE(spin_start(stream, SPIN_MS));
    CALL(cudaFree(p));
    VALUE(spin_is_over(), "cudaFree of unused memory waited for another stream");
    REQUIRE(cudaStreamSynchronize(stream));
    REQUIRE(spin_start(stream, SPIN_MS));
    CALL(cudaFreeHost(pinned));
    VALUE(spin_is_over(), "cudaFreeHost of unused memory waited for another stream");
    REQUIRE(cudaStreamSynchronize(stream));
    REQUIRE(spin_start(stream, SPIN_MS));
    CALL(cudaFree(NULL));
    VALUE(spin_is_over(), "cudaFree of NULL waited for another stream");
    CALL(cudaStreamSynchronize(stream));
}

void case_free_other_apis(void)
{
    CUdeviceptr driver = 0;
    void *driver_host = NULL;
    void *p = NULL;
    make_runtime_context();
    REQUIRE_DRIVER(cuMemAlloc(&driver, 4096));
    REQUIRE_DRIVER(cuMemHostAlloc(&driver_host, 4096, 0));
    CALL(cudaFree((void *)(uintptr_t)driver));
    CALL(cudaFreeHost(driver_host));
    REQUIRE(cudaMalloc(&p, 4096));
    DRIVER(cuMemFree(address_of(p)));
    CALL(cudaFree(p));
    REQUIRE(cudaMallocHost(&p, 4096));
    DRIVER(cuMemFreeHost(p));
    CALL(cudaFreeHost(p));
}
