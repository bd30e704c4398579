/* Graphs as text, for people and for Graphviz.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_GRAPH_DOT_H
#define FACADE_GRAPH_DOT_H

#include "facade/graph/graph.h"

/* Writes a graph, and those inside, to a file in Graphviz's DOT language. flags: CUgraphDebugDot_flags, those of the runtime among
 * them. Shape: a node of the text for each node, whose label has its number and type, and what flags ask for.
 * Errors: cudaErrorInvalidValue for what is no live graph, no path or other flags; cudaErrorOperatingSystem where the file cannot
 *         be written. */
cudaError_t facade_graph_print(cudaGraph_t graph, const char *path, unsigned flags);

#endif
