/* A histogram of bytes: by global atomics, by shared atomics of each block, and by private counters of each warp.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_fp16.h>

#include "program.h"

__global__ void by_global(unsigned *bins, const unsigned char *data, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
}

__global__ void by_block(unsigned *bins, const unsigned char *data, int n)
{
    __shared__ unsigned own[256];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i]], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
        if (own[b])
            atomicAdd(&bins[b], own[b]);
}

__global__ void by_warp(unsigned *bins, const uchar4 *data, int n)
{
    extern __shared__ unsigned own[];
    unsigned *mine = own + threadIdx.x / 32 * 256;
    for (unsigned b = threadIdx.x; b < blockDim.x / 32 * 256; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        const uchar4 four = data[i];
        atomicAdd(&mine[four.x], 1u);
        atomicAdd(&mine[four.y], 1u);
        atomicAdd(&mine[four.z], 1u);
        atomicAdd(&mine[four.w], 1u);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) {
        unsigned sum = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++)
            sum += own[w * 256 + b];
        atomicAdd(&bins[b], sum);
    }
}

/* Halves, alone and in pairs; and subnormal numbers, which the unit that adds to global memory takes for zeros, and the one of
 * shared memory does not. Addresses are generic where a warp has both. */
__global__ void small_sums(unsigned *halves, unsigned *floats)
{
    __shared__ unsigned inner[64], pairs;
    const int t = threadIdx.x;
    const unsigned pair = 0x40003c00; /* 1 and 2 */
    inner[t] = floats[t] = t < 32 ? 3 : 0x3f800000;
    if (t == 0)
        pairs = 0;
    __syncthreads();
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(halves), "r"(pair) : "memory");
    asm volatile("{ .reg .b16 h, g; mov.b32 {h, g}, %1; atom.global.add.noftz.f16 g, [%0], h; }" ::"l"((char *)halves + 6),
                 "r"(pair) : "memory");
    if (t % 3 == 0)
        atomicAdd((__half2 *)&pairs, *(const __half2 *)&pair);
    float *const mine = (float *)(t % 2 ? inner + t : floats + t);
    atomicAdd(mine, __uint_as_float(1));
    __syncthreads();
    if (t % 2)
        floats[t] = inner[t];
    if (t == 0)
        halves[2] = pairs;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 40000;
    std::vector<unsigned char> data(n);
    std::vector<unsigned> expected(256);
    for (int i = 0; i < n; i++) {
        data[i] = (unsigned char)(random_word(i) & random_word(i + n));
        expected[data[i]]++;
    }
    device_array<unsigned char> in(data);
    for (int form = 0; form < 3; form++) {
        device_array<unsigned> bins(256);
        if (form == 0)
            by_global<<<10, 192>>>(bins.data, in.data, n);
        else if (form == 1)
            by_block<<<10, 192>>>(bins.data, in.data, n);
        else
            by_warp<<<10, 128, 4 * 256 * sizeof(unsigned)>>>(bins.data, (const uchar4 *)in.data, n);
        LAUNCHED();
        EXPECT(bins.host() == expected);
        result("bins", bins.host());
    }
    device_array<unsigned> halves(3), floats(64);
    small_sums<<<1, 64>>>(halves.data, floats.data);
    LAUNCHED();
    EXPECT(halves.host() == (std::vector<unsigned>{0x58005400, 0x54000000, 0x51804d80})); /* 64 and 128; 64; 22 and 44 */
    const std::vector<unsigned> sums = floats.host();
    for (unsigned t = 0; t < 64; t++)
        EXPECT(sums[t] == (t >= 32 ? 0x3f800000 : t % 2 ? 4u : 0u));
    return program_end();
}
