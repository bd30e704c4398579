/* A thousand cooperative launches beside a stream that another thread keeps busy, in the same context and in one of its own: the
 * blocks of each are at work all at once, whatever else the device was given.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <atomic>
#include <cooperative_groups.h>
#include <cuda.h>
#include <thread>

namespace cg = cooperative_groups;

enum {
    THREADS = 64,
    LAUNCHES = 1000,
    APART = 100,
    WAITED = 8,
    BUSY_THREADS = 128,
    BUSY_TURNS = 2000
};

/* Every launch moves the numbers of all blocks on by one block, which takes a barrier between reading and writing. */
__global__ void rotate(unsigned *values)
{
    const cg::grid_group grid = cg::this_grid();
    const unsigned rank = (unsigned)grid.thread_rank(), size = (unsigned)grid.size();
    const unsigned next = values[(rank + THREADS) % size];
    grid.sync();
    values[rank] = next + 1;
}

__global__ void keep_busy(unsigned *sink, int turns)
{
    unsigned word = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < turns; i++)
        word = word * 1664525u + 1013904223u;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = word;
}

static void be_busy(std::atomic<bool> *is_over, bool is_apart, unsigned blocks,
                    std::atomic<unsigned> *launches)
{
    CUcontext context = nullptr;
    CUdevice device = 0;
    cudaStream_t stream;
    unsigned *sink = nullptr;
    if (is_apart)
        EXPECT(cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
               cuCtxCreate(&context, nullptr, 0, device) == CUDA_SUCCESS);
    CUDA(cudaMalloc(&sink, blocks * BUSY_THREADS * sizeof(unsigned)));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    while (!*is_over) {
        for (int i = 0; i < 8; i++, ++*launches)
            keep_busy<<<blocks, BUSY_THREADS, 0, stream>>>(sink, BUSY_TURNS);
        CUDA(cudaStreamSynchronize(stream));
    }
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(sink));
    if (is_apart)
        EXPECT(cuCtxDestroy(context) == CUDA_SUCCESS);
}

static unsigned most_blocks(unsigned *processors)
{
    int blocks = 0, count = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rotate, THREADS, 0));
    CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    *processors = (unsigned)count;
    return (unsigned)(blocks * count);
}

static void launch_all(unsigned *values, unsigned blocks, int launches, cudaStream_t stream)
{
    void *args[] = {&values};
    for (int i = 1; i <= launches; i++) {
        CUDA(cudaLaunchCooperativeKernel(rotate, dim3(blocks), dim3(THREADS), args, 0, stream));
        if (i % WAITED == 0)
            CUDA(cudaStreamSynchronize(stream));
    }
    CUDA(cudaStreamSynchronize(stream));
}

static bool is_right(const std::vector<unsigned> &got, unsigned blocks, unsigned launches)
{
    const unsigned size = blocks * THREADS;
    for (unsigned i = 0; i < size; i++)
        if (got[i] != (unsigned)((i + (unsigned long long)launches * THREADS) % size) + launches)
            return false;
    return true;
}

static void test(bool is_apart)
{
    const int count = is_apart ? APART : LAUNCHES;
    unsigned processors = 0, *values = nullptr;
    const unsigned blocks = most_blocks(&processors), busy = processors * 32;
    std::vector<unsigned> words(blocks * THREADS);
    std::atomic<bool> is_over(false);
    std::atomic<unsigned> launches(0);
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaMalloc(&values, words.size() * sizeof(unsigned)));
    for (unsigned i = 0; i < words.size(); i++)
        words[i] = i;
    CUDA(cudaMemcpy(values, words.data(), words.size() * sizeof(unsigned), cudaMemcpyDefault));
    std::thread other(be_busy, &is_over, is_apart, busy, &launches);
    while (launches == 0)
        std::this_thread::yield();
    launch_all(values, blocks, count, stream);
    is_over = true;
    other.join();
    CUDA(cudaMemcpy(words.data(), values, words.size() * sizeof(unsigned), cudaMemcpyDefault));
    printf("%u blocks, %u launches beside\n", blocks, (unsigned)launches);
    EXPECT(is_right(words, blocks, (unsigned)count));
    CUDA(cudaFree(values));
    CUDA(cudaStreamDestroy(stream));
}

int main(int count, char **arguments)
{
    int can = 0;
    program_begin(count, arguments);
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    if (can) {
        test(false);
        test(true);
    }
    return program_end();
}
