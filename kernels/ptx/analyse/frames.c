/* Recursion by frames. A function that is jumped to has one place for its values. Whoever calls one that may come back
 * before it returns puts what it reads behind the call into a frame, which grows the stack; and its .local variables, whose
 * addresses it may have given away, lie on that stack from its beginning to its end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/frames.h"

#include <string.h>

#include "kernels/ptx/analyse/flow.h"

enum { FRAME_ALIGNMENT = 16 };

struct ptx_frame {
    uint64_t *reaches;      /* a bit for each function that is jumped to */
    uint32_t base;          /* register: the address of its variables */
    uint32_t *addresses;    /* as of struct ptx_bases */
    size_t *offsets, bytes; /* of its variables, by position */
    struct ptx_flow *flow;  /* of the function in the module, with what lives */
};

/* ---- Which functions ---- */

static void note_callee(struct ptx_growing *c, uint64_t *reaches, const struct ptx_function *callee)
{
    const uint32_t place = callee ? c->jumped_of[callee->number] : 0;
    if (place > 0)
        reaches[(place - 1) / 64] |= UINT64_C(1) << (place - 1) % 64;
}

static void note_callees(struct ptx_growing *c, uint64_t *reaches, const struct ptx_function *from)
{
    const struct ptx_plan *plan = c->e->plan;
    for (size_t i = 0; i < from->instruction_count; i++) {
        const struct ptx_instruction *in = &from->instructions[i];
        if (in->opcode != PTX_OPCODE_call || in->operand_count < 2)
            continue;
        if (in->operands[1].kind == PTX_OPERAND_FUNCTION) {
            note_callee(c, reaches, in->operands[1].function);
            continue;
        }
        const struct ptx_function *shape = ptx_call_prototype(from, in);
        ptx_steps(c->arena, plan->target_count);
        for (size_t k = 0; shape && k < plan->target_count; k++)
            if (ptx_same_shape(plan->targets[k], shape))
                note_callee(c, reaches, plan->targets[k]);
    }
}

