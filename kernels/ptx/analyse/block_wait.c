/* Loops in which threads wait for what others do: those whose end follows from memory that other threads may change,
 * read by loads that look there each time, or by atomic operations. A thread that turns in such a loop leaves it now
 * and then for the others, so the loop begins a region.
 *
 * Found is more than waits. What is certain not to wait, though it looks like it, is a loop that tries an atomic
 * operation again because another thread came first, and one that takes the next number from a counter until the
 * numbers are past some bound.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/analyse/plan.h"

/* Loops with more exchanges than this do not just try one again. */
enum { MOST_EXCHANGES = 8 };

struct waiting {
    struct ptx_emitter *e;
    struct ptx_flow *flow;
    int32_t *loop, *stack; /* nodes of the loop looked at; of a walk */
    size_t loop_count;
    bool *is_in;     /* per node: of that loop */
    bool *is_apart;  /* per node: whether a thread comes here follows from what others do */
    bool *registers; /* per register: follows from it */
    bool spaces[PTX_SPACE_TEX + 1]; /* per space: what was stored there follows from it */
    bool has_fence;                 /* what plain loads bring is looked up anew in each turn, too */
    bool has_source;                /* something reads what others do */
    bool is_far;                    /* and those may be of other blocks */
    bool meets_block;               /* loops may have barriers in them */
    bool has_number,
        by_number; /* something takes a number; that is what is followed, nothing else */
    const struct ptx_instruction *number; /* what takes it */
    bool has_heap, by_heap; /* something takes memory of the device's heap; that is followed too */
    bool *carried; /* per register: what one turn leaves the next, and what is computed of that */
    const struct ptx_instruction *exchanges[MOST_EXCHANGES];
    size_t atomics, exchange_count;
    uint32_t *marks, mark; /* per node: the last walk that came there */
    bool is_changed, is_found;
};

/* ---- What reads what others write ---- */

static const struct ptx_instruction *instruction_of(const struct waiting *w, size_t index)
{
    return &w->flow->function->instructions[index];
}

static bool is_atomic(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_atom || in->opcode == PTX_OPCODE_red;
}

/* What plain loads of other threads' values stand beside in a loop that waits. */
static bool is_fence(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_membar || in->opcode == PTX_OPCODE_fence ||
           in->opcode == PTX_OPCODE_nanosleep ||
           (in->opcode == PTX_OPCODE_bar && ptx_is_warp_operation(in));
}

static bool may_be_of_others(uint8_t space)
{
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_SHARED || space == PTX_SPACE_GENERIC;
}

bool ptx_sees_others(const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OPCODE_atom)
        return in->operand_count > 0 && in->operands[0].kind != PTX_OPERAND_SINK;
    return ptx_is_mbarrier_wait(in) ||
           (in->opcode == PTX_OPCODE_ld && may_be_of_others(in->space) && ptx_is_volatile(in));
}

static bool call_sees_others(const struct waiting *w, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_call || in->operand_count < 2)
        return false;
    if (in->operands[1].kind != PTX_OPERAND_FUNCTION)
        return true;
    const struct ptx_body *callee = ptx_plan_body(w->e->plan, in->operands[1].function);
    return callee && callee->sees_others;
}

/* What others give back. */
static bool takes_memory(const struct ptx_instruction *in)
{
    const bool is_call = in->opcode == PTX_OPCODE_call && in->operand_count > 1 &&
                         in->operands[1].kind == PTX_OPERAND_FUNCTION;
    const char *const name = is_call ? in->operands[1].function->name : "";
    return strcmp(name, "malloc") == 0 || strcmp(name, "__cuda_syscall_aligned_malloc") == 0;
}

static bool is_register(const struct ptx_operand *operand, int32_t index)
{
    return operand->kind == PTX_OPERAND_REGISTER && operand->part == 0 && operand->index == index;
}

