/* Integer and logic instructions.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/emit_number.h"

/* ---- Those that are one expression ---- */

enum { ANY = 1 << 0, SIGNED = 1 << 1, UNSIGNED = 1 << 2, PREDICATE = 1 << 3 };
enum { MODES = PTX_HI | PTX_LO | PTX_WIDE | PTX_SAT | PTX_CC | PTX_RELU };

/* `types`: of the result and the sources. t: the type; n: its size without sign; i: .u32; w: twice the
 * size, signed likewise; v: that without sign. `is_native`: better left to NVIDIA's compiler. */
struct row {
    uint16_t opcode;
    uint32_t flags; /* of MODES, exactly these */
    uint8_t kinds;
    bool is_native;
    uint8_t operation; /* PTX_OP_NONE: none */
    const char *types, *template;
};

static const struct row rows[] = {
    {PTX_OPCODE_add, 0, ANY, false, 0, "nnn", "($k)$a + $b"},
    {PTX_OPCODE_add, PTX_SAT, SIGNED, false, 0, "ttt", "add_sat($a, $b)"},
    {PTX_OPCODE_sub, 0, ANY, false, 0, "nnn", "($k)$a - $b"},
    {PTX_OPCODE_sub, PTX_SAT, SIGNED, false, 0, "ttt", "sub_sat($a, $b)"},
    {PTX_OPCODE_mul, PTX_LO, ANY, false, 0, "nnn", "($k)$a * $b"},
    {PTX_OPCODE_mul, PTX_HI, ANY, false, 0, "ttt", "mul_hi($a, $b)"},
    {PTX_OPCODE_mul, PTX_WIDE, ANY, false, 0, "wtt", "($w)$a * $b"},
    {PTX_OPCODE_mad, PTX_LO, ANY, false, 0, "nnnn", "($k)$a * $b + $c"},
    {PTX_OPCODE_mad, PTX_HI, ANY, false, 0, "nttn", "($k)mul_hi($a, $b) + $c"},
    {PTX_OPCODE_mad, PTX_WIDE, ANY, false, 0, "vttv", "($v)(($w)$a * $b) + $c"},
    {PTX_OPCODE_mad, PTX_HI | PTX_SAT, SIGNED, false, 0, "tttt", "add_sat(mul_hi($a, $b), $c)"},
    {PTX_OPCODE_mul24, PTX_LO, ANY, false, 0, "iii", "(uint)clem_mul24_$t($a, $b)"},
    {PTX_OPCODE_mul24, PTX_HI, ANY, false, 0, "iii", "(uint)(clem_mul24_$t($a, $b) >> 16)"},
    {PTX_OPCODE_mad24, PTX_LO, ANY, false, 0, "iiii", "(uint)clem_mul24_$t($a, $b) + $c"},
    {PTX_OPCODE_mad24, PTX_HI, ANY, false, 0, "iiii", "(uint)(clem_mul24_$t($a, $b) >> 16) + $c"},
    {PTX_OPCODE_mad24, PTX_HI | PTX_SAT, SIGNED, false, 0, "tiit",
     "add_sat((int)(clem_mul24_s32($a, $b) >> 16), $c)"},
    {PTX_OPCODE_sad, 0, ANY, false, 0, "nttn", "($k)clem_abs_diff_$m($a, $b) + $c"},
    {PTX_OPCODE_div, 0, ANY, true, 0, "ttt", "clem_div_$m($a, $b)"},
    {PTX_OPCODE_rem, 0, ANY, true, 0, "ttt", "clem_rem_$m($a, $b)"},
    {PTX_OPCODE_abs, 0, SIGNED, false, 0, "nt", "clem_abs_$m($a)"},
    {PTX_OPCODE_neg, 0, ANY, false, 0, "nn", "($k)0 - $a"},
    {PTX_OPCODE_min, 0, ANY, false, 0, "ttt", "min($a, $b)"},
    {PTX_OPCODE_max, 0, ANY, false, 0, "ttt", "max($a, $b)"},
    {PTX_OPCODE_min, PTX_RELU, SIGNED, false, 0, "ttt", "max(min($a, $b), ($y)0)"},
    {PTX_OPCODE_max, PTX_RELU, SIGNED, false, 0, "ttt", "max(max($a, $b), ($y)0)"},
    {PTX_OPCODE_and, 0, ANY | PREDICATE, false, 0, "nnn", "$a & $b"},
    {PTX_OPCODE_or, 0, ANY | PREDICATE, false, 0, "nnn", "$a | $b"},
    {PTX_OPCODE_xor, 0, ANY | PREDICATE, false, 0, "nnn", "$a ^ $b"},
    {PTX_OPCODE_not, 0, ANY, false, 0, "nn", "~$a"},
    {PTX_OPCODE_not, 0, PREDICATE, false, 0, "nn", "!$a"},
    {PTX_OPCODE_cnot, 0, ANY, false, 0, "nn", "($k)($a == 0)"},
    {PTX_OPCODE_shl, 0, ANY, false, 0, "nni", "clem_shl_$z($a, $b)"},
    {PTX_OPCODE_shr, 0, ANY, false, 0, "tti", "clem_shr_$m($a, $b)"},
    {PTX_OPCODE_popc, 0, ANY, false, 0, "in", "(uint)popcount($a)"},
    {PTX_OPCODE_clz, 0, ANY, false, 0, "in", "clem_clz_$z($a)"},
    {PTX_OPCODE_brev, 0, ANY, true, 0, "nn", "clem_brev_$z($a)"},
    {PTX_OPCODE_bfe, 0, ANY, true, 0, "ttii", "clem_bfe_$m($a, $b, $c)"},
    {PTX_OPCODE_bfi, 0, ANY, true, 0, "nnnii", "clem_bfi_$z($a, $b, $c, $d)"},
    {PTX_OPCODE_bfind, 0, ANY, true, 0, "it", "clem_bfind_$m($a)"},
    {PTX_OPCODE_bfind, 0, ANY, true, PTX_OP_SHIFTAMT, "it", "clem_bfind_shift_$m($a)"},
    {PTX_OPCODE_fns, 0, ANY, false, 0, "iiis", "clem_fns($a, $b, $c)"},
    {PTX_OPCODE_bmsk, 0, ANY, true, PTX_OP_CLAMP, "iii", "clem_bmsk_clamp($a, $b)"},
    {PTX_OPCODE_bmsk, 0, ANY, true, PTX_OP_WRAP, "iii", "clem_bmsk_wrap($a, $b)"},
    {PTX_OPCODE_szext, 0, ANY, true, PTX_OP_CLAMP, "iii", "clem_szext_$t($a, min($b, 32u))"},
    {PTX_OPCODE_szext, 0, ANY, true, PTX_OP_WRAP, "iii", "clem_szext_$t($a, $b & 31u)"},
    {PTX_OPCODE_prmt, 0, ANY, true, 0, "iiii", "clem_prmt($a, $b, $c)"},
    {PTX_OPCODE_prmt, 0, ANY, true, PTX_OP_F4E, "iiii", "clem_prmt_f4e($a, $b, $c)"},
    {PTX_OPCODE_prmt, 0, ANY, true, PTX_OP_B4E, "iiii", "clem_prmt_b4e($a, $b, $c)"},
    {PTX_OPCODE_prmt, 0, ANY, true, PTX_OP_RC8, "iiii", "clem_prmt_rc8($a, $c)"},
    {PTX_OPCODE_prmt, 0, ANY, true, PTX_OP_ECL, "iiii", "clem_prmt_ecl($a, $b, $c)"},
    {PTX_OPCODE_prmt, 0, ANY, true, PTX_OP_ECR, "iiii", "clem_prmt_ecr($a, $b, $c)"},
    {PTX_OPCODE_prmt, 0, ANY, true, PTX_OP_RC16, "iiii", "clem_prmt_rc16($a, $c)"},
};

