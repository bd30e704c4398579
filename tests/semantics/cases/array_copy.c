/* Semantics of copies to, from and between arrays.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

static const enum cudaMemcpyKind H2D = cudaMemcpyHostToDevice;
static const enum cudaMemcpyKind D2H = cudaMemcpyDeviceToHost;
static const enum cudaMemcpyKind D2D = cudaMemcpyDeviceToDevice;
static const enum cudaMemcpyKind H2H = cudaMemcpyHostToHost;
static const enum cudaMemcpyKind ANY = cudaMemcpyDefault;
static const enum cudaMemcpyKind BAD = (enum cudaMemcpyKind)9;
static const struct cudaChannelFormatDesc int_desc = {32, 0, 0, 0, cudaChannelFormatKindSigned};
static const struct cudaChannelFormatDesc short_desc = {16, 0, 0, 0, cudaChannelFormatKindSigned};

enum { W = 16, H = 8, D = 3, ROW = W * 4, BYTES = ROW * H, ALL = BYTES * D };

/* Arrays of W x H (x D) ints: a and b alike, s of shorts, line of one dimension. */
static cudaArray_t a, b, s, line, cube, layers;
static unsigned char *h, *d;

static void make_arrays(void)
{
    struct cudaExtent box = {W, H, D};
    REQUIRE(cudaMallocArray(&a, &int_desc, W, H, 0));
    REQUIRE(cudaMallocArray(&b, &int_desc, W, H, 0));
    REQUIRE(cudaMallocArray(&s, &short_desc, W, H, 0));
    REQUIRE(cudaMallocArray(&line, &int_desc, W, 0, 0));
    REQUIRE(cudaMalloc3DArray(&cube, &int_desc, box, 0));
    REQUIRE(cudaMalloc3DArray(&layers, &int_desc, box, cudaArrayLayered));
    d = device_block(64 * KIB);
    h = calloc(1, 64 * KIB);
    require(h != NULL, "calloc");
}

