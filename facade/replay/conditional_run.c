/* Conditional nodes on the host.
 *
 * A launch has a list of steps of its own, so that the executable graph may be changed or destroyed meanwhile. The values
 * that kernels set lie in device memory, one word for each handle behind their count; the stream that the nodes are given
 * to says where, and launches in it hand that on.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/replay/conditional_run.h"

#include <stdlib.h>

#include "cl/memory.h"
#include "cl/process.h"
#include "cl/trace.h"
#include "cl/transfer.h"
#include "cl/value.h"
#include "facade/state/runtime.h"
#include "facade/stream/stream.h"

/* The values begin behind the allocation's first bytes, so that no user's free finds them. */
enum { LEAD_BYTES = 256, LEAST_ROOM = 63 };

/* What is done one after the other. */
struct sequence {
    struct step *steps;
    size_t count;
};

/* A work, or a conditional node: it has bodies. */
struct step {
    struct facade_work *work;
    enum cudaGraphConditionalNodeType type;
    cudaGraphConditionalHandle handle;
    unsigned size;
    struct sequence *bodies;
};

/* Where the nodes of one executable graph are given to; idle ones are kept for the next. */
struct site {
    struct facade_context *context;
    uint64_t context_id, generation; /* it is stale when the context has others */
    struct facade_stream *stream;
    size_t room; /* values */
    struct site *next;
};

struct facade_run {
    _Atomic size_t references; /* the executable graph, and launches */
    struct facade_conditions *source;
    struct facade_context *context;
    struct site *site; /* NULL before the first launch */
    struct site
        *others;     /* of nodes of other contexts (lock); launches of one graph do not overlap */
    bool is_written; /* the values are there, and only starts are written from now on */
};

struct launch {
    struct facade_run *run;
    struct sequence steps;
    struct facade_conditions *conditions;
    struct site *at; /* of the last node */
    _Atomic bool is_cancelled;
    struct launch *next; /* of those whose turn it is (lock) */
};

/* Guards the launches that are being gone through, and idle sites. A leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static struct launch *active;
static struct site *idle;

/* --- steps ------------------------------------------------------------------------------------ */

static void drop_steps(struct sequence *sequence)
{
    for (size_t i = 0; i < sequence->count; i++) {
        struct step *step = &sequence->steps[i];
        facade_work_let_go(step->work);
        for (unsigned k = 0; k < step->size; k++)
            drop_steps(&step->bodies[k]);
        free(step->bodies);
    }
    free(sequence->steps);
    *sequence = (struct sequence){0};
}

/* Room for the nodes of the graph, and of those that are done in the place of their node. */
static size_t count_steps(const struct facade_graph *graph)
{
    size_t count = graph->count;
    for (const struct facade_node *node = graph->first; node != NULL; node = node->next)
        count += node->child != NULL ? count_steps(node->child) : 0;
    return count;
}

static cudaError_t put_graph(const struct facade_graph *graph, struct sequence *sequence,
                             struct facade_node **culprit);

static cudaError_t make_steps(const struct facade_graph *graph, struct sequence *sequence,
                              struct facade_node **culprit)
{
    sequence->steps = calloc(count_steps(graph) + 1, sizeof *sequence->steps);
    if (sequence->steps == NULL)
        return cudaErrorMemoryAllocation;
    return put_graph(graph, sequence, culprit);
}

static cudaError_t put_conditional(const struct facade_conditional *conditional,
                                   struct sequence *sequence, struct facade_node **culprit)
{
    cudaError_t error = cudaSuccess;
    struct step *step = &sequence->steps[sequence->count];
    step->bodies = calloc(conditional->size, sizeof *step->bodies);
    if (step->bodies == NULL)
        return cudaErrorMemoryAllocation;
    sequence->count++;
    step->type = conditional->type;
    step->handle = conditional->handle;
    step->size = conditional->size;
    for (unsigned i = 0; error == cudaSuccess && i < conditional->size; i++)
        error = make_steps((const struct facade_graph *)conditional->graphs[i], &step->bodies[i],
                           culprit);
    return error;
}

