/* Executable graphs: other parameters for their nodes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/launch_work.h"
#include "facade/memory/memory_work.h"
#include "facade/replay/graph_exec.h"
#include "facade/replay/graph_pairs.h"
#include "facade/replay/node_params.h"
#include "facade/stream/stream_work.h"

/* --- whole graphs ----------------------------------------------------------------------------- */

/* Of nodes that were paired. */
static void take_works(struct facade_graph *old)
{
    for (struct facade_node *node = old->first; node != NULL; node = node->next) {
        if (node->child != NULL)
            take_works(node->child);
        else
            facade_node_set_work(node, facade_work_hold(node->twin->work));
    }
}

/* All of it or nothing. */
static cudaError_t update(struct facade_exec *exec, struct facade_graph *wanted,
                          cudaGraphExecUpdateResultInfo *info)
{
    info->result = facade_graph_pair(exec->graph, wanted, info);
    if (info->result == cudaGraphExecUpdateError)
        return cudaErrorMemoryAllocation;
    if (info->result != cudaGraphExecUpdateSuccess)
        return cudaErrorGraphExecUpdateFailure;
    take_works(exec->graph);
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo)
{
    struct facade_exec *exec = NULL;
    struct facade_graph *graph = NULL;
    if (resultInfo == NULL)
        return facade_result(cudaErrorInvalidValue);
    *resultInfo = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    cudaError_t error = facade_exec_find(hGraphExec, &exec);
    if (error == cudaSuccess)
        error = facade_graph_find(hGraph, &graph);
    return facade_result(error == cudaSuccess ? update(exec, graph, resultInfo) : error);
}

/* --- single nodes ----------------------------------------------------------------------------- */

/* The executable graph's own node for one of the graph that it was instantiated from. */
static cudaError_t find_own(cudaGraphExec_t exec_handle, cudaGraphNode_t node_handle,
                            struct facade_exec **exec, struct facade_node **own)
{
    struct facade_node *node = NULL;
    cudaError_t error = facade_exec_find(exec_handle, exec);
    if (error == cudaSuccess)
        error = facade_node_find(node_handle, &node);
    if (error != cudaSuccess)
        return error;
    *own = facade_graph_node_from((*exec)->graph, node->id);
    return *own != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t find_of_type(cudaGraphExec_t exec_handle, cudaGraphNode_t node_handle,
                                enum cudaGraphNodeType type, struct facade_node **own)
{
    struct facade_exec *exec = NULL;
    cudaError_t error = find_own(exec_handle, node_handle, &exec, own);
    return error == cudaSuccess && (*own)->type == type ? cudaSuccess : cudaErrorInvalidValue;
}

/* The end of each function that gives a node other parameters, which were read unless error says why not. */
static cudaError_t end_set(struct facade_node *own, cudaError_t error, struct facade_work *work)
{
    if (error != cudaSuccess)
        return facade_result(error);
    error = own->work->kind->may_become(own->work, work) == cudaGraphExecUpdateSuccess
                ? facade_work_cooperate_as(work, own->work)
                : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        facade_node_set_work(own, work);
    else
        facade_work_let_go(work);
    return facade_result(error);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *pNodeParams)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(hGraphExec, node, cudaGraphNodeTypeKernel, &own);
    if (error == cudaSuccess)
        error = facade_work_of_launch(pNodeParams, &work);
    return end_set(own, error, work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *pNodeParams)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(hGraphExec, node, cudaGraphNodeTypeMemcpy, &own);
    if (error == cudaSuccess)
        error = facade_work_of_copy(pNodeParams, &work);
    return end_set(own, error, work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                     cudaGraphNode_t node, const void *symbol,
                                                     const void *src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(hGraphExec, node, cudaGraphNodeTypeMemcpy, &own);
    if (error == cudaSuccess)
        error = facade_work_to_symbol(symbol, src, count, offset, kind, &work);
    return end_set(own, error, work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node, void *dst,
                                                       const void *symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(hGraphExec, node, cudaGraphNodeTypeMemcpy, &own);
    if (error == cudaSuccess)
        error = facade_work_from_symbol(dst, symbol, count, offset, kind, &work);
    return end_set(own, error, work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(hGraphExec, node, cudaGraphNodeTypeMemcpy, &own);
    if (error == cudaSuccess)
        error = facade_work_of_bytes(dst, src, count, kind, &work);
    return end_set(own, error, work);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *pNodeParams)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(hGraphExec, node, cudaGraphNodeTypeMemset, &own);
    if (error == cudaSuccess)
        error = facade_work_of_fill(pNodeParams, &work);
    return end_set(own, error, work);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *pNodeParams)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(hGraphExec, node, cudaGraphNodeTypeHost, &own);
    if (error == cudaSuccess)
        error = facade_work_of_host(pNodeParams, &work);
    return end_set(own, error, work);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                 cudaEvent_t event)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(hGraphExec, hNode, cudaGraphNodeTypeEventRecord, &own);
    if (error == cudaSuccess)
        error = facade_work_of_record(event, &work);
    return end_set(own, error, work);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                               cudaEvent_t event)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_of_type(hGraphExec, hNode, cudaGraphNodeTypeWaitEvent, &own);
    if (error == cudaSuccess)
        error = facade_work_of_wait(event, &work);
    return end_set(own, error, work);
}

