/* The entry of PTX_FORM_BLOCK: calls of functions with barriers, warp operations or loops that wait are
 * replaced by what they call, and barriers and warp operations have no guards any more (a jump around them instead), so
 * that each begins a node of its own. Works on a copy; the module stays as it is.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/plan.h"

/* A growing function. */
struct growing {
    struct ptx_emitter *e;
    struct ptx_arena *arena;
    struct ptx_function *made;
    size_t instruction_room, label_room, register_room, variable_room, target_room;
    uint32_t line, location; /* of instructions that are added */
    uint8_t *verdicts;       /* per function number: 0 unknown, 1 stays a call, 2 to be inlined */
    struct jumped *jumped;   /* of plan.jumps, in their order */
    uint32_t *jumped_of;     /* per function number: 1 + its place there, or 0 */
};

/* Where the numbers of a function being copied begin in the copy. */
struct bases {
    const struct ptx_function *from;
    uint32_t registers, labels, targets;
    const struct ptx_variable **variables;             /* copies of its variables, in their order */
    const struct ptx_variable **parameters, **results; /* what stands for them; NULL in the entry */
    int32_t end_label;                                 /* where ret goes; -1: it ends the thread */
};

/* A function whose text stands once. Who calls it says where to go on, in a register, and jumps there.
 * It has one place for its values, so a thread that comes while it is there already traps. */
struct jumped {
    struct bases b;
    uint32_t start_label, back, is_within; /* back, is_within: registers */
    uint32_t targets;                      /* of the copy: where to go on */
    int32_t *sites;
    size_t site_count, site_room;
};

/* ---- Growing ---- */

static struct ptx_instruction *add_instruction(struct growing *c)
{
    struct ptx_function *f = c->made;
    f->instructions = ptx_arena_grow(c->arena, f->instructions, f->instruction_count,
                                     &c->instruction_room, sizeof *f->instructions);
    struct ptx_instruction *added = &f->instructions[f->instruction_count++];
    *added = (struct ptx_instruction){.line = c->line, .location = c->location};
    return added;
}

/* What is added from here on stands for this instruction. */
static void stand_for(struct growing *c, const struct ptx_instruction *in)
{
    c->line = in->line;
    c->location = in->location;
}

/* For a function as a whole, or for none. */
static void stand_at(struct growing *c, uint32_t line)
{
    c->line = line;
    c->location = 0;
}

static uint32_t add_label(struct growing *c, const char *name)
{
    struct ptx_function *f = c->made;
    f->labels =
        ptx_arena_grow(c->arena, f->labels, f->label_count, &c->label_room, sizeof *f->labels);
    f->labels[f->label_count] = (struct ptx_label){name, 0};
    return (uint32_t)f->label_count++;
}

static uint32_t add_register(struct growing *c, struct ptx_register made)
{
    struct ptx_function *f = c->made;
    f->registers = ptx_arena_grow(c->arena, f->registers, f->register_count, &c->register_room,
                                  sizeof *f->registers);
    f->registers[f->register_count] = made;
    return (uint32_t)f->register_count++;
}

static struct ptx_variable *add_variable(struct growing *c, const struct ptx_variable *like)
{
    struct ptx_function *f = c->made;
    f->variables = ptx_arena_grow(c->arena, f->variables, f->variable_count, &c->variable_room,
                                  sizeof *f->variables);
    struct ptx_variable *made = ptx_arena_take(c->arena, sizeof *made);
    *made = *like;
    made->owner = f;
    made->number = (uint32_t)f->variable_count;
    f->variables[f->variable_count++] = made;
    return made;
}

/* ---- Which functions ---- */

