/* System calls carried through.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int whole_open(const char *path, int flags, mode_t mode)
{
    int file;
    do
        file = open(path, flags | O_CLOEXEC, mode);
    while (file < 0 && errno == EINTR);
    return file;
}

ssize_t whole_read(int file, void *to, size_t bytes)
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

bool whole_write(int file, const void *from, size_t bytes)
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

/* A SIGPIPE that this thread caused is taken back; one that was pending before is the program's. */
static void write_without_signal(int file, const void *from, size_t bytes)
{
    const struct timespec at_once = {0};
    sigset_t pipe, pending, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    const bool is_blocked = pthread_sigmask(SIG_BLOCK, &pipe, &before) == 0;
    const bool was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    if (!whole_write(file, from, bytes) && errno == EPIPE && !was_pending)
        while (sigtimedwait(&pipe, NULL, &at_once) < 0 && errno == EINTR)
            continue;
    if (is_blocked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
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
        write_without_signal(STDERR_FILENO, text, (size_t)bytes);
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