/* Whether it is known to be a number other than zero, as how many threads a block has. */
static bool is_positive(const struct waiting *w, const struct ptx_operand *operand, unsigned depth)
{
    const struct ptx_function *f = w->flow->function;
    const struct ptx_instruction *writer = NULL;
    if (operand->kind != PTX_OPERAND_REGISTER || depth > 0)
        return operand->kind == PTX_OPERAND_SPECIAL
                   ? operand->index >= PTX_NTID_X && operand->index <= PTX_NTID_Z
                   : operand->kind == PTX_OPERAND_INTEGER && operand->bits != 0;
    ptx_steps(w->flow->arena, f->instruction_count / 4);
    for (size_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (ptx_destination_count(in) == 0 || !is_register(&in->operands[0], operand->index))
            continue;
        if (writer)
            return false;
        writer = in;
    }
    return writer && writer->opcode == PTX_OPCODE_mov && writer->operand_count == 2 &&
           is_positive(w, &writer->operands[1], depth + 1);
}

/* A counter that each turn moves on, and nothing in the loop moves back. */
static bool takes_number(const struct waiting *w, const struct ptx_instruction *in)
{
    const bool is_count =
        in->operation == PTX_OP_ADD || in->operation == PTX_OP_INC || in->operation == PTX_OP_DEC;
    return in->opcode == PTX_OPCODE_atom && is_count && w->atomics == 1 &&
           is_positive(w, &in->operands[in->operand_count - 1], 0);
}

/* Whether the numbers become smaller: what is added is negative. */
static bool is_falling(const struct ptx_instruction *number)
{
    const struct ptx_operand *step = &number->operands[number->operand_count - 1];
    return number->operation == PTX_OP_DEC ||
           (number->operation == PTX_OP_ADD && step->kind == PTX_OPERAND_INTEGER &&
            (int64_t)step->bits < 0);
}

/* Whether the comparison holds for numbers that have gone on for long. The one that is compared is the operand that the loop
 * knows nothing else of. */
static bool holds_at_last(const struct waiting *w, const struct ptx_instruction *in)
{
    const bool is_second =
        in->operands[1].kind != PTX_OPERAND_REGISTER || !w->registers[in->operands[1].index];
    const bool is_greater = in->compare == PTX_GT || in->compare == PTX_GE ||
                            in->compare == PTX_CMP_HI || in->compare == PTX_CMP_HS;
    return is_greater != (is_second != is_falling(w->number));
}

/* Whether a branch leads on within the loop by its jump, or else by what is behind it. */
static bool stays_in_loop(const struct waiting *w, const struct ptx_node *node, bool jumps)
{
    const int32_t behind = w->flow->node_of[node->end];
    for (uint32_t i = 0; i < node->next_count; i++)
        if ((node->next[i] != behind) == jumps && w->is_in[node->next[i]])
            return true;
    return false;
}

/* Whether who fails the comparison at last goes round and round until others take the number back: as where so many may enter as
 * long as nobody has left. */
static bool is_refused(const struct waiting *w, const struct ptx_instruction *in, int32_t at)
{
    const struct ptx_node *node = &w->flow->nodes[at];
    const struct ptx_instruction *last = instruction_of(w, node->end - 1);
    if (last->opcode != PTX_OPCODE_bra || last->guard < 0 ||
        !is_register(&in->operands[0], last->guard))
        return false;
    const bool jumps = holds_at_last(w, in) != last->guard_negated;
    return stays_in_loop(w, node, jumps) && !stays_in_loop(w, node, !jumps);
}

/* Whether numbers that go on pass what they are compared with: unless all but the first are refused, as of a lock. */
static bool is_passed(const struct waiting *w, const struct ptx_instruction *in, int32_t at)
{
    if (in->opcode != PTX_OPCODE_setp || in->compare == PTX_EQ || in->compare == PTX_NE)
        return false;
    for (uint32_t i = 1; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_INTEGER && in->operands[i].bits <= 1)
            return false;
    return !is_refused(w, in, at);
}

