/* Loops in which the threads of a block stride over memory side by side: its warps take the turns of such a loop in step, so that
 * memory is gone through in rows as wide as the block. A warp that went alone would read two lines of cache, and then others far
 * away, which neither the processor's prefetching nor its tables of pages like.
 *
 * The first warp that comes to the loop tells, after its first few turns, whether it is worth it. Then each warp stores what lives,
 * and which lanes are where, in its frame, and waits as at a barrier that opens by itself once all have had their turns (turn.c). A
 * warp whose lanes have left the loop waits there all the same, until more than half of the warps have: then each goes
 * on alone. What of a block waits elsewhere meanwhile, the runtime lets go on, likewise each warp alone.
 *
 * Where threads neither meet nor have memory of their block, and a loop goes from row to far row, as up the columns of a cube, the
 * warps of several blocks side by side do the same in vast launches: rows are then as wide as the grid.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

#define OF_BLOCK(member) offsetof(struct ptx_native_block, member)
#define OF_TURN(member)  offsetof(struct ptx_native_turn, member)

/* Turns of the loop that a warp has, so that what it stores is little beside them, and what it asks for of its next ones (ahead.c)
 * is still near then. With the warps of other blocks fewer: compilers make one turn of two, or of more, and what lies whole pages
 * behind the same of the turn before goes to the same eight places of the nearest cache (heat_3d: with 1 or 3 of two layers each
 * 1.2 times as long, with 4 1.05). */
enum { AT_ONCE = 8, AT_ONCE_TOGETHER = 2 };

/* How warps go through a loop, in a word of the function. */
enum { IS_OPEN, GOES_ALONE, GOES_IN_STEP };

/* ---- Which loops ---- */

/* Whether a loop's step is a number, or the block's own width by one: what a block reads lies together, and stays near for
 * its warps. */
static bool is_near(const struct ptx_native_flow *f, const struct ptx_operand *step)
{
    enum { MOST_DEPTH = 4 };
    for (int depth = 0; depth < MOST_DEPTH; depth++) {
        if (step->kind != PTX_OPERAND_REGISTER)
            return true;
        const struct ptx_instruction *in =
            f->definitions[step->index] == 1 ? f->set_by[step->index] : NULL;
        const bool is_one =
            in && (in->operand_count == 2 ||
                   (in->operand_count == 3 && in->operands[2].kind == PTX_OPERAND_INTEGER));
        if (!is_one || in->opcode == PTX_OPCODE_ld)
            return false;
        if (in->operands[1].kind == PTX_OPERAND_SPECIAL)
            return in->operands[1].index < PTX_NCTAID_X;
        step = &in->operands[1];
    }
    return false;
}

/* Counts up turns of a loop by a number that is the same for all lanes, and far. */
static bool strides(const struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_add || in->guard >= 0 || in->operand_count != 3 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER ||
        !ptx_native_is_line(n, (uint32_t)in->operands[0].index))
        return false;
    bool does = false;
    for (uint32_t i = 1; i < 3; i++) {
        const struct ptx_operand *o = &in->operands[i], *step = &in->operands[3 - i];
        does |= o->kind == PTX_OPERAND_REGISTER && o->index == in->operands[0].index &&
                !is_near(n->flow, step) && ptx_native_is_uniform(n, (uint32_t)step->index);
    }
    return does;
}

static bool reads_row(const struct ptx_native *n, const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_ld && in->operand_count > 1 &&
           (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_GENERIC) &&
           in->operands[1].kind == PTX_OPERAND_ADDRESS && in->operands[1].index >= 0 &&
           ptx_native_is_line(n, (uint32_t)in->operands[1].index) &&
           ptx_native_step_of(n->flow->lines[in->operands[1].index]) != 0;
}

