/* PTX_FORM_BLOCK: the text of a kernel that runs whole CUDA blocks. See block.h for how.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/checked.h"

#include <string.h>

/* More text than this is too much for compilers, whatever it does. */
enum { MOST_REGIONS = 4096 };

/* ---- The straight way ---- */

static void need(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

static void note_way(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    struct ptx_choice choice;
    if (!ptx_block_notes_state(writer))
        return;
    ptx_line(
        e, "%s%s;", ptx_block_finds_way(e, &choice) ? "" : "clem_ways[clem_index] = clem_next, ",
        ptx_block_has_two_ways(writer->region) ? "clem_any += clem_next"
                                               : "clem_all &= clem_next, clem_any |= clem_next");
    if (ptx_block_notes_wait(writer))
        ptx_line(e, "clem_wait[clem_index] = clem_for;");
}

/* Threads between two barriers do not depend on each other, which compilers cannot see but may be told. */
static void begin_threads(struct ptx_emitter *e)
{
    const bool joins_blocks = e->block_writer->facts->joins_blocks;
    if (joins_blocks)
        ptx_line(e, "for (uint clem_block = 0; clem_block < clem_blocks; clem_block++)");
    const bool shrinks = e->block_writer->facts->shrinks;
    ptx_line(e, "for (uint clem_tid_z = 0; clem_tid_z < %s; clem_tid_z++)",
             shrinks ? "clem_live.s2" : "clem_grid.s6");
    ptx_line(e, "for (uint clem_tid_y = 0; clem_tid_y < %s; clem_tid_y++)",
             shrinks ? "clem_live.s1" : "clem_grid.s5");
    ptx_text_put(e->out, e->block_writer->region->is_wide
                             ? "#pragma clang loop vectorize(assume_safety)\n"
                             : PTX_BLOCK_PLAIN_LOOP);
    ptx_line(e, "for (uint clem_tid_x = 0; clem_tid_x < %s; clem_tid_x++) {",
             shrinks ? "clem_live.s0" : "clem_grid.s4");
    ptx_line(e,
             "const uint clem_index = (%s * clem_grid.s5 + clem_tid_y) * clem_grid.s4 + "
             "clem_tid_x;",
             joins_blocks ? "(clem_block * clem_grid.s6 + clem_tid_z)" : "clem_tid_z");
    if (joins_blocks)
        ptx_line(e, "const uint clem_ctaid_x = clem_first + clem_block;");
}

/* ---- From the straight way to the other and back ---- */

static void write_states(struct ptx_emitter *e, const char *way)
{
    const struct ptx_region *region = e->block_writer->region;
    ptx_line(e, "switch (%s) {", way);
    for (size_t i = 0; i < region->target_count; i++)
        ptx_line(e, "case %zuu: clem_state[clem_index] = %s; break;", i,
                 ptx_block_state_value(e, &e->block_writer->regions->all[region->targets[i]]));
    ptx_line(e, "default: clem_state[clem_index] = CLEM_ENDED;");
    ptx_line(e, "}");
}

static const char *way_text(struct ptx_emitter *e, int32_t to)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_regions *r = writer->regions;
    if (to == PTX_NO_NODE || ptx_flow_only_leaves(r->flow, to))
        return ptx_block_ended_value(e);
    return ptx_format(e, "%uu", ptx_block_way_of(writer->region, (uint32_t)r->region_of[to]));
}

/* The way of a thread whose registers have their values. */
static const char *choose_way(struct ptx_emitter *e, const struct ptx_choice *choice)
{
    const struct ptx_flow *flow = e->block_writer->regions->flow;
    const struct ptx_instruction *branch = choice->branch;
    const uint32_t label = (uint32_t)branch->operands[0].index;
    const char *taken = way_text(e, flow->node_of[e->function->labels[label].instruction]);
    const char *other = way_text(e, flow->node_of[branch - flow->function->instructions + 1]);
    ptx_emit_instruction(e, choice->comparison);
    return ptx_format(e, "%s ? %s : %s", ptx_register_name(e, (uint32_t)branch->guard, 0),
                      branch->guard_negated ? other : taken, branch->guard_negated ? taken : other);
}

