/* Tests of cl/memory/ordered_pool.c and cl/memory/ordered_reuse.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/ordered_pool.h"

#include <pthread.h>
#include <string.h>

#include "cl/memory/address.h"
#include "cl/transfer.h"
#include "tests/cl/held.h"

enum { BYTES = 100000 };

static const void *at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

static struct ocl_ordered_pool *make_pool(uint64_t most_bytes)
{
    struct ocl_ordered_pool *pool = NULL;
    assert_int_equal(ocl_ordered_pool_create(most_bytes, &pool, &pool), OCL_OK);
    return pool;
}

static uint64_t take(struct ocl_ordered_pool *pool, struct ocl_queue *queue, size_t bytes)
{
    uint64_t address = 0;
    assert_int_equal(ocl_ordered_allocate(pool, ocl_queue_context(queue), queue, bytes, &address),
                     OCL_OK);
    assert_int_not_equal(address, 0);
    assert_int_equal(address % OCL_MEMORY_ALIGNMENT, 0);
    return address;
}

static void give(struct ocl_ordered_pool *pool, struct ocl_queue *queue, uint64_t address)
{
    assert_int_equal(ocl_ordered_free(queue, pool, at(address)), OCL_OK);
}

static uint64_t get(const struct ocl_ordered_pool *pool, enum ocl_ordered_attribute attribute)
{
    return ocl_ordered_pool_get(pool, attribute);
}

static bool is_known(uint64_t address)
{
    struct ocl_memory_view view;
    return ocl_memory_find(at(address), &view);
}

/* A context with two queues; what is submitted to the first one waits. */
struct scene {
    struct ocl_context *context;
    struct ocl_ordered_pool *pool;
    struct ocl_queue *first, *second;
    cl_event gate;
};

static struct scene open_scene(enum ocl_queue_kind first, enum ocl_queue_kind second,
                               uint64_t most_bytes)
{
    struct scene scene = {.context = open_context(), .pool = make_pool(most_bytes)};
    struct ocl_queue *legacy = ocl_queue_legacy(scene.context);
    scene.first = first == OCL_QUEUE_LEGACY ? legacy : make_queue(scene.context, first);
    scene.second = second == OCL_QUEUE_LEGACY ? legacy : make_queue(scene.context, second);
    return scene;
}

static struct scene open_streams(void)
{
    return open_scene(OCL_QUEUE_NON_BLOCKING, OCL_QUEUE_NON_BLOCKING, 0);
}

static void close_scene(struct scene *scene)
{
    ocl_ordered_pool_destroy(scene->pool);
    ocl_context_close(scene->context);
}

/* --- Reuse --- */

TEST_BODY(ordered_reuses_at_once_in_the_same_queue)
{
    static const size_t sizes[] = {1, 256, 257, 3000, BYTES, 1 << 20, (1 << 20) + 1, 3000001};
    struct scene scene = open_streams();
    const cl_event gate = hold(scene.first);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint64_t p = take(scene.pool, scene.first, sizes[i]);
        give(scene.pool, scene.first, p);
        assert_int_equal(take(scene.pool, scene.first, sizes[i]), p);
        give(scene.pool, scene.first, p);
        assert_int_equal(take(scene.pool, scene.first, sizes[i] - sizes[i] / 64), p);
    }
    assert_int_equal(ocl_queue_query(scene.first), OCL_E_NOT_READY);
    let_go(gate);
    close_scene(&scene);
}

TEST_BODY(ordered_knows_memory_as_it_was_asked_for)
{
    struct scene scene = open_streams();
    struct ocl_memory_view view, again;
    const uint64_t p = take(scene.pool, scene.first, 5000);
    assert_true(ocl_memory_find(at(p + 4999), &view));
    assert_int_equal(view.kind, OCL_MEMORY_DEVICE);
    assert_int_equal(view.bytes, 5000);
    assert_non_null(view.pool_owner);
    give(scene.pool, scene.first, p);
    assert_false(is_known(p));
    assert_false(is_known(p + 4999));
    assert_int_equal(take(scene.pool, scene.first, 4900), p);
    assert_true(ocl_memory_find(at(p), &again));
    assert_int_equal(again.bytes, 4900);
    assert_int_not_equal(again.id, view.id);
    close_scene(&scene);
}

