/* The nearest of 16 centres for each point of 8 numbers, stored feature by feature; centres in constant memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { FEATURES = 8, CENTRES = 16 };
static int n;
static float *points;
static int *nearest;

#ifdef __CUDACC__
__constant__ float centres[CENTRES * FEATURES];
#else
static float centres[CENTRES * FEATURES];
#endif

static void prepare(void)
{
    float values[CENTRES * FEATURES];
    n = pair_size(1 << 14, 1 << 23);
    for (int i = 0; i < CENTRES * FEATURES; i++)
        values[i] = pair_random_float((uint64_t)i + 1000);
    points = pair_input<float>((long long)n * FEATURES, pair_random_float);
    nearest = pair_output<int>(n);
#ifdef __CUDACC__
    PAIR_CHECK(cudaMemcpyToSymbol(centres, values, sizeof values));
#else
    std::copy(values, values + CENTRES * FEATURES, centres);
#endif
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#else
#define INLINE static inline
#endif

INLINE int find(const float *points, int n, int i)
{
    int best = 0;
    float least = 1e30f;
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0;
        for (int f = 0; f < FEATURES; f++) {
            const float d = points[f * n + i] - centres[c * FEATURES + f];
            distance += d * d;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

#ifdef __CUDACC__
__global__ void assign(const float *points, int *nearest, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        nearest[i] = find(points, n, i);
}

static void work(void)
{
    assign<<<pair_blocks(n, 256), 256>>>(points, nearest, n);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        nearest[i] = find(points, n, i);
}
#endif
