/* What registers hold: which are always pointers into global memory, which .b32 are really floats,
 * and what they are called in C.
 *
 * Pointers and numbers are cast into each other without loss, so that most choices made here decide
 * about speed alone: compilers follow arithmetic on pointers and lose numbers. Two would be wrong:
 * generic addresses that may be shared or local ones are never made pointers, nor is what counts
 * down to 0, for compilers take it that a pointer which was added to is not null.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/plan.h"

/* ---- Pointers ---- */

/* In falling order of hope. A maybe is a number that was loaded and may be cast to a pointer where
 * it comes in, if it is used as an address. */
enum hope { NUMBER, POINTER, MAYBE, OPEN };

struct search {
    struct ptx_emitter *e;
    const struct ptx_function *function;
    uint8_t *hopes; /* enum hope per register */
    bool *wanted;   /* per register: an address */
    bool *counts;   /* per register: compared with a number of the text */
    bool is_changed;
    bool may_pass; /* generic addresses are global ones */
    bool may_load; /* also those that come from memory */
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

static void lower(struct search *s, const struct ptx_operand *destination, enum hope hope)
{
    if (destination->kind == PTX_OPERAND_VECTOR) {
        for (uint32_t i = 0; i < destination->count; i++)
            lower(s, &destination->list[i], hope);
        return;
    }
    if (destination->kind != PTX_OPERAND_REGISTER)
        return;
    const enum hope now = is_wide_register(s, destination) ? hope : NUMBER;
    if (now < s->hopes[destination->index]) {
        s->hopes[destination->index] = (uint8_t)now;
        s->is_changed = true;
    }
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
    const struct ptx_function *entry = ptx_plan_of(s->e)->original;
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

static void lower_results(struct search *s, const struct ptx_instruction *in)
{
    const unsigned count = ptx_destination_count(in);
    if (count == 0)
        return;
    lower(s, &in->operands[0], hope_of_result(s, in));
    if (count == 2)
        lower(s, &in->operands[1], NUMBER);
}

static void want(struct search *s, const struct ptx_operand *operand)
{
    const bool is_register = operand->kind == PTX_OPERAND_REGISTER ||
                             (operand->kind == PTX_OPERAND_ADDRESS && operand->index >= 0);
    if (is_register && s->hopes[operand->index] == MAYBE && !s->wanted[operand->index]) {
        s->wanted[operand->index] = true;
        s->is_changed = true;
    }
}

static bool is_global_access(const struct ptx_instruction *in)
{
    return in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_CONST ||
           in->space == PTX_SPACE_GENERIC;
}

/* Whether a function takes bytes `offset` and on of a parameter as a pointer into global memory. */
static bool takes_pointer(const struct ptx_body *body, size_t parameter, int64_t offset)
{
    const struct ptx_function *callee = body->function;
    for (size_t i = 0; body->is_address && i < callee->instruction_count; i++) {
        const struct ptx_instruction *in = &callee->instructions[i];
        if (in->opcode == PTX_OPCODE_ld && in->space == PTX_SPACE_PARAM && in->operand_count == 2 &&
            in->operands[0].kind == PTX_OPERAND_REGISTER &&
            in->operands[1].variable == callee->parameters[parameter] &&
            in->operands[1].bits == offset && body->is_address[in->operands[0].index])
            return true;
    }
    return false;
}

static bool call_takes_pointer(struct ptx_emitter *e, const struct ptx_function *caller,
                               const struct ptx_instruction *in, size_t parameter, int64_t offset)
{
    const struct ptx_plan *plan = ptx_plan_of(e);
    const bool is_direct = in->operands[1].kind == PTX_OPERAND_FUNCTION;
    const struct ptx_function *shape =
        is_direct ? in->operands[1].function : ptx_call_prototype(caller, in);
    ptx_steps(e->arena, plan->body_count);
    for (size_t i = 0; shape && i < plan->body_count; i++) {
        const struct ptx_body *body = &plan->bodies[i];
        const bool is_called = is_direct ? body->function == shape
                                         : body->is_target && ptx_same_shape(body->function, shape);
        if (!is_called || parameter >= body->function->parameter_count)
            continue;
        ptx_steps(e->arena, 3 * body->function->instruction_count);
        if (takes_pointer(body, parameter, offset))
            return true;
    }
    return false;
}

bool ptx_is_followed(struct ptx_emitter *e, const struct ptx_function *caller,
                     const struct ptx_variable *variable, int64_t offset)
{
    ptx_steps(e->arena, 3 * caller->instruction_count);
    for (size_t i = 0; i < caller->instruction_count; i++) {
        const struct ptx_instruction *in = &caller->instructions[i];
        if (in->opcode != PTX_OPCODE_call || in->operand_count < 3)
            continue;
        for (uint32_t j = 0; j < in->operands[2].count; j++)
            if (in->operands[2].list[j].kind == PTX_OPERAND_VARIABLE &&
                in->operands[2].list[j].variable == variable &&
                call_takes_pointer(e, caller, in, j, offset))
                return true;
    }
    return false;
}

/* Where pointers are buffers, what is handed to a function that follows it must be one. */
static void want_argument(struct search *s, const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OPCODE_st && in->space == PTX_SPACE_PARAM && in->operand_count == 2 &&
        s->e->target->pointers == PTX_POINTERS_BUFFERS && in->operands[0].variable &&
        in->operands[1].kind == PTX_OPERAND_REGISTER && s->hopes[in->operands[1].index] == MAYBE &&
        !s->wanted[in->operands[1].index] &&
        ptx_is_followed(s->e, s->function, in->operands[0].variable, in->operands[0].bits))
        want(s, &in->operands[1]);
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
static void want_sources(struct search *s, const struct ptx_instruction *in)
{
    want_argument(s, in);
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_ADDRESS &&
            (is_global_access(in) || in->opcode == PTX_OPCODE_cp))
            want(s, &in->operands[i]);
    if (in->operand_count < 2)
        return;
    const struct ptx_operand *o = in->operands;
    if (in->opcode == PTX_OPCODE_cvta && hope_of_cvta(s, in) == POINTER)
        want(s, &o[1]);
    const bool is_wanted = o[0].kind == PTX_OPERAND_REGISTER &&
                           (s->wanted[o[0].index] || s->hopes[o[0].index] == POINTER);
    for (uint32_t i = 1; is_wanted && i < in->operand_count; i++)
        if (passes_on(s, in, i))
            want(s, &o[i]);
}

/* Runs a pass over all instructions until nothing changes. False if that takes too long: then
 * nothing is known. */
static bool settle(struct search *s, void (*pass)(struct search *, const struct ptx_instruction *),
                   bool backwards)
{
    enum { MOST_PASSES = 64 };
    const size_t count = s->function->instruction_count;
    for (int round = 0; round < MOST_PASSES; round++) {
        s->is_changed = false;
        ptx_steps(s->e->arena, count);
        for (size_t i = 0; i < count; i++)
            pass(s, &s->function->instructions[backwards ? count - 1 - i : i]);
        if (!s->is_changed)
            return true;
    }
    return false;
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

static void find_pointers(struct ptx_emitter *e, struct ptx_body *body)
{
    const struct ptx_function *function = body->function;
    const size_t count = function->register_count;
    struct search s = {.e = e, .function = function, .may_pass = !ptx_plan_of(e)->has_windows};
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
    const bool is_known = settle(&s, lower_results, false) && settle(&s, want_sources, true);
    for (size_t i = 0; i < count; i++) {
        const bool is_pointer = s.hopes[i] == POINTER || (s.hopes[i] == MAYBE && s.wanted[i]);
        body->classes[i] = is_known && is_pointer ? PTX_CLASS_GLOBAL : PTX_CLASS_NUMBER;
    }
}

/* ---- Addresses that a kernel made itself ---- */

/* Here, what `hopes` are of. A number is an address to be followed only if it was computed from the
 * address of a variable or from a pointer. */
enum origin { UNKNOWN, MADE, NOTHING };

static enum origin origin_of(const struct search *s, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_REGISTER && operand->part == 0)
        return ptx_plan_body(ptx_plan_of(s->e), s->function)->classes[operand->index] ==
                       PTX_CLASS_GLOBAL
                   ? MADE
                   : (enum origin)s->hopes[operand->index];
    if (operand->kind == PTX_OPERAND_VARIABLE)
        return MADE;
    return operand->kind == PTX_OPERAND_INTEGER ? NOTHING : UNKNOWN;
}

static enum origin origin_of_sum(enum origin a, enum origin b)
{
    return a == MADE || b == MADE ? MADE : a < b ? a : b;
}

static bool is_own_parameter(const struct ptx_function *function, const struct ptx_instruction *in)
{
    for (size_t i = 0; !function->is_entry && in->space == PTX_SPACE_PARAM &&
                       i < function->parameter_count && in->operand_count > 1;
         i++)
        if (function->parameters[i] == in->operands[1].variable)
            return true;
    return false;
}

static enum origin origin_of_result(const struct search *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    const enum origin first = in->operand_count > 1 ? origin_of(s, &o[1]) : UNKNOWN;
    const enum origin second = in->operand_count > 2 ? origin_of(s, &o[2]) : UNKNOWN;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
        return first;
    case PTX_OPCODE_cvta:
        return in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_LOCAL ? MADE : first;
    case PTX_OPCODE_add:
        return origin_of_sum(first, second);
    case PTX_OPCODE_sub:
    case PTX_OPCODE_and:
    case PTX_OPCODE_or:
        return first;
    case PTX_OPCODE_mad:
        return in->operand_count > 3 ? origin_of(s, &o[3]) : UNKNOWN;
    case PTX_OPCODE_selp:
        return first < second ? first : second;
    case PTX_OPCODE_ld: /* callers see to what they hand over */
        return is_own_parameter(s->function, in) ? MADE : UNKNOWN;
    default:
        return UNKNOWN;
    }
}

