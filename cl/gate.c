/* Gates, which hold a queue until a worker has reacted to an event: host functions, other contexts.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/managed_private.h"
#include "cl/ptx_runtime.h"
#include "cl/queue_private.h"

/* The user event always ends with CL_COMPLETE: drivers disagree about what a failed one does to the
 * commands behind it (PoCL's clFinish() returns success), so failures travel in the context
 * instead. */
struct gate {
    struct ocl_worker_task task;
    struct ocl_worker *worker;
    struct ocl_queue *queue; /* counted: a destroyed queue lives until its gates are open */
    cl_event event;          /* the user event that the queue waits for */
    cl_int status;           /* of the source */
    ocl_gate_function *function;
    void *data;
};

static void open_gate(struct gate *gate)
{
    clSetUserEventStatus(gate->event, CL_COMPLETE);
    clReleaseEvent(gate->event);
    ocl_queue_release(gate->queue);
    free(gate);
}

static void run_gate(struct ocl_worker_task *task)
{
    struct gate *gate = (struct gate *)task; /* its first member */

    gate->function(gate->data, gate->status);
    open_gate(gate);
}

static void CL_CALLBACK post_gate(cl_event event, cl_int status, void *data)
{
    struct gate *gate = data;

    (void)event;
    gate->status = status;
    ocl_worker_post(gate->worker, &gate->task);
}

static ocl_status make_gate(struct ocl_queue *queue, struct ocl_worker *worker, struct gate **gate)
{
    struct gate *made = calloc(1, sizeof *made);
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
    (void)ocl_queue_retain(queue);
    *gate = made;
    return OCL_OK;
}

ocl_status ocl_gate_hold(struct ocl_queue *queue, cl_event source, struct ocl_worker *worker,
                         ocl_gate_function *function, void *data)
{
    struct gate *gate;
    ocl_status status = ocl_worker_start(worker);

    if (status == OCL_OK)
        status = make_gate(queue, worker, &gate);
    if (status != OCL_OK)
        return status;
    gate->function = function;
    gate->data = data;
    status = ocl_queue_hold(queue, 1, &gate->event);
    if (status == OCL_OK)
        status = clSetEventCallback(source, CL_COMPLETE, post_gate, gate);
    if (status != OCL_OK)
        open_gate(gate);
    return status;
}

/* ---- Host functions ---- */

struct host_call {
    struct ocl_context *context;
    ocl_host_function *function;
    void *data;
    bool run_after_failure;
};

static void run_host_call(void *data, cl_int status)
{
    struct host_call *call = data;

    if (status < 0)
        (void)ocl_context_fail(call->context, status);
    const ocl_status failure = ocl_context_failure(call->context);
    if (failure == OCL_OK || call->run_after_failure) {
        ocl_runtime_after_wait(call->context); /* what kernels before it printed */
        ocl_migration_begin_function();
        call->function(call->data, failure);
        ocl_migration_end_function(call->context);
    }
    free(call);
}

static struct host_call *make_host_call(struct ocl_context *context, ocl_host_function *function,
                                        void *data, bool run_after_failure)
{
    struct host_call *call = malloc(sizeof *call);

    if (call)
        *call = (struct host_call){context, function, data, run_after_failure};
    return call;
}

ocl_status ocl_queue_host_function(struct ocl_queue *queue, ocl_host_function *function, void *data,
                                   bool run_after_failure)
{
    struct ocl_context *context = queue->context;
    struct host_call *call = make_host_call(context, function, data, run_after_failure);
    uint64_t position;
    cl_event before;

    if (!call)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = ocl_queue_order(queue);
    if (status == OCL_OK)
        status = ocl_queue_mark(queue, &before, &position);
    if (status == OCL_OK) {
        status = ocl_gate_hold(queue, before, context->host_functions, run_host_call, call);
        clReleaseEvent(before);
    }
    if (status != OCL_OK)
        free(call);
    return status;
}
