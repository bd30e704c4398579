/* PTX_FORM_BLOCK: the text of a kernel that runs whole CUDA blocks. See block.h for how.
 *
 * clem_state holds, for each thread, the region that it goes on with, and whether it waits there:
 * CLEM_AT_WARP for the other lanes of its member mask, CLEM_AT_BARRIER for other threads; then clem_wait
 * says what for. CLEM_SPUN: it waits in a loop, and lets the others go first. CLEM_ENDED: the thread has ended.
 * library/block.cl knows the same.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"
#include "kernels/ptx/emit/access.h"

#include <string.h>

/* More text than this is too much for compilers, whatever it does. */
enum { MOST_REGIONS = 4096 };

/* ---- Hooks ---- */

static const char *const specials[PTX_SPECIAL_OTHER + 1] = {
    [PTX_TID_X] = "clem_tid_x",
    [PTX_TID_Y] = "clem_tid_y",
    [PTX_TID_Z] = "clem_tid_z",
    [PTX_NTID_X] = "clem_grid.s4",
    [PTX_NTID_Y] = "clem_grid.s5",
    [PTX_NTID_Z] = "clem_grid.s6",
    [PTX_CTAID_X] = "clem_ctaid_x",
    [PTX_CTAID_Y] = "clem_ctaid_y",
    [PTX_CTAID_Z] = "clem_ctaid_z",
    [PTX_NCTAID_X] = "clem_grid.s0",
    [PTX_NCTAID_Y] = "clem_grid.s1",
    [PTX_NCTAID_Z] = "clem_grid.s2",
    [PTX_LANEID] = "(clem_index & 31u)",
    [PTX_WARPID] = "(clem_index >> 5)",
    [PTX_NWARPID] = "((clem_grid.s4 * clem_grid.s5 * clem_grid.s6 + 31u) >> 5)",
    [PTX_LANEMASK_EQ] = "(1u << (clem_index & 31u))",
    [PTX_LANEMASK_LT] = "((1u << (clem_index & 31u)) - 1u)",
    [PTX_LANEMASK_LE] = "((2u << (clem_index & 31u)) - 1u)",
    [PTX_LANEMASK_GE] = "(~0u << (clem_index & 31u))",
    [PTX_LANEMASK_GT] = "(~1u << (clem_index & 31u))",
};

const char *ptx_block_special(enum ptx_special special)
{
    return specials[special];
}

static const char *special_value(struct ptx_emitter *e, enum ptx_special special)
{
    (void)e;
    return ptx_block_special(special);
}

static void take_way(struct ptx_block_writer *writer, enum ptx_way way)
{
    writer->way = way;
    writer->regions = way == PTX_WAY_STRAIGHT ? writer->facts->straight : writer->facts->parted;
}

static const char *way_name(const struct ptx_block_writer *writer)
{
    return writer->way == PTX_WAY_STRAIGHT ? "S" : "W";
}

const char *ptx_block_barrier_wait(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_barrier_operands o = ptx_barrier_operands_of(step);
    const char *number = o.number ? ptx_value(e, o.number, PTX_U32) : "0u";
    if (!o.threads && !o.predicate)
        return ptx_format(e, "%s & 15u", number);
    return ptx_format(e, "(%s & 15u) | (%s) << 4 | (uint)(%s) << 31", number,
                      o.threads ? ptx_value(e, o.threads, PTX_U32) : "0u",
                      o.predicate ? ptx_predicate(e, o.predicate) : "0");
}

static bool waits_for_warp(const struct ptx_region *region)
{
    return region->step && !ptx_is_barrier(region->step) && ptx_member_mask(region->step);
}

static bool waits_for_block(const struct ptx_region *region)
{
    return region->step && ptx_is_barrier(region->step) && !ptx_barrier_arrives(region->step);
}

/* Whether its threads may go on to what they must wait for. */
static bool notes_wait(const struct ptx_block_writer *writer)
{
    const struct ptx_region *region = writer->region;
    for (size_t i = 0; i < region->target_count; i++) {
        const struct ptx_region *to = &writer->regions->all[region->targets[i]];
        if (ptx_block_notes_state(writer) && (waits_for_warp(to) || waits_for_block(to)))
            return true;
    }
    return false;
}

