/* Tests of facade/stream/capture_calls.c and facade/graph/capture.c: streams that capture.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda.h>

#include "tests/facade/graph_support.h"

static void begin(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    assert_success(cudaStreamBeginCapture(stream, mode));
}

static cudaGraph_t end(cudaStream_t stream)
{
    cudaGraph_t graph = NULL;
    assert_success(cudaStreamEndCapture(stream, &graph));
    assert_non_null(graph);
    return graph;
}

static void assert_spoilt(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = (cudaGraph_t)(uintptr_t)77;
    assert_success(cudaStreamIsCapturing(stream, &status));
    assert_int_equal(status, cudaStreamCaptureStatusInvalidated);
    assert_fails(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    assert_null(graph);
    assert_success(cudaStreamIsCapturing(stream, &status));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
}

static void append(int *p, int digit, cudaStream_t stream)
{
    void *arguments[] = {&p, &digit};
    assert_success(launch_1d(graph_kernel("append"), 1, 1, arguments, 0, stream));
}

static size_t count_nodes(cudaGraph_t graph)
{
    size_t count = 0;
    assert_success(cudaGraphGetNodes(graph, NULL, &count));
    return count;
}

static void times_two(void *data)
{
    *(int *)data *= 2;
}

TEST_BODY(capture_makes_nodes_of_work)
{
    int *p = device_ints(1), number = 3, to = 0;
    const cudaStream_t stream = new_stream();
    cudaGraphNode_t nodes[8];
    size_t count = 8;
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_success(cudaMemsetAsync(p, 0, sizeof *p, stream));
    append(p, 1, stream);
    append(p, 2, stream);
    assert_success(cudaMemcpyAsync(&to, p, sizeof to, cudaMemcpyDeviceToHost, stream));
    assert_success(cudaLaunchHostFunc(stream, times_two, &number));
    const cudaGraph_t graph = end(stream);
    assert_true(number == 3 && to == 0 && read_device_int(p) == 0);
    assert_success(cudaGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 5);
    const enum cudaGraphNodeType types[] = {cudaGraphNodeTypeMemset, cudaGraphNodeTypeKernel,
                                            cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
                                            cudaGraphNodeTypeHost};
    for (int i = 0; i < 5; i++) {
        enum cudaGraphNodeType type = cudaGraphNodeTypeCount;
        assert_success(cudaGraphNodeGetType(nodes[i], &type));
        assert_int_equal(type, types[i]);
    }
    struct cudaMemcpy3DParms copy;
    assert_success(cudaGraphMemcpyNodeGetParams(nodes[3], &copy));
    assert_true(copy.srcPtr.ptr == p && copy.dstPtr.ptr == &to && copy.extent.width == sizeof to);
    assert_int_equal(copy.kind, cudaMemcpyDeviceToHost);
    const cudaGraphExec_t exec = instantiate(graph);
    for (int i = 0; i < 2; i++)
        assert_success(cudaGraphLaunch(exec, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_true(number == 12 && to == 12);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* Rows, volumes and arrays, whose nodes can be asked for and made again. */
