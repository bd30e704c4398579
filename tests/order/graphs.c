/* Commands of a program as nodes of a graph.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "interpreter.h"

/* The commands of a graph, in their order. */
struct members {
    int at[MOST_COMMANDS];
    int count;
};

static struct members members_of(const struct program *program, int index)
{
    struct members members = {.count = 0};
    for (int i = index; i >= 0; i = graph_next(program, i))
        members.at[members.count++] = i;
    return members;
}

static bool is_simple(const struct program *program, const struct command *c)
{
    const bool is_line = c->kind == DO_COPY_ASYNC || c->kind == DO_SET_ASYNC;
    (void)program;
    return c->kind == DO_KERNEL || c->kind == DO_HOST_FUNCTION || c->kind == DO_PAUSE || is_line;
}

/* all: every command of the graph is of that sort. */
static bool all(const struct interpreter *of, const struct members *members,
                bool is(const struct program *program, const struct command *c))
{
    for (int i = 0; i < members->count; i++)
        if (!is(of->program, &of->program->command[members->at[i]]))
            return false;
    return true;
}

static bool is_plain(const struct program *program, const struct region *region)
{
    const enum memory memory = (enum memory)program->buffer[region->buffer].memory;
    return !region->count || (!is_array(memory) && memory != MEMORY_PAGEABLE);
}

/* Bodies of conditional nodes have neither host functions, memory of their own, arrays nor pageable memory.
 * Source: CUDA Programming Guide, "Conditional Graph Nodes". */
static bool may_be_inside(const struct program *program, const struct command *c)
{
    return is_plain(program, &c->target) && is_plain(program, &c->first) &&
           is_plain(program, &c->second) && c->kind != DO_HOST_FUNCTION && c->kind != DO_PAUSE &&
           c->kind != DO_MALLOC_ASYNC;
}

static bool does_not_allocate(const struct program *program, const struct command *c)
{
    (void)program;
    return !allocates(c);
}

/* Node by node. */

static bool meet(const struct command *x, const struct command *y)
{
    const struct region *of_x[] = {&x->target, &x->first, &x->second};
    const struct region *of_y[] = {&y->target, &y->first, &y->second};

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if ((i == 0 || j == 0) && of_x[i]->count && of_y[j]->count &&
                of_x[i]->buffer == of_y[j]->buffer)
                return true;
    return false;
}

static cudaError_t add_kernel(const struct thread *thread, const struct command *c,
                              cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                              cudaGraphNode_t *node)
{
    const struct interpreter *of = thread->of;
    uint8_t *target = kernel_address(of, &c->target), *first = kernel_address(of, &c->first),
            *second = kernel_address(of, &c->second);
    uint32_t bytes = (uint32_t)region_bytes(of, &c->target), factor = c->factor,
             term = (uint8_t)(c->term + thread->is_decoy),
             spins = (uint32_t)(c->delay * device_code.spins_per_us);
    void *arguments[] = {&target, &first, &second, &bytes, &factor, &term, &spins};
    const struct cudaKernelNodeParams params = {
        .func = (void *)device_code.change,
        .gridDim = {1 + bytes / 65536, 1, 1},
        .blockDim = {32, 1, 1},
        .kernelParams = arguments,
    };
    return cudaGraphAddKernelNode(node, graph, before, count, &params);
}

/* add_copy_through: by way of memory that the graph has for that; node writes the target. */
static cudaError_t add_copy_through(const struct interpreter *of, const struct command *c,
                                    cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                    cudaGraphNode_t *node)
{
    const size_t bytes = region_bytes(of, &c->target);
    struct cudaMemAllocNodeParams scratch = {
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {.type = cudaMemLocationTypeDevice, .id = c->device}},
        .bytesize = bytes,
    };
    cudaGraphNode_t allocated = NULL, filled = NULL, freed = NULL;
    cudaError_t error = cudaGraphAddMemAllocNode(&allocated, graph, before, count, &scratch);

    if (!error)
        error = cudaGraphAddMemcpyNode1D(&filled, graph, &allocated, 1, scratch.dptr,
                                         address(of, &c->first), bytes, cudaMemcpyDefault);
    if (!error)
        error = cudaGraphAddMemcpyNode1D(node, graph, &filled, 1, address(of, &c->target),
                                         scratch.dptr, bytes, cudaMemcpyDefault);
    return error ? error : cudaGraphAddMemFreeNode(&freed, graph, node, 1, scratch.dptr);
}

