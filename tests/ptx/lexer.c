/* Tokens of PTX.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/parse/lexer.h"

#include <locale.h>
#include <string.h>

#include "tests/test.h"

static struct ptx_token first_token(const char *text)
{
    struct ptx_lexer lexer = {.at = text, .line = 1};
    struct ptx_token token;
    ptx_lex(&lexer, &token);
    return token;
}

TEST_BODY(ptx_lexer_reads_integers)
{
    static const struct {
        const char *text;
        uint64_t bits;
        bool is_unsigned;
    } rows[] = {{"0", 0, false},
                {"42", 42, false},
                {"0x1fU", 0x1f, true},
                {"017", 15, false},
                {"0b101", 5, false},
                {"0B11", 3, false},
                {"0XabCD", 0xabcd, false},
                {"9223372036854775807", INT64_MAX, false},
                {"9223372036854775808", UINT64_C(1) << 63, true},
                {"18446744073709551615", UINT64_MAX, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const struct ptx_token token = first_token(rows[i].text);
        assert_int_equal(token.kind, PTX_TOKEN_INTEGER);
        assert_int_equal(token.bits, rows[i].bits);
        assert_int_equal(token.is_unsigned, rows[i].is_unsigned);
        assert_int_equal(token.length, strlen(rows[i].text));
    }
}

TEST_BODY(ptx_lexer_reads_floats)
{
    struct ptx_token token = first_token("0f3F800000,");
    assert_int_equal(token.kind, PTX_TOKEN_FLOAT);
    assert_false(token.is_double);
    assert_int_equal(token.bits, 0x3f800000);
    token = first_token("0Dbff0000000000000;");
    assert_int_equal(token.kind, PTX_TOKEN_FLOAT);
    assert_true(token.is_double);
    assert_int_equal(token.bits, UINT64_C(0xbff0000000000000));
}

static double decimal(const char *text)
{
    const struct ptx_token token = first_token(text);
    double value;
    assert_int_equal(token.kind, PTX_TOKEN_FLOAT);
    memcpy(&value, &token.bits, sizeof value);
    return value;
}

TEST_BODY(ptx_lexer_reads_decimals_in_any_locale)
{
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it exists, its decimal point is a comma */
    assert_true(decimal("1.5") == 1.5);
    assert_true(decimal("0.1") == 0.1);
    assert_true(decimal("12e3") == 12e3);
    assert_true(decimal("6.02214076e+23") == 6.02214076e+23);
    assert_true(decimal("1.17549435e-38") == 1.17549435e-38);
    assert_true(decimal("1e9999999") > 1e308);
}

TEST_BODY(ptx_lexer_refuses_broken_numbers)
{
    static const char *const texts[] = {
        "0x",  "0f3F8", "0f3F80000000",         "0d00",  "0b2", "12a", "0xg",
        "089", "1.5x",  "18446744073709551616", "\"open"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        assert_int_equal(first_token(texts[i]).kind, PTX_TOKEN_BAD);
}

TEST_BODY(ptx_lexer_counts_lines_and_skips_comments)
{
    struct ptx_lexer lexer = {.at = "// one\n/* two\n three */ a\r\n\t%b /**/ .c", .line = 1};
    struct ptx_token token;
    ptx_lex(&lexer, &token);
    assert_int_equal(token.kind, PTX_TOKEN_WORD);
    assert_int_equal(token.line, 3);
    ptx_lex(&lexer, &token);
    assert_int_equal(token.line, 4);
    assert_int_equal(token.length, 2);
    assert_int_equal(token.hash, ptx_hash("%b", 2));
    ptx_lex(&lexer, &token);
    assert_int_equal(token.kind, PTX_TOKEN_DOT);
    ptx_lex(&lexer, &token);
    assert_int_equal(token.kind, PTX_TOKEN_END);
    ptx_lex(&lexer, &token);
    assert_int_equal(token.kind, PTX_TOKEN_END);
}

TEST_BODY(ptx_lexer_tells_words_and_signs_apart)
{
    struct ptx_lexer lexer = {.at = ".shared::cta $L_1: a<<b %r% 1>=2 .2d \"a\\\"b\"", .line = 1};
    static const int kinds[] = {PTX_TOKEN_DOT,
                                PTX_TOKEN_WORD,
                                ':',
                                PTX_TOKEN_WORD,
                                PTX_TOKEN_SHIFT_LEFT,
                                PTX_TOKEN_WORD,
                                PTX_TOKEN_WORD,
                                '%',
                                PTX_TOKEN_INTEGER,
                                PTX_TOKEN_GREATER_EQUAL,
                                PTX_TOKEN_INTEGER,
                                PTX_TOKEN_DOT,
                                PTX_TOKEN_STRING,
                                PTX_TOKEN_END};
    static const size_t lengths[] = {12, 4, 1, 1, 2, 1, 2, 1, 1, 2, 1, 3, 4, 0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        struct ptx_token token;
        ptx_lex(&lexer, &token);
        assert_int_equal(token.kind, kinds[i]);
        assert_int_equal(token.length, lengths[i]);
    }
}

TEST_BODY(ptx_lexer_ends_with_an_open_comment)
{
    assert_int_equal(first_token("/* never closed").kind, PTX_TOKEN_END);
    assert_int_equal(first_token("/*").kind, PTX_TOKEN_END);
    assert_int_equal(first_token("// no line end").kind, PTX_TOKEN_END);
}
