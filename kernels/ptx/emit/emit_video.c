/* Video instructions: on parts of words, scalar (vadd ...), two-way (vadd2 ...) and four-way (vadd4 ...).
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit_number.h"

/* What one computes, in 64 bits, from $a and $b; `parts` of a word at once. */
struct row {
    uint16_t opcode;
    uint8_t parts;
    const char *template;
};

static const struct row rows[] = {
    {PTX_OPCODE_vadd, 1, "$a + $b"},
    {PTX_OPCODE_vsub, 1, "$a - $b"},
    {PTX_OPCODE_vabsdiff, 1, "clem_abs_difference($a, $b)"},
    {PTX_OPCODE_vmin, 1, "min($a, $b)"},
    {PTX_OPCODE_vmax, 1, "max($a, $b)"},
    {PTX_OPCODE_vshl, 1, "clem_vshl($a, $b)"},
    {PTX_OPCODE_vshr, 1, "$a >> $b"},
    {PTX_OPCODE_vset, 1, NULL},
    {PTX_OPCODE_vadd2, 2, "$a + $b"},
    {PTX_OPCODE_vsub2, 2, "$a - $b"},
    {PTX_OPCODE_vavrg2, 2, "clem_average($a, $b)"},
    {PTX_OPCODE_vabsdiff2, 2, "clem_abs_difference($a, $b)"},
    {PTX_OPCODE_vmin2, 2, "min($a, $b)"},
    {PTX_OPCODE_vmax2, 2, "max($a, $b)"},
    {PTX_OPCODE_vset2, 2, NULL},
    {PTX_OPCODE_vadd4, 4, "$a + $b"},
    {PTX_OPCODE_vsub4, 4, "$a - $b"},
    {PTX_OPCODE_vavrg4, 4, "clem_average($a, $b)"},
    {PTX_OPCODE_vabsdiff4, 4, "clem_abs_difference($a, $b)"},
    {PTX_OPCODE_vmin4, 4, "min($a, $b)"},
    {PTX_OPCODE_vmax4, 4, "max($a, $b)"},
    {PTX_OPCODE_vset4, 4, NULL},
};

/* vset compares: it has no type of the result. */
static const char *const comparisons[] = {
    [PTX_EQ] = "$a == $b", [PTX_NE] = "$a != $b", [PTX_LT] = "$a < $b",
    [PTX_LE] = "$a <= $b", [PTX_GT] = "$a > $b",  [PTX_GE] = "$a >= $b",
};

static const struct row *find_row(const struct ptx_instruction *in)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == in->opcode)
            return &rows[i];
    return NULL;
}

static const char *template_of(const struct ptx_instruction *in, const struct row *row)
{
    if (row->template)
        return row->template;
    const bool is_known = in->compare < sizeof comparisons / sizeof *comparisons;
    return is_known ? comparisons[in->compare] : NULL;
}

static bool is_signed(const struct ptx_instruction *in, unsigned index)
{
    return index < in->type_count && ptx_type_is_signed((enum ptx_type)in->types[index]);
}

static bool has_operation(const struct ptx_instruction *in, enum ptx_operation operation)
{
    return in->operation == operation || in->second_operation == operation;
}

/* ---- Scalar ones ---- */

struct part {
    unsigned position, bits;
};

static bool has_selector(const struct ptx_operand *operand)
{
    return operand->part >= PTX_PART_BYTES;
}

static unsigned digit_count(const struct ptx_operand *operand)
{
    if (!has_selector(operand))
        return 0;
    return operand->part -
           (unsigned)(operand->part >= PTX_PART_HALVES ? PTX_PART_HALVES : PTX_PART_BYTES);
}

/* The i-th digit of .b3210 from the right. */
static unsigned digit(const struct ptx_operand *operand, unsigned i)
{
    return operand->count >> (4 * i) & 7;
}

