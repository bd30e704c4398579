/* Operations of the driver API: graphs by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* names are symbols, and old versions have theirs */
#include "operation.h"

enum { WORDS = 64 };

static const char text[] = "kernel void add(global int *out, int by) { out[0] += by; }\n";

static int given = 4, result;
static _Atomic int calls;

static void count_call(void *data)
{
    (void)data;
    calls++;
}

enum kind {
    EMPTY,
    SET,
    COPY,
    KERNEL,
    OLD_KERNEL,
    BACK,
    HOST,
    CHILD,
    RECORD,
    WAIT,
    ANY,
    OLD_ANY,
    KINDS
};

struct making {
    CUdeviceptr memory;
    int by;
    void *arguments[2];
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUevent event;
    CUgraph graph, child, clone;
    CUgraphNode nodes[KINDS], cloned;
    CUDA_KERNEL_NODE_PARAMS_v1 first;
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUDA_MEMSET_NODE_PARAMS set;
    CUDA_MEMCPY3D copy, back;
    CUDA_HOST_NODE_PARAMS host;
    CUgraphNodeParams any;
};

static void fill_params(struct making *m)
{
    m->by = 2;
    m->arguments[0] = &m->memory;
    m->arguments[1] = &m->by;
    m->first = (CUDA_KERNEL_NODE_PARAMS_v1){m->function, 1, 1, 1, 1, 1, 1, 0, m->arguments, NULL};
    m->kernel =
        (CUDA_KERNEL_NODE_PARAMS){m->function, 1, 1, 1, 1, 1, 1, 0, m->arguments, NULL, NULL, NULL};
    m->set = (CUDA_MEMSET_NODE_PARAMS){m->memory, 0, 3, 4, WORDS, 1};
    m->copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                              .srcHost = &given,
                              .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                              .dstDevice = m->memory + 4,
                              .WidthInBytes = 4,
                              .Height = 1,
                              .Depth = 1};
    m->back = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                              .srcDevice = m->memory,
                              .dstMemoryType = CU_MEMORYTYPE_HOST,
                              .dstHost = &result,
                              .WidthInBytes = 4,
                              .Height = 1,
                              .Depth = 1};
    m->host = (CUDA_HOST_NODE_PARAMS){count_call, NULL};
    m->any = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMSET,
                                 .memset = {m->memory + 8, 0, 1, 1, 4, 1, m->context}};
}

/* Each behind the one before. */
static int add_nodes(struct making *m)
{
    CUgraphNode *n = m->nodes;
    int error = 0;
    TRY(cuGraphAddEmptyNode, &n[EMPTY], m->graph, NULL, 0);
    TRY(cuGraphAddMemsetNode, &n[SET], m->graph, &n[EMPTY], 1, &m->set, m->context);
    TRY(cuGraphAddMemcpyNode, &n[COPY], m->graph, &n[SET], 1, &m->copy, m->context);
    TRY(cuGraphAddKernelNode_v2, &n[KERNEL], m->graph, &n[COPY], 1, &m->kernel);
    TRY(cuGraphAddKernelNode, &n[OLD_KERNEL], m->graph, &n[KERNEL], 1, &m->first);
    TRY(cuGraphAddMemcpyNode, &n[BACK], m->graph, &n[OLD_KERNEL], 1, &m->back, m->context);
    TRY(cuGraphAddHostNode, &n[HOST], m->graph, &n[BACK], 1, &m->host);
    TRY(cuGraphAddChildGraphNode, &n[CHILD], m->graph, &n[HOST], 1, m->child);
    TRY(cuGraphAddEventRecordNode, &n[RECORD], m->graph, &n[CHILD], 1, m->event);
    TRY(cuGraphAddEventWaitNode, &n[WAIT], m->graph, &n[RECORD], 1, m->event);
    TRY(cuGraphAddNode_v2, &n[ANY], m->graph, &n[WAIT], NULL, 1, &m->any);
    TRY(cuGraphAddNode, &n[OLD_ANY], m->graph, &n[ANY], 1, &m->any);
    return error;
}