static bool is_source(const struct waiting *w, const struct ptx_instruction *in)
{
    if (w->by_number || takes_number(w, in))
        return w->by_number && takes_number(w, in);
    if (ptx_sees_others(in) || (w->by_heap && takes_memory(in)))
        return true;
    return call_sees_others(w, in) || (w->has_fence && in->opcode == PTX_OPCODE_ld &&
                                       !(in->flags & PTX_NC) && may_be_of_others(in->space));
}

/* ---- Trying again ---- */

/* Whether all that writes the register in the loop brings it straight from where the exchange is made. */
static bool is_from_place(const struct waiting *w, int32_t index,
                          const struct ptx_instruction *exchange, unsigned depth)
{
    enum { MOST_MOVES = 4 };
    bool is_any = false;
    for (size_t i = 0; i < w->loop_count; i++) {
        const struct ptx_node *node = &w->flow->nodes[w->loop[i]];
        ptx_steps(w->flow->arena, 1 + (node->end - node->first) / 4);
        for (uint32_t j = node->first; j < node->end; j++) {
            const struct ptx_instruction *in = instruction_of(w, j);
            if (ptx_destination_count(in) == 0 || !is_register(&in->operands[0], index))
                continue;
            const bool is_move =
                in->opcode == PTX_OPCODE_mov && in->operand_count == 2 && depth < MOST_MOVES &&
                in->operands[1].kind == PTX_OPERAND_REGISTER && in->operands[1].part == 0;
            is_any = is_move ? is_from_place(w, in->operands[1].index, exchange, depth + 1)
                             : (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_atom) &&
                                   ptx_is_same_place(in, exchange);
            if (!is_any)
                return false;
        }
    }
    return is_any;
}

static bool are_same(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == PTX_OPERAND_REGISTER && a->part == 0 && is_register(b, a->index);
}

/* Whether an instruction compares what an exchange found with what it was to find, which the loop had seen there:
 * they differ only where another thread has got on. */
static bool is_retry(const struct waiting *w, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_setp || in->operand_count != 3)
        return false;
    const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
    for (size_t i = 0; i < w->exchange_count; i++) {
        const struct ptx_operand *found = &w->exchanges[i]->operands[0];
        const struct ptx_operand *expected = &w->exchanges[i]->operands[2];
        if (((are_same(a, found) && are_same(b, expected)) ||
             (are_same(b, found) && are_same(a, expected))) &&
            is_from_place(w, expected->index, w->exchanges[i], 0))
            return true;
    }
    return false;
}

/* Whether a thread leaves the loop behind a node if its exchange was made. */
static bool ends_with_exchange(const struct waiting *w, const struct ptx_node *node)
{
    const struct ptx_instruction *last = instruction_of(w, node->end - 1);
    bool leaves = node->leaves;
    for (uint32_t i = 0; i < node->next_count; i++)
        leaves |= !w->is_in[node->next[i]];
    if (!leaves || last->opcode != PTX_OPCODE_bra || last->guard < 0)
        return false;
    for (uint32_t i = node->end - 1; i-- > node->first;) {
        const struct ptx_instruction *in = instruction_of(w, i);
        if (ptx_destination_count(in) > 0 && is_register(&in->operands[0], last->guard))
            return in->guard < 0 && is_retry(w, in);
    }
    return false;
}

/* Whether all turns come by such a node: then no thread goes on turning for long. */
static bool only_retries(const struct waiting *w, int32_t head)
{
    const struct ptx_flow *flow = w->flow;
    const struct ptx_node *node = &flow->nodes[head];
    for (uint32_t i = 0; i < node->previous_count && w->exchange_count > 0; i++) {
        int32_t at = node->previous[i];
        if (!w->is_in[at])
            continue;
        for (; at != PTX_NO_NODE && w->is_in[at];
             at = at == head ? PTX_NO_NODE : flow->dominator[at]) {
            ptx_steps(flow->arena, 1 + (flow->nodes[at].end - flow->nodes[at].first) / 4);
            if (ends_with_exchange(w, &flow->nodes[at]))
                break;
        }
        if (at == PTX_NO_NODE || !w->is_in[at])
            return false;
    }
    return w->exchange_count > 0;
}

