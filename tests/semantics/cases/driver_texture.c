/* Semantics of the driver API's texture and surface objects.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../oracle.h"

enum { SIDE = 16 };

static CUarray plain, bytes, words, surface;
static CUmipmappedArray mipmap;
static CUdeviceptr memory;

static CUDA_RESOURCE_DESC r;
static CUDA_TEXTURE_DESC t;
static CUDA_RESOURCE_VIEW_DESC v;
static bool view;

static CUarray make_array(CUarray_format format, unsigned channels, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = {SIDE, SIDE, 0, format, channels, flags};
    CUarray array = NULL;
    REQUIRE_DRIVER(cuArray3DCreate(&array, &desc));
    return array;
}

static void make_resources(void)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = {SIDE, SIDE, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    make_driver_context();
    plain = make_array(CU_AD_FORMAT_FLOAT, 1, 0);
    bytes = make_array(CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
    words = make_array(CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
    surface = make_array(CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
    REQUIRE_DRIVER(cuMipmappedArrayCreate(&mipmap, &desc, 3));
    REQUIRE_DRIVER(cuMemAlloc(&memory, 64 * KIB));
}

static void array_start(void)
{
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    memset(&v, 0, sizeof v);
    view = false;
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = plain;
}

static void mipmap_start(void)
{
    array_start();
    r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    r.res.mipmap.hMipmappedArray = mipmap;
    t.flags = CU_TRSF_NORMALIZED_COORDINATES;
}

static void linear_start(void)
{
    array_start();
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    r.res.linear.devPtr = memory;
    r.res.linear.format = CU_AD_FORMAT_FLOAT;
    r.res.linear.numChannels = 1;
    r.res.linear.sizeInBytes = 4096;
}

static void pitch_start(void)
{
    array_start();
    r.resType = CU_RESOURCE_TYPE_PITCH2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    r.res.pitch2D.numChannels = 1;
    r.res.pitch2D.width = r.res.pitch2D.height = 16;
    r.res.pitch2D.pitchInBytes = 512;
}

#define SPOIL(start, ...)                                                                          \
    do {                                                                                           \
        CUtexObject object = 0;                                                                    \
        start##_start();                                                                           \
        __VA_ARGS__;                                                                               \
        DRIVER_TRY_AS(cuTexObjectCreate(&object, &r, &t, view ? &v : NULL), "%s: %s", #start,      \
                      #__VA_ARGS__);                                                               \
        if (object) {                                                                              \
            cuTexObjectDestroy(object);                                                            \
        }                                                                                          \
    } while (0)
#define ARRAY(...)  SPOIL(array, __VA_ARGS__)
#define MIPMAP(...) SPOIL(mipmap, __VA_ARGS__)
#define LINEAR(...) SPOIL(linear, __VA_ARGS__)
#define PITCH(...)  SPOIL(pitch, __VA_ARGS__)

void case_driver_texture_create(void)
{
    CUtexObject made = 0;
    array_start();
    DRIVER(cuTexObjectCreate(&made, &r, &t, NULL));
    make_resources();
    array_start();
    DRIVER_TRY(cuTexObjectCreate(NULL, &r, &t, NULL));
    DRIVER_TRY(cuTexObjectCreate(&made, NULL, &t, NULL));
    DRIVER_TRY(cuTexObjectCreate(&made, &r, NULL, NULL));
    ARRAY((void)0);
    ARRAY(r.resType = (CUresourcetype)4);
    ARRAY(r.flags = 1);
    ARRAY(r.res.array.hArray = NULL);
    ARRAY(t.addressMode[0] = (CUaddress_mode)4);
    ARRAY(t.addressMode[2] = (CUaddress_mode)4);
    ARRAY(t.filterMode = (CUfilter_mode)2);
    ARRAY(t.mipmapFilterMode = (CUfilter_mode)2);
    ARRAY(t.flags = CU_TRSF_READ_AS_INTEGER);
    ARRAY(t.flags = CU_TRSF_SRGB);
    ARRAY(t.flags = 0x04);
    ARRAY(t.flags = 0x08);
    ARRAY(t.flags = 0x80);
    ARRAY(t.flags = 0x100);
    ARRAY(t.flags = UINT_MAX);
    ARRAY(t.maxAnisotropy = 17);
    ARRAY(t.reserved[0] = 1);
    ARRAY(r.res.array.hArray = bytes);
    ARRAY(r.res.array.hArray = bytes; t.filterMode = CU_TR_FILTER_MODE_LINEAR);
    ARRAY(r.res.array.hArray = bytes; t.flags = CU_TRSF_READ_AS_INTEGER);
    ARRAY(r.res.array.hArray = bytes; t.flags = CU_TRSF_READ_AS_INTEGER;
          t.filterMode = CU_TR_FILTER_MODE_LINEAR);
    ARRAY(r.res.array.hArray = words);
    ARRAY(r.res.array.hArray = words; t.filterMode = CU_TR_FILTER_MODE_LINEAR);
    ARRAY(r.res.array.hArray = words; t.flags = CU_TRSF_READ_AS_INTEGER);
    ARRAY(t.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP);
    ARRAY(t.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR);
    MIPMAP((void)0);
    MIPMAP(t.flags = 0);
    MIPMAP(r.res.mipmap.hMipmappedArray = NULL);
    LINEAR((void)0);
    LINEAR(r.res.linear.devPtr = 0);
    LINEAR(r.res.linear.devPtr = memory + 4);
    LINEAR(r.res.linear.numChannels = 3);
    LINEAR(r.res.linear.numChannels = 0);
    LINEAR(r.res.linear.format = (CUarray_format)0);
    LINEAR(r.res.linear.format = (CUarray_format)99);
    LINEAR(r.res.linear.sizeInBytes = 0);
    LINEAR(r.res.linear.sizeInBytes = 3);
    LINEAR(r.res.linear.sizeInBytes = 1 << 20);
    LINEAR(t.filterMode = CU_TR_FILTER_MODE_LINEAR);
    LINEAR(t.flags = CU_TRSF_NORMALIZED_COORDINATES);
    LINEAR(view = true);
    PITCH((void)0);
    PITCH(r.res.pitch2D.devPtr = 0);
    PITCH(r.res.pitch2D.devPtr = memory + 32);
    PITCH(r.res.pitch2D.pitchInBytes = 60);
    PITCH(r.res.pitch2D.pitchInBytes = 68);
    PITCH(r.res.pitch2D.pitchInBytes = 0);
    PITCH(r.res.pitch2D.width = 0);
    PITCH(r.res.pitch2D.height = 0);
    PITCH(r.res.pitch2D.numChannels = 3);
    PITCH(view = true);
    ARRAY(view = true);
    ARRAY(view = true; v.format = CU_RES_VIEW_FORMAT_FLOAT_1X32; v.width = v.height = SIDE);
    ARRAY(view = true; v.format = CU_RES_VIEW_FORMAT_UINT_1X32; v.width = v.height = SIDE);
    ARRAY(view = true; v.format = CU_RES_VIEW_FORMAT_FLOAT_2X32; v.width = v.height = SIDE);
    ARRAY(view = true; v.format = CU_RES_VIEW_FORMAT_FLOAT_1X32; v.width = SIDE);
}

void case_driver_texture_descriptions(void)
{
    CUtexObject made = 0;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC got;
    char text[200];
    make_resources();
    pitch_start();
    t.addressMode[0] = CU_TR_ADDRESS_MODE_BORDER;
    t.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
    t.filterMode = CU_TR_FILTER_MODE_LINEAR;
    t.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SEAMLESS_CUBEMAP;
    t.maxAnisotropy = 3;
    t.borderColor[1] = 0.5f;
    t.mipmapLevelBias = 1.5f;
    DRIVER_TRY(cuTexObjectCreate(&made, &r, &t, NULL));
    memset(&resource, 0x55, sizeof resource);
    memset(&texture, 0x55, sizeof texture);
    memset(&got, 0x55, sizeof got);
    DRIVER_TRY(cuTexObjectGetResourceDesc(&resource, made));
    VALUE(memcmp(&resource.res, &r.res, 40) == 0, "resource is the same");
    VALUE(resource.flags, "resource flags");
    DRIVER_TRY(cuTexObjectGetTextureDesc(&texture, made));
    snprintf(text, sizeof text, "address %d %d %d filter %d flags 0x%x aniso %u bias %g border %g",
             (int)texture.addressMode[0], (int)texture.addressMode[1], (int)texture.addressMode[2],
             (int)texture.filterMode, texture.flags, texture.maxAnisotropy,
             (double)texture.mipmapLevelBias, (double)texture.borderColor[1]);
    TEXT(text, "texture");
    VALUE(texture.reserved[0], "texture reserved");
    DRIVER_TRY(cuTexObjectGetResourceViewDesc(&got, made));
    VALUE(got.format, "view format");
    VALUE(got.width, "view width");
    DRIVER_TRY(cuTexObjectGetResourceDesc(NULL, made));
    DRIVER_TRY(cuTexObjectGetTextureDesc(NULL, made));
    DRIVER_TRY(cuTexObjectGetResourceViewDesc(NULL, made));
    DRIVER_TRY(cuTexObjectGetResourceDesc(&resource, 0));
    DRIVER_TRY(cuTexObjectGetTextureDesc(&texture, 12345));
    DRIVER_TRY(cuTexObjectDestroy(0));
    DRIVER_TRY(cuTexObjectDestroy(12345));
    DRIVER_TRY(cuTexObjectDestroy(made));
    DRIVER_TRY(cuTexObjectDestroy(made));
    DRIVER_TRY(cuTexObjectGetResourceDesc(&resource, made));
    array_start();
    DRIVER_TRY(cuTexObjectCreate(&made, &r, &t, NULL));
    memset(&texture, 0x55, sizeof texture);
    DRIVER_TRY(cuTexObjectGetTextureDesc(&texture, made));
    VALUE(texture.flags, "flags of a plain texture");
    VALUE(texture.maxAnisotropy, "anisotropy of a plain texture");
    DRIVER_TRY(cuTexObjectGetResourceViewDesc(&got, made));
    VALUE(got.format, "view format without a view");
    DRIVER_TRY(cuTexObjectDestroy(made));
}

/* Objects of one API seen by the other. */
void case_driver_texture_with_runtime(void)
{
    CUtexObject made = 0;
    CUDA_TEXTURE_DESC got;
    struct cudaTextureDesc texture;
    struct cudaResourceDesc resource;
    make_resources();
    array_start();
    r.res.array.hArray = bytes;
    DRIVER_TRY(cuTexObjectCreate(&made, &r, &t, NULL));
    memset(&texture, 0x55, sizeof texture);
    TRY(cudaGetTextureObjectTextureDesc(&texture, made));
    VALUE(texture.readMode, "read mode of a driver texture");
    TRY(cudaGetTextureObjectResourceDesc(&resource, made));
    VALUE(resource.res.array.array == (cudaArray_t)bytes, "array of a driver texture");
    TRY(cudaDestroyTextureObject(made));
    memset(&texture, 0, sizeof texture);
    memset(&resource, 0, sizeof resource);
    resource.res.array.array = (cudaArray_t)bytes;
    TRY(cudaCreateTextureObject(&made, &resource, &texture, NULL));
    DRIVER_TRY(cuTexObjectGetTextureDesc(&got, made));
    VALUE(got.flags, "flags of a runtime texture of element type");
    DRIVER_TRY(cuTexObjectDestroy(made));
    texture.readMode = cudaReadModeNormalizedFloat;
    TRY(cudaCreateTextureObject(&made, &resource, &texture, NULL));
    DRIVER_TRY(cuTexObjectGetTextureDesc(&got, made));
    VALUE(got.flags, "flags of a runtime texture of normalized floats");
    DRIVER_TRY(cuTexObjectDestroy(made));
    resource.res.array.array = (cudaArray_t)plain;
    texture.readMode = cudaReadModeElementType;
    TRY(cudaCreateTextureObject(&made, &resource, &texture, NULL));
    DRIVER_TRY(cuTexObjectGetTextureDesc(&got, made));
    VALUE(got.flags, "flags of a runtime texture of floats");
    DRIVER_TRY(cuTexObjectDestroy(made));
}

