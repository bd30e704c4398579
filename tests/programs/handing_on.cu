/* Threads of a block that wait for each other with no barrier between: warps that produce and consume, votes in the
 * loops that wait, lanes of a warp that take turns or hand on from one to the next, locks that each lane takes, and
 * what waits for a thread that fails.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 40, SLOTS = 4, THREADS = 128, LOCKS = 5 };

/* The last warp produces, the first consumes: by flags in shared memory and in global memory. */
__global__ void by_flags(const int *in, int *out, volatile int *values, volatile int *full)
{
    __shared__ volatile int shared_value[32], shared_full;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        shared_full = 0;
    __syncthreads();
    for (int i = 0; i < ROUNDS; i++)
        if (threadIdx.x >= 96) {
            while (shared_full != 0)
                ;
            shared_value[lane] = in[i * 32 + lane];
            while (full[lane] != 0)
                ;
            values[lane] = 3 * in[i * 32 + lane];
            __threadfence();
            full[lane] = 1;
            __syncwarp();
            if (lane == 0) {
                __threadfence_block();
                shared_full = 1;
            }
        } else if (threadIdx.x < 32) {
            while (full[lane] == 0)
                ;
            __threadfence();
            int sum = values[lane];
            full[lane] = 0;
            while (shared_full == 0)
                ;
            __threadfence_block();
            sum += shared_value[lane];
            __syncwarp();
            out[i * 32 + lane] = sum;
            if (lane == 0)
                shared_full = 0;
            __syncwarp(); /* a lane that looked for the 0 later might find the next round's 1 */
        }
}

/* Both wait first thing in a loop that counts: by blocks, by threads of one, by lanes of a warp. */
template <bool is_one>
__global__ void by_counters(volatile unsigned *ends, volatile int *slots, int *out,
                            unsigned consumer)
{
    __shared__ volatile unsigned shared_ends[2];
    __shared__ volatile int shared_slots[SLOTS];
    volatile unsigned *const put = is_one ? &shared_ends[0] : &ends[0];
    volatile unsigned *const taken = is_one ? &shared_ends[1] : &ends[1];
    volatile int *const places = is_one ? shared_slots : slots;
    if (threadIdx.x == 0)
        shared_ends[0] = shared_ends[1] = 0;
    __syncthreads();
    const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me == 0) {
        for (unsigned i = 0; i < ROUNDS; i++) {
            while (*put - *taken == SLOTS)
                ;
            places[i % SLOTS] = (int)(i * i);
            __threadfence();
            *put = i + 1;
        }
    } else if (me == consumer) {
        int sum = 0;
        for (unsigned i = 0; i < ROUNDS; i++) {
            while (*put == *taken)
                ;
            __threadfence();
            sum += places[i % SLOTS];
            __threadfence();
            *taken = i + 1;
        }
        *out = sum;
    }
}

/* Two warps put into a ring, two take out: its ends are counters that only grow. */
__global__ void by_ring(const int *in, int *out, unsigned *put, unsigned *taken)
{
    __shared__ int slots[2][SLOTS][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, ring = warp % 2;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (warp < 2) {
            while (*(volatile unsigned *)&put[ring] == i) /* __ldcg() may be taken out of a loop */
                ;
            __threadfence();
            out[(ring * ROUNDS + i) * 32 + lane] = slots[ring][i % SLOTS][lane] + 1;
            __syncwarp();
            if (lane == 0)
                atomicAdd(&taken[ring], 1);
        } else {
            while (i - *(volatile unsigned *)&taken[ring] >= SLOTS)
                ;
            slots[ring][i % SLOTS][lane] = in[(ring * ROUNDS + i) * 32 + lane];
            __threadfence();
            __syncwarp();
            if (lane == 0)
                atomicAdd(&put[ring], 1);
        }
    }
}

