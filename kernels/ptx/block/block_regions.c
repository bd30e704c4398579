/* Cutting a kernel into regions, and how its registers come from one into another.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/block/block.h"

struct making {
    struct ptx_emitter *e;
    struct ptx_regions *r;
    bool is_straight; /* of the straight way, not of the other */
    bool *is_head;    /* per node */
    bool *crosses;    /* per register: some region begins with it */
    bool *wanted; /* per constant or recomputed register: crosses, or is needed by one that does */
    uint32_t *seen;      /* per region: the last one that it was a target of, + 1 */
    uint32_t *to_follow; /* wanted registers whose definitions are yet to be looked at */
    size_t follow_count;
    uint32_t *costs;
    uint32_t *definition_counts;
    bool *is_passed;   /* per node: see struct ptx_cuts */
    bool *is_turned;   /* per node: likewise */
    const bool *waits; /* per instruction: a loop begins there in which threads wait */
    int32_t *writers;  /* per register: the last instruction that writes it, or -1 */
    int32_t instruction;
};

/* ---- Barriers ---- */

struct ptx_barrier_operands ptx_barrier_operands_of(const struct ptx_instruction *in)
{
    struct ptx_barrier_operands found = {0};
    uint32_t at = ptx_destination_count(in), end = in->operand_count;
    if (ptx_barrier_reduces(in) && end > at)
        found.predicate = &in->operands[--end];
    if (at < end)
        found.number = &in->operands[at++];
    if (at < end)
        found.threads = &in->operands[at];
    return found;
}

const struct ptx_operand *ptx_member_mask(const struct ptx_instruction *in)
{
    const bool has_mask = in->opcode == PTX_OPCODE_bar || in->opcode == PTX_OPCODE_elect ||
                          in->opcode == PTX_OPCODE_redux || in->opcode == PTX_OPCODE_match ||
                          ((in->opcode == PTX_OPCODE_shfl || in->opcode == PTX_OPCODE_vote) &&
                           (in->flags & PTX_SYNC));
    return has_mask && in->operand_count > 0 ? &in->operands[in->operand_count - 1] : NULL;
}

static bool is_step(const struct ptx_instruction *in)
{
    return ptx_is_barrier(in) || ptx_is_warp_operation(in);
}

/* ---- Regions ---- */

static const struct ptx_instruction *first_of(const struct ptx_regions *r, int32_t node)
{
    return &r->flow->function->instructions[r->flow->nodes[node].first];
}

/* Gives each node to the region that it is entered from. */
static void give_nodes(struct making *m)
{
    const struct ptx_flow *flow = m->r->flow;
    int32_t *owners = m->r->region_of; /* here: head nodes */
    for (size_t i = 0; i < flow->reachable; i++)
        owners[flow->order[i]] = PTX_NO_NODE;
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t node = flow->order[i];
        int32_t owner = m->is_head[node] ? node : PTX_NO_NODE;
        for (uint32_t j = 0; j < flow->nodes[node].previous_count; j++) {
            const int32_t from = owners[flow->nodes[node].previous[j]];
            if (m->is_head[node] || from == PTX_NO_NODE)
                continue;
            m->is_head[node] = owner != PTX_NO_NODE && owner != from;
            owner = m->is_head[node] ? node : from;
        }
        owners[node] = owner;
    }
}

/* Whether a node is entered from another region too, by the next turn of a loop. */
static bool is_shared(const struct making *m, int32_t node)
{
    const int32_t *owners = m->r->region_of;
    const struct ptx_node *of = &m->r->flow->nodes[node];
    for (uint32_t i = 0; i < of->previous_count; i++)
        if (owners[of->previous[i]] != PTX_NO_NODE && owners[of->previous[i]] != owners[node])
            return true;
    return false;
}

/* A node that is entered from one region only belongs to it; one entered from several begins its own, and none else:
 * where threads begin on one way they may on the other, which begins more. */
