/* How a process that a test starts ends, and what it wrote to stderr. It is a child of a process that has not begun with
 * OpenCL.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_ENDED_H
#define TESTS_FACADE_ENDED_H

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

/* The status with which a child ends that cannot test what is to be tested. */
enum { ENDED_SKIPPED = 77 };

static inline void ended_read(int from, char *text, size_t room)
{
    size_t got = 0;
    for (ssize_t part; (part = read(from, text + got, room - 1 - got)) > 0;)
        got += (size_t)part;
    text[got] = '\0';
}

/* Returns the status as waitpid() has it; work that returns ends the child with 0. Skips the test where the child asks for
 * that: why says for what reason. */
static inline int ended_run(void (*work)(const void *argument), const void *argument, char *text,
                            size_t room, const char *why)
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka has one of its own */
        dup2(ends[1], STDERR_FILENO);
        work(argument);
        _exit(0);
    }
    close(ends[1]);
    ended_read(ends[0], text, room);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == ENDED_SKIPPED)
        TEST_SKIP("%s", why);
    return status;
}

#endif
