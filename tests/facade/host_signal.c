/* Tests of facade/host/host_signal.c: a program that uses SIGSEGV and masks as it likes, and touches managed memory that
 * kernels have just written. What ends a process is tried in a program of its own (tests/programs/signals.c).
 * SPDX-License-Identifier: Apache-2.0 */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/facade/migrating_support.h"

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

/* A page that the device has, each time another one. */
static int touch(const int *p)
{
    static _Atomic unsigned next;
    const size_t index = next++ * 20000 % COUNT;
    return p[index] == pattern_value(index, 1);
}

/* --- masks ------------------------------------------------------------------------------------ */

static int blocks_segv(void)
{
    sigset_t mask;
    sigemptyset(&mask);
    if (pthread_sigmask(SIG_BLOCK, NULL, &mask) != 0)
        return -1;
    return sigismember(&mask, SIGSEGV);
}

typedef void block_function(const sigset_t *all);

static void by_pthread(const sigset_t *all)
{
    assert_int_equal(pthread_sigmask(SIG_SETMASK, all, NULL), 0);
}
static void by_process(const sigset_t *all)
{
    assert_int_equal(sigprocmask(SIG_BLOCK, all, NULL), 0);
}
static void by_hold(const sigset_t *all)
{
    (void)all;
    assert_int_equal(sighold(SIGSEGV), 0);
}
static void by_set(const sigset_t *all)
{
    (void)all;
    assert_true(sigset(SIGSEGV, SIG_HOLD) != SIG_ERR);
}
enum { SEGV_BIT = 1 << (SIGSEGV - 1) };
static void by_bsd(const sigset_t *all)
{
    (void)all;
    assert_int_equal(sigblock(SEGV_BIT) & SEGV_BIT, 0);
    assert_true((siggetmask() & SEGV_BIT) != 0);
}

struct blocked {
    block_function *block;
    const int *p;
};

static void *touch_blocked(void *data)
{
    const struct blocked *b = data;
    sigset_t all, before;
    sigfillset(&all);
    b->block(&all);
    THREAD_CHECK(blocks_segv() == 1);
    for (int i = 0; i < 4; i++)
        THREAD_CHECK(touch(b->p));
    THREAD_CHECK(pthread_sigmask(SIG_UNBLOCK, &all, &before) == 0);
    THREAD_CHECK(sigismember(&before, SIGSEGV) == 1 && blocks_segv() == 0);
    THREAD_CHECK(pthread_sigmask(77, &all, NULL) == EINVAL && blocks_segv() == 0);
    return NULL;
}

TEST_BODY(host_signal_threads_touch_with_all_signals_blocked)
{
    static block_function *const ways[] = {by_pthread, by_process, by_hold, by_set, by_bsd};
    int *p = made_by_kernel(1);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct blocked b = {ways[i], p};
        pthread_t thread;
        void *failed = NULL;
        assert_int_equal(pthread_create(&thread, NULL, touch_blocked, &b), 0);
        assert_int_equal(pthread_join(thread, &failed), 0);
        if (failed != NULL)
            print_error("way %zu: %s\n", i, (const char *)failed);
        assert_null(failed);
    }
    assert_success(cudaFree(p));
}

static void *touch_only(void *p)
{
    THREAD_CHECK(touch(p));
    return NULL;
}

TEST_BODY(host_signal_attributes_block_for_new_threads)
{
    int *p = made_by_kernel(1);
    pthread_attr_t attributes;
    sigset_t all, some, got;
    pthread_t thread;
    void *failed = NULL;
    sigfillset(&all);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setsigmask_np(&attributes, &some), 0);
    assert_int_equal(pthread_attr_getsigmask_np(&attributes, &got), 0);
    assert_int_equal(sigismember(&got, SIGSEGV), 0);
    assert_int_equal(sigismember(&got, SIGUSR1), 1);
    assert_int_equal(pthread_attr_setsigmask_np(&attributes, &all), 0);
    assert_int_equal(pthread_attr_getsigmask_np(&attributes, &got), 0);
    assert_int_equal(sigismember(&got, SIGSEGV), 1);
    assert_int_equal(pthread_create(&thread, &attributes, touch_only, p), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    pthread_attr_destroy(&attributes);
    assert_success(cudaFree(p));
}

