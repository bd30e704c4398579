/* The driver API's external semaphores, and their nodes of graphs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <stddef.h>
#include <string.h>

#include "facade/driver/driver_graph.h"
#include "facade/memory/external_semaphore.h"
#include "facade/replay/graph_exec.h"
#include "facade/replay/node_params.h"

_Static_assert(sizeof(struct cudaExternalSemaphoreHandleDesc) ==
                       sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) &&
                   sizeof(struct cudaExternalSemaphoreWaitParams) ==
                       sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS) &&
                   sizeof(struct cudaExternalSemaphoreSignalParams) ==
                       sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS) &&
                   offsetof(struct cudaExternalSemaphoreWaitParams, flags) ==
                       offsetof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, flags),
               "the same structures by other names");

CUresult cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc)
{
    struct cudaExternalSemaphoreHandleDesc description;
    cudaExternalSemaphore_t made = NULL;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS && (extSem_out == NULL || semHandleDesc == NULL))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    memcpy(&description, semHandleDesc, sizeof description);
    result = facade_driver_error(facade_semaphore_import(&made, &description));
    if (result == CUDA_SUCCESS)
        *extSem_out = (CUexternalSemaphore)made;
    return result;
}

CUresult cuDestroyExternalSemaphore(CUexternalSemaphore extSem)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_semaphore_destroy((cudaExternalSemaphore_t)extSem))
               : result;
}

/* --- in streams ------------------------------------------------------------------------------- */

static CUresult use(CUstream stream, const CUexternalSemaphore *handles, const void *params,
                    unsigned count, bool are_waits)
{
    const struct facade_semaphores what = {(const cudaExternalSemaphore_t *)handles, params, count,
                                           are_waits};
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_semaphores_use(stream, &what))
                                  : result;
}

CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
                                         unsigned int numExtSems, CUstream stream)
{
    return use(stream, extSemArray, paramsArray, numExtSems, false);
}

CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
                                       unsigned int numExtSems, CUstream stream)
{
    return use(stream, extSemArray, paramsArray, numExtSems, true);
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* Parameters of both kinds of nodes have the same members. */
static struct facade_node_said say_signal(CUgraphNodeParams *room,
                                          const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params)
{
    room->type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
    if (params != NULL)
        room->extSemSignal = (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2){
            params->extSemArray, params->paramsArray, params->numExtSems};
    return (struct facade_node_said){cudaGraphNodeTypeExtSemaphoreSignal,
                                     params != NULL ? room : NULL, facade_driver_node_read};
}

static struct facade_node_said say_wait(CUgraphNodeParams *room,
                                        const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params)
{
    room->type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
    if (params != NULL)
        room->extSemWait = (CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2){
            params->extSemArray, params->paramsArray, params->numExtSems};
    return (struct facade_node_said){cudaGraphNodeTypeExtSemaphoreWait,
                                     params != NULL ? room : NULL, facade_driver_node_read};
}

static CUresult add(CUgraphNode *added, CUgraph graph, const CUgraphNode *before, size_t count,
                    const struct facade_node_said *said)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_node_add(added, graph, before, NULL, count, said))
               : result;
}

static CUresult set(CUgraphNode node, const struct facade_node_said *said)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_node_set(node, said)) : result;
}

static CUresult set_in_exec(CUgraphExec exec, CUgraphNode node, const struct facade_node_said *said)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_exec_set(exec, node, said)) : result;
}

static CUresult find(CUgraphNode handle, enum cudaGraphNodeType type, const void *result,
                     struct facade_semaphores *found)
{
    struct facade_node *node = NULL;
    CUresult checked = facade_driver_check();
    if (checked == CUDA_SUCCESS)
        checked = facade_driver_error(facade_node_find_to_ask(handle, type, result, &node));
    if (checked == CUDA_SUCCESS)
        *found = facade_work_semaphores(node->work);
    return checked;
}

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                                const CUgraphNode *dependencies,
                                                size_t numDependencies,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = say_signal(&room, nodeParams);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode,
                                                      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params_out)
{
    struct facade_semaphores found;
    const CUresult result = find(hNode, cudaGraphNodeTypeExtSemaphoreSignal, params_out, &found);
    if (result == CUDA_SUCCESS)
        *params_out =
            (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS){(CUexternalSemaphore *)(uintptr_t)found.handles,
                                              (const void *)found.params, found.count};
    return result;
}

CUresult
cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode hNode,
                                             const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = say_signal(&room, nodeParams);
    return set(hNode, &said);
}

CUresult
cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = say_signal(&room, nodeParams);
    return set_in_exec(hGraphExec, hNode, &said);
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                              const CUgraphNode *dependencies,
                                              size_t numDependencies,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = say_wait(&room, nodeParams);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode,
                                                    CUDA_EXT_SEM_WAIT_NODE_PARAMS *params_out)
{
    struct facade_semaphores found;
    const CUresult result = find(hNode, cudaGraphNodeTypeExtSemaphoreWait, params_out, &found);
    if (result == CUDA_SUCCESS)
        *params_out =
            (CUDA_EXT_SEM_WAIT_NODE_PARAMS){(CUexternalSemaphore *)(uintptr_t)found.handles,
                                            (const void *)found.params, found.count};
    return result;
}

CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode hNode,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = say_wait(&room, nodeParams);
    return set(hNode, &said);
}

CUresult
cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                               const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = say_wait(&room, nodeParams);
    return set_in_exec(hGraphExec, hNode, &said);
}
