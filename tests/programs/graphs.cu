/* Graphs: made node by node, cloned, with a graph inside, with variables, updated, and launched again and again;
 * captured in two streams.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__device__ unsigned factor;
__device__ unsigned summary[2];

__global__ void multiply(unsigned *values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= factor;
}

__global__ void add(unsigned *values, int n, unsigned what)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] += what;
}

__global__ void sum(const unsigned *values, int n, int place)
{
    __shared__ unsigned parts[256];
    unsigned own = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        own += values[i];
    parts[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        summary[place] = parts[0];
}

static const int n = 5000;

static void CUDART_CB note(void *data)
{
    ++*(int *)data;
}

static cudaKernelNodeParams kernel_params(void *function, int blocks, void **arguments)
{
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = dim3(blocks);
    params.blockDim = dim3(256);
    params.kernelParams = arguments;
    return params;
}

/* multiply, and behind it add */
static cudaGraph_t inner_graph(unsigned *values, unsigned what)
{
    cudaGraph_t graph;
    cudaGraphNode_t first, second;
    int count = n;
    void *multiplied[] = {&values, &count}, *added[] = {&values, &count, &what};
    const cudaKernelNodeParams one = kernel_params((void *)multiply, (n + 255) / 256, multiplied);
    const cudaKernelNodeParams two = kernel_params((void *)add, (n + 255) / 256, added);
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddKernelNode(&first, graph, NULL, 0, &one));
    CUDA(cudaGraphAddKernelNode(&second, graph, &first, 1, &two));
    return graph;
}

struct whole {
    unsigned *values, *host_factor, *host_sum;
    int *notes;
    cudaGraphNode_t fill, child;
};

/* fill and factor, then the graph inside, then its sum, which goes to the host, and a note that it has */
static cudaGraph_t whole_graph(whole &w, unsigned filled)
{
    cudaGraph_t graph, inner = inner_graph(w.values, 7);
    cudaGraphNode_t before[2], summed, read, noted;
    cudaMemsetParams fill = {};
    int count = n, place = 1;
    void *arguments[] = {&w.values, &count, &place};
    const cudaKernelNodeParams params = kernel_params((void *)sum, 1, arguments);
    const cudaHostNodeParams host = {note, w.notes};
    fill.dst = w.values;
    fill.elementSize = 4;
    fill.value = filled;
    fill.width = n;
    fill.height = 1;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemsetNode(&before[0], graph, NULL, 0, &fill));
    CUDA(cudaGraphAddMemcpyNodeToSymbol(&before[1], graph, NULL, 0, factor, w.host_factor,
                                        sizeof(unsigned), 0, cudaMemcpyHostToDevice));
    CUDA(cudaGraphAddChildGraphNode(&w.child, graph, before, 2, inner));
    CUDA(cudaGraphAddKernelNode(&summed, graph, &w.child, 1, &params));
    CUDA(cudaGraphAddMemcpyNodeFromSymbol(&read, graph, &summed, 1, w.host_sum, summary,
                                          sizeof(unsigned), sizeof(unsigned),
                                          cudaMemcpyDeviceToHost));
    CUDA(cudaGraphAddHostNode(&noted, graph, &read, 1, &host));
    CUDA(cudaGraphDestroy(inner));
    w.fill = before[0];
    return graph;
}

static unsigned expected(unsigned filled, unsigned multiplied, unsigned added)
{
    return (filled * multiplied + added) * (unsigned)n;
}

/* The same, but for the sum, as streams are given it: one sets the factor while the other fills. */
static cudaGraph_t captured_graph(whole &w, unsigned what, cudaStream_t stream, cudaStream_t other)
{
    cudaGraph_t graph;
    cudaEvent_t fork, join;
    CUDA(cudaEventCreate(&fork));
    CUDA(cudaEventCreate(&join));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaEventRecord(fork, stream));
    CUDA(cudaStreamWaitEvent(other, fork, 0));
    CUDA(cudaMemsetAsync(w.values, 1, n * sizeof(unsigned), stream));
    CUDA(cudaMemcpyToSymbolAsync(factor, w.host_factor, sizeof(unsigned), 0, cudaMemcpyHostToDevice,
                                 other));
    CUDA(cudaEventRecord(join, other));
    CUDA(cudaStreamWaitEvent(stream, join, 0));
    multiply<<<(n + 255) / 256, 256, 0, stream>>>(w.values, n);
    add<<<(n + 255) / 256, 256, 0, stream>>>(w.values, n, what);
    sum<<<1, 256, 0, stream>>>(w.values, n, 0);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpyFromSymbolAsync(w.host_sum, summary, sizeof(unsigned), 0, cudaMemcpyDeviceToHost,
                                   stream));
    CUDA(cudaLaunchHostFunc(stream, note, w.notes));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaEventDestroy(fork));
    CUDA(cudaEventDestroy(join));
    return graph;
}

/* Nodes name their kernels as the program did, by whom it may find the launch that it changes. */
static void test_names(cudaGraph_t graph)
{
    const void *const kernels[] = {(const void *)multiply, (const void *)add, (const void *)sum};
    cudaGraphNode_t nodes[16];
    size_t count = sizeof nodes / sizeof *nodes, found = 0;
    CUDA(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        cudaGraphNodeType type;
        cudaKernelNodeParams params;
        CUDA(cudaGraphNodeGetType(nodes[i], &type));
        if (type != cudaGraphNodeTypeKernel)
            continue;
        CUDA(cudaGraphKernelNodeGetParams(nodes[i], &params));
        for (const void *kernel : kernels)
            found += params.func == kernel;
        CUDA(cudaGraphKernelNodeSetParams(nodes[i], &params));
    }
    EXPECT(found == 3);
}

