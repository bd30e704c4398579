/* Kernels as CUDA programs have them, each right, and each with every barrier, __syncwarp(), fence and atomic taken out, and
 * made weaker, in turn: the checks must be silent on those that are right, and report the others, or say by name why nothing can differ.
 *
 *     CLEM_CHECK=race,sync races KERNEL MUTANT    runs one of them: 0 is the right one; ends with 1 where its result is wrong
 *     races --list                                 lines of: KERNEL, MUTANT, and of those that are equivalent, why
 *
 * A mutant is chosen when the kernel runs, so that all are compiled once: `m` is the one, known to the whole grid.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static const int threads = 64, blocks = 4, length = threads * blocks;

/* What is there but in mutant n, and is weaker in mutant n + WEAKER: a barrier of the warp in place of the block's, of half of it in
 * place of the warp's, a fence or an atomic operation of the block's scope in place of the device's. */
enum { WEAKER = 100 };
#define BARRIER(n)                                                                                 \
    do {                                                                                           \
        if (m == (n) + WEAKER)                                                                     \
            __syncwarp();                                                                          \
        else if (m != (n))                                                                         \
            __syncthreads();                                                                       \
    } while (0)
#define WARP(n)                                                                                    \
    do {                                                                                           \
        if (m == (n) + WEAKER)                                                                     \
            __syncwarp(threadIdx.x % 32 < 16 ? 0x0000ffffu : 0xffff0000u);                         \
        else if (m != (n))                                                                         \
            __syncwarp();                                                                          \
    } while (0)
#define FENCE(n)                                                                                   \
    do {                                                                                           \
        if (m == (n) + WEAKER)                                                                     \
            __threadfence_block();                                                                 \
        else if (m != (n))                                                                         \
            __threadfence();                                                                       \
    } while (0)

/* clang forgets the scope of atomicAdd_block(). */
__device__ int add_in_block(int *to, int value)
{
    int before;
    __asm__ volatile("atom.relaxed.cta.add.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(to), "r"(value)
                     : "memory");
    return before;
}

__device__ float add_in_block(float *to, float value)
{
    float before;
    __asm__ volatile("atom.relaxed.cta.add.f32 %0, [%1], %2;"
                     : "=f"(before)
                     : "l"(to), "f"(value)
                     : "memory");
    return before;
}

template <class T> __device__ T add(int m, int n, T *to, T value)
{
    if (m == n + WEAKER)
        return add_in_block(to, value);
    if (m != n)
        return atomicAdd(to, value);
    const T before = *to;
    *to = before + value;
    return before;
}

struct memory {
    int in[length], out[length], sums[blocks * 4], words[64], flags[64];
};

/* ---- Reductions ---- */

__device__ void add_by_tree(memory *g, int *s, int m)
{
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    BARRIER(1);
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        BARRIER(2);
    }
    if (t == 0)
        g->sums[blockIdx.x] = s[0];
}

__global__ void reduce_tree(memory *g, int m)
{
    __shared__ int s[threads];
    add_by_tree(g, s, m);
}

/* The last block alone leaves the course of the others. */
__global__ void reduce_tree_late(memory *g, int m)
{
    __shared__ int s[threads];
    add_by_tree(g, s, blockIdx.x + 1 == gridDim.x ? m : 0);
}

/* Likewise, by where it reads: what the other warp writes meanwhile. */
__global__ void read_own_late(memory *g, int m)
{
    __shared__ int s[2 * threads];
    const int t = threadIdx.x, other = m * 32 * (blockIdx.x / (gridDim.x - 1));
    s[t] = g->in[blockIdx.x * threads + t];
    g->out[blockIdx.x * threads + t] = s[t + other];
}

__global__ void reduce_interleaved(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    for (int step = 1; step < threads; step *= 2) {
        BARRIER(1);
        if (t % (2 * step) == 0)
            s[t] += s[t + step];
    }
    if (t == 0)
        g->sums[blockIdx.x] = s[0];
}

