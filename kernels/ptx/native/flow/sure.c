/* Blocks that lie wholly inside an array. Kernels ask of each thread whether its element is there: `for (i = first; i < n; i += step)`,
 * `i + 256 < n`. Of most blocks all threads have the same answers: they go round a loop equally often, and are inside with all
 * that they read. What a block begins with finds that out once, of its first thread and of its last one, in as many turns as the loop
 * has, if those are few; then the first leg stands once more, in which the answers are known, and LLVM leaves the loads and what is
 * computed of them. All other blocks go through it as ever.
 *
 * Numbers that are compared go up by the same from thread to thread, and no range of them wraps around: all are below a bound if the
 * last is, and none if the first is not.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

/* Turns that a loop is foreseen for: those that warps take before they go in step (stroll.c). */
enum { MOST_TURNS = 8, MOST_INSTRUCTIONS = 64, MOST_DEPTH = 4 };

/* ---- What a leg compares ---- */

static bool is_in_loop(const struct ptx_native_flow *f, const struct ptx_native_loop *loop,
                       int32_t node)
{
    const int32_t at = f->graph->position[node];
    return at >= loop->head && at <= loop->last;
}

static int32_t node_of(const struct ptx_native_flow *f, const struct ptx_instruction *in)
{
    return f->graph->node_of[in - f->function->instructions];
}

/* From thread to thread of the block it goes up as it does from lane to lane: it is a sum or a product of threadIdx.x and of what all
 * threads have alike. */
static bool is_made(const struct ptx_native_flow *f, const struct ptx_instruction *in, int depth);

static bool is_even(const struct ptx_native_flow *f, const struct ptx_operand *o, int depth)
{
    if (o->part || o->is_negated)
        return false;
    if (o->kind == PTX_OPERAND_INTEGER)
        return true;
    if (o->kind == PTX_OPERAND_SPECIAL)
        return o->index == PTX_TID_X || (o->index >= PTX_NTID_X && o->index <= PTX_NCTAID_Z);
    if (o->kind == PTX_OPERAND_ADDRESS)
        return o->index < 0 && o->variable && o->variable->space == PTX_SPACE_PARAM;
    return o->kind == PTX_OPERAND_REGISTER && f->is_fixed[o->index] &&
           is_made(f, f->set_by[o->index], depth + 1);
}

/* Of threadIdx.x and a multiple of as many threads as a block can have: their sum. */
static bool is_sum(const struct ptx_native_flow *f, const struct ptx_instruction *in)
{
    enum { BITS_OF_TID = 10 };
    for (uint32_t i = 1; i < 3; i++) {
        const struct ptx_operand *o = &in->operands[i], *tid = &in->operands[3 - i];
        const bool is_tid =
            tid->kind == PTX_OPERAND_SPECIAL
                ? tid->index == PTX_TID_X
                : tid->kind == PTX_OPERAND_REGISTER && f->is_fixed[tid->index] &&
                      ptx_native_is_move(f->set_by[tid->index]) &&
                      f->set_by[tid->index]->operands[1].kind == PTX_OPERAND_SPECIAL &&
                      f->set_by[tid->index]->operands[1].index == PTX_TID_X;
        if (is_tid && o->kind == PTX_OPERAND_REGISTER && f->uniform.registers[o->index] &&
            f->lines[o->index].zeros >= BITS_OF_TID)
            return true;
    }
    return false;
}

static bool is_made(const struct ptx_native_flow *f, const struct ptx_instruction *in, int depth)
{
    switch (in->opcode) {
    case PTX_OPCODE_or:
        if (!is_sum(f, in))
            return false;
        break;
    case PTX_OPCODE_mov:
    case PTX_OPCODE_ld:
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_shl:
        break;
    default:
        return false;
    }
    bool is = depth < MOST_DEPTH && in->guard < 0 && !(in->flags & (PTX_WIDE | PTX_HI)) &&
              ptx_native_bits((enum ptx_type)in->types[0]) == 32;
    for (uint32_t i = 1; is && i < in->operand_count; i++)
        is = is_even(f, &in->operands[i], depth);
    return is;
}

