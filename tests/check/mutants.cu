/* Correct kernels, and mutants of each (mutants.h): without a guard of bounds or an initialisation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mutants.h"

enum {
    N = 1000,
    BLOCK = 128,
    BLOCKS = (N + BLOCK - 1) / BLOCK,
    WIDTH = 50,
    HEIGHT = 37,
    TILE = 16
};

static const dim3 tiles((WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE), tile(TILE, TILE);

/* ---- Elementwise ---- */

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(1, i < n))
        c[i] = a[i] + b[i];
}

static void run_add()
{
    array<float> a(N, 1, 1), b(N, 2, 3), c(N);
    add<<<BLOCKS, BLOCK>>>(a.device, b.device, c.device, N);
    c.fetch();
}

__global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(1, i < n))
        y[i] += a * x[i];
}

static void run_saxpy()
{
    array<float> x(N, 1, 1), y(N);
    y.zero(2);
    saxpy<<<BLOCKS, BLOCK>>>(y.device, x.device, 2, N);
    y.fetch();
}

__global__ void clamp(const int *in, int *out, int low, int high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(1, i < n)) {
        int v = in[i];
        out[i] = v < low ? low : v > high ? high : v;
    }
}

static void run_clamp()
{
    array<int> in(N, -40, 1), out(N);
    clamp<<<BLOCKS, BLOCK>>>(in.device, out.device, -10, 10, N);
    out.fetch();
}

__global__ void gray(const uchar4 *rgba, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && GUARD(1, y < height)) {
        uchar4 p = rgba[y * width + x];
        out[y * width + x] = (unsigned char)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
    }
}

static void run_gray()
{
    array<int> in(WIDTH * HEIGHT, 100000, 777);
    array<unsigned char> out(WIDTH * HEIGHT);
    gray<<<tiles, tile>>>((uchar4 *)in.device, out.device, WIDTH, HEIGHT);
    out.fetch();
}

__global__ void gather(const int *from, const int *index, int *to, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(1, i < n)) {
        int at = index[i];
        to[i] = GUARD(2, at >= 0 && at < count) ? from[at] : 0;
    }
}

static void run_gather()
{
    array<int> from(64, 1, 1), index(N, -8, 1), to(N);
    gather<<<BLOCKS, BLOCK>>>(from.device, index.device, to.device, N, 64);
    to.fetch();
}

__global__ void scatter(const int *index, int *to, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(1, i < n) && GUARD(2, index[i] < count))
        to[index[i]] = 1;
}

static void run_scatter()
{
    array<int> index(N, 0, 1), to(80);
    to.zero(3);
    scatter<<<BLOCKS, BLOCK>>>(index.device, to.device, N, 64);
    to.fetch();
}

/* ---- Neighbours ---- */

__global__ void blur(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(1, i < n)) {
        float left = GUARD(2, i > 0) ? in[i - 1] : 0, right = GUARD(3, i + 1 < n) ? in[i + 1] : 0;
        out[i] = (left + in[i] + right) / 3;
    }
}

static void run_blur()
{
    array<float> in(N, 1, 1), out(N);
    blur<<<BLOCKS, BLOCK>>>(in.device, out.device, N);
    out.fetch();
}

__global__ void stencil(const float *in, float *out, int n)
{
    __shared__ float part[BLOCK + 2];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    INIT(1, part[t] = i < n ? in[i] : 0);
    if (threadIdx.x == 0)
        INIT(2, part[0] = i > 0 ? in[i - 1] : 0);
    if (threadIdx.x == blockDim.x - 1)
        INIT(3, part[t + 1] = i + 1 < n ? in[i + 1] : 0);
    __syncthreads();
    if (GUARD(4, i < n))
        out[i] = part[t - 1] + part[t] + part[t + 1];
}

static void run_stencil()
{
    array<float> in(N, 1, 1), out(N);
    stencil<<<BLOCKS, BLOCK>>>(in.device, out.device, N);
    out.fetch();
}

