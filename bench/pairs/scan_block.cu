/* Prefix sums of ints within blocks, by shuffles, with the sum of each block: the first step of a scan, and what a scan by
 * decoupled look-back does most. Large: 4M ints.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { BLOCK = 256 };
static int n;
static int *values, *prefix, *totals;

static void prepare(void)
{
    n = pair_size(1 << 16, 1 << 22);
    values = pair_input<int>(n, [](uint64_t i) { return pair_random(i) % 16; });
    prefix = pair_output<int>(n);
    totals = pair_output<int>(n / BLOCK);
}

#ifdef __CUDACC__
template <unsigned WIDTH> __device__ int scan_lanes(int sum, unsigned lane)
{
#pragma unroll
    for (unsigned behind = 1; behind < WIDTH; behind <<= 1) {
        const int below = __shfl_up_sync(~0u, sum, behind);
        sum += lane >= behind ? below : 0;
    }
    return sum;
}

__global__ void scan(const int *in, int *out, int *totals)
{
    enum { WARPS = BLOCK / 32 };
    __shared__ int of_warps[WARPS];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int sum = scan_lanes<32>(in[i], lane);
    if (lane == 31)
        of_warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        const int all = scan_lanes<WARPS>(lane < WARPS ? of_warps[lane] : 0, lane);
        if (lane < WARPS)
            of_warps[lane] = all;
    }
    __syncthreads();
    out[i] = sum += warp > 0 ? of_warps[warp - 1] : 0;
    if (threadIdx.x == BLOCK - 1)
        totals[blockIdx.x] = sum;
}

static void work(void)
{
    scan<<<n / BLOCK, BLOCK>>>(values, prefix, totals);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int block = 0; block < n / BLOCK; block++) {
        int sum = 0;
        for (int i = block * BLOCK; i < (block + 1) * BLOCK; i++)
            prefix[i] = sum += values[i];
        totals[block] = sum;
    }
}
#endif
