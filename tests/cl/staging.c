/* Tests of cl/transfer/staging.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer/staging.h"

#include <string.h>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "cl/transfer/transfer_plan.h"
#include "tests/cl/held.h"
#include "tests/cl/refuse.h"

enum { MANY = 2000 };

static struct ocl_chunk *take(struct ocl_context *context, size_t bytes)
{
    struct ocl_chunk *chunk;

    assert_int_equal(ocl_staging_take(context->staging, context->legacy, bytes, true, &chunk),
                     OCL_OK);
    assert_non_null(chunk);
    assert_true(chunk->bytes >= bytes);
    return chunk;
}

/* All chunks of a size, each a place of its own; then there is no more without waiting. */
TEST_BODY(staging_chunks_are_apart_and_end)
{
    struct ocl_context *context = open_context();
    const size_t sizes[] = {100, ocl_plan_limits(context->device->facts.device_class)->chunk};

    for (size_t size = 0; size < 2; size++) {
        struct ocl_chunk *chunks[MANY];
        size_t count = 0;
        do {
            assert_int_equal(ocl_staging_take(context->staging, context->legacy, sizes[size], false,
                                              &chunks[count]),
                             OCL_OK);
            if (chunks[count])
                memset(chunks[count]->host, (int)(count % 251), chunks[count]->bytes);
        } while (chunks[count] && ++count < MANY);
        assert_true(count > 1 && count < MANY);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(chunks[i]->host[0], i % 251);
            assert_int_equal(chunks[i]->host[chunks[i]->bytes - 1], i % 251);
            ocl_staging_give(context->staging, chunks[i], NULL);
        }
    }
    ocl_context_close(context);
}

/* A chunk that a command uses is not handed out while another is to be had or made. */
TEST_BODY(staging_waits_for_the_command_that_uses_a_chunk)
{
    struct ocl_context *context = open_context();
    struct ocl_chunk *used = take(context, 1), *others[47];
    /* With these and the patterns 48, which are three whole blocks. */
    const size_t count = ocl_staging_pattern(context->staging, 0) ? 43 : 47;
    cl_int error;
    cl_event event = clCreateUserEvent(context->cl, &error);

    assert_int_equal(error, CL_SUCCESS);
    clRetainEvent(event);
    ocl_staging_give(context->staging, used, event);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ocl_staging_take(context->staging, context->legacy, 1, false, &others[i]),
                         OCL_OK);
        assert_non_null(others[i]);
        assert_ptr_not_equal(others[i], used);
    }
    let_go(event);
    struct ocl_chunk *again = take(context, 1);
    assert_ptr_equal(again, used);
    assert_null(again->pending);
    ocl_staging_give(context->staging, again, NULL);
    for (size_t i = 0; i < count; i++)
        ocl_staging_give(context->staging, others[i], NULL);
    ocl_context_close(context);
}

/* What commands read stays as it is; when there is no room for more, kernels fill. */
TEST_BODY(staging_patterns_stay)
{
    struct ocl_context *context = open_context();
    const unsigned char *first = ocl_staging_pattern(context->staging, 0x04030201);

    if (!first)
        TEST_SKIP("the device's memory is the host's");
    for (uint32_t pattern = 0; pattern < 20; pattern++) {
        const unsigned char *next = ocl_staging_pattern(context->staging, pattern);
        assert_true(!next || (next[0] == pattern && next[OCL_STAGING_SMALL - 4] == pattern));
    }
    assert_null(ocl_staging_pattern(context->staging, 20));
    assert_ptr_equal(ocl_staging_pattern(context->staging, 0x04030201), first);
    for (size_t i = 0; i < OCL_STAGING_SMALL; i++)
        assert_int_equal(first[i], i % 4 + 1);
    ocl_context_close(context);
}

struct taker {
    struct ocl_context *context;
    size_t bytes;
    unsigned char name; /* what the thread writes */
    unsigned strangers; /* how often another thread's name was there */
};

static void *take_often(void *argument)
{
    struct taker *taker = argument;

    for (int round = 0; round < 300; round++) {
        struct ocl_chunk *chunk = take(taker->context, taker->bytes);
        volatile unsigned char *first = chunk->host; /* TSan and the look below notice two owners */
        *first = taker->name;
        if (round % 8 == 0)
            sched_yield();
        taker->strangers += *first != taker->name;
        ocl_staging_give(taker->context->staging, chunk, NULL);
    }
    return NULL;
}

TEST_BODY(staging_is_shared_by_threads)
{
    struct ocl_context *context = open_context();
    const size_t bytes = ocl_plan_limits(context->device->facts.device_class)->chunk;
    struct taker takers[12];
    pthread_t threads[12];

    for (unsigned char i = 0; i < 12; i++) {
        takers[i] = (struct taker){context, bytes, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, take_often, &takers[i]), 0);
    }
    for (size_t i = 0; i < 12; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(takers[i].strangers, 0);
    }
    ocl_context_close(context);
}

