/* Checks of kernels in the native form: a warp's loads and stores are looked at as rows, and what is not seen to be right there
 * lane after lane, as kernels of the block form do it (library/check.cl), whose reports these are.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/types.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernels/ptx/host/cells.h"
#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/host/host_race.h"
#include "kernels/ptx/host/phase.h"
#include "kernels/ptx/host/still.h"
#include "kernels/ptx/host/strong.h"
#include "kernels/ptx/host/written.h"
#include "kernels/ptx/ir/ir.h"
#include "kernels/ptx/library/check.h"
#include "kernels/ptx/library/rows.h"

enum { LANES = 32, HALF = 16 };

/* Lanes that access memory. Of shared memory addresses are offsets in it here. */
struct row {
    const struct clem_check_launch *head;
    const struct ptx_native_block *block;
    const struct ptx_native_told *told;
    struct ptx_native_list *list;
    bool is_line;
    uint32_t lanes, bytes;
    bool is_shared, writes, has_values;
    uint64_t first[2]; /* of lines */
    int64_t stride;
};

typedef uint64_t check_function(const struct clem_check_call *call);
typedef uint64_t access_function(uint64_t launch, uint64_t what, uint64_t site, uint64_t address,
                                 uint64_t thread, uint64_t block);

static uint64_t name_of(const struct row *r)
{
    return (uint64_t)(uintptr_t)r->head;
}

static uint64_t thread_of(const struct row *r, unsigned lane)
{
    return r->block->thread + lane;
}

static uint64_t place_of(const struct row *r, unsigned lane)
{
    const uint64_t at = r->is_line
                            ? r->first[lane / HALF] + (uint64_t)(r->stride * (int64_t)(lane % HALF))
                            : r->list->addresses[lane] - (r->is_shared ? r->block->shared : 0);
    return r->is_shared ? (uint32_t)at : at;
}

static uint64_t address_at(const struct row *r, uint64_t place)
{
    return r->is_shared ? r->block->shared + place : place;
}

static uint64_t value_of(const struct row *r, unsigned lane)
{
    uint64_t value = 0;
    if (r->has_values)
        memcpy(&value, (const unsigned char *)r->list->values + (size_t)lane * r->bytes, r->bytes);
    return value;
}

/* ---- Memory and init ---- */

/* Lanes on one line: those of a half warp, or of the warp. */
struct part {
    uint64_t first; /* the place of lane `lane` */
    unsigned lane;
    uint32_t lanes; /* from that one on */
};

/* As far as lanes' places go: one look for all. */
struct extent {
    uint64_t low, bytes;
};

static struct extent extent_of(const struct row *r, const struct part *part)
{
    const int64_t first = __builtin_ctz(part->lanes), last = 31 - __builtin_clz(part->lanes);
    const int64_t lowest = r->stride < 0 ? last : first;
    const uint64_t low = part->first + (uint64_t)(r->stride * lowest);
    const int64_t reach = (last - first) * (r->stride < 0 ? -r->stride : r->stride);
    return (struct extent){r->is_shared ? (uint32_t)low : low, (uint64_t)reach + r->bytes};
}

/* One, or two. */
static unsigned parts_of(const struct row *r, struct part parts[2])
{
    const uint64_t behind = r->first[0] + (uint64_t)(HALF * r->stride);
    const bool is_one = r->first[1] == (r->is_shared ? (uint32_t)behind : behind);
    unsigned count = 0;
    if (is_one && r->lanes != 0)
        parts[count++] = (struct part){r->first[0], 0, r->lanes};
    for (unsigned half = 0; !is_one && half < 2; half++)
        if (r->lanes >> HALF * half & 0xffff)
            parts[count++] =
                (struct part){r->first[half], HALF * half, r->lanes >> HALF * half & 0xffff};
    return count;
}

/* Whether all of it may be accessed; *written: where what stands for it is, 0: all was written. */
static bool is_within(const struct row *r, struct extent x, uint64_t *written)
{
    if (r->is_shared) {
        const bool has_shadow = r->block->shadow && r->told->ways & PTX_NATIVE_INIT;
        *written = has_shadow ? r->block->shadow + x.low : 0;
        return x.low <= r->head->shared_bytes && x.bytes <= r->head->shared_bytes - x.low;
    }
    const uint64_t *const pages = (const uint64_t *)(uintptr_t)r->head->memory;
    const struct clem_check_memory *const memory =
        (const struct clem_check_memory *)(uintptr_t)pages[CLEM_CHECK_PLACE(x.low)];
    const uint64_t at = x.low - memory->base;
    if (CLEM_CHECK_KIND(r->told->what) != CLEM_CHECK_LOAD)
        ptx_still_ends(r->head, memory, x.low);
    *written = (uint64_t)(uintptr_t)ptx_written_at(memory, at);
    return at < memory->bytes && x.bytes <= memory->bytes - at;
}

