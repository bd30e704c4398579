/* Legs: what the warps of a block do from one site, a barrier or the block's start, to the next one. Where all warps come to the same one,
 * whatever threads find on their way, a leg is a loop over warps with a text of its own, and the next leg follows: nobody
 * asks where a warp goes on, and what all threads of a block have alike is one value of the block's and in no warp's frame.
 *
 * A leg's text is that of the nodes between its site and the next ones. What names it defines end in the leg's number.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

#define OF_BLOCK(member) offsetof(struct ptx_native_block, member)

/* Instructions of all legs together; a node belongs to each leg that leads through it. */
enum { MOST_INSTRUCTIONS = 1536, MOST_LEGS = 24 };

/* ---- Nodes of a leg ---- */

struct walk {
    const struct ptx_native_flow *f;
    bool *is_in; /* per node */
    int32_t *queue;
    size_t count;
};

static struct walk walk_of(struct ptx_native *n, bool *is_in)
{
    const struct ptx_flow *g = n->flow->graph;
    memset(is_in, 0, g->count * sizeof *is_in);
    return (struct walk){n->flow, is_in,
                         ptx_arena_array(n->e->arena, g->count + 1, sizeof(int32_t)), 0};
}

static void add(struct walk *w, int32_t node)
{
    if (w->is_in[node])
        return;
    w->is_in[node] = true;
    if (!w->f->sites[node])
        w->queue[w->count++] = node;
}

static void add_next(struct walk *w, int32_t node)
{
    const struct ptx_node *from = &w->f->graph->nodes[node];
    ptx_steps(w->f->graph->arena, 1 + from->next_count);
    for (uint32_t i = 0; i < from->next_count; i++)
        add(w, from->next[i]);
}

static void add_rest(struct walk *w)
{
    for (size_t i = 0; i < w->count; i++)
        add_next(w, w->queue[i]);
}

static const struct ptx_native_stroll *stroll_of_site(const struct ptx_native_flow *f, int32_t site)
{
    for (size_t i = 0; i < f->stroll_count; i++)
        if (f->strolls[i].site == site)
            return &f->strolls[i];
    return NULL;
}

/* Those of the leg from a site on, with those that its ends begin. */
static void find_nodes(struct ptx_native *n, int32_t site)
{
    struct ptx_native_flow *f = n->flow;
    struct walk w = walk_of(n, f->is_in_leg);
    const struct ptx_native_stroll *stroll = stroll_of_site(f, site);
    if (site == 0)
        add(&w, f->graph->order[0]);
    else if (!stroll)
        add_next(&w, ptx_native_node_of_site(f, site));
    for (size_t i = 0; stroll && i < f->graph->reachable; i++)
        if (stroll->has_lanes[f->graph->order[i]])
            add(&w, f->graph->order[i]);
    add_rest(&w);
    f->leg_returns = true;
    if (site == 0 || stroll)
        return;
    bool *const is_in = &f->is_in_leg[ptx_native_node_of_site(f, site)];
    f->leg_returns = *is_in;
    *is_in = true;
}

/* Whether the next leg may begin at a site. */
static bool leads_to(const struct ptx_native_flow *f, int32_t site)
{
    const struct ptx_native_stroll *stroll = stroll_of_site(f, site);
    const int32_t node =
        stroll ? f->graph->order[stroll->loop.head] : ptx_native_node_of_site(f, site);
    return f->is_in_leg[node] && (site != f->leg || f->leg_returns);
}

/* The first warp may go alone from a site on (solo.c). */
static bool goes_solo(const struct ptx_native_flow *f, int32_t site)
{
    return site > 0 && !stroll_of_site(f, site) &&
           ptx_native_goes_solo(f, ptx_native_node_of_site(f, site));
}

int32_t ptx_native_next_in_leg(const struct ptx_native_flow *f, int32_t position)
{
    for (position++; (size_t)position < f->graph->reachable; position++)
        if (!f->has_legs || f->is_in_leg[f->graph->order[position]])
            break;
    return position;
}

