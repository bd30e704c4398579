/* Tests of cl/queue/event.c, cl/queue/stamp.c and cl/queue/clock.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/event.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "cl/queue/clock.h"
#include "tests/cl/held.h"

static const int one = 1, two = 2;

static struct ocl_event *make_event(struct ocl_context *context, bool has_timing)
{
    struct ocl_event *event = NULL;

    assert_int_equal(ocl_event_create(context, has_timing, &event), OCL_OK);
    assert_ptr_equal(ocl_event_context(event), context);
    return event;
}

TEST_BODY(event_never_recorded)
{
    struct ocl_context *context = open_context();
    struct ocl_event *event = make_event(context, true), *other = make_event(context, true);
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    double elapsed;

    assert_false(ocl_event_is_recorded(event));
    assert_int_equal(ocl_event_query(event), OCL_OK);
    assert_int_equal(ocl_event_wait(event), OCL_OK);
    assert_int_equal(ocl_event_wait_in_queue(event, queue), OCL_OK);
    assert_true(ocl_queue_is_idle(queue)); /* no command was needed */
    assert_int_equal(ocl_event_elapsed(event, event, &elapsed), OCL_E_INVALID_VALUE);
    assert_int_equal(ocl_event_record(other, queue), OCL_OK);
    assert_true(ocl_event_is_recorded(other));
    assert_int_equal(ocl_event_elapsed(event, other, &elapsed), OCL_E_INVALID_VALUE);
    assert_int_equal(ocl_event_elapsed(other, event, &elapsed), OCL_E_INVALID_VALUE);
    ocl_event_destroy(event);
    ocl_event_destroy(other);
    ocl_event_destroy(NULL);
    ocl_context_close(context);
}

static void check_query_and_wait(struct ocl_context *context, struct ocl_queue *queue,
                                 bool has_timing)
{
    struct ocl_event *event = make_event(context, has_timing);
    cl_mem cells = make_cells(context, 1);
    cl_event gate = hold(queue);

    put(queue, cells, 0, &one);
    assert_int_equal(ocl_event_record(event, queue), OCL_OK);
    assert_int_equal(ocl_event_query(event), OCL_E_NOT_READY);
    let_others_run(context);
    assert_int_equal(ocl_event_query(event), OCL_E_NOT_READY);
    let_go(gate);
    assert_int_equal(ocl_event_wait(event), OCL_OK);
    assert_int_equal(look(context, cells, 0), 1);
    assert_int_equal(ocl_event_query(event), OCL_OK);
    assert_true(ocl_queue_is_idle(queue)); /* the event's completion says so */
    clReleaseMemObject(cells);
    ocl_event_destroy(event);
}

TEST_BODY(event_follows_the_queue)
{
    struct ocl_context *context = open_context();

    for (int has_timing = 0; has_timing < 2; has_timing++) {
        check_query_and_wait(context, ocl_queue_legacy(context), has_timing);
        check_query_and_wait(context, make_queue(context, OCL_QUEUE_BLOCKING), has_timing);
        check_query_and_wait(context, make_queue(context, OCL_QUEUE_NON_BLOCKING), has_timing);
    }
    ocl_context_close(context);
}

/* Programs wait for the queue and expect the event to be complete at once. */
TEST_BODY(event_is_complete_when_its_queue_is)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct ocl_event *events[2] = {make_event(context, false), make_event(context, true)};
    cl_mem cells = make_cells(context, 1);

    for (int round = 0; round < 200; round++) {
        struct ocl_event *event = events[round % 2];
        put(queue, cells, 0, &one);
        if (round % 3 == 0)
            assert_int_equal(ocl_queue_finish(queue), OCL_OK);
        assert_int_equal(ocl_event_record(event, queue), OCL_OK);
        assert_int_equal(ocl_queue_finish(queue), OCL_OK);
        assert_int_equal(ocl_event_query(event), OCL_OK);
    }
    clReleaseMemObject(cells);
    ocl_event_destroy(events[0]);
    ocl_event_destroy(events[1]);
    ocl_context_close(context);
}

