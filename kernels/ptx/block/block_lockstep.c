/* Where the threads of a warp meet without saying so: shared memory that they hand values through with no
 * barrier between, as code written for warps in lockstep does.
 *
 * Volatile accesses say so. For others it follows from the text: a load that may come after a store to
 * another address with no barrier between reads what another thread of the warp stored, or is not
 * worth the store. Such loads begin a region, and so do the stores around them, or a thread
 * would overwrite what the next one has yet to read. A thread's own element, stored and loaded at the same
 * register and offset, is no such case.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/block/block.h"

static bool is_shared(const struct ptx_instruction *in, uint16_t opcode)
{
    return in->opcode == opcode && in->space == PTX_SPACE_SHARED;
}

static bool is_barrier(const struct ptx_instruction *in)
{
    return ptx_is_barrier(in) || in->opcode == PTX_OPCODE_bar;
}

/* ---- Meetings ---- */

/* What was stored on the ways to an instruction with no barrier since. One store, or several to one place, stand for
 * nothing but that place. */
enum { STORED_NOTHING = -1, STORED_SEVERAL = -2 };

struct meetings {
    const struct ptx_flow *flow;
    const struct ptx_instruction *all;
    bool *starts;
    int64_t *stored; /* per node, at its start: a store, or one of the enum */
    bool *
        is_passed; /* per node: at its start a load that begins a region has come before; or at its end one comes after */
};

static bool is_start(const struct meetings *m, size_t i, uint16_t opcode)
{
    return m->starts[i] && is_shared(&m->all[i], opcode);
}

static int64_t join_stores(const struct meetings *m, int64_t a, int64_t b)
{
    if (a == b || b == STORED_NOTHING)
        return a;
    if (a == STORED_NOTHING)
        return b;
    return a >= 0 && b >= 0 && ptx_is_same_place(&m->all[a], &m->all[b]) ? a : STORED_SEVERAL;
}

/* Loads of other places than all that was stored is at begin a region. */
static int64_t pass_stores(const struct meetings *m, const struct ptx_node *node, int64_t stored)
{
    for (uint32_t i = node->first; i < node->end; i++) {
        const struct ptx_instruction *in = &m->all[i];
        if (is_barrier(in))
            stored = STORED_NOTHING;
        else if (is_shared(in, PTX_OPCODE_st))
            stored = join_stores(m, stored, i);
        else if (is_shared(in, PTX_OPCODE_ld) && stored != STORED_NOTHING)
            m->starts[i] |= stored == STORED_SEVERAL || !ptx_is_same_place(in, &m->all[stored]);
    }
    return stored;
}

/* Stores behind a load that begins a region begin one, too. */
static bool pass_loads(const struct meetings *m, const struct ptx_node *node, bool is_passed)
{
    for (uint32_t i = node->first; i < node->end; i++) {
        if (is_barrier(&m->all[i]))
            is_passed = false;
        m->starts[i] |= is_passed && is_shared(&m->all[i], PTX_OPCODE_st);
        is_passed |= is_start(m, i, PTX_OPCODE_ld);
    }
    return is_passed;
}

/* And stores before one. */
static bool pass_loads_back(const struct meetings *m, const struct ptx_node *node, bool is_passed)
{
    for (uint32_t i = node->end; i > node->first; i--) {
        if (is_barrier(&m->all[i - 1]))
            is_passed = false;
        m->starts[i - 1] |= is_passed && is_shared(&m->all[i - 1], PTX_OPCODE_st);
        is_passed |= is_start(m, i - 1, PTX_OPCODE_ld);
    }
    return is_passed;
}

/* What a node leads to is told; whether that is news anywhere. What is known grows twice at most. */
static bool tell_stores(const struct meetings *m, int32_t at)
{
    const struct ptx_node *node = &m->flow->nodes[at];
    const int64_t stored = pass_stores(m, node, m->stored[at]);
    bool is_news = false;
    for (uint32_t i = 0; i < node->next_count; i++) {
        int64_t *next = &m->stored[node->next[i]];
        const int64_t joined = join_stores(m, *next, stored);
        is_news |= joined != *next;
        *next = joined;
    }
    return is_news;
}

static bool tell_passed(const struct meetings *m, const int32_t *to, uint32_t count, bool is_passed)
{
    bool is_news = false;
    for (uint32_t i = 0; is_passed && i < count; i++) {
        is_news |= !m->is_passed[to[i]];
        m->is_passed[to[i]] = true;
    }
    return is_news;
}

