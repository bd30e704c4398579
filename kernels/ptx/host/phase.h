/* What is known of a block's shared memory while it runs, where it is checked. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_PHASE_H
#define KERNELS_PTX_HOST_PHASE_H

#include <string.h>
#include <sys/types.h>

#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/library/check.h"

/* Plain accesses of a warp's lanes since the block's threads met, none of which is a race with another: they are noted where races
 * are looked for (library/race.cl) only once something comes that has to be looked at there, in their order. */
struct ptx_phase_access {
    const struct ptx_native_told *told;
    uint32_t lanes, thread; /* thread: of the warp's first lane */
    uint32_t first, second; /* of lines: places of the first lanes of both half warps */
    const uint32_t *places; /* of a list: of each lane; NULL: a line */
};
enum { PTX_PHASE_ACCESSES = 256, PTX_PHASE_LISTS = 128 };

/* Accesses that no cell has: all since the threads met are lines, and no thread has written but its own bytes, so many behind those of
 * the thread before. As long as nobody has read what is others' among those that were written, none is a race. */
struct ptx_phase_lines {
    bool are_all;
    uint32_t first, bytes;             /* those of thread 0 */
    uint32_t written_low, written_end; /* between these are all that were written */
    uint32_t read_low, read_end;       /* likewise of others' that were read */
};

/* Mostly a block does what the block before did: it accesses the same lines, and its threads meet in between. That was right, so it
 * is again, and leaves the same behind. As long as a block takes that course nothing else is done, and what it would have left is made
 * up for once somebody has to know. */
struct ptx_course_step {
    uint64_t who;   /* PTX_COURSE_WHO(): accesses a line; PTX_COURSE_MEETS; PTX_COURSE_ENDS */
    uint64_t place; /* PTX_COURSE_PLACE(); of a meeting: `known` then */
};
enum { PTX_COURSE_STEPS = 1024, PTX_COURSE_THREAD_AT = 53 };
#define PTX_COURSE_ENDS  0u
#define PTX_COURSE_MEETS 1u
/* The address of a struct ptx_native_told, with the number of the warp's first thread above; the place of lane 0, with the lanes
 * above. */
#define PTX_COURSE_WHO(told, thread)   ((told) | (uint64_t)(thread) << PTX_COURSE_THREAD_AT)
#define PTX_COURSE_PLACE(first, lanes) ((uint32_t)(first) | (uint64_t)(lanes) << 32)
enum ptx_course_way {
    PTX_COURSE_LEFT,    /* what the block does now is none of its course */
    PTX_COURSE_FOLLOWS, /* it takes that of the block before */
    PTX_COURSE_EXTENDS  /* it has done all that is there, and what else it does is added */
};

struct ptx_phase {
    struct ptx_course_step
        *next; /* if the block does that; the text looks, and goes on to the one behind */
    enum ptx_course_way way;
    bool had_shadow; /* the block that the course is of */
    uint64_t launch; /* likewise: its launch's `course` */
    uint64_t
        known; /* bytes from the start of shared memory on that were written, where that is checked */
    /* Who has accessed each 4 bytes since then: PTX_PHASE_WARP and the like, above `now`; less than that: nobody. */
    uint32_t *writers, *readers;
    uint64_t cells; /* that there are of each */
    uint32_t now;   /* a multiple of PTX_PHASE_STEP */
    bool is_over;   /* accesses are looked at elsewhere until the threads meet */
    uint32_t
        orders; /* a bit for each warp that has ordered something since: what it reads again is something new */
    uint32_t warps; /* likewise that has some of these: */
    uint32_t count, list_count;
    uint32_t noted; /* of the first: they were noted, and stay as long as there are lines only */
    struct ptx_phase_lines lines;
    struct ptx_phase_access accesses[PTX_PHASE_ACCESSES];
    uint32_t lists[PTX_PHASE_LISTS][32];
    struct ptx_course_step steps[PTX_COURSE_STEPS + 1]; /* the last is PTX_COURSE_ENDS for ever */
};
enum {
    /* A thread's number, or: */
    PTX_PHASE_WARP = 0x400, /* several threads of the warp whose number is in the lowest bits */
    PTX_PHASE_MANY = 0x800, /* threads of several warps */
    PTX_PHASE_ATOMIC =
        0xc00, /* of writers: a thread by atomic operations; WARP and MANY: likewise */
    PTX_PHASE_STEP = 0x1000
};

extern struct ptx_phase
    ptx_no_phase; /* is_over for ever: of a block for which there is no memory, or none yet */

