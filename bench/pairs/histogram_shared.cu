/* 256 bins of bytes, counted in shared memory and added to the whole once for each block.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { BINS = 256 };
static int n;
static unsigned char *data;
static unsigned *bins;

static void prepare(void)
{
    n = pair_size(1 << 19, 1 << 28);
    data = pair_input<unsigned char>(n, [](uint64_t i) { return pair_random(i) % BINS; });
    bins = pair_output<unsigned>(BINS);
}

#ifdef __CUDACC__
__global__ void histogram(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned mine[BINS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BINS + threadIdx.x; i < n; i += gridDim.x * BINS)
        atomicAdd(&mine[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

static void work(void)
{
    PAIR_CHECK(cudaMemsetAsync(bins, 0, BINS * sizeof *bins));
    histogram<<<128, BINS>>>(data, bins, n);
}
#else
static void work(void)
{
    unsigned counts[BINS] = {};
#pragma omp parallel for reduction(+ : counts)
    for (int i = 0; i < n; i++)
        counts[data[i]]++;
    std::copy(counts, counts + BINS, bins);
}
#endif
