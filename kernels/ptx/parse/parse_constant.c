/* The parser's constant expressions: C's operators on .s64 and .u64, and single floats.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/parse/parse.h"

static struct ptx_constant parse_ternary(struct ptx_parser *p);

static void refuse_float(struct ptx_parser *p, const struct ptx_constant *value)
{
    if (value->is_float)
        ptx_syntax(p, "a whole number expected");
}

static struct ptx_constant parse_literal(struct ptx_parser *p)
{
    const struct ptx_token token = p->token;
    if (token.kind == PTX_TOKEN_WORD && ptx_accept_word(p, "WARP_SZ"))
        return (struct ptx_constant){.bits = 32};
    if (token.kind != PTX_TOKEN_INTEGER && token.kind != PTX_TOKEN_FLOAT)
        ptx_syntax(p, "a number expected");
    ptx_next(p);
    return (struct ptx_constant){.is_float = token.kind == PTX_TOKEN_FLOAT,
                                 .is_double = token.is_double,
                                 .is_unsigned = token.is_unsigned,
                                 .bits = token.bits};
}

/* (value) or (.s64) value. */
static struct ptx_constant parse_parenthesis(struct ptx_parser *p);

static struct ptx_constant negated(struct ptx_constant value)
{
    if (value.is_float)
        value.bits ^= value.is_double ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    else
        value.bits = 0 - value.bits;
    return value;
}

static struct ptx_constant parse_unary(struct ptx_parser *p)
{
    if (p->token.kind == '(')
        return parse_parenthesis(p);
    const int kind = p->token.kind;
    if (kind != '-' && kind != '+' && kind != '!' && kind != '~')
        return parse_literal(p);
    ptx_next(p);
    ptx_enter(p);
    struct ptx_constant value = parse_unary(p);
    --p->nesting;
    if (kind == '-')
        return negated(value);
    if (kind == '+')
        return value;
    refuse_float(p, &value);
    if (kind == '!')
        return (struct ptx_constant){.bits = !value.bits};
    value.bits = ~value.bits;
    return value;
}

static struct ptx_constant parse_parenthesis(struct ptx_parser *p)
{
    ptx_expect(p, '(');
    ptx_enter(p);
    struct ptx_constant value;
    const bool is_signed = ptx_at_word(p, ".s64");
    if (is_signed || ptx_at_word(p, ".u64")) {
        ptx_next(p);
        ptx_expect(p, ')');
        value = parse_unary(p);
        refuse_float(p, &value);
        value.is_unsigned = !is_signed;
    } else {
        value = parse_ternary(p);
        ptx_expect(p, ')');
    }
    --p->nesting;
    return value;
}

/* How tightly an operator of two operands binds; 0: it is none. */
static int precedence(int kind)
{
    switch (kind) {
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return 9;
    case PTX_TOKEN_SHIFT_LEFT:
    case PTX_TOKEN_SHIFT_RIGHT:
        return 8;
    case '<':
    case '>':
    case PTX_TOKEN_LESS_EQUAL:
    case PTX_TOKEN_GREATER_EQUAL:
        return 7;
    case PTX_TOKEN_EQUAL:
    case PTX_TOKEN_NOT_EQUAL:
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case PTX_TOKEN_BOTH:
        return 2;
    case PTX_TOKEN_EITHER:
        return 1;
    default:
        return 0;
    }
}

