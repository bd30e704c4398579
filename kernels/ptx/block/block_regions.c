/* Cutting a kernel into regions, one way at a time, and what is known of the kernel as a whole.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/step.h"
#include "kernels/ptx/block/block.h"

/* Per instruction: where regions begin in any case. */
struct starts {
    const bool *in_step; /* where threads meet, and loops that they had better run in step */
    bool *waits;         /* loops in which threads wait for what others do */
    bool *either;
};

struct cutting {
    struct ptx_arena *arena;
    const struct starts *starts;
    bool is_straight;      /* the straight way is cut, not the other */
    struct ptx_regions *r; /* being made */
    bool *is_head;         /* per node: a region begins with it */
    bool *is_turned;       /* per node: see struct ptx_cuts */
    bool *is_avoided;      /* per node: some way out of its region may not come by it */
};

static bool is_step(const struct ptx_instruction *in)
{
    return ptx_is_barrier(in) || ptx_is_warp_operation(in);
}

/* ---- Which region a node belongs to ---- */

/* Whose threads come to a node: a region, here named by its head, or one of these. */
enum { NOBODY = PTX_NO_NODE, SEVERAL = NOBODY - 1 };

/* Of the regions that the nodes before it belong to, as far as that is known. */
static int32_t owner_before(const struct ptx_node *node, const int32_t *owners)
{
    int32_t owner = NOBODY;
    for (uint32_t i = 0; i < node->previous_count; i++) {
        const int32_t before = owners[node->previous[i]];
        if (before == NOBODY || before == owner)
            continue;
        if (owner != NOBODY)
            return SEVERAL;
        owner = before;
    }
    return owner;
}

/* In the order of the flow, so that for each node all but the loops that lead back to it are known. */
static void give_nodes(struct cutting *c, int32_t *owners)
{
    const struct ptx_flow *flow = c->r->flow;
    for (size_t i = 0; i < flow->count; i++)
        owners[i] = NOBODY;
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t node = flow->order[i];
        const int32_t owner = owner_before(&flow->nodes[node], owners);
        c->is_head[node] |= owner == SEVERAL;
        owners[node] = c->is_head[node] ? node : owner;
    }
}

/* Loops that lead back into the midst of another region begin their own there. Whether there are any. */
static bool add_heads_of_loops(struct cutting *c, const int32_t *owners)
{
    const struct ptx_flow *flow = c->r->flow;
    bool is_changed = false;
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t node = flow->order[i];
        if (c->is_head[node] || owner_before(&flow->nodes[node], owners) != SEVERAL)
            continue;
        c->is_head[node] = is_changed = true;
    }
    return is_changed;
}

static void mark_starts(struct cutting *c)
{
    const struct ptx_flow *flow = c->r->flow;
    const bool *starts = c->is_straight ? c->starts->in_step : c->starts->either;
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t node = flow->order[i];
        c->is_head[node] = i == 0 || starts[flow->nodes[node].first];
    }
}

/* Where each thread goes on alone all of the kernel is run at once, from some region's start on: all that is no start
 * is the first region's. */
static void give_all_to_first(const struct cutting *c, int32_t *owners)
{
    const struct ptx_flow *flow = c->r->flow;
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t node = flow->order[i];
        owners[node] = c->is_head[node] ? node : flow->order[0];
    }
}

/* The head of each node's region. A node that is entered from one region only belongs to it; one that is entered from
 * several begins its own, and none else: where threads begin on one way they may on the other, which begins more. */
static int32_t *find_heads(struct cutting *c)
{
    const struct ptx_flow *flow = c->r->flow;
    int32_t *owners = ptx_arena_array(c->arena, flow->count + 1, sizeof *owners);
    mark_starts(c);
    if (c->r->facts->starts_alone) {
        give_all_to_first(c, owners);
        return owners;
    }
    do {
        ptx_steps(c->arena, 2 * flow->reachable);
        give_nodes(c, owners);
    } while (add_heads_of_loops(c, owners));
    return owners;
}

static struct ptx_region region_from(const struct ptx_flow *flow, int32_t head)
{
    const struct ptx_instruction *first = &flow->function->instructions[flow->nodes[head].first];
    return (struct ptx_region){.head = head, .step = is_step(first) ? first : NULL};
}

