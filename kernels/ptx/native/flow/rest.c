/* Warps that rest: where only threads below some number have work before the next barrier, the warps behind need no turn.
 *
 * At a branch that parts threads by threadIdx.x from one number on, in a block that is one row of them, the warp that comes there
 * tells whether any behind it has threads on the side that does something. Where none has, the turns of all warps behind it
 * are over: they have come to the barrier, or to the end, that the other side leads to. What the runtime knows of them is
 * written only where it is asked for (turn.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

#define OF_BLOCK(member) offsetof(struct ptx_native_block, member)

struct finding {
    struct ptx_native *n;
    struct ptx_uniformity of_block;
    bool *
        is_idle; /* per node: all warps come to its end from a barrier, with nothing done but values computed */
    bool *is_seen; /* per node, while ways are looked through */
};

/* ---- What nodes do ---- */

static const struct ptx_instruction *last_of(const struct ptx_native_flow *f, int32_t node)
{
    return &f->function->instructions[f->graph->nodes[node].end - 1];
}

/* Computes and goes on, behind a barrier that it may begin with. */
static bool only_computes(const struct finding *finding, int32_t node)
{
    const struct ptx_native_flow *f = finding->n->flow;
    const struct ptx_node *range = &f->graph->nodes[node];
    for (uint32_t i = range->first; i < range->end; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        const bool is_start = i == range->first && f->sites[node] > 0;
        const bool is_way = i + 1 == range->end && in->opcode == PTX_OPCODE_bra;
        if (!is_start && !is_way && !ptx_flow_is_pure(f->function, in))
            return false;
    }
    return true;
}

/* All warps of a block take the same way from it. */
static bool goes_on_together(const struct finding *finding, int32_t node)
{
    const struct ptx_native_flow *f = finding->n->flow;
    const struct ptx_instruction *last = last_of(f, node);
    return last->guard < 0 ||
           (last->opcode == PTX_OPCODE_bra && finding->of_block.registers[last->guard]);
}

static bool all_come_idle(const struct finding *finding, int32_t node)
{
    const struct ptx_native_flow *f = finding->n->flow;
    const struct ptx_node *range = &f->graph->nodes[node];
    for (uint32_t i = 0; i < range->previous_count; i++) {
        const int32_t before = range->previous[i];
        if (f->graph->position[before] != PTX_NO_NODE &&
            (!finding->is_idle[before] || !goes_on_together(finding, before)))
            return false;
    }
    return range->previous_count > 0 && node != f->graph->order[0];
}

/* Taken of all at first, until nothing says otherwise. */
static void find_idle(struct finding *finding)
{
    const struct ptx_native_flow *f = finding->n->flow;
    bool has_changed = true;
    for (size_t i = 0; i < f->graph->reachable; i++) {
        const int32_t node = f->graph->order[i];
        finding->is_idle[node] =
            !f->uniform.is_divergent[node] && !f->is_thin[node] && only_computes(finding, node);
    }
    while (has_changed) {
        has_changed = false;
        ptx_steps(f->graph->arena, f->graph->reachable);
        for (size_t i = 0; i < f->graph->reachable; i++) {
            const int32_t node = f->graph->order[i];
            if (!finding->is_idle[node] || f->sites[node] > 0 || all_come_idle(finding, node))
                continue;
            finding->is_idle[node] = false;
            has_changed = true;
        }
    }
}

/* ---- Where it leads ---- */

bool ptx_native_is_plain_barrier(const struct ptx_native_flow *f, const struct ptx_instruction *in)
{
    const struct ptx_function *function = f->function;
    for (size_t i = 0; i < function->instruction_count; i++)
        if (ptx_is_barrier(&function->instructions[i]) &&
            ptx_barrier_arrives(&function->instructions[i]))
            return false;
    return ptx_is_barrier(in) && !ptx_barrier_reduces(in) && in->operand_count == 1 &&
           in->operands[0].kind == PTX_OPERAND_INTEGER;
}

