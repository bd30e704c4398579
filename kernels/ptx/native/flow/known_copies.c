/* Copies of registers that a number has just been put into: compilers begin two variables alike so (best = 0, i = 0), of which the one
 * will be another in each thread, and the other counts turns for all. As a copy of the first the second would be taken for each
 * thread's own as well.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

struct known {
    const struct ptx_instruction **set_by; /* per register: what has put a number there */
    uint32_t *since, now;                  /* where that counts: until the next label */
};

static void forget(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct known *k = with;
    k->since[index] = 0;
}

static bool is_move(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_mov && in->guard < 0 && in->operand_count == 2 &&
           in->width <= 1 && in->operands[0].kind == PTX_OPERAND_REGISTER && !in->operands[0].part;
}

static bool takes_number(const struct ptx_instruction *in)
{
    const bool is_float = ptx_type_is_float((enum ptx_type)in->types[0]);
    return is_move(in) &&
           in->operands[1].kind == (is_float ? PTX_OPERAND_FLOAT : PTX_OPERAND_INTEGER);
}

static bool are_alike(enum ptx_type a, enum ptx_type b)
{
    return ptx_native_bits(a) == ptx_native_bits(b) && ptx_type_is_float(a) == ptx_type_is_float(b);
}

/* What has put the number there that a move takes from a register; NULL: it may be any. */
static const struct ptx_instruction *origin_of(const struct known *k,
                                               const struct ptx_instruction *in)
{
    const struct ptx_operand *from = &in->operands[1];
    if (!is_move(in) || from->kind != PTX_OPERAND_REGISTER || from->part || from->is_negated ||
        k->since[from->index] != k->now)
        return NULL;
    const struct ptx_instruction *origin = k->set_by[from->index];
    return are_alike((enum ptx_type)origin->types[0], (enum ptx_type)in->types[0]) ? origin : NULL;
}

static void look(struct ptx_arena *arena, struct known *k, struct ptx_instruction *in)
{
    const struct ptx_instruction *origin = origin_of(k, in);
    if (origin) {
        const struct ptx_operand to = in->operands[0];
        in->operands = ptx_arena_array(arena, 2, sizeof *in->operands);
        in->operands[0] = to;
        in->operands[1] = origin->operands[1];
    }
    ptx_flow_writes(in, forget, k);
    if (takes_number(in)) {
        k->set_by[in->operands[0].index] = in;
        k->since[in->operands[0].index] = k->now;
    }
}

void ptx_native_take_known_copies(struct ptx_native *n, struct ptx_function *function)
{
    struct ptx_arena *arena = n->e->arena;
    const size_t registers = function->register_count + 1;
    bool *begins = ptx_arena_take(arena, function->instruction_count + 1);
    struct known k = {.set_by = ptx_arena_array(arena, registers, sizeof *k.set_by),
                      .since = ptx_arena_array(arena, registers, sizeof *k.since),
                      .now = 1};
    for (size_t i = 0; i < function->label_count; i++)
        begins[function->labels[i].instruction] = true;
    ptx_steps(arena, function->instruction_count);
    for (size_t i = 0; i < function->instruction_count; i++) {
        k.now += begins[i];
        look(arena, &k, &function->instructions[i]);
    }
}
