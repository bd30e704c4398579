/* Rows of global memory that a loop reads at a distance from turn to turn: the processor is asked for those of a later turn, since it
 * foresees no steps that are wider than a page, and a warp waits for all of its lanes' words at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

/* Turns ahead, of a loop that a warp goes through by itself; of one with a barrier it is one, for all its warps. LINE: bytes, of a
 * cache. MOST_OF_LOOP: instructions. */
enum { TURNS = 8, LINE = 64, MOST_LOOKS = 24, MOST_OF_LOOP = 256 };

/* What is added to a number from turn to turn: scale times `step`, NULL: it stays the same. */
struct pace {
    const struct ptx_operand *step;
    int64_t scale;
    int32_t counter; /* the register that counts turns */
    int32_t from;    /* where that is no address: the one that has what it counts from */
};

/* What wraps around is asked for elsewhere, which does no harm. */
static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

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

static bool has_barrier(const struct ptx_native_flow *f, const struct ptx_native_loop *loop)
{
    bool has = false;
    for (int32_t at = loop->head; at <= loop->last; at++)
        has |= f->sites[f->graph->order[at]] > 0;
    return has;
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

static bool pace_of(struct search *s, const struct ptx_operand *o, struct pace *pace);

static bool stays(struct search *s, const struct ptx_operand *o)
{
    struct pace pace;
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
                       const struct ptx_operand *from, struct pace *pace)
{
    if (pace->step && from->kind == PTX_OPERAND_REGISTER && is_wide(s, in->operands[0].index) &&
        !is_wide(s, pace->counter))
        pace->from = from->index;
}

/* Of which one at most changes. */
static bool pace_of_sum(struct search *s, const struct ptx_instruction *in, struct pace *pace)
{
    const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
    struct pace other;
    if (!pace_of(s, a, pace) || !pace_of(s, b, &other) || (pace->step && other.step))
        return false;
    if (other.step) {
        *pace = other;
        pace->scale = times(pace->scale, in->opcode == PTX_OPCODE_sub ? -1 : 1);
    }
    count_from(s, in, other.step ? a : b, pace);
    return true;
}

static bool pace_of_product(struct search *s, const struct ptx_instruction *in, struct pace *pace)
{
    const struct ptx_operand *o = in->operands;
    int64_t scale;
    if (stays(s, &o[1]) && stays(s, &o[2]))
        *pace = (struct pace){0};
    else if (!scaled_by(&o[2], &scale) || !pace_of(s, &o[1], pace))
        return false;
    else
        pace->scale =
            times(pace->scale, in->opcode == PTX_OPCODE_shl ? (int64_t)1 << (scale & 31) : scale);
    if (in->opcode != PTX_OPCODE_mad || !pace->step)
        return in->opcode != PTX_OPCODE_mad || pace_of(s, &o[3], pace);
    count_from(s, in, &o[3], pace);
    return stays(s, &o[3]);
}

/* What counts the loop's turns. */
static bool counts(struct search *s, const struct ptx_instruction *in, struct pace *pace)
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
            *pace = (struct pace){step, 1, o[0].index, -1};
            return true;
        }
    }
    return false;
}

