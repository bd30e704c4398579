/* Detours: where lanes part for a while, in one piece of text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/warp/warp.h"

/* More nodes than this compilers see better one by one. */
enum { MOST_NODES = 256 };

/* ---- Finding them ---- */

struct search {
    const struct ptx_warp_writer *w;
    uint32_t *marks, mark;
    int32_t *nodes;
    size_t count;
};

/* Lanes come to it only by leaving the turn to other warps for a while. */
static bool is_stop(const struct ptx_warp_writer *w, int32_t node)
{
    const struct ptx_instruction *step = ptx_warp_step_of(w, node);
    return w->waits[node] || w->strides[node] || (step && ptx_is_barrier(step));
}

static bool can_be_within(const struct search *s, int32_t node)
{
    return s->count < MOST_NODES && !is_stop(s->w, node) && s->w->detour_of[node] == PTX_NO_NODE;
}

/* All nodes on the ways from `first` to where they meet. Those must come between them in the order of the flow, so that
 * what is run first is what stands first. */
static bool gather(struct search *s, int32_t first)
{
    const struct ptx_flow *flow = s->w->flow;
    const int32_t meeting = flow->postdominator[first];
    s->count = 0;
    s->mark++;
    s->nodes[s->count++] = first;
    s->marks[first] = s->mark;
    for (size_t i = 0; i < s->count; i++) {
        const struct ptx_node *node = &flow->nodes[s->nodes[i]];
        ptx_steps(flow->arena, 1 + node->next_count);
        for (uint32_t j = 0; j < node->next_count; j++) {
            const int32_t to = node->next[j];
            if (to == first && is_stop(s->w, first))
                return false;
            if (to == meeting || s->marks[to] == s->mark)
                continue;
            if (!can_be_within(s, to) || flow->position[to] < flow->position[first] ||
                (meeting != PTX_NO_NODE && flow->position[to] > flow->position[meeting]))
                return false;
            s->marks[to] = s->mark;
            s->nodes[s->count++] = to;
        }
    }
    return true;
}

/* Nobody else comes to them. */
static bool is_closed(const struct search *s)
{
    const struct ptx_flow *flow = s->w->flow;
    for (size_t i = 1; i < s->count; i++) {
        const struct ptx_node *node = &flow->nodes[s->nodes[i]];
        for (uint32_t j = 0; j < node->previous_count; j++)
            if (flow->position[node->previous[j]] != PTX_NO_NODE &&
                s->marks[node->previous[j]] != s->mark)
                return false;
    }
    return true;
}

static bool parts(const struct ptx_warp_writer *w, int32_t node)
{
    const struct ptx_instruction *last =
        &w->flow->function->instructions[w->flow->nodes[node].end - 1];
    return w->flow->nodes[node].next_count > 1 && last->opcode == PTX_OPCODE_bra &&
           last->guard >= 0 && !w->is_uniform[last->guard];
}

void ptx_warp_find_detours(struct ptx_emitter *e)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_flow *flow = w->flow;
    struct search s = {.w = w};
    s.marks = ptx_arena_array(e->arena, flow->count + 1, sizeof *s.marks);
    s.nodes = ptx_arena_array(e->arena, flow->count + 1, sizeof *s.nodes);
    w->detour_of = ptx_arena_array(e->arena, flow->count + 1, sizeof *w->detour_of);
    for (size_t i = 0; i < flow->count; i++)
        w->detour_of[i] = PTX_NO_NODE;
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t first = flow->order[i];
        if (w->detour_of[first] != PTX_NO_NODE || !parts(w, first) || !gather(&s, first) ||
            !is_closed(&s))
            continue;
        for (size_t j = 0; j < s.count; j++)
            w->detour_of[s.nodes[j]] = first;
    }
}

/* ---- Writing them ---- */

/* Lanes, an expression, go to a node of the detour, or to its end, or to theirs. */
static void add_lanes(struct ptx_emitter *e, int32_t to, const char *lanes)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    if (to == PTX_NO_NODE) {
        ptx_line(e, "clem_all &= ~(%s);", lanes);
        if (!w->is_whole[w->detour_of[w->node]]) {
            ptx_line(e, "if (clem_others != 0u)");
            ptx_line(e,
                     "    clem_send_lanes(clem_state + clem_base, clem_wait + clem_base, %s, "
                     "CLEM_ENDED, 0u, 1u);",
                     lanes);
        }
    } else if (w->detour_of[to] == w->detour_of[w->node] &&
               to != w->flow->postdominator[w->detour_of[w->node]]) {
        ptx_line(e, "clem_to%d |= %s;", (int)to, lanes);
    }
}

