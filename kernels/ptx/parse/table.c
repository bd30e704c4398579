/* Tables that hold addresses of shared memory. clang writes the first value of a local array, where it is constant, as a
 * variable in global memory, and does so where it is made of such addresses, too, although each block has its own and PTX
 * allows none there. The array becomes one again: a .local variable of each function that names it, filled at its start.
 * SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES = 64, ELEMENTS = 512 };

struct table {
    const char *line, *end;    /* the declaration */
    const char *name, *values; /* in it: after the brace */
    int name_length;
    unsigned long count;
};

struct word {
    const char *text;
    size_t length;
};

struct tables {
    struct ptx_arena *arena;
    const char *text, *end;
    struct word *shared;
    size_t shared_count;
    struct table list[TABLES];
    size_t count;
    char *made;
    size_t made_bytes, room;
};

static void add(struct tables *t, const char *text, size_t bytes)
{
    if (t->made_bytes + bytes >= t->room) {
        t->room = 2 * t->room + bytes + 256;
        char *grown = ptx_arena_take(t->arena, t->room);
        if (t->made_bytes > 0)
            memcpy(grown, t->made, t->made_bytes);
        t->made = grown;
    }
    memcpy(t->made + t->made_bytes, text, bytes);
    t->made_bytes += bytes;
}

#define ADD_FORMAT(t, ...)                                                                         \
    do {                                                                                           \
        const char *added = ptx_arena_format((t)->arena, __VA_ARGS__);                             \
        add(t, added, strlen(added));                                                              \
    } while (0)

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

static const char *find(const char *at, const char *end, const char *what)
{
    const size_t length = strlen(what);
    for (; end - at >= (ptrdiff_t)length; ++at) {
        at = memchr(at, what[0], (size_t)(end - at) - length + 1);
        if (!at)
            return NULL;
        if (memcmp(at, what, length) == 0)
            return at;
    }
    return NULL;
}

/* The name as a word of its own. */
static const char *find_name(const char *at, const char *end, const char *name, int length)
{
    for (; end - at >= length; ++at) {
        at = memchr(at, name[0], (size_t)(end - at) - (size_t)length + 1);
        if (!at)
            return NULL;
        if (memcmp(at, name, (size_t)length) == 0 && !is_of_name(at[-1]) &&
            (at + length == end || !is_of_name(at[length])))
            return at;
    }
    return NULL;
}

static const char *name_end(const char *name)
{
    while (is_of_name(*name))
        ++name;
    return name;
}

/* What directives declare in shared memory: `.extern .shared .align 4 .b8 name[];`, at module scope or in functions. */
static void find_shared(struct tables *t)
{
    static const char space[] = ".shared ";
    size_t room = 0;
    for (const char *at = t->text; (at = find(at, t->end, space)) != NULL;) {
        const char *last = at += sizeof space - 1;
        for (; at < t->end && !strchr("[;=\n", *at); ++at)
            if (is_of_name(*at) && !is_of_name(at[-1]))
                last = at;
        t->shared = ptx_arena_grow(t->arena, t->shared, t->shared_count, &room, sizeof *t->shared);
        t->shared[t->shared_count++] = (struct word){last, (size_t)(name_end(last) - last)};
    }
}

static bool is_shared(const struct tables *t, struct word name)
{
    ptx_steps(t->arena, t->shared_count);
    for (size_t i = 0; i < t->shared_count; ++i)
        if (t->shared[i].length == name.length &&
            memcmp(t->shared[i].text, name.text, name.length) == 0)
            return true;
    return false;
}

static bool holds_shared(const struct tables *t, const char *values, const char *end)
{
    static const char generic[] = "generic(";
    while ((values = find(values, end, generic)) != NULL) {
        values += sizeof generic - 1;
        if (is_shared(t, (struct word){values, (size_t)(name_end(values) - values)}))
            return true;
    }
    return false;
}

/* Declarations as clang writes them: one to a line, of words of 64 bits, for this module alone. */
static void find_tables(struct tables *t)
{
    static const char start[] = ".global ";
    for (const char *line = t->text; line < t->end && t->count < TABLES;) {
        const char *end = line_end(line, t->end);
        const char *type =
            end - line > (ptrdiff_t)sizeof start && memcmp(line, start, sizeof start - 1) == 0
                ? find(line, end, ".u64 ")
                : NULL;
        const char *name = type ? type + sizeof ".u64 " - 1 : NULL;
        const char *after = name ? name_end(name) : NULL;
        const char *values =
            after && after > name && *after == '[' ? find(after, end, "] = {") : NULL;
        if (values && holds_shared(t, values, end)) {
            struct table *table = &t->list[t->count];
            *table = (struct table){line,
                                    end,
                                    name,
                                    values + sizeof "] = {" - 1,
                                    (int)(after - name),
                                    strtoul(after + 1, NULL, 10)};
            t->count += table->count <= ELEMENTS;
        }
        line = end;
    }
}

static bool names_table(const struct table *table, const char *at, const char *end)
{
    return find_name(at + 1, end, table->name, table->name_length) != NULL;
}