static uint8_t kind_of(enum ptx_type type)
{
    if (type == PTX_PRED)
        return PREDICATE;
    return (uint8_t)(ANY | (ptx_type_is_signed(type) ? SIGNED : UNSIGNED));
}

static const struct row *find_row(const struct ptx_instruction *in, enum ptx_type type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == in->opcode && rows[i].flags == (in->flags & MODES) &&
            (rows[i].kinds & kind_of(type)) && rows[i].operation == in->operation)
            return &rows[i];
    return NULL;
}

static enum ptx_type type_of(char letter, enum ptx_type type)
{
    switch (letter) {
    case 't':
        return type;
    case 'n':
        return ptx_unsigned_type(type);
    case 'w':
        return ptx_wide_type(type);
    case 'v':
        return ptx_unsigned_type(ptx_wide_type(type));
    case 's':
        return PTX_S32;
    default:
        return PTX_U32;
    }
}

/* Bits without a sign are computed as numbers without one. */
static enum ptx_type numeric(enum ptx_type type)
{
    return ptx_type_is_signed(type) ? type : ptx_unsigned_type(type);
}

/* C does as well when the divisor is a constant, or the distance of a shift. */
static const char *constant_template(const struct ptx_instruction *in)
{
    const struct ptx_operand *second = &in->operands[2];
    const int64_t bits = (int64_t)ptx_type_bytes((enum ptx_type)in->types[0]) * 8;
    if (in->operand_count < 3 || second->kind != PTX_OPERAND_INTEGER)
        return NULL;
    switch (in->opcode) {
    case PTX_OPCODE_div:
        return second->bits > 0 ? "$a / $b" : NULL;
    case PTX_OPCODE_rem:
        return second->bits > 0 ? "$a % $b" : NULL;
    case PTX_OPCODE_shl:
        return second->bits >= 0 && second->bits < bits ? "($k)$a << $b" : NULL;
    case PTX_OPCODE_shr:
        return second->bits >= 0 && second->bits < bits ? "$a >> $b" : NULL;
    default:
        return NULL;
    }
}

