/* Rows: noting accesses, leaving out those that others stand for, and making cells of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/library/rows.h"

#include <string.h>

enum { OTHERS = CLEM_RACE_SLOTS - 1, WARPS = 32 };

_Static_assert(sizeof(struct ptx_row_access) == 24, "one for each cell, where its others are");
_Static_assert(sizeof(struct ptx_row) <= PTX_ROW_CELLS * sizeof(uint64_t), "where first slots are");

const struct ptx_row_access *ptx_row_listed(uint64_t *cells, uint64_t address, uint32_t *count)
{
    const struct ptx_row *const row = ptx_row_of(cells, address);
    *count = row->count;
    return ptx_row_is_open(row) ? ptx_row_accesses(cells, row) : NULL;
}

static uint32_t warp_of(const struct ptx_row_access *a)
{
    return (a->word & CLEM_RACE_THREAD) / 32;
}

static bool is_single(const struct ptx_row_access *a)
{
    return (a->lanes & (a->lanes - 1)) == 0;
}

static bool writes(const struct ptx_row_access *a)
{
    return a->word & CLEM_RACE_WRITES;
}

/* How many, where they are the first ones. */
static int32_t lanes_of(const struct ptx_row_access *a)
{
    return a->lanes == UINT32_MAX ? 32 : __builtin_ctz(~a->lanes);
}

/* Whether both have each cell in the same thread. */
static inline bool is_alike(const struct ptx_row_access *a, const struct ptx_row_access *b)
{
    const bool is_one = a->bytes != 0 || is_single(a);
    return ((a->word ^ b->word) & CLEM_RACE_THREAD) == 0 && a->start == b->start &&
           a->stride == b->stride && a->bytes == b->bytes && is_one &&
           (a->bytes != 0 || a->lanes == b->lanes);
}

static inline bool is_before(const struct ptx_row_times *t, uint32_t first, uint32_t last)
{
    return last <= t->clear || (first >= t->turn && last <= t->barrier);
}

static inline bool is_passed(const struct ptx_row_times *t, const struct ptx_row_access *earlier,
                             const struct ptx_row_access *now)
{
    return is_before(t, earlier->time, earlier->time) ||
           (earlier->time >= t->turn && is_alike(earlier, now));
}

/* Whether it is a race that was reported. Source: kind_of() of cl/race/race.c */
static bool is_reported(const struct ptx_row_times *t, const struct ptx_row_access *earlier,
                        const struct ptx_row_access *now)
{
    enum { DIFFERS, SAME, WARP };
    const bool is_one_warp = warp_of(earlier) == warp_of(now) && earlier->time >= t->turn;
    const bool is_one_site = (earlier->word ^ now->word) >> CLEM_RACE_SITE_AT == 0;
    const uint32_t written = writes(now) ? now->word : earlier->word;
    const uint32_t kind = written & CLEM_RACE_SAME      ? SAME
                          : is_one_warp && !is_one_site ? WARP
                                                        : DIFFERS;
    const uint64_t pair = CLEM_RACE_PAIR(now->word, earlier->word, kind);
    return t->reported && t->reported[CLEM_RACE_PAIR_PLACE(pair)] == pair;
}

/* Cells of which an access takes each byte, as far as that is seen at once: where the first lanes are side by side. */
static uint32_t whole_of(const struct ptx_row_access *a)
{
    if (a->bytes == 0 || a->bytes >= 4)
        return a->cells;
    if (a->stride != a->bytes || a->lanes & (a->lanes + 1))
        return 0;
    const int32_t end = a->start + a->bytes * lanes_of(a);
    const int32_t first = a->start > 0 ? (a->start + 3) / 4 : 0;
    const int32_t behind = end < PTX_ROW_BYTES ? end / 4 : PTX_ROW_CELLS;
    return first < behind ? (uint32_t)((1ull << behind) - (1ull << first)) : 0;
}

/* ---- Making cells ---- */

typedef uint64_t slots[PTX_ROW_CELLS][CLEM_RACE_SLOTS];

/* Bytes of a cell's accesses but one, and but for those that wrote until `clear`, and of a new one; all other bits. */
static uint32_t others_bytes(const uint64_t *cell, unsigned without, uint64_t slot, uint32_t clear)
{
    uint32_t words = (uint32_t)(slot >> 32);
    for (unsigned i = 0; i < CLEM_RACE_SLOTS; i++)
        if (i != without && ((uint32_t)cell[i] > clear || !(cell[i] >> 32 & CLEM_RACE_WRITES)))
            words |= (uint32_t)(cell[i] >> 32);
    return words | ~CLEM_RACE_BYTES;
}

/* What wrote until `clear`: the oldest. */
static unsigned written_before(const uint64_t *cell, uint32_t clear)
{
    unsigned oldest = CLEM_RACE_SLOTS;
    for (unsigned i = 0; i < CLEM_RACE_SLOTS; i++)
        if (cell[i] >> 32 & CLEM_RACE_WRITES && (uint32_t)cell[i] <= clear &&
            (oldest == CLEM_RACE_SLOTS || (uint32_t)cell[i] < (uint32_t)cell[oldest]))
            oldest = i;
    return oldest;
}

/* Which of a cell's accesses a new one takes the place of; rather one whose bytes others have, too. Source: victim() and is_replaced() of cl/race/race.c */
static unsigned place_for(const uint64_t *cell, uint64_t slot, const struct ptx_row_times *t)
{
    const uint32_t turn = t->turn;
    unsigned chosen = CLEM_RACE_SLOTS;
    uint64_t best = 0;
    for (unsigned i = 0; i < CLEM_RACE_SLOTS; i++) {
        const uint32_t time = (uint32_t)cell[i], differs = (uint32_t)((cell[i] ^ slot) >> 32);
        const bool is_ours = time >= turn && (uint32_t)slot >= turn;
        const uint32_t word = (uint32_t)(cell[i] >> 32);
        if (time == 0)
            return i;
        if (word & CLEM_RACE_WRITES && !(slot >> 32 & CLEM_RACE_WRITES))
            continue;
        if (is_ours && !(differs & CLEM_RACE_THREAD) &&
            !(word & ~(uint32_t)(slot >> 32) & CLEM_RACE_BYTES))
            return i;
        const uint64_t rank = word & CLEM_RACE_WRITES             ? 1
                              : !is_ours                          ? 2
                              : differs & CLEM_RACE_THREAD & ~31u ? 3
                                                                  : 4;
        const bool is_of_same = !(word & ~others_bytes(cell, i, slot, t->clear));
        const uint64_t key = (rank | (is_of_same ? 8u : 0u)) << 32 | (uint32_t)~time;
        if (key > best) {
            best = key;
            chosen = i;
        }
    }
    const bool is_of_same = best >> 32 & 8u || slot >> 32 & CLEM_RACE_WRITES;
    const unsigned earlier = is_of_same ? CLEM_RACE_SLOTS : written_before(cell, t->clear);
    return earlier < CLEM_RACE_SLOTS ? earlier : chosen;
}