static bool is_inlined(struct growing *c, const struct ptx_function *function)
{
    if (!function || !function->has_body || function->is_entry)
        return false;
    if (c->verdicts[function->number])
        return c->verdicts[function->number] == 2;
    const struct ptx_plan *plan = c->e->plan;
    const struct ptx_body *body = ptx_plan_body(plan, function);
    const bool waits = plan->form != PTX_FORM_ITEM && body && body->waits;
    const bool is_all = plan->form == PTX_FORM_NATIVE; /* recursion was refused before, or is jumps */
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

static const struct ptx_variable *map_variable(struct growing *c, const struct bases *b,
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

static void map_operand(struct growing *c, const struct bases *b, struct ptx_operand *operand)
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
    if (operand->variable)
        operand->variable = map_variable(c, b, operand->variable);
    if (operand->count == 0 || !operand->list)
        return;
    struct ptx_operand *list = ptx_arena_array(c->arena, operand->count, sizeof *list);
    memcpy(list, operand->list, operand->count * sizeof *list);
    for (uint32_t i = 0; i < operand->count; i++)
        map_operand(c, b, &list[i]);
    operand->list = list;
}

static struct ptx_instruction mapped(struct growing *c, const struct bases *b,
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
    return made;
}

/* ---- Jumps and moves of the copy's own ---- */

static void write_jump(struct growing *c, uint32_t label, int32_t guard, bool is_negated)
{
    struct ptx_instruction *in = add_instruction(c);
    in->opcode = PTX_OPCODE_bra;
    in->words = "bra";
    in->width = 1;
    in->guard = guard;
    in->guard_negated = is_negated;
    in->operand_count = 1;
    in->operands = ptx_arena_array(c->arena, 1, sizeof *in->operands);
    in->operands[0] = (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .index = (int32_t)label};
}

static void write_move(struct growing *c, enum ptx_type type, struct ptx_operand to,
                       struct ptx_operand from)
{
    struct ptx_instruction *in = add_instruction(c);
    in->opcode = PTX_OPCODE_mov;
    in->words = "mov";
    in->width = 1;
    in->guard = -1;
    in->type_count = 1;
    in->types[0] = (uint8_t)type;
    in->operand_count = 2;
    in->operands = ptx_arena_array(c->arena, 2, sizeof *in->operands);
    in->operands[0] = to;
    in->operands[1] = from;
}

static struct ptx_operand register_operand(uint32_t index)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .index = (int32_t)index};
}

/* Stores into or loads from a .param variable as a whole. */
static void write_access(struct growing *c, uint16_t opcode, const struct ptx_variable *variable,
                         struct ptx_operand value)
{
    const struct ptx_operand address = {
        .kind = PTX_OPERAND_ADDRESS, .index = -1, .variable = variable};
    const bool is_load = opcode == PTX_OPCODE_ld;
    write_move(c, variable->type, is_load ? value : address, is_load ? address : value);
    struct ptx_instruction *in = &c->made->instructions[c->made->instruction_count - 1];
    in->opcode = opcode;
    in->words = is_load ? "ld.param" : "st.param";
    in->space = PTX_SPACE_PARAM;
}

/* ---- Functions ---- */

static void copy_function(struct growing *c, const struct bases *b);

static struct bases begin_function(struct growing *c, const struct ptx_function *from)
{
    struct bases b = {.from = from, .end_label = -1};
    b.registers = (uint32_t)c->made->register_count;
    b.labels = (uint32_t)c->made->label_count;
    b.targets = (uint32_t)c->made->target_count;
    for (size_t i = 0; i < from->register_count; i++)
        add_register(c, from->registers[i]);
    for (size_t i = 0; i < from->label_count; i++)
        add_label(c, from->labels[i].name);
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
        b.variables[i] = is_own && !v->copy_of ? add_variable(c, v) : v;
    }
    return b;
}

/* What stands for a parameter or result of an inlined function: the .param variable of the call, or a
 * new one. */
static const struct ptx_variable *bind(struct growing *c, const struct ptx_operand *given,
                                       const struct ptx_variable *formal)
{
    if (given && given->variable &&
        (given->kind == PTX_OPERAND_VARIABLE || given->kind == PTX_OPERAND_ADDRESS) &&
        given->variable->space == PTX_SPACE_PARAM)
        return given->variable;
    struct ptx_variable like = *formal;
    like.space = PTX_SPACE_PARAM;
    return add_variable(c, &like);
}

