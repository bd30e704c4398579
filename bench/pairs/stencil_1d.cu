/* The mean of 9 neighbours: a block keeps its part and a rim of it in shared memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { THREADS = 256, RADIUS = 4 };
static int n;
static float *in, *out;

static void prepare(void)
{
    n = pair_size(1 << 16, 1 << 25);
    in = pair_input<float>(n + 2 * RADIUS, pair_random_float);
    out = pair_output<float>(n);
}

#ifdef __CUDACC__
__global__ void stencil(const float *in, float *out)
{
    __shared__ float part[THREADS + 2 * RADIUS];
    const int first = blockIdx.x * THREADS, t = threadIdx.x;
    part[t] = in[first + t];
    if (t < 2 * RADIUS)
        part[THREADS + t] = in[first + THREADS + t];
    __syncthreads();
    float sum = 0;
    for (int away = 0; away <= 2 * RADIUS; away++)
        sum += part[t + away];
    out[first + t] = sum / (2 * RADIUS + 1);
}

static void work(void)
{
    stencil<<<n / THREADS, THREADS>>>(in, out);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int away = 0; away <= 2 * RADIUS; away++)
            sum += in[i + away];
        out[i] = sum / (2 * RADIUS + 1);
    }
}
#endif
