/* Shuffles of all kinds, widths and types, among all lanes and a part of them; sums and scans made of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <algorithm>

static const unsigned full = 0xffffffffu;

__global__ void kinds(int *out)
{
    const int lane = threadIdx.x % 32, value = (int)threadIdx.x * 3 + 1;
    int *mine = out + threadIdx.x * 12;
    mine[0] = __shfl_sync(full, value, 5);
    mine[1] = __shfl_sync(full, value, lane + 3);
    mine[2] = __shfl_up_sync(full, value, 2);
    mine[3] = __shfl_down_sync(full, value, 7);
    mine[4] = __shfl_xor_sync(full, value, 9);
    mine[5] = __shfl_sync(full, value, 2, 8);
    mine[6] = __shfl_up_sync(full, value, 1, 16);
    mine[7] = __shfl_down_sync(full, value, 3, 4);
    mine[8] = __shfl_xor_sync(full, value, 3, 8);
    const double d = __shfl_down_sync(full, (double)value / 3, 1);
    mine[9] = (int)rint(d * 3);
    mine[10] = (int)(__shfl_xor_sync(full, (unsigned long long)value << 33, 16) >> 33);
    mine[11] = (int)__shfl_up_sync(full, (float)value, 4);
}

__global__ void inclusive_scan(int *out, const int *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = in[i];
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const int other = __shfl_up_sync(full, value, offset);
        if (lane >= offset)
            value += other;
    }
    out[i] = value;
}

/* Half of the warp shuffles, the other half does not. */
__global__ void halves(int *out)
{
    const int lane = threadIdx.x;
    int value = lane;
    if (lane & 1)
        value = __shfl_xor_sync(0xaaaaaaaau, value, 2);
    else
        value = -1;
    __syncwarp();
    for (int turn = 0; turn < lane % 4; turn++)
        value += 100;
    out[lane] = __shfl_sync(full, value, 31 - lane);
}

__global__ void butterfly(float *out, const float *in)
{
    float sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(full, sum, mask);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* The usual sum over the first eight lanes of a warp. Only they take part: what lanes beyond them would bring is not
 * defined. */
__global__ void few_lanes(int *out)
{
    const unsigned t = threadIdx.x, members = __ballot_sync(0xffffffff, t < 8);
    int sum = t + 1;
    if (t < 8) {
        for (int offset = 4; offset > 0; offset /= 2)
            sum += __shfl_down_sync(members, sum, offset, 8);
        out[t] = sum;
    }
}

/* Lane 0 draws for all. What the others hand in was never set, and is not looked at. */
__global__ void drawn_by_leaders(int *out, int *next)
{
    int first;
    if (threadIdx.x % 32 == 0)
        first = atomicAdd(next, 32);
    out[blockIdx.x * blockDim.x + threadIdx.x] = __shfl_sync(full, first, 0) + threadIdx.x % 32;
}

static void leaders(int n)
{
    device_array<int> out(n), next(1);
    CUDA(cudaMemset(next.data, 0, sizeof(int)));
    drawn_by_leaders<<<1, n>>>(out.data, next.data);
    LAUNCHED();
    std::vector<int> numbers = out.host();
    std::sort(numbers.begin(), numbers.end());
    EXPECT(next.host()[0] == n);
    for (int i = 0; i < n; i++)
        EXPECT(numbers[i] == i);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 96;
    leaders(n);
    device_array<int> out(n * 12);
    kinds<<<1, n>>>(out.data);
    LAUNCHED();
    const std::vector<int> got = out.host();
    for (int t = 0; t < n; t++) {
        const int lane = t % 32, base = t - lane;
        auto of = [base](int l) { return (base + l) * 3 + 1; };
        const int expected[12] = {of(5),
                                  of((lane + 3) % 32),
                                  of(lane < 2 ? lane : lane - 2),
                                  of(lane > 24 ? lane : lane + 7),
                                  of(lane ^ 9),
                                  of(lane / 8 * 8 + 2),
                                  of(lane % 16 < 1 ? lane : lane - 1),
                                  of(lane % 4 > 0 ? lane : lane + 3),
                                  of(lane ^ 3),
                                  of(lane > 30 ? lane : lane + 1),
                                  of(lane ^ 16),
                                  of(lane < 4 ? lane : lane - 4)};
        for (int k = 0; k < 12; k++)
            if (!EXPECT(got[t * 12 + k] == expected[k]))
                printf("    thread %d, kind %d: %d, not %d\n", t, k, got[t * 12 + k], expected[k]);
    }
    result("kinds", got);
    std::vector<int> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (int)(random_word(i) % 100);
    device_array<int> in(values), scanned(n), halved(32);
    inclusive_scan<<<1, n>>>(scanned.data, in.data);
    halves<<<1, 32>>>(halved.data);
    LAUNCHED();
    const std::vector<int> sums = scanned.host(), half = halved.host();
    for (int i = 0, sum = 0; i < n; i++) {
        sum = i % 32 == 0 ? values[i] : sum + values[i];
        EXPECT(sums[i] == sum);
    }
    for (int lane = 0; lane < 32; lane++) {
        const int from = 31 - lane;
        EXPECT(half[lane] == (from & 1 ? from ^ 2 : -1) + 100 * (from % 4));
    }
    const std::vector<float> floats = random_floats(n, 0, 1);
    device_array<float> dfloats(floats), sum(n);
    butterfly<<<3, 32>>>(sum.data, dfloats.data);
    LAUNCHED();
    const std::vector<float> totals = sum.host();
    for (int i = 0; i < n; i++)
        EXPECT(totals[i] == totals[i / 32 * 32] && fabsf(totals[i] - 16) < 8);
    result("butterfly", totals);
    few_lanes<<<1, 32>>>(out.data);
    LAUNCHED();
    EXPECT(out.host()[0] == 36);
    return program_end();
}