static void fill_steps(unsigned char *p, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++) {
        p[i] = (unsigned char)(i * 7 + i / 251 + seed);
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

/* fill, sum: all texels of a two-dimensional array, by the plain copy that must work. */
static void fill(cudaArray_t array, unsigned seed)
{
    unsigned char texels[BYTES];
    fill_steps(texels, sizeof texels, seed);
    REQUIRE(cudaMemcpy2DToArray(array, 0, 0, texels, ROW, ROW, H, H2D));
}

static long long sum(cudaArray_t array)
{
    unsigned char texels[BYTES];
    REQUIRE(cudaMemcpy2DFromArray(texels, ROW, array, 0, 0, ROW, H, D2H));
    return checksum(texels, sizeof texels);
}

void case_array_copy_to(void)
{
    make_arrays();
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, ROW, H, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, ROW, H + 1, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 1, h, ROW, ROW, H, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, H, h, ROW, ROW, 0, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, H + 1, h, ROW, ROW, 0, H2D));
    TRY(cudaMemcpy2DToArray(a, 4, 0, h, ROW, ROW, H, H2D));
    TRY(cudaMemcpy2DToArray(a, ROW, 0, h, ROW, 0, H, H2D));
    TRY(cudaMemcpy2DToArray(a, ROW + 4, 0, h, ROW, 0, H, H2D));
    TRY(cudaMemcpy2DToArray(a, SIZE_MAX, 0, h, ROW, 4, 1, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, SIZE_MAX, h, ROW, 4, 1, H2D));
    TRY(cudaMemcpy2DToArray(a, 4, 1, h, ROW, 8, 2, H2D));
    TRY(cudaMemcpy2DToArray(a, 1, 0, h, ROW, 4, 1, H2D));
    TRY(cudaMemcpy2DToArray(a, 2, 0, h, ROW, 2, 1, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, 3, 1, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, 6, 2, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, 7, 8, 2, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, 7, 8, 1, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, 7, 8, 0, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, 9, 8, 2, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, 0, 8, 1, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, NULL, ROW, ROW, H, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, NULL, ROW, 0, H, H2D));
    TRY(cudaMemcpy2DToArray(NULL, 0, 0, h, ROW, ROW, H, H2D));
    TRY(cudaMemcpy2DToArray(NULL, 0, 0, h, ROW, 0, 0, H2D));
    TRY(cudaMemcpy2DToArray(NULL, 0, 0, h, 7, 8, 1, BAD));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, 7, 8, 1, BAD));
    TRY(cudaMemcpy2DToArray(a, 0, 0, NULL, 7, 8, 1, BAD));
    TRY(cudaMemcpy2DToArray(a, 0, 0, NULL, 7, 8, 1, H2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, ROW, 0, BAD));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, ROW, H, BAD));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, ROW, H, D2H));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, ROW, H, H2H));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, ROW, H, D2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, h, ROW, ROW, H, ANY));
    TRY(cudaMemcpy2DToArray(a, 0, 0, d, ROW, ROW, H, D2D));
    TRY(cudaMemcpy2DToArray(a, 0, 0, d, ROW, ROW, H, ANY));
    TRY(cudaMemcpy2DToArray(a, 0, 0, d, ROW, ROW, H, H2D));
    TRY(cudaMemcpy2DToArray(line, 0, 0, h, ROW, ROW, 1, H2D));
    TRY(cudaMemcpy2DToArray(line, 0, 0, h, ROW, ROW, 2, H2D));
    TRY(cudaMemcpy2DToArray(line, 0, 1, h, ROW, ROW, 1, H2D));
    TRY(cudaMemcpy2DToArray(cube, 0, 0, h, ROW, ROW, H, H2D));
    TRY(cudaMemcpy2DToArray(cube, 0, 0, h, ROW, ROW, H + 1, H2D));
    TRY(cudaMemcpy2DToArray(layers, 0, 0, h, ROW, ROW, H, H2D));
    TRY(cudaMemcpy2DToArrayAsync(a, 0, 0, h, ROW, ROW, H, H2D, NULL));
    TRY(cudaMemcpy2DToArrayAsync(a, 0, 0, h, ROW, ROW, H, H2D, cudaStreamPerThread));
    TRY(cudaMemcpy2DToArrayAsync(a, 0, 0, h, 7, 8, 2, H2D, NULL));
    TRY(cudaMemcpy2DToArrayAsync(a, 0, 0, h, ROW, ROW, H, H2H, NULL));
    TRY(cudaMemcpy2DToArrayAsync(NULL, 0, 0, h, ROW, ROW, H, H2D, NULL));
}

void case_array_copy_from(void)
{
    make_arrays();
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, 0, ROW, H, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, 0, ROW, H + 1, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, 1, ROW, H, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 4, 0, ROW, H, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 2, 0, 4, H, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, 0, 3, H, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, H + 1, ROW, 0, D2H));
    TRY(cudaMemcpy2DFromArray(h, 7, a, 0, 0, 8, 2, D2H));
    TRY(cudaMemcpy2DFromArray(h, 7, a, 0, 0, 8, 1, D2H));
    TRY(cudaMemcpy2DFromArray(h, 7, a, 0, 0, 8, 0, D2H));
    TRY(cudaMemcpy2DFromArray(NULL, ROW, a, 0, 0, ROW, H, D2H));
    TRY(cudaMemcpy2DFromArray(NULL, ROW, a, 0, 0, 0, H, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, NULL, 0, 0, ROW, H, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, NULL, 0, 0, 0, 0, D2H));
    TRY(cudaMemcpy2DFromArray(NULL, 7, NULL, 0, 0, 8, 2, BAD));
    TRY(cudaMemcpy2DFromArray(h, 7, a, 0, 0, 8, 2, BAD));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, 0, ROW, H, BAD));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, 0, ROW, H, H2D));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, 0, ROW, H, H2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, 0, ROW, H, D2D));
    TRY(cudaMemcpy2DFromArray(h, ROW, a, 0, 0, ROW, H, ANY));
    TRY(cudaMemcpy2DFromArray(d, ROW, a, 0, 0, ROW, H, D2D));
    TRY(cudaMemcpy2DFromArray(d, ROW, a, 0, 0, ROW, H, ANY));
    TRY(cudaMemcpy2DFromArray(d, ROW, a, 0, 0, ROW, H, D2H));
    TRY(cudaMemcpy2DFromArrayAsync(h, ROW, a, 0, 0, ROW, H, D2H, NULL));
    TRY(cudaMemcpy2DFromArrayAsync(h, 7, a, 0, 0, 8, 2, D2H, NULL));
    TRY(cudaMemcpy2DFromArrayAsync(h, ROW, NULL, 0, 0, ROW, H, D2H, NULL));
    REQUIRE(cudaFreeArray(b));
    TRY(cudaMemcpy2DFromArray(h, ROW, b, 0, 0, ROW, H, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, (cudaArray_t)(uintptr_t)16, 0, 0, ROW, H, D2H));
    TRY(cudaMemcpy2DFromArray(h, ROW, (cudaArray_t)d, 0, 0, ROW, H, D2H));
}