static void find_heads(struct making *m, const bool *starts)
{
    const struct ptx_flow *flow = m->r->flow;
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t node = flow->order[i];
        m->is_head[node] = i == 0 || starts[flow->nodes[node].first];
        if (m->r->is_alone) /* all of the kernel is run at once, from some region's start on */
            m->r->region_of[node] = m->is_head[node] ? node : flow->order[0];
    }
    for (bool is_changed = !m->r->is_alone; is_changed;) {
        is_changed = false;
        ptx_steps(flow->arena, 2 * flow->reachable);
        give_nodes(m);
        for (size_t i = 0; i < flow->reachable; i++) {
            const int32_t node = flow->order[i];
            if (!m->is_head[node] && is_shared(m, node))
                is_changed = m->is_head[node] = true;
        }
    }
}

static void number_regions(struct making *m)
{
    struct ptx_regions *r = m->r;
    const struct ptx_flow *flow = r->flow;
    uint32_t *numbers = ptx_arena_array(m->e->arena, flow->count + 1, sizeof *numbers);
    r->all = ptx_arena_array(m->e->arena, (r->waits ? 2 : 1) * flow->reachable + 1, sizeof *r->all);
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t node = flow->order[i];
        if (!m->is_head[node])
            continue;
        struct ptx_region *made = &r->all[r->count];
        made->head = node;
        made->step = is_step(first_of(r, node)) ? first_of(r, node) : NULL;
        numbers[node] = (uint32_t)r->count++;
    }
    for (size_t i = 0; i < flow->count; i++)
        if (r->region_of[i] != PTX_NO_NODE) {
            r->region_of[i] = (int32_t)numbers[r->region_of[i]];
            r->all[r->region_of[i]].node_count++;
        }
    for (size_t i = 0; i < r->count; i++) {
        r->all[i].nodes =
            ptx_arena_array(m->e->arena, r->all[i].node_count, sizeof *r->all[i].nodes);
        r->all[i].node_count = 0;
    }
    for (size_t i = 0; i < flow->reachable; i++) {
        struct ptx_region *of = &r->all[r->region_of[flow->order[i]]];
        of->nodes[of->node_count++] = flow->order[i];
    }
}

/* Whether an edge stays within its region. */
static bool stays(const struct ptx_regions *r, int32_t from, int32_t to)
{
    return r->region_of[from] == r->region_of[to] && r->all[r->region_of[to]].head != to;
}

static void find_targets(struct making *m, struct ptx_region *region)
{
    const struct ptx_regions *r = m->r;
    const uint32_t mark = (uint32_t)(region - r->all) + 1;
    size_t ways = region->turns ? region->node_count : 0;
    for (size_t i = 0; i < region->node_count; i++)
        ways += r->flow->nodes[region->nodes[i]].next_count;
    region->targets = ptx_arena_array(m->e->arena, ways, sizeof *region->targets);
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
        region->leaves |= node->leaves;
        for (uint32_t j = 0; j < node->next_count; j++) {
            const int32_t to = r->region_of[node->next[j]];
            if (stays(r, region->nodes[i], node->next[j]) || m->seen[to] == mark)
                continue;
            m->seen[to] = mark;
            region->targets[region->target_count++] = (uint32_t)to;
        }
    }
}

/* Where threads take several turns of a loop at a time: nothing makes them meet, and no stride makes it better that
 * they keep in step. */
static void find_turns(struct making *m, const bool *starts)
{
    struct ptx_regions *r = m->r;
    r->is_turn = ptx_arena_array(m->e->arena, r->flow->count + 1, sizeof *r->is_turn);
    for (size_t i = 0; i < r->flow->reachable; i++) {
        const int32_t node = r->flow->order[i];
        const uint32_t first = r->flow->nodes[node].first;
        struct ptx_region *of = &r->all[r->region_of[node]];
        r->waits |= m->waits[first];
        r->is_turn[node] = m->waits[first] && !starts[first];
        of->waits |= m->waits[first] && of->head == node;
        of->turns |= r->is_turn[node];
    }
}

/* What comes after the start of such a loop in its region is not for threads that have left it. Those go on from the
 * start: one more target for each loop, which is no region of this way. */
