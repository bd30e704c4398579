/* Operations that are one instruction of the IR, or two: most of what kernels do, without the way through C. They mean what
 * emit/ writes of them, and the tests hold both to the same values.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/emit_number.h"
#include "kernels/ptx/native/values/lanes.h"

enum {
    MODES = PTX_HI | PTX_LO | PTX_WIDE | PTX_SAT | PTX_CC | PTX_RELU | PTX_FTZ | PTX_NAN_FLAG |
            PTX_XORSIGN_ABS | PTX_SATFINITE | PTX_OOB
};

static bool is_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64;
}

static const char *element_of(enum ptx_type type)
{
    return type == PTX_F32   ? "float"
           : type == PTX_F64 ? "double"
                             : ptx_native_integer(ptx_native_bits(type));
}

static const char *type_of(struct ptx_native *n, enum ptx_type type)
{
    return ptx_native_type(n, element_of(type));
}

static struct ptx_native_value result_of(struct ptx_native *n, enum ptx_type type, const char *text)
{
    return (struct ptx_native_value){text, (uint8_t)ptx_native_bits(type), n->is_vector};
}

/* A source with its bits, and as a float where it is one. */
static const char *bits_of(struct ptx_native *n, const struct ptx_instruction *in, uint32_t index,
                           enum ptx_type type)
{
    return ptx_native_read(n, &in->operands[index], type).text;
}

static const char *as_float(struct ptx_native *n, const char *bits, enum ptx_type type)
{
    const char *integer = ptx_native_type(n, ptx_native_integer(ptx_native_bits(type)));
    return ptx_native_emit(n, "bitcast %s %s to %s", integer, bits, type_of(n, type));
}

static const char *source(struct ptx_native *n, const struct ptx_instruction *in, uint32_t index,
                          enum ptx_type type)
{
    const char *bits = bits_of(n, in, index, type);
    return is_float(type) ? as_float(n, bits, type) : bits;
}

static struct ptx_native_value as_bits(struct ptx_native *n, enum ptx_type type, const char *text)
{
    if (is_float(type))
        text = ptx_native_emit(n, "bitcast %s %s to %s", type_of(n, type), text,
                               ptx_native_type(n, ptx_native_integer(ptx_native_bits(type))));
    return result_of(n, type, text);
}

/* ---- Operators ---- */

static const struct row {
    uint16_t opcode;
    uint32_t flags; /* of MODES, exactly these */
    const char *of_whole, *of_float, *of_predicate;
} rows[] = {
    {PTX_OPCODE_add, 0, "add", "fadd", NULL},    {PTX_OPCODE_sub, 0, "sub", "fsub", NULL},
    {PTX_OPCODE_mul, PTX_LO, "mul", NULL, NULL}, {PTX_OPCODE_mul, 0, NULL, "fmul", NULL},
    {PTX_OPCODE_mad, PTX_LO, "mul", NULL, NULL}, {PTX_OPCODE_and, 0, "and", NULL, "and"},
    {PTX_OPCODE_or, 0, "or", NULL, "or"},        {PTX_OPCODE_xor, 0, "xor", NULL, "xor"},
    {PTX_OPCODE_not, 0, "xor", NULL, "xor"},
};

static const char *operator_of(const struct ptx_instruction *in, enum ptx_type type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == in->opcode && rows[i].flags == (in->flags & MODES))
            return type == PTX_PRED             ? rows[i].of_predicate
                   : is_float(type)             ? rows[i].of_float
                   : ptx_native_is_number(type) ? rows[i].of_whole
                                                : NULL;
    return NULL;
}

static bool write_operator(struct ptx_native *n, const struct ptx_instruction *in,
                           struct ptx_native_value *result)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const char *operator= operator_of(in, type);
    if (!operator|| in->type_count != 1 || in->operation != PTX_OP_NONE || ptx_is_directed(in))
        return false;
    const char *text = type_of(n, type), *a = source(n, in, 1, type);
    const char *b = in->opcode == PTX_OPCODE_not
                        ? ptx_native_constant(n, ptx_native_bits(type), UINT64_MAX)
                        : source(n, in, 2, type);
    const char *value = ptx_native_emit(n, "%s %s %s, %s", operator, text, a, b);
    if (in->opcode == PTX_OPCODE_mad)
        value = ptx_native_emit(n, "add %s %s, %s", text, value, source(n, in, 3, type));
    *result = as_bits(n, type, value);
    return true;
}