/* A thread that blocked everything before there was managed memory, and waits for what kernels do. */
TEST_BODY(host_signal_masks_of_before_are_seen_at_the_next_wait)
{
    sigset_t all;
    sigfillset(&all);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    int *p = made_by_kernel(1);
    assert_true(touch(p));
    assert_int_equal(blocks_segv(), 1);
    assert_success(cudaFree(p));
}

static pthread_barrier_t steps;

static void *block_early(void *p)
{
    sigset_t all, before;
    sigfillset(&all);
    THREAD_CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    pthread_barrier_wait(&steps);
    pthread_barrier_wait(&steps);
    THREAD_CHECK(pthread_sigmask(SIG_UNBLOCK, &all, &before) == 0);
    THREAD_CHECK(sigismember(&before, SIGSEGV) == 1 && blocks_segv() == 0);
    THREAD_CHECK(touch(*(int **)p));
    return NULL;
}

/* A thread that blocked everything before, and waits for nothing, counts from its next mask on. */
TEST_BODY(host_signal_masks_of_before_end_as_they_began)
{
    int *p = NULL;
    pthread_t thread;
    void *failed = NULL;
    assert_int_equal(pthread_barrier_init(&steps, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, block_early, &p), 0);
    pthread_barrier_wait(&steps);
    p = made_by_kernel(1);
    pthread_barrier_wait(&steps);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_success(cudaFree(p));
}

struct early {
    int *_Atomic p;
    bool sleeps;
};

static void *touch_early(void *data)
{
    struct early *early = data;
    sigset_t all;
    sigfillset(&all);
    THREAD_CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    pthread_barrier_wait(&steps);
    if (early->sleeps)
        pthread_barrier_wait(&steps);
    while (atomic_load(&early->p) == NULL)
        continue;
    THREAD_CHECK(touch(early->p) && touch(early->p));
    THREAD_CHECK(blocks_segv() == 1);
    return NULL;
}

/* Nor need a thread wait or change its mask, whether it sleeps or computes. */
static void touch_with_masks_of_before(bool sleeps)
{
    struct early early = {NULL, sleeps};
    pthread_t thread;
    void *failed = NULL;
    assert_int_equal(pthread_barrier_init(&steps, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, touch_early, &early), 0);
    pthread_barrier_wait(&steps);
    int *p = made_by_kernel(1);
    atomic_store(&early.p, p);
    if (sleeps)
        pthread_barrier_wait(&steps);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_success(cudaFree(p));
}

TEST_BODY(host_signal_masks_of_before_let_sleepers_touch)
{
    touch_with_masks_of_before(true);
}

static void *wait_for_cancel(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void cancel_one(void)
{
    pthread_t thread;
    void *end = NULL;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_cancel, NULL), 0);
    assert_int_equal(pthread_cancel(thread), 0);
    assert_int_equal(pthread_join(thread, &end), 0);
    assert_ptr_equal(end, PTHREAD_CANCELED);
}

/* By the signal that unblocks them, which the C library handles from the first time on. */
TEST_BODY(host_signal_masks_of_before_let_threads_be_cancelled)
{
    cancel_one();
    touch_with_masks_of_before(false);
    cancel_one();
}

/* --- handlers of other signals ---------------------------------------------------------------- */

static int *_Atomic page_source;
static volatile sig_atomic_t other_calls, other_faults, is_in_call;
static pthread_t toucher;

static void touch_in_handler(int number)
{
    (void)number;
    other_calls++;
    if (!is_in_call && pthread_equal(pthread_self(), toucher) && !touch(page_source))
        other_faults++;
}

static void install_masked(int number, int flags)
{
    struct sigaction action, seen;
    memset(&action, 0, sizeof action);
    toucher = pthread_self();
    action.sa_handler = touch_in_handler;
    action.sa_flags = flags;
    sigfillset(&action.sa_mask);
    assert_int_equal(sigaction(number, &action, NULL), 0);
    assert_int_equal(sigaction(number, NULL, &seen), 0);
    assert_int_equal(sigismember(&seen.sa_mask, SIGSEGV), 1);
    assert_int_equal(sigismember(&seen.sa_mask, SIGUSR1), 1);
    assert_ptr_equal(seen.sa_handler, touch_in_handler);
}