static bool tell_loads(const struct meetings *m, int32_t at)
{
    const struct ptx_node *node = &m->flow->nodes[at];
    return tell_passed(m, node->next, node->next_count, pass_loads(m, node, m->is_passed[at]));
}

static bool tell_loads_back(const struct meetings *m, int32_t at)
{
    const struct ptx_node *node = &m->flow->nodes[at];
    return tell_passed(m, node->previous, node->previous_count,
                       pass_loads_back(m, node, m->is_passed[at]));
}

/* Node after node in the order of the flow or against it, until nothing is new: once more for each loop within loops. */
static void settle(struct meetings *m, bool tell(const struct meetings *, int32_t), bool is_back)
{
    const struct ptx_flow *flow = m->flow;
    memset(m->is_passed, 0, (flow->count + 1) * sizeof *m->is_passed);
    for (bool is_news = true; is_news;) {
        is_news = false;
        ptx_steps(flow->arena, flow->function->instruction_count);
        for (size_t i = 0; i < flow->reachable; i++)
            is_news |= tell(m, flow->order[is_back ? flow->reachable - 1 - i : i]);
    }
}

static void find_silent_meetings(struct ptx_emitter *e, const struct ptx_function *function,
                                 bool *starts)
{
    struct meetings m = {.flow = ptx_flow_make(e->arena, function, NULL),
                         .all = function->instructions,
                         .starts = starts};
    m.stored = ptx_arena_array(e->arena, m.flow->count + 1, sizeof *m.stored);
    m.is_passed = ptx_arena_array(e->arena, m.flow->count + 1, sizeof *m.is_passed);
    for (size_t i = 0; i < m.flow->count; i++)
        m.stored[i] = STORED_NOTHING;
    settle(&m, tell_stores, false);
    settle(&m, tell_loads, false);
    settle(&m, tell_loads_back, true);
}

static bool has_shared_stores(const struct ptx_function *function)
{
    for (size_t i = 0; i < function->instruction_count; i++)
        if (is_shared(&function->instructions[i], PTX_OPCODE_st))
            return true;
    return false;
}

size_t ptx_block_silent_meetings(struct ptx_emitter *e, const struct ptx_function *function)
{
    bool *starts = ptx_arena_array(e->arena, function->instruction_count + 1, sizeof *starts);
    size_t count = 0;
    if (has_shared_stores(function))
        find_silent_meetings(e, function, starts);
    for (size_t i = 0; i < function->instruction_count; i++)
        count += starts[i];
    return count;
}

bool *ptx_block_meetings(struct ptx_emitter *e, const struct ptx_function *function)
{
    bool *starts = ptx_arena_array(e->arena, function->instruction_count + 1, sizeof *starts);
    if (has_shared_stores(function))
        find_silent_meetings(e, function, starts);
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        starts[i] |= ptx_is_barrier(in) || ptx_is_warp_operation(in) || ptx_is_lockstep(in) ||
                     ptx_is_mbarrier_wait(in); /* when all have arrived, none waits */
    }
    return starts;
}

/* ---- Critical sections ---- */

/* What a walk along the ways without barriers from one instruction finds. */
struct walk {
    const struct ptx_flow *flow;
    uint32_t *marks; /* per node: the last walk that entered it at its start */
    uint32_t mark;
    int32_t *stack;
    size_t count;
};

enum walking {
    WALK_ON,
    WALK_BACK, /* not further on this way */
    WALK_END   /* enough */
};

typedef enum walking found_instruction(void *with, size_t instruction);

/* Looks through a node from an instruction on; true if the way goes on behind it. */
static bool look_through(const struct walk *w, size_t first, size_t end, found_instruction *found,
                         void *with, bool *is_enough)
{
    for (size_t i = first; i < end; i++) {
        const struct ptx_instruction *in = &w->flow->function->instructions[i];
        if (is_barrier(in))
            return false;
        const enum walking next = found(with, i);
        if (next != WALK_ON) {
            *is_enough = next == WALK_END;
            return false;
        }
    }
    return true;
}

static void walk_from(struct walk *w, size_t instruction, found_instruction *found, void *with)
{
    bool is_enough = false;
    const int32_t start = w->flow->node_of[instruction];
    w->mark++;
    w->count = 0;
    int32_t at = start;
    size_t first = instruction + 1;
    for (;;) {
        const struct ptx_node *node = &w->flow->nodes[at];
        ptx_steps(w->flow->arena, 1 + (node->end - first) / 4);
        const bool goes_on = look_through(w, first, node->end, found, with, &is_enough);
        if (is_enough)
            return;
        for (uint32_t i = 0; goes_on && i < node->next_count; i++)
            if (w->marks[node->next[i]] != w->mark) {
                w->marks[node->next[i]] = w->mark;
                w->stack[w->count++] = node->next[i];
            }
        if (w->count == 0)
            return;
        at = w->stack[--w->count];
        first = w->flow->nodes[at].first;
    }
}