TEST_BODY(event_on_idle_queue_is_complete)
{
    struct ocl_context *context = open_context();
    struct ocl_event *event = make_event(context, false);

    assert_int_equal(ocl_event_record(event, ocl_queue_legacy(context)), OCL_OK);
    assert_true(ocl_event_is_recorded(event));
    assert_int_equal(ocl_event_query(event), OCL_OK);
    ocl_event_destroy(event);
    ocl_context_close(context);
}

/* The last record counts, for queries from then on; whoever waited for the first point still waits
 * for that one. */
TEST_BODY(event_replaced_while_pending)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *first = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *second = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *waiting = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_event *event = make_event(context, false);
    cl_mem cells = make_cells(context, 2);
    cl_event gate = hold(first), copied;

    put(first, cells, 0, &one);
    assert_int_equal(ocl_event_record(event, first), OCL_OK);
    assert_int_equal(ocl_event_wait_in_queue(event, waiting), OCL_OK);
    copy(waiting, cells, 0, 1, &copied);
    assert_int_equal(ocl_event_record(event, second), OCL_OK);
    assert_int_equal(poll_until_complete(event), OCL_OK); /* second is idle */
    assert_waits(context, copied);

    cl_event other = hold(second);
    assert_int_equal(ocl_event_record(event, second), OCL_OK);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(waiting), OCL_OK);
    assert_int_equal(look(context, cells, 1), 1);
    assert_int_equal(ocl_event_query(event), OCL_E_NOT_READY);
    let_go(other);
    assert_int_equal(ocl_event_wait(event), OCL_OK);
    clReleaseEvent(copied);
    clReleaseMemObject(cells);
    ocl_event_destroy(event);
    ocl_context_close(context);
}

TEST_BODY(event_outlives_its_queue)
{
    struct ocl_context *context = open_context();

    for (int round = 0; round < 10; round++) {
        struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
        struct ocl_event *event = make_event(context, round % 2 == 0);
        cl_event gate = hold(queue);
        assert_int_equal(ocl_event_record(event, queue), OCL_OK);
        ocl_queue_destroy(queue);
        assert_int_equal(ocl_event_query(event), OCL_E_NOT_READY);
        let_go(gate);
        assert_int_equal(ocl_event_wait(event), OCL_OK);
        assert_int_equal(ocl_queues_finish(context), OCL_OK);
        queue = make_queue(context, OCL_QUEUE_BLOCKING); /* may get the same memory */
        gate = hold(queue);
        assert_int_equal(ocl_event_query(event), OCL_OK);
        let_go(gate);
        ocl_queue_destroy(queue);
        ocl_event_destroy(event);
    }
    ocl_context_close(context);
}

/* A late answer about a queue that is gone says nothing about another one in the same memory. */
TEST_BODY(event_of_a_gone_queue_tells_no_other)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING), *gone = queue;
    struct ocl_event *event = make_event(context, false);
    cl_mem cells = make_cells(context, 1);
    cl_event gate = hold(queue);

    for (int i = 0; i < 10; i++)
        put(queue, cells, 0, &one);
    assert_int_equal(ocl_event_record(event, queue), OCL_OK);
    ocl_queue_destroy(queue);
    let_go(gate);
    while (atomic_load(&context->blocking_queues) > 0)
        sched_yield();
    do
        queue = make_queue(context, OCL_QUEUE_BLOCKING);
    while (queue != gone);
    gate = hold(queue);
    assert_int_equal(ocl_event_query(event), OCL_OK);
    assert_false(ocl_queue_is_idle(queue));
    let_go(gate);
    clReleaseMemObject(cells);
    ocl_event_destroy(event);
    ocl_context_close(context);
}

TEST_BODY(event_on_legacy_includes_blocking_work)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);

    for (int has_timing = 0; has_timing < 2; has_timing++) {
        struct ocl_event *event = make_event(context, has_timing);
        cl_event gate = hold(queue);
        assert_int_equal(ocl_event_record(event, ocl_queue_legacy(context)), OCL_OK);
        let_others_run(context);
        assert_int_equal(ocl_event_query(event), OCL_E_NOT_READY);
        let_go(gate);
        assert_int_equal(ocl_event_wait(event), OCL_OK);
        ocl_event_destroy(event);
    }
    ocl_context_close(context);
}