/* Whether an operand is a number that all threads of the block have, made of what a block begins with. */
static bool is_of_block(struct ptx_native *n, const struct ptx_operand *o)
{
    return !ptx_native_varies(n, o) && is_even(n->flow, o, 0);
}

/* What sets the counter in the loop, and what does before it. */
struct setters {
    const struct ptx_instruction *begins, *steps;
    int32_t counter;
    const struct ptx_native_flow *flow;
    const struct ptx_native_loop *loop;
    const struct ptx_instruction *in;
    bool are_others;
};

static void look_at_setter(void *with, uint32_t index, bool is_whole)
{
    struct setters *s = with;
    if ((int32_t)index != s->counter)
        return;
    const struct ptx_instruction **to =
        is_in_loop(s->flow, s->loop, node_of(s->flow, s->in)) ? &s->steps : &s->begins;
    s->are_others |= *to != NULL || !is_whole;
    *to = s->in;
}

static bool find_setters(struct ptx_native *n, struct ptx_native_sure *sure,
                         const struct ptx_native_loop *loop)
{
    const struct ptx_native_flow *f = n->flow;
    struct setters s = {.counter = sure->counter, .flow = f, .loop = loop};
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        s.in = &f->function->instructions[i];
        if (f->graph->position[f->graph->node_of[i]] != PTX_NO_NODE)
            ptx_flow_writes(s.in, look_at_setter, &s);
    }
    if (s.are_others || !s.begins || !s.steps || s.steps->opcode != PTX_OPCODE_add ||
        s.steps->guard >= 0 || !f->is_in_leg[node_of(f, s.begins)] ||
        f->graph->position[node_of(f, s.begins)] >= loop->head)
        return false;
    const struct ptx_operand *o = s.steps->operands;
    const bool is_first = o[1].kind == PTX_OPERAND_REGISTER && o[1].index == sure->counter;
    sure->begins = s.begins;
    sure->steps = s.steps;
    sure->step = &o[is_first ? 2 : 1];
    return (is_first || (o[2].kind == PTX_OPERAND_REGISTER && o[2].index == sure->counter)) &&
           is_of_block(n, sure->step) && is_made(f, s.begins, 0) &&
           node_of(f, s.steps) == f->graph->order[loop->last];
}

/* What is added to the counter before the comparison, in the same turn; false: it is another number. */
static bool find_distance(struct ptx_native *n, const struct ptx_native_sure *sure,
                          const struct ptx_instruction *in, const struct ptx_operand *number,
                          int64_t *distance)
{
    const struct ptx_native_flow *f = n->flow;
    const bool is_before = node_of(f, in) != node_of(f, sure->steps) || in < sure->steps;
    *distance = 0;
    if (!is_before || number->index == sure->counter)
        return is_before;
    const struct ptx_instruction *by =
        f->definitions[number->index] == 1 ? f->set_by[number->index] : NULL;
    if (!by || by->opcode != PTX_OPCODE_add || by->guard >= 0 ||
        !is_in_loop(f, &sure->loop, node_of(f, by)) ||
        (node_of(f, by) == node_of(f, sure->steps) && by > sure->steps) ||
        by->operands[1].kind != PTX_OPERAND_REGISTER || by->operands[1].index != sure->counter ||
        by->operands[2].kind != PTX_OPERAND_INTEGER)
        return false;
    *distance = (int32_t)by->operands[2].bits;
    return true;
}

static void add(struct ptx_native_sure *sure, struct ptx_native_answer answer)
{
    if (sure->count < PTX_NATIVE_ANSWERS)
        sure->answers[sure->count++] = answer;
}

