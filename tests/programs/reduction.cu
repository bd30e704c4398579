/* Sums in shared memory: divergent, with bank conflicts, sequential, unrolled warp-synchronous (volatile), by shuffles,
 * and to one value by the last block.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const unsigned threads = 256;

__global__ void divergent(int *out, const int *in)
{
    __shared__ int values[threads];
    const unsigned t = threadIdx.x;
    values[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0)
            values[t] += values[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = values[0];
}

__global__ void conflicting(int *out, const int *in)
{
    __shared__ int values[threads];
    const unsigned t = threadIdx.x;
    values[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        const unsigned index = 2 * s * t;
        if (index < blockDim.x)
            values[index] += values[index + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = values[0];
}

__global__ void sequential(int *out, const int *in)
{
    extern __shared__ int dynamic[];
    const unsigned t = threadIdx.x;
    dynamic[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            dynamic[t] += dynamic[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = dynamic[0];
}

/* Lanes of a warp in step without any barrier, as older code relies on. */
__global__ void warp_synchronous(int *out, const int *in)
{
    __shared__ volatile int values[threads];
    const unsigned t = threadIdx.x;
    values[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t < 128)
        values[t] += values[t + 128];
    __syncthreads();
    if (t < 64)
        values[t] += values[t + 64];
    __syncthreads();
    if (t < 32) {
        values[t] += values[t + 32];
        values[t] += values[t + 16];
        values[t] += values[t + 8];
        values[t] += values[t + 4];
        values[t] += values[t + 2];
        values[t] += values[t + 1];
    }
    if (t == 0)
        out[blockIdx.x] = values[0];
}

__global__ void with_syncwarp(int *out, const int *in)
{
    __shared__ int values[threads];
    const unsigned t = threadIdx.x;
    values[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s >= 32; s /= 2) {
        if (t < s)
            values[t] += values[t + s];
        __syncthreads();
    }
    if (t < 32)
        for (unsigned s = 16; s > 0; s /= 2) {
            const int other = values[t + s];
            __syncwarp();
            values[t] += other;
            __syncwarp();
        }
    if (t == 0)
        out[blockIdx.x] = values[0];
}

__device__ int warp_sum(int value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void shuffled(int *out, const int *in)
{
    __shared__ int partial[32];
    const unsigned t = threadIdx.x;
    int value = warp_sum(in[blockIdx.x * blockDim.x + t]);
    if (t % 32 == 0)
        partial[t / 32] = value;
    __syncthreads();
    if (t < 32) {
        value = warp_sum(t < blockDim.x / 32 ? partial[t] : 0);
        if (t == 0)
            out[blockIdx.x] = value;
    }
}

__device__ unsigned finished;

__global__ void whole(int *out, volatile int *partial, const int *in, int n)
{
    __shared__ int values[threads];
    __shared__ bool is_last;
    const unsigned t = threadIdx.x;
    int sum = 0;
    for (int i = (int)(blockIdx.x * blockDim.x + t); i < n; i += (int)(gridDim.x * blockDim.x))
        sum += in[i];
    values[t] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            values[t] += values[t + s];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = values[0];
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && t == 0) {
        sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += partial[b];
        out[0] = sum;
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const unsigned blocks = 20;
    std::vector<int> values(blocks * threads), expected(blocks);
    for (unsigned i = 0; i < values.size(); i++) {
        values[i] = (int)(random_word(i) % 2001) - 1000;
        expected[i / threads] += values[i];
    }
    device_array<int> in(values);
    void (*const kernels[])(int *, const int *) = {divergent,        conflicting,   sequential,
                                                   warp_synchronous, with_syncwarp, shuffled};
    for (auto kernel : kernels) {
        device_array<int> out(blocks);
        kernel<<<blocks, threads, threads * sizeof(int)>>>(out.data, in.data);
        LAUNCHED();
        EXPECT(out.host() == expected);
        result("sums", out.host());
    }
    int total = 0;
    for (int sum : expected)
        total += sum;
    for (int round = 0; round < 3; round++) {
        device_array<int> out(1), partial(7);
        whole<<<7, threads>>>(out.data, partial.data, in.data, (int)values.size());
        LAUNCHED();
        EXPECT(out.host()[0] == total);
    }
    return program_end();
}
