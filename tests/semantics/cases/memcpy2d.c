/* Semantics of cudaMemcpy2D.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

static const enum cudaMemcpyKind H2D = cudaMemcpyHostToDevice;
static const enum cudaMemcpyKind D2H = cudaMemcpyDeviceToHost;
static const enum cudaMemcpyKind D2D = cudaMemcpyDeviceToDevice;

void case_memcpy2d_arguments(void)
{
    char *d = device_block(1 * MIB);
    char *e = device_block(1 * MIB);
    char *h = calloc(1, 1 * MIB);
    TRY(cudaMemcpy2D(d, 64, h, 64, 64, 16, H2D));
    TRY(cudaMemcpy2D(d, 63, h, 64, 64, 16, H2D));
    TRY(cudaMemcpy2D(d, 64, h, 63, 64, 16, H2D));
    TRY(cudaMemcpy2D(d, 63, h, 63, 64, 16, H2D));
    TRY(cudaMemcpy2D(d, 0, h, 0, 64, 16, H2D));
    TRY(cudaMemcpy2D(d, 0, h, 0, 64, 1, H2D));
    TRY(cudaMemcpy2D(d, 63, h, 63, 64, 1, H2D));
    TRY(cudaMemcpy2D(d, 64, h, 64, 0, 16, H2D));
    TRY(cudaMemcpy2D(d, 64, h, 64, 64, 0, H2D));
    TRY(cudaMemcpy2D(d, 0, h, 0, 0, 0, H2D));
    TRY(cudaMemcpy2D(d, 1, h, 1, 64, 0, H2D));
    TRY(cudaMemcpy2D(d, 1, h, 1, 0, 16, H2D));
    TRY(cudaMemcpy2D(NULL, 0, NULL, 0, 0, 0, H2D));
    TRY(cudaMemcpy2D(NULL, 64, NULL, 64, 64, 0, H2D));
    TRY(cudaMemcpy2D(NULL, 64, NULL, 64, 0, 16, H2D));
    TRY(cudaMemcpy2D(NULL, 64, h, 64, 64, 16, H2D));
    TRY(cudaMemcpy2D(d, 64, NULL, 64, 64, 16, H2D));
    TRY(cudaMemcpy2D(NULL, 63, h, 64, 64, 16, H2D));
    TRY(cudaMemcpy2D(NULL, 63, NULL, 63, 64, 16, (enum cudaMemcpyKind)9));
    TRY(cudaMemcpy2D(d, 63, h, 63, 64, 16, (enum cudaMemcpyKind)9));
    TRY(cudaMemcpy2D(d, 64, h, 64, 64, 16, (enum cudaMemcpyKind)9));
    TRY(cudaMemcpy2D(d, 64, h, 64, 64, 0, (enum cudaMemcpyKind)9));
    TRY(cudaMemcpy2D(d, 64, h, 64, 0, 0, (enum cudaMemcpyKind)(-1)));
    TRY(cudaMemcpy2D(d, 64, h, 64, 64, 16, D2H));
    TRY(cudaMemcpy2D(d, 64, h, 64, 64, 16, D2D));
    TRY(cudaMemcpy2D(d, 64, h, 64, 64, 16, cudaMemcpyHostToHost));
    TRY(cudaMemcpy2D(h, 64, d, 64, 64, 16, H2D));
    TRY(cudaMemcpy2D(d, 64, e, 64, 64, 16, H2D));
    TRY(cudaMemcpy2D(d, 64, e, 64, 64, 16, D2H));
    TRY(cudaMemcpy2D(d, 64, h, 64, 64, 16, cudaMemcpyDefault));
    TRY(cudaMemcpy2D(h, 64, h + 512 * KIB, 64, 64, 16, cudaMemcpyDefault));
    free(h);
}

void case_memcpy2d_huge_pitch(void)
{
    char *d = device_block(1 * MIB);
    char *e = device_block(1 * MIB);
    char *h = calloc(1, 1 * MIB);
    struct cudaDeviceProp properties;
    REQUIRE(cudaGetDeviceProperties(&properties, 0));
    size_t most = properties.memPitch;
    VALUE((long long)most, "memPitch");
    TRY_AS(cudaMemcpy2D(d, most, h, 64, 64, 1, H2D), "dpitch memPitch, 1 row, H2D");
    TRY_AS(cudaMemcpy2D(d, most + 1, h, 64, 64, 1, H2D), "dpitch memPitch+1, 1 row, H2D");
    TRY_AS(cudaMemcpy2D(d, 64, h, most + 1, 64, 1, H2D), "spitch memPitch+1, 1 row, H2D");
    TRY_AS(cudaMemcpy2D(d, most + 1, e, 64, 64, 1, D2D), "dpitch memPitch+1, 1 row, D2D");
    TRY_AS(cudaMemcpy2D(d, most + 1, e, most + 1, 64, 1, D2D), "both memPitch+1, 1 row, D2D");
    TRY_AS(cudaMemcpy2D(d, most + 1, e, most + 1, 64, 2, D2D), "both memPitch+1, 2 rows, D2D");
    TRY_AS(cudaMemcpy2D(d, most + 1, e, most + 1, 64, 0, D2D), "both memPitch+1, 0 rows, D2D");
    TRY_AS(cudaMemcpy2D(d, SIZE_MAX, e, SIZE_MAX, 64, 1, D2D), "both SIZE_MAX, 1 row, D2D");
    TRY_AS(cudaMemcpy2D(d, SIZE_MAX, e, SIZE_MAX, SIZE_MAX, 1, D2D), "all SIZE_MAX, 1 row, D2D");
    TRY_AS(cudaMemcpy2D(d, SIZE_MAX, e, SIZE_MAX, 64, 2, D2D), "both SIZE_MAX, 2 rows, D2D");
    TRY_AS(cudaMemcpy2D(d, 64, e, 64, 64, SIZE_MAX, D2D), "SIZE_MAX rows, D2D");
    TRY_AS(cudaMemcpy2D(NULL, most + 1, NULL, most + 1, 64, 1, D2D), "NULL and memPitch+1");
    free(h);
}

void case_memcpy2d_range(void)
{
    char *d = device_block(64 * KIB);
    char *e = device_block(64 * KIB);
    char *h = calloc(1, 1 * MIB);
    TRY(cudaMemcpy2D(d, 1024, h, 1024, 1024, 64, H2D));
    TRY(cudaMemcpy2D(d, 1024, h, 1024, 1024, 65, H2D));
    TRY(cudaMemcpy2D(d + 512, 1024, h, 1024, 512, 64, H2D));
    TRY(cudaMemcpy2D(d + 513, 1024, h, 1024, 512, 64, H2D));
    TRY(cudaMemcpy2D(d, 1024, e, 1024, 1024, 65, D2D));
    TRY(cudaMemcpy2D(d, 1024, e, 1024, 1024, 4096, D2D));
    TRY(cudaMemcpy2D(d, 1024, h, 1024, 1024, 4096 * 1024, H2D));
    TRY(cudaMemcpy2D(d, 64, d, 64, 64, 16, D2D));
    TRY(cudaMemcpy2D(d + 32, 64, d, 64, 48, 16, D2D));
    free(h);
}

static void fill_steps(unsigned char *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        p[i] = (unsigned char)(i * 7 + i / 251);
    }
}

/* Sums that tell whether each byte went to its place and the padding stayed. */
static long long checksum(const unsigned char *p, size_t bytes)
{
    long long sum = 0;
    for (size_t i = 0; i < bytes; i++) {
        sum = (sum * 31 + p[i]) % 1000000007;
    }
    return sum;
}

