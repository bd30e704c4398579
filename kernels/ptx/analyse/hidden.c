/* Numbers of which a device's compiler must not know that they follow from the number of a thread or of a
 * turn of a loop, because it is known to go wrong with addresses that are computed from them.
 *
 * LLVM 13 to 21 take an index like (3 * i) & 31, of which they know that it is 0 at first and grows by 3, for
 * one that never wraps around, in loops of no more than 32 turns: they load what lies 3 apart (issue
 * 156849 of LLVM's). LLVM 15 lets i begin at 0 again in the second part of a loop that it makes vectors
 * of in two widths, where an index like min(i, 46) is computed from it by a function. Both do right by a number
 * that they know nothing of: i | clem_zero. Only operands of instructions that one of the two can happen to are
 * written so, where addresses depend on their results.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/analyse/plan.h"

/* How often a text is gone through at most; one that needs more counts as the worst of its kind. */
enum { MOST_TURNS = 50 };

/* How a register changes from one thread or turn to the next, as far as that shows in the text. */
enum pace {
    PACE_NONE, /* not at all, or as memory and other threads have it */
    PACE_ONE,  /* by one, or not in a line */
    PACE_ANY
};

struct search {
    struct ptx_arena *arena; /* whose budget the search spends */
    const struct ptx_function *function;
    uint8_t *paces;      /* enum pace per register */
    bool *is_in_address; /* per register: an address may depend on it */
    bool is_changed;
    uint8_t pace;    /* of what an instruction reads, so far */
    bool is_written; /* into something that addresses depend on */
};

/* ---- Paces ---- */

static uint8_t faster(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static uint8_t pace_of(const struct search *s, const struct ptx_operand *o)
{
    uint8_t pace = PACE_NONE;
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        return s->paces[o->index];
    case PTX_OPERAND_SPECIAL:
        return ptx_special_is_uniform(o->index) ? PACE_NONE : PACE_ONE;
    case PTX_OPERAND_VECTOR:
        for (uint32_t i = 0; i < o->count; i++)
            pace = faster(pace, pace_of(s, &o->list[i]));
        return pace;
    default:
        return PACE_NONE;
    }
}

static uint8_t fastest(const struct search *s, const struct ptx_instruction *in)
{
    uint8_t pace = PACE_NONE;
    for (uint32_t i = ptx_destination_count(in); i < in->operand_count; i++)
        pace = faster(pace, pace_of(s, &in->operands[i]));
    return pace;
}

static bool is_one(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_INTEGER && (o->bits == 1 || o->bits == -1);
}

static bool is_same(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == PTX_OPERAND_REGISTER && b->kind == PTX_OPERAND_REGISTER &&
           a->index == b->index;
}

/* i = i + 1 counts turns by one, i = i + n by any number. */
static uint8_t pace_of_sum(const struct search *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    if (in->operand_count != 3)
        return PACE_ANY;
    if (is_same(&o[0], &o[1]) || is_same(&o[0], &o[2]))
        return is_one(&o[1]) || is_one(&o[2]) ? faster(PACE_ONE, fastest(s, in)) : PACE_ANY;
    const uint8_t a = pace_of(s, &o[1]), b = pace_of(s, &o[2]);
    return a && b ? PACE_ANY : faster(a, b);
}

/* a * b + c, where the product is the same for all. */
static uint8_t pace_of_product_and_sum(const struct search *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    const bool has_product = in->operand_count != 4 || is_same(&o[0], &o[3]) ||
                             pace_of(s, &o[1]) != PACE_NONE || pace_of(s, &o[2]) != PACE_NONE;
    return !has_product ? pace_of(s, &o[3]) : fastest(s, in) ? PACE_ANY : PACE_NONE;
}