static cudaError_t put_node(const struct facade_node *node, struct sequence *sequence,
                            struct facade_node **culprit)
{
    if (node->child != NULL)
        return put_graph(node->child, sequence, culprit);
    if (node->conditional != NULL)
        return put_conditional(node->conditional, sequence, culprit);
    if (node->work != NULL && !node->is_disabled)
        sequence->steps[sequence->count++].work = facade_work_hold(node->work);
    return cudaSuccess;
}

static cudaError_t put_graph(const struct facade_graph *graph, struct sequence *sequence,
                             struct facade_node **culprit)
{
    struct facade_node **order = NULL;
    cudaError_t error = facade_graph_order(graph, &order, culprit);
    for (size_t i = 0; error == cudaSuccess && i < graph->count; i++)
        error = put_node(order[i], sequence, culprit);
    free(order);
    return error;
}

/* --- sites ------------------------------------------------------------------------------------ */

/* The stream and the memory of a context that closes go with it. */
static bool is_live(const struct site *site)
{
    return facade_handle_find(FACADE_CONTEXT, site->context) != NULL &&
           site->context->id == site->context_id &&
           atomic_load(&site->context->generation) == site->generation &&
           atomic_load(&site->context->settled) != site->generation;
}

/* Stale ones are dropped when they are met. */
static struct site *find_idle(const struct facade_context *context, size_t room)
{
    struct site *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct site **link = &idle; found == NULL && *link != NULL;) {
        struct site *site = *link;
        const bool is_stale = !is_live(site);
        if (!is_stale && (site->context != context || site->room < room)) {
            link = &site->next;
            continue;
        }
        *link = site->next;
        if (is_stale)
            free(site);
        else
            found = site;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* In the child of a fork, who held the lock may not be there. */
static void give_back(struct site *site)
{
    if (site == NULL)
        return;
    if (!is_live(site) || facade_process_state() == cudaErrorInitializationError) {
        free(site);
        return;
    }
    pthread_mutex_lock(&lock);
    site->next = idle;
    idle = site;
    pthread_mutex_unlock(&lock);
}

/* The context is the current one. */
static cudaError_t fill_site(struct site *site)
{
    uint64_t memory = 0;
    const size_t bytes = LEAD_BYTES + (site->room + 1) * sizeof(uint32_t);
    cudaError_t error = facade_stream_create_apart(&site->stream);
    if (error != cudaSuccess)
        return error;
    error = facade_error_from(
        ocl_memory_allocate(ocl_queue_context(site->stream->queue), bytes, 0, &memory),
        FACADE_OTHER);
    if (error == cudaSuccess)
        site->stream->conditions = memory + LEAD_BYTES;
    else
        (void)facade_stream_destroy(site->stream->handle);
    return error;
}

static cudaError_t make_site(struct facade_context *context, size_t room, struct site **made)
{
    struct site *site = calloc(1, sizeof *site);
    if (site == NULL || !facade_stack_push(context)) {
        free(site);
        return cudaErrorMemoryAllocation;
    }
    site->context = context;
    site->context_id = context->id;
    site->room = room > LEAST_ROOM ? room : LEAST_ROOM;
    const cudaError_t error = fill_site(site);
    site->generation = atomic_load(&context->generation);
    (void)facade_stack_pop();
    if (error == cudaSuccess)
        *made = site;
    else
        free(site);
    return error;
}

static cudaError_t find_site(struct facade_run *run, size_t room)
{
    if (facade_handle_find(FACADE_CONTEXT, run->context) == NULL)
        return cudaErrorContextIsDestroyed;
    if (run->site != NULL && is_live(run->site))
        return cudaSuccess;
    give_back(run->site);
    run->is_written = false;
    run->site = find_idle(run->context, room);
    return run->site != NULL ? cudaSuccess : make_site(run->context, room, &run->site);
}

static void let_go(struct facade_run *run)
{
    if (atomic_fetch_sub_explicit(&run->references, 1, memory_order_acq_rel) > 1)
        return;
    give_back(run->site);
    while (run->others != NULL) {
        struct site *other = run->others;
        run->others = other->next;
        give_back(other);
    }
    facade_conditions_let_go(run->source);
    free(run);
}

/* --- values ----------------------------------------------------------------------------------- */

/* One end is the values from first on. */
static cudaError_t copy_values(const struct facade_run *run, size_t first, size_t count,
                               uint32_t *host, bool is_read)
{
    const struct facade_stream *stream = run->site->stream;
    const size_t bytes = count * sizeof *host;
    const struct ocl_copy_end there = {stream->conditions + first * sizeof *host, bytes, bytes},
                              here = {(uintptr_t)host, bytes, bytes};
    const struct ocl_copy copy = {.source = is_read ? there : here,
                                  .target = is_read ? here : there,
                                  .width = bytes,
                                  .height = 1,
                                  .depth = 1};
    return facade_error_from(
        ocl_transfer_copy(stream->queue, &copy, is_read ? OCL_WAIT_ALL : OCL_WAIT_SOURCE),
        FACADE_OTHER);
}

static cudaError_t write_all(const struct launch *launch)
{
    const struct facade_conditions *conditions = launch->conditions;
    uint32_t *values = calloc(conditions->count + 1, sizeof *values);
    if (values == NULL)
        return cudaErrorMemoryAllocation;
    values[0] = (uint32_t)conditions->count;
    for (size_t i = 0; i < conditions->count; i++)
        values[i + 1] = conditions->list[i].has_start ? conditions->list[i].start : 0;
    const cudaError_t error = copy_values(launch->run, 0, conditions->count + 1, values, false);
    free(values);
    return error;
}

static cudaError_t write_starts(const struct launch *launch)
{
    const struct facade_conditions *conditions = launch->conditions;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < conditions->count; i++) {
        uint32_t value = conditions->list[i].start;
        if (conditions->list[i].has_start)
            error = copy_values(launch->run, i + 1, 1, &value, false);
    }
    return error;
}