static void write_row(struct ptx_emitter *e, const struct ptx_instruction *in,
                      const struct row *row, enum ptx_type type)
{
    const unsigned count = (unsigned)strlen(row->types);
    const char *constant = constant_template(in);
    enum ptx_type types[PTX_ARGUMENTS + 1] = {type};
    struct ptx_fill fill = {.type = numeric(type)};
    for (unsigned i = 0; i < count; i++)
        types[i] = type_of(row->types[i], fill.type);
    if (row->is_native && e->target->has_nvidia_asm && !constant) {
        ptx_native(e, in, types, count);
        return;
    }
    for (unsigned i = 1; i < count; i++)
        fill.arguments[i - 1] = ptx_source(e, in, i, types[i]);
    ptx_set(e, &in->operands[0], types[0],
            ptx_expression(e, constant ? constant : row->template, &fill));
}

/* ---- Carries ---- */

/* add.cc, addc, sub.cc, subc, mad.cc, madc: the carry lives in clem_carry. A difference is a sum with the
 * complement, so it carries where nothing is borrowed.
 * Source: sub.cc before addc and add.cc before subc on an H200; PTX ISA 9.0 speaks of a borrow alone. */
static void write_carry(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = ptx_unsigned_type((enum ptx_type)in->types[0]);
    const bool is_sub = in->opcode == PTX_OPCODE_sub || in->opcode == PTX_OPCODE_subc;
    const bool is_mad = in->opcode == PTX_OPCODE_mad || in->opcode == PTX_OPCODE_madc;
    const bool takes = in->opcode == PTX_OPCODE_addc || in->opcode == PTX_OPCODE_subc ||
                       in->opcode == PTX_OPCODE_madc;
    ptx_line(e, "{");
    const char *first;
    if (is_mad) {
        const enum ptx_type factor =
            in->flags & PTX_HI ? numeric((enum ptx_type)in->types[0]) : type;
        const struct ptx_fill fill = {type,
                                      {ptx_source(e, in, 1, factor), ptx_source(e, in, 2, factor)}};
        first = ptx_expression(e, in->flags & PTX_HI ? "($k)mul_hi($a, $b)" : "$a * $b", &fill);
    } else {
        first = ptx_source(e, in, 1, type);
    }
    const char *x = ptx_hold(e, type, first);
    const char *y = ptx_hold(e, type, ptx_source(e, in, is_mad ? 3 : 2, type));
    const char *in_carry = ptx_hold(e, type, !takes ? "0" : is_sub ? "!clem_carry" : "clem_carry");
    const char *sum =
        ptx_hold(e, type, ptx_format(e, is_sub ? "%s - %s - %s" : "%s + %s + %s", x, y, in_carry));
    if (in->flags & PTX_CC)
        ptx_line(e, "clem_carry = %s(%s < %s || (%s != 0 && %s == %s));", is_sub ? "!" : "",
                 is_sub ? x : sum, is_sub ? y : x, in_carry, is_sub ? x : sum, is_sub ? y : x);
    ptx_set(e, &in->operands[0], type, sum);
    ptx_line(e, "}");
}

