/* Semantics of driver memory: allocation, host memory, ranges.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "../oracle.h"

void case_driver_memory_alloc(void)
{
    CUdeviceptr p = 7;
    size_t available = 0;
    size_t total = 0;
    make_driver_context();
    DRIVER(cuMemAlloc(NULL, 0));
    DRIVER(cuMemAlloc(NULL, 16));
    DRIVER(cuMemAlloc(&p, 0));
    VALUE((long long)p, "p after 0 bytes");
    p = 7;
    DRIVER(cuMemAlloc(&p, HUGE_SIZE));
    DRIVER(cuMemAlloc(&p, SIZE_MAX));
    VALUE((long long)p, "p after SIZE_MAX");
    DRIVER(cuMemAlloc(&p, 16));
    VALUE((long long)(p % 256), "alignment");
    DRIVER(cuMemFree(p + 1));
    DRIVER(cuMemFree(p));
    DRIVER_AS(cuMemFree(p), "free twice");
    DRIVER(cuMemFree(0));
    DRIVER(cuMemFree(7));
    DRIVER(cuMemGetInfo(NULL, NULL));
    DRIVER(cuMemGetInfo(&available, NULL));
    DRIVER(cuMemGetInfo(NULL, &total));
    DRIVER(cuMemGetInfo(&available, &total));
}

void case_driver_memory_pitch(void)
{
    CUdeviceptr p = 7;
    size_t pitch = 7;
    make_driver_context();
    static const unsigned elements[] = {0, 1, 2, 3, 4, 5, 8, 12, 16, 32};
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        DRIVER_AS(cuMemAllocPitch(&p, &pitch, 352, 4, elements[i]), "element %u", elements[i]);
        DEVICE_VALUE((long long)pitch, "element %u: pitch", elements[i]);
    }
    DRIVER(cuMemAllocPitch(NULL, &pitch, 352, 4, 4));
    DRIVER(cuMemAllocPitch(&p, NULL, 352, 4, 4));
    DRIVER(cuMemAllocPitch(NULL, NULL, 0, 0, 3));
    p = pitch = 7;
    DRIVER(cuMemAllocPitch(&p, &pitch, 0, 4, 4));
    VALUE((long long)p, "width 0: p");
    DRIVER(cuMemAllocPitch(&p, &pitch, 352, 0, 4));
    DRIVER(cuMemAllocPitch(&p, &pitch, 0, 0, 3));
    DRIVER(cuMemAllocPitch(&p, &pitch, SIZE_MAX, 1, 4));
    DRIVER(cuMemAllocPitch(&p, &pitch, 352, SIZE_MAX, 4));
}

void case_driver_memory_host(void)
{
    void *p = &p;
    void *heap = aligned_alloc(4096, 8192);
    unsigned flags = 77;
    CUdeviceptr d = 7;
    make_driver_context();
    DRIVER(cuMemAllocHost(NULL, 16));
    DRIVER(cuMemAllocHost(&p, 0));
    VALUE(p == (void *)&p, "unchanged after 0 bytes");
    VALUE(p == NULL, "NULL after 0 bytes");
    DRIVER(cuMemAllocHost(&p, HUGE_SIZE));
    DRIVER(cuMemHostAlloc(&p, 0, 0));
    DRIVER(cuMemHostAlloc(&p, 16, 0xff));
    DRIVER(cuMemHostAlloc(&p, 0, 0xff));
    DRIVER(cuMemHostAlloc(NULL, 16, 0xff));
    for (unsigned f = 0; f <= 8; f++) {
        p = NULL;
        DRIVER_AS(cuMemHostAlloc(&p, 4096, f), "flags %u", f);
        if (p) {
            DRIVER_AS(cuMemHostGetFlags(&flags, p), "flags %u: get", f);
            VALUE(flags, "flags %u: value", f);
            DRIVER_AS(cuMemHostGetDevicePointer(&d, p, 0), "flags %u: device pointer", f);
            VALUE(d == address_of(p), "flags %u: same address", f);
            DRIVER_AS(cuMemFreeHost(p), "flags %u: free", f);
        }
    }
    DRIVER(cuMemFreeHost(NULL));
    DRIVER(cuMemFreeHost(heap));
    DRIVER(cuMemHostGetFlags(NULL, heap));
    DRIVER(cuMemHostGetFlags(&flags, heap));
    DRIVER(cuMemHostGetFlags(&flags, NULL));
    DRIVER(cuMemHostGetDevicePointer(NULL, heap, 0));
    DRIVER(cuMemHostGetDevicePointer(&d, heap, 0));
    DRIVER(cuMemHostGetDevicePointer(&d, heap, 1));
    DRIVER(cuMemHostGetDevicePointer(&d, NULL, 0));
    DRIVER(cuMemHostRegister(NULL, 4096, 0));
    DRIVER(cuMemHostRegister(heap, 0, 0));
    DRIVER(cuMemHostRegister(heap, 4096, 0xff));
    DRIVER(cuMemHostRegister(NULL, 0, 0xff));
    for (unsigned f = 0; f <= 11; f++) {
        if (f & CU_MEMHOSTREGISTER_IOMEMORY) {
            continue;
        }
        DRIVER_AS(cuMemHostRegister(heap, 4096, f), "register %u", f);
        DRIVER_AS(cuMemHostGetFlags(&flags, heap), "register %u: get", f);
        VALUE(flags, "register %u: value", f);
        DRIVER_AS(cuMemHostUnregister(heap), "register %u: unregister", f);
    }
    DRIVER(cuMemHostUnregister(heap));
    DRIVER(cuMemHostUnregister(NULL));
    free(heap);
}

void case_driver_memory_range(void)
{
    CUdeviceptr p = 0;
    CUdeviceptr base = 7;
    size_t size = 7;
    void *pinned = NULL;
    int on_stack = 0;
    make_driver_context();
    REQUIRE_DRIVER(cuMemAlloc(&p, 5000));
    REQUIRE_DRIVER(cuMemAllocHost(&pinned, 5000));
    DRIVER(cuMemGetAddressRange(&base, &size, p));
    VALUE(base == p, "base");
    VALUE((long long)size, "size");
    DRIVER(cuMemGetAddressRange(&base, &size, p + 4999));
    VALUE(base == p, "interior: base");
    DRIVER(cuMemGetAddressRange(&base, &size, p + 5000));
    DRIVER(cuMemGetAddressRange(NULL, &size, p + 1));
    DRIVER(cuMemGetAddressRange(&base, NULL, p + 1));
    DRIVER(cuMemGetAddressRange(NULL, NULL, p + 1));
    base = size = 7;
    DRIVER(cuMemGetAddressRange(&base, &size, 0));
    DRIVER(cuMemGetAddressRange(NULL, NULL, 0));
    DRIVER(cuMemGetAddressRange(&base, &size, 4096));
    VALUE(base == 7 && size == 7, "untouched");
    DRIVER(cuMemGetAddressRange(&base, &size, address_of(&on_stack)));
    DRIVER(cuMemGetAddressRange(&base, &size, address_of(pinned) + 10));
    VALUE(base == address_of(pinned), "pinned: base");
    VALUE((long long)size, "pinned: size");
    DRIVER(cuMemFree(p));
    DRIVER_AS(cuMemGetAddressRange(&base, &size, p), "freed");
}
