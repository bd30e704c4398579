/* Tests of facade/replay/graph_node.c: nodes of each kind, and what they are told to do.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/graph_support.h"

TEST_BODY(graph_node_kernel_copies_its_arguments)
{
    int *p = device_ints(4), value = 5;
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    void *arguments[] = {&p, &value};
    struct cudaKernelNodeParams told, params = {
                                          .func = (void *)(uintptr_t)graph_kernel("store"),
                                          .gridDim = {2, 1, 1},
                                          .blockDim = {2, 1, 1},
                                          .kernelParams = arguments,
                                      };
    assert_fails(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL));
    params.kernelParams = NULL;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    params.kernelParams = arguments;
    params.blockDim.x = 0;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    params.blockDim.x = 2;
    params.func = NULL;
    assert_fails(cudaErrorInvalidDeviceFunction,
                 cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    params.func = (void *)(uintptr_t)graph_kernel("store");
    assert_success(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    value = 6;
    assert_success(cudaGraphKernelNodeGetParams(node, &told));
    assert_true(told.func == params.func && told.gridDim.x == 2 && told.extra == NULL);
    assert_int_equal(*(int *)told.kernelParams[1], 5);
    cudaGraphExec_t exec = instantiate(graph);
    assert_int_equal(result_of(exec, p + 3), 5);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphKernelNodeSetParams(node, &params));
    value = 7;
    exec = instantiate(graph);
    assert_int_equal(result_of(exec, p + 3), 6);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
}

/* Arguments in one buffer, as the driver API has them. */
TEST_BODY(graph_node_kernel_takes_packed_arguments)
{
    int *p = device_ints(1);
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    struct {
        int *p;
        int value;
    } packed = {p, 9};
    size_t bytes = sizeof packed.p + sizeof packed.value;
    void *unused[] = {&packed.p, &packed.value};
    void *extra[] = {(void *)(uintptr_t)1, &packed, (void *)(uintptr_t)2, &bytes, NULL};
    struct cudaKernelNodeParams params = {
        .func = (void *)(uintptr_t)graph_kernel("store"),
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = unused,
        .extra = extra,
    };
    assert_fails(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    params.kernelParams = NULL;
    assert_success(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    packed.value = 1;
    assert_int_equal(run_and_end(graph, p), 9);
    assert_success(cudaFree(p));
}

/* Pageable memory is read when the copy's turn comes, and a node before may have written it. */
TEST_BODY(graph_node_copies_and_fills)
{
    int *p = device_ints(8), from[4] = {1, 2, 3, 4}, to[8] = {0}, wrong = 0;
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[3];
    struct cudaMemcpy3DParms volume = {
        .srcPtr = {p, 4 * sizeof *p, 2, 2},
        .dstPtr = {to, 4 * sizeof *to, 2, 2},
        .extent = {4 * sizeof *p, 2, 1},
        .kind = cudaMemcpyDeviceToHost,
    };
    struct cudaMemcpy3DParms told;
    struct cudaMemsetParams told_fill,
        fill = {.dst = p + 4, .value = 0x01020304, .elementSize = 4, .width = 4, .height = 1};
    assert_fails(cudaErrorInvalidMemcpyDirection,
                 cudaGraphAddMemcpyNode1D(nodes, graph, NULL, 0, p, from, sizeof from,
                                          (enum cudaMemcpyKind)77));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(nodes, graph, NULL, 0, p, from,
                                                                 1 << 20, cudaMemcpyHostToDevice));
    assert_success(cudaGraphAddMemcpyNode1D(nodes, graph, NULL, 0, p, from, sizeof from,
                                            cudaMemcpyHostToDevice));
    fill.elementSize = 3;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddMemsetNode(nodes + 1, graph, nodes, 1, &fill));
    fill.elementSize = 4;
    fill.dst = &wrong;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddMemsetNode(nodes + 1, graph, nodes, 1, &fill));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddMemsetNode(nodes + 1, graph, nodes, 1, NULL));
    fill.dst = p + 4;
    assert_success(cudaGraphAddMemsetNode(nodes + 1, graph, nodes, 1, &fill));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(nodes + 2, graph, nodes, 2, NULL));
    assert_success(cudaGraphAddMemcpyNode(nodes + 2, graph, nodes, 2, &volume));
    volume.kind = cudaMemcpyDefault;
    assert_success(cudaGraphMemcpyNodeGetParams(nodes[2], &told));
    assert_true(told.kind == cudaMemcpyDeviceToHost && told.dstPtr.ptr == to);
    assert_success(cudaGraphMemcpyNodeGetParams(nodes[0], &told));
    assert_true(told.srcPtr.ptr == from && told.extent.width == sizeof from);
    assert_success(cudaGraphMemsetNodeGetParams(nodes[1], &told_fill));
    assert_true(told_fill.dst == p + 4 && told_fill.value == 0x01020304);
    assert_fails(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(nodes[0], &told_fill));
    const cudaGraphExec_t exec = instantiate(graph);
    from[0] = 8;
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_true(to[0] == 8 && to[3] == 4 && to[4] == 0x01020304 && to[7] == 0x01020304);
    fill.value = 5;
    assert_success(cudaGraphMemsetNodeSetParams(nodes[1], &fill));
    assert_success(
        cudaGraphMemcpyNodeSetParams1D(nodes[2], to, p + 7, sizeof *p, cudaMemcpyDeviceToHost));
    const cudaGraphExec_t changed = instantiate(graph);
    assert_success(cudaGraphLaunch(changed, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(to[0], 5);
    assert_success(cudaGraphExecDestroy(changed));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
}

static void times_three(void *data)
{
    *(int *)data *= 3;
}

static void plus_one(void *data)
{
    *(int *)data += 1;
}

TEST_BODY(graph_node_host_function_runs_in_order)
{
    int number = 1;
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[2];
    struct cudaHostNodeParams told, params = {plus_one, &number};
    assert_fails(cudaErrorInvalidValue, cudaGraphAddHostNode(nodes, graph, NULL, 0, NULL));
    assert_success(cudaGraphAddHostNode(nodes, graph, NULL, 0, &params));
    params.fn = NULL;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddHostNode(nodes + 1, graph, nodes, 1, &params));
    params.fn = times_three;
    assert_success(cudaGraphAddHostNode(nodes + 1, graph, nodes, 1, &params));
    assert_success(cudaGraphHostNodeGetParams(nodes[0], &told));
    assert_true(told.fn == plus_one && told.userData == &number);
    const cudaGraphExec_t exec = instantiate(graph);
    for (int i = 0; i < 2; i++)
        assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(number, 21);
    assert_success(cudaGraphHostNodeSetParams(nodes[0], &params));
    assert_success(cudaGraphHostNodeGetParams(nodes[0], &told));
    assert_true(told.fn == times_three);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
}

