/* cuda/barrier: phases of a block, parts of a block, blocks and the host, threads that drop out, what is done at the end of
 * a phase, copies; and groups of clusters of one block, with launches that ask for such clusters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

/* What one thread writes in each phase, all others read in the next. */
__global__ void phases(int *out, int rounds)
{
    __shared__ block_barrier barrier;
    __shared__ int values[256];
    const int t = threadIdx.x, n = blockDim.x;
    if (t == 0)
        init(&barrier, n);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        values[t] = t * (i + 1) + blockIdx.x;
        block_barrier::arrival_token token = barrier.arrive();
        barrier.wait(cuda::std::move(token));
        sum += values[n - 1 - t] * (i + 3);
        barrier.arrive_and_wait();
    }
    out[blockIdx.x * n + t] = sum;
}

/* Each warp's lanes leave one by one; those that are left go on without them. */
__global__ void dropping(int *out)
{
    __shared__ block_barrier barrier;
    __shared__ int count;
    const int t = threadIdx.x;
    if (t == 0) {
        count = 0;
        init(&barrier, blockDim.x);
    }
    __syncthreads();
    for (int i = 0; i < t % 32; i++) {
        atomicAdd(&count, 1);
        barrier.arrive_and_wait();
        const int now = *(volatile int *)&count;
        barrier.arrive_and_wait();
        if (i == t % 32 - 1)
            out[t] = now;
    }
    if (t % 32 == 0)
        out[t] = 0;
    barrier.arrive_and_drop();
}

/* One thread, the last to come, does more before any goes on. */
__device__ int total, part;

struct adding {
    int factor;
    __device__ void operator()() noexcept
    {
        total = total * factor + part;
        part = 0;
    }
};

__global__ void completing(int *out, int rounds)
{
    using with_sum = cuda::barrier<cuda::thread_scope_block, adding>;
    alignas(with_sum) __shared__ char memory[sizeof(with_sum)];
    with_sum *barrier = reinterpret_cast<with_sum *>(memory);
    const int t = threadIdx.x;
    if (t == 0) {
        total = part = 0;
        init(barrier, blockDim.x, adding{2});
    }
    __syncthreads();
    int seen = 0;
    for (int i = 0; i < rounds; i++) {
        atomicAdd(&part, t + i);
        barrier->arrive_and_wait();
        seen = seen * 3 + *(volatile int *)&total;
    }
    out[t] = seen;
}

/* Half of the warps fill two places in turn, the others empty them; all by parity. */
__global__ void hand_over(int *out, int rounds)
{
    __shared__ block_barrier full[2], empty[2];
    __shared__ int places[2][64];
    const int t = threadIdx.x, half = blockDim.x / 2;
    if (t < 2) {
        init(&full[t], half);
        init(&empty[t], half);
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        const int at = i % 2;
        const bool parity = i / 2 % 2;
        if (t < half) {
            empty[at].wait_parity(!parity);
            places[at][t] = i * 1000 + t;
            (void)full[at].arrive();
        } else {
            full[at].wait_parity(parity);
            sum = sum * 3 + places[at][blockDim.x - 1 - t];
            (void)empty[at].arrive();
        }
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}

/* Blocks wait for each other at a barrier in global memory. */
__global__ void begin(cuda::barrier<cuda::thread_scope_device> *barrier, int blocks)
{
    init(barrier, blocks);
}

__global__ void between_blocks(cuda::barrier<cuda::thread_scope_device> *barrier, int *values,
                               int *out)
{
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0) {
            values[blockIdx.x] = blockIdx.x + i;
            barrier->arrive_and_wait();
            out[i * gridDim.x + blockIdx.x] = *(volatile int *)&values[gridDim.x - 1 - blockIdx.x];
            barrier->arrive_and_wait();
        }
        __syncthreads();
    }
}

/* By a block, by a warp and by each thread; sizes that fit no word, and addresses that are at odd places. */
__global__ void copies(unsigned char *out, const unsigned char *in, int bytes)
{
    __shared__ block_barrier barrier;
    __align__(16) __shared__ unsigned char room[3][1040];
    const cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&barrier, block.size());
    block.sync();
    cuda::memcpy_async(block, room[0], in, cuda::aligned_size_t<16>(1024), barrier);
    cuda::memcpy_async(block, room[1] + 3, in + 5, bytes, barrier);
    cuda::memcpy_async(room[2] + 4 * threadIdx.x, in + 4 * threadIdx.x, sizeof(int), barrier);
    barrier.arrive_and_wait();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        out[i] = room[0][1023 - i];
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        out[1024 + i] = room[1][3 + bytes - 1 - i];
    for (int i = threadIdx.x; i < 4 * (int)blockDim.x; i += blockDim.x)
        out[2048 + i] = room[2][4 * blockDim.x - 1 - i];
}

