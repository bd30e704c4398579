/* Threads of a block that part and come together again at barriers, round after round, with values that all have in common
 * and values of their own; votes and shuffles of those that go one way; threads that end on the way. In blocks of one
 * dimension and of three, of whole warps and not.
 * SPDX-License-Identifier: Apache-2.0 */
#include <climits>

#include "program.h"

/* What the ways do, on either side. */
__host__ __device__ static inline int stirred(int value, int times)
{
    for (int i = 0; i < times; i++)
        value = value * 5 + i;
    return value & 0xffff;
}

__host__ __device__ static inline int way_of(int value, int round, int ways)
{
    return (int)((unsigned)(value + round) % (unsigned)ways);
}

__host__ __device__ static inline bool ends(int t, int round, int last)
{
    return last > 0 && round == last && t % 7 == 3;
}

/* settings: rounds, ways, the round in which some end, a first step. All threads read the same there, so the count of
 * rounds and the step are in common; `place` begins with the thread's number and grows by what is in common. */
__global__ void rounds_of(const int *settings, const int *in, int *out)
{
    __shared__ int sums[2];
    const int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
    const int t = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    const int at = (int)blockIdx.x * threads + t, rounds = settings[0], ways = settings[1];
    int mine = in[at], step = settings[3], place = t, voters = 0;
    for (int round = 0; round < rounds; round++) {
        if (t == 0)
            sums[0] = sums[1] = 0;
        __syncthreads();
        const int way = way_of(mine, round, ways);
        if (way == 0) {
            atomicAdd(&sums[0], mine & 15);
        } else if (way == 1) {
            mine = stirred(mine, t & 3);
            place += 1;
        } else {
            atomicAdd(&sums[1], 1);
            mine ^= step;
        }
        if (ends(t, round, settings[2])) {
            out[at] = -mine;
            return;
        }
        __syncthreads();
        step += 3;
        place += step;
        mine += sums[0] + (t + 1) * (sums[1] & 7);
        voters += __syncthreads_count(mine & 1);
    }
    out[at] = mine + place + 7 * voters + step;
}

static std::vector<int> expected_rounds(const int settings[4], const std::vector<int> &in)
{
    const int threads = (int)in.size();
    std::vector<int> mine = in, place(threads), out(threads);
    std::vector<bool> ended(threads);
    int step = settings[3], voters = 0;
    for (int t = 0; t < threads; t++)
        place[t] = t;
    for (int round = 0; round < settings[0]; round++) {
        int sums[2] = {0, 0}, votes = 0;
        for (int t = 0; t < threads; t++) {
            const int way = way_of(mine[t], round, settings[1]);
            if (ended[t])
                continue;
            if (way == 0)
                sums[0] += mine[t] & 15;
            else if (way == 1)
                mine[t] = stirred(mine[t], t & 3), place[t]++;
            else
                sums[1]++, mine[t] ^= step;
            ended[t] = ends(t, round, settings[2]);
            if (ended[t])
                out[t] = -mine[t];
        }
        step += 3;
        for (int t = 0; t < threads; t++) {
            if (ended[t])
                continue;
            place[t] += step;
            mine[t] += sums[0] + (t + 1) * (sums[1] & 7);
            votes += mine[t] & 1;
        }
        voters += votes;
    }
    for (int t = 0; t < threads; t++)
        if (!ended[t])
            out[t] = mine[t] + place[t] + 7 * voters + step;
    return out;
}

/* Lanes that go one way vote and shuffle among themselves, in loops whose turns differ from warp to warp. */
__global__ void groups_of(const int *settings, const int *in, int *out)
{
    const int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
    const int t = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    const int at = (int)blockIdx.x * threads + t, lanes = min(32, threads - t / 32 * 32);
    const unsigned all = lanes == 32 ? ~0u : (1u << lanes) - 1;
    int mine = in[at], sum = settings[3];
    for (int turn = 0; turn <= t / 32 % 3; turn++) {
        const bool is_odd = mine & 1;
        const unsigned odd = __ballot_sync(all, is_odd);
        if (is_odd) {
            const int first = __ffs((int)odd) - 1;
            sum += __shfl_sync(odd, mine, first) + __popc(__ballot_sync(odd, mine & 2));
            sum += __all_sync(odd, mine > 64) ? 1000 : __any_sync(odd, mine > 128) ? 100 : 0;
        } else {
            sum += __popc(all & ~odd);
            __syncwarp(all & ~odd);
        }
        __syncwarp(all);
        const int above = __shfl_down_sync(all, mine, 1), below = __shfl_up_sync(all, sum, 1);
        mine = (mine + (t % 32 + 1 < lanes ? above : 0) + (t % 32 > 0 ? below : 0)) & 255;
        if (turn == 1 && t / 32 % 2 == 1)
            break;
    }
    __syncthreads();
    out[at] = mine + 256 * sum;
}