__global__ void life(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || !GUARD(1, y < height))
        return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if ((dx || dy) && GUARD(2, y + dy >= 0) && GUARD(3, y + dy < height) && x + dx >= 0 &&
                x + dx < width)
                alive += in[(y + dy) * width + x + dx];
    out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

static void run_life()
{
    array<unsigned char> in(WIDTH * HEIGHT), out(WIDTH * HEIGHT);
    in.zero(4);
    life<<<tiles, tile>>>(in.device, out.device, WIDTH, HEIGHT);
    out.fetch();
}

__global__ void convolve(const float *in, const float *weights, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (!GUARD(1, y < height) || x >= width)
        return;
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            int at_x = min(max(x + i, 0), width - 1);
            int at_y = mutant == 2 ? y + j : min(max(y + j, 0), height - 1);
            sum += in[at_y * width + at_x] * weights[(j + 2) * 5 + i + 2];
        }
    out[y * width + x] = sum;
}

static void run_convolve()
{
    array<float> in(WIDTH * HEIGHT, 1, 1), weights(25), out(WIDTH * HEIGHT);
    weights.zero(3);
    convolve<<<tiles, tile>>>(in.device, weights.device, out.device, WIDTH, HEIGHT);
    out.fetch();
}

/* ---- Matrices ---- */

__global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float part[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && GUARD(1, y < height))
        INIT(2, part[threadIdx.y][threadIdx.x] = in[y * width + x]);
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && GUARD(3, y < width))
        out[y * height + x] = part[threadIdx.x][threadIdx.y];
}

static void run_transpose()
{
    array<float> in(WIDTH * HEIGHT, 1, 1), out(WIDTH * HEIGHT);
    transpose<<<tiles, tile>>>(in.device, out.device, WIDTH, HEIGHT);
    out.fetch();
}

__global__ void multiply(const float *a, const float *b, float *c, int n, int m, int k)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
        int at = t * TILE + threadIdx.x, down = t * TILE + threadIdx.y;
        INIT(1, left[threadIdx.y][threadIdx.x] = GUARD(2, y < n) && at < k ? a[y * k + at] : 0.0f);
        INIT(3, right[threadIdx.y][threadIdx.x] =
                    x < m && GUARD(4, down < k) ? b[down * m + x] : 0.0f);
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (x < m && GUARD(5, y < n))
        c[y * m + x] = sum;
}

static void run_multiply()
{
    array<float> a(HEIGHT * 21, 1, 1), b(21 * WIDTH, 2, 1), c(HEIGHT * WIDTH);
    multiply<<<tiles, tile>>>(a.device, b.device, c.device, HEIGHT, WIDTH, 21);
    c.fetch();
}

__global__ void sparse(const int *rows, const int *columns, const float *values, const float *x,
                       float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(1, row < n)) {
        float sum = 0;
        for (int i = rows[row]; i < rows[row + 1]; i++)
            sum += values[i] * x[columns[i]];
        y[row] = sum;
    }
}

static void run_sparse()
{
    std::vector<int> starts(N + 1);
    for (int i = 0; i <= N; i++)
        starts[i] = i < 900 ? i : 900;
    array<int> rows(N + 1), columns(900);
    array<float> values(900, 1, 1), x(N), y(N);
    cudaMemcpy(rows.device, starts.data(), (N + 1) * sizeof(int), cudaMemcpyHostToDevice);
    columns.zero(2);
    x.zero(3);
    sparse<<<BLOCKS, BLOCK>>>(rows.device, columns.device, values.device, x.device, y.device, N);
    y.fetch();
}

__global__ void rows_sum(const float *in, float *out, int width, int height)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (!GUARD(1, y < height))
        return;
    float sum = 0;
    for (int x = 0; x < width; x++)
        sum += in[y * width + x];
    out[y] = sum;
}