static cudaError_t add_node(struct thread *thread, int index, cudaGraph_t graph,
                            const cudaGraphNode_t *before, size_t count, cudaGraphNode_t *node)
{
    struct interpreter *of = thread->of;
    const struct command *c = &of->program->command[index];
    const struct cudaMemsetParams fill = {
        .dst = address(of, &c->target),
        .value = (uint8_t)(c->term + thread->is_decoy),
        .elementSize = 1,
        .width = region_bytes(of, &c->target),
        .height = 1,
    };
    const struct cudaHostNodeParams call = {host_function, &of->work[index]};

    if (c->kind == DO_KERNEL)
        return add_kernel(thread, c, graph, before, count, node);
    if (c->kind == DO_SET_ASYNC)
        return cudaGraphAddMemsetNode(node, graph, before, count, &fill);
    if (c->kind == DO_COPY_ASYNC && c->how & GRAPH_SCRATCH)
        return add_copy_through(of, c, graph, before, count, node);
    if (c->kind == DO_COPY_ASYNC)
        return cudaGraphAddMemcpyNode1D(node, graph, before, count, address(of, &c->target),
                                        address(of, &c->first), region_bytes(of, &c->target),
                                        cudaMemcpyDefault);
    if (c->kind == DO_COPY_ASYNC)
        return cudaGraphAddMemcpyNode1D(node, graph, before, count, address(of, &c->target),
                                        address(of, &c->first), region_bytes(of, &c->target),
                                        cudaMemcpyDefault);
    of->work[index] = (struct host_work){of, c};
    return cudaGraphAddHostNode(node, graph, before, count, &call);
}

/* Behind those before it that touch the same memory, one of both writing. */
static cudaError_t add_nodes(struct thread *thread, const struct members *members,
                             cudaGraph_t graph)
{
    const struct command *command = thread->of->program->command;
    cudaGraphNode_t nodes[MOST_COMMANDS], before[MOST_COMMANDS];
    cudaError_t error = cudaSuccess;

    for (int i = 0; i < members->count && !error; i++) {
        size_t count = 0;
        for (int j = 0; j < i; j++)
            if (meet(&command[members->at[j]], &command[members->at[i]]))
                before[count++] = nodes[j];
        error = add_node(thread, members->at[i], graph, before, count, &nodes[i]);
    }
    return error;
}

/* By capture. */

/* Two streams that capture into one graph, and the commands that each got. ordered[a][b]: stream a waits for so many of b's. */
struct lanes {
    cudaStream_t stream[2];
    cudaEvent_t event;
    int at[2][MOST_COMMANDS], count[2], ordered[2][2];
};

static cudaError_t find_captures(struct thread *thread, unsigned device, cudaStream_t stream[2])
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < 2 && !error; i++) {
        if (!thread->captures[device][i])
            error = cudaStreamCreateWithFlags(&thread->captures[device][i], cudaStreamNonBlocking);
        stream[i] = thread->captures[device][i];
    }
    return error;
}

/* join: lane waits for the other. */
static cudaError_t join(struct lanes *lanes, int lane)
{
    cudaError_t error = cudaEventRecord(lanes->event, lanes->stream[!lane]);
    lanes->ordered[lane][!lane] = lanes->count[!lane];
    return error ? error : cudaStreamWaitEvent(lanes->stream[lane], lanes->event, 0);
}

/* capture_in: behind those of the other lane that touch the same memory. */
static cudaError_t capture_in(struct thread *thread, struct lanes *lanes, int lane, int index)
{
    const struct command *command = thread->of->program->command;
    bool must_wait = false;

    for (int i = lanes->ordered[lane][!lane]; i < lanes->count[!lane]; i++)
        must_wait |= meet(&command[lanes->at[!lane][i]], &command[index]);
    if (must_wait && join(lanes, lane))
        return cudaGetLastError();
    thread->capture = lanes->stream[lane];
    run_command(thread, index);
    thread->capture = NULL;
    lanes->at[lane][lanes->count[lane]++] = index;
    return cudaSuccess;
}

/* capture_all: into the first stream, or into both in no order but that of what they touch. */
static cudaError_t capture_all(struct thread *thread, struct lanes *lanes,
                               const struct members *members)
{
    const bool forks = thread->of->program->command[members->at[0]].how & GRAPH_FORK;
    cudaError_t error = forks ? join(lanes, 1) : cudaSuccess;

    for (int i = 0; i < members->count && !error; i++)
        error =
            capture_in(thread, lanes, forks && (members->at[i] * 7 / 3 + i) % 2, members->at[i]);
    return error || !forks ? error : join(lanes, 0);
}

