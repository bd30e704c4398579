/* Tests of cl/queue/chain.c: a thread of the test is in the place of the driver's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/chain.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "cl/base/deadline.h"
#include "cl/memory.h"
#include "cl/transfer.h"
#include "tests/cl/held.h"

enum { PARTS = 8 };

/* Parts that the driver's thread begins, and leaves to who waits as long as nobody has come. */
struct shared {
    struct ocl_piece_of_chain piece;
    struct ocl_parts parts;
    unsigned milliseconds;  /* how long it is left */
    _Atomic unsigned by[2]; /* parts: the driver's, and those of who waited */
    _Atomic bool has_begun;
};

static bool share(struct ocl_piece_of_chain *piece, bool is_waiting)
{
    struct shared *shared = (struct shared *)piece;
    const uint64_t end = ocl_deadline_after(shared->milliseconds);
    uint64_t part;
    bool is_any = false;
    atomic_store(&shared->has_begun, true);
    while (!is_waiting && atomic_load(&shared->by[true]) == 0 && ocl_now() < end)
        ;
    for (; ocl_parts_take(&shared->parts, is_waiting, 1, &part) > 0; is_any = true)
        atomic_fetch_add(&shared->by[is_waiting], 1);
    return is_any;
}

static void run(struct ocl_piece_of_chain *piece)
{
    (void)share(piece, false);
}

static void do_nothing(struct ocl_piece_of_chain *piece)
{
    (void)piece;
}

struct driver {
    struct ocl_chain *chains[2];
    unsigned milliseconds; /* until it comes to them */
};

/* As the driver's command does it. */
static void *run_chains(void *unknown)
{
    const struct driver *driver = unknown;
    const uint64_t begin = ocl_deadline_after(driver->milliseconds);
    while (driver->milliseconds > 0 && ocl_now() < begin)
        ;
    for (int i = 0; i < 2 && driver->chains[i]; i++)
        (*(void (**)(struct ocl_chain *))driver->chains[i])(driver->chains[i]);
    return NULL;
}

static struct ocl_chain *make_chain(struct ocl_queue *queue, struct ocl_piece_of_chain *piece)
{
    struct ocl_chain *chain = ocl_chain_make(queue, piece);
    assert_non_null(chain);
    ocl_chain_opened(queue, chain, true);
    return chain;
}

static struct ocl_context *open_with_processors(void)
{
    struct ocl_context *context = open_context();
    if (context->device->facts.compute_units < 2) {
        ocl_context_close(context);
        TEST_SKIP("nobody shares the work of a sole processor");
    }
    return context;
}

/* Whoever waits shares what the driver is at, though more has come behind it since. */
TEST_BODY(chain_who_waits_helps_with_an_earlier_one)
{
    struct ocl_context *context = open_with_processors();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct shared shared = {.piece = {run, share}, .milliseconds = 10000};
    struct ocl_piece_of_chain last = {do_nothing, NULL};
    struct driver driver = {0};
    pthread_t thread;
    uint64_t position;
    ocl_parts_begin(&shared.parts, PARTS);
    driver.chains[0] = make_chain(queue, &shared.piece);
    ocl_chain_close(queue); /* by another command */
    driver.chains[1] = make_chain(queue, &last);
    assert_int_equal(pthread_create(&thread, NULL, run_chains, &driver), 0);
    while (!atomic_load(&shared.has_begun))
        ;
    (void)ocl_chain_await(queue, &position);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(atomic_load(&shared.by[true]) > 0);
    assert_int_equal(atomic_load(&shared.by[true]) + atomic_load(&shared.by[false]), PARTS);
    assert_true(ocl_chain_is_done(queue, &position));
    ocl_context_close(context);
}

/* The driver is at something else first: who waits leaves it the processors, and shares what comes then. */
TEST_BODY(chain_who_waits_sleeps_until_it_begins)
{
    struct ocl_context *context = open_with_processors();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct shared shared = {.piece = {run, share}, .milliseconds = 10000};
    struct driver driver = {.chains = {make_chain(queue, &shared.piece)}, .milliseconds = 10};
    pthread_t thread;
    uint64_t position;
    ocl_parts_begin(&shared.parts, PARTS);
    assert_int_equal(pthread_create(&thread, NULL, run_chains, &driver), 0);
    (void)ocl_chain_await(queue, &position);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(atomic_load(&shared.by[true]) > 0);
    assert_true(ocl_chain_is_done(queue, &position));
    ocl_context_close(context);
}

struct waiter {
    struct ocl_queue *queue;
    _Atomic bool has_begun, has_come_back;
};

static void *wait_for_queue(void *unknown)
{
    struct waiter *waiter = unknown;
    uint64_t position;
    atomic_store(&waiter->has_begun, true);
    (void)ocl_chain_await(waiter->queue, &position);
    atomic_store(&waiter->has_come_back, true);
    return NULL;
}

