/* Accesses of shared memory from one barrier to the next that are seen not to race: nobody else has written the same 4 bytes since the
 * block's threads met, nor read what is written. What is not seen here is looked at elsewhere (runtime_check.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/types.h>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "kernels/ptx/host/host_race.h"
#include "kernels/ptx/host/phase.h"
#include "kernels/ptx/host/strong.h"
#include "kernels/ptx/host/written.h"
#include "kernels/ptx/library/check.h"

#ifndef PASS
#define PASS ptx_phase_pass_any
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* groups stay within this file */

enum { HALF = 16, GROUP = 16 };
typedef uint32_t group __attribute__((vector_size(4 * GROUP)));
#define ALL(number) ((group){0} + (uint32_t)(number))
#define INLINE      static inline __attribute__((always_inline)) /* compilers would rather call these */

/* An access, and what it is looked up in. */
struct access {
    struct ptx_phase *phase;
    unsigned char *shadow; /* NULL: bytes are not followed */
    uint64_t limit;
    uint32_t bytes, thread;
    bool writes;
    bool is_new; /* it tells more than those before */
};

INLINE uint32_t warp_of(const struct access *a)
{
    return 1u << (a->thread / 32 & 31);
}

/* Whether its warp has ordered something in between. */
INLINE bool orders(const struct access *a)
{
    return a->phase->orders & warp_of(a);
}

INLINE bool is_any(group truths)
{
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)truths, (__m512i)truths) != 0;
#else
    uint64_t words[GROUP / 2], any = 0;
    memcpy(words, &truths, sizeof words);
    for (unsigned i = 0; i < GROUP / 2; i++)
        any |= words[i];
    return any != 0;
#endif
}

INLINE group load(const uint32_t *from)
{
    group to;
    memcpy(&to, from, sizeof to);
    return to;
}

INLINE void store(uint32_t *to, group from)
{
    memcpy(to, &from, sizeof from);
}

INLINE group either(group which, group yes, group no)
{
    return (which & yes) | (~which & no);
}

/* What a reader makes of those before it. */
INLINE group readers_with(group before, group me, uint32_t now)
{
    const group warp = ALL(now | PTX_PHASE_WARP) | ((me & ALL(PTX_PHASE_WARP - 1)) >> 5);
    const group is_first = (group)(before < ALL(now)) | (group)(before == me);
    const group is_of_warp = (group)((before ^ me) < ALL(32)) | (group)(before == warp);
    return either(is_first, me, either(is_of_warp, warp, ALL(now | PTX_PHASE_MANY)));
}

/* Cells side by side: of a lane each 1 << shift. */
INLINE bool pass_cells(struct access *a, uint64_t cell, uint32_t count, uint32_t thread,
                       unsigned shift)
{
    const group numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint32_t now = a->phase->now;
    group races = ALL(0), changes = ALL(0);
    for (uint32_t i = 0; i < count; i += GROUP) {
        uint32_t *const writers = a->phase->writers + cell + i, *const readers =
                                                                    a->phase->readers + cell + i;
        const group is_there = (group)(numbers < ALL(count - i));
        const group me = ALL(now | thread) + ((numbers + ALL(i)) >> shift);
        const group w = load(writers), r = load(readers);
        const group is_written = (group)(w >= ALL(now)) & (group)(w != me);
        if (a->writes) {
            races |= (is_written | ((group)(r >= ALL(now)) & (group)(r != me))) & is_there;
            store(writers, either(is_there, me, w));
        } else {
            const group next = either(is_there, readers_with(r, me, now), r);
            races |= is_written & is_there;
            changes |= next ^ r;
            store(readers, next);
        }
    }
    a->is_new |= a->writes || is_any(changes);
    return !is_any(races);
}

/* One cell, that a thread comes to, or several of a warp. */
INLINE bool pass_cell(struct access *a, uint64_t cell, uint32_t thread, bool is_one)
{
    const uint32_t now = a->phase->now, me = now | thread,
                   warp = now | PTX_PHASE_WARP | (thread / 32);
    uint32_t *const writer = a->phase->writers + cell, *const reader = a->phase->readers + cell;
    const uint32_t before = *reader;
    if (*writer >= now && !(is_one && *writer == me))
        return false;
    if (a->writes) {
        *writer = me;
        a->is_new = true;
        return is_one && (before < now || before == me);
    }
    if (before < now || before == me)
        *reader = is_one ? me : warp;
    else if (before != warp)
        *reader = (before ^ me) < 32 ? warp : now | PTX_PHASE_MANY;
    a->is_new |= *reader != before;
    return true;
}

