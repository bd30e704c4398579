/* What nodes of graphs do. Works never change once they are made, so that a graph, its clones and what was instantiated
 * from them share one: who sets a node's parameters gives it another work.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_WORK_H
#define FACADE_WORK_H

#include <stdatomic.h>

#include "facade/state/internal.h"

struct facade_work;

/* What works of one kind have in common. The file that carries out the work by itself has it. */
struct facade_work_kind {
    enum cudaGraphNodeType type;

    /* Submits the work to a stream. Order: after earlier work of the stream. Errors: those of the call that does the
     * same without a graph. */
    cudaError_t (*run)(const struct facade_work *work, struct facade_stream *stream);

    /* Whether an executable graph may do `with` instead of work. Both are of this kind. */
    enum cudaGraphExecUpdateResult (*may_become)(const struct facade_work *work,
                                                 const struct facade_work *with);

    /* Gives back what the work holds, when nobody has it any more. NULL: nothing. */
    void (*end)(struct facade_work *work);
};

/* The first member of each work. */
struct facade_work {
    const struct facade_work_kind *kind;
    struct facade_context *context; /* whose streams can do it; NULL: those of all */
    uint64_t context_id;
    _Atomic size_t references;
};

/* A zeroed work of bytes, with one reference for the caller. NULL without memory. */
struct facade_work *facade_work_new(const struct facade_work_kind *kind, size_t bytes);

/* Counts a reference more, and returns work; both do nothing for NULL. */
struct facade_work *facade_work_hold(struct facade_work *work);
void facade_work_let_go(struct facade_work *work);

#endif