/* The state of threads that go to a region, of either way. */
static const char *state_value(struct ptx_emitter *e, const struct ptx_region *region)
{
    return ptx_format(e, "%uu%s", (unsigned)e->block_writer->facts->parted->region_of[region->head],
                      waits_for_warp(region)    ? " | CLEM_AT_WARP"
                      : waits_for_block(region) ? " | CLEM_AT_BARRIER"
                                                : "");
}

/* On the straight way threads note which of their region's targets they go to, in few bytes. */
static unsigned way_of(const struct ptx_region *region, uint32_t target)
{
    unsigned way = 0;
    while (region->targets[way] != target)
        way++;
    return way;
}

/* Two ways can be told apart by how many threads take the second. */
static bool has_two_ways(const struct ptx_region *region)
{
    return region->target_count + region->leaves == 2 && !region->turns;
}

/* Whether the node being written leads back to where a loop begins in which threads wait. */
static bool waits_again(const struct ptx_block_writer *writer, int32_t to)
{
    const struct ptx_regions *r = writer->regions;
    const struct ptx_region *region = &r->all[r->region_of[to]];
    return region->waits && region->head == to &&
           r->flow->position[to] <= r->flow->position[writer->node];
}

/* The same of a loop within the region being written, of which a thread takes many turns at a time. */
static bool turns_again(const struct ptx_block_writer *writer, int32_t to)
{
    const struct ptx_regions *r = writer->regions;
    return r->is_turn[to] && &r->all[r->region_of[to]] == writer->region &&
           r->flow->position[to] <= r->flow->position[writer->node];
}

/* Warp by warp: a thread that has had its turns lets others go. */
static const char *spun_text(const struct ptx_block_writer *writer, int32_t to)
{
    if (!waits_again(writer, to))
        return "";
    return turns_again(writer, to) ? " | CLEM_SPUN"
                                   : " | (clem_steps < clem_patience ? 0u : CLEM_SPUN)";
}

static const char *go_text(struct ptx_emitter *e, uint32_t target)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_region *region = writer->region, *to = &writer->regions->all[target];
    const char *jump =
        ptx_format(e, "goto %sD%u;", way_name(writer), (unsigned)(region - writer->regions->all));
    if (!ptx_block_notes_state(writer))
        return region->target_count + region->leaves < 2
                   ? jump
                   : ptx_format(e, "{ clem_go = %uu; %s }", (unsigned)target, jump);
    const char *wait = "";
    if (waits_for_warp(to))
        wait = ptx_format(e, "clem_for = %s; ", ptx_value(e, ptx_member_mask(to->step), PTX_U32));
    else if (waits_for_block(to))
        wait = ptx_format(e, "clem_for = %s; ", ptx_block_barrier_wait(e, to->step));
    const char *next = writer->way == PTX_WAY_STRAIGHT
                           ? ptx_format(e, "%uu", way_of(region, target))
                           : ptx_format(e, "%s%s", state_value(e, to), spun_text(writer, to->head));
    return ptx_format(e, "{ clem_next = %s; %s%s }", next, wait, jump);
}

static const char *leave_text(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_region *region = writer->region;
    if (writer->way == PTX_WAY_ALONE)
        return "goto WE;";
    const char *jump =
        ptx_format(e, "goto %sD%u;", way_name(writer), (unsigned)(region - writer->regions->all));
    if (ptx_block_notes_state(writer))
        return ptx_format(e, "{ clem_next = %s; %s }", ptx_block_ended_value(e), jump);
    /* A list of targets that stands last may seem to be left at its end, though no thread ends there. */
    return region->target_count + region->leaves < 2
               ? jump
               : ptx_format(e, "{ clem_go = CLEM_ENDED; %s }", jump);
}

/* A thread takes as many turns as it may, then leaves the loop. */
static const char *turn_text(struct ptx_emitter *e, int32_t to)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_region *region = writer->region;
    uint32_t target = (uint32_t)writer->regions->region_of[to];
    for (size_t i = region->target_count - region->exit_count; i < region->target_count; i++)
        if (writer->regions->all[region->targets[i]].head == to)
            target = region->targets[i];
    const char *leave = writer->way == PTX_WAY_ALONE
                            ? ptx_format(e, "clem_next = %uu; goto WE;", (unsigned)target)
                            : go_text(e, target);
    return ptx_format(e, "{ if (++clem_turns < CLEM_TURNS) goto %s%d; %s }", way_name(writer),
                      (int)to, leave);
}

