/* How far words, quotes, comments and brackets of C++ go in a text.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "facade/tools/clemcc.h"

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *source_behind_quote(const char *at)
{
    const char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

static const char *behind_text(const char *at, const char *end)
{
    const char *const found = strstr(at, end);
    return found ? found + strlen(end) : at + strlen(at);
}

/* R"x(...)x", whose quote stands here. */
static const char *behind_raw(const char *at)
{
    char end[24] = ")";
    const size_t length = strcspn(at + 1, "(");
    if (!at[1 + length] || length + 3 > sizeof end)
        return source_behind_quote(at);
    memcpy(end + 1, at + 1, length);
    memcpy(end + 1 + length, "\"", 2);
    return behind_text(at + length, end);
}

static bool begins_comment(const char *at)
{
    return *at == '/' && (at[1] == '*' || at[1] == '/');
}

static const char *behind_comment(const char *at)
{
    return at[1] == '*' ? behind_text(at + 2, "*/") : at + strcspn(at, "\n");
}

const char *source_behind_blanks(const char *at)
{
    while (isspace((unsigned char)*at) || begins_comment(at))
        at = begins_comment(at) ? behind_comment(at) : at + 1;
    return at;
}

/* Whether a sign stands between the digits of a number, as in 1'000, which begins behind `start`. */
static bool is_in_number(const char *start, const char *at)
{
    const char *first = at;
    while (first > start && (is_of_name(first[-1]) || first[-1] == '\''))
        --first;
    return *at == '\'' && first < at && isdigit((unsigned char)*first);
}

static bool is_raw(const char *start, const char *at)
{
    return *at == '"' && at > start && at[-1] == 'R';
}

/* Behind what begins here: a quote or a comment as a whole, or one character. */
static const char *behind_piece(const char *start, const char *at)
{
    if (begins_comment(at))
        return behind_comment(at);
    if (is_raw(start, at))
        return behind_raw(at);
    if ((*at == '"' || *at == '\'') && !is_in_number(start, at))
        return source_behind_quote(at);
    return at + 1;
}

/* Before the comment that a line ends with, if there is one. */
static const char *before_line_comment(const char *start, const char *end)
{
    const char *at = end;
    while (at > start && at[-1] != '\n')
        --at;
    for (; at < end; at = behind_piece(start, at))
        if (at[0] == '/' && at[1] == '/')
            return at;
    return end;
}

static const char *before_comment(const char *start, const char *end)
{
    const char *at = end - 4;
    if (end - start < 4 || memcmp(end - 2, "*/", 2) != 0)
        return end;
    while (at > start && memcmp(at, "/*", 2) != 0)
        --at;
    return memcmp(at, "/*", 2) == 0 ? at : end;
}

const char *source_before_blanks(const char *start, const char *at)
{
    for (const char *last = NULL; at != last;) {
        last = at;
        while (at > start && isspace((unsigned char)at[-1]))
            at = *--at == '\n' ? before_line_comment(start, at) : at;
        at = before_comment(start, at);
    }
    return at;
}

/* Behind brackets that begin here; NULL: they have no end. */
static const char *behind_brackets(const char *start, const char *at)
{
    int depth = 0;
    while (*at) {
        depth += strchr("([{", *at) ? 1 : strchr(")]}", *at) ? -1 : 0;
        if (depth == 0)
            return at + 1;
        at = behind_piece(start, at);
    }
    return NULL;
}

/* Whether a name stands before this place. */
static bool follows_name(const char *start, const char *at)
{
    const char *first = at = source_before_blanks(start, at);
    while (first > start && is_of_name(first[-1]))
        --first;
    return first < at && !isdigit((unsigned char)*first);
}

/* Behind template arguments that begin here, as far as a text can tell; NULL: what stands here compares. */
static const char *behind_angles(const char *start, const char *at)
{
    int depth = 0;
    if (*at != '<' || !follows_name(start, at))
        return NULL;
    while (at && *at && !strchr(";)]}", *at) && strncmp(at, "&&", 2) != 0) {
        const bool is_operator = !strncmp(at, "->", 2) || !strncmp(at, "<=", 2) ||
                                 !strncmp(at, ">=", 2) || !strncmp(at, "<<", 2);
        if (is_operator) {
            at += 2;
            continue;
        }
        if (depth < 3 && !strncmp(at, ">>>", 3))
            return NULL;
        depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
        if (depth == 0) {
            const char *const next = source_behind_blanks(at + 1);
            const bool is_list =
                strchr("({,)", *next) || !strncmp(next, "::", 2) || !strncmp(next, ">>>", 3);
            return is_list ? at + 1 : NULL;
        }
        at = strchr("([{", *at) ? behind_brackets(start, at) : behind_piece(start, at);
    }
    return NULL;
}

const char *source_find_end(const char *at, const char *ends, const char *whole)
{
    const char *const start = at;
    while (at && *at) {
        if (strchr(ends, *at) || (whole && !strncmp(at, whole, strlen(whole))))
            return at;
        if (strchr(")]}", *at))
            return NULL;
        const char *const angles = behind_angles(start, at);
        at = angles               ? angles
             : strchr("([{", *at) ? behind_brackets(start, at)
                                  : behind_piece(start, at);
    }
    return NULL;
}

/* Before the template arguments that end here, if there are any. What stands in parentheses there compares as it likes. */
static const char *before_angles(const char *start, const char *at)
{
    int depth = 0, inner = 0;
    if (at == start || at[-1] != '>')
        return at;
    while (at > start) {
        --at;
        inner += *at == ')' ? 1 : *at == '(' ? -1 : 0;
        depth += inner != 0 ? 0 : *at == '>' ? 1 : *at == '<' ? -1 : 0;
        if (depth == 0)
            return source_before_blanks(start, at);
    }
    return at;
}

/* Whether a word ends here that no name goes on behind: else ::kernel<<<1, 1>>>(). */
static bool ends_in_keyword(const char *start, const char *at)
{
    static const char *const words[] = {"else", "return", "do"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if ((size_t)(at - start) >= length && !memcmp(at - length, words[i], length) &&
            ((size_t)(at - start) == length || !is_of_name(at[-(ptrdiff_t)length - 1])))
            return true;
    }
    return false;
}

const char *source_name_start(const char *start, const char *at)
{
    for (;;) {
        at = before_angles(start, at);
        while (at > start && is_of_name(at[-1]))
            --at;
        const char *const colons = source_before_blanks(start, at);
        if (colons - start < 2 || colons[-1] != ':' || colons[-2] != ':')
            return at;
        at = source_before_blanks(start, colons - 2);
        if (at == start || !(is_of_name(at[-1]) || at[-1] == '>') || ends_in_keyword(start, at))
            return colons - 2;
    }
}
