/* Semantics of the driver API's arrays and their copies.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

enum { W = 16, H = 8, D = 3, ROW = W * 4, BYTES = ROW * H, ALL = BYTES * D };

static void try_format(int format, unsigned channels)
{
    CUDA_ARRAY_DESCRIPTOR desc = {W, H, (CUarray_format)format, channels};
    CUarray array = NULL;
    DRIVER_TRY_AS(cuArrayCreate(&array, &desc), "format 0x%x, %u channels", (unsigned)format,
                  channels);
    if (array) {
        CUDA_ARRAY3D_DESCRIPTOR got;
        char text[120];
        memset(&got, 0x55, sizeof got);
        CUresult code = cuArray3DGetDescriptor(&got, array);
        snprintf(text, sizeof text, "%d: %zu x %zu x %zu format 0x%x channels %u flags 0x%x",
                 (int)code, got.Width, got.Height, got.Depth, (unsigned)got.Format, got.NumChannels,
                 got.Flags);
        TEXT(text, "format 0x%x, %u channels: descriptor", (unsigned)format, channels);
        cuArrayDestroy(array);
    }
}

void case_driver_array_formats(void)
{
    static const int formats[] = {0,
                                  CU_AD_FORMAT_UNSIGNED_INT8,
                                  CU_AD_FORMAT_UNSIGNED_INT16,
                                  CU_AD_FORMAT_UNSIGNED_INT32,
                                  CU_AD_FORMAT_SIGNED_INT8,
                                  CU_AD_FORMAT_SIGNED_INT16,
                                  CU_AD_FORMAT_SIGNED_INT32,
                                  CU_AD_FORMAT_HALF,
                                  CU_AD_FORMAT_FLOAT,
                                  4,
                                  0x21,
                                  -1,
                                  0x7ff};
    make_driver_context();
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        for (unsigned channels = 0; channels <= 5; channels++) {
            try_format(formats[i], channels);
        }
    }
    try_format(CU_AD_FORMAT_UNORM_INT8X4, 4);
    try_format(CU_AD_FORMAT_UNORM_INT8X1, 1);
    try_format(CU_AD_FORMAT_SNORM_INT16X2, 2);
}

static void try_create(size_t w, size_t h, size_t d, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = {w, h, d, CU_AD_FORMAT_FLOAT, 1, flags};
    CUarray array = NULL;
    DRIVER_TRY_AS(cuArray3DCreate(&array, &desc), "%zu x %zu x %zu, flags 0x%x", w, h, d, flags);
    if (array) {
        CUDA_ARRAY3D_DESCRIPTOR got = {0};
        CUDA_ARRAY_DESCRIPTOR flat = {0};
        cuArray3DGetDescriptor(&got, array);
        VALUE(got.Width == w && got.Height == h && got.Depth == d && got.Flags == flags,
              "%zu x %zu x %zu, flags 0x%x: descriptor is the same", w, h, d, flags);
        DRIVER_TRY_AS(cuArrayGetDescriptor(&flat, array), "%zu x %zu x %zu, flags 0x%x: plain", w,
                      h, d, flags);
        VALUE(flat.Width * 1000 + flat.Height, "%zu x %zu x %zu, flags 0x%x: plain descriptor", w,
              h, d, flags);
        cuArrayDestroy(array);
    }
}

void case_driver_array_create(void)
{
    make_driver_context();
    for (unsigned flags = 0; flags < 16; flags++) {
        try_create(8, 0, 0, flags);
        try_create(8, 8, 0, flags);
        try_create(8, 8, 6, flags);
        try_create(8, 0, 6, flags);
    }
    try_create(0, 0, 0, 0);
    try_create(0, 8, 0, 0);
    try_create(8, 0, 4, 0);
    try_create(8, 8, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED);
    try_create(8, 8, 13, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED);
    try_create(8, 9, 6, CUDA_ARRAY3D_CUBEMAP);
    try_create(8, 8, 0, CUDA_ARRAY3D_DEPTH_TEXTURE);
    try_create(8, 8, 0, CUDA_ARRAY3D_COLOR_ATTACHMENT);
    try_create(8, 8, 0, CUDA_ARRAY3D_SPARSE);
    try_create(8, 8, 0, CUDA_ARRAY3D_DEFERRED_MAPPING);
    try_create(8, 8, 0, 0x100);
    try_create(8, 8, 0, 0x200);
    try_create(8, 8, 0, 0x80000000u);
    try_create(SIZE_MAX, 0, 0, 0);
    try_create(8, SIZE_MAX, 0, 0);
}

void case_driver_array_arguments(void)
{
    CUarray array = NULL;
    CUarray level = NULL;
    CUmipmappedArray mipmap = NULL;
    CUDA_ARRAY_DESCRIPTOR flat = {W, H, CU_AD_FORMAT_FLOAT, 1};
    CUDA_ARRAY3D_DESCRIPTOR desc = {W, H, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    DRIVER(cuArrayCreate(&array, &flat));
    DRIVER(cuArrayDestroy(array));
    make_driver_context();
    DRIVER_TRY(cuArrayCreate(NULL, &flat));
    DRIVER_TRY(cuArrayCreate(&array, NULL));
    DRIVER_TRY(cuArray3DCreate(NULL, &desc));
    DRIVER_TRY(cuArray3DCreate(&array, NULL));
    DRIVER_TRY(cuMipmappedArrayCreate(NULL, &desc, 1));
    DRIVER_TRY(cuMipmappedArrayCreate(&mipmap, NULL, 1));
    DRIVER_TRY(cuMipmappedArrayCreate(&mipmap, &desc, 0));
    DRIVER_TRY(cuMipmappedArrayCreate(&mipmap, &desc, 5));
    DRIVER_TRY(cuMipmappedArrayGetLevel(&level, mipmap, 4));
    DRIVER_TRY(cuMipmappedArrayGetLevel(&level, mipmap, 5));
    DRIVER_TRY(cuMipmappedArrayGetLevel(NULL, mipmap, 0));
    DRIVER_TRY(cuMipmappedArrayGetLevel(&level, NULL, 0));
    DRIVER_TRY(cuMipmappedArrayGetLevel(&level, mipmap, 1));
    DRIVER_TRY(cuArray3DGetDescriptor(&desc, level));
    VALUE(desc.Width * 1000 + desc.Height, "level 1");
    DRIVER_TRY(cuArrayDestroy(level));
    DRIVER_TRY(cuMipmappedArrayDestroy(NULL));
    DRIVER_TRY(cuMipmappedArrayDestroy(mipmap));
    DRIVER_TRY(cuMipmappedArrayDestroy(mipmap));
    DRIVER_TRY(cuArrayCreate(&array, &flat));
    DRIVER_TRY(cuArrayGetDescriptor(NULL, array));
    DRIVER_TRY(cuArrayGetDescriptor(&flat, NULL));
    DRIVER_TRY(cuArray3DGetDescriptor(NULL, array));
    DRIVER_TRY(cuArray3DGetDescriptor(&desc, NULL));
    DRIVER_TRY(cuArrayDestroy(NULL));
    DRIVER_TRY(cuArrayDestroy((CUarray)(uintptr_t)16));
    DRIVER_TRY(cuArrayGetDescriptor(&flat, (CUarray)(uintptr_t)16));
    DRIVER_TRY(cuMemFree((CUdeviceptr)(uintptr_t)array));
    DRIVER_TRY(cuArrayDestroy(array));
    DRIVER_TRY(cuArrayDestroy(array));
}

/* The runtime's handles and the driver's are the same objects. */
void case_driver_array_with_runtime(void)
{
    struct cudaChannelFormatDesc channels = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    struct cudaExtent extent = {0};
    cudaArray_t runtime = NULL;
    CUarray array = NULL;
    CUDA_ARRAY3D_DESCRIPTOR desc = {W, H, 0, CU_AD_FORMAT_HALF, 2, CUDA_ARRAY3D_SURFACE_LDST};
    unsigned flags = 0;
    REQUIRE(cudaMallocArray(&runtime, &channels, W, H, cudaArraySurfaceLoadStore));
    DRIVER_TRY(cuArray3DCreate(&array, &desc));
    DRIVER_TRY(cuArray3DGetDescriptor(&desc, (CUarray)runtime));
    VALUE(desc.Flags, "flags of a runtime array");
    TRY(cudaArrayGetInfo(&channels, &extent, &flags, (cudaArray_t)array));
    VALUE(channels.x * 100 + channels.y, "channels of a driver array");
    VALUE(flags, "flags of a driver array");
    TRY(cudaFreeArray((cudaArray_t)array));
    DRIVER_TRY(cuArrayDestroy((CUarray)runtime));
}