/* The site of the barrier that a way leads to with nothing done on it; 0: it leads to the end; -1: neither. */
static int32_t site_behind(const struct ptx_native_flow *f, uint32_t instruction)
{
    const struct ptx_flow *g = f->graph;
    for (size_t steps = 0; steps <= g->count; steps++) {
        const int32_t node = g->node_of[instruction];
        if (node == PTX_NO_NODE || ptx_flow_only_leaves(g, node))
            return 0;
        const struct ptx_instruction *in = &f->function->instructions[g->nodes[node].first];
        if (f->sites[node] > 0)
            return !f->uniform.is_divergent[node] && ptx_native_is_plain_barrier(f, in) &&
                           in->operands[0].bits == 0
                       ? f->sites[node]
                       : -1;
        if (in->opcode != PTX_OPCODE_bra || in->guard >= 0)
            return -1;
        instruction = f->function->labels[in->operands[in->operand_count - 1].index].instruction;
    }
    return -1;
}

/* ---- By what threads part ---- */

/* Whether it is a special register, or one that is set to it once. */
static bool is_special(const struct ptx_native_flow *f, const struct ptx_operand *o,
                       int32_t special)
{
    if (o->kind == PTX_OPERAND_SPECIAL)
        return o->index == special;
    if (o->kind != PTX_OPERAND_REGISTER || o->part || f->definitions[o->index] != 1)
        return false;
    const struct ptx_instruction *in = f->set_by[o->index];
    return ptx_native_is_move(in) && in->operands[1].kind == PTX_OPERAND_SPECIAL &&
           in->operands[1].index == special && ptx_native_bits((enum ptx_type)in->types[0]) == 32;
}

static bool is_tid(const struct ptx_native_flow *f, const struct ptx_operand *o)
{
    return is_special(f, o, PTX_TID_X);
}

static bool writes(const struct ptx_instruction *in, int32_t index)
{
    return in->operand_count > 0 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
           in->operands[0].index == index;
}

/* Whether a number is what it was where the instruction compared it, at the end of the node. */
static bool is_bound(const struct finding *finding, int32_t node, const struct ptx_instruction *in,
                     const struct ptx_operand *o)
{
    const struct ptx_native_flow *f = finding->n->flow;
    const struct ptx_node *range = &f->graph->nodes[node];
    const struct ptx_instruction *first = &f->function->instructions[range->first],
                                 *end = &f->function->instructions[range->end];
    if (o->kind == PTX_OPERAND_INTEGER)
        return true;
    if (o->kind != PTX_OPERAND_REGISTER || o->part || !finding->of_block.registers[o->index] ||
        in < first || in >= end)
        return false;
    for (const struct ptx_instruction *i = in; i < end; i++)
        if (writes(i, o->index))
            return false;
    return true;
}

enum { OTHERWISE = UINT8_MAX };

/* Threads are busy whose number stands so to the bound: below, below or at, or at it. */
static uint8_t relation_of(const struct ptx_instruction *in, bool holds)
{
    switch (in->compare) {
    case PTX_LT:
    case PTX_CMP_LO:
        return holds ? PTX_LT : OTHERWISE;
    case PTX_LE:
    case PTX_CMP_LS:
        return holds ? PTX_LE : OTHERWISE;
    case PTX_GE:
    case PTX_CMP_HS:
        return holds ? OTHERWISE : PTX_LT;
    case PTX_GT:
    case PTX_CMP_HI:
        return holds ? OTHERWISE : PTX_LE;
    case PTX_EQ:
        return holds ? PTX_EQ : OTHERWISE;
    case PTX_NE:
        return holds ? OTHERWISE : PTX_EQ;
    default:
        return OTHERWISE;
    }
}

/* ---- What is computed on the way ---- */

struct writing {
    struct finding *finding;
    int32_t node; /* that the warps go on from: what lives there matters */
    bool are_alike, *spreads;
};

static void look_at_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct writing *writing = with;
    struct ptx_native *n = writing->finding->n;
    if (n->flow->is_remade[index] || !ptx_flow_is_live(n->flow->graph, writing->node, index))
        return;
    writing->are_alike &= writing->finding->of_block.registers[index] &&
                          ptx_native_is_uniform(n, index) && ptx_native_parts(n, index) == 1;
    writing->spreads[index] = true;
}

