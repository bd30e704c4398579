/* Graphs: lists of their nodes and edges.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/graph/graph.h"

/* What lists of handles have in common: without a list, how many there are; otherwise as many as it holds, the rest of
 * it NULL, and how many those are. */
struct answer {
    cudaGraphNode_t *first, *second; /* either may be NULL */
    cudaGraphEdgeData *edges;
    size_t room, count;
};

static void answer_add(struct answer *answer, struct facade_node *first, struct facade_node *second)
{
    const size_t i = answer->count++;
    if (i >= answer->room)
        return;
    if (answer->first != NULL)
        answer->first[i] = (cudaGraphNode_t)first;
    if (answer->second != NULL)
        answer->second[i] = (cudaGraphNode_t)second;
    if (answer->edges != NULL)
        answer->edges[i] = (cudaGraphEdgeData){0};
}

/* Errors: cudaErrorInvalidValue for a list that has no room for any. */
static cudaError_t answer_end(struct answer *answer, size_t *count)
{
    const bool is_asked = answer->first != NULL || answer->second != NULL;
    if (is_asked && answer->room == 0 && answer->count > 0)
        return cudaErrorInvalidValue;
    for (size_t i = answer->count; is_asked && i < answer->room; i++) {
        if (answer->first != NULL)
            answer->first[i] = NULL;
        if (answer->second != NULL)
            answer->second[i] = NULL;
    }
    *count = is_asked && answer->count > answer->room ? answer->room : answer->count;
    return cudaSuccess;
}

cudaError_t facade_graph_list_nodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count,
                                    bool only_roots)
{
    struct facade_graph *graph = NULL;
    cudaError_t error = facade_graph_find(handle, &graph);
    if (error != cudaSuccess || count == NULL)
        return cudaErrorInvalidValue;
    struct answer answer = {.first = nodes, .room = nodes != NULL ? *count : 0};
    for (struct facade_node *node = graph->first; node != NULL; node = node->next) {
        if (!only_roots || node->before.count == 0)
            answer_add(&answer, node, NULL);
    }
    return answer_end(&answer, count);
}

cudaError_t facade_graph_list_edges(cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                    cudaGraphEdgeData *edges, size_t *count)
{
    struct facade_graph *graph = NULL;
    cudaError_t error = facade_graph_find(handle, &graph);
    if (error != cudaSuccess || count == NULL || (from == NULL) != (to == NULL) ||
        (edges != NULL && from == NULL))
        return cudaErrorInvalidValue;
    struct answer answer = {from, to, edges, from != NULL ? *count : 0, 0};
    for (struct facade_node *node = graph->first; node != NULL; node = node->next) {
        for (size_t i = 0; i < node->after.count; i++)
            answer_add(&answer, node, node->after.nodes[i]);
    }
    return answer_end(&answer, count);
}

cudaError_t facade_node_list_neighbours(cudaGraphNode_t handle, cudaGraphNode_t *nodes,
                                        cudaGraphEdgeData *edges, size_t *count, bool after)
{
    struct facade_node *node = NULL;
    cudaError_t error = facade_node_find(handle, &node);
    if (error != cudaSuccess || count == NULL || (edges != NULL && nodes == NULL))
        return cudaErrorInvalidValue;
    const struct facade_node_list *list = after ? &node->after : &node->before;
    struct answer answer = {.first = nodes, .edges = edges, .room = nodes != NULL ? *count : 0};
    for (size_t i = 0; i < list->count; i++)
        answer_add(&answer, list->nodes[i], NULL);
    return answer_end(&answer, count);
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
    return facade_result(facade_graph_list_nodes(graph, nodes, numNodes, false));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes,
                                  size_t *pNumRootNodes)
{
    return facade_result(facade_graph_list_nodes(graph, pRootNodes, pNumRootNodes, true));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edgeData, size_t *numEdges)
{
    return facade_result(facade_graph_list_edges(graph, from, to, edgeData, numEdges));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                         cudaGraphEdgeData *edgeData, size_t *pNumDependencies)
{
    return facade_result(
        facade_node_list_neighbours(node, pDependencies, edgeData, pNumDependencies, false));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                           cudaGraphEdgeData *edgeData, size_t *pNumDependentNodes)
{
    return facade_result(
        facade_node_list_neighbours(node, pDependentNodes, edgeData, pNumDependentNodes, true));
}
