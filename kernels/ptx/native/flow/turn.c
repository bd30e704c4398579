/* Turns of warps that wait as a whole: one after the other, within the text.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

#define OF_BLOCK(member) offsetof(struct ptx_native_block, member)
#define OF_TURN(member)  offsetof(struct ptx_native_turn, member)

static const char *load_turn(struct ptx_native *n, size_t at)
{
    return ptx_native_load_word(n, ptx_native_of_turn(n, at));
}

/* Of a member of the block that is the first warp's: this one's. */
static void name_of_warp(struct ptx_native *n, size_t at, const char *number, size_t bytes)
{
    const char *name = ptx_format(n->e, "%%block.%zu", at);
    bool *const is_there = &n->flow->has_launch[sizeof(struct ptx_native_launch) + at];
    struct ptx_text *const out = n->e->out;
    n->e->out = n->flow->head;
    if (!*is_there) {
        const char *p =
            ptx_native_pointer(n, "i64", ptx_native_emit(n, "add i64 %%state, %zu", at));
        ptx_native_do(n, "%s = load i64, %s %s", name, ptx_native_pointer_type(n, "i64"), p);
    }
    *is_there = true;
    n->e->out = out;
    const char *behind = ptx_native_emit(n, "mul i64 %s, %zu", number, bytes);
    ptx_native_do(n, "%%state.%zu = add i64 %s, %s", at, name, behind);
}

/* The first thread of a warp that is a row is a multiple of 32 from the row's start, which LLVM is told: lanes are numbers then. */
static bool starts_row(const struct ptx_native *n, unsigned axis, unsigned half)
{
    return axis == 0 && half == 0 && ptx_native_has_rows(n->e->target->threads);
}

/* In a row they follow from the warp's number. */
static void name_tids_of_row(struct ptx_native *n)
{
    ptx_native_do(n, "%%tid.0.0 = shl nuw nsw i32 %%state.%zu, 5", OF_BLOCK(warp));
    ptx_native_do(n, "%%tid.0.1 = or i32 %%tid.0.0, %d", PTX_NATIVE_LANES / 2);
    const struct ptx_native_value first =
        ptx_native_vector(n, ptx_native_number(n, 32, "%tid.0.0"));
    ptx_native_do(n, "%%tid.0 = or <32 x i32> %s, %s", first.text, ptx_native_iota(32));
    for (unsigned axis = 1; axis < 3; axis++) {
        ptx_native_do(n, "%%tid.%u = or <32 x i32> zeroinitializer, zeroinitializer", axis);
        for (unsigned half = 0; half < 2; half++)
            ptx_native_do(n, "%%tid.%u.%u = or i32 0, 0", axis, half);
    }
}

static void name_tids(struct ptx_native *n)
{
    if (ptx_native_is_one_row(n->e->target->threads)) {
        name_tids_of_row(n);
        return;
    }
    for (unsigned axis = 0; axis < 3; axis++) {
        const char *from =
            ptx_native_emit(n, "add i64 %%state.%zu, %u", OF_BLOCK(tids), axis * 128);
        const char *v = ptx_native_pointer_type(n, "<32 x i32>"),
                   *w = ptx_native_pointer_type(n, "i32");
        ptx_native_do(n, "%%tid.%u = load <32 x i32>, %s %s, align 64, !invariant.load !0", axis, v,
                      ptx_native_pointer(n, "<32 x i32>", from));
        for (unsigned half = 0; half < 2; half++) {
            const char *at =
                ptx_native_pointer(n, "i32", ptx_native_emit(n, "add i64 %s, %u", from, half * 64));
            const char *tid =
                ptx_native_emit(n, "load i32, %s %s, !invariant.load !0, !range !8", w, at);
            ptx_native_do(n, "%%tid.%u.%u = and i32 %s, %d", axis, half, tid,
                          starts_row(n, axis, half) ? -PTX_NATIVE_LANES : -1);
        }
    }
}

