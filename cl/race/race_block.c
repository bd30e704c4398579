/* Blocks, and where their threads meet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/race/race_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- Launches ---- */

static void free_block(struct ocl_race_block *block)
{
    for (size_t i = 0; i < WARPS; i++)
        free(block->warps[i].rows);
    free(block->pages);
    free(block->rows);
    free(block->all);
    free(block);
}

static void free_blocks(struct ocl_race_block *block)
{
    while (block) {
        struct ocl_race_block *next = block->next;
        free_block(block);
        block = next;
    }
}

struct ocl_race *ocl_race_new(size_t most, ocl_race_reporter reporter, void *user)
{
    struct ocl_race *race = calloc(1, sizeof *race);
    if (!race)
        return NULL;
    race->reporter = reporter;
    race->user = user;
    race->most = most;
    race->look.time = 1;
    race_show(race);
    race->sites = calloc(SLOT_SITES, sizeof *race->sites);
    race->site_table = calloc((size_t)SLOT_SITES * 2, sizeof *race->site_table);
    if (race->sites && race->site_table)
        return race;
    ocl_race_free(race);
    return NULL;
}

void ocl_race_free(struct ocl_race *race)
{
    if (!race)
        return;
    free_blocks(race->open);
    free_blocks(race->kept);
    free(race->pages);
    race_free_pages(race);
    free(race->runs);
    free(race->spans);
    free(race->nodes);
    free(race->stack);
    free(race->releases);
    free(race->sites);
    free(race->site_table);
    free(race);
}

const struct clem_race_look *ocl_race_look(const struct ocl_race *race)
{
    return &race->look;
}

bool ocl_race_is_full(const struct ocl_race *race)
{
    return race->is_full;
}

static void empty_pages(struct page **pages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pages[i])
            memset(pages[i]->first, 0, sizeof pages[i]->first);
}

/* What is older than the times can count is forgotten, as is what threads knew: all of it is ordered before what comes. */
static void start_again(struct ocl_race *race)
{
    race->node_count = 0;
    race->launch_base = race->launches;
    race->alone = 0;
    race->run_count = race->run_last = 0;
    race->release_count = 0;
    race->look.relaxed = 1;
    if (race->releases)
        memset(race->releases, 0, race->release_room * sizeof *race->releases);
    if (race->look.time < UINT32_MAX / 2 && race->serial < UINT32_MAX / 2)
        return;
    empty_pages(race->pages, race->page_room);
    for (struct ocl_race_block *block = race->kept; block; block = block->next)
        empty_pages(block->pages, block->page_count);
    race->look.time = 1;
    race->serial = 0;
}

/* What has ended may be forgotten; it is where there is much of it. */
static bool may_start_again(const struct ocl_race *race, const struct ocl_race_order *order)
{
    enum { MANY_RUNS = 1 << 20 };
    if (order && order->told != 0)
        return false;
    return !order || order->forgets || race->launches == 0 || race->run_count > MANY_RUNS;
}

/* Whether all launches that began before the one at `at` are ordered before it. One that is itself so, and before it, stands for
 * those before that. */
static bool is_behind_all(const struct ocl_race *race, const struct ocl_race_order *order,
                          size_t at)
{
    while (at-- > 0) {
        const struct span *other = &race->spans[at];
        if (!other->has_order || other->position == 0 ||
            other->position > order->known[other->line])
            return false;
        if (other->clear != 0)
            return true;
    }
    return true;
}

static struct span *span_of(struct ocl_race *race, uint32_t launch)
{
    const size_t at = launch - race->launch_base - 1;
    return launch > race->launch_base && launch <= race->launches && at < race->span_room
               ? &race->spans[at]
               : NULL;
}

/* It is as old as the launch of the host's that it is a part of. What a kernel wrote over is nobody's. */
static void make_part(struct ocl_race *race, const struct ocl_race_order *order, struct span *span)
{
    const uint32_t parent = (uint32_t)(order->told >> 32), knows = (uint32_t)order->told;
    const struct span *const its = span_of(race, parent);
    if (!its || knows >= race->node_count)
        return;
    span->clear = its->clear;
    span->parent = order->is_tail ? its->parent : parent;
    span->knows = order->is_tail ? its->knows : knows;
}

