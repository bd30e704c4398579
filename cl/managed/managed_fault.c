/* The host's touch of a page that the device owns: the handler for SIGSEGV and its threads.
 *
 * The handler runs in the middle of anything, perhaps of malloc() or of the driver. So it calls
 * nothing but what is safe in a handler: it leaves the address for the service thread, wakes that
 * and waits. What is not an address of ours goes to the program (signals.h).
 *
 * Two threads serve: a fault that has to wait for the device must not hold up one that need not, the
 * more so as the device may be waiting for the function that the latter comes from.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cl/base/crash.h"
#include "cl/base/signals_visit.h"
#include "cl/check/check_host.h"
#include "cl/managed/managed_private.h"
#include "cl/memory/address.h"
#include "cl/own_thread.h"
#include "cl/process.h"
#include "cl/signals.h"
#include "cl/thread.h"

/* ---- What is asked of the service ---- */

enum request_state { REQUEST_POSTED, REQUEST_SERVED, REQUEST_FOREIGN };

/* Lies on the stack of the handler that waits for it, so any number of threads may ask at once, and one of them again
 * from the handler of another signal. Whoever sets a state does not look at the request any more. */
struct request {
    _Atomic uint32_t state; /* a futex */
    bool is_write, in_function;
    uint64_t address;
    struct request *next;
};

/* What one thread serves. */
struct desk {
    _Atomic(struct request *) newest; /* linked by next, from newest to oldest */
    _Atomic uint32_t bell;            /* a futex that counts */
};
static struct desk at_once, patient;

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static void post(struct desk *desk, struct request *request)
{
    request->next = atomic_load(&desk->newest);
    while (!atomic_compare_exchange_weak(&desk->newest, &request->next, request))
        continue;
    atomic_fetch_add(&desk->bell, 1);
    futex_wake(&desk->bell);
}

/* All that wait, oldest first. */
static struct request *take_all(struct desk *desk)
{
    struct request *newest = atomic_exchange(&desk->newest, NULL), *oldest = NULL;

