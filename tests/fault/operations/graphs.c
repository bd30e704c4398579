/* Operations of the runtime and the driver API: graphs by hand, and graphs that streams capture.
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* names are symbols, and old versions have theirs */
#include "operation.h"

#include <crt/host_runtime_abi.h>

enum { WORDS = 64 };

static const char text[] = "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) DEVICE(int, factor, )\n"
                           "#include \"clem_symbols.h\"\n"
                           "kernel void add(global int *out, int by, CLEM_SYMBOLS_PARAMETERS)\n"
                           "{ out[0] += CLEM_DEVICE(factor) * by; }\n";

static struct {
    uint32_t magic, version;
    const void *code;
    const void *const *parts;
} wrapper = {0x466243b1, 1, text, NULL};

static const char add_stub = 1;
static char factor;
static int given = 4, read_factor, result;
static _Atomic int calls;

static void **register_code(void)
{
    char none[] = "";
    void **code = NOTE(__cudaRegisterFatBinary)(&wrapper);
    NOTE(__cudaRegisterFunction)
    (code, &add_stub, (char *)(uintptr_t) "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
    NOTE(__cudaRegisterVar)(code, &factor, none, "factor", 0, 4, 0, 0);
    NOTE(__cudaRegisterFatBinaryEnd)(code);
    return code;
}

static void count_call(void *data)
{
    (void)data;
    calls++;
}

/* ---- Nodes ---- */

enum kind {
    EMPTY,
    SET,
    COPY,
    TO_SYMBOL,
    KERNEL,
    FROM_SYMBOL,
    BACK,
    HOST,
    CHILD,
    RECORD,
    WAIT,
    ANY,
    KINDS
};

/* What the nodes of a graph are made of. */
struct making {
    int *memory;
    int by;
    void *arguments[2];
    cudaEvent_t event;
    cudaGraph_t graph, child, clone;
    cudaGraphNode_t nodes[KINDS], cloned;
    struct cudaKernelNodeParams kernel;
    struct cudaMemsetParams set;
    struct cudaMemcpy3DParms copy;
    struct cudaHostNodeParams host;
    struct cudaGraphNodeParams any;
};

static void fill_params(struct making *m)
{
    m->by = 2;
    m->arguments[0] = &m->memory;
    m->arguments[1] = &m->by;
    m->kernel = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)&add_stub,
                                              .gridDim = {1, 1, 1},
                                              .blockDim = {1, 1, 1},
                                              .kernelParams = m->arguments};
    m->set = (struct cudaMemsetParams){
        .dst = m->memory, .elementSize = 4, .height = 1, .value = 3, .width = WORDS};
    m->copy = (struct cudaMemcpy3DParms){.srcPtr = {&given, 4, 4, 1},
                                         .dstPtr = {m->memory + 1, 4, 4, 1},
                                         .extent = {4, 1, 1},
                                         .kind = cudaMemcpyHostToDevice};
    m->host = (struct cudaHostNodeParams){.fn = count_call};
    m->any = (struct cudaGraphNodeParams){
        .type = cudaGraphNodeTypeMemset,
        .memset = {.dst = m->memory + 2, .elementSize = 1, .height = 1, .value = 1, .width = 4}};
}

/* Each behind the one before. */
static int add_nodes(struct making *m)
{
    cudaGraphNode_t *n = m->nodes;
    int error = 0;
    TRY(cudaGraphAddEmptyNode, &n[EMPTY], m->graph, NULL, 0);
    TRY(cudaGraphAddMemsetNode, &n[SET], m->graph, &n[EMPTY], 1, &m->set);
    TRY(cudaGraphAddMemcpyNode, &n[COPY], m->graph, &n[SET], 1, &m->copy);
    TRY(cudaGraphAddMemcpyNodeToSymbol, &n[TO_SYMBOL], m->graph, &n[COPY], 1, &factor, &given, 4, 0,
        cudaMemcpyHostToDevice);
    TRY(cudaGraphAddKernelNode, &n[KERNEL], m->graph, &n[TO_SYMBOL], 1, &m->kernel);
    TRY(cudaGraphAddMemcpyNodeFromSymbol, &n[FROM_SYMBOL], m->graph, &n[KERNEL], 1, &read_factor,
        &factor, 4, 0, cudaMemcpyDeviceToHost);
    TRY(cudaGraphAddMemcpyNode1D, &n[BACK], m->graph, &n[FROM_SYMBOL], 1, &result, m->memory, 4,
        cudaMemcpyDeviceToHost);
    TRY(cudaGraphAddHostNode, &n[HOST], m->graph, &n[BACK], 1, &m->host);
    TRY(cudaGraphAddChildGraphNode, &n[CHILD], m->graph, &n[HOST], 1, m->child);
    TRY(cudaGraphAddEventRecordNode, &n[RECORD], m->graph, &n[CHILD], 1, m->event);
    TRY(cudaGraphAddEventWaitNode, &n[WAIT], m->graph, &n[RECORD], 1, m->event);
    TRY(cudaGraphAddNode, &n[ANY], m->graph, &n[WAIT], NULL, 1, &m->any);
    return error;
}

