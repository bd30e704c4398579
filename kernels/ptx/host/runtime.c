/* What kernels in the native form call: blocks, warp after warp; and what programs call of the device library, lane after lane.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/runtime.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/host/native_runtime.h"

enum { LANES = 32, BARRIERS = 16 };

/* ---- Where a block's memory lies ---- */

static uint64_t round_up(uint64_t value)
{
    return (value + 63) & ~(uint64_t)63;
}

static uint32_t threads_of(const struct ptx_native_launch *l)
{
    return l->block[0] * l->block[1] * l->block[2];
}

/* Mostly all: without a function, which it is where processors may lack the instruction. */
static uint32_t count_of(uint32_t lanes)
{
    return lanes == UINT32_MAX ? LANES : lanes == 0 ? 0 : (uint32_t)__builtin_popcount(lanes);
}

static uint32_t warps_of(const struct ptx_native_launch *l)
{
    return (threads_of(l) + LANES - 1) / LANES;
}

enum { TID_BYTES = 3 * LANES * (int)sizeof(uint32_t) };

/* ---- Warps ---- */

/* A block that has begun. Where sums may wait it lies in the scratch from a launch's first run to its last. */
struct running {
    const struct ptx_native_launch *launch;
    struct running *next;       /* of those that take turns */
    void *own;                  /* its memory where that is its own */
    struct ptx_native_now *now; /* of the thread that runs it */
    struct ptx_native_turn *warps;
    uint32_t count;
    unsigned char *tids, *frames, *locals;
    uint64_t frame_bytes, local_bytes, sites, barriers;
    ptx_native_warp_function *function;
    enum ptx_native_sweep sweep;
    bool is_numbered;              /* threads, in `tids` */
    struct ptx_native_block block; /* the last: its end is filled in only where sums may wait */
};

/* Blocks whose warps wait for each other: some, of which the frames stay in a processor's caches. */
static uint32_t most_together(const struct ptx_native_launch *launch, uint64_t sweep)
{
    enum { MOST_WARPS = 64 };
    const uint32_t blocks = MOST_WARPS / warps_of(launch);
    return sweep != PTX_NATIVE_TOGETHER || blocks == 0 ? 1 : blocks;
}

/* Warps that wait for each other. */
static uint32_t warps_together(const struct running *r)
{
    return r->sweep == PTX_NATIVE_TOGETHER ? r->count * r->block.columns : r->count;
}

static uint64_t bytes_of(const struct ptx_native_launch *launch, uint64_t frame_bytes,
                         uint64_t local_bytes, uint64_t sweep)
{
    const uint64_t warps = warps_of(launch), all = warps * most_together(launch, sweep);
    return round_up(sizeof(struct ptx_native_now)) + round_up(launch->shared_bytes) +
           round_up(all * sizeof(struct ptx_native_turn)) + warps * TID_BYTES +
           all * (frame_bytes + LANES * local_bytes);
}

uint64_t clem_native_bytes(const struct ptx_native_launch *launch, uint64_t frame_bytes,
                           uint64_t local_bytes, uint64_t sweep, uint64_t later)
{
    const uint64_t bytes =
        bytes_of(launch, frame_bytes, local_bytes, sweep & ~(uint64_t)PTX_NATIVE_UNNUMBERED);
    return later ? later | (round_up(sizeof(struct running)) + bytes) : bytes;
}

static struct ptx_native_site *sites_of(const struct running *r, uint32_t warp)
{
    return (struct ptx_native_site *)(void *)(r->frames + warp * r->frame_bytes);
}

static inline void put_run(uint32_t *to, const uint32_t at[3], uint32_t run)
{
    for (uint32_t i = 0; i < run; i++) {
        to[i] = at[0] + i;
        to[LANES + i] = at[1];
        to[2 * LANES + i] = at[2];
    }
}

/* Threads of a row from the lane on, as far as both go. Compilers make vectors of what is as long as a warp. */
static uint32_t number_run(uint32_t *to, uint32_t lane, const uint32_t at[3], uint32_t row)
{
    const uint32_t rest = LANES - lane, left = row - at[0], run = rest < left ? rest : left;
    if (run == LANES)
        put_run(to, at, LANES);
    else
        put_run(to + lane, at, run);
    return run;
}

static void number_threads(const struct running *r)
{
    uint32_t at[3] = {0, 0, 0};
    const uint32_t *block = r->launch->block;
    for (uint32_t warp = 0; warp < r->count; warp++) {
        uint32_t *to = (uint32_t *)(void *)(r->tids + (size_t)warp * TID_BYTES);
        for (uint32_t lane = 0, run; lane < LANES; lane += run) {
            run = number_run(to, lane, at, block[0]);
            at[0] += run;
            if (at[0] < block[0])
                continue;
            at[0] = 0;
            if (++at[1] < block[1])
                continue;
            at[1] = 0;
            at[2]++;
        }
    }
}