static const struct ptx_operand *item(const struct ptx_instruction *call, uint32_t operand,
                                      size_t i)
{
    return operand < call->operand_count && call->operands[operand].kind == PTX_OPERAND_VECTOR &&
                   i < call->operands[operand].count
               ? &call->operands[operand].list[i]
               : NULL;
}

static void pass_arguments(struct growing *c, const struct ptx_instruction *call, struct bases *b)
{
    const struct ptx_function *callee = b->from;
    b->parameters = ptx_arena_array(c->arena, callee->parameter_count, sizeof *b->parameters);
    for (size_t i = 0; i < callee->parameter_count; i++) {
        const struct ptx_variable *formal = callee->parameters[i];
        const struct ptx_operand *given = item(call, 2, i);
        b->parameters[i] = formal;
        if (formal->space == PTX_SPACE_REG) {
            if (given)
                write_move(c, formal->type, register_operand(b->registers + formal->number),
                           *given);
            continue;
        }
        b->parameters[i] = bind(c, given, formal);
        if (given && b->parameters[i] != given->variable)
            write_access(c, PTX_OPCODE_st, b->parameters[i], *given);
    }
    b->results = ptx_arena_array(c->arena, callee->result_count, sizeof *b->results);
    for (size_t i = 0; i < callee->result_count; i++)
        b->results[i] = callee->results[i]->space == PTX_SPACE_REG
                            ? callee->results[i]
                            : bind(c, item(call, 0, i), callee->results[i]);
}

static void pass_results(struct growing *c, const struct ptx_instruction *call,
                         const struct bases *b)
{
    const struct ptx_function *callee = b->from;
    for (size_t i = 0; i < callee->result_count; i++) {
        const struct ptx_operand *given = item(call, 0, i);
        if (!given || given->kind == PTX_OPERAND_SINK)
            continue;
        if (callee->results[i]->space == PTX_SPACE_REG)
            write_move(c, callee->results[i]->type, *given,
                       register_operand(b->registers + callee->results[i]->number));
        else if (given->kind == PTX_OPERAND_REGISTER)
            write_access(c, PTX_OPCODE_ld, b->results[i], *given);
    }
}

static void set_label(struct growing *c, uint32_t label)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): add_label made the label */
    c->made->labels[label].instruction = (uint32_t)c->made->instruction_count;
}

static void inline_call(struct growing *c, const struct ptx_instruction *call)
{
    const uint32_t skip = add_label(c, "skip");
    if (call->guard >= 0)
        write_jump(c, skip, call->guard, !call->guard_negated);
    struct bases b = begin_function(c, call->operands[1].function);
    b.end_label = (int32_t)add_label(c, "end");
    pass_arguments(c, call, &b);
    copy_function(c, &b);
    stand_for(c, call);
    set_label(c, (uint32_t)b.end_label);
    pass_results(c, call, &b);
    set_label(c, skip);
}

/* ---- Functions that are jumped to ---- */

static struct jumped *jumped_of(const struct growing *c, const struct ptx_function *function)
{
    const uint32_t place = function ? c->jumped_of[function->number] : 0;
    return place ? &c->jumped[place - 1] : NULL;
}

static struct ptx_operand number_operand(uint64_t number)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .index = -1, .bits = (int64_t)number};
}

static void write_set(struct growing *c, uint32_t to, uint64_t number)
{
    write_move(c, PTX_B32, register_operand(to), number_operand(number));
}

static void write_trap(struct growing *c, int32_t guard)
{
    struct ptx_instruction *in = add_instruction(c);
    in->opcode = PTX_OPCODE_trap;
    in->words = "trap";
    in->width = 1;
    in->guard = guard;
}

