/* libclem tells of its queues, and when a thread begins and ends a command: what it enqueues meanwhile is right.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/fault/commands.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default) /* libclem must find this */
void clem_watch_command(const void *queue, int change);
#pragma GCC visibility pop

/* ---- Queues ---- */

enum { QUEUES = 1024, MOST = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const void *queues[QUEUES]; /* libclem's last ones, those that are gone as well */
static size_t next_queue;
static const char *_Atomic outside;

/* Lock held. */
static size_t find(const void *queue)
{
    size_t at = 0;
    while (at < QUEUES && queues[at] != queue)
        at++;
    return at;
}

static void note_queue(const void *queue)
{
    pthread_mutex_lock(&lock);
    if (find(queue) == QUEUES)
        queues[next_queue++ % QUEUES] = queue;
    pthread_mutex_unlock(&lock);
}

void fault_forget_queue(const void *queue)
{
    pthread_mutex_lock(&lock);
    const size_t at = find(queue);
    if (at < QUEUES)
        queues[at] = NULL;
    pthread_mutex_unlock(&lock);
}

static bool is_noted(const void *queue)
{
    pthread_mutex_lock(&lock);
    const bool is = find(queue) < QUEUES;
    pthread_mutex_unlock(&lock);
    return is;
}

/* ---- Commands ---- */

/* The queues of the commands that this thread has begun and not ended. */
static _Thread_local const void *begun[MOST];
static _Thread_local size_t begun_count;

static bool is_open(const void *queue)
{
    size_t at = 0;
    while (at < begun_count && begun[at] != queue)
        at++;
    return at < begun_count;
}

void clem_watch_command(const void *queue, int change)
{
    if (change == 0) {
        note_queue(queue);
    } else if (change > 0) {
        if (begun_count == MOST)
            abort();
        begun[begun_count++] = queue;
    } else if (begun_count == 0 || begun[--begun_count] != queue) {
        outside = "the end of a command that has not begun";
    }
}

static const void *file_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

static bool is_library(const void *address)
{
    void *symbol = dlsym(RTLD_DEFAULT, "cudaMalloc");
    return symbol != NULL && file_of(address) == file_of(symbol);
}

void fault_check_command(const char *name, const void *queue, const void *caller)
{
    if (is_open(queue) || !is_noted(queue) || !is_library(caller))
        return;
    fprintf(stderr, "%s on a queue of libclem's outside a command\n", name);
    outside = name;
}

const char *fault_command_outside(void)
{
    return outside;
}