/* Regions in the order of their heads, each with its nodes in theirs. */
static void list_regions(struct cutting *c, const int32_t *owners)
{
    struct ptx_regions *r = c->r;
    const struct ptx_flow *flow = r->flow;
    /* Behind them, where there are loops that wait, an exit for each: leave_turns(). */
    const size_t most = (r->facts->waits ? 2 : 1) * flow->reachable;
    r->all = ptx_arena_array(c->arena, most + 1, sizeof *r->all);
    r->region_of = ptx_arena_array(c->arena, flow->count + 1, sizeof *r->region_of);
    for (size_t i = 0; i < flow->count; i++)
        r->region_of[i] = PTX_NO_NODE;
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t node = flow->order[i];
        if (!c->is_head[node])
            continue;
        r->region_of[node] = (int32_t)r->count;
        r->all[r->count++] = region_from(flow, node);
    }
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t node = flow->order[i];
        r->region_of[node] = r->region_of[owners[node]];
        r->all[r->region_of[node]].node_count++;
    }
    for (size_t i = 0; i < r->count; i++) {
        struct ptx_region *region = &r->all[i];
        region->nodes = ptx_arena_array(c->arena, region->node_count, sizeof *region->nodes);
        region->node_count = 0;
    }
    for (size_t i = 0; i < flow->reachable; i++) {
        struct ptx_region *region = &r->all[r->region_of[flow->order[i]]];
        region->nodes[region->node_count++] = flow->order[i];
    }
}

/* ---- Where threads go from a region ---- */

/* Whether an edge stays within its region. */
static bool stays(const struct ptx_regions *r, int32_t from, int32_t to)
{
    return r->region_of[from] == r->region_of[to] && r->all[r->region_of[to]].head != to;
}

/* Goes along the edges that stay within a region and spreads a mark from the nodes that have it. */
static void spread(const struct ptx_regions *r, const struct ptx_region *region, bool *marks)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        ptx_steps(r->flow->arena, region->node_count);
        for (size_t i = 0; i < region->node_count; i++) {
            const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
            for (uint32_t j = 0; marks[region->nodes[i]] && j < node->next_count; j++) {
                const int32_t to = node->next[j];
                is_changed |= stays(r, region->nodes[i], to) && !marks[to];
                marks[to] |= stays(r, region->nodes[i], to);
            }
        }
    }
}

/* `seen` has the number + 1 of the last region that each was found to be a target of. */
static void find_targets(struct cutting *c, struct ptx_region *region, uint32_t *seen)
{
    const struct ptx_regions *r = c->r;
    const uint32_t mark = (uint32_t)(region - r->all) + 1;
    size_t most = region->turns ? region->node_count : 0;
    for (size_t i = 0; i < region->node_count; i++)
        most += r->flow->nodes[region->nodes[i]].next_count;
    region->targets = ptx_arena_array(c->arena, most, sizeof *region->targets);
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
        region->leaves |= node->leaves;
        for (uint32_t j = 0; j < node->next_count; j++) {
            const int32_t to = r->region_of[node->next[j]];
            if (stays(r, region->nodes[i], node->next[j]) || seen[to] == mark)
                continue;
            seen[to] = mark;
            region->targets[region->target_count++] = (uint32_t)to;
        }
    }
}

/* Where threads take several turns of a loop at a time: nothing makes them meet, and no stride makes it better that
 * they keep in step. */
static void find_turns(struct cutting *c)
{
    struct ptx_regions *r = c->r;
    r->is_turn = ptx_arena_array(c->arena, r->flow->count + 1, sizeof *r->is_turn);
    for (size_t i = 0; i < r->flow->reachable; i++) {
        const int32_t node = r->flow->order[i];
        const uint32_t first = r->flow->nodes[node].first;
        struct ptx_region *region = &r->all[r->region_of[node]];
        r->is_turn[node] = c->starts->waits[first] && !c->starts->in_step[first];
        region->waits |= c->starts->waits[first] && region->head == node;
        region->turns |= r->is_turn[node];
    }
}

/* What comes after the start of such a loop in its region is not for threads that have left it. Those go on from the
 * start: one more target for each loop, which is no region of this way. */