__device__ int sum_of_warp(int value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

__global__ void reduce_shuffle(memory *g, int m)
{
    __shared__ int s[threads / 32];
    const int t = threadIdx.x;
    for (int turn = 0; turn < 2; turn++) {
        const int sum = sum_of_warp(g->in[blockIdx.x * threads + t]);
        if (t % 32 == 0)
            s[t / 32] = sum;
        BARRIER(1);
        if (t == 0)
            g->sums[blockIdx.x] = s[0] + s[1];
        BARRIER(2);
    }
}

__global__ void reduce_warp_in_shared(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x, lane = t % 32;
    s[t] = g->in[blockIdx.x * threads + t];
    WARP(1);
    int sum = s[t];
    for (int offset = 16; offset > 0; offset /= 2) {
        if (lane < offset)
            sum += s[t + offset];
        WARP(2);
        if (lane < offset)
            s[t] = sum;
        WARP(3);
    }
    BARRIER(4);
    if (t == 0)
        g->sums[blockIdx.x] = s[0] + s[32];
}

__global__ void reduce_atomic(memory *g, int m)
{
    __shared__ int s;
    const int t = threadIdx.x;
    if (t == 0)
        s = 0;
    BARRIER(1);
    add(m, 2, &s, g->in[blockIdx.x * threads + t]);
    BARRIER(3);
    if (t == 0)
        add(m, 4, &g->words[0], s);
}

__global__ void reduce_last_block(memory *g, int m)
{
    __shared__ int s[threads];
    __shared__ bool is_last;
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    BARRIER(1);
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        BARRIER(2);
    }
    if (t == 0) {
        g->sums[blockIdx.x] = s[0];
        FENCE(3);
        is_last = add(m, 4, &g->words[1], 1) == (int)gridDim.x - 1;
    }
    BARRIER(5);
    if (is_last && t < 32) {
        const int sum = sum_of_warp(t < (int)gridDim.x ? g->sums[t] : 0);
        if (t == 0)
            g->words[0] = sum;
    }
}

/* As CUDA's guide does it: the last one sets the counter back, by a plain store. */
__global__ void count_again(memory *g, int m)
{
    __shared__ bool is_last;
    const int t = threadIdx.x;
    if (t == 0) {
        g->sums[blockIdx.x] = g->in[blockIdx.x];
        FENCE(1);
        is_last = atomicAdd(&g->words[1], 1) == (int)gridDim.x - 1;
    }
    BARRIER(2);
    if (!is_last && m != 3)
        return;
    if (t < (int)gridDim.x)
        g->out[t] = g->sums[t];
    if (t == 0)
        g->words[1] = 0;
}

__global__ void reduce_all_fence(memory *g, int m)
{
    __shared__ bool is_last;
    const int t = threadIdx.x, i = blockIdx.x * threads + t;
    g->out[i] = g->in[i] * 2;
    FENCE(1);
    BARRIER(2);
    if (t == 0)
        is_last = atomicAdd(&g->words[1], 1) == (int)gridDim.x - 1;
    BARRIER(3);
    if (is_last) {
        int sum = 0;
        for (int k = t; k < length; k += threads)
            sum += g->out[k];
        add(m, 4, &g->words[0], sum);
    }
}

/* ---- Scans ---- */

__global__ void scan_doubling(memory *g, int m)
{
    __shared__ int s[2][threads];
    const int t = threadIdx.x;
    int from = 0;
    s[0][t] = g->in[blockIdx.x * threads + t];
    BARRIER(1);
    for (int offset = 1; offset < threads; offset *= 2) {
        s[1 - from][t] = s[from][t] + (t >= offset ? s[from][t - offset] : 0);
        from = 1 - from;
        BARRIER(2);
    }
    g->out[blockIdx.x * threads + t] = s[from][t];
}

__global__ void scan_in_place(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    BARRIER(1);
    for (int offset = 1; offset < threads; offset *= 2) {
        const int value = t >= offset ? s[t - offset] : 0;
        BARRIER(2);
        s[t] += value;
        BARRIER(3);
    }
    g->out[blockIdx.x * threads + t] = s[t];
}

__global__ void scan_tree(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    int offset = 1;
    for (int active = threads / 2; active > 0; active /= 2) {
        BARRIER(1);
        if (t < active)
            s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    BARRIER(2);
    if (t == 0)
        s[threads - 1] = 0;
    for (int active = 1; active < threads; active *= 2) {
        offset /= 2;
        BARRIER(3);
        if (t < active) {
            const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            const int kept = s[left];
            s[left] = s[right];
            s[right] += kept;
        }
    }
    BARRIER(4);
    g->out[blockIdx.x * threads + t] = s[t] + g->in[blockIdx.x * threads + t];
}

__device__ int scan_of_warp(int value)
{
    for (int offset = 1; offset < 32; offset *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, value, offset);
        if ((int)threadIdx.x % 32 >= offset)
            value += other;
    }
    return value;
}

__global__ void scan_warps(memory *g, int m)
{
    __shared__ int s[threads / 32];
    const int t = threadIdx.x;
    const int sum = scan_of_warp(g->in[blockIdx.x * threads + t]);
    if (t % 32 == 31)
        s[t / 32] = sum;
    BARRIER(1);
    if (t == 0)
        s[1] += s[0];
    BARRIER(2);
    g->out[blockIdx.x * threads + t] = sum + (t >= 32 ? s[t / 32 - 1] : 0);
}

