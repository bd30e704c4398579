/* Tests of facade/replay/graph_exec.c: instantiating, launching, ending.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "tests/facade/graph_support.h"

/* 1 before 2 and 3, both before 4. */
static cudaGraph_t diamond(int *p, cudaGraphNode_t nodes[4])
{
    const cudaGraph_t graph = new_graph();
    assert_success(add_append(nodes, graph, NULL, 0, p, 1));
    assert_success(add_append(nodes + 1, graph, nodes, 1, p, 2));
    assert_success(add_append(nodes + 2, graph, nodes, 1, p, 3));
    assert_success(add_append(nodes + 3, graph, nodes + 1, 2, p, 4));
    return graph;
}

TEST_BODY(graph_exec_keeps_the_order_of_edges)
{
    int *p = device_ints(1);
    cudaGraphNode_t nodes[4];
    const cudaGraph_t graph = diamond(p, nodes);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; i++) {
        const int result = result_of(exec, p);
        assert_true(result == 1234 || result == 1324);
    }
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaFree(p));
}

/* Edges that were added later go against the order of the nodes. */
TEST_BODY(graph_exec_may_go_backwards)
{
    int *p = device_ints(1);
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[3];
    for (int i = 0; i < 3; i++)
        assert_success(add_append(nodes + i, graph, NULL, 0, p, i + 1));
    assert_success(cudaGraphAddDependencies(graph, nodes + 1, nodes, NULL, 2));
    assert_int_equal(run_and_end(graph, p), 321);
    assert_success(cudaFree(p));
}

TEST_BODY(graph_exec_refuses_bad_arguments)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec = (cudaGraphExec_t)(uintptr_t)77;
    cudaGraphInstantiateParams params = {.flags = 0x100};
    unsigned long long flags = 77;
    assert_fails(cudaErrorInvalidValue, cudaGraphInstantiate(NULL, graph, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, NULL, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0x10));
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagUpload));
    assert_fails(cudaErrorNotSupported,
                 cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
    assert_fails(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, NULL));
    assert_fails(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, cudaGraphInstantiateError);
    params.flags = cudaGraphInstantiateFlagDeviceLaunch;
    assert_fails(cudaErrorNotSupported, cudaGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, cudaGraphInstantiateNodeOperationNotSupported);
    assert_ptr_equal(exec, (void *)(uintptr_t)77);
    assert_fails(cudaErrorInvalidValue, cudaGraphLaunch(exec, NULL));
    assert_fails(cudaErrorInvalidValue, cudaGraphUpload(NULL, NULL));
    assert_fails(cudaErrorInvalidValue, cudaGraphExecDestroy(exec));
    params.flags = cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
    assert_success(cudaGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, cudaGraphInstantiateSuccess);
    assert_fails(cudaErrorInvalidValue, cudaGraphExecGetFlags(exec, NULL));
    assert_success(cudaGraphExecGetFlags(exec, &flags));
    assert_int_equal(flags, cudaGraphInstantiateFlagUpload);
    assert_success(cudaGraphUpload(exec, NULL));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaGraphLaunch(exec, (cudaStream_t)(uintptr_t)4096));
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaGraphExecDestroy(exec));
    assert_fails(cudaErrorInvalidValue, cudaGraphLaunch(exec, NULL));
    assert_success(cudaGraphDestroy(graph));
}

TEST_BODY(graph_exec_refuses_circles)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[3];
    cudaGraphExec_t exec = NULL;
    cudaGraphInstantiateParams params = {0};
    for (int i = 0; i < 3; i++)
        assert_success(cudaGraphAddEmptyNode(nodes + i, graph, nodes, (size_t)i));
    assert_success(cudaGraphAddDependencies(graph, nodes + 2, nodes + 1, NULL, 1));
    assert_fails(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, cudaGraphInstantiateInvalidStructure);
    assert_true(params.errNode_out == nodes[1] || params.errNode_out == nodes[2]);
    assert_success(cudaGraphRemoveDependencies(graph, nodes + 2, nodes + 1, NULL, 1));
    assert_success(cudaGraphInstantiateWithParams(&exec, graph, &params));
    assert_null(params.errNode_out);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
}