static cudaError_t begin_values(const struct launch *launch)
{
    if (launch->run->is_written)
        return write_starts(launch);
    const cudaError_t error = write_all(launch);
    launch->run->is_written = error == cudaSuccess;
    return error;
}

static void settle(struct facade_context *context);

/* --- going through ---------------------------------------------------------------------------- */

/* What is left of a launch is left out when its context closes, or the process ends. */
static cudaError_t check_on(const struct launch *launch)
{
    return atomic_load(&launch->is_cancelled) || ocl_process_is_ending()
               ? cudaErrorContextIsDestroyed
               : facade_process_state();
}

static cudaError_t run_steps(struct launch *launch, const struct sequence *sequence);

/* What comes in the site's stream is behind all before it. */
static cudaError_t go_to(struct launch *launch, struct site *site)
{
    cudaError_t error = cudaSuccess;
    if (launch->at != site)
        error = facade_error_from(ocl_queue_finish(launch->at->stream->queue), FACADE_OTHER);
    launch->at = site;
    return error;
}

static cudaError_t run_conditional(struct launch *launch, const struct step *step)
{
    cudaError_t error = go_to(launch, launch->run->site);
    for (bool goes_on = true; goes_on && error == cudaSuccess;) {
        uint32_t value = 0;
        error = go_to(launch, launch->run->site);
        if (error == cudaSuccess)
            error = copy_values(launch->run, step->handle, 1, &value, true);
        const uint32_t body = step->type == cudaGraphCondTypeSwitch ? value : value == 0;
        const bool has_body = step->type == cudaGraphCondTypeWhile ? value != 0 : body < step->size;
        if (error == cudaSuccess && has_body)
            error = run_steps(launch, &step->bodies[body]);
        goes_on = has_body && step->type == cudaGraphCondTypeWhile;
    }
    return error;
}

