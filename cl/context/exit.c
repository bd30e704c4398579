/* The end of the process: drivers that compute in it are not left at work.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/context/exit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/base/worker.h"
#include "cl/context/interrupted.h"
#include "cl/process.h"
#include "cl/queue/lane.h"
#include "cl/queue/queue_private.h"
#include "cl/state/contexts.h"
#include "cl/state/state.h"
#include "cl/trace.h"
#include "cl/value.h"

/* In all, however many contexts there are and however often exit handlers ask. Where a call of clem's was interrupted, the work may
 * need what that call holds. */
enum { EXIT_WAIT_MS = 10000, INTERRUPTED_WAIT_MS = 2000, LONGEST_NAP_MS = 16 };
static unsigned limit_ms = EXIT_WAIT_MS;

/* Whether the work of a context is to be waited for: its driver computes in this process, and it is not
 * a host function, which that work waits for, that ends the process. */
static bool is_worth_waiting(struct ocl_context *context)
{
    return context->device->facts.device_class == OCL_CLASS_CPU &&
           !ocl_worker_is_this_thread(context->host_functions);
}

static bool is_busy(struct ocl_context *context)
{
    return is_worth_waiting(context) && ocl_queues_query(context) == OCL_E_NOT_READY;
}

/* The same of what the program has left when it returns. */
static bool is_ending(struct ocl_context *context)
{
    return is_worth_waiting(context) && ocl_queues_query_ending(context) == OCL_E_NOT_READY;
}

static uint64_t deadline(void)
{
    static _Atomic uint64_t chosen; /* 0: nobody has waited yet */
    uint64_t none = 0;

    atomic_compare_exchange_strong(&chosen, &none, ocl_deadline_after(limit_ms));
    return atomic_load(&chosen);
}

static void complain(const char *name)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&is_told))
        ocl_complain("%s still has work after %u seconds: the program ends without it", name,
                     limit_ms / 1000);
}

static void nap(unsigned milliseconds)
{
    const struct timespec time = {.tv_nsec = (long)milliseconds * 1000000};
    const int before = ocl_steady_begin();

    nanosleep(&time, NULL);
    ocl_steady_end(before);
}

/* A driver that computes in this process also compiles in it, in threads of its own, with libraries
 * that exit handlers take apart: a program that ends without waiting for its last kernels would
 * crash there. Only so long, since a kernel may never end. */
static void wait_while(bool (*has_work)(struct ocl_context *context))
{
    const struct ocl_device *busy;
    unsigned pause = 1;

    if (ocl_process_is_forked()) /* whoever held the locks is not here */
        return;
    const uint64_t end = deadline();
    while ((busy = ocl_contexts_find(has_work)) != NULL && ocl_now() < end) {
        ocl_interrupted_tell_progress();
        nap(pause);
        pause = pause < LONGEST_NAP_MS ? 2 * pause : pause;
    }
    if (busy)
        complain(busy->facts.name);
}

/* glibc: destructors of the calling thread, which exit() calls before all exit handlers. */
__attribute__((weak)) int __cxa_thread_atexit_impl(void (*function)(void *), void *object,
                                                   void *library);
extern void *__dso_handle;

/* Other threads go on, perhaps for ever: their calls are refused when the exit handlers run, and so wait_for_all() ends. */
static void wait_for_left(void)
{
    ocl_contexts_visit(ocl_values_end); /* what nobody is left to write would be waited for */
    ocl_contexts_visit(ocl_queues_note_ending);
    wait_while(is_ending);
    ocl_lanes_end();
}

static void wait_for_busy(void)
{
    ocl_contexts_visit(ocl_values_end);
    wait_while(is_busy);
    ocl_lanes_end();
}

/* Once for all handlers: they are called one after the other, by one thread. */
static void wait_safely(void (*function)(void))
{
    static bool is_over; /* what the first wait could not have, none can */

    if (ocl_process_is_forked() || is_over)
        return;
    ocl_process_note_ending();
    if (!ocl_call_is_interrupted()) {
        function();
        return;
    }
    is_over = true;
    limit_ms = INTERRUPTED_WAIT_MS;
    ocl_interrupted_run(function);
}

static void wait_at_exit(void *unused)
{
    (void)unused;
    wait_safely(wait_for_left);
}

static void wait_for_all(void)
{
    wait_safely(wait_for_busy);
}

/* Compilers register handlers as they go, which an exit handler of ours would come behind; what ends
 * with the main thread comes before them. Programs that end in another thread have the exit handler. */
static void wait_before_exit(void)
{
    atexit(wait_for_all);
    if (syscall(SYS_gettid) == getpid() && __cxa_thread_atexit_impl)
        (void)__cxa_thread_atexit_impl(wait_at_exit, NULL, &__dso_handle);
}

/* Compiling for a device brings in libraries with exit handlers of their own, which ours must come
 * before. Once per device: handlers add up. Ours that note the end run before the one that waits. */
void ocl_exit_watch(int device)
{
    static _Atomic uint64_t watched;
    const uint64_t bit = (uint64_t)1 << (device % 64);
    if (!(atomic_fetch_or(&watched, bit) & bit)) {
        wait_before_exit();
        ocl_process_watch();
    }
}
