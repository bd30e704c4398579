/* Nodes of a function, their orders, liveness. SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/flow.h"

#include <string.h>

#include "kernels/ptx/base/arena.h"

/* ---- Operands ---- */

static void show_operand(const struct ptx_operand *operand, bool is_whole, ptx_show_register *show,
                         void *with)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        show(with, (uint32_t)operand->index, is_whole && operand->part == 0);
        break;
    case PTX_OPERAND_ADDRESS:
        if (operand->index >= 0)
            show(with, (uint32_t)operand->index, true);
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_TEXTURE:
        for (uint32_t i = 0; i < operand->count; i++)
            show_operand(&operand->list[i], is_whole, show, with);
        break;
    default:
        break;
    }
}

void ptx_flow_reads(const struct ptx_instruction *in, ptx_show_register *show, void *with)
{
    if (in->guard >= 0)
        show(with, (uint32_t)in->guard, true);
    for (uint32_t i = ptx_destination_count(in); i < in->operand_count; i++)
        show_operand(&in->operands[i], true, show, with);
}

void ptx_flow_writes(const struct ptx_instruction *in, ptx_show_register *show, void *with)
{
    const unsigned count = ptx_destination_count(in);
    for (unsigned i = 0; i < count; i++)
        if (in->operands[i].kind != PTX_OPERAND_ADDRESS)
            show_operand(&in->operands[i], in->guard < 0, show, with);
}

struct register_search {
    uint32_t index;
    bool is_written;
};

static void compare_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct register_search *s = with;
    s->is_written |= index == s->index;
}

bool ptx_flow_writes_register(const struct ptx_instruction *in, uint32_t index)
{
    struct register_search s = {.index = index};
    ptx_flow_writes(in, compare_register, &s);
    return s.is_written;
}

/* ---- Nodes ---- */

/* What ends the thread, or may: functions may hold an exit. */
static bool may_leave(const struct ptx_instruction *in)
{
    static const char *const harmless[] = {"vprintf", "malloc", "__cuda_syscall_aligned_malloc",
                                           "free", "cudaGraphSetConditional"};
    if (in->opcode != PTX_OPCODE_call)
        return in->opcode == PTX_OPCODE_ret || in->opcode == PTX_OPCODE_exit ||
               in->opcode == PTX_OPCODE_trap;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (in->operand_count > 1 && in->operands[1].function &&
            strcmp(in->operands[1].function->name, harmless[i]) == 0)
            return false;
    return true;
}

static bool is_jump(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_bra || in->opcode == PTX_OPCODE_brx;
}

/* Whether nothing follows in the text where an instruction was carried out. */
static bool ends_flow(const struct ptx_instruction *in)
{
    return in->guard < 0 && (is_jump(in) || (may_leave(in) && in->opcode != PTX_OPCODE_call));
}

static void find_nodes(struct ptx_arena *arena, struct ptx_flow *flow, const bool *starts)
{
    const struct ptx_function *f = flow->function;
    bool *begins = ptx_arena_array(arena, f->instruction_count + 1, sizeof *begins);
    begins[0] = true;
    for (size_t i = 0; i < f->label_count; i++)
        begins[f->labels[i].instruction] = true;
    for (size_t i = 0; i < f->instruction_count; i++) {
        if (starts && starts[i])
            begins[i] = true;
        if (is_jump(&f->instructions[i]) || may_leave(&f->instructions[i]))
            begins[i + 1] = true;
    }
    for (size_t i = 0; i < f->instruction_count; i++)
        flow->count += begins[i];
    flow->nodes = ptx_arena_array(arena, flow->count + 1, sizeof *flow->nodes);
    flow->node_of = ptx_arena_array(arena, f->instruction_count + 1, sizeof *flow->node_of);
    int32_t node = -1;
    for (size_t i = 0; i < f->instruction_count; i++) {
        if (begins[i])
            flow->nodes[++node].first = (uint32_t)i;
        flow->nodes[node].end = (uint32_t)i + 1;
        flow->node_of[i] = node;
    }
    flow->node_of[f->instruction_count] = PTX_NO_NODE;
}

bool ptx_flow_only_leaves(const struct ptx_flow *flow, int32_t node)
{
    const struct ptx_node *n = &flow->nodes[node];
    const struct ptx_instruction *in = &flow->function->instructions[n->first];
    return n->end == n->first + 1 && in->guard < 0 &&
           (in->opcode == PTX_OPCODE_ret || in->opcode == PTX_OPCODE_exit);
}

