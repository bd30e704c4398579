/* Semantics of driver copies.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

void case_driver_copy_pairs(void)
{
    size_t count = 0;
    const struct place *places = make_places(&count);
    for (size_t i = 0; i < count; i++) {
        char *other = places[4].p + 8192;
        CUdeviceptr d = address_of(other);
        CUdeviceptr p = address_of(places[i].p);
        char host[PLACE_BYTES];
        memset(host, 0, sizeof host);
        DRIVER_TRY_AS(cuMemcpy(d, p, PLACE_BYTES), "cuMemcpy from %s", places[i].name);
        DRIVER_TRY_AS(cuMemcpy(p, d, PLACE_BYTES), "cuMemcpy to %s", places[i].name);
        DRIVER_TRY_AS(cuMemcpyDtoD(d, p, PLACE_BYTES), "cuMemcpyDtoD from %s", places[i].name);
        DRIVER_TRY_AS(cuMemcpyDtoD(p, d, PLACE_BYTES), "cuMemcpyDtoD to %s", places[i].name);
        DRIVER_TRY_AS(cuMemcpyHtoD(d, places[i].p, PLACE_BYTES), "cuMemcpyHtoD from %s",
                      places[i].name);
        DRIVER_TRY_AS(cuMemcpyHtoD(p, host, PLACE_BYTES), "cuMemcpyHtoD to %s", places[i].name);
        DRIVER_TRY_AS(cuMemcpyDtoH(host, p, PLACE_BYTES), "cuMemcpyDtoH from %s", places[i].name);
        DRIVER_TRY_AS(cuMemcpyDtoH(places[i].p, d, PLACE_BYTES), "cuMemcpyDtoH to %s",
                      places[i].name);
        DRIVER_TRY_AS(cuMemcpy(p, d, 0), "cuMemcpy 0 bytes to %s", places[i].name);
        DRIVER_TRY_AS(cuMemcpyHtoD(p, NULL, 0), "cuMemcpyHtoD 0 bytes to %s", places[i].name);
        DRIVER_TRY_AS(cuMemcpyDtoH(NULL, p, 0), "cuMemcpyDtoH 0 bytes from %s", places[i].name);
    }
}

void case_driver_copy_arguments(void)
{
    CUdeviceptr a = 0;
    char host[64] = {0};
    CUstream bogus = (CUstream)(uintptr_t)3;
    make_driver_context();
    REQUIRE_DRIVER(cuMemAlloc(&a, 4096));
    DRIVER_TRY(cuMemcpyHtoD(0, NULL, 64));
    DRIVER_TRY(cuMemcpyHtoD(a, NULL, 64));
    DRIVER_TRY(cuMemcpyHtoD(0, host, 64));
    DRIVER_TRY(cuMemcpyHtoD(0, NULL, 0));
    DRIVER_TRY(cuMemcpyDtoH(NULL, a, 64));
    DRIVER_TRY(cuMemcpyDtoD(a, 0, 64));
    DRIVER_TRY(cuMemcpyDtoD(0, 0, 0));
    DRIVER_TRY(cuMemcpyDtoD(a, a + 16, HUGE_SIZE));
    DRIVER_TRY(cuMemcpyHtoDAsync(a, host, 64, NULL));
    DRIVER_TRY(cuMemcpyHtoDAsync(a, host, 64, CU_STREAM_PER_THREAD));
    DRIVER_TRY(cuMemcpyHtoDAsync(a, host, 64, bogus));
    DRIVER_TRY(cuMemcpyHtoDAsync(0, NULL, 64, bogus));
    DRIVER_TRY(cuMemcpyHtoDAsync(a, host, 0, bogus));
    DRIVER_TRY(cuMemcpyAsync(a, a + 64, 64, NULL));
    DRIVER_TRY(cuMemcpyDtoDAsync(a, a + 64, 64, NULL));
    CUcontext c = NULL;
    REQUIRE_DRIVER(cuCtxGetCurrent(&c));
    DRIVER_TRY(cuMemcpyPeer(a, c, a + 64, c, 64));
    DRIVER_TRY(cuMemcpyPeer(a, NULL, a + 64, c, 64));
    DRIVER_TRY(cuMemcpyPeer(a, NULL, a + 64, NULL, 0));
}

static CUdeviceptr d;
static char *h;

static CUDA_MEMCPY2D good_2d(void)
{
    CUDA_MEMCPY2D p = {0};
    p.srcMemoryType = CU_MEMORYTYPE_HOST;
    p.srcHost = h;
    p.srcPitch = 64;
    p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    p.dstDevice = d;
    p.dstPitch = 64;
    p.WidthInBytes = 32;
    p.Height = 4;
    return p;
}

#define SPOIL_2D(...)                                                                              \
    do {                                                                                           \
        CUDA_MEMCPY2D p = good_2d();                                                               \
        __VA_ARGS__;                                                                               \
        DRIVER_TRY_AS(cuMemcpy2D(&p), "%s", #__VA_ARGS__);                                         \
    } while (0)

static void make_blocks(void)
{
    make_driver_context();
    REQUIRE_DRIVER(cuMemAlloc(&d, 64 * KIB));
    h = calloc(1, 64 * KIB);
    require(h != NULL, "calloc");
}

void case_driver_copy_2d(void)
{
    make_blocks();
    DRIVER(cuMemcpy2D(NULL));
    DRIVER(cuMemcpy2DUnaligned(NULL));
    DRIVER(cuMemcpy2DAsync(NULL, NULL));
    SPOIL_2D((void)0);
    SPOIL_2D(p.srcMemoryType = (CUmemorytype)0);
    SPOIL_2D(p.srcMemoryType = (CUmemorytype)5);
    SPOIL_2D(p.dstMemoryType = (CUmemorytype)99);
    SPOIL_2D(p.srcMemoryType = CU_MEMORYTYPE_UNIFIED; p.srcDevice = address_of(h));
    SPOIL_2D(p.srcMemoryType = CU_MEMORYTYPE_DEVICE; p.srcDevice = address_of(h));
    SPOIL_2D(p.srcMemoryType = CU_MEMORYTYPE_DEVICE; p.srcDevice = d + 4096);
    SPOIL_2D(p.srcMemoryType = CU_MEMORYTYPE_ARRAY);
    SPOIL_2D(p.dstMemoryType = CU_MEMORYTYPE_UNIFIED);
    SPOIL_2D(p.dstMemoryType = CU_MEMORYTYPE_HOST; p.dstHost = h + 8192);
    SPOIL_2D(p.srcHost = NULL);
    SPOIL_2D(p.dstDevice = 0);
    SPOIL_2D(p.srcHost = NULL; p.dstDevice = 0; p.WidthInBytes = 0);
    SPOIL_2D(p.Height = 0);
    SPOIL_2D(p.WidthInBytes = 0);
    SPOIL_2D(p.srcPitch = 0);
    SPOIL_2D(p.srcPitch = 31);
    SPOIL_2D(p.dstPitch = 31);
    SPOIL_2D(p.dstPitch = 0; p.Height = 1);
    SPOIL_2D(p.srcXInBytes = 33);
    SPOIL_2D(p.srcXInBytes = 32);
    SPOIL_2D(p.dstXInBytes = 33);
    SPOIL_2D(p.srcPitch = 31; p.dstMemoryType = (CUmemorytype)99);
    SPOIL_2D(p.Height = 0; p.dstMemoryType = (CUmemorytype)99);
    SPOIL_2D(p.dstPitch = (size_t)1 << 31);
    SPOIL_2D(p.dstPitch = SIZE_MAX);
    SPOIL_2D(p.Height = 100000);
    SPOIL_2D(p.dstY = 100000);
}

static CUDA_MEMCPY3D good_3d(void)
{
    CUDA_MEMCPY3D p = {0};
    p.srcMemoryType = CU_MEMORYTYPE_HOST;
    p.srcHost = h;
    p.srcPitch = 64;
    p.srcHeight = 8;
    p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    p.dstDevice = d;
    p.dstPitch = 64;
    p.dstHeight = 8;
    p.WidthInBytes = 32;
    p.Height = 4;
    p.Depth = 3;
    return p;
}

#define SPOIL_3D(...)                                                                              \
    do {                                                                                           \
        CUDA_MEMCPY3D p = good_3d();                                                               \
        __VA_ARGS__;                                                                               \
        DRIVER_TRY_AS(cuMemcpy3D(&p), "%s", #__VA_ARGS__);                                         \
    } while (0)

void case_driver_copy_3d(void)
{
    make_blocks();
    DRIVER(cuMemcpy3D(NULL));
    DRIVER(cuMemcpy3DAsync(NULL, NULL));
    DRIVER(cuMemcpy3DPeer(NULL));
    SPOIL_3D((void)0);
    SPOIL_3D(p.srcMemoryType = (CUmemorytype)0);
    SPOIL_3D(p.dstMemoryType = (CUmemorytype)99);
    SPOIL_3D(p.srcHost = NULL);
    SPOIL_3D(p.dstDevice = 0);
    SPOIL_3D(p.Depth = 0);
    SPOIL_3D(p.Depth = 0; p.srcHost = NULL; p.dstDevice = 0);
    SPOIL_3D(p.srcPitch = 31);
    SPOIL_3D(p.srcPitch = 0);
    SPOIL_3D(p.srcHeight = 3);
    SPOIL_3D(p.srcHeight = 0);
    SPOIL_3D(p.dstHeight = 0; p.dstPitch = 0);
    SPOIL_3D(p.srcHeight = 0; p.Depth = 1);
    SPOIL_3D(p.srcLOD = 1);
    SPOIL_3D(p.dstLOD = 1);
    SPOIL_3D(p.reserved0 = h);
    SPOIL_3D(p.reserved1 = h);
    SPOIL_3D(p.srcY = 5);
    SPOIL_3D(p.srcXInBytes = 33);
    SPOIL_3D(p.dstZ = 1000);
    SPOIL_3D(p.Depth = 1000);
    SPOIL_3D(p.srcMemoryType = CU_MEMORYTYPE_UNIFIED; p.srcDevice = address_of(h));
}
