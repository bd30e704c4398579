/* Conditional nodes of graphs: their handles, and the graphs in them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_CONDITIONAL_H
#define FACADE_CONDITIONAL_H

#include <stdatomic.h>

#include "facade/graph/graph.h"

/* What a handle stands for. Handles number those of a graph, with the graphs inside, from 1 on. */
struct facade_condition {
    struct facade_context *context;
    uint64_t context_id;
    unsigned start; /* its value when the graph is launched ... */
    bool has_start; /* ... if so; otherwise what it was at the end of the last launch, at first 0 */
    bool is_used;   /* a node has it, or had it */
};

/* Those of a graph that is in no other. */
struct facade_conditions {
    _Atomic size_t references;
    _Atomic bool
        is_instantiated; /* an executable graph was made of the graph, and is not destroyed */
    size_t count, capacity;
    struct facade_condition *list;
};

/* Of a node: the graphs lie in the graph of the node. */
struct facade_conditional {
    enum cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraphConditionalHandle handle;
    cudaGraph_t graphs[];
};

/* The graph that contains all others around this one. */
struct facade_graph *facade_graph_root(struct facade_graph *graph);

/* Whether there is a conditional node in the graph, or in those inside. */
bool facade_graph_has_conditional(const struct facade_graph *graph);

/* A new handle. context: where kernels set it. Errors: cudaErrorInvalidValue; cudaErrorMemoryAllocation. */
cudaError_t facade_condition_create(cudaGraphConditionalHandle *made, cudaGraph_t graph,
                                    struct facade_context *context, unsigned start, unsigned flags);

/* Adds a node with empty graphs, which params->phGraph_out gives back. context: NULL for the handle's.
 * Errors: cudaErrorInvalidValue, also for a handle that another node has, or that is another context's;
 *         cudaErrorNotSupported for more than 32 levels of graphs; cudaErrorMemoryAllocation. */
cudaError_t facade_conditional_add(cudaGraphNode_t *added, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                                   size_t count, struct cudaConditionalNodeParams *params,
                                   const struct facade_context *context);

/* Whether a graph can become an executable one. *culprit: the node that is why not, if there is one.
 * Errors: cudaErrorNotSupported for what bodies cannot contain, works of several contexts, a second executable graph and a
 *         body by itself; cudaErrorInvalidValue for handles without a node (*is_unused). */
cudaError_t facade_conditional_check(struct facade_graph *graph, struct facade_node **culprit,
                                     bool *is_unused);

/* Whether nodes of two graphs may stand for each other, as far as they themselves go. */
bool facade_conditionals_agree(const struct facade_conditional *one,
                               const struct facade_conditional *other);

/* The node, which takes over what it is given, is the conditional one that its graphs lie in. */
void facade_node_take_conditional(struct facade_node *node, struct facade_conditional *conditional);

/* Of nodes and graphs that go, or are copied. NULL without memory; all do nothing for NULL. */
void facade_conditional_delete(struct facade_conditional *conditional);
struct facade_conditional *facade_conditional_clone(const struct facade_conditional *conditional);
struct facade_conditions *facade_conditions_hold(struct facade_conditions *conditions);
struct facade_conditions *facade_conditions_copy(const struct facade_conditions *conditions);
void facade_conditions_take(struct facade_conditions *conditions, /* what they start as */
                            const struct facade_conditions *from);
void facade_conditions_let_go(struct facade_conditions *conditions);

#endif
