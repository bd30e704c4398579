/* Nodes of graphs that allocate and free memory, and what devices have of it, as both APIs share them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_GRAPH_MEMORY_H
#define FACADE_GRAPH_MEMORY_H

#include "facade/graph/graph.h"

/* Add a node behind others; edges may be NULL. What is allocated is told in params->dptr.
 * Errors: those of facade_work_of_allocation() and facade_work_of_free(); cudaErrorInvalidValue for what is no place for it. */
cudaError_t facade_graph_add_allocation(cudaGraphNode_t *added, cudaGraph_t graph,
                                        const cudaGraphNode_t *before,
                                        const cudaGraphEdgeData *edges, size_t count,
                                        struct cudaMemAllocNodeParams *params);
cudaError_t facade_graph_add_free(cudaGraphNode_t *added, cudaGraph_t graph,
                                  const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                                  size_t count, void *pointer);

/* What nodes were made from. Errors: cudaErrorInvalidValue for a node of another type, and for no room for the answer. */
cudaError_t facade_graph_allocation_of(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params);
cudaError_t facade_graph_free_of(cudaGraphNode_t node, void **pointer);

/* value: a 64-bit number of bytes. Peaks alone can be set, to 0, which makes them what there is now.
 * Errors: cudaErrorInvalidDevice; cudaErrorInvalidValue. */
cudaError_t facade_graph_memory_get(int device, enum cudaGraphMemAttributeType attribute,
                                    void *value);
cudaError_t facade_graph_memory_set(int device, enum cudaGraphMemAttributeType attribute,
                                    const void *value);

/* Gives back what no node names, and the pages of the rest where that can be. Errors: cudaErrorInvalidDevice. */
cudaError_t facade_graph_memory_trim(int device);

#endif