/* Every reuse in another queue that nothing orders must wait for the first one's work. */
TEST_BODY(ordered_never_overtakes_another_queue)
{
    struct scene scene = open_streams();
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    const cl_event gate = hold(scene.first);
    give(scene.pool, scene.first, p);
    for (int i = 0; i < 20; i++)
        assert_int_not_equal(take(scene.pool, scene.second, BYTES), p);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(scene.first), OCL_OK);
    close_scene(&scene);
}

TEST_BODY(ordered_reuses_what_is_known_to_be_complete)
{
    struct scene scene = open_streams();
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_THRESHOLD, UINT64_MAX);
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    const cl_event gate = hold(scene.first);
    give(scene.pool, scene.first, p);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(scene.first), OCL_OK);
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_OPPORTUNISTIC, 0);
    assert_int_not_equal(take(scene.pool, scene.second, BYTES), p);
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_OPPORTUNISTIC, 1);
    assert_int_equal(take(scene.pool, scene.second, BYTES), p);
    close_scene(&scene);
}

/* The driver is asked when nobody has waited. */
TEST_BODY(ordered_asks_whether_work_is_complete)
{
    struct scene scene = open_streams();
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    const cl_event gate = hold(scene.first);
    cl_event mark;
    uint64_t position, q = 0;
    give(scene.pool, scene.first, p);
    assert_int_equal(ocl_queue_mark(scene.first, &mark, &position), OCL_OK);
    let_go(gate);
    assert_int_equal(clWaitForEvents(1, &mark), CL_SUCCESS);
    clReleaseEvent(mark);
    for (int i = 0; i < 1000 && q != p; i++)
        q = take(scene.pool, scene.second, BYTES);
    assert_int_equal(q, p);
    close_scene(&scene);
}

TEST_BODY(ordered_reuses_what_a_queue_that_is_gone_freed)
{
    struct scene scene = open_streams();
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_THRESHOLD, UINT64_MAX);
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    give(scene.pool, scene.first, p);
    assert_int_equal(ocl_queue_finish(scene.first), OCL_OK);
    ocl_queue_destroy(scene.first);
    assert_int_equal(take(scene.pool, scene.second, BYTES), p);
    close_scene(&scene);
}

static struct ocl_event *record(struct ocl_queue *queue)
{
    struct ocl_event *event = NULL;
    assert_int_equal(ocl_event_create(ocl_queue_context(queue), false, &event), OCL_OK);
    assert_int_equal(ocl_event_record(event, queue), OCL_OK);
    return event;
}

TEST_BODY(ordered_follows_events)
{
    struct scene scene = open_streams();
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    const cl_event gate = hold(scene.first);
    struct ocl_event *before = record(scene.first);
    const int value = 1;
    cl_mem cells = make_cells(scene.context, 1);
    put(scene.first, cells, 0, &value);
    give(scene.pool, scene.first, p);
    struct ocl_event *after = record(scene.first);
    assert_int_equal(ocl_event_wait_in_queue(before, scene.second), OCL_OK);
    assert_int_not_equal(take(scene.pool, scene.second, BYTES), p);
    assert_int_equal(ocl_event_wait_in_queue(after, scene.second), OCL_OK);
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_FOLLOW_EVENTS, 0);
    assert_int_not_equal(take(scene.pool, scene.second, BYTES), p);
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_FOLLOW_EVENTS, 1);
    assert_int_equal(take(scene.pool, scene.second, BYTES), p);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(scene.first), OCL_OK);
    ocl_event_destroy(before);
    ocl_event_destroy(after);
    clReleaseMemObject(cells);
    close_scene(&scene);
}

