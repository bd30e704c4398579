/* Tests of cl/base/process.c. What happens at exit or after fork() is looked at in children.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/cl/held.h"

/* The exit status of a child that runs body, which ends it. */
static int run_child(void (*body)(void))
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body();
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void end_with_forked(void)
{
    _exit(ocl_process_is_forked() ? 1 : 0);
}

TEST_BODY(process_fork_is_noticed_in_the_child_only)
{
    assert_int_equal(run_child(end_with_forked), 0); /* before the watch there is nothing to lose */
    ocl_process_watch();
    assert_false(ocl_process_is_forked());
    assert_int_equal(run_child(end_with_forked), 1);
    assert_false(ocl_process_is_forked());
}

static void end_with_exiting(void)
{
    _exit(ocl_process_is_exiting() ? 1 : 0);
}

/* An older handler runs after ours, as a driver's must not and a program's may. */
static void exit_with_older_handler(void)
{
    atexit(end_with_exiting);
    ocl_process_watch();
    exit(0);
}

static void exit_with_younger_handler(void)
{
    ocl_process_watch();
    atexit(end_with_exiting);
    exit(0);
}

static void exit_with_renewed_watch(void)
{
    ocl_process_watch();
    atexit(end_with_exiting);
    ocl_process_watch();
    exit(0);
}

TEST_BODY(process_exit_is_noticed_by_older_handlers)
{
    assert_false(ocl_process_is_exiting());
    assert_int_equal(run_child(exit_with_older_handler), 1);
    assert_int_equal(run_child(exit_with_younger_handler), 0);
    assert_int_equal(run_child(exit_with_renewed_watch), 1);
}

/* Whether a child that only calls exit() ends; in ten seconds, or not at all. */
static bool ends_by_itself(void)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    int status = 0;
    pid_t ended = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        exit(0);
    for (int naps = 0; naps < 5000 && ended == 0; naps++) {
        ended = waitpid(child, &status, WNOHANG);
        nanosleep(&nap, NULL);
    }
    if (ended == 0) {
        kill(child, SIGKILL);
        (void)waitpid(child, &status, 0);
    }
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Whoever holds a lock at the fork is not in the child, and what runs is not the child's to wait for. */
TEST_BODY(process_forked_child_exits_whatever_is_locked)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    pthread_mutex_t *const locks[] = {&queue->order_lock,    &queue->lock,
                                      &context->memory_lock, &context->queue_lock,
                                      &context->block_lock,  &context->pin_lock};
    const cl_event gate = hold(queue);
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++) {
        pthread_mutex_lock(locks[i]);
        const bool has_ended = ends_by_itself();
        pthread_mutex_unlock(locks[i]);
        assert_true(has_ended);
    }
    let_go(gate);
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}
