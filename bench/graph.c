/* What graphs cost: launches of many small kernels, beside the same kernels launched one by one; instantiation; updates.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/cuda_side.h"

struct graph {
    struct span memory;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[BENCH_NODES];
    char *pointers[2];
    unsigned long long number;
    void *arguments[3];
};

static struct cudaKernelNodeParams params_of(struct graph *graph)
{
    const struct cudaKernelNodeParams params = {
        .func = (void *)graph->kernel,
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = graph->arguments,
    };
    return params;
}

/* In a fan, all nodes come behind the first. */
static cudaError_t add_nodes(struct graph *graph, bool is_fan)
{
    const struct cudaKernelNodeParams params = params_of(graph);
    cudaError_t error = cudaGraphCreate(&graph->graph, 0);
    for (int i = 0; error == cudaSuccess && i < BENCH_NODES; i++)
        error = cudaGraphAddKernelNode(&graph->nodes[i], graph->graph,
                                       i == 0 ? NULL : &graph->nodes[is_fan ? 0 : i - 1], i > 0,
                                       &params);
    return error;
}

static bool load(struct attempt *attempt, struct graph *graph)
{
    graph->pointers[0] = graph->pointers[1] = graph->memory.pointer;
    graph->arguments[0] = &graph->pointers[0];
    graph->arguments[1] = &graph->pointers[1];
    graph->arguments[2] = &graph->number;
    return kernels_load(attempt, KERNELS_PEAK, &graph->library) &&
           cuda_ok(attempt, cudaLibraryGetKernel(&graph->kernel, graph->library, "bench_arguments"),
                   "cudaLibraryGetKernel");
}

static bool open_graph(struct attempt *attempt)
{
    struct graph *graph = attempt->state = calloc(1, sizeof *graph);
    if (!graph)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    return span_take(attempt, &graph->memory, DEVICE, 256) && load(attempt, graph) &&
           cuda_ok(attempt, add_nodes(graph, attempt->task->row->detail == GRAPH_FAN),
                   "cudaGraphAddKernelNode") &&
           cuda_ok(attempt, cudaGraphInstantiate(&graph->exec, graph->graph, 0),
                   "cudaGraphInstantiate");
}

static void close_graph(struct attempt *attempt)
{
    struct graph *graph = attempt->state;
    if (!graph)
        return;
    if (graph->exec)
        cudaGraphExecDestroy(graph->exec);
    if (graph->graph)
        cudaGraphDestroy(graph->graph);
    if (graph->library)
        cudaLibraryUnload(graph->library);
    span_give(&graph->memory);
    free(graph);
}

static cudaError_t launch_graph(struct graph *graph)
{
    return cudaGraphLaunch(graph->exec, NULL);
}

static cudaError_t launch_one_by_one(struct graph *graph)
{
    const dim3 one = {1, 1, 1};
    cudaError_t error = cudaSuccess;
    for (int i = 0; error == cudaSuccess && i < BENCH_NODES; i++)
        error = cudaLaunchKernel((const void *)graph->kernel, one, one, graph->arguments, 0, NULL);
    return error;
}

static cudaError_t instantiate(struct graph *graph)
{
    cudaGraphExec_t exec = NULL;
    const cudaError_t error = cudaGraphInstantiate(&exec, graph->graph, 0);
    return error == cudaSuccess ? cudaGraphExecDestroy(exec) : error;
}

static cudaError_t update(struct graph *graph)
{
    cudaGraphExecUpdateResultInfo info;
    return cudaGraphExecUpdate(graph->exec, graph->graph, &info);
}

static cudaError_t set_nodes(struct graph *graph)
{
    const struct cudaKernelNodeParams params = params_of(graph);
    cudaError_t error = cudaSuccess;
    for (int i = 0; error == cudaSuccess && i < BENCH_NODES; i++)
        error = cudaGraphExecKernelNodeSetParams(graph->exec, graph->nodes[i], &params);
    return error;
}

static bool run_graph(struct attempt *attempt, size_t count)
{
    static cudaError_t (*const calls[])(struct graph *) = {
        [GRAPH_CHAIN] = launch_graph,     [GRAPH_FAN] = launch_graph,
        [GRAPH_NONE] = launch_one_by_one, [GRAPH_INSTANTIATE] = instantiate,
        [GRAPH_UPDATE] = update,          [GRAPH_SET] = set_nodes};
    cudaError_t (*call)(struct graph *) = calls[attempt->task->row->detail];
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = call(attempt->state);
    return cuda_ok(attempt, error, attempt->task->row->name) &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static const struct method graph_methods[] = {{"the calls", NULL, run_graph}, {NULL, NULL, NULL}};

const struct way cuda_graph = {open_graph, NULL, NULL, close_graph, graph_methods};
