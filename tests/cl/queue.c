/* Tests of cl/queue/queue.c, cl/queue/queue_order.c and cl/queue/gate.c. This program stands between cl/ and the OpenCL loader
 * in one function, to refuse the opening of gates.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "tests/cl/held.h"

static const int one = 1, two = 2, three = 3;

TEST_BODY(queue_fresh_one_is_idle)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *legacy = ocl_queue_legacy(context);
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);

    assert_ptr_equal(ocl_queue_context(queue), context);
    assert_true(ocl_queue_is_idle(queue));
    assert_true(ocl_queue_is_idle(legacy));
    assert_int_equal(ocl_queue_query(queue), OCL_OK);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(ocl_queue_finish(legacy), OCL_OK);
    assert_int_equal(ocl_queue_flush(queue), OCL_OK);
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    ocl_queue_destroy(queue);
    ocl_queue_destroy(NULL);
    ocl_context_close(context);
}

TEST_BODY(queue_priorities_are_hints)
{
    struct ocl_context *context = open_context();

    for (int priority = -5; priority <= 5; priority += 5) {
        struct ocl_queue *queue = NULL;
        assert_int_equal(ocl_queue_create(context, OCL_QUEUE_NON_BLOCKING, priority, &queue),
                         OCL_OK);
        ocl_queue_destroy(queue);
    }
    ocl_context_close(context);
}

TEST_BODY(queue_query_and_finish_follow_the_work)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    cl_mem cells = make_cells(context, 1);
    cl_event gate = hold(queue);

    put(queue, cells, 0, &one);
    assert_false(ocl_queue_is_idle(queue));
    assert_int_equal(ocl_queue_query(queue), OCL_E_NOT_READY);
    assert_int_equal(ocl_queue_query(queue),
                     OCL_E_NOT_READY); /* looks at the marker of the first */
    put(queue, cells, 0, &two);
    assert_int_equal(ocl_queue_query(queue), OCL_E_NOT_READY);
    let_go(gate);
    assert_int_equal(poll_queue(queue), OCL_OK);
    assert_true(ocl_queue_is_idle(queue));
    assert_int_equal(look(context, cells, 0), 2);

    put(queue, cells, 0, &three);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_true(ocl_queue_is_idle(queue));
    assert_int_equal(look(context, cells, 0), 3);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

TEST_BODY(queue_waits_for_every_command)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    cl_mem cells = make_cells(context, 1);

    for (int round = 1; round <= 20; round++) {
        put(queue, cells, 0, &round);
        assert_int_equal(ocl_queue_finish(queue), OCL_OK);
        assert_true(ocl_queue_is_idle(queue));
        assert_int_equal(look(context, cells, 0), round);
    }
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

/* ---- Legacy and blocking queues ---- */

/* first is held with a write in it; the copy in second must wait for it exactly when waits. */
static void check_pair(struct ocl_queue *first, struct ocl_queue *second, bool waits)
{
    struct ocl_context *context = first->context;
    cl_mem cells = make_cells(context, 2);
    cl_event gate = hold(first), copied;

    put(first, cells, 0, &one);
    copy(second, cells, 0, 1, &copied);
    if (waits)
        assert_waits(context, copied);
    else
        assert_int_equal(clWaitForEvents(1, &copied), CL_SUCCESS);
    let_go(gate);
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    assert_int_equal(look(context, cells, 1), waits ? 1 : 0);
    clReleaseEvent(copied);
    clReleaseMemObject(cells);
}

TEST_BODY(queue_legacy_waits_for_blocking)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);

    for (int round = 0; round < 3; round++)
        check_pair(queue, ocl_queue_legacy(context), true);
    ocl_context_close(context);
}

TEST_BODY(queue_blocking_waits_for_legacy)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);

    for (int round = 0; round < 3; round++)
        check_pair(ocl_queue_legacy(context), queue, true);
    ocl_context_close(context);
}

TEST_BODY(queue_new_blocking_waits_for_earlier_legacy_work)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *legacy = ocl_queue_legacy(context);
    cl_mem cells = make_cells(context, 2);
    cl_event gate = hold(legacy), copied;

    put(legacy, cells, 0, &one);
    copy(make_queue(context, OCL_QUEUE_BLOCKING), cells, 0, 1, &copied);
    assert_waits(context, copied);
    let_go(gate);
    assert_int_equal(clWaitForEvents(1, &copied), CL_SUCCESS);
    assert_int_equal(look(context, cells, 1), 1);
    clReleaseEvent(copied);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

