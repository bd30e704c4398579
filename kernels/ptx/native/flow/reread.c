/* Registers that are read where the frame has them. Behind a barrier a warp takes what lives from its frame; where that is more than the
 * processor has registers for, most of it would only go from there to the stack, until a node far behind reads it, or the next barrier
 * comes. Nodes that come to it with what the frame has still take it from there themselves, so that nobody reads the copy, which LLVM
 * then leaves out.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

/* Vectors that live at a barrier, from which on not all may stay in the processor: half of AVX-512's 32, since each is two. */
enum { MANY = 12 };

static bool may_reread(const struct ptx_native *n, uint32_t index)
{
    const struct ptx_native_flow *f = n->flow;
    return f->has_place[index] && f->is_across[index] && !f->is_remade[index] &&
           !f->is_kept[index] && !f->is_framed[index] && !ptx_native_is_uniform(n, index) &&
           !ptx_native_is_line(n, index) && f->function->registers[index].type != PTX_PRED &&
           ptx_native_bits((enum ptx_type)f->function->registers[index].type) >= 32;
}

static bool lives_at_barrier(const struct ptx_native_flow *f, uint32_t index)
{
    for (size_t i = 0; i < f->graph->reachable; i++)
        if (f->sites[f->graph->order[i]] && !f->uniform.is_divergent[f->graph->order[i]] &&
            ptx_flow_is_live(f->graph, f->graph->order[i], index))
            return true;
    return false;
}

void ptx_native_find_reread(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const size_t count = f->function->register_count;
    if (!f->is_changed || f->has_legs || f->stroll_count > 0 || f->is_together || f->by_thread ||
        ptx_native_is_checked(n))
        return;
    bool *rereads = ptx_arena_take(n->e->arena, count + 1);
    size_t many = 0;
    for (uint32_t r = 0; r < count; r++) {
        ptx_steps(n->e->arena, f->graph->reachable);
        rereads[r] = may_reread(n, r) && lives_at_barrier(f, r);
        many += rereads[r] ? ptx_native_parts(n, r) : 0;
    }
    if (many > MANY)
        f->rereads = rereads;
}
