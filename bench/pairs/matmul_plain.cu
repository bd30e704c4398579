/* A product of matrices, a thread for each place of the result.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static float *a, *b, *c;

static void prepare(void)
{
    n = pair_size(128, 768);
    a = pair_input<float>((long long)n * n, pair_random_float);
    b = pair_input<float>((long long)n * n, [](uint64_t i) { return pair_random_float(i + 1); });
    c = pair_output<float>((long long)n * n);
}

#ifdef __CUDACC__
__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

static void work(void)
{
    const dim3 threads(16, 16), blocks(pair_blocks(n, 16), pair_blocks(n, 16));
    multiply<<<blocks, threads>>>(a, b, c, n);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++)
            c[y * n + x] = 0;
        for (int k = 0; k < n; k++)
            for (int x = 0; x < n; x++)
                c[y * n + x] += a[y * n + k] * b[k * n + x];
    }
}
#endif
