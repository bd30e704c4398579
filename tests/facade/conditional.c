/* Tests of facade/graph/conditional.c and facade/replay/conditional_run.c: conditional nodes of graphs.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/facade/graph_support.h"

#include <cuda.h>

/* down: p[0] -= 1, p[1] += 1, and the condition is whether p[0] is left. set: the condition is a number. append: p[2] = 10 *
 * p[2] + digit. */
static const char kernels[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
    ".visible .entry down(.param .u64 p, .param .u64 h)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %q;\n"
    "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1; ld.param.u64 %d2, [h];\n"
    "ld.global.u32 %r1, [%d1]; sub.u32 %r1, %r1, 1; st.global.u32 [%d1], %r1;\n"
    "ld.global.u32 %r2, [%d1+4]; add.u32 %r2, %r2, 1; st.global.u32 [%d1+4], %r2;\n"
    "setp.ne.u32 %q, %r1, 0; selp.u32 %r3, 1, 0, %q;\n"
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %d2; st.param.b32 [b], %r3;\n"
    "call.uni cudaGraphSetConditional, (a, b); }\nret;\n}\n"
    ".visible .entry set(.param .u64 h, .param .u32 v)\n{\n"
    ".reg .b32 %r<2>; .reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [h]; ld.param.u32 %r1, [v];\n"
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %d1; st.param.b32 [b], %r1;\n"
    "call.uni cudaGraphSetConditional, (a, b); }\nret;\n}\n"
    ".visible .entry append(.param .u64 p, .param .u32 digit)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1; ld.param.u32 %r1, [digit];\n"
    "ld.global.u32 %r2, [%d1+8]; mad.lo.u32 %r2, %r2, 10, %r1; st.global.u32 [%d1+8], %r2;\n"
    "ret;\n}\n";

static cudaLibrary_t library;

static struct cudaKernelNodeParams params_of(const char *name, void **arguments)
{
    if (library == NULL)
        library = load_text(kernels);
    return (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)find_kernel(library, name),
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = arguments,
    };
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *after, const char *name,
                                  void **arguments)
{
    const struct cudaKernelNodeParams params = params_of(name, arguments);
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphAddKernelNode(&node, graph, after, after != NULL, &params));
    return node;
}

static cudaGraphNode_t add_down(cudaGraph_t graph, const cudaGraphNode_t *after, int *p,
                                cudaGraphConditionalHandle handle)
{
    void *arguments[] = {&p, &handle};
    return add_kernel(graph, after, "down", arguments);
}

static cudaGraphNode_t add_set(cudaGraph_t graph, const cudaGraphNode_t *after,
                               cudaGraphConditionalHandle handle, unsigned value)
{
    void *arguments[] = {&handle, &value};
    return add_kernel(graph, after, "set", arguments);
}

static cudaGraphNode_t add_digit(cudaGraph_t graph, const cudaGraphNode_t *after, int *p, int digit)
{
    void *arguments[] = {&p, &digit};
    return add_kernel(graph, after, "append", arguments);
}

static cudaGraphConditionalHandle new_handle(cudaGraph_t graph, unsigned start, unsigned flags)
{
    cudaGraphConditionalHandle handle = 0;
    assert_success(cudaGraphConditionalHandleCreate(&handle, graph, start, flags));
    return handle;
}

static struct cudaGraphNodeParams conditional(cudaGraphConditionalHandle handle,
                                              enum cudaGraphConditionalNodeType type, unsigned size)
{
    return (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeConditional,
                                        .conditional = {handle, type, size, NULL}};
}

/* The node, and its graphs in *bodies. */
static cudaGraphNode_t add_conditional(cudaGraph_t graph, const cudaGraphNode_t *after,
                                       cudaGraphConditionalHandle handle,
                                       enum cudaGraphConditionalNodeType type, unsigned size,
                                       cudaGraph_t **bodies)
{
    struct cudaGraphNodeParams params = conditional(handle, type, size);
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphAddNode(&node, graph, after, NULL, after != NULL, &params));
    *bodies = params.conditional.phGraph_out;
    return node;
}

/* A graph that is one loop of down. */
struct loop {
    cudaGraph_t graph, *bodies;
    cudaGraphNode_t node, inner;
    cudaGraphConditionalHandle handle;
};

