/* A program that tests/facade/process.c starts: it ends by exit() in a signal's handler, which interrupts a call of CUDA's
 * while clem has locked what it works on. "memory": while the memory of the C library is locked too; "signals": where the
 * system lacks the last signals, as emulators do.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuda_runtime.h>

#include "cl/sanitized.h"

/* Ends with this, or 77 where it cannot say. */
enum { STATUS = 7, SKIPPED = 77 };

#if OCL_IS_SANITIZED || !defined(__GLIBC__)

int main(void)
{
    return SKIPPED;
}

#else

/* glibc's, behind those that follow. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void __libc_free(void *memory);

#pragma GCC visibility push(default)
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *memory, size_t bytes);
void free(void *memory);
long syscall(long number, ...);
#pragma GCC visibility pop

typedef long system_function(long number, ...);
static system_function *next_syscall;
static volatile sig_atomic_t lacks_signals;

static bool is_lacking(long number, const long *words)
{
    const struct sigevent *event =
        (const struct sigevent *)words[1]; /* NOLINT(performance-no-int-to-ptr) */
    return lacks_signals && number == SYS_timer_create && event->sigev_signo > SIGRTMAX - 2;
}

long syscall(long number, ...)
{
    long words[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (is_lacking(number, words)) {
        errno = EINVAL;
        return -1;
    }
    if (next_syscall == NULL)
        *(void **)&next_syscall = dlsym(RTLD_NEXT, "syscall");
    return next_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t is_due, is_of_memory;

static void interrupt(void)
{
    if (syscall(SYS_gettid) != getpid())
        return;
    is_due = 0;
    (void)raise(SIGALRM);
}

static void begin(void)
{
    pthread_mutex_lock(&memory_lock);
    if (is_due && is_of_memory)
        interrupt();
}

static void end(void)
{
    pthread_mutex_unlock(&memory_lock);
}

void *malloc(size_t bytes)
{
    begin();
    void *made = __libc_malloc(bytes);
    end();
    return made;
}

void *calloc(size_t count, size_t bytes)
{
    begin();
    void *made = __libc_calloc(count, bytes);
    end();
    if (is_due)
        interrupt();
    return made;
}

void *realloc(void *memory, size_t bytes)
{
    begin();
    void *made = __libc_realloc(memory, bytes);
    end();
    return made;
}

void free(void *memory)
{
    begin();
    __libc_free(memory);
    end();
}

static void leave(int number)
{
    (void)number;
    exit(STATUS); /* NOLINT(bugprone-signal-handler): as programs do */
}

static void nap(void *microseconds)
{
    usleep(*(unsigned *)microseconds);
}

int main(int count, char **arguments)
{
    void *p = NULL;
    is_of_memory = count > 1 && strcmp(arguments[1], "memory") == 0;
    lacks_signals = count > 1 && strcmp(arguments[1], "signals") == 0;
    if (signal(SIGALRM, leave) == SIG_ERR || cudaMalloc(&p, 4) != cudaSuccess)
        return SKIPPED;
    for (unsigned i = 0; i < 500; i++) {
        unsigned microseconds = i % 8 * 50;
        if (cudaLaunchHostFunc(NULL, nap, &microseconds) != cudaSuccess ||
            cudaMemsetAsync(p, 0, 4, NULL) != cudaSuccess)
            return 1;
        is_due = i > 0;              /* when all has been called once */
        (void)cudaStreamQuery(NULL); /* puts a marker behind the work, where that is still at it */
        is_due = 0;
        if (cudaStreamSynchronize(NULL) != cudaSuccess)
            return 1;
    }
    return SKIPPED; /* nothing was allocated */
}

#endif