/* Installed before and after the first allocation, with every signal masked. (Compilers take SIGUSR1.) */
TEST_BODY(host_signal_masked_handlers_touch)
{
    struct sigaction seen;
    install_masked(SIGWINCH, 0);
    page_source = made_by_kernel(1);
    install_masked(SIGUSR2, 0);
    raise(SIGWINCH);
    raise(SIGUSR2);
    assert_int_equal(other_calls, 2);
    assert_int_equal(other_faults, 0);
    assert_int_equal(sigaction(SIGWINCH, NULL, &seen), 0);
    assert_int_equal(sigismember(&seen.sa_mask, SIGSEGV), 1);
    assert_true(signal(SIGWINCH, SIG_DFL) == touch_in_handler);
    assert_int_equal(sigaction(SIGWINCH, NULL, &seen), 0);
    assert_int_equal(sigismember(&seen.sa_mask, SIGSEGV), 0);
    assert_success(cudaFree(page_source));
}

/* A timer's handler touches pages while the thread waits for one of its own. (Not in a call of CUDA's, nor in
 * the driver's threads: those hold what the page needs.) */
TEST_BODY(host_signal_handlers_touch_while_a_touch_waits)
{
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    struct timespec begin;
    int *p = made_by_kernel(1);
    page_source = made_by_kernel(1);
    install_masked(SIGALRM, SA_RESTART);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    do {
        for (size_t i = 0; i < COUNT; i += 5000)
            assert_int_equal(p[i], pattern_value(i, 1));
        is_in_call = 1;
        again_by_kernel(p, 1);
        again_by_kernel(page_source, 1);
        is_in_call = 0;
    } while (seconds_since(&begin) < 1);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_true(other_calls > 10);
    assert_int_equal(other_faults, 0);
    assert_success(cudaFree(p));
    assert_success(cudaFree(page_source));
}

/* --- waiting with a mask ---------------------------------------------------------------------- */

static void *ring_after_a_while(void *waiting)
{
    for (int i = 0; i < 20; i++) {
        usleep(20000);
        pthread_kill(*(pthread_t *)waiting, SIGUSR1);
    }
    return NULL;
}

static void expect_interrupted(int result)
{
    assert_int_equal(result, -1);
    assert_int_equal(errno, EINTR);
}

TEST_BODY(host_signal_waits_take_their_masks)
{
    page_source = made_by_kernel(1);
    install_masked(SIGUSR1, 0);
    sigset_t mask;
    sigfillset(&mask);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
    sigdelset(&mask, SIGUSR1);
    pthread_t thread, self = pthread_self();
    const struct timespec minute = {60, 0};
    struct epoll_event event;
    struct pollfd file = {-1, 0, 0};
    const int epoll = epoll_create1(0);
    assert_int_equal(pthread_create(&thread, NULL, ring_after_a_while, &self), 0);
    expect_interrupted(sigsuspend(&mask));
    expect_interrupted(ppoll(&file, 1, &minute, &mask));
    expect_interrupted(pselect(0, NULL, NULL, NULL, &minute, &mask));
    expect_interrupted(epoll_pwait(epoll, &event, 1, 60000, &mask));
    expect_interrupted(sigpause(SIGUSR1));
    assert_true(other_calls >= 5);
    assert_int_equal(other_faults, 0);
    assert_int_equal(blocks_segv(), 1);
    pthread_join(thread, NULL);
    close(epoll);
    assert_success(cudaFree(page_source));
}

/* --- the program's own SIGSEGV ---------------------------------------------------------------- */

static sigjmp_buf escape;
static volatile sig_atomic_t caught;
static void *volatile caught_at;
static volatile int was_blocked, was_on_stack, other_was_blocked;

static void note_mask(void)
{
    sigset_t mask;
    stack_t stack;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    was_blocked = sigismember(&mask, SIGSEGV);
    other_was_blocked = sigismember(&mask, SIGUSR2);
    sigaltstack(NULL, &stack);
    was_on_stack = (stack.ss_flags & SS_ONSTACK) != 0;
}

static void catch_it(int number)
{
    (void)number;
    caught++;
    note_mask();
    siglongjmp(escape, 1);
}

static void catch_with_info(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    caught++;
    caught_at = info->si_addr;
    note_mask();
    siglongjmp(escape, 1);
}

static void touch_nothing(void)
{
    volatile int *volatile nothing = (volatile int *)(uintptr_t)64;
    if (sigsetjmp(escape, 1) == 0)
        *nothing = 1;
}

