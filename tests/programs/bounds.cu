/* Threads that have nothing to do since they are beyond a bound: comparisons of places along x and y, signed and not, alone and
 * joined, in blocks of all shapes, with bounds at every place of a warp and numbers that wrap around.
 * SPDX-License-Identifier: Apache-2.0 */
#include <climits>

#include "program.h"

enum { CASES = 10 };

static __host__ __device__ bool is_inside(int which, int x, int y, int n, int m)
{
    switch (which) {
    case 0:
        return x < n && y < m;
    case 1:
        return !(x >= n || y >= m);
    case 2:
        return x > n && y > m;
    case 3:
        return (unsigned)x < (unsigned)n && (unsigned)y <= (unsigned)m;
    case 4:
        return x > 0 && y > 0 && x < n - 1 && y < m - 1;
    case 5:
        return x < n;
    case 6:
        return y <= m;
    case 7:
        return x <= n || y <= m;
    case 8:
        return (unsigned)x >= (unsigned)n && y < m;
    default:
        return x != n && y >= m;
    }
}

static __host__ __device__ int moved(unsigned place, int by)
{
    return (int)(place + (unsigned)by);
}

template <int WHICH>
__global__ void count(unsigned char *out, int width, int right, int down, int n, int m)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x,
                   row = blockIdx.y * blockDim.y + threadIdx.y;
    if (is_inside(WHICH, moved(column, right), moved(row, down), n, m))
        out[row * width + column]++;
}

static std::vector<unsigned char> wanted(int which, int width, int height, int right, int down,
                                         int n, int m)
{
    std::vector<unsigned char> all((size_t)width * height);
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            all[(size_t)row * width + column] =
                is_inside(which, moved(column, right), moved(row, down), n, m);
    return all;
}

template <int WHICH> static void try_case(dim3 grid, dim3 block, int right, int down, int n, int m)
{
    const int width = grid.x * block.x, height = grid.y * block.y;
    const std::vector<unsigned char> all = wanted(WHICH, width, height, right, down, n, m);
    std::vector<unsigned char> got(all.size());
    unsigned char *out;
    CUDA(cudaMalloc(&out, all.size()));
    CUDA(cudaMemset(out, 0, all.size()));
    count<WHICH><<<grid, block>>>(out, width, right, down, n, m);
    LAUNCHED();
    CUDA(cudaMemcpy(got.data(), out, got.size(), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(out));
    if (!EXPECT(got == all))
        printf("case %d, blocks of %u x %u, from %d, %d, bounds %d, %d\n", WHICH, block.x, block.y,
               right, down, n, m);
}

template <int WHICH> static void try_bounds(dim3 grid, dim3 block)
{
    static const int starts[] = {0, -7, INT_MAX - 40, INT_MIN + 3, -40};
    for (int start : starts)
        for (int away = -1; away < 36; away += 3)
            try_case<WHICH>(grid, block, start, start, moved(away, start), moved(away / 2, start));
    try_case<WHICH>(grid, block, 0, 0, 1000, 1000);
    try_case<WHICH>(grid, block, 0, 0, -1, 7);
}

template <int WHICH> static void try_shapes()
{
    try_bounds<WHICH>(dim3(3, 2), dim3(16, 16));
    try_bounds<WHICH>(dim3(2, 3), dim3(32, 4));
    try_bounds<WHICH>(dim3(3, 3), dim3(16, 5));
    try_bounds<WHICH>(dim3(4, 2), dim3(8, 8));
    if constexpr (WHICH + 1 < CASES)
        try_shapes<WHICH + 1>();
}

int main(int argument_count, char **arguments)
{
    program_begin(argument_count, arguments);
    try_shapes<0>();
    return program_end();
}