/* More waits than a queue remembers: forgotten ones cost memory, never order. */
TEST_BODY(ordered_forgets_old_waits_safely)
{
    struct scene scene = open_streams();
    struct ocl_queue *queues[OCL_QUEUE_WAITS + 1];
    uint64_t freed[OCL_QUEUE_WAITS + 1];
    cl_event gates[OCL_QUEUE_WAITS + 1];
    for (int i = 0; i <= OCL_QUEUE_WAITS; i++) {
        queues[i] = make_queue(scene.context, OCL_QUEUE_NON_BLOCKING);
        freed[i] = take(scene.pool, queues[i], BYTES);
        gates[i] = hold(queues[i]);
        give(scene.pool, queues[i], freed[i]);
        struct ocl_event *event = record(queues[i]);
        assert_int_equal(ocl_event_wait_in_queue(event, scene.second), OCL_OK);
        ocl_event_destroy(event);
    }
    for (int i = 0; i <= OCL_QUEUE_WAITS; i++)
        assert_int_not_equal(take(scene.pool, scene.second, BYTES), freed[0]);
    for (int i = 0; i <= OCL_QUEUE_WAITS; i++)
        let_go(gates[i]);
    close_scene(&scene);
}

static void check_legacy_order(enum ocl_queue_kind first, enum ocl_queue_kind second)
{
    struct scene scene = open_scene(first, second, 0);
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    const cl_event gate = hold(scene.first);
    give(scene.pool, scene.first, p);
    assert_int_equal(take(scene.pool, scene.second, BYTES), p);
    assert_int_equal(ocl_queue_query(scene.second), OCL_E_NOT_READY);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(scene.second), OCL_OK);
    close_scene(&scene);
}

/* What orders the legacy queue and blocking ones also orders their memory. */
TEST_BODY(ordered_follows_the_legacy_queue)
{
    check_legacy_order(OCL_QUEUE_LEGACY, OCL_QUEUE_BLOCKING);
    check_legacy_order(OCL_QUEUE_BLOCKING, OCL_QUEUE_LEGACY);
}

/* A free in a blocking queue comes after the legacy queue's earlier work, and the other way
 * round. */
TEST_BODY(ordered_free_waits_for_the_legacy_queue)
{
    for (int turn = 0; turn < 2; turn++) {
        struct scene scene = open_scene(turn == 0 ? OCL_QUEUE_LEGACY : OCL_QUEUE_BLOCKING,
                                        turn == 0 ? OCL_QUEUE_BLOCKING : OCL_QUEUE_LEGACY, 0);
        struct ocl_queue *third = make_queue(scene.context, OCL_QUEUE_NON_BLOCKING);
        const uint64_t p = take(scene.pool, scene.first, BYTES);
        const cl_event gate = hold(scene.first);
        give(scene.pool, scene.second, p);
        assert_int_not_equal(take(scene.pool, third, BYTES), p);
        let_go(gate);
        close_scene(&scene);
    }
}

/* --- Limits --- */

TEST_BODY(ordered_waits_in_the_queue_when_memory_is_short)
{
    struct scene scene =
        open_scene(OCL_QUEUE_NON_BLOCKING, OCL_QUEUE_NON_BLOCKING, BYTES + BYTES / 2);
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    uint64_t q = 0;
    const cl_event gate = hold(scene.first);
    give(scene.pool, scene.first, p);
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_INTERNAL, 0);
    assert_int_equal(ocl_ordered_allocate(scene.pool, scene.context, scene.second, BYTES, &q),
                     OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_queue_query(scene.second), OCL_OK);
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_INTERNAL, 1);
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_FOLLOW_EVENTS, 0);
    assert_int_equal(take(scene.pool, scene.second, BYTES), p);
    assert_int_equal(ocl_queue_query(scene.second), OCL_E_NOT_READY);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(scene.second), OCL_OK);
    close_scene(&scene);
}