static unsigned count_of(uint32_t lanes)
{
    lanes -= lanes >> 1 & 0x55555555u;
    lanes = (lanes & 0x33333333u) + (lanes >> 2 & 0x33333333u);
    return ((lanes + (lanes >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static bool was_written(const struct row *r, unsigned char *written, const struct part *part,
                        struct extent x)
{
    const uint64_t dense = (uint64_t)count_of(part->lanes) * r->bytes;
    if (dense == x.bytes && r->writes && dense == (uint64_t)PTX_ROW_BYTES)
        memset(written, 1, PTX_ROW_BYTES);
    else if (dense == x.bytes && r->writes)
        memset(written, 1, x.bytes);
    if (r->writes ? dense == x.bytes : x.bytes <= 8 * dense && ptx_are_written(written, x.bytes))
        return true;
    for (uint32_t rest = part->lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = part->lane + (unsigned)__builtin_ctz(rest);
        unsigned char *const own = written + (place_of(r, lane) - x.low);
        if (r->writes)
            memset(own, 1, r->bytes);
        else if (!ptx_are_written(own, r->bytes))
            return false;
    }
    return true;
}

/* Whether lanes on a line are right as far as memory and init go. */
static bool look(const struct row *r, const struct part *part)
{
    uint64_t written;
    if ((part->first | (uint64_t)r->stride) & (r->bytes - 1))
        return false;
    const struct extent x = extent_of(r, part);
    return is_within(r, x, &written) &&
           (written == 0 || was_written(r, (unsigned char *)(uintptr_t)written, part, x));
}

/* Likewise of one lane. */
static bool look_at(const struct row *r, uint64_t place)
{
    struct row one = *r;
    one.first[0] = place;
    one.stride = 0;
    one.is_line = true;
    return look(&one, &(const struct part){place, 0, 1});
}

/* ---- Races ---- */

/* Whether a lane's store writes what is there already. */
static bool is_same(const struct row *r, unsigned lane, uint64_t place)
{
    const void *const there = (const void *)(uintptr_t)address_at(r, place);
    if (!r->has_values)
        return false;
    const uint64_t value = value_of(r, lane);
    if (r->bytes == 1)
        return *(const unsigned char *)there == (unsigned char)value;
    return memcmp(there, &value, r->bytes) == 0;
}

/* What is the same for all lanes of an access. */
struct racing {
    const struct clem_race_look *look;
    uint32_t word; /* of a slot */
    uint64_t like;
    struct clem_race_now now;
    struct ptx_cells rule;
    struct ptx_row_times times;
};

static void end_races(const struct row *r)
{
    clem_race_leave(name_of(r));
}

/* Has who checks know, of an access, its memory, site, block and cells, but not that it is made. false: nobody may look. Meanwhile others
 * may: who checks waits for them. */
static bool prepare(const struct row *r, uint64_t place)
{
    if (r->head->access == 0)
        return false;
    end_races(r);
    (void)((access_function *)(uintptr_t)r->head->access)(
        name_of(r), r->told->what & UINT32_MAX, r->told->site, place & ~(uint64_t)3,
        r->block->thread, r->block->number_in_grid);
    return clem_race_enter(name_of(r));
}

static bool is_known(const struct row *r, const struct clem_race_gate *gate,
                     const struct clem_race_look *look)
{
    return look->block == r->block->number_in_grid &&
           look->sites[r->told->site % CLEM_RACE_SITES].site == r->told->site &&
           (r->is_shared || r->head->touched_change == clem_race_change(gate));
}

/* false: who checks has to be told of all. Where it is true nobody else has what is known of races until end_races(). place: of some
 * lane. */
static bool begin_races(const struct row *r, struct racing *x, uint64_t place)
{
    if ((!clem_race_enter(name_of(r)) && !prepare(r, place)) || clem_race_is_put_off(r->head))
        return false;
    const struct clem_race_gate *const gate =
        (const struct clem_race_gate *)(uintptr_t)r->head->gate;
    x->look = (const struct clem_race_look *)(uintptr_t)gate->look;
    if (!is_known(r, gate, x->look) && !(prepare(r, place) && is_known(r, gate, x->look)))
        return false;
    const struct clem_race_site *const known = &x->look->sites[r->told->site % CLEM_RACE_SITES];
    x->word = (r->writes ? CLEM_RACE_WRITES : 0u) | (uint32_t)known->bits;
    x->like = r->writes ? ~((uint64_t)CLEM_RACE_STATE << 32)
                        : (uint64_t)(CLEM_RACE_FULL - 1u) << 32 | 0xffffffffu;
    x->now =
        (struct clem_race_now){x->look->time, r->is_shared ? x->look->barrier : x->look->old,
                               x->look, r->is_shared ? NULL : (const ulong *)r->head->reported};
    x->times = ptx_row_times_of(x->look, r->is_shared ? NULL : r->head);
    return true;
}

/* Needs: begin_races(), and no cells_at() behind it. */
static bool may_be_touched(const struct row *r, uint64_t low, uint64_t bytes)
{
    const struct clem_race_gate *const gate =
        (const struct clem_race_gate *)(uintptr_t)r->head->gate;
    const uint64_t change = clem_race_change(gate);
    return change != 0 &&
           (r->head->touched_change != change || clem_race_is_among(r->head, low, low + bytes));
}

/* What a lane's access is to a cell, without the thread's number, and how far behind the first of a page. */
static uint32_t word_at(const struct row *r, const struct racing *x, unsigned lane, uint64_t place)
{
    const uint32_t part = r->bytes < 4 ? ((1u << r->bytes) - 1u) << (place & 3u) : 15u;
    return x->word | (uint32_t)thread_of(r, lane) | part << CLEM_RACE_BYTES_AT |
           (!r->is_shared && is_same(r, lane, place) ? CLEM_RACE_SAME : 0u);
}

static size_t cell_of(uint64_t place)
{
    return place % CLEM_RACE_PAGE_BYTES / 4;
}

static uint64_t *behind(uint64_t *cells, size_t cell)
{
    return cells + CLEM_RACE_PAGE_BYTES / 4 + cell * (CLEM_RACE_SLOTS - 1);
}

/* The second or third of those that read a cell at this time and stay with it, likewise of other threads. */
static bool is_like_reader(const struct racing *x, uint64_t slot)
{
    const uint64_t differs = slot ^ x->now.slot;
    const uint32_t word = (uint32_t)(differs >> 32);
    return (uint32_t)differs == 0 &&
           (word & (CLEM_RACE_BYTES | CLEM_RACE_WRITES | CLEM_RACE_STRONG)) == 0 &&
           (word & CLEM_RACE_THREAD) != 0;
}

/* Of a cell of which all that is kept are reads at this time, less than four, this is one more: what clem_race_among() does then. */
static bool read_once_more(const struct racing *x, uint64_t *first, uint64_t *others)
{
    const uint64_t known = *first;
    const uint32_t word = (uint32_t)(known >> 32);
    if ((word & CLEM_RACE_STATE) == CLEM_RACE_ALONE && is_like_reader(x, known)) {
        others[0] = known & ~((uint64_t)(CLEM_RACE_STATE | CLEM_RACE_FULL) << 32);
        others[1] = others[2] = 0;
        *first = x->now.slot | (uint64_t)CLEM_RACE_MORE << 32;
        return true;
    }
    const uint32_t thread = word ^ (uint32_t)(x->now.slot >> 32);
    if ((word & (CLEM_RACE_STATE | CLEM_RACE_FULL)) != CLEM_RACE_MORE ||
        (thread & CLEM_RACE_THREAD & ~31u) == 0 || /* takes the place of its warp's last */
        !is_like_reader(x, known & ~((uint64_t)CLEM_RACE_STATE << 32)) ||
        !is_like_reader(x, others[0]))
        return false;
    const bool is_third = others[1] == 0 && others[2] == 0;
    if (!is_third && (others[2] != 0 || !is_like_reader(x, others[1])))
        return false;
    others[is_third ? 1 : 2] = known & ~((uint64_t)CLEM_RACE_STATE << 32);
    *first = x->now.slot | (uint64_t)(CLEM_RACE_MORE | (is_third ? 0 : CLEM_RACE_FULL)) << 32;
    return true;
}

static inline bool race_cell(struct racing *x, uint64_t *cells, size_t cell)
{
    uint64_t *const first = cells + cell, *const others = behind(cells, cell);
    return (!(x->word & CLEM_RACE_WRITES) && read_once_more(x, first, others)) ||
           clem_race_at_first(&x->now, x->like, (ulong *)first, (ulong *)others) ||
           clem_race_among(x->now.slot, x->now.old, x->look, x->now.reported, (ulong *)first,
                           (ulong *)others);
}

/* The cells of a lane's bytes. */
static bool race_at(const struct row *r, struct racing *x, unsigned lane, uint64_t place,
                    uint64_t *cells)
{
    x->now.slot = (uint64_t)word_at(r, x, lane, place) << 32 | x->look->time;
    for (uint32_t i = 0; i < r->bytes; i += 4)
        if (!race_cell(x, cells, cell_of(place) + i / 4))
            return false;
    return true;
}

/* In the row's list; false: there are cells. */
static bool note_lane(const struct row *r, const struct racing *x, unsigned lane, uint64_t place,
                      uint64_t *cells)
{
    const uint32_t at = (uint32_t)place % PTX_ROW_BYTES;
    const bool is_whole = r->bytes >= 4;
    const struct ptx_row_access access = {.time = x->look->time,
                                          .word = word_at(r, x, lane, place) & ~CLEM_RACE_BYTES,
                                          .lanes = 1,
                                          .cells = (is_whole ? (1u << r->bytes / 4) - 1 : 1u)
                                                   << at / 4,
                                          .start = (int16_t)(is_whole ? 0 : at),
                                          .bytes = (uint8_t)(is_whole ? 0 : r->bytes)};
    return ptx_row_note(cells, place, &x->times, &access, ptx_row_bytes_of(&access));
}

/* Whether reads that are there are enough. */
static bool has_read(const struct row *r, const struct racing *x, uint64_t place, uint64_t *cells)
{
    const int64_t at = (int64_t)(place % PTX_ROW_BYTES);
    return !r->writes &&
           ptx_row_has_read(ptx_row_of(cells, place), &x->times, x->look->time,
                            (uint32_t)r->block->thread / 32, ptx_row_between(at, at + r->bytes));
}

/* Needed before lists or cells of some bytes are looked at. */
static void settle(const struct row *r, const struct racing *x, struct extent e, uint64_t *cells)
{
    for (uint64_t at = e.low & ~(uint64_t)(PTX_ROW_BYTES - 1);
         !r->is_shared && at < e.low + e.bytes; at += PTX_ROW_BYTES)
        ptx_front_settle(cells, at, &x->times);
}

/* One lane makes no list of cells that may become one. */
static bool race_lane(const struct row *r, struct racing *x, unsigned lane, uint64_t place,
                      uint64_t *cells)
{
    const struct ptx_row *const row = ptx_row_of(cells, place);
    settle(r, x, (struct extent){place, r->bytes}, cells);
    if (ptx_row_is_open(row)) {
        if (row->time <= x->now.old)
            ptx_row_forget(cells, place);
        else if (has_read(r, x, place, cells) || note_lane(r, x, lane, place, cells))
            return true;
    }
    return race_at(r, x, lane, place, cells);
}

/* Of a page that is made where there is none. */
static uint64_t *cells_at(const struct row *r, const struct racing *x, uint64_t place)
{
    const uint64_t found = clem_race_cells_of(x->look, place, r->is_shared);
    if (found)
        return (uint64_t *)(uintptr_t)found;
    return prepare(r, place) && x->look->turn == x->times.turn /* no other launch had a turn */
               ? (uint64_t *)(uintptr_t)clem_race_cells_of(x->look, place, r->is_shared)
               : NULL;
}

/* Needs: begin_races(). One lane at any place. */
static bool race_of(const struct row *r, struct racing *x, unsigned lane, uint64_t place)
{
    uint64_t *const cells = place & (r->bytes - 1) ? NULL : cells_at(r, x, place);
    return cells && (r->is_shared || !may_be_touched(r, place, 16)) &&
           race_lane(r, x, lane, place, cells);
}

/* Lanes one after the other; cells: of their page, or NULL where they may be of several. Returns those that have to be told. */
static uint32_t race_each(const struct row *r, struct racing *x, const struct part *part,
                          uint64_t *cells)
{
    uint32_t left = 0;
    for (uint32_t rest = part->lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = part->lane + (unsigned)__builtin_ctz(rest);
        const uint64_t place = place_of(r, lane);
        const bool is_right =
            cells ? race_lane(r, x, lane, place, cells) : race_of(r, x, lane, place);
        left |= is_right ? 0 : rest & -rest;
    }
    return left;
}

/* All lanes read at one place: two of them are enough. */
static uint32_t race_alike(const struct row *r, struct racing *x, const struct part *part,
                           uint64_t *cells)
{
    const uint64_t place = place_of(r, part->lane + (unsigned)__builtin_ctz(part->lanes));
    uint32_t left = 0;
    for (uint32_t rest = part->lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = part->lane + (unsigned)__builtin_ctz(rest);
        left |= race_at(r, x, lane, place, cells) ? 0 : rest & -rest;
        const uint64_t known = cells[cell_of(place)], differs = known ^ x->now.slot;
        if (left == 0 && r->bytes <= 4 && (known >> 32 & CLEM_RACE_STATE) == CLEM_RACE_MORE &&
            (uint32_t)differs == 0 && !(differs >> 32 & CLEM_RACE_THREAD & ~31u))
            break;
    }
    return left;
}

/* Which of the lanes' stores write what is there already: a bit for each cell. */
static uint64_t same_cells(const struct row *r, unsigned lane, uint64_t place, uint32_t count)
{
    const uint32_t *const there = (const uint32_t *)(uintptr_t)place;
    const uint32_t *const values =
        (const uint32_t *)(const void *)r->list->values + (size_t)lane * (r->bytes / 4);
    uint64_t same = 0;
    for (uint32_t i = 0; i < count; i++)
        same |= (uint64_t)(there[i] == values[i]) << i;
    if (r->bytes == 8) {
        const uint64_t both = same & same >> 1 & 0x5555555555555555u;
        same = both | both << 1;
    }
    return same;
}

/* A bit for each cell of lanes. */
static uint64_t cells_of(uint64_t lanes, unsigned shift)
{
    uint64_t cells = 0;
    for (; shift != 0 && lanes != 0; lanes &= lanes - 1)
        cells |= ((1ull << (1u << shift)) - 1) << ((unsigned)__builtin_ctzll(lanes) << shift);
    return shift ? cells : lanes;
}

static struct ptx_row_access access_of(const struct row *r, const struct racing *x,
                                       const struct part *part, uint64_t at)
{
    const bool is_one = r->stride == 0 && r->bytes >= 4; /* place */
    return (struct ptx_row_access){.time = x->look->time,
                                   .word = x->word | (uint32_t)thread_of(r, part->lane),
                                   .lanes = part->lanes,
                                   .start = (int16_t)(is_one ? 0 : part->first - at),
                                   .stride = (int16_t)r->stride,
                                   .bytes = (uint8_t)(is_one ? 0 : r->bytes)};
}

/* Lanes side by side, within a page. */
static uint32_t race_row(const struct row *r, struct racing *x, const struct part *part,
                         uint64_t *cells)
{
    const unsigned none = (unsigned)__builtin_ctz(part->lanes);
    const unsigned lanes = 32u - (unsigned)__builtin_clz(part->lanes) - none;
    const uint64_t place = part->first + (uint64_t)none * r->bytes;
    const size_t cell = cell_of(place);
    const uint64_t absent = ~((uint64_t)part->lanes >> none) & ((1ull << lanes) - 1);
    uint32_t left = 0;
    x->rule = (struct ptx_cells){.like = x->like,
                                 .old = x->now.old,
                                 .clear = x->look->clear,
                                 .turn = x->look->turn,
                                 .barrier = x->look->barrier,
                                 .alone = x->look->relaxed ? x->look->alone : INT64_MAX,
                                 .writes = r->writes};
    x->rule.shift = (unsigned)__builtin_ctz(r->bytes / 4);
    const uint32_t count = lanes << x->rule.shift;
    x->rule.slot =
        (uint64_t)(x->word | (uint32_t)thread_of(r, part->lane + none) | 15u << CLEM_RACE_BYTES_AT)
            << 32 |
        x->look->time;
    x->rule.absent = cells_of(absent, x->rule.shift);
    x->rule.same = r->has_values && !r->is_shared
                       ? same_cells(r, part->lane + none, place, count) & ~x->rule.absent
                       : 0;
    uint64_t open = ptx_cells_pass(&x->rule, cells + cell, behind(cells, cell), count);
    if (open == 0 && r->writes && count == PTX_ROW_CELLS)
        ptx_row_open(cells, place);
    for (; open != 0; open &= open - 1) {
        const uint32_t at = (uint32_t)__builtin_ctzll(open);
        x->now.slot = ptx_cells_slot(&x->rule, at);
        left |= race_cell(x, cells, cell + at) ? 0 : 1u << (none + (at >> x->rule.shift));
    }
    return left;
}

/* Which of four words are equal: a bit for each. */
static inline uint32_t equal_words(const uint32_t *a, const uint32_t *b)
{
#ifdef __SSE2__
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
    const __m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(x, y)));
#else
    return (uint32_t)(a[0] == b[0]) | (uint32_t)(a[1] == b[1]) << 1 |
           (uint32_t)(a[2] == b[2]) << 2 | (uint32_t)(a[3] == b[3]) << 3;
#endif
}

/* Of words side by side; there is nothing to be read before the first lane and behind the last. */
static uint32_t same_words(const uint32_t *there, const uint32_t *values, uint32_t lanes)
{
    uint32_t same = 0;
    uint32_t i = (uint32_t)__builtin_ctz(lanes);
    const uint32_t end = 32u - (uint32_t)__builtin_clz(lanes);
    for (; i + 4 <= end; i += 4)
        same |= equal_words(there + i, values + i) << i;
    for (; i < end; i++)
        same |= (uint32_t)(there[i] == values[i]) << i;
    return same & lanes;
}

/* Which of the lanes' stores write what is there already. */
static uint32_t same_lanes(const struct row *r, const struct part *part)
{
    uint32_t same = 0;
    if (r->has_values && !r->is_shared && r->bytes == 4 && r->stride == 4)
        return same_words((const uint32_t *)(uintptr_t)part->first,
                          (const uint32_t *)(const void *)r->list->values + part->lane,
                          part->lanes);
    for (uint32_t rest = r->has_values && !r->is_shared ? part->lanes : 0; rest != 0;
         rest &= rest - 1) {
        const unsigned lane = part->lane + (unsigned)__builtin_ctz(rest);
        same |= is_same(r, lane, place_of(r, lane)) ? rest & -rest : 0;
    }
    return same;
}

/* Cells of a row that have some of its bytes from low to high. */
static uint32_t cells_between(int64_t low, int64_t high)
{
    const int64_t first = low > 0 ? low / 4 : 0;
    const int64_t end = high < PTX_ROW_BYTES ? (high + 3) / 4 : PTX_ROW_CELLS;
    return first < end ? (uint32_t)((1ull << end) - (1ull << first)) : 0;
}

static uint32_t cells_of_each(uint32_t bytes, int64_t stride, uint32_t lanes, int64_t start)
{
    uint32_t cells = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const int64_t at = start + stride * __builtin_ctz(lanes);
        if (at >= 0 && at < PTX_ROW_BYTES)
            cells |= cells_between(at, at + bytes);
    }
    return cells;
}

/* Cells of a row that lanes access; start: where lane 0's bytes would be. */
static uint32_t cells_in_row(const struct row *r, uint32_t lanes, int64_t start)
{
    const bool is_dense = r->stride == (int64_t)r->bytes;
    if (is_dense && r->bytes == 4)
        return start < 0 ? lanes >> -start / 4 : (uint32_t)((uint64_t)lanes << start / 4);
    if (r->stride == 0)
        return cells_between(start, start + r->bytes);
    if (is_dense && (lanes & (lanes + 1)) == 0)
        return cells_between(start, start + (int64_t)r->bytes * count_of(lanes));
    return cells_of_each(r->bytes, r->stride, lanes, start);
}

static bool note_in_row(const struct row *r, const struct racing *x, const struct part *part,
                        uint32_t same, uint64_t *cells, uint64_t at)
{
    struct ptx_row_access access = access_of(r, x, part, at), both[2];
    if (same == 0) {
        access.cells = cells_in_row(r, part->lanes, (int64_t)(part->first - at));
        const ptx_row_bytes bytes = ptx_row_bytes_of(&access);
        return access.cells == 0 ||
               (!r->writes && ptx_row_has_read(ptx_row_of(cells, at), &x->times, access.time,
                                               (uint32_t)r->block->thread / 32, bytes)) ||
               ptx_row_note(cells, at, &x->times, &access, bytes);
    }
    both[0] = both[1] = access;
    both[0].lanes &= ~same;
    both[1].lanes = same;
    both[1].word |= CLEM_RACE_SAME;
    for (unsigned i = 0; i < 2; i++)
        both[i].cells =
            both[i].lanes ? cells_in_row(r, both[i].lanes, (int64_t)(part->first - at)) : 0;
    if (both[0].cells != 0 && both[1].cells != 0)
        return ptx_row_note_both(cells, at, &x->times, both);
    for (unsigned i = 0; i < 2; i++)
        if (both[i].cells != 0)
            return ptx_row_note(cells, at, &x->times, &both[i], ptx_row_bytes_of(&both[i]));
    return true;
}

/* Lanes on a line whose rows have lists. Otherwise none of them has. */
static bool race_rows(const struct row *r, const struct racing *x, const struct part *part,
                      struct extent e, uint64_t *cells)
{
    const uint64_t first = e.low & ~(uint64_t)(PTX_ROW_BYTES - 1), end = e.low + e.bytes;
    const uint32_t same = r->writes ? same_lanes(r, part) : 0;
    bool are_lists = true;
    for (uint64_t at = first; at < end; at += PTX_ROW_BYTES)
        are_lists = are_lists && note_in_row(r, x, part, same, cells, at);
    for (uint64_t at = first; !are_lists && at < end; at += PTX_ROW_BYTES)
        ptx_row_close(cells, at, &x->times);
    return are_lists;
}

/* Likewise of lanes side by side: row by row. Returns those that have to be told. */
static uint32_t race_dense(const struct row *r, struct racing *x, const struct part *part,
                           struct extent e, uint64_t *cells)
{
    const uint32_t same = r->writes ? same_lanes(r, part) : 0;
    uint32_t left = 0;
    for (uint64_t at = e.low & ~(uint64_t)(PTX_ROW_BYTES - 1); at < e.low + e.bytes;
         at += PTX_ROW_BYTES) {
        const uint64_t before = at > part->first ? (at - part->first) / r->bytes : 0,
                       behind = (at + PTX_ROW_BYTES - part->first) / r->bytes;
        struct part its = *part;
        its.lanes &=
            (uint32_t)((behind < LANES ? 1ull << behind : 1ull << LANES) - (1ull << before));
        if (its.lanes == 0 || note_in_row(r, x, part, same, cells, at))
            continue;
        left |= r->bytes >= 4 ? race_row(r, x, &its, cells) : race_each(r, x, &its, cells);
    }
    return left;
}

/* Lanes on a line, of which look() is right. Returns those that have to be told. */
static uint32_t race_part(const struct row *r, struct racing *x, const struct part *part)
{
    const struct extent e = extent_of(r, part);
    if ((e.low ^ (e.low + e.bytes - 1)) >> CLEM_RACE_PAGE_BITS)
        return race_each(r, x, part, NULL);
    uint64_t *const cells = cells_at(r, x, e.low);
    if (!cells)
        return part->lanes;
    if (!r->is_shared && may_be_touched(r, e.low, e.bytes + 16))
        return race_each(r, x, part, NULL);
    settle(r, x, e, cells);
    if (r->stride >= PTX_ROW_BYTES || r->stride <= -PTX_ROW_BYTES)
        return race_each(r, x, part, cells);
    if (r->stride == (int64_t)r->bytes)
        return race_dense(r, x, part, e, cells);
    if (race_rows(r, x, part, e, cells))
        return 0;
    return r->stride == 0 ? race_alike(r, x, part, cells) : race_each(r, x, part, cells);
}

/* ---- What has to be told ---- */

static struct clem_check_call call_of(const struct ptx_native_launch *launch,
                                      const struct ptx_native_block *block, uint64_t what,
                                      uint64_t thread)
{
    return (struct clem_check_call){
        .launch = launch->checked, .what = what, .thread = thread, .block = block->number_in_grid};
}

static uint64_t tell(const struct ptx_native_launch *launch, const struct clem_check_call *call)
{
    const struct clem_check_launch *const head =
        (const struct clem_check_launch *)(uintptr_t)launch->checked;
    return ((check_function *)(uintptr_t)head->function)(call);
}

/* Where a lane has to make its access. */
static uint64_t tell_lane(const struct row *r, unsigned lane, uint64_t place)
{
    const struct ptx_native_told *const told = r->told;
    if (!r->is_shared && CLEM_CHECK_KIND(told->what) != CLEM_CHECK_LOAD)
        ptx_still_ends_at(r->head, place);
    const struct clem_check_call call = {.launch = name_of(r),
                                         .what = told->what,
                                         .site = told->site,
                                         .address = place,
                                         .thread = thread_of(r, lane),
                                         .block = r->block->number_in_grid,
                                         .shared = r->is_shared ? r->block->shared : 0,
                                         .value = value_of(r, lane),
                                         .more = told->more,
                                         .registers = told->registers,
                                         .others = told->others,
                                         .base = told->base};
    return ((check_function *)(uintptr_t)r->head->function)(&call);
}

/* Whether who checks races is done with a lane that is right as far as memory and init go. */
static bool tell_race(const struct row *r, unsigned lane, uint64_t place)
{
    const uint64_t same = is_same(r, lane, place) ? (uint64_t)CLEM_CHECK_SAME << 24 : 0;
    return ((access_function *)(uintptr_t)r->head->access)(name_of(r), r->told->what | same,
                                                           r->told->site, place, thread_of(r, lane),
                                                           r->block->number_in_grid) != 0;
}

static bool is_right(const struct row *r, unsigned lane, uint64_t place)
{
    struct racing x;
    if (r->told->ways & PTX_NATIVE_TELLS)
        return false;
    if (r->told->ways & PTX_NATIVE_LOOKS && !look_at(r, place))
        return false;
    if (!(r->told->ways & PTX_NATIVE_RACES))
        return true;
    const bool is = begin_races(r, &x, place) && race_of(r, &x, lane, place);
    end_races(r);
    return is || tell_race(r, lane, place);
}

static void put(uint64_t address, uint64_t value, uint32_t bytes)
{
    void *const to = (void *)(uintptr_t)address;
    if (address % bytes != 0)
        memcpy(to, &value, bytes);
    else if (bytes == 8)
        *(volatile uint64_t *)to = value;
    else if (bytes == 4)
        *(volatile uint32_t *)to = (uint32_t)value;
    else if (bytes == 2)
        *(volatile uint16_t *)to = (uint16_t)value;
    else
        *(volatile uint8_t *)to = (uint8_t)value;
}

/* ---- Atomic operations ---- */

static bool race_atomic(const struct row *r, const struct racing *x, unsigned lane, uint64_t place,
                        uint64_t *cells)
{
    const uint32_t word = (uint32_t)thread_of(r, lane) | CLEM_RACE_BYTES | CLEM_RACE_WRITES |
                          CLEM_RACE_STRONG | x->word;
    settle(r, x, (struct extent){place, r->bytes}, cells);
    return ptx_put_atomic(x->look, x->now.old, (uint64_t)word << 32 | x->look->time, cells, place,
                          r->bytes);
}

static bool is_right_atomic(const struct row *r, struct racing *x, unsigned lane)
{
    const uint64_t place = place_of(r, lane);
    if (place & (r->bytes - 1) || (r->told->ways & PTX_NATIVE_LOOKS && !look_at(r, place)))
        return false;
    uint64_t *const cells = cells_at(r, x, place);
    return cells && (r->is_shared || !may_be_touched(r, place, 16)) &&
           race_atomic(r, x, lane, place, cells);
}

/* Lanes that need not be told. */
static uint32_t right_atomics(const struct row *r)
{
    struct racing x;
    uint32_t right = 0;
    if (!ptx_is_relaxed(r->told))
        return 0;
    if (begin_races(r, &x, place_of(r, (unsigned)__builtin_ctz(r->lanes))) && x.look->relaxed)
        for (uint32_t rest = r->lanes; rest != 0; rest &= rest - 1)
            right |= is_right_atomic(r, &x, (unsigned)__builtin_ctz(rest)) ? rest & -rest : 0;
    end_races(r);
    return right;
}

/* ---- One by one ---- */

static void end_phase(const struct clem_check_launch *head, const struct ptx_native_block *block);
static void order_phase(const struct clem_check_launch *head, const struct ptx_native_block *block,
                        uint32_t warps);

/* Those that are the first of neighbours at one place. */
static uint32_t firsts_of(const struct row *r)
{
    uint32_t firsts = r->lanes & -r->lanes;
    uint64_t before = place_of(r, (unsigned)__builtin_ctz(r->lanes));
    for (uint32_t rest = r->lanes & (r->lanes - 1); rest != 0; rest &= rest - 1) {
        const uint64_t place = place_of(r, (unsigned)__builtin_ctz(rest));
        firsts |= place != before ? rest & -rest : 0;
        before = place;
    }
    return firsts;
}

/* Of lanes that have stored at one place the lowest one's value stays. */
static void keep_lowest(const struct row *r, const uint64_t *to)
{
    for (uint32_t rest = r->lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        uint32_t same = 0;
        for (uint32_t others = r->lanes; others != 0; others &= others - 1)
            same |= to[__builtin_ctz(others)] == to[lane] ? others & -others : 0;
        if (same >> lane > 1 && (same & -same) >> lane == 1)
            put(to[lane], value_of(r, lane), r->bytes);
    }
}

/* A lane that is not there is where the first one is, or one before it. */
static void fill_up(const struct row *r, const uint64_t *to)
{
    const bool is_one = (r->lanes & (r->lanes - 1)) == 0;
    const uint64_t one = to[__builtin_ctz(r->lanes)];
    for (unsigned lane = 0; is_one && lane < LANES; lane++)
        r->list->addresses[lane] = one;
    for (unsigned lane = 0, from = (unsigned)__builtin_ctz(r->lanes); !is_one && lane < LANES;
         lane++) {
        from = r->lanes >> lane & 1 ? lane : from;
        r->list->addresses[lane] = to[from];
    }
}

/* Lane after lane, each with its store, since what one writes the next may find there. */
static uint64_t one_by_one(const struct row *r)
{
    const uint32_t right = right_atomics(r);
    uint64_t moved = 0, to[LANES];
    if (r->is_shared) {
        end_phase(r->head, r->block);
        ptx_phase_forget(r->block);
    }
    order_phase(r->head, r->block, UINT32_MAX);
    for (uint32_t rest = r->lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint64_t place = place_of(r, lane), own = address_at(r, place);
        to[lane] = right >> lane & 1 || is_right(r, lane, place) ? own : tell_lane(r, lane, place);
        moved |= to[lane] ^ own;
        if (r->has_values)
            put(to[lane], value_of(r, lane), r->bytes);
    }
    if (r->has_values && (r->lanes & (r->lanes - 1)) != 0)
        keep_lowest(r, to);
    fill_up(r, to);
    return r->has_values || moved != 0;
}

/* ---- Rows ---- */

static struct row row_of(const struct ptx_native_launch *launch,
                         const struct ptx_native_block *block, const struct ptx_native_told *told,
                         uint32_t lanes, struct ptx_native_list *list)
{
    const struct row r = {.head = (const struct clem_check_launch *)(uintptr_t)launch->checked,
                          .block = block,
                          .told = told,
                          .list = list,
                          .lanes = lanes,
                          .bytes = CLEM_CHECK_BYTES(told->what),
                          .is_shared = CLEM_CHECK_SPACE(told->what) == CLEM_CHECK_SHARED,
                          .writes = CLEM_CHECK_KIND(told->what) == CLEM_CHECK_STORE,
                          .has_values = CLEM_CHECK_FLAGS(told->what) & CLEM_CHECK_VALUE,
                          .stride = told->stride};
    return r;
}

/* ---- Lists ---- */

/* Lanes at any places, each of which is right as far as memory and init go. */
static bool look_at_all(const struct row *r, uint32_t lanes)
{
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        uint64_t written;
        const uint64_t place = place_of(r, (unsigned)__builtin_ctz(rest));
        if (place & (r->bytes - 1) || !is_within(r, (struct extent){place, r->bytes}, &written))
            return false;
        unsigned char *const own = (unsigned char *)(uintptr_t)written;
        if (own && r->writes)
            memset(own, 1, r->bytes);
        else if (own && !ptx_are_written(own, r->bytes))
            return false;
    }
    return true;
}

