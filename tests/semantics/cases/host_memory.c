/* Semantics of pinned host memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

void case_host_memory_malloc_host(void)
{
    void *p = &p;
    CALL(cudaMallocHost(NULL, 0));
    CALL(cudaMallocHost(NULL, 16));
    CALL(cudaMallocHost(&p, 0));
    VALUE(p == NULL, "p is NULL after 0 bytes");
    p = &p;
    CALL(cudaMallocHost(&p, HUGE_SIZE));
    VALUE(p == (void *)&p, "p unchanged after HUGE_SIZE");
    CALL(cudaMallocHost(&p, SIZE_MAX));
    CALL(cudaMallocHost(&p, 1));
    VALUE((uintptr_t)p % 256, "address modulo 256");
    VALUE((uintptr_t)p % 4096, "address modulo 4096");
    unsigned flags = 99;
    CALL(cudaHostGetFlags(&flags, p));
    VALUE(flags, "flags of cudaMallocHost");
    CALL(cudaFreeHost(p));
}

void case_host_memory_alloc_flags(void)
{
    void *p = NULL;
    CALL(cudaHostAlloc(NULL, 0, 0));
    CALL(cudaHostAlloc(NULL, 16, 0));
    CALL(cudaHostAlloc(NULL, 16, 0xff));
    CALL(cudaHostAlloc(NULL, 0, 0xff));
    CALL(cudaHostAlloc(&p, 0, 0));
    CALL(cudaHostAlloc(&p, 0, 0xff));
    CALL(cudaHostAlloc(&p, HUGE_SIZE, 0xff));
    for (unsigned flags = 0; flags <= 16; flags++) {
        unsigned got = 99;
        void *device = NULL;
        p = NULL;
        CALL_AS(cudaHostAlloc(&p, 4096, flags), "flags %u", flags);
        if (!p) {
            continue;
        }
        CALL_AS(cudaHostGetFlags(&got, p), "flags %u: cudaHostGetFlags", flags);
        VALUE(got, "flags %u: as read back", flags);
        CALL_AS(cudaHostGetDevicePointer(&device, p, 0), "flags %u: device pointer", flags);
        VALUE(device == p, "flags %u: device pointer equals host pointer", flags);
        CALL_AS(cudaFreeHost(p), "flags %u: free", flags);
    }
    CALL(cudaHostAlloc(&p, 16, 0x80000000u));
    CALL(cudaHostAlloc(&p, 16, ~0u));
}

void case_host_memory_get_device_pointer(void)
{
    char *pinned = pinned_block(8192);
    char *heap = malloc(4096);
    char *device = device_block(4096);
    void *d = &d;
    CALL(cudaHostGetDevicePointer(NULL, NULL, 0));
    CALL(cudaHostGetDevicePointer(NULL, NULL, 1));
    CALL(cudaHostGetDevicePointer(NULL, pinned, 0));
    CALL(cudaHostGetDevicePointer(NULL, heap, 0));
    CALL(cudaHostGetDevicePointer(&d, NULL, 0));
    VALUE(d == (void *)&d, "output unchanged for NULL");
    VALUE(d == NULL, "output NULL for NULL");
    CALL(cudaHostGetDevicePointer(&d, pinned, 1));
    CALL(cudaHostGetDevicePointer(&d, heap, 1));
    CALL(cudaHostGetDevicePointer(&d, heap, 0));
    CALL(cudaHostGetDevicePointer(&d, device, 0));
    VALUE(d == (void *)device, "device memory's device pointer is itself");
    CALL(cudaHostGetDevicePointer(&d, pinned + 100, 0));
    VALUE((char *)d == pinned + 100, "interior pointer keeps its offset");
    CALL(cudaHostGetDevicePointer(&d, pinned + 8192, 0));
    CALL(cudaFreeHost(pinned));
    CALL(cudaHostGetDevicePointer(&d, pinned, 0));
    free(heap);
}

void case_host_memory_get_flags(void)
{
    char *pinned = pinned_block(8192);
    char *heap = malloc(4096);
    unsigned flags = 99;
    CALL(cudaHostGetFlags(NULL, NULL));
    CALL(cudaHostGetFlags(NULL, pinned));
    CALL(cudaHostGetFlags(NULL, heap));
    CALL(cudaHostGetFlags(&flags, NULL));
    CALL(cudaHostGetFlags(&flags, heap));
    VALUE(flags, "flags after failure");
    CALL(cudaHostGetFlags(&flags, device_block(4096)));
    CALL(cudaHostGetFlags(&flags, pinned + 100));
    VALUE(flags, "flags of an interior pointer");
    free(heap);
}

void case_host_memory_register(void)
{
    char *p = aligned_alloc(4096, 64 * KIB);
    char *device = device_block(4096);
    char *pinned = pinned_block(4096);
    void *d = NULL;
    unsigned flags = 99;
    CALL(cudaHostRegister(NULL, 0, 0));
    CALL(cudaHostRegister(NULL, 4096, 0));
    CALL(cudaHostRegister(NULL, 4096, 0xff));
    CALL(cudaHostRegister(p, 0, 0));
    CALL(cudaHostRegister(p, 0, 0xff));
    CALL(cudaHostRegister(p, 4096, 0xff));
    CALL(cudaHostRegister(p, 4096, 16));
    CALL(cudaHostRegister(p, HUGE_SIZE, 0));
    CALL(cudaHostRegister(p, SIZE_MAX, 0));
    CALL(cudaHostRegister(device, 4096, 0));
    CALL(cudaHostRegister(pinned, 4096, 0));
    CALL(cudaHostRegister(p, 16 * KIB, 0));
    CALL(cudaHostGetFlags(&flags, p));
    VALUE(flags, "flags of default registration");
    CALL(cudaHostGetDevicePointer(&d, p, 0));
    VALUE(d == (void *)p, "device pointer equals host pointer");
    CALL(cudaHostRegister(p, 16 * KIB, 0));
    CALL(cudaHostRegister(p, 4096, 0));
    CALL(cudaHostRegister(p + 4096, 4096, 0));
    CALL(cudaHostRegister(p + 8 * KIB, 16 * KIB, 0));
    CALL(cudaHostRegister(p + 16 * KIB, 4096, 0));
    CALL(cudaHostUnregister(p + 4096));
    CALL(cudaHostUnregister(p + 100));
    CALL(cudaHostUnregister(p));
    CALL(cudaHostUnregister(p));
    CALL(cudaHostUnregister(p + 16 * KIB));
    CALL(cudaHostUnregister(NULL));
    CALL(cudaHostUnregister(device));
    CALL(cudaHostUnregister(pinned));
    CALL(cudaHostUnregister(&flags));
    CALL(cudaHostGetFlags(&flags, p));
    free(p);
}

void case_host_memory_register_unaligned(void)
{
    char *p = aligned_alloc(4096, 64 * KIB);
    void *d = NULL;
    unsigned flags = 99;
    memset(p, 3, 64 * KIB);
    CALL(cudaHostRegister(p + 100, 1000, 0));
    CALL(cudaHostGetFlags(&flags, p + 100));
    CALL(cudaHostGetFlags(&flags, p));
    CALL(cudaHostGetDevicePointer(&d, p + 100, 0));
    VALUE((char *)d == p + 100, "device pointer equals host pointer");
    CALL(cudaHostGetDevicePointer(&d, p, 0));
    CALL(cudaHostRegister(p + 1100, 1000, 0));
    CALL(cudaHostRegister(p + 8192, 1, 0));
    CALL(cudaHostUnregister(p));
    CALL(cudaHostUnregister(p + 100));
    CALL(cudaHostUnregister(p + 1100));
    CALL(cudaHostUnregister(p + 8192));
    free(p);
}

void case_host_memory_register_flags(void)
{
    char *p = aligned_alloc(4096, 4096);
    for (unsigned flags = 0; flags <= 16; flags++) {
        unsigned got = 99;
        void *d = NULL;
        if (flags & cudaHostRegisterIoMemory) {
            continue;
        }
        CALL_AS(cudaHostRegister(p, 4096, flags), "flags %u", flags);
        CALL_AS(cudaHostGetFlags(&got, p), "flags %u: cudaHostGetFlags", flags);
        VALUE(got, "flags %u: as read back", flags);
        CALL_AS(cudaHostGetDevicePointer(&d, p, 0), "flags %u: device pointer", flags);
        VALUE(d == (void *)p, "flags %u: device pointer equals host pointer", flags);
        CALL_AS(cudaHostUnregister(p), "flags %u: unregister", flags);
    }
    CALL(cudaHostRegister(p, 4096, cudaHostRegisterIoMemory));
    free(p);
}

/* Kernels reach pinned memory of each kind through its device pointer. */
void case_host_memory_kernel_access(void)
{
    int *pinned = pinned_block(4096);
    int *mapped = NULL;
    int *registered = aligned_alloc(4096, 4096);
    void *d = NULL;
    REQUIRE(cudaHostAlloc((void **)&mapped, 4096, cudaHostAllocMapped));
    memset(registered, 0, 4096);
    REQUIRE(cudaHostRegister(registered, 4096, cudaHostRegisterMapped));
    int *blocks[] = {pinned, mapped, registered};
    static const char *const names[] = {"pinned", "mapped", "registered"};
    for (size_t i = 0; i < 3; i++) {
        blocks[i][5] = 0;
        CALL_AS(cudaHostGetDevicePointer(&d, blocks[i] + 5, 0), "%s: device pointer", names[i]);
        CALL_AS(launch_store(d, 77, NULL), "%s: launch", names[i]);
        CALL_AS(cudaDeviceSynchronize(), "%s: synchronize", names[i]);
        VALUE(blocks[i][5], "%s: value", names[i]);
    }
    CALL(cudaHostUnregister(registered));
    free(registered);
}
