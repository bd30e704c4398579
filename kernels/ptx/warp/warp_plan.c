/* What is written how, and which nodes whole warps run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/warp/warp.h"

/* ---- Which kernels ---- */

/* Calls keep their parameters in variables of one thread; lists of targets, alloca and registers that are vectors of PTX
 * are not worth it. */
static bool is_of_one_thread(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_call || in->opcode == PTX_OPCODE_brx;
}

bool ptx_warp_suits(const struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    const struct ptx_function *f = plan->bodies[plan->body_count - 1].function;
    if (plan->body_count != 1 || plan->has_stack || e->target->pointers != PTX_POINTERS_NUMBERS)
        return false;
    for (size_t i = 0; i < f->register_count; i++)
        if (f->registers[i].width > 1)
            return false;
    for (size_t i = 0; i < f->instruction_count; i++)
        if (is_of_one_thread(&f->instructions[i]))
            return false;
    return true;
}

/* ---- Nodes that whole warps run ---- */

static bool is_block_wait(const struct ptx_instruction *step)
{
    return step && ptx_is_barrier(step) && !ptx_barrier_arrives(step);
}

/* Whether lanes that a branch parts come together where their ways meet: all nodes on these ways come before that one,
 * so that they are run first. */
static bool meets_again(const struct ptx_flow *flow, int32_t branch, uint32_t *marks, uint32_t mark,
                        int32_t *stack)
{
    const int32_t meeting = flow->postdominator[branch];
    size_t count = 0;
    if (meeting == PTX_NO_NODE)
        return true; /* all that follows is run for some */
    stack[count++] = branch;
    while (count > 0) {
        const int32_t at = stack[--count];
        const struct ptx_node *node = &flow->nodes[at];
        ptx_steps(flow->arena, 1 + node->next_count);
        if (flow->position[at] >= flow->position[meeting])
            return false;
        for (uint32_t i = 0; i < node->next_count; i++) {
            const int32_t to = node->next[i];
            if (to == meeting || marks[to] == mark)
                continue;
            marks[to] = mark;
            stack[count++] = to;
        }
    }
    return true;
}

/* A lane that waits for other warps leaves those of its own to go past where they would have come together. */
static bool are_whole(struct ptx_emitter *e, const struct ptx_uniformity *u)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_flow *flow = w->flow;
    uint32_t *marks = ptx_arena_array(e->arena, flow->count + 1, sizeof *marks), mark = 0;
    int32_t *stack = ptx_arena_array(e->arena, flow->count + 1, sizeof *stack);
    if (w->facts->waits || w->facts->has_parts)
        return false;
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t at = flow->order[i];
        if (u->is_divergent[at] && is_block_wait(ptx_warp_step_of(w, at)))
            return false;
        if (!u->branches[at] && !meets_again(flow, at, marks, ++mark, stack))
            return false;
    }
    return true;
}

static void find_whole(struct ptx_emitter *e, const struct ptx_uniformity *u, bool is_any)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const size_t registers = w->flow->function->register_count;
    for (size_t i = 0; i < w->flow->count; i++)
        w->is_whole[i] = is_any && !u->is_divergent[i];
    for (size_t i = 0; i < registers; i++)
        w->is_uniform[i] = w->is_constant[i] || (is_any && u->registers[i]);
    ptx_warp_find_detours(e);
}

/* Whether lanes may wait for others of their warp where those need not come by, but in detours, which nobody leaves
 * before the end. */
static bool waits_apart(const struct ptx_warp_writer *w, const struct ptx_uniformity *u)
{
    for (size_t i = 0; i < w->flow->reachable; i++) {
        const int32_t at = w->flow->order[i];
        const struct ptx_instruction *step = ptx_warp_step_of(w, at);
        if (u->is_divergent[at] && step && ptx_member_mask(step) && w->detour_of[at] == PTX_NO_NODE)
            return true;
    }
    return false;
}

static void find_ways(struct ptx_emitter *e)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_uniformity u = ptx_flow_uniformity(e->arena, w->flow);
    w->is_whole = ptx_arena_array(e->arena, w->flow->count + 1, sizeof *w->is_whole);
    w->is_uniform =
        ptx_arena_array(e->arena, w->flow->function->register_count + 1, sizeof *w->is_uniform);
    find_whole(e, &u, are_whole(e, &u));
    if (waits_apart(w, &u))
        find_whole(e, &u, false);
}

/* ---- Constants ---- */

static void count_write(void *with, uint32_t index, bool is_whole)
{
    ((uint32_t *)with)[index] += is_whole ? 1 : 2;
}

struct looking {
    const bool *flags;
    bool all, is_any;
};

static void look(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct looking *l = with;
    l->all &= l->flags[index];
}

static bool can_be_constant(const struct ptx_warp_writer *w, const struct ptx_instruction *in)
{
    if (in->guard >= 0 || in->has_second_destination || ptx_destination_count(in) != 1 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].part != 0 ||
        !ptx_flow_is_pure(w->flow->function, in) || in->space == PTX_SPACE_LOCAL)
        return false;
    struct looking l = {.flags = w->is_constant, .all = true};
    for (uint32_t i = 1; i < in->operand_count; i++)
        l.all &= (in->operands[i].kind != PTX_OPERAND_SPECIAL ||
                  ptx_special_is_uniform(in->operands[i].index)) &&
                 (!in->operands[i].variable || in->operands[i].variable->space != PTX_SPACE_LOCAL);
    ptx_flow_reads(in, look, &l);
    return l.all;
}

