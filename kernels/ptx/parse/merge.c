/* Several PTX texts as one, as a linker would make of them: what one declares .extern and another
 * defines becomes one thing, and names that are private to their texts stay apart.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/base/budget.h"
#include "kernels/ptx/parse/lexer.h"
#include "kernels/ptx/ptx.h"

/* From the strongest claim to a name to the weakest; the same order decides which one stays. */
enum linkage { LINK_GLOBAL, LINK_WEAK, LINK_COMMON, LINK_LOCAL, LINK_EXTERN };

static const char *const linkage_words[] = {".visible", ".weak", ".common", "", ".extern"};

/* A declaration or definition at the top level of a text. */
struct statement {
    const char *start, *end;
    const char *name; /* not terminated */
    size_t name_length;
    uint32_t hash;
    enum linkage linkage;
    bool is_function, is_entry, has_body;
    bool is_dropped;
    const char *new_name; /* NULL where it keeps its own */
    size_t text;          /* which of the texts */
    struct statement *next;
    const struct statement *next_renamed; /* of its text */
};

/* Debug information at the top level of a text that stays: .file, or a section .debug_str. */
struct debug {
    const char *start, *end;
    size_t text;
    struct debug *next;
};

/* All statements of one name. */
struct symbol {
    struct statement *definition; /* the one that stays, or NULL */
    struct statement *prototype;  /* of a function: the first without a body */
};

/* Symbols by name: open addressing. */
struct table {
    struct symbol **slots;
    size_t capacity, count; /* capacity: a power of 2, or 0 */
};

struct version {
    unsigned long major, minor;
};

struct merge {
    struct ptx_arena arena;
    struct ptx_budget budget;
    struct ptx_log *log;
    const char *const *names; /* of the texts */
    struct statement *statements, **last;
    struct debug *debug, **last_debug;
    uint64_t *
        files; /* per text: the largest number of its .file; later those of all texts before it, added */
    struct table symbols; /* names that all texts share */
    struct table locals;  /* private ones that kept their names */
    const char *target;
    size_t target_length;
    struct version version; /* the newest */
};

/* --- reading ---------------------------------------------------------------------------------- */

static bool is_dot(const struct ptx_token *token, const char *word)
{
    return token->kind == PTX_TOKEN_DOT && token->length == strlen(word) &&
           memcmp(token->text, word, token->length) == 0;
}

static void note_word(struct statement *statement, const struct ptx_token *token)
{
    for (int i = LINK_GLOBAL; i <= LINK_EXTERN; i++)
        if (i != LINK_LOCAL && is_dot(token, linkage_words[i]))
            statement->linkage = (enum linkage)i;
    if (is_dot(token, ".entry"))
        statement->is_entry = statement->is_function = true;
    if (is_dot(token, ".func"))
        statement->is_function = true;
}

static void note_name(struct statement *statement, const struct ptx_token *token)
{
    if (token->kind != PTX_TOKEN_WORD || statement->name != NULL)
        return;
    statement->name = token->text;
    statement->name_length = token->length;
    statement->hash = token->hash;
}

/* Reads on from the statement's first token to its end: a semicolon, or the brace that closes a
 * function's body. The first word outside brackets is the name. False: the text ends before. */
static bool read_statement(struct ptx_lexer *lexer, struct ptx_token token,
                           struct statement *statement)
{
    int parentheses = 0, braces = 0;
    for (; token.kind != PTX_TOKEN_END; ptx_lex(lexer, &token)) {
        parentheses += (token.kind == '(') - (token.kind == ')');
        braces += (token.kind == '{') - (token.kind == '}');
        if (parentheses == 0 && braces == 0) {
            note_word(statement, &token);
            note_name(statement, &token);
        }
        const bool ends_body = token.kind == '}' && statement->is_function;
        if (braces == 0 && (token.kind == ';' || ends_body)) {
            statement->has_body = ends_body;
            break;
        }
    }
    statement->end = lexer->at;
    if (statement->is_entry)
        statement->linkage = LINK_GLOBAL;
    return token.kind != PTX_TOKEN_END;
}

