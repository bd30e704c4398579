/* Barriers: threads that leave before one, barriers in loops and branches that the whole block takes, named barriers of
 * part of a block, barriers that count and vote, and memory that __syncwarp orders.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* Threads beyond n return before the barriers. */
__global__ void early_exit(int *out, const int *in, int n)
{
    __shared__ int values[128];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    values[t] = -1;
    if (i >= n)
        return;
    values[t] = in[i];
    __syncthreads();
    const int other = t ^ 1;
    out[i] = blockIdx.x * blockDim.x + other < n ? values[other] : -7;
}

/* A variable whose address nobody takes, written by one thread; compilers may not read it before the barrier. */
__global__ void one_writes(int *out, const int *in, int n)
{
    __shared__ int value;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n)
        return;
    if (threadIdx.x == 0)
        value = in[blockIdx.x];
    __syncthreads();
    out[i] += value;
}

/* The number of rounds is the block's, the early end too. */
__global__ void in_loops(int *out, int rounds)
{
    __shared__ int values[64];
    const int t = threadIdx.x;
    values[t] = t;
    __syncthreads();
    for (int r = 0; r < rounds + (int)blockIdx.x; r++) {
        const int next = values[(t + 1) % 64];
        __syncthreads();
        values[t] = next + 1;
        __syncthreads();
        if (values[0] > 20 && blockIdx.x == 3)
            break;
    }
    if (blockIdx.x % 2 == 0) {
        __syncthreads();
        values[t] *= 2;
    }
    out[blockIdx.x * 64 + t] = values[t];
}

__global__ void counting(int *out)
{
    const int t = threadIdx.x;
    out[3 * t] = __syncthreads_count(t % 3 == 0);
    out[3 * t + 1] = __syncthreads_and(t < 100);
    out[3 * t + 2] = __syncthreads_or(t == 70) != 0;
}

/* Two halves of a block, each with a barrier of its own. */
__global__ void named(int *out)
{
    __shared__ int values[128];
    const int t = threadIdx.x;
    if (t < 64) {
        values[t] = t;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = values[63 - t];
    } else {
        values[t] = 2 * t;
        asm volatile("barrier.sync 2, 64;" ::: "memory");
        out[t] = values[191 - t];
        asm volatile("barrier.sync 2, 64;" ::: "memory");
        values[t] = 0;
    }
    __syncthreads();
    out[t] += values[127 - t] == 0 ? 1000 : 0;
}

__global__ void warps(int *out)
{
    __shared__ int values[64];
    const int t = threadIdx.x, first = t / 32 * 32;
    values[t] = t * t;
    __syncwarp();
    int sum = 0;
    for (int k = 0; k < 32; k++) {
        sum += values[first + (t + k) % 32];
        __syncwarp();
        if (k == 15)
            values[t] += 1;
        __syncwarp();
    }
    out[t] = sum;
}

/* Warps take different numbers of turns, and some threads leave between two barriers. */
__global__ void leaving(int *out)
{
    __shared__ int left;
    const int t = threadIdx.x;
    if (t == 0)
        left = 0;
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        if (t / 32 == round + 1) {
            atomicAdd(&left, 1);
            return;
        }
        __syncthreads();
        if (t == 0)
            out[round] = left;
        __syncthreads();
    }
}

/* Whole warps come to the block's barrier at two places, and some have ended before the next. */
__global__ void apart(int *out)
{
    __shared__ int values[128];
    const int t = threadIdx.x, warp = t / 32;
    if (warp % 2 == 0) {
        values[t] = t;
        asm volatile("bar.sync 0;" ::: "memory");
        out[t] = values[t + 32];
    } else {
        values[t] = 3 * t;
        asm volatile("bar.sync 0;" ::: "memory");
        out[t] = values[t - 32];
        if (warp == 3)
            return;
    }
    __syncthreads();
    out[t] += 1000 * values[95 - t];
}

/* Sums by halves, of a block that is one row or of each row of 32 threads, which all see in the end. */
#define HALVE(half)                                                                                \
    if (threadIdx.x < half)                                                                        \
        values[t] += values[t + half];                                                             \
    __syncthreads();
