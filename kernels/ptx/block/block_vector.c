/* How registers change along a row of threads, and what follows: which regions of the straight way are told to be made
 * vectors of, and where threads side by side store at one place. Compilers take several times as long over a loop that
 * they widen, which is worth it where its threads touch memory side by side, and nowhere else. For others they would
 * gather and scatter one element after the other.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/step.h"
#include "kernels/ptx/block/block.h"

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
    const int32_t step = ptx_step_of_operand(r->facts->steps, &in->operands[0]);
    return is_varied(r, &in->operands[1]) &&
           (step == PTX_STEP_SLOW ||
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
    if (!ptx_is_plain_access(in) || in->operand_count < 2)
        return;
    const int32_t step = ptx_step_of_operand(w->steps, &in->operands[in->opcode == PTX_OPCODE_ld]);
    w->is_plain &= in->space != PTX_SPACE_LOCAL && !ptx_is_volatile(in);
    w->gathers += step <= PTX_STEP_SLOW;
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

static bool may_lose_order(const struct ptx_regions *r, const struct ptx_region *region)
{
    const struct ptx_function *f = r->flow->function;
    for (size_t i = 0; i < region->node_count; i++) {
        const struct ptx_node *node = &r->flow->nodes[region->nodes[i]];
        for (uint32_t j = node->first; j < node->end; j++)
            if (ptx_may_lose_order(r->flow, r->facts->steps, &region->nodes[i],
                                   region->node_count - i, &f->instructions[j]))
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
