/* Places that threads get by atomic sums: of a warp by one of its lanes, of each thread by its own, in steps that differ; in blocks
 * of all shapes, with threads that have ended before, and with counters of blocks' own. Whatever the order, places are a row
 * without holes. And what is added only tells how far others were.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { COUNTERS = 3 };

__device__ static int thread_of_grid(void)
{
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return block * (int)(blockDim.x * blockDim.y * blockDim.z) + thread;
}

__device__ static bool is_wanted(int number, int share)
{
    return (unsigned)number * 2654435761u % 97u < (unsigned)share;
}

/* One lane takes room for all of its warp. */
__global__ void by_warps(int *places, int *counters, int count, int share)
{
    const int i = thread_of_grid(), lane = threadIdx.x % 32;
    const bool is = i < count && is_wanted(i, share);
    const unsigned wanted = __ballot_sync(0xffffffff, is);
    int first = -1;
    if (lane == 0 && wanted)
        first = atomicAdd(counters, __popc(wanted));
    first = __shfl_sync(0xffffffff, first, 0);
    if (is)
        places[first + __popc(wanted & ((1u << lane) - 1))] = i;
}

/* The same in turns, by half of the warps, of which lanes of even numbers store after the others. */
__global__ void by_warps_in_turns(int *places, int *counters, int count, int share)
{
    const int lane = threadIdx.x % 32;
    const int warp = thread_of_grid() / 32;
    const int warps = (int)(gridDim.x * gridDim.y * blockDim.x * blockDim.y / 32);
    const int turns = (warps + 1) / 2;
    for (int from = warp * 32; warp < turns && from < count; from += turns * 32) {
        const int i = from + lane;
        const bool is = i < count && is_wanted(i, share);
        const unsigned wanted = __ballot_sync(0xffffffff, is), below = (1u << lane) - 1;
        unsigned first = 0;
        if (lane == 3 && wanted)
            first = (unsigned)atomicAdd(counters, __popc(wanted));
        first = __shfl_sync(0xffffffff, first, 3);
        if (is && lane % 2)
            places[first + (unsigned)__popc(wanted & below)] = i;
        if (is && lane % 2 == 0)
            places[first + (unsigned)__popc(wanted & below)] = i;
    }
}

/* Each thread its own place, where some have ended before. */
__global__ void by_threads(int *places, int *counters, int count, int share)
{
    const int i = thread_of_grid();
    if (i >= count)
        return;
    const int shown = places[0]; /* what the others are at meanwhile is no concern of a thread's */
    if (is_wanted(i, share))
        places[atomicAdd(counters, 1)] = i;
    else if (shown == -2)
        places[0] = shown;
}

/* Of as many words as each wants, from 1 to 4: all are written. */
__global__ void by_steps(int *places, int *counters, int count, int share)
{
    const int i = thread_of_grid(), words = 1 + i % 4;
    if (i < count && is_wanted(i, share)) {
        const int first = atomicAdd(counters, words);
        places[first] = i;
        if (words > 1)
            places[first + 1] = i;
        if (words > 2)
            places[first + 2] = i;
        if (words > 3)
            places[first + 3] = i;
    }
}

/* The same for all lanes that are there. */
__global__ void by_counters(int *places, int *counters, int count, int share)
{
    const int i = thread_of_grid(), block = blockIdx.x % COUNTERS;
    const int place = i < count ? atomicAdd(&counters[block], 2) : 0;
    if (i < count)
        places[block * share + place] = places[block * share + place + 1] = i;
}

typedef void kernel(int *places, int *counters, int count, int share);

static dim3 grid_of(int count, dim3 block)
{
    const int threads = (int)(block.x * block.y * block.z),
              blocks = (count + threads - 1) / threads;
    return blocks % 2 ? dim3((unsigned)blocks) : dim3((unsigned)blocks / 2, 2);
}

/* Each thread that is wanted has as many places as it took, side by side. */
static void expect_places(kernel *run, int count, dim3 block, int share, bool has_steps)
{
    device_array<int> places((size_t)count * 4 + 4), counters(COUNTERS);
    std::vector<int> found((size_t)count), expected((size_t)count);
    int sum = 0;
    for (int i = 0; i < count; i++) {
        const bool is = (unsigned)i * 2654435761u % 97u < (unsigned)share;
        expected[(size_t)i] = is ? has_steps ? 1 + i % 4 : 1 : 0;
        sum += expected[(size_t)i];
    }
    for (int launch = 0; launch < 3;
         launch++) { /* the later ones are shared by threads of the host */
        CUDA(cudaMemset(counters.data, 0, COUNTERS * sizeof(int)));
        CUDA(cudaMemset(places.data, -1, ((size_t)count * 4 + 4) * sizeof(int)));
        run<<<grid_of(count, block), block>>>(places.data, counters.data, count, share);
        LAUNCHED();
        const std::vector<int> there = places.host();
        std::fill(found.begin(), found.end(), 0);
        EXPECT(counters.host()[0] == sum);
        for (int i = 0; i < sum; i++) {
            const int thread = there[(size_t)i];
            if (!EXPECT(thread >= 0 && thread < count))
                return;
            EXPECT(found[(size_t)thread] == 0 || there[(size_t)i - 1] == thread);
            found[(size_t)thread]++;
        }
        EXPECT(there[(size_t)sum] == -1);
        EXPECT(found == expected);
    }
}

/* Each counter has what its blocks added. */
static void expect_counters(int count, int threads)
{
    const int room = 2 * count + 2;
    device_array<int> places((size_t)room * COUNTERS), counters(COUNTERS);
    std::vector<int> sums(COUNTERS);
    CUDA(cudaMemset(counters.data, 0, COUNTERS * sizeof(int)));
    CUDA(cudaMemset(places.data, -1, (size_t)room * COUNTERS * sizeof(int)));
    by_counters<<<(unsigned)((count + threads - 1) / threads), (unsigned)threads>>>(
        places.data, counters.data, count, room);
    LAUNCHED();
    for (int i = 0; i < count; i++)
        sums[(size_t)(i / threads % COUNTERS)] += 2;
    EXPECT(counters.host() == sums);
    const std::vector<int> there = places.host();
    std::vector<int> found((size_t)count);
    for (int block = 0; block < COUNTERS; block++)
        for (int i = 0; i < sums[(size_t)block]; i++) {
            const int thread = there[(size_t)(block * room + i)];
            if (EXPECT(thread >= 0 && thread < count && thread / threads % COUNTERS == block))
                found[(size_t)thread]++;
        }
    for (int i = 0; i < count; i++)
        EXPECT(found[(size_t)i] == 2);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const dim3 blocks[] = {{256}, {32}, {1024}, {64, 3}, {100}, {7}, {16, 16}};
    for (const dim3 block : blocks)
        for (int numbers : {1, 31, 1000, 20011})
            for (int share : {0, 1, 30, 97}) {
                if (block.x % 32 == 0) {
                    expect_places(by_warps, numbers, block, share, false);
                    expect_places(by_warps_in_turns, numbers, block, share, false);
                }
                expect_places(by_threads, numbers, block, share, false);
                expect_places(by_steps, numbers, block, share, true);
            }
    for (int threads : {256, 32, 100, 7})
        for (int numbers : {1, 100, 20011})
            expect_counters(numbers, threads);
    return program_end();
}