void ptx_native_turn(struct ptx_native *n)
{
    enum { TIDS = 3 * PTX_NATIVE_LANES * 4 };
    struct ptx_native_flow *f = n->flow;
    if (f->by_thread) {
        ptx_native_turn_of_thread(n);
        return;
    }
    ptx_native_do(n, "%%state.%zu = load i32, %s %s", OF_BLOCK(warp),
                  ptx_native_pointer_type(n, "i32"), f->is_together ? "%within" : "%warp");
    if (f->is_swept || f->is_in_rows || f->is_together)
        ptx_native_do(n, "%s = add i32 %s, %s", PTX_NATIVE_COLUMN,
                      ptx_native_of_block(n, OF_BLOCK(index), "i32"),
                      ptx_native_load_word(n, "%column"));
    ptx_native_check_turn(n);
    ptx_native_do(n, "%%warp.wide = zext i32 %s to i64", ptx_native_load_word(n, "%warp"));
    ptx_native_do(n, "%%within.wide = zext i32 %%state.%zu to i64", OF_BLOCK(warp));
    name_of_warp(n, OF_BLOCK(frame), "%warp.wide", f->frame_bytes);
    name_of_warp(n, OF_BLOCK(local), "%warp.wide", PTX_NATIVE_LANES * f->local_bytes);
    name_of_warp(n, OF_BLOCK(tids), "%within.wide", TIDS);
    name_tids(n);
    if (f->has_calls) {
        const char *own = ptx_native_emit(n, "add i64 %%state, %zu", OF_BLOCK(own_tids));
        ptx_native_do(n, "store i64 %%state.%zu, %s %s", OF_BLOCK(tids),
                      ptx_native_pointer_type(n, "i64"), ptx_native_pointer(n, "i64", own));
    }
    const char *turns = ptx_native_of_block(n, OF_BLOCK(turns), "i64");
    const char *behind =
        ptx_native_emit(n, "mul i64 %%warp.wide, %zu", sizeof(struct ptx_native_turn));
    ptx_native_do(n, "%%turn.at = add i64 %s, %s", turns, behind);
    const char *lanes = "-1";
    if (f->site_count > 0) {
        if (!f->is_quiet)
            ptx_native_do(n, "%%state.%zu = or i32 %s, 0", OF_BLOCK(result),
                          load_turn(n, OF_TURN(result)));
        if (!f->is_full)
            lanes = load_turn(n, OF_TURN(lanes));
    } else if (!f->is_full) {
        const char *next = ptx_native_emit(n, "add i32 %%state.%zu, 1", OF_BLOCK(warp));
        const char *is_last = ptx_native_emit(n, "icmp eq i32 %s, %s", next,
                                              ptx_native_of_block(n, OF_BLOCK(end), "i32"));
        lanes = ptx_native_emit(n, "select i1 %s, i32 %s, i32 -1", is_last,
                                ptx_native_of_block(n, OF_BLOCK(last_lanes), "i32"));
    }
    ptx_native_do(n, "%%state.%zu = or i32 %s, 0", OF_BLOCK(lanes), lanes);
}

/* ---- Warps that are told of late ---- */

bool ptx_native_can_be_quiet(const struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    if (f->site_count == 0 || !f->is_full || f->is_together || ptx_native_is_checked(n))
        return false;
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        if (ptx_is_barrier(in) &&
            (!ptx_native_is_plain_barrier(f, in) || in->operands[0].bits != 0))
            return false;
    }
    return true;
}

static const char *is_noted(struct ptx_native *n)
{
    return ptx_native_emit(n, "icmp ne i32 %s, 0", ptx_native_load_word(n, "%noted"));
}

/* Warps that are not told of are all at one site, and live. */
static void pass_if_quiet(struct ptx_native *n, const char *live)
{
    const char *look = ptx_native_name(n, "look");
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_noted(n), look, live);
    ptx_native_label(n, look);
}

/* A warp has come where the others have, of whom nothing is told, or is told of with them. */
static void arrive_quietly(struct ptx_native *n)
{
    const char *same = ptx_native_name(n, "quiet"), *other = ptx_native_name(n, "tell");
    const char *came = ptx_native_load_word(n, "%came"),
               *common = ptx_native_load_word(n, "%common");
    const char *is_first = ptx_native_emit(n, "icmp eq i32 %s, -1", common);
    const char *is_same = ptx_native_emit(n, "icmp eq i32 %s, %s", common, came);
    const char *is_like = ptx_native_emit(n, "or i1 %s, %s", is_first, is_same);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s",
                  ptx_native_emit(n, "select i1 %s, i1 false, i1 %s", is_noted(n), is_like), same,
                  other);
    ptx_native_label(n, other);
    const char *warp = ptx_format(n->e, "%%state.%zu", OF_BLOCK(warp));
    ptx_native_tell_turns(n, warp, ptx_native_emit(n, "add i32 %s, 1", warp), came);
    ptx_native_jump(n, "over");
    ptx_native_label(n, same);
    ptx_native_store_word(n, "%common", came);
}