/* Whether a read is ordered before one of the same bytes, by the block's barrier or its launch. */
static bool is_read_again(const struct ptx_row_times *t, uint64_t earlier, uint64_t slot)
{
    const uint32_t time = (uint32_t)earlier, later = (uint32_t)slot;
    const bool is_met = time >= t->turn && time <= t->barrier && later > t->barrier;
    return !((earlier | slot) >> 32 & CLEM_RACE_WRITES) &&
           (is_met || (time <= t->clear && later > t->clear)) &&
           !(earlier >> 32 & ~(slot >> 32) & CLEM_RACE_BYTES);
}

static void put_in_cell(uint64_t *cell, uint64_t slot, const struct ptx_row_times *t)
{
    for (unsigned i = 0; i < CLEM_RACE_SLOTS; i++)
        if (is_read_again(t, cell[i], slot))
            cell[i] = 0;
    /* What a write stands for: it came when all of them were ordered before it. */
    for (unsigned i = 0; slot >> 32 & CLEM_RACE_WRITES && i < CLEM_RACE_SLOTS; i++)
        if (!(cell[i] >> 32 & ~(slot >> 32) & CLEM_RACE_BYTES))
            cell[i] = 0;
    const unsigned at = place_for(cell, slot, t);
    if (at < CLEM_RACE_SLOTS)
        cell[at] = slot;
}

static uint64_t slot_of(const struct ptx_row_access *a, unsigned lane, uint32_t bytes)
{
    return (uint64_t)(a->word + lane + (bytes << CLEM_RACE_BYTES_AT)) << 32 | a->time;
}

static void put_lane(slots to, const struct ptx_row_access *a, unsigned lane,
                     const struct ptx_row_times *t)
{
    const int32_t first = a->start + (int32_t)lane * a->stride;
    if (a->bytes == 0) {
        for (uint32_t rest = a->cells; rest != 0; rest &= rest - 1)
            put_in_cell(to[__builtin_ctz(rest)], slot_of(a, lane, 15), t);
        return;
    }
    const uint32_t bytes = a->bytes < 4 ? ((1u << a->bytes) - 1) << ((uint32_t)first & 3u) : 15u;
    for (int32_t at = first; at < first + a->bytes; at += 4)
        if (at >= 0 && at < PTX_ROW_BYTES)
            put_in_cell(to[at / 4], slot_of(a, lane, bytes), t);
}

/* As the cell lies in memory: the newest first. */
static void store_cell(uint64_t *first, uint64_t *others, const uint64_t *cell)
{
    unsigned newest = 0, count = 0;
    for (unsigned i = 0; i < CLEM_RACE_SLOTS; i++) {
        count += cell[i] != 0;
        newest = (uint32_t)cell[i] > (uint32_t)cell[newest] ? i : newest;
    }
    const uint64_t state = count > 1 ? CLEM_RACE_ANY : CLEM_RACE_ALONE;
    *first = count ? cell[newest] | state << 32 : 0;
    for (unsigned i = 0, to = 0; i < CLEM_RACE_SLOTS; i++)
        if (i != newest)
            others[to++] = cell[i];
}

/* Of lanes that read one place two are enough. */
static uint32_t needed_lanes(const struct ptx_row_access *a)
{
    if (a->bytes != 0 || writes(a) || is_single(a))
        return a->lanes;
    return (a->lanes & -a->lanes) | 1u << (31 - __builtin_clz(a->lanes));
}

static void make_cells(uint64_t *cells, struct ptx_row *row, const struct ptx_row_times *t)
{
    slots made = {{0}};
    const struct ptx_row_access *const listed = ptx_row_accesses(cells, row);
    for (uint32_t i = 0; i < row->count; i++)
        for (uint32_t rest = needed_lanes(&listed[i]); rest != 0; rest &= rest - 1)
            put_lane(made, &listed[i], (unsigned)__builtin_ctz(rest), t);
    uint64_t *const first = (uint64_t *)(void *)row;
    uint64_t *const others = (uint64_t *)(void *)ptx_row_accesses(cells, row);
    for (size_t i = 0; i < PTX_ROW_CELLS; i++)
        store_cell(first + i, others + i * OTHERS, made[i]);
}

void ptx_row_forget(uint64_t *cells, uint64_t address)
{
    memset(ptx_row_of(cells, address), 0, PTX_ROW_CELLS * sizeof *cells);
}

void ptx_row_close(uint64_t *cells, uint64_t address, const struct ptx_row_times *times)
{
    struct ptx_row *const row = ptx_row_of(cells, address);
    if (ptx_row_is_open(row))
        make_cells(cells, row, times);
}

/* ---- Noting ---- */

static bool is_all_old(const uint64_t *first, uint32_t old)
{
    uint32_t newer = 0;
    for (unsigned i = 0; i < PTX_ROW_CELLS; i++)
        newer |= (uint32_t)first[i] > old;
    return newer == 0;
}

static void empty(struct ptx_row *row)
{
    memset(row, 0, offsetof(struct ptx_row, mapped)); /* what is behind is not looked at */
    row->mark = CLEM_RACE_ROW;
}

/* Where all is old there is a list again; a warp that comes first in its launch tries to make one. */
static bool is_open_now(uint64_t *cells, uint64_t address, const struct ptx_row_times *t,
                        const struct ptx_row_access *a)
{
    struct ptx_row *const row = ptx_row_of(cells, address);
    const uint64_t *const first = (const uint64_t *)(const void *)row;
    if (ptx_row_is_open(row)) {
        if (row->time <= t->old)
            empty(row);
        return true;
    }
    if ((uint32_t)first[0] <= t->old && is_all_old(first, t->old)) {
        empty(row);
        return true;
    }
    if ((uint32_t)first[0] > t->clear || !(a->cells & 1) || is_single(a))
        return false;
    ptx_row_open(cells, address);
    return ptx_row_is_open(row);
}

static void note_writes(struct ptx_row *row, const struct ptx_row_access *listed)
{
    row->written = row->last_write = 0;
    row->first_write = UINT32_MAX;
    for (uint32_t i = 0; i < row->count; i++)
        if (writes(&listed[i])) {
            row->written |= listed[i].cells;
            row->last_write = listed[i].time;
            row->first_write =
                row->first_write < listed[i].time ? row->first_write : listed[i].time;
        }
}

