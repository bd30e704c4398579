/* What the parts of the parser share: reader.c (tokens, lists, names and scopes), parse.c (modules), parse_variable.c (declarations and
 * first values), parse_constant.c (constant expressions), parse_function.c (functions and scopes), parse_location.c (debug
 * information) and parse_instruction.c. Private to kernels/ptx/parse/.
 *
 * Recursive descent with one token ahead. Every error and every lack of memory leaves by longjmp():
 * no function here returns a failure. What is only of use while parsing lives in `scratch`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_PARSE_H
#define KERNELS_PTX_PARSE_H

#include "kernels/ptx/ir/ir.h"
#include "kernels/ptx/parse/lexer.h"

/* ---- Growing arrays ---- */

struct ptx_list {
    void *items;
    size_t count, room;
};

/* ---- Names ---- */

enum ptx_binding_kind {
    PTX_BIND_REGISTER, /* index */
    PTX_BIND_RANGE,    /* .reg .b32 %r<10>: count names that begin so */
    PTX_BIND_VARIABLE,
    PTX_BIND_FUNCTION,
    PTX_BIND_LABEL,  /* index */
    PTX_BIND_TARGETS /* index */
};

struct ptx_binding {
    uint8_t kind; /* enum ptx_binding_kind */
    uint8_t type, width;
    uint32_t depth, index, count;
    struct ptx_variable *variable;
    struct ptx_function *function;
    struct ptx_atom *atom;
    struct ptx_binding *outer; /* of the same name, in a scope around */
    struct ptx_binding *next;  /* in its scope */
};

/* A name, once per module. */
struct ptx_atom {
    const char *text; /* not NUL-terminated */
    const char *name; /* a copy in the module's memory; NULL until somebody needs one */
    uint32_t length, hash;
    uint32_t used_in;  /* the last function (by parser's count) that has something of this name */
    uint32_t suffixes; /* how many that function has tried for further things of this name */
    struct ptx_binding *binding; /* the innermost */
    struct ptx_pending *pending; /* operands of this name, the last one first */
};

struct ptx_name_scope {
    struct ptx_binding *bindings;
    uint64_t first_pending; /* how many names had been pending when it began */
    uint32_t range_depth;   /* the innermost scope at or around this one that has ranges */
};

/* An operand whose name was not known when it was read: a label, or a function to come. Until it is
 * kept, operand->list points to this. */
struct ptx_pending {
    struct ptx_operand *operand;
    struct ptx_atom *atom;
    struct ptx_pending *outer; /* of the same name, earlier in the text */
    uint64_t number;           /* in the order of the text, from 0 */
    uint32_t line;
    uint32_t from, to; /* in the text */
};

struct ptx_parser {
    struct ptx_module *module;
    struct ptx_arena scratch;
    struct ptx_log *log;
    enum ptx_status status;
    struct ptx_lexer lexer;
    struct ptx_token token; /* the next one */
    const char *consumed;   /* where the one before it ended */
    const char *words_end;  /* of the instruction being read */
    const char *statement;  /* where the statement being read began */

    struct ptx_atom **atoms; /* open addressing; capacity is a power of 2 */
    size_t atom_count, atom_capacity;
    struct ptx_instruction **templates; /* by words, likewise */
    size_t template_count, template_capacity;
    struct ptx_binding *spare_bindings;

    /* ptx_resolve() */
    void (*resolve)(struct ptx_parser *p, const struct ptx_pending *pending);
    struct ptx_list scopes;               /* struct ptx_name_scope; the first is the module's */
    uint64_t pending_count;               /* of all that were pending so far */
    struct ptx_list variables, functions; /* of the module: pointers */
    struct ptx_list edits;                /* struct ptx_edit */
    struct ptx_list files, locations;     /* struct ptx_file, struct ptx_location */
    struct ptx_list debug_strings;        /* struct ptx_passage */

    /* Of the function being read. */
    struct ptx_function *function; /* NULL: outside */
    uint32_t function_stamp;
    uint32_t variable_number;
    uint32_t location; /* of the instruction to come: 1 + index in locations; 0: not known */
    struct ptx_list registers, locals, labels, targets, instructions;
    struct ptx_list drafts;   /* per list of targets: operands of branch targets, or NULL */
    struct ptx_list operands; /* a stack of struct ptx_operand */
    struct ptx_list initials; /* of the variable being read; `bits` of numbers: where in values */
    struct ptx_list values;   /* bytes */
    unsigned nesting;         /* of expressions and lists */
};

/* ---- reader.c ---- */

/* Leaves with PTX_E_SYNTAX: "line 3: ... near 'token'". */
__attribute__((noreturn, format(printf, 2, 3))) void ptx_syntax(struct ptx_parser *p,
                                                                const char *format, ...);