static struct loop make_loop(int *p)
{
    struct loop loop = {.graph = new_graph()};
    loop.handle = new_handle(loop.graph, 1, cudaGraphCondAssignDefault);
    loop.node =
        add_conditional(loop.graph, NULL, loop.handle, cudaGraphCondTypeWhile, 1, &loop.bodies);
    loop.inner = add_down(loop.bodies[0], NULL, p, loop.handle);
    return loop;
}

static void begin_with(int *p, int rounds)
{
    const int start[4] = {rounds, 0, 0, 0};
    assert_success(cudaMemcpy(p, start, sizeof start, cudaMemcpyHostToDevice));
    assert_success(cudaDeviceSynchronize());
}

/* What is left, how many rounds there were, which digits. */
static void expect(const int *p, int left, int rounds, int digits)
{
    int found[3];
    assert_success(cudaMemcpy(found, p, sizeof found, cudaMemcpyDeviceToHost));
    assert_int_equal(found[0], left);
    assert_int_equal(found[1], rounds);
    assert_int_equal(found[2], digits);
}

static void run_on(cudaGraphExec_t exec, int *p, int rounds)
{
    begin_with(p, rounds);
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaStreamSynchronize(NULL));
}

static void end_graph(cudaGraphExec_t exec, cudaGraph_t graph)
{
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
}

/* --- what runs -------------------------------------------------------------------------------- */

TEST_BODY(conditional_loops_in_the_order_of_the_stream)
{
    int *p = device_ints(4);
    const cudaStream_t stream = new_stream();
    const struct loop loop = make_loop(p);
    add_digit(loop.graph, &loop.node, p, 7);
    const cudaGraphExec_t exec = instantiate(loop.graph);
    struct gate gate = GATE_INITIALIZER;
    begin_with(p, 4);
    gate_hold(&gate, stream);
    assert_success(cudaGraphLaunch(exec, stream)); /* while the stream is held */
    assert_stays_busy(stream);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    expect(p, 0, 4, 7);
    for (int i = 0; i < 20; i++) {
        begin_with(p, 3);
        assert_success(cudaGraphLaunch(exec, i % 2 != 0 ? stream : NULL));
        assert_success(cudaDeviceSynchronize());
        assert_int_equal(read_device_int(p + 1), 3);
    }
    end_graph(exec, loop.graph);
    assert_success(cudaStreamDestroy(stream));
}

/* A loop, in which a switch chooses what is added; two handles, in one of the inner graphs a third. */
TEST_BODY(conditional_nodes_lie_within_each_other)
{
    int *p = device_ints(4);
    cudaGraph_t *ways = NULL, *inner = NULL;
    const struct loop loop = make_loop(p);
    const cudaGraphConditionalHandle which = new_handle(loop.graph, 0, 0),
                                     deep = new_handle(loop.bodies[0], 0, 0);
    const cudaGraphNode_t first = add_set(loop.bodies[0], &loop.inner, which, 1);
    const cudaGraphNode_t second =
        add_conditional(loop.bodies[0], &first, which, cudaGraphCondTypeSwitch, 2, &ways);
    add_digit(ways[0], NULL, p, 1);
    const cudaGraphNode_t digit = add_digit(ways[1], NULL, p, 2);
    const cudaGraphNode_t third =
        add_conditional(ways[1], &digit, deep, cudaGraphCondTypeIf, 2, &inner);
    add_digit(inner[0], NULL, p, 3);
    add_digit(inner[1], NULL, p, 4);
    add_digit(ways[1], &third, p, 5);
    add_set(loop.bodies[0], &second, deep, 1);
    const cudaGraphExec_t exec = instantiate(loop.graph);
    run_on(exec, p, 3);
    expect(p, 0, 3, 245235235);
    end_graph(exec, loop.graph);
}

TEST_BODY(conditional_values_start_as_they_were_told)
{
    int *p = device_ints(4);
    const cudaGraph_t graph = new_graph();
    cudaGraph_t *kept = NULL, *started = NULL;
    const cudaGraphConditionalHandle keeps = new_handle(graph, 9, 0),
                                     starts = new_handle(graph, 1, cudaGraphCondAssignDefault);
    const cudaGraphNode_t first =
        add_conditional(graph, NULL, keeps, cudaGraphCondTypeIf, 2, &kept);
    const cudaGraphNode_t second =
        add_conditional(graph, &first, starts, cudaGraphCondTypeIf, 2, &started);
    add_digit(kept[0], NULL, p, 1);
    add_digit(kept[1], NULL, p, 2);
    add_digit(started[0], NULL, p, 3);
    add_digit(started[1], NULL, p, 4);
    const cudaGraphNode_t third = add_set(graph, &second, keeps, 5);
    add_set(graph, &third, starts, 0);
    const cudaGraphExec_t exec = instantiate(graph);
    run_on(exec, p, 0);
    expect(p, 0, 0, 23);
    run_on(exec, p, 0);
    expect(p, 0, 0, 13);
    end_graph(exec, graph);
}