static int ask_nodes(struct making *m)
{
    CUgraphNode from[KINDS], to[KINDS];
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    size_t count = KINDS;
    int error = 0;
    TRY(cuGraphGetNodes, m->graph, from, &count);
    CHECK(count == KINDS);
    TRY(cuGraphGetRootNodes, m->graph, from, &count);
    CHECK(count == 1);
    count = KINDS;
    TRY(cuGraphGetEdges, m->graph, from, to, &count);
    TRY(cuGraphGetEdges_v2, m->graph, from, to, NULL, &count);
    CHECK(count == KINDS - 1);
    TRY(cuGraphNodeGetType, m->nodes[KERNEL], &type);
    CHECK(type == CU_GRAPH_NODE_TYPE_KERNEL);
    TRY(cuGraphNodeGetDependencies, m->nodes[KERNEL], from, &count);
    TRY(cuGraphNodeGetDependencies_v2, m->nodes[KERNEL], from, NULL, &count);
    CHECK(count == 1);
    TRY(cuGraphNodeGetDependentNodes, m->nodes[KERNEL], to, &count);
    TRY(cuGraphNodeGetDependentNodes_v2, m->nodes[KERNEL], to, NULL, &count);
    TRY(cuGraphAddDependencies, m->graph, &m->nodes[SET], &m->nodes[HOST], 1);
    TRY(cuGraphRemoveDependencies, m->graph, &m->nodes[SET], &m->nodes[HOST], 1);
    TRY(cuGraphAddDependencies_v2, m->graph, &m->nodes[SET], &m->nodes[HOST], NULL, 1);
    TRY(cuGraphRemoveDependencies_v2, m->graph, &m->nodes[SET], &m->nodes[HOST], NULL, 1);
    return error;
}

static int change_nodes(struct making *m)
{
    CUgraphNode *n = m->nodes;
    CUevent event = NULL;
    CUgraph child = NULL;
    int error = 0;
    TRY(cuGraphKernelNodeGetParams_v2, n[KERNEL], &m->kernel);
    TRY(cuGraphKernelNodeSetParams_v2, n[KERNEL], &m->kernel);
    TRY(cuGraphKernelNodeGetParams, n[OLD_KERNEL], &m->first);
    TRY(cuGraphKernelNodeSetParams, n[OLD_KERNEL], &m->first);
    TRY(cuGraphMemcpyNodeGetParams, n[COPY], &m->copy);
    TRY(cuGraphMemcpyNodeSetParams, n[COPY], &m->copy);
    TRY(cuGraphMemsetNodeGetParams, n[SET], &m->set);
    TRY(cuGraphMemsetNodeSetParams, n[SET], &m->set);
    TRY(cuGraphHostNodeGetParams, n[HOST], &m->host);
    TRY(cuGraphHostNodeSetParams, n[HOST], &m->host);
    TRY(cuGraphChildGraphNodeGetGraph, n[CHILD], &child);
    TRY(cuGraphEventRecordNodeGetEvent, n[RECORD], &event);
    CHECK(event == m->event && child != NULL);
    TRY(cuGraphEventRecordNodeSetEvent, n[RECORD], m->event);
    TRY(cuGraphEventWaitNodeGetEvent, n[WAIT], &event);
    TRY(cuGraphEventWaitNodeSetEvent, n[WAIT], m->event);
    TRY(cuGraphNodeSetParams, n[ANY], &m->any);
    fill_params(m); /* what a node told was its own until it was set */
    return error;
}

static int change_executable(struct making *m, CUgraphExec exec)
{
    CUgraphNode *n = m->nodes, differs = NULL;
    CUgraphExecUpdateResultInfo info;
    CUgraphExecUpdateResult told = CU_GRAPH_EXEC_UPDATE_ERROR;
    unsigned is_enabled = 0;
    int error = 0;
    TRY(cuGraphExecKernelNodeSetParams_v2, exec, n[KERNEL], &m->kernel);
    TRY(cuGraphExecKernelNodeSetParams, exec, n[OLD_KERNEL], &m->first);
    TRY(cuGraphExecMemcpyNodeSetParams, exec, n[COPY], &m->copy, m->context);
    TRY(cuGraphExecMemsetNodeSetParams, exec, n[SET], &m->set, m->context);
    TRY(cuGraphExecHostNodeSetParams, exec, n[HOST], &m->host);
    TRY(cuGraphExecChildGraphNodeSetParams, exec, n[CHILD], m->child);
    TRY(cuGraphExecEventRecordNodeSetEvent, exec, n[RECORD], m->event);
    TRY(cuGraphExecEventWaitNodeSetEvent, exec, n[WAIT], m->event);
    TRY(cuGraphExecNodeSetParams, exec, n[ANY], &m->any);
    TRY(cuGraphNodeSetEnabled, exec, n[SET], 0);
    TRY(cuGraphNodeGetEnabled, exec, n[SET], &is_enabled);
    CHECK(is_enabled == 0);
    TRY(cuGraphNodeSetEnabled, exec, n[SET], 1);
    TRY(cuGraphExecUpdate, exec, m->graph, &differs, &told);
    TRY(cuGraphExecUpdate_v2, exec, m->graph, &info);
    return error;
}

