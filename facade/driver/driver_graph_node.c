/* The driver API's nodes of graphs: adding them, their parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/code/launch_work.h"
#include "facade/driver/driver_graph.h"
#include "facade/memory/copy_request.h"
#include "facade/memory/memory_operation.h"
#include "facade/memory/memory_work.h"
#include "facade/replay/graph_exec.h"
#include "facade/replay/node_params.h"
#include "facade/state/runtime.h"
#include "facade/stream/stream_work.h"

/* --- what parameters say ---------------------------------------------------------------------- */

/* Types of nodes and what owns child graphs have the same numbers in both APIs; one type is the driver's alone. */
_Static_assert((int)CU_GRAPH_NODE_TYPE_EVENT_RECORD == (int)cudaGraphNodeTypeEventRecord, "");
_Static_assert((int)CU_GRAPH_NODE_TYPE_MEM_FREE == (int)cudaGraphNodeTypeMemFree, "");
_Static_assert((int)CU_GRAPH_NODE_TYPE_CONDITIONAL == (int)cudaGraphNodeTypeConditional, "");
_Static_assert((int)CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE == (int)cudaGraphChildGraphOwnershipMove,
               "");

static cudaError_t read_launch(const CUDA_KERNEL_NODE_PARAMS_v3 *params, struct facade_work **work)
{
    const struct cudaKernelNodeParams same = {
        .func = params->func != NULL ? (void *)params->func : (void *)params->kern,
        .gridDim = {params->gridDimX, params->gridDimY, params->gridDimZ},
        .blockDim = {params->blockDimX, params->blockDimY, params->blockDimZ},
        .sharedMemBytes = params->sharedMemBytes,
        .kernelParams = params->kernelParams,
        .extra = params->extra,
    };
    return same.func != NULL ? facade_work_of_launch(&same, work) : cudaErrorInvalidResourceHandle;
}