static const char *edge_text(struct ptx_emitter *e, int32_t to)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_regions *r = writer->regions;
    if (to == PTX_NO_NODE || ptx_flow_only_leaves(r->flow, to))
        return leave_text(e);
    if (writer->way == PTX_WAY_ALONE ? waits_again(writer, to) : turns_again(writer, to))
        return turn_text(e, to);
    if (writer->way == PTX_WAY_ALONE ||
        (&r->all[r->region_of[to]] == writer->region && writer->region->head != to))
        return ptx_format(e, "goto %s%d;", way_name(writer), (int)to);
    return go_text(e, (uint32_t)r->region_of[to]);
}

static const char *leave_hook(struct ptx_emitter *e)
{
    return e->function->is_entry ? leave_text(e) : NULL;
}

static const char *jump_hook(struct ptx_emitter *e, uint32_t label)
{
    const struct ptx_regions *r = e->block_writer->regions;
    if (!e->function->is_entry)
        return NULL;
    return edge_text(e, r->flow->node_of[e->function->labels[label].instruction]);
}

/* Steps are written before the rest of their region, constants before all regions. */
static bool instruction_hook(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_block_writer *writer = e->block_writer;
    if (!e->function->is_entry || !writer->region)
        return false;
    if (in == writer->region->step)
        return true;
    if (ptx_destination_count(in) != 1 || in->operands[0].kind != PTX_OPERAND_REGISTER)
        return false;
    const uint32_t index = (uint32_t)in->operands[0].index;
    return writer->facts->keeps[index] == PTX_KEEP_CONSTANT;
}

static const struct ptx_form_hooks hooks = {
    .instruction = instruction_hook,
    .special = special_value,
    .leave = leave_hook,
    .jump = jump_hook,
};

void ptx_block_prepare(struct ptx_emitter *e)
{
    e->hooks = &hooks;
    e->block_writer = ptx_arena_take(e->arena, sizeof(struct ptx_block_writer));
    e->plan->launch_parameters =
        "uint clem_index, uint clem_tid_x, uint clem_tid_y, uint clem_tid_z, uint clem_ctaid_x, "
        "uint clem_ctaid_y, uint clem_ctaid_z, uint8 clem_grid";
    e->plan->launch_names = "clem_index, clem_tid_x, clem_tid_y, clem_tid_z, clem_ctaid_x, "
                            "clem_ctaid_y, clem_ctaid_z, clem_grid";
}

/* ---- The body of a region for one thread ---- */

struct needs {
    bool *loads, *stores, *declared;
};