/* Lanes of a list that are on one line, side by side. */
struct run {
    struct row r;
    struct part part;
};
enum { RUNS = 4, FEWEST = 3, TRIES = 3 };

/* Those that are on a line with lane `lane`. */
static uint32_t run_from(const struct row *r, unsigned lane)
{
    const uint64_t start = r->list->addresses[lane] - (uint64_t)lane * r->bytes;
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < LANES; i++)
        lanes |= (uint32_t)(r->list->addresses[i] - (uint64_t)i * r->bytes == start) << i;
    return lanes;
}

/* Pairs of lanes side by side that access what is side by side. */
static unsigned neighbours_of(const struct row *r)
{
    unsigned count = 0;
    for (uint32_t i = 0; i + 1 < LANES; i++)
        count += r->list->addresses[i + 1] - r->list->addresses[i] == r->bytes;
    return count;
}

static void begin_run(struct run *run, const struct row *r, unsigned lane, uint32_t lanes)
{
    const uint64_t place = place_of(r, lane);
    run->part = (struct part){place, lane, lanes >> lane};
    run->r = *r;
    run->r.is_line = true;
    run->r.stride = r->bytes;
    run->r.first[0] = place - (uint64_t)lane * r->bytes;
    run->r.first[1] = run->r.first[0] + (uint64_t)HALF * r->bytes;
}