static bool has_strides(const struct ptx_native *n, struct ptx_native_loop loop)
{
    const struct ptx_native_flow *f = n->flow;
    bool does_stride = false, reads = false;
    for (int32_t at = loop.head; at <= loop.last; at++) {
        const int32_t node = f->graph->order[at];
        const struct ptx_node *range = &f->graph->nodes[node];
        if (!f->uniform.is_divergent[node] || f->sites[node])
            return false;
        for (uint32_t i = range->first; i < range->end; i++) {
            const struct ptx_instruction *in = &f->function->instructions[i];
            if (in->opcode == PTX_OPCODE_call || in->opcode == PTX_OPCODE_trap)
                return false;
            does_stride |= strides(n, in);
            reads |= reads_row(n, in);
        }
    }
    return does_stride && reads;
}

static bool is_single(const struct ptx_native_flow *f, size_t index)
{
    const struct ptx_native_loop *loop = &f->loops[index];
    for (size_t i = 0; i < f->loop_count; i++)
        if (i != index && f->loops[i].head <= loop->last && f->loops[i].last >= loop->head)
            return false;
    return true;
}

/* Where lanes may be while a warp waits: at the loop's head, or behind it. */
static void find_rooms(struct ptx_native *n, struct ptx_native_stroll *stroll)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_flow *g = f->graph;
    stroll->has_lanes = ptx_arena_take(n->e->arena, g->count + 1);
    stroll->has_lanes[g->order[stroll->loop.head]] = true;
    for (int32_t at = 0; at <= stroll->loop.last; at++) {
        const struct ptx_node *node = &g->nodes[g->order[at]];
        for (uint32_t i = 0; i < node->next_count; i++)
            if (g->position[node->next[i]] > stroll->loop.last)
                stroll->has_lanes[node->next[i]] = true;
    }
    stroll->lives = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    for (size_t i = 0; i < g->reachable; i++)
        for (uint32_t r = 0; stroll->has_lanes[g->order[i]] && r < f->function->register_count; r++)
            stroll->lives[r] |= ptx_flow_is_live(g, g->order[i], r);
}

static void note_set(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

static void find_set(struct ptx_native *n, struct ptx_native_stroll *stroll)
{
    const struct ptx_native_flow *f = n->flow;
    stroll->is_set = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    for (int32_t at = stroll->loop.head; at <= stroll->loop.last; at++) {
        const struct ptx_node *range = &f->graph->nodes[f->graph->order[at]];
        for (uint32_t i = range->first; i < range->end; i++)
            ptx_flow_writes(&f->function->instructions[i], note_set, stroll->is_set);
    }
}

/* Whether warps of other blocks may come first, in any order, and each is whole. */
static bool is_without_others(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    bool is = f->site_count == 0 && !f->by_thread && n->e->plan->shared_count == 0 &&
              ptx_native_has_rows(n->e->target->threads);
    for (size_t i = 0; is && i < f->function->instruction_count; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        is = in->space != PTX_SPACE_SHARED && in->opcode != PTX_OPCODE_call &&
             in->opcode != PTX_OPCODE_trap && in->opcode != PTX_OPCODE_brkpt &&
             in->opcode != PTX_OPCODE_atom && in->opcode != PTX_OPCODE_red &&
             in->opcode != PTX_OPCODE_membar && in->opcode != PTX_OPCODE_fence &&
             !ptx_is_warp_operation(in) && (in->opcode == PTX_OPCODE_bra || !ptx_is_volatile(in));
    }
    return is;
}

/* What is long beside its loads waits for memory by itself. */
static bool has_atomics(const struct ptx_native_flow *f, const struct ptx_native_loop *loop)
{
    bool has = false;
    for (int32_t at = loop->head; at <= loop->last; at++) {
        const struct ptx_node *range = &f->graph->nodes[f->graph->order[at]];
        for (uint32_t i = range->first; i < range->end; i++)
            has |= f->function->instructions[i].opcode == PTX_OPCODE_atom ||
                   f->function->instructions[i].opcode == PTX_OPCODE_red;
    }
    return has;
}

static bool reads_far_rows(struct ptx_native *n, const struct ptx_native_loop *loop)
{
    const struct ptx_native_flow *f = n->flow;
    bool does = false;
    for (int32_t at = loop->head; at <= loop->last; at++) {
        const struct ptx_node *range = &f->graph->nodes[f->graph->order[at]];
        for (uint32_t i = range->first; i < range->end; i++) {
            const struct ptx_instruction *in = &f->function->instructions[i];
            struct ptx_native_pace pace;
            does |= reads_row(n, in) &&
                    ptx_native_find_pace(n, loop, in->operands[1].index, &pace) &&
                    !ptx_native_is_foreseen(pace);
        }
    }
    return does;
}

/* The first, for warps may wait at one place only where those of several blocks do; NULL: there is none. */
static const struct ptx_native_loop *find_far_loop(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_native_loop *found = NULL;
    bool strides_already = false;
    for (size_t i = 0; i < f->loop_count; i++) {
        const struct ptx_native_loop *loop = &f->loops[i];
        strides_already |= is_single(f, i) && has_strides(n, *loop);
        if (!found && is_single(f, i) && reads_far_rows(n, loop))
            found = loop;
    }
    return !strides_already && found && is_without_others(n) ? found : NULL;
}

/* Lanes come back to the loop, and leave it, as where they part: what waits meanwhile is noted there. */
static void part_from(struct ptx_native *n, const struct ptx_native_loop *loop)
{
    const struct ptx_native_flow *f = n->flow;
    for (size_t at = (size_t)loop->head; at < f->graph->reachable; at++)
        f->uniform.is_divergent[f->graph->order[at]] = true;
}

static void add_stroll(struct ptx_native *n, struct ptx_native_loop loop)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_native_stroll *stroll = &f->strolls[f->stroll_count++];
    *stroll = (struct ptx_native_stroll){.loop = loop, .site = ++f->site_count};
    find_rooms(n, stroll);
    find_set(n, stroll);
}

