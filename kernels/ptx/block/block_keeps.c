/* How the registers of a kernel come from one region into another: enum ptx_keep.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"

struct keeping {
    struct ptx_emitter *e;
    const struct ptx_function *function;
    const struct ptx_regions *r; /* of the straight way */
    uint8_t *keeps;              /* enum ptx_keep per register: what is found */
    int32_t *definitions;        /* per register: likewise, see struct ptx_block_facts */
    bool *crosses;               /* per register: some region begins with it */
    uint32_t *
        definition_counts; /* per register: instructions that write it; 2 for one that writes a part */
    uint32_t *costs;       /* per recomputed register: instructions */
    int32_t *writers;      /* per register: the last instruction that writes it, or -1 */
};

/* ---- Which registers cross ---- */

static void note(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

static void find_crossing(const struct ptx_regions *r, bool *crosses)
{
    for (size_t i = 0; i < r->count; i++) {
        if (!ptx_region_is_entered(r, i))
            continue;
        if (r->all[i].step)
            ptx_flow_writes(r->all[i].step, note, crosses);
        for (size_t j = 0; j < r->flow->function->register_count; j++)
            crosses[j] |= ptx_flow_is_live(r->flow, r->all[i].head, (uint32_t)j);
    }
}

static void count_definition(void *with, uint32_t index, bool is_whole)
{
    ((uint32_t *)with)[index] += is_whole ? 1 : 2;
}

static void find_definitions(struct keeping *k)
{
    for (size_t i = 0; i < k->function->instruction_count; i++)
        ptx_flow_writes(&k->function->instructions[i], count_definition, k->definition_counts);
}

/* ---- What can be computed at any time: constant and recomputed registers ---- */

struct cost {
    const struct keeping *k;
    uint32_t sum;
    bool is_known, is_constant;
};

/* What a register costs to compute anew; arrays cost about as much as a few operations. */
enum { MOST_COST = 12 };

static void add_cost(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct cost *c = with;
    const uint8_t keep = c->k->keeps[index];
    c->is_known &= keep == PTX_KEEP_CONSTANT || keep == PTX_KEEP_RECOMPUTED;
    c->is_constant &= keep == PTX_KEEP_CONSTANT;
    c->sum += keep == PTX_KEEP_CONSTANT ? 0 : c->k->costs[index];
}

static bool specials_are_uniform(const struct keeping *k, const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_SPECIAL &&
            (!ptx_special_is_uniform(in->operands[i].index) ||
             (k->r->facts->joins_blocks && in->operands[i].index == PTX_CTAID_X)))
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
static bool can_recompute(const struct keeping *k, const struct ptx_instruction *in, struct cost *c)
{
    if (in->guard >= 0 || in->has_second_destination || ptx_destination_count(in) != 1 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].part != 0 ||
        !ptx_flow_is_pure(k->function, in) || names_local(in))
        return false;
    *c = (struct cost){k, 1, true, specials_are_uniform(k, in)};
    ptx_flow_reads(in, add_cost, c);
    return c->is_known && (c->is_constant || c->sum <= MOST_COST);
}

/* Registers with one definition that can be computed at any time. */
static bool try_definition(struct keeping *k, size_t instruction)
{
    const struct ptx_instruction *in = &k->function->instructions[instruction];
    struct cost c;
    if (!can_recompute(k, in, &c))
        return false;
    const uint32_t index = (uint32_t)in->operands[0].index;
    if (k->definition_counts[index] != 1 || k->keeps[index] != PTX_KEEP_NOT)
        return false;
    k->costs[index] = c.sum;
    k->keeps[index] = c.is_constant ? PTX_KEEP_CONSTANT : PTX_KEEP_RECOMPUTED;
    k->definitions[index] = (int32_t)instruction;
    return true;
}

static void find_recomputed(struct keeping *k)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        ptx_steps(k->e->arena, k->function->instruction_count);
        for (size_t i = 0; i < k->function->instruction_count; i++)
            is_changed |= try_definition(k, i);
    }
}

/* ---- Offsets: registers that begin as one thing for each thread and grow by the same for all ---- */

/* Few registers are written in more places and still are such. */
enum { MOST_WRITERS = 4, LONGEST_SUM = 24 };

static bool is_apart(const struct keeping *k, size_t instruction)
{
    const int32_t node = k->r->flow->node_of[instruction];
    return k->r->region_of[node] == PTX_NO_NODE ||
           (k->r->uniform.is_divergent[node] && !k->r->is_passed[node]);
}

static bool is_same_for_all(const struct keeping *k, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_INTEGER ||
           (operand->kind == PTX_OPERAND_REGISTER && operand->part == 0 &&
            k->r->uniform.registers[operand->index]);
}

/* Whether an instruction adds what is the same for all threads to the register, perhaps in several steps. */
static bool grows(const struct keeping *k, size_t instruction, uint32_t index, unsigned depth)
{
    const struct ptx_instruction *in = &k->function->instructions[instruction];
    const bool is_sum = in->opcode == PTX_OPCODE_add && in->operand_count == 3;
    const bool is_difference = in->opcode == PTX_OPCODE_sub && in->operand_count == 3;
    const bool is_move = in->opcode == PTX_OPCODE_mov && in->operand_count == 2;
    if ((!is_sum && !is_difference && !is_move) || in->guard >= 0 || (in->flags & PTX_CC) ||
        depth > LONGEST_SUM || is_apart(k, instruction))
        return false;
    for (uint32_t i = 1; i < (is_sum ? 3u : 2u); i++) {
        const struct ptx_operand *from = &in->operands[i];
        if (from->kind != PTX_OPERAND_REGISTER || from->part != 0 ||
            (!is_move && !is_same_for_all(k, &in->operands[3 - i])))
            continue;
        const uint32_t source = (uint32_t)from->index;
        if (source == index || (k->definition_counts[source] == 1 && k->writers[source] >= 0 &&
                                grows(k, (size_t)k->writers[source], index, depth + 1)))
            return true;
    }
    return false;
}