void case_array_copy_between(void)
{
    make_arrays();
    fill(a, 1);
    fill(b, 2);
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, ROW, H, D2D));
    VALUE(sum(b), "whole");
    TRY(cudaMemcpy2DArrayToArray(b, 8, 1, a, 4, 2, 20, 3, D2D));
    VALUE(sum(b), "part");
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, ROW, H, ANY));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, ROW, H, H2D));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, ROW, H, D2H));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, ROW, H, H2H));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, ROW, H, BAD));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 0, H, BAD));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, ROW, H + 1, D2D));
    TRY(cudaMemcpy2DArrayToArray(b, 4, 0, a, 0, 0, ROW, H, D2D));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 4, 0, ROW, H, D2D));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 1, a, 0, 0, ROW, H, D2D));
    TRY(cudaMemcpy2DArrayToArray(b, 2, 0, a, 0, 0, 4, 1, D2D));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 3, 1, D2D));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 0, 0, D2D));
    TRY(cudaMemcpy2DArrayToArray(NULL, 0, 0, a, 0, 0, ROW, H, D2D));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, NULL, 0, 0, ROW, H, D2D));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, NULL, 0, 0, 0, 0, D2D));
    TRY(cudaMemcpy2DArrayToArray(s, 0, 0, a, 0, 0, 16, 2, D2D));
    TRY(cudaMemcpy2DArrayToArray(a, 0, 0, s, 0, 0, 16, 2, D2D));
    TRY(cudaMemcpy2DArrayToArray(line, 0, 0, a, 0, 0, ROW, 1, D2D));
    TRY(cudaMemcpy2DArrayToArray(line, 0, 0, a, 0, 3, ROW, 1, D2D));
    TRY(cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 0, ROW, H, D2D));
    TRY(cudaMemcpy2DArrayToArray(a, 0, 4, a, 0, 0, ROW, 4, D2D));
    VALUE(sum(a), "inside one array");
    TRY(cudaMemcpy2DArrayToArray(a, 0, 1, a, 0, 0, ROW, 4, D2D));
}