/* A launch comes behind the last one of the same graph, also in a stream that does not. */
TEST_BODY(graph_exec_does_not_overlap_with_itself)
{
    static struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1);
    cudaGraphNode_t nodes[4];
    const cudaGraph_t graph = diamond(p, nodes);
    const cudaGraphExec_t exec = instantiate(graph);
    const cudaStream_t one = new_stream(), other = new_stream();
    gate_hold(&gate, one);
    assert_success(cudaGraphLaunch(exec, one));
    assert_success(cudaGraphLaunch(exec, other));
    assert_stays_busy(other);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(other));
    assert_int_equal(cudaStreamQuery(one), cudaSuccess);
    const int result = read_device_int(p);
    assert_true(result / 10000 == 1234 || result / 10000 == 1324);
    assert_success(cudaStreamDestroy(one));
    assert_success(cudaStreamDestroy(other));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
}

TEST_BODY(graph_exec_may_end_while_it_runs)
{
    static struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1);
    cudaGraphNode_t nodes[4];
    const cudaGraph_t graph = diamond(p, nodes);
    const cudaGraphExec_t exec = instantiate(graph);
    const cudaStream_t stream = new_stream();
    gate_hold(&gate, stream);
    assert_success(cudaGraphLaunch(exec, stream));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_stays_busy(stream);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    const int result = read_device_int(p);
    assert_true(result == 1234 || result == 1324);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* Work in the legacy stream comes behind a graph in a blocking stream, and the other way round. */
TEST_BODY(graph_exec_follows_the_legacy_stream)
{
    static struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1);
    cudaStream_t blocking = NULL;
    cudaGraphNode_t nodes[4];
    const cudaGraph_t graph = diamond(p, nodes);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaStreamCreate(&blocking));
    gate_hold(&gate, NULL);
    assert_success(cudaGraphLaunch(exec, blocking));
    assert_success(cudaMemsetAsync(p, 0, sizeof *p, NULL));
    assert_stays_busy(blocking);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(NULL));
    assert_int_equal(cudaStreamQuery(blocking), cudaSuccess);
    assert_int_equal(read_device_int(p), 0);
    assert_success(cudaStreamDestroy(blocking));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(p));
}

/* What a graph names may be gone: its launch fails, and nothing else does. */
TEST_BODY(graph_exec_of_what_is_gone)
{
    int *p = device_ints(1);
    const cudaLibrary_t library = load_text(graph_kernels);
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[4];
    int digit = 1;
    void *arguments[] = {&p, &digit};
    const struct cudaKernelNodeParams params = {
        .func = (void *)(uintptr_t)find_kernel(library, "append"),
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = arguments,
    };
    assert_success(cudaGraphAddKernelNode(nodes, graph, NULL, 0, &params));
    const cudaGraphExec_t exec = instantiate(graph);
    assert_int_equal(result_of(exec, p), 1);
    assert_success(cudaLibraryUnload(library));
    assert_fails(cudaErrorInvalidResourceHandle, cudaGraphLaunch(exec, NULL));
    const cudaGraph_t second = diamond(p, nodes);
    const cudaGraphExec_t reset = instantiate(second);
    const int result = result_of(reset, p);
    assert_true(result == 1234 || result == 1324);
    assert_success(cudaDeviceReset());
    assert_int_not_equal(cudaGraphLaunch(reset, NULL), cudaSuccess);
    (void)cudaGetLastError();
    assert_success(cudaGraphExecDestroy(reset));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(second));
    assert_success(cudaGraphDestroy(graph));
    int *q = device_ints(1);
    assert_success(cudaFree(q));
}