/* ---- fma ---- */

static bool write_fma(struct ptx_native *n, const struct ptx_instruction *in,
                      struct ptx_native_value *result)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    if (!is_float(type) || in->type_count != 1 || (in->flags & MODES) || ptx_is_directed(in))
        return false;
    const char *text = type_of(n, type), *suffix = ptx_native_suffix(n, element_of(type));
    const char *a = source(n, in, 1, type), *b = source(n, in, 2, type),
               *c = source(n, in, 3, type);
    ptx_native_declare(n, "declare %s @llvm.fma.%s(%s, %s, %s)", text, suffix, text, text, text);
    *result = as_bits(n, type,
                      ptx_native_emit(n, "call %s @llvm.fma.%s(%s %s, %s %s, %s %s)", text, suffix,
                                      text, a, text, b, text, c));
    return true;
}

/* ---- Products of twice the size ---- */

static bool write_wide(struct ptx_native *n, const struct ptx_instruction *in,
                       struct ptx_native_value *result)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    if (!ptx_native_is_number(type) || in->type_count != 1 || (in->flags & MODES) != PTX_WIDE ||
        ptx_type_bytes(type) > 4)
        return false;
    const enum ptx_type wide = ptx_wide_type(type);
    const char *from = type_of(n, type), *to = type_of(n, wide);
    const char *extend = ptx_type_is_signed(type) ? "sext" : "zext";
    const char *a = bits_of(n, in, 1, type), *b = bits_of(n, in, 2, type);
    a = ptx_native_emit(n, "%s %s %s to %s", extend, from, a, to);
    b = ptx_native_emit(n, "%s %s %s to %s", extend, from, b, to);
    const char *value = ptx_native_emit(n, "mul %s %s, %s", to, a, b);
    if (in->opcode == PTX_OPCODE_mad)
        value = ptx_native_emit(n, "add %s %s, %s", to, value, bits_of(n, in, 3, wide));
    *result = result_of(n, wide, value);
    return true;
}

/* ---- Shifts by constants ---- */

static bool write_shift(struct ptx_native *n, const struct ptx_instruction *in,
                        struct ptx_native_value *result)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const struct ptx_operand *distance = &in->operands[2];
    const unsigned bits = ptx_native_bits(type);
    if (!ptx_native_is_number(type) || distance->kind != PTX_OPERAND_INTEGER ||
        distance->bits < 0 || distance->bits >= (int64_t)bits)
        return false;
    const char *operator= in->opcode == PTX_OPCODE_shl ? "shl"
    : ptx_type_is_signed(type)                         ? "ashr"
                                                       : "lshr";
    const char *a = bits_of(n, in, 1, type);
    *result = result_of(n, type,
                        ptx_native_emit(n, "%s %s %s, %s", operator, type_of(n, type), a,
                                        ptx_native_constant(n, bits, (uint64_t)distance->bits)));
    return true;
}

/* ---- Comparing and choosing ---- */

static const struct {
    const char *of_signed, *of_unsigned, *of_float;
} comparisons[] = {
    [PTX_EQ] = {"eq", "eq", "oeq"},      [PTX_NE] = {"ne", "ne", "one"},
    [PTX_LT] = {"slt", "ult", "olt"},    [PTX_LE] = {"sle", "ule", "ole"},
    [PTX_GT] = {"sgt", "ugt", "ogt"},    [PTX_GE] = {"sge", "uge", "oge"},
    [PTX_CMP_LO] = {"ult", "ult", NULL}, [PTX_CMP_LS] = {"ule", "ule", NULL},
    [PTX_CMP_HI] = {"ugt", "ugt", NULL}, [PTX_CMP_HS] = {"uge", "uge", NULL},
    [PTX_EQU] = {NULL, NULL, "ueq"},     [PTX_NEU] = {NULL, NULL, "une"},
    [PTX_LTU] = {NULL, NULL, "ult"},     [PTX_LEU] = {NULL, NULL, "ule"},
    [PTX_GTU] = {NULL, NULL, "ugt"},     [PTX_GEU] = {NULL, NULL, "uge"},
    [PTX_NUM] = {NULL, NULL, "ord"},     [PTX_NAN] = {NULL, NULL, "uno"},
};