static void begin_block(struct running *r)
{
    const uint32_t all = warps_together(r);
    if (!r->sites && !r->barriers)
        return;
    memset(r->block.arrived, 0, sizeof r->block.arrived);
    for (uint32_t i = 0; i < all; i++) {
        const bool is_last = (i + 1) % r->count == 0;
        const uint32_t lanes = is_last ? r->block.last_lanes : UINT32_MAX;
        r->warps[i] = (struct ptx_native_turn){.lanes = lanes, .live = lanes};
    }
}

static void run_warp(struct running *r, uint32_t index)
{
    struct ptx_native_block *b = &r->block;
    struct ptx_native_turn *w = &r->warps[index];
    b->frame = (uint64_t)(uintptr_t)(r->frames + index * r->frame_bytes);
    b->local = (uint64_t)(uintptr_t)(r->locals + index * (LANES * r->local_bytes));
    b->tids = b->own_tids = (uint64_t)(uintptr_t)(r->tids + (size_t)index * TID_BYTES);
    b->warp = index;
    b->site = w->site;
    b->lanes = w->lanes;
    b->result = w->result;
    w->site = r->function(r->launch, b);
    w->lanes = w->site ? b->lanes : 0;
}

/* ---- Barriers ---- */

/* Opens each barrier that all it waits for have come to; false: none. A warp counts as a whole one. */
static bool open_barriers(struct running *r)
{
    bool is_any = false;
    uint32_t live = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        live += (uint32_t)__builtin_popcount(r->warps[i].lanes);
        is_any |= r->warps[i].lanes != 0 && r->warps[i].number == PTX_NATIVE_TURN;
    }
    for (uint32_t number = 0; number < BARRIERS; number++) {
        uint32_t waiting = 0, weight = 0, expected = 0, votes = 0;
        for (uint32_t i = 0; i < r->count; i++) {
            const struct ptx_native_turn *w = &r->warps[i];
            if (w->lanes == 0 || w->number != number)
                continue;
            waiting += (uint32_t)__builtin_popcount(w->lanes);
            weight += LANES;
            expected = w->count > expected ? w->count : expected;
            votes += (uint32_t)__builtin_popcount(w->votes);
        }
        const bool is_open =
            expected ? weight + r->block.arrived[number] >= expected : waiting == live;
        if (waiting == 0 || !is_open)
            continue;
        is_any = true;
        r->block.arrived[number] = 0;
        for (uint32_t i = 0; i < r->count; i++)
            if (r->warps[i].lanes && r->warps[i].number == number) {
                r->warps[i].result = votes | waiting << 16;
                r->warps[i].number = BARRIERS; /* it goes on */
            }
    }
    return is_any;
}

/* Where the warps of a block are that have not ended. */
struct standing {
    bool has_ended; /* all have */
    bool is_plain;  /* at the barrier of all threads, without votes */
    uint32_t live;  /* threads */
    uint32_t site;  /* of the instruction that all wait at; 0: of several */
};

static struct standing standing_of(const struct running *r)
{
    uint32_t waits = 0, special = 0, live = 0, any = 0, all = UINT32_MAX; /* bits of sites */
    for (uint32_t i = 0; i < r->count; i++) {
        const struct ptx_native_turn *w = &r->warps[i];
        if (w->lanes == 0)
            continue;
        waits |= w->lanes;
        special |= w->number | w->count | w->votes;
        live += count_of(w->lanes);
        any |= w->site;
        all &= w->site;
    }
    return (struct standing){.has_ended = waits == 0,
                             .is_plain = special == 0,
                             .live = live,
                             .site = any == all ? any : 0};
}

/* The sites of a warp's own, where it lets others have their turn, open by themselves. */
static void come(struct ptx_native_turn *turn, uint32_t site, uint32_t barriers)
{
    turn->site = site;
    turn->number = site > barriers ? PTX_NATIVE_TURN : 0;
    turn->count = turn->votes = 0;
    if (site == 0)
        turn->lanes = 0;
}

uint64_t clem_native_come(const struct ptx_native_block *block, uint32_t from, uint32_t to,
                          uint32_t site, uint32_t common, uint32_t is_noted, uint32_t barriers)
{
    struct ptx_native_turn *turns = (struct ptx_native_turn *)(uintptr_t)block->turns;
    const bool waits = common != 0 && common != PTX_NATIVE_NOBODY;
    for (uint32_t i = block->first; !is_noted && i < block->end; i++) {
        turns[i] = (struct ptx_native_turn){.lanes = UINT32_MAX, .live = UINT32_MAX};
        if (i < from)
            come(&turns[i], common, barriers);
    }
    for (uint32_t i = from; i < to; i++)
        come(&turns[i], site, barriers);
    const bool is_mixed = site != 0 && waits && site != common;
    return (uint64_t)is_mixed << 32 | (site == 0 && waits ? common : site);
}

