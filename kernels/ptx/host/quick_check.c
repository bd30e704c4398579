/* Checks of what most warps do: lanes side by side, or at one place that they read, where all is seen to be right at once. What
 * runtime_check.c does for any, without what these need not.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/types.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/host/host_race.h"
#include "kernels/ptx/host/written.h"
#include "kernels/ptx/library/check.h"
#include "kernels/ptx/library/rows.h"

enum { HALF = 16 };

/* A load or store of a warp. */
struct quick {
    const struct clem_check_launch *head;
    const struct clem_race_look *look;
    const struct ptx_native_block *block;
    const struct ptx_native_told *told;
    const struct ptx_native_list *list;
    uint32_t bytes, word, old;
    bool is_shared, writes, is_line;
    uint64_t change;
};

/* Some of its lanes. */
struct lanes {
    uint64_t first, low; /* the places of lane `lane`, and of the first of them */
    uint64_t bytes;      /* that they access in all */
    uint32_t which, lane;
};

/* Memory and init. */
static inline bool is_right(const struct quick *q, const struct lanes *l)
{
    uint64_t written, at = l->low, bytes = q->head->shared_bytes;
    if (q->is_shared)
        written = q->told->ways & PTX_NATIVE_INIT ? q->block->shadow : 0;
    else {
        const uint64_t *const pages = (const uint64_t *)(uintptr_t)q->head->memory;
        const struct clem_check_memory *const memory =
            (const struct clem_check_memory *)(uintptr_t)pages[CLEM_CHECK_PLACE(l->low)];
        at -= memory->base;
        bytes = memory->bytes;
        written = memory->written;
    }
    if (at >= bytes || l->bytes > bytes - at)
        return false;
    if (written == 0)
        return true;
    unsigned char *const own = (unsigned char *)(uintptr_t)written + at;
    if (!q->writes)
        return ptx_are_written(own, l->bytes);
    memset(own, 1, l->bytes);
    return true;
}

/* Cells of a row from some byte on, which may lie before it. */
static inline uint32_t cells_from(int64_t start, int64_t bytes)
{
    const int64_t end = start + bytes;
    const int64_t first = start > 0 ? start / 4 : 0;
    const int64_t behind = end < PTX_ROW_BYTES ? (end + 3) / 4 : PTX_ROW_CELLS;
    return (uint32_t)((1ull << behind) - (1ull << first));
}

/* Whether values are there already: all (1), none (0), some (-1). */
static inline int are_there(const unsigned char *there, const unsigned char *values, uint32_t each,
                            uint64_t bytes)
{
    uint64_t at = 0;
    bool all = true, none = true;
#ifdef __SSE2__
    for (; each == 4 && at + 16 <= bytes; at += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(there + at));
        const __m128i y = _mm_loadu_si128((const __m128i *)(const void *)(values + at));
        const int equal = _mm_movemask_epi8(_mm_cmpeq_epi32(x, y));
        all &= equal == 0xffff;
        none &= equal == 0;
    }
#endif
    for (; at < bytes && (all || none); at += each) {
        const bool is_equal = memcmp(there + at, values + at, each) == 0;
        all &= is_equal;
        none &= !is_equal;
    }
    return all ? 1 : none ? 0 : -1;
}

/* Likewise of what a store writes. */
static inline int is_there(const struct quick *q, const struct lanes *l)
{
    const unsigned from = l->lane + (unsigned)__builtin_ctz(l->which);
    const unsigned char *const values =
        (const unsigned char *)q->list->values + (size_t)from * q->bytes;
    if (q->is_shared || !(CLEM_CHECK_FLAGS(q->told->what) & CLEM_CHECK_VALUE))
        return 0;
    return are_there((const unsigned char *)(uintptr_t)l->low, values, q->bytes, l->bytes);
}

static inline bool note(const struct quick *q, const struct lanes *l, uint64_t *cells, uint64_t at,
                        uint32_t which, uint32_t same)
{
    const bool is_one = !q->is_line && q->bytes >= 4;
    const struct ptx_row_times times = {q->old, q->look->clear, q->look->turn, q->look->barrier,
                                        q->is_shared ? NULL : q->head->reported};
    const struct ptx_row_access access = {.time = q->look->time,
                                          .word = (q->word | same) + (uint32_t)q->block->thread +
                                                  l->lane,
                                          .lanes = l->which,
                                          .cells = which,
                                          .start = (int16_t)(is_one ? 0 : l->first - at),
                                          .stride = (int16_t)(q->is_line ? q->bytes : 0),
                                          .bytes = (uint8_t)(is_one ? 0 : q->bytes)};
    return ptx_row_note(cells, at, &times, &access);
}

