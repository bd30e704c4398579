/* Executable graphs: other parameters for their nodes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "facade/code/launch_work.h"
#include "facade/graph/conditional.h"
#include "facade/graph/user_object.h"
#include "facade/memory/memory_work.h"
#include "facade/replay/graph_exec.h"
#include "facade/replay/graph_pairs.h"
#include "facade/replay/node_params.h"
#include "facade/stream/stream_work.h"

/* --- whole graphs ----------------------------------------------------------------------------- */

/* Of nodes that were paired. */
static void take_works(struct facade_graph *old)
{
    struct facade_graph *inner;
    for (struct facade_node *node = old->first; node != NULL; node = node->next) {
        for (size_t i = 0; (inner = facade_node_inner(node, i)) != NULL; i++)
            take_works(inner);
        if (node->work != NULL)
            facade_node_set_work(node, facade_work_hold(node->twin->work));
    }
}

/* All of it or nothing. */
static cudaError_t update(struct facade_exec *exec, struct facade_graph *wanted,
                          cudaGraphExecUpdateResultInfo *info)
{
    struct facade_user_references *references = NULL;
    info->result = facade_graph_pair(exec->graph, wanted, info);
    if (info->result == cudaGraphExecUpdateSuccess &&
        !facade_user_references_copy(wanted, true, &references))
        info->result = cudaGraphExecUpdateError;
    if (info->result == cudaGraphExecUpdateError)
        return cudaErrorMemoryAllocation;
    if (info->result != cudaGraphExecUpdateSuccess)
        return cudaErrorGraphExecUpdateFailure;
    take_works(exec->graph);
    facade_exec_end_references(exec, facade_user_references_take(exec->graph));
    exec->graph->objects = references;
    facade_conditions_take(exec->graph->conditions, wanted->conditions);
    return cudaSuccess;
}

cudaError_t facade_exec_update(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                               cudaGraphExecUpdateResultInfo *resultInfo)
{
    struct facade_exec *exec = NULL;
    struct facade_graph *graph = NULL;
    cudaGraphExecUpdateResultInfo unasked;
    if (resultInfo == NULL)
        resultInfo = &unasked;
    *resultInfo = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    cudaError_t error = facade_exec_find(hGraphExec, &exec);
    if (error == cudaSuccess)
        error = facade_graph_find(hGraph, &graph);
    return error == cudaSuccess ? update(exec, graph, resultInfo) : error;
}

/* --- single nodes ----------------------------------------------------------------------------- */

static size_t count_nodes(const struct facade_graph *graph)
{
    const struct facade_graph *inner;
    size_t count = graph->count;
    for (const struct facade_node *node = graph->first; node != NULL; node = node->next) {
        for (size_t i = 0; (inner = facade_node_inner(node, i)) != NULL; i++)
            count += count_nodes(inner);
    }
    return count;
}

static void list_own(struct facade_exec *exec, const struct facade_graph *graph)
{
    const struct facade_graph *inner;
    for (struct facade_node *node = graph->first; node != NULL; node = node->next) {
        exec->own[exec->own_count++] = node;
        for (size_t i = 0; (inner = facade_node_inner(node, i)) != NULL; i++)
            list_own(exec, inner);
    }
}

static int by_origin(const void *one, const void *other)
{
    const uint64_t a = (*(struct facade_node *const *)one)->origin,
                   b = (*(struct facade_node *const *)other)->origin;
    return (a > b) - (a < b);
}

/* Changing all nodes, one after the other, takes no time that grows with the square of their number. */
static struct facade_node *find_by_origin(struct facade_exec *exec, uint64_t origin)
{
    const struct facade_node wanted = {.origin = origin};
    const struct facade_node *key = &wanted;
    if (exec->own == NULL) {
        exec->own = malloc((count_nodes(exec->graph) + 1) * sizeof(struct facade_node *));
        if (exec->own == NULL)
            return facade_graph_node_from(exec->graph, origin);
        list_own(exec, exec->graph);
        qsort(exec->own, exec->own_count, sizeof(struct facade_node *), by_origin);
    }
    struct facade_node **found =
        bsearch(&key, exec->own, exec->own_count, sizeof(struct facade_node *), by_origin);
    return found != NULL ? *found : NULL;
}

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
    *own = find_by_origin(*exec, node->id);
    return *own != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t find_of_type(cudaGraphExec_t exec_handle, cudaGraphNode_t node_handle,
                                enum cudaGraphNodeType type, struct facade_node **own)
{
    struct facade_exec *exec = NULL;
    cudaError_t error = find_own(exec_handle, node_handle, &exec, own);
    return error == cudaSuccess && (*own)->type == type ? cudaSuccess : cudaErrorInvalidValue;
}

