/* Semantics of graphs that are built node by node.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"
#include "graphs.h"

static void nothing(void *unused)
{
    (void)unused;
}

void case_graph_create(void)
{
    cudaGraph_t graph = NULL;
    make_runtime_context();
    CALL(cudaGraphCreate(NULL, 0));
    CALL(cudaGraphCreate(&graph, 1));
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphDestroy(NULL));
    CALL(cudaGraphDestroy(graph));
    CALL_AS(cudaGraphCreate(&graph, 0), "before there is a stream");
    CALL(cudaGraphDestroy(graph));
}

void case_graph_empty_node(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraph_t other = new_graph();
    cudaGraphNode_t node = NULL;
    cudaGraphNode_t last = NULL;
    cudaGraphNode_t foreign = NULL;
    cudaGraphNode_t pair[2];
    enum cudaGraphNodeType type;
    CALL(cudaGraphAddEmptyNode(NULL, graph, NULL, 0));
    CALL(cudaGraphAddEmptyNode(&node, NULL, NULL, 0));
    CALL(cudaGraphAddEmptyNode(&node, graph, NULL, 1));
    CALL(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    CALL_AS(cudaGraphAddEmptyNode(&last, graph, &node, 0), "dependencies without a number");
    REQUIRE(cudaGraphAddEmptyNode(&foreign, other, NULL, 0));
    pair[0] = node;
    pair[1] = foreign;
    CALL_AS(cudaGraphAddEmptyNode(&last, graph, pair, 2), "dependency of another graph");
    pair[1] = node;
    CALL_AS(cudaGraphAddEmptyNode(&last, graph, pair, 2), "dependency twice");
    pair[1] = NULL;
    CALL_AS(cudaGraphAddEmptyNode(&last, graph, pair, 2), "dependency NULL");
    CALL(cudaGraphNodeGetType(node, &type));
    VALUE(type, "type");
    CALL(cudaGraphNodeGetType(node, NULL));
    CALL(cudaGraphNodeGetType(NULL, &type));
    record_nodes("graph", graph);
    CALL(cudaGraphDestroyNode(NULL));
    CALL(cudaGraphDestroyNode(node));
    record_nodes("after one is gone", graph);
}

void case_graph_kernel_node(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    int *p = device_block(4096);
    int value = 7;
    void *arguments[] = {&p, &value};
    struct cudaKernelNodeParams params = kernel_params(KERNEL_STORE, arguments);
    struct cudaKernelNodeParams got;
    CALL(cudaGraphAddKernelNode(NULL, graph, NULL, 0, &params));
    CALL(cudaGraphAddKernelNode(&node, NULL, NULL, 0, &params));
    CALL(cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL));
    params.func = NULL;
    CALL_AS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), "function NULL");
    params = kernel_params(KERNEL_STORE, arguments);
    params.gridDim.x = 0;
    CALL_AS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), "grid 0");
    params = kernel_params(KERNEL_STORE, arguments);
    params.blockDim.x = 0;
    CALL_AS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), "block 0");
    params.blockDim.x = 2048;
    CALL_AS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), "block 2048");
    params = kernel_params(KERNEL_STORE, arguments);
    params.gridDim.y = 65536;
    CALL_AS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), "grid y 65536");
    params = kernel_params(KERNEL_STORE, arguments);
    params.sharedMemBytes = 1u << 30;
    CALL_AS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), "shared 1 GiB");
    params = kernel_params(KERNEL_STORE, NULL);
    CALL_AS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), "no arguments");
    void *extra[] = {CU_LAUNCH_PARAM_END};
    params = kernel_params(KERNEL_STORE, arguments);
    params.extra = extra;
    CALL_AS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), "arguments and extra");
    params = kernel_params(KERNEL_STORE, arguments);
    CALL(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    value = 9;
    memset(&got, 0, sizeof got);
    CALL(cudaGraphKernelNodeGetParams(node, NULL));
    CALL(cudaGraphKernelNodeGetParams(NULL, &got));
    CALL(cudaGraphKernelNodeGetParams(node, &got));
    VALUE(got.func == params.func, "function");
    VALUE(got.gridDim.x + 10 * got.gridDim.y + 100 * got.gridDim.z, "grid");
    VALUE(got.blockDim.x + 10 * got.blockDim.y + 100 * got.blockDim.z, "block");
    VALUE(got.sharedMemBytes, "shared bytes");
    VALUE(got.kernelParams != NULL, "has arguments");
    VALUE(got.extra != NULL, "has extra");
    if (got.kernelParams != NULL)
        VALUE(*(int *)got.kernelParams[1], "value of the second argument");
    record_launch("graph", graph);
    VALUE(read_int(p), "stored");
    CALL(cudaGraphKernelNodeSetParams(node, NULL));
    CALL(cudaGraphKernelNodeSetParams(NULL, &params));
    params.gridDim.x = 0;
    CALL_AS(cudaGraphKernelNodeSetParams(node, &params), "set grid 0");
    params = kernel_params(KERNEL_STORE, arguments);
    CALL_AS(cudaGraphKernelNodeSetParams(node, &params), "set");
    record_launch("set", graph);
    VALUE(read_int(p), "stored then");
}

void case_graph_kernel_attributes(void)
{
    cudaGraph_t graph = new_graph();
    int *p = device_block(4096);
    cudaGraphNode_t node = add_store(graph, NULL, p, 1);
    cudaGraphNode_t other = add_store(graph, NULL, p, 1);
    cudaGraphNode_t empty = NULL;
    cudaKernelNodeAttrValue value;
    REQUIRE(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    memset(&value, 0, sizeof value);
    CALL(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value));
    VALUE(value.priority, "priority");
    CALL(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value));
    VALUE(value.cooperative, "cooperative");
    CALL(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, NULL));
    CALL(cudaGraphKernelNodeGetAttribute(NULL, cudaLaunchAttributePriority, &value));
    CALL(cudaGraphKernelNodeGetAttribute(empty, cudaLaunchAttributePriority, &value));
    CALL(cudaGraphKernelNodeGetAttribute(node, (cudaLaunchAttributeID)99, &value));
    CALL(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeIgnore, &value));
    value.priority = -1;
    CALL(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value));
    CALL(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, NULL));
    CALL(cudaGraphKernelNodeSetAttribute(empty, cudaLaunchAttributePriority, &value));
    CALL(cudaGraphKernelNodeSetAttribute(node, (cudaLaunchAttributeID)99, &value));
    value.priority = 5;
    CALL(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value));
    VALUE(value.priority, "priority -1");
    CALL(cudaGraphKernelNodeCopyAttributes(other, node));
    CALL(cudaGraphKernelNodeCopyAttributes(empty, node));
    CALL(cudaGraphKernelNodeCopyAttributes(NULL, node));
    CALL(cudaGraphKernelNodeCopyAttributes(other, NULL));
    value.priority = 5;
    CALL(cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributePriority, &value));
    VALUE(value.priority, "priority copied");
    memset(&value, 0, sizeof value);
    value.cooperative = 1;
    CALL(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &value));
    memset(&value, 0, sizeof value);
    CALL(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value));
    VALUE(value.cooperative, "cooperative set");
    memset(&value, 0, sizeof value);
    value.clusterDim.x = value.clusterDim.y = value.clusterDim.z = 1;
    CALL(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    memset(&value, 0, sizeof value);
    CALL(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    VALUE(value.accessPolicyWindow.num_bytes, "window bytes");
}

void case_graph_copy_node(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    char *from = device_block(4096);
    char *to = device_block(4096);
    char *pinned = pinned_block(4096);
    static char pageable[4096];
    struct cudaMemcpy3DParms copy;
    CALL(cudaGraphAddMemcpyNode1D(NULL, graph, NULL, 0, to, from, 64, cudaMemcpyDefault));
    CALL(cudaGraphAddMemcpyNode1D(&node, NULL, NULL, 0, to, from, 64, cudaMemcpyDefault));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, NULL, from, 64, cudaMemcpyDefault));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, NULL, 64, cudaMemcpyDefault));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, from, 0, cudaMemcpyDefault));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, from, 64, (enum cudaMemcpyKind)9));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, from, 1u << 30, cudaMemcpyDefault));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, from, 64, cudaMemcpyHostToDevice));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, pinned, 64, cudaMemcpyDeviceToDevice));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, pinned, 64, cudaMemcpyHostToDevice));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, pageable, 64, cudaMemcpyHostToDevice));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, pageable, to, 64, cudaMemcpyDefault));
    memset(&copy, 0, sizeof copy);
    CALL(cudaGraphMemcpyNodeGetParams(node, &copy));
    VALUE(copy.srcPtr.ptr == to, "source");
    VALUE(copy.dstPtr.ptr == pageable, "destination");
    VALUE(copy.extent.width, "width");
    VALUE(copy.extent.height, "height");
    VALUE(copy.extent.depth, "depth");
    VALUE(copy.srcPtr.pitch, "source pitch");
    VALUE(copy.srcPtr.xsize, "source xsize");
    VALUE(copy.srcPtr.ysize, "source ysize");
    VALUE(copy.kind, "kind");
    CALL(cudaGraphMemcpyNodeGetParams(node, NULL));
    CALL(cudaGraphMemcpyNodeSetParams(node, NULL));
    CALL(cudaGraphMemcpyNodeSetParams(node, &copy));
    CALL(cudaGraphMemcpyNodeSetParams1D(node, to, from, 64, cudaMemcpyDefault));
    CALL(cudaGraphMemcpyNodeSetParams1D(node, to, from, 0, cudaMemcpyDefault));
    CALL(cudaGraphMemcpyNodeSetParams1D(node, NULL, from, 64, cudaMemcpyDefault));
    CALL(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, NULL));
    copy.extent = make_extent(16, 4, 1);
    copy.srcPtr = make_pitched(from, 32, 16, 4);
    copy.dstPtr = make_pitched(to, 16, 16, 4);
    copy.kind = cudaMemcpyDeviceToDevice;
    CALL_AS(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy), "rectangle");
    copy.srcPtr.pitch = 8;
    CALL_AS(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy), "pitch below width");
    copy.srcPtr.pitch = 32;
    copy.extent = make_extent(0, 4, 1);
    CALL_AS(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy), "width 0");
    copy.extent = make_extent(16, 4, 1);
    copy.srcPtr.ptr = NULL;
    CALL_AS(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy), "no source");
    record_nodes("graph", graph);
}

void case_graph_fill_node(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    char *to = device_block(4096);
    static char pageable[4096];
    const struct cudaMemsetParams good = {
        .dst = to, .pitch = 0, .value = 0x102, .elementSize = 2, .width = 8, .height = 1};
    struct cudaMemsetParams fill = good;
    struct cudaMemsetParams got;
    CALL(cudaGraphAddMemsetNode(NULL, graph, NULL, 0, &fill));
    CALL(cudaGraphAddMemsetNode(&node, NULL, NULL, 0, &fill));
    CALL(cudaGraphAddMemsetNode(&node, graph, NULL, 0, NULL));
    static const unsigned sizes[] = {0, 1, 2, 3, 4, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fill.elementSize = sizes[i];
        CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "elements of %u", sizes[i]);
    }
    fill = good;
    fill.width = 0;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "width 0");
    fill = good;
    fill.height = 0;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "height 0");
    fill = good;
    fill.dst = NULL;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "destination NULL");
    fill.dst = pageable;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "destination pageable");
    fill.dst = to + 1;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "destination odd");
    fill = good;
    fill.height = 4;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "pitch 0, 4 rows");
    fill.pitch = 17;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "pitch 17, 4 rows");
    fill.pitch = 8;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "pitch below width");
    fill.pitch = 32;
    fill.height = 10000;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "beyond the memory");
    fill.height = 4;
    CALL_AS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), "4 rows");
    memset(&got, 0, sizeof got);
    CALL(cudaGraphMemsetNodeGetParams(node, &got));
    VALUE(got.dst == to, "destination");
    VALUE(got.pitch, "pitch");
    VALUE(got.value, "value");
    VALUE(got.elementSize, "element bytes");
    VALUE(got.width, "width");
    VALUE(got.height, "height");
    CALL(cudaGraphMemsetNodeGetParams(node, NULL));
    CALL(cudaGraphMemsetNodeSetParams(node, NULL));
    CALL(cudaGraphMemsetNodeSetParams(node, &good));
    fill = good;
    fill.elementSize = 3;
    CALL_AS(cudaGraphMemsetNodeSetParams(node, &fill), "set elements of 3");
    record_launch("graph", graph);
    VALUE(read_int(to), "filled");
}

void case_graph_host_node(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    struct cudaHostNodeParams params = {.fn = nothing, .userData = &graph};
    struct cudaHostNodeParams got = {0};
    CALL(cudaGraphAddHostNode(NULL, graph, NULL, 0, &params));
    CALL(cudaGraphAddHostNode(&node, NULL, NULL, 0, &params));
    CALL(cudaGraphAddHostNode(&node, graph, NULL, 0, NULL));
    params.fn = NULL;
    CALL_AS(cudaGraphAddHostNode(&node, graph, NULL, 0, &params), "function NULL");
    params.fn = nothing;
    CALL(cudaGraphAddHostNode(&node, graph, NULL, 0, &params));
    CALL(cudaGraphHostNodeGetParams(node, &got));
    VALUE(got.fn == nothing, "function");
    VALUE(got.userData == &graph, "data");
    CALL(cudaGraphHostNodeGetParams(node, NULL));
    CALL(cudaGraphHostNodeSetParams(node, &params));
    CALL(cudaGraphHostNodeSetParams(node, NULL));
    params.fn = NULL;
    CALL_AS(cudaGraphHostNodeSetParams(node, &params), "set function NULL");
    record_launch("graph", graph);
}

void case_graph_child_node(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraph_t child = new_graph();
    cudaGraph_t got = NULL;
    cudaGraphNode_t node = NULL;
    int *p = device_block(4096);
    add_store(child, NULL, p, 4);
    CALL(cudaGraphAddChildGraphNode(NULL, graph, NULL, 0, child));
    CALL(cudaGraphAddChildGraphNode(&node, NULL, NULL, 0, child));
    CALL(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, NULL));
    CALL_AS(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, graph), "itself");
    CALL(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    CALL(cudaGraphChildGraphNodeGetGraph(node, NULL));
    CALL(cudaGraphChildGraphNodeGetGraph(NULL, &got));
    CALL(cudaGraphChildGraphNodeGetGraph(node, &got));
    VALUE(got != NULL && got != child, "the child is a copy");
    record_nodes("child", got);
    add_store(got, NULL, p + 1, 5);
    record_nodes("child with one more", got);
    record_nodes("the graph it was made of", child);
    CALL_AS(cudaGraphDestroy(got), "destroy the copy");
    record_launch("graph", graph);
    VALUE(read_int(p), "stored by the child");
    VALUE(read_int(p + 1), "stored by what was added to it");
}

void case_graph_event_nodes(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t record = NULL;
    cudaGraphNode_t wait = NULL;
    cudaEvent_t event = NULL;
    cudaEvent_t got = NULL;
    cudaEvent_t other = NULL;
    REQUIRE(cudaEventCreate(&event));
    REQUIRE(cudaEventCreate(&other));
    CALL(cudaGraphAddEventRecordNode(NULL, graph, NULL, 0, event));
    CALL(cudaGraphAddEventRecordNode(&record, NULL, NULL, 0, event));
    CALL(cudaGraphAddEventRecordNode(&record, graph, NULL, 0, NULL));
    CALL(cudaGraphAddEventRecordNode(&record, graph, NULL, 0, event));
    CALL(cudaGraphAddEventWaitNode(NULL, graph, NULL, 0, event));
    CALL(cudaGraphAddEventWaitNode(&wait, NULL, NULL, 0, event));
    CALL(cudaGraphAddEventWaitNode(&wait, graph, NULL, 0, NULL));
    CALL(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    CALL(cudaGraphEventRecordNodeGetEvent(record, &got));
    VALUE(got == event, "event");
    CALL(cudaGraphEventRecordNodeGetEvent(record, NULL));
    CALL(cudaGraphEventRecordNodeGetEvent(wait, &got));
    CALL(cudaGraphEventWaitNodeGetEvent(wait, &got));
    CALL(cudaGraphEventWaitNodeGetEvent(record, &got));
    CALL(cudaGraphEventRecordNodeSetEvent(record, other));
    CALL(cudaGraphEventRecordNodeSetEvent(record, NULL));
    CALL(cudaGraphEventRecordNodeSetEvent(wait, other));
    CALL(cudaGraphEventWaitNodeSetEvent(wait, other));
    CALL(cudaGraphEventWaitNodeSetEvent(wait, NULL));
    record_launch("graph", graph);
    CALL(cudaEventQuery(event));
    CALL(cudaEventQuery(other));
}

/* Each getter is asked of a node of each kind. */
void case_graph_kinds_of_nodes(void)
{
    cudaGraph_t graph = new_graph();
    int *p = device_block(4096);
    enum { KINDS = 5 };
    static const char *const names[KINDS] = {"kernel", "copy", "fill", "host", "empty"};
    cudaGraphNode_t nodes[KINDS];
    const struct cudaMemsetParams fill = {
        .dst = p, .value = 1, .elementSize = 1, .width = 8, .height = 1};
    const struct cudaHostNodeParams host = {.fn = nothing};
    nodes[0] = add_store(graph, NULL, p, 1);
    REQUIRE(cudaGraphAddMemcpyNode1D(&nodes[1], graph, NULL, 0, p, p + 64, 64, cudaMemcpyDefault));
    REQUIRE(cudaGraphAddMemsetNode(&nodes[2], graph, NULL, 0, &fill));
    REQUIRE(cudaGraphAddHostNode(&nodes[3], graph, NULL, 0, &host));
    REQUIRE(cudaGraphAddEmptyNode(&nodes[4], graph, NULL, 0));
    for (int i = 0; i < KINDS; i++) {
        struct cudaKernelNodeParams kernel_got;
        struct cudaMemcpy3DParms copy_got;
        struct cudaMemsetParams fill_got;
        struct cudaHostNodeParams host_got;
        cudaGraph_t child;
        cudaEvent_t event;
        enum cudaGraphNodeType type;
        CALL_AS(cudaGraphNodeGetType(nodes[i], &type), "%s: type", names[i]);
        VALUE(type, "%s: value of type", names[i]);
        CALL_AS(cudaGraphKernelNodeGetParams(nodes[i], &kernel_got), "%s: as a kernel", names[i]);
        CALL_AS(cudaGraphMemcpyNodeGetParams(nodes[i], &copy_got), "%s: as a copy", names[i]);
        CALL_AS(cudaGraphMemsetNodeGetParams(nodes[i], &fill_got), "%s: as a fill", names[i]);
        CALL_AS(cudaGraphHostNodeGetParams(nodes[i], &host_got), "%s: as a function", names[i]);
        CALL_AS(cudaGraphChildGraphNodeGetGraph(nodes[i], &child), "%s: as a child", names[i]);
        CALL_AS(cudaGraphEventRecordNodeGetEvent(nodes[i], &event), "%s: as a record", names[i]);
        CALL_AS(cudaGraphEventWaitNodeGetEvent(nodes[i], &event), "%s: as a wait", names[i]);
        CALL_AS(cudaGraphMemsetNodeSetParams(nodes[i], &fill), "%s: set as a fill", names[i]);
        CALL_AS(cudaGraphHostNodeSetParams(nodes[i], &host), "%s: set as a function", names[i]);
    }
}

