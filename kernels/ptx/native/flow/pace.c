/* How far an address goes from turn to turn of a loop, as its instructions say.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

/* Looks at registers, and instructions of a loop, that are worth it. */
enum { MOST_LOOKS = 24, MOST_OF_LOOP = 256 };

struct search {
    struct ptx_native *n;
    const struct ptx_native_loop *loop;
    int looks; /* at registers */
};

static size_t length_of(const struct ptx_native_flow *f, const struct ptx_native_loop *loop)
{
    size_t length = 0;
    for (int32_t at = loop->head; at <= loop->last; at++) {
        const struct ptx_node *node = &f->graph->nodes[f->graph->order[at]];
        length += node->end - node->first;
    }
    return length;
}

/* How many instructions of the loop write a register, and the last of them. */
static size_t writers_of(struct search *s, uint32_t index, const struct ptx_instruction **last)
{
    const struct ptx_native_flow *f = s->n->flow;
    size_t count = 0;
    for (int32_t at = s->loop->head; at <= s->loop->last; at++) {
        const struct ptx_node *node = &f->graph->nodes[f->graph->order[at]];
        for (uint32_t i = node->first; i < node->end; i++)
            if (ptx_flow_writes_register(&f->function->instructions[i], index)) {
                *last = &f->function->instructions[i];
                count++;
            }
    }
    return count;
}

static bool pace_of(struct search *s, const struct ptx_operand *o, struct ptx_native_pace *pace);

static bool stays(struct search *s, const struct ptx_operand *o)
{
    struct ptx_native_pace pace;
    return pace_of(s, o, &pace) && !pace.step;
}

static bool scaled_by(const struct ptx_operand *o, int64_t *scale)
{
    enum { MOST = 1 << 20 };
    *scale = o->bits;
    return o->kind == PTX_OPERAND_INTEGER && o->bits > -MOST && o->bits < MOST;
}

static bool is_wide(const struct search *s, int32_t index)
{
    return ptx_native_bits((enum ptx_type)s->n->flow->function->registers[index].type) == 64;
}

static void count_from(const struct search *s, const struct ptx_instruction *in,
                       const struct ptx_operand *from, struct ptx_native_pace *pace)
{
    if (pace->step && from->kind == PTX_OPERAND_REGISTER && is_wide(s, in->operands[0].index) &&
        !is_wide(s, pace->counter))
        pace->from = from->index;
}

/* Of which one at most changes. */
static bool pace_of_sum(struct search *s, const struct ptx_instruction *in,
                        struct ptx_native_pace *pace)
{
    const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
    struct ptx_native_pace other;
    if (!pace_of(s, a, pace) || !pace_of(s, b, &other) || (pace->step && other.step))
        return false;
    if (other.step) {
        *pace = other;
        pace->scale = ptx_native_times(pace->scale, in->opcode == PTX_OPCODE_sub ? -1 : 1);
    }
    count_from(s, in, other.step ? a : b, pace);
    return true;
}

static bool pace_of_product(struct search *s, const struct ptx_instruction *in,
                            struct ptx_native_pace *pace)
{
    const struct ptx_operand *o = in->operands;
    int64_t scale;
    if (stays(s, &o[1]) && stays(s, &o[2]))
        *pace = (struct ptx_native_pace){0};
    else if (!scaled_by(&o[2], &scale) || !pace_of(s, &o[1], pace))
        return false;
    else
        pace->scale = ptx_native_times(
            pace->scale, in->opcode == PTX_OPCODE_shl ? (int64_t)1 << (scale & 31) : scale);
    if (in->opcode != PTX_OPCODE_mad || !pace->step)
        return in->opcode != PTX_OPCODE_mad || pace_of(s, &o[3], pace);
    count_from(s, in, &o[3], pace);
    return stays(s, &o[3]);
}

/* What counts the loop's turns. */
static bool counts(struct search *s, const struct ptx_instruction *in, struct ptx_native_pace *pace)
{
    const struct ptx_operand *o = in->operands;
    for (uint32_t i = 1; in->opcode == PTX_OPCODE_add && in->operand_count == 3 && i < 3; i++) {
        const struct ptx_operand *step = &o[3 - i];
        const struct ptx_instruction *last = NULL;
        const bool is_fixed = step->kind == PTX_OPERAND_INTEGER ||
                              (step->kind == PTX_OPERAND_REGISTER && !step->part &&
                               ptx_native_is_uniform(s->n, (uint32_t)step->index) &&
                               writers_of(s, (uint32_t)step->index, &last) == 0);
        if (o[i].kind == PTX_OPERAND_REGISTER && o[i].index == o[0].index && is_fixed) {
            *pace = (struct ptx_native_pace){step, 1, o[0].index, -1};
            return true;
        }
    }
    return false;
}

static bool pace_of(struct search *s, const struct ptx_operand *o, struct ptx_native_pace *pace)
{
    const struct ptx_instruction *in = NULL;
    *pace = (struct ptx_native_pace){0};
    if (o->kind == PTX_OPERAND_INTEGER || o->kind == PTX_OPERAND_SPECIAL ||
        o->kind == PTX_OPERAND_VARIABLE)
        return true;
    if (o->kind != PTX_OPERAND_REGISTER || o->part || o->is_negated || s->looks++ >= MOST_LOOKS)
        return false;
    const size_t writers = writers_of(s, (uint32_t)o->index, &in);
    if (writers == 0)
        return true;
    if (writers > 1 || in->guard >= 0 || in->operand_count < 2)
        return false;
    if (counts(s, in, pace))
        return true;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvta:
    case PTX_OPCODE_cvt:
        return pace_of(s, &in->operands[1], pace);
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
        return pace_of_sum(s, in, pace);
    case PTX_OPCODE_shl:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mad:
        return pace_of_product(s, in, pace);
    case PTX_OPCODE_ld: /* of a parameter */
        return ptx_flow_is_pure(s->n->flow->function, in);
    default:
        return false;
    }
}

bool ptx_native_find_pace(struct ptx_native *n, const struct ptx_native_loop *loop, int32_t index,
                          struct ptx_native_pace *pace)
{
    struct search s = {n, loop, 0};
    const struct ptx_operand name = {.kind = PTX_OPERAND_REGISTER, .index = index};
    return length_of(n->flow, loop) <= MOST_OF_LOOP && pace_of(&s, &name, pace) && pace->step;
}

/* Whether the processor foresees the rows itself: they are near to each other. */
bool ptx_native_is_foreseen(struct ptx_native_pace pace)
{
    enum { MOST = 1024 }; /* bytes */
    const int64_t step = pace.step->kind == PTX_OPERAND_INTEGER
                             ? ptx_native_times(pace.step->bits, pace.scale)
                             : INT64_MAX;
    return step >= -MOST && step <= MOST;
}
