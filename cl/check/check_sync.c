/* Whether threads of kernels that are checked meet as they must.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "cl/check/check_race.h"

static void report(const struct ocl_access *a, uint64_t site, uint32_t thread, bool is_warning,
                   const char *what, const char *about)
{
    struct ocl_access at = *a;
    at.line = (uint32_t)site;
    at.location = (uint32_t)(site >> 32);
    at.thread = thread;
    struct ocl_finding finding = {
        .check = OCL_CHECK_SYNC, .is_warning = is_warning, .what = what, .about = about};
    if (ocl_check_is_first(a->launch, site * 31 + (uint64_t)(uintptr_t)what))
        ocl_check_report_access(&at, &finding);
}

static uint64_t site_of(const struct ocl_access *a)
{
    return (uint64_t)a->location << 32 | a->line;
}

/* ---- Warps ---- */

/* Lanes of one warp at an operation of it. */
struct lanes {
    uint64_t site;
    uint32_t thread, mask; /* of the lane that tells */
    uint32_t live, here;
};

static void look_at_lanes(const struct ocl_access *a, const struct lanes *l)
{
    const uint32_t threads = ocl_check_threads(a->launch), base = l->thread / 32 * 32;
    const uint32_t all = threads - base >= 32 ? ~0u : (1u << (threads - base)) - 1;
    const uint32_t named = l->mask & all;
    const bool is_strange = !(l->mask >> l->thread % 32 & 1);
    const bool names_ended = named & ~l->live, names_others = named & l->live & ~l->here,
               names_none = l->mask & ~all && l->mask != UINT32_MAX;
    char about[128];
    if (!is_strange && !names_ended && !names_others && !names_none)
        return;
    /* Lanes that have ended are not waited for: CUDA asks those that a mask names to come which have not. */
    (void)snprintf(about, sizeof about, "lane %u, mask 0x%08x; the lanes that %s are 0x%08x",
                   (unsigned)l->thread % 32, (unsigned)l->mask,
                   names_others ? "come to it" : "have not ended",
                   (unsigned)(names_others ? l->here : l->live));
    report(a, l->site, l->thread, !is_strange && !names_others,
           is_strange     ? "warp operation by a lane that its own mask does not name"
           : names_others ? "warp operation whose mask names lanes that do not come to it"
           : names_ended  ? "warp operation whose mask names lanes that have ended"
                          : "warp operation whose mask names lanes that the block does not have",
           about);
}

static void check_lanes(const struct ocl_access *a)
{
    look_at_lanes(a, &(const struct lanes){site_of(a), a->thread, (uint32_t)a->more,
                                           (uint32_t)a->call->address, (uint32_t)a->value});
}

/* ---- Barriers ---- */

static void find_ended(const struct ocl_access *a, uint64_t site, uint32_t live)
{
    const uint32_t threads = ocl_check_threads(a->launch);
    char about[128];
    if (live >= threads)
        return;
    (void)snprintf(about, sizeof about, "%u of %u threads have ended before",
                   (unsigned)(threads - live), (unsigned)threads);
    report(a, site, CLEM_CHECK_ALL, true, "barrier that not all threads of the block come to",
           about);
}

static uint64_t site_in(const struct ocl_round *r, uint32_t thread)
{
    return r->sites[r->state[thread] & OCL_ROUND_REGION];
}

/* Threads that wait at one barrier, by different instructions. */
static void find_divergent(const struct ocl_access *a, const struct ocl_round *r,
                           const struct ocl_gathering *g)
{
    uint32_t first = r->threads;
    for (uint32_t i = 0; i < r->threads; i++) {
        if (!(g->lanes[i / 32] >> i % 32 & 1))
            continue;
        if (first == r->threads)
            first = i;
        if (site_in(r, i) == site_in(r, first))
            continue;
        const uint64_t site = site_in(r, first);
        char *source = ptx_module_source(a->launch->module, (uint32_t)(site >> 32));
        char about[512];
        (void)snprintf(about, sizeof about, "thread %u waits at that of PTX line %u%s%s",
                       (unsigned)first, (unsigned)(uint32_t)site, source ? ", source " : "",
                       source ? source : "");
        free(source);
        report(a, site_in(r, i), i, false,
               "divergent barrier: threads of the block wait at different ones", about);
        return;
    }
}

/* Whether a thread waits for lanes of its warp. */
static bool waits_for_lanes(const struct ocl_round *r, uint32_t thread)
{
    return !ocl_round_waits(r, thread) && r->state[thread] != OCL_ROUND_ENDED &&
           r->state[thread] & OCL_ROUND_AT_WARP;
}

/* Lanes that wait for others of their warp, which do not come. */
static void find_alone(const struct ocl_access *a, const struct ocl_round *r, uint32_t thread)
{
    const uint32_t base = thread / 32 * 32;
    struct lanes l = {.site = site_in(r, thread), .thread = thread, .mask = r->wait[thread]};
    for (uint32_t i = 0; i < 32 && base + i < r->threads; i++) {
        l.live |= (uint32_t)(r->state[base + i] != OCL_ROUND_ENDED) << i;
        l.here |= (uint32_t)(waits_for_lanes(r, base + i) && r->wait[base + i] == l.mask) << i;
    }
    look_at_lanes(a, &l);
}

/* Nobody goes on: the kernel fails. Where lanes of a warp wait for others, that is why threads are missed at barriers. */
static void find_stuck(const struct ocl_access *a, const struct ocl_round *r, bool is_open)
{
    uint32_t waits = r->threads, alone = r->threads;
    for (uint32_t i = 0; i < r->threads; i++) {
        const bool is_alone = waits_for_lanes(r, i);
        if (r->state[i] == OCL_ROUND_ENDED)
            continue;
        if (!(is_alone || ocl_round_waits(r, i)) || r->state[i] & OCL_ROUND_SPUN)
            return;
        waits = waits < r->threads ? waits : i;
        alone = alone < r->threads || !is_alone ? alone : i;
    }
    if (is_open || waits == r->threads)
        return;
    if (alone < r->threads)
        find_alone(a, r, alone);
    else
        report(a, site_in(r, waits), waits, false,
               "barrier that threads wait at for ever: not all come that it is for", NULL);
}

static void check_round(const struct ocl_access *a)
{
    const struct ocl_round round = ocl_round_of(a);
    bool is_open = false;
    for (uint32_t barrier = 0; barrier < OCL_ROUND_BARRIERS; barrier++) {
        struct ocl_gathering g;
        ocl_round_gather(&round, barrier, &g);
        is_open |= g.is_open;
        if (!g.is_open || g.expected != 0)
            continue;
        find_divergent(a, &round, &g);
        for (uint32_t i = 0; i < round.threads; i++)
            if (ocl_round_waits(&round, i)) {
                find_ended(a, site_in(&round, i), g.waiting);
                break;
            }
    }
    find_stuck(a, &round, is_open);
}

void ocl_check_sync(const struct ocl_access *a)
{
    if (a->kind == CLEM_CHECK_ROUND)
        check_round(a);
    else if (a->kind == CLEM_CHECK_WARP)
        check_lanes(a);
    else if (a->kind == CLEM_CHECK_BARRIER && a->thread == CLEM_CHECK_ALL)
        find_ended(a, site_of(a), (uint32_t)a->value);
}
