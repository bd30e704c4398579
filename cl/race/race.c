/* Accesses: what is kept of them, and which of them nothing orders.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/race/race.h"

#include <string.h>

#include "cl/race/race_state.h"

/* The access at hand, as it concerns 4 bytes. */
struct now {
    struct ocl_race *race;
    struct ocl_race_block *block;
    uint32_t thread;
    const struct ocl_race_access *access;
    uint64_t address; /* of the first of the bytes */
    struct slot slot;
    uint32_t clear; /* accesses until then are ordered before this one */
    uint32_t old;   /* and until then before all that come */
};

static uint32_t thread_of(struct slot slot)
{
    return slot.word & SLOT_THREAD;
}

static bool is_of_block(struct now *now, struct slot slot)
{
    if (slot.time >= now->block->turn)
        return true;
    return slot.time > now->block->begin &&
           race_run(now->race, slot.time)->serial == now->block->serial;
}

static bool is_own(struct now *now, struct slot slot)
{
    return thread_of(slot) == now->thread && is_of_block(now, slot);
}

static bool is_met(const struct ocl_race_block *block, uint32_t thread, struct slot slot)
{
    const uint32_t other = thread_of(slot), w = thread / 32, v = other / 32;
    const struct warp *warp = &block->warps[w];
    if (other == thread || slot.time <= block->barrier)
        return true;
    if (w != v)
        return block->rows && slot.time <= block->rows[w * WARPS + v];
    return slot.time <= warp->time ||
           (warp->rows && slot.time <= warp->rows[thread % 32 * 32 + other % 32]);
}

static bool is_ordered(struct now *now, struct slot slot)
{
    struct ocl_race_block *block = now->block;
    const bool is_ours = is_of_block(now, slot);
    if (is_ours && is_met(block, now->thread, slot))
        return true;
    const struct run *run = is_ours ? NULL : race_run(now->race, slot.time);
    if (run && run->launch != block->launch &&
        race_is_behind(now->race, block->launch, run->launch))
        return true;
    const uint32_t knows = block->all[now->thread].knows;
    if ((block->knows | knows) == 0)
        return false;
    const uint32_t serial = run ? run->serial : block->serial;
    return race_knows(now->race, knows, serial, thread_of(slot), slot.time) ||
           race_knows(now->race, block->knows, serial, thread_of(slot), slot.time);
}

static bool is_strong_pair(struct now *now, struct slot slot, bool *is_scope)
{
    if (!(slot.word & now->slot.word & SLOT_STRONG))
        return false;
    *is_scope = (slot.word | now->slot.word) & SLOT_NARROW && !is_of_block(now, slot);
    return !*is_scope;
}

/* Lanes that come to one place together write in no order; at others, in that of the text. */
static enum ocl_race_kind kind_of(struct now *now, struct slot slot)
{
    const uint32_t writes = slot.word & now->slot.word & SLOT_WRITES;
    const uint32_t written = now->slot.word & SLOT_WRITES ? now->slot.word : slot.word;
    if (writes ? now->access->is_same : (written & SLOT_SAME) != 0)
        return OCL_RACE_SAME;
    const bool is_one_warp = thread_of(slot) / 32 == now->thread / 32 && is_of_block(now, slot);
    return is_one_warp && slot.word >> SLOT_SITE_AT != now->slot.word >> SLOT_SITE_AT
               ? OCL_RACE_WARP
               : OCL_RACE_DIFFERS;
}

/* What is read before a loop that compares and swaps may be anything: the atomic operation finds out. */
static bool is_in_doubt(const struct now *now, struct slot slot)
{
    return !now->access->writes && !(now->slot.word & SLOT_STRONG) && slot.word & SLOT_STRONG;
}

static void doubt(struct now *now, const struct ocl_race_report *found)
{
    if (now->block->doubts == DOUBTS)
        race_end_doubts(now->race, now->block);
    now->block->doubt[now->block->doubts++] = *found;
    now->race->look.relaxed = 0;
}

/* The thread has an atomic operation where it read. */
static void forget_doubts(struct ocl_race_block *block, uint32_t thread,
                          const struct ocl_race_access *access)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < block->doubts; i++) {
        const struct ocl_race_report *d = &block->doubt[i];
        if (d->now.thread != thread || d->is_shared != access->is_shared ||
            d->address < access->address || d->address >= access->address + access->bytes)
            block->doubt[kept++] = *d;
    }
    block->doubts = kept;
}