static void add_next(struct ptx_flow *flow, struct ptx_node *node, uint32_t instruction)
{
    const int32_t to = flow->node_of[instruction];
    if (to == PTX_NO_NODE || ptx_flow_only_leaves(flow, to)) {
        node->leaves = true;
        return;
    }
    ptx_steps(flow->arena, node->next_count);
    for (uint32_t i = 0; i < node->next_count; i++)
        if (node->next[i] == to)
            return;
    node->next[node->next_count++] = to;
}

static const struct ptx_targets *targets_of(const struct ptx_function *function,
                                            const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_TARGETS)
            return &function->targets[in->operands[i].index];
    return NULL;
}

/* The way on in the text comes first, so that orders follow the text where they may. */
static void find_next(struct ptx_arena *arena, struct ptx_flow *flow, struct ptx_node *node)
{
    const struct ptx_function *f = flow->function;
    const struct ptx_instruction *last = &f->instructions[node->end - 1];
    const struct ptx_targets *targets = last->opcode == PTX_OPCODE_brx ? targets_of(f, last) : NULL;
    node->next = ptx_arena_array(arena, 2 + (targets ? targets->count : 0), sizeof *node->next);
    node->leaves = may_leave(last);
    if (!ends_flow(last))
        add_next(flow, node, node->end);
    if (last->opcode == PTX_OPCODE_bra && last->operand_count > 0 &&
        last->operands[last->operand_count - 1].kind == PTX_OPERAND_LABEL)
        add_next(flow, node, f->labels[last->operands[last->operand_count - 1].index].instruction);
    for (size_t i = 0; targets && i < targets->count; i++)
        add_next(flow, node, f->labels[targets->labels[i]].instruction);
}

static void find_edges(struct ptx_arena *arena, struct ptx_flow *flow)
{
    for (size_t i = 0; i < flow->count; i++) {
        find_next(arena, flow, &flow->nodes[i]);
        for (uint32_t j = 0; j < flow->nodes[i].next_count; j++)
            flow->nodes[flow->nodes[i].next[j]].previous_count++;
    }
    for (size_t i = 0; i < flow->count; i++) {
        struct ptx_node *node = &flow->nodes[i];
        node->previous = ptx_arena_array(arena, node->previous_count, sizeof *node->previous);
        node->previous_count = 0;
    }
    for (size_t i = 0; i < flow->count; i++)
        for (uint32_t j = 0; j < flow->nodes[i].next_count; j++) {
            struct ptx_node *to = &flow->nodes[flow->nodes[i].next[j]];
            to->previous[to->previous_count++] = (int32_t)i;
        }
}

/* ---- Orders ---- */

static bool ends_early(const struct ptx_flow *flow, int32_t node)
{
    return flow->ends_early && flow->ends_early[node];
}

/* Of the ways out of a node not yet taken, that which does not end early, then that which leaves most loops and then stands
 * last: what is visited first comes last in reverse post order. */
static int32_t choose_next(const struct ptx_flow *flow, const struct ptx_node *node,
                           const uint8_t *states)
{
    int32_t best = PTX_NO_NODE;
    ptx_steps(flow->arena, 1 + node->next_count);
    for (uint32_t i = 0; i < node->next_count; i++) {
        const int32_t to = node->next[i];
        if (states[to] != 0)
            continue;
        const bool is_later =
            best != PTX_NO_NODE && ends_early(flow, to) && !ends_early(flow, best);
        const bool is_first =
            best == PTX_NO_NODE || (ends_early(flow, best) && !ends_early(flow, to));
        if (is_first || (!is_later && flow->nodes[to].depth <= flow->nodes[best].depth))
            best = to;
    }
    return best;
}

static void find_order(struct ptx_arena *arena, struct ptx_flow *flow)
{
    uint8_t *states = ptx_arena_take(arena, flow->count + 1);
    int32_t *stack = ptx_arena_array(arena, flow->count + 1, sizeof *stack);
    size_t depth = 0, place = flow->count;
    int32_t *backwards = ptx_arena_array(arena, flow->count + 1, sizeof *backwards);
    if (flow->count > 0) {
        stack[depth++] = 0;
        states[0] = 1;
    }
    while (depth > 0) {
        const int32_t next = choose_next(flow, &flow->nodes[stack[depth - 1]], states);
        if (next == PTX_NO_NODE) {
            backwards[--place] = stack[--depth];
        } else {
            states[next] = 1;
            stack[depth++] = next;
        }
    }
    flow->reachable = flow->count - place;
    flow->order = backwards + place;
    flow->position = ptx_arena_array(arena, flow->count + 1, sizeof *flow->position);
    for (size_t i = 0; i < flow->count; i++)
        flow->position[i] = PTX_NO_NODE;
    for (size_t i = 0; i < flow->reachable; i++)
        flow->position[flow->order[i]] = (int32_t)i;
}