void ptx_native_find_strolls(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    bool is_far = false;
    f->strolls = ptx_arena_array(n->e->arena, f->loop_count + 1, sizeof *f->strolls);
    f->barrier_count = f->site_count;
    if (f->ticket) {
        const int32_t node = f->graph->node_of[f->ticket - f->function->instructions],
                      at = f->graph->position[node];
        add_stroll(n, (struct ptx_native_loop){at, at});
        return;
    }
    if (f->is_parted || f->is_tangled || ptx_native_is_checked(n))
        return;
    const struct ptx_native_loop *far = find_far_loop(n);
    if (far)
        n->e->plan->vast = PTX_VAST_MEMORY;
    f->is_together = far && n->e->target->is_vast;
    if (f->is_together) {
        part_from(n, far);
        add_stroll(n, *far);
        return;
    }
    for (size_t i = 0; i < f->loop_count; i++) {
        if (!is_single(f, i) || !has_strides(n, f->loops[i]))
            continue;
        add_stroll(n, f->loops[i]);
        is_far |= !has_atomics(f, &f->loops[i]) && reads_far_rows(n, &f->loops[i]);
    }
    if (is_far && n->e->target->has_few_ways)
        n->e->plan->vast = PTX_VAST_MEMORY;
    f->asks_beside = is_far && n->e->target->has_few_ways && n->e->target->is_vast;
}

struct ptx_native_stroll *ptx_native_stroll_at(const struct ptx_native *n, int32_t position,
                                               bool is_end)
{
    const struct ptx_native_flow *f = n->flow;
    for (size_t i = 0; !f->ticket && i < f->stroll_count; i++)
        if (position == (is_end ? f->strolls[i].loop.last : f->strolls[i].loop.head))
            return &f->strolls[i];
    return NULL;
}

/* ---- The text ---- */

static const char *mode_of(struct ptx_native *n, const struct ptx_native_stroll *stroll)
{
    return ptx_format(n->e, "%%mode.%d", (int)stroll->site);
}

