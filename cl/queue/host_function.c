/* Functions of the host that have a turn in a queue.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

#include "cl/check.h"
#include "cl/queue/queue_private.h"
#include "cl/queue/waited.h"
#include "cl/state/failure.h"
#include "cl/state/paging.h"
#include "cl/thread.h"

struct host_call {
    struct ocl_context *context;
    ocl_host_function *function;
    void *data;
    bool run_after_failure;
    uint64_t point; /* streams.h: where it has its turn; 0: the checks need not know */
};

static void end_host_call(void *data)
{
    struct host_call *call = data;

    call->context->paging->end_function();
    free(call);
}

static void run_host_call(void *data, cl_int status)
{
    struct host_call *call = data;

    if (status < 0)
        (void)ocl_context_fail(call->context, status);
    ocl_stream_see(call->point);
    ocl_stream_forget(call->point);
    const ocl_status failure = ocl_waited(call->context, OCL_WAITED_IN_TURN, OCL_OK);
    if (failure == OCL_OK || call->run_after_failure) {
        call->context->paging->begin_function();
        pthread_cleanup_push(end_host_call, call);
        call->function(call->data, failure);
        pthread_cleanup_pop(1);
    } else {
        free(call);
    }
}

static struct host_call *make_host_call(struct ocl_context *context, ocl_host_function *function,
                                        void *data, bool run_after_failure)
{
    struct host_call *call = malloc(sizeof *call);

    if (call)
        *call = (struct host_call){context, function, data, run_after_failure, 0};
    return call;
}

/* Takes over the call, which comes from malloc(), if there is no error. */
static ocl_status give_turn(struct ocl_queue *queue, struct ocl_worker *worker,
                            ocl_gate_function *function, void *call)
{
    uint64_t position;
    cl_event before;

    if (!call)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = ocl_queue_order(queue);
    if (status == OCL_OK)
        status = ocl_queue_mark(queue, &before, &position);
    if (status == OCL_OK) {
        status = ocl_gate_hold(queue, queue->context, before, worker, function, call);
        clReleaseEvent(before);
    }
    if (status != OCL_OK)
        free(call);
    return status;
}

static ocl_status call_in_turn(struct ocl_queue *queue, struct ocl_worker *worker,
                               ocl_host_function *function, void *data, bool run_after_failure)
{
    return give_turn(queue, worker, run_host_call,
                     make_host_call(queue->context, function, data, run_after_failure));
}

/* It may wait for whatever the program likes, and whoever waits for it knows what came before. */
static void tell_checks(struct ocl_queue *queue, struct host_call *call)
{
    static _Atomic uint64_t last;
    const struct ocl_stream stream = ocl_queue_stream(queue);

    call->point = OCL_STREAM_FUNCTION + atomic_fetch_add(&last, 1);
    ocl_stream_record(&stream, call->point);
    ocl_stream_doubt(&stream);
}

ocl_status ocl_queue_host_function(struct ocl_queue *queue, ocl_host_function *function, void *data,
                                   bool run_after_failure)
{
    struct host_call *call = make_host_call(queue->context, function, data, run_after_failure);

    if (call && ocl_check_wants(OCL_CHECK_RACE))
        tell_checks(queue, call);
    return give_turn(queue, queue->context->host_functions, run_host_call, call);
}

/* The queue's own worker, made at the first need. */
static ocl_status find_turns(struct ocl_queue *queue, struct ocl_worker **worker)
{
    ocl_status status = OCL_OK;

    pthread_mutex_lock(&queue->lock);
    if (!queue->turns)
        status = ocl_worker_create(&queue->turns);
    *worker = queue->turns;
    pthread_mutex_unlock(&queue->lock);
    return status;
}

ocl_status ocl_queue_in_turn(struct ocl_queue *queue, ocl_host_function *function, void *data)
{
    struct ocl_worker *worker;
    const ocl_status status = find_turns(queue, &worker);

    return status == OCL_OK ? call_in_turn(queue, worker, function, data, true) : status;
}

/* ---- Turns ---- */

struct turn_call {
    struct ocl_context *context;
    ocl_turn_function *function;
    void *data;
};

static void run_turn_call(void *data, cl_int status)
{
    struct turn_call *call = data;

    if (status < 0)
        (void)ocl_context_fail(call->context, status);
    ocl_thread()->in_turn = true;
    const ocl_status failure = call->function(call->data, ocl_context_failure(call->context));
    ocl_thread()->in_turn = false;
    if (failure != OCL_OK)
        (void)ocl_context_fail(call->context, failure);
    free(call);
}

ocl_status ocl_queue_take_turn(struct ocl_queue *queue, ocl_turn_function *function, void *data)
{
    struct ocl_worker *worker;
    const ocl_status status = find_turns(queue, &worker);

    if (status != OCL_OK)
        return status;
    struct turn_call *call = malloc(sizeof *call);
    if (call)
        *call = (struct turn_call){queue->context, function, data};
    return give_turn(queue, worker, run_turn_call, call);
}