TEST_BODY(event_of_another_context_is_refused)
{
    struct ocl_context *context = open_context(), *other = open_context();
    struct ocl_event *event = make_event(context, true), *foreign = make_event(other, true);
    double elapsed;

    assert_int_equal(ocl_event_record(event, ocl_queue_legacy(other)), OCL_E_INVALID_VALUE);
    assert_false(ocl_event_is_recorded(event));
    assert_int_equal(ocl_event_record(event, ocl_queue_legacy(context)), OCL_OK);
    assert_int_equal(ocl_event_record(foreign, ocl_queue_legacy(other)), OCL_OK);
    assert_int_equal(ocl_event_elapsed(event, foreign, &elapsed), OCL_E_INVALID_VALUE);
    ocl_event_destroy(event);
    ocl_event_destroy(foreign);
    ocl_context_close(context);
    ocl_context_close(other);
}

/* ---- Timing ---- */

TEST_BODY(event_elapsed_needs_timing_and_completion)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct ocl_event *start = make_event(context, true), *end = make_event(context, true);
    struct ocl_event *untimed = make_event(context, false);
    double elapsed = -1;

    assert_int_equal(ocl_event_record(untimed, queue), OCL_OK);
    assert_int_equal(ocl_event_record(start, queue), OCL_OK);
    assert_int_equal(ocl_event_elapsed(start, untimed, &elapsed), OCL_E_TIMING_DISABLED);
    assert_int_equal(ocl_event_elapsed(untimed, start, &elapsed), OCL_E_TIMING_DISABLED);
    cl_event gate = hold(queue);
    assert_int_equal(ocl_event_record(end, queue), OCL_OK);
    assert_int_equal(ocl_event_elapsed(start, end, &elapsed), OCL_E_NOT_READY);
    let_go(gate);
    assert_int_equal(ocl_event_wait(end), OCL_OK);
    assert_int_equal(ocl_event_elapsed(start, end, &elapsed), OCL_OK);
    assert_true(elapsed > 0);
    double again = -1, back = 1;
    assert_int_equal(ocl_event_elapsed(start, end, &again), OCL_OK);
    assert_true(again == elapsed);
    assert_int_equal(ocl_event_elapsed(end, start, &back), OCL_OK);
    assert_true(back == -elapsed);
    assert_int_equal(ocl_event_elapsed(start, start, &back), OCL_OK);
    assert_true(back == 0);
    ocl_event_destroy(start);
    ocl_event_destroy(end);
    ocl_event_destroy(untimed);
    ocl_context_close(context);
}

static double nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Copies that take the device a while, between two events. */
static double time_copies(struct ocl_queue *queue, cl_mem cells, size_t count,
                          struct ocl_event *start, struct ocl_event *end)
{
    const size_t bytes = count / 2 * sizeof(int);
    double elapsed = -1;
    struct ocl_command command;

    assert_int_equal(ocl_event_record(start, queue), OCL_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY), OCL_OK);
        assert_int_equal(ocl_enqueue_copy(&command, cells, cells, 0, bytes, bytes, NULL),
                         CL_SUCCESS);
        ocl_command_end(&command);
    }
    assert_int_equal(ocl_event_record(end, queue), OCL_OK);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(ocl_event_elapsed(start, end, &elapsed), OCL_OK);
    return elapsed;
}

/* The copies take some time, and no more than the host's clock sees around them. */
static void check_times(struct ocl_queue *queue)
{
    enum { COUNT = 8 << 20 };
    struct ocl_context *context = queue->context;
    struct ocl_event *start = make_event(context, true), *end = make_event(context, true);
    cl_mem cells = make_cells(context, COUNT);
    double elapsed = -1;

    (void)time_copies(queue, cells, COUNT, start, end); /* first touch */
    const double before = nanoseconds_now();
    const double work = time_copies(queue, cells, COUNT, start, end);
    assert_true(work > 0);
    assert_true(work <= nanoseconds_now() - before);

    assert_int_equal(ocl_event_record(start, queue), OCL_OK);
    assert_int_equal(ocl_event_record(end, queue), OCL_OK);
    assert_int_equal(ocl_event_wait(end), OCL_OK);
    assert_int_equal(ocl_event_elapsed(start, end, &elapsed), OCL_OK);
    assert_true(elapsed >= 0);
    clReleaseMemObject(cells);
    ocl_event_destroy(start);
    ocl_event_destroy(end);
}

