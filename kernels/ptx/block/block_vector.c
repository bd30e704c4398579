/* How registers change along a row of threads, and what follows: which regions of the straight way are told to be made
 * vectors of, and where threads side by side store at one place. Compilers take several times as long over a loop that
 * they widen, which is worth it where its threads touch memory side by side, and nowhere else. For others they would
 * gather and scatter one element after the other.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"

/* By how much a register grows from one thread of a row to the next, in the unit of its value: 0 where it is the same for
 * the row. Of all that a kernel writes to it, wherever that is. */
enum {
    STEP_UNKNOWN = INT32_MIN,
    STEP_NONE, /* nothing written was looked at yet */
    STEP_SLOW  /* it stays the same for some threads, then changes */
};

/* Longer loops are not widened: what a compiler does to them grows faster than they do. Where only registers are touched,
 * it is worth it for a few instructions, as they stand between warp operations, in a kernel that has not many of them.
 * Where there are so many operations of float for each access that is none of neighbours, longer loops are, too: a
 * product of tiles of 64 x 64 takes 1.9 ms in place of 4.1, and PoCL 3.1 no longer to compile. */
enum {
    MOST_INSTRUCTIONS = 256,
    FEW_INSTRUCTIONS = 12,
    FEW_REGIONS = 24,
    MOST_ARITHMETIC = 1024,
    FLOATS_FOR_GATHER = 12
};

static int32_t step_from(int64_t step)
{
    return step > STEP_SLOW && step <= INT32_MAX ? (int32_t)step : STEP_UNKNOWN;
}

static int32_t step_of_product(int32_t step, int64_t factor)
{
    if (step <= STEP_SLOW || step == 0)
        return step;
    return factor > INT32_MAX || factor < INT32_MIN ? STEP_UNKNOWN : step_from(step * factor);
}

static int32_t step_of_sum(int32_t a, int32_t b)
{
    if (a == STEP_UNKNOWN || b == STEP_UNKNOWN)
        return STEP_UNKNOWN;
    if (a == STEP_NONE || b == STEP_NONE)
        return STEP_NONE;
    if (a == STEP_SLOW || b == STEP_SLOW)
        return (a == 0 || a == STEP_SLOW) && (b == 0 || b == STEP_SLOW) ? STEP_SLOW : STEP_UNKNOWN;
    return step_from((int64_t)a + b);
}

static int32_t step_of_operand(const int32_t *steps, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
    case PTX_OPERAND_ADDRESS:
        if (operand->index < 0)
            return 0;
        return operand->part ? STEP_UNKNOWN : steps[operand->index];
    case PTX_OPERAND_SPECIAL:
        if (operand->index == PTX_TID_X)
            return 1;
        return operand->index == PTX_TID_Y || operand->index == PTX_TID_Z ||
                       ptx_special_is_uniform(operand->index)
                   ? 0
                   : STEP_UNKNOWN;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_TEXTURE:
        return STEP_UNKNOWN;
    default:
        return 0;
    }
}

/* Of what is computed from what an instruction reads, in no way that is known: 0 where all that is the same for the row. */
static int32_t step_of_rest(const int32_t *steps, const struct ptx_instruction *in)
{
    int32_t step = 0;
    for (uint32_t i = ptx_destination_count(in); i < in->operand_count && step == 0; i++)
        step = step_of_operand(steps, &in->operands[i]);
    return step == 0 || step == STEP_NONE ? step : STEP_UNKNOWN;
}

static int32_t step_of_factors(const int32_t *steps, const struct ptx_operand *o)
{
    const int32_t a = step_of_operand(steps, &o[0]), b = step_of_operand(steps, &o[1]);
    if (o[1].kind == PTX_OPERAND_INTEGER)
        return step_of_product(a, o[1].bits);
    if (o[0].kind == PTX_OPERAND_INTEGER)
        return step_of_product(b, o[0].bits);
    return a == 0 && b == 0 ? 0 : a == STEP_NONE || b == STEP_NONE ? STEP_NONE : STEP_UNKNOWN;
}

