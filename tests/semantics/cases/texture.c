/* Semantics of texture objects: which descriptions are accepted, and what can be asked back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../oracle.h"

static const struct cudaChannelFormatDesc float_desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static const struct cudaChannelFormatDesc half_desc = {16, 0, 0, 0, cudaChannelFormatKindFloat};
static const struct cudaChannelFormatDesc byte_desc = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
static const struct cudaChannelFormatDesc char_desc = {8, 0, 0, 0, cudaChannelFormatKindSigned};
static const struct cudaChannelFormatDesc byte4_desc = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};
static const struct cudaChannelFormatDesc short_desc = {16, 0, 0, 0, cudaChannelFormatKindSigned};
static const struct cudaChannelFormatDesc word_desc = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
static const struct cudaChannelFormatDesc int_desc = {32, 0, 0, 0, cudaChannelFormatKindSigned};
static const struct cudaChannelFormatDesc float4_desc = {32, 32, 32, 32,
                                                         cudaChannelFormatKindFloat};
static const struct cudaChannelFormatDesc float3_desc = {32, 32, 32, 0, cudaChannelFormatKindFloat};

enum { SIDE = 16, BYTES = 64 * 1024 };

static cudaArray_t plain, bytes, shorts, words, box, layered, cube, line;
static cudaMipmappedArray_t mipmap;
static char *memory;

static void make_resources(void)
{
    struct cudaExtent flat = {SIDE, SIDE, 0};
    struct cudaExtent deep = {SIDE, SIDE, 6};
    REQUIRE(cudaMallocArray(&plain, &float_desc, SIDE, SIDE, 0));
    REQUIRE(cudaMallocArray(&bytes, &byte4_desc, SIDE, SIDE, 0));
    REQUIRE(cudaMallocArray(&shorts, &short_desc, SIDE, SIDE, 0));
    REQUIRE(cudaMallocArray(&words, &word_desc, SIDE, SIDE, 0));
    REQUIRE(cudaMallocArray(&line, &float_desc, SIDE, 0, 0));
    REQUIRE(cudaMalloc3DArray(&box, &float_desc, deep, 0));
    REQUIRE(cudaMalloc3DArray(&layered, &float_desc, deep, cudaArrayLayered));
    REQUIRE(cudaMalloc3DArray(&cube, &float_desc, deep, cudaArrayCubemap));
    REQUIRE(cudaMallocMipmappedArray(&mipmap, &float_desc, flat, 3, 0));
    memory = device_block(BYTES);
}

/* What a step spoils: r the resource, t the texture, v the view, which is used when view is set. */
static struct cudaResourceDesc r;
static struct cudaTextureDesc t;
static struct cudaResourceViewDesc v;
static bool view;

static void array_start(void)
{
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    memset(&v, 0, sizeof v);
    view = false;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plain;
}

static void mipmap_start(void)
{
    array_start();
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = mipmap;
    t.normalizedCoords = 1;
}

static void linear_start(void)
{
    array_start();
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = float_desc;
    r.res.linear.sizeInBytes = 4096;
}

static void pitch_start(void)
{
    array_start();
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = float_desc;
    r.res.pitch2D.width = 16;
    r.res.pitch2D.height = 16;
    r.res.pitch2D.pitchInBytes = 512;
}

static void view_start(void)
{
    array_start();
    view = true;
    v.format = cudaResViewFormatFloat1;
    v.width = v.height = SIDE;
}

