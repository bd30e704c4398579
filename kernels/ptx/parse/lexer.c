/* PTX as tokens. Reads a NUL-terminated text and never looks past the NUL.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/parse/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 1, BLANK = 2, DIGIT = 4, HEX = 8 };

#define DIGITS(c)  [c] = NAME | DIGIT | HEX
#define LETTERS(c) [c] = NAME | HEX, [(c) + 'a' - 'A'] = NAME | HEX
#define NAMES(c)   [c] = NAME, [(c) + 'a' - 'A'] = NAME

static const unsigned char
    classes[256] = {DIGITS('0'),    DIGITS('1'),    DIGITS('2'),   DIGITS('3'),   DIGITS('4'),
                    DIGITS('5'),    DIGITS('6'),    DIGITS('7'),   DIGITS('8'),   DIGITS('9'),
                    LETTERS('A'),   LETTERS('B'),   LETTERS('C'),  LETTERS('D'),  LETTERS('E'),
                    LETTERS('F'),   NAMES('G'),     NAMES('H'),    NAMES('I'),    NAMES('J'),
                    NAMES('K'),     NAMES('L'),     NAMES('M'),    NAMES('N'),    NAMES('O'),
                    NAMES('P'),     NAMES('Q'),     NAMES('R'),    NAMES('S'),    NAMES('T'),
                    NAMES('U'),     NAMES('V'),     NAMES('W'),    NAMES('X'),    NAMES('Y'),
                    NAMES('Z'),     ['_'] = NAME,   ['$'] = NAME,  [' '] = BLANK, ['\t'] = BLANK,
                    ['\r'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK};

static bool is(char c, int class)
{
    return (classes[(unsigned char)c] & class) != 0;
}

static uint32_t hash_step(uint32_t hash, char c)
{
    return (hash ^ (unsigned char)c) * 16777619u;
}

uint32_t ptx_hash(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; ++i)
        hash = hash_step(hash, text[i]);
    return hash;
}

/* Over a comment of C's first kind; an unended one ends the text. */
static const char *skip_comment(struct ptx_lexer *lexer, const char *at)
{
    const uint32_t line = lexer->line;
    for (at += 2; *at && !(at[0] == '*' && at[1] == '/'); ++at)
        lexer->line += *at == '\n';
    if (*at)
        return at + 2;
    lexer->open_comment = line;
    return at;
}

static const char *skip_line(const char *at)
{
    while (*at && *at != '\n')
        ++at;
    return at;
}

char ptx_lex_peek(struct ptx_lexer *lexer)
{
    const char *at = lexer->at;
    for (;;) {
        if (is(*at, BLANK))
            ++at;
        else if (*at == '\n') {
            ++lexer->line;
            ++at;
        } else if (at[0] == '/' && at[1] == '/')
            at = skip_line(at);
        else if (at[0] == '/' && at[1] == '*')
            at = skip_comment(lexer, at);
        else
            break;
    }
    lexer->at = at;
    return *at;
}

static const char *word_end(const char *at)
{
    while (is(*at, NAME))
        ++at;
    return at;
}