static int32_t step_of_shift(const int32_t *steps, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    return o[2].kind == PTX_OPERAND_INTEGER && o[2].bits >= 0 && o[2].bits < 31
               ? step_of_product(step_of_operand(steps, &o[1]), INT64_C(1) << o[2].bits)
               : step_of_rest(steps, in);
}

/* Of what is without the lowest bits of something; the sign of a number counts as the same for all, which it is where
 * compilers ask for it: in divisions of what is not negative. */
static int32_t step_of_upper(const int32_t *steps, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    const int32_t step = step_of_operand(steps, &o[1]);
    if (in->opcode == PTX_OPCODE_shr && o[2].kind == PTX_OPERAND_INTEGER && o[2].bits >= 31)
        return step == STEP_NONE || step == STEP_UNKNOWN ? step : 0;
    const bool is_cut = o[2].kind == PTX_OPERAND_INTEGER &&
                        (in->opcode == PTX_OPCODE_and ? (int32_t)o[2].bits < 0 : o[2].bits > 0);
    return is_cut && (step > STEP_SLOW ? step != 0 : step == STEP_SLOW) ? STEP_SLOW
                                                                        : step_of_rest(steps, in);
}

/* Of what is kept within bounds that are the same for all: most threads are. */
static int32_t step_of_clamp(const int32_t *steps, const struct ptx_instruction *in)
{
    const int32_t a = step_of_operand(steps, &in->operands[1]),
                  b = step_of_operand(steps, &in->operands[2]);
    const int32_t step = a == 0 ? b : b == 0 ? a : STEP_UNKNOWN;
    return step > STEP_SLOW && !ptx_type_is_float(in->types[0]) ? step : step_of_rest(steps, in);
}

/* Of what an instruction writes. */
static int32_t step_of_result(const int32_t *steps, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    switch (in->operand_count > 2 || in->opcode == PTX_OPCODE_mov ? in->opcode : PTX_OPCODE_cvt) {
    case PTX_OPCODE_mov:
        return step_of_operand(steps, &o[1]);
    case PTX_OPCODE_or: /* a sum whose terms have no bit in common */
    case PTX_OPCODE_add:
        return step_of_sum(step_of_operand(steps, &o[1]), step_of_operand(steps, &o[2]));
    case PTX_OPCODE_sub:
        return step_of_sum(step_of_operand(steps, &o[1]),
                           step_of_product(step_of_operand(steps, &o[2]), -1));
    case PTX_OPCODE_mul:
        return step_of_factors(steps, &o[1]);
    case PTX_OPCODE_mad:
        return step_of_sum(step_of_factors(steps, &o[1]), step_of_operand(steps, &o[3]));
    case PTX_OPCODE_shl:
        return step_of_shift(steps, in);
    case PTX_OPCODE_min:
    case PTX_OPCODE_max:
        return step_of_clamp(steps, in);
    case PTX_OPCODE_shr:
    case PTX_OPCODE_and:
    case PTX_OPCODE_div:
        return step_of_upper(steps, in);
    default:
        return (in->opcode == PTX_OPCODE_cvt && !ptx_type_is_float(in->types[0])) ||
                       in->opcode == PTX_OPCODE_cvta
                   ? step_of_operand(steps, &o[1])
                   : step_of_rest(steps, in);
    }
}

struct writing {
    int32_t *steps, step;
    bool is_changed;
};

static void note_step(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct writing *w = with;
    const int32_t before = w->steps[index];
    if (before == STEP_NONE)
        w->steps[index] = w->step;
    else if (w->step != STEP_NONE && w->step != before)
        w->steps[index] = STEP_UNKNOWN;
    w->is_changed |= w->steps[index] != before;
}

