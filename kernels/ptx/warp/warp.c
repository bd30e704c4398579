/* PTX_FORM_WARP: the text of a kernel that runs CUDA blocks warp by warp. See warp.h for how.
 *
 * clem_pc holds, for each warp, the node that all its lanes of clem_masks go on with, with CLEM_AT_BARRIER where they wait
 * there; CLEM_ENDED; or CLEM_PARTED: then clem_state and clem_wait tell of each lane, as in the block form.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/warp/warp.h"
#include "kernels/ptx/emit/access.h"

/* ---- Hooks ---- */

static const char *special_value(struct ptx_emitter *e, enum ptx_special special)
{
    const int numbers = (int)e->warp_writer->numbers;
    switch (special) {
    case PTX_TID_X:
    case PTX_TID_Y:
    case PTX_TID_Z:
        return ptx_format(e, "clem_of_lane(uint, %d)", numbers + 128 * (int)(special - PTX_TID_X));
    case PTX_LANEID:
        return "clem_lane";
    case PTX_WARPID:
        return "clem_warp_at";
    case PTX_LANEMASK_EQ:
        return "(1u << clem_lane)";
    case PTX_LANEMASK_LT:
        return "((1u << clem_lane) - 1u)";
    case PTX_LANEMASK_LE:
        return "((2u << clem_lane) - 1u)";
    case PTX_LANEMASK_GE:
        return "(~0u << clem_lane)";
    case PTX_LANEMASK_GT:
        return "(~1u << clem_lane)";
    default:
        return ptx_block_special(special);
    }
}

static const struct ptx_form_hooks hooks = {.special = special_value};

void ptx_warp_prepare(struct ptx_emitter *e)
{
    e->hooks = &hooks;
    e->warp_writer = ptx_arena_take(e->arena, sizeof(struct ptx_warp_writer));
    e->plan->launch_parameters = "uint8 clem_grid";
    e->plan->launch_names = "clem_grid";
}

/* ---- Nodes ---- */

static void take_read(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct ptx_emitter *e = with;
    if (e->warp_writer->is_uniform[index])
        ptx_warp_take_one(e, index, true);
}

static void take_written(void *with, uint32_t index, bool is_whole)
{
    ptx_warp_take_one(with, index, !is_whole);
}

static void keep_written(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ptx_warp_keep_one(with, index);
}

static void write_once(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    ptx_flow_reads(in, take_read, e);
    ptx_flow_writes(in, take_written, e);
    ptx_emit_instruction(e, in);
    ptx_flow_writes(in, keep_written, e);
}

/* Neighbours that are written lane by lane, in one loop. */
static uint32_t end_of_lanes(const struct ptx_warp_writer *w, uint32_t first, uint32_t end)
{
    uint32_t last = first;
    for (uint32_t i = first;
         i < end && (w->items[i] == PTX_ITEM_LANES || w->items[i] == PTX_ITEM_NOTHING); i++)
        if (w->items[i] == PTX_ITEM_LANES)
            last = i;
    return last + 1;
}

/* What the steps of the nodes behind it wait for stands before all braces. */
static void take_waits(struct ptx_emitter *e)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_node *node = &w->flow->nodes[w->node];
    for (uint32_t i = 0; i < node->next_count; i++) {
        const struct ptx_instruction *step = ptx_warp_step_of(w, node->next[i]);
        if (step)
            ptx_flow_reads(step, take_read, e);
    }
}

/* What is done in a node, for the active lanes. */
static void write_inside(struct ptx_emitter *e, int32_t number)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_node *node = &w->flow->nodes[number];
    const struct ptx_instruction *all = w->flow->function->instructions;
    const struct ptx_instruction *step = ptx_warp_step_of(w, number);
    ptx_warp_begin_node(e, number);
    if (!w->is_whole[number]) {
        ptx_line(e, "const clem_s32v clem_m = clem_lanes_of(clem_active);");
        ptx_line(e, "(void)clem_m;");
    }
    if (step)
        ptx_warp_step(e, step);
    for (uint32_t i = node->first; i < node->end && e->status == PTX_OK; i++) {
        switch (w->items[i]) {
        case PTX_ITEM_STEP:
            ptx_warp_step(e, &all[i]);
            break;
        case PTX_ITEM_ONCE:
            write_once(e, &all[i]);
            break;
        case PTX_ITEM_VECTOR:
            ptx_warp_write_vector(e, &all[i]);
            break;
        case PTX_ITEM_STORE:
            ptx_warp_lanes(e, i, i + 1);
            break;
        case PTX_ITEM_LANES: {
            const uint32_t end = end_of_lanes(w, i, node->end);
            ptx_warp_lanes(e, i, end);
            i = end - 1;
            break;
        }
        default:
            break;
        }
    }
}

