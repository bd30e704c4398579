/* Semantics of cudaMemset, its 2D and 3D forms, and their asynchrony.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

void case_memset_places(void)
{
    size_t count = 0;
    cudaStream_t stream;
    const struct place *places = make_places(&count);
    REQUIRE(cudaStreamCreate(&stream));
    for (size_t i = 0; i < count; i++) {
        TRY_AS(cudaMemset(places[i].p, 3, PLACE_BYTES), "cudaMemset %s", places[i].name);
        TRY_AS(cudaMemset(places[i].p, 3, 0), "cudaMemset %s 0 bytes", places[i].name);
        TRY_AS(cudaMemsetAsync(places[i].p, 3, PLACE_BYTES, stream), "cudaMemsetAsync %s",
               places[i].name);
        TRY_AS(cudaMemset2D(places[i].p, 64, 3, 64, 64), "cudaMemset2D %s", places[i].name);
        struct cudaPitchedPtr p = {places[i].p, 64, 64, 8};
        struct cudaExtent extent = {64, 8, 8};
        TRY_AS(cudaMemset3D(p, 3, extent), "cudaMemset3D %s", places[i].name);
    }
}

void case_memset_linear(void)
{
    char *d = device_block(64 * KIB);
    unsigned char back[16];
    TRY(cudaMemset(d, 0x1234, 16));
    TRY(cudaMemcpy(back, d, 16, cudaMemcpyDeviceToHost));
    VALUE(back[0] * 1000 + back[15], "only the low byte of the value");
    TRY(cudaMemset(d, -1, 16));
    TRY(cudaMemcpy(back, d, 16, cudaMemcpyDeviceToHost));
    VALUE(back[7], "-1 is 255");
    TRY(cudaMemset(d + 3, 9, 5));
    TRY(cudaMemcpy(back, d, 16, cudaMemcpyDeviceToHost));
    VALUE((back[2] == 255) + (back[3] == 9) + (back[7] == 9) + (back[8] == 255),
          "bytes 3 to 7 alone");
    TRY(cudaMemset(NULL, 0, 0));
    TRY(cudaMemset(NULL, 0, 16));
    TRY(cudaMemset(d, 0, 64 * KIB + 1));
    TRY(cudaMemset(d, 0, 4 * MIB));
    TRY(cudaMemset(d, 0, HUGE_SIZE));
    TRY(cudaMemset(d, 0, SIZE_MAX));
    TRY(cudaMemset(NULL, 0, SIZE_MAX));
    TRY(cudaMemsetAsync(NULL, 0, 0, NULL));
    TRY(cudaMemsetAsync(d, 0, 16, cudaStreamPerThread));
    TRY(cudaMemsetAsync(d, 0, 16, cudaStreamLegacy));
    TRY(cudaMemsetAsync(d, 0, 16, (cudaStream_t)(uintptr_t)3));
    TRY(cudaMemsetAsync(NULL, 0, 16, (cudaStream_t)(uintptr_t)3));
    TRY(cudaMemsetAsync(d, 0, 0, (cudaStream_t)(uintptr_t)3));
}

void case_memset_2d(void)
{
    char *d = device_block(64 * KIB);
    unsigned char back[1024];
    TRY(cudaMemset2D(d, 100, 1, 60, 5));
    TRY(cudaMemcpy(back, d, 600, cudaMemcpyDeviceToHost));
    VALUE(back[59] + back[60] * 10 + back[99] * 100 + back[100] * 1000 + back[459] * 10000,
          "bytes 59, 60, 99, 100, 459");
    VALUE(back[460] + back[500], "bytes 460, 500");
    TRY(cudaMemset2D(d, 59, 1, 60, 5));
    TRY(cudaMemset2D(d, 59, 1, 60, 1));
    TRY(cudaMemset2D(d, 0, 1, 60, 5));
    TRY(cudaMemset2D(d, 0, 1, 60, 1));
    TRY(cudaMemset2D(d, 0, 1, 0, 5));
    TRY(cudaMemset2D(d, 0, 1, 60, 0));
    TRY(cudaMemset2D(d, 100, 1, 0, 5));
    TRY(cudaMemset2D(d, 100, 1, 60, 0));
    TRY(cudaMemset2D(NULL, 0, 1, 0, 0));
    TRY(cudaMemset2D(NULL, 100, 1, 60, 5));
    TRY(cudaMemset2D(NULL, 100, 1, 0, 5));
    TRY(cudaMemset2D(NULL, 59, 1, 60, 5));
    TRY(cudaMemset2D(d, 100, 1, 60, 10000));
    TRY(cudaMemset2D(d, 1024, 1, 1024, 64));
    TRY(cudaMemset2D(d, 1024, 1, 1024, 65));
    TRY(cudaMemset2D(d + 1023, 1024, 1, 1, 64));
    TRY(cudaMemset2D(d, (size_t)1 << 31, 1, 60, 1));
    TRY(cudaMemset2D(d, (size_t)1 << 31, 1, 60, 2));
    TRY(cudaMemset2D(d, SIZE_MAX, 1, 60, 1));
    TRY(cudaMemset2D(d, SIZE_MAX, 1, SIZE_MAX, 2));
    TRY(cudaMemset2D(d, 100, 1, 60, SIZE_MAX));
    TRY(cudaMemset2DAsync(d, 59, 1, 60, 5, NULL));
    TRY(cudaMemset2DAsync(d, 100, 1, 60, 5, cudaStreamPerThread));
}

static void set_3d(const char *name, void *p, size_t pitch, size_t xsize, size_t ysize,
                   struct cudaExtent extent)
{
    struct cudaPitchedPtr pitched = {p, pitch, xsize, ysize};
    TRY_AS(cudaMemset3D(pitched, 1, extent), "%s", name);
}

void case_memset_3d(void)
{
    char *d = device_block(64 * KIB);
    unsigned char back[2048];
    struct cudaExtent e = {30, 4, 3};
    set_3d("30 x 4 x 3 in 50 x 6", d, 50, 50, 6, e);
    TRY(cudaMemcpy(back, d, 2048, cudaMemcpyDeviceToHost));
    VALUE(back[29] + back[30] * 10 + back[50] * 100 + back[179] * 1000 + back[200] * 10000,
          "bytes 29, 30, 50, 179, 200");
    VALUE(back[300] + back[629] * 10 + back[779] * 100 + back[800] * 1000,
          "bytes 300, 629, 779, 800");
    set_3d("pitch < width", d, 29, 50, 6, e);
    set_3d("pitch 0", d, 0, 50, 6, e);
    set_3d("xsize < width", d, 50, 29, 6, e);
    set_3d("xsize 0", d, 50, 0, 6, e);
    set_3d("ysize < height", d, 50, 50, 3, e);
    set_3d("ysize 0", d, 50, 50, 0, e);
    set_3d("NULL", NULL, 50, 50, 6, e);
    set_3d("NULL, pitch < width", NULL, 29, 50, 6, e);
    set_3d("width 0", d, 50, 50, 6, (struct cudaExtent){0, 4, 3});
    set_3d("height 0", d, 50, 50, 6, (struct cudaExtent){30, 0, 3});
    set_3d("depth 0", d, 50, 50, 6, (struct cudaExtent){30, 4, 0});
    set_3d("depth 0, NULL, pitch 0", NULL, 0, 0, 0, (struct cudaExtent){30, 4, 0});
    set_3d("NULL, all 0", NULL, 0, 0, 0, (struct cudaExtent){0, 0, 0});
    set_3d("past the end", d, 1024, 1024, 32, (struct cudaExtent){1024, 32, 3});
    set_3d("far past the end", d, 1024, 1024, 32, (struct cudaExtent){1024, 32, 1000000});
    set_3d("depth SIZE_MAX", d, 50, 50, 6, (struct cudaExtent){30, 4, SIZE_MAX});
    set_3d("pitch SIZE_MAX", d, SIZE_MAX, 50, 6, e);
}

static void after_spin(const char *name, void *p, size_t bytes, bool blocking)
{
    cudaStream_t stream = NULL;
    if (!blocking) {
        REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    REQUIRE(spin_start(stream, SPIN_MS));
    if (blocking) {
        CALL_AS(cudaMemset(p, 1, bytes), "%s: set", name);
    } else {
        CALL_AS(cudaMemsetAsync(p, 1, bytes, stream), "%s: set", name);
    }
    VALUE(spin_is_over(), "%s: the call waited", name);
    CALL_AS(cudaStreamQuery(stream), "%s: query", name);
    REQUIRE(cudaDeviceSynchronize());
}

void case_memset_returns(void)
{
    char *device = device_block(8 * MIB);
    char *pinned = pinned_block(8 * MIB);
    char *registered = aligned_alloc(4096, 64 * KIB);
    memset(registered, 0, 64 * KIB);
    REQUIRE(cudaHostRegister(registered, 64 * KIB, 0));
    spin_prepare();
    after_spin("cudaMemset device", device, 4096, true);
    after_spin("cudaMemset device 8 MiB", device, 8 * MIB, true);
    after_spin("cudaMemset pinned", pinned, 4096, true);
    VALUE(pinned[0], "pinned value");
    after_spin("cudaMemset registered", registered, 4096, true);
    after_spin("cudaMemset 0 bytes", device, 0, true);
    after_spin("cudaMemsetAsync device", device, 4096, false);
    after_spin("cudaMemsetAsync pinned", pinned + 4096, 4096, false);
    after_spin("cudaMemsetAsync registered", registered + 4096, 4096, false);
}