/* Runs warps that wait at a site, each as a whole. */
static uint32_t run_warps(struct running *r, uint32_t first, uint32_t end, uint32_t site,
                          bool is_together)
{
    struct ptx_native_block *b = &r->block;
    b->first = first;
    b->end = end;
    b->site = site;
    b->is_together = is_together;
    return r->function(r->launch, b);
}

/* Lets warps go on where all have come to the barrier of all threads. */
static void open_plain(struct running *r, uint32_t live)
{
    if (r->launch->checked != 0)
        clem_native_block_meets(r->launch, &r->block, live);
    for (uint32_t i = 0; i < r->count; i++) {
        r->warps[i].result = live << 16;
        r->warps[i].number = BARRIERS;
    }
}

/* The site that all warps which have not ended go on from; 0: not all go on, or from several. */
static uint32_t common_site(const struct running *r)
{
    uint32_t site = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct ptx_native_turn *w = &r->warps[i];
        if (w->lanes == 0)
            continue;
        if (w->number != BARRIERS || (site != 0 && w->site != site))
            return 0;
        site = w->site;
    }
    return site;
}

/* One block whose barriers nobody can come to ends as it is. */
static void run_turns(struct running *r)
{
    begin_block(r);
    uint32_t end = run_warps(r, 0, warps_together(r), 0, true);
    while (end == PTX_NATIVE_MIXED) {
        const struct standing s = standing_of(r);
        const bool is_simple = s.is_plain && r->block.arrived[0] == 0;
        if (s.has_ended)
            return;
        if (is_simple) {
            open_plain(r, s.live);
        } else if (!open_barriers(r)) {
            clem_native_stick(r->launch);
            return;
        }
        const uint32_t site = is_simple ? s.site : common_site(r);
        if (site != 0) {
            end = run_warps(r, 0, r->count, site, true);
            continue;
        }
        for (uint32_t i = 0; i < r->count; i++)
            if (r->warps[i].lanes && r->warps[i].number == BARRIERS)
                run_warps(r, i, i + 1, r->warps[i].site, false);
    }
}

static void run_block(struct running *r)
{
    const bool is_checked = r->launch->checked != 0;
    if (is_checked)
        clem_native_block_begins(r->launch, &r->block);
    run_turns(r);
    if (is_checked)
        clem_native_block_ends(r->launch, &r->block);
}

/* ---- Warps whose lanes may part ---- */

static uint32_t weight_of(const struct running *r, uint32_t warp, uint32_t there)
{
    return there == r->warps[warp].live ? LANES : (uint32_t)__builtin_popcount(there);
}

static uint32_t lanes_at(const struct running *r, uint32_t warp, uint32_t number)
{
    uint32_t lanes = 0;
    for (uint64_t i = 0; i < r->sites; i++)
        if (sites_of(r, warp)[i].number == number)
            lanes |= sites_of(r, warp)[i].lanes;
    return lanes;
}

struct gathering {
    uint32_t waiting, weight, expected, votes;
};

static struct gathering gather(const struct running *r, uint32_t number)
{
    struct gathering g = {0};
    for (uint32_t w = 0; w < r->count; w++) {
        const uint32_t there = lanes_at(r, w, number);
        if (!there)
            continue;
        g.waiting += (uint32_t)__builtin_popcount(there);
        g.weight += weight_of(r, w, there);
        for (uint64_t i = 0; i < r->sites; i++) {
            const struct ptx_native_site *site = &sites_of(r, w)[i];
            if (site->lanes && site->number == number && site->count > g.expected)
                g.expected = site->count;
            if (site->lanes && site->number == number)
                g.votes += (uint32_t)__builtin_popcount(site->votes & site->lanes);
        }
    }
    return g;
}

/* A bit for each barrier that lanes wait at. */
static uint32_t barriers_in_use(const struct running *r)
{
    uint32_t used = 0;
    for (uint32_t w = 0; w < r->count; w++)
        for (uint64_t i = 0; i < r->sites; i++)
            if (sites_of(r, w)[i].lanes)
                used |= 1u << sites_of(r, w)[i].number;
    return used & ((1u << BARRIERS) - 1u);
}

/* Lets lanes go on from the barriers that all have come to; false: from none. */
static bool open_parted(struct running *r, uint32_t live)
{
    bool is_any = false;
    for (uint32_t used = barriers_in_use(r); used != 0; used &= used - 1) {
        const uint32_t number = (uint32_t)__builtin_ctz(used);
        const struct gathering g = gather(r, number);
        const bool is_open =
            g.expected ? g.weight + r->block.arrived[number] >= g.expected : g.waiting == live;
        if (g.waiting == 0 || !is_open)
            continue;
        is_any = true;
        r->block.arrived[number] = 0;
        for (uint32_t w = 0; w < r->count; w++) {
            const uint32_t there = lanes_at(r, w, number);
            r->warps[w].lanes |= there;
            if (there)
                r->warps[w].result = g.votes | g.waiting << 16;
        }
    }
    return is_any;
}

