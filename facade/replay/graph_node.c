/* Nodes of graphs by kind: adding them, their parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/launch_work.h"
#include "facade/graph/conditional.h"
#include "facade/memory/memory_work.h"
#include "facade/replay/graph_memory.h"
#include "facade/replay/node_params.h"
#include "facade/stream/stream_work.h"

/* --- adding ----------------------------------------------------------------------------------- */

/* Where a node goes, which is checked before what it does. */
struct place {
    cudaGraphNode_t *added;
    cudaGraph_t handle;
    const cudaGraphNode_t *before;
    size_t count;
    struct facade_graph *graph;
};

static cudaError_t check_place(struct place *place)
{
    return facade_graph_check_place(place->added, place->handle, place->before, NULL, place->count,
                                    &place->graph);
}

/* Takes the reference to work, and child, whatever comes of it. */
static cudaError_t add(const struct place *place, enum cudaGraphNodeType type,
                       struct facade_work *work, struct facade_graph *child)
{
    struct facade_node *node =
        facade_graph_add(place->graph, type, work, child, place->before, place->count);
    if (node == NULL) {
        facade_work_let_go(work);
        if (child != NULL)
            facade_graph_delete(child);
        return cudaErrorMemoryAllocation;
    }
    *place->added = (cudaGraphNode_t)node;
    return cudaSuccess;
}

/* The end of each function that adds a node with a work, which was made unless error says why not. */
static cudaError_t end_add(const struct place *place, cudaError_t error, struct facade_work *work)
{
    return facade_result(error == cudaSuccess ? add(place, work->kind->type, work, NULL) : error);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaKernelNodeParams *pNodeParams)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    struct facade_work *work = NULL;
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_work_of_launch(pNodeParams, &work);
    return end_add(&place, error, work);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemcpy3DParms *pCopyParams)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    struct facade_work *work = NULL;
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_work_of_copy(pCopyParams, &work);
    return end_add(&place, error, work);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies, const void *symbol,
                                           const void *src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    struct facade_work *work = NULL;
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_work_to_symbol(symbol, src, count, offset, kind, &work);
    return end_add(&place, error, work);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies,
                                             size_t numDependencies, void *dst, const void *symbol,
                                             size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    struct facade_work *work = NULL;
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_work_from_symbol(dst, symbol, count, offset, kind, &work);
    return end_add(&place, error, work);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    struct facade_work *work = NULL;
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_work_of_bytes(dst, src, count, kind, &work);
    return end_add(&place, error, work);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemsetParams *pMemsetParams)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    struct facade_work *work = NULL;
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_work_of_fill(pMemsetParams, &work);
    return end_add(&place, error, work);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                 const struct cudaHostNodeParams *pNodeParams)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    struct facade_work *work = NULL;
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_work_of_host(pNodeParams, &work);
    return end_add(&place, error, work);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies,
                                        size_t numDependencies, cudaEvent_t event)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    struct facade_work *work = NULL;
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_work_of_record(event, &work);
    return end_add(&place, error, work);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      cudaEvent_t event)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    struct facade_work *work = NULL;
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_work_of_wait(event, &work);
    return end_add(&place, error, work);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t *pDependencies, size_t numDependencies)
{
    struct place place = {pGraphNode, graph, pDependencies, numDependencies, NULL};
    cudaError_t error = check_place(&place);
    return facade_result(error == cudaSuccess ? add(&place, cudaGraphNodeTypeEmpty, NULL, NULL)
                                              : error);
}

/* A graph that is given away may not be the one that gets it, nor have that inside. */
static bool is_within(const struct facade_graph *graph, const struct facade_graph *outer)
{
    while (graph != outer && graph->owner != NULL)
        graph = graph->owner->graph;
    return graph == outer;
}

static cudaError_t add_said(const struct place *place, const struct facade_node_said *said)
{
    struct facade_work *work = NULL;
    struct facade_graph *child = NULL;
    cudaError_t error = said->read(said->params, &work, &child);
    if (error != cudaSuccess)
        return error;
    if (child != NULL && is_within(place->graph, child))
        return cudaErrorInvalidValue;
    return add(place, said->type, work, child);
}

cudaError_t facade_node_add(cudaGraphNode_t *added, cudaGraph_t graph,
                            const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                            size_t count, const struct facade_node_said *said)
{
    struct place place = {added, graph, before, count, NULL};
    cudaError_t error = check_place(&place);
    if (error == cudaSuccess)
        error = facade_graph_check_edges(edges, count);
    return error == cudaSuccess ? add_said(&place, said) : error;
}

