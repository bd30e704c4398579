/* Blocks of ordinary launches that wait for each other, also for those that begin after them: locks, flags, rings, sums by
 * looking back. On CPUs, where fewer run at once than wait, one that waits gives way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { THREADS = 64, TILE = 128 };

/* ---- Locks ---- */

__global__ void by_lock(int *lock, volatile int *sum, int turns)
{
    if (threadIdx.x != 0)
        return;
    for (int i = 0; i < turns; i++) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *sum = *sum + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

static void test_lock(int *memory)
{
    int sum = 0;
    CUDA(cudaMemset(memory, 0, 2 * sizeof(int)));
    by_lock<<<100, THREADS>>>(memory, memory + 1, 20);
    LAUNCHED();
    CUDA(cudaMemcpy(&sum, memory + 1, sizeof sum, cudaMemcpyDefault));
    EXPECT(sum == 100 * 20);
}

/* ---- The last block first ---- */

/* Shared memory and registers live across the wait. */
__global__ void backwards(volatile int *flags, volatile int *out)
{
    __shared__ int shared[THREADS];
    const int mine = (int)(blockIdx.x * THREADS + threadIdx.x);
    const bool is_last = blockIdx.x + 1 == gridDim.x;
    shared[threadIdx.x] = 3 * (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0 && !is_last)
        while (flags[blockIdx.x + 1] == 0)
            ;
    __syncthreads();
    out[mine] = mine + shared[THREADS - 1 - threadIdx.x] + (is_last ? 0 : out[mine + THREADS]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        flags[blockIdx.x] = 1;
}

/* As many as the smallest device is told to have room for, and more. */
static void test_backwards(int *memory)
{
    for (int blocks : {2, 16, 300}) {
        std::vector<int> out(blocks * THREADS);
        int *flags = memory, *sums = memory + 300;
        CUDA(cudaMemset(flags, 0, 300 * sizeof(int)));
        backwards<<<blocks, THREADS>>>(flags, sums);
        LAUNCHED();
        CUDA(cudaMemcpy(out.data(), sums, out.size() * sizeof(int), cudaMemcpyDefault));
        bool is_right = true;
        for (int i = blocks * THREADS - 1; i >= 0; i--) {
            const int own = i + 3 * (THREADS - 1 - i % THREADS);
            const int next = i + THREADS < blocks * THREADS ? out[i + THREADS] : 0;
            is_right = is_right && out[i] == own + next;
        }
        EXPECT(is_right);
    }
}

/* ---- A block as a whole, between its barriers ---- */

/* What each waits for: the same register of all threads; a vote; a barrier of some warps. */
__global__ void by_barriers(volatile int *flags, int *out)
{
    __shared__ int seen;
    const bool is_last = blockIdx.x + 1 == gridDim.x;
    int own = (int)threadIdx.x, turns = 0, all = 1;
    do {
        if (threadIdx.x == 0)
            seen = is_last ? 1 : flags[blockIdx.x + 1];
        __syncthreads();
        all = seen;
        own += all ? 0 : turns & 1; /* however many turns there are */
        turns++;
        __syncthreads();
    } while (all == 0);
    out[blockIdx.x * THREADS + threadIdx.x] = own >= (int)threadIdx.x ? all : -1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        flags[blockIdx.x] = all + 1;
}

__global__ void by_votes(volatile int *flags, int *out)
{
    const bool is_last = blockIdx.x + 1 == gridDim.x;
    int all = 1;
    while (!__syncthreads_or(threadIdx.x == 7 && (is_last || flags[blockIdx.x + 1] != 0)))
        ;
    if (!is_last)
        all = flags[blockIdx.x + 1];
    out[blockIdx.x * THREADS + threadIdx.x] = all;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        flags[blockIdx.x] = all + 1;
}

__global__ void by_some(volatile int *flags, int *out)
{
    __shared__ volatile int seen;
    const bool is_last = blockIdx.x + 1 == gridDim.x;
    int all = 1;
    if (threadIdx.x < 32) {
        do {
            if (threadIdx.x == 0)
                seen = is_last ? 1 : flags[blockIdx.x + 1];
            asm volatile("bar.sync 1, 32;" ::: "memory");
            all = seen;
            asm volatile("bar.sync 1, 32;" ::: "memory");
        } while (all == 0);
    }
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = seen;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        flags[blockIdx.x] = seen + 1;
}

static void test_whole(int *memory)
{
    enum { BLOCKS = 20 };
    void (*const kernels[])(volatile int *, int *) = {by_barriers, by_votes, by_some};
    for (const auto kernel : kernels) {
        int got[BLOCKS * THREADS];
        bool is_right = true;
        CUDA(cudaMemset(memory, 0, BLOCKS * sizeof(int)));
        kernel<<<BLOCKS, THREADS>>>(memory, memory + BLOCKS);
        LAUNCHED();
        CUDA(cudaMemcpy(got, memory + BLOCKS, sizeof got, cudaMemcpyDefault));
        for (int i = 0; i < BLOCKS * THREADS; i++)
            is_right = is_right && got[i] == BLOCKS - i / THREADS;
        EXPECT(is_right);
    }
}

/* ---- Each thread for its neighbour in another block ---- */

__global__ void by_threads(volatile int *place, int rounds)
{
    const int size = (int)(gridDim.x * blockDim.x);
    const int mine =
        (int)(threadIdx.x * gridDim.x + blockIdx.x); /* the next is in the next block */
    for (int i = 1; i <= rounds; i++) {
        while (place[(mine + size - 1) % size] < (mine == 0 ? i - 1 : i))
            ;
        place[mine] = i;
    }
}

static void test_threads(int *memory)
{
    enum { BLOCKS = 4, SIZE = BLOCKS * 16, ROUNDS = 5 };
    int got[SIZE];
    bool is_right = true;
    CUDA(cudaMemset(memory, 0, sizeof got));
    by_threads<<<BLOCKS, SIZE / BLOCKS>>>(memory, ROUNDS);
    LAUNCHED();
    CUDA(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDefault));
    for (int i : got)
        is_right = is_right && i == ROUNDS;
    EXPECT(is_right);
}

/* ---- Who takes first, then who puts ---- */

/* The first half of the blocks takes what the second half puts into rings of one place; warps, not threads, wait. */
__global__ void ring(volatile int *full, volatile int *slots, int *out, int rounds)
{
    const int half = (int)gridDim.x / 2, pair = (int)blockIdx.x % half, lane = threadIdx.x % 32;
    for (int i = 0; i < rounds; i++) {
        const bool takes = (int)blockIdx.x < half;
        while (__any_sync(~0u, full[pair] != (takes ? 1 : 0)))
            ;
        __threadfence();
        if (takes)
            out[(pair * rounds + i) * 32 + lane] = slots[pair * 32 + lane];
        else
            slots[pair * 32 + lane] = i * 100 + lane + pair;
        __threadfence();
        __syncwarp();
        if (lane == 0)
            full[pair] = takes ? 0 : 1;
    }
}

static void test_ring(int *memory)
{
    enum { PAIRS = 6, ROUNDS = 7 };
    int got[PAIRS * ROUNDS * 32];
    int *full = memory, *slots = memory + PAIRS, *out = slots + PAIRS * 32;
    bool is_right = true;
    CUDA(cudaMemset(full, 0, PAIRS * sizeof(int)));
    ring<<<2 * PAIRS, 32>>>(full, slots, out, ROUNDS);
    LAUNCHED();
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault));
    for (int i = 0; i < PAIRS * ROUNDS * 32; i++)
        is_right = is_right && got[i] == i / 32 % ROUNDS * 100 + i % 32 + i / 32 / ROUNDS;
    EXPECT(is_right);
}

