/* Statements and expressions of C, read where they stand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/values/lanes.h"

#include <math.h>
#include <string.h>

/* ---- Words ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip(struct ptx_lanes *l)
{
    for (;;) {
        l->at += strspn(l->at, " \t\n");
        const char *end = strncmp(l->at, "/*", 2) == 0 ? strstr(l->at, "*/") : NULL;
        if (!end)
            return;
        l->at = end + 2;
    }
}

void ptx_lanes_refuse(struct ptx_lanes *l, const char *why)
{
    if (l->n->e->status == PTX_OK)
        ptx_refuse(l->n->e, "%s in %s has no native form", why,
                   l->what ? l->what : "the instruction");
    l->at += strlen(l->at);
}

bool ptx_lanes_take(struct ptx_lanes *l, const char *sign)
{
    skip(l);
    const size_t length = strlen(sign);
    if (strncmp(l->at, sign, length) != 0)
        return false;
    l->at += length;
    return true;
}

static void expect(struct ptx_lanes *l, const char *sign)
{
    if (!ptx_lanes_take(l, sign))
        ptx_lanes_refuse(l, "something unknown");
}

size_t ptx_lanes_word(struct ptx_lanes *l, const char **word)
{
    skip(l);
    *word = l->at;
    if (is_letter(*l->at))
        while (is_letter(*l->at) || is_digit(*l->at))
            l->at++;
    return (size_t)(l->at - *word);
}