static void leave_turns(struct making *m, struct ptx_region *region)
{
    struct ptx_regions *r = m->r;
    if (!region->turns)
        return;
    for (size_t i = 0; i < region->node_count; i++) {
        if (!r->is_turn[region->nodes[i]])
            continue;
        m->is_turned[region->nodes[i]] = true;
        if (region->nodes[i] == region->head && !m->is_straight)
            continue;
        r->all[r->count + r->exit_count].head = region->nodes[i];
        region->exit_count++;
        region->targets[region->target_count++] = (uint32_t)(r->count + r->exit_count++);
    }
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        ptx_steps(r->flow->arena, region->node_count);
        for (size_t i = 0; i < region->node_count; i++) {
            const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
            for (uint32_t j = 0; m->is_turned[region->nodes[i]] && j < node->next_count; j++) {
                const int32_t to = node->next[j];
                is_changed |= stays(r, region->nodes[i], to) && !m->is_turned[to];
                m->is_turned[to] |= stays(r, region->nodes[i], to);
            }
        }
    }
}

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

static bool has_ways(struct making *m, int32_t from, uint32_t *marks, uint32_t mark, int32_t *stack)
{
    const struct ptx_regions *r = m->r;
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

static bool is_passed(const struct ptx_regions *r, const struct ptx_region *region, int32_t node,
                      struct reach *w)
{
    reach_from(r, w, region->head, node);
    const uint32_t around = w->mark;
    if (node == region->head)
        return true;
    bool is_around = false;
    for (size_t i = 0; i < region->target_count; i++)
        w->seen[i] = w->targets[region->targets[i]] == around;
    reach_from(r, w, node, PTX_NO_NODE);
    for (size_t i = 0; i < region->target_count; i++)
        is_around |= w->seen[i] && w->targets[region->targets[i]] == w->mark;
    return !w->comes_back && !is_around;
}

static void find_passed(struct making *m)
{
    const struct ptx_regions *r = m->r;
    struct reach w = {0};
    w.marks = ptx_arena_array(m->e->arena, r->flow->count + 1, sizeof *w.marks);
    w.targets = ptx_arena_array(m->e->arena, r->count + 1, sizeof *w.targets);
    w.stack = ptx_arena_array(m->e->arena, r->flow->count + 1, sizeof *w.stack);
    w.seen = ptx_arena_array(m->e->arena, r->count + 1, sizeof *w.seen);
    for (size_t i = 0; i < r->count; i++)
        for (size_t j = 0;
             r->all[i].node_count <= MOST_NODES && !r->all[i].turns && j < r->all[i].node_count;
             j++)
            m->is_passed[r->all[i].nodes[j]] = is_passed(r, &r->all[i], r->all[i].nodes[j], &w);
}

static void decide_regions(struct making *m)
{
    const struct ptx_regions *r = m->r;
    uint32_t *marks = ptx_arena_array(m->e->arena, r->flow->count + 1, sizeof *marks), mark = 0;
    int32_t *stack = ptx_arena_array(m->e->arena, r->flow->count + 1, sizeof *stack);
    for (size_t i = 0; i < r->count; i++) {
        struct ptx_region *region = &r->all[i];
        region->is_decided = !region->turns;
        if (region->target_count + region->leaves < 2)
            continue;
        for (size_t j = 0; j < region->node_count && region->is_decided; j++)
            if (may_part(r, region->nodes[j]))
                region->is_decided = !has_ways(m, region->nodes[j], marks, ++mark, stack);
    }
}

/* ---- Registers ---- */

static void touch(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

static void find_touched(struct making *m, struct ptx_region *region)
{
    const struct ptx_function *f = m->r->flow->function;
    region->touched = ptx_arena_array(m->e->arena, f->register_count + 1, sizeof(bool));
    region->written = ptx_arena_array(m->e->arena, f->register_count + 1, sizeof(bool));
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &m->r->flow->nodes[region->nodes[i]];
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

static void find_crossing(struct making *m)
{
    const struct ptx_regions *r = m->r;
    for (size_t i = 0; i < r->count; i++) {
        if (!ptx_region_is_entered(r, i))
            continue;
        if (r->all[i].step)
            ptx_flow_writes(r->all[i].step, touch, m->crosses);
        for (size_t j = 0; j < r->flow->function->register_count; j++)
            m->crosses[j] |= ptx_flow_is_live(r->flow, r->all[i].head, (uint32_t)j);
    }
}

static void count_definition(void *with, uint32_t index, bool is_whole)
{
    ((uint32_t *)with)[index] += is_whole ? 1 : 2;
}

struct cost {
    const struct making *m;
    uint32_t sum;
    bool is_known, is_constant;
};

/* What a register costs to compute anew; arrays cost about as much as a few operations. */
enum { MOST_COST = 12 };

static void add_cost(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct cost *c = with;
    const uint8_t keep = c->m->r->keeps[index];
    c->is_known &= keep == PTX_KEEP_CONSTANT || keep == PTX_KEEP_RECOMPUTED;
    c->is_constant &= keep == PTX_KEEP_CONSTANT;
    c->sum += keep == PTX_KEEP_CONSTANT ? 0 : c->m->costs[index];
}

static bool specials_are_uniform(const struct ptx_regions *r, const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_SPECIAL &&
            (!ptx_special_is_uniform(in->operands[i].index) ||
             (r->joins_blocks && in->operands[i].index == PTX_CTAID_X)))
            return false;
    return true;
}

/* Local addresses are per thread even where nothing in the instruction says so. */
static bool names_local(const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].variable && in->operands[i].variable->space == PTX_SPACE_LOCAL)
            return true;
    return in->opcode == PTX_OPCODE_cvta && in->space == PTX_SPACE_LOCAL;
}