__attribute__((noreturn, format(printf, 3, 4))) void
ptx_syntax_at(struct ptx_parser *p, uint32_t line, const char *format, ...);

void ptx_next(struct ptx_parser *p);
bool ptx_at_word(const struct ptx_parser *p, const char *word); /* WORD or DOT with this text */
bool ptx_accept(struct ptx_parser *p, int kind);
bool ptx_accept_word(struct ptx_parser *p, const char *word);
void ptx_expect(struct ptx_parser *p, int kind);
void ptx_enter(struct ptx_parser *p); /* one level deeper; refuses what is far too deep */

/* A zeroed item at the end; valid until the next one. */
void *ptx_list_add(struct ptx_parser *p, struct ptx_list *list, size_t item_bytes);
/* A copy in the module's memory. */
void *ptx_list_keep(struct ptx_parser *p, const struct ptx_list *list, size_t item_bytes);

struct ptx_atom *ptx_atom_of(struct ptx_parser *p, const char *text, size_t length, uint32_t hash);
/* Leaves an operand's name to be given its meaning at the end of a scope. */
void ptx_leave_pending(struct ptx_parser *p, struct ptx_pending *pending,
                       struct ptx_operand *operand);
struct ptx_atom *ptx_take_name(struct ptx_parser *p); /* a WORD is expected */
const char *ptx_atom_name(struct ptx_parser *p, struct ptx_atom *atom);
/* The name, or the name with a suffix where this function has one like it already. */
const char *ptx_own_name(struct ptx_parser *p, struct ptx_atom *atom);

uint32_t ptx_depth(const struct ptx_parser *p);
void ptx_open_scope(struct ptx_parser *p);
void ptx_close_scope(struct ptx_parser *p);
struct ptx_name_scope *ptx_scope_at(struct ptx_parser *p, uint32_t depth);
/* Gives what is pending for a name, from that number on, the meaning that the name has now. */
void ptx_resolve_pending(struct ptx_parser *p, struct ptx_atom *atom, uint64_t first);
/* Names something in the scope of that depth; refuses a second thing of that name there. */
struct ptx_binding *ptx_bind(struct ptx_parser *p, struct ptx_atom *atom,
                             enum ptx_binding_kind kind, uint32_t depth);
/* What a name means here; NULL: not known yet. Makes registers of ranges. */
struct ptx_binding *ptx_look_up(struct ptx_parser *p, struct ptx_atom *atom);

/* A piece of the text that ptx_module_place() changes. */
void ptx_note_edit(struct ptx_parser *p, enum ptx_edit_kind kind, size_t from, size_t to,
                   const struct ptx_variable *variable, int64_t addend);

/* ---- parse_constant.c ---- */

struct ptx_constant {
    bool is_float, is_double, is_unsigned;
    uint64_t bits;
};
struct ptx_constant ptx_parse_constant(struct ptx_parser *p);
int64_t ptx_parse_integer(struct ptx_parser *p);
size_t ptx_parse_size(struct ptx_parser *p); /* not negative, at most 2^40 */
/* The bits of a value of that type, 8 bytes at most. */
uint64_t ptx_constant_bits(struct ptx_parser *p, struct ptx_constant value, enum ptx_type type);

/* ---- parse_variable.c ---- */

/* From the state space's word on, to and with the semicolon; a register too. */
void ptx_parse_declaration(struct ptx_parser *p, enum ptx_linkage linkage);
bool ptx_at_space(const struct ptx_parser *p);
/* "(.param .b32 a, .reg .u32 b)", from the parenthesis on, into the present scope. */
struct ptx_variable **ptx_parse_parameters(struct ptx_parser *p, size_t *count);

/* ---- parse_function.c ---- */

void ptx_parse_function(struct ptx_parser *p, enum ptx_linkage linkage);

/* ---- parse_location.c ---- */

/* .pragma, .loc, .file, .section, @@DWARF: true where it was one. */
bool ptx_pass_directive(struct ptx_parser *p);
/* What they said, for the module. */
void ptx_keep_locations(struct ptx_parser *p);

/* ---- matrix.c ---- */

/* At the first word of a matrix instruction that is known: reads what it is made of in its place, statement by statement.
 * False: it is another one. */
bool ptx_read_matrix(struct ptx_parser *p, void (*read_statement)(struct ptx_parser *p));

/* ---- parse_instruction.c ---- */

void ptx_parse_instruction(struct ptx_parser *p);
/* Gives a pending operand the meaning that its name has now. */
void ptx_resolve(struct ptx_parser *p, const struct ptx_pending *pending);

/* ---- table.c ---- */

/* The text, or another one in which no table in global memory holds addresses of shared memory. */
const char *ptx_without_shared_tables(struct ptx_arena *arena, const char *text, size_t bytes);

#endif