/* One pass: each block looks back at what those before it left. */
__global__ void scan_look_back(memory *g, int m)
{
    __shared__ int before, block, sums[threads / 32];
    const int t = threadIdx.x;
    if (t == 0)
        block = add(m, 1, &g->words[2], 1);
    BARRIER(2);
    const int sum = scan_of_warp(g->in[block * threads + t]);
    if (t % 32 == 31)
        sums[t / 32] = sum;
    BARRIER(3);
    if (t == 0) {
        int found = 0;
        if (block > 0) {
            while (atomicAdd(&g->flags[block - 1], 0) == 0)
                continue;
            FENCE(4);
            found = g->sums[block - 1];
        }
        before = found;
        g->sums[block] = found + sums[0] + sums[1];
        FENCE(5);
        if (m != 6)
            atomicExch(&g->flags[block], 1);
        else
            g->flags[block] = 1;
    }
    BARRIER(7);
    g->out[block * threads + t] = before + sum + (t >= 32 ? sums[0] : 0);
}

__global__ void scan_carry(memory *g, int m)
{
    __shared__ int s[threads], carry;
    const int t = threadIdx.x;
    if (t == 0)
        carry = 0;
    for (int tile = 0; tile < blocks; tile++) {
        s[t] = g->in[tile * threads + t];
        BARRIER(1);
        int sum = 0;
        for (int k = 0; k <= t; k++)
            sum += s[k];
        if (blockIdx.x == 0)
            g->out[tile * threads + t] = carry + sum;
        BARRIER(2);
        if (t == threads - 1)
            carry += sum;
        BARRIER(3);
    }
}

/* ---- Histograms ---- */

__global__ void histogram_global(memory *g, int m)
{
    const int i = blockIdx.x * threads + threadIdx.x;
    add(m, 1, &g->words[g->in[i] & 15], 1);
}

__global__ void histogram_shared(memory *g, int m)
{
    __shared__ int s[16];
    const int t = threadIdx.x;
    if (t < 16)
        s[t] = 0;
    BARRIER(1);
    add(m, 2, &s[g->in[blockIdx.x * threads + t] & 15], 1);
    BARRIER(3);
    if (t < 16)
        add(m, 4, &g->words[t], s[t]);
}

__global__ void histogram_of_warps(memory *g, int m)
{
    __shared__ int s[threads / 32][16];
    const int t = threadIdx.x, w = t / 32, lane = t % 32;
    if (lane < 16)
        s[w][lane] = 0;
    WARP(1);
    add(m, 2, &s[w][g->in[blockIdx.x * threads + t] & 15], 1);
    BARRIER(3);
    if (t < 16)
        add(m, 4, &g->words[t], s[0][t] + s[1][t]);
}

/* ---- Tiles ---- */

__global__ void multiply_tiles(memory *g, int m)
{
    __shared__ int a[8][8], b[8][8];
    const int x = threadIdx.x % 8, y = threadIdx.x / 8;
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        a[y][x] = g->in[y * 16 + k * 8 + x];
        b[y][x] = g->in[128 + (k * 8 + y) * 8 + x];
        BARRIER(1);
        for (int i = 0; i < 8; i++)
            sum += a[y][i] * b[i][x];
        BARRIER(2);
    }
    g->out[blockIdx.x * threads + threadIdx.x] = sum;
}

__global__ void transpose_tile(memory *g, int m)
{
    __shared__ int tile[8][9];
    const int x = threadIdx.x % 8, y = threadIdx.x / 8;
    tile[y][x] = g->in[blockIdx.x * threads + threadIdx.x];
    BARRIER(1);
    g->out[blockIdx.x * threads + threadIdx.x] = tile[x][y];
}

__global__ void stencil_row(memory *g, int m)
{
    __shared__ int s[threads + 2];
    const int t = threadIdx.x, i = blockIdx.x * threads + t;
    s[t + 1] = g->in[i];
    if (t == 0)
        s[0] = i > 0 ? g->in[i - 1] : 0;
    if (t == threads - 1)
        s[threads + 1] = i + 1 < length ? g->in[i + 1] : 0;
    BARRIER(1);
    g->out[i] = s[t] + s[t + 1] + s[t + 2];
}