/* ---- What follows from it ---- */

struct reading {
    const struct waiting *w;
    bool follows;
};

static void read_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct reading *r = with;
    r->follows |= r->w->registers[index];
}

static void mark_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct waiting *w = with;
    w->is_changed |= !w->registers[index];
    w->registers[index] = true;
}

static void mark_space(struct waiting *w, uint8_t space)
{
    w->is_changed |= !w->spaces[space];
    w->spaces[space] = true;
}

static bool is_marked_space(const struct waiting *w, uint8_t space)
{
    bool is_any = w->spaces[space] || (space != PTX_SPACE_PARAM && w->spaces[PTX_SPACE_GENERIC]);
    for (size_t i = 0; space == PTX_SPACE_GENERIC && i <= PTX_SPACE_TEX; i++)
        is_any |= w->spaces[i];
    return is_any;
}

static void follow(struct waiting *w, const struct ptx_instruction *in, int32_t at)
{
    const bool is_apart = w->is_apart[at] && !w->by_heap; /* there it counts what is asked alone */
    struct reading r = {w, is_apart};
    ptx_flow_reads(in, read_register, &r);
    if (r.follows && (in->opcode == PTX_OPCODE_st || is_atomic(in)))
        mark_space(w, in->space);
    r.follows |= is_source(w, in) || (in->opcode == PTX_OPCODE_ld && is_marked_space(w, in->space));
    if (!r.follows || (w->by_number && !is_apart && is_passed(w, in, at)))
        return;
    ptx_flow_writes(in, mark_register, w);
    if (in->opcode == PTX_OPCODE_call)
        mark_space(w, PTX_SPACE_PARAM);
}

/* Marks what lies between a branch and where its ways meet again. Found is what waits: a way out of the loop that
 * is taken or not because of what others do. */
static void part_from(struct waiting *w, int32_t branch)
{
    const struct ptx_flow *flow = w->flow;
    const int32_t meeting = flow->postdominator[branch];
    size_t count = 0;
    w->mark++;
    w->stack[count++] = branch;
    while (count > 0) {
        const struct ptx_node *node = &flow->nodes[w->stack[--count]];
        ptx_steps(flow->arena, 1 + node->next_count);
        const struct ptx_instruction *last = instruction_of(w, node->end - 1);
        w->is_found |= node->leaves && last->opcode != PTX_OPCODE_call;
        for (uint32_t i = 0; i < node->next_count; i++) {
            const int32_t to = node->next[i];
            w->is_found |= !w->is_in[to];
            if (to == meeting || !w->is_in[to] || w->marks[to] == w->mark)
                continue;
            w->marks[to] = w->mark;
            w->is_changed |= !w->is_apart[to];
            w->is_apart[to] = true;
            w->stack[count++] = to;
        }
    }
}

static void visit_node(struct waiting *w, int32_t at)
{
    const struct ptx_node *node = &w->flow->nodes[at];
    ptx_steps(w->flow->arena, 1 + node->end - node->first);
    for (uint32_t i = node->first; i < node->end; i++)
        follow(w, instruction_of(w, i), at);
    const struct ptx_instruction *last = instruction_of(w, node->end - 1);
    struct reading r = {w, false};
    if (node->next_count + node->leaves < 2 || last->opcode == PTX_OPCODE_call)
        return;
    ptx_flow_reads(last, read_register, &r);
    if (r.follows)
        part_from(w, at);
}

/* ---- Loops ---- */

static bool waits_for_block(const struct waiting *w, int32_t at)
{
    const struct ptx_node *node = &w->flow->nodes[at];
    for (uint32_t i = node->first; i < node->end; i++)
        if (ptx_is_barrier(instruction_of(w, i)) && !ptx_barrier_arrives(instruction_of(w, i)))
            return true;
    return false;
}