static cudaError_t read_copy(const CUDA_MEMCPY_NODE_PARAMS *params, struct facade_work **work)
{
    struct facade_copy_request request;
    if (params->flags != 0 || params->reserved != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_copy_from_driver_3d(&request, &params->copyParams);
    return error == cudaSuccess ? facade_work_of_request(&request, work) : error;
}

static cudaError_t read_fill(const CUDA_MEMSET_NODE_PARAMS_v2 *params, struct facade_work **work)
{
    const struct cudaMemsetParams same = {
        (void *)(uintptr_t)params->dst,
        params->pitch,
        params->value,
        params->elementSize,
        params->width,
        params->height,
    };
    return facade_work_of_fill(&same, work);
}

/* The others are the same in both APIs. */
static cudaError_t read_same(const CUgraphNodeParams *params, struct facade_work **work,
                             struct facade_graph **child)
{
    struct cudaGraphNodeParams same = {.type = (enum cudaGraphNodeType)params->type};
    if (params->type == CU_GRAPH_NODE_TYPE_HOST) {
        same.host.fn = params->host.fn;
        same.host.userData = params->host.userData;
    } else if (params->type == CU_GRAPH_NODE_TYPE_GRAPH) {
        same.graph.graph = params->graph.graph;
        same.graph.ownership = (enum cudaGraphChildGraphNodeOwnership)params->graph.ownership;
    } else if (params->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT) {
        same.eventWait.event = params->eventWait.event;
    } else if (params->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD) {
        same.eventRecord.event = params->eventRecord.event;
    } else if (params->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL ||
               params->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT) {
        same.extSemWait.extSemArray = (cudaExternalSemaphore_t *)params->extSemWait.extSemArray;
        same.extSemWait.paramsArray = (const void *)params->extSemWait.paramsArray;
        same.extSemWait.numExtSems = params->extSemWait.numExtSems;
    }
    return facade_node_params_read(&same, work, child);
}

static cudaError_t read_here(const CUgraphNodeParams *params, struct facade_work **work,
                             struct facade_graph **child)
{
    switch (params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return read_launch(&params->kernel, work);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return read_copy(&params->memcpy, work);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return read_fill(&params->memset, work);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return facade_work_of_operations(params->memOp.count, params->memOp.paramArray,
                                         params->memOp.flags, work);
    default:
        return read_same(params, work, child);
    }
}

/* NULL: the current one. */
static CUcontext context_of(const CUgraphNodeParams *params)
{
    if (params->type == CU_GRAPH_NODE_TYPE_KERNEL)
        return params->kernel.ctx;
    if (params->type == CU_GRAPH_NODE_TYPE_MEMCPY)
        return params->memcpy.copyCtx;
    if (params->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
        return params->memOp.ctx;
    return params->type == CU_GRAPH_NODE_TYPE_MEMSET ? params->memset.ctx : NULL;
}

static bool has_reserved(const CUgraphNodeParams *params)
{
    return params->reserved0[0] != 0 || params->reserved0[1] != 0 || params->reserved0[2] != 0 ||
           params->reserved2 != 0;
}

cudaError_t facade_driver_node_read(const void *given, struct facade_work **work,
                                    struct facade_graph **child)
{
    const CUgraphNodeParams *params = given;
    *work = NULL;
    *child = NULL;
    if (params == NULL || has_reserved(params))
        return cudaErrorInvalidValue;
    const CUcontext handle = context_of(params);
    if (handle == NULL)
        return read_here(params, work, child);
    struct facade_context *context = facade_context_find(handle);
    if (context == NULL)
        return cudaErrorDeviceUninitialized;
    if (!facade_stack_push(context))
        return cudaErrorMemoryAllocation;
    const cudaError_t error = read_here(params, work, child);
    (void)facade_stack_pop();
    return error;
}

/* --- the forms of single kinds ---------------------------------------------------------------- */

static struct facade_node_said said_of(CUgraphNodeType type, const CUgraphNodeParams *params)
{
    return (struct facade_node_said){(enum cudaGraphNodeType)type, params, facade_driver_node_read};
}

/* Parameters of the first version are the others' first ones. */
static void take_first(CUDA_KERNEL_NODE_PARAMS_v3 *params, const CUDA_KERNEL_NODE_PARAMS_v1 *first)
{
    *params = (CUDA_KERNEL_NODE_PARAMS_v3){
        .func = first->func,
        .gridDimX = first->gridDimX,
        .gridDimY = first->gridDimY,
        .gridDimZ = first->gridDimZ,
        .blockDimX = first->blockDimX,
        .blockDimY = first->blockDimY,
        .blockDimZ = first->blockDimZ,
        .sharedMemBytes = first->sharedMemBytes,
        .kernelParams = first->kernelParams,
        .extra = first->extra,
    };
}

_Static_assert(offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kern) == sizeof(CUDA_KERNEL_NODE_PARAMS_v1),
               "the first version is the beginning of the second");

static struct facade_node_said said_first(CUgraphNodeParams *room,
                                          const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    if (params != NULL)
        take_first(&room->kernel, params);
    return said_of(CU_GRAPH_NODE_TYPE_KERNEL, params != NULL ? room : NULL);
}

static struct facade_node_said said_launch(CUgraphNodeParams *room,
                                           const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
    const struct facade_node_said said =
        said_first(room, (const CUDA_KERNEL_NODE_PARAMS_v1 *)(const void *)params);
    if (params != NULL) {
        room->kernel.kern = params->kern;
        room->kernel.ctx = params->ctx;
    }
    return said;
}

static struct facade_node_said said_copy(CUgraphNodeParams *room, const CUDA_MEMCPY3D *params,
                                         CUcontext context)
{
    room->type = CU_GRAPH_NODE_TYPE_MEMCPY;
    room->memcpy.copyCtx = context;
    if (params != NULL)
        room->memcpy.copyParams = *params;
    return said_of(room->type, params != NULL ? room : NULL);
}

static struct facade_node_said said_fill(CUgraphNodeParams *room,
                                         const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    room->type = CU_GRAPH_NODE_TYPE_MEMSET;
    if (params != NULL)
        room->memset = (CUDA_MEMSET_NODE_PARAMS_v2){
            params->dst,   params->pitch,  params->value, params->elementSize,
            params->width, params->height, context,
        };
    return said_of(room->type, params != NULL ? room : NULL);
}

static struct facade_node_said said_host(CUgraphNodeParams *room,
                                         const CUDA_HOST_NODE_PARAMS *params)
{
    room->type = CU_GRAPH_NODE_TYPE_HOST;
    if (params != NULL) {
        room->host.fn = params->fn;
        room->host.userData = params->userData;
    }
    return said_of(room->type, params != NULL ? room : NULL);
}

static struct facade_node_said said_record(CUgraphNodeParams *room, CUevent event)
{
    room->type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    room->eventRecord.event = event;
    return said_of(room->type, room);
}

static struct facade_node_said said_wait(CUgraphNodeParams *room, CUevent event)
{
    room->type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    room->eventWait.event = event;
    return said_of(room->type, room);
}

static struct facade_node_said said_any(const CUgraphNodeParams *params)
{
    return said_of(params != NULL ? params->type : CU_GRAPH_NODE_TYPE_EMPTY, params);
}

/* --- adding ----------------------------------------------------------------------------------- */

static CUresult add_behind(CUgraphNode *added, CUgraph graph, const CUgraphNode *before,
                           const CUgraphEdgeData *edges, size_t count,
                           const struct facade_node_said *said)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_node_add(
                                        added, graph, before, facade_edges_of(edges), count, said))
                                  : result;
}