TEST_BODY(event_times_are_device_times)
{
    struct ocl_context *context = open_context();

    check_times(make_queue(context, OCL_QUEUE_BLOCKING));
    check_times(ocl_queue_legacy(context));
    ocl_context_close(context);
}

/* The way for drivers whose markers carry no time. */
TEST_BODY(event_times_by_commands)
{
    struct ocl_context *context = open_context();

    if (!context->tuning.is_profiled)
        TEST_SKIP("the queues are not profiled");
    assert_int_equal(ocl_stamp_open(context), OCL_OK);
    atomic_store(&context->stamp, OCL_STAMP_COMMAND);
    check_times(make_queue(context, OCL_QUEUE_BLOCKING));
    check_query_and_wait(context, make_queue(context, OCL_QUEUE_BLOCKING), true);
    ocl_context_close(context);
}

/* ---- Times from a clock that a kernel reads ---- */

/* The clock of a device that may have none: readings are written all the same. NULL: kernels cannot
 * write them. */
static struct ocl_clock *make_clock(struct ocl_context *context)
{
    struct ocl_clock *clock = NULL;

    if (!context->capability.reaches_pinned_host)
        TEST_SKIP("kernels do not reach pinned host memory");
    assert_int_equal(ocl_clock_create(context, &clock), OCL_OK);
    return clock;
}

static void use_clock(struct ocl_context *context)
{
    if (atomic_load(&context->stamp) == OCL_STAMP_CLOCK)
        return;
    context->clock = make_clock(context);
    atomic_store(&context->stamp, OCL_STAMP_CLOCK);
}

TEST_BODY(event_clock_is_proved_or_refused)
{
    struct ocl_context *context = open_context();
    struct ocl_clock *clock = make_clock(context);
    const ocl_status status = ocl_clock_prove(clock);

    if (atomic_load(&context->stamp) == OCL_STAMP_CLOCK)
        assert_int_equal(status, OCL_OK);
    else
        assert_int_equal(status, OCL_E_NOT_SUPPORTED);
    ocl_clock_close(clock);
    ocl_clock_close(NULL);
    ocl_context_close(context);
}

TEST_BODY(event_by_clock_follows_the_queue)
{
    struct ocl_context *context = open_context();

    use_clock(context);
    check_query_and_wait(context, ocl_queue_legacy(context), true);
    check_query_and_wait(context, make_queue(context, OCL_QUEUE_BLOCKING), true);
    check_query_and_wait(context, make_queue(context, OCL_QUEUE_NON_BLOCKING), true);
    ocl_context_close(context);
}

TEST_BODY(event_by_clock_gives_times)
{
    struct ocl_context *context = open_context();

    if (atomic_load(&context->stamp) != OCL_STAMP_CLOCK)
        TEST_SKIP("the device has no clock for kernels");
    check_times(make_queue(context, OCL_QUEUE_BLOCKING));
    check_times(ocl_queue_legacy(context));
    ocl_context_close(context);
}

/* A slot given back while its reading is still to come is not handed out before it has come. */
TEST_BODY(event_clock_slots_wait_for_their_reading)
{
    struct ocl_context *context = open_context();
    struct ocl_clock *clock = make_clock(context);
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_clock_slot *late = ocl_clock_take(clock), *others[3000];
    const size_t count = sizeof others / sizeof *others; /* several pages */
    cl_event gate = hold(queue);
    cl_kernel kernel = NULL;
    struct ocl_command command;

    assert_non_null(late);
    ocl_command_begin_own(&command, queue->cl);
    assert_int_equal(ocl_clock_enqueue(clock, &command, &kernel, late), OCL_OK);
    assert_false(ocl_clock_is_written(late));
    ocl_clock_retain(late);
    ocl_clock_release(late);
    ocl_clock_release(late); /* the last one counts */
    for (size_t i = 0; i < count; i++) {
        others[i] = ocl_clock_take(clock);
        assert_non_null(others[i]);
        assert_ptr_not_equal(others[i], late);
    }
    let_go(gate);
    assert_int_equal(clFinish(queue->cl), CL_SUCCESS);
    assert_ptr_equal(ocl_clock_take(clock), late);
    assert_false(ocl_clock_is_written(late));
    ocl_clock_discard(late);
    assert_ptr_equal(ocl_clock_take(clock), late);
    assert_int_equal(ocl_clock_enqueue(clock, &command, &kernel, late), OCL_OK);
    assert_int_equal(clFinish(queue->cl), CL_SUCCESS);
    assert_true(ocl_clock_is_written(late));
    ocl_clock_release(late);
    assert_ptr_equal(ocl_clock_take(clock), late);
    ocl_clock_discard(late);
    for (size_t i = 0; i < count; i++)
        ocl_clock_discard(others[i]);
    clReleaseKernel(kernel);
    ocl_clock_close(clock);
    ocl_context_close(context);
}

