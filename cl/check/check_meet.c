/* Where threads of kernels that are checked meet: what that orders.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/check/check_race.h"

struct ocl_round ocl_round_of(const struct ocl_access *a)
{
    return (struct ocl_round){.state = (const uint32_t *)(uintptr_t)a->call->address,
                              .wait = (const uint32_t *)(uintptr_t)a->value,
                              .arrived = (const uint32_t *)(uintptr_t)a->more,
                              .sites = (const uint64_t *)(uintptr_t)a->call->shared,
                              .threads = ocl_check_threads(a->launch)};
}

static void add_warp(const struct ocl_round *r, uint32_t barrier, uint32_t base,
                     struct ocl_gathering *found)
{
    uint32_t there = 0, live = 0;
    for (uint32_t i = 0; i < 32 && base + i < r->threads; i++) {
        live |= (uint32_t)(r->state[base + i] != OCL_ROUND_ENDED) << i;
        if (!ocl_round_waits(r, base + i) || (r->wait[base + i] & 15) != barrier)
            continue;
        const uint32_t expected = r->wait[base + i] << 1 >> 5;
        there |= 1u << i;
        found->expected = expected > found->expected ? expected : found->expected;
    }
    const uint32_t count = (uint32_t)__builtin_popcount(there);
    found->lanes[base / 32] = there;
    found->waiting += count;
    found->weight += there != 0 && there == live ? 32 : count;
}

void ocl_round_gather(const struct ocl_round *r, uint32_t barrier, struct ocl_gathering *found)
{
    uint32_t live = 0;
    *found = (struct ocl_gathering){.is_open = false};
    for (uint32_t base = 0; base < r->threads; base += 32)
        add_warp(r, barrier, base, found);
    for (uint32_t i = 0; i < r->threads; i++)
        live += r->state[i] != OCL_ROUND_ENDED;
    found->is_open = found->waiting > 0 &&
                     (found->expected ? found->weight + r->arrived[barrier] >= found->expected
                                      : found->waiting == live);
}

/* Of more threads than a barrier waits for only so many meet at a time, by warps: the others are not there for them. */
static void pass_in_groups(struct ocl_race *race, struct ocl_race_block *block,
                           const struct ocl_round *round, uint32_t barrier,
                           const struct ocl_gathering *g)
{
    uint32_t lanes[OCL_RACE_THREADS / 32] = {0}, weight = round->arrived[barrier], left = g->weight;
    for (uint32_t w = 0; w < OCL_RACE_THREADS / 32; w++) {
        const uint32_t own = g->lanes[w] == 0 ? 0 : left < 32 ? left : 32;
        lanes[w] = g->lanes[w];
        weight += own;
        left -= own;
        if (own == 0 || weight < g->expected || left < g->expected)
            continue;
        ocl_race_pass(race, block, barrier, lanes);
        memset(lanes, 0, sizeof lanes);
        weight = 0;
    }
    if (weight != 0)
        ocl_race_pass(race, block, barrier, lanes);
}

static void end_round(struct ocl_race *race, struct ocl_race_block *block,
                      const struct ocl_access *a)
{
    const struct ocl_round round = ocl_round_of(a);
    for (uint32_t barrier = 0; barrier < OCL_ROUND_BARRIERS; barrier++) {
        struct ocl_gathering g;
        ocl_round_gather(&round, barrier, &g);
        if (g.is_open && g.expected == 0)
            ocl_race_meet(race, block);
        else if (g.is_open)
            pass_in_groups(race, block, &round, barrier, &g);
    }
}

/* Each lane tells; those of one mask meet once, with the first of them. */
static void meet_lanes(struct ocl_race *race, struct ocl_race_block *block,
                       const struct ocl_access *a)
{
    const uint32_t mask = (uint32_t)a->more, there = (uint32_t)a->value & mask;
    if (there != 0 && (uint32_t)__builtin_ctz(there) == a->thread % 32)
        ocl_race_warp(race, block, a->thread / 32, mask);
}

void ocl_check_meet(struct ocl_race *race, struct ocl_race_block *block, const struct ocl_access *a)
{
    if (a->kind == CLEM_CHECK_ROUND)
        end_round(race, block, a);
    else if (a->kind == CLEM_CHECK_WARP)
        meet_lanes(race, block, a);
    else if (a->kind == CLEM_CHECK_BARRIER && a->thread == CLEM_CHECK_ALL)
        ocl_race_meet(race, block);
    else if (a->kind == CLEM_CHECK_BARRIER)
        ocl_race_arrive(race, block, (uint32_t)a->call->address, a->thread);
}
