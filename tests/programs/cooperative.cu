/* Cooperative launches: the threads of a grid wait for each other, with registers and shared memory living across.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cooperative_groups.h>
#include <utility>

namespace cg = cooperative_groups;

enum { WORDS = 1 << 20, ROUNDS = 6 };

/* All take part in what all others have in each round: by neighbours of the grid, and of the block in shared memory. */
__global__ void rounds(unsigned *values, int count)
{
    extern __shared__ unsigned shared[];
    const cg::grid_group grid = cg::this_grid();
    const cg::thread_block block = cg::this_thread_block();
    const unsigned rank = (unsigned)grid.thread_rank(), size = (unsigned)grid.size();
    const unsigned own = block.thread_rank(), all = block.size();
    unsigned mine = rank * 7 + 3;
    for (int i = 0; i < count; i++) {
        shared[own] = mine;
        values[rank] = mine + i;
        grid.sync();
        mine = mine * 5 + values[(rank + 37) % size] + shared[all - 1 - own];
        grid.sync();
    }
    values[rank] = mine;
}

static std::vector<unsigned> rounds_of(unsigned blocks, unsigned threads, int count)
{
    const unsigned size = blocks * threads;
    std::vector<unsigned> mine(size), values(size), shared;
    for (unsigned i = 0; i < size; i++)
        mine[i] = i * 7 + 3;
    for (int round = 0; round < count; round++) {
        shared = mine;
        for (unsigned i = 0; i < size; i++)
            values[i] = mine[i] + round;
        for (unsigned i = 0; i < size; i++)
            mine[i] = mine[i] * 5 + values[(i + 37) % size] +
                      shared[i / threads * threads + threads - 1 - i % threads];
    }
    return mine;
}

/* A barrier in two halves, in a function, between lanes that have parted. */
__device__ __noinline__ void meet(cg::grid_group grid, unsigned *own)
{
    auto token = grid.barrier_arrive();
    *own += 1;
    grid.barrier_wait(std::move(token));
}

__global__ void halves(unsigned *values, unsigned *own)
{
    const cg::grid_group grid = cg::this_grid();
    const unsigned rank = (unsigned)grid.thread_rank(), size = (unsigned)grid.size();
    unsigned sum = 0;
    for (unsigned i = 1; i <= 3; i++) {
        if (threadIdx.x % 3 == 1)
            values[rank] = rank * i;
        else
            values[rank] = rank + i;
        meet(grid, own + rank);
        sum += __shfl_xor_sync(~0u, values[size - 1 - rank], 1);
        meet(grid, own + rank);
    }
    values[rank] = sum + own[rank];
}

static unsigned halves_of(unsigned rank, unsigned size)
{
    unsigned sum = 6;
    for (unsigned i = 1; i <= 3; i++) {
        const unsigned other = size - 1 - (rank ^ 1);
        sum += other % 64 % 3 == 1 ? other * i : other + i;
    }
    return sum;
}

__global__ void validity(unsigned *valid)
{
    *valid = cg::this_grid().is_valid() ? 1 : 2;
}

static bool is_right(const unsigned *values, unsigned blocks, unsigned threads, int count)
{
    std::vector<unsigned> got(blocks * threads);
    CUDA(cudaMemcpy(got.data(), values, got.size() * sizeof(unsigned), cudaMemcpyDefault));
    return got == rounds_of(blocks, threads, count);
}

static cudaError_t launch_rounds(unsigned *values, unsigned blocks, dim3 threads, int count,
                                 cudaStream_t stream)
{
    void *args[] = {&values, &count};
    const size_t bytes = threads.x * threads.y * threads.z * sizeof(unsigned);
    return cudaLaunchCooperativeKernel(rounds, dim3(blocks), threads, args, bytes, stream);
}

static unsigned most_blocks(unsigned threads)
{
    int blocks = 0, processors = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rounds, (int)threads,
                                                       threads * sizeof(unsigned)));
    CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    return (unsigned)(blocks * processors);
}

static void test_sizes(unsigned *values)
{
    for (unsigned threads : {1u, 33u, 128u}) {
        const unsigned most = most_blocks(threads);
        for (unsigned blocks : {1u, 2u, 3u, most}) {
            CUDA(launch_rounds(values, blocks, dim3(threads), ROUNDS, 0));
            EXPECT(is_right(values, blocks, threads, ROUNDS));
        }
        EXPECT(launch_rounds(values, most + 1, dim3(threads), ROUNDS, 0) ==
               cudaErrorCooperativeLaunchTooLarge);
        EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    }
    CUDA(launch_rounds(values, 2, dim3(5, 3, 2), ROUNDS, 0));
    EXPECT(is_right(values, 2, 30, ROUNDS));
}

/* GPUs without inline PTX have no way with shuffles but work-items that do whole blocks, which cannot wait for each other. */
static bool has_no_warps(void)
{
    const char *form = getenv("CLEM_PTX_FORM");
    return form && strcmp(form, "gpu") == 0;
}

static void test_halves(unsigned *values)
{
    enum { BLOCKS = 5, THREADS = 64, SIZE = BLOCKS * THREADS };
    unsigned *own = values + SIZE, got[SIZE];
    void *args[] = {&values, &own};
    CUDA(cudaMemset(own, 0, sizeof got));
    if (has_no_warps()) {
        EXPECT(cudaLaunchCooperativeKernel(halves, dim3(BLOCKS), dim3(THREADS), args) ==
               cudaErrorNotSupported);
        EXPECT(cudaGetLastError() == cudaErrorNotSupported);
        return;
    }
    CUDA(cudaLaunchCooperativeKernel(halves, dim3(BLOCKS), dim3(THREADS), args));
    CUDA(cudaMemcpy(got, values, sizeof got, cudaMemcpyDefault));
    bool is_all = true;
    for (unsigned i = 0; i < SIZE; i++)
        is_all = is_all && got[i] == halves_of(i, SIZE);
    EXPECT(is_all);
}