static struct span span_for(struct ocl_race *race, const struct ocl_race_order *order, size_t at)
{
    struct span span = {.begin = ++race->look.time, .has_order = order != NULL};
    if (!order)
        return span;
    span.line = order->line;
    span.position = order->position;
    span.known = order->known;
    if (race->open_launches == 1 && order->position != 0 && is_behind_all(race, order, at))
        span.clear = span.begin;
    if (order->told != 0)
        make_part(race, order, &span);
    return span;
}

uint32_t ocl_race_launch_begin(struct ocl_race *race, const struct ocl_race_order *order)
{
    if (race->open_launches++ == 0 && may_start_again(race, order)) {
        start_again(race);
        race->launch_begin = ++race->look.time;
    }
    const size_t at = race->launches - race->launch_base;
    if (race_grow(race, (void **)&race->spans, &race->span_room, at, sizeof *race->spans))
        race->spans[at] = span_for(race, order, at);
    return ++race->launches;
}

enum ocl_race_past ocl_race_past_of(struct ocl_race *race, uint32_t launch)
{
    const struct span *const span = span_of(race, launch);
    if (launch == race->launch_base + 1)
        return OCL_RACE_OLD;
    return span && span->clear == span->begin ? OCL_RACE_BEFORE : OCL_RACE_BESIDE;
}

/* Whether a thread of that launch launched it, or one that it is a part of. */
static bool is_part_of(struct ocl_race *race, const struct span *span, uint32_t launch)
{
    while (span && span->parent != 0 && span->parent != launch)
        span = span_of(race, span->parent);
    return span && span->parent != 0;
}

bool race_is_behind(struct ocl_race *race, uint32_t launch, uint32_t earlier)
{
    const struct span *its = span_of(race, launch), *other = span_of(race, earlier);
    if (!its || !other)
        return true;
    if (is_part_of(race, its, earlier)) /* what it knows of that decides */
        return false;
    if (!its->has_order || !other->has_order)
        return other->end != 0 && other->end <= its->begin;
    return its->position == 0 || other->position == 0 || !its->known ||
           other->position <= its->known[other->line];
}

bool race_is_before(struct ocl_race *race, uint32_t earlier, const struct ocl_race_order *order)
{
    const struct span *other = span_of(race, earlier);
    return !other || !other->has_order || other->position == 0 || order->position == 0 ||
           other->position <= order->known[other->line];
}

/* One that is ordered behind all that came before it stands for those. */
bool ocl_race_are_all_before(struct ocl_race *race, const struct ocl_race_order *order)
{
    for (uint32_t launch = race->launches; launch > race->launch_base; launch--) {
        const struct span *const its = span_of(race, launch);
        if (!race_is_before(race, launch, order))
            return false;
        if (its && its->clear == its->begin)
            return true;
    }
    return true;
}

void ocl_race_launch_end(struct ocl_race *race, uint32_t launch)
{
    for (struct ocl_race_block *block = race->open, *next; block; block = next) {
        next = block->next;
        if (block->launch == launch)
            ocl_race_block_end(race, block);
    }
    struct span *span = span_of(race, launch);
    if (span) {
        span->end = ++race->look.time;
        span->known = NULL;
    }
    race->open_launches--;
}

/* ---- Blocks ---- */

/* Of struct thread: those of whole warps. */
static size_t room_of(uint32_t threads)
{
    return ((size_t)threads + 31) / 32 * 32;
}

/* One that was kept and has so much room, or any. */
static struct ocl_race_block *take_kept(struct ocl_race *race, size_t room)
{
    struct ocl_race_block **link = &race->kept;
    while (*link && (*link)->room < room)
        link = &(*link)->next;
    link = *link ? link : &race->kept;
    struct ocl_race_block *const block = *link;
    if (block)
        *link = block->next;
    return block;
}

/* false: there is no memory for so many. */
static bool make_room(struct ocl_race *race, struct ocl_race_block *block, size_t room)
{
    if (block->room >= room)
        return true;
    struct thread *const all = race_take(race, room * sizeof *all);
    if (!all)
        return false;
    race->bytes -= block->room * sizeof *all;
    free(block->all);
    block->all = all;
    block->room = room;
    return true;
}

