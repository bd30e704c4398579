/* A thread that runs posted functions in order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/worker.h"
#include "cl/base/steady.h"
#include "cl/own_thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct ocl_worker {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    struct ocl_worker_task *first;
    struct ocl_worker_task **last; /* where the next task is linked */
    pthread_t thread;
    bool has_thread;
    bool is_done; /* everything has run, and nothing else will */
    bool is_closing;
    bool frees_itself;
};

ocl_status ocl_worker_create(struct ocl_worker **worker)
{
    struct ocl_worker *made = calloc(1, sizeof *made);

    if (made == NULL)
        return OCL_E_OUT_OF_MEMORY;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->posted, NULL);
    made->last = &made->first;
    *worker = made;
    return OCL_OK;
}

static void free_worker(struct ocl_worker *worker)
{
    pthread_cond_destroy(&worker->posted);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}

/* The next task, or NULL when the worker is closing and everything has run. */
static struct ocl_worker_task *next_task(struct ocl_worker *worker)
{
    struct ocl_worker_task *task;

    pthread_mutex_lock(&worker->lock);
    while (worker->first == NULL && !worker->is_closing)
        ocl_steady_wait(&worker->posted, &worker->lock);
    task = worker->first;
    if (task != NULL) {
        worker->first = task->next;
        if (worker->first == NULL)
            worker->last = &worker->first;
    }
    pthread_mutex_unlock(&worker->lock);
    return task;
}

static void run_tasks(struct ocl_worker *worker)
{
    struct ocl_worker_task *task;

    while ((task = next_task(worker)) != NULL)
        task->function(task);
}

static void end_thread(struct ocl_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->is_done = true;
    const bool frees_itself = worker->frees_itself;
    pthread_mutex_unlock(&worker->lock);
    if (frees_itself)
        free_worker(worker);
}

static ocl_status start_thread(struct ocl_worker *worker);

/* A task ended its thread, by pthread_exit() or as it was cancelled: another one does what is left. Without memory for it
 * that waits for the next post, and at the end of the worker it is done here. */
static void replace_thread(void *data)
{
    struct ocl_worker *worker = data;

    pthread_mutex_lock(&worker->lock);
    if (!worker->is_closing)
        pthread_detach(pthread_self()); /* who closes the worker joins it, or has detached it */
    worker->has_thread = false;
    const bool is_needed = worker->is_closing || worker->first != NULL;
    const bool is_replaced = is_needed && start_thread(worker) == OCL_OK;
    if (is_replaced && worker->frees_itself)
        pthread_detach(worker->thread);
    const bool is_last = worker->is_closing && !is_replaced;
    pthread_mutex_unlock(&worker->lock);
    if (is_last) {
        run_tasks(worker);
        end_thread(worker);
    }
}

static void *thread_main(void *argument)
{
    struct ocl_worker *worker = argument;

    pthread_cleanup_push(replace_thread, worker);
    run_tasks(worker);
    pthread_cleanup_pop(0);
    end_thread(worker);
    return NULL;
}

/* Worker's lock held. */
static ocl_status start_thread(struct ocl_worker *worker)
{
    if (worker->has_thread)
        return OCL_OK;
    worker->has_thread = own_thread_start(&worker->thread, 0, thread_main, worker);
    return worker->has_thread ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

ocl_status ocl_worker_start(struct ocl_worker *worker)
{
    ocl_status status;

    pthread_mutex_lock(&worker->lock);
    status = start_thread(worker);
    pthread_mutex_unlock(&worker->lock);
    return status;
}

void ocl_worker_post(struct ocl_worker *worker, struct ocl_worker_task *task)
{
    task->next = NULL;
    pthread_mutex_lock(&worker->lock);
    *worker->last = task;
    worker->last = &task->next;
    /* Without a thread the task waits for the next post or start, or for the end of the worker. */
    (void)start_thread(worker);
    /* Signalled under the lock: as soon as the task can run, it may lead to the end of the worker.
     */
    pthread_cond_signal(&worker->posted);
    pthread_mutex_unlock(&worker->lock);
}

bool ocl_worker_is_this_thread(struct ocl_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    const bool is_it = worker->has_thread && pthread_equal(worker->thread, pthread_self()) != 0;
    pthread_mutex_unlock(&worker->lock);
    return is_it;
}

void ocl_worker_destroy(struct ocl_worker *worker)
{
    pthread_t thread;

    if (worker == NULL)
        return;
    pthread_mutex_lock(&worker->lock);
    worker->is_closing = true;
    if (worker->first != NULL)
        (void)start_thread(worker);
    if (!worker->has_thread) {
        pthread_mutex_unlock(&worker->lock);
        run_tasks(worker);
        free_worker(worker);
        return;
    }
    thread = worker->thread;
    worker->frees_itself = pthread_equal(thread, pthread_self()) != 0;
    pthread_cond_signal(&worker->posted);
    if (worker->frees_itself) {
        pthread_detach(thread);
        pthread_mutex_unlock(&worker->lock);
        return;
    }
    while (!worker->is_done) { /* a task may end its thread, and another one goes on */
        thread = worker->thread;
        pthread_mutex_unlock(&worker->lock);
        pthread_join(thread, NULL);
        pthread_mutex_lock(&worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    free_worker(worker);
}
