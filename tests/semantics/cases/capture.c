/* Semantics of streams whose work is captured.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"
#include "graphs.h"

static void nothing(void *unused)
{
    (void)unused;
}

static cudaStream_t new_stream(unsigned flags)
{
    cudaStream_t stream = NULL;
    REQUIRE(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

static void record_status(const char *name, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = (enum cudaStreamCaptureStatus)77;
    CALL_AS(cudaStreamIsCapturing(stream, &status), "%s: is capturing", name);
    VALUE(status, "%s: status", name);
}

/* Ends the capture; says what came of it. */
static void record_end(const char *name, cudaStream_t stream)
{
    cudaGraph_t graph = (cudaGraph_t)(uintptr_t)1;
    CALL_AS(cudaStreamEndCapture(stream, &graph), "%s: end", name);
    VALUE(graph == NULL, "%s: no graph", name);
    if (graph != NULL && graph != (cudaGraph_t)(uintptr_t)1) {
        record_nodes(name, graph);
        record_edges(name, graph);
        CALL_AS(cudaGraphDestroy(graph), "%s: destroy the graph", name);
    }
}

void case_capture_begin(void)
{
    cudaStream_t s = new_stream(cudaStreamNonBlocking);
    cudaGraph_t graph = NULL;
    enum cudaStreamCaptureStatus status;
    CALL(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed));
    CALL(cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)3));
    CALL(cudaStreamEndCapture(s, &graph));
    CALL(cudaStreamEndCapture(NULL, &graph));
    CALL(cudaStreamIsCapturing(s, NULL));
    CALL(cudaStreamIsCapturing(NULL, &status));
    CALL(cudaStreamIsCapturing(cudaStreamLegacy, &status));
    record_status("at first", s);
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    record_status("begun", s);
    CALL_AS(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "begin again");
    record_status("begun again", s);
    CALL(cudaStreamEndCapture(s, NULL));
    record_status("ended to NULL", s);
    record_end("nothing", s);
    record_status("ended", s);
    CALL(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
    record_end("per thread", cudaStreamPerThread);
}

void case_capture_info(void)
{
    cudaStream_t s = new_stream(cudaStreamNonBlocking);
    int *p = device_block(4096);
    enum cudaStreamCaptureStatus status = (enum cudaStreamCaptureStatus)77;
    unsigned long long id = 77;
    unsigned long long second_id = 77;
    cudaGraph_t graph = NULL;
    const cudaGraphNode_t *nodes = NULL;
    size_t count = 77;
    CALL(cudaStreamGetCaptureInfo(s, NULL, &id, NULL, NULL, NULL, NULL));
    CALL(cudaStreamGetCaptureInfo(s, &status, NULL, NULL, NULL, NULL, NULL));
    VALUE(status, "status");
    CALL(cudaStreamGetCaptureInfo(s, &status, &id, &graph, &nodes, NULL, &count));
    VALUE((long long)id, "id is untouched");
    VALUE((long long)count, "count is untouched");
    REQUIRE(launch_store(p, 1, s));
    REQUIRE(cudaStreamSynchronize(s));
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CALL_AS(cudaStreamGetCaptureInfo(s, &status, &id, &graph, &nodes, NULL, &count), "begun");
    VALUE(status, "begun: status");
    VALUE(graph != NULL, "begun: has a graph");
    VALUE((long long)count, "begun: dependencies");
    CALL(launch_store(p, 1, s));
    CALL_AS(cudaStreamGetCaptureInfo(s, &status, &id, &graph, &nodes, NULL, &count), "one launch");
    VALUE((long long)count, "one launch: dependencies");
    cudaGraphNode_t empty = NULL;
    CALL_AS(cudaGraphAddEmptyNode(&empty, graph, NULL, 0), "add to the graph");
    CALL_AS(
        cudaStreamUpdateCaptureDependencies(s, &empty, NULL, 1, cudaStreamAddCaptureDependencies),
        "add a dependency");
    CALL_AS(cudaStreamGetCaptureInfo(s, &status, &id, &graph, &nodes, NULL, &count), "two");
    VALUE((long long)count, "two: dependencies");
    CALL_AS(
        cudaStreamUpdateCaptureDependencies(s, &empty, NULL, 1, cudaStreamSetCaptureDependencies),
        "set the dependency");
    CALL_AS(cudaStreamGetCaptureInfo(s, &status, &id, &graph, &nodes, NULL, &count), "set");
    VALUE((long long)count, "set: dependencies");
    CALL_AS(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 7), "flags 7");
    CALL_AS(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 1, cudaStreamSetCaptureDependencies),
            "dependencies NULL");
    CALL_AS(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, cudaStreamSetCaptureDependencies),
            "set to none");
    CALL_AS(cudaGraphDestroy(graph), "destroy the graph of a capture");
    record_status("still", s);
    record_end("all", s);
    CALL_AS(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 0), "without a capture");
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CALL_AS(cudaStreamGetCaptureInfo(s, &status, &second_id, NULL, NULL, NULL, NULL), "second");
    VALUE(second_id != id, "another id");
    record_end("second", s);
}

