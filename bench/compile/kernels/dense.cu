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

// Tiles of 64 x 64, of which each of 16 x 16 threads has 4 x 4 results in registers; the next tiles are loaded ahead.
extern "C" __global__ void matmul(float *c, const float *a, const float *b, int m, int n, int depth)
{
    enum { TILE = 64, DEEP = 16, EACH = 4 };
    __shared__ float as[2][DEEP][TILE], bs[2][DEEP][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum[EACH][EACH] = {}, next_a[EACH], next_b[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int at = t + i * 256;
        as[0][at % DEEP][at / DEEP] = a[(row + at / DEEP) * depth + at % DEEP];
        bs[0][at / TILE][at % TILE] = b[at / TILE * n + column + at % TILE];
    }
    __syncthreads();
    int now = 0;
    for (int start = 0; start < depth; start += DEEP) {
        const bool is_last = start + DEEP >= depth;
        if (!is_last) {
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                const int at = t + i * 256;
                next_a[i] = a[(row + at / DEEP) * depth + start + DEEP + at % DEEP];
                next_b[i] = b[(start + DEEP + at / TILE) * n + column + at % TILE];
            }
        }
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            float of_a[EACH], of_b[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                of_a[i] = as[now][k][ty * EACH + i];
                of_b[i] = bs[now][k][tx * EACH + i];
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += of_a[i] * of_b[j];
        }
        if (!is_last) {
            now = 1 - now;
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                const int at = t + i * 256;
                as[now][at % DEEP][at / DEEP] = next_a[i];
                bs[now][at / TILE][at % TILE] = next_b[i];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (row + ty * EACH + i < m && column + tx * EACH + j < n)
                c[(row + ty * EACH + i) * n + column + tx * EACH + j] = sum[i][j];
}

// Tiles to the right of the diagonal's and below it: half of the threads do a row, half a column.
extern "C" __global__ void lu_perimeter(float *m, int size, int offset)
{
    enum { TILE = 16 };
    __shared__ float diagonal[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
    const int other = offset + (blockIdx.x + 1) * TILE;
    if (threadIdx.x < TILE) {
        const int t = threadIdx.x;
        for (int i = 0; i < TILE / 2; i++)
            diagonal[i][t] = m[(offset + i) * size + offset + t];
        for (int i = 0; i < TILE; i++)
            row[i][t] = m[(offset + i) * size + other + t];
    } else {
        const int t = threadIdx.x - TILE;
        for (int i = TILE / 2; i < TILE; i++)
            diagonal[i][t] = m[(offset + i) * size + offset + t];
        for (int i = 0; i < TILE; i++)
            column[i][t] = m[(other + i) * size + offset + t];
    }
    __syncthreads();
    if (threadIdx.x < TILE) {
        const int t = threadIdx.x;
        for (int i = 1; i < TILE; i++)
            for (int j = 0; j < i; j++)
                row[i][t] -= diagonal[i][j] * row[j][t];
    } else {
        const int t = threadIdx.x - TILE;
        for (int i = 0; i < TILE; i++) {
            for (int j = 0; j < i; j++)
                column[t][i] -= column[t][j] * diagonal[j][i];
            column[t][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (threadIdx.x < TILE) {
        const int t = threadIdx.x;
        for (int i = 1; i < TILE; i++)
            m[(offset + i) * size + other + t] = row[i][t];
    } else {
        const int t = threadIdx.x - TILE;
        for (int i = 0; i < TILE; i++)
            m[(other + i) * size + offset + t] = column[i][t];
    }
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