TEST_BODY(queue_independent_ones_do_not_wait)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *legacy = ocl_queue_legacy(context);
    struct ocl_queue *first = make_queue(context, OCL_QUEUE_BLOCKING);
    struct ocl_queue *second = make_queue(context, OCL_QUEUE_BLOCKING);
    struct ocl_queue *alone = make_queue(context, OCL_QUEUE_NON_BLOCKING);

    check_pair(first, second, false);
    check_pair(first, alone, false);
    check_pair(alone, first, false);
    check_pair(legacy, alone, false);
    check_pair(alone, legacy, false);
    ocl_context_close(context);
}

TEST_BODY(queue_finish_of_independent_does_not_wait)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *alone = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *blocking = make_queue(context, OCL_QUEUE_BLOCKING);
    cl_mem cells = make_cells(context, 1);
    cl_event gate = hold(alone);

    put(ocl_queue_legacy(context), cells, 0, &one);
    put(blocking, cells, 0, &two);
    assert_int_equal(ocl_queue_finish(ocl_queue_legacy(context)), OCL_OK); /* would hang */
    assert_int_equal(ocl_queue_finish(blocking), OCL_OK);
    assert_true(ocl_queue_is_idle(blocking));
    assert_true(ocl_queue_is_idle(ocl_queue_legacy(context)));
    assert_int_equal(ocl_queue_query(ocl_queue_legacy(context)), OCL_OK);
    let_go(gate);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

/* More queues than one barrier takes; each has work of its own. */
TEST_BODY(queue_legacy_waits_for_many_blocking)
{
    enum { COUNT = 40 };
    struct ocl_context *context = open_context();
    struct ocl_queue *legacy = ocl_queue_legacy(context);
    struct ocl_queue *queues[COUNT];
    cl_event gates[COUNT], copied[COUNT];
    cl_mem cells = make_cells(context, 2 * COUNT);

    for (size_t i = 0; i < COUNT; i++) {
        queues[i] = make_queue(context, OCL_QUEUE_BLOCKING);
        gates[i] = hold(queues[i]);
        put(queues[i], cells, i, &one);
    }
    for (size_t i = 0; i < COUNT; i++)
        copy(legacy, cells, i, COUNT + i, &copied[i]);
    for (size_t i = COUNT;
         i-- > 1;) /* the newest first: the oldest is what the last barrier waits for */
        let_go(gates[i]);
    assert_waits(context, copied[0]);
    let_go(gates[0]);
    assert_int_equal(ocl_queue_finish(legacy), OCL_OK);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(look(context, cells, COUNT + i), 1);
        clReleaseEvent(copied[i]);
        ocl_queue_destroy(queues[i]);
    }
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

/* Every barrier counts as a command, so the counters tell how many were made. */
TEST_BODY(queue_orders_only_when_there_is_news)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *legacy = ocl_queue_legacy(context);
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    cl_mem cells = make_cells(context, 4);

    cl_event gate = hold(queue);
    assert_int_equal(atomic_load(&queue->submitted), 1);
    put(legacy, cells, 0, &one); /* a barrier and the write */
    assert_int_equal(atomic_load(&legacy->submitted), 2);
    put(legacy, cells, 1, &one); /* the write alone */
    assert_int_equal(atomic_load(&legacy->submitted), 3);
    put(queue, cells, 2, &one); /* a barrier and the write */
    assert_int_equal(atomic_load(&queue->submitted), 3);
    put(queue, cells, 3, &one);
    assert_int_equal(atomic_load(&queue->submitted), 4);
    let_go(gate);

    /* What is known to be complete needs no barrier. */
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    put(legacy, cells, 0, &one);
    assert_int_equal(atomic_load(&legacy->submitted), 4);
    assert_int_equal(ocl_queue_finish(legacy), OCL_OK);
    put(queue, cells, 0, &one);
    assert_int_equal(atomic_load(&queue->submitted), 5);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

TEST_BODY(queue_idle_looks_at_the_other_side)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *legacy = ocl_queue_legacy(context);
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct ocl_queue *alone = make_queue(context, OCL_QUEUE_NON_BLOCKING);

    cl_event gate = hold(queue);
    assert_false(ocl_queue_is_idle(legacy));
    assert_true(ocl_queue_is_idle(alone));
    assert_int_equal(ocl_queue_query(legacy), OCL_E_NOT_READY);
    let_go(gate);
    assert_int_equal(poll_queue(legacy), OCL_OK);
    assert_true(ocl_queue_is_idle(legacy));
    assert_true(ocl_queue_is_idle(queue));

    gate = hold(legacy);
    assert_false(ocl_queue_is_idle(queue));
    assert_true(ocl_queue_is_idle(alone));
    let_go(gate);
    assert_int_equal(ocl_queue_finish(legacy), OCL_OK);
    assert_true(ocl_queue_is_idle(queue));
    ocl_context_close(context);
}

