/* Tests of facade/replay/graph_update.c: executable graphs that get other parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

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
    assert_success(cudaGraphExecUpdate(exec, graph, NULL));
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

/* Two ends that come together: the one that is joined first stores a, the other b. */
static cudaGraph_t joined(int *p, int *q, bool is_reversed, int a, int b, cudaGraphNode_t *nodes)
{
    const cudaGraph_t graph = new_graph();
    for (int i = 0; i < 2; i++) {
        const bool is_first = (i == 0) != is_reversed;
        assert_success(
            add_append(nodes + !is_first, graph, NULL, 0, is_first ? p : q, is_first ? a : b));
    }
    assert_success(cudaGraphAddEmptyNode(nodes + 2, graph, nodes, 2));
    return graph;
}

/* Nodes are what their dependencies say, whichever was added first. */
TEST_BODY(graph_update_pairs_nodes_by_their_dependencies)
{
    int *p = device_ints(1), *q = device_ints(1);
    cudaGraphNode_t old[3], nodes[3];
    cudaGraphExecUpdateResultInfo info;
    const cudaGraph_t graph = joined(p, q, false, 1, 2, old);
    const cudaGraph_t other = joined(p, q, true, 3, 4, nodes);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphExecUpdate(exec, other, &info));
    assert_int_equal(result_of(exec, p), 3);
    assert_int_equal(read_device_int(q), 4);
    int digit = 5;
    void *arguments[] = {&p, &digit};
    struct cudaKernelNodeParams params;
    assert_success(cudaGraphKernelNodeGetParams(old[0], &params));
    params.kernelParams = arguments;
    assert_success(cudaGraphExecKernelNodeSetParams(exec, old[0], &params));
    assert_int_equal(result_of(exec, p), 5);
    assert_int_equal(read_device_int(q), 44);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(other));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(q));
    assert_success(cudaFree(p));
}

/* Nodes that nothing is behind are told apart by when they came to be so. */
TEST_BODY(graph_update_pairs_ends_in_their_order)
{
    int *p = device_ints(1), *q = device_ints(1);
    cudaGraphNode_t old[2], nodes[2];
    cudaGraphExecUpdateResultInfo info;
    const cudaGraph_t graph = new_graph(), other = new_graph();
    assert_success(add_append(old, graph, NULL, 0, p, 1));
    assert_success(cudaGraphAddMemsetNode(
        old + 1, graph, NULL, 0,
        &(struct cudaMemsetParams){
            .dst = q, .elementSize = 4, .value = 2, .width = 1, .height = 1}));
    assert_success(cudaGraphAddMemsetNode(
        nodes, other, NULL, 0,
        &(struct cudaMemsetParams){
            .dst = q, .elementSize = 4, .value = 4, .width = 1, .height = 1}));
    assert_success(add_append(nodes + 1, other, NULL, 0, p, 3));
    const cudaGraphExec_t exec = instantiate(graph);
    assert_fails(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
    assert_success(cudaGraphAddDependencies(other, nodes, nodes + 1, NULL, 1));
    assert_success(cudaGraphRemoveDependencies(other, nodes, nodes + 1, NULL, 1));
    assert_success(cudaGraphExecUpdate(exec, other, &info));
    assert_int_equal(result_of(exec, p), 3);
    assert_int_equal(read_device_int(q), 4);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(other));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(q));
    assert_success(cudaFree(p));
}