/* Whether an instruction computes one whole register from what is at hand at any time, and how dearly. */
static bool can_recompute(const struct making *m, const struct ptx_instruction *in, struct cost *c)
{
    if (in->guard >= 0 || in->has_second_target || ptx_destination_count(in) != 1 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].part != 0 ||
        !ptx_flow_is_pure(m->r->flow->function, in) || names_local(in))
        return false;
    *c = (struct cost){m, 1, true, specials_are_uniform(m->r, in)};
    ptx_flow_reads(in, add_cost, c);
    return c->is_known && (c->is_constant || c->sum <= MOST_COST);
}

/* Registers with one definition that can be computed at any time. */
static bool try_definition(struct making *m, size_t instruction)
{
    struct ptx_regions *r = m->r;
    const struct ptx_instruction *in = &r->flow->function->instructions[instruction];
    struct cost c;
    if (!can_recompute(m, in, &c))
        return false;
    const uint32_t index = (uint32_t)in->operands[0].index;
    if (m->definition_counts[index] != 1 || r->keeps[index] != PTX_KEEP_NOT)
        return false;
    m->costs[index] = c.sum;
    r->keeps[index] = c.is_constant ? PTX_KEEP_CONSTANT : PTX_KEEP_RECOMPUTED;
    r->definitions[index] = (int32_t)instruction;
    return true;
}

/* ---- Offsets: registers that begin as one thing for each thread and grow by the same for all ---- */

/* Few registers are written in more places and still are such. */
enum { MOST_WRITERS = 4, LONGEST_SUM = 24 };

static bool is_apart(const struct making *m, size_t instruction)
{
    const int32_t node = m->r->flow->node_of[instruction];
    return m->r->region_of[node] == PTX_NO_NODE ||
           (m->r->uniform.is_divergent[node] && !m->is_passed[node]);
}

static bool is_same_for_all(const struct making *m, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_INTEGER ||
           (operand->kind == PTX_OPERAND_REGISTER && operand->part == 0 &&
            m->r->uniform.registers[operand->index]);
}

