/* Lines of lanes in the shared memory of blocks that are checked, as long as what bounds them is enough to see that they do not race,
 * and the courses of blocks that have nothing else there: short, since there are many.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/types.h>

#include "kernels/ptx/host/phase.h"
#include "kernels/ptx/host/written.h"
#include "kernels/ptx/library/check.h"

enum { HALF = 16 };

struct ptx_phase ptx_no_phase = {.next = ptx_no_phase.steps, .is_over = true};

/* Bytes that lanes access, side by side or at one place. */
struct stretch {
    uint32_t low, first; /* first: where those of thread 0 would be */
    uint64_t end;
    uint32_t bytes;
    bool are_own; /* each lane has others */
};

static inline struct stretch stretch_of(uint32_t start, uint32_t thread, uint32_t lanes,
                                        uint32_t bytes, uint32_t stride)
{
    const unsigned from = (unsigned)__builtin_ctz(lanes),
                   last = 31u - (unsigned)__builtin_clz(lanes);
    const uint32_t low = start + from * stride;
    return (struct stretch){.low = low,
                            .first = low - (thread + from) * bytes,
                            .end = (uint64_t)low + (uint64_t)(last - from) * stride + bytes,
                            .bytes = bytes,
                            .are_own = stride != 0 || from == last};
}

static inline bool overlap(uint32_t low, uint64_t end, uint32_t other_low, uint64_t other_end)
{
    return low < other_end && other_low < end;
}

static inline bool are_own(const struct ptx_phase_lines *l, const struct stretch *s)
{
    return s->are_own && s->first == l->first && s->bytes == l->bytes;
}

/* Adds bytes to those between two bounds, unless some between others would be among them. */
static inline bool widen(uint32_t *low, uint32_t *end, const struct stretch *s, uint32_t other_low,
                         uint32_t other_end)
{
    const uint32_t least = s->low < *low ? s->low : *low,
                   most = s->end > *end ? (uint32_t)s->end : *end;
    if (overlap(least, most, other_low, other_end))
        return false;
    *low = least;
    *end = most;
    return true;
}

static inline bool add_write(struct ptx_phase_lines *l, const struct stretch *s)
{
    return widen(&l->written_low, &l->written_end, s, l->read_low, l->read_end);
}

static inline bool add_read(struct ptx_phase_lines *l, const struct stretch *s)
{
    return are_own(l, s) || widen(&l->read_low, &l->read_end, s, l->written_low, l->written_end);
}

static inline void note(struct ptx_phase *phase, const struct ptx_native_told *told, uint32_t lanes,
                        uint32_t thread, uint32_t start)
{
    struct ptx_phase_access *const to = &phase->accesses[phase->count++];
    to->told = told;
    to->lanes = lanes;
    to->thread = thread;
    to->first = start;
    to->second = start + HALF * (uint32_t)told->stride;
    to->places = NULL;
    phase->warps |= 1u << (thread / 32 & 31);
}

/* Nothing was written yet: each thread's own are where it writes now. What was read of others' is that of other threads then. */
static bool take_for_own(struct ptx_phase *phase, const struct stretch *s)
{
    struct ptx_phase_lines *const l = &phase->lines;
    if (!s->are_own || l->written_end != 0)
        return false;
    l->first = s->first;
    l->bytes = s->bytes;
    l->read_low = UINT32_MAX;
    l->read_end = 0;
    for (uint32_t i = 0; i < phase->count; i++) {
        const struct ptx_phase_access *const a = &phase->accesses[i];
        const struct stretch its =
            stretch_of(a->first, a->thread, a->lanes, CLEM_CHECK_BYTES(a->told->what),
                       (uint32_t)a->told->stride);
        (void)add_read(l, &its);
    }
    return true;
}

/* What is looked at: lanes of the warp that begins with a thread, and where the first one's bytes are. */
struct row {
    const struct ptx_native_block *block;
    const struct ptx_native_told *told;
    uint32_t lanes, thread, start;
};

