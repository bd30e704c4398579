/* 65,536 bins of ints, too many for shared memory: atomics in the whole's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { BINS = 1 << 16 };
static int n;
static int *data, *bins;

static void prepare(void)
{
    n = pair_size(1 << 17, 1 << 26);
    data = pair_input<int>(n, [](uint64_t i) { return pair_random(i) % BINS; });
    bins = pair_output<int>(BINS);
}

#ifdef __CUDACC__
__global__ void count(const int *data, int *bins, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[data[i]], 1);
}

static void work(void)
{
    PAIR_CHECK(cudaMemsetAsync(bins, 0, BINS * sizeof *bins));
    count<<<pair_blocks(n, 256), 256>>>(data, bins, n);
}
#else
static void work(void)
{
    memset(bins, 0, BINS * sizeof *bins);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
        bins[data[i]]++;
    }
}
#endif