void case_array_copy_linear(void)
{
    make_arrays();
    fill_steps(h, ALL, 9);
    TRY(cudaMemcpyToArray(a, 0, 0, h, BYTES, H2D));
    VALUE(sum(a), "whole");
    TRY(cudaMemcpyToArray(a, 12, 1, h, 100, H2D));
    VALUE(sum(a), "across rows");
    TRY(cudaMemcpyToArray(a, 8, 2, h, 4, H2D));
    VALUE(sum(a), "inside a row");
    TRY(cudaMemcpyToArray(a, 0, 0, h, BYTES + 4, H2D));
    TRY(cudaMemcpyToArray(a, 4, 0, h, BYTES, H2D));
    TRY(cudaMemcpyToArray(a, 0, H - 1, h, ROW + 4, H2D));
    TRY(cudaMemcpyToArray(a, 2, 0, h, 4, H2D));
    TRY(cudaMemcpyToArray(a, 0, 0, h, 3, H2D));
    TRY(cudaMemcpyToArray(a, ROW, 0, h, 4, H2D));
    TRY(cudaMemcpyToArray(a, ROW + 4, 0, h, 0, H2D));
    TRY(cudaMemcpyToArray(a, 0, H, h, 4, H2D));
    TRY(cudaMemcpyToArray(a, 0, 0, h, 0, H2D));
    TRY(cudaMemcpyToArray(a, 0, 0, h, 0, BAD));
    TRY(cudaMemcpyToArray(a, 0, 0, h, BYTES, BAD));
    TRY(cudaMemcpyToArray(a, 0, 0, h, BYTES, D2H));
    TRY(cudaMemcpyToArray(a, 0, 0, d, BYTES, D2D));
    TRY(cudaMemcpyToArray(a, 0, 0, NULL, BYTES, H2D));
    TRY(cudaMemcpyToArray(NULL, 0, 0, h, BYTES, H2D));
    TRY(cudaMemcpyToArray(NULL, 0, 0, h, 0, H2D));
    TRY(cudaMemcpyToArray(line, 0, 0, h, ROW, H2D));
    TRY(cudaMemcpyToArray(line, 0, 0, h, ROW + 4, H2D));
    TRY(cudaMemcpyToArray(cube, 0, 0, h, BYTES, H2D));
    TRY(cudaMemcpyToArray(cube, 0, 0, h, BYTES + 4, H2D));
    TRY(cudaMemcpyToArrayAsync(a, 0, 0, h, BYTES, H2D, NULL));
    memset(h, 0xcc, ALL);
    TRY(cudaMemcpyFromArray(h, a, 12, 1, 100, D2H));
    VALUE(checksum(h, 200), "from, across rows");
    TRY(cudaMemcpyFromArray(h, a, 0, 0, BYTES + 4, D2H));
    TRY(cudaMemcpyFromArray(h, a, 0, 0, 0, D2H));
    TRY(cudaMemcpyFromArray(NULL, a, 0, 0, 4, D2H));
    TRY(cudaMemcpyFromArray(h, NULL, 0, 0, 4, D2H));
    TRY(cudaMemcpyFromArray(h, a, 0, 0, 4, H2D));
    TRY(cudaMemcpyFromArray(h, a, 2, 0, 4, D2H));
    TRY(cudaMemcpyFromArrayAsync(h, a, 0, 0, BYTES, D2H, NULL));
    fill(b, 3);
    TRY(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, BYTES, D2D));
    VALUE(sum(b), "array to array");
    fill(b, 3);
    TRY(cudaMemcpyArrayToArray(b, 8, 1, a, 12, 2, 100, D2D));
    VALUE(sum(b), "array to array, across rows");
    TRY(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, BYTES + 4, D2D));
    TRY(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 0, D2D));
    TRY(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, BYTES, H2D));
    TRY(cudaMemcpyArrayToArray(NULL, 0, 0, a, 0, 0, BYTES, D2D));
    TRY(cudaMemcpyArrayToArray(b, 0, 0, NULL, 0, 0, BYTES, D2D));
    TRY(cudaMemcpyArrayToArray(s, 0, 0, a, 0, 0, 64, D2D));
}

void case_array_copy_values(void)
{
    unsigned char back[4096];
    make_arrays();
    fill_steps(h, ALL, 5);
    fill(a, 1);
    TRY(cudaMemcpy2DToArray(a, 8, 1, h + 3, 37, 36, 5, H2D));
    VALUE(sum(a), "to an array");
    memset(back, 0xcc, sizeof back);
    TRY(cudaMemcpy2DFromArray(back + 5, 41, a, 12, 2, 40, 5, D2H));
    VALUE(checksum(back, sizeof back), "from an array");
    REQUIRE(cudaMemset(d, 0xee, 4096));
    TRY(cudaMemcpy2DFromArray(d + 8, 52, a, 12, 2, 40, 5, D2D));
    TRY(cudaMemcpy(back, d, sizeof back, D2H));
    VALUE(checksum(back, sizeof back), "from an array to device memory");
    TRY(cudaMemcpy2DToArray(a, 16, 3, d + 8, 52, 40, 5, D2D));
    VALUE(sum(a), "to an array from device memory");
    TRY(cudaMemcpy2DFromArray(d + 3, 53, a, 12, 2, 40, 5, D2D));
    TRY(cudaMemcpy2DToArray(a, 16, 3, d + 5, 51, 40, 5, D2D));
    VALUE(sum(a), "unaligned device memory");
}

