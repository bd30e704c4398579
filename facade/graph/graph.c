/* Graphs: their nodes and edges, clones, order.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/check_made.h"
#include "facade/graph/conditional.h"
#include "facade/graph/graph.h"
#include "facade/graph/user_object.h"

static _Atomic uint64_t next_id = 1;

/* Of a handle that was found before. */
static struct facade_node *node_of(cudaGraphNode_t handle)
{
    return (struct facade_node *)handle;
}

cudaError_t facade_graph_find(cudaGraph_t handle, struct facade_graph **graph)
{
    cudaError_t error = facade_process_check_fork();
    if (error != cudaSuccess)
        return error;
    *graph = facade_handle_find(FACADE_GRAPH, handle);
    return *graph != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t facade_node_find(cudaGraphNode_t handle, struct facade_node **node)
{
    cudaError_t error = facade_process_check_fork();
    if (error != cudaSuccess)
        return error;
    *node = facade_handle_find(FACADE_GRAPH_NODE, handle);
    return *node != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

/* --- edges ------------------------------------------------------------------------------------ */

static bool reserve(struct facade_node_list *list)
{
    if (list->count < list->capacity)
        return true;
    const size_t capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
    struct facade_node **nodes = realloc(list->nodes, capacity * sizeof(struct facade_node *));
    if (nodes == NULL)
        return false;
    list->nodes = nodes;
    list->capacity = capacity;
    return true;
}

static size_t find_in(const struct facade_node_list *list, const struct facade_node *node)
{
    size_t i = 0;
    while (i < list->count && list->nodes[i] != node)
        i++;
    return i;
}

/* The order of the others stays. */
static void take_out(struct facade_node_list *list, const struct facade_node *node)
{
    const size_t i = find_in(list, node);
    if (i == list->count)
        return;
    list->count--;
    memmove(list->nodes + i, list->nodes + i + 1, (list->count - i) * sizeof(struct facade_node *));
}

bool facade_graph_are_connected(const struct facade_node *from, const struct facade_node *to)
{
    return from->after.count < to->before.count ? find_in(&from->after, to) < from->after.count
                                                : find_in(&to->before, from) < to->before.count;
}

cudaError_t facade_graph_connect(struct facade_node *from, struct facade_node *to)
{
    if (!reserve(&from->after) || !reserve(&to->before))
        return cudaErrorMemoryAllocation;
    from->after.nodes[from->after.count++] = to;
    to->before.nodes[to->before.count++] = from;
    return cudaSuccess;
}

void facade_graph_end_at(struct facade_node *node)
{
    node->ended = atomic_fetch_add(&next_id, 1);
}

static void disconnect(struct facade_node *from, struct facade_node *to)
{
    take_out(&from->after, to);
    take_out(&to->before, from);
    if (from->after.count == 0)
        facade_graph_end_at(from);
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void link_node(struct facade_graph *graph, struct facade_node *node)
{
    node->graph = graph;
    node->previous = graph->last;
    if (graph->last != NULL)
        graph->last->next = node;
    else
        graph->first = node;
    graph->last = node;
    graph->count++;
}

static void unlink_node(struct facade_node *node)
{
    struct facade_graph *graph = node->graph;
    if (node->previous != NULL)
        node->previous->next = node->next;
    else
        graph->first = node->next;
    if (node->next != NULL)
        node->next->previous = node->previous;
    else
        graph->last = node->previous;
    graph->count--;
}

static struct facade_node *new_node(struct facade_graph *graph, enum cudaGraphNodeType type)
{
    struct facade_node *node = facade_handle_new(FACADE_GRAPH_NODE, sizeof *node);
    if (node == NULL)
        return NULL;
    node->type = type;
    node->id = node->ended = atomic_fetch_add(&next_id, 1);
    link_node(graph, node);
    return node;
}

/* Nodes that allocate or free come, or go. */
static void count_memory(struct facade_graph *graph, size_t more, size_t less)
{
    for (; graph != NULL; graph = graph->owner != NULL ? graph->owner->graph : NULL)
        graph->memory_nodes += more - less;
}

static size_t memory_nodes_of(const struct facade_node *node)
{
    if (node->child != NULL)
        return node->child->memory_nodes;
    return node->type == cudaGraphNodeTypeMemAlloc || node->type == cudaGraphNodeTypeMemFree;
}

void facade_node_delete(struct facade_node *node)
{
    struct facade_graph *child = node->child;
    struct facade_conditional *conditional = node->conditional;
    while (node->before.count > 0)
        disconnect(node->before.nodes[node->before.count - 1], node);
    while (node->after.count > 0)
        disconnect(node, node->after.nodes[node->after.count - 1]);
    if (node->work != NULL || child != NULL)
        count_memory(node->graph, 0, memory_nodes_of(node));
    unlink_node(node);
    facade_work_let_go(node->work);
    free(node->before.nodes);
    free(node->after.nodes);
    facade_handle_free(node);
    if (child != NULL) {
        child->owner = NULL;
        facade_graph_delete(child);
    }
    facade_conditional_delete(conditional);
}

struct facade_node *facade_graph_add(struct facade_graph *graph, enum cudaGraphNodeType type,
                                     struct facade_work *work, struct facade_graph *child,
                                     const cudaGraphNode_t *before, size_t count)
{
    struct facade_node *node = new_node(graph, type);
    cudaError_t error = node != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = facade_graph_connect(node_of(before[i]), node);
    if (error != cudaSuccess) {
        if (node != NULL)
            facade_node_delete(node);
        return NULL;
    }
    node->work = work;
    node->child = child;
    count_memory(graph, memory_nodes_of(node), 0);
    if (child != NULL)
        child->owner = node;
    return node;
}

void facade_node_set_work(struct facade_node *node, struct facade_work *work)
{
    struct facade_work *old = node->work;
    node->work = work;
    facade_work_let_go(old);
}

/* --- graphs ----------------------------------------------------------------------------------- */

struct facade_graph *facade_graph_new(void)
{
    struct facade_graph *graph = facade_handle_new(FACADE_GRAPH, sizeof *graph);
    if (graph != NULL)
        graph->id = atomic_fetch_add(&next_id, 1);
    return graph;
}

/* Of all nodes, which go: taking edges out one by one would look through long lists for each. What half a list of a graph that
 * is not whole names may be the other half of no edge. */
static void drop_edges(struct facade_graph *graph)
{
    for (struct facade_node *node = graph->first; node != NULL; node = node->next)
        node->before.count = node->after.count = 0;
}

void facade_graph_delete(struct facade_graph *graph)
{
    drop_edges(graph);
    while (graph->last != NULL)
        facade_node_delete(graph->last);
    if (graph->memory != NULL)
        graph->end_memory(graph->memory);
    facade_user_references_end(graph->objects);
    facade_conditions_let_go(graph->conditions);
    facade_handle_free(graph);
}

cudaError_t facade_graph_check_copy(const struct facade_graph *graph)
{
    return graph->memory_nodes > 0 || facade_graph_has_conditional(graph) ? cudaErrorNotSupported
                                                                          : cudaSuccess;
}

/* Edges follow when all nodes are there. */
static bool copy_node(struct facade_graph *clone, struct facade_node *node)
{
    struct facade_graph *child = NULL;
    struct facade_conditional *conditional = NULL;
    if ((node->child != NULL && (child = facade_graph_clone(node->child)) == NULL) ||
        (node->conditional != NULL &&
         (conditional = facade_conditional_clone(node->conditional)) == NULL))
        return false;
    node->twin = facade_graph_add(clone, node->type, node->work, child, NULL, 0);
    if (node->twin == NULL) {
        if (child != NULL)
            facade_graph_delete(child);
        facade_conditional_delete(conditional);
        return false;
    }
    facade_node_take_conditional(node->twin, conditional);
    (void)facade_work_hold(node->work);
    node->twin->origin = node->id;
    node->twin->ended = node->ended;
    node->twin->is_disabled = node->is_disabled;
    return true;
}

/* Both lists of each node keep their order. */
static bool copy_list(struct facade_node_list *copy, const struct facade_node_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!reserve(copy))
            return false;
        copy->nodes[copy->count++] = list->nodes[i]->twin;
    }
    return true;
}

struct facade_graph *facade_graph_clone(struct facade_graph *graph)
{
    struct facade_graph *clone = facade_graph_new();
    bool is_whole = clone != NULL;
    if (is_whole && graph->conditions != NULL)
        is_whole = (clone->conditions = facade_conditions_copy(graph->conditions)) != NULL;
    for (struct facade_node *node = graph->first; is_whole && node != NULL; node = node->next)
        is_whole = copy_node(clone, node);
    for (struct facade_node *node = graph->first; is_whole && node != NULL; node = node->next)
        is_whole = copy_list(&node->twin->before, &node->before) &&
                   copy_list(&node->twin->after, &node->after);
    is_whole = is_whole && facade_user_references_copy(graph, false, &clone->objects);
    if (is_whole) {
        clone->origin = graph->id;
    } else if (clone != NULL) {
        facade_graph_delete(clone);
        clone = NULL;
    }
    return clone;
}

struct facade_node *facade_graph_node_from(const struct facade_graph *graph, uint64_t origin)
{
    const struct facade_graph *inner;
    struct facade_node *found = NULL;
    for (struct facade_node *node = graph->first; found == NULL && node != NULL;
         node = node->next) {
        if (node->origin == origin)
            return node;
        for (size_t i = 0; found == NULL && (inner = facade_node_inner(node, i)) != NULL; i++)
            found = facade_graph_node_from(inner, origin);
    }
    return found;
}

/* Takes nodes whose dependencies have all been taken, the one that was added first of them. */
cudaError_t facade_graph_order(const struct facade_graph *graph, struct facade_node ***order,
                               struct facade_node **culprit)
{
    struct facade_node **taken = malloc((graph->count + 1) * sizeof(struct facade_node *));
    size_t count = 0;
    if (taken == NULL)
        return cudaErrorMemoryAllocation;
    for (struct facade_node *node = graph->first; node != NULL; node = node->next) {
        node->position = node->before.count;
        if (node->position == 0)
            taken[count++] = node;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < taken[i]->after.count; k++) {
            struct facade_node *node = taken[i]->after.nodes[k];
            if (--node->position == 0)
                taken[count++] = node;
        }
    }
    *order = taken;
    if (count == graph->count)
        return cudaSuccess;
    for (struct facade_node *node = graph->first; node != NULL; node = node->next) {
        if (node->position > 0)
            *culprit = node;
    }
    free(taken);
    *order = NULL;
    return cudaErrorInvalidValue;
}