/* What the block form knows to be the same for all threads is so; all else is as it is written. */
int32_t *ptx_block_find_steps(struct ptx_emitter *e, const struct ptx_regions *r)
{
    const struct ptx_function *f = r->flow->function;
    int32_t *steps = ptx_arena_array(e->arena, f->register_count + 1, sizeof *steps);
    for (size_t i = 0; i < f->register_count; i++)
        steps[i] = r->uniform.registers[i] ? 0 : STEP_NONE;
    struct writing w = {.steps = steps, .is_changed = true};
    while (w.is_changed) {
        w.is_changed = false;
        ptx_steps(e->arena, f->instruction_count);
        for (size_t i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            w.step = in->operand_count < 2 ? STEP_UNKNOWN : step_of_result(steps, in);
            ptx_flow_writes(in, note_step, &w);
        }
    }
    return steps;
}

static bool is_memory(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_st) &&
           in->space != PTX_SPACE_PARAM && in->space != PTX_SPACE_CONST;
}

/* What has no vectors. */
static bool is_plain(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_atom:
    case PTX_OPCODE_red:
    case PTX_OPCODE_mbarrier:
    case PTX_OPCODE_trap:
    case PTX_OPCODE_brx:
    case PTX_OPCODE_membar:
    case PTX_OPCODE_fence:
    case PTX_OPCODE_tex:
    case PTX_OPCODE_tld4:
    case PTX_OPCODE_suld:
    case PTX_OPCODE_sust:
    case PTX_OPCODE_sured:
        return false;
    case PTX_OPCODE_cp:
        return in->operation != PTX_OP_BULK;
    default:
        return true;
    }
}

/* ---- Threads that store at one place ---- */

static bool is_varied(const struct ptx_regions *r, const struct ptx_operand *value)
{
    bool is_any = value->kind == PTX_OPERAND_REGISTER && !r->uniform.registers[value->index];
    for (uint32_t i = 0; value->kind == PTX_OPERAND_VECTOR && i < value->count; i++)
        is_any |= is_varied(r, &value->list[i]);
    return is_any;
}

/* Where some threads go only, one address for all is that of the one thread which comes there. A generic address may be of
 * local memory, where the same one is another place for each thread. */
static bool stores_at_one_place(const struct ptx_regions *r, size_t instruction)
{
    const struct ptx_instruction *in = &r->flow->function->instructions[instruction];
    if (in->opcode != PTX_OPCODE_st || in->operand_count < 2 ||
        (in->order != PTX_ORDER_NONE && in->order != PTX_ORDER_VOLATILE) ||
        (in->space != PTX_SPACE_GLOBAL && in->space != PTX_SPACE_SHARED))
        return false;
    const int32_t step = step_of_operand(r->facts->steps, &in->operands[0]);
    return is_varied(r, &in->operands[1]) &&
           (step == STEP_SLOW ||
            (step == 0 && !r->uniform.is_divergent[r->flow->node_of[instruction]]));
}

static bool may_write_in(const struct ptx_instruction *in, enum ptx_space space)
{
    switch (in->opcode) {
    case PTX_OPCODE_call:
    case PTX_OPCODE_cp:
        return true;
    case PTX_OPCODE_st:
    case PTX_OPCODE_atom:
    case PTX_OPCODE_red:
    case PTX_OPCODE_mbarrier:
        return in->space == space ||
               (in->space != PTX_SPACE_GLOBAL && in->space != PTX_SPACE_SHARED &&
                in->space != PTX_SPACE_LOCAL && in->space != PTX_SPACE_PARAM);
    default:
        return false;
    }
}

/* Of what stands before it in its node: whether that is left out likewise, for the same threads where it is at the same
 * place. */
static bool goes_with(const struct ptx_regions *r, size_t before, size_t store)
{
    return r->flow->node_of[before] == r->flow->node_of[store] &&
           r->flow->function->instructions[before].guard < 0 && stores_at_one_place(r, before);
}

/* Whether a thread may have written there before, in the same region: it would see that stay if its store were left out. */
static bool may_be_written_before(const struct ptx_regions *r, const struct ptx_region *region,
                                  size_t store)
{
    const struct ptx_flow *flow = r->flow;
    const struct ptx_instruction *all = flow->function->instructions;
    const int32_t last = flow->position[flow->node_of[store]];
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &flow->nodes[region->nodes[i]];
        const bool is_own = region->nodes[i] == flow->node_of[store];
        ptx_steps(flow->arena, 1 + node->end - node->first);
        for (uint32_t j = node->first; flow->position[region->nodes[i]] <= last && j < node->end;
             j++)
            if ((!is_own || j < store) && may_write_in(&all[j], (enum ptx_space)all[store].space) &&
                !goes_with(r, j, store))
                return true;
    }
    return false;
}