/* From the straight way to another: each thread gets its state. */
static void scatter_states(struct ptx_emitter *e)
{
    const size_t count = e->function->register_count;
    bool *loads = ptx_arena_array(e->arena, count + 1, sizeof *loads);
    bool *declared = ptx_arena_array(e->arena, count + 1, sizeof *declared);
    struct ptx_choice choice;
    const bool finds_way = ptx_block_finds_way(e, &choice);
    if (finds_way) {
        ptx_flow_reads(choice.comparison, need, loads);
        ptx_flow_writes(choice.comparison, need, declared);
    }
    ptx_block_begin_each(e);
    ptx_block_pass_over_ended(e, "clem_state[clem_index] = CLEM_ENDED; ");
    ptx_block_load_common(e, loads, declared);
    write_states(e, finds_way ? choose_way(e, &choice) : "clem_ways[clem_index]");
    ptx_line(e, "}");
}

static void go_to(struct ptx_emitter *e, const char *before, uint32_t region)
{
    const struct ptx_regions *r = e->block_writer->regions;
    if (r->all[region].yields)
        ptx_line(e, "%s{ clem_region = %zuu; goto clem_next_round; }", before,
                 ptx_region_number(r->facts, &r->all[region]));
    else if (ptx_block_has_loops(r->facts, &r->all[region]))
        ptx_line(e, "%sgoto S_%u;", before, (unsigned)region);
    else
        ptx_line(e, "%s{ clem_region = %zuu; goto clem_run; }", before,
                 ptx_region_number(r->facts, &r->all[region]));
}

static void write_targets(struct ptx_emitter *e, const char *chosen)
{
    const struct ptx_region *region = e->block_writer->region;
    ptx_line(e, "switch (%s) {", chosen);
    for (size_t i = 0; i < region->target_count - region->exit_count; i++)
        go_to(e,
              ptx_format(
                  e, "case %uu: ", region->is_decided ? (unsigned)region->targets[i] : (unsigned)i),
              region->targets[i]);
    ptx_line(e, "default: return;");
    ptx_line(e, "}");
}

/* Whether threads part: they go different ways, or have left a loop. */
static const char *parts_text(struct ptx_emitter *e)
{
    const struct ptx_region *region = e->block_writer->region;
    if (ptx_block_has_two_ways(region))
        return ptx_format(e, "clem_any != 0u && clem_any != %s", ptx_block_threads(e));
    if (region->exit_count == 0)
        return "clem_all != clem_any";
    return ptx_format(e, "clem_all != clem_any || clem_any - %zuu < %zuu",
                      region->target_count - region->exit_count, region->exit_count);
}

static void go_on(struct ptx_emitter *e)
{
    const struct ptx_region *region = e->block_writer->region;
    if (!region->is_decided) {
        ptx_line(e, "if (%s) {", parts_text(e));
        scatter_states(e);
        ptx_line(e, "clem_region = %zuu;", ptx_region_number(e->block_writer->facts, region));
        ptx_line(e, "goto clem_part;");
        ptx_line(e, "}");
        write_targets(e, ptx_block_has_two_ways(region) ? "(uint)(clem_any != 0u)" : "clem_any");
    } else if (region->target_count + region->leaves > 1) {
        write_targets(e, "clem_go");
    } else if (region->target_count == 1) {
        go_to(e, "", region->targets[0]);
    } else {
        ptx_line(e, "return;");
    }
}

