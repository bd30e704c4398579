/* The parser's declarations: registers, variables with their first values, parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "kernels/ptx/ir/words.h"
#include "kernels/ptx/parse/parse.h"

enum { MAX_DIMENSIONS = 16, VECTOR_BYTES = 16, VARIABLES_OF_A_NAME = 100000 };
#define MAX_BYTES ((size_t)1 << 40)

/* What stands before the names of a declaration, and the shape of one name. */
struct shape {
    enum ptx_space space;
    enum ptx_type type;
    uint8_t width;
    bool is_managed;
    size_t alignment;
    size_t align_from,
        align_to; /* .align N in the text; where there is none: behind the state space */
    size_t sizes[MAX_DIMENSIONS]; /* 0: [] */
    unsigned dimensions;
};

static const struct {
    const char *word;
    enum ptx_space space;
} spaces[] = {{".reg", PTX_SPACE_REG},       {".param", PTX_SPACE_PARAM},
              {".shared", PTX_SPACE_SHARED}, {".local", PTX_SPACE_LOCAL},
              {".global", PTX_SPACE_GLOBAL}, {".const", PTX_SPACE_CONST},
              {".tex", PTX_SPACE_TEX}};

bool ptx_at_space(const struct ptx_parser *p)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; ++i)
        if (ptx_at_word(p, spaces[i].word))
            return true;
    return false;
}

static enum ptx_space take_space(struct ptx_parser *p)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; ++i)
        if (ptx_accept_word(p, spaces[i].word))
            return spaces[i].space;
    ptx_syntax(p, "a state space expected");
}

/* .attribute(.managed, .unified(1, 2)) */
static void parse_attributes(struct ptx_parser *p, struct shape *shape)
{
    ptx_expect(p, '(');
    do {
        if (ptx_accept_word(p, ".managed"))
            shape->is_managed = true;
        else if (ptx_accept_word(p, ".unified")) {
            ptx_expect(p, '(');
            ptx_parse_constant(p);
            ptx_expect(p, ',');
            ptx_parse_constant(p);
            ptx_expect(p, ')');
        } else
            ptx_syntax(p, "an attribute expected");
    } while (ptx_accept(p, ','));
    ptx_expect(p, ')');
}

static size_t parse_alignment(struct ptx_parser *p)
{
    const size_t alignment = ptx_parse_size(p);
    if (alignment == 0 || alignment > 4096 || (alignment & (alignment - 1)))
        ptx_syntax(p, "an alignment is a power of 2");
    return alignment;
}

static void parse_alignment_at(struct ptx_parser *p, struct shape *shape, const char *start)
{
    shape->alignment = parse_alignment(p);
    shape->align_from = (size_t)(start - p->module->text);
    shape->align_to = (size_t)(p->consumed - p->module->text);
}

/* .ptr .global .align 8: what a parameter points to, a hint. Drivers may take it for more. */
static void parse_pointer_hint(struct ptx_parser *p, const char *start)
{
    const char *const text = p->module->text;
    if (p->token.kind == PTX_TOKEN_DOT && !ptx_at_word(p, ".align"))
        take_space(p);
    if (ptx_accept_word(p, ".align"))
        parse_alignment(p);
    ptx_note_edit(p, PTX_EDIT_REMOVE, (size_t)(start - text), (size_t)(p->consumed - text), NULL,
                  0);
}

