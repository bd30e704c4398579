/* The sum of an array: threads stride over it, warps add by shuffles, and each warp adds its own to the total.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static int *values, *sum;

static void prepare(void)
{
    n = pair_size(1 << 17, 1 << 26);
    values = pair_input<int>(n, [](uint64_t i) { return pair_random(i) % 16; });
    sum = pair_output<int>(1);
}

#ifdef __CUDACC__
__global__ void reduce(const int *in, int *sum, int n)
{
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    for (int away = 16; away > 0; away /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, away);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

static void work(void)
{
    PAIR_CHECK(cudaMemsetAsync(sum, 0, sizeof *sum));
    reduce<<<256, 256>>>(values, sum, n);
}
#else
static void work(void)
{
    int total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n; i++)
        total += values[i];
    *sum = total;
}
#endif
