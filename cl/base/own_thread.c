/* Threads of clem's own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/own_thread.h"

#include <dlfcn.h>
#include <fenv.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* What clang asks for its own threads, and half of it: main threads have 8 MiB, mostly unused. */
enum { STACK_BYTES = 8 << 20, ENOUGH_BYTES = 4 << 20 };

/* Threads begin with their maker's floats: kernels on threads of the driver, and compilers, would end the process over a division
 * by zero where the program wants a signal of its own ones (feenableexcept()). */
static fenv_t begin_floats(void)
{
    fenv_t before;

    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

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
    const fenv_t floats = begin_floats();
    const int error = pthread_create(thread, &attributes, function, argument);
    fesetenv(&floats);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

bool own_thread_stack(struct own_stack *stack)
{
    pthread_attr_t attributes;
    void *lowest = NULL;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return false;
    const bool is_known = pthread_attr_getstack(&attributes, &lowest, &stack->bytes) == 0;
    pthread_attr_destroy(&attributes);
    stack->lowest = (uintptr_t)lowest;
    return is_known;
}

/* A stack that is not the thread's, such as a coroutine's, may have any size. */
bool own_thread_has_room(const struct own_stack *stack)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    return here - stack->lowest >= ENOUGH_BYTES && here - stack->lowest < stack->bytes;
}

static bool has_enough_stack(void)
{
    struct own_stack stack;

    return own_thread_stack(&stack) && own_thread_has_room(&stack);
}

/* The thread's and the caller's: whoever begins the call first makes it, and the last one that is there frees it. */
struct call {
    int (*function)(void *);
    void *argument;
    int result;
    pthread_mutex_t lock;
    pthread_cond_t begun;
    bool is_begun, is_left; /* by the thread; by the caller, which makes the call itself (lock) */
};

static void pass_loader(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);

    if (program)
        dlclose(program);
}

static struct call *new_call(int (*function)(void *), void *argument)
{
    pthread_condattr_t steady;
    struct call *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->function = function;
    made->argument = argument;
    pthread_mutex_init(&made->lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&made->begun, &steady);
    pthread_condattr_destroy(&steady);
    return made;
}

static void free_call(struct call *call)
{
    pthread_cond_destroy(&call->begun);
    pthread_mutex_destroy(&call->lock);
    free(call);
}

static void *carry_out(void *data)
{
    struct call *call = data;

    pass_loader();
    pthread_mutex_lock(&call->lock);
    call->is_begun = true;
    const bool is_left = call->is_left;
    pthread_cond_signal(&call->begun);
    pthread_mutex_unlock(&call->lock);
    if (is_left)
        free_call(call);
    else
        call->result = call->function(call->argument);
    return NULL;
}

/* Whether the thread begins within so long; if that is the last chance, it does not begin any more then. */
static bool begins(struct call *call, unsigned milliseconds, bool is_last)
{
    enum { MILLION = 1000000, SECOND = 1000000000 };
    struct timespec end;
    int error = 0;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += (long)(milliseconds % 1000) * MILLION;
    end.tv_sec += end.tv_nsec / SECOND;
    end.tv_nsec %= SECOND;
    pthread_mutex_lock(&call->lock);
    while (!call->is_begun && error == 0)
        error = pthread_cond_timedwait(&call->begun, &call->lock, &end);
    const bool is_begun = call->is_begun;
    call->is_left = is_last && !is_begun;
    pthread_mutex_unlock(&call->lock);
    return is_begun;
}

/* A thread that the loader keeps, though it lets the caller pass, waits for the caller: that is within dlopen(), as
 * libraries' constructors are. Busy machines take their time to start threads: last_ms is how long this one may. Returns
 * whether it has made the call; otherwise it makes none. */
static bool call_on(pthread_t thread, struct call *call, unsigned last_ms, int *result)
{
    enum { SOON_MS = 100 };
    bool is_begun = begins(call, SOON_MS, false);

    if (!is_begun) {
        pass_loader();
        is_begun = begins(call, last_ms, true);
    }
    if (!is_begun) { /* and may be over now, with the call */
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    *result = call->result;
    free_call(call);
    return true;
}

/* NULL: the system gives no memory or no thread. */
static struct call *start_call(int (*function)(void *), void *argument, pthread_t *thread)
{
    struct call *call = new_call(function, argument);

    if (call && !own_thread_start(thread, STACK_BYTES, carry_out, call)) {
        free_call(call);
        return NULL;
    }
    return call;
}

static int call_on_enough(int (*function)(void *), void *argument, int no_thread)
{
    enum { PATIENCE_MS = 1000 }; /* the caller can do without the thread */
    pthread_t thread;
    int cancelled, result;

    if (has_enough_stack())
        return function(argument);
    struct call *call = start_call(function, argument, &thread);
    if (!call)
        return no_thread;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    if (!call_on(thread, call, PATIENCE_MS, &result))
        result = function(argument);
    pthread_setcancelstate(cancelled, &(int){0});
    return result;
}

int own_thread_call(int (*function)(void *), void *argument, int no_thread)
{
    const fenv_t floats = begin_floats();
    const int result = call_on_enough(function, argument, no_thread);

    fesetenv(&floats);
    return result;
}

static int do_nothing(void *unused)
{
    (void)unused;
    return 0;
}

bool own_thread_may_load(void)
{
    enum { PATIENCE_MS = 5000 };
    pthread_t thread;
    int cancelled, result;
    struct call *call = start_call(do_nothing, NULL, &thread);

    if (!call)
        return true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    const bool may_load = call_on(thread, call, PATIENCE_MS, &result);
    pthread_setcancelstate(cancelled, &(int){0});
    return may_load;
}