static void write_straight(struct ptx_emitter *e, size_t number)
{
    struct ptx_block_writer *writer = e->block_writer;
    writer->region = &writer->regions->all[number];
    ptx_text_add(e->out, "S_%zu:;\n", number);
    ptx_line(e, "{");
    if (writer->region->step && ptx_orders_memory(writer->region->step))
        ptx_keep_order(e);
    ptx_block_step(e);
    const bool has_choice = writer->region->target_count + writer->region->leaves > 1;
    if (has_choice && writer->region->is_decided)
        ptx_line(e, "uint clem_go = CLEM_ENDED;");
    if (!writer->region->is_decided)
        ptx_line(e, "uint %sclem_any = 0u;",
                 ptx_block_has_two_ways(writer->region) ? "" : "clem_all = ~0u, ");
    const struct ptx_block_needs n = ptx_block_find_needs(e);
    ptx_block_take_shared(e, n.loads);
    ptx_block_begin_firsts(e, ptx_block_contended_in(writer->regions, writer->region));
    begin_threads(e);
    ptx_block_write_thread(e, n);
    note_way(e);
    ptx_line(e, "}");
    go_on(e);
    ptx_line(e, "}");
}

/* ---- Each thread alone ---- */

/* All nodes of the kernel as one region. */
static struct ptx_region *whole_of(struct ptx_emitter *e, bool *loads)
{
    const struct ptx_regions *r = e->block_writer->regions;
    const size_t count = e->function->register_count;
    struct ptx_region *whole = ptx_arena_take(e->arena, sizeof *whole);
    whole->head = PTX_NO_NODE;
    whole->nodes = ptx_arena_array(e->arena, r->flow->count + 1, sizeof *whole->nodes);
    whole->touched = ptx_arena_array(e->arena, count + 1, sizeof *whole->touched);
    for (size_t i = 0; i < r->count; i++) {
        const struct ptx_region *region = &r->all[i];
        whole->has_call |= region->has_call;
        whole->turns |= region->waits;
        for (size_t j = 0; j < region->node_count; j++)
            whole->nodes[whole->node_count++] = region->nodes[j];
        for (size_t j = 0; j < count; j++) {
            whole->touched[j] |= region->touched[j];
            loads[j] |= region->touched[j] && r->facts->keeps[j] != PTX_KEEP_NOT;
        }
    }
    return whole;
}

/* A thread that waits is left as it is for the next round. */
static void leave_thread(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->regions;
    const size_t count = e->function->register_count;
    bool *stores = ptx_arena_array(e->arena, count + 1, sizeof *stores);
    for (size_t i = 0; i < r->count; i++)
        for (uint32_t j = 0; r->all[i].waits && j < count; j++)
            stores[j] |=
                ptx_flow_is_live(r->flow, r->all[i].head, j) && e->block_writer->region->touched[j];
    ptx_line(e, "if (clem_next != CLEM_ENDED) {");
    ptx_line(e, "clem_left = 1u;");
    ptx_block_store(e, stores);
    ptx_line(e, "}");
    if (e->plan->takes_turns)
        ptx_line(e, "clem_moved |= clem_state[clem_index] ^ clem_next;");
    ptx_line(e, "clem_state[clem_index] = clem_next;");
}