static uint64_t bytes_of_half(uint64_t cells)
{
    cells = (cells | cells << 24) & 0x000000ff000000ffu;
    cells = (cells | cells << 12) & 0x000f000f000f000fu;
    cells = (cells | cells << 6) & 0x0303030303030303u;
    return ((cells | cells << 3) & 0x1111111111111111u) * 15;
}

static ptx_row_bytes bytes_of_cells(uint32_t cells)
{
    return (ptx_row_bytes)bytes_of_half(cells >> 16) << 64 | bytes_of_half(cells & 0xffff);
}

ptx_row_bytes ptx_row_bytes_of(const struct ptx_row_access *a)
{
    ptx_row_bytes bytes = 0;
    if (a->bytes == 0 || a->bytes >= 4)
        return bytes_of_cells(a->cells);
    if (a->stride == a->bytes && (a->lanes & (a->lanes + 1)) == 0)
        return ptx_row_between(a->start, a->start + a->bytes * lanes_of(a));
    for (uint32_t rest = a->lanes; rest != 0; rest &= rest - 1) {
        const int32_t at = a->start + a->stride * __builtin_ctz(rest);
        bytes |= ptx_row_between(at, at + a->bytes);
    }
    return bytes;
}

/* Bytes that later accesses have which are kept. */
struct covered {
    const struct ptx_row_times *t;
    uint32_t time, warp;
    ptx_row_bytes here[2];  /* at this time by threads of the warp: by one, by two, */
    ptx_row_bytes other[2]; /* and by those of others */
    ptx_row_bytes times[2]; /* at one other time, at two */
};

static void go_back_to(struct covered *c, uint32_t time)
{
    const ptx_row_bytes any = c->here[0] | c->other[0];
    if (c->time == time || (c->time >= c->t->turn && time >= c->t->turn))
        return;
    c->times[1] |= c->times[0] & any;
    c->times[0] |= any;
    c->here[0] = c->here[1] = c->other[0] = c->other[1] = 0;
    c->time = time;
}

/* Bytes of which one more read finds no race that those do not. */
static ptx_row_bytes enough_for(const struct covered *c, const struct ptx_row_access *a)
{
    const ptx_row_bytes any = c->here[0] | c->other[0];
    if (a->time <= c->t->clear)
        return c->times[0] | any;
    if (a->time < c->t->turn)
        return c->times[1] | any;
    return c->times[1] | (c->here[0] & c->other[0]) |
           (warp_of(a) == c->warp ? c->here[1] : c->other[1]);
}

/* Of reads, those at two times are enough, and of the block that runs those of two warps, and of two threads of each; one where they
 * are ordered before its launch. */
static bool is_wanted(struct covered *c, const struct ptx_row_access *a)
{
    const ptx_row_bytes bytes = ptx_row_bytes_of(a);
    if (writes(a))
        return true;
    go_back_to(c, a->time);
    if (!(bytes & ~enough_for(c, a)))
        return false;
    if (!(c->here[0] | c->other[0]))
        c->warp = warp_of(a);
    ptx_row_bytes *const by = warp_of(a) == c->warp ? c->here : c->other;
    by[1] |= bytes & by[0];
    by[0] |= bytes;
    return true;
}

/* Whether threads of the block that runs have read all of it again. */
static bool is_repeated(const struct ptx_row_access *a, const struct ptx_row_access *later,
                        uint32_t count, uint32_t turn)
{
    for (uint32_t i = 0; i < count && a->time >= turn && !writes(a); i++)
        if (is_alike(&later[i], a) && !writes(&later[i]) && !(a->lanes & ~later[i].lanes) &&
            !(a->cells & ~later[i].cells))
            return true;
    return false;
}

/* Of a list that is gone through: one more that stays. */
static void keep(struct ptx_row *row, struct ptx_row_access *listed,
                 const struct ptx_row_access *access)
{
    listed[row->count++] = *access;
    row->singles += is_single(access);
}

/* Leaves out reads of blocks of the launch that have ended, where other such ones have the same bytes. */
static void leave_out_ended(struct ptx_row *row, struct ptx_row_access *listed,
                            const struct ptx_row_times *t)
{
    ptx_row_bytes bytes[PTX_ROW_ACCESSES], later[PTX_ROW_ACCESSES + 1], before = 0;
    uint32_t kept = 0;
    later[row->count] = 0;
    for (uint32_t i = row->count; i-- > 0;) {
        const bool is_ended = listed[i].time >= t->alone && listed[i].time < t->turn;
        bytes[i] = is_ended && !writes(&listed[i]) ? ptx_row_bytes_of(&listed[i]) : 0;
        later[i] = later[i + 1] | bytes[i];
    }
    for (uint32_t i = 0; i < row->count; i++) {
        const bool is_wanted = bytes[i] == 0 || bytes[i] & ~(before | later[i + 1]);
        before |= is_wanted ? bytes[i] : 0;
        listed[kept] = listed[i];
        kept += is_wanted ? 1 : 0;
    }
    row->count = kept;
}

static void leave_out(struct ptx_row *row, struct ptx_row_access *listed,
                      const struct ptx_row_times *t)
{
    if (t->alone != 0)
        leave_out_ended(row, listed, t);
    struct covered c = {.t = t, .time = row->time};
    struct ptx_row_access wanted[PTX_ROW_ACCESSES];
    uint32_t kept = PTX_ROW_ACCESSES;
    for (uint32_t i = row->count; i-- > 0;)
        if (!is_repeated(&listed[i], wanted + kept, PTX_ROW_ACCESSES - kept, t->turn) &&
            is_wanted(&c, &listed[i]))
            wanted[--kept] = listed[i];
    const uint32_t count = PTX_ROW_ACCESSES - kept;
    if (count > PTX_ROW_ACCESSES * 3 / 4) /* it would soon be full again */
        return;
    memcpy(listed, wanted + kept, count * sizeof *listed);
    row->count = 0;
    row->singles = 0;
    for (uint32_t i = 0; i < count; i++)
        keep(row, listed, &listed[i]);
}

static void add(struct ptx_row *row, struct ptx_row_access *listed,
                const struct ptx_row_access *access)
{
    ptx_row_copy(&listed[row->count++], access);
    row->singles += is_single(access);
    row->time = access->time;
}