/* ---- Dominators: as Cooper, Harvey and Kennedy find them ---- */

static int32_t common_dominator(const struct ptx_flow *flow, int32_t a, int32_t b)
{
    uint64_t steps = 1;
    for (; a != b; steps++) {
        if (flow->position[a] > flow->position[b])
            a = flow->dominator[a];
        else
            b = flow->dominator[b];
    }
    ptx_steps(flow->arena, steps);
    return a;
}

static void find_dominators(struct ptx_arena *arena, struct ptx_flow *flow)
{
    flow->dominator = ptx_arena_array(arena, flow->count + 1, sizeof *flow->dominator);
    for (size_t i = 0; i < flow->count; i++)
        flow->dominator[i] = PTX_NO_NODE;
    if (flow->count > 0)
        flow->dominator[0] = 0;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (size_t i = 1; i < flow->reachable; i++) {
            const struct ptx_node *node = &flow->nodes[flow->order[i]];
            int32_t found = PTX_NO_NODE;
            for (uint32_t j = 0; j < node->previous_count; j++) {
                const int32_t from = node->previous[j];
                if (flow->position[from] == PTX_NO_NODE || flow->dominator[from] == PTX_NO_NODE)
                    continue;
                found = found == PTX_NO_NODE ? from : common_dominator(flow, from, found);
            }
            is_changed |= flow->dominator[flow->order[i]] != found;
            flow->dominator[flow->order[i]] = found;
        }
    }
    if (flow->count > 0)
        flow->dominator[0] = PTX_NO_NODE;
}

bool ptx_flow_dominates(const struct ptx_flow *flow, int32_t a, int32_t b)
{
    uint64_t steps = 1;
    for (; b != PTX_NO_NODE && b != a && flow->position[b] > flow->position[a]; steps++)
        b = flow->dominator[b];
    ptx_steps(flow->arena, steps);
    return a == b;
}

/* Adds one to the depth of all nodes that reach `from` without passing `head`. */
static void deepen_loop(struct ptx_flow *flow, int32_t head, int32_t from, uint32_t *marks,
                        uint32_t mark, int32_t *stack)
{
    size_t count = 0;
    if (marks[head] != mark) {
        marks[head] = mark;
        flow->nodes[head].depth++;
    }
    stack[count++] = from;
    while (count > 0) {
        const int32_t at = stack[--count];
        if (marks[at] == mark || flow->position[at] == PTX_NO_NODE)
            continue;
        marks[at] = mark;
        flow->nodes[at].depth++;
        ptx_steps(flow->arena, 1 + flow->nodes[at].previous_count);
        for (uint32_t i = 0; i < flow->nodes[at].previous_count; i++)
            if (marks[flow->nodes[at].previous[i]] != mark)
                stack[count++] = flow->nodes[at].previous[i];
    }
}

/* Natural loops, all back edges of one head together. */
static void find_loops(struct ptx_arena *arena, struct ptx_flow *flow)
{
    size_t edges = 0;
    for (size_t i = 0; i < flow->count; i++)
        edges += flow->nodes[i].previous_count;
    uint32_t *marks = ptx_arena_array(arena, flow->count + 1, sizeof *marks);
    int32_t *stack = ptx_arena_array(arena, edges + 2, sizeof *stack);
    for (size_t i = 0; i < flow->reachable; i++) {
        const int32_t head = flow->order[i];
        for (uint32_t j = 0; j < flow->nodes[head].previous_count; j++) {
            const int32_t from = flow->nodes[head].previous[j];
            if (flow->position[from] != PTX_NO_NODE && ptx_flow_dominates(flow, head, from))
                deepen_loop(flow, head, from, marks, (uint32_t)i + 1, stack);
        }
    }
}

/* ---- Post-dominators ---- */

static int32_t common_postdominator(const struct ptx_flow *flow, const int32_t *ranks, int32_t a,
                                    int32_t b)
{
    for (; a != b; ptx_steps(flow->arena, 1)) {
        if (a == PTX_NO_NODE || b == PTX_NO_NODE)
            return PTX_NO_NODE;
        if (ranks[a] > ranks[b])
            a = flow->postdominator[a];
        else
            b = flow->postdominator[b];
    }
    return a;
}

/* ranks: of nodes in a post order of the graph's reverse. The end is PTX_NO_NODE, with the rank 0. */
struct backwards {
    int32_t *ranks, *nodes; /* nodes: by rank, falling; the end excluded */
    size_t count;
};

