/* SIGSEGV belongs to clem and to the program.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "cl/base/crash.h"
#include "cl/process.h"
#include "cl/sanitized.h"
#include "cl/thread.h"

static _Atomic bool is_shared;
static ocl_signal_handler *own;

static pid_t owner;

bool ocl_signals_are_shared(void)
{
    return atomic_load_explicit(&is_shared, memory_order_acquire);
}

bool ocl_signals_are_shared_here(void)
{
    return ocl_signals_are_shared() && (getpid() == owner || ocl_process_is_forked());
}

/* ---- The system's functions, behind the stand-ins ---- */

static int (*system_action)(int number, const struct sigaction *wanted, struct sigaction *before);

/* Whether the program's calls come to the stand-ins, and not to the C library at once. */
static bool has_stand_ins;

/* A sanitizer's own stand-in has to know of handlers. */
static void find_system(void)
{
#if !OCL_IS_SANITIZED
    *(void **)&system_action = dlsym(RTLD_NEXT, "sigaction");
    has_stand_ins = dlsym(RTLD_DEFAULT, "pthread_sigmask") != dlsym(RTLD_NEXT, "pthread_sigmask");
#endif
    if (!system_action)
        system_action = sigaction;
}

/* Linux counts 64 signals in 8 bytes. */
static void system_mask(int how, const sigset_t *wanted, sigset_t *before)
{
    if (before)
        sigemptyset(before);
    syscall(SYS_rt_sigprocmask, how, wanted, before, 8);
}

/* The C library's own signal, for cancellation, which waits meanwhile: blocked in the program's handler in place of
 * SIGSEGV. Jumps and contexts restore masks with system calls of their own, and with them the token. */
static const uint64_t token = (uint64_t)1 << (32 - 1);

static void add_token(sigset_t *mask)
{
    uint64_t bits;

    memcpy(&bits, mask, sizeof bits);
    bits |= token;
    memcpy(mask, &bits, sizeof bits);
}

bool ocl_signals_take_token(sigset_t *mask)
{
    uint64_t bits;

    memcpy(&bits, mask, sizeof bits);
    const bool has_token = has_stand_ins && (bits & token) != 0;
    if (has_token)
        bits &= ~token;
    memcpy(mask, &bits, sizeof bits);
    return has_token;
}

void ocl_signals_unblock_token(void)
{
    sigset_t only;

    sigemptyset(&only);
    add_token(&only);
    if (has_stand_ins)
        system_mask(SIG_UNBLOCK, &only, NULL);
}

/* ---- What the program wants ---- */

/* Handlers read it and programs set it in handlers, so it is neither locked nor allocated: the newest of a ring of
 * records is the one that counts, and the version of each tells a reader that it was written meanwhile. */
struct record {
    _Atomic uint32_t version; /* odd while it is written */
    struct sigaction action;
};
enum { RECORDS = 64 };
static struct record records[RECORDS];
static _Atomic uint32_t last_record;
static _Atomic(struct record *) current = records; /* at first all zero: the default */
static struct sigaction first;                     /* what was there before clem's handler */

static struct record *write_record(const struct sigaction *action)
{
    struct record *record = &records[(atomic_fetch_add(&last_record, 1) + 1) % RECORDS];

    atomic_fetch_or(&record->version, 1);
    atomic_thread_fence(memory_order_release); /* before what is written is seen */
    record->action = *action;
    atomic_fetch_add(&record->version, 1);
    return record;
}

static struct record *read_record(struct sigaction *action)
{
    struct record *record;
    uint32_t version;

    do {
        record = atomic_load(&current);
        version = atomic_load(&record->version);
        *action = record->action;
        atomic_thread_fence(memory_order_acquire);
    } while (version % 2 != 0 || atomic_load(&record->version) != version);
    return record;
}

/* The two values mean what they mean with SA_SIGINFO too. */
static bool has_handler(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == own;
}

/* Handlers that come while ours waits touch pages too, so ours may nest. Where it runs, and whether calls go on after
 * it, is as the program's handler wants it. */
static void install(void)
{
    struct sigaction theirs, ours;
    const struct record *seen;

    do {
        seen = read_record(&theirs);
        memset(&ours, 0, sizeof ours);
        ours.sa_sigaction = own;
        ours.sa_flags = SA_SIGINFO | SA_NODEFER;
        ours.sa_flags |= (has_handler(&theirs) ? theirs.sa_flags : -1) & (SA_ONSTACK | SA_RESTART);
        system_action(SIGSEGV, &ours, NULL);
    } while (seen != atomic_load(&current));
}

void ocl_signals_exchange(const struct sigaction *wanted, struct sigaction *before)
{
    struct sigaction old, copy;
    struct record *record = NULL, *seen;

    if (wanted) {
        copy = *wanted;
        sigdelset(&copy.sa_mask, SIGKILL); /* as the system does */
        sigdelset(&copy.sa_mask, SIGSTOP);
        record = write_record(&copy);
    }
    do
        seen = read_record(&old);
    while (record && !atomic_compare_exchange_strong(&current, &seen, record));
    if (record)
        install();
    if (before)
        *before = old;
}

static _Atomic uint64_t masked; /* by the number of the signal less 1 */

bool ocl_signals_is_masked(int number)
{
    return number >= 1 && number <= 64 && (atomic_load(&masked) >> (number - 1) & 1) != 0;
}

void ocl_signals_set_masked(int number, bool is_masked)
{
    const uint64_t bit = (uint64_t)1 << (number - 1);

    if (is_masked)
        atomic_fetch_or(&masked, bit);
    else
        atomic_fetch_and(&masked, ~bit);
}

