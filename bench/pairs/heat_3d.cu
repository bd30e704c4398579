/* One step of the heat equation in a cube, seven points; a thread goes up a column.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static float *in, *out;

static void prepare(void)
{
    n = pair_size(48, 352);
    in = pair_input<float>((long long)n * n * n, pair_random_float);
    out = pair_output<float>((long long)n * n * n);
}

#ifdef __CUDACC__
__global__ void step(const float *in, float *out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int layer = n * n;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    const float *from = in + layer + y * n + x;
    float *to = out + layer + y * n + x;
    for (int z = 1; z < n - 1; z++, from += layer, to += layer)
        *to = *from + 0.1f * (from[-1] + from[1] + from[-n] + from[n] + from[-layer] + from[layer] -
                              6.0f * *from);
}

static void work(void)
{
    const dim3 threads(32, 4), blocks(pair_blocks(n, 32), pair_blocks(n, 4));
    step<<<blocks, threads>>>(in, out, n);
}
#else
static void work(void)
{
    const int layer = n * n;
#pragma omp parallel for
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                const float *from = in + z * layer + y * n + x;
                out[z * layer + y * n + x] =
                    *from + 0.1f * (from[-1] + from[1] + from[-n] + from[n] + from[-layer] +
                                    from[layer] - 6.0f * *from);
            }
}
#endif