static void lower_origins(struct search *s, const struct ptx_instruction *in)
{
    const unsigned count = ptx_destination_count(in);
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand *to = &in->operands[i];
        const bool is_list = to->kind == PTX_OPERAND_VECTOR;
        const enum origin now =
            i == 0 && !is_list && to->part == 0 ? origin_of_result(s, in) : UNKNOWN;
        for (uint32_t j = 0; j < (is_list ? to->count : 1); j++) {
            const struct ptx_operand *one = is_list ? &to->list[j] : to;
            if (one->kind != PTX_OPERAND_REGISTER || now >= s->hopes[one->index])
                continue;
            s->hopes[one->index] = (uint8_t)now;
            s->is_changed = true;
        }
    }
}

static void follow(struct search *s, const struct ptx_operand *operand)
{
    const bool is_register = operand->kind == PTX_OPERAND_REGISTER ||
                             (operand->kind == PTX_OPERAND_ADDRESS && operand->index >= 0);
    if (is_register && !s->wanted[operand->index])
        s->wanted[operand->index] = s->is_changed = true;
}

/* From generic addresses back to what they are computed from; here, that is what `wanted` says. */
static void follow_sources(struct search *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (o[i].kind == PTX_OPERAND_ADDRESS && in->space == PTX_SPACE_GENERIC)
            follow(s, &o[i]);
    if (in->opcode == PTX_OPCODE_st && in->space == PTX_SPACE_PARAM && in->operand_count == 2 &&
        o[0].variable && o[1].kind == PTX_OPERAND_REGISTER && !s->wanted[o[1].index] &&
        ptx_is_followed(s->e, s->function, o[0].variable, o[0].bits))
        follow(s, &o[1]);
    const bool passes_on = in->opcode == PTX_OPCODE_mov || in->opcode == PTX_OPCODE_add ||
                           in->opcode == PTX_OPCODE_sub || in->opcode == PTX_OPCODE_mad ||
                           in->opcode == PTX_OPCODE_and || in->opcode == PTX_OPCODE_or ||
                           in->opcode == PTX_OPCODE_selp || in->opcode == PTX_OPCODE_cvta;
    if (passes_on && in->operand_count > 1 && o[0].kind == PTX_OPERAND_REGISTER &&
        s->wanted[o[0].index])
        for (uint32_t i = 1; i < in->operand_count; i++)
            follow(s, &o[i]);
}