static CUresult add(CUgraphNode *added, CUgraph graph, const CUgraphNode *before, size_t count,
                    const struct facade_node_said *said)
{
    return add_behind(added, graph, before, NULL, count, said);
}

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_first(&room, nodeParams);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                 const CUgraphNode *dependencies, size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_launch(&room, nodeParams);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_copy(&room, copyParams, ctx);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_fill(&room, memsetParams, ctx);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                            const CUgraphNode *dependencies, size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_host(&room, nodeParams);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                  const CUgraphNode *dependencies, size_t numDependencies,
                                  CUgraph childGraph)
{
    const CUgraphNodeParams params = {
        .type = CU_GRAPH_NODE_TYPE_GRAPH,
        .graph = {childGraph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE},
    };
    const struct facade_node_said said = said_any(&params);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                             const CUgraphNode *dependencies, size_t numDependencies)
{
    const CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    const struct facade_node_said said = said_any(&params);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   CUevent event)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_record(&room, event);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                 const CUgraphNode *dependencies, size_t numDependencies,
                                 CUevent event)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_wait(&room, event);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &said);
}

static CUresult add_any(CUgraphNode *added, CUgraph graph, const CUgraphNode *before,
                        const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params)
{
    const struct facade_node_said said = said_any(params);
    const bool is_whole = params != NULL && !has_reserved(params);
    const CUgraphNodeType type = is_whole ? params->type : CU_GRAPH_NODE_TYPE_EMPTY;
    if (type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        return facade_driver_memory_add(added, graph, before, edges, count, params);
    if (type != CU_GRAPH_NODE_TYPE_CONDITIONAL)
        return add_behind(added, graph, before, edges, count, &said);
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_conditional_add(added, graph, before, edges,
                                                                  count, &params->conditional)
                                  : result;
}

CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                        size_t numDependencies, CUgraphNodeParams *nodeParams)
{
    return add_any(phGraphNode, hGraph, dependencies, NULL, numDependencies, nodeParams);
}

CUresult cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                           const CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
                           size_t numDependencies, CUgraphNodeParams *nodeParams)
{
    return add_any(phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams);
}

/* --- parameters ------------------------------------------------------------------------------- */

static CUresult find_to_ask(CUgraphNode handle, enum cudaGraphNodeType type, const void *result,
                            struct facade_node **node)
{
    CUresult checked = facade_driver_check();
    return checked == CUDA_SUCCESS
               ? facade_driver_error(facade_node_find_to_ask(handle, type, result, node))
               : checked;
}

static CUresult set(CUgraphNode node, const struct facade_node_said *said)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_node_set(node, said)) : result;
}

/* What a node was given as a kernel stays one. */
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct facade_node *node = NULL;
    CUresult result = find_to_ask(hNode, cudaGraphNodeTypeKernel, nodeParams, &node);
    if (result != CUDA_SUCCESS || nodeParams == NULL)
        return result;
    const struct cudaKernelNodeParams params = facade_work_launch(node->work);
    const bool is_kernel = facade_handle_find(FACADE_KERNEL, params.func) != NULL;
    *nodeParams = (CUDA_KERNEL_NODE_PARAMS){
        .func = is_kernel ? NULL : (CUfunction)facade_work_function(node->work),
        .gridDimX = params.gridDim.x,
        .gridDimY = params.gridDim.y,
        .gridDimZ = params.gridDim.z,
        .blockDimX = params.blockDim.x,
        .blockDimY = params.blockDim.y,
        .blockDimZ = params.blockDim.z,
        .sharedMemBytes = params.sharedMemBytes,
        .kernelParams = params.kernelParams,
        .kern = is_kernel ? (CUkernel)params.func : NULL,
        .ctx = (CUcontext)node->work->context,
    };
    return CUDA_SUCCESS;
}

