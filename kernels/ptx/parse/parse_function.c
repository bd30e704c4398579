/* The parser's functions: what stands before their bodies, scopes, labels, lists of targets.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/parse/parse.h"

/* ---- Targets ---- */

static void parse_branch_targets(struct ptx_parser *p, struct ptx_targets *made)
{
    struct ptx_list names = {0};
    do {
        struct ptx_atom *atom = ptx_take_name(p);
        struct ptx_atom **row = ptx_list_add(p, &names, sizeof *row);
        *row = atom;
    } while (ptx_accept(p, ','));
    /* Labels by name for now: they may follow. Pending operands learn them at the scope's end. */
    struct ptx_operand *operands = ptx_arena_array(&p->scratch, names.count, sizeof *operands);
    for (size_t i = 0; i < names.count; ++i) {
        operands[i].kind = PTX_OPERAND_LABEL;
        operands[i].index = -1;
        struct ptx_pending *pending = ptx_arena_take(&p->scratch, sizeof *pending);
        pending->atom = ((struct ptx_atom **)names.items)[i];
        pending->line = p->token.line;
        ptx_leave_pending(p, pending, &operands[i]);
    }
    ptx_arena_drop(&p->scratch, names.items, names.room * sizeof(struct ptx_atom *));
    made->count = names.count;
    struct ptx_operand **draft = ptx_list_add(p, &p->drafts, sizeof *draft);
    *draft = operands;
}

static void parse_call_targets(struct ptx_parser *p, struct ptx_targets *made)
{
    struct ptx_list functions = {0};
    do {
        struct ptx_atom *atom = ptx_take_name(p);
        if (!atom->binding || atom->binding->kind != PTX_BIND_FUNCTION)
            ptx_syntax(p, "'%s' is no function", ptx_atom_name(p, atom));
        const struct ptx_function **row = ptx_list_add(p, &functions, sizeof *row);
        *row = atom->binding->function;
    } while (ptx_accept(p, ','));
    made->count = functions.count;
    made->functions = ptx_list_keep(p, &functions, sizeof *made->functions);
}

static void parse_attributes(struct ptx_parser *p, struct ptx_function *function);

/* (.param .b32 _) _ (.param .b64 _): parameters here are no variables of the function. */
static void parse_prototype(struct ptx_parser *p, struct ptx_targets *made)
{
    struct ptx_function *prototype = ptx_arena_take(&p->module->arena, sizeof *prototype);
    const uint32_t number = p->variable_number;
    ptx_open_scope(p);
    if (p->token.kind == '(')
        prototype->results = ptx_parse_parameters(p, &prototype->result_count);
    prototype->name = ptx_atom_name(p, ptx_take_name(p));
    if (p->token.kind == '(')
        prototype->parameters = ptx_parse_parameters(p, &prototype->parameter_count);
    parse_attributes(p, prototype);
    ptx_close_scope(p);
    p->variable_number = number;
    made->prototype = prototype;
}

/* After "name:"; false: a plain label. */
static bool parse_targets(struct ptx_parser *p, struct ptx_atom *atom)
{
    static const struct {
        const char *word;
        void (*parse)(struct ptx_parser *p, struct ptx_targets *made);
    } kinds[] = {{".branchtargets", parse_branch_targets},
                 {".calltargets", parse_call_targets},
                 {".callprototype", parse_prototype}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (!ptx_accept_word(p, kinds[i].word))
            continue;
        struct ptx_targets made = {0};
        const size_t drafts = p->drafts.count;
        kinds[i].parse(p, &made);
        if (drafts == p->drafts.count)
            ptx_list_add(p, &p->drafts, sizeof(struct ptx_operand *));
        ptx_expect(p, ';');
        ptx_bind(p, atom, PTX_BIND_TARGETS, ptx_depth(p))->index = (uint32_t)p->targets.count;
        made.name = ptx_own_name(p, atom);
        struct ptx_targets *added = ptx_list_add(p, &p->targets, sizeof *added);
        *added = made;
        return true;
    }
    return false;
}

static void parse_label(struct ptx_parser *p)
{
    struct ptx_atom *atom = ptx_take_name(p);
    ptx_expect(p, ':');
    if (parse_targets(p, atom))
        return;
    ptx_bind(p, atom, PTX_BIND_LABEL, ptx_depth(p))->index = (uint32_t)p->labels.count;
    struct ptx_label *added = ptx_list_add(p, &p->labels, sizeof *added);
    added->name = ptx_own_name(p, atom);
    added->instruction = (uint32_t)p->instructions.count;
}

/* ---- Bodies ---- */

