/* Nodes that lead back to themselves, as loops over arrays mostly do: a warp whose lanes all take another turn goes on at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

static bool writes(const struct ptx_native_flow *f, uint32_t index)
{
    const struct ptx_node *range = &f->graph->nodes[f->node];
    bool does = false;
    for (uint32_t i = range->first; i < range->end; i++)
        does |= ptx_flow_writes_register(&f->function->instructions[i], index);
    return does;
}

const char *ptx_native_limit_of_rounds(struct ptx_native *n, const struct ptx_operand *o,
                                       bool is_signed, int64_t less)
{
    struct ptx_native_flow *f = n->flow;
    if (o->kind != PTX_OPERAND_REGISTER || o->part || f->limit.name || !f->has_place[o->index] ||
        !ptx_native_is_uniform(n, (uint32_t)o->index) ||
        ptx_native_bits((enum ptx_type)f->function->registers[o->index].type) != 32 ||
        writes(f, (uint32_t)o->index))
        return NULL;
    f->limit = (struct ptx_native_limit){ptx_format(n->e, "%%%s", ptx_native_name(n, "limit")),
                                         (uint32_t)o->index, is_signed, less};
    return f->limit.name;
}

void ptx_native_begin_rounds(struct ptx_native *n, const char *name)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_native_limit *limit = &f->limit;
    ptx_native_label(n, name);
    if (limit->name) {
        const char *call = limit->is_signed ? "i32 @llvm.ssub.sat.i32" : "i32 @llvm.usub.sat.i32";
        const char *bound = ptx_native_emit(n, "load i32, %s %s", ptx_native_pointer_type(n, "i32"),
                                            ptx_native_place(n, limit->index, 0));
        ptx_native_declare(n, "declare %s(i32, i32)", call);
        ptx_native_do(n, "%s = call %s(i32 %s, i32 %lld)", limit->name, call, bound,
                      (long long)limit->less);
    }
    ptx_native_jump(n, f->whole);
    f->limit.name = NULL;
}

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
