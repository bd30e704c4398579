/* The parser's ground: modules, tokens, names and scopes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/parse.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/budget.h"
#include "kernels/ptx/layout.h"

/* ---- Errors and tokens ---- */

static void put_log(struct ptx_parser *p, uint32_t line, const char *format, va_list list)
{
    char why[256], token[48];
    vsnprintf(why, sizeof why, format, list);
    const size_t shown = p->token.length < 40 ? p->token.length : 40;
    memcpy(token, p->token.text, shown);
    token[shown] = 0;
    const char *near = shown ? token : "end of text";
    const int length = snprintf(NULL, 0, "line %u: %s, near '%s'", line, why, near);
    free(p->log->text);
    p->log->text = malloc((size_t)length + 1);
    if (p->log->text)
        snprintf(p->log->text, (size_t)length + 1, "line %u: %s, near '%s'", line, why, near);
}

void ptx_syntax_at(struct ptx_parser *p, uint32_t line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_log(p, line, format, list);
    va_end(list);
    p->status = PTX_E_SYNTAX;
    longjmp(p->scratch.out_of_memory, 1);
}

void ptx_syntax(struct ptx_parser *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_log(p, p->token.line, format, list);
    va_end(list);
    p->status = PTX_E_SYNTAX;
    longjmp(p->scratch.out_of_memory, 1);
}

void ptx_next(struct ptx_parser *p)
{
    p->consumed = p->lexer.at;
    ptx_lex(&p->lexer, &p->token);
    if (p->lexer.open_comment)
        ptx_syntax_at(p, p->lexer.open_comment, "a comment without an end");
}

bool ptx_at_word(const struct ptx_parser *p, const char *word)
{
    return (p->token.kind == PTX_TOKEN_WORD || p->token.kind == PTX_TOKEN_DOT) &&
           strncmp(p->token.text, word, p->token.length) == 0 && word[p->token.length] == 0;
}

bool ptx_accept(struct ptx_parser *p, int kind)
{
    if (p->token.kind != kind)
        return false;
    ptx_next(p);
    return true;
}

bool ptx_accept_word(struct ptx_parser *p, const char *word)
{
    if (!ptx_at_word(p, word))
        return false;
    ptx_next(p);
    return true;
}

void ptx_expect(struct ptx_parser *p, int kind)
{
    if (p->token.kind != kind) {
        if (kind < PTX_TOKEN_WORD)
            ptx_syntax(p, "'%c' expected", kind);
        ptx_syntax(p, kind == PTX_TOKEN_WORD      ? "a name expected"
                      : kind == PTX_TOKEN_INTEGER ? "a number expected"
                                                  : "something else expected");
    }
    ptx_next(p);
}

void ptx_enter(struct ptx_parser *p)
{
    if (++p->nesting > 200)
        ptx_syntax(p, "nested too deeply");
}

/* ---- Growing arrays ---- */

void *ptx_list_add(struct ptx_parser *p, struct ptx_list *list, size_t item_bytes)
{
    list->items = ptx_arena_grow(&p->scratch, list->items, list->count, &list->room, item_bytes);
    return memset((char *)list->items + list->count++ * item_bytes, 0, item_bytes);
}

void *ptx_list_keep(struct ptx_parser *p, const struct ptx_list *list, size_t item_bytes)
{
    if (list->count == 0)
        return NULL;
    void *kept = ptx_arena_array(&p->module->arena, list->count, item_bytes);
    return memcpy(kept, list->items, list->count * item_bytes);
}

/* ---- Names ---- */

static size_t atom_place(const struct ptx_parser *p, const char *text, size_t length, uint32_t hash)
{
    size_t place = hash & (p->atom_capacity - 1);
    for (const struct ptx_atom *atom; (atom = p->atoms[place]);
         place = (place + 1) & (p->atom_capacity - 1))
        if (atom->hash == hash && atom->length == length && memcmp(atom->text, text, length) == 0)
            break;
    return place;
}

