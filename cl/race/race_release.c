/* Edges by strong accesses, fences, and what threads that meet hand on.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/race/race_state.h"

#include <stdlib.h>

/* ---- What a thread can tell ---- */

static struct stamp stamp_of(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread)
{
    return (struct stamp){.time = race->look.time,
                          .barrier = block->barrier,
                          .warp = block->warps[thread / 32].time,
                          .block_knows = block->knows,
                          .knows = block->all[thread].knows};
}

/* Of lanes and warps that the thread met alone. */
static uint32_t tell_rows(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                          uint32_t knows)
{
    const struct warp *warp = &block->warps[thread / 32];
    for (uint32_t i = 0; warp->rows && i < 32; i++) {
        const uint32_t time = warp->rows[thread % 32 * 32 + i];
        if (time > block->barrier && time > warp->time)
            knows = race_tell(race, knows, block->serial, thread / 32 * 32 + i, time);
    }
    for (uint32_t i = 0; block->rows && i < WARPS; i++) {
        const uint32_t time = block->rows[thread / 32 * WARPS + i];
        if (time > block->barrier && i != thread / 32)
            knows = race_tell(race, knows, block->serial, WHO_WARP + i, time);
    }
    return knows;
}

uint32_t race_told(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                   struct stamp *stamp)
{
    if (stamp->time == 0 || stamp->node != 0)
        return stamp->node;
    uint32_t knows = race_join(race, stamp->block_knows, stamp->knows);
    if (stamp->barrier > block->begin)
        knows = race_tell(race, knows, block->serial, WHO_ALL, stamp->barrier);
    if (stamp->warp > stamp->barrier)
        knows = race_tell(race, knows, block->serial, WHO_WARP + thread / 32, stamp->warp);
    knows = tell_rows(race, block, thread, knows);
    return stamp->node = race_tell(race, knows, block->serial, thread, stamp->time);
}

/* The upper half is the grid's launch, the lower one a node. */
uint64_t ocl_race_launches(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread)
{
    if (!block)
        return 0;
    race_turn(race, block);
    struct stamp now = stamp_of(race, block, thread);
    const uint32_t knows = race_told(race, block, thread, &now);
    race->look.time++;
    return (uint64_t)block->launch << 32 | knows;
}

void ocl_race_fence(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                    bool is_narrow)
{
    if (!block)
        return;
    race_turn(race, block);
    race->look.relaxed = 0;
    struct thread *me = &block->all[thread];
    me->knows = race_join(race, me->knows, me->pending[NARROW]);
    me->pending[NARROW] = 0;
    if (!is_narrow) {
        me->knows = race_join(race, me->knows, me->pending[WIDE]);
        me->pending[WIDE] = 0;
        block->fences += me->fenced[WIDE].time == 0;
        me->fenced[WIDE] = stamp_of(race, block, thread);
    }
    me->fenced[NARROW] = stamp_of(race, block, thread);
    block->is_touched = true;
    race->look.time++;
}

/* ---- Releases and acquires ---- */

static uint64_t key_of(const struct ocl_race_block *block, const struct ocl_race_access *access)
{
    return access->is_shared ? (uint64_t)1 << 63 | (uint64_t)block->serial << 32 | access->address
                             : access->address | (access->address == 0);
}

static struct release *place_of(struct release *table, size_t room, uint64_t key)
{
    size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (room - 1);
    while (table[i].key != 0 && table[i].key != key)
        i = (i + 1) & (room - 1);
    return &table[i];
}

static struct release *find_release(struct ocl_race *race, uint64_t key)
{
    struct release *found =
        race->release_room ? place_of(race->releases, race->release_room, key) : NULL;
    return found && found->key ? found : NULL;
}

static struct release *add_release(struct ocl_race *race, uint64_t key)
{
    if (race->release_count * 2 >= race->release_room) {
        const size_t room = race->release_room ? race->release_room * 2 : 256;
        struct release *table = race_take(race, room * sizeof *table);
        if (!table)
            return NULL;
        for (size_t i = 0; i < race->release_room; i++)
            if (race->releases[i].key)
                *place_of(table, room, race->releases[i].key) = race->releases[i];
        race->bytes -= race->release_room * sizeof *table;
        free(race->releases);
        race->releases = table;
        race->release_room = room;
    }
    struct release *found = place_of(race->releases, race->release_room, key);
    race->release_count += found->key == 0;
    race->look.relaxed = 0;
    found->key = key;
    return found;
}

static void acquire(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                    const struct ocl_race_access *access, const struct release *release)
{
    struct thread *me = &block->all[thread];
    const bool is_ours = release->narrow_block == block->serial;
    const uint32_t narrow = is_ours ? release->narrow : 0;
    const uint32_t wide = access->is_narrow && !access->is_shared ? 0 : release->knows;
    if ((narrow | wide) == 0)
        return;
    block->is_touched = true;
    if (access->acquires) {
        me->knows = race_join(race, me->knows, race_join(race, narrow, wide));
        return;
    }
    me->pending[NARROW] = race_join(race, me->pending[NARROW], narrow);
    me->pending[WIDE] = race_join(race, me->pending[WIDE], wide);
}

/* What the write releases: all until now, or what is behind a fence. */
static uint32_t released(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                         const struct ocl_race_access *access, int scope)
{
    struct thread *me = &block->all[thread];
    if (access->releases && (scope == NARROW || !access->is_narrow)) {
        struct stamp now = stamp_of(race, block, thread);
        return race_told(race, block, thread, &now);
    }
    const uint32_t own = race_told(race, block, thread, &me->fenced[scope]);
    return race_join(race, race_join(race, me->told[scope], own), block->fenced);
}