static void run_rows_sum()
{
    array<float> in(WIDTH * HEIGHT), out(HEIGHT);
    in.zero(2);
    rows_sum<<<1, 64>>>(in.device, out.device, WIDTH, HEIGHT);
    out.fetch();
}

/* ---- Sums ---- */

__global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int part[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    INIT(1, part[threadIdx.x] = GUARD(2, i < n) ? in[i] : 0);
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (GUARD(3, threadIdx.x < s))
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, part[0]);
}

static void run_reduce()
{
    array<int> in(N, 1, 1), out(1);
    out.zero(4);
    reduce<<<BLOCKS, BLOCK>>>(in.device, out.device, N);
    out.fetch();
}

/* The last block alone leaves the course of the others. */
__global__ void reduce_late(const int *in, int *out)
{
    __shared__ int part[BLOCK];
    const int number = blockIdx.x + 1 == gridDim.x ? mutant : 0;
    const int t = threadIdx.x;
    if (number != 1 || t != BLOCK / 2)
        part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s + (number == 2 && s == BLOCK / 2 ? 1 : 0)];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

static void run_reduce_late()
{
    array<int> in(8 * BLOCK, 1, 1), out(8);
    reduce_late<<<8, BLOCK>>>(in.device, out.device);
    out.fetch();
}

__global__ void dot(const float *a, const float *b, float *out, int n)
{
    __shared__ float part[BLOCK];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    INIT(1, part[threadIdx.x] = sum);
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        INIT(2, out[blockIdx.x] = part[0]);
}

static void run_dot()
{
    array<float> a(N, 1, 1), b(N), out(4);
    b.zero(3);
    dot<<<4, BLOCK>>>(a.device, b.device, out.device, N);
    out.fetch();
}

__global__ void scan(const int *in, int *out, int n)
{
    __shared__ int part[2][BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, now = 0;
    INIT(1, part[0][t] = GUARD(2, i < n) ? in[i] : 0);
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        if (t >= step)
            part[1 - now][t] = part[now][t] + part[now][t - step];
        else
            INIT(3, part[1 - now][t] = part[now][t]);
        now = 1 - now;
        __syncthreads();
    }
    if (GUARD(4, i < n))
        out[i] = part[now][t];
}

static void run_scan()
{
    array<int> in(N, 1, 1), out(N);
    scan<<<BLOCKS, BLOCK>>>(in.device, out.device, N);
    out.fetch();
}

__global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned part[64];
    if (GUARD(1, threadIdx.x < 64))
        INIT(2, part[threadIdx.x] = 0);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(3, i < n))
        atomicAdd(&part[in[i] & 63], 1);
    __syncthreads();
    if (GUARD(4, threadIdx.x < 64))
        atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}

static void run_histogram()
{
    array<unsigned char> in(N, 0, 5);
    array<unsigned> bins(64);
    bins.zero(5);
    histogram<<<BLOCKS, BLOCK>>>(in.device, bins.device, N);
    bins.fetch();
}

__global__ void largest(const int *in, int *out, int n)
{
    __shared__ int best[BLOCK];
    int mine = -1;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine = max(mine, in[i]);
    INIT(1, best[threadIdx.x] = mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < BLOCK; i++)
            if (best[i] > mine)
                mine = best[i];
        INIT(2, *out = mine);
    }
}

static void run_largest()
{
    array<int> in(N, 1, 1), out(1);
    largest<<<1, BLOCK>>>(in.device, out.device, N);
    out.fetch();
}

/* ---- Order ---- */

__global__ void sort(int *values, int n)
{
    __shared__ int part[BLOCK];
    int t = threadIdx.x;
    INIT(1, part[t] = GUARD(2, t < n) ? values[t] : 0x7fffffff);
    __syncthreads();
    for (int k = 2; k <= BLOCK; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t && (part[t] > part[other]) == ((t & k) == 0)) {
                int kept = part[t];
                part[t] = part[other];
                part[other] = kept;
            }
            __syncthreads();
        }
    if (GUARD(3, t < n))
        values[t] = part[t];
}