#define SPOIL(start, ...)                                                                          \
    do {                                                                                           \
        cudaTextureObject_t object = 0;                                                            \
        start##_start();                                                                           \
        __VA_ARGS__;                                                                               \
        TRY_AS(cudaCreateTextureObject(&object, &r, &t, view ? &v : NULL), "%s: %s", #start,       \
               #__VA_ARGS__);                                                                      \
        if (object) {                                                                              \
            cudaDestroyTextureObject(object);                                                      \
        }                                                                                          \
    } while (0)
#define ARRAY(...)  SPOIL(array, __VA_ARGS__)
#define MIPMAP(...) SPOIL(mipmap, __VA_ARGS__)
#define LINEAR(...) SPOIL(linear, __VA_ARGS__)
#define PITCH(...)  SPOIL(pitch, __VA_ARGS__)
#define VIEW(...)   SPOIL(view, __VA_ARGS__)

void case_texture_arguments(void)
{
    cudaTextureObject_t made = 0;
    make_resources();
    array_start();
    TRY(cudaCreateTextureObject(NULL, &r, &t, NULL));
    TRY(cudaCreateTextureObject(&made, NULL, &t, NULL));
    TRY(cudaCreateTextureObject(&made, &r, NULL, NULL));
    TRY(cudaCreateTextureObject(&made, NULL, NULL, NULL));
    TRY(cudaCreateTextureObject(NULL, NULL, NULL, NULL));
    TRY(cudaCreateTextureObject(&made, &r, &t, NULL));
    VALUE(made != 0, "the object is not 0");
    r.res.array.array = NULL;
    made = 77;
    TRY_AS(cudaCreateTextureObject(&made, &r, &t, NULL), "no array");
    VALUE((long long)made, "object after an error");
    ARRAY(r.resType = (enum cudaResourceType)4);
    ARRAY(r.resType = (enum cudaResourceType)(-1));
    ARRAY(r.resType = (enum cudaResourceType)4; t.addressMode[0] = (enum cudaTextureAddressMode)9);
    ARRAY(r.flags = 1);
    ARRAY(r.flags = 2);
    ARRAY(r.res.array.array = (cudaArray_t)(uintptr_t)16);
    ARRAY(r.res.array.array = (cudaArray_t)memory);
    ARRAY(r.res.array.array = NULL; t.filterMode = (enum cudaTextureFilterMode)7);
    MIPMAP((void)0);
    MIPMAP(r.res.mipmap.mipmap = NULL);
    MIPMAP(r.res.mipmap.mipmap = (cudaMipmappedArray_t)plain);
    ARRAY(r.res.array.array = (cudaArray_t)mipmap);
    LINEAR((void)0);
    PITCH((void)0);
}

void case_texture_modes(void)
{
    make_resources();
    ARRAY((void)0);
    for (int mode = -1; mode <= 4; mode++) {
        for (int normalized = 0; normalized <= 1; normalized++) {
            cudaTextureObject_t made = 0;
            array_start();
            t.addressMode[0] = t.addressMode[1] = t.addressMode[2] =
                (enum cudaTextureAddressMode)mode;
            t.normalizedCoords = normalized;
            TRY_AS(cudaCreateTextureObject(&made, &r, &t, NULL), "address mode %d, normalized %d",
                   mode, normalized);
            cudaDestroyTextureObject(made);
        }
    }
    ARRAY(t.addressMode[0] = (enum cudaTextureAddressMode)9);
    ARRAY(t.addressMode[1] = (enum cudaTextureAddressMode)9);
    ARRAY(t.addressMode[2] = (enum cudaTextureAddressMode)9);
    ARRAY(r.res.array.array = line; t.addressMode[1] = (enum cudaTextureAddressMode)9);
    ARRAY(t.filterMode = cudaFilterModeLinear);
    ARRAY(t.filterMode = (enum cudaTextureFilterMode)2);
    ARRAY(t.filterMode = (enum cudaTextureFilterMode)(-1));
    ARRAY(t.readMode = cudaReadModeNormalizedFloat);
    ARRAY(t.readMode = (enum cudaTextureReadMode)2);
    ARRAY(t.readMode = (enum cudaTextureReadMode)(-1));
    ARRAY(t.normalizedCoords = 2);
    ARRAY(t.normalizedCoords = -1);
    ARRAY(t.sRGB = 1);
    ARRAY(t.sRGB = 2);
    ARRAY(r.res.array.array = bytes; t.sRGB = 1);
    ARRAY(r.res.array.array = bytes; t.sRGB = 1; t.readMode = cudaReadModeNormalizedFloat);
    ARRAY(r.res.array.array = shorts; t.sRGB = 1; t.readMode = cudaReadModeNormalizedFloat);
    ARRAY(t.maxAnisotropy = 1);
    ARRAY(t.maxAnisotropy = 16);
    ARRAY(t.maxAnisotropy = 17);
    ARRAY(t.maxAnisotropy = 100000);
    ARRAY(t.mipmapFilterMode = cudaFilterModeLinear);
    ARRAY(t.mipmapFilterMode = (enum cudaTextureFilterMode)2);
    ARRAY(t.mipmapLevelBias = 100.0f);
    ARRAY(t.minMipmapLevelClamp = 3.0f; t.maxMipmapLevelClamp = 1.0f);
    ARRAY(t.minMipmapLevelClamp = -3.0f);
    ARRAY(t.disableTrilinearOptimization = 1);
    ARRAY(t.disableTrilinearOptimization = 7);
    ARRAY(t.seamlessCubemap = 1);
    ARRAY(t.borderColor[0] = 1.0f; t.addressMode[0] = cudaAddressModeBorder);
}

void case_texture_formats(void)
{
    make_resources();
    struct {
        const char *name;
        struct cudaChannelFormatDesc desc;
    } formats[] = {{"float", float_desc}, {"half", half_desc},   {"byte", byte_desc},
                   {"char", char_desc},   {"short", short_desc}, {"word", word_desc},
                   {"int", int_desc},     {"byte4", byte4_desc}, {"float4", float4_desc}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        cudaArray_t array = NULL;
        REQUIRE(cudaMallocArray(&array, &formats[i].desc, SIDE, SIDE, 0));
        for (int linear = 0; linear <= 1; linear++) {
            for (int normalized = 0; normalized <= 1; normalized++) {
                cudaTextureObject_t made = 0;
                array_start();
                r.res.array.array = array;
                t.filterMode = (enum cudaTextureFilterMode)linear;
                t.readMode = (enum cudaTextureReadMode)normalized;
                TRY_AS(cudaCreateTextureObject(&made, &r, &t, NULL), "%s, filter %d, read mode %d",
                       formats[i].name, linear, normalized);
                cudaDestroyTextureObject(made);
                linear_start();
                r.res.linear.desc = formats[i].desc;
                t.filterMode = (enum cudaTextureFilterMode)linear;
                t.readMode = (enum cudaTextureReadMode)normalized;
                TRY_AS(cudaCreateTextureObject(&made, &r, &t, NULL),
                       "linear memory: %s, filter %d, read mode %d", formats[i].name, linear,
                       normalized);
                cudaDestroyTextureObject(made);
                pitch_start();
                r.res.pitch2D.desc = formats[i].desc;
                t.filterMode = (enum cudaTextureFilterMode)linear;
                t.readMode = (enum cudaTextureReadMode)normalized;
                TRY_AS(cudaCreateTextureObject(&made, &r, &t, NULL),
                       "pitched memory: %s, filter %d, read mode %d", formats[i].name, linear,
                       normalized);
                cudaDestroyTextureObject(made);
            }
        }
        REQUIRE(cudaFreeArray(array));
    }
}

void case_texture_linear(void)
{
    size_t most = 0;
    struct cudaDeviceProp p;
    make_resources();
    REQUIRE(cudaGetDeviceProperties(&p, 0));
    REQUIRE(cudaDeviceGetTexture1DLinearMaxWidth(&most, &float_desc, 0));
    VALUE(p.textureAlignment, "textureAlignment");
    LINEAR(r.res.linear.devPtr = NULL);
    LINEAR(r.res.linear.devPtr = NULL; r.res.linear.sizeInBytes = 0);
    LINEAR(r.res.linear.devPtr = memory + 4);
    LINEAR(r.res.linear.devPtr = memory + 16);
    LINEAR(r.res.linear.devPtr = memory + 256);
    LINEAR(r.res.linear.devPtr = memory + 512);
    LINEAR(r.res.linear.devPtr = memory + 1);
    LINEAR(r.res.linear.sizeInBytes = 0);
    LINEAR(r.res.linear.sizeInBytes = 1);
    LINEAR(r.res.linear.sizeInBytes = 3);
    LINEAR(r.res.linear.sizeInBytes = 4);
    LINEAR(r.res.linear.sizeInBytes = 4097);
    LINEAR(r.res.linear.sizeInBytes = BYTES);
    LINEAR(r.res.linear.sizeInBytes = BYTES + 4);
    LINEAR(r.res.linear.sizeInBytes = 16 * 1024 * 1024);
    LINEAR(r.res.linear.sizeInBytes = most * 4);
    LINEAR(r.res.linear.sizeInBytes = most * 4 + 4);
    LINEAR(r.res.linear.sizeInBytes = SIZE_MAX);
    LINEAR(r.res.linear.desc = float3_desc);
    LINEAR(r.res.linear.desc.x = 0);
    LINEAR(r.res.linear.desc.x = 7);
    LINEAR(r.res.linear.desc.y = 16);
    LINEAR(r.res.linear.desc.z = 32);
    LINEAR(r.res.linear.desc.f = cudaChannelFormatKindNone);
    LINEAR(r.res.linear.desc.f = (enum cudaChannelFormatKind)99);
    LINEAR(r.res.linear.desc.f = (enum cudaChannelFormatKind)99; r.res.linear.devPtr = NULL);
    LINEAR(r.res.linear.desc.f = (enum cudaChannelFormatKind)99; r.res.linear.devPtr = memory + 4);
    LINEAR(t.filterMode = cudaFilterModeLinear);
    LINEAR(t.normalizedCoords = 1);
    LINEAR(t.addressMode[0] = cudaAddressModeClamp);
    LINEAR(t.addressMode[0] = cudaAddressModeBorder);
    LINEAR(t.addressMode[0] = cudaAddressModeMirror);
    LINEAR(t.addressMode[0] = (enum cudaTextureAddressMode)9);
    LINEAR(t.readMode = cudaReadModeNormalizedFloat);
    LINEAR(t.sRGB = 1);
    LINEAR(t.maxAnisotropy = 8);
    LINEAR(view = true);
    LINEAR(view = true; v.format = cudaResViewFormatFloat1; v.width = 16);
    LINEAR(r.flags = 1);
}

void case_texture_linear_places(void)
{
    size_t count = 0;
    const struct place *places = make_places(&count);
    make_resources();
    for (size_t i = 0; i < count; i++) {
        cudaTextureObject_t made = 0;
        linear_start();
        r.res.linear.devPtr = places[i].p;
        TRY_AS(cudaCreateTextureObject(&made, &r, &t, NULL), "linear: %s", places[i].name);
        cudaDestroyTextureObject(made);
        pitch_start();
        r.res.pitch2D.devPtr = places[i].p;
        TRY_AS(cudaCreateTextureObject(&made, &r, &t, NULL), "pitched: %s", places[i].name);
        cudaDestroyTextureObject(made);
    }
}

void case_texture_pitch(void)
{
    struct cudaDeviceProp p;
    make_resources();
    REQUIRE(cudaGetDeviceProperties(&p, 0));
    VALUE(p.texturePitchAlignment, "texturePitchAlignment");
    PITCH(r.res.pitch2D.devPtr = NULL);
    PITCH(r.res.pitch2D.devPtr = memory + 4);
    PITCH(r.res.pitch2D.devPtr = memory + 32);
    PITCH(r.res.pitch2D.devPtr = memory + 256);
    PITCH(r.res.pitch2D.devPtr = memory + 512);
    PITCH(r.res.pitch2D.width = 0);
    PITCH(r.res.pitch2D.height = 0);
    PITCH(r.res.pitch2D.pitchInBytes = 0);
    PITCH(r.res.pitch2D.width = r.res.pitch2D.height = r.res.pitch2D.pitchInBytes = 0);
    PITCH(r.res.pitch2D.pitchInBytes = 32);
    PITCH(r.res.pitch2D.pitchInBytes = 60);
    PITCH(r.res.pitch2D.pitchInBytes = 64);
    PITCH(r.res.pitch2D.pitchInBytes = 68);
    PITCH(r.res.pitch2D.pitchInBytes = 80);
    PITCH(r.res.pitch2D.pitchInBytes = 96);
    PITCH(r.res.pitch2D.pitchInBytes = 544);
    PITCH(r.res.pitch2D.width = 128);
    PITCH(r.res.pitch2D.width = 129);
    PITCH(r.res.pitch2D.height = 128);
    PITCH(r.res.pitch2D.height = 129);
    PITCH(r.res.pitch2D.height = 4096);
    PITCH(r.res.pitch2D.height = (size_t)p.maxTexture2DLinear[1]);
    PITCH(r.res.pitch2D.height = (size_t)p.maxTexture2DLinear[1] + 1);
    PITCH(r.res.pitch2D.width = (size_t)p.maxTexture2DLinear[0] + 1;
          r.res.pitch2D.pitchInBytes = 4 * (size_t)p.maxTexture2DLinear[0] + 32);
    PITCH(r.res.pitch2D.pitchInBytes = (size_t)p.maxTexture2DLinear[2]);
    PITCH(r.res.pitch2D.pitchInBytes = (size_t)p.maxTexture2DLinear[2] + 32);
    PITCH(r.res.pitch2D.pitchInBytes = SIZE_MAX);
    PITCH(r.res.pitch2D.width = SIZE_MAX);
    PITCH(r.res.pitch2D.height = SIZE_MAX);
    PITCH(r.res.pitch2D.desc = float3_desc);
    PITCH(r.res.pitch2D.desc.x = 7);
    PITCH(r.res.pitch2D.desc.f = cudaChannelFormatKindNone);
    PITCH(r.res.pitch2D.desc.f = (enum cudaChannelFormatKind)99; r.res.pitch2D.devPtr = NULL);
    PITCH(t.filterMode = cudaFilterModeLinear);
    PITCH(t.normalizedCoords = 1);
    PITCH(t.normalizedCoords = 1; t.addressMode[0] = cudaAddressModeMirror);
    PITCH(t.addressMode[0] = cudaAddressModeMirror);
    PITCH(t.addressMode[0] = (enum cudaTextureAddressMode)9);
    PITCH(t.readMode = cudaReadModeNormalizedFloat);
    PITCH(t.sRGB = 1);
    PITCH(t.maxAnisotropy = 8);
    PITCH(view = true);
    PITCH(view = true; v.format = cudaResViewFormatFloat1; v.width = v.height = 16);
    PITCH(r.flags = 1);
}

void case_texture_mipmapped(void)
{
    make_resources();
    MIPMAP((void)0);
    MIPMAP(t.normalizedCoords = 0);
    MIPMAP(t.normalizedCoords = 0; t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp);
    MIPMAP(t.filterMode = cudaFilterModeLinear);
    MIPMAP(t.mipmapFilterMode = cudaFilterModeLinear);
    MIPMAP(t.mipmapFilterMode = (enum cudaTextureFilterMode)2);
    MIPMAP(t.mipmapLevelBias = 2.5f);
    MIPMAP(t.mipmapLevelBias = -17.0f);
    MIPMAP(t.maxMipmapLevelClamp = 2.0f);
    MIPMAP(t.minMipmapLevelClamp = 2.0f; t.maxMipmapLevelClamp = 1.0f);
    MIPMAP(t.maxMipmapLevelClamp = 99.0f);
    MIPMAP(t.maxAnisotropy = 16);
    MIPMAP(t.maxAnisotropy = 17);
    MIPMAP(view = true);
    MIPMAP(view = true; v.format = cudaResViewFormatFloat1; v.width = v.height = SIDE;
           v.lastMipmapLevel = 2);
    MIPMAP(view = true; v.format = cudaResViewFormatFloat1; v.width = v.height = SIDE;
           v.lastMipmapLevel = 3);
    MIPMAP(view = true; v.format = cudaResViewFormatFloat1; v.width = v.height = SIDE;
           v.firstMipmapLevel = 1; v.lastMipmapLevel = 2);
    MIPMAP(view = true; v.format = cudaResViewFormatFloat1; v.width = v.height = SIDE / 2;
           v.firstMipmapLevel = 1; v.lastMipmapLevel = 2);
    MIPMAP(view = true; v.format = cudaResViewFormatFloat1; v.width = v.height = SIDE;
           v.firstMipmapLevel = 2; v.lastMipmapLevel = 1);
    MIPMAP(view = true; v.format = cudaResViewFormatFloat1; v.width = v.height = SIDE;
           v.firstMipmapLevel = 3; v.lastMipmapLevel = 3);
    cudaArray_t level = NULL;
    REQUIRE(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    ARRAY(r.res.array.array = level);
    ARRAY(r.res.array.array = level; t.normalizedCoords = 1);
}

void case_texture_views(void)
{
    make_resources();
    VIEW((void)0);
    VIEW(v.format = cudaResViewFormatNone);
    VIEW(v.format = cudaResViewFormatUnsignedInt1);
    VIEW(v.format = cudaResViewFormatSignedInt1);
    VIEW(v.format = cudaResViewFormatUnsignedChar4);
    VIEW(v.format = cudaResViewFormatHalf2);
    VIEW(v.format = cudaResViewFormatFloat4);
    VIEW(v.format = cudaResViewFormatFloat2);
    VIEW(v.format = cudaResViewFormatUnsignedChar1);
    VIEW(v.format = cudaResViewFormatUnsignedBlockCompressed1);
    VIEW(v.format = (enum cudaResourceViewFormat)99);
    VIEW(v.format = (enum cudaResourceViewFormat)(-1));
    VIEW(v.width = 0);
    VIEW(v.height = 0);
    VIEW(v.width = v.height = 0);
    VIEW(v.width = SIDE - 1);
    VIEW(v.width = SIDE + 1);
    VIEW(v.width = SIDE / 2);
    VIEW(v.width = SIDE * 4);
    VIEW(v.height = SIDE + 1);
    VIEW(v.depth = 1);
    VIEW(v.depth = 2);
    VIEW(v.firstMipmapLevel = 1);
    VIEW(v.lastMipmapLevel = 1);
    VIEW(v.firstMipmapLevel = 1; v.lastMipmapLevel = 1);
    VIEW(v.firstLayer = 1);
    VIEW(v.lastLayer = 1);
    VIEW(v.firstLayer = v.lastLayer = 1);
    VIEW(v.reserved[0] = 1);
    VIEW(r.res.array.array = bytes; v.format = cudaResViewFormatUnsignedChar4);
    VIEW(r.res.array.array = bytes; v.format = cudaResViewFormatFloat1);
    VIEW(r.res.array.array = bytes; v.format = cudaResViewFormatUnsignedInt1);
    VIEW(r.res.array.array = bytes; v.format = cudaResViewFormatSignedChar4;
         t.readMode = cudaReadModeNormalizedFloat);
    VIEW(r.res.array.array = words; v.format = cudaResViewFormatUnsignedInt1;
         t.filterMode = cudaFilterModeLinear);
    VIEW(r.res.array.array = words; v.format = cudaResViewFormatFloat1;
         t.filterMode = cudaFilterModeLinear);
    VIEW(r.res.array.array = words; v.format = cudaResViewFormatUnsignedChar4;
         t.filterMode = cudaFilterModeLinear; t.readMode = cudaReadModeNormalizedFloat);
    VIEW(r.res.array.array = line; v.height = 0);
    VIEW(r.res.array.array = line);
    VIEW(r.res.array.array = box; v.depth = 6);
    VIEW(r.res.array.array = box);
    VIEW(r.res.array.array = box; v.depth = 6; v.lastLayer = 5);
    VIEW(r.res.array.array = layered);
    VIEW(r.res.array.array = layered; v.depth = 6);
    VIEW(r.res.array.array = layered; v.lastLayer = 5);
    VIEW(r.res.array.array = layered; v.depth = 6; v.lastLayer = 5);
    VIEW(r.res.array.array = layered; v.lastLayer = 6);
    VIEW(r.res.array.array = layered; v.firstLayer = 2; v.lastLayer = 3);
    VIEW(r.res.array.array = layered; v.depth = 2; v.firstLayer = 2; v.lastLayer = 3);
    VIEW(r.res.array.array = layered; v.firstLayer = 3; v.lastLayer = 2);
    VIEW(r.res.array.array = cube; v.lastLayer = 5);
    VIEW(r.res.array.array = cube; v.depth = 6; v.lastLayer = 5);
    VIEW(r.res.array.array = cube; v.lastLayer = 4);
    VIEW(r.res.array.array = NULL; v.format = (enum cudaResourceViewFormat)99);
    VIEW(v.format = (enum cudaResourceViewFormat)99; t.filterMode = (enum cudaTextureFilterMode)9);
}

void case_texture_shapes(void)
{
    make_resources();
    ARRAY(r.res.array.array = line);
    ARRAY(r.res.array.array = line; t.normalizedCoords = 1; t.filterMode = cudaFilterModeLinear);
    ARRAY(r.res.array.array = box);
    ARRAY(r.res.array.array = box; t.normalizedCoords = 1; t.filterMode = cudaFilterModeLinear);
    ARRAY(r.res.array.array = layered);
    ARRAY(r.res.array.array = layered; t.normalizedCoords = 1);
    ARRAY(r.res.array.array = cube);
    ARRAY(r.res.array.array = cube; t.normalizedCoords = 1);
    ARRAY(r.res.array.array = cube; t.normalizedCoords = 1; t.seamlessCubemap = 1);
    ARRAY(r.res.array.array = words; t.filterMode = cudaFilterModeLinear);
    ARRAY(r.res.array.array = words; t.readMode = cudaReadModeNormalizedFloat);
    ARRAY(r.res.array.array = words; t.readMode = cudaReadModeNormalizedFloat;
          t.filterMode = cudaFilterModeLinear);
}

/* record: the descriptions that a texture object answers with. */
static void record(cudaTextureObject_t object, const char *label)
{
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc got;
    char text[200];
    memset(&resource, 0x55, sizeof resource);
    memset(&texture, 0x55, sizeof texture);
    memset(&got, 0x55, sizeof got);
    TRY_AS(cudaGetTextureObjectResourceDesc(&resource, object), "%s: resource", label);
    VALUE(resource.resType, "%s: resource type", label);
    VALUE(memcmp(&resource.res, &r.res, resource.resType < 2 ? 8 : 48) == 0,
          "%s: resource is the same", label);
    VALUE(resource.flags, "%s: resource flags", label);
    TRY_AS(cudaGetTextureObjectTextureDesc(&texture, object), "%s: texture", label);
    snprintf(text, sizeof text,
             "address %d %d %d filter %d read %d srgb %d border %g %g %g %g normalized %d aniso %u",
             (int)texture.addressMode[0], (int)texture.addressMode[1], (int)texture.addressMode[2],
             (int)texture.filterMode, (int)texture.readMode, texture.sRGB,
             (double)texture.borderColor[0], (double)texture.borderColor[1],
             (double)texture.borderColor[2], (double)texture.borderColor[3],
             texture.normalizedCoords, texture.maxAnisotropy);
    TEXT(text, "%s: sampling", label);
    snprintf(text, sizeof text, "filter %d bias %g min %g max %g trilinear %d seamless %d",
             (int)texture.mipmapFilterMode, (double)texture.mipmapLevelBias,
             (double)texture.minMipmapLevelClamp, (double)texture.maxMipmapLevelClamp,
             texture.disableTrilinearOptimization, texture.seamlessCubemap);
    TEXT(text, "%s: mipmap sampling", label);
    TRY_AS(cudaGetTextureObjectResourceViewDesc(&got, object), "%s: view", label);
    snprintf(text, sizeof text, "format %d %zu x %zu x %zu levels %u..%u layers %u..%u",
             (int)got.format, got.width, got.height, got.depth, got.firstMipmapLevel,
             got.lastMipmapLevel, got.firstLayer, got.lastLayer);
    TEXT(text, "%s: view", label);
}

static void make_and_record(const char *label)
{
    cudaTextureObject_t made = 0;
    TRY_AS(cudaCreateTextureObject(&made, &r, &t, view ? &v : NULL), "%s: create", label);
    if (made) {
        record(made, label);
    }
    TRY_AS(cudaDestroyTextureObject(made), "%s: destroy", label);
}

static void odd_texture(void)
{
    t.addressMode[0] = cudaAddressModeBorder;
    t.addressMode[1] = cudaAddressModeMirror;
    t.addressMode[2] = cudaAddressModeClamp;
    t.filterMode = cudaFilterModeLinear;
    t.normalizedCoords = 1;
    t.maxAnisotropy = 5;
    t.mipmapFilterMode = cudaFilterModeLinear;
    t.mipmapLevelBias = 0.5f;
    t.minMipmapLevelClamp = 0.25f;
    t.maxMipmapLevelClamp = 1.5f;
    t.disableTrilinearOptimization = 1;
    t.seamlessCubemap = 1;
    t.borderColor[0] = 0.5f;
    t.borderColor[1] = 2.0f;
    t.borderColor[3] = -1.0f;
}

void case_texture_descriptions(void)
{
    make_resources();
    array_start();
    make_and_record("array");
    odd_texture();
    make_and_record("array, odd");
    array_start();
    r.res.array.array = bytes;
    t.readMode = cudaReadModeNormalizedFloat;
    t.sRGB = 1;
    make_and_record("array, normalized");
    mipmap_start();
    make_and_record("mipmap");
    odd_texture();
    make_and_record("mipmap, odd");
    linear_start();
    make_and_record("linear");
    odd_texture();
    t.filterMode = cudaFilterModePoint;
    make_and_record("linear, odd");
    linear_start();
    r.res.linear.sizeInBytes = 4099;
    make_and_record("linear, odd size");
    pitch_start();
    make_and_record("pitched");
    odd_texture();
    make_and_record("pitched, odd");
    view_start();
    make_and_record("view");
    view_start();
    r.res.array.array = layered;
    v.depth = 6;
    v.firstLayer = 2;
    v.lastLayer = 3;
    make_and_record("view of layers");
    array_start();
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeMirror;
    make_and_record("mirror, not normalized");
    array_start();
    t.normalizedCoords = 5;
    t.sRGB = 7;
    t.seamlessCubemap = 3;
    t.disableTrilinearOptimization = 9;
    t.maxAnisotropy = 99;
    make_and_record("flags that are no 0 or 1");
}

void case_texture_handles(void)
{
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc got;
    cudaTextureObject_t made = 0;
    cudaTextureObject_t second = 0;
    make_resources();
    array_start();
    REQUIRE(cudaCreateTextureObject(&made, &r, &t, NULL));
    REQUIRE(cudaCreateTextureObject(&second, &r, &t, NULL));
    VALUE(made != second, "two objects differ");
    VALUE(made < ((unsigned long long)1 << 32), "the object fits 32 bits");
    TRY(cudaGetTextureObjectResourceDesc(NULL, made));
    TRY(cudaGetTextureObjectTextureDesc(NULL, made));
    TRY(cudaGetTextureObjectResourceViewDesc(NULL, made));
    TRY(cudaGetTextureObjectResourceDesc(NULL, 0));
    TRY(cudaGetTextureObjectResourceDesc(&resource, 0));
    TRY(cudaGetTextureObjectTextureDesc(&texture, 0));
    TRY(cudaGetTextureObjectResourceViewDesc(&got, 0));
    TRY(cudaGetTextureObjectResourceDesc(&resource, 12345));
    TRY(cudaGetTextureObjectTextureDesc(&texture, 12345));
    TRY(cudaGetTextureObjectResourceDesc(&resource, ULLONG_MAX));
    TRY(cudaDestroyTextureObject(0));
    TRY(cudaDestroyTextureObject(12345));
    TRY(cudaDestroyTextureObject(ULLONG_MAX));
    TRY(cudaDestroyTextureObject(made));
    TRY(cudaDestroyTextureObject(made));
    TRY(cudaGetTextureObjectResourceDesc(&resource, made));
    TRY(cudaDestroySurfaceObject(second));
    TRY(cudaGetTextureObjectResourceDesc(&resource, second));
    TRY(cudaDestroyTextureObject(second));
}

void case_texture_lifetime(void)
{
    struct cudaResourceDesc resource;
    cudaTextureObject_t made = 0;
    make_resources();
    array_start();
    REQUIRE(cudaCreateTextureObject(&made, &r, &t, NULL));
    TRY(cudaFreeArray(plain));
    TRY(cudaGetTextureObjectResourceDesc(&resource, made));
    VALUE(resource.res.array.array == plain, "array of a texture after the array's end");
    TRY(cudaDestroyTextureObject(made));
    linear_start();
    REQUIRE(cudaCreateTextureObject(&made, &r, &t, NULL));
    TRY(cudaFree(memory));
    TRY(cudaGetTextureObjectResourceDesc(&resource, made));
    TRY(cudaDestroyTextureObject(made));
    memory = device_block(BYTES);
    linear_start();
    REQUIRE(cudaCreateTextureObject(&made, &r, &t, NULL));
    TRY(cudaDeviceReset());
    TRY(cudaGetTextureObjectResourceDesc(&resource, made));
    TRY(cudaDestroyTextureObject(made));
}

void case_texture_max_width(void)
{
    size_t most = 0;
    TRY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &float_desc, 0));
    DEVICE_VALUE(most, "float");
    TRY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &byte_desc, 0));
    DEVICE_VALUE(most, "byte");
    TRY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &float4_desc, 0));
    DEVICE_VALUE(most, "float4");
    TRY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &float3_desc, 0));
    TRY(cudaDeviceGetTexture1DLinearMaxWidth(NULL, &float_desc, 0));
    TRY(cudaDeviceGetTexture1DLinearMaxWidth(&most, NULL, 0));
    TRY(cudaDeviceGetTexture1DLinearMaxWidth(&most, &float_desc, 99));
}
