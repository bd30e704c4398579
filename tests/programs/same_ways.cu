/* Branches that lanes of a warp take alike, mostly, or in parts, or each for itself: loops that are left, gone on with and ended in, one in
 * another, that stride or not, behind barriers and before; numbers come in runs of as many as a warp has threads, fewer and more.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { BLOCKS = 5, N = 5200 };

/* What a thread does, on either side. */
__host__ __device__ static unsigned walk(const int *in, int from, int step, int n, int *turns)
{
    unsigned sum = 1;
    int i = from;
    for (; i < n; i += step) {
        const int word = in[i];
        ++*turns;
        if (word & 1)
            continue;
        if (word == 62)
            break;
        if (word & 2) {
            sum = sum * 5 + (unsigned)(i + 256 < n ? in[i + 256] : 3);
        } else {
            for (int k = 0; k < word >> 2; k++) {
                sum ^= sum << 7;
                if ((sum & 15) == 3 && word > 40)
                    break;
                sum += (unsigned)in[(i + k) % n];
            }
        }
        if (word == 60)
            return sum + 11;
        for (int k = 0; (sum & 3) == 2 && k < 5; k++)
            sum = sum * 3 + (unsigned)(word + k);
    }
    return sum + (unsigned)i;
}

__global__ void go(unsigned *out, int *turns, const int *in, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = 0;
    out[t] = walk(in, t, gridDim.x * blockDim.x, n, &mine);
    turns[t] = mine;
}

/* Threads that have ended before, and a loop whose step is known. */
__global__ void go_early(unsigned *out, int *turns, const int *in, int n, int gone)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = 0;
    if ((int)threadIdx.x >= gone || in[t] == 14)
        return;
    out[t] = walk(in, threadIdx.x, 32, n, &mine);
    turns[t] = mine;
}

/* What neighbours found is wanted behind a barrier, and they go on from there. */
__global__ void go_on(unsigned *out, int *turns, const int *in, int n)
{
    __shared__ unsigned found[1024];
    const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = blockDim.x;
    int mine = 0;
    unsigned sum = 0;
    for (int round = 0; round < 3; round++) {
        found[threadIdx.x] = walk(in, t + round, gridDim.x * threads, n, &mine);
        __syncthreads();
        const unsigned other = found[(threadIdx.x + 1) % threads];
        if (other & 4)
            sum += other;
        else if (sum & 8)
            sum = sum * 3 + walk(in, other % (unsigned)n, 1000, n, &mine);
        __syncthreads();
    }
    out[t] = sum;
    turns[t] = mine;
}

struct answer {
    std::vector<unsigned> out;
    std::vector<int> turns;

    explicit answer(int threads)
        : out((size_t)(BLOCKS * threads)), turns((size_t)(BLOCKS * threads))
    {
    }
};

static answer gone(const std::vector<int> &in, int threads)
{
    answer a(threads);
    for (int t = 0; t < BLOCKS * threads; t++)
        a.out[(size_t)t] = walk(in.data(), t, BLOCKS * threads, N, &a.turns[(size_t)t]);
    return a;
}

static answer gone_early(const std::vector<int> &in, int threads, int end)
{
    answer a(threads);
    for (int t = 0; t < BLOCKS * threads; t++)
        if (t % threads < end && in[(size_t)t] != 14)
            a.out[(size_t)t] = walk(in.data(), t % threads, 32, N, &a.turns[(size_t)t]);
    return a;
}

static answer gone_on(const std::vector<int> &in, int threads)
{
    answer a(threads);
    for (int round = 0; round < 3; round++) {
        std::vector<unsigned> found(a.out.size());
        for (int t = 0; t < BLOCKS * threads; t++)
            found[(size_t)t] =
                walk(in.data(), t + round, BLOCKS * threads, N, &a.turns[(size_t)t]);
        for (int t = 0; t < BLOCKS * threads; t++) {
            const unsigned other =
                found[(size_t)(t / threads * threads + (t % threads + 1) % threads)];
            unsigned &sum = a.out[(size_t)t];
            if (other & 4)
                sum += other;
            else if (sum & 8)
                sum = sum * 3 + walk(in.data(), (int)(other % (unsigned)N), 1000, N,
                                     &a.turns[(size_t)t]);
        }
    }
    return a;
}

/* Runs of so many equal numbers below 64; is_mixed: of some others, too. */
static std::vector<int> runs_of(int length, bool is_mixed)
{
    std::vector<int> in;
    for (int i = 0; i < N; i++) {
        const uint32_t word = random_word((uint64_t)(i / length));
        const bool is_other = is_mixed && random_word((uint64_t)i + 77) % 40 == 0;
        in.push_back((int)(is_other ? random_word((uint64_t)i) % 64 : word % 64));
    }
    return in;
}

static void expect(const std::vector<int> &in, int threads)
{
    const device_array<int> from(in);
    const answer first = gone(in, threads), later = gone_on(in, threads);
    device_array<unsigned> out(first.out.size());
    device_array<int> turns(first.turns.size());
    go<<<BLOCKS, threads>>>(out.data, turns.data, from.data, N);
    LAUNCHED();
    EXPECT(out.host() == first.out && turns.host() == first.turns);
    go_on<<<BLOCKS, threads>>>(out.data, turns.data, from.data, N);
    LAUNCHED();
    EXPECT(out.host() == later.out && turns.host() == later.turns);
    for (int end : {threads, 33}) {
        const answer early = gone_early(in, threads, end);
        device_array<unsigned> to(first.out.size());
        device_array<int> counts(first.turns.size());
        go_early<<<BLOCKS, threads>>>(to.data, counts.data, from.data, N, end);
        LAUNCHED();
        EXPECT(to.host() == early.out && counts.host() == early.turns);
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    for (int length : {1, 16, 32, 33, 64, 1000})
        for (int threads : {1, 31, 33, 64, 256, 1000})
            for (int is_mixed = 0; is_mixed < 2; is_mixed++)
                expect(runs_of(length, is_mixed), threads);
    return program_end();
}
