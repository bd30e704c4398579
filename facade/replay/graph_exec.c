/* Executable graphs: making them, launching them, ending them.
 *
 * A launch gives the nodes one by one to the stream, each behind those it depends on, so that all that CUDA says about
 * order between streams holds for them. Nodes whose context is another one's than the stream's go to a lane of their
 * context, which waits for the nodes before, as those behind wait for it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/check.h"
#include "cl/check_made.h"
#include "facade/graph/capture.h"
#include "facade/graph/user_object.h"
#include "facade/memory/graph_block.h"
#include "facade/replay/conditional_run.h"
#include "facade/replay/graph_exec.h"
#include "facade/state/handles.h"
#include "facade/stream/event.h"
#include "facade/stream/stream.h"

cudaError_t facade_exec_find(cudaGraphExec_t handle, struct facade_exec **exec)
{
    cudaError_t error = facade_process_check_fork();
    if (error != cudaSuccess)
        return error;
    *exec = facade_handle_find(FACADE_GRAPH_EXEC, handle);
    return *exec != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

/* --- lanes ------------------------------------------------------------------------------------ */

static bool is_live(const struct facade_lane *lane)
{
    return facade_handle_find(FACADE_CONTEXT, lane->context) != NULL &&
           lane->context->id == lane->context_id &&
           atomic_load(&lane->context->generation) == lane->generation;
}

static void end_lane(struct facade_lane *lane)
{
    if (is_live(lane)) {
        if (lane->stream != NULL)
            (void)facade_stream_destroy(lane->stream);
        if (lane->mark != NULL)
            (void)facade_event_destroy(lane->mark);
    }
    free(lane);
}

/* The context is the current one. */
static cudaError_t make_lane(struct facade_context *context, struct facade_lane **made)
{
    struct facade_lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL)
        return cudaErrorMemoryAllocation;
    lane->context = context;
    lane->context_id = context->id;
    lane->generation = atomic_load(&context->generation);
    cudaError_t error = facade_event_create(&lane->mark, cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = facade_stream_create(&lane->stream, cudaStreamNonBlocking, 0);
    ocl_made_forget(lane->mark); /* neither is the user's */
    ocl_made_forget(lane->stream);
    if (error == cudaSuccess)
        *made = lane;
    else
        end_lane(lane);
    return error;
}

/* What is left of a context that was closed since is taken out. */
static struct facade_lane *known_lane(struct facade_exec *exec,
                                      const struct facade_context *context)
{
    for (struct facade_lane **link = &exec->lanes; *link != NULL;) {
        struct facade_lane *lane = *link;
        if (lane->context != context) {
            link = &lane->next;
        } else if (is_live(lane)) {
            return lane;
        } else {
            *link = lane->next;
            exec->last = exec->last == lane ? NULL : exec->last;
            end_lane(lane);
        }
    }
    return NULL;
}