static int32_t unseen_previous(const struct ptx_flow *flow, int32_t at, const uint8_t *seen)
{
    const struct ptx_node *node = &flow->nodes[at];
    ptx_steps(flow->arena, 1 + node->previous_count);
    for (uint32_t i = 0; i < node->previous_count; i++) {
        const int32_t from = node->previous[i];
        if (!seen[from] && flow->position[from] != PTX_NO_NODE &&
            ends_early(flow, from) == ends_early(flow, at))
            return from;
    }
    return PTX_NO_NODE;
}

static void rank_from(const struct ptx_flow *flow, struct backwards *b, int32_t start,
                      uint8_t *seen, int32_t *stack, size_t *done)
{
    size_t depth = 0;
    stack[depth++] = start;
    seen[start] = 1;
    while (depth > 0) {
        const int32_t from = unseen_previous(flow, stack[depth - 1], seen);
        if (from != PTX_NO_NODE) {
            seen[from] = 1;
            stack[depth++] = from;
            continue;
        }
        b->nodes[b->count - ++*done] = stack[--depth];
    }
}

/* Where the last threads end: in flows of a warp also where some leave a loop that has no other end. */
static bool is_end(const struct ptx_flow *flow, int32_t node)
{
    return flow->nodes[node].next_count == 0 || (flow->is_last_end && flow->is_last_end[node]);
}

/* From every end; nodes of endless loops are left out: nothing post-dominates them. */
static struct backwards rank_backwards(struct ptx_arena *arena, const struct ptx_flow *flow)
{
    struct backwards b = {.count = flow->count};
    uint8_t *seen = ptx_arena_take(arena, flow->count + 1);
    int32_t *stack = ptx_arena_array(arena, flow->count + 1, sizeof *stack);
    b.ranks = ptx_arena_array(arena, flow->count + 1, sizeof *b.ranks);
    b.nodes = ptx_arena_array(arena, flow->count + 1, sizeof *b.nodes);
    size_t done = 0;
    for (size_t i = flow->reachable; i > 0; i--)
        if (!seen[flow->order[i - 1]] && is_end(flow, flow->order[i - 1]))
            rank_from(flow, &b, flow->order[i - 1], seen, stack, &done);
    b.nodes += b.count - done;
    b.count = done;
    for (size_t i = 0; i < done; i++)
        b.ranks[b.nodes[i]] = (int32_t)i + 1;
    return b;
}

static int32_t find_postdominator(const struct ptx_flow *flow, const struct backwards *b,
                                  const bool *known, int32_t at)
{
    const struct ptx_node *node = &flow->nodes[at];
    int32_t found = PTX_NO_NODE;
    bool is_first = true;
    for (uint32_t i = 0; i < node->next_count && !is_end(flow, at); i++) {
        const int32_t to = node->next[i];
        if (b->ranks[to] == 0 || !known[to] || ends_early(flow, to) != ends_early(flow, at))
            continue;
        found = is_first ? to : common_postdominator(flow, b->ranks, found, to);
        is_first = false;
    }
    return found;
}

static void find_postdominators(struct ptx_arena *arena, struct ptx_flow *flow)
{
    const struct backwards b = rank_backwards(arena, flow);
    bool *known = ptx_arena_array(arena, flow->count + 1, sizeof *known);
    flow->postdominator = ptx_arena_array(arena, flow->count + 1, sizeof *flow->postdominator);
    for (size_t i = 0; i < flow->count; i++)
        flow->postdominator[i] = PTX_NO_NODE;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (size_t i = 0; i < b.count; i++) {
            const int32_t at = b.nodes[i], found = find_postdominator(flow, &b, known, at);
            is_changed |= !known[at] || flow->postdominator[at] != found;
            known[at] = true;
            flow->postdominator[at] = found;
        }
    }
}

/* ---- Liveness ---- */

struct sets {
    uint64_t *reads, *writes;
};

static void add_read(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct sets *s = with;
    if (!(s->writes[index / 64] >> index % 64 & 1))
        s->reads[index / 64] |= 1ull << index % 64;
}

static void add_write(void *with, uint32_t index, bool is_whole)
{
    struct sets *s = with;
    if (is_whole)
        s->writes[index / 64] |= 1ull << index % 64;
}

