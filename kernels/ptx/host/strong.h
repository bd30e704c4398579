/* Atomic operations that order nothing, as long as nothing else does, and that the host does not wait for: what they leave in cells
 * of races. Private to kernels/ptx/host/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_STRONG_H
#define KERNELS_PTX_HOST_STRONG_H

#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/ir/ir.h"
#include "kernels/ptx/library/check.h"
#include "kernels/ptx/library/rows.h"

static inline bool ptx_is_relaxed(const struct ptx_native_told *told)
{
    const uint64_t what = told->what;
    const uint32_t scope = CLEM_CHECK_SCOPE(what), bytes = CLEM_CHECK_BYTES(what);
    return CLEM_CHECK_KIND(what) == CLEM_CHECK_ATOMIC && CLEM_CHECK_FLAGS(what) == 0 &&
           CLEM_CHECK_ORDER(what) <= PTX_ORDER_RELAXED && scope != PTX_SCOPE_SYS &&
           scope != PTX_SCOPE_CTA && (bytes == 4 || bytes == 8) && told->ways & PTX_NATIVE_RACES;
}

/* Whether two that are there are enough: at this time of two warps, or of this block and one before it. Whatever races with the
 * access at hand does so with one of them, too. */
static inline bool ptx_has_atomics(const struct clem_race_look *look, uint64_t slot, uint64_t first,
                                   uint64_t second)
{
    const uint32_t fixed = CLEM_RACE_BYTES | CLEM_RACE_WRITES | CLEM_RACE_STRONG | CLEM_RACE_NARROW;
    const uint32_t time = (uint32_t)slot, before = (uint32_t)second;
    const bool are_alike = (((first ^ slot) | (second ^ slot)) >> 32 & fixed) == 0;
    const bool is_now = before == time && ((first ^ second) >> 32 & CLEM_RACE_THREAD & ~31u) != 0;
    const bool is_before = before >= look->alone && before < look->turn;
    return are_alike && (first >> 32 & CLEM_RACE_STATE) == CLEM_RACE_ANY &&
           (uint32_t)first == time && (is_now || is_before);
}

/* A cell that only such have come to since it mattered to anybody: the oldest makes room. Source: check_live() of cl/race/race.c */
static inline bool ptx_put_in_cell(const struct clem_race_look *look, uint32_t old, uint64_t slot,
                                   uint64_t *first, uint64_t *others)
{
    const uint32_t fixed = CLEM_RACE_BYTES | CLEM_RACE_WRITES | CLEM_RACE_STRONG | CLEM_RACE_NARROW;
    const bool is_alone = (*first >> 32 & CLEM_RACE_STATE) == CLEM_RACE_ALONE;
    uint64_t slots[CLEM_RACE_SLOTS] = {*first & ~((uint64_t)CLEM_RACE_STATE << 32)};
    unsigned place = CLEM_RACE_SLOTS, oldest = 0;
    bool has_more = false;
    if (ptx_has_atomics(look, slot, *first, others[0]))
        return true;
    if ((uint32_t)*first > old && !is_alone)
        memcpy(slots + 1, others, (CLEM_RACE_SLOTS - 1) * sizeof *others);
    for (unsigned i = 0; i < CLEM_RACE_SLOTS; i++) {
        const uint32_t differs = (uint32_t)((slots[i] ^ slot) >> 32);
        const bool is_old = (uint32_t)slots[i] <= old;
        if (slots[i] == slot)
            return true;
        if (!is_old && (differs & fixed ||
                        (!(differs & CLEM_RACE_THREAD) && (uint32_t)slots[i] >= look->turn)))
            return false;
        place = is_old && place == CLEM_RACE_SLOTS ? i : place;
        oldest = (uint32_t)slots[i] < (uint32_t)slots[oldest] ? i : oldest;
    }
    place = place < CLEM_RACE_SLOTS ? place : oldest;
    slots[place] = slots[0];
    for (unsigned i = 1; i < CLEM_RACE_SLOTS; i++) {
        others[i - 1] = slots[i];
        has_more |= (uint32_t)slots[i] > old;
    }
    *first = slot | (uint64_t)(has_more ? CLEM_RACE_ANY : CLEM_RACE_ALONE) << 32;
    return true;
}

/* cells: of a page; old: as of struct ptx_row_times. */
static inline bool ptx_put_atomic(const struct clem_race_look *look, uint32_t old, uint64_t slot,
                                  uint64_t *cells, uint64_t place, uint32_t bytes)
{
    const size_t cell = place % CLEM_RACE_PAGE_BYTES / 4;
    uint64_t *const others = cells + CLEM_RACE_PAGE_BYTES / 4;
    const struct ptx_row_times times = ptx_row_times_of(look, NULL);
    ptx_row_close(cells, place, &times);
    for (size_t i = cell; i < cell + bytes / 4; i++)
        if (!ptx_put_in_cell(look, old, slot, cells + i, others + i * (CLEM_RACE_SLOTS - 1)))
            return false;
    return true;
}

#endif