/* More records than a page has slots, each replacing one that is still pending; and an event that
 * outlives its context. */
TEST_BODY(event_by_clock_recorded_again_and_again)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queues[2] = {make_queue(context, OCL_QUEUE_NON_BLOCKING),
                                   make_queue(context, OCL_QUEUE_NON_BLOCKING)};
    double elapsed = -1;

    use_clock(context);
    struct ocl_event *start = make_event(context, true), *end = make_event(context, true);
    cl_event gates[2] = {hold(queues[0]), hold(queues[1])};
    for (int i = 0; i < 1500; i++)
        assert_int_equal(ocl_event_record(i % 2 == 0 ? start : end, queues[i / 7 % 2]), OCL_OK);
    assert_int_equal(ocl_event_query(end), OCL_E_NOT_READY);
    let_go(gates[0]);
    let_go(gates[1]);
    assert_int_equal(ocl_event_record(start, queues[0]), OCL_OK);
    assert_int_equal(ocl_event_record(end, queues[0]), OCL_OK);
    assert_int_equal(ocl_event_wait(end), OCL_OK);
    assert_int_equal(ocl_event_elapsed(start, end, &elapsed), OCL_OK);
    assert_true(elapsed >= 0);
    ocl_event_destroy(start);
    ocl_context_close(context);
    ocl_event_destroy(end);
}

/* ---- Waiting in a queue ---- */

static void check_wait_in_queue(struct ocl_queue *source, struct ocl_queue *target, bool has_timing)
{
    struct ocl_event *event = make_event(source->context, has_timing);
    cl_mem there = make_cells(target->context, 2);
    cl_event gate = hold(source), written;

    assert_int_equal(ocl_event_record(event, source), OCL_OK);
    assert_int_equal(ocl_event_wait_in_queue(event, target), OCL_OK);
    assert_int_equal(ocl_event_record(event, target),
                     source->context == target->context ? OCL_OK : OCL_E_INVALID_VALUE);
    ocl_event_destroy(event); /* who waits keeps what it needs */
    put_with_event(target, there, 0, &two, &written);
    assert_false(ocl_queue_is_idle(target));
    assert_waits(target->context, written);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(target), OCL_OK);
    assert_int_equal(look(target->context, there, 0), 2);
    assert_int_equal(ocl_queue_finish(source), OCL_OK);
    clReleaseEvent(written);
    clReleaseMemObject(there);
}

/* What is recorded twice with nothing between is one point. */
TEST_BODY(event_by_clock_shares_a_reading)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_event *events[3];
    cl_mem cells = make_cells(context, 1);
    double elapsed = -1;

    use_clock(context);
    for (size_t i = 0; i < 3; i++)
        events[i] = make_event(context, true);
    cl_event gate = hold(queue);
    assert_int_equal(ocl_event_record(events[0], queue), OCL_OK);
    assert_int_equal(ocl_event_record(events[1], queue), OCL_OK);
    assert_int_equal(atomic_load(&queue->submitted), 2); /* the gate and one reading */
    put(queue, cells, 0, &one);
    assert_int_equal(ocl_event_record(events[2], queue), OCL_OK);
    assert_int_equal(atomic_load(&queue->submitted), 4);
    let_go(gate);
    assert_int_equal(ocl_event_wait(events[2]), OCL_OK);
    assert_int_equal(ocl_event_elapsed(events[0], events[1], &elapsed), OCL_OK);
    assert_true(elapsed > 0 && elapsed < 32);
    assert_true(ocl_queue_is_idle(queue));
    assert_int_equal(ocl_event_record(events[0], queue), OCL_OK); /* time has passed */
    assert_int_equal(atomic_load(&queue->submitted), 5);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    for (size_t i = 0; i < 3; i++)
        ocl_event_destroy(events[i]);
    clReleaseMemObject(cells);
    ocl_context_close(context);
}

