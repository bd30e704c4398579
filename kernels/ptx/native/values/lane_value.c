/* Values of C as the IR has them: constants, conversions and operators.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/native/values/lanes.h"

/* ---- Types ---- */

static const struct {
    const char *name, *element;
    uint8_t bits;
    bool is_signed, is_float;
} types[LANE_TYPES] = {
    [LANE_UCHAR] = {"uchar", "i8", 8, false, false},
    [LANE_CHAR] = {"char", "i8", 8, true, false},
    [LANE_USHORT] = {"ushort", "i16", 16, false, false},
    [LANE_SHORT] = {"short", "i16", 16, true, false},
    [LANE_UINT] = {"uint", "i32", 32, false, false},
    [LANE_INT] = {"int", "i32", 32, true, false},
    [LANE_ULONG] = {"ulong", "i64", 64, false, false},
    [LANE_LONG] = {"long", "i64", 64, true, false},
    [LANE_WIDE] = {"ulong2", "i128", 128, false, false},
    [LANE_FLOAT] = {"float", "float", 32, true, true},
    [LANE_DOUBLE] = {"double", "double", 64, true, true},
};

unsigned ptx_lane_bits(enum ptx_lane_type type)
{
    return types[type].bits;
}

bool ptx_lane_is_float(enum ptx_lane_type type)
{
    return types[type].is_float;
}

bool ptx_lane_is_signed(enum ptx_lane_type type)
{
    return types[type].is_signed;
}

