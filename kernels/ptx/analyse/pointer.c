/* Which registers are always pointers into global memory, and pointers in C too.
 *
 * Pointers and numbers are cast into each other without loss, so that most choices made here decide
 * about speed alone: compilers follow arithmetic on pointers and lose numbers. Two would be wrong:
 * generic addresses that may be shared or local ones are never made pointers, nor is what counts
 * down to 0, for compilers take it that a pointer which was added to is not null.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/analyse/plan.h"

/* In falling order of hope. A maybe is a number that was loaded and may be cast to a pointer where
 * it comes in, if it is used as an address. */
enum hope { NUMBER, POINTER, MAYBE, OPEN };

struct search {
    struct ptx_emitter *e;
    const struct ptx_function *function;
    uint8_t *hopes; /* enum hope per register */
    bool *wanted;   /* per register: an address */
    bool *counts;   /* per register: compared with a number of the text */
    bool may_pass;  /* generic addresses are global ones */
    bool may_load;  /* also those that come from memory */
};

static bool is_wide_register(const struct search *s, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER && operand->part == 0 &&
           ptx_type_bytes(s->function->registers[operand->index].type) == 8 &&
           s->function->registers[operand->index].width <= 1;
}

static bool is_global_variable(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VARIABLE &&
           ptx_type_bytes((enum ptx_type)operand->variable->type) > 0 &&
           operand->variable->type != PTX_TEXREF && operand->variable->type != PTX_SURFREF &&
           operand->variable->type != PTX_SAMPLERREF &&
           (operand->variable->space == PTX_SPACE_GLOBAL ||
            operand->variable->space == PTX_SPACE_CONST);
}

/* Constants agree with everything: OPEN. */
static enum hope hope_of(const struct search *s, const struct ptx_operand *operand)
{
    if (is_wide_register(s, operand))
        return s->hopes[operand->index];
    if (is_global_variable(operand))
        return POINTER;
    return operand->kind == PTX_OPERAND_INTEGER ? OPEN : NUMBER;
}

static enum hope worse(enum hope a, enum hope b)
{
    return a < b ? a : b;
}

/* Whether that changed anything; so do the passes below. */
static bool lower(struct search *s, const struct ptx_operand *destination, enum hope hope)
{
    bool is_changed = false;
    if (destination->kind == PTX_OPERAND_VECTOR)
        for (uint32_t i = 0; i < destination->count; i++)
            is_changed |= lower(s, &destination->list[i], hope);
    if (destination->kind != PTX_OPERAND_REGISTER)
        return is_changed;
    const enum hope now = is_wide_register(s, destination) ? hope : NUMBER;
    if (now >= s->hopes[destination->index])
        return false;
    s->hopes[destination->index] = (uint8_t)now;
    return true;
}

/* Pointer + number, in any order. */
static enum hope sum_of(const struct search *s, const struct ptx_operand *a,
                        const struct ptx_operand *b)
{
    if (a->kind == PTX_OPERAND_INTEGER)
        return hope_of(s, b);
    if (b->kind == PTX_OPERAND_INTEGER)
        return hope_of(s, a);
    const enum hope x = hope_of(s, a), y = hope_of(s, b);
    if (x == POINTER || y == POINTER)
        return x == y ? NUMBER : POINTER;
    if (x == MAYBE || y == MAYBE)
        return x == y ? NUMBER : MAYBE;
    return x == OPEN || y == OPEN ? OPEN : NUMBER;
}

static enum hope difference_of(const struct search *s, const struct ptx_operand *a,
                               const struct ptx_operand *b)
{
    if (b->kind == PTX_OPERAND_INTEGER || hope_of(s, b) == NUMBER || hope_of(s, b) == OPEN)
        return hope_of(s, a);
    return NUMBER;
}

/* A sum that is compared with a number counts something, unless it is certainly a pointer. */
static enum hope unless_counting(const struct search *s, const struct ptx_instruction *in,
                                 enum hope hope)
{
    const struct ptx_operand *to = &in->operands[0];
    return hope != POINTER && to->kind == PTX_OPERAND_REGISTER && s->counts[to->index] ? NUMBER
                                                                                       : hope;
}

