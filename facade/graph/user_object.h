/* User objects: what graphs keep for a program until they, their clones and executable graphs need it no more.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_USER_OBJECT_H
#define FACADE_USER_OBJECT_H

#include "facade/graph/graph.h"

/* References that a graph has, one entry for each object. */
struct facade_user_references;

/* The same references once more: those of graph and, with inner, of the graphs inside. False, with *list as it was, without
 * memory. */
bool facade_user_references_copy(const struct facade_graph *graph, bool inner,
                                 struct facade_user_references **list);

/* All that graph and the graphs inside have is the caller's: NULL for none. */
struct facade_user_references *facade_user_references_take(struct facade_graph *graph);

/* Gives them back; destructors run on a thread of clem's own. Takes no lock of the facade's but a leaf. */
void facade_user_references_end(struct facade_user_references *list);

/* --- what both APIs call ----------------------------------------------------------------------
 *
 * Errors: cudaErrorInvalidValue for what is no live object or graph, no reference at all, and more than there are;
 *         cudaErrorMemoryAllocation. */

/* destroy(pointer) runs once, when the last reference is given back. It may call nothing of CUDA's. */
cudaError_t facade_user_object_create(cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy,
                                      unsigned count, unsigned flags);
cudaError_t facade_user_object_retain(cudaUserObject_t object, unsigned count);
cudaError_t facade_user_object_release(cudaUserObject_t object, unsigned count);

/* flags: cudaGraphUserObjectMove gives the caller's own references to the graph. */
cudaError_t facade_graph_retain_object(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                       unsigned flags);

/* Of a graph that has fewer references, all are given back. */
cudaError_t facade_graph_release_object(cudaGraph_t graph, cudaUserObject_t object, unsigned count);

#endif
