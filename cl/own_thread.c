/* Threads of clem's own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/own_thread.h"

#include <signal.h>
#include <stdint.h>

/* What clang asks for its own threads, and half of it: main threads have 8 MiB, mostly unused. */
enum { STACK_BYTES = 8 << 20, ENOUGH_BYTES = 4 << 20 };

bool own_thread_start(pthread_t *thread, size_t stack_bytes, void *(*function)(void *),
                      void *argument)
{
    sigset_t all, before;
    pthread_attr_t attributes;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    if (stack_bytes > 0)
        (void)pthread_attr_setstacksize(&attributes, stack_bytes);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(thread, &attributes, function, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

/* A stack that is not the thread's, such as a coroutine's, may have any size. */
static bool has_enough_stack(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t bytes = 0;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return false;
    const bool is_known = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    return is_known && here - (uintptr_t)lowest >= ENOUGH_BYTES && here - (uintptr_t)lowest < bytes;
}

struct call {
    int (*function)(void *);
    void *argument;
    int result;
};

static void *carry_out(void *data)
{
    struct call *call = data;
    call->result = call->function(call->argument);
    return NULL;
}

int own_thread_call(int (*function)(void *), void *argument, int no_thread)
{
    struct call call = {function, argument, 0};
    pthread_t thread;
    int cancelled;

    if (has_enough_stack())
        return function(argument);
    if (!own_thread_start(&thread, STACK_BYTES, carry_out, &call))
        return no_thread;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    pthread_join(thread, NULL);
    pthread_setcancelstate(cancelled, &(int){0});
    return call.result;
}
