/* Where the lanes of a warp go at the end of a node.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/warp/warp.h"

/* ---- What lanes wait for where they go ---- */

enum waiting { WAIT_NOT, WAIT_WARP, WAIT_BLOCK };

static const struct ptx_instruction *step_of(const struct ptx_emitter *e, int32_t to)
{
    return to == PTX_NO_NODE ? NULL : ptx_warp_step_of(e->warp_writer, to);
}

static enum waiting waiting_of(const struct ptx_emitter *e, int32_t to)
{
    const struct ptx_instruction *step = step_of(e, to);
    if (!step || (ptx_is_barrier(step) && ptx_barrier_arrives(step)))
        return WAIT_NOT;
    if (ptx_is_barrier(step))
        return WAIT_BLOCK;
    return ptx_member_mask(step) ? WAIT_WARP : WAIT_NOT;
}

/* bar.sync 0: what a warp waits for then is 0, which clem_settle_lanes() knows. */
static bool is_plain(const struct ptx_instruction *step)
{
    const struct ptx_barrier_operands o = ptx_barrier_operands_of(step);
    return !o.threads && !o.predicate &&
           (!o.number || (o.number->kind == PTX_OPERAND_INTEGER && o.number->bits == 0));
}

static bool is_one(const struct ptx_emitter *e, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_INTEGER ||
           (operand->kind == PTX_OPERAND_REGISTER && e->warp_writer->is_uniform[operand->index]);
}

/* What all lanes wait for alike, or NULL: each for its own. */
static const char *common_wait(struct ptx_emitter *e, int32_t to)
{
    const struct ptx_instruction *step = step_of(e, to);
    switch (waiting_of(e, to)) {
    case WAIT_BLOCK:
        return is_plain(step) ? "0u" : NULL;
    case WAIT_WARP:
        if (!is_one(e, ptx_member_mask(step)))
            return NULL;
        if (ptx_member_mask(step)->kind == PTX_OPERAND_REGISTER)
            ptx_warp_take_one(e, (uint32_t)ptx_member_mask(step)->index, true);
        return ptx_value(e, ptx_member_mask(step), PTX_U32);
    default:
        return "0u";
    }
}

static void write_own_waits(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    ptx_warp_begin_lanes(e, step);
    ptx_line(e, "clem_wait[clem_index] = %s;",
             ptx_is_barrier(step) ? ptx_block_barrier_wait(e, step)
                                  : ptx_value(e, ptx_member_mask(step), PTX_U32));
    ptx_warp_end_lanes(e, PTX_LANES_UPWARD);
}

/* ---- Sending lanes ---- */

static const char *state_text(struct ptx_emitter *e, int32_t to)
{
    if (to == PTX_NO_NODE)
        return "CLEM_ENDED";
    e->warp_writer->is_sent[to] = true;
    const enum waiting waiting = waiting_of(e, to);
    return ptx_format(e, "%uu%s", (unsigned)e->warp_writer->flow->position[to],
                      waiting == WAIT_WARP    ? " | CLEM_AT_WARP"
                      : waiting == WAIT_BLOCK ? " | CLEM_AT_BARRIER"
                                              : "");
}

/* The active lanes; what others there are is in clem_state. */
static void send(struct ptx_emitter *e, int32_t to)
{
    const char *wait = common_wait(e, to);
    if (!wait)
        write_own_waits(e, step_of(e, to));
    ptx_line(e,
             "clem_send_lanes(clem_state + clem_base, clem_wait + clem_base, clem_active, %s, %s, "
             "%du);",
             state_text(e, to), wait ? wait : "0u", wait != NULL);
}

/* What stands behind all nodes does it, for all active lanes. */
static void send_all(struct ptx_emitter *e, int32_t to, const char *spun)
{
    const char *wait = common_wait(e, to);
    if (wait) {
        ptx_line(e, "clem_go = %s%s, clem_for = %s;", state_text(e, to), spun, wait);
        ptx_line(e, "goto clem_send;");
        return;
    }
    write_own_waits(e, step_of(e, to));
    ptx_line(e, "clem_go = %s%s;", state_text(e, to), spun);
    ptx_line(e, "goto clem_send_on;");
}

/* Whether a warp that goes there leaves the turn to the next, its lanes together. */
static bool is_end(const struct ptx_emitter *e, int32_t to)
{
    return to == PTX_NO_NODE || (waiting_of(e, to) == WAIT_BLOCK && is_plain(step_of(e, to)) &&
                                 !e->warp_writer->facts->has_parts);
}

/* All other warps take their turn of a loop first. */
static void give_way(struct ptx_emitter *e, int32_t to)
{
    ptx_line(e, "if (clem_others == 0u) {");
    ptx_line(e, "clem_go = %s;", state_text(e, to));
    ptx_line(e, "goto clem_leave;");
    ptx_line(e, "}");
}

static bool waits_again(const struct ptx_warp_writer *w, int32_t to)
{
    return to != PTX_NO_NODE && w->waits[to] && w->flow->position[to] <= w->flow->position[w->node];
}

void ptx_warp_write_edge(struct ptx_emitter *e, int32_t to)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    if (waits_again(w, to)) {
        ptx_line(e, "if (clem_steps++ >= clem_patience) {");
        send_all(e, to, " | CLEM_SPUN");
        ptx_line(e, "}");
    }
    if (to != PTX_NO_NODE && w->strides[to] && waiting_of(e, to) == WAIT_NOT &&
        w->flow->position[to] <= w->flow->position[w->node])
        give_way(e, to);
    if (is_end(e, to)) {
        ptx_line(e, "clem_go = %s;", state_text(e, to));
        ptx_line(e, "goto clem_leave;");
    } else if (waiting_of(e, to) == WAIT_BLOCK) {
        send_all(e, to, "");
    } else if (w->is_whole[w->node]) {
        ptx_line(e, "goto N%d;", (int)to);
    } else {
        ptx_line(e, "if (clem_others == 0u)");
        ptx_line(e, "    goto N%d;", (int)to);
        send_all(e, to, "");
    }
}