/* Only asked for where pointers are buffers: there, what is no pointer of the kernel's must not be
 * followed, nor handed to functions that follow it. */
static void find_origins(struct ptx_emitter *e, struct ptx_body *body)
{
    const size_t count = body->function->register_count;
    body->is_made = ptx_arena_array(e->arena, count + 1, sizeof *body->is_made);
    body->is_address = ptx_arena_array(e->arena, count + 1, sizeof *body->is_address);
    if (e->target->pointers != PTX_POINTERS_BUFFERS)
        return;
    struct search s = {.e = e, .function = body->function};
    s.hopes = ptx_arena_take(e->arena, count + 1);
    s.wanted = body->is_address;
    memset(s.hopes, NOTHING, count);
    const bool is_known = settle(&s, lower_origins, false);
    for (size_t i = 0; i < count; i++)
        body->is_made[i] = is_known && s.hopes[i] != UNKNOWN;
    if (ptx_plan_of(e)->has_windows)
        settle(&s, follow_sources, true);
    for (size_t i = 0; i < count; i++)
        body->is_address[i] |= body->classes[i] == PTX_CLASS_GLOBAL;
}

/* ---- Floats in .b32 and .b64 registers ---- */

enum vote { VOTE_FLOAT = 1, VOTE_OTHER = 2 };