/* --- what calls say about dependencies -------------------------------------------------------- */

cudaError_t facade_graph_check_nodes(const struct facade_graph *graph, const cudaGraphNode_t *nodes,
                                     size_t count)
{
    struct facade_node *node = NULL;
    if (count > 0 && (nodes == NULL || count > graph->count))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (facade_node_find(nodes[i], &node) != cudaSuccess || node->graph != graph)
            return cudaErrorInvalidValue;
        node->position = 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (node_of(nodes[i])->position++ > 0)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t check_edge(const cudaGraphEdgeData *edge)
{
    const unsigned char none[sizeof edge->reserved] = {0};
    if (edge->type > cudaGraphDependencyTypeProgrammatic ||
        edge->from_port > cudaGraphKernelNodePortLaunchCompletion || edge->to_port != 0 ||
        memcmp(edge->reserved, none, sizeof none) != 0)
        return cudaErrorInvalidValue;
    return edge->type == cudaGraphDependencyTypeDefault &&
                   edge->from_port == cudaGraphKernelNodePortDefault
               ? cudaSuccess
               : cudaErrorNotSupported;
}

cudaError_t facade_graph_check_edges(const cudaGraphEdgeData *edges, size_t count)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; edges != NULL && error == cudaSuccess && i < count; i++)
        error = check_edge(&edges[i]);
    return error;
}

