/* The C library's functions for signals, defined over it: where managed memory migrates, clem's handler for SIGSEGV must
 * stay in place and unblocked. They carry SIGSEGV to cl/signals.h and the rest to the system, and answer as the program
 * set it. Until the first allocation that migrates, they do nothing.
 * SPDX-License-Identifier: Apache-2.0 */

/* Old names are defined here as well, and marked so in the headers. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "cl/process.h"
#include "cl/signals.h"
#include "facade/host/host_next.h"

#if FACADE_STANDS_IN

#undef sigpause /* a macro for either of two functions */
#undef sigmask

typedef void handler_function(int number);
typedef int action_function(int number, const struct sigaction *wanted, struct sigaction *before);
typedef int mask_function(int how, const sigset_t *wanted, sigset_t *before);
typedef handler_function *signal_function(int number, handler_function *handler);
typedef int number_function(int number);

static int fail_with(int error)
{
    errno = error;
    return -1;
}

/* --- actions ---------------------------------------------------------------------------------- */

/* Another signal's handler must not block SIGSEGV. */
static int set_other_action(action_function *next, int number, const struct sigaction *wanted,
                            struct sigaction *before)
{
    const bool was_masked = ocl_signals_is_masked(number);
    struct sigaction copy;
    bool is_masked = false;
    if (wanted != NULL) {
        copy = *wanted;
        is_masked = sigismember(&copy.sa_mask, SIGSEGV) == 1;
        sigdelset(&copy.sa_mask, SIGSEGV);
    }
    const int result = next(number, wanted != NULL ? &copy : NULL, before);
    if (result != 0)
        return result;
    if (wanted != NULL)
        ocl_signals_set_masked(number, is_masked);
    if (before != NULL && was_masked)
        sigaddset(&before->sa_mask, SIGSEGV);
    return 0;
}

/* LLVM takes many signals for itself when PoCL first compiles, to remove its files and to tell where it was: SIGUSR1 would not
 * come to the program any more, nor end it, and others only once. A forked child has no driver, and may not wait for the
 * loader's lock. */
static bool is_compilers(const struct sigaction *wanted, const void *caller)
{
    return wanted != NULL && wanted->sa_handler != SIG_DFL && wanted->sa_handler != SIG_IGN &&
           !ocl_process_is_forked() && facade_is_compiler(caller);
}

static int set_action(action_function *next, int number, const struct sigaction *wanted,
                      struct sigaction *before, const void *caller)
{
    if (next == NULL)
        return fail_with(ENOSYS);
    if (is_compilers(wanted, caller))
        return before != NULL ? set_action(next, number, NULL, before, caller) : 0;
    if (!ocl_signals_are_shared_here())
        return next(number, wanted, before);
    if (number != SIGSEGV)
        return set_other_action(next, number, wanted, before);
    ocl_signals_exchange(wanted, before);
    return 0;
}

EXPORTED int sigaction(int number, const struct sigaction *wanted, struct sigaction *before)
{
    return set_action((action_function *)NEXT(sigaction), number, wanted, before,
                      __builtin_return_address(0));
}

EXPORTED action_function __sigaction;
int __sigaction(int number, const struct sigaction *wanted, struct sigaction *before)
{
    return set_action((action_function *)NEXT(__sigaction), number, wanted, before,
                      __builtin_return_address(0));
}

/* --- handlers alone --------------------------------------------------------------------------- */

/* siginterrupt() says how signal() does from then on. */
static _Atomic int restart_flag = SA_RESTART;

static bool is_for_us(int number)
{
    return number == SIGSEGV && ocl_signals_are_shared_here();
}

/* mask: of the handler; NULL: empty. */
static handler_function *set_handler(handler_function *handler, int flags, bool masks_itself)
{
    struct sigaction wanted, before;
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    if (masks_itself)
        sigaddset(&wanted.sa_mask, SIGSEGV);
    ocl_signals_exchange(&wanted, &before);
    return before.sa_handler;
}

static handler_function *no_function(void)
{
    errno = ENOSYS;
    return SIG_ERR;
}

/* A handler of these masks nothing but its own signal. */
static handler_function *set_other_handler(signal_function *next, int number,
                                           handler_function *handler)
{
    handler_function *before = next != NULL ? next(number, handler) : no_function();
    if (before != SIG_ERR && number != SIGSEGV && ocl_signals_are_shared_here())
        ocl_signals_set_masked(number, false);
    return before;
}

static handler_function *set_lasting(signal_function *next, int number, handler_function *handler)
{
    return is_for_us(number) ? set_handler(handler, restart_flag, true)
                             : set_other_handler(next, number, handler);
}

