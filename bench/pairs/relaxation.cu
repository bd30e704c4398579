/* Launch-bound: two hundred steps over a small grid, each of which needs the one before.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { STEPS = 200 };
static int n;
static float *input, *grids[2];

static void prepare(void)
{
    n = pair_size(64, 256);
    input = pair_input<float>((long long)n * n, pair_random_float);
    grids[0] = pair_output<float>((long long)n * n);
    grids[1] = pair_output<float>((long long)n * n);
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
    const size_t bytes = (size_t)n * n * 4;
    PAIR_CHECK(cudaMemcpyAsync(grids[0], input, bytes, cudaMemcpyDeviceToDevice));
    PAIR_CHECK(cudaMemcpyAsync(grids[1], input, bytes, cudaMemcpyDeviceToDevice));
    for (int i = 0; i < STEPS; i++)
        step<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(grids[i % 2], grids[1 - i % 2], n);
}
#else
static void work(void)
{
    std::copy(input, input + (size_t)n * n, grids[0]);
    std::copy(input, input + (size_t)n * n, grids[1]);
    for (int i = 0; i < STEPS; i++) {
        const float *in = grids[i % 2];
        float *out = grids[1 - i % 2];
#pragma omp parallel for
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++)
                out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] +
                                          in[(y - 1) * n + x] + in[(y + 1) * n + x]);
    }
}
#endif
