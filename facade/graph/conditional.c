/* Conditional nodes of graphs: their handles, and the graphs in them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "facade/graph/conditional.h"
#include "facade/state/handles.h"

struct facade_graph *facade_graph_root(struct facade_graph *graph)
{
    while (graph->owner != NULL)
        graph = graph->owner->graph;
    return graph;
}

struct facade_graph *facade_node_inner(const struct facade_node *node, size_t index)
{
    const struct facade_conditional *conditional = node->conditional;
    if (conditional == NULL)
        return index == 0 ? node->child : NULL;
    return index < conditional->size ? (struct facade_graph *)conditional->graphs[index] : NULL;
}

bool facade_graph_has_conditional(const struct facade_graph *graph)
{
    bool has_one = false;
    for (const struct facade_node *node = graph->first; !has_one && node != NULL; node = node->next)
        has_one = node->conditional != NULL ||
                  (node->child != NULL && facade_graph_has_conditional(node->child));
    return has_one;
}

/* --- handles ---------------------------------------------------------------------------------- */

struct facade_conditions *facade_conditions_hold(struct facade_conditions *conditions)
{
    if (conditions != NULL)
        atomic_fetch_add_explicit(&conditions->references, 1, memory_order_relaxed);
    return conditions;
}

void facade_conditions_let_go(struct facade_conditions *conditions)
{
    if (conditions == NULL ||
        atomic_fetch_sub_explicit(&conditions->references, 1, memory_order_acq_rel) > 1)
        return;
    free(conditions->list);
    free(conditions);
}

static struct facade_conditions *new_conditions(void)
{
    struct facade_conditions *made = calloc(1, sizeof *made);
    if (made != NULL)
        atomic_init(&made->references, 1);
    return made;
}

static bool reserve(struct facade_conditions *conditions, size_t count)
{
    if (count <= conditions->capacity)
        return true;
    const size_t capacity = 2 * count;
    struct facade_condition *list = realloc(conditions->list, capacity * sizeof *list);
    if (list == NULL)
        return false;
    conditions->list = list;
    conditions->capacity = capacity;
    return true;
}

struct facade_conditions *facade_conditions_copy(const struct facade_conditions *conditions)
{
    struct facade_conditions *made = conditions != NULL ? new_conditions() : NULL;
    if (made == NULL)
        return NULL;
    if (!reserve(made, conditions->count + 1)) {
        facade_conditions_let_go(made);
        return NULL;
    }
    made->count = conditions->count;
    if (made->count > 0)
        memcpy(made->list, conditions->list, made->count * sizeof *made->list);
    return made;
}

void facade_conditions_take(struct facade_conditions *conditions,
                            const struct facade_conditions *from)
{
    for (size_t i = 0; conditions != NULL && from != NULL && i < conditions->count; i++) {
        if (i < from->count) {
            conditions->list[i].start = from->list[i].start;
            conditions->list[i].has_start = from->list[i].has_start;
        }
    }
}

