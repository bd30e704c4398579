/* Checks of what most warps do: lanes side by side, or at one place that they read, where all is seen to be right at once. What
 * runtime_check.c does for any, without what these need not.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/types.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernels/ptx/host/cells.h"
#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/host/host_race.h"
#include "kernels/ptx/host/still.h"
#include "kernels/ptx/host/strong.h"
#include "kernels/ptx/host/written.h"
#include "kernels/ptx/library/check.h"
#include "kernels/ptx/library/rows.h"

enum { HALF = 16 };

/* A load or store of a warp. */
struct quick {
    const struct clem_check_launch *head;
    const struct clem_race_look *look;
    const struct ptx_native_launch *launch;
    const struct ptx_native_block *block;
    const struct ptx_native_told *told;
    const struct ptx_native_list *list;
    uint32_t bytes, word;
    struct ptx_row_times times;
    bool is_shared, writes, is_line;
    uint64_t change;
};

/* Some of its lanes. */
struct lanes {
    uint64_t first, low; /* the places of lane `lane`, and of the first of them */
    uint64_t bytes;      /* that they access in all */
    uint32_t which, lane;
};

static inline void set_written(unsigned char *own, uint32_t bytes)
{
    const uint64_t written = CLEM_CHECK_WRITTEN;
    if (bytes == 4)
        memcpy(own, &written, 4);
    else
        memset(own, 1, bytes);
}

/* The bytes that stand for those of one lane: few. */
static inline bool is_written_at(const struct quick *q, unsigned char *own)
{
    const uint64_t written = CLEM_CHECK_WRITTEN;
    uint64_t there = 0;
    if (q->writes) {
        set_written(own, q->bytes);
        return true;
    }
    if (q->bytes == 4) {
        memcpy(&there, own, 4);
        return there == (uint32_t)written;
    }
    if (q->bytes == 8) {
        memcpy(&there, own, 8);
        return there == written;
    }
    return ptx_are_written(own, q->bytes);
}

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
        written = __atomic_load_n(&memory->written, __ATOMIC_RELAXED);
        if (q->writes)
            ptx_still_ends(q->head, memory, l->low);
    }
    if (at >= bytes || l->bytes > bytes - at)
        return false;
    if (written == 0)
        return true;
    unsigned char *const own = (unsigned char *)(uintptr_t)written + at;
    if (!q->is_line)
        return is_written_at(q, own);
    __builtin_prefetch(own + PTX_ROW_BYTES); /* what probably comes next */
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

static inline bool is_there(const unsigned char *there, const unsigned char *value, uint32_t bytes)
{
    uint32_t x, y;
    if (bytes != sizeof x)
        return memcmp(there, value, bytes) == 0;
    memcpy(&x, there, sizeof x);
    memcpy(&y, value, sizeof y);
    return x == y;
}

/* Which of some values, side by side, are there already: a bit for each. */
static inline uint32_t are_there(const unsigned char *there, const unsigned char *values,
                                 uint32_t each, uint32_t count)
{
    uint32_t are = 0, i = 0;
#ifdef __SSE2__
    for (; each == 4 && i + 4 <= count && i < 32; i += 4) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(there + (size_t)i * 4));
        const __m128i y = _mm_loadu_si128((const __m128i *)(const void *)(values + (size_t)i * 4));
        are |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(x, y))) << i;
    }
    for (; each == 1 && i + 16 <= count && i <= HALF; i += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(there + i));
        const __m128i y = _mm_loadu_si128((const __m128i *)(const void *)(values + i));
        are |= (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) << i;
    }
#endif
    for (; i < count && i < 32; i++)
        are |= (uint32_t)is_there(there + (size_t)i * each, values + (size_t)i * each, each) << i;
    return are;
}

/* Lanes that store what is there already. */
static inline uint32_t same_lanes(const struct quick *q, const struct lanes *l)
{
    const unsigned from = (unsigned)__builtin_ctz(l->which);
    const unsigned char *const values =
        (const unsigned char *)q->list->values + (size_t)(from + l->lane) * q->bytes;
    if (q->is_shared || !(CLEM_CHECK_FLAGS(q->told->what) & CLEM_CHECK_VALUE))
        return 0;
    return are_there((const unsigned char *)(uintptr_t)l->low, values, q->bytes,
                     32u - (uint32_t)__builtin_clz(l->which >> from))
           << (from & 31u);
}

/* Some of the lanes, in one row. */
static inline struct ptx_row_access access_of(const struct quick *q, const struct lanes *l,
                                              uint64_t at)
{
    const bool is_one = !q->is_line && q->bytes >= 4;
    return (struct ptx_row_access){.time = q->look->time,
                                   .word = q->word + (uint32_t)q->block->thread + l->lane,
                                   .lanes = l->which,
                                   .cells = cells_from((int64_t)(l->low - at), (int64_t)l->bytes),
                                   .shape = ptx_row_shape(is_one ? 0 : (int64_t)(l->first - at),
                                                          q->is_line ? q->bytes : 0,
                                                          is_one ? 0 : q->bytes)};
}

