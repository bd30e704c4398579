/* The driver API's conditional nodes of graphs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver_graph.h"
#include "facade/graph/conditional.h"
#include "facade/state/handles.h"

/* NULL: the current one. */
static CUresult find_context(CUcontext handle, struct facade_context **context)
{
    if (handle == NULL)
        return facade_driver_error(facade_current(context));
    *context = facade_context_find(handle);
    return *context != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult facade_driver_conditional_add(CUgraphNode *added, CUgraph graph, const CUgraphNode *before,
                                       const CUgraphEdgeData *edges, size_t count,
                                       CUDA_CONDITIONAL_NODE_PARAMS *params)
{
    struct cudaConditionalNodeParams same = {
        .handle = params->handle,
        .type = (enum cudaGraphConditionalNodeType)params->type,
        .size = params->size,
    };
    struct facade_context *context = NULL;
    const CUresult result = find_context(params->ctx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    const cudaError_t error =
        facade_conditional_add(added, graph, before, facade_edges_of(edges), count, &same, context);
    if (error == cudaSuccess)
        params->phGraph_out = same.phGraph_out;
    return facade_driver_error(error);
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph,
                                        CUcontext ctx, unsigned int defaultLaunchValue,
                                        unsigned int flags)
{
    cudaGraphConditionalHandle handle = 0;
    struct facade_context *context = NULL;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result = find_context(ctx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    const cudaError_t error = facade_condition_create(pHandle_out != NULL ? &handle : NULL, hGraph,
                                                      context, defaultLaunchValue, flags);
    if (error == cudaSuccess && pHandle_out != NULL)
        *pHandle_out = handle;
    return facade_driver_error(error);
}