__global__ void stencil_turns(memory *g, int m)
{
    __shared__ int s[2][threads];
    const int t = threadIdx.x;
    s[0][t] = g->in[blockIdx.x * threads + t];
    BARRIER(1);
    for (int turn = 0; turn < 4; turn++) {
        const int *from = s[turn & 1];
        s[1 - (turn & 1)][t] =
            from[t > 0 ? t - 1 : t] + from[t] + from[t < threads - 1 ? t + 1 : t];
        BARRIER(2);
    }
    g->out[blockIdx.x * threads + t] = s[0][t];
}

__global__ void stencil_in_place(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    for (int turn = 0; turn < 3; turn++) {
        BARRIER(1);
        const int left = s[t > 0 ? t - 1 : t], right = s[t < threads - 1 ? t + 1 : t];
        BARRIER(2);
        s[t] = left + right;
    }
    g->out[blockIdx.x * threads + t] = s[t];
}

__global__ void product_of_vector(memory *g, int m)
{
    __shared__ int v[threads];
    const int t = threadIdx.x;
    for (int k = 0; k < 2; k++) {
        v[t] = g->in[k * threads + t];
        BARRIER(1);
        int sum = 0;
        for (int i = 0; i < threads; i += 4)
            sum += v[(i + t) % threads] * (i + 1);
        g->out[blockIdx.x * threads + t] = sum;
        BARRIER(2);
    }
}

/* ---- Sorting ---- */

__global__ void sort_bitonic(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    BARRIER(1);
    for (int size = 2; size <= threads; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int other = t ^ stride;
            if (other > t) {
                const bool is_up = (t & size) == 0;
                const int a = s[t], b = s[other];
                if ((a > b) == is_up) {
                    s[t] = b;
                    s[other] = a;
                }
            }
            BARRIER(2);
        }
    g->out[blockIdx.x * threads + t] = s[t];
}

__global__ void sort_odd_even(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    BARRIER(1);
    for (int turn = 0; turn < threads; turn++) {
        const int i = 2 * t + (turn & 1);
        if (i + 1 < threads && s[i] > s[i + 1]) {
            const int kept = s[i];
            s[i] = s[i + 1];
            s[i + 1] = kept;
        }
        BARRIER(2);
    }
    g->out[blockIdx.x * threads + t] = s[t];
}

__global__ void sort_by_bits(memory *g, int m)
{
    __shared__ int s[threads], zeros[threads / 32];
    const int t = threadIdx.x, lane = t % 32;
    s[t] = g->in[blockIdx.x * threads + t];
    BARRIER(1);
    for (int bit = 0; bit < 8; bit++) {
        const int value = s[t];
        const unsigned set = __ballot_sync(0xffffffffu, value >> bit & 1);
        if (lane == 0)
            zeros[t / 32] = 32 - __popc(set);
        BARRIER(2);
        const int all = zeros[0] + zeros[1], ones = __popc(set & ((1u << lane) - 1));
        const int before = t < 32 ? 0 : zeros[0];
        const int place =
            value >> bit & 1 ? all + (t < 32 ? 0 : 32 - zeros[0]) + ones : before + lane - ones;
        s[(unsigned)place % threads] =
            value; // within, whatever a missing barrier makes of the counts
        BARRIER(3);
    }
    g->out[blockIdx.x * threads + t] = s[t];
}

/* ---- Compaction, queues, locks ---- */

__global__ void compact(memory *g, int m)
{
    __shared__ int count, base;
    const int t = threadIdx.x, value = g->in[blockIdx.x * threads + t];
    if (t == 0)
        count = 0;
    BARRIER(1);
    int place = 0;
    if (value & 1)
        place = add(m, 2, &count, 1);
    BARRIER(3);
    if (t == 0)
        base = add(m, 4, &g->words[0], count);
    BARRIER(5);
    if (value & 1)
        g->out[base + place] = 1;
}

__global__ void compact_by_warps(memory *g, int m)
{
    const int t = threadIdx.x, lane = t % 32, value = g->in[blockIdx.x * threads + t];
    const unsigned set = __ballot_sync(0xffffffffu, value & 1);
    int base = 0;
    if (lane == 0)
        base = add(m, 1, &g->words[0], __popc(set));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (value & 1)
        g->out[base + __popc(set & ((1u << lane) - 1))] = 1;
}

__global__ void lock(memory *g, int m)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&g->flags[0], 0, 1) != 0)
            continue;
        FENCE(1);
        g->words[0] += g->in[blockIdx.x * threads + threadIdx.x];
        FENCE(2);
        if (m != 3)
            atomicExch(&g->flags[0], 0);
        else
            g->flags[0] = 0;
    }
}

