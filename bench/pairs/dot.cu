/* A dot product of doubles: a partial sum for each block, added by atomics.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { THREADS = 128 };
static int n;
static double *x, *y, *sum;

static void prepare(void)
{
    n = pair_size(1 << 15, 1 << 24);
    x = pair_input<double>(n, pair_random_float);
    y = pair_input<double>(n, [](uint64_t i) { return pair_random_float(i + 3); });
    sum = pair_output<double>(1);
}

#ifdef __CUDACC__
__global__ void dot(const double *x, const double *y, double *sum, int n)
{
    __shared__ double part[THREADS];
    double mine = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        mine += x[i] * y[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

static void work(void)
{
    PAIR_CHECK(cudaMemsetAsync(sum, 0, sizeof *sum));
    dot<<<128, THREADS>>>(x, y, sum, n);
}
#else
static void work(void)
{
    double total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int i = 0; i < n; i++)
        total += x[i] * y[i];
    *sum = total;
}
#endif
