/* Tests of cl/base/worker.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/worker.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "tests/test.h"

struct note {
    struct ocl_worker_task task;
    int number;
    int *next; /* where the worker's next note goes */
    int *list;
};

static void write_note(struct ocl_worker_task *task)
{
    struct note *note = (struct note *)task;

    note->list[(*note->next)++] = note->number;
}

TEST_BODY(worker_runs_tasks_in_order)
{
    enum { COUNT = 1000 };
    static struct note notes[COUNT];
    static int list[COUNT];
    int next = 0;
    struct ocl_worker *worker = NULL;

    assert_int_equal(ocl_worker_create(&worker), OCL_OK);
    for (int i = 0; i < COUNT; i++) {
        notes[i] = (struct note){{NULL, write_note}, i, &next, list};
        ocl_worker_post(worker, &notes[i].task);
    }
    ocl_worker_destroy(worker); /* runs what was posted */
    assert_int_equal(next, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(list[i], i);
}

TEST_BODY(worker_without_tasks_ends)
{
    struct ocl_worker *worker = NULL;

    assert_int_equal(ocl_worker_create(&worker), OCL_OK);
    ocl_worker_destroy(worker);
    ocl_worker_destroy(NULL);
    assert_int_equal(ocl_worker_create(&worker), OCL_OK);
    assert_int_equal(ocl_worker_start(worker), OCL_OK);
    assert_int_equal(ocl_worker_start(worker), OCL_OK);
    ocl_worker_destroy(worker);
}

struct chain {
    struct ocl_worker_task task;
    struct ocl_worker *worker;
    atomic_int *runs;
    int left;
};

static void run_chain(struct ocl_worker_task *task)
{
    struct chain *chain = (struct chain *)task;

    atomic_fetch_add(chain->runs, 1);
    if (--chain->left > 0)
        ocl_worker_post(chain->worker, &chain->task);
}

/* A task may post again, itself included, also while the worker is being destroyed. */
TEST_BODY(worker_tasks_may_post)
{
    atomic_int runs = 0;
    struct chain chain = {{NULL, run_chain}, NULL, &runs, 500};

    assert_int_equal(ocl_worker_create(&chain.worker), OCL_OK);
    ocl_worker_post(chain.worker, &chain.task);
    ocl_worker_destroy(chain.worker);
    assert_int_equal(atomic_load(&runs), 500);
}

struct ending {
    struct ocl_worker_task task;
    struct ocl_worker *worker;
    atomic_int *step;
};

static void end_own_worker(struct ocl_worker_task *task)
{
    struct ending *ending = (struct ending *)task;

    ocl_worker_destroy(ending->worker);
    atomic_store(ending->step, 1);
}

static void run_after_end(struct ocl_worker_task *task)
{
    struct ending *ending = (struct ending *)task;

    atomic_fetch_add(ending->step, 1);
}

static void wait_for_step(struct ocl_worker_task *task)
{
    struct ending *ending = (struct ending *)task;

    while (atomic_load(ending->step) != 10)
        sched_yield();
}

/* The rest still runs, and the sanitizers see no leak and no use after free. */
TEST_BODY(worker_can_be_destroyed_by_its_own_task)
{
    static atomic_int step;
    static struct ending first, second, third;
    struct ocl_worker *worker = NULL;

    assert_int_equal(ocl_worker_create(&worker), OCL_OK);
    first = (struct ending){{NULL, wait_for_step}, worker, &step};
    second = (struct ending){{NULL, end_own_worker}, worker, &step};
    third = (struct ending){{NULL, run_after_end}, worker, &step};
    ocl_worker_post(worker, &first.task);
    ocl_worker_post(worker, &second.task);
    ocl_worker_post(worker, &third.task);
    atomic_store(&step, 10); /* nothing is posted from outside after this */
    while (atomic_load(&step) != 2)
        sched_yield();
}

struct poster {
    struct ocl_worker *worker;
    struct chain chains[200];
};

static void *post_all(void *data)
{
    struct poster *poster = data;

    for (size_t i = 0; i < sizeof poster->chains / sizeof *poster->chains; i++)
        ocl_worker_post(poster->worker, &poster->chains[i].task);
    return NULL;
}

TEST_BODY(worker_takes_tasks_from_many_threads)
{
    enum { THREADS = 8 };
    static struct poster posters[THREADS];
    pthread_t threads[THREADS];
    atomic_int runs = 0;
    struct ocl_worker *worker = NULL;

    assert_int_equal(ocl_worker_create(&worker), OCL_OK);
    for (int i = 0; i < THREADS; i++) {
        posters[i].worker = worker;
        for (int k = 0; k < 200; k++)
            posters[i].chains[k] = (struct chain){{NULL, run_chain}, worker, &runs, 1};
        assert_int_equal(pthread_create(&threads[i], NULL, post_all, &posters[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ocl_worker_destroy(worker);
    assert_int_equal(atomic_load(&runs), THREADS * 200);
}
