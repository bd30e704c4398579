/* The parser's instructions and operands.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/ir/words.h"
#include "kernels/ptx/parse/parse.h"

/* ---- Words: understood once for each list of them ---- */

static void grow_templates(struct ptx_parser *p)
{
    const size_t capacity = p->template_capacity ? 2 * p->template_capacity : 512;
    struct ptx_instruction **templates = ptx_arena_array(&p->scratch, capacity, sizeof *templates);
    for (size_t i = 0; i < p->template_capacity; ++i) {
        if (!p->templates[i])
            continue;
        const char *words = p->templates[i]->words;
        size_t place = ptx_hash(words, strlen(words)) & (capacity - 1);
        while (templates[place])
            place = (place + 1) & (capacity - 1);
        templates[place] = p->templates[i];
    }
    ptx_arena_drop(&p->scratch, p->templates, p->template_capacity * sizeof *templates);
    p->templates = templates;
    p->template_capacity = capacity;
}

static const struct ptx_instruction *find_template(struct ptx_parser *p, const char *text,
                                                   size_t length)
{
    if (2 * p->template_count >= p->template_capacity)
        grow_templates(p);
    size_t place = ptx_hash(text, length) & (p->template_capacity - 1);
    for (struct ptx_instruction *found; (found = p->templates[place]);
         place = (place + 1) & (p->template_capacity - 1))
        if (strncmp(found->words, text, length) == 0 && found->words[length] == 0)
            return found;
    struct ptx_instruction *made = ptx_arena_take(&p->scratch, sizeof *made);
    ptx_decode_words(text, length, made);
    made->words = ptx_arena_text(&p->module->arena, text, length);
    p->templates[place] = made;
    ++p->template_count;
    return made;
}

/* "mov .u32": modifiers that stand apart are put together. */
static const struct ptx_instruction *joined_template(struct ptx_parser *p, const char *text,
                                                     size_t length)
{
    char words[160];
    while (length < sizeof words) {
        memcpy(words, text, length);
        if (ptx_lex_peek(&p->lexer) != '.')
            return find_template(p, words, length);
        struct ptx_token more;
        ptx_lex(&p->lexer, &more);
        if (more.kind != PTX_TOKEN_DOT || length + more.length >= sizeof words)
            break;
        ptx_lex_modifiers(&p->lexer, &more);
        if (length + more.length >= sizeof words)
            break;
        memcpy(words + length, more.text, more.length);
        length += more.length;
        text = words;
    }
    ptx_syntax(p, "too many modifiers");
}

/* Where the space .const is named: constants may be moved to .global. */
static void note_const(struct ptx_parser *p, const char *text, const char *end)
{
    static const char word[] = ".const";
    const size_t length = sizeof word - 1;
    for (; (size_t)(end - text) >= length; ++text)
        if (memcmp(text, word, length) == 0) {
            const size_t from = (size_t)(text + 1 - p->module->text);
            ptx_note_edit(p, PTX_EDIT_CONST, from, from + length - 1, NULL, 0);
            return;
        }
}

/* The opcode and its modifiers, which become the instruction but for guard and operands. */
static struct ptx_instruction parse_words(struct ptx_parser *p)
{
    if (p->token.kind != PTX_TOKEN_WORD)
        ptx_syntax(p, "an instruction expected");
    const char *text = p->token.text;
    ptx_lex_modifiers(&p->lexer, &p->token);
    const bool is_whole = p->lexer.at[0] == ' ' || p->lexer.at[0] == '\t' || p->lexer.at[0] == ';';
    const struct ptx_instruction *found = is_whole && ptx_lex_peek(&p->lexer) != '.'
                                              ? find_template(p, text, p->token.length)
                                              : joined_template(p, text, p->token.length);
    const char *const end = p->lexer.at;
    if (found->space == PTX_SPACE_CONST || found->second_space == PTX_SPACE_CONST)
        note_const(p, text, end);
    struct ptx_instruction made = *found;
    made.line = p->token.line;
    made.location = p->location;
    p->words_end = end;
    ptx_next(p);
    return made;
}