static uint64_t pair_of(struct now *now, struct slot slot)
{
    const uint32_t mine = now->slot.word, its = slot.word;
    const bool is_plain = !((mine | its) & SLOT_STRONG) && !now->access->is_shared;
    return is_plain && mine >> SLOT_SITE_AT != 0 && its >> SLOT_SITE_AT != 0
               ? CLEM_RACE_PAIR(mine, its, (uint32_t)kind_of(now, slot))
               : 0;
}

static void report(struct now *now, struct slot slot, bool is_scope)
{
    const struct run *run = race_run(now->race, slot.time);
    const uint32_t both = (slot.word & now->slot.word & SLOT_BYTES) >> SLOT_BYTES_AT;
    const uint32_t first = (uint32_t)__builtin_ctz(both);
    const struct ocl_race_report found = {
        .kind = kind_of(now, slot),
        .now = {.site = now->access->site,
                .block = now->block->number,
                .launch = now->block->launch,
                .thread = now->thread,
                .writes = now->access->writes,
                .is_strong = now->access->is_strong},
        .before = {.site = now->race->sites[slot.word >> SLOT_SITE_AT],
                   .block = run->block,
                   .launch = run->launch,
                   .thread = thread_of(slot),
                   .writes = slot.word & SLOT_WRITES,
                   .is_strong = slot.word & SLOT_STRONG},
        .address = now->address / 4 * 4 + first,
        .bytes = (uint32_t)__builtin_popcount(both),
        .is_shared = now->access->is_shared,
        .is_scope = is_scope,
        .pair = pair_of(now, slot),
    };
    if (is_in_doubt(now, slot))
        doubt(now, &found);
    else
        now->race->reporter(now->race->user, &found);
}

/* Whether the access is no race with an earlier one. */
static bool compare(struct now *now, struct slot slot)
{
    bool is_scope = false;
    if (!((slot.word | now->slot.word) & SLOT_WRITES) || is_strong_pair(now, slot, &is_scope) ||
        is_ordered(now, slot))
        return true;
    report(now, slot, is_scope);
    return false;
}

/* An atomic operation that is ordered before a plain access was at the place after the earlier atomic one: whoever counts in last
 * may set the counter back. */
__attribute__((nonnull)) static bool has_taken(struct now *now, const struct cell *cell,
                                               struct slot earlier)
{
    const uint32_t strong = SLOT_WRITES | SLOT_STRONG,
                   both = earlier.word & now->slot.word & SLOT_BYTES;
    if ((earlier.word & strong) != strong || now->slot.word & SLOT_STRONG)
        return false;
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct slot slot = cell->slots[i];
        if ((slot.word & strong) == strong && (slot.word & both) == both &&
            slot.time > earlier.time && (is_own(now, slot) || is_ordered(now, slot)))
            return true;
    }
    return false;
}

/* ---- What is kept ---- */

/* Whoever is no race with the access at hand is none with the earlier one, or what is will be found by the new one. */
static bool is_replaced(struct now *now, struct slot slot)
{
    const uint32_t mine = now->slot.word;
    if (slot.word & SLOT_BYTES & ~mine)
        return false;
    if (slot.word & SLOT_WRITES && !(mine & SLOT_WRITES))
        return false;
    if (mine & SLOT_STRONG && !(slot.word & SLOT_STRONG))
        return mine & SLOT_WRITES && !(slot.word & SLOT_WRITES) && is_own(now, slot);
    if (slot.word & SLOT_STRONG && mine & SLOT_STRONG && (slot.word ^ mine) & SLOT_NARROW &&
        slot.word & SLOT_NARROW)
        return false;
    if (is_own(now, slot))
        return true;
    if (mine & SLOT_WRITES)
        return !(mine & SLOT_STRONG);
    return slot.time <= now->clear || (is_of_block(now, slot) && slot.time <= now->block->barrier);
}

/* Which of several has to go, the highest first: reads, one of the same warp before others; then strong writes, of which there
 * are many; a plain write only for a write. Of those alike the oldest. */
static unsigned rank(struct now *now, struct slot slot)
{
    if (slot.word & SLOT_WRITES)
        return slot.word & SLOT_STRONG ? 1 : 0;
    if (!is_of_block(now, slot))
        return 2;
    return thread_of(slot) / 32 == now->thread / 32 ? 4 : 3;
}

/* Whether all bytes that one has others have as well, the new one or such as are in no order with it. */
static bool is_of_others(const struct now *now, const struct cell *cell, int which)
{
    uint32_t words = now->slot.word;
    for (int i = 0; i < SLOTS; i++)
        if (i != which &&
            (cell->slots[i].time > now->clear || !(cell->slots[i].word & SLOT_WRITES)))
            words |= cell->slots[i].word;
    return !(cell->slots[which].word & SLOT_BYTES & ~words);
}

