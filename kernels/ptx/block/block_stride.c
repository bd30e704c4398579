/* Loops that walk global memory in strides, as CUDA's grid-stride loops do: in each turn neighbouring
 * threads touch neighbouring elements, and the next turn is far away. One thread after another would
 * walk all of memory once each; run in step, turn by turn, the threads of a block touch whole runs of
 * memory, in the order of the addresses. Any order of threads is right, so this is only a choice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"

/* Bytes between what neighbouring threads touch, and from one turn to the next. */
enum { FARTHEST_NEIGHBOUR = 64, NEAREST_TURN = 256, FAR = 1 << 24, DEEPEST = 24 };

/* How a register follows tid.x: so many for each thread, or unlike that. */
enum { OPEN = INT32_MAX, UNLIKE = INT32_MIN };

struct striding {
    const struct ptx_flow *flow;
    int32_t *slopes; /* per register */
    bool *is_in;     /* per node: of the loop looked at */
    int32_t
        *written; /* per register: the instruction in the loop that writes it, or -1; -2: several */
    int32_t *members; /* its nodes */
    size_t member_count;
    bool is_changed;
};

/* ---- Slopes over tid.x ---- */

static int32_t slope_of(const struct striding *s, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return operand->part ? UNLIKE : s->slopes[operand->index];
    case PTX_OPERAND_SPECIAL:
        return operand->index == PTX_TID_X ? 1
               : operand->index == PTX_TID_Y || operand->index == PTX_TID_Z ||
                       ptx_special_is_uniform(operand->index)
                   ? 0
                   : UNLIKE;
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_VARIABLE:
        return 0;
    default:
        return UNLIKE;
    }
}

static int32_t slope_of_number(int64_t slope)
{
    return slope > FAR || slope < -FAR ? UNLIKE : (int32_t)slope;
}

static int32_t slope_of_sum(int32_t a, int32_t b, int sign)
{
    if (a == OPEN || b == OPEN)
        return a == OPEN && b == OPEN ? OPEN : a == OPEN ? b : a;
    return a == UNLIKE || b == UNLIKE ? UNLIKE : slope_of_number((int64_t)a + sign * (int64_t)b);
}

static int32_t slope_of_product(const struct striding *s, const struct ptx_operand *a,
                                const struct ptx_operand *b)
{
    const int32_t x = slope_of(s, a), y = slope_of(s, b);
    if (a->kind == PTX_OPERAND_INTEGER && b->kind != PTX_OPERAND_INTEGER)
        return slope_of_product(s, b, a);
    if (x == OPEN || y == OPEN)
        return OPEN;
    if (x == 0 && y == 0)
        return 0;
    if (b->kind != PTX_OPERAND_INTEGER || x == UNLIKE || b->bits > FAR || b->bits < -FAR)
        return UNLIKE;
    return slope_of_number(x * b->bits);
}

static int32_t slope_of_shift(const struct striding *s, const struct ptx_instruction *in)
{
    const int32_t slope = slope_of(s, &in->operands[1]);
    if (slope == OPEN || slope == 0)
        return slope_of(s, &in->operands[2]) == 0 ? slope : UNLIKE;
    if (slope == UNLIKE || in->operands[2].kind != PTX_OPERAND_INTEGER ||
        in->operands[2].bits < 0 || in->operands[2].bits > 24)
        return UNLIKE;
    return slope_of_number(slope * (INT64_C(1) << in->operands[2].bits));
}

/* All else that is computed from what is the same for all threads is so too. */
static int32_t slope_of_other(const struct striding *s, const struct ptx_instruction *in)
{
    if (!ptx_flow_is_pure(s->flow->function, in))
        return UNLIKE;
    for (uint32_t i = 1; i < in->operand_count; i++) {
        const struct ptx_operand *operand = &in->operands[i];
        if (operand->kind == PTX_OPERAND_REGISTER && s->slopes[operand->index] == OPEN)
            return OPEN;
        if (operand->kind != PTX_OPERAND_ADDRESS && slope_of(s, operand) != 0)
            return UNLIKE;
    }
    return 0;
}

static int32_t slope_of_result(const struct striding *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvt:
    case PTX_OPCODE_cvta:
        return in->operand_count == 2 ? slope_of(s, &o[1]) : UNLIKE;
    case PTX_OPCODE_add:
    case PTX_OPCODE_or:
        return slope_of_sum(slope_of(s, &o[1]), slope_of(s, &o[2]), 1);
    case PTX_OPCODE_sub:
        return slope_of_sum(slope_of(s, &o[1]), slope_of(s, &o[2]), -1);
    case PTX_OPCODE_mul:
        return slope_of_product(s, &o[1], &o[2]);
    case PTX_OPCODE_mad:
        return slope_of_sum(slope_of_product(s, &o[1], &o[2]), slope_of(s, &o[3]), 1);
    case PTX_OPCODE_shl:
        return slope_of_shift(s, in);
    default:
        return slope_of_other(s, in);
    }
}

