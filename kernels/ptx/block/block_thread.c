/* The text of a region for one thread: its registers, its nodes, and where it goes from there, on each way.
 *
 * clem_state holds, for each thread, the region that it goes on with, and whether it waits there:
 * CLEM_AT_WARP for the other lanes of its member mask, CLEM_AT_BARRIER for other threads; then clem_wait
 * says what for. CLEM_SPUN: it waits in a loop, and lets the others go first. CLEM_ENDED: the thread has ended.
 * library/block.cl knows the same.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"
#include "kernels/ptx/emit/access.h"

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

void ptx_block_take_way(struct ptx_block_writer *writer, enum ptx_way way)
{
    writer->way = way;
    writer->regions = way == PTX_WAY_STRAIGHT || way == PTX_WAY_EITHER ? writer->facts->straight
                                                                       : writer->facts->parted;
}

/* Whether all that are not go warp by warp. Else there is no parted way, or threads part to go on alone. */
bool ptx_block_has_warps(const struct ptx_block_facts *facts)
{
    return !facts->is_straight && !facts->never_meets;
}

bool ptx_block_has_loops(const struct ptx_block_facts *facts, const struct ptx_region *region)
{
    const bool reduces =
        region->step && ptx_is_barrier(region->step) && ptx_barrier_reduces(region->step);
    return !facts->has_parts && (!ptx_block_has_warps(facts) || region->is_wide ||
                                 region->is_short || !region->is_alike || reduces);
}

static const char *way_name(const struct ptx_block_writer *writer)
{
    return writer->way == PTX_WAY_STRAIGHT ? "S" : writer->way == PTX_WAY_EITHER ? "E" : "W";
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

bool ptx_block_waits_for_block(const struct ptx_region *region)
{
    return region->step && ptx_is_barrier(region->step) && !ptx_barrier_arrives(region->step);
}

/* Whether its threads may go on to what they must wait for. */
bool ptx_block_notes_wait(const struct ptx_block_writer *writer)
{
    const struct ptx_region *region = writer->region;
    for (size_t i = 0; i < region->target_count; i++) {
        const struct ptx_region *to = &writer->regions->all[region->targets[i]];
        if (ptx_block_notes_state(writer) && (waits_for_warp(to) || ptx_block_waits_for_block(to)))
            return true;
    }
    return false;
}

/* The state of threads that go to a region, of either way. */
const char *ptx_block_state_value(struct ptx_emitter *e, const struct ptx_region *region)
{
    return ptx_format(e, "%uu%s", (unsigned)ptx_region_number(e->block_writer->facts, region),
                      waits_for_warp(region)              ? " | CLEM_AT_WARP"
                      : ptx_block_waits_for_block(region) ? " | CLEM_AT_BARRIER"
                                                          : "");
}

/* On the straight way threads note which of their region's targets they go to, in few bytes. */
unsigned ptx_block_way_of(const struct ptx_region *region, uint32_t target)
{
    unsigned way = 0;
    while (region->targets[way] != target)
        way++;
    return way;
}

/* Two ways can be told apart by how many threads take the second. */
bool ptx_block_has_two_ways(const struct ptx_region *region)
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

/* To the region's end, if something stands between. */
static const char *end_text(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    return writer->is_at_end ? ""
                             : ptx_format(e, "goto %sD%u;", way_name(writer),
                                          (unsigned)(writer->region - writer->regions->all));
}

static const char *go_text(struct ptx_emitter *e, uint32_t target)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_region *region = writer->region, *to = &writer->regions->all[target];
    const char *jump = end_text(e);
    if (!ptx_block_notes_state(writer))
        return region->target_count + region->leaves < 2
                   ? jump
                   : ptx_format(e, "{ clem_go = %uu; %s }", (unsigned)target, jump);
    const char *wait = "";
    if (waits_for_warp(to))
        wait = ptx_format(e, "clem_for = %s; ", ptx_value(e, ptx_member_mask(to->step), PTX_U32));
    else if (ptx_block_waits_for_block(to))
        wait = ptx_format(e, "clem_for = %s; ", ptx_block_barrier_wait(e, to->step));
    const char *next =
        writer->way == PTX_WAY_STRAIGHT
            ? ptx_format(e, "%uu", ptx_block_way_of(region, target))
            : ptx_format(e, "%s%s", ptx_block_state_value(e, to), spun_text(writer, to->head));
    return ptx_format(e, "{ clem_next = %s; %s%s }", next, wait, jump);
}

