/* What goes into registers that hold pointers (analyse/pointer.c): mov, cvta, and the arithmetic of addresses.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit.h"

static bool goes_to_pointer(const struct ptx_emitter *e, const struct ptx_instruction *in)
{
    return in->operand_count >= 2 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
           in->operands[0].part == 0 && ptx_is_pointer_register(e, in->operands[0].index);
}

static bool is_pointer_operand(const struct ptx_emitter *e, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER
               ? ptx_is_pointer_register(e, operand->index)
               : operand->kind == PTX_OPERAND_VARIABLE &&
                     (operand->variable->space == PTX_SPACE_GLOBAL ||
                      operand->variable->space == PTX_SPACE_CONST);
}

static const char *as_pointer(struct ptx_emitter *e, const struct ptx_operand *operand)
{
    if (!is_pointer_operand(e, operand)) {
        if (operand->kind != PTX_OPERAND_INTEGER)
            ptx_refuse_unknown_address(e, operand);
        return ptx_format(e, "(__global uchar *)%s", ptx_value(e, operand, PTX_U64));
    }
    if (operand->kind == PTX_OPERAND_VARIABLE)
        return ptx_global_pointer(e, operand->variable, operand->bits);
    return ptx_register_name(e, (uint32_t)operand->index, 0);
}

/* What is added to a pointer: as signed constants, which read better than huge unsigned ones. */
static const char *as_distance(struct ptx_emitter *e, const struct ptx_operand *operand)
{
    return ptx_value(e, operand, operand->kind == PTX_OPERAND_INTEGER ? PTX_S64 : PTX_U64);
}

static const char *sum_text(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
    if (!is_pointer_operand(e, a) && is_pointer_operand(e, b)) {
        const struct ptx_operand *swapped = a;
        a = b;
        b = swapped;
    }
    return ptx_format(e, "%s + %s", as_pointer(e, a), as_distance(e, b));
}

static const char *product_text(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = in->types[0];
    if (!(in->flags & PTX_WIDE))
        return ptx_format(e, "%s * %s", ptx_value(e, &in->operands[1], PTX_U64),
                          ptx_value(e, &in->operands[2], PTX_U64));
    const char *wide = ptx_type_is_signed(type) ? "long" : "ulong";
    return ptx_format(e, "(%s)%s * (%s)%s", wide, ptx_value(e, &in->operands[1], type), wide,
                      ptx_value(e, &in->operands[2], type));
}

bool ptx_emit_pointer(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (!goes_to_pointer(e, in))
        return false;
    const char *to = ptx_register_name(e, (uint32_t)in->operands[0].index, 0);
    const struct ptx_operand *o = in->operands;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvta:
        ptx_line(e, "%s = %s;", to,
                 in->space == PTX_SPACE_PARAM
                     ? ptx_format(e, "(__global uchar *)%s", ptx_value(e, &o[1], PTX_U64))
                     : as_pointer(e, &o[1]));
        return true;
    case PTX_OPCODE_add:
        ptx_line(e, "%s = %s;", to, sum_text(e, in));
        return true;
    case PTX_OPCODE_sub:
        ptx_line(e, "%s = %s - %s;", to, as_pointer(e, &o[1]), as_distance(e, &o[2]));
        return true;
    case PTX_OPCODE_mad:
        ptx_line(e, "%s = %s + %s;", to, as_pointer(e, &o[3]), product_text(e, in));
        return true;
    case PTX_OPCODE_selp:
        ptx_line(e, "%s = %s ? %s : %s;", to, ptx_predicate(e, &o[3]), as_pointer(e, &o[1]),
                 as_pointer(e, &o[2]));
        return true;
    default:
        return false;
    }
}
