/* How long points stay: as many steps as each takes, so that neighbours differ.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { MOST = 256 };
static int n;
static int *steps;

static void prepare(void)
{
    n = pair_size(256, 2048);
    steps = pair_output<int>((long long)n * n);
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#else
#define INLINE static inline
#endif

INLINE int escape(float cx, float cy)
{
    float x = 0, y = 0;
    int step = 0;
    while (step < MOST && x * x + y * y < 4.0f) {
        const float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        step++;
    }
    return step;
}

INLINE int pixel(int x, int y, int n)
{
    return escape(-2.0f + 3.0f * x / n, -1.5f + 3.0f * y / n);
}

#ifdef __CUDACC__
__global__ void draw(int *steps, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        steps[y * n + x] = pixel(x, y, n);
}

static void work(void)
{
    draw<<<dim3(pair_blocks(n, 32), pair_blocks(n, 8)), dim3(32, 8)>>>(steps, n);
}
#else
static void work(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            steps[y * n + x] = pixel(x, y, n);
}
#endif