bool ptx_native_ends_loop(const struct ptx_native_flow *f, const struct ptx_native_loop *loop,
                          int32_t position)
{
    if (!f->has_legs)
        return loop->last == position;
    return f->is_in_leg[f->graph->order[loop->head]] && position >= loop->head &&
           position <= loop->last && ptx_native_next_in_leg(f, position) > loop->last;
}

/* ---- Whether all warps come to the same site ---- */

enum { NOWHERE = -1, ANYWHERE = -2 };

static void note_end(int32_t *to, int32_t site)
{
    *to = *to == NOWHERE || *to == site ? site : ANYWHERE;
}

/* The site that all ways lead to from a node, but for those that come to `meeting` first; NOWHERE: all do so; ANYWHERE: several. Whether
 * a loop that strolls lies on them. */
static int32_t site_from(struct ptx_native *n, int32_t node, int32_t meeting, bool *strolls)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_flow *g = f->graph;
    bool *is_in = ptx_arena_take(n->e->arena, g->count + 1);
    struct walk w = walk_of(n, is_in);
    int32_t to = NOWHERE;
    if (meeting != PTX_NO_NODE)
        is_in[meeting] = true; /* nobody goes on from there */
    w.queue[w.count++] = node;
    add_rest(&w);
    for (size_t i = 0; i < g->reachable; i++) {
        const int32_t at = g->order[i];
        if ((!is_in[at] && at != node) || at == meeting)
            continue;
        for (size_t j = 0; j < f->stroll_count; j++)
            *strolls |=
                (int32_t)i >= f->strolls[j].loop.head && (int32_t)i <= f->strolls[j].loop.last;
        if (is_in[at] && f->sites[at])
            note_end(&to, f->sites[at]);
        if (g->nodes[at].leaves && (at == node || !f->sites[at]))
            note_end(&to, 0);
    }
    return to;
}

/* Whether a warp as a whole may take a way that does not lead past the nodes between. */
static bool may_jump(const struct ptx_native_flow *f, int32_t node)
{
    return !f->uniform.is_divergent[node] &&
           (f->uniform.branches[node] || f->graph->nodes[node].next_count < 2);
}

static bool keeps_together(struct ptx_native *n, const struct ptx_uniformity *of_block,
                           int32_t node)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_node *range = &f->graph->nodes[node];
    const struct ptx_instruction *last = &f->function->instructions[range->end - 1];
    const bool is_one_way = range->next_count < 2 && (!range->leaves || last->guard < 0);
    bool strolls = false;
    if (is_one_way || (last->opcode == PTX_OPCODE_bra && of_block->registers[last->guard]))
        return true;
    const int32_t meeting = f->graph->postdominator[node];
    const bool is_met =
        (meeting != PTX_NO_NODE && site_from(n, node, meeting, &strolls) == NOWHERE) ||
        site_from(n, node, PTX_NO_NODE, &strolls) != ANYWHERE;
    return is_met && (!strolls || !may_jump(f, node));
}

static bool are_together(struct ptx_native *n, const struct ptx_uniformity *of_block)
{
    const struct ptx_native_flow *f = n->flow;
    for (size_t i = 0; i < f->graph->reachable; i++)
        if (!keeps_together(n, of_block, f->graph->order[i]))
            return false;
    return true;
}

/* ---- Values of the block ---- */

/* What is in one place, and the same for all warps wherever they wait. */
static void find_of_block(struct ptx_native *n, const struct ptx_uniformity *of_block)
{
    struct ptx_native_flow *f = n->flow;
    for (uint32_t r = 0; r < f->function->register_count; r++) {
        f->is_of_block[r] = f->is_across[r] && f->has_place[r] && of_block->registers[r] &&
                            ptx_native_is_uniform(n, r) && ptx_native_parts(n, r) == 1;
        if (f->is_of_block[r])
            f->is_kept[r] = f->is_framed[r] = false;
    }
}