/* Clem's touches stay clem's, all others are the program's. */
static void expect_shared(const int *p)
{
    const int before = caught;
    for (int i = 0; i < 3; i++)
        assert_true(touch(p));
    assert_int_equal(caught, before);
    touch_nothing();
    assert_int_equal(caught, before + 1);
    assert_true(touch(p));
    assert_int_equal(caught, before + 1);
}

static void expect_seen(void (*handler)(int), int flags)
{
    struct sigaction seen;
    assert_int_equal(sigaction(SIGSEGV, NULL, &seen), 0);
    assert_ptr_equal(seen.sa_handler, handler);
    assert_int_equal(seen.sa_flags & (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK | SA_RESTART),
                     flags);
}

__sighandler_t sysv_signal(int number, __sighandler_t handler);
__sighandler_t bsd_signal(int number, __sighandler_t handler);

TEST_BODY(host_signal_handlers_of_later_are_called_by_every_name)
{
    int *p = made_by_kernel(1);
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = catch_with_info;
    action.sa_flags = SA_SIGINFO;
    sigaddset(&action.sa_mask, SIGUSR2);
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    expect_shared(p);
    assert_int_equal((uintptr_t)caught_at, 64);
    assert_true(was_blocked == 1 && other_was_blocked == 1 && was_on_stack == 0);
    assert_int_equal(blocks_segv(), 0);

    assert_true((void *)(uintptr_t)signal(SIGSEGV, catch_it) == (void *)(uintptr_t)catch_with_info);
    expect_seen(catch_it, SA_RESTART);
    expect_shared(p);
    assert_true(was_blocked == 1 && other_was_blocked == 0);
    assert_true(bsd_signal(SIGSEGV, SIG_IGN) == catch_it);
    assert_true(ssignal(SIGSEGV, catch_it) == SIG_IGN);
    expect_shared(p);
    assert_int_equal(siginterrupt(SIGSEGV, 1), 0);
    expect_seen(catch_it, 0);
    assert_int_equal(siginterrupt(SIGSEGV, 0), 0);
    assert_true(sigset(SIGSEGV, catch_it) == catch_it);
    expect_seen(catch_it, 0);
    expect_shared(p);
    assert_int_equal(sigignore(SIGSEGV), 0);
    assert_true(signal(SIGSEGV, catch_it) == SIG_IGN);
    assert_true(signal(SIGSEGV, SIG_ERR) == SIG_ERR && errno == EINVAL);
    expect_shared(p);
    assert_true(sysv_signal(SIGSEGV, catch_it) == catch_it);
    expect_seen(catch_it, (int)(SA_RESETHAND | SA_NODEFER));
    expect_shared(p);
    assert_int_equal(was_blocked, 0);
    expect_seen(SIG_DFL, (int)(SA_RESETHAND | SA_NODEFER)); /* it served once */
    assert_true(touch(p));
    assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
    assert_success(cudaFree(p));
}

TEST_BODY(host_signal_handlers_run_where_they_ask)
{
    int *p = made_by_kernel(1);
    static char memory[65536];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = catch_it;
    action.sa_flags = (int)(SA_ONSTACK | SA_NODEFER);
    assert_int_equal(sigaltstack(&stack, NULL), 0);
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    expect_seen(catch_it, SA_ONSTACK | SA_NODEFER);
    expect_shared(p);
    assert_true(was_on_stack == 1 && was_blocked == 0);
    action.sa_flags = 0;
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    expect_shared(p);
    assert_true(was_on_stack == 0 && was_blocked == 1);
    assert_success(cudaFree(p));
}

/* A handler that does not ask for SA_NODEFER touches pages all the same, and unblocks for good what the system blocked,
 * which a plain longjmp() leaves as it is. */
static jmp_buf plain_escape;

static void touch_and_jump(int number)
{
    sigset_t only;
    caught++;
    note_mask();
    if (!touch(page_source))
        other_faults++;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    if (blocks_segv() != 0)
        other_faults++;
    longjmp(plain_escape, 1);
}

TEST_BODY(host_signal_handlers_touch_pages_themselves)
{
    volatile int *volatile nothing = (volatile int *)(uintptr_t)64;
    page_source = made_by_kernel(1);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = touch_and_jump;
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    for (volatile int i = 1; i < 4; i++) {
        if (_setjmp(plain_escape) == 0)
            *nothing = 1;
        assert_int_equal(caught, i);
        assert_int_equal(was_blocked, 1);
        assert_int_equal(blocks_segv(), 0);
        assert_true(touch(page_source));
    }
    assert_int_equal(other_faults, 0);
    assert_success(cudaFree(page_source));
}