/* "b2": bits 16 to 23; "h1": 16 to 31; none: all. */
static struct part part_of(const struct ptx_operand *operand)
{
    if (!has_selector(operand))
        return (struct part){0, 32};
    const unsigned bits = operand->part >= PTX_PART_HALVES ? 16 : 8;
    return (struct part){bits * digit(operand, 0) % 32, bits};
}

/* A source as a number of 64 bits. Its register alone is read: a minus is the product's matter. */
static const char *scalar_source(struct ptx_emitter *e, const struct ptx_instruction *in,
                                 uint32_t index, bool with_sign)
{
    if (index >= in->operand_count) {
        ptx_refuse(e, "an operand is missing");
        return "0";
    }
    struct ptx_operand operand = in->operands[index];
    const struct part part = part_of(&operand);
    operand.is_negated = false;
    return ptx_format(e, "clem_part(%s, %uu, %uu, %du)", ptx_value(e, &operand, PTX_U32),
                      part.position, part.bits, with_sign);
}

/* The shift's distance. */
static const char *distance(struct ptx_emitter *e, const struct ptx_instruction *in,
                            const char *value)
{
    return in->flags & PTX_SHIFT_WRAP ? ptx_format(e, "(%s & 31l)", value)
                                      : ptx_format(e, "min(%s, 32l)", value);
}

/* Then .add, .min or .max with c, or c around the part that the destination names. */
static const char *second_step(struct ptx_emitter *e, const struct ptx_instruction *in,
                               const char *value, bool with_sign)
{
    const struct part part = part_of(&in->operands[0]);
    if (in->operand_count < 4)
        return value;
    const char *c = ptx_source(e, in, 3, with_sign ? PTX_S32 : PTX_U32);
    const char *type = with_sign ? "int" : "uint";
    if (has_operation(in, PTX_OP_ADD))
        return ptx_format(e, "%s + (uint)%s", value, c);
    if (has_operation(in, PTX_OP_MIN))
        return ptx_format(e, "(uint)min((%s)%s, %s)", type, value, c);
    if (has_operation(in, PTX_OP_MAX))
        return ptx_format(e, "(uint)max((%s)%s, %s)", type, value, c);
    return ptx_format(e, "clem_merge(%s, (uint)%s, %uu, %uu)", value, c, part.position, part.bits);
}

static void write_scalar(struct ptx_emitter *e, const struct ptx_instruction *in,
                         const char *template)
{
    const bool is_vset = in->opcode == PTX_OPCODE_vset;
    const bool is_shift = in->opcode == PTX_OPCODE_vshl || in->opcode == PTX_OPCODE_vshr;
    const unsigned types = is_vset ? 0 : 1;
    const bool with_sign = !is_vset && is_signed(in, 0);
    ptx_line(e, "{");
    struct ptx_fill fill = {.type = PTX_S64};
    const char *second = scalar_source(e, in, 2, is_signed(in, types + 1));
    fill.arguments[0] = ptx_hold(e, PTX_S64, scalar_source(e, in, 1, is_signed(in, types)));
    fill.arguments[1] = ptx_hold(e, PTX_S64, is_shift ? distance(e, in, second) : second);
    const char *value = ptx_expression(e, template, &fill);
    if (in->flags & PTX_SAT)
        value = ptx_format(e, "clem_clamp_bits(%s, %uu, %du)", value,
                           part_of(&in->operands[0]).bits, with_sign);
    value = ptx_hold(e, PTX_U32, ptx_format(e, "(uint)(%s)", value));
    ptx_set(e, &in->operands[0], PTX_U32, second_step(e, in, value, with_sign));
    ptx_line(e, "}");
}

