/* Short ways that some lanes of a warp take and others do not, with a load or some arithmetic on them, as at the edges of a grid: what is
 * there gets the branch's predicate for a guard, or none where nobody wants behind it what it gives. As a node it would take
 * a word of lanes, looks whether there are any and whether they are all, and values that are blended at its end. An atomic operation
 * on shared memory may be there for lanes of which each speaks for those that have the same, mostly many.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/native/native_flow.h"

enum { MOST_INSTRUCTIONS = 6, MOST_ACCESSES = 2, MOST_OF_FUNCTION = 8192 };

/* Of a few operations of the processor, whatever its operands are. */
static bool is_light(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvta:
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_fma:
    case PTX_OPCODE_min:
    case PTX_OPCODE_max:
    case PTX_OPCODE_neg:
    case PTX_OPCODE_abs:
    case PTX_OPCODE_and:
    case PTX_OPCODE_or:
    case PTX_OPCODE_xor:
    case PTX_OPCODE_not:
    case PTX_OPCODE_shl:
    case PTX_OPCODE_shr:
    case PTX_OPCODE_cvt:
    case PTX_OPCODE_setp:
    case PTX_OPCODE_selp:
        return !ptx_is_carry(in) && !(in->flags & PTX_CC);
    default:
        return false;
    }
}

static bool is_plain_load(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_ld && !ptx_is_volatile(in) &&
           (in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_GLOBAL);
}

static bool is_plain_atomic(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_atom && in->space == PTX_SPACE_SHARED &&
           ptx_native_is_relaxed(in) && !ptx_is_wide_access(in);
}

static bool is_varying_register(const struct ptx_native_flow *f, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REGISTER && !f->uniform.registers[o->index];
}

/* Whether a branch is by a comparison of two numbers for being the same, of which each differs from lane to lane: of its own with one
 * of who speaks for it, where all others compare themselves with one lane. */
static bool is_of_speakers(const struct ptx_native_flow *f, uint32_t predicate)
{
    const struct ptx_instruction *by = f->definitions[predicate] == 1 ? f->set_by[predicate] : NULL;
    return by && by->opcode == PTX_OPCODE_setp && by->operand_count == 3 &&
           (by->compare == PTX_EQ || by->compare == PTX_NE) &&
           is_varying_register(f, &by->operands[1]) && is_varying_register(f, &by->operands[2]);
}

static bool can_have_guard(const struct ptx_native_flow *f, const struct ptx_instruction *in,
                           uint32_t predicate)
{
    const bool is_access =
        is_plain_load(in) || (is_plain_atomic(in) && is_of_speakers(f, predicate));
    return in->guard < 0 && in->width <= 1 && !in->has_second_destination &&
           in->operand_count >= 2 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
           !in->operands[0].part && !ptx_flow_writes_register(in, predicate) &&
           (is_access || (is_light(in) && ptx_flow_is_pure(f->function, in)));
}

static const struct ptx_instruction *last_of(const struct ptx_native_flow *f, int32_t node)
{
    return &f->function->instructions[f->graph->nodes[node].end - 1];
}

/* The node that is a short way beside a branch at another's end; PTX_NO_NODE: there is none. */
static int32_t way_beside(const struct ptx_native_flow *f, int32_t node)
{
    const struct ptx_flow *g = f->graph;
    const struct ptx_instruction *last = last_of(f, node);
    const uint32_t first = g->nodes[node].end;
    if (last->opcode != PTX_OPCODE_bra || last->guard < 0 || f->uniform.branches[node] ||
        first >= f->function->instruction_count)
        return PTX_NO_NODE;
    const int32_t way = g->node_of[first];
    const struct ptx_node *range = &g->nodes[way];
    const uint32_t behind =
        f->function->labels[last->operands[last->operand_count - 1].index].instruction;
    uint32_t accesses = 0;
    if (range->end != behind || range->previous_count != 1 || range->next_count != 1 ||
        f->sites[way] || range->end - range->first > MOST_INSTRUCTIONS)
        return PTX_NO_NODE;
    for (uint32_t i = range->first; i < range->end; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        if (!can_have_guard(f, in, (uint32_t)last->guard))
            return PTX_NO_NODE;
        accesses += in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_atom;
    }
    return accesses <= MOST_ACCESSES ? way : PTX_NO_NODE;
}

/* What becomes of a function's instructions. */
struct shortening {
    struct ptx_function *to;
    bool *is_gone; /* per instruction */
    bool *
        is_begun; /* per instruction: its result is 0 where it is not carried out, so that nobody keeps what was there */
    size_t begun;
};

struct reading {
    int32_t index;
    bool is_found;
};

static void look_at_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct reading *reading = with;
    reading->is_found |= (int32_t)index == reading->index;
}

