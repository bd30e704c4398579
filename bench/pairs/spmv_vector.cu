/* A sparse matrix in rows of unequal length (CSR) times a vector, a warp for each row.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int rows;
static int *starts, *columns;
static float *values, *x, *y;

static int length_of(uint64_t row)
{
    return 20 + (int)(pair_random(row) % 48);
}

static void prepare(void)
{
    rows = pair_size(1 << 11, 1 << 19);
    std::vector<int> first((size_t)rows + 1);
    for (int i = 0; i < rows; i++)
        first[(size_t)i + 1] = first[(size_t)i] + length_of((uint64_t)i);
    const int count = first[(size_t)rows];
    starts = pair_copy(first);
    columns = pair_input<int>(count, [](uint64_t i) { return pair_random(i) % (unsigned)rows; });
    values = pair_input<float>(count, pair_random_float);
    x = pair_input<float>(rows, pair_random_float);
    y = pair_output<float>(rows);
}

#ifdef __CUDACC__
__global__ void multiply(int rows, const int *starts, const int *columns, const float *values,
                         const float *x, float *y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += values[i] * x[columns[i]];
    for (int away = 16; away > 0; away >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, away);
    if (lane == 0)
        y[row] = sum;
}

static void work(void)
{
    multiply<<<pair_blocks((long long)rows * 32, 128), 128>>>(rows, starts, columns, values, x, y);
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
