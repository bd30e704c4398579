/* Parameters whose address is moved to a register, as compilers do with structures. Those of entries
 * that are only read from there are read by name instead; otherwise they would have to lie in memory. Those
 * of functions do: parse_parameters.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/analyse/plan.h"
#include "kernels/ptx/ir/layout.h"

struct resolving {
    const struct ptx_function *entry;
    struct ptx_arena *arena;
    struct ptx_instruction *instructions; /* the copy */
    uint32_t *writes, *reads;             /* per register: how many instructions */
    const struct ptx_variable *
        *bases; /* per register: the parameter that it points into, or NULL */
    int64_t *offsets;
    bool is_changed;
};

static void count(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((uint32_t *)with)[index]++;
}

static bool is_entry_parameter(const struct ptx_function *entry,
                               const struct ptx_variable *variable)
{
    for (size_t i = 0; i < entry->parameter_count; i++)
        if (entry->parameters[i] == variable)
            return true;
    return false;
}

static bool is_resolved(const struct resolving *r, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER && operand->part == 0 &&
           r->bases[operand->index] != NULL;
}

/* Notes what a register that is written once points into. */
static void note_address(struct resolving *r, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    if (in->guard >= 0 || in->operand_count < 2 || o[0].kind != PTX_OPERAND_REGISTER ||
        r->writes[o[0].index] != 1)
        return;
    const bool is_move = in->opcode == PTX_OPCODE_mov && in->operand_count == 2;
    const bool is_sum = in->opcode == PTX_OPCODE_add && in->operand_count == 3 &&
                        !(in->flags & PTX_CC) && o[2].kind == PTX_OPERAND_INTEGER;
    if (is_move && o[1].kind == PTX_OPERAND_VARIABLE &&
        is_entry_parameter(r->entry, o[1].variable)) {
        r->bases[o[0].index] = o[1].variable;
        r->offsets[o[0].index] = o[1].bits;
    } else if ((is_move || is_sum) && is_resolved(r, &o[1])) {
        r->bases[o[0].index] = r->bases[o[1].index];
        r->offsets[o[0].index] =
            (int64_t)((uint64_t)r->offsets[o[1].index] + (uint64_t)(is_sum ? o[2].bits : 0));
    }
}

static struct ptx_operand *own_operands(struct resolving *r, struct ptx_instruction *in)
{
    struct ptx_operand *own = ptx_arena_array(r->arena, in->operand_count + 1, sizeof *own);
    memcpy(own, in->operands, in->operand_count * sizeof *own);
    in->operands = own;
    return own;
}

static void name_parameter(struct resolving *r, struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_ld || in->space != PTX_SPACE_PARAM || in->operand_count != 2 ||
        in->operands[1].kind != PTX_OPERAND_ADDRESS || in->operands[1].index < 0 ||
        !r->bases[in->operands[1].index])
        return;
    const int32_t index = in->operands[1].index;
    const int64_t offset = (int64_t)((uint64_t)r->offsets[index] + (uint64_t)in->operands[1].bits);
    const int64_t bytes = (int64_t)ptx_type_bytes((enum ptx_type)in->types[0]) * in->width;
    if (offset < 0 || bytes > (int64_t)r->bases[index]->bytes ||
        offset > (int64_t)r->bases[index]->bytes - bytes)
        return;
    struct ptx_operand *address = &own_operands(r, in)[1];
    address->index = -1;
    address->variable = r->bases[index];
    address->bits = offset;
    r->reads[index]--;
    r->is_changed = true;
}

/* An address that nobody reads any more is no address. */
static void drop_address(struct resolving *r, struct ptx_instruction *in)
{
    if (in->operand_count < 2 || !is_resolved(r, &in->operands[0]) ||
        r->reads[in->operands[0].index] > 0)
        return;
    struct ptx_operand *o = own_operands(r, in);
    if (o[1].kind == PTX_OPERAND_REGISTER)
        r->reads[o[1].index]--;
    o[1] = (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .index = -1};
    in->opcode = PTX_OPCODE_mov;
    in->operand_count = 2;
}

static bool names_parameter(const struct ptx_function *entry)
{
    for (size_t i = 0; i < entry->instruction_count; i++) {
        const struct ptx_instruction *in = &entry->instructions[i];
        if (in->opcode == PTX_OPCODE_mov && in->operand_count == 2 &&
            in->operands[1].kind == PTX_OPERAND_VARIABLE &&
            in->operands[1].variable->space == PTX_SPACE_PARAM)
            return true;
    }
    return false;
}

const struct ptx_function *ptx_name_parameters(struct ptx_emitter *e,
                                               const struct ptx_function *entry)
{
    if (!names_parameter(entry))
        return entry;
    const size_t registers = entry->register_count + 1, all = entry->instruction_count;
    struct resolving r = {.entry = entry, .arena = e->arena};
    r.writes = ptx_arena_array(e->arena, registers, sizeof *r.writes);
    r.reads = ptx_arena_array(e->arena, registers, sizeof *r.reads);
    r.bases = ptx_arena_array(e->arena, registers, sizeof *r.bases);
    r.offsets = ptx_arena_array(e->arena, registers, sizeof *r.offsets);
    r.instructions = ptx_arena_array(e->arena, all + 1, sizeof *r.instructions);
    memcpy(r.instructions, entry->instructions, all * sizeof *r.instructions);
    for (size_t i = 0; i < all; i++) {
        ptx_flow_writes(&r.instructions[i], count, r.writes);
        ptx_flow_reads(&r.instructions[i], count, r.reads);
    }
    for (size_t i = 0; i < all; i++)
        note_address(&r, &r.instructions[i]);
    for (size_t i = 0; i < all; i++)
        name_parameter(&r, &r.instructions[i]);
    if (!r.is_changed)
        return entry;
    for (size_t i = all; i > 0; i--)
        drop_address(&r, &r.instructions[i - 1]);
    struct ptx_function *made = ptx_arena_take(e->arena, sizeof *made);
    *made = *entry;
    made->instructions = r.instructions;
    return made;
}