/* Where a branch before the loop leaves warps without a turn, the others would meet nobody there. */
static bool has_rest_before(const struct ptx_native_flow *f, const struct ptx_native_stroll *stroll)
{
    for (int32_t at = stroll->loop.head; at >= 0; at--) {
        const int32_t node = f->graph->order[at];
        if (f->rests[node].compared)
            return true;
        if (f->sites[node])
            return false;
    }
    return false;
}

void ptx_native_begin_strolls(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    if (f->stroll_count == 0 || f->ticket)
        return;
    static const char *const words[] = {"%strolling", "%steps", "%fresh"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ptx_native_do(n, "%s = alloca i32", words[i]);
    for (size_t i = 0; i < f->stroll_count; i++)
        ptx_native_do(n, "%s = alloca i32", mode_of(n, &f->strolls[i]));
}

static const char *warps_of_call(struct ptx_native *n)
{
    return ptx_native_emit(n, "sub i32 %s, %s", ptx_native_of_block(n, OF_BLOCK(end), "i32"),
                           ptx_native_first_warp(n));
}

void ptx_native_reset_strolls(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    if (f->stroll_count == 0 || f->ticket)
        return;
    ptx_native_store_word(n, "%strolling", "0");
    ptx_native_store_word(n, "%steps", "0");
    ptx_native_store_word(n, "%fresh", "0");
    const char *are_several = ptx_native_emit(n, "icmp ugt i32 %s, 1", warps_of_call(n));
    const char *may_step =
        ptx_native_emit(n, "and i1 %s, %s", are_several, ptx_native_are_together(n));
    const char *mode =
        ptx_native_emit(n, "select i1 %s, i32 %d, i32 %d", may_step, IS_OPEN, GOES_ALONE);
    for (size_t i = 0; i < f->stroll_count; i++) {
        const struct ptx_native_stroll *stroll = &f->strolls[i];
        ptx_native_store_word(n, mode_of(n, stroll),
                              has_rest_before(f, stroll) ? ptx_format(n->e, "%d", GOES_ALONE)
                                                         : mode);
    }
}

/* A node's word of lanes in the frame. */
static const char *kept_word(struct ptx_native *n, const struct ptx_native_stroll *stroll,
                             int32_t node)
{
    const struct ptx_native_flow *f = n->flow;
    size_t before = 0;
    for (int32_t i = 0; i < node; i++)
        before += stroll->has_lanes[i];
    const char *frame = ptx_native_of_block(n, OF_BLOCK(frame), "i64");
    return ptx_native_pointer(
        n, "i32", ptx_native_emit(n, "add i64 %s, %zu", frame, f->strolls_at + 4 * before));
}

size_t ptx_native_stroll_bytes(const struct ptx_native_flow *f)
{
    size_t most = 0;
    for (size_t i = 0; i < f->stroll_count; i++) {
        size_t count = 0;
        for (size_t j = 0; j < f->graph->count; j++)
            count += f->strolls[i].has_lanes[j];
        most = count > most ? count : most;
    }
    return 4 * most;
}

static void take_words(struct ptx_native *n, const struct ptx_native_stroll *stroll)
{
    for (size_t i = 0; i < n->flow->graph->count; i++)
        if (stroll->has_lanes[i])
            ptx_native_store_word(n, ptx_native_word_of(n, (int32_t)i),
                                  ptx_native_load_word(n, kept_word(n, stroll, (int32_t)i)));
}

/* Returns the lanes that are anywhere. */
static const char *keep_words(struct ptx_native *n, const struct ptx_native_stroll *stroll)
{
    const char *all = "0";
    for (size_t i = 0; i < n->flow->graph->count; i++) {
        if (!stroll->has_lanes[i])
            continue;
        const char *there = ptx_native_load_word(n, ptx_native_word_of(n, (int32_t)i));
        ptx_native_store_word(n, kept_word(n, stroll, (int32_t)i), there);
        all = ptx_native_emit(n, "or i32 %s, %s", all, there);
    }
    return all;
}

const char *ptx_native_wait_in_step(struct ptx_native *n, const struct ptx_native_stroll *stroll)
{
    ptx_native_save_all(n, stroll->lives, stroll->is_set, true);
    ptx_native_save_all(n, stroll->lives, stroll->is_set, false);
    return keep_words(n, stroll);
}

void ptx_native_go_on_in_step(struct ptx_native *n, const struct ptx_native_stroll *stroll)
{
    ptx_native_restore(n, stroll->lives);
    take_words(n, stroll);
}

void ptx_native_come_to_stroll(struct ptx_native *n)
{
    ptx_native_store_word(n, "%steps", "0");
    ptx_native_store_word(n, "%fresh", "1");
}

const char *ptx_native_goes_alone(struct ptx_native *n, const struct ptx_native_stroll *stroll)
{
    return ptx_native_emit(n, "icmp eq i32 %s, %d", ptx_native_load_word(n, mode_of(n, stroll)),
                           GOES_ALONE);
}

void ptx_native_begin_stroll(struct ptx_native *n, const struct ptx_native_stroll *stroll)
{
    struct ptx_native_flow *f = n->flow;
    const char *head = ptx_format(n->e, "D%d", (int)f->graph->order[stroll->loop.head]);
    ptx_native_come_to_stroll(n);
    ptx_native_jump(n, head);
    ptx_native_label(n, ptx_format(n->e, "S%d", (int)stroll->site));
    ptx_native_store_word(n, "%steps", "0");
    ptx_native_store_word(n, "%fresh", "0");
    f->mask = "-1";
    ptx_native_restore(n, stroll->lives);
    take_words(n, stroll);
    ptx_native_jump(n, head);
    f->stamp++;
    ptx_native_label(n, head);
}

static void wait_for_others(struct ptx_native *n, const struct ptx_native_stroll *stroll,
                            const char *is_any)
{
    struct ptx_native_flow *f = n->flow;
    const char *rest = ptx_native_name(n, "rest"), *all = ptx_native_name(n, "kept");
    const char *warp = ptx_native_held_apart(n, ptx_native_load_word(n, "%warp"));
    const char *behind = ptx_native_emit(
        n, "mul i64 %s, %zu", ptx_native_emit(n, "zext i32 %s to i64", warp), f->frame_bytes);
    f->frame = ptx_native_emit(n, "add i64 %%block.%zu, %s", OF_BLOCK(frame), behind);
    const char *is_fresh =
        ptx_native_emit(n, "icmp ne i32 %s, 0", ptx_native_load_word(n, "%fresh"));
    ptx_native_save_all(n, stroll->lives, stroll->is_set, true);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_fresh, rest, all);
    ptx_native_label(n, rest);
    ptx_native_save_all(n, stroll->lives, stroll->is_set, false);
    ptx_native_jump(n, all);
    ptx_native_label(n, all);
    const char *lanes = keep_words(n, stroll);
    f->frame = NULL;
    if (!f->is_full)
        ptx_native_store_word(n, ptx_native_of_turn(n, OF_TURN(lanes)), lanes);
    if (!f->is_quiet)
        ptx_native_store_word(n, ptx_native_of_turn(n, OF_TURN(number)),
                              ptx_format(n->e, "%d", PTX_NATIVE_TURN));
    const char *count = ptx_native_emit(n, "zext i1 %s to i32", is_any);
    ptx_native_store_word(
        n, "%strolling",
        ptx_native_emit(n, "add i32 %s, %s", ptx_native_load_word(n, "%strolling"), count));
    ptx_native_store_word(n, "%came", ptx_format(n->e, "%d", (int)stroll->site));
    ptx_native_jump(n, "arrived");
}

