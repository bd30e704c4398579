/* Tests of several processes that call CUDA: each is a child of a test that has not called it, and all talk by sockets.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_PROCESSES_H
#define TESTS_FACADE_PROCESSES_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/test.h"

#include <cuda_runtime.h>

/* In a child, where cmocka's checks mean nothing: what does not hold ends it. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: process %d: %s\n", __FILE__, __LINE__, (int)getpid(),          \
                    #condition);                                                                   \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

#define CHECK_CALL(expected, call)                                                                 \
    do {                                                                                           \
        const int check_got = (int)(call), check_expected = (int)(expected);                       \
        if (check_got != check_expected) {                                                         \
            fprintf(stderr, "%s:%d: process %d: %s: %d, not %d\n", __FILE__, __LINE__,             \
                    (int)getpid(), #call, check_got, check_expected);                              \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

#define CHECK_SUCCESS(call) CHECK_CALL(0, call)

static inline void say(int to, const void *data, size_t bytes)
{
    CHECK(send(to, data, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
}

static inline void hear(int from, void *data, size_t bytes)
{
    CHECK(recv(from, data, bytes, MSG_WAITALL) == (ssize_t)bytes);
}

static inline void give_turn(int to)
{
    say(to, "t", 1);
}

static inline void await_turn(int from)
{
    char turn;
    hear(from, &turn, 1);
}

static inline double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A process that runs body(end) and ends with what that returns. */
static inline pid_t start_process(int (*body)(int other), int end, int other_end)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(120);
        close(other_end);
        _exit(body(end));
    }
    return child;
}

static inline int end_of(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Two processes that are connected; both are to end with 0, but the first one with this signal, if any. */
static inline void run_two(int (*first)(int other), int (*second)(int other), int signal_of_first)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const pid_t a = start_process(first, ends[0], ends[1]);
    const pid_t b = start_process(second, ends[1], ends[0]);
    close(ends[0]);
    close(ends[1]);
    const int status_b = end_of(b), status_a = end_of(a);
    assert_int_equal(status_b, 0);
    if (signal_of_first == 0)
        assert_int_equal(status_a, 0);
    else
        assert_true(WIFSIGNALED(status_a) && WTERMSIG(status_a) == signal_of_first);
}

/* One process alone. */
static inline void run_one(int (*body)(int other))
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const pid_t child = start_process(body, ends[0], ends[1]);
    close(ends[0]);
    const int status = end_of(child);
    close(ends[1]);
    assert_int_equal(status, 0);
}

#endif
