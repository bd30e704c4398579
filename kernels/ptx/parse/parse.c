/* Modules: what stands outside functions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/parse/parse.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/base/budget.h"
#include "kernels/ptx/ir/layout.h"

static unsigned parse_version(struct ptx_parser *p)
{
    const struct ptx_token token = p->token;
    if (token.kind != PTX_TOKEN_FLOAT && token.kind != PTX_TOKEN_INTEGER)
        ptx_syntax(p, "a version expected");
    ptx_next(p);
    char *end = NULL;
    const unsigned long major = strtoul(token.text, &end, 10);
    const unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    if (major == 0 || major > 1000 || minor > 9)
        ptx_syntax_at(p, token.line, "no version of PTX");
    return (unsigned)(10 * major + minor);
}

/* .target sm_75, debug: the number counts, sm_90a is 90. */
static void parse_target(struct ptx_parser *p)
{
    do {
        const struct ptx_token token = p->token;
        ptx_expect(p, PTX_TOKEN_WORD);
        if (token.length > 3 && memcmp(token.text, "sm_", 3) == 0)
            p->module->sm = (unsigned)(strtoul(token.text + 3, NULL, 10) % 10000);
    } while (ptx_accept(p, ','));
}

/* A number and no expression: no semicolon ends it. */
static unsigned parse_address_bits(struct ptx_parser *p)
{
    const struct ptx_token token = p->token;
    ptx_expect(p, PTX_TOKEN_INTEGER);
    if (token.bits != 32 && token.bits != 64)
        ptx_syntax_at(p, token.line, "addresses have 32 or 64 bits");
    return (unsigned)token.bits;
}

/* .alias a, b; a is another name of the function b. */
static void parse_alias(struct ptx_parser *p)
{
    struct ptx_atom *alias = ptx_take_name(p);
    ptx_expect(p, ',');
    struct ptx_atom *aliasee = ptx_take_name(p);
    ptx_expect(p, ';');
    struct ptx_binding *from = alias->binding, *to = aliasee->binding;
    if (!from || !to || from->kind != PTX_BIND_FUNCTION || to->kind != PTX_BIND_FUNCTION)
        ptx_syntax(p, ".alias needs two functions declared before it");
    if (from->function == to->function || from->function->has_body || !to->function->has_body)
        ptx_syntax(p, "'%s' cannot be an alias", ptx_atom_name(p, alias));
    struct ptx_function *function = from->function;
    const struct ptx_function own = *function;
    *function = *to->function;
    function->name = own.name;
    function->number = own.number;
    function->linkage = own.linkage;
}