static struct cudaMemcpy3DParms from_host(int *p, const int *value)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)value, sizeof *value, sizeof *value, 1},
        .dstPtr = {p, sizeof *value, sizeof *value, 1},
        .extent = {sizeof *value, 1, 1},
        .kind = cudaMemcpyHostToDevice,
    };
}

/* All that a body may have, by hand and by capture, with a graph inside. */
TEST_BODY(conditional_bodies_take_all_that_they_may)
{
    int *p = device_ints(8);
    static const int given = 6;
    const cudaGraph_t graph = new_graph(), child = new_graph();
    const cudaStream_t stream = new_stream();
    cudaGraph_t *bodies = NULL, captured = NULL;
    cudaGraphNode_t copy = NULL, nested = NULL, empty = NULL;
    const cudaGraphConditionalHandle handle = new_handle(graph, 1, cudaGraphCondAssignDefault);
    add_conditional(graph, NULL, handle, cudaGraphCondTypeIf, 1, &bodies);
    const struct cudaMemcpy3DParms params = from_host(p + 4, &given);
    assert_success(cudaGraphAddMemcpyNode(&copy, bodies[0], NULL, 0, &params));
    assert_success(cudaGraphAddEmptyNode(&empty, bodies[0], &copy, 1));
    add_digit(child, NULL, p, 8);
    assert_success(cudaGraphAddChildGraphNode(&nested, bodies[0], &empty, 1, child));
    assert_success(cudaStreamBeginCaptureToGraph(stream, bodies[0], &nested, NULL, 1,
                                                 cudaStreamCaptureModeThreadLocal));
    assert_fails(cudaErrorIllegalState, cudaGraphDestroy(graph));
    assert_success(cudaMemsetAsync(p + 5, 1, sizeof *p, stream));
    assert_success(cudaStreamEndCapture(stream, &captured));
    assert_ptr_equal(captured, bodies[0]);
    const cudaGraphExec_t exec = instantiate(graph);
    run_on(exec, p, 0);
    expect(p, 0, 0, 8);
    assert_int_equal(read_device_int(p + 4), 6);
    assert_int_equal(read_device_int(p + 5), 0x01010101);
    end_graph(exec, graph);
    assert_success(cudaGraphDestroy(child));
    assert_success(cudaStreamDestroy(stream));
}

/* A capture that was spoilt leaves the body, which is its node's, as it is. */
TEST_BODY(conditional_bodies_outlive_captures)
{
    int *p = device_ints(4);
    const struct loop loop = make_loop(p);
    const cudaStream_t stream = new_stream();
    cudaGraph_t captured = NULL;
    assert_success(cudaStreamBeginCaptureToGraph(stream, loop.bodies[0], &loop.inner, NULL, 1,
                                                 cudaStreamCaptureModeThreadLocal));
    assert_fails(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
    assert_fails(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &captured));
    const cudaGraphExec_t exec = instantiate(loop.graph);
    run_on(exec, p, 2);
    expect(p, 0, 2, 0);
    end_graph(exec, loop.graph);
    assert_success(cudaStreamDestroy(stream));
}