static struct ocl_race_block *take_block(struct ocl_race *race, uint32_t threads)
{
    struct ocl_race_block *block = take_kept(race, room_of(threads));
    if (!block)
        block = race_take(race, sizeof *block);
    if (!block || make_room(race, block, room_of(threads)))
        return block;
    block->next = race->kept;
    race->kept = block;
    return NULL;
}

static void forget_rows(struct ocl_race_block *block)
{
    if (!block->is_parted)
        return;
    block->is_parted = false;
    memset(block->barriers, 0, sizeof block->barriers);
    if (block->rows)
        memset(block->rows, 0, (size_t)WARPS * WARPS * sizeof *block->rows);
    for (size_t i = 0; i < WARPS; i++)
        if (block->warps[i].rows)
            memset(block->warps[i].rows, 0, (size_t)32 * 32 * sizeof *block->warps[i].rows);
}

static uint32_t lanes_of(uint32_t threads, uint32_t warp)
{
    const uint32_t first = warp * 32;
    return first >= threads ? 0 : threads - first >= 32 ? ~0u : (1u << (threads - first)) - 1;
}

struct ocl_race_block *ocl_race_block_begin(struct ocl_race *race, uint32_t launch, uint64_t number,
                                            uint32_t threads)
{
    struct ocl_race_block *block = take_block(race, threads);
    if (!block)
        return NULL;
    block->number = number;
    block->launch = launch;
    block->serial = ++race->serial;
    block->threads = threads;
    block->doubts = block->turn = block->knows = block->fenced = block->fences = 0;
    if (block->is_touched)
        memset(block->all, 0, block->room * sizeof *block->all);
    block->is_touched = false;
    forget_rows(block);
    block->next = race->open;
    race->open = block;
    race_turn(race, block);
    block->begin = block->barrier = block->turn - 1;
    const struct span *span = span_of(race, launch);
    block->knows = span ? span->knows : 0;
    block->clear = span && span->clear > race->launch_begin ? span->clear : race->launch_begin;
    block->is_clear = ocl_race_past_of(race, launch) != OCL_RACE_BESIDE && span &&
                      race->look.alone == span->begin + 1;
    for (uint32_t i = 0; i < WARPS && i * 32 < threads; i++)
        block->warps[i].time = block->begin;
    race_show(race);
    return block;
}

struct ocl_race_block *ocl_race_block_find(struct ocl_race *race, uint32_t launch, uint64_t number)
{
    struct ocl_race_block *block = race->last;
    if (block && block->number == number && block->launch == launch)
        return block;
    for (block = race->open; block; block = block->next)
        if (block->number == number && block->launch == launch)
            return block;
    return NULL;
}

void ocl_race_block_end(struct ocl_race *race, struct ocl_race_block *block)
{
    if (!block)
        return;
    race_end_doubts(race, block);
    struct ocl_race_block **link = &race->open;
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    if (race->last == block) {
        race->last = NULL;
        race_show(race);
    }
    block->next = race->kept;
    race->kept = block;
}

/* ---- Warps ---- */

static uint32_t *rows_of(struct ocl_race *race, uint32_t **rows)
{
    if (!*rows)
        *rows = race_take(race, (size_t)32 * 32 * sizeof **rows);
    return *rows;
}

/* What any of the members knows of each, all of them do; and of each other all until now. */
static void meet_rows(uint32_t *rows, uint32_t members, uint32_t now)
{
    uint32_t known[32] = {0};
    for (uint32_t i = 0; i < 32; i++)
        for (uint32_t j = 0; members >> i & 1 && j < 32; j++)
            known[j] = rows[i * 32 + j] > known[j] ? rows[i * 32 + j] : known[j];
    for (uint32_t j = 0; j < 32; j++)
        if (members >> j & 1)
            known[j] = now;
    for (uint32_t i = 0; i < 32; i++)
        if (members >> i & 1)
            memcpy(&rows[(size_t)i * 32], known, sizeof known);
}

