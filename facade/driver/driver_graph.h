/* What both files of the driver API's graphs share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_DRIVER_GRAPH_H
#define FACADE_DRIVER_GRAPH_H

#include "facade/driver/driver.h"

/* Edges of both APIs are the same bytes. */
_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "one layout");
_Static_assert(offsetof(CUgraphEdgeData, type) == offsetof(cudaGraphEdgeData, type), "one layout");

static inline const cudaGraphEdgeData *facade_edges_of(const CUgraphEdgeData *edges)
{
    return (const cudaGraphEdgeData *)(const void *)edges;
}

/* cuGraphAddNode() for a node that allocates or frees. */
CUresult facade_driver_memory_add(CUgraphNode *added, CUgraph graph, const CUgraphNode *before,
                                  const CUgraphEdgeData *edges, size_t count,
                                  CUgraphNodeParams *params);

/* Reads a CUgraphNodeParams, as facade_node_said's readers do: in the context that it names, if it names one. */
struct facade_work;
struct facade_graph;
cudaError_t facade_driver_node_read(const void *given, struct facade_work **work,
                                    struct facade_graph **child);

/* cuGraphAddNode() for a conditional node, whose graphs are then in params. */
CUresult facade_driver_conditional_add(CUgraphNode *added, CUgraph graph, const CUgraphNode *before,
                                       const CUgraphEdgeData *edges, size_t count,
                                       CUDA_CONDITIONAL_NODE_PARAMS *params);

#endif
