/* Lanes of a warp that store at one place, each another value: NVIDIA's hardware keeps the first lane's (seen on an H200),
 * which sparse products count on that sum by shuffles and store from all lanes. Only of threads that meet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* Rows of numbers, eight threads to each: only the first has the sum. */
__global__ void sums_of_rows(const int *in, int *out, int rows, int columns)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x),
              groups = (int)(gridDim.x * blockDim.x) / 8;
    for (int row = t / 8; row < rows; row += groups) {
        int sum = 0;
        for (int i = t % 8; i < columns; i += 8)
            sum += in[row * columns + i];
        for (int step = 4; step > 0; step /= 2)
            sum += __shfl_down_sync(~0u, sum, step, 8);
        out[row] = sum;
    }
}

/* One place for a whole warp of blocks of one warp. */
__global__ void last_of_block(int *out)
{
    const int t = (int)threadIdx.x, next = __shfl_down_sync(~0u, t * 3 + 1, 1);
    out[blockIdx.x] = next + 100 * t;
}

int main(int count, char **arguments)
{
    const int rows = 64, columns = 37;
    program_begin(count, arguments);
    std::vector<int> values(rows * columns), expected(rows);
    for (int i = 0; i < rows * columns; i++) {
        values[i] = (int)(random_word(i) % 1000);
        expected[i / columns] += values[i];
    }
    device_array<int> in(values), out(rows), places(5);
    sums_of_rows<<<2, 64>>>(in.data, out.data, rows, columns);
    LAUNCHED();
    EXPECT(out.host() == expected);
    result("rows", out.host());
    last_of_block<<<5, 32>>>(places.data);
    LAUNCHED();
    EXPECT(places.host() == std::vector<int>(5, 4));
    result("blocks", places.host());
    return program_end();
}