/* ---- Waiting in a thread of its own ---- */

struct waiter {
    pthread_t thread;
    struct ocl_queue *queue;
    atomic_bool is_back;
    ocl_status status;
};

static void *finish_queue(void *data)
{
    struct waiter *waiter = data;

    waiter->status = ocl_queue_finish(waiter->queue);
    atomic_store(&waiter->is_back, true);
    return NULL;
}

static void start_waiter(struct waiter *waiter, struct ocl_queue *queue)
{
    waiter->queue = queue;
    atomic_store(&waiter->is_back, false);
    assert_int_equal(pthread_create(&waiter->thread, NULL, finish_queue, waiter), 0);
}

static void join_waiter(struct waiter *waiter)
{
    pthread_join(waiter->thread, NULL);
    assert_int_equal(waiter->status, OCL_OK);
}

TEST_BODY(queue_legacy_finish_waits_for_blocking)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct waiter waiter;
    cl_mem cells = make_cells(context, 1);
    cl_event gate = hold(queue);

    put(queue, cells, 0, &one);
    start_waiter(&waiter, ocl_queue_legacy(context));
    let_others_run(context);
    assert_false(atomic_load(&waiter.is_back));
    let_go(gate);
    join_waiter(&waiter);
    assert_true(ocl_queue_is_idle(queue));
    assert_int_equal(look(context, cells, 0), 1);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

/* No lock is held by a thread that waits: others submit to, ask about and wait for the same queue.
 */
TEST_BODY(queue_finish_blocks_nobody)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct waiter first, second;
    cl_mem cells = make_cells(context, 1);

    cl_event gate = hold(queue);
    start_waiter(&first, queue);
    start_waiter(&second, ocl_queue_legacy(context));
    let_others_run(context);
    put(queue, cells, 0, &one);
    assert_int_equal(ocl_queue_query(queue), OCL_E_NOT_READY);
    put(ocl_queue_legacy(context), cells, 0, &two);
    let_go(gate);
    join_waiter(&first);
    join_waiter(&second);
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    assert_int_equal(look(context, cells, 0), 2);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

/* On drivers that start commands unasked, and hold back one queue's while another's kernel runs, which may wait for them. */
TEST_BODY(queue_finish_pushes_what_others_have)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *other = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct waiter waiter;
    cl_mem cells = make_cells(context, 1);

    context->tuning.starts_by_itself = true;
    cl_event gates[] = {hold(queue), hold(other)};
    put(other, cells, 0, &one);
    assert_true(atomic_load(&other->pushed) < atomic_load(&other->submitted));
    start_waiter(&waiter, queue);
    while (atomic_load(&other->pushed) < atomic_load(&other->submitted))
        sched_yield();
    assert_false(atomic_load(&waiter.is_back));
    let_go(gates[1]);
    let_go(gates[0]);
    join_waiter(&waiter);
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    assert_int_equal(look(context, cells, 0), 1);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

static cl_command_type mark_type(struct ocl_queue *queue)
{
    cl_command_type type = 0;
    uint64_t position;
    cl_event mark;

    assert_int_equal(ocl_queue_mark(queue, &mark, &position), OCL_OK);
    assert_int_equal(clGetEventInfo(mark, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), 0);
    clReleaseEvent(mark);
    return type;
}

/* On drivers whose markers wait for the kernels of other queues. */
TEST_BODY(queue_marks_may_be_barriers)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct waiter waiter;
    cl_mem cells = make_cells(context, 1);

    for (int is_late = 0; is_late < 2; is_late++) {
        context->tuning.marks_late = is_late;
        context->tuning.finishes_exactly = false;
        cl_event gate = hold(queue);
        put(queue, cells, 0, is_late ? &one : &two);
        assert_int_equal(mark_type(queue), is_late ? CL_COMMAND_BARRIER : CL_COMMAND_MARKER);
        assert_int_equal(ocl_queue_query(queue), OCL_E_NOT_READY);
        start_waiter(&waiter, queue);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        assert_false(atomic_load(&waiter.is_back));
        let_go(gate);
        join_waiter(&waiter);
        assert_int_equal(ocl_queue_query(queue), OCL_OK);
        assert_int_equal(look(context, cells, 0), is_late ? 1 : 2);
    }
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

