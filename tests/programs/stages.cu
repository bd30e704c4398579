/* cuda/pipeline: stages that all threads fill and empty, that some threads fill for the others, by number and by role, a
 * thread's own pipeline, and copies of groups that wait for all but the last.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

const int width = 64;

/* While one tile is summed, the next ones arrive. */
__global__ void together(int *out, const int *in, int tiles)
{
    const int stages = 3;
    __align__(16) __shared__ int room[stages][width];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    const cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x;
    const int *mine = in + blockIdx.x * tiles * width;
    int sum = 0;
    for (int tile = 0, next = 0; tile < tiles; tile++) {
        for (; next < tiles && next < tile + stages; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, room[next % stages], mine + next * width,
                               cuda::aligned_size_t<16>(sizeof room[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum = sum * 3 + room[tile % stages][width - 1 - t];
        pipeline.consumer_release();
    }
    out[blockIdx.x * width + t] = sum;
}

/* The first half of the threads fills what the second half sums. */
template <class Pipeline>
__device__ int divided(Pipeline &pipeline, int (*room)[width], const int *in, int tiles, bool fills)
{
    const int t = threadIdx.x % width;
    int sum = 0;
    for (int tile = 0; tile < tiles; tile++)
        if (fills) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&room[tile % 2][t], &in[tile * width + t], sizeof(int), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            sum = sum * 3 + room[tile % 2][width - 1 - t];
            pipeline.consumer_release();
        }
    return sum;
}

__global__ void by_number(int *out, const int *in, int tiles)
{
    __shared__ int room[2][width];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipeline = cuda::make_pipeline(cg::this_thread_block(), &state, (size_t)width);
    const bool fills = threadIdx.x < width;
    const int sum = divided(pipeline, room, in + blockIdx.x * tiles * width, tiles, fills);
    if (!fills)
        out[blockIdx.x * width + threadIdx.x - width] = sum;
    pipeline.quit();
}

__global__ void by_role(int *out, const int *in, int tiles)
{
    __shared__ int room[2][width];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const bool fills = threadIdx.x >= width;
    auto pipeline =
        cuda::make_pipeline(cg::this_thread_block(), &state,
                            fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    const int sum = divided(pipeline, room, in + blockIdx.x * tiles * width, tiles, fills);
    if (!fills)
        out[blockIdx.x * width + threadIdx.x] = sum;
}

__global__ void alone(int *out, const int *in, int tiles)
{
    __shared__ int room[2][width];
    const int t = threadIdx.x;
    const int *mine = in + blockIdx.x * tiles * width;
    cuda::pipeline<cuda::thread_scope_thread> pipeline = cuda::make_pipeline();
    int sum = 0;
    for (int tile = 0, next = 0; tile < tiles; tile++) {
        for (; next < tiles && next < tile + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&room[next % 2][t], &mine[next * width + t], sizeof(int), pipeline);
            pipeline.producer_commit();
        }
        if (tile + 1 < tiles)
            cuda::pipeline_consumer_wait_prior<1>(pipeline);
        else
            cuda::pipeline_consumer_wait_prior<0>(pipeline);
        __syncthreads();
        sum = sum * 3 + room[tile % 2][width - 1 - t];
        __syncthreads();
        pipeline.consumer_release();
    }
    out[blockIdx.x * width + t] = sum;
}

__global__ void by_groups(int *out, const int *in, int tiles)
{
    __shared__ int room[2][width];
    const int t = threadIdx.x;
    const int *mine = in + blockIdx.x * tiles * width;
    const cg::thread_block block = cg::this_thread_block();
    int sum = 0;
    cg::memcpy_async(block, room[0], mine, sizeof room[0]);
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) {
            cg::memcpy_async(block, room[(tile + 1) % 2], cuda::aligned_size_t<4>(width),
                             mine + (tile + 1) * width, cuda::aligned_size_t<4>(width));
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        sum = sum * 3 + room[tile % 2][width - 1 - t];
        block.sync();
    }
    out[blockIdx.x * width + t] = sum;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int blocks = 4, tiles = 11;
    std::vector<int> numbers(blocks * tiles * width), expected(blocks * width);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (int)(random_word(i) % 1000);
    for (int i = 0; i < blocks * width; i++)
        for (int tile = 0; tile < tiles; tile++)
            expected[i] = expected[i] * 3 +
                          numbers[(i / width * tiles + tile) * width + width - 1 - i % width];
    device_array<int> in(numbers), out(blocks * width);
    const struct {
        void (*kernel)(int *, const int *, int);
        int threads;
        const char *name;
    } ways[] = {{together, width, "together"},
                {by_number, 2 * width, "by_number"},
                {by_role, 2 * width, "by_role"},
                {alone, width, "alone"},
                {by_groups, width, "by_groups"}};
    for (const auto &way : ways) {
        CUDA(cudaMemset(out.data, 0, out.count * sizeof(int)));
        way.kernel<<<blocks, way.threads>>>(out.data, in.data, tiles);
        LAUNCHED();
        const std::vector<int> got = out.host();
        if (!EXPECT(got == expected))
            printf("%s\n", way.name);
        result(way.name, got);
    }
    return program_end();
}
