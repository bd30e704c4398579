/* Loops in which the threads of a block stride over memory, of which warps may take turns: as long for all warps of a block and not,
 * entered by some of them alone, left and ended in within, behind threads that have ended, one behind another, with barriers
 * around them and without; blocks of one row and several, of one warp and of part of one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { N = 20011, BLOCKS = 3, MOST_THREADS = 256 };

static int value_of(int i)
{
    return (int)((unsigned)i * 2654435761u >> 20);
}

__device__ int number_of_thread()
{
    return (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/* Each thread its own sum. */
__global__ void sum_own(int *out, const int *in, int n)
{
    const int all = gridDim.x * blockDim.x * blockDim.y;
    unsigned sum = 0;
    for (int i = number_of_thread(); i < n; i += all)
        sum = sum * 3 + (unsigned)in[i];
    out[number_of_thread()] = (int)sum;
}

/* With a barrier before, one behind, and a second loop that needs the first one's results. */
__global__ void sum_twice(int *out, const int *in, int n)
{
    __shared__ int first[MOST_THREADS], counts[16];
    const int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    const int all = gridDim.x * threads;
    int sum = 0, other = 0;
    if (t < 16)
        counts[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * threads + t; i < n; i += all) {
        sum += in[i];
        atomicAdd(&counts[in[i] & 15], 1);
    }
    first[t] = sum;
    __syncthreads();
    for (int i = blockIdx.x * threads + t; i < n / 2; i += all)
        other ^= in[i] + first[(t + 1) % threads];
    out[blockIdx.x * threads + t] = sum + other + counts[t & 15];
}

/* Only some threads go in; some of the others have ended; those that find what they look for leave, or end. */
__global__ void search(int *out, const int *in, int n, int from, int to, int gone)
{
    const int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    const int me = blockIdx.x * threads + t, all = gridDim.x * threads;
    int turns = -1;
    out[me] = -2;
    if (t >= gone)
        return;
    if (t >= from && t < to) {
        turns = 0;
        for (int i = me; i < n; i += all) {
            if (in[i] % 61 == 7)
                break;
            if (in[i] % 67 == 9) {
                out[me] = 1000 + turns;
                return;
            }
            turns++;
        }
    }
    out[me] = turns;
}

/* The same bounds with barriers that all who live come to. */
__global__ void search_between(int *out, const int *in, int n, int from, int to)
{
    __shared__ int found[MOST_THREADS];
    const int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    const int me = blockIdx.x * threads + t, all = gridDim.x * threads;
    found[t] = t;
    __syncthreads();
    if (t < to) {
        int sum = 0;
        for (int i = t < from ? n : me; i < n; i += all)
            sum += in[i] ^ found[(t + 1) % to];
        out[me] = sum;
    } else {
        out[me] = -1;
    }
    __syncthreads();
    out[me] += found[(t + 1) % threads];
}

/* Rows of threads stride and wait, while the rows between wait elsewhere from the start. */
__global__ void wait_elsewhere(int *out, const int *in, int n)
{
    __shared__ int sums[MOST_THREADS];
    const int t = threadIdx.y * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    if (threadIdx.y % 2 == 1) {
        __syncthreads();
        out[blockIdx.x * blockDim.x * blockDim.y + t] = sums[t - blockDim.x] + 1;
        return;
    }
    int sum = (int)threadIdx.y;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)
        sum += in[i];
    sums[t] = sum;
    __syncthreads();
    out[blockIdx.x * blockDim.x * blockDim.y + t] = sum - (int)threadIdx.y;
}

static std::vector<int> input, given;
static int *in, *out;