/* Finds some of a list's. Returns the lanes that are in none. */
static uint32_t find_runs(const struct row *r, struct run *runs, unsigned *count)
{
    uint32_t rest = r->lanes, none = 0;
    *count = 0;
    if (neighbours_of(r) + 1 < FEWEST)
        return rest;
    for (unsigned in_vain = 0; rest != 0 && *count < RUNS && in_vain < TRIES;) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint32_t lanes = run_from(r, lane) & rest;
        rest &= ~lanes;
        if (count_of(lanes) < FEWEST) {
            none |= lanes;
            in_vain++;
            continue;
        }
        begin_run(&runs[(*count)++], r, lane, lanes);
        in_vain = 0;
    }
    return none | rest;
}

/* Whether lanes that store do so at different places: then it does not matter to one what another has written. */
static bool are_apart(const struct row *r, const struct part *parts, unsigned count)
{
    const int64_t step = r->stride < 0 ? -r->stride : r->stride;
    if ((r->lanes & (r->lanes - 1)) == 0)
        return true;
    if (step < r->bytes)
        return false;
    if (count < 2)
        return true;
    const struct extent a = extent_of(r, &parts[0]), b = extent_of(r, &parts[1]);
    return a.low + a.bytes <= b.low || b.low + b.bytes <= a.low;
}