static void look_at_comparison(struct ptx_native *n, struct ptx_native_sure *sure,
                               const struct ptx_instruction *in)
{
    const struct ptx_native_flow *f = n->flow;
    struct ptx_native_answer answer = {.in = in};
    if (in == sure->ends || !ptx_native_describe_bound(n, in, &answer.bound) ||
        answer.bound.is_signed != sure->last.bound.is_signed || !is_of_block(n, answer.bound.to))
        return;
    answer.is_in_loop = is_in_loop(f, &sure->loop, node_of(f, in));
    if (answer.is_in_loop) {
        if (find_distance(n, sure, in, answer.bound.number, &answer.distance))
            add(sure, answer);
        return;
    }
    const bool is_first = f->graph->position[node_of(f, in)] < sure->loop.head;
    const bool is_counter = answer.bound.number->index == sure->counter;
    const bool is_begun =
        is_counter && node_of(f, in) == node_of(f, sure->begins) && sure->begins < in;
    if (is_first && (is_counter ? is_begun : is_even(f, answer.bound.number, 0)))
        add(sure, answer);
}

/* ---- Which legs ---- */

static bool leaves_at_end(const struct ptx_native_flow *f, const struct ptx_native_loop *loop)
{
    for (int32_t at = loop->head; at < loop->last; at++) {
        const struct ptx_node *node = &f->graph->nodes[f->graph->order[at]];
        for (uint32_t i = 0; i < node->next_count; i++)
            if (!is_in_loop(f, loop, node->next[i]))
                return false;
        if (node->leaves || f->sites[f->graph->order[at]])
            return false;
    }
    return true;
}

/* The loop ends where the counter is no longer below a bound. */
static bool ends_by_bound(struct ptx_native *n, struct ptx_native_sure *sure)
{
    const struct ptx_native_flow *f = n->flow;
    const int32_t node = f->graph->order[sure->loop.last];
    const struct ptx_instruction *last = &f->function->instructions[f->graph->nodes[node].end - 1];
    if (last->opcode != PTX_OPCODE_bra || last->guard < 0 || f->definitions[last->guard] != 1 ||
        f->graph->node_of[f->function->labels[last->operands[last->operand_count - 1].index]
                              .instruction] != f->graph->order[sure->loop.head])
        return false;
    sure->ends = f->set_by[last->guard];
    sure->last.in = sure->ends;
    if (node_of(f, sure->ends) != node || f->is_fixed[last->guard] ||
        !ptx_native_describe_bound(n, sure->ends, &sure->last.bound) ||
        !is_of_block(n, sure->last.bound.to) || sure->last.bound.holds == last->guard_negated)
        return false;
    sure->counter = sure->last.bound.number->index;
    return find_setters(n, sure, &sure->loop) && sure->steps < sure->ends;
}

static const struct ptx_native_loop *only_loop(const struct ptx_native_flow *f)
{
    const struct ptx_native_loop *only = NULL;
    for (size_t i = 0; i < f->loop_count; i++) {
        if (!f->is_in_leg[f->graph->order[f->loops[i].head]])
            continue;
        if (only)
            return NULL;
        only = &f->loops[i];
    }
    return only;
}

static size_t instructions_of(const struct ptx_native_flow *f)
{
    size_t count = 0;
    for (size_t i = 0; i < f->graph->reachable; i++) {
        const struct ptx_node *node = &f->graph->nodes[f->graph->order[i]];
        count += f->is_in_leg[f->graph->order[i]] ? node->end - node->first : 0;
    }
    return count;
}

bool ptx_native_find_sure(struct ptx_native *n, struct ptx_native_sure *sure)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_native_loop *loop = f->leg == 0 ? only_loop(f) : NULL;
    *sure = (struct ptx_native_sure){0};
    if (!loop || n->e->target->threads != PTX_THREADS_ROWS || !f->is_full ||
        ptx_native_busy_warps(f, f->graph->order[0]) >= 0 || instructions_of(f) > MOST_INSTRUCTIONS)
        return false;
    sure->loop = *loop;
    if (!leaves_at_end(f, loop) || !ends_by_bound(n, sure))
        return false;
    for (size_t i = 0; i < f->graph->reachable; i++) {
        const int32_t node = f->graph->order[i];
        const struct ptx_node *range = &f->graph->nodes[node];
        if (f->is_in_leg[node] && f->rests[node].compared && !f->sites[node])
            return false;
        for (uint32_t j = range->first; f->is_in_leg[node] && !f->sites[node] && j < range->end;
             j++)
            look_at_comparison(n, sure, &f->function->instructions[j]);
    }
    return true;
}

