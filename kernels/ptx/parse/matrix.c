/* Matrix instructions of a warp as what they are made of, read in their place: shuffles that bring each thread what its
 * elements of the result want, and products and sums of those, one after the other.
 * - mma.sync of f16, bf16, tf32, e4m3, e5m2, integers of 8, 4 and 1 bits, and f64, dense and sparse
 * - wmma of all shapes and types
 * - ldmatrix and stmatrix of 8 by 8 elements of .b16 in shared memory, movmatrix
 * Sums are of f32 where the hardware's are at least that exact; of f16 they are rounded at the end. Sums of integers and of
 * f64 are exact or rounded as CUDA says.
 *
 * Source: PTX ISA 9.0, Warp-level Matrix Instructions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/parse/matrix.h"

#include <string.h>

#include "kernels/ptx/parse/parse.h"

/* ---- Reading ---- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* One name or number, without blanks. NULL: it is none, or too long. */
static const char *read_name(const char *at, struct matrix_group *group)
{
    const size_t length = strcspn(at, " \t\r\n,{}[];");
    if (length == 0 || length >= MATRIX_NAME || group->count == MATRIX_REGISTERS)
        return NULL;
    memcpy(group->names[group->count], at, length);
    group->names[group->count++][length] = '\0';
    return skip_blanks(at + length);
}

/* What stands in brackets, without blanks. */
static const char *read_address(const char *at, struct matrix_group *group)
{
    char *name = group->names[group->count++];
    size_t length = 0;
    for (; *at != ']'; at++) {
        if (strchr(",{}[;", *at) || length + 1 == MATRIX_NAME)
            return NULL;
        if (!strchr(" \t\r\n", *at))
            name[length++] = *at;
    }
    name[length] = '\0';
    return skip_blanks(at + 1);
}

/* "{%r1, %r2}", "[%r1+16]", "%r3" */
static const char *read_group(const char *at, struct matrix_group *group)
{
    if (*at == '[')
        return read_address(at + 1, group);
    if (*at != '{')
        return read_name(at, group);
    at = read_name(skip_blanks(at + 1), group);
    while (at && *at == ',')
        at = read_name(skip_blanks(at + 1), group);
    return at && *at == '}' ? skip_blanks(at + 1) : NULL;
}

static const struct matrix_type *type_of(const char *word)
{
    static const struct matrix_type types[] = {
        {"f16", OF_F16, 16, NULL},  {"bf16", OF_BF16, 16, NULL},  {"tf32", OF_TF32, 32, NULL},
        {"e4m3", OF_E4M3, 8, NULL}, {"e5m2", OF_E5M2, 8, NULL},   {"s8", OF_BYTES, 8, "s32"},
        {"u8", OF_BYTES, 8, "u32"}, {"s4", OF_NIBBLES, 4, "s32"}, {"u4", OF_NIBBLES, 4, "u32"},
        {"b1", OF_BITS, 1, NULL},   {"f64", OF_F64, 64, NULL},    {"f32", OF_F32, 32, NULL},
        {"s32", OF_S32, 32, NULL}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].word, word) == 0)
            return &types[i];
    return NULL;
}

/* What a word says besides that it is there. */
static bool note_word(struct matrix *m, const char *word)
{
    const struct matrix_type *type = type_of(word);
    char behind;
    if (type && m->type_count == MATRIX_TYPES)
        return false;
    if (type)
        m->types[m->type_count++] = type;
    if (sscanf(word, "m%dn%dk%d%c", &m->high, &m->wide, &m->depth, &behind) != 3 && m->depth == 0)
        m->high = m->wide = 0;
    return true;
}

/* The words of an instruction, with dots or colons between. */
static const char *read_words(const char *at, struct matrix *m)
{
    for (;;) {
        const size_t length = strcspn(at, " \t\r\n{;[.:");
        if (length == 0 || length >= MATRIX_WORD || m->word_count == MATRIX_WORDS)
            return NULL;
        char *word = m->words[m->word_count++];
        memcpy(word, at, length);
        word[length] = '\0';
        if (!note_word(m, word))
            return NULL;
        at += length;
        if (*at != '.' && *at != ':')
            return skip_blanks(at);
        at += strspn(at, ".:");
    }
}

static bool read_matrix(struct matrix *m, const char *at)
{
    at = read_words(at, m);
    while (at && *at != ';') {
        if (m->count == MATRIX_GROUPS)
            return false;
        at = read_group(at, &m->groups[m->count++]);
        if (at && *at == ',')
            at = skip_blanks(at + 1);
        else if (at && *at != ';')
            return false;
    }
    return at != NULL;
}

/* ---- Reading in their place ---- */

enum { MOST_TEXT = 1024, MOST_BYTES = 65536 };

/* The instruction up to its semicolon, with blanks for comments. False: it is too long. */
static bool copy_statement(char text[MOST_TEXT], const char *at)
{
    size_t length = 0;
    while (length + 2 < MOST_TEXT && *at && *at != ';') {
        const bool is_line = at[0] == '/' && at[1] == '/', is_block = at[0] == '/' && at[1] == '*';
        if (!is_line && !is_block) {
            text[length++] = *at++;
            continue;
        }
        const char *end = strstr(at + 2, is_line ? "\n" : "*/");
        if (!end)
            return false;
        at = end + (is_line ? 1 : 2);
        text[length++] = ' ';
    }
    text[length] = ';';
    text[length + 1] = '\0';
    return *at == ';';
}