/* What was a race and has been reported is none any more: rows may have lists again. Needs: begin_races(). */
static void open_rows(const struct row *r, const struct racing *x, const struct part *part)
{
    const struct extent e = extent_of(r, part);
    for (uint64_t at = e.low & ~(uint64_t)(PTX_ROW_BYTES - 1); at < e.low + e.bytes;
         at += PTX_ROW_BYTES) {
        const uint64_t cells = clem_race_cells_of(x->look, at, r->is_shared);
        if (cells && !r->is_shared)
            ptx_front_settle((uint64_t *)(uintptr_t)cells, at, &x->times);
        if (cells)
            ptx_row_open((uint64_t *)(uintptr_t)cells, at);
    }
}

/* Those that are no races, as far as is seen; the others are told. Returns those that have to be told of all. */
static uint32_t pass_part(const struct row *r, const struct part *part)
{
    struct racing x;
    const uint64_t place = place_of(r, part->lane + (unsigned)__builtin_ctz(part->lanes)),
                   count = r->head->reported_count;
    uint32_t left = part->lanes, refused = 0;
    if (begin_races(r, &x, place))
        left = r->is_line ? race_part(r, &x, part) : race_each(r, &x, part, NULL);
    end_races(r);
    for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
        const unsigned lane = part->lane + (unsigned)__builtin_ctz(rest);
        if (!tell_race(r, lane, place_of(r, lane)))
            refused |= rest & -rest;
    }
    if (r->head->reported_count != count && r->is_line && begin_races(r, &x, place))
        open_rows(r, &x, part);
    if (r->head->reported_count != count)
        end_races(r);
    return refused;
}