static void leave_turns(struct cutting *c, struct ptx_region *region)
{
    struct ptx_regions *r = c->r;
    for (size_t i = 0; i < region->node_count; i++) {
        const int32_t node = region->nodes[i];
        if (!r->is_turn[node])
            continue;
        c->is_turned[node] = true;
        if (node == region->head && !c->is_straight)
            continue; /* the region itself is that target */
        const size_t exit = r->count + r->exit_count++;
        r->all[exit].head = node;
        region->exit_count++;
        region->targets[region->target_count++] = (uint32_t)exit;
    }
    spread(r, region, c->is_turned);
}

/* ---- What all threads come by ---- */

/* Regions this large are not looked at node by node. */
enum { MOST_NODES = 256 };

struct reach {
    uint32_t *marks, *targets; /* per node, per region: the last walk that came there */
    uint32_t mark;
    int32_t *stack;
    bool *seen;
    bool comes_back; /* to where it began */
};

/* Walks within a region from a node, but not through another; regions it leads to are marked. */
static void reach_from(const struct ptx_regions *r, struct reach *w, int32_t from, int32_t avoided)
{
    size_t count = 0;
    w->mark++;
    w->comes_back = false;
    if (from != avoided)
        w->stack[count++] = from;
    while (count > 0) {
        const int32_t at = w->stack[--count];
        const struct ptx_node *node = &r->flow->nodes[at];
        ptx_steps(r->flow->arena, 1 + node->next_count);
        for (uint32_t i = 0; i < node->next_count; i++) {
            const int32_t to = node->next[i];
            if (!stays(r, at, to)) {
                w->targets[r->region_of[to]] = w->mark;
                continue;
            }
            w->comes_back |= to == from;
            if (to != avoided && w->marks[to] != w->mark) {
                w->marks[to] = w->mark;
                w->stack[count++] = to;
            }
        }
    }
}

static void look_around(struct cutting *c, const struct ptx_region *region, int32_t node,
                        struct reach *w)
{
    struct ptx_regions *r = c->r;
    const bool is_head = node == region->head;
    bool is_avoided = false, is_around = false;
    reach_from(r, w, region->head, node);
    for (size_t i = 0; i < region->target_count; i++) {
        w->seen[i] = w->targets[region->targets[i]] == w->mark;
        is_avoided |= w->seen[i];
    }
    reach_from(r, w, node, PTX_NO_NODE);
    for (size_t i = 0; i < region->target_count; i++)
        is_around |= w->seen[i] && w->targets[region->targets[i]] == w->mark;
    r->is_passed[node] = is_head || (!w->comes_back && !is_around);
    c->is_avoided[node] = is_avoided && !is_head;
}

static void find_passed(struct cutting *c)
{
    struct ptx_regions *r = c->r;
    struct reach w = {0};
    w.marks = ptx_arena_array(c->arena, r->flow->count + 1, sizeof *w.marks);
    w.targets = ptx_arena_array(c->arena, r->count + 1, sizeof *w.targets);
    w.stack = ptx_arena_array(c->arena, r->flow->count + 1, sizeof *w.stack);
    w.seen = ptx_arena_array(c->arena, r->count + 1, sizeof *w.seen);
    r->is_passed = ptx_arena_array(c->arena, r->flow->count + 1, sizeof *r->is_passed);
    c->is_avoided = ptx_arena_array(c->arena, r->flow->count + 1, sizeof *c->is_avoided);
    memset(c->is_avoided, true, r->flow->count);
    for (size_t i = 0; i < r->count; i++) {
        const struct ptx_region *region = &r->all[i];
        if (region->node_count > MOST_NODES || region->turns)
            continue;
        for (size_t j = 0; j < region->node_count; j++)
            look_around(c, region, region->nodes[j], &w);
    }
}

/* ---- Where threads in step stay in step ---- */

/* How many ways out of its region a node leads to, the end of threads being one. Two are enough. */
struct ways {
    int32_t first;
    bool has_first, has_more;
};

static void add_way(struct ways *w, int32_t way)
{
    w->has_more |= w->has_first && w->first != way;
    w->first = way;
    w->has_first = true;
}