static void test_validity(unsigned *values)
{
    unsigned valid = 0;
    void *args[] = {&values};
    CUDA(cudaLaunchCooperativeKernel(validity, dim3(1), dim3(1), args));
    CUDA(cudaMemcpy(&valid, values, sizeof valid, cudaMemcpyDefault));
    EXPECT(valid == 1);
    validity<<<1, 1>>>(values);
    CUDA(cudaMemcpy(&valid, values, sizeof valid, cudaMemcpyDefault));
    EXPECT(valid == 2);
}

/* Each with a grid that the device could be full of; events tell that both have ended. */
static void test_streams(unsigned *values)
{
    cudaStream_t streams[2];
    cudaEvent_t events[2];
    const unsigned most = most_blocks(64);
    for (int i = 0; i < 2; i++) {
        CUDA(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CUDA(cudaEventCreate(&events[i]));
    }
    for (int i = 0; i < 2; i++) {
        CUDA(launch_rounds(values + i * WORDS / 2, most, dim3(64), 3 * ROUNDS, streams[i]));
        CUDA(cudaEventRecord(events[i], streams[i]));
    }
    for (int i = 0; i < 2; i++) {
        CUDA(cudaEventSynchronize(events[i]));
        EXPECT(is_right(values + i * WORDS / 2, most, 64, 3 * ROUNDS));
        CUDA(cudaEventDestroy(events[i]));
        CUDA(cudaStreamDestroy(streams[i]));
    }
}

/* A node keeps the attribute when its parameters are set. */
static void set_other_grid(cudaGraph_t graph, cudaGraphExec_t exec, unsigned *values)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams params = {};
    size_t nodes = 1;
    int count = ROUNDS;
    void *args[] = {&values, &count};
    CUDA(cudaGraphGetNodes(graph, &node, &nodes));
    CUDA(cudaGraphKernelNodeGetParams(node, &params));
    params.kernelParams = args;
    params.gridDim = dim3(most_blocks(32) + 1);
    EXPECT(cudaGraphKernelNodeSetParams(node, &params) == cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGraphExecKernelNodeSetParams(exec, node, &params) ==
           cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    params.gridDim = dim3(5);
    CUDA(cudaGraphExecKernelNodeSetParams(exec, node, &params));
}

/* By an attribute; and captured, from where it is launched twice. */
static void test_attribute(unsigned *values)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int count = ROUNDS;
    CUDA(cudaStreamCreate(&stream));
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = 32 * sizeof(unsigned);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, rounds, values, count));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(is_right(values, 4, 32, ROUNDS));
    config.gridDim = dim3(most_blocks(32) + 1);
    EXPECT(cudaLaunchKernelEx(&config, rounds, values, count) ==
           cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(launch_rounds(values, 3, dim3(32), ROUNDS, stream));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        CUDA(cudaMemset(values, 0, WORDS * sizeof(unsigned)));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
        EXPECT(is_right(values, 3, 32, ROUNDS));
    }
    set_other_grid(graph, exec, values);
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(is_right(values, 5, 32, ROUNDS));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

#if CUDART_VERSION >= 12040

/* What the stream gets behind a graph waits for it while the launch within waits for its blocks. */
static void test_condition(unsigned *values)
{
    cudaStream_t stream;
    cudaGraph_t graph, body;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaGraphNodeParams params = {};
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaGraphCreate(&graph, 0));
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.type = cudaGraphCondTypeIf;
    params.conditional.size = 1;
    CUDA(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 1,
                                          cudaGraphCondAssignDefault));
#if CUDART_VERSION >= 13000
    CUDA(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
#else
    CUDA(cudaGraphAddNode(&node, graph, NULL, 0, &params));
#endif
    body = params.conditional.phGraph_out[0];
    CUDA(cudaStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    CUDA(launch_rounds(values, 3, dim3(32), ROUNDS, stream));
    CUDA(cudaStreamEndCapture(stream, &body));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaMemset(values, 0, WORDS * sizeof(unsigned)));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaMemcpyAsync(values + WORDS / 2, values, 96 * sizeof(unsigned), cudaMemcpyDefault, stream));
    CUDA(launch_rounds(values, 2, dim3(32), 1, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(is_right(values + WORDS / 2, 3, 32, ROUNDS));
    EXPECT(is_right(values, 2, 32, 1));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

#else

static void test_condition(unsigned *)
{
}

#endif

/* In an ordinary launch, the barrier is a trap. */
static void test_ordinary(unsigned *values)
{
    rounds<<<2, 32, 32 * sizeof(unsigned)>>>(values, 1);
    EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
}

int main(int count, char **arguments)
{
    unsigned *values = nullptr;
    int can = 0;
    program_begin(count, arguments);
    CUDA(cudaMalloc(&values, WORDS * sizeof(unsigned)));
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    if (can) {
        test_sizes(values);
        test_halves(values);
        test_validity(values);
        test_streams(values);
        test_attribute(values);
        test_condition(values);
        test_ordinary(values);
    } else {
        EXPECT(launch_rounds(values, 1, dim3(32), 1, 0) == cudaErrorNotSupported);
        CUDA(cudaFree(values));
    }
    return program_end();
}
