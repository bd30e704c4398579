/* Matrices: products naive, tiled and with several results a thread, in float, double and int; sparse rows (CSR) of a
 * struct of device pointers; Floyd's shortest paths.
 * Pointers live in a struct parameter here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

template <class T> __global__ void naive(T *c, const T *a, const T *b, int m, int n, int k)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    T sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

template <class T, int size>
__global__ void tiled(T *c, const T *a, const T *b, int m, int n, int k)
{
    __shared__ T left[size][size], right[size][size];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * size + x, row = blockIdx.y * size + y;
    T sum = 0;
    for (int first = 0; first < k; first += size) {
        left[y][x] = row < m && first + x < k ? a[row * k + first + x] : T(0);
        right[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < size; i++)
            sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

struct sparse {
    int rows;
    const int *starts, *columns;
    const float *values;
};

__global__ void multiply(float *y, sparse a, const float *x)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < a.rows) {
        float sum = 0;
        for (int i = a.starts[row]; i < a.starts[row + 1]; i++)
            sum += a.values[i] * x[a.columns[i]];
        y[row] = sum;
    }
}

/* A warp for each row. */
__global__ void multiply_by_warps(float *y, sparse a, const float *x)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= a.rows)
        return;
    float sum = 0;
    for (int i = a.starts[row] + lane; i < a.starts[row + 1]; i += 32)
        sum += a.values[i] * x[a.columns[i]];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[row] = sum;
}

__global__ void floyd(int *distance, int n, int via)
{
    const int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y;
    if (to < n)
        distance[from * n + to] =
            min(distance[from * n + to], distance[from * n + via] + distance[via * n + to]);
}

template <class T> static void products(const char *name)
{
    const int m = 45, n = 70, k = 33;
    std::vector<T> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; i++)
        a[i] = (T)((int)(random_word(i) % 32) - 16); /* small whole numbers: exact in any order */
    for (int i = 0; i < k * n; i++)
        b[i] = (T)((int)(random_word(i + 10000) % 32) - 16);
    for (int i = 0; i < m * n; i++)
        for (int j = 0; j < k; j++)
            c[i] += a[i / n * k + j] * b[j * n + i % n];
    device_array<T> da(a), db(b), first(m * n), second(m * n);
    naive<T><<<dim3(5, 6), dim3(16, 8)>>>(first.data, da.data, db.data, m, n, k);
    tiled<T, 16><<<dim3(5, 3), dim3(16, 16)>>>(second.data, da.data, db.data, m, n, k);
    LAUNCHED();
    EXPECT(first.host() == c && second.host() == c);
    result(name, first.host());
}

static void sparse_rows(void)
{
    const int rows = 200, width = 300;
    std::vector<int> starts(1), columns;
    std::vector<float> values, x(width), expected(rows);
    for (int i = 0; i < width; i++)
        x[i] = (float)(int)(random_word(i) % 100);
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < (int)(random_word(row) % 80); i++) {
            columns.push_back((int)(random_word(row * 100 + i) % width));
            values.push_back((float)(i - 20));
            expected[row] += values.back() * x[columns.back()];
        }
        starts.push_back((int)columns.size());
    }
    device_array<int> dstarts(starts), dcolumns(columns);
    device_array<float> dvalues(values), dx(x), y(rows), z(rows);
    const sparse a = {rows, dstarts.data, dcolumns.data, dvalues.data};
    multiply<<<2, 128>>>(y.data, a, dx.data);
    multiply_by_warps<<<rows / 4, 128>>>(z.data, a, dx.data);
    LAUNCHED();
    EXPECT(y.host() == expected && z.host() == expected);
    result("sparse", y.host());
}

static void paths(void)
{
    const int n = 60;
    std::vector<int> distance(n * n);
    for (int i = 0; i < n * n; i++)
        distance[i] = i % (n + 1) == 0          ? 0
                      : random_word(i) % 7 == 0 ? (int)(random_word(i) % 90)
                                                : 1000000;
    device_array<int> data(distance);
    for (int via = 0; via < n; via++) {
        floyd<<<dim3(1, n), 64>>>(data.data, n, via);
        for (int i = 0; i < n * n; i++) {
            const int through = distance[i / n * n + via] + distance[via * n + i % n];
            distance[i] = through < distance[i] ? through : distance[i];
        }
    }
    LAUNCHED();
    EXPECT(data.host() == distance);
    result("paths", distance);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    products<float>("float");
    products<double>("double");
    products<int>("int");
    products<long long>("long");
    sparse_rows();
    paths();
    return program_end();
}
