/* What each thread has of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/thread.h"

#include <pthread.h>
#include <stdlib.h>

_Thread_local __attribute__((tls_model("initial-exec"))) uintptr_t ocl_thread_word;

static struct ocl_thread shared;
static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;
static bool has_key;

/* Other destructors of the thread may need a state again: it then comes anew, and goes in the next
 * round. */
static void end(void *state)
{
    struct ocl_thread *thread = state;

    if (thread->upper)
        thread->end_upper(thread->upper);
    if (thread->profile.give)
        thread->profile.give(&thread->profile);
    ocl_thread_word &= OCL_THREAD_BLOCKS_SIGSEGV;
    free(thread->stacks);
    free(thread);
}

static void make_key(void)
{
    has_key = pthread_key_create(&end_key, end) == 0;
}

struct ocl_thread *ocl_thread_begin(void)
{
    struct ocl_thread *thread = calloc(1, sizeof *thread);

    if (!thread)
        return &shared;
    pthread_once(&end_once, make_key);
    if (has_key)
        pthread_setspecific(end_key, thread);
    ocl_thread_word |= (uintptr_t)thread;
    return thread;
}

bool ocl_thread_is_shared(const struct ocl_thread *thread)
{
    return thread == &shared;
}