static size_t instructions_of_leg(const struct ptx_native_flow *f)
{
    size_t all = 0;
    for (size_t i = 0; i < f->graph->count; i++)
        if (f->is_in_leg[i])
            all += f->graph->nodes[i].end - f->graph->nodes[i].first;
    return all;
}

/* Notes which legs follow a leg. Returns whether there are any of which nobody knew. */
static bool look_behind(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const int32_t to =
        goes_solo(f, f->leg) ? ptx_native_solo_end(f, ptx_native_node_of_site(f, f->leg)) : 0;
    bool has_more = false;
    find_nodes(n, f->leg);
    for (int32_t site = 1; site <= f->site_count; site++) {
        const bool follows = goes_solo(f, f->leg) ? site == to : leads_to(f, site);
        has_more |= follows && !f->has_leg[site];
        f->has_leg[site] |= follows;
    }
    return has_more;
}

/* A site that is come to only where the first warp goes past it needs no leg. Returns the instructions of all. */
static size_t look_at_legs(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    size_t all = 0;
    bool has_more = true;
    f->has_leg = ptx_arena_take(n->e->arena, (size_t)f->site_count + 1);
    f->is_chained = ptx_arena_take(n->e->arena, (size_t)f->site_count + 1);
    f->has_leg[0] = true;
    while (has_more) {
        has_more = false;
        all = 0;
        for (f->leg = 0; f->leg <= f->site_count; f->leg++) {
            if (!f->has_leg[f->leg])
                continue;
            has_more |= look_behind(n);
            all += instructions_of_leg(f);
        }
    }
    return all;
}

void ptx_native_find_legs(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    f->is_of_block = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    if (!f->is_quiet || !f->is_in_rows || f->site_count > MOST_LEGS ||
        f->function->instruction_count > MOST_INSTRUCTIONS)
        return;
    const struct ptx_uniformity of_block = ptx_flow_uniformity(n->e->arena, f->graph);
    f->is_in_leg = ptx_arena_take(n->e->arena, f->graph->count + 1);
    f->has_legs = are_together(n, &of_block);
    f->has_legs &= look_at_legs(n) <= MOST_INSTRUCTIONS;
    if (f->has_legs)
        find_of_block(n, &of_block);
}

/* ---- The text ---- */

/* Others have no turn, so that all lanes may be known to take the branch. */
static void assume_busy(struct ptx_native *n, int64_t warps)
{
    if (warps == 0)
        return; /* the first one has it all the same */
    ptx_native_declare(n, "declare void @llvm.assume(i1)");
    const char *is_busy =
        ptx_native_emit(n, "icmp ult i32 %s, %lld", ptx_native_of_block(n, OF_BLOCK(warp), "i32"),
                        (long long)warps);
    ptx_native_do(n, "call void @llvm.assume(i1 %s)", is_busy);
}

static void begin_leg(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    ptx_native_label(n, "turn");
    ptx_native_turn(n);
    if (f->short_at != PTX_NO_NODE)
        assume_busy(n, ptx_native_busy_warps(f, f->short_at));
    for (size_t i = 0; i < f->graph->reachable; i++)
        if (f->is_in_leg[f->graph->order[i]])
            ptx_native_store_word(n, ptx_native_word_of(n, f->graph->order[i]), "0");
    if (f->sure)
        ptx_native_begin_sure(n);
    if (f->leg > 0) {
        ptx_native_jump(n, ptx_format(n->e, "S%d", (int)f->leg));
        return;
    }
    f->begin_nodes(n);
}

