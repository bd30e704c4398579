/* Which definitions of the library a text needs. The library is cut into definitions once in a
 * process; each knows the names it defines and those it uses.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/analyse/plan.h"
#include "kernels/ptx/library/library.h"

/* ---- Cutting ---- */

struct piece {
    const char *text;
    size_t bytes;
    uint32_t *uses; /* indices of pieces, each once */
    uint32_t use_count;
};

struct name {
    const char *text;
    size_t bytes;
    uint32_t piece;
};

/* Lives as long as the process, and is not changed after it was made. */
static struct {
    struct piece *pieces;
    size_t piece_count, piece_capacity;
    struct name *names; /* open addressing; text NULL: free */
    size_t name_capacity;
    bool is_whole;
} library;

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The end of a definition that begins at `text`: before a blank line that is followed by something
 * in column 0, but never within #if ... #endif. */
static const char *end_of_piece(const char *text)
{
    int depth = 0;
    for (const char *line = text; *line;) {
        const char *next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        depth += strncmp(line, "#if", 3) == 0;
        depth -= strncmp(line, "#endif", 6) == 0;
        if (depth == 0 && *next == '\n' && next[1] != ' ' && next[1] != '\t')
            return next;
        line = next;
    }
    return text + strlen(text);
}

static bool add_piece(const char *text, size_t bytes)
{
    if (library.piece_count == library.piece_capacity) {
        const size_t capacity = library.piece_capacity ? 2 * library.piece_capacity : 256;
        struct piece *grown = realloc(library.pieces, capacity * sizeof *grown);
        if (!grown)
            return false;
        library.pieces = grown;
        library.piece_capacity = capacity;
    }
    library.pieces[library.piece_count++] = (struct piece){.text = text, .bytes = bytes};
    return true;
}

static bool cut(const char *text)
{
    while (*text) {
        const char *end = end_of_piece(text);
        if (!add_piece(text, (size_t)(end - text)))
            return false;
        for (text = end; *text == '\n';)
            text++;
    }
    return true;
}

/* ---- Names ---- */

static struct name *slot_of(const char *text, size_t bytes)
{
    size_t hash = 5381;
    for (size_t i = 0; i < bytes; i++)
        hash = hash * 33 + (unsigned char)text[i];
    const size_t mask = library.name_capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct name *slot = &library.names[i];
        if (!slot->text || (slot->bytes == bytes && memcmp(slot->text, text, bytes) == 0))
            return slot;
    }
}

/* Behind the comment that begins at c, or c itself. */
static const char *skip_comment(const char *c, const char *end)
{
    if (end - c < 2 || c[0] != '/' || c[1] != '*')
        return c;
    for (c += 2; c < end; c++)
        if (c[0] == '/' && c[-1] == '*')
            return c + 1;
    return end;
}

/* The next word from *text on that begins with clem_ or CLEM_ and stands in no comment; its length,
 * or 0 at the end. */
static size_t next_word(const char **text, const char *end)
{
    const char *c = *text;
    while ((c = skip_comment(c, end)) < end) {
        const char *start = c;
        while (c < end && is_word(*c))
            c++;
        const size_t length = (size_t)(c - start);
        if (length > 5 && (memcmp(start, "clem_", 5) == 0 || memcmp(start, "CLEM_", 5) == 0)) {
            *text = start;
            return length;
        }
        if (c < end && length == 0)
            c++;
    }
    return 0;
}

/* Whether the word at `word` is being defined where it stands in a line of column 0: the name of a
 * macro, of a typedef (the last word), of a function (before a bracket), or of a structure. */
static bool is_defined_here(const char *line, const char *word, size_t length, const char *end)
{
    const char *behind = word + length;
    if (strncmp(line, "#define", 7) == 0)
        return word == line + 8;
    if (line[0] == '#' || line[0] == '/' || line[0] == ' ' || line[0] == '*')
        return false;
    if (strncmp(line, "typedef", 7) == 0)
        return behind < end && (*behind == ';' || strncmp(behind, " __attribute__", 14) == 0);
    for (const char *c = line; c < word; c++)
        if (*c == '(' && strncmp(c - 13 < line ? line : c - 13, "__attribute__", 13) != 0)
            return false;
    const bool is_function = behind < end && *behind == '(';
    const bool is_structure = behind + 1 < end && behind[0] == ' ' && behind[1] == '{';
    const bool is_constant = strncmp(line, "__constant", 10) == 0;
    return is_function || is_structure || is_constant;
}