/* With a marker or without, a reading tells nothing of what the queue gets behind it. */
TEST_BODY(event_by_clock_covers_what_is_before_it)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);

    use_clock(context);
    for (int has_mark = 0; has_mark < 2; has_mark++) {
        struct ocl_stamp stamp;
        uint64_t position = 0;
        atomic_store(&context->marks_readings, has_mark == 1);
        cl_event gate = hold(queue);
        const uint64_t before = atomic_load(&queue->submitted);
        assert_int_equal(ocl_queue_stamp(queue, &stamp, &position), OCL_OK);
        assert_int_equal(position, before);
        assert_int_equal(stamp.event != NULL, has_mark);
        let_go(gate);
        assert_int_equal(ocl_queue_finish(queue), OCL_OK);
        ocl_stamp_release(&stamp);
    }
    ocl_context_close(context);
}

/* A reading tells of the work before it, whatever the queue got behind it. */
TEST_BODY(event_by_clock_is_not_later_work)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);

    use_clock(context);
    struct ocl_event *event = make_event(context, true);
    for (int is_waited = 0; is_waited < 2; is_waited++) {
        cl_event before = hold(queue);
        assert_int_equal(ocl_event_record(event, queue), OCL_OK);
        cl_event behind = hold(queue);
        assert_int_equal(ocl_event_query(event), OCL_E_NOT_READY);
        let_go(before);
        if (is_waited)
            assert_int_equal(ocl_event_wait(event), OCL_OK);
        while (ocl_event_query(event) == OCL_E_NOT_READY)
            sched_yield();
        assert_int_equal(ocl_event_query(event), OCL_OK);
        assert_int_equal(ocl_queue_query(queue), OCL_E_NOT_READY);
        let_go(behind);
        assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    }
    ocl_event_destroy(event);
    ocl_context_close(context);
}

/* Queues that wait for a reading wait for nothing that its queue got behind it. */
static void check_late_wait(struct ocl_context *context, struct ocl_context *other)
{
    struct ocl_queue *source = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *targets[2] = {make_queue(other, OCL_QUEUE_NON_BLOCKING),
                                    make_queue(other, OCL_QUEUE_NON_BLOCKING)};
    struct ocl_event *event = make_event(context, true);
    cl_mem there = make_cells(other, 2);
    cl_event before = hold(source), written;

    assert_int_equal(ocl_event_record(event, source), OCL_OK);
    cl_event behind = hold(source);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(ocl_event_wait_in_queue(event, targets[i]), OCL_OK);
    ocl_event_destroy(event);
    put(targets[0], there, 0, &one);
    put_with_event(targets[1], there, 1, &two, &written);
    assert_waits(other, written);
    let_go(before);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(ocl_queue_finish(targets[i]), OCL_OK);
    assert_int_equal(look(other, there, 0), 1);
    assert_int_equal(look(other, there, 1), 2);
    assert_int_equal(ocl_queue_query(source), OCL_E_NOT_READY);
    let_go(behind);
    assert_int_equal(ocl_queue_finish(source), OCL_OK);
    clReleaseEvent(written);
    clReleaseMemObject(there);
}

TEST_BODY(event_by_clock_is_waited_for_late)
{
    struct ocl_context *context = open_context(), *other = open_context();

    use_clock(context);
    for (int round = 0; round < 3; round++) {
        check_late_wait(context, context);
        atomic_store(&context->marks_readings, round == 1);
        check_late_wait(context, other);
        assert_true(atomic_load(&context->marks_readings));
    }
    ocl_context_close(context);
    ocl_context_close(other);
}

