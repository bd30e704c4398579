/* Tests of facade/memory/graph_block.c and facade/replay/graph_memory.c: nodes that allocate and free.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "tests/facade/graph_support.h"

#include <cuda.h>

enum { BYTES = 100000 };

static struct cudaMemAllocNodeParams of_bytes(size_t bytes)
{
    return (struct cudaMemAllocNodeParams){
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {cudaMemLocationTypeDevice, 0}},
        .bytesize = bytes,
    };
}

static int *add_memory(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, size_t bytes,
                       cudaGraphNode_t *node)
{
    struct cudaMemAllocNodeParams params = of_bytes(bytes);
    assert_success(cudaGraphAddMemAllocNode(node, graph, before, count, &params));
    assert_non_null(params.dptr);
    return params.dptr;
}

static cudaGraphNode_t add_free(cudaGraph_t graph, const cudaGraphNode_t *before, void *p)
{
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphAddMemFreeNode(&node, graph, before, 1, p));
    return node;
}

static cudaGraphNode_t add_fill(cudaGraph_t graph, const cudaGraphNode_t *before, void *p,
                                unsigned value, size_t words)
{
    cudaGraphNode_t node = NULL;
    const struct cudaMemsetParams params = {
        .dst = p, .value = value, .elementSize = 4, .width = words, .height = 1};
    assert_success(cudaGraphAddMemsetNode(&node, graph, before, 1, &params));
    return node;
}

static cudaGraphNode_t add_copy(cudaGraph_t graph, const cudaGraphNode_t *before, void *to,
                                const void *from, size_t bytes)
{
    cudaGraphNode_t node = NULL;
    assert_success(
        cudaGraphAddMemcpyNode1D(&node, graph, before, 1, to, from, bytes, cudaMemcpyDefault));
    return node;
}

static unsigned long long attribute(enum cudaGraphMemAttributeType which)
{
    unsigned long long value = 77;
    assert_success(cudaDeviceGetGraphMemAttribute(0, which, &value));
    return value;
}

/* A block that no launch has used is held all the same where its pages cannot be given back. Needs: a node that allocates, and no
 * launch so far. */
static bool gives_pages(void)
{
    return attribute(cudaGraphMemAttrReservedMemCurrent) == 0;
}

/* Fills memory of its own, adds to a digit there, and copies that to *out. */
static cudaGraph_t whole_graph(int *out, int **memory)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    int *p = add_memory(graph, NULL, 0, BYTES, &node);
    node = add_fill(graph, &node, p, 7, BYTES / 4);
    assert_success(add_append(&node, graph, &node, 1, p + BYTES / 4 - 1, 8));
    node = add_copy(graph, &node, out, p + BYTES / 4 - 1, sizeof *out);
    (void)add_free(graph, &node, p);
    *memory = p;
    return graph;
}

TEST_BODY(graph_memory_is_there_while_a_launch_uses_it)
{
    int *out = device_ints(1), *p = NULL;
    const cudaGraph_t graph = whole_graph(out, &p);
    const cudaGraphExec_t exec = instantiate(graph);
    struct cudaPointerAttributes told;
    for (int i = 0; i < 3; i++) {
        assert_fails(cudaErrorInvalidValue, cudaMemset(p, 0, 4));
        assert_success(cudaPointerGetAttributes(&told, p));
        assert_int_equal(told.type, cudaMemoryTypeUnregistered);
        assert_int_equal(result_of(exec, out), 78);
        assert_fails(cudaErrorInvalidValue, cudaFree(p));
    }
    assert_success(cudaGraphDestroy(graph));
    assert_int_equal(result_of(exec, out), 78);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaFree(out));
}

