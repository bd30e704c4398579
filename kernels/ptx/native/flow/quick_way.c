/* Nodes that only find out which lanes have something to do, as most kernels begin: if (x < n && y < n). Mostly that is all lanes of a
 * warp, which numbers tell without any vector also where warps are two rows of threads: such a node is written once more, with what
 * the comparisons come to for all lanes, before what finds out for each.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

enum { MOST_INSTRUCTIONS = 32 };

static bool is_in(const struct ptx_native_flow *f, const struct ptx_node *range, uint32_t index)
{
    const struct ptx_instruction *in = f->definitions[index] == 1 ? f->set_by[index] : NULL;
    const struct ptx_instruction *all = f->function->instructions;
    return in && in >= all + range->first && in < all + range->end;
}

/* Sets what lanes differ in, and no other node wants: a comparison, or what is made of some. */
static bool is_truth(const struct ptx_native *n, const struct ptx_node *range,
                     const struct ptx_instruction *in)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_operand *to = &in->operands[0];
    if (in->operand_count < 2 || in->has_second_destination || to->kind != PTX_OPERAND_REGISTER ||
        f->function->registers[to->index].type != PTX_PRED ||
        ptx_native_is_uniform(n, (uint32_t)to->index))
        return false;
    return is_in(f, range, (uint32_t)to->index) && !f->has_place[to->index];
}

/* Sets a number that stands for all lanes. */
static bool is_of_all(const struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    return in->operand_count > 0 && !in->has_second_destination &&
           to->kind == PTX_OPERAND_REGISTER && !to->part &&
           (ptx_native_is_uniform(n, (uint32_t)to->index) ||
            ptx_native_is_line(n, (uint32_t)to->index));
}

/* What a truth is made of two others, of which all must hold if it is to hold for all, or all must not; otherwise false. */
static bool is_made_of_both(const struct ptx_instruction *in, bool wanted)
{
    return in->operand_count == 3 && in->types[0] == PTX_PRED &&
           in->opcode == (wanted ? PTX_OPCODE_and : PTX_OPCODE_or);
}

static bool is_opposite(const struct ptx_instruction *in)
{
    return in->operand_count == 2 && in->types[0] == PTX_PRED && in->opcode == PTX_OPCODE_not;
}

static bool is_plain(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REGISTER && !o->part && !o->is_negated;
}

/* Whether it can be told by numbers that a register has the wanted truth for all lanes. */
static bool can_tell(struct ptx_native *n, const struct ptx_node *range, uint32_t index,
                     bool wanted, int depth)
{
    enum { MOST_DEPTH = 8 };
    const struct ptx_native_flow *f = n->flow;
    if (ptx_native_is_uniform(n, index))
        return true;
    if (depth > MOST_DEPTH || !is_in(f, range, index))
        return false;
    const struct ptx_instruction *in = f->set_by[index];
    if (ptx_native_may_hold_for_all(n, in))
        return true;
    const uint32_t count = is_opposite(in) ? 1 : is_made_of_both(in, wanted) ? 2 : 0;
    for (uint32_t i = 1; i <= count; i++)
        if (!is_plain(&in->operands[i]) || !can_tell(n, range, (uint32_t)in->operands[i].index,
                                                     count == 1 ? !wanted : wanted, depth + 1))
            return false;
    return count > 0;
}

/* An i1. Needs: can_tell(). */
static const char *tell(struct ptx_native *n, const struct ptx_operand *o, bool wanted)
{
    const uint32_t index = (uint32_t)o->index;
    if (ptx_native_is_uniform(n, index)) {
        n->is_vector = false;
        const char *truth = ptx_native_read(n, o, PTX_PRED).text;
        return wanted ? truth : ptx_native_emit(n, "xor i1 %s, true", truth);
    }
    const struct ptx_instruction *in = n->flow->set_by[index];
    if (ptx_native_may_hold_for_all(n, in))
        return ptx_native_holds_for_all(n, in, wanted);
    if (is_opposite(in))
        return tell(n, &in->operands[1], !wanted);
    const char *first = tell(n, &in->operands[1], wanted);
    return ptx_native_emit(n, "and i1 %s, %s", first, tell(n, &in->operands[2], wanted));
}

/* What line_compare.c answers without a vector gains nothing as one comparison, nor in a kernel that does much, of which some have
 * lost a tenth. Where the words of lanes that several make are a good part of the work it does: jacobi_2d takes 0.96 of the time. */
enum { LITTLE = 56 };

static bool is_of_halves(const struct ptx_native *n, const struct ptx_instruction *in)
{
    for (uint32_t i = 1; in->opcode == PTX_OPCODE_setp && i < in->operand_count; i++)
        if (is_plain(&in->operands[i]) && ptx_native_is_line(n, (uint32_t)in->operands[i].index) &&
            !n->flow->lines[in->operands[i].index].is_whole)
            return true;
    return false;
}

bool ptx_native_has_quick_way(struct ptx_native *n, const struct ptx_node *range, bool wanted)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *all = f->function->instructions, *last = &all[range->end - 1];
    const bool does_little = f->function->instruction_count < LITTLE;
    size_t truths = 0;
    bool is_any = false;
    if (f->is_parted || f->is_divergent || f->sites[f->node] || f->has_rests ||
        ptx_native_is_checked(n) || range->end - range->first > MOST_INSTRUCTIONS ||
        last->opcode != PTX_OPCODE_bra || last->guard < 0 ||
        ptx_native_is_uniform(n, (uint32_t)last->guard) ||
        !can_tell(n, range, (uint32_t)last->guard, wanted, 0))
        return false;
    for (const struct ptx_instruction *in = &all[range->first]; in < last; in++) {
        const bool is_one = is_truth(n, range, in);
        if (in->guard >= 0 || !ptx_flow_is_pure(f->function, in) || (!is_one && !is_of_all(n, in)))
            return false;
        is_any |= is_one && is_of_halves(n, in);
        truths += is_one;
    }
    return is_any || (does_little && truths > 1);
}

const char *ptx_native_quick_condition(struct ptx_native *n, const struct ptx_node *range,
                                       bool wanted)
{
    const struct ptx_instruction *all = n->flow->function->instructions,
                                 *last = &all[range->end - 1];
    const struct ptx_operand guard = {.kind = PTX_OPERAND_REGISTER, .index = last->guard};
    for (const struct ptx_instruction *in = &all[range->first]; in < last; in++)
        if (!is_truth(n, range, in))
            n->flow->write(n, in);
    return tell(n, &guard, wanted);
}