static void look_through(struct writing *writing, int32_t node)
{
    struct finding *finding = writing->finding;
    const struct ptx_native_flow *f = finding->n->flow;
    const struct ptx_node *range = &f->graph->nodes[node];
    if (finding->is_seen[node])
        return;
    finding->is_seen[node] = true;
    for (uint32_t i = range->first; i < range->end; i++)
        ptx_flow_writes(&f->function->instructions[i], look_at_register, writing);
    for (uint32_t i = 0; f->sites[node] == 0 && i < range->previous_count; i++)
        if (f->graph->position[range->previous[i]] != PTX_NO_NODE)
            look_through(writing, range->previous[i]);
}

/* Whether what lives on where the site is has come there unchanged from the barrier, or is the same for all warps: that is noted
 * in `spreads`, per register. */
static bool are_alike(struct finding *finding, int32_t node, int32_t site, bool *spreads)
{
    const struct ptx_native_flow *f = finding->n->flow;
    struct writing writing = {finding, PTX_NO_NODE, true, spreads};
    for (size_t i = 0; site > 0 && i < f->graph->reachable; i++)
        if (f->sites[f->graph->order[i]] == site)
            writing.node = f->graph->order[i];
    memset(finding->is_seen, 0, f->graph->count * sizeof *finding->is_seen);
    if (writing.node != PTX_NO_NODE)
        look_through(&writing, node);
    return writing.are_alike;
}

/* The comparison of a number of a thread with another by which a warp's lanes part at the end of a node; NULL: they do not, or by
 * another. */
static const struct ptx_instruction *parting_by(const struct ptx_native_flow *f, int32_t node,
                                                bool (*is_number)(const struct ptx_native_flow *f,
                                                                  const struct ptx_operand *o))
{
    const struct ptx_instruction *last = last_of(f, node);
    if (last->opcode != PTX_OPCODE_bra || last->guard < 0 || f->definitions[last->guard] != 1 ||
        f->uniform.is_divergent[node] || f->uniform.registers[last->guard])
        return NULL;
    const struct ptx_instruction *in = f->set_by[last->guard];
    const bool is =
        in->opcode == PTX_OPCODE_setp && in->guard < 0 && in->operand_count == 3 &&
        !in->has_second_destination && ptx_native_bits((enum ptx_type)in->types[0]) == 32 &&
        !ptx_type_is_float((enum ptx_type)in->types[0]) && is_number(f, &in->operands[1]);
    return is ? in : NULL;
}

static const struct ptx_instruction *parting_of(const struct ptx_native_flow *f, int32_t node)
{
    return parting_by(f, node, is_tid);
}

/* Where a side of a branch leads: 0 is where the guard holds. */
static uint32_t side_of(const struct ptx_native_flow *f, int32_t node, int side)
{
    const struct ptx_instruction *last = last_of(f, node);
    return side == 0
               ? f->function->labels[last->operands[last->operand_count - 1].index].instruction
               : f->graph->nodes[node].end;
}

static bool may_lack_lanes(const struct ptx_native_flow *f, int32_t node)
{
    return f->uniform.is_divergent[node] || f->is_thin[node];
}

/* The node that a side of a branch leads to, if it goes on to the site, or to the end, by itself. */
static int32_t busy_at(const struct ptx_native_flow *f, int32_t from, int side, int32_t site)
{
    const int32_t node = f->graph->node_of[side_of(f, from, side)];
    if (node == PTX_NO_NODE || f->graph->position[node] == PTX_NO_NODE || f->sites[node] > 0 ||
        !may_lack_lanes(f, node))
        return PTX_NO_NODE;
    const struct ptx_node *range = &f->graph->nodes[node];
    const struct ptx_instruction *last = last_of(f, node);
    const bool leaves = last->opcode == PTX_OPCODE_ret || last->opcode == PTX_OPCODE_exit;
    if (leaves)
        return last->guard < 0 && site == 0 ? node : PTX_NO_NODE;
    if (last->opcode == PTX_OPCODE_call || last->opcode == PTX_OPCODE_trap ||
        last->opcode == PTX_OPCODE_brx || (last->opcode == PTX_OPCODE_bra && last->guard >= 0))
        return PTX_NO_NODE;
    return site_behind(f, last->opcode == PTX_OPCODE_bra ? side_of(f, node, 0) : range->end) == site
               ? node
               : PTX_NO_NODE;
}