/* ---- Destroying ---- */

static size_t count_queues(struct ocl_context *context)
{
    uint64_t cursor = UINT64_MAX;
    struct ocl_queue *queue;
    size_t count = 0;

    while ((queue = ocl_queue_next(context, &cursor)) != NULL) {
        ocl_queue_release(queue);
        count++;
    }
    return count;
}

TEST_BODY(queue_destroyed_one_still_orders)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct ocl_queue *legacy = ocl_queue_legacy(context);
    cl_mem cells = make_cells(context, 2);
    cl_event gate = hold(queue), copied;

    put(queue, cells, 0, &one);
    ocl_queue_destroy(queue); /* returns although the work cannot run yet */
    assert_int_equal(count_queues(context), 2);
    assert_false(ocl_queue_is_idle(legacy));
    copy(legacy, cells, 0, 1, &copied);
    assert_waits(context, copied);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(legacy), OCL_OK);
    assert_int_equal(look(context, cells, 1), 1);
    while (atomic_load(&context->blocking_queues) > 0) /* the bridge takes it away */
        sched_yield();
    assert_int_equal(count_queues(context), 1);
    clReleaseEvent(copied);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

TEST_BODY(queue_destroyed_idle_one_is_gone)
{
    struct ocl_context *context = open_context();

    for (int i = 0; i < 200; i++) {
        struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
        assert_int_equal(count_queues(context), 2);
        ocl_queue_destroy(queue);
        assert_int_equal(count_queues(context), 1);
    }
    ocl_context_close(context);
}

struct opener {
    pthread_t thread;
    struct ocl_context *context;
    cl_event gates[2];
};

static void *let_go_later(void *data)
{
    struct opener *opener = data;

    let_go(opener->gates[0]);
    let_go(opener->gates[1]);
    return NULL;
}

static void add_one(void *data, ocl_status status)
{
    assert_int_equal(status, OCL_OK);
    atomic_fetch_add((atomic_int *)data, 1);
}

/* Host functions and the work of destroyed queues included. */
TEST_BODY(queue_close_waits_for_all_work)
{
    static atomic_int calls;
    static int value;
    struct opener opener = {.context = open_context()};
    struct ocl_queue *kept = make_queue(opener.context, OCL_QUEUE_BLOCKING);
    struct ocl_queue *gone = make_queue(opener.context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_command command;
    cl_mem cells = make_cells(opener.context, 1);

    opener.gates[0] = hold(kept);
    opener.gates[1] = hold(gone);
    put(gone, cells, 0, &three);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(ocl_queue_host_function(kept, add_one, &calls, false), OCL_OK);
        assert_int_equal(ocl_queue_host_function(gone, add_one, &calls, false), OCL_OK);
    }
    assert_int_equal(ocl_command_begin(&command, gone, OCL_COMMAND_MEMORY), OCL_OK);
    assert_int_equal(ocl_enqueue_read(&command, cells, 0, sizeof value, &value, NULL), CL_SUCCESS);
    ocl_command_end(&command);
    ocl_queue_destroy(gone);
    assert_int_equal(atomic_load(&calls), 0);
    assert_int_equal(pthread_create(&opener.thread, NULL, let_go_later, &opener), 0);
    ocl_context_close(opener.context);
    assert_int_equal(atomic_load(&calls), 20);
    assert_int_equal(value, 3);
    pthread_join(opener.thread, NULL);
    clReleaseMemObject(cells);
}

/* ---- Host functions ---- */

struct probe {
    struct ocl_queue *queue;
    cl_mem cells;
    cl_event later; /* a command behind the function */
    int seen;       /* what stood in cell 0 when the function ran */
    bool later_was_complete;
    ocl_status answer; /* of a query from inside the function */
};

static void look_around(void *data, ocl_status status)
{
    struct probe *probe = data;

    assert_int_equal(status, OCL_OK);
    probe->seen = look(probe->queue->context, probe->cells, 0);
    probe->later_was_complete = ocl_event_state(probe->later) <= CL_COMPLETE;
    probe->answer = ocl_queue_query(probe->queue);
}

/* After earlier work, before later work; and a function that asks about its own queue gets an
 * answer. */
