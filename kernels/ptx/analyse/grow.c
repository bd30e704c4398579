/* A function that grows: instructions of the translation's own, in a copy of a function of the module.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/grow.h"

struct ptx_instruction *ptx_grow_instruction(struct ptx_growing *c)
{
    struct ptx_function *f = c->made;
    f->instructions = ptx_arena_grow(c->arena, f->instructions, f->instruction_count,
                                     &c->instruction_room, sizeof *f->instructions);
    struct ptx_instruction *added = &f->instructions[f->instruction_count++];
    *added = (struct ptx_instruction){.line = c->line, .location = c->location};
    return added;
}

void ptx_grow_for(struct ptx_growing *c, const struct ptx_instruction *in)
{
    c->line = in->line;
    c->location = in->location;
}

void ptx_grow_at(struct ptx_growing *c, uint32_t line)
{
    c->line = line;
    c->location = 0;
}

uint32_t ptx_grow_label(struct ptx_growing *c, const char *name)
{
    struct ptx_function *f = c->made;
    f->labels =
        ptx_arena_grow(c->arena, f->labels, f->label_count, &c->label_room, sizeof *f->labels);
    f->labels[f->label_count] = (struct ptx_label){name, 0};
    return (uint32_t)f->label_count++;
}

uint32_t ptx_grow_register(struct ptx_growing *c, struct ptx_register made)
{
    struct ptx_function *f = c->made;
    f->registers = ptx_arena_grow(c->arena, f->registers, f->register_count, &c->register_room,
                                  sizeof *f->registers);
    f->registers[f->register_count] = made;
    return (uint32_t)f->register_count++;
}

struct ptx_variable *ptx_grow_variable(struct ptx_growing *c, const struct ptx_variable *like)
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

/* ---- Jumps and moves of the copy's own ---- */

void ptx_grow_jump(struct ptx_growing *c, uint32_t label, int32_t guard, bool is_negated)
{
    struct ptx_instruction *in = ptx_grow_instruction(c);
    in->opcode = PTX_OPCODE_bra;
    in->words = "bra";
    in->width = 1;
    in->guard = guard;
    in->guard_negated = is_negated;
    in->operand_count = 1;
    in->operands = ptx_arena_array(c->arena, 1, sizeof *in->operands);
    in->operands[0] = (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .index = (int32_t)label};
}

struct ptx_instruction *ptx_grow_typed(struct ptx_growing *c, uint16_t opcode, const char *words,
                                       enum ptx_type type, const struct ptx_operand *operands,
                                       uint32_t count)
{
    struct ptx_instruction *in = ptx_grow_instruction(c);
    in->opcode = opcode;
    in->words = words;
    in->width = 1;
    in->guard = -1;
    in->type_count = 1;
    in->types[0] = (uint8_t)type;
    in->operand_count = count;
    in->operands = ptx_arena_array(c->arena, count, sizeof *in->operands);
    for (uint32_t i = 0; i < count; i++)
        in->operands[i] = operands[i];
    return in;
}

void ptx_grow_move(struct ptx_growing *c, enum ptx_type type, struct ptx_operand to,
                   struct ptx_operand from)
{
    const struct ptx_operand operands[] = {to, from};
    ptx_grow_typed(c, PTX_OPCODE_mov, "mov", type, operands, 2);
}

struct ptx_operand ptx_register_operand(uint32_t index)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .index = (int32_t)index};
}

void ptx_grow_access(struct ptx_growing *c, uint16_t opcode, const struct ptx_variable *variable,
                     struct ptx_operand value)
{
    const struct ptx_operand address = {
        .kind = PTX_OPERAND_ADDRESS, .index = -1, .variable = variable};
    const bool is_load = opcode == PTX_OPCODE_ld;
    ptx_grow_move(c, variable->type, is_load ? value : address, is_load ? address : value);
    struct ptx_instruction *in = &c->made->instructions[c->made->instruction_count - 1];
    in->opcode = opcode;
    in->words = is_load ? "ld.param" : "st.param";
    in->space = PTX_SPACE_PARAM;
}

void ptx_grow_label_here(struct ptx_growing *c, uint32_t label)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): ptx_grow_label made the label */
    c->made->labels[label].instruction = (uint32_t)c->made->instruction_count;
}

struct ptx_operand ptx_number_operand(uint64_t number)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .index = -1, .bits = (int64_t)number};
}

void ptx_grow_set(struct ptx_growing *c, uint32_t to, uint64_t number)
{
    ptx_grow_move(c, PTX_B32, ptx_register_operand(to), ptx_number_operand(number));
}

void ptx_grow_trap(struct ptx_growing *c, int32_t guard)
{
    struct ptx_instruction *in = ptx_grow_instruction(c);
    in->opcode = PTX_OPCODE_trap;
    in->words = "trap";
    in->width = 1;
    in->guard = guard;
}

int32_t ptx_grow_test(struct ptx_growing *c, enum ptx_type type, struct ptx_operand value,
                      uint64_t number)
{
    const uint32_t predicate = ptx_grow_register(c, (struct ptx_register){"is", PTX_PRED, 1});
    const struct ptx_operand operands[] = {ptx_register_operand(predicate), value,
                                           ptx_number_operand(number)};
    ptx_grow_typed(c, PTX_OPCODE_setp, "setp.eq", type, operands, 3)->compare = PTX_EQ;
    return (int32_t)predicate;
}

void ptx_grow_part(struct ptx_growing *c, uint16_t opcode, enum ptx_type type,
                   const struct ptx_variable *variable, size_t offset, uint32_t index)
{
    ptx_grow_access(c, opcode, variable, ptx_register_operand(index));
    struct ptx_instruction *in = &c->made->instructions[c->made->instruction_count - 1];
    in->types[0] = (uint8_t)type;
    in->operands[opcode == PTX_OPCODE_ld].bits = (int64_t)offset;
}

enum ptx_type ptx_grow_unit(size_t bytes, size_t alignment, size_t other)
{
    static const enum ptx_type types[] = {PTX_B8, PTX_B16, PTX_B32, PTX_B64};
    unsigned size = 3;
    while (size > 0 && (bytes % (1u << size) != 0 || alignment % (1u << size) != 0 ||
                        other % (1u << size) != 0))
        size--;
    return types[size];
}

void ptx_grow_copy(struct ptx_growing *c, const struct ptx_variable *to,
                   const struct ptx_variable *from)
{
    const enum ptx_type type = ptx_grow_unit(to->bytes, to->alignment, from->alignment);
    const size_t size = ptx_type_bytes(type);
    for (size_t at = 0; at + size <= to->bytes; at += size) {
        const uint32_t part = ptx_grow_register(c, (struct ptx_register){"part", (uint8_t)type, 1});
        ptx_grow_part(c, PTX_OPCODE_ld, type, from, at, part);
        ptx_grow_part(c, PTX_OPCODE_st, type, to, at, part);
    }
}