/* Cells of a row that lanes on a line have, of 4 bytes each. */
static inline uint32_t cells_of(const struct lanes *l, uint64_t at, uint32_t lanes)
{
    const int64_t first = (int64_t)(l->first - at) / 4;
    return first < 0 ? lanes >> -first : (uint32_t)((uint64_t)lanes << first);
}

static inline uint64_t like_of(const struct quick *q)
{
    return q->writes ? ~((uint64_t)CLEM_RACE_STATE << 32)
                     : (uint64_t)(CLEM_RACE_FULL - 1u) << 32 | 0xffffffffu;
}

static inline uint64_t *behind(uint64_t *cells, size_t cell)
{
    return cells + CLEM_RACE_PAGE_BYTES / 4 + cell * (CLEM_RACE_SLOTS - 1);
}

static inline uint64_t slot_of(const struct quick *q, const struct lanes *l, unsigned lane)
{
    const uint32_t thread = (uint32_t)q->block->thread + l->lane + lane;
    return (uint64_t)(q->word | thread | CLEM_RACE_BYTES) << 32 | q->look->time;
}

/* Lanes that read a cell, of which two are enough. false: it has to be looked at closer. */
static inline bool read_alike(const struct quick *q, const struct lanes *l, uint64_t *cells,
                              size_t cell)
{
    uint64_t *const first = cells + cell, *const others = behind(cells, cell);
    const unsigned last = 31u - (unsigned)__builtin_clz(l->which);
    const struct clem_race_now now = {slot_of(q, l, (unsigned)__builtin_ctz(l->which)),
                                      q->times.old, q->look, q->times.reported};
    if (!clem_race_at_first(&now, like_of(q), (ulong *)first, (ulong *)others))
        return false;
    const uint32_t state = (uint32_t)(*first >> 32) & CLEM_RACE_STATE;
    if ((uint32_t)*first != q->look->time || state == CLEM_RACE_MORE ||
        (l->which & (l->which - 1)) == 0)
        return true;
    if (state == CLEM_RACE_ANY || (state == CLEM_RACE_BEHIND && others[2] != 0))
        return false;
    others[2] = state == CLEM_RACE_BEHIND ? others[1] : 0;
    others[1] = state == CLEM_RACE_BEHIND ? others[0] : 0;
    others[0] = now.slot;
    *first = slot_of(q, l, last) | (uint64_t)CLEM_RACE_MORE << 32;
    return true;
}

/* Lanes side by side, as far as they are in a row. */
static inline bool pass_cells_of(const struct quick *q, const struct lanes *l, uint64_t *cells,
                                 uint64_t at, uint32_t same)
{
    const uint64_t low = at > l->low ? at : l->low, high = l->low + l->bytes,
                   end = at + PTX_ROW_BYTES < high ? at + PTX_ROW_BYTES : high;
    const unsigned lane = (unsigned)((low - l->first) / q->bytes);
    const size_t cell = low % CLEM_RACE_PAGE_BYTES / 4;
    const uint32_t count = (uint32_t)(end - low) / 4;
    if (same != 0 && q->bytes != 4)
        return false;
    const struct ptx_cells rule = {.like = like_of(q),
                                   .old = q->times.old,
                                   .clear = q->times.clear,
                                   .turn = q->times.turn,
                                   .barrier = q->times.barrier,
                                   .alone = q->look->relaxed ? q->look->alone : INT64_MAX,
                                   .writes = q->writes,
                                   .slot = slot_of(q, l, lane),
                                   .shift = (unsigned)__builtin_ctz(q->bytes / 4),
                                   .same = same >> lane};
    if (ptx_cells_pass(&rule, cells + cell, behind(cells, cell), count) != 0)
        return false;
    if (q->writes && count == PTX_ROW_CELLS)
        ptx_row_open(cells, at);
    return true;
}

/* One lane's store. */
static inline bool store_in_cells(const struct quick *q, const struct lanes *l, uint64_t *cells,
                                  uint32_t same)
{
    const struct clem_race_now now = {slot_of(q, l, 0) | (uint64_t)(same ? CLEM_RACE_SAME : 0u)
                                                             << 32,
                                      q->times.old, q->look, q->times.reported};
    const size_t cell = l->low % CLEM_RACE_PAGE_BYTES / 4;
    bool is = true;
    for (uint32_t i = 0; is && i < q->bytes / 4; i++)
        is = clem_race_at_first(&now, like_of(q), (ulong *)(cells + cell + i),
                                (ulong *)behind(cells, cell + i));
    return is;
}

