/* Lanes that speak for those that have the same, as in a radix sort: ranks by votes, counters in shared memory that many lanes add to
 * and want the results of, stores at any places, and keys in registers across barriers while blocks wait for those before them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <algorithm>
#include <numeric>

enum { THREADS = 256, ITEMS = 14, TILE = THREADS * ITEMS, DIGITS = 256, WARPS = THREADS / 32 };

__device__ unsigned match_digit(unsigned digit)
{
    unsigned peers = ~0u;
    for (int bit = 0; bit < 8; bit++) {
        const bool has = digit >> bit & 1;
        const unsigned votes = __ballot_sync(~0u, has);
        peers &= has ? votes : ~votes;
    }
    return peers;
}

/* One pass of a stable sort: keys of a tile are ranked, put in order in shared memory, and go to where the tiles before them end. */
__global__ void pass(const unsigned *in, unsigned *out, const unsigned *bins, unsigned *tickets,
                     volatile unsigned *sums, int shift, int n)
{
    __shared__ unsigned counts[WARPS][DIGITS], sorted[TILE], starts[DIGITS], to[DIGITS], tile;
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    unsigned keys[ITEMS], ranks[ITEMS];
    if (t == 0)
        tile = atomicAdd(tickets, 1);
    __syncthreads();
    const int first = tile * TILE + warp * 32 * ITEMS + lane;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        keys[i] = first + 32 * i < n ? in[first + 32 * i] : ~0u;
    for (int i = lane; i < DIGITS; i += 32)
        counts[warp][i] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const unsigned digit = keys[i] >> shift & 255, peers = match_digit(digit);
        const int leader = 31 - __clz(peers), before = __popc(peers & ((2u << lane) - 1));
        unsigned old = 0;
        if (lane == leader)
            old = atomicAdd(&counts[warp][digit], before);
        ranks[i] = __shfl_sync(~0u, old, leader) + before - 1;
    }
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < WARPS; i++) {
        const unsigned count = counts[i][t];
        counts[i][t] = sum;
        sum += count;
    }
    starts[t] = sum;
    __syncthreads();
    for (int step = 1; step < DIGITS; step *= 2) {
        const unsigned other = t >= step ? starts[t - step] : 0;
        __syncthreads();
        starts[t] += other;
        __syncthreads();
    }
    const unsigned start = starts[t] - sum;
    unsigned earlier = 0;
    if (tile > 0) {
        unsigned told;
        while ((told = sums[(tile - 1) * DIGITS + t]) == 0)
            ;
        earlier = told - 1;
    }
    sums[tile * DIGITS + t] = earlier + sum + 1;
    __syncthreads();
    starts[t] = start;
    to[t] = bins[t] + earlier - start;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const unsigned digit = keys[i] >> shift & 255;
        sorted[starts[digit] + counts[warp][digit] + ranks[i]] = keys[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const unsigned at = t + i * THREADS, key = sorted[at];
        const unsigned place = at + to[key >> shift & 255];
        if (place < n)
            out[place] = key;
    }
}

static void sorts()
{
    const int n = 5 * TILE - 77, tiles = (n + TILE - 1) / TILE;
    std::vector<unsigned> keys(n);
    for (int i = 0; i < n; i++)
        keys[i] = random_word(i) & (i % 3 ? 0xffffffu : 0xf0f0fu);
    device_array<unsigned> a(keys), b(n);
    for (int shift = 0; shift < 32; shift += 8) {
        std::vector<unsigned> bins(DIGITS + 1);
        for (unsigned key : keys)
            bins[(key >> shift & 255) + 1]++;
        std::partial_sum(bins.begin(), bins.end(), bins.begin());
        bins.pop_back();
        device_array<unsigned> starts(bins), ticket(1), sums(tiles * DIGITS);
        pass<<<tiles, THREADS>>>(a.data, b.data, starts.data, ticket.data, sums.data, shift, n);
        LAUNCHED();
        std::stable_sort(keys.begin(), keys.end(), [shift](unsigned x, unsigned y) {
            return (x >> shift & 255) < (y >> shift & 255);
        });
        EXPECT(b.host() == keys);
        std::swap(a.data, b.data);
    }
}

enum { SUM, LEAST, MOST, ALL, ANY, ODD };

template <int how, class T> __device__ T change(T *at, T by)
{
    switch (how) {
    case SUM:
        return atomicAdd(at, by);
    case LEAST:
        return atomicMin(at, by);
    case MOST:
        return atomicMax(at, by);
    case ALL:
        return atomicAnd(at, by);
    case ANY:
        return atomicOr(at, by);
    default:
        return atomicXor(at, by);
    }
}

template <int how, class T> T changed(T from, T by)
{
    switch (how) {
    case SUM:
        return from + by;
    case LEAST:
        return std::min(from, by);
    case MOST:
        return std::max(from, by);
    case ALL:
        return from & by;
    case ANY:
        return from | by;
    default:
        return from ^ by;
    }
}