/* Handles are at the addresses of others that were freed: a node's own is still gone. */
TEST_BODY(graph_exec_takes_no_other_for_what_is_gone)
{
    int *p = device_ints(1);
    cudaLibrary_t library = load_text(graph_kernels);
    const cudaGraph_t graph = new_graph(), marking = new_graph(), filling = new_graph();
    const struct cudaChannelFormatDesc texel = {32, 0, 0, 0, cudaChannelFormatKindSigned};
    const struct cudaExtent extent = {1, 1, 1};
    cudaGraphNode_t node = NULL;
    cudaEvent_t event = NULL;
    cudaArray_t array = NULL;
    int digit = 1;
    void *arguments[] = {&p, &digit};
    const struct cudaKernelNodeParams params = {
        .func = (void *)(uintptr_t)find_kernel(library, "append"),
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = arguments,
    };
    assert_success(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    assert_success(cudaEventCreate(&event));
    assert_success(cudaGraphAddEventRecordNode(&node, marking, NULL, 0, event));
    assert_success(cudaMallocArray(&array, &texel, 1, 0, 0));
    assert_success(cudaGraphAddMemcpyNode(&node, filling, NULL, 0,
                                          &(struct cudaMemcpy3DParms){.srcPtr = {&digit, 4, 4, 1},
                                                                      .dstArray = array,
                                                                      .extent = extent,
                                                                      .kind = cudaMemcpyDefault}));
    const cudaGraphExec_t execs[] = {instantiate(graph), instantiate(marking),
                                     instantiate(filling)};
    for (int i = 0; i < 3; i++)
        assert_success(cudaGraphLaunch(execs[i], NULL));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaFreeArray(array));
    library =
        load_text("kernel void other(global int *p, global int *q, global int *r) { *r = 7; }");
    (void)find_kernel(library, "other");
    assert_success(cudaEventCreate(&event));
    assert_success(cudaMallocArray(&array, &texel, 1, 0, 0));
    for (int i = 0; i < 3; i++)
        assert_fails(cudaErrorInvalidResourceHandle, cudaGraphLaunch(execs[i], NULL));
    assert_success(cudaDeviceSynchronize());
    for (int i = 0; i < 3; i++)
        assert_success(cudaGraphExecDestroy(execs[i]));
    assert_success(cudaGraphDestroy(filling));
    assert_success(cudaGraphDestroy(marking));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFreeArray(array));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFree(p));
}

struct ending {
    cudaGraphExec_t exec;
    cudaError_t error;
};

static void end_in_host_function(void *data)
{
    struct ending *ending = data;
    ending->error = cudaGraphExecDestroy(ending->exec);
}

/* What a launch made for an executable graph would stay behind. */
TEST_BODY(graph_exec_is_not_ended_by_host_functions)
{
    struct ending ending = {NULL, cudaSuccess};
    const struct cudaHostNodeParams call = {end_in_host_function, &ending};
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphAddHostNode(&node, graph, NULL, 0, &call));
    ending.exec = instantiate(graph);
    for (int i = 0; i < 2; i++) {
        ending.error = cudaSuccess;
        assert_success(cudaGraphLaunch(ending.exec, NULL));
        assert_success(cudaDeviceSynchronize());
        assert_int_equal(ending.error, cudaErrorNotPermitted);
    }
    assert_success(cudaGraphExecDestroy(ending.exec));
    assert_success(cudaGraphDestroy(graph));
}

/* What was allocated when a node was made does not count as the host's own memory when it is freed. */
TEST_BODY(graph_exec_copies_no_memory_that_is_gone)
{
    enum { BYTES = 1 << 22 };
    static char mine[BYTES];
    void *memory[3] = {NULL};
    assert_success(cudaMalloc(&memory[0], BYTES));
    assert_success(cudaMallocHost(&memory[1], BYTES));
    assert_success(cudaMallocManaged(&memory[2], BYTES, cudaMemAttachGlobal));
    for (int i = 0; i < 6; i++) {
        const cudaGraph_t graph = new_graph();
        cudaGraphNode_t node = NULL;
        void *const to = i < 3 ? memory[i] : mine, *const from = i < 3 ? mine : memory[i - 3];
        assert_success(
            cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, from, BYTES, cudaMemcpyDefault));
        const cudaGraphExec_t exec = instantiate(graph);
        assert_success(cudaGraphLaunch(exec, NULL));
        assert_success(cudaDeviceSynchronize());
        assert_success(i % 3 == 1 ? cudaFreeHost(memory[1]) : cudaFree(memory[i % 3]));
        assert_fails(cudaErrorInvalidValue, cudaGraphLaunch(exec, NULL));
        assert_success(cudaDeviceSynchronize());
        assert_success(cudaGraphExecDestroy(exec));
        assert_success(cudaGraphDestroy(graph));
        if (i == 0)
            assert_success(cudaMalloc(&memory[0], BYTES));
        else if (i == 1)
            assert_success(cudaMallocHost(&memory[1], BYTES));
        else if (i == 2)
            assert_success(cudaMallocManaged(&memory[2], BYTES, cudaMemAttachGlobal));
    }
}

