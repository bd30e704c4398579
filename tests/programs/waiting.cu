/* Threads that wait for other blocks, and locks: critical sections of every thread and of one thread a block, with and
 * without barriers inside, blocks that count up to the last one, tickets, and sums handed from block to block.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__device__ void take(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ void let_go(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

/* Every thread takes the lock of all. */
__global__ void each_thread(int *lock, volatile int *sums)
{
    take(lock);
    sums[0] = sums[0] + 1;
    sums[1] = sums[1] + (int)threadIdx.x;
    let_go(lock);
}

/* The same as it is written for devices whose warps go in step, with a lock of the block, and shared memory that is
 * read and written at different places within. */
__global__ void in_turns(int *out)
{
    __shared__ int lock, count, places[64];
    if (threadIdx.x == 0)
        lock = count = 0;
    __syncthreads();
    for (bool is_done = false; !is_done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            const volatile int *now = &count;
            const int at = *now;
            places[at] = (int)threadIdx.x;
            *(volatile int *)&count = at + 1;
            let_go(&lock);
            is_done = true;
        }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += places[i] * places[i];
    if (threadIdx.x == 0)
        out[blockIdx.x] = count * 1000000 + sum;
}

/* One thread takes the lock for its block, which works on between barriers. */
__global__ void by_blocks(int *lock, int *list, int *used)
{
    __shared__ int first;
    if (threadIdx.x == 0) {
        take(lock);
        first = *(volatile int *)used;
    }
    __syncthreads();
    list[first + threadIdx.x] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        *(volatile int *)used = first + (int)blockDim.x;
        let_go(lock);
    }
}

/* The last block that comes adds up what all have left. */
__global__ void last_block(const int *in, int n, int *parts, unsigned *done, int *sum)
{
    __shared__ int shared[128];
    __shared__ bool is_last;
    const int t = threadIdx.x;
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        own += in[i];
    shared[t] = own;
    for (int step = 64; step > 0; step /= 2) {
        __syncthreads();
        if (t < step)
            shared[t] += shared[t + step];
    }
    if (t == 0) {
        parts[blockIdx.x] = shared[0];
        __threadfence();
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last || t != 0)
        return;
    int all = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
        all += *(volatile int *)&parts[i];
    *sum = all;
}

/* Sums of all before, in one pass: a block waits for the one whose ticket was drawn before its own. */
__global__ void chained(const int *in, int *out, unsigned *tickets, volatile int *sums,
                        volatile int *ready)
{
    __shared__ int shared[128], before;
    __shared__ unsigned ticket;
    const int t = threadIdx.x;
    if (t == 0)
        ticket = atomicAdd(tickets, 1);
    __syncthreads();
    const int i = ticket * 128 + t;
    shared[t] = in[i];
    for (int step = 1; step < 128; step *= 2) {
        __syncthreads();
        const int add = t >= step ? shared[t - step] : 0;
        __syncthreads();
        shared[t] += add;
    }
    __syncthreads();
    if (t == 0) {
        before = 0;
        if (ticket > 0) {
            while (ready[ticket - 1] == 0)
                ;
            __threadfence();
            before = sums[ticket - 1];
        }
        sums[ticket] = before + shared[127];
        __threadfence();
        ready[ticket] = 1;
    }
    __syncthreads();
    out[i] = before + shared[t];
}

/* The same without tickets: blocks begin in order. */
__global__ void in_order(volatile int *sums, volatile int *ready)
{
    const int block = blockIdx.x;
    int before = 0;
    if (block > 0) {
        while (ready[block - 1] == 0)
            ;
        __threadfence();
        before = sums[block - 1];
    }
    sums[block] = before + block;
    __threadfence();
    ready[block] = 1;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int blocks = 60;
    device_array<int> lock(1), sums(2), counts(blocks), list(blocks * 64), used(1);
    each_thread<<<blocks, 64>>>(lock.data, sums.data);
    in_turns<<<blocks, 64>>>(counts.data);
    by_blocks<<<blocks, 64>>>(lock.data, list.data, used.data);
    LAUNCHED();
    EXPECT(sums.host()[0] == blocks * 64 && sums.host()[1] == blocks * 63 * 32);
    for (int found : counts.host())
        EXPECT(found == 64 * 1000000 + 63 * 64 * 127 / 6);
    std::vector<int> seen(blocks * 64);
    const std::vector<int> got = list.host();
    for (int i = 0; i < blocks * 64; i++)
        seen[got[i]] += got[i] % 64 == i % 64;
    for (int times : seen)
        EXPECT(times == 1);

    const int n = blocks * 128;
    std::vector<int> values(n), expected(n);
    for (int i = 0; i < n; i++)
        values[i] = (int)(random_word(i) % 1000),
        expected[i] = values[i] + (i ? expected[i - 1] : 0);
    device_array<int> in(values), parts(blocks), sum(1), out(n), ready(blocks);
    device_array<unsigned> done(1), tickets(1);
    last_block<<<blocks, 128>>>(in.data, n, parts.data, done.data, sum.data);
    chained<<<blocks, 128>>>(in.data, out.data, tickets.data, parts.data, ready.data);
    LAUNCHED();
    EXPECT(sum.host()[0] == expected[n - 1]);
    EXPECT(out.host() == expected);
    device_array<int> chain(500), flags(500);
    in_order<<<500, 1>>>(chain.data, flags.data);
    LAUNCHED();
    EXPECT(chain.host()[499] == 499 * 250);
    result("sums", out.host());
    return program_end();
}