static void add_node(struct waiting *w, int32_t head, int32_t at)
{
    const int32_t *position = w->flow->position;
    if (w->is_in[at] || position[at] == PTX_NO_NODE || (!w->meets_block && waits_for_block(w, at)))
        return;
    if (position[at] < position[head]) /* by a way into the loop that does not come by its head */
        return;
    w->is_in[at] = true;
    w->loop[w->loop_count++] = at;
}

static bool is_way_back(const struct ptx_flow *flow, int32_t head, int32_t from)
{
    return flow->position[from] >= flow->position[head];
}

/* All nodes on ways from `head` back to it by the node `last`, or, where that is PTX_NO_NODE, by any: not on those through barriers,
 * where all threads meet in any case. */
static void find_loop(struct waiting *w, int32_t head, int32_t last)
{
    const struct ptx_flow *flow = w->flow;
    const struct ptx_node *node = &flow->nodes[head];
    for (size_t i = 0; i < w->loop_count; i++)
        w->is_in[w->loop[i]] = w->is_apart[w->loop[i]] = false;
    w->loop_count = 0;
    for (uint32_t i = 0; i < node->previous_count; i++)
        if (is_way_back(flow, head, node->previous[i]) &&
            (last == PTX_NO_NODE || last == node->previous[i]))
            add_node(w, head, node->previous[i]);
    for (size_t i = 0; i < w->loop_count; i++)
        if (w->loop[i] != head)
            for (uint32_t j = 0; j < flow->nodes[w->loop[i]].previous_count; j++)
                add_node(w, head, flow->nodes[w->loop[i]].previous[j]);
}

static void note_instruction(struct waiting *w, const struct ptx_instruction *in)
{
    w->has_fence |= is_fence(in);
    w->atomics += is_atomic(in) || in->opcode == PTX_OPCODE_call; /* which may hold one */
    if (in->opcode == PTX_OPCODE_atom && in->operation == PTX_OP_CAS && in->operand_count == 4 &&
        w->exchange_count < MOST_EXCHANGES)
        w->exchanges[w->exchange_count++] = in;
}

static void note_source(struct waiting *w, const struct ptx_instruction *in)
{
    const bool is_number = takes_number(w, in), reads = !is_number && is_source(w, in);
    w->has_number |= is_number;
    w->number = is_number ? in : w->number;
    w->has_heap |= takes_memory(in);
    w->has_source |= reads;
    w->is_far |=
        (is_number || reads) && in->space != PTX_SPACE_SHARED &&
        in->scope != PTX_SCOPE_CTA; /* which says that nothing of other blocks is looked for */
}

static void look_through(struct waiting *w)
{
    w->has_fence = w->has_source = w->is_far = w->has_number = w->by_number = false;
    w->has_heap = w->by_heap = false;
    w->atomics = w->exchange_count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < w->loop_count; i++) {
            const struct ptx_node *node = &w->flow->nodes[w->loop[i]];
            ptx_steps(w->flow->arena, 1 + node->previous_count + node->end - node->first);
            for (uint32_t j = node->first; j < node->end; j++)
                if (pass == 0)
                    note_instruction(w, instruction_of(w, j));
                else
                    note_source(w, instruction_of(w, j));
        }
}

/* Whether a way out of the loop is taken or not because of its sources. */
static bool decides_end(struct waiting *w)
{
    ptx_steps(w->flow->arena, w->flow->function->register_count / 64);
    memset(w->registers, 0, w->flow->function->register_count * sizeof *w->registers);
    memset(w->spaces, 0, sizeof w->spaces);
    for (size_t i = 0; i < w->loop_count; i++)
        w->is_apart[w->loop[i]] = false;
    w->is_found = false;
    do {
        w->is_changed = false;
        for (size_t i = w->loop_count; i-- > 0;) /* about in the order of the text */
            visit_node(w, w->loop[i]);
    } while (w->is_changed && !w->is_found);
    return w->is_found;
}

static bool leaves_loop(const struct waiting *w, const struct ptx_node *node)
{
    bool leaves = node->leaves && instruction_of(w, node->end - 1)->opcode != PTX_OPCODE_call;
    for (uint32_t i = 0; i < node->next_count; i++)
        leaves |= !w->is_in[node->next[i]];
    return leaves;
}

