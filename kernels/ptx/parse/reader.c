/* What the parser reads with: tokens, lists, names and scopes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/base/budget.h"
#include "kernels/ptx/parse/parse.h"

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

struct ptx_name_scope *ptx_scope_at(struct ptx_parser *p, uint32_t depth)
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
void ptx_resolve_pending(struct ptx_parser *p, struct ptx_atom *atom, uint64_t first)
{
    if (atom->binding->kind == PTX_BIND_RANGE)
        return;
    while (atom->pending && atom->pending->number >= first) {
        const struct ptx_pending *pending = atom->pending;
        atom->pending = pending->outer;
        p->resolve(p, pending);
    }
}

void ptx_close_scope(struct ptx_parser *p)
{
    const struct ptx_name_scope *scope = ptx_scope_at(p, ptx_depth(p));
    for (struct ptx_binding *binding = scope->bindings; binding;) {
        struct ptx_binding *next = binding->next;
        ptx_resolve_pending(p, binding->atom, scope->first_pending);
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
    struct ptx_name_scope *scope = ptx_scope_at(p, depth);
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
    const uint32_t range_depth = ptx_scope_at(p, ptx_depth(p))->range_depth;
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