/* ---- Names as operands ---- */

/* .x .y .z .w or .r .g .b .a of a vector register; .b3210 and .h10 of the video instructions. */
static void parse_part(struct ptx_parser *p, struct ptx_operand *operand)
{
    static const char parts[] = "xyzwrgba";
    const char *text = p->token.text + 1;
    const size_t length = p->token.length - 1;
    const char *part = length == 1 ? strchr(parts, *text) : NULL;
    const struct ptx_register *registers = p->registers.items;
    if (part && registers[operand->index].width > 1)
        operand->part = (uint8_t)(1 + (part - parts) % 4);
    else if ((*text == 'b' || *text == 'h') && length > 1 && length <= 5) {
        operand->part = (uint8_t)((*text == 'b' ? PTX_PART_BYTES : PTX_PART_HALVES) + length - 1);
        for (size_t i = 1; i < length; ++i) {
            if (text[i] < '0' || text[i] > '7')
                ptx_syntax(p, "no part of a register");
            operand->count = operand->count << 4 | (uint32_t)(text[i] - '0');
        }
    } else
        ptx_syntax(p, "no part of a register");
    ptx_next(p);
}

/* Where a cluster is one block, that is number 0 of 1 in each direction. */
static struct ptx_operand cluster_operand(struct ptx_parser *p, enum ptx_special special)
{
    struct ptx_operand made = {.kind = PTX_OPERAND_INTEGER, .index = -1};
    const bool has_part = p->token.kind == PTX_TOKEN_DOT;
    const char part = has_part && p->token.length == 2 ? p->token.text[1] : 0;
    if (has_part && (!part || !strchr("xyzw", part)))
        ptx_syntax(p, "no part of a special register");
    if (has_part)
        ptx_next(p);
    made.bits = special == PTX_CLUSTER_SIZE          ? part != 'w'
                : special == PTX_IS_EXPLICIT_CLUSTER ? p->function->is_explicit_cluster
                                                     : 0;
    return made;
}

static struct ptx_operand special_operand(struct ptx_parser *p, enum ptx_special special)
{
    if (special >= PTX_CLUSTER_RANK && special <= PTX_IS_EXPLICIT_CLUSTER)
        return cluster_operand(p, special);
    struct ptx_operand made = {.kind = PTX_OPERAND_SPECIAL, .index = (int32_t)special};
    if (p->token.kind != PTX_TOKEN_DOT)
        return made;
    const char part = p->token.length == 2 ? p->token.text[1] : 0;
    const char *place = part ? strchr("xyzw", part) : NULL;
    const unsigned parts = ptx_special_parts(special);
    if (!place || parts == 0)
        ptx_syntax(p, "no part of a special register");
    const unsigned which = (unsigned)(strchr("xyzw", part) - strchr("xyzw", 'x'));
    ptx_next(p);
    if (which == 3) /* the fourth is always 0 */
        return (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .index = -1};
    made.index += (int32_t)which;
    return made;
}

static struct ptx_operand unknown_operand(struct ptx_parser *p, struct ptx_atom *atom, size_t from)
{
    struct ptx_pending *pending = ptx_arena_take(&p->scratch, sizeof *pending);
    pending->atom = atom;
    pending->line = p->token.line;
    pending->from = (uint32_t)from;
    pending->to = (uint32_t)from + atom->length;
    return (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .index = -1, .pending = pending};
}

static bool is_placed(const struct ptx_variable *variable)
{
    return variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST;
}

/* name, name + 4, name[2] */
static struct ptx_operand variable_operand(struct ptx_parser *p, struct ptx_variable *variable,
                                           size_t from)
{
    struct ptx_operand made = {.kind = PTX_OPERAND_VARIABLE, .index = -1, .variable = variable};
    uint64_t addend = 0;
    variable->is_used = true;
    if (ptx_accept(p, '[')) {
        const uint64_t step =
            (uint64_t)ptx_type_bytes((enum ptx_type)variable->type) * variable->width;
        addend = (uint64_t)ptx_parse_integer(p) * step;
        ptx_expect(p, ']');
    }
    if (p->token.kind == '+' || p->token.kind == '-')
        addend += (uint64_t)ptx_parse_integer(p);
    made.bits = (int64_t)addend;
    if (is_placed(variable))
        ptx_note_edit(p, PTX_EDIT_ADDRESS, from, (size_t)(p->consumed - p->module->text), variable,
                      made.bits);
    else if (ptx_is_dynamic(variable))
        ptx_note_edit(p, PTX_EDIT_DYNAMIC, from, (size_t)(p->consumed - p->module->text), variable,
                      made.bits);
    return made;
}