static bool has_ways(const struct ptx_regions *r, int32_t from, uint32_t *marks, uint32_t mark,
                     int32_t *stack)
{
    struct ways ways = {0};
    size_t count = 0;
    stack[count++] = from;
    marks[from] = mark;
    while (count > 0 && !ways.has_more) {
        const int32_t at = stack[--count];
        ptx_steps(r->flow->arena, 1 + r->flow->nodes[at].next_count);
        const struct ptx_node *node = &r->flow->nodes[at];
        if (node->leaves)
            add_way(&ways, PTX_NO_NODE);
        for (uint32_t j = 0; j < node->next_count; j++) {
            const int32_t to = node->next[j];
            if (!stays(r, at, to)) {
                add_way(&ways, r->region_of[to]);
            } else if (marks[to] != mark) {
                marks[to] = mark;
                stack[count++] = to;
            }
        }
    }
    return ways.has_more;
}

/* Whether threads in step may go different ways from a node. */
static bool may_part(const struct ptx_regions *r, int32_t at)
{
    const struct ptx_node *node = &r->flow->nodes[at];
    const struct ptx_instruction *last = &r->flow->function->instructions[node->end - 1];
    if (node->leaves && node->next_count > 0 &&
        (last->opcode == PTX_OPCODE_call || last->guard < 0 || !r->uniform.registers[last->guard]))
        return true;
    return node->next_count > 1 && !r->uniform.branches[at];
}

static void decide_regions(struct cutting *c)
{
    const struct ptx_regions *r = c->r;
    uint32_t *marks = ptx_arena_array(c->arena, r->flow->count + 1, sizeof *marks), mark = 0;
    int32_t *stack = ptx_arena_array(c->arena, r->flow->count + 1, sizeof *stack);
    for (size_t i = 0; i < r->count; i++) {
        struct ptx_region *region = &r->all[i];
        region->is_decided = !region->turns;
        if (region->target_count + region->leaves < 2)
            continue;
        for (size_t j = 0; j < region->node_count && region->is_decided; j++)
            if (may_part(r, region->nodes[j]))
                region->is_decided = !has_ways(r, region->nodes[j], marks, ++mark, stack);
    }
}

/* ---- Registers that a region touches ---- */

static void touch(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

static void find_touched(struct cutting *c, struct ptx_region *region)
{
    const struct ptx_function *f = c->r->flow->function;
    region->touched = ptx_arena_array(c->arena, f->register_count + 1, sizeof(bool));
    region->written = ptx_arena_array(c->arena, f->register_count + 1, sizeof(bool));
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &c->r->flow->nodes[region->nodes[i]];
        for (uint32_t j = node->first; j < node->end; j++) {
            const struct ptx_instruction *in = &f->instructions[j];
            if (in == region->step)
                continue;
            region->has_call |= in->opcode == PTX_OPCODE_call;
            ptx_flow_reads(in, touch, region->touched);
            ptx_flow_writes(in, touch, region->touched);
            ptx_flow_writes(in, touch, region->written);
        }
    }
}

/* Marks the nodes that threads come to after some may have ended. */
static void find_late_nodes(const struct ptx_regions *r, const struct ptx_region *region,
                            bool *late)
{
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
        for (uint32_t j = 0; node->leaves && j < node->next_count; j++)
            late[node->next[j]] |= stays(r, region->nodes[i], node->next[j]);
    }
    spread(r, region, late);
}

static void find_late(struct cutting *c, struct ptx_region *region)
{
    const struct ptx_regions *r = c->r;
    const struct ptx_function *f = r->flow->function;
    bool *late = ptx_arena_array(c->arena, r->flow->count + 1, sizeof *late);
    region->late = ptx_arena_array(c->arena, f->register_count + 1, sizeof *region->late);
    region->split = ptx_arena_array(c->arena, f->register_count + 1, sizeof *region->split);
    find_late_nodes(r, region, late);
    for (size_t i = 0; i < region->node_count; i++) {
        const int32_t at = region->nodes[i];
        const bool is_divergent = r->uniform.is_divergent[at];
        for (uint32_t j = r->flow->nodes[at].first; j < r->flow->nodes[at].end; j++) {
            if (late[at] || is_divergent)
                ptx_flow_writes(&f->instructions[j], touch, region->late);
            if ((is_divergent || c->is_avoided[at]) && !region->is_decided)
                ptx_flow_writes(&f->instructions[j], touch, region->split);
        }
    }
}

