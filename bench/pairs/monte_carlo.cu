/* Points in a quarter of a circle, counted: a generator for each thread.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { THREADS = 256, POINTS = 512 };
static int n;
static unsigned long long *inside;

static void prepare(void)
{
    n = pair_size(1 << 12, 1 << 17);
    inside = pair_output<unsigned long long>(1);
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#else
#define INLINE static inline
#endif

INLINE unsigned next(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

INLINE unsigned count_points(unsigned thread)
{
    unsigned state = thread * 2654435761u + 12345u, count = 0;
    for (int i = 0; i < POINTS; i++) {
        const float x = (float)(next(state) >> 8) * (1.0f / 16777216.0f);
        const float y = (float)(next(state) >> 8) * (1.0f / 16777216.0f);
        count += x * x + y * y < 1.0f;
    }
    return count;
}

#ifdef __CUDACC__
__global__ void sample(unsigned long long *inside, int n)
{
    __shared__ unsigned total;
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&total, count_points((unsigned)i));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(inside, (unsigned long long)total);
}

static void work(void)
{
    PAIR_CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    sample<<<pair_blocks(n, THREADS), THREADS>>>(inside, n);
}
#else
static void work(void)
{
    unsigned long long total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n; i++)
        total += count_points((unsigned)i);
    *inside = total;
}
#endif
