/* Operations of both APIs: attributes of kernel nodes, graphs as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

static const char text[] = "kernel void add(global int *out, int by) { out[0] += by; }\n";

static int use_runtime(cudaGraph_t graph, CUfunction function, CUdeviceptr memory)
{
    int by = 1, error = 0;
    void *arguments[] = {&memory, &by};
    const struct cudaKernelNodeParams params = {.func = (void *)function,
                                                .gridDim = {1, 1, 1},
                                                .blockDim = {1, 1, 1},
                                                .kernelParams = arguments};
    cudaGraphNode_t node = NULL, other = NULL;
    cudaLaunchAttributeValue value;
    memset(&value, 0, sizeof value);
    value.priority = -1;
    TRY(cudaGraphAddKernelNode, &node, graph, NULL, 0, &params);
    TRY(cudaGraphAddKernelNode, &other, graph, NULL, 0, &params);
    TRY(cudaGraphKernelNodeSetAttribute, node, cudaLaunchAttributePriority, &value);
    TRY(cudaGraphKernelNodeCopyAttributes, other, node);
    value.priority = 0;
    TRY(cudaGraphKernelNodeGetAttribute, other, cudaLaunchAttributePriority, &value);
    CHECK(value.priority == -1);
    TRY(cudaGraphDebugDotPrint, graph, "/dev/null", cudaGraphDebugDotFlagsVerbose);
    return error;
}

static int use_driver(CUgraph graph, CUgraphNode *nodes)
{
    size_t count = 2;
    int error = 0;
    CUkernelNodeAttrValue value;
    memset(&value, 0, sizeof value);
    value.priority = -2;
    TRY(cuGraphGetNodes, graph, nodes, &count);
    TRY(cuGraphKernelNodeSetAttribute, nodes[0], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value);
    TRY(cuGraphKernelNodeCopyAttributes, nodes[1], nodes[0]);
    value.priority = 0;
    TRY(cuGraphKernelNodeGetAttribute, nodes[1], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value);
    CHECK(value.priority == -2);
    TRY(cuGraphDebugDotPrint, graph, "/dev/null", CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
    return error;
}

int operation_graph_texts(void)
{
    CUcontext context = NULL;
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    cudaGraph_t graph = NULL;
    CUgraphNode nodes[2] = {NULL};
    int error = 0;
    TRY(cuInit, 0);
    TRY(cuDevicePrimaryCtxRetain, &context, 0);
    if (error != 0)
        return error;
    TRY(cuCtxSetCurrent, context);
    TRY(cuModuleLoadData, &module, text);
    TRY(cuModuleGetFunction, &function, module, "add");
    TRY(cuMemAlloc_v2, &memory, 64);
    TRY(cudaGraphCreate, &graph, 0);
    if (error == 0)
        error = use_runtime(graph, function, memory);
    if (error == 0)
        error = use_driver((CUgraph)graph, nodes);
    if (graph != NULL)
        END(cudaGraphDestroy, graph);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    if (module != NULL)
        END(cuModuleUnload, module);
    END(cuDevicePrimaryCtxRelease_v2, 0);
    return error;
}