enum ptx_lane_type ptx_lane_type_of(const char *name, size_t length)
{
    for (int i = 0; i < LANE_TYPES; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return (enum ptx_lane_type)i;
    return LANE_TYPES;
}

const char *ptx_lane_element(enum ptx_lane_type type)
{
    return types[type].element;
}

const char *ptx_lane_type_text(struct ptx_lanes *l, enum ptx_lane_type type)
{
    return ptx_native_type(l->n, types[type].element);
}

static const char *truth_type(struct ptx_lanes *l)
{
    return ptx_native_type(l->n, "i1");
}

enum ptx_lane_type ptx_lane_common(enum ptx_lane_type a, enum ptx_lane_type b)
{
    const enum ptx_lane_type more = a > b ? a : b, less = a > b ? b : a;
    if (more >= LANE_WIDE)
        return more;
    if (more < LANE_UINT)
        return LANE_INT;
    /* Of one size, the one without a sign, which stands before the other; else the larger. */
    return types[more].bits == types[less].bits ? less : more;
}

static enum ptx_lane_type promoted(enum ptx_lane_type type)
{
    return type < LANE_UINT ? LANE_INT : type;
}

/* ---- Constants ---- */

static uint64_t extended(enum ptx_lane_type type, uint64_t bits)
{
    const unsigned spare = types[type].bits < 64 ? 64u - types[type].bits : 0;
    if (types[type].is_float || spare == 0)
        return bits;
    return types[type].is_signed ? (uint64_t)((int64_t)(bits << spare) >> spare)
                                 : bits << spare >> spare;
}

struct ptx_lane_value ptx_lane_constant(enum ptx_lane_type type, uint64_t bits)
{
    return (struct ptx_lane_value){.bits = extended(type, bits), .type = (uint8_t)type};
}

struct ptx_lane_value ptx_lane_of(enum ptx_lane_type type, const char *text)
{
    return (struct ptx_lane_value){.text = text, .type = (uint8_t)type};
}

static struct ptx_lane_value truth_of(const char *text)
{
    return (struct ptx_lane_value){.text = text, .type = LANE_INT, .is_truth = true};
}

/* The IR writes floats as doubles of the same value. */
static uint64_t bits_as_double(enum ptx_lane_type type, uint64_t bits)
{
    if (type == LANE_DOUBLE)
        return bits;
    const uint32_t word = (uint32_t)bits;
    float number;
    memcpy(&number, &word, sizeof number);
    const double same = (double)number;
    memcpy(&bits, &same, sizeof bits);
    if ((word & 0x7fffffff) > 0x7f800000) /* the conversion makes NaN quiet */
        bits = (uint64_t)(word >> 31) << 63 | 0x7ffULL << 52 | (uint64_t)(word & 0x7fffff) << 29;
    return bits;
}

static const char *float_text(struct ptx_lanes *l, struct ptx_lane_value value)
{
    struct ptx_emitter *e = l->n->e;
    const char *one =
        ptx_format(e, "0x%016llX", (unsigned long long)bits_as_double(value.type, value.bits));
    if (!l->n->is_vector)
        return one;
    if (bits_as_double(value.type, value.bits) == 0)
        return "zeroinitializer";
    const char *four = ptx_format(e, "%s %s, %s %s, %s %s, %s %s", types[value.type].element, one,
                                  types[value.type].element, one, types[value.type].element, one,
                                  types[value.type].element, one);
    const char *eight = ptx_format(e, "%s, %s", four, four);
    return ptx_format(e, "<%s, %s, %s, %s>", eight, eight, eight, eight);
}

const char *ptx_lane_text(struct ptx_lanes *l, struct ptx_lane_value value)
{
    if (l->muted)
        return "undef";
    if (value.is_truth && value.text)
        return ptx_native_emit(l->n, "zext %s %s to %s", truth_type(l), value.text,
                               ptx_lane_type_text(l, value.type));
    if (value.text)
        return value.text;
    if (types[value.type].is_float)
        return float_text(l, value);
    return ptx_native_constant(l->n, types[value.type].bits, value.bits);
}

const char *ptx_lane_truth(struct ptx_lanes *l, struct ptx_lane_value value)
{
    if (l->muted)
        return "undef";
    if (value.is_truth && value.text)
        return value.text;
    if (!value.text)
        return ptx_native_constant(
            l->n, 1, (types[value.type].is_float ? value.bits << 1 : value.bits) != 0);
    const struct ptx_lane_value zero = ptx_lane_constant(value.type, 0);
    return ptx_native_emit(l->n, "%s %s %s, %s",
                           types[value.type].is_float ? "fcmp une" : "icmp ne",
                           ptx_lane_type_text(l, value.type), value.text, ptx_lane_text(l, zero));
}

/* ---- Conversions ---- */

static struct ptx_lane_value converted(struct ptx_lanes *l, const char *how,
                                       struct ptx_lane_value value, enum ptx_lane_type type)
{
    const char *text = ptx_lane_text(l, value);
    return ptx_lane_of(type, LANE_EMIT(l, "%s %s %s to %s", how, ptx_lane_type_text(l, value.type),
                                       text, ptx_lane_type_text(l, type)));
}

static struct ptx_lane_value integer_of_integer(struct ptx_lanes *l, struct ptx_lane_value value,
                                                enum ptx_lane_type type)
{
    const unsigned from = types[value.type].bits, to = types[type].bits;
    if (from == to || value.is_truth) {
        value.type = (uint8_t)type;
        return value;
    }
    return converted(l,
                     to < from                     ? "trunc"
                     : types[value.type].is_signed ? "sext"
                                                   : "zext",
                     value, type);
}

static struct ptx_lane_value folded_float(struct ptx_lane_value value, enum ptx_lane_type type)
{
    const double number =
        types[value.type].is_signed ? (double)(int64_t)value.bits : (double)value.bits;
    const float single =
        types[value.type].is_signed ? (float)(int64_t)value.bits : (float)value.bits;
    uint64_t bits = 0;
    if (type == LANE_FLOAT)
        memcpy(&bits, &single, sizeof single);
    else
        memcpy(&bits, &number, sizeof number);
    return ptx_lane_constant(type, bits);
}

struct ptx_lane_value ptx_lane_convert(struct ptx_lanes *l, struct ptx_lane_value value,
                                       enum ptx_lane_type type)
{
    const bool to_float = types[type].is_float, from_float = types[value.type].is_float;
    if (value.type == type)
        return value;
    if (!value.text && !from_float && type != LANE_WIDE)
        return to_float ? folded_float(value, type) : ptx_lane_constant(type, value.bits);
    if (to_float && from_float)
        return converted(l, type == LANE_DOUBLE ? "fpext" : "fptrunc", value, type);
    if (to_float)
        return converted(l, types[value.type].is_signed ? "sitofp" : "uitofp", value, type);
    if (from_float)
        return converted(l, types[type].is_signed ? "fptosi" : "fptoui", value, type);
    return integer_of_integer(l, value, type);
}

struct ptx_lane_value ptx_lane_recast(struct ptx_lanes *l, struct ptx_lane_value value,
                                      enum ptx_lane_type type)
{
    if (types[value.type].bits != types[type].bits)
        value = ptx_lane_convert(l, value,
                                 type == LANE_FLOAT    ? LANE_UINT
                                 : type == LANE_DOUBLE ? LANE_ULONG
                                                       : type);
    if (!value.text)
        return ptx_lane_constant(type, value.bits);
    if (types[value.type].is_float == types[type].is_float) {
        value.type = (uint8_t)type;
        return value;
    }
    return converted(l, "bitcast", value, type);
}

/* ---- Operators of constants ---- */

static bool fold_comparison(const char *sign, enum ptx_lane_type type, uint64_t a, uint64_t b,
                            uint64_t *result)
{
    const bool is_less = types[type].is_signed ? (int64_t)a < (int64_t)b : a < b;
    const bool is_equal = a == b;
    if (strcmp(sign, "==") == 0 || strcmp(sign, "!=") == 0)
        *result = is_equal == (*sign == '=');
    else if (*sign == '<' && sign[1] != '<')
        *result = is_less || (sign[1] == '=' && is_equal);
    else if (*sign == '>' && sign[1] != '>')
        *result = (!is_less && !is_equal) || (sign[1] == '=' && is_equal);
    else
        return false;
    return true;
}

static bool fold_quotient(char sign, enum ptx_lane_type type, uint64_t a, uint64_t b,
                          uint64_t *result)
{
    if (b == 0 || (types[type].is_signed && b == UINT64_MAX))
        return false;
    if (types[type].is_signed)
        *result = (uint64_t)(sign == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    else
        *result = sign == '/' ? a / b : a % b;
    return true;
}

static bool fold(const char *sign, enum ptx_lane_type type, uint64_t a, uint64_t b,
                 uint64_t *result)
{
    switch (*sign) {
    case '+':
        *result = a + b;
        return true;
    case '-':
        *result = a - b;
        return true;
    case '*':
        *result = a * b;
        return true;
    case '&':
        *result = a & b;
        return true;
    case '|':
        *result = a | b;
        return true;
    case '^':
        *result = a ^ b;
        return true;
    case '/':
    case '%':
        return fold_quotient(*sign, type, a, b, result);
    default:
        if (sign[0] != sign[1])
            return false;
        b &= types[type].bits - 1u;
        *result = *sign == '<'            ? a << b
                  : types[type].is_signed ? (uint64_t)((int64_t)a >> b)
                                          : a >> b;
        return true;
    }
}

/* ---- Operators ---- */

/* "<": "slt", "ult" or "olt". */
static const char *predicate(const char *sign, enum ptx_lane_type type)
{
    static const char *const words[6][4] = {
        {"==", "eq", "eq", "oeq"},   {"!=", "ne", "ne", "une"},  {"<=", "sle", "ule", "ole"},
        {">=", "sge", "uge", "oge"}, {"<", "slt", "ult", "olt"}, {">", "sgt", "ugt", "ogt"}};
    const int column = types[type].is_float ? 3 : types[type].is_signed ? 1 : 2;
    for (int i = 0; i < 6; i++)
        if (strcmp(words[i][0], sign) == 0)
            return words[i][column];
    return NULL;
}

static const char *instruction_of(const char *sign, enum ptx_lane_type type)
{
    static const struct {
        char sign;
        const char *of_signed, *of_unsigned, *of_float;
    } words[] = {{'+', "add", "add", "fadd"}, {'-', "sub", "sub", "fsub"},
                 {'*', "mul", "mul", "fmul"}, {'/', "sdiv", "udiv", "fdiv"},
                 {'%', "srem", "urem", NULL}, {'&', "and", "and", NULL},
                 {'|', "or", "or", NULL},     {'^', "xor", "xor", NULL},
                 {'<', "shl", "shl", NULL},   {'>', "ashr", "lshr", NULL}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].sign == *sign)
            return types[type].is_float    ? words[i].of_float
                   : types[type].is_signed ? words[i].of_signed
                                           : words[i].of_unsigned;
    return NULL;
}

static bool is_logic(const char *sign)
{
    return *sign == '&' || *sign == '|' || *sign == '^';
}

/* `&&`, and `&` where both are 0 or 1. */
static struct ptx_lane_value logic(struct ptx_lanes *l, const char *sign, struct ptx_lane_value a,
                                   struct ptx_lane_value b)
{
    const char *first = ptx_lane_truth(l, a), *second = ptx_lane_truth(l, b);
    return truth_of(LANE_EMIT(l, "%s %s %s, %s", instruction_of(sign, LANE_UINT), truth_type(l),
                              first, second));
}

static bool is_zero_or_one(struct ptx_lane_value value)
{
    return value.is_truth || (!value.text && !types[value.type].is_float && value.bits <= 1);
}

struct ptx_lane_value ptx_lane_binary(struct ptx_lanes *l, const char *sign,
                                      struct ptx_lane_value a, struct ptx_lane_value b)
{
    const bool is_shift = sign[0] == sign[1] && (*sign == '<' || *sign == '>');
    const bool is_twice = sign[0] == sign[1] && is_logic(sign);
    if (is_twice ||
        (is_logic(sign) && (a.is_truth || b.is_truth) && is_zero_or_one(a) && is_zero_or_one(b)))
        return logic(l, sign, a, b);
    const enum ptx_lane_type type = is_shift ? promoted(a.type) : ptx_lane_common(a.type, b.type);
    uint64_t result;
    a = ptx_lane_convert(l, a, type);
    b = ptx_lane_convert(l, b, type);
    if (!a.text && !b.text && type < LANE_WIDE) {
        if (fold_comparison(sign, type, a.bits, b.bits, &result))
            return ptx_lane_constant(LANE_INT, result);
        if (fold(sign, type, a.bits, b.bits, &result))
            return ptx_lane_constant(type, result);
    }
    const char *first = ptx_lane_text(l, a), *second = ptx_lane_text(l, b);
    const char *text = ptx_lane_type_text(l, type), *how = predicate(sign, type);
    if (how)
        return truth_of(LANE_EMIT(l, "%s %s %s %s, %s", types[type].is_float ? "fcmp" : "icmp", how,
                                  text, first, second));
    return ptx_lane_of(
        type, LANE_EMIT(l, "%s %s %s, %s", instruction_of(sign, type), text, first, second));
}

static struct ptx_lane_value negative(struct ptx_lanes *l, struct ptx_lane_value a)
{
    if (!types[a.type].is_float)
        return ptx_lane_binary(l, "-", ptx_lane_constant(LANE_INT, 0), a);
    if (!a.text)
        return ptx_lane_constant(a.type, a.bits ^ 1ULL << (types[a.type].bits - 1));
    return ptx_lane_of(a.type, LANE_EMIT(l, "fneg %s %s", ptx_lane_type_text(l, a.type), a.text));
}

struct ptx_lane_value ptx_lane_unary(struct ptx_lanes *l, char sign, struct ptx_lane_value a)
{
    if (sign == '-')
        return negative(l, a);
    if (sign == '~')
        return ptx_lane_binary(l, "^", ptx_lane_convert(l, a, promoted(a.type)),
                               ptx_lane_constant(LANE_INT, UINT64_MAX));
    if (!a.text && !types[a.type].is_float)
        return ptx_lane_constant(LANE_INT, a.bits == 0);
    const char *truth = ptx_lane_truth(l, a);
    return truth_of(
        LANE_EMIT(l, "xor %s %s, %s", truth_type(l), truth, ptx_native_constant(l->n, 1, 1)));
}

struct ptx_lane_value ptx_lane_select(struct ptx_lanes *l, struct ptx_lane_value condition,
                                      struct ptx_lane_value a, struct ptx_lane_value b)
{
    const enum ptx_lane_type type = a.type == b.type ? a.type : ptx_lane_common(a.type, b.type);
    if (!condition.text)
        return ptx_lane_convert(l, condition.bits ? a : b, type);
    const char *truth = ptx_lane_truth(l, condition);
    const bool is_truth = (a.is_truth || b.is_truth) && is_zero_or_one(a) && is_zero_or_one(b);
    const char *first, *second;
    if (is_truth) {
        first = ptx_lane_truth(l, a);
        second = ptx_lane_truth(l, b);
    } else {
        first = ptx_lane_text(l, ptx_lane_convert(l, a, type));
        second = ptx_lane_text(l, ptx_lane_convert(l, b, type));
    }
    const char *text = is_truth ? truth_type(l) : ptx_lane_type_text(l, type);
    struct ptx_lane_value value =
        ptx_lane_of(type, LANE_EMIT(l, "select %s %s, %s %s, %s %s", truth_type(l), truth, text,
                                    first, text, second));
    value.is_truth = is_truth;
    return value;
}