static cudaError_t capture(struct thread *thread, const struct members *members, cudaGraph_t graph)
{
    struct lanes lanes = {.count = {0}};
    cudaGraph_t same = NULL;
    cudaError_t error =
        find_captures(thread, thread->of->program->command[members->at[0]].device, lanes.stream);

    if (!error)
        error = cudaEventCreateWithFlags(&lanes.event, cudaEventDisableTiming);
    if (error)
        return error;
    pthread_rwlock_rdlock(&thread->of->captures);
    error = cudaStreamBeginCaptureToGraph(lanes.stream[0], graph, NULL, NULL, 0,
                                          cudaStreamCaptureModeThreadLocal);
    if (!error)
        error = capture_all(thread, &lanes, members);
    if (!error)
        error = cudaStreamEndCapture(lanes.stream[0], &same);
    pthread_rwlock_unlock(&thread->of->captures);
    return error ? error : cudaEventDestroy(lanes.event);
}

/* Both. */

static cudaError_t fill_graph(struct thread *thread, const struct members *members,
                              cudaGraph_t graph)
{
    const struct interpreter *of = thread->of;
    const bool is_explicit = of->program->command[members->at[0]].how & GRAPH_EXPLICIT;
    return is_explicit && all(of, members, is_simple) ? add_nodes(thread, members, graph)
                                                      : capture(thread, members, graph);
}

/* add_body: a body that runs once, of a node of one of three kinds. */
static cudaError_t add_body(cudaGraph_t graph, unsigned sort, cudaGraph_t *body)
{
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
    cudaGraphNode_t node = NULL;
    cudaError_t error = cudaGraphConditionalHandleCreate(&params.conditional.handle, graph,
                                                         sort != 1, cudaGraphCondAssignDefault);

    params.conditional.type = sort == 2 ? cudaGraphCondTypeSwitch : cudaGraphCondTypeIf;
    params.conditional.size = sort == 0 ? 1 : 2;
    if (!error)
        error = cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params);
    if (!error)
        *body = params.conditional.phGraph_out[sort != 0];
    return error;
}

/* A loop, of which one turn has what is filled in. */
struct loop {
    cudaGraphConditionalHandle loop, body;
    uint32_t index, wanted, most;
    cudaGraph_t turns; /* the loop's body */
};

static cudaError_t add_inside(cudaGraph_t graph, enum cudaGraphConditionalNodeType type,
                              cudaGraphConditionalHandle handle, cudaGraph_t *body)
{
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
    cudaGraphNode_t node = NULL;

    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = 1;
    const cudaError_t error = cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params);
    if (!error)
        *body = params.conditional.phGraph_out[0];
    return error;
}

/* add_loop: a body that one of up to three turns runs. */
static cudaError_t add_loop(cudaGraph_t graph, int index, struct loop *loop, cudaGraph_t *body)
{
    loop->index = (uint32_t)index;
    loop->most = 1 + (uint32_t)index % 3;
    loop->wanted = (uint32_t)index / 3 % loop->most;
    cudaError_t error =
        cudaGraphConditionalHandleCreate(&loop->loop, graph, 1, cudaGraphCondAssignDefault);
    if (!error)
        error = add_inside(graph, cudaGraphCondTypeWhile, loop->loop, &loop->turns);
    if (!error)
        error = cudaGraphConditionalHandleCreate(&loop->body, loop->turns, loop->wanted == 0,
                                                 cudaGraphCondAssignDefault);
    return error ? error : add_inside(loop->turns, cudaGraphCondTypeIf, loop->body, body);
}

/* end_turns: behind all that is in the loop. */
static cudaError_t end_turns(struct loop *loop)
{
    void *arguments[] = {&loop->loop, &loop->body, &loop->index, &loop->wanted, &loop->most};
    const struct cudaKernelNodeParams params = {
        .func = (void *)device_code.turn,
        .gridDim = {1, 1, 1},
        .blockDim = {1, 1, 1},
        .kernelParams = arguments,
    };
    cudaGraphNode_t before[MOST_COMMANDS], node = NULL;
    size_t count = MOST_COMMANDS;
    const cudaError_t error = cudaGraphGetNodes(loop->turns, before, &count);
    return error ? error : cudaGraphAddKernelNode(&node, loop->turns, before, count, &params);
}

/* fill_child: by way of a graph that is cloned, or given away. */
static cudaError_t fill_child(struct thread *thread, const struct members *members,
                              cudaGraph_t graph)
{
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeGraph};
    const bool is_given = members->at[0] % 2;
    cudaGraphNode_t node = NULL;
    cudaError_t error = cudaGraphCreate(&params.graph.graph, 0);

    params.graph.ownership =
        is_given ? cudaGraphChildGraphOwnershipMove : cudaGraphChildGraphOwnershipClone;
    if (!error)
        error = fill_graph(thread, members, params.graph.graph);
    if (!error)
        error = cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params);
    return error || is_given ? error : cudaGraphDestroy(params.graph.graph);
}