bool ocl_signals_is_blocked(void)
{
    return (ocl_thread_word & OCL_THREAD_BLOCKS_SIGSEGV) != 0;
}

void ocl_signals_set_blocked(bool is_blocked)
{
    if (is_blocked)
        ocl_thread_word |= OCL_THREAD_BLOCKS_SIGSEGV;
    else
        ocl_thread_word &= ~(uintptr_t)OCL_THREAD_BLOCKS_SIGSEGV;
}

/* ---- Sharing ---- */

void ocl_signals_unblock(void)
{
    sigset_t only, before;

    sigemptyset(&only);
    sigaddset(&only, SIGSEGV);
    system_mask(SIG_UNBLOCK, &only, &before);
    if (sigismember(&before, SIGSEGV) == 1)
        ocl_signals_set_blocked(true);
}

/* Numbers that the C library keeps for itself are refused. */
static void unmask_handlers(void)
{
    struct sigaction action;

    for (int number = 1; number <= 64; number++) {
        if (number == SIGSEGV || system_action(number, NULL, &action) != 0 ||
            !has_handler(&action) || sigismember(&action.sa_mask, SIGSEGV) != 1)
            continue;
        sigdelset(&action.sa_mask, SIGSEGV);
        if (system_action(number, &action, NULL) == 0)
            ocl_signals_set_masked(number, true);
    }
}

void ocl_signals_share(ocl_signal_handler *handler)
{
    find_system();
    own = handler;
    owner = getpid();
    system_action(SIGSEGV, NULL, &first);
    atomic_store(&current, write_record(&first));
    install();
    atomic_store(&is_shared, true);
    unmask_handlers();
    ocl_signals_unblock();
}

void ocl_signals_share_again(void)
{
    struct sigaction now;

    ocl_signals_unblock();
    if (system_action(SIGSEGV, NULL, &now) != 0 || is_ours(&now))
        return;
    atomic_store(&current, write_record(&now));
    install();
}

/* ---- Handing on ---- */

static bool is_sent(const siginfo_t *info)
{
    return info->si_code <= 0;
}

/* With the default in place the instruction faults again, and what was sent comes again: the process ends where and how
 * it would have ended without clem. */
static void end_process(siginfo_t *info)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    system_action(SIGSEGV, &action, NULL);
    if (is_sent(info))
        syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGSEGV, info);
}

/* The system blocks the signal itself, too, so that a handler that faults ends the process, and what jumps out may leave
 * it blocked or not. Here the token is blocked in its place, and pages may be touched; where no stand-in would show that
 * to the program as SIGSEGV, the signal itself. */
static void call_handler(const struct sigaction *action, int number, siginfo_t *info, void *context)
{
    const bool is_blocked = ocl_signals_is_blocked();
    sigset_t mask = action->sa_mask, before;

    if (has_stand_ins) {
        if (!(action->sa_flags & SA_NODEFER) || sigismember(&mask, number) == 1)
            add_token(&mask);
        sigdelset(&mask, number);
    } else if (action->sa_flags & SA_NODEFER) {
        sigdelset(&mask, number);
    } else {
        sigaddset(&mask, number);
    }
    system_mask(SIG_BLOCK, &mask, &before);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, context);
    else
        action->sa_handler(number);
    system_mask(SIG_SETMASK, &before, NULL);
    ocl_signals_set_blocked(is_blocked);
}

/* Without the stand-ins, a handler that the program installed after ours may call ours as the one it found: then the
 * one before both is meant. Such a call comes with the siginfo of the signal that is being handled, whose last
 * bytes Linux leaves zero and we mark. */
enum { MARK_BYTES = sizeof(uint64_t) };

static char *mark_of(siginfo_t *info)
{
    return (char *)info + sizeof *info - MARK_BYTES;
}

static bool note_handed_on(siginfo_t *info)
{
    static const uint64_t handed_on = 0x68616e6465646f6e;
    const bool was_marked = memcmp(mark_of(info), &handed_on, MARK_BYTES) == 0;

    memcpy(mark_of(info), &handed_on, MARK_BYTES);
    return was_marked;
}

/* The next signal's siginfo may lie in the same place, and what emulates Linux may leave there what was. */
static void forget_handed_on(siginfo_t *info)
{
    memset(mark_of(info), 0, MARK_BYTES);
}

/* What is to be done about the signal; a handler that serves once is the program's no longer. */
static void take_action(struct sigaction *action)
{
    struct sigaction spent;
    struct record *seen;

    do {
        seen = read_record(action);
        if (!has_handler(action) || !(action->sa_flags & (int)SA_RESETHAND))
            return;
        spent = *action;
        spent.sa_handler = SIG_DFL;
    } while (!atomic_compare_exchange_strong(&current, &seen, write_record(&spent)));
}

void ocl_signals_hand_on(int number, siginfo_t *info, void *context)
{
    struct sigaction action = first;
    const bool is_forced = !is_sent(info);
    sigset_t mask = ((ucontext_t *)context)->uc_sigmask;

    ocl_crash_tell(info, context);
    if (is_forced && (ocl_signals_is_blocked() || ocl_signals_take_token(&mask))) {
        end_process(info);
        return;
    }
    const bool is_handed_on = note_handed_on(info);
    if (!is_handed_on)
        take_action(&action);
    if (has_handler(&action))
        call_handler(&action, number, info, context);
    else if (is_forced || action.sa_handler == SIG_DFL)
        end_process(info);
    if (!is_handed_on)
        forget_handed_on(info);
}
