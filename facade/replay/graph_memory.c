/* Nodes of graphs that allocate and free memory, and what devices have of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/replay/graph_memory.h"

#include <string.h>

#include "cl/fixed_memory.h"
#include "facade/device/device.h"
#include "facade/memory/graph_block.h"

/* --- nodes ------------------------------------------------------------------------------------- */

/* Takes the reference to work. */
static cudaError_t add(cudaGraphNode_t *added, struct facade_graph *graph, struct facade_work *work,
                       const cudaGraphNode_t *before, size_t count)
{
    struct facade_node *node = facade_graph_add(graph, work->kind->type, work, NULL, before, count);
    if (node == NULL) {
        facade_work_let_go(work);
        return cudaErrorMemoryAllocation;
    }
    *added = (cudaGraphNode_t)node;
    return cudaSuccess;
}

cudaError_t facade_graph_add_allocation(cudaGraphNode_t *added, cudaGraph_t handle,
                                        const cudaGraphNode_t *before,
                                        const cudaGraphEdgeData *edges, size_t count,
                                        struct cudaMemAllocNodeParams *params)
{
    struct facade_graph *graph = NULL;
    struct facade_work *work = NULL;
    void *pointer = NULL;
    cudaError_t error = facade_graph_check_place(added, handle, before, edges, count, &graph);
    if (error == cudaSuccess)
        error = facade_work_of_allocation(graph, before, count, params, &work, &pointer);
    if (error == cudaSuccess)
        error = add(added, graph, work, before, count);
    if (error == cudaSuccess)
        params->dptr = pointer;
    return error;
}

cudaError_t facade_graph_add_free(cudaGraphNode_t *added, cudaGraph_t handle,
                                  const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                                  size_t count, void *pointer)
{
    struct facade_graph *graph = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = facade_graph_check_place(added, handle, before, edges, count, &graph);
    if (error == cudaSuccess)
        error = facade_work_of_free(graph, pointer, &work);
    return error == cudaSuccess ? add(added, graph, work, before, count) : error;
}

static cudaError_t find_to_ask(cudaGraphNode_t handle, enum cudaGraphNodeType type,
                               const void *result, struct facade_node **node)
{
    cudaError_t error = facade_node_find(handle, node);
    return error == cudaSuccess && (*node)->type == type && result != NULL ? cudaSuccess
                                                                           : cudaErrorInvalidValue;
}

cudaError_t facade_graph_allocation_of(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params)
{
    struct facade_node *found = NULL;
    cudaError_t error = find_to_ask(node, cudaGraphNodeTypeMemAlloc, params, &found);
    if (error == cudaSuccess)
        *params = facade_work_allocation(found->work);
    return error;
}

cudaError_t facade_graph_free_of(cudaGraphNode_t node, void **pointer)
{
    struct facade_node *found = NULL;
    cudaError_t error = find_to_ask(node, cudaGraphNodeTypeMemFree, pointer, &found);
    if (error == cudaSuccess)
        *pointer = facade_work_freed(found->work);
    return error;
}

/* --- what devices have ------------------------------------------------------------------------- */

static const enum ocl_fixed_attribute attributes[] = {
    [cudaGraphMemAttrUsedMemCurrent] = OCL_FIXED_USED,
    [cudaGraphMemAttrUsedMemHigh] = OCL_FIXED_USED_HIGH,
    [cudaGraphMemAttrReservedMemCurrent] = OCL_FIXED_RESERVED,
    [cudaGraphMemAttrReservedMemHigh] = OCL_FIXED_RESERVED_HIGH,
};

static bool is_attribute(enum cudaGraphMemAttributeType attribute)
{
    return (size_t)attribute < sizeof attributes / sizeof attributes[0];
}

cudaError_t facade_graph_memory_get(int device, enum cudaGraphMemAttributeType attribute,
                                    void *value)
{
    cudaError_t error = facade_device_check(device);
    if (error != cudaSuccess)
        return error;
    if (!is_attribute(attribute) || value == NULL)
        return cudaErrorInvalidValue;
    const uint64_t bytes = ocl_fixed_get(device, attributes[attribute]);
    memcpy(value, &bytes, sizeof bytes);
    return cudaSuccess;
}

cudaError_t facade_graph_memory_set(int device, enum cudaGraphMemAttributeType attribute,
                                    const void *value)
{
    uint64_t bytes = 0;
    cudaError_t error = facade_device_check(device);
    if (error != cudaSuccess)
        return error;
    if (value == NULL ||
        (attribute != cudaGraphMemAttrUsedMemHigh && attribute != cudaGraphMemAttrReservedMemHigh))
        return cudaErrorInvalidValue;
    memcpy(&bytes, value, sizeof bytes);
    if (bytes != 0)
        return cudaErrorInvalidValue;
    ocl_fixed_reset(device, attributes[attribute]);
    return cudaSuccess;
}

cudaError_t facade_graph_memory_trim(int device)
{
    cudaError_t error = facade_device_check(device);
    if (error == cudaSuccess)
        ocl_fixed_trim(device);
    return error;
}

/* --- entry points ------------------------------------------------------------------------------ */

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     struct cudaMemAllocNodeParams *nodeParams)
{
    return facade_result(facade_graph_add_allocation(pGraphNode, graph, pDependencies, NULL,
                                                     numDependencies, nodeParams));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *params_out)
{
    return facade_result(facade_graph_allocation_of(node, params_out));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                    void *dptr)
{
    return facade_result(
        facade_graph_add_free(pGraphNode, graph, pDependencies, NULL, numDependencies, dptr));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out)
{
    return facade_result(facade_graph_free_of(node, dptr_out));
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return facade_result(facade_graph_memory_trim(device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    return facade_result(facade_graph_memory_get(device, attr, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    return facade_result(facade_graph_memory_set(device, attr, value));
}
