// Sorting within blocks.
// SPDX-License-Identifier: Apache-2.0

// A key for each thread: distances within a warp by shuffles, longer ones through shared memory, all unrolled.
extern "C" __global__ void bitonic_sort(unsigned *keys)
{
    enum { BLOCK = 128 };
    __shared__ unsigned room[BLOCK];
    const unsigned t = threadIdx.x;
    unsigned key = keys[blockIdx.x * BLOCK + t];
#pragma unroll
    for (unsigned size = 2; size <= BLOCK; size *= 2) {
        const bool is_ascending = (t & size) == 0;
#pragma unroll
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            unsigned other;
            if (stride >= 32) {
                __syncthreads();
                room[t] = key;
                __syncthreads();
                other = room[t ^ stride];
            } else {
                other = __shfl_xor_sync(0xffffffffu, key, stride);
            }
            key = ((t & stride) == 0) == is_ascending ? min(key, other) : max(key, other);
        }
    }
    keys[blockIdx.x * BLOCK + t] = key;
}

// Ranks among keys with the same eight bits: lanes of one digit find each other by a vote for each bit, four keys for each lane.
extern "C" __global__ void radix_match(const unsigned *keys, unsigned *out, unsigned *counts, int shift)
{
    enum { BLOCK = 128, EACH = 4, DIGITS = 256, WARPS = BLOCK / 32 };
    __shared__ unsigned own[WARPS][DIGITS], sums[WARPS];
    const unsigned t = threadIdx.x, lane = t & 31, warp = t >> 5, below = (1u << lane) - 1;
    unsigned key[EACH], rank[EACH];
    for (unsigned i = lane; i < DIGITS; i += 32)
        own[warp][i] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < EACH; i++)
        key[i] = keys[blockIdx.x * BLOCK * EACH + warp * 32 * EACH + i * 32 + lane];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const unsigned digit = key[i] >> shift & (DIGITS - 1);
        unsigned same = 0xffffffffu;
#pragma unroll
        for (int bit = 0; bit < 8; bit++) {
            const bool is_set = digit >> bit & 1;
            const unsigned those = __ballot_sync(0xffffffffu, is_set);
            same &= is_set ? those : ~those;
        }
        const int leader = __ffs(same) - 1;
        unsigned before = 0;
        if ((int)lane == leader) {
            before = own[warp][digit];
            own[warp][digit] = before + __popc(same);
        }
        __syncwarp();
        rank[i] = __shfl_sync(0xffffffffu, before, leader) + __popc(same & below);
    }
    __syncthreads();
    unsigned carry = 0;
    for (unsigned half = 0; half < DIGITS; half += BLOCK) {
        unsigned sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            const unsigned count = own[w][half + t];
            own[w][half + t] = sum;
            sum += count;
        }
        counts[blockIdx.x * DIGITS + half + t] = sum;
        unsigned scanned = sum;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            const unsigned other = __shfl_up_sync(0xffffffffu, scanned, offset);
            if ((int)lane >= offset)
                scanned += other;
        }
        if (lane == 31)
            sums[warp] = scanned;
        __syncthreads();
        unsigned start = carry + scanned - sum;
        for (int w = 0; w < WARPS; w++) {
            if (w < (int)warp)
                start += sums[w];
            carry += sums[w];
        }
#pragma unroll
        for (int w = 0; w < WARPS; w++)
            own[w][half + t] += start;
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        out[blockIdx.x * BLOCK * EACH + own[warp][key[i] >> shift & (DIGITS - 1)] + rank[i]] = key[i];
}

__device__ inline unsigned scan_of_warp(unsigned x, volatile unsigned *room)
{
    const unsigned at = 2 * threadIdx.x - (threadIdx.x & 31);
    room[at] = 0;
    room[at + 32] = x;
    room[at + 32] = x = x + room[at + 31];
    room[at + 32] = x = x + room[at + 30];
    room[at + 32] = x = x + room[at + 28];
    room[at + 32] = x = x + room[at + 24];
    room[at + 32] = x = x + room[at + 16];
    return x;
}