/* The first version knows functions alone. */
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS params;
    struct facade_node *node = NULL;
    CUresult result = cuGraphKernelNodeGetParams_v2(hNode, nodeParams != NULL ? &params : NULL);
    if (result != CUDA_SUCCESS || nodeParams == NULL ||
        facade_node_find(hNode, &node) != cudaSuccess)
        return result;
    *nodeParams = (CUDA_KERNEL_NODE_PARAMS_v1){
        (CUfunction)facade_work_function(node->work),
        params.gridDimX,
        params.gridDimY,
        params.gridDimZ,
        params.blockDimX,
        params.blockDimY,
        params.blockDimZ,
        params.sharedMemBytes,
        params.kernelParams,
        NULL,
    };
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_first(&room, nodeParams);
    return set(hNode, &said);
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_launch(&room, nodeParams);
    return set(hNode, &said);
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    struct facade_node *node = NULL;
    CUresult result = find_to_ask(hNode, cudaGraphNodeTypeMemcpy, nodeParams, &node);
    if (result != CUDA_SUCCESS || nodeParams == NULL)
        return result;
    const struct cudaMemcpy3DParms params = facade_work_copy(node->work);
    *nodeParams = facade_copy_to_driver_3d(&params);
    return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_copy(&room, nodeParams, NULL);
    return set(hNode, &said);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    struct facade_node *node = NULL;
    CUresult result = find_to_ask(hNode, cudaGraphNodeTypeMemset, nodeParams, &node);
    if (result != CUDA_SUCCESS || nodeParams == NULL)
        return result;
    const struct cudaMemsetParams params = facade_work_fill(node->work);
    *nodeParams = (CUDA_MEMSET_NODE_PARAMS){
        (uintptr_t)params.dst, params.pitch, params.value,
        params.elementSize,    params.width, params.height,
    };
    return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_fill(&room, nodeParams, NULL);
    return set(hNode, &said);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct facade_node *node = NULL;
    CUresult result = find_to_ask(hNode, cudaGraphNodeTypeHost, nodeParams, &node);
    if (result != CUDA_SUCCESS || nodeParams == NULL)
        return result;
    const struct cudaHostNodeParams params = facade_work_host(node->work);
    *nodeParams = (CUDA_HOST_NODE_PARAMS){params.fn, params.userData};
    return CUDA_SUCCESS;
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_host(&room, nodeParams);
    return set(hNode, &said);
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    struct facade_node *node = NULL;
    CUresult result = find_to_ask(hNode, cudaGraphNodeTypeEventRecord, event_out, &node);
    if (result == CUDA_SUCCESS)
        *event_out = facade_work_event(node->work);
    return result;
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_record(&room, event);
    return set(hNode, &said);
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    struct facade_node *node = NULL;
    CUresult result = find_to_ask(hNode, cudaGraphNodeTypeWaitEvent, event_out, &node);
    if (result == CUDA_SUCCESS)
        *event_out = facade_work_event(node->work);
    return result;
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_wait(&room, event);
    return set(hNode, &said);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    struct facade_node *node = NULL;
    CUresult result = find_to_ask(hNode, cudaGraphNodeTypeGraph, phGraph, &node);
    if (result == CUDA_SUCCESS)
        *phGraph = (CUgraph)node->child;
    return result;
}

CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    const struct facade_node_said said = said_any(nodeParams);
    return set(hNode, &said);
}

/* --- of executable graphs --------------------------------------------------------------------- */

static CUresult set_in(CUgraphExec exec, CUgraphNode node, const struct facade_node_said *said)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_exec_set(exec, node, said)) : result;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_first(&room, nodeParams);
    return set_in(hGraphExec, hNode, &said);
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_launch(&room, nodeParams);
    return set_in(hGraphExec, hNode, &said);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_copy(&room, copyParams, ctx);
    return set_in(hGraphExec, hNode, &said);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_fill(&room, memsetParams, ctx);
    return set_in(hGraphExec, hNode, &said);
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_host(&room, nodeParams);
    return set_in(hGraphExec, hNode, &said);
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUevent event)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_record(&room, event);
    return set_in(hGraphExec, hNode, &said);
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said said = said_wait(&room, event);
    return set_in(hGraphExec, hNode, &said);
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUgraph childGraph)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_exec_set_child(hGraphExec, hNode, childGraph))
               : result;
}

CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                  CUgraphNodeParams *nodeParams)
{
    if (nodeParams != NULL && nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return cuGraphExecChildGraphNodeSetParams(hGraphExec, hNode, nodeParams->graph.graph);
    const struct facade_node_said said = said_any(nodeParams);
    return set_in(hGraphExec, hNode, &said);
}