static CUarray a, b, line, box, layers;
static unsigned char *h;
static CUdeviceptr d;

static void make_arrays(void)
{
    CUDA_ARRAY_DESCRIPTOR flat = {W, H, CU_AD_FORMAT_SIGNED_INT32, 1};
    CUDA_ARRAY_DESCRIPTOR thin = {W, 0, CU_AD_FORMAT_SIGNED_INT32, 1};
    CUDA_ARRAY3D_DESCRIPTOR deep = {W, H, D, CU_AD_FORMAT_SIGNED_INT32, 1, 0};
    make_driver_context();
    REQUIRE_DRIVER(cuArrayCreate(&a, &flat));
    REQUIRE_DRIVER(cuArrayCreate(&b, &flat));
    REQUIRE_DRIVER(cuArrayCreate(&line, &thin));
    REQUIRE_DRIVER(cuArray3DCreate(&box, &deep));
    deep.Flags = CUDA_ARRAY3D_LAYERED;
    REQUIRE_DRIVER(cuArray3DCreate(&layers, &deep));
    REQUIRE_DRIVER(cuMemAlloc(&d, 64 * KIB));
    REQUIRE_DRIVER(cuMemsetD8(d, 0, 64 * KIB));
    h = calloc(1, 64 * KIB);
    require(h != NULL, "calloc");
    for (size_t i = 0; i < 64 * KIB; i++) {
        h[i] = (unsigned char)(i * 7 + i / 251);
    }
}