void case_graph_dependencies(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraph_t other = new_graph();
    cudaGraphNode_t a = NULL;
    cudaGraphNode_t b = NULL;
    cudaGraphNode_t c = NULL;
    cudaGraphNode_t foreign = NULL;
    REQUIRE(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
    REQUIRE(cudaGraphAddEmptyNode(&b, graph, NULL, 0));
    REQUIRE(cudaGraphAddEmptyNode(&c, graph, NULL, 0));
    REQUIRE(cudaGraphAddEmptyNode(&foreign, other, NULL, 0));
    CALL(cudaGraphAddDependencies(NULL, &a, &b, NULL, 1));
    CALL(cudaGraphAddDependencies(graph, NULL, &b, NULL, 1));
    CALL(cudaGraphAddDependencies(graph, &a, NULL, NULL, 1));
    CALL(cudaGraphAddDependencies(graph, NULL, NULL, NULL, 0));
    CALL(cudaGraphAddDependencies(graph, &a, &foreign, NULL, 1));
    CALL(cudaGraphAddDependencies(graph, &foreign, &a, NULL, 1));
    CALL(cudaGraphAddDependencies(graph, &a, &b, NULL, 1));
    CALL_AS(cudaGraphAddDependencies(graph, &a, &b, NULL, 1), "again");
    record_edges("one edge", graph);
    CALL_AS(cudaGraphAddDependencies(graph, &a, &a, NULL, 1), "itself");
    record_edges("after itself", graph);
    CALL(cudaGraphAddDependencies(graph, &b, &c, NULL, 1));
    const cudaGraphNode_t froms[2] = {a, b};
    const cudaGraphNode_t tos[2] = {c, a};
    CALL_AS(cudaGraphAddDependencies(graph, froms, tos, NULL, 2), "a good one and a circle");
    record_edges("after a circle", graph);
    CALL(cudaGraphRemoveDependencies(graph, &a, &c, NULL, 1));
    CALL_AS(cudaGraphRemoveDependencies(graph, &a, &c, NULL, 1), "remove again");
    CALL(cudaGraphRemoveDependencies(graph, &c, &a, NULL, 1));
    CALL(cudaGraphRemoveDependencies(graph, &a, &foreign, NULL, 1));
    CALL(cudaGraphRemoveDependencies(graph, NULL, NULL, NULL, 0));
    CALL(cudaGraphRemoveDependencies(graph, NULL, &c, NULL, 1));
    record_edges("at the end", graph);
    size_t count = 77;
    cudaGraphNode_t list[8];
    memset(list, 0x55, sizeof list);
    CALL(cudaGraphGetEdges(graph, NULL, NULL, NULL, NULL));
    CALL(cudaGraphGetEdges(graph, list, NULL, NULL, &count));
    CALL(cudaGraphGetNodes(graph, NULL, NULL));
    CALL(cudaGraphGetNodes(NULL, NULL, &count));
    count = 5;
    CALL(cudaGraphGetNodes(graph, list, &count));
    VALUE(count, "number of nodes");
    VALUE(list[3] == NULL, "the fourth is NULL");
    VALUE(list[4] == NULL, "the fifth is NULL");
    VALUE(list[5] == NULL, "the sixth is NULL");
    count = 2;
    CALL_AS(cudaGraphGetNodes(graph, list, &count), "two of three");
    VALUE(count, "number of two");
    count = 0;
    CALL_AS(cudaGraphGetNodes(graph, list, &count), "none of three");
    VALUE(count, "number of none");
    CALL(cudaGraphNodeGetDependencies(b, NULL, NULL, &count));
    VALUE(count, "b depends on");
    CALL(cudaGraphNodeGetDependentNodes(b, NULL, NULL, &count));
    VALUE(count, "on b depend");
    CALL(cudaGraphNodeGetDependencies(b, NULL, NULL, NULL));
    CALL(cudaGraphNodeGetDependencies(NULL, NULL, NULL, &count));
    CALL(cudaGraphDestroyNode(b));
    record_edges("without b", graph);
    CALL_AS(cudaGraphGetRootNodes(graph, NULL, &count), "roots");
    VALUE(count, "number of roots");
    CALL(cudaGraphGetRootNodes(graph, NULL, NULL));
}

void case_graph_edge_data(void)
{
    cudaGraph_t graph = new_graph();
    int *p = device_block(4096);
    cudaGraphNode_t a = add_store(graph, NULL, p, 1);
    cudaGraphNode_t b = add_store(graph, NULL, p, 2);
    cudaGraphNode_t from[4];
    cudaGraphNode_t to[4];
    cudaGraphEdgeData data;
    cudaGraphEdgeData list[4];
    size_t count = 4;
    memset(&data, 0, sizeof data);
    data.from_port = 9;
    CALL_AS(cudaGraphAddDependencies(graph, &a, &b, &data, 1), "port 9");
    data.from_port = 0;
    data.type = 9;
    CALL_AS(cudaGraphAddDependencies(graph, &a, &b, &data, 1), "type 9");
    data.type = 0;
    data.reserved[0] = 1;
    CALL_AS(cudaGraphAddDependencies(graph, &a, &b, &data, 1), "reserved 1");
    data.reserved[0] = 0;
    data.to_port = 1;
    CALL_AS(cudaGraphAddDependencies(graph, &a, &b, &data, 1), "to port 1");
    data.to_port = 0;
    CALL_AS(cudaGraphAddDependencies(graph, &a, &b, &data, 1), "zeros");
    memset(list, 0x55, sizeof list);
    CALL(cudaGraphGetEdges(graph, from, to, list, &count));
    VALUE(count, "number of edges");
    VALUE(list[0].from_port + list[0].to_port + list[0].type, "data of the edge");
    CALL(cudaGraphRemoveDependencies(graph, &a, &b, &data, 1));
    data.from_port = 1;
    data.type = 1;
    CALL_AS(cudaGraphAddDependencies(graph, &a, &b, &data, 1), "programmatic");
    count = 4;
    CALL_AS(cudaGraphGetEdges(graph, from, to, NULL, &count), "programmatic without data");
    count = 4;
    CALL_AS(cudaGraphGetEdges(graph, from, to, list, &count), "programmatic with data");
    cudaGraphNode_t node = NULL;
    struct cudaGraphNodeParams params;
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeEmpty;
    CALL(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    CALL(cudaGraphAddNode(NULL, graph, NULL, NULL, 0, &params));
    CALL(cudaGraphAddNode(&node, NULL, NULL, NULL, 0, &params));
    CALL(cudaGraphAddNode(&node, graph, NULL, NULL, 0, NULL));
    params.type = (enum cudaGraphNodeType)77;
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "type 77");
    params.type = cudaGraphNodeTypeEmpty;
    params.reserved1[0] = 1;
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "reserved1");
    params.reserved1[0] = 0;
    params.reserved2 = 1;
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "reserved2");
    params.reserved2 = 0;
    params.reserved0[0] = 1;
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "reserved0");
    params.reserved0[0] = 0;
    CALL(cudaGraphNodeSetParams(node, &params));
    CALL(cudaGraphNodeSetParams(node, NULL));
    params.type = cudaGraphNodeTypeKernel;
    CALL_AS(cudaGraphNodeSetParams(node, &params), "another type");
}