static void write_alone(struct ptx_emitter *e)
{
    struct ptx_block_writer *writer = e->block_writer;
    ptx_block_take_way(writer, PTX_WAY_ALONE);
    const struct ptx_regions *r = writer->regions;
    bool *loads = ptx_arena_array(e->arena, e->function->register_count + 1, sizeof *loads);
    writer->region = whole_of(e, loads);
    ptx_turn_name_resume(e);
    if (r->facts->waits) {
        ptx_line(e, "for (uint clem_left = 1u; clem_left;) {");
        ptx_line(e, "clem_left = 0u;");
    }
    ptx_text_put(e->out, PTX_BLOCK_PLAIN_LOOP);
    ptx_line(e, "for (uint clem_number = 0; clem_number < clem_threads; clem_number++) {");
    if (r->facts->waits)
        ptx_keep_order(e);
    ptx_line(e, "if (clem_state[clem_number] == CLEM_ENDED)");
    ptx_line(e, "    continue;");
    ptx_block_name_thread(e);
    ptx_block_declare_thread(e);
    ptx_block_load(e, loads, writer->region->touched);
    ptx_line(e, "switch (clem_state[clem_index]) {");
    for (size_t i = 0; i < r->count; i++)
        if (ptx_region_is_entered(r, i))
            ptx_line(e, "case %zuu: goto W%d;", i, (int)r->all[i].head);
    ptx_line(e, "default: continue;");
    ptx_line(e, "}");
    for (size_t i = 0; i < writer->region->node_count; i++)
        ptx_block_write_node(e, i);
    ptx_text_put(e->out, "WE:;\n");
    if (r->facts->waits)
        leave_thread(e);
    ptx_line(e, "}");
    if (!r->facts->waits)
        return;
    if (e->plan->needs & PTX_NEED_RUNTIME) {
        ptx_line(e, "if (clem_left && clem_has_failed(clem_runtime))");
        ptx_line(e, "    return;");
    }
    ptx_turn_leave(e, NULL);
    ptx_line(e, "}");
}

/* ---- The kernel ---- */

void ptx_block_write_constants(struct ptx_emitter *e, const struct ptx_flow *flow,
                               const bool *is_constant)
{
    ptx_declare_registers(e, is_constant);
    for (size_t i = 0; i < flow->reachable; i++) {
        const struct ptx_node *node = &flow->nodes[flow->order[i]];
        for (uint32_t j = node->first; j < node->end; j++) {
            const struct ptx_instruction *in = &flow->function->instructions[j];
            if (ptx_destination_count(in) == 1 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
                is_constant[in->operands[0].index])
                ptx_emit_instruction(e, in);
        }
    }
}

static void write_constants(struct ptx_emitter *e)
{
    const struct ptx_block_facts *facts = e->block_writer->facts;
    bool *wanted = ptx_arena_array(e->arena, e->function->register_count + 1, sizeof *wanted);
    for (size_t i = 0; i < e->function->register_count; i++)
        wanted[i] = facts->keeps[i] == PTX_KEEP_CONSTANT;
    ptx_block_write_constants(e, facts->flow, wanted);
}

/* Calls that are left must not hold what only regions can do. */
static void check_calls(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    for (size_t i = 0; i + 1 < plan->body_count; i++)
        if (plan->bodies[i].has_barriers || plan->bodies[i].has_warp_operations)
            ptx_refuse(e,
                       "function %s, which is called by its address, has barriers or warp "
                       "operations",
                       plan->bodies[i].function->name);
}

/* The launch's work-items lie along one dimension (cl/launch/kernel_plan.c). */
static void name_block(struct ptx_emitter *e)
{
    const bool joins_blocks = e->block_writer->facts->joins_blocks;
    e->plan->joins_blocks = joins_blocks;
    ptx_line(e, "const uint3 clem_item = clem_item_of(clem_work_item, %s, clem_grid.s1);",
             joins_blocks ? "(clem_grid.s0 + clem_grid.s3 - 1u) / clem_grid.s3" : "clem_grid.s0");
    if (joins_blocks) {
        ptx_line(e, "const uint clem_first = clem_item.x * clem_grid.s3;");
        ptx_line(e, "const uint clem_blocks = min(clem_grid.s3, clem_grid.s0 - clem_first);");
    } else {
        ptx_line(e, "const uint clem_ctaid_x = clem_item.x;");
        ptx_line(e, "(void)clem_ctaid_x;");
    }
    ptx_line(e, "const uint clem_ctaid_y = clem_item.y, clem_ctaid_z = clem_item.z;");
    ptx_line(e, "(void)clem_ctaid_y, (void)clem_ctaid_z;");
    ptx_line(e, "const uint clem_threads = %sclem_grid.s4 * clem_grid.s5 * clem_grid.s6;",
             joins_blocks ? "clem_blocks * " : "");
}