static struct ptx_operand bound_operand(struct ptx_parser *p, const struct ptx_binding *binding,
                                        size_t from)
{
    struct ptx_operand made = {.kind = PTX_OPERAND_REGISTER, .index = (int32_t)binding->index};
    switch (binding->kind) {
    case PTX_BIND_REGISTER:
        if (p->token.kind == PTX_TOKEN_DOT)
            parse_part(p, &made);
        return made;
    case PTX_BIND_VARIABLE:
        return variable_operand(p, binding->variable, from);
    case PTX_BIND_FUNCTION:
        made = (struct ptx_operand){
            .kind = PTX_OPERAND_FUNCTION, .index = -1, .function = binding->function};
        return made;
    case PTX_BIND_TARGETS:
        made.kind = PTX_OPERAND_TARGETS;
        return made;
    default:
        ptx_syntax(p, "this name is no operand");
    }
}

static struct ptx_operand parse_name(struct ptx_parser *p)
{
    const struct ptx_token token = p->token;
    const size_t from = (size_t)(token.text - p->module->text);
    ptx_next(p);
    if (token.length == 1 && *token.text == '_')
        return (struct ptx_operand){.kind = PTX_OPERAND_SINK, .index = -1};
    struct ptx_atom *atom = ptx_atom_of(p, token.text, token.length, token.hash);
    const struct ptx_binding *binding = ptx_look_up(p, atom);
    if (!binding) {
        const int special = ptx_special_of(token.text, token.length);
        return special >= 0 ? special_operand(p, (enum ptx_special)special)
                            : unknown_operand(p, atom, from);
    }
    if (binding->kind != PTX_BIND_LABEL)
        return bound_operand(p, binding, from);
    if (binding->depth != ptx_depth(p)) /* the same name may follow in this scope */
        return unknown_operand(p, atom, from);
    return (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .index = (int32_t)binding->index};
}

static bool is_unknown(const struct ptx_operand *operand)
{
    return operand->pending &&
           (operand->kind == PTX_OPERAND_LABEL || operand->kind == PTX_OPERAND_ADDRESS);
}

void ptx_resolve(struct ptx_parser *p, const struct ptx_pending *pending)
{
    struct ptx_operand *operand = pending->operand;
    const struct ptx_binding *binding = pending->atom->binding;
    const bool is_address = operand->kind == PTX_OPERAND_ADDRESS;
    operand->pending = NULL;
    if (binding->kind == PTX_BIND_VARIABLE) {
        operand->kind = is_address ? PTX_OPERAND_ADDRESS : PTX_OPERAND_VARIABLE;
        operand->variable = binding->variable;
        binding->variable->is_used = true;
        if (is_placed(binding->variable))
            ptx_note_edit(p, PTX_EDIT_ADDRESS, pending->from, pending->to, binding->variable,
                          operand->bits);
    } else if (is_address || binding->kind == PTX_BIND_REGISTER)
        ptx_syntax_at(p, pending->line, "'%s' is used before it is declared",
                      ptx_atom_name(p, pending->atom));
    else {
        static const uint8_t kinds[] = {[PTX_BIND_FUNCTION] = PTX_OPERAND_FUNCTION,
                                        [PTX_BIND_LABEL] = PTX_OPERAND_LABEL,
                                        [PTX_BIND_TARGETS] = PTX_OPERAND_TARGETS};
        operand->kind = kinds[binding->kind];
        operand->function = binding->function;
        operand->index = binding->kind == PTX_BIND_FUNCTION ? -1 : (int32_t)binding->index;
    }
}

