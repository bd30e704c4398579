/* Semantics of graphs that allocate and free memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"
#include "graphs.h"

static struct cudaMemAllocNodeParams allocation(size_t bytes)
{
    struct cudaMemAllocNodeParams params;
    memset(&params, 0, sizeof params);
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = bytes;
    return params;
}

static void record_attributes(const char *name)
{
    static const struct {
        enum cudaGraphMemAttributeType type;
        const char *name;
    } attributes[] = {{cudaGraphMemAttrUsedMemCurrent, "used"},
                      {cudaGraphMemAttrUsedMemHigh, "used at most"},
                      {cudaGraphMemAttrReservedMemCurrent, "reserved"},
                      {cudaGraphMemAttrReservedMemHigh, "reserved at most"}};
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        unsigned long long value = 77;
        CALL_AS(cudaDeviceGetGraphMemAttribute(0, attributes[i].type, &value), "%s: %s", name,
                attributes[i].name);
        DEVICE_VALUE((long long)value, "%s: value of %s", name, attributes[i].name);
        VALUE(value == 0, "%s: none %s", name, attributes[i].name);
    }
}

void case_graph_memory_nodes(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    cudaGraphNode_t free_node = NULL;
    cudaGraphNode_t extra = NULL;
    struct cudaMemAllocNodeParams params = allocation(4096);
    struct cudaMemAllocNodeParams got;
    void *address = NULL;
    CALL(cudaGraphAddMemAllocNode(NULL, graph, NULL, 0, &params));
    CALL(cudaGraphAddMemAllocNode(&node, NULL, NULL, 0, &params));
    CALL(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, NULL));
    params = allocation(0);
    CALL_AS(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params), "0 bytes");
    params = allocation((size_t)1 << 50);
    CALL_AS(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params), "2^50 bytes");
    params = allocation(4096);
    params.poolProps.location.type = cudaMemLocationTypeHost;
    CALL_AS(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params), "in the host");
    params = allocation(4096);
    params.poolProps.location.id = 99;
    CALL_AS(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params), "device 99");
    params = allocation(4096);
    params.poolProps.allocType = (enum cudaMemAllocationType)0;
    CALL_AS(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params), "allocation type 0");
    params = allocation(4096);
    params.poolProps.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    CALL_AS(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params), "to be exported");
    params = allocation(4096);
    CALL(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    VALUE(params.dptr != NULL, "has an address");
    memset(&got, 0, sizeof got);
    CALL(cudaGraphMemAllocNodeGetParams(node, &got));
    VALUE(got.dptr == params.dptr, "the same address");
    VALUE((long long)got.bytesize, "bytes");
    CALL(cudaGraphMemAllocNodeGetParams(node, NULL));
    CALL(cudaGraphMemAllocNodeGetParams(NULL, &got));
    CALL(cudaGraphAddMemFreeNode(NULL, graph, &node, 1, params.dptr));
    CALL(cudaGraphAddMemFreeNode(&free_node, NULL, &node, 1, params.dptr));
    CALL(cudaGraphAddMemFreeNode(&free_node, graph, &node, 1, NULL));
    CALL(cudaGraphAddMemFreeNode(&free_node, graph, &node, 1, (char *)params.dptr + 16));
    CALL_AS(cudaGraphAddMemFreeNode(&free_node, graph, NULL, 0, params.dptr),
            "free without an edge");
    CALL_AS(cudaGraphAddMemFreeNode(&extra, graph, &node, 1, params.dptr), "free");
    CALL_AS(cudaGraphAddMemFreeNode(&extra, graph, &node, 1, params.dptr), "free again");
    CALL(cudaGraphMemFreeNodeGetParams(extra, &address));
    VALUE(address == params.dptr, "the freed address");
    CALL(cudaGraphMemFreeNodeGetParams(node, &address));
    cudaGraph_t clone = NULL;
    CALL(cudaGraphClone(&clone, graph));
    cudaGraph_t parent = new_graph();
    CALL(cudaGraphAddChildGraphNode(&node, parent, NULL, 0, graph));
    CALL(cudaGraphDestroyNode(extra));
    record_nodes("graph", graph);
    record_launch("graph", graph);
    CALL_AS(cudaMemset(params.dptr, 1, 64), "fill");
}

void case_graph_memory_life(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    cudaGraphNode_t last = NULL;
    cudaGraphExec_t exec = NULL;
    cudaGraphExec_t second = NULL;
    struct cudaMemAllocNodeParams params = allocation(1 << 20);
    unsigned long long zero = 0;
    record_attributes("at first");
    REQUIRE(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    last = add_store(graph, &node, params.dptr, 42);
    record_attributes("made");
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL_AS(cudaGraphInstantiate(&second, graph, 0), "instantiate again");
    record_attributes("instantiated");
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaStreamSynchronize(NULL));
    record_attributes("launched");
    VALUE(read_int(params.dptr), "stored");
    CALL_AS(cudaGraphLaunch(exec, NULL), "launch again over an allocation");
    struct cudaPointerAttributes attributes;
    CALL(cudaPointerGetAttributes(&attributes, params.dptr));
    VALUE(attributes.type, "type of the memory");
    CALL(cudaFree(params.dptr));
    record_attributes("freed");
    CALL_AS(cudaGraphLaunch(exec, NULL), "launch after free");
    CALL(cudaFreeAsync(params.dptr, NULL));
    CALL(cudaStreamSynchronize(NULL));
    CALL(cudaDeviceGraphMemTrim(0));
    record_attributes("trimmed");
    CALL(cudaDeviceGraphMemTrim(99));
    CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
    CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero));
    zero = 5;
    CALL_AS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero), "set to 5");
    CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, NULL));
    CALL(cudaDeviceGetGraphMemAttribute(0, (enum cudaGraphMemAttributeType)9, &zero));
    CALL(cudaDeviceGetGraphMemAttribute(99, cudaGraphMemAttrUsedMemHigh, &zero));
    record_attributes("reset");
    CALL_AS(cudaGraphExecDestroy(exec), "destroy");
    CALL_AS(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch),
            "instantiate with auto free");
    CALL_AS(cudaGraphLaunch(exec, NULL), "auto free: launch");
    CALL_AS(cudaGraphLaunch(exec, NULL), "auto free: launch again");
    CALL(cudaStreamSynchronize(NULL));
    CALL_AS(cudaGraphExecDestroy(exec), "auto free: destroy");
    VALUE(read_int(params.dptr), "still there");
    CALL_AS(cudaFree(params.dptr), "auto free: free");
    CALL_AS(cudaGraphDestroyNode(last), "destroy a node that uses it");
    CALL_AS(cudaGraphDestroyNode(node), "destroy the node that allocates");
    CALL_AS(cudaGraphDestroy(graph), "destroy the graph");
}

void case_graph_memory_of_others(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraph_t other = new_graph();
    cudaGraphNode_t node = NULL;
    cudaGraphNode_t free_node = NULL;
    cudaGraphExec_t exec = NULL;
    cudaGraphExec_t free_exec = NULL;
    void *plain = device_block(4096);
    struct cudaMemAllocNodeParams params = allocation(4096);
    CALL_AS(cudaGraphAddMemFreeNode(&free_node, other, NULL, 0, plain), "free of plain memory");
    REQUIRE(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    CALL_AS(cudaGraphAddMemFreeNode(&free_node, other, NULL, 0, params.dptr),
            "free in another graph");
    CALL_AS(cudaMemcpy(plain, params.dptr, 4, cudaMemcpyDefault), "copy before any launch");
    CALL_AS(cudaFree(params.dptr), "free before any launch");
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0));
    CALL_AS(cudaGraphInstantiate(&free_exec, other, 0), "instantiate the other");
    CALL_AS(cudaGraphLaunch(exec, NULL), "launch what allocates");
    CALL_AS(cudaGraphLaunch(free_exec, NULL), "launch what frees");
    CALL_AS(cudaGraphLaunch(exec, NULL), "launch what allocates again");
    CALL_AS(cudaGraphLaunch(free_exec, NULL), "launch what frees again");
    CALL_AS(cudaGraphLaunch(free_exec, NULL), "launch what frees a third time");
    CALL(cudaDeviceSynchronize());
    CALL_AS(cudaGraphExecDestroy(exec), "destroy");
    CALL_AS(cudaGraphExecDestroy(free_exec), "destroy the other");
}
