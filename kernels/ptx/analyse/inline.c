/* The entry of PTX_FORM_BLOCK: calls of functions with barriers, warp operations or loops that wait are
 * replaced by what they call, and barriers and warp operations have no guards any more (a jump around them instead), so
 * that each begins a node of its own. Works on a copy; the module stays as it is.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/frames.h"

/* ---- Which functions ---- */

static bool is_inlined(struct ptx_growing *c, const struct ptx_function *function)
{
    if (!function || !function->has_body || function->is_entry)
        return false;
    if (c->verdicts[function->number])
        return c->verdicts[function->number] == 2;
    const struct ptx_plan *plan = c->e->plan;
    const struct ptx_body *body = ptx_plan_body(plan, function);
    const bool waits = plan->form != PTX_FORM_ITEM && body && body->waits;
    const bool is_all =
        plan->form == PTX_FORM_NATIVE; /* recursion was refused before, or is jumps */
    c->verdicts[function->number] = waits || is_all ? 2 : 1;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        const bool has_step = ptx_is_barrier(in) || ptx_is_warp_operation(in) ||
                              ptx_is_lockstep(in) ||
                              (in->opcode == PTX_OPCODE_call && in->operand_count > 1 &&
                               is_inlined(c, in->operands[1].function));
        if (has_step)
            c->verdicts[function->number] = 2;
    }
    return c->verdicts[function->number] == 2;
}

/* ---- Operands ---- */

static const struct ptx_variable *map_variable(struct ptx_growing *c, const struct ptx_bases *b,
                                               const struct ptx_variable *variable)
{
    const struct ptx_function *from = b->from;
    size_t position;
    if (!variable->owner)
        return variable;
    if (variable->copy_of && b->parameters)
        return map_variable(c, b, variable->copy_of); /* what stands for it is a copy already */
    if (ptx_position_of(from, variable, &position))
        return b->variables[position];
    ptx_steps(c->arena, (from->parameter_count + from->result_count) / 4);
    for (size_t i = 0; b->parameters && i < from->parameter_count; i++)
        if (from->parameters[i] == variable)
            return b->parameters[i];
    for (size_t i = 0; b->results && i < from->result_count; i++)
        if (from->results[i] == variable)
            return b->results[i];
    return variable;
}

/* A variable in a frame is known by the register that has its address. */
static bool map_to_frame(struct ptx_growing *c, const struct ptx_bases *b,
                         struct ptx_operand *operand)
{
    size_t position;
    if (!b->addresses || !ptx_position_of(b->from, operand->variable, &position) ||
        b->addresses[position] == 0)
        return false;
    const uint32_t address = b->addresses[position] - 1;
    operand->variable = NULL;
    operand->index = (int32_t)address;
    if (operand->kind == PTX_OPERAND_ADDRESS)
        return true;
    operand->kind = PTX_OPERAND_REGISTER;
    if (operand->bits != 0) {
        operand->index = (int32_t)ptx_grow_register(c, (struct ptx_register){"place", PTX_B64, 1});
        const struct ptx_operand operands[] = {ptx_register_operand((uint32_t)operand->index),
                                               ptx_register_operand(address),
                                               ptx_number_operand((uint64_t)operand->bits)};
        ptx_grow_typed(c, PTX_OPCODE_add, "add", PTX_U64, operands, 3);
        operand->bits = 0;
    }
    return true;
}

/* Such a variable's space is no longer seen from its name. */
static bool is_in_frame(const struct ptx_bases *b, const struct ptx_instruction *in)
{
    size_t position;
    for (uint32_t i = 0; b->addresses && i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_ADDRESS && in->operands[i].variable &&
            ptx_position_of(b->from, in->operands[i].variable, &position) &&
            b->addresses[position] > 0)
            return true;
    return false;
}

static void map_operand(struct ptx_growing *c, const struct ptx_bases *b,
                        struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        operand->index += (int32_t)b->registers;
        break;
    case PTX_OPERAND_ADDRESS:
        if (operand->index >= 0)
            operand->index += (int32_t)b->registers;
        break;
    case PTX_OPERAND_LABEL:
        operand->index += (int32_t)b->labels;
        break;
    case PTX_OPERAND_TARGETS:
        operand->index += (int32_t)b->targets;
        break;
    default:
        break;
    }
    if (operand->variable && !map_to_frame(c, b, operand))
        operand->variable = map_variable(c, b, operand->variable);
    if (operand->count == 0 || !operand->list)
        return;
    struct ptx_operand *list = ptx_arena_array(c->arena, operand->count, sizeof *list);
    memcpy(list, operand->list, operand->count * sizeof *list);
    for (uint32_t i = 0; i < operand->count; i++)
        map_operand(c, b, &list[i]);
    operand->list = list;
}