static int run_executable(CUgraphExec exec)
{
    int error = 0;
    calls = result = 0;
    TRY(cuGraphUpload, exec, NULL);
    TRY(cuGraphLaunch, exec, NULL);
    TRY(cuStreamSynchronize, NULL);
    CHECK(result == 3 + 2 * 2 && calls == 1);
    return error;
}

/* One of the ways to make it. */
static int use_executable(struct making *m, int way)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
    cuuint64_t flags = 1;
    CUgraphExec exec = NULL;
    CUgraphNode differs = NULL;
    int error = 0;
    if (way == 0)
        TRY(cuGraphInstantiateWithFlags, &exec, m->graph, 0);
    else if (way == 1)
        TRY(cuGraphInstantiateWithParams, &exec, m->graph, &params);
    else if (way == 2)
        TRY(cuGraphInstantiate_v2, &exec, m->graph, &differs, NULL, 0);
    else
        TRY(cuGraphInstantiate, &exec, m->graph, &differs, NULL, 0);
    TRY(cuGraphExecGetFlags, exec, &flags);
    if (error == 0 && way > 1)
        error = run_executable(exec);
    if (error == 0 && way == 0)
        error = change_executable(m, exec);
    if (error == 0 && way == 0)
        error = run_executable(exec);
    if (exec != NULL)
        END(cuGraphExecDestroy, exec);
    return error;
}

static int use_graph(struct making *m)
{
    int error = 0;
    TRY(cuEventCreate, &m->event, CU_EVENT_DISABLE_TIMING);
    TRY(cuGraphCreate, &m->child, 0);
    TRY(cuGraphAddMemsetNode, &m->cloned, m->child, NULL, 0, &m->set, m->context);
    TRY(cuGraphCreate, &m->graph, 0);
    if (error == 0)
        error = add_nodes(m);
    if (error == 0)
        error = ask_nodes(m);
    if (error == 0)
        error = change_nodes(m);
    TRY(cuGraphClone, &m->clone, m->graph);
    TRY(cuGraphNodeFindInClone, &m->cloned, m->nodes[KERNEL], m->clone);
    TRY(cuGraphDestroyNode, m->cloned);
    for (int way = 0; error == 0 && way < 4; way++)
        error = use_executable(m, way);
    return error;
}

static int begin(struct making *m)
{
    int error = 0;
    TRY(cuInit, 0);
    TRY(cudaFree, NULL); /* the primary context is current */
    TRY(cuCtxGetCurrent, &m->context);
    TRY(cuMemAlloc_v2, &m->memory, WORDS * sizeof(int));
    TRY(cuModuleLoadData, &m->module, text);
    TRY(cuModuleGetFunction, &m->function, m->module, "add");
    fill_params(m);
    return error;
}

int operation_driver_graphs(void)
{
    struct making m = {0};
    int error = begin(&m);
    if (error == 0)
        error = use_graph(&m);
    if (m.clone != NULL)
        END(cuGraphDestroy, m.clone);
    if (m.graph != NULL)
        END(cuGraphDestroy, m.graph);
    if (m.child != NULL)
        END(cuGraphDestroy, m.child);
    if (m.event != NULL)
        END(cuEventDestroy_v2, m.event);
    if (m.module != NULL)
        END(cuModuleUnload, m.module);
    if (m.memory != 0)
        END(cuMemFree_v2, m.memory);
    return error;
}