/* As by_flags, but the lanes of a warp agree on when to go on, in each of the ways to vote. */
__global__ void by_votes(const int *in, int *out, int *state)
{
    __shared__ int value[32], shared_state;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        shared_state = 0;
    __syncthreads();
    for (int i = 0; i < ROUNDS; i++)
        if (threadIdx.x < 32) {
            while (!__all_sync(~0u, atomicAdd(&shared_state, 0) == i + 1))
                ;
            const int sum = value[lane];
            __syncwarp();
            if (lane == i % 32)
                atomicExch(&state[0], i + 1);
            out[i * 32 + lane] = sum;
        } else if (threadIdx.x < 64) {
            int seen;
            do {
                seen = lane == 7 ? *(volatile int *)&state[0] : 0;
                seen = __shfl_sync(~0u, seen, 7);
            } while (seen != i);
            __threadfence();
            value[lane] = in[i * 32 + lane];
            __threadfence_block();
            __syncwarp();
            if (lane == 31)
                atomicExch(&shared_state, i + 1);
        } else if (threadIdx.x < 96) {
            while (!__any_sync(~0u, lane % 2 && *(volatile int *)&state[0] > i))
                ;
        } else {
            while (__popc(__ballot_sync(~0u, *(volatile int *)&state[0] > i)) != 32)
                ;
        }
}

/* Threads take turns, in shared and in global memory, forwards and backwards. */
__global__ void by_turns(volatile int *turn, volatile int *list, int *sum)
{
    __shared__ int shared_turn, shared_sum;
    const int t = threadIdx.x, last = (int)blockDim.x - 1;
    if (t == 0)
        shared_turn = shared_sum = 0;
    __syncthreads();
    while (*turn != last - t)
        ;
    list[last - t] = t;
    __threadfence();
    *turn = last - t + 1;
    while (*(volatile int *)&shared_turn != t)
        ;
    __threadfence_block();
    *(volatile int *)&shared_sum = *(volatile int *)&shared_sum * 3 + t;
    __threadfence_block();
    *(volatile int *)&shared_turn = t + 1;
    __syncthreads();
    *sum = shared_sum;
}

/* Each lane gets what the lane before it made of what it got. */
__device__ __noinline__ int got_from(volatile int *cell)
{
    int found;
    while ((found = *cell) == 0)
        __nanosleep(20);
    return found;
}

__global__ void by_chain(volatile int *cells)
{
    const int i = threadIdx.x ^ 5; /* backwards in places */
    const int before = i == 0 ? 1 : got_from(&cells[i - 1]);
    cells[i] = before * 5 + i;
}

/* The same by way of pointers to functions, one of which waits in a function that it calls. */
__device__ __noinline__ int got_by_atomic(volatile int *cell)
{
    int found;
    while ((found = atomicAdd((int *)cell, 0)) == 0)
        ;
    return found;
}

__device__ __noinline__ int got_further(volatile int *cell)
{
    return got_from(cell) + 1;
}

__global__ void by_pointers(volatile int *cells)
{
    int (*const way)(volatile int *) = threadIdx.x / 3 % 2 ? got_further : got_by_atomic;
    const int i = (int)(blockDim.x - 1 - threadIdx.x);
    cells[i] = 1 + (i == 0 ? 0 : way(&cells[i - 1]));
}

__device__ void take(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        while (*(volatile int *)lock != 0)
            ;
    __threadfence();
}

__device__ void let_go(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

/* Each lane takes two of several locks, and counts at their places in several steps. */
__global__ void by_locks(int *locks, volatile int *counts)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int a = t % LOCKS, b = (t + 1 + t / LOCKS % (LOCKS - 1)) % LOCKS;
    const int low = a < b ? a : b, high = a < b ? b : a;
    take(&locks[low]);
    const int first = counts[low];
    take(&locks[high]);
    const int second = counts[high];
    counts[high] = second + 1;
    let_go(&locks[high]);
    counts[low] = first + 1;
    let_go(&locks[low]);
}

/* Strided loops, one of which a flag ends that another thread sets, and then waiting for the next thread. */
__global__ void by_strides(const int *in, int *out, int n, volatile int *ready, volatile int *stop)
{
    const int t = threadIdx.x;
    for (int i = t; i < n; i += (int)blockDim.x)
        out[i] = 2 * in[i];
    if (t + 1 < (int)blockDim.x)
        while (ready[t + 1] == 0)
            ;
    __threadfence();
    ready[t] = 1;
    if (t == 0)
        *stop = 1;
    for (unsigned i = (unsigned)t; *stop == 0; i += blockDim.x)
        out[n + i % blockDim.x] += in[i % (unsigned)n];
    out[n + t] = t + 1 < (int)blockDim.x ? out[t + 1] : 0;
}

