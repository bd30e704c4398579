/* Regions warp by warp, in one loop: each turn runs a region for the lanes of one warp. On the parted way it is the lowest
 * that lanes of the warp wait for, for those lanes. On the straight way one region is run for one warp after the other, all
 * of whose lanes go on together; then it is looked at where they went. A region has one text for both, since compilers take
 * as long for each that there is. Those that are worth it have loops of their own on the straight way (block.c); here they
 * are written for the parted way alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"
#include "kernels/ptx/emit/checked.h"

/* The region of the parted way that has the number, or what it is on the straight way too. */
static void take_region(struct ptx_block_writer *writer, size_t number)
{
    const struct ptx_block_facts *facts = writer->facts;
    const int32_t head = facts->parted->all[number].head;
    const struct ptx_region *both = &facts->straight->all[facts->straight->region_of[head]];
    const bool is_apart =
        facts->has_parts || both->head != head || ptx_block_has_loops(facts, both);
    ptx_block_take_way(writer, is_apart ? PTX_WAY_PARTED : PTX_WAY_EITHER);
    writer->region = is_apart ? &facts->parted->all[number] : both;
}

static void end_switch(struct ptx_emitter *e)
{
    ptx_line(e, "default: break;");
    ptx_line(e, "}");
}

/* ---- Lanes ---- */

static void begin_active_lanes(struct ptx_emitter *e)
{
    ptx_text_put(e->out, PTX_BLOCK_PLAIN_LOOP);
    ptx_line(e, "for (uint clem_lane = 0u, CLEM_FIRST_LANE(clem_base); clem_lane < clem_lanes; "
                "CLEM_NEXT_LANE) {");
    ptx_line(e, "if (!(clem_active >> clem_lane & 1u))");
    ptx_line(e, "    continue;");
    ptx_line(e, "const uint clem_index = clem_base + clem_lane;");
    ptx_block_begin_thread(e);
}

static void end_active_lanes(struct ptx_emitter *e)
{
    ptx_line(e, "clem_state[clem_index] = clem_next;");
    ptx_line(e, "clem_wait[clem_index] = clem_for;");
    if (!e->block_writer->facts->has_parts)
        ptx_line(e, "clem_all &= clem_next, clem_any |= clem_next;");
    ptx_line(e, "}");
}

/* Whether the loop in which lanes take what a warp operation gives them is left open for the rest of the region: not
 * where the operation is one call. */
static void write_steps(struct ptx_emitter *e, bool *has_lanes)
{
    struct ptx_block_writer *writer = e->block_writer;
    bool is_any = false;
    for (size_t i = 0; i < writer->facts->parted->count && e->status == PTX_OK; i++) {
        take_region(writer, i);
        if (!ptx_block_has_step(e, writer->region))
            continue;
        if (!is_any)
            ptx_line(e, "switch (clem_region) {");
        is_any = true;
        ptx_line(e, "case %zuu: {", i);
        writer->is_lane_open = false;
        ptx_block_step(e);
        has_lanes[i] = writer->is_lane_open;
        if (has_lanes[i]) {
            ptx_block_thread(e);
            end_active_lanes(e);
            ptx_line(e, "}");
            ptx_line(e, "clem_active = 0u;");
        }
        ptx_line(e, "break;");
        ptx_line(e, "}");
    }
    if (is_any)
        end_switch(e);
}

static size_t most_contended(const struct ptx_regions *r)
{
    size_t most = 0;
    for (size_t i = 0; i < r->count; i++) {
        const size_t count = ptx_block_contended_in(r, &r->all[i]);
        most = count > most ? count : most;
    }
    return most;
}

/* All in one loop over lanes: compilers take far longer over a loop than over another case in it. */
static void write_regions(struct ptx_emitter *e)
{
    struct ptx_block_writer *writer = e->block_writer;
    bool *has_lanes =
        ptx_arena_array(e->arena, writer->facts->parted->count + 1, sizeof *has_lanes);
    const size_t both = most_contended(writer->facts->straight);
    const size_t parted = most_contended(writer->facts->parted);
    ptx_block_begin_firsts(e, both > parted ? both : parted);
    write_steps(e, has_lanes);
    begin_active_lanes(e);
    ptx_line(e, "switch (clem_region) {");
    for (size_t i = 0; i < writer->facts->parted->count && e->status == PTX_OK; i++) {
        take_region(writer, i);
        if (has_lanes[i])
            continue;
        ptx_line(e, "case %zuu: {", i);
        if (!ptx_block_has_step(e, writer->region))
            ptx_block_pass_step(e);
        ptx_block_thread(e);
        ptx_line(e, "break;");
        ptx_line(e, "}");
    }
    end_switch(e);
    end_active_lanes(e);
}

/* ---- From one way to the other ---- */

static const char *together_text(struct ptx_emitter *e)
{
    return ptx_format(e, "clem_is_together(clem_state, clem_grid, %uu, &clem_live)",
                      e->block_writer->facts->has_lanes);
}