static void need(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

/* What waits are made of must be at hand where the region's threads note them. */
static void need_waits(struct ptx_emitter *e, bool *wanted)
{
    const struct ptx_block_writer *writer = e->block_writer;
    for (size_t i = 0; i < writer->region->target_count && ptx_block_notes_state(writer); i++) {
        const struct ptx_region *to = &writer->regions->all[writer->region->targets[i]];
        if (!waits_for_warp(to) && !waits_for_block(to))
            continue;
        ptx_flow_reads(to->step, need, wanted);
    }
}

/* write_thread() gives them back. */
static struct needs find_needs(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_regions *r = writer->regions;
    const struct ptx_region *region = writer->region;
    const size_t count = e->function->register_count;
    struct needs n = {ptx_arena_lend(e->arena, count + 1, sizeof(bool)),
                      ptx_arena_lend(e->arena, count + 1, sizeof(bool)),
                      ptx_arena_lend(e->arena, count + 1, sizeof(bool))};
    bool *made = ptx_arena_lend(e->arena, count + 1, sizeof *made);
    if (region->step)
        ptx_flow_writes(region->step, need, made);
    need_waits(e, n.declared);
    for (uint32_t i = 0; i < count; i++) {
        bool is_wanted = false;
        for (size_t j = 0; j < region->target_count && !is_wanted; j++)
            is_wanted = ptx_flow_is_live(r->flow, r->all[region->targets[j]].head, i);
        n.declared[i] |= region->touched[i];
        n.loads[i] = (ptx_flow_is_live(r->flow, region->head, i) || made[i]) && n.declared[i];
        n.stores[i] = region->written[i] && is_wanted;
        n.loads[i] |=
            n.stores[i] && r->facts->keeps[i] == PTX_KEEP_OFFSET && writer->way == PTX_WAY_STRAIGHT;
    }
    ptx_arena_return(e->arena, made);
    return n;
}

static void declare_thread(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_plan *plan = e->plan;
    if (ptx_block_notes_state(writer))
        ptx_line(e, "uint clem_next = %s%s;", ptx_block_ended_value(e),
                 notes_wait(writer) ? ", clem_for = 0u" : "");
    if (writer->way == PTX_WAY_ALONE && writer->facts->waits)
        ptx_line(e, "uint clem_next = CLEM_ENDED;");
    if (writer->region->turns)
        ptx_line(e, "uint clem_turns = 0u;");
    ptx_line(e, "CLEM_SCRATCH uchar *const clem_local = clem_locals + clem_index * %zuu;",
             (plan->local_bytes + 15) / 16 * 16);
    ptx_line(e, "(void)clem_local;");
    if (writer->region->has_call) {
        ptx_line(e, "uchar clem_exit_flag = 0, *const clem_exited = &clem_exit_flag;");
        ptx_declare_parameters(e);
    }
    if (ptx_uses_carry(e->function))
        ptx_line(e, "uint clem_carry = 0u;");
}

/* The node behind the present one. Code that no thread comes to is none: it may stand behind a list of targets. */
static int32_t next_node(const struct ptx_block_writer *writer, const struct ptx_node *node)
{
    const int32_t next = writer->regions->flow->node_of[node->end];
    return next == PTX_NO_NODE || writer->regions->region_of[next] == PTX_NO_NODE ? PTX_NO_NODE
                                                                                  : next;
}

static void write_node(struct ptx_emitter *e, size_t place)
{
    struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_flow *flow = writer->regions->flow;
    const struct ptx_region *region = writer->region;
    const struct ptx_node *node = &flow->nodes[region->nodes[place]];
    writer->node = region->nodes[place];
    ptx_text_add(e->out, "%s%d:;\n", way_name(writer), (int)region->nodes[place]);
    for (uint32_t i = node->first; i < node->end && e->status == PTX_OK; i++)
        ptx_emit_instruction(e, &flow->function->instructions[i]);
    const struct ptx_instruction *last = &flow->function->instructions[node->end - 1];
    const bool has_ended =
        last->guard < 0 && (last->opcode == PTX_OPCODE_bra || last->opcode == PTX_OPCODE_ret ||
                            last->opcode == PTX_OPCODE_exit || last->opcode == PTX_OPCODE_trap);
    if (has_ended)
        return;
    const int32_t next = next_node(writer, node);
    /* Not the next turn of a loop, which may come next where all of a kernel is one region. */
    const bool follows = place + 1 < region->node_count && region->nodes[place + 1] == next &&
                         next != PTX_NO_NODE && flow->position[next] > flow->position[writer->node];
    if (!follows)
        ptx_line(e, "%s", ptx_access_text(e, PTX_ACCESS_BRANCH, edge_text(e, next)));
}

static void write_thread(struct ptx_emitter *e, const struct needs n)
{
    const struct ptx_block_writer *writer = e->block_writer;
    declare_thread(e);
    ptx_block_load(e, n.loads, n.declared);
    for (size_t i = 0; i < writer->region->node_count; i++)
        write_node(e, i);
    ptx_text_add(e->out, "%sD%u:;\n", way_name(writer),
                 (unsigned)(writer->region - writer->regions->all));
    ptx_block_store(e, n.stores);
    ptx_arena_return(e->arena, n.stores);
    ptx_arena_return(e->arena, n.loads);
    ptx_arena_return(e->arena, n.declared);
    if (ptx_block_notes_state(writer)) {
        struct ptx_choice choice;
        if (writer->way == PTX_WAY_STRAIGHT)
            ptx_line(e, "%s%s;",
                     ptx_block_finds_way(e, &choice) ? "" : "clem_ways[clem_index] = clem_next, ",
                     has_two_ways(writer->region) ? "clem_any += clem_next"
                                                  : "clem_all &= clem_next, clem_any |= clem_next");
        else
            ptx_line(e, "clem_state[clem_index] = clem_next;");
        if (notes_wait(writer))
            ptx_line(e, "clem_wait[clem_index] = clem_for;");
    }
}

/* ---- The straight way ---- */

/* Threads between two barriers do not depend on each other, which compilers cannot see but may be told.
 * Not where calls keep parameters in variables of the loop's body. */
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
    if (!e->block_writer->region->has_call)
        ptx_text_put(e->out, "#pragma clang loop vectorize(assume_safety)\n");
    ptx_line(e, "for (uint clem_tid_x = 0; clem_tid_x < %s; clem_tid_x++) {",
             shrinks ? "clem_live.s0" : "clem_grid.s4");
    ptx_line(e,
             "const uint clem_index = (%s * clem_grid.s5 + clem_tid_y) * clem_grid.s4 + "
             "clem_tid_x;",
             joins_blocks ? "(clem_block * clem_grid.s6 + clem_tid_z)" : "clem_tid_z");
    if (joins_blocks)
        ptx_line(e, "const uint clem_ctaid_x = clem_first + clem_block;");
}

