/* The log of messages for users: a ring of the latest ones, and callbacks.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cl/whole.h"
#include "facade/state/environment.h"
#include "facade/state/log.h"
#include "facade/state/thread_state.h"

/* How many messages are kept, and what cudaLogsDumpToMemory writes at most.
 * Source: CUDA Runtime API 13.0, Error Log Management Functions. */
enum { KEPT = 100, LONGEST_DUMP = 25600 };

/* What stands before each message; a buffer that cannot hold that holds no message. */
enum { STAMP_BYTES = sizeof "[hh:mm:ss.mmm][1][CUDA][E] " };

struct callback {
    cudaLogsCallback_t function;
    void *data;
    struct callback *next;
    unsigned running; /* deliveries to it that have begun and not ended (lock) */
    bool is_gone;     /* unregistered: the last delivery frees it (lock) */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *lines[KEPT];
static unsigned count; /* messages so far; message i is in lines[i % KEPT] */
static struct callback *callbacks;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER; /* some delivery to a callback (lock) */

/* "[hh:mm:ss.mmm][process][CUDA][E] message", a new string. */
static char *make_line(bool is_error, const char *message)
{
    struct timespec now;
    struct tm parts;
    char *line = NULL;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &parts);
    int length = asprintf(&line, "[%02d:%02d:%02d.%03ld][%ld][CUDA][%c] %s", parts.tm_hour,
                          parts.tm_min, parts.tm_sec, now.tv_nsec / 1000000, (long)getpid(),
                          is_error ? 'E' : 'W', message);
    return length >= 0 ? line : NULL;
}

/* A message on its way. Callbacks run without the lock, from a list of those of that moment, so that they may register,
 * unregister and log. */
struct delivery {
    struct callback **to;
    size_t count, done;
    char *line;
    bool was_delivering;
};

/* Lock held. */
static void begin_delivery(struct delivery *delivery)
{
    size_t n = 0;
    for (const struct callback *c = callbacks; c != NULL; c = c->next)
        n++;
    delivery->to = calloc(n + 1, sizeof(struct callback *));
    for (struct callback *c = callbacks; delivery->to != NULL && c != NULL; c = c->next) {
        c->running++;
        delivery->to[delivery->count++] = c;
    }
}

