/* Records what a program does: each call and each command, for clem-run --trace.
 *
 * Costs one read of a variable where nobody asked for it. Otherwise each thread writes records of its own, without a lock,
 * into memory that is a file's (spool.h); clem-run makes of it what people read.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROFILE_H
#define OCL_PROFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/spool.h"

enum ocl_profile_bit {
    OCL_PROFILE_UNKNOWN = 1, /* nobody has read the environment yet */
    OCL_PROFILE_RECORDS = 2, /* the process writes a spool */
    OCL_PROFILE_PAUSED = 4,  /* not now: before --trace-start-after's time */
    OCL_PROFILE_SHOWS = 8    /* CLEM_TRACE=calls */
};
extern __attribute__((visibility("hidden"))) _Atomic unsigned ocl_profile_state;

static inline unsigned ocl_profile_now(void)
{
    return atomic_load_explicit(&ocl_profile_state, memory_order_acquire);
}

/* Whether records are written: what rooms of cl/ ask before they put one together. */
static inline bool ocl_profile_is_on(void)
{
    return (ocl_profile_now() & (OCL_PROFILE_UNKNOWN | OCL_PROFILE_RECORDS | OCL_PROFILE_PAUSED)) ==
           OCL_PROFILE_RECORDS;
}

/* Whether commands are timed in this process, now or later: profiled queues are needed for that. */
bool ocl_profile_times_commands(void);

/* Reads the environment where nobody has, and begins to record when it is time. names: what calls are called by, number 1 for
 * the first; they must stay. Returns the state then. */
unsigned ocl_profile_start(const char *const *names, size_t count);

/* What cudaProfilerStart() and cudaProfilerStop() do: records begin and end. */
void ocl_profile_resume(void);
void ocl_profile_pause(void);

/* A command has been timed, for which the host needed so many nanoseconds beside what the command itself takes. */
void ocl_profile_note_cost(uint64_t nanoseconds);

/* The end of the process: all that is complete has been recorded. */
void ocl_profile_end(void);

/* Nanoseconds of CLOCK_MONOTONIC, as in records. */
uint64_t ocl_profile_clock(void);

/* A call begins: what the thread records until its end belongs to it. Returns the time. Calls do not nest, but for those that
 * functions of the host make: the outer one's number is put back. */
struct ocl_profile_call {
    uint64_t start;
    uint32_t number, outer;
};
void ocl_profile_call_begin(struct ocl_profile_call *call);
void ocl_profile_call_end(const struct ocl_profile_call *call, uint32_t name,
                          enum ocl_spool_api api, int result);

/* The number of the call that the thread is in and the thread's, as commands have it; 0: none. */
uint64_t ocl_profile_call(void);

/* The number of a name in this process's spool; 0 without memory or room. Takes a lock. */
uint32_t ocl_profile_name(const char *name);

/* The same of a text that stays: *kept, 0 at first, remembers the number. */
uint32_t ocl_profile_kept_name(_Atomic uint64_t *kept, const char *name);

/* What a command is: the words of struct ocl_spool_command that say so. */
struct ocl_profile_work {
    unsigned small; /* enum ocl_spool_work, and where from and to */
    uint32_t name;
    uint64_t bytes;
    uint32_t grid[3], block[3];
};

/* So many bytes of memory have come into use, or gone out of it. Counted always, so that a trace that begins late is right. */
void ocl_profile_memory(enum ocl_spool_memory kind, int64_t change);

/* Writes one record: words behind the first. */
void ocl_profile_write(enum ocl_spool_kind kind, unsigned small, uint32_t name,
                       const uint64_t *words, unsigned count);

/* The same where nothing takes the record's place, and with a lock: for what others refer to. */
void ocl_profile_keep(enum ocl_spool_kind kind, unsigned small, uint32_t name,
                      const uint64_t *words, unsigned count);

/* The time where records are written, otherwise 0. */
static inline uint64_t ocl_profile_start_of_span(void)
{
    return __builtin_expect(ocl_profile_is_on(), 0) ? ocl_profile_clock() : 0;
}

/* What took the thread from start until now; nothing where start is 0. name may be NULL. */
void ocl_profile_span(enum ocl_spool_span span, const char *name, uint64_t start, uint64_t value);

#endif