/* One call while a stream of the mode captures; then the capture's fate. */
#define CAPTURED(mode_number, name, ...)                                                           \
    do {                                                                                           \
        REQUIRE(cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)(mode_number)));             \
        CALL_AS(__VA_ARGS__, "mode %d: %s", mode_number, name);                                    \
        record_fate(mode_number, name, s);                                                         \
    } while (0)

static void record_fate(int mode, const char *name, cudaStream_t s)
{
    enum cudaStreamCaptureStatus status = (enum cudaStreamCaptureStatus)77;
    cudaGraph_t graph = NULL;
    size_t count = 77;
    cudaStreamIsCapturing(s, &status);
    VALUE(status, "mode %d: %s: status", mode, name);
    CALL_AS(cudaStreamEndCapture(s, &graph), "mode %d: %s: end", mode, name);
    if (graph != NULL) {
        cudaGraphGetNodes(graph, NULL, &count);
        VALUE((long long)count, "mode %d: %s: nodes", mode, name);
        cudaGraphDestroy(graph);
    }
}

static void calls_of_mode(int mode, unsigned flags_of_stream)
{
    cudaStream_t s = new_stream(flags_of_stream);
    cudaStream_t blocking = new_stream(cudaStreamDefault);
    cudaStream_t free_stream = new_stream(cudaStreamNonBlocking);
    cudaEvent_t event = NULL;
    cudaEvent_t new_event = NULL;
    cudaStream_t made = NULL;
    void *p = device_block(4096);
    void *q = device_block(4096);
    char *pinned = pinned_block(4096);
    static char pageable[4096];
    void *memory = NULL;
    float ms = 0;
    unsigned flags = 0;
    REQUIRE(cudaEventCreate(&event));
    REQUIRE(cudaEventRecord(event, free_stream));
    REQUIRE(launch_store(p, 1, s));
    REQUIRE(cudaDeviceSynchronize());
    CAPTURED(mode, "launch", launch_store(p, 1, s));
    CAPTURED(mode, "launch on the null stream", launch_store(p, 1, NULL));
    CAPTURED(mode, "launch on a blocking stream", launch_store(p, 1, blocking));
    CAPTURED(mode, "launch on another stream", launch_store(p, 1, free_stream));
    CAPTURED(mode, "async copy", cudaMemcpyAsync(p, q, 64, cudaMemcpyDefault, s));
    CAPTURED(mode, "async copy of 0", cudaMemcpyAsync(p, q, 0, cudaMemcpyDefault, s));
    CAPTURED(mode, "async copy from pinned", cudaMemcpyAsync(p, pinned, 64, cudaMemcpyDefault, s));
    CAPTURED(mode, "async copy from pageable",
             cudaMemcpyAsync(p, pageable, 64, cudaMemcpyDefault, s));
    CAPTURED(mode, "async copy to pageable",
             cudaMemcpyAsync(pageable, p, 64, cudaMemcpyDefault, s));
    CAPTURED(mode, "async copy to NULL", cudaMemcpyAsync(NULL, p, 64, cudaMemcpyDefault, s));
    CAPTURED(mode, "async copy in 2D",
             cudaMemcpy2DAsync(p, 64, q, 64, 32, 4, cudaMemcpyDefault, s));
    CAPTURED(mode, "async fill", cudaMemsetAsync(p, 1, 64, s));
    CAPTURED(mode, "async fill of 0", cudaMemsetAsync(p, 1, 0, s));
    CAPTURED(mode, "async fill in 2D", cudaMemset2DAsync(p, 64, 1, 32, 4, s));
    CAPTURED(mode, "host function", cudaLaunchHostFunc(s, nothing, NULL));
    CAPTURED(mode, "host function NULL", cudaLaunchHostFunc(s, NULL, NULL));
    CAPTURED(mode, "copy", cudaMemcpy(p, q, 64, cudaMemcpyDeviceToDevice));
    CAPTURED(mode, "copy from pageable", cudaMemcpy(p, pageable, 64, cudaMemcpyHostToDevice));
    CAPTURED(mode, "fill", cudaMemset(p, 1, 64));
    CAPTURED(mode, "record", cudaEventRecord(event, s));
    CAPTURED(mode, "record elsewhere", cudaEventRecord(event, free_stream));
    REQUIRE(cudaEventRecord(event, free_stream));
    CAPTURED(mode, "record as external",
             cudaEventRecordWithFlags(event, s, cudaEventRecordExternal));
    REQUIRE(cudaEventRecord(event, free_stream));
    CAPTURED(mode, "wait for another's", cudaStreamWaitEvent(s, event, 0));
    CAPTURED(mode, "wait as external", cudaStreamWaitEvent(s, event, cudaEventWaitExternal));
    REQUIRE(cudaDeviceSynchronize());
    CAPTURED(mode, "query of the stream", cudaStreamQuery(s));
    CAPTURED(mode, "synchronize the stream", cudaStreamSynchronize(s));
    CAPTURED(mode, "query of another stream", cudaStreamQuery(free_stream));
    CAPTURED(mode, "synchronize another stream", cudaStreamSynchronize(free_stream));
    CAPTURED(mode, "query of the null stream", cudaStreamQuery(NULL));
    CAPTURED(mode, "synchronize the null stream", cudaStreamSynchronize(NULL));
    CAPTURED(mode, "synchronize the device", cudaDeviceSynchronize());
    CAPTURED(mode, "query of an event", cudaEventQuery(event));
    CAPTURED(mode, "synchronize an event", cudaEventSynchronize(event));
    CAPTURED(mode, "time of events", cudaEventElapsedTime(&ms, event, event));
    CAPTURED(mode, "malloc", cudaMalloc(&memory, 4096));
    if (memory == NULL)
        REQUIRE(cudaMalloc(&memory, 4096));
    CAPTURED(mode, "free", cudaFree(memory));
    memory = NULL;
    CAPTURED(mode, "malloc of pinned", cudaMallocHost(&memory, 4096));
    if (memory == NULL)
        REQUIRE(cudaMallocHost(&memory, 4096));
    CAPTURED(mode, "free of pinned", cudaFreeHost(memory));
    memory = NULL;
    CAPTURED(mode, "malloc of managed", cudaMallocManaged(&memory, 4096, cudaMemAttachGlobal));
    memory = NULL;
    CAPTURED(mode, "async malloc elsewhere", cudaMallocAsync(&memory, 4096, free_stream));
    CAPTURED(mode, "async free elsewhere", cudaFreeAsync(memory, free_stream));
    CAPTURED(mode, "new stream", cudaStreamCreate(&made));
    CAPTURED(mode, "destroy a stream", cudaStreamDestroy(made));
    CAPTURED(mode, "new event", cudaEventCreate(&new_event));
    CAPTURED(mode, "destroy an event", cudaEventDestroy(new_event));
    CAPTURED(mode, "flags of the stream", cudaStreamGetFlags(s, &flags));
    CAPTURED(mode, "callback", cudaStreamAddCallback(s, NULL, NULL, 0));
    CAPTURED(mode, "attach", cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachSingle));
    CAPTURED(mode, "free of nothing", cudaFree(NULL));
    CAPTURED(mode, "memory info", cudaMemGetInfo(&(size_t){0}, &(size_t){0}));
    CAPTURED(mode, "pointer attributes",
             cudaPointerGetAttributes(&(struct cudaPointerAttributes){0}, p));
    CAPTURED(mode, "reset of the last error", cudaGetLastError());
    CAPTURED(mode, "device count", cudaGetDeviceCount(&(int){0}));
    CAPTURED(mode, "set device", cudaSetDevice(0));
}

