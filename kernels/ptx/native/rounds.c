/* Nodes that lead back to themselves, as loops over arrays mostly do: a warp whose lanes all take another turn goes on at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

bool ptx_native_closes_round(const struct ptx_native_flow *f, const struct ptx_instruction *in)
{
    const struct ptx_instruction *last =
        &f->function->instructions[f->graph->nodes[f->node].end - 1];
    return f->whole && last == in + 1 && last->opcode == PTX_OPCODE_bra && !last->guard_negated &&
           last->guard == in->operands[0].index &&
           f->graph->node_of[f->function->labels[last->operands[last->operand_count - 1].index]
                                 .instruction] == f->node;
}

const char *ptx_native_round(struct ptx_native *n, const char *is_whole, const char *rest,
                             const char *end)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_native_stroll *stroll =
        ptx_native_stroll_at(n, f->graph->position[f->node], true);
    const char *stay = stroll ? ptx_native_name(n, "stay") : f->whole;
    f->put_back(n);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_whole, stay, rest);
    if (!stroll)
        return NULL;
    ptx_native_label(n, stay);
    ptx_native_step_in_stroll(n, stroll, f->whole, end);
    return stay;
}