static const char *may_go_on(struct ptx_native *n, const char *mode, const char *steps)
{
    const char *is_alone = ptx_native_emit(n, "icmp eq i32 %s, %d", mode, GOES_ALONE);
    const char *has_turns = ptx_native_emit(n, "icmp ult i32 %s, %d", steps,
                                            n->flow->is_together ? AT_ONCE_TOGETHER : AT_ONCE);
    return ptx_native_emit(n, "or i1 %s, %s", is_alone, has_turns);
}

const char *ptx_native_where_in_step(struct ptx_native *n, const struct ptx_native_stroll *stroll)
{
    const char *ahead = ptx_native_name(n, "ahead"), *behind = ptx_native_name(n, "ahead");
    const char *is_in_step = ptx_native_emit(
        n, "icmp eq i32 %s, %d", ptx_native_load_word(n, mode_of(n, stroll)), GOES_IN_STEP);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_in_step, ahead, behind);
    ptx_native_label(n, ahead);
    return behind;
}

void ptx_native_step_in_stroll(struct ptx_native *n, const struct ptx_native_stroll *stroll,
                               const char *start, const char *end)
{
    const char *on = ptx_native_name(n, "on");
    const char *steps = ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, "%steps"));
    const char *mode = ptx_native_load_word(n, mode_of(n, stroll));
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", may_go_on(n, mode, steps), on, end);
    ptx_native_label(n, on);
    ptx_native_store_word(n, "%steps", steps);
    ptx_native_jump(n, start);
}