static void go_back(struct ptx_emitter *e, int32_t to)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    if (to == PTX_NO_NODE || w->detour_of[to] != w->detour_of[w->node] ||
        w->flow->position[to] > w->flow->position[w->node])
        return;
    ptx_line(e, "if (clem_to%d != 0u)", (int)to);
    ptx_line(e, "    goto K%d;", (int)to);
}

static void write_end(struct ptx_emitter *e, const struct ptx_instruction *last)
{
    int32_t taken, other;
    const bool has_two = ptx_warp_ways(e, e->warp_writer->node, &taken, &other);
    if (has_two) {
        const struct ptx_operand guard = {
            .kind = PTX_OPERAND_REGISTER, .index = last->guard, .is_negated = last->guard_negated};
        ptx_line(e, "const uint clem_taken = clem_mask_of(%s) & clem_active;",
                 ptx_warp_value(e, &guard, PTX_PRED));
    }
    if (last->opcode == PTX_OPCODE_trap) {
        ptx_need(e, PTX_NEED_RUNTIME);
        ptx_line(e, "%sclem_trap(clem_runtime);", has_two ? "if (clem_taken != 0u) " : "");
    }
    if (has_two)
        add_lanes(e, taken, "clem_taken");
    add_lanes(e, other, has_two ? "clem_active & ~clem_taken" : "clem_active");
    if (has_two)
        go_back(e, taken);
    go_back(e, other);
}

static void write_one(struct ptx_emitter *e, int32_t number, ptx_write_node *write)
{
    const struct ptx_flow *flow = e->warp_writer->flow;
    ptx_text_add(e->out, "K%d:;\n", (int)number);
    ptx_line(e, "if (clem_to%d != 0u) {", (int)number);
    ptx_line(e, "clem_active = clem_to%d;", (int)number);
    ptx_line(e, "clem_to%d = 0u;", (int)number);
    write(e, number);
    e->instruction = &flow->function->instructions[flow->nodes[number].end - 1];
    ptx_access(e, &(struct ptx_access){.kind = PTX_ACCESS_BRANCH, .write = write_end});
    ptx_line(e, "}");
}

static bool leaves(const struct ptx_warp_writer *w, int32_t first)
{
    for (size_t i = 0; i < w->flow->count; i++)
        if (w->detour_of[i] == first && w->flow->nodes[i].leaves)
            return true;
    return false;
}

static void write_meeting(struct ptx_emitter *e, const struct ptx_instruction *last)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const int32_t to = w->flow->postdominator[w->node];
    (void)last;
    ptx_line(e, "clem_active = clem_all;");
    if (to != PTX_NO_NODE && leaves(w, w->node)) {
        ptx_line(e, "if (clem_active == 0u) {");
        ptx_warp_write_edge(e, PTX_NO_NODE);
        ptx_line(e, "}");
    }
    ptx_warp_write_edge(e, to);
}

void ptx_warp_write_detour(struct ptx_emitter *e, int32_t first, ptx_write_node *write)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_flow *flow = w->flow;
    ptx_text_add(e->out, "N%d:;\n", (int)first);
    ptx_line(e, "{");
    ptx_line(e, "uint clem_all = clem_active, clem_to%d = clem_active;", (int)first);
    for (size_t i = 0; i < flow->reachable; i++)
        if (w->detour_of[flow->order[i]] == first && flow->order[i] != first)
            ptx_line(e, "uint clem_to%d = 0u;", (int)flow->order[i]);
    for (size_t i = 0; i < flow->reachable && e->status == PTX_OK; i++)
        if (w->detour_of[flow->order[i]] == first)
            write_one(e, flow->order[i], write);
    ptx_warp_begin_node(e, first);
    e->instruction = &flow->function->instructions[flow->nodes[first].end - 1];
    ptx_access(e, &(struct ptx_access){.kind = PTX_ACCESS_BRANCH, .write = write_meeting});
    ptx_line(e, "}");
}