static bool is_float_arithmetic(uint16_t opcode)
{
    switch (opcode) {
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_fma:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_div:
    case PTX_OPCODE_rcp:
    case PTX_OPCODE_sqrt:
    case PTX_OPCODE_rsqrt:
    case PTX_OPCODE_sin:
    case PTX_OPCODE_cos:
    case PTX_OPCODE_lg2:
    case PTX_OPCODE_ex2:
    case PTX_OPCODE_tanh:
    case PTX_OPCODE_neg:
    case PTX_OPCODE_abs:
    case PTX_OPCODE_min:
    case PTX_OPCODE_max:
    case PTX_OPCODE_copysign:
    case PTX_OPCODE_testp:
    case PTX_OPCODE_setp:
    case PTX_OPCODE_selp:
    case PTX_OPCODE_ld:
    case PTX_OPCODE_st:
    case PTX_OPCODE_ldu:
        return true;
    default:
        return false;
    }
}

static bool is_neutral(uint16_t opcode)
{
    return opcode == PTX_OPCODE_ld || opcode == PTX_OPCODE_st || opcode == PTX_OPCODE_mov ||
           opcode == PTX_OPCODE_selp || opcode == PTX_OPCODE_ldu || opcode == PTX_OPCODE_shfl;
}

/* What operand `position` of an instruction says of a register there. */
static uint8_t vote_of(const struct ptx_instruction *in, uint32_t position)
{
    if (in->opcode == PTX_OPCODE_cvt && in->type_count == 2) {
        const uint8_t type = in->types[position == 0 ? 0 : 1];
        return type == PTX_F32 || type == PTX_F64 ? VOTE_FLOAT : VOTE_OTHER;
    }
    const uint8_t type = in->types[0];
    if ((type == PTX_F32 || type == PTX_F64) && in->type_count == 1 &&
        is_float_arithmetic(in->opcode))
        return VOTE_FLOAT;
    return is_neutral(in->opcode) ? 0 : VOTE_OTHER;
}

static void vote(uint8_t *votes, const struct ptx_operand *operand, uint8_t ballot, bool is_packed)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        votes[operand->index] |= ballot;
        break;
    case PTX_OPERAND_ADDRESS:
        if (operand->index >= 0)
            votes[operand->index] |= VOTE_OTHER;
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_TEXTURE:
        for (uint32_t i = 0; i < operand->count; i++)
            vote(votes, &operand->list[i], is_packed ? VOTE_OTHER : ballot, is_packed);
        break;
    default:
        break;
    }
}

static const uint8_t *count_votes(struct ptx_emitter *e, const struct ptx_function *function)
{
    uint8_t *votes = ptx_arena_take(e->arena, function->register_count);
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        const bool is_packed = in->opcode == PTX_OPCODE_mov || in->opcode == PTX_OPCODE_call;
        for (uint32_t j = 0; j < in->operand_count; j++)
            vote(votes, &in->operands[j], vote_of(in, j), is_packed);
    }
    return votes;
}

static enum ptx_type type_in_c(enum ptx_type declared, uint8_t votes)
{
    if (declared == PTX_F32 || declared == PTX_F64 || declared == PTX_PRED)
        return declared;
    switch (ptx_type_bytes(declared)) {
    case 1:
        return PTX_U8;
    case 2:
        return PTX_U16;
    case 4:
        return declared == PTX_B32 && votes == VOTE_FLOAT ? PTX_F32 : PTX_U32;
    case 16:
        return PTX_B128;
    default:
        return declared == PTX_B64 && votes == VOTE_FLOAT ? PTX_F64 : PTX_U64;
    }
}