static int ask_nodes(struct making *m)
{
    cudaGraphNode_t from[KINDS], to[KINDS];
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    size_t count = KINDS;
    int error = 0;
    TRY(cudaGraphGetNodes, m->graph, from, &count);
    CHECK(count == KINDS);
    TRY(cudaGraphGetRootNodes, m->graph, from, &count);
    CHECK(count == 1);
    count = KINDS;
    TRY(cudaGraphGetEdges, m->graph, from, to, NULL, &count);
    CHECK(count == KINDS - 1);
    TRY(cudaGraphNodeGetType, m->nodes[KERNEL], &type);
    CHECK(type == cudaGraphNodeTypeKernel);
    TRY(cudaGraphNodeGetDependencies, m->nodes[KERNEL], from, NULL, &count);
    CHECK(count == 1);
    TRY(cudaGraphNodeGetDependentNodes, m->nodes[KERNEL], to, NULL, &count);
    TRY(cudaGraphAddDependencies, m->graph, &m->nodes[SET], &m->nodes[HOST], NULL, 1);
    TRY(cudaGraphRemoveDependencies, m->graph, &m->nodes[SET], &m->nodes[HOST], NULL, 1);
    return error;
}

static int change_nodes(struct making *m)
{
    cudaGraphNode_t *n = m->nodes;
    cudaEvent_t event = NULL;
    cudaGraph_t child = NULL;
    int error = 0;
    TRY(cudaGraphKernelNodeGetParams, n[KERNEL], &m->kernel);
    TRY(cudaGraphKernelNodeSetParams, n[KERNEL], &m->kernel);
    TRY(cudaGraphMemcpyNodeGetParams, n[COPY], &m->copy);
    TRY(cudaGraphMemcpyNodeSetParams, n[COPY], &m->copy);
    TRY(cudaGraphMemcpyNodeSetParamsToSymbol, n[TO_SYMBOL], &factor, &given, 4, 0,
        cudaMemcpyHostToDevice);
    TRY(cudaGraphMemcpyNodeSetParamsFromSymbol, n[FROM_SYMBOL], &read_factor, &factor, 4, 0,
        cudaMemcpyDeviceToHost);
    TRY(cudaGraphMemcpyNodeSetParams1D, n[BACK], &result, m->memory, 4, cudaMemcpyDeviceToHost);
    TRY(cudaGraphMemsetNodeGetParams, n[SET], &m->set);
    TRY(cudaGraphMemsetNodeSetParams, n[SET], &m->set);
    TRY(cudaGraphHostNodeGetParams, n[HOST], &m->host);
    TRY(cudaGraphHostNodeSetParams, n[HOST], &m->host);
    TRY(cudaGraphChildGraphNodeGetGraph, n[CHILD], &child);
    TRY(cudaGraphEventRecordNodeGetEvent, n[RECORD], &event);
    CHECK(event == m->event && child != NULL);
    TRY(cudaGraphEventRecordNodeSetEvent, n[RECORD], m->event);
    TRY(cudaGraphEventWaitNodeGetEvent, n[WAIT], &event);
    TRY(cudaGraphEventWaitNodeSetEvent, n[WAIT], m->event);
    TRY(cudaGraphNodeSetParams, n[ANY], &m->any);
    fill_params(m); /* what a node told was its own until it was set */
    return error;
}

/* ---- Executable graphs ---- */

