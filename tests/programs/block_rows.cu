/* Blocks of a row that follow each other, of which some part at barriers and others do not: each has its own index and its own
 * sum, whatever the one before it has done.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { THREADS = 128 };

/* Each block halves what it has. The last warps of blocks whose number has none of some bits wait at another instruction, which is
 * the same barrier. */
__global__ void halve(const int *in, int *out, int bits)
{
    __shared__ int part[THREADS];
    const int t = threadIdx.x, block = blockIdx.y * gridDim.x + blockIdx.x;
    const unsigned limit = block & bits ? THREADS / 32 : THREADS / 64;
    const unsigned warp = __shfl_sync(0xffffffff, t / 32, 0); // one number for a warp's branch
    part[t] = in[block * THREADS + t];
    if (warp < limit) {
        asm volatile("bar.sync 0;" ::: "memory");
    } else {
        part[t] += 3;
        asm volatile("bar.sync 0;" ::: "memory");
        part[t] += 2 * part[t - THREADS / 2];
    }
    __syncthreads();
    for (int rest = THREADS / 2; rest >= 1; rest >>= 1, __syncthreads())
        if (t < rest)
            part[t] = part[t + rest] + part[t];
    if (t < 1)
        out[block] = part[0] + block;
}

static int halved(const int *in, int block, int bits)
{
    int sum = block;
    for (int t = 0; t < THREADS; t++)
        sum += in[t] + (block & bits || t < THREADS / 2 ? 0 : 3 + 2 * in[t - THREADS / 2]);
    return sum;
}

static void check_halve(dim3 grid, int bits)
{
    const int blocks = (int)(grid.x * grid.y);
    std::vector<int> in((size_t)blocks * THREADS), expected(blocks);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (int)(random_word((int)i) % 1000);
    for (int block = 0; block < blocks; block++)
        expected[block] = halved(&in[(size_t)block * THREADS], block, bits);
    device_array<int> values(in), sums(blocks);
    for (int i = 0; i < 3; i++) {
        halve<<<grid, THREADS>>>(values.data, sums.data, bits);
        LAUNCHED();
        EXPECT(sums.host() == expected);
    }
    result("halve", sums.host());
}

/* A row of the matrix for each block, so long that warps go through it in step, and a total of all rows. */
__global__ void sum_rows(const int *in, int *out, int *total, int columns)
{
    __shared__ int part[THREADS / 32];
    int sum = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += in[(size_t)blockIdx.x * columns + i];
    for (int away = 16; away > 0; away /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, away);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int i = 1; i < THREADS / 32; i++)
        sum += part[i];
    out[blockIdx.x] = sum;
    atomicAdd(total, sum * (int)(blockIdx.x + 1));
}

/* The same by warps without barriers. */
__global__ void sum_rows_by_warps(const int *in, int *out, int rows, int columns)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    int sum = 0;
    for (int i = threadIdx.x % 32; i < columns; i += 32)
        sum += in[(size_t)row * columns + i];
    for (int away = 16; away > 0; away /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, away);
    if (threadIdx.x % 32 == 0)
        out[row] = sum;
}

static void check_sum_rows(int rows, int columns)
{
    std::vector<int> in((size_t)rows * columns), expected(rows);
    int all = 0;
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < columns; i++)
            expected[row] += in[(size_t)row * columns + i] =
                (int)(random_word(row * columns + i) % 100);
        all += expected[row] * (row + 1);
    }
    device_array<int> values(in), sums(rows), total(1), again(rows);
    sum_rows<<<rows, THREADS>>>(values.data, sums.data, total.data, columns);
    sum_rows_by_warps<<<(rows + 2) / 3, 96>>>(values.data, again.data, rows, columns);
    LAUNCHED();
    EXPECT(sums.host() == expected);
    EXPECT(again.host() == expected);
    EXPECT(total.host()[0] == all);
    result("rows", sums.host());
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    for (int bits : {0, 1, 2, 6, 63}) {
        check_halve(41, bits);
        check_halve(dim3(7, 6), bits);
    }
    check_halve(1500, 508);
    for (int columns : {1, 128, 1000, 1920, 5000})
        check_sum_rows(37, columns);
    return program_end();
}