static void read_target(struct merge *merge, struct ptx_lexer *lexer)
{
    struct ptx_token token;
    ptx_lex(lexer, &token);
    const char *start = token.text;
    while (ptx_lex_peek(lexer) == ',') {
        ptx_lex(lexer, &token);
        ptx_lex(lexer, &token);
    }
    if (merge->target == NULL) {
        merge->target = start;
        merge->target_length = (size_t)(token.text + token.length - start);
    }
}

static void read_version(struct merge *merge, struct ptx_lexer *lexer)
{
    struct ptx_token token;
    ptx_lex(lexer, &token);
    if (token.text == NULL)
        return;
    /* No floating-point number: its point is the locale's. */
    char *end;
    struct version version = {strtoul(token.text, &end, 10), 0};
    if (*end == '.' && isdigit((unsigned char)end[1]))
        version.minor = strtoul(end + 1, NULL, 10);
    if (version.major > merge->version.major ||
        (version.major == merge->version.major && version.minor > merge->version.minor))
        merge->version = version;
}

static void add_debug(struct merge *merge, const char *start, const char *end, size_t text)
{
    struct debug *made = ptx_arena_take(&merge->arena, sizeof *made);
    *made = (struct debug){start, end, text, NULL};
    *merge->last_debug = made;
    merge->last_debug = &made->next;
}

/* .file 1 "folder" "name", 2, 3: from behind the first word on. The folder is clang's. */
static void read_file(struct merge *merge, struct ptx_lexer *lexer, const char *start, size_t text)
{
    struct ptx_token number, token;
    ptx_lex(lexer, &number);
    ptx_lex(lexer, &token);
    bool is_whole = number.kind == PTX_TOKEN_INTEGER && token.kind == PTX_TOKEN_STRING;
    if (is_whole && ptx_lex_peek(lexer) == '"')
        ptx_lex(lexer, &token);
    while (ptx_lex_peek(lexer) == ',') {
        ptx_lex(lexer, &token);
        ptx_lex(lexer, &token);
        is_whole &= token.kind == PTX_TOKEN_INTEGER;
    }
    if (!is_whole)
        return;
    add_debug(merge, start,
              token.text + token.length + (token.kind == PTX_TOKEN_STRING), /* its quote */
              text);
    if (number.bits > merge->files[text])
        merge->files[text] = number.bits;
}

static void read_section(struct merge *merge, struct ptx_lexer *lexer, const char *start,
                         size_t text)
{
    struct ptx_token token;
    ptx_lex(lexer, &token);
    const bool has_strings = is_dot(&token, ".debug_str");
    while (token.kind != '}' && token.kind != PTX_TOKEN_END)
        ptx_lex(lexer, &token);
    if (has_strings && token.kind == '}')
        add_debug(merge, start, lexer->at, text);
}

/* True: token began a directive, which has no end of its own, and that is read. */
static bool read_directive(struct merge *merge, struct ptx_lexer *lexer,
                           const struct ptx_token *token, size_t text)
{
    struct ptx_token unused;
    if (is_dot(token, ".version"))
        read_version(merge, lexer);
    else if (is_dot(token, ".target"))
        read_target(merge, lexer);
    else if (is_dot(token, ".address_size"))
        ptx_lex(lexer, &unused);
    else if (is_dot(token, ".file"))
        read_file(merge, lexer, token->text, text);
    else if (is_dot(token, ".section"))
        read_section(merge, lexer, token->text, text);
    else
        return false;
    return true;
}

/* What a text does not end would go on in the next one. */
static enum ptx_status refuse_open(struct merge *merge, size_t text, uint32_t line,
                                   const char *what)
{
    if (asprintf(&merge->log->text, "%s, line %u: %s without an end", merge->names[text],
                 (unsigned)line, what) < 0)
        merge->log->text = NULL;
    return PTX_E_SYNTAX;
}

