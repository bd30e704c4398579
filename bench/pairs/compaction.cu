/* Numbers that are wanted, one behind the other in any order: warps take room by one atomic for all of their own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static int *values, *kept, *count;

static void prepare(void)
{
    n = pair_size(1 << 16, 1 << 25);
    values = pair_input<int>(n, [](uint64_t i) { return pair_random(i) % 1000; });
    kept = pair_input<int>(n, [](uint64_t) { return 0; });
    count = pair_output<int>(1);
}

#ifdef __CUDACC__
__global__ void keep(const int *values, int *kept, int *count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const bool is_wanted = i < n && values[i] < 300;
    const unsigned wanted = __ballot_sync(0xffffffff, is_wanted);
    int first = 0;
    if (lane == 0 && wanted)
        first = atomicAdd(count, __popc(wanted));
    first = __shfl_sync(0xffffffff, first, 0);
    if (is_wanted)
        kept[first + __popc(wanted & ((1u << lane) - 1))] = values[i];
}

static void work(void)
{
    PAIR_CHECK(cudaMemsetAsync(count, 0, sizeof *count));
    keep<<<pair_blocks(n, 256), 256>>>(values, kept, count, n);
}
#else
static void work(void)
{
    static int counts[1024];
#pragma omp parallel
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const int begin = (int)((long long)n * thread / threads);
        const int end = (int)((long long)n * (thread + 1) / threads);
        int mine = 0, first = 0;
        for (int i = begin; i < end; i++)
            mine += values[i] < 300;
        counts[thread] = mine;
#pragma omp barrier
        for (int i = 0; i < thread; i++)
            first += counts[i];
        for (int i = begin; i < end; i++)
            if (values[i] < 300)
                kept[first++] = values[i];
        if (thread == threads - 1)
            *count = first;
    }
}
#endif
