/* Launch-bound: Gaussian elimination, two launches for each column.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static float *input, *matrix, *factors;

static void prepare(void)
{
    n = pair_size(128, 512);
    input = pair_input<float>((long long)n * n, [](uint64_t i) {
        return pair_random_float(i) + ((int)i / n == (int)i % n ? (float)n : 0.0f);
    });
    factors = pair_input<float>(n, [](uint64_t) { return 0; });
    matrix = pair_output<float>((long long)n * n);
}

#ifdef __CUDACC__
__global__ void divide(const float *matrix, float *factors, int n, int k)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
    if (row < n)
        factors[row] = matrix[row * n + k] / matrix[k * n + k];
}

__global__ void subtract(float *matrix, const float *factors, int n, int k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + k;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
    if (x < n && y < n)
        matrix[y * n + x] -= factors[y] * matrix[k * n + x];
}

static void work(void)
{
    PAIR_CHECK(cudaMemcpyAsync(matrix, input, (size_t)n * n * 4, cudaMemcpyDeviceToDevice));
    for (int k = 0; k < n - 1; k++) {
        divide<<<pair_blocks(n - k - 1, 128), 128>>>(matrix, factors, n, k);
        subtract<<<dim3(pair_blocks(n - k, 32), pair_blocks(n - k - 1, 8)), dim3(32, 8)>>>(
            matrix, factors, n, k);
    }
}
#else
static void work(void)
{
    std::copy(input, input + (size_t)n * n, matrix);
    for (int k = 0; k < n - 1; k++) {
#pragma omp parallel for
        for (int y = k + 1; y < n; y++) {
            const float factor = matrix[y * n + k] / matrix[k * n + k];
            for (int x = k; x < n; x++)
                matrix[y * n + x] -= factor * matrix[k * n + x];
        }
    }
}
#endif