/* One of the kernel's own, not of a call within it: CUDA's pointers into shared and local memory never
 * come from there. */
static bool is_entry_parameter(const struct search *s, const struct ptx_instruction *in)
{
    const struct ptx_function *entry = s->e->plan->original;
    const struct ptx_variable *v = in->operand_count > 1 ? in->operands[1].variable : NULL;
    size_t position;
    return in->space == PTX_SPACE_PARAM && s->function->is_entry && v && v->owner == entry &&
           !ptx_position_of(entry, v, &position);
}

static enum hope hope_of_cvta(const struct search *s, const struct ptx_instruction *in)
{
    const uint8_t space =
        in->operation == PTX_OP_TO && in->second_space ? in->second_space : in->space;
    const bool is_global = space == PTX_SPACE_GLOBAL || space == PTX_SPACE_CONST ||
                           space == PTX_SPACE_PARAM; /* the bank of parameters */
    return is_global                                      ? POINTER
           : in->operands[1].kind == PTX_OPERAND_VARIABLE ? hope_of(s, &in->operands[1])
                                                          : NUMBER;
}

static enum hope hope_of_result(const struct search *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
        return in->operand_count == 2 ? hope_of(s, &o[1]) : NUMBER;
    case PTX_OPCODE_cvta:
        return hope_of_cvta(s, in);
    case PTX_OPCODE_add:
        return in->operand_count == 3 && !(in->flags & PTX_CC)
                   ? unless_counting(s, in, sum_of(s, &o[1], &o[2]))
                   : NUMBER;
    case PTX_OPCODE_sub:
        return in->operand_count == 3 && !(in->flags & PTX_CC)
                   ? unless_counting(s, in, difference_of(s, &o[1], &o[2]))
                   : NUMBER;
    case PTX_OPCODE_mad:
        return in->operand_count == 4 && !(in->flags & (PTX_CC | PTX_HI)) &&
                       o[3].kind == PTX_OPERAND_REGISTER
                   ? hope_of(s, &o[3])
                   : NUMBER;
    case PTX_OPCODE_selp:
        return in->operand_count == 4 ? worse(hope_of(s, &o[1]), hope_of(s, &o[2])) : NUMBER;
    case PTX_OPCODE_ld:
    case PTX_OPCODE_ldu:
        return is_entry_parameter(s, in) || s->may_load ||
                       (s->may_pass && in->space == PTX_SPACE_PARAM)
                   ? MAYBE
                   : NUMBER;
    default:
        return NUMBER;
    }
}

static bool lower_results(void *search, const struct ptx_instruction *in)
{
    struct search *s = search;
    const unsigned count = ptx_destination_count(in);
    bool is_changed = count > 0 && lower(s, &in->operands[0], hope_of_result(s, in));
    if (count == 2)
        is_changed |= lower(s, &in->operands[1], NUMBER);
    return is_changed;
}

static bool want(struct search *s, const struct ptx_operand *operand)
{
    const bool is_register = operand->kind == PTX_OPERAND_REGISTER ||
                             (operand->kind == PTX_OPERAND_ADDRESS && operand->index >= 0);
    if (!is_register || s->hopes[operand->index] != MAYBE || s->wanted[operand->index])
        return false;
    s->wanted[operand->index] = true;
    return true;
}

static bool is_global_access(const struct ptx_instruction *in)
{
    return in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_CONST ||
           in->space == PTX_SPACE_GENERIC;
}

/* Where pointers are buffers, what is handed to a function that follows it must be one. */
static bool want_argument(struct search *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *stored = ptx_stored_argument(in);
    if (s->e->target->pointers != PTX_POINTERS_BUFFERS || !stored ||
        s->hopes[stored->index] != MAYBE || s->wanted[stored->index])
        return false;
    const struct ptx_operand *to = &in->operands[0];
    return ptx_is_followed(s->e, s->function, to->variable, to->bits) && want(s, stored);
}

