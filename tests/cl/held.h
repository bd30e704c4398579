/* For tests of queues: commands that stay where they are until they are let go, and small work.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CL_HELD_H
#define TESTS_CL_HELD_H

#include <sched.h>

#include "cl/memory/allocation.h"
#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"
#include "tests/test.h"

static inline struct ocl_context *open_context(void)
{
    struct ocl_context *context = NULL;

    assert_int_equal(ocl_context_open(0, &context), OCL_OK);
    return context;
}

static inline struct ocl_queue *make_queue(struct ocl_context *context, enum ocl_queue_kind kind)
{
    struct ocl_queue *queue = NULL;

    assert_int_equal(ocl_queue_create(context, kind, 0, &queue), OCL_OK);
    return queue;
}

/* Everything submitted to queue after this waits for let_go(). */
static inline cl_event hold(struct ocl_queue *queue)
{
    cl_int error;
    struct ocl_command command;
    cl_event gate = clCreateUserEvent(queue->context->cl, &error);

    assert_int_equal(error, CL_SUCCESS);
    assert_int_equal(ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY), OCL_OK);
    assert_int_equal(ocl_enqueue_barrier(&command, 1, &gate), CL_SUCCESS);
    ocl_command_end(&command);
    return gate;
}

static inline void let_go(cl_event gate)
{
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(gate);
}

/* Integers on the device. */
static inline cl_mem make_cells(struct ocl_context *context, size_t count)
{
    cl_int error;
    int *zeros = calloc(count, sizeof *zeros);
    cl_mem cells = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                  count * sizeof *zeros, zeros, &error);

    free(zeros);
    assert_int_equal(error, CL_SUCCESS);
    return cells;
}

/* Writes *value, which must live until the queue has done it. event may be NULL. */
static inline void put_with_event(struct ocl_queue *queue, cl_mem cells, size_t index,
                                  const int *value, cl_event *event)
{
    struct ocl_command command;

    assert_int_equal(ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY), OCL_OK);
    assert_int_equal(ocl_enqueue_write(&command, cells, false, index * sizeof *value, sizeof *value,
                                       value, event),
                     CL_SUCCESS);
    ocl_command_end(&command);
}

static inline void put(struct ocl_queue *queue, cl_mem cells, size_t index, const int *value)
{
    put_with_event(queue, cells, index, value, NULL);
}

/* Copies cell from to cell to. event may be NULL. */
static inline void copy(struct ocl_queue *queue, cl_mem cells, size_t from, size_t to,
                        cl_event *event)
{
    struct ocl_command command;

    assert_int_equal(ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY), OCL_OK);
    assert_int_equal(ocl_enqueue_copy(&command, cells, cells, from * sizeof(int), to * sizeof(int),
                                      sizeof(int), event),
                     CL_SUCCESS);
    ocl_command_end(&command);
}

/* Reads a cell past every queue of ours: only for cells whose writers are known to be complete. */
static inline int look(struct ocl_context *context, cl_mem cells, size_t index)
{
    cl_int error;
    int value = -1;
    cl_command_queue cl = ocl_queue_make(context, 0, false, &error);

    assert_non_null(cl);
    assert_int_equal(clEnqueueReadBuffer(cl, cells, CL_TRUE, index * sizeof value, sizeof value,
                                         &value, 0, NULL, NULL),
                     CL_SUCCESS);
    clReleaseCommandQueue(cl);
    return value;
}

/* Gives the device every chance to run what it may run: work of an independent queue goes through
 * many times. */
static inline void let_others_run(struct ocl_context *context)
{
    struct ocl_queue *other = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    cl_mem cell = make_cells(context, 1);
    const int value = 1;

    for (int i = 0; i < 50; i++) {
        put(other, cell, 0, &value);
        assert_int_equal(ocl_queue_finish(other), OCL_OK);
        sched_yield();
    }
    ocl_queue_destroy(other);
    clReleaseMemObject(cell);
}

static inline void assert_waits(struct ocl_context *context, cl_event event)
{
    let_others_run(context);
    assert_true(ocl_event_state(event) > CL_COMPLETE);
}

/* Asks until the answer is another one than "not ready". */
static inline ocl_status poll_queue(struct ocl_queue *queue)
{
    ocl_status status;

    while ((status = ocl_queue_query(queue)) == OCL_E_NOT_READY)
        sched_yield();
    return status;
}

static inline ocl_status poll_until_complete(struct ocl_event *event)
{
    ocl_status status;

    while ((status = ocl_event_query(event)) == OCL_E_NOT_READY)
        sched_yield();
    return status;
}

#endif