/* ---- Operands ---- */

static struct ptx_operand parse_operand(struct ptx_parser *p);

static void push_operand(struct ptx_parser *p, struct ptx_operand operand)
{
    struct ptx_operand *added = ptx_list_add(p, &p->operands, sizeof *added);
    *added = operand;
}

/* Those above `base` of the stack, in the module's memory; names not known yet become pending. */
static struct ptx_operand *keep_operands(struct ptx_parser *p, size_t base, uint32_t *count)
{
    struct ptx_operand *from = p->operands.items;
    *count = (uint32_t)(p->operands.count - base);
    if (*count == 0)
        return NULL;
    struct ptx_operand *kept = ptx_arena_array(&p->module->arena, *count, sizeof *kept);
    memcpy(kept, from + base, *count * sizeof *kept);
    p->operands.count = base;
    for (uint32_t i = 0; i < *count; ++i) {
        if (is_unknown(&kept[i]))
            ptx_leave_pending(p, kept[i].pending, &kept[i]);
    }
    return kept;
}

static bool is_of_predicate(const struct ptx_parser *p, const struct ptx_operand *operand);

/* That no instruction but vmad has the operand just read as -%r. */
static void check_sign(struct ptx_parser *p, uint16_t opcode)
{
    const struct ptx_operand *operands = p->operands.items;
    const struct ptx_operand *last = &operands[p->operands.count - 1];
    if (opcode != PTX_OPCODE_vmad && last->kind == PTX_OPERAND_REGISTER && last->is_negated &&
        !is_of_predicate(p, last))
        ptx_syntax(p, "a register with a sign");
}

/* {a, b, c}, or (a, b) of a call. */
static struct ptx_operand parse_list(struct ptx_parser *p, int open, int close)
{
    const size_t base = p->operands.count;
    struct ptx_operand made = {.kind = PTX_OPERAND_VECTOR, .index = -1};
    ptx_enter(p);
    ptx_expect(p, open);
    while (p->token.kind != close) {
        push_operand(p, parse_operand(p));
        check_sign(p, PTX_OPCODES);
        if (!ptx_accept(p, ','))
            break;
    }
    ptx_expect(p, close);
    --p->nesting;
    made.list = keep_operands(p, base, &made.count);
    return made;
}

/* What stands in brackets before the first comma, as an address. */
static struct ptx_operand as_address(struct ptx_parser *p, struct ptx_operand base)
{
    switch (base.kind) {
    case PTX_OPERAND_REGISTER:
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_INTEGER:
        break;
    case PTX_OPERAND_LABEL:
        if (base.pending)
            break; /* fall through */
    default:
        ptx_syntax(p, "an address expected");
    }
    if (base.kind != PTX_OPERAND_REGISTER)
        base.index = -1;
    base.kind = PTX_OPERAND_ADDRESS;
    return base;
}

/* [a], [a + 4], [t, {x, y}], [t, s, {x}] */
static struct ptx_operand parse_brackets(struct ptx_parser *p)
{
    const size_t stack = p->operands.count;
    ptx_enter(p);
    ptx_expect(p, '[');
    struct ptx_operand base = parse_operand(p);
    const bool can_add =
        base.kind == PTX_OPERAND_REGISTER || (base.kind == PTX_OPERAND_LABEL && base.pending);
    if (can_add && (p->token.kind == '+' || p->token.kind == '-')) {
        base.bits = ptx_parse_integer(p);
        if (base.pending)
            base.pending->to = (uint32_t)(p->consumed - p->module->text);
    }
    if (p->token.kind != ',') {
        ptx_expect(p, ']');
        --p->nesting;
        return as_address(p, base);
    }
    push_operand(p, base);
    while (ptx_accept(p, ','))
        push_operand(p, parse_operand(p));
    ptx_expect(p, ']');
    --p->nesting;
    struct ptx_operand made = {.kind = PTX_OPERAND_TEXTURE, .index = -1};
    made.list = keep_operands(p, stack, &made.count);
    return made;
}

