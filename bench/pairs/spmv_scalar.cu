/* A sparse matrix in rows (CSR) times a vector, a thread for each row.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { PER_ROW = 16 };
static int rows;
static int *starts, *columns;
static float *values, *x, *y;

static void prepare(void)
{
    rows = pair_size(1 << 13, 1 << 21);
    starts = pair_input<int>(rows + 1, [](uint64_t i) { return i * PER_ROW; });
    columns = pair_input<int>((long long)rows * PER_ROW,
                              [](uint64_t i) { return pair_random(i) % (unsigned)rows; });
    values = pair_input<float>((long long)rows * PER_ROW, pair_random_float);
    x = pair_input<float>(rows, pair_random_float);
    y = pair_output<float>(rows);
}

#ifdef __CUDACC__
__global__ void multiply(int rows, const int *starts, const int *columns, const float *values,
                         const float *x, float *y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

static void work(void)
{
    multiply<<<pair_blocks(rows, 128), 128>>>(rows, starts, columns, values, x, y);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int row = 0; row < rows; row++) {
        float sum = 0;
        for (int i = starts[row]; i < starts[row + 1]; i++)
            sum += values[i] * x[columns[i]];
        y[row] = sum;
    }
}
#endif