/* Only what is freed before may be there again, and only whole. */
TEST_BODY(graph_memory_is_shared_one_after_the_other)
{
    int *out = device_ints(2);
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t first = NULL, other = NULL, node = NULL, freed = NULL;
    int *p = add_memory(graph, NULL, 0, BYTES, &first);
    node = add_fill(graph, &first, p, 1, BYTES / 4);
    node = add_copy(graph, &node, out, p, 4);
    freed = add_free(graph, &node, p);
    int *beside = add_memory(graph, &node, 1, BYTES, &other);
    assert_ptr_not_equal(beside, p);
    int *larger = add_memory(graph, &freed, 1, (size_t)2 * BYTES, &other);
    assert_true(larger >= p + BYTES / 4 || larger + BYTES / 2 <= p);
    int *again = add_memory(graph, &freed, 1, BYTES / 4, &node);
    assert_ptr_equal(again, p);
    int *rest = add_memory(graph, &node, 1, BYTES / 4, &other);
    assert_true(rest >= again + BYTES / 16 && rest + BYTES / 16 <= p + BYTES / 4 + 64);
    other = add_fill(graph, &other, rest, 5, BYTES / 16);
    node = add_fill(graph, &other, again, 6, BYTES / 16);
    node = add_copy(graph, &node, out + 1, rest, 4);
    cudaGraphExec_t exec = NULL;
    assert_success(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(result_of(exec, out), 1);
        assert_int_equal(read_device_int(out + 1), 5);
    }
    assert_int_equal(read_device_int(again), 6);
    assert_success(cudaFree(beside));
    assert_success(cudaFree(larger));
    assert_success(cudaFree(again));
    assert_success(cudaFree(rest));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(out));
}

TEST_BODY(graph_memory_that_is_not_freed_outlives_its_graph)
{
    const cudaGraph_t graph = new_graph();
    const cudaStream_t stream = new_stream();
    cudaGraphNode_t node = NULL;
    int *p = add_memory(graph, NULL, 0, BYTES, &node), *later = NULL;
    (void)add_fill(graph, &node, p, 9, BYTES / 4);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphLaunch(exec, stream));
    assert_fails(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaDeviceGraphMemTrim(0));
    assert_int_equal(read_device_int(p + BYTES / 4 - 1), 9);
    assert_true(attribute(cudaGraphMemAttrUsedMemCurrent) >= BYTES);
    assert_true(attribute(cudaGraphMemAttrReservedMemCurrent) >= BYTES);
    assert_fails(cudaErrorInvalidValue, cudaFree(p + 1));
    assert_success(cudaFreeAsync(p, stream));
    assert_fails(cudaErrorInvalidValue, cudaFreeAsync(p, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(attribute(cudaGraphMemAttrUsedMemCurrent), 0);
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemCurrent), 0);
    assert_true(attribute(cudaGraphMemAttrReservedMemHigh) >= BYTES);
    assert_success(cudaMalloc((void **)&later, BYTES));
    assert_success(cudaFree(later));
    assert_success(cudaStreamDestroy(stream));
}

/* Nothing is given back that work still uses, though graph and memory are gone for the caller. */
TEST_BODY(graph_memory_stays_until_the_work_is_done)
{
    int *out = device_ints(1), *p = NULL;
    const cudaStream_t stream = new_stream();
    struct gate gate = GATE_INITIALIZER;
    cudaGraph_t graph = whole_graph(out, &p);
    const cudaGraphExec_t exec = instantiate(graph);
    gate_hold(&gate, stream);
    assert_success(cudaGraphLaunch(exec, stream));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaDeviceGraphMemTrim(0));
    assert_true(attribute(cudaGraphMemAttrReservedMemCurrent) >= BYTES);
    int *other = NULL;
    graph = whole_graph(out, &other);
    assert_ptr_not_equal(other, p);
    assert_success(cudaGraphDestroy(graph));
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(read_device_int(out), 78);
    assert_success(cudaDeviceGraphMemTrim(0));
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemCurrent), 0);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(out));
}

/* The next launch has the same memory, whatever stream and executable graph it is of. */
TEST_BODY(graph_memory_is_used_by_one_launch_after_the_other)
{
    int *out = device_ints(1), *p = NULL;
    const cudaStream_t first = new_stream(), second = new_stream();
    struct gate gate = GATE_INITIALIZER;
    const cudaGraph_t graph = whole_graph(out, &p);
    cudaGraphExec_t exec = instantiate(graph);
    gate_hold(&gate, first);
    assert_success(cudaGraphLaunch(exec, first));
    assert_success(cudaGraphExecDestroy(exec));
    exec = instantiate(graph);
    assert_success(cudaGraphLaunch(exec, second));
    assert_stays_busy(second);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(second));
    assert_int_equal(cudaStreamQuery(first), cudaSuccess);
    assert_int_equal(read_device_int(out), 78);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(first));
    assert_success(cudaStreamDestroy(second));
    assert_success(cudaFree(out));
}

