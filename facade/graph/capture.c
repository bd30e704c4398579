/* Streams that capture.
 *
 * A capture has a graph, the stream where it began, and those that joined it by waiting for events. Each has its ends:
 * the nodes that its next node comes behind. An event that is recorded there has the ends of that moment.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/check_made.h"
#include "facade/graph/capture.h"
#include "facade/state/thread_state.h"

struct facade_capture {
    uint64_t id; /* unique in the process */
    int mode;
    uint64_t thread; /* the number of the one that began it */
    struct facade_graph *graph;
    bool is_users; /* the graph was there before */
    bool is_spoilt;
    struct facade_stream *origin;
    struct facade_stream *streams; /* origin among them */
    struct facade_ends left;       /* of streams that are gone */
    struct facade_capture *next, *previous;
};

/* Guards all captures, and what streams and events have of them; handles.h has its place among locks. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct facade_capture *captures;
static uint64_t next_id = 1;

/* How many there are: who finds none needs no lock. */
static _Atomic size_t capture_count;

static bool is_any(void)
{
    return atomic_load_explicit(&capture_count, memory_order_acquire) > 0;
}

static bool is_legacy(const struct facade_stream *stream)
{
    return stream->handle == cudaStreamLegacy;
}

/* --- ends: lock held -------------------------------------------------------------------------- */

/* Edges that say nothing, for who asks, are as many as nodes. */
static bool reserve(struct facade_ends *ends, size_t count)
{
    if (count <= ends->capacity)
        return true;
    const size_t capacity = count < 4 ? 4 : 2 * count;
    cudaGraphNode_t *nodes = realloc(ends->nodes, capacity * sizeof(cudaGraphNode_t));
    if (nodes == NULL)
        return false;
    ends->nodes = nodes;
    cudaGraphEdgeData *edges = realloc(ends->edges, capacity * sizeof(cudaGraphEdgeData));
    if (edges == NULL)
        return false;
    memset(edges, 0, capacity * sizeof(cudaGraphEdgeData));
    ends->edges = edges;
    ends->capacity = capacity;
    return true;
}

static void drop_ends(struct facade_ends *ends)
{
    free(ends->nodes);
    free(ends->edges);
    *ends = (struct facade_ends){0};
}

/* Nodes that the user has destroyed meanwhile are no more in the way. */
static bool is_of(cudaGraphNode_t handle, const struct facade_graph *graph)
{
    struct facade_node *node = NULL;
    return facade_node_find(handle, &node) == cudaSuccess && node->graph == graph;
}

/* Adds those of the graph that are not there yet. */
static bool join_ends(struct facade_ends *ends, const cudaGraphNode_t *nodes, size_t count,
                      const struct facade_graph *graph)
{
    if (!reserve(ends, ends->count + count))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < ends->count && ends->nodes[k] != nodes[i])
            k++;
        if (k == ends->count && is_of(nodes[i], graph))
            ends->nodes[ends->count++] = nodes[i];
    }
    return true;
}

static void prune(struct facade_ends *ends, const struct facade_graph *graph)
{
    size_t kept = 0;
    for (size_t i = 0; i < ends->count; i++) {
        if (is_of(ends->nodes[i], graph))
            ends->nodes[kept++] = ends->nodes[i];
    }
    ends->count = kept;
}

/* The graph ends at these, in this order, for now: updates pair nodes by it. */
static void end_graph(struct facade_ends *ends)
{
    for (size_t i = 0; i < ends->count; i++)
        facade_graph_end_at((struct facade_node *)ends->nodes[i]);
    ends->count = 0;
}

/* --- captures: lock held ---------------------------------------------------------------------- */

static void enlist(struct facade_capture *capture, struct facade_stream *stream)
{
    stream->capture = capture;
    stream->next_captured = capture->streams;
    capture->streams = stream;
}

static void delist(struct facade_capture *capture, struct facade_stream *stream)
{
    struct facade_stream **link = &capture->streams;
    while (*link != NULL && *link != stream)
        link = &(*link)->next_captured;
    if (*link != NULL)
        *link = stream->next_captured;
    stream->capture = NULL;
    stream->next_captured = NULL;
    drop_ends(&stream->ends);
}