static void test_captured(whole &w, cudaStream_t stream)
{
    cudaStream_t other;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    CUDA(cudaStreamCreate(&other));
    cudaGraph_t graph = captured_graph(w, 11, stream, other);
    const int before = *w.notes;
    test_names(graph);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 1; i <= 5; i++) {
        *w.host_factor = i;
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
        EXPECT(*w.host_sum == expected(0x01010101, i, 11));
    }
    CUDA(cudaGraphDestroy(graph));
    graph = captured_graph(w, 12, stream, other);
    CUDA(cudaGraphExecUpdate(exec, graph, &info));
    CUDA(cudaGraphLaunch(exec, other));
    CUDA(cudaStreamSynchronize(other));
    EXPECT(*w.host_sum == expected(0x01010101, 5, 12));
    EXPECT(*w.notes == before + 6);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(other));
}

/* Copies to and from variables become others, in the graph and in what was made of it. */
static void test_variables(cudaStream_t stream)
{
    static const unsigned one[2] = {1, 2}, other[2] = {30, 40};
    unsigned *read;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t write_node, read_node;
    cudaMemcpy3DParms params;
    CUDA(cudaMallocHost((void **)&read, 2 * sizeof(unsigned)));
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemcpyNodeToSymbol(&write_node, graph, NULL, 0, summary, one, sizeof one, 0,
                                        cudaMemcpyHostToDevice));
    CUDA(cudaGraphAddMemcpyNodeFromSymbol(&read_node, graph, &write_node, 1, read, summary,
                                          sizeof(unsigned), 0, cudaMemcpyDeviceToHost));
    EXPECT(cudaGraphMemcpyNodeSetParamsToSymbol(write_node, summary, one, sizeof one, 4,
                                                cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaGraphMemcpyNodeSetParamsToSymbol(write_node, read, one, sizeof one, 0,
                                                cudaMemcpyHostToDevice) == cudaErrorInvalidSymbol);
    EXPECT(cudaGraphMemcpyNodeSetParamsFromSymbol(read_node, read, summary, 4, 0,
                                                  cudaMemcpyHostToDevice) ==
           cudaErrorInvalidMemcpyDirection);
    cudaGetLastError();
    CUDA(cudaGraphMemcpyNodeSetParamsFromSymbol(read_node, read, summary, 2 * sizeof(unsigned), 0,
                                                cudaMemcpyDeviceToHost));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(read[0] == 1 && read[1] == 2);
    CUDA(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, write_node, summary, other,
                                                  sizeof(unsigned), sizeof(unsigned),
                                                  cudaMemcpyHostToDevice));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(read[0] == 1 && read[1] == 30);
    CUDA(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, read_node, read, summary,
                                                    sizeof(unsigned), sizeof(unsigned),
                                                    cudaMemcpyDeviceToHost));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(read[0] == 30 && read[1] == 30);
    CUDA(cudaGraphMemcpyNodeGetParams(read_node, &params));
    CUDA(cudaGraphExecMemcpyNodeSetParams(exec, read_node, &params));
    CUDA(cudaGraphMemcpyNodeSetParams(read_node, &params));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(read[0] == 1 && read[1] == 30);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFreeHost(read));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    whole w = {};
    int notes = 0;
    w.notes = &notes;
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc((void **)&w.values, n * sizeof(unsigned)));
    CUDA(cudaMallocHost((void **)&w.host_factor, sizeof(unsigned)));
    CUDA(cudaMallocHost((void **)&w.host_sum, sizeof(unsigned)));
    cudaGraph_t graph = whole_graph(w, 3), clone, other = whole_graph(w, 5);
    cudaGraphExec_t exec, cloned;
    CUDA(cudaGraphClone(&clone, graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphInstantiate(&cloned, clone, 0));
    for (unsigned i = 1; i <= 10; i++) {
        *w.host_factor = i;
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
        EXPECT(*w.host_sum == expected(3, i, 7));
    }
    EXPECT(notes == 10);
    cudaGraphExecUpdateResultInfo info;
    CUDA(cudaGraphExecUpdate(exec, other, &info));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(*w.host_sum == expected(5, 10, 7));
    cudaGraph_t replaced = inner_graph(w.values, 1000);
    cudaGraph_t first = whole_graph(w, 3);
    cudaGraphExec_t third;
    CUDA(cudaGraphInstantiate(&third, first, 0));
    CUDA(cudaGraphExecChildGraphNodeSetParams(third, w.child, replaced));
    CUDA(cudaGraphLaunch(third, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(*w.host_sum == expected(3, 10, 1000));
    CUDA(cudaGraphNodeSetEnabled(third, w.fill, 0));
    const unsigned before = (3 * 10 + 1000);
    CUDA(cudaGraphLaunch(third, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(*w.host_sum == expected(before, 10, 1000));
    CUDA(cudaGraphLaunch(cloned, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(*w.host_sum == expected(3, 10, 7));
    EXPECT(notes == 14);
    test_captured(w, stream);
    test_variables(stream);
    CUDA(cudaGraphExecDestroy(third));
    CUDA(cudaGraphExecDestroy(cloned));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(first));
    CUDA(cudaGraphDestroy(replaced));
    CUDA(cudaGraphDestroy(other));
    CUDA(cudaGraphDestroy(clone));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFreeHost(w.host_sum));
    CUDA(cudaFreeHost(w.host_factor));
    CUDA(cudaFree(w.values));
    CUDA(cudaStreamDestroy(stream));
    return program_end();
}