static cudaError_t set_child(struct facade_node *own, struct facade_graph *wanted)
{
    cudaGraphExecUpdateResultInfo unused = {.result = cudaGraphExecUpdateSuccess};
    const enum cudaGraphExecUpdateResult result = facade_graph_pair(own->child, wanted, &unused);
    if (result != cudaGraphExecUpdateSuccess)
        return result == cudaGraphExecUpdateError ? cudaErrorMemoryAllocation
                                                  : cudaErrorInvalidValue;
    take_works(own->child);
    return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph)
{
    struct facade_node *own = NULL;
    struct facade_graph *wanted = NULL;
    cudaError_t error = find_of_type(hGraphExec, node, cudaGraphNodeTypeGraph, &own);
    if (error == cudaSuccess)
        error = facade_graph_find(childGraph, &wanted);
    return facade_result(error == cudaSuccess ? set_child(own, wanted) : error);
}

/* An empty node has nothing to change; a graph is changed by a function of its own. */
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    struct facade_graph *child = NULL;
    if (nodeParams == NULL || nodeParams->type == cudaGraphNodeTypeEmpty)
        return facade_result(cudaErrorInvalidValue);
    if (nodeParams->type == cudaGraphNodeTypeGraph)
        return cudaGraphExecChildGraphNodeSetParams(graphExec, node, nodeParams->graph.graph);
    cudaError_t error = find_of_type(graphExec, node, nodeParams->type, &own);
    if (error == cudaSuccess)
        error = facade_node_params_read(nodeParams, &work, &child);
    return end_set(own, error, work);
}

/* --- leaving nodes out ------------------------------------------------------------------------ */

static cudaError_t find_to_leave_out(cudaGraphExec_t exec_handle, cudaGraphNode_t node_handle,
                                     struct facade_node **own)
{
    struct facade_exec *exec = NULL;
    cudaError_t error = find_own(exec_handle, node_handle, &exec, own);
    if (error != cudaSuccess)
        return error;
    return (*own)->type == cudaGraphNodeTypeKernel || (*own)->type == cudaGraphNodeTypeMemcpy ||
                   (*own)->type == cudaGraphNodeTypeMemset
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int isEnabled)
{
    struct facade_node *own = NULL;
    cudaError_t error = find_to_leave_out(hGraphExec, hNode, &own);
    if (error == cudaSuccess)
        own->is_disabled = isEnabled == 0;
    return facade_result(error);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int *isEnabled)
{
    struct facade_node *own = NULL;
    cudaError_t error = find_to_leave_out(hGraphExec, hNode, &own);
    if (error == cudaSuccess && isEnabled == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *isEnabled = !own->is_disabled;
    return facade_result(error);
}