static struct ptx_operand constant_operand(struct ptx_parser *p)
{
    const struct ptx_constant value = ptx_parse_constant(p);
    return (struct ptx_operand){.kind = value.is_float ? PTX_OPERAND_FLOAT : PTX_OPERAND_INTEGER,
                                .is_double = value.is_double,
                                .index = -1,
                                .bits = (int64_t)value.bits};
}

/* Of an operand that is a register. */
static bool is_of_predicate(const struct ptx_parser *p, const struct ptx_operand *operand)
{
    const struct ptx_register *registers = p->registers.items;
    return registers[operand->index].type == PTX_PRED;
}

static struct ptx_operand parse_operand(struct ptx_parser *p)
{
    switch (p->token.kind) {
    case PTX_TOKEN_WORD:
        return parse_name(p);
    case '{':
        return parse_list(p, '{', '}');
    case '[':
        return parse_brackets(p);
    case '-': /* vmad negates registers */
        if (ptx_lex_peek(&p->lexer) == '%') {
            ptx_next(p);
            struct ptx_operand made = parse_name(p);
            if (made.kind != PTX_OPERAND_REGISTER || is_of_predicate(p, &made))
                ptx_syntax(p, "a register expected");
            made.is_negated = true;
            return made;
        }
        return constant_operand(p);
    case '!':
        if (ptx_lex_peek(&p->lexer) == '%' || p->lexer.at[0] > '9') {
            ptx_next(p);
            struct ptx_operand made =
                p->token.kind == PTX_TOKEN_WORD ? parse_name(p) : (struct ptx_operand){0};
            if (made.kind != PTX_OPERAND_REGISTER || !is_of_predicate(p, &made))
                ptx_syntax(p, "a predicate expected");
            made.is_negated = true;
            return made;
        } /* fall through */
    default:
        return constant_operand(p);
    }
}

/* call (result), function, (arguments), prototype; with fewer of them too. */
static void parse_call(struct ptx_parser *p)
{
    static const struct ptx_operand none = {.kind = PTX_OPERAND_VECTOR, .index = -1};
    const bool has_results = p->token.kind == '(';
    push_operand(p, has_results ? parse_list(p, '(', ')') : none);
    if (has_results)
        ptx_expect(p, ',');
    if (p->token.kind != PTX_TOKEN_WORD)
        ptx_syntax(p, "the function to call expected");
    push_operand(p, parse_operand(p));
    bool has_arguments = false;
    while (ptx_accept(p, ',')) {
        if (!has_arguments)
            push_operand(p, p->token.kind == '(' ? parse_list(p, '(', ')') : none);
        has_arguments = true;
        if (p->token.kind == PTX_TOKEN_WORD)
            push_operand(p, parse_operand(p));
    }
    if (!has_arguments)
        push_operand(p, none);
}

static void parse_operands(struct ptx_parser *p, struct ptx_instruction *instruction)
{
    if (p->token.kind == ';')
        return;
    push_operand(p, parse_operand(p));
    check_sign(p, instruction->opcode);
    if (ptx_accept(p, '|')) {
        instruction->has_second_destination = true;
        push_operand(p, parse_operand(p));
        check_sign(p, instruction->opcode);
    }
    while (ptx_accept(p, ',')) {
        push_operand(p, parse_operand(p));
        check_sign(p, instruction->opcode);
    }
}

static bool is_predicate(const struct ptx_parser *p, const struct ptx_binding *binding)
{
    const struct ptx_register *registers = p->registers.items;
    return binding->kind == PTX_BIND_REGISTER && registers[binding->index].type == PTX_PRED;
}

static void parse_guard(struct ptx_parser *p, int32_t *guard, bool *is_negated)
{
    *guard = -1;
    *is_negated = false;
    if (!ptx_accept(p, '@'))
        return;
    *is_negated = ptx_accept(p, '!');
    struct ptx_atom *atom = ptx_take_name(p);
    const struct ptx_binding *binding = ptx_look_up(p, atom);
    if (!binding || !is_predicate(p, binding))
        ptx_syntax(p, "'%s' is no predicate", ptx_atom_name(p, atom));
    *guard = (int32_t)binding->index;
}