/* Whether lanes write what threads may have for their own, or read what was written. What they write was written then. */
static __attribute__((noinline)) bool takes_new(struct ptx_phase *phase, const struct row *r)
{
    const struct ptx_native_told *const told = r->told;
    const struct stretch s = stretch_of(r->start, r->thread, r->lanes, CLEM_CHECK_BYTES(told->what),
                                        (uint32_t)told->stride);
    const bool writes = CLEM_CHECK_KIND(told->what) == CLEM_CHECK_STORE,
               is_known = !(told->ways & PTX_NATIVE_INIT) || s.end <= phase->known;
    unsigned char *const shadow = (unsigned char *)(uintptr_t)(is_known ? 0 : r->block->shadow);
    const uint32_t run = r->lanes >> __builtin_ctz(r->lanes);
    if (shadow &&
        (writes ? (run & (run + 1)) != 0 : !ptx_are_written(shadow + s.low, s.end - s.low)))
        return false;
    if (writes ? !((are_own(&phase->lines, &s) || take_for_own(phase, &s)) &&
                   add_write(&phase->lines, &s))
               : !add_read(&phase->lines, &s))
        return false;
    if (shadow && writes) {
        memset(shadow + s.low, 1, s.end - s.low);
        phase->known = s.low <= phase->known ? s.end : phase->known;
    }
    note(phase, told, r->lanes, r->thread, r->start);
    return true;
}

/* limit: bytes that there are. */
static inline bool takes_row(struct ptx_phase *phase, const struct row *r, uint64_t limit)
{
    struct ptx_phase_lines *const l = &phase->lines;
    const bool writes = CLEM_CHECK_KIND(r->told->what) == CLEM_CHECK_STORE;
    if (!l->are_all || phase->count == PTX_PHASE_ACCESSES)
        return false;
    const struct stretch s = stretch_of(r->start, r->thread, r->lanes,
                                        CLEM_CHECK_BYTES(r->told->what), (uint32_t)r->told->stride);
    if (s.low & (s.bytes - 1) || s.end > limit || s.end > phase->cells * 4)
        return false;
    if ((r->told->ways & PTX_NATIVE_INIT && s.end > phase->known) || (writes && !are_own(l, &s)))
        return takes_new(phase, r);
    if (writes ? !add_write(l, &s) : !add_read(l, &s))
        return false;
    note(phase, r->told, r->lanes, r->thread, r->start);
    return true;
}

/* ---- Courses ---- */

/* All of it is right. */
void ptx_course_wake(const struct ptx_native_block *block)
{
    struct ptx_phase *const phase = ptx_phase_of(block);
    const uint64_t who = ((uint64_t)1 << PTX_COURSE_THREAD_AT) - 1;
    if (phase->way != PTX_COURSE_FOLLOWS)
        return;
    phase->way =
        phase->next == phase->steps + PTX_COURSE_STEPS ? PTX_COURSE_LEFT : PTX_COURSE_EXTENDS;
    phase->known = 0;
    for (const struct ptx_course_step *at = phase->steps; at < phase->next; at++) {
        const struct row r = {block, (const struct ptx_native_told *)(uintptr_t)(at->who & who),
                              (uint32_t)(at->place >> 32),
                              (uint32_t)(at->who >> PTX_COURSE_THREAD_AT), (uint32_t)at->place};
        if (at->who != PTX_COURSE_MEETS) {
            (void)takes_row(phase, &r, UINT64_MAX);
            continue;
        }
        ptx_phase_open(phase);
        phase->known = at->place;
    }
    phase->next->who = PTX_COURSE_ENDS;
}

void ptx_course_leave(const struct ptx_native_block *block)
{
    struct ptx_phase *const phase = ptx_phase_of(block);
    ptx_course_wake(block);
    if (phase->way != PTX_COURSE_EXTENDS)
        return;
    phase->way = PTX_COURSE_LEFT;
    phase->next = phase->steps + PTX_COURSE_STEPS;
}

bool ptx_phase_takes_line(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, uint64_t first, uint64_t second)
{
    const struct clem_check_launch *const head =
        (const struct clem_check_launch *)(uintptr_t)launch->checked;
    struct ptx_phase *const phase = ptx_phase_of(block);
    const struct row r = {block, told, lanes, block->thread, (uint32_t)(first - block->shared)};
    const uint64_t who = PTX_COURSE_WHO((uint64_t)(uintptr_t)told, block->thread),
                   place = PTX_COURSE_PLACE(r.start, lanes);
    if (lanes == 0 || second - first != (uint64_t)HALF * (uint32_t)told->stride)
        return false;
    if (phase->next->who == who && phase->next->place == place && head->followed == 0) {
        phase->next++;
        return true;
    }
    ptx_course_wake(block);
    const bool is = takes_row(phase, &r, head->shared_bytes);
    if (is)
        ptx_course_extend(phase, who, place);
    return is;
}