/* From now on there may be something in what is seldom used. */
static void begin_more(struct ptx_row *row)
{
    if (row->has_more)
        return;
    row->has_more = true;
    row->mapped = row->size != 0 ? row->own : 0;
    row->pair = row->others = row->twice = 0;
}

/* Of all times until now. */
static ptx_row_bytes all_read(const struct ptx_row *row)
{
    return row->own | (row->has_more ? row->others : 0) | (row->has_past ? row->mine : 0);
}

/* What was read until now was so before that. */
static void go_on_to(struct ptx_row *row, const struct ptx_row_times *t, uint32_t time)
{
    const bool has_past = t->alone != 0 && row->alone == t->alone;
    if (row->time == time)
        return;
    if (has_past) {
        const bool are_written = row->written != 0 && row->last_write > t->clear;
        const ptx_row_bytes any = all_read(row), settled = row->has_past ? row->settled : 0;
        const ptx_row_bytes ended = are_written ? any & ~bytes_of_cells(row->written) : any;
        row->mine = row->time >= t->turn ? any : 0;
        row->settled = row->time >= t->turn ? settled : settled | ended;
    }
    row->alone = t->alone;
    row->has_past = has_past;
    row->has_more = false;
    row->own = 0;
    row->size = 0;
    row->time = time;
}

/* Bytes that another thread of the warp read, too, as far as is seen. */
static ptx_row_bytes read_by_two(struct ptx_row *row, const struct ptx_row_access *a,
                                 ptx_row_bytes bytes)
{
    const int32_t thread = (int32_t)(a->word & CLEM_RACE_THREAD);
    const int32_t origin = a->start - thread * a->bytes;
    if (is_single(a)) {
        const int32_t at = a->bytes != 0 ? a->start : __builtin_ctz(a->cells) * 4;
        const bool is_one = row->size != 0 && (at - row->origin) / (int32_t)row->size == thread;
        return is_one || a->cells & (a->cells - 1) ? 0 : bytes & row->mapped;
    }
    if (a->bytes == 0)
        return bytes;
    if (a->stride != a->bytes)
        return 0;
    if (row->size == 0) {
        row->size = a->bytes;
        row->origin = origin;
    }
    if (row->size != a->bytes)
        return 0;
    if (row->origin != origin)
        return bytes & row->mapped;
    row->mapped |= bytes;
    return 0;
}

/* The first that is read at a time. */
static bool note_first(struct ptx_row *row, const struct ptx_row_access *a, ptx_row_bytes bytes)
{
    const bool is_dense = a->bytes != 0 && a->stride == a->bytes && !is_single(a);
    if (row->own != 0 || row->has_more || (a->bytes == 0 && !is_single(a)))
        return false;
    row->own = bytes;
    row->warp = (uint8_t)warp_of(a);
    row->size = is_dense ? a->bytes : 0;
    row->origin = a->start - (int32_t)(a->word & CLEM_RACE_THREAD) * a->bytes;
    return true;
}

/* Of what has been added, or was there. */
static void note_read(struct ptx_row *row, const struct ptx_row_access *a, ptx_row_bytes bytes)
{
    const uint32_t warp = warp_of(a);
    if (note_first(row, a, bytes))
        return;
    begin_more(row);
    if (warp < row->warp && (row->own | row->others) != 0) {
        row->twice |= bytes & row->own;
        row->others |= bytes;
        return;
    }
    if (warp != row->warp) {
        row->others |= row->own;
        row->mapped = row->own = row->pair = 0;
        row->size = 0;
        row->warp = (uint8_t)warp;
    }
    row->pair |= read_by_two(row, a, bytes);
    row->twice |= bytes & row->others;
    row->own |= bytes;
}

/* Of bytes that are written. */
static void forget_reads(struct ptx_row *row, ptx_row_bytes bytes)
{
    row->own &= ~bytes;
    if (row->has_more) {
        row->mapped &= ~bytes;
        row->pair &= ~bytes;
        row->others &= ~bytes;
        row->twice &= ~bytes;
    }
    if (row->has_past) {
        row->mine &= ~bytes;
        row->settled &= ~bytes;
    }
}

/* Whether the row's latest access is one more of the same. */
static inline bool is_one_more(struct ptx_row_access *last, const struct ptx_row_access *a)
{
    if (last->shape != a->shape || last->lanes != a->lanes || last->time != a->time ||
        (last->word ^ a->word) & (CLEM_RACE_THREAD | CLEM_RACE_WRITES))
        return false;
    if (!writes(a) && !(a->cells & ~last->cells))
        return true;
    if (last->word != a->word || a->bytes != 0)
        return false;
    last->cells |= a->cells;
    return true;
}

/* Loops that are unrolled come to one after the other in several places. What nobody has read may be one more of the same only where
 * that one was expected. */
static bool is_one_of_latest(struct ptx_row *row, struct ptx_row_access *listed,
                             const struct ptx_row_access *a, ptx_row_bytes bytes)
{
    const bool is_known = !(bytes & ~(row->own | (row->has_more ? row->others : 0)));
    const uint32_t most = is_known || a->bytes == 0 ? 8 : 2;
    const uint32_t fewest = row->count > most ? row->count - most : 0;
    if (row->next < row->count && is_one_more(&listed[row->next], a)) {
        row->next++;
        return true;
    }
    for (uint32_t i = row->count; i-- > fewest && listed[i].time == a->time;)
        if (is_one_more(&listed[i], a)) {
            row->next = i + 1;
            return true;
        }
    return false;
}

/* Where threads come one by one, cells are as good. */
static bool is_scattered(const struct ptx_row *row, const struct ptx_row_access *a)
{
    enum { MANY_READS = 8, MANY_WRITES = 4 };
    return row->singles >= (writes(a) ? MANY_WRITES : MANY_READS) && is_single(a);
}

/* Of what came before the launch of one that reads. */
static void replace_reads(struct ptx_row *row, struct ptx_row_access *listed, uint32_t whole)
{
    const uint32_t count = row->count;
    row->count = row->singles = 0;
    for (uint32_t i = 0; i < count; i++)
        if (writes(&listed[i]) || listed[i].cells & ~whole)
            keep(row, listed, &listed[i]);
}

/* Whether it is a race that was not reported; of those that were, the cells. */
static bool races_with_writes(const struct ptx_row *row, const struct ptx_row_access *listed,
                              const struct ptx_row_times *t, const struct ptx_row_access *a,
                              uint32_t *reported)
{
    for (uint32_t i = 0; i < row->count; i++) {
        if (!(a->cells & listed[i].cells) || !writes(&listed[i]) || is_passed(t, &listed[i], a))
            continue;
        if (!is_reported(t, &listed[i], a))
            return true;
        *reported |= listed[i].cells;
    }
    return false;
}