/* One thread copies the block's part out, which is written anew when it has been read. */
__global__ void copy_out(memory *g, int m)
{
    __shared__ __align__(16) int part[threads];
    const int t = threadIdx.x;
    part[t] = g->in[blockIdx.x * threads + t];
    BARRIER(1);
    if (t == 0) {
        __asm__ volatile("fence.proxy.async.shared::cta;\n\t"
                         "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\n\t"
                         "cp.async.bulk.commit_group;"
                         :
                         : "l"(g->out + blockIdx.x * threads),
                           "r"((unsigned)__cvta_generic_to_shared(part))
                         : "memory");
        if (m != 2)
            __asm__ volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
    }
    BARRIER(3);
    part[t] = t;
}

/* A surface, and the memory's start as a texture: what a kernel has written they need not show, so these read first. */
__device__ cudaSurfaceObject_t kept_surface;
__device__ cudaTextureObject_t texture_of_in;

__global__ void turn_surface(memory *g, int m)
{
    const int t = threadIdx.x, first = blockIdx.x * threads;
    const int value = surf2Dread<int>(kept_surface, (first + threads - 1 - t) * 4, 0);
    BARRIER(1);
    surf2Dwrite(value + 1, kept_surface, (first + t) * 4, 0);
    g->out[first + t] = value;
}

__global__ void turn_texture(memory *g, int m)
{
    const int t = threadIdx.x, first = blockIdx.x * threads;
    const int value = tex1Dfetch<int>(texture_of_in, first + threads - 1 - t);
    BARRIER(1);
    g->in[first + t] = value + 1;
}

static void make_objects(memory *device)
{
    cudaArray_t array;
    cudaSurfaceObject_t made;
    cudaTextureObject_t linear;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &texel, length, 1, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, device->in, length * 4, length * 4, 1,
                        cudaMemcpyDeviceToDevice);
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaCreateSurfaceObject(&made, &what);
    cudaMemcpyToSymbol(kept_surface, &made, sizeof made);
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = device->in;
    what.res.linear.desc = texel;
    what.res.linear.sizeInBytes = sizeof device->in;
    cudaCreateTextureObject(&linear, &what, &how, nullptr);
    cudaMemcpyToSymbol(texture_of_in, &linear, sizeof linear);
}

/* Blocks wait for the ones behind them, which run while they do. */
__global__ void wait_for_next(memory *g, int m)
{
    __shared__ int seen;
    volatile int *flags = g->flags;
    const int t = threadIdx.x;
    int all;
    do {
        if (t == 0)
            seen = blockIdx.x + 1 == gridDim.x ? 1 : flags[blockIdx.x + 1];
        BARRIER(1);
        all = seen;
        BARRIER(2);
    } while (all == 0);
    g->out[blockIdx.x * threads + t] = all;
    __threadfence();
    __syncthreads();
    if (t == 0)
        flags[blockIdx.x] = 1;
}

__global__ void lock_of_block(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    if (t == 0) {
        while (atomicCAS(&g->flags[0], 0, 1) != 0)
            continue;
        FENCE(1);
    }
    BARRIER(2);
    g->out[t] += s[threads - 1 - t];
    BARRIER(3);
    if (t == 0) {
        FENCE(4);
        atomicExch(&g->flags[0], 0);
    }
}

__global__ void grid_barrier(memory *g, int m)
{
    const int t = threadIdx.x, i = blockIdx.x * threads + t;
    g->out[i] = g->in[i];
    BARRIER(1);
    if (t == 0) {
        FENCE(2);
        add(m, 3, &g->words[3], 1);
        while (atomicAdd(&g->words[3], 0) < (int)gridDim.x)
            continue;
        FENCE(4);
    }
    BARRIER(5);
    const int value = g->out[(i + threads) % length];
    if (value != g->in[(i + threads) % length])
        g->words[0] = 1;
}

/* Behind what is missing all blocks meet again, the first to come as the last to go on. */
__global__ void meet_in_grid(memory *g, int m)
{
    const int i = blockIdx.x * threads + threadIdx.x, next = (i + threads) % length;
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    grid.sync();
    g->out[i] = g->in[i];
    if (m != 1)
        grid.sync();
    const int value = g->out[next];
    grid.sync();
    if (value < 0)
        g->words[0] = 1;
}

/* ---- Orders of their own ---- */

__device__ void set_flag(int *flag, bool is_ordered)
{
    if (is_ordered)
        __asm__ volatile("st.release.gpu.s32 [%0], 1;" ::"l"(flag) : "memory");
    else
        __asm__ volatile("st.relaxed.gpu.s32 [%0], 1;" ::"l"(flag) : "memory");
}