/* The next callbacks, as many as `some`, are done with. */
static void end_some(struct delivery *delivery, size_t some)
{
    pthread_mutex_lock(&lock);
    for (; some > 0; some--) {
        struct callback *callback = delivery->to[delivery->done++];
        callback->running--;
        if (callback->is_gone && callback->running == 0)
            facade_handle_free(callback);
    }
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

/* Also where a callback ends its thread. */
static void end_delivery(void *data)
{
    struct delivery *delivery = data;
    end_some(delivery, delivery->count - delivery->done);
    facade_thread()->is_delivering = delivery->was_delivering;
    free(delivery->to);
    free(delivery->line);
}

static void deliver(struct delivery *delivery, cudaLogLevel level)
{
    delivery->was_delivering = facade_thread()->is_delivering;
    facade_thread()->is_delivering = true;
    pthread_cleanup_push(end_delivery, delivery);
    while (delivery->done < delivery->count) {
        const struct callback *callback = delivery->to[delivery->done];
        callback->function(callback->data, level, delivery->line, strlen(delivery->line));
        end_some(delivery, 1);
    }
    pthread_cleanup_pop(1);
}

static void write_log(int file, const char *line)
{
    char *whole = NULL;
    const int length = asprintf(&whole, "%s\n", line);
    if (length > 0)
        (void)whole_write(file, whole, (size_t)length);
    if (length >= 0)
        free(whole);
}

/* CUDA_LOG_FILE: opened for each message, which are few, so that no file stays open in the program. */
static void write_to_file(const char *line)
{
    const char *name = facade_environment()->log_file;
    const int error = errno;
    if (name == NULL || line == NULL)
        return;
    if (strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0) {
        write_log(strcmp(name, "stdout") == 0 ? STDOUT_FILENO : STDERR_FILENO, line);
    } else {
        const int file = whole_open(name, O_WRONLY | O_CREAT | O_APPEND, 0666);
        if (file >= 0) {
            write_log(file, line);
            close(file);
        }
    }
    errno = error;
}

void facade_log(bool is_error, const char *message)
{
    char *line = make_line(is_error, message);
    write_to_file(line);
    struct delivery delivery = {.line = line != NULL ? strdup(line) : NULL};
    if (delivery.line == NULL) {
        free(line);
        return;
    }
    pthread_mutex_lock(&lock);
    free(lines[count % KEPT]);
    lines[count % KEPT] = line;
    count++;
    begin_delivery(&delivery);
    pthread_mutex_unlock(&lock);
    deliver(&delivery, is_error ? cudaLogLevelError : cudaLogLevelWarning);
}

cudaError_t facade_log_add_callback(cudaLogsCallback_t function, void *data, void **handle)
{
    cudaError_t error = facade_process_check_fork();
    if (error != cudaSuccess)
        return error;
    if (function == NULL)
        return cudaErrorInvalidValue;
    struct callback *callback = facade_handle_new(FACADE_LOG_CALLBACK, sizeof *callback);
    if (callback == NULL)
        return cudaErrorMemoryAllocation;
    pthread_mutex_lock(&lock);
    *callback = (struct callback){.function = function, .data = data, .next = callbacks};
    callbacks = callback;
    pthread_mutex_unlock(&lock);
    if (handle != NULL)
        *handle = callback;
    return cudaSuccess;
}

/* Whether it was there. Lock held. */
static bool take_out(struct callback *callback)
{
    struct callback **link = &callbacks;
    while (*link != NULL && *link != callback)
        link = &(*link)->next;
    if (*link == NULL)
        return false;
    *link = callback->next;
    return true;
}

/* A thread in a callback waits for none: that could be its own. One that is cancelled meanwhile goes on, since the lock
 * would stay locked behind it. Lock held. */
static void await_deliveries(const struct callback *callback)
{
    int cancelled = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    while (callback->running > 0 && !facade_thread()->is_delivering)
        pthread_cond_wait(&ended, &lock);
    pthread_setcancelstate(cancelled, &(int){0});
}

cudaError_t facade_log_remove_callback(void *handle)
{
    cudaError_t error = facade_process_check_fork();
    if (error != cudaSuccess)
        return error;
    struct callback *callback = facade_handle_find(FACADE_LOG_CALLBACK, handle);
    if (callback == NULL)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    const bool was_there = take_out(callback);
    if (was_there)
        await_deliveries(callback);
    const bool is_over = was_there && callback->running == 0;
    callback->is_gone |= was_there && !is_over;
    pthread_mutex_unlock(&lock);
    if (is_over)
        facade_handle_free(callback);
    return was_there ? cudaSuccess : cudaErrorInvalidValue;
}

/* Number of messages logged so far: a position in the log. */
cudaError_t facade_log_position(unsigned *position)
{
    cudaError_t error = facade_process_check_fork();
    if (error != cudaSuccess)
        return error;
    if (position == NULL)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    *position = count;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* The first message that is still kept, at or after position. Lock held. */
static unsigned first_kept(const unsigned *position)
{
    unsigned oldest = count > KEPT ? count - KEPT : 0;
    return position != NULL && *position > oldest ? *position : oldest;
}

/* The messages from *position on as one new string. */
static char *collect(unsigned *position, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    if (stream == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    for (unsigned i = first_kept(position); i < count; i++)
        fprintf(stream, "%s\n", lines[i % KEPT]);
    if (position != NULL)
        *position = count;
    pthread_mutex_unlock(&lock);
    return fclose(stream) == 0 ? text : NULL;
}

/* Writes the messages from *position on (from the oldest kept when position is NULL), one per line, and moves *position behind
 * them. Errors: cudaErrorInvalidValue, also when the file cannot be written. */
cudaError_t facade_log_to_file(unsigned *position, const char *path, unsigned flags)
{
    size_t bytes = 0;
    (void)flags; /* NVIDIA's driver takes any */
    cudaError_t error = facade_process_check_fork();
    if (error != cudaSuccess)
        return error;
    if (path == NULL)
        return cudaErrorInvalidValue;
    char *text = collect(position, &bytes);
    if (text == NULL)
        return cudaErrorMemoryAllocation;
    int cancelled = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled); /* text and file would stay */
    FILE *file = fopen(path, "w");
    bool is_written = file != NULL && fwrite(text, 1, bytes, file) == bytes;
    if (file != NULL)
        is_written = fclose(file) == 0 && is_written;
    free(text);
    pthread_setcancelstate(cancelled, &(int){0});
    return is_written ? cudaSuccess : cudaErrorInvalidValue;
}

/* As facade_log_to_file(); an error too when the buffer holds no message. When it is too small the oldest messages are left out, whole lines at a time. */
cudaError_t facade_log_to_memory(unsigned *position, char *buffer, size_t *bytes, unsigned flags)
{
    size_t length = 0;
    (void)flags; /* NVIDIA's driver takes any */
    cudaError_t error = facade_process_check_fork();
    if (error != cudaSuccess)
        return error;
    if (buffer == NULL || bytes == NULL || *bytes < STAMP_BYTES)
        return cudaErrorInvalidValue;
    char *text = collect(position, &length);
    if (text == NULL)
        return cudaErrorMemoryAllocation;
    size_t room = (*bytes < LONGEST_DUMP ? *bytes : LONGEST_DUMP) - 1;
    const char *start = text;
    while (length - (size_t)(start - text) > room) {
        const char *line_end = strchr(start, '\n');
        start = line_end != NULL ? line_end + 1 : text + length;
    }
    *bytes = length - (size_t)(start - text);
    memcpy(buffer, start, *bytes);
    buffer[*bytes] = '\0';
    free(text);
    return *bytes > 0 || length == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                                     cudaLogsCallbackHandle *callback_out)
{
    return facade_result(facade_log_add_callback(callbackFunc, userData, (void **)callback_out));
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback)
{
    return facade_result(facade_log_remove_callback(callback));
}

cudaError_t cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags)
{
    (void)flags; /* NVIDIA's driver takes any */
    return facade_result(facade_log_position(iterator_out));
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile,
                               unsigned int flags)
{
    return facade_result(facade_log_to_file(iterator, pathToFile, flags));
}

cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
                                 unsigned int flags)
{
    return facade_result(facade_log_to_memory(iterator, buffer, size, flags));
}