static enum ptx_status read_text(struct merge *merge, const char *text, size_t index)
{
    struct ptx_lexer lexer = {.at = text, .line = 1};
    struct ptx_token token;
    for (ptx_lex(&lexer, &token); token.kind != PTX_TOKEN_END; ptx_lex(&lexer, &token)) {
        if (token.kind == ';' || read_directive(merge, &lexer, &token, index))
            continue;
        struct statement *statement = ptx_arena_take(&merge->arena, sizeof *statement);
        statement->start = token.text;
        statement->linkage = LINK_LOCAL;
        statement->text = index;
        if (!read_statement(&lexer, token, statement) && !lexer.open_comment)
            return refuse_open(merge, index, token.line, "a statement");
        *merge->last = statement;
        merge->last = &statement->next;
    }
    return lexer.open_comment ? refuse_open(merge, index, lexer.open_comment, "a comment") : PTX_OK;
}

/* --- names ------------------------------------------------------------------------------------ */

static const struct statement *any_of(const struct symbol *symbol)
{
    return symbol->definition != NULL ? symbol->definition : symbol->prototype;
}

static bool has_name(const struct statement *statement, const char *name, size_t length,
                     uint32_t hash)
{
    return statement->hash == hash && statement->name_length == length &&
           memcmp(statement->name, name, length) == 0;
}