static void lower_slope(struct striding *s, uint32_t index, int32_t slope)
{
    int32_t *now = &s->slopes[index];
    if (slope == OPEN || *now == slope || *now == UNLIKE)
        return;
    *now = *now == OPEN ? slope : UNLIKE;
    s->is_changed = true;
}

static void lower_to_unlike(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    lower_slope(with, index, UNLIKE);
}

static void find_slopes(struct striding *s)
{
    const struct ptx_function *f = s->flow->function;
    for (size_t i = 0; i < f->register_count; i++)
        s->slopes[i] = OPEN;
    do {
        s->is_changed = false;
        ptx_steps(s->flow->arena, f->instruction_count);
        for (size_t i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            if (ptx_destination_count(in) == 1 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
                in->operands[0].part == 0)
                lower_slope(s, (uint32_t)in->operands[0].index, slope_of_result(s, in));
            else
                ptx_flow_writes(in, lower_to_unlike, s);
        }
    } while (s->is_changed);
}

/* ---- Strides from turn to turn ---- */

static const struct ptx_instruction *writer(const struct striding *s, int32_t index)
{
    return s->written[index] >= 0 ? &s->flow->function->instructions[s->written[index]] : NULL;
}

/* By how much a sum grows from what a register holds: true where `from` leads back to it. */
static bool grows_from(const struct striding *s, int32_t from, int32_t index, int64_t *by,
                       unsigned depth)
{
    const struct ptx_instruction *in = writer(s, from);
    if (from == index && depth > 0)
        return true;
    if (!in || depth > DEEPEST || in->guard >= 0)
        return false;
    if (in->opcode != PTX_OPCODE_add && in->opcode != PTX_OPCODE_sub &&
        (in->opcode != PTX_OPCODE_mov || in->operand_count != 2))
        return false;
    for (uint32_t i = 1; i < in->operand_count; i++) {
        const struct ptx_operand *operand = &in->operands[i], *other = &in->operands[3 - i];
        if (operand->kind != PTX_OPERAND_REGISTER || operand->part ||
            !grows_from(s, operand->index, index, by, depth + 1))
            continue;
        if (in->opcode != PTX_OPCODE_mov)
            *by = other->kind == PTX_OPERAND_INTEGER && *by != FAR ? *by + other->bits : FAR;
        return true;
    }
    return false;
}

static int64_t far_at_most(int64_t stride)
{
    return stride >= FAR || stride <= -FAR ? FAR : stride;
}

static int64_t stride_of(const struct striding *s, const struct ptx_operand *operand,
                         unsigned depth);

/* What is no sum or product by a number counts as not moving: not worth a stride. */
static int64_t stride_of_result(const struct striding *s, const struct ptx_instruction *in,
                                unsigned depth)
{
    const struct ptx_operand *o = in->operands;
    const int64_t a = in->operand_count > 1 ? stride_of(s, &o[1], depth) : 0;
    const int64_t b = in->operand_count > 2 ? stride_of(s, &o[2], depth) : 0;
    const int64_t c = in->operand_count > 3 ? stride_of(s, &o[3], depth) : 0;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvt:
    case PTX_OPCODE_cvta:
        return a;
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_or:
        return far_at_most(a == FAR || b == FAR ? FAR : a + b);
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mad:
        if (a == 0 && b == 0)
            return c;
        if (c == FAR || b != 0 || o[2].kind != PTX_OPERAND_INTEGER || a == FAR)
            return FAR;
        return far_at_most(o[2].bits > FAR ? FAR : a * o[2].bits + c);
    case PTX_OPCODE_shl:
        if (a == 0 || a == FAR || o[2].kind != PTX_OPERAND_INTEGER)
            return a;
        return far_at_most(o[2].bits > 24 || o[2].bits < 0 ? FAR : a * (1 << o[2].bits));
    default:
        return 0;
    }
}

static int64_t stride_of(const struct striding *s, const struct ptx_operand *operand,
                         unsigned depth)
{
    if (operand->kind != PTX_OPERAND_REGISTER || depth > DEEPEST)
        return 0;
    const struct ptx_instruction *in = writer(s, operand->index);
    int64_t by = 0;
    if (!in)
        return 0;
    if (grows_from(s, operand->index, operand->index, &by, 0))
        return far_at_most(by);
    return stride_of_result(s, in, depth + 1);
}

/* ---- Loops ---- */

static bool is_access(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_st) &&
           (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_GENERIC);
}