TEST_BODY(graph_memory_is_trimmed_and_comes_back)
{
    int *out = device_ints(1), *p = NULL;
    const cudaGraph_t graph = whole_graph(out, &p);
    const bool can_give = gives_pages();
    const cudaGraphExec_t exec = instantiate(graph);
    unsigned long long zero = 0;
    assert_int_equal(result_of(exec, out), 78);
    assert_true(attribute(cudaGraphMemAttrUsedMemCurrent) >= BYTES);
    assert_success(cudaDeviceGraphMemTrim(0));
    assert_int_equal(attribute(cudaGraphMemAttrUsedMemCurrent), 0);
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemCurrent) == 0, can_give);
    assert_true(attribute(cudaGraphMemAttrUsedMemHigh) >= BYTES);
    assert_success(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    assert_int_equal(attribute(cudaGraphMemAttrUsedMemHigh), 0);
    assert_int_equal(result_of(exec, out), 78);
    assert_true(attribute(cudaGraphMemAttrReservedMemCurrent) >= BYTES);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaDeviceGraphMemTrim(0));
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemCurrent), 0);
    assert_success(cudaFree(out));
}

TEST_BODY(graph_memory_is_freed_by_the_next_launch_if_asked)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    cudaGraphExec_t exec = NULL;
    int *p = add_memory(graph, NULL, 0, 64, &node);
    (void)add_fill(graph, &node, p, 3, 16);
    assert_success(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int i = 0; i < 3; i++)
        assert_success(cudaGraphLaunch(exec, NULL));
    assert_int_equal(read_device_int(p), 3);
    assert_success(cudaFree(p));
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaFree(p));
    assert_success(cudaGraphDestroy(graph));
}

TEST_BODY(graph_memory_is_captured)
{
    int *out = device_ints(4), result[4] = {0};
    const cudaStream_t stream = new_stream();
    cudaGraph_t graph = NULL;
    cudaMemPool_t pool = NULL;
    int *p = NULL, *q = NULL;
    assert_success(cudaDeviceGetDefaultMemPool(&pool, 0));
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_success(cudaMallocAsync((void **)&p, BYTES, stream));
    assert_success(cudaMallocFromPoolAsync((void **)&q, BYTES, pool, stream));
    assert_ptr_not_equal(p, q);
    assert_success(cudaMemsetAsync(p, 1, BYTES, stream));
    assert_success(cudaMemcpyAsync(q, p, BYTES, cudaMemcpyDeviceToDevice, stream));
    assert_success(cudaMemcpy2DAsync(out, 8, q, 16, 8, 2, cudaMemcpyDefault, stream));
    assert_success(cudaFreeAsync(p, stream));
    assert_success(cudaFreeAsync(q, stream));
    assert_success(cudaFreeAsync(NULL, stream));
    assert_fails(cudaErrorInvalidValue, cudaFreeAsync(out, stream));
    assert_success(cudaStreamEndCapture(stream, &graph));
    const cudaGraphExec_t exec = instantiate(graph);
    for (int i = 0; i < 3; i++) {
        assert_success(cudaMemset(out, 0, sizeof result));
        assert_success(cudaDeviceSynchronize()); /* the stream waits for no other */
        assert_success(cudaGraphLaunch(exec, stream));
        assert_success(cudaStreamSynchronize(stream));
        assert_success(cudaMemcpy(result, out, sizeof result, cudaMemcpyDefault));
        for (int k = 0; k < 4; k++)
            assert_int_equal(result[k], 0x01010101);
    }
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_fails(cudaErrorNotSupported, cudaGraphLaunch(exec, stream));
    cudaGraph_t empty = NULL;
    assert_success(cudaStreamEndCapture(stream, &empty));
    assert_success(cudaGraphDestroy(empty));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(out));
}