static void check_host_function(struct ocl_queue *queue)
{
    struct probe probe = {.queue = queue, .cells = make_cells(queue->context, 2), .seen = -1};
    cl_event gate = hold(queue);

    put(queue, probe.cells, 0, &one);
    assert_int_equal(ocl_queue_host_function(queue, look_around, &probe, false), OCL_OK);
    put_with_event(queue, probe.cells, 0, &two, &probe.later);
    let_others_run(queue->context);
    assert_int_equal(probe.seen, -1);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(probe.seen, 1);
    assert_false(probe.later_was_complete);
    assert_int_equal(probe.answer, OCL_E_NOT_READY);
    assert_int_equal(look(queue->context, probe.cells, 0), 2);
    clReleaseEvent(probe.later);
    clReleaseMemObject(probe.cells);
}

TEST_BODY(queue_host_function_runs_between)
{
    struct ocl_context *context = open_context();

    check_host_function(make_queue(context, OCL_QUEUE_NON_BLOCKING));
    check_host_function(make_queue(context, OCL_QUEUE_BLOCKING));
    check_host_function(ocl_queue_legacy(context));
    ocl_context_close(context);
}

struct order {
    int next;
    int list[200];
};

struct step {
    struct order *order;
    int number;
};

static void write_step(void *data, ocl_status status)
{
    const struct step *step = data;

    assert_int_equal(status, OCL_OK);
    step->order->list[step->order->next++] = step->number;
}

TEST_BODY(queue_host_functions_keep_their_order)
{
    enum { COUNT = 200 };
    static struct order order;
    static struct step steps[COUNT];
    struct ocl_context *context = open_context();
    struct ocl_queue *queues[2] = {make_queue(context, OCL_QUEUE_BLOCKING),
                                   ocl_queue_legacy(context)};

    for (int i = 0; i < COUNT; i++) { /* the legacy queue and a blocking one are ordered too */
        steps[i] = (struct step){&order, i};
        assert_int_equal(ocl_queue_host_function(queues[i / 3 % 2], write_step, &steps[i], false),
                         OCL_OK);
    }
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    assert_int_equal(order.next, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(order.list[i], i);
    ocl_context_close(context);
}

TEST_BODY(queue_destroyed_one_runs_its_host_functions)
{
    static atomic_int calls;
    struct ocl_context *context = open_context();

    for (int i = 0; i < 20; i++) {
        struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
        cl_event gate = hold(queue);
        assert_int_equal(ocl_queue_host_function(queue, add_one, &calls, false), OCL_OK);
        ocl_queue_destroy(queue);
        assert_int_equal(atomic_load(&calls), i);
        let_go(gate);
        while (atomic_load(&calls) == i)
            sched_yield();
    }
    ocl_context_close(context);
}

struct blocker {
    atomic_bool may_go;
    atomic_bool is_in;
};

static void block(void *data, ocl_status status)
{
    struct blocker *blocker = data;

    (void)status;
    atomic_store(&blocker->is_in, true);
    while (!atomic_load(&blocker->may_go))
        sched_yield();
}

/* A function that does not come back stops its own queue and the functions behind it, nothing else.
 */
TEST_BODY(queue_host_function_may_block)
{
    static struct blocker blocker;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *other = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    cl_mem cells = make_cells(context, 1);

    assert_int_equal(ocl_queue_host_function(queue, block, &blocker, false), OCL_OK);
    while (!atomic_load(&blocker.is_in))
        sched_yield();
    put(other, cells, 0, &one);
    assert_int_equal(ocl_queue_finish(other), OCL_OK);
    cl_event gate = hold(other);
    ocl_queue_destroy(other); /* the bridge worker is not held up */
    let_go(gate);
    while (count_queues(context) > 2)
        sched_yield();
    assert_int_equal(ocl_queue_query(queue), OCL_E_NOT_READY);
    atomic_store(&blocker.may_go, true);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

/* ---- Failures ---- */

static void keep_status(void *data, ocl_status status)
{
    *(ocl_status *)data = status;
}

TEST_BODY(queue_failure_reaches_everybody)
{
    struct ocl_command command;
    static ocl_status always = 1, healthy = 1;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    cl_event gate = hold(queue);

    assert_int_equal(ocl_queue_host_function(queue, keep_status, &always, true), OCL_OK);
    assert_int_equal(ocl_queue_host_function(queue, keep_status, &healthy, false), OCL_OK);
    assert_int_equal(ocl_context_fail(context, CL_OUT_OF_RESOURCES), OCL_E_EXECUTION);
    (void)ocl_context_fail(context, -9999); /* the first one stays */
    let_go(gate);
    assert_int_equal(ocl_queue_finish(queue), OCL_E_EXECUTION);
    assert_int_equal(ocl_queue_finish(ocl_queue_legacy(context)), OCL_E_EXECUTION);
    assert_int_equal(ocl_queue_query(queue), OCL_E_EXECUTION);
    assert_int_equal(ocl_queues_finish(context), OCL_E_EXECUTION);
    assert_int_equal(ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY), OCL_E_EXECUTION);
    assert_int_equal(ocl_queue_host_function(queue, keep_status, &always, true), OCL_E_EXECUTION);
    assert_int_equal(always, OCL_E_EXECUTION);
    assert_int_equal(healthy, 1); /* never called */
    ocl_context_close(context);
}

/* A command that fails on the device is seen by the query, which looks at an event; whether
 * clFinish() reports it depends on the driver. */
TEST_BODY(queue_failed_command_is_noticed)
{
    struct ocl_command command;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    cl_int error;
    cl_event gate = clCreateUserEvent(context->cl, &error);

    assert_int_equal(ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY), OCL_OK);
    queue->mark = gate; /* stands for the marker of a command that fails */
    queue->mark_position = 1;
    command.count = 1;
    ocl_command_end(&command);
    assert_int_equal(ocl_queue_query(queue), OCL_E_NOT_READY);
    assert_int_equal(clSetUserEventStatus(gate, -7), CL_SUCCESS);
    assert_int_equal(ocl_queue_query(queue), -7);
    assert_int_equal(ocl_context_failure(context), -7);
    assert_int_equal(ocl_queue_finish(queue), -7);
    ocl_context_close(context);
}