static struct ptx_instruction mapped(struct ptx_growing *c, const struct ptx_bases *b,
                                     const struct ptx_instruction *in)
{
    struct ptx_instruction made = *in;
    made.operands = ptx_arena_array(c->arena, in->operand_count, sizeof *made.operands);
    if (in->operand_count)
        memcpy(made.operands, in->operands, in->operand_count * sizeof *made.operands);
    for (uint32_t i = 0; i < in->operand_count; i++)
        map_operand(c, b, &made.operands[i]);
    if (made.guard >= 0)
        made.guard += (int32_t)b->registers;
    if (made.space == PTX_SPACE_GENERIC && is_in_frame(b, in))
        made.space = PTX_SPACE_LOCAL;
    return made;
}

/* ---- Functions ---- */

static void copy_function(struct ptx_growing *c, const struct ptx_bases *b);

static struct ptx_bases begin_function(struct ptx_growing *c, const struct ptx_function *from)
{
    struct ptx_bases b = {.from = from, .end_label = -1};
    b.registers = (uint32_t)c->made->register_count;
    b.labels = (uint32_t)c->made->label_count;
    b.targets = (uint32_t)c->made->target_count;
    for (size_t i = 0; i < from->register_count; i++)
        ptx_grow_register(c, from->registers[i]);
    for (size_t i = 0; i < from->label_count; i++)
        ptx_grow_label(c, from->labels[i].name);
    for (size_t i = 0; i < from->target_count; i++) {
        c->made->targets = ptx_arena_grow(c->arena, c->made->targets, c->made->target_count,
                                          &c->target_room, sizeof *c->made->targets);
        struct ptx_targets *made = &c->made->targets[c->made->target_count++];
        *made = from->targets[i];
        if (!made->labels)
            continue;
        made->labels = ptx_arena_array(c->arena, made->count, sizeof *made->labels);
        for (size_t j = 0; j < made->count; j++)
            made->labels[j] = from->targets[i].labels[j] + (int32_t)b.labels;
    }
    b.variables = ptx_arena_array(c->arena, from->variable_count, sizeof *b.variables);
    for (size_t i = 0; i < from->variable_count; i++) {
        const struct ptx_variable *v = from->variables[i];
        const bool is_own = v->space == PTX_SPACE_LOCAL || v->space == PTX_SPACE_PARAM;
        b.variables[i] = is_own && !v->copy_of ? ptx_grow_variable(c, v) : v;
    }
    return b;
}

/* What stands for a parameter or result of an inlined function: the .param variable of the call, or a
 * new one. */
static const struct ptx_variable *bind(struct ptx_growing *c, const struct ptx_operand *given,
                                       const struct ptx_variable *formal)
{
    if (given && given->variable &&
        (given->kind == PTX_OPERAND_VARIABLE || given->kind == PTX_OPERAND_ADDRESS) &&
        given->variable->space == PTX_SPACE_PARAM)
        return given->variable;
    struct ptx_variable like = *formal;
    like.space = PTX_SPACE_PARAM;
    return ptx_grow_variable(c, &like);
}

static const struct ptx_operand *item(const struct ptx_instruction *call, uint32_t operand,
                                      size_t i)
{
    return operand < call->operand_count && call->operands[operand].kind == PTX_OPERAND_VECTOR &&
                   i < call->operands[operand].count
               ? &call->operands[operand].list[i]
               : NULL;
}