/* A block comes to its grid's barrier: nobody goes on before all have come, nor learns of what was done behind that when it does. */
static void come(struct ocl_race *race, struct release *barrier, uint32_t wide, uint32_t parties)
{
    barrier->coming = race_join(race, barrier->coming, wide);
    if (++barrier->come < parties)
        return;
    barrier->knows = barrier->coming;
    barrier->come = 0;
}

static void release_by(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                       const struct ocl_race_access *access)
{
    const uint64_t key = key_of(block, access);
    const bool is_narrow = access->is_narrow && !access->is_shared;
    const uint32_t narrow = released(race, block, thread, access, NARROW);
    const uint32_t wide = is_narrow ? 0 : released(race, block, thread, access, WIDE);
    struct release *place = find_release(race, key);
    if (!place && (narrow | wide) == 0 && access->parties == 0)
        return;
    if (!place && !(place = add_release(race, key)))
        return;
    if (access->releases)
        race->look.time++;
    if (access->parties != 0) {
        come(race, place, wide, access->parties);
        return;
    }
    const bool goes_on = access->reads;
    const bool is_ours = place->narrow_block == block->serial;
    place->knows = goes_on ? race_join(race, place->knows, wide) : wide;
    place->narrow = goes_on && is_ours ? race_join(race, place->narrow, narrow) : narrow;
    place->narrow_block = block->serial;
}

void race_strong(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                 const struct ocl_race_access *access)
{
    const struct release *release =
        access->reads ? find_release(race, key_of(block, access)) : NULL;
    if (release)
        acquire(race, block, thread, access, release);
    if (access->writes && access->is_strong)
        release_by(race, block, thread, access);
}

/* ---- Threads that meet ---- */

/* A stamp becomes part of what was told. */
static uint32_t fold(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                     int scope)
{
    struct thread *me = &block->all[thread];
    const uint32_t own = race_told(race, block, thread, &me->fenced[scope]);
    me->told[scope] = race_join(race, me->told[scope], own);
    block->fences -= scope == WIDE && me->fenced[WIDE].time != 0;
    me->fenced[scope] = (struct stamp){0};
    return me->told[scope];
}

void race_join_lanes(struct ocl_race *race, struct ocl_race_block *block, uint32_t first,
                     uint32_t lanes)
{
    uint32_t knows = 0, pending[SCOPES] = {0}, told[SCOPES] = {0};
    if (!block->is_touched)
        return;
    for (uint32_t i = 0; i < 32; i++) {
        const struct thread *me = &block->all[first + i];
        if (!(lanes >> i & 1))
            continue;
        knows = race_join(race, knows, me->knows);
        for (int scope = 0; scope < SCOPES; scope++) {
            pending[scope] = race_join(race, pending[scope], me->pending[scope]);
            told[scope] = race_join(race, told[scope], fold(race, block, first + i, scope));
        }
    }
    for (uint32_t i = 0; i < 32; i++) {
        struct thread *me = &block->all[first + i];
        if (!(lanes >> i & 1))
            continue;
        me->knows = knows;
        for (int scope = 0; scope < SCOPES; scope++) {
            me->pending[scope] = pending[scope];
            me->told[scope] = told[scope];
        }
    }
}

uint32_t race_gather_lanes(struct ocl_race *race, struct ocl_race_block *block, uint32_t first,
                           uint32_t lanes)
{
    uint32_t knows = 0;
    for (uint32_t i = 0; block->is_touched && i < 32; i++) {
        const struct thread *me = &block->all[first + i];
        if (!(lanes >> i & 1))
            continue;
        knows = race_join(race, knows, me->knows);
        for (int scope = 0; scope < SCOPES; scope++)
            knows = race_join(race, knows, me->pending[scope]);
    }
    return knows;
}

/* The latest of all threads' fences. */
static uint32_t last_fence(const struct ocl_race_block *block)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < block->threads; i++)
        if (block->all[i].fenced[WIDE].time > last)
            last = block->all[i].fenced[WIDE].time;
    return last;
}

/* Where each thread had a fence, the block had one, with the last of them: what others did between theirs and that is taken in. */
static void gather_fences(struct ocl_race *race, struct ocl_race_block *block)
{
    if (block->fences >= block->threads) {
        block->fenced = race_tell(race, race_join(race, block->fenced, block->knows), block->serial,
                                  WHO_ALL, last_fence(block));
        return;
    }
    for (uint32_t i = 0; i < block->threads; i++)
        if (block->all[i].fenced[WIDE].time != 0 || block->all[i].told[WIDE] != 0)
            block->fenced = race_join(race, block->fenced, fold(race, block, i, WIDE));
}

void race_gather_block(struct ocl_race *race, struct ocl_race_block *block)
{
    if (!block->is_touched)
        return;
    for (uint32_t i = 0; i < block->threads; i += 32)
        block->knows = race_join(
            race, block->knows,
            race_gather_lanes(race, block, i,
                              i + 32 <= block->threads ? ~0u : (1u << (block->threads - i)) - 1));
    gather_fences(race, block);
    for (uint32_t i = 0; i < block->threads; i++)
        block->all[i] = (struct thread){0};
    block->fences = 0;
    block->is_touched = false;
}
