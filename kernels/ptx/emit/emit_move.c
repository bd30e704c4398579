/* mov, cvta, isspacep, and the stack: what values and addresses become elsewhere.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/emit_memory.h"
#include "kernels/ptx/emit/texture.h"

/* ---- Vectors as numbers, and numbers as vectors ---- */

/* The type of one of `count` parts of a value. */
static enum ptx_type part_type(enum ptx_type whole, uint32_t count)
{
    switch (ptx_type_bytes(whole) / count) {
    case 1:
        return PTX_B8;
    case 2:
        return PTX_B16;
    case 4:
        return PTX_B32;
    default:
        return PTX_B64;
    }
}

/* {a, b, ...} as one number: a is the lowest part. */
static const char *packed(struct ptx_emitter *e, const struct ptx_operand *parts,
                          enum ptx_type whole)
{
    const enum ptx_type type = part_type(whole, parts->count);
    const char *c_type = ptx_c_type(whole);
    const unsigned bits = 8 * (unsigned)ptx_type_bytes(type);
    const char *sum = "";
    for (uint32_t i = 0; i < parts->count; i++) {
        const char *part = ptx_value(e, &parts->list[i], type);
        sum = i == 0 ? ptx_format(e, "(%s)%s", c_type, part)
                     : ptx_format(e, "%s | (%s)%s << %u", sum, c_type, part, i * bits);
    }
    return sum;
}

/* {a, b} or {a, b, c, d} as .b128. */
static const char *packed_wide(struct ptx_emitter *e, const struct ptx_operand *parts)
{
    const uint32_t half = parts->count / 2;
    struct ptx_operand low = *parts, high = *parts;
    low.count = high.count = half;
    high.list += half;
    return ptx_format(e, "(ulong2)(%s, %s)", packed(e, &low, PTX_B64), packed(e, &high, PTX_B64));
}

static void emit_unpack(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    const enum ptx_type whole = in->types[0], type = part_type(whole, to->count);
    const unsigned bits = 8 * (unsigned)ptx_type_bytes(type);
    const char *name = ptx_temporary(e);
    ptx_line(e, "{");
    ptx_line(e, "const %s %s = %s;", ptx_c_type(whole), name,
             ptx_value(e, &in->operands[1], whole));
    for (uint32_t i = 0; i < to->count; i++) {
        const unsigned shift = i * bits;
        const char *word = whole == PTX_B128 ? ptx_format(e, "%s.s%u", name, shift / 64) : name;
        const unsigned rest = whole == PTX_B128 ? shift % 64 : shift;
        ptx_set(e, &to->list[i], type,
                rest ? ptx_format(e, "(%s)(%s >> %u)", ptx_c_type(type), word, rest)
                     : ptx_format(e, "(%s)%s", ptx_c_type(type), word));
    }
    ptx_line(e, "}");
}

/* ---- References ---- */

static bool is_reference(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VARIABLE &&
           (operand->variable->type == PTX_TEXREF || operand->variable->type == PTX_SURFREF ||
            operand->variable->type == PTX_SAMPLERREF);
}

static bool is_texture_instruction(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_tex:
    case PTX_OPCODE_tld4:
    case PTX_OPCODE_txq:
    case PTX_OPCODE_suld:
    case PTX_OPCODE_sust:
    case PTX_OPCODE_sured:
    case PTX_OPCODE_suq:
        return true;
    default:
        return false;
    }
}

/* Whether anything but textures, to which emit_texture.c traces references, reads a register; also
 * by way of `steps` copies. */
static bool is_read_otherwise(const struct ptx_function *function, int32_t index, int steps)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        const bool is_copy = in->opcode == PTX_OPCODE_mov || in->opcode == PTX_OPCODE_cvta;
        for (uint32_t j = ptx_destination_count(in); j < in->operand_count; j++) {
            const struct ptx_operand *o = &in->operands[j];
            const bool reads =
                (o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS) &&
                o->index == index;
            const bool is_in_list = o->kind == PTX_OPERAND_VECTOR && !is_texture_instruction(in);
            for (uint32_t k = 0; is_in_list && k < o->count; k++)
                if (o->list[k].kind == PTX_OPERAND_REGISTER && o->list[k].index == index)
                    return true;
            if (!reads || is_texture_instruction(in))
                continue;
            if (!is_copy || steps == 0 || in->operands[0].kind != PTX_OPERAND_REGISTER ||
                is_read_otherwise(function, in->operands[0].index, steps - 1))
                return true;
        }
    }
    return false;
}