/* ---- The text ---- */

static void make(struct ptx_native *n, const struct ptx_instruction *in);

static void make_operand(struct ptx_native *n, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_REGISTER && n->flow->is_fixed[o->index])
        make(n, n->flow->set_by[o->index]);
}

static void make(struct ptx_native *n, const struct ptx_instruction *in)
{
    for (uint32_t i = 1; i < in->operand_count; i++)
        make_operand(n, &in->operands[i]);
    n->flow->write(n, in);
}

static const char *number_of(struct ptx_native *n, const struct ptx_operand *o)
{
    make_operand(n, o);
    n->is_vector = false;
    return ptx_native_read(n, o, PTX_U32).text;
}

static const char *both(struct ptx_native *n, const char *a, const char *b)
{
    return a ? ptx_native_emit(n, "and i1 %s, %s", a, b) : b;
}

static const char *is_below(struct ptx_native *n, const struct ptx_native_bound *bound,
                            const char *number, const char *to)
{
    return ptx_native_emit(n, "icmp %c%s i32 %s, %s", bound->is_signed ? 's' : 'u',
                           bound->is_strict ? "lt" : "le", number, to);
}

/* Of all threads' numbers none is past a wrap. */
static const char *is_straight(struct ptx_native *n, const struct ptx_native_bound *bound,
                               const char *first, const char *last)
{
    return ptx_native_emit(n, "icmp %cle i32 %s, %s", bound->is_signed ? 's' : 'u', first, last);
}

/* How far it is from the first thread's number to the last one's. */
static const char *reach_of(struct ptx_native *n, const struct ptx_operand *number)
{
    const int64_t step = n->flow->lines[number->index].step;
    const char *threads = ptx_native_emit(n, "shl i32 %%end, 5");
    return ptx_native_emit(n, "mul i32 %s, %lld", ptx_native_emit(n, "sub i32 %s, 1", threads),
                           (long long)step);
}

static const char *all_below(struct ptx_native *n, const struct ptx_native_answer *answer,
                             const char *first, const char *to)
{
    const struct ptx_native_bound *bound = &answer->bound;
    if (answer->distance != 0)
        first = ptx_native_emit(n, "add i32 %s, %lld", first, (long long)answer->distance);
    const char *last = ptx_native_emit(n, "add i32 %s, %s", first, reach_of(n, bound->number));
    return both(n, is_straight(n, bound, first, last), is_below(n, bound, last, to));
}

/* One turn's answers, and whether there is another. */
static void look_at_turn(struct ptx_native *n, const struct ptx_native_sure *sure,
                         const char *const *to)
{
    const char *first = ptx_native_load_word(n, "%sure.first"), *good = NULL;
    for (size_t i = 0; i < sure->count; i++)
        if (sure->answers[i].is_in_loop)
            good = both(n, good, all_below(n, &sure->answers[i], first, to[i]));
    const struct ptx_native_bound *bound = &sure->last.bound;
    const char *next = ptx_native_emit(n, "add i32 %s, %s", first, to[sure->count + 1]);
    const char *last = ptx_native_emit(n, "add i32 %s, %s", next, reach_of(n, bound->number));
    const char *ends =
        ptx_native_emit(n, "xor i1 %s, true", is_below(n, bound, next, to[sure->count]));
    const char *goes_on = is_below(n, bound, last, to[sure->count]);
    good = both(n, good, is_straight(n, bound, next, last));
    good = both(n, good, ptx_native_emit(n, "or i1 %s, %s", ends, goes_on));
    const char *turns = ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, "%sure.turns"));
    const char *is_long = ptx_native_emit(n, "icmp ugt i32 %s, %d", turns, MOST_TURNS);
    const char *is_few = ptx_native_emit(n, "xor i1 %s, true", is_long);
    ptx_native_store_word(n, "%sure.turns", turns);
    ptx_native_store_word(n, "%sure.first", next);
    const char *on = ptx_native_name(n, "sure");
    ptx_native_do(n, "br i1 %s, label %%%s, label %%leg.0g", both(n, good, is_few), on);
    ptx_native_label(n, on);
    ptx_native_do(n, "br i1 %s, label %%leg.0s, label %%look", ends);
}