/* Whether a thread may come to a node of a region again before the next thread has its turn: it passes the head of a loop
 * that comes no later in the order of the flow, and whose end comes no earlier. */
static bool is_in_loop(const struct ptx_regions *r, const struct ptx_region *region, int32_t at)
{
    const struct ptx_flow *flow = r->flow;
    for (size_t i = 0; i < region->node_count; i++) {
        const int32_t from = region->nodes[i];
        const struct ptx_node *node = &flow->nodes[from];
        ptx_steps(flow->arena, 1 + node->next_count);
        for (uint32_t j = 0; flow->position[from] >= flow->position[at] && j < node->next_count;
             j++) {
            const int32_t to = node->next[j];
            if (&r->all[r->region_of[to]] == region && flow->position[to] <= flow->position[at] &&
                (to != region->head || r->is_turn[to]))
                return true;
        }
    }
    return false;
}

/* Stores of all threads but the first at a place are left out, which no thread may notice: none reads its own value, or
 * stores another, in between. */
bool ptx_block_is_contended(const struct ptx_regions *r, size_t instruction)
{
    if (!stores_at_one_place(r, instruction))
        return false;
    const int32_t node = r->flow->node_of[instruction];
    const struct ptx_region *region = &r->all[r->region_of[node]];
    return !is_in_loop(r, region, node) && !may_be_written_before(r, region, instruction);
}

size_t ptx_block_contended_in(const struct ptx_regions *r, const struct ptx_region *region)
{
    size_t count = 0;
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
        for (uint32_t j = node->first; j < node->end; j++)
            count += ptx_block_is_contended(r, j);
    }
    return count;
}

/* ---- Which loops ---- */

struct widening {
    const int32_t *steps;
    bool is_plain, is_worth_it;
    size_t gathers, floats; /* accesses that are none of neighbours; arithmetic */
};

static bool is_float_arithmetic(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_fma || in->opcode == PTX_OPCODE_mad ||
            in->opcode == PTX_OPCODE_add || in->opcode == PTX_OPCODE_sub ||
            in->opcode == PTX_OPCODE_mul) &&
           ptx_type_is_float(in->types[0]);
}

/* Neighbours, the same for all, or a step that is known: columns of a matrix. */
static void look_at_instruction(struct widening *w, const struct ptx_instruction *in)
{
    w->is_plain &= is_plain(in);
    w->floats += is_float_arithmetic(in);
    if (!is_memory(in) || in->operand_count < 2)
        return;
    const int32_t step = step_of_operand(w->steps, &in->operands[in->opcode == PTX_OPCODE_ld]);
    w->is_plain &= in->space != PTX_SPACE_LOCAL && !ptx_is_volatile(in);
    w->gathers += step <= STEP_SLOW;
    w->is_worth_it |= step != 0;
}

/* Only loops without loops in them are made vectors of. */
static bool has_loop(const struct ptx_regions *r, const struct ptx_region *region)
{
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
        for (uint32_t j = 0; j < node->next_count; j++) {
            const int32_t to = node->next[j];
            if (&r->all[r->region_of[to]] == region && to != region->head &&
                r->flow->position[to] <= r->flow->position[region->nodes[i]])
                return true;
        }
    }
    return false;
}

/* ---- What compilers may put in another order ---- */

static const struct ptx_operand *address_of(const struct ptx_instruction *in)
{
    return &in->operands[in->opcode == PTX_OPCODE_ld];
}

static int64_t bytes_of(const struct ptx_instruction *in)
{
    const int64_t elements = in->width > 1 ? in->width : 1;
    return elements * (int64_t)ptx_type_bytes((enum ptx_type)in->types[0]);
}