/* ---- Names ---- */

/* %rd5 and kin, which no compiler or library of OpenCL C uses as a name, stay as they are. */
static bool is_plain_name(const char *name)
{
    static const char *const heads[] = {"r", "rd", "f", "fd", "p", "rs", "h", "hh", "rq", "b"};
    size_t letters = 0;
    while (name[letters] >= 'a' && name[letters] <= 'z')
        letters++;
    size_t digits = 0;
    while (name[letters + digits] >= '0' && name[letters + digits] <= '9')
        digits++;
    if (digits == 0 || name[letters + digits] != '\0')
        return false;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strlen(heads[i]) == letters && strncmp(heads[i], name, letters) == 0)
            return true;
    return false;
}

/* A set of the plain names met, by hash; a name met twice gets a number behind it. */
struct name_set {
    const char **slots;
    size_t capacity; /* a power of two, twice the names */
};

static bool add_name(struct name_set *set, const char *name)
{
    size_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    for (size_t i = hash & (set->capacity - 1);; i = (i + 1) & (set->capacity - 1)) {
        if (!set->slots[i]) {
            set->slots[i] = name;
            return true;
        }
        if (strcmp(set->slots[i], name) == 0)
            return false;
    }
}

static const char *name_in_c(struct ptx_emitter *e, struct name_set *set, const char *name,
                             size_t index)
{
    const char *plain = name[0] == '%' ? name + 1 : name;
    if (is_plain_name(plain) && add_name(set, plain))
        return plain;
    char *made = ptx_arena_format(e->arena, "v%s_%zu", plain, index);
    for (char *c = made; *c; c++)
        if (*c == '$' || *c == '%' || *c == '.')
            *c = '_';
    return made;
}

static void mark_used(bool *used, const struct ptx_operand *operand)
{
    const bool is_register =
        operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_ADDRESS;
    if (is_register && operand->index >= 0)
        used[operand->index] = true;
    if (operand->kind == PTX_OPERAND_VECTOR || operand->kind == PTX_OPERAND_TEXTURE)
        for (uint32_t i = 0; i < operand->count; i++)
            mark_used(used, &operand->list[i]);
}

static void mark_copies_used(bool *used, const struct ptx_copy *copy)
{
    for (; copy; copy = copy->next)
        for (size_t i = 0; i < copy->part_count; i++) {
            mark_used(used, &copy->parts[i].from.address);
            mark_used(used, &copy->parts[i].to.address);
        }
}

static void mark_all_used(bool *used, const struct ptx_body *body)
{
    const struct ptx_function *function = body->function;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (body->copies)
            mark_copies_used(used, body->copies[i]);
        if (body->is_copied && body->is_copied[i])
            continue;
        if (in->guard >= 0)
            used[in->guard] = true;
        for (uint32_t j = 0; j < in->operand_count; j++)
            mark_used(used, &in->operands[j]);
    }
    for (size_t i = 0; i < function->parameter_count; i++)
        if (function->parameters[i]->space == PTX_SPACE_REG)
            used[function->parameters[i]->number] = true;
    for (size_t i = 0; i < function->result_count; i++)
        if (function->results[i]->space == PTX_SPACE_REG)
            used[function->results[i]->number] = true;
}

void ptx_analyse(struct ptx_emitter *e, struct ptx_body *body)
{
    const struct ptx_function *function = body->function;
    const size_t count = function->register_count;
    body->classes = ptx_arena_take(e->arena, count);
    body->types = ptx_arena_take(e->arena, count);
    body->names = ptx_arena_array(e->arena, count, sizeof *body->names);
    find_pointers(e, body);
    find_origins(e, body);
    ptx_find_copies(e, body);
    const uint8_t *votes = count_votes(e, function);
    bool *used = ptx_arena_array(e->arena, count, sizeof *used);
    mark_all_used(used, body);
    struct name_set set = {.capacity = 16};
    while (set.capacity < 2 * count)
        set.capacity *= 2;
    set.slots = ptx_arena_array(e->arena, set.capacity, sizeof *set.slots);
    for (size_t i = 0; i < count; i++) {
        body->types[i] = (uint8_t)type_in_c(function->registers[i].type, votes[i]);
        if (used[i])
            body->names[i] = name_in_c(e, &set, function->registers[i].name, i);
    }
}
