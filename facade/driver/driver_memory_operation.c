/* The driver API's stream memory operations, and their nodes of graphs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"
#include "facade/driver/driver_graph.h"
#include "facade/memory/memory_operation.h"
#include "facade/replay/graph_exec.h"
#include "facade/replay/node_params.h"
#include "facade/stream/stream.h"

/* --- in streams ------------------------------------------------------------------------------- */

static CUresult operate(CUstream handle, unsigned count, const CUstreamBatchMemOpParams *params)
{
    struct facade_stream *stream = NULL;
    bool is_capturing = false;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    cudaError_t error = facade_stream_find_to_capture(handle, &stream, &is_capturing);
    if (error == cudaSuccess)
        error = facade_operate(stream, is_capturing, count, params);
    return facade_driver_error(error);
}

static CUresult wait(CUstream stream, CUstreamBatchMemOpType type, CUdeviceptr address,
                     cuuint64_t value, unsigned flags)
{
    CUstreamBatchMemOpParams params = {.waitValue = {.operation = type, .address = address}};
    if (type == CU_STREAM_MEM_OP_WAIT_VALUE_64)
        params.waitValue.value64 = value;
    else
        params.waitValue.value = (cuuint32_t)value;
    params.waitValue.flags = flags;
    return operate(stream, 1, &params);
}

static CUresult store(CUstream stream, CUstreamBatchMemOpType type, CUdeviceptr address,
                      cuuint64_t value, unsigned flags)
{
    CUstreamBatchMemOpParams params = {.writeValue = {.operation = type, .address = address}};
    if (type == CU_STREAM_MEM_OP_WRITE_VALUE_64)
        params.writeValue.value64 = value;
    else
        params.writeValue.value = (cuuint32_t)value;
    params.writeValue.flags = flags;
    return operate(stream, 1, &params);
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags)
{
    return wait(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value, flags);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags)
{
    return wait(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags)
{
    return store(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value, flags);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags)
{
    return store(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags);
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    if (flags != 0 || count > FACADE_MOST_OPERATIONS || (count > 0 && paramArray == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    return operate(stream, count, paramArray);
}

/* --- by their names of before CUDA 11.7 -------------------------------------------------------- */

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                             unsigned int flags)
{
    return cuStreamWaitValue32_v2(stream, addr, value, flags);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                             unsigned int flags)
{
    return cuStreamWaitValue64_v2(stream, addr, value, flags);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                              unsigned int flags)
{
    return cuStreamWriteValue32_v2(stream, addr, value, flags);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                              unsigned int flags)
{
    return cuStreamWriteValue64_v2(stream, addr, value, flags);
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count,
                            CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return cuStreamBatchMemOp_v2(stream, count, paramArray, flags);
}

/* --- nodes ------------------------------------------------------------------------------------ */

static struct facade_node_said said(CUgraphNodeParams *room,
                                    const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    room->type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    if (params != NULL)
        room->memOp = (CUDA_BATCH_MEM_OP_NODE_PARAMS_v2){params->ctx, params->count,
                                                         params->paramArray, params->flags};
    return (struct facade_node_said){FACADE_NODE_TYPE_OPERATIONS, params != NULL ? room : NULL,
                                     facade_driver_node_read};
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                  const CUgraphNode *dependencies, size_t numDependencies,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said what = said(&room, nodeParams);
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_node_add(phGraphNode, hGraph, dependencies, NULL,
                                                     numDependencies, &what))
               : result;
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out)
{
    struct facade_node *node = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    const cudaError_t error =
        facade_node_find_to_ask(hNode, FACADE_NODE_TYPE_OPERATIONS, nodeParams_out, &node);
    if (error != cudaSuccess)
        return facade_driver_error(error);
    nodeParams_out->paramArray = facade_work_operations(node->work, &nodeParams_out->count);
    nodeParams_out->ctx = (CUcontext)node->work->context;
    nodeParams_out->flags = 0;
    return CUDA_SUCCESS;
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said what = said(&room, nodeParams);
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_node_set(hNode, &what)) : result;
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    CUgraphNodeParams room = {0};
    const struct facade_node_said what = said(&room, nodeParams);
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_exec_set(hGraphExec, hNode, &what))
                                  : result;
}
