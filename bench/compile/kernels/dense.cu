// Matrices: transposed, multiplied, taken apart.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void matmul(float *c, const float *a, const float *b, int width_a, int width_b)
{
    enum { TILE = 16 };
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int first = width_a * TILE * blockIdx.y, last = first + width_a - 1;
    float sum = 0;
    for (int i = first, j = TILE * blockIdx.x; i <= last; i += TILE, j += TILE * width_b) {
        as[ty][tx] = a[i + width_a * ty + tx];
        bs[ty][tx] = b[j + width_b * ty + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[width_b * TILE * blockIdx.y + TILE * blockIdx.x + width_b * ty + tx] = sum;
}

// One tile on the diagonal of a matrix becomes L and U, column after column.
extern "C" __global__ void lu_diagonal(float *m, int size, int offset)
{
    enum { TILE = 16 };
    __shared__ float tile[TILE][TILE];
    const int t = threadIdx.x;
    for (int i = 0; i < TILE; i++)
        tile[i][t] = m[(offset + i) * size + offset + t];
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++)
                tile[t][i] -= tile[t][j] * tile[j][i];
            tile[t][i] /= tile[i][i];
        }
        __syncthreads();
        if (t > i)
            for (int j = 0; j < i + 1; j++)
                tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
        __syncthreads();
    }
    for (int i = 1; i < TILE; i++)
        m[(offset + i) * size + offset + t] = tile[i][t];
}

// A row for each warp, compressed.
extern "C" __global__ void sparse_rows(const int *starts, const int *columns, const float *values, const float *x, float *y,
                                       int rows)
{
    const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = starts[row] + lane; j < starts[row + 1]; j += 32)
        sum += values[j] * x[columns[j]];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0)
        y[row] += sum;
}