template <class F> static void expect_all(const char *name, dim3 block, F value)
{
    const int threads = (int)(block.x * block.y), all = BLOCKS * threads;
    int wrong = 0;
    LAUNCHED();
    CUDA(cudaMemcpy(given.data(), out, (size_t)all * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < all; i++)
        wrong += given[(size_t)i] != value(i / threads, i % threads);
    if (!EXPECT(wrong == 0))
        printf("%s of %u * %u: %d of %d\n", name, block.x, block.y, wrong, all);
    result(name, given.data(), (size_t)all * 4);
}

static int searched(int me, int t, int all, int n, int from, int to, int gone)
{
    int turns = 0;
    if (t >= gone)
        return -2;
    if (t < from || t >= to)
        return -1;
    for (int i = me; i < n; i += all, turns++)
        if (input[(size_t)i] % 61 == 7)
            return turns;
        else if (input[(size_t)i] % 67 == 9)
            return 1000 + turns;
    return turns;
}

static void try_elsewhere(int n)
{
    const int all = BLOCKS * 32;
    std::vector<int> sums((size_t)all);
    for (int i = 0; i < n; i++)
        sums[(size_t)(i % all)] += input[(size_t)i];
    wait_elsewhere<<<BLOCKS, dim3(32, 8)>>>(out, in, n);
    expect_all("wait_elsewhere", dim3(32, 8), [&](int b, int t) {
        const int row = t / 32;
        return sums[(size_t)(b * 32 + t % 32)] + (row % 2 == 1 ? row : 0);
    });
}

static void try_block(dim3 block, int n)
{
    const int threads = (int)(block.x * block.y), all = BLOCKS * threads;
    sum_own<<<BLOCKS, block>>>(out, in, n);
    expect_all("sum_own", block, [&](int b, int t) {
        unsigned sum = 0;
        for (int i = b * threads + t; i < n; i += all)
            sum = sum * 3 + (unsigned)input[(size_t)i];
        return (int)sum;
    });
    std::vector<int> sums((size_t)all), counts(BLOCKS * 16);
    for (int i = 0; i < n; i++) {
        sums[(size_t)(i % all)] += input[(size_t)i];
        counts[(size_t)(i % all / threads * 16 + (input[(size_t)i] & 15))]++;
    }
    sum_twice<<<BLOCKS, block>>>(out, in, n);
    if (threads >= 16)
        expect_all("sum_twice", block, [&](int b, int t) {
            int other = 0;
            for (int i = b * threads + t; i < n / 2; i += all)
                other ^= input[(size_t)i] + sums[(size_t)(b * threads + (t + 1) % threads)];
            return sums[(size_t)(b * threads + t)] + other + counts[(size_t)(b * 16 + (t & 15))];
        });
    const int bounds[][3] = {{0, threads, threads},
                             {0, 32, threads},
                             {40, 90, threads},
                             {0, threads, threads - 1},
                             {3, threads, 50}};
    for (const auto &bound : bounds) {
        search<<<BLOCKS, block>>>(out, in, n, bound[0], bound[1], bound[2]);
        expect_all("search", block, [&](int b, int t) {
            return searched(b * threads + t, t, all, n, bound[0], bound[1], bound[2]);
        });
        const int to = bound[1] < threads ? bound[1] : threads;
        search_between<<<BLOCKS, block>>>(out, in, n, bound[0], to);
        expect_all("search_between", block, [&](int b, int t) {
            int sum = t < to ? 0 : -1;
            for (int i = t >= to || t < bound[0] ? n : b * threads + t; i < n; i += all)
                sum += input[(size_t)i] ^ (t + 1) % to;
            return sum + (t + 1) % threads;
        });
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    for (int i = 0; i < N; i++)
        input.push_back(value_of(i));
    given.resize(BLOCKS * MOST_THREADS);
    CUDA(cudaMalloc(&in, N * 4));
    CUDA(cudaMalloc(&out, BLOCKS * MOST_THREADS * 4));
    CUDA(cudaMemcpy(in, input.data(), N * 4, cudaMemcpyHostToDevice));
    const dim3 blocks[] = {{256, 1}, {64, 4}, {128, 1}, {16, 16},
                           {100, 1}, {32, 1}, {20, 1},  {33, 3}};
    for (const dim3 block : blocks)
        for (int n :
             {(int)N, 16 * BLOCKS * 256, 16 * BLOCKS * 256 + 40, 17 * BLOCKS * 128 + 7, 33, 0})
            try_block(block, n);
    for (int n : {(int)N, 33, 0})
        try_elsewhere(n);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    return program_end();
}