static void find_at(struct finding *finding, int32_t node)
{
    struct ptx_native_flow *f = finding->n->flow;
    const struct ptx_instruction *in = parting_of(f, node);
    if (!in || !finding->is_idle[node] || !is_bound(finding, node, in, &in->operands[2]))
        return;
    for (int side = 0; side < 2; side++) { /* that does nothing */
        const bool holds = (side == 0) == last_of(f, node)->guard_negated;
        const uint8_t relation = relation_of(in, holds); /* of the other */
        const int32_t site = site_behind(f, side_of(f, node, side));
        bool *spreads = ptx_arena_take(finding->n->e->arena, f->function->register_count + 1);
        if (relation == OTHERWISE || site < 0 || !are_alike(finding, node, site, spreads))
            continue;
        f->rests[node] =
            (struct ptx_native_rest){in, spreads, relation, site, busy_at(f, node, 1 - side, site)};
        f->has_rests = true;
        return;
    }
}

/* ---- Lanes that are known ---- */

/* The number of a thread's lane, where warps are rows: what threadIdx.x is over a multiple of 32. */
static bool is_lane(const struct ptx_native_flow *f, const struct ptx_operand *o)
{
    const struct ptx_instruction *in =
        o->kind == PTX_OPERAND_REGISTER && f->definitions[o->index] == 1 ? f->set_by[o->index]
                                                                         : NULL;
    if (!in || in->opcode != PTX_OPCODE_and || o->part)
        return is_special(f, o, PTX_LANEID);
    return in->guard < 0 && in->operands[2].kind == PTX_OPERAND_INTEGER &&
           in->operands[2].bits == PTX_NATIVE_LANES - 1 && is_tid(f, &in->operands[1]);
}

/* Of numbers of lanes, those that stand so to a bound. 0: not known. */
static uint32_t lanes_to(const struct ptx_instruction *in, uint8_t relation)
{
    const int64_t bound = (int32_t)in->operands[2].bits,
                  end = relation == PTX_LT ? bound : bound + 1;
    if (in->operands[2].kind != PTX_OPERAND_INTEGER || bound < 0 || end > PTX_NATIVE_LANES)
        return 0;
    const uint32_t below = (uint32_t)((UINT64_C(1) << end) - 1);
    return relation == PTX_EQ ? UINT32_C(1) << bound : below;
}

/* Of a warp that has any: threadIdx.x is a multiple of 32 in its first lane. 0: not known. */
static uint32_t lanes_of(const struct ptx_native_flow *f, const struct ptx_instruction *in,
                         uint8_t relation)
{
    if (is_lane(f, &in->operands[1]))
        return lanes_to(in, relation);
    const int64_t bound = (int32_t)in->operands[2].bits,
                  end = relation == PTX_LE ? bound + 1 : bound;
    if (in->operands[2].kind != PTX_OPERAND_INTEGER || bound < 0)
        return 0;
    if (relation == PTX_EQ)
        return UINT32_C(1) << bound % PTX_NATIVE_LANES;
    if (end % PTX_NATIVE_LANES == 0)
        return UINT32_MAX;
    return end < PTX_NATIVE_LANES ? (UINT32_C(1) << end) - 1 : 0;
}

/* Whether a node is come to from one alone, as far as nodes that do nothing but go on are passed over. */
static bool is_behind(const struct ptx_native_flow *f, int32_t node, int32_t from)
{
    const struct ptx_flow *g = f->graph;
    const struct ptx_node *range = &g->nodes[node];
    for (uint32_t i = 0; i < range->previous_count; i++)
        if (g->position[range->previous[i]] != PTX_NO_NODE && range->previous[i] != from)
            return false;
    return node != g->order[0] && node != from;
}