static void write_vmad(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool a_signed = is_signed(in, 1), b_signed = is_signed(in, 2);
    if (in->operand_count < 4) {
        ptx_refuse(e, "an operand is missing");
        return;
    }
    struct ptx_operand c = in->operands[3];
    const bool minus_product = in->operands[1].is_negated != in->operands[2].is_negated;
    const bool minus_c = c.is_negated && !minus_product;
    c.is_negated = false;
    ptx_set(e, &in->operands[0], PTX_U32,
            ptx_format(e, "clem_vmad(%s, %s, %s, %du, %du, %du, %du, %du, %du)",
                       scalar_source(e, in, 1, a_signed), scalar_source(e, in, 2, b_signed),
                       ptx_value(e, &c, PTX_U32), minus_product, minus_c,
                       has_operation(in, PTX_OP_PO),
                       a_signed || b_signed || minus_product || minus_c,
                       has_operation(in, PTX_OP_SHR7)    ? 7
                       : has_operation(in, PTX_OP_SHR15) ? 15
                                                         : 0,
                       (in->flags & PTX_SAT) != 0));
}

/* ---- Several parts at once ---- */

/* Which of the elements of a and b (b's follow a's) is taken as element i. */
static unsigned choice(const struct ptx_operand *operand, unsigned i, unsigned parts,
                       bool is_second)
{
    if (digit_count(operand) != parts)
        return i + (is_second ? parts : 0);
    return digit(operand, i) % (2 * parts); /* NOLINT(*DivideZero): no row has 0 parts */
}

/* Whether the destination's mask names element i. */
static bool is_written(const struct ptx_operand *operand, unsigned i)
{
    const unsigned count = digit_count(operand);
    bool is_named = count == 0;
    for (unsigned k = 0; k < count; k++)
        is_named = is_named || digit(operand, k) == i;
    return is_named;
}

static const char *element(struct ptx_emitter *e, const struct ptx_instruction *in,
                           const struct row *row, const char *template, unsigned i,
                           const char *const words[2])
{
    const unsigned bits = 32u / row->parts, types = row->template ? 1 : 0;
    struct ptx_fill fill = {.type = PTX_S64};
    for (unsigned k = 0; k < 2; k++)
        fill.arguments[k] =
            ptx_hold(e, PTX_S64,
                     ptx_format(e, "clem_element(%s, %s, %uu, %uu, %du)", words[0], words[1],
                                choice(&in->operands[k + 1], i, row->parts, k == 1), bits,
                                is_signed(in, types + k)));
    const char *value = ptx_expression(e, template, &fill);
    if (in->flags & PTX_SAT)
        value = ptx_format(e, "clem_clamp_bits(%s, %uu, %du)", value, bits, is_signed(in, 0));
    return ptx_hold(e, PTX_U32, ptx_format(e, "(uint)(%s)", value));
}

static void write_parts(struct ptx_emitter *e, const struct ptx_instruction *in,
                        const struct row *row, const char *template)
{
    const unsigned bits = 32u / row->parts;
    ptx_line(e, "{");
    const char *words[2] = {ptx_hold(e, PTX_U32, ptx_source(e, in, 1, PTX_U32)),
                            ptx_hold(e, PTX_U32, ptx_source(e, in, 2, PTX_U32))};
    const char *sum =
        ptx_hold(e, PTX_U32, in->operand_count > 3 ? ptx_source(e, in, 3, PTX_U32) : "0");
    for (unsigned i = 0; i < row->parts; i++) {
        if (!is_written(&in->operands[0], i))
            continue;
        const char *value = element(e, in, row, template, i, words);
        if (has_operation(in, PTX_OP_ADD))
            ptx_line(e, "%s += %s;", sum, value);
        else
            ptx_line(e, "%s = clem_merge(%s, %s, %uu, %uu);", sum, value, sum, i * bits, bits);
    }
    ptx_set(e, &in->operands[0], PTX_U32, sum);
    ptx_line(e, "}");
}

bool ptx_emit_video(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OPCODE_vmad) {
        write_vmad(e, in);
        return true;
    }
    const struct row *row = find_row(in);
    if (!row)
        return false;
    const char *template = template_of(in, row);
    if (!template || in->operand_count < 3)
        ptx_refuse(e, "this form of the instruction has no translation");
    else if (row->parts == 1)
        write_scalar(e, in, template);
    else
        write_parts(e, in, row, template);
    return true;
}
