/* Semantics of CUDA arrays: making, asking, freeing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../oracle.h"

static const struct cudaChannelFormatDesc float_desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static const struct cudaChannelFormatDesc byte4_desc = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};

/* record_info: what cudaArrayGetInfo says of a new array. */
static void record_info(cudaArray_t array, const char *label)
{
    struct cudaChannelFormatDesc desc = {0};
    struct cudaExtent extent = {7, 7, 7};
    unsigned flags = 77;
    char text[160];
    cudaError_t code = cudaArrayGetInfo(&desc, &extent, &flags, array);
    snprintf(text, sizeof text, "%d: %d %d %d %d kind %d, %zu x %zu x %zu, flags 0x%x", (int)code,
             desc.x, desc.y, desc.z, desc.w, (int)desc.f, extent.width, extent.height, extent.depth,
             flags);
    TEXT(text, "%s: info", label);
}

static void try_format(int x, int y, int z, int w, int kind)
{
    struct cudaChannelFormatDesc desc = {x, y, z, w, (enum cudaChannelFormatKind)kind};
    cudaArray_t array = NULL;
    TRY_AS(cudaMallocArray(&array, &desc, 16, 16, 0), "%d %d %d %d kind %d", x, y, z, w, kind);
    if (array) {
        char label[64];
        snprintf(label, sizeof label, "%d %d %d %d kind %d", x, y, z, w, kind);
        record_info(array, label);
        cudaFreeArray(array);
    }
}

static void try_counts(int bits, int kind)
{
    try_format(bits, 0, 0, 0, kind);
    try_format(bits, bits, 0, 0, kind);
    try_format(bits, bits, bits, 0, kind);
    try_format(bits, bits, bits, bits, kind);
}

void case_array_formats(void)
{
    make_runtime_context();
    static const int bits[] = {8, 16, 32};
    for (int i = 0; i < 3; i++) {
        try_counts(bits[i], cudaChannelFormatKindSigned);
        try_counts(bits[i], cudaChannelFormatKindUnsigned);
        try_counts(bits[i], cudaChannelFormatKindFloat);
    }
    try_counts(64, cudaChannelFormatKindUnsigned);
    try_counts(64, cudaChannelFormatKindFloat);
    try_counts(8, cudaChannelFormatKindNone);
    try_counts(32, cudaChannelFormatKindNone);
}