void ptx_native_enter_turn(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    if (f->site_count == 0) {
        ptx_native_jump(n, "start");
        return;
    }
    const char *live = ptx_native_name(n, "live");
    if (f->is_quiet)
        pass_if_quiet(n, live);
    const char *lanes = f->is_full ? load_turn(n, OF_TURN(lanes))
                                   : ptx_format(n->e, "%%state.%zu", OF_BLOCK(lanes));
    const char *is_none = ptx_native_emit(n, "icmp eq i32 %s, 0", lanes);
    ptx_native_do(n, "br i1 %s, label %%over, label %%%s", is_none, live);
    ptx_native_label(n, live);
    ptx_text_add(n->e->out, "  switch i32 %s, label %%start [", ptx_native_load_word(n, "%site"));
    for (int32_t i = 1; i <= f->site_count; i++)
        ptx_text_add(n->e->out, " i32 %d, label %%S%d", (int)i, (int)i);
    ptx_text_put(n->e->out, " ]\n");
}

/* Whether a block is one row of threads: then all of its warps have their turns before the next block's, as their memory lies. Where it
 * is known, what turns have alike is computed before them. */
static const char *is_row(struct ptx_native *n)
{
    const enum ptx_threads threads = n->e->target->threads;
    if (threads != PTX_THREADS_ANY)
        return ptx_native_is_one_row(threads) ? "true" : "false";
    const size_t block = offsetof(struct ptx_native_launch, block);
    const char *rows =
        ptx_native_emit(n, "mul i32 %s, %s", ptx_native_of_launch(n, block + 4, "i32"),
                        ptx_native_of_launch(n, block + 8, "i32"));
    return ptx_native_emit(n, "icmp eq i32 %s, 1", rows);
}

/* The next block's turn, of this warp or from the first one on; in "last" there is none, and the first block comes again. */
static void next_column(struct ptx_native *n)
{
    const char *next = ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, "%column"));
    const char *is_in = ptx_native_emit(n, "icmp ult i32 %s, %s", next,
                                        ptx_native_of_block(n, OF_BLOCK(columns), "i32"));
    ptx_native_store_word(n, "%column",
                          ptx_native_emit(n, "select i1 %s, i32 %s, i32 0", is_in, next));
    ptx_native_do(n, "br i1 %s, label %%turn, label %%last", is_in);
}

static void next_in_sweep(struct ptx_native *n)
{
    ptx_native_do(n, "br i1 %%is.row, label %%along, label %%across");
    ptx_native_label(n, "along");
    const char *next = ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, "%warp"));
    const char *is_in = ptx_native_emit(n, "icmp ult i32 %s, %s", next,
                                        ptx_native_of_block(n, OF_BLOCK(end), "i32"));
    const char *first = ptx_native_of_block(n, OF_BLOCK(first), "i32");
    ptx_native_store_word(n, "%warp",
                          ptx_native_emit(n, "select i1 %s, i32 %s, i32 %s", is_in, next, first));
    ptx_native_do(n, "br i1 %s, label %%turn, label %%across", is_in);
    ptx_native_label(n, "across");
    next_column(n);
    ptx_native_label(n, "last");
    ptx_native_do(n, "br i1 %%is.row, label %%leave, label %%down");
    ptx_native_label(n, "down");
}

/* Which warp of its block the next one is, and of which block: a block's warps one after the other, or, in loops, those of all blocks
 * that lie in a row of threads. */
static void count_within(struct ptx_native *n)
{
    const bool is_across = n->flow->ticket != NULL;
    const char *inner = is_across ? "%within" : "%column",
               *outer = is_across ? "%column" : "%within";
    const char *count = is_across ? "%warps" : ptx_native_of_block(n, OF_BLOCK(columns), "i32");
    const char *next = ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, inner));
    const char *is_last = ptx_native_emit(n, "icmp eq i32 %s, %s", next, count);
    ptx_native_store_word(n, inner,
                          ptx_native_emit(n, "select i1 %s, i32 0, i32 %s", is_last, next));
    const char *more = ptx_native_emit(n, "zext i1 %s to i32", is_last);
    ptx_native_store_word(
        n, outer, ptx_native_emit(n, "add i32 %s, %s", ptx_native_load_word(n, outer), more));
}