/* Two warps meet at a barrier of their own, one of the others waits for what they do then, and the last for that
 * one, by way of the lanes of different branches. */
__global__ void by_named(int *out)
{
    __shared__ int values[64], flags[2];
    const int t = threadIdx.x, lane = t % 32;
    if (t < 2)
        flags[t] = 0;
    __syncthreads();
    if (t < 64) {
        values[t] = t;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = values[63 - t];
        if (t == 40)
            atomicExch(&flags[0], 1);
    } else if (t < 96) {
        if (lane == 9) {
            while (atomicAdd(&flags[0], 0) == 0)
                ;
            atomicExch(&flags[1], 1);
        } else if (lane % 2) {
            while (atomicAdd(&flags[1], 0) != 1)
                ;
        }
        __syncwarp();
        out[t] = atomicAdd(&flags[1], 0);
    } else {
        while (!__any_sync(~0u, lane == 3 && atomicAdd(&flags[1], 0) == 1))
            ;
        out[t] = lane;
    }
    __syncthreads();
    out[t] += flags[0];
}

/* A barrier that the threads make themselves, of counters: for some threads of the block and often. */
__global__ void by_counting(int *out, unsigned *counter)
{
    __shared__ int values[THREADS];
    const unsigned t = threadIdx.x, some = THREADS - 20;
    int sum = 0;
    for (unsigned i = 0; t < some && i < ROUNDS; i++) {
        values[t] = (int)(t * i + 1);
        __threadfence();
        atomicAdd(counter, 1);
        while (atomicAdd(counter, 0) < some * (2 * i + 1))
            ;
        sum += values[(t + i) % some];
        __threadfence();
        atomicAdd(counter, 1);
        unsigned seen;
        do
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
        while (seen < some * (2 * i + 2));
    }
    out[t] = sum;
}

/* Who waits for a thread that fails ends with it: in a kernel where threads meet, and in one where they do not. */
__global__ void without_meeting(volatile int *flag)
{
    if (threadIdx.x == 40)
        __trap();
    while (*flag == 0)
        ;
}

__global__ void behind_barrier(volatile int *flag)
{
    __syncthreads();
    if (threadIdx.x == 40)
        __trap();
    while (*flag == 0)
        ;
    __syncthreads();
    *flag = 2;
}

static void run_failure(bool meets)
{
    device_array<int> flag(1);
    if (meets)
        behind_barrier<<<2, 64>>>(flag.data);
    else
        without_meeting<<<2, 64>>>(flag.data);
    EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
}

static void run_flags(const std::vector<int> &input)
{
    const int n = ROUNDS * 32;
    device_array<int> in(input), out(n), values(32), full(32);
    by_flags<<<1, THREADS>>>(in.data, out.data, values.data, full.data);
    LAUNCHED();
    const std::vector<int> flags = out.host();
    device_array<int> ring_out(2 * n);
    device_array<unsigned> put(2), taken(2);
    by_ring<<<1, THREADS>>>(in.data, ring_out.data, put.data, taken.data);
    LAUNCHED();
    const std::vector<int> ring = ring_out.host();
    device_array<int> votes_out(n), state(1);
    by_votes<<<1, THREADS>>>(in.data, votes_out.data, state.data);
    LAUNCHED();
    const std::vector<int> votes = votes_out.host();
    for (int i = 0; i < n; i++) {
        EXPECT(flags[i] == 4 * input[i]);
        EXPECT(votes[i] == input[i]);
    }
    for (int i = 0; i < 2 * n; i++)
        EXPECT(ring[i] == input[i] + 1);
    result("flags", flags);
}