void case_array_odd_formats(void)
{
    make_runtime_context();
    try_format(0, 0, 0, 0, cudaChannelFormatKindUnsigned);
    try_format(0, 0, 0, 0, cudaChannelFormatKindNone);
    try_format(7, 0, 0, 0, cudaChannelFormatKindUnsigned);
    try_format(-8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    try_format(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    try_format(16, 8, 0, 0, cudaChannelFormatKindUnsigned);
    try_format(8, 0, 8, 0, cudaChannelFormatKindUnsigned);
    try_format(0, 8, 0, 0, cudaChannelFormatKindUnsigned);
    try_format(0, 0, 0, 8, cudaChannelFormatKindUnsigned);
    try_format(8, 8, 0, 8, cudaChannelFormatKindUnsigned);
    try_format(32, 32, 32, 16, cudaChannelFormatKindFloat);
    try_format(10, 10, 10, 2, cudaChannelFormatKindUnsigned);
    try_format(8, 0, 0, 0, 99);
    try_format(8, 0, 0, 0, -1);
    for (int kind = cudaChannelFormatKindNV12; kind <= cudaChannelFormatKindSignedNormalized16X4;
         kind++) {
        try_format(8, 0, 0, 0, kind);
        try_format(8, 8, 8, 8, kind);
        try_format(16, 16, 0, 0, kind);
    }
}

/* The number of steps that pass here depends on the device's limits alone. */
static void try_extent(size_t w, size_t h, size_t d, unsigned flags, const char *label)
{
    struct cudaExtent extent = {w, h, d};
    cudaArray_t array = NULL;
    TRY_AS(cudaMalloc3DArray(&array, &byte4_desc, extent, flags), "%s, flags 0x%x", label, flags);
    if (array) {
        struct cudaExtent got = {0};
        unsigned got_flags = 0;
        cudaArrayGetInfo(NULL, &got, &got_flags, array);
        VALUE(got.width == w && got.height == h && got.depth == d && got_flags == flags,
              "%s, flags 0x%x: info is the same", label, flags);
        cudaFreeArray(array);
    }
}
#define EXTENT(w, h, d, flags) try_extent(w, h, d, flags, #w " x " #h " x " #d)

void case_array_extents(void)
{
    make_runtime_context();
    EXTENT(0, 0, 0, 0);
    EXTENT(0, 1, 0, 0);
    EXTENT(0, 0, 1, 0);
    EXTENT(0, 4, 4, 0);
    EXTENT(1, 0, 0, 0);
    EXTENT(1, 1, 0, 0);
    EXTENT(1, 1, 1, 0);
    EXTENT(5, 0, 3, 0);
    EXTENT(5, 3, 0, 0);
    EXTENT(5, 3, 2, 0);
    EXTENT(5, 1, 2, 0);
    EXTENT(SIZE_MAX, 0, 0, 0);
    EXTENT(5, SIZE_MAX, 0, 0);
    EXTENT(5, 5, SIZE_MAX, 0);
    EXTENT(INT_MAX, INT_MAX, INT_MAX, 0);
    EXTENT((size_t)1 << 32, 0, 0, 0);
    EXTENT(((size_t)1 << 32) + 4, 4, 0, 0);
}

void case_array_flags(void)
{
    make_runtime_context();
    for (unsigned flags = 0; flags < 16; flags++) {
        EXTENT(8, 0, 0, flags);
        EXTENT(8, 8, 0, flags);
        EXTENT(8, 8, 6, flags);
        EXTENT(8, 0, 6, flags);
    }
    EXTENT(8, 8, 0, 0x10);
    EXTENT(8, 8, 0, 0x20);
    EXTENT(8, 8, 0, 0x40);
    EXTENT(64, 64, 64, 0x40);
    EXTENT(8, 8, 0, 0x80);
    EXTENT(8, 8, 0, 0x82);
    EXTENT(8, 8, 0, 0x100);
    EXTENT(8, 8, 0, 0x80000000u);
}

void case_array_layers(void)
{
    make_runtime_context();
    EXTENT(8, 0, 1, cudaArrayLayered);
    EXTENT(8, 8, 1, cudaArrayLayered);
    EXTENT(8, 8, 0, cudaArrayLayered);
    EXTENT(0, 0, 4, cudaArrayLayered);
    EXTENT(0, 8, 4, cudaArrayLayered);
    EXTENT(8, 8, 7, cudaArrayLayered);
    EXTENT(8, 8, 6, cudaArrayCubemap);
    EXTENT(8, 9, 6, cudaArrayCubemap);
    EXTENT(8, 8, 5, cudaArrayCubemap);
    EXTENT(8, 8, 12, cudaArrayCubemap);
    EXTENT(8, 8, 0, cudaArrayCubemap);
    EXTENT(8, 0, 6, cudaArrayCubemap);
    EXTENT(0, 0, 6, cudaArrayCubemap);
    EXTENT(8, 8, 6, cudaArrayCubemap | cudaArrayLayered);
    EXTENT(8, 8, 12, cudaArrayCubemap | cudaArrayLayered);
    EXTENT(8, 8, 13, cudaArrayCubemap | cudaArrayLayered);
    EXTENT(8, 9, 12, cudaArrayCubemap | cudaArrayLayered);
    EXTENT(8, 8, 0, cudaArrayCubemap | cudaArrayLayered);
    EXTENT(8, 8, 6, cudaArrayCubemap | cudaArrayTextureGather);
    EXTENT(8, 8, 6, cudaArrayLayered | cudaArrayTextureGather);
    EXTENT(8, 8, 6, cudaArrayTextureGather);
    EXTENT(8, 0, 0, cudaArrayTextureGather);
}

void case_array_limits(void)
{
    struct cudaDeviceProp p;
    REQUIRE(cudaGetDeviceProperties(&p, 0));
    make_runtime_context();
    size_t w1 = (size_t)p.maxTexture1D, w2 = (size_t)p.maxTexture2D[0];
    size_t h2 = (size_t)p.maxTexture2D[1];
    try_extent(w1, 0, 0, 0, "1D width");
    try_extent(w1 + 1, 0, 0, 0, "1D width + 1");
    try_extent(w2, 1, 0, 0, "2D width");
    try_extent(w2 + 1, 1, 0, 0, "2D width + 1");
    try_extent(1, h2, 0, 0, "2D height");
    try_extent(1, h2 + 1, 0, 0, "2D height + 1");
    try_extent((size_t)p.maxTexture3D[0] + 1, 1, 1, 0, "3D width + 1");
    try_extent(1, (size_t)p.maxTexture3D[1] + 1, 1, 0, "3D height + 1");
    try_extent(1, 1, (size_t)p.maxTexture3D[2] + 1, 0, "3D depth + 1");
    try_extent((size_t)p.maxTexture1DLayered[0], 0, 2, cudaArrayLayered, "1D layered width");
    try_extent((size_t)p.maxTexture1DLayered[0] + 1, 0, 2, cudaArrayLayered,
               "1D layered width + 1");
    try_extent(1, 0, (size_t)p.maxTexture1DLayered[1], cudaArrayLayered, "1D layers");
    try_extent(1, 0, (size_t)p.maxTexture1DLayered[1] + 1, cudaArrayLayered, "1D layers + 1");
    try_extent(1, 1, (size_t)p.maxTexture2DLayered[2] + 1, cudaArrayLayered, "2D layers + 1");
    try_extent((size_t)p.maxTextureCubemap + 1, (size_t)p.maxTextureCubemap + 1, 6,
               cudaArrayCubemap, "cube width + 1");
    try_extent(1, 1, ((size_t)p.maxTextureCubemapLayered[1] / 6 + 1) * 6,
               cudaArrayCubemap | cudaArrayLayered, "cube layers + 1");
    try_extent((size_t)p.maxSurface1D, 0, 0, cudaArraySurfaceLoadStore, "1D surface width");
    try_extent((size_t)p.maxSurface1D + 1, 0, 0, cudaArraySurfaceLoadStore, "1D surface width + 1");
    try_extent((size_t)p.maxSurface2D[0] + 1, 1, 0, cudaArraySurfaceLoadStore,
               "2D surface width + 1");
    try_extent((size_t)p.maxTexture2DGather[0], 1, 0, cudaArrayTextureGather, "gather width");
    try_extent((size_t)p.maxTexture2DGather[0] + 1, 1, 0, cudaArrayTextureGather,
               "gather width + 1");
}

void case_array_arguments(void)
{
    make_runtime_context();
    cudaArray_t array = NULL;
    struct cudaExtent extent = {8, 8, 0};
    struct cudaExtent bad = {0, 8, 0};
    struct cudaChannelFormatDesc none = {8, 0, 0, 0, (enum cudaChannelFormatKind)99};
    TRY(cudaMallocArray(NULL, &float_desc, 8, 8, 0));
    TRY(cudaMallocArray(&array, NULL, 8, 8, 0));
    TRY(cudaMallocArray(NULL, NULL, 8, 8, 0));
    TRY(cudaMallocArray(NULL, &none, 0, 8, 0));
    TRY(cudaMallocArray(&array, &none, 0, 8, 0));
    TRY(cudaMallocArray(&array, &none, 8, 8, 0x1000));
    TRY(cudaMallocArray(&array, &float_desc, 0, 8, 0x1000));
    TRY(cudaMalloc3DArray(NULL, &float_desc, extent, 0));
    TRY(cudaMalloc3DArray(&array, NULL, extent, 0));
    TRY(cudaMalloc3DArray(&array, &none, bad, 0));
    TRY(cudaMallocMipmappedArray(NULL, &float_desc, extent, 1, 0));
    cudaMipmappedArray_t mipmap = NULL;
    TRY(cudaMallocMipmappedArray(&mipmap, NULL, extent, 1, 0));
    TRY(cudaMallocMipmappedArray(&mipmap, &none, extent, 1, 0));
    TRY(cudaMallocMipmappedArray(&mipmap, &float_desc, bad, 1, 0));
    array = (cudaArray_t)(uintptr_t)16;
    TRY(cudaMallocArray(&array, &none, 8, 8, 0));
    VALUE((long long)(uintptr_t)array, "array after an error");
}

void case_array_info(void)
{
    cudaArray_t array = NULL;
    cudaArray_t layered = NULL;
    struct cudaChannelFormatDesc desc = {0};
    struct cudaExtent extent = {0};
    struct cudaExtent six = {8, 4, 6};
    unsigned flags = 0;
    REQUIRE(cudaMallocArray(&array, &float_desc, 8, 4, cudaArraySurfaceLoadStore));
    REQUIRE(cudaMalloc3DArray(&layered, &byte4_desc, six, cudaArrayLayered));
    record_info(array, "2D");
    record_info(layered, "layered");
    TRY(cudaArrayGetInfo(NULL, NULL, NULL, array));
    TRY(cudaArrayGetInfo(&desc, NULL, NULL, array));
    TRY(cudaArrayGetInfo(NULL, &extent, NULL, array));
    TRY(cudaArrayGetInfo(NULL, NULL, &flags, array));
    TRY(cudaArrayGetInfo(&desc, &extent, &flags, NULL));
    TRY(cudaArrayGetInfo(NULL, NULL, NULL, NULL));
    TRY(cudaGetChannelDesc(&desc, array));
    VALUE(desc.x * 1000 + (int)desc.f, "channel");
    TRY(cudaGetChannelDesc(NULL, array));
    TRY(cudaGetChannelDesc(&desc, NULL));
    TRY(cudaArrayGetInfo(&desc, &extent, &flags, (cudaArray_t)(uintptr_t)16));
    TRY(cudaGetChannelDesc(&desc, (cudaArray_t)(uintptr_t)16));
    REQUIRE(cudaFreeArray(array));
    TRY(cudaArrayGetInfo(&desc, &extent, &flags, array));
    TRY(cudaGetChannelDesc(&desc, array));
}

void case_array_special(void)
{
    cudaArray_t array = NULL;
    cudaArray_t plane = NULL;
    cudaMipmappedArray_t mipmap = NULL;
    struct cudaExtent extent = {16, 16, 0};
    REQUIRE(cudaMallocArray(&array, &float_desc, 16, 16, 0));
    REQUIRE(cudaMallocMipmappedArray(&mipmap, &float_desc, extent, 3, 0));
    struct cudaArrayMemoryRequirements needs = {0};
    struct cudaArraySparseProperties sparse = {0};
    TRY(cudaArrayGetPlane(&plane, array, 0));
    TRY(cudaArrayGetPlane(&plane, array, 1));
    TRY(cudaArrayGetPlane(NULL, array, 0));
    TRY(cudaArrayGetPlane(&plane, NULL, 0));
    TRY(cudaArrayGetMemoryRequirements(&needs, array, 0));
    TRY(cudaArrayGetMemoryRequirements(NULL, array, 0));
    TRY(cudaArrayGetMemoryRequirements(&needs, NULL, 0));
    TRY(cudaArrayGetMemoryRequirements(&needs, array, -1));
    TRY(cudaMipmappedArrayGetMemoryRequirements(&needs, mipmap, 0));
    TRY(cudaArrayGetSparseProperties(&sparse, array));
    TRY(cudaArrayGetSparseProperties(NULL, array));
    TRY(cudaArrayGetSparseProperties(&sparse, NULL));
    TRY(cudaMipmappedArrayGetSparseProperties(&sparse, mipmap));
}

static void try_mipmap(size_t w, size_t h, size_t d, unsigned levels, unsigned flags)
{
    struct cudaExtent extent = {w, h, d};
    cudaMipmappedArray_t mipmap = NULL;
    TRY_AS(cudaMallocMipmappedArray(&mipmap, &float_desc, extent, levels, flags),
           "mipmapped %zu x %zu x %zu, %u levels, flags 0x%x", w, h, d, levels, flags);
    /* How many levels there are shows in which ones can be had. */
    for (unsigned level = 0; mipmap && level < 8; level++) {
        cudaArray_t array = NULL;
        TRY_AS(cudaGetMipmappedArrayLevel(&array, mipmap, level),
               "mipmapped %zu x %zu x %zu, %u levels, flags 0x%x: level %u", w, h, d, levels, flags,
               level);
        if (array) {
            char label[100];
            snprintf(label, sizeof label, "%zu x %zu x %zu, %u levels, flags 0x%x: level %u", w, h,
                     d, levels, flags, level);
            record_info(array, label);
        }
    }
    if (mipmap) {
        cudaFreeMipmappedArray(mipmap);
    }
}

void case_array_mipmapped(void)
{
    make_runtime_context();
    try_mipmap(16, 0, 0, 0, 0);
    try_mipmap(16, 0, 0, 1, 0);
    try_mipmap(16, 0, 0, 5, 0);
    try_mipmap(16, 0, 0, 6, 0);
    try_mipmap(16, 12, 0, 5, 0);
    try_mipmap(7, 5, 0, 3, cudaArraySurfaceLoadStore);
    try_mipmap(7, 5, 0, 4, 0);
    try_mipmap(16, 8, 4, 5, 0);
    try_mipmap(16, 8, 4, 1000, 0);
    try_mipmap(4, 4, 3, 3, cudaArrayLayered);
    try_mipmap(4, 0, 3, 3, cudaArrayLayered);
    try_mipmap(4, 4, 6, 3, cudaArrayCubemap);
    try_mipmap(4, 4, 12, 3, cudaArrayCubemap | cudaArrayLayered);
    try_mipmap(4, 4, 6, 3, cudaArrayTextureGather);
    try_mipmap(0, 0, 0, 1, 0);
    try_mipmap(0, 4, 0, 1, 0);
}

void case_array_levels(void)
{
    struct cudaExtent extent = {16, 16, 0};
    cudaMipmappedArray_t mipmap = NULL;
    cudaArray_t level = NULL;
    cudaArray_t again = NULL;
    cudaArray_t plain = NULL;
    REQUIRE(cudaMallocMipmappedArray(&mipmap, &float_desc, extent, 3, 0));
    REQUIRE(cudaMallocArray(&plain, &float_desc, 8, 8, 0));
    TRY(cudaGetMipmappedArrayLevel(NULL, mipmap, 0));
    TRY(cudaGetMipmappedArrayLevel(&level, NULL, 0));
    TRY(cudaGetMipmappedArrayLevel(&level, mipmap, 3));
    TRY(cudaGetMipmappedArrayLevel(&level, mipmap, UINT_MAX));
    TRY(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    TRY(cudaGetMipmappedArrayLevel(&again, mipmap, 1));
    VALUE(level == again, "the same level twice is one handle");
    TRY(cudaGetMipmappedArrayLevel(&again, (cudaMipmappedArray_t)plain, 0));
    TRY(cudaGetMipmappedArrayLevel(&again, (cudaMipmappedArray_t)(uintptr_t)16, 0));
    TRY(cudaFreeArray(level));
    TRY(cudaGetMipmappedArrayLevel(&again, mipmap, 1));
    TRY(cudaArrayGetInfo(NULL, &extent, NULL, again));
    TRY(cudaFreeMipmappedArray(mipmap));
    TRY(cudaArrayGetInfo(NULL, &extent, NULL, again));
    TRY(cudaGetMipmappedArrayLevel(&again, mipmap, 1));
}

void case_array_free(void)
{
    struct cudaExtent extent = {16, 16, 0};
    cudaMipmappedArray_t mipmap = NULL;
    cudaArray_t array = NULL;
    void *linear = device_block(4096);
    REQUIRE(cudaMallocMipmappedArray(&mipmap, &float_desc, extent, 3, 0));
    REQUIRE(cudaMallocArray(&array, &float_desc, 8, 8, 0));
    TRY(cudaFreeArray(NULL));
    TRY(cudaFreeMipmappedArray(NULL));
    TRY(cudaFree(array));
    TRY(cudaFreeHost(array));
    TRY(cudaFreeArray((cudaArray_t)linear));
    TRY(cudaFreeMipmappedArray((cudaMipmappedArray_t)linear));
    TRY(cudaFreeArray((cudaArray_t)(uintptr_t)16));
    TRY(cudaFreeMipmappedArray((cudaMipmappedArray_t)(uintptr_t)16));
    TRY(cudaFreeMipmappedArray((cudaMipmappedArray_t)array));
    TRY(cudaFreeArray((cudaArray_t)mipmap));
    TRY(cudaFreeArray(array));
    TRY(cudaFreeArray(array));
    TRY(cudaFreeMipmappedArray(mipmap));
    TRY(cudaFreeMipmappedArray(mipmap));
}

void case_array_pointer(void)
{
    cudaArray_t array = NULL;
    struct cudaPointerAttributes attributes;
    char host[64] = {0};
    REQUIRE(cudaMallocArray(&array, &float_desc, 8, 8, 0));
    memset(&attributes, 0xff, sizeof attributes);
    TRY(cudaPointerGetAttributes(&attributes, array));
    VALUE(attributes.type, "type of an array's handle");
    TRY(cudaMemcpy(host, array, 16, cudaMemcpyDefault));
    TRY(cudaMemset(array, 0, 16));
}

void case_array_reset(void)
{
    cudaArray_t array = NULL;
    struct cudaExtent extent;
    REQUIRE(cudaMallocArray(&array, &float_desc, 8, 8, 0));
    TRY(cudaDeviceReset());
    TRY(cudaArrayGetInfo(NULL, &extent, NULL, array));
    TRY(cudaFreeArray(array));
}
