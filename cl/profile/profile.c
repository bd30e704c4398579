/* When there are records, and how threads write them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/profile.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cl/base/deadline.h"
#include "cl/base/options.h"
#include "cl/check.h"
#include "cl/process.h"
#include "cl/profile/names.h"
#include "cl/profile/spool.h"
#include "cl/thread.h"

_Atomic unsigned ocl_profile_state = OCL_PROFILE_UNKNOWN;

/* What clem-run asks for: "mb=64 after=2 detail=api file=/whole/path". */
struct wishes {
    uint64_t most_bytes;
    uint64_t after; /* nanoseconds from the start on; UINT64_MAX: when the program says so */
    bool with_commands;
    const char *file;
};

static struct wishes wishes;
static uint64_t start_time;             /* when records begin by themselves */
static bool is_for_program;             /* paused until the program says so */
static _Atomic uint32_t generation = 1; /* of the process: a child of a fork has the next */
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

enum { DEFAULT_MB = 4096, MIB = 1 << 20, SECOND = 1000000000 };

/* ---- Starting ---- */

static uint64_t read_after(const char *value)
{
    if (strncmp(value, "profiler", 8) == 0)
        return UINT64_MAX;
    const double seconds = strtod(value, NULL);
    return seconds > 0 && seconds < 1e6 ? (uint64_t)(seconds * SECOND) : 0;
}

static struct wishes read_wishes(const char *text)
{
    struct wishes read = {(uint64_t)DEFAULT_MB * MIB, 0, true, NULL};

