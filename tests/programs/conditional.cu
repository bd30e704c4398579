/* Conditional nodes of graphs whose kernels set the conditions: loops, both branches, switches, one within another.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__device__ void decide(cudaGraphConditionalHandle handle, unsigned value)
{
    cudaGraphSetConditional(handle, value);
}

/* counts[0] rounds are left; the loop goes on while there are some. */
__global__ void count_down(int *counts, cudaGraphConditionalHandle handle)
{
    if (threadIdx.x != 0)
        return;
    counts[1]++;
    decide(handle, --counts[0] > 0);
}

/* Collatz: which way the next step goes, and whether there is one. */
__global__ void look(const unsigned *number, cudaGraphConditionalHandle is_odd,
                     cudaGraphConditionalHandle goes_on)
{
    cudaGraphSetConditional(is_odd, *number % 2);
    cudaGraphSetConditional(goes_on, *number != 1);
}

__global__ void triple(unsigned *number)
{
    *number = 3 * *number + 1;
}

__global__ void halve(unsigned *number, unsigned *steps)
{
    *number /= 2;
    ++*steps;
}

__global__ void choose(const int *which, cudaGraphConditionalHandle handle)
{
    __shared__ int chosen;
    if (threadIdx.x == 31)
        chosen = *which;
    __syncthreads();
    if (threadIdx.x == 0)
        cudaGraphSetConditional(handle, (unsigned)chosen);
}

__global__ void store(int *to, int value)
{
    *to = value;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *after, void *function,
                                  unsigned threads, void **arguments)
{
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = function;
    params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(threads);
    params.kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    CUDA(cudaGraphAddNode(&node, graph, after, NULL, after != NULL, &params));
    return node;
}

static cudaGraph_t *add_conditional(cudaGraph_t graph, const cudaGraphNode_t *after,
                                    cudaGraphConditionalHandle handle,
                                    cudaGraphConditionalNodeType type, unsigned size,
                                    cudaGraphNode_t *node)
{
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    CUDA(cudaGraphAddNode(node, graph, after, NULL, after != NULL, &params));
    return params.conditional.phGraph_out;
}

static cudaGraphConditionalHandle new_handle(cudaGraph_t graph, unsigned start)
{
    cudaGraphConditionalHandle handle;
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, start, cudaGraphCondAssignDefault));
    return handle;
}

static void check_loop()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    int *counts, host[2] = {5, 0};
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaMalloc(&counts, sizeof host));
    cudaGraphConditionalHandle handle = new_handle(graph, 1);
    cudaGraph_t *bodies = add_conditional(graph, NULL, handle, cudaGraphCondTypeWhile, 1, &node);
    void *arguments[] = {&counts, &handle};
    add_kernel(bodies[0], NULL, (void *)count_down, 32, arguments);
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int times = 0; times < 3; times++) {
        CUDA(cudaMemcpy(counts, host, sizeof host, cudaMemcpyHostToDevice));
        CUDA(cudaGraphLaunch(exec, NULL));
        int found[2];
        CUDA(cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost));
        EXPECT(found[0] == 0 && found[1] == 5);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(counts));
}

/* while (number != 1) { if (number % 2) number = 3 * number + 1; number /= 2; } with the body captured in part */
static void check_nested()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t loop, branch;
    cudaStream_t stream;
    unsigned *number;
    const unsigned start[2] = {27, 0};
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc(&number, sizeof start));
    unsigned *steps = number + 1;
    cudaGraphConditionalHandle goes_on = new_handle(graph, 1), is_odd = new_handle(graph, 1);
    cudaGraph_t body = add_conditional(graph, NULL, goes_on, cudaGraphCondTypeWhile, 1, &loop)[0];
    cudaGraph_t *ways = add_conditional(body, NULL, is_odd, cudaGraphCondTypeIf, 1, &branch);
    void *arguments[] = {&number};
    add_kernel(ways[0], NULL, (void *)triple, 1, arguments);
    CUDA(
        cudaStreamBeginCaptureToGraph(stream, body, &branch, NULL, 1, cudaStreamCaptureModeGlobal));
    halve<<<1, 1, 0, stream>>>(number, steps);
    look<<<1, 1, 0, stream>>>(number, is_odd, goes_on);
    CUDA(cudaStreamEndCapture(stream, &body));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaMemcpyAsync(number, start, sizeof start, cudaMemcpyHostToDevice, stream));
    CUDA(cudaGraphLaunch(exec, stream));
    unsigned found[2];
    CUDA(cudaMemcpyAsync(found, number, sizeof found, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(found[0] == 1 && found[1] == 70);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(number));
    CUDA(cudaStreamDestroy(stream));
}

static void check_choice(cudaGraphConditionalNodeType type, unsigned size, const int expected[4])
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    int *memory;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaMalloc(&memory, 2 * sizeof(int)));
    int *to = memory + 1;
    cudaGraphConditionalHandle handle = new_handle(graph, 0);
    void *choosing[] = {&memory, &handle};
    cudaGraphNode_t first = add_kernel(graph, NULL, (void *)choose, 64, choosing);
    cudaGraph_t *bodies = add_conditional(graph, &first, handle, type, size, &node);
    for (unsigned i = 0; i < size; i++) {
        int value = 10 + (int)i;
        void *arguments[] = {&to, &value};
        add_kernel(bodies[i], NULL, (void *)store, 1, arguments);
    }
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int which = 0; which < 4; which++) {
        const int host[2] = {which, 0};
        int found;
        CUDA(cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice));
        CUDA(cudaGraphLaunch(exec, NULL));
        CUDA(cudaMemcpy(&found, to, sizeof found, cudaMemcpyDeviceToHost));
        EXPECT(found == expected[which]);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(memory));
}

int main(int argument_count, char **arguments)
{
    program_begin(argument_count, arguments);
    const int branch[4] = {0, 10, 10, 10}, both[4] = {11, 10, 10, 10}, one_of[4] = {10, 11, 12, 0};
    check_loop();
    check_nested();
    check_choice(cudaGraphCondTypeIf, 1, branch);
    check_choice(cudaGraphCondTypeIf, 2, both);
    check_choice(cudaGraphCondTypeSwitch, 3, one_of);
    return program_end();
}