/* As libraries have it that capture: the node is added by hand, and what is captured next comes behind it. */
TEST_BODY(conditional_nodes_join_captures)
{
    int *p = device_ints(4);
    const cudaStream_t stream = new_stream(), inner = new_stream();
    enum cudaStreamCaptureStatus status;
    cudaGraph_t graph = NULL, *bodies = NULL, body = NULL;
    const cudaGraphNode_t *before = NULL;
    size_t count = 0;
    int digit = 1;
    void *arguments[] = {&p, &digit};
    const struct cudaKernelNodeParams params = params_of("append", arguments);
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_success(launch_1d(params.func, 1, 1, arguments, 0, stream));
    assert_success(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &before, NULL, &count));
    assert_int_equal(count, 1);
    const cudaGraphConditionalHandle handle = new_handle(graph, 1, cudaGraphCondAssignDefault);
    cudaGraphNode_t node = add_conditional(graph, before, handle, cudaGraphCondTypeIf, 1, &bodies);
    assert_success(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1,
                                                       cudaStreamSetCaptureDependencies));
    assert_success(cudaStreamBeginCaptureToGraph(inner, bodies[0], NULL, NULL, 0,
                                                 cudaStreamCaptureModeRelaxed));
    digit = 2;
    assert_success(launch_1d(params.func, 1, 1, arguments, 0, inner));
    assert_success(cudaStreamEndCapture(inner, &body));
    digit = 3;
    assert_success(launch_1d(params.func, 1, 1, arguments, 0, stream));
    assert_success(cudaStreamEndCapture(stream, &graph));
    const cudaGraphExec_t exec = instantiate(graph);
    run_on(exec, p, 0);
    expect(p, 0, 0, 123);
    end_graph(exec, graph);
    assert_success(cudaStreamDestroy(inner));
    assert_success(cudaStreamDestroy(stream));
}

/* What a kernel sets is nobody's where it is launched by itself, or in a graph without conditional nodes; nor is a handle that
 * the graph does not have. */
TEST_BODY(conditional_values_are_of_their_graph)
{
    int *p = device_ints(4);
    cudaGraphConditionalHandle handle = 1;
    void *arguments[] = {&p, &handle};
    const struct cudaKernelNodeParams params = params_of("down", arguments);
    begin_with(p, 4);
    assert_success(launch_1d(params.func, 1, 1, arguments, 0, NULL));
    const cudaGraph_t plain = new_graph();
    add_down(plain, NULL, p, handle);
    cudaGraphExec_t exec = instantiate(plain);
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaStreamSynchronize(NULL));
    expect(p, 2, 2, 0);
    end_graph(exec, plain);
    const struct loop loop = make_loop(p);
    const cudaGraphNode_t zero = add_set(loop.bodies[0], &loop.inner, 0, 1);
    const cudaGraphNode_t next = add_set(loop.bodies[0], &zero, 2, 1);
    add_set(loop.bodies[0], &next, (cudaGraphConditionalHandle)1 << 32 | 1, 1);
    exec = instantiate(loop.graph);
    run_on(exec, p, 3);
    expect(p, 0, 3, 0);
    end_graph(exec, loop.graph);
}

/* Two at a time, whose handles are the same numbers. */
TEST_BODY(conditional_graphs_run_beside_each_other)
{
    enum { GRAPHS = 4 };
    struct loop loops[GRAPHS];
    cudaGraphExec_t execs[GRAPHS];
    cudaStream_t streams[GRAPHS];
    int *p[GRAPHS];
    for (int i = 0; i < GRAPHS; i++) {
        p[i] = device_ints(4);
        loops[i] = make_loop(p[i]);
        execs[i] = instantiate(loops[i].graph);
        streams[i] = new_stream();
        begin_with(p[i], 10 + i);
    }
    for (int i = 0; i < GRAPHS; i++)
        assert_success(cudaGraphLaunch(execs[i], streams[i]));
    assert_success(cudaDeviceSynchronize());
    for (int i = 0; i < GRAPHS; i++) {
        expect(p[i], 0, 10 + i, 0);
        end_graph(execs[i], loops[i].graph);
        assert_success(cudaStreamDestroy(streams[i]));
    }
}

enum { MANY = 20 };

struct launcher {
    unsigned seed;
    int *p, rounds;
    cudaStream_t stream;
    cudaGraph_t graphs[MANY];
    cudaGraphExec_t execs[MANY];
};

/* Graphs that are destroyed behind their launches, with waits here and there. */
static void *launch_many(void *data)
{
    struct launcher *own = data;
    for (int i = 0; i < 3 * MANY; i++) {
        const int next = 1 + rand_r(&own->seed) % 4;
        own->rounds += next;
        THREAD_SUCCESS(
            cudaMemcpyAsync(own->p, &next, sizeof next, cudaMemcpyHostToDevice, own->stream));
        THREAD_SUCCESS(cudaGraphLaunch(own->execs[i / 3], own->stream));
        if (rand_r(&own->seed) % 3 == 0)
            THREAD_SUCCESS(cudaStreamSynchronize(own->stream));
        if (i % 3 < 2)
            continue;
        THREAD_SUCCESS(cudaGraphExecDestroy(own->execs[i / 3]));
        THREAD_SUCCESS(cudaGraphDestroy(own->graphs[i / 3]));
    }
    return NULL;
}

