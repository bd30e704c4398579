/* Threads at edges leave out a load, some arithmetic, or both, that their neighbours do: in shared and global memory, of words and bytes,
 * inside loops and under other conditions, where all of a warp, some or none do it; memory begins and ends where arrays do.
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>

#include "program.h"

enum { STRIP = 256, ROWS = 7, WIDTH = 1000 };

__device__ int place_of_thread()
{
    return blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
}

/* The least of three, row after row, as far as a strip and an array go. */
__global__ void go(int *to, const int *from, const int *cost, int width, int rows)
{
    __shared__ int last[STRIP], now[STRIP];
    const int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    const int x = (int)blockIdx.x * (threads - 2 * rows) - rows + t;
    const bool is_in = x >= 0 && x < width;
    if (is_in)
        last[t] = from[x];
    __syncthreads();
    for (int i = 0; i < rows; i++) {
        const bool does = is_in && t >= i + 1 && t <= threads - 2 - i;
        if (does) {
            int best = last[t];
            if (x > 0)
                best = min(best, last[t - 1]);
            if (x < width - 1)
                best = min(best, last[t + 1]);
            now[t] = best + cost[i * width + x];
        }
        __syncthreads();
        if (does)
            last[t] = now[t];
        __syncthreads();
    }
    if (is_in && t >= rows && t < threads - rows)
        to[x] = last[t];
}

/* Neighbours in global memory, of which an array's ends have one. */
template <class T> __global__ void sum(int *out, const T *in, int n)
{
    const int i = place_of_thread();
    if (i >= n)
        return;
    int sum = in[i];
    if (i > 0)
        sum += 3 * in[i - 1];
    if (i < n - 1)
        sum -= 5 * in[i + 1];
    if (i >= 32 && i % 3 == 1)
        sum ^= in[i - 32];
    out[i] = sum;
}

/* What is computed under a condition is wanted behind it, or within alone, or was there before. */
__host__ __device__ inline int chosen(int i, int start)
{
    unsigned a = (unsigned)start, b = a * 7, c = (unsigned)i;
    for (unsigned turn = 0; turn < 5; turn++) {
        if (a % 3 == 0) {
            const unsigned d = a + turn;
            b = d * d;
            a = b - c;
        }
        if (b & 4)
            c = c * 5 + a;
        if (i & 32)
            a += 1;
        if ((int)c < 0) {
            c = 0 - c;
            b ^= c;
        }
        a = (a ^ turn) & 0xffff;
    }
    return (int)(a + b * 3 + c * 11);
}

__global__ void choose(int *out, const int *in, int n)
{
    const int i = place_of_thread();
    if (i < n)
        out[i] = chosen(i, in[i]);
}

static int value_of(int i)
{
    return (int)((unsigned)i * 2654435761u >> 21);
}

template <class F> static void expect(const char *name, dim3 block, const int *out, int n, F value)
{
    std::vector<int> given((size_t)n);
    int wrong = 0;
    LAUNCHED();
    CUDA(cudaMemcpy(given.data(), out, (size_t)n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += given[(size_t)i] != value(i);
    if (!EXPECT(wrong == 0))
        printf("%s of %u * %u, %d: %d wrong\n", name, block.x, block.y, n, wrong);
    result(name, given.data(), (size_t)n * 4);
}

template <class T> static T *on_device(const std::vector<T> &values)
{
    T *memory;
    CUDA(cudaMalloc(&memory, values.size() * sizeof(T)));
    CUDA(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <class T> static void try_sum(dim3 block, int n)
{
    std::vector<T> values((size_t)n);
    for (int i = 0; i < n; i++)
        values[(size_t)i] = (T)value_of(i);
    T *in = on_device(values);
    int *out = on_device(std::vector<int>((size_t)n));
    const int threads = (int)(block.x * block.y);
    sum<<<(n + threads - 1) / threads, block>>>(out, in, n);
    expect("sum", block, out, n, [&](int i) {
        int sum = values[(size_t)i];
        if (i > 0)
            sum += 3 * values[(size_t)i - 1];
        if (i < n - 1)
            sum -= 5 * values[(size_t)i + 1];
        return i >= 32 && i % 3 == 1 ? sum ^ values[(size_t)i - 32] : sum;
    });
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

static void try_go(dim3 block, int width)
{
    const int threads = (int)(block.x * block.y);
    std::vector<int> costs((size_t)width * ROWS), from((size_t)width), next;
    for (int i = 0; i < width * ROWS; i++)
        costs[(size_t)i] = value_of(i) % 100;
    for (int i = 0; i < width; i++)
        from[(size_t)i] = value_of(i + 77) % 100;
    int *cost = on_device(costs), *start = on_device(from), *out = on_device(std::vector<int>((size_t)width));
    const int kept = threads - 2 * ROWS;
    go<<<(width + kept - 1) / kept, block>>>(out, start, cost, width, ROWS);
    for (int row = 0; row < ROWS; row++) {
        next = from;
        for (int x = 0; x < width; x++) {
            int best = from[(size_t)x];
            if (x > 0)
                best = std::min(best, from[(size_t)x - 1]);
            if (x < width - 1)
                best = std::min(best, from[(size_t)x + 1]);
            next[(size_t)x] = best + costs[(size_t)(row * width + x)];
        }
        from = next;
    }
    expect("go", block, out, width, [&](int x) { return from[(size_t)x]; });
    CUDA(cudaFree(cost));
    CUDA(cudaFree(start));
    CUDA(cudaFree(out));
}

static void try_choose(dim3 block, int n)
{
    std::vector<int> values((size_t)n);
    for (int i = 0; i < n; i++)
        values[(size_t)i] = value_of(i);
    int *in = on_device(values), *out = on_device(std::vector<int>((size_t)n));
    const int threads = (int)(block.x * block.y);
    choose<<<(n + threads - 1) / threads, block>>>(out, in, n);
    expect("choose", block, out, n, [&](int i) { return chosen(i, values[(size_t)i]); });
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const dim3 blocks[] = {{256, 1}, {64, 1}, {40, 1}, {32, 4}, {16, 16}, {13, 5}};
    for (const dim3 block : blocks)
        for (int n : {1, 31, 33, (int)WIDTH, 4096}) {
            try_go(block, n);
            try_sum<int>(block, n);
            try_sum<unsigned char>(block, n);
            try_sum<short>(block, n);
            try_choose(block, n);
        }
    return program_end();
}