/* In a row without a list. */
static bool note_in_cells(const struct quick *q, const struct lanes *l, uint64_t *cells,
                          uint64_t at, uint32_t same)
{
    if (q->bytes < 4)
        return false;
    if (q->writes && l->which == 1)
        return store_in_cells(q, l, cells, same);
    if (q->is_line)
        return pass_cells_of(q, l, cells, at, same);
    bool are = true;
    for (uint32_t i = 0; are && i < q->bytes / 4; i++)
        are = read_alike(q, l, cells, l->low % CLEM_RACE_PAGE_BYTES / 4 + i);
    return are;
}

/* What lanes that store what is there already make of a store, and the others. Needs: 4 bytes each. */
static inline void part(const struct quick *q, const struct lanes *l, uint64_t at, uint32_t same,
                        struct ptx_row_access both[2])
{
    const struct ptx_row_access one = access_of(q, l, at);
    for (unsigned i = 0; i < 2; i++) {
        both[i] = one;
        both[i].lanes = i ? same : l->which & ~same;
        both[i].cells = cells_of(l, at, both[i].lanes);
    }
    both[1].word |= CLEM_RACE_SAME;
}

static inline bool note_store(const struct quick *q, const struct lanes *l, uint64_t *cells,
                              uint64_t at, uint32_t same)
{
    struct ptx_row_access one = access_of(q, l, at), both[2];
    if (same == 0 || same == l->which) {
        one.word |= same ? CLEM_RACE_SAME : 0u;
        return ptx_row_note(cells, at, &q->times, &one, 0);
    }
    if (q->bytes != 4)
        return false;
    part(q, l, at, same, both);
    if (both[0].cells != 0 && both[1].cells != 0)
        return ptx_row_note_both(cells, at, &q->times, both);
    return ptx_row_note(cells, at, &q->times, &both[both[0].cells ? 0 : 1], 0);
}

/* Whether cells of a row without a list have reads already that are enough. */
static inline bool have_reads(const struct quick *q, const uint64_t *cells, uint32_t which)
{
    const uint32_t plain = CLEM_RACE_BYTES | CLEM_RACE_WRITES | CLEM_RACE_STRONG;
    bool are = true;
    for (uint32_t rest = which; rest != 0 && are; rest &= rest - 1) {
        const uint64_t known = cells[__builtin_ctz(rest)];
        const uint32_t time = (uint32_t)known, word = (uint32_t)(known >> 32),
                       state = word & CLEM_RACE_STATE;
        const bool is_full = state == CLEM_RACE_MORE && word & CLEM_RACE_FULL;
        const bool has_ended = clem_race_has_ended(q->look, time) &&
                               (is_full || state == CLEM_RACE_ALONE || state == CLEM_RACE_BEHIND);
        are =
            (word & plain) == CLEM_RACE_BYTES && (has_ended || (is_full && time == q->look->time));
    }
    return are;
}

static inline bool note_load(const struct quick *q, const struct lanes *l, uint64_t *cells,
                             uint64_t at, ptx_row_bytes bytes)
{
    struct ptx_row *const row = ptx_row_of(cells, at);
    const uint32_t which = cells_from((int64_t)(l->low - at), (int64_t)l->bytes);
    if (!ptx_row_is_open(row) && have_reads(q, &row->mark, which))
        return true;
    const struct ptx_row_access access = access_of(q, l, at);
    const bool is_place = !q->is_line && q->bytes >= 4 && (l->which & (l->which - 1)) != 0;
    if (is_place && ptx_row_read_on(cells, row, &access, bytes))
        return true;
    return ptx_row_note(cells, at, &q->times, &access, bytes);
}

/* Where a row's front is all that there is. false: there is a list then, or cells. */
static inline bool note_in_front(const struct quick *q, uint64_t *cells, uint64_t low, uint64_t at,
                                 const struct ptx_row_access *access, ptx_row_bytes bytes)
{
    const bool is_still = q->told->ways & PTX_NATIVE_STILL && ptx_still_is_kept(q->head, low);
    if (ptx_front_note(cells, at, &q->times, access, bytes, is_still, q->look->alone))
        return true;
    ptx_front_settle(cells, at, &q->times);
    return false;
}

static inline bool store_in_front(const struct quick *q, const struct lanes *l, uint64_t *cells,
                                  uint64_t at, uint32_t same)
{
    struct ptx_row_access access = access_of(q, l, at), both[2];
    bool is = false;
    if (same == 0 || same == l->which) {
        access.word |= same ? CLEM_RACE_SAME : 0u;
        return note_in_front(q, cells, l->low, at, &access, 0);
    }
    if (q->bytes == 4) {
        part(q, l, at, same, both);
        const bool are_both = both[0].cells != 0 && both[1].cells != 0;
        is = are_both ? ptx_front_note_both(cells, at, &q->times, &access, both, q->look->alone)
                      : ptx_front_note(cells, at, &q->times, &both[both[0].cells ? 0 : 1], 0, false,
                                       q->look->alone);
    }
    if (!is)
        ptx_front_settle(cells, at, &q->times);
    return is;
}