static struct shape parse_shape(struct ptx_parser *p)
{
    struct shape shape = {.space = take_space(p), .width = 1};
    shape.align_from = shape.align_to = (size_t)(p->consumed - p->module->text);
    if (shape.space == PTX_SPACE_CONST && ptx_accept(p, '[')) {
        ptx_parse_size(p); /* a bank of .const, of ISA 1.x and 2.x */
        ptx_expect(p, ']');
    }
    while (p->token.kind == PTX_TOKEN_DOT) {
        const struct ptx_token token = p->token;
        ptx_next(p);
        const enum ptx_type type = ptx_type_of(token.text + 1, token.length - 1);
        if (type != PTX_NONE && shape.type == PTX_NONE)
            shape.type = type;
        else if (token.length == 3 && token.text[1] == 'v' && strchr("248", token.text[2]))
            shape.width = (uint8_t)(token.text[2] - '0');
        else if (token.length == 6 && memcmp(token.text, ".align", 6) == 0)
            parse_alignment_at(p, &shape, token.text);
        else if (token.length == 4 && memcmp(token.text, ".ptr", 4) == 0)
            parse_pointer_hint(p, token.text);
        else if (token.length == 10 && memcmp(token.text, ".attribute", 10) == 0)
            parse_attributes(p, &shape);
        else
            ptx_syntax_at(p, token.line, "'%.*s' does not belong into a declaration",
                          (int)(token.length < 40 ? token.length : 40), token.text);
    }
    if (shape.type == PTX_NONE)
        ptx_syntax(p, "a type expected");
    if (shape.space == PTX_SPACE_TEX) {
        shape.space = PTX_SPACE_GLOBAL; /* .tex .u32 name: a reference, of ISA 1.x to 3.x */
        shape.type = PTX_TEXREF;
    }
    return shape;
}

static void parse_sizes(struct ptx_parser *p, struct shape *shape)
{
    shape->dimensions = 0;
    while (ptx_accept(p, '[')) {
        if (shape->dimensions == MAX_DIMENSIONS)
            ptx_syntax(p, "too many dimensions");
        shape->sizes[shape->dimensions] = p->token.kind == ']' ? 0 : ptx_parse_size(p);
        if (shape->dimensions > 0 && shape->sizes[shape->dimensions] == 0)
            ptx_syntax(p, "only the first dimension may have no size");
        ++shape->dimensions;
        ptx_expect(p, ']');
    }
}

/* Bytes of one element of the dimension before `level`: the product of all from there on. */
static size_t stride(struct ptx_parser *p, const struct shape *shape, unsigned level)
{
    size_t bytes = ptx_type_bytes(shape->type) * shape->width;
    for (unsigned i = level; i < shape->dimensions; ++i) {
        if (shape->sizes[i] != 0 && bytes > MAX_BYTES / shape->sizes[i])
            ptx_syntax(p, "too large");
        bytes *= shape->sizes[i];
    }
    return bytes;
}

static void fill_variable(struct ptx_parser *p, struct ptx_variable *variable,
                          const struct shape *shape)
{
    const size_t natural = ptx_type_bytes(shape->type) * shape->width;
    variable->space = (uint8_t)shape->space;
    variable->type = (uint8_t)shape->type;
    variable->width = shape->width;
    variable->is_managed = shape->is_managed;
    variable->is_array = shape->dimensions > 0;
    variable->is_unsized = shape->dimensions > 0 && shape->sizes[0] == 0;
    variable->alignment = shape->alignment > natural ? shape->alignment : natural;
    if (shape->alignment && shape->alignment < natural && shape->width > 1)
        variable->alignment = shape->alignment > ptx_type_bytes(shape->type)
                                  ? shape->alignment
                                  : ptx_type_bytes(shape->type);
    variable->bytes = stride(p, shape, 0);
}

/* ---- First values ---- */

static struct ptx_initial *add_initial(struct ptx_parser *p, size_t offset, size_t bytes)
{
    struct ptx_initial *added = ptx_list_add(p, &p->initials, sizeof *added);
    added->offset = offset;
    added->bytes = bytes;
    return added;
}

/* The low bytes of a number, unless they are zero. Gaps of zeros that are shorter than what describes the next numbers are stored. */
static void add_number(struct ptx_parser *p, size_t offset, size_t bytes, uint64_t bits)
{
    const size_t count = p->initials.count;
    struct ptx_initial *last = count ? (struct ptx_initial *)p->initials.items + count - 1 : NULL;
    size_t end = last ? last->offset + last->bytes : 0;
    if ((bytes < 8 ? bits & ((UINT64_C(1) << (8 * bytes)) - 1) : bits) == 0)
        return;
    if (!last || last->symbol || offset < end || offset - end > sizeof *last) {
        last = add_initial(p, offset, 0);
        last->bits = (int64_t)p->values.count;
        end = offset;
    }
    for (; end < offset; ++end)
        ptx_list_add(p, &p->values, 1);
    for (size_t i = 0; i < bytes; ++i)
        *(unsigned char *)ptx_list_add(p, &p->values, 1) = (unsigned char)(bits >> (8 * i));
    last->bytes = offset + bytes - last->offset;
}