/* Whether what an instruction makes is a pointer because this operand is one. What is added to a
 * pointer is a number. */
static bool passes_on(const struct search *s, const struct ptx_instruction *in, uint32_t operand)
{
    const struct ptx_operand *o = in->operands;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_selp:
        return true;
    case PTX_OPCODE_add:
        return in->operand_count == 3 && hope_of(s, &o[3 - operand]) != POINTER;
    case PTX_OPCODE_sub:
        return operand == 1;
    case PTX_OPCODE_mad:
        return operand == 3;
    default:
        return false;
    }
}

/* Passes the wish to be a pointer from what an instruction makes to what it makes it of. */
static bool want_sources(void *search, const struct ptx_instruction *in)
{
    struct search *s = search;
    bool is_changed = want_argument(s, in);
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_ADDRESS &&
            (is_global_access(in) || in->opcode == PTX_OPCODE_cp))
            is_changed |= want(s, &in->operands[i]);
    if (in->operand_count < 2)
        return is_changed;
    const struct ptx_operand *o = in->operands;
    if (in->opcode == PTX_OPCODE_cvta && hope_of_cvta(s, in) == POINTER)
        is_changed |= want(s, &o[1]);
    const bool is_wanted = o[0].kind == PTX_OPERAND_REGISTER &&
                           (s->wanted[o[0].index] || s->hopes[o[0].index] == POINTER);
    for (uint32_t i = 1; is_wanted && i < in->operand_count; i++)
        if (passes_on(s, in, i))
            is_changed |= want(s, &o[i]);
    return is_changed;
}

static void find_counts(struct search *s)
{
    for (size_t i = 0; i < s->function->instruction_count; i++) {
        const struct ptx_instruction *in = &s->function->instructions[i];
        const unsigned first = ptx_destination_count(in);
        if (in->opcode != PTX_OPCODE_setp || in->operand_count < first + 2)
            continue;
        const struct ptx_operand *a = &in->operands[first], *b = a + 1;
        if (a->kind == PTX_OPERAND_REGISTER && b->kind == PTX_OPERAND_INTEGER)
            s->counts[a->index] = true;
        if (b->kind == PTX_OPERAND_REGISTER && a->kind == PTX_OPERAND_INTEGER)
            s->counts[b->index] = true;
    }
}

void ptx_find_pointers(struct ptx_emitter *e, struct ptx_body *body)
{
    const struct ptx_function *function = body->function;
    const size_t count = function->register_count;
    struct search s = {.e = e, .function = function, .may_pass = !e->plan->has_windows};
    s.may_load = s.may_pass && e->target->pointers == PTX_POINTERS_NUMBERS;
    s.hopes = ptx_arena_take(e->arena, count);
    s.wanted = ptx_arena_array(e->arena, count, sizeof *s.wanted);
    s.counts = ptx_arena_array(e->arena, count, sizeof *s.counts);
    find_counts(&s);
    memset(s.hopes, OPEN, count);
    for (size_t i = 0; i < function->parameter_count + function->result_count; i++) {
        const struct ptx_variable *v = i < function->parameter_count
                                           ? function->parameters[i]
                                           : function->results[i - function->parameter_count];
        if (v->space == PTX_SPACE_REG && v->number < count)
            s.hopes[v->number] = NUMBER;
    }
    const bool is_known = ptx_flow_settle(e->arena, function, PTX_FORWARDS, lower_results, &s) &&
                          ptx_flow_settle(e->arena, function, PTX_BACKWARDS, want_sources, &s);
    body->is_pointer = ptx_arena_array(e->arena, count, sizeof *body->is_pointer);
    for (size_t i = 0; i < count; i++) {
        const bool is_pointer = s.hopes[i] == POINTER || (s.hopes[i] == MAYBE && s.wanted[i]);
        body->is_pointer[i] = is_known && is_pointer;
    }
}