/* Lanes that are right as far as memory and init go: the rest of it. */
static void tell_refused(const struct row *r, const struct part *part)
{
    for (uint32_t rest = pass_part(r, part); rest != 0; rest &= rest - 1) {
        const unsigned lane = part->lane + (unsigned)__builtin_ctz(rest);
        (void)tell_lane(r, lane, place_of(r, lane));
    }
}

/* ---- What was seen not to race (phase.h) ---- */

static void note_atomics(const struct row *r)
{
    for (uint32_t rest = r->lanes & ~right_atomics(r); rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        (void)tell_lane(r, lane, place_of(r, lane));
    }
}

/* Notes one access where races are looked for: it is right as far as memory and init go. */
static void note_access(const struct clem_check_launch *head, const struct ptx_native_block *block,
                        const struct ptx_phase_access *a)
{
    struct ptx_native_list list;
    struct row r = {.head = head,
                    .block = block,
                    .told = a->told,
                    .list = &list,
                    .is_line = !a->places,
                    .lanes = a->lanes,
                    .bytes = CLEM_CHECK_BYTES(a->told->what),
                    .is_shared = true,
                    .writes = CLEM_CHECK_KIND(a->told->what) == CLEM_CHECK_STORE,
                    .first = {a->first, a->second},
                    .stride = a->told->stride};
    struct part parts[2] = {{0, 0, a->lanes}};
    for (unsigned lane = 0; a->places && lane < LANES; lane++)
        list.addresses[lane] = block->shared + a->places[lane];
    if (CLEM_CHECK_KIND(a->told->what) == CLEM_CHECK_ATOMIC) {
        note_atomics(&r);
        return;
    }
    const unsigned count = a->places ? 1 : parts_of(&r, parts);
    for (unsigned i = 0; i < count; i++)
        tell_refused(&r, &parts[i]);
}

/* Notes all of them. */
static void note_phase(const struct clem_check_launch *head, const struct ptx_native_block *block)
{
    struct ptx_phase *const phase = ptx_phase_of(block);
    if (phase->count == phase->noted)
        return;
    struct ptx_native_block then = *block;
    for (uint32_t i = phase->noted; i < phase->count; i++) {
        then.thread = phase->accesses[i].thread;
        note_access(head, &then, &phase->accesses[i]);
    }
    ptx_phase_is_noted(phase);
}

/* Until the block's threads meet, each access of shared memory is looked at. */
static void end_phase(const struct clem_check_launch *head, const struct ptx_native_block *block)
{
    struct ptx_phase *const phase = ptx_phase_of(block);
    ptx_course_leave(block);
    note_phase(head, block);
    if (!phase->is_over) {
        phase->lines.are_all = false;
        phase->is_over = true;
    }
}

