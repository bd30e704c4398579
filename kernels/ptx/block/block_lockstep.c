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
        if (ptx_is_barrier(in) || (in->opcode == PTX_OPCODE_bar))
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

struct search {
    const struct ptx_function *function;
    const struct ptx_instruction *from;
    bool *starts;
    bool is_met; /* a load that begins a region comes after */
};

/* After a store: loads of other places. */
static enum walking mark_load(void *with, size_t instruction)
{
    struct search *s = with;
    const struct ptx_instruction *in = &s->function->instructions[instruction];
    if (is_shared(in, PTX_OPCODE_ld) && !ptx_is_same_place(in, s->from))
        s->starts[instruction] = true;
    return WALK_ON;
}

/* After a load that begins a region: stores. */
static enum walking mark_store(void *with, size_t instruction)
{
    struct search *s = with;
    if (is_shared(&s->function->instructions[instruction], PTX_OPCODE_st))
        s->starts[instruction] = true;
    return WALK_ON;
}

/* After a store: whether such a load comes at all. */
static enum walking look_for_load(void *with, size_t instruction)
{
    struct search *s = with;
    s->is_met |=
        s->starts[instruction] && is_shared(&s->function->instructions[instruction], PTX_OPCODE_ld);
    return s->is_met ? WALK_END : WALK_ON;
}

/* Code for warps in lockstep has a few such accesses for each step of a reduction or a scan. Kernels with more were
 * unrolled for threads that work alone: the stores would cost time in the square of their number here, and the regions
 * a compiler's time. */
enum { MOST_STORES = 512, MOST_MEETINGS = 96 };

static void drop_if_many(bool *starts, size_t count)
{
    size_t meetings = 0;
    for (size_t i = 0; i < count; i++)
        meetings += starts[i];
    if (meetings > MOST_MEETINGS)
        memset(starts, 0, count * sizeof *starts);
}

static void find_silent_meetings(struct ptx_emitter *e, const struct ptx_function *function,
                                 bool *starts)
{
    struct search s = {.function = function, .starts = starts};
    struct walk w = {.flow = ptx_flow_make(e->arena, function, NULL)};
    w.marks = ptx_arena_array(e->arena, w.flow->count + 1, sizeof *w.marks);
    w.stack = ptx_arena_array(e->arena, w.flow->count + 1, sizeof *w.stack);
    found_instruction *const passes[] = {mark_load, mark_store, look_for_load};
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++)
        for (size_t i = 0; i < function->instruction_count; i++) {
            s.from = &function->instructions[i];
            const bool is_start = is_shared(s.from, pass == 1 ? PTX_OPCODE_ld : PTX_OPCODE_st);
            if (!is_start || (pass == 1 && !starts[i]))
                continue;
            s.is_met = false;
            walk_from(&w, i, passes[pass], &s);
            starts[i] |= s.is_met;
        }
    drop_if_many(starts, function->instruction_count);
}

static size_t count_shared_stores(const struct ptx_function *function)
{
    size_t count = 0;
    for (size_t i = 0; i < function->instruction_count; i++)
        count += is_shared(&function->instructions[i], PTX_OPCODE_st);
    return count;
}

bool ptx_block_has_meetings(struct ptx_emitter *e, const struct ptx_function *function)
{
    bool *starts = ptx_arena_array(e->arena, function->instruction_count + 1, sizeof *starts);
    const size_t stores = count_shared_stores(function);
    if (stores > 0 && stores <= MOST_STORES)
        find_silent_meetings(e, function, starts);
    for (size_t i = 0; i < function->instruction_count; i++)
        if (starts[i])
            return true;
    return false;
}

bool *ptx_block_meetings(struct ptx_emitter *e, const struct ptx_function *function)
{
    bool *starts = ptx_arena_array(e->arena, function->instruction_count + 1, sizeof *starts);
    const size_t stores = count_shared_stores(function);
    if (stores > 0 && stores <= MOST_STORES)
        find_silent_meetings(e, function, starts);
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        starts[i] |= ptx_is_barrier(in) || ptx_is_warp_operation(in) || ptx_is_lockstep(in);
    }
    return starts;
}

/* ---- Critical sections ---- */

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

struct mask_search {
    uint32_t index;
    bool is_written;
};

static void find_mask(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct mask_search *s = with;
    s->is_written |= index == s->index;
}

static bool sets_mask(const struct ptx_instruction *in, const struct ptx_operand *mask)
{
    struct mask_search s = {.index = (uint32_t)mask->index};
    if (mask->kind != PTX_OPERAND_REGISTER)
        return false;
    ptx_flow_writes(in, find_mask, &s);
    return s.is_written;
}

static bool is_same_mask(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == b->kind && (a->kind == PTX_OPERAND_REGISTER ? a->index == b->index
                                  : a->kind == PTX_OPERAND_INTEGER && a->bits == b->bits);
}

/* Lanes that did one together do the next of the same mask together too, with nothing between that they could part at:
 * none has to wait there for another. */
static void join_warp_operations(struct ptx_emitter *e, const struct ptx_function *function,
                                 bool *starts)
{
    const struct ptx_flow *flow = ptx_flow_make(e->arena, function, NULL);
    const struct ptx_operand *mask = NULL; /* of the last one, where all that came after it is done by its lanes */
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
