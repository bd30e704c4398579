/* Rows of global memory that a loop reads at a distance from turn to turn: the processor is asked for those of a later turn, since it
 * foresees no steps that are wider than a page, and a warp waits for all of its lanes' words at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory.h"

enum {
    TURNS =
        8, /* ahead, of a loop that a warp goes through by itself; of one with a barrier it is one, for all its warps */
    LINE = 64, /* bytes, of a cache */
    MOST_DEPTH = 8,
    MOST_OF_LOOP = 512 /* instructions */
};

/* What is added to a number from turn to turn: scale times `step`, NULL: it stays the same. */
struct pace {
    const struct ptx_operand *step;
    int64_t scale;
};

struct search {
    struct ptx_native *n;
    const struct ptx_native_loop *loop;
};

static const struct ptx_native_loop *inner_loop(const struct ptx_native_flow *f, int32_t node)
{
    const struct ptx_native_loop *inner = NULL;
    const int32_t at = f->graph->position[node];
    for (size_t i = 0; i < f->loop_count; i++)
        if (f->loops[i].head <= at && at <= f->loops[i].last &&
            (!inner || f->loops[i].head >= inner->head))
            inner = &f->loops[i];
    return inner;
}

static size_t length_of(const struct ptx_native_flow *f, const struct ptx_native_loop *loop)
{
    size_t length = 0;
    for (int32_t at = loop->head; at <= loop->last; at++) {
        const struct ptx_node *node = &f->graph->nodes[f->graph->order[at]];
        length += node->end - node->first;
    }
    return length;
}

static bool has_barrier(const struct ptx_native_flow *f, const struct ptx_native_loop *loop)
{
    bool has = false;
    for (int32_t at = loop->head; at <= loop->last; at++)
        has |= f->sites[f->graph->order[at]] > 0;
    return has;
}

/* How many instructions of the loop write a register, and the last of them. */
static size_t writers_of(const struct search *s, uint32_t index,
                         const struct ptx_instruction **last)
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

static bool pace_of(const struct search *s, const struct ptx_operand *o, int depth,
                    struct pace *pace);

static bool stays(const struct search *s, const struct ptx_operand *o, int depth)
{
    struct pace pace;
    return pace_of(s, o, depth, &pace) && !pace.step;
}

static bool scaled_by(const struct ptx_operand *o, int64_t *scale)
{
    enum { MOST = 1 << 20 };
    *scale = o->bits;
    return o->kind == PTX_OPERAND_INTEGER && o->bits > -MOST && o->bits < MOST;
}

/* a and b, of which one at most changes. */
static bool pace_of_sum(const struct search *s, const struct ptx_operand *a,
                        const struct ptx_operand *b, bool is_minus, int depth, struct pace *pace)
{
    struct pace other;
    if (!pace_of(s, a, depth, pace) || !pace_of(s, b, depth, &other) || (pace->step && other.step))
        return false;
    if (other.step) {
        *pace = other;
        pace->scale = is_minus ? -pace->scale : pace->scale;
    }
    return true;
}

static bool pace_of_product(const struct search *s, const struct ptx_instruction *in, int depth,
                            struct pace *pace)
{
    const struct ptx_operand *o = in->operands;
    int64_t scale;
    if (stays(s, &o[1], depth) && stays(s, &o[2], depth))
        *pace = (struct pace){0};
    else if (!scaled_by(&o[2], &scale) || !pace_of(s, &o[1], depth, pace))
        return false;
    else
        pace->scale *= in->opcode == PTX_OPCODE_shl ? (int64_t)1 << (scale & 31) : scale;
    if (in->opcode != PTX_OPCODE_mad || !pace->step)
        return in->opcode != PTX_OPCODE_mad || pace_of(s, &o[3], depth, pace);
    return stays(s, &o[3], depth);
}

/* What counts the loop's turns. */
static bool counts(const struct search *s, const struct ptx_instruction *in, struct pace *pace)
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
            *pace = (struct pace){step, 1};
            return true;
        }
    }
    return false;
}

static bool pace_of(const struct search *s, const struct ptx_operand *o, int depth,
                    struct pace *pace)
{
    const struct ptx_instruction *in = NULL;
    *pace = (struct pace){0};
    if (o->kind == PTX_OPERAND_INTEGER || o->kind == PTX_OPERAND_SPECIAL ||
        o->kind == PTX_OPERAND_VARIABLE)
        return true;
    if (o->kind != PTX_OPERAND_REGISTER || o->part || o->is_negated || depth >= MOST_DEPTH)
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
        return pace_of(s, &in->operands[1], depth + 1, pace);
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
        return pace_of_sum(s, &in->operands[1], &in->operands[2], in->opcode == PTX_OPCODE_sub,
                           depth + 1, pace);
    case PTX_OPCODE_shl:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mad:
        return pace_of_product(s, in, depth + 1, pace);
    case PTX_OPCODE_ld: /* of a parameter */
        return ptx_flow_is_pure(s->n->flow->function, in);
    default:
        return false;
    }
}

static const char *distance_of(struct ptx_native *n, struct pace pace)
{
    if (pace.step->kind == PTX_OPERAND_INTEGER)
        return ptx_format(n->e, "%lld",
                          (long long)((uint64_t)pace.step->bits * (uint64_t)pace.scale));
    const enum ptx_type type = (enum ptx_type)n->flow->function->registers[pace.step->index].type;
    const bool is_vector = n->is_vector;
    n->is_vector = false;
    const struct ptx_native_value step = ptx_native_resize(
        n, ptx_native_read(n, pace.step, ptx_native_bits(type) == 64 ? PTX_B64 : PTX_B32), 64,
        true);
    n->is_vector = is_vector;
    return ptx_native_emit(n, "mul i64 %s, %lld", step.text, (long long)pace.scale);
}

void ptx_native_ask_ahead(struct ptx_native *n, const struct ptx_operand *address,
                          const struct ptx_native_transfer *t)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_native_loop *loop = inner_loop(f, f->node);
    struct pace pace;
    if (!loop || !t->at.is_line || !t->at.term.line.is_whole || t->is_volatile || f->is_tangled ||
        ptx_native_stride_of(&t->at) != (int64_t)(t->bits / 8) * t->width ||
        length_of(f, loop) > MOST_OF_LOOP)
        return;
    const struct search s = {n, loop};
    const struct ptx_operand name = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    if (!pace_of(&s, &name, 0, &pace) || !pace.step)
        return;
    pace.scale *= has_barrier(f, loop) ? 1 : TURNS;
    const bool is_new = n->llvm_major >= 15;
    const char *p = ptx_native_pointer_type(n, "i8"), *kind = is_new ? "p0" : "p0i8";
    const char *at = ptx_native_emit(n, "add i64 %s, %s", ptx_native_line_start(n, &t->at, 0),
                                     distance_of(n, pace));
    ptx_native_declare(n, "declare void @llvm.prefetch.%s(%s, i32, i32, i32)", kind, p);
    for (unsigned byte = 0; byte < PTX_NATIVE_LANES * t->bits / 8 * t->width; byte += LINE)
        ptx_native_do(n, "call void @llvm.prefetch.%s(%s %s, i32 0, i32 3, i32 1)", kind, p,
                      ptx_native_pointer(n, "i8", ptx_native_emit(n, "add i64 %s, %u", at, byte)));
}
