/* PTX as tokens. Private to kernels/ptx/parse/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_LEXER_H
#define KERNELS_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One character is its own kind. */
enum ptx_token_kind {
    PTX_TOKEN_END = 0,
    PTX_TOKEN_WORD = 256, /* name, %name, $name */
    PTX_TOKEN_DOT,        /* .name, .1d, .shared::cta: text begins with the dot */
    PTX_TOKEN_INTEGER,    /* bits; is_unsigned: written with U, or too large for .s64 */
    PTX_TOKEN_FLOAT,      /* bits; is_double */
    PTX_TOKEN_STRING,     /* text without its quotes, as it stands */
    PTX_TOKEN_SHIFT_LEFT, /* << */
    PTX_TOKEN_SHIFT_RIGHT,
    PTX_TOKEN_LESS_EQUAL,
    PTX_TOKEN_GREATER_EQUAL,
    PTX_TOKEN_EQUAL,
    PTX_TOKEN_NOT_EQUAL,
    PTX_TOKEN_BOTH,   /* && */
    PTX_TOKEN_EITHER, /* || */
    PTX_TOKEN_BAD     /* a number or string that is none */
};

struct ptx_token {
    int kind;
    bool is_double, is_unsigned;
    uint32_t line; /* from 1 */
    uint32_t hash; /* of WORD: ptx_hash(text, length) */
    size_t length;
    const char *text;
    uint64_t bits;
};

struct ptx_lexer {
    const char *at; /* NUL-terminated; after the token read last */
    uint32_t line;
    uint32_t open_comment; /* where a comment begins that has no end, which ends the text; or 0 */
};

void ptx_lex(struct ptx_lexer *lexer, struct ptx_token *token);

/* Goes over blanks and comments; returns the character that a token would begin with. */
char ptx_lex_peek(struct ptx_lexer *lexer);

/* Makes a WORD read last one with the modifiers that follow it at once: "mad.lo.s32". */
void ptx_lex_modifiers(struct ptx_lexer *lexer, struct ptx_token *token);

uint32_t ptx_hash(const char *text, size_t length);

#endif