    while (text && *text && !read.file) {
        if (strncmp(text, "mb=", 3) == 0)
            read.most_bytes = strtoull(text + 3, NULL, 10) * MIB;
        else if (strncmp(text, "after=", 6) == 0)
            read.after = read_after(text + 6);
        else if (strncmp(text, "detail=api", 10) == 0)
            read.with_commands = false;
        else if (strncmp(text, "file=", 5) == 0)
            read.file = text + 5;
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    return read;
}

/* The child of a fork calls nothing of the driver, but what it calls is seen, in a file of its own. */
static void note_fork(void)
{
    atomic_fetch_add(&generation, 1);
    ocl_names_forget();
    ocl_spool_forget();
    atomic_store(&ocl_profile_state, OCL_PROFILE_UNKNOWN);
}

/* The end is told here too: a process that gave a device nothing to do has no queues whose end would tell it. */
static void watch_process(void)
{
    pthread_atfork(NULL, NULL, note_fork);
    atexit(ocl_profile_end);
}

/* Returns the state's bits. */
static unsigned open_spool(const char *const *names, size_t count)
{
    wishes = read_wishes(ocl_options_get()->profile);
    struct ocl_spool_header *page =
        wishes.file ? ocl_spool_create(wishes.file, wishes.most_bytes) : NULL;
    if (!page)
        return 0;
    page->with_commands = wishes.with_commands;
    ocl_names_begin(names, count);
    is_for_program = wishes.after == UINT64_MAX;
    start_time = page->monotonic + (is_for_program ? 0 : wishes.after);
    return OCL_PROFILE_RECORDS | (wishes.after > 0 ? OCL_PROFILE_PAUSED : 0);
}

static unsigned start_alone(const char *const *names, size_t count)
{
    const unsigned shown = ocl_options_get()->shows_calls ? OCL_PROFILE_SHOWS : 0;
    const unsigned told = ocl_check_wants(OCL_CHECK_RACE) ? OCL_PROFILE_TELLS : 0;
    const unsigned bits = ocl_options_get()->profile ? open_spool(names, count) : 0;

    pthread_once(&watch_once, watch_process);
    return shown | told | bits;
}

/* One thread starts, the others wait: no lock, which a fork might leave locked. */
static unsigned start(const char *const *names, size_t count)
{
    static _Atomic uint32_t starter; /* the generation that somebody starts */
    uint32_t last = atomic_load(&starter);
    const uint32_t now = atomic_load(&generation);

    if (last != now && atomic_compare_exchange_strong(&starter, &last, now))
        atomic_store(&ocl_profile_state, start_alone(names, count));
    while (ocl_profile_now() & OCL_PROFILE_UNKNOWN)
        sched_yield();
    return ocl_profile_now();
}

/* Records begin by themselves when it is time. */
static unsigned pass_time(unsigned state)
{
    if (!is_for_program && ocl_now() >= start_time)
        return atomic_fetch_and(&ocl_profile_state, ~(unsigned)OCL_PROFILE_PAUSED) &
               ~(unsigned)OCL_PROFILE_PAUSED;
    return state;
}

unsigned ocl_profile_start(const char *const *names, size_t count)
{
    unsigned state = ocl_profile_now();

    if (state & OCL_PROFILE_UNKNOWN)
        state = start(names, count);
    if (state & OCL_PROFILE_PAUSED)
        state = pass_time(state);
    return state;
}

bool ocl_profile_times_commands(void)
{
    return (ocl_profile_now() & OCL_PROFILE_RECORDS) && wishes.with_commands;
}

void ocl_profile_resume(void)
{
    if (ocl_profile_now() & OCL_PROFILE_RECORDS)
        atomic_fetch_and(&ocl_profile_state, ~(unsigned)OCL_PROFILE_PAUSED);
}

void ocl_profile_pause(void)
{
    if (ocl_profile_now() & OCL_PROFILE_RECORDS) {
        is_for_program = true;
        atomic_fetch_or(&ocl_profile_state, OCL_PROFILE_PAUSED);
    }
}

void ocl_profile_note_cost(uint64_t nanoseconds)
{
    struct ocl_spool_header *page = ocl_spool_page();

    if (page) {
        atomic_fetch_add_explicit(&page->commands, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&page->command_cost, nanoseconds, memory_order_relaxed);
    }
}

void ocl_profile_end(void)
{
    if (ocl_spool_page())
        ocl_spool_page()->end = ocl_now();
}

uint32_t ocl_profile_kept_name(_Atomic uint64_t *kept, const char *name)
{
    const uint64_t now = (uint64_t)atomic_load_explicit(&generation, memory_order_relaxed) << 32;
    const uint64_t value = atomic_load_explicit(kept, memory_order_relaxed);

    if (value > now && value - now <= UINT32_MAX)
        return (uint32_t)value;
    const uint32_t number = ocl_profile_name(name);
    atomic_store_explicit(kept, now | number, memory_order_relaxed);
    return number;
}

uint64_t ocl_profile_clock(void)
{
    return ocl_now();
}

/* ---- Writing ---- */

static void give_chunk(struct ocl_profile_writer *writer)
{
    if (writer->chunk && writer->generation == atomic_load(&generation))
        ocl_spool_give(writer->chunk);
    writer->chunk = NULL;
    writer->at = writer->end = NULL;
}

/* False: what the caller has is lost. */
static bool renew(struct ocl_thread *thread)
{
    struct ocl_profile_writer *writer = &thread->profile;

    if (ocl_thread_is_shared(thread) || !ocl_spool_page())
        return false;
    give_chunk(writer);
    writer->generation = atomic_load(&generation);
    writer->chunk = ocl_spool_take(OCL_SPOOL_EVENTS);
    writer->give = give_chunk;
    if (!writer->chunk)
        return false;
    writer->number = (uint32_t)syscall(SYS_gettid);
    writer->at = (uint64_t *)(writer->chunk + 1);
    writer->end = (uint64_t *)((char *)writer->chunk + OCL_SPOOL_CHUNK);
    writer->at[1] = writer->number;
    writer->at[0] = ocl_spool_first(OCL_SPOOL_THREAD, 2, 0, 0);
    writer->at += 2;
    return true;
}

static inline bool has_room(const struct ocl_profile_writer *writer, unsigned words)
{
    return writer->end - writer->at >= (ptrdiff_t)words &&
           writer->generation == atomic_load_explicit(&generation, memory_order_relaxed);
}

/* The first word comes last: whoever reads the file of a process that was killed finds whole records. */
static inline void put(struct ocl_profile_writer *writer, uint64_t first, const uint64_t *words,
                       unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        writer->at[1 + i] = words[i];
    atomic_signal_fence(memory_order_release);
    *(volatile uint64_t *)writer->at = first;
    writer->at += 1 + count;
}

void ocl_profile_write(enum ocl_spool_kind kind, unsigned small, uint32_t name,
                       const uint64_t *words, unsigned count)
{
    struct ocl_thread *thread = ocl_thread();

    if (has_room(&thread->profile, count + 1) || renew(thread))
        put(&thread->profile, ocl_spool_first(kind, count + 1, small, name), words, count);
    else if (ocl_spool_page())
        atomic_fetch_add(&ocl_spool_page()->lost, 1);
}

void ocl_profile_call_begin(struct ocl_profile_call *call)
{
    struct ocl_profile_writer *writer = &ocl_thread()->profile;

    call->outer = writer->call;
    call->number = ++writer->calls;
    writer->call = call->number;
    call->start = ocl_now();
}

void ocl_profile_call_end(const struct ocl_profile_call *call, uint32_t name,
                          enum ocl_spool_api api, int result)
{
    const uint64_t words[3] = {call->start, ocl_now(),
                               call->number | (uint64_t)(uint32_t)result << 32};

    ocl_thread()->profile.call = call->outer;
    if (ocl_profile_is_on())
        ocl_profile_write(OCL_SPOOL_CALL, (unsigned)api, name, words, 3);
}

uint64_t ocl_profile_call(void)
{
    struct ocl_thread *thread = ocl_thread();

    if (thread->profile.call == 0)
        return 0;
    if (!has_room(&thread->profile, 1) && !renew(thread))
        return 0;
    return thread->profile.call | (uint64_t)thread->profile.number << 32;
}

void ocl_profile_memory(enum ocl_spool_memory kind, int64_t change)
{
    static _Atomic int64_t in_use[3];
    const int64_t now =
        atomic_fetch_add_explicit(&in_use[kind], change, memory_order_relaxed) + change;

    if (ocl_profile_is_on())
        ocl_profile_write(OCL_SPOOL_MEMORY, (unsigned)kind, 0,
                          (const uint64_t[]){ocl_now(), now > 0 ? (uint64_t)now : 0}, 2);
}

void ocl_profile_span(enum ocl_spool_span span, const char *name, uint64_t start, uint64_t value)
{
    const uint64_t words[3] = {start, ocl_now(), value};

    if (start != 0 && ocl_profile_is_on())
        ocl_profile_write(OCL_SPOOL_SPAN, (unsigned)span, name ? ocl_profile_name(name) : 0, words,
                          3);
}