#define SPOIL(start, ...)                                                                          \
    do {                                                                                           \
        struct cudaMemcpy3DParms p = start();                                                      \
        __VA_ARGS__;                                                                               \
        TRY_AS(cudaMemcpy3D(&p), "%s: %s", #start, #__VA_ARGS__);                                  \
    } while (0)
#define TO(...)      SPOIL(to, __VA_ARGS__)
#define FROM(...)    SPOIL(from, __VA_ARGS__)
#define BETWEEN(...) SPOIL(between, __VA_ARGS__)

static struct cudaMemcpy3DParms to(void)
{
    struct cudaMemcpy3DParms p = {0};
    p.srcPtr = (struct cudaPitchedPtr){h, ROW, W, H};
    p.dstArray = cube;
    p.extent = (struct cudaExtent){W, H, D};
    p.kind = H2D;
    return p;
}

static struct cudaMemcpy3DParms from(void)
{
    struct cudaMemcpy3DParms p = {0};
    p.srcArray = cube;
    p.dstPtr = (struct cudaPitchedPtr){h, ROW, W, H};
    p.extent = (struct cudaExtent){W, H, D};
    p.kind = D2H;
    return p;
}

static struct cudaMemcpy3DParms between(void)
{
    struct cudaMemcpy3DParms p = {0};
    p.srcArray = cube;
    p.dstArray = layers;
    p.extent = (struct cudaExtent){W, H, D};
    p.kind = D2D;
    return p;
}

void case_array_copy_box(void)
{
    make_arrays();
    TO((void)0);
    TO(p.extent.width = W + 1);
    TO(p.extent.width = W + 1; p.srcPtr.pitch = 2 * ROW);
    TO(p.extent.height = H + 1);
    TO(p.extent.height = H + 1; p.srcPtr.ysize = H + 1);
    TO(p.extent.depth = D + 1);
    TO(p.dstPos.x = 1);
    TO(p.dstPos.y = 1);
    TO(p.dstPos.z = 1);
    TO(p.dstPos.x = SIZE_MAX);
    TO(p.dstPos.x = 4; p.srcPos.x = 4; p.extent.width = 4);
    TO(p.srcPos.x = 1; p.extent.width = W - 1; p.srcPtr.pitch = ROW - 1);
    TO(p.srcPtr.pitch = ROW - 1);
    TO(p.srcPtr.xsize = 1);
    TO(p.srcPtr.ysize = H - 1);
    TO(p.srcPtr.ptr = NULL);
    TO(p.dstArray = NULL);
    TO(p.dstPtr = p.srcPtr);
    TO(p.srcArray = layers);
    TO(p.srcArray = layers; p.srcPtr.ptr = NULL);
    TO(p.srcArray = layers; p.srcPtr.ptr = NULL; p.kind = D2D);
    TO(p.kind = D2H);
    TO(p.kind = D2D);
    TO(p.kind = H2H);
    TO(p.kind = ANY);
    TO(p.kind = BAD);
    TO(p.kind = BAD; p.srcPtr.pitch = 1);
    TO(p.kind = BAD; p.dstArray = NULL);
    TO(p.kind = BAD; p.extent.width = 0);
    TO(p.extent.width = 0);
    TO(p.extent.height = 0);
    TO(p.extent.depth = 0);
    TO(p.extent.width = 0; p.dstPos.x = W + 1);
    TO(p.dstArray = layers);
    TO(p.dstArray = a);
    TO(p.dstArray = a; p.extent.depth = 1);
    TO(p.dstArray = a; p.extent.depth = 1; p.dstPos.z = 1);
    TO(p.dstArray = line; p.extent.depth = 1);
    TO(p.dstArray = line; p.extent.depth = 1; p.extent.height = 1);
    TO(p.srcPtr.ptr = d; p.kind = D2D);
    TO(p.srcPtr.ptr = d; p.kind = ANY);
    FROM((void)0);
    FROM(p.dstPtr.pitch = ROW - 1);
    FROM(p.dstPtr.ysize = H - 1);
    FROM(p.dstPtr.ptr = NULL);
    FROM(p.srcArray = NULL);
    FROM(p.srcPos.z = 1);
    FROM(p.srcPos.z = 1; p.extent.depth = D - 1; p.dstPos.z = 1);
    FROM(p.kind = H2D);
    FROM(p.kind = H2H);
    FROM(p.kind = ANY);
    BETWEEN((void)0);
    BETWEEN(p.dstArray = cube);
    BETWEEN(p.dstArray = a; p.extent.depth = 1; p.srcPos.z = 2);
    BETWEEN(p.dstArray = s; p.extent.depth = 1);
    BETWEEN(p.dstArray = s; p.extent.depth = 1; p.extent.width = 2);
    BETWEEN(p.kind = H2D);
    BETWEEN(p.kind = ANY);
    BETWEEN(p.srcPos.x = 1);
    BETWEEN(p.dstPos.y = 1);
}

void case_array_copy_box_values(void)
{
    static unsigned char back[2 * ALL];
    make_arrays();
    fill_steps(h, 2 * ALL, 4);
    TO((void)0);
    TO(p.dstPos.x = 2; p.dstPos.y = 1; p.dstPos.z = 1; p.extent = (struct cudaExtent){5, 4, 2};
       p.srcPos.x = 3; p.srcPos.y = 2);
    FROM(p.dstPtr.ptr = back);
    VALUE(checksum(back, sizeof back), "to");
    BETWEEN((void)0);
    BETWEEN(p.dstPos.x = 1; p.srcPos.y = 3; p.dstPos.z = 2;
            p.extent = (struct cudaExtent){7, 3, 1});
    FROM(p.dstPtr.ptr = back; p.srcArray = layers);
    VALUE(checksum(back, sizeof back), "between");
    memset(back, 0xcc, sizeof back);
    FROM(p.dstPtr.ptr = back; p.dstPtr.ysize = H + 1; p.dstPtr.pitch = ROW + 4; p.dstPos.x = 1;
         p.srcPos.x = 2; p.srcPos.z = 1; p.extent = (struct cudaExtent){9, 4, 2});
    VALUE(checksum(back, sizeof back), "from");
}

void case_array_copy_peer(void)
{
    make_arrays();
    struct cudaMemcpy3DPeerParms p = {0};
    TRY(cudaMemcpy3DPeer(&p));
    p.srcArray = cube;
    p.dstArray = layers;
    p.extent = (struct cudaExtent){W, H, D};
    TRY_AS(cudaMemcpy3DPeer(&p), "peer, array to array");
    p.srcDevice = 999;
    TRY_AS(cudaMemcpy3DPeer(&p), "peer, bad device");
    p.srcDevice = 0;
    p.extent.depth = D + 1;
    TRY_AS(cudaMemcpy3DPeer(&p), "peer, too deep");
    p.extent.depth = D;
    p.srcArray = NULL;
    p.srcPtr = (struct cudaPitchedPtr){d, ROW, W, H};
    TRY_AS(cudaMemcpy3DPeer(&p), "peer, memory to array");
}

void case_array_copy_batch(void)
{
    make_arrays();
    cudaStream_t stream = NULL;
    REQUIRE(cudaStreamCreate(&stream));
    struct cudaMemcpy3DBatchOp op = {0};
    op.src.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = d;
    op.dst.type = cudaMemcpyOperandTypeArray;
    op.dst.op.array.array = cube;
    op.extent = (struct cudaExtent){W, H, D};
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    TRY_AS(cudaMemcpy3DBatchAsync(1, &op, 0, stream), "memory to array");
    op.dst.op.array.offset.x = 1;
    TRY_AS(cudaMemcpy3DBatchAsync(1, &op, 0, stream), "memory to array, out of range");
    op.dst.op.array.offset.x = 0;
    op.dst.op.array.array = NULL;
    TRY_AS(cudaMemcpy3DBatchAsync(1, &op, 0, stream), "memory to no array");
    op.dst.op.array.array = cube;
    op.src.type = cudaMemcpyOperandTypeArray;
    memset(&op.src.op, 0, sizeof op.src.op);
    op.src.op.array.array = layers;
    TRY_AS(cudaMemcpy3DBatchAsync(1, &op, 0, stream), "array to array");
}