/* Where a name is, or where it would stand. Needs: the table has free slots. */
static size_t slot_of(const struct table *table, const char *name, size_t length, uint32_t hash)
{
    size_t slot = hash & (table->capacity - 1);
    while (table->slots[slot] != NULL && !has_name(any_of(table->slots[slot]), name, length, hash))
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

static struct symbol *find(const struct table *table, const struct statement *statement)
{
    return table->capacity > 0 ? table->slots[slot_of(table, statement->name,
                                                      statement->name_length, statement->hash)]
                               : NULL;
}

static void grow(struct merge *merge, struct table *table)
{
    struct table larger = {.capacity = table->capacity > 0 ? 2 * table->capacity : 256,
                           .count = table->count};
    larger.slots = ptx_arena_array(&merge->arena, larger.capacity, sizeof(struct symbol *));
    for (size_t i = 0; i < table->capacity; i++) {
        const struct statement *any = table->slots[i] != NULL ? any_of(table->slots[i]) : NULL;
        if (any != NULL)
            larger.slots[slot_of(&larger, any->name, any->name_length, any->hash)] =
                table->slots[i];
    }
    ptx_arena_drop(&merge->arena, table->slots, table->capacity * sizeof(struct symbol *));
    *table = larger;
}

static struct symbol *find_or_add(struct merge *merge, struct table *table,
                                  struct statement *statement)
{
    if (2 * table->count >= table->capacity)
        grow(merge, table);
    const size_t slot = slot_of(table, statement->name, statement->name_length, statement->hash);
    if (table->slots[slot] != NULL)
        return table->slots[slot];
    struct symbol *symbol = ptx_arena_take(&merge->arena, sizeof *symbol);
    /* Its first statement gives it its name, whichever part that is going to have. */
    symbol->prototype = statement;
    table->slots[slot] = symbol;
    table->count++;
    return symbol;
}

static bool is_definition(const struct statement *statement)
{
    return statement->is_function ? statement->has_body : statement->linkage != LINK_EXTERN;
}

static enum ptx_status defined_twice(struct merge *merge, const struct statement *a,
                                     const struct statement *b)
{
    if (asprintf(&merge->log->text, "%.*s is defined in %s and in %s", (int)a->name_length, a->name,
                 merge->names[a->text], merge->names[b->text]) < 0)
        merge->log->text = NULL;
    return PTX_E_SYNTAX;
}

static enum ptx_status join_global(struct merge *merge, struct statement *statement)
{
    struct symbol *symbol = find_or_add(merge, &merge->symbols, statement);
    struct statement *present = symbol->definition;
    if (!is_definition(statement)) {
        statement->is_dropped = symbol->prototype != statement;
        return PTX_OK;
    }
    if (symbol->prototype == statement)
        symbol->prototype = NULL;
    if (present == NULL) {
        symbol->definition = statement;
        return PTX_OK;
    }
    if (present->linkage == LINK_GLOBAL && statement->linkage == LINK_GLOBAL)
        return defined_twice(merge, present, statement);
    if (statement->linkage < present->linkage) {
        present->is_dropped = true;
        symbol->definition = statement;
    } else {
        statement->is_dropped = true;
    }
    return PTX_OK;
}

static enum ptx_status join_globals(struct merge *merge)
{
    enum ptx_status status = PTX_OK;
    struct statement *statement = merge->statements;
    for (; statement != NULL && status == PTX_OK; statement = statement->next)
        if (statement->name != NULL && statement->linkage != LINK_LOCAL)
            status = join_global(merge, statement);
    return status;
}

/* Private names that another text has too get the number of their text. A function's declaration and
 * its definition in one text are one, however they are linked. */
static void part_locals(struct merge *merge)
{
    struct statement *statement = merge->statements;
    for (; statement != NULL; statement = statement->next) {
        if (statement->name == NULL || statement->linkage != LINK_LOCAL)
            continue;
        struct symbol *symbol = find_or_add(merge, &merge->locals, statement);
        const struct symbol *shared = find(&merge->symbols, statement);
        const bool is_taken = any_of(symbol)->text != statement->text ||
                              (shared != NULL && any_of(shared)->text != statement->text);
        if (is_taken)
            statement->new_name =
                ptx_arena_format(&merge->arena, "%.*s__%zu", (int)statement->name_length,
                                 statement->name, statement->text);
    }
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The renamed statements of a text, by name: chains that begin in slots. */
struct renames {
    const struct statement **slots;
    size_t capacity; /* a power of 2 */
};

static const struct statement *renamed(const struct renames *renames, const struct ptx_token *token)
{
    const struct statement *at = renames->slots[token->hash & (renames->capacity - 1)];
    while (at != NULL && !has_name(at, token->text, token->length, token->hash))
        at = at->next_renamed;
    return at;
}

static void make_slots(struct merge *merge, struct renames *renames, size_t statements)
{
    renames->capacity = 1;
    while (renames->capacity < statements)
        renames->capacity *= 2;
    renames->slots = ptx_arena_array(&merge->arena, renames->capacity, sizeof(void *));
}

static struct renames *collect_renames(struct merge *merge, size_t texts)
{
    struct renames *all = ptx_arena_array(&merge->arena, texts, sizeof *all);
    size_t *counts = ptx_arena_array(&merge->arena, texts, sizeof *counts);
    for (struct statement *at = merge->statements; at != NULL; at = at->next)
        counts[at->text] += at->new_name != NULL;
    for (size_t i = 0; i < texts; i++)
        make_slots(merge, &all[i], counts[i]);
    for (struct statement *at = merge->statements; at != NULL; at = at->next) {
        const struct renames *of = &all[at->text];
        const struct statement **slot = &of->slots[at->hash & (of->capacity - 1)];
        if (at->new_name == NULL)
            continue;
        at->next_renamed = *slot;
        *slot = at;
    }
    return all;
}

/* What comes next in a .loc that is another in a merged text. */
enum debug_next { NOTHING, FILE_NUMBER, LABEL };

/* What is to be written in the place of a token that debug information refers by: numbers of files follow those of the
 * texts before, labels of .debug_str have the number of their text. */
struct debug_words {
    size_t text;
    uint64_t first_file;
    bool is_within; /* .loc and what belongs to it */
    enum debug_next next;
    char word[32]; /* written before or in the place of the token */
};

static bool is_word(const struct ptx_token *token, const char *word)
{
    return token->kind == PTX_TOKEN_WORD && token->length == strlen(word) &&
           memcmp(token->text, word, token->length) == 0;
}

/* The word for a number of a file, or NULL; *suffix: what is written behind a label. */
static const char *debug_word(struct debug_words *d, const struct ptx_token *token,
                              const char **suffix)
{
    const enum debug_next expected = d->next;
    d->next = NOTHING;
    *suffix = NULL;
    if (d->text == 0)
        return NULL;
    if (is_dot(token, ".loc") || (d->is_within && is_word(token, "inlined_at")))
        d->next = FILE_NUMBER;
    else if (d->is_within && is_word(token, "function_name"))
        d->next = LABEL;
    d->is_within = is_dot(token, ".loc") ||
                   (d->is_within && (token->kind == PTX_TOKEN_INTEGER || token->kind == ',' ||
                                     token->kind == '+' || token->kind == PTX_TOKEN_WORD));
    if (expected == FILE_NUMBER && token->kind == PTX_TOKEN_INTEGER) {
        snprintf(d->word, sizeof d->word, "%" PRIu64, token->bits + d->first_file);
        return d->word;
    }
    if (expected == LABEL && token->kind == PTX_TOKEN_WORD) {
        snprintf(d->word, sizeof d->word, "__%zu", d->text);
        *suffix = d->word;
    }
    return NULL;
}

/* A text from start to end, with what is renamed and, where it is declared .extern although another
 * text defines it, with the definition's linkage. */
static void write_statement(FILE *out, const struct statement *statement,
                            const struct renames *renames, const char *linkage,
                            struct debug_words debug)
{
    struct ptx_lexer lexer = {.at = statement->start, .line = 1};
    struct ptx_token token;
    const char *written = statement->start;
    while (lexer.at < statement->end) {
        ptx_lex(&lexer, &token);
        const char *suffix, *word = debug_word(&debug, &token, &suffix);
        const struct statement *other =
            token.kind == PTX_TOKEN_WORD && !suffix ? renamed(renames, &token) : NULL;
        if (other != NULL)
            word = other->new_name;
        if (linkage != NULL && is_dot(&token, ".extern"))
            word = linkage;
        if (word == NULL && suffix == NULL)
            continue;
        fwrite(written, 1, (size_t)(token.text - written) + (suffix ? token.length : 0), out);
        fputs(suffix ? suffix : word, out);
        written = token.text + token.length;
    }
    fwrite(written, 1, (size_t)(statement->end - written), out);
    fputc('\n', out);
}

/* .file with its number, and .debug_str with its labels, as debug_word() makes them. */
static void write_debug(FILE *out, const struct merge *merge, const struct debug *debug)
{
    struct ptx_lexer lexer = {.at = debug->start, .line = 1};
    struct ptx_token token;
    ptx_lex(&lexer, &token);
    const bool is_file = is_dot(&token, ".file");
    const char *written = debug->start;
    while (debug->text > 0 && lexer.at < debug->end) {
        ptx_lex(&lexer, &token);
        if (is_file) {
            fprintf(out, ".file %" PRIu64, token.bits + merge->files[debug->text]);
            written = token.text + token.length;
            break;
        }
        if (token.kind != PTX_TOKEN_WORD || ptx_lex_peek(&lexer) != ':')
            continue;
        const char *end = token.text + token.length;
        fwrite(written, 1, (size_t)(end - written), out);
        fprintf(out, "__%zu", debug->text);
        written = end;
    }
    fwrite(written, 1, (size_t)(debug->end - written), out);
    fputc('\n', out);
}

enum pass { PASS_PROTOTYPES, PASS_VARIABLES, PASS_FUNCTIONS, PASSES };

static enum pass pass_of(const struct statement *statement)
{
    if (!statement->is_function)
        return PASS_VARIABLES;
    return statement->has_body ? PASS_FUNCTIONS : PASS_PROTOTYPES;
}

static void write_one(FILE *out, struct merge *merge, const struct statement *statement,
                      const struct renames *renames)
{
    const struct symbol *symbol = statement->name != NULL && statement->linkage == LINK_EXTERN
                                      ? find(&merge->symbols, statement)
                                      : NULL;
    const struct statement *definition = symbol != NULL ? symbol->definition : NULL;
    if (statement->is_dropped || (definition != NULL && !statement->is_function))
        return;
    write_statement(
        out, statement, renames, definition != NULL ? linkage_words[definition->linkage] : NULL,
        (struct debug_words){.text = statement->text, .first_file = merge->files[statement->text]});
}

static void write_all(FILE *out, struct merge *merge, const struct renames *renames)
{
    fprintf(out, ".version %lu.%lu\n.target %.*s\n.address_size 64\n", merge->version.major,
            merge->version.minor, (int)merge->target_length, merge->target);
    for (enum pass pass = PASS_PROTOTYPES; pass < PASSES; pass++) {
        const struct statement *statement = merge->statements;
        for (; statement != NULL; statement = statement->next)
            if (pass_of(statement) == pass)
                write_one(out, merge, statement, &renames[statement->text]);
    }
    for (const struct debug *debug = merge->debug; debug != NULL; debug = debug->next)
        write_debug(out, merge, debug);
}

static enum ptx_status write_merged(struct merge *merge, size_t count, char **merged, size_t *bytes)
{
    const struct renames *renames = collect_renames(merge, count);
    /* From here on nothing is taken from the arena, which would leave without closing. */
    FILE *out = open_memstream(merged, bytes);
    if (out == NULL)
        return PTX_E_OUT_OF_MEMORY;
    write_all(out, merge, renames);
    bool is_whole = ferror(out) == 0;
    is_whole &= fclose(out) == 0;
    if (is_whole)
        return PTX_OK;
    free(*merged);
    *merged = NULL;
    return PTX_E_OUT_OF_MEMORY;
}

/* From the largest number of each text to where those of each begin. */
static void add_files(struct merge *merge, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t own = merge->files[i];
        merge->files[i] = sum;
        sum += own;
    }
}

static enum ptx_status merge_texts(struct merge *merge, const char *const *texts, size_t count,
                                   char **merged, size_t *bytes)
{
    enum ptx_status status = PTX_OK;
    merge->files = ptx_arena_array(&merge->arena, count + 1, sizeof *merge->files);
    for (size_t i = 0; i < count && status == PTX_OK; i++)
        status = read_text(merge, texts[i], i);
    if (status != PTX_OK)
        return status;
    if (merge->target == NULL) {
        merge->log->text = strdup("the texts name no .target");
        return PTX_E_SYNTAX;
    }
    status = join_globals(merge);
    if (status != PTX_OK)
        return status;
    part_locals(merge);
    add_files(merge, count);
    return write_merged(merge, count, merged, bytes);
}

static void destroy(struct merge *merge)
{
    ptx_arena_free(&merge->arena);
    free(merge);
}

static size_t all_bytes(const char *const *texts, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(texts[i]);
    return bytes;
}

enum ptx_status ptx_merge(const char *const *texts, const char *const *names, size_t count,
                          char **merged, size_t *bytes, struct ptx_log *log)
{
    struct merge *merge = calloc(1, sizeof *merge);
    *merged = NULL;
    if (merge == NULL)
        return PTX_E_OUT_OF_MEMORY;
    merge->log = log;
    merge->names = names;
    merge->last = &merge->statements;
    merge->last_debug = &merge->debug;
    merge->budget.most_memory = ptx_most_memory(all_bytes(texts, count));
    merge->arena.budget = &merge->budget;
    if (setjmp(merge->arena.out_of_memory) != 0) {
        const enum ptx_status why = ptx_outcome(&merge->budget, log, "the linked module");
        destroy(merge);
        return why;
    }
    enum ptx_status status = merge_texts(merge, texts, count, merged, bytes);
    destroy(merge);
    return status;
}
