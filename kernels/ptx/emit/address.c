/* Addresses that memory is reached by: as numbers, their spaces, and the types of what is there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit_memory.h"

bool ptx_is_pointer_register(const struct ptx_emitter *e, int32_t index)
{
    return index >= 0 && ptx_current_body(e)->is_pointer[index];
}

const char *ptx_address_number(struct ptx_emitter *e, const struct ptx_operand *address)
{
    if (address->variable)
        return ptx_variable_address(e, address->variable, address->bits);
    if (address->index < 0)
        return ptx_format(e, "%lluul", (unsigned long long)address->bits);
    const char *place = ptx_register_name(e, (uint32_t)address->index, 0);
    const enum ptx_type type = ptx_register_type(e, (uint32_t)address->index);
    const char *number = ptx_is_pointer_register(e, address->index)
                             ? ptx_format(e, "(ulong)%s", place)
                             : ptx_as_type(e, place, type, PTX_U64);
    if (address->bits == 0)
        return number;
    if (ptx_type_bytes(type) == 4) /* 32-bit addresses wrap around */
        return ptx_format(e, "(ulong)(uint)(%s + %uu)", ptx_as_type(e, place, type, PTX_U32),
                          (unsigned)(uint32_t)address->bits);
    return address->bits < 0
               ? ptx_format(e, "(%s - %lluul)", number, 0ull - (unsigned long long)address->bits)
               : ptx_format(e, "(%s + %lluul)", number, (unsigned long long)address->bits);
}

static bool writes_register(const struct ptx_instruction *in, int32_t index)
{
    if (in->operand_count == 0 || in->opcode == PTX_OPCODE_st)
        return false;
    const struct ptx_operand *to = &in->operands[0];
    if (to->kind == PTX_OPERAND_REGISTER)
        return to->index == index;
    for (uint32_t i = 0; to->kind == PTX_OPERAND_VECTOR && i < to->count; i++)
        if (to->list[i].kind == PTX_OPERAND_REGISTER && to->list[i].index == index)
            return true;
    return false;
}

const char *ptx_described_register(struct ptx_emitter *e, int32_t index)
{
    const struct ptx_body *body = e->plan->current;
    if (!body || index < 0 || (size_t)index >= body->function->register_count)
        return "it";
    const struct ptx_function *function = body->function;
    const char *name = function->registers[index].name;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (!writes_register(in, index))
            continue;
        if (in->operand_count > 1 && in->operands[1].variable)
            return ptx_format(e, "%s (%s: %s of %s)", name, ptx_line_text(e, in),
                              ptx_opcode_name((enum ptx_opcode)in->opcode),
                              in->operands[1].variable->name);
        return ptx_format(e, "%s (%s: %s)", name, ptx_line_text(e, in),
                          ptx_opcode_name((enum ptx_opcode)in->opcode));
    }
    return name;
}

void ptx_refuse_unknown_address(struct ptx_emitter *e, const struct ptx_operand *address)
{
    if (e->target->pointers == PTX_POINTERS_BUFFERS)
        ptx_refuse_address(e,
                           "it follows %s, an address that comes from memory or from arithmetic, "
                           "and this device's pointers are not numbers",
                           ptx_described_register(e, address->index));
}

enum ptx_space ptx_space_of(struct ptx_emitter *e, const struct ptx_operand *address,
                            uint8_t written)
{
    if (written != PTX_SPACE_GENERIC)
        return written == PTX_SPACE_CONST ? PTX_SPACE_GLOBAL : (enum ptx_space)written;
    if (address->variable)
        return address->variable->space == PTX_SPACE_CONST
                   ? PTX_SPACE_GLOBAL
                   : (enum ptx_space)address->variable->space;
    if (ptx_is_pointer_register(e, address->index) || !e->plan->has_windows)
        return PTX_SPACE_GLOBAL;
    if (address->index >= 0 && !ptx_current_body(e)->is_made[address->index])
        ptx_refuse_unknown_address(e, address);
    return PTX_SPACE_GENERIC;
}

const char *ptx_memory_type(struct ptx_emitter *e, enum ptx_type type, unsigned width)
{
    static const char *const sized[] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"};
    static const char *const with_sign[] = {[1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64"};
    const size_t bytes = ptx_type_bytes(type);
    if (bytes == 16)
        return ptx_format(e, "clem_u64x%u_a", 2 * width);
    const char *scalar = type == PTX_F32   ? "f32"
                         : type == PTX_F64 ? "f64"
                         : ptx_type_is_signed(type) && type != PTX_S16X2 && width == 1
                             ? with_sign[bytes]
                             : sized[bytes];
    return width == 1 ? ptx_format(e, "clem_%s_a", scalar)
                      : ptx_format(e, "clem_%sx%u_a", scalar, width);
}