bool ptx_moves_reference(const struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is = (in->opcode == PTX_OPCODE_mov || in->opcode == PTX_OPCODE_cvta) &&
                    in->operand_count == 2 && is_reference(&in->operands[1]) &&
                    in->operands[0].kind == PTX_OPERAND_REGISTER;
    return is && !is_read_otherwise(e->function, in->operands[0].index, 3);
}

/* A reference's address has no value; what reads textures through the register knows which. */
static void emit_reference(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (!ptx_moves_reference(e, in))
        ptx_refuse(e, "the address of reference %s is used as a number",
                   in->operands[1].variable->name);
    else
        ptx_set(e, &in->operands[0], PTX_U64, "0ul");
}

/* ---- mov ---- */

static void emit_plain_move(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = in->types[0];
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    const bool from_parts = from->kind == PTX_OPERAND_VECTOR;
    const bool to_parts = to->kind == PTX_OPERAND_VECTOR;
    const uint32_t parts = from_parts ? from->count : to->count;
    const bool is_whole = from->kind == PTX_OPERAND_REGISTER && from->part == 0 &&
                          e->function->registers[from->index].width > 1;
    if (is_whole)
        ptx_refuse(e, "a whole vector register as a number");
    else if ((from_parts && to_parts) ||
             ((from_parts || to_parts) &&
              (parts < 2 || parts > 4 || parts == 3 || ptx_type_bytes(type) % parts != 0)))
        ptx_refuse(e, "a vector of this size");
    else if (from_parts)
        ptx_set(e, to, type, type == PTX_B128 ? packed_wide(e, from) : packed(e, from, type));
    else if (to_parts)
        emit_unpack(e, in);
    else
        ptx_set(e, to, type, ptx_value(e, from, type));
}

/* mov.v2, .v4 and .v8: part by part, all read before one is written. */
static void emit_move_of_parts(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = in->types[0];
    const struct ptx_instruction half = ptx_spread_registers(e, in, 0);
    const struct ptx_instruction both = ptx_spread_registers(e, &half, 1);
    const struct ptx_operand *to = &both.operands[0], *from = &both.operands[1];
    if (to->kind != PTX_OPERAND_VECTOR || from->kind != PTX_OPERAND_VECTOR ||
        to->count != in->width || from->count != in->width) {
        ptx_refuse(e, "a vector of this size");
        return;
    }
    const char **held = ptx_arena_array(e->arena, in->width, sizeof *held);
    ptx_line(e, "{");
    for (uint8_t i = 0; i < in->width; i++) {
        held[i] = ptx_temporary(e);
        ptx_line(e, "const %s %s = %s;", ptx_c_type(type), held[i],
                 ptx_value(e, &from->list[i], type));
    }
    for (uint8_t i = 0; i < in->width; i++)
        ptx_set(e, &to->list[i], type, held[i]);
    ptx_line(e, "}");
}

static void emit_mov(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->operand_count > 1 && is_reference(&in->operands[1]))
        emit_reference(e, in);
    else if (in->width > 1)
        emit_move_of_parts(e, in);
    else if (!ptx_emit_pointer(e, in))
        emit_plain_move(e, in);
}

/* ---- Addresses of spaces ---- */

static void emit_plain_cvta(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_to = in->operation == PTX_OP_TO;
    const uint8_t space = is_to && in->second_space ? in->second_space : in->space;
    const struct ptx_operand *from = &in->operands[1];
    const char *number = ptx_value(e, from, PTX_U64);
    const bool has_window = space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;
    const char *name = space == PTX_SPACE_SHARED ? "shared" : "local";
    if (has_window && is_to)
        number = ptx_format(e, "clem_generic_to_%s(%s)", name, number);
    else if (has_window)
        number = ptx_format(e, "clem_%s_to_generic(%s)", name, number);
    ptx_set(e, &in->operands[0], PTX_U64, number);
}

static void emit_cvta(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->operand_count > 1 && is_reference(&in->operands[1]))
        emit_reference(e, in);
    else if (!ptx_emit_pointer(e, in))
        emit_plain_cvta(e, in);
}

static const char *constant_test(struct ptx_emitter *e, const char *number)
{
    const size_t bytes = e->module->block_bytes[PTX_BLOCK_CONSTANT];
    if (bytes == 0)
        return "0";
    ptx_need(e, PTX_NEED_CONSTANT);
    return ptx_format(e, "%s - (ulong)clem_constant < %zuul", number, bytes);
}

