/* Operands as C expressions.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "kernels/ptx/emit/emit.h"

/* ---- Types ---- */

static const char *const c_types[PTX_TYPES] = {
    [PTX_NONE] = "uint",     [PTX_B8] = "uchar",         [PTX_B16] = "ushort",
    [PTX_B32] = "uint",      [PTX_B64] = "ulong",        [PTX_B128] = "ulong2",
    [PTX_U8] = "uchar",      [PTX_U16] = "ushort",       [PTX_U32] = "uint",
    [PTX_U64] = "ulong",     [PTX_S8] = "char",          [PTX_S16] = "short",
    [PTX_S32] = "int",       [PTX_S64] = "long",         [PTX_F16] = "ushort",
    [PTX_F16X2] = "uint",    [PTX_BF16] = "ushort",      [PTX_BF16X2] = "uint",
    [PTX_F32] = "float",     [PTX_F64] = "double",       [PTX_TF32] = "uint",
    [PTX_E4M3X2] = "ushort", [PTX_E5M2X2] = "ushort",    [PTX_F32X2] = "ulong",
    [PTX_U16X2] = "uint",    [PTX_S16X2] = "uint",       [PTX_PRED] = "uchar",
    [PTX_TEXREF] = "ulong",  [PTX_SAMPLERREF] = "ulong", [PTX_SURFREF] = "ulong",
};

const char *ptx_c_type(enum ptx_type type)
{
    return c_types[type];
}

/* The bytes of what ptx_c_type() names. */
static size_t c_bytes(enum ptx_type type)
{
    return type == PTX_NONE ? 4 : ptx_type_bytes(type);
}

static bool is_c_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64;
}

/* An integer of the size of a type that is none. */
static enum ptx_type unsigned_of(enum ptx_type type)
{
    return type == PTX_F64 ? PTX_U64 : type == PTX_F32 ? PTX_U32 : type;
}

const char *ptx_as_type(struct ptx_emitter *e, const char *x, enum ptx_type from, enum ptx_type to)
{
    if (strcmp(c_types[from], c_types[to]) == 0)
        return x;
    if (from == PTX_B128)
        return ptx_as_type(e, ptx_format(e, "%s.s0", x), PTX_U64, to);
    if (to == PTX_B128)
        return ptx_format(e, "(ulong2)(%s, 0)", ptx_as_type(e, x, from, PTX_U64));
    if (is_c_float(from)) {
        if (c_bytes(from) == c_bytes(to))
            return ptx_format(e, "as_%s(%s)", c_types[to], x);
        return ptx_as_type(e, ptx_format(e, "as_%s(%s)", c_types[unsigned_of(from)], x),
                           unsigned_of(from), to);
    }
    if (is_c_float(to)) {
        const enum ptx_type whole = unsigned_of(to);
        const char *bits = c_bytes(from) == c_bytes(to) ? x : ptx_as_type(e, x, from, whole);
        return ptx_format(e, "as_%s(%s)", c_types[to], bits);
    }
    return ptx_format(e, "(%s)%s", c_types[to], x);
}

/* ---- Registers ---- */

enum ptx_type ptx_register_type(const struct ptx_emitter *e, uint32_t index)
{
    return ptx_current_body(e)->types[index];
}

const char *ptx_register_name(struct ptx_emitter *e, uint32_t index, unsigned part)
{
    static const char *const parts[] = {"", ".s0", ".s1", ".s2", ".s3"};
    const char *name = ptx_current_body(e)->names[index];
    return part == 0 || part > 4 ? name : ptx_format(e, "%s%s", name, parts[part]);
}

/* The same number, of which no compiler can tell what it follows from. */
static const char *hidden(struct ptx_emitter *e, const char *place, enum ptx_type type)
{
    if (is_c_float(type) || type == PTX_B128 || type == PTX_PRED)
        return place;
    ptx_need(e, PTX_NEED_ZERO);
    return ptx_type_bytes(type) >= 4 ? ptx_format(e, "(%s | clem_zero)", place)
                                     : ptx_format(e, "(%s)(%s | clem_zero)", c_types[type], place);
}

static const char *register_value(struct ptx_emitter *e, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    const uint32_t index = (uint32_t)operand->index;
    const char *place = ptx_register_name(e, index, operand->part);
    if (ptx_current_body(e)->is_pointer[index])
        place = ptx_format(e, "(ulong)%s", place);
    else if (e->is_hiding)
        place = hidden(e, place, ptx_register_type(e, index));
    const char *value = ptx_as_type(e, place, ptx_register_type(e, index), type);
    return operand->is_negated ? ptx_format(e, "(uchar)!%s", value) : value;
}

/* ---- Constants ---- */

static const char *integer_text(struct ptx_emitter *e, int64_t bits, enum ptx_type type)
{
    switch (c_bytes(type)) {
    case 8:
        if (!ptx_type_is_signed(type))
            return ptx_format(e, "%lluul", (unsigned long long)bits);
        return bits >= 0 ? ptx_format(e, "%lldl", (long long)bits)
                         : ptx_format(e, "(long)%lluul", (unsigned long long)bits);
    case 4:
        if (!ptx_type_is_signed(type) || type == PTX_S16X2)
            return ptx_format(e, "%uu", (unsigned)(uint32_t)bits);
        if ((int32_t)bits == INT32_MIN)
            return "(int)0x80000000u";
        return ptx_format(e, (int32_t)bits < 0 ? "(%d)" : "%d", (int)(int32_t)bits);
    case 2:
        return ptx_type_is_signed(type) ? ptx_format(e, "(short)(%d)", (int)(int16_t)bits)
                                        : ptx_format(e, "(ushort)%uu", (unsigned)(uint16_t)bits);
    default:
        if (type == PTX_PRED)
            return bits ? "1" : "0";
        return ptx_type_is_signed(type) ? ptx_format(e, "(char)(%d)", (int)(int8_t)bits)
                                        : ptx_format(e, "(uchar)%uu", (unsigned)(uint8_t)bits);
    }
}