static bool flow_back(const struct ptx_flow *flow, int32_t node, const struct sets *all)
{
    const size_t base = (size_t)node * flow->words;
    uint64_t *live = flow->live_in + base;
    bool is_changed = false;
    ptx_steps(flow->arena, 1 + flow->words * flow->nodes[node].next_count / 4);
    for (size_t w = 0; w < flow->words; w++) {
        uint64_t out = 0;
        for (uint32_t i = 0; i < flow->nodes[node].next_count; i++)
            out |= flow->live_in[(size_t)flow->nodes[node].next[i] * flow->words + w];
        const uint64_t in = all->reads[base + w] | (out & ~all->writes[base + w]);
        is_changed |= in != live[w];
        live[w] = in;
    }
    return is_changed;
}

void ptx_flow_find_live(struct ptx_flow *flow)
{
    struct ptx_arena *arena = flow->arena;
    flow->words = flow->function->register_count / 64 + 1;
    const size_t words = flow->count * flow->words + 1;
    struct sets all = {ptx_arena_array(arena, words, sizeof(uint64_t)),
                       ptx_arena_array(arena, words, sizeof(uint64_t))};
    flow->live_in = ptx_arena_array(arena, words, sizeof(uint64_t));
    for (size_t i = 0; i < flow->count; i++) {
        struct sets own = {all.reads + i * flow->words, all.writes + i * flow->words};
        for (uint32_t j = flow->nodes[i].first; j < flow->nodes[i].end; j++) {
            ptx_flow_reads(&flow->function->instructions[j], add_read, &own);
            ptx_flow_writes(&flow->function->instructions[j], add_write, &own);
        }
    }
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (size_t i = flow->reachable; i > 0; i--)
            is_changed |= flow_back(flow, flow->order[i - 1], &all);
    }
    ptx_arena_drop(arena, all.reads, words * sizeof(uint64_t));
    ptx_arena_drop(arena, all.writes, words * sizeof(uint64_t));
}

/* ---- Threads that end before the others ---- */

/* Marks all nodes that the ends do not follow from. */
static void find_early_ends(struct ptx_arena *arena, struct ptx_flow *flow)
{
    int32_t *stack = ptx_arena_array(arena, flow->count + 1, sizeof *stack);
    size_t count = 0;
    flow->ends_early = ptx_arena_take(arena, flow->count + 1);
    flow->is_last_end = ptx_arena_take(arena, flow->count + 1);
    memset(flow->ends_early, true, flow->count);
    for (size_t i = flow->reachable; i > 0 && count == 0; i--)
        if (flow->nodes[flow->order[i - 1]].next_count == 0)
            stack[count++] = flow->order[i - 1];
    const bool has_end = count > 0;
    for (size_t i = 0; i < flow->reachable && !has_end; i++)
        if (flow->nodes[flow->order[i]].leaves)
            stack[count++] = flow->order[i];
    for (size_t i = 0; i < count; i++) {
        flow->is_last_end[stack[i]] = true;
        flow->ends_early[stack[i]] = false;
    }
    while (count > 0) {
        const struct ptx_node *node = &flow->nodes[stack[--count]];
        ptx_steps(arena, 1 + node->previous_count);
        for (uint32_t i = 0; i < node->previous_count; i++)
            if (flow->ends_early[node->previous[i]]) {
                flow->ends_early[node->previous[i]] = false;
                stack[count++] = node->previous[i];
            }
    }
}

struct ptx_flow *ptx_flow_make(struct ptx_arena *arena, const struct ptx_function *function,
                               const bool *starts)
{
    struct ptx_flow *flow = ptx_arena_take(arena, sizeof *flow);
    flow->arena = arena;
    flow->function = function;
    find_nodes(arena, flow, starts);
    find_edges(arena, flow);
    find_order(arena, flow);
    find_dominators(arena, flow);
    find_loops(arena, flow);
    find_order(arena, flow); /* again, now that loops are known */
    find_postdominators(arena, flow);
    return flow;
}

struct ptx_flow *ptx_flow_make_of_warp(struct ptx_arena *arena, const struct ptx_function *function,
                                       const bool *starts)
{
    struct ptx_flow *flow = ptx_flow_make(arena, function, starts);
    find_early_ends(arena, flow);
    find_order(arena, flow);
    find_postdominators(arena, flow);
    return flow;
}

bool ptx_flow_settle(struct ptx_arena *arena, const struct ptx_function *function,
                     enum ptx_direction direction, ptx_flow_pass *pass, void *with)
{
    enum { MOST_PASSES = 64 };
    const size_t count = function->instruction_count;
    for (int round = 0; round < MOST_PASSES; round++) {
        bool is_changed = false;
        ptx_steps(arena, count);
        for (size_t i = 0; i < count; i++) {
            const size_t at = direction == PTX_FORWARDS ? i : count - 1 - i;
            is_changed |= pass(with, &function->instructions[at]);
        }
        if (!is_changed)
            return true;
    }
    return false;
}
