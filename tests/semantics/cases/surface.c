/* Semantics of surface objects.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <string.h>

#include "../oracle.h"

static const struct cudaChannelFormatDesc float_desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};

enum { SIDE = 16 };

static cudaArray_t plain, flagged, layered, cube;
static cudaMipmappedArray_t mipmap, plain_mipmap;
static char *memory;

static void make_resources(void)
{
    struct cudaExtent flat = {SIDE, SIDE, 0};
    struct cudaExtent deep = {SIDE, SIDE, 6};
    unsigned surface = cudaArraySurfaceLoadStore;
    REQUIRE(cudaMallocArray(&plain, &float_desc, SIDE, SIDE, 0));
    REQUIRE(cudaMallocArray(&flagged, &float_desc, SIDE, SIDE, surface));
    REQUIRE(cudaMalloc3DArray(&layered, &float_desc, deep, cudaArrayLayered | surface));
    REQUIRE(cudaMalloc3DArray(&cube, &float_desc, deep, cudaArrayCubemap | surface));
    REQUIRE(cudaMallocMipmappedArray(&mipmap, &float_desc, flat, 3, surface));
    REQUIRE(cudaMallocMipmappedArray(&plain_mipmap, &float_desc, flat, 3, 0));
    memory = device_block(64 * KIB);
}

static struct cudaResourceDesc r;

static void start(void)
{
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = flagged;
}

#define SPOIL(...)                                                                                 \
    do {                                                                                           \
        cudaSurfaceObject_t object = 0;                                                            \
        start();                                                                                   \
        __VA_ARGS__;                                                                               \
        TRY_AS(cudaCreateSurfaceObject(&object, &r), "%s", #__VA_ARGS__);                          \
        if (object) {                                                                              \
            cudaDestroySurfaceObject(object);                                                      \
        }                                                                                          \
    } while (0)

void case_surface_create(void)
{
    cudaSurfaceObject_t made = 77;
    cudaArray_t level = NULL;
    make_resources();
    start();
    TRY(cudaCreateSurfaceObject(NULL, &r));
    TRY(cudaCreateSurfaceObject(&made, NULL));
    TRY(cudaCreateSurfaceObject(NULL, NULL));
    SPOIL((void)0);
    SPOIL(r.res.array.array = plain);
    SPOIL(r.res.array.array = NULL);
    SPOIL(r.res.array.array = layered);
    SPOIL(r.res.array.array = cube);
    SPOIL(r.res.array.array = (cudaArray_t)memory);
    SPOIL(r.flags = 1);
    SPOIL(r.resType = cudaResourceTypeMipmappedArray; r.res.mipmap.mipmap = mipmap);
    SPOIL(r.resType = cudaResourceTypeMipmappedArray; r.res.mipmap.mipmap = NULL);
    SPOIL(r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = memory;
          r.res.linear.desc = float_desc; r.res.linear.sizeInBytes = 4096);
    SPOIL(r.resType = cudaResourceTypePitch2D; r.res.pitch2D.devPtr = memory;
          r.res.pitch2D.desc = float_desc; r.res.pitch2D.width = r.res.pitch2D.height = 16;
          r.res.pitch2D.pitchInBytes = 512);
    SPOIL(r.resType = (enum cudaResourceType)4);
    SPOIL(r.resType = (enum cudaResourceType)(-1));
    REQUIRE(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    SPOIL(r.res.array.array = level);
    REQUIRE(cudaGetMipmappedArrayLevel(&level, plain_mipmap, 1));
    SPOIL(r.res.array.array = level; (void)"no surface flag");
    SPOIL(r.res.array.array = (cudaArray_t)(uintptr_t)16);
    start();
    r.res.array.array = plain;
    TRY_AS(cudaCreateSurfaceObject(&made, &r), "plain array");
    VALUE((long long)made, "object after an error");
}

void case_surface_handles(void)
{
    struct cudaResourceDesc resource;
    cudaSurfaceObject_t made = 0;
    cudaSurfaceObject_t second = 0;
    make_resources();
    start();
    REQUIRE(cudaCreateSurfaceObject(&made, &r));
    REQUIRE(cudaCreateSurfaceObject(&second, &r));
    VALUE(made != second, "two objects differ");
    memset(&resource, 0x55, sizeof resource);
    TRY(cudaGetSurfaceObjectResourceDesc(&resource, made));
    VALUE(resource.resType, "resource type");
    VALUE(resource.res.array.array == flagged, "resource is the array");
    VALUE(resource.flags, "resource flags");
    TRY(cudaGetSurfaceObjectResourceDesc(NULL, made));
    TRY(cudaGetSurfaceObjectResourceDesc(&resource, 0));
    TRY(cudaGetSurfaceObjectResourceDesc(NULL, 0));
    TRY(cudaGetSurfaceObjectResourceDesc(&resource, 12345));
    TRY(cudaGetTextureObjectResourceDesc(&resource, made));
    TRY(cudaDestroySurfaceObject(0));
    TRY(cudaDestroySurfaceObject(12345));
    TRY(cudaDestroySurfaceObject(ULLONG_MAX));
    TRY(cudaDestroyTextureObject(second));
    TRY(cudaDestroySurfaceObject(second));
    TRY(cudaDestroySurfaceObject(made));
    TRY(cudaDestroySurfaceObject(made));
    TRY(cudaGetSurfaceObjectResourceDesc(&resource, made));
}

void case_surface_lifetime(void)
{
    struct cudaResourceDesc resource;
    cudaSurfaceObject_t made = 0;
    make_resources();
    start();
    REQUIRE(cudaCreateSurfaceObject(&made, &r));
    TRY(cudaFreeArray(flagged));
    TRY(cudaGetSurfaceObjectResourceDesc(&resource, made));
    TRY(cudaDestroySurfaceObject(made));
}