static bool strides(const struct striding *s, const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *at = &in->operands[i];
        if (at->kind != PTX_OPERAND_ADDRESS || at->index < 0)
            continue;
        const int32_t slope = s->slopes[at->index];
        if (slope == 0 || slope == OPEN || slope > FARTHEST_NEIGHBOUR ||
            slope < -FARTHEST_NEIGHBOUR)
            return false;
        const struct ptx_operand index = {.kind = PTX_OPERAND_REGISTER, .index = at->index};
        const int64_t stride = stride_of(s, &index, 0);
        return stride >= NEAREST_TURN || stride <= -NEAREST_TURN;
    }
    return false;
}

struct noting {
    struct striding *s;
    int32_t instruction;
};

static void note_writer(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    const struct noting *n = with;
    int32_t *written = &n->s->written[index];
    *written = *written == -1 ? n->instruction : -2;
}

static void add_member(struct striding *s, int32_t node)
{
    if (s->is_in[node])
        return;
    s->is_in[node] = true;
    s->members[s->member_count++] = node;
}

/* Adds the nodes of the loop whose last edge leads from `from` to `head`. */
static void mark_loop(struct striding *s, int32_t head, int32_t from)
{
    add_member(s, head);
    size_t next = s->member_count;
    add_member(s, from);
    for (; next < s->member_count; next++) {
        const struct ptx_node *node = &s->flow->nodes[s->members[next]];
        for (uint32_t i = 0; i < node->previous_count; i++)
            if (s->flow->position[node->previous[i]] >= 0)
                add_member(s, node->previous[i]);
    }
}

static bool find_loop(struct striding *s, int32_t head)
{
    const struct ptx_node *node = &s->flow->nodes[head];
    for (uint32_t i = 0; i < node->previous_count; i++)
        if (s->flow->position[node->previous[i]] >= s->flow->position[head] &&
            ptx_flow_dominates(s->flow, head, node->previous[i]))
            mark_loop(s, head, node->previous[i]);
    return s->member_count > 0;
}

static void forget_writer(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((struct striding *)with)->written[index] = -1;
}

/* Shows each instruction of the loop; false ends it. */
typedef bool show_instruction(struct striding *s, uint32_t instruction);

static bool for_each_instruction(struct striding *s, show_instruction *show)
{
    for (size_t i = 0; i < s->member_count; i++) {
        const struct ptx_node *node = &s->flow->nodes[s->members[i]];
        ptx_steps(s->flow->arena, 1 + (node->end - node->first) / 2);
        for (uint32_t j = node->first; j < node->end; j++)
            if (!show(s, j))
                return false;
    }
    return true;
}

static bool note_writers(struct striding *s, uint32_t instruction)
{
    struct noting n = {s, (int32_t)instruction};
    ptx_flow_writes(&s->flow->function->instructions[instruction], note_writer, &n);
    return true;
}

static bool does_not_stride(struct striding *s, uint32_t instruction)
{
    const struct ptx_instruction *in = &s->flow->function->instructions[instruction];
    return !is_access(in) || !strides(s, in);
}

static bool forget_writers(struct striding *s, uint32_t instruction)
{
    ptx_flow_writes(&s->flow->function->instructions[instruction], forget_writer, s);
    return true;
}

static bool loop_strides(struct striding *s)
{
    for_each_instruction(s, note_writers);
    const bool strides_on = !for_each_instruction(s, does_not_stride);
    for_each_instruction(s, forget_writers);
    return strides_on;
}

static void forget_loop(struct striding *s)
{
    for (size_t i = 0; i < s->member_count; i++)
        s->is_in[s->members[i]] = false;
    s->member_count = 0;
}

bool ptx_block_strides(struct ptx_emitter *e, const struct ptx_function *function, bool *starts)
{
    struct striding s = {.flow = ptx_flow_make(e->arena, function, NULL)};
    bool is_any = false;
    s.slopes = ptx_arena_array(e->arena, function->register_count + 1, sizeof *s.slopes);
    s.written = ptx_arena_array(e->arena, function->register_count + 1, sizeof *s.written);
    s.is_in = ptx_arena_array(e->arena, s.flow->count + 1, sizeof *s.is_in);
    s.members = ptx_arena_array(e->arena, s.flow->count + 1, sizeof *s.members);
    for (size_t i = 0; i < function->register_count; i++)
        s.written[i] = -1;
    find_slopes(&s);
    for (size_t i = 0; i < s.flow->reachable; i++) {
        const int32_t head = s.flow->order[i];
        const bool has_strides = find_loop(&s, head) && loop_strides(&s);
        forget_loop(&s);
        is_any |= has_strides;
        if (has_strides && starts)
            starts[s.flow->nodes[head].first] = true;
    }
    return is_any;
}