static void next_leg(struct ptx_native *n, const char *came)
{
    const struct ptx_native_flow *f = n->flow;
    ptx_text_add(n->e->out, "  switch i32 %s, label %%ended [", came);
    for (int32_t site = 1; site <= f->site_count; site++)
        if (leads_to(f, site))
            ptx_text_add(n->e->out, " i32 %d, label %%leg.%d", (int)site, (int)site);
    ptx_text_put(n->e->out, " ]\n");
}

static void end_leg(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    ptx_native_label(n, "done");
    ptx_native_store_word(n, "%came", "0");
    ptx_native_jump(n, "arrived");
    ptx_native_label(n, "arrived");
    ptx_native_next_warp(n);
    ptx_native_label(n, "leave");
    const char *came = ptx_native_load_word(n, "%came");
    ptx_native_stroll_on(n, came);
    ptx_native_keep_of_block(n);
    ptx_native_store_word(n, "%warp", ptx_native_first_warp(n));
    if (f->has_rests)
        ptx_native_store_word(n, "%rest", "-1");
    next_leg(n, came);
}

/* A leg of the first warp alone, and all others that it goes through so. */
static void write_solo(struct ptx_native *n, int32_t node)
{
    struct ptx_native_flow *f = n->flow;
    ptx_native_turn(n);
    f->node = node;
    f->is_divergent = false;
    ptx_native_restore_at(n, node);
    const int32_t to = ptx_native_go_solo(n);
    if (to > 0)
        ptx_native_save_at(n, ptx_native_node_of_site(f, to));
    ptx_native_keep_of_block(n);
    ptx_native_jump(n, to > 0 ? ptx_format(n->e, "leg.%d", (int)to) : "ended");
}

/* Where each of a leg's warps begins with a branch that leaves those from a number on without work, it has no more. */
static void find_end(struct ptx_native *n)
{
    enum { MOST_WARPS = 63 }; /* a block has 32, and LLVM is told that they are few */
    struct ptx_native_flow *f = n->flow;
    const int32_t first = f->leg == 0                 ? f->graph->order[0]
                          : stroll_of_site(f, f->leg) ? PTX_NO_NODE
                                                      : ptx_native_node_of_site(f, f->leg);
    const int64_t busy = first == PTX_NO_NODE ? -1 : ptx_native_busy_warps(f, first);
    const char *end = ptx_native_of_block(n, OF_BLOCK(end), "i32");
    f->short_at = busy >= 0 ? first : PTX_NO_NODE;
    if (busy >= 0) {
        const char *is_more = ptx_native_emit(n, "icmp ugt i32 %s, %lld", end, (long long)busy);
        end = ptx_native_emit(n, "select i1 %s, i32 %lld, i32 %s", is_more, (long long)busy, end);
    }
    ptx_native_do(n, "%%end = and i32 %s, %d", end, MOST_WARPS);
}

/* Where all warps come to that do not stroll, if that is one site; otherwise 0, as if they ended. */
static int32_t usual_end(const struct ptx_native_flow *f)
{
    int32_t to = 0;
    for (int32_t site = 1; site <= f->site_count; site++) {
        if (!leads_to(f, site) || stroll_of_site(f, site))
            continue;
        if (to > 0)
            return 0;
        to = site;
    }
    return to;
}

static void write_warps(struct ptx_native *n)
{
    ptx_native_jump(n, "turn");
    begin_leg(n);
    n->flow->write_nodes(n);
    end_leg(n);
}

/* What is written, once more or for the first time: its names end in what it is for. */
static void write_piece(struct ptx_native *n, const char *suffix)
{
    struct ptx_native_flow *f = n->flow;
    const size_t start = f->code->used;
    f->asked_count = 0;
    ptx_native_label(n, "leg");
    find_end(n);
    ptx_native_store_word(n, "%came", ptx_format(n->e, "%d", (int)f->comes_to));
    if (goes_solo(f, f->leg))
        write_solo(n, ptx_native_node_of_site(f, f->leg));
    else
        write_warps(n);
    ptx_native_end_piece(n, start, suffix);
}

