/* What the program itself does to memory that kernels have as well.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_host.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cl/base/deadline.h"
#include "cl/check.h"
#include "cl/check/check_transfer.h"
#include "cl/check/streams.h"
#include "cl/process.h"
#include "cl/thread.h"

/* What is beyond is not watched: each call may have to close all. */
enum { MOST = 1024 };

static struct memory {
    uintptr_t first;
    size_t bytes;
    bool is_lent;
    bool is_open;    /* all of it */
    unsigned opened; /* pieces since it was closed */
} memories[MOST];
static size_t count;
static uint64_t closed_at;                               /* 0: nothing was since all was opened */
static uint64_t closed_count;                            /* commands until then */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all of the above */

static _Atomic bool is_any;
static _Atomic unsigned calls; /* threads of the program's that are in one */
static _Atomic bool
    is_awaited; /* whoever else comes first has waited for a touch of the program's */

/* ---- Pages; the lock is held ---- */

static bool protect(uintptr_t first, size_t bytes, int protection)
{
    return mprotect((void *)first, bytes, protection) == 0;
}

static void open_whole(struct memory *m)
{
    m->is_open = m->is_open || protect(m->first, m->bytes, PROT_READ | PROT_WRITE);
}

static void close_whole(struct memory *m)
{
    if (m->is_lent || (!m->is_open && m->opened == 0))
        return;
    m->is_open = !protect(m->first, m->bytes, PROT_NONE);
    m->opened = 0;
}

/* The more, the larger: a program that goes through all of it does not fault at each page, and the system has so many mappings. */
static void open_piece(struct memory *m, uintptr_t address, bool writes)
{
    enum { PIECES_OF_A_SIZE = 4 };
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    for (unsigned i = 0; i < m->opened / PIECES_OF_A_SIZE && bytes < m->bytes; i++)
        bytes *= 2;
    const size_t at = (address - m->first) / bytes * bytes;
    const size_t left = m->bytes - at;
    m->opened++;
    if (!protect(m->first + at, left < bytes ? left : bytes,
                 writes ? PROT_READ | PROT_WRITE : PROT_READ))
        open_whole(m);
}

static struct memory *find(uintptr_t address)
{
    for (size_t i = 0; i < count; i++)
        if (address - memories[i].first < memories[i].bytes)
            return &memories[i];
    return NULL;
}

/* ---- Opening and closing ---- */

static void open_all(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; closed_at != 0 && i < count; i++)
        open_whole(&memories[i]);
    closed_at = 0;
    atomic_store(&is_awaited, false);
    pthread_mutex_unlock(&lock);
}

/* Where nothing is new, whoever works on it has some time between two faults: the program may ask again and again. */
static void close_all(bool is_at_once)
{
    enum { LEAST_NS = 1000000 };
    pthread_mutex_lock(&lock);
    const uint64_t now = ocl_now(), commands = ocl_streams_count();
    if (is_at_once || closed_at == 0 || commands != closed_count || now - closed_at >= LEAST_NS) {
        for (size_t i = 0; i < count; i++)
            close_whole(&memories[i]);
        closed_at = now;
        closed_count = commands;
    }
    pthread_mutex_unlock(&lock);
}

static void settle(bool is_at_once)
{
    if (!atomic_load(&is_any))
        return;
    if (ocl_streams_are_known())
        open_all();
    else
        close_all(is_at_once);
}

void ocl_host_settle(void)
{
    settle(true);
}

void ocl_host_watch(void *base, size_t bytes)
{
    pthread_mutex_lock(&lock);
    if (count < MOST)
        memories[count++] =
            (struct memory){.first = (uintptr_t)base, .bytes = bytes, .is_open = true};
    pthread_mutex_unlock(&lock);
    atomic_store(&is_any, true);
}

void ocl_host_unwatch(const void *base)
{
    if (!atomic_load(&is_any))
        return;
    pthread_mutex_lock(&lock);
    struct memory *m = find((uintptr_t)base);
    if (m) {
        open_whole(m);
        *m = memories[--count];
    }
    pthread_mutex_unlock(&lock);
}

void ocl_host_lend(const void *buffer, size_t bytes)
{
    const uintptr_t first = (uintptr_t)buffer;
    if (!atomic_load(&is_any))
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (first < memories[i].first + memories[i].bytes && memories[i].first - first < bytes) {
            open_whole(&memories[i]);
            memories[i].is_lent = true;
        }
    struct memory *m = find(first);
    if (m) {
        open_whole(m);
        m->is_lent = true;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Calls ---- */

void ocl_check_call_begin(void)
{
    struct ocl_thread *thread = ocl_thread();
    thread->is_program = !ocl_thread_is_shared(thread);
    thread->calls++;
    atomic_fetch_add(&calls, 1);
}

void ocl_check_call_end(void)
{
    struct ocl_thread *thread = ocl_thread();
    if (thread->calls == 1)
        settle(false);
    thread->calls--;
    atomic_fetch_sub(&calls, 1);
}

/* ---- Touches ---- */

static bool is_of_program(const struct ocl_thread *thread)
{
    return thread && thread->is_program && thread->calls == 0 && !thread->in_function &&
           !thread->in_turn && !ocl_process_is_forked();
}

/* The first that comes of others gives the program some time to touch what it must not, unless it waits in a call: most of those
 * who forget to wait touch what they launched a kernel for right away. */
static void let_program_come(void)
{
    enum { STEPS = 40, STEP_NS = 50000 };
    if (atomic_exchange(&is_awaited, true) || ocl_process_is_forked())
        return;
    for (int i = 0; i < STEPS && atomic_load(&calls) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
}

/* The C library's functions for texts read whole vectors, before a text's begin and behind its end, which need not be the
 * program's. */
static bool may_be_beyond(uint64_t address, uint64_t code)
{
    enum { VECTOR = 16, PAGE = 4096 };
    Dl_info place, library;
    const bool is_of_library = dladdr((const void *)(uintptr_t)code, &place) != 0 &&
                               dladdr((const void *)(uintptr_t)getpid, &library) != 0 &&
                               place.dli_fbase == library.dli_fbase;
    return is_of_library && address % VECTOR == 0 && address % PAGE != 0;
}

static void judge(struct ocl_thread *thread, uint64_t address, bool writes, uint64_t code)
{
    thread->calls++; /* what is touched to tell of it is not the program's */
    if (writes || !may_be_beyond(address, code))
        ocl_check_host_touched(address, writes, code);
    thread->calls--;
}

bool ocl_host_fault(uint64_t address, enum ocl_crash_access access, uint64_t code)
{
    if (!atomic_load(&is_any))
        return false;
    struct ocl_thread *thread = ocl_thread_if_any();
    const bool is_ours = is_of_program(thread);
    if (!is_ours)
        let_program_come();
    pthread_mutex_lock(&lock);
    struct memory *m = find((uintptr_t)address);
    if (m && is_ours)
        open_piece(m, (uintptr_t)address, access == OCL_CRASH_WRITE);
    else if (m)
        open_whole(m);
    pthread_mutex_unlock(&lock);
    if (m && is_ours)
        judge(thread, address, access == OCL_CRASH_WRITE, code);
    return m != NULL;
}