static void write_node(struct ptx_emitter *e, int32_t number)
{
    const int32_t detour = e->warp_writer->detour_of[number];
    if (detour != PTX_NO_NODE) {
        if (detour == number)
            ptx_warp_write_detour(e, number, write_inside);
        return;
    }
    ptx_text_add(e->out, "N%d:;\n", (int)number);
    ptx_line(e, "{");
    write_inside(e, number);
    take_waits(e);
    ptx_warp_write_edges(e);
    ptx_line(e, "}");
}

/* ---- Warp after warp ---- */

/* Only where lanes are sent; all other nodes are led to. */
static void write_dispatch(struct ptx_emitter *e)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    ptx_text_put(e->out, "clem_leave:;\n");
    ptx_line(e, "if (clem_others == 0u) {");
    ptx_line(e, "clem_pc[clem_warp_at] = clem_go;");
    ptx_line(e, "clem_masks[clem_warp_at] = clem_active;");
    ptx_line(e, "continue;");
    ptx_line(e, "}");
    ptx_line(e, "clem_for = 0u;");
    ptx_text_put(e->out, "clem_send:;\n");
    ptx_line(e, "clem_wait_for(clem_wait + clem_base, clem_active, clem_for);");
    ptx_text_put(e->out, "clem_send_on:;\n");
    ptx_line(e, "if (clem_others == 0u)");
    ptx_line(e, "    clem_part_lanes(clem_state + clem_base, clem_active);");
    ptx_line(e, "clem_send_lanes(clem_state + clem_base, clem_wait + clem_base, clem_active, "
                "clem_go, 0u, 0u);");
    ptx_text_put(e->out, "clem_choose:;\n");
    ptx_line(e, "clem_region = clem_choose_lanes(clem_state + clem_base, clem_wait + clem_base, "
                "&clem_active, &clem_others, &clem_left);");
    ptx_line(e, "if (clem_region == CLEM_ENDED) {");
    ptx_line(e, "clem_pc[clem_warp_at] = clem_settle_lanes(clem_state + clem_base, clem_wait + "
                "clem_base, clem_masks + clem_warp_at);");
    ptx_line(e, "continue;");
    ptx_line(e, "}");
    ptx_text_put(e->out, "clem_dispatch:;\n");
    ptx_line(e, "switch (clem_region) {");
    for (size_t i = 0; i < w->flow->reachable; i++)
        if (i == 0 || w->is_sent[w->flow->order[i]])
            ptx_line(e, "case %zuu: goto N%d;", i, (int)w->flow->order[i]);
    ptx_line(e, "default: break;");
    ptx_line(e, "}");
}

static void begin_warp(struct ptx_emitter *e)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    ptx_line(e, "for (uint clem_warp_at = 0; clem_warp_at < clem_warp_count; clem_warp_at++) {");
    ptx_line(e, "uint clem_region = clem_pc[clem_warp_at], clem_active = clem_masks[clem_warp_at], "
                "clem_others = 0u, clem_go = 0u, clem_for = 0u;");
    ptx_line(e, "const uint clem_base = clem_warp_at * 32u;");
    ptx_line(e, "CLEM_SCRATCH uchar *const clem_frame = clem_scratch + clem_warp_at * %zuu;",
             w->frame_bytes);
    if (w->facts->waits)
        ptx_line(e, "uint clem_steps = 0u;");
    ptx_line(e, "(void)clem_base, (void)clem_frame;");
    ptx_keep_order(e);
    ptx_line(e, "if (clem_region == CLEM_PARTED)");
    ptx_line(e, "    goto clem_choose;");
    ptx_line(e, "if (clem_region > CLEM_REGION)");
    ptx_line(e, "    continue;");
    ptx_line(e, "goto clem_dispatch;");
}

static void write_rounds(struct ptx_emitter *e)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    const bool waits = w->facts->waits;
    ptx_line(e, "%s",
             !waits ? "for (;;) {"
             : e->plan->takes_turns
                 ? "for (uint clem_patience = clem_resumes ? 4u : CLEM_PATIENCE;; "
                   "clem_patience = 4u) {"
                 : "for (uint clem_patience = CLEM_PATIENCE;; clem_patience = 4u) {");
    ptx_line(e, "uint clem_left = 0u;");
    begin_warp(e);
    for (size_t i = 0; i < w->flow->reachable && e->status == PTX_OK; i++)
        write_node(e, w->flow->order[i]);
    write_dispatch(e);
    ptx_line(e, "}");
    ptx_line(e, "const uint clem_outcome = clem_release_warps(clem_pc, clem_masks, clem_state, "
                "clem_wait, clem_warp_count, clem_arrived);");
    if (waits) {
        ptx_line(e,
                 "if (clem_outcome == CLEM_STUCK && clem_left && clem_has_failed(clem_runtime))");
        ptx_line(e, "    return;");
        ptx_turn_leave(e, "clem_outcome == CLEM_STUCK && clem_left");
        ptx_line(e, "if (clem_outcome == CLEM_STUCK && clem_left)");
        ptx_line(e, "    continue;");
    }
    if (e->plan->takes_turns)
        ptx_line(e, "clem_moved |= clem_outcome == CLEM_RELEASED;");
    if (w->facts->yields)
        ptx_turn_leave(e, PTX_TURN_OF_ROUNDS);
    ptx_line(e, "if (clem_outcome == CLEM_STUCK)");
    ptx_line(e, "    clem_trap(clem_runtime);");
    ptx_line(e, "if (clem_outcome != CLEM_RELEASED)");
    ptx_line(e, "    return;");
    ptx_line(e, "}");
}