TEST_BODY(ordered_holds_no_more_than_its_limit)
{
    struct scene scene = open_scene(OCL_QUEUE_NON_BLOCKING, OCL_QUEUE_NON_BLOCKING, 1 << 20);
    uint64_t q = 0;
    const uint64_t p = take(scene.pool, scene.first, 600000);
    assert_int_equal(ocl_ordered_allocate(scene.pool, scene.context, scene.first, 600000, &q),
                     OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_ordered_allocate(scene.pool, scene.context, scene.first, SIZE_MAX, &q),
                     OCL_E_OUT_OF_MEMORY);
    give(scene.pool, scene.first, p);
    /* of another size: what is kept and complete makes room */
    (void)take(scene.pool, scene.first, 900000);
    assert_true(get(scene.pool, OCL_ORDERED_RESERVED) <= 1 << 20);
    assert_true(get(scene.pool, OCL_ORDERED_RESERVED_HIGH) <= 1 << 20);
    close_scene(&scene);
}

TEST_BODY(ordered_failures_leave_no_marks)
{
    struct scene scene = open_streams();
    uint64_t p = 7;
    assert_int_not_equal(
        ocl_ordered_allocate(scene.pool, scene.context, scene.first, (size_t)1 << 50, &p), OCL_OK);
    assert_int_not_equal(ocl_ordered_allocate(scene.pool, scene.context, scene.first, SIZE_MAX, &p),
                         OCL_OK);
    assert_int_equal(p, 7);
    assert_int_equal(get(scene.pool, OCL_ORDERED_RESERVED), 0);
    assert_int_equal(get(scene.pool, OCL_ORDERED_RESERVED_HIGH), 0);
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED), 0);
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED_HIGH), 0);
    close_scene(&scene);
}

/* --- Counting and giving back --- */

TEST_BODY(ordered_counts_what_is_used_and_held)
{
    struct scene scene = open_streams();
    const uint64_t p = take(scene.pool, scene.first, BYTES), q = take(scene.pool, scene.first, 1);
    const uint64_t reserved = get(scene.pool, OCL_ORDERED_RESERVED);
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED), BYTES + 1);
    assert_true(reserved >= BYTES + 256 && reserved <= BYTES + BYTES / 8 + 256);
    give(scene.pool, scene.first, q);
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED), BYTES);
    assert_int_equal(get(scene.pool, OCL_ORDERED_RESERVED), reserved);
    give(scene.pool, scene.first, p);
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED), 0);
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED_HIGH), BYTES + 1);
    assert_int_equal(get(scene.pool, OCL_ORDERED_RESERVED_HIGH), reserved);
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_USED_HIGH, 0);
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED_HIGH), 0);
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_RESERVED_HIGH, 0);
    assert_int_equal(get(scene.pool, OCL_ORDERED_RESERVED_HIGH), reserved);
    close_scene(&scene);
}

TEST_BODY(ordered_keeps_its_threshold_when_somebody_waits)
{
    struct scene scene = open_streams();
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_THRESHOLD, BYTES + BYTES / 4);
    for (int turn = 0; turn < 3; turn++) {
        const uint64_t p = take(scene.pool, scene.first, BYTES);
        const uint64_t q = take(scene.pool, scene.first, BYTES);
        give(scene.pool, scene.first, p);
        give(scene.pool, scene.first, q);
        assert_true(get(scene.pool, OCL_ORDERED_RESERVED) >= 2 * BYTES);
        struct ocl_event *event = record(scene.first);
        if (turn == 0)
            assert_int_equal(ocl_queue_finish(scene.first), OCL_OK);
        else if (turn == 1)
            assert_int_equal(ocl_event_wait(event), OCL_OK);
        else
            assert_int_equal(ocl_queues_finish(scene.context), OCL_OK);
        ocl_event_destroy(event);
        assert_true(get(scene.pool, OCL_ORDERED_RESERVED) >= BYTES);
        assert_true(get(scene.pool, OCL_ORDERED_RESERVED) <= BYTES + BYTES / 4);
    }
    close_scene(&scene);
}