static const char *parameter_test(struct ptx_emitter *e, const char *number)
{
    const struct ptx_plan *plan = e->plan;
    if (!plan->has_bank || !plan->bank_is_global)
        return "0";
    ptx_need(e, PTX_NEED_BANK);
    return ptx_format(e, "%s - (ulong)clem_bank < %zuul", number, plan->info->parameter_bytes);
}

static void emit_isspacep(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const char *n = ptx_value(e, &in->operands[1], PTX_U64);
    const char *test;
    switch (in->space) {
    case PTX_SPACE_SHARED:
        test = ptx_format(e, "clem_is_shared(%s)", n);
        break;
    case PTX_SPACE_LOCAL:
        test = ptx_format(e, "clem_is_local(%s)", n);
        break;
    case PTX_SPACE_CONST:
        test = constant_test(e, n);
        break;
    case PTX_SPACE_PARAM:
        test = parameter_test(e, n);
        break;
    default:
        test = ptx_format(e, "!clem_is_shared(%s) && !clem_is_local(%s)", n, n);
    }
    ptx_set(e, &in->operands[0], PTX_PRED, test);
}

/* ---- The stack ---- */

/* What is taken of the stack so far; as it is left where a value is given. */
static const char *stack_top(struct ptx_emitter *e, const char *value)
{
    ptx_need(e, PTX_NEED_LOCAL);
    return ptx_access(
        e, &(struct ptx_access){.kind = value ? PTX_ACCESS_STORE : PTX_ACCESS_LOAD,
                                .space = PTX_SPACE_LOCAL,
                                .is_own = true,
                                .number = ptx_format(e, "clem_local + %zu", e->plan->stack_at),
                                .type = PTX_U32,
                                .c_type = "CLEM_LOCAL uint",
                                .value = value});
}

/* Threads that take more than there is end as after a trap. */
static void emit_alloca(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    const int64_t alignment = in->operand_count > 2 ? o[2].bits : 16;
    if (alignment < 1 || alignment > 128 || (alignment & (alignment - 1)) != 0) {
        ptx_refuse(e, "an alignment that is no power of two up to 128");
        return;
    }
    const size_t start = e->plan->stack_at + 16;
    const long long mask = alignment < 16 ? 15 : alignment - 1;
    const char *size = ptx_temporary(e), *at = ptx_temporary(e);
    ptx_need(e, PTX_NEED_RUNTIME);
    ptx_line(e, "{");
    ptx_line(e, "const ulong %s = %s;", size, ptx_value(e, &o[1], PTX_U64));
    ptx_line(e, "const uint %s = (%s + %lluu) & ~%lluu;", at, stack_top(e, NULL),
             (unsigned long long)start + (unsigned long long)mask, (unsigned long long)mask);
    ptx_line(e, "if (%s > %zuu || %s > %zuu - %s) {", at, start + PTX_STACK_BYTES, size,
             start + PTX_STACK_BYTES, at);
    ptx_write_trap(e);
    ptx_line(e, "}");
    ptx_line(e, "%s;", stack_top(e, ptx_format(e, "%s - %zuu + (uint)%s", at, start, size)));
    ptx_set(e, &o[0], PTX_U64, ptx_format(e, "(ulong)%s", at));
    ptx_line(e, "}");
}

static void emit_stacksave(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    ptx_set(e, &in->operands[0], PTX_U64, ptx_format(e, "(ulong)%s", stack_top(e, NULL)));
}

static void emit_stackrestore(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    ptx_line(e, "%s;",
             stack_top(e, ptx_format(e, "(uint)%s", ptx_value(e, &in->operands[0], PTX_U64))));
}

/* ---- All of them ---- */

bool ptx_emit_move(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const struct ptx_emit_row rows[] = {
        {PTX_OPCODE_mov, emit_mov},
        {PTX_OPCODE_cvta, emit_cvta},
        {PTX_OPCODE_isspacep, emit_isspacep},
        {PTX_OPCODE_alloca, emit_alloca},
        {PTX_OPCODE_stacksave, emit_stacksave},
        {PTX_OPCODE_stackrestore, emit_stackrestore},
    };
    return ptx_emit_by_row(e, in, rows, sizeof rows / sizeof *rows);
}
