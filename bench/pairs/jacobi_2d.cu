/* One step of Jacobi's method on a square, five points, blocks of 32 x 8.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static float *in, *out;

static void prepare(void)
{
    n = pair_size(256, 6144);
    in = pair_input<float>((long long)n * n, pair_random_float);
    out = pair_output<float>((long long)n * n);
}

#ifdef __CUDACC__
__global__ void step(const float *in, float *out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                                  in[(y + 1) * n + x]);
}

static void work(void)
{
    const dim3 threads(32, 8), blocks(pair_blocks(n, 32), pair_blocks(n, 8));
    step<<<blocks, threads>>>(in, out, n);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++)
            out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                                      in[(y + 1) * n + x]);
}
#endif