TEST_BODY(graph_memory_refuses_what_would_copy_it)
{
    int *out = device_ints(1), *p = NULL;
    const cudaGraph_t graph = whole_graph(out, &p), parent = new_graph();
    cudaGraph_t clone = NULL;
    cudaGraphNode_t node = NULL, nodes[8];
    cudaGraphExec_t second = NULL;
    size_t count = 8;
    assert_fails(cudaErrorNotSupported, cudaGraphClone(&clone, graph));
    assert_fails(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&node, parent, NULL, 0, graph));
    assert_success(cudaGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 5);
    assert_fails(cudaErrorNotSupported, cudaGraphDestroyNode(nodes[1]));
    assert_fails(cudaErrorNotSupported,
                 cudaGraphRemoveDependencies(graph, nodes, nodes + 1, NULL, 1));
    cudaGraphExec_t exec = instantiate(graph);
    assert_fails(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0));
    assert_success(cudaGraphExecUpdate(exec, graph, NULL));
    assert_int_equal(result_of(exec, out), 78);
    assert_success(cudaGraphExecDestroy(exec));
    exec = instantiate(graph);
    assert_int_equal(result_of(exec, out), 78);
    assert_success(cudaGraphExecDestroy(exec));
    /* Given away, it is its new owner's alone. */
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeGraph};
    params.graph.graph = graph;
    params.graph.ownership = cudaGraphChildGraphOwnershipMove;
    assert_success(cudaGraphAddNode(&node, parent, NULL, NULL, 0, &params));
    assert_fails(cudaErrorNotSupported, cudaGraphClone(&clone, parent));
    struct cudaMemAllocNodeParams more = of_bytes(64);
    assert_fails(cudaErrorNotSupported, cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &more));
    assert_int_equal(run_and_end(parent, out), 78);
    assert_success(cudaFree(out));
}

TEST_BODY(graph_memory_nodes_tell_what_they_do)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL, freed = NULL;
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    struct cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0},
                                       cudaMemAccessFlagsProtReadWrite};
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemAlloc};
    struct cudaMemAllocNodeParams told;
    void *address = NULL;
    params.alloc.poolProps = of_bytes(0).poolProps;
    params.alloc.bytesize = 1000;
    params.alloc.accessDescCount = 1;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    params.alloc.accessDescs = &access;
    access.flags = (enum cudaMemAccessFlags)9;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    access.flags = cudaMemAccessFlagsProtReadWrite;
    assert_success(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    access.location.id = 5;
    assert_success(cudaGraphNodeGetType(node, &type));
    assert_int_equal(type, cudaGraphNodeTypeMemAlloc);
    assert_success(cudaGraphMemAllocNodeGetParams(node, &told));
    assert_ptr_equal(told.dptr, params.alloc.dptr);
    assert_int_equal(told.bytesize, 1000);
    assert_int_equal(told.accessDescCount, 1);
    assert_int_equal(told.accessDescs[0].location.id, 0);
    params = (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemFree};
    params.free.dptr = told.dptr;
    assert_success(cudaGraphAddNode(&freed, graph, &node, NULL, 1, &params));
    assert_success(cudaGraphMemFreeNodeGetParams(freed, &address));
    assert_ptr_equal(address, told.dptr);
    assert_fails(cudaErrorInvalidValue, cudaGraphMemFreeNodeGetParams(freed, NULL));
    assert_fails(cudaErrorNotSupported, cudaGraphNodeSetParams(freed, &params));
    assert_success(cudaGraphDestroy(graph));
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemCurrent), 0);
}

/* What the nodes before have allocated is freed, so that the next launch is none over it. */
TEST_BODY(graph_memory_is_freed_where_a_launch_ends_early)
{
    int *gone = device_ints(4);
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    int *p = add_memory(graph, NULL, 0, 64, &node);
    int *unfreed = add_memory(graph, &node, 1, 64, &node);
    node = add_fill(graph, &node, gone, 1, 4);
    (void)add_free(graph, &node, p);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaFree(unfreed));
    assert_success(cudaFree(gone));
    for (int i = 0; i < 2; i++) {
        assert_fails(cudaErrorInvalidValue, cudaGraphLaunch(exec, NULL));
        assert_fails(cudaErrorInvalidValue, cudaMemset(p, 0, 4));
        assert_fails(cudaErrorInvalidValue, cudaFree(unfreed));
    }
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
}

