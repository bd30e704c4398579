/* What the tests of graphs share: kernels whose results tell in which order they ran.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_GRAPH_SUPPORT_H
#define TESTS_FACADE_GRAPH_SUPPORT_H

#include "tests/facade/runtime_support.h"

static const char graph_kernels[] =
    "kernel void append(global int *p, int digit) { p[0] = p[0] * 10 + digit; }\n"
    "kernel void store(global int *p, int value) { p[get_global_id(0)] = value; }\n";

static inline const void *graph_kernel(const char *name)
{
    static _Thread_local cudaLibrary_t library;
    if (library == NULL)
        library = load_text(graph_kernels);
    return find_kernel(library, name);
}

/* The arguments are read when the node is made, so they may be this function's own. */
static inline cudaError_t add_append(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *before, size_t count, int *p, int digit)
{
    void *arguments[] = {&p, &digit};
    const struct cudaKernelNodeParams params = {
        .func = (void *)(uintptr_t)graph_kernel("append"),
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = arguments,
    };
    const cudaError_t error = cudaGraphAddKernelNode(node, graph, before, count, &params);
    p = NULL;
    digit = -1;
    return error;
}

static inline cudaGraph_t new_graph(void)
{
    cudaGraph_t graph = NULL;
    assert_success(cudaGraphCreate(&graph, 0));
    return graph;
}

static inline cudaGraphExec_t instantiate(cudaGraph_t graph)
{
    cudaGraphExec_t exec = NULL;
    assert_success(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static inline cudaStream_t new_stream(void)
{
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

/* Launches and waits; what p holds then, which is 0 again. */
static inline int result_of(cudaGraphExec_t exec, int *p)
{
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaStreamSynchronize(NULL));
    const int result = read_device_int(p);
    assert_success(cudaMemset(p, 0, sizeof *p));
    return result;
}

/* The result of one launch of the graph, which ends with it. */
static inline int run_and_end(cudaGraph_t graph, int *p)
{
    const cudaGraphExec_t exec = instantiate(graph);
    const int result = result_of(exec, p);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    return result;
}

#endif