/* Whether threads access places at a distance from each other. */
static bool is_at_distance(const struct ptx_regions *r, const struct ptx_instruction *in)
{
    const int64_t step = step_of_operand(r->facts->steps, address_of(in));
    return step != STEP_SLOW && step != 0 && step != bytes_of(in) && step != -bytes_of(in);
}

/* Whether a thread may come to what it has stored before; is_same: a register has in both what it had in the first. */
static bool may_meet(const struct ptx_instruction *store, const struct ptx_instruction *in,
                     bool is_same)
{
    const struct ptx_operand *a = address_of(store), *b = address_of(in);
    const bool are_apart = store->space != in->space && store->space != PTX_SPACE_GENERIC &&
                           in->space != PTX_SPACE_GENERIC;
    if (are_apart || (in->flags & PTX_NC))
        return false;
    if (!is_same || a->index != b->index || a->variable != b->variable)
        return true;
    return a->bits < b->bits + bytes_of(in) && b->bits < a->bits + bytes_of(store);
}

static bool may_meet_later(const struct ptx_regions *r, const struct ptx_region *region,
                           size_t node, const struct ptx_instruction *store)
{
    const struct ptx_function *f = r->flow->function;
    const struct ptx_operand *address = address_of(store);
    bool is_same = true;
    for (size_t i = node; i < region->node_count; i++) {
        const struct ptx_node *in_node = &r->flow->nodes[region->nodes[i]];
        const struct ptx_instruction *in = &f->instructions[in_node->first];
        ptx_steps(r->flow->arena, 1 + in_node->end - in_node->first);
        for (in = i == node ? store + 1 : in; in < &f->instructions[in_node->end]; in++) {
            if (is_memory(in) && in->operand_count > 1 && may_meet(store, in, is_same) &&
                (is_at_distance(r, store) || is_at_distance(r, in)))
                return true;
            is_same = is_same && (address->index < 0 ||
                                  !ptx_flow_writes_register(in, (uint32_t)address->index));
        }
    }
    return false;
}

/* LLVM takes threads that are said not to depend on each other for accesses that do not either: it brings loads at a distance
 * from thread to thread to where the first of several that lie beside each other stands, and stores to the last, past what the same
 * thread stores there in between. */
static bool may_lose_order(const struct ptx_regions *r, const struct ptx_region *region)
{
    const struct ptx_function *f = r->flow->function;
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
        for (uint32_t j = node->first; j < node->end; j++)
            if (f->instructions[j].opcode == PTX_OPCODE_st && is_memory(&f->instructions[j]) &&
                may_meet_later(r, region, i, &f->instructions[j]))
                return true;
    }
    return false;
}

static size_t instructions_of(const struct ptx_regions *r, const struct ptx_region *region)
{
    size_t count = 0;
    for (size_t i = 0; i < region->node_count; i++)
        count += r->flow->nodes[region->nodes[i]].end - r->flow->nodes[region->nodes[i]].first;
    return count;
}

bool ptx_block_is_wide(const struct ptx_regions *r, const struct ptx_region *region)
{
    const struct ptx_function *f = r->flow->function;
    const size_t count = instructions_of(r, region);
    struct widening w = {.steps = r->facts->steps, .is_plain = true};
    w.is_worth_it = count <= FEW_INSTRUCTIONS && r->count <= FEW_REGIONS;
    if (region->has_call || region->turns || has_loop(r, region) || count > MOST_ARITHMETIC)
        return false;
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
        for (uint32_t j = node->first; j < node->end; j++)
            if (&f->instructions[j] != region->step)
                look_at_instruction(&w, &f->instructions[j]);
    }
    const bool is_arithmetic = w.floats > 0 && w.gathers * FLOATS_FOR_GATHER <= w.floats &&
                               2 * w.floats >= count && ptx_block_contended_in(r, region) == 0;
    return w.is_plain && w.is_worth_it && !may_lose_order(r, region) &&
           ((w.gathers == 0 && count <= MOST_INSTRUCTIONS) || is_arithmetic);
}