void case_driver_texture_surfaces(void)
{
    CUsurfObject made = 0;
    CUDA_RESOURCE_DESC resource;
    make_resources();
    array_start();
    r.res.array.hArray = surface;
    DRIVER_TRY(cuSurfObjectCreate(NULL, &r));
    DRIVER_TRY(cuSurfObjectCreate(&made, NULL));
    DRIVER_TRY(cuSurfObjectCreate(&made, &r));
    memset(&resource, 0x55, sizeof resource);
    DRIVER_TRY(cuSurfObjectGetResourceDesc(&resource, made));
    VALUE(resource.res.array.hArray == surface, "resource is the array");
    DRIVER_TRY(cuSurfObjectGetResourceDesc(NULL, made));
    DRIVER_TRY(cuSurfObjectGetResourceDesc(&resource, 0));
    DRIVER_TRY(cuSurfObjectDestroy(0));
    DRIVER_TRY(cuSurfObjectDestroy(12345));
    DRIVER_TRY(cuSurfObjectDestroy(made));
    DRIVER_TRY(cuSurfObjectDestroy(made));
    r.flags = 1;
    DRIVER_TRY_AS(cuSurfObjectCreate(&made, &r), "flags 1");
    r.flags = 0;
    r.res.array.hArray = plain;
    DRIVER_TRY_AS(cuSurfObjectCreate(&made, &r), "array without the flag");
    r.res.array.hArray = NULL;
    DRIVER_TRY_AS(cuSurfObjectCreate(&made, &r), "no array");
    mipmap_start();
    DRIVER_TRY_AS(cuSurfObjectCreate(&made, &r), "mipmapped array");
    linear_start();
    DRIVER_TRY_AS(cuSurfObjectCreate(&made, &r), "linear memory");
    pitch_start();
    DRIVER_TRY_AS(cuSurfObjectCreate(&made, &r), "pitched memory");
}