static bool has(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

/* What each reaches, by any number of calls. */
static uint64_t **find_reaches(struct ptx_growing *c)
{
    const size_t count = c->e->plan->jump_count, words = count / 64 + 1;
    uint64_t **reaches = ptx_arena_array(c->arena, count + 1, sizeof *reaches);
    for (size_t i = 0; i < count; i++) {
        reaches[i] = ptx_arena_array(c->arena, words, sizeof **reaches);
        note_callees(c, reaches[i], c->e->plan->jumps[i]);
    }
    for (size_t by = 0; by < count; by++) {
        ptx_steps(c->arena, count * words);
        for (size_t i = 0; i < count; i++)
            for (size_t w = 0; has(reaches[i], by) && w < words; w++)
                reaches[i][w] |= reaches[by][w];
    }
    return reaches;
}

bool ptx_frames_may_return(const struct ptx_growing *c, const struct ptx_jumped *caller,
                           const struct ptx_jumped *callee)
{
    const size_t to = (size_t)(caller - c->jumped);
    return caller->frame && callee->frame && (caller == callee || has(callee->frame->reaches, to));
}

/* ---- Variables ---- */

static size_t round_up(size_t value, size_t multiple)
{
    return multiple < 2 ? value : (value + multiple - 1) / multiple * multiple;
}

/* Those that begin_function() copied keep no place of their own. */
static void place_variables(struct ptx_growing *c, struct ptx_jumped *j)
{
    const struct ptx_function *from = j->b.from;
    struct ptx_frame *frame = j->frame;
    frame->addresses =
        ptx_arena_array(c->arena, from->variable_count + 1, sizeof *frame->addresses);
    frame->offsets = ptx_arena_array(c->arena, from->variable_count + 1, sizeof *frame->offsets);
    for (size_t i = 0; i < from->variable_count; i++) {
        const struct ptx_variable *v = from->variables[i];
        if (v->space != PTX_SPACE_LOCAL)
            continue;
        frame->offsets[i] = round_up(frame->bytes, v->alignment);
        frame->bytes = frame->offsets[i] + v->bytes;
        frame->addresses[i] = 1 + ptx_grow_register(c, (struct ptx_register){"place", PTX_B64, 1});
        if (!v->copy_of)
            c->made->variables[j->b.variables[i]->number]->bytes = 0;
    }
    frame->bytes = round_up(frame->bytes, FRAME_ALIGNMENT);
    if (frame->bytes == 0)
        return;
    frame->base = ptx_grow_register(c, (struct ptx_register){"base", PTX_B64, 1});
    j->b.addresses = frame->addresses;
}

static void write_add(struct ptx_growing *c, uint32_t to, uint32_t from, int64_t number)
{
    const struct ptx_operand operands[] = {ptx_register_operand(to), ptx_register_operand(from),
                                           ptx_number_operand((uint64_t)number)};
    ptx_grow_typed(c, PTX_OPCODE_add, "add", PTX_U64, operands, 3);
}

/* So many bytes more, or the thread traps. */
static void write_growth(struct ptx_growing *c, size_t bytes)
{
    const uint32_t is_full = ptx_grow_register(c, (struct ptx_register){"is_full", PTX_PRED, 1});
    const struct ptx_operand operands[] = {
        ptx_register_operand(is_full), ptx_register_operand(c->top), ptx_register_operand(c->end)};
    write_add(c, c->top, c->top, (int64_t)bytes);
    ptx_grow_typed(c, PTX_OPCODE_setp, "setp.gt", PTX_U64, operands, 3)->compare = PTX_GT;
    ptx_grow_trap(c, (int32_t)is_full);
}

static void write_addresses(struct ptx_growing *c, const struct ptx_jumped *j)
{
    for (size_t i = 0; i < j->b.from->variable_count; i++)
        if (j->frame->addresses[i] > 0)
            write_add(c, j->frame->addresses[i] - 1, j->frame->base, (int64_t)j->frame->offsets[i]);
}

static void write_local(struct ptx_growing *c, uint16_t opcode, enum ptx_type type, uint32_t base,
                        size_t offset, struct ptx_operand value)
{
    const struct ptx_operand address = {
        .kind = PTX_OPERAND_ADDRESS, .index = (int32_t)base, .bits = (int64_t)offset};
    const bool is_load = opcode == PTX_OPCODE_ld;
    const struct ptx_operand operands[] = {is_load ? value : address, is_load ? address : value};
    ptx_grow_typed(c, opcode, is_load ? "ld.local" : "st.local", type, operands, 2)->space =
        PTX_SPACE_LOCAL;
}

/* A parameter, from its place to memory or back. */
static void write_parameter(struct ptx_growing *c, bool is_back,
                            const struct ptx_variable *parameter, uint32_t base, size_t offset)
{
    const enum ptx_type type =
        ptx_grow_unit(parameter->bytes, parameter->alignment, FRAME_ALIGNMENT);
    for (size_t at = 0; at < parameter->bytes; at += ptx_type_bytes(type)) {
        const uint32_t part = ptx_grow_register(c, (struct ptx_register){"part", (uint8_t)type, 1});
        if (!is_back)
            ptx_grow_part(c, PTX_OPCODE_ld, type, parameter, at, part);
        write_local(c, is_back ? PTX_OPCODE_ld : PTX_OPCODE_st, type, base, offset + at,
                    ptx_register_operand(part));
        if (is_back)
            ptx_grow_part(c, PTX_OPCODE_st, type, parameter, at, part);
    }
}

/* Parameters whose address is taken lie in memory. */
static void write_copies(struct ptx_growing *c, const struct ptx_jumped *j)
{
    const struct ptx_function *from = j->b.from;
    for (size_t i = 0; i < from->variable_count; i++)
        for (size_t k = 0; from->variables[i]->copy_of && k < from->parameter_count; k++)
            if (from->parameters[k] == from->variables[i]->copy_of)
                write_parameter(c, false, j->b.parameters[k], j->frame->base, j->frame->offsets[i]);
}

void ptx_frames_enter(struct ptx_growing *c, const struct ptx_jumped *j)
{
    if (!j->frame || j->frame->bytes == 0)
        return;
    ptx_grow_move(c, PTX_B64, ptx_register_operand(j->frame->base), ptx_register_operand(c->top));
    write_growth(c, j->frame->bytes);
    write_addresses(c, j);
    write_copies(c, j);
}

void ptx_frames_leave(struct ptx_growing *c, const struct ptx_jumped *j)
{
    if (j->frame && j->frame->bytes > 0)
        ptx_grow_move(c, PTX_B64, ptx_register_operand(c->top),
                      ptx_register_operand(j->frame->base));
}

/* Registers would have to be handed over at once: no compiler writes such functions. */
static void check_parameters(struct ptx_growing *c, const struct ptx_function *from)
{
    bool has_register = false;
    for (size_t i = 0; i < from->parameter_count; i++)
        has_register |= from->parameters[i]->space == PTX_SPACE_REG;
    for (size_t i = 0; i < from->result_count; i++)
        has_register |= from->results[i]->space == PTX_SPACE_REG;
    if (has_register)
        ptx_refuse(c->e, "function %s leads back to itself and has parameters in registers",
                   from->name);
}

void ptx_frames_find(struct ptx_growing *c)
{
    const size_t count = c->e->plan->jump_count;
    uint64_t **reaches = count > 0 ? find_reaches(c) : NULL;
    for (size_t i = 0; i < count; i++) {
        struct ptx_jumped *j = &c->jumped[i];
        if (!has(reaches[i], i))
            continue;
        c->has_frames = true;
        check_parameters(c, j->b.from);
        j->frame = ptx_arena_take(c->arena, sizeof *j->frame);
        j->frame->reaches = reaches[i];
        j->frame->flow = ptx_flow_make(c->arena, j->b.from, NULL);
        ptx_flow_find_live(j->frame->flow);
        place_variables(c, j);
    }
    if (!c->has_frames)
        return;
    const struct ptx_variable like = {.name = "frames",
                                      .space = PTX_SPACE_LOCAL,
                                      .type = PTX_B8,
                                      .is_array = true,
                                      .width = 1,
                                      .bytes = PTX_FRAMES_BYTES,
                                      .alignment = FRAME_ALIGNMENT};
    const struct ptx_operand frames = {
        .kind = PTX_OPERAND_VARIABLE, .index = -1, .variable = ptx_grow_variable(c, &like)};
    c->top = ptx_grow_register(c, (struct ptx_register){"top", PTX_B64, 1});
    c->end = ptx_grow_register(c, (struct ptx_register){"end", PTX_B64, 1});
    ptx_grow_at(c, 0);
    ptx_grow_move(c, PTX_B64, ptx_register_operand(c->top), frames);
    write_add(c, c->end, c->top, PTX_FRAMES_BYTES);
}

/* ---- What is saved ---- */

struct saved_value {
    struct ptx_operand value; /* a register of the copy, or one of its parts */
    enum ptx_type type;
    const struct ptx_variable *parameter; /* of the copy, in place of a register; or NULL */
    size_t offset;
};

struct ptx_saved {
    struct saved_value *values;
    size_t count, room, bytes;
};

static void add_value(struct ptx_growing *c, struct ptx_saved *saved, struct saved_value value,
                      size_t bytes, size_t alignment)
{
    saved->values =
        ptx_arena_grow(c->arena, saved->values, saved->count, &saved->room, sizeof *saved->values);
    value.offset = round_up(saved->bytes, alignment);
    saved->bytes = value.offset + bytes;
    saved->values[saved->count++] = value;
}

static void add_register(struct ptx_growing *c, struct ptx_saved *saved, uint32_t index)
{
    const struct ptx_register *r = &c->made->registers[index];
    const enum ptx_type type = (enum ptx_type)r->type;
    const size_t bytes = type == PTX_PRED ? sizeof(uint32_t) : ptx_type_bytes(type);
    for (unsigned part = 0; part < (r->width > 1 ? r->width : 1u); part++) {
        struct saved_value value = {.value = ptx_register_operand(index), .type = type};
        value.value.part = (uint8_t)(r->width > 1 ? 1 + part : 0);
        add_value(c, saved, value, bytes, bytes);
    }
}

/* A bit for each register whose value is read behind an instruction. */
struct living {
    bool *registers;
};

static void begin_life(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((struct living *)with)->registers[index] = true;
}

static void end_life(void *with, uint32_t index, bool is_whole)
{
    if (is_whole)
        ((struct living *)with)->registers[index] = false;
}

static bool *find_living(struct ptx_growing *c, const struct ptx_frame *frame, uint32_t at)
{
    const struct ptx_flow *flow = frame->flow;
    const struct ptx_function *from = flow->function;
    struct living living = {ptx_arena_array(c->arena, from->register_count + 1, sizeof(bool))};
    const struct ptx_node *node = &flow->nodes[flow->node_of[at]];
    ptx_steps(c->arena, from->register_count * (node->next_count + 1));
    for (uint32_t n = 0; n < node->next_count; n++)
        for (uint32_t i = 0; i < from->register_count; i++)
            living.registers[i] |= ptx_flow_is_live(flow, node->next[n], i);
    for (uint32_t i = node->end; i > at + 1; i--) {
        ptx_flow_writes(&from->instructions[i - 1], end_life, &living);
        ptx_flow_reads(&from->instructions[i - 1], begin_life, &living);
    }
    ptx_flow_writes(&from->instructions[at], end_life, &living);
    return living.registers;
}

/* Whether a parameter is read by its name behind where nothing jumps to and nothing is called. */
static bool is_read_late(const struct ptx_function *from, const struct ptx_variable *parameter)
{
    size_t first = from->instruction_count;
    for (size_t i = 0; i < from->label_count; i++)
        first = from->labels[i].instruction < first ? from->labels[i].instruction : first;
    for (size_t i = 0; i < first; i++)
        if (from->instructions[i].opcode == PTX_OPCODE_call)
            first = i;
    for (size_t i = first; i < from->instruction_count; i++)
        for (uint32_t k = 0; k < from->instructions[i].operand_count; k++)
            if (from->instructions[i].operands[k].variable == parameter)
                return true;
    return false;
}

static void write_register(struct ptx_growing *c, bool is_back, const struct saved_value *value)
{
    struct ptx_operand held = value->value;
    enum ptx_type type = value->type;
    if (type == PTX_PRED) {
        type = PTX_B32;
        held = ptx_register_operand(
            ptx_grow_register(c, (struct ptx_register){"is", (uint8_t)type, 1}));
    }
    if (value->type == PTX_PRED && !is_back) {
        const struct ptx_operand operands[] = {held, ptx_number_operand(1), ptx_number_operand(0),
                                               value->value};
        ptx_grow_typed(c, PTX_OPCODE_selp, "selp", type, operands, 4);
    }
    write_local(c, is_back ? PTX_OPCODE_ld : PTX_OPCODE_st, type, c->top, value->offset, held);
    if (value->type == PTX_PRED && is_back) {
        const struct ptx_operand operands[] = {value->value, held, ptx_number_operand(0)};
        ptx_grow_typed(c, PTX_OPCODE_setp, "setp.ne", type, operands, 3)->compare = PTX_NE;
    }
}

static void write_values(struct ptx_growing *c, bool is_back, const struct ptx_saved *saved)
{
    for (size_t i = 0; i < saved->count; i++)
        if (saved->values[i].parameter)
            write_parameter(c, is_back, saved->values[i].parameter, c->top,
                            saved->values[i].offset);
        else
            write_register(c, is_back, &saved->values[i]);
}

struct ptx_saved *ptx_frames_save(struct ptx_growing *c, const struct ptx_jumped *j,
                                  const struct ptx_instruction *in)
{
    const struct ptx_function *from = j->b.from;
    struct ptx_saved *saved = ptx_arena_take(c->arena, sizeof *saved);
    const bool *lives = find_living(c, j->frame, (uint32_t)(in - from->instructions));
    for (uint32_t i = 0; i < from->register_count; i++)
        if (lives[i])
            add_register(c, saved, j->b.registers + i);
    add_register(c, saved, j->back);
    if (j->frame->bytes > 0)
        add_register(c, saved, j->frame->base);
    for (size_t i = 0; i < from->parameter_count; i++)
        if (from->parameters[i]->space != PTX_SPACE_REG && is_read_late(from, from->parameters[i]))
            add_value(c, saved, (struct saved_value){.parameter = j->b.parameters[i]},
                      from->parameters[i]->bytes, FRAME_ALIGNMENT);
    saved->bytes = round_up(saved->bytes, FRAME_ALIGNMENT);
    write_growth(c, saved->bytes);
    write_add(c, c->top, c->top, -(int64_t)saved->bytes);
    write_values(c, false, saved);
    write_add(c, c->top, c->top, (int64_t)saved->bytes);
    return saved;
}

void ptx_frames_restore(struct ptx_growing *c, const struct ptx_jumped *j,
                        const struct ptx_saved *saved)
{
    write_add(c, c->top, c->top, -(int64_t)saved->bytes);
    write_values(c, true, saved);
    if (j->frame->bytes > 0)
        write_addresses(c, j);
}