/* The graph is the caller's then. */
static struct facade_graph *close_capture(struct facade_capture *capture)
{
    struct facade_graph *graph = capture->graph;
    while (capture->streams != NULL)
        delist(capture, capture->streams);
    if (capture->previous != NULL)
        capture->previous->next = capture->next;
    else
        captures = capture->next;
    if (capture->next != NULL)
        capture->next->previous = capture->previous;
    graph->is_capturing = false;
    drop_ends(&capture->left);
    free(capture);
    atomic_fetch_sub_explicit(&capture_count, 1, memory_order_release);
    return graph;
}

/* What was captured so far, which nobody asks for: the user's graph stays. */
static void discard(struct facade_capture *capture)
{
    const bool is_users = capture->is_users;
    struct facade_graph *graph = close_capture(capture);
    if (!is_users)
        facade_graph_delete(graph);
}

static struct facade_capture *find_capture(uint64_t id)
{
    struct facade_capture *capture = captures;
    while (capture != NULL && capture->id != id)
        capture = capture->next;
    return capture;
}

/* Whether the capture has a stream in the context; only one that waits for the legacy stream, if only_blocking. */
static bool is_in(const struct facade_capture *capture, const struct facade_context *context,
                  bool only_blocking)
{
    for (const struct facade_stream *s = capture->streams; s != NULL; s = s->next_captured) {
        if (s->context == context && (!only_blocking || (s->flags & cudaStreamNonBlocking) == 0))
            return true;
    }
    return false;
}

static bool is_in_green(const struct facade_capture *capture, const struct facade_green *green)
{
    const struct facade_stream *stream = capture->streams;
    while (stream != NULL && (stream->green != green || atomic_load(&stream->is_detached)))
        stream = stream->next_captured;
    return stream != NULL;
}

/* Spoils the captures in the context, and tells whether there is one. */
static bool spoil_in(const struct facade_context *context, bool only_blocking, bool spoils)
{
    bool is_one = false;
    for (struct facade_capture *capture = captures; capture != NULL; capture = capture->next) {
        if (is_in(capture, context, only_blocking)) {
            capture->is_spoilt |= spoils;
            is_one = true;
        }
    }
    return is_one;
}