TEST_BODY(capture_of_rows_and_arrays)
{
    static int from[4][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
    int to[2][2] = {{0}}, *p = device_ints(16);
    const cudaStream_t stream = new_stream();
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
    cudaArray_t array = NULL;
    cudaGraphNode_t nodes[4], again[2];
    size_t count = 4;
    assert_success(cudaMallocArray(&array, &format, 4, 4, 0));
    begin(stream, cudaStreamCaptureModeThreadLocal);
    assert_success(cudaMemcpy2DAsync(p, 16, from, 16, 16, 4, cudaMemcpyHostToDevice, stream));
    assert_success(
        cudaMemcpy2DToArrayAsync(array, 4, 1, p, 16, 12, 3, cudaMemcpyDeviceToDevice, stream));
    assert_success(
        cudaMemcpy2DFromArrayAsync(to, 8, array, 8, 2, 8, 2, cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph = end(stream);
    assert_success(cudaGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 3);
    struct cudaMemcpy3DParms copy;
    assert_success(cudaGraphMemcpyNodeGetParams(nodes[1], &copy));
    assert_true(copy.dstArray == array && copy.dstPos.x == 1 && copy.dstPos.y == 1 &&
                copy.dstPos.z == 0 && copy.extent.width == 3 && copy.extent.height == 3);
    for (int round = 0; round < 2; round++) {
        const cudaGraphExec_t exec = instantiate(graph);
        memset(to, 0, sizeof to);
        assert_success(cudaGraphLaunch(exec, stream));
        assert_success(cudaStreamSynchronize(stream));
        assert_true(to[0][0] == 6 && to[0][1] == 7 && to[1][0] == 10 && to[1][1] == 11);
        assert_success(cudaGraphExecDestroy(exec));
        if (round == 0) {
            for (int i = 0; i < 2; i++) {
                assert_success(cudaGraphMemcpyNodeGetParams(nodes[i + 1], &copy));
                assert_success(
                    cudaGraphAddMemcpyNode(again + i, graph, i == 0 ? nodes : again, 1, &copy));
                assert_success(cudaGraphDestroyNode(nodes[i + 1]));
            }
        }
    }
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaFreeArray(array));
    assert_fails(cudaErrorInvalidResourceHandle, cudaGraphLaunch(exec, stream));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* A node has the parameters of rows alone: slices are nodes, or rows of one. */
TEST_BODY(capture_of_volumes_keeps_every_slice)
{
    enum { WIDTH = 5, HEIGHT = 3, DEPTH = 4, MOST = 4096 };
    static unsigned char bytes[MOST];
    for (size_t rows = HEIGHT; rows <= HEIGHT + 1; rows++) {
        const cudaStream_t stream = new_stream();
        const size_t pitch = 16, all = pitch * rows * DEPTH;
        cudaGraphNode_t nodes[DEPTH];
        struct cudaMemsetParams params;
        void *memory = NULL;
        assert_success(cudaMalloc(&memory, all));
        begin(stream, cudaStreamCaptureModeGlobal);
        assert_success(cudaMemset3DAsync((struct cudaPitchedPtr){memory, pitch, WIDTH, rows}, 7,
                                         (struct cudaExtent){WIDTH, HEIGHT, DEPTH}, stream));
        const cudaGraph_t graph = end(stream);
        size_t count = DEPTH;
        assert_int_equal(count_nodes(graph), rows == HEIGHT ? 1 : DEPTH);
        assert_success(cudaGraphGetNodes(graph, nodes, &count));
        for (size_t i = 0; i < count; i++) {
            assert_success(cudaGraphMemsetNodeGetParams(nodes[i], &params));
            assert_success(cudaGraphMemsetNodeSetParams(nodes[i], &params));
        }
        const cudaGraphExec_t exec = instantiate(graph);
        assert_success(cudaMemset(memory, 1, all));
        assert_success(cudaStreamSynchronize(NULL)); /* the other stream waits for nobody */
        assert_success(cudaGraphLaunch(exec, stream));
        assert_success(cudaStreamSynchronize(stream));
        assert_success(cudaMemcpy(bytes, memory, all, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < all; i++)
            assert_int_equal(bytes[i], i % pitch < WIDTH && i / pitch % rows < HEIGHT ? 7 : 1);
        assert_success(cudaGraphExecDestroy(exec));
        assert_success(cudaGraphDestroy(graph));
        assert_success(cudaStreamDestroy(stream));
        assert_success(cudaFree(memory));
    }
}

TEST_BODY(capture_forks_and_joins)
{
    int *p = device_ints(2);
    const cudaStream_t stream = new_stream(), other = new_stream();
    cudaEvent_t fork = NULL, join = NULL;
    cudaGraphNode_t nodes[4], before[4];
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    size_t count = 4;
    assert_success(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    assert_success(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    begin(stream, cudaStreamCaptureModeGlobal);
    append(p, 1, stream);
    assert_success(cudaEventRecord(fork, stream));
    assert_success(cudaStreamWaitEvent(other, fork, 0));
    assert_success(cudaStreamIsCapturing(other, &status));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    append(p, 2, stream);
    append(p + 1, 3, other);
    assert_success(cudaEventRecord(join, other));
    assert_success(cudaStreamWaitEvent(stream, join, 0));
    append(p, 4, stream);
    const cudaGraph_t graph = end(stream);
    assert_success(cudaStreamIsCapturing(other, &status));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    assert_success(cudaGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 4);
    assert_success(cudaGraphNodeGetDependencies(nodes[3], before, NULL, &count));
    assert_true(count == 2 && before[0] == nodes[1] && before[1] == nodes[2]);
    assert_success(cudaGraphNodeGetDependencies(nodes[2], before, NULL, &count));
    assert_true(count == 1 && before[0] == nodes[0]);
    /* An event of a capture that is over stands for nothing that can be waited for. */
    assert_fails(cudaErrorCapturedEvent, cudaEventQuery(join));
    assert_fails(cudaErrorCapturedEvent, cudaEventSynchronize(join));
    assert_success(cudaEventRecord(join, other));
    assert_success(cudaEventSynchronize(join));
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphLaunch(exec, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_true(read_device_int(p) == 124 && read_device_int(p + 1) == 3);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaEventDestroy(fork));
    assert_success(cudaEventDestroy(join));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaStreamDestroy(other));
    assert_success(cudaFree(p));
}

TEST_BODY(capture_refuses_bad_arguments)
{
    const cudaStream_t stream = new_stream();
    cudaGraph_t graph = NULL;
    enum cudaStreamCaptureStatus status;
    assert_fails(cudaErrorStreamCaptureUnsupported,
                 cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal));
    assert_fails(cudaErrorInvalidValue,
                 cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)3));
    assert_fails(
        cudaErrorInvalidResourceHandle,
        cudaStreamBeginCapture((cudaStream_t)(uintptr_t)4096, cudaStreamCaptureModeGlobal));
    assert_fails(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
    assert_fails(cudaErrorIllegalState, cudaStreamEndCapture(stream, NULL));
    assert_fails(cudaErrorInvalidValue, cudaStreamIsCapturing(stream, NULL));
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_success(cudaStreamEndCapture(stream, NULL));
    assert_fails(cudaErrorIllegalState,
                 cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, 0));
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_fails(cudaErrorIllegalState,
                 cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_fails(cudaErrorInvalidValue,
                 cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, 2));
    assert_success(cudaStreamIsCapturing(NULL, &status));
    graph = end(stream);
    assert_int_equal(count_nodes(graph), 0);
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(capture_is_spoilt_by_what_cannot_be_captured)
{
    int *p = device_ints(1), value = 0;
    const cudaStream_t stream = new_stream();
    void *memory = NULL;
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_fails(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
    assert_fails(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(p, 0, sizeof *p, stream));
    assert_spoilt(stream);
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_fails(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(stream));
    assert_spoilt(stream);
    begin(stream, cudaStreamCaptureModeRelaxed);
    assert_fails(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    assert_spoilt(stream);
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_fails(cudaErrorStreamCaptureUnsupported, cudaMalloc(&memory, 16));
    assert_spoilt(stream);
    begin(stream, cudaStreamCaptureModeRelaxed);
    assert_success(cudaMalloc(&memory, 16));
    assert_success(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    const cudaGraph_t graph = end(stream);
    assert_int_equal(count_nodes(graph), 0);
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaFree(memory));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* Memory of every kind is made and freed by calls that CUDA holds for unsafe during a capture. */
TEST_BODY(capture_is_spoilt_by_memory_of_every_kind)
{
    enum { MANAGED, ARRAY, MIPMAPPED, PINNED, FREE_ARRAY, FREE_MIPMAPPED, CALLS };
    const cudaStream_t stream = new_stream();
    const struct cudaChannelFormatDesc texel = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    const struct cudaExtent extent = {8, 8, 0};
    void *memory = NULL;
    cudaArray_t array = NULL, other = NULL;
    cudaMipmappedArray_t mipmapped = NULL, another = NULL;
    assert_success(cudaMallocArray(&array, &texel, 8, 8, 0));
    assert_success(cudaMallocMipmappedArray(&mipmapped, &texel, extent, 2, 0));
    for (int call = 0; call < CALLS; call++) {
        begin(stream, cudaStreamCaptureModeGlobal);
        const cudaError_t error =
            call == MANAGED      ? cudaMallocManaged(&memory, 16, cudaMemAttachGlobal)
            : call == ARRAY      ? cudaMallocArray(&other, &texel, 8, 8, 0)
            : call == MIPMAPPED  ? cudaMallocMipmappedArray(&another, &texel, extent, 2, 0)
            : call == PINNED     ? cudaMallocHost(&memory, 16)
            : call == FREE_ARRAY ? cudaFreeArray(array)
                                 : cudaFreeMipmappedArray(mipmapped);
        assert_fails(cudaErrorStreamCaptureUnsupported, error);
        assert_spoilt(stream);
    }
    begin(stream, cudaStreamCaptureModeRelaxed);
    assert_success(cudaFreeArray(array));
    assert_success(cudaFreeMipmappedArray(mipmapped));
    assert_success(cudaGraphDestroy(end(stream)));
    assert_success(cudaStreamDestroy(stream));
}

/* Who captures in a stream that the legacy stream waits for cannot use that meanwhile. */
TEST_BODY(capture_is_spoilt_by_the_legacy_stream)
{
    int *p = device_ints(1), value = 0;
    cudaStream_t stream = NULL;
    enum cudaStreamCaptureStatus status;
    assert_success(cudaStreamCreate(&stream));
    begin(stream, cudaStreamCaptureModeRelaxed);
    assert_fails(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(NULL, &status));
    append(p, 1, stream);
    assert_fails(cudaErrorStreamCaptureImplicit,
                 cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    assert_spoilt(stream);
    begin(stream, cudaStreamCaptureModeRelaxed);
    void *arguments[] = {&p, &value};
    assert_fails(cudaErrorStreamCaptureImplicit,
                 launch_1d(graph_kernel("append"), 1, 1, arguments, 0, NULL));
    assert_spoilt(stream);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

TEST_BODY(capture_keeps_apart_from_others)
{
    int *p = device_ints(1);
    const cudaStream_t one = new_stream(), other = new_stream();
    cudaEvent_t event = NULL, outside = NULL;
    cudaGraph_t graph = NULL;
    assert_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    assert_success(cudaEventCreateWithFlags(&outside, cudaEventDisableTiming));
    assert_success(cudaEventRecord(outside, other));
    begin(one, cudaStreamCaptureModeGlobal);
    assert_fails(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(one, outside, 0));
    assert_spoilt(one);
    begin(one, cudaStreamCaptureModeGlobal);
    begin(other, cudaStreamCaptureModeGlobal);
    assert_success(cudaEventRecord(event, one));
    assert_fails(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(other, event, 0));
    assert_spoilt(other);
    assert_spoilt(one);
    begin(one, cudaStreamCaptureModeGlobal);
    assert_success(cudaEventRecord(event, one));
    assert_fails(cudaErrorCapturedEvent, cudaEventQuery(event));
    assert_spoilt(one);
    begin(one, cudaStreamCaptureModeGlobal);
    append(p, 1, one);
    assert_success(cudaEventRecord(event, one));
    assert_success(cudaStreamWaitEvent(other, event, 0));
    append(p, 2, other);
    assert_fails(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(one, &graph));
    assert_null(graph);
    assert_success(cudaStreamSynchronize(other));
    begin(one, cudaStreamCaptureModeGlobal);
    assert_success(cudaEventRecord(event, one));
    assert_success(cudaStreamWaitEvent(other, event, 0));
    assert_fails(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph));
    assert_spoilt(one);
    assert_int_equal(read_device_int(p), 0);
    assert_success(cudaEventDestroy(event));
    assert_success(cudaEventDestroy(outside));
    assert_success(cudaStreamDestroy(one));
    assert_success(cudaStreamDestroy(other));
    assert_success(cudaFree(p));
}

/* An event that others outside wait for, and one that they record, are nodes. */
TEST_BODY(capture_of_external_events)
{
    const cudaStream_t stream = new_stream();
    cudaEvent_t event = NULL;
    cudaGraphNode_t nodes[2];
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    size_t count = 2;
    assert_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    assert_fails(cudaErrorIllegalState,
                 cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_success(cudaStreamWaitEvent(stream, event, cudaEventWaitExternal));
    assert_success(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
    const cudaGraph_t graph = end(stream);
    assert_success(cudaGraphGetNodes(graph, nodes, &count));
    assert_success(cudaGraphNodeGetType(nodes[0], &type));
    assert_int_equal(type, cudaGraphNodeTypeWaitEvent);
    assert_success(cudaGraphNodeGetType(nodes[1], &type));
    assert_int_equal(type, cudaGraphNodeTypeEventRecord);
    assert_success(cudaEventSynchronize(event));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(capture_tells_and_takes_dependencies)
{
    int *p = device_ints(1);
    const cudaStream_t stream = new_stream();
    const cudaGraph_t graph = new_graph();
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0, again = 0;
    cudaGraph_t told = NULL;
    const cudaGraphNode_t *before = NULL;
    const cudaGraphEdgeData *edges = NULL;
    cudaGraphNode_t first = NULL, second = NULL, foreign = NULL;
    size_t count = 0;
    assert_success(add_append(&first, graph, NULL, 0, p, 1));
    assert_fails(cudaErrorInvalidValue, cudaStreamBeginCaptureToGraph(stream, NULL, NULL, NULL, 0,
                                                                      cudaStreamCaptureModeGlobal));
    assert_fails(cudaErrorInvalidValue, cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 1,
                                                                      cudaStreamCaptureModeGlobal));
    assert_success(
        cudaStreamBeginCaptureToGraph(stream, graph, &first, NULL, 1, cudaStreamCaptureModeGlobal));
    assert_fails(cudaErrorIllegalState, cudaGraphDestroy(graph));
    append(p, 2, stream);
    assert_success(cudaStreamGetCaptureInfo(stream, &status, &id, &told, &before, &edges, &count));
    assert_true(status == cudaStreamCaptureStatusActive && told == graph && count == 1 && id != 0);
    assert_true(before[0] != first && edges[0].type == 0);
    assert_success(cudaGraphAddEmptyNode(&second, graph, before, 1));
    assert_success(cudaStreamUpdateCaptureDependencies(stream, &second, NULL, 1,
                                                       cudaStreamSetCaptureDependencies));
    assert_success(cudaStreamUpdateCaptureDependencies(stream, &first, NULL, 1,
                                                       cudaStreamAddCaptureDependencies));
    assert_fails(cudaErrorInvalidValue,
                 cudaStreamUpdateCaptureDependencies(stream, &foreign, NULL, 1,
                                                     cudaStreamAddCaptureDependencies));
    assert_success(cudaStreamGetCaptureInfo(stream, &status, &again, NULL, &before, NULL, &count));
    assert_true(count == 2 && again == id && before[0] == second && before[1] == first);
    append(p, 3, stream);
    told = NULL;
    assert_success(cudaStreamEndCapture(stream, &told));
    assert_ptr_equal(told, graph);
    assert_int_equal(count_nodes(graph), 4);
    assert_int_equal(run_and_end(graph, p), 123);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* What a stream captures to stays, however deep it lies. */
TEST_BODY(capture_to_a_graph_inside_another)
{
    int *p = device_ints(1);
    const cudaStream_t stream = new_stream();
    const cudaGraph_t inner = new_graph(), graph = new_graph();
    cudaGraph_t own = NULL;
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, inner));
    assert_success(cudaGraphDestroy(inner));
    assert_success(cudaGraphChildGraphNodeGetGraph(node, &own));
    assert_success(
        cudaStreamBeginCaptureToGraph(stream, own, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    assert_fails(cudaErrorInvalidValue, cudaGraphDestroyNode(node));
    assert_fails(cudaErrorIllegalState, cudaGraphDestroy(graph));
    append(p, 7, stream);
    assert_ptr_equal(end(stream), own);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_int_equal(result_of(exec, p), 7);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroyNode(node));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

TEST_BODY(capture_of_a_launched_graph)
{
    int *p = device_ints(1);
    const cudaStream_t stream = new_stream();
    const cudaGraph_t inner = new_graph();
    cudaGraphNode_t node = NULL;
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    size_t count = 1;
    assert_success(add_append(&node, inner, NULL, 0, p, 2));
    const cudaGraphExec_t launched = instantiate(inner);
    begin(stream, cudaStreamCaptureModeGlobal);
    append(p, 1, stream);
    assert_success(cudaGraphLaunch(launched, stream));
    append(p, 3, stream);
    const cudaGraph_t graph = end(stream);
    assert_success(cudaGraphExecDestroy(launched));
    assert_success(cudaGraphDestroy(inner));
    assert_success(cudaGraphGetRootNodes(graph, &node, &count));
    assert_success(cudaGraphNodeGetDependentNodes(node, &node, NULL, &count));
    assert_success(cudaGraphNodeGetType(node, &type));
    assert_int_equal(type, cudaGraphNodeTypeGraph);
    assert_int_equal(run_and_end(graph, p), 123);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* Streams and events go while they capture. */
TEST_BODY(capture_ends_with_its_streams)
{
    int *p = device_ints(1);
    cudaStream_t stream = new_stream(), other = new_stream();
    cudaEvent_t event = NULL;
    cudaGraph_t graph = NULL;
    assert_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    begin(stream, cudaStreamCaptureModeGlobal);
    append(p, 1, stream);
    assert_success(cudaEventRecord(event, stream));
    assert_success(cudaStreamWaitEvent(other, event, 0));
    assert_success(cudaStreamDestroy(other));
    graph = end(stream);
    assert_int_equal(count_nodes(graph), 1);
    assert_success(cudaGraphDestroy(graph));
    other = new_stream();
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_success(cudaEventRecord(event, stream));
    assert_success(cudaStreamWaitEvent(other, event, 0));
    append(p, 2, other);
    assert_success(cudaStreamDestroy(other));
    assert_fails(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
    other = new_stream();
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_success(cudaEventRecord(event, stream));
    assert_success(cudaStreamWaitEvent(other, event, 0));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaStreamDestroy(stream));
    assert_fails(cudaErrorIllegalState, cudaStreamEndCapture(other, &graph));
    append(p, 5, other);
    assert_success(cudaStreamSynchronize(other));
    assert_int_equal(read_device_int(p), 5);
    begin(other, cudaStreamCaptureModeGlobal);
    append(p, 1, other);
    assert_success(cudaDeviceReset());
    p = device_ints(1);
    assert_success(cudaFree(p));
}

/* --- threads ---------------------------------------------------------------------------------- */

static void *end_for_another(void *data)
{
    cudaGraph_t graph = NULL;
    THREAD_CHECK(cudaStreamEndCapture(*(cudaStream_t *)data, &graph) ==
                 cudaErrorStreamCaptureWrongThread);
    return NULL;
}

static void *allocate_globally(void *data)
{
    void *memory = NULL;
    (void)data;
    THREAD_CHECK(cudaMalloc(&memory, 16) == cudaErrorStreamCaptureUnsupported);
    return NULL;
}

static void *allocate_freely(void *data)
{
    void *memory = NULL;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
    if (data != NULL)
        THREAD_SUCCESS(cudaThreadExchangeStreamCaptureMode(&mode));
    THREAD_SUCCESS(cudaMalloc(&memory, 16));
    THREAD_SUCCESS(cudaFree(memory));
    return NULL;
}

TEST_BODY(capture_modes_say_what_threads_may)
{
    cudaStream_t stream = new_stream();
    int unused = 0;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    void *memory = NULL;
    begin(stream, cudaStreamCaptureModeGlobal);
    run_threads(1, end_for_another, &stream, sizeof stream);
    run_threads(1, allocate_freely, &unused, sizeof unused);
    run_threads(1, allocate_globally, NULL, 0);
    assert_spoilt(stream);
    begin(stream, cudaStreamCaptureModeThreadLocal);
    run_threads(1, allocate_freely, NULL, 0);
    assert_success(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_success(cudaMalloc(&memory, 16));
    assert_success(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, cudaStreamCaptureModeRelaxed);
    const cudaGraph_t graph = end(stream);
    begin(stream, cudaStreamCaptureModeThreadLocal);
    assert_fails(cudaErrorStreamCaptureUnsupported, cudaFree(memory));
    assert_spoilt(stream);
    assert_success(cudaFree(memory));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
}

static void *begin_for_others(void *data)
{
    const cudaStream_t stream = *(cudaStream_t *)data;
    THREAD_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    return NULL;
}

/* A thread may be at the address of one that is gone, and is another one all the same. */
TEST_BODY(capture_of_a_thread_that_is_gone_is_not_the_next_ones)
{
    cudaStream_t stream = new_stream();
    cudaGraph_t graph = NULL;
    for (int round = 0; round < 4; round++) {
        run_threads(1, begin_for_others, &stream, sizeof stream);
        for (int i = 0; i < 4; i++) {
            run_threads(1, end_for_another, &stream, sizeof stream);
            run_threads(1, allocate_freely, NULL, 0);
        }
        assert_fails(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(stream, &graph));
        assert_success(cudaStreamDestroy(stream));
        stream = new_stream();
    }
    assert_success(cudaStreamDestroy(stream));
}

static void *capture_alone(void *data)
{
    int *p = *(int **)data, value = 0;
    void *arguments[] = {&p, &value};
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    const void *kernel = graph_kernel("append");
    THREAD_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int round = 0; round < 20; round++) {
        THREAD_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        THREAD_SUCCESS(cudaMemsetAsync(p, 0, sizeof *p, stream));
        for (value = 1; value <= 4; value++)
            THREAD_SUCCESS(launch_1d(kernel, 1, 1, arguments, 0, stream));
        THREAD_SUCCESS(cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, stream));
        THREAD_SUCCESS(cudaStreamEndCapture(stream, &graph));
        THREAD_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
        THREAD_SUCCESS(cudaGraphDestroy(graph));
        THREAD_SUCCESS(cudaGraphLaunch(exec, stream));
        THREAD_SUCCESS(cudaGraphExecDestroy(exec));
        THREAD_SUCCESS(cudaStreamSynchronize(stream));
        THREAD_CHECK(value == 1234);
    }
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

TEST_BODY(capture_of_many_threads)
{
    int *p = device_ints(4), *places[4] = {p, p + 1, p + 2, p + 3};
    run_threads(4, capture_alone, places, sizeof places[0]);
    assert_success(cudaFree(p));
}

/* One API ends what the other began, and both have the same graph. */
TEST_BODY(capture_by_the_driver_api)
{
    int *p = device_ints(1);
    const cudaStream_t stream = new_stream();
    const cudaGraph_t graph = new_graph();
    CUgraph made = NULL;
    cudaGraphNode_t node = NULL;
    const CUgraphEdgeData wrong = {.type = 2};
    assert_success(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    assert_int_equal(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(cuStreamEndCapture(stream, NULL), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(cuStreamEndCapture(stream, &made), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    append(p, 1, stream);
    assert_int_equal(cuStreamEndCapture(stream, &made), CUDA_SUCCESS);
    assert_int_equal(count_nodes(made), 1);
    assert_success(cudaGraphDestroy(made));
    assert_int_equal(
        cuStreamBeginCaptureToGraph(stream, graph, &node, &wrong, 1, CU_STREAM_CAPTURE_MODE_GLOBAL),
        CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL),
        CUDA_SUCCESS);
    assert_int_equal(cuStreamUpdateCaptureDependencies(stream, &node, NULL, 1,
                                                       CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                     CUDA_SUCCESS);
    append(p, 2, stream);
    assert_ptr_equal(end(stream), graph);
    size_t count = 0;
    assert_success(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    assert_int_equal(count, 1);
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* The driver API asks about the same captures. */
TEST_BODY(capture_is_told_to_the_driver_api)
{
    int *p = device_ints(1);
    const cudaStream_t stream = new_stream();
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    CUgraph graph = NULL;
    const CUgraphNode *before = NULL;
    size_t count = 0;
    begin(stream, cudaStreamCaptureModeGlobal);
    assert_int_equal(cuMemsetD8Async((CUdeviceptr)(uintptr_t)p, 1, 4, stream), CUDA_SUCCESS);
    assert_int_equal(cuStreamGetCaptureInfo(stream, &status, &id, &graph, &before, NULL, &count),
                     CUDA_SUCCESS);
    assert_true(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0 && count == 1);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(cuStreamIsCapturing(stream, &status), CUDA_SUCCESS);
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_spoilt(stream);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}
