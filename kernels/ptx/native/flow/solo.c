/* Where only the first warp of a block has work until some later barrier, as in the last steps of a tree that halves, it goes through
 * those barriers in one piece of text without branches: which lanes are busy is known there, and where they are.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

enum { MOST_INSTRUCTIONS = 32 }; /* of a node that is written once more */

static bool is_short(const struct ptx_native_flow *f, int32_t node)
{
    const struct ptx_node *range = &f->graph->nodes[node];
    return range->end - range->first <= MOST_INSTRUCTIONS;
}

/* Whether all threads that are busy behind a branch are of the first warp. */
static bool are_of_first(const struct ptx_native_rest *rest)
{
    const struct ptx_operand *bound = &rest->compared->operands[2];
    const int64_t most = rest->relation == PTX_LT ? PTX_NATIVE_LANES : PTX_NATIVE_LANES - 1;
    return bound->kind == PTX_OPERAND_INTEGER && bound->bits >= 0 && bound->bits <= most;
}

/* Whether the first warp goes alone from a barrier through its node and those of its lanes that are busy. */
bool ptx_native_goes_solo(const struct ptx_native_flow *f, int32_t node)
{
    const struct ptx_native_rest *rest = &f->rests[node];
    return f->sites[node] > 0 && rest->compared && rest->busy != PTX_NO_NODE &&
           f->known_lanes[rest->busy] && are_of_first(rest) && is_short(f, node) &&
           is_short(f, rest->busy) && (f->has_legs || !ptx_native_spreads_any(f, rest));
}

int32_t ptx_native_solo_end(const struct ptx_native_flow *f, int32_t node)
{
    int32_t site = f->sites[node];
    for (size_t i = 0; site > 0 && i < f->graph->count && ptx_native_goes_solo(f, node); i++) {
        site = f->rests[node].site;
        node = site > 0 ? ptx_native_node_of_site(f, site) : node;
    }
    return site;
}

/* What may change memory, or where a row was stored, ends what is known of it: the place that a store is at is told behind it. */
static void forget_row(struct ptx_native_flow *f, const struct ptx_instruction *in)
{
    const bool is_harmless = in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_bra ||
                             in->opcode == PTX_OPCODE_mov || ptx_native_has_operation(in);
    if (!is_harmless || (f->kept.value && f->kept.place->index >= 0 &&
                         ptx_flow_writes_register(in, (uint32_t)f->kept.place->index)))
        f->kept.value = NULL;
}

static void write_part(struct ptx_native *n, int32_t node, const char *mask, bool is_behind_barrier)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_node *range = &f->graph->nodes[node];
    f->node = node;
    f->is_divergent = !is_behind_barrier;
    f->mask = mask;
    f->stamp++;
    n->carry.text = NULL;
    if (is_behind_barrier)
        ptx_native_remake(n);
    else
        ptx_native_remake_constants(n, range);
    for (uint32_t i = range->first + is_behind_barrier; i < range->end; i++) {
        forget_row(f, &f->function->instructions[i]);
        f->write(n, &f->function->instructions[i]);
    }
    f->put_back(n);
}

int32_t ptx_native_go_solo(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *const here = n->e->instruction;
    const char *const mask = f->mask;
    const int32_t from = f->node;
    int32_t node = from, site = f->sites[from];
    f->is_solo = true;
    f->kept.value = NULL;
    for (size_t i = 0; site > 0 && i < f->graph->count && ptx_native_goes_solo(f, node); i++) {
        const struct ptx_native_rest *rest = &f->rests[node];
        write_part(n, node, "-1", true);
        write_part(n, rest->busy, f->known_lanes[rest->busy], false);
        site = rest->site;
        node = site > 0 ? ptx_native_node_of_site(f, site) : node;
    }
    f->is_solo = false;
    f->node = from;
    f->is_divergent = false;
    f->mask = mask;
    f->stamp++;
    n->e->instruction = here;
    return site;
}
