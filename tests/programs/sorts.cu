/* Sorting: bitonic in shared memory and across blocks, odd-even in one warp, radix by ballots.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <algorithm>

__device__ inline void order(unsigned &a, unsigned &b, bool is_rising)
{
    if ((a > b) == is_rising) {
        const unsigned kept = a;
        a = b;
        b = kept;
    }
}

__global__ void bitonic_block(unsigned *data)
{
    __shared__ unsigned values[512];
    const unsigned t = threadIdx.x;
    unsigned *mine = data + blockIdx.x * 512;
    values[t] = mine[t], values[t + 256] = mine[t + 256];
    for (unsigned size = 2; size <= 512; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const unsigned at = 2 * t - (t & (stride - 1));
            order(values[at], values[at + stride], ((2 * t) & size) == 0 || size == 512);
        }
    __syncthreads();
    mine[t] = values[t], mine[t + 256] = values[t + 256];
}

__global__ void bitonic_step(unsigned *data, unsigned size, unsigned stride)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ stride;
    if (partner > i) {
        unsigned a = data[i], b = data[partner];
        order(a, b, (i & size) == 0);
        data[i] = a, data[partner] = b;
    }
}

__global__ void odd_even(int *data)
{
    const int lane = threadIdx.x;
    int value = data[blockIdx.x * 32 + lane];
    for (int round = 0; round < 32; round++) {
        const int partner = (lane + round) % 2 == 0 ? lane + 1 : lane - 1;
        const int other = __shfl_sync(0xffffffff, value, partner & 31);
        if (partner >= 0 && partner < 32)
            value = lane < partner ? min(value, other) : max(value, other);
    }
    data[blockIdx.x * 32 + lane] = value;
}

/* One warp splits by each bit in turn. */
__global__ void radix(unsigned *data)
{
    const unsigned lane = threadIdx.x, below = (1u << lane) - 1;
    __shared__ unsigned values[32];
    unsigned value = data[blockIdx.x * 32 + lane];
    for (int bit = 0; bit < 32; bit++) {
        const unsigned ones = __ballot_sync(0xffffffff, value >> bit & 1);
        const unsigned to =
            value >> bit & 1 ? 32 - __popc(ones) + __popc(ones & below) : __popc(~ones & below);
        values[to] = value;
        __syncwarp();
        value = values[lane];
        __syncwarp();
    }
    data[blockIdx.x * 32 + lane] = value;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const unsigned n = 4096;
    const std::vector<unsigned> values = random_words(n);
    device_array<unsigned> data(values), whole(values), small(values);
    const std::vector<int> as_ints(values.begin(), values.end());
    device_array<int> ints(as_ints);
    bitonic_block<<<n / 512, 256>>>(data.data);
    for (unsigned size = 2; size <= n; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2)
            bitonic_step<<<n / 128, 128>>>(whole.data, size, stride);
    odd_even<<<n / 32, 32>>>(ints.data);
    radix<<<n / 32, 32>>>(small.data);
    LAUNCHED();
    std::vector<unsigned> expected = values;
    for (unsigned i = 0; i < n; i += 512)
        std::sort(expected.begin() + i, expected.begin() + i + 512);
    EXPECT(data.host() == expected);
    expected = values;
    for (unsigned i = 0; i < n; i += 32)
        std::sort(expected.begin() + i, expected.begin() + i + 32);
    EXPECT(small.host() == expected);
    std::vector<int> expected_ints = as_ints;
    for (unsigned i = 0; i < n; i += 32)
        std::sort(expected_ints.begin() + i, expected_ints.begin() + i + 32);
    EXPECT(ints.host() == expected_ints);
    std::sort(expected.begin(), expected.end());
    EXPECT(whole.host() == expected);
    result("sorted", whole.host());
    return program_end();
}
