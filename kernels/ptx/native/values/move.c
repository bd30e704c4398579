/* Addresses of spaces in the native form, and how operations' results are kept.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

/* Where generic addresses of shared memory, and of each lane's local memory, begin. */
static struct ptx_native_value window_of(struct ptx_native *n, uint8_t space)
{
    if (space == PTX_SPACE_LOCAL) {
        const struct ptx_operand nothing = {.kind = PTX_OPERAND_ADDRESS, .index = -1};
        return ptx_native_address(n, &nothing, PTX_SPACE_LOCAL);
    }
    ptx_need(n->e, PTX_NEED_SHARED);
    return ptx_native_number(
        n, 64, ptx_native_of_block(n, offsetof(struct ptx_native_block, shared), "i64"));
}

static struct ptx_native_value source(struct ptx_native *n, const struct ptx_operand *o,
                                      enum ptx_type type)
{
    n->is_vector = ptx_native_varies(n, o);
    return ptx_native_read(n, o, type);
}

static void convert_address(struct ptx_native *n, const struct ptx_instruction *in)
{
    const bool is_to = in->operation == PTX_OP_TO;
    const uint8_t space = is_to && in->second_space ? in->second_space : in->space;
    struct ptx_native_value a = source(n, &in->operands[1], PTX_U64);
    if (space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL)
        a = ptx_native_both(n, is_to ? "sub" : "add", a, window_of(n, space));
    ptx_native_set(n, in, &in->operands[0], PTX_U64, a);
}

/* Whether an address is one of so many bytes from another on. */
static struct ptx_native_value is_within(struct ptx_native *n, struct ptx_native_value a,
                                         struct ptx_native_value from, const char *bytes)
{
    const struct ptx_native_value offset = ptx_native_both(n, "sub", a, from);
    struct ptx_native_value is =
        ptx_native_both(n, "icmp ult", offset, ptx_native_number(n, 64, bytes));
    is.bits = 1;
    return is;
}

struct ptx_native_value ptx_native_is_in_space(struct ptx_native *n, struct ptx_native_value a,
                                               uint8_t space)
{
    struct ptx_native_value is = {"false", 1, false};
    const struct ptx_plan *plan = n->e->plan;
    switch (space) {
    case PTX_SPACE_SHARED: {
        const char *bytes =
            ptx_native_of_launch(n, offsetof(struct ptx_native_launch, shared_bytes), "i32");
        return is_within(n, a, window_of(n, space),
                         ptx_native_emit(n, "zext i32 %s to i64", bytes));
    }
    case PTX_SPACE_LOCAL:
        return is_within(n, a, window_of(n, space), ptx_format(n->e, "%zu", n->flow->local_bytes));
    case PTX_SPACE_CONST:
        if (n->e->module->block_bytes[PTX_BLOCK_CONSTANT] == 0)
            return is;
        ptx_need(n->e, PTX_NEED_CONSTANT);
        return is_within(
            n, a,
            ptx_native_number(
                n, 64, ptx_native_of_launch(n, offsetof(struct ptx_native_launch, blocks), "i64")),
            ptx_format(n->e, "%zu", n->e->module->block_bytes[PTX_BLOCK_CONSTANT]));
    case PTX_SPACE_PARAM:
        return is_within(
            n, a,
            ptx_native_number(
                n, 64,
                ptx_native_of_launch(n, offsetof(struct ptx_native_launch, parameters), "i64")),
            ptx_format(n->e, "%zu", plan->info->parameter_bytes));
    default: {
        const struct ptx_native_value either =
            ptx_native_both(n, "or", ptx_native_is_in_space(n, a, PTX_SPACE_SHARED),
                            ptx_native_is_in_space(n, a, PTX_SPACE_LOCAL));
        struct ptx_native_value all = ptx_native_number(n, 1, "true");
        return ptx_native_both(n, "xor", either, all);
    }
    }
}

static void test_space(struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_native_value a = source(n, &in->operands[1], PTX_U64);
    ptx_native_set(n, in, &in->operands[0], PTX_PRED, ptx_native_is_in_space(n, a, in->space));
}

bool ptx_native_move(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OPCODE_cvta)
        convert_address(n, in);
    else if (in->opcode == PTX_OPCODE_isspacep)
        test_space(n, in);
    else
        return false;
    return true;
}

void ptx_native_keep(struct ptx_native *n, const struct ptx_instruction *in,
                     const struct ptx_native_value *results, size_t count)
{
    const unsigned destinations = ptx_destination_count(in);
    const enum ptx_type type = (enum ptx_type)in->types[0];
    size_t at = 0;
    for (unsigned i = 0; i < destinations; i++) {
        const struct ptx_operand *to = &in->operands[i];
        for (uint32_t k = 0; to->kind == PTX_OPERAND_VECTOR && k < to->count && at < count; k++)
            ptx_native_set(n, in, &to->list[k], type, results[at++]);
        if (to->kind != PTX_OPERAND_VECTOR && at < count)
            ptx_native_set(n, in, to, type, results[at++]);
    }
}