/* System V's way: it serves once, and is not blocked meanwhile. */
static handler_function *set_once(signal_function *next, int number, handler_function *handler)
{
    return is_for_us(number) ? set_handler(handler, (int)(SA_RESETHAND | SA_NODEFER), false)
                             : set_other_handler(next, number, handler);
}

#define LASTING(name)                                                                              \
    EXPORTED signal_function name;                                                                 \
    handler_function *name(int number, handler_function *handler)                                  \
    {                                                                                              \
        return set_lasting((signal_function *)NEXT(name), number, handler);                        \
    }
LASTING(signal)
LASTING(bsd_signal)
LASTING(ssignal)

#define ONCE(name)                                                                                 \
    EXPORTED signal_function name;                                                                 \
    handler_function *name(int number, handler_function *handler)                                  \
    {                                                                                              \
        return set_once((signal_function *)NEXT(name), number, handler);                           \
    }
ONCE(sysv_signal)
ONCE(__sysv_signal)

EXPORTED int siginterrupt(int number, int interrupts)
{
    int (*const next)(int, int) = (int (*)(int, int))NEXT(siginterrupt);
    struct sigaction action;
    if (number == SIGSEGV)
        restart_flag = interrupts ? 0 : SA_RESTART;
    if (!is_for_us(number))
        return next != NULL ? next(number, interrupts) : fail_with(ENOSYS);
    ocl_signals_exchange(NULL, &action);
    action.sa_flags = (action.sa_flags & ~SA_RESTART) | restart_flag;
    ocl_signals_exchange(&action, NULL);
    return 0;
}

EXPORTED int sigignore(int number)
{
    number_function *const next = (number_function *)NEXT(sigignore);
    if (!is_for_us(number))
        return next != NULL ? next(number) : fail_with(ENOSYS);
    (void)set_handler(SIG_IGN, 0, false);
    return 0;
}

/* --- masks ------------------------------------------------------------------------------------ */

const sigset_t *facade_system_mask(const sigset_t *mask, sigset_t *copy)
{
    if (mask == NULL || !ocl_signals_are_shared_here())
        return mask;
    *copy = *mask;
    sigdelset(copy, SIGSEGV);
    return copy;
}

static int set_mask(mask_function *next, int how, const sigset_t *wanted, sigset_t *before)
{
    sigset_t copy;
    if (next == NULL)
        return ENOSYS;
    if (!ocl_signals_are_shared_here())
        return next(how, wanted, before);
    ocl_signals_unblock(); /* what was blocked before the first allocation */
    const bool was_blocked = ocl_signals_is_blocked();
    const bool has_ours = wanted != NULL && sigismember(wanted, SIGSEGV) == 1;
    const int result = next(how, facade_system_mask(wanted, &copy), before);
    if (result != 0)
        return result;
    if (has_ours)
        ocl_signals_set_blocked(how != SIG_UNBLOCK);
    else if (wanted != NULL && how == SIG_SETMASK)
        ocl_signals_set_blocked(false);
    if (has_ours && how == SIG_UNBLOCK)
        ocl_signals_unblock_token();
    if (before != NULL && (ocl_signals_take_token(before) || was_blocked))
        sigaddset(before, SIGSEGV);
    return 0;
}

EXPORTED int sigprocmask(int how, const sigset_t *wanted, sigset_t *before)
{
    return set_mask((mask_function *)NEXT(sigprocmask), how, wanted, before);
}

EXPORTED int pthread_sigmask(int how, const sigset_t *wanted, sigset_t *before)
{
    return set_mask((mask_function *)NEXT(pthread_sigmask), how, wanted, before);
}

static int block_one(number_function *next, int number, int how)
{
    sigset_t only;
    if (!is_for_us(number))
        return next != NULL ? next(number) : fail_with(ENOSYS);
    sigemptyset(&only);
    sigaddset(&only, number);
    return sigprocmask(how, &only, NULL);
}

EXPORTED int sighold(int number)
{
    return block_one((number_function *)NEXT(sighold), number, SIG_BLOCK);
}

EXPORTED int sigrelse(int number)
{
    return block_one((number_function *)NEXT(sigrelse), number, SIG_UNBLOCK);
}

/* Source: POSIX.1-2008, sigset(): a disposition also unblocks the signal, SIG_HOLD only blocks it, and the answer is
 * SIG_HOLD when it was blocked. */
EXPORTED handler_function *sigset(int number, handler_function *handler)
{
    signal_function *const next = (signal_function *)NEXT(sigset);
    if (!is_for_us(number))
        return set_other_handler(next, number, handler);
    struct sigaction before;
    const bool was_blocked = ocl_signals_is_blocked();
    ocl_signals_exchange(NULL, &before);
    if (handler != SIG_HOLD && set_handler(handler, 0, false) == SIG_ERR)
        return SIG_ERR;
    if (block_one(NULL, number, handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK) != 0)
        return SIG_ERR;
    return was_blocked ? SIG_HOLD : before.sa_handler;
}