static void forget(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    for (size_t i = 0; i < f->dirty_count; i++)
        f->is_dirty[f->dirty[i]] = false;
    f->dirty_count = 0;
    f->stamp++;
}

void ptx_native_declare_sure(struct ptx_native *n)
{
    static const char *const words[] = {"%sure.turns", "%sure.first", "%sure.left"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ptx_native_do(n, "%s = alloca i32", words[i]);
}

void ptx_native_look_whether_sure(struct ptx_native *n, const struct ptx_native_sure *sure)
{
    struct ptx_native_flow *f = n->flow;
    const char *to[PTX_NATIVE_ANSWERS + 2], *good = NULL;
    f->node = f->graph->order[0];
    f->mask = "-1";
    f->stamp++;
    ptx_native_turn(n);
    for (size_t i = 0; i < sure->count; i++)
        to[i] = number_of(n, sure->answers[i].bound.to);
    to[sure->count] = number_of(n, sure->last.bound.to);
    to[sure->count + 1] = number_of(n, sure->step);
    make(n, sure->begins);
    for (size_t i = 0; i < sure->count; i++) {
        const struct ptx_native_answer *answer = &sure->answers[i];
        if (answer->is_in_loop)
            continue;
        if (answer->bound.number->index != sure->counter)
            make_operand(n, answer->bound.number);
        const char *first = ptx_native_term_of(n, answer->bound.number, 32).base[0];
        good = both(n, good, all_below(n, answer, first, to[i]));
    }
    const char *first = ptx_native_term_of(n, sure->last.bound.number, 32).base[0];
    ptx_native_store_word(n, "%sure.first", first);
    ptx_native_store_word(n, "%sure.turns", "0");
    if (good)
        ptx_native_do(n, "br i1 %s, label %%look, label %%leg.0g", good);
    else
        ptx_native_jump(n, "look");
    ptx_native_label(n, "look");
    look_at_turn(n, sure, to);
    forget(n);
}

void ptx_native_begin_sure(struct ptx_native *n)
{
    ptx_native_store_word(n, "%sure.left", ptx_native_load_word(n, "%sure.turns"));
}

/* The lanes of a comparison, a number; NULL: it is not known. */
static const char *answer_of(struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_native_sure *sure = n->flow->sure;
    for (size_t i = 0; i < sure->count; i++)
        if (sure->answers[i].in == in)
            return sure->answers[i].bound.holds ? "-1" : "0";
    if (in != sure->ends)
        return NULL;
    const char *left = ptx_native_emit(n, "sub i32 %s, 1", ptx_native_load_word(n, "%sure.left"));
    ptx_native_store_word(n, "%sure.left", left);
    const char *is_more = ptx_native_emit(n, "icmp ne i32 %s, 0", left);
    return ptx_native_emit(n, "select i1 %s, i32 %d, i32 %d", is_more,
                           sure->last.bound.holds ? -1 : 0, sure->last.bound.holds ? 0 : -1);
}

bool ptx_native_write_answer(struct ptx_native *n, const struct ptx_instruction *in)
{
    const char *lanes = n->flow->sure ? answer_of(n, in) : NULL;
    if (!lanes)
        return false;
    const struct ptx_native_value result = ptx_native_of_lanes(n, lanes);
    n->is_vector = true;
    ptx_native_keep(n, in, &result, 1);
    return true;
}

bool ptx_native_is_answered(const struct ptx_native_flow *f, int32_t guard)
{
    const struct ptx_native_sure *sure = f->sure;
    if (!sure || guard < 0 || f->definitions[guard] != 1)
        return false;
    bool is = f->set_by[guard] == sure->ends;
    for (size_t i = 0; i < sure->count; i++)
        is |= f->set_by[guard] == sure->answers[i].in;
    return is;
}
