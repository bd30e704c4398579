/* The host's touch of a page that the device owns: the handler for SIGSEGV and its threads.
 *
 * The handler runs in the middle of anything, perhaps of malloc() or of the driver. So it calls
 * nothing but what is safe in a handler: it leaves the address in a slot, wakes the service thread
 * and waits. What is not an address of ours goes to the handler that was there before.
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
#include <ucontext.h>
#include <unistd.h>

#include "cl/address.h"
#include "cl/managed_private.h"
#include "cl/process.h"

/* ---- What is asked of the service ---- */

enum slot_state { SLOT_FREE, SLOT_FILLING, SLOT_POSTED, SLOT_DEFERRED, SLOT_SERVED, SLOT_FOREIGN };

struct slot {
    _Atomic uint32_t state; /* a futex */
    uint64_t address;
    bool is_write, in_function;
};

/* A thread has one fault at a time; more threads than this take turns. */
enum { SLOTS = 64 };
static struct slot slots[SLOTS];

/* One per thread: a futex that counts what was posted. */
static _Atomic uint32_t posted, deferred;

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static void set_state(struct slot *slot, enum slot_state state)
{
    atomic_store(&slot->state, state);
    futex_wake(&slot->state);
}

static void ring(_Atomic uint32_t *bell)
{
    atomic_fetch_add(bell, 1);
    futex_wake(bell);
}

/* ---- The service ---- */

static bool serve_region(struct ocl_region *region, size_t offset, bool is_write, bool in_function,
                         bool may_wait)
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
    migration->is_touched_by_function |= in_function;
    if (is_ready)
        ocl_region_fault(region, offset, is_write);
    ocl_migration_end_move(migration);
    if (may_wait)
        ocl_migration_end_quiet(migration);
    return is_ready;
}

enum ocl_fault_answer ocl_fault_serve(uint64_t address, bool is_write, bool in_function,
                                      bool may_wait)
{
    /* Allocations begin at pages, and the rest of the last page may be touched as well: library
     * functions read whole vectors. */
    const uint64_t page =
        address / (uint64_t)sysconf(_SC_PAGESIZE) * (uint64_t)sysconf(_SC_PAGESIZE);
    struct ocl_allocation *allocation = ocl_address_acquire(page);
    enum ocl_fault_answer answer = OCL_FAULT_FOREIGN;

    if (!allocation)
        return OCL_FAULT_FOREIGN;
    struct ocl_region *region =
        allocation->kind == OCL_MEMORY_MANAGED ? allocation->block->region : NULL;
    if (region)
        answer = serve_region(region, (size_t)(address - (uint64_t)(uintptr_t)region->base),
                              is_write, in_function, may_wait)
                     ? OCL_FAULT_SERVED
                     : OCL_FAULT_BUSY;
    ocl_allocation_release(allocation);
    return answer;
}