static bool never_straight(const struct ptx_regions *r)
{
    return r->facts->has_parts || r->facts->starts_alone;
}

/* Each thread gets its own of what all had in common. */
static void part_alone(struct ptx_emitter *e)
{
    ptx_text_put(e->out, "clem_part:;\n");
    if (!ptx_block_has_shared(e))
        return;
    ptx_block_begin_each(e);
    ptx_block_scatter(e);
    ptx_line(e, "}");
}

/* Threads that go on from here one by one do not say that they have met at the barriers that these regions begin with. */
static void tell_barriers(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->facts->straight;
    const struct ptx_instruction *const kept = e->instruction;
    for (size_t i = 0; i < r->count && ptx_checks_meetings(e); i++) {
        const struct ptx_region *region = &r->all[i];
        if (!region->yields || !region->step || !ptx_is_barrier(region->step))
            continue;
        e->instruction = region->step;
        ptx_line(e, "if (clem_region == %zuu)", ptx_region_number(r->facts, region));
        ptx_check_meeting(
            e, &(struct ptx_meeting){.kind = "CLEM_CHECK_BARRIER", .value = ptx_block_threads(e)});
    }
    e->instruction = kept;
}

/* All threads are in step, about to begin the region clem_region: of a loop in which the block may wait for others. */
static void write_yielding(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->facts->straight;
    ptx_text_put(e->out, "clem_next_round:;\n");
    ptx_line(e, "if (++clem_rounds < CLEM_ROUNDS)");
    ptx_line(e, "switch (clem_region) {");
    for (size_t i = 0; i < r->count; i++)
        if (r->all[i].yields && ptx_block_has_loops(r->facts, &r->all[i]))
            ptx_line(e, "case %zuu: goto S_%zu;", ptx_region_number(r->facts, &r->all[i]), i);
    ptx_line(e, ptx_block_has_warps(r->facts) ? "default: goto clem_run;" : "default: break;");
    ptx_line(e, "}");
    tell_barriers(e);
    ptx_block_begin_each(e);
    ptx_block_pass_over_ended(e, "clem_state[clem_index] = CLEM_ENDED; ");
    ptx_line(e, "clem_state[clem_index] = clem_region;");
    ptx_line(e, "}");
    ptx_line(e,
             "clem_region = CLEM_ENDED;"); /* nobody has come from a region where threads parted */
    if (ptx_block_has_shared(e)) {
        ptx_block_begin_each(e);
        ptx_block_scatter(e);
        ptx_line(e, "}");
    }
    ptx_line(e, "clem_leave_turn(clem_turn, clem_moved);");
    ptx_line(e, "return;");
}

static void write_other_way(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->regions;
    if (r->facts->yields && !never_straight(r))
        write_yielding(e);
    if (never_straight(r)) {
        ptx_turn_unless_resumed(e);
        ptx_line(e, "for (uint i = 0; i < clem_threads; i++)");
        ptx_line(e, "    clem_state[i] = 0u;");
    }
    if (r->facts->is_straight || e->status != PTX_OK)
        return;
    if (ptx_block_has_warps(r->facts)) {
        ptx_block_warps(e);
        return;
    }
    if (!never_straight(r))
        part_alone(e);
    write_alone(e);
}