TEST_BODY(event_by_clock_holds_another_queue)
{
    struct ocl_context *context = open_context(), *other = open_context();
    struct ocl_queue *source = make_queue(context, OCL_QUEUE_NON_BLOCKING);

    use_clock(context);
    check_wait_in_queue(source, make_queue(context, OCL_QUEUE_NON_BLOCKING), true);
    check_wait_in_queue(source, ocl_queue_legacy(context), true);
    check_wait_in_queue(source, ocl_queue_legacy(other), true);
    assert_false(atomic_load(&context->marks_readings));
    ocl_context_close(context);
    ocl_context_close(other);
}

/* A context that closes while another one's queue waits for its reading. */
TEST_BODY(event_by_clock_source_may_close)
{
    struct ocl_context *source = open_context(), *target = open_context();
    struct ocl_queue *queue = make_queue(source, OCL_QUEUE_NON_BLOCKING);

    use_clock(source);
    struct ocl_event *event = make_event(source, true);
    cl_mem cells = make_cells(source, 1);
    put(queue, cells, 0, &one);
    assert_int_equal(ocl_event_record(event, queue), OCL_OK);
    for (int i = 0; i < 100; i++)
        put(queue, cells, 0, &one);
    assert_int_equal(ocl_event_wait_in_queue(event, ocl_queue_legacy(target)), OCL_OK);
    ocl_event_destroy(event);
    clReleaseMemObject(cells);
    ocl_context_close(source);
    assert_int_equal(ocl_queue_finish(ocl_queue_legacy(target)), OCL_OK);
    ocl_context_close(target);
}

TEST_BODY(event_holds_another_queue)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *source = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *target = make_queue(context, OCL_QUEUE_NON_BLOCKING);

    check_wait_in_queue(source, target, false);
    check_wait_in_queue(source, target, true);
    check_wait_in_queue(source, ocl_queue_legacy(context), true);
    ocl_context_close(context);
}

TEST_BODY(event_holds_a_queue_of_another_context)
{
    struct ocl_context *context = open_context(), *other = open_context();

    for (int round = 0; round < 5; round++)
        check_wait_in_queue(make_queue(context, OCL_QUEUE_NON_BLOCKING),
                            make_queue(other, OCL_QUEUE_BLOCKING), round % 2 == 0);
    check_wait_in_queue(ocl_queue_legacy(context), ocl_queue_legacy(other), true);
    ocl_context_close(context);
    ocl_context_close(other);
}

/* Back and forth between contexts, without the host in between. */
TEST_BODY(event_chain_across_contexts)
{
    enum { HOPS = 30 };
    struct ocl_context *contexts[2] = {open_context(), open_context()};
    struct ocl_queue *queues[2] = {make_queue(contexts[0], OCL_QUEUE_NON_BLOCKING),
                                   make_queue(contexts[1], OCL_QUEUE_NON_BLOCKING)};
    struct ocl_event *event = NULL;
    cl_mem cells = make_cells(contexts[HOPS % 2], 1);
    cl_event gate = hold(queues[0]);

    for (int hop = 0; hop < HOPS; hop++) {
        event = make_event(contexts[hop % 2], false);
        assert_int_equal(ocl_event_record(event, queues[hop % 2]), OCL_OK);
        assert_int_equal(ocl_event_wait_in_queue(event, queues[(hop + 1) % 2]), OCL_OK);
        ocl_event_destroy(event);
    }
    put(queues[HOPS % 2], cells, 0, &two);
    assert_int_equal(ocl_queue_query(queues[0]), OCL_E_NOT_READY);
    assert_int_equal(ocl_queue_query(queues[1]), OCL_E_NOT_READY);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(queues[HOPS % 2]), OCL_OK);
    assert_int_equal(look(contexts[HOPS % 2], cells, 0), 2);
    clReleaseMemObject(cells);
    ocl_context_close(contexts[0]);
    ocl_context_close(contexts[1]);
}

/* The source's context may close first: that completes the event. */
TEST_BODY(event_source_context_may_close)
{
    struct ocl_context *source = open_context(), *target = open_context();
    struct ocl_queue *queue = make_queue(source, OCL_QUEUE_NON_BLOCKING);
    struct ocl_event *event = make_event(source, false);
    cl_mem cells = make_cells(source, 1);

    for (int i = 0; i < 100; i++)
        put(queue, cells, 0, &one);
    assert_int_equal(ocl_event_record(event, queue), OCL_OK);
    assert_int_equal(ocl_event_wait_in_queue(event, ocl_queue_legacy(target)), OCL_OK);
    ocl_event_destroy(event);
    clReleaseMemObject(cells);
    ocl_context_close(source);
    assert_int_equal(ocl_queue_finish(ocl_queue_legacy(target)), OCL_OK);
    ocl_context_close(target);
}