static void keep_initials(struct ptx_parser *p, struct ptx_variable *variable)
{
    const unsigned char *values = ptx_list_keep(p, &p->values, 1);
    variable->initial_count = p->initials.count;
    variable->initials = ptx_list_keep(p, &p->initials, sizeof *variable->initials);
    for (size_t i = 0; i < variable->initial_count; ++i) {
        struct ptx_initial *initial = &variable->initials[i];
        if (initial->symbol)
            continue;
        initial->values = values + initial->bits;
        initial->bits = 0;
    }
}

/* name, name + 4, name - 4, after the name: what is added. */
static int64_t parse_addend(struct ptx_parser *p)
{
    if (p->token.kind != '+' && p->token.kind != '-')
        return 0;
    return ptx_parse_integer(p);
}

/* name, generic(name) and generic(name + 4), each with an addend. */
static void parse_address(struct ptx_parser *p, struct ptx_initial *initial)
{
    if (ptx_accept_word(p, "generic")) {
        ptx_enter(p);
        ptx_expect(p, '(');
        parse_address(p, initial);
        ptx_expect(p, ')');
        --p->nesting;
        initial->is_generic = true;
    } else
        initial->symbol = ptx_atom_name(p, ptx_take_name(p));
    initial->bits = (int64_t)((uint64_t)initial->bits + (uint64_t)parse_addend(p));
}

/* 0xFF00(name): which byte of the address, from the mask. */
static void parse_masked_address(struct ptx_parser *p, struct ptx_initial *initial, uint64_t mask)
{
    for (unsigned byte = 0; byte < 8; ++byte)
        if (mask == UINT64_C(0xff) << (8 * byte)) {
            initial->first = (uint8_t)byte;
            initial->bytes = 1;
            ptx_expect(p, '(');
            parse_address(p, initial);
            ptx_expect(p, ')');
            return;
        }
    ptx_syntax(p, "a mask of one byte expected");
}

static void parse_value(struct ptx_parser *p, const struct shape *shape, size_t offset)
{
    const size_t bytes = ptx_type_bytes(shape->type);
    if (p->token.kind == PTX_TOKEN_WORD && !ptx_at_word(p, "WARP_SZ")) {
        parse_address(p, add_initial(p, offset, bytes));
        return;
    }
    const struct ptx_constant value = ptx_parse_constant(p);
    if (p->token.kind == '(')
        parse_masked_address(p, add_initial(p, offset, bytes), value.bits);
    else if (p->token.kind == PTX_TOKEN_WORD && !value.is_float)
        ptx_syntax(p, "a number is followed by a name");
    else
        add_number(p, offset, bytes > 8 ? 8 : bytes, ptx_constant_bits(p, value, shape->type));
}

/* "text" as bytes; \n, \t, \\, \", \0 and \xHH as in C. */
static size_t parse_text(struct ptx_parser *p, size_t offset)
{
    static const char escapes[] = "n\nt\tr\rb\bf\fa\av\v";
    const char *at = p->token.text, *const end = at + p->token.length;
    for (; at < end; ++at, ++offset) {
        unsigned char value = (unsigned char)*at;
        if (*at == '\\' && at + 1 < end) {
            const char *escape = *++at ? strchr(escapes, *at) : NULL;
            value = escape ? (unsigned char)escape[1] : *at == '0' ? 0 : (unsigned char)*at;
        }
        add_number(p, offset, 1, value);
    }
    ptx_next(p);
    return offset;
}