static bool read_row(struct ptx_row *row, struct ptx_row_access *listed,
                     const struct ptx_row_times *t, const struct ptx_row_access *a,
                     ptx_row_bytes bytes)
{
    uint32_t raced = 0;
    if (a->cells & row->written && !is_before(t, row->first_write, row->last_write) &&
        races_with_writes(row, listed, t, a, &raced))
        return false;
    if (row->time <= t->clear && row->count > 0)
        replace_reads(row, listed, whole_of(a) & ~raced);
    go_on_to(row, t, a->time);
    if (row->has_past && !(bytes & ~row->settled))
        return true;
    if (!is_one_of_latest(row, listed, a, bytes)) {
        if (is_scattered(row, a))
            return false;
        add(row, listed, a);
    }
    if (raced != 0) /* other instructions that read there race, too */
        bytes &= ~bytes_of_cells(raced);
    note_read(row, a, bytes);
    return true;
}

/* Whether what comes, lanes of one warp at one instruction, stands for an earlier access. */
static bool is_replaced(const struct ptx_row_access *earlier, const struct ptx_row_access *now,
                        uint32_t count, uint32_t whole)
{
    bool is = !(earlier->cells & ~whole);
    for (uint32_t i = 0; i < count; i++)
        is |= is_alike(earlier, &now[i]) && !(earlier->lanes & ~now[i].lanes) &&
              !(earlier->cells & ~now[i].cells);
    return is;
}

static bool may_write(const struct ptx_row *row, const struct ptx_row_access *listed,
                      const struct ptx_row_times *t, const struct ptx_row_access *a)
{
    if (is_scattered(row, a))
        return false;
    for (uint32_t i = 0; i < row->count; i++)
        if (a->cells & listed[i].cells && !is_passed(t, &listed[i], a) &&
            !is_reported(t, &listed[i], a))
            return false;
    return true;
}

static bool write_row(struct ptx_row *row, struct ptx_row_access *listed,
                      const struct ptx_row_times *t, const struct ptx_row_access *a, uint32_t count)
{
    const uint32_t before = row->count;
    uint32_t whole = 0, cells = 0;
    if (before > 0 && count == 1 && memcmp(&listed[before - 1], a, sizeof *a) == 0)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        if (!may_write(row, listed, t, &a[i]))
            return false;
        whole |= whole_of(&a[i]);
        cells |= a[i].cells;
    }
    row->count = row->singles = 0;
    for (uint32_t i = 0; i < before; i++)
        if (!is_replaced(&listed[i], a, count, whole))
            keep(row, listed, &listed[i]);
    go_on_to(row, t, a->time);
    for (uint32_t i = 0; i < count; i++)
        add(row, listed, &a[i]);
    if (row->own != 0 || row->has_more || row->has_past)
        forget_reads(row, bytes_of_cells(cells));
    note_writes(row, listed);
    return true;
}

/* A list that is made of cells. */
struct making {
    struct ptx_row_access made[PTX_ROW_ACCESSES];
    uint32_t count;
};

/* One more lane of an access that is there, or another one. */
static bool make_lane(struct making *m, uint64_t slot, uint32_t at, uint32_t bytes)
{
    const uint32_t word = (uint32_t)(slot >> 32) & ~CLEM_RACE_BYTES,
                   thread = word & CLEM_RACE_THREAD;
    for (uint32_t i = m->count; i-- > 0;) {
        struct ptx_row_access *const a = &m->made[i];
        const int32_t from = a->start;
        const uint32_t reach = at - (uint32_t)from, lane = reach / bytes;
        if (a->time == (uint32_t)slot && a->bytes == bytes && lane < 32 && a->word + lane == word &&
            (a->word & CLEM_RACE_THREAD) / 32 == thread / 32 && reach % bytes == 0) {
            a->lanes |= (uint32_t)1 << lane;
            a->cells |= (uint32_t)1 << at / 4;
            return true;
        }
    }
    if (m->count == PTX_ROW_ACCESSES * 3 / 4)
        return false;
    m->made[m->count++] = (struct ptx_row_access){.time = (uint32_t)slot,
                                                  .word = word,
                                                  .lanes = 1,
                                                  .cells = 1u << at / 4,
                                                  .start = (int16_t)at,
                                                  .stride = (int16_t)bytes,
                                                  .bytes = (uint8_t)bytes};
    return true;
}

static bool make_slot(struct making *m, uint64_t slot, uint32_t cell)
{
    const uint32_t bytes = (uint32_t)(slot >> 32 & CLEM_RACE_BYTES) >> CLEM_RACE_BYTES_AT;
    if ((uint32_t)slot == 0)
        return true;
    if (bytes == 0 || slot >> 32 & (CLEM_RACE_STRONG | CLEM_RACE_NARROW))
        return false;
    const uint32_t first = (uint32_t)__builtin_ctz(bytes),
                   count = (uint32_t)__builtin_popcount(bytes);
    return count != 3 && bytes == ((1u << count) - 1) << first && first % count == 0 &&
           make_lane(m, slot, cell * 4 + first, count);
}

static bool make_cell(struct making *m, const uint64_t *first, const uint64_t *others,
                      uint32_t cell)
{
    const uint32_t word = (uint32_t)(first[cell] >> 32);
    const uint32_t state = CLEM_RACE_STATE | (word & CLEM_RACE_WRITES ? 0u : CLEM_RACE_FULL);
    bool is_made = make_slot(m, first[cell] & ~((uint64_t)state << 32), cell);
    if ((word & CLEM_RACE_STATE) != CLEM_RACE_ALONE && (uint32_t)first[cell] != 0)
        for (unsigned i = 0; i < OTHERS; i++)
            is_made = is_made && make_slot(m, others[cell * OTHERS + i], cell);
    return is_made;
}

/* Whether an access is neither the next thread's of the same kind as the cell's before, nor the same one. */
static bool is_break(uint64_t slot, uint64_t before)
{
    const uint64_t marks = (uint64_t)(CLEM_RACE_SAME | CLEM_RACE_STATE) << 32;
    const uint64_t differs = (slot & ~marks) - (before & ~marks);
    return differs != (uint64_t)1 << 32 && differs != 0;
}

