/* What the cases about graphs share: nodes that store a number, and what is recorded of a graph.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ORACLE_CASES_GRAPHS_H
#define ORACLE_CASES_GRAPHS_H

#include "../oracle.h"

static inline cudaGraph_t new_graph(void)
{
    cudaGraph_t graph = NULL;
    REQUIRE(cudaGraphCreate(&graph, 0));
    return graph;
}

static inline struct cudaExtent make_extent(size_t width, size_t height, size_t depth)
{
    const struct cudaExtent extent = {width, height, depth};
    return extent;
}

static inline struct cudaPitchedPtr make_pitched(void *p, size_t pitch, size_t xsize, size_t ysize)
{
    const struct cudaPitchedPtr pitched = {p, pitch, xsize, ysize};
    return pitched;
}

/* One block of one thread. */
static inline struct cudaKernelNodeParams kernel_params(enum kernel which, void **arguments)
{
    const struct cudaKernelNodeParams params = {
        .func = (void *)(uintptr_t)kernel(which),
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = arguments,
    };
    return params;
}

/* A node that stores the value, after another node or NULL. */
static inline cudaGraphNode_t add_store(cudaGraph_t graph, const cudaGraphNode_t *after, int *p,
                                        int value)
{
    void *arguments[] = {&p, &value};
    const struct cudaKernelNodeParams params = kernel_params(KERNEL_STORE, arguments);
    cudaGraphNode_t node = NULL;
    REQUIRE(cudaGraphAddKernelNode(&node, graph, after, after == NULL ? 0 : 1, &params));
    return node;
}

/* A step says that the calls of the case are lacking. */
static inline bool is_lacking(cudaError_t of_a_good_call)
{
    (void)cudaGetLastError();
    if (of_a_good_call == cudaErrorNotSupported)
        SKIP("clem lacks these calls");
    return of_a_good_call == cudaErrorNotSupported;
}

/* How many nodes and roots the graph has. */
static inline void record_nodes(const char *name, cudaGraph_t graph)
{
    size_t count = 77;
    CALL_AS(cudaGraphGetNodes(graph, NULL, &count), "%s: nodes", name);
    VALUE(count, "%s: number of nodes", name);
    count = 77;
    CALL_AS(cudaGraphGetRootNodes(graph, NULL, &count), "%s: roots", name);
    VALUE(count, "%s: number of roots", name);
}

static inline void record_edges(const char *name, cudaGraph_t graph)
{
    size_t count = 77;
    CALL_AS(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count), "%s: edges", name);
    VALUE(count, "%s: number of edges", name);
}

/* One launch, from instantiation to end. */
static inline void record_launch(const char *name, cudaGraph_t graph)
{
    cudaGraphExec_t exec = NULL;
    CALL_AS(cudaGraphInstantiate(&exec, graph, 0), "%s: instantiate", name);
    if (exec == NULL)
        return;
    CALL_AS(cudaGraphLaunch(exec, NULL), "%s: launch", name);
    CALL_AS(cudaStreamSynchronize(NULL), "%s: synchronize", name);
    CALL_AS(cudaGraphExecDestroy(exec), "%s: destroy", name);
}

#endif
