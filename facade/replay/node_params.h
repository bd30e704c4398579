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

/* Linear copies, and those to and from variables, as works. */
cudaError_t facade_work_of_bytes(void *target, const void *source, size_t bytes,
                                 enum cudaMemcpyKind kind, struct facade_work **work);
cudaError_t facade_work_to_symbol(const void *symbol, const void *source, size_t bytes,
                                  size_t offset, enum cudaMemcpyKind kind,
                                  struct facade_work **work);
cudaError_t facade_work_from_symbol(void *target, const void *symbol, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, struct facade_work **work);

#endif
