/* Semantics of graphs that are instantiated, launched and updated.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"
#include "graphs.h"

static void nothing(void *unused)
{
    (void)unused;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
    cudaGraphExec_t exec = NULL;
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

void case_graph_exec_instantiate(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec = NULL;
    int *p = device_block(4096);
    CALL(cudaGraphInstantiate(NULL, graph, 0));
    CALL(cudaGraphInstantiate(&exec, NULL, 0));
    CALL_AS(cudaGraphInstantiate(&exec, graph, 0), "a graph of nothing");
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaStreamSynchronize(NULL));
    add_store(graph, NULL, p, 3);
    static const unsigned flags[] = {0, 1, 2, 3, 8, 9, 16, 0x80000000u};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        unsigned long long got = 77;
        exec = NULL;
        CALL_AS(cudaGraphInstantiateWithFlags(&exec, graph, flags[i]), "flags %u", flags[i]);
        if (exec == NULL)
            continue;
        CALL_AS(cudaGraphExecGetFlags(exec, &got), "flags %u: get", flags[i]);
        VALUE((long long)got, "flags %u: value", flags[i]);
        CALL_AS(cudaGraphExecGetFlags(exec, NULL), "flags %u: get to NULL", flags[i]);
        CALL_AS(cudaGraphExecDestroy(exec), "flags %u: destroy", flags[i]);
    }
    CALL(cudaGraphExecDestroy(NULL));
    cudaGraphInstantiateParams params;
    memset(&params, 0, sizeof params);
    CALL(cudaGraphInstantiateWithParams(NULL, graph, &params));
    CALL(cudaGraphInstantiateWithParams(&exec, NULL, &params));
    CALL(cudaGraphInstantiateWithParams(&exec, graph, NULL));
    CALL(cudaGraphInstantiateWithParams(&exec, graph, &params));
    VALUE(params.result_out, "result");
    VALUE(params.errNode_out == NULL, "no node is to blame");
    params.flags = 64;
    CALL_AS(cudaGraphInstantiateWithParams(&exec, graph, &params), "params with flag 64");
    VALUE(params.result_out, "result with flag 64");
    params.flags = cudaGraphInstantiateFlagUpload;
    params.uploadStream = NULL;
    CALL_AS(cudaGraphInstantiateWithParams(&exec, graph, &params), "upload to the default stream");
    VALUE(params.result_out, "result of the upload");
}

void case_graph_exec_circles(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec = NULL;
    cudaGraphNode_t a = NULL;
    cudaGraphNode_t b = NULL;
    cudaGraphInstantiateParams params;
    REQUIRE(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
    REQUIRE(cudaGraphAddEmptyNode(&b, graph, &a, 1));
    CALL(cudaGraphAddDependencies(graph, &b, &a, NULL, 1));
    record_nodes("circle", graph);
    record_edges("circle", graph);
    CALL_AS(cudaGraphInstantiate(&exec, graph, 0), "circle");
    memset(&params, 0, sizeof params);
    CALL_AS(cudaGraphInstantiateWithParams(&exec, graph, &params), "circle with params");
    VALUE(params.result_out, "result");
    cudaGraph_t clone = NULL;
    CALL(cudaGraphClone(&clone, graph));
}

void case_graph_exec_launch(void)
{
    cudaGraph_t graph = new_graph();
    int *p = device_block(4096);
    cudaStream_t s = NULL;
    cudaGraphNode_t node = add_store(graph, NULL, p, 3);
    cudaGraphExec_t exec = instantiate(graph);
    REQUIRE(cudaStreamCreate(&s));
    CALL(cudaGraphLaunch(NULL, s));
    CALL(cudaGraphUpload(NULL, s));
    CALL(cudaGraphUpload(exec, s));
    CALL(cudaGraphUpload(exec, cudaStreamLegacy));
    CALL(cudaGraphLaunch(exec, s));
    CALL(cudaGraphLaunch(exec, cudaStreamPerThread));
    CALL(cudaGraphLaunch(exec, cudaStreamLegacy));
    CALL(cudaDeviceSynchronize());
    VALUE(read_int(p), "stored");
    write_int(p, 0);
    add_store(graph, &node, p, 4);
    CALL_AS(cudaGraphLaunch(exec, s), "after the graph has grown");
    CALL(cudaStreamSynchronize(s));
    VALUE(read_int(p), "stored by the old nodes");
    CALL_AS(cudaGraphDestroy(graph), "destroy the graph");
    write_int(p, 0);
    CALL_AS(cudaGraphLaunch(exec, s), "after the graph is gone");
    CALL(cudaStreamSynchronize(s));
    VALUE(read_int(p), "stored after the graph is gone");
    spin_prepare();
    REQUIRE(spin_start(s, SPIN_MS));
    write_int(p + 1, 0);
    CALL_AS(cudaGraphLaunch(exec, s), "behind work");
    VALUE(spin_is_over(), "launch waited");
    CALL_AS(cudaGraphExecDestroy(exec), "destroy in flight");
    VALUE(spin_is_over(), "destroy waited");
    CALL(cudaStreamSynchronize(s));
    CALL(cudaStreamDestroy(s));
}

void case_graph_exec_enable(void)
{
    cudaGraph_t graph = new_graph();
    int *p = device_block(4096);
    cudaGraphNode_t node = add_store(graph, NULL, p, 3);
    cudaGraphNode_t empty = NULL;
    cudaGraphNode_t host = NULL;
    cudaGraphNode_t fill = NULL;
    const struct cudaHostNodeParams function = {.fn = nothing};
    const struct cudaMemsetParams zeros = {
        .dst = p + 8, .value = 1, .elementSize = 4, .width = 1, .height = 1};
    unsigned enabled = 77;
    REQUIRE(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    REQUIRE(cudaGraphAddHostNode(&host, graph, NULL, 0, &function));
    REQUIRE(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &zeros));
    cudaGraphExec_t exec = instantiate(graph);
    CALL(cudaGraphNodeGetEnabled(exec, node, &enabled));
    VALUE(enabled, "at first");
    CALL(cudaGraphNodeGetEnabled(exec, node, NULL));
    CALL(cudaGraphNodeGetEnabled(NULL, node, &enabled));
    CALL(cudaGraphNodeGetEnabled(exec, NULL, &enabled));
    CALL(cudaGraphNodeGetEnabled(exec, empty, &enabled));
    CALL(cudaGraphNodeGetEnabled(exec, host, &enabled));
    CALL(cudaGraphNodeGetEnabled(exec, fill, &enabled));
    CALL(cudaGraphNodeSetEnabled(exec, empty, 0));
    CALL(cudaGraphNodeSetEnabled(exec, host, 0));
    CALL(cudaGraphNodeSetEnabled(exec, node, 0));
    CALL(cudaGraphNodeGetEnabled(exec, node, &enabled));
    VALUE(enabled, "disabled");
    CALL(cudaGraphLaunch(exec, NULL));
    VALUE(read_int(p), "not stored");
    CALL(cudaGraphNodeSetEnabled(exec, node, 5));
    CALL(cudaGraphNodeGetEnabled(exec, node, &enabled));
    VALUE(enabled, "enabled by 5");
    CALL(cudaGraphLaunch(exec, NULL));
    VALUE(read_int(p), "stored");
    CALL(cudaGraphNodeSetEnabled(NULL, node, 1));
    CALL(cudaGraphNodeSetEnabled(exec, NULL, 1));
    cudaGraphNode_t late = add_store(graph, NULL, p, 4);
    CALL(cudaGraphNodeSetEnabled(exec, late, 1));
}

void case_graph_exec_set(void)
{
    cudaGraph_t graph = new_graph();
    int *p = device_block(4096);
    int *q = device_block(4096);
    char *pinned = pinned_block(4096);
    int value = 11;
    void *arguments[] = {&q, &value};
    cudaGraphNode_t node = add_store(graph, NULL, p, 3);
    cudaGraphNode_t copy = NULL;
    cudaGraphNode_t fill = NULL;
    cudaGraphNode_t host = NULL;
    const struct cudaHostNodeParams function = {.fn = nothing};
    struct cudaMemsetParams ones = {
        .dst = p + 8, .value = 1, .elementSize = 4, .width = 1, .height = 1};
    REQUIRE(
        cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, p + 64, p + 128, 64, cudaMemcpyDefault));
    REQUIRE(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &ones));
    REQUIRE(cudaGraphAddHostNode(&host, graph, NULL, 0, &function));
    cudaGraphExec_t exec = instantiate(graph);
    struct cudaKernelNodeParams params = kernel_params(KERNEL_STORE, arguments);
    CALL(cudaGraphExecKernelNodeSetParams(NULL, node, &params));
    CALL(cudaGraphExecKernelNodeSetParams(exec, NULL, &params));
    CALL(cudaGraphExecKernelNodeSetParams(exec, node, NULL));
    CALL(cudaGraphExecKernelNodeSetParams(exec, copy, &params));
    params.gridDim.x = 0;
    CALL_AS(cudaGraphExecKernelNodeSetParams(exec, node, &params), "grid 0");
    params = kernel_params(KERNEL_STORE, arguments);
    CALL(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    CALL(cudaGraphLaunch(exec, NULL));
    VALUE(read_int(q), "stored elsewhere");
    VALUE(read_int(p), "not stored here");
    params = kernel_params(KERNEL_NOOP, NULL);
    CALL_AS(cudaGraphExecKernelNodeSetParams(exec, node, &params), "another function");
    CALL(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, q, p, 64, cudaMemcpyDefault));
    CALL(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, q, p, 0, cudaMemcpyDefault));
    CALL(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, q, pinned, 64, cudaMemcpyDefault));
    CALL(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, pinned, q, 64, cudaMemcpyDefault));
    CALL(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, NULL, q, 64, cudaMemcpyDefault));
    CALL(cudaGraphExecMemcpyNodeSetParams1D(exec, node, q, p, 64, cudaMemcpyDefault));
    CALL(cudaGraphExecMemcpyNodeSetParams1D(NULL, copy, q, p, 64, cudaMemcpyDefault));
    CALL(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, q, p, 128, cudaMemcpyDefault));
    CALL(cudaGraphExecMemcpyNodeSetParams(exec, copy, NULL));
    ones.dst = q;
    CALL(cudaGraphExecMemsetNodeSetParams(exec, fill, &ones));
    CALL(cudaGraphExecMemsetNodeSetParams(exec, fill, NULL));
    CALL(cudaGraphExecMemsetNodeSetParams(exec, node, &ones));
    ones.width = 2;
    CALL_AS(cudaGraphExecMemsetNodeSetParams(exec, fill, &ones), "another width");
    ones.width = 1;
    ones.height = 2;
    ones.pitch = 64;
    CALL_AS(cudaGraphExecMemsetNodeSetParams(exec, fill, &ones), "another height");
    ones.height = 1;
    ones.elementSize = 1;
    CALL_AS(cudaGraphExecMemsetNodeSetParams(exec, fill, &ones), "another element");
    ones.elementSize = 3;
    CALL_AS(cudaGraphExecMemsetNodeSetParams(exec, fill, &ones), "elements of 3");
    ones.elementSize = 4;
    ones.dst = pinned;
    CALL_AS(cudaGraphExecMemsetNodeSetParams(exec, fill, &ones), "pinned memory");
    ones.dst = NULL;
    CALL_AS(cudaGraphExecMemsetNodeSetParams(exec, fill, &ones), "no memory");
    CALL(cudaGraphExecHostNodeSetParams(exec, host, &function));
    CALL(cudaGraphExecHostNodeSetParams(exec, host, NULL));
    CALL(cudaGraphExecHostNodeSetParams(exec, node, &function));
    const struct cudaHostNodeParams none = {0};
    CALL(cudaGraphExecHostNodeSetParams(exec, host, &none));
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaStreamSynchronize(NULL));
    CALL_AS(cudaGraphDestroyNode(node), "destroy the node of the graph");
    params = kernel_params(KERNEL_STORE, arguments);
    CALL_AS(cudaGraphExecKernelNodeSetParams(exec, node, &params), "set a node that is gone");
}

static void record_update(const char *name, cudaGraphExec_t exec, cudaGraph_t graph)
{
    cudaGraphExecUpdateResultInfo info;
    memset(&info, 0, sizeof info);
    CALL_AS(cudaGraphExecUpdate(exec, graph, &info), "%s: update", name);
    VALUE(info.result, "%s: result", name);
    VALUE(info.errorNode != NULL, "%s: a node is to blame", name);
    VALUE(info.errorFromNode != NULL, "%s: an edge is to blame", name);
}

void case_graph_exec_update(void)
{
    cudaGraph_t graph = new_graph();
    int *p = device_block(4096);
    int *q = device_block(4096);
    char *pinned = pinned_block(4096);
    cudaGraphNode_t first = add_store(graph, NULL, p, 3);
    add_store(graph, &first, p + 1, 4);
    cudaGraphExec_t exec = instantiate(graph);
    cudaGraphExecUpdateResultInfo info;
    CALL(cudaGraphExecUpdate(NULL, graph, &info));
    CALL(cudaGraphExecUpdate(exec, NULL, &info));
    CALL(cudaGraphExecUpdate(exec, graph, NULL));
    record_update("itself", exec, graph);
    cudaGraph_t alike = new_graph();
    first = add_store(alike, NULL, q, 5);
    cudaGraphNode_t second = add_store(alike, &first, q + 1, 6);
    record_update("alike", exec, alike);
    CALL(cudaGraphLaunch(exec, NULL));
    VALUE(read_int(q), "stored by the new nodes");
    VALUE(read_int(q + 1), "stored by the second");
    cudaGraphNode_t third = add_store(alike, NULL, q + 2, 6);
    record_update("one node more", exec, alike);
    REQUIRE(cudaGraphDestroyNode(third));
    REQUIRE(cudaGraphRemoveDependencies(alike, &first, &second, NULL, 1));
    record_update("one edge less", exec, alike);
    REQUIRE(cudaGraphDestroyNode(second));
    record_update("one node less", exec, alike);
    REQUIRE(cudaGraphAddEmptyNode(&second, alike, &first, 1));
    record_update("another kind", exec, alike);
    cudaGraph_t other = new_graph();
    void *arguments[] = {NULL};
    struct cudaKernelNodeParams noop = kernel_params(KERNEL_NOOP, arguments);
    cudaGraphNode_t node = NULL;
    REQUIRE(cudaGraphAddKernelNode(&node, other, NULL, 0, &noop));
    add_store(other, &node, q, 9);
    record_update("another function", exec, other);
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaStreamSynchronize(NULL));
    VALUE(read_int(q), "stored after refused updates");

    cudaGraph_t copies = new_graph();
    REQUIRE(cudaGraphAddMemcpyNode1D(&node, copies, NULL, 0, p, q, 64, cudaMemcpyDefault));
    exec = instantiate(copies);
    REQUIRE(cudaGraphMemcpyNodeSetParams1D(node, p, q, 128, cudaMemcpyDefault));
    record_update("copy of another size", exec, copies);
    REQUIRE(cudaGraphMemcpyNodeSetParams1D(node, p, pinned, 64, cudaMemcpyDefault));
    record_update("copy from pinned", exec, copies);
    REQUIRE(cudaGraphMemcpyNodeSetParams1D(node, pinned, p, 64, cudaMemcpyDefault));
    record_update("copy to pinned", exec, copies);
    REQUIRE(cudaGraphMemcpyNodeSetParams1D(node, p, q, 64, cudaMemcpyDeviceToDevice));
    record_update("copy of another word", exec, copies);

    cudaGraph_t fills = new_graph();
    struct cudaMemsetParams fill = {
        .dst = p, .value = 1, .elementSize = 4, .width = 4, .height = 1};
    REQUIRE(cudaGraphAddMemsetNode(&node, fills, NULL, 0, &fill));
    exec = instantiate(fills);
    fill.width = 8;
    REQUIRE(cudaGraphMemsetNodeSetParams(node, &fill));
    record_update("fill of another width", exec, fills);
    fill.value = 2;
    fill.width = 4;
    REQUIRE(cudaGraphMemsetNodeSetParams(node, &fill));
    record_update("fill of another value", exec, fills);
    fill.elementSize = 2;
    REQUIRE(cudaGraphMemsetNodeSetParams(node, &fill));
    record_update("fill of other elements", exec, fills);
    fill.height = 2;
    fill.pitch = 64;
    REQUIRE(cudaGraphMemsetNodeSetParams(node, &fill));
    record_update("fill of two rows", exec, fills);
}

void case_graph_exec_update_of_others(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraph_t child = new_graph();
    cudaGraph_t larger = new_graph();
    int *p = device_block(4096);
    cudaGraphNode_t node = NULL;
    add_store(child, NULL, p, 1);
    add_store(larger, NULL, p, 1);
    add_store(larger, NULL, p + 1, 1);
    REQUIRE(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    cudaGraphExec_t exec = instantiate(graph);
    CALL(cudaGraphExecChildGraphNodeSetParams(exec, node, child));
    CALL(cudaGraphExecChildGraphNodeSetParams(exec, node, larger));
    CALL(cudaGraphExecChildGraphNodeSetParams(exec, node, NULL));
    CALL(cudaGraphExecChildGraphNodeSetParams(NULL, node, child));
    cudaGraph_t with_larger = new_graph();
    REQUIRE(cudaGraphAddChildGraphNode(&node, with_larger, NULL, 0, larger));
    record_update("a larger child", exec, with_larger);

    cudaEvent_t event = NULL;
    cudaEvent_t other = NULL;
    REQUIRE(cudaEventCreate(&event));
    REQUIRE(cudaEventCreate(&other));
    cudaGraph_t events = new_graph();
    cudaGraphNode_t record = NULL;
    cudaGraphNode_t wait = NULL;
    REQUIRE(cudaGraphAddEventRecordNode(&record, events, NULL, 0, event));
    REQUIRE(cudaGraphAddEventWaitNode(&wait, events, &record, 1, event));
    exec = instantiate(events);
    CALL(cudaGraphExecEventRecordNodeSetEvent(exec, record, other));
    CALL(cudaGraphExecEventRecordNodeSetEvent(exec, record, NULL));
    CALL(cudaGraphExecEventRecordNodeSetEvent(exec, wait, other));
    CALL(cudaGraphExecEventWaitNodeSetEvent(exec, wait, other));
    CALL(cudaGraphExecEventWaitNodeSetEvent(exec, record, other));
    REQUIRE(cudaGraphEventRecordNodeSetEvent(record, other));
    record_update("another event", exec, events);
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaStreamSynchronize(NULL));
    CALL(cudaEventQuery(other));
}

/* What a graph has done as a whole: nodes that add digits, in the order of their edges. */
void case_graph_exec_order(void)
{
    cudaGraph_t graph = new_graph();
    enum { ELEMENTS = 64 };
    int *p = device_block(4096);
    int n = ELEMENTS;
    int one = 1;
    void *arguments[] = {&p, &n, &one};
    struct cudaKernelNodeParams add = kernel_params(KERNEL_ADD, arguments);
    cudaGraphNode_t fill = NULL;
    cudaGraphNode_t node = NULL;
    cudaGraphNode_t copy = NULL;
    const struct cudaMemsetParams tens = {
        .dst = p, .value = 10, .elementSize = 4, .width = ELEMENTS, .height = 1};
    add.blockDim.x = ELEMENTS;
    REQUIRE(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &tens));
    REQUIRE(cudaGraphAddKernelNode(&node, graph, &fill, 1, &add));
    REQUIRE(cudaGraphAddMemcpyNode1D(&copy, graph, &node, 1, p + ELEMENTS, p,
                                     sizeof(int) * ELEMENTS, cudaMemcpyDeviceToDevice));
    cudaGraphExec_t exec = instantiate(graph);
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaStreamSynchronize(NULL));
    VALUE(read_int(p), "first");
    VALUE(read_int(p + ELEMENTS - 1), "last");
    VALUE(read_int(p + ELEMENTS), "first copied");
    VALUE(read_int(p + 2 * ELEMENTS - 1), "last copied");
}