/* ---- Sums of all before ---- */

/* A word for each tile: in the upper half 1 when the lower is its own sum, 2 when it is that of all before, too. The first
 * warp looks back 32 tiles at a time. */
__device__ int look_back(volatile unsigned long long *tiles, int tile, int own)
{
    const int lane = threadIdx.x;
    int before = 0;
    if (lane == 0)
        tiles[tile] = (tile == 0 ? 2ull : 1ull) << 32 | (unsigned)own;
    for (int at = tile - 1; at >= 0; at -= 32) {
        unsigned long long word;
        do
            word = at - lane >= 0 ? tiles[at - lane] : 2ull << 32;
        while (__any_sync(~0u, word >> 32 == 0));
        const unsigned whole = __ballot_sync(~0u, word >> 32 == 2);
        const int last = whole ? __ffs((int)whole) - 1 : 31;
        int part = lane <= last ? (int)(unsigned)word : 0;
        for (int step = 16; step > 0; step /= 2)
            part += __shfl_xor_sync(~0u, part, step);
        before += part;
        if (whole)
            break;
    }
    if (lane == 0 && tile > 0)
        tiles[tile] = 2ull << 32 | (unsigned)(before + own);
    return before;
}

__global__ void scan(const int *in, int *out, volatile unsigned long long *tiles, int size)
{
    __shared__ int sums[TILE], before;
    const int t = threadIdx.x, i = (int)blockIdx.x * TILE + t;
    sums[t] = i < size ? in[i] : 0;
    for (int step = 1; step < TILE; step *= 2) {
        __syncthreads();
        const int add = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += add;
    }
    __syncthreads();
    if (t < 32) {
        const int sum = look_back(tiles, (int)blockIdx.x, sums[TILE - 1]);
        if (t == 0)
            before = sum;
    }
    __syncthreads();
    if (i < size)
        out[i] = before + sums[t];
}

static void test_scan()
{
    enum { SIZE = 100000, TILES = (SIZE + TILE - 1) / TILE };
    std::vector<int> in(SIZE), out(SIZE);
    unsigned long long *tiles;
    int *numbers, sum = 0;
    bool is_right = true;
    for (int i = 0; i < SIZE; i++)
        in[i] = i % 17 - 5;
    CUDA(cudaMalloc(&numbers, 2 * SIZE * sizeof(int)));
    CUDA(cudaMalloc(&tiles, TILES * sizeof *tiles));
    CUDA(cudaMemset(tiles, 0, TILES * sizeof *tiles));
    CUDA(cudaMemcpy(numbers, in.data(), SIZE * sizeof(int), cudaMemcpyDefault));
    scan<<<TILES, TILE>>>(numbers, numbers + SIZE, tiles, SIZE);
    LAUNCHED();
    CUDA(cudaMemcpy(out.data(), numbers + SIZE, SIZE * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < SIZE; i++)
        is_right = is_right && out[i] == (sum += in[i]);
    EXPECT(is_right);
    CUDA(cudaFree(tiles));
    CUDA(cudaFree(numbers));
}

int main(int count, char **arguments)
{
    int *memory = nullptr;
    program_begin(count, arguments);
    CUDA(cudaMalloc(&memory, 1 << 17));
    test_lock(memory);
    test_backwards(memory);
    test_whole(memory);
    test_threads(memory);
    test_ring(memory);
    test_scan();
    CUDA(cudaFree(memory));
    return program_end();
}