/* One that went with its context is taken out. NULL: none yet. */
static struct site *known_other(struct facade_run *run, const struct facade_context *context)
{
    struct site *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct site **link = &run->others; found == NULL && *link != NULL;) {
        struct site *site = *link;
        if (is_live(site)) {
            found = site->context == context ? site : NULL;
            link = &site->next;
        } else {
            *link = site->next;
            free(site);
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* That context waits for this launch before it closes. */
static cudaError_t find_other(struct facade_run *run, struct facade_context *context,
                              struct site **found)
{
    *found = known_other(run, context);
    if (*found != NULL)
        return cudaSuccess;
    const cudaError_t error = make_site(context, 0, found);
    if (error != cudaSuccess)
        return error;
    atomic_store(&context->settle, settle);
    pthread_mutex_lock(&lock);
    (*found)->next = run->others;
    run->others = *found;
    const bool may = is_live(*found);
    pthread_mutex_unlock(&lock);
    return may ? cudaSuccess : cudaErrorContextIsDestroyed;
}

/* A node of another context than that of the conditions, as bodies have none. */
static cudaError_t run_elsewhere(struct launch *launch, const struct facade_work *work)
{
    struct site *site = NULL;
    cudaError_t error = facade_handle_find(FACADE_CONTEXT, work->context) != NULL
                            ? find_other(launch->run, work->context, &site)
                            : cudaErrorContextIsDestroyed;
    if (error == cudaSuccess)
        error = go_to(launch, site);
    if (error != cudaSuccess || !facade_stack_push(work->context))
        return error != cudaSuccess ? error : cudaErrorMemoryAllocation;
    error = work->kind->run(work, site->stream);
    (void)facade_stack_pop();
    return error;
}

static cudaError_t run_work(struct launch *launch, const struct facade_work *work)
{
    if (work->context != NULL && work->context->id != work->context_id)
        return cudaErrorContextIsDestroyed;
    if (work->context != NULL && work->context != launch->run->context)
        return run_elsewhere(launch, work);
    const cudaError_t error = go_to(launch, launch->run->site);
    return error == cudaSuccess ? work->kind->run(work, launch->run->site->stream) : error;
}

static cudaError_t run_steps(struct launch *launch, const struct sequence *sequence)
{
    cudaError_t error = check_on(launch);
    for (size_t i = 0; error == cudaSuccess && i < sequence->count; i++) {
        const struct step *step = &sequence->steps[i];
        error = step->work != NULL ? run_work(launch, step->work) : run_conditional(launch, step);
    }
    return error;
}

/* Nothing runs any more when it returns. */
static cudaError_t run_launch(struct launch *launch)
{
    const struct facade_run *run = launch->run;
    if (!facade_stack_push(run->context))
        return cudaErrorMemoryAllocation;
    launch->at = run->site;
    ocl_memory_find_freed(true);
    cudaError_t error = begin_values(launch);
    if (error == cudaSuccess)
        error = run_steps(launch, &launch->steps);
    ocl_memory_find_freed(false);
    const cudaError_t end =
        facade_error_from(ocl_queue_finish(launch->at->stream->queue), FACADE_OTHER);
    (void)facade_stack_pop();
    return error != cudaSuccess ? error : end;
}

/* --- turns ------------------------------------------------------------------------------------ */

static void end_launch(struct launch *launch)
{
    let_go(launch->run);
    drop_steps(&launch->steps);
    facade_conditions_let_go(launch->conditions);
}

/* False: the context closes, or has. */
static bool begin_turn(struct launch *launch)
{
    pthread_mutex_lock(&lock);
    const bool may = is_live(launch->run->site);
    if (may) {
        launch->next = active;
        active = launch;
    }
    pthread_mutex_unlock(&lock);
    return may;
}

static void end_turn(const struct launch *launch)
{
    pthread_mutex_lock(&lock);
    struct launch **link = &active;
    while (*link != launch)
        link = &(*link)->next;
    *link = launch->next;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

/* What it lets go of its context is still there meanwhile. */
static ocl_status take_turn(void *data, ocl_status failure)
{
    struct launch *launch = data;
    cudaError_t error = cudaSuccess;
    const bool may = begin_turn(launch);
    if (may && failure == OCL_OK)
        error = run_launch(launch);
    if (error != cudaSuccess && check_on(launch) != cudaSuccess)
        error = cudaSuccess;
    if (error != cudaSuccess)
        ocl_log(true, "a graph with conditional nodes ends with error %d", (int)error);
    end_launch(launch);
    if (may)
        end_turn(launch);
    free(launch);
    return error == cudaSuccess ? OCL_OK : OCL_E_EXECUTION;
}

/* Whether nodes of the launch may be given to the context. Lock held. */
static bool is_in(const struct launch *launch, const struct facade_context *context)
{
    const struct site *other = launch->run->others;
    while (other != NULL && other->context != context)
        other = other->next;
    return other != NULL || launch->run->context == context;
}

/* The context's first launch of all that it has left to go through. */
static struct launch *cancel_all(const struct facade_context *context)
{
    struct launch *found = NULL;
    for (struct launch *launch = active; launch != NULL; launch = launch->next) {
        if (is_in(launch, context)) {
            atomic_store(&launch->is_cancelled, true);
            found = launch;
        }
    }
    return found;
}

/* Before a context closes: none is gone through any more. What one of them may wait for is written by nobody. */
static void settle(struct facade_context *context)
{
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&lock);
    atomic_store(&context->settled, atomic_load(&context->generation));
    if (cancel_all(context) != NULL)
        ocl_values_end(atomic_load(&context->cl));
    while (cancel_all(context) != NULL)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(before, &(int){0});
}

/* --- what executable graphs call -------------------------------------------------------------- */

cudaError_t facade_run_make(struct facade_graph *graph, struct facade_conditions *source,
                            struct facade_run **run, struct facade_node **culprit)
{
    struct sequence steps = {0};
    cudaError_t error = make_steps(graph, &steps, culprit);
    drop_steps(&steps);
    if (error != cudaSuccess)
        return error;
    struct facade_run *made = calloc(1, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    atomic_init(&made->references, 1);
    made->source = facade_conditions_hold(source);
    made->context = source->list[0].context;
    atomic_store(&source->is_instantiated, true);
    *run = made;
    return cudaSuccess;
}

void facade_run_end(struct facade_run *run)
{
    if (run == NULL)
        return;
    atomic_store(&run->source->is_instantiated, false);
    let_go(run);
}

static cudaError_t make_launch(struct facade_run *run, const struct facade_graph *graph,
                               struct launch **made)
{
    struct facade_node *culprit = NULL;
    struct launch *launch = calloc(1, sizeof *launch);
    if (launch == NULL)
        return cudaErrorMemoryAllocation;
    launch->run = run;
    atomic_fetch_add_explicit(&run->references, 1, memory_order_relaxed);
    launch->conditions = facade_conditions_copy(graph->conditions);
    const cudaError_t error = launch->conditions != NULL
                                  ? make_steps(graph, &launch->steps, &culprit)
                                  : cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        *made = launch;
        return cudaSuccess;
    }
    end_launch(launch);
    free(launch);
    return error;
}

cudaError_t facade_run_launch(struct facade_run *run, const struct facade_graph *graph,
                              struct facade_stream *stream)
{
    struct launch *launch = NULL;
    cudaError_t error = find_site(run, graph->conditions->count);
    if (error == cudaSuccess)
        error = make_launch(run, graph, &launch);
    if (error != cudaSuccess)
        return error;
    atomic_store(&run->context->settle, settle);
    error = facade_error_from(ocl_queue_take_turn(stream->queue, take_turn, launch), FACADE_OTHER);
    if (error != cudaSuccess) {
        end_launch(launch);
        free(launch);
    }
    return error;
}
