/* Tests of cl/base/whole.c, under a timer whose handler interrupts system calls.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/test.h"

static volatile sig_atomic_t interruptions;

static void count(int signal)
{
    (void)signal;
    interruptions++;
}

static void interrupt_often(bool is_often)
{
    const struct sigaction action = {.sa_handler = count};
    const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    interruptions = 0;
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, is_often ? &often : &never, NULL), 0);
}

enum { BYTES = 300000 };

/* Takes what a pipe holds, in small parts. */
static void *drain(void *data)
{
    static char text[BYTES];
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* it is the writer that is interrupted */
    size_t used = 0;
    while (used < BYTES) {
        const size_t part = BYTES - used < 4999 ? BYTES - used : 4999;
        const ssize_t got = read(*(int *)data, text + used, part);
        if (got <= 0)
            break;
        used += (size_t)got;
        usleep(200);
    }
    return text;
}

TEST_BODY(whole_write_writes_all)
{
    int ends[2];
    pthread_t reader;
    void *text = NULL;
    char *sent = malloc(BYTES);
    assert_non_null(sent);
    for (int i = 0; i < BYTES; i++)
        sent[i] = (char)(i * 7);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(pthread_create(&reader, NULL, drain, &ends[0]), 0);
    interrupt_often(true);
    assert_true(whole_write(ends[1], sent, BYTES));
    interrupt_often(false);
    close(ends[1]);
    assert_int_equal(pthread_join(reader, &text), 0);
    assert_memory_equal(text, sent, BYTES);
    close(ends[0]);
    free(sent);
    errno = 0;
    assert_false(whole_write(-1, "x", 1));
    assert_int_equal(errno, EBADF);
}

static void *trickle(void *data)
{
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    for (int i = 0; i < 20 && write(*(int *)data, "abcde", 5) == 5; i++)
        usleep(1000);
    close(*(int *)data);
    return NULL;
}

TEST_BODY(whole_read_reads_all)
{
    int ends[2];
    pthread_t writer;
    char first[7] = "";
    size_t bytes = 0;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(pthread_create(&writer, NULL, trickle, &ends[1]), 0);
    interrupt_often(true);
    assert_int_equal(whole_read(ends[0], first, 6), 6);
    char *rest = whole_rest(ends[0], &bytes);
    interrupt_often(false);
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_string_equal(first, "abcdea");
    assert_int_equal(bytes, 94);
    assert_int_equal(strlen(rest), 94);
    assert_int_equal(whole_read(ends[0], first, 6), 0);
    free(rest);
    close(ends[0]);
    assert_int_equal(whole_read(-1, first, 6), -1);
    assert_null(whole_rest(-1, NULL));
}

TEST_BODY(whole_wait_and_pause_last)
{
    struct timespec before, after;
    int status = 0;
    interrupt_often(true);
    const pid_t child = fork();
    if (child == 0) {
        usleep(20000);
        _exit(3);
    }
    assert_true(whole_wait(child, &status));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_false(whole_wait(child, &status));
    assert_int_equal(status, 0);
    assert_true(interruptions > 1);
    clock_gettime(CLOCK_MONOTONIC, &before);
    whole_pause(20000000);
    clock_gettime(CLOCK_MONOTONIC, &after);
    interrupt_often(false);
    assert_true((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >=
                20000000L);
}