/* The numbers of thread clem_number, for which begin_threads() has loops. */
static void name_thread(struct ptx_emitter *e)
{
    ptx_line(e, "%s(clem_number)",
             e->block_writer->facts->joins_blocks ? "CLEM_JOINED_THREAD" : "CLEM_THREAD");
}

/* ---- From the straight way to the other and back ---- */

/* Registers that are one variable on the straight way and matter in a region. */
static void add_shared(struct ptx_emitter *e, uint32_t region, bool *wanted)
{
    const struct ptx_regions *r = e->block_writer->regions;
    for (uint32_t i = 0; i < e->function->register_count; i++)
        wanted[i] |= ptx_keep_is_shared(r->facts->keeps[i]) &&
                     ptx_flow_is_live(r->flow, r->all[region].head, i);
}

static bool is_any(const bool *flags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (flags[i])
            return true;
    return false;
}

static void write_states(struct ptx_emitter *e, const char *way)
{
    const struct ptx_region *region = e->block_writer->region;
    ptx_line(e, "switch (%s) {", way);
    for (size_t i = 0; i < region->target_count; i++)
        ptx_line(e, "case %zuu: clem_state[clem_index] = %s; break;", i,
                 state_value(e, &e->block_writer->regions->all[region->targets[i]]));
    ptx_line(e, "default: clem_state[clem_index] = CLEM_ENDED;");
    ptx_line(e, "}");
}

static const char *way_text(struct ptx_emitter *e, int32_t to)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_regions *r = writer->regions;
    if (to == PTX_NO_NODE || ptx_flow_only_leaves(r->flow, to))
        return ptx_block_ended_value(e);
    return ptx_format(e, "%uu", way_of(writer->region, (uint32_t)r->region_of[to]));
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

/* Threads that are not on the straight way. */
static void pass_over_ended(struct ptx_emitter *e, const char *action)
{
    if (!e->block_writer->facts->shrinks)
        return;
    ptx_line(e, "if (clem_tid_x >= clem_live.s0 || clem_tid_y >= clem_live.s1 || "
                "clem_tid_z >= clem_live.s2) {");
    ptx_line(e, "%scontinue;", action);
    ptx_line(e, "}");
}

/* Closed by "}". */
static void begin_each_thread(struct ptx_emitter *e)
{
    ptx_text_put(e->out, PTX_BLOCK_PLAIN_LOOP);
    ptx_line(e, "for (uint clem_number = 0; clem_number < clem_threads; clem_number++) {");
    name_thread(e);
}

/* Registers that are one variable on the straight way, for the threads that go on from here on their own. Those that
 * threads which part here may have different values in were stored by each. */