/* A new predicate: whether a value is a number. */
static int32_t write_test(struct growing *c, enum ptx_type type, struct ptx_operand value,
                          uint64_t number)
{
    const uint32_t predicate = add_register(c, (struct ptx_register){"is", PTX_PRED, 1});
    write_move(c, type, register_operand(predicate), value);
    struct ptx_instruction *in = &c->made->instructions[c->made->instruction_count - 1];
    in->opcode = PTX_OPCODE_setp;
    in->words = "setp.eq";
    in->compare = PTX_EQ;
    in->operand_count = 3;
    in->operands = ptx_arena_array(c->arena, 3, sizeof *in->operands);
    in->operands[0] = register_operand(predicate);
    in->operands[1] = value;
    in->operands[2] = number_operand(number);
    return (int32_t)predicate;
}

/* A part of a .param variable, to or from a register. */
static void write_part(struct growing *c, uint16_t opcode, enum ptx_type type,
                       const struct ptx_variable *variable, size_t offset, uint32_t index)
{
    write_access(c, opcode, variable, register_operand(index));
    struct ptx_instruction *in = &c->made->instructions[c->made->instruction_count - 1];
    in->types[0] = (uint8_t)type;
    in->operands[opcode == PTX_OPCODE_ld].bits = (int64_t)offset;
}

static void write_copy(struct growing *c, const struct ptx_variable *to,
                       const struct ptx_variable *from)
{
    static const enum ptx_type types[] = {PTX_B8, PTX_B16, PTX_B32, PTX_B64};
    unsigned size = 3;
    while (size > 0 && (to->bytes % (1u << size) != 0 || to->alignment % (1u << size) != 0 ||
                        from->alignment % (1u << size) != 0))
        size--;
    for (size_t at = 0; at + (1u << size) <= to->bytes; at += 1u << size) {
        const uint32_t part =
            add_register(c, (struct ptx_register){"part", (uint8_t)types[size], 1});
        write_part(c, PTX_OPCODE_ld, types[size], from, at, part);
        write_part(c, PTX_OPCODE_st, types[size], to, at, part);
    }
}

static bool is_parameter_of_call(const struct ptx_operand *given)
{
    return given->variable &&
           (given->kind == PTX_OPERAND_VARIABLE || given->kind == PTX_OPERAND_ADDRESS) &&
           given->variable->space == PTX_SPACE_PARAM;
}

static void hand_over(struct growing *c, const struct ptx_instruction *call, const struct jumped *j)
{
    const struct ptx_function *callee = j->b.from;
    for (size_t i = 0; i < callee->parameter_count; i++) {
        const struct ptx_variable *formal = callee->parameters[i];
        const struct ptx_operand *given = item(call, 2, i);
        if (!given)
            continue;
        if (formal->space == PTX_SPACE_REG)
            write_move(c, formal->type, register_operand(j->b.registers + formal->number), *given);
        else if (is_parameter_of_call(given))
            write_copy(c, j->b.parameters[i], given->variable);
        else
            write_access(c, PTX_OPCODE_st, j->b.parameters[i], *given);
    }
}

static void take_back(struct growing *c, const struct ptx_instruction *call, const struct jumped *j)
{
    const struct ptx_operand *given = item(call, 0, 0);
    if (given && j->b.from->result_count > 0 && is_parameter_of_call(given))
        write_copy(c, given->variable, j->b.results[0]);
    else
        pass_results(c, call, &j->b);
}

static void jump_call(struct growing *c, const struct ptx_instruction *call, struct jumped *j)
{
    const uint32_t skip = add_label(c, "skip"), site = add_label(c, "back");
    if (call->guard >= 0)
        write_jump(c, skip, call->guard, !call->guard_negated);
    write_trap(c, write_test(c, PTX_B32, register_operand(j->is_within), 1));
    hand_over(c, call, j);
    write_set(c, j->is_within, 1);
    write_set(c, j->back, j->site_count);
    j->sites = ptx_arena_grow(c->arena, j->sites, j->site_count, &j->site_room, sizeof *j->sites);
    j->sites[j->site_count++] = (int32_t)site;
    write_jump(c, j->start_label, -1, false);
    set_label(c, site);
    take_back(c, call, j);
    set_label(c, skip);
}

