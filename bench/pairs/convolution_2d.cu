/* A filter of 5 x 5 over an image, straight from memory, clamped at the border.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { RADIUS = 2, SIDE = 2 * RADIUS + 1 };
static int n;
static float *in, *out, *weights;

static void prepare(void)
{
    n = pair_size(256, 4096);
    in = pair_input<float>((long long)n * n, pair_random_float);
    weights = pair_input<float>(SIDE * SIDE, [](uint64_t i) { return pair_random_float(i) / 25; });
    out = pair_output<float>((long long)n * n);
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#else
#define INLINE static inline
#endif

INLINE float filter(const float *in, const float *weights, int n, int x, int y)
{
    float sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            int fx = x + dx, fy = y + dy;
            fx = fx < 0 ? 0 : fx >= n ? n - 1 : fx;
            fy = fy < 0 ? 0 : fy >= n ? n - 1 : fy;
            sum += weights[(dy + RADIUS) * SIDE + dx + RADIUS] * in[fy * n + fx];
        }
    return sum;
}

#ifdef __CUDACC__
__global__ void convolve(const float *in, const float *weights, float *out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = filter(in, weights, n, x, y);
}

static void work(void)
{
    convolve<<<dim3(pair_blocks(n, 16), pair_blocks(n, 16)), dim3(16, 16)>>>(in, weights, out, n);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            out[y * n + x] = filter(in, weights, n, x, y);
}
#endif
