/* Which registers and branches are the same for all threads of a block.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/analyse/plan.h"

static bool special_varies_in_time(int32_t special)
{
    return (special >= PTX_CLOCK && special <= PTX_GLOBALTIMER_HI) || special == PTX_PM ||
           special == PTX_ENVREG || special >= PTX_SPECIAL_OTHER;
}

static bool is_computing(uint16_t opcode)
{
    switch (opcode) {
    case PTX_OPCODE_abs:
    case PTX_OPCODE_add:
    case PTX_OPCODE_and:
    case PTX_OPCODE_bfe:
    case PTX_OPCODE_bfi:
    case PTX_OPCODE_bfind:
    case PTX_OPCODE_bmsk:
    case PTX_OPCODE_brev:
    case PTX_OPCODE_clz:
    case PTX_OPCODE_cnot:
    case PTX_OPCODE_copysign:
    case PTX_OPCODE_cvt:
    case PTX_OPCODE_cvta:
    case PTX_OPCODE_fma:
    case PTX_OPCODE_lop3:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_mad24:
    case PTX_OPCODE_max:
    case PTX_OPCODE_min:
    case PTX_OPCODE_mov:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mul24:
    case PTX_OPCODE_neg:
    case PTX_OPCODE_not:
    case PTX_OPCODE_or:
    case PTX_OPCODE_popc:
    case PTX_OPCODE_prmt:
    case PTX_OPCODE_sad:
    case PTX_OPCODE_selp:
    case PTX_OPCODE_set:
    case PTX_OPCODE_setp:
    case PTX_OPCODE_shf:
    case PTX_OPCODE_shl:
    case PTX_OPCODE_shr:
    case PTX_OPCODE_slct:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_szext:
    case PTX_OPCODE_xor:
        return true;
    default:
        return false;
    }
}

/* A load whose value no thread can change, from an address that is there in any case. */
static bool is_fixed_load(const struct ptx_function *function, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_ld || in->operand_count != 2)
        return false;
    const struct ptx_operand *from = &in->operands[1];
    if (from->kind != PTX_OPERAND_ADDRESS || from->index >= 0 || !from->variable)
        return false;
    if (in->space == PTX_SPACE_CONST)
        return from->variable->space == PTX_SPACE_CONST;
    bool is_parameter = false;
    for (size_t i = 0; i < function->parameter_count; i++)
        is_parameter |= function->parameters[i] == from->variable;
    return in->space == PTX_SPACE_PARAM && is_parameter && function->is_entry;
}

static bool operand_is_pure(const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_SPECIAL)
        return !special_varies_in_time(operand->index);
    if (operand->kind == PTX_OPERAND_VECTOR)
        for (uint32_t i = 0; i < operand->count; i++)
            if (!operand_is_pure(&operand->list[i]))
                return false;
    return operand->kind != PTX_OPERAND_TEXTURE && operand->kind != PTX_OPERAND_FUNCTION;
}

/* add.cc and addc hand a carry on that no register holds: they are not pure. */
bool ptx_flow_is_pure(const struct ptx_function *function, const struct ptx_instruction *in)
{
    if (is_fixed_load(function, in))
        return true;
    if (!is_computing(in->opcode) || (in->flags & PTX_CC))
        return false;
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (!operand_is_pure(&in->operands[i]))
            return false;
    return true;
}

/* ---- The analysis: all is uniform until something shows that it is not ---- */

struct search {
    const struct ptx_flow *flow;
    const struct ptx_cuts *cuts; /* or NULL */
    bool is_of_warp;             /* of the lanes of a warp in step, not of a block's threads */
    const bool *
        delays; /* then: per node, whether lanes may wait at its start while others go on; or NULL */
    const bool *alike; /* then: registers that are known to be; or NULL */
    struct ptx_uniformity made;
    uint32_t *marks;
    uint32_t mark;
    int32_t *stack;
    bool is_changed;
};

struct reading {
    const struct search *s;
    bool is_uniform;
};

static void read_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct reading *r = with;
    r->is_uniform &= r->s->made.registers[index];
}

static bool specials_are_uniform(const struct search *s, const struct ptx_operand *operands,
                                 uint32_t count)
{
    const bool joins_blocks = s->cuts && s->cuts->joins_blocks;
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].kind == PTX_OPERAND_SPECIAL && s->is_of_warp &&
            operands[i].index == PTX_WARPID)
            continue;
        if (operands[i].kind == PTX_OPERAND_SPECIAL &&
            (!ptx_special_is_uniform(operands[i].index) ||
             (joins_blocks && operands[i].index == PTX_CTAID_X)))
            return false;
        if (operands[i].kind == PTX_OPERAND_VECTOR &&
            !specials_are_uniform(s, operands[i].list, operands[i].count))
            return false;
    }
    return true;
}

static bool reads_uniform(const struct search *s, const struct ptx_instruction *in)
{
    struct reading r = {s, specials_are_uniform(s, in->operands, in->operand_count)};
    ptx_flow_reads(in, read_register, &r);
    return r.is_uniform;
}