static void add_element(struct tables *t, const struct table *table, unsigned long index,
                        const char *value, int length)
{
    static const char generic[] = "generic(";
    const int head = sizeof generic - 1;
    if (length > head && memcmp(value, generic, sizeof generic - 1) == 0) {
        const char *name = value + head;
        const int name_length = (int)(name_end(name) - name);
        const int rest = length - head - name_length - 1;
        ADD_FORMAT(t, "mov.u64 %%clem_table, %.*s;\n", name_length, name);
        if (is_shared(t, (struct word){name, (size_t)name_length}))
            ADD_FORMAT(t, "cvta.shared.u64 %%clem_table, %%clem_table;\n");
        if (rest > 0)
            ADD_FORMAT(t, "add.s64 %%clem_table, %%clem_table, %.*s;\n", rest,
                       name + name_length + 1);
    } else
        ADD_FORMAT(t, "mov.u64 %%clem_table, %.*s;\n", length, value);
    ADD_FORMAT(t, "st.local.u64 [%.*s_of_thread+%lu], %%clem_table;\n", table->name_length,
               table->name, 8 * index);
}

static void add_table(struct tables *t, const struct table *table)
{
    ADD_FORMAT(t, ".local .align 8 .b8 %.*s_of_thread[%lu];\n", table->name_length, table->name,
               8 * table->count);
    const char *value = table->values;
    for (unsigned long i = 0; i < table->count; ++i) {
        while (*value == ' ' || *value == ',')
            ++value;
        int length = 0;
        while (value + length < table->end && !strchr(",}\n", value[length]))
            ++length;
        add_element(t, table, i, length > 0 ? value : "0", length > 0 ? length : 1);
        value += length;
    }
}

/* A load that was of global memory is of any. */
static void add_load(struct tables *t, const char *line, const char *end, const char *space)
{
    static const char load[] = "ld.global", cached[] = ".nc";
    const char *at = find(line, end, load);
    if (at) {
        add(t, line, (size_t)(at - line));
        add(t, "ld", 2);
        add(t, space, strlen(space));
        line = at + sizeof load - 1;
        if (strncmp(line, cached, sizeof cached - 1) == 0)
            line += sizeof cached - 1;
    }
    add(t, line, (size_t)(end - line));
}

static void add_line(struct tables *t, const char *line, const char *end)
{
    const struct table *table = NULL;
    for (size_t i = 0; i < t->count && !table; ++i)
        table = names_table(&t->list[i], line, end) ? &t->list[i] : NULL;
    if (!table) {
        add_load(t, line, end, "");
        return;
    }
    const char *name = find_name(line + 1, end, table->name, table->name_length);
    const char *after = name + table->name_length;
    add_load(t, line, after, name[-1] == '[' ? ".local" : "");
    add(t, "_of_thread", sizeof "_of_thread" - 1);
    add(t, after, (size_t)(end - after));
    const char *number = find(line, name, "%");
    if (name[-1] != '[' && number && find(line, number, "mov.u64"))
        ADD_FORMAT(t, "cvta.local.u64 %.*s, %.*s;\n", (int)(name_end(number) - number), number,
                   (int)(name_end(number) - number), number);
}

static void add_body(struct tables *t, const char *body, const char *end)
{
    bool names[TABLES] = {false}, names_any = false, is_begun = false;
    ptx_steps(t->arena, (uint64_t)(end - body) * t->count);
    for (size_t i = 0; i < t->count; ++i)
        names_any |= names[i] = names_table(&t->list[i], body, end);
    if (!names_any) {
        add(t, body, (size_t)(end - body));
        return;
    }
    for (const char *line = body; line < end;) {
        const char *next = line_end(line, end), *first = line;
        while (first < next && (*first == ' ' || *first == '\t'))
            ++first;
        if (!is_begun && !strchr(".{/\n", *first)) {
            is_begun = true;
            ADD_FORMAT(t, ".reg .b64 %%clem_table;\n");
            for (size_t i = 0; i < t->count; ++i)
                if (names[i])
                    add_table(t, &t->list[i]);
        }
        add_line(t, line, next);
        line = next;
    }
}

const char *ptx_without_shared_tables(struct ptx_arena *arena, const char *text, size_t bytes)
{
    if (!find(text, text + bytes, "= {generic(") && !find(text, text + bytes, ", generic("))
        return text;
    struct tables *t = ptx_arena_take(arena, sizeof *t);
    *t = (struct tables){.arena = arena, .text = text, .end = text + bytes};
    find_shared(t);
    find_tables(t);
    if (t->count == 0)
        return text;
    for (const char *line = text; line < t->end;) {
        const char *next = line_end(line, t->end);
        bool is_table = false;
        for (size_t i = 0; i < t->count; ++i)
            is_table |= line == t->list[i].line;
        if (*line == '{') {
            const char *close = find(line, t->end, "\n}");
            next = close ? close + 1 : t->end;
            add_body(t, line, next);
        } else if (!is_table)
            add(t, line, (size_t)(next - line));
        line = next;
    }
    add(t, "", 1);
    return t->made;
}