/* What wrote before the launch of one that reads: the oldest, or NULL. */
static struct slot *written_before(const struct now *now, struct cell *cell)
{
    struct slot *oldest = NULL;
    for (int i = 0; i < SLOTS && !(now->slot.word & SLOT_WRITES); i++) {
        struct slot *const slot = &cell->slots[i];
        if (slot->word & SLOT_WRITES && slot->time <= now->clear &&
            (!oldest || slot->time < oldest->time))
            oldest = slot;
    }
    return oldest;
}

/* Of parts of the 4 bytes, rather one whose bytes others have. */
static struct slot *victim(struct now *now, struct cell *cell)
{
    enum { OF_OTHERS = 8 };
    struct slot *chosen = NULL;
    unsigned best = 0;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *slot = &cell->slots[i];
        const unsigned kind = rank(now, *slot),
                       its = kind > 1 && is_of_others(now, cell, i) ? kind + OF_OTHERS : kind;
        if (its == 0 && !(now->slot.word & SLOT_WRITES))
            continue;
        if (!chosen || its > best || (its == best && slot->time < chosen->time)) {
            chosen = slot;
            best = its;
        }
    }
    struct slot *const earlier = best < OF_OTHERS ? written_before(now, cell) : NULL;
    return earlier ? earlier : chosen;
}

/* Among those that nothing orders before all that come: where the access is now; SLOTS: nowhere. */
static unsigned check_live(struct now *now, struct cell *cell)
{
    const struct cell before = *cell; /* as the access came */
    struct slot *place = NULL;
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *slot = &cell->slots[i];
        if (slot->time > now->old) {
            if (slot->time > now->clear && slot->word & now->slot.word & SLOT_BYTES &&
                !is_own(now, *slot) && !has_taken(now, &before, *slot))
                compare(now, *slot);
            if (!is_replaced(now, *slot))
                continue;
            slot->time = 0;
        }
        place = place ? place : slot;
    }
    if (!place)
        place = victim(now, cell);
    if (place)
        *place = now->slot;
    return place ? (unsigned)(place - cell->slots) : SLOTS;
}

/* The newest of a cell, where the access at hand did not become it. */
static unsigned newest_of(const struct cell *cell)
{
    unsigned newest = 0;
    for (unsigned i = 1; i < SLOTS; i++)
        if (cell->slots[i].time > cell->slots[newest].time)
            newest = i;
    return newest;
}

static void check_cell(struct now *now, struct page *page)
{
    race_close_row(now->race, page, now->address);
    struct cell cell = race_cell(page, now->address);
    for (unsigned i = 0; i < SLOTS; i++)
        if (cell.slots[i].time == now->slot.time && cell.slots[i].word == now->slot.word)
            return;
    const unsigned place = check_live(now, &cell);
    race_put_cell(page, now->address, &cell, place < SLOTS ? place : newest_of(&cell), now->old);
}

/* Most sites came before. */
static inline uint32_t site_bits(struct ocl_race *race, uint64_t site)
{
    struct clem_race_site *recent = &race->look.sites[site % CLEM_RACE_SITES];
    if (recent->site != site)
        *recent = (struct clem_race_site){site, (ulong)race_site(race, site) << SLOT_SITE_AT};
    return (uint32_t)recent->bits;
}

static uint32_t word_of(struct ocl_race *race, uint32_t thread,
                        const struct ocl_race_access *access)
{
    const bool is_strong = access->is_strong || (access->is_volatile && !access->writes);
    return thread | (access->writes ? SLOT_WRITES : 0u) | (is_strong ? SLOT_STRONG : 0u) |
           (access->is_narrow && is_strong ? SLOT_NARROW : 0u) |
           (access->is_same && !access->is_shared ? SLOT_SAME : 0u) | site_bits(race, access->site);
}

static uint32_t bytes_at(uint64_t first, uint64_t end, uint64_t word)
{
    const uint64_t low = first > word ? first - word : 0, high = end < word + 4 ? end - word : 4;
    return ((1u << high) - 1) & ~((1u << low) - 1);
}

static struct page *page_for(const struct now *now, uint64_t address)
{
    return now->access->is_shared ? race_shared_page_for(now->race, now->block, address)
                                  : race_page_for(now->race, address);
}