TEST_BODY(conditional_graphs_in_many_threads)
{
    enum { THREADS = 4 };
    struct launcher launchers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        struct launcher *own = &launchers[i];
        *own = (struct launcher){.seed = i + 1, .p = device_ints(4)};
        assert_success(
            cudaStreamCreateWithFlags(&own->stream, i % 2 != 0 ? cudaStreamNonBlocking : 0));
        begin_with(own->p, 0);
        for (int k = 0; k < MANY; k++) {
            own->graphs[k] = make_loop(own->p).graph;
            own->execs[k] = instantiate(own->graphs[k]);
        }
    }
    run_threads(THREADS, launch_many, launchers, sizeof *launchers);
    assert_success(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++) {
        expect(launchers[i].p, 0, launchers[i].rounds, 0);
        assert_success(cudaStreamDestroy(launchers[i].stream));
    }
}

/* --- what changes ----------------------------------------------------------------------------- */

TEST_BODY(conditional_launches_go_on_without_their_graph)
{
    int *p = device_ints(4);
    const cudaStream_t stream = new_stream();
    const struct loop loop = make_loop(p);
    const cudaGraphExec_t exec = instantiate(loop.graph);
    struct gate gate = GATE_INITIALIZER;
    begin_with(p, 5);
    gate_hold(&gate, stream);
    assert_success(cudaGraphLaunch(exec, stream));
    end_graph(exec, loop.graph);
    assert_success(cudaStreamDestroy(stream));
    gate_open(&gate);
    assert_success(cudaDeviceSynchronize());
    expect(p, 0, 5, 0);
}

TEST_BODY(conditional_bodies_change_in_executable_graphs)
{
    int *p = device_ints(8), *other = p + 4;
    const struct loop loop = make_loop(p), second = make_loop(other);
    const cudaGraphExec_t exec = instantiate(loop.graph);
    cudaGraphExecUpdateResultInfo info;
    void *arguments[] = {&other, (void *)(uintptr_t)&loop.handle};
    const struct cudaKernelNodeParams params = params_of("down", arguments);
    assert_success(cudaGraphExecKernelNodeSetParams(exec, loop.inner, &params));
    run_on(exec, other, 2);
    expect(other, 0, 2, 0);
    struct cudaGraphNodeParams same = conditional(loop.handle, cudaGraphCondTypeWhile, 1);
    assert_fails(cudaErrorNotSupported, cudaGraphExecNodeSetParams(exec, loop.node, &same));
    assert_fails(cudaErrorNotSupported, cudaGraphNodeSetParams(loop.node, &same));
    assert_success(cudaGraphExecUpdate(exec, loop.graph, &info));
    run_on(exec, p, 3);
    expect(p, 0, 3, 0);
    assert_success(cudaGraphExecUpdate(exec, second.graph, &info));
    run_on(exec, other, 4);
    expect(other, 0, 4, 0);
    assert_success(cudaGraphNodeSetEnabled(exec, loop.inner, 1));
    end_graph(exec, loop.graph);
    assert_success(cudaGraphDestroy(second.graph));
}

/* The graph updates what values begin as; what a node is stays. */
TEST_BODY(conditional_updates_change_starts_alone)
{
    int *p = device_ints(4);
    cudaGraph_t graphs[3], *bodies = NULL;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphNode_t node = NULL;
    for (unsigned i = 0; i < 3; i++) {
        graphs[i] = new_graph();
        const cudaGraphConditionalHandle handle =
            new_handle(graphs[i], i == 0, cudaGraphCondAssignDefault);
        node = add_conditional(graphs[i], NULL, handle,
                               i < 2 ? cudaGraphCondTypeIf : cudaGraphCondTypeSwitch, 2, &bodies);
        add_digit(bodies[0], NULL, p, 1);
        add_digit(bodies[1], NULL, p, 2);
    }
    const cudaGraphExec_t exec = instantiate(graphs[0]);
    run_on(exec, p, 0);
    expect(p, 0, 0, 1);
    assert_success(cudaGraphExecUpdate(exec, graphs[1], &info));
    run_on(exec, p, 0);
    expect(p, 0, 0, 2);
    assert_fails(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, graphs[2], &info));
    assert_int_equal(info.result, cudaGraphExecUpdateErrorParametersChanged);
    assert_ptr_equal(info.errorNode, node);
    assert_success(cudaGraphExecDestroy(exec));
    for (int i = 0; i < 3; i++)
        assert_success(cudaGraphDestroy(graphs[i]));
}

