/* A transposed matrix by tiles of 32 x 32 with a column to spare.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { TILE = 32, ROWS = 8 };
static int n;
static float *in, *out;

static void prepare(void)
{
    n = pair_size(256, 6144);
    in = pair_input<float>((long long)n * n, pair_random_float);
    out = pair_output<float>((long long)n * n);
}

#ifdef __CUDACC__
__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}

static void work(void)
{
    transpose<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(in, out, n);
}
#else
static void work(void)
{
#pragma omp parallel for collapse(2)
    for (int y0 = 0; y0 < n; y0 += TILE)
        for (int x0 = 0; x0 < n; x0 += TILE)
            for (int y = y0; y < y0 + TILE; y++)
                for (int x = x0; x < x0 + TILE; x++)
                    out[y * n + x] = in[x * n + y];
}
#endif
