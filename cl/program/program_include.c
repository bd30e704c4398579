/* The device header in users' OpenCL C: drivers get programs as one text, without folders to look
 * for included files in.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/program_include.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"

/* The embedded text is all of them. */
static const char *const names[] = {"clem_device.h",  "clem_texture.h",  "clem_surface.h",
                                    "clem_symbols.h", "clem_sampling.h", "clem_texture_facts.h"};

/* Where a scan is: at a character, in a line of the user's. */
struct scan {
    const char *at, *end;
    unsigned long line; /* from 1 on */
    bool is_in_comment; /* that goes over several lines */
};

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Behind word, or NULL when it does not stand there. */
static const char *skip_word(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

static bool is_ours(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

/* Whether the line is a directive that includes one of ours. */
static bool includes_ours(const char *line, const char *end)
{
    const char *at = skip_blanks(line, end);
    if (at == end || *at++ != '#')
        return false;
    at = skip_word(skip_blanks(at, end), end, "include");
    at = at ? skip_blanks(at, end) : NULL;
    if (!at || at == end || (*at != '"' && *at != '<'))
        return false;
    const char closing = *at++ == '"' ? '"' : '>';
    const char *close = memchr(at, closing, (size_t)(end - at));
    return close && is_ours(at, (size_t)(close - at));
}

/* Whether a comment that began in the line, or before it, goes on in the next one. Texts in quotes
 * may hold what looks like one; they end in their line. */
static bool ends_in_comment(const char *line, const char *end, bool is_in_comment)
{
    char quote = '\0';
    for (const char *at = line; at < end; at++) {
        const char next = at + 1 < end ? at[1] : '\0';
        if (is_in_comment) {
            is_in_comment = !(*at == '*' && next == '/');
            at += !is_in_comment;
        } else if (quote) {
            at += *at == '\\';
            quote = at < end && *at == quote ? '\0' : quote;
        } else if (*at == '/' && next == '/') {
            return false;
        } else if (*at == '/' && next == '*') {
            is_in_comment = true;
            at++;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        }
    }
    return is_in_comment;
}

static void write_header(FILE *stream, unsigned long next_line)
{
    fwrite(kernel_device_header.text, 1, kernel_device_header.bytes, stream);
    fprintf(stream, "\n#line %lu \"program.cl\"\n", next_line);
}

/* Writes one line, or the header in its place. */
static void write_line(FILE *stream, struct scan *scan, bool *has_header)
{
    const char *line = scan->at;
    const char *newline = memchr(line, '\n', (size_t)(scan->end - line));
    const char *end = newline ? newline : scan->end;
    scan->line++;
    scan->at = newline ? newline + 1 : scan->end;
    if (!scan->is_in_comment && includes_ours(line, end)) {
        write_header(stream, scan->line);
        *has_header = true;
        return;
    }
    fwrite(line, 1, (size_t)(scan->at - line), stream);
    scan->is_in_comment = ends_in_comment(line, end, scan->is_in_comment);
}

static char *expand(const char *text, size_t *bytes, bool *has_header)
{
    char *made = NULL;
    size_t made_bytes = 0;
    struct scan scan = {.at = text, .end = text + *bytes, .line = 1};
    FILE *stream = open_memstream(&made, &made_bytes);
    if (!stream)
        return NULL;
    while (scan.at < scan.end)
        write_line(stream, &scan, has_header);
    if (fclose(stream) == 0) {
        *bytes = made_bytes;
        return made;
    }
    free(made);
    return NULL;
}

static char *copy_text(const char *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    if (copy) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
    }
    return copy;
}

char *ocl_program_include(const char *text, size_t *bytes, bool *has_header)
{
    static const char hint[] =
        "clem_"; /* most programs have none: they are not looked at further */
    *has_header = false;
    return memmem(text, *bytes, hint, sizeof hint - 1) ? expand(text, bytes, has_header)
                                                       : copy_text(text, *bytes);
}