/* Whether cells were come to one by one: no short list is as good as they are. */
static bool are_scattered(const uint64_t *first, const uint64_t *others)
{
    enum { MANY = 10 };
    uint32_t breaks = 0;
    for (uint32_t i = 1; i < PTX_ROW_CELLS; i++) {
        const uint32_t word = (uint32_t)(first[i] >> 32), before = (uint32_t)(first[i - 1] >> 32);
        const bool is_alone = (word & CLEM_RACE_STATE) == CLEM_RACE_ALONE,
                   was_alone = (before & CLEM_RACE_STATE) == CLEM_RACE_ALONE;
        breaks += is_break(first[i], first[i - 1]) ||
                  (!is_alone && (was_alone || is_break(others[(size_t)i * OTHERS],
                                                       others[(size_t)(i - 1) * OTHERS])));
    }
    return breaks >= MANY;
}

void ptx_row_open(uint64_t *cells, uint64_t address)
{
    struct ptx_row *const row = ptx_row_of(cells, address);
    struct ptx_row_access *const listed = ptx_row_accesses(cells, row);
    struct making m;
    m.count = 0;
    if (ptx_row_is_open(row))
        return;
    const uint64_t *const others = (const uint64_t *)(const void *)listed;
    if (are_scattered((const uint64_t *)(const void *)row, others))
        return;
    for (uint32_t i = 0; i < PTX_ROW_CELLS; i++)
        if (!make_cell(&m, (const uint64_t *)(const void *)row, others, i))
            return;
    empty(row);
    while (m.count > 0) { /* the oldest first */
        uint32_t oldest = 0;
        for (uint32_t i = 1; i < m.count; i++)
            oldest = m.made[i].time < m.made[oldest].time ? i : oldest;
        add(row, listed, &m.made[oldest]);
        m.made[oldest] = m.made[--m.count];
    }
    note_writes(row, listed);
}

/* Of most reads nothing else has to be looked at. */
static inline bool may_add(const struct ptx_row *row, const struct ptx_row_access *a)
{
    return ptx_row_is_open(row) && row->time == a->time && row->count < PTX_ROW_ACCESSES &&
           !writes(a) && !(a->cells & row->written) && !is_scattered(row, a);
}

/* Of a row with a list; false: there is no room, or it is closed. */
static bool has_room(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                     const struct ptx_row_access *a, uint32_t count)
{
    struct ptx_row *const row = ptx_row_of(cells, address);
    if (!is_open_now(cells, address, times, a))
        return false;
    if (row->count + count > PTX_ROW_ACCESSES)
        leave_out(row, ptx_row_accesses(cells, row), times);
    return row->count + count <= PTX_ROW_ACCESSES;
}

bool ptx_row_note(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                  const struct ptx_row_access *access, ptx_row_bytes bytes)
{
    struct ptx_row *const row = ptx_row_of(cells, address);
    struct ptx_row_access *const listed = ptx_row_accesses(cells, row);
    if (row->time != access->time) { /* the next one is probably what comes next */
        __builtin_prefetch((const uint64_t *)(const void *)row + PTX_ROW_CELLS, 1);
        __builtin_prefetch(listed + PTX_ROW_ACCESSES, 1);
    }
    if (may_add(row, access)) {
        if (!is_one_of_latest(row, listed, access, bytes))
            add(row, listed, access);
        note_read(row, access, bytes);
        return true;
    }
    if (has_room(cells, address, times, access, 1) &&
        (writes(access) ? write_row(row, listed, times, access, 1)
                        : read_row(row, listed, times, access, bytes)))
        return true;
    ptx_row_close(cells, address, times);
    return false;
}

bool ptx_row_note_both(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                       const struct ptx_row_access stores[2])
{
    struct ptx_row *const row = ptx_row_of(cells, address);
    if (has_room(cells, address, times, stores, 2) &&
        write_row(row, ptx_row_accesses(cells, row), times, stores, 2))
        return true;
    ptx_row_close(cells, address, times);
    return false;
}

bool ptx_row_note_still(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                        const struct ptx_row_access *access)
{
    struct ptx_row *const row = ptx_row_of(cells, address);
    if (!ptx_row_is_open(row) || row->mark == PTX_FRONT_MARK || row->time <= times->clear ||
        row->count == PTX_ROW_ACCESSES || (row->written != 0 && row->last_write > times->clear))
        return false;
    go_on_to(row, times, access->time);
    add(row, ptx_row_accesses(cells, row), access);
    return true;
}

/* ---- Fronts ---- */

_Static_assert(sizeof(struct ptx_front) <= PTX_ROW_CELLS * sizeof(uint64_t), "where a row is");

static void list(struct ptx_row *row, struct ptx_row_access *listed, const struct ptx_row_times *t,
                 const struct ptx_row_access *a)
{
    struct ptx_row_times its = *t;
    if (a->time < its.alone) /* of an earlier launch */
        its.alone = 0;
    go_on_to(row, &its, a->time);
    add(row, listed, a);
    if (writes(a))
        forget_reads(row, bytes_of_cells(a->cells));
    else
        note_read(row, a, ptx_row_bytes_of(a));
}

/* The oldest first; those of one time as they came. */
static void sort(struct ptx_row_access *kept, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct ptx_row_access own = kept[i];
        uint32_t to = i;
        for (; to > 0 && kept[to - 1].time > own.time; to--)
            kept[to] = kept[to - 1];
        kept[to] = own;
    }
}

void ptx_front_empty(uint64_t *cells, uint64_t address, const struct ptx_row_times *times)
{
    struct ptx_front front = *ptx_front_of(cells, address);
    struct ptx_row *const row = ptx_row_of(cells, address);
    struct ptx_row_access *const listed = ptx_row_accesses(cells, row);
    sort(front.kept, front.count);
    empty(row);
    for (uint32_t i = 0; i < front.count; i++)
        list(row, listed, times, &front.kept[i]);
    note_writes(row, listed);
}

/* Whether an access is another one of the same threads, of the same bytes each or fewer. */
static inline bool is_part_of(const struct ptx_row_access *a, const struct ptx_row_access *of)
{
    return is_alike(a, of) && !(a->lanes & ~of->lanes) && !(a->cells & ~of->cells);
}

/* What a new access makes of one that is kept. */
enum fate {
    STAYS,
    SHRINKS, /* it stays for cells that the new one does not take whole */
    GOES,
    IS_ENOUGH,
    IS_IN_DOUBT
};

/* Of one that is ordered before it. */
static inline enum fate fate_before(const struct ptx_row_access *kept,
                                    const struct ptx_row_access *a, uint32_t whole)
{
    if (!writes(a) && writes(kept))
        return STAYS;
    if (!(kept->cells & ~whole) || is_part_of(kept, a))
        return GOES;
    return kept->cells & whole && (kept->bytes == 0 || kept->bytes >= 4) ? SHRINKS : STAYS;
}