/* Memory, init and races. *is_new: it was not seen before. */
static inline bool store_is_right(const struct quick *q, const struct lanes *l, uint64_t *cells)
{
    const uint32_t same = same_lanes(q, l);
    bool is = is_right(q, l);
    for (uint64_t at = l->low & ~(uint64_t)(PTX_ROW_BYTES - 1); is && at < l->low + l->bytes;
         at += PTX_ROW_BYTES)
        is = (!q->is_shared && store_in_front(q, l, cells, at, same)) ||
             note_store(q, l, cells, at, same) || note_in_cells(q, l, cells, at, same);
    return is;
}

/* Whether a load is in the front, or in what the front has not come to yet, and is right. */
static inline bool load_in_front(const struct quick *q, const struct lanes *l, uint64_t *cells,
                                 uint64_t at, ptx_row_bytes bytes, bool *is_new)
{
    if (!ptx_front_may_be(cells, at, q->times.clear))
        return false;
    if (!*is_new && !is_right(q, l))
        return false;
    *is_new = true;
    const struct ptx_row_access access = access_of(q, l, at);
    return note_in_front(q, cells, l->low, at, &access, bytes);
}

/* Likewise where there is a list, and the launch does not write there. */
static inline bool load_in_list(const struct quick *q, const struct lanes *l, uint64_t *cells,
                                uint64_t at, bool *is_new)
{
    if (!(q->told->ways & PTX_NATIVE_STILL) || !ptx_still_is_kept(q->head, l->low) ||
        (!*is_new && !is_right(q, l)))
        return false;
    *is_new = true;
    const struct ptx_row_access access = access_of(q, l, at);
    return access.shape != 0 && ptx_row_note_still(cells, at, &q->times, &access);
}

/* What was read before was right. */
static inline bool load_is_right(const struct quick *q, const struct lanes *l, uint64_t *cells,
                                 bool *is_new)
{
    const uint32_t warp = (uint32_t)q->block->thread / 32;
    bool is_seen = q->head->followed == 0;
    *is_new = false;
    for (uint64_t at = l->low & ~(uint64_t)(PTX_ROW_BYTES - 1); at < l->low + l->bytes;
         at += PTX_ROW_BYTES) {
        const int64_t first = (int64_t)(l->low - at);
        const ptx_row_bytes bytes = ptx_row_between(first, first + (int64_t)l->bytes);
        if (!q->is_shared && (load_in_front(q, l, cells, at, bytes, is_new) ||
                              load_in_list(q, l, cells, at, is_new)))
            continue;
        if (is_seen &&
            ptx_row_has_read(ptx_row_of(cells, at), &q->times, q->look->time, warp, bytes))
            continue;
        if (!*is_new && !is_right(q, l))
            return false;
        *is_new = true;
        if (!note_load(q, l, cells, at, bytes) && !note_in_cells(q, l, cells, at, 0))
            return false;
    }
    return true;
}

/* What was read is kept by rows and cells. Where some launch that is in no order with this one wrote it, others that read it are told
 * of too. */
static inline void note_still(const struct quick *q, uint64_t *cells, uint64_t low, uint64_t bytes)
{
    bool may = true;
    for (uint64_t at = low & ~(uint64_t)(PTX_ROW_BYTES - 1); at < low + bytes;
         at += PTX_ROW_BYTES) {
        const struct ptx_row *const row = ptx_row_of(cells, at);
        may &= row->mark == PTX_FRONT_MARK || !ptx_row_is_open(row) || row->written == 0 ||
               row->last_write <= q->times.clear;
    }
    if (may)
        ptx_still_note(q->launch, q->told, low, bytes);
}

static inline bool may_be_touched(const struct quick *q, const struct lanes *l)
{
    return q->change != 0 && clem_race_is_among(q->head, l->low, l->low + l->bytes + 16);
}

/* first: the place of lane `lane`; which: of the lanes from that one on, side by side. */
static inline struct lanes lanes_of(const struct quick *q, uint64_t first, uint32_t lane,
                                    uint32_t which)
{
    const unsigned from = (unsigned)__builtin_ctz(which);
    const uint64_t count = 32u - (unsigned)__builtin_clz(which >> from);
    const uint64_t step = q->is_line ? q->bytes : 0;
    return (struct lanes){.first = first,
                          .low = first + from * step,
                          .bytes = q->is_line ? count * step : q->bytes,
                          .which = which,
                          .lane = lane};
}