/* --- what is refused -------------------------------------------------------------------------- */

TEST_BODY(conditional_graphs_are_one_of_a_kind)
{
    int *p = device_ints(4);
    const struct loop loop = make_loop(p);
    const cudaGraph_t outer = new_graph();
    const cudaStream_t stream = new_stream();
    cudaGraph_t clone = NULL;
    cudaGraphNode_t node = NULL;
    cudaGraphExec_t exec = instantiate(loop.graph), another = NULL;
    assert_fails(cudaErrorNotSupported, cudaGraphInstantiate(&another, loop.graph, 0));
    assert_fails(cudaErrorNotSupported, cudaGraphClone(&clone, loop.graph));
    assert_fails(cudaErrorNotSupported,
                 cudaGraphAddChildGraphNode(&node, outer, NULL, 0, loop.graph));
    assert_fails(cudaErrorInvalidValue, cudaGraphDestroy(loop.bodies[0]));
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    assert_fails(cudaErrorNotSupported, cudaGraphLaunch(exec, stream));
    assert_success(cudaStreamEndCapture(stream, &clone));
    assert_success(cudaGraphDestroy(clone));
    assert_success(cudaGraphExecDestroy(exec));
    exec = instantiate(loop.graph);
    run_on(exec, p, 1);
    end_graph(exec, loop.graph);
    assert_success(cudaGraphDestroy(outer));
    assert_success(cudaStreamDestroy(stream));
}

static void do_nothing(void *data)
{
    (void)data;
}

TEST_BODY(conditional_graphs_say_why_they_are_none)
{
    int *p = device_ints(4);
    const struct loop loop = make_loop(p);
    const struct cudaHostNodeParams params = {do_nothing, NULL};
    cudaGraphInstantiateParams told = {0};
    cudaGraphNode_t node = NULL;
    cudaGraphExec_t exec = NULL;
    assert_success(cudaGraphAddHostNode(&node, loop.bodies[0], &loop.inner, 1, &params));
    assert_fails(cudaErrorNotSupported, cudaGraphInstantiateWithParams(&exec, loop.graph, &told));
    assert_int_equal(told.result_out, cudaGraphInstantiateNodeOperationNotSupported);
    assert_ptr_equal(told.errNode_out, node);
    assert_success(cudaGraphDestroyNode(node));
    const cudaGraphNode_t behind = add_down(loop.bodies[0], &loop.inner, p, loop.handle);
    assert_success(
        cudaGraphAddDependencies(loop.bodies[0], &behind, &loop.inner, NULL, 1)); /* a circle */
    assert_fails(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, loop.graph, &told));
    assert_int_equal(told.result_out, cudaGraphInstantiateInvalidStructure);
    assert_true(told.errNode_out == behind || told.errNode_out == loop.inner);
    assert_success(cudaGraphDestroyNode(behind));
    (void)new_handle(loop.graph, 0, 0);
    assert_fails(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, loop.graph, &told));
    assert_int_equal(told.result_out, cudaGraphInstantiateConditionalHandleUnused);
    assert_success(cudaGraphDestroy(loop.graph));
}

/* In the innermost graph of as many as there may be. */
TEST_BODY(conditional_nodes_nest_to_a_limit)
{
    enum { LEVELS = 32 };
    int *p = device_ints(4);
    const cudaGraph_t graph = new_graph();
    cudaGraph_t at = graph, *bodies = NULL;
    cudaGraphNode_t node = NULL;
    for (int i = 0; i < LEVELS; i++) {
        add_conditional(at, NULL, new_handle(at, 1, cudaGraphCondAssignDefault),
                        cudaGraphCondTypeIf, 1, &bodies);
        at = bodies[0];
    }
    add_digit(at, NULL, p, 5);
    const cudaGraphExec_t exec = instantiate(graph);
    run_on(exec, p, 0);
    expect(p, 0, 0, 5);
    struct cudaGraphNodeParams params = conditional(new_handle(at, 1, 0), cudaGraphCondTypeIf, 1);
    assert_fails(cudaErrorNotSupported, cudaGraphAddNode(&node, at, NULL, NULL, 0, &params));
    end_graph(exec, graph);
}