/* Parameters of functions and what lies in .local memory may be registers to the device's compiler. */
static bool loads_from_registers(const struct search *s, const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_ld &&
           (in->space == PTX_SPACE_LOCAL ||
            (in->space == PTX_SPACE_PARAM &&
             !(s->function->is_entry && in->operands[1].variable &&
               in->operands[1].variable->owner && in->operands[1].variable->owner->is_entry)));
}

static uint8_t pace_of_result(const struct search *s, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_ld:
    case PTX_OPCODE_ldu:
    case PTX_OPCODE_call:
        return loads_from_registers(s, in) || in->opcode == PTX_OPCODE_call ? PACE_ANY : PACE_NONE;
    case PTX_OPCODE_atom:
    case PTX_OPCODE_bar:
    case PTX_OPCODE_barrier:
    case PTX_OPCODE_match:
    case PTX_OPCODE_mbarrier:
    case PTX_OPCODE_redux:
    case PTX_OPCODE_shfl:
    case PTX_OPCODE_tex:
    case PTX_OPCODE_tld4:
    case PTX_OPCODE_txq:
    case PTX_OPCODE_suld:
    case PTX_OPCODE_suq:
    case PTX_OPCODE_vote:
        return PACE_NONE;
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_or:
    case PTX_OPCODE_xor:
        return pace_of_sum(s, in);
    case PTX_OPCODE_mad:
        return pace_of_product_and_sum(s, in);
    case PTX_OPCODE_and:
    case PTX_OPCODE_bfe:
    case PTX_OPCODE_cvt:
    case PTX_OPCODE_cvta:
    case PTX_OPCODE_max:
    case PTX_OPCODE_min:
    case PTX_OPCODE_mov:
    case PTX_OPCODE_neg:
    case PTX_OPCODE_not:
    case PTX_OPCODE_rem:
    case PTX_OPCODE_selp:
    case PTX_OPCODE_shr:
        return fastest(s, in);
    default:
        return fastest(s, in) ? PACE_ANY : PACE_NONE;
    }
}

static void set_pace(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct search *s = with;
    const uint8_t pace = faster(s->paces[index], s->pace);
    s->is_changed |= pace != s->paces[index];
    s->paces[index] = pace;
}

static void find_paces(struct search *s)
{
    const struct ptx_function *f = s->function;
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i]->space == PTX_SPACE_REG)
            s->paces[f->parameters[i]->number] = PACE_ANY;
    s->is_changed = true;
    for (int turn = 0; s->is_changed && turn < MOST_TURNS; turn++) {
        s->is_changed = false;
        ptx_steps(s->arena, f->instruction_count);
        for (size_t i = 0; i < f->instruction_count; i++) {
            s->pace = pace_of_result(s, &f->instructions[i]);
            if (s->pace != PACE_NONE)
                ptx_flow_writes(&f->instructions[i], set_pace, s);
        }
    }
    if (s->is_changed)
        memset(s->paces, PACE_ANY, f->register_count);
}

/* ---- Addresses ---- */

static void mark(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct search *s = with;
    s->is_changed |= !s->is_in_address[index];
    s->is_in_address[index] = true;
}

static void look(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct search *s = with;
    s->is_written |= s->is_in_address[index];
}

/* What is handed over to functions or laid into .local memory may become an address there. */
static bool hands_over(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_call || in->opcode == PTX_OPCODE_ret ||
           (in->opcode == PTX_OPCODE_st &&
            (in->space == PTX_SPACE_PARAM || in->space == PTX_SPACE_LOCAL));
}

static void mark_addresses(struct search *s, const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_ADDRESS && in->operands[i].index >= 0)
            mark(s, (uint32_t)in->operands[i].index, true);
    if (hands_over(in))
        ptx_flow_reads(in, mark, s);
}

static bool is_written_to_address(struct search *s, const struct ptx_instruction *in)
{
    s->is_written = false;
    ptx_flow_writes(in, look, s);
    return s->is_written;
}