cudaError_t facade_graph_check_place(const cudaGraphNode_t *added, cudaGraph_t handle,
                                     const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                                     size_t count, struct facade_graph **graph)
{
    if (added == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_graph_find(handle, graph);
    if (error == cudaSuccess)
        error = facade_graph_check_nodes(*graph, before, count);
    return error == cudaSuccess ? facade_graph_check_edges(edges, count) : error;
}

/* --- what both APIs call ---------------------------------------------------------------------- */

/* The two ends of an edge in this graph. */
static cudaError_t find_ends(const struct facade_graph *graph, cudaGraphNode_t from_handle,
                             cudaGraphNode_t to_handle, struct facade_node **from,
                             struct facade_node **to)
{
    cudaError_t error = facade_node_find(from_handle, from);
    if (error == cudaSuccess)
        error = facade_node_find(to_handle, to);
    return error == cudaSuccess && (*from)->graph == graph && (*to)->graph == graph
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t check_pairs(cudaGraph_t handle, const cudaGraphNode_t *from,
                               const cudaGraphNode_t *to, size_t count, struct facade_graph **graph)
{
    struct facade_node *first = NULL, *second = NULL;
    cudaError_t error = facade_graph_find(handle, graph);
    if (error == cudaSuccess && count > 0 && (from == NULL || to == NULL))
        error = cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = find_ends(*graph, from[i], to[i], &first, &second);
    return error;
}

/* All edges or none: the first ones go again where a later one is there already. */
static cudaError_t add_edges(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    cudaError_t error = cudaSuccess;
    size_t added = 0;
    for (; error == cudaSuccess && added < count; added++) {
        struct facade_node *first = node_of(from[added]), *second = node_of(to[added]);
        error = first == second || facade_graph_are_connected(first, second)
                    ? cudaErrorInvalidValue
                    : facade_graph_connect(first, second);
    }
    for (size_t i = 0; error != cudaSuccess && i + 1 < added; i++)
        disconnect(node_of(from[i]), node_of(to[i]));
    return error;
}

static cudaError_t remove_edges(const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!facade_graph_are_connected(node_of(from[i]), node_of(to[i])))
            return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < count; i++)
        disconnect(node_of(from[i]), node_of(to[i]));
    return cudaSuccess;
}