static int change_executable(struct making *m, cudaGraphExec_t exec)
{
    cudaGraphNode_t *n = m->nodes;
    cudaGraphExecUpdateResultInfo info;
    unsigned is_enabled = 0;
    int error = 0;
    TRY(cudaGraphExecKernelNodeSetParams, exec, n[KERNEL], &m->kernel);
    TRY(cudaGraphExecMemcpyNodeSetParams, exec, n[COPY], &m->copy);
    TRY(cudaGraphExecMemcpyNodeSetParamsToSymbol, exec, n[TO_SYMBOL], &factor, &given, 4, 0,
        cudaMemcpyHostToDevice);
    TRY(cudaGraphExecMemcpyNodeSetParamsFromSymbol, exec, n[FROM_SYMBOL], &read_factor, &factor, 4,
        0, cudaMemcpyDeviceToHost);
    TRY(cudaGraphExecMemcpyNodeSetParams1D, exec, n[BACK], &result, m->memory, 4,
        cudaMemcpyDeviceToHost);
    TRY(cudaGraphExecMemsetNodeSetParams, exec, n[SET], &m->set);
    TRY(cudaGraphExecHostNodeSetParams, exec, n[HOST], &m->host);
    TRY(cudaGraphExecChildGraphNodeSetParams, exec, n[CHILD], m->child);
    TRY(cudaGraphExecEventRecordNodeSetEvent, exec, n[RECORD], m->event);
    TRY(cudaGraphExecEventWaitNodeSetEvent, exec, n[WAIT], m->event);
    TRY(cudaGraphExecNodeSetParams, exec, n[ANY], &m->any);
    TRY(cudaGraphNodeSetEnabled, exec, n[SET], 0);
    TRY(cudaGraphNodeGetEnabled, exec, n[SET], &is_enabled);
    CHECK(is_enabled == 0);
    TRY(cudaGraphNodeSetEnabled, exec, n[SET], 1);
    TRY(cudaGraphExecUpdate, exec, m->graph, &info);
    return error;
}

static int run_executable(cudaGraphExec_t exec)
{
    int error = 0;
    calls = 0;
    result = read_factor = 0;
    TRY(cudaGraphUpload, exec, NULL);
    TRY(cudaGraphLaunch, exec, NULL);
    TRY(cudaStreamSynchronize, NULL);
    CHECK(result == 3 + 4 * 2 && read_factor == 4 && calls == 1);
    return error;
}

/* One of the three ways to make it. */
static int use_executable(struct making *m, int way)
{
    cudaGraphInstantiateParams params = {0};
    unsigned long long flags = 1;
    cudaGraphExec_t exec = NULL;
    int error = 0;
    if (way == 0)
        TRY(cudaGraphInstantiate, &exec, m->graph, 0);
    else if (way == 1)
        TRY(cudaGraphInstantiateWithFlags, &exec, m->graph, 0);
    else
        TRY(cudaGraphInstantiateWithParams, &exec, m->graph, &params);
    TRY(cudaGraphExecGetFlags, exec, &flags);
    if (error == 0)
        error = run_executable(exec);
    if (error == 0)
        error = change_executable(m, exec);
    if (error == 0)
        error = run_executable(exec);
    if (exec != NULL)
        END(cudaGraphExecDestroy, exec);
    return error;
}

static int use_graph(struct making *m)
{
    int error = 0;
    fill_params(m);
    TRY(cudaEventCreateWithFlags, &m->event, cudaEventDisableTiming);
    TRY(cudaGraphCreate, &m->child, 0);
    TRY(cudaGraphAddMemsetNode, &m->cloned, m->child, NULL, 0, &m->set);
    TRY(cudaGraphCreate, &m->graph, 0);
    if (error == 0)
        error = add_nodes(m);
    if (error == 0)
        error = ask_nodes(m);
    if (error == 0)
        error = change_nodes(m);
    TRY(cudaGraphClone, &m->clone, m->graph);
    TRY(cudaGraphNodeFindInClone, &m->cloned, m->nodes[KERNEL], m->clone);
    TRY(cudaGraphDestroyNode, m->cloned);
    for (int way = 0; error == 0 && way < 3; way++)
        error = use_executable(m, way);
    return error;
}

int operation_graphs(void)
{
    struct making m = {0};
    void *memory = NULL, **code = register_code();
    int error = 0;
    TRY(cudaMalloc, &memory, WORDS * sizeof(int));
    m.memory = memory;
    if (error == 0)
        error = use_graph(&m);
    if (m.clone != NULL)
        END(cudaGraphDestroy, m.clone);
    if (m.graph != NULL)
        END(cudaGraphDestroy, m.graph);
    if (m.child != NULL)
        END(cudaGraphDestroy, m.child);
    if (m.event != NULL)
        END(cudaEventDestroy, m.event);
    NOTE(__cudaUnregisterFatBinary)(code);
    END(cudaFree, memory);
    return error;
}