TEST_BODY(graph_memory_goes_with_its_context)
{
    int *p = NULL, *out = device_ints(1);
    const cudaGraph_t graph = whole_graph(out, &p), other = new_graph();
    cudaGraphNode_t node = NULL;
    int *unfreed = add_memory(other, NULL, 0, BYTES, &node);
    const cudaGraphExec_t exec = instantiate(graph), second = instantiate(other);
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaGraphLaunch(second, NULL));
    assert_success(cudaDeviceReset());
    assert_success(cudaSetDevice(0));
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemCurrent), 0);
    assert_fails(cudaErrorContextIsDestroyed, cudaGraphLaunch(second, NULL));
    assert_fails(cudaErrorInvalidValue, cudaFree(unfreed));
    assert_success(cudaGraphExecDestroy(second));
    assert_success(cudaGraphDestroy(other));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    out = device_ints(1);
    const cudaGraph_t third = new_graph();
    p = add_memory(third, NULL, 0, BYTES, &node);
    node = add_fill(third, &node, p, 4, 1);
    node = add_copy(third, &node, out, p, 4);
    (void)add_free(third, &node, p);
    assert_int_equal(run_and_end(third, out), 4);
    assert_success(cudaFree(out));
}

/* Graphs of many nodes lie in few blocks, and are made in a time that grows as they do. */
TEST_BODY(graph_memory_of_many_nodes)
{
    enum { NODES = 5000 };
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    int *p = add_memory(graph, NULL, 0, 1024, &node), *first = p;
    size_t moved = 0;
    for (int i = 0; i < NODES; i++) {
        node = add_fill(graph, &node, p, (unsigned)i, 256);
        node = add_free(graph, &node, p);
        p = add_memory(graph, &node, 1, 1024, &node);
        moved += p != first;
    }
    assert_int_equal(moved, 0);
    int *apart[100];
    for (int i = 0; i < 100; i++)
        apart[i] = add_memory(graph, &node, 1, BYTES, &node);
    for (int i = 1; i < 100; i++)
        assert_true(apart[i] >= apart[i - 1] + BYTES / 4 || apart[i] < apart[i - 1]);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_int_equal(read_device_int(p), NODES - 1);
    for (int i = 0; i < 100; i++)
        assert_success(cudaFree(apart[i]));
    assert_success(cudaFree(p));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemCurrent), 0);
}

struct launching {
    int digit, *out;
};

static void *launch_often(void *data)
{
    const struct launching *own = data;
    cudaGraph_t graph = NULL;
    cudaGraphNode_t node = NULL, last = NULL;
    cudaGraphExec_t exec = NULL;
    cudaStream_t stream = NULL;
    struct cudaMemAllocNodeParams params = of_bytes(4096);
    struct cudaMemsetParams set = {.elementSize = 4, .width = 1024, .height = 1};
    THREAD_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < 20; i++) {
        THREAD_SUCCESS(cudaGraphCreate(&graph, 0));
        THREAD_SUCCESS(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
        set.dst = params.dptr;
        set.value = (unsigned)(own->digit + i);
        THREAD_SUCCESS(cudaGraphAddMemsetNode(&last, graph, &node, 1, &set));
        THREAD_SUCCESS(cudaGraphAddMemcpyNode1D(&last, graph, &last, 1, own->out, params.dptr, 4,
                                                cudaMemcpyDefault));
        THREAD_SUCCESS(cudaGraphAddMemFreeNode(&last, graph, &last, 1, params.dptr));
        THREAD_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
        for (int k = 0; k < 5; k++)
            THREAD_SUCCESS(cudaGraphLaunch(exec, stream));
        THREAD_SUCCESS(cudaGraphExecDestroy(exec));
        THREAD_SUCCESS(cudaGraphDestroy(graph));
        if (i % 4 == 0)
            THREAD_SUCCESS(cudaDeviceGraphMemTrim(0));
        int value = -1;
        THREAD_SUCCESS(
            cudaMemcpyAsync(&value, own->out, sizeof value, cudaMemcpyDeviceToHost, stream));
        THREAD_SUCCESS(cudaStreamSynchronize(stream));
        THREAD_CHECK(value == own->digit + i);
    }
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

TEST_BODY(graph_memory_of_many_threads)
{
    enum { THREADS = 4 };
    struct launching all[THREADS];
    int *out = device_ints(THREADS);
    for (int i = 0; i < THREADS; i++)
        all[i] = (struct launching){1000 * i, out + i};
    run_threads(THREADS, launch_often, all, sizeof all[0]);
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaDeviceGraphMemTrim(0));
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemCurrent), 0);
    assert_success(cudaFree(out));
}

