/* A histogram of bytes: by global atomics, by shared atomics of each block, and by private counters of each warp.
 * SPDX-License-Identifier: Apache-2.0 */
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
    return program_end();
}
