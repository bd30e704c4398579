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

static void forget_rows_of(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct ptx_native_flow *f = with;
    size_t left = 0;
    for (size_t i = 0; i < f->kept_count; i++)
        if (f->kept[i].base != (int32_t)index)
            f->kept[left++] = f->kept[i];
    f->kept_count = left;
}

/* What may change memory, or where a row was stored, ends what is known of it. A store tells what it leaves of that. */
static void write_and_forget(struct ptx_native *n, const struct ptx_instruction *in)
{
    struct ptx_native_flow *f = n->flow;
    const bool is_store = in->opcode == PTX_OPCODE_st;
    const bool is_harmless = is_store || in->opcode == PTX_OPCODE_ld ||
                             in->opcode == PTX_OPCODE_bra || in->opcode == PTX_OPCODE_ret ||
                             in->opcode == PTX_OPCODE_cvta || in->opcode == PTX_OPCODE_mov ||
                             ptx_native_has_operation(in);
    if (!is_harmless) {
        ptx_native_store_late(n);
        f->kept_count = 0;
    }
    if (!is_store)
        ptx_flow_writes(in, forget_rows_of, f);
    f->has_kept = false;
    f->write(n, in);
    if (is_store && !f->has_kept)
        f->kept_count = 0;
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
    for (uint32_t i = range->first + is_behind_barrier; i < range->end; i++)
        write_and_forget(n, &f->function->instructions[i]);
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
    f->solo_warp = 0;
    if (!f->keeps_on)
        f->kept_count = 0;
    for (size_t i = 0; site > 0 && i < f->graph->count && ptx_native_goes_solo(f, node); i++) {
        const struct ptx_native_rest *rest = &f->rests[node];
        write_part(n, node, "-1", true);
        write_part(n, rest->busy, f->known_lanes[rest->busy], false);
        site = rest->site;
        node = site > 0 ? ptx_native_node_of_site(f, site) : node;
    }
    if (site > 0)
        ptx_native_store_late(n);
    f->late_count = 0; /* a block's memory ends with it */
    f->is_solo = false;
    f->node = from;
    f->is_divergent = false;
    f->mask = mask;
    f->stamp++;
    n->e->instruction = here;
    return site;
}

/* ---- A few warps ---- */

/* Warps from the first on of which all threads are busy, where no others have any. */
static uint32_t busy_warps(const struct ptx_native_rest *rest)
{
    const struct ptx_operand *bound = &rest->compared->operands[2];
    const int64_t threads =
        bound->kind == PTX_OPERAND_INTEGER ? bound->bits + (rest->relation == PTX_LE) : 0;
    return rest->relation != PTX_EQ && threads > 0 && threads <= 1024 &&
                   threads % PTX_NATIVE_LANES == 0
               ? (uint32_t)(threads / PTX_NATIVE_LANES)
               : 0;
}

/* It is in no warp's frame. */
static bool is_anywhere(const struct ptx_native_flow *f, uint32_t index)
{
    return f->is_remade[index] || f->is_of_block[index] || f->is_constant[index];
}

struct keeping {
    const struct ptx_native_flow *f;
    int32_t node; /* what lives there is set by nothing */
    bool does;
};

static void look_at_set(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct keeping *k = with;
    k->does &= k->f->is_remade[index] || !ptx_flow_is_live(k->f->graph, k->node, index);
}

static void look_at_node(struct keeping *k, int32_t node)
{
    const struct ptx_node *range = &k->f->graph->nodes[node];
    for (uint32_t i = range->first; i < range->end; i++)
        ptx_flow_writes(&k->f->function->instructions[i], look_at_set, k);
}

bool ptx_native_go_few(struct ptx_native *n, int32_t node, uint32_t *warps)
{
    enum { MOST_WARPS = 4 };
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_native_rest *rest = &f->rests[node];
    if (!f->has_legs || f->sites[node] == 0 || !rest->compared || rest->busy == PTX_NO_NODE ||
        rest->site == 0 || !is_short(f, node) || !is_short(f, rest->busy) ||
        n->e->target->threads != PTX_THREADS_ROWS)
        return false;
    *warps = busy_warps(rest);
    for (uint32_t r = 0; r < f->function->register_count; r++)
        if (ptx_flow_is_live(f->graph, node, r) && f->has_place[r] && !is_anywhere(f, r))
            return false;
    struct keeping keeping = {f, ptx_native_node_of_site(f, rest->site), true};
    look_at_node(&keeping, node);
    look_at_node(&keeping, rest->busy);
    return keeping.does && *warps > 1 && *warps <= MOST_WARPS;
}

void ptx_native_go_as_one(struct ptx_native *n, int32_t node)
{
    struct ptx_native_flow *f = n->flow;
    f->is_solo = true;
    write_part(n, node, "-1", true);
    write_part(n, f->rests[node].busy, "-1", false);
    f->is_solo = false;
}

/* ---- All warps of a block that is sure ---- */

/* A row that a leg ends with, in step: what threads store side by side. */
static bool is_last_row(const struct ptx_native *n, int32_t node, const struct ptx_instruction *in)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_operand *o = in->operands;
    return in->opcode == PTX_OPCODE_st && in->guard < 0 && !ptx_is_volatile(in) &&
           !ptx_is_wide_access(in) && in->width <= 1 && in->operand_count == 2 &&
           o[0].kind == PTX_OPERAND_ADDRESS && o[0].index >= 0 && f->is_fixed[o[0].index] &&
           in->space == PTX_SPACE_SHARED && !f->uniform.is_divergent[node] && !f->is_thin[node];
}

static bool is_harmless_before(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_bra || in->opcode == PTX_OPCODE_mov ||
           in->opcode == PTX_OPCODE_cvta || ptx_native_has_operation(in) ||
           (in->opcode == PTX_OPCODE_ld && !ptx_is_volatile(in) &&
            (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_PARAM));
}

bool ptx_native_stays_in_rows(struct ptx_native *n, int32_t site, uint32_t *warps)
{
    enum { MOST_BITS = 8 * 32 }; /* of a lane, in all rows: half of the processor's registers */
    const struct ptx_native_flow *f = n->flow;
    uint32_t rows = 0, bits = 0, busy = 0;
    if (!n->e->target->has_wide_vectors || site <= 0 ||
        !ptx_native_go_few(n, ptx_native_node_of_site(f, site), &busy))
        return false;
    for (size_t i = 0; i < f->graph->reachable; i++) {
        const int32_t node = f->graph->order[i];
        const struct ptx_node *range = &f->graph->nodes[node];
        if (!f->is_in_leg[node] || f->sites[node])
            continue;
        if (range->leaves) /* some block ends there */
            return false;
        for (uint32_t j = range->first; j < range->end; j++) {
            const struct ptx_instruction *in = &f->function->instructions[j];
            const bool is_row = is_last_row(n, node, in);
            if (!is_row && !is_harmless_before(in))
                return false;
            rows += is_row;
            bits = is_row ? ptx_native_bits((enum ptx_type)in->types[0]) : bits;
        }
    }
    *warps = 2 * busy; /* a tree's first step leaves one half of them */
    return rows == 1 && *warps * bits <= MOST_BITS;
}
