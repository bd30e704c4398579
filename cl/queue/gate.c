/* Gates, which hold a queue until a worker has reacted to an event.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

#include "cl/base/steady.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"

/* How often the driver is asked to open a gate before it counts as stuck. */
enum { OPEN_TRIES = 3 };

/* The user event always ends with CL_COMPLETE: drivers disagree about what a failed one does to the
 * commands behind it (PoCL's clFinish() returns success), so failures travel in the context
 * instead. */
struct ocl_gate {
    struct ocl_worker_task task;
    struct ocl_worker *worker;
    struct ocl_queue *queue;        /* counted: a destroyed queue lives until its gates are open */
    struct ocl_context *context;    /* the queue's */
    const struct ocl_context *from; /* the source's; compared only */
    cl_event event;                 /* the user event that the queue waits for */
    cl_int status;                  /* of the source */
    ocl_gate_function *function;
    void *data;
    int holders; /* the task, and the driver while it may call back; the last one frees it (wait_lock) */
    bool is_posted;                   /* (wait_lock) */
    bool is_kept;                     /* function does not open it: ocl_gate_open() does */
    bool is_stuck;                    /* the driver has refused to open it (wait_lock) */
    struct ocl_gate *next, *previous; /* all closed ones, thousands at times (wait_lock) */
};

/* ---- Waiting at closed gates ---- */

/* What a wait and the callback that ends it share; the last of the two frees it (wait_lock). */
struct gate_wait {
    int holders;
    bool is_over;
};

/* Of all contexts: a callback may come when its context is gone. Waits are few and short-lived. */
static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wait_changed = PTHREAD_COND_INITIALIZER;

/* Wait lock held. */
static void let_go(struct gate_wait *wait)
{
    if (--wait->holders == 0)
        free(wait);
}

static void CL_CALLBACK end_wait(cl_event event, cl_int status, void *data)
{
    struct gate_wait *wait = data;

    (void)event;
    (void)status;
    pthread_mutex_lock(&wait_lock);
    wait->is_over = true;
    let_go(wait);
    pthread_cond_broadcast(&wait_changed);
    pthread_mutex_unlock(&wait_lock);
}

static void wait_or_abandon(const struct ocl_context *context, struct gate_wait *wait)
{
    pthread_mutex_lock(&wait_lock);
    while (!wait->is_over && !atomic_load(&context->is_abandoned))
        ocl_steady_wait(&wait_changed, &wait_lock);
    let_go(wait);
    pthread_mutex_unlock(&wait_lock);
}

ocl_status ocl_gate_await(struct ocl_context *context, cl_event event)
{
    struct gate_wait *wait = malloc(sizeof *wait);

    if (!wait)
        return OCL_E_OUT_OF_MEMORY;
    *wait = (struct gate_wait){.holders = 2};
    const cl_int error = clSetEventCallback(event, CL_COMPLETE, end_wait, wait);
    if (error != CL_SUCCESS) {
        free(wait);
        return error;
    }
    wait_or_abandon(context, wait);
    if (atomic_load(&context->is_abandoned))
        return ocl_context_fail(context, OCL_E_EXECUTION);
    return ocl_steady_event(event);
}

ocl_status ocl_gate_pass(struct ocl_queue *queue)
{
    uint64_t covered;

    return atomic_load(&queue->context->gates) == 0 ? OCL_OK
                                                    : ocl_queue_wait_at_mark(queue, &covered);
}

/* ---- Gates ---- */

static struct ocl_gate *closed_gates;

static void list_gate(struct ocl_gate *gate)
{
    pthread_mutex_lock(&wait_lock);
    gate->next = closed_gates;
    gate->previous = NULL;
    if (gate->next)
        gate->next->previous = gate;
    closed_gates = gate;
    pthread_mutex_unlock(&wait_lock);
}

/* Wait lock held. */
static void unlist_gate(const struct ocl_gate *gate)
{
    if (gate == closed_gates)
        closed_gates = gate->next;
    else
        gate->previous->next = gate->next;
    if (gate->next)
        gate->next->previous = gate->previous;
}

/* Wait lock held. */
static void drop_gate(struct ocl_gate *gate)
{
    if (--gate->holders == 0)
        free(gate);
}

/* The source's status is known, or will never be. Wait lock held. */
static void post(struct ocl_gate *gate, cl_int status)
{
    if (gate->is_posted)
        return;
    gate->is_posted = true;
    gate->status = status;
    ocl_worker_post(gate->worker, &gate->task);
}