/* The block form has only those so that regions begin with. */
static void find_constants(struct ptx_emitter *e)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_function *f = w->flow->function;
    uint32_t *writes = ptx_arena_array(e->arena, f->register_count + 1, sizeof *writes);
    w->is_constant = ptx_arena_array(e->arena, f->register_count + 1, sizeof *w->is_constant);
    for (size_t i = 0; i < f->instruction_count; i++)
        ptx_flow_writes(&f->instructions[i], count_write, writes);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        ptx_steps(e->arena, f->instruction_count);
        for (size_t i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            if (!can_be_constant(w, in) || writes[in->operands[0].index] != 1 ||
                w->is_constant[in->operands[0].index])
                continue;
            w->is_constant[in->operands[0].index] = is_changed = true;
        }
    }
}

static void find_loops(struct ptx_emitter *e)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_function *f = w->flow->function;
    bool *starts = ptx_arena_array(e->arena, f->instruction_count + 1, sizeof *starts);
    ptx_block_strides(e, f, starts);
    w->strides = ptx_arena_array(e->arena, w->flow->count + 1, sizeof *w->strides);
    for (size_t i = 0; i < w->flow->count; i++)
        w->strides[i] = starts[w->flow->nodes[i].first];
    const struct ptx_regions *r = w->facts->parted;
    w->waits = ptx_arena_array(e->arena, w->flow->count + 1, sizeof *w->waits);
    for (size_t i = 0; i < r->count; i++)
        w->waits[r->all[i].head] = r->all[i].waits;
}

/* ---- How instructions are written ---- */

static bool is_branch(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_bra || in->opcode == PTX_OPCODE_ret ||
           in->opcode == PTX_OPCODE_exit || in->opcode == PTX_OPCODE_trap;
}

static void look_at_write(void *with, uint32_t index, bool is_whole)
{
    struct looking *l = with;
    look(with, index, is_whole);
    l->is_any = true;
}

/* Not what may do more than set registers, nor what sets none. */
static bool writes_uniform(const struct ptx_warp_writer *w, const struct ptx_instruction *in)
{
    struct looking l = {.flags = w->is_uniform, .all = ptx_flow_is_pure(w->flow->function, in)};
    ptx_flow_writes(in, look_at_write, &l);
    return l.all && l.is_any;
}

static bool is_once(const struct ptx_warp_writer *w, const struct ptx_instruction *in)
{
    const bool is_fence = in->opcode == PTX_OPCODE_membar || in->opcode == PTX_OPCODE_fence;
    return (is_fence && in->guard < 0) || writes_uniform(w, in);
}

static bool is_constant(const struct ptx_warp_writer *w, const struct ptx_instruction *in)
{
    return ptx_destination_count(in) == 1 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
           w->is_constant[in->operands[0].index];
}

/* Copies in runs, which must stay in one loop. */
static bool is_tied(struct ptx_emitter *e, uint32_t i)
{
    const struct ptx_body *body = ptx_current_body(e);
    return body->copies && (body->copies[i] || body->is_copied[i]);
}

/* One that several lanes may do at one place. */
static bool is_store(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_st && in->space != PTX_SPACE_LOCAL &&
           in->space != PTX_SPACE_PARAM;
}

static void choose_items(struct ptx_emitter *e, int32_t number)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_node *node = &w->flow->nodes[number];
    const struct ptx_instruction *all = w->flow->function->instructions;
    bool is_bound = false;
    for (uint32_t i = node->first; i < node->end; i++)
        is_bound |= is_tied(e, i);
    for (uint32_t i = node->first; i < node->end; i++) {
        const struct ptx_instruction *in = &all[i];
        w->items[i] = in == ptx_warp_step_of(w, number) || is_branch(in) || is_constant(w, in)
                          ? PTX_ITEM_NOTHING
                      : ptx_is_warp_operation(in)              ? PTX_ITEM_STEP
                      : is_tied(e, i)                          ? PTX_ITEM_LANES
                      : is_once(w, in)                         ? PTX_ITEM_ONCE
                      : !is_bound && ptx_warp_is_vector(e, in) ? PTX_ITEM_VECTOR
                      : is_store(in)                           ? PTX_ITEM_STORE
                                                               : PTX_ITEM_LANES;
    }
}

static bool has_many_accesses(const struct ptx_warp_writer *w)
{
    enum { MANY = 24 };
    size_t count = 0;
    for (size_t i = 0; i < w->flow->function->instruction_count; i++) {
        const uint16_t opcode = w->flow->function->instructions[i].opcode;
        count +=
            w->items[i] == PTX_ITEM_VECTOR && (opcode == PTX_OPCODE_ld || opcode == PTX_OPCODE_st);
    }
    return count > MANY;
}

bool ptx_warp_plan(struct ptx_emitter *e, const struct ptx_function *function)
{
    struct ptx_warp_writer *w = e->warp_writer;
    w->facts = ptx_block_cut(e, function);
    w->flow = w->facts->flow;
    w->node = PTX_NO_NODE;
    find_constants(e);
    find_loops(e);
    find_ways(e);
    w->is_sent = ptx_arena_array(e->arena, w->flow->count + 1, sizeof *w->is_sent);
    w->items = ptx_arena_take(e->arena, function->instruction_count + 1);
    w->is_declared =
        ptx_arena_array(e->arena, function->register_count + 1, sizeof *w->is_declared);
    w->is_cached = ptx_arena_array(e->arena, function->register_count + 1, sizeof *w->is_cached);
    for (size_t i = 0; i < w->flow->reachable; i++)
        choose_items(e, w->flow->order[i]);
    w->calls_memory = has_many_accesses(w);
    ptx_warp_find_homes(e);
    return w->flow->reachable <= UINT16_MAX;
}