static uint64_t divided(struct ptx_parser *p, int kind, uint64_t a, uint64_t b, bool is_unsigned)
{
    if (b == 0)
        ptx_syntax(p, "division by zero");
    if (is_unsigned)
        return kind == '/' ? a / b : a % b;
    if (b == UINT64_MAX) /* by -1: also of the least number, which has no opposite */
        return kind == '/' ? 0 - a : 0;
    return (uint64_t)(kind == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

static uint64_t shifted(int kind, uint64_t a, uint64_t count, bool is_unsigned)
{
    if (kind == PTX_TOKEN_SHIFT_LEFT)
        return count > 63 ? 0 : a << count;
    const bool is_negative = !is_unsigned && a >> 63;
    const uint64_t fill = is_negative ? UINT64_MAX : 0;
    return count > 63 ? fill : a >> count | (is_negative && count ? fill << (64 - count) : 0);
}

static bool is_less(uint64_t a, uint64_t b, bool is_unsigned)
{
    const uint64_t sign = is_unsigned ? 0 : UINT64_C(1) << 63;
    return (a ^ sign) < (b ^ sign);
}

static uint64_t compared(int kind, uint64_t a, uint64_t b, bool is_unsigned)
{
    switch (kind) {
    case '<':
        return is_less(a, b, is_unsigned);
    case '>':
        return is_less(b, a, is_unsigned);
    case PTX_TOKEN_LESS_EQUAL:
        return !is_less(b, a, is_unsigned);
    case PTX_TOKEN_GREATER_EQUAL:
        return !is_less(a, b, is_unsigned);
    case PTX_TOKEN_EQUAL:
        return a == b;
    case PTX_TOKEN_NOT_EQUAL:
        return a != b;
    case PTX_TOKEN_BOTH:
        return a && b;
    default:
        return a || b;
    }
}

static struct ptx_constant combined(struct ptx_parser *p, int kind, struct ptx_constant left,
                                    struct ptx_constant right)
{
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    struct ptx_constant value = {.is_unsigned = is_unsigned};
    const uint64_t a = left.bits, b = right.bits;
    switch (kind) {
    case '*':
        value.bits = a * b;
        break;
    case '/':
    case '%':
        value.bits = divided(p, kind, a, b, is_unsigned);
        break;
    case '+':
        value.bits = a + b;
        break;
    case '-':
        value.bits = a - b;
        break;
    case PTX_TOKEN_SHIFT_LEFT:
    case PTX_TOKEN_SHIFT_RIGHT:
        value.is_unsigned = left.is_unsigned;
        value.bits = shifted(kind, a, b, left.is_unsigned);
        break;
    case '&':
        value.bits = a & b;
        break;
    case '^':
        value.bits = a ^ b;
        break;
    case '|':
        value.bits = a | b;
        break;
    default:
        value.is_unsigned = false;
        value.bits = compared(kind, a, b, is_unsigned);
    }
    return value;
}

static struct ptx_constant parse_binary(struct ptx_parser *p, int least)
{
    struct ptx_constant left = parse_unary(p);
    for (int kind = p->token.kind; precedence(kind) >= least; kind = p->token.kind) {
        ptx_next(p);
        const struct ptx_constant right = parse_binary(p, precedence(kind) + 1);
        refuse_float(p, &left);
        refuse_float(p, &right);
        left = combined(p, kind, left, right);
    }
    return left;
}

static struct ptx_constant parse_ternary(struct ptx_parser *p)
{
    struct ptx_constant value = parse_binary(p, 1);
    if (!ptx_accept(p, '?'))
        return value;
    refuse_float(p, &value);
    ptx_enter(p);
    struct ptx_constant yes = parse_ternary(p);
    ptx_expect(p, ':');
    struct ptx_constant no = parse_ternary(p);
    --p->nesting;
    yes.is_unsigned = no.is_unsigned = yes.is_unsigned || no.is_unsigned;
    return value.bits ? yes : no;
}

struct ptx_constant ptx_parse_constant(struct ptx_parser *p)
{
    ptx_enter(p);
    const struct ptx_constant value = parse_ternary(p);
    --p->nesting;
    return value;
}

int64_t ptx_parse_integer(struct ptx_parser *p)
{
    const struct ptx_constant value = ptx_parse_constant(p);
    refuse_float(p, &value);
    return (int64_t)value.bits;
}

size_t ptx_parse_size(struct ptx_parser *p)
{
    const int64_t value = ptx_parse_integer(p);
    if (value < 0 || value > INT64_C(1) << 40)
        ptx_syntax(p, "a size expected");
    return (size_t)value;
}

static double float_value(const struct ptx_constant *value)
{
    double wide;
    float narrow;
    const uint32_t low = (uint32_t)value->bits;
    if (!value->is_float)
        return value->is_unsigned ? (double)value->bits : (double)(int64_t)value->bits;
    memcpy(&wide, &value->bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return value->is_double ? wide : (double)narrow;
}

uint64_t ptx_constant_bits(struct ptx_parser *p, struct ptx_constant value, enum ptx_type type)
{
    uint64_t bits = 0;
    if (type == PTX_F32 && (!value.is_float || value.is_double)) {
        const float narrow = (float)float_value(&value);
        memcpy(&bits, &narrow,
               sizeof narrow); /* the low half: devices and hosts are little-endian */
        return bits;
    }
    if (type == PTX_F64 && (!value.is_float || !value.is_double)) {
        const double wide = float_value(&value);
        memcpy(&bits, &wide, sizeof wide);
        return bits;
    }
    if (value.is_float && !ptx_type_is_float(type) &&
        ptx_type_bytes(type) < (value.is_double ? 8 : 4))
        ptx_syntax(p, "a number of type .%s expected", ptx_type_name(type));
    return value.bits;
}