TEST_BODY(graph_node_records_and_waits_for_events)
{
    static struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1);
    cudaEvent_t before = NULL, behind = NULL, told = NULL;
    const cudaStream_t holder = new_stream(), stream = new_stream();
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[3];
    assert_success(cudaEventCreateWithFlags(&before, cudaEventDisableTiming));
    assert_success(cudaEventCreateWithFlags(&behind, cudaEventDisableTiming));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddEventWaitNode(nodes, graph, NULL, 0, NULL));
    assert_success(cudaGraphAddEventWaitNode(nodes, graph, NULL, 0, before));
    assert_success(add_append(nodes + 1, graph, nodes, 1, p, 4));
    assert_success(cudaGraphAddEventRecordNode(nodes + 2, graph, nodes + 1, 1, before));
    assert_success(cudaGraphEventRecordNodeSetEvent(nodes[2], behind));
    assert_success(cudaGraphEventRecordNodeGetEvent(nodes[2], &told));
    assert_ptr_equal(told, behind);
    assert_success(cudaGraphEventWaitNodeGetEvent(nodes[0], &told));
    assert_ptr_equal(told, before);
    assert_fails(cudaErrorInvalidValue, cudaGraphEventWaitNodeGetEvent(nodes[2], &told));
    const cudaGraphExec_t exec = instantiate(graph);
    gate_hold(&gate, holder);
    assert_success(cudaEventRecord(before, holder));
    assert_success(cudaGraphLaunch(exec, stream));
    assert_int_equal(cudaEventQuery(behind), cudaErrorNotReady);
    assert_stays_busy(stream);
    gate_open(&gate);
    assert_success(cudaEventSynchronize(behind));
    assert_int_equal(read_device_int(p), 4);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaEventDestroy(before));
    assert_success(cudaEventDestroy(behind));
    assert_success(cudaStreamDestroy(holder));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