static inline bool are_neighbours(uint32_t which)
{
    const uint32_t run = which >> __builtin_ctz(which);
    return (run & (run + 1)) == 0;
}

static inline bool may_pass(const struct quick *q, const struct lanes *l)
{
    return !(l->first & (q->bytes - 1)) &&
           !((l->low ^ (l->low + l->bytes - 1)) >> CLEM_RACE_PAGE_BITS) && !may_be_touched(q, l);
}

static inline bool is_seen_right(const struct quick *q, const struct lanes *l, bool *is_new)
{
    uint64_t *const cells =
        (uint64_t *)(uintptr_t)clem_race_cells_of(q->look, l->low, q->is_shared);
    if (!may_pass(q, l) || !cells)
        return false;
    if (q->writes)
        return store_is_right(q, l, cells);
    const bool is_right = load_is_right(q, l, cells, is_new);
    if (is_right && q->told->ways & PTX_NATIVE_STILL)
        note_still(q, cells, l->low, l->bytes);
    return is_right;
}

/* Lanes of two pages: those of each. */
static bool passes_by_page(const struct quick *q, const struct lanes *l)
{
    const uint64_t end = (l->low / CLEM_RACE_PAGE_BYTES + 1) * CLEM_RACE_PAGE_BYTES;
    const uint32_t before = (uint32_t)(end - l->first) / q->bytes,
                   low = l->which & (uint32_t)(((uint64_t)1 << before) - 1), high = l->which & ~low;
    bool is_new;
    if (!q->is_line || q->is_shared || l->first & (q->bytes - 1) || low == 0 || high == 0)
        return false;
    const struct lanes both[2] = {lanes_of(q, l->first, l->lane, low),
                                  lanes_of(q, l->first, l->lane, high)};
    return is_seen_right(q, &both[0], &is_new) && is_seen_right(q, &both[1], &is_new);
}

static inline bool passes(const struct quick *q, uint64_t first, uint32_t lane, uint32_t which)
{
    bool is_new;
    if (!are_neighbours(which))
        return false;
    const struct lanes l = lanes_of(q, first, lane, which);
    if ((l.low ^ (l.low + l.bytes - 1)) >> CLEM_RACE_PAGE_BITS)
        return passes_by_page(q, &l);
    return is_seen_right(q, &l, &is_new);
}

/* Both halves read the same. */
static inline bool pass_both(const struct quick *q, uint64_t first, uint32_t which)
{
    bool is_new;
    struct lanes l = lanes_of(q, first, 0, which);
    if (!is_seen_right(q, &l, &is_new))
        return false;
    l.lane = HALF;
    return !is_new || is_seen_right(q, &l, &is_new);
}

static inline bool pass_all(const struct quick *q, uint32_t which, uint64_t first, uint64_t second)
{
    const uint64_t behind = first + (q->is_line ? (uint64_t)HALF * q->bytes : 0);
    if (second == behind)
        return passes(q, first, 0, which);
    const uint32_t low = which & 0xffff, high = which >> HALF;
    const uint64_t apart = second > first ? second - first : first - second;
    if (first == second && low == high && !q->writes && are_neighbours(low))
        return pass_both(q, first, low);
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
    q->change = q->is_shared ? 0 : clem_race_change(gate);
    q->times = ptx_row_times_of(q->look, q->is_shared ? NULL : q->head);
    q->word = (q->writes ? CLEM_RACE_WRITES : 0u) | (uint32_t)known->bits;
    return !clem_race_is_put_off(q->head) && q->look->block == q->block->number_in_grid &&
           known->site == q->told->site && (q->is_shared || q->head->touched_change == q->change);
}

/* What is looked at; false: that is not done here. A single lane is the first of its neighbours. */
static inline bool begin(struct quick *q, const struct ptx_native_launch *launch,
                         const struct ptx_native_block *block, const struct ptx_native_told *told,
                         const struct ptx_native_list *list, bool is_single)
{
    const uint64_t what = told->what, looks = PTX_NATIVE_LOOKS | PTX_NATIVE_RACES,
                   bars = PTX_NATIVE_TELLS | (is_single ? 0 : (uint64_t)PTX_NATIVE_FIRST);
    q->head = (const struct clem_check_launch *)(uintptr_t)launch->checked;
    q->launch = launch;
    q->block = block;
    q->told = told;
    q->list = list;
    q->bytes = CLEM_CHECK_BYTES(what);
    q->is_shared = CLEM_CHECK_SPACE(what) == CLEM_CHECK_SHARED;
    q->writes = CLEM_CHECK_KIND(what) == CLEM_CHECK_STORE;
    q->is_line = told->stride == (int64_t)q->bytes;
    return (told->ways & (looks | bars)) == looks;
}

