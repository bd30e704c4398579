/* Cells of races in vectors: what library/race.cl does at the first slot of each, with nothing left to decide.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/cells.h"

#include <string.h>
#include <sys/types.h>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "kernels/ptx/library/check.h"

#ifndef CELLS
#define CELLS ptx_cells_any
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* groups stay within this file */

enum { GROUP = 8, OTHERS = CLEM_RACE_SLOTS - 1 };

/* Numbers below 2^63, so that their order is that of signed ones, which processors compare. */
typedef int64_t group __attribute__((vector_size(8 * GROUP)));

/* A bit for each that is all ones; the others are zeros. */
static inline uint32_t bits_of(group truths)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi64_mask((__m512i)truths);
#elif defined(__AVX2__)
    __m256d halves[2];
    memcpy(halves, &truths, sizeof halves);
    return (uint32_t)_mm256_movemask_pd(halves[0]) | (uint32_t)_mm256_movemask_pd(halves[1]) << 4;
#else
    uint32_t bits = 0;
    for (int i = 0; i < GROUP; i++)
        bits |= (uint32_t)(truths[i] != 0) << i;
    return bits;
#endif
}

#define UPPER(word) ((int64_t)(word) << 32)
#define ALL(number) ((group){0} + (int64_t)(number))

/* What an access makes of groups of cells. */
struct outcome {
    group is_done, is_second;
    group now; /* the first slots */
};

static inline struct outcome outcome_of(const struct ptx_cells *rule, group known, group slot)
{
    const group writes = ALL(rule->writes ? -1 : 0), none = ALL(0);
    const group differs = known ^ slot, time = known & ALL(0xffffffff);
    const group state = known & ALL(UPPER(CLEM_RACE_STATE));
    const group is_same = (differs & ALL(rule->like)) == none, is_old = time <= ALL(rule->old);
    const group is_plain = (differs & ALL(UPPER(CLEM_RACE_BYTES | CLEM_RACE_STRONG))) == none;
    const group is_one = (differs & ALL(UPPER(CLEM_RACE_WRITES))) == none;
    const group is_now = (differs & ALL(0xffffffff)) == none;
    const group is_alone = state == ALL(UPPER(CLEM_RACE_ALONE)), is_ours = time >= ALL(rule->turn);
    const group is_before = (time <= ALL(rule->clear)) | (is_ours & (time <= ALL(rule->barrier)));
    const group is_own = ((differs & ALL(UPPER(CLEM_RACE_THREAD))) == none) & is_ours;
    const group is_behind = writes & (state == ALL(UPPER(CLEM_RACE_BEHIND)));
    const group reads_again = ~writes & ~is_same & ~is_old & is_plain & is_one;
    const group is_more_yet = (known & ALL(UPPER(CLEM_RACE_STATE | CLEM_RACE_FULL))) ==
                              ALL(UPPER(CLEM_RACE_MORE | CLEM_RACE_FULL));
    const group is_read_behind = state == ALL(UPPER(CLEM_RACE_BEHIND));
    const group is_enough = reads_again & (time >= ALL(rule->alone)) & ~is_ours &
                            (is_alone | is_read_behind | is_more_yet);
    const group goes =
        is_plain & (writes | is_one) & (is_alone | is_behind) & (is_before | is_own) & ~is_enough;
    const group is_of_warp = (differs & ALL(UPPER(CLEM_RACE_THREAD & ~31u))) == none;
    const group is_full = (differs & ALL(UPPER(CLEM_RACE_FULL))) != none;
    const group is_more = ~writes & is_plain & (state == ALL(UPPER(CLEM_RACE_MORE))) & is_now &
                          (is_of_warp | is_full);
    const group is_second = reads_again & ~goes & is_alone & is_now;
    const group is_read_over =
        reads_again & ~is_enough & (time <= ALL(rule->clear)) & is_read_behind;
    const group more = ALL(UPPER(CLEM_RACE_MORE)) | (is_full & ALL(UPPER(CLEM_RACE_FULL)));
    const group is_alone_now = ~((is_more & ~is_old) | is_second | is_read_over);
    const group next = (is_more & ~is_old & more) | (is_second & ALL(UPPER(CLEM_RACE_MORE))) |
                       (is_read_over & ALL(UPPER(CLEM_RACE_BEHIND))) |
                       (is_alone_now & ALL(UPPER(CLEM_RACE_ALONE)));
    const group is_done = is_same | is_old | goes | is_more | is_second | is_enough | is_read_over;
    const group stays = is_same | is_enough | (is_more & is_of_warp & ~is_old) | ~is_done;
    return (struct outcome){is_done, is_second, (stays & known) | (~stays & (slot | next))};
}