TEST_BODY(graph_node_has_a_graph_of_its_own)
{
    int *p = device_ints(1);
    const cudaGraph_t inner = new_graph(), graph = new_graph();
    cudaGraphNode_t a, b, c, node, more;
    cudaGraph_t own = NULL;
    size_t count = 0;
    assert_success(add_append(&a, inner, NULL, 0, p, 2));
    assert_success(add_append(&b, inner, &a, 1, p, 3));
    assert_success(add_append(&c, graph, NULL, 0, p, 1));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddChildGraphNode(&node, graph, &c, 1, NULL));
    assert_success(cudaGraphAddChildGraphNode(&node, graph, &c, 1, inner));
    assert_success(add_append(&c, graph, &node, 1, p, 5));
    assert_success(cudaGraphDestroy(inner));
    assert_success(cudaGraphChildGraphNodeGetGraph(node, &own));
    assert_fails(cudaErrorInvalidValue, cudaGraphDestroy(own));
    assert_fails(cudaErrorInvalidValue, cudaGraphChildGraphNodeGetGraph(c, &own));
    assert_success(cudaGraphGetNodes(own, NULL, &count));
    assert_int_equal(count, 2);
    assert_success(cudaGraphGetRootNodes(own, NULL, &count));
    assert_int_equal(count, 1);
    assert_success(cudaGraphGetRootNodes(own, &a, &count));
    assert_success(cudaGraphNodeGetDependentNodes(a, &b, NULL, &count));
    assert_success(add_append(&more, own, &b, 1, p, 4));
    assert_int_equal(run_and_end(graph, p), 12345);
    assert_success(cudaFree(p));
}

TEST_BODY(graph_node_of_any_kind_by_one_call)
{
    int *p = device_ints(1), digit = 7;
    const cudaGraph_t graph = new_graph();
    cudaGraph_t given = new_graph(), own = NULL;
    cudaGraphNode_t nodes[4];
    void *arguments[] = {&p, &digit};
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemset};
    params.memset = (struct cudaMemsetParamsV2){p, 0, 1, 4, 1, 1};
    params.reserved2 = 1;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(nodes, graph, NULL, NULL, 0, &params));
    params.reserved2 = 0;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(nodes, graph, NULL, NULL, 0, NULL));
    assert_success(cudaGraphAddNode(nodes, graph, NULL, NULL, 0, &params));
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeKernel;
    params.kernel = (struct cudaKernelNodeParamsV2){
        .func = (void *)(uintptr_t)graph_kernel("append"),
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = arguments,
    };
    assert_success(cudaGraphAddNode(nodes + 1, graph, nodes, NULL, 1, &params));
    digit = 8;
    assert_success(cudaGraphAddNode(nodes + 2, given, NULL, NULL, 0, &params));
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeSetParams(nodes[0], &params));
    digit = 6;
    assert_success(cudaGraphNodeSetParams(nodes[1], &params));
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeGraph;
    params.graph.graph = graph;
    params.graph.ownership = cudaGraphChildGraphOwnershipMove;
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphAddNode(nodes + 3, graph, nodes + 1, NULL, 1, &params));
    params.graph.graph = given;
    assert_success(cudaGraphAddNode(nodes + 3, graph, nodes + 1, NULL, 1, &params));
    assert_success(cudaGraphChildGraphNodeGetGraph(nodes[3], &own));
    assert_ptr_equal(own, given);
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeExtSemaphoreSignal;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(nodes, graph, NULL, NULL, 0, &params));
    params.type = (enum cudaGraphNodeType)12;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(nodes, graph, NULL, NULL, 0, &params));
    assert_int_equal(run_and_end(graph, p), 168);
    assert_success(cudaFree(p));
}
