/* System calls carried through.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Until the state is restored by end_steady(), pthread_cancel() ends the thread in no call here: whoever called expects to
 * come back. */
static int begin_steady(void)
{
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static void end_steady(int before)
{
    pthread_setcancelstate(before, &(int){0});
}

int whole_open(const char *path, int flags, mode_t mode)
{
    const int before = begin_steady();
    int file;
    do
        file = open(path, flags | O_CLOEXEC, mode);
    while (file < 0 && errno == EINTR);
    end_steady(before);
    return file;
}

int whole_above_streams(int file)
{
    if (file < 0 || file > STDERR_FILENO)
        return file;
    const int before = begin_steady();
    const int above = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    close(file);
    errno = error;
    end_steady(before);
    return above;
}

static ssize_t read_all(int file, void *to, size_t bytes)
{
    size_t used = 0;
    while (used < bytes) {
        const ssize_t got = read(file, (char *)to + used, bytes - used);
        if (got == 0)
            break;
        if (got > 0)
            used += (size_t)got;
        else if (errno != EINTR)
            return -1;
    }
    return (ssize_t)used;
}

ssize_t whole_read(int file, void *to, size_t bytes)
{
    const int before = begin_steady();
    const ssize_t used = read_all(file, to, bytes);
    end_steady(before);
    return used;
}

static bool write_all(int file, const void *from, size_t bytes)
{
    for (size_t used = 0; used < bytes;) {
        const ssize_t put = write(file, (const char *)from + used, bytes - used);
        if (put > 0)
            used += (size_t)put;
        else if (put == 0 || errno != EINTR)
            return false;
    }
    return true;
}

/* The signals that a failed write raises in its thread; those that were pending before are the program's. */
static void take_back(int error, const sigset_t *pending)
{
    const struct timespec at_once = {0};
    const int number = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
    sigset_t raised;
    if (number == 0 || sigismember(pending, number) == 1)
        return;
    sigemptyset(&raised);
    sigaddset(&raised, number);
    while (sigtimedwait(&raised, NULL, &at_once) < 0 && errno == EINTR)
        continue;
}

bool whole_write(int file, const void *from, size_t bytes)
{
    sigset_t blocked, pending, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    sigaddset(&blocked, SIGXFSZ);
    const int cancelled = begin_steady();
    const bool is_blocked = pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0;
    sigemptyset(&pending);
    (void)sigpending(&pending);
    const bool is_written = write_all(file, from, bytes);
    const int error = errno;
    if (!is_written)
        take_back(error, &pending);
    if (is_blocked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    end_steady(cancelled);
    errno = error;
    return is_written;
}

void whole_say(const char *format, ...)
{
    const int saved = errno;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int bytes = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (bytes > 0)
        (void)whole_write(STDERR_FILENO, text, (size_t)bytes);
    if (bytes >= 0)
        free(text);
    errno = saved;
}

char *whole_rest(int file, size_t *bytes)
{
    size_t room = 4096, used = 0;
    char *text = malloc(room);
    while (text) {
        const ssize_t got = whole_read(file, text + used, room - 1 - used);
        if (got < 0) {
            free(text);
            return NULL;
        }
        used += (size_t)got;
        if (used < room - 1)
            break;
        room *= 2;
        char *larger = realloc(text, room);
        if (!larger)
            free(text);
        text = larger;
    }
    if (text)
        text[used] = 0;
    if (text && bytes)
        *bytes = used;
    return text;
}

bool whole_wait(pid_t child, int *status)
{
    pid_t ended;
    *status = 0;
    do
        ended = waitpid(child, status, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child;
}

void whole_pause(uint64_t nanoseconds)
{
    const uint64_t second = 1000000000;
    struct timespec left = {(time_t)(nanoseconds / second), (long)(nanoseconds % second)};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        continue;
}