/* As an address does that becomes what is there. */
static bool reads_what_it_sets(const struct ptx_instruction *in)
{
    struct reading reading = {in->operands[0].index, false};
    struct ptx_instruction as = *in;
    as.guard = -1;
    ptx_flow_reads(&as, look_at_register, &reading);
    return reading.is_found;
}

/* Its instructions are carried out for those lanes that do not branch, and the branch goes. */
static void put_in_step(const struct ptx_native_flow *f, struct shortening *s, int32_t node,
                        int32_t way)
{
    const struct ptx_flow *g = f->graph;
    const struct ptx_instruction *last = last_of(f, node);
    const int32_t behind = g->nodes[way].next[0];
    s->is_gone[last - f->function->instructions] = true;
    for (uint32_t i = g->nodes[way].first; i < g->nodes[way].end; i++) {
        struct ptx_instruction *in = &s->to->instructions[i];
        const bool is_wanted = ptx_flow_is_live(g, behind, (uint32_t)in->operands[0].index);
        if (in->opcode != PTX_OPCODE_ld && in->opcode != PTX_OPCODE_atom && !is_wanted)
            continue;
        in->guard = last->guard;
        in->guard_negated = !last->guard_negated;
        s->is_begun[i] = !is_wanted && !reads_what_it_sets(&s->to->instructions[i]);
        s->begun += s->is_begun[i];
    }
}

static struct ptx_instruction zero_of(struct ptx_arena *arena, const struct ptx_function *function,
                                      const struct ptx_instruction *in)
{
    struct ptx_instruction made = {.opcode = PTX_OPCODE_mov,
                                   .type_count = 1,
                                   .width = 1,
                                   .guard = -1,
                                   .line = in->line,
                                   .location = in->location,
                                   .operand_count = 2,
                                   .words = "mov"};
    made.types[0] = function->registers[in->operands[0].index].type;
    made.operands = ptx_arena_array(arena, made.operand_count, sizeof *made.operands);
    made.operands[0] = in->operands[0];
    made.operands[1] = (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .index = -1};
    return made;
}

/* Labels that nobody names any more stand at the start, where they begin no node. */
static void move_labels(struct ptx_arena *arena, struct ptx_function *to, const uint32_t *now)
{
    bool *is_named = ptx_arena_take(arena, to->label_count + 1);
    for (size_t i = 0; i < to->instruction_count; i++) {
        const struct ptx_instruction *in = &to->instructions[i];
        if (in->opcode == PTX_OPCODE_bra)
            is_named[in->operands[in->operand_count - 1].index] = true;
    }
    for (size_t i = 0; i < to->target_count; i++)
        for (size_t j = 0; to->targets[i].labels && j < to->targets[i].count; j++)
            is_named[to->targets[i].labels[j]] = true;
    struct ptx_label *labels = ptx_arena_array(arena, to->label_count + 1, sizeof *labels);
    for (size_t i = 0; i < to->label_count; i++) {
        labels[i] = to->labels[i];
        labels[i].instruction = is_named[i] ? now[to->labels[i].instruction] : 0;
    }
    to->labels = labels;
}

static void rewrite(struct ptx_arena *arena, const struct shortening *s)
{
    struct ptx_function *to = s->to;
    const size_t before = to->instruction_count;
    struct ptx_instruction *all = ptx_arena_array(arena, before + s->begun + 1, sizeof *all);
    uint32_t *now = ptx_arena_array(arena, before + 1, sizeof *now), count = 0;
    for (size_t i = 0; i < before; i++) {
        now[i] = count;
        if (s->is_begun[i])
            all[count++] = zero_of(arena, to, &to->instructions[i]);
        if (!s->is_gone[i])
            all[count++] = to->instructions[i];
    }
    now[before] = count;
    to->instructions = all;
    to->instruction_count = count;
    move_labels(arena, to, now);
}

static struct shortening begin(struct ptx_arena *arena, const struct ptx_function *from)
{
    const size_t count = from->instruction_count;
    struct shortening s = {.to = ptx_arena_take(arena, sizeof *s.to),
                           .is_gone = ptx_arena_take(arena, count + 1),
                           .is_begun = ptx_arena_take(arena, count + 1)};
    *s.to = *from;
    s.to->instructions = ptx_arena_array(arena, count + 1, sizeof *s.to->instructions);
    memcpy(s.to->instructions, from->instructions, count * sizeof *from->instructions);
    return s;
}

const struct ptx_function *ptx_native_without_short_ways(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    struct shortening s = {0};
    if (f->is_tangled || f->function->instruction_count > MOST_OF_FUNCTION)
        return NULL;
    for (size_t i = 0; i < f->graph->reachable; i++) {
        const int32_t node = f->graph->order[i], way = way_beside(f, node);
        if (way == PTX_NO_NODE)
            continue;
        if (!s.to)
            s = begin(n->e->arena, f->function);
        put_in_step(f, &s, node, way);
    }
    if (s.to)
        rewrite(n->e->arena, &s);
    return s.to;
}