void ocl_gate_open_all(const struct ocl_context *context, cl_int status)
{
    pthread_mutex_lock(&wait_lock);
    for (struct ocl_gate *gate = closed_gates; gate; gate = gate->next) {
        if (gate->from == context && gate->holders > 1) /* who makes it has not asked yet */
            post(gate, status);
    }
    pthread_cond_broadcast(&wait_changed);
    pthread_mutex_unlock(&wait_lock);
}

/* The driver's queues keep what waits for the gate for ever: nobody may wait for them any more, and gates whose sources are
 * among that, of whatever context, are opened without them. */
static void abandon(struct ocl_context *context)
{
    atomic_store(&context->is_abandoned, true); /* before: who sees the failure sees this too */
    (void)ocl_context_fail(context, OCL_E_EXECUTION);
    ocl_gate_open_all(context, OCL_E_EXECUTION);
}

/* A call that was refused for want of memory may do better the next time, and one that did its work and failed behind it
 * cannot do that again. */
static bool set_open(cl_event event)
{
    cl_int error = clSetUserEventStatus(event, CL_COMPLETE);

    for (int i = 1; i < OPEN_TRIES && error != CL_SUCCESS && error != CL_INVALID_OPERATION; i++)
        error = clSetUserEventStatus(event, CL_COMPLETE);
    return error == CL_SUCCESS || error == CL_INVALID_OPERATION;
}

/* The gate's event is set, or nobody will try to any more. */
static void end_gate(struct ocl_gate *gate)
{
    clReleaseEvent(gate->event);
    pthread_mutex_lock(&wait_lock);
    unlist_gate(gate);
    drop_gate(gate);
    pthread_mutex_unlock(&wait_lock);
}

static void leave_closed(struct ocl_gate *gate)
{
    struct ocl_context *context = gate->context;

    pthread_mutex_lock(&wait_lock);
    gate->is_stuck = true;
    pthread_mutex_unlock(&wait_lock);
    abandon(context);
}

static void open_gate(void *data)
{
    struct ocl_gate *gate = data;
    struct ocl_queue *queue = gate->queue;

    /* One that stays closed stays counted: who looks whether any is closed goes on to wait in the driver, for ever. */
    if (set_open(gate->event)) {
        atomic_fetch_sub(&gate->context->gates, 1);
        end_gate(gate);
    } else {
        leave_closed(gate);
    }
    ocl_queue_release(queue);
}

static struct ocl_gate *take_stuck(const struct ocl_context *context)
{
    pthread_mutex_lock(&wait_lock);
    struct ocl_gate *gate = closed_gates;
    while (gate && !(gate->is_stuck && gate->context == context))
        gate = gate->next;
    if (gate)
        gate->is_stuck = false;
    pthread_mutex_unlock(&wait_lock);
    return gate;
}

bool ocl_gate_open_stuck(struct ocl_context *context)
{
    struct ocl_gate *gate;

    while ((gate = take_stuck(context)) != NULL) {
        if (set_open(gate->event))
            atomic_fetch_sub(&context->gates, 1);
        end_gate(gate);
    }
    return atomic_load(&context->gates) == 0;
}

static void run_gate(struct ocl_worker_task *task)
{
    struct ocl_gate *gate = (struct ocl_gate *)task; /* its first member */

    if (gate->is_kept) {
        gate->function(gate->data, gate->status);
        return;
    }
    /* A function that ends its thread has returned. */
    pthread_cleanup_push(open_gate, gate);
    gate->function(gate->data, gate->status);
    pthread_cleanup_pop(1);
}

static void CL_CALLBACK post_gate(cl_event event, cl_int status, void *data)
{
    struct ocl_gate *gate = data;

    (void)event;
    pthread_mutex_lock(&wait_lock);
    post(gate, status);
    drop_gate(gate);
    pthread_mutex_unlock(&wait_lock);
}

static ocl_status make_gate(struct ocl_queue *queue, struct ocl_worker *worker,
                            struct ocl_gate **gate)
{
    struct ocl_gate *made = calloc(1, sizeof *made);
    cl_int error;

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->event = clCreateUserEvent(queue->context->cl, &error);
    if (error != CL_SUCCESS) {
        free(made);
        return error;
    }
    made->task.function = run_gate;
    made->worker = worker;
    made->queue = queue;
    made->context = queue->context;
    (void)ocl_queue_retain(queue);
    atomic_fetch_add(&queue->context->gates, 1);
    made->holders = 1;
    list_gate(made);
    *gate = made;
    return OCL_OK;
}