__device__ int get_flag(int *flag, bool is_ordered)
{
    int value;
    if (is_ordered)
        __asm__ volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    else
        __asm__ volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

__global__ void hand_on(memory *g, int m)
{
    const int block = blockIdx.x;
    if (threadIdx.x != 0)
        return;
    int value = g->in[block];
    if (block > 0) {
        while (get_flag(&g->flags[block - 1], m != 1) == 0)
            continue;
        value += g->sums[block - 1];
    }
    g->sums[block] = value;
    set_flag(&g->flags[block], m != 2);
}

/* As CUDA's guide does it: volatile accesses, and fences between. */
__global__ void hand_on_by_fences(memory *g, int m)
{
    const int block = blockIdx.x;
    volatile int *flags = g->flags;
    if (threadIdx.x != 0)
        return;
    int value = g->in[block];
    if (block > 0) {
        while (flags[block - 1] == 0)
            continue;
        if (m != 1)
            __threadfence();
        value += g->sums[block - 1];
    }
    g->sums[block] = value;
    if (m != 2)
        __threadfence();
    flags[block] = 1;
}

__global__ void hand_on_between_warps(memory *g, int m)
{
    __shared__ int value[32], flag;
    const int t = threadIdx.x;
    if (t == 0)
        flag = 0;
    BARRIER(1);
    if (t < 32) {
        value[t] = g->in[blockIdx.x * threads + t];
        WARP(2);
        if (t == 0) {
            if (m != 3)
                __threadfence_block();
            atomicExch(&flag, 1);
        }
    } else {
        if (t == 32) {
            while (atomicAdd(&flag, 0) == 0)
                continue;
            if (m != 4)
                __threadfence_block();
        }
        WARP(5);
        g->out[blockIdx.x * threads + t] = value[63 - t];
    }
}

__global__ void named_barriers(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    s[t] = g->in[blockIdx.x * threads + t];
    if (t < 32) {
        if (m != 1)
            __asm__ volatile("barrier.sync 1, 32;" ::: "memory");
        g->out[blockIdx.x * threads + t] = s[31 - t];
    } else {
        if (m != 2)
            __asm__ volatile("barrier.sync 2, 32;" ::: "memory");
        g->out[blockIdx.x * threads + t] = s[95 - t];
    }
    BARRIER(3);
    s[threads - 1 - t] = t;
    if (m == 5) /* each warp alone, at one barrier */
        __asm__ volatile("barrier.sync 1, 32;" ::: "memory");
    else if (m != 4)
        __asm__ volatile("barrier.sync 1, 64;" ::: "memory");
    if (t == 0)
        g->sums[blockIdx.x] = s[1] + s[40];
}

__global__ void exchange_in_warp(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    int value = g->in[blockIdx.x * threads + t];
    for (int turn = 1; turn < 32; turn *= 2) {
        s[t] = value;
        WARP(1);
        value += s[t ^ turn];
        WARP(2);
    }
    g->out[blockIdx.x * threads + t] = value;
}

__global__ void vote_for_block(memory *g, int m)
{
    __shared__ int any[2];
    const int t = threadIdx.x, value = g->in[blockIdx.x * threads + t];
    const int is_any = __any_sync(0xffffffffu, value == 7);
    if (t % 32 == 0)
        any[t / 32] = is_any;
    BARRIER(1);
    g->out[blockIdx.x * threads + t] = any[0] | any[1];
}

__global__ void largest(memory *g, int m)
{
    __shared__ int s;
    const int t = threadIdx.x, value = g->in[blockIdx.x * threads + t];
    if (t == 0)
        s = -1;
    BARRIER(1);
    if (m != 2)
        atomicMax(&s, value);
    else if (s < value)
        s = value;
    BARRIER(3);
    if (t == 0) {
        if (m != 4)
            atomicMax(&g->words[0], s);
        else if (g->words[0] < s)
            g->words[0] = s;
    }
}

__global__ void sum_of_floats(memory *g, int m)
{
    float *to = (float *)&g->words[0];
    const int t = threadIdx.x;
    float sum = (float)g->in[blockIdx.x * threads + t];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (t % 32 == 0)
        add(m, 1, to, sum);
}

/* ---- Threads that do not meet as they must ---- */

__global__ void barrier_in_branches(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x;
    s[t] = g->in[t];
    if (m == 1 && t < 32) {
        s[t]++;
        __syncthreads();
        s[t]++;
    } else {
        __syncthreads();
    }
    g->out[blockIdx.x * threads + t] = s[t];
}

__global__ void barrier_of_some(memory *g, int m)
{
    const int t = threadIdx.x;
    if (m == 1 && t >= 40)
        return;
    __syncthreads();
    g->out[blockIdx.x * threads + t] = t;
}

__global__ void barrier_for_ever(memory *g, int m)
{
    const int t = threadIdx.x;
    if (m == 0 || t < 32)
        __asm__ volatile("barrier.sync 3, 64;" ::: "memory");
    g->out[blockIdx.x * threads + t] = t;
}

__global__ void shuffle_of_some(memory *g, int m)
{
    const int t = threadIdx.x;
    if (m == 1 && t % 32 >= 16)
        return;
    g->out[blockIdx.x * threads + t] = __shfl_xor_sync(0xffffffffu, g->in[t], 1);
}

__global__ void vote_of_others(memory *g, int m)
{
    const int t = threadIdx.x;
    g->out[blockIdx.x * threads + t] = __any_sync(m == 1 ? 0xfffffffeu : 0xffffffffu, t == 40);
}

/* ---- Copies that are not waited for ---- */

__device__ void copy(int *to, const int *from)
{
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                     :
                     : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                     : "memory");
}