/* Whether a call by number may be one of a function that is jumped to. */
static bool may_jump(const struct growing *c, const struct ptx_function *shape)
{
    const struct ptx_plan *plan = c->e->plan;
    for (size_t i = 0; shape && plan->jump_count > 0 && i < plan->target_count; i++)
        if (jumped_of(c, plan->targets[i]) && ptx_same_shape(plan->targets[i], shape))
            return true;
    return false;
}

/* One way for each function that it can be. */
static void dispatch(struct growing *c, const struct ptx_instruction *call,
                     const struct ptx_function *shape)
{
    const struct ptx_plan *plan = c->e->plan;
    const uint32_t done = add_label(c, "done");
    if (call->guard >= 0)
        write_jump(c, done, call->guard, !call->guard_negated);
    for (size_t i = 0; i < plan->target_count; i++) {
        const struct ptx_function *target = plan->targets[i];
        if (!ptx_same_shape(target, shape))
            continue;
        const uint32_t next = add_label(c, "next");
        struct ptx_instruction made = *call;
        made.guard = -1;
        made.operand_count = 3;
        made.operands = ptx_arena_array(c->arena, 3, sizeof *made.operands);
        memcpy(made.operands, call->operands, 3 * sizeof *made.operands);
        made.operands[1] =
            (struct ptx_operand){.kind = PTX_OPERAND_FUNCTION, .index = -1, .function = target};
        write_jump(c, next, write_test(c, PTX_B64, call->operands[1], target->number), true);
        if (jumped_of(c, target))
            jump_call(c, &made, jumped_of(c, target));
        else
            *add_instruction(c) = made;
        write_jump(c, done, -1, false);
        set_label(c, next);
    }
    write_trap(c, -1); /* whoever comes here follows a pointer to nowhere */
    set_label(c, done);
}

static const struct ptx_variable **own_places(struct growing *c, struct ptx_variable *const *formal,
                                              size_t count)
{
    const struct ptx_variable **made = ptx_arena_array(c->arena, count + 1, sizeof *made);
    for (size_t i = 0; i < count; i++)
        made[i] = formal[i]->space == PTX_SPACE_REG ? formal[i] : bind(c, NULL, formal[i]);
    return made;
}

/* Before the entry is copied: nobody is within yet. */
static void begin_jumped(struct growing *c)
{
    const struct ptx_plan *plan = c->e->plan;
    c->jumped_of =
        ptx_arena_array(c->arena, c->e->module->function_count + 2, sizeof *c->jumped_of);
    c->jumped = ptx_arena_array(c->arena, plan->jump_count + 1, sizeof *c->jumped);
    for (size_t i = 0; i < plan->jump_count; i++) {
        const struct ptx_function *from = plan->jumps[i];
        struct jumped *j = &c->jumped[i];
        c->jumped_of[from->number] = (uint32_t)i + 1;
        j->b = begin_function(c, from);
        j->b.parameters = own_places(c, from->parameters, from->parameter_count);
        j->b.results = own_places(c, from->results, from->result_count);
        j->b.end_label = (int32_t)add_label(c, "end");
        j->start_label = add_label(c, from->name);
        j->back = add_register(c, (struct ptx_register){"back", PTX_B32, 1});
        j->is_within = add_register(c, (struct ptx_register){"within", PTX_B32, 1});
        c->made->targets = ptx_arena_grow(c->arena, c->made->targets, c->made->target_count,
                                          &c->target_room, sizeof *c->made->targets);
        j->targets = (uint32_t)c->made->target_count++;
        c->made->targets[j->targets] = (struct ptx_targets){.name = "back"};
        stand_at(c, from->line);
        write_set(c, j->is_within, 0);
    }
}

