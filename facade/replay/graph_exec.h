/* Executable graphs. As in CUDA, calls that take one are for one thread at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_GRAPH_EXEC_H
#define FACADE_GRAPH_EXEC_H

#include "facade/graph/graph.h"

/* How a context takes part in launches: a stream of its own for work that is its, where the graph is launched in another
 * one's, and a mark behind what was submitted. */
struct facade_lane {
    struct facade_context *context;
    uint64_t context_id, generation; /* the lane is stale when the context has others */
    cudaStream_t stream;
    cudaEvent_t mark;
    struct facade_lane *next;
};

/* cudaGraphExec_t */
struct facade_exec {
    struct facade_graph *graph; /* a clone */
    const void *origin;         /* that it is a clone of, while a handle of this number is there */
    uint64_t origin_number;
    struct facade_node **order; /* its nodes that do something, and those of the graphs in it */
    size_t count;
    struct facade_node **own; /* all its nodes, by their origin; NULL before one was asked for */
    size_t own_count;
    struct facade_run *run; /* of a graph with conditional nodes, instead of order; else NULL */
    unsigned long long flags;
    struct facade_lane *lanes;
    struct facade_lane *last; /* whose mark is behind the last launch; NULL before the first */
    uint64_t last_stream;     /* id of the stream of the last launch */
};

/* Errors: cudaErrorInvalidValue for what is no live executable graph. */
cudaError_t facade_exec_find(cudaGraphExec_t handle, struct facade_exec **exec);

/* Gives back references to user objects behind what was launched. */
struct facade_user_references;
void facade_exec_end_references(struct facade_exec *exec,
                                struct facade_user_references *references);

/* --- what both APIs call: the runtime's functions without the last error ----------------------- */

cudaError_t facade_exec_instantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                    unsigned long long flags);
cudaError_t facade_exec_instantiate_with(cudaGraphExec_t *exec, cudaGraph_t graph,
                                         cudaGraphInstantiateParams *params);
cudaError_t facade_exec_flags(cudaGraphExec_t exec, unsigned long long *flags);
cudaError_t facade_exec_upload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t facade_exec_launch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t facade_exec_destroy(cudaGraphExec_t exec);
cudaError_t facade_exec_update(cudaGraphExec_t exec, cudaGraph_t graph,
                               cudaGraphExecUpdateResultInfo *info);
cudaError_t facade_exec_set_child(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child);
cudaError_t facade_exec_set_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled);
cudaError_t facade_exec_get_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled);

/* Gives a node of an executable graph what said says. Errors: those of the reader; cudaErrorInvalidValue for a node of
 * another type, or a change that CUDA does not allow. */
struct facade_node_said;
cudaError_t facade_exec_set(cudaGraphExec_t exec, cudaGraphNode_t node,
                            const struct facade_node_said *said);

#endif