/* ---- Few warps, each alone ---- */

static const char *name_of_step(struct ptx_native *n, uint32_t step)
{
    return ptx_format(n->e, ".%d%c%u", (int)n->flow->leg, n->flow->step_letter, (unsigned)step);
}

/* One warp's part of a step, and the way to the next one's. */
static void write_step(struct ptx_native *n, int32_t site, uint32_t warp, uint32_t *step)
{
    struct ptx_native_flow *f = n->flow;
    const size_t start = f->code->used;
    const int32_t node = ptx_native_node_of_site(f, site);
    ptx_native_label(n, "step");
    ptx_native_store_word(n, "%warp", ptx_format(n->e, "%u", (unsigned)warp));
    ptx_native_turn(n);
    f->solo_warp = warp;
    f->is_divergent = false;
    ptx_native_restore_at(n, node);
    ptx_native_go_as_one(n, node);
    f->solo_warp = 0;
    ptx_native_jump(n, ptx_format(n->e, "step%s", name_of_step(n, *step + 1)));
    ptx_native_end_piece(n, start, name_of_step(n, *step));
    ++*step;
}

/* Behind the last step the first warp goes on alone, or all go on as ever. */
static void write_last_step(struct ptx_native *n, int32_t site, uint32_t step)
{
    struct ptx_native_flow *f = n->flow;
    const size_t start = f->code->used;
    ptx_native_label(n, "step");
    ptx_native_store_word(n, "%warp", "0");
    if (goes_solo(f, site))
        write_solo(n, ptx_native_node_of_site(f, site));
    else {
        ptx_native_store_late(n);
        ptx_native_jump(n, ptx_format(n->e, "leg.%d", (int)site));
    }
    ptx_native_end_piece(n, start, name_of_step(n, step));
}

/* As long as few warps are busy, from a site on; where they are written: it needs no steps of its own. */
static void write_steps(struct ptx_native *n, int32_t site, uint32_t warps, bool *is_chained)
{
    struct ptx_native_flow *f = n->flow;
    uint32_t step = 0, busy = warps;
    f->keeps_on = true;
    for (size_t i = 0; i < f->graph->count; i++) {
        if (!ptx_native_go_few(n, ptx_native_node_of_site(f, site), &busy) || busy > warps)
            break;
        for (uint32_t warp = 0; warp < busy; warp++)
            write_step(n, site, warp, &step);
        site = f->rests[ptx_native_node_of_site(f, site)].site;
        if (is_chained)
            is_chained[site] = true;
    }
    write_last_step(n, site, step);
    f->keeps_on = false;
}

/* ---- Blocks that are sure ---- */

static const char *name_of_row(struct ptx_native *n, uint32_t warp)
{
    return ptx_format(n->e, ".0r%u", (unsigned)warp);
}

/* One warp's part of the first leg, and the way to the next one's, or to the steps behind the last. */
static void write_row(struct ptx_native *n, uint32_t warp, uint32_t warps)
{
    struct ptx_native_flow *f = n->flow;
    const size_t start = f->code->used;
    f->asked_count = 0;
    ptx_native_label(n, "row");
    ptx_native_store_word(n, "%warp", ptx_format(n->e, "%u", (unsigned)warp));
    ptx_native_jump(n, "turn");
    f->solo_warp = warp;
    begin_leg(n);
    f->write_nodes(n);
    f->solo_warp = 0;
    ptx_native_label(n, "done");
    ptx_native_jump(n, "arrived");
    ptx_native_label(n, "arrived");
    if (warp + 1 == warps)
        ptx_native_keep_of_block(n);
    ptx_native_jump(n, warp + 1 == warps ? ptx_format(n->e, "step%s", name_of_step(n, 0))
                                         : ptx_format(n->e, "row%s", name_of_row(n, warp + 1)));
    ptx_native_end_piece(n, start, name_of_row(n, warp));
}