TEST_BODY(conditional_nodes_refuse_bad_arguments)
{
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    cudaGraphConditionalHandle handle = 0;
    assert_fails(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(NULL, graph, 0, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, NULL, 0, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
    struct cudaGraphNodeParams params = conditional(1, cudaGraphCondTypeIf, 1);
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    handle = new_handle(graph, 0, 0);
    const struct {
        int type;
        unsigned size;
    } bad[] = {{cudaGraphCondTypeIf, 0},     {cudaGraphCondTypeIf, 3},
               {cudaGraphCondTypeWhile, 0},  {cudaGraphCondTypeWhile, 2},
               {cudaGraphCondTypeSwitch, 0}, {9, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        params = conditional(handle, (enum cudaGraphConditionalNodeType)bad[i].type, bad[i].size);
        assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
        assert_null(params.conditional.phGraph_out);
    }
    params = conditional(handle, cudaGraphCondTypeSwitch, 5);
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(NULL, graph, NULL, NULL, 0, &params));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(&node, NULL, NULL, NULL, 0, &params));
    params.reserved2 = 1;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    params.reserved2 = 0;
    assert_success(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    assert_success(cudaGraphDestroy(graph));
}

/* --- what ends -------------------------------------------------------------------------------- */

/* A loop that would go on for ever, and whether it has begun. */
static cudaGraphExec_t launch_endless(int *p, cudaStream_t stream)
{
    const struct loop loop = make_loop(p);
    add_set(loop.bodies[0], &loop.inner, loop.handle, 1);
    const cudaGraphExec_t exec = instantiate(loop.graph);
    begin_with(p, 0);
    assert_success(cudaGraphLaunch(exec, stream));
    const cudaStream_t aside = new_stream();
    int rounds = 0;
    while (rounds == 0) {
        assert_success(
            cudaMemcpyAsync(&rounds, p + 1, sizeof rounds, cudaMemcpyDeviceToHost, aside));
        assert_success(cudaStreamSynchronize(aside));
    }
    assert_success(cudaStreamDestroy(aside));
    return exec;
}

TEST_BODY(conditional_loops_end_with_their_context)
{
    for (int i = 0; i < 3; i++) {
        int *p = device_ints(4);
        const cudaStream_t stream = new_stream();
        library = NULL;
        const cudaGraphExec_t exec = launch_endless(p, stream);
        assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
        assert_success(cudaDeviceReset());
        assert_success(cudaGraphExecDestroy(exec));
        library = NULL;
        p = device_ints(4);
        const struct loop loop = make_loop(p);
        const cudaGraphExec_t next = instantiate(loop.graph);
        run_on(next, p, 2);
        expect(p, 0, 2, 0);
        end_graph(next, loop.graph);
    }
}

TEST_BODY(conditional_loops_end_with_their_process)
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const cudaStream_t stream = new_stream();
        (void)launch_endless(device_ints(4), stream);
        assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
        alarm(60);
        exit(0);
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}

/* Where a node cannot do what it says any more, nobody is there to tell but the context. */
TEST_BODY(conditional_nodes_that_fail_fail_the_context)
{
    int *p = device_ints(4);
    const struct loop loop = make_loop(p);
    const cudaGraphExec_t exec = instantiate(loop.graph);
    begin_with(p, 2);
    assert_success(cudaLibraryUnload(library));
    const cudaError_t error = cudaGraphLaunch(exec, NULL);
    assert_true(error == cudaSuccess || error == cudaErrorLaunchFailure); /* it may fail as soon */
    assert_int_equal(cudaStreamSynchronize(NULL), cudaErrorLaunchFailure);
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
    assert_success(cudaDeviceReset());
    library = NULL;
    assert_success(cudaGraphExecDestroy(exec));
}

static cudaGraphNode_t add_fill(cudaGraph_t graph, const cudaGraphNode_t *after, void *at,
                                unsigned value, CUcontext context)
{
    const CUDA_MEMSET_NODE_PARAMS params = {
        .dst = (CUdeviceptr)at, .value = value, .elementSize = 1, .width = 4, .height = 1};
    CUgraphNode node = NULL;
    assert_int_equal(cuGraphAddMemsetNode(&node, (CUgraph)graph, (const CUgraphNode *)after,
                                          after != NULL, &params, context),
                     CUDA_SUCCESS);
    return (cudaGraphNode_t)node;
}

static cudaGraphNode_t add_copy(cudaGraph_t graph, cudaGraphNode_t after, int *to, int *from)
{
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphAddMemcpyNode1D(&node, graph, &after, 1, to, from, sizeof *to,
                                            cudaMemcpyDeviceToDevice));
    return node;
}