static enum ptx_linkage parse_linkage(struct ptx_parser *p)
{
    static const struct {
        const char *word;
        enum ptx_linkage linkage;
    } words[] = {{".visible", PTX_LINKAGE_VISIBLE},
                 {".extern", PTX_LINKAGE_EXTERN},
                 {".weak", PTX_LINKAGE_WEAK},
                 {".common", PTX_LINKAGE_COMMON}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (ptx_accept_word(p, words[i].word))
            return words[i].linkage;
    return PTX_LINKAGE_NONE;
}

static void parse_statement(struct ptx_parser *p)
{
    p->statement = p->token.text;
    if (ptx_accept(p, ';') || ptx_pass_directive(p))
        return;
    if (ptx_accept_word(p, ".version"))
        p->module->version = parse_version(p);
    else if (ptx_accept_word(p, ".target"))
        parse_target(p);
    else if (ptx_accept_word(p, ".address_size"))
        p->module->address_bits = parse_address_bits(p);
    else if (ptx_accept_word(p, ".alias"))
        parse_alias(p);
    else {
        const enum ptx_linkage linkage = parse_linkage(p);
        if (ptx_at_word(p, ".entry") || ptx_at_word(p, ".func"))
            ptx_parse_function(p, linkage);
        else if (ptx_at_space(p))
            ptx_parse_declaration(p, linkage);
        else
            ptx_syntax(p, "a directive expected");
    }
}

/* Names that nothing was found for: the first of them in the text. */
static void check_names(struct ptx_parser *p)
{
    for (const struct ptx_binding *b = ptx_scope_at(p, 0)->bindings; b; b = b->next)
        ptx_resolve_pending(p, b->atom, 0);
    const struct ptx_pending *first = NULL;
    for (size_t i = 0; i < p->atom_capacity; ++i)
        for (const struct ptx_pending *left = p->atoms[i] ? p->atoms[i]->pending : NULL; left;
             left = left->outer)
            if (!first || left->number < first->number)
                first = left;
    if (first)
        ptx_syntax_at(p, first->line, "'%s' is not declared", ptx_atom_name(p, first->atom));
}

static void parse_module(struct ptx_parser *p)
{
    struct ptx_module *module = p->module;
    module->address_bits = 64;
    p->lexer = (struct ptx_lexer){.at = module->text, .line = 1};
    ptx_open_scope(p);
    ptx_next(p);
    if (!ptx_at_word(p, ".version"))
        ptx_syntax(p, "PTX begins with .version");
    while (p->token.kind != PTX_TOKEN_END)
        parse_statement(p);
    check_names(p);
    module->variable_count = p->variables.count;
    module->variables = ptx_list_keep(p, &p->variables, sizeof *module->variables);
    module->function_count = p->functions.count;
    module->functions = ptx_list_keep(p, &p->functions, sizeof *module->functions);
    module->edit_count = p->edits.count;
    module->edits = ptx_list_keep(p, &p->edits, sizeof *module->edits);
    ptx_keep_locations(p);
    ptx_check_instructions(module);
    ptx_place_parameters(module);
    const char *why = ptx_lay_out(module);
    if (why)
        ptx_syntax(p, "%s", why);
}

static enum ptx_status left_early(const struct ptx_parser *p)
{
    return p->status == PTX_E_SYNTAX ? PTX_E_SYNTAX
                                     : ptx_outcome(&p->module->budget, p->log, "the module");
}

/* Between here and its end everything may leave by either of the two jumps. */
static enum ptx_status run_parser(struct ptx_parser *p, const char *text, size_t bytes)
{
    struct ptx_budget *budget = &p->module->budget;
    p->status = PTX_E_OUT_OF_MEMORY;
    p->resolve = ptx_resolve;
    p->module->text_bytes = strnlen(text, bytes);
    budget->most_memory = ptx_most_memory(p->module->text_bytes);
    budget->most_steps = ptx_most_steps(p->module->text_bytes);
    p->module->arena.budget = p->scratch.budget = budget;
    if (setjmp(p->module->arena.out_of_memory))
        return left_early(p);
    if (setjmp(p->scratch.out_of_memory))
        return left_early(p);
    if (p->module->text_bytes > PTX_MOST_TEXT)
        ptx_exceed(&p->scratch, "text of a module");
    text = ptx_arena_text(&p->module->arena, text, p->module->text_bytes);
    p->module->text = ptx_without_shared_tables(&p->module->arena, text, p->module->text_bytes);
    p->module->text_bytes = strlen(p->module->text);
    parse_module(p);
    return PTX_OK;
}

enum ptx_status ptx_module_parse(const char *text, size_t bytes, struct ptx_module **module,
                                 struct ptx_log *log)
{
    struct ptx_parser *parser = calloc(1, sizeof *parser);
    struct ptx_module *made = calloc(1, sizeof *made);
    enum ptx_status status = PTX_E_OUT_OF_MEMORY;
    if (parser && made) {
        parser->module = made;
        parser->log = log;
        status = run_parser(parser, text, bytes);
        ptx_arena_free(&parser->scratch);
    }
    free(parser);
    if (status != PTX_OK) {
        ptx_module_free(made);
        made = NULL;
    }
    *module = made;
    return status;
}

struct ptx_module *ptx_module_hold(struct ptx_module *module)
{
    atomic_fetch_add(&module->holds, 1);
    return module;
}

void ptx_module_free(struct ptx_module *module)
{
    if (!module || atomic_fetch_sub(&module->holds, 1) > 0)
        return;
    ptx_arena_free(&module->arena);
    free(module);
}

bool ptx_is_ptx(const char *text, size_t bytes)
{
    static const char first[] = ".version";
    const char *const end = text + bytes;
    while (text < end) {
        const bool is_pair = end - text >= 2 && text[0] == '/';
        if (is_pair && text[1] == '/') {
            text = memchr(text, '\n', (size_t)(end - text));
            if (!text)
                return false;
        } else if (is_pair && text[1] == '*') {
            for (text += 2; end - text >= 2 && (text[0] != '*' || text[1] != '/');)
                ++text;
            if (end - text < 2)
                return false;
            text += 2;
        } else if (*text == ' ' || (*text >= '\t' && *text <= '\r'))
            ++text;
        else
            return (size_t)(end - text) > sizeof first - 1 &&
                   memcmp(text, first, sizeof first - 1) == 0;
    }
    return false;
}
