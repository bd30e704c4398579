/* What blocks do from barrier to barrier: loops of all threads, as long as the block's number says, one in another, that change
 * numbers of the block's; barriers that only some blocks come to; blocks that end before, as a whole; trees of which the first warp does
 * the last steps, with numbers that it and others keep meanwhile; warps that go round as often as each likes between two
 * barriers; loops that stride over memory before, behind and between. Blocks of any size.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { BLOCKS = 7, MOST = 1024, N = 6000 };

static const int sizes[] = {1, 31, 32, 33, 64, 96, 256, 1000, 1024};

/* Numbers of the block's are changed in each turn, and wanted behind. */
__global__ void turn_round(int *out, const int *in)
{
    __shared__ int words[MOST];
    const int t = threadIdx.x, threads = blockDim.x;
    int distance = 7 + blockIdx.x, mine = t, all = 0;
    if (blockIdx.x == 5)
        return;
    words[t] = in[blockIdx.x * threads + t];
    __syncthreads();
    for (int turn = 0; turn < (int)blockIdx.x % 4; turn++) {
        const int next = words[(t + distance) % threads];
        for (int i = 0; i < turn; i++) {
            __syncthreads();
            words[t] += i;
            all += distance;
        }
        __syncthreads();
        words[t] = next * 3 + turn;
        distance = distance * 5 % 1009;
        if (t % 3 == turn)
            mine += next;
        __syncthreads();
    }
    out[blockIdx.x * threads + t] = mine + words[(t + distance) % threads] + all;
}

static std::vector<int> turned_round(const std::vector<int> &in, int threads)
{
    std::vector<int> out((size_t)(BLOCKS * threads));
    for (int block = 0; block < BLOCKS; block++) {
        std::vector<int> words((size_t)threads), mine((size_t)threads), next((size_t)threads);
        int distance = 7 + block, all = 0;
        for (int t = 0; t < threads; t++) {
            words[(size_t)t] = in[(size_t)(block * threads + t)];
            mine[(size_t)t] = t;
        }
        for (int turn = 0; block != 5 && turn < block % 4; turn++) {
            for (int t = 0; t < threads; t++)
                next[(size_t)t] = words[(size_t)((t + distance) % threads)];
            for (int t = 0; t < threads; t++) {
                words[(size_t)t] = next[(size_t)t] * 3 + turn;
                mine[(size_t)t] += t % 3 == turn ? next[(size_t)t] : 0;
            }
            all += turn * distance;
            distance = distance * 5 % 1009;
        }
        for (int t = 0; block != 5 && t < threads; t++)
            out[(size_t)(block * threads + t)] =
                mine[(size_t)t] + words[(size_t)((t + distance) % threads)] + all;
    }
    return out;
}

/* Some blocks come to one barrier, others to another or to both, and read what lies behind. */
__global__ void choose(int *out, const int *in, int kinds)
{
    __shared__ int words[MOST];
    const int t = threadIdx.x, threads = blockDim.x, kind = blockIdx.x % kinds;
    int mine = in[blockIdx.x * threads + t], weight = 1;
    words[t] = mine;
    if (kind != 1) {
        weight = 3;
        __syncthreads();
        mine += words[(t + 1) % threads];
    }
    if (kind != 2) {
        __syncthreads();
        weight += 2;
        words[t] = mine * weight;
        if (kind == 3) {
            out[blockIdx.x * threads + t] = words[t] - kind;
            return;
        }
        __syncthreads();
    }
    out[blockIdx.x * threads + t] = words[kind == 2 ? t : threads - 1 - t] * weight + kind;
}

static std::vector<int> chosen(const std::vector<int> &in, int threads, int kinds)
{
    std::vector<int> out(in.size());
    for (int block = 0; block < BLOCKS; block++) {
        const int kind = block % kinds, *of = &in[(size_t)(block * threads)];
        std::vector<int> words(of, of + threads);
        int weight = kind != 1 ? 3 : 1;
        weight += kind != 2 ? 2 : 0;
        for (int t = 0; kind != 2 && t < threads; t++)
            words[(size_t)t] = (of[t] + (kind != 1 ? of[(t + 1) % threads] : 0)) * weight;
        for (int t = 0; t < threads; t++)
            out[(size_t)(block * threads + t)] =
                kind == 3   ? words[(size_t)t] - kind
                : kind == 2 ? words[(size_t)t] * weight + kind
                            : words[(size_t)(threads - 1 - t)] * weight + kind;
    }
    return out;
}