/* What queued work may still use stays, whoever waits for what. */
TEST_BODY(ordered_gives_back_only_what_is_complete)
{
    struct scene scene = open_streams();
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    const cl_event gate = hold(scene.first);
    give(scene.pool, scene.first, p);
    give(scene.pool, scene.second, take(scene.pool, scene.second, 3 * BYTES));
    assert_int_equal(ocl_queue_finish(scene.second), OCL_OK);
    ocl_ordered_pool_trim(scene.pool, 0);
    const uint64_t reserved = get(scene.pool, OCL_ORDERED_RESERVED);
    assert_true(reserved >= BYTES && reserved < 2 * BYTES);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(scene.first), OCL_OK);
    assert_int_equal(get(scene.pool, OCL_ORDERED_RESERVED), 0);
    close_scene(&scene);
}

TEST_BODY(ordered_trims_to_what_is_asked)
{
    struct scene scene = open_streams();
    uint64_t blocks[8];
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_THRESHOLD, UINT64_MAX);
    for (int i = 0; i < 8; i++)
        blocks[i] = take(scene.pool, scene.first, BYTES);
    for (int i = 1; i < 8; i++)
        give(scene.pool, scene.first, blocks[i]);
    assert_int_equal(ocl_queue_finish(scene.first), OCL_OK);
    const uint64_t one = get(scene.pool, OCL_ORDERED_RESERVED) / 8;
    ocl_ordered_pool_trim(scene.pool, 9 * one);
    assert_int_equal(get(scene.pool, OCL_ORDERED_RESERVED), 8 * one);
    ocl_ordered_pool_trim(scene.pool, 3 * one);
    assert_int_equal(get(scene.pool, OCL_ORDERED_RESERVED), 3 * one);
    ocl_ordered_pool_trim(scene.pool, 0);
    assert_int_equal(get(scene.pool, OCL_ORDERED_RESERVED), one);
    assert_true(is_known(blocks[0]));
    close_scene(&scene);
}

/* --- Ends --- */

TEST_BODY(ordered_refuses_what_starts_nowhere)
{
    struct scene scene = open_streams();
    void *host = NULL;
    uint64_t device = 0;
    assert_int_equal(ocl_memory_allocate_host(scene.context, 4096, 0, &host, &device), OCL_OK);
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    const void *const wrong[] = {NULL, &scene, at(p + 1), at(p + BYTES - 1), host};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(ocl_ordered_free(scene.first, scene.pool, wrong[i]), OCL_E_NOT_FOUND);
    give(scene.pool, scene.first, p);
    assert_int_equal(ocl_ordered_free(scene.first, scene.pool, at(p)), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, at(p)), OCL_E_NOT_FOUND);
    close_scene(&scene);
}

/* Free without a queue is free behind the legacy queue and the blocking ones, and waits for
 * nobody. */
TEST_BODY(ordered_memory_is_freed_without_a_queue_too)
{
    struct scene scene = open_streams();
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_THRESHOLD, UINT64_MAX);
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, at(p)), OCL_OK);
    assert_false(is_known(p));
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED), 0);
    cl_event gate = hold(scene.second);
    assert_int_equal(take(scene.pool, scene.second, BYTES), p);
    let_go(gate);
    struct ocl_queue *blocking = make_queue(scene.context, OCL_QUEUE_BLOCKING);
    gate = hold(blocking);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, at(p)), OCL_OK);
    assert_int_not_equal(take(scene.pool, scene.first, BYTES), p);
    let_go(gate);
    close_scene(&scene);
}

TEST_BODY(ordered_takes_memory_that_no_pool_made)
{
    struct scene scene = open_streams();
    uint64_t p = 0;
    assert_int_equal(ocl_memory_allocate(scene.context, BYTES, 0, &p), OCL_OK);
    const cl_event gate = hold(scene.first);
    give(scene.pool, scene.first, p);
    assert_false(is_known(p));
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED), 0);
    assert_true(get(scene.pool, OCL_ORDERED_RESERVED) >= BYTES);
    assert_int_not_equal(take(scene.pool, scene.second, BYTES), p);
    let_go(gate);
    assert_int_equal(ocl_queues_finish(scene.context), OCL_OK);
    close_scene(&scene);
}