/* Whether an instruction adds what is the same for all threads to the register, perhaps in several steps. */
static bool grows(const struct making *m, size_t instruction, uint32_t index, unsigned depth)
{
    const struct ptx_instruction *in = &m->r->flow->function->instructions[instruction];
    const bool is_sum = in->opcode == PTX_OPCODE_add && in->operand_count == 3;
    const bool is_difference = in->opcode == PTX_OPCODE_sub && in->operand_count == 3;
    const bool is_move = in->opcode == PTX_OPCODE_mov && in->operand_count == 2;
    if ((!is_sum && !is_difference && !is_move) || in->guard >= 0 || (in->flags & PTX_CC) ||
        depth > LONGEST_SUM || is_apart(m, instruction))
        return false;
    for (uint32_t i = 1; i < (is_sum ? 3u : 2u); i++) {
        const struct ptx_operand *from = &in->operands[i];
        if (from->kind != PTX_OPERAND_REGISTER || from->part != 0 ||
            (!is_move && !is_same_for_all(m, &in->operands[3 - i])))
            continue;
        const uint32_t source = (uint32_t)from->index;
        if (source == index || (m->definition_counts[source] == 1 && m->writers[source] >= 0 &&
                                grows(m, (size_t)m->writers[source], index, depth + 1)))
            return true;
    }
    return false;
}

static bool is_integer(const struct making *m, uint32_t index)
{
    const enum ptx_type type = ptx_register_type(m->e, index);
    return m->r->flow->function->registers[index].width <= 1 && type != PTX_F32 &&
           type != PTX_F64 && (ptx_type_bytes(type) == 4 || ptx_type_bytes(type) == 8);
}

static void try_offset(struct making *m, uint32_t index)
{
    struct ptx_regions *r = m->r;
    const struct ptx_function *f = r->flow->function;
    int32_t first = -1;
    ptx_steps(m->e->arena, f->instruction_count / 4);
    for (size_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        struct cost c;
        if (ptx_destination_count(in) == 0 || in->operands[0].kind != PTX_OPERAND_REGISTER ||
            (uint32_t)in->operands[0].index != index || grows(m, i, index, 0))
            continue;
        if (first >= 0 || !can_recompute(m, in, &c) || is_apart(m, i))
            return;
        first = (int32_t)i;
    }
    if (first < 0)
        return;
    r->keeps[index] = PTX_KEEP_OFFSET;
    r->definitions[index] = first;
}

static void note_writer(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct making *m = with;
    m->writers[index] = m->instruction;
}

static void find_offsets(struct making *m)
{
    const struct ptx_regions *r = m->r;
    const struct ptx_function *f = r->flow->function;
    for (size_t i = 0; i < f->register_count; i++)
        m->writers[i] = -1;
    for (size_t i = 0; i < f->instruction_count; i++) {
        m->instruction = (int32_t)i;
        ptx_flow_writes(&f->instructions[i], note_writer, m);
    }
    const bool *uniform = r->uniform.registers;
    for (uint32_t i = 0; i < f->register_count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): cut() found what is uniform */
        if (m->crosses[i] && r->keeps[i] == PTX_KEEP_NOT && !uniform[i] &&
            m->definition_counts[i] > 1 && m->definition_counts[i] <= MOST_WRITERS &&
            is_integer(m, i))
            try_offset(m, i);
}

static void want(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct making *m = with;
    const uint8_t keep = m->r->keeps[index];
    if (m->wanted[index] ||
        (keep != PTX_KEEP_CONSTANT && keep != PTX_KEEP_RECOMPUTED && keep != PTX_KEEP_OFFSET))
        return;
    m->wanted[index] = true;
    m->to_follow[m->follow_count++] = index;
}

/* Those that no region begins with are better left where they are. */
static void drop_unwanted(struct making *m)
{
    struct ptx_regions *r = m->r;
    const size_t count = r->flow->function->register_count;
    m->to_follow = ptx_arena_array(m->e->arena, count + 1, sizeof *m->to_follow);
    for (size_t i = 0; i < count; i++)
        if (m->crosses[i])
            want(m, (uint32_t)i, true);
    while (m->follow_count > 0) { /* not by calls: chains are as long as texts */
        const uint32_t index = m->to_follow[--m->follow_count];
        ptx_flow_reads(&r->flow->function->instructions[r->definitions[index]], want, m);
    }
    for (size_t i = 0; i < count; i++)
        if (!m->wanted[i])
            r->keeps[i] = PTX_KEEP_NOT;
}

