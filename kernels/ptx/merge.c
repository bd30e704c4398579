/* Several PTX texts as one, as a linker would make of them: what one declares .extern and another
 * defines becomes one thing, and names that are private to their texts stay apart.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/arena.h"
#include "kernels/ptx/lexer.h"
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
};

/* All statements of one name. */
struct symbol {
    struct statement *definition; /* the one that stays, or NULL */
    struct statement *prototype;  /* of a function: the first without a body */
    struct symbol *next;
};

enum { BUCKETS = 1024 };

struct merge {
    struct ptx_arena arena;
    struct ptx_log *log;
    const char *const *names; /* of the texts */
    struct statement *statements, **last;
    struct symbol *symbols[BUCKETS]; /* names that all texts share */
    struct symbol *locals[BUCKETS];  /* private ones that kept their names */
    const char *target;
    size_t target_length;
    double version;
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
 * function's body. The first word outside brackets is the name. */
static void read_statement(struct ptx_lexer *lexer, struct ptx_token token,
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
        merge->target_length = (size_t)(lexer->at - start);
    }
}

static void read_version(struct merge *merge, struct ptx_lexer *lexer)
{
    struct ptx_token token;
    ptx_lex(lexer, &token);
    double version = token.text != NULL ? strtod(token.text, NULL) : 0;
    if (version > merge->version)
        merge->version = version;
}

/* Line numbers are lost: those of several texts cannot be told apart in one. */
static void skip_file(struct ptx_lexer *lexer)
{
    struct ptx_token token;
    ptx_lex(lexer, &token);
    ptx_lex(lexer, &token);
    while (ptx_lex_peek(lexer) == ',') {
        ptx_lex(lexer, &token);
        ptx_lex(lexer, &token);
    }
}

static void skip_section(struct ptx_lexer *lexer)
{
    struct ptx_token token;
    do
        ptx_lex(lexer, &token);
    while (token.kind != '}' && token.kind != PTX_TOKEN_END);
}

/* True: token began a directive, which has no end of its own, and that is read. */
static bool read_directive(struct merge *merge, struct ptx_lexer *lexer,
                           const struct ptx_token *token)
{
    struct ptx_token unused;
    if (is_dot(token, ".version"))
        read_version(merge, lexer);
    else if (is_dot(token, ".target"))
        read_target(merge, lexer);
    else if (is_dot(token, ".address_size"))
        ptx_lex(lexer, &unused);
    else if (is_dot(token, ".file"))
        skip_file(lexer);
    else if (is_dot(token, ".section"))
        skip_section(lexer);
    else
        return false;
    return true;
}

static void read_text(struct merge *merge, const char *text, size_t index)
{
    struct ptx_lexer lexer = {.at = text, .line = 1};
    struct ptx_token token;
    for (ptx_lex(&lexer, &token); token.kind != PTX_TOKEN_END; ptx_lex(&lexer, &token)) {
        if (read_directive(merge, &lexer, &token))
            continue;
        struct statement *statement = ptx_arena_take(&merge->arena, sizeof *statement);
        statement->start = token.text;
        statement->linkage = LINK_LOCAL;
        statement->text = index;
        read_statement(&lexer, token, statement);
        *merge->last = statement;
        merge->last = &statement->next;
    }
}

/* --- names ------------------------------------------------------------------------------------ */

static const struct statement *any_of(const struct symbol *symbol)
{
    return symbol->definition != NULL ? symbol->definition : symbol->prototype;
}

static struct symbol *find(struct symbol *const table[BUCKETS], const struct statement *statement)
{
    struct symbol *symbol = table[statement->hash % BUCKETS];
    for (; symbol != NULL; symbol = symbol->next) {
        const struct statement *other = any_of(symbol);
        if (other->name_length == statement->name_length &&
            memcmp(other->name, statement->name, other->name_length) == 0)
            break;
    }
    return symbol;
}