/* Calls of this thread are the context's until facade_stack_pop(). */
static cudaError_t enter(struct facade_context *context)
{
    return facade_stack_push(context) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t find_lane(struct facade_exec *exec, struct facade_context *context,
                             struct facade_lane **found)
{
    *found = known_lane(exec, context);
    if (*found != NULL)
        return cudaSuccess;
    cudaError_t error = enter(context);
    if (error != cudaSuccess)
        return error;
    error = make_lane(context, found);
    (void)facade_stack_pop();
    if (error != cudaSuccess)
        return error;
    (*found)->next = exec->lanes;
    exec->lanes = *found;
    return cudaSuccess;
}

/* --- launching -------------------------------------------------------------------------------- */

/* Where a launch has got to. */
struct launch {
    struct facade_exec *exec;
    struct facade_stream *stream, *at; /* the user's; that of the last node */
    struct facade_lane *lane;          /* of the last node's context */
};

/* What comes in the stream is behind all that was submitted so far. */
static cudaError_t go_to(struct launch *launch, struct facade_stream *stream,
                         struct facade_lane *lane)
{
    if (stream == launch->at)
        return cudaSuccess;
    cudaError_t error = facade_event_record_in(launch->lane->mark, launch->at);
    if (error == cudaSuccess)
        error = facade_event_wait_in(launch->lane->mark, stream);
    if (error != cudaSuccess)
        return error;
    launch->at = stream;
    launch->lane = lane;
    return cudaSuccess;
}

static cudaError_t find_stream(struct launch *launch, struct facade_context *context,
                               struct facade_stream **stream, struct facade_lane **lane)
{
    cudaError_t error = find_lane(launch->exec, context, lane);
    if (error != cudaSuccess || context == launch->stream->context) {
        *stream = launch->stream;
        return error;
    }
    *stream = facade_handle_find(FACADE_STREAM, (*lane)->stream);
    return *stream != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* Work of a context that is gone fails as its handles do. */
static cudaError_t run(struct launch *launch, const struct facade_work *work)
{
    struct facade_context *context =
        work->context != NULL ? work->context : launch->stream->context;
    struct facade_stream *stream = NULL;
    struct facade_lane *lane = NULL;
    const bool is_home = context == launch->stream->context;
    if ((!is_home && facade_handle_find(FACADE_CONTEXT, context) == NULL) ||
        (work->context != NULL && context->id != work->context_id))
        return cudaErrorContextIsDestroyed;
    if (is_home && launch->at == launch->stream)
        return work->kind->run(work, launch->stream);
    cudaError_t error = find_stream(launch, context, &stream, &lane);
    if (error == cudaSuccess)
        error = go_to(launch, stream, lane);
    if (error == cudaSuccess)
        error = enter(context);
    if (error != cudaSuccess)
        return error;
    error = work->kind->run(work, stream);
    (void)facade_stack_pop();
    return error;
}

/* Behind the last launch, which may be in another stream: an executable graph does not overlap with itself. */
static cudaError_t begin_launch(struct launch *launch)
{
    const struct facade_exec *exec = launch->exec;
    if (exec->last == NULL || exec->last_stream == launch->stream->id || !is_live(exec->last))
        return cudaSuccess;
    return facade_event_wait_in(exec->last->mark, launch->stream);
}

/* What was submitted counts as launched also where a node was refused. */
static cudaError_t end_launch(struct launch *launch, struct facade_lane *home)
{
    cudaError_t error = go_to(launch, launch->stream, home);
    if (error == cudaSuccess)
        error = facade_event_record_in(home->mark, launch->stream);
    launch->exec->last = home;
    launch->exec->last_stream = launch->stream->id;
    return error;
}

static bool is_auto_free(const struct facade_exec *exec)
{
    return (exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
}

/* --- for the checks of what is in order --- */

/* Graphs within graphs, and nodes of several contexts, count as in the order in which they are launched. */
static bool has_edges_alone(const struct facade_exec *exec, const struct facade_stream *stream)
{
    if (!ocl_check_wants(OCL_CHECK_RACE) || exec->run != NULL || exec->graph->memory_nodes > 0)
        return false;
    for (size_t i = 0; i < exec->count; i++) {
        const struct facade_node *node = exec->order[i];
        if (node->graph != exec->graph ||
            (node->work->context != NULL && node->work->context != stream->context))
            return false;
    }
    return true;
}

static size_t place_of(const struct facade_exec *exec, const struct facade_node *node)
{
    size_t place = 0;
    while (place < exec->count && exec->order[place] != node)
        place++;
    return place;
}

/* Nodes that do nothing, or have another graph, hand on what they come after; of long rows of them all before counts. */
static void tell_before(const struct facade_exec *exec, const struct facade_node *node, size_t at,
                        unsigned depth)
{
    enum { DEPTH = 6 };
    for (size_t i = 0; depth == DEPTH && i < at; i++)
        ocl_queue_graph_after(i);
    for (size_t i = 0; depth < DEPTH && i < node->before.count; i++) {
        const struct facade_node *before = node->before.nodes[i];
        const size_t place = place_of(exec, before);
        if (place < exec->count)
            ocl_queue_graph_after(place);
        else
            tell_before(exec, before, at, depth + 1);
    }
}

static void tell_node(const struct facade_exec *exec, size_t at, const struct facade_stream *stream)
{
    ocl_queue_graph_node(stream->queue);
    tell_before(exec, exec->order[at], at, 0);
}

static cudaError_t launch_exec(struct facade_exec *exec, struct facade_stream *stream)
{
    struct facade_lane *home = NULL;
    struct launch launch = {exec, stream, stream, NULL};
    const bool has_memory = exec->graph->memory_nodes > 0;
    cudaError_t error = find_lane(exec, stream->context, &home);
    launch.lane = home;
    if (error == cudaSuccess)
        error = begin_launch(&launch);
    if (error == cudaSuccess && has_memory)
        error = facade_graph_memory_begin(exec->order, exec->count, is_auto_free(exec), stream);
    if (error != cudaSuccess)
        return error;
    size_t done = 0;
    if (exec->run != NULL)
        error = facade_run_launch(exec->run, exec->graph, stream);
    const bool tells = has_edges_alone(exec, stream);
    if (tells)
        ocl_queue_graph_begin(stream->queue, exec->count);
    for (; exec->run == NULL && error == cudaSuccess && done < exec->count; done++) {
        if (tells)
            tell_node(exec, done, stream);
        if (!exec->order[done]->is_disabled)
            error = run(&launch, exec->order[done]->work);
    }
    if (tells)
        ocl_queue_graph_end(stream->queue);
    const cudaError_t end = end_launch(&launch, home);
    if (has_memory && (error != cudaSuccess || end != cudaSuccess))
        facade_graph_memory_abandon(exec->order, done, stream);
    return error != cudaSuccess ? error : end;
}

/* In a capture, the graph as it would be launched now is a node. */
static cudaError_t capture_exec(const struct facade_exec *exec, struct facade_stream *stream)
{
    const cudaError_t error = facade_graph_check_copy(exec->graph);
    if (error != cudaSuccess)
        return error;
    struct facade_graph *child = facade_graph_clone(exec->graph);
    return child != NULL ? facade_capture_add(stream, cudaGraphNodeTypeGraph, NULL, child)
                         : cudaErrorMemoryAllocation;
}

/* --- instantiating ---------------------------------------------------------------------------- */

static size_t count_works(const struct facade_graph *graph)
{
    size_t count = 0;
    for (struct facade_node *node = graph->first; node != NULL; node = node->next) {
        count += node->work != NULL;
        count += node->child != NULL ? count_works(node->child) : 0;
    }
    return count;
}

/* A graph within a graph is done in the place of its node. */
static cudaError_t put_in_order(struct facade_exec *exec, const struct facade_graph *graph,
                                struct facade_node **culprit)
{
    struct facade_node **order = NULL;
    cudaError_t error = facade_graph_order(graph, &order, culprit);
    for (size_t i = 0; error == cudaSuccess && i < graph->count; i++) {
        if (order[i]->work != NULL)
            exec->order[exec->count++] = order[i];
        else if (order[i]->child != NULL)
            error = put_in_order(exec, order[i]->child, culprit);
    }
    free(order);
    return error;
}

/* As long as one is there, no other may use the memory of its graph. */
static cudaError_t check_only(const struct facade_graph *graph)
{
    return graph->memory_nodes > 0 && atomic_load(&graph->has_exec) ? cudaErrorNotSupported
                                                                    : cudaSuccess;
}

static void bind_to_origin(struct facade_exec *exec, struct facade_graph *graph)
{
    exec->origin = graph;
    exec->origin_number = facade_handle_number(graph);
    atomic_store(&graph->has_exec, true);
}

static void unbind_from_origin(const struct facade_exec *exec)
{
    struct facade_graph *graph =
        facade_handle_find_again(FACADE_GRAPH, exec->origin, exec->origin_number);
    if (graph != NULL)
        atomic_store(&graph->has_exec, false);
}

static void end_references(void *references, ocl_status status)
{
    (void)status;
    facade_user_references_end(references);
}

/* Behind the last launch, whose work may use what they stand for. */
void facade_exec_end_references(struct facade_exec *exec, struct facade_user_references *references)
{
    struct facade_lane *lane = exec->last;
    struct facade_stream *stream = references != NULL && lane != NULL && is_live(lane)
                                       ? facade_handle_find(FACADE_STREAM, lane->stream)
                                       : NULL;
    if (stream == NULL || facade_event_wait_in(lane->mark, stream) != cudaSuccess ||
        ocl_queue_host_function(stream->queue, end_references, references, true) != OCL_OK)
        facade_user_references_end(references);
}

static void unmake_exec(struct facade_exec *exec)
{
    if (exec->graph != NULL)
        facade_exec_end_references(exec, facade_user_references_take(exec->graph));
    if (exec->origin != NULL)
        unbind_from_origin(exec);
    while (exec->lanes != NULL) {
        struct facade_lane *lane = exec->lanes;
        exec->lanes = lane->next;
        end_lane(lane);
    }
    facade_run_end(exec->run);
    if (exec->graph != NULL)
        facade_graph_delete(exec->graph);
    free(exec->order);
    free(exec->own);
    facade_handle_free(exec);
}

static cudaError_t make_exec(struct facade_graph *graph, unsigned long long flags,
                             struct facade_exec **made, uint64_t *culprit)
{
    struct facade_node *found = NULL;
    struct facade_exec *exec = facade_handle_new(FACADE_GRAPH_EXEC, sizeof *exec);
    if (exec == NULL)
        return cudaErrorMemoryAllocation;
    exec->flags = flags;
    exec->graph = facade_graph_clone(graph);
    if (exec->graph != NULL)
        exec->order = malloc((count_works(exec->graph) + 1) * sizeof(struct facade_node *));
    cudaError_t error = exec->graph != NULL && exec->order != NULL
                            ? put_in_order(exec, exec->graph, &found)
                            : cudaErrorMemoryAllocation;
    if (error == cudaSuccess && graph->conditions != NULL && graph->conditions->count > 0)
        error = facade_run_make(exec->graph, graph->conditions, &exec->run, &found);
    if (error == cudaSuccess) {
        *made = exec;
        return cudaSuccess;
    }
    *culprit = found != NULL ? found->origin : 0;
    unmake_exec(exec);
    return error;
}

enum {
    KNOWN_FLAGS = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                  cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority
};

/* No kernel can launch a graph. Only cudaGraphInstantiateWithParams() can be told to upload. */
static cudaError_t check_flags(unsigned long long flags, bool may_upload)
{
    if ((flags & ~(unsigned long long)KNOWN_FLAGS) != 0 ||
        (!may_upload && (flags & cudaGraphInstantiateFlagUpload) != 0))
        return cudaErrorInvalidValue;
    return (flags & cudaGraphInstantiateFlagDeviceLaunch) != 0 ? cudaErrorNotSupported
                                                               : cudaSuccess;
}

static struct facade_node *node_of(struct facade_graph *graph, uint64_t id)
{
    for (struct facade_node *node = graph->first; node != NULL; node = node->next) {
        struct facade_node *found = node->id == id ? node : NULL;
        struct facade_graph *inner;
        for (size_t i = 0; found == NULL && (inner = facade_node_inner(node, i)) != NULL; i++)
            found = node_of(inner, id);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static cudaError_t check_conditional(struct facade_graph *graph, cudaGraphInstantiateParams *told)
{
    struct facade_node *culprit = NULL;
    bool is_unused = false;
    const cudaError_t error = facade_conditional_check(graph, &culprit, &is_unused);
    if (is_unused)
        told->result_out = cudaGraphInstantiateConditionalHandleUnused;
    if (error != cudaSuccess)
        told->errNode_out = (cudaGraphNode_t)culprit;
    return error;
}

static cudaError_t instantiate(cudaGraphExec_t *result, cudaGraph_t handle,
                               unsigned long long flags, bool may_upload,
                               cudaGraphInstantiateParams *told)
{
    struct facade_graph *graph = NULL;
    struct facade_exec *exec = NULL;
    uint64_t culprit = 0;
    if (result == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_graph_find(handle, &graph);
    if (error == cudaSuccess && graph->is_capturing)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = check_flags(flags, may_upload);
    if (error == cudaSuccess)
        error = check_conditional(graph, told);
    if (error == cudaSuccess)
        error = check_only(graph);
    if (error != cudaSuccess)
        return error;
    error = make_exec(graph, flags, &exec, &culprit);
    if (error == cudaSuccess && graph->memory_nodes > 0)
        bind_to_origin(exec, graph);
    if (error == cudaSuccess) {
        *result = (cudaGraphExec_t)exec;
        ocl_made_note("executable graph", exec, NULL);
    }
    if (culprit != 0) {
        told->result_out = cudaGraphInstantiateInvalidStructure;
        told->errNode_out = (cudaGraphNode_t)node_of(graph, culprit);
    }
    return error;
}

/* Of an upload only the checks are left: what it would bring to the device comes with the first launch. */
cudaError_t facade_exec_instantiate_with(cudaGraphExec_t *result, cudaGraph_t handle,
                                         cudaGraphInstantiateParams *params)
{
    struct facade_stream *stream = NULL;
    if (params == NULL)
        return cudaErrorInvalidValue;
    params->errNode_out = NULL;
    params->result_out = cudaGraphInstantiateError;
    if ((params->flags & cudaGraphInstantiateFlagUpload) != 0) {
        const cudaError_t error = facade_stream_find(params->uploadStream, &stream);
        if (error != cudaSuccess)
            return error;
    }
    const cudaError_t error = instantiate(result, handle, params->flags, true, params);
    if (error == cudaSuccess)
        params->result_out = cudaGraphInstantiateSuccess;
    else if (error == cudaErrorNotSupported)
        params->result_out = cudaGraphInstantiateNodeOperationNotSupported;
    return error;
}

/* --- what both APIs call ---------------------------------------------------------------------- */

cudaError_t facade_exec_instantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                    unsigned long long flags)
{
    cudaGraphInstantiateParams told;
    return instantiate(pGraphExec, graph, flags, false, &told);
}

cudaError_t facade_exec_flags(cudaGraphExec_t graphExec, unsigned long long *flags)
{
    struct facade_exec *exec = NULL;
    cudaError_t error = facade_exec_find(graphExec, &exec);
    if (error == cudaSuccess && flags == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *flags = exec->flags & ~(unsigned long long)cudaGraphInstantiateFlagUseNodePriority;
    return error;
}

cudaError_t facade_exec_upload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    struct facade_exec *exec = NULL;
    struct facade_stream *found = NULL;
    cudaError_t error = facade_exec_find(graphExec, &exec);
    return error == cudaSuccess ? facade_stream_find(stream, &found) : error;
}

cudaError_t facade_exec_launch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    struct facade_exec *exec = NULL;
    struct facade_stream *found = NULL;
    bool is_capturing = false;
    cudaError_t error = facade_exec_find(graphExec, &exec);
    if (error == cudaSuccess)
        error = facade_stream_find_to_capture(stream, &found, &is_capturing);
    if (error != cudaSuccess)
        return error;
    return is_capturing ? capture_exec(exec, found) : launch_exec(exec, found);
}

/* Work that was launched goes on: it needs nothing of the graph. A host function may not: it cannot end the lanes' streams. */
cudaError_t facade_exec_destroy(cudaGraphExec_t graphExec)
{
    struct facade_exec *exec = NULL;
    cudaError_t error = facade_process_state();
    if (error == cudaSuccess)
        error = facade_exec_find(graphExec, &exec);
    if (error == cudaSuccess)
        unmake_exec(exec);
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return facade_result(facade_exec_instantiate(pGraphExec, graph, flags));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *instantiateParams)
{
    return facade_result(facade_exec_instantiate_with(pGraphExec, graph, instantiateParams));
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags)
{
    return facade_result(facade_exec_flags(graphExec, flags));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    return facade_result(facade_exec_upload(graphExec, stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    return facade_result(facade_exec_launch(graphExec, stream));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    return facade_result(facade_exec_destroy(graphExec));
}