static cudaError_t read_any(const void *params, struct facade_work **work,
                            struct facade_graph **child)
{
    return facade_node_params_read(params, work, child);
}

/* The type of what is no structure is nobody's: reading it fails. */
static struct facade_node_said said_of(const struct cudaGraphNodeParams *params)
{
    return (struct facade_node_said){params != NULL ? params->type : cudaGraphNodeTypeEmpty, params,
                                     read_any};
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph)
{
    const struct cudaGraphNodeParams params = {
        .type = cudaGraphNodeTypeGraph,
        .graph = {childGraph, cudaGraphChildGraphOwnershipClone},
    };
    const struct facade_node_said said = said_of(&params);
    return facade_result(
        facade_node_add(pGraphNode, graph, pDependencies, NULL, numDependencies, &said));
}

static cudaError_t add_conditional(cudaGraphNode_t *added, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                                   size_t count, struct cudaConditionalNodeParams *params)
{
    struct facade_context *context = NULL;
    const cudaError_t error = facade_current(&context);
    return error == cudaSuccess
               ? facade_conditional_add(added, graph, before, edges, count, params, context)
               : error;
}

/* Both forms of what is allocated are one. */
static cudaError_t add_memory(cudaGraphNode_t *added, cudaGraph_t graph,
                              const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                              size_t count, struct cudaGraphNodeParams *params)
{
    if (params->type == cudaGraphNodeTypeMemFree)
        return facade_graph_add_free(added, graph, before, edges, count, params->free.dptr);
    struct cudaMemAllocNodeParams same = {
        params->alloc.poolProps, params->alloc.accessDescs, params->alloc.accessDescCount,
        params->alloc.bytesize,  params->alloc.dptr,
    };
    const cudaError_t error =
        facade_graph_add_allocation(added, graph, before, edges, count, &same);
    params->alloc.dptr = same.dptr;
    return error;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t *pDependencies,
                             const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                             struct cudaGraphNodeParams *nodeParams)
{
    const struct facade_node_said said = said_of(nodeParams);
    if (nodeParams != NULL && nodeParams->type == cudaGraphNodeTypeConditional &&
        !facade_node_params_reserve(nodeParams))
        return facade_result(add_conditional(pGraphNode, graph, pDependencies, dependencyData,
                                             numDependencies, &nodeParams->conditional));
    if (facade_node_params_are_of_memory(nodeParams))
        return facade_result(add_memory(pGraphNode, graph, pDependencies, dependencyData,
                                        numDependencies, nodeParams));
    return facade_result(
        facade_node_add(pGraphNode, graph, pDependencies, dependencyData, numDependencies, &said));
}

/* --- parameters ------------------------------------------------------------------------------- */

static cudaError_t find_of_type(cudaGraphNode_t handle, enum cudaGraphNodeType type,
                                struct facade_node **node)
{
    cudaError_t error = facade_node_find(handle, node);
    return error == cudaSuccess && (*node)->type == type ? cudaSuccess : cudaErrorInvalidValue;
}

/* For functions that give back what result points to. */
cudaError_t facade_node_find_to_ask(cudaGraphNode_t handle, enum cudaGraphNodeType type,
                                    const void *result, struct facade_node **node)
{
    cudaError_t error = find_of_type(handle, type, node);
    return result != NULL ? error : cudaErrorInvalidValue;
}

/* Takes the reference to work, whatever comes of it. */
static cudaError_t replace(struct facade_node *node, struct facade_work *work)
{
    cudaError_t error = facade_work_cooperate_as(work, node->work);
    if (error == cudaSuccess)
        facade_node_set_work(node, work);
    else
        facade_work_let_go(work);
    return error;
}