static void find_lanes_at(struct ptx_native *n, int32_t node)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *in = parting_of(f, node);
    in = in ? in : parting_by(f, node, is_lane);
    if (!in || f->is_thin[node] || side_of(f, node, 0) == side_of(f, node, 1))
        return;
    for (int side = 0; side < 2; side++) {
        const bool holds = (side == 0) != last_of(f, node)->guard_negated;
        const uint8_t relation = relation_of(in, holds);
        const int32_t to = f->graph->node_of[side_of(f, node, side)];
        const uint32_t lanes = relation == OTHERWISE ? 0 : lanes_of(f, in, relation);
        if (lanes && to != PTX_NO_NODE && f->graph->position[to] != PTX_NO_NODE &&
            may_lack_lanes(f, to) && f->sites[to] == 0 && is_behind(f, to, node))
            f->known_lanes[to] =
                lanes == UINT32_MAX ? "-1" : ptx_format(n->e, "%lu", (unsigned long)lanes);
    }
}

void ptx_native_find_lanes(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    f->known_lanes = ptx_arena_array(n->e->arena, f->graph->count + 1, sizeof *f->known_lanes);
    if (!f->is_full || !ptx_native_has_rows(n->e->target->threads))
        return;
    for (size_t i = 0; i < f->graph->reachable; i++)
        find_lanes_at(n, f->graph->order[i]);
}

void ptx_native_find_rests(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_arena *arena = n->e->arena;
    const enum ptx_threads threads = n->e->target->threads;
    f->rests = ptx_arena_array(arena, f->graph->count + 1, sizeof *f->rests);
    if (f->is_parted || f->site_count == 0 || f->is_together || ptx_native_is_checked(n) ||
        !ptx_native_is_one_row(threads))
        return;
    struct finding finding = {.n = n, .of_block = ptx_flow_uniformity(arena, f->graph)};
    finding.is_idle = ptx_arena_take(arena, f->graph->count + 1);
    finding.is_seen = ptx_arena_take(arena, f->graph->count + 1);
    find_idle(&finding);
    for (size_t i = 0; i < f->graph->reachable; i++)
        find_at(&finding, f->graph->order[i]);
}

/* ---- The text ---- */

/* Warps from this one on have no busy threads; -1: that is not known. */
static int64_t first_idle(const struct ptx_native_rest *rest)
{
    if (!rest->compared)
        return -1;
    const struct ptx_operand *bound = &rest->compared->operands[2];
    if (bound->kind != PTX_OPERAND_INTEGER || bound->bits < 0 || bound->bits > INT32_MAX / 2)
        return -1;
    const int64_t end = bound->bits + (rest->relation == PTX_LT ? 0 : 1);
    return (end + PTX_NATIVE_LANES - 1) / PTX_NATIVE_LANES;
}

int64_t ptx_native_busy_warps(const struct ptx_native_flow *f, int32_t node)
{
    return first_idle(&f->rests[node]);
}

static const char *is_over(struct ptx_native *n, const struct ptx_native_rest *rest)
{
    const struct ptx_instruction *in = rest->compared;
    const int64_t end = first_idle(rest);
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const bool is_signed = ptx_type_is_signed(type);
    const char *bound = in->operands[2].kind == PTX_OPERAND_INTEGER
                            ? ptx_format(n->e, "%d", (int)(int32_t)in->operands[2].bits)
                            : NULL;
    if (!bound) {
        n->is_vector = false;
        bound = ptx_native_read(n, &in->operands[2], PTX_U32).text;
    }
    const char *next = ptx_native_emit(n, "add i32 %%state.%zu, 1", OF_BLOCK(warp));
    if (end >= 0)
        return ptx_native_emit(n, "icmp uge i32 %s, %lld", next, (long long)end);
    const char *first = ptx_native_emit(n, "shl i32 %s, 5", next);
    return ptx_native_emit(n, "icmp %s%s i32 %s, %s", is_signed ? "s" : "u",
                           rest->relation == PTX_LT ? "ge" : "gt", first, bound);
}