static struct symbol *find_or_add(struct merge *merge, struct symbol *table[BUCKETS],
                                  struct statement *statement)
{
    struct symbol *symbol = find(table, statement);
    if (symbol != NULL)
        return symbol;
    symbol = ptx_arena_take(&merge->arena, sizeof *symbol);
    /* Its first statement gives it its name, whichever part that is going to have. */
    symbol->prototype = statement;
    symbol->next = table[statement->hash % BUCKETS];
    table[statement->hash % BUCKETS] = symbol;
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
    struct symbol *symbol = find_or_add(merge, merge->symbols, statement);
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
 * its definition in one text are one. */
static void part_locals(struct merge *merge)
{
    struct statement *statement = merge->statements;
    for (; statement != NULL; statement = statement->next) {
        if (statement->name == NULL || statement->linkage != LINK_LOCAL)
            continue;
        struct symbol *symbol = find_or_add(merge, merge->locals, statement);
        const bool is_taken =
            any_of(symbol)->text != statement->text || find(merge->symbols, statement) != NULL;
        if (is_taken)
            statement->new_name =
                ptx_arena_format(&merge->arena, "%.*s__%zu", (int)statement->name_length,
                                 statement->name, statement->text);
    }
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The renamed statement of this text and name, or NULL. */
static const struct statement *renamed(const struct statement *const *list, size_t count,
                                       const struct ptx_token *token)
{
    for (size_t i = 0; i < count; i++)
        if (list[i]->hash == token->hash && list[i]->name_length == token->length &&
            memcmp(list[i]->name, token->text, token->length) == 0)
            return list[i];
    return NULL;
}

struct renames {
    const struct statement **list;
    size_t count, text;
};

static void collect_renames(struct merge *merge, struct renames *renames, size_t text)
{
    size_t count = 0;
    const struct statement *statement = merge->statements;
    for (; statement != NULL; statement = statement->next)
        count += statement->text == text && statement->new_name != NULL;
    *renames = (struct renames){.list = ptx_arena_array(&merge->arena, count + 1, sizeof(void *)),
                                .text = text};
    for (statement = merge->statements; statement != NULL; statement = statement->next)
        if (statement->text == text && statement->new_name != NULL)
            renames->list[renames->count++] = statement;
}

/* A text from start to end, with what is renamed and, where it is declared .extern although another
 * text defines it, with the definition's linkage. */
static void write_statement(FILE *out, const struct statement *statement,
                            const struct renames *renames, const char *linkage)
{
    struct ptx_lexer lexer = {.at = statement->start, .line = 1};
    struct ptx_token token;
    const char *written = statement->start;
    while (lexer.at < statement->end) {
        ptx_lex(&lexer, &token);
        const struct statement *other =
            token.kind == PTX_TOKEN_WORD ? renamed(renames->list, renames->count, &token) : NULL;
        const char *word = other != NULL ? other->new_name : NULL;
        if (linkage != NULL && is_dot(&token, ".extern"))
            word = linkage;
        if (word == NULL)
            continue;
        fwrite(written, 1, (size_t)(token.text - written), out);
        fputs(word, out);
        written = token.text + token.length;
    }
    fwrite(written, 1, (size_t)(statement->end - written), out);
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
                                      ? find(merge->symbols, statement)
                                      : NULL;
    const struct statement *definition = symbol != NULL ? symbol->definition : NULL;
    if (statement->is_dropped || (definition != NULL && !statement->is_function))
        return;
    write_statement(out, statement, renames,
                    definition != NULL ? linkage_words[definition->linkage] : NULL);
}

static void write_all(FILE *out, struct merge *merge, const struct renames *renames)
{
    fprintf(out, ".version %.1f\n.target %.*s\n.address_size 64\n", merge->version,
            (int)merge->target_length, merge->target);
    for (enum pass pass = PASS_PROTOTYPES; pass < PASSES; pass++) {
        const struct statement *statement = merge->statements;
        for (; statement != NULL; statement = statement->next)
            if (pass_of(statement) == pass)
                write_one(out, merge, statement, &renames[statement->text]);
    }
}

static enum ptx_status write_merged(struct merge *merge, size_t count, char **merged, size_t *bytes)
{
    struct renames *renames = ptx_arena_array(&merge->arena, count, sizeof *renames);
    for (size_t i = 0; i < count; i++)
        collect_renames(merge, &renames[i], i);
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

static enum ptx_status merge_texts(struct merge *merge, const char *const *texts, size_t count,
                                   char **merged, size_t *bytes)
{
    for (size_t i = 0; i < count; i++)
        read_text(merge, texts[i], i);
    if (merge->target == NULL) {
        merge->log->text = strdup("the texts name no .target");
        return PTX_E_SYNTAX;
    }
    enum ptx_status status = join_globals(merge);
    if (status != PTX_OK)
        return status;
    part_locals(merge);
    return write_merged(merge, count, merged, bytes);
}

static void destroy(struct merge *merge)
{
    ptx_arena_free(&merge->arena);
    free(merge);
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
    if (setjmp(merge->arena.out_of_memory) != 0) {
        destroy(merge);
        return PTX_E_OUT_OF_MEMORY;
    }
    enum ptx_status status = merge_texts(merge, texts, count, merged, bytes);
    destroy(merge);
    return status;
}
