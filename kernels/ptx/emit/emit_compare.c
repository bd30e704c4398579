/* Comparing and choosing: setp, set, selp, slct, testp.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit_number.h"

/* Of whole numbers, and of floats: there ne, lt and kin want both to be numbers, neu and kin do not. of_lanes: of vectors of
 * floats, where that differs. of_bits: of doubles where the device has none. */
static const struct {
    const char *whole, *with_nan, *of_lanes, *of_bits;
} comparisons[] = {
    [PTX_EQ] = {"$a == $b", "$a == $b", NULL, "clem_soft_eq($a, $b)"},
    [PTX_NE] = {"$a != $b", "$a < $b || $a > $b", "($a < $b) | ($a > $b)",
                "clem_soft_lt($a, $b) || clem_soft_lt($b, $a)"},
    [PTX_LT] = {"$a < $b", "$a < $b", NULL, "clem_soft_lt($a, $b)"},
    [PTX_LE] = {"$a <= $b", "$a <= $b", NULL, "clem_soft_le($a, $b)"},
    [PTX_GT] = {"$a > $b", "$a > $b", NULL, "clem_soft_lt($b, $a)"},
    [PTX_GE] = {"$a >= $b", "$a >= $b", NULL, "clem_soft_le($b, $a)"},
    [PTX_CMP_LO] = {"$a < $b", NULL, NULL, NULL},
    [PTX_CMP_LS] = {"$a <= $b", NULL, NULL, NULL},
    [PTX_CMP_HI] = {"$a > $b", NULL, NULL, NULL},
    [PTX_CMP_HS] = {"$a >= $b", NULL, NULL, NULL},
    [PTX_EQU] = {NULL, "!($a < $b || $a > $b)", "~(($a < $b) | ($a > $b))",
                 "!(clem_soft_lt($a, $b) || clem_soft_lt($b, $a))"},
    [PTX_NEU] = {NULL, "$a != $b", NULL, "!clem_soft_eq($a, $b)"},
    [PTX_LTU] = {NULL, "!($a >= $b)", "~($a >= $b)", "!clem_soft_le($b, $a)"},
    [PTX_LEU] = {NULL, "!($a > $b)", "~($a > $b)", "!clem_soft_lt($b, $a)"},
    [PTX_GTU] = {NULL, "!($a <= $b)", "~($a <= $b)", "!clem_soft_le($a, $b)"},
    [PTX_GEU] = {NULL, "!($a < $b)", "~($a < $b)", "!clem_soft_lt($a, $b)"},
    [PTX_NUM] = {NULL, "$a == $a && $b == $b", "($a == $a) & ($b == $b)",
                 "clem_soft_are_numbers($a, $b)"},
    [PTX_NAN] = {NULL, "$a != $a || $b != $b", "($a != $a) | ($b != $b)",
                 "!clem_soft_are_numbers($a, $b)"},
};

const char *ptx_comparison(uint8_t compare, bool is_float, bool is_of_lanes)
{
    if (compare >= sizeof comparisons / sizeof *comparisons)
        return NULL;
    if (!is_float)
        return comparisons[compare].whole;
    return is_of_lanes && comparisons[compare].of_lanes ? comparisons[compare].of_lanes
                                                        : comparisons[compare].with_nan;
}

static bool is_without_sign(const struct ptx_instruction *in)
{
    return in->compare >= PTX_CMP_LO && in->compare <= PTX_CMP_HS;
}

/* The comparison of two values of a type, in parentheses: 0 or 1. */
static const char *compare(struct ptx_emitter *e, const struct ptx_instruction *in,
                           enum ptx_type type, const char *a, const char *b)
{
    const bool is_float = ptx_type_is_float(type);
    const char *template = ptx_comparison(in->compare, is_float, false);
    if (template && ptx_is_soft(e, type))
        template = comparisons[in->compare].of_bits;
    if (!template) {
        ptx_refuse(e, "this comparison of .%s has no translation", ptx_type_name(type));
        return "0";
    }
    struct ptx_fill fill = {type, {a, b}};
    for (int i = 0; i < 2 && is_float; i++) {
        if (ptx_is_half(type))
            fill.arguments[i] =
                ptx_format(e, "clem_f32_from_%s(%s)", ptx_type_name(type), fill.arguments[i]);
        else if (in->flags & PTX_FTZ)
            fill.arguments[i] = ptx_format(e, "clem_ftz(%s)", fill.arguments[i]);
    }
    return ptx_format(e, "(%s)", ptx_expression(e, template, &fill));
}