TEST_BODY(ordered_memory_outlives_its_pool)
{
    struct scene scene = open_streams();
    struct ocl_memory_view view;
    const uint64_t p = take(scene.pool, scene.first, BYTES);
    const uint64_t q = take(scene.pool, scene.first, BYTES);
    give(scene.pool, scene.first, q);
    ocl_ordered_pool_destroy(scene.pool);
    assert_true(ocl_memory_find(at(p), &view));
    assert_null(view.pool_owner);
    struct ocl_ordered_pool *other = make_pool(0);
    assert_int_equal(ocl_ordered_free(scene.first, other, at(p)), OCL_OK);
    assert_int_equal(get(other, OCL_ORDERED_RESERVED), 0);
    assert_int_equal(ocl_queue_finish(scene.first), OCL_OK);
    assert_true(ocl_address_is_free(p, 1));
    ocl_ordered_pool_destroy(other);
    ocl_context_close(scene.context);
}

/* Two contexts share a pool; the one that closes takes its memory along and leaves the other's. */
TEST_BODY(ordered_memory_goes_with_its_context)
{
    struct ocl_ordered_pool *pool = make_pool(0);
    struct ocl_context *going = open_context(), *staying = open_context();
    struct ocl_queue *first = ocl_queue_legacy(going), *second = ocl_queue_legacy(staying);
    ocl_ordered_pool_set(pool, OCL_ORDERED_THRESHOLD, UINT64_MAX);
    const uint64_t live = take(pool, first, BYTES), kept = take(pool, first, BYTES);
    give(pool, first, kept);
    const uint64_t others = take(pool, second, BYTES), others_kept = take(pool, second, BYTES);
    assert_int_not_equal(others, kept);
    give(pool, second, others_kept);
    const uint64_t all = get(pool, OCL_ORDERED_RESERVED);
    ocl_context_close(going);
    assert_false(is_known(live));
    assert_true(is_known(others));
    assert_int_equal(get(pool, OCL_ORDERED_RESERVED), all / 2);
    assert_int_equal(get(pool, OCL_ORDERED_USED), BYTES);
    assert_int_equal(take(pool, second, BYTES), others_kept);
    ocl_context_close(staying);
    assert_int_equal(get(pool, OCL_ORDERED_RESERVED), 0);
    ocl_ordered_pool_destroy(pool);
}