/* A thread that is cancelled while it sleeps holds what it has found: it comes back first. */
TEST_BODY(chain_who_sleeps_is_not_cancelled)
{
    enum { PAUSE_NS = 2000000 };
    struct ocl_context *context = open_with_processors();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct shared shared = {.piece = {run, share}};
    struct driver driver = {.chains = {make_chain(queue, &shared.piece)}, .milliseconds = 30};
    struct waiter waiter = {.queue = queue};
    pthread_t drives, waits;
    ocl_parts_begin(&shared.parts, PARTS);
    assert_int_equal(pthread_create(&drives, NULL, run_chains, &driver), 0);
    assert_int_equal(pthread_create(&waits, NULL, wait_for_queue, &waiter), 0);
    while (!atomic_load(&waiter.has_begun))
        ;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    assert_int_equal(pthread_cancel(waits), 0);
    assert_int_equal(pthread_join(waits, NULL), 0);
    assert_int_equal(pthread_join(drives, NULL), 0);
    assert_true(atomic_load(&waiter.has_come_back));
    ocl_context_close(context);
}

static void take_long(struct ocl_piece_of_chain *piece)
{
    enum { LONG_NS = 300000 };
    const uint64_t end = ocl_now() + LONG_NS;
    (void)piece;
    while (ocl_now() < end)
        ;
}

/* One round; whether who waited did a part. */
static bool shares_behind_long_piece(struct ocl_queue *queue)
{
    struct ocl_piece_of_chain first = {take_long, NULL};
    struct shared shared = {.piece = {run, share}, .milliseconds = 20};
    struct driver driver = {.chains = {make_chain(queue, &first)}};
    pthread_t thread;
    uint64_t position;
    ocl_parts_begin(&shared.parts, PARTS);
    assert_true(ocl_chain_add(queue, &shared.piece));
    assert_int_equal(pthread_create(&thread, NULL, run_chains, &driver), 0);
    (void)ocl_chain_await(queue, &position);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return atomic_load(&shared.by[true]) > 0;
}

/* Whether the calling thread keeps its processor for half a millisecond, as a thread that waits has to. */
static bool keeps_processor(void)
{
    enum { LONG_NS = 500000, LOST_NS = 20000 };
    const uint64_t begin = ocl_now();
    bool keeps = true;
    for (uint64_t last = begin, now; last - begin < LONG_NS; last = now) {
        now = ocl_now();
        keeps &= now - last < LOST_NS;
    }
    return keeps;
}

/* Also where the driver is at something else for a while before it. Who loses the processor meanwhile gives up, and so do others for
 * a moment. */
TEST_BODY(chain_who_waits_stays_for_what_can_be_shared)
{
    enum { ROUNDS = 100 };
    const struct timespec moment = {.tv_nsec = 25000000};
    struct ocl_context *context = open_with_processors();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    unsigned kept = 0;
    bool is_shared = false;
    for (int i = 0; i < ROUNDS && !is_shared; i++) {
        nanosleep(&moment, NULL);
        kept += keeps_processor();
        is_shared = shares_behind_long_piece(queue);
    }
    ocl_context_close(context);
    if (!is_shared && kept < ROUNDS * 9 / 10)
        TEST_SKIP("others have the processors");
    assert_true(is_shared);
}

/* A copy within the device comes behind launches in their command, which more may follow. */
TEST_BODY(chain_copies_come_within_it)
{
    enum { BYTES = 1 << 20, ODD = 100 };
    static unsigned char words[BYTES];
    struct ocl_context *context = open_with_processors();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct ocl_piece_of_chain first = {do_nothing, NULL};
    struct driver driver = {0};
    uint64_t from, to, position;
    pthread_t thread;
    if (!context->capability.device_is_host_memory)
        TEST_SKIP("the device's memory is its own");
    assert_int_equal(ocl_memory_allocate(context, BYTES, 0, &from), OCL_OK);
    assert_int_equal(ocl_memory_allocate(context, BYTES, 0, &to), OCL_OK);
    for (size_t i = 0; i < BYTES; i++)
        words[i] = (unsigned char)(i * 7 + i / 251);
    const struct ocl_copy in = ocl_copy_linear(from, (uint64_t)(uintptr_t)words, BYTES),
                          within = ocl_copy_linear(to, from, BYTES - ODD),
                          out = ocl_copy_linear((uint64_t)(uintptr_t)words, to, BYTES);
    assert_int_equal(ocl_transfer_copy(queue, &in, OCL_WAIT_ALL), OCL_OK);
    driver.chains[0] = make_chain(queue, &first);
    assert_int_equal(ocl_transfer_copy(queue, &within, OCL_WAIT_SOURCE), OCL_OK);
    assert_ptr_equal(atomic_load(&queue->chain), driver.chains[0]);
    assert_int_equal(pthread_create(&thread, NULL, run_chains, &driver), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(ocl_chain_is_done(queue, &position));
    memset(words, 0, sizeof words);
    assert_int_equal(ocl_transfer_copy(queue, &out, OCL_WAIT_ALL), OCL_OK);
    for (size_t i = 0; i < BYTES - ODD; i++)
        assert_int_equal(words[i], (unsigned char)(i * 7 + i / 251));
    ocl_context_close(context);
}