/* ---- lop3 ---- */

/* Functions of b and c, by their truth table: bit 2 * b + c. */
static const char *const pairs[16] = {"0u",         "~($b | $c)", "($c & ~$b)", "~$b",
                                      "($b & ~$c)", "~$c",        "($b ^ $c)",  "~($b & $c)",
                                      "($b & $c)",  "~($b ^ $c)", "$c",         "($c | ~$b)",
                                      "$b",         "($b | ~$c)", "($b | $c)",  "~0u"};

const char *ptx_lop3_template(struct ptx_emitter *e, unsigned table)
{
    const unsigned without = table & 15, with = table >> 4; /* a is 0; a is 1 */
    if (with == without)
        return pairs[with];
    if (with == (without ^ 15))
        return ptx_format(e, "$a ^ %s", pairs[without]);
    if (without == 0)
        return ptx_format(e, "$a & %s", pairs[with]);
    if (with == 0)
        return ptx_format(e, "~$a & %s", pairs[without]);
    if (without == 15)
        return ptx_format(e, "~$a | %s", pairs[with]);
    if (with == 15)
        return ptx_format(e, "$a | %s", pairs[without]);
    return ptx_format(e, "($a & %s) | (~$a & %s)", pairs[with], pairs[without]);
}

static const char *boolean_operator(const struct ptx_instruction *in)
{
    return in->operation == PTX_OP_AND ? "&" : in->operation == PTX_OP_OR ? "|" : "^";
}

/* lop3.b32 d, a, b, c, table;  lop3.or.b32 d|p, a, b, c, table, q; */
static void write_lop3(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const uint32_t first = in->has_second_destination ? 2 : 1;
    struct ptx_fill fill = {.type = PTX_B32};
    for (uint32_t i = 0; i < 3; i++)
        fill.arguments[i] = ptx_source(e, in, first + i, PTX_B32);
    if (in->operand_count < first + 4 || in->operands[first + 3].kind != PTX_OPERAND_INTEGER) {
        ptx_refuse(e, "its table is no constant");
        return;
    }
    const unsigned table = (unsigned)in->operands[first + 3].bits & 255;
    const char *value = ptx_expression(e, ptx_lop3_template(e, table), &fill);
    if (!in->has_second_destination) {
        ptx_set(e, &in->operands[0], PTX_B32, value);
        return;
    }
    const char *predicate =
        in->operand_count > first + 4 ? ptx_predicate(e, &in->operands[first + 4]) : "0";
    ptx_line(e, "{");
    value = ptx_hold(e, PTX_B32, value);
    predicate = ptx_hold(e, PTX_PRED,
                         ptx_format(e, "(%s != 0u) %s %s", value, boolean_operator(in), predicate));
    ptx_set(e, &in->operands[0], PTX_B32, value);
    ptx_set(e, &in->operands[1], PTX_PRED, predicate);
    ptx_line(e, "}");
}

