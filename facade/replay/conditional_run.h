/* Launches of graphs with conditional nodes: the host goes through them in the turn that the stream has for the launch, on
 * a thread of that stream, and gives the nodes to a stream of the executable graph's own. It waits for that only where it
 * has to know a condition, and at the end.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_CONDITIONAL_RUN_H
#define FACADE_CONDITIONAL_RUN_H

#include "facade/graph/conditional.h"

/* What the launches of an executable graph share. */
struct facade_run;

/* Makes what an executable graph needs, and notes that its source is instantiated, until facade_run_end(). graph: the
 * executable graph's own. Errors: cudaErrorMemoryAllocation; cudaErrorInvalidValue for nodes in a circle, on or behind which
 * *culprit is. */
cudaError_t facade_run_make(struct facade_graph *graph, struct facade_conditions *source,
                            struct facade_run **run, struct facade_node **culprit);

/* The executable graph goes; launches go on. Safe on NULL. */
void facade_run_end(struct facade_run *run);

/* Launches the graph, as it is now, in the stream. Waits for nothing. Order: earlier launches of the same executable graph
 * are complete before the stream's turn. Errors: cudaErrorMemoryAllocation; what making a stream fails with. What nodes are
 * refused with when their turn has come, the context fails with. */
cudaError_t facade_run_launch(struct facade_run *run, const struct facade_graph *graph,
                              struct facade_stream *stream);

#endif