/* How many warps a block has. */
static void name_warps(struct ptx_native *n)
{
    const size_t block = offsetof(struct ptx_native_launch, block);
    const char *threads = ptx_native_of_launch(n, block, "i32");
    for (size_t axis = 1; axis < 3; axis++)
        threads = ptx_native_emit(n, "mul i32 %s, %s", threads,
                                  ptx_native_of_launch(n, block + 4 * axis, "i32"));
    ptx_native_do(n, "%%warps = lshr i32 %s, 5", ptx_native_emit(n, "add i32 %s, 31", threads));
}

void ptx_native_next_warp(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    if (f->is_together)
        count_within(n);
    const char *next = ptx_native_emit(n, "add%s i32 %s, 1", f->has_legs ? " nuw nsw" : "",
                                       ptx_native_load_word(n, "%warp"));
    ptx_native_store_word(n, "%warp", next);
    const char *end = f->has_legs ? "%end" : ptx_native_of_block(n, OF_BLOCK(end), "i32");
    const char *is_more = ptx_native_emit(n, "icmp ult i32 %s, %s", next, end);
    if (f->has_rests) {
        const char *rest = ptx_native_load_word(n, "%rest");
        const char *is_none = ptx_native_emit(n, "icmp eq i32 %s, -1", rest);
        is_more = ptx_native_emit(n, "and i1 %s, %s", is_more, is_none);
    }
    ptx_native_do(n, "br i1 %s, label %%turn, label %%leave", is_more);
}

/* What turns begin with: those of a call, at the site that the runtime names, or of another block of the row. */
static void reset_turns(struct ptx_native *n, const char *site)
{
    const struct ptx_native_flow *f = n->flow;
    ptx_native_store_word(n, "%warp", ptx_native_first_warp(n));
    ptx_native_store_word(n, "%site", site);
    ptx_native_store_word(n, "%came", "0");
    ptx_native_store_word(n, "%common", f->is_quiet ? "-1" : "0");
    ptx_native_store_word(n, "%mixed", "0");
    ptx_native_reset_strolls(n);
    if (f->has_rests)
        ptx_native_store_word(n, "%rest", "-1");
}

/* All warps of a block have ended: the next block's turn, or none is left. */
void ptx_native_end_block(struct ptx_native *n)
{
    if (n->flow->is_in_rows) {
        const char *next = ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, "%column"));
        const char *is_in = ptx_native_emit(n, "icmp ult i32 %s, %s", next,
                                            ptx_native_of_block(n, OF_BLOCK(columns), "i32"));
        ptx_native_store_word(n, "%column", next);
        ptx_native_do(n, "br i1 %s, label %%another, label %%last", is_in);
        ptx_native_label(n, "another");
        reset_turns(n, "0");
        if (n->flow->is_quiet && !n->flow->has_legs)
            ptx_native_store_word(n, "%noted", "0");
        ptx_native_jump(n, n->flow->has_legs ? "leg.0" : "turn");
        ptx_native_label(n, "last");
    }
    ptx_native_leave_waiting(n);
    ptx_native_end_past(n);
    ptx_native_do(n, "ret i32 0");
}

/* The runtime goes on with a block of a row, which it has to know, and comes again for those behind it. */
static void hand_over(struct ptx_native *n)
{
    const char *const type = ptx_native_pointer_type(n, "i32");
    const char *index = ptx_native_emit(n, "add i64 %%state, %zu", OF_BLOCK(index));
    const char *columns = ptx_native_emit(n, "add i64 %%state, %zu", OF_BLOCK(columns));
    ptx_native_do(n, "store i32 %s, %s %s", PTX_NATIVE_COLUMN, type,
                  ptx_native_pointer(n, "i32", index));
    ptx_native_do(n, "store i32 1, %s %s", type, ptx_native_pointer(n, "i32", columns));
}

static void stop(struct ptx_native *n, const char *is_told)
{
    ptx_native_label(n, "stop");
    ptx_native_do(n, "br i1 %s, label %%told, label %%ended", is_told);
    ptx_native_label(n, "told");
    if (n->flow->is_in_rows)
        hand_over(n);
    ptx_native_leave_waiting(n);
    ptx_native_end_past(n);
    ptx_native_do(n, "ret i32 -1");
    ptx_native_label(n, "ended");
    ptx_native_end_block(n);
}