/* Strides over an array, adds by a tree whose steps are known or not, and has all threads use the sum and what they kept. */
template <bool is_known> __global__ void add_up(float *out, const float *in, int n, int rounds)
{
    __shared__ float part[MOST];
    const int t = threadIdx.x, threads = blockDim.x;
    float kept = (float)t, all = 0;
    for (int round = 0; round < rounds; round++) {
        float mine = 0;
        for (int i = blockIdx.x * threads + t + round; i < n; i += gridDim.x * threads)
            mine += in[i];
        part[t] = mine;
        __syncthreads();
        if (is_known) {
#pragma unroll
            for (int half = 128; half > 0; half /= 2) {
                if (t < half) {
                    mine += part[t + half];
                    part[t] = mine;
                }
                __syncthreads();
            }
        } else {
            for (int half = 512; half > 0; half /= 2) {
                if (t < half && t + half < threads)
                    part[t] += part[t + half];
                __syncthreads();
            }
        }
        all = fmaf(part[0], (float)(round + 1), all);
        kept += t == 3 ? mine : part[0];
        __syncthreads();
    }
    out[blockIdx.x * threads + t] = all + kept;
}

static std::vector<float> added_up(const std::vector<float> &in, int threads, int rounds,
                                   bool is_known)
{
    std::vector<float> out((size_t)(BLOCKS * threads));
    for (int block = 0; block < BLOCKS; block++) {
        std::vector<float> kept((size_t)threads), mine((size_t)threads), part((size_t)threads);
        float all = 0;
        for (int t = 0; t < threads; t++)
            kept[(size_t)t] = (float)t;
        for (int round = 0; round < rounds; round++) {
            for (int t = 0; t < threads; t++) {
                mine[(size_t)t] = 0;
                for (int i = block * threads + t + round; i < N; i += BLOCKS * threads)
                    mine[(size_t)t] += in[(size_t)i];
            }
            part = mine;
            for (int half = is_known ? 128 : 512; half > 0; half /= 2)
                for (int t = 0; t < half && t + half < threads; t++) {
                    part[(size_t)t] += part[(size_t)(t + half)];
                    mine[(size_t)t] = is_known ? part[(size_t)t] : mine[(size_t)t];
                }
            all = fmaf(part[0], (float)(round + 1), all);
            for (int t = 0; t < threads; t++)
                kept[(size_t)t] += t == 3 ? mine[(size_t)t] : part[0];
        }
        for (int t = 0; t < threads; t++)
            out[(size_t)(block * threads + t)] = all + kept[(size_t)t];
    }
    return out;
}

/* Each warp goes round as often as its number says, and some threads more often than others; then all meet. */
__global__ void go_round(int *out, const int *in, int bound)
{
    __shared__ unsigned words[MOST];
    const int t = threadIdx.x, threads = blockDim.x, warp = t / 32;
    unsigned mine = in[blockIdx.x * threads + t];
    int rest = bound;
    while (rest > 0) {
        for (int i = 0; i < warp; i++)
            mine = mine * 3 + rest;
        for (int i = 0; i < t % 5; i++)
            mine ^= (unsigned)i << rest % 20;
        if (warp == 2 && rest == 2)
            mine -= 17;
        __syncthreads();
        words[t] = mine;
        rest -= 2;
        __syncthreads();
        mine += words[(t + 33) % threads];
    }
    if (t >= 40)
        return;
    out[blockIdx.x * threads + t] = mine + rest;
}

static std::vector<int> gone_round(const std::vector<int> &in, int threads, int bound)
{
    std::vector<int> out(in.size());
    for (int block = 0; block < BLOCKS; block++) {
        std::vector<unsigned> mine((size_t)threads);
        int rest = bound;
        for (int t = 0; t < threads; t++)
            mine[(size_t)t] = (unsigned)in[(size_t)(block * threads + t)];
        for (; rest > 0; rest -= 2) {
            for (int t = 0; t < threads; t++) {
                unsigned &one = mine[(size_t)t];
                for (int i = 0; i < t / 32; i++)
                    one = one * 3 + (unsigned)rest;
                for (int i = 0; i < t % 5; i++)
                    one ^= (unsigned)i << rest % 20;
                one -= t / 32 == 2 && rest == 2 ? 17 : 0;
            }
            const std::vector<unsigned> words = mine;
            for (int t = 0; t < threads; t++)
                mine[(size_t)t] += words[(size_t)((t + 33) % threads)];
        }
        for (int t = 0; t < threads && t < 40; t++)
            out[(size_t)(block * threads + t)] = (int)(mine[(size_t)t] + (unsigned)rest);
    }
    return out;
}