/* A modifier's end: letters, digits and "::" between them. */
static const char *modifier_end(const char *at)
{
    for (;;) {
        at = word_end(at);
        if (at[0] != ':' || at[1] != ':' || !is(at[2], NAME))
            return at;
        at += 2;
    }
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

/* 0f and 0d: exactly 8 or 16 hexadecimal digits. */
static const char *lex_float_bits(struct ptx_token *token, const char *at, unsigned digits)
{
    token->kind = PTX_TOKEN_FLOAT;
    token->is_double = digits == 16;
    unsigned seen = 0;
    for (; is(*at, HEX); ++at, ++seen)
        token->bits = token->bits << 4 | digit_value(*at);
    if (seen != digits)
        token->kind = PTX_TOKEN_BAD;
    return at;
}

/* Without the decimal point, which is the locale's for strtod(): 1.25e3 is read as 125e1. */
static double decimal_value(const char *from, const char *to)
{
    char copy[96];
    size_t used = 0;
    int exponent = 0;
    bool after_point = false;
    for (; from < to && *from != 'e' && *from != 'E'; ++from) {
        if (*from == '.')
            after_point = true;
        else if (used < 64) {
            copy[used++] = *from;
            exponent -= after_point;
        } else
            exponent += !after_point;
    }
    copy[used] = 0;
    if (from < to) {
        const long written = strtol(from + 1, NULL, 10);
        exponent += (int)(written > 9999 ? 9999 : written < -9999 ? -9999 : written);
    }
    copy[used++] = 'e';
    if (exponent < 0)
        copy[used++] = '-';
    unsigned left = (unsigned)(exponent < 0 ? -exponent : exponent);
    for (unsigned place = 10000; place; place /= 10) {
        copy[used++] = (char)('0' + left / place % 10);
    }
    copy[used] = 0;
    return strtod(copy, NULL);
}

static const char *lex_decimal_float(struct ptx_token *token, const char *at)
{
    if (*at == '.')
        for (++at; is(*at, DIGIT);)
            ++at;
    if (*at == 'e' || *at == 'E') {
        const char *digits = at + 1 + (at[1] == '+' || at[1] == '-');
        if (is(*digits, DIGIT))
            for (at = digits; is(*at, DIGIT);)
                ++at;
    }
    const double value = decimal_value(token->text, at);
    token->kind = PTX_TOKEN_FLOAT;
    token->is_double = true;
    memcpy(&token->bits, &value, sizeof value);
    return at;
}

static const char *lex_integer(struct ptx_token *token, const char *at, unsigned base)
{
    token->kind = PTX_TOKEN_INTEGER;
    const char *first = at;
    for (; is(*at, HEX) && digit_value(*at) < base; ++at) {
        if (token->bits > (UINT64_MAX - digit_value(*at)) / base)
            token->kind = PTX_TOKEN_BAD;
        token->bits = token->bits * base + digit_value(*at);
    }
    if (at == first)
        token->kind = PTX_TOKEN_BAD;
    token->is_unsigned = *at == 'U' || token->bits > INT64_MAX;
    return at + (*at == 'U');
}

static const char *lex_number(struct ptx_token *token, const char *at)
{
    const char second = at[0] == '0' ? (char)(at[1] | 0x20) : 0;
    const bool is_float_bits = second == 'f' || second == 'd';
    if (is_float_bits)
        at = lex_float_bits(token, at + 2, second == 'f' ? 8 : 16);
    else if (second == 'x')
        at = lex_integer(token, at + 2, 16);
    else if (second == 'b')
        at = lex_integer(token, at + 2, 2);
    else {
        const char *end = at;
        while (is(*end, DIGIT))
            ++end;
        if ((end[0] == '.' && is(end[1], DIGIT)) || (*end | 0x20) == 'e')
            at = lex_decimal_float(token, end);
        else
            at = lex_integer(token, at, at[0] == '0' && end > at + 1 ? 8 : 10);
    }
    if (is(*at, NAME)) {
        token->kind = PTX_TOKEN_BAD;
        at = word_end(at);
    }
    return at;
}

static const char *lex_string(struct ptx_lexer *lexer, struct ptx_token *token, const char *at)
{
    token->text = ++at;
    for (; *at && *at != '"'; ++at) {
        if (*at == '\\' && at[1])
            ++at;
        lexer->line += *at == '\n';
    }
    token->length = (size_t)(at - token->text);
    token->kind = *at ? PTX_TOKEN_STRING : PTX_TOKEN_BAD;
    return at + (*at == '"');
}

/* Operators of two characters; anything else stands for itself. */
static const char *lex_sign(struct ptx_token *token, const char *at)
{
    static const struct {
        char text[3];
        int kind;
    } pairs[] = {{"<<", PTX_TOKEN_SHIFT_LEFT}, {">>", PTX_TOKEN_SHIFT_RIGHT},
                 {"<=", PTX_TOKEN_LESS_EQUAL}, {">=", PTX_TOKEN_GREATER_EQUAL},
                 {"==", PTX_TOKEN_EQUAL},      {"!=", PTX_TOKEN_NOT_EQUAL},
                 {"&&", PTX_TOKEN_BOTH},       {"||", PTX_TOKEN_EITHER}};
    token->kind = (unsigned char)*at;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
        if (at[0] == pairs[i].text[0] && at[1] == pairs[i].text[1]) {
            token->kind = pairs[i].kind;
            return at + 2;
        }
    return at + 1;
}

static const char *lex_word(struct ptx_token *token, const char *at)
{
    uint32_t hash = 2166136261u;
    do
        hash = hash_step(hash, *at++);
    while (is(*at, NAME));
    token->kind = PTX_TOKEN_WORD;
    token->hash = hash;
    return at;
}

void ptx_lex(struct ptx_lexer *lexer, struct ptx_token *token)
{
    const char first = ptx_lex_peek(lexer);
    const char *at = lexer->at;
    *token = (struct ptx_token){.line = lexer->line, .text = at};
    if (!first)
        return;
    if (is(first, DIGIT))
        at = lex_number(token, at);
    else if (is(first, NAME) || (first == '%' && is(at[1], NAME)))
        at = lex_word(token, at);
    else if (first == '.' && is(at[1], NAME)) {
        token->kind = PTX_TOKEN_DOT;
        at = modifier_end(at + 1);
    } else if (first == '"') {
        lexer->at = lex_string(lexer, token, at);
        return;
    } else
        at = lex_sign(token, at);
    token->length = (size_t)(at - token->text);
    lexer->at = at;
}

void ptx_lex_modifiers(struct ptx_lexer *lexer, struct ptx_token *token)
{
    if (lexer->at != token->text + token->length)
        return; /* blanks follow, which ptx_lex_peek() has gone over */
    while (lexer->at[0] == '.' && is(lexer->at[1], NAME))
        lexer->at = modifier_end(lexer->at + 1);
    token->length = (size_t)(lexer->at - token->text);
}