/* One lane's store, which lies on any line. */
static bool pass_single(struct quick *q, unsigned lane, uint64_t first, uint64_t second)
{
    const uint64_t name = (uint64_t)(uintptr_t)q->head,
                   at = (lane < HALF ? first : second) + lane % HALF * (uint64_t)q->told->stride -
                        (q->is_shared ? q->block->shared : 0);
    q->is_line = true;
    const bool is_right = clem_race_enter(name) && is_known(q) &&
                          passes(q, q->is_shared ? (uint32_t)at : at, lane, 1);
    clem_race_leave(name);
    return is_right;
}

bool ptx_check_quickly(const struct ptx_native_launch *launch, const struct ptx_native_block *block,
                       const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                       uint64_t second, const struct ptx_native_list *list)
{
    struct quick q;
    const bool is_single = (lanes & (lanes - 1)) == 0;
    if (!begin(&q, launch, block, told, list, is_single) ||
        (!q.is_line && (told->stride != 0 || (q.writes && !is_single))))
        return false;
    if (q.writes && is_single)
        return pass_single(&q, (unsigned)__builtin_ctz(lanes), first, second);
    const uint64_t start = q.is_shared ? block->shared : 0;
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

/* ---- Lists ---- */

static inline uint64_t place_of(const struct quick *q, unsigned lane)
{
    const uint64_t at = q->list->addresses[lane] - (q->is_shared ? q->block->shared : 0);
    return q->is_shared ? (uint32_t)at : at;
}

/* Which lanes are where they would be if they lay on a line with one of them, `step` from one to the next. */
static inline uint32_t lanes_on_line(const struct quick *q, uint32_t lanes, unsigned one,
                                     uint64_t step)
{
    const uint64_t *const addresses = q->list->addresses;
    const uint64_t start = addresses[one] - one * step;
    uint32_t there = 0;
    for (uint32_t i = 0; i < 32; i++)
        there |= (uint32_t)(addresses[i] == start + i * step) << i;
    return there & lanes;
}

/* Few lanes, each against all behind it. */
static bool are_few_apart(const uint64_t *addresses, uint32_t lanes, uint32_t bytes)
{
    enum { FEW = 16 };
    uint64_t few[FEW];
    uint32_t count = 0;
    bool are = true;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const uint64_t at = addresses[__builtin_ctz(rest)];
        if (count == FEW)
            return false;
        for (uint32_t i = 0; i < count; i++)
            are &= at - few[i] + bytes - 1 >= 2 * (uint64_t)bytes - 1;
        few[count++] = at;
    }
    return are;
}

bool ptx_are_apart(const struct ptx_native_list *list, uint32_t lanes, uint32_t bytes)
{
    int64_t before = 0;
    bool up = true, down = true, is_first = true;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int64_t at = (int64_t)list->addresses[__builtin_ctz(rest)];
        up &= is_first || at >= before + (int64_t)bytes;
        down &= is_first || at <= before - (int64_t)bytes;
        before = at;
        is_first = false;
    }
    return up || down || are_few_apart(list->addresses, lanes, bytes);
}

/* Those of half a warp, or of all of it, that are side by side, or at one place; the others are left. */
static uint32_t pass_line(struct quick *q, uint32_t lanes)
{
    enum { FEWEST = 3 };
    const unsigned from = (unsigned)__builtin_ctz(lanes),
                   last = 31u - (unsigned)__builtin_clz(lanes);
    const uint64_t *const addresses = q->list->addresses;
    if (from == last ||
        (addresses[from + 1] - addresses[from] != q->bytes &&
         addresses[last] - addresses[last - 1] != q->bytes && addresses[from] != addresses[last]))
        return lanes;
    uint32_t line = lanes_on_line(q, lanes, from, q->bytes);
    q->is_line = true;
    if (line != lanes && !q->writes && place_of(q, from) == place_of(q, last) &&
        lanes_on_line(q, lanes, from, 0) == lanes) {
        q->is_line = false;
        line = lanes;
    }
    if (line != lanes) {
        const uint32_t other = lanes_on_line(q, lanes, last, q->bytes);
        line = __builtin_popcount(other) > __builtin_popcount(line) ? other : line;
    }
    if (__builtin_popcount(line) < FEWEST)
        return lanes;
    const unsigned first = (unsigned)__builtin_ctz(line);
    return passes(q, place_of(q, first), first, line >> first) ? lanes & ~line : lanes;
}