/* Whether all lanes name the same members, by the last operand of those that name any. */
static bool has_common_members(const struct search *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *last = &in->operands[in->operand_count - 1];
    return in->guard < 0 && (last->kind != PTX_OPERAND_REGISTER || !(in->flags & PTX_SYNC) ||
                             s->made.registers[last->index]);
}

struct setting {
    uint32_t index;
    const struct ptx_instruction *in;
    bool is_number; /* what it is set to, wherever it is */
    int64_t number;
};

static void note_setting(void *with, uint32_t index, bool is_whole)
{
    struct setting *s = with;
    const struct ptx_instruction *in = s->in;
    if (index != s->index)
        return;
    s->is_number &= is_whole && in->opcode == PTX_OPCODE_mov && in->guard < 0 &&
                    in->operands[1].kind == PTX_OPERAND_INTEGER &&
                    in->operands[1].bits == s->number;
}

static bool is_number(const struct ptx_function *function, const struct ptx_operand *o,
                      int64_t number)
{
    struct setting s = {.is_number = true, .number = number};
    if (o->kind != PTX_OPERAND_REGISTER)
        return o->kind == PTX_OPERAND_INTEGER && o->bits == number;
    s.index = (uint32_t)o->index;
    for (size_t i = 0; i < function->instruction_count; i++) {
        s.in = &function->instructions[i];
        ptx_flow_writes(s.in, note_setting, &s);
    }
    return s.is_number;
}

/* Whether a shuffle brings all lanes what one of them has: of the whole warp. */
static bool is_from_one_lane(const struct search *s, const struct ptx_instruction *in)
{
    enum { WHOLE_WARP = 31 };
    const uint32_t first = in->has_second_destination ? 2 : 1;
    if (in->operation != PTX_OP_IDX || in->operand_count < first + 3)
        return false;
    const struct ptx_operand *lane = &in->operands[first + 1];
    const bool is_one = lane->kind == PTX_OPERAND_INTEGER ||
                        (lane->kind == PTX_OPERAND_REGISTER && s->made.registers[lane->index]);
    return is_one && is_number(s->flow->function, &in->operands[first + 2], WHOLE_WARP) &&
           has_common_members(s, in);
}

/* What all lanes of a warp get alike when they do it together. */
static bool is_common_to_warp(const struct search *s, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_vote:
    case PTX_OPCODE_redux:
        return has_common_members(s, in);
    case PTX_OPCODE_shfl:
        return is_from_one_lane(s, in);
    case PTX_OPCODE_activemask:
        return in->guard < 0;
    case PTX_OPCODE_match:
        return in->operation == PTX_OP_ALL && has_common_members(s, in);
    case PTX_OPCODE_ld:
    case PTX_OPCODE_ldu:
        return in->operand_count == 2 && in->operands[1].kind == PTX_OPERAND_ADDRESS &&
               in->space != PTX_SPACE_LOCAL &&
               !(in->operands[1].variable && in->operands[1].variable->space == PTX_SPACE_LOCAL) &&
               reads_uniform(s, in);
    default:
        return false;
    }
}

/* Generic addresses of local memory are each lane's own where they are the host's. */
static bool is_own_address(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_cvta && in->space == PTX_SPACE_LOCAL;
}

/* Whether all threads get the same results. bar.red gives the whole block one. */
static bool result_is_uniform(const struct search *s, const struct ptx_instruction *in)
{
    if (s->is_of_warp && is_common_to_warp(s, in))
        return true;
    if (s->is_of_warp && is_own_address(in))
        return false;
    if (ptx_is_barrier(in))
        return in->guard < 0;
    return ptx_flow_is_pure(s->flow->function, in) && reads_uniform(s, in);
}

static void make_varying(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct search *s = with;
    if (s->alike && s->alike[index])
        return;
    s->is_changed |= s->made.registers[index];
    s->made.registers[index] = false;
}

/* Whether threads go from one node to another without waiting for the others. */
static bool goes_on_alone(const struct search *s, int32_t from, int32_t to)
{
    return !s->cuts ||
           (s->cuts->region_of[from] == s->cuts->region_of[to] && !s->cuts->is_head[to]);
}

/* All nodes on ways from a branch to where its ways meet again: threads come there at different times,
 * or not all of them. A loop that threads leave at different turns is on those ways, whole. */
static void diverge_from(struct search *s, int32_t branch)
{
    const struct ptx_flow *flow = s->flow;
    const int32_t meeting = flow->postdominator[branch];
    size_t count = 0;
    s->mark++;
    s->stack[count++] = branch;
    while (count > 0) {
        const int32_t from = s->stack[--count];
        const struct ptx_node *node = &flow->nodes[from];
        ptx_steps(flow->arena, 1 + node->next_count);
        for (uint32_t i = 0; i < node->next_count; i++) {
            const int32_t to = node->next[i];
            if (to == meeting || s->marks[to] == s->mark || !goes_on_alone(s, from, to))
                continue;
            s->marks[to] = s->mark;
            s->made.is_divergent[to] = true;
            s->stack[count++] = to;
        }
    }
}