cudaError_t facade_condition_create(cudaGraphConditionalHandle *made, cudaGraph_t handle,
                                    struct facade_context *context, unsigned start, unsigned flags)
{
    struct facade_graph *graph = NULL;
    if (made == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_graph_find(handle, &graph);
    if (error != cudaSuccess)
        return error;
    if ((flags & ~(unsigned)cudaGraphCondAssignDefault) != 0)
        return cudaErrorInvalidValue;
    graph = facade_graph_root(graph);
    if (graph->conditions == NULL)
        graph->conditions = new_conditions();
    struct facade_conditions *conditions = graph->conditions;
    if (conditions == NULL || !reserve(conditions, conditions->count + 1))
        return cudaErrorMemoryAllocation;
    conditions->list[conditions->count++] = (struct facade_condition){
        .context = context,
        .context_id = context->id,
        .start = start,
        .has_start = (flags & cudaGraphCondAssignDefault) != 0,
    };
    *made = conditions->count;
    return cudaSuccess;
}

/* --- nodes ------------------------------------------------------------------------------------ */

void facade_conditional_delete(struct facade_conditional *conditional)
{
    for (unsigned i = 0; conditional != NULL && i < conditional->size; i++) {
        struct facade_graph *body = (struct facade_graph *)conditional->graphs[i];
        body->owner = NULL; /* which may be gone */
        facade_graph_delete(body);
    }
    free(conditional);
}

static struct facade_conditional *new_conditional(const struct facade_conditional *like)
{
    struct facade_conditional *made =
        calloc(1, sizeof *made + (size_t)like->size * sizeof(cudaGraph_t));
    if (made == NULL)
        return NULL;
    made->type = like->type;
    made->handle = like->handle;
    return made;
}

/* Its size counts the graphs that it has, so that what is not whole can be deleted. */
static bool take_graph(struct facade_conditional *conditional, struct facade_graph *graph)
{
    if (graph != NULL)
        conditional->graphs[conditional->size++] = (cudaGraph_t)graph;
    return graph != NULL;
}

struct facade_conditional *facade_conditional_clone(const struct facade_conditional *conditional)
{
    struct facade_conditional *made = conditional != NULL ? new_conditional(conditional) : NULL;
    for (unsigned i = 0; made != NULL && i < conditional->size; i++) {
        if (!take_graph(made, facade_graph_clone((struct facade_graph *)conditional->graphs[i]))) {
            facade_conditional_delete(made);
            made = NULL;
        }
    }
    return made;
}

static struct facade_conditional *make_conditional(const struct facade_conditional *like)
{
    struct facade_conditional *made = new_conditional(like);
    for (unsigned i = 0; made != NULL && i < like->size; i++) {
        if (!take_graph(made, facade_graph_new())) {
            facade_conditional_delete(made);
            made = NULL;
        }
    }
    return made;
}

static bool is_of_size(const struct cudaConditionalNodeParams *params)
{
    switch ((int)params->type) {
    case cudaGraphCondTypeIf:
        return params->size == 1 || params->size == 2;
    case cudaGraphCondTypeWhile:
        return params->size == 1;
    case cudaGraphCondTypeSwitch:
        return params->size > 0;
    default:
        return false;
    }
}

bool facade_conditionals_agree(const struct facade_conditional *one,
                               const struct facade_conditional *other)
{
    return one->type == other->type && one->size == other->size && one->handle == other->handle;
}

static cudaError_t find_condition(struct facade_graph *graph, cudaGraphConditionalHandle handle,
                                  const struct facade_context *context,
                                  struct facade_condition **found)
{
    const struct facade_conditions *conditions = facade_graph_root(graph)->conditions;
    if (conditions == NULL || handle == 0 || handle > conditions->count)
        return cudaErrorInvalidValue;
    *found = &conditions->list[handle - 1];
    return (*found)->is_used || (context != NULL && (*found)->context != context)
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

/* Graphs within graphs are gone through by functions that call themselves, in threads with little stack. */
enum { MOST_LEVELS = 32 };

static bool is_too_deep(const struct facade_graph *graph)
{
    unsigned levels = 1;
    for (; graph->owner != NULL && levels <= MOST_LEVELS; levels++)
        graph = graph->owner->graph;
    return levels > MOST_LEVELS;
}

cudaError_t facade_conditional_add(cudaGraphNode_t *added, cudaGraph_t handle,
                                   const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                                   size_t count, struct cudaConditionalNodeParams *params,
                                   const struct facade_context *context)
{
    struct facade_graph *graph = NULL;
    struct facade_condition *condition = NULL;
    cudaError_t error = facade_graph_check_place(added, handle, before, edges, count, &graph);
    if (error == cudaSuccess)
        error = find_condition(graph, params->handle, context, &condition);
    if (error == cudaSuccess && !is_of_size(params))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && is_too_deep(graph))
        error = cudaErrorNotSupported;
    if (error != cudaSuccess)
        return error;
    const struct facade_conditional like = {params->type, params->size, params->handle};
    struct facade_conditional *made = make_conditional(&like);
    struct facade_node *node = made != NULL ? facade_graph_add(graph, cudaGraphNodeTypeConditional,
                                                               NULL, NULL, before, count)
                                            : NULL;
    if (node == NULL) {
        facade_conditional_delete(made);
        return cudaErrorMemoryAllocation;
    }
    facade_node_take_conditional(node, made);
    condition->is_used = true;
    params->phGraph_out = made->graphs;
    *added = (cudaGraphNode_t)node;
    return cudaSuccess;
}

void facade_node_take_conditional(struct facade_node *node, struct facade_conditional *conditional)
{
    node->conditional = conditional;
    for (unsigned i = 0; conditional != NULL && i < conditional->size; i++)
        ((struct facade_graph *)conditional->graphs[i])->owner = node;
}

/* --- before a graph becomes executable -------------------------------------------------------- */

/* Source: CUDA Driver API 13.0, CUDA_CONDITIONAL_NODE_PARAMS. */
static bool is_for_bodies(enum cudaGraphNodeType type)
{
    return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
           type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeGraph ||
           type == cudaGraphNodeTypeEmpty || type == cudaGraphNodeTypeConditional;
}

/* Counts conditional nodes; *culprit is what cannot be where it is. */
static size_t look_through(const struct facade_graph *graph, const struct facade_context *context,
                           bool is_body, struct facade_node **culprit)
{
    size_t found = 0;
    const struct facade_graph *inner;
    for (struct facade_node *node = graph->first; node != NULL; node = node->next) {
        const bool is_foreign =
            node->work != NULL && node->work->context != NULL && node->work->context != context;
        if (*culprit == NULL && (is_foreign || (is_body && !is_for_bodies(node->type))))
            *culprit = node;
        found += node->conditional != NULL;
        for (size_t i = 0; (inner = facade_node_inner(node, i)) != NULL; i++)
            found += look_through(inner, context, is_body || node->conditional != NULL, culprit);
    }
    return found;
}

static bool are_of_one_context(const struct facade_conditions *conditions)
{
    for (size_t i = 1; i < conditions->count; i++) {
        if (conditions->list[i].context != conditions->list[0].context)
            return false;
    }
    return true;
}

cudaError_t facade_conditional_check(struct facade_graph *graph, struct facade_node **culprit,
                                     bool *is_unused)
{
    const struct facade_conditions *conditions = graph->conditions;
    *is_unused = false;
    if (graph->owner != NULL && facade_graph_has_conditional(graph))
        return cudaErrorNotSupported;
    if (conditions == NULL)
        return cudaSuccess;
    *is_unused =
        look_through(graph, conditions->list[0].context, false, culprit) < conditions->count;
    if (*is_unused)
        return cudaErrorInvalidValue;
    return *culprit != NULL || !are_of_one_context(conditions) ||
                   atomic_load(&conditions->is_instantiated)
               ? cudaErrorNotSupported
               : cudaSuccess;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out,
                                             cudaGraph_t graph, unsigned int defaultLaunchValue,
                                             unsigned int flags)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_condition_create(pHandle_out, graph, context, defaultLaunchValue, flags);
    return facade_result(error);
}