/* Half of a packed word: 0 or 1. */
static const char *half_of(struct ptx_emitter *e, const char *word, int half)
{
    return ptx_format(e, half ? "(ushort)(%s >> 16)" : "(ushort)%s", word);
}

/* What .and, .or and .xor make of a comparison and a third predicate. */
static const char *combine(struct ptx_emitter *e, const struct ptx_instruction *in,
                           const char *comparison, const char *predicate)
{
    const char *sign = in->operation == PTX_OP_AND ? "&" : in->operation == PTX_OP_OR ? "|" : "^";
    return predicate ? ptx_format(e, "%s %s (%s)", comparison, sign, predicate) : comparison;
}

static enum ptx_type compared_type(const struct ptx_instruction *in, enum ptx_type written)
{
    return is_without_sign(in) || !ptx_type_is_signed(written)
               ? (ptx_type_is_float(written) ? written : ptx_unsigned_type(written))
               : written;
}

/* setp.lt.and.s32 p|q, a, b, c; packed halves compare into p and q. */
static void write_setp(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const uint32_t first = in->has_second_destination ? 2 : 1;
    const enum ptx_type type = compared_type(in, (enum ptx_type)in->types[0]);
    const char *a = ptx_source(e, in, first, type), *b = ptx_source(e, in, first + 1, type);
    const char *third =
        in->operand_count > first + 2 ? ptx_predicate(e, &in->operands[first + 2]) : NULL;
    if (!ptx_is_packed(type) && !in->has_second_destination) {
        ptx_set(e, &in->operands[0], PTX_PRED, combine(e, in, compare(e, in, type, a, b), third));
        return;
    }
    ptx_line(e, "{");
    const char *p, *q;
    if (ptx_is_packed(type)) {
        const enum ptx_type single = ptx_single_type(type);
        a = ptx_hold(e, type, a);
        b = ptx_hold(e, type, b);
        p = compare(e, in, single, half_of(e, a, 0), half_of(e, b, 0));
        q = compare(e, in, single, half_of(e, a, 1), half_of(e, b, 1));
    } else {
        p = ptx_hold(e, PTX_PRED, compare(e, in, type, a, b));
        q = ptx_format(e, "(!%s)", p);
    }
    p = ptx_hold(e, PTX_PRED, combine(e, in, p, third));
    q = ptx_hold(e, PTX_PRED, combine(e, in, q, third));
    ptx_set(e, &in->operands[0], PTX_PRED, p);
    if (in->has_second_destination)
        ptx_set(e, &in->operands[1], PTX_PRED, q);
    ptx_line(e, "}");
}

/* True as a value: 1.0, or all ones. */
static const char *truth_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F32:
        return "1.0f";
    case PTX_F16:
    case PTX_F16X2:
        return "0x3c00u";
    case PTX_BF16:
    case PTX_BF16X2:
        return "0x3f80u";
    case PTX_S16:
    case PTX_S32:
        return "-1";
    case PTX_U16:
        return "0xffffu";
    default:
        return "0xffffffffu";
    }
}