/* What the warps of a mask did may be ordered before what is done behind that. */
static void order_phase(const struct clem_check_launch *head, const struct ptx_native_block *block,
                        uint32_t warps)
{
    struct ptx_phase *const phase = ptx_phase_of(block);
    const bool follows = phase->way == PTX_COURSE_FOLLOWS;
    if (follows ? !ptx_course_has_done(phase, warps) : phase->is_over || !(phase->warps & warps))
        return;
    ptx_course_leave(block);
    note_phase(head, block);
    phase->orders |= warps;
}

/* Whether an access is of shared memory, and may race. */
static bool may_be_seen(const struct ptx_native_told *told)
{
    return CLEM_CHECK_SPACE(told->what) == CLEM_CHECK_SHARED && told->ways & PTX_NATIVE_RACES;
}

/* Whether a load of one place of global memory is right where no race is looked for, as that of a constant is. */
static bool is_place_right(const struct ptx_native_launch *launch,
                           const struct ptx_native_told *told, uint64_t place)
{
    const struct clem_check_launch *const head =
        (const struct clem_check_launch *)(uintptr_t)launch->checked;
    const uint64_t *const pages = (const uint64_t *)(uintptr_t)head->memory;
    const struct clem_check_memory *const memory =
        (const struct clem_check_memory *)(uintptr_t)pages[CLEM_CHECK_PLACE(place)];
    const uint64_t at = place - memory->base, bytes = CLEM_CHECK_BYTES(told->what);
    const unsigned char *const written = ptx_written_at(memory, at);
    return !(place & (bytes - 1)) && at < memory->bytes && bytes <= memory->bytes - at &&
           (!written || ptx_are_written(written, bytes));
}

static bool looks_alone(const struct ptx_native_told *told)
{
    const uint64_t bars = PTX_NATIVE_RACES | PTX_NATIVE_TELLS | PTX_NATIVE_FIRST;
    return (told->ways & (PTX_NATIVE_LOOKS | bars)) == PTX_NATIVE_LOOKS && told->stride == 0 &&
           CLEM_CHECK_KIND(told->what) == CLEM_CHECK_LOAD &&
           CLEM_CHECK_SPACE(told->what) == CLEM_CHECK_GLOBAL;
}

/* Whether an access is seen to be right by what is known of the block's shared memory, or of constants. */
static bool is_line_seen(const struct ptx_native_launch *launch,
                         const struct ptx_native_block *block, const struct ptx_native_told *told,
                         uint32_t lanes, uint64_t first, uint64_t second)
{
    if (told->ways & PTX_NATIVE_CALM)
        return ptx_phase_reads_line(launch, block, told, lanes, first, second);
    if (looks_alone(told))
        return first == second && is_place_right(launch, told, first);
    if (CLEM_CHECK_SPACE(told->what) == CLEM_CHECK_SHARED)
        ptx_course_leave(block);
    if (!may_be_seen(told))
        return false;
    if (ptx_phase_passes(launch, block, told, lanes, first, second, NULL))
        return true;
    end_phase((const struct clem_check_launch *)(uintptr_t)launch->checked, block);
    return false;
}

static bool is_list_seen(const struct ptx_native_launch *launch,
                         const struct ptx_native_block *block, const struct ptx_native_told *told,
                         uint32_t lanes, const struct ptx_native_list *list)
{
    if (told->ways & PTX_NATIVE_CALM)
        return ptx_phase_reads_list(launch, block, told, lanes, list);
    if (CLEM_CHECK_SPACE(told->what) == CLEM_CHECK_SHARED)
        ptx_course_leave(block);
    if (!may_be_seen(told))
        return false;
    if (ptx_phase_passes(launch, block, told, lanes, 0, 0, list))
        return true;
    end_phase((const struct clem_check_launch *)(uintptr_t)launch->checked, block);
    return false;
}

/* ---- Memory that is new ---- */

/* Memory that was not accessed before. */
static bool make_known(const struct row *r, const struct part *part)
{
    const struct extent x = extent_of(r, part);
    if (r->is_shared || r->head->access == 0)
        return false;
    (void)prepare(r, x.low);
    (void)prepare(r, x.low + x.bytes - 1);
    end_races(r);
    return true;
}

static bool is_right_part(const struct row *r, const struct part *part)
{
    return look(r, part) || (make_known(r, part) && look(r, part));
}

/* Lanes on a line that are far from each other: as a list. */
static bool pass_far(const struct ptx_native_launch *launch, const struct ptx_native_block *block,
                     const struct ptx_native_told *told, uint32_t lanes, const uint64_t first[2],
                     struct ptx_native_list *list)
{
    enum { FAR = 64 };
    if (told->stride < FAR && told->stride > -FAR)
        return false;
    for (unsigned lane = 0; lane < LANES; lane++)
        list->addresses[lane] = first[lane / HALF] + (uint64_t)(told->stride * (lane % HALF));
    return ptx_check_list_quickly(launch, block, told, lanes, list) == 0;
}

uint64_t clem_native_check_line(const struct ptx_native_launch *launch,
                                const struct ptx_native_block *block,
                                const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                                uint64_t second, struct ptx_native_list *list)
{
    const uint64_t starts[2] = {first, second};
    if (lanes == 0 || is_line_seen(launch, block, told, lanes, first, second) ||
        (!(told->ways & PTX_NATIVE_SEEN) && ptx_may_be_still(launch, told) &&
         (ptx_is_still(launch, told, lanes, first, second) ||
          ptx_still_reads_line(launch, block, told, lanes, first, second))) ||
        (told->ways & PTX_NATIVE_WORDS &&
         ptx_check_words(launch, block, told, lanes, first, second, list)) ||
        ptx_check_quickly(launch, block, told, lanes, first, second, list) ||
        pass_far(launch, block, told, lanes, starts, list))
        return 0;

    struct row r = row_of(launch, block, told, lanes, list);
    const uint64_t start = r.is_shared ? block->shared : 0;
    r.is_line = true;
    r.first[0] = r.is_shared ? (uint32_t)(first - start) : first;
    r.first[1] = r.is_shared ? (uint32_t)(second - start) : second;
    struct part parts[2];
    if (told->ways & PTX_NATIVE_FIRST)
        r.lanes = firsts_of(&r);
    const unsigned count = parts_of(&r, parts);
    if (told->ways & PTX_NATIVE_TELLS || (r.writes && !are_apart(&r, parts, count)))
        return one_by_one(&r);
    for (unsigned i = 0; i < count && told->ways & PTX_NATIVE_LOOKS; i++)
        if (!is_right_part(&r, &parts[i]))
            return one_by_one(&r);
    for (unsigned i = 0; i < count && told->ways & PTX_NATIVE_RACES; i++)
        tell_refused(&r, &parts[i]);
    return 0;
}

uint64_t clem_native_check_list(const struct ptx_native_launch *launch,
                                const struct ptx_native_block *block,
                                const struct ptx_native_told *told, uint32_t lanes,
                                struct ptx_native_list *list)
{
    uint32_t left = lanes == 0 || is_list_seen(launch, block, told, lanes, list) ? 0 : lanes;
    if (left != 0 && ptx_may_be_still(launch, told))
        left = ptx_still_reads_list(launch, block, told, left, list);
    if (left != 0)
        left = ptx_check_list_quickly(launch, block, told, left, list);
    struct row all = row_of(launch, block, told, lanes, list);
    if (left == 0) {
        if (told->ways & PTX_NATIVE_TELLS && lanes != 0 && lanes != UINT32_MAX)
            fill_up(&all, list->addresses);
        return 0;
    }
    if (told->ways & PTX_NATIVE_FIRST)
        all.lanes = firsts_of(&all);
    struct row r = all;
    r.lanes &= left;
    struct run runs[RUNS];
    unsigned count;
    if (told->ways & PTX_NATIVE_TELLS || (r.writes && !ptx_are_apart(list, r.lanes, r.bytes)))
        return one_by_one(&all);
    const struct part rest = {0, 0, find_runs(&r, runs, &count)};
    for (unsigned i = 0; i < count && told->ways & PTX_NATIVE_LOOKS; i++)
        if (!is_right_part(&runs[i].r, &runs[i].part))
            return one_by_one(&all);
    if (told->ways & PTX_NATIVE_LOOKS && !look_at_all(&r, rest.lanes))
        return one_by_one(&all);
    for (unsigned i = 0; i < count && told->ways & PTX_NATIVE_RACES; i++)
        tell_refused(&runs[i].r, &runs[i].part);
    if (told->ways & PTX_NATIVE_RACES && rest.lanes != 0)
        tell_refused(&r, &rest);
    return 0;
}

