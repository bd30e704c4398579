/* What nodes of graphs are told to do, in all the forms in which calls say it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_NODE_PARAMS_H
#define FACADE_NODE_PARAMS_H

#include "facade/graph/graph.h"

/* Makes what the structure of cudaGraphAddNode() says: a work with one reference for the caller, NULL for an empty node
 * and for a graph, which is the caller's then: *child, a clone unless the structure gives the graph away.
 * Errors: cudaErrorInvalidValue; cudaErrorNotSupported for kinds that clem does not have; those of the work. */
cudaError_t facade_node_params_read(const struct cudaGraphNodeParams *params,
                                    struct facade_work **work, struct facade_graph **child);

/* Of a node that allocates or frees, which calls of its own add, without anything in what is reserved. */
bool facade_node_params_are_of_memory(const struct cudaGraphNodeParams *params);

/* Whether bytes are set that CUDA keeps to itself: such parameters are refused. */
bool facade_node_params_reserve(const struct cudaGraphNodeParams *params);

/* Parameters of a node in the form in which a call has them. */
struct facade_node_said {
    enum cudaGraphNodeType type;
    const void *params;
    /* As facade_node_params_read(). */
    cudaError_t (*read)(const void *params, struct facade_work **work, struct facade_graph **child);
};

/* Adds a node that does what said says, or gives a node that. Where a node goes, and which it is, is checked first.
 * Errors: cudaErrorInvalidValue; those of the reader. */
cudaError_t facade_node_add(cudaGraphNode_t *added, cudaGraph_t graph,
                            const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                            size_t count, const struct facade_node_said *said);
cudaError_t facade_node_set(cudaGraphNode_t node, const struct facade_node_said *said);

/* A node of this type, for calls that write what they are asked for to result.
 * Errors: cudaErrorInvalidValue, also without result. */
cudaError_t facade_node_find_to_ask(cudaGraphNode_t handle, enum cudaGraphNodeType type,
                                    const void *result, struct facade_node **node);

/* Linear copies, and those to and from variables, as works. */
cudaError_t facade_work_of_bytes(void *target, const void *source, size_t bytes,
                                 enum cudaMemcpyKind kind, struct facade_work **work);
cudaError_t facade_work_to_symbol(const void *symbol, const void *source, size_t bytes,
                                  size_t offset, enum cudaMemcpyKind kind,
                                  struct facade_work **work);
cudaError_t facade_work_from_symbol(void *target, const void *symbol, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, struct facade_work **work);

#endif