/* Memory and init of one lane; *memory: what the last one was in. */
static inline bool is_right_at(const struct quick *q, struct clem_check_memory *memory,
                               uint64_t place)
{
    if (place & (q->bytes - 1))
        return false;
    if (place - memory->base >= memory->bytes && !q->is_shared) {
        const uint64_t *const pages = (const uint64_t *)(uintptr_t)q->head->memory;
        *memory = *(const struct clem_check_memory *)(uintptr_t)pages[CLEM_CHECK_PLACE(place)];
        if (CLEM_CHECK_KIND(q->told->what) != CLEM_CHECK_LOAD)
            ptx_still_ends(q->head, memory, place);
    }
    const uint64_t at = place - memory->base;
    return at < memory->bytes && q->bytes <= memory->bytes - at &&
           (memory->written == 0 ||
            is_written_at(q, (unsigned char *)(uintptr_t)memory->written + at));
}

static inline struct clem_check_memory memory_of(const struct quick *q)
{
    const bool has_shadow = q->told->ways & PTX_NATIVE_INIT;
    if (q->is_shared)
        return (struct clem_check_memory){0, q->head->shared_bytes,
                                          has_shadow ? q->block->shadow : 0, 0};
    return (struct clem_check_memory){0, 0, 0, 0};
}

/* What is the same for all lanes that are looked at one by one. */
struct each {
    const struct clem_race_look *look;
    const ulong *reported;
    uint64_t like;
    uint32_t time, old, word, bytes;
};

/* The cells of one lane. */
static inline bool pass_cells(const struct each *e, uint32_t word, uint64_t *cells, size_t cell)
{
    const struct clem_race_now now = {(uint64_t)word << 32 | e->time, e->old, e->look, e->reported};
    uint64_t *const first = cells + cell, *const others = behind(cells, cell);
    for (uint32_t i = 0; i < e->bytes; i += 4)
        if (!clem_race_at_first(&now, e->like, (ulong *)first + i / 4,
                                (ulong *)others + (size_t)(i / 4) * (CLEM_RACE_SLOTS - 1)) &&
            !clem_race_among(now.slot, now.old, now.look, now.reported, (ulong *)first + i / 4,
                             (ulong *)others + (size_t)(i / 4) * (CLEM_RACE_SLOTS - 1)))
            return false;
    return true;
}

/* An old list is none: one lane makes no new one. */
static inline bool has_list(const struct quick *q, uint64_t *cells, uint64_t place)
{
    const struct ptx_row *const row = ptx_row_of(cells, place);
    if (ptx_row_is_open(row) && row->time <= q->times.old)
        ptx_row_forget(cells, place);
    return ptx_row_is_open(row);
}

static inline bool is_noted_at(const struct quick *q, const struct each *e, unsigned lane,
                               uint64_t place)
{
    uint64_t *const cells = (uint64_t *)(uintptr_t)clem_race_cells_of(e->look, place, q->is_shared);
    if (!cells)
        return false;
    if (!q->is_shared)
        ptx_front_settle(cells, place, &q->times);
    const struct ptx_row *const row = ptx_row_of(cells, place);
    const uint32_t thread = (uint32_t)q->block->thread + lane;
    const int64_t at = (int64_t)(place % PTX_ROW_BYTES);
    if (has_list(q, cells, place))
        return !q->writes && ptx_row_has_read(row, &q->times, e->time, thread / 32,
                                              ptx_row_between(at, at + e->bytes));
    const uint32_t part = e->bytes < 4 ? ((1u << e->bytes) - 1u) << (place & 3u) : 15u;
    const bool is_same =
        q->writes && !q->is_shared && CLEM_CHECK_FLAGS(q->told->what) & CLEM_CHECK_VALUE &&
        memcmp((const void *)(uintptr_t)place,
               (const unsigned char *)q->list->values + (size_t)lane * q->bytes, q->bytes) == 0;
    const uint32_t word =
        e->word | thread | part << CLEM_RACE_BYTES_AT | (is_same ? CLEM_RACE_SAME : 0u);
    return pass_cells(e, word, cells, place % CLEM_RACE_PAGE_BYTES / 4);
}

/* What one lane reads is mostly not read again: rather what was read before. */
static inline void note_still_lane(const struct quick *q, uint64_t place)
{
    if (q->told->ways & PTX_NATIVE_STILL)
        note_still(q, (uint64_t *)(uintptr_t)clem_race_cells_of(q->look, place, false), place,
                   q->bytes);
}

/* Lanes at any places. */
static uint32_t pass_each(const struct quick *q, uint32_t lanes)
{
    const struct each e = {.look = q->look,
                           .reported = q->times.reported,
                           .like = like_of(q),
                           .time = q->look->time,
                           .old = q->times.old,
                           .word = q->word,
                           .bytes = q->bytes};
    struct clem_check_memory memory = memory_of(q);
    uint32_t left = lanes;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const struct lanes one = {.low = place_of(q, lane), .bytes = q->bytes};
        if (!may_be_touched(q, &one) && is_right_at(q, &memory, one.low) &&
            is_noted_at(q, &e, lane, one.low))
            left &= ~(rest & -rest);
    }
    return left;
}