/* live: lanes that have not ended. */
static uint32_t gathered(const uint32_t *members, uint32_t here, uint32_t live)
{
    uint32_t all = 0;
    for (uint32_t rest = here; rest != 0;) {
        const uint32_t named = members[__builtin_ctz(rest)];
        uint32_t group = 0;
        for (uint32_t others = rest; others != 0; others &= others - 1)
            if (members[__builtin_ctz(others)] == named)
                group |= others & -others;
        rest &= ~group;
        if ((named & live & ~group) == 0)
            all |= group;
    }
    return all;
}

uint32_t clem_native_gathered(const uint32_t members[LANES], uint32_t here)
{
    return gathered(members, here, UINT32_MAX);
}

/* Lets lanes of warps go on that all have come that they wait for. */
static bool open_meetings(struct running *r)
{
    bool is_any = false;
    for (uint32_t w = 0; w < r->count; w++) {
        const uint32_t here = r->warps[w].live ? lanes_at(r, w, PTX_NATIVE_MEETING) : 0;
        const uint32_t *members = (const uint32_t *)(const void *)(sites_of(r, w) + r->sites);
        const uint32_t open = here ? gathered(members, here, r->warps[w].live) : 0;
        r->warps[w].lanes |= open;
        is_any |= open != 0;
    }
    return is_any;
}

/* Where all lanes have come to the barrier of all threads, as mostly, lets them go on; false: they have not. */
static bool open_common(struct running *r, uint32_t live)
{
    uint32_t votes = 0;
    bool is = r->block.arrived[0] == 0;
    for (uint32_t w = 0; is && w < r->count; w++)
        for (uint64_t i = 0; r->warps[w].site && i < r->sites; i++) {
            const struct ptx_native_site *site = &sites_of(r, w)[i];
            is &= !site->lanes || (site->number == 0 && site->count == 0);
            votes += count_of(site->votes & site->lanes);
        }
    for (uint32_t w = 0; is && w < r->count; w++) {
        r->warps[w].lanes = r->warps[w].live;
        r->warps[w].result = votes | live << 16;
    }
    return is;
}

enum turn { TURN_ENDED, TURN_WAITS, TURN_GOES_ON };

/* Runs all warps that can go on, once. */
static enum turn run_parted(struct running *r)
{
    uint32_t live = 0;
    bool is_waiting = false;
    for (uint32_t w = 0; w < r->count; w++) {
        struct ptx_native_turn *warp = &r->warps[w];
        if (warp->lanes)
            run_warp(r, w);
        warp->live = 0;
        warp->lanes = 0;
        for (uint64_t i = 0; warp->site && i < r->sites; i++)
            warp->live |= sites_of(r, w)[i].lanes;
        live += count_of(warp->live);
    }
    if (live == 0)
        return TURN_ENDED;
    if (open_common(r, live))
        return TURN_GOES_ON;
    const bool has_met = open_meetings(r), is_open = open_parted(r, live) || has_met;
    for (uint32_t w = 0; w < r->count; w++) {
        const uint32_t turns = r->warps[w].site ? lanes_at(r, w, PTX_NATIVE_TURN) : 0;
        r->warps[w].lanes |= turns;
        is_waiting |= turns != 0;
    }
    if (!is_open && !is_waiting) {
        clem_native_stick(r->launch);
        return TURN_ENDED;
    }
    return is_open ? TURN_GOES_ON : TURN_WAITS;
}

/* ---- Blocks ---- */

static void place_block(struct running *r, unsigned char *at)
{
    const struct ptx_native_launch *launch = r->launch;
    r->block.shared = (uint64_t)(uintptr_t)at;
    at += round_up(launch->shared_bytes);
    r->warps = (struct ptx_native_turn *)(void *)at;
    const uint64_t all = (uint64_t)r->count * most_together(launch, r->sweep);
    at += round_up(all * sizeof *r->warps);
    r->tids = at;
    r->frames = at + (uint64_t)r->count * TID_BYTES;
    r->locals = r->frames + all * r->frame_bytes;
    r->block.tids = (uint64_t)(uintptr_t)r->tids;
    r->block.frame = (uint64_t)(uintptr_t)r->frames;
    r->block.local = (uint64_t)(uintptr_t)r->locals;
    r->block.turns = (uint64_t)(uintptr_t)r->warps;
    r->block.last_lanes = UINT32_MAX >> (r->count * LANES - threads_of(launch));
}

/* Runs of a launch that have the same scratch find there what the first has written. */
static void number_threads_once(const struct running *r)
{
    if (!r->is_numbered || r->now->numbered == r->tids)
        return;
    number_threads(r);
    r->now->numbered = r->tids;
}