static void expect_groups(const int settings[4], const std::vector<int> &in, int warp,
                          std::vector<int> &out)
{
    const int first = 32 * warp, lanes = std::min(32, (int)in.size() - first);
    std::vector<int> mine(in.begin() + first, in.begin() + first + lanes), sum(lanes, settings[3]);
    for (int turn = 0; turn <= warp % 3; turn++) {
        int leader = -1, odd = 0, twos = 0;
        bool is_all = true, is_any = false;
        for (int i = 0; i < lanes; i++)
            if (mine[i] & 1) {
                leader = leader < 0 ? i : leader;
                odd++, twos += (mine[i] & 2) != 0;
                is_all = is_all && mine[i] > 64, is_any = is_any || mine[i] > 128;
            }
        for (int i = 0; i < lanes; i++)
            sum[i] += mine[i] & 1 ? mine[leader] + twos +
                                        (is_all   ? 1000
                                         : is_any ? 100
                                                  : 0)
                                  : lanes - odd;
        const std::vector<int> before = mine;
        for (int i = 0; i < lanes; i++)
            mine[i] =
                (before[i] + (i + 1 < lanes ? before[i + 1] : 0) + (i > 0 ? sum[i - 1] : 0)) & 255;
        if (turn == 1 && warp % 2 == 1)
            break;
    }
    for (int i = 0; i < lanes; i++)
        out[first + i] = mine[i] + 256 * sum[i];
}

static void check(dim3 block, const int settings[4])
{
    const int threads = (int)(block.x * block.y * block.z), blocks = 3;
    std::vector<int> values(blocks * threads), expected_values, expected_sums;
    for (int i = 0; i < blocks * threads; i++)
        values[i] = (int)(random_word(i + 1000 * settings[1]) & 255);
    for (int i = 0; i < blocks; i++) {
        const std::vector<int> part(values.begin() + i * threads,
                                    values.begin() + (i + 1) * threads);
        const std::vector<int> of_rounds = expected_rounds(settings, part);
        std::vector<int> of_groups(threads);
        for (int warp = 0; 32 * warp < threads; warp++)
            expect_groups(settings, part, warp, of_groups);
        expected_values.insert(expected_values.end(), of_rounds.begin(), of_rounds.end());
        expected_sums.insert(expected_sums.end(), of_groups.begin(), of_groups.end());
    }
    device_array<int> with(std::vector<int>(settings, settings + 4)), in(values), out(values);
    rounds_of<<<blocks, block>>>(with.data, in.data, out.data);
    LAUNCHED();
    EXPECT(out.host() == expected_values);
    result("rounds", out.host());
    groups_of<<<blocks, block>>>(with.data, in.data, out.data);
    LAUNCHED();
    EXPECT(out.host() == expected_sums);
    result("groups", out.host());
}

/* Loops up to bounds of all kinds, also those near the least number: how many turns they have, as far as `most`, and which numbers. */
template <class T> __host__ __device__ static inline T turns_below(T i, T step, T n, int most)
{
    T turns = 0;
    for (int k = 0; k < most && i < n; k++, i += step)
        turns++;
    return turns;
}

template <class T> __host__ __device__ static inline T mixed_with(T sum, T i)
{
    return (T)((unsigned)sum * 3u + (unsigned)i);
}

template <class T> __host__ __device__ static inline T turns_up_to(T i, T step, T n)
{
    T sum = 0;
    for (; i <= n; i += step)
        sum = mixed_with(sum, i);
    return sum;
}

template <class T> __global__ void strides(T first, T step, T n, int most, T *out)
{
    const T i = first + (T)threadIdx.x;
    T sum = 0;
    for (T at = i; at < n; at += step)
        sum = mixed_with(sum, at);
    out[threadIdx.x] =
        mixed_with(mixed_with(sum, turns_below(i, step, n, most)), turns_up_to(i, step, n));
}

template <class T> static void check_bound(T first, T step, T n)
{
    enum { THREADS = 64, MOST = 3 };
    device_array<T> out(THREADS);
    strides<T><<<1, THREADS>>>(first, step, n, MOST, out.data);
    LAUNCHED();
    const std::vector<T> got = out.host();
    for (int t = 0; t < THREADS; t++) {
        const T i = first + (T)t;
        T sum = 0;
        for (T at = i; at < n; at += step)
            sum = mixed_with(sum, at);
        const T below = turns_below(i, step, n, MOST), up_to = turns_up_to(i, step, n);
        EXPECT(got[t] == mixed_with(mixed_with(sum, below), up_to));
    }
}

static void check_bounds(void)
{
    const int bounds[] = {-40, 0, 1, 30, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000};
    for (const int n : bounds) {
        check_bound<int>(0, 64, n);
        check_bound<int>(-100, 32, n);
        check_bound<unsigned>(0, 64, (unsigned)(n < 0 ? 0 : n));
    }
    check_bound<int>(INT_MIN, 64, INT_MIN + 5);
    check_bound<int>(INT_MIN, 64, INT_MIN + 200);
    check_bound<int>(INT_MIN + 3, 64, INT_MIN);
    check_bound<unsigned>(0, 32, 5);
    check_bound<unsigned>(4000000000u, 64, 4000000100u);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check_bounds();
    const dim3 blocks[] = {{1, 1, 1},   {31, 1, 1}, {32, 1, 1}, {33, 1, 1}, {96, 1, 1},
                           {200, 1, 1}, {5, 3, 2},  {8, 4, 3},  {7, 5, 4},  {32, 2, 2}};
    const int settings[][4] = {
        {5, 3, 0, 1}, {5, 1, 0, 1}, {6, 2, 2, 4}, {0, 3, 0, 9}, {4, 4, 1, 2}};
    for (const dim3 &block : blocks)
        for (const int *chosen : settings)
            check(block, chosen);
    return program_end();
}