/* Whether a node begins with a barrier of all threads of the block. */
static bool is_block_barrier(const struct ptx_flow *flow, int32_t node)
{
    const struct ptx_instruction *in = &flow->function->instructions[flow->nodes[node].first];
    const uint32_t numbers = ptx_barrier_reduces(in) ? 3 : 1;
    return ptx_is_barrier(in) && !ptx_barrier_arrives(in) && in->operand_count <= numbers;
}

/* Lanes that wait at a node's start come to nothing behind it with the others, until all wait for all at a barrier to which
 * lanes go in step. */
static void delay_from(struct search *s, int32_t start)
{
    const struct ptx_flow *flow = s->flow;
    size_t count = 0;
    s->mark++;
    s->stack[count++] = start;
    s->is_changed |= !s->made.is_divergent[start];
    s->made.is_divergent[start] = true;
    while (count > 0) {
        const struct ptx_node *node = &flow->nodes[s->stack[--count]];
        ptx_steps(flow->arena, 1 + node->next_count);
        for (uint32_t i = 0; i < node->next_count; i++) {
            const int32_t to = node->next[i];
            if (s->marks[to] == s->mark ||
                (is_block_barrier(flow, to) && !s->made.is_divergent[to]))
                continue;
            s->marks[to] = s->mark;
            s->is_changed |= !s->made.is_divergent[to];
            s->made.is_divergent[to] = true;
            s->stack[count++] = to;
        }
    }
}

/* Where lanes may wait for others: where it is said, and at barriers that not all of a warp come to together. */
static bool may_delay(const struct search *s, int32_t at)
{
    const struct ptx_instruction *in = &s->flow->function->instructions[s->flow->nodes[at].first];
    return s->is_of_warp &&
           ((s->delays && s->delays[at]) ||
            (s->made.is_divergent[at] && ptx_is_barrier(in) && !ptx_barrier_arrives(in)));
}

static void visit_node(struct search *s, int32_t at)
{
    if (may_delay(s, at))
        delay_from(s, at);
    const struct ptx_flow *flow = s->flow;
    const struct ptx_node *node = &flow->nodes[at];
    const bool is_apart = s->made.is_divergent[at] && !(s->cuts && s->cuts->is_passed[at]);
    ptx_steps(flow->arena, 1 + node->end - node->first);
    for (uint32_t i = node->first; i < node->end; i++) {
        const struct ptx_instruction *in = &flow->function->instructions[i];
        if (is_apart || !result_is_uniform(s, in))
            ptx_flow_writes(in, make_varying, s);
    }
    const bool is_uniform =
        node->next_count < 2 || reads_uniform(s, &flow->function->instructions[node->end - 1]);
    if (is_uniform || !s->made.branches[at])
        return;
    s->made.branches[at] = false;
    s->is_changed = true;
    diverge_from(s, at);
}

static struct ptx_uniformity find(struct ptx_arena *arena, struct search s)
{
    const struct ptx_flow *flow = s.flow;
    const struct ptx_cuts *cuts = s.cuts;
    const size_t registers = flow->function->register_count;
    s.made.registers = ptx_arena_array(arena, registers + 1, sizeof *s.made.registers);
    s.made.branches = ptx_arena_array(arena, flow->count + 1, sizeof *s.made.branches);
    s.made.is_divergent = ptx_arena_array(arena, flow->count + 1, sizeof *s.made.is_divergent);
    s.marks = ptx_arena_array(arena, flow->count + 1, sizeof *s.marks);
    s.stack = ptx_arena_array(arena, flow->count + 1, sizeof *s.stack);
    memset(s.made.registers, true, registers);
    memset(s.made.branches, true, flow->count);
    if (cuts)
        memcpy(s.made.is_divergent, cuts->is_turned, flow->count * sizeof *s.made.is_divergent);
    do {
        s.is_changed = false;
        for (size_t i = 0; i < flow->reachable; i++)
            visit_node(&s, flow->order[i]);
    } while (s.is_changed);
    return s.made;
}

struct ptx_uniformity ptx_flow_uniformity_between(struct ptx_arena *arena,
                                                  const struct ptx_flow *flow,
                                                  const struct ptx_cuts *cuts)
{
    return find(arena, (struct search){.flow = flow, .cuts = cuts});
}

struct ptx_uniformity ptx_flow_uniformity(struct ptx_arena *arena, const struct ptx_flow *flow)
{
    return ptx_flow_uniformity_between(arena, flow, NULL);
}

struct ptx_uniformity ptx_flow_uniformity_of_warp(struct ptx_arena *arena,
                                                  const struct ptx_flow *flow, const bool *delays,
                                                  const bool *alike)
{
    return find(
        arena, (struct search){.flow = flow, .is_of_warp = true, .delays = delays, .alike = alike});
}