/* ret: by a branch to one of the sites. */
static void write_return(struct growing *c, const struct jumped *j)
{
    stand_at(c, j->b.from->line);
    set_label(c, (uint32_t)j->b.end_label);
    write_set(c, j->is_within, 0);
    write_jump(c, 0, -1, false);
    struct ptx_instruction *in = &c->made->instructions[c->made->instruction_count - 1];
    in->opcode = PTX_OPCODE_brx;
    in->words = "brx.idx";
    in->operand_count = 2;
    in->operands = ptx_arena_array(c->arena, 2, sizeof *in->operands);
    in->operands[0] = register_operand(j->back);
    in->operands[1] =
        (struct ptx_operand){.kind = PTX_OPERAND_TARGETS, .index = (int32_t)j->targets};
}

static void copy_jumped(struct growing *c)
{
    const size_t count = c->e->plan->jump_count;
    if (count > 0) { /* the entry's end */
        stand_at(c, 0);
        write_trap(c, -1);
        c->made->instructions[c->made->instruction_count - 1].opcode = PTX_OPCODE_ret;
        c->made->instructions[c->made->instruction_count - 1].words = "ret";
    }
    for (size_t i = 0; i < count; i++) {
        set_label(c, c->jumped[i].start_label);
        copy_function(c, &c->jumped[i].b);
        write_return(c, &c->jumped[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct ptx_targets *targets = &c->made->targets[c->jumped[i].targets];
        targets->labels = c->jumped[i].sites;
        targets->count = c->jumped[i].site_count;
    }
}

static void copy_instruction(struct growing *c, const struct bases *b,
                             const struct ptx_instruction *in)
{
    struct ptx_instruction made = mapped(c, b, in);
    stand_for(c, in);
    const bool is_call = in->opcode == PTX_OPCODE_call && in->operand_count > 1;
    if (is_call && jumped_of(c, in->operands[1].function)) {
        jump_call(c, &made, jumped_of(c, in->operands[1].function));
        return;
    }
    if (is_call && in->operands[1].kind != PTX_OPERAND_FUNCTION) {
        const struct ptx_function *shape = ptx_call_prototype(b->from, in);
        if (may_jump(c, shape)) {
            dispatch(c, &made, shape);
            return;
        }
    }
    if (in->opcode == PTX_OPCODE_call && in->operand_count > 1 &&
        is_inlined(c, in->operands[1].function)) {
        inline_call(c, &made);
        return;
    }
    if (in->opcode == PTX_OPCODE_ret && b->end_label >= 0) {
        write_jump(c, (uint32_t)b->end_label, made.guard, made.guard_negated);
        return;
    }
    if (in->guard >= 0 && (ptx_is_barrier(in) || ptx_is_warp_operation(in))) {
        const uint32_t skip = add_label(c, "skip");
        write_jump(c, skip, made.guard, !made.guard_negated);
        made.guard = -1;
        *add_instruction(c) = made;
        set_label(c, skip);
        return;
    }
    *add_instruction(c) = made;
}

static void copy_function(struct growing *c, const struct bases *b)
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
            set_label(c, b->labels + j - 1);
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
            *o = register_operand((uint32_t)uses[v->number].index);
        } else if (v->space == PTX_SPACE_LOCAL && in->space == PTX_SPACE_PARAM) {
            in->space = PTX_SPACE_LOCAL;
        }
    }
}

static void change_parameters(struct growing *c)
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
            uses[i].index = (int32_t)add_register(c, (struct ptx_register){v->name, v->type, 1});
    }
    for (size_t i = 0; i < f->instruction_count; i++)
        change_access(f, uses, &f->instructions[i]);
}

const struct ptx_function *ptx_block_inline(struct ptx_emitter *e, const struct ptx_function *entry)
{
    struct growing c = {.e = e, .arena = e->arena};
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
    const struct bases b = begin_function(&c, entry);
    begin_jumped(&c);
    copy_function(&c, &b);
    copy_jumped(&c);
    change_parameters(&c);
    return c.made;
}
