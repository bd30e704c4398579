/* Which nodes of two graphs stand for each other.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_GRAPH_PAIRS_H
#define FACADE_GRAPH_PAIRS_H

#include "facade/graph/graph.h"

/* Pairs the nodes of a graph that has an order with those of another one, and of the graphs inside: each is the other's
 * twin then. From the nodes that nothing is behind, in the order in which they came to be so, back along the dependencies
 * of each node in theirs. Result: cudaGraphExecUpdateSuccess where all are paired and the first's nodes may do what the
 * others do; else what differs, with the nodes of wanted that differ in *info, which has none before;
 * cudaGraphExecUpdateError without memory. Source: CUDA Runtime API 13.0, cudaGraphExecUpdate; CUDA Programming Guide,
 * CUDA Graphs, Whole Graph Update. */
enum cudaGraphExecUpdateResult facade_graph_pair(struct facade_graph *old,
                                                 struct facade_graph *wanted,
                                                 cudaGraphExecUpdateResultInfo *info);

#endif