__global__ void __cluster_dims__(1, 1, 1) cluster(int *out)
{
    __shared__ int values[64];
    const cg::cluster_group group = cg::this_cluster();
    values[group.thread_rank()] = threadIdx.x * 3;
    auto token = group.barrier_arrive();
    group.barrier_wait(cuda::std::move(token));
    const int *theirs = group.map_shared_rank(values, group.block_rank());
    out[blockIdx.x * 64 + threadIdx.x] =
        theirs[63 - threadIdx.x] + group.num_blocks() * 1000 + group.query_shared_rank(theirs) +
        group.dim_blocks().x * 10000 + (cg::this_grid().num_clusters() == gridDim.x) * 100000;
    cg::sync(group);
}

static void check_cluster(const device_array<int> &out)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(3);
    config.blockDim = dim3(64);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, cluster, out.data));
    LAUNCHED();
    const std::vector<int> got = out.host();
    for (int i = 0; i < 3 * 64; i++)
        EXPECT(got[i] == (63 - i % 64) * 3 + 111000);
    result("cluster", got);
    attribute.val.clusterDim.x = 3;
    EXPECT(cudaLaunchKernelEx(&config, cluster, out.data) != cudaSuccess);
    EXPECT(cudaGetLastError() != cudaSuccess);
}

static void check_host()
{
    cuda::barrier<cuda::thread_scope_system> barrier(3);
    auto first = barrier.arrive(2);
    barrier.arrive_and_drop();
    barrier.wait(std::move(first));
    barrier.wait_parity(false);
    auto second = barrier.arrive();
    (void)barrier.arrive();
    barrier.wait(std::move(second));
    barrier.wait_parity(true);
    EXPECT(block_barrier::max() >= (1 << 20) - 1);
}

static void check_copies()
{
    const int bytes = 1001;
    std::vector<unsigned char> values(1040);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = (unsigned char)random_word(i);
    device_array<unsigned char> in(values), out(4096);
    copies<<<1, 96>>>(out.data, in.data, bytes);
    LAUNCHED();
    const std::vector<unsigned char> got = out.host();
    for (int i = 0; i < 1024; i++)
        EXPECT(got[i] == values[1023 - i]);
    for (int i = 0; i < bytes; i++)
        EXPECT(got[1024 + i] == values[5 + bytes - 1 - i]);
    for (int i = 0; i < 4 * 96; i++)
        EXPECT(got[2048 + i] == values[4 * 96 - 1 - i]);
    result("copies", got);
}

static void check_between_blocks()
{
    const int blocks = 40;
    device_array<cuda::barrier<cuda::thread_scope_device>> barrier(1);
    device_array<int> values(blocks), out(3 * blocks);
    begin<<<1, 1>>>(barrier.data, blocks);
    between_blocks<<<blocks, 64>>>(barrier.data, values.data, out.data);
    LAUNCHED();
    const std::vector<int> got = out.host();
    for (int i = 0; i < 3 * blocks; i++)
        EXPECT(got[i] == blocks - 1 - i % blocks + i / blocks);
    result("between_blocks", got);
}

/* Where no thread's predicate holds. */
__global__ void counting_none(int *out, int least)
{
    const int t = threadIdx.x;
    out[3 * t] = __syncthreads_count(t > least);
    out[3 * t + 1] = __syncthreads_and(t > least);
    out[3 * t + 2] = __syncthreads_or(t > least) + 2 * __syncthreads_and(t >= 0);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int blocks = 3, threads = 128, rounds = 9;
    device_array<int> out(blocks * threads);
    phases<<<blocks, threads>>>(out.data, rounds);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int i = 0; i < blocks * threads; i++) {
        int sum = 0;
        for (int r = 0; r < rounds; r++)
            sum += ((threads - 1 - i % threads) * (r + 1) + i / threads) * (r + 3);
        EXPECT(got[i] == sum);
    }
    result("phases", got);

    dropping<<<1, threads>>>(out.data);
    LAUNCHED();
    got = out.host();
    for (int t = 0; t < threads; t++) {
        int sum = 0;
        for (int i = 0; i < t % 32; i++)
            sum += threads / 32 * (31 - i);
        EXPECT(got[t] == sum);
    }
    result("dropping", got);

    completing<<<1, threads>>>(out.data, rounds);
    LAUNCHED();
    got = out.host();
    int all = 0, seen = 0;
    for (int i = 0; i < rounds; i++) {
        all = all * 2 + threads * (threads - 1) / 2 + threads * i;
        seen = seen * 3 + all;
    }
    for (int t = 0; t < threads; t++)
        EXPECT(got[t] == seen);

    hand_over<<<blocks, threads>>>(out.data, rounds);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < blocks * threads; i++) {
        int sum = 0;
        const int t = i % threads;
        for (int r = 0; r < rounds && t >= threads / 2; r++)
            sum = sum * 3 + r * 1000 + threads - 1 - t;
        EXPECT(got[i] == sum);
    }
    result("hand_over", got);
    check_between_blocks();
    check_copies();
    check_cluster(out);
    check_host();
    device_array<int> counts(3 * 96);
    for (int threads = 32; threads <= 96; threads += 64) {
        counting_none<<<1, threads>>>(counts.data, 500);
        LAUNCHED();
        const std::vector<int> told = counts.host();
        for (int t = 0; t < threads; t++)
            EXPECT(told[3 * t] == 0 && told[3 * t + 1] == 0 && told[3 * t + 2] == 2);
    }
    return program_end();
}