static void grow_atoms(struct ptx_parser *p)
{
    const size_t capacity = p->atom_capacity ? 2 * p->atom_capacity : 1024;
    struct ptx_atom **atoms = ptx_arena_array(&p->scratch, capacity, sizeof *atoms);
    for (size_t i = 0; i < p->atom_capacity; ++i) {
        if (!p->atoms[i])
            continue;
        size_t place = p->atoms[i]->hash & (capacity - 1);
        while (atoms[place])
            place = (place + 1) & (capacity - 1);
        atoms[place] = p->atoms[i];
    }
    ptx_arena_drop(&p->scratch, p->atoms, p->atom_capacity * sizeof *atoms);
    p->atoms = atoms;
    p->atom_capacity = capacity;
}

struct ptx_atom *ptx_atom_of(struct ptx_parser *p, const char *text, size_t length, uint32_t hash)
{
    if (2 * p->atom_count >= p->atom_capacity)
        grow_atoms(p);
    const size_t place = atom_place(p, text, length, hash);
    if (p->atoms[place])
        return p->atoms[place];
    struct ptx_atom *made = ptx_arena_take(&p->scratch, sizeof *made);
    made->text = text;
    made->length = (uint32_t)length;
    made->hash = hash;
    p->atoms[place] = made;
    ++p->atom_count;
    return made;
}

struct ptx_atom *ptx_take_name(struct ptx_parser *p)
{
    const struct ptx_token token = p->token;
    ptx_expect(p, PTX_TOKEN_WORD);
    return ptx_atom_of(p, token.text, token.length, token.hash);
}

const char *ptx_atom_name(struct ptx_parser *p, struct ptx_atom *atom)
{
    if (!atom->name)
        atom->name = ptx_arena_text(&p->module->arena, atom->text, atom->length);
    return atom->name;
}

static void note_use(struct ptx_parser *p, struct ptx_atom *atom)
{
    if (!p->function)
        return;
    atom->used_in = p->function_stamp;
    atom->suffixes = 0;
}

const char *ptx_own_name(struct ptx_parser *p, struct ptx_atom *atom)
{
    const char *name = ptx_atom_name(p, atom);
    if (!p->function || atom->used_in != p->function_stamp) {
        note_use(p, atom);
        return name;
    }
    for (;;) {
        char *other = ptx_arena_format(&p->module->arena, "%s__%u", name, ++atom->suffixes);
        const size_t length = strlen(other);
        struct ptx_atom *next = ptx_atom_of(p, other, length, ptx_hash(other, length));
        if (next->used_in == p->function_stamp)
            continue;
        note_use(p, next);
        return other;
    }
}

/* ---- Scopes ---- */

uint32_t ptx_depth(const struct ptx_parser *p)
{
    return (uint32_t)p->scopes.count - 1;
}

static struct ptx_name_scope *scope_at(struct ptx_parser *p, uint32_t depth)
{
    return (struct ptx_name_scope *)p->scopes.items + depth;
}

void ptx_open_scope(struct ptx_parser *p)
{
    if (p->scopes.count > 1000)
        ptx_syntax(p, "nested too deeply");
    struct ptx_name_scope *scope = ptx_list_add(p, &p->scopes, sizeof *scope);
    scope->first_pending = p->pending_count;
    if (p->scopes.count > 1)
        scope->range_depth = scope[-1].range_depth;
}

void ptx_leave_pending(struct ptx_parser *p, struct ptx_pending *pending,
                       struct ptx_operand *operand)
{
    pending->operand = operand;
    pending->number = p->pending_count++;
    pending->outer = pending->atom->pending;
    pending->atom->pending = pending;
}

/* Those of a name that is bound in the scope, which ends here. Others of that name, from before the
 * scope, are left for the scopes around it. */
static void resolve_pending(struct ptx_parser *p, struct ptx_atom *atom, uint64_t first)
{
    if (atom->binding->kind == PTX_BIND_RANGE)
        return;
    while (atom->pending && atom->pending->number >= first) {
        const struct ptx_pending *pending = atom->pending;
        atom->pending = pending->outer;
        ptx_resolve(p, pending);
    }
}