static void pass_arguments(struct ptx_growing *c, const struct ptx_instruction *call,
                           struct ptx_bases *b)
{
    const struct ptx_function *callee = b->from;
    b->parameters = ptx_arena_array(c->arena, callee->parameter_count, sizeof *b->parameters);
    for (size_t i = 0; i < callee->parameter_count; i++) {
        const struct ptx_variable *formal = callee->parameters[i];
        const struct ptx_operand *given = item(call, 2, i);
        b->parameters[i] = formal;
        if (formal->space == PTX_SPACE_REG) {
            if (given)
                ptx_grow_move(c, formal->type, ptx_register_operand(b->registers + formal->number),
                              *given);
            continue;
        }
        b->parameters[i] = bind(c, given, formal);
        if (given && b->parameters[i] != given->variable)
            ptx_grow_access(c, PTX_OPCODE_st, b->parameters[i], *given);
    }
    b->results = ptx_arena_array(c->arena, callee->result_count, sizeof *b->results);
    for (size_t i = 0; i < callee->result_count; i++)
        b->results[i] = callee->results[i]->space == PTX_SPACE_REG
                            ? callee->results[i]
                            : bind(c, item(call, 0, i), callee->results[i]);
}

static void pass_results(struct ptx_growing *c, const struct ptx_instruction *call,
                         const struct ptx_bases *b)
{
    const struct ptx_function *callee = b->from;
    for (size_t i = 0; i < callee->result_count; i++) {
        const struct ptx_operand *given = item(call, 0, i);
        if (!given || given->kind == PTX_OPERAND_SINK)
            continue;
        if (callee->results[i]->space == PTX_SPACE_REG)
            ptx_grow_move(c, callee->results[i]->type, *given,
                          ptx_register_operand(b->registers + callee->results[i]->number));
        else if (given->kind == PTX_OPERAND_REGISTER)
            ptx_grow_access(c, PTX_OPCODE_ld, b->results[i], *given);
    }
}

static void inline_call(struct ptx_growing *c, const struct ptx_instruction *call)
{
    const uint32_t skip = ptx_grow_label(c, "skip");
    if (call->guard >= 0)
        ptx_grow_jump(c, skip, call->guard, !call->guard_negated);
    struct ptx_bases b = begin_function(c, call->operands[1].function);
    b.end_label = (int32_t)ptx_grow_label(c, "end");
    pass_arguments(c, call, &b);
    copy_function(c, &b);
    ptx_grow_for(c, call);
    ptx_grow_label_here(c, (uint32_t)b.end_label);
    pass_results(c, call, &b);
    ptx_grow_label_here(c, skip);
}

/* ---- Functions that are jumped to ---- */

static struct ptx_jumped *jumped_of(const struct ptx_growing *c,
                                    const struct ptx_function *function)
{
    const uint32_t place = function ? c->jumped_of[function->number] : 0;
    return place ? &c->jumped[place - 1] : NULL;
}

static bool is_parameter_of_call(const struct ptx_operand *given)
{
    return given->variable &&
           (given->kind == PTX_OPERAND_VARIABLE || given->kind == PTX_OPERAND_ADDRESS) &&
           given->variable->space == PTX_SPACE_PARAM;
}

static void hand_over(struct ptx_growing *c, const struct ptx_instruction *call,
                      const struct ptx_jumped *j)
{
    const struct ptx_function *callee = j->b.from;
    for (size_t i = 0; i < callee->parameter_count; i++) {
        const struct ptx_variable *formal = callee->parameters[i];
        const struct ptx_operand *given = item(call, 2, i);
        if (!given)
            continue;
        if (formal->space == PTX_SPACE_REG)
            ptx_grow_move(c, formal->type, ptx_register_operand(j->b.registers + formal->number),
                          *given);
        else if (is_parameter_of_call(given))
            ptx_grow_copy(c, j->b.parameters[i], given->variable);
        else
            ptx_grow_access(c, PTX_OPCODE_st, j->b.parameters[i], *given);
    }
}

static void take_back(struct ptx_growing *c, const struct ptx_instruction *call,
                      const struct ptx_jumped *j)
{
    const struct ptx_operand *given = item(call, 0, 0);
    if (given && j->b.from->result_count > 0 && is_parameter_of_call(given))
        ptx_grow_copy(c, given->variable, j->b.results[0]);
    else
        pass_results(c, call, &j->b);
}