void case_graph_clone(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraph_t clone = NULL;
    int *p = device_block(4096);
    cudaGraphNode_t a = add_store(graph, NULL, p, 1);
    cudaGraphNode_t b = add_store(graph, &a, p + 1, 2);
    cudaGraphNode_t found = NULL;
    CALL(cudaGraphClone(NULL, graph));
    CALL(cudaGraphClone(&clone, NULL));
    CALL(cudaGraphClone(&clone, graph));
    record_edges("clone", clone);
    CALL(cudaGraphNodeFindInClone(NULL, a, clone));
    CALL(cudaGraphNodeFindInClone(&found, NULL, clone));
    CALL(cudaGraphNodeFindInClone(&found, a, NULL));
    CALL(cudaGraphNodeFindInClone(&found, a, clone));
    VALUE(found != NULL && found != a, "another node");
    CALL_AS(cudaGraphNodeFindInClone(&found, a, graph), "in the original");
    cudaGraphNode_t late = add_store(graph, NULL, p + 2, 3);
    CALL_AS(cudaGraphNodeFindInClone(&found, late, clone), "a later node");
    CALL_AS(cudaGraphNodeFindInClone(&found, b, clone), "second node");
    CALL_AS(cudaGraphDestroyNode(found), "destroy it there");
    CALL_AS(cudaGraphNodeFindInClone(&found, b, clone), "second node, gone there");
    record_nodes("clone", clone);
    record_nodes("original", graph);
    CALL_AS(cudaGraphDestroy(graph), "destroy the original");
    record_launch("clone", clone);
    VALUE(read_int(p), "stored");
    VALUE(read_int(p + 1), "stored by the node that is gone");
}