static bool is_word(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* Takes a type's name if one stands there, with const before it. */
static enum ptx_lane_type take_type(struct ptx_lanes *l)
{
    skip(l);
    const char *start = l->at, *word;
    size_t length = ptx_lanes_word(l, &word);
    if (is_word(word, length, "const"))
        length = ptx_lanes_word(l, &word);
    const enum ptx_lane_type type = ptx_lane_type_of(word, length);
    if (type == LANE_TYPES)
        l->at = start;
    return type;
}

/* ---- Numbers ---- */

static unsigned digit_of(char c)
{
    return is_digit(c) ? (unsigned)(c - '0') : ((unsigned)c | 32u) - 'a' + 10u;
}

static bool is_digit_of(char c, unsigned base)
{
    return is_digit(c) || (base == 16 && is_letter(c) && digit_of(c) < 16);
}

/* As strtod(), whatever the locale; exact of 16 digits of base 16, and of 15 with less than 23 behind the point of base 10. */
static double scaled(uint64_t digits, int behind, unsigned base, int exponent)
{
    if (base == 16)
        return ldexp((double)digits, exponent - 4 * behind);
    double power = 1;
    for (int i = 0; i < behind; i++)
        power *= 10;
    return (double)digits / power;
}

static struct ptx_lane_value float_literal(struct ptx_lanes *l, uint64_t digits, unsigned base)
{
    int behind = 0, exponent = 0;
    if (*l->at == '.')
        for (l->at++; is_digit_of(*l->at, base); l->at++, behind++)
            digits = digits * base + digit_of(*l->at);
    if (base == 16 && *l->at == 'p') {
        const bool is_negative = *++l->at == '-';
        for (l->at += *l->at == '-' || *l->at == '+'; is_digit(*l->at); l->at++)
            exponent = exponent * 10 + (*l->at - '0');
        exponent = is_negative ? -exponent : exponent;
    }
    const double number = scaled(digits, behind, base, exponent);
    uint64_t bits = 0;
    if (*l->at != 'f') {
        memcpy(&bits, &number, sizeof bits);
        return ptx_lane_constant(LANE_DOUBLE, bits);
    }
    l->at++;
    const float single = (float)number;
    memcpy(&bits, &single, sizeof single);
    return ptx_lane_constant(LANE_FLOAT, bits);
}

static struct ptx_lane_value literal(struct ptx_lanes *l)
{
    const unsigned base = l->at[0] == '0' && l->at[1] == 'x' ? 16 : 10;
    uint64_t digits = 0;
    for (l->at += base == 16 ? 2 : 0; is_digit_of(*l->at, base); l->at++)
        digits = digits * base + digit_of(*l->at);
    if (*l->at == '.' || *l->at == 'p')
        return float_literal(l, digits, base);
    bool is_unsigned = false, is_long = false;
    for (; *l->at == 'u' || *l->at == 'l'; l->at++) {
        is_unsigned |= *l->at == 'u';
        is_long |= *l->at == 'l';
    }
    is_unsigned |= !is_long && base == 16 && digits > INT32_MAX;
    is_long |= digits > UINT32_MAX || (digits > INT32_MAX && !is_unsigned);
    return ptx_lane_constant(is_long ? (is_unsigned ? LANE_ULONG : LANE_LONG)
                                     : (is_unsigned ? LANE_UINT : LANE_INT),
                             digits);
}

/* ---- Variables ---- */

struct ptx_lane_variable *ptx_lanes_declare(struct ptx_lanes *l, const char *name, size_t length,
                                            enum ptx_lane_type type)
{
    struct ptx_lane_variable *made = ptx_arena_take(l->n->e->arena, sizeof *made);
    *made = (struct ptx_lane_variable){.name = name,
                                       .length = length,
                                       .value = ptx_lane_constant(type, 0),
                                       .type = (uint8_t)type,
                                       .next = l->scope};
    l->scope = made;
    return made;
}

static struct ptx_lane_variable *find(struct ptx_lanes *l, const char *name, size_t length)
{
    struct ptx_lane_variable *v = l->scope;
    while (v && !(v->length == length && memcmp(v->name, name, length) == 0))
        v = v->next;
    return v;
}

static void assign(struct ptx_lanes *l, struct ptx_lane_variable *v, struct ptx_lane_value value)
{
    if (!v->is_truth) {
        v->value = ptx_lane_convert(l, value, (enum ptx_lane_type)v->type);
        return;
    }
    v->value = ptx_lane_of((enum ptx_lane_type)v->type, ptx_lane_truth(l, value));
    v->value.is_truth = true;
}

/* ---- Expressions ---- */

static struct ptx_lane_value by_precedence(struct ptx_lanes *l, int least);

static struct ptx_lane_value arguments_of(struct ptx_lanes *l, const char *name, size_t length)
{
    struct ptx_lane_value arguments[LANE_ARGUMENTS];
    unsigned count = 0;
    while (!ptx_lanes_take(l, ")") && *l->at) {
        if (count > 0)
            expect(l, ",");
        if (count == LANE_ARGUMENTS)
            ptx_lanes_refuse(l, "a call");
        else
            arguments[count++] = ptx_lanes_expression(l);
    }
    return l->call(l, name, length, arguments, count);
}

static struct ptx_lane_value named(struct ptx_lanes *l)
{
    const char *name;
    const size_t length = ptx_lanes_word(l, &name);
    if (ptx_lanes_take(l, "("))
        return arguments_of(l, name, length);
    const struct ptx_lane_variable *v = find(l, name, length);
    return v ? v->value : l->macro(l, name, length);
}

/* (ulong2)(low, high) */
static struct ptx_lane_value wide_of_words(struct ptx_lanes *l)
{
    expect(l, "(");
    struct ptx_lane_value low = ptx_lanes_expression(l);
    expect(l, ",");
    struct ptx_lane_value high = ptx_lanes_expression(l);
    expect(l, ")");
    low = ptx_lane_convert(l, ptx_lane_convert(l, low, LANE_ULONG), LANE_WIDE);
    high = ptx_lane_convert(l, ptx_lane_convert(l, high, LANE_ULONG), LANE_WIDE);
    high = ptx_lane_binary(l, "<<", high, ptx_lane_constant(LANE_UINT, 64));
    return ptx_lane_binary(l, "|", high, low);
}

/* .s0 and .s1 */
static struct ptx_lane_value parts_of(struct ptx_lanes *l, struct ptx_lane_value value)
{
    while (value.type == LANE_WIDE && ptx_lanes_take(l, ".s")) {
        if (*l->at++ == '1')
            value = ptx_lane_binary(l, ">>", value, ptx_lane_constant(LANE_UINT, 64));
        value = ptx_lane_convert(l, value, LANE_ULONG);
    }
    return value;
}

static struct ptx_lane_value unary(struct ptx_lanes *l);

static struct ptx_lane_value in_parentheses(struct ptx_lanes *l)
{
    const enum ptx_lane_type type = take_type(l);
    if (type == LANE_TYPES) {
        const struct ptx_lane_value value = ptx_lanes_expression(l);
        expect(l, ")");
        return parts_of(l, value);
    }
    expect(l, ")");
    if (type == LANE_WIDE)
        return parts_of(l, wide_of_words(l));
    return ptx_lane_convert(l, unary(l), type);
}

static struct ptx_lane_value unary(struct ptx_lanes *l)
{
    skip(l);
    const char sign = *l->at;
    if (sign == '-' || sign == '~' || sign == '!') {
        l->at++;
        return ptx_lane_unary(l, sign, unary(l));
    }
    if (ptx_lanes_take(l, "("))
        return in_parentheses(l);
    if (is_digit(sign))
        return literal(l);
    if (is_letter(sign))
        return parts_of(l, named(l));
    ptx_lanes_refuse(l, "something unknown");
    return ptx_lane_constant(LANE_INT, 0);
}

static const struct {
    const char *sign;
    int precedence;
} operators[] = {{"||", 2}, {"&&", 3}, {"==", 7}, {"!=", 7}, {"<<", 9}, {">>", 9},
                 {"<=", 8}, {">=", 8}, {"<", 8},  {">", 8},  {"|", 4},  {"^", 5},
                 {"&", 6},  {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

/* The operator that stands there, or -1. */
static int operator_at(struct ptx_lanes *l)
{
    skip(l);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strncmp(l->at, operators[i].sign, strlen(operators[i].sign)) == 0)
            return (int)i;
    return -1;
}

static bool is_known(struct ptx_lane_value value)
{
    return !value.text && !ptx_lane_is_float((enum ptx_lane_type)value.type);
}

/* c ? a : b, where c has been read. */
static struct ptx_lane_value choice(struct ptx_lanes *l, struct ptx_lane_value condition)
{
    const bool is_one = is_known(condition);
    const unsigned first_muted = is_one && condition.bits == 0,
                   second_muted = is_one && condition.bits != 0;
    l->muted += first_muted;
    const struct ptx_lane_value a = by_precedence(l, 1);
    l->muted -= first_muted;
    expect(l, ":");
    l->muted += second_muted;
    const struct ptx_lane_value b = by_precedence(l, 1);
    l->muted -= second_muted;
    if (!is_one)
        return ptx_lane_select(l, condition, a, b);
    const struct ptx_lane_value chosen = condition.bits ? a : b;
    return a.type == b.type ? chosen : ptx_lane_convert(l, chosen, ptx_lane_common(a.type, b.type));
}

static struct ptx_lane_value both(struct ptx_lanes *l, struct ptx_lane_value a, int index)
{
    const char *sign = operators[index].sign;
    const bool is_pair = sign[0] == sign[1] && (*sign == '&' || *sign == '|');
    const bool is_decided = is_pair && is_known(a) && (a.bits != 0) == (*sign == '|');
    l->muted += is_decided;
    const struct ptx_lane_value b = by_precedence(l, operators[index].precedence + 1);
    l->muted -= is_decided;
    return is_decided ? ptx_lane_constant(LANE_INT, *sign == '|') : ptx_lane_binary(l, sign, a, b);
}

static struct ptx_lane_value by_precedence(struct ptx_lanes *l, int least)
{
    struct ptx_lane_value value = unary(l);
    for (int index = operator_at(l); index >= 0 && operators[index].precedence >= least;
         index = operator_at(l)) {
        l->at += strlen(operators[index].sign);
        value = both(l, value, index);
    }
    return least <= 1 && ptx_lanes_take(l, "?") ? choice(l, value) : value;
}

struct ptx_lane_value ptx_lanes_expression(struct ptx_lanes *l)
{
    return by_precedence(l, 0);
}

/* ---- Statements ---- */

static void declaration(struct ptx_lanes *l, enum ptx_lane_type type)
{
    do {
        const char *name;
        const size_t length = ptx_lanes_word(l, &name);
        struct ptx_lane_value value = ptx_lane_constant(type, 0);
        if (ptx_lanes_take(l, "="))
            value = ptx_lanes_expression(l);
        assign(l, ptx_lanes_declare(l, name, length, type), value);
    } while (ptx_lanes_take(l, ","));
    expect(l, ";");
}

/* x = e, x += e. */
static void assignment(struct ptx_lanes *l)
{
    const char *name;
    const size_t length = ptx_lanes_word(l, &name);
    struct ptx_lane_variable *v = length ? find(l, name, length) : NULL;
    if (!v) {
        ptx_lanes_refuse(l, "a statement");
        return;
    }
    const int index = operator_at(l);
    if (index >= 0)
        l->at += strlen(operators[index].sign);
    expect(l, "=");
    const struct ptx_lane_value value = ptx_lanes_expression(l);
    assign(l, v, index < 0 ? value : ptx_lane_binary(l, operators[index].sign, v->value, value));
    expect(l, ";");
}

void ptx_lanes_run(struct ptx_lanes *l, const char *text)
{
    l->at = text;
    for (skip(l); *l->at; skip(l)) {
        if (ptx_lanes_take(l, "{") || ptx_lanes_take(l, "}"))
            continue;
        const enum ptx_lane_type type = take_type(l);
        if (type != LANE_TYPES)
            declaration(l, type);
        else
            assignment(l);
    }
}

/* ---- Bodies of functions ---- */

/* Takes a word if it stands there. */
static bool take_word(struct ptx_lanes *l, const char *text)
{
    skip(l);
    const char *start = l->at, *word;
    const size_t length = ptx_lanes_word(l, &word);
    if (is_word(word, length, text))
        return true;
    l->at = start;
    return false;
}

/* The rest of a body: what it returns. Behind `if (c) return x;` the rest is what it returns otherwise. */
struct ptx_lane_value ptx_lanes_body(struct ptx_lanes *l, enum ptx_lane_type type)
{
    while (*l->at) {
        const enum ptx_lane_type declared = take_type(l);
        if (declared != LANE_TYPES) {
            declaration(l, declared);
        } else if (take_word(l, "return")) {
            const struct ptx_lane_value value = ptx_lanes_expression(l);
            expect(l, ";");
            return ptx_lane_convert(l, value, type);
        } else if (take_word(l, "if")) {
            expect(l, "(");
            const struct ptx_lane_value condition = ptx_lanes_expression(l);
            expect(l, ")");
            if (!take_word(l, "return"))
                break;
            const struct ptx_lane_value first = ptx_lanes_expression(l);
            expect(l, ";");
            const struct ptx_lane_value rest = ptx_lanes_body(l, type);
            return ptx_lane_select(l, condition, ptx_lane_convert(l, first, type), rest);
        } else {
            assignment(l);
        }
    }
    ptx_lanes_refuse(l, "a statement");
    return ptx_lane_constant(type, 0);
}
