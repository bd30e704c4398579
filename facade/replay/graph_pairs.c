/* Which nodes of an executable graph those of another graph stand for.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "facade/graph/conditional.h"
#include "facade/replay/graph_pairs.h"

struct pairing {
    struct facade_node *first,
        *last;    /* of the old graph: paired, and not yet what they come behind */
    size_t count; /* of pairs */
    cudaGraphExecUpdateResultInfo *info;
};

static enum cudaGraphExecUpdateResult differ(const struct pairing *p,
                                             enum cudaGraphExecUpdateResult result,
                                             struct facade_node *node, struct facade_node *from)
{
    p->info->errorNode = (cudaGraphNode_t)node;
    p->info->errorFromNode = (cudaGraphNode_t)from;
    return result;
}

static void pair(struct pairing *p, struct facade_node *old, struct facade_node *wanted)
{
    old->twin = wanted;
    wanted->twin = old;
    old->todo = NULL;
    if (p->last != NULL)
        p->last->todo = old;
    else
        p->first = old;
    p->last = old;
    p->count++;
}

static enum cudaGraphExecUpdateResult pair_dependencies(struct pairing *p, struct facade_node *old)
{
    struct facade_node *wanted = old->twin;
    if (old->before.count != wanted->before.count)
        return differ(p, cudaGraphExecUpdateErrorTopologyChanged, wanted, NULL);
    for (size_t i = 0; i < old->before.count; i++) {
        struct facade_node *one = old->before.nodes[i], *other = wanted->before.nodes[i];
        if (one->twin == NULL && other->twin == NULL)
            pair(p, one, other);
        else if (one->twin != other)
            return differ(p, cudaGraphExecUpdateErrorTopologyChanged, wanted, other);
    }
    return cudaGraphExecUpdateSuccess;
}

static enum cudaGraphExecUpdateResult look_at(struct pairing *p, struct facade_node *old)
{
    struct facade_node *wanted = old->twin;
    if (old->type != wanted->type)
        return differ(p, cudaGraphExecUpdateErrorNodeTypeChanged, wanted, NULL);
    enum cudaGraphExecUpdateResult result = pair_dependencies(p, old);
    if (result != cudaGraphExecUpdateSuccess)
        return result;
    if (old->conditional != NULL &&
        !facade_conditionals_agree(old->conditional, wanted->conditional))
        return differ(p, cudaGraphExecUpdateErrorParametersChanged, wanted, NULL);
    struct facade_graph *inner;
    for (size_t i = 0; (inner = facade_node_inner(old, i)) != NULL; i++) {
        result = facade_graph_pair(inner, facade_node_inner(wanted, i), p->info);
        if (result != cudaGraphExecUpdateSuccess)
            return result;
    }
    if (old->work != NULL)
        result = old->work->kind->may_become(old->work, wanted->work);
    return result == cudaGraphExecUpdateSuccess ? result : differ(p, result, wanted, NULL);
}

/* ---- Where a graph ends ---- */

static int by_number(const void *one, const void *other)
{
    const uint64_t a = (*(struct facade_node *const *)one)->ended,
                   b = (*(struct facade_node *const *)other)->ended;
    return (a > b) - (a < b);
}

/* list has room for all nodes of the graph. How many there are. */
static size_t list_ends(const struct facade_graph *graph, struct facade_node **list)
{
    size_t count = 0;
    for (struct facade_node *node = graph->first; node != NULL; node = node->next) {
        node->twin = NULL;
        if (node->after.count == 0)
            list[count++] = node;
    }
    qsort(list, count, sizeof *list, by_number);
    return count;
}

/* Both graphs have as many nodes. A graph of which fewer nodes are ends has some that come behind more. */
static enum cudaGraphExecUpdateResult pair_ends(struct pairing *p, const struct facade_graph *old,
                                                const struct facade_graph *wanted)
{
    struct facade_node **ends = malloc((2 * old->count + 1) * sizeof(struct facade_node *));
    if (ends == NULL)
        return cudaGraphExecUpdateError;
    struct facade_node **others = ends + old->count;
    const size_t count = list_ends(old, ends), other_count = list_ends(wanted, others);
    enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    if (other_count > count)
        result = differ(p, cudaGraphExecUpdateErrorTopologyChanged, others[0], NULL);
    for (size_t i = 0; i < count && i < other_count; i++)
        pair(p, ends[i], others[i]);
    free(ends);
    return result;
}

enum cudaGraphExecUpdateResult facade_graph_pair(struct facade_graph *old,
                                                 struct facade_graph *wanted,
                                                 cudaGraphExecUpdateResultInfo *info)
{
    struct pairing p = {.info = info};
    if (old->count != wanted->count)
        return cudaGraphExecUpdateErrorTopologyChanged;
    enum cudaGraphExecUpdateResult result = pair_ends(&p, old, wanted);
    for (struct facade_node *node = p.first; result == cudaGraphExecUpdateSuccess && node != NULL;
         node = node->todo)
        result = look_at(&p, node);
    if (result == cudaGraphExecUpdateSuccess && p.count != old->count)
        return cudaGraphExecUpdateErrorTopologyChanged;
    return result;
}