/* Memory and init, of bytes side by side. */
INLINE bool is_right(const struct access *a, uint64_t place, uint64_t bytes)
{
    if (place & (a->bytes - 1) || place + bytes > a->limit)
        return false;
    if (!a->shadow || place + bytes <= a->phase->known)
        return true;
    if (!a->writes)
        return ptx_are_written(a->shadow + place, bytes);
    memset(a->shadow + place, 1, bytes);
    return true;
}

INLINE bool pass_lane(struct access *a, uint64_t place, uint32_t thread, bool is_one)
{
    bool is = is_right(a, place, a->bytes);
    for (uint32_t i = 0; is && i < a->bytes; i += 4)
        is = pass_cell(a, (place + i) / 4, thread, is_one);
    return is;
}

/* Lanes on a line, from the place of the first on. */
INLINE bool pass_line(struct access *a, uint32_t lanes, uint32_t first, uint32_t thread,
                      int64_t stride)
{
    const unsigned from = (unsigned)__builtin_ctz(lanes);
    const uint32_t run = lanes >> from, start = first + (uint32_t)((int64_t)from * stride);
    bool is = true;
    if (stride == (int64_t)a->bytes && (run & (run + 1)) == 0) {
        const uint32_t count = 32u - (uint32_t)__builtin_clz(run);
        return is_right(a, start, (uint64_t)count * a->bytes) &&
               pass_cells(a, start / 4, count * a->bytes / 4, thread + from,
                          (unsigned)__builtin_ctz(a->bytes / 4));
    }
    if (stride == 0)
        return pass_lane(a, start, thread + from, run == 1);
    for (uint32_t rest = lanes; rest != 0 && is; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        is = pass_lane(a, first + (uint32_t)((int64_t)lane * stride), thread + lane, true);
    }
    return is;
}

INLINE bool pass_places(struct access *a, uint32_t lanes, const uint32_t *places)
{
    bool is = true;
    for (uint32_t rest = lanes; rest != 0 && is; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        is = pass_lane(a, places[lane], a->thread + lane, true);
    }
    return is;
}

/* What nobody accesses but by atomic operations. *is_new: it is not known yet that the thread does, nor of two others whose
 * operations stand for its own. */
INLINE bool pass_atomic_cell(const struct access *a, uint64_t cell, uint32_t thread, bool *is_new)
{
    const uint32_t now = a->phase->now, me = now | PTX_PHASE_ATOMIC | thread,
                   warp = now | PTX_PHASE_WARP | (thread / 32), many = now | PTX_PHASE_MANY;
    uint32_t *const writer = a->phase->writers + cell;
    const uint32_t before = *writer, reader = a->phase->readers[cell];
    if ((before >= now && before < (now | PTX_PHASE_WARP)) ||
        (reader >= now && reader != (now | thread)))
        return false;
    if (before == many || before == warp || before == me)
        return true;
    *writer = before < now ? me : (before ^ me) < 32 ? warp : many;
    *is_new = true;
    return true;
}

/* Leaves in *lanes those that are something new. */
INLINE bool pass_atomics(struct access *a, uint32_t *lanes, const uint32_t *places)
{
    uint32_t new = 0;
    bool is = true;
    for (uint32_t rest = *lanes; rest != 0 && is; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint32_t place = places[lane];
        bool is_new = false;
        is = is_right(a, place, a->bytes);
        for (uint32_t i = 0; is && i < a->bytes; i += 4)
            is = pass_atomic_cell(a, (place + i) / 4, a->thread + lane, &is_new);
        new |= is_new ? rest & -rest : 0;
    }
    if (!orders(a)) {
        a->is_new = new != 0;
        *lanes = new;
    }
    return is;
}

