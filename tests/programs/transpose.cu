/* Transposes: row by row, column by column, by tiles in shared memory with and without padding, several rows a thread,
 * and diagonal block order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const int tile = 32, rows = 8;

__global__ void naive_rows(float *out, const float *in, int width, int height)
{
    const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (x < width && y + j < height)
            out[x * height + y + j] = in[(y + j) * width + x];
}

__global__ void naive_columns(float *out, const float *in, int width, int height)
{
    const int x = blockIdx.y * tile + threadIdx.y, y = blockIdx.x * tile + threadIdx.x;
    for (int j = 0; j < tile; j += rows)
        if (x + j < width && y < height)
            out[(x + j) * height + y] = in[y * width + x + j];
}

template <int padding>
__global__ void tiled(float *out, const float *in, int width, int height, bool is_diagonal)
{
    __shared__ float block[tile][tile + padding];
    int bx = blockIdx.x, by = blockIdx.y;
    if (is_diagonal) {
        by = blockIdx.x % gridDim.y;
        bx = (blockIdx.x + blockIdx.y) % gridDim.x;
        if (gridDim.x != gridDim.y)
            bx = blockIdx.x, by = (blockIdx.x + blockIdx.y) % gridDim.y;
    }
    int x = bx * tile + threadIdx.x, y = by * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (x < width && y + j < height)
            block[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = by * tile + threadIdx.x;
    y = bx * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = block[threadIdx.x][threadIdx.y + j];
}

static void check(const char *name, const device_array<float> &out, const std::vector<float> &in,
                  int width, int height)
{
    LAUNCHED();
    const std::vector<float> got = out.host();
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += got[x * height + y] != in[y * width + x];
    EXPECT(wrong == 0);
    result(name, got);
    CUDA(cudaMemset(out.data, 0xff, out.count * sizeof(float)));
}

static void size(int width, int height)
{
    const std::vector<float> values = random_floats(width * height, -1, 1);
    device_array<float> in(values), out(width * height);
    const dim3 grid((width + tile - 1) / tile, (height + tile - 1) / tile), block(tile, rows);
    naive_rows<<<grid, block>>>(out.data, in.data, width, height);
    check("rows", out, values, width, height);
    naive_columns<<<dim3(grid.y, grid.x), block>>>(out.data, in.data, width, height);
    check("columns", out, values, width, height);
    tiled<0><<<grid, block>>>(out.data, in.data, width, height, false);
    check("tiled", out, values, width, height);
    tiled<1><<<grid, block>>>(out.data, in.data, width, height, false);
    check("padded", out, values, width, height);
    tiled<1><<<grid, block>>>(out.data, in.data, width, height, true);
    check("diagonal", out, values, width, height);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    size(128, 128);
    size(96, 200);
    size(61, 37);
    return program_end();
}