/* As long as memory that the first thread writes says so, which is not known to be alike. */
__global__ void follow(int *out, int turns)
{
    __shared__ int left;
    const int t = threadIdx.x;
    int mine = 0, of_all = 1;
    if (t == 0)
        left = turns + blockIdx.x;
    __syncthreads();
    while (left > 0) {
        mine += left * t;
        of_all = of_all * 3 % 1001;
        __syncthreads();
        if (t == 0)
            left--;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = mine + of_all;
}

static std::vector<int> followed(int threads, int turns)
{
    std::vector<int> out;
    for (int block = 0; block < BLOCKS; block++) {
        int sum = 0, of_all = 1;
        for (int left = turns + block; left > 0; left--) {
            sum += left;
            of_all = of_all * 3 % 1001;
        }
        for (int t = 0; t < threads; t++)
            out.push_back(sum * t + of_all);
    }
    return out;
}

/* Counts in shared memory, with a loop that strides between two barriers and no thread that is left out. */
__global__ void tally(unsigned *out, const int *in, int n)
{
    __shared__ unsigned counts[64];
    const int threads = blockDim.x;
    for (int i = threadIdx.x; i < 64; i += threads)
        counts[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads)
        atomicAdd(&counts[in[i] & 63], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += threads)
        atomicAdd(&out[i], counts[i]);
}

static void expect_of(int threads)
{
    const std::vector<uint32_t> words = random_words((size_t)(BLOCKS * threads), 3);
    std::vector<int> in;
    for (uint32_t word : words)
        in.push_back((int)(word >> 20));
    const device_array<int> from(in);
    device_array<int> out(in.size());
    turn_round<<<BLOCKS, threads>>>(out.data, from.data);
    LAUNCHED();
    EXPECT(out.host() == turned_round(in, threads));
    for (int kinds = 1; kinds < 5; kinds++) {
        choose<<<BLOCKS, threads>>>(out.data, from.data, kinds);
        LAUNCHED();
        EXPECT(out.host() == chosen(in, threads, kinds));
    }
    for (int bound : {0, 1, 5}) {
        device_array<int> to(in.size());
        go_round<<<BLOCKS, threads>>>(to.data, from.data, bound);
        LAUNCHED();
        EXPECT(to.host() == gone_round(in, threads, bound));
        follow<<<BLOCKS, threads>>>(out.data, bound);
        LAUNCHED();
        EXPECT(out.host() == followed(threads, bound));
    }
}

static void expect_sums(int threads)
{
    const std::vector<float> in = random_floats(N, -1, 1);
    const device_array<float> from(in);
    device_array<float> out((size_t)(BLOCKS * threads));
    for (int rounds = 0; rounds < 4; rounds++) {
        add_up<false><<<BLOCKS, threads>>>(out.data, from.data, N, rounds);
        LAUNCHED();
        EXPECT(out.host() == added_up(in, threads, rounds, false));
        result("sums", out.host());
        if (threads != 256)
            continue;
        add_up<true><<<BLOCKS, threads>>>(out.data, from.data, N, rounds);
        LAUNCHED();
        EXPECT(out.host() == added_up(in, threads, rounds, true));
        result("known", out.host());
    }
}

static void expect_counts(int threads)
{
    std::vector<int> in;
    std::vector<unsigned> expected(64);
    for (uint32_t word : random_words(N))
        in.push_back((int)(word >> 8));
    for (int i : in)
        expected[(size_t)(i & 63)]++;
    const device_array<int> from(in);
    device_array<unsigned> out(64);
    tally<<<BLOCKS, threads>>>(out.data, from.data, N);
    LAUNCHED();
    EXPECT(out.host() == expected);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    for (int threads : sizes) {
        expect_of(threads);
        expect_sums(threads);
        expect_counts(threads);
    }
    return program_end();
}