INLINE bool pass_halves(struct access *a, uint32_t lanes, uint32_t first, uint32_t second,
                        int64_t stride)
{
    const uint32_t low = lanes & 0xffffu, high = lanes >> HALF;
    if (second == first + (uint32_t)(HALF * stride))
        return pass_line(a, lanes, first, a->thread, stride);
    return (low == 0 || pass_line(a, low, first, a->thread, stride)) &&
           (high == 0 || pass_line(a, high, second, a->thread + HALF, stride));
}

INLINE void note(struct access *a, const struct ptx_phase_access *access)
{
    if (!a->is_new && !orders(a))
        return;
    a->phase->accesses[a->phase->count++] = *access;
    a->phase->list_count += access->places != NULL;
    a->phase->warps |= warp_of(a);
}

/* Has cells know what was seen without them. What says nothing new need not be noted. */
static __attribute__((noinline)) void look_up_lines(struct ptx_phase *phase)
{
    const uint32_t count = phase->count, noted = phase->noted;
    phase->lines.are_all = false;
    phase->count = phase->noted = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_phase_access access = phase->accesses[i];
        struct access a = {.phase = phase,
                           .bytes = CLEM_CHECK_BYTES(access.told->what),
                           .thread = access.thread,
                           .writes = CLEM_CHECK_KIND(access.told->what) == CLEM_CHECK_STORE,
                           .limit = phase->cells * 4};
        (void)pass_halves(&a, access.lanes, access.first, access.second, access.told->stride);
        if (i >= noted)
            note(&a, &access);
    }
}

/* Whether it is an atomic operation that orders nothing. */
INLINE bool may_be_atomic(const struct clem_check_launch *head, const struct ptx_native_told *told)
{
    const struct clem_race_gate *const gate = (const struct clem_race_gate *)(uintptr_t)head->gate;
    return told->ways & PTX_NATIVE_TELLS && ptx_is_relaxed(told) && gate &&
           gate->sole == (uint64_t)(uintptr_t)head &&
           ((const struct clem_race_look *)(uintptr_t)gate->look)->relaxed;
}

bool PASS(const struct ptx_native_launch *launch, const struct ptx_native_block *block,
          const struct ptx_native_told *told, uint32_t lanes, uint64_t first, uint64_t second,
          const struct ptx_native_list *list)
{
    struct ptx_phase *const phase = ptx_phase_of(block);
    const struct clem_check_launch *const head =
        (const struct clem_check_launch *)(uintptr_t)launch->checked;
    const bool is_atomic = list && may_be_atomic(head, told);
    struct access a = {.phase = phase,
                       .bytes = CLEM_CHECK_BYTES(told->what),
                       .thread = block->thread,
                       .writes = CLEM_CHECK_KIND(told->what) == CLEM_CHECK_STORE,
                       .limit = phase->cells * 4};
    if (phase->lines.are_all)
        look_up_lines(phase);
    if (phase->is_over || phase->count == PTX_PHASE_ACCESSES || a.bytes < 4 ||
        !(told->ways & PTX_NATIVE_RACES) || (told->ways & PTX_NATIVE_TELLS && !is_atomic) ||
        (list && phase->list_count == PTX_PHASE_LISTS))
        return false;
    if (told->ways & PTX_NATIVE_LOOKS) {
        a.limit = head->shared_bytes < a.limit ? head->shared_bytes : a.limit;
        a.shadow = (unsigned char *)(uintptr_t)(told->ways & PTX_NATIVE_INIT ? block->shadow : 0);
    }
    struct ptx_phase_access access = {.told = told,
                                      .lanes = lanes,
                                      .thread = block->thread,
                                      .first = (uint32_t)(first - block->shared),
                                      .second = (uint32_t)(second - block->shared)};
    bool is = false;
    if (list) {
        uint32_t *const places = phase->lists[phase->list_count];
        for (unsigned i = 0; i < 32; i++)
            places[i] = (uint32_t)(list->addresses[i] - block->shared);
        access.places = places;
        is = is_atomic ? pass_atomics(&a, &access.lanes, places) : pass_places(&a, lanes, places);
    } else {
        is = pass_halves(&a, lanes, access.first, access.second, told->stride);
    }
    if (is)
        note(&a, &access);
    return is;
}
