/* Float and double arithmetic. Rounded to nearest without flags it is C's own; directed roundings, flushing and saturation
 * go to the library, or to NVIDIA's compiler where that takes PTX.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit_number.h"

/* `directed`: the same with $r, the rounding; NULL where the ISA has none. */
struct row {
    uint16_t opcode;
    const char *nearest, *directed;
};

static const struct row rows[] = {
    {PTX_OPCODE_add, "$a + $b", "clem_add_$t($a, $b, "},
    {PTX_OPCODE_sub, "$a - $b", "clem_add_$t($a, -$b, "},
    {PTX_OPCODE_mul, "$a * $b", "clem_mul_$t($a, $b, "},
    {PTX_OPCODE_fma, "fma($a, $b, $c)", "clem_fma_$t($a, $b, $c, "},
    {PTX_OPCODE_mad, "fma($a, $b, $c)", "clem_fma_$t($a, $b, $c, "},
    {PTX_OPCODE_div, "$a / $b", "clem_div_$t($a, $b, "},
    {PTX_OPCODE_rcp, "1.0f / $a", "clem_div_$t(1.0f, $a, "},
    {PTX_OPCODE_sqrt, "sqrt($a)", "clem_sqrt_$t($a, "},
    {PTX_OPCODE_rsqrt, "rsqrt($a)", NULL},
    {PTX_OPCODE_sin, "sin($a)", NULL},
    {PTX_OPCODE_cos, "cos($a)", NULL},
    {PTX_OPCODE_lg2, "log2($a)", NULL},
    {PTX_OPCODE_ex2, "exp2($a)", NULL},
    {PTX_OPCODE_tanh, "clem_tanhf($a)", NULL},
    {PTX_OPCODE_abs, "fabs($a)", NULL},
    {PTX_OPCODE_neg, "-$a", NULL},
    {PTX_OPCODE_copysign, "copysign($b, $a)", NULL},
};

/* The same of bits, for devices without double. */
static const struct row soft_rows[] = {
    {PTX_OPCODE_add, "clem_soft_add($a, $b)", "clem_soft_add_mode($a, $b, "},
    {PTX_OPCODE_sub, "clem_soft_sub($a, $b)", "clem_soft_sub_mode($a, $b, "},
    {PTX_OPCODE_mul, "clem_soft_mul($a, $b)", "clem_soft_mul_mode($a, $b, "},
    {PTX_OPCODE_fma, "clem_soft_fma($a, $b, $c, clem_rn)", "clem_soft_fma($a, $b, $c, "},
    {PTX_OPCODE_mad, "clem_soft_fma($a, $b, $c, clem_rn)", "clem_soft_fma($a, $b, $c, "},
    {PTX_OPCODE_div, "clem_soft_div($a, $b, clem_rn)", "clem_soft_div($a, $b, "},
    {PTX_OPCODE_rcp, "clem_soft_div(CLEM_SOFT_ONE, $a, clem_rn)",
     "clem_soft_div(CLEM_SOFT_ONE, $a, "},
    {PTX_OPCODE_sqrt, "clem_soft_sqrt($a, clem_rn)", "clem_soft_sqrt($a, "},
    {PTX_OPCODE_rsqrt, "clem_soft_div(CLEM_SOFT_ONE, clem_soft_sqrt($a, clem_rn), clem_rn)", NULL},
    {PTX_OPCODE_abs, "($a & CLEM_SOFT_ABS)", NULL},
    {PTX_OPCODE_neg, "($a ^ CLEM_SOFT_SIGN)", NULL},
    {PTX_OPCODE_copysign, "(($b & CLEM_SOFT_ABS) | ($a & CLEM_SOFT_SIGN))", NULL},
    {PTX_OPCODE_min, "clem_soft_min($a, $b)", NULL},
    {PTX_OPCODE_max, "clem_soft_max($a, $b)", NULL},
};

static const struct row *find_soft_row(const struct ptx_instruction *in)
{
    for (size_t i = 0; i < sizeof soft_rows / sizeof *soft_rows; i++)
        if (soft_rows[i].opcode == in->opcode)
            return &soft_rows[i];
    return NULL;
}

static const struct row *find_row(const struct ptx_instruction *in)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == in->opcode)
            return &rows[i];
    return NULL;
}

/* What C says alike, with the same bits as the result. */
static bool is_plain(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_fma:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_abs:
    case PTX_OPCODE_neg:
        return !ptx_is_directed(in) && !(in->flags & (PTX_FTZ | PTX_SAT));
    default:
        return in->opcode == PTX_OPCODE_copysign;
    }
}

/* div.rn.f32, rcp.rn.f32 and sqrt.rn.f32: OpenCL leaves these operators 2.5 and 3 ULP. NULL: another operation. */
static const char *by_other_means(const struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_loose = in->flags & (PTX_APPROX | PTX_FULL);
    if (is_loose || in->types[0] != PTX_F32)
        return NULL;
    switch (in->opcode) {
    case PTX_OPCODE_div:
        return e->target->has_double ? "clem_div_by_double($a, $b)"
                                     : "clem_div_f32($a, $b, clem_rn)";
    case PTX_OPCODE_rcp:
        return e->target->has_double ? "clem_div_by_double(1.0f, $a)"
                                     : "clem_div_f32(1.0f, $a, clem_rn)";
    case PTX_OPCODE_sqrt:
        return e->target->has_double ? "clem_sqrt_by_double($a)" : "clem_sqrt_f32($a, clem_rn)";
    default:
        return NULL;
    }
}

