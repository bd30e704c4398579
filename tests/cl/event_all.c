/* Tests of cl/queue/event_all.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/event.h"
#include "tests/cl/held.h"

static struct ocl_event *make_event(struct ocl_context *context)
{
    struct ocl_event *event = NULL;

    assert_int_equal(ocl_event_create(context, false, &event), OCL_OK);
    return event;
}

/* The point is behind the work of queues of every kind, and of none that comes later. */
TEST_BODY(event_all_is_behind_every_queue)
{
    static const enum ocl_queue_kind kinds[] = {OCL_QUEUE_BLOCKING, OCL_QUEUE_NON_BLOCKING};

    for (int i = 0; i < 3; i++) {
        struct ocl_context *context = open_context();
        struct ocl_event *event = make_event(context);
        struct ocl_queue *busy = i < 2 ? make_queue(context, kinds[i]) : ocl_queue_legacy(context);
        struct ocl_queue *later = make_queue(context, OCL_QUEUE_NON_BLOCKING);
        const cl_event gate = hold(busy);

        assert_int_equal(ocl_event_record_all(event), OCL_OK);
        assert_int_equal(ocl_event_query(event), OCL_E_NOT_READY);
        const cl_event second = hold(later);
        let_go(gate);
        assert_int_equal(ocl_event_wait(event), OCL_OK);
        let_go(second);
        ocl_event_destroy(event);
        ocl_context_close(context);
    }
}

TEST_BODY(event_all_of_an_idle_context_is_complete)
{
    struct ocl_context *context = open_context();
    struct ocl_event *event = make_event(context);

    assert_int_equal(ocl_event_record_all(event), OCL_OK);
    assert_int_equal(ocl_event_query(event), OCL_OK);
    assert_true(ocl_event_is_recorded(event));
    ocl_event_destroy(event);
    ocl_context_close(context);
}

/* Queues that are there and queues that are made later wait; the event may be of another context. */
TEST_BODY(event_all_holds_every_queue)
{
    for (int is_foreign = 0; is_foreign < 2; is_foreign++) {
        struct ocl_context *context = open_context();
        struct ocl_context *source = is_foreign ? open_context() : context;
        struct ocl_queue *busy = make_queue(source, OCL_QUEUE_NON_BLOCKING);
        struct ocl_queue *early = make_queue(context, OCL_QUEUE_NON_BLOCKING);
        struct ocl_event *event = make_event(source);
        cl_mem cells = make_cells(context, 2);
        const int value = 5;
        cl_event first, second;
        const cl_event gate = hold(busy);

        assert_int_equal(ocl_event_record(event, busy), OCL_OK);
        assert_int_equal(ocl_event_wait_in_all(event, context), OCL_OK);
        struct ocl_queue *late = make_queue(context, OCL_QUEUE_NON_BLOCKING);
        put_with_event(early, cells, 0, &value, &first);
        put_with_event(late, cells, 1, &value, &second);
        for (int i = 0; i < 20; i++)
            sched_yield();
        assert_true(ocl_event_state(first) > CL_COMPLETE);
        assert_true(ocl_event_state(second) > CL_COMPLETE);
        let_go(gate);
        assert_int_equal(ocl_queue_finish(early), OCL_OK);
        assert_int_equal(ocl_queue_finish(late), OCL_OK);
        assert_int_equal(look(context, cells, 0), 5);
        assert_int_equal(look(context, cells, 1), 5);
        clReleaseEvent(first);
        clReleaseEvent(second);
        clReleaseMemObject(cells);
        ocl_event_destroy(event);
        ocl_context_close(context);
        if (is_foreign)
            ocl_context_close(source);
    }
}

/* What reads for the host's sake what kernels have printed may be needed before the context can go on. */
TEST_BODY(event_all_does_not_hold_queues_apart)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *busy = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *apart = make_queue(context, OCL_QUEUE_APART);
    struct ocl_event *event = make_event(context);
    cl_mem cells = make_cells(context, 1);
    const int value = 5;
    const cl_event gate = hold(busy);

    assert_int_equal(ocl_event_record(event, busy), OCL_OK);
    assert_int_equal(ocl_event_wait_in_all(event, context), OCL_OK);
    assert_true(ocl_queue_is_idle(apart));
    put(apart, cells, 0, &value);
    assert_int_equal(ocl_queue_finish(apart), OCL_OK);
    let_go(gate);
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    clReleaseMemObject(cells);
    ocl_event_destroy(event);
    ocl_queue_destroy(apart);
    ocl_queue_destroy(busy);
    ocl_context_close(context);
}