// Four keys for each thread by four bits of them: ranks by scans in step within warps, key by key and bit by bit.
extern "C" __global__ void radix_step(uint4 *keys)
{
    __shared__ unsigned room[512], sums[16], sorted[1024];
    __shared__ unsigned trues;
    const unsigned t = threadIdx.x;
    uint4 key = keys[blockIdx.x * blockDim.x + t];
#pragma unroll
    for (unsigned bit = 0; bit < 4; bit++) {
        const unsigned is0 = !(key.x >> bit & 1), is1 = !(key.y >> bit & 1), is2 = !(key.z >> bit & 1), is3 = !(key.w >> bit & 1);
        const unsigned own = is0 + is1 + is2 + is3, in_warp = scan_of_warp(own, room);
        if ((t & 31) == 31)
            sums[t / 32] = in_warp;
        __syncthreads();
        if (t < 8) {
            unsigned before = 0;
            for (unsigned i = 0; i < t; i++)
                before += sums[i];
            sums[8 + t] = before;
        }
        __syncthreads();
        const unsigned before = in_warp - own + sums[8 + t / 32];
        if (t == blockDim.x - 1)
            trues = before + own;
        __syncthreads();
        const unsigned to0 = is0 ? before : trues + 4 * t - before;
        const unsigned b1 = before + is0, to1 = is1 ? b1 : trues + 4 * t + 1 - b1;
        const unsigned b2 = b1 + is1, to2 = is2 ? b2 : trues + 4 * t + 2 - b2;
        const unsigned b3 = b2 + is2, to3 = is3 ? b3 : trues + 4 * t + 3 - b3;
        sorted[to0] = key.x;
        sorted[to1] = key.y;
        sorted[to2] = key.z;
        sorted[to3] = key.w;
        __syncthreads();
        key = make_uint4(sorted[4 * t], sorted[4 * t + 1], sorted[4 * t + 2], sorted[4 * t + 3]);
        __syncthreads();
    }
    keys[blockIdx.x * blockDim.x + t] = key;
}

__device__ inline unsigned rank_below(unsigned x, const unsigned *data, unsigned length, unsigned stride, bool counts_equal)
{
    unsigned at = 0;
#pragma unroll
    for (; stride > 0; stride /= 2) {
        const unsigned next = min(at + stride, length);
        if (counts_equal ? data[next - 1] <= x : data[next - 1] < x)
            at = next;
    }
    return at;
}

// Merges pairs of runs, twice as long each time, by searching each key's place in the other run.
extern "C" __global__ void merge_sort(unsigned *keys, unsigned *values)
{
    enum { MOST = 1024 };
    __shared__ unsigned key[MOST], value[MOST];
    const unsigned t = threadIdx.x;
    keys += blockIdx.x * MOST + t;
    values += blockIdx.x * MOST + t;
    key[t] = keys[0];
    value[t] = values[0];
    key[t + MOST / 2] = keys[MOST / 2];
    value[t + MOST / 2] = values[MOST / 2];
#pragma unroll
    for (unsigned stride = 1; stride < MOST; stride *= 2) {
        const unsigned low = t & (stride - 1);
        unsigned *const base_key = key + 2 * (t - low), *const base_value = value + 2 * (t - low);
        __syncthreads();
        const unsigned key_a = base_key[low], value_a = base_value[low];
        const unsigned key_b = base_key[low + stride], value_b = base_value[low + stride];
        const unsigned to_a = rank_below(key_a, base_key + stride, stride, stride, false) + low;
        const unsigned to_b = rank_below(key_b, base_key, stride, stride, true) + low;
        __syncthreads();
        base_key[to_a] = key_a;
        base_value[to_a] = value_a;
        base_key[to_b] = key_b;
        base_value[to_b] = value_b;
    }
    __syncthreads();
    keys[0] = key[t];
    values[0] = value[t];
    keys[MOST / 2] = key[t + MOST / 2];
    values[MOST / 2] = value[t + MOST / 2];
}