static inline struct ptx_phase *ptx_phase_of(const struct ptx_native_block *block)
{
    return block->phase ? (struct ptx_phase *)(uintptr_t)block->phase : &ptx_no_phase;
}

/* All `accesses` have been noted. */
static inline void ptx_phase_is_noted(struct ptx_phase *phase)
{
    phase->warps = phase->list_count = 0;
    phase->count = phase->lines.are_all ? phase->count : 0;
    phase->noted = phase->count;
}

/* runtime_check.c calls: a block begins, whose `shadow` is there, and ends; all of its threads have met; it may have stored what
 * nobody wrote. */
void ptx_phase_begin(const struct ptx_native_launch *launch, struct ptx_native_block *block);
void ptx_phase_end(struct ptx_native_block *block);
void ptx_phase_meet(const struct ptx_native_launch *launch, const struct ptx_native_block *block);
void ptx_phase_forget(const struct ptx_native_block *block);

/* Whether a load with PTX_NATIVE_CALM is seen to be right. As clem_native_check_line() and clem_native_check_list(). */
bool ptx_phase_reads_line(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, uint64_t first, uint64_t second);
bool ptx_phase_reads_list(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, const struct ptx_native_list *list);

/* course.c: what a block has left that follows a course is made up for; and whatever it does from now on is none of one. */
void ptx_course_wake(const struct ptx_native_block *block);
void ptx_course_leave(const struct ptx_native_block *block);

/* Whether some warps of a mask have done something since the threads met, of a block that follows. */
static inline bool ptx_course_has_done(const struct ptx_phase *phase, uint32_t warps)
{
    const struct ptx_course_step *at = phase->next;
    uint32_t busy = 0;
    while (at != phase->steps && (--at)->who != PTX_COURSE_MEETS)
        busy |= 1u << (at->who >> PTX_COURSE_THREAD_AT) / 32;
    return busy & warps;
}

/* Adds a step. */
static inline void ptx_course_extend(struct ptx_phase *phase, uint64_t who, uint64_t place)
{
    if (phase->way != PTX_COURSE_EXTENDS)
        return;
    *phase->next++ = (struct ptx_course_step){who, place};
    if (phase->next == phase->steps + PTX_COURSE_STEPS)
        phase->way = PTX_COURSE_LEFT;
    phase->next->who = PTX_COURSE_ENDS;
}

/* Nobody has accessed anything. */
static inline void ptx_phase_open(struct ptx_phase *phase)
{
    if (phase->now > UINT32_MAX - 2 * PTX_PHASE_STEP) {
        memset(phase->writers, 0, phase->cells * sizeof *phase->writers);
        memset(phase->readers, 0, phase->cells * sizeof *phase->readers);
        phase->now = 0;
    }
    phase->now += PTX_PHASE_STEP;
    phase->is_over = false;
    phase->orders = phase->warps = phase->count = phase->list_count = phase->noted = 0;
    phase->lines.are_all = true;
    phase->lines.written_low = phase->lines.read_low = UINT32_MAX;
    phase->lines.written_end = phase->lines.read_end = 0;
}

/* course.c: whether one that clem_native_check_shared() has is seen to be right, and is noted among `accesses`, without a look at
 * cells. */
bool ptx_phase_takes_line(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, uint64_t first, uint64_t second);

/* Likewise an access of shared memory that may race: whether it is seen to be right, and is noted among `accesses`. list: NULL: it is
 * of a line. The second and third are for processors that have AVX2, or AVX-512. */
typedef bool ptx_phase_function(const struct ptx_native_launch *launch,
                                const struct ptx_native_block *block,
                                const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                                uint64_t second, const struct ptx_native_list *list);
ptx_phase_function ptx_phase_pass_any, ptx_phase_pass_avx2, ptx_phase_pass_avx512;

/* The one for this processor. */
static inline bool ptx_phase_passes(const struct ptx_native_launch *launch,
                                    const struct ptx_native_block *block,
                                    const struct ptx_native_told *told, uint32_t lanes,
                                    uint64_t first, uint64_t second,
                                    const struct ptx_native_list *list)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return ptx_phase_pass_avx512(launch, block, told, lanes, first, second, list);
    if (__builtin_cpu_supports("avx2"))
        return ptx_phase_pass_avx2(launch, block, told, lanes, first, second, list);
#endif
    return ptx_phase_pass_any(launch, block, told, lanes, first, second, list);
}

#endif