void case_capture_calls_global(void)
{
    calls_of_mode(cudaStreamCaptureModeGlobal, cudaStreamNonBlocking);
}

void case_capture_calls_thread_local(void)
{
    calls_of_mode(cudaStreamCaptureModeThreadLocal, cudaStreamNonBlocking);
}

void case_capture_calls_relaxed(void)
{
    calls_of_mode(cudaStreamCaptureModeRelaxed, cudaStreamNonBlocking);
}

void case_capture_calls_blocking(void)
{
    calls_of_mode(cudaStreamCaptureModeGlobal, cudaStreamDefault);
}

void case_capture_calls_blocking_relaxed(void)
{
    calls_of_mode(cudaStreamCaptureModeRelaxed, cudaStreamDefault);
}

void case_capture_exchange(void)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaStream_t s = new_stream(cudaStreamNonBlocking);
    void *p = NULL;
    CALL(cudaThreadExchangeStreamCaptureMode(NULL));
    CALL(cudaThreadExchangeStreamCaptureMode(&mode));
    VALUE(mode, "at first");
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL_AS(cudaMalloc(&p, 64), "thread relaxed, capture global");
    record_status("relaxed", s);
    mode = cudaStreamCaptureModeThreadLocal;
    CALL(cudaThreadExchangeStreamCaptureMode(&mode));
    VALUE(mode, "then");
    CALL_AS(cudaMalloc(&p, 64), "thread local, capture global");
    record_status("thread local", s);
    record_end("thread local", s);
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    mode = cudaStreamCaptureModeGlobal;
    CALL(cudaThreadExchangeStreamCaptureMode(&mode));
    CALL_AS(cudaMalloc(&p, 64), "thread global, capture relaxed");
    record_end("thread global", s);
    mode = (enum cudaStreamCaptureMode)9;
    CALL_AS(cudaThreadExchangeStreamCaptureMode(&mode), "mode 9");
}