__device__ void end_group()
{
    __asm__ volatile("cp.async.commit_group;" : : : "memory");
}

template <int left> __device__ void wait_for_groups(bool waits)
{
    if (waits)
        __asm__ volatile("cp.async.wait_group %0;" : : "n"(left) : "memory");
}

__global__ void copy_ahead(memory *g, int m)
{
    __shared__ int s[2][threads];
    const int t = threadIdx.x, first = blockIdx.x * threads;
    copy(&s[0][t], &g->in[first + t]);
    end_group();
    copy(&s[1][t], &g->in[(first + threads + t) % length]);
    end_group();
    wait_for_groups<1>(m != 1);
    BARRIER(2);
    const int sum = s[0][threads - 1 - t];
    wait_for_groups<0>(m != 3);
    BARRIER(4);
    g->out[first + t] = sum + s[1][threads - 1 - t];
}

__global__ void copy_for_oneself(memory *g, int m)
{
    __shared__ int s[threads];
    const int t = threadIdx.x, first = blockIdx.x * threads;
    copy(&s[t], &g->in[first + t]);
    if (m != 1)
        __asm__ volatile("cp.async.wait_all;" : : : "memory");
    g->out[first + t] = s[t];
}

/* ---- All of them ---- */

static const struct {
    const char *name;
    void (*kernel)(memory *, int);
    int mutants;
    unsigned weaker; /* a bit for each number whose mutant has a weaker form as well */
} kernels[] = {
#define ROW(name, mutants, weaker)                                                                 \
    {                                                                                              \
#name, name, mutants, weaker                                                               \
    }
    ROW(reduce_tree, 2, 0x6),
    ROW(reduce_tree_late, 2, 0x6),
    ROW(read_own_late, 1, 0),
    ROW(reduce_interleaved, 1, 0x2),
    ROW(reduce_shuffle, 2, 0x6),
    ROW(reduce_warp_in_shared, 4, 0x1e),
    ROW(reduce_atomic, 4, 0x1a),
    ROW(reduce_last_block, 5, 0x3e),
    ROW(count_again, 3, 0x0),
    ROW(reduce_all_fence, 4, 0x1e),
    ROW(scan_doubling, 2, 0x6),
    ROW(scan_in_place, 3, 0xe),
    ROW(scan_tree, 4, 0x1e),
    ROW(scan_warps, 2, 0x6),
    ROW(scan_look_back, 7, 0xbe),
    ROW(scan_carry, 3, 0xe),
    ROW(histogram_global, 1, 0x2),
    ROW(histogram_shared, 4, 0x1a),
    ROW(histogram_of_warps, 4, 0x1a),
    ROW(multiply_tiles, 2, 0x6),
    ROW(transpose_tile, 1, 0x2),
    ROW(stencil_row, 1, 0x2),
    ROW(stencil_turns, 2, 0x6),
    ROW(stencil_in_place, 2, 0x6),
    ROW(product_of_vector, 2, 0x6),
    ROW(sort_bitonic, 2, 0x6),
    ROW(sort_odd_even, 2, 0x6),
    ROW(sort_by_bits, 3, 0xe),
    ROW(compact, 5, 0x3a),
    ROW(compact_by_warps, 1, 0x2),
    ROW(lock, 3, 0x6),
    ROW(lock_of_block, 4, 0x1e),
    ROW(wait_for_next, 2, 0x6),
    ROW(copy_out, 3, 0xa),
    ROW(turn_surface, 1, 0x2),
    ROW(turn_texture, 1, 0x2),
    ROW(grid_barrier, 5, 0x3e),
    ROW(meet_in_grid, 1, 0x0),
    ROW(hand_on, 2, 0x0),
    ROW(hand_on_by_fences, 2, 0x0),
    ROW(hand_on_between_warps, 5, 0x26),
    ROW(named_barriers, 5, 0x8),
    ROW(exchange_in_warp, 2, 0x6),
    ROW(vote_for_block, 1, 0x2),
    ROW(largest, 4, 0xa),
    ROW(sum_of_floats, 1, 0x2),
    ROW(barrier_in_branches, 1, 0x0),
    ROW(barrier_of_some, 1, 0x0),
    ROW(barrier_for_ever, 1, 0x0),
    ROW(shuffle_of_some, 1, 0x0),
    ROW(vote_of_others, 1, 0x0),
    ROW(copy_ahead, 4, 0x14),
    ROW(copy_for_oneself, 1, 0x0),
};