/* A braced list of the dimension `level` that begins at offset; returns where what it holds ends. */
static size_t parse_values(struct ptx_parser *p, const struct shape *shape, unsigned level,
                           size_t offset)
{
    const unsigned levels = shape->dimensions + (shape->width > 1);
    const bool is_open = level == 0 && shape->dimensions > 0 && shape->sizes[0] == 0;
    const size_t start = offset;
    const size_t extent = is_open                     ? MAX_BYTES
                          : level < shape->dimensions ? stride(p, shape, level)
                                                      : ptx_type_bytes(shape->type) * shape->width;
    ptx_enter(p);
    ptx_expect(p, '{');
    while (p->token.kind != '}') {
        if (p->token.kind == '{') {
            if (level + 1 >= levels)
                ptx_syntax(p, "too many braces");
            parse_values(p, shape, level + 1, offset);
            offset += level + 1 <= shape->dimensions ? stride(p, shape, level + 1) : 0;
        } else if (p->token.kind == PTX_TOKEN_STRING && ptx_type_bytes(shape->type) == 1) {
            offset = parse_text(p, offset);
        } else {
            parse_value(p, shape, offset);
            offset += ptx_type_bytes(shape->type);
        }
        if (offset - start > extent)
            ptx_syntax(p, "more values than places");
        if (!ptx_accept(p, ','))
            break;
    }
    ptx_expect(p, '}');
    --p->nesting;
    return offset;
}

/* What samplers and textures are made with in PTX is not read: programs bind references. */
static void skip_braces(struct ptx_parser *p)
{
    size_t depth = 0;
    do {
        if (p->token.kind == PTX_TOKEN_END)
            ptx_syntax(p, "'}' expected");
        depth += p->token.kind == '{';
        depth -= p->token.kind == '}' && depth > 0;
        ptx_next(p);
    } while (depth > 0);
}

static void parse_initial(struct ptx_parser *p, struct ptx_variable *variable,
                          const struct shape *shape)
{
    if (shape->type >= PTX_TEXREF && shape->type <= PTX_SURFREF) {
        skip_braces(p);
        return;
    }
    if (shape->space != PTX_SPACE_GLOBAL && shape->space != PTX_SPACE_CONST)
        ptx_syntax(p, "only .global and .const variables have first values");
    size_t end = 0;
    p->initials.count = p->values.count = 0;
    if (p->token.kind == '{')
        end = parse_values(p, shape, 0, 0);
    else if (p->token.kind == PTX_TOKEN_STRING && ptx_type_bytes(shape->type) == 1)
        end = parse_text(p, 0);
    else if (shape->dimensions == 0)
        parse_value(p, shape, 0);
    else
        ptx_syntax(p, "'{' expected");
    if (variable->is_unsized) {
        const size_t step = stride(p, shape, 1);
        variable->bytes = step ? (end + step - 1) / step * step : 0;
        variable->is_unsized = false;
    } else if (end > variable->bytes)
        ptx_syntax(p, "more values than places");
    keep_initials(p, variable);
}

/* ---- Names ---- */

/* A variable of the module; a definition takes the place of what was declared before it. */
static struct ptx_variable *module_variable(struct ptx_parser *p, struct ptx_atom *atom)
{
    if (atom->binding && atom->binding->kind == PTX_BIND_VARIABLE)
        return atom->binding->variable;
    struct ptx_variable *made = ptx_arena_take(&p->module->arena, sizeof *made);
    made->number = (uint32_t)p->variables.count;
    made->linkage = PTX_LINKAGE_EXTERN;
    made->name = ptx_atom_name(p, atom);
    struct ptx_variable **row = ptx_list_add(p, &p->variables, sizeof *row);
    *row = made;
    ptx_bind(p, atom, PTX_BIND_VARIABLE, 0)->variable = made;
    return made;
}

static bool is_tentative(enum ptx_linkage linkage)
{
    return linkage == PTX_LINKAGE_WEAK || linkage == PTX_LINKAGE_COMMON;
}