/* Lanes of a mask change words of shared memory, which many of them may share, and keep what was there. */
template <int how, class T>
__global__ void ask(T *words, const T *by, const int *places, const unsigned *masks, T *was)
{
    __shared__ T shared[64];
    const int t = threadIdx.x;
    shared[t] = words[t];
    shared[t + 32] = words[t + 32];
    __syncwarp();
    for (int i = 0; masks[i]; i++) {
        if (masks[i] >> t & 1)
            was[32 * i + t] = change<how>(&shared[places[32 * i + t]], by[32 * i + t]);
        __syncwarp();
    }
    words[t] = shared[t];
    words[t + 32] = shared[t + 32];
}

template <int how, class T> void asks()
{
    static const std::vector<unsigned> masks = {~0u,         1u,          0x80000000u, 0xfffff000u,
                                                0x000fffffu, 0x7ffffffeu, 0xffffffefu, 0x001fffffu,
                                                0x5a5a5a5au, 0xfdfbfbfdu, 0};
    for (int spread = 0; spread < 2; spread++) {
        std::vector<T> words(64), by(32 * masks.size()), was(32 * masks.size());
        std::vector<int> places(32 * masks.size());
        for (size_t i = 0; i < words.size(); i++)
            words[i] = (T)(random_word(i) * UINT64_C(0x100000001));
        for (size_t i = 0; i < by.size(); i++) {
            by[i] = (T)(random_word(1000 + i) * UINT64_C(0x100010001));
            places[i] = spread ? (int)(i * 37 % 64) : (int)(random_word(2000 + i) % 40);
        }
        device_array<T> w(words), b(by), old(was);
        device_array<int> p(places);
        device_array<unsigned> m(masks);
        ask<how><<<1, 32>>>(w.data, b.data, p.data, m.data, old.data);
        LAUNCHED();
        for (size_t i = 0; i < masks.size(); i++)
            for (int lane = 0; lane < 32; lane++)
                if (masks[i] >> lane & 1) {
                    T &word = words[places[32 * i + lane]];
                    was[32 * i + lane] = word;
                    word = changed<how>(word, by[32 * i + lane]);
                }
        EXPECT(w.host() == words);
        if (spread) /* the order of lanes is nobody's where they share words */
            EXPECT(old.host() == was);
    }
}

/* Stores of some lanes at any places of shared and of global memory. */
__global__ void put(int *out, const int *places, const unsigned *masks, int n)
{
    __shared__ int shared[1024];
    const int t = threadIdx.x;
    for (int i = t; i < 1024; i += 32)
        shared[i] = -1;
    __syncwarp();
    for (int i = 0; i < n; i++)
        if (masks[i] >> t & 1) {
            const int place = places[32 * i + t];
            shared[place] = 32 * i + t;
            out[1024 + place] = ~(32 * i + t);
        }
    __syncwarp();
    for (int i = t; i < 1024; i += 32)
        out[i] = shared[i];
}

static void puts_anywhere()
{
    const std::vector<unsigned> masks = {~0u, 0u, 1u, 0x80000000u, 0x00ff00ffu, 0x7fffffffu};
    std::vector<int> places(32 * masks.size()), expected(2048, -1);
    for (size_t i = 0; i < places.size(); i++) {
        places[i] = (int)(i * 389 % 1024);
        if (masks[i / 32] >> i % 32 & 1) {
            expected[places[i]] = (int)i;
            expected[1024 + places[i]] = ~(int)i;
        }
    }
    device_array<int> out(std::vector<int>(2048, -1)), p(places);
    device_array<unsigned> m(masks);
    put<<<1, 32>>>(out.data, p.data, m.data, (int)masks.size());
    LAUNCHED();
    EXPECT(out.host() == expected);
}

/* Neighbours by pointers that go on: four words of each lane, one after the other. */
__global__ void quads(int *out, const int *in, int turns)
{
    __shared__ int shared[1024];
    int *to = shared + 4 * threadIdx.x, *last = out + 4 * threadIdx.x;
    const int *from = in + 4 * threadIdx.x;
    for (int i = 0; i < turns; i++, to += 128, from += 128) {
        to[3] = 0;
        to[2] = from[1];
        to[1] = from[2];
        to[0] = 7;
    }
    __syncwarp();
    for (int i = 0; i < turns; i++, last += 128)
        for (int k = 0; k < 4; k++)
            last[k] = shared[128 * i + 4 * threadIdx.x + k];
}

static void neighbours()
{
    const int turns = 8, n = 128 * turns;
    std::vector<int> in(n), expected(n);
    for (int i = 0; i < n; i++)
        in[i] = (int)random_word(i);
    for (int i = 0; i < n; i += 4) {
        expected[i] = 7;
        expected[i + 1] = in[i + 2];
        expected[i + 2] = in[i + 1];
    }
    device_array<int> a(in), b(n);
    quads<<<1, 32>>>(b.data, a.data, turns);
    LAUNCHED();
    EXPECT(b.host() == expected);
}

template <class T> void asks_all()
{
    asks<LEAST, T>();
    asks<MOST, T>();
    asks<ALL, T>();
    asks<ANY, T>();
    asks<ODD, T>();
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    sorts();
    asks<SUM, int>();
    asks<SUM, unsigned long long>();
    asks_all<int>();
    asks_all<unsigned>();
    asks_all<long long>();
    asks_all<unsigned long long>();
    puts_anywhere();
    neighbours();
    return program_end();
}