static void run_turns(int threads)
{
    device_array<int> turn(1), list(threads), sum(1), cells(threads);
    by_turns<<<1, threads>>>(turn.data, list.data, sum.data);
    LAUNCHED();
    unsigned expected = 0;
    for (int i = 0; i < threads; i++)
        expected = expected * 3 + (unsigned)i;
    const std::vector<int> order = list.host();
    for (int i = 0; i < threads; i++)
        EXPECT(order[i] == threads - 1 - i);
    EXPECT(sum.host()[0] == (int)expected);
    by_chain<<<1, threads>>>(cells.data);
    LAUNCHED();
    const std::vector<int> found = cells.host();
    unsigned before = 1;
    for (int i = 0; i < threads; i++) {
        before = before * 5 + (unsigned)i;
        if (!EXPECT(found[i] == (int)before))
            break;
    }
    result("chain", found);
    device_array<int> more(threads);
    by_pointers<<<1, threads>>>(more.data);
    LAUNCHED();
    const std::vector<int> counted = more.host();
    for (int i = 0, expected = 0; i < threads; i++) {
        expected += 1 + (i > 0 && (threads - 1 - i) / 3 % 2);
        EXPECT(counted[i] == expected);
    }
}

static void run_others(const std::vector<int> &input)
{
    const int n = (int)input.size();
    device_array<int> in(input), out(n + THREADS), ready(THREADS), stop(1), named(THREADS);
    by_strides<<<1, THREADS>>>(in.data, out.data, n, ready.data, stop.data);
    by_named<<<1, THREADS>>>(named.data);
    LAUNCHED();
    const std::vector<int> copies = out.host(), found = named.host();
    for (int i = 0; i < n; i++)
        EXPECT(copies[i] == 2 * input[i]);
    for (int t = 0; t < THREADS; t++) {
        EXPECT(copies[n + t] == (t + 1 < THREADS ? 2 * input[t + 1] : 0));
        EXPECT(found[t] == 1 + (t < 64 ? 63 - t : t < 96 ? 1 : t % 32));
    }
}

static void run_locks()
{
    const int blocks = 6, threads = 96, all = blocks * threads;
    device_array<int> locks(LOCKS), counts(LOCKS), out(THREADS);
    by_locks<<<blocks, threads>>>(locks.data, counts.data);
    LAUNCHED();
    std::vector<int> expected(LOCKS);
    for (int t = 0; t < all; t++)
        expected[t % LOCKS]++, expected[(t + 1 + t / LOCKS % (LOCKS - 1)) % LOCKS]++;
    EXPECT(counts.host() == expected);
    device_array<unsigned> counter(1);
    by_counting<<<1, THREADS>>>(out.data, counter.data);
    LAUNCHED();
    const std::vector<int> sums = out.host();
    for (unsigned t = 0; t < THREADS; t++) {
        const unsigned some = THREADS - 20;
        unsigned sum = 0;
        for (unsigned i = 0; t < some && i < ROUNDS; i++)
            sum += (t + i) % some * i + 1;
        EXPECT(sums[t] == (int)sum);
    }
}

static void run_counters()
{
    static const unsigned consumers[] = {3, 40, THREADS, 3 * THREADS};
    int expected = 0;
    for (int i = 0; i < ROUNDS; i++)
        expected += i * i;
    for (size_t i = 0; i < 4; i++) {
        char *memory;
        int sum = 0;
        CUDA(cudaMalloc(&memory, 256));
        CUDA(cudaMemset(memory, 0, 256));
        const unsigned blocks = consumers[i] / THREADS + 1;
        (blocks == 1 ? by_counters<true> : by_counters<false>)<<<blocks, THREADS>>>(
            (unsigned *)memory, (int *)(memory + 64), (int *)(memory + 128), consumers[i]);
        CUDA(cudaMemcpy(&sum, memory + 128, sizeof sum, cudaMemcpyDeviceToHost));
        EXPECT(sum == expected);
        CUDA(cudaFree(memory));
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const pid_t child = fork(); /* one failure each: before the first call of CUDA */
    if (child == 0) {
        run_failure(true);
        _exit(program_failures != 0);
    }
    std::vector<int> input(2 * ROUNDS * 32);
    for (size_t i = 0; i < input.size(); i++)
        input[i] = (int)(random_word(i) % 100000);
    run_flags(input);
    run_counters();
    run_turns(32);
    run_turns(80);
    run_others(input);
    run_locks();
    run_failure(false);
    int status = 1;
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    return program_end();
}
