/* A matrix in rows times a vector: a block for each row, summed in shared memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { THREADS = 128 };
static int rows, columns;
static float *matrix, *x, *y;

static void prepare(void)
{
    rows = pair_size(128, 8192);
    columns = pair_size(1024, 8192);
    matrix = pair_input<float>((long long)rows * columns, pair_random_float);
    x = pair_input<float>(columns, pair_random_float);
    y = pair_output<float>(rows);
}

#ifdef __CUDACC__
__global__ void multiply(const float *matrix, const float *x, float *y, int columns)
{
    __shared__ float part[THREADS];
    const float *row = matrix + (size_t)blockIdx.x * columns;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += row[i] * x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0];
}

static void work(void)
{
    multiply<<<rows, THREADS>>>(matrix, x, y, columns);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int r = 0; r < rows; r++) {
        const float *row = matrix + (size_t)r * columns;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < columns; i++)
            sum += row[i] * x[i];
        y[r] = sum;
    }
}
#endif
