/* Graphs: nodes, what they do, and which comes behind which. As in CUDA, calls that take one graph, or nodes of one, are
 * for one thread at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_GRAPH_H
#define FACADE_GRAPH_H

#include "facade/graph/work.h"

/* Nodes that one node has an edge with. */
struct facade_node_list {
    struct facade_node **nodes;
    size_t count, capacity;
};

/* Of a graph (cudaGraphNode_t). */
struct facade_node {
    struct facade_graph *graph;
    enum cudaGraphNodeType type;
    struct facade_work *work;               /* NULL: nothing is done */
    struct facade_graph *child;             /* cudaGraphNodeTypeGraph: the node's own */
    struct facade_conditional *conditional; /* cudaGraphNodeTypeConditional: likewise */
    struct facade_node_list before, after;
    uint64_t id;     /* unique in the process, never used again */
    uint64_t origin; /* in a clone: id of the node that this one was made from; else 0 */
    struct facade_node *next, *previous; /* in the order in which they were added */
    uint64_t ended; /* grows with when it came to have no node behind it, while it has none */
    struct facade_node *twin, *todo; /* while the graph is cloned, or paired with another */
    size_t position;                 /* while the graph is walked */
    bool is_disabled;                /* in executable graphs */
};

/* cudaGraph_t */
struct facade_graph {
    struct facade_node *first, *last;
    size_t count;
    struct facade_node *owner; /* the node whose child it is; NULL: the user's */
    uint64_t id;               /* as of nodes */
    uint64_t origin;
    struct facade_conditions *conditions;   /* conditional.h; NULL before there is a handle */
    bool is_capturing;                      /* capture.c adds nodes to it */
    struct facade_user_references *objects; /* user_object.c's */
    size_t memory_nodes; /* in it and in the graphs inside: that allocate or free */
    _Atomic bool
        has_exec; /* one was instantiated from it, and is there; kept for those with such nodes */
    struct facade_graph_memory *memory; /* graph_block.c's, with what ends it; NULL: none */
    void (*end_memory)(struct facade_graph_memory *memory);
};

/* Errors: cudaErrorInvalidValue for what is no live graph, or node; cudaErrorInitializationError in a forked child. */
cudaError_t facade_graph_find(cudaGraph_t handle, struct facade_graph **graph);
cudaError_t facade_node_find(cudaGraphNode_t handle, struct facade_node **node);

/* NULL without memory. */
struct facade_graph *facade_graph_new(void);
void facade_graph_delete(struct facade_graph *graph);

/* A copy with works shared, whose nodes know where they come from. NULL without memory. What allocates or frees is for executable
 * graphs alone to copy: others ask facade_graph_check_copy() first. */
struct facade_graph *facade_graph_clone(struct facade_graph *graph);

/* Errors: cudaErrorNotSupported for a graph that has nodes that allocate or free, or conditional ones. */
cudaError_t facade_graph_check_copy(const struct facade_graph *graph);

/* The graphs of a node, by index: its child, or the bodies of a conditional node; NULL behind the last. */
struct facade_graph *facade_node_inner(const struct facade_node *node, size_t index);

/* The node of graph, or of its nodes' graphs, that was made from the node with this id; or NULL. */
struct facade_node *facade_graph_node_from(const struct facade_graph *graph, uint64_t origin);

/* Adds a node behind others of the graph. Owns: the node takes the caller's reference to work, and child, if there is a
 * node. NULL without memory. */
struct facade_node *facade_graph_add(struct facade_graph *graph, enum cudaGraphNodeType type,
                                     struct facade_work *work, struct facade_graph *child,
                                     const cudaGraphNode_t *before, size_t count);
void facade_node_delete(struct facade_node *node);

/* An edge that is not there yet. Errors: cudaErrorMemoryAllocation. */
cudaError_t facade_graph_connect(struct facade_node *from, struct facade_node *to);
/* The node has none behind it from now on, though it had none before. */
void facade_graph_end_at(struct facade_node *node);
bool facade_graph_are_connected(const struct facade_node *from, const struct facade_node *to);

/* Gives the node another work of its type, and takes the caller's reference. */
void facade_node_set_work(struct facade_node *node, struct facade_work *work);

/* What a list of count handles says about dependencies in graph: live nodes of it, none twice, edges without anything
 * special. edges may be NULL. Errors: cudaErrorInvalidValue; cudaErrorNotSupported for programmatic edges. */
cudaError_t facade_graph_check_nodes(const struct facade_graph *graph, const cudaGraphNode_t *nodes,
                                     size_t count);
cudaError_t facade_graph_check_edges(const cudaGraphEdgeData *edges, size_t count);

/* What a call that adds a node says of where it goes, in CUDA's order; *graph is the live graph. Errors: those, and
 * cudaErrorInvalidValue for no *added. */
cudaError_t facade_graph_check_place(const cudaGraphNode_t *added, cudaGraph_t handle,
                                     const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                                     size_t count, struct facade_graph **graph);

/* The nodes in an order in which each comes behind those it depends on: count of *order, which the caller frees.
 * Errors: cudaErrorInvalidValue when there is none (a circle; *culprit is on it or behind it);
 *         cudaErrorMemoryAllocation. */
cudaError_t facade_graph_order(const struct facade_graph *graph, struct facade_node ***order,
                               struct facade_node **culprit);

/* --- what both APIs call, which check all that they are given ---------------------------------
 *
 * Errors: cudaErrorInvalidValue for what is no live graph or node, or not the graph's; cudaErrorMemoryAllocation. */
cudaError_t facade_graph_create(cudaGraph_t *graph, unsigned flags);
cudaError_t facade_graph_destroy(cudaGraph_t graph);
cudaError_t facade_graph_clone_to(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t facade_graph_find_in_clone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                       cudaGraph_t clone);
cudaError_t facade_node_type(cudaGraphNode_t node, enum cudaGraphNodeType *type);
cudaError_t facade_node_destroy(cudaGraphNode_t node);

/* Lists: *count is the room in them, and then how many there are. edges may be NULL. */
cudaError_t facade_graph_list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count,
                                    bool only_roots);
cudaError_t facade_graph_list_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                    cudaGraphEdgeData *edges, size_t *count);
cudaError_t facade_node_list_neighbours(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                        cudaGraphEdgeData *edges, size_t *count, bool after);

/* Edges with what is special about them, or NULL. */
cudaError_t facade_graph_add_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                                   const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                   size_t count);
cudaError_t facade_graph_remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                                      const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                      size_t count);

#endif