static bool *shared_of_targets(struct ptx_emitter *e)
{
    const struct ptx_region *region = e->block_writer->region;
    const size_t count = e->function->register_count;
    bool *wanted = ptx_arena_array(e->arena, count + 1, sizeof *wanted);
    for (size_t i = 0; i < region->target_count; i++)
        add_shared(e, region->targets[i], wanted);
    for (size_t i = 0; i < count; i++)
        wanted[i] &= !(region->split[i] && region->written[i]);
    return wanted;
}

/* From the straight way to the other: each thread gets its own of what all had in common, and its state. */
static void scatter_shared(struct ptx_emitter *e)
{
    const bool *wanted = shared_of_targets(e);
    bool *loads = ptx_block_offsets(e, wanted);
    bool *declared = ptx_arena_array(e->arena, e->function->register_count + 1, sizeof *declared);
    struct ptx_choice choice;
    const bool finds_way = ptx_block_finds_way(e, &choice);
    if (finds_way) {
        ptx_flow_reads(choice.comparison, need, loads);
        ptx_flow_writes(choice.comparison, need, declared);
    }
    begin_each_thread(e);
    pass_over_ended(e, "clem_state[clem_index] = CLEM_ENDED; ");
    ptx_block_load_common(e, loads, declared);
    write_states(e, finds_way ? choose_way(e, &choice) : "clem_ways[clem_index]");
    ptx_block_scatter(e, wanted);
    ptx_line(e, "}");
}

/* The other way round, for threads that go on with a region; clem_same says whether all agree on what they are to have
 * in common. */
static void gather_shared(struct ptx_emitter *e, uint32_t region)
{
    const size_t count = e->function->register_count;
    bool *wanted = ptx_arena_array(e->arena, count + 1, sizeof *wanted);
    add_shared(e, region, wanted);
    ptx_line(e, "uint clem_same = 1u;");
    if (!is_any(wanted, count))
        return;
    begin_each_thread(e);
    pass_over_ended(e, "");
    ptx_block_gather(e, wanted);
    ptx_line(e, "}");
}

static void write_targets(struct ptx_emitter *e, const char *chosen)
{
    const struct ptx_region *region = e->block_writer->region;
    ptx_line(e, "switch (%s) {", chosen);
    for (size_t i = 0; i < region->target_count - region->exit_count; i++)
        ptx_line(e, "case %uu: goto S_%u;",
                 region->is_decided ? (unsigned)region->targets[i] : (unsigned)i,
                 (unsigned)region->targets[i]);
    ptx_line(e, "default: return;");
    ptx_line(e, "}");
}

/* Whether all threads that have not ended can take the straight way, as clem_live says then. */
static const char *together_text(struct ptx_emitter *e)
{
    return ptx_format(e, "clem_is_together(clem_state, clem_grid, %uu, &clem_live)",
                      e->block_writer->facts->has_lanes);
}

/* Whether threads part: they go different ways, or have left a loop. */
static const char *parts_text(struct ptx_emitter *e)
{
    const struct ptx_region *region = e->block_writer->region;
    if (has_two_ways(region))
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
        scatter_shared(e);
        if (region->target_count == 1 && region->exit_count == 0 &&
            e->block_writer->facts->shrinks) {
            ptx_line(e, "if (%s)", together_text(e));
            ptx_line(e, "    goto S_%u;", (unsigned)region->targets[0]);
        }
        ptx_line(e, "goto clem_part;");
        ptx_line(e, "}");
        write_targets(e, has_two_ways(region) ? "(uint)(clem_any != 0u)" : "clem_any");
    } else if (region->target_count + region->leaves > 1) {
        write_targets(e, "clem_go");
    } else if (region->target_count == 1) {
        ptx_line(e, "goto S_%u;", (unsigned)region->targets[0]);
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
                 has_two_ways(writer->region) ? "" : "clem_all = ~0u, ");
    const struct needs n = find_needs(e);
    ptx_block_take_shared(e, n.loads);
    begin_threads(e);
    write_thread(e, n);
    ptx_line(e, "}");
    go_on(e);
    ptx_line(e, "}");
}

/* ---- Warp by warp ---- */

static void begin_active_lanes(struct ptx_emitter *e)
{
    ptx_text_put(e->out, PTX_BLOCK_PLAIN_LOOP);
    ptx_line(e, "for (uint clem_lane = 0; clem_lane < clem_lanes; clem_lane++) {");
    ptx_line(e, "if (!(clem_active >> clem_lane & 1u))");
    ptx_line(e, "    continue;");
    ptx_line(e, "CLEM_THREAD(clem_base + clem_lane)");
}

