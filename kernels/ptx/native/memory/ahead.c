/* Rows of global memory that a loop reads at a distance from turn to turn: the processor is asked for those of a later turn, since it
 * foresees no steps that are wider than a page, and a warp waits for all of its lanes' words at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/native/memory/memory.h"

/* Turns ahead, of a loop that a warp goes through by itself, and of one with a barrier, which are all its warps'. One such turn may be
 * shorter than memory takes (pathfinder: 65 ns; with two it takes 0.91 of the time, and products of tiles as long), and three are too much
 * for the nearest cache (products of tiles take 1.13 times as long). LINE: bytes, of a cache. */
enum { TURNS = 8, TURNS_OF_BLOCKS = 2, LINE = 64 };

static bool has_barrier(const struct ptx_native_flow *f, const struct ptx_native_loop *loop)
{
    bool has = false;
    for (int32_t at = loop->head; at <= loop->last; at++)
        has |= f->sites[f->graph->order[at]] > 0;
    return has;
}

static const char *distance_of(struct ptx_native *n, struct ptx_native_pace pace)
{
    const int64_t known =
        pace.step->kind == PTX_OPERAND_INTEGER ? ptx_native_times(pace.step->bits, pace.scale) : 0;
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
                     struct ptx_native_pace pace, bool strides)
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

const char *ptx_native_prefetch(struct ptx_native *n)
{
    const char *name = n->llvm_major >= 15 ? "llvm.prefetch.p0" : "llvm.prefetch.p0i8";
    ptx_native_declare(n, "declare void @%s(%s, i32, i32, i32)", name,
                       ptx_native_pointer_type(n, "i8"));
    return name;
}

/* Asks for a row of so many bytes from a place on; nearness: 3 of the nearest cache, 2 of the next. */
static void ask(struct ptx_native *n, const char *at, unsigned row, int nearness)
{
    const char *p = ptx_native_pointer_type(n, "i8"), *name = ptx_native_prefetch(n);
    for (unsigned byte = 0; byte < row; byte += LINE)
        ptx_native_do(n, "call void @%s(%s %s, i32 0, i32 %d, i32 1)", name, p,
                      ptx_native_pointer(n, "i8", ptx_native_emit(n, "add i64 %s, %u", at, byte)),
                      nearness);
}

static unsigned row_bytes(const struct ptx_native_transfer *t)
{
    return PTX_NATIVE_LANES * t->bits / 8 * t->width;
}

/* Of a sweep through memory that no cache holds: the row that is so far behind, as one of a later block. What each turn computes
 * beside leaves the processor too few loads at a time to wait for. Measured with rows of 24 KB: 2 KB ahead takes 1.6 times as long where
 * memory is quick, and 0.96 times where it is slow. */
static void ask_in_sweep(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    enum { FAR = 6144 }; /* bytes */
    struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *in = n->e->instruction;
    if (!f->goes_past || strcmp(f->mask, "-1") != 0)
        return;
    if (f->asked_in != f->stamp)
        f->asked_count = 0;
    f->asked_in = f->stamp;
    for (size_t i = 0; i < f->asked_count; i++)
        if (f->asked[i].in->operands[1].index == in->operands[1].index &&
            is_near(f->asked[i].in, in, true))
            return;
    if (f->asked_count == PTX_NATIVE_ASKED)
        return;
    f->asked[f->asked_count++] = (struct ptx_native_asked){PTX_NO_NODE, -1, -1, in};
    ask(n, ptx_native_emit(n, "add i64 %s, %d", ptx_native_line_start(n, &t->at, 0), FAR),
        row_bytes(t), 3);
}

static bool is_whole_row(const struct ptx_native_transfer *t)
{
    return t->at.is_line && t->at.term.line.is_whole && !t->is_volatile &&
           ptx_native_stride_of(&t->at) == (int64_t)(t->bits / 8) * t->width;
}

/* How far the next block of a row is, where a turn of all of them goes through memory without a gap: by division of numbers that
 * LLVM may divide before the loop. */
static const char *distance_beside(struct ptx_native *n, struct ptx_native_pace pace)
{
    const bool is_vector = n->is_vector;
    n->is_vector = false;
    const char *blocks =
        ptx_native_emit(n, "uitofp i32 %s to double", ptx_native_special(n, PTX_NCTAID_X).text);
    n->is_vector = is_vector;
    const char *step = ptx_native_emit(n, "sitofp i64 %s to double", distance_of(n, pace));
    return ptx_native_emit(n, "fptosi double %s to i64",
                           ptx_native_emit(n, "fdiv double %s, %s", step, blocks));
}

void ptx_native_ask_ahead(struct ptx_native *n, const struct ptx_operand *address,
                          const struct ptx_native_transfer *t)
{
    struct ptx_native_flow *f = n->flow;
    if (f->is_swept && is_whole_row(t)) {
        ask_in_sweep(n, t);
        return;
    }
    const struct ptx_native_loop *loop = ptx_native_inner_loop(f, f->node);
    struct ptx_native_pace pace;
    if (!loop || !is_whole_row(t) || f->is_tangled || f->sure)
        return;
    const struct ptx_native_stroll *stroll = ptx_native_stroll_at(n, loop->head, false);
    const bool is_beside = stroll && f->asks_beside;
    if (stroll && n->e->target->has_few_ways && !is_beside)
        return;
    if (stroll && f->has_legs && f->leg != stroll->site && !is_beside)
        return; /* a warp's first turns are few, and mostly all */
    if (!ptx_native_find_pace(n, loop, address->index, &pace) ||
        !is_first(f, n->e->instruction, loop->head, pace, stroll != NULL))
        return;
    if (ptx_native_is_foreseen(pace) && !has_barrier(f, loop))
        return;
    if (!is_beside)
        pace.scale = ptx_native_times(pace.scale, has_barrier(f, loop) ? TURNS_OF_BLOCKS : TURNS);
    const char *at = ptx_native_emit(n, "add i64 %s, %s", ptx_native_line_start(n, &t->at, 0),
                                     is_beside ? distance_beside(n, pace) : distance_of(n, pace));
    const char *behind = stroll ? ptx_native_where_in_step(n, stroll) : NULL;
    ask(n, at, row_bytes(t), is_beside ? 2 : 3);
    if (behind) {
        ptx_native_jump(n, behind);
        ptx_native_label(n, behind);
    }
}