/* Whether the straight way has the region clem_next: threads that are together in another go on parted. */
static const char *both_text(struct ptx_emitter *e)
{
    const struct ptx_block_facts *facts = e->block_writer->facts;
    const char *condition = "";
    for (size_t i = 0; i < facts->parted->count; i++) {
        const int32_t head = facts->parted->all[i].head;
        if (facts->straight->all[facts->straight->region_of[head]].head != head)
            condition = ptx_format(e, "%sclem_next != %zuu && ", condition, i);
    }
    return condition;
}

/* Threads of the region clem_region do not go on alike: if some have ended and the others do, those are in step. */
static void write_parting(struct ptx_emitter *e)
{
    ptx_text_put(e->out, "clem_part:;\n");
    ptx_line(e, "{");
    ptx_line(e, "const uint clem_next = clem_state[0] & CLEM_REGION;");
    ptx_line(e, "if (%s%s) {", both_text(e), together_text(e));
    ptx_line(e, "clem_region = clem_next;");
    ptx_line(e, "goto clem_run;");
    ptx_line(e, "}");
    ptx_line(e, "}");
    if (ptx_block_has_shared(e)) {
        ptx_block_begin_each(e);
        ptx_block_scatter(e);
        ptx_line(e, "}");
    }
    ptx_line(e, "clem_parted = 1u;");
    if (e->block_writer->facts->waits)
        ptx_line(e, "clem_patience = CLEM_PATIENCE, clem_left = 0u, clem_steps = 0u;");
}

/* Back to the straight way where a barrier let all threads of the block go on together. */
static void write_reunion(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->facts->parted;
    const bool has_shared = ptx_block_has_shared(e);
    ptx_line(e, "const uint clem_next = clem_state[0] & CLEM_REGION;");
    ptx_line(e, "if (clem_outcome == CLEM_RELEASED && %s%s) {", both_text(e), together_text(e));
    ptx_line(e, "uint clem_same = 1u;");
    ptx_line(e, "clem_region = clem_next;");
    if (has_shared) {
        ptx_line(e, "ulong clem_matters = 0ul;");
        ptx_line(e, "switch (clem_region) {");
        for (size_t i = 0; i < r->count; i++)
            if (ptx_block_waits_for_block(&r->all[i]))
                ptx_line(e, "case %zuu: clem_matters = 0x%llxul; break;", i,
                         (unsigned long long)ptx_block_shared_at(e, &r->all[i]));
        ptx_line(e, "default: clem_same = 0u;");
        ptx_line(e, "}");
        ptx_block_begin_each(e);
        ptx_block_pass_over_ended(e, "");
        ptx_block_gather(e);
        ptx_line(e, "}");
    }
    ptx_line(e, "if (clem_same) {");
    ptx_line(e, "clem_parted = 0u;");
    ptx_line(e, "goto clem_run;");
    ptx_line(e, "}");
    ptx_line(e, "}");
}

/* ---- Which region comes next ---- */

/* Begins a region on the straight way. */
static void write_run(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->facts->straight;
    bool is_any = false;
    ptx_text_put(e->out, "clem_run:;\n");
    for (size_t i = 0; i < r->count; i++) {
        if (!ptx_block_has_loops(r->facts, &r->all[i]))
            continue;
        if (!is_any) { /* over one value made of both, Intel's compiler (22.43, for DG2) crashes on some kernels */
            ptx_line(e, "if (!clem_parted)");
            ptx_line(e, "switch (clem_region) {");
        }
        is_any = true;
        ptx_line(e, "case %zuu: goto S_%zu;", ptx_region_number(r->facts, &r->all[i]), i);
    }
    if (is_any)
        end_switch(e);
    ptx_line(e, "clem_base = 0u, clem_all = ~0u, clem_any = 0u;");
    if (r->facts->waits)
        ptx_line(e, "clem_steps = 0u;");
    ptx_block_keep_shared(e);
}

/* All warps have run a region on the straight way. */
static void end_run(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->facts->straight;
    ptx_line(e, "if (clem_any == CLEM_ENDED && clem_all == CLEM_ENDED)");
    ptx_line(e, "    return;");
    ptx_line(e, "if (clem_all != clem_any)");
    ptx_line(e, "    goto clem_part;");
    ptx_line(e, "clem_region = clem_any & CLEM_REGION;");
    if (e->block_writer->facts->yields) {
        ptx_line(e, "switch (clem_region) {");
        for (size_t i = 0; i < r->count; i++)
            if (r->all[i].yields)
                ptx_line(e, "case %zuu: goto clem_next_round;",
                         ptx_region_number(r->facts, &r->all[i]));
        end_switch(e);
    }
    ptx_line(e, "goto clem_run;");
}

/* Where the threads of each region come from to wait. */
static void tell_round(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->facts->parted;
    if (!ptx_checks_meetings(e))
        return;
    ptx_line(e, "const ulong clem_sites[] = {");
    for (size_t i = 0; i < r->count; i++) {
        const struct ptx_instruction *in = r->all[i].step;
        ptx_line(e, "    %lluul,",
                 in ? (unsigned long long)in->location << 32 | (unsigned)in->line : 0ull);
    }
    ptx_line(e, "};");
    ptx_check_meeting(e, &(struct ptx_meeting){.kind = "CLEM_CHECK_ROUND",
                                               .address = "(ulong)clem_state",
                                               .value = "(ulong)clem_wait",
                                               .more = "(ulong)clem_arrived",
                                               .sites = "(ulong)clem_sites"});
}