/* Likewise those that read 4 bytes each. */
static uint32_t read_each(const struct quick *q, uint32_t lanes)
{
    const struct each e = {.look = q->look,
                           .reported = q->times.reported,
                           .like = like_of(q),
                           .time = q->look->time,
                           .old = q->times.old,
                           .word = q->word | CLEM_RACE_BYTES | (uint32_t)q->block->thread,
                           .bytes = 4};
    struct clem_check_memory memory = memory_of(q);
    const struct clem_check_memory *const still = ptx_still_of(q->launch, q->told);
    const uint64_t *const addresses = q->list->addresses;
    uint32_t left = lanes;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint64_t place = addresses[lane], number = place >> CLEM_RACE_PAGE_BITS;
        if (still && ptx_still_has_word(still, place)) {
            left &= ~(rest & -rest);
            continue;
        }
        const struct clem_race_page *const page = &e.look->pages[number % CLEM_RACE_PAGES];
        uint64_t *const cells = (uint64_t *)(uintptr_t)page->cells;
        if (page->number != number || !is_right_at(q, &memory, place))
            continue;
        const int64_t at = (int64_t)(place % PTX_ROW_BYTES);
        const struct ptx_row *const row = ptx_row_of(cells, place);
        ptx_front_settle(cells, place, &q->times);
        const bool was_read = (uint32_t)cells[place % CLEM_RACE_PAGE_BYTES / 4] >= e.look->alone;
        const bool is_right =
            has_list(q, cells, place)
                ? ptx_row_has_read(row, &q->times, e.time, (uint32_t)q->block->thread / 32,
                                   ptx_row_between(at, at + 4))
                : pass_cells(&e, e.word + lane, cells, place % CLEM_RACE_PAGE_BYTES / 4);
        left &= ~(is_right ? rest & -rest : 0u);
        if (is_right && was_read)
            note_still_lane(q, place);
    }
    return left;
}

/* Atomic operations. */
static uint32_t pass_atomics(const struct quick *q, uint32_t lanes)
{
    const uint32_t word = q->word | CLEM_RACE_BYTES | CLEM_RACE_WRITES | CLEM_RACE_STRONG;
    struct clem_check_memory memory = memory_of(q);
    uint32_t left = lanes;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const struct lanes one = {.low = place_of(q, lane), .bytes = q->bytes};
        uint64_t *const cells =
            (uint64_t *)(uintptr_t)clem_race_cells_of(q->look, one.low, q->is_shared);
        const uint32_t thread = (uint32_t)q->block->thread + lane;
        if (cells && !q->is_shared)
            ptx_front_settle(cells, one.low, &q->times);
        if (cells && !may_be_touched(q, &one) && is_right_at(q, &memory, one.low) &&
            ptx_put_atomic(q->look, q->times.old, (uint64_t)(word | thread) << 32 | q->look->time,
                           cells, one.low, q->bytes))
            left &= ~(rest & -rest);
    }
    return left;
}

/* Those that are not seen to be right. */
static uint32_t pass_list(struct quick *q, uint32_t lanes)
{
    enum { MANY = 0xffff };
    if (q->writes && !ptx_are_apart(q->list, lanes, q->bytes))
        return lanes;
    const uint64_t *const addresses = q->list->addresses;
    const unsigned from = (unsigned)__builtin_ctz(lanes),
                   last = 31u - (unsigned)__builtin_clz(lanes);
    const bool may_be_whole =
        addresses[last] - addresses[from] == (uint64_t)(last - from) * q->bytes;
    uint32_t left = lanes;
    if (may_be_whole && lanes_on_line(q, lanes, from, q->bytes) == lanes)
        left = pass_line(q, lanes);
    else {
        const uint32_t low = lanes & MANY, high = lanes & ~(uint32_t)MANY;
        left = (low ? pass_line(q, low) : 0) | (high ? pass_line(q, high) : 0);
    }
    const bool is_simple = q->bytes == 4 && !q->writes && !q->is_shared && q->change == 0;
    return left == 0 ? 0 : is_simple ? read_each(q, left) : pass_each(q, left);
}

uint32_t ptx_check_list_quickly(const struct ptx_native_launch *launch,
                                const struct ptx_native_block *block,
                                const struct ptx_native_told *told, uint32_t lanes,
                                const struct ptx_native_list *list)
{
    struct quick q;
    const bool is_plain = begin(&q, launch, block, told, list, false);
    if (!is_plain && !ptx_is_relaxed(told))
        return lanes;
    const uint64_t name = (uint64_t)(uintptr_t)q.head;
    uint32_t left = lanes;
    if (clem_race_enter(name) && is_known(&q) && (is_plain || q.look->relaxed))
        left = is_plain ? pass_list(&q, lanes) : pass_atomics(&q, lanes);
    clem_race_leave(name);
    return left;
}