TEST_BODY(event_in_its_own_queue_needs_no_wait)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_event *event = make_event(context, false);
    cl_event gate = hold(queue);

    assert_int_equal(ocl_event_record(event, queue), OCL_OK);
    assert_int_equal(ocl_event_wait_in_queue(event, queue), OCL_OK);
    assert_int_equal(atomic_load(&queue->submitted), 1); /* the gate's barrier alone */
    let_go(gate);
    ocl_event_destroy(event);
    ocl_context_close(context);
}

/* ---- Many threads ---- */

struct hammer {
    struct ocl_event *event;
    struct ocl_queue *queue;
    cl_mem cells;
    size_t cell;
    int role;
};

static void *run_hammer(void *data)
{
    const struct hammer *hammer = data;

    for (int round = 0; round < 100; round++) {
        switch (hammer->role) {
        case 0:
            put(hammer->queue, hammer->cells, hammer->cell, &one);
            assert_int_equal(ocl_event_record(hammer->event, hammer->queue), OCL_OK);
            break;
        case 1:
            assert_int_equal(ocl_event_wait(hammer->event), OCL_OK);
            break;
        case 2:
            (void)ocl_event_query(hammer->event);
            (void)ocl_event_is_recorded(hammer->event);
            break;
        default:
            assert_int_equal(ocl_event_wait_in_queue(hammer->event, hammer->queue), OCL_OK);
            break;
        }
    }
    return NULL;
}

TEST_BODY(event_many_threads)
{
    enum { THREADS = 8 };
    struct ocl_context *context = open_context(), *other = open_context();
    struct ocl_event *event = make_event(context, true);
    cl_mem cells = make_cells(context, THREADS);
    struct hammer hammers[THREADS];
    pthread_t threads[THREADS];
    double elapsed = -1;

    for (int i = 0; i < THREADS; i++) {
        struct ocl_queue *queue = make_queue(i == 7 ? other : context, OCL_QUEUE_BLOCKING);
        hammers[i] = (struct hammer){event, queue, cells, (size_t)i, i % 4};
        assert_int_equal(pthread_create(&threads[i], NULL, run_hammer, &hammers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(ocl_event_wait(event), OCL_OK);
    assert_int_equal(ocl_event_elapsed(event, event, &elapsed), OCL_OK);
    assert_true(elapsed == 0);
    ocl_event_destroy(event);
    assert_int_equal(ocl_queues_finish(context), OCL_OK);
    clReleaseMemObject(cells);
    ocl_context_close(other);
    ocl_context_close(context);
}

struct waiting {
    pthread_t thread;
    struct ocl_event *event;
    ocl_status status;
    atomic_bool is_in;
};

static void *wait_for_it(void *data)
{
    struct waiting *waiting = data;

    atomic_store(&waiting->is_in, true);
    waiting->status = ocl_event_wait(waiting->event);
    return NULL;
}

/* A thread waits for the point that it found; recording the event anew does not keep it. */
TEST_BODY(event_recorded_anew_while_a_thread_waits)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *first = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *second = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct waiting waiting = {.event = make_event(context, false)};
    cl_event gate = hold(first), other = hold(second);

    assert_int_equal(ocl_event_record(waiting.event, first), OCL_OK);
    assert_int_equal(pthread_create(&waiting.thread, NULL, wait_for_it, &waiting), 0);
    while (!atomic_load(&waiting.is_in))
        sched_yield();
    let_others_run(context); /* it is inside the wait by now */
    assert_int_equal(ocl_event_record(waiting.event, second), OCL_OK);
    let_go(gate);
    pthread_join(waiting.thread, NULL);
    assert_int_equal(waiting.status, OCL_OK);
    assert_int_equal(ocl_event_query(waiting.event), OCL_E_NOT_READY);
    let_go(other);
    ocl_event_destroy(waiting.event);
    ocl_context_close(context);
}