static void define_name(const char *word, size_t length, uint32_t index)
{
    struct name *slot = slot_of(word, length);
    if (!slot->text)
        *slot = (struct name){.text = word, .bytes = length, .piece = index};
}

/* In column 0 a definition names itself, or the comment before it does that was made by a macro:
 * "Defines clem_x clem_y". */
static void define_names(uint32_t index)
{
    const struct piece *piece = &library.pieces[index];
    const char *end = piece->text + piece->bytes;
    for (const char *line = piece->text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        const bool is_list = strncmp(line, "/* Defines ", 11) == 0;
        size_t length;
        for (const char *word = line + (is_list ? 3 : 0); (length = next_word(&word, stop)) > 0;
             word += length) {
            if (is_list || is_defined_here(line, word, length, stop))
                define_name(word, length, index);
        }
        line = stop + 1;
    }
}

/* ---- Uses ---- */

static bool find_uses(uint32_t index, uint32_t *seen, uint32_t *room)
{
    struct piece *piece = &library.pieces[index];
    const char *end = piece->text + piece->bytes;
    size_t length;
    for (const char *word = piece->text; (length = next_word(&word, end)) > 0; word += length) {
        const struct name *slot = slot_of(word, length);
        if (!slot->text || slot->piece == index || seen[slot->piece] == index + 1)
            continue;
        seen[slot->piece] = index + 1;
        room[piece->use_count++] = slot->piece;
    }
    if (piece->use_count == 0)
        return true;
    piece->uses = malloc(piece->use_count * sizeof *piece->uses);
    if (piece->uses)
        memcpy(piece->uses, room, piece->use_count * sizeof *room);
    return piece->uses != NULL;
}

static bool find_all_uses(void)
{
    uint32_t *seen = calloc(library.piece_count + 1, sizeof *seen);
    uint32_t *room = calloc(library.piece_count + 1, sizeof *room);
    bool is_found = seen && room;
    for (uint32_t i = 0; is_found && i < library.piece_count; i++)
        is_found = find_uses(i, seen, room);
    free(seen);
    free(room);
    return is_found;
}

static void index_library(void)
{
    size_t bytes = 0;
    for (const struct kernel_source *s = ptx_library_sources; s->name; s++) {
        bytes += s->bytes;
        if (!cut(s->text))
            return;
    }
    library.name_capacity = 1024;
    while (library.name_capacity < bytes / 16)
        library.name_capacity *= 2;
    library.names = calloc(library.name_capacity, sizeof *library.names);
    if (!library.names)
        return;
    for (uint32_t i = 0; i < library.piece_count; i++)
        define_names(i);
    library.is_whole = find_all_uses();
}

const char *ptx_library_find(struct ptx_emitter *e, const char *name)
{
    pthread_once(&library_once, index_library);
    if (!library.is_whole)
        longjmp(e->arena->out_of_memory, 1);
    return slot_of(name, strlen(name))->text;
}

/* ---- Linking ---- */

struct linking {
    struct ptx_text *whole;
    bool *is_put;
};

/* Definitions before their users. The library has no cycles. */
static void put_piece(struct linking *l, uint32_t index)
{
    if (l->is_put[index])
        return;
    l->is_put[index] = true;
    const struct piece *piece = &library.pieces[index];
    for (uint32_t i = 0; i < piece->use_count; i++)
        put_piece(l, piece->uses[i]);
    ptx_text_add(l->whole, "%.*s\n", (int)piece->bytes, piece->text);
}

void ptx_link(struct ptx_emitter *e, struct ptx_text *whole, const char *text)
{
    pthread_once(&library_once, index_library);
    if (!library.is_whole)
        longjmp(e->arena->out_of_memory, 1);
    struct linking l = {.whole = whole};
    l.is_put = ptx_arena_array(e->arena, library.piece_count, sizeof *l.is_put);
    const char *end = text + strlen(text);
    size_t length;
    for (const char *word = text; (length = next_word(&word, end)) > 0; word += length) {
        const struct name *slot = slot_of(word, length);
        if (slot->text)
            put_piece(&l, slot->piece);
    }
}
