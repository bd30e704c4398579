/* Pieces of a function's text that are like others: the names that a piece defines get an end of their own, and lines go whose results
 * nobody wants, such as most of what each begins with.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "kernels/hash.h"
#include "kernels/ptx/native/native_flow.h"

struct name {
    const char *at; /* NULL: none is here */
    size_t bytes, uses;
};

struct line {
    const char *at;
    size_t bytes;
    struct name *defined; /* NULL: nothing */
    bool is_gone;
};

struct piece {
    struct line *lines;
    struct name *names; /* by hash */
    size_t line_count, room;
};

/* ---- Names ---- */

static size_t name_bytes(const char *from)
{
    size_t bytes = 0;
    while (isalnum((unsigned char)from[bytes]) || from[bytes] == '.' || from[bytes] == '_')
        bytes++;
    return bytes;
}

/* Where it is, or would be. */
static struct name *find(const struct piece *piece, const char *at, size_t bytes)
{
    size_t i = fnv_add(FNV_START, at, bytes) % piece->room;
    while (piece->names[i].at &&
           (piece->names[i].bytes != bytes || memcmp(piece->names[i].at, at, bytes) != 0))
        i = (i + 1) % piece->room;
    return &piece->names[i];
}

/* Those of ptx_native_emit() are each given once. */
static bool is_single(const struct name *name)
{
    return name->at[0] == 'v' && isdigit((unsigned char)name->at[1]);
}

/* "NAME:" and "  %NAME = ". */
static void define(struct piece *piece, struct line *line)
{
    const bool is_label = name_bytes(line->at) > 0;
    const char *at = is_label ? line->at : strncmp(line->at, "  %", 3) == 0 ? line->at + 3 : NULL;
    const size_t bytes = at ? name_bytes(at) : 0;
    const char *behind = is_label ? ":" : " = ";
    if (bytes == 0 || strncmp(at + bytes, behind, strlen(behind)) != 0)
        return;
    line->defined = find(piece, at, bytes);
    *line->defined = (struct name){at, bytes, is_label};
}

/* ---- Lines that nobody wants ---- */

static void count_uses(const struct piece *piece, const struct line *line, bool is_more)
{
    const char *const end = line->at + line->bytes;
    for (const char *at = line->at; at < end; at++) {
        struct name *name = *at == '%' ? find(piece, at + 1, name_bytes(at + 1)) : NULL;
        if (!name || !name->at || name == line->defined)
            continue;
        name->uses += is_more ? 1 : (size_t)-1;
    }
}

/* Does nothing but compute what it defines. */
static bool is_pure(const struct line *line)
{
    static const char *const words[] = {"add",           "sub",          "mul",
                                        "and",           "or",           "xor",
                                        "shl",           "lshr",         "ashr",
                                        "icmp",          "select",       "zext",
                                        "sext",          "trunc",        "bitcast",
                                        "inttoptr",      "ptrtoint",     "getelementptr",
                                        "load i",        "load <",       "extractelement",
                                        "insertelement", "shufflevector"};
    const char *const word = line->defined->at + line->defined->bytes + strlen(" = ");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(word, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

static void drop_unused(const struct piece *piece)
{
    for (size_t i = piece->line_count; i > 0; i--) {
        struct line *line = &piece->lines[i - 1];
        if (!line->defined || line->defined->uses > 0 || !is_pure(line))
            continue;
        line->is_gone = true;
        count_uses(piece, line, false);
    }
}

/* ---- The piece ---- */

static struct piece read_piece(struct ptx_arena *arena, const char *text)
{
    struct piece piece = {0};
    size_t count = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        count++;
    piece.room = 2 * count + 1;
    piece.lines = ptx_arena_array(arena, count + 1, sizeof *piece.lines);
    piece.names = ptx_arena_array(arena, piece.room, sizeof *piece.names);
    for (const char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        struct line *line = &piece.lines[piece.line_count++];
        *line = (struct line){at, (size_t)(end - at), NULL, false};
        define(&piece, line);
    }
    for (size_t i = 0; i < piece.line_count; i++)
        count_uses(&piece, &piece.lines[i], true);
    return piece;
}

static void write_line(const struct piece *piece, const struct line *line, struct ptx_text *to,
                       const char *suffix)
{
    const char *const end = line->at + line->bytes, *from = line->at;
    for (const char *at = line->at; at < end; at++) {
        const bool is_label = at == line->at && name_bytes(at) > 0;
        if (!is_label && *at != '%')
            continue;
        const char *const start = is_label ? at : at + 1;
        const struct name *name = find(piece, start, name_bytes(start));
        if (!name->at || is_single(name))
            continue;
        at = start + name->bytes;
        ptx_text_add(to, "%.*s%s", (int)(at - from), from, suffix);
        from = at--;
    }
    ptx_text_add(to, "%.*s\n", (int)(end - from), from);
}

/* What pieces behind it take from it. */
static void count_rows(const struct piece *piece, const struct ptx_native_kept *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *const at = rows[i].value + (rows[i].value[0] == '%');
        struct name *name = find(piece, at, name_bytes(at));
        name->uses += name->at != NULL;
    }
}

void ptx_native_end_piece(struct ptx_native *n, size_t start, const char *suffix)
{
    struct ptx_text *const to = n->flow->code;
    const struct piece piece =
        read_piece(n->e->arena, ptx_arena_text(n->e->arena, to->data + start, to->used - start));
    count_rows(&piece, n->flow->kept, n->flow->kept_count);
    count_rows(&piece, n->flow->late, n->flow->late_count);
    drop_unused(&piece);
    to->used = start;
    for (size_t i = 0; i < piece.line_count; i++)
        if (!piece.lines[i].is_gone)
            write_line(&piece, &piece.lines[i], to, suffix);
}