static void find_keeps(struct making *m)
{
    struct ptx_regions *r = m->r;
    const struct ptx_function *f = r->flow->function;
    for (size_t i = 0; i < f->instruction_count; i++)
        ptx_flow_writes(&f->instructions[i], count_definition, m->definition_counts);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        ptx_steps(m->e->arena, f->instruction_count);
        for (size_t i = 0; i < f->instruction_count; i++)
            is_changed |= try_definition(m, i);
    }
    find_offsets(m);
    drop_unwanted(m);
    for (size_t i = 0; i < f->register_count; i++)
        if (m->crosses[i] && r->keeps[i] == PTX_KEEP_NOT)
            r->keeps[i] = r->uniform.registers[i] ? PTX_KEEP_UNIFORM : PTX_KEEP_ARRAY;
}

/* ---- All of it ---- */

static bool has_parts(const struct ptx_regions *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->all[i].step && ptx_is_barrier(r->all[i].step) &&
            (ptx_barrier_arrives(r->all[i].step) ||
             ptx_barrier_operands_of(r->all[i].step).threads))
            return true;
    return false;
}

static bool is_straight(const struct ptx_regions *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->all[i].is_decided)
            return false;
    return !r->has_parts && !r->is_alone;
}

static bool has_lanes(const struct ptx_regions *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->all[i].step &&
            (!ptx_is_barrier(r->all[i].step) || ptx_barrier_reduces(r->all[i].step)))
            return true;
    return false;
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

/* No barrier, no warp operation, nothing that threads meet at: only loops were cut. */
static bool is_lone(struct ptx_emitter *e, const struct ptx_function *function)
{
    const bool *starts = ptx_block_meetings(e, function);
    for (size_t i = 0; i < function->instruction_count; i++)
        if (starts[i])
            return false;
    return true;
}

/* ---- Stores on the straight way ---- */

/* Marks the nodes that threads come to after some may have ended. */
static void find_late_nodes(const struct making *m, const struct ptx_region *region, bool *late)
{
    const struct ptx_regions *r = m->r;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        ptx_steps(r->flow->arena, region->node_count);
        for (size_t i = 0; i < region->node_count; i++) {
            const int32_t at = region->nodes[i];
            const struct ptx_node *node = &r->flow->nodes[at];
            for (uint32_t j = 0; (node->leaves || late[at]) && j < node->next_count; j++) {
                const int32_t to = node->next[j];
                is_changed |= stays(r, at, to) && !late[to];
                late[to] |= stays(r, at, to);
            }
        }
    }
}

static void find_late(struct making *m, struct ptx_region *region)
{
    const struct ptx_regions *r = m->r;
    const struct ptx_function *f = r->flow->function;
    bool *late = ptx_arena_array(m->e->arena, r->flow->count + 1, sizeof *late);
    region->late = ptx_arena_array(m->e->arena, f->register_count + 1, sizeof *region->late);
    region->split = ptx_arena_array(m->e->arena, f->register_count + 1, sizeof *region->split);
    find_late_nodes(m, region, late);
    for (size_t i = 0; i < region->node_count; i++) {
        const int32_t at = region->nodes[i];
        const bool is_divergent = r->uniform.is_divergent[at];
        for (uint32_t j = r->flow->nodes[at].first; j < r->flow->nodes[at].end; j++) {
            if (late[at] || is_divergent)
                ptx_flow_writes(&f->instructions[j], touch, region->late);
            if (is_divergent && !region->is_decided)
                ptx_flow_writes(&f->instructions[j], touch, region->split);
        }
    }
}

/* ---- Both ways ---- */