/* cvta takes no numbers: of a variable it becomes a mov. */
static void note_cvta(struct ptx_parser *p, size_t base, size_t from, size_t to)
{
    const struct ptx_operand *operands = p->operands.items;
    for (size_t i = base; i < p->operands.count; ++i)
        if (operands[i].kind == PTX_OPERAND_VARIABLE && is_placed(operands[i].variable))
            ptx_note_edit(p, PTX_EDIT_CVTA, from, to, NULL,
                          p->module->address_bits == 32 ? 32 : 64);
}

/* .extern .shared memory becomes a register: what is added to it in a mov is added by an add. */
static void note_dynamic(struct ptx_parser *p, size_t first, const struct ptx_instruction *made,
                         size_t from, size_t to)
{
    const size_t count = p->edits.count;
    const bool is_wide = made->type_count == 0 || ptx_type_bytes(made->types[0]) == 8;
    if (made->opcode != PTX_OPCODE_mov)
        return;
    for (size_t i = first; i < count; ++i) {
        struct ptx_edit *edit = (struct ptx_edit *)p->edits.items + i;
        if (edit->kind != PTX_EDIT_DYNAMIC)
            continue;
        edit->kind = is_wide ? PTX_EDIT_DYNAMIC_64 : PTX_EDIT_DYNAMIC_32;
        if (edit->addend != 0)
            ptx_note_edit(p, PTX_EDIT_ADD, from, to, NULL, is_wide ? 64 : 32);
    }
}

/* Only mov and cvta take numbers for addresses. */
static void note_addresses(struct ptx_parser *p, size_t first, const struct ptx_instruction *made,
                           size_t start)
{
    const size_t count = p->edits.count;
    unsigned number = 0;
    if (made->opcode == PTX_OPCODE_mov || made->opcode == PTX_OPCODE_cvta)
        return;
    for (size_t i = first; i < count && number < PTX_EDIT_REGISTERS; ++i) {
        struct ptx_edit *edit = (struct ptx_edit *)p->edits.items + i;
        if (edit->kind != PTX_EDIT_ADDRESS)
            continue;
        edit->kind = PTX_EDIT_LOADED;
        edit->number = number++;
        const struct ptx_edit loaded = *edit;
        ptx_note_edit(p, PTX_EDIT_LOAD, start, start, loaded.variable, loaded.addend);
        ((struct ptx_edit *)p->edits.items + p->edits.count - 1)->number = loaded.number;
    }
}

/* Of an instruction that is not known, which may have any operands but a brace too many. */
static void skip_operands(struct ptx_parser *p)
{
    size_t depth = 0;
    while (p->token.kind != ';' && p->token.kind != PTX_TOKEN_END) {
        if (p->token.kind == '}' && depth-- == 0)
            return;
        depth += p->token.kind == '{';
        ptx_next(p);
    }
}

void ptx_parse_instruction(struct ptx_parser *p)
{
    const size_t start = (size_t)(p->token.text - p->module->text);
    int32_t guard;
    bool is_negated;
    parse_guard(p, &guard, &is_negated);
    const size_t words = (size_t)(p->token.text - p->module->text);
    struct ptx_instruction made = parse_words(p);
    const size_t words_end = (size_t)(p->words_end - p->module->text);
    made.guard = guard;
    made.guard_negated = is_negated;
    const size_t base = p->operands.count, edits = p->edits.count;
    if (made.opcode == PTX_OPCODES)
        skip_operands(p);
    else if (made.opcode == PTX_OPCODE_call)
        parse_call(p);
    else
        parse_operands(p, &made);
    ptx_expect(p, ';');
    if (made.opcode == PTX_OPCODE_cvta)
        note_cvta(p, base, words, words_end);
    note_dynamic(p, edits, &made, words, words_end);
    note_addresses(p, edits, &made, start);
    made.operands = keep_operands(p, base, &made.operand_count);
    struct ptx_instruction *added = ptx_list_add(p, &p->instructions, sizeof *added);
    *added = made;
}