/* set.lt.and.u32.f32 d, a, b, c; */
static void write_set(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type result = (enum ptx_type)in->types[0];
    const enum ptx_type type = compared_type(in, (enum ptx_type)in->types[1]);
    const char *a = ptx_source(e, in, 1, type), *b = ptx_source(e, in, 2, type);
    const char *third = in->operand_count > 3 ? ptx_predicate(e, &in->operands[3]) : NULL;
    if (!ptx_is_packed(type)) {
        const char *is_so = combine(e, in, compare(e, in, type, a, b), third);
        ptx_set(e, &in->operands[0], result,
                ptx_format(e, "(%s) ? %s : 0", is_so, truth_of(result)));
        return;
    }
    const enum ptx_type single = ptx_single_type(type);
    const char *truth = ptx_is_packed(result) ? truth_of(result) : "0xffffu";
    ptx_line(e, "{");
    a = ptx_hold(e, type, a);
    b = ptx_hold(e, type, b);
    const char *halves[2];
    for (int i = 0; i < 2; i++)
        halves[i] =
            combine(e, in, compare(e, in, single, half_of(e, a, i), half_of(e, b, i)), third);
    ptx_set(e, &in->operands[0], PTX_B32,
            ptx_format(e, "clem_pair((%s) ? %s : 0, (%s) ? %s : 0)", halves[0], truth, halves[1],
                       truth));
    ptx_line(e, "}");
}

static void write_selp(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const char *choice = in->operand_count > 3 ? ptx_predicate(e, &in->operands[3]) : "0";
    ptx_set(e, &in->operands[0], type,
            ptx_format(e, "%s ? %s : %s", choice, ptx_source(e, in, 1, type),
                       ptx_source(e, in, 2, type)));
}

static void write_slct(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const enum ptx_type chooser = in->type_count > 1 ? (enum ptx_type)in->types[1] : PTX_S32;
    const char *value = ptx_source(e, in, 3, chooser);
    if (in->flags & PTX_FTZ)
        value = ptx_format(e, "clem_ftz(%s)", value);
    ptx_set(e, &in->operands[0], type,
            ptx_format(e, "%s >= 0 ? %s : %s", value, ptx_source(e, in, 1, type),
                       ptx_source(e, in, 2, type)));
}

/* By the bits without the sign, $a; the least normal number, $b; infinity, $c. */
static const struct {
    uint8_t operation;
    const char *template;
} kinds[] = {
    {PTX_OP_FINITE, "$a < $c"},
    {PTX_OP_INFINITE, "$a == $c"},
    {PTX_OP_NUMBER, "$a <= $c"},
    {PTX_OP_NOTANUMBER, "$a > $c"},
    {PTX_OP_NORMAL, "$a == 0 || ($a >= $b && $a < $c)"}, /* zeros count as normal */
    {PTX_OP_SUBNORMAL, "$a != 0 && $a < $b"},
};

static void write_testp(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_double = in->types[0] == PTX_F64;
    const char *bits = ptx_source(e, in, 1, is_double ? PTX_U64 : PTX_U32);
    const struct ptx_fill fill = {
        is_double ? PTX_U64 : PTX_U32,
        {ptx_format(e, is_double ? "(%s & 0x7ffffffffffffffful)" : "(%s & 0x7fffffffu)", bits),
         is_double ? "0x0010000000000000ul" : "0x00800000u",
         is_double ? "0x7ff0000000000000ul" : "0x7f800000u", NULL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].operation == in->operation) {
            ptx_set(e, &in->operands[0], PTX_PRED, ptx_expression(e, kinds[i].template, &fill));
            return;
        }
    ptx_refuse(e, "this test has no translation");
}

bool ptx_emit_compare(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const struct {
        uint16_t opcode;
        uint8_t types;
        void (*write)(struct ptx_emitter *, const struct ptx_instruction *);
    } writers[] = {
        {PTX_OPCODE_setp, 1, write_setp},   {PTX_OPCODE_set, 2, write_set},
        {PTX_OPCODE_selp, 1, write_selp},   {PTX_OPCODE_slct, 1, write_slct},
        {PTX_OPCODE_testp, 1, write_testp},
    };
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (writers[i].opcode == in->opcode) {
            if (in->type_count < writers[i].types || in->operand_count < 2)
                ptx_refuse(e, "a type or an operand is missing");
            else
                writers[i].write(e, in);
            return true;
        }
    return false;
}
