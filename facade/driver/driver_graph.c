/* The driver API's graphs and stream capture. Both APIs' graphs and handles are the same.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/driver/driver_graph.h"
#include "facade/replay/graph_exec.h"
#include "facade/stream/stream.h"

/* --- stream capture --------------------------------------------------------------------------- */

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_stream_begin_capture(hStream, (int)mode))
               : result;
}

CUresult cuStreamBeginCapture(CUstream hStream)
{
    return cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                     const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_stream_begin_capture_to(hStream, hGraph, dependencies,
                                                                    facade_edges_of(dependencyData),
                                                                    numDependencies, (int)mode))
               : result;
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_stream_end_capture(hStream, phGraph))
                                  : result;
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                              const CUgraphEdgeData *dependencyData,
                                              size_t numDependencies, unsigned int flags)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_stream_depend(hStream, dependencies,
                                                          facade_edges_of(dependencyData),
                                                          numDependencies, flags))
               : result;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                           size_t numDependencies, unsigned int flags)
{
    return cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, NULL, numDependencies,
                                                flags);
}

/* --- graphs ----------------------------------------------------------------------------------- */

/* The end of each function that has nothing to do but to call what the runtime's function calls. A graph belongs to no
 * context: it is made, looked at and ended without one. */
#define CALL(call)                                                                                 \
    do {                                                                                           \
        CUresult checked = facade_driver_ready();                                                  \
        return checked == CUDA_SUCCESS ? facade_driver_error(call) : checked;                      \
    } while (0)

/* The same for what is done in the current context. */
#define CALL_IN_CONTEXT(call)                                                                      \
    do {                                                                                           \
        CUresult checked = facade_driver_check();                                                  \
        return checked == CUDA_SUCCESS ? facade_driver_error(call) : checked;                      \
    } while (0)

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    CALL(facade_graph_create(phGraph, flags));
}

CUresult cuGraphDestroy(CUgraph hGraph)
{
    CALL(facade_graph_destroy(hGraph));
}

CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    CALL(facade_graph_clone_to(phGraphClone, originalGraph));
}

CUresult cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode,
                                CUgraph hClonedGraph)
{
    CALL(facade_graph_find_in_clone(phNode, hOriginalNode, hClonedGraph));
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
    enum cudaGraphNodeType found = cudaGraphNodeTypeEmpty;
    CUresult result = facade_driver_ready();
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_node_type(hNode, type != NULL ? &found : NULL));
    if (result == CUDA_SUCCESS && type != NULL)
        *type = (CUgraphNodeType)found;
    return result;
}

CUresult cuGraphDestroyNode(CUgraphNode hNode)
{
    CALL(facade_node_destroy(hNode));
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    CALL(facade_graph_list_nodes(hGraph, nodes, numNodes, false));
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
    CALL(facade_graph_list_nodes(hGraph, rootNodes, numRootNodes, true));
}

static cudaGraphEdgeData *written_edges(CUgraphEdgeData *edges)
{
    return (cudaGraphEdgeData *)(void *)edges;
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edgeData, size_t *numEdges)
{
    CALL(facade_graph_list_edges(hGraph, from, to, written_edges(edgeData), numEdges));
}

CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
    return cuGraphGetEdges_v2(hGraph, from, to, NULL, numEdges);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                                       CUgraphEdgeData *edgeData, size_t *numDependencies)
{
    CALL(facade_node_list_neighbours(hNode, dependencies, written_edges(edgeData), numDependencies,
                                     false));
}

CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
                                    size_t *numDependencies)
{
    return cuGraphNodeGetDependencies_v2(hNode, dependencies, NULL, numDependencies);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                         CUgraphEdgeData *edgeData, size_t *numDependentNodes)
{
    CALL(facade_node_list_neighbours(hNode, dependentNodes, written_edges(edgeData),
                                     numDependentNodes, true));
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                      size_t *numDependentNodes)
{
    return cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, NULL, numDependentNodes);
}

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edgeData, size_t numDependencies)
{
    CALL(facade_graph_add_edges(hGraph, from, to, facade_edges_of(edgeData), numDependencies));
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t numDependencies)
{
    return cuGraphAddDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                      const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                      size_t numDependencies)
{
    CALL(facade_graph_remove_edges(hGraph, from, to, facade_edges_of(edgeData), numDependencies));
}

CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t numDependencies)
{
    return cuGraphRemoveDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

/* --- executable graphs ------------------------------------------------------------------------ */

/* Results of both APIs have the same numbers. */
_Static_assert((int)CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED ==
                   (int)cudaGraphInstantiateNodeOperationNotSupported,
               "");
_Static_assert((int)CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED ==
                   (int)cudaGraphExecUpdateErrorAttributesChanged,
               "");

CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                     unsigned long long flags)
{
    CALL_IN_CONTEXT(facade_exec_instantiate(phGraphExec, hGraph, flags));
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (instantiateParams == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cudaGraphInstantiateParams same = {.flags = instantiateParams->flags,
                                       .uploadStream = instantiateParams->hUploadStream};
    result = facade_driver_error(facade_exec_instantiate_with(phGraphExec, hGraph, &same));
    instantiateParams->hErrNode_out = same.errNode_out;
    instantiateParams->result_out = (CUgraphInstantiateResult)same.result_out;
    return result;
}

/* The first versions tell of an error in words as well, of which there are none here. */
CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
                               char *logBuffer, size_t bufferSize)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
    const CUresult result = cuGraphInstantiateWithParams(phGraphExec, hGraph, &params);
    if (phErrorNode != NULL)
        *phErrorNode = params.hErrNode_out;
    if (logBuffer != NULL && bufferSize > 0)
        logBuffer[0] = 0;
    return result;
}

CUresult cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
                            char *logBuffer, size_t bufferSize)
{
    return cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
    unsigned long long found = 0;
    CUresult result = facade_driver_ready();
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_exec_flags(hGraphExec, flags != NULL ? &found : NULL));
    if (result == CUDA_SUCCESS && flags != NULL)
        *flags = found;
    return result;
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
    CALL_IN_CONTEXT(facade_exec_upload(hGraphExec, hStream));
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    CALL_IN_CONTEXT(facade_exec_launch(hGraphExec, hStream));
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    CALL(facade_exec_destroy(hGraphExec));
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                              CUgraphExecUpdateResultInfo *resultInfo)
{
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateError};
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (resultInfo == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_exec_update(hGraphExec, hGraph, &info));
    *resultInfo = (CUgraphExecUpdateResultInfo){(CUgraphExecUpdateResult)info.result,
                                                info.errorNode, info.errorFromNode};
    return result;
}

CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                           CUgraphExecUpdateResult *updateResult_out)
{
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (hErrorNode_out == NULL || updateResult_out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = cuGraphExecUpdate_v2(hGraphExec, hGraph, &info);
    *hErrorNode_out = info.errorNode;
    *updateResult_out = info.result;
    return result;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled)
{
    CALL(facade_exec_set_enabled(hGraphExec, hNode, isEnabled));
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled)
{
    CALL(facade_exec_get_enabled(hGraphExec, hNode, isEnabled));
}