static cudaGraph_t capture_two(int *p, int *q, bool is_reversed, int digit)
{
    const cudaStream_t one = new_stream(), other = new_stream();
    cudaEvent_t fork = NULL, join = NULL;
    cudaGraph_t graph = NULL;
    assert_success(cudaEventCreate(&fork));
    assert_success(cudaEventCreate(&join));
    assert_success(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    assert_success(cudaEventRecord(fork, one));
    assert_success(cudaStreamWaitEvent(other, fork, 0));
    for (int i = 0; i < 2; i++) {
        void *arguments[] = {&p, &digit};
        if ((i == 0) != is_reversed)
            assert_success(launch_1d(graph_kernel("append"), 1, 1, arguments, 0, one));
        else
            assert_success(cudaMemsetAsync(q, digit, sizeof *q, other));
    }
    assert_success(cudaEventRecord(join, other));
    assert_success(cudaStreamWaitEvent(one, join, 0));
    assert_success(cudaStreamEndCapture(one, &graph));
    assert_success(cudaEventDestroy(join));
    assert_success(cudaEventDestroy(fork));
    assert_success(cudaStreamDestroy(other));
    assert_success(cudaStreamDestroy(one));
    return graph;
}

/* Only the order of calls on each stream matters, as threads that capture together need it. */
TEST_BODY(graph_update_of_captures_that_interleave_otherwise)
{
    int *p = device_ints(1), *q = device_ints(1);
    cudaGraphExecUpdateResultInfo info;
    const cudaGraph_t graph = capture_two(p, q, false, 1), other = capture_two(p, q, true, 2);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphExecUpdate(exec, other, &info));
    assert_int_equal(result_of(exec, p), 2);
    assert_int_equal(read_device_int(q), 0x02020202);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(other));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(q));
    assert_success(cudaFree(p));
}

/* An edge that fits none is told by both of its nodes. */
TEST_BODY(graph_update_tells_which_edge_differs)
{
    int *p = device_ints(1);
    cudaGraphNode_t old[4], nodes[4];
    cudaGraphExecUpdateResultInfo info;
    const cudaGraph_t graph = chain(p, 1, 4, old), other = chain(p, 1, 4, nodes);
    assert_success(cudaGraphAddDependencies(graph, old, old + 3, NULL, 1));
    assert_success(cudaGraphAddDependencies(other, nodes + 1, nodes + 3, NULL, 1));
    const cudaGraphExec_t exec = instantiate(graph);
    assert_fails(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    assert_ptr_equal(info.errorNode, nodes[2]);
    assert_ptr_equal(info.errorFromNode, nodes[1]);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(other));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
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
    assert_fails(cudaErrorGraphExecUpdateFailure,
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

/* --- many nodes ------------------------------------------------------------------------------- */

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The processor time of everything but a launch, for a graph whose nodes all come behind the first. */
static double seconds_for(int count, int *p)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t *nodes = malloc((size_t)count * sizeof *nodes);
    cudaGraphExecUpdateResultInfo info;
    int value = 1;
    void *arguments[] = {&p, &value};
    const struct cudaKernelNodeParams params = {
        .func = (void *)(uintptr_t)graph_kernel("store"),
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = arguments,
    };
    assert_non_null(nodes);
    const double begin = processor_seconds();
    for (int i = 0; i < count; i++)
        assert_success(cudaGraphAddKernelNode(&nodes[i], graph, nodes, i > 0, &params));
    const cudaGraphExec_t exec = instantiate(graph);
    for (int i = 0; i < count; i++)
        assert_success(cudaGraphExecKernelNodeSetParams(exec, nodes[i], &params));
    assert_success(cudaGraphExecUpdate(exec, graph, &info));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    const double end = processor_seconds();
    free(nodes);
    return end - begin;
}

static double least_seconds_for(int count, int *p)
{
    double least = seconds_for(count, p);
    for (int i = 0; i < 3; i++) {
        const double again = seconds_for(count, p);
        least = again < least ? again : least;
    }
    return least;
}

/* 16 times the nodes: 16 times the time where it is linear, and caches make it more; 256 times where it grows with the square. */
TEST_BODY(graph_update_takes_linear_time)
{
    enum { FEW = 4000 };
    int *p = device_ints(1);
    const double few = least_seconds_for(FEW, p);
    const double many = least_seconds_for(16 * FEW, p);
    assert_true(many < 100 * few);
}