TEST_BODY(staging_twin_is_device_memory_of_the_same_size)
{
    struct ocl_context *context = open_context();
    struct ocl_chunk *chunk = take(context, 1);
    struct ocl_memory_view view;

    assert_int_equal(chunk->twin, 0);
    assert_int_equal(ocl_staging_twin(context->staging, chunk), OCL_OK);
    const uint64_t twin = chunk->twin;
    assert_true(ocl_memory_find((void *)(uintptr_t)twin, &view));
    assert_int_equal(view.kind, OCL_MEMORY_DEVICE);
    assert_true(view.bytes >= chunk->bytes);
    assert_int_equal(ocl_staging_twin(context->staging, chunk), OCL_OK);
    assert_true(chunk->twin == twin);
    ocl_staging_give(context->staging, chunk, NULL);
    ocl_context_close(context);
}

TEST_BODY(staging_has_a_queue_for_other_contexts)
{
    struct ocl_context *here = open_context(), *there = open_context();
    struct ocl_queue *given = make_queue(there, OCL_QUEUE_BLOCKING), *first, *second;

    assert_int_equal(ocl_staging_queue(here->staging, ocl_queue_legacy(there), &first), OCL_OK);
    assert_ptr_equal(first, ocl_queue_legacy(here));
    assert_int_equal(ocl_staging_queue(here->staging, given, &first), OCL_OK);
    assert_int_equal(ocl_staging_queue(here->staging, given, &second), OCL_OK);
    assert_ptr_equal(first, second);
    assert_ptr_equal(ocl_queue_context(first), here);
    ocl_queue_destroy(given);
    ocl_context_close(here);
    ocl_context_close(there);
}

/* ---- Threads that wait for each other's chunks ---- */

struct waiter {
    struct ocl_context *context;
    size_t bytes;
    struct ocl_chunk *chunk;
    ocl_status status;
    pthread_t thread;
};

static void *take_one(void *argument)
{
    struct waiter *waiter = argument;
    waiter->status = ocl_staging_take(waiter->context->staging, waiter->context->legacy,
                                      waiter->bytes, true, &waiter->chunk);
    return NULL;
}

static void begin_waiting(struct waiter *waiter)
{
    assert_int_equal(pthread_create(&waiter->thread, NULL, take_one, waiter), 0);
}

static void end_waiting(const struct waiter *waiter)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += 120;
    assert_int_equal(pthread_clockjoin_np(waiter->thread, NULL, CLOCK_MONOTONIC, &end), 0);
}

static sem_t is_asked, may_refuse;

static bool refuse_slowly(size_t bytes)
{
    (void)bytes;
    sem_post(&is_asked);
    sem_wait(&may_refuse);
    return true;
}

/* All large chunks are just being made, each by one thread, while one more waits for them: when there is no memory, all
 * are told. */
TEST_BODY(staging_lack_of_memory_ends_waiting)
{
    enum { LARGE = 8, WAITERS = LARGE + 1 };
    struct ocl_context *context = open_context();
    struct waiter waiters[WAITERS];

    if (context->capability.host_method > OCL_HOST_USE)
        TEST_SKIP("pinned memory is no buffer here");
    assert_int_equal(sem_init(&is_asked, 0, 0), 0);
    assert_int_equal(sem_init(&may_refuse, 0, 0), 0);
    atomic_store(&refusing, refuse_slowly);
    for (int i = 0; i < WAITERS; i++) {
        waiters[i] = (struct waiter){
            .context = context,
            .bytes = ocl_plan_limits(context->device->facts.device_class)->chunk,
        };
        begin_waiting(&waiters[i]);
        if (i < LARGE)
            sem_wait(&is_asked);
    }
    usleep(50000); /* the last one waits by now */
    for (int i = 0; i < WAITERS; i++)
        sem_post(&may_refuse);
    for (int i = 0; i < WAITERS; i++) {
        end_waiting(&waiters[i]);
        assert_int_equal(waiters[i].status, OCL_E_OUT_OF_MEMORY);
        assert_null(waiters[i].chunk);
    }
    atomic_store(&refusing, NULL);
    ocl_staging_give(context->staging, take(context, waiters[0].bytes), NULL);
    ocl_context_close(context);
}

/* A chunk that is given back goes to who waits for one of its size, whoever else waits. */
TEST_BODY(staging_chunks_reach_who_waits_for_them)
{
    struct ocl_context *context = open_context();
    const size_t sizes[] = {ocl_plan_limits(context->device->facts.device_class)->chunk, 100};
    struct ocl_chunk *last[2] = {NULL, NULL};
    struct waiter waiters[2];

    for (size_t size = 0; size < 2; size++) {
        struct ocl_chunk *chunk, *taken = NULL;
        do {
            assert_int_equal(
                ocl_staging_take(context->staging, context->legacy, sizes[size], false, &chunk),
                OCL_OK);
            if (chunk) {
                chunk->next = taken;
                taken = chunk;
            }
        } while (chunk);
        last[size] = taken;
    }
    for (size_t size = 0; size < 2; size++) {
        waiters[size] = (struct waiter){.context = context, .bytes = sizes[size]};
        begin_waiting(&waiters[size]);
        usleep(50000); /* it waits by now */
    }
    for (size_t size = 2; size-- > 0;) {
        struct ocl_chunk *rest = last[size]->next;
        ocl_staging_give(context->staging, last[size], NULL);
        end_waiting(&waiters[size]);
        assert_int_equal(waiters[size].status, OCL_OK);
        ocl_staging_give(context->staging, waiters[size].chunk, NULL);
        while (rest) {
            struct ocl_chunk *next = rest->next;
            ocl_staging_give(context->staging, rest, NULL);
            rest = next;
        }
    }
    ocl_context_close(context);
}