static long long checksum(const unsigned char *p, size_t bytes)
{
    long long sum = 0;
    for (size_t i = 0; i < bytes; i++) {
        sum = (sum * 31 + p[i]) % 1000000007;
    }
    return sum;
}

void case_driver_array_linear_copies(void)
{
    static unsigned char back[BYTES];
    make_arrays();
    DRIVER_TRY(cuMemcpyHtoA(line, 0, h, ROW));
    DRIVER_TRY(cuMemcpyHtoA(line, 8, h, ROW - 8));
    DRIVER_TRY(cuMemcpyHtoA(line, 8, h, ROW));
    DRIVER_TRY(cuMemcpyHtoA(line, 2, h, 4));
    DRIVER_TRY(cuMemcpyHtoA(line, 0, h, 3));
    DRIVER_TRY(cuMemcpyHtoA(line, 0, h, 0));
    DRIVER_TRY(cuMemcpyHtoA(line, ROW, h, 0));
    DRIVER_TRY(cuMemcpyHtoA(line, ROW + 4, h, 0));
    DRIVER_TRY(cuMemcpyHtoA(line, 0, NULL, ROW));
    DRIVER_TRY(cuMemcpyHtoA(NULL, 0, h, ROW));
    DRIVER_TRY(cuMemcpyHtoA(NULL, 0, h, 0));
    DRIVER_TRY(cuMemcpyHtoA(a, 0, h, ROW));
    DRIVER_TRY(cuMemcpyHtoA(a, 0, h, ROW + 4));
    DRIVER_TRY(cuMemcpyHtoA(a, ROW, h, ROW));
    DRIVER_TRY(cuMemcpyHtoA(a, 0, h, BYTES));
    DRIVER_TRY(cuMemcpyHtoA(box, 0, h, ROW));
    DRIVER_TRY(cuMemcpyAtoH(back, line, 0, ROW));
    VALUE(checksum(back, ROW), "line");
    DRIVER_TRY(cuMemcpyAtoH(back, line, 4, ROW));
    DRIVER_TRY(cuMemcpyAtoH(NULL, line, 0, ROW));
    DRIVER_TRY(cuMemcpyAtoH(back, NULL, 0, ROW));
    DRIVER_TRY(cuMemcpyAtoH(back, a, 0, BYTES));
    DRIVER_TRY(cuMemcpyAtoD(d, line, 0, ROW));
    DRIVER_TRY(cuMemcpyAtoD(0, line, 0, ROW));
    DRIVER_TRY(cuMemcpyDtoA(line, 0, d, ROW));
    DRIVER_TRY(cuMemcpyDtoA(line, 0, 0, ROW));
    DRIVER_TRY(cuMemcpyDtoA(line, 4, d, ROW));
    DRIVER_TRY(cuMemcpyAtoA(a, 0, line, 0, ROW));
    DRIVER_TRY(cuMemcpyAtoA(a, 0, line, 4, ROW));
    DRIVER_TRY(cuMemcpyAtoA(line, 0, a, 0, ROW));
    DRIVER_TRY(cuMemcpyAtoA(line, 0, NULL, 0, ROW));
    DRIVER_TRY(cuMemcpyHtoAAsync(line, 0, h, ROW, NULL));
    DRIVER_TRY(cuMemcpyHtoAAsync(line, 4, h, ROW, NULL));
    DRIVER_TRY(cuMemcpyAtoHAsync(back, line, 0, ROW, NULL));
    DRIVER_TRY(cuMemcpyAtoHAsync(back, line, 4, ROW, NULL));
}

static CUDA_MEMCPY2D to(void)
{
    CUDA_MEMCPY2D p = {0};
    p.srcMemoryType = CU_MEMORYTYPE_HOST;
    p.srcHost = h;
    p.srcPitch = ROW;
    p.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    p.dstArray = a;
    p.WidthInBytes = ROW;
    p.Height = H;
    return p;
}