static bool pace_of(struct search *s, const struct ptx_operand *o, struct pace *pace)
{
    const struct ptx_instruction *in = NULL;
    *pace = (struct pace){0};
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

static const char *distance_of(struct ptx_native *n, struct pace pace)
{
    const int64_t known =
        pace.step->kind == PTX_OPERAND_INTEGER ? times(pace.step->bits, pace.scale) : 0;
    if (pace.step->kind == PTX_OPERAND_INTEGER)
        return ptx_format(n->e, "%lld", (long long)known);
    const enum ptx_type type = (enum ptx_type)n->flow->function->registers[pace.step->index].type;
    const bool is_vector = n->is_vector;
    n->is_vector = false;
    const struct ptx_native_value step = ptx_native_resize(
        n, ptx_native_read(n, pace.step, ptx_native_bits(type) == 64 ? PTX_B64 : PTX_B32), 64,
        true);
    n->is_vector = is_vector;
    return ptx_native_emit(n, "mul i64 %s, %lld", step.text, (long long)pace.scale);
}

/* Whether what is read at one place comes to the other, turns later or as another warp's. Where a block strides, its steps are wider
 * than that. */
static bool is_near(const struct ptx_instruction *a, const struct ptx_instruction *b, bool strides)
{
    enum { FAR = 1024 }; /* bytes */
    const int64_t away = a->operands[1].bits - b->operands[1].bits;
    return !strides || (away < FAR && away > -FAR);
}

/* Of places that one counter leads to from one start, as the neighbours in a grid, the first that is read: the others' turn comes. */
static bool is_first(struct ptx_native_flow *f, const struct ptx_instruction *in, int32_t head,
                     struct pace pace, bool strides)
{
    size_t i = 0;
    while (i < f->asked_count &&
           (f->asked[i].head != head || f->asked[i].from != pace.from ||
            f->asked[i].counter != pace.counter || !is_near(f->asked[i].in, in, strides)))
        i++;
    if (i == PTX_NATIVE_ASKED)
        return false;
    if (i == f->asked_count)
        f->asked[f->asked_count++] = (struct ptx_native_asked){head, pace.counter, pace.from, in};
    return f->asked[i].in == in;
}

/* Whether the processor foresees the rows itself: they are near to each other. */
static bool is_foreseen(struct pace pace)
{
    enum { MOST = 1024 }; /* bytes */
    const int64_t step =
        pace.step->kind == PTX_OPERAND_INTEGER ? times(pace.step->bits, pace.scale) : INT64_MAX;
    return step >= -MOST && step <= MOST;
}

void ptx_native_ask_ahead(struct ptx_native *n, const struct ptx_operand *address,
                          const struct ptx_native_transfer *t)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_native_loop *loop = ptx_native_inner_loop(f, f->node);
    struct pace pace;
    if (!loop || !t->at.is_line || !t->at.term.line.is_whole || t->is_volatile || f->is_tangled ||
        ptx_native_stride_of(&t->at) != (int64_t)(t->bits / 8) * t->width ||
        length_of(f, loop) > MOST_OF_LOOP)
        return;
    const struct ptx_native_stroll *stroll = ptx_native_stroll_at(n, loop->head, false);
    if (stroll && f->has_legs && f->leg != stroll->site)
        return; /* a warp's first turns are few, and mostly all */
    struct search s = {n, loop, 0};
    const struct ptx_operand name = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    if (!pace_of(&s, &name, &pace) || !pace.step ||
        !is_first(f, n->e->instruction, loop->head, pace, stroll != NULL))
        return;
    const unsigned row = PTX_NATIVE_LANES * t->bits / 8 * t->width;
    if (is_foreseen(pace) && !has_barrier(f, loop))
        return;
    pace.scale = times(pace.scale, has_barrier(f, loop) ? 1 : TURNS);
    const bool is_new = n->llvm_major >= 15;
    const char *p = ptx_native_pointer_type(n, "i8"), *kind = is_new ? "p0" : "p0i8";
    const char *at = ptx_native_emit(n, "add i64 %s, %s", ptx_native_line_start(n, &t->at, 0),
                                     distance_of(n, pace));
    ptx_native_declare(n, "declare void @llvm.prefetch.%s(%s, i32, i32, i32)", kind, p);
    const char *behind = stroll ? ptx_native_where_in_step(n, stroll) : NULL;
    for (unsigned byte = 0; byte < row; byte += LINE)
        ptx_native_do(n, "call void @llvm.prefetch.%s(%s %s, i32 0, i32 3, i32 1)", kind, p,
                      ptx_native_pointer(n, "i8", ptx_native_emit(n, "add i64 %s, %u", at, byte)));
    if (behind) {
        ptx_native_jump(n, behind);
        ptx_native_label(n, behind);
    }
}