static void write_parted(struct ptx_emitter *e, size_t number)
{
    struct ptx_block_writer *writer = e->block_writer;
    writer->region = &writer->regions->all[number];
    ptx_line(e, "case %zuu: {", number);
    writer->is_lane_open = false;
    ptx_block_step(e);
    if (!writer->is_lane_open)
        begin_active_lanes(e);
    write_thread(e, find_needs(e));
    ptx_line(e, "}");
    if (writer->is_lane_open)
        ptx_line(e, "}");
    ptx_line(e, "break;");
    ptx_line(e, "}");
}

/* All regions that begin with nothing for lanes to do together, in one loop over lanes: compilers take
 * far longer over a loop than over another case in it. */
static void write_parted_stepless(struct ptx_emitter *e)
{
    struct ptx_block_writer *writer = e->block_writer;
    ptx_line(e, "default: {");
    begin_active_lanes(e);
    ptx_line(e, "switch (clem_region) {");
    for (size_t i = 0; i < writer->regions->count && e->status == PTX_OK; i++) {
        writer->region = &writer->regions->all[i];
        if (ptx_block_has_step(writer->region))
            continue;
        ptx_line(e, "case %zuu: {", i);
        ptx_block_pass_step(e);
        write_thread(e, find_needs(e));
        ptx_line(e, "break;");
        ptx_line(e, "}");
    }
    ptx_line(e, "}");
    ptx_line(e, "}");
    ptx_line(e, "}");
}

/* Back to the straight way where a barrier let all threads of the block go on together. */
static void write_reunions(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->regions;
    if (r->facts->has_parts)
        return;
    ptx_line(e, "if (%s)", together_text(e));
    ptx_line(e, "switch (clem_state[0]) {");
    for (size_t i = 0; i < r->count; i++) {
        if (!waits_for_block(&r->all[i]))
            continue;
        ptx_line(e, "case %zuu: {", i);
        gather_shared(e, (uint32_t)i);
        ptx_line(e, "if (clem_same)");
        ptx_line(e, "    goto S_%d;",
                 (int)e->block_writer->facts->straight->region_of[r->all[i].head]);
        ptx_line(e, "break;");
        ptx_line(e, "}");
    }
    ptx_line(e, "default: break;");
    ptx_line(e, "}");
}

static void write_warps(struct ptx_emitter *e)
{
    struct ptx_block_writer *writer = e->block_writer;
    const bool waits = writer->facts->waits;
    take_way(writer, PTX_WAY_PARTED);
    ptx_line(e, "%s",
             waits ? "for (uint clem_patience = CLEM_PATIENCE;; clem_patience = 4u) {"
                   : "for (;;) {");
    if (waits)
        ptx_line(e, "uint clem_left = 0u;");
    ptx_line(e, "for (uint clem_base = 0; clem_base < clem_threads; clem_base += 32u) {");
    ptx_line(e, "const uint clem_lanes = min(32u, clem_threads - clem_base);");
    if (waits)
        ptx_line(e, "uint clem_steps = 0u;");
    ptx_line(e, "for (uint clem_active;;%s) {", waits ? " clem_steps++" : "");
    ptx_keep_order(e);
    ptx_line(e,
             "const uint clem_region = %s(clem_state + clem_base, clem_wait + clem_base, "
             "clem_lanes, &clem_active%s);",
             waits ? "clem_choose_waiting" : "clem_choose_region", waits ? ", &clem_left" : "");
    ptx_line(e, "if (clem_region == CLEM_ENDED)");
    ptx_line(e, "    break;");
    ptx_line(e, "switch (clem_region) {");
    for (size_t i = 0; i < writer->regions->count && e->status == PTX_OK; i++)
        if (ptx_block_has_step(&writer->regions->all[i]))
            write_parted(e, i);
    write_parted_stepless(e);
    ptx_line(e, "}");
    ptx_line(e, "}");
    ptx_line(e, "}");
    ptx_line(e, "const uint clem_outcome = clem_release_barriers(clem_state, clem_wait, "
                "clem_threads, clem_arrived);");
    if (waits) {
        ptx_line(e,
                 "if (clem_outcome == CLEM_STUCK && clem_left && clem_has_failed(clem_runtime))");
        ptx_line(e, "    return;");
        ptx_line(e, "if (clem_outcome == CLEM_STUCK && clem_left)");
        ptx_line(e, "    continue;");
    }
    ptx_line(e, "if (clem_outcome == CLEM_STUCK)");
    ptx_line(e, "    clem_trap(clem_runtime);");
    ptx_line(e, "if (clem_outcome != CLEM_RELEASED)");
    ptx_line(e, "    return;");
    write_reunions(e);
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
    ptx_line(e, "clem_state[clem_index] = clem_next;");
}