/* The first reader of a cell lies behind the second one. */
static void put_behind(uint64_t *others, uint64_t known)
{
    others[0] = known & ~((uint64_t)(CLEM_RACE_STATE | CLEM_RACE_FULL) << 32);
    others[1] = others[2] = 0;
}

_Static_assert(CLEM_RACE_SAME == 1u << PTX_CELLS_SAME_AT, "as is said");

/* What comes to the cells from number `at` on. */
static inline group slots_of(const struct ptx_cells *rule, uint32_t at, group known)
{
    const group number = (group){0, 1, 2, 3, 4, 5, 6, 7} + (int64_t)at;
    const group slot = ALL(rule->slot) + ((number >> (int64_t)rule->shift) << 32);
    const group same = (ALL(rule->same) >> number & 1) << (32 + PTX_CELLS_SAME_AT);
    const group absent = -(ALL(rule->absent) >> number & 1);
    return ((slot | same) & ~absent) | (known & absent);
}

/* Most cells were come to in the same way before, or long ago. */
static inline bool pass_quickly(const struct ptx_cells *x, uint64_t *first, group known, group slot)
{
    const group is_same = ((known ^ slot) & ALL(x->like)) == ALL(0);
    const group is_old = (known & ALL(0xffffffff)) <= ALL(x->old);
    if (bits_of(is_same | is_old) != (1u << GROUP) - 1)
        return false;
    const group now = (is_same & known) | (~is_same & (slot | ALL(UPPER(CLEM_RACE_ALONE))));
    memcpy(first, &now, sizeof now);
    return true;
}

static inline uint64_t pass_group(const struct ptx_cells *x, uint64_t *first, uint64_t *others,
                                  uint32_t at)
{
    group known;
    memcpy(&known, first, sizeof known);
    const group slot = slots_of(x, at, known);
    if (pass_quickly(x, first, known, slot))
        return 0;
    const struct outcome o = outcome_of(x, known, slot);
    memcpy(first, &o.now, sizeof o.now);
    for (uint32_t seconds = bits_of(o.is_second); seconds != 0; seconds &= seconds - 1) {
        const unsigned i = (unsigned)__builtin_ctz(seconds);
        put_behind(others + OTHERS * (size_t)i, (uint64_t)known[i]);
    }
    return bits_of(~o.is_done);
}

uint64_t CELLS(const struct ptx_cells *x, uint64_t *first, uint64_t *others, uint32_t count)
{
    uint64_t left = 0;
    uint32_t i = 0;
    for (; i + GROUP <= count; i += GROUP)
        left |= pass_group(x, first + i, others + OTHERS * (size_t)i, i) << i;
    if (i == count)
        return left;
    struct ptx_cells few = *x;
    uint64_t rest[GROUP] = {0}, behind[GROUP * OTHERS];
    const size_t more = count - i;
    few.absent |= ~(uint64_t)0 << count;
    memcpy(rest, first + i, more * sizeof *rest);
    memcpy(behind, others + OTHERS * (size_t)i, more * OTHERS * sizeof *behind);
    left |= pass_group(&few, rest, behind, i) << i;
    memcpy(first + i, rest, more * sizeof *rest);
    memcpy(others + OTHERS * (size_t)i, behind, more * OTHERS * sizeof *behind);
    return left;
}
