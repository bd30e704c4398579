/* Notices a fork and the end of the process.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/auxv.h>

static atomic_bool is_forked;
static atomic_bool is_exiting;
static atomic_bool is_ending;
static atomic_int status = EXIT_FAILURE;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

bool ocl_process_is_forked(void)
{
    return atomic_load_explicit(&is_forked, memory_order_relaxed);
}

bool ocl_process_is_exiting(void)
{
    return atomic_load_explicit(&is_exiting, memory_order_relaxed);
}

bool ocl_process_is_ending(void)
{
    return atomic_load_explicit(&is_ending, memory_order_relaxed);
}

void ocl_process_note_ending(void)
{
    atomic_store_explicit(&is_ending, true, memory_order_relaxed);
}

int ocl_process_status(void)
{
    return atomic_load_explicit(&status, memory_order_relaxed);
}

void ocl_process_note_status(int noted)
{
    atomic_store_explicit(&status, noted, memory_order_relaxed);
}

bool ocl_process_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

static void note_fork(void)
{
    atomic_store_explicit(&is_forked, true, memory_order_relaxed);
}

static void note_exit(void)
{
    atomic_store_explicit(&is_exiting, true, memory_order_relaxed);
}

static void watch_fork(void)
{
    pthread_atfork(NULL, NULL, note_fork);
}

void ocl_process_watch(void)
{
    pthread_once(&fork_once, watch_fork);
    atexit(note_exit);
}