void case_memcpy2d_values(void)
{
    unsigned char source[4096];
    unsigned char back[4096];
    unsigned char *d = device_block(4096);
    unsigned char *e = device_block(4096);
    fill_steps(source, sizeof source);
    REQUIRE(cudaMemset(d, 0xee, 4096));
    REQUIRE(cudaMemset(e, 0xdd, 4096));
    TRY(cudaMemcpy2D(d + 3, 100, source + 5, 61, 37, 20, H2D));
    TRY(cudaMemcpy(back, d, 4096, D2H));
    VALUE(checksum(back, 4096), "host to device");
    TRY(cudaMemcpy2D(e + 1, 51, d + 3, 100, 37, 20, D2D));
    TRY(cudaMemcpy(back, e, 4096, D2H));
    VALUE(checksum(back, 4096), "device to device");
    memset(back, 0xcc, sizeof back);
    TRY(cudaMemcpy2D(back + 9, 77, e + 1, 51, 37, 20, D2H));
    VALUE(checksum(back, 4096), "device to host");
    memset(back, 0xcc, sizeof back);
    TRY(cudaMemcpy2D(back + 9, 77, source, 51, 37, 20, cudaMemcpyHostToHost));
    VALUE(checksum(back, 4096), "host to host");
    TRY(cudaMemcpy2D(d, 0, source, 64, 0, 20, H2D));
    TRY(cudaMemcpy2DAsync(d + 3, 100, source + 5, 61, 37, 20, H2D, cudaStreamPerThread));
    TRY(cudaMemcpy2DAsync(d + 3, 100, source + 5, 61, 37, 20, H2D, cudaStreamLegacy));
    TRY(cudaMemcpy2DAsync(d + 3, 10, source + 5, 61, 37, 20, H2D, NULL));
    TRY(cudaMemcpy2DAsync(NULL, 10, NULL, 61, 37, 20, (enum cudaMemcpyKind)9, NULL));
}