bool ptx_native_spreads_any(const struct ptx_native_flow *f, const struct ptx_native_rest *rest)
{
    for (uint32_t r = 0; r < f->function->register_count; r++)
        if (rest->spreads[r])
            return true;
    return false;
}

/* A loop over the warps behind this one: up to its body, and from there. */
static void begin_loop(struct ptx_native *n, const char *first, const char *loop, const char *end)
{
    ptx_native_store_word(n, "%rest.at", first);
    const char *more = ptx_native_emit(n, "icmp ult i32 %s, %s", first,
                                       ptx_native_of_block(n, OF_BLOCK(end), "i32"));
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", more, loop, end);
    ptx_native_label(n, loop);
}

static void end_loop(struct ptx_native *n, const char *loop, const char *end)
{
    const char *next = ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, "%rest.at"));
    ptx_native_store_word(n, "%rest.at", next);
    const char *more = ptx_native_emit(n, "icmp ult i32 %s, %s", next,
                                       ptx_native_of_block(n, OF_BLOCK(end), "i32"));
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", more, loop, end);
    ptx_native_label(n, end);
}

/* Of the first warp's memory, that of the one that the loop is at. */
static const char *of_warp(struct ptx_native *n, const char *from, size_t bytes)
{
    const char *warp =
        ptx_native_emit(n, "zext i32 %s to i64", ptx_native_load_word(n, "%rest.at"));
    const char *behind = ptx_native_emit(n, "mul i64 %s, %zu", warp, bytes);
    return ptx_native_emit(n, "add i64 %s, %s", from, behind);
}

/* What the warps behind would have stored at the barrier. */
static void spread(struct ptx_native *n, const struct ptx_native_rest *rest, const char *is_told)
{
    const struct ptx_native_flow *f = n->flow;
    const char *all = ptx_native_name(n, "spread"), *loop = ptx_native_name(n, "spread");
    const char *end = ptx_native_name(n, "spread");
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_told, all, end);
    ptx_native_label(n, all);
    begin_loop(n, ptx_native_emit(n, "add i32 %%state.%zu, 1", OF_BLOCK(warp)), loop, end);
    const char *frame =
        of_warp(n, ptx_format(n->e, "%%block.%zu", OF_BLOCK(frame)), f->frame_bytes);
    for (uint32_t r = 0; r < f->function->register_count; r++) {
        if (!rest->spreads[r])
            continue;
        const char *type = ptx_native_place_type(n, r), *p = ptx_native_pointer_type(n, type);
        const char *at = ptx_native_emit(n, "add i64 %s, %zu", frame, f->frame_at[r]);
        const char *to = ptx_native_pointer(n, type, at);
        const char *value =
            ptx_native_emit(n, "load %s, %s %s", type, p, ptx_native_place(n, r, 0));
        ptx_native_do(n, "store %s %s, %s %s, align 16", type, value, p, to);
    }
    end_loop(n, loop, end);
}

void ptx_native_tell_rest(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_native_rest *rest = &f->rests[f->node];
    if (!rest->compared || (f->has_legs && f->node == f->short_at))
        return;
    const char *is_told = is_over(n, rest);
    const char *site = ptx_format(n->e, "%d", (int)rest->site);
    /* A leg ends with the first warp that tells of others. */
    const char *before = f->has_legs ? "-1" : ptx_native_load_word(n, "%rest");
    ptx_native_store_word(
        n, "%rest", ptx_native_emit(n, "select i1 %s, i32 %s, i32 %s", is_told, site, before));
    if (!f->has_legs && ptx_native_spreads_any(f, rest))
        spread(n, rest, is_told);
}

