/* Prefix sums: of a block by doubling and by a work-efficient tree, of an array by three launches, and by one pass with
 * warps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const int block = 256;

__global__ void doubling(int *out, const int *in)
{
    __shared__ int buffers[2][block];
    int from = 0;
    const int t = threadIdx.x, i = blockIdx.x * block + t;
    buffers[0][t] = in[i];
    __syncthreads();
    for (int offset = 1; offset < block; offset *= 2) {
        buffers[1 - from][t] = buffers[from][t] + (t >= offset ? buffers[from][t - offset] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[i] = buffers[from][t];
}

/* Exclusive, and the block's sum into sums. */
__global__ void tree(int *out, int *sums, const int *in)
{
    __shared__ int values[2 * block];
    const int t = threadIdx.x, first = blockIdx.x * 2 * block;
    values[2 * t] = in[first + 2 * t];
    values[2 * t + 1] = in[first + 2 * t + 1];
    int offset = 1;
    for (int active = block; active > 0; active >>= 1) {
        __syncthreads();
        if (t < active)
            values[offset * (2 * t + 2) - 1] += values[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) {
        sums[blockIdx.x] = values[2 * block - 1];
        values[2 * block - 1] = 0;
    }
    for (int active = 1; active <= block; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < active) {
            const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            const int kept = values[left];
            values[left] = values[right];
            values[right] += kept;
        }
    }
    __syncthreads();
    out[first + 2 * t] = values[2 * t];
    out[first + 2 * t + 1] = values[2 * t + 1];
}

__global__ void add_sums(int *out, const int *sums)
{
    for (int i = threadIdx.x; i < 2 * block; i += blockDim.x)
        out[blockIdx.x * 2 * block + i] += sums[blockIdx.x];
}

__global__ void by_warps(int *out, const int *in)
{
    __shared__ int totals[block / 32];
    const int t = threadIdx.x, i = blockIdx.x * block + t, lane = t % 32, warp = t / 32;
    int value = in[i];
    for (int offset = 1; offset < 32; offset *= 2) {
        const int other = __shfl_up_sync(0xffffffff, value, offset);
        value += lane >= offset ? other : 0;
    }
    if (lane == 31)
        totals[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int total = lane < block / 32 ? totals[lane] : 0;
        for (int offset = 1; offset < block / 32; offset *= 2) {
            const int other = __shfl_up_sync(0xffffffff, total, offset);
            total += lane >= offset ? other : 0;
        }
        if (lane < block / 32)
            totals[lane] = total;
    }
    __syncthreads();
    out[i] = value + (warp > 0 ? totals[warp - 1] : 0);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 512 * 512;
    std::vector<int> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (int)(random_word(i) % 100) - 40;
    device_array<int> in(values), out(n), sums(512), scanned(512), top(1);
    for (int form = 0; form < 2; form++) {
        if (form == 0)
            doubling<<<8, block>>>(out.data, in.data);
        else
            by_warps<<<8, block>>>(out.data, in.data);
        LAUNCHED();
        const std::vector<int> got = out.host();
        for (int i = 0, sum = 0; i < 8 * block; i++) {
            sum = i % block == 0 ? values[i] : sum + values[i];
            EXPECT(got[i] == sum);
        }
        result("block", got.data(), 8 * block * sizeof(int));
    }
    tree<<<512, block>>>(out.data, sums.data, in.data);
    tree<<<1, block>>>(scanned.data, top.data, sums.data);
    add_sums<<<512, 128>>>(out.data, scanned.data);
    LAUNCHED();
    const std::vector<int> got = out.host();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        EXPECT(got[i] == sum);
        sum += values[i];
    }
    EXPECT(top.host()[0] == sum);
    result("whole", got);
    return program_end();
}