/* Mutants whose results cannot differ, and why. */
static const struct {
    const char *name;
    int mutant;
    const char *why;
} equivalent[] = {
    {"reduce_warp_in_shared", 2, "lanes that write read only what no lane writes in that turn"},
    {"scan_tree", 2, "thread 0 alone has the last turn before, and this"},
    {"scan_warps", 2, "what is read behind it was written before the barrier before"},
    {"scan_carry", 3, "the next turn's first barrier is between as well"},
    {"sort_by_bits", 1, "each thread reads what it wrote itself"},
    {"lock_of_block", 1,
     "the barrier behind the atomic operation orders the block as a fence does"},
    {"reduce_tree", 102, "behind the first step one warp's threads alone take part"},
    {"reduce_tree_late", 102, "behind the first step one warp's threads alone take part"},
    {"reduce_last_block", 102, "behind the first step one warp's threads alone take part"},
    {"reduce_warp_in_shared", 102, "lanes that write read only what no lane writes in that turn"},
    {"reduce_warp_in_shared", 103, "behind the first turn lanes of one half alone take part"},
    {"reduce_all_fence", 104, "one block alone adds"},
    {"scan_tree", 102, "thread 0 alone has the last turn before, and this"},
    {"scan_tree", 103, "one warp's threads alone take part"},
    {"scan_warps", 102, "what is read behind it was written before the barrier before"},
    {"scan_carry", 103, "the next turn's first barrier is between as well"},
    {"sort_bitonic", 101, "the first turn exchanges within warps"},
    {"sort_by_bits", 101, "each thread reads what it wrote itself"},
    {"lock_of_block", 101,
     "the barrier behind the atomic operation orders the block as a fence does"},
    {"exchange_in_warp", 102, "the last turn alone exchanges between halves"},
    {"grid_barrier", 104,
     "the barrier behind the atomic operation orders the block as a fence does"},
    {"grid_barrier", 4, "the barrier behind the atomic operation orders the block as a fence does"},
};

static int list()
{
    for (const auto &kernel : kernels)
        for (int mutant = 0; mutant <= WEAKER + kernel.mutants; mutant++) {
            const bool is_weaker = mutant > WEAKER && (kernel.weaker >> (mutant - WEAKER) & 1) != 0;
            if (mutant > kernel.mutants && !is_weaker)
                continue;
            const char *why = "";
            for (const auto &e : equivalent)
                if (strcmp(e.name, kernel.name) == 0 && e.mutant == mutant)
                    why = e.why;
            printf("%s\t%d\t%s\n", kernel.name, mutant, why);
        }
    return 0;
}

static int run(const char *name, int mutant)
{
    memory *host = new memory(), *device = nullptr;
    for (int i = 0; i < length; i++)
        host->in[i] = i * 37 % 101;
    for (const auto &kernel : kernels) {
        if (strcmp(kernel.name, name) != 0)
            continue;
        cudaMalloc((void **)&device, sizeof *device);
        cudaMemcpy(device, host, sizeof *device, cudaMemcpyHostToDevice);
        if (strncmp(name, "turn_", 5) == 0)
            make_objects(device);
        void *arguments[] = {&device, &mutant};
        if (strcmp(name, "meet_in_grid") == 0)
            cudaLaunchCooperativeKernel((void *)kernel.kernel, blocks, threads, arguments, 0, 0);
        else
            kernel.kernel<<<blocks, threads>>>(device, mutant);
        cudaMemcpy(host, device, sizeof *device, cudaMemcpyDeviceToHost);
        cudaFree(device);
    }
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        printf("%s\n", cudaGetErrorString(error));
    delete host;
    return error != cudaSuccess || !device;
}

int main(int argc, char **argv)
{
    return argc == 2 ? list() : argc == 3 ? run(argv[1], atoi(argv[2])) : 2;
}