/* ---- Branches ---- */

/* The node that an instruction is in, or PTX_NO_NODE: threads end there. */
static int32_t node_at(const struct ptx_emitter *e, size_t instruction)
{
    const struct ptx_flow *flow = e->warp_writer->flow;
    const int32_t to = flow->node_of[instruction];
    return to == PTX_NO_NODE || ptx_flow_only_leaves(flow, to) ? PTX_NO_NODE : to;
}

bool ptx_warp_ways(const struct ptx_emitter *e, int32_t node, int32_t *taken, int32_t *other)
{
    const struct ptx_flow *flow = e->warp_writer->flow;
    const size_t end = flow->nodes[node].end;
    const struct ptx_instruction *last = &flow->function->instructions[end - 1];
    const bool ends = last->opcode == PTX_OPCODE_ret || last->opcode == PTX_OPCODE_exit ||
                      last->opcode == PTX_OPCODE_trap;
    *other = node_at(e, end);
    if (!ends && last->opcode != PTX_OPCODE_bra)
        return false;
    const bool has_label = last->operand_count > 0 &&
                           last->operands[last->operand_count - 1].kind == PTX_OPERAND_LABEL;
    const int32_t to =
        ends || !has_label
            ? PTX_NO_NODE
            : node_at(e, flow->function->labels[last->operands[last->operand_count - 1].index]
                             .instruction);
    if (last->guard < 0) {
        *other = to;
        return false;
    }
    *taken = to;
    return true;
}

static void write_split(struct ptx_emitter *e, int32_t taken, int32_t other)
{
    ptx_line(e, "if (clem_taken == clem_active) {");
    ptx_warp_write_edge(e, taken);
    ptx_line(e, "}");
    ptx_line(e, "if (clem_taken == 0u) {");
    ptx_warp_write_edge(e, other);
    ptx_line(e, "}");
    ptx_line(e, "if (clem_others == 0u)");
    ptx_line(e, "    clem_part_lanes(clem_state + clem_base, clem_active);");
    ptx_line(e, "clem_others = 1u;");
    ptx_line(e, "const uint clem_not_taken = clem_active & ~clem_taken;");
    ptx_line(e, "clem_active = clem_taken;");
    send(e, taken);
    ptx_line(e, "clem_active = clem_not_taken;");
    send_all(e, other, "");
}

/* Lanes that end are not missed where all others are together. */
static void write_partial_end(struct ptx_emitter *e, int32_t other)
{
    ptx_line(e, "if (clem_taken == clem_active) {");
    ptx_warp_write_edge(e, PTX_NO_NODE);
    ptx_line(e, "}");
    if (!e->warp_writer->is_whole[e->warp_writer->node]) {
        ptx_line(e, "if (clem_others != 0u && clem_taken != 0u)");
        ptx_line(e,
                 "    clem_send_lanes(clem_state + clem_base, clem_wait + clem_base, clem_taken, "
                 "CLEM_ENDED, 0u, 1u);");
    }
    ptx_line(e, "clem_active &= ~clem_taken;");
    ptx_warp_write_edge(e, other);
}

static void write_trap(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_trap)
        return;
    ptx_need(e, PTX_NEED_RUNTIME);
    ptx_line(e, "%sclem_trap(clem_runtime);", in->guard < 0 ? "" : "if (clem_taken != 0u) ");
}

static void write_guarded(struct ptx_emitter *e, const struct ptx_instruction *in, int32_t taken,
                          int32_t other)
{
    const struct ptx_operand guard = {
        .kind = PTX_OPERAND_REGISTER, .index = in->guard, .is_negated = in->guard_negated};
    if (is_one(e, &guard)) {
        ptx_warp_take_one(e, (uint32_t)in->guard, true);
        ptx_line(e, "const uint clem_taken = %s ? clem_active : 0u;", ptx_predicate(e, &guard));
        write_trap(e, in);
        ptx_line(e, "if (clem_taken != 0u) {");
        ptx_warp_write_edge(e, taken);
        ptx_line(e, "}");
        ptx_warp_write_edge(e, other);
        return;
    }
    ptx_line(e, "const uint clem_taken = clem_mask_of(%s) & clem_active;",
             ptx_warp_value(e, &guard, PTX_PRED));
    write_trap(e, in);
    if (taken == other)
        ptx_warp_write_edge(e, other);
    else if (taken == PTX_NO_NODE)
        write_partial_end(e, other);
    else if (other == PTX_NO_NODE) {
        ptx_line(e, "const uint clem_goes_on = clem_taken;");
        ptx_line(e, "{");
        ptx_line(e, "const uint clem_taken = clem_active & ~clem_goes_on;");
        write_partial_end(e, taken);
        ptx_line(e, "}");
    } else
        write_split(e, taken, other);
}

static void write_end(struct ptx_emitter *e, const struct ptx_instruction *last)
{
    int32_t taken, other;
    if (ptx_warp_ways(e, e->warp_writer->node, &taken, &other)) {
        write_guarded(e, last, taken, other);
    } else {
        write_trap(e, last);
        ptx_warp_write_edge(e, other);
    }
}

void ptx_warp_write_edges(struct ptx_emitter *e)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    e->instruction = &w->flow->function->instructions[w->flow->nodes[w->node].end - 1];
    ptx_access(e, &(struct ptx_access){.kind = PTX_ACCESS_BRANCH, .write = write_end});
}