static void serve(struct slot *slot, bool may_wait)
{
    switch (ocl_fault_serve(slot->address, slot->is_write, slot->in_function, may_wait)) {
    case OCL_FAULT_SERVED:
        set_state(slot, SLOT_SERVED);
        break;
    case OCL_FAULT_FOREIGN:
        set_state(slot, SLOT_FOREIGN);
        break;
    case OCL_FAULT_BUSY:
        atomic_store(&slot->state, SLOT_DEFERRED);
        ring(&deferred);
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

/* Serves what is in the state that this thread looks for, for the life of the process. */
static void serve_all(_Atomic uint32_t *bell, enum slot_state wanted, bool may_wait)
{
    note_service();
    for (;;) {
        const uint32_t seen = atomic_load(bell);
        bool is_any = false;
        for (size_t i = 0; i < SLOTS; i++) {
            if (atomic_load(&slots[i].state) == wanted) {
                serve(&slots[i], may_wait);
                is_any = true;
            }
        }
        if (!is_any)
            futex_wait(bell, seen);
    }
}

static void *serve_at_once(void *unused)
{
    (void)unused;
    serve_all(&posted, SLOT_POSTED, false);
    return NULL;
}

static void *serve_patiently(void *unused)
{
    (void)unused;
    serve_all(&deferred, SLOT_DEFERRED, true);
    return NULL;
}

/* ---- The handler ---- */

/* What was there before ours: at first, and now. They differ when the program installed a handler
 * after clem did, and clem put its own in front again. */
static struct sigaction first_previous, previous;
static _Atomic bool is_installed;

static struct slot *take_slot(void)
{
    for (size_t i = 0;; i = (i + 1) % SLOTS) {
        uint32_t free_slot = SLOT_FREE;
        if (atomic_compare_exchange_strong(&slots[i].state, &free_slot, SLOT_FILLING))
            return &slots[i];
    }
}

static bool ask_service(uint64_t address, bool is_write)
{
    struct slot *slot = take_slot();
    uint32_t state;

    slot->address = address;
    slot->is_write = is_write;
    slot->in_function = ocl_migration_in_function();
    atomic_store(&slot->state, SLOT_POSTED);
    ring(&posted);
    while ((state = atomic_load(&slot->state)) == SLOT_POSTED || state == SLOT_DEFERRED)
        futex_wait(&slot->state, state);
    atomic_store(&slot->state, SLOT_FREE);
    return state == SLOT_SERVED;
}

/* Where the processor does not tell, the first fault at an address counts as a read; if it was a
 * write, the same thread comes again with the same address. */
static bool is_write_fault(const void *address, const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *user = context;
    (void)address;
    return (user->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    static _Atomic(const void *) last; /* another thread's fault between costs one more */
    const bool is_second = atomic_exchange(&last, address) == address;
    (void)context;
    if (is_second)
        atomic_store(&last, NULL);
    return is_second;
#endif
}

/* The default action: with it in place the instruction faults again, and the process ends where it
 * would have ended without clem. */
static void restore_default(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(SIGSEGV, &action, NULL);
}

static void call_handler(const struct sigaction *action, int number, siginfo_t *info, void *context)
{
    sigset_t mask = action->sa_mask, before;

    if (action->sa_flags & SA_NODEFER)
        sigdelset(&mask, number);
    else
        sigaddset(&mask, number);
    pthread_sigmask(SIG_BLOCK, &mask, &before);
    if (action->sa_flags & SA_NODEFER) {
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, number);
        pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    }
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, context);
    else
        action->sa_handler(number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A handler that the program installed after ours may call ours as the one it found: then it is the
 * turn of the one before both. Such a call comes with the siginfo of the signal that is being
 * handled, whose last bytes Linux leaves zero and we mark. */
static const uint64_t handed_on = 0x68616e6465646f6e;

static bool mark(siginfo_t *info)
{
    char *const place = (char *)info + sizeof *info - sizeof handed_on;
    const bool was_marked = memcmp(place, &handed_on, sizeof handed_on) == 0;

    memcpy(place, &handed_on, sizeof handed_on);
    return was_marked;
}

static void chain(int number, siginfo_t *info, void *context)
{
    const bool is_nested = mark(info);
    const struct sigaction action = is_nested ? first_previous : previous;

    if (!(action.sa_flags & SA_SIGINFO) &&
        (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) {
        restore_default();
        return;
    }
    if (!is_nested && (action.sa_flags & (int)SA_RESETHAND))
        memset(&previous, 0, sizeof previous); /* SIG_DFL */
    call_handler(&action, number, info, context);
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
    bool is_served = false;

    if (is_touch && !is_forked_or_service())
        is_served =
            ask_service((uint64_t)(uintptr_t)info->si_addr, is_write_fault(info->si_addr, context));
    if (!is_served)
        chain(number, info, context);
    errno = kept_errno;
}

static void put_in_front(struct sigaction *found)
{
    struct sigaction ours;

    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGSEGV, &ours, found);
}

static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */

/* Signals are for the program's threads. */
static ocl_status start_thread(void *(*function)(void *))
{
    sigset_t all, before;
    pthread_t thread;

    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&thread, NULL, function, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
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
            put_in_front(&first_previous);
            previous = first_previous;
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
    struct sigaction now;

    if (!atomic_load(&is_installed) || sigaction(SIGSEGV, NULL, &now) != 0)
        return;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle)
        return;
    pthread_mutex_lock(&watch_lock);
    put_in_front(&now);
    if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != handle)
        previous = now;
    pthread_mutex_unlock(&watch_lock);
}