static const char *comparison_of(const struct ptx_instruction *in, enum ptx_type type)
{
    if (in->compare >= sizeof comparisons / sizeof *comparisons)
        return NULL;
    return is_float(type)                ? comparisons[in->compare].of_float
           : !ptx_native_is_number(type) ? NULL
           : ptx_type_is_signed(type)    ? comparisons[in->compare].of_signed
                                         : comparisons[in->compare].of_unsigned;
}

static bool write_comparison(struct ptx_native *n, const struct ptx_instruction *in,
                             struct ptx_native_value *result)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const char *how = comparison_of(in, type);
    if (!how || in->has_second_destination || (in->flags & MODES))
        return false;
    const char *a = source(n, in, 1, type), *b = source(n, in, 2, type);
    const char *value = ptx_native_emit(n, "%s %s %s %s, %s", is_float(type) ? "fcmp" : "icmp", how,
                                        type_of(n, type), a, b);
    if (in->operand_count > 3)
        value = ptx_native_emit(n, "%s %s %s, %s",
                                in->operation == PTX_OP_AND  ? "and"
                                : in->operation == PTX_OP_OR ? "or"
                                                             : "xor",
                                ptx_native_type(n, "i1"), value, bits_of(n, in, 3, PTX_PRED));
    *result = result_of(n, PTX_PRED, value);
    return true;
}

static bool write_choice(struct ptx_native *n, const struct ptx_instruction *in,
                         struct ptx_native_value *result)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    if (in->operand_count < 4)
        return false;
    const char *text = ptx_native_type(n, ptx_native_integer(ptx_native_bits(type)));
    const char *a = bits_of(n, in, 1, type), *b = bits_of(n, in, 2, type);
    const char *choice = bits_of(n, in, 3, PTX_PRED);
    *result = result_of(n, type,
                        ptx_native_emit(n, "select %s %s, %s %s, %s %s", ptx_native_type(n, "i1"),
                                        choice, text, a, text, b));
    return true;
}

/* ---- Conversions ---- */

/* How a number of one type becomes one of another, NULL: otherwise. */
static const char *conversion_of(enum ptx_type to, enum ptx_type from)
{
    const unsigned more = ptx_native_bits(to), less = ptx_native_bits(from);
    const bool is_signed = ptx_type_is_signed(from);
    if (ptx_native_is_number(to) && ptx_native_is_number(from))
        return more < less ? "trunc" : is_signed ? "sext" : "zext";
    if (is_float(to) && ptx_native_is_number(from))
        return is_signed ? "sitofp" : "uitofp";
    return to == PTX_F64 && from == PTX_F32   ? "fpext"
           : to == PTX_F32 && from == PTX_F64 ? "fptrunc"
                                              : NULL;
}

static bool write_conversion(struct ptx_native *n, const struct ptx_instruction *in,
                             struct ptx_native_value *result)
{
    if (in->type_count != 2 || in->operand_count != 2 || (in->flags & MODES) ||
        in->operation != PTX_OP_NONE || ptx_is_directed(in) || in->rounding > PTX_ROUND_RN)
        return false;
    const enum ptx_type to = (enum ptx_type)in->types[0], from = (enum ptx_type)in->types[1];
    const char *how = conversion_of(to, from);
    if (!how)
        return false;
    const char *value = source(n, in, 1, from);
    if (!ptx_native_is_number(to) || ptx_native_bits(to) != ptx_native_bits(from))
        value = ptx_native_emit(n, "%s %s %s to %s", how, type_of(n, from), value, type_of(n, to));
    *result = as_bits(n, to, value);
    return true;
}

/* ---- All of them ---- */

bool ptx_native_plain(struct ptx_native *n, const struct ptx_instruction *in,
                      struct ptx_native_value *result)
{
    if (ptx_native_narrow(n, in, result))
        return true;
    switch (in->opcode) {
    case PTX_OPCODE_mul:
        return write_wide(n, in, result) || write_operator(n, in, result);
    case PTX_OPCODE_mad:
        return write_wide(n, in, result) || write_fma(n, in, result) ||
               write_operator(n, in, result);
    case PTX_OPCODE_fma:
        return write_fma(n, in, result);
    case PTX_OPCODE_shl:
    case PTX_OPCODE_shr:
        return write_shift(n, in, result);
    case PTX_OPCODE_setp:
        return write_comparison(n, in, result);
    case PTX_OPCODE_selp:
        return write_choice(n, in, result);
    case PTX_OPCODE_cvt:
        return write_conversion(n, in, result);
    default:
        return write_operator(n, in, result);
    }
}
