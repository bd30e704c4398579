/* Votes, masks and matches in a warp, with partial warps and divergent halves.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct seen {
    unsigned ballot, active, any, every, match, match_all, half, lanes_below, uniform;
    int is_all;
};

__global__ void vote(seen *out, const int *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const unsigned mask = __activemask();
    const int value = in[i];
    seen s;
    s.active = mask;
    s.ballot = __ballot_sync(mask, value & 1);
    s.any = __any_sync(mask, value == 7);
    s.every = __all_sync(mask, value >= 0);
    s.match = __match_any_sync(mask, value);
    s.match_all = __match_all_sync(mask, value / 100, &s.is_all);
    s.uniform = __all_sync(mask, value == __shfl_sync(mask, value, 0));
    if (lane < 16)
        s.half = __ballot_sync(0x0000ffffu & mask, value > 3);
    else
        s.half = __ballot_sync(0xffff0000u & mask, value > 5);
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    s.lanes_below = __popc(below & s.ballot);
    out[i] = s;
}

/* Each warp packs the odd values of its lanes. */
__global__ void compact(int *out, unsigned *used, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const int value = i < n ? in[i] : 0;
    const unsigned ballot = __ballot_sync(0xffffffffu, value & 1);
    unsigned base = 0;
    if (lane == 0)
        base = atomicAdd(used, __popc(ballot));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (value & 1)
        out[base + __popc(ballot & ((1u << lane) - 1))] = value;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 2 * 80; /* two blocks of two warps and a half */
    std::vector<int> values(n);
    for (int i = 0; i < n; i++)
        values[i] = i / 80 == 0 && i % 80 < 32 ? 7 : (int)(random_word(i) % 9);
    device_array<int> in(values);
    device_array<seen> out(n);
    vote<<<2, 80>>>(out.data, in.data);
    LAUNCHED();
    const std::vector<seen> got = out.host();
    for (int i = 0; i < n; i++) {
        const int first = i / 80 * 80 + i % 80 / 32 * 32, lane = i - first;
        const int lanes = i % 80 < 64 ? 32 : 16;
        const unsigned mask = lanes == 32 ? ~0u : 0xffffu;
        unsigned odd = 0, same = 0, half = 0;
        bool any = false, uniform = true;
        for (int k = 0; k < lanes; k++) {
            const int v = values[first + k];
            odd |= (unsigned)(v & 1) << k;
            same |= (unsigned)(v == values[i]) << k;
            half |= (unsigned)(k / 16 == lane / 16 && v > (lane < 16 ? 3 : 5)) << k;
            any = any || v == 7;
            uniform = uniform && v == values[first];
        }
        const seen &s = got[i];
        EXPECT(s.active == mask && s.ballot == odd && !s.any == !any && s.every);
        EXPECT(s.match == same && s.match_all == mask && s.is_all && s.half == half);
        EXPECT(!s.uniform == !uniform);
        EXPECT((int)s.lanes_below == __builtin_popcount(odd & ((1u << lane) - 1)));
    }
    std::vector<int> packed(n);
    device_array<int> dense(n);
    device_array<unsigned> used(1);
    compact<<<1, 160>>>(dense.data, used.data, in.data, n);
    LAUNCHED();
    unsigned odd = 0;
    long long sum = 0;
    for (int v : values)
        odd += v & 1, sum += v & 1 ? v : 0;
    EXPECT(used.host()[0] == odd);
    packed = dense.host();
    for (unsigned i = 0; i < odd; i++)
        sum -= packed[i];
    EXPECT(sum == 0);
    return program_end();
}
