/* The sum of an array: each block halves what it has in shared memory, and a second launch adds the blocks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { THREADS = 256 };
static int n;
static float *values, *parts, *sum;

static void prepare(void)
{
    n = pair_size(1 << 17, 1 << 26);
    values = pair_input<float>(n, pair_random_float);
    parts = pair_input<float>(n / THREADS + 1, [](uint64_t) { return 0; });
    sum = pair_output<float>(1);
}

#ifdef __CUDACC__
__global__ void reduce(const float *in, float *out, int n)
{
    __shared__ float part[THREADS];
    const int t = threadIdx.x;
    float mine = 0;
    for (int i = blockIdx.x * 2 * THREADS + t; i < n; i += gridDim.x * 2 * THREADS)
        mine += in[i] + (i + THREADS < n ? in[i + THREADS] : 0);
    part[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

static void work(void)
{
    const unsigned blocks = std::min(pair_blocks(n, 2 * THREADS), 1024u);
    reduce<<<blocks, THREADS>>>(values, parts, n);
    reduce<<<1, THREADS>>>(parts, sum, (int)blocks);
}
#else
static void work(void)
{
    float total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int i = 0; i < n; i++)
        total += values[i];
    *sum = total;
}
#endif
