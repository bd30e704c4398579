/* Shared memory of blocks that are checked, from one barrier to the next.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/phase.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/types.h>

#include "kernels/ptx/host/written.h"
#include "kernels/ptx/library/check.h"

enum { HALF = 16 };

/* ---- Blocks ---- */

static _Atomic(struct ptx_phase *) spare; /* that no block has */

static struct clem_check_launch *head_of(const struct ptx_native_launch *launch)
{
    return (struct clem_check_launch *)(uintptr_t)launch->checked;
}

static struct ptx_phase *make(uint64_t cells)
{
    enum { BEHIND = 64 }; /* what groups take in at their end */
    const size_t each = cells + BEHIND;
    struct ptx_phase *own = calloc(1, sizeof *own + 2 * each * sizeof *own->writers);
    if (!own)
        return &ptx_no_phase;
    own->writers = (uint32_t *)(void *)(own + 1);
    own->readers = own->writers + each;
    own->cells = cells;
    return own;
}

/* Names a launch among those of the process: another's may be where this one's was. */
static uint64_t course_of(struct clem_check_launch *head)
{
    static _Atomic uint64_t courses;
    ulong none = 0;
    if (__atomic_load_n(&head->course, __ATOMIC_RELAXED) == 0)
        (void)__atomic_compare_exchange_n(&head->course, &none, atomic_fetch_add(&courses, 1) + 1,
                                          false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return __atomic_load_n(&head->course, __ATOMIC_RELAXED);
}

/* Where races are looked for, all that is done to shared memory comes to the phase. */
static void begin_course(struct ptx_phase *own, struct clem_check_launch *head, bool has_shadow)
{
    const uint64_t launch = course_of(head);
    if (own->launch != launch || own->had_shadow != has_shadow)
        own->steps[0].who = PTX_COURSE_ENDS;
    own->launch = launch;
    own->had_shadow = has_shadow;
    own->way = head->gate == 0                        ? PTX_COURSE_LEFT
               : own->steps[0].who == PTX_COURSE_ENDS ? PTX_COURSE_EXTENDS
                                                      : PTX_COURSE_FOLLOWS;
    own->next = own->way == PTX_COURSE_LEFT ? own->steps + PTX_COURSE_STEPS : own->steps;
}

void ptx_phase_begin(const struct ptx_native_launch *launch, struct ptx_native_block *block)
{
    const uint64_t cells = ((uint64_t)launch->shared_bytes + 3) / 4;
    struct ptx_phase *own = cells ? atomic_exchange(&spare, NULL) : &ptx_no_phase;
    if (own && own->cells < cells) {
        free(own);
        own = NULL;
    }
    own = own ? own : make(cells);
    block->phase = (uint64_t)(uintptr_t)own;
    if (own == &ptx_no_phase)
        return;
    own->known = 0;
    ptx_phase_open(own);
    begin_course(own, head_of(launch), block->shadow != 0);
}

void ptx_phase_end(struct ptx_native_block *block)
{
    struct ptx_phase *own = ptx_phase_of(block);
    if (own != &ptx_no_phase)
        free(atomic_exchange(&spare, own));
    block->phase = 0;
}

static uint64_t known_from(const unsigned char *shadow, uint64_t from, uint64_t bytes)
{
    enum { STEP = 64 };
    while (from + STEP <= bytes && ptx_are_written(shadow + from, STEP))
        from += STEP;
    while (from < bytes && shadow[from] == 1)
        from++;
    return from;
}

void ptx_phase_meet(const struct ptx_native_launch *launch, const struct ptx_native_block *block)
{
    struct ptx_phase *const own = ptx_phase_of(block);
    const struct clem_check_launch *const head = head_of(launch);
    if (own == &ptx_no_phase)
        return;
    if (own->way == PTX_COURSE_FOLLOWS && own->next->who == PTX_COURSE_MEETS &&
        head->followed == 0) {
        own->known = own->next++->place;
        return;
    }
    if (head->followed != 0)
        ptx_course_leave(block);
    ptx_course_wake(block);
    ptx_phase_open(own);
    if (block->shadow && own->known < head->shared_bytes)
        own->known = known_from((const unsigned char *)(uintptr_t)block->shadow, own->known,
                                head->shared_bytes);
    ptx_course_extend(own, PTX_COURSE_MEETS, own->known);
}

void ptx_phase_forget(const struct ptx_native_block *block)
{
    ptx_course_leave(block);
    if (ptx_phase_of(block) != &ptx_no_phase)
        ptx_phase_of(block)->known = 0;
}

/* ---- Loads of what nobody stores meanwhile ---- */

struct reading {
    const unsigned char *shadow; /* NULL: all was written */
    uint64_t limit;
    uint32_t bytes;
};

static struct reading reading_of(const struct ptx_native_launch *launch,
                                 const struct ptx_native_block *block,
                                 const struct ptx_native_told *told)
{
    const bool has_shadow = told->ways & PTX_NATIVE_INIT;
    return (struct reading){(const unsigned char *)(uintptr_t)(has_shadow ? block->shadow : 0),
                            head_of(launch)->shared_bytes, CLEM_CHECK_BYTES(told->what)};
}

static inline bool reads(const struct reading *r, uint64_t place)
{
    uint32_t four;
    if (place & (r->bytes - 1) || place + r->bytes > r->limit)
        return false;
    if (!r->shadow)
        return true;
    if (r->bytes != sizeof four)
        return ptx_are_written(r->shadow + place, r->bytes);
    memcpy(&four, r->shadow + place, sizeof four);
    return four == (uint32_t)CLEM_CHECK_WRITTEN;
}

/* Likewise of a block that follows a course, whose shadow says nothing so far. */
static struct reading reading_below(const struct ptx_phase *phase, struct reading r)
{
    if (r.shadow && r.limit > phase->known)
        r.limit = phase->known;
    r.shadow = NULL;
    return r;
}

/* Lanes of half a warp on a line. */
static bool reads_half(const struct reading *r, uint32_t lanes, uint64_t first, int64_t stride)
{
    const unsigned from = lanes ? (unsigned)__builtin_ctz(lanes) : 0,
                   last = lanes ? 31u - (unsigned)__builtin_clz(lanes) : 0;
    const uint64_t start = (uint32_t)(first + from * (uint64_t)stride),
                   reach = (last - from) * (uint64_t)stride + r->bytes;
    bool are = true;
    if (lanes == 0)
        return true;
    if (stride == (int64_t)r->bytes && !(start & (r->bytes - 1)) && start + reach <= r->limit &&
        (!r->shadow || ptx_are_written(r->shadow + start, reach)))
        return true;
    if (stride == 0)
        return reads(r, start);
    for (uint32_t rest = lanes; rest != 0 && are; rest &= rest - 1)
        are = reads(r, (uint32_t)(first + (unsigned)__builtin_ctz(rest) * (uint64_t)stride));
    return are;
}

static bool reads_line(const struct reading *r, const struct ptx_native_block *block,
                       const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                       uint64_t second)
{
    return reads_half(r, lanes & 0xffffu, first - block->shared, told->stride) &&
           reads_half(r, lanes >> HALF, second - block->shared, told->stride);
}

bool ptx_phase_reads_line(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, uint64_t first, uint64_t second)
{
    const struct ptx_phase *const phase = ptx_phase_of(block);
    const struct reading r = reading_of(launch, block, told), below = reading_below(phase, r);
    if (phase->way == PTX_COURSE_FOLLOWS) {
        if (reads_line(&below, block, told, lanes, first, second))
            return true;
        ptx_course_wake(block);
    }
    return reads_line(&r, block, told, lanes, first, second);
}

static bool reads_list(const struct reading *r, const struct ptx_native_block *block,
                       uint32_t lanes, const struct ptx_native_list *list)
{
    bool are = true;
    for (uint32_t rest = lanes; rest != 0 && are; rest &= rest - 1)
        are = reads(r, (uint32_t)(list->addresses[__builtin_ctz(rest)] - block->shared));
    return are;
}

bool ptx_phase_reads_list(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, const struct ptx_native_list *list)
{
    const struct ptx_phase *const phase = ptx_phase_of(block);
    const struct reading r = reading_of(launch, block, told), below = reading_below(phase, r);
    if (phase->way == PTX_COURSE_FOLLOWS) {
        if (reads_list(&below, block, lanes, list))
            return true;
        ptx_course_wake(block);
    }
    return reads_list(&r, block, lanes, list);
}