/* Nodes beside a conditional one may be of another context: each comes behind those before it. */
TEST_BODY(conditional_nodes_beside_those_of_another_context)
{
    int *p = device_ints(4), *q = NULL;
    CUcontext home = NULL, other = NULL;
    const cudaGraph_t graph = new_graph();
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
    cudaGraphNode_t node = NULL;
    const cudaStream_t stream = new_stream();
    assert_int_equal(cuCtxGetCurrent(&home), CUDA_SUCCESS);
    assert_int_equal(cuCtxCreate(&other, NULL, 0, 0), CUDA_SUCCESS);
    assert_success(cudaMalloc((void **)&q, 64));
    assert_int_equal(cuCtxSetCurrent(home), CUDA_SUCCESS);
    assert_success(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 1,
                                                    cudaGraphCondAssignDefault));
    params.conditional.type = cudaGraphCondTypeIf;
    params.conditional.size = 1;
    node = add_fill(graph, NULL, q, 3, other);
    const cudaGraphNode_t first = add_fill(graph, &node, p, 1, home);
    assert_success(cudaGraphAddNode(&node, graph, &first, NULL, 1, &params));
    (void)add_fill(params.conditional.phGraph_out[0], NULL, p + 1, 2, home);
    node = add_fill(graph, &node, q, 4, other);
    node = add_copy(graph, node, p + 2, p + 1);
    (void)add_fill(graph, &node, q, 5, other);
    const cudaGraphExec_t exec = instantiate(graph);
    for (int i = 0; i < 3; i++) {
        assert_success(cudaMemset(p, 0, 16));
        assert_success(cudaDeviceSynchronize());
        assert_success(cudaGraphLaunch(exec, stream));
        assert_success(cudaStreamSynchronize(stream));
        assert_int_equal(read_device_int(p), 0x01010101);
        assert_int_equal(read_device_int(p + 1), 0x02020202);
        assert_int_equal(read_device_int(p + 2), 0x02020202);
        assert_int_equal(read_device_int(q), 0x05050505);
    }
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    assert_int_equal(cuCtxDestroy(other), CUDA_SUCCESS);
    assert_success(cudaFree(p));
}

static void sleep_in_turn(void *time)
{
    nanosleep(time, NULL);
}

/* What a launch that has still to come uses may be freed behind it, and other streams may be told to wait for it. */
TEST_BODY(conditional_nodes_find_what_is_freed_behind_them)
{
    int *p = device_ints(1), *scratch = NULL, *more = NULL, *tiny = NULL;
    const cudaGraph_t graph = new_graph();
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
    cudaGraphNode_t node = NULL;
    cudaEvent_t event = NULL;
    CUcontext context = NULL;
    const cudaStream_t stream = new_stream();
    struct timespec nap = {0, 20000000};
    assert_success(cudaMallocAsync((void **)&scratch, 64, stream));
    assert_success(cudaMalloc((void **)&more, 64));
    assert_success(cudaMemsetAsync(scratch, 6, 64, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_success(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 1,
                                                    cudaGraphCondAssignDefault));
    params.conditional.type = cudaGraphCondTypeIf;
    params.conditional.size = 1;
    assert_success(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    const cudaGraph_t body = params.conditional.phGraph_out[0];
    assert_success(
        cudaGraphAddMemcpyNode1D(&node, body, NULL, 0, more, scratch, 4, cudaMemcpyDeviceToDevice));
    (void)add_copy(body, node, p, more);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaLaunchHostFunc(stream, sleep_in_turn, &nap));
    assert_success(cudaGraphLaunch(exec, stream));
    assert_success(cudaFreeAsync(scratch, stream));
    assert_success(cudaMallocAsync((void **)&tiny, 1, stream)); /* the same memory */
    assert_success(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    assert_success(cudaEventRecord(event, stream));
    assert_int_equal(cuCtxGetCurrent(&context), CUDA_SUCCESS);
    assert_int_equal(cuCtxWaitEvent(context, (CUevent)event), CUDA_SUCCESS);
    assert_success(cudaFree(more));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(p), 0x06060606);
    assert_success(cudaFreeAsync(tiny, stream));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}