void case_capture_fork_and_join(void)
{
    cudaStream_t s = new_stream(cudaStreamNonBlocking);
    cudaStream_t t = new_stream(cudaStreamNonBlocking);
    cudaEvent_t fork_event = NULL;
    cudaEvent_t join = NULL;
    cudaEvent_t timed = NULL;
    int *p = device_block(4096);
    float ms = 0;
    REQUIRE(cudaEventCreateWithFlags(&fork_event, cudaEventDisableTiming));
    REQUIRE(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    REQUIRE(cudaEventCreate(&timed));
    REQUIRE(launch_store(p, 1, s));
    REQUIRE(cudaStreamSynchronize(s));

    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(launch_store(p, 1, s));
    CALL(cudaEventRecord(fork_event, s));
    CALL(cudaStreamWaitEvent(t, fork_event, 0));
    record_status("joined stream", t);
    CALL(launch_store(p + 1, 2, t));
    CALL_AS(cudaStreamEndCapture(t, &(cudaGraph_t){NULL}), "end at the other stream");
    record_status("after that", s);
    record_status("after that, the other", t);
    CALL(cudaEventRecord(join, t));
    CALL(cudaStreamWaitEvent(s, join, 0));
    CALL(launch_store(p + 2, 3, s));
    CALL(cudaEventQuery(join));
    CALL(cudaEventSynchronize(join));
    CALL(cudaEventElapsedTime(&ms, join, join));
    record_status("after questions about the event", s);
    record_end("fork and join", s);
    record_status("the other at the end", t);
    CALL_AS(cudaEventQuery(join), "query after the end");
    CALL_AS(cudaStreamWaitEvent(t, join, 0), "wait after the end");
    CALL_AS(cudaEventSynchronize(join), "synchronize after the end");

    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaEventRecord(fork_event, s));
    REQUIRE(cudaStreamWaitEvent(t, fork_event, 0));
    REQUIRE(launch_store(p + 1, 2, t));
    record_end("unjoined", s);
    record_status("unjoined, the other", t);

    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaEventRecord(fork_event, s));
    REQUIRE(cudaStreamWaitEvent(t, fork_event, 0));
    record_end("joined by a wait alone", s);
    record_status("wait alone, the other", t);

    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaEventRecord(fork_event, s));
    REQUIRE(cudaStreamWaitEvent(t, fork_event, 0));
    REQUIRE(launch_store(p + 1, 2, t));
    REQUIRE(cudaEventRecord(join, t));
    REQUIRE(cudaStreamWaitEvent(s, join, 0));
    REQUIRE(launch_store(p + 1, 3, t));
    record_end("more work after the join", s);

    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaEventRecord(fork_event, s));
    CALL_AS(cudaStreamWaitEvent(t, fork_event, 0), "wait for another capture's event");
    record_status("two captures, first", s);
    record_status("two captures, second", t);
    record_end("two captures, first", s);
    record_end("two captures, second", t);

    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaEventRecord(fork_event, s));
    CALL_AS(cudaStreamWaitEvent(NULL, fork_event, 0), "the null stream waits");
    record_status("after the null stream", s);
    record_end("null stream", s);

    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaEventRecord(timed, s));
    CALL_AS(cudaEventElapsedTime(&ms, timed, timed), "time of a captured event");
    record_end("timed", s);
    CALL_AS(cudaEventElapsedTime(&ms, timed, timed), "time after the end");
    CALL(cudaEventDestroy(timed));
}