/* make_graph: how says what it is made of. */
static cudaError_t make_graph(struct thread *thread, const struct members *members, unsigned how,
                              cudaGraph_t *graph)
{
    struct loop loop;
    cudaGraph_t body = NULL;
    cudaError_t error = cudaGraphCreate(graph, 0);

    if (!error && how & GRAPH_LOOP)
        error = add_loop(*graph, members->at[0], &loop, &body);
    else if (!error && how & GRAPH_CONDITIONAL)
        error = add_body(*graph, (unsigned)members->at[0] % 3, &body);
    if (!error)
        error = (how & GRAPH_CHILD ? fill_child : fill_graph)(
            thread, members, how & GRAPH_CONDITIONAL ? body : *graph);
    return !error && how & GRAPH_LOOP ? end_turns(&loop) : error;
}

/* what_can_be: how the commands can become a graph, of what is wanted. */
static unsigned what_can_be(const struct interpreter *of, const struct members *members,
                            unsigned how)
{
    if (!all(of, members, may_be_inside) || how & GRAPH_SCRATCH)
        how &= ~(unsigned)GRAPH_CONDITIONAL;
    if (!all(of, members, does_not_allocate) || how & GRAPH_SCRATCH)
        how &= ~(unsigned)(GRAPH_CHILD | GRAPH_UPDATED);
    if (!(how & GRAPH_CONDITIONAL) || !device_code.turn)
        how &= ~(unsigned)GRAPH_LOOP;
    return how & GRAPH_CONDITIONAL ? how & ~(unsigned)GRAPH_UPDATED : how;
}

static cudaError_t instantiate(struct thread *thread, const struct members *members, unsigned how,
                               cudaGraphExec_t *exec)
{
    const bool is_updated = how & GRAPH_UPDATED;
    cudaGraph_t graph = NULL, decoy = NULL;
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = cudaSuccess;

    thread->is_decoy = is_updated;
    if (is_updated)
        error = make_graph(thread, members, how, &decoy);
    thread->is_decoy = false;
    if (!error)
        error = make_graph(thread, members, how, &graph);
    if (!error)
        error = cudaGraphInstantiate(exec, is_updated ? decoy : graph, 0);
    if (!error && is_updated)
        error = cudaGraphExecUpdate(*exec, graph, &info);
    if (decoy)
        cudaGraphDestroy(decoy);
    if (graph)
        cudaGraphDestroy(graph);
    return error;
}

/* is_last: what the thread's last graph does. */
static bool is_last(const struct thread *thread, const struct members *members)
{
    const struct program *program = thread->of->program;
    int i = 0, x = thread->last.first;

    for (; x >= 0 && i < members->count; x = graph_next(program, x), i++) {
        struct command a = program->command[x], b = program->command[members->at[i]];
        a.graph = b.graph = a.how = b.how = 0;
        a.after = b.after = -1;
        if (memcmp(&a, &b, sizeof a) != 0 || allocates(&a))
            return false;
    }
    return x < 0 && i == members->count;
}

void end_graphs(struct thread *thread)
{
    if (thread->last.exec)
        cudaGraphExecDestroy(thread->last.exec);
    thread->last.exec = NULL;
    for (int i = 0; i < MOST_DEVICES; i++) {
        for (int j = 0; j < 2; j++) {
            if (thread->captures[i][j])
                cudaStreamDestroy(thread->captures[i][j]);
            thread->captures[i][j] = NULL;
        }
    }
}

/* The graph before goes while it may still run. */
int run_graph(struct thread *thread, int index)
{
    struct interpreter *of = thread->of;
    const struct command *c = &of->program->command[index];
    const struct members members = members_of(of->program, index);

    if (!(c->how & GRAPH_AGAIN && thread->last.exec && is_last(thread, &members))) {
        if (thread->last.exec)
            CALL(of, index, cudaGraphExecDestroy(thread->last.exec));
        thread->last.exec = NULL;
        thread->last.first = index;
        if (!CALL(of, index,
                  instantiate(thread, &members, what_can_be(of, &members, c->how),
                              &thread->last.exec)))
            return members.at[members.count - 1];
    }
    CALL(of, index, calls_of(c)->launch_graph(thread->last.exec, stream_of(of, c)));
    return members.at[members.count - 1];
}
