/* exit() in a signal's handler that interrupted a call of clem's. Neither C nor POSIX allow it; programs do it, and ended as
 * long as the call happened to hold no lock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/context/interrupted.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include "cl/process.h"
#include "cl/trace.h"

/* glibc has had no name for the member. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Beside an overloaded machine's other work, a look that waits for no lock takes less. */
enum { STUCK_MS = 250, LAST_MS = 500 };

/* ---- The stack ---- */

struct walk {
    const void *clem; /* where it is loaded */
    bool is_behind;   /* frames are those of what was interrupted */
    bool is_in_clem;
};

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *frame, void *data)
{
    struct walk *walk = data;
    int is_interrupted = 0;
    Dl_info object;
    const void *at = (const void *)_Unwind_GetIPInfo(frame, &is_interrupted); /* NOLINT */

    walk->is_behind |= is_interrupted != 0;
    if (walk->is_behind && dladdr(at, &object) != 0 && object.dli_fbase == walk->clem)
        walk->is_in_clem = true;
    return walk->is_in_clem ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool ocl_call_is_interrupted(void)
{
    Dl_info own;
    struct walk walk = {0};

    if (dladdr((const void *)(uintptr_t)ocl_call_is_interrupted, &own) == 0)
        return false;
    walk.clem = own.dli_fbase;
    (void)_Unwind_Backtrace(look_at_frame, &walk);
    return walk.is_in_clem;
}

/* ---- The watch ---- */

static struct {
    sigjmp_buf back;
    volatile sig_atomic_t is_guarded; /* there is a way back */
    int timer;
    bool is_made;
} watch;

/* Called in the thread that waits. */
static void end_wait(int number)
{
    (void)number;
    if (watch.is_guarded)
        siglongjmp(watch.back, 1);
    _exit(ocl_process_status());
}

/* Of the calling thread. The C library's own function may allocate memory. */
static bool make_timer(int number)
{
    struct sigevent event;

    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &watch.timer) == 0;
}

static bool is_free(int number)
{
    struct sigaction found;

    return sigaction(number, NULL, &found) == 0 && found.sa_handler == SIG_DFL;
}

/* What emulates Linux may lack the last signals. */
static bool make_watch(void)
{
    const struct sigaction action = {.sa_handler = end_wait};
    sigset_t own;
    int number = SIGRTMAX;

    while (number >= SIGRTMIN && !(is_free(number) && make_timer(number)))
        number--;
    if (number < SIGRTMIN || sigaction(number, &action, NULL) != 0)
        return false;
    sigemptyset(&own);
    sigaddset(&own, number);
    watch.is_made = pthread_sigmask(SIG_UNBLOCK, &own, NULL) == 0;
    return watch.is_made;
}

/* 0: not at all. */
static void set_time(unsigned milliseconds)
{
    const struct itimerspec time = {.it_value = {.tv_nsec = (long)milliseconds * 1000000}};

    (void)syscall(SYS_timer_settime, watch.timer, 0, &time, NULL);
}

/* False: it was given up. */
static bool run_guarded(void (*function)(void))
{
    if (sigsetjmp(watch.back, 1) != 0) {
        watch.is_guarded = false;
        return false;
    }
    watch.is_guarded = true;
    set_time(STUCK_MS);
    function();
    set_time(0);
    watch.is_guarded = false;
    return true;
}

void ocl_interrupted_tell_progress(void)
{
    if (watch.is_guarded)
        set_time(STUCK_MS);
}

/* ---- The C library's memory ---- */

/* Too large for what threads have at hand, and not so large as to be mapped. */
static void take_memory(void)
{
    enum { BYTES = 64 << 10 };
    void *volatile taken = malloc(BYTES);

    free(taken);
}

void ocl_interrupted_run(void (*function)(void))
{
    if (!watch.is_made && !make_watch()) {
        function();
        return;
    }
    (void)run_guarded(function);
    if (run_guarded(take_memory))
        return;
    ocl_trace("exit() in a signal's handler: memory is locked, and exit handlers may not end");
    set_time(LAST_MS);
}
