/* A product of matrices by tiles of 16 x 16: in shared memory there, in blocks of loops here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { TILE = 16, BLOCK = 64 };
static int n;
static float *a, *b, *c;

static void prepare(void)
{
    n = pair_size(128, 1024);
    a = pair_input<float>((long long)n * n, pair_random_float);
    b = pair_input<float>((long long)n * n, [](uint64_t i) { return pair_random_float(i + 1); });
    c = pair_output<float>((long long)n * n);
}

#ifdef __CUDACC__
__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        tile_a[ty][tx] = a[y * n + first + tx];
        tile_b[ty][tx] = b[(first + ty) * n + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

static void work(void)
{
    multiply<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int y0 = 0; y0 < n; y0 += BLOCK) {
        for (int y = y0; y < y0 + BLOCK; y++)
            for (int x = 0; x < n; x++)
                c[y * n + x] = 0;
        for (int k0 = 0; k0 < n; k0 += BLOCK)
            for (int x0 = 0; x0 < n; x0 += BLOCK)
                for (int y = y0; y < y0 + BLOCK; y++)
                    for (int k = k0; k < k0 + BLOCK; k++)
                        for (int x = x0; x < x0 + BLOCK; x++)
                            c[y * n + x] += a[y * n + k] * b[k * n + x];
    }
}
#endif