static void run_sort()
{
    array<int> values(100, 90, -1);
    sort<<<1, BLOCK>>>(values.device, 100);
    values.fetch();
}

__global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(1, i < n) && in[i] > 20)
        out[atomicAdd(count, 1)] = in[i];
}

static void run_compact()
{
    array<int> in(N, 0, 1), out(N), count(1);
    count.zero(2);
    out.zero(0);
    cudaMemset(out.device, 0, N * sizeof(int));
    compact<<<BLOCKS, BLOCK>>>(in.device, out.device, count.device, N);
    out.fetch();
    count.fetch();
}

__global__ void levels(const int *starts, const int *edges, int *level, int now, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (!GUARD(1, v < n) || level[v] != now)
        return;
    for (int i = starts[v]; i < starts[v + 1]; i++)
        if (level[edges[i]] < 0)
            level[edges[i]] = now + 1;
}

static void run_levels()
{
    std::vector<int> from(101), to(100), first(100, -1);
    for (int i = 0; i <= 100; i++)
        from[i] = i;
    for (int i = 0; i < 100; i++)
        to[i] = (i + 1) % 100;
    first[0] = 0;
    array<int> starts(101), edges(100), level(100);
    cudaMemcpy(starts.device, from.data(), 404, cudaMemcpyHostToDevice);
    cudaMemcpy(edges.device, to.data(), 400, cudaMemcpyHostToDevice);
    if (mutant_of_host != 2)
        cudaMemcpy(level.device, first.data(), 400, cudaMemcpyHostToDevice);
    for (int i = 0; i < 4; i++)
        levels<<<1, BLOCK>>>(starts.device, edges.device, level.device, i, 100);
    level.fetch();
}

/* ---- Rows of values ---- */

__global__ void softmax(const float *in, float *out, int width, int height)
{
    __shared__ float part[64], sums[64];
    const float *row = in + blockIdx.x * width;
    float most = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        most = fmaxf(most, row[i]);
    INIT(1, part[threadIdx.x] = most);
    __syncthreads();
    for (int i = 0; i < 64; i++)
        most = fmaxf(most, part[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        sum += expf(row[i] - most);
    INIT(2, sums[threadIdx.x] = sum);
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 64; i++)
        sum += sums[i];
    if (GUARD(3, threadIdx.x < width))
        out[blockIdx.x * width + threadIdx.x] = expf(row[threadIdx.x] - most) / sum;
}

static void run_softmax()
{
    array<float> in(WIDTH * HEIGHT, 1, 1), out(WIDTH * HEIGHT);
    softmax<<<HEIGHT, 64>>>(in.device, out.device, WIDTH, HEIGHT);
    out.fetch();
}

struct particle {
    float x, y, z, weight;
};

__global__ void bodies(const particle *all, float3 *force, int n)
{
    __shared__ particle part[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 sum = {0, 0, 0};
    particle own = GUARD(1, i < n) ? all[i] : particle{0, 0, 0, 0};
    for (int from = 0; from < n; from += BLOCK) {
        int j = from + threadIdx.x;
        INIT(2, part[threadIdx.x] = GUARD(3, j < n) ? all[j] : (particle{0, 0, 0, 0}));
        __syncthreads();
        for (int k = 0; k < BLOCK; k++) {
            float dx = part[k].x - own.x, dy = part[k].y - own.y, dz = part[k].z - own.z;
            float scale = part[k].weight / (dx * dx + dy * dy + dz * dz + 1);
            sum.x += scale * dx;
            sum.y += scale * dy;
            sum.z += scale * dz;
        }
        __syncthreads();
    }
    if (GUARD(4, i < n))
        force[i] = sum;
}

static void run_bodies()
{
    array<particle> all(200);
    array<float3> force(200);
    cudaMemset(all.device, 0, 200 * sizeof(particle));
    bodies<<<2, BLOCK>>>(all.device, force.device, 200);
    force.fetch();
}

__global__ void search(const int *keys, const int *sorted, int *found, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!GUARD(1, i < n))
        return;
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < keys[i])
            low = middle + 1;
        else
            high = middle;
    }
    found[i] = GUARD(2, low < count) && sorted[low] == keys[i] ? low : -1;
}