static void define_module_variable(struct ptx_parser *p, struct ptx_atom *atom,
                                   const struct ptx_variable *made)
{
    struct ptx_variable *known = module_variable(p, atom);
    const bool is_new = known->line == 0;
    if (!is_new && made->linkage == PTX_LINKAGE_EXTERN)
        return;
    if (!is_new && known->linkage != PTX_LINKAGE_EXTERN) {
        if (is_tentative(made->linkage))
            return;
        if (!is_tentative(known->linkage))
            ptx_syntax(p, "'%s' is defined twice", known->name);
    }
    const char *name = known->name;
    const uint32_t number = known->number;
    *known = *made;
    known->name = name;
    known->number = number;
}

static void define_local_variable(struct ptx_parser *p, struct ptx_atom *atom,
                                  const struct ptx_variable *made)
{
    struct ptx_variable *kept = ptx_arena_take(&p->module->arena, sizeof *kept);
    *kept = *made;
    kept->owner = p->function;
    kept->number = p->variable_number++;
    struct ptx_variable **row = ptx_list_add(p, &p->locals, sizeof *row);
    *row = kept;
    ptx_bind(p, atom, PTX_BIND_VARIABLE, ptx_depth(p))->variable = kept;
    kept->name = ptx_own_name(p, atom);
}

static void define_variable(struct ptx_parser *p, struct ptx_atom *atom,
                            const struct ptx_variable *made, const struct shape *shape)
{
    if (p->function)
        define_local_variable(p, atom, made);
    else if (shape->space == PTX_SPACE_PARAM)
        ptx_syntax(p, "a parameter outside a function");
    else
        define_module_variable(p, atom, made);
}

/* The number of names in `%r<10>`, of which the first '<' has been read. */
static uint32_t parse_name_count(struct ptx_parser *p, uint64_t limit, const char *too_many)
{
    const struct ptx_token count = p->token;
    ptx_expect(p, PTX_TOKEN_INTEGER);
    if (count.bits > limit)
        ptx_syntax_at(p, count.line, "%s", too_many);
    ptx_expect(p, '>');
    return (uint32_t)count.bits;
}

/* `.param .u64 %P<2>;` is two variables, %P0 and %P1, neither arrays nor with values. */
static void parse_numbered_variables(struct ptx_parser *p, struct ptx_atom *atom,
                                     const struct ptx_variable *made, const struct shape *shape)
{
    const uint32_t count = parse_name_count(p, VARIABLES_OF_A_NAME, "too many variables");
    for (uint32_t i = 0; i < count; ++i) {
        const char *name =
            ptx_arena_format(&p->module->arena, "%.*s%" PRIu32, (int)atom->length, atom->text, i);
        const size_t length = strlen(name);
        struct ptx_atom *numbered = ptx_atom_of(p, name, length, ptx_hash(name, length));
        define_variable(p, numbered, made, shape);
    }
}

static void parse_variable(struct ptx_parser *p, enum ptx_linkage linkage, struct shape *shape)
{
    struct ptx_atom *atom = ptx_take_name(p);
    struct ptx_variable made = {.linkage = (uint8_t)linkage, .line = p->token.line};
    const bool is_numbered = ptx_accept(p, '<');
    parse_sizes(p, shape);
    fill_variable(p, &made, shape);
    if (is_numbered) {
        parse_numbered_variables(p, atom, &made, shape);
        return;
    }
    if (ptx_accept(p, '='))
        parse_initial(p, &made, shape);
    define_variable(p, atom, &made, shape);
}

static struct ptx_binding *add_register(struct ptx_parser *p, struct ptx_atom *atom,
                                        const struct shape *shape)
{
    struct ptx_binding *binding = ptx_bind(p, atom, PTX_BIND_REGISTER, ptx_depth(p));
    binding->index = (uint32_t)p->registers.count;
    struct ptx_register *added = ptx_list_add(p, &p->registers, sizeof *added);
    added->name = ptx_own_name(p, atom);
    added->type = (uint8_t)shape->type;
    added->width = shape->width;
    return binding;
}

static void parse_register(struct ptx_parser *p, const struct shape *shape)
{
    if (!p->function)
        ptx_syntax(p, "a register outside a function");
    struct ptx_atom *atom = ptx_take_name(p);
    if (!ptx_accept(p, '<')) {
        add_register(p, atom, shape);
        return;
    }
    const uint32_t count = parse_name_count(p, 100000000, "too many registers");
    struct ptx_binding *range = ptx_bind(p, atom, PTX_BIND_RANGE, ptx_depth(p));
    range->type = (uint8_t)shape->type;
    range->width = shape->width;
    range->count = count;
}