/* Whether it reads, by a block of the launch that has ended, and nothing orders those. */
static inline bool is_settled(const struct ptx_row_times *t, const struct ptx_row_access *kept)
{
    return !writes(kept) && t->alone != 0 && kept->time >= t->alone && kept->time < t->turn;
}

/* A new access; it is kept as some parts, of lanes each. */
struct newcomer {
    const struct ptx_row_access *all, *parts;
    uint32_t count, whole;
};

static bool are_reported(const struct ptx_row_times *t, const struct ptx_row_access *kept,
                         const struct newcomer *now)
{
    bool are = true;
    for (uint32_t i = 0; i < now->count; i++)
        are &= !(now->parts[i].cells & kept->cells) || is_reported(t, kept, &now->parts[i]);
    return are;
}

/* Of one that the launch made. */
static inline enum fate fate_within(const struct ptx_row_times *t,
                                    const struct ptx_row_access *kept, const struct newcomer *now)
{
    const struct ptx_row_access *const a = now->all;
    const bool is_met = kept->time >= t->turn && kept->time <= t->barrier;
    if (!writes(a) && kept->time == a->time && is_part_of(a, kept))
        return IS_ENOUGH;
    if (!writes(a) && is_settled(t, kept) && !(a->cells & ~whole_of(kept)))
        return IS_ENOUGH;
    if ((!writes(a) && !writes(kept)) || !(a->cells & kept->cells))
        return STAYS;
    if (kept->time >= t->turn && is_alike(kept, a))
        return writes(a) && is_part_of(kept, a) ? GOES : STAYS;
    if (is_met)
        return writes(a) ? fate_before(kept, a, now->whole) : STAYS;
    return are_reported(t, kept, now) ? STAYS : IS_IN_DOUBT;
}

static inline enum fate fate_of(const struct ptx_row_times *t, const struct ptx_row_access *kept,
                                const struct newcomer *now, uint32_t alone)
{
    if (kept->time <= t->old)
        return GOES;
    if (kept->time <= t->clear)
        return fate_before(kept, now->all, now->whole);
    return kept->time < alone ? IS_IN_DOUBT : fate_within(t, kept, now);
}

/* Whether two other warps read all of it at this time, of which *warp is the one that was seen before; WARPS: none was. */
static inline bool is_third_reader(const struct ptx_row_access *kept,
                                   const struct ptx_row_access *a, uint32_t *warp)
{
    const bool reads =
        !writes(a) && !writes(kept) && kept->time == a->time && !(a->cells & ~whole_of(kept));
    const bool is_third = reads && *warp != WARPS && *warp != warp_of(kept);
    *warp = reads ? warp_of(kept) : *warp;
    return is_third;
}

/* Bytes that the launch has read. */
static ptx_row_bytes read_since(const struct ptx_front *front, uint32_t alone)
{
    ptx_row_bytes bytes = 0;
    for (uint32_t i = 0; i < front->count; i++)
        if (front->kept[i].time >= alone)
            bytes |= ptx_row_bytes_of(&front->kept[i]);
    return bytes;
}

/* What an access makes of a front. */
struct outcome {
    enum fate fates[PTX_FRONT_ACCESSES];
    uint32_t kept;
    bool is_in_doubt, is_enough; /* it has to be settled; what is there stands for the access */
    bool shrinks;                /* some does */
};

static inline void weigh(struct outcome *o, const struct ptx_front *front,
                         const struct ptx_row_times *times, struct newcomer *now, uint32_t alone)
{
    uint32_t reader = WARPS;
    now->whole = front->count != 0 ? whole_of(now->all) : 0;
    o->kept = 0;
    o->is_in_doubt = o->is_enough = o->shrinks = false;
    for (uint32_t i = 0; i < front->count; i++) {
        const uint32_t time = front->kept[i].time;
        if (time > times->old && !(front->kept[i].cells & now->all->cells)) {
            o->fates[i] = STAYS;
            o->is_in_doubt |= time > times->clear && time < alone;
            o->kept++;
            continue;
        }
        o->fates[i] = fate_of(times, &front->kept[i], now, alone);
        o->is_in_doubt |= o->fates[i] == IS_IN_DOUBT;
        o->is_enough |=
            o->fates[i] == IS_ENOUGH || is_third_reader(&front->kept[i], now->all, &reader);
        o->kept += o->fates[i] <= SHRINKS;
        o->shrinks |= o->fates[i] == SHRINKS;
    }
}

/* Of those that are kept the one that has some of an access' cells; PTX_FRONT_ACCESSES: none has, or several have, or some matter to
 * nobody any more. */
static inline uint32_t only_met(const struct ptx_front *front, const struct ptx_row_times *times,
                                const struct ptx_row_access *a)
{
    uint32_t met = 0, last = PTX_FRONT_ACCESSES;
    bool are_old = false;
    for (uint32_t i = 0; i < front->count; i++) {
        const bool meets = (front->kept[i].cells & a->cells) != 0;
        are_old |= front->kept[i].time <= times->old;
        met += meets;
        last = meets ? i : last;
    }
    return met == 1 && !are_old ? last : PTX_FRONT_ACCESSES;
}

/* Whether an access takes the place of one from before its launch: what weigh() and put() make of most stores. All that came before the
 * launch is ordered before it, or of its own. */
static inline bool takes_place(struct ptx_front *front, const struct ptx_row_times *times,
                               const struct ptx_row_access *a, uint32_t alone)
{
    if (alone > times->clear + 1 || a->shape == 0 || !writes(a))
        return false;
    const uint32_t i = only_met(front, times, a);
    if (i == PTX_FRONT_ACCESSES || front->kept[i].time > times->clear ||
        fate_before(&front->kept[i], a, whole_of(a)) != GOES)
        return false;
    ptx_row_copy(&front->kept[i], a);
    return true;
}

static inline void put(struct ptx_front *front, const struct outcome *o, const struct newcomer *now)
{
    uint32_t to = 0;
    if (o->kept + 1 == front->count && !o->shrinks && now->count == 1 &&
        now->parts->shape !=
            0) { /* in the place of the one that goes; else what comes next may be added to it */
        while (o->fates[to] != GOES)
            to++;
        ptx_row_copy(&front->kept[to], now->parts);
        return;
    }
    for (uint32_t i = 0; i < front->count && (o->shrinks || o->kept != front->count); i++) {
        struct ptx_row_access *const kept = &front->kept[i];
        if (o->fates[i] == SHRINKS)
            kept->cells &= ~now->whole;
        if (o->fates[i] <= SHRINKS)
            front->kept[to++] = *kept;
    }
    for (uint32_t i = 0; i < now->count; i++)
        ptx_row_copy(&front->kept[o->kept + i], &now->parts[i]);
    front->count = o->kept + now->count;
}

