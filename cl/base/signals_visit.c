/* Unblocking SIGSEGV in other threads: a thread's mask is changed by the thread alone, or by the end of a handler that
 * runs in it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/signals_visit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/sanitized.h"
#include "cl/signals.h"
#include "cl/whole.h"

/* The layout is that of these two. */
#if (defined(__x86_64__) || defined(__aarch64__)) && !OCL_IS_SANITIZED

/* The C library's own signal, for cancellation: its functions neither block it nor let programs handle it. It handles it
 * from the first pthread_cancel() on, and then takes no notice of what was not sent by tgkill(). */
enum { NEVER_BLOCKED = 32 };

/* Linux's, not the C library's. */
struct system_action {
    void (*handler)(int number, siginfo_t *info, void *context);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static bool exchange(int number, const struct system_action *wanted, struct system_action *before)
{
    return syscall(SYS_rt_sigaction, number, wanted, before, sizeof before->mask) == 0;
}

static struct system_action library; /* the C library's */
static char token;                   /* its address says who sent a signal */
static _Atomic uint32_t answers;     /* of threads that were asked */
static _Atomic bool has_unblocked;   /* one of them at least */

static void answer(ucontext_t *interrupted)
{
    if (sigismember(&interrupted->uc_sigmask, SIGSEGV) == 1) {
        sigdelset(&interrupted->uc_sigmask, SIGSEGV);
        ocl_signals_set_blocked(true);
        atomic_store(&has_unblocked, true);
    }
    atomic_fetch_add(&answers, 1);
}

static void visit(int number, siginfo_t *info, void *context)
{
    if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &token)
        answer(context);
    else if (library.handler)
        library.handler(number, info, context);
}

/* It stays: the C library may have come to use the signal meanwhile. What returns from handlers is asked of a handler
 * that the C library installed. */
static bool install(void)
{
    struct system_action action;

    if (!exchange(SIGSEGV, NULL, &action))
        return false;
    action.handler = visit;
    action.flags |= SA_RESTART;
    action.mask = 0;
    return exchange(NEVER_BLOCKED, &action, &library);
}

/* Whether the thread blocks SIGSEGV, if only for a moment, as the C library does where it starts threads. */
static bool blocks(const char *thread)
{
    static const uint64_t bit = (uint64_t)1 << (SIGSEGV - 1);
    char path[64], text[4096];

    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
    const int file = whole_open(path, O_RDONLY, 0);
    if (file < 0)
        return false;
    const ssize_t bytes = whole_read(file, text, sizeof text - 1);
    close(file);
    text[bytes > 0 ? bytes : 0] = '\0';
    const char *mask = strstr(text, "\nSigBlk:");
    const bool is_over = strstr(text, "\nState:\tZ") || strstr(text, "\nState:\tX");
    return mask && !is_over && (strtoull(mask + strlen("\nSigBlk:"), NULL, 16) & bit) != 0;
}

static bool ask(const char *thread)
{
    siginfo_t info;

    memset(&info, 0, sizeof info);
    info.si_signo = NEVER_BLOCKED;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = &token;
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), atoi(thread), NEVER_BLOCKED, &info) == 0;
}

static bool is_any(const char *thread)
{
    (void)thread;
    return true;
}

/* How many there were. */
static uint32_t ask_all(bool (*is_asked)(const char *thread))
{
    uint32_t asked = 0;
    const struct dirent *entry;
    const long self = syscall(SYS_gettid);
    DIR *threads = opendir("/proc/self/task");

    while (threads && (entry = readdir(threads)) != NULL)
        if (entry->d_name[0] != '.' && atol(entry->d_name) != self && is_asked(entry->d_name))
            asked += ask(entry->d_name);
    if (threads)
        closedir(threads);
    return asked;
}

/* Whether /proc tells what threads block. Emulators show masks of their own there, and sandboxes none. */
static bool are_masks_told(void)
{
    static const uint64_t all = UINT64_MAX;
    uint64_t before = 0;
    char self[32];

    snprintf(self, sizeof self, "%ld", syscall(SYS_gettid));
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof before) != 0)
        return true;
    const bool are_told = blocks(self);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    return are_told;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

/* Threads that are asked may start others meanwhile. */
static void ask_blocking(uint64_t end)
{
    while (ask_all(blocks) > 0 && ocl_now() < end)
        nap();
}

/* Until it was unnecessary. */
static void ask_everybody(uint64_t end)
{
    do {
        atomic_store(&answers, 0);
        atomic_store(&has_unblocked, false);
        const uint32_t asked = ask_all(is_any);
        while (atomic_load(&answers) < asked && ocl_now() < end)
            nap();
    } while (atomic_load(&has_unblocked) && ocl_now() < end);
}

/* One that is stopped, or in a call that nothing interrupts, is not waited for. */
void ocl_signals_visit(void)
{
    enum { LONGEST_MS = 300 };
    const uint64_t end = ocl_deadline_after(LONGEST_MS);

    if (!install())
        return;
    const int before = ocl_steady_begin();
    if (are_masks_told())
        ask_blocking(end);
    else
        ask_everybody(end);
    ocl_steady_end(before);
}

#else

void ocl_signals_visit(void)
{
}

#endif