/* What kill() sends is no touch, and the handler goes back to where it came. */
static void count_plainly(int number)
{
    (void)number;
    caught++;
    if (!touch(page_source)) /* not blocked: it asked for SA_NODEFER */
        other_faults++;
}

TEST_BODY(host_signal_sent_signals_are_the_programs)
{
    struct sigaction action;
    page_source = made_by_kernel(1);
    memset(&action, 0, sizeof action);
    action.sa_handler = count_plainly;
    action.sa_flags = SA_NODEFER;
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    assert_int_equal(raise(SIGSEGV), 0);
    assert_int_equal(kill(getpid(), SIGSEGV), 0);
    assert_int_equal(caught, 2);
    assert_int_equal(other_faults, 0);
    assert_true(signal(SIGSEGV, SIG_IGN) == count_plainly);
    assert_int_equal(raise(SIGSEGV), 0);
    assert_success(cudaFree(page_source));
}

/* A child of vfork() has its own actions and masks in its parent's memory. */
TEST_BODY(host_signal_children_of_vfork_change_nothing)
{
    int *p = made_by_kernel(1), status = -1;
    sigset_t all;
    sigfillset(&all);
    assert_true(signal(SIGSEGV, catch_it) != SIG_ERR);
    const pid_t child = vfork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(blocks_segv(), 0);
    expect_seen(catch_it, SA_RESTART);
    expect_shared(p);
    assert_success(cudaFree(p));
}

/* --- many at once ----------------------------------------------------------------------------- */

enum { CROWD = 200 };
static pthread_barrier_t crowd_gate;

struct of_crowd {
    pthread_t thread;
    const int *p;
    size_t index;
};

static void *touch_in_crowd(void *data)
{
    const struct of_crowd *own = data;
    pthread_barrier_wait(&crowd_gate);
    for (size_t i = 0; i < 5; i++) {
        const size_t at = (own->index + i * CROWD) * 1024 % COUNT;
        THREAD_CHECK(own->p[at] == pattern_value(at, 1));
    }
    return NULL;
}

TEST_BODY(host_signal_many_threads_touch_at_once)
{
    int *p = made_by_kernel(1);
    static struct of_crowd crowd[CROWD];
    struct timespec begin;
    pthread_attr_t small;
    assert_int_equal(pthread_barrier_init(&crowd_gate, NULL, CROWD + 1), 0);
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, 256 * 1024), 0);
    for (size_t i = 0; i < CROWD; i++) {
        crowd[i] = (struct of_crowd){.p = p, .index = i};
        assert_int_equal(pthread_create(&crowd[i].thread, &small, touch_in_crowd, &crowd[i]), 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pthread_barrier_wait(&crowd_gate);
    for (size_t i = 0; i < CROWD; i++) {
        void *failed = NULL;
        pthread_join(crowd[i].thread, &failed);
        assert_null(failed);
    }
    const double seconds = seconds_since(&begin);
    if (seconds > 2)
        fail_msg("%.1f s", seconds);
    pthread_attr_destroy(&small);
    assert_success(cudaFree(p));
}

/* --- other programs --------------------------------------------------------------------------- */

struct ending {
    int status;
    siginfo_t last; /* what the system told of the last SIGSEGV */
    int is_traced;
};

/* Starts the helper, traced where that is allowed, and waits for its end. */
static struct ending run_helper(const char *mode)
{
    struct ending ending = {0};
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl(SIGNAL_HELPER, SIGNAL_HELPER, mode, (char *)NULL);
        _exit(99);
    }
    for (;;) {
        assert_int_equal(waitpid(child, &ending.status, 0), child);
        if (!WIFSTOPPED(ending.status))
            return ending;
        const int number = WSTOPSIG(ending.status);
        ending.is_traced = 1;
        if (number == SIGSEGV)
            ptrace(PTRACE_GETSIGINFO, child, NULL, &ending.last);
        ptrace(PTRACE_CONT, child, NULL, number == SIGTRAP ? 0 : (void *)(intptr_t)number);
    }
}