static void run_search()
{
    array<int> keys(N), sorted(64, 0, 1), found(N);
    std::vector<int> values(N, 70);
    if (mutant_of_host != 3)
        cudaMemcpy(keys.device, values.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    search<<<BLOCKS, BLOCK>>>(keys.device, sorted.device, found.device, N, 64);
    found.fetch();
}

__global__ void words_split(const char *text, int *starts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (GUARD(1, i < n))
        starts[i] = text[i] != ' ' && (!GUARD(2, i > 0) || text[i - 1] == ' ');
}

static void run_words_split()
{
    array<char> text(N, 33, 1);
    array<int> starts(N);
    words_split<<<BLOCKS, BLOCK>>>(text.device, starts.device, N);
    starts.fetch();
}

__global__ void linked(int *next, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int length = 0;
    if (!GUARD(1, i < n))
        return;
    for (int at = i; at >= 0 && length < 8; at = next[at])
        length++;
    out[i] = length;
}

static void run_linked()
{
    array<int> next(N), out(N);
    std::vector<int> values(N);
    for (int i = 0; i < N; i++)
        values[i] = i % 5 ? i - 1 : -1;
    if (mutant_of_host != 2)
        cudaMemcpy(next.device, values.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    linked<<<BLOCKS, BLOCK>>>(next.device, out.device, N);
    out.fetch();
}

__global__ void on_heap(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!GUARD(1, i < n))
        return;
    int *own = (int *)malloc(4 * sizeof(int));
    for (int k = 0; k < 4; k++)
        INIT(2, own[k] = i + k);
    int sum = 0;
    for (int k = 0; k < 4 + (mutant == 3); k++)
        sum += own[k];
    out[i] = sum;
    free(own);
}

static void run_on_heap()
{
    array<int> out(100);
    on_heap<<<1, BLOCK>>>(out.device, 100);
    out.fetch();
}

static const kernel kernels[] = {
    KERNEL(add, 1, 0x2),      KERNEL(saxpy, 2, 0x6),       KERNEL(clamp, 1, 0x2),
    KERNEL(gray, 1, 0x2),     KERNEL(gather, 2, 0x6),      KERNEL(scatter, 3, 0xe),
    KERNEL(blur, 3, 0xe),     KERNEL(stencil, 4, 0x1e),    KERNEL(life, 4, 0x1e),
    KERNEL(convolve, 3, 0xa), KERNEL(transpose, 3, 0xe),   KERNEL(multiply, 5, 0x3e),
    KERNEL(sparse, 3, 0xe),   KERNEL(rows_sum, 2, 0x6),    KERNEL(reduce, 4, 0x1e),
    KERNEL(dot, 3, 0xe),      KERNEL(scan, 4, 0x1e),       KERNEL(histogram, 5, 0x3e),
    KERNEL(largest, 2, 0x6),  KERNEL(sort, 3, 0xe),        KERNEL(compact, 2, 0x6),
    KERNEL(levels, 2, 0x2),   KERNEL(softmax, 3, 0xe),     KERNEL(bodies, 4, 0x1e),
    KERNEL(search, 3, 0x6),   KERNEL(words_split, 2, 0x6), KERNEL(linked, 2, 0x2),
    KERNEL(on_heap, 3, 0x6),  KERNEL(reduce_late, 2, 0),
};

int main(int argc, char **argv)
{
    return run_kernels(argc, argv, kernels);
}
