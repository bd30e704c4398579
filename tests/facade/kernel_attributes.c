/* Tests of facade/replay/kernel_attributes.c: attributes of nodes that launch kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/graph_support.h"

#include <cuda.h>

static int priority_of(cudaGraphNode_t node)
{
    cudaLaunchAttributeValue value;
    memset(&value, 0x55, sizeof value);
    assert_success(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value));
    return value.priority;
}

static void set_priority(cudaGraphNode_t node, int priority)
{
    const cudaLaunchAttributeValue value = {.priority = priority};
    assert_success(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value));
}

/* What a node does is not changed by them, nor are they by other parameters. */
TEST_BODY(kernel_attributes_stay_with_the_node)
{
    int *p = device_ints(1), digit = 7;
    const cudaGraph_t graph = new_graph();
    cudaGraph_t clone = NULL;
    cudaGraphNode_t nodes[2], cloned = NULL;
    void *arguments[] = {&p, &digit};
    const struct cudaKernelNodeParams params = {
        .func = (void *)(uintptr_t)graph_kernel("append"),
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = arguments,
    };
    struct cudaKernelNodeParams told;
    assert_success(add_append(nodes, graph, NULL, 0, p, 4));
    assert_success(add_append(nodes + 1, graph, nodes, 1, p, 5));
    set_priority(nodes[0], -2);
    assert_int_equal(priority_of(nodes[0]), -2);
    assert_int_equal(priority_of(nodes[1]), 0);
    assert_success(cudaGraphKernelNodeGetParams(nodes[0], &told));
    assert_int_equal(*(int *)told.kernelParams[1], 4);
    assert_success(cudaGraphClone(&clone, graph));
    assert_success(cudaGraphNodeFindInClone(&cloned, nodes[0], clone));
    assert_success(cudaGraphKernelNodeSetParams(nodes[0], &params));
    assert_int_equal(priority_of(nodes[0]), -2);
    assert_success(cudaGraphKernelNodeCopyAttributes(nodes[1], nodes[0]));
    assert_int_equal(priority_of(nodes[1]), -2);
    set_priority(nodes[0], -1);
    assert_int_equal(priority_of(nodes[1]), -2);
    assert_int_equal(priority_of(cloned), -2);
    assert_int_equal(run_and_end(graph, p), 75);
    assert_int_equal(run_and_end(clone, p), 45);
    assert_success(cudaFree(p));
}

TEST_BODY(kernel_attributes_of_every_kind)
{
    int *p = device_ints(1);
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL, empty = NULL;
    cudaLaunchAttributeValue value, told;
    const cudaLaunchAttributeValue none = {{0}};
    assert_success(add_append(&node, graph, NULL, 0, p, 4));
    assert_success(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    value = none;
    value.accessPolicyWindow.base_ptr = p;
    value.accessPolicyWindow.num_bytes = 4;
    assert_success(
        cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    assert_success(
        cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &told));
    assert_ptr_equal(told.accessPolicyWindow.base_ptr, p);
    assert_int_equal(told.accessPolicyWindow.num_bytes, 4);
    value.accessPolicyWindow.hitRatio = 1.1f;
    assert_fails(cudaErrorInvalidValue, cudaGraphKernelNodeSetAttribute(
                                            node, cudaLaunchAttributeAccessPolicyWindow, &value));
    value.accessPolicyWindow.hitRatio = 1.0f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    assert_success(
        cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    value.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    assert_fails(cudaErrorInvalidValue, cudaGraphKernelNodeSetAttribute(
                                            node, cudaLaunchAttributeAccessPolicyWindow, &value));
    value = none;
    value.clusterDim.x = 2;
    value.clusterDim.y = value.clusterDim.z = 1;
    assert_fails(
        cudaErrorInvalidClusterSize,
        cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    value.clusterDim.x = 1;
    assert_success(
        cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    value = none;
    value.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    assert_success(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeMemSyncDomain, &value));
    assert_success(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeMemSyncDomain, &told));
    assert_int_equal(told.memSyncDomain, cudaLaunchMemSyncDomainRemote);
    assert_success(
        cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeMemSyncDomainMap, &told));
    assert_int_equal(told.memSyncDomainMap.remote, 1);
    value = none;
    value.sharedMemCarveout = 50;
    assert_success(cudaGraphKernelNodeSetAttribute(
        node, cudaLaunchAttributePreferredSharedMemoryCarveout, &value));
    assert_success(cudaGraphKernelNodeGetAttribute(
        node, cudaLaunchAttributePreferredSharedMemoryCarveout, &told));
    assert_int_equal(told.sharedMemCarveout, 50);
    value = none;
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    assert_fails(cudaErrorNotSupported,
                 cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode,
                                                 &value));
    value = none;
    value.priority = 9;
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value));
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, NULL));
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, NULL));
    assert_fails(cudaErrorInvalidValue, cudaGraphKernelNodeGetAttribute(
                                            node, cudaLaunchAttributeProgrammaticEvent, &told));
    assert_fails(cudaErrorInvalidValue, cudaGraphKernelNodeCopyAttributes(node, empty));
    assert_int_equal(run_and_end(graph, p), 4);
    assert_success(cudaFree(p));
}

