/* Nodes of graphs that signal external semaphores and wait for them: adding them, their parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/external_semaphore.h"
#include "facade/replay/graph_exec.h"
#include "facade/replay/node_params.h"

/* Parameters of both kinds of nodes, and of both versions, are the same. */
static struct cudaGraphNodeParams
say_signal(const struct cudaExternalSemaphoreSignalNodeParams *params)
{
    struct cudaGraphNodeParams made = {.type = cudaGraphNodeTypeExtSemaphoreSignal};
    if (params != NULL)
        made.extSemSignal = (struct cudaExternalSemaphoreSignalNodeParamsV2){
            params->extSemArray, params->paramsArray, params->numExtSems};
    return made;
}

static struct cudaGraphNodeParams say_wait(const struct cudaExternalSemaphoreWaitNodeParams *params)
{
    struct cudaGraphNodeParams made = {.type = cudaGraphNodeTypeExtSemaphoreWait};
    if (params != NULL)
        made.extSemWait = (struct cudaExternalSemaphoreWaitNodeParamsV2){
            params->extSemArray, params->paramsArray, params->numExtSems};
    return made;
}

static cudaError_t read(const void *params, struct facade_work **work, struct facade_graph **child)
{
    return facade_node_params_read(params, work, child);
}

static struct facade_node_said said(const struct cudaGraphNodeParams *made, const void *given)
{
    return (struct facade_node_said){made->type, given != NULL ? made : NULL, read};
}

static cudaError_t find(cudaGraphNode_t handle, enum cudaGraphNodeType type, const void *result,
                        struct facade_semaphores *use)
{
    struct facade_node *node = NULL;
    const cudaError_t error = facade_node_find_to_ask(handle, type, result, &node);
    if (error == cudaSuccess)
        *use = facade_work_semaphores(node->work);
    return error;
}

cudaError_t cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
    size_t numDependencies, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams)
{
    const struct cudaGraphNodeParams params = say_signal(nodeParams);
    const struct facade_node_said what = said(&params, nodeParams);
    return facade_result(
        facade_node_add(pGraphNode, graph, pDependencies, NULL, numDependencies, &what));
}

cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t hNode, struct cudaExternalSemaphoreSignalNodeParams *params_out)
{
    struct facade_semaphores use;
    const cudaError_t error = find(hNode, cudaGraphNodeTypeExtSemaphoreSignal, params_out, &use);
    if (error == cudaSuccess)
        *params_out = (struct cudaExternalSemaphoreSignalNodeParams){
            (cudaExternalSemaphore_t *)(uintptr_t)use.handles, (const void *)use.params, use.count};
    return facade_result(error);
}

cudaError_t cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams)
{
    const struct cudaGraphNodeParams params = say_signal(nodeParams);
    const struct facade_node_said what = said(&params, nodeParams);
    return facade_result(facade_node_set(hNode, &what));
}

cudaError_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreSignalNodeParams *nodeParams)
{
    const struct cudaGraphNodeParams params = say_signal(nodeParams);
    const struct facade_node_said what = said(&params, nodeParams);
    return facade_result(facade_exec_set(hGraphExec, hNode, &what));
}

cudaError_t
cudaGraphAddExternalSemaphoresWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                       const struct cudaExternalSemaphoreWaitNodeParams *nodeParams)
{
    const struct cudaGraphNodeParams params = say_wait(nodeParams);
    const struct facade_node_said what = said(&params, nodeParams);
    return facade_result(
        facade_node_add(pGraphNode, graph, pDependencies, NULL, numDependencies, &what));
}

cudaError_t
cudaGraphExternalSemaphoresWaitNodeGetParams(cudaGraphNode_t hNode,
                                             struct cudaExternalSemaphoreWaitNodeParams *params_out)
{
    struct facade_semaphores use;
    const cudaError_t error = find(hNode, cudaGraphNodeTypeExtSemaphoreWait, params_out, &use);
    if (error == cudaSuccess)
        *params_out = (struct cudaExternalSemaphoreWaitNodeParams){
            (cudaExternalSemaphore_t *)(uintptr_t)use.handles, use.params, use.count};
    return facade_result(error);
}

cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams)
{
    const struct cudaGraphNodeParams params = say_wait(nodeParams);
    const struct facade_node_said what = said(&params, nodeParams);
    return facade_result(facade_node_set(hNode, &what));
}

cudaError_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreWaitNodeParams *nodeParams)
{
    const struct cudaGraphNodeParams params = say_wait(nodeParams);
    const struct facade_node_said what = said(&params, nodeParams);
    return facade_result(facade_exec_set(hGraphExec, hNode, &what));
}
