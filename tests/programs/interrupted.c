/* A program that tests/facade/process.c starts: it ends by exit() in a signal's handler, which interrupts a call of CUDA's
 * while clem has locked what it works on. "memory": while the memory of the C library is locked too.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <signal.h>
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
#pragma GCC visibility pop

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

static void do_nothing(void *unused)
{
    (void)unused;
}

int main(int count, char **arguments)
{
    void *p = NULL;
    is_of_memory = count > 1 && strcmp(arguments[1], "memory") == 0;
    if (signal(SIGALRM, leave) == SIG_ERR || cudaMalloc(&p, 4) != cudaSuccess)
        return SKIPPED;
    for (int i = 0; i < 2; i++) {
        if (cudaLaunchHostFunc(NULL, do_nothing, NULL) != cudaSuccess ||
            cudaMemsetAsync(p, 0, 4, NULL) != cudaSuccess)
            return 1;
        is_due = i;                  /* when all has been called once */
        (void)cudaStreamQuery(NULL); /* puts a marker behind the work */
    }
    return is_due ? SKIPPED : 2; /* nothing was allocated */
}

#endif