/* Memory of one context in the order of another one's queue. */
TEST_BODY(ordered_serves_queues_of_other_contexts)
{
    struct ocl_ordered_pool *pool = make_pool(0);
    struct ocl_context *here = open_context(), *there = open_context();
    struct ocl_queue *queue = make_queue(there, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *own = make_queue(here, OCL_QUEUE_NON_BLOCKING);
    struct ocl_memory_view view;
    uint64_t p = 0, q = 0;
    assert_int_equal(ocl_ordered_allocate(pool, here, queue, BYTES, &p), OCL_OK);
    assert_true(ocl_memory_find(at(p), &view));
    assert_ptr_equal(view.context, here);
    const cl_event gate = hold(queue);
    give(pool, queue, p);
    assert_int_not_equal(take(pool, own, BYTES), p);
    assert_int_equal(ocl_ordered_allocate(pool, there, queue, BYTES, &q), OCL_OK);
    assert_int_not_equal(q, p);
    assert_int_equal(ocl_ordered_allocate(pool, here, queue, BYTES, &q), OCL_OK);
    assert_int_equal(q, p);
    let_go(gate);
    ocl_context_close(there);
    ocl_context_close(here);
    assert_int_equal(get(pool, OCL_ORDERED_RESERVED), 0);
    ocl_ordered_pool_destroy(pool);
}

/* --- Threads --- */

enum { THREADS = 6, ROUNDS = 300, SLOTS = 4, LEAST = 700 };

struct worker {
    struct ocl_context *context;
    struct ocl_ordered_pool *pool;
    struct ocl_queue *queue;
    unsigned number;
    int failures;
};

static bool copy_bytes(struct ocl_queue *queue, uint64_t target, uint64_t source, size_t bytes)
{
    const struct ocl_copy copy = {
        .source = {source, bytes, bytes},
        .target = {target, bytes, bytes},
        .width = bytes,
        .height = 1,
        .depth = 1,
    };
    return ocl_transfer_copy(queue, &copy, OCL_WAIT_ALL) == OCL_OK;
}

/* Writes its pattern and reads it back: whoever else writes there, in whatever queue, is
 * noticed. */
static bool use(struct worker *self, unsigned round)
{
    unsigned char wanted[4 * LEAST], found[4 * LEAST];
    uint64_t slots[SLOTS];
    const size_t bytes = LEAST * (1 + round % 3);
    bool is_good = true;
    for (unsigned i = 0; i < SLOTS; i++) {
        if (ocl_ordered_allocate(self->pool, self->context, self->queue, bytes, &slots[i]) !=
            OCL_OK)
            return false;
        memset(wanted, (int)(self->number * 37 + round + i), bytes);
        is_good &= copy_bytes(self->queue, slots[i], (uint64_t)(uintptr_t)wanted, bytes);
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        memset(wanted, (int)(self->number * 37 + round + i), bytes);
        is_good &= copy_bytes(self->queue, (uint64_t)(uintptr_t)found, slots[i], bytes);
        is_good &= memcmp(wanted, found, bytes) == 0;
        is_good &= ocl_ordered_free(self->queue, self->pool, at(slots[i])) == OCL_OK;
    }
    return is_good;
}

static void *work(void *data)
{
    struct worker *self = data;
    for (unsigned round = 0; round < ROUNDS; round++) {
        self->failures += !use(self, round);
        if (round % 16 == 0)
            self->failures += ocl_queue_finish(self->queue) != OCL_OK;
        if (round % 50 == 0)
            ocl_ordered_pool_trim(self->pool, 0);
    }
    return NULL;
}

TEST_BODY(ordered_serves_many_threads)
{
    struct scene scene = open_streams();
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    ocl_ordered_pool_set(scene.pool, OCL_ORDERED_THRESHOLD, 8 * LEAST);
    for (unsigned i = 0; i < THREADS; i++) {
        struct ocl_queue *queue =
            make_queue(scene.context, i % 2 ? OCL_QUEUE_BLOCKING : OCL_QUEUE_NON_BLOCKING);
        workers[i] = (struct worker){scene.context, scene.pool, queue, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(workers[i].failures, 0);
    assert_int_equal(get(scene.pool, OCL_ORDERED_USED), 0);
    assert_int_equal(ocl_queues_finish(scene.context), OCL_OK);
    close_scene(&scene);
}

/* A pool is trimmed and settled by others while a context with memory in it comes and goes. */
static void *open_and_close(void *data)
{
    struct worker *self = data;
    for (unsigned round = 0; round < 4; round++) {
        struct ocl_context *context = NULL;
        if (ocl_context_open(0, &context) != OCL_OK)
            return data;
        self->context = context;
        self->queue = ocl_queue_legacy(context);
        for (unsigned i = 0; i < 20; i++)
            self->failures += !use(self, i);
        ocl_context_close(context);
    }
    return NULL;
}

TEST_BODY(ordered_contexts_close_while_others_trim)
{
    struct scene scene = open_streams();
    struct worker guest = {NULL, scene.pool, NULL, 9, 0};
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, open_and_close, &guest), 0);
    for (int i = 0; i < 2000; i++) {
        give(scene.pool, scene.first, take(scene.pool, scene.first, BYTES));
        ocl_ordered_pool_trim(scene.pool, 0);
        sched_yield();
    }
    pthread_join(thread, &result);
    assert_null(result);
    assert_int_equal(guest.failures, 0);
    close_scene(&scene);
}