static bool is_integer(const struct keeping *k, uint32_t index)
{
    const enum ptx_type type = ptx_register_type(k->e, index);
    return k->function->registers[index].width <= 1 && type != PTX_F32 && type != PTX_F64 &&
           (ptx_type_bytes(type) == 4 || ptx_type_bytes(type) == 8);
}

/* Of what writes the register all but one instruction make it grow, and that one can be computed at any time. */
static void try_offset(struct keeping *k, uint32_t index)
{
    const struct ptx_function *f = k->function;
    int32_t first = -1;
    ptx_steps(k->e->arena, f->instruction_count / 4);
    for (size_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        struct cost c;
        if (ptx_destination_count(in) == 0 || in->operands[0].kind != PTX_OPERAND_REGISTER ||
            (uint32_t)in->operands[0].index != index || grows(k, i, index, 0))
            continue;
        if (first >= 0 || !can_recompute(k, in, &c) || is_apart(k, i))
            return;
        first = (int32_t)i;
    }
    if (first < 0)
        return;
    k->keeps[index] = PTX_KEEP_OFFSET;
    k->definitions[index] = first;
}

struct writing {
    int32_t *writers;
    int32_t instruction;
};

static void note_writer(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    const struct writing *w = with;
    w->writers[index] = w->instruction;
}

static void find_writers(struct keeping *k)
{
    for (size_t i = 0; i < k->function->register_count; i++)
        k->writers[i] = -1;
    for (size_t i = 0; i < k->function->instruction_count; i++) {
        struct writing w = {k->writers, (int32_t)i};
        ptx_flow_writes(&k->function->instructions[i], note_writer, &w);
    }
}

static void find_offsets(struct keeping *k)
{
    const bool *uniform = k->r->uniform.registers;
    find_writers(k);
    for (uint32_t i = 0; i < k->function->register_count; i++)
        if (k->crosses[i] && k->keeps[i] == PTX_KEEP_NOT && !uniform[i] &&
            k->definition_counts[i] > 1 && k->definition_counts[i] <= MOST_WRITERS &&
            is_integer(k, i))
            try_offset(k, i);
}

/* ---- Which of them are of use ---- */

struct following {
    const uint8_t *keeps;
    bool *wanted;        /* per register that is computed: crosses, or is needed by one that does */
    uint32_t *to_follow; /* wanted registers whose definitions are yet to be looked at */
    size_t count;
};

static void want(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct following *f = with;
    const uint8_t keep = f->keeps[index];
    if (f->wanted[index] ||
        (keep != PTX_KEEP_CONSTANT && keep != PTX_KEEP_RECOMPUTED && keep != PTX_KEEP_OFFSET))
        return;
    f->wanted[index] = true;
    f->to_follow[f->count++] = index;
}

/* Those that no region begins with are better left where they are. */
static void drop_unwanted(struct keeping *k)
{
    const size_t count = k->function->register_count;
    struct following f = {.keeps = k->keeps};
    f.wanted = ptx_arena_array(k->e->arena, count + 1, sizeof *f.wanted);
    f.to_follow = ptx_arena_array(k->e->arena, count + 1, sizeof *f.to_follow);
    for (size_t i = 0; i < count; i++)
        if (k->crosses[i])
            want(&f, (uint32_t)i, true);
    while (f.count > 0) { /* not by calls: chains are as long as texts */
        const uint32_t index = f.to_follow[--f.count];
        ptx_flow_reads(&k->function->instructions[k->definitions[index]], want, &f);
    }
    for (size_t i = 0; i < count; i++)
        if (!f.wanted[i])
            k->keeps[i] = PTX_KEEP_NOT;
}

/* ---- All of it ---- */

/* Registers come from region to region alike on both ways. */
void ptx_block_find_keeps(struct ptx_emitter *e, struct ptx_block_facts *facts)
{
    const struct ptx_function *function = facts->flow->function;
    const size_t count = function->register_count + 1;
    struct keeping k = {.e = e, .function = function, .r = facts->straight};
    facts->keeps = k.keeps = ptx_arena_take(e->arena, count);
    facts->definitions = k.definitions = ptx_arena_array(e->arena, count, sizeof *k.definitions);
    k.crosses = ptx_arena_array(e->arena, count, sizeof *k.crosses);
    k.definition_counts = ptx_arena_array(e->arena, count, sizeof *k.definition_counts);
    k.costs = ptx_arena_array(e->arena, count, sizeof *k.costs);
    k.writers = ptx_arena_array(e->arena, count, sizeof *k.writers);
    find_crossing(facts->straight, k.crosses);
    find_crossing(facts->parted, k.crosses);
    find_definitions(&k);
    find_recomputed(&k);
    find_offsets(&k);
    drop_unwanted(&k);
    for (size_t i = 0; i < function->register_count; i++)
        if (k.crosses[i] && k.keeps[i] == PTX_KEEP_NOT)
            k.keeps[i] = facts->straight->uniform.registers[i] ? PTX_KEEP_UNIFORM : PTX_KEEP_ARRAY;
}