/* Races. */
static inline bool is_noted(const struct quick *q, const struct lanes *l)
{
    uint64_t *const cells =
        (uint64_t *)(uintptr_t)clem_race_cells_of(q->look, l->low, q->is_shared);
    if (!cells)
        return false;
    const int there = q->writes ? is_there(q, l) : 0;
    const uint32_t same = there == 1 ? CLEM_RACE_SAME : 0u;
    if (there < 0)
        return false;
    for (uint64_t at = l->low & ~(uint64_t)(PTX_ROW_BYTES - 1); at < l->low + l->bytes;
         at += PTX_ROW_BYTES) {
        const uint32_t which = cells_from((int64_t)(l->low - at), (int64_t)l->bytes);
        if (!q->writes && ptx_row_has_read(ptx_row_of(cells, at), q->look->time, which))
            continue;
        if (!note(q, l, cells, at, which, same))
            return false;
    }
    return true;
}

static inline bool may_be_touched(const struct quick *q, const struct lanes *l)
{
    return q->change != 0 && l->low < q->head->touched_high &&
           l->low + l->bytes + 16 > q->head->touched_low;
}

/* first: the place of lane `lane`; which: of the lanes from that one on. */
static inline bool passes(const struct quick *q, uint64_t first, uint32_t lane, uint32_t which)
{
    const unsigned from = (unsigned)__builtin_ctz(which);
    const uint32_t run = which >> from;
    const uint64_t step = q->is_line ? q->bytes : 0;
    if ((run & (run + 1)) != 0)
        return false;
    const uint64_t count = 32u - (unsigned)__builtin_clz(run);
    const struct lanes l = {.first = first,
                            .low = first + from * step,
                            .bytes = q->is_line ? count * step : q->bytes,
                            .which = which,
                            .lane = lane};
    return !(first & (q->bytes - 1)) && !((l.low ^ (l.low + l.bytes - 1)) >> CLEM_RACE_PAGE_BITS) &&
           !may_be_touched(q, &l) && is_right(q, &l) && is_noted(q, &l);
}

static inline bool pass_all(const struct quick *q, uint32_t which, uint64_t first, uint64_t second)
{
    const uint64_t behind = first + (q->is_line ? (uint64_t)HALF * q->bytes : 0);
    if (second == behind)
        return passes(q, first, 0, which);
    const uint32_t low = which & 0xffff, high = which >> HALF;
    const uint64_t apart = second > first ? second - first : first - second;
    if (q->writes && low != 0 && high != 0 && apart < (uint64_t)HALF * q->bytes)
        return false; /* they may store at one place */
    return (low == 0 || passes(q, first, 0, low)) && (high == 0 || passes(q, second, HALF, high));
}

/* Whether what is known holds, of the site and block too. Needs: clem_race_enter(). */
static inline bool is_known(struct quick *q)
{
    const struct clem_race_gate *const gate =
        (const struct clem_race_gate *)(uintptr_t)q->head->gate;
    q->look = (const struct clem_race_look *)(uintptr_t)gate->look;
    const struct clem_race_site *const known = &q->look->sites[q->told->site % CLEM_RACE_SITES];
    q->change = q->is_shared ? 0 : *(volatile const uint64_t *)(uintptr_t)gate->change;
    q->old = q->is_shared ? q->look->barrier : q->look->old;
    q->word = (q->writes ? CLEM_RACE_WRITES : 0u) | (uint32_t)known->bits;
    return *(volatile const uint32_t *)(uintptr_t)q->head->put_off == 0 &&
           q->look->block == q->block->number_in_grid && known->site == q->told->site &&
           (q->is_shared || q->head->touched_change == q->change);
}

bool ptx_check_quickly(const struct ptx_native_launch *launch, const struct ptx_native_block *block,
                       const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                       uint64_t second, const struct ptx_native_list *list)
{
    const uint64_t what = told->what;
    struct quick q = {.head = (const struct clem_check_launch *)(uintptr_t)launch->checked,
                      .block = block,
                      .told = told,
                      .list = list,
                      .bytes = CLEM_CHECK_BYTES(what),
                      .is_shared = CLEM_CHECK_SPACE(what) == CLEM_CHECK_SHARED,
                      .writes = CLEM_CHECK_KIND(what) == CLEM_CHECK_STORE,
                      .is_line = told->stride == (int64_t)CLEM_CHECK_BYTES(what)};
    const uint64_t looks = PTX_NATIVE_LOOKS | PTX_NATIVE_RACES,
                   start = q.is_shared ? block->shared : 0;
    if ((told->ways & (looks | PTX_NATIVE_TELLS | PTX_NATIVE_FIRST)) != looks ||
        (!q.is_line && (told->stride != 0 || q.writes)))
        return false;
    first -= start;
    second -= start;
    if (q.is_shared)
        first = (uint32_t)first, second = (uint32_t)second;
    const uint64_t name = (uint64_t)(uintptr_t)q.head;
    const bool is_right =
        clem_race_enter(name) && is_known(&q) && pass_all(&q, lanes, first, second);
    clem_race_leave(name);
    return is_right;
}