/* in: the call as it is in the function, which is b's. */
static void jump_call(struct ptx_growing *c, const struct ptx_bases *b,
                      const struct ptx_instruction *in, const struct ptx_instruction *call,
                      struct ptx_jumped *j)
{
    const struct ptx_jumped *caller = b->end_label >= 0 ? jumped_of(c, b->from) : NULL;
    const bool may_return = caller && ptx_frames_may_return(c, caller, j);
    const uint32_t skip = ptx_grow_label(c, "skip"), site = ptx_grow_label(c, "back");
    if (call->guard >= 0)
        ptx_grow_jump(c, skip, call->guard, !call->guard_negated);
    const struct ptx_saved *saved = may_return ? ptx_frames_save(c, caller, in) : NULL;
    hand_over(c, call, j);
    ptx_grow_set(c, j->back, j->site_count);
    j->sites = ptx_arena_grow(c->arena, j->sites, j->site_count, &j->site_room, sizeof *j->sites);
    j->sites[j->site_count++] = (int32_t)site;
    ptx_grow_jump(c, j->start_label, -1, false);
    ptx_grow_label_here(c, site);
    if (may_return)
        ptx_frames_restore(c, caller, saved);
    take_back(c, call, j);
    ptx_grow_label_here(c, skip);
}

/* Whether a call by number may be one of a function that is jumped to. */
static bool may_jump(const struct ptx_growing *c, const struct ptx_function *shape)
{
    const struct ptx_plan *plan = c->e->plan;
    const bool is_all =
        plan->form == PTX_FORM_NATIVE; /* which has no other way to call by number */
    for (size_t i = 0; shape && plan->jump_count > 0 && i < plan->target_count; i++)
        if (jumped_of(c, plan->targets[i]) && ptx_same_shape(plan->targets[i], shape))
            return true;
    return shape && is_all;
}

/* One way for each function that it can be. */
static void dispatch(struct ptx_growing *c, const struct ptx_bases *b,
                     const struct ptx_instruction *in, const struct ptx_instruction *call,
                     const struct ptx_function *shape)
{
    const struct ptx_plan *plan = c->e->plan;
    const uint32_t done = ptx_grow_label(c, "done");
    if (call->guard >= 0)
        ptx_grow_jump(c, done, call->guard, !call->guard_negated);
    for (size_t i = 0; i < plan->target_count; i++) {
        const struct ptx_function *target = plan->targets[i];
        if (!ptx_same_shape(target, shape))
            continue;
        const uint32_t next = ptx_grow_label(c, "next");
        struct ptx_instruction made = *call;
        made.guard = -1;
        made.operand_count = 3;
        made.operands = ptx_arena_array(c->arena, 3, sizeof *made.operands);
        memcpy(made.operands, call->operands, 3 * sizeof *made.operands);
        made.operands[1] =
            (struct ptx_operand){.kind = PTX_OPERAND_FUNCTION, .index = -1, .function = target};
        ptx_grow_jump(c, next, ptx_grow_test(c, PTX_B64, call->operands[1], target->number), true);
        if (jumped_of(c, target))
            jump_call(c, b, in, &made, jumped_of(c, target));
        else if (is_inlined(c, target))
            inline_call(c, &made);
        else
            *ptx_grow_instruction(c) = made;
        ptx_grow_jump(c, done, -1, false);
        ptx_grow_label_here(c, next);
    }
    ptx_grow_trap(c, -1); /* whoever comes here follows a pointer to nowhere */
    ptx_grow_label_here(c, done);
}

static const struct ptx_variable **own_places(struct ptx_growing *c,
                                              struct ptx_variable *const *formal, size_t count)
{
    const struct ptx_variable **made = ptx_arena_array(c->arena, count + 1, sizeof *made);
    for (size_t i = 0; i < count; i++)
        made[i] = formal[i]->space == PTX_SPACE_REG ? formal[i] : bind(c, NULL, formal[i]);
    return made;
}

/* Before the entry is copied. */
static void begin_jumped(struct ptx_growing *c)
{
    const struct ptx_plan *plan = c->e->plan;
    c->jumped_of =
        ptx_arena_array(c->arena, c->e->module->function_count + 2, sizeof *c->jumped_of);
    c->jumped = ptx_arena_array(c->arena, plan->jump_count + 1, sizeof *c->jumped);
    for (size_t i = 0; i < plan->jump_count; i++) {
        const struct ptx_function *from = plan->jumps[i];
        struct ptx_jumped *j = &c->jumped[i];
        c->jumped_of[from->number] = (uint32_t)i + 1;
        j->b = begin_function(c, from);
        j->b.parameters = own_places(c, from->parameters, from->parameter_count);
        j->b.results = own_places(c, from->results, from->result_count);
        j->b.end_label = (int32_t)ptx_grow_label(c, "end");
        j->start_label = ptx_grow_label(c, from->name);
        j->back = ptx_grow_register(c, (struct ptx_register){"back", PTX_B32, 1});
        c->made->targets = ptx_arena_grow(c->arena, c->made->targets, c->made->target_count,
                                          &c->target_room, sizeof *c->made->targets);
        j->targets = (uint32_t)c->made->target_count++;
        c->made->targets[j->targets] = (struct ptx_targets){.name = "back"};
    }
    ptx_frames_find(c);
}