static _Atomic int refusals; /* how many of the next calls, or ALL_CALLS */
enum { ALL_CALLS = -1 };

cl_int(clSetUserEventStatus)(cl_event event, cl_int status)
{
    static _Atomic uintptr_t found;
    const int left = atomic_load(&refusals);

    if (left > 0)
        atomic_store(&refusals, left - 1);
    if (left != 0)
        return CL_OUT_OF_HOST_MEMORY;
    if (!found)
        found = (uintptr_t)dlsym(RTLD_NEXT, "clSetUserEventStatus");
    return ((__typeof__(&clSetUserEventStatus))found)(event, status);
}

static void keep_gate_status(void *data, cl_int status)
{
    atomic_store((_Atomic cl_int *)data, status);
}

/* Who looks whether a gate is closed after it could not be opened still finds it: waiting in the driver would not end. */
TEST_BODY(queue_gate_that_stays_closed_stays_counted)
{
    static _Atomic cl_int passed = -1;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);

    refusals = ALL_CALLS;
    assert_int_equal(ocl_gate_hold_until(queue, keep_gate_status, (void *)&passed), OCL_OK);
    assert_int_equal(ocl_queue_finish(queue), OCL_E_EXECUTION);
    assert_int_equal(passed, CL_COMPLETE);
    assert_int_equal(ocl_queue_finish(ocl_queue_legacy(context)), OCL_E_EXECUTION);
    for (int i = 0; i < 1000; i++) { /* the worker may still be at it */
        assert_true(atomic_load(&context->gates) > 0);
        sched_yield();
    }
    refusals = 0;
    ocl_context_close(context);
}

/* A refusal that passes is nobody's failure. */
TEST_BODY(queue_gate_is_opened_at_the_second_try)
{
    static _Atomic cl_int passed = -1;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);

    refusals = 1;
    assert_int_equal(ocl_gate_hold_until(queue, keep_gate_status, (void *)&passed), OCL_OK);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(passed, CL_COMPLETE);
    assert_int_equal(refusals, 0);
    assert_int_equal(ocl_context_failure(context), OCL_OK);
    ocl_context_close(context);
}

/* What a gate that stays closed holds up, in queues that are destroyed too, comes to its end when the context closes, while
 * its memory is there. */
TEST_BODY(queue_gate_that_stayed_closed_is_opened_at_the_end)
{
    static _Atomic cl_int passed = -1;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    cl_int now = CL_QUEUED;
    cl_event event = NULL;
    uint64_t position;

    refusals = ALL_CALLS;
    assert_int_equal(ocl_gate_hold_until(queue, keep_gate_status, (void *)&passed), OCL_OK);
    assert_int_equal(ocl_queue_mark(queue, &event, &position), OCL_OK);
    assert_int_equal(ocl_queue_finish(queue), OCL_E_EXECUTION);
    ocl_queue_destroy(queue);
    assert_int_equal(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL),
        CL_SUCCESS);
    assert_true(now > CL_COMPLETE);
    refusals = 0;
    ocl_context_close(context);
    assert_int_equal(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL),
        CL_SUCCESS);
    assert_int_equal(now, CL_COMPLETE);
    clReleaseEvent(event);
}