/* What the runtime knows of a warp that has had no turn. */
static void write_turn(struct ptx_native *n, const char *site)
{
    const char *turns = ptx_native_of_block(n, OF_BLOCK(turns), "i64");
    const char *at = of_warp(n, turns, sizeof(struct ptx_native_turn));
    static const size_t members[] = {
        offsetof(struct ptx_native_turn, number), offsetof(struct ptx_native_turn, count),
        offsetof(struct ptx_native_turn, votes), offsetof(struct ptx_native_turn, site),
        offsetof(struct ptx_native_turn, lanes)};
    const char *is_end = ptx_native_emit(n, "icmp eq i32 %s, 0", site);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const char *place =
            ptx_native_pointer(n, "i32", ptx_native_emit(n, "add i64 %s, %zu", at, members[i]));
        const char *value = "0";
        if (members[i] == offsetof(struct ptx_native_turn, site))
            value = site;
        if (members[i] == offsetof(struct ptx_native_turn, lanes))
            value = ptx_native_emit(n, "select i1 %s, i32 0, i32 %s", is_end,
                                    ptx_native_load_word(n, place));
        ptx_native_store_word(n, place, value);
    }
}

/* Where nothing is told of warps (turn.c), nothing need be of those that rest where the others are. */
static void end_quietly(struct ptx_native *n, const char *site, const char *from, const char *end)
{
    const char *all = ptx_native_name(n, "rest");
    const char *is_same =
        ptx_native_emit(n, "icmp eq i32 %s, %s", ptx_native_load_word(n, "%common"), site);
    const char *is_quiet =
        ptx_native_emit(n, "icmp eq i32 %s, 0", ptx_native_load_word(n, "%noted"));
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s",
                  ptx_native_emit(n, "and i1 %s, %s", is_same, is_quiet), end, all);
    ptx_native_label(n, all);
    ptx_native_tell_turns(n, from, ptx_native_of_block(n, OF_BLOCK(end), "i32"), site);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
}

void ptx_native_end_rest(struct ptx_native *n, const char *is_alone)
{
    const char *some = ptx_native_name(n, "rest"), *all = ptx_native_name(n, "rest");
    const char *loop = ptx_native_name(n, "rest"), *end = ptx_native_name(n, "rest");
    const char *site = ptx_native_load_word(n, "%rest"), *from = ptx_native_load_word(n, "%warp");
    const char *is_told = ptx_native_emit(n, "icmp ne i32 %s, -1", site);
    const char *is_any = ptx_native_emit(n, "icmp ult i32 %s, %s", from,
                                         ptx_native_of_block(n, OF_BLOCK(end), "i32"));
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s",
                  ptx_native_emit(n, "and i1 %s, %s", is_told, is_any), some, end);
    ptx_native_label(n, some);
    if (n->flow->is_quiet) {
        end_quietly(n, site, from, end);
        return;
    }
    const char *common = ptx_native_load_word(n, "%common"),
               *mixed = ptx_native_load_word(n, "%mixed");
    const char *has_ended = ptx_native_emit(n, "icmp eq i32 %s, 0", site);
    const char *has_others = ptx_native_emit(n, "icmp ne i32 %s, 0", common);
    const char *is_other = ptx_native_emit(n, "icmp ne i32 %s, %s", common, site);
    const char *is_apart = ptx_native_emit(n, "and i1 %s, %s", has_others, is_other);
    const char *waits_apart =
        ptx_native_emit(n, "select i1 %s, i1 false, i1 %s", has_ended, is_apart);
    const char *is_mixed = ptx_native_emit(n, "or i1 %s, %s", waits_apart,
                                           ptx_native_emit(n, "icmp ne i32 %s, 0", mixed));
    ptx_native_store_word(n, "%mixed", ptx_native_emit(n, "zext i1 %s to i32", is_mixed));
    ptx_native_store_word(
        n, "%common", ptx_native_emit(n, "select i1 %s, i32 %s, i32 %s", has_others, common, site));
    const char *is_told_of = ptx_native_emit(n, "or i1 %s, %s", is_mixed, is_alone);
    const char *ends_before = ptx_native_emit(n, "and i1 %s, %s", has_ended, has_others);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s",
                  ptx_native_emit(n, "or i1 %s, %s", is_told_of, ends_before), all, end);
    ptx_native_label(n, all);
    begin_loop(n, from, loop, end);
    write_turn(n, site);
    end_loop(n, loop, end);
}
