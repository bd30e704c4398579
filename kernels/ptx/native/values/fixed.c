/* Registers that are fixed: whatever sets them gives a thread the same each time, for it is made of numbers, of the kernel's parameters and of
 * where the thread is. Compilers set such a register once on either side of a branch, as what it is made of: it is as if one
 * instruction set it, and lanes that wait elsewhere find in it what they want whoever has set it last.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

enum { MOST_DEPTH = 4 }; /* instructions that lead from one to the next */

struct fixing {
    struct ptx_native_flow *flow;
    const struct ptx_instruction *in;
    const struct ptx_instruction **first_by; /* per register: the first that sets it */
    bool *is_same;                           /* per register: so far, all set the same */
};

static bool is_plain(const struct ptx_instruction *in)
{
    return ptx_native_is_simple(in) && in->opcode != PTX_OPCODE_setp && in->operand_count > 1 &&
           in->operands[0].kind == PTX_OPERAND_REGISTER && !in->operands[0].part;
}

static bool is_same_operand(const struct fixing *x, const struct ptx_operand *a,
                            const struct ptx_operand *b, int depth);

static bool is_same_text(const struct fixing *x, const struct ptx_instruction *a,
                         const struct ptx_instruction *b, int depth)
{
    bool is = a->opcode == b->opcode && a->type_count == b->type_count &&
              a->types[0] == b->types[0] && (a->type_count < 2 || a->types[1] == b->types[1]) &&
              a->space == b->space && a->second_space == b->second_space &&
              a->rounding == b->rounding && a->operation == b->operation && a->flags == b->flags &&
              a->operand_count == b->operand_count;
    for (uint32_t i = 1; is && i < a->operand_count; i++)
        is = is_same_operand(x, &a->operands[i], &b->operands[i], depth);
    return is;
}

/* The same register, or two that are set to the same. */
static bool is_same_operand(const struct fixing *x, const struct ptx_operand *a,
                            const struct ptx_operand *b, int depth)
{
    const struct ptx_native_flow *f = x->flow;
    if (a->kind != b->kind || a->part != b->part || a->is_negated != b->is_negated)
        return false;
    if (a->kind != PTX_OPERAND_REGISTER)
        return a->index == b->index && a->bits == b->bits && a->variable == b->variable &&
               a->is_double == b->is_double;
    if (a->index == b->index)
        return true;
    return depth < MOST_DEPTH && f->definitions[a->index] == 1 && f->definitions[b->index] == 1 &&
           f->function->registers[a->index].type == f->function->registers[b->index].type &&
           is_plain(f->set_by[a->index]) && is_plain(f->set_by[b->index]) &&
           is_same_text(x, f->set_by[a->index], f->set_by[b->index], depth + 1);
}

static bool is_fixed(const struct fixing *x, uint32_t index, int depth);

static bool is_fixed_operand(const struct fixing *x, const struct ptx_operand *o, int depth)
{
    switch (o->kind) {
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
        return true;
    case PTX_OPERAND_SPECIAL:
        return o->index >= PTX_TID_X && o->index <= PTX_LANEID;
    case PTX_OPERAND_VARIABLE:
        return o->variable && o->variable->space != PTX_SPACE_LOCAL;
    case PTX_OPERAND_ADDRESS:
        return o->index < 0 && o->variable && o->variable->space == PTX_SPACE_PARAM;
    case PTX_OPERAND_REGISTER:
        return !o->part && !o->is_negated && is_fixed(x, (uint32_t)o->index, depth + 1);
    default:
        return false;
    }
}

/* Of a register of which all that sets it is the same. */
static bool is_fixed(const struct fixing *x, uint32_t index, int depth)
{
    const struct ptx_native_flow *f = x->flow;
    const struct ptx_instruction *in = f->set_by[index];
    if (depth >= MOST_DEPTH || !in || !x->is_same[index] || !is_plain(in) ||
        !ptx_flow_is_pure(f->function, in))
        return false;
    for (uint32_t i = 1; i < in->operand_count; i++)
        if (!is_fixed_operand(x, &in->operands[i], depth))
            return false;
    return true;
}

static void look_at_definition(void *with, uint32_t index, bool is_whole)
{
    struct fixing *x = with;
    if (!is_whole || !is_plain(x->in))
        x->is_same[index] = false;
    else if (!x->first_by[index])
        x->first_by[index] = x->in;
    else
        x->is_same[index] &= is_same_text(x, x->first_by[index], x->in, 0);
}

void ptx_native_find_fixed(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const size_t count = f->function->register_count;
    struct fixing x = {f, NULL, ptx_arena_array(n->e->arena, count + 1, sizeof(void *)),
                       ptx_arena_take(n->e->arena, count + 1)};
    f->is_fixed = ptx_arena_take(n->e->arena, count + 1);
    for (uint32_t r = 0; r < count; r++)
        x.is_same[r] = true;
    ptx_steps(n->e->arena, f->function->instruction_count);
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        x.in = &f->function->instructions[i];
        ptx_flow_writes(x.in, look_at_definition, &x);
    }
    for (uint32_t r = 0; r < count; r++)
        f->is_fixed[r] = is_fixed(&x, r, 0);
    for (uint32_t r = 0; r < count; r++)
        if (f->is_fixed[r])
            f->definitions[r] = 1;
}