/* BSD's masks have 32 signals in an int, of which SIGSEGV is one. */
enum { OUR_BIT = 1 << (SIGSEGV - 1) };

static int set_bsd_mask(number_function *next, int mask, bool adds)
{
    if (next == NULL)
        return fail_with(ENOSYS);
    if (!ocl_signals_are_shared_here())
        return next(mask);
    const bool was_blocked = ocl_signals_is_blocked();
    const int before = next(mask & ~OUR_BIT);
    if (before == -1)
        return before;
    ocl_signals_set_blocked((mask & OUR_BIT) != 0 || (adds && was_blocked));
    return was_blocked ? before | OUR_BIT : before;
}

EXPORTED int sigblock(int mask)
{
    return set_bsd_mask((number_function *)NEXT(sigblock), mask, true);
}

EXPORTED int sigsetmask(int mask)
{
    return set_bsd_mask((number_function *)NEXT(sigsetmask), mask, false);
}

EXPORTED int siggetmask(void)
{
    int (*const next)(void) = (int (*)(void))NEXT(siggetmask);
    const int mask = next != NULL ? next() : 0;
    return ocl_signals_are_shared_here() && ocl_signals_is_blocked() ? mask | OUR_BIT : mask;
}

/* --- threads to come -------------------------------------------------------------------------- */

typedef int attribute_function(pthread_attr_t *attributes, const sigset_t *mask);
typedef int ask_function(const pthread_attr_t *attributes, sigset_t *mask);

/* What the system never blocks stands for SIGSEGV in attributes. */
enum { STAND_IN = SIGSTOP };

EXPORTED int pthread_attr_setsigmask_np(pthread_attr_t *attributes, const sigset_t *mask)
{
    attribute_function *const next = (attribute_function *)NEXT(pthread_attr_setsigmask_np);
    sigset_t copy;
    if (next == NULL)
        return ENOSYS;
    if (mask == NULL || !ocl_signals_are_shared_here())
        return next(attributes, mask);
    copy = *mask;
    sigdelset(&copy, STAND_IN);
    if (sigismember(mask, SIGSEGV) == 1)
        sigaddset(&copy, STAND_IN);
    sigdelset(&copy, SIGSEGV);
    return next(attributes, &copy);
}

EXPORTED int pthread_attr_getsigmask_np(const pthread_attr_t *attributes, sigset_t *mask)
{
    ask_function *const next = (ask_function *)NEXT(pthread_attr_getsigmask_np);
    const int result = next != NULL ? next(attributes, mask) : ENOSYS;
    if (result == 0 && ocl_signals_are_shared_here() && sigismember(mask, STAND_IN) == 1)
        sigaddset(mask, SIGSEGV);
    return result;
}

/* --- waiting with a mask ---------------------------------------------------------------------- */

typedef int suspend_function(const sigset_t *mask);

static int suspend(suspend_function *next, const sigset_t *mask)
{
    sigset_t copy;
    return next != NULL ? next(facade_system_mask(mask, &copy)) : fail_with(ENOSYS);
}

EXPORTED int sigsuspend(const sigset_t *mask)
{
    return suspend((suspend_function *)NEXT(sigsuspend), mask);
}

EXPORTED suspend_function __sigsuspend;
int __sigsuspend(const sigset_t *mask)
{
    return suspend((suspend_function *)NEXT(__sigsuspend), mask);
}

/* The name has two meanings, and so two symbols: X/Open's takes a signal, BSD's a mask. */
typedef int pause_function(int number_or_mask, int is_number);
int facade_bsd_sigpause(int mask) __asm__("sigpause");
EXPORTED number_function facade_bsd_sigpause;
EXPORTED number_function __xpg_sigpause;
EXPORTED pause_function __sigpause;

int __sigpause(int number_or_mask, int is_number)
{
    pause_function *const next = (pause_function *)NEXT(__sigpause);
    sigset_t mask;
    if (!ocl_signals_are_shared_here())
        return next != NULL ? next(number_or_mask, is_number) : fail_with(ENOSYS);
    sigemptyset(&mask);
    if (is_number) {
        (void)pthread_sigmask(SIG_BLOCK, NULL, &mask);
        if (sigdelset(&mask, number_or_mask) != 0)
            return -1;
    }
    for (int number = 1; !is_number && number <= 32; number++) {
        if ((unsigned)number_or_mask >> (number - 1) & 1)
            sigaddset(&mask, number);
    }
    return sigsuspend(&mask);
}

int __xpg_sigpause(int number)
{
    return __sigpause(number, 1);
}

int facade_bsd_sigpause(int mask)
{
    return __sigpause(mask, 0);
}

#endif