static void find_addresses(struct search *s)
{
    const struct ptx_function *f = s->function;
    for (size_t i = 0; i < f->instruction_count; i++)
        mark_addresses(s, &f->instructions[i]);
    s->is_changed = true;
    for (int turn = 0; s->is_changed && turn < MOST_TURNS; turn++) {
        s->is_changed = false;
        ptx_steps(s->arena, f->instruction_count);
        for (size_t i = f->instruction_count; i-- > 0;)
            if (is_written_to_address(s, &f->instructions[i]))
                ptx_flow_reads(&f->instructions[i], mark, s);
    }
    for (size_t i = 0; s->is_changed && i < f->register_count; i++)
        s->is_in_address[i] = true;
}

/* ---- What can go wrong ---- */

/* Whether bits of a sum or a product may be lost in the result, other than those beyond 32 or 64. */
static bool may_wrap(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_add:
    case PTX_OPCODE_addc:
    case PTX_OPCODE_call:
    case PTX_OPCODE_cvta:
    case PTX_OPCODE_div:
    case PTX_OPCODE_ld:
    case PTX_OPCODE_max:
    case PTX_OPCODE_min:
    case PTX_OPCODE_mov:
    case PTX_OPCODE_neg:
    case PTX_OPCODE_not:
    case PTX_OPCODE_or:
    case PTX_OPCODE_selp:
    case PTX_OPCODE_set:
    case PTX_OPCODE_setp:
    case PTX_OPCODE_shl:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_subc:
    case PTX_OPCODE_xor:
        return false;
    case PTX_OPCODE_mad:
    case PTX_OPCODE_mul:
        return (in->flags & PTX_WIDE) && ptx_type_bytes(in->types[0]) < 4;
    case PTX_OPCODE_cvt:
        return in->type_count > 1 &&
               (ptx_type_bytes(in->types[0]) < 4 || ptx_type_bytes(in->types[1]) < 4);
    default:
        return true;
    }
}

/* Whether OpenCL C has a function for it that is one to the compiler too. */
static bool is_function(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_abs:
    case PTX_OPCODE_bfind:
    case PTX_OPCODE_brev:
    case PTX_OPCODE_clz:
    case PTX_OPCODE_max:
    case PTX_OPCODE_min:
    case PTX_OPCODE_popc:
    case PTX_OPCODE_prmt:
    case PTX_OPCODE_sad:
    case PTX_OPCODE_shf:
        return true;
    case PTX_OPCODE_add:
    case PTX_OPCODE_cvt:
    case PTX_OPCODE_sub:
        return (in->flags & PTX_SAT) != 0;
    default:
        return false;
    }
}

static bool goes_wrong(struct search *s, const struct ptx_target *target,
                       const struct ptx_instruction *in)
{
    const uint8_t pace = fastest(s, in);
    const uint8_t most = target->loses_all_wraps ? PACE_ONE : PACE_ANY;
    if (pace == PACE_NONE || !is_written_to_address(s, in))
        return false;
    return (target->loses_wraps && pace >= most && may_wrap(in)) ||
           (target->loses_turns && is_function(in));
}

bool ptx_hides(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_body *body = ptx_current_body(e);
    const struct ptx_function *f = body->function;
    if (!(e->target->loses_wraps || e->target->loses_turns) || in < f->instructions ||
        in >= f->instructions + f->instruction_count)
        return false;
    if (!body->hides) {
        struct search s = {.arena = e->arena, .function = f};
        s.paces = ptx_arena_take(e->arena, f->register_count + 1);
        s.is_in_address = ptx_arena_array(e->arena, f->register_count + 1, sizeof *s.is_in_address);
        body->hides = ptx_arena_array(e->arena, f->instruction_count, sizeof *body->hides);
        find_paces(&s);
        find_addresses(&s);
        for (size_t i = 0; i < f->instruction_count; i++)
            body->hides[i] = goes_wrong(&s, e->target, &f->instructions[i]);
    }
    return body->hides[in - f->instructions] && ptx_ask(e, PTX_FACT_INDICES);
}