__global__ void halving(int *out, bool is_row)
{
    __shared__ int values[256];
    const int t = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    values[t] = t * t + blockIdx.x;
    __syncthreads();
    if (is_row) {
        HALVE(128) HALVE(64) HALVE(32)
    }
    HALVE(16)
    HALVE(8) HALVE(4) HALVE(2) HALVE(1) out[blockIdx.x * 256 + t] =
        values[t] + 3 * values[t / 32 * 32];
}

static std::vector<int> halved(int block, bool is_row)
{
    std::vector<int> values(256), result(256);
    for (int t = 0; t < 256; t++)
        values[t] = t * t + block;
    for (int half = is_row ? 128 : 16; half > 0; half /= 2)
        for (int t = 0; t < 256; t++)
            if ((is_row ? t : t % 32) < half)
                values[t] += values[t + half];
    for (int t = 0; t < 256; t++)
        result[t] = values[t] + 3 * values[t / 32 * 32];
    return result;
}

static void check_parting(void)
{
    device_array<int> out(128);
    apart<<<1, 128>>>(out.data);
    LAUNCHED();
    const std::vector<int> got = out.host();
    for (int t = 0; t < 128; t++) {
        const bool is_even = t / 32 % 2 == 0;
        const int met = is_even ? 3 * (t + 32) : t - 32;
        const int other = 95 - t, there = other / 32 % 2 == 0 ? other : 3 * other;
        EXPECT(got[t] == met + (t / 32 == 3 ? 0 : 1000 * there));
    }
}

static void check_halving(void)
{
    device_array<int> out(3 * 256);
    for (int is_row = 0; is_row < 2; is_row++) {
        halving<<<3, is_row ? dim3(256) : dim3(32, 8)>>>(out.data, is_row != 0);
        LAUNCHED();
        const std::vector<int> got = out.host();
        for (int block = 0; block < 3; block++) {
            const std::vector<int> expected = halved(block, is_row != 0);
            EXPECT(std::equal(expected.begin(), expected.end(), got.begin() + block * 256));
        }
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check_parting();
    check_halving();
    const int n = 300;
    std::vector<int> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (int)random_word(i);
    device_array<int> in(values), out(1000);
    early_exit<<<3, 128>>>(out.data, in.data, n);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == ((i ^ 1) < n ? values[i ^ 1] : -7));

    CUDA(cudaMemset(out.data, 0, 300 * sizeof(int)));
    one_writes<<<2, 128>>>(out.data, in.data, n);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < 256; i++)
        EXPECT(got[i] == values[i / 128]);
    in_loops<<<5, 64>>>(out.data, 30);
    LAUNCHED();
    got = out.host();
    for (int b = 0; b < 5; b++)
        for (int t = 0; t < 64; t++) {
            const int rounds = b == 3 ? 11 : 30 + b; /* after r rounds values[0] is 2 r */
            const int value = (t + rounds) % 64 + rounds;
            EXPECT(got[64 * b + t] == (b % 2 == 0 ? 2 * value : value));
        }
    result("loops", got.data(), 320 * sizeof(int));
    counting<<<1, 96>>>(out.data);
    LAUNCHED();
    got = out.host();
    for (int t = 0; t < 96; t++)
        EXPECT(got[3 * t] == 32 && got[3 * t + 1] != 0 && got[3 * t + 2] == 1);
    named<<<1, 128>>>(out.data);
    LAUNCHED();
    got = out.host();
    for (int t = 0; t < 64; t++) {
        EXPECT(got[t] == 63 - t + 1000);
        EXPECT(got[64 + t] == 2 * (127 - t) + (t == 63 ? 1000 : 0));
    }
    warps<<<1, 64>>>(out.data);
    LAUNCHED();
    got = out.host();
    for (int t = 0; t < 64; t++) {
        int sum = 16;
        for (int k = t / 32 * 32; k < t / 32 * 32 + 32; k++)
            sum += k * k;
        EXPECT(got[t] == sum);
    }
    leaving<<<1, 160>>>(out.data);
    LAUNCHED();
    got = out.host();
    for (int round = 0; round < 4; round++)
        EXPECT(got[round] == 32 * (round + 1));
    return program_end();
}
