/* Semantics of cudaMalloc, cudaMallocPitch, cudaMalloc3D and cudaMemGetInfo.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../oracle.h"

void case_malloc_linear(void)
{
    void *p = &p;
    CALL(cudaMalloc(NULL, 0));
    CALL(cudaMalloc(NULL, 16));
    CALL(cudaMalloc(NULL, SIZE_MAX));
    CALL(cudaMalloc(&p, 0));
    VALUE(p == NULL, "p is NULL after 0 bytes");
    p = &p;
    CALL(cudaMalloc(&p, SIZE_MAX));
    VALUE(p == (void *)&p, "p unchanged after SIZE_MAX bytes");
    VALUE(p == NULL, "p is NULL after SIZE_MAX bytes");
    p = &p;
    CALL(cudaMalloc(&p, HUGE_SIZE));
    VALUE(p == (void *)&p, "p unchanged after HUGE_SIZE bytes");
    VALUE(p == NULL, "p is NULL after HUGE_SIZE bytes");
    CALL(cudaMalloc(&p, SIZE_MAX - 4095));
    CALL(cudaMalloc(&p, SIZE_MAX / 2 + 1));
    CALL(cudaMalloc(&p, 1));
    VALUE((uintptr_t)p % 256, "address of 1 byte modulo 256");
    CALL(cudaFree(p));
    CALL(cudaMalloc(&p, 3 * MIB + 5));
    VALUE((uintptr_t)p % 256, "address of 3 MiB + 5 bytes modulo 256");
    DEVICE_VALUE((uintptr_t)p % 512, "address modulo 512");
    CALL(cudaFree(p));
}

void case_malloc_alignment(void)
{
    uintptr_t all = 0;
    void *p[64];
    for (size_t i = 0; i < 64; i++) {
        REQUIRE(cudaMalloc(&p[i], 1 + i * 37));
        all |= (uintptr_t)p[i];
    }
    VALUE(all % 256, "64 small addresses together modulo 256");
    DEVICE_VALUE((uintptr_t)p[1] - (uintptr_t)p[0], "distance of the first two");
    for (size_t i = 0; i < 64; i++) {
        REQUIRE(cudaFree(p[i]));
    }
    TEXT("done", "freed");
}

void case_malloc_too_much(void)
{
    size_t available = 0;
    size_t total = 0;
    void *p = NULL;
    void *q = NULL;
    REQUIRE(cudaMemGetInfo(&available, &total));
    CALL(cudaMalloc(&p, total * 2));
    CALL(cudaMalloc(&p, total + MIB));
    CALL(cudaMalloc(&q, 4096));
    CALL(cudaFree(q));
}

void case_malloc_large_sizes(void)
{
    char *p = NULL;
    int value = 0;
    size_t available = 0;
    size_t total = 0;
    REQUIRE(cudaMemGetInfo(&available, &total));
    DEVICE_VALUE(available, "free bytes");
    if (available < 6 * GIB) {
        SKIP("less than 6 GiB of device memory");
        return;
    }
    if (cudaMalloc((void **)&p, 5 * GIB) != cudaSuccess) {
        cudaGetLastError();
        SKIP("the device gives no 5 GiB in one piece");
        return;
    }
    REQUIRE(cudaFree(p));
    CALL(cudaMalloc((void **)&p, 5 * GIB));
    CALL(cudaMemset(p, 0x11, 5 * GIB));
    CALL(cudaMemset(p + 4 * GIB + 100, 0x22, 4));
    CALL(cudaMemcpy(&value, p + 4 * GIB + 100, 4, cudaMemcpyDeviceToHost));
    VALUE(value, "at 4 GiB + 100");
    CALL(cudaMemcpy(&value, p + 100, 4, cudaMemcpyDeviceToHost));
    VALUE(value, "at 100");
    CALL(cudaMemcpy(&value, p + 5 * GIB - 4, 4, cudaMemcpyDeviceToHost));
    VALUE(value, "at the end");
    CALL(cudaFree(p));
}

void case_malloc_pitch(void)
{
    void *p = &p;
    size_t pitch = 7;
    CALL(cudaMallocPitch(NULL, NULL, 0, 0));
    CALL(cudaMallocPitch(NULL, &pitch, 16, 16));
    CALL(cudaMallocPitch(&p, NULL, 16, 16));
    CALL(cudaMallocPitch(&p, NULL, 0, 16));
    CALL(cudaMallocPitch(NULL, &pitch, SIZE_MAX, 1));
    pitch = 7;
    p = &p;
    CALL(cudaMallocPitch(&p, &pitch, 0, 16));
    VALUE(p == NULL, "p is NULL after width 0");
    VALUE(pitch, "pitch after width 0");
    pitch = 7;
    p = &p;
    CALL(cudaMallocPitch(&p, &pitch, 16, 0));
    VALUE(p == NULL, "p is NULL after height 0");
    VALUE(pitch == 0, "pitch is 0 after height 0");
    DEVICE_VALUE(pitch, "pitch after height 0");
    pitch = 7;
    p = &p;
    CALL(cudaMallocPitch(&p, &pitch, 0, 0));
    VALUE(p == NULL, "p is NULL after 0 by 0");
    VALUE(pitch, "pitch after 0 by 0");
    CALL(cudaMallocPitch(&p, &pitch, SIZE_MAX, 1));
    CALL(cudaMallocPitch(&p, &pitch, 1, SIZE_MAX));
    CALL(cudaMallocPitch(&p, &pitch, SIZE_MAX, SIZE_MAX));
    CALL(cudaMallocPitch(&p, &pitch, MIB, (size_t)1 << 40));
    CALL(cudaMallocPitch(&p, &pitch, (size_t)1 << 32, (size_t)1 << 32));
}

void case_malloc_pitch_widths(void)
{
    static const size_t widths[] = {1,   4,   31,  32,  33,  255,  256,
                                    257, 352, 511, 512, 513, 4096, 5000};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        void *p = NULL;
        size_t pitch = 0;
        CALL_AS(cudaMallocPitch(&p, &pitch, widths[i], 3), "width %zu", widths[i]);
        VALUE(pitch >= widths[i], "width %zu: pitch >= width", widths[i]);
        VALUE(pitch % 32, "width %zu: pitch modulo 32", widths[i]);
        DEVICE_VALUE(pitch, "width %zu: pitch", widths[i]);
        REQUIRE(cudaFree(p));
    }
}

void case_malloc_3d(void)
{
    struct cudaPitchedPtr p = {&p, 7, 7, 7};
    struct cudaExtent e = {100, 3, 2};
    CALL_AS(cudaMalloc3D(NULL, e), "NULL, 100 x 3 x 2");
    CALL_AS(cudaMalloc3D(&p, e), "100 x 3 x 2");
    VALUE(p.xsize, "xsize");
    VALUE(p.ysize, "ysize");
    VALUE(p.pitch >= 100, "pitch >= width");
    VALUE((uintptr_t)p.ptr % 256, "address modulo 256");
    DEVICE_VALUE(p.pitch, "pitch");
    CALL(cudaFree(p.ptr));
    static const struct cudaExtent odd[] = {
        {0, 3, 2},
        {100, 0, 2},
        {100, 3, 0},
        {0, 0, 0},
        {SIZE_MAX, 3, 2},
        {100, SIZE_MAX, 2},
        {100, 3, SIZE_MAX},
        {SIZE_MAX, SIZE_MAX, 2},
        {1024, 1 << 30, 1 << 30},
        {0, SIZE_MAX, SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        p = (struct cudaPitchedPtr){&p, 7, 7, 7};
        CALL_AS(cudaMalloc3D(&p, odd[i]), "%zx x %zx x %zx", odd[i].width, odd[i].height,
                odd[i].depth);
        VALUE(p.ptr == NULL, "extent %zu: ptr is NULL", i);
        VALUE(p.ptr == (void *)&p, "extent %zu: ptr unchanged", i);
        VALUE(p.pitch == 7, "extent %zu: pitch unchanged", i);
        VALUE((long long)p.xsize, "extent %zu: xsize", i);
        VALUE((long long)p.ysize, "extent %zu: ysize", i);
    }
    CALL_AS(cudaMalloc3D(NULL, odd[3]), "NULL, 0 x 0 x 0");
    CALL_AS(cudaMalloc3D(NULL, odd[4]), "NULL, too wide");
}

void case_malloc_mem_get_info(void)
{
    size_t available = 0;
    size_t total = 0;
    size_t before = 0;
    void *p = NULL;
    CALL(cudaMemGetInfo(NULL, NULL));
    CALL(cudaMemGetInfo(&available, NULL));
    CALL(cudaMemGetInfo(NULL, &total));
    CALL(cudaMemGetInfo(&available, &total));
    VALUE(available <= total, "free <= total");
    VALUE(available > 0, "free > 0");
    before = available;
    REQUIRE(cudaMalloc(&p, 256 * MIB));
    CALL(cudaMemGetInfo(&available, &total));
    VALUE(before - available >= 256 * MIB, "256 MiB less");
    REQUIRE(cudaFree(p));
    CALL(cudaMemGetInfo(&available, &total));
    VALUE(before == available, "back after free");
    struct cudaDeviceProp properties;
    REQUIRE(cudaGetDeviceProperties(&properties, 0));
    VALUE(properties.totalGlobalMem == total, "total equals totalGlobalMem");
    DEVICE_VALUE((long long)total, "total");
}
