/* Which of a kernel's parameters lead to memory that it writes: what others lead to is still while a launch runs (host/still.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/native/memory/memory.h"

/* What a register's value may be computed from: a bit for each parameter, by its offset in words of 8 bytes, and these. */
#define LOADED  (UINT64_C(1) << PTX_REACHES_LOADED)
#define UNKNOWN PTX_REACHES_ALL

struct reach {
    struct ptx_native *n;
    uint64_t *of; /* per register */
};

/* Only what has 64 bits is an address; of halves nothing is known. */
static bool is_wide(const struct reach *s, const struct ptx_operand *o)
{
    const struct ptx_register *const r = &s->n->flow->function->registers[o->index];
    return ptx_type_bytes((enum ptx_type)r->type) >= 8;
}

static uint64_t source_of(const struct reach *s, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        return o->part != 0 ? UNKNOWN : s->of[o->index];
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
    case PTX_OPERAND_SPECIAL:
        return 0;
    default:
        return UNKNOWN;
    }
}

static uint64_t sources_of(const struct reach *s, const struct ptx_instruction *in)
{
    uint64_t all = 0;
    for (uint32_t i = ptx_destination_count(in); i < in->operand_count; i++)
        all |= source_of(s, &in->operands[i]);
    return all;
}

/* A number that is read from memory and multiplied is an index. */
static uint64_t product_of(uint64_t factors)
{
    return factors == UNKNOWN ? UNKNOWN : factors & ~LOADED;
}

/* A part of a value that was read from memory may be put together with others. */
static uint64_t part_of(uint64_t value)
{
    return value & LOADED ? UNKNOWN : value;
}

static uint64_t parameter_at(const struct ptx_operand *address, uint32_t part)
{
    const int64_t at = (address->variable ? (int64_t)address->variable->offset : -1) +
                       address->bits + (int64_t)8 * part;
    if (!address->variable || address->index >= 0 || at < 0 || at % 8 != 0 ||
        at / 8 >= PTX_REACHES_LOADED)
        return UNKNOWN;
    return UINT64_C(1) << at / 8;
}

static uint64_t loaded(const struct ptx_instruction *in, uint32_t part)
{
    const struct ptx_operand *address = &in->operands[1];
    const bool is_word = ptx_type_bytes((enum ptx_type)in->types[0]) == 8;
    if (ptx_native_space_of(address, in->space) != PTX_SPACE_PARAM)
        return LOADED;
    return is_word ? parameter_at(address, part) : UNKNOWN;
}

static uint64_t result_of(const struct reach *s, const struct ptx_instruction *in, uint32_t part)
{
    switch (in->opcode) {
    case PTX_OPCODE_ld:
    case PTX_OPCODE_ldu:
        return loaded(in, part);
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvta:
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_min:
    case PTX_OPCODE_max:
    case PTX_OPCODE_selp:
        return sources_of(s, in);
    case PTX_OPCODE_mad:
        return in->operand_count < 4
                   ? UNKNOWN
                   : product_of(source_of(s, &in->operands[1]) | source_of(s, &in->operands[2])) |
                         source_of(s, &in->operands[3]);
    case PTX_OPCODE_mul:
    case PTX_OPCODE_shl:
        return product_of(sources_of(s, in));
    case PTX_OPCODE_cvt:
        return ptx_type_is_float((enum ptx_type)in->types[1]) ? 0 : part_of(sources_of(s, in));
    case PTX_OPCODE_and:
    case PTX_OPCODE_or:
    case PTX_OPCODE_xor:
    case PTX_OPCODE_neg:
    case PTX_OPCODE_shr:
    case PTX_OPCODE_div:
    case PTX_OPCODE_rem:
        return part_of(sources_of(s, in));
    default:
        return UNKNOWN;
    }
}

static bool add_to(struct reach *s, const struct ptx_operand *to, uint64_t value)
{
    if (to->kind != PTX_OPERAND_REGISTER || !is_wide(s, to) || !(value & ~s->of[to->index]))
        return false;
    s->of[to->index] |= value;
    return true;
}

/* ptx_flow_pass */
static bool add_results(void *reach, const struct ptx_instruction *in)
{
    struct reach *const s = reach;
    const unsigned count = ptx_destination_count(in);
    bool is_changed = false;
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand *const to = &in->operands[i];
        for (uint32_t k = 0; to->kind == PTX_OPERAND_VECTOR && k < to->count; k++)
            is_changed |= add_to(s, &to->list[k], result_of(s, in, k));
        is_changed |= add_to(s, to, i == 0 ? result_of(s, in, 0) : UNKNOWN);
    }
    return is_changed;
}

/* Whether lanes may tell others, of this launch or another, what they have done. */
static bool orders(const struct ptx_instruction *in, uint8_t space)
{
    switch (in->opcode) {
    case PTX_OPCODE_membar:
    case PTX_OPCODE_fence:
    case PTX_OPCODE_griddepcontrol:
        return true;
    case PTX_OPCODE_ld:
    case PTX_OPCODE_st:
    case PTX_OPCODE_atom:
    case PTX_OPCODE_red:
        return space != PTX_SPACE_SHARED && space != PTX_SPACE_PARAM &&
               in->order > PTX_ORDER_RELAXED;
    default:
        return false;
    }
}

static bool only_reads(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_ldu ||
           in->opcode == PTX_OPCODE_prefetch || in->opcode == PTX_OPCODE_prefetchu;
}

static uint64_t written_by(const struct reach *s, const struct ptx_instruction *in)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *const o = &in->operands[i];
        const uint8_t space =
            o->kind == PTX_OPERAND_ADDRESS ? ptx_native_space_of(o, in->space) : PTX_SPACE_SHARED;
        if (orders(in, space))
            return UNKNOWN;
        if (space == PTX_SPACE_SHARED || space == PTX_SPACE_PARAM || only_reads(in))
            continue;
        const uint64_t from = o->index >= 0 && !o->variable ? s->of[o->index] : UNKNOWN;
        all |= from == 0 || from & LOADED ? UNKNOWN : from;
    }
    return all | (in->operand_count == 0 && orders(in, in->space) ? UNKNOWN : 0);
}

uint64_t ptx_native_reach_of_stores(struct ptx_native *n)
{
    const struct ptx_function *const function = n->flow->function;
    struct reach s = {n, ptx_arena_array(n->e->arena, function->register_count + 1, sizeof *s.of)};
    if (!ptx_flow_settle(n->e->arena, function, PTX_FORWARDS, add_results, &s))
        return UNKNOWN;
    uint64_t all = 0;
    for (size_t i = 0; i < function->instruction_count; i++)
        all |= written_by(&s, &function->instructions[i]);
    return all;
}