/* ---- One way ---- */

static void find_uniformity(struct cutting *c)
{
    struct ptx_regions *r = c->r;
    const struct ptx_cuts cuts = {.region_of = r->region_of,
                                  .is_head = c->is_head,
                                  .is_passed = r->is_passed,
                                  .is_turned = c->is_turned,
                                  .joins_blocks = r->facts->joins_blocks};
    r->uniform = ptx_flow_uniformity_between(c->arena, r->flow, &cuts);
}

static struct ptx_regions *cut(struct ptx_emitter *e, const struct ptx_block_facts *facts,
                               const struct starts *starts, bool is_straight)
{
    struct cutting c = {.arena = e->arena, .starts = starts, .is_straight = is_straight};
    struct ptx_regions *r = c.r = ptx_arena_take(e->arena, sizeof *r);
    r->facts = facts;
    r->flow = facts->flow;
    c.is_head = ptx_arena_array(e->arena, r->flow->count + 1, sizeof *c.is_head);
    c.is_turned = ptx_arena_array(e->arena, r->flow->count + 1, sizeof *c.is_turned);
    list_regions(&c, find_heads(&c));
    find_turns(&c);
    uint32_t *seen = ptx_arena_array(e->arena, r->count + 1, sizeof *seen);
    for (size_t i = 0; i < r->count; i++) {
        find_targets(&c, &r->all[i], seen);
        if (r->all[i].turns)
            leave_turns(&c, &r->all[i]);
        find_touched(&c, &r->all[i]);
    }
    find_passed(&c);
    find_uniformity(&c);
    decide_regions(&c);
    for (size_t i = 0; i < r->count; i++)
        find_late(&c, &r->all[i]);
    return r;
}

/* ---- The kernel as a whole ---- */

static struct starts find_starts(struct ptx_emitter *e, const struct ptx_function *function,
                                 bool *has_waits)
{
    const size_t count = function->instruction_count;
    struct starts s = {.in_step = ptx_block_starts(e, function)};
    s.waits = ptx_arena_array(e->arena, count + 1, sizeof *s.waits);
    s.either = ptx_arena_array(e->arena, count + 1, sizeof *s.either);
    *has_waits = ptx_block_waits(e, function, s.waits);
    for (size_t i = 0; i < count; i++)
        s.either[i] = s.in_step[i] || s.waits[i];
    return s;
}

/* Shared memory is one block's: then no others can be run along with it. */
static bool uses_shared(const struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    for (size_t i = 0; i < plan->body_count; i++) {
        const struct ptx_function *f = plan->bodies[i].function;
        for (size_t j = 0; j < f->instruction_count; j++) {
            const struct ptx_instruction *in = &f->instructions[j];
            if (in->space == PTX_SPACE_SHARED || in->second_space == PTX_SPACE_SHARED)
                return true;
            for (uint32_t k = 0; k < in->operand_count; k++)
                if (in->operands[k].variable && in->operands[k].variable->space == PTX_SPACE_SHARED)
                    return true;
        }
    }
    return false;
}

/* For what another block leaves in memory, which it may only do after its loops. clang writes atom even
 * where nobody reads what it returns. */
static bool may_wait(struct ptx_emitter *e, const struct ptx_function *function)
{
    bool *is_read = ptx_arena_array(e->arena, function->register_count + 1, sizeof *is_read);
    for (size_t i = 0; i < function->instruction_count; i++)
        ptx_flow_reads(&function->instructions[i], touch, is_read);
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        const bool is_returned = in->opcode == PTX_OPCODE_atom && in->operand_count > 0 &&
                                 in->operands[0].kind == PTX_OPERAND_REGISTER &&
                                 is_read[in->operands[0].index];
        const bool is_fence = in->opcode == PTX_OPCODE_membar || in->opcode == PTX_OPCODE_fence;
        if (is_returned || is_fence || (in->opcode == PTX_OPCODE_ld && ptx_is_volatile(in)))
            return true;
    }
    return false;
}

/* No barrier, no warp operation, nothing that threads meet at: only loops are cut. */
static bool never_meet(struct ptx_emitter *e, const struct ptx_function *function)
{
    const bool *starts = ptx_block_meetings(e, function);
    for (size_t i = 0; i < function->instruction_count; i++)
        if (starts[i])
            return false;
    return true;
}