static const char *leave_text(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_region *region = writer->region;
    if (writer->way == PTX_WAY_ALONE)
        return "goto WE;";
    const char *jump = end_text(e);
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
        if (!waits_for_warp(to) && !ptx_block_waits_for_block(to))
            continue;
        ptx_flow_reads(to->step, need, wanted);
    }
}

/* ptx_block_write_thread() gives them back. */
struct ptx_block_needs ptx_block_find_needs(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_regions *r = writer->regions;
    const struct ptx_region *region = writer->region;
    const size_t count = e->function->register_count;
    struct ptx_block_needs n = {ptx_arena_lend(e->arena, count + 1, sizeof(bool)),
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
        n.loads[i] |= n.stores[i] && r->facts->keeps[i] == PTX_KEEP_OFFSET &&
                      (writer->way == PTX_WAY_STRAIGHT || writer->way == PTX_WAY_EITHER);
    }
    ptx_arena_return(e->arena, made);
    return n;
}

void ptx_block_declare_thread(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    if (writer->way == PTX_WAY_STRAIGHT && ptx_block_notes_state(writer))
        ptx_line(e, "uint clem_next = %s%s;", ptx_block_ended_value(e),
                 ptx_block_notes_wait(writer) ? ", clem_for = 0u" : "");
    if (writer->way == PTX_WAY_ALONE && writer->facts->waits)
        ptx_line(e, "uint clem_next = CLEM_ENDED;");
    if (writer->region->turns)
        ptx_line(e, "uint clem_turns = 0u;");
    if (writer->way == PTX_WAY_STRAIGHT || writer->way == PTX_WAY_ALONE)
        ptx_block_name_local(e);
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

void ptx_block_begin_firsts(struct ptx_emitter *e, size_t count)
{
    if (count == 0)
        return;
    ptx_line(e, "ulong clem_places[%zu];", count);
    ptx_line(e, "uint clem_owners[%zu];", count);
    if (e->target->checks)
        ptx_line(e, "uint clem_tellers[%zu];", count);
    ptx_line(e, "for (uint i = 0; i < %zuu; i++)", count);
    ptx_line(e, "    clem_owners[i] = ~0u;");
}

/* Checks are told of the first one of each warp: warps come in no order. */
static void write_told(struct ptx_emitter *e, const struct ptx_instruction *in, size_t number,
                       const char *guard)
{
    const char *owns = ptx_format(e, "if (clem_owners[%zu] == clem_index) ", number);
    ptx_line(e, "%sclem_tellers[%zu] = ~0u;", owns, number);
    ptx_line(e, "if (%sclem_tellers[%zu] != clem_index / 32u) {", guard, number);
    ptx_line(e, "clem_tellers[%zu] = clem_index / 32u;", number);
    e->store_condition = owns;
    ptx_emit_instruction(e, in);
    e->store_condition = NULL;
    ptx_line(e, "}");
}

/* Of threads side by side that store at one place the first one's value stays. */
static void write_contended(struct ptx_emitter *e, const struct ptx_instruction *in, size_t number)
{
    const int32_t index = in->operands[0].index;
    const char *place =
        index < 0 ? "0ul" : ptx_format(e, "(ulong)%s", ptx_register_name(e, (uint32_t)index, 0));
    const char *guard = "";
    if (in->guard >= 0)
        guard = ptx_format(e, "%s%s && ", in->guard_negated ? "!" : "",
                           ptx_register_name(e, (uint32_t)in->guard, 0));
    ptx_line(e, "if (%s(clem_owners[%zu] == ~0u || clem_places[%zu] != %s))", guard, number, number,
             place);
    ptx_line(e, "    clem_places[%zu] = %s, clem_owners[%zu] = clem_index;", number, place, number);
    if (e->target->checks) {
        write_told(e, in, number, guard);
        return;
    }
    ptx_line(e, "if (clem_owners[%zu] == clem_index) {", number);
    ptx_emit_instruction(e, in);
    ptx_line(e, "}");
}

static void write_instruction(struct ptx_emitter *e, size_t instruction)
{
    struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_regions *r = writer->regions;
    const struct ptx_body *body = ptx_current_body(e);
    const struct ptx_instruction *in = &r->flow->function->instructions[instruction];
    if (writer->way != PTX_WAY_ALONE && !(body->is_copied && body->is_copied[instruction]) &&
        ptx_block_is_contended(r, instruction))
        write_contended(e, in, writer->contended++);
    else
        ptx_emit_instruction(e, in);
}

void ptx_block_write_node(struct ptx_emitter *e, size_t place)
{
    struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_flow *flow = writer->regions->flow;
    const struct ptx_region *region = writer->region;
    const struct ptx_node *node = &flow->nodes[region->nodes[place]];
    writer->node = region->nodes[place];
    ptx_text_add(e->out, "%s%d:;\n", way_name(writer), (int)region->nodes[place]);
    const bool is_last = place + 1 == region->node_count && writer->way != PTX_WAY_ALONE;
    for (uint32_t i = node->first; i < node->end && e->status == PTX_OK; i++) {
        const struct ptx_instruction *in = &flow->function->instructions[i];
        writer->is_at_end =
            is_last && i + 1 == node->end && in->guard < 0 && in->opcode != PTX_OPCODE_brx;
        e->run_end = &flow->function->instructions[node->end];
        write_instruction(e, i);
    }
    e->run_end = e->told = e->told_end = NULL;
    writer->is_at_end = false;
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
    if (follows)
        return;
    writer->is_at_end = is_last;
    const char *edge = edge_text(e, next);
    writer->is_at_end = false;
    if (*edge)
        ptx_line(e, "%s", ptx_access_text(e, PTX_ACCESS_BRANCH, edge));
}

static void set(void *with, uint32_t index, bool is_whole)
{
    ((bool *)with)[index] |= is_whole;
}

/* Registers that all threads of a region set: at its head. */
static void find_set(const struct ptx_block_writer *writer, bool *is_set)
{
    const struct ptx_flow *flow = writer->regions->flow;
    const struct ptx_node *head = &flow->nodes[writer->region->head];
    for (uint32_t i = head->first; i < head->end; i++)
        if (&flow->function->instructions[i] != writer->region->step)
            ptx_flow_writes(&flow->function->instructions[i], set, is_set);
}

void ptx_block_write_thread(struct ptx_emitter *e, const struct ptx_block_needs n)
{
    struct ptx_block_writer *writer = e->block_writer;
    bool *is_set = ptx_arena_lend(e->arena, e->function->register_count + 1, sizeof *is_set);
    find_set(writer, is_set);
    ptx_block_declare_thread(e);
    writer->contended = 0;
    writer->is_set = is_set;
    ptx_block_load(e, n.loads, n.declared);
    writer->is_set = NULL;
    ptx_arena_return(e->arena, is_set);
    for (size_t i = 0; i < writer->region->node_count; i++)
        ptx_block_write_node(e, i);
    ptx_text_add(e->out, "%sD%u:;\n", way_name(writer),
                 (unsigned)(writer->region - writer->regions->all));
    ptx_block_store(e, n.stores);
    ptx_arena_return(e->arena, n.stores);
    ptx_arena_return(e->arena, n.loads);
    ptx_arena_return(e->arena, n.declared);
}

void ptx_block_thread(struct ptx_emitter *e)
{
    ptx_block_write_thread(e, ptx_block_find_needs(e));
}

/* ---- All threads ---- */

/* The numbers of thread clem_number, for which begin_threads() has loops. */
void ptx_block_name_thread(struct ptx_emitter *e)
{
    ptx_line(e, "%s(clem_number)",
             e->block_writer->facts->joins_blocks ? "CLEM_JOINED_THREAD" : "CLEM_THREAD");
}

/* Threads that are not on the straight way. */
void ptx_block_pass_over_ended(struct ptx_emitter *e, const char *action)
{
    if (!e->block_writer->facts->shrinks)
        return;
    ptx_line(e, "if (clem_tid_x >= clem_live.s0 || clem_tid_y >= clem_live.s1 || "
                "clem_tid_z >= clem_live.s2) {");
    ptx_line(e, "%scontinue;", action);
    ptx_line(e, "}");
}

void ptx_block_begin_each(struct ptx_emitter *e)
{
    ptx_text_put(e->out, PTX_BLOCK_PLAIN_LOOP);
    ptx_line(e, "for (uint clem_number = 0; clem_number < clem_threads; clem_number++) {");
    ptx_block_name_thread(e);
}