/* Values are written where the graph is still to allocate, and nowhere else. */
TEST_BODY(graph_memory_takes_operations_on_values)
{
    int *out = device_ints(1);
    CUgraph graph = (CUgraph)new_graph();
    CUcontext context = NULL;
    cudaGraphNode_t node = NULL;
    CUgraphNode written = NULL;
    int *p = add_memory((cudaGraph_t)graph, NULL, 0, 64, &node);
    CUstreamBatchMemOpParams operation;
    memset(&operation, 0, sizeof operation);
    operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operation.writeValue.address = (CUdeviceptr)(uintptr_t)(p + 1);
    operation.writeValue.value = 31;
    assert_int_equal(cuCtxGetCurrent(&context), CUDA_SUCCESS);
    const CUDA_BATCH_MEM_OP_NODE_PARAMS params = {context, 1, &operation, 0};
    assert_int_equal(cuStreamBatchMemOp(NULL, 1, &operation, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphAddBatchMemOpNode(&written, graph, (CUgraphNode *)&node, 1, &params),
                     CUDA_SUCCESS);
    node = add_copy((cudaGraph_t)graph, (cudaGraphNode_t *)&written, out, p + 1, 4);
    (void)add_free((cudaGraph_t)graph, &node, p);
    assert_int_equal(run_and_end((cudaGraph_t)graph, out), 31);
    assert_success(cudaFree(out));
}

TEST_BODY(graph_memory_is_not_within_conditions)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    cudaGraphExec_t exec = NULL;
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
    struct cudaMemAllocNodeParams memory = of_bytes(64);
    assert_success(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 0, 0));
    params.conditional.type = cudaGraphCondTypeIf;
    params.conditional.size = 1;
    assert_success(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    assert_fails(
        cudaErrorNotSupported,
        cudaGraphAddMemAllocNode(&node, params.conditional.phGraph_out[0], NULL, 0, &memory));
    (void)add_memory(graph, NULL, 0, 64, &node);
    assert_success(cudaGraphInstantiate(&exec, graph, 0));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
}

TEST_BODY(graph_memory_by_the_driver_api)
{
    int *out = device_ints(1);
    CUgraph graph = NULL;
    CUgraphNode node = NULL, freed = NULL;
    CUgraphExec exec = NULL;
    CUDA_MEM_ALLOC_NODE_PARAMS params, told;
    CUdeviceptr address = 0;
    unsigned long long bytes = 77;
    memset(&params, 0, sizeof params);
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = 256;
    assert_int_equal(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    assert_int_equal(cuGraphAddMemAllocNode(&node, graph, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params), CUDA_SUCCESS);
    assert_int_equal(cuGraphMemAllocNodeGetParams(node, &told), CUDA_SUCCESS);
    assert_true(told.dptr == params.dptr && told.bytesize == 256);
    node = (CUgraphNode)add_fill((cudaGraph_t)graph, (cudaGraphNode_t *)&node,
                                 (void *)(uintptr_t)params.dptr, 12, 64);
    node = (CUgraphNode)add_copy((cudaGraph_t)graph, (cudaGraphNode_t *)&node, out,
                                 (void *)(uintptr_t)params.dptr, 4);
    CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE};
    any.free.dptr = params.dptr;
    assert_int_equal(cuGraphAddNode(&freed, graph, &node, NULL, 1, &any), CUDA_SUCCESS);
    assert_int_equal(cuGraphAddMemFreeNode(&freed, graph, &node, 1, params.dptr),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphMemFreeNodeGetParams(freed, &address), CUDA_SUCCESS);
    assert_true(address == params.dptr);
    assert_int_equal(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
    assert_int_equal(result_of((cudaGraphExec_t)exec, out), 12);
    assert_int_equal(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &bytes),
                     CUDA_SUCCESS);
    assert_int_equal(bytes, 256);
    bytes = 0;
    assert_int_equal(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &bytes),
                     CUDA_SUCCESS);
    assert_int_equal(cuDeviceGraphMemTrim(0), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGraphMemTrim(99), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    assert_int_equal(cuGraphDestroy(graph), CUDA_SUCCESS);
    assert_success(cudaFree(out));
}