void ocl_race_warp(struct ocl_race *race, struct ocl_race_block *block, uint32_t warp,
                   uint32_t lanes)
{
    if (!block)
        return;
    race_turn(race, block);
    struct warp *w = &block->warps[warp];
    const uint32_t all = lanes_of(block->threads, warp);
    lanes &= all;
    if (lanes == all)
        w->time = race->look.time;
    else if (rows_of(race, &w->rows))
        meet_rows(w->rows, lanes, race->look.time);
    block->is_parted |= lanes != all;
    race_join_lanes(race, block, warp * 32, lanes);
    race->look.time++;
}

/* ---- Barriers ---- */

void ocl_race_meet(struct ocl_race *race, struct ocl_race_block *block)
{
    if (!block)
        return;
    race_turn(race, block);
    block->barrier = race->look.time;
    race_gather_block(race, block);
    race->look.barrier = block->barrier;
    race->look.time++;
}

/* The block that runs; NULL: it is another one, or some thread of it has something to tell the others. */
static struct ocl_race_block *quiet_block(struct ocl_race *race, uint32_t launch, uint64_t number)
{
    struct ocl_race_block *const block = race->last;
    return block && block->number == number && block->launch == launch && !block->is_touched ? block
                                                                                             : NULL;
}

bool ocl_race_meets(struct ocl_race *race, uint32_t launch, uint64_t number)
{
    struct ocl_race_block *const block = quiet_block(race, launch, number);
    ocl_race_meet(race, block);
    return block != NULL;
}

bool ocl_race_warp_meets(struct ocl_race *race, uint32_t launch, uint64_t number, uint32_t warp)
{
    struct ocl_race_block *const block = quiet_block(race, launch, number);
    ocl_race_warp(race, block, warp, ~0u);
    return block != NULL;
}

static void come(struct ocl_race *race, struct ocl_race_block *block, struct barrier *barrier,
                 uint32_t warp, uint32_t lanes)
{
    for (uint32_t v = 0; block->rows && v < WARPS; v++)
        if (block->rows[warp * WARPS + v] > barrier->times[v])
            barrier->times[v] = block->rows[warp * WARPS + v];
    barrier->times[warp] = race->look.time;
    barrier->knows =
        race_join(race, barrier->knows, race_gather_lanes(race, block, warp * 32, lanes));
}

void ocl_race_arrive(struct ocl_race *race, struct ocl_race_block *block, uint32_t number,
                     uint32_t thread)
{
    if (!block)
        return;
    race_turn(race, block);
    block->is_parted = true;
    come(race, block, &block->barriers[number % BARRIERS], thread / 32, 1u << thread % 32);
    race->look.time++;
}

/* Those who wait know what those know who came. */
static void go_on(struct ocl_race *race, struct ocl_race_block *block,
                  const struct barrier *barrier, uint32_t w, uint32_t lanes)
{
    uint32_t *rows = rows_of(race, &block->rows);
    for (uint32_t v = 0; rows && v < WARPS; v++)
        if (barrier->times[v] > rows[w * WARPS + v])
            rows[w * WARPS + v] = barrier->times[v];
    block->warps[w].time = barrier->times[w];
    for (uint32_t i = 0; barrier->knows && i < 32; i++) {
        struct thread *me = &block->all[w * 32 + i];
        if (lanes >> i & 1)
            me->knows = race_join(race, me->knows, barrier->knows);
    }
}

void ocl_race_pass(struct ocl_race *race, struct ocl_race_block *block, uint32_t number,
                   const uint32_t lanes[OCL_RACE_THREADS / 32])
{
    if (!block)
        return;
    race_turn(race, block);
    block->is_parted = true;
    struct barrier *barrier = &block->barriers[number % BARRIERS];
    for (uint32_t w = 0; w < WARPS; w++)
        if (lanes[w] != 0)
            come(race, block, barrier, w, lanes[w]);
    for (uint32_t w = 0; w < WARPS; w++)
        if (lanes[w] != 0)
            go_on(race, block, barrier, w, lanes[w]);
    block->is_touched |= barrier->knows != 0;
    *barrier = (struct barrier){0};
    race->look.time++;
}
