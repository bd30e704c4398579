/* What graphs allocate: works of nodes that allocate and free, where their memory lies, what launches see to.
 *
 * A node's address is chosen when the node is made, in a block of its graph, and is device memory from the moment that a
 * launch comes to the node until somebody frees it. Works hold the block, as memory in use does.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_GRAPH_BLOCK_H
#define FACADE_GRAPH_BLOCK_H

#include "facade/graph/graph.h"

/* Makes the work of a node of graph that is to come behind others of it, with one reference for the caller, and tells where its
 * memory will be. Bytes that a node before it frees in this graph may be the same.
 * Errors: cudaErrorInvalidValue; cudaErrorNotSupported for memory that is not pinned device memory of this process alone, and
 *         for a graph in a node; cudaErrorMemoryAllocation. */
cudaError_t facade_work_of_allocation(struct facade_graph *graph, const cudaGraphNode_t *before,
                                      size_t count, const struct cudaMemAllocNodeParams *params,
                                      struct facade_work **work, void **pointer);

/* That of a node that frees what a node of this graph, or of another one, allocates.
 * Errors: cudaErrorInvalidValue when none allocates at pointer, or a node of its own graph frees it already;
 *         cudaErrorNotSupported for a graph in a node; cudaErrorMemoryAllocation. */
cudaError_t facade_work_of_free(struct facade_graph *graph, void *pointer,
                                struct facade_work **work);

/* The same as nodes of what a stream captures. Errors: those of facade_capture_add() as well. */
cudaError_t facade_capture_allocation(struct facade_stream *stream,
                                      const struct cudaMemAllocNodeParams *params, void **pointer);
cudaError_t facade_capture_free(struct facade_stream *stream, void *pointer);

/* What they were made from. Needs: a work of that kind, which keeps what is pointed to. */
struct cudaMemAllocNodeParams facade_work_allocation(const struct facade_work *work);
void *facade_work_freed(const struct facade_work *work);

/* Before nodes are launched in this order: nothing is allocated where memory is still in use, unless is_auto_free, which frees
 * that behind the stream's work; and nothing is freed that is not in use then. Errors: cudaErrorInvalidValue. */
cudaError_t facade_graph_memory_begin(struct facade_node *const *order, size_t count,
                                      bool is_auto_free, struct facade_stream *stream);

/* A launch ends behind these nodes, with an error: what they allocated is freed behind the stream's work. */
void facade_graph_memory_abandon(struct facade_node *const *order, size_t count,
                                 struct facade_stream *stream);

#endif