static void write_alone(struct ptx_emitter *e)
{
    struct ptx_block_writer *writer = e->block_writer;
    take_way(writer, PTX_WAY_ALONE);
    const struct ptx_regions *r = writer->regions;
    bool *loads = ptx_arena_array(e->arena, e->function->register_count + 1, sizeof *loads);
    writer->region = whole_of(e, loads);
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
    name_thread(e);
    declare_thread(e);
    ptx_block_load(e, loads, writer->region->touched);
    ptx_line(e, "switch (clem_state[clem_index]) {");
    for (size_t i = 0; i < r->count; i++)
        if (ptx_region_is_entered(r, i))
            ptx_line(e, "case %zuu: goto W%d;", i, (int)r->all[i].head);
    ptx_line(e, "default: continue;");
    ptx_line(e, "}");
    for (size_t i = 0; i < writer->region->node_count; i++)
        write_node(e, i);
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
    ptx_line(e, "const uint3 clem_item = clem_item_of(get_global_id(2), %s, clem_grid.s1);",
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

static void write_other_way(struct ptx_emitter *e)
{
    const struct ptx_regions *r = e->block_writer->regions;
    if (never_straight(r)) {
        ptx_line(e, "for (uint i = 0; i < clem_threads; i++)");
        ptx_line(e, "    clem_state[i] = 0u;");
    } else if (!r->facts->is_straight) {
        ptx_text_put(e->out, "clem_part:;\n");
    }
    if (r->facts->is_straight || e->status != PTX_OK)
        return;
    if (r->facts->never_meets)
        write_alone(e);
    else
        write_warps(e);
}

/* Nothing of what alloca takes from is taken. */
static void empty_stacks(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    if (!plan->has_stack)
        return;
    ptx_line(e, "for (uint i = 0; i < clem_threads; i++)");
    const size_t bytes = (plan->local_bytes + 15) / 16 * 16;
    ptx_line(
        e, "    %s;",
        ptx_empty_stack(e, "CLEM_SCRATCH uint",
                        ptx_format(e, "clem_locals + i * %zuu + %zuu", bytes, plan->stack_at)));
}

void ptx_block_kernel(struct ptx_emitter *e, struct ptx_body *entry)
{
    struct ptx_block_writer *writer = e->block_writer;
    ptx_enter_body(e, entry);
    check_calls(e);
    writer->facts = ptx_block_cut(e, entry->function);
    take_way(writer, PTX_WAY_STRAIGHT);
    writer->region = NULL;
    const struct ptx_regions *r = writer->regions;
    if (writer->facts->parted->count > MOST_REGIONS)
        ptx_refuse(e, "%zu barriers and warp operations are too many",
                   writer->facts->parted->count);
    if (e->status != PTX_OK)
        return;
    ptx_line(e, "{");
    name_block(e);
    ptx_block_declare_arrays(e);
    if (r->facts->shrinks)
        ptx_line(e, "uint4 clem_live = (uint4)(clem_grid.s456, clem_threads);");
    ptx_block_declare_shared(e);
    empty_stacks(e);
    write_constants(e);
    if (!r->facts->is_straight && !r->facts->never_meets) {
        ptx_need(e, PTX_NEED_RUNTIME);
        ptx_line(e, "uint clem_arrived[16] = {0};");
    }
    for (size_t i = 0; i < r->count && !never_straight(r) && e->status == PTX_OK; i++)
        write_straight(e, i);
    write_other_way(e);
    ptx_line(e, "}");
}