/* ---- Many queues ---- */

TEST_BODY(queue_takes_its_drivers_queue_at_the_first_command)
{
    struct ocl_command command;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct ocl_event *event = NULL;

    assert_int_equal(ocl_event_create(context, false, &event), OCL_OK);
    assert_int_equal(ocl_event_record(event, queue), OCL_OK);
    assert_int_equal(ocl_event_wait_in_queue(event, queue), OCL_OK);
    assert_int_equal(ocl_queue_query(queue), OCL_OK);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    assert_null(atomic_load(&queue->cl));
    assert_int_equal(ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY), OCL_OK);
    assert_non_null(atomic_load(&queue->cl));
    ocl_command_end(&command);
    ocl_event_destroy(event);
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

/* How many waits the legacy queue gets before its next command. */
static uint64_t new_waits(struct ocl_queue *legacy)
{
    const uint64_t before = atomic_load(&legacy->submitted);

    assert_int_equal(ocl_queue_order(legacy), OCL_OK);
    return atomic_load(&legacy->submitted) - before;
}

/* One wait for each sixteen with news; what the legacy queue has waited for is known to be complete when it has passed. */
TEST_BODY(queue_legacy_waits_once_for_those_with_news)
{
    enum { BUSY = 40 };
    struct ocl_context *context = open_context();
    struct ocl_queue *legacy = ocl_queue_legacy(context), *queues[BUSY];
    struct ocl_event *event = NULL;
    cl_mem cells = make_cells(context, BUSY);
    const cl_event gate = hold(legacy);

    for (int i = 0; i < BUSY; i++) {
        queues[i] = make_queue(context, OCL_QUEUE_BLOCKING);
        put(queues[i], cells, (size_t)i, &one);
    }
    assert_int_equal(new_waits(legacy), 3);
    assert_int_equal(new_waits(legacy), 0);
    put(queues[7], cells, 7, &one);
    assert_int_equal(new_waits(legacy), 1);
    assert_int_equal(new_waits(legacy), 0);
    assert_int_equal(ocl_event_create(context, false, &event), OCL_OK);
    assert_int_equal(ocl_event_record(event, legacy), OCL_OK);
    for (int i = 0; i < BUSY; i++)
        assert_false(ocl_queue_has_no_work(queues[i]));
    assert_false(ocl_queues_are_idle(context));
    let_go(gate);
    assert_int_equal(ocl_event_wait(event), OCL_OK);
    for (int i = 0; i < BUSY; i++) {
        assert_true(ocl_queue_has_no_work(queues[i]));
        ocl_queue_destroy(queues[i]);
    }
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    assert_true(ocl_queues_are_idle(context));
    ocl_event_destroy(event);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

/* A walk meets each busy queue once, whoever else walks, and no idle one. */
TEST_BODY(queue_walks_meet_busy_ones_once)
{
    enum { COUNT = 9 };
    static const enum ocl_queue_kind kinds[] = {OCL_QUEUE_BLOCKING, OCL_QUEUE_NON_BLOCKING};
    struct ocl_context *context = open_context();
    struct ocl_queue *queues[COUNT];
    cl_event gates[COUNT];
    int met[COUNT] = {0};

    for (int i = 0; i < COUNT; i++)
        queues[i] = make_queue(context, kinds[i % 2]);
    for (int i = 1; i < COUNT; i++)
        gates[i] = hold(queues[i]);
    struct ocl_queue_walk walk = {.context = context};
    while (ocl_queue_walk_on(&walk)) {
        struct ocl_queue_walk other = {.context = context, .is_blocking = true};
        for (int i = 0; i < COUNT; i++)
            met[i] += queues[i] == walk.at;
        assert_non_null(ocl_queue_walk_on(&other));
        ocl_queue_walk_end(&other);
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(met[i], i > 0);
    for (int i = 1; i < COUNT; i++) {
        const cl_event more = hold(queues[i]);
        let_go(gates[i]);
        let_go(more);
    }
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    assert_null(ocl_queue_walk_on(&walk));
    assert_null(atomic_load(&context->busy[false].first));
    assert_null(atomic_load(&context->busy[true].first));
    for (int i = 0; i < COUNT; i++)
        ocl_queue_destroy(queues[i]);
    ocl_context_close(context);
}

/* ---- Many threads ---- */

struct hammer {
    struct ocl_context *context;
    struct ocl_queue *queue; /* NULL: makes and destroys its own */
    cl_mem cells;
    size_t cell;
    int rounds;
};

/* The cell that is copied to is another one in each round: queues that come one after the other are
 * not in order. */
static void hammer_once(const struct hammer *hammer, struct ocl_queue *queue,
                        struct ocl_event *event, int round)
{
    copy(queue, hammer->cells, hammer->cell, hammer->cell + 1 + (size_t)round, NULL);
    switch (round % 5) {
    case 0:
        assert_int_equal(ocl_event_record(event, queue), OCL_OK);
        break;
    case 1:
        assert_int_equal(ocl_queue_finish(queue), OCL_OK);
        break;
    case 2:
        (void)ocl_queue_query(queue);
        break;
    case 3:
        assert_int_equal(ocl_event_wait_in_queue(event, ocl_queue_legacy(hammer->context)), OCL_OK);
        break;
    default:
        (void)ocl_queue_is_idle(ocl_queue_legacy(hammer->context));
        break;
    }
}

static void *run_hammer(void *data)
{
    const struct hammer *hammer = data;
    struct ocl_event *event = NULL;

    assert_int_equal(ocl_event_create(hammer->context, true, &event), OCL_OK);
    for (int round = 0; round < hammer->rounds; round++) {
        struct ocl_queue *queue = hammer->queue;
        if (!queue)
            queue = make_queue(hammer->context, OCL_QUEUE_BLOCKING);
        hammer_once(hammer, queue, event, round);
        if (!hammer->queue)
            ocl_queue_destroy(queue);
    }
    ocl_event_destroy(event);
    return NULL;
}

/* Threads 0..3 share one queue, 4 has the legacy queue, 5 and 6 have one each, 7 makes one after
 * the other. */
TEST_BODY(queue_many_threads)
{
    enum { THREADS = 8, ROUNDS = 60, CELLS = ROUNDS + 1 };
    struct ocl_context *context = open_context();
    cl_mem cells = make_cells(context, THREADS * CELLS);
    struct ocl_queue *shared = make_queue(context, OCL_QUEUE_BLOCKING);
    struct hammer hammers[THREADS];
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        hammers[i] = (struct hammer){context, shared, cells, i * CELLS, ROUNDS};
        if (i == 4)
            hammers[i].queue = ocl_queue_legacy(context);
        else if (i == 5 || i == 6)
            hammers[i].queue =
                make_queue(context, i == 5 ? OCL_QUEUE_BLOCKING : OCL_QUEUE_NON_BLOCKING);
        else if (i == 7)
            hammers[i].queue = NULL;
        put(ocl_queue_legacy(context), cells, i * CELLS, &one);
    }
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_hammer, &hammers[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(look(context, cells, i * CELLS + ROUNDS), 1);
    assert_int_equal(atomic_load(&shared->finished), atomic_load(&shared->submitted));
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

struct chain_thread {
    struct ocl_context *context;
    cl_mem cells;
    size_t cell;
    bool is_legacy;
};

/* Each thread's writes alternate between its own blocking queue and the legacy queue; the last one
 * must win. */
static void *run_chain(void *data)
{
    static const int values[100] = {0};
    const struct chain_thread *chain = data;
    struct ocl_queue *queue = make_queue(chain->context, OCL_QUEUE_BLOCKING);
    struct ocl_queue *legacy = ocl_queue_legacy(chain->context);

    for (int i = 0; i < 50; i++)
        put(i % 2 == 0 ? queue : legacy, chain->cells, chain->cell, &values[i]);
    put(chain->is_legacy ? legacy : queue, chain->cells, chain->cell, &three);
    assert_int_equal(ocl_queue_finish(chain->is_legacy ? legacy : queue), OCL_OK);
    ocl_queue_destroy(queue);
    return NULL;
}

TEST_BODY(queue_many_threads_keep_the_legacy_order)
{
    enum { THREADS = 8 };
    struct ocl_context *context = open_context();
    cl_mem cells = make_cells(context, THREADS);
    struct chain_thread chains[THREADS];
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        chains[i] = (struct chain_thread){context, cells, i, i % 2 == 0};
        assert_int_equal(pthread_create(&threads[i], NULL, run_chain, &chains[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(look(context, cells, i), 3);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}