/* Programs read arrays of bytes by words and vectors, and do so without harm where CUDA puts them: at a block's beginning, or
 * behind others of whole vectors. Drivers that take PTX as OpenCL's have memory of their own there. So an array begins at a
 * multiple of what its bytes are a multiple of: it leaves no gap behind it, and takes no more memory than it did. */
static size_t whole_part(struct ptx_parser *p, const struct shape *shape)
{
    const size_t bytes = shape->dimensions > 0 ? stride(p, shape, 0) : 1;
    const size_t part = bytes & (~bytes + 1);
    return part == 0 || part > VECTOR_BYTES ? VECTOR_BYTES : part;
}

static void note_alignment(struct ptx_parser *p, const struct shape *shape, size_t alignment)
{
    const size_t natural = ptx_type_bytes(shape->type) * shape->width;
    if (alignment > (shape->alignment ? shape->alignment : natural))
        ptx_note_edit(p, PTX_EDIT_ALIGN, shape->align_from, shape->align_to, NULL,
                      (int64_t)alignment);
}

void ptx_parse_declaration(struct ptx_parser *p, enum ptx_linkage linkage)
{
    const char *const start = p->statement;
    struct shape shape = parse_shape(p);
    size_t alignment = VECTOR_BYTES;
    do {
        if (shape.space == PTX_SPACE_REG)
            parse_register(p, &shape);
        else
            parse_variable(p, linkage, &shape);
        const size_t part = whole_part(p, &shape);
        alignment = part < alignment ? part : alignment;
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';');
    const bool is_reference = shape.type >= PTX_TEXREF && shape.type <= PTX_SURFREF;
    const bool is_dynamic = shape.space == PTX_SPACE_SHARED && linkage == PTX_LINKAGE_EXTERN;
    if (((shape.space == PTX_SPACE_GLOBAL || shape.space == PTX_SPACE_CONST) && !is_reference) ||
        is_dynamic)
        ptx_note_edit(p, PTX_EDIT_REMOVE, (size_t)(start - p->module->text),
                      (size_t)(p->consumed - p->module->text), NULL, 0);
    else if (shape.space == PTX_SPACE_SHARED)
        note_alignment(p, &shape, alignment);
}

/* ---- Parameters ---- */

static struct ptx_variable *parse_parameter(struct ptx_parser *p)
{
    struct shape shape = parse_shape(p);
    if (shape.space != PTX_SPACE_PARAM && shape.space != PTX_SPACE_REG)
        ptx_syntax(p, "a parameter expected");
    struct ptx_atom *atom = ptx_take_name(p);
    const bool has_name = atom->length != 1 || atom->text[0] != '_';
    parse_sizes(p, &shape);
    struct ptx_variable *made = ptx_arena_take(&p->module->arena, sizeof *made);
    fill_variable(p, made, &shape);
    made->line = p->token.line;
    made->name = ptx_atom_name(p, atom);
    made->owner = p->function;
    if (shape.space == PTX_SPACE_REG)
        made->number = has_name ? add_register(p, atom, &shape)->index : 0;
    else {
        made->number = p->variable_number++;
        if (has_name) {
            ptx_bind(p, atom, PTX_BIND_VARIABLE, ptx_depth(p))->variable = made;
            made->name = ptx_own_name(p, atom);
        }
    }
    return made;
}

struct ptx_variable **ptx_parse_parameters(struct ptx_parser *p, size_t *count)
{
    struct ptx_list list = {0};
    ptx_expect(p, '(');
    while (p->token.kind != ')') {
        struct ptx_variable **row = ptx_list_add(p, &list, sizeof *row);
        *row = parse_parameter(p);
        if (!ptx_accept(p, ','))
            break;
    }
    ptx_expect(p, ')');
    *count = list.count;
    return ptx_list_keep(p, &list, sizeof(struct ptx_variable *));
}