/* Registers of which all threads have one are kept where a region that may be on either way changes them. */
static void find_kept(struct ptx_emitter *e)
{
    struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_regions *r = writer->facts->straight;
    const size_t count = e->function->register_count;
    writer->is_kept = ptx_arena_array(e->arena, count + 1, sizeof *writer->is_kept);
    bool *reads = ptx_arena_array(e->arena, count + 1, sizeof *reads);
    bool *writes = ptx_arena_array(e->arena, count + 1, sizeof *writes);
    for (size_t i = 0; i < r->count; i++) {
        const struct ptx_region *region = &r->all[i];
        if (ptx_block_has_loops(writer->facts, region) || !ptx_block_has_warps(writer->facts))
            continue;
        memset(reads, 0, count * sizeof *reads);
        memset(writes, 0, count * sizeof *writes);
        if (region->step) {
            ptx_flow_reads(region->step, need, reads);
            ptx_flow_writes(region->step, need, writes);
        }
        for (uint32_t j = 0; j < count; j++)
            writer->is_kept[j] |= ptx_keep_is_shared(r->facts->keeps[j]) &&
                                  (writes[j] || region->written[j]) &&
                                  (reads[j] || ptx_flow_is_live(r->flow, region->head, j));
    }
}

/* Nobody has written to local memory yet. */
static void empty_locals(struct ptx_emitter *e)
{
    if (!(e->target->checks & PTX_CHECK_INIT) || e->plan->local_bytes == 0)
        return;
    ptx_turn_unless_resumed(e);
    ptx_line(e, "for (ulong i = 0ul; i < %zuul * clem_threads; i++)", ptx_local_stride(e));
    ptx_line(e, "    clem_locals[i] = (uchar)0;");
}

/* Nothing of what alloca takes from is taken. */
static void empty_stacks(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    if (!plan->has_stack)
        return;
    ptx_turn_unless_resumed(e);
    ptx_line(e, "for (uint i = 0; i < clem_threads; i++)");
    const size_t bytes = ptx_local_stride(e);
    ptx_line(
        e, "    %s;",
        ptx_empty_stack(e, "CLEM_SCRATCH uint",
                        ptx_format(e, "clem_locals + i * %zuu + %zuu", bytes, plan->stack_at)));
}

/* What is done for all threads at once is told of as all of theirs. */
static void begin_check(struct ptx_emitter *e)
{
    ptx_line(e, "const uint clem_index = CLEM_CHECK_ALL;");
    ptx_line(e, "(void)clem_index;");
    ptx_check_shadow(e);
    ptx_turn_unless_resumed(e);
    ptx_check_event(e, "CLEM_CHECK_BEGIN", "CLEM_SHARED_BEGIN", NULL);
}

void ptx_block_kernel(struct ptx_emitter *e, struct ptx_body *entry)
{
    struct ptx_block_writer *writer = e->block_writer;
    ptx_enter_body(e, entry);
    check_calls(e);
    writer->facts = ptx_block_cut(e, entry->function);
    ptx_block_take_way(writer, PTX_WAY_STRAIGHT);
    writer->region = NULL;
    find_kept(e);
    const struct ptx_regions *r = writer->regions;
    if (writer->facts->parted->count > MOST_REGIONS)
        ptx_refuse(e, "%zu barriers and warp operations are too many",
                   writer->facts->parted->count);
    if (e->status != PTX_OK)
        return;
    ptx_line(e, "{");
    name_block(e);
    ptx_turn_begin(e);
    ptx_block_declare_arrays(e);
    if (r->facts->shrinks)
        ptx_line(e, "uint4 clem_live = (uint4)(clem_grid.s456, clem_threads);");
    ptx_block_declare_shared(e);
    empty_locals(e);
    empty_stacks(e);
    if (e->target->checks)
        begin_check(e);
    write_constants(e);
    if (ptx_block_has_warps(r->facts))
        ptx_block_declare_warps(e);
    else if (!r->facts->is_straight)
        ptx_line(e, "uint clem_region = 0u;");
    if (!ptx_block_has_warps(r->facts) && !r->facts->is_straight)
        ptx_turn_resume(e, NULL);
    for (size_t i = 0; i < r->count && !never_straight(r) && e->status == PTX_OK; i++)
        if (ptx_block_has_loops(r->facts, &r->all[i]))
            write_straight(e, i);
    write_other_way(e);
    ptx_line(e, "}");
}
