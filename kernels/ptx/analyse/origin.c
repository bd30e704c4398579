/* Where pointers are buffers, what is no pointer of the kernel's must not be followed, nor handed to functions
 * that follow it: which registers hold addresses that come from what the kernel was given as a pointer or
 * declares (is_made of struct ptx_body), and which are followed (is_address).
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/analyse/plan.h"

/* ---- What calls follow ---- */

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
    const struct ptx_plan *plan = e->plan;
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

const struct ptx_operand *ptx_stored_argument(const struct ptx_instruction *in)
{
    const bool is_one = in->opcode == PTX_OPCODE_st && in->space == PTX_SPACE_PARAM &&
                        in->operand_count == 2 && in->operands[0].variable &&
                        in->operands[1].kind == PTX_OPERAND_REGISTER;
    return is_one ? &in->operands[1] : NULL;
}

/* ---- Where values come from ---- */

/* From bad to good. A register has the worst of what its definitions bring; until one was seen, and of constants, it
 * is ORIGIN_OPEN, which agrees with all. */
enum origin {
    ORIGIN_ELSEWHERE, /* memory, arithmetic, ...: an address only by chance */
    ORIGIN_KERNEL,    /* computed from a pointer of the kernel or the address of a variable */
    ORIGIN_OPEN
};

struct origins {
    const struct ptx_body *body;
    uint8_t *of; /* enum origin per register */
};

static enum origin origin_of(const struct origins *s, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        if (operand->part != 0)
            return ORIGIN_ELSEWHERE;
        return s->body->is_pointer[operand->index] ? ORIGIN_KERNEL
                                                   : (enum origin)s->of[operand->index];
    case PTX_OPERAND_VARIABLE:
        return ORIGIN_KERNEL;
    case PTX_OPERAND_INTEGER:
        return ORIGIN_OPEN;
    default:
        return ORIGIN_ELSEWHERE;
    }
}

static enum origin worse(enum origin a, enum origin b)
{
    return a < b ? a : b;
}

/* An address plus whatever is an address. */
static enum origin origin_of_sum(enum origin a, enum origin b)
{
    return a == ORIGIN_KERNEL || b == ORIGIN_KERNEL ? ORIGIN_KERNEL : worse(a, b);
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

static enum origin origin_of_result(const struct origins *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    const enum origin first = in->operand_count > 1 ? origin_of(s, &o[1]) : ORIGIN_ELSEWHERE;
    const enum origin second = in->operand_count > 2 ? origin_of(s, &o[2]) : ORIGIN_ELSEWHERE;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_and:
    case PTX_OPCODE_or:
        return first;
    case PTX_OPCODE_cvta:
        return in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_LOCAL ? ORIGIN_KERNEL
                                                                             : first;
    case PTX_OPCODE_add:
        return origin_of_sum(first, second);
    case PTX_OPCODE_mad:
        return in->operand_count > 3 ? origin_of(s, &o[3]) : ORIGIN_ELSEWHERE;
    case PTX_OPCODE_selp:
        return worse(first, second);
    case PTX_OPCODE_ld: /* callers see to what they hand over */
        return is_own_parameter(s->body->function, in) ? ORIGIN_KERNEL : ORIGIN_ELSEWHERE;
    default:
        return ORIGIN_ELSEWHERE;
    }
}

/* Whether that changed anything; so do the passes below. */
static bool lower(struct origins *s, const struct ptx_operand *to, enum origin origin)
{
    if (to->kind != PTX_OPERAND_REGISTER || origin >= s->of[to->index])
        return false;
    s->of[to->index] = (uint8_t)origin;
    return true;
}

/* Addresses come whole and first: parts and lists of registers, and second results, are from elsewhere. */
static bool lower_results(void *origins, const struct ptx_instruction *in)
{
    struct origins *s = origins;
    const unsigned count = ptx_destination_count(in);
    bool is_changed = false;
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand *to = &in->operands[i];
        if (to->kind == PTX_OPERAND_VECTOR)
            for (uint32_t j = 0; j < to->count; j++)
                is_changed |= lower(s, &to->list[j], ORIGIN_ELSEWHERE);
        else
            is_changed |=
                lower(s, to, i == 0 && to->part == 0 ? origin_of_result(s, in) : ORIGIN_ELSEWHERE);
    }
    return is_changed;
}

static void find_made(struct ptx_emitter *e, struct ptx_body *body)
{
    const size_t count = body->function->register_count;
    struct origins s = {.body = body, .of = ptx_arena_take(e->arena, count + 1)};
    memset(s.of, ORIGIN_OPEN, count);
    const bool is_known =
        ptx_flow_settle(e->arena, body->function, PTX_FORWARDS, lower_results, &s);
    for (size_t i = 0; i < count; i++)
        body->is_made[i] = is_known && s.of[i] != ORIGIN_ELSEWHERE;
}

/* ---- What is followed ---- */

struct addresses {
    struct ptx_emitter *e;
    const struct ptx_function *function;
    bool *is_address; /* per register */
};

static bool follow(struct addresses *s, const struct ptx_operand *operand)
{
    const bool is_register =
        operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_ADDRESS;
    if (!is_register || operand->index < 0 || s->is_address[operand->index])
        return false;
    return s->is_address[operand->index] = true;
}

static bool follow_accessed(struct addresses *s, const struct ptx_instruction *in)
{
    bool is_changed = false;
    for (uint32_t i = 0; in->space == PTX_SPACE_GENERIC && i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_ADDRESS)
            is_changed |= follow(s, &in->operands[i]);
    return is_changed;
}

static bool follow_argument(struct addresses *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *stored = ptx_stored_argument(in);
    return stored && !s->is_address[stored->index] &&
           ptx_is_followed(s->e, s->function, in->operands[0].variable, in->operands[0].bits) &&
           follow(s, stored);
}

/* Whether an address may be made of an address. */
static bool passes_on(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_and:
    case PTX_OPCODE_or:
    case PTX_OPCODE_selp:
    case PTX_OPCODE_cvta:
        return true;
    default:
        return false;
    }
}

/* From generic addresses back to what they are computed from. */
static bool follow_sources(void *addresses, const struct ptx_instruction *in)
{
    struct addresses *s = addresses;
    bool is_changed = follow_accessed(s, in);
    is_changed |= follow_argument(s, in);
    const struct ptx_operand *o = in->operands;
    if (passes_on(in) && in->operand_count > 1 && o[0].kind == PTX_OPERAND_REGISTER &&
        s->is_address[o[0].index])
        for (uint32_t i = 1; i < in->operand_count; i++)
            is_changed |= follow(s, &o[i]);
    return is_changed;
}

/* Without windows generic addresses are global ones, and what is followed is a pointer already. */
static void find_addresses(struct ptx_emitter *e, struct ptx_body *body)
{
    const struct ptx_function *function = body->function;
    struct addresses s = {.e = e, .function = function, .is_address = body->is_address};
    if (e->plan->has_windows)
        ptx_flow_settle(e->arena, function, PTX_BACKWARDS, follow_sources, &s);
    for (size_t i = 0; i < function->register_count; i++)
        body->is_address[i] |= body->is_pointer[i];
}

void ptx_find_origins(struct ptx_emitter *e, struct ptx_body *body)
{
    const size_t count = body->function->register_count;
    body->is_made = ptx_arena_array(e->arena, count + 1, sizeof *body->is_made);
    body->is_address = ptx_arena_array(e->arena, count + 1, sizeof *body->is_address);
    if (e->target->pointers != PTX_POINTERS_BUFFERS)
        return;
    find_made(e, body);
    find_addresses(e, body);
}
