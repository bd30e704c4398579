/* Tests of cl/base/trace.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/trace.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "cl/base/options.h"
#include "tests/cl/captured.h"

enum { THREADS = 8, LINES = 200 };

TEST_BODY(trace_is_silent_when_off)
{
    char printed[1024];
    unsetenv("CLEM_TRACE");
    ocl_trace_on(); /* whatever the other variables make the options say comes before the capture */
    struct capture capture = capture_begin();
    ocl_trace("nobody reads this");
    ocl_log(true, "nor this");
    capture_end(&capture, printed, sizeof printed);
    assert_false(ocl_trace_on());
    assert_string_equal(printed, "");
}

TEST_BODY(trace_prints_one_line_per_message)
{
    char printed[1024];
    setenv("CLEM_TRACE", "1", 1);
    assert_true(ocl_trace_on());
    struct capture capture = capture_begin();
    errno = ERANGE;
    ocl_trace("number %d", 7);
    ocl_trace("a log of a compiler\n\n");
    assert_int_equal(errno, ERANGE);
    capture_end(&capture, printed, sizeof printed);
    assert_string_equal(printed, "clem: number 7\nclem: a log of a compiler\n");
}

static bool is_pending(int number)
{
    sigset_t pending;
    assert_int_equal(sigpending(&pending), 0);
    return sigismember(&pending, number) == 1;
}

/* Nobody reads stderr any more: lines are lost, the program goes on, and its own SIGPIPE stays pending. */
TEST_BODY(trace_survives_a_closed_pipe)
{
    int ends[2];
    sigset_t pipe_signal, before;
    const struct timespec at_once = {0};
    setenv("CLEM_TRACE", "1", 1);
    assert_true(ocl_trace_on());
    struct capture capture = capture_begin();
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    close(ends[0]);
    close(ends[1]);
    signal(SIGPIPE, SIG_DFL);
    ocl_trace("nobody reads this");
    ocl_options_refuse("CLEM_X", "y", "nor this");
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &pipe_signal, &before), 0);
    ocl_trace("nor this");
    const bool is_left = is_pending(SIGPIPE);
    raise(SIGPIPE);
    ocl_trace("nor this");
    const bool is_kept = is_pending(SIGPIPE);
    assert_int_equal(sigtimedwait(&pipe_signal, NULL, &at_once), SIGPIPE);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    capture_end(&capture, (char[16]){0}, 16);
    assert_false(is_left);
    assert_true(is_kept);
}

TEST_BODY(trace_complains_without_tracing)
{
    char printed[1024];
    unsetenv("CLEM_TRACE");
    ocl_trace_on();
    struct capture capture = capture_begin();
    ocl_complain("kernel %s is refused", "k");
    capture_end(&capture, printed, sizeof printed);
    assert_string_equal(printed, "clem: kernel k is refused\n");
}

static int heard_errors, heard_notes;
static char heard_text[64];

static void listen(bool is_error, const char *message)
{
    *(is_error ? &heard_errors : &heard_notes) += 1;
    snprintf(heard_text, sizeof heard_text, "%s", message);
}

TEST_BODY(trace_logs_reach_the_listener_without_tracing)
{
    unsetenv("CLEM_TRACE");
    ocl_log(true, "too early");
    ocl_trace_listen(listen);
    ocl_log(true, "line %d: error", 3);
    assert_string_equal(heard_text, "line 3: error");
    ocl_log(false, "fine");
    ocl_trace("not a log");
    assert_string_equal(heard_text, "fine");
    assert_int_equal(heard_errors, 1);
    assert_int_equal(heard_notes, 1);
    ocl_trace_listen(NULL);
    ocl_log(true, "too late");
    assert_int_equal(heard_errors, 1);
}

static void *print_lines(void *letter)
{
    char word[64];
    memset(word, *(const char *)letter, sizeof word - 1);
    word[sizeof word - 1] = '\0';
    for (int i = 0; i < LINES; i++)
        ocl_trace("%s", word);
    return NULL;
}

TEST_BODY(trace_lines_of_threads_stay_whole)
{
    static char printed[THREADS * LINES * 80];
    pthread_t threads[THREADS];
    char letters[THREADS];
    setenv("CLEM_TRACE", "1", 1);
    ocl_trace_on();
    struct capture capture = capture_begin();
    for (int i = 0; i < THREADS; i++) {
        letters[i] = (char)('a' + i);
        pthread_create(&threads[i], NULL, print_lines, &letters[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(count_text(printed, "\n"), THREADS * LINES);
    for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n")) {
        assert_int_equal(strlen(line), strlen("clem: ") + 63);
        assert_int_equal(strspn(line + 6, (char[]){line[6], '\0'}), 63);
    }
}