void case_capture_destroyed(void)
{
    cudaStream_t s = new_stream(cudaStreamNonBlocking);
    cudaStream_t t = new_stream(cudaStreamNonBlocking);
    cudaEvent_t event = NULL;
    int *p = device_block(4096);
    REQUIRE(launch_store(p, 1, s));
    REQUIRE(cudaStreamSynchronize(s));
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(launch_store(p, 1, s));
    CALL_AS(cudaStreamDestroy(s), "destroy a capturing stream");
    CALL_AS(cudaMalloc((void **)&p, 64), "malloc after that");
    s = new_stream(cudaStreamNonBlocking);
    REQUIRE(cudaEventCreate(&event));
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaEventRecord(event, s));
    CALL_AS(cudaEventDestroy(event), "destroy a captured event");
    record_end("without the event", s);
    REQUIRE(cudaEventCreate(&event));
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaEventRecord(event, s));
    REQUIRE(cudaStreamWaitEvent(t, event, 0));
    REQUIRE(launch_store(p, 2, t));
    CALL_AS(cudaStreamDestroy(t), "destroy the joined stream");
    record_status("after it", s);
    record_end("without the joined stream", s);
    t = new_stream(cudaStreamNonBlocking);
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaEventRecord(event, s));
    REQUIRE(cudaStreamWaitEvent(t, event, 0));
    REQUIRE(launch_store(p, 2, t));
    REQUIRE(cudaEventRecord(event, t));
    REQUIRE(cudaStreamWaitEvent(s, event, 0));
    CALL_AS(cudaStreamDestroy(t), "destroy a stream that has joined again");
    record_end("with the joined stream gone", s);
}

void case_capture_to_graph(void)
{
    cudaStream_t s = new_stream(cudaStreamNonBlocking);
    cudaGraph_t graph = new_graph();
    cudaGraph_t got = NULL;
    int *p = device_block(4096);
    REQUIRE(launch_store(p, 1, s));
    REQUIRE(cudaStreamSynchronize(s));
    cudaGraphNode_t node = add_store(graph, NULL, p, 3);
    CALL(cudaStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamBeginCaptureToGraph(s, graph, NULL, NULL, 1, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamBeginCaptureToGraph(NULL, graph, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamBeginCaptureToGraph(s, graph, &node, NULL, 1, cudaStreamCaptureModeGlobal));
    CALL(launch_store(p + 1, 4, s));
    CALL(cudaStreamEndCapture(s, &got));
    VALUE(got == graph, "the same graph");
    record_nodes("graph", graph);
    record_edges("graph", graph);
    record_launch("graph", graph);
    VALUE(read_int(p), "stored by the node");
    VALUE(read_int(p + 1), "stored by the capture");
    REQUIRE(cudaStreamBeginCaptureToGraph(s, graph, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    CALL_AS(cudaStreamSynchronize(s), "spoil");
    CALL_AS(cudaStreamEndCapture(s, &got), "end the spoilt one");
    VALUE(got == NULL, "no graph");
    record_nodes("after the spoilt one", graph);
}

void case_capture_allocations(void)
{
    cudaStream_t s = new_stream(cudaStreamNonBlocking);
    void *p = NULL;
    void *outside = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    REQUIRE(cudaMallocAsync(&outside, 4096, s));
    REQUIRE(cudaStreamSynchronize(s));
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaMallocAsync(&p, 4096, s));
    VALUE(p != NULL, "has an address");
    CALL(cudaMemsetAsync(p, 1, 4096, s));
    CALL(cudaFreeAsync(p, s));
    CALL_AS(cudaFreeAsync(p, s), "free twice");
    record_status("after free twice", s);
    record_end("allocations", s);
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL_AS(cudaFreeAsync(outside, s), "free what is no graph's");
    record_end("what is no graph's", s);
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    REQUIRE(cudaMallocAsync(&p, 4096, s));
    CALL_AS(cudaStreamEndCapture(s, &graph), "unfreed: end");
    CALL_AS(cudaGraphInstantiate(&exec, graph, 0), "unfreed: instantiate");
    CALL_AS(cudaGraphLaunch(exec, s), "unfreed: launch");
    CALL_AS(cudaGraphLaunch(exec, s), "unfreed: launch again");
    CALL_AS(cudaFreeAsync(p, s), "unfreed: free");
    CALL_AS(cudaGraphLaunch(exec, s), "freed: launch");
    CALL_AS(cudaStreamSynchronize(s), "freed: synchronize");
    CALL_AS(cudaFree(p), "freed: free at once");
    CALL_AS(cudaGraphExecDestroy(exec), "destroy");
    CALL_AS(cudaGraphDestroy(graph), "destroy the graph");
}