    while (newest) {
        struct request *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

static void answer(struct request *request, enum request_state state)
{
    atomic_store(&request->state, state);
    futex_wake(&request->state); /* of what is gone by now it wakes nobody */
}

/* ---- The service ---- */

static bool serve_region(struct ocl_region *region, const struct ocl_allocation *allocation,
                         size_t offset, bool is_write, bool in_function, bool may_wait)
{
    struct ocl_migration *migration = atomic_load(&region->block->context->migration);
    bool is_ready;

    if (may_wait)
        ocl_migration_begin_quiet(migration, region);
    if (in_function)
        ocl_migration_begin_move_in_function(migration);
    else
        ocl_migration_begin_move(migration);
    is_ready = may_wait || in_function || ocl_migration_is_quiet(region);
    if (in_function)
        ocl_migration_note_touch(migration);
    if (is_ready)
        ocl_region_fault(region, in_function ? allocation : NULL, offset, is_write);
    ocl_migration_end_move(migration);
    if (may_wait)
        ocl_migration_end_quiet(migration);
    return is_ready;
}

enum answer {
    SERVED,
    FOREIGN, /* not an address of ours */
    BUSY     /* has to wait for the device, and may_wait was false */
};

/* Makes the page of an address touchable. */
static enum answer make_touchable(uint64_t address, bool is_write, bool in_function, bool may_wait)
{
    /* Allocations begin at pages, and the rest of the last page may be touched as well: library
     * functions read whole vectors. */
    const uint64_t page =
        address / (uint64_t)sysconf(_SC_PAGESIZE) * (uint64_t)sysconf(_SC_PAGESIZE);
    struct ocl_allocation *allocation = ocl_address_acquire(page);
    enum answer answer = FOREIGN;

    if (!allocation)
        return FOREIGN;
    struct ocl_region *region = ocl_region_of(allocation);
    if (region)
        answer =
            serve_region(region, allocation, (size_t)(address - (uint64_t)(uintptr_t)region->base),
                         is_write, in_function, may_wait)
                ? SERVED
                : BUSY;
    ocl_allocation_release(allocation);
    return answer;
}

static void serve(struct request *request, bool may_wait)
{
    switch (make_touchable(request->address, request->is_write, request->in_function, may_wait)) {
    case SERVED:
        answer(request, REQUEST_SERVED);
        break;
    case FOREIGN:
        answer(request, REQUEST_FOREIGN);
        break;
    case BUSY:
        post(&patient, request);
        break;
    }
}

/* The threads that serve, from when they run. */
static pthread_t service[2];
static _Atomic unsigned services;
static pthread_mutex_t service_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf: a place in service */

static void note_service(void)
{
    pthread_mutex_lock(&service_lock);
    service[atomic_load(&services)] = pthread_self();
    atomic_fetch_add(&services, 1);
    pthread_mutex_unlock(&service_lock);
}

static bool is_service(void)
{
    for (unsigned i = 0; i < atomic_load(&services); i++) {
        if (pthread_equal(service[i], pthread_self()))
            return true;
    }
    return false;
}

/* Serves for the life of the process. */
static void serve_all(struct desk *desk, bool may_wait)
{
    note_service();
    for (;;) {
        const uint32_t seen = atomic_load(&desk->bell);
        struct request *request = take_all(desk);
        if (!request)
            futex_wait(&desk->bell, seen);
        while (request) {
            struct request *next = request->next;
            serve(request, may_wait);
            request = next;
        }
    }
}

static void *serve_at_once(void *unused)
{
    (void)unused;
    serve_all(&at_once, false);
    return NULL;
}

static void *serve_patiently(void *unused)
{
    (void)unused;
    serve_all(&patient, true);
    return NULL;
}

/* ---- The handler ---- */

static bool ask_service(uint64_t address, bool is_write)
{
    struct request request = {.state = REQUEST_POSTED,
                              .is_write = is_write,
                              .in_function = ocl_migration_in_function(),
                              .address = address};

    post(&at_once, &request);
    while (atomic_load(&request.state) == REQUEST_POSTED)
        futex_wait(&request.state, REQUEST_POSTED);
    return atomic_load(&request.state) == REQUEST_SERVED;
}

/* Where nobody tells, the first fault at an address counts as a read; if it was a write, the same thread comes again with the same
 * address. A thread that called nothing yet has no place to note it, and shares one. */
static bool is_second_fault(const void *address)
{
    static _Atomic(const void *) shared;
    struct ocl_thread *thread = ocl_thread_if_any();
    const void *last = thread ? thread->fault : atomic_load(&shared);
    const void *now = address == last ? NULL : address;
    if (thread)
        thread->fault = now;
    else
        atomic_store(&shared, now);
    return address == last;
}

static bool is_write_fault(const void *address, const void *context)
{
    const enum ocl_crash_access access = ocl_crash_access_by(context);
    return access == OCL_CRASH_TOUCH ? is_second_fault(address) : access == OCL_CRASH_WRITE;
}

static bool is_forked_or_service(void)
{
    return is_service() || ocl_process_is_forked();
}

static void handle(int number, siginfo_t *info, void *context)
{
    const int kept_errno = errno;
    /* Sent by kill() or for an address that the system does not tell: not a touch of ours. */
    const bool is_touch = info->si_code == SEGV_ACCERR;
    bool is_served =
        is_touch && ocl_host_fault((uint64_t)(uintptr_t)info->si_addr, ocl_crash_access_by(context),
                                   ocl_crash_code_by(context));

    if (is_touch && !is_served && !is_forked_or_service())
        is_served =
            ask_service((uint64_t)(uintptr_t)info->si_addr, is_write_fault(info->si_addr, context));
    if (!is_served)
        ocl_signals_hand_on(number, info, context);
    errno = kept_errno;
}

static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static _Atomic bool is_installed;

static ocl_status start_thread(void *(*function)(void *))
{
    pthread_t thread;
    if (!own_thread_start(&thread, 0, function, NULL))
        return OCL_E_OUT_OF_MEMORY;
    pthread_detach(thread);
    return OCL_OK;
}

static ocl_status start(void)
{
    static unsigned started;
    ocl_status status = OCL_OK;

    if (started == 0 && (status = start_thread(serve_at_once)) == OCL_OK)
        started++;
    if (started == 1 && (status = start_thread(serve_patiently)) == OCL_OK)
        started++;
    return status;
}

ocl_status ocl_fault_watch(void)
{
    ocl_status status = OCL_OK;

    pthread_mutex_lock(&watch_lock);
    if (!atomic_load(&is_installed)) {
        status = start();
        if (status == OCL_OK) {
            ocl_signals_share(handle);
            ocl_signals_visit();
            atomic_store(&is_installed, true);
        }
    }
    pthread_mutex_unlock(&watch_lock);
    ocl_fault_watch_again();
    return status;
}

bool ocl_fault_is_watched(void)
{
    return atomic_load(&is_installed);
}

void ocl_fault_watch_again(void)
{
    if (!atomic_load(&is_installed))
        return;
    pthread_mutex_lock(&watch_lock);
    ocl_signals_share_again();
    pthread_mutex_unlock(&watch_lock);
}