struct own_graph {
    int *p;
    int result;
};

static void *use_own_graph(void *data)
{
    struct own_graph *own = data;
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL, clone = NULL;
    cudaGraphExec_t exec = NULL;
    cudaGraphNode_t node = NULL;
    THREAD_SUCCESS(cudaStreamCreate(&stream));
    for (int round = 0; round < 20; round++) {
        THREAD_SUCCESS(cudaMemsetAsync(own->p, 0, sizeof *own->p, stream));
        THREAD_SUCCESS(cudaGraphCreate(&graph, 0));
        for (int i = 1; i <= 4; i++)
            THREAD_SUCCESS(add_append(&node, graph, &node, i > 1, own->p, i));
        THREAD_SUCCESS(cudaGraphClone(&clone, graph));
        THREAD_SUCCESS(cudaGraphInstantiate(&exec, clone, 0));
        THREAD_SUCCESS(cudaGraphLaunch(exec, stream));
        THREAD_SUCCESS(cudaGraphDestroy(graph));
        THREAD_SUCCESS(cudaGraphDestroy(clone));
        THREAD_SUCCESS(cudaGraphExecDestroy(exec));
        THREAD_SUCCESS(
            cudaMemcpyAsync(&own->result, own->p, sizeof *own->p, cudaMemcpyDeviceToHost, stream));
        THREAD_SUCCESS(cudaStreamSynchronize(stream));
        THREAD_CHECK(own->result == 1234);
    }
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

TEST_BODY(graph_exec_of_many_threads)
{
    struct own_graph own[4];
    int *p = device_ints(4);
    for (int i = 0; i < 4; i++)
        own[i] = (struct own_graph){p + i, 0};
    run_threads(4, use_own_graph, own, sizeof own[0]);
    assert_success(cudaFree(p));
}

/* Nodes of two devices in one graph, each behind the one before. */
TEST_BODY(graph_exec_spans_devices)
{
    static struct gate gate = GATE_INITIALIZER;
    int count = 0, *p[2], value = 0;
    setenv("POCL_DEVICES", "pthread pthread", 0); /* PoCL makes as many as it is asked for */
    assert_success(cudaGetDeviceCount(&count));
    if (count < 2)
        TEST_SKIP("needs two devices");
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[5];
    cudaLibrary_t library = load_text(graph_kernels);
    const void *append = find_kernel(library, "append");
    for (int i = 0; i < 5; i++) {
        int digit = i + 1;
        assert_success(cudaSetDevice(i % 2));
        if (i < 2)
            p[i] = device_ints(1);
        void *arguments[] = {&p[i % 2], &digit};
        const struct cudaKernelNodeParams params = {
            .func = (void *)(uintptr_t)append,
            .gridDim = {1, 1, 1},
            .blockDim = {1, 1, 1},
            .kernelParams = arguments,
        };
        if (i == 4)
            assert_success(cudaGraphAddMemcpyNode1D(nodes + i, graph, nodes + i - 1, 1, p[0], p[1],
                                                    sizeof *p[0], cudaMemcpyDefault));
        else
            assert_success(
                cudaGraphAddKernelNode(nodes + i, graph, nodes + i - (i > 0), i > 0, &params));
    }
    for (int device = 0; device < 2; device++) {
        assert_success(cudaSetDevice(device));
        const cudaStream_t stream = new_stream();
        const cudaGraphExec_t exec = instantiate(graph);
        if (device == 0)
            gate_hold(&gate, stream);
        assert_success(cudaGraphLaunch(exec, stream));
        if (device == 0) {
            assert_stays_busy(stream);
            gate_open(&gate);
        }
        assert_success(cudaStreamSynchronize(stream));
        assert_success(cudaMemcpy(&value, p[0], sizeof value, cudaMemcpyDefault));
        assert_int_equal(value, device == 0 ? 24 : 2424);
        assert_success(cudaGraphExecDestroy(exec));
        assert_success(cudaStreamDestroy(stream));
    }
    assert_success(cudaGraphDestroy(graph));
}