static void check_cells(struct now *now)
{
    const uint64_t first = now->access->address, end = first + now->access->bytes;
    const uint32_t word = now->slot.word;
    for (uint64_t at = first / 4 * 4; at < end; at += 4) {
        struct page *page = page_for(now, at);
        now->address = at;
        now->slot.word = word | bytes_at(first, end, at) << SLOT_BYTES_AT;
        if (page)
            check_cell(now, page);
    }
}

void ocl_race_access(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                     const struct ocl_race_access *access)
{
    if (!block)
        return;
    race_turn(race, block);
    struct now now = {.race = race, .block = block, .thread = thread, .access = access};
    now.old = access->is_shared ? block->barrier : race->launch_begin;
    now.clear = access->is_shared ? block->barrier : block->clear;
    now.slot = (struct slot){race->look.time, word_of(race, thread, access)};
    if (access->bytes == 0)
        (void)page_for(&now, access->address);
    check_cells(&now);
    if (access->is_strong && access->reads && access->writes)
        forget_doubts(block, thread, access);
    if (access->is_strong || access->is_volatile)
        race_strong(race, block, thread, access);
}

/* ---- What is no thread's ---- */

/* Bytes that all of one command goes to, and what was last asked of a launch. */
struct sought {
    struct ocl_race *race;
    const struct ocl_race_order *order;
    uint64_t first, end;
    bool writes;
    uint32_t launch; /* 0: none yet */
    bool is_before;
    struct ocl_race_report *found;
};

static bool is_before(struct sought *s, const struct run *run)
{
    if (!s->order)
        return false;
    if (s->launch != run->launch) {
        s->launch = run->launch;
        s->is_before = race_is_before(s->race, run->launch, s->order);
    }
    return s->is_before;
}

static bool find_in_cell(struct sought *s, struct page *page, uint64_t at)
{
    race_close_row(s->race, page, at);
    const struct cell cell = race_cell(page, at);
    const uint32_t bytes = bytes_at(s->first, s->end, at);
    for (int i = 0; i < SLOTS; i++) {
        const struct slot slot = cell.slots[i];
        const uint32_t both = slot.word >> SLOT_BYTES_AT & bytes;
        if (slot.time <= s->race->launch_begin || !(s->writes || slot.word & SLOT_WRITES) ||
            both == 0)
            continue;
        const struct run *run = race_run(s->race, slot.time);
        if (is_before(s, run))
            continue;
        *s->found = (struct ocl_race_report){
            .kind = OCL_RACE_DIFFERS,
            .before = {.site = s->race->sites[slot.word >> SLOT_SITE_AT],
                       .block = run->block,
                       .launch = run->launch,
                       .thread = thread_of(slot),
                       .writes = slot.word & SLOT_WRITES,
                       .is_strong = slot.word & SLOT_STRONG},
            .address = at + (uint64_t)__builtin_ctz(both),
            .bytes = (uint32_t)__builtin_popcount(both),
        };
        return true;
    }
    return false;
}

/* Whether none of a row's accesses is one that is sought; false: its cells have to be asked. */
static bool has_none(struct sought *s, struct page *page, uint64_t at)
{
    uint32_t count;
    race_settle_row(s->race, page, at);
    const struct ptx_row_access *listed =
        ptx_row_listed((uint64_t *)(void *)page->first, at, &count);
    for (uint32_t i = 0; listed && i < count; i++)
        if (listed[i].time > s->race->launch_begin && (s->writes || listed[i].word & SLOT_WRITES) &&
            !is_before(s, race_run(s->race, listed[i].time)))
            return false;
    return listed != NULL;
}

/* Where what is to be looked at goes on. */
static uint64_t behind(struct sought *s, struct page *page, uint64_t at)
{
    if (!page)
        return (at / PAGE_BYTES + 1) * PAGE_BYTES;
    return has_none(s, page, at) ? (at / PTX_ROW_BYTES + 1) * PTX_ROW_BYTES : at;
}

bool ocl_race_find(struct ocl_race *race, const struct ocl_race_order *order, uint64_t address,
                   uint64_t bytes, bool writes, struct ocl_race_report *found)
{
    struct sought s = {.race = race,
                       .order = order,
                       .first = address,
                       .end = address + bytes,
                       .writes = writes,
                       .found = found};
    if (order && ocl_race_are_all_before(race, order))
        return false;
    for (uint64_t at = address / 4 * 4; at < s.end;) {
        struct page *page = race_page(race, at);
        const uint64_t next = behind(&s, page, at);
        if (next == at && find_in_cell(&s, page, at))
            return true;
        at = next == at ? at + 4 : next;
    }
    return false;
}
