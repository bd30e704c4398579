/* Kernels whose threads know of x only how many are before them in the grid's row: blocks of a few threads along x may then be run
 * several side by side, as one that is wider, so that a warp's lanes lie in one row of memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "kernels/ptx/analyse/flow.h"

/* What a register has from a special one, whole. */
enum part { NOTHING, BLOCK, WIDTH, THREAD };

/* How a row's lanes have it: all the same, up by the same from lane to lane, or anyhow. */
enum shape { SAME, LINE, BENT };

struct known {
    const struct ptx_function *function;
    uint8_t *parts, *writes; /* per register: enum part; 0, 1, or 2 for more */
    uint8_t *shapes;         /* per register, so far: enum shape */
};

static enum part part_of_special(int32_t special)
{
    return special == PTX_CTAID_X  ? BLOCK
           : special == PTX_NTID_X ? WIDTH
           : special == PTX_TID_X  ? THREAD
                                   : NOTHING;
}

static enum part part_of(const struct known *k, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_SPECIAL)
        return part_of_special(o->index);
    const bool is_whole = o->kind == PTX_OPERAND_REGISTER && !o->part && !o->is_negated;
    return is_whole ? (enum part)k->parts[o->index] : NOTHING;
}

/* blockIdx.x * blockDim.x + threadIdx.x, which is the same however wide blocks are. */
static bool is_place(const struct known *k, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    if (in->opcode != PTX_OPCODE_mad || !(in->flags & PTX_LO) || in->operand_count != 4 ||
        (in->types[0] != PTX_S32 && in->types[0] != PTX_U32) || part_of(k, &o[3]) != THREAD)
        return false;
    const enum part a = part_of(k, &o[1]), b = part_of(k, &o[2]);
    return (a == BLOCK && b == WIDTH) || (a == WIDTH && b == BLOCK);
}

static bool is_copy(const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    return in->opcode == PTX_OPCODE_mov && in->guard < 0 && in->operand_count == 2 &&
           o[0].kind == PTX_OPERAND_REGISTER && !o[0].part &&
           (in->types[0] == PTX_U32 || in->types[0] == PTX_S32 || in->types[0] == PTX_B32) &&
           o[1].kind == PTX_OPERAND_SPECIAL && part_of_special(o[1].index) != NOTHING;
}

/* Specials of y and z are each block's as they were. */
static bool has_other_special(const struct ptx_operand *operands, uint32_t count)
{
    bool has = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *o = &operands[i];
        if (o->kind == PTX_OPERAND_SPECIAL)
            has |= o->index > PTX_NCTAID_Z || (o->index - PTX_TID_X) % 3 == 0;
        else if (o->kind == PTX_OPERAND_VECTOR)
            has |= has_other_special(o->list, o->count);
    }
    return has;
}

static bool only_computes(const struct known *k, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_div:
    case PTX_OPCODE_rem:
    case PTX_OPCODE_rcp:
    case PTX_OPCODE_sqrt:
    case PTX_OPCODE_rsqrt:
    case PTX_OPCODE_sin:
    case PTX_OPCODE_cos:
    case PTX_OPCODE_ex2:
    case PTX_OPCODE_lg2:
    case PTX_OPCODE_tanh:
    case PTX_OPCODE_testp:
    case PTX_OPCODE_dp4a:
        return true;
    default:
        return ptx_flow_is_pure(k->function, in);
    }
}

/* Of loops, rows of 16 threads that read the same columns are better off: measured, a sixth. */
static bool goes_on(const struct known *k, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[in->operand_count - 1];
    return to->kind == PTX_OPERAND_LABEL &&
           k->function->labels[to->index].instruction > (size_t)(in - k->function->instructions);
}

/* A launch may give shared memory of which the kernel's entry says nothing, and generic accesses may go there. */
static bool is_of_shared(const struct ptx_instruction *in)
{
    bool is = in->space == PTX_SPACE_SHARED;
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *o = &in->operands[i];
        const bool names = o->kind == PTX_OPERAND_VARIABLE || o->kind == PTX_OPERAND_ADDRESS;
        is |= names && o->variable && o->variable->space == PTX_SPACE_SHARED;
    }
    return is;
}