/* Between taking a lock and letting go of it, a thread must not be made to wait for others of its block:
 * they would wait for the lock. */
struct section {
    const struct ptx_function *function;
    const struct ptx_instruction *take; /* atom.cas or atom.exch */
    bool *within;                       /* per instruction */
    bool is_let_go;
};

static bool is_ordered_store(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_st && in->order != PTX_ORDER_NONE;
}

/* On the way from where a lock is taken to where it is let go. */
static enum walking note_section(void *with, size_t instruction)
{
    struct section *s = with;
    const struct ptx_instruction *in = &s->function->instructions[instruction];
    const bool is_atomic = in->opcode == PTX_OPCODE_atom || in->opcode == PTX_OPCODE_red;
    const bool is_end =
        in != s->take && (is_atomic || is_ordered_store(in)) && ptx_is_same_place(in, s->take);
    s->is_let_go |= is_end;
    s->within[instruction] = true;
    return is_end ? WALK_BACK : WALK_ON;
}

static bool takes_lock(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_atom &&
           (in->operation == PTX_OP_CAS || in->operation == PTX_OP_EXCH);
}

/* More locks than this no kernel has; the search costs time for each. */
enum { MOST_LOCKS = 64 };

static void join_sections(struct ptx_emitter *e, const struct ptx_function *function, bool *starts)
{
    const size_t count = function->instruction_count;
    struct walk w = {.flow = NULL};
    struct section s = {.function = function};
    for (size_t i = 0, locks = 0; i < count && locks < MOST_LOCKS; i++) {
        if (!takes_lock(&function->instructions[i]))
            continue;
        if (locks++ == 0) {
            w.flow = ptx_flow_make(e->arena, function, NULL);
            w.marks = ptx_arena_array(e->arena, w.flow->count + 1, sizeof *w.marks);
            w.stack = ptx_arena_array(e->arena, w.flow->count + 1, sizeof *w.stack);
            s.within = ptx_arena_array(e->arena, count + 1, sizeof *s.within);
        }
        s.take = &function->instructions[i];
        s.is_let_go = false;
        memset(s.within, 0, count * sizeof *s.within);
        walk_from(&w, i, note_section, &s);
        for (size_t j = 0; s.is_let_go && j < count; j++)
            starts[j] &= !s.within[j] || ptx_is_barrier(&function->instructions[j]) ||
                         ptx_is_warp_operation(&function->instructions[j]);
    }
}

/* ---- Warp operations of the same lanes ---- */

static bool sets_mask(const struct ptx_instruction *in, const struct ptx_operand *mask)
{
    return mask->kind == PTX_OPERAND_REGISTER &&
           ptx_flow_writes_register(in, (uint32_t)mask->index);
}

static bool is_same_mask(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == b->kind &&
           (a->kind == PTX_OPERAND_REGISTER ? a->index == b->index
                                            : a->kind == PTX_OPERAND_INTEGER && a->bits == b->bits);
}

/* Lanes that did one together do the next of the same mask together too, with nothing between that they could part at:
 * none has to wait there for another. */
static void join_warp_operations(struct ptx_emitter *e, const struct ptx_function *function,
                                 bool *starts)
{
    const struct ptx_flow *flow = ptx_flow_make(e->arena, function, NULL);
    const struct ptx_operand *mask =
        NULL; /* of the last one, where all that came after it is done by its lanes */
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (i > 0 && flow->node_of[i] != flow->node_of[i - 1])
            mask = NULL;
        if (ptx_is_warp_operation(in)) {
            const struct ptx_operand *own = ptx_member_mask(in);
            starts[i] &= !(mask && own && is_same_mask(mask, own));
            mask = own;
        } else if (starts[i]) {
            mask = NULL;
        }
        if (mask && sets_mask(in, mask))
            mask = NULL;
    }
}

bool *ptx_block_starts(struct ptx_emitter *e, const struct ptx_function *function)
{
    bool *starts = ptx_block_meetings(e, function);
    ptx_block_strides(e, function, starts);
    join_sections(e, function, starts);
    if (e->warp_writer)
        join_warp_operations(e, function, starts);
    return starts;
}
