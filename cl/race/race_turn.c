/* Which block runs, and ran.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/race/race_state.h"

void race_show(struct ocl_race *race)
{
    const struct ocl_race_block *block = race->last;
    struct clem_race_look *look = &race->look;
    look->block = block ? block->number : ~(ulong)0;
    look->old = race->launch_begin;
    if (!block)
        return;
    race_show_shared(race, block);
    look->clear = block->clear;
    look->is_clear = block->is_clear;
    look->barrier = block->barrier;
    look->begin = block->begin;
    look->turn = block->turn;
}

void race_take_turn(struct ocl_race *race, struct ocl_race_block *block)
{
    if (race->last)
        race->last->turn = 0;
    race->last = block;
    block->turn = ++race->look.time;
    if (block->launch != race->alone || race->open->next) {
        race->alone = block->launch;
        race->look.alone = block->turn;
    }
    race_show(race);
    if (race_grow(race, (void **)&race->runs, &race->run_room, race->run_count, sizeof *race->runs))
        race->runs[race->run_count++] = (struct run){.time = block->turn,
                                                     .serial = block->serial,
                                                     .launch = block->launch,
                                                     .block = block->number};
}

void race_end_doubts(struct ocl_race *race, struct ocl_race_block *block)
{
    for (uint32_t i = 0; i < block->doubts; i++)
        race->reporter(race->user, &block->doubt[i]);
    block->doubts = 0;
}

/* Needs: some run began by then. */
const struct run *race_run(struct ocl_race *race, uint32_t time)
{
    size_t low = 0, high = race->run_count;
    if (race->run_last + 1 < high && race->runs[race->run_last].time <= time &&
        time < race->runs[race->run_last + 1].time)
        return &race->runs[race->run_last];
    while (low + 1 < high) {
        const size_t middle = (low + high) / 2;
        if (race->runs[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    race->run_last = low;
    return &race->runs[low];
}