/* Cuts into regions that begin at `starts`. Where loops that wait begin, threads keep in step if `in_step` says so. */
static void cut(struct making *m, const bool *starts, const bool *in_step)
{
    struct ptx_arena *arena = m->e->arena;
    struct ptx_regions *r = m->r;
    r->region_of = ptx_arena_array(arena, r->flow->count + 1, sizeof *r->region_of);
    for (size_t i = 0; i < r->flow->count; i++)
        r->region_of[i] = PTX_NO_NODE;
    m->is_head = ptx_arena_array(arena, r->flow->count + 1, sizeof *m->is_head);
    find_heads(m, starts);
    number_regions(m);
    find_turns(m, in_step);
    m->is_passed = ptx_arena_array(arena, r->flow->count + 1, sizeof *m->is_passed);
    m->is_turned = ptx_arena_array(arena, r->flow->count + 1, sizeof *m->is_turned);
    m->seen = ptx_arena_array(arena, r->count + 1, sizeof *m->seen);
    for (size_t i = 0; i < r->count; i++) {
        find_targets(m, &r->all[i]);
        leave_turns(m, &r->all[i]);
        find_touched(m, &r->all[i]);
    }
    find_passed(m);
    const struct ptx_cuts cuts = {r->region_of, m->is_head, m->is_passed, m->is_turned,
                                  r->joins_blocks};
    r->uniform = ptx_flow_uniformity_between(arena, r->flow, &cuts);
    decide_regions(m);
    find_crossing(m);
    for (size_t i = 0; i < r->count; i++)
        find_late(m, &r->all[i]);
}

static struct making begin_making(struct ptx_emitter *e, const struct ptx_regions *facts,
                                  const bool *waits, bool is_straight)
{
    const size_t registers = facts->flow->function->register_count + 1;
    struct making m = {.e = e, .waits = waits, .is_straight = is_straight};
    m.r = ptx_arena_take(e->arena, sizeof *m.r);
    *m.r = *facts;
    m.crosses = ptx_arena_array(e->arena, registers, sizeof *m.crosses);
    m.wanted = ptx_arena_array(e->arena, registers, sizeof *m.wanted);
    m.costs = ptx_arena_array(e->arena, registers, sizeof *m.costs);
    m.definition_counts = ptx_arena_array(e->arena, registers, sizeof *m.definition_counts);
    m.writers = ptx_arena_array(e->arena, registers, sizeof *m.writers);
    m.r->keeps = ptx_arena_take(e->arena, registers);
    m.r->definitions = ptx_arena_array(e->arena, registers, sizeof *m.r->definitions);
    return m;
}

/* Registers come from region to region alike on both ways. */
static void find_facts(struct making *m)
{
    struct ptx_regions *r = m->r;
    find_keeps(m);
    r->has_parts = has_parts(r);
    r->is_straight = is_straight(r);
    r->shrinks = !r->is_straight && !r->is_lone && !r->has_parts;
    r->has_lanes = has_lanes(r);
}

static void share_facts(struct ptx_regions *to, const struct ptx_regions *from)
{
    to->keeps = from->keeps;
    to->definitions = from->definitions;
    to->has_parts = from->has_parts;
    to->is_straight = from->is_straight;
    to->shrinks = from->shrinks;
    to->has_lanes = from->has_lanes;
}

struct ptx_regions *ptx_regions_make(struct ptx_emitter *e, const struct ptx_function *function,
                                     struct ptx_regions **parted)
{
    const size_t count = function->instruction_count;
    const bool *in_step = ptx_block_starts(e, function);
    bool *waits = ptx_arena_array(e->arena, count + 1, sizeof *waits);
    bool *starts = ptx_arena_array(e->arena, count + 1, sizeof *starts);
    struct ptx_regions facts = {.waits = ptx_block_waits(e, function, waits)};
    for (size_t i = 0; i < count; i++)
        starts[i] = in_step[i] || waits[i];
    struct ptx_flow *flow = ptx_flow_make(e->arena, function, starts);
    ptx_flow_find_live(flow);
    facts.flow = flow;
    facts.is_lone = is_lone(e, function);
    facts.is_alone = facts.waits && facts.is_lone && !ptx_block_strides(e, function, NULL);
    facts.joins_blocks = facts.is_lone && !facts.waits && !uses_shared(e) && !may_wait(e, function);
    const bool has_both = facts.waits && !facts.is_alone;
    struct making m = begin_making(e, &facts, waits, !facts.waits);
    cut(&m, starts, in_step);
    *parted = m.r;
    if (has_both) {
        const bool *crosses = m.crosses;
        m = begin_making(e, &facts, waits, true);
        cut(&m, in_step, in_step);
        for (size_t i = 0; i < function->register_count; i++)
            m.crosses[i] |= crosses[i];
    }
    find_facts(&m);
    share_facts(*parted, m.r);
    return m.r;
}