/* Takes the reference to work, whatever comes of it. */
static cudaError_t replace(struct facade_node *own, struct facade_work *work)
{
    const cudaError_t error =
        own->work->kind->may_become(own->work, work) == cudaGraphExecUpdateSuccess
            ? facade_work_cooperate_as(work, own->work)
            : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        facade_node_set_work(own, work);
    else
        facade_work_let_go(work);
    return error;
}

/* The end of each function that gives a node other parameters, which were read unless error says why not. */
static cudaError_t end_set(struct facade_node *own, cudaError_t error, struct facade_work *work)
{
    return facade_result(error == cudaSuccess ? replace(own, work) : error);
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
                                                  : cudaErrorGraphExecUpdateFailure;
    take_works(own->child);
    return cudaSuccess;
}

cudaError_t facade_exec_set_child(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                  cudaGraph_t childGraph)
{
    struct facade_node *own = NULL;
    struct facade_graph *wanted = NULL;
    cudaError_t error = find_of_type(hGraphExec, node, cudaGraphNodeTypeGraph, &own);
    if (error == cudaSuccess)
        error = facade_graph_find(childGraph, &wanted);
    return error == cudaSuccess ? set_child(own, wanted) : error;
}

/* An empty node has nothing to change; a graph is changed by a function of its own. */
cudaError_t facade_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node,
                            const struct facade_node_said *said)
{
    struct facade_node *own = NULL;
    struct facade_work *work = NULL;
    struct facade_graph *child = NULL;
    if (said->params == NULL || said->type == cudaGraphNodeTypeEmpty ||
        said->type == cudaGraphNodeTypeGraph)
        return cudaErrorInvalidValue;
    cudaError_t error = find_of_type(exec, node, said->type, &own);
    if (error == cudaSuccess)
        error = said->read(said->params, &work, &child);
    return error == cudaSuccess ? replace(own, work) : error;
}

static cudaError_t read_any(const void *params, struct facade_work **work,
                            struct facade_graph **child)
{
    return facade_node_params_read(params, work, child);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams)
{
    if (nodeParams != NULL && nodeParams->type == cudaGraphNodeTypeGraph)
        return cudaGraphExecChildGraphNodeSetParams(graphExec, node, nodeParams->graph.graph);
    const struct facade_node_said said = {
        nodeParams != NULL ? nodeParams->type : cudaGraphNodeTypeEmpty, nodeParams, read_any};
    return facade_result(facade_exec_set(graphExec, node, &said));
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

cudaError_t facade_exec_set_enabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int isEnabled)
{
    struct facade_node *own = NULL;
    cudaError_t error = find_to_leave_out(hGraphExec, hNode, &own);
    if (error == cudaSuccess)
        own->is_disabled = isEnabled == 0;
    return error;
}

cudaError_t facade_exec_get_enabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int *isEnabled)
{
    struct facade_node *own = NULL;
    cudaError_t error = find_to_leave_out(hGraphExec, hNode, &own);
    if (error == cudaSuccess && isEnabled == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *isEnabled = !own->is_disabled;
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo)
{
    return facade_result(facade_exec_update(hGraphExec, hGraph, resultInfo));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph)
{
    return facade_result(facade_exec_set_child(hGraphExec, node, childGraph));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int isEnabled)
{
    return facade_result(facade_exec_set_enabled(hGraphExec, hNode, isEnabled));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int *isEnabled)
{
    return facade_result(facade_exec_get_enabled(hGraphExec, hNode, isEnabled));
}