void ptx_close_scope(struct ptx_parser *p)
{
    const struct ptx_name_scope *scope = scope_at(p, ptx_depth(p));
    for (struct ptx_binding *binding = scope->bindings; binding;) {
        struct ptx_binding *next = binding->next;
        resolve_pending(p, binding->atom, scope->first_pending);
        binding->atom->binding = binding->outer;
        binding->next = p->spare_bindings;
        p->spare_bindings = binding;
        binding = next;
    }
    --p->scopes.count;
}

struct ptx_binding *ptx_bind(struct ptx_parser *p, struct ptx_atom *atom,
                             enum ptx_binding_kind kind, uint32_t depth)
{
    if (atom->binding && atom->binding->depth >= depth)
        ptx_syntax(p, "'%s' is declared twice", ptx_atom_name(p, atom));
    struct ptx_name_scope *scope = scope_at(p, depth);
    struct ptx_binding *made = p->spare_bindings;
    if (made)
        p->spare_bindings = made->next;
    else
        made = ptx_arena_take(&p->scratch, sizeof *made);
    *made = (struct ptx_binding){.kind = (uint8_t)kind,
                                 .depth = depth,
                                 .atom = atom,
                                 .outer = atom->binding,
                                 .next = scope->bindings};
    atom->binding = made;
    scope->bindings = made;
    if (kind == PTX_BIND_RANGE)
        scope->range_depth = depth;
    return made;
}

/* "%r12" as one of the range "%r<20>": no leading zeros. */
static struct ptx_binding *find_range(struct ptx_parser *p, const struct ptx_atom *atom)
{
    size_t digits = 0;
    while (digits < atom->length && atom->text[atom->length - 1 - digits] >= '0' &&
           atom->text[atom->length - 1 - digits] <= '9')
        ++digits;
    /* The prefix may end in digits itself: "%r1" of "%r1<4>" and 2 make "%r12". */
    for (; digits > 0; --digits) {
        const size_t prefix = atom->length - digits;
        if ((atom->text[prefix] == '0' && digits > 1) || digits > 9 || prefix == 0)
            continue;
        uint32_t number = 0;
        for (size_t i = prefix; i < atom->length; ++i)
            number = number * 10 + (uint32_t)(atom->text[i] - '0');
        const size_t place = atom_place(p, atom->text, prefix, ptx_hash(atom->text, prefix));
        struct ptx_binding *range = p->atoms[place] ? p->atoms[place]->binding : NULL;
        if (range && range->kind == PTX_BIND_RANGE && number < range->count)
            return range;
    }
    return NULL;
}

static struct ptx_binding *bind_register(struct ptx_parser *p, struct ptx_atom *atom,
                                         const struct ptx_binding *range)
{
    struct ptx_binding *made = ptx_bind(p, atom, PTX_BIND_REGISTER, range->depth);
    made->type = range->type;
    made->width = range->width;
    made->index = (uint32_t)p->registers.count;
    struct ptx_register *added = ptx_list_add(p, &p->registers, sizeof *added);
    added->name = ptx_own_name(p, atom);
    added->type = range->type;
    added->width = range->width;
    return made;
}

struct ptx_binding *ptx_look_up(struct ptx_parser *p, struct ptx_atom *atom)
{
    struct ptx_binding *found = atom->binding;
    const uint32_t range_depth = scope_at(p, ptx_depth(p))->range_depth;
    if (range_depth == 0 || (found && found->depth >= range_depth))
        return found;
    const struct ptx_binding *range = find_range(p, atom);
    if (!range || (found && found->depth >= range->depth))
        return found;
    return bind_register(p, atom, range);
}

void ptx_note_edit(struct ptx_parser *p, enum ptx_edit_kind kind, size_t from, size_t to,
                   const struct ptx_variable *variable, int64_t addend)
{
    struct ptx_edit *added = ptx_list_add(p, &p->edits, sizeof *added);
    *added = (struct ptx_edit){kind, from, to, variable, addend, 0};
}

/* ---- Modules ---- */

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
    if (ptx_accept(p, ';') || ptx_skip_directive(p))
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
    for (const struct ptx_binding *b = scope_at(p, 0)->bindings; b; b = b->next)
        resolve_pending(p, b->atom, 0);
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
    p->module->text = ptx_arena_text(&p->module->arena, text, p->module->text_bytes);
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