static void expect_end(const char *mode, int code, uintptr_t address)
{
    const struct ending ending = run_helper(mode);
    if (WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 77)
        TEST_SKIP("this strategy has no managed memory");
    if (!WIFSIGNALED(ending.status))
        print_error("%s: status %x\n", mode, (unsigned)ending.status);
    assert_true(WIFSIGNALED(ending.status));
    assert_int_equal(WTERMSIG(ending.status), SIGSEGV);
    if (!ending.is_traced)
        return;
    assert_int_equal(ending.last.si_code, code);
    if (code > 0)
        assert_int_equal((uintptr_t)ending.last.si_addr, address);
}

TEST_BODY(host_signal_foreign_faults_end_as_the_system_ends_them)
{
    if (has_sanitizer())
        TEST_SKIP("sanitizers end programs themselves");
    int is_shared = 0;
    expect_end("default", SEGV_MAPERR, 64);
    assert_success(cudaDeviceGetAttribute(&is_shared, cudaDevAttrConcurrentManagedAccess, 0));
    if (is_shared)
        return; /* the signal is the program's alone */
    expect_end("protected", SEGV_ACCERR, 0x200000000000);
    expect_end("ignored", SEGV_MAPERR, 64);
    expect_end("blocked", SEGV_MAPERR, 64);
    expect_end("once", SEGV_MAPERR, 64);
    expect_end("nested", SEGV_MAPERR, 128);
    expect_end("killed", SI_USER, 0);
    expect_end("raised", SI_TKILL, 0);
}

static void expect_good_end(const char *mode)
{
    const struct ending ending = run_helper(mode);
    if (WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 77)
        TEST_SKIP("no managed memory, or not for this processor");
    if (ending.status != 0)
        print_error("%s: status %x\n", mode, (unsigned)ending.status);
    assert_int_equal(ending.status, 0);
}

/* What remains where libclem stands in for nothing: tests/programs/late.c. */
TEST_BODY(host_signal_libraries_opened_late_serve_touches)
{
    char command[4096];
    Dl_info info;
    assert_true(dladdr((void *)(uintptr_t)&cudaGetLastError, &info) != 0);
    /* LeakSanitizer hangs at the end: what it takes for a thread's storage is not, where libclem came late. */
    snprintf(command, sizeof command, "ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" %s %s",
             LATE_HELPER, info.dli_fname);
    setenv("TEST_MANAGED", "1", 1);
    const int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        TEST_SKIP("this strategy has no managed memory");
    assert_int_equal(status, 0);
}

/* Null checks by fault, safepoints by protecting a page that all threads read, and managed memory. */
TEST_BODY(host_signal_virtual_machines_keep_their_faults)
{
    if (has_sanitizer())
        TEST_SKIP("sanitizers take faults for errors");
    expect_good_end("machine");
}

/* Emulators show masks of their own in /proc, and sandboxes none. */
TEST_BODY(host_signal_masks_that_nobody_tells_let_threads_touch)
{
    if (has_sanitizer())
        TEST_SKIP("sanitizers define open() themselves");
    expect_good_end("untold");
}

/* The touch may be one of malloc()'s own. */
TEST_BODY(host_signal_touches_allocate_nothing)
{
    if (has_sanitizer())
        TEST_SKIP("sanitizers have an allocator of their own");
    expect_good_end("allocations");
}

static volatile sig_atomic_t noted;

static void note_signal(int number)
{
    noted = number;
}

/* LLVM would take these for itself when PoCL first compiles. */
TEST_BODY(host_signal_handlers_stay_while_drivers_compile)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    struct sigaction found;
    int *p = NULL;
    if (has_sanitizer())
        TEST_SKIP("sanitizers define sigaction() themselves");
    for (size_t i = 0; i < NUMBERS; i++)
        assert_true(signal(numbers[i], i == 0 ? SIG_IGN : note_signal) != SIG_ERR);
    assert_success(cudaMalloc((void **)&p, sizeof *p));
    assert_success(cudaMemset(p, 1, sizeof *p));
    assert_success(cudaFree(p));
    for (size_t i = 0; i < NUMBERS; i++) {
        assert_int_equal(sigaction(numbers[i], NULL, &found), 0);
        assert_true(found.sa_handler == (i == 0 ? SIG_IGN : note_signal));
    }
    assert_int_equal(raise(SIGUSR1), 0);
    assert_int_equal(noted, SIGUSR1);
}
