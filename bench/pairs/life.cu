/* A generation of Conway's game on a torus, a byte for each cell.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static unsigned char *now, *next;

static void prepare(void)
{
    n = pair_size(512, 8192);
    now =
        pair_input<unsigned char>((long long)n * n, [](uint64_t i) { return pair_random(i) & 1; });
    next = pair_output<unsigned char>((long long)n * n);
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#else
#define INLINE static inline
#endif

INLINE unsigned char live(const unsigned char *now, int n, int x, int y)
{
    const int left = x > 0 ? x - 1 : n - 1, right = x < n - 1 ? x + 1 : 0;
    const int above = (y > 0 ? y - 1 : n - 1) * n, below = (y < n - 1 ? y + 1 : 0) * n;
    const int neighbours = now[above + left] + now[above + x] + now[above + right] +
                           now[y * n + left] + now[y * n + right] + now[below + left] +
                           now[below + x] + now[below + right];
    return neighbours == 3 || (neighbours == 2 && now[y * n + x]);
}

#ifdef __CUDACC__
__global__ void generation(const unsigned char *now, unsigned char *next, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        next[y * n + x] = live(now, n, x, y);
}

static void work(void)
{
    generation<<<dim3(pair_blocks(n, 32), pair_blocks(n, 8)), dim3(32, 8)>>>(now, next, n);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            next[y * n + x] = live(now, n, x, y);
}
#endif