void case_graph_user_objects(void)
{
    cudaUserObject_t object = NULL;
    static int data;
    make_runtime_context();
    CALL(cudaUserObjectCreate(NULL, &data, nothing, 1, cudaUserObjectNoDestructorSync));
    CALL(cudaUserObjectCreate(&object, NULL, nothing, 1, cudaUserObjectNoDestructorSync));
    CALL(cudaUserObjectCreate(&object, &data, NULL, 1, cudaUserObjectNoDestructorSync));
    CALL(cudaUserObjectCreate(&object, &data, nothing, 0, cudaUserObjectNoDestructorSync));
    CALL(cudaUserObjectCreate(&object, &data, nothing, 1, 0));
    CALL(cudaUserObjectCreate(&object, &data, nothing, 1, 3));
    CALL(cudaUserObjectCreate(&object, &data, nothing, 0x80000000u, 1));
    CALL(cudaUserObjectCreate(&object, &data, nothing, 3, cudaUserObjectNoDestructorSync));
    CALL(cudaUserObjectRetain(NULL, 1));
    CALL(cudaUserObjectRetain(object, 0));
    CALL(cudaUserObjectRetain(object, 1));
    CALL(cudaUserObjectRelease(NULL, 1));
    CALL(cudaUserObjectRelease(object, 0));
    CALL(cudaUserObjectRelease(object, 1));
    cudaGraph_t graph = new_graph();
    CALL(cudaGraphRetainUserObject(NULL, object, 1, 0));
    CALL(cudaGraphRetainUserObject(graph, NULL, 1, 0));
    CALL(cudaGraphRetainUserObject(graph, object, 0, 0));
    CALL(cudaGraphRetainUserObject(graph, object, 1, 2));
    CALL(cudaGraphRetainUserObject(graph, object, 1, 0));
    CALL(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    CALL(cudaGraphReleaseUserObject(NULL, object, 1));
    CALL(cudaGraphReleaseUserObject(graph, NULL, 1));
    CALL(cudaGraphReleaseUserObject(graph, object, 0));
    CALL(cudaGraphReleaseUserObject(graph, object, 1));
    CALL(cudaGraphReleaseUserObject(graph, object, 9));
    CALL(cudaGraphDestroy(graph));
}