#define TO(...)                                                                                    \
    do {                                                                                           \
        CUDA_MEMCPY2D p = to();                                                                    \
        __VA_ARGS__;                                                                               \
        DRIVER_TRY_AS(cuMemcpy2D(&p), "2D: %s", #__VA_ARGS__);                                     \
    } while (0)

void case_driver_array_copies(void)
{
    static unsigned char back[BYTES];
    make_arrays();
    TO((void)0);
    TO(p.dstXInBytes = 4);
    TO(p.dstY = 1);
    TO(p.dstXInBytes = 4; p.WidthInBytes = 8; p.dstY = 2; p.Height = 3; p.srcXInBytes = 8);
    TO(p.dstXInBytes = 2; p.WidthInBytes = 8);
    TO(p.WidthInBytes = 3);
    TO(p.WidthInBytes = ROW + 4; p.srcPitch = 2 * ROW);
    TO(p.Height = H + 1);
    TO(p.WidthInBytes = 0);
    TO(p.Height = 0);
    TO(p.srcPitch = 0);
    TO(p.srcPitch = ROW - 1);
    TO(p.srcHost = NULL);
    TO(p.dstArray = NULL);
    TO(p.dstArray = line);
    TO(p.dstArray = line; p.Height = 1);
    TO(p.dstArray = box);
    TO(p.dstMemoryType = (CUmemorytype)7);
    TO(p.srcMemoryType = CU_MEMORYTYPE_DEVICE; p.srcDevice = d);
    TO(p.srcMemoryType = CU_MEMORYTYPE_DEVICE; p.srcDevice = d + 3);
    TO(p.srcMemoryType = CU_MEMORYTYPE_UNIFIED; p.srcDevice = d);
    TO(p.srcMemoryType = CU_MEMORYTYPE_ARRAY; p.srcArray = b);
    TO(p.srcMemoryType = CU_MEMORYTYPE_ARRAY; p.srcArray = NULL);
    CUDA_MEMCPY2D p = to();
    DRIVER_TRY(cuMemcpy2DUnaligned(&p));
    DRIVER_TRY(cuMemcpy2DAsync(&p, NULL));
    CUDA_MEMCPY2D from = {0};
    from.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    from.srcArray = a;
    from.srcXInBytes = 4;
    from.dstMemoryType = CU_MEMORYTYPE_HOST;
    from.dstHost = back;
    from.dstPitch = 41;
    from.WidthInBytes = 40;
    from.Height = 5;
    DRIVER_TRY(cuMemcpy2D(&from));
    VALUE(checksum(back, sizeof back), "from an array");
}

static CUDA_MEMCPY3D deep(void)
{
    CUDA_MEMCPY3D p = {0};
    p.srcMemoryType = CU_MEMORYTYPE_HOST;
    p.srcHost = h;
    p.srcPitch = ROW;
    p.srcHeight = H;
    p.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    p.dstArray = box;
    p.WidthInBytes = ROW;
    p.Height = H;
    p.Depth = D;
    return p;
}

#define DEEP(...)                                                                                  \
    do {                                                                                           \
        CUDA_MEMCPY3D p = deep();                                                                  \
        __VA_ARGS__;                                                                               \
        DRIVER_TRY_AS(cuMemcpy3D(&p), "3D: %s", #__VA_ARGS__);                                     \
    } while (0)

void case_driver_array_boxes(void)
{
    static unsigned char back[ALL];
    make_arrays();
    DEEP((void)0);
    DEEP(p.dstXInBytes = 4);
    DEEP(p.dstY = 1);
    DEEP(p.dstZ = 1);
    DEEP(p.dstZ = 1; p.Depth = 2);
    DEEP(p.dstXInBytes = 3; p.WidthInBytes = 4);
    DEEP(p.Depth = D + 1);
    DEEP(p.Depth = 0);
    DEEP(p.dstLOD = 1);
    DEEP(p.srcLOD = 1);
    DEEP(p.srcPitch = ROW - 4);
    DEEP(p.srcHeight = H - 1);
    DEEP(p.srcHeight = 0);
    DEEP(p.dstArray = layers);
    DEEP(p.dstArray = a);
    DEEP(p.dstArray = a; p.Depth = 1);
    DEEP(p.dstArray = NULL);
    DEEP(p.srcMemoryType = CU_MEMORYTYPE_ARRAY; p.srcArray = layers);
    CUDA_MEMCPY3D p = {0};
    p.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    p.srcArray = box;
    p.dstMemoryType = CU_MEMORYTYPE_HOST;
    p.dstHost = back;
    p.dstPitch = ROW;
    p.dstHeight = H;
    p.WidthInBytes = ROW;
    p.Height = H;
    p.Depth = D;
    DRIVER_TRY(cuMemcpy3D(&p));
    VALUE(checksum(back, sizeof back), "from an array");
    DRIVER_TRY(cuMemcpy3DAsync(&p, NULL));
}