/* ---- The kernel ---- */

static void name_block(struct ptx_emitter *e)
{
    ptx_line(e, "const uint clem_ctaid_x = clem_item.x, clem_ctaid_y = clem_item.y, clem_ctaid_z = "
                "clem_item.z;");
    ptx_line(e, "(void)clem_ctaid_x, (void)clem_ctaid_y, (void)clem_ctaid_z;");
    ptx_line(e, "const uint clem_threads = clem_grid.s4 * clem_grid.s5 * clem_grid.s6;");
    ptx_line(e, "const uint clem_warp_count = (clem_threads + 31u) >> 5;");
}

/* For each load compilers look for what was stored last on all ways there, and find nothing that they could use, since
 * lanes may begin with any node: where these are many, it takes a third of all their time, and they are told not to. */
static void name_frame(struct ptx_emitter *e)
{
    enum { MANY = 128 };
    ptx_text_add(e->out, "#define CLEM_FRAME %sCLEM_SCRATCH\n",
                 e->warp_writer->flow->reachable > MANY ? "volatile " : "");
}

/* The frames of all warps, then what there is of each thread, then of each warp. */
static void name_memory(struct ptx_emitter *e)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    const size_t local = (e->plan->local_bytes + 15) / 16 * 16;
    ptx_line(e, "CLEM_SCRATCH uchar *const clem_locals = clem_scratch + clem_warp_count * %zuu;",
             w->frame_bytes);
    ptx_line(
        e,
        "CLEM_SCRATCH uint *const clem_state = (CLEM_SCRATCH uint *)(clem_locals + clem_warp_count "
        "* %zuu);",
        32 * local);
    ptx_line(e, "CLEM_SCRATCH uint *const clem_wait = clem_state + clem_warp_count * 32u;");
    ptx_line(e, "CLEM_SCRATCH uint *const clem_pc = clem_wait + clem_warp_count * 32u;");
    ptx_line(e, "CLEM_SCRATCH uint *const clem_masks = clem_pc + clem_warp_count;");
    ptx_line(e, "uint clem_arrived[16] = {0};");
    if (e->plan->takes_turns) {
        ptx_line(e, "if (clem_resumes)");
        ptx_line(e, "    clem_take_arrived(clem_turn, clem_arrived);");
    }
    ptx_turn_unless_resumed(e);
    ptx_line(e, "clem_begin_warps(clem_pc, clem_masks, clem_threads);");
    e->plan->scratch_bytes = w->frame_bytes / 32 + local + 4 + 4 + 1;
}

static bool names_threads(const struct ptx_function *f)
{
    for (size_t i = 0; i < f->instruction_count; i++)
        for (uint32_t j = 0; j < f->instructions[i].operand_count; j++) {
            const struct ptx_operand *o = &f->instructions[i].operands[j];
            for (uint32_t k = 0; k < (o->kind == PTX_OPERAND_VECTOR ? o->count : 1); k++) {
                const struct ptx_operand *one = o->kind == PTX_OPERAND_VECTOR ? &o->list[k] : o;
                if (one->kind == PTX_OPERAND_SPECIAL && one->index <= PTX_TID_Z)
                    return true;
            }
        }
    return false;
}

void ptx_warp_kernel(struct ptx_emitter *e, struct ptx_body *entry)
{
    struct ptx_warp_writer *w = e->warp_writer;
    ptx_enter_body(e, entry);
    if (!ptx_warp_plan(e, entry->function))
        ptx_refuse(e, "%zu basic blocks are too many", w->flow->reachable);
    if (e->status != PTX_OK)
        return;
    ptx_line(e, "{");
    name_block(e);
    ptx_turn_begin(e);
    name_memory(e);
    name_frame(e);
    if (names_threads(entry->function)) {
        ptx_turn_unless_resumed(e);
        ptx_line(e, "clem_number_threads(clem_scratch + %d, %zuu, clem_grid);", (int)w->numbers,
                 w->frame_bytes);
    }
    ptx_block_write_constants(e, w->flow, w->is_constant);
    ptx_need(e, PTX_NEED_RUNTIME);
    write_rounds(e);
    ptx_line(e, "}");
}
