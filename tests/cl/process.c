/* Tests of cl/process.c. What happens at exit or after fork() is looked at in children.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

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