/* Makes what the locale takes for a decimal point a point. False where there is none. */
static bool point_of_c(char *digits)
{
    const size_t before = strspn(digits, "+-0123456789e");
    if (digits[before] == '\0')
        return false;
    const size_t after = strcspn(digits + before, "0123456789");
    digits[before] = '.';
    memmove(digits + before + 1, digits + before + after, strlen(digits + before + after) + 1);
    return true;
}

static const char *float_text(struct ptx_emitter *e, uint64_t bits, enum ptx_type type)
{
    double value;
    if (type == PTX_F32) {
        const uint32_t word = (uint32_t)bits;
        float single;
        memcpy(&single, &word, sizeof single);
        if (!isnormal(single) && word != 0)
            return ptx_format(e, "as_float(0x%08xu)", (unsigned)word);
        value = (double)single;
    } else {
        if (!e->target->has_double)
            return ptx_format(e, "0x%016llxul", (unsigned long long)bits);
        memcpy(&value, &bits, sizeof value);
        if (!isnormal(value) && bits != 0)
            return ptx_format(e, "as_double(0x%016llxul)", (unsigned long long)bits);
    }
    char digits[64];
    snprintf(digits, sizeof digits, type == PTX_F32 ? "%.9g" : "%.17g", value);
    const bool has_point = point_of_c(digits) || strchr(digits, 'e');
    return ptx_format(e, digits[0] == '-' ? "(%s%s%s)" : "%s%s%s", digits, has_point ? "" : ".0",
                      type == PTX_F32 ? "f" : "");
}

/* The bits that a constant has when it is read as a type: PTX writes 0d... where an f32 is wanted,
 * and 1 or 1.0 likewise. */
static uint64_t constant_bits(const struct ptx_operand *operand, enum ptx_type type)
{
    if (operand->kind != PTX_OPERAND_FLOAT)
        return (uint64_t)operand->bits;
    if (operand->is_double && c_bytes(type) == 4) {
        double wide;
        memcpy(&wide, &operand->bits, sizeof wide);
        const float narrow = (float)wide;
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        return word;
    }
    if (!operand->is_double && c_bytes(type) == 8) {
        const uint32_t word = (uint32_t)operand->bits;
        float narrow;
        memcpy(&narrow, &word, sizeof narrow);
        const double wide = (double)narrow;
        uint64_t bits;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    }
    return (uint64_t)operand->bits;
}

static const char *constant_text(struct ptx_emitter *e, const struct ptx_operand *operand,
                                 enum ptx_type type)
{
    const uint64_t bits = constant_bits(operand, type);
    if (type == PTX_B128)
        return ptx_format(e, "(ulong2)(%lluul, %lluul)", (unsigned long long)bits,
                          (unsigned long long)(operand->bits < 0 ? UINT64_MAX : 0));
    return is_c_float(type) ? float_text(e, bits, type) : integer_text(e, (int64_t)bits, type);
}

/* ---- Any operand ---- */

const char *ptx_value(struct ptx_emitter *e, const struct ptx_operand *operand, enum ptx_type type)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return register_value(e, operand, type);
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
        return constant_text(e, operand, type);
    case PTX_OPERAND_SPECIAL:
        return ptx_as_type(e, ptx_special_value(e, operand->index),
                           ptx_special_is_wide(operand->index) ? PTX_U64 : PTX_U32, type);
    case PTX_OPERAND_VARIABLE:
        return ptx_as_type(e, ptx_variable_address(e, operand->variable, operand->bits), PTX_U64,
                           type);
    case PTX_OPERAND_FUNCTION:
        return ptx_format(e, "(%s)%uu", ptx_c_type(type), (unsigned)operand->function->number);
    default:
        ptx_refuse(e, "an operand of a kind that does not belong here");
        return "0";
    }
}

const char *ptx_predicate(struct ptx_emitter *e, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_REGISTER && operand->is_negated)
        return ptx_format(e, "!%s", ptx_register_name(e, (uint32_t)operand->index, 0));
    return ptx_value(e, operand, PTX_PRED);
}

void ptx_set(struct ptx_emitter *e, const struct ptx_operand *destination, enum ptx_type type,
             const char *expression)
{
    if (destination->kind == PTX_OPERAND_SINK)
        return;
    if (destination->kind != PTX_OPERAND_REGISTER) {
        ptx_refuse(e, "a destination that is no register");
        return;
    }
    const uint32_t index = (uint32_t)destination->index;
    const enum ptx_type held = ptx_register_type(e, index);
    const char *place = ptx_register_name(e, index, destination->part);
    const char *value = expression;
    if (is_c_float(type) != is_c_float(held) || (type == PTX_B128) != (held == PTX_B128) ||
        (is_c_float(type) && type != held))
        value = ptx_as_type(e, ptx_format(e, "(%s)", expression), type, held);
    else if (c_bytes(type) < c_bytes(held) && c_bytes(type) < 4)
        value = ptx_format(e, "(%s)(%s)", c_types[type], expression);
    if (ptx_current_body(e)->is_pointer[index])
        ptx_line(e, "%s = (__global uchar *)%s(%s);", place, c_bytes(type) < 8 ? "(ulong)" : "",
                 value);
    else
        ptx_line(e, "%s = %s;", place, value);
}