/* All warps of a block one after the other, whose rows the steps behind take as values; a block of another size goes another way. */
static void write_rows(struct ptx_native *n, const struct ptx_native_sure *sure, uint32_t warps)
{
    struct ptx_native_flow *f = n->flow;
    const size_t start = f->code->used;
    ptx_native_label(n, "leg");
    const char *are_so_many = ptx_native_emit(
        n, "icmp eq i32 %s, %u", ptx_native_of_block(n, OF_BLOCK(end), "i32"), (unsigned)warps);
    ptx_native_do(n, "br i1 %s, label %%row.0r0, label %%leg.0t", are_so_many);
    ptx_native_end_piece(n, start, ".0s");
    f->step_letter = 'c';
    f->kept_count = f->late_count = 0;
    f->sure = sure;
    f->is_solo = f->fills_slots = true;
    for (uint32_t warp = 0; warp < warps; warp++)
        write_row(n, warp, warps);
    f->is_solo = f->fills_slots = false;
    f->sure = NULL;
    write_steps(n, f->comes_to, warps / 2, NULL);
    find_nodes(n, f->leg);
}

/* The first leg, for blocks that are sure, and for others. */
static void write_sure(struct ptx_native *n, const struct ptx_native_sure *sure)
{
    struct ptx_native_flow *f = n->flow;
    const size_t start = f->code->used;
    ptx_native_label(n, "leg");
    find_end(n);
    ptx_native_look_whether_sure(n, sure);
    ptx_native_end_piece(n, start, ".0");
    const size_t strolls = f->stroll_count;
    uint32_t warps;
    const bool has_rows = ptx_native_stays_in_rows(n, f->comes_to, &warps);
    f->stroll_count = 0; /* its loop is over before warps would go in step */
    if (has_rows)
        write_rows(n, sure, warps);
    f->sure = sure;
    write_piece(n, has_rows ? ".0t" : ".0s");
    f->stroll_count = strolls;
    f->sure = NULL;
    write_piece(n, ".0g");
}

/* From a leg on, as long as few warps are busy: a block that has as many. */
static void write_few(struct ptx_native *n, uint32_t warps)
{
    struct ptx_native_flow *f = n->flow;
    const size_t start = f->code->used;
    const int32_t leg = f->leg;
    f->step_letter = 'f';
    ptx_native_label(n, "leg");
    const char *are_there = ptx_native_emit(
        n, "icmp uge i32 %s, %u", ptx_native_of_block(n, OF_BLOCK(end), "i32"), (unsigned)warps);
    ptx_native_do(n, "br i1 %s, label %%step%s, label %%leg.%dg", are_there, name_of_step(n, 0),
                  (int)leg);
    ptx_native_end_piece(n, start, ptx_format(n->e, ".%d", (int)leg));
    f->kept_count = f->late_count = 0;
    write_steps(n, leg, warps, f->is_chained);
}

static void write_leg(struct ptx_native *n, int32_t site)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_native_sure sure;
    uint32_t warps;
    f->leg = site;
    find_nodes(n, site);
    f->comes_to = usual_end(f);
    if (ptx_native_find_sure(n, &sure)) {
        write_sure(n, &sure);
    } else if (site > 0 && !f->is_chained[site] && !stroll_of_site(f, site) &&
               ptx_native_go_few(n, ptx_native_node_of_site(f, site), &warps)) {
        write_few(n, warps);
        find_nodes(n, site);
        write_piece(n, ptx_format(n->e, ".%dg", (int)site));
    } else {
        write_piece(n, ptx_format(n->e, ".%d", (int)site));
    }
}

void ptx_native_write_legs(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    ptx_native_jump(n, "leg.0");
    for (int32_t site = 0; site <= f->site_count && n->e->status == PTX_OK; site++)
        if (f->has_leg[site])
            write_leg(n, site);
    ptx_native_label(n, "ended");
    ptx_native_end_block(n);
}