static void note_block(const struct running *r)
{
    r->now->columns = &r->block.columns;
    atomic_store_explicit(&r->now->index, r->block.index, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

static void name_block(struct running *r, uint64_t number)
{
    const uint32_t *grid = r->launch->grid;
    const uint64_t row = number / grid[0];
    r->block.index[0] = (uint32_t)(number % grid[0]);
    r->block.index[1] = (uint32_t)(row % grid[1]);
    r->block.index[2] = (uint32_t)(row / grid[1]);
}

/* That of so many numbers on, in this row or at the start of the next. */
static void name_next(struct running *r, uint32_t columns)
{
    const uint32_t *grid = r->launch->grid;
    uint32_t *index = r->block.index;
    index[0] += columns;
    if (index[0] < grid[0])
        return;
    index[0] = 0;
    if (++index[1] < grid[1])
        return;
    index[1] = 0;
    index[2]++;
}

/* Memory of its own for a block beside those that wait; NULL: there is none. */
static struct running *room_beside(const struct running *like)
{
    const uint64_t bytes =
        bytes_of(like->launch, like->frame_bytes, like->local_bytes, like->sweep);
    struct running *made = malloc(sizeof *made);
    void *own = made ? aligned_alloc(64, round_up(bytes)) : NULL;
    if (!own) {
        free(made);
        return NULL;
    }
    *made = *like;
    made->own = own;
    place_block(made, own);
    number_threads(made);
    return made;
}

/* A block that waits most often waits for one that runs elsewhere, for a short while: only then does another begin, and where
 * that did not help the next one sooner. Blocks of a cooperative launch wait for all others: until these have begun nobody
 * leaves the processor, and yet not so soon that other threads come to take some. */
enum { TURNS_OF_BLOCK = 128, MOST_BESIDE = 1024, WAITS_BEFORE_NEXT = 32, WAITS_OF_LONG_TURN = 4 };

/* The next block to begin; false: there is none. */
static bool take_block(const struct running *r, uint64_t *next, uint64_t end, uint64_t *number)
{
    _Atomic uint64_t *begun = (_Atomic uint64_t *)(uintptr_t)r->launch->begun;
    if (*next < end) {
        *number = (*next)++;
        return true;
    }
    if (!begun || atomic_load(begun) >= r->launch->block_count)
        return false;
    *number = atomic_fetch_add(begun, 1);
    return *number < r->launch->block_count;
}

static void free_block(struct running *r, const struct running *first)
{
    if (r == first)
        return;
    free(r->own);
    free(r);
}

/* One more block beside those that wait, before them in the list; false: there is none, or no room. */
static bool begin_beside(const struct running *first, struct running **head, uint64_t *next,
                         uint64_t end)
{
    uint64_t number;
    struct running *made = room_beside(first);
    if (!made)
        return false;
    if (!take_block(first, next, end, &number)) {
        free_block(made, first);
        return false;
    }
    name_block(made, number);
    begin_block(made);
    made->next = *head;
    *head = made;
    return true;
}

/* As long as it gets on, though no longer than others may have to wait. */
static enum turn take_turn(struct running *r)
{
    enum turn turn = TURN_GOES_ON;
    note_block(r);
    for (int i = 0; i < TURNS_OF_BLOCK && turn == TURN_GOES_ON; i++)
        turn = run_parted(r);
    return turn;
}

/* ---- Threads of the host whose blocks wait ---- */

/* What one of them has at work. */
struct worker {
    struct running *first; /* what blocks begin as */
    struct running *head;  /* blocks that have begun, and not ended */
    uint64_t next, end;    /* blocks of its own that have not begun */
    uint64_t count;        /* that have */
    uint64_t waits_since;  /* no block has got on; nanoseconds, 0: one has */
    bool is_idle;          /* none for long */
    bool may_leave;        /* all blocks have memory of their own */
    int waits, patience;
};

static _Atomic uint64_t *workers_of(const struct worker *w)
{
    return (_Atomic uint64_t *)(uintptr_t)&w->first->launch->workers;
}

static _Atomic uint64_t *idle_workers_of(const struct worker *w)
{
    return (_Atomic uint64_t *)(uintptr_t)&w->first->launch->idle_workers;
}

static _Atomic uint64_t *handed_on_of(const struct worker *w)
{
    return (_Atomic uint64_t *)(uintptr_t)&w->first->launch->handed_on;
}

/* Takes the blocks that others have left. */
static void adopt_blocks(struct worker *w)
{
    struct running **end = &w->head;
    if (atomic_load(handed_on_of(w)) == 0)
        return;
    while (*end)
        end = &(*end)->next;
    *end = (struct running *)(uintptr_t)atomic_exchange(handed_on_of(w), 0);
    for (struct running *r = *end; r; r = r->next) {
        r->now = w->first->now;
        w->count++;
    }
}

/* Leaves its blocks to the others, whose last one never does so. false: it stays. */
static bool hand_on_blocks(struct worker *w)
{
    uint64_t there = atomic_load(workers_of(w)), others = atomic_load(handed_on_of(w));
    struct running *last = w->head;
    if (there < 2)
        return false;
    while (last->next)
        last = last->next;
    do
        last->next = (struct running *)(uintptr_t)others;
    while (!atomic_compare_exchange_weak(handed_on_of(w), &others, (uint64_t)(uintptr_t)w->head));
    w->head = NULL;
    w->count = 0;
    while (there > 1)
        if (atomic_compare_exchange_weak(workers_of(w), &there, there - 1))
            return true;
    adopt_blocks(w);
    return false;
}

/* Whether a worker that has ended with its blocks is done: who hands blocks on does so before it is gone, and who ends looks for
 * some when it is. */
static bool ends_work(struct worker *w)
{
    atomic_fetch_sub(workers_of(w), 1);
    if (atomic_load(handed_on_of(w)) == 0)
        return true;
    atomic_fetch_add(workers_of(w), 1);
    adopt_blocks(w);
    return false;
}

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clem_native_timer(void)
{
    return nanoseconds();
}

static bool has_more_to_begin(const struct worker *w)
{
    const struct ptx_native_launch *launch = w->first->launch;
    const _Atomic uint64_t *begun = (const _Atomic uint64_t *)(uintptr_t)launch->begun;
    return w->next < w->end || (begun && atomic_load(begun) < launch->block_count);
}

static void note_progress(struct worker *w)
{
    w->waits_since = 0;
    if (w->is_idle)
        atomic_fetch_sub(idle_workers_of(w), 1);
    w->is_idle = false;
}

/* Whether all workers' blocks have waited so long that the processor is better left to what they may wait for. */
static bool are_all_idle(struct worker *w)
{
    enum { LONG_NS = 100000000 };
    const uint64_t now = nanoseconds();
    if (w->waits_since == 0)
        w->waits_since = now;
    if (!w->is_idle && now - w->waits_since >= LONG_NS) {
        w->is_idle = true;
        atomic_fetch_add(idle_workers_of(w), 1);
    }
    return w->is_idle && atomic_load(idle_workers_of(w)) >= atomic_load(workers_of(w));
}

/* After a turn of each block: begins another, or waits. false: it has left its blocks to others. */
static bool end_round(struct worker *w)
{
    const bool is_cooperative = w->first->launch->is_cooperative;
    const bool is_due = w->waits >= w->patience && (is_cooperative || w->count < MOST_BESIDE);
    adopt_blocks(w);
    if (is_due) {
        w->waits = 0;
        w->patience = w->patience / 2;
    }
    if (is_due && begin_beside(w->first, &w->head, &w->next, w->end)) {
        w->count++;
        return true;
    }
    if (!is_due && is_cooperative)
        return true;
    if (w->may_leave && !has_more_to_begin(w) && are_all_idle(w) && hand_on_blocks(w)) {
        note_progress(w);
        return false;
    }
    sched_yield(); /* whom a block waits for, maybe */
    return true;
}

/* Gives each block turns, until none is left; false: until it has left them to others. */
static bool run_worker(struct worker *w)
{
    struct running **at = &w->head;
    uint64_t another;
    while (w->head && !clem_native_has_failed(w->first->launch)) {
        struct running *r = *at;
        const enum turn turn = take_turn(r);
        if (turn != TURN_WAITS)
            note_progress(w);
        if (turn == TURN_ENDED) {
            w->waits = 0;
            w->patience = WAITS_BEFORE_NEXT;
        }
        if (turn == TURN_ENDED && w->count == 1 &&
            take_block(w->first, &w->next, w->end, &another)) {
            name_block(r, another);
            begin_block(r);
            continue;
        }
        if (turn == TURN_ENDED) {
            *at = r->next;
            free_block(r, w->first);
            w->count--;
        } else {
            at = &r->next;
        }
        if (*at)
            continue;
        at = &w->head;
        w->waits += turn == TURN_GOES_ON ? WAITS_OF_LONG_TURN : 1;
        if (w->head && !end_round(w))
            return false;
    }
    while (w->head) {
        struct running *r = w->head;
        w->head = r->next;
        free_block(r, w->first);
    }
    return true;
}

/* Blocks whose threads may wait for others: one that waits leaves its turn to the next, which begins if it has not. */
static void run_in_turns(struct running *first, uint64_t number, uint64_t end)
{
    struct running *own = room_beside(first);
    struct worker w = {.first = first,
                       .head = own ? own : first,
                       .next = number + 1,
                       .end = end,
                       .count = 1,
                       .may_leave = own != NULL,
                       .patience = WAITS_BEFORE_NEXT};
    w.head->next = NULL;
    name_block(w.head, number);
    begin_block(w.head);
    atomic_fetch_add(workers_of(&w), 1);
    while (run_worker(&w) && !ends_work(&w))
        ;
    atomic_store_explicit(&first->now->index, NULL, memory_order_relaxed);
}

/* Blocks of a sweep: their rows of memory follow each other, long enough for the processor to foresee them, and are still near when
 * the next warp's turn comes. */
static uint32_t columns_of(const struct running *r, uint64_t most)
{
    enum { MOST_COLUMNS = 512 };
    const uint32_t row = r->launch->grid[0] - r->block.index[0];
    const uint32_t at_once = r->sweep == PTX_NATIVE_SWEPT || r->sweep == PTX_NATIVE_IN_ROWS
                                 ? MOST_COLUMNS
                                 : most_together(r->launch, r->sweep);
    const uint32_t columns = row < at_once ? row : at_once;
    return columns < most ? columns : (uint32_t)most;
}

/* ---- Sums that warps wait at ---- */

static struct ptx_native_ticket *next_ticket(const struct ptx_native_block *block,
                                             uint64_t frame_bytes, uint64_t ticket, uint32_t *warp)
{
    const struct ptx_native_turn *turns = (const struct ptx_native_turn *)(uintptr_t)block->turns;
    while (*warp < block->end && turns[*warp].site == 0)
        ++*warp;
    return *warp < block->end
               ? (struct ptx_native_ticket *)(uintptr_t)(block->frame + *warp * frame_bytes +
                                                         ticket)
               : NULL;
}

/* Warps that follow each other and add to the same word have one operation for all. */
void clem_native_draw(struct ptx_native_block *block, uint64_t frame_bytes, uint64_t ticket)
{
    uint32_t warp = block->first;
    struct ptx_native_ticket *first = next_ticket(block, frame_bytes, ticket, &warp);
    while (first) {
        const uint64_t at = first->at;
        uint32_t behind = warp, sum = 0;
        struct ptx_native_ticket *t = first;
        for (; t && t->at == at; ++behind, t = next_ticket(block, frame_bytes, ticket, &behind))
            sum += t->amount;
        uint32_t there =
            atomic_fetch_add_explicit((_Atomic uint32_t *)(uintptr_t)at, sum, memory_order_relaxed);
        for (t = first; t && t->at == at;
             ++warp, t = next_ticket(block, frame_bytes, ticket, &warp)) {
            const uint32_t amount = t->amount;
            t->amount = there;
            there += amount;
        }
        first = t;
    }
}

/* ---- Sums that wait for the end of all blocks ---- */

static struct ptx_native_row *rows_of(const struct running *r, uint32_t warp)
{
    return (struct ptx_native_row *)(void *)(r->frames + warp * r->frame_bytes);
}

void clem_native_add_row(struct ptx_native_row *row)
{
    _Atomic uint32_t *to = (_Atomic uint32_t *)(uintptr_t)row->at;
    for (int i = 0; row->at != UINT64_MAX && i < LANES; i++)
        if (row->sums[i] != 0)
            atomic_fetch_add_explicit(&to[i], row->sums[i], memory_order_relaxed);
    row->at = UINT64_MAX;
    memset(row->sums, 0, sizeof row->sums);
}

static void begin_sums(struct running *r)
{
    for (uint32_t i = 0; i < PTX_NATIVE_SUMS; i++)
        r->block.sums[i].at = UINT64_MAX;
}

static void add_sums(const struct running *r)
{
    for (uint32_t i = 0; i < PTX_NATIVE_SUMS; i++) {
        const struct ptx_native_sum *s = &r->block.sums[i];
        if (s->at != UINT64_MAX && s->bits == 32)
            atomic_fetch_add_explicit((_Atomic uint32_t *)(uintptr_t)s->at, (uint32_t)s->sum,
                                      memory_order_relaxed);
        else if (s->at != UINT64_MAX)
            atomic_fetch_add_explicit((_Atomic uint64_t *)(uintptr_t)s->at, s->sum,
                                      memory_order_relaxed);
    }
}

/* As the unit that adds to global memory has it. */
static uint32_t flushed(uint32_t word)
{
    return word & 0x7f800000u ? word : word & 0x80000000u;
}

static uint32_t sum_of_floats(uint32_t a, uint32_t b)
{
    float x, y;
    uint32_t sum;
    a = flushed(a);
    b = flushed(b);
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&sum, &x, sizeof sum);
    return flushed(sum);
}

static uint64_t sum_of_doubles(uint64_t a, uint64_t b)
{
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return a;
}

static void add_floats(const struct ptx_native_addends *list)
{
    _Atomic uint32_t *to = (_Atomic uint32_t *)(uintptr_t)list->at;
    uint32_t old = atomic_load_explicit(to, memory_order_relaxed), sum;
    do {
        sum = old;
        for (uint32_t i = 0; i < list->count; i++)
            sum = sum_of_floats(sum, (uint32_t)list->values[i]);
    } while (!atomic_compare_exchange_weak_explicit(to, &old, sum, memory_order_relaxed,
                                                    memory_order_relaxed));
}

static void add_doubles(const struct ptx_native_addends *list)
{
    _Atomic uint64_t *to = (_Atomic uint64_t *)(uintptr_t)list->at;
    uint64_t old = atomic_load_explicit(to, memory_order_relaxed), sum;
    do {
        sum = old;
        for (uint32_t i = 0; i < list->count; i++)
            sum = sum_of_doubles(sum, list->values[i]);
    } while (!atomic_compare_exchange_weak_explicit(to, &old, sum, memory_order_relaxed,
                                                    memory_order_relaxed));
}

static void add_list(struct ptx_native_addends *list)
{
    if (list->count > 0 && list->bits == 32)
        add_floats(list);
    else if (list->count > 0)
        add_doubles(list);
    list->count = 0;
}

void clem_native_add_later(struct ptx_native_block *block, uint64_t at, uint64_t value,
                           uint32_t bits)
{
    struct ptx_native_addends *list = &block->list;
    if (list->count == PTX_NATIVE_LIST || list->at != at || list->bits != bits)
        add_list(list);
    list->at = at;
    list->bits = bits;
    list->values[list->count++] = value;
}

static void begin_rows(const struct running *r, uint64_t rows)
{
    for (uint32_t warp = 0; rows > 0 && warp < r->count; warp++)
        for (uint64_t i = 0; i < rows; i++) {
            rows_of(r, warp)[i].at = UINT64_MAX;
            memset(rows_of(r, warp)[i].sums, 0, sizeof rows_of(r, warp)[i].sums);
        }
}

static void add_rows(const struct running *r, uint64_t rows)
{
    for (uint32_t warp = 0; rows > 0 && warp < r->count; warp++)
        for (uint64_t i = 0; i < rows; i++)
            clem_native_add_row(&rows_of(r, warp)[i]);
}

static void run_blocks(struct running *r, uint64_t first, uint64_t count)
{
    name_block(r, first);
    note_block(r);
    for (uint64_t i = 0; i < count; name_next(r, r->block.columns)) {
        const uint32_t column = r->block.index[0];
        r->block.columns = r->launch->is_apart ? 1 : columns_of(r, count - i);
        run_block(r);
        i += r->block.index[0] - column + r->block.columns;
    }
}

/* One of the runs that leave each other what waits. */
static void run_on(const struct running *fresh, unsigned char *scratch, uint64_t first,
                   uint64_t count, uint64_t rows)
{
    struct running *r = fresh->now->left;
    if (!r) {
        r = (struct running *)(void *)(scratch + round_up(sizeof *r->now));
        *r = *fresh;
        memset(r->block.sums, 0, sizeof r->block - offsetof(struct ptx_native_block, sums));
        r->now->left = r;
        place_block(r, (unsigned char *)r + round_up(sizeof *r));
        if (r->is_numbered)
            number_threads(r);
        begin_rows(r, rows);
        begin_sums(r);
    }
    if (count > 0) {
        run_blocks(r, first, count);
        return;
    }
    add_rows(r, rows);
    add_sums(r);
    add_list(&r->block.list);
}

void clem_native_blocks(const struct ptx_native_launch *launch, uint64_t first, uint64_t count,
                        void *scratch, ptx_native_warp_function *warp, uint64_t frame_bytes,
                        uint64_t local_bytes, uint64_t sites, uint64_t barriers, uint64_t sweep,
                        uint64_t rows, uint64_t later)
{
    struct running r;
    memset(&r, 0, offsetof(struct running, block) + offsetof(struct ptx_native_block, sums));
    r.launch = launch;
    r.now = scratch;
    r.count = warps_of(launch);
    r.frame_bytes = frame_bytes;
    r.local_bytes = local_bytes;
    r.sites = sites;
    r.barriers = barriers;
    r.function = warp;
    r.sweep = (enum ptx_native_sweep)(sweep & ~(uint64_t)PTX_NATIVE_UNNUMBERED);
    r.is_numbered = !(sweep & PTX_NATIVE_UNNUMBERED);
    if (later) {
        run_on(&r, scratch, first, count, rows);
        return;
    }
    place_block(&r, (unsigned char *)scratch + round_up(sizeof *r.now));
    number_threads_once(&r);
    r.block.columns = 1;
    if (sites && count > 0)
        run_in_turns(&r, first, first + count);
    else
        run_blocks(&r, first, count);
}

void clem_native_arrive(struct ptx_native_block *block, uint32_t lanes, uint32_t number,
                        uint32_t count)
{
    (void)count;
    if (lanes)
        block->arrived[number & (BARRIERS - 1)] += LANES;
}