static void parse_directive(struct ptx_parser *p)
{
    if (ptx_pass_directive(p))
        return;
    if (!ptx_at_space(p))
        ptx_syntax(p, "a directive expected");
    ptx_parse_declaration(p, PTX_LINKAGE_NONE);
}

static void parse_statement(struct ptx_parser *p)
{
    p->statement = p->token.text;
    const int kind = p->token.kind;
    if (kind == PTX_TOKEN_END)
        ptx_syntax(p, "'}' expected");
    else if (kind == PTX_TOKEN_DOT)
        parse_directive(p);
    else if (kind == PTX_TOKEN_WORD && ptx_lex_peek(&p->lexer) == ':')
        parse_label(p);
    else if (kind == '{') {
        ptx_open_scope(p);
        ptx_next(p);
    } else if (kind == '}') {
        ptx_close_scope(p);
        ptx_next(p);
    } else if (kind == ';')
        ptx_next(p);
    else if ((kind != '@' || !ptx_pass_directive(p)) && !ptx_read_matrix(p, parse_statement))
        ptx_parse_instruction(p);
}

/* From behind the opening brace to the closing one, which stays. */
static void parse_body(struct ptx_parser *p)
{
    const uint32_t depth = ptx_depth(p);
    while (p->token.kind != '}' || ptx_depth(p) > depth)
        parse_statement(p);
}

static void finish_targets(struct ptx_parser *p, struct ptx_function *function)
{
    for (size_t i = 0; i < function->target_count; ++i) {
        struct ptx_targets *targets = &function->targets[i];
        const struct ptx_operand *draft = ((struct ptx_operand **)p->drafts.items)[i];
        if (!draft)
            continue;
        targets->labels =
            ptx_arena_array(&p->module->arena, targets->count, sizeof *targets->labels);
        for (size_t k = 0; k < targets->count; ++k) {
            if (draft[k].kind != PTX_OPERAND_LABEL || draft[k].index < 0)
                ptx_syntax(p, "'%s' names what is no label", targets->name);
            targets->labels[k] = draft[k].index;
        }
    }
}

static void finish_body(struct ptx_parser *p, struct ptx_function *function)
{
    function->registers = ptx_list_keep(p, &p->registers, sizeof *function->registers);
    function->register_count = p->registers.count;
    function->variables = ptx_list_keep(p, &p->locals, sizeof *function->variables);
    function->variable_count = p->locals.count;
    function->labels = ptx_list_keep(p, &p->labels, sizeof *function->labels);
    function->label_count = p->labels.count;
    function->targets = ptx_list_keep(p, &p->targets, sizeof *function->targets);
    function->target_count = p->targets.count;
    function->instructions = ptx_list_keep(p, &p->instructions, sizeof *function->instructions);
    function->instruction_count = p->instructions.count;
}

/* ---- Heads ---- */

static void parse_threads(struct ptx_parser *p, unsigned threads[3])
{
    threads[0] = threads[1] = threads[2] = 1;
    for (int i = 0; i < 3; ++i) {
        const size_t value = ptx_parse_size(p);
        threads[i] = value > UINT32_MAX ? UINT32_MAX : (unsigned)value;
        if (!ptx_accept(p, ','))
            return;
    }
}

/* What stands between parameters and body. Hints on registers mean nothing here. */
static void parse_attributes(struct ptx_parser *p, struct ptx_function *function)
{
    static const struct {
        const char *word;
        unsigned numbers;
    } hints[] = {{".maxnctapersm", 1},         {".maxnreg", 1},
                 {".maxclusterrank", 1},       {".abi_preserve", 1},
                 {".abi_preserve_control", 1}, {".blocksareclusters", 0}};
    unsigned ignored[3];
    while (p->token.kind == PTX_TOKEN_DOT && !ptx_pass_directive(p)) {
        if (ptx_accept_word(p, ".noreturn"))
            function->is_noreturn = true;
        else if (ptx_accept_word(p, ".maxntid"))
            parse_threads(p, function->max_threads);
        else if (ptx_accept_word(p, ".reqntid"))
            parse_threads(p, function->required_threads);
        else if (ptx_accept_word(p, ".reqnctapercluster"))
            parse_threads(p, function->cluster);
        else if (ptx_accept_word(p, ".explicitcluster"))
            function->is_explicit_cluster = true;
        else if (ptx_accept_word(p, ".minnctapersm")) {
            parse_threads(p, ignored);
            function->min_blocks = ignored[0];
        } else {
            size_t i = 0;
            while (i < sizeof hints / sizeof *hints && !ptx_accept_word(p, hints[i].word))
                ++i;
            if (i == sizeof hints / sizeof *hints)
                ptx_syntax(p, "no directive of a function");
            if (hints[i].numbers)
                parse_threads(p, ignored);
        }
    }
}