/* A source of a context that was abandoned may never end, and nobody opens the gate then. */
static ocl_status watch_source(struct ocl_gate *gate, cl_event source)
{
    pthread_mutex_lock(&wait_lock);
    const bool is_abandoned = atomic_load(&gate->from->is_abandoned);
    if (!is_abandoned)
        gate->holders++;
    pthread_mutex_unlock(&wait_lock);
    if (is_abandoned)
        return ocl_context_fail(gate->queue->context, OCL_E_EXECUTION);
    const ocl_status status = clSetEventCallback(source, CL_COMPLETE, post_gate, gate);
    if (status == OCL_OK)
        return OCL_OK;
    pthread_mutex_lock(&wait_lock);
    const bool is_posted = gate->is_posted; /* abandoned meanwhile: the worker opens it */
    if (is_posted)
        drop_gate(gate);
    else
        gate->holders--; /* who made it still holds it */
    pthread_mutex_unlock(&wait_lock);
    return is_posted ? OCL_OK : status;
}

/* kept: NULL for a gate that opens when function has returned. */
static ocl_status hold(struct ocl_queue *queue, const struct ocl_context *from, cl_event source,
                       struct ocl_worker *worker, ocl_gate_function *function, void *data,
                       struct ocl_gate **kept)
{
    struct ocl_gate *gate;
    ocl_status status = ocl_worker_start(worker);

    if (status == OCL_OK)
        status = make_gate(queue, worker, &gate);
    if (status != OCL_OK)
        return status;
    gate->from = from;
    gate->function = function;
    gate->data = data;
    gate->is_kept = kept != NULL;
    if (kept)
        *kept = gate;
    status = ocl_queue_hold(queue, 1, &gate->event);
    if (status == OCL_OK)
        status = watch_source(gate, source);
    if (status != OCL_OK)
        open_gate(gate);
    return status;
}

ocl_status ocl_gate_source(struct ocl_queue *queue, cl_event *source)
{
    uint64_t position;
    ocl_status status = ocl_queue_order(queue);

    if (status == OCL_OK)
        status = ocl_queue_open(queue);
    return status == OCL_OK ? ocl_queue_mark(queue, source, &position) : status;
}

ocl_status ocl_gate_hold(struct ocl_queue *queue, const struct ocl_context *from, cl_event source,
                         struct ocl_worker *worker, ocl_gate_function *function, void *data)
{
    return hold(queue, from, source, worker, function, data, NULL);
}

ocl_status ocl_gate_keep(struct ocl_queue *queue, cl_event source, ocl_gate_function *function,
                         void *data, struct ocl_gate **gate)
{
    return hold(queue, queue->context, source, queue->context->bridge, function, data, gate);
}

void ocl_gate_open(struct ocl_gate *gate)
{
    open_gate(gate);
}

/* The worker goes when its only task is over. */
static void run_gate_alone(struct ocl_worker_task *task)
{
    struct ocl_gate *gate = (struct ocl_gate *)task;
    struct ocl_worker *worker = gate->worker;

    run_gate(task);
    ocl_worker_destroy(worker);
}

ocl_status ocl_gate_hold_until(struct ocl_queue *queue, ocl_gate_function *function, void *data)
{
    struct ocl_worker *worker;
    struct ocl_gate *gate = NULL;
    ocl_status status = ocl_worker_create(&worker);

    if (status != OCL_OK)
        return status;
    status = ocl_worker_start(worker);
    if (status == OCL_OK)
        status = make_gate(queue, worker, &gate);
    if (status == OCL_OK) {
        gate->task.function = run_gate_alone;
        gate->from = queue->context;
        gate->function = function;
        gate->data = data;
        status = ocl_queue_hold(queue, 1, &gate->event);
    }
    if (status == OCL_OK) {
        pthread_mutex_lock(&wait_lock);
        post(gate, CL_COMPLETE);
        pthread_mutex_unlock(&wait_lock);
        return OCL_OK;
    }
    if (gate)
        open_gate(gate);
    ocl_worker_destroy(worker);
    return status;
}