/* ---- Captures ---- */

static int launch_captured(cudaGraph_t graph, const int *memory, int expected)
{
    cudaGraphExec_t exec = NULL;
    int value = 0, error = 0;
    TRY(cudaGraphInstantiate, &exec, graph, 0);
    TRY(cudaGraphLaunch, exec, NULL);
    TRY(cudaMemcpy, &value, memory, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == expected);
    if (exec != NULL)
        END(cudaGraphExecDestroy, exec);
    if (graph != NULL)
        END(cudaGraphDestroy, graph);
    return error;
}

/* A capture that began is ended, whatever failed: its graph is then one, or none. */
static int capture_sets(cudaStream_t stream, int *memory)
{
    cudaGraph_t graph = NULL;
    int error = 0;
    TRY(cudaStreamBeginCapture, stream, cudaStreamCaptureModeRelaxed);
    if (error != 0)
        return error;
    TRY(cudaMemsetAsync, memory, 1, 8, stream);
    TRY(cudaStreamUpdateCaptureDependencies, stream, NULL, NULL, 0,
        cudaStreamSetCaptureDependencies);
    TRY(cudaMemsetAsync, memory + 2, 2, 8, stream);
    END(cudaStreamEndCapture, stream, &graph);
    return fault_first(error, launch_captured(graph, memory, 0x01010101));
}

static int capture_into(cudaStream_t stream, int *memory)
{
    cudaGraph_t graph = NULL, same = NULL;
    int error = 0;
    TRY(cudaGraphCreate, &graph, 0);
    TRY(cudaStreamBeginCaptureToGraph, stream, graph, NULL, NULL, 0, cudaStreamCaptureModeRelaxed);
    if (error == 0) {
        TRY(cudaMemsetAsync, memory, 3, 8, stream);
        END(cudaStreamEndCapture, stream, &same);
    }
    CHECK(same == graph);
    return fault_first(error, launch_captured(graph, memory, 0x03030303));
}

static int capture_by_driver(CUstream stream, int *memory)
{
    CUgraph graph = NULL;
    int error = 0;
    TRY(cuStreamBeginCapture_v2, stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    if (error != 0)
        return error;
    TRY(cudaMemsetAsync, memory, 4, 8, (cudaStream_t)stream);
    TRY(cuStreamUpdateCaptureDependencies_v2, stream, NULL, NULL, 0,
        CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    END(cuStreamEndCapture, stream, &graph);
    return fault_first(error, launch_captured((cudaGraph_t)graph, memory, 0x04040404));
}

static int capture_by_old_driver(CUstream stream, int *memory)
{
    CUgraph graph = NULL;
    int error = 0;
    TRY(cuStreamBeginCapture, stream);
    if (error != 0)
        return error;
    TRY(cudaMemsetAsync, memory, 5, 8, (cudaStream_t)stream);
    TRY(cuStreamUpdateCaptureDependencies, stream, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    END(cuStreamEndCapture, stream, &graph);
    return fault_first(error, launch_captured((cudaGraph_t)graph, memory, 0x05050505));
}

static int capture_into_by_driver(CUstream stream, int *memory)
{
    cudaGraph_t graph = NULL;
    CUgraph same = NULL;
    int error = 0;
    TRY(cudaGraphCreate, &graph, 0);
    TRY(cuStreamBeginCaptureToGraph, stream, (CUgraph)graph, NULL, NULL, 0,
        CU_STREAM_CAPTURE_MODE_RELAXED);
    if (error == 0) {
        TRY(cudaMemsetAsync, memory, 6, 8, (cudaStream_t)stream);
        END(cuStreamEndCapture, stream, &same);
    }
    return fault_first(error, launch_captured(graph, memory, 0x06060606));
}

int operation_captures(void)
{
    cudaStream_t stream = NULL;
    void *memory = NULL;
    int error = 0;
    TRY(cudaMalloc, &memory, WORDS * sizeof(int));
    TRY(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    if (error == 0)
        error = capture_sets(stream, memory);
    if (error == 0)
        error = capture_into(stream, memory);
    if (error == 0)
        error = capture_by_driver((CUstream)stream, memory);
    if (error == 0)
        error = capture_by_old_driver((CUstream)stream, memory);
    if (error == 0)
        error = capture_into_by_driver((CUstream)stream, memory);
    if (stream != NULL)
        END(cudaStreamDestroy, stream);
    END(cudaFree, memory);
    return error;
}