/* ---- The rest ---- */

static void write_shf(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const enum ptx_type types[] = {PTX_B32, PTX_B32, PTX_B32, PTX_U32};
    if (e->target->has_nvidia_asm) {
        ptx_native(e, in, types, 4);
        return;
    }
    const char *distance = ptx_source(e, in, 3, PTX_U32);
    distance = in->flags & PTX_SHIFT_WRAP ? ptx_format(e, "%s & 31u", distance)
                                          : ptx_format(e, "min(%s, 32u)", distance);
    ptx_set(e, &in->operands[0], PTX_B32,
            ptx_format(e, "clem_shf_%s(%s, %s, %s)", in->operation == PTX_OP_L ? "l" : "r",
                       ptx_source(e, in, 1, PTX_B32), ptx_source(e, in, 2, PTX_B32), distance));
}

/* Products of parts of words: types[0] tells of a, types[1] of b. */
static void write_dot(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const enum ptx_type types[] = {PTX_U32, PTX_U32, PTX_U32, PTX_U32};
    if (e->target->has_nvidia_asm) {
        ptx_native(e, in, types, 4);
        return;
    }
    const bool is_dp2a = in->opcode == PTX_OPCODE_dp2a;
    ptx_set(e, &in->operands[0], PTX_U32,
            ptx_format(e, "clem_%s(%s, %s, %s, %du, %du%s)", ptx_opcode_name(in->opcode),
                       ptx_source(e, in, 1, PTX_U32), ptx_source(e, in, 2, PTX_U32),
                       ptx_source(e, in, 3, PTX_U32), ptx_type_is_signed(in->types[0]),
                       in->type_count > 1 && ptx_type_is_signed(in->types[1]),
                       !is_dp2a             ? ""
                       : in->flags & PTX_HI ? ", 1u"
                                            : ", 0u"));
}

static const char *packed_integer(struct ptx_emitter *e, const struct ptx_instruction *in,
                                  const struct ptx_fill *fill)
{
    const struct row *row = find_row(in, fill->type);
    if (row)
        return ptx_format(e, "(%s)(%s)", ptx_c_type(fill->type),
                          ptx_expression(e, row->template, fill));
    ptx_refuse(e, "this form of the instruction has no translation");
    return "0";
}

bool ptx_is_carry(const struct ptx_instruction *in)
{
    return (in->flags & PTX_CC) || in->opcode == PTX_OPCODE_addc || in->opcode == PTX_OPCODE_subc ||
           in->opcode == PTX_OPCODE_madc;
}

bool ptx_uses_carry(const struct ptx_function *function)
{
    for (size_t i = 0; i < function->instruction_count; i++)
        if (ptx_is_carry(&function->instructions[i]))
            return true;
    return false;
}

bool ptx_emit_integer(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    if (ptx_is_carry(in))
        write_carry(e, in);
    else if (ptx_is_packed(type))
        ptx_write_packed(e, in, packed_integer);
    else if (in->opcode == PTX_OPCODE_lop3)
        write_lop3(e, in);
    else if (in->opcode == PTX_OPCODE_shf)
        write_shf(e, in);
    else if (in->opcode == PTX_OPCODE_dp2a || in->opcode == PTX_OPCODE_dp4a)
        write_dot(e, in);
    else {
        const struct row *row = find_row(in, type);
        if (!row)
            return false;
        write_row(e, in, row, type);
    }
    return true;
}