/* All warps have gone as far as they can. */
static void end_round(struct ptx_emitter *e)
{
    const bool waits = e->block_writer->facts->waits;
    tell_round(e);
    ptx_line(e, "const uint clem_outcome = clem_release_barriers(clem_state, clem_wait, "
                "clem_threads, clem_arrived);");
    if (e->plan->takes_turns)
        ptx_line(e, "clem_moved |= clem_outcome == CLEM_RELEASED;");
    if (waits) {
        ptx_line(e,
                 "if (clem_outcome == CLEM_STUCK && clem_left && clem_has_failed(clem_runtime))");
        ptx_line(e, "    return;");
        ptx_turn_leave(e, "clem_outcome == CLEM_STUCK && clem_left");
    }
    if (e->block_writer->facts->yields)
        ptx_turn_leave(e, PTX_TURN_OF_ROUNDS);
    ptx_line(e, waits ? "if (clem_outcome == CLEM_STUCK && !clem_left)"
                      : "if (clem_outcome == CLEM_STUCK)");
    ptx_line(e, "    clem_trap(clem_runtime);");
    ptx_line(e, waits ? "if (clem_outcome != CLEM_RELEASED && (clem_outcome != CLEM_STUCK || "
                        "!clem_left))"
                      : "if (clem_outcome != CLEM_RELEASED)");
    ptx_line(e, "    return;");
    if (!e->block_writer->facts->has_parts)
        write_reunion(e);
    ptx_line(e, "clem_base = 0u;");
    if (waits)
        ptx_line(e, "clem_patience = 4u, clem_left = 0u;");
    ptx_line(e, "continue;");
}

static void choose_parted(struct ptx_emitter *e)
{
    const bool waits = e->block_writer->facts->waits;
    ptx_line(e, "if (clem_base >= clem_threads) {");
    end_round(e);
    ptx_line(e, "}");
    ptx_line(e,
             "clem_region = %s(clem_state + clem_base, clem_wait + clem_base, "
             "min(32u, clem_threads - clem_base), &clem_active%s);",
             waits ? "clem_choose_waiting" : "clem_choose_region", waits ? ", &clem_left" : "");
    ptx_line(e, "if (clem_region == CLEM_ENDED) {");
    ptx_line(e, "clem_base += 32u;");
    if (waits)
        ptx_line(e, "clem_steps = 0u;");
    ptx_line(e, "continue;");
    ptx_line(e, "}");
}

static void choose_straight(struct ptx_emitter *e)
{
    ptx_line(e, "if (clem_base >= clem_threads) {");
    end_run(e);
    ptx_line(e, "}");
    ptx_line(e, "clem_active = ~0u >> (32u - min(32u, clem_threads - clem_base));");
    ptx_line(e, "if (clem_live.s3 != clem_threads)");
    ptx_line(e, "    clem_active = clem_living(clem_state + clem_base, clem_active);");
}

/* ---- All of it ---- */

void ptx_block_declare_warps(struct ptx_emitter *e)
{
    const struct ptx_block_facts *facts = e->block_writer->facts;
    ptx_need(e, PTX_NEED_RUNTIME);
    ptx_line(e, "uint clem_arrived[16] = {0};");
    ptx_line(e, "uint clem_region = 0u, clem_base = 0u;");
    if (!facts->has_parts)
        ptx_line(e, "uint clem_parted = 0u, clem_all = ~0u, clem_any = 0u;");
    if (facts->waits)
        ptx_line(e, "uint clem_patience = CLEM_PATIENCE, clem_left = 0u, clem_steps = 0u;");
    ptx_turn_resume(e, ptx_format(e, "%s%s", facts->has_parts ? "" : "clem_parted = 1u;",
                                  facts->waits ? " clem_patience = 4u;" : ""));
    if (!facts->has_parts && !ptx_block_has_loops(facts, &facts->straight->all[0]))
        ptx_line(e, "goto clem_run;");
}

void ptx_block_warps(struct ptx_emitter *e)
{
    struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_block_facts *facts = writer->facts;
    if (!facts->has_parts) {
        write_parting(e);
        write_run(e);
    }
    ptx_turn_name_resume(e);
    ptx_line(e, "for (;;) {");
    ptx_line(e, "uint clem_active;");
    if (!facts->has_parts) {
        ptx_line(e, "if (!clem_parted) {");
        choose_straight(e);
        ptx_line(e, "} else {");
    }
    choose_parted(e);
    if (!facts->has_parts)
        ptx_line(e, "}");
    ptx_keep_order(e);
    ptx_line(e, "const uint clem_lanes = min(32u, clem_threads - clem_base);");
    write_regions(e);
    if (facts->waits)
        ptx_line(e, facts->has_parts ? "clem_steps++;" : "clem_steps += clem_parted;");
    if (!facts->has_parts)
        ptx_line(e, "clem_base += clem_parted ? 0u : 32u;");
    ptx_line(e, "}");
}