/* ---- What has no memory ---- */

void clem_native_check_each(const struct ptx_native_launch *launch,
                            const struct ptx_native_block *block,
                            const struct ptx_native_told *told, uint32_t lanes)
{
    order_phase((const struct clem_check_launch *)(uintptr_t)launch->checked, block, UINT32_MAX);
    for (; lanes != 0; lanes &= lanes - 1) {
        struct clem_check_call call =
            call_of(launch, block, told->what, block->thread + (unsigned)__builtin_ctz(lanes));
        call.site = told->site;
        (void)tell(launch, &call);
    }
}

static void tell_warp(const struct ptx_native_launch *launch, const struct ptx_native_block *block,
                      const struct ptx_native_told *told, const uint32_t lanes[2], unsigned lane,
                      uint32_t mask)
{
    struct clem_check_call call = call_of(launch, block, told->what, block->thread + lane);
    call.site = told->site;
    call.value = lanes[0];
    call.address = lanes[1];
    call.more = mask;
    (void)tell(launch, &call);
}

/* Whether all that are there name just those, so that nothing is wrong with any. */
static bool are_right(const uint32_t *masks, uint32_t lanes, uint32_t live)
{
    uint32_t differ = 0;
    if (lanes == 0 || lanes != live)
        return false;
    for (unsigned lane = 0; lanes == UINT32_MAX && lane < LANES; lane++)
        differ |= masks[lane] ^ lanes;
    for (uint32_t rest = lanes == UINT32_MAX ? 0 : lanes; rest != 0; rest &= rest - 1)
        differ |= masks[__builtin_ctz(rest)] ^ lanes;
    return differ == 0;
}

/* Whether lanes are a whole warp that meets, where nothing else is to be said. */
static bool meets_quickly(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, uint32_t lanes, uint32_t live,
                          uint32_t mask)
{
    typedef bool meets_function(uint64_t name, uint64_t number, uint32_t warp);
    const uint64_t name = launch->checked,
                   meets = ((const struct clem_check_launch *)(uintptr_t)name)->warp_meets;
    return meets != 0 && (lanes & live & mask) == UINT32_MAX &&
           ((meets_function *)(uintptr_t)meets)(name, block->number_in_grid, block->thread / LANES);
}

/* Of one mask, one lane tells: the first, or the first that it does not name. */
void clem_native_check_warp(const struct ptx_native_launch *launch,
                            const struct ptx_native_block *block,
                            const struct ptx_native_told *told, uint32_t lanes, uint32_t live,
                            uint32_t mask, struct ptx_native_list *list)
{
    const uint32_t *const masks = list ? (const uint32_t *)list->values : NULL;
    const uint32_t both[2] = {lanes, live};
    order_phase((const struct clem_check_launch *)(uintptr_t)launch->checked, block,
                1u << (block->thread / LANES & 31u));
    if (masks && are_right(masks, lanes, live)) {
        mask = masks[__builtin_ctz(lanes)];
        list = NULL;
    }
    if (!list && meets_quickly(launch, block, lanes, live, mask))
        return;
    const uint32_t strange = lanes & ~mask, some = strange ? strange : lanes;
    if (!list && lanes)
        tell_warp(launch, block, told, both, (unsigned)__builtin_ctz(some), mask);
    for (uint32_t rest = list ? lanes : 0; rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        tell_warp(launch, block, told, both, lane, masks[lane]);
    }
}

void clem_native_check_flows(const struct ptx_native_launch *launch,
                             const struct ptx_native_block *block, uint64_t text, uint32_t lanes)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        struct clem_check_call call =
            call_of(launch, block, CLEM_CHECK_GLOBAL << 8 | CLEM_CHECK_FLOWS,
                    block->thread + (unsigned)__builtin_ctz(lanes));
        call.address = text;
        (void)tell(launch, &call);
    }
}

void clem_native_check_exchange(const struct ptx_native_launch *launch,
                                const struct ptx_native_block *block,
                                const struct ptx_native_told *told, uint64_t text, uint32_t lanes,
                                uint32_t how, struct ptx_native_list *list)
{
    struct clem_check_call call = call_of(launch, block, told->what, block->thread);
    call.site = told->site;
    call.address = text;
    call.value = (uint64_t)(uintptr_t)list->values;
    call.more = lanes | (uint64_t)how << 32;
    (void)tell(launch, &call);
}

/* ---- Blocks ---- */

static void tell_block(const struct ptx_native_launch *launch, const struct ptx_native_block *block,
                       uint64_t what, uint64_t site, uint64_t address, uint64_t value)
{
    struct clem_check_call call = call_of(launch, block, what, CLEM_CHECK_ALL);
    call.site = site;
    call.address = address;
    call.value = value;
    (void)tell(launch, &call);
}

void clem_native_block_begins(const struct ptx_native_launch *launch,
                              struct ptx_native_block *block)
{
    const uint64_t shared = launch->shared_bytes ? block->shared : 0;
    struct clem_check_call call = call_of(launch, block, CLEM_CHECK_SHADOW, CLEM_CHECK_ALL);
    const uint32_t *const at = block->index, *const grid = launch->grid;
    block->number_in_grid = ((uint64_t)at[2] * grid[1] + at[1]) * grid[0] + at[0];
    call.address = shared;
    block->shadow = shared ? tell(launch, &call) : 0;
    ptx_phase_begin(launch, block);
    tell_block(launch, block, CLEM_CHECK_BEGIN, 0, shared, 0);
}

void clem_native_block_meets(const struct ptx_native_launch *launch,
                             const struct ptx_native_block *block, uint32_t live)
{
    typedef bool meets_function(uint64_t name, uint64_t number, uint32_t count);
    const uint64_t name = launch->checked,
                   meets = ((const struct clem_check_launch *)(uintptr_t)name)->meets;
    if (meets == 0 || !((meets_function *)(uintptr_t)meets)(name, block->number_in_grid, live))
        tell_block(launch, block, CLEM_CHECK_BARRIER, block->met, 0, live);
    ptx_phase_meet(launch, block);
}

void clem_native_check_meeting(const struct ptx_native_launch *launch,
                               const struct ptx_native_block *block)
{
    const struct ptx_native_turn *const turns =
        (const struct ptx_native_turn *)(uintptr_t)block->turns;
    uint32_t live = 0;
    for (uint32_t i = 0; i < block->end; i++)
        live += turns[i].lanes == UINT32_MAX ? (uint32_t)LANES : count_of(turns[i].lanes);
    clem_native_block_meets(launch, block, live);
}

void clem_native_block_ends(const struct ptx_native_launch *launch, struct ptx_native_block *block)
{
    ptx_phase_end(block);
    tell_block(launch, block, CLEM_CHECK_END, 0, 0, 0);
}