TEST_BODY(kernel_attributes_by_the_driver_api)
{
    int *p = device_ints(1);
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[2];
    CUkernelNodeAttrValue value;
    memset(&value, 0, sizeof value);
    assert_success(add_append(nodes, graph, NULL, 0, p, 1));
    assert_success(add_append(nodes + 1, graph, nodes, 1, p, 2));
    value.priority = -3;
    assert_int_equal(
        cuGraphKernelNodeSetAttribute((CUgraphNode)nodes[0], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
        CUDA_SUCCESS);
    assert_int_equal(cuGraphKernelNodeCopyAttributes((CUgraphNode)nodes[1], (CUgraphNode)nodes[0]),
                     CUDA_SUCCESS);
    value.priority = 0;
    assert_int_equal(
        cuGraphKernelNodeGetAttribute((CUgraphNode)nodes[1], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
        CUDA_SUCCESS);
    assert_int_equal(value.priority, -3);
    assert_int_equal(cuGraphKernelNodeGetAttribute(NULL, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(run_and_end(graph, p), 12);
    assert_success(cudaFree(p));
}

static cudaGraphNode_t only_node(cudaGraph_t graph)
{
    cudaGraphNode_t node = NULL;
    size_t count = 1;
    assert_success(cudaGraphGetNodes(graph, &node, &count));
    assert_int_equal(count, 1);
    return node;
}

static cudaLaunchAttributeValue value_of(cudaGraphNode_t node, cudaLaunchAttributeID attribute)
{
    cudaLaunchAttributeValue value;
    memset(&value, 0x55, sizeof value);
    assert_success(cudaGraphKernelNodeGetAttribute(node, attribute, &value));
    return value;
}

/* A launch that is captured keeps its own attributes, and those of its stream where it has none. */
TEST_BODY(kernel_attributes_of_captured_launches)
{
    int *p = device_ints(1), digit = 3;
    void *arguments[] = {&p, &digit};
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL, own = NULL;
    cudaLaunchAttributeValue window = {.accessPolicyWindow = {.base_ptr = p, .num_bytes = 4}};
    assert_success(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2));
    assert_success(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &window));
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_success(launch_1d(graph_kernel("append"), 1, 1, arguments, 0, stream));
    assert_success(cudaStreamEndCapture(stream, &graph));
    assert_int_equal(priority_of(only_node(graph)), -2);
    window = value_of(only_node(graph), cudaLaunchAttributeAccessPolicyWindow);
    assert_ptr_equal(window.accessPolicyWindow.base_ptr, p);
    assert_int_equal(window.accessPolicyWindow.num_bytes, 4);
    cudaLaunchAttribute attributes[] = {
        {.id = cudaLaunchAttributePriority, .val = {.priority = -1}},
        {.id = cudaLaunchAttributeMemSyncDomain, .val = {.memSyncDomain = 1}},
        {.id = cudaLaunchAttributePreferredSharedMemoryCarveout, .val = {.sharedMemCarveout = 50}},
        {.id = cudaLaunchAttributeAccessPolicyWindow,
         .val = {.accessPolicyWindow = {.base_ptr = p, .num_bytes = 2}}},
        {.id = cudaLaunchAttributeProgrammaticStreamSerialization},
    };
    const cudaLaunchConfig_t config = {
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .stream = stream,
        .attrs = attributes,
        .numAttrs = sizeof attributes / sizeof attributes[0],
    };
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_success(cudaLaunchKernelExC(&config, graph_kernel("append"), arguments));
    assert_success(cudaStreamEndCapture(stream, &own));
    const cudaGraphNode_t node = only_node(own);
    assert_int_equal(priority_of(node), -1);
    assert_int_equal(value_of(node, cudaLaunchAttributeMemSyncDomain).memSyncDomain, 1);
    assert_int_equal(
        value_of(node, cudaLaunchAttributePreferredSharedMemoryCarveout).sharedMemCarveout, 50);
    window = value_of(node, cudaLaunchAttributeAccessPolicyWindow);
    assert_int_equal(window.accessPolicyWindow.num_bytes, 2);
    assert_int_equal(value_of(node, cudaLaunchAttributeCooperative).cooperative, 0);
    assert_int_equal(run_and_end(own, p), 3);
    assert_int_equal(run_and_end(graph, p), 3);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}
