/* Whole ways: where all lanes of a warp take the same way, though they need not, as in most turns of loops over arrays, they go on in
 * nodes that are written once more for warps that are whole. There no lanes are noted, looked for or masked, and a jump leads from node to
 * node; where lanes part, they go on as any do.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/native/native_flow.h"

enum { MOST_INSTRUCTIONS = 64, MOST_OF_ALL = 256, MOST_OF_FUNCTION = 512 };

/* ---- Which nodes ---- */

/* What masks cost something at: accesses of rows. */
static bool is_masked(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_st) &&
           in->space != PTX_SPACE_PARAM && in->space != PTX_SPACE_LOCAL && in->guard < 0 &&
           !ptx_is_volatile(in);
}

/* Whether it may be written once more; is_any: with such accesses in it. */
static bool can_be_twice(const struct ptx_native_flow *f, const struct ptx_node *range,
                         bool *is_any)
{
    if (f->sites[range - f->graph->nodes] ||
        &f->function->instructions[range->first] == f->ticket ||
        range->end - range->first > MOST_INSTRUCTIONS)
        return false;
    for (uint32_t i = range->first; i < range->end; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        if (ptx_is_barrier(in) || ptx_native_is_picture(in) || in->opcode == PTX_OPCODE_call ||
            in->opcode == PTX_OPCODE_brx)
            return false;
        *is_any |= is_masked(in);
    }
    return true;
}

void ptx_native_find_whole(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    bool is_any = false;
    size_t all = 0;
    f->is_whole = ptx_arena_take(n->e->arena, f->graph->count + 1);
    if (f->is_parted || f->is_tangled || f->by_thread || ptx_native_is_checked(n) ||
        f->function->instruction_count > MOST_OF_FUNCTION)
        return;
    for (size_t i = 0; i < f->graph->reachable; i++) {
        const int32_t node = f->graph->order[i];
        f->is_whole[node] = f->uniform.is_divergent[node] && !f->known_lanes[node] &&
                            can_be_twice(f, &f->graph->nodes[node], &is_any);
        if (f->is_whole[node])
            all += f->graph->nodes[node].end - f->graph->nodes[node].first;
    }
    if (!is_any || all > MOST_OF_ALL)
        memset(f->is_whole, 0, f->graph->count * sizeof *f->is_whole);
}

bool ptx_native_is_doubled(const struct ptx_native *n, const struct ptx_node *range)
{
    const struct ptx_native_flow *f = n->flow;
    bool is_any = false;
    if (f->is_whole[f->node])
        return true;
    return f->mask[0] == '%' && !f->is_parted &&
           f->function->instruction_count <= MOST_OF_FUNCTION && can_be_twice(f, range, &is_any) &&
           is_any;
}

/* ---- The text ---- */

const char *ptx_native_whole_name(struct ptx_native *n, int32_t node)
{
    return ptx_format(n->e, "F%d", (int)node);
}

/* As lanes go on that are not all there. */
static void go_with_others(struct ptx_native *n, int32_t to)
{
    if (to != PTX_NO_NODE)
        ptx_native_store_word(n, ptx_native_word_of(n, to), "-1");
    ptx_native_jump(n, ptx_format(n->e, "X%d", (int)n->flow->node));
}

/* Back to the head of a loop in step, of which a warp takes so many turns. */
static void go_back(struct ptx_native *n, const struct ptx_native_stroll *stroll, int32_t to)
{
    const char *end = ptx_native_name(n, "end");
    ptx_native_step_in_stroll(n, stroll, ptx_native_whole_name(n, to), end);
    ptx_native_label(n, end);
    ptx_native_store_word(n, ptx_native_word_of(n, to), "-1");
    ptx_native_jump(n, ptx_format(n->e, "X%d", (int)n->flow->graph->order[stroll->loop.last]));
}

/* Past the end of a loop in step, where warps wait that do not go alone. */
static void pass_end(struct ptx_native *n, const struct ptx_native_stroll *stroll, int32_t to)
{
    const char *alone = ptx_native_name(n, "pass"), *waits = ptx_native_name(n, "wait");
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", ptx_native_goes_alone(n, stroll),
                  alone, waits);
    ptx_native_label(n, waits);
    ptx_native_hold_apart(n);
    go_with_others(n, to);
    ptx_native_label(n, alone);
}

/* Jumps to where all lanes go on; PTX_NO_NODE: they end. */
static void jump(struct ptx_native *n, int32_t to)
{
    struct ptx_native_flow *f = n->flow;
    const int32_t from = f->graph->position[f->node],
                  at = to == PTX_NO_NODE ? INT32_MAX : f->graph->position[to];
    for (size_t i = 0; !f->ticket && i < f->stroll_count; i++) {
        const struct ptx_native_stroll *stroll = &f->strolls[i];
        const struct ptx_native_loop loop = stroll->loop;
        const bool is_within = from >= loop.head && from <= loop.last,
                   is_whole = at == loop.head && f->is_whole[to];
        if (from <= loop.last && at > loop.last) {
            pass_end(n, stroll, to);
        } else if (is_within && is_whole) {
            go_back(n, stroll, to);
            return;
        } else if (is_whole) {
            ptx_native_come_to_stroll(n);
        } else if (at == loop.head || (!is_within && at > loop.head && at <= loop.last)) {
            go_with_others(n, to);
            return;
        }
    }
    if (to == PTX_NO_NODE) {
        ptx_native_jump(n, "done");
    } else if (!f->uniform.is_divergent[to]) {
        ptx_native_store_word(n, "%active", "-1");
        ptx_native_jump(n, ptx_format(n->e, "N%d", (int)to));
    } else if (f->is_whole[to]) {
        ptx_native_jump(n, ptx_native_whole_name(n, to));
    } else {
        ptx_native_store_word(n, ptx_native_word_of(n, to), "-1");
        ptx_native_jump(n, ptx_format(n->e, "C%d", (int)to));
    }
}

static bool leads_to_whole(const struct ptx_native_flow *f, const struct ptx_native_way *ways,
                           size_t count)
{
    bool does = false;
    for (size_t i = 0; i < count; i++)
        does |= ways[i].to != PTX_NO_NODE && f->is_whole[ways[i].to];
    return does;
}

bool ptx_native_go_whole(struct ptx_native *n, const struct ptx_native_way *ways, size_t count)
{
    const struct ptx_native_flow *f = n->flow;
    const bool are_all = strcmp(f->mask, "-1") == 0;
    if (count > 2 || (f->is_divergent ? !are_all || !f->is_whole[f->node]
                                      : f->is_some || !leads_to_whole(f, ways, count)))
        return false;
    if (count == 1 && are_all) {
        jump(n, ways[0].to);
        return true;
    }
    const struct ptx_instruction *last =
        &f->function->instructions[f->graph->nodes[f->node].end - 1];
    const bool is_either = count == 2 && are_all && ptx_native_is_answered(f, last->guard);
    for (size_t i = 0; i < count; i++) {
        if (i == 1 && is_either) {
            jump(n, ways[1].to);
            return true;
        }
        const char *whole = ptx_native_name(n, "whole"), *others = ptx_native_name(n, "others");
        const char *is = i == 1 && are_all
                             ? ptx_native_emit(n, "icmp eq i32 %s, 0", ways[0].lanes)
                             : ptx_native_emit(n, "icmp eq i32 %s, -1", ways[i].lanes);
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is, whole, others);
        ptx_native_label(n, whole);
        jump(n, ways[i].to);
        ptx_native_label(n, others);
    }
    return false;
}