/* The end of each function that gives a node other parameters, which were read unless error says why not. */
static cudaError_t end_set(struct facade_node *node, cudaError_t error, struct facade_work *work)
{
    return facade_result(error == cudaSuccess ? replace(node, work) : error);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *pNodeParams)
{
    struct facade_node *found = NULL;
    cudaError_t error = facade_node_find_to_ask(node, cudaGraphNodeTypeKernel, pNodeParams, &found);
    if (error == cudaSuccess)
        *pNodeParams = facade_work_launch(found->work);
    return facade_result(error);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *pNodeParams)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(node, cudaGraphNodeTypeKernel, &found);
    if (error == cudaSuccess)
        error = facade_work_of_launch(pNodeParams, &work);
    return end_set(found, error, work);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemcpy3DParms *pNodeParams)
{
    struct facade_node *found = NULL;
    cudaError_t error = facade_node_find_to_ask(node, cudaGraphNodeTypeMemcpy, pNodeParams, &found);
    if (error == cudaSuccess)
        *pNodeParams = facade_work_copy(found->work);
    return facade_result(error);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *pNodeParams)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(node, cudaGraphNodeTypeMemcpy, &found);
    if (error == cudaSuccess)
        error = facade_work_of_copy(pNodeParams, &work);
    return end_set(found, error, work);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *src, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(node, cudaGraphNodeTypeMemcpy, &found);
    if (error == cudaSuccess)
        error = facade_work_to_symbol(symbol, src, count, offset, kind, &work);
    return end_set(found, error, work);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                   const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(node, cudaGraphNodeTypeMemcpy, &found);
    if (error == cudaSuccess)
        error = facade_work_from_symbol(dst, symbol, count, offset, kind, &work);
    return end_set(found, error, work);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t count, enum cudaMemcpyKind kind)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(node, cudaGraphNodeTypeMemcpy, &found);
    if (error == cudaSuccess)
        error = facade_work_of_bytes(dst, src, count, kind, &work);
    return end_set(found, error, work);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams)
{
    struct facade_node *found = NULL;
    cudaError_t error = facade_node_find_to_ask(node, cudaGraphNodeTypeMemset, pNodeParams, &found);
    if (error == cudaSuccess)
        *pNodeParams = facade_work_fill(found->work);
    return facade_result(error);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *pNodeParams)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(node, cudaGraphNodeTypeMemset, &found);
    if (error == cudaSuccess)
        error = facade_work_of_fill(pNodeParams, &work);
    return end_set(found, error, work);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams)
{
    struct facade_node *found = NULL;
    cudaError_t error = facade_node_find_to_ask(node, cudaGraphNodeTypeHost, pNodeParams, &found);
    if (error == cudaSuccess)
        *pNodeParams = facade_work_host(found->work);
    return facade_result(error);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const struct cudaHostNodeParams *pNodeParams)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(node, cudaGraphNodeTypeHost, &found);
    if (error == cudaSuccess)
        error = facade_work_of_host(pNodeParams, &work);
    return end_set(found, error, work);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    struct facade_node *found = NULL;
    cudaError_t error =
        facade_node_find_to_ask(node, cudaGraphNodeTypeEventRecord, event_out, &found);
    if (error == cudaSuccess)
        *event_out = facade_work_event(found->work);
    return facade_result(error);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(node, cudaGraphNodeTypeEventRecord, &found);
    if (error == cudaSuccess)
        error = facade_work_of_record(event, &work);
    return end_set(found, error, work);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    struct facade_node *found = NULL;
    cudaError_t error =
        facade_node_find_to_ask(node, cudaGraphNodeTypeWaitEvent, event_out, &found);
    if (error == cudaSuccess)
        *event_out = facade_work_event(found->work);
    return facade_result(error);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(node, cudaGraphNodeTypeWaitEvent, &found);
    if (error == cudaSuccess)
        error = facade_work_of_wait(event, &work);
    return end_set(found, error, work);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph)
{
    struct facade_node *found = NULL;
    cudaError_t error = facade_node_find_to_ask(node, cudaGraphNodeTypeGraph, pGraph, &found);
    if (error == cudaSuccess)
        *pGraph = (cudaGraph_t)found->child;
    return facade_result(error);
}

/* A child graph is changed by itself; an empty node has nothing to change. */
cudaError_t facade_node_set(cudaGraphNode_t node, const struct facade_node_said *said)
{
    struct facade_node *found = NULL;
    struct facade_work *work = NULL;
    struct facade_graph *child = NULL;
    if (said->params == NULL || said->type == cudaGraphNodeTypeGraph)
        return cudaErrorInvalidValue;
    cudaError_t error = find_of_type(node, said->type, &found);
    if (error == cudaSuccess)
        error = said->read(said->params, &work, &child);
    return error == cudaSuccess && work != NULL ? replace(found, work) : error;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams)
{
    const struct facade_node_said said = said_of(nodeParams);
    return facade_result(facade_node_set(node, &said));
}
