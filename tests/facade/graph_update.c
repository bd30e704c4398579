/* Tests of facade/replay/graph_update.c: executable graphs that get other parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/graph_support.h"

static cudaGraph_t chain(int *p, int first, int count, cudaGraphNode_t *nodes)
{
    const cudaGraph_t graph = new_graph();
    for (int i = 0; i < count; i++)
        assert_success(add_append(nodes + i, graph, nodes + i - (i > 0), i > 0, p, first + i));
    return graph;
}

TEST_BODY(graph_update_of_a_whole_graph)
{
    int *p = device_ints(1);
    cudaGraphNode_t old[3], nodes[3];
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateErrorNotSupported};
    const cudaGraph_t graph = chain(p, 1, 3, old), same = chain(p, 4, 3, nodes);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_fails(cudaErrorInvalidValue, cudaGraphExecUpdate(exec, same, NULL));
    assert_fails(cudaErrorInvalidValue, cudaGraphExecUpdate(exec, NULL, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateError);
    assert_success(cudaGraphExecUpdate(exec, same, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateSuccess);
    assert_int_equal(result_of(exec, p), 456);
    assert_success(cudaGraphExecUpdate(exec, graph, &info));
    assert_int_equal(result_of(exec, p), 123);
    assert_success(cudaGraphDestroy(same));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
}

TEST_BODY(graph_update_tells_what_differs)
{
    int *p = device_ints(1);
    cudaGraphNode_t old[3], nodes[3];
    cudaGraphExecUpdateResultInfo info;
    const cudaGraph_t graph = chain(p, 1, 3, old);
    const cudaGraphExec_t exec = instantiate(graph);
    cudaGraph_t other = chain(p, 1, 2, nodes);
    assert_fails(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    assert_success(cudaGraphAddEmptyNode(nodes + 2, other, nodes + 1, 1));
    assert_fails(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
    assert_ptr_equal(info.errorNode, nodes[2]);
    assert_success(cudaGraphDestroy(other));
    other = chain(p, 4, 3, nodes);
    assert_success(cudaGraphRemoveDependencies(other, nodes + 1, nodes + 2, NULL, 1));
    assert_success(cudaGraphAddDependencies(other, nodes, nodes + 2, NULL, 1));
    assert_fails(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    assert_ptr_equal(info.errorNode, nodes[2]);
    assert_int_equal(result_of(exec, p), 123);
    assert_success(cudaGraphDestroy(other));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
}

static void set_to_nine(void *data)
{
    *(int *)data = 9;
}

static void set_to_eight(void *data)
{
    *(int *)data = 8;
}

TEST_BODY(graph_update_of_single_nodes)
{
    int *p = device_ints(2), number = 0, to = 0, digit = 6;
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[4];
    void *arguments[] = {&p, &digit};
    const struct cudaMemsetParams fill = {p, 0, 1, 4, 1, 1}, other_fill = {p, 0, 2, 4, 1, 1};
    const struct cudaHostNodeParams host = {set_to_nine, &number}, other = {set_to_eight, &number};
    struct cudaKernelNodeParams kernel;
    struct cudaGraphNodeParams any = {.type = cudaGraphNodeTypeHost};
    assert_success(cudaGraphAddMemsetNode(nodes, graph, NULL, 0, &fill));
    assert_success(add_append(nodes + 1, graph, nodes, 1, p, 5));
    assert_success(cudaGraphAddMemcpyNode1D(nodes + 2, graph, nodes + 1, 1, &to, p, sizeof to,
                                            cudaMemcpyDeviceToHost));
    assert_success(cudaGraphAddHostNode(nodes + 3, graph, nodes + 2, 1, &host));
    const cudaGraphExec_t exec = instantiate(graph), second = instantiate(graph);
    assert_success(cudaGraphKernelNodeGetParams(nodes[1], &kernel));
    kernel.kernelParams = arguments;
    assert_fails(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, nodes[0], &kernel));
    assert_fails(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, NULL, &kernel));
    assert_fails(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(NULL, nodes[1], &kernel));
    assert_fails(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, nodes[1], NULL));
    assert_success(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &kernel));
    assert_success(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &other_fill));
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[2], p + 1, p, sizeof to,
                                                    cudaMemcpyDeviceToDevice));
    assert_success(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[2], &digit, p, sizeof to,
                                                      cudaMemcpyDeviceToHost));
    assert_success(cudaGraphExecHostNodeSetParams(exec, nodes[3], &other));
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_true(digit == 26 && number == 8 && to == 0);
    any.host = (struct cudaHostNodeParamsV2){set_to_nine, &number};
    assert_success(cudaGraphExecNodeSetParams(exec, nodes[3], &any));
    assert_fails(cudaErrorInvalidValue, cudaGraphExecNodeSetParams(exec, nodes[0], &any));
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(number, 9);
    assert_success(cudaGraphLaunch(second, NULL));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(to, 15);
    assert_success(cudaGraphExecDestroy(second));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
}

TEST_BODY(graph_update_leaves_nodes_out)
{
    int *p = device_ints(1);
    cudaGraphNode_t nodes[3], empty = NULL;
    unsigned is_enabled = 77;
    const cudaGraph_t graph = chain(p, 1, 3, nodes);
    assert_success(cudaGraphAddEmptyNode(&empty, graph, nodes, 3));
    const cudaGraphExec_t exec = instantiate(graph);
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, empty, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, NULL, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(exec, nodes[1], NULL));
    assert_success(cudaGraphNodeSetEnabled(exec, nodes[1], 0));
    assert_success(cudaGraphNodeGetEnabled(exec, nodes[1], &is_enabled));
    assert_int_equal(is_enabled, 0);
    assert_int_equal(result_of(exec, p), 13);
    assert_success(cudaGraphNodeSetEnabled(exec, nodes[1], 1));
    assert_success(cudaGraphNodeGetEnabled(exec, nodes[1], &is_enabled));
    assert_int_equal(is_enabled, 1);
    assert_int_equal(result_of(exec, p), 123);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
}

TEST_BODY(graph_update_of_events_and_child_graphs)
{
    int *p = device_ints(1);
    cudaGraphNode_t inner[2], nodes[3];
    cudaEvent_t one = NULL, other = NULL;
    const cudaGraph_t child = chain(p, 1, 2, inner), wanted = chain(p, 5, 2, inner);
    const cudaGraph_t graph = new_graph();
    assert_success(cudaEventCreate(&one));
    assert_success(cudaEventCreate(&other));
    assert_success(cudaGraphAddChildGraphNode(nodes, graph, NULL, 0, child));
    assert_success(cudaGraphAddEventRecordNode(nodes + 1, graph, nodes, 1, one));
    assert_success(cudaGraphAddEventWaitNode(nodes + 2, graph, nodes + 1, 1, one));
    const cudaGraphExec_t exec = instantiate(graph);
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphExecChildGraphNodeSetParams(exec, nodes[1], wanted));
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphExecChildGraphNodeSetParams(exec, nodes[0], graph));
    assert_success(cudaGraphExecChildGraphNodeSetParams(exec, nodes[0], wanted));
    assert_success(cudaGraphExecEventRecordNodeSetEvent(exec, nodes[1], other));
    assert_success(cudaGraphExecEventWaitNodeSetEvent(exec, nodes[2], other));
    assert_fails(cudaErrorInvalidValue, cudaGraphExecEventWaitNodeSetEvent(exec, nodes[1], other));
    assert_success(cudaEventDestroy(one));
    assert_int_equal(result_of(exec, p), 56);
    assert_success(cudaEventSynchronize(other));
    float milliseconds = -1;
    assert_success(cudaEventElapsedTime(&milliseconds, other, other));
    assert_success(cudaEventDestroy(other));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(wanted));
    assert_success(cudaGraphDestroy(child));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
}