static void grow_return(struct ptx_growing *c)
{
    ptx_grow_trap(c, -1);
    c->made->instructions[c->made->instruction_count - 1].opcode = PTX_OPCODE_ret;
    c->made->instructions[c->made->instruction_count - 1].words = "ret";
}

/* ret: by a branch to one of the sites. What follows in the text is not gone to, but must be something that anybody may. */
static void write_return(struct ptx_growing *c, const struct ptx_jumped *j)
{
    ptx_grow_at(c, j->b.from->line);
    ptx_grow_label_here(c, (uint32_t)j->b.end_label);
    ptx_frames_leave(c, j);
    ptx_grow_jump(c, 0, -1, false);
    struct ptx_instruction *in = &c->made->instructions[c->made->instruction_count - 1];
    in->opcode = PTX_OPCODE_brx;
    in->words = "brx.idx";
    in->operand_count = 2;
    in->operands = ptx_arena_array(c->arena, 2, sizeof *in->operands);
    in->operands[0] = ptx_register_operand(j->back);
    in->operands[1] =
        (struct ptx_operand){.kind = PTX_OPERAND_TARGETS, .index = (int32_t)j->targets};
    grow_return(c);
}

static void copy_jumped(struct ptx_growing *c)
{
    const size_t count = c->e->plan->jump_count;
    if (count > 0) { /* the entry's end */
        ptx_grow_at(c, 0);
        grow_return(c);
    }
    for (size_t i = 0; i < count; i++) {
        ptx_grow_label_here(c, c->jumped[i].start_label);
        ptx_frames_enter(c, &c->jumped[i]);
        copy_function(c, &c->jumped[i].b);
        write_return(c, &c->jumped[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct ptx_targets *targets = &c->made->targets[c->jumped[i].targets];
        targets->labels = c->jumped[i].sites;
        targets->count = c->jumped[i].site_count;
    }
}

static void copy_instruction(struct ptx_growing *c, const struct ptx_bases *b,
                             const struct ptx_instruction *in)
{
    struct ptx_instruction made = mapped(c, b, in);
    ptx_grow_for(c, in);
    const bool is_call = in->opcode == PTX_OPCODE_call && in->operand_count > 1;
    if (is_call && jumped_of(c, in->operands[1].function)) {
        jump_call(c, b, in, &made, jumped_of(c, in->operands[1].function));
        return;
    }
    if (is_call && in->operands[1].kind != PTX_OPERAND_FUNCTION) {
        const struct ptx_function *shape = ptx_call_prototype(b->from, in);
        if (may_jump(c, shape)) {
            dispatch(c, b, in, &made, shape);
            return;
        }
    }
    if (in->opcode == PTX_OPCODE_call && in->operand_count > 1 &&
        is_inlined(c, in->operands[1].function)) {
        inline_call(c, &made);
        return;
    }
    if (in->opcode == PTX_OPCODE_ret && b->end_label >= 0) {
        ptx_grow_jump(c, (uint32_t)b->end_label, made.guard, made.guard_negated);
        return;
    }
    if (in->guard >= 0 && (ptx_is_barrier(in) || ptx_is_warp_operation(in))) {
        const uint32_t skip = ptx_grow_label(c, "skip");
        ptx_grow_jump(c, skip, made.guard, !made.guard_negated);
        made.guard = -1;
        *ptx_grow_instruction(c) = made;
        ptx_grow_label_here(c, skip);
        return;
    }
    *ptx_grow_instruction(c) = made;
}

static void copy_function(struct ptx_growing *c, const struct ptx_bases *b)
{
    const struct ptx_function *from = b->from;
    const size_t count = from->instruction_count;
    uint32_t *first = ptx_arena_array(c->arena, count + 1, sizeof *first); /* label + 1; 0: none */
    uint32_t *next = ptx_arena_array(c->arena, from->label_count + 1, sizeof *next);
    for (size_t j = 0; j < from->label_count; j++) {
        next[j] = first[from->labels[j].instruction];
        first[from->labels[j].instruction] = (uint32_t)j + 1;
    }
    for (size_t i = 0; i <= count; i++) {
        for (uint32_t j = first[i]; j != 0; j = next[j - 1])
            ptx_grow_label_here(c, b->labels + j - 1);
        if (i < count)
            copy_instruction(c, b, &from->instructions[i]);
    }
}

/* ---- What is left of .param variables ---- */

/* Each becomes a register where every access is to all of it, otherwise a .local variable; but for
 * those that calls still pass. */
struct use {
    bool is_passed, is_partial, is_addressed;
    int32_t index; /* of the register */
};

static void find_use(const struct ptx_function *f, struct use *uses,
                     const struct ptx_instruction *in, const struct ptx_operand *operand)
{
    for (uint32_t i = 0; operand->kind == PTX_OPERAND_VECTOR && i < operand->count; i++)
        find_use(f, uses, in, &operand->list[i]);
    const struct ptx_variable *v = operand->variable;
    if (!v || v->owner != f || v->space != PTX_SPACE_PARAM || v->number >= f->variable_count ||
        f->variables[v->number] != v)
        return;
    struct use *use = &uses[v->number];
    use->is_passed |= in->opcode == PTX_OPCODE_call;
    use->is_addressed |= in->opcode == PTX_OPCODE_mov;
    const bool is_whole = (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_st) &&
                          in->width <= 1 && operand->bits == 0 && operand->index < 0 &&
                          in->guard < 0 && ptx_type_bytes(in->types[0]) == v->bytes;
    use->is_partial |= !is_whole;
}

static void change_access(struct ptx_function *f, const struct use *uses,
                          struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++) {
        struct ptx_operand *o = &in->operands[i];
        const struct ptx_variable *v = o->variable;
        if (!v || v->owner != f || v->number >= f->variable_count || f->variables[v->number] != v ||
            uses[v->number].is_passed)
            continue;
        if (uses[v->number].index >= 0) {
            in->opcode = PTX_OPCODE_mov;
            in->space = PTX_SPACE_GENERIC;
            *o = ptx_register_operand((uint32_t)uses[v->number].index);
        } else if (v->space == PTX_SPACE_LOCAL && in->space == PTX_SPACE_PARAM) {
            in->space = PTX_SPACE_LOCAL;
        }
    }
}

static void change_parameters(struct ptx_growing *c)
{
    struct ptx_function *f = c->made;
    struct use *uses = ptx_arena_array(c->arena, f->variable_count, sizeof *uses);
    for (size_t i = 0; i < f->instruction_count; i++)
        for (uint32_t j = 0; j < f->instructions[i].operand_count; j++)
            find_use(f, uses, &f->instructions[i], &f->instructions[i].operands[j]);
    for (size_t i = 0; i < f->variable_count; i++) {
        struct ptx_variable *v = f->variables[i];
        uses[i].index = -1;
        if (v->owner == f && v->space == PTX_SPACE_PARAM && uses[i].is_passed &&
            uses[i].is_addressed)
            ptx_refuse(c->e, "the address of %s, which a call passes on", v->name);
        if (v->owner != f || v->space != PTX_SPACE_PARAM || uses[i].is_passed)
            continue;
        if (uses[i].is_partial || v->is_array)
            v->space = PTX_SPACE_LOCAL;
        else
            uses[i].index =
                (int32_t)ptx_grow_register(c, (struct ptx_register){v->name, v->type, 1});
    }
    for (size_t i = 0; i < f->instruction_count; i++)
        change_access(f, uses, &f->instructions[i]);
}

const struct ptx_function *ptx_block_inline(struct ptx_emitter *e, const struct ptx_function *entry)
{
    struct ptx_growing c = {.e = e, .arena = e->arena};
    c.made = ptx_arena_take(e->arena, sizeof *c.made);
    *c.made = *entry;
    c.made->registers = NULL;
    c.made->variables = NULL;
    c.made->labels = NULL;
    c.made->targets = NULL;
    c.made->instructions = NULL;
    c.made->register_count = c.made->variable_count = c.made->label_count = 0;
    c.made->target_count = c.made->instruction_count = 0;
    c.verdicts = ptx_arena_take(e->arena, e->module->function_count + 2);
    const struct ptx_bases b = begin_function(&c, entry);
    begin_jumped(&c);
    copy_function(&c, &b);
    copy_jumped(&c);
    change_parameters(&c);
    return c.made;
}