/* What memory nodes share, and when, is settled by what comes behind what. Source: CUDA Runtime API 13.0,
 * cudaGraphAddMemAllocNode. */
static cudaError_t check_removal(const struct facade_graph *graph)
{
    return graph->memory_nodes > 0 ? cudaErrorNotSupported : cudaSuccess;
}

cudaError_t facade_graph_create(cudaGraph_t *pGraph, unsigned int flags)
{
    if (pGraph == NULL || flags != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    struct facade_graph *graph = facade_graph_new();
    if (graph == NULL)
        return cudaErrorMemoryAllocation;
    *pGraph = (cudaGraph_t)graph;
    ocl_made_note("graph", graph, NULL);
    return cudaSuccess;
}

/* A stream captures to the graph, or to one inside. */
static bool is_captured_to(const struct facade_graph *graph)
{
    const struct facade_graph *inner;
    bool is_any = graph->is_capturing;
    for (struct facade_node *node = graph->first; !is_any && node != NULL; node = node->next) {
        for (size_t i = 0; !is_any && (inner = facade_node_inner(node, i)) != NULL; i++)
            is_any = is_captured_to(inner);
    }
    return is_any;
}

/* The graph of a node goes with that node alone. */
cudaError_t facade_graph_destroy(cudaGraph_t graph)
{
    struct facade_graph *found = NULL;
    cudaError_t error = facade_graph_find(graph, &found);
    if (error == cudaSuccess && found->owner != NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && is_captured_to(found))
        error = cudaErrorIllegalState;
    if (error == cudaSuccess)
        facade_graph_delete(found);
    return error;
}

cudaError_t facade_graph_clone_to(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
    struct facade_graph *graph = NULL;
    if (pGraphClone == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_graph_find(originalGraph, &graph);
    if (error == cudaSuccess)
        error = facade_graph_check_copy(graph);
    if (error != cudaSuccess)
        return error;
    struct facade_graph *clone = facade_graph_clone(graph);
    if (clone == NULL)
        return cudaErrorMemoryAllocation;
    *pGraphClone = (cudaGraph_t)clone;
    ocl_made_note("graph", clone, NULL);
    return cudaSuccess;
}

cudaError_t facade_graph_find_in_clone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                                       cudaGraph_t clonedGraph)
{
    struct facade_node *node = NULL;
    struct facade_graph *clone = NULL;
    if (pNode == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_node_find(originalNode, &node);
    if (error == cudaSuccess)
        error = facade_graph_find(clonedGraph, &clone);
    if (error != cudaSuccess)
        return error;
    struct facade_node *found = facade_graph_node_from(clone, node->id);
    if (found == NULL)
        return cudaErrorInvalidValue;
    *pNode = (cudaGraphNode_t)found;
    return cudaSuccess;
}

cudaError_t facade_node_type(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
    struct facade_node *found = NULL;
    cudaError_t error = facade_node_find(node, &found);
    if (error == cudaSuccess && pType == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *pType = found->type;
    return error;
}

cudaError_t facade_graph_add_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                                   const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                   size_t numDependencies)
{
    struct facade_graph *found = NULL;
    cudaError_t error = check_pairs(graph, from, to, numDependencies, &found);
    if (error == cudaSuccess)
        error = facade_graph_check_edges(edgeData, numDependencies);
    return error == cudaSuccess ? add_edges(from, to, numDependencies) : error;
}

cudaError_t facade_graph_remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                                      const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                      size_t numDependencies)
{
    struct facade_graph *found = NULL;
    cudaError_t error = check_pairs(graph, from, to, numDependencies, &found);
    if (error == cudaSuccess)
        error = facade_graph_check_edges(edgeData, numDependencies);
    if (error == cudaSuccess && numDependencies > 0)
        error = check_removal(found);
    return error == cudaSuccess ? remove_edges(from, to, numDependencies) : error;
}

cudaError_t facade_node_destroy(cudaGraphNode_t node)
{
    struct facade_node *found = NULL;
    cudaError_t error = facade_node_find(node, &found);
    const struct facade_graph *inner;
    for (size_t i = 0; error == cudaSuccess && (inner = facade_node_inner(found, i)) != NULL; i++)
        error = is_captured_to(inner) ? cudaErrorInvalidValue : cudaSuccess;
    if (error == cudaSuccess)
        error = check_removal(found->graph);
    if (error == cudaSuccess)
        facade_node_delete(found);
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
    return facade_result(facade_graph_create(pGraph, flags));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return facade_result(facade_graph_destroy(graph));
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
    return facade_result(facade_graph_clone_to(pGraphClone, originalGraph));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                                     cudaGraph_t clonedGraph)
{
    return facade_result(facade_graph_find_in_clone(pNode, originalNode, clonedGraph));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
    return facade_result(facade_node_type(node, pType));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                     size_t numDependencies)
{
    return facade_result(facade_graph_add_edges(graph, from, to, edgeData, numDependencies));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
    return facade_result(facade_graph_remove_edges(graph, from, to, edgeData, numDependencies));
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    return facade_result(facade_node_destroy(node));
}