void ptx_native_end_stroll(struct ptx_native *n, const struct ptx_native_stroll *stroll,
                           const char *is_any, const char *behind)
{
    const char *mode = mode_of(n, stroll), *pause = ptx_native_name(n, "pause"),
               *wait = ptx_native_name(n, "wait");
    const char *steps = ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, "%steps"));
    ptx_native_store_word(n, "%steps", steps);
    const char *how = ptx_native_load_word(n, mode);
    const char *is_alone = ptx_native_emit(n, "icmp eq i32 %s, %d", how, GOES_ALONE);
    const char *may = may_go_on(n, how, steps);
    const char *stays = ptx_native_emit(n, "and i1 %s, %s", may, is_any);
    ptx_native_do(n, "br i1 %s, label %%D%d, label %%%s", stays,
                  (int)n->flow->graph->order[stroll->loop.head], pause);
    ptx_native_label(n, pause);
    const char *is_open = ptx_native_emit(n, "icmp eq i32 %s, %d", how, IS_OPEN);
    const char *is_over = ptx_native_emit(n, "xor i1 %s, true", is_any);
    const char *is_short = ptx_native_emit(n, "and i1 %s, %s", is_open, is_over);
    const char *leaves = ptx_native_emit(n, "or i1 %s, %s", is_alone, is_short);
    ptx_native_store_word(
        n, mode,
        ptx_native_emit(n, "select i1 %s, i32 %d, i32 %d", leaves, GOES_ALONE, GOES_IN_STEP));
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", leaves, behind, wait);
    ptx_native_label(n, wait);
    wait_for_others(n, stroll, is_any);
}

void ptx_native_stroll_on(struct ptx_native *n, const char *common)
{
    const struct ptx_native_flow *f = n->flow;
    if (f->stroll_count == 0 || f->ticket)
        return;
    const char *twice = ptx_native_emit(n, "shl i32 %s, 1", ptx_native_load_word(n, "%strolling"));
    const char *are_few = ptx_native_emit(n, "icmp ule i32 %s, %s", twice, warps_of_call(n));
    const char *mode =
        ptx_native_emit(n, "select i1 %s, i32 %d, i32 %d", are_few, GOES_ALONE, GOES_IN_STEP);
    ptx_native_store_word(n, "%strolling", "0");
    for (size_t i = 0; i < f->stroll_count; i++) {
        const char *word = mode_of(n, &f->strolls[i]);
        const char *is_it =
            ptx_native_emit(n, "icmp eq i32 %s, %d", common, (int)f->strolls[i].site);
        ptx_native_store_word(n, word,
                              ptx_native_emit(n, "select i1 %s, i32 %s, i32 %s", is_it, mode,
                                              ptx_native_load_word(n, word)));
    }
}