void ptx_native_end_turn(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    ptx_native_label(n, "done");
    if (f->is_quiet) {
        ptx_native_store_word(n, "%came", "0");
        ptx_native_jump(n, "arrived");
        ptx_native_label(n, "arrived");
        arrive_quietly(n);
    } else if (f->site_count > 0) {
        ptx_native_store_word(n, ptx_native_of_turn(n, OF_TURN(site)), "0");
        ptx_native_store_word(n, ptx_native_of_turn(n, OF_TURN(lanes)), "0");
        ptx_native_jump(n, "over");
        ptx_native_label(n, "arrived");
        const char *came = ptx_native_load_word(n, "%came"),
                   *common = ptx_native_load_word(n, "%common");
        const char *is_first = ptx_native_emit(n, "icmp eq i32 %s, 0", common);
        const char *is_same = ptx_native_emit(n, "icmp eq i32 %s, %s", common, came);
        const char *is_like = ptx_native_emit(n, "or i1 %s, %s", is_first, is_same);
        const char *mixed = ptx_native_load_word(n, "%mixed");
        ptx_native_store_word(n, "%mixed",
                              ptx_native_emit(n, "select i1 %s, i32 %s, i32 1", is_like, mixed));
        ptx_native_store_word(n, "%common", came);
        ptx_native_store_word(n, ptx_native_of_turn(n, OF_TURN(site)), came);
    }
    ptx_native_jump(n, "over");
    ptx_native_label(n, "over");
    if (f->is_swept)
        next_in_sweep(n);
    if (f->by_thread)
        ptx_native_next_thread(n);
    else
        ptx_native_next_warp(n);
    ptx_native_label(n, "leave");
    if (f->site_count == 0) {
        ptx_native_end_block(n);
        return;
    }
    const char *together = ptx_native_of_block(n, OF_BLOCK(is_together), "i32");
    const char *alone = ptx_native_emit(n, "icmp eq i32 %s, 0", together);
    if (f->has_rests)
        ptx_native_end_rest(n, alone);
    const char *mixed = ptx_native_emit(n, "icmp ne i32 %s, 0", ptx_native_load_word(n, "%mixed"));
    const char *common = ptx_native_load_word(n, "%common");
    const char *is_over =
        ptx_native_emit(n, f->is_quiet ? "icmp sle i32 %s, 0" : "icmp eq i32 %s, 0", common);
    const char *is_told = ptx_native_emit(n, "or i1 %s, %s", alone, mixed);
    const char *stops = ptx_native_emit(n, "or i1 %s, %s", is_told, is_over);
    ptx_native_do(n, "br i1 %s, label %%stop, label %%again", stops);
    stop(n, is_told);
    ptx_native_label(n, "again");
    ptx_native_check_meeting(n);
    if (f->ticket)
        ptx_native_draw_all(n);
    if (f->is_together) {
        ptx_native_store_word(n, "%within", "0");
        ptx_native_store_word(n, "%column", "0");
    }
    ptx_native_stroll_on(n, common);
    ptx_native_store_word(n, "%site", common);
    ptx_native_store_word(n, "%common", f->is_quiet ? "-1" : "0");
    if (f->has_rests)
        ptx_native_store_word(n, "%rest", "-1");
    ptx_native_store_word(n, "%warp", ptx_native_of_block(n, OF_BLOCK(first), "i32"));
    ptx_native_jump(n, "turn");
}

/* What a block begins with is not told of; of what the runtime goes on with, it knows. */
static void begin_quietly(struct ptx_native *n, const char *site)
{
    const char *together = ptx_native_of_block(n, OF_BLOCK(is_together), "i32");
    const char *is_later = ptx_native_emit(n, "icmp ne i32 %s, 0", site);
    const char *is_alone = ptx_native_emit(n, "icmp eq i32 %s, 0", together);
    const char *is_told = ptx_native_emit(n, "or i1 %s, %s", is_later, is_alone);
    ptx_native_do(n, "%%noted = alloca i32");
    ptx_native_store_word(n, "%noted", ptx_native_emit(n, "zext i1 %s to i32", is_told));
}

void ptx_native_begin_turns(struct ptx_native *n)
{
    const char *site = ptx_native_of_block(n, OF_BLOCK(site), "i32");
    static const char *const words[] = {"%warp",   "%site",   "%came", "%common", "%mixed",
                                        "%column", "%within", "%rest", "%rest.at"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ptx_native_do(n, "%s = alloca i32", words[i]);
    ptx_native_store_word(n, "%column", "0");
    ptx_native_store_word(n, "%within", "0");
    if (n->flow->is_together)
        name_warps(n);
    if (n->flow->is_swept)
        ptx_native_do(n, "%%is.row = or i1 %s, false", is_row(n));
    if (n->flow->is_quiet && !n->flow->has_legs)
        begin_quietly(n, site);
    ptx_native_begin_strolls(n);
    reset_turns(n, site);
}