static cudaError_t check_stream(struct facade_stream *stream, enum facade_purpose purpose,
                                bool *is_capturing)
{
    if (is_legacy(stream))
        return spoil_in(stream->context, true, true) ? cudaErrorStreamCaptureImplicit : cudaSuccess;
    if (stream->capture == NULL)
        return cudaSuccess;
    if (stream->capture->is_spoilt)
        return cudaErrorStreamCaptureInvalidated;
    if (purpose == FACADE_TO_SUBMIT) {
        stream->capture->is_spoilt = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    *is_capturing = true;
    return cudaSuccess;
}

/* --- asking ----------------------------------------------------------------------------------- */

cudaError_t facade_capture_check(struct facade_stream *stream, enum facade_purpose purpose,
                                 bool *is_capturing)
{
    *is_capturing = false;
    if (!is_any())
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    const cudaError_t error = check_stream(stream, purpose, is_capturing);
    pthread_mutex_unlock(&lock);
    return error;
}

/* Source: CUDA Runtime API 13.0, cudaThreadExchangeStreamCaptureMode. */
static bool forbids(const struct facade_capture *capture, const struct facade_thread *thread)
{
    if (capture->thread == thread->number)
        return capture->mode != cudaStreamCaptureModeRelaxed;
    return thread->capture_mode == cudaStreamCaptureModeGlobal &&
           capture->mode == cudaStreamCaptureModeGlobal;
}

cudaError_t facade_capture_check_call(void)
{
    cudaError_t error = cudaSuccess;
    if (!is_any())
        return cudaSuccess;
    const struct facade_thread *thread = facade_thread();
    if (thread->capture_mode == cudaStreamCaptureModeRelaxed)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    for (struct facade_capture *capture = captures; capture != NULL; capture = capture->next) {
        if (forbids(capture, thread)) {
            capture->is_spoilt = true;
            error = cudaErrorStreamCaptureUnsupported;
        }
    }
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t facade_capture_check_wait(struct facade_stream *stream)
{
    bool is_capturing = false;
    const cudaError_t error = facade_capture_check(stream, FACADE_TO_SUBMIT, &is_capturing);
    return error == cudaSuccess ? facade_capture_check_call() : error;
}

cudaError_t facade_capture_check_context(const struct facade_context *context)
{
    if (!is_any())
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    const bool is_one = spoil_in(context, false, true);
    pthread_mutex_unlock(&lock);
    return is_one ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t facade_capture_check_green(const struct facade_green *green)
{
    cudaError_t error = cudaSuccess;
    if (!is_any())
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    for (struct facade_capture *capture = captures; capture != NULL; capture = capture->next) {
        if (is_in_green(capture, green)) {
            capture->is_spoilt = true;
            error = cudaErrorStreamCaptureUnsupported;
        }
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static void tell(const struct facade_stream *stream, struct facade_capture_info *info)
{
    const struct facade_capture *capture = stream->capture;
    if (capture == NULL)
        return;
    info->status =
        capture->is_spoilt ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    info->id = capture->id;
    info->graph = (cudaGraph_t)capture->graph;
    info->nodes = stream->ends.nodes;
    info->edges = stream->ends.edges;
    info->count = stream->ends.count;
}

cudaError_t facade_capture_ask(struct facade_stream *stream, struct facade_capture_info *info)
{
    cudaError_t error = cudaSuccess;
    *info = (struct facade_capture_info){.status = cudaStreamCaptureStatusNone};
    if (!is_any())
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    if (is_legacy(stream) && spoil_in(stream->context, true, false))
        error = cudaErrorStreamCaptureImplicit;
    else
        tell(stream, info);
    pthread_mutex_unlock(&lock);
    return error;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static cudaError_t find_open(const struct facade_stream *stream)
{
    if (stream->capture == NULL)
        return cudaErrorIllegalState;
    return stream->capture->is_spoilt ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

/* Room for the one end is made first, so that no node is added that nothing can come behind. */
static cudaError_t add(struct facade_stream *stream, enum cudaGraphNodeType type,
                       struct facade_work *work, struct facade_graph *child)
{
    cudaError_t error = find_open(stream);
    if (error != cudaSuccess)
        return error;
    prune(&stream->ends, stream->capture->graph);
    if (!reserve(&stream->ends, 1))
        return cudaErrorMemoryAllocation;
    struct facade_node *node = facade_graph_add(stream->capture->graph, type, work, child,
                                                stream->ends.nodes, stream->ends.count);
    if (node == NULL)
        return cudaErrorMemoryAllocation;
    stream->ends.nodes[0] = (cudaGraphNode_t)node;
    stream->ends.count = 1;
    return cudaSuccess;
}

cudaError_t facade_capture_add(struct facade_stream *stream, enum cudaGraphNodeType type,
                               struct facade_work *work, struct facade_graph *child)
{
    pthread_mutex_lock(&lock);
    const cudaError_t error = add(stream, type, work, child);
    pthread_mutex_unlock(&lock);
    if (error == cudaSuccess)
        return error;
    facade_work_let_go(work);
    if (child != NULL)
        facade_graph_delete(child);
    return error;
}

static cudaError_t depend(struct facade_stream *stream, const cudaGraphNode_t *nodes, size_t count,
                          bool only_these)
{
    cudaError_t error = find_open(stream);
    if (error == cudaSuccess)
        error = facade_graph_check_nodes(stream->capture->graph, nodes, count);
    if (error != cudaSuccess)
        return error;
    if (!reserve(&stream->ends, stream->ends.count + count))
        return cudaErrorMemoryAllocation;
    if (only_these) {
        prune(&stream->ends, stream->capture->graph);
        end_graph(&stream->ends);
    }
    return join_ends(&stream->ends, nodes, count, stream->capture->graph)
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

cudaError_t facade_capture_depend(struct facade_stream *stream, const cudaGraphNode_t *nodes,
                                  size_t count, bool only_these)
{
    pthread_mutex_lock(&lock);
    const cudaError_t error = depend(stream, nodes, count, only_these);
    pthread_mutex_unlock(&lock);
    return error;
}

/* --- events ----------------------------------------------------------------------------------- */

static cudaError_t record(struct facade_event *event, const struct facade_stream *stream)
{
    cudaError_t error = find_open(stream);
    if (error != cudaSuccess)
        return error;
    event->ends.count = 0;
    if (!join_ends(&event->ends, stream->ends.nodes, stream->ends.count, stream->capture->graph))
        return cudaErrorMemoryAllocation;
    atomic_store(&event->capture_id, stream->capture->id);
    return cudaSuccess;
}

cudaError_t facade_capture_record(struct facade_event *event, struct facade_stream *stream)
{
    pthread_mutex_lock(&lock);
    const cudaError_t error = record(event, stream);
    pthread_mutex_unlock(&lock);
    return error;
}

void facade_capture_forget_event(struct facade_event *event)
{
    if (atomic_load(&event->capture_id) == 0)
        return;
    pthread_mutex_lock(&lock);
    atomic_store(&event->capture_id, 0);
    drop_ends(&event->ends);
    pthread_mutex_unlock(&lock);
}

cudaError_t facade_capture_check_event(const struct facade_event *event)
{
    const uint64_t id = atomic_load(&event->capture_id);
    if (id == 0)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    struct facade_capture *capture = find_capture(id);
    if (capture != NULL)
        capture->is_spoilt = true;
    pthread_mutex_unlock(&lock);
    return cudaErrorCapturedEvent;
}

cudaError_t facade_capture_check_time(const struct facade_event *event)
{
    const uint64_t id = atomic_load(&event->capture_id);
    if (id == 0)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    const bool is_open = find_capture(id) != NULL;
    pthread_mutex_unlock(&lock);
    return is_open ? cudaErrorCapturedEvent : cudaErrorInvalidValue;
}

static cudaError_t spoil_both(struct facade_capture *one, struct facade_capture *other,
                              cudaError_t error)
{
    if (one != NULL)
        one->is_spoilt = true;
    if (other != NULL)
        other->is_spoilt = true;
    return error;
}

/* A stream that captures nothing joins the event's capture. */
static cudaError_t wait_captured(const struct facade_event *event, struct facade_stream *stream)
{
    struct facade_capture *capture = find_capture(atomic_load(&event->capture_id));
    if (capture == NULL)
        return spoil_both(stream->capture, NULL, cudaErrorCapturedEvent);
    if (is_legacy(stream))
        return spoil_both(capture, NULL, cudaErrorStreamCaptureImplicit);
    if (capture->is_spoilt)
        return spoil_both(stream->capture, NULL, cudaErrorStreamCaptureInvalidated);
    if (stream->capture != NULL && stream->capture != capture)
        return spoil_both(stream->capture, capture, cudaErrorStreamCaptureMerge);
    if (!join_ends(&stream->ends, event->ends.nodes, event->ends.count, capture->graph))
        return cudaErrorMemoryAllocation;
    if (stream->capture == NULL)
        enlist(capture, stream);
    return cudaSuccess;
}

cudaError_t facade_capture_wait(struct facade_event *event, struct facade_stream *stream,
                                bool *is_done)
{
    cudaError_t error = cudaSuccess;
    const bool is_captured = atomic_load(&event->capture_id) != 0;
    *is_done = is_captured;
    if (!is_captured && !is_any())
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    if (is_captured)
        error = wait_captured(event, stream);
    else if (stream->capture != NULL)
        error = spoil_both(stream->capture, NULL, cudaErrorStreamCaptureIsolation);
    pthread_mutex_unlock(&lock);
    return error;
}

/* --- beginning and ending --------------------------------------------------------------------- */

/* Lock held. */
static cudaError_t open_capture(struct facade_capture *capture, struct facade_stream *stream,
                                const cudaGraphNode_t *before, size_t count)
{
    if (stream->capture != NULL || capture->graph->is_capturing)
        return cudaErrorIllegalState;
    if (!join_ends(&stream->ends, before, count, capture->graph))
        return cudaErrorMemoryAllocation;
    capture->id = next_id++;
    capture->graph->is_capturing = true;
    capture->next = captures;
    if (captures != NULL)
        captures->previous = capture;
    captures = capture;
    enlist(capture, stream);
    atomic_fetch_add_explicit(&capture_count, 1, memory_order_release);
    return cudaSuccess;
}

cudaError_t facade_capture_begin(struct facade_stream *stream, int mode, struct facade_graph *graph,
                                 const cudaGraphNode_t *before, size_t count)
{
    if (is_legacy(stream))
        return cudaErrorStreamCaptureUnsupported;
    struct facade_capture *capture = calloc(1, sizeof *capture);
    struct facade_graph *target = graph != NULL ? graph : facade_graph_new();
    cudaError_t error = capture != NULL && target != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        capture->mode = mode;
        capture->thread = facade_thread()->number;
        capture->graph = target;
        capture->is_users = graph != NULL;
        capture->origin = stream;
        pthread_mutex_lock(&lock);
        error = open_capture(capture, stream, before, count);
        pthread_mutex_unlock(&lock);
    }
    if (error == cudaSuccess)
        return error;
    if (graph == NULL && target != NULL)
        facade_graph_delete(target);
    free(capture);
    return error;
}

/* Marks node and all that it comes behind; todo has room for all nodes of the graph. */
static void mark_back(struct facade_node *node, struct facade_node **todo)
{
    size_t count = 0;
    if (node->position == 0)
        todo[count++] = node;
    node->position = 1;
    while (count > 0) {
        const struct facade_node *last = todo[--count];
        for (size_t i = 0; i < last->before.count; i++) {
            if (last->before.nodes[i]->position++ == 0)
                todo[count++] = last->before.nodes[i];
        }
    }
}

static bool are_marked(const struct facade_ends *ends)
{
    for (size_t i = 0; i < ends->count; i++) {
        if (((const struct facade_node *)ends->nodes[i])->position == 0)
            return false;
    }
    return true;
}

/* Whether the origin has waited for all that other streams captured. Lock held. */
static cudaError_t check_joined(const struct facade_capture *capture)
{
    const struct facade_graph *graph = capture->graph;
    struct facade_node **todo = malloc((graph->count + 1) * sizeof(struct facade_node *));
    if (todo == NULL)
        return cudaErrorMemoryAllocation;
    for (struct facade_node *node = graph->first; node != NULL; node = node->next)
        node->position = 0;
    const struct facade_ends *ends = &capture->origin->ends;
    for (size_t i = 0; i < ends->count; i++)
        mark_back((struct facade_node *)ends->nodes[i], todo);
    free(todo);
    if (!are_marked(&capture->left))
        return cudaErrorStreamCaptureUnjoined;
    for (const struct facade_stream *s = capture->streams; s != NULL; s = s->next_captured) {
        if (!are_marked(&s->ends))
            return cudaErrorStreamCaptureUnjoined;
    }
    return cudaSuccess;
}

/* Lock held. A capture that fails here is over as well, and its graph gone, whoever made it, but for one in another graph. */
static cudaError_t finish(struct facade_capture *capture, cudaGraph_t *graph)
{
    cudaError_t error = capture->is_spoilt ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    for (struct facade_stream *s = capture->streams; s != NULL; s = s->next_captured)
        prune(&s->ends, capture->graph);
    prune(&capture->left, capture->graph);
    if (error == cudaSuccess)
        error = check_joined(capture);
    if (error != cudaSuccess) {
        struct facade_graph *lost = close_capture(capture);
        if (lost->owner == NULL)
            facade_graph_delete(lost);
        return error;
    }
    if (graph == NULL) {
        discard(capture);
        return cudaSuccess;
    }
    end_graph(&capture->origin->ends);
    *graph = (cudaGraph_t)close_capture(capture);
    return cudaSuccess;
}

static cudaError_t end(struct facade_stream *stream, cudaGraph_t *graph)
{
    struct facade_capture *capture = stream->capture;
    if (capture == NULL)
        return cudaErrorIllegalState;
    if (capture->origin != stream)
        return spoil_both(capture, NULL, cudaErrorStreamCaptureUnmatched);
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != facade_thread()->number)
        return cudaErrorStreamCaptureWrongThread;
    return finish(capture, graph);
}

cudaError_t facade_capture_end(struct facade_stream *stream, cudaGraph_t *graph)
{
    if (graph != NULL)
        *graph = NULL;
    pthread_mutex_lock(&lock);
    const cudaError_t error = end(stream, graph);
    pthread_mutex_unlock(&lock);
    if (graph != NULL)
        ocl_made_note("graph", *graph, NULL);
    return error;
}

void facade_capture_leave(struct facade_stream *stream)
{
    if (!is_any())
        return;
    pthread_mutex_lock(&lock);
    struct facade_capture *capture = stream->capture;
    if (capture != NULL && capture->origin == stream) {
        discard(capture);
    } else if (capture != NULL) {
        if (!join_ends(&capture->left, stream->ends.nodes, stream->ends.count, capture->graph))
            capture->is_spoilt = true;
        delist(capture, stream);
    }
    pthread_mutex_unlock(&lock);
}