/* Nothing by which threads meet or wait for each other, and no memory of a block. */
static bool is_alone(const struct known *k, const struct ptx_instruction *in)
{
    if (is_of_shared(in))
        return false;
    switch (in->opcode) {
    case PTX_OPCODE_bra:
        return in->operand_count > 0 && goes_on(k, in);
    case PTX_OPCODE_ld:
    case PTX_OPCODE_st:
        return !ptx_is_volatile(in);
    case PTX_OPCODE_ret:
    case PTX_OPCODE_exit:
        return true;
    default:
        return only_computes(k, in);
    }
}

static void note_write(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    uint8_t *writes = with;
    writes[index] = (uint8_t)(writes[index] ? 2 : 1);
}

struct reading {
    const struct known *known;
    bool reads_part;
};

static void note_read(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct reading *r = with;
    r->reads_part |= r->known->parts[index] != NOTHING;
}

static void find_parts(const struct known *k)
{
    for (size_t i = 0; i < k->function->instruction_count; i++) {
        const struct ptx_instruction *in = &k->function->instructions[i];
        ptx_flow_writes(in, note_write, k->writes);
        if (is_copy(in))
            k->parts[in->operands[0].index] = (uint8_t)part_of_special(in->operands[1].index);
    }
}

static bool is_only_place(const struct known *k, const struct ptx_instruction *in)
{
    struct reading r = {k, false};
    if (is_place(k, in))
        return true;
    if (is_copy(in))
        return k->writes[in->operands[0].index] == 1;
    ptx_flow_reads(in, note_read, &r);
    return !r.reads_part && !has_other_special(in->operands, in->operand_count);
}

struct shaping {
    const struct known *known;
    uint8_t shape;
};

static void read_shape(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct shaping *s = with;
    if (s->shape < s->known->shapes[index])
        s->shape = s->known->shapes[index];
}

static void write_shape(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    const struct shaping *s = with;
    if (s->known->shapes[index] < s->shape)
        s->known->shapes[index] = s->shape;
}

static bool keeps_lines(const struct known *k, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_shl:
    case PTX_OPCODE_neg:
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvta:
        return true;
    case PTX_OPCODE_cvt:
        return !ptx_type_is_float((enum ptx_type)in->types[1]);
    case PTX_OPCODE_ld:
        return ptx_flow_is_pure(k->function, in);
    default:
        return false;
    }
}

/* Where lanes read what is no row, such as elements behind edges that are moved in, as many halves of rows are better off: measured,
 * a seventh. */
static bool reads_on_line(const struct known *k, const struct ptx_instruction *in)
{
    const bool is_load = in->opcode == PTX_OPCODE_ld;
    if (is_load || in->opcode == PTX_OPCODE_st) {
        const struct ptx_operand *at = &in->operands[is_load];
        if (in->operand_count < 2 || (at->index >= 0 && k->shapes[at->index] == BENT))
            return false;
    }
    struct shaping shaping = {k, is_place(k, in) ? LINE : SAME};
    ptx_flow_reads(in, read_shape, &shaping);
    if (shaping.shape == LINE && !keeps_lines(k, in))
        shaping.shape = BENT;
    ptx_flow_writes(in, write_shape, &shaping);
    return true;
}

static bool widens(const struct known *k)
{
    find_parts(k);
    bool does = true;
    for (size_t i = 0; does && i < k->function->instruction_count; i++) {
        const struct ptx_instruction *in = &k->function->instructions[i];
        does = is_alone(k, in) && is_only_place(k, in) && reads_on_line(k, in);
    }
    return does;
}

bool ptx_module_entry_widens(const struct ptx_module *module, size_t index)
{
    const struct ptx_entry *entry = &module->entries[index];
    const struct ptx_function *function = module->entry_functions[index];
    const size_t count = function->register_count + 1;
    struct known k = {function, calloc(count, 1), calloc(count, 1), calloc(count, 1)};
    const bool does = k.parts && k.writes && k.shapes && entry->shared_bytes == 0 &&
                      entry->required_threads[0] == 0 && widens(&k);
    free(k.parts);
    free(k.writes);
    free(k.shapes);
    return does;
}
