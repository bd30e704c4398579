/* Half and bfloat16 arithmetic, single and packed, through the library's functions on their bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit_number.h"

static const struct {
    uint16_t opcode;
    const char *template;
} rows[] = {
    {PTX_OPCODE_add, "clem_add_$t($a, $b)"},
    {PTX_OPCODE_sub, "clem_sub_$t($a, $b)"},
    {PTX_OPCODE_mul, "clem_mul_$t($a, $b)"},
    {PTX_OPCODE_fma, "clem_fma_$t($a, $b, $c)"},
    {PTX_OPCODE_neg, "clem_neg_half($a)"},
    {PTX_OPCODE_abs, "clem_abs_half($a)"},
    {PTX_OPCODE_ex2, "clem_$t_from_f32(exp2(clem_f32_from_$t($a)))"},
    {PTX_OPCODE_tanh, "clem_$t_from_f32(clem_tanhf(clem_f32_from_$t($a)))"},
};

static const char *infinity_of(enum ptx_type type)
{
    return type == PTX_F16 ? "0x7c00u" : "0x7f80u";
}

static const char *least_or_most(struct ptx_emitter *e, const struct ptx_instruction *in,
                                 const struct ptx_fill *fill)
{
    const char *a = fill->arguments[0], *b = fill->arguments[1];
    const char *infinite = infinity_of(fill->type);
    const bool is_xorsign = in->flags & PTX_XORSIGN_ABS;
    const char *value =
        ptx_format(e,
                   is_xorsign ? "clem_%s_half(clem_abs_half(%s), clem_abs_half(%s), %s)"
                              : "clem_%s_half(%s, %s, %s)",
                   ptx_opcode_name(in->opcode), a, b, infinite);
    if (in->flags & PTX_NAN_FLAG)
        value = ptx_format(e, "clem_nan_half(%s, %s, %s, %s)", value, a, b, infinite);
    if (is_xorsign)
        value = ptx_format(e, "clem_xorsign_half(%s, %s, %s)", value, a, b);
    return value;
}

static const char *plain(struct ptx_emitter *e, const struct ptx_instruction *in,
                         const struct ptx_fill *fill)
{
    if (in->opcode == PTX_OPCODE_min || in->opcode == PTX_OPCODE_max)
        return least_or_most(e, in, fill);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == in->opcode)
            return ptx_expression(e, rows[i].template, fill);
    ptx_refuse(e, "this form of the instruction has no translation");
    return "0";
}

/* With what .ftz, .sat and .relu do to the numbers before and after. */
static const char *one(struct ptx_emitter *e, const struct ptx_instruction *in,
                       const struct ptx_fill *given)
{
    const char *name = ptx_type_name(given->type);
    struct ptx_fill fill = *given;
    for (int i = 0; i < PTX_ARGUMENTS && (in->flags & PTX_FTZ); i++)
        if (fill.arguments[i])
            fill.arguments[i] = ptx_format(e, "clem_ftz_%s(%s)", name, fill.arguments[i]);
    const char *value = plain(e, in, &fill);
    if (in->flags & PTX_FTZ)
        value = ptx_format(e, "clem_ftz_%s(%s)", name, value);
    if (in->flags & PTX_SAT)
        value = ptx_format(e, "clem_sat_%s(%s)", name, value);
    if (in->flags & PTX_RELU)
        value = ptx_format(e, "clem_relu_%s(%s)", name, value);
    return value;
}

void ptx_emit_half(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const enum ptx_type types[] = {type, type, type, type};
    if (in->type_count > 1 || in->operand_count > 4 || (in->flags & PTX_OOB)) {
        ptx_refuse(e, "this form of the instruction has no translation");
        return;
    }
    if (e->target->has_nvidia_asm) {
        ptx_native(e, in, types, in->operand_count);
        return;
    }
    if (ptx_is_packed(type)) {
        ptx_write_packed(e, in, one);
        return;
    }
    struct ptx_fill fill = {.type = type};
    for (uint32_t i = 1; i < in->operand_count; i++)
        fill.arguments[i - 1] = ptx_source(e, in, i, type);
    ptx_set(e, &in->operands[0], type, one(e, in, &fill));
}