/* Whether each way out of the loop is taken because there was memory, or not: one that asks again until there is. Others end by
 * themselves, or are left where there is none. */
static bool waits_for_memory(struct waiting *w)
{
    if (!decides_end(w))
        return false;
    do {
        w->is_changed = false;
        for (size_t i = w->loop_count; i-- > 0;)
            visit_node(w, w->loop[i]);
    } while (w->is_changed);
    for (size_t i = 0; i < w->loop_count; i++) {
        const struct ptx_node *node = &w->flow->nodes[w->loop[i]];
        struct reading r = {w, false};
        ptx_flow_reads(instruction_of(w, node->end - 1), read_register, &r);
        if (leaves_loop(w, node) && !r.follows)
            return false;
    }
    w->is_far = true;
    return true;
}

static bool waits_there(struct waiting *w, int32_t head)
{
    look_through(w);
    if (!w->is_in[head] || only_retries(w, head))
        return false;
    if (w->has_source && decides_end(w))
        return true;
    w->by_number = w->has_number;
    if (w->has_number && decides_end(w))
        return true;
    w->by_number = false;
    w->by_heap = w->has_heap;
    return w->has_heap && waits_for_memory(w);
}

/* ---- Loops within another that begins at the same node ---- */

static void carry_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct waiting *w = with;
    w->is_changed |= !w->carried[index];
    w->carried[index] = true;
}

static void read_carried(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct reading *r = with;
    r->follows |= r->w->carried[index];
}

struct carrying {
    struct waiting *w;
    int32_t head;
};

static void carry_if_live(void *with, uint32_t index, bool is_whole)
{
    const struct carrying *c = with;
    if (ptx_flow_is_live(c->w->flow, c->head, index))
        carry_register(c->w, index, is_whole);
}

static bool reads_carried(const struct waiting *w, const struct ptx_instruction *in)
{
    struct reading r = {w, false};
    ptx_flow_reads(in, read_carried, &r);
    return r.follows;
}

static void find_carried(struct waiting *w, int32_t head)
{
    struct carrying c = {w, head};
    if (!w->flow->live_in)
        ptx_flow_find_live(w->flow);
    memset(w->carried, 0, w->flow->function->register_count * sizeof *w->carried);
    do {
        w->is_changed = false;
        for (size_t i = w->loop_count; i-- > 0;) {
            const struct ptx_node *node = &w->flow->nodes[w->loop[i]];
            ptx_steps(w->flow->arena, 1 + node->end - node->first);
            for (uint32_t j = node->first; j < node->end; j++) {
                ptx_flow_writes(instruction_of(w, j), carry_if_live, &c);
                if (reads_carried(w, instruction_of(w, j)))
                    ptx_flow_writes(instruction_of(w, j), carry_register, w);
            }
        }
    } while (w->is_changed);
}

/* Whether a turn of the loop does something else than the one before: looks elsewhere, or compares what is there with
 * something else. */
static bool gets_on(struct waiting *w, int32_t head)
{
    find_carried(w, head);
    for (size_t i = 0; i < w->loop_count; i++) {
        const struct ptx_node *node = &w->flow->nodes[w->loop[i]];
        ptx_steps(w->flow->arena, 1 + node->end - node->first);
        for (uint32_t j = node->first; j < node->end; j++) {
            const struct ptx_instruction *in = instruction_of(w, j);
            struct reading r = {w, is_source(w, in)};
            if (!r.follows && in->opcode == PTX_OPCODE_setp)
                ptx_flow_reads(in, read_register, &r);
            if (r.follows && reads_carried(w, in))
                return true;
        }
    }
    return false;
}

/* `for (...) { while (*flag == 0) ...` may be one loop to the analysis above, which ends when the counter says so. What goes back to
 * its start while a flag says so waits all the same. */
