/* What kernels in the native form call: blocks, warp after warp; and what programs call of the device library, lane after lane.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/runtime.h"

#include <string.h>

#include "kernels/ptx/native/native_runtime.h"

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

static uint32_t warps_of(const struct ptx_native_launch *l)
{
    return (threads_of(l) + LANES - 1) / LANES;
}

/* A warp between its turns. */
struct warp {
    uint32_t site, lanes; /* 0, 0: all have ended */
    uint32_t number, count, votes, result;
};

enum { TID_BYTES = 3 * LANES * sizeof(uint32_t) };

uint64_t clem_native_bytes(const struct ptx_native_launch *launch, uint64_t frame_bytes,
                           uint64_t local_bytes)
{
    const uint64_t warps = warps_of(launch);
    return round_up(launch->shared_bytes) + round_up(warps * sizeof(struct warp)) +
           warps * (TID_BYTES + frame_bytes + LANES * local_bytes);
}

/* ---- Warps ---- */

struct running {
    const struct ptx_native_launch *launch;
    struct ptx_native_block block;
    struct warp *warps;
    uint32_t count;
    unsigned char *tids, *frames, *locals;
    uint64_t frame_bytes, local_bytes;
    ptx_native_warp_function *function;
};

static void number_threads(const struct running *r)
{
    uint32_t at[3] = {0, 0, 0};
    const uint32_t *block = r->launch->block;
    for (uint32_t i = 0; i < r->count * LANES; i++) {
        uint32_t *to = (uint32_t *)(void *)(r->tids + (size_t)(i / LANES) * TID_BYTES) + i % LANES;
        for (int axis = 0; axis < 3; axis++)
            to[axis * LANES] = at[axis];
        for (int axis = 0; axis < 3; axis++) {
            if (++at[axis] < block[axis] || axis == 2)
                break;
            at[axis] = 0;
        }
    }
}

static void begin_block(struct running *r)
{
    uint32_t threads = threads_of(r->launch);
    memset(r->block.arrived, 0, sizeof r->block.arrived);
    for (uint32_t i = 0; i < r->count; i++, threads -= LANES)
        r->warps[i] =
            (struct warp){.lanes = threads >= LANES ? UINT32_MAX : (1u << threads) - 1u};
}

static void run_warp(struct running *r, uint32_t index)
{
    struct ptx_native_block *b = &r->block;
    struct warp *w = &r->warps[index];
    b->frame = (uint64_t)(uintptr_t)(r->frames + index * r->frame_bytes);
    b->local = (uint64_t)(uintptr_t)(r->locals + index * (LANES * r->local_bytes));
    b->tids = (uint64_t)(uintptr_t)(r->tids + (size_t)index * TID_BYTES);
    b->warp = index;
    b->site = w->site;
    b->lanes = w->lanes;
    b->result = w->result;
    w->site = r->function(r->launch, b);
    w->lanes = w->site ? b->lanes : 0;
    w->number = b->number & (BARRIERS - 1);
    w->count = b->count;
    w->votes = b->votes;
}

/* ---- Barriers ---- */

/* Opens each barrier that all it waits for have come to; false: none. A warp counts as a whole one. */
static bool open_barriers(struct running *r)
{
    bool is_any = false;
    uint32_t live = 0;
    for (uint32_t i = 0; i < r->count; i++)
        live += (uint32_t)__builtin_popcount(r->warps[i].lanes);
    for (uint32_t number = 0; number < BARRIERS; number++) {
        uint32_t waiting = 0, weight = 0, expected = 0, votes = 0;
        for (uint32_t i = 0; i < r->count; i++) {
            const struct warp *w = &r->warps[i];
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

/* Whether all warps that have not ended are at the barrier of all threads, without votes. */
static bool is_plain(const struct running *r, bool *has_ended)
{
    bool is = true, is_any = false;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct warp *w = &r->warps[i];
        is_any |= w->lanes != 0;
        is &= w->lanes == 0 || (w->number == 0 && w->count == 0 && w->votes == 0);
    }
    *has_ended = !is_any;
    return is;
}

/* One block whose barriers nobody can come to ends as it is. */
static void run_block(struct running *r)
{
    bool has_ended;
    begin_block(r);
    for (uint32_t i = 0; i < r->count; i++)
        run_warp(r, i);
    for (;;) {
        const bool is_simple = is_plain(r, &has_ended);
        if (has_ended)
            return;
        if (!is_simple && !open_barriers(r)) {
            clem_native_stick(r->launch);
            return;
        }
        if (is_simple && r->block.arrived[0] == 0) {
            uint32_t live = 0;
            for (uint32_t i = 0; i < r->count; i++)
                live += (uint32_t)__builtin_popcount(r->warps[i].lanes);
            for (uint32_t i = 0; i < r->count; i++) {
                r->warps[i].result = live << 16;
                r->warps[i].number = BARRIERS;
            }
        } else if (is_simple && !open_barriers(r)) {
            clem_native_stick(r->launch);
            return;
        }
        for (uint32_t i = 0; i < r->count; i++)
            if (r->warps[i].lanes && r->warps[i].number == BARRIERS)
                run_warp(r, i);
    }
}

/* ---- Blocks ---- */

void clem_native_blocks(const struct ptx_native_launch *launch, uint64_t first, uint64_t count,
                        void *scratch, ptx_native_warp_function *warp, uint64_t frame_bytes,
                        uint64_t local_bytes)
{
    struct running r = {.launch = launch, .count = warps_of(launch)};
    unsigned char *at = scratch;
    r.frame_bytes = frame_bytes;
    r.local_bytes = local_bytes;
    r.function = warp;
    r.block.shared = (uint64_t)(uintptr_t)at;
    at += round_up(launch->shared_bytes);
    r.warps = (struct warp *)(void *)at;
    at += round_up(r.count * sizeof *r.warps);
    r.tids = at;
    r.frames = at + (uint64_t)r.count * TID_BYTES;
    r.locals = r.frames + r.count * frame_bytes;
    number_threads(&r);
    for (uint64_t i = first; i < first + count; i++) {
        const uint64_t row = i / launch->grid[0];
        r.block.index[0] = (uint32_t)(i % launch->grid[0]);
        r.block.index[1] = (uint32_t)(row % launch->grid[1]);
        r.block.index[2] = (uint32_t)(row / launch->grid[1]);
        run_block(&r);
    }
}

void clem_native_arrive(struct ptx_native_block *block, uint32_t lanes, uint32_t number,
                        uint32_t count)
{
    (void)count;
    if (lanes)
        block->arrived[number & (BARRIERS - 1)] += LANES;
}