/* Whether lanes that read one place did so next to it just before: these cells are added to that. */
static inline bool reads_on(struct ptx_front *front, const struct ptx_row_access *a)
{
    struct ptx_row_access *const last = &front->kept[front->count ? front->count - 1 : 0];
    if (front->count == 0 || (last->shape | a->shape) != 0 || last->time != a->time ||
        last->word != a->word || last->lanes != a->lanes || writes(a))
        return false;
    last->cells |= a->cells;
    return true;
}

/* What an access leaves of a list from before its launch. false: it is too much. */
static bool take_list(struct ptx_front *front, const struct ptx_row_access *listed,
                      const struct ptx_row_times *t, const struct ptx_row_access *a)
{
    enum { MOST = 2 };
    const uint32_t whole = whole_of(a), count = ((const struct ptx_row *)(void *)front)->count;
    const struct ptx_row_access *kept[MOST];
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (listed[i].time <= t->old || fate_before(&listed[i], a, whole) == GOES)
            continue;
        if (kept_count == MOST)
            return false;
        kept[kept_count++] = &listed[i];
    }
    front->mark = PTX_FRONT_MARK;
    front->count = kept_count;
    for (uint32_t i = 0; i < kept_count; i++)
        front->kept[i] = *kept[i];
    return true;
}

/* Whether a row has a front, or gets one now: where all is old, or from before the launch and written over. */
static inline bool is_in_use(struct ptx_front *front, uint64_t *cells, uint64_t address,
                             const struct ptx_row_times *t, const struct ptx_row_access *a)
{
    const struct ptx_row *const row = ptx_row_of(cells, address);
    const bool is_over = writes(a) && whole_of(a) == UINT32_MAX;
    if (front->mark == PTX_FRONT_MARK)
        return true;
    if (!ptx_front_may_be(cells, address, t->clear))
        return false;
    if (ptx_row_is_open(row))
        return take_list(front, ptx_row_accesses(cells, row), t, a);
    if (!is_all_old(&row->mark, is_over ? t->clear : t->old))
        return false;
    front->mark = PTX_FRONT_MARK;
    front->count = 0;
    return true;
}

bool ptx_front_note(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                    const struct ptx_row_access *access, ptx_row_bytes bytes, bool is_still,
                    uint32_t alone)
{
    struct ptx_front *const front = ptx_front_of(cells, address);
    struct newcomer now = {access, access, 1, 0};
    struct outcome o = {.kept = 0};
    if (!is_in_use(front, cells, address, times, access))
        return false;
    if (takes_place(front, times, access, alone))
        return true;
    weigh(&o, front, times, &now, alone);
    if (o.is_in_doubt || o.is_enough)
        return !o.is_in_doubt;
    if (is_still && o.kept != 0 && !(bytes & ~read_since(front, alone)))
        return true;
    if (reads_on(front, access))
        return true;
    if (o.kept == PTX_FRONT_ACCESSES)
        return false;
    put(front, &o, &now);
    return true;
}

bool ptx_front_note_both(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                         const struct ptx_row_access *access, const struct ptx_row_access both[2],
                         uint32_t alone)
{
    struct ptx_front *const front = ptx_front_of(cells, address);
    struct newcomer now = {access, both, 2, 0};
    struct outcome o = {.kept = 0};
    if (!is_in_use(front, cells, address, times, access))
        return false;
    weigh(&o, front, times, &now, alone);
    if (o.is_in_doubt || o.kept + 2 > PTX_FRONT_ACCESSES)
        return false;
    put(front, &o, &now);
    return true;
}

/* ---- What is noted late ---- */

static void load_cell(const uint64_t *first, const uint64_t *others, uint64_t *cell)
{
    const uint32_t word = (uint32_t)(*first >> 32);
    const uint32_t state = CLEM_RACE_STATE | (word & CLEM_RACE_WRITES ? 0u : CLEM_RACE_FULL);
    const bool is_alone = (word & CLEM_RACE_STATE) == CLEM_RACE_ALONE || (uint32_t)*first == 0;
    cell[0] = (uint32_t)*first != 0 ? *first & ~((uint64_t)state << 32) : 0;
    for (unsigned i = 0; i < OTHERS; i++)
        cell[1 + i] = is_alone ? 0 : others[i];
}

/* Among the accesses of cells, which have no order. */
static void put_in_cells(uint64_t *cells, uint64_t address, const struct ptx_row_times *t,
                         const struct ptx_row_access *a)
{
    slots made;
    struct ptx_row *const row = ptx_row_of(cells, address);
    uint64_t *const first = (uint64_t *)(void *)row;
    uint64_t *const others = (uint64_t *)(void *)ptx_row_accesses(cells, row);
    for (uint32_t i = 0; i < PTX_ROW_CELLS; i++)
        load_cell(first + i, others + (size_t)i * OTHERS, made[i]);
    for (uint32_t rest = needed_lanes(a); rest != 0; rest &= rest - 1)
        put_lane(made, a, (unsigned)__builtin_ctz(rest), t);
    for (uint32_t rest = a->cells; rest != 0; rest &= rest - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(rest);
        store_cell(first + i, others + (size_t)i * OTHERS, made[i]);
    }
}

/* Of what is in a front or a list. */
static uint32_t latest_of(uint64_t *cells, uint64_t address)
{
    const struct ptx_front *const front = ptx_front_of(cells, address);
    const struct ptx_row *const row = ptx_row_of(cells, address);
    uint32_t latest = 0;
    if (front->mark != PTX_FRONT_MARK)
        return ptx_row_is_open(row) ? row->time : 0;
    for (uint32_t i = 0; i < front->count; i++)
        latest = front->kept[i].time > latest ? front->kept[i].time : latest;
    return latest;
}

void ptx_row_note_late(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                       const struct ptx_row_access *access, ptx_row_bytes bytes, uint32_t alone)
{
    const bool is_late = latest_of(cells, address) > access->time;
    if (!is_late && ptx_front_may_be(cells, address, times->clear) &&
        ptx_front_note(cells, address, times, access, bytes, true, alone))
        return;
    ptx_front_settle(cells, address, times);
    if (!is_late && ptx_row_note(cells, address, times, access, bytes))
        return;
    ptx_row_close(cells, address, times);
    put_in_cells(cells, address, times, access);
}