static bool waits_within(struct waiting *w, int32_t head)
{
    const struct ptx_node *node = &w->flow->nodes[head];
    uint32_t ways = 0;
    for (uint32_t i = 0; i < node->previous_count; i++)
        ways += is_way_back(w->flow, head, node->previous[i]);
    for (uint32_t i = 0; i < node->previous_count && ways > 1; i++) {
        if (!is_way_back(w->flow, head, node->previous[i]))
            continue;
        find_loop(w, head, node->previous[i]);
        look_through(w);
        if (w->is_in[head] && w->has_source && !w->has_number && !only_retries(w, head) &&
            decides_end(w) && !gets_on(w, head))
            return true;
    }
    return false;
}

static bool waits_in_loop(struct waiting *w, int32_t head)
{
    find_loop(w, head, PTX_NO_NODE);
    return waits_there(w, head) || waits_within(w, head);
}

/* Most kernels have nothing that could make a thread wait. */
static bool may_wait(const struct waiting *w, const struct ptx_function *function)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (ptx_sees_others(in) || is_fence(in) || call_sees_others(w, in) || takes_memory(in))
            return true;
    }
    return false;
}

static bool begin(struct waiting *w, const struct ptx_function *function)
{
    struct ptx_emitter *e = w->e;
    if (!may_wait(w, function))
        return false;
    w->flow = ptx_flow_make(e->arena, function, NULL);
    w->loop = ptx_arena_array(e->arena, w->flow->count + 1, sizeof *w->loop);
    w->stack = ptx_arena_array(e->arena, w->flow->count + 1, sizeof *w->stack);
    w->is_in = ptx_arena_array(e->arena, w->flow->count + 1, sizeof *w->is_in);
    w->marks = ptx_arena_array(e->arena, w->flow->count + 1, sizeof *w->marks);
    w->is_apart = ptx_arena_array(e->arena, w->flow->count + 1, sizeof *w->is_apart);
    w->registers = ptx_arena_array(e->arena, function->register_count + 1, sizeof *w->registers);
    w->carried = ptx_arena_array(e->arena, function->register_count + 1, sizeof *w->carried);
    return true;
}

bool ptx_block_waits(struct ptx_emitter *e, const struct ptx_function *function, bool *waits)
{
    struct waiting w = {.e = e};
    bool is_any = false;
    if (!begin(&w, function))
        return false;
    for (size_t i = 0; i < w.flow->reachable; i++) {
        const int32_t head = w.flow->order[i];
        if (!waits_in_loop(&w, head))
            continue;
        is_any = true;
        if (waits)
            waits[w.flow->nodes[head].first] = true;
    }
    return is_any;
}

bool ptx_waits_without_end(struct ptx_emitter *e, const struct ptx_function *function)
{
    struct waiting w = {.e = e};
    if (!begin(&w, function))
        return false;
    for (size_t i = 0; i < w.flow->reachable; i++) {
        const int32_t head = w.flow->order[i];
        if (waits_in_loop(&w, head) &&
            !ptx_loop_is_counted(w.flow, &(struct ptx_loop){head, w.loop, w.loop_count, w.is_in}))
            return true;
    }
    return false;
}

static void mark_loop(const struct waiting *w, bool *loops)
{
    for (size_t i = 0; i < w->loop_count; i++) {
        const struct ptx_node *node = &w->flow->nodes[w->loop[i]];
        for (uint32_t j = node->first; j < node->end; j++)
            loops[j] = true;
    }
}

/* Here loops are looked at through barriers, too: in their turns a block waits for another as a whole. */
bool ptx_waits_for_blocks(struct ptx_emitter *e, const struct ptx_function *function, bool *loops)
{
    struct waiting w = {.e = e, .meets_block = true};
    bool is_any = false;
    if (!begin(&w, function))
        return false;
    for (size_t i = 0; i < w.flow->reachable; i++) {
        if (!waits_in_loop(&w, w.flow->order[i]) || !w.is_far)
            continue;
        is_any = true;
        if (loops)
            mark_loop(&w, loops);
    }
    return is_any;
}