/* The name, which stands behind the results, without reading these. */
static struct ptx_atom *find_name(struct ptx_parser *p)
{
    const struct ptx_lexer lexer = p->lexer;
    const struct ptx_token token = p->token;
    size_t depth = 0;
    while (p->token.kind != PTX_TOKEN_END && (p->token.kind == '(' || depth > 0)) {
        depth += p->token.kind == '(';
        depth -= p->token.kind == ')';
        ptx_next(p);
    }
    struct ptx_atom *atom = ptx_take_name(p);
    p->lexer = lexer;
    p->token = token;
    return atom;
}

/* The function of that name: one for all its declarations and its definition. */
static struct ptx_function *module_function(struct ptx_parser *p, struct ptx_atom *atom)
{
    if (atom->binding && atom->binding->kind == PTX_BIND_FUNCTION)
        return atom->binding->function;
    struct ptx_function *made = ptx_arena_take(&p->module->arena, sizeof *made);
    made->name = ptx_atom_name(p, atom);
    ptx_bind(p, atom, PTX_BIND_FUNCTION, 0)->function = made;
    struct ptx_function **row = ptx_list_add(p, &p->functions, sizeof *row);
    *row = made;
    made->number = (uint32_t)p->functions.count;
    return made;
}

static void begin_function(struct ptx_parser *p, struct ptx_function *function)
{
    struct ptx_list *const lists[] = {&p->registers, &p->locals,       &p->labels,
                                      &p->targets,   &p->instructions, &p->drafts};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        lists[i]->count = 0;
    p->function = function;
    ++p->function_stamp;
    p->variable_number = 0;
    ptx_open_scope(p);
}

static void note_consumed(struct ptx_parser *p, enum ptx_edit_kind kind, size_t back,
                          int64_t addend)
{
    const size_t at = (size_t)(p->consumed - p->module->text) - back;
    ptx_note_edit(p, kind, at, at, NULL, addend);
}

static void parse_definition(struct ptx_parser *p, struct ptx_function *function)
{
    ptx_expect(p, '{');
    note_consumed(p, PTX_EDIT_BODY, 0, function->is_entry);
    p->location = 0;
    function->first_location = (uint32_t)p->locations.count;
    parse_body(p);
    ptx_close_scope(p);
    finish_body(p, function);
    finish_targets(p, function);
    function->has_body = true;
    p->function = NULL;
    ptx_expect(p, '}');
}

/* A declaration behind a definition, or a second weak definition, changes nothing: it is read into a
 * function that nobody knows. */
static struct ptx_function *function_to_fill(struct ptx_parser *p, struct ptx_function *known)
{
    if (!known->has_body)
        return known;
    struct ptx_function *other = ptx_arena_take(&p->module->arena, sizeof *other);
    other->name = known->name;
    other->number = known->number;
    return other;
}

static void parse_entry_parameters(struct ptx_parser *p, struct ptx_function *function)
{
    if (p->token.kind != '(') {
        note_consumed(p, PTX_EDIT_PARAMETERS, 0, PTX_NO_PARENTHESES);
        return;
    }
    function->parameters = ptx_parse_parameters(p, &function->parameter_count);
    note_consumed(p, PTX_EDIT_PARAMETERS, 1,
                  function->parameter_count > 0 ? PTX_SOME_PARAMETERS : PTX_NO_PARAMETERS);
}

void ptx_parse_function(struct ptx_parser *p, enum ptx_linkage linkage)
{
    const bool is_entry = ptx_at_word(p, ".entry");
    ptx_next(p);
    if (ptx_at_word(p, ".attribute"))
        while (p->token.kind != PTX_TOKEN_END && !ptx_accept(p, ')'))
            ptx_next(p);
    struct ptx_function *known = module_function(p, find_name(p));
    struct ptx_function *function = function_to_fill(p, known);
    function->is_entry = is_entry;
    function->line = p->token.line;
    function->linkage = (uint8_t)linkage;
    function->result_count = function->parameter_count = 0;
    begin_function(p, function);
    if (p->token.kind == '(')
        function->results = ptx_parse_parameters(p, &function->result_count);
    ptx_take_name(p);
    if (is_entry)
        parse_entry_parameters(p, function);
    else if (p->token.kind == '(')
        function->parameters = ptx_parse_parameters(p, &function->parameter_count);
    parse_attributes(p, function);
    if (p->token.kind == '{') {
        if (function != known && linkage != PTX_LINKAGE_WEAK)
            ptx_syntax(p, "'%s' is defined twice", known->name);
        parse_definition(p, function);
        return;
    }
    ptx_close_scope(p);
    p->function = NULL;
    if (!ptx_accept(p, ';') && is_entry)
        ptx_syntax(p, "'{' expected");
}