/* Behind "@p" or "@!p", which goes to `guard` as what leads past the instruction. */
static const char *read_guard(const char *at, struct matrix_group *guard, bool *is_negated)
{
    *is_negated = false;
    if (*at != '@')
        return at;
    at = skip_blanks(at + 1);
    *is_negated = *at == '!';
    return read_name(*is_negated ? skip_blanks(at + 1) : at, guard);
}

static bool is_matrix(const char *at)
{
    static const char *const words[] = {"mma.", "wmma.", "ldmatrix.", "stmatrix.", "movmatrix."};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Whether what stands in brackets begins with a register; then it is known whether that has 64 bits. Addresses of variables
 * change with a module's place, and are left to drivers. */
static bool read_address_register(struct ptx_parser *p, struct matrix *m)
{
    const bool is_store = ptx_matrix_has(m, "store") || strcmp(m->words[0], "stmatrix") == 0;
    if (m->count < 2 || m->groups[is_store ? 0 : 1].count != 1)
        return false;
    const char *name = m->groups[is_store ? 0 : 1].names[0];
    const size_t length = strcspn(name, "+");
    const char *kept = ptx_arena_text(&p->scratch, name, length); /* atoms point to their names */
    struct ptx_atom *atom = ptx_atom_of(p, kept, length, ptx_hash(kept, length));
    const struct ptx_binding *binding = ptx_look_up(p, atom);
    const struct ptx_register *registers = p->registers.items;
    if (!binding || binding->kind != PTX_BIND_REGISTER)
        return false;
    m->has_wide_address = ptx_type_bytes((enum ptx_type)registers[binding->index].type) == 8;
    return true;
}

static bool write_matrix(const struct matrix *m, FILE *out)
{
    const char *name = m->words[0];
    if (!ptx_matrix_has(m, "sync") || !ptx_matrix_has(m, "aligned"))
        return false;
    if (strcmp(name, "mma") == 0)
        return ptx_matrix_write_mma(m, out);
    if (strcmp(name, "wmma") == 0 && ptx_matrix_has(m, "mma"))
        return ptx_matrix_write_wmma_product(m, out);
    if (strcmp(name, "movmatrix") != 0 && !m->has_address)
        return false;
    return strcmp(name, "wmma") == 0 ? ptx_matrix_write_tiles(m, out)
                                     : ptx_matrix_write_rows(m, out);
}

/* The text of what they are made of, in the module's memory, as names in it are. NULL: another instruction, or a form that is
 * not known. All threads of a warp have the same guard. Nothing leaves by longjmp() while the file is open. */
static const char *expand(struct ptx_parser *p, const char *text)
{
    struct matrix m = {.count = 0};
    struct matrix_group guard = {.count = 0};
    bool is_negated;
    text = read_guard(text, &guard, &is_negated);
    if (!text || !read_matrix(&m, text))
        return NULL;
    m.has_address = read_address_register(p, &m);
    char *room = ptx_arena_take(&p->scratch, MOST_BYTES);
    FILE *out = fmemopen(room, MOST_BYTES, "w");
    if (!out)
        longjmp(p->scratch.out_of_memory, 1);
    if (guard.count)
        ptx_matrix_put(out, "{ @%s%s bra $past; ", is_negated ? "" : "!", guard.names[0]);
    const bool is_known = write_matrix(&m, out);
    if (guard.count)
        ptx_matrix_put(out, " $past: }");
    const bool is_whole = fflush(out) == 0 && ftell(out) < MOST_BYTES;
    fclose(out);
    if (!is_known || !is_whole)
        return NULL;
    const size_t bytes = strlen(room) + 1;
    return memcpy(ptx_arena_take(&p->module->arena, bytes), room, bytes);
}

/* The text that stands for the instruction at the token. NULL: it is no matrix instruction that is known. */
static const char *text_of(struct ptx_parser *p)
{
    struct matrix_group guard = {.count = 0};
    bool is_negated;
    const char *at = p->token.text;
    if (*at == '@')
        at = read_guard(at, &guard, &is_negated);
    char text[MOST_TEXT];
    if (!at || !is_matrix(at) || !copy_statement(text, p->token.text))
        return NULL;
    return expand(p, text);
}

bool ptx_read_matrix(struct ptx_parser *p, void (*read_statement)(struct ptx_parser *p))
{
    const char *text = text_of(p);
    if (!text)
        return false;
    while (p->token.kind != ';' && p->token.kind != PTX_TOKEN_END)
        ptx_next(p);
    ptx_expect(p, ';');
    const struct ptx_lexer lexer = p->lexer;
    const struct ptx_token token = p->token;
    const char *consumed = p->consumed;
    p->lexer = (struct ptx_lexer){.at = text, .line = lexer.line};
    ptx_next(p);
    while (p->token.kind != PTX_TOKEN_END)
        read_statement(p);
    p->lexer = lexer;
    p->token = token;
    p->consumed = consumed;
    return true;
}
