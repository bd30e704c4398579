/* The driver API's nodes that allocate and free memory, and what devices have of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/driver/driver_graph.h"
#include "facade/replay/graph_memory.h"

/* Both APIs' structures are the same bytes. */
_Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(struct cudaMemAllocNodeParams), "");
_Static_assert(offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, dptr) ==
                   offsetof(struct cudaMemAllocNodeParams, dptr),
               "");
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "");
_Static_assert((int)CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH == (int)cudaGraphMemAttrReservedMemHigh,
               "");

static struct cudaMemAllocNodeParams *params_of(CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    return (struct cudaMemAllocNodeParams *)(void *)params;
}

CUresult facade_driver_memory_add(CUgraphNode *added, CUgraph graph, const CUgraphNode *before,
                                  const CUgraphEdgeData *edges, size_t count,
                                  CUgraphNodeParams *params)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (params->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        return facade_driver_error(facade_graph_add_free(added, graph, before,
                                                         facade_edges_of(edges), count,
                                                         (void *)(uintptr_t)params->free.dptr));
    struct cudaMemAllocNodeParams *same = (struct cudaMemAllocNodeParams *)(void *)&params->alloc;
    return facade_driver_error(
        facade_graph_add_allocation(added, graph, before, facade_edges_of(edges), count, same));
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                const CUgraphNode *dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graph_add_allocation(phGraphNode, hGraph, dependencies,
                                                                 NULL, numDependencies,
                                                                 params_of(nodeParams)))
               : result;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graph_allocation_of(hNode, params_of(params_out)))
               : result;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                               const CUgraphNode *dependencies, size_t numDependencies,
                               CUdeviceptr dptr)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_graph_add_free(phGraphNode, hGraph, dependencies, NULL,
                                                           numDependencies,
                                                           (void *)(uintptr_t)dptr))
               : result;
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
    void *pointer = NULL;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result =
            facade_driver_error(facade_graph_free_of(hNode, dptr_out != NULL ? &pointer : NULL));
    if (result == CUDA_SUCCESS && dptr_out != NULL)
        *dptr_out = (uintptr_t)pointer;
    return result;
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_graph_memory_trim(device)) : result;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_graph_memory_get(
                                        device, (enum cudaGraphMemAttributeType)attr, value))
                                  : result;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_graph_memory_set(
                                        device, (enum cudaGraphMemAttributeType)attr, value))
                                  : result;
}