static bool has_parts(const struct ptx_regions *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->all[i].step && ptx_is_barrier(r->all[i].step) &&
            (ptx_barrier_arrives(r->all[i].step) ||
             ptx_barrier_operands_of(r->all[i].step).threads))
            return true;
    return false;
}

static bool is_decided(const struct ptx_regions *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->all[i].is_decided)
            return false;
    return true;
}

static bool has_lanes(const struct ptx_regions *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->all[i].step &&
            (!ptx_is_barrier(r->all[i].step) || ptx_barrier_reduces(r->all[i].step)))
            return true;
    return false;
}

/* What the cuts depend on. */
static void find_facts(struct ptx_emitter *e, struct ptx_block_facts *facts)
{
    const struct ptx_function *function = facts->flow->function;
    facts->never_meets = never_meet(e, function);
    facts->starts_alone =
        facts->waits && facts->never_meets && !ptx_block_strides(e, function, NULL);
    facts->joins_blocks = facts->never_meets && !facts->waits && !uses_shared(e) &&
                          !may_wait(e, function) && !e->plan->takes_turns && !e->target->checks;
}

/* Where blocks take turns, and threads stay in step, the block lets others go at regions of loops in which it may wait for
 * them. Not where a barrier counts votes first: those of threads in step are not noted. */
static void find_yields(struct ptx_emitter *e, struct ptx_block_facts *facts)
{
    const struct ptx_function *f = facts->flow->function;
    bool *loops = ptx_arena_array(e->arena, f->instruction_count + 1, sizeof *loops);
    if (!e->plan->takes_turns || facts->starts_alone || !ptx_waits_for_blocks(e, f, loops))
        return;
    facts->yields = true;
    for (size_t i = 0; i < facts->straight->count; i++) {
        struct ptx_region *region = &facts->straight->all[i];
        region->yields =
            loops[facts->flow->nodes[region->head].first] &&
            !(region->step && ptx_is_barrier(region->step) && ptx_barrier_reduces(region->step));
    }
}

/* A kernel of a few instructions spends much of its time between them on the way from lane to lane, which is shorter in
 * loops of their own, and costs compilers little to have twice. PoCL 3.1, milliseconds to run: a sparse product 3.2 in
 * place of 4.8, counts in shared memory 39 in place of 40. */
enum { SHORT_KERNEL = 96 };

/* What follows from them. */
static void conclude(struct ptx_block_facts *facts)
{
    facts->has_parts = has_parts(facts->straight);
    facts->is_straight =
        is_decided(facts->straight) && !facts->has_parts && !facts->starts_alone && !facts->yields;
    facts->shrinks = !facts->is_straight && !facts->never_meets && !facts->has_parts;
    facts->has_lanes = has_lanes(facts->straight);
    for (size_t i = 0; i < facts->straight->count; i++) {
        struct ptx_region *region = &facts->straight->all[i];
        const struct ptx_region *other = &facts->parted->all[ptx_region_number(facts, region)];
        region->is_wide = ptx_block_is_wide(facts->straight, region);
        region->is_short = facts->flow->function->instruction_count <= SHORT_KERNEL;
        region->is_alike = !region->turns && region->node_count == other->node_count;
    }
}

const struct ptx_block_facts *ptx_block_cut(struct ptx_emitter *e,
                                            const struct ptx_function *function)
{
    struct ptx_block_facts *facts = ptx_arena_take(e->arena, sizeof *facts);
    const struct starts starts = find_starts(e, function, &facts->waits);
    facts->flow = ptx_flow_make(e->arena, function, starts.either);
    ptx_flow_find_live(facts->flow);
    find_facts(e, facts);
    if (facts->waits)
        facts->parted = cut(e, facts, &starts, false);
    facts->straight = facts->starts_alone ? facts->parted : cut(e, facts, &starts, true);
    if (!facts->waits) /* both ways are cut alike */
        facts->parted = facts->straight;
    ptx_block_find_keeps(e, facts);
    facts->steps =
        ptx_find_steps(e->arena, facts->flow->function, facts->straight->uniform.registers);
    find_yields(e, facts);
    conclude(facts);
    return facts;
}
