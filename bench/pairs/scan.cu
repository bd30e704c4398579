/* Prefix sums of ints in three steps: in blocks by shuffles, over the blocks' sums, and what lies in front added.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { THREADS = 256, MOST = 1024 };
static int n;
static int *values, *sums, *offsets, *prefix;

static void prepare(void)
{
    n = pair_size(1 << 16, 1 << 25);
    values = pair_input<int>(n, [](uint64_t i) { return pair_random(i) % 8; });
    sums = pair_input<int>(n / THREADS, [](uint64_t) { return 0; });
    offsets = pair_input<int>(n / THREADS, [](uint64_t) { return 0; });
    prefix = pair_output<int>(n);
}

#ifdef __CUDACC__
__device__ int scan_warp(int value)
{
    for (int away = 1; away < 32; away *= 2) {
        const int other = __shfl_up_sync(0xffffffff, value, away);
        if (threadIdx.x % 32 >= away)
            value += other;
    }
    return value;
}

__device__ int scan_block(int value, int *warps)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = scan_warp(value);
    if (lane == 31)
        warps[warp] = value;
    __syncthreads();
    if (warp == 0)
        warps[lane] = scan_warp(lane < blockDim.x / 32 ? warps[lane] : 0);
    __syncthreads();
    if (warp > 0)
        value += warps[warp - 1];
    return value;
}

__global__ void scan_blocks(const int *in, int *out, int *sums)
{
    __shared__ int warps[32];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const int value = scan_block(in[i], warps);
    out[i] = value;
    if (threadIdx.x == THREADS - 1)
        sums[blockIdx.x] = value;
}

/* One block, as often as it takes. */
__global__ void scan_sums(const int *in, int *out, int n)
{
    __shared__ int warps[32];
    __shared__ int before;
    if (threadIdx.x == 0)
        before = 0;
    __syncthreads();
    for (int first = 0; first < n; first += MOST) {
        const int i = first + threadIdx.x;
        const int value = i < n ? in[i] : 0;
        const int sum = scan_block(value, warps) + before;
        if (i < n)
            out[i] = sum - value;
        __syncthreads();
        if (threadIdx.x == MOST - 1)
            before = sum;
        __syncthreads();
    }
}

__global__ void add_before(int *out, const int *offsets)
{
    out[blockIdx.x * THREADS + threadIdx.x] += offsets[blockIdx.x];
}

static void work(void)
{
    const int blocks = n / THREADS;
    scan_blocks<<<blocks, THREADS>>>(values, prefix, sums);
    scan_sums<<<1, MOST>>>(sums, offsets, blocks);
    add_before<<<blocks, THREADS>>>(prefix, offsets);
}
#else
static void work(void)
{
    static int before[1024];
#pragma omp parallel
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const int begin = (int)((long long)n * thread / threads);
        const int end = (int)((long long)n * (thread + 1) / threads);
        int sum = 0;
        for (int i = begin; i < end; i++)
            sum += values[i];
        before[thread] = sum;
#pragma omp barrier
        sum = 0;
        for (int i = 0; i < thread; i++)
            sum += before[i];
        for (int i = begin; i < end; i++) {
            sum += values[i];
            prefix[i] = sum;
        }
    }
}
#endif
