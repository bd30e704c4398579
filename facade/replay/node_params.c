/* What nodes of graphs are told to do, in all the forms in which calls say it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/replay/node_params.h"
#include "facade/code/launch_work.h"
#include "facade/graph/conditional.h"
#include "facade/memory/external_semaphore.h"
#include "facade/memory/memory_work.h"
#include "facade/stream/stream_work.h"

cudaError_t facade_work_of_bytes(void *target, const void *source, size_t bytes,
                                 enum cudaMemcpyKind kind, struct facade_work **work)
{
    const struct cudaMemcpy3DParms params = facade_copy_as_volume(target, source, bytes, kind);
    return facade_work_of_copy(&params, work);
}

cudaError_t facade_work_to_symbol(const void *symbol, const void *source, size_t bytes,
                                  size_t offset, enum cudaMemcpyKind kind,
                                  struct facade_work **work)
{
    void *part = NULL;
    cudaError_t error =
        facade_symbol_part(symbol, offset, bytes, kind, cudaMemcpyHostToDevice, &part);
    return error == cudaSuccess ? facade_work_of_bytes(part, source, bytes, kind, work) : error;
}

cudaError_t facade_work_from_symbol(void *target, const void *symbol, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, struct facade_work **work)
{
    void *part = NULL;
    cudaError_t error =
        facade_symbol_part(symbol, offset, bytes, kind, cudaMemcpyDeviceToHost, &part);
    return error == cudaSuccess ? facade_work_of_bytes(target, part, bytes, kind, work) : error;
}

static cudaError_t read_launch(const struct cudaKernelNodeParamsV2 *params,
                               struct facade_work **work)
{
    const struct cudaKernelNodeParams plain = {
        params->func,           params->gridDim,      params->blockDim,
        params->sharedMemBytes, params->kernelParams, params->extra,
    };
    return facade_work_of_launch(&plain, work);
}

static cudaError_t read_fill(const struct cudaMemsetParamsV2 *params, struct facade_work **work)
{
    const struct cudaMemsetParams plain = {
        params->dst,         params->pitch, params->value,
        params->elementSize, params->width, params->height,
    };
    return facade_work_of_fill(&plain, work);
}

static cudaError_t read_child(const struct cudaChildGraphNodeParams *params,
                              struct facade_graph **child)
{
    struct facade_graph *graph = NULL;
    cudaError_t error = facade_graph_find(params->graph, &graph);
    if (error == cudaSuccess && facade_graph_has_conditional(graph))
        error = cudaErrorNotSupported;
    if (error != cudaSuccess)
        return error;
    if (params->ownership == cudaGraphChildGraphOwnershipMove) {
        *child = graph;
        return graph->owner == NULL && !graph->is_capturing ? cudaSuccess : cudaErrorInvalidValue;
    }
    if (params->ownership != cudaGraphChildGraphOwnershipClone)
        return cudaErrorInvalidValue;
    error = facade_graph_check_copy(graph);
    if (error != cudaSuccess)
        return error;
    *child = facade_graph_clone(graph);
    return *child != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Signals have the same parameters. */
static cudaError_t read_semaphores(const struct cudaExternalSemaphoreWaitNodeParamsV2 *params,
                                   bool are_waits, struct facade_work **work)
{
    const struct facade_semaphores use = {params->extSemArray, params->paramsArray,
                                          params->numExtSems, are_waits};
    return facade_work_of_semaphores(&use, work);
}

static bool is_zero(const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    while (bytes > 0 && byte[bytes - 1] == 0)
        bytes--;
    return bytes == 0;
}

bool facade_node_params_reserve(const struct cudaGraphNodeParams *params)
{
    return params->reserved0[0] != 0 || params->reserved0[1] != 0 || params->reserved0[2] != 0 ||
           params->reserved2 != 0;
}

bool facade_node_params_are_of_memory(const struct cudaGraphNodeParams *params)
{
    return params != NULL && !facade_node_params_reserve(params) &&
           (params->type == cudaGraphNodeTypeMemAlloc || params->type == cudaGraphNodeTypeMemFree);
}

cudaError_t facade_node_params_read(const struct cudaGraphNodeParams *params,
                                    struct facade_work **work, struct facade_graph **child)
{
    *work = NULL;
    *child = NULL;
    if (params == NULL || facade_node_params_reserve(params))
        return cudaErrorInvalidValue;
    const struct cudaHostNodeParams host = {params->host.fn, params->host.userData};
    switch ((int)params->type) {
    case cudaGraphNodeTypeKernel:
        return read_launch(&params->kernel, work);
    case cudaGraphNodeTypeMemcpy:
        return params->memcpy.flags == 0 ? facade_work_of_copy(&params->memcpy.copyParams, work)
                                         : cudaErrorInvalidValue;
    case cudaGraphNodeTypeMemset:
        return read_fill(&params->memset, work);
    case cudaGraphNodeTypeHost:
        return facade_work_of_host(&host, work);
    case cudaGraphNodeTypeGraph:
        return read_child(&params->graph, child);
    case cudaGraphNodeTypeEmpty:
        return is_zero(params->reserved1, sizeof params->reserved1) ? cudaSuccess
                                                                    : cudaErrorInvalidValue;
    case cudaGraphNodeTypeWaitEvent:
        return facade_work_of_wait(params->eventWait.event, work);
    case cudaGraphNodeTypeEventRecord:
        return facade_work_of_record(params->eventRecord.event, work);
    case cudaGraphNodeTypeExtSemaphoreSignal:
        return read_semaphores(&params->extSemWait, false, work);
    case cudaGraphNodeTypeExtSemaphoreWait:
        return read_semaphores(&params->extSemWait, true, work);
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
    case cudaGraphNodeTypeConditional:
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
}