static const char *exact_template(struct ptx_emitter *e, const struct ptx_instruction *in,
                                  const struct row *row)
{
    const char *other = by_other_means(e, in);
    return other && !ptx_ask(e, PTX_FACT_EXACT_DIVIDE)->has_exact_divide ? other : row->nearest;
}

/* Signs apart and NaN as the result are of float alone, and signs are of two numbers. */
static bool has_other_form(const struct ptx_instruction *in)
{
    const uint32_t flags = in->flags & (PTX_XORSIGN_ABS | PTX_NAN_FLAG);
    return (flags && in->types[0] != PTX_F32) ||
           ((flags & PTX_XORSIGN_ABS) && in->operand_count > 3);
}

/* min and max, with NaN and -0 as PTX has them; of three numbers two by two. */
static const char *least_or_most(struct ptx_emitter *e, const struct ptx_instruction *in,
                                 const struct ptx_fill *fill)
{
    const char *name =
        ptx_format(e, "clem_%s%s_%s", ptx_opcode_name(in->opcode),
                   in->flags & PTX_NAN_FLAG ? "_nan" : "", ptx_type_name(fill->type));
    const char *const *x = fill->arguments;
    if (has_other_form(in)) {
        ptx_refuse(e, "this form of the instruction has no translation");
        return "0";
    }
    if (in->flags & PTX_XORSIGN_ABS)
        return ptx_format(e, "clem_xorsign_f32(%s(fabs(%s), fabs(%s)), %s, %s)", name, x[0], x[1],
                          x[0], x[1]);
    const char *two = ptx_format(e, "%s(%s, %s)", name, x[0], x[1]);
    return in->operand_count > 3 ? ptx_format(e, "%s(%s, %s)", name, two, x[2]) : two;
}

static const char *result_of(struct ptx_emitter *e, const struct ptx_instruction *in,
                             const struct ptx_fill *fill)
{
    if (in->opcode == PTX_OPCODE_min || in->opcode == PTX_OPCODE_max)
        return least_or_most(e, in, fill);
    const struct row *row = find_row(in);
    if (!row || (ptx_is_directed(in) && !row->directed)) {
        ptx_refuse(e, "this form of the instruction has no translation");
        return "0";
    }
    if (ptx_is_directed(in))
        return ptx_format(e, "%s%s)", ptx_expression(e, row->directed, fill),
                          ptx_rounding_name(in));
    return ptx_expression(e, exact_template(e, in, row), fill);
}

static void write_native(struct ptx_emitter *e, const struct ptx_instruction *in,
                         enum ptx_type type)
{
    const enum ptx_type types[] = {type, type, type, type};
    ptx_native(e, in, types, in->operand_count < 4 ? in->operand_count : 4);
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write upper words only. */
static bool is_gross(const struct ptx_instruction *in)
{
    return in->types[0] == PTX_F64 && (in->flags & PTX_FTZ);
}

/* Of doubles that are bits. */
static void write_soft(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct row *row = find_soft_row(in);
    struct ptx_fill fill = {.type = PTX_F64};
    if (!row || (ptx_is_directed(in) && !row->directed) ||
        (in->flags & (PTX_XORSIGN_ABS | PTX_NAN_FLAG))) {
        ptx_refuse(e, "this form of the instruction has no translation");
        return;
    }
    for (uint32_t i = 1; i < in->operand_count && i <= PTX_ARGUMENTS; i++) {
        const char *value = ptx_source(e, in, i, PTX_F64);
        fill.arguments[i - 1] = is_gross(in) ? ptx_format(e, "clem_soft_ftz(%s)", value) : value;
    }
    const char *value =
        ptx_is_directed(in)
            ? ptx_format(e, "%s%s)", ptx_expression(e, row->directed, &fill), ptx_rounding_name(in))
            : ptx_expression(e, row->nearest, &fill);
    if (is_gross(in))
        value = ptx_format(e, "clem_soft_upper(clem_soft_ftz(%s))", value);
    if (in->flags & PTX_SAT)
        value = ptx_format(e, "clem_soft_sat(%s)", value);
    ptx_set(e, &in->operands[0], PTX_F64, value);
}

void ptx_emit_float(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const bool flushes = in->flags & PTX_FTZ;
    const char *flush = is_gross(in) ? "clem_ftz_f64" : "clem_ftz";
    struct ptx_fill fill = {.type = type};
    if (in->type_count > 1) {
        ptx_refuse(e, "arithmetic of mixed types has no translation");
        return;
    }
    if (ptx_is_soft(e, type)) {
        write_soft(e, in);
        return;
    }
    if (e->target->has_nvidia_asm && !is_plain(in)) {
        write_native(e, in, type);
        return;
    }
    for (uint32_t i = 1; i < in->operand_count && i <= PTX_ARGUMENTS; i++) {
        const char *value = ptx_source(e, in, i, type);
        fill.arguments[i - 1] = flushes ? ptx_format(e, "%s(%s)", flush, value) : value;
    }
    for (uint32_t i = in->operand_count; i <= PTX_ARGUMENTS; i++)
        fill.arguments[i - 1] = "0";
    const char *value = result_of(e, in, &fill);
    if (is_gross(in))
        value = ptx_format(e, "clem_upper_f64(%s(%s))", flush, value);
    else if (flushes)
        value = ptx_format(e, "%s(%s)", flush, value);
    if (in->flags & PTX_SAT)
        value = ptx_format(e, "clem_sat_%s(%s)", ptx_type_name(type), value);
    ptx_set(e, &in->operands[0], type, value);
}
