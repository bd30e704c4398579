/* A kernel in the native form: its nodes, the ways between them, and the text around them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

/* ---- Parameters of calls ---- */

/* .param variables of calls become registers: what is called takes numbers. */
static struct ptx_function *with_registers(struct ptx_native *n, const struct ptx_function *from)
{
    struct ptx_arena *arena = n->e->arena;
    struct ptx_function *made = ptx_arena_take(arena, sizeof *made);
    int32_t *names = ptx_arena_array(arena, from->variable_count + 1, sizeof *names);
    size_t room = from->register_count + from->variable_count;
    *made = *from;
    made->registers = ptx_arena_array(arena, room + 1, sizeof *made->registers);
    for (size_t i = 0; i < from->register_count; i++)
        made->registers[i] = from->registers[i];
    for (size_t i = 0; i < from->variable_count; i++) {
        const struct ptx_variable *v = from->variables[i];
        names[i] = -1;
        if (v->space != PTX_SPACE_PARAM || v->is_array || v->bytes > 8)
            continue;
        names[i] = (int32_t)made->register_count;
        made->registers[made->register_count++] = (struct ptx_register){v->name, v->type, 1};
    }
    made->instructions =
        ptx_arena_array(arena, from->instruction_count + 1, sizeof *made->instructions);
    for (size_t i = 0; i < from->instruction_count; i++) {
        const struct ptx_instruction *in = &from->instructions[i];
        struct ptx_instruction *copy = &made->instructions[i];
        *copy = *in;
        const bool is_access = in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_st;
        if (!is_access && in->opcode != PTX_OPCODE_call)
            continue;
        copy->operands = ptx_arena_array(arena, in->operand_count + 1, sizeof *copy->operands);
        for (uint32_t j = 0; j < in->operand_count; j++) {
            struct ptx_operand *o = &copy->operands[j];
            size_t position;
            *o = in->operands[j];
            const bool is_list = o->kind == PTX_OPERAND_VECTOR && o->count > 0 && !is_access;
            if (is_list) {
                o->list = ptx_arena_array(arena, o->count + 1, sizeof *o->list);
                memcpy(o->list, in->operands[j].list, o->count * sizeof *o->list);
            }
            for (uint32_t k = 0; k < (is_list ? o->count : 1); k++) {
                struct ptx_operand *one = is_list ? &o->list[k] : o;
                if (!one->variable ||
                    (one->kind != PTX_OPERAND_ADDRESS && one->kind != PTX_OPERAND_VARIABLE) ||
                    !ptx_position_of(from, one->variable, &position) || names[position] < 0)
                    continue;
                *one = (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .index = names[position]};
                if (is_access) {
                    copy->opcode = PTX_OPCODE_mov;
                    copy->space = PTX_SPACE_GENERIC;
                }
            }
        }
    }
    return made;
}

/* ---- What is known of the kernel ---- */

static bool parks(const struct ptx_instruction *in)
{
    return ptx_is_barrier(in) && !ptx_barrier_arrives(in);
}

struct definitions {
    struct ptx_native_flow *flow;
    const struct ptx_instruction *in;
};

static void count_definition(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    const struct definitions *d = with;
    if (d->flow->definitions[index] < 2)
        d->flow->definitions[index]++;
    d->flow->set_by[index] = d->in;
}

static void note_reading(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    const struct definitions *d = with;
    d->flow->is_read[index] = true;
}

static void find_loops(struct ptx_native_flow *f, struct ptx_arena *arena)
{
    const struct ptx_flow *g = f->graph;
    f->loops = ptx_arena_array(arena, g->reachable + 1, sizeof *f->loops);
    f->loop_count = 0;
    for (size_t i = 0; i < g->reachable; i++) {
        const struct ptx_node *node = &g->nodes[g->order[i]];
        int32_t last = -1;
        for (uint32_t j = 0; j < node->previous_count; j++)
            if (g->position[node->previous[j]] > last)
                last = g->position[node->previous[j]];
        if (last >= (int32_t)i)
            f->loops[f->loop_count++] = (struct ptx_native_loop){(int32_t)i, last};
    }
}

/* Loops that lie across each other, as with jumps that stand for calls: where lanes that part meet again is not what the order
 * of nodes says. Then no node is taken to be come to in step. */
static bool has_tangles(const struct ptx_native_flow *f)
{
    for (size_t i = 0; i < f->loop_count; i++)
        for (size_t j = i + 1; j < f->loop_count && f->loops[j].head <= f->loops[i].last; j++)
            if (f->loops[j].last > f->loops[i].last)
                return true;
    return false;
}

static size_t round_up(size_t value, size_t to)
{
    return (value + to - 1) / to * to;
}

/* What a register takes of a frame, and begins at a multiple of; vectors 32 bytes, and with some to spare: where those of words, and so
 * frames, are 128 bytes apart and no more, scan_block takes 1.07 times as long. */
static size_t bytes_in_frame(const struct ptx_native *n, uint32_t index, size_t *alignment)
{
    const unsigned bits = ptx_native_bits((enum ptx_type)n->flow->function->registers[index].type),
                   parts = ptx_native_parts(n, index);
    const bool is_line = ptx_native_is_line(n, index);
    *alignment = 32;
    if (!is_line && !ptx_native_is_uniform(n, index))
        return (size_t)(32 * (bits + 7) / 8) * parts;
    if (!n->flow->is_together)
        return 32 * (size_t)parts;
    *alignment = is_line ? 8 : 16;
    return is_line ? 8 * (size_t)ptx_native_line_places(n, index) : 16 * (size_t)parts;
}

/* Vectors, or numbers. Those of warps of several blocks lie side by side: such warps have little else between their turns, and the
 * nearest cache is to hold that of all beside what they read (heat_3d: 0.95 of the time). */
static void place_registers(struct ptx_native *n, bool are_vectors)
{
    struct ptx_native_flow *f = n->flow;
    for (uint32_t r = 0; r < f->function->register_count; r++) {
        size_t alignment = 0;
        const size_t bytes = bytes_in_frame(n, r, &alignment);
        if (!f->is_across[r] || (alignment == 32) != are_vectors)
            continue;
        f->frame_at[r] = round_up(f->frame_bytes, alignment);
        f->frame_bytes = f->frame_at[r] + bytes;
    }
}

static void lay_out_frame(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_flow *g = f->graph;
    f->frame_at = ptx_arena_array(n->e->arena, f->function->register_count + 1, sizeof(size_t));
    f->is_across = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    if (f->is_parted)
        f->frame_bytes = round_up((size_t)f->site_count * sizeof(struct ptx_native_site) +
                                      PTX_NATIVE_LANES * sizeof(uint32_t),
                                  64);
    f->frame_bytes += f->row_count * sizeof(struct ptx_native_row);
    f->ticket_at = f->frame_bytes;
    f->frame_bytes += f->ticket ? sizeof(struct ptx_native_ticket) : 0;
    for (size_t i = 0; i < g->reachable; i++) {
        if (!f->sites[g->order[i]])
            continue;
        for (uint32_t r = 0; r < f->function->register_count; r++)
            f->is_across[r] |= !f->is_remade[r] && ptx_flow_is_live(g, g->order[i], r);
    }
    for (size_t i = 0; i < f->stroll_count; i++)
        for (uint32_t r = 0; r < f->function->register_count; r++)
            f->is_across[r] |= !f->is_remade[r] && f->strolls[i].lives[r];
    f->strolls_at = f->frame_bytes;
    f->frame_bytes =
        round_up(f->frame_bytes + ptx_native_stroll_bytes(f), f->is_together ? 16 : 64);
    place_registers(n, false);
    place_registers(n, true);
    f->frame_bytes = round_up(f->frame_bytes, 64);
}

/* Whether a node is in no loop, or in one that has a barrier. */
static bool comes_as_often(const struct ptx_native_flow *f, int32_t node)
{
    const struct ptx_native_loop *const inner = ptx_native_inner_loop(f, node);
    for (int32_t i = inner ? inner->head : 0; inner && i <= inner->last; i++)
        if (f->sites[f->graph->order[i]])
            return true;
    return !inner;
}

/* What is set at one place need not be stored at each barrier, nor taken from the frame there: where it is one number, it is
 * read where it is wanted. */
static void find_kept(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    f->is_kept = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    f->is_framed = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    f->comes_as_often = ptx_arena_take(n->e->arena, f->graph->count + 1);
    for (size_t i = 0; i < f->graph->reachable; i++)
        f->comes_as_often[f->graph->order[i]] = comes_as_often(f, f->graph->order[i]);
    for (uint32_t r = 0; r < f->function->register_count; r++) {
        if (f->is_parted || !f->is_across[r] || f->definitions[r] != 1)
            continue;
        const int32_t node = f->graph->node_of[f->set_by[r] - f->function->instructions];
        f->is_kept[r] = f->graph->position[node] != PTX_NO_NODE && f->comes_as_often[node];
        const bool is_small = ptx_native_parts(n, r) == 1 &&
                              (ptx_native_is_uniform(n, r) || ptx_native_is_line(n, r) ||
                               f->function->registers[r].type == PTX_PRED);
        f->is_framed[r] =
            f->is_kept[r] && is_small && !ptx_flow_is_live(f->graph, f->graph->order[0], r);
    }
}

static void find_definitions(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_arena *const arena = n->e->arena;
    const size_t count = f->function->register_count;
    f->definitions = ptx_arena_take(arena, count + 1);
    f->is_read = ptx_arena_take(arena, count + 1);
    f->set_by = ptx_arena_array(arena, count + 1, sizeof(void *));
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        struct definitions d = {f, &f->function->instructions[i]};
        ptx_flow_writes(d.in, count_definition, &d);
        ptx_flow_reads(d.in, note_reading, &d);
    }
    ptx_native_find_fixed(n);
}

static void find_places(struct ptx_native_flow *f, struct ptx_arena *arena)
{
    const struct ptx_flow *g = f->graph;
    const size_t count = f->function->register_count;
    f->has_place = ptx_arena_take(arena, count + 1);
    for (size_t i = 0; i < g->reachable; i++)
        for (uint32_t r = 0; r < count; r++)
            f->has_place[r] |= ptx_flow_is_live(g, g->order[i], r);
}

/* Of a grid's workspace is known that all blocks of the launch are waited for. */
static void find_waits_for_blocks(struct ptx_native *n)
{
    n->e->plan->waits_for_blocks =
        ptx_reads_workspace(n->e->plan) || ptx_waits_for_blocks(n->e, n->flow->function, NULL);
}

/* Whether lanes wait for each other anywhere. */
static bool has_gatherings(const struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        if (f->graph->position[f->graph->node_of[i]] != PTX_NO_NODE &&
            (parks(in) || ptx_native_members(n, in)))
            return true;
    }
    return false;
}

static void find_sites(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    f->sites = ptx_arena_array(n->e->arena, f->graph->count + 1, sizeof *f->sites);
    f->is_parted = n->e->plan->waits_for_blocks || (f->is_tangled && has_gatherings(n));
    f->site_count = 0;
    for (size_t i = 0; i < f->graph->reachable; i++) {
        const int32_t node = f->graph->order[i];
        const bool is_barrier = parks(&f->function->instructions[f->graph->nodes[node].first]);
        if (is_barrier || f->waits[node] || f->meets[node])
            f->sites[node] = ++f->site_count;
        if (f->sites[node]) /* where threads wait for ever it is told */
            ptx_need(n->e, PTX_NEED_RUNTIME);
        f->is_parted |=
            f->waits[node] || f->meets[node] || (is_barrier && f->uniform.is_divergent[node]);
    }
    f->is_parted &= f->site_count > 0;
}

/* Where lanes of a warp meet that may come apart from each other: they wait for those that they name alike. */
static bool find_meetings(const struct ptx_native *n, bool *starts, bool *meets)
{
    const struct ptx_native_flow *f = n->flow;
    bool is_any = false;
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        const int32_t node = f->graph->node_of[i];
        if (f->graph->position[node] == PTX_NO_NODE || !f->uniform.is_divergent[node] ||
            !ptx_native_members(n, in))
            continue;
        is_any = starts[i] = meets[i] = true;
    }
    return is_any;
}

/* Behind a place where lanes wait while others go on, up to the barriers at which all are together again: to these they come one
 * after the other, too. */
static void find_late(struct ptx_native_flow *f, struct ptx_arena *arena)
{
    const struct ptx_flow *g = f->graph;
    int32_t *queue = ptx_arena_array(arena, g->count + 1, sizeof *queue);
    size_t count = 0;
    f->is_late = ptx_arena_take(arena, g->count + 1);
    for (size_t i = 0; i < g->reachable; i++)
        if (f->sites[g->order[i]] && f->uniform.is_divergent[g->order[i]])
            f->is_late[queue[count++] = g->order[i]] = true;
    for (size_t i = 0; i < count; i++) {
        const struct ptx_node *node = &g->nodes[queue[i]];
        ptx_steps(arena, 1 + node->next_count);
        for (uint32_t j = 0; j < node->next_count; j++) {
            const int32_t next = node->next[j];
            if (f->is_late[next])
                continue;
            f->is_late[next] = true;
            if (!f->sites[next])
                queue[count++] = next;
        }
    }
}

static void look_with(struct ptx_native *n, const bool *delays, const bool *alike)
{
    n->flow->uniform = ptx_flow_uniformity_of_warp(n->e->arena, n->flow->graph, delays, alike);
    find_sites(n);
    find_late(n->flow, n->e->arena);
    ptx_native_find_lines(n);
}

static void look_at_threads(struct ptx_native *n)
{
    ptx_native_find_threads(n);
    find_sites(n);
    find_late(n->flow, n->e->arena);
    ptx_native_find_lines(n);
    if (n->flow->site_count > 0)
        ptx_refuse(n->e, "threads that wait, one after the other");
}

/* Registers that go up by a distance which another has, as in loops that stride: those are stroll.c's. */
static bool *find_striding(const struct ptx_native_flow *f, struct ptx_arena *arena)
{
    bool *strides = ptx_arena_take(arena, f->function->register_count + 1);
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        const struct ptx_operand *o = in->operands;
        if (in->opcode == PTX_OPCODE_add && in->operand_count == 3 &&
            o[0].kind == PTX_OPERAND_REGISTER && o[1].kind == PTX_OPERAND_REGISTER &&
            o[2].kind == PTX_OPERAND_REGISTER)
            strides[o[0].index] |= o[0].index == o[1].index || o[0].index == o[2].index;
    }
    return strides;
}

/* Whether a register is set by a comparison alone that may give all lanes the same. Those of a thread's number are left to rest.c,
 * which knows more of them. */
static bool may_be_alike(const struct ptx_native_flow *f, uint32_t index, const bool *strides)
{
    if (f->definitions[index] != 1 || !ptx_native_may_compare_alike(f->set_by[index]))
        return false;
    const uint32_t compared = (uint32_t)f->set_by[index]->operands[1].index;
    const struct ptx_instruction *by = f->definitions[compared] == 1 ? f->set_by[compared] : NULL;
    const bool is_tid = by && ptx_native_is_move(by) &&
                        by->operands[1].kind == PTX_OPERAND_SPECIAL &&
                        by->operands[1].index != PTX_LANEID;
    return !strides[compared] && !is_tid;
}

/* Loops over rows end for all lanes at once, but only if they are in step within: comparisons are taken to be alike until one turns
 * out not to be. */
static void find_alike_comparisons(struct ptx_native *n, const bool *delays, bool *alike)
{
    enum { MOST_ROUNDS = 6 };
    const struct ptx_native_flow *f = n->flow;
    const size_t count = f->function->register_count;
    const bool *strides = find_striding(f, n->e->arena);
    bool is_any = false, is_wrong = true;
    for (uint32_t r = 0; r < count; r++)
        is_any |= alike[r] = may_be_alike(f, r, strides);
    for (int round = 0; is_any && is_wrong && round < MOST_ROUNDS; round++) {
        look_with(n, delays, alike);
        is_any = is_wrong = false;
        for (uint32_t r = 0; r < count; r++) {
            const bool was = alike[r];
            alike[r] = was && ptx_native_compares_alike(n, f->set_by[r]);
            is_any |= alike[r];
            is_wrong |= was != alike[r];
        }
    }
    if (is_any && is_wrong)
        memset(alike, 0, count * sizeof *alike);
}

/* Registers of which more is known make branches that lanes take together, and those make more known. */
static void find_likeness(struct ptx_native *n, const bool *delays)
{
    enum { MOST_ROUNDS = 4 };
    struct ptx_native_flow *f = n->flow;
    struct ptx_arena *arena = n->e->arena;
    bool *alike = ptx_arena_take(arena, f->function->register_count + 1), is_more = true;
    find_alike_comparisons(n, delays, alike);
    for (int round = 0; is_more && round < MOST_ROUNDS; round++) {
        is_more = false;
        look_with(n, delays, alike);
        for (uint32_t r = 0; r < f->function->register_count; r++) {
            const struct ptx_native_line line = f->lines[r];
            const bool is_new = !f->uniform.registers[r] && !alike[r] &&
                                line.kind == PTX_LINE_PLAIN && line.is_whole && line.step == 0;
            alike[r] |= is_new;
            is_more |= is_new;
        }
    }
}

static void find_flow(struct ptx_native *n, const bool *starts, const bool *waits,
                      const bool *meets)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_arena *arena = n->e->arena;
    f->graph = ptx_flow_make_of_warp(arena, f->function, starts);
    ptx_flow_find_live(f->graph);
    f->waits = ptx_arena_take(arena, f->graph->count + 1);
    f->meets = ptx_arena_take(arena, f->graph->count + 1);
    bool *delays = ptx_arena_take(arena, f->graph->count + 1);
    for (size_t i = 0; i < f->graph->count; i++) {
        const uint32_t first = f->graph->nodes[i].first;
        f->meets[i] = meets && meets[first];
        f->waits[i] = waits[first] && !f->meets[i] && !parks(&f->function->instructions[first]);
    }
    find_loops(f, arena);
    f->is_tangled = n->e->plan->jump_count > 0 || has_tangles(f);
    for (size_t i = 0; i < f->graph->count; i++)
        delays[i] = f->waits[i] || f->meets[i] || f->is_tangled;
    find_waits_for_blocks(n);
    if (f->by_thread)
        look_at_threads(n);
    else
        find_likeness(n, delays);
}

/* Nodes, where lanes may part, and what is the same for them. */
static void find_nodes(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_arena *arena = n->e->arena;
    const size_t count = f->function->instruction_count;
    find_definitions(n);
    bool *starts = ptx_arena_take(arena, count + 1), *waits = ptx_arena_take(arena, count + 1);
    ptx_block_waits(n->e, f->function, waits);
    for (size_t i = 0; i < count; i++)
        starts[i] = waits[i] || parks(&f->function->instructions[i]) ||
                    &f->function->instructions[i] == f->ticket;
    find_flow(n, starts, waits, NULL);
    bool *meets = ptx_arena_take(arena, count + 1);
    if (f->is_parted && find_meetings(n, starts, meets))
        find_flow(n, starts, waits, meets);
}

static void analyse(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_arena *arena = n->e->arena;
    find_nodes(n);
    const struct ptx_function *shorter =
        ptx_native_is_checked(n) || f->by_thread ? NULL : ptx_native_without_short_ways(n);
    if (shorter) {
        f->function = shorter;
        find_nodes(n);
    }
    f->ticket = ptx_native_find_ticket(n);
    f->is_together = f->ticket != NULL;
    if (f->ticket)
        find_nodes(n);
    find_places(f, arena);
    ptx_native_find_places(n);
    ptx_native_find_fields(n);
    ptx_native_find_strolls(n);
    ptx_native_find_rows(n);
    ptx_native_find_remade(n);
    ptx_native_find_constants(n);
    lay_out_frame(n);
    find_kept(n);
}

/* ---- The end of a node ---- */

static bool lives_on(const struct ptx_native_flow *f, uint32_t index)
{
    const struct ptx_node *node = &f->graph->nodes[f->node];
    for (uint32_t i = 0; i < node->next_count; i++)
        if (ptx_flow_is_live(f->graph, node->next[i], index))
            return true;
    return false;
}

static void put_back(struct ptx_native *n, uint32_t slot, const char **lanes)
{
    const struct ptx_native_flow *f = n->flow;
    const uint32_t index = slot / 4;
    if (!f->has_place[index] || !(f->is_entering || lives_on(f, index)))
        return;
    if (ptx_native_is_line(n, index)) {
        ptx_native_store_line(n, index);
        if (f->is_kept[index])
            ptx_native_save(n, index, 0);
        return;
    }
    struct ptx_native_value value = f->held[slot];
    const char *type = ptx_native_place_type(n, index);
    const char *pointer = ptx_native_pointer_type(n, type);
    const char *place = ptx_native_place(n, index, slot % 4);
    if (!ptx_native_is_uniform(n, index))
        value = ptx_native_vector(n, value);
    const bool is_blended = value.is_vector && ptx_native_is_wanted(n, f->node, index);
    if (value.is_vector && value.bits == 1) {
        value.text = ptx_native_lanes(n, value);
        if (is_blended)
            value.text = ptx_native_blended_words(
                n, value.text, ptx_native_emit(n, "load %s, %s %s", type, pointer, place));
    } else if (is_blended) {
        if (!*lanes)
            *lanes = ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", f->mask);
        const char *old = ptx_native_emit(n, "load %s, %s %s", type, pointer, place);
        value.text = ptx_native_emit(n, "select <32 x i1> %s, %s %s, %s %s", *lanes, type,
                                     value.text, type, old);
    }
    if (type[0] != 'i' && !value.is_vector)
        value.text = ptx_native_emit(n, "bitcast i%u %s to %s", value.bits, value.text, type);
    ptx_native_do(n, "store %s %s, %s %s", type, value.text, pointer, place);
    if (f->is_kept[index])
        ptx_native_save(n, index, slot % 4);
}

static void put_all_back(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const char *lanes = NULL;
    for (size_t i = 0; i < f->dirty_count; i++) {
        put_back(n, f->dirty[i], &lanes);
        f->is_dirty[f->dirty[i]] = false;
    }
    f->dirty_count = 0;
}

/* ---- The ways out of a node ---- */

enum { NO_WAY = PTX_NO_NODE };

static int32_t node_at(const struct ptx_native_flow *f, uint32_t instruction)
{
    const int32_t node = f->graph->node_of[instruction];
    return node == PTX_NO_NODE || ptx_flow_only_leaves(f->graph, node) ? NO_WAY : node;
}

static bool is_leaving(const struct ptx_native_flow *f, int32_t node)
{
    const struct ptx_node *range = &f->graph->nodes[node];
    const struct ptx_instruction *last = &f->function->instructions[range->end - 1];
    if (last->opcode == PTX_OPCODE_brx || last->opcode == PTX_OPCODE_call ||
        last->opcode == PTX_OPCODE_ret || last->opcode == PTX_OPCODE_exit ||
        last->opcode == PTX_OPCODE_trap)
        return true;
    if (last->opcode == PTX_OPCODE_bra &&
        node_at(f,
                f->function->labels[last->operands[last->operand_count - 1].index].instruction) ==
            NO_WAY)
        return true;
    return (last->opcode != PTX_OPCODE_bra || last->guard >= 0) && node_at(f, range->end) == NO_WAY;
}

/* Whether lanes of a warp may take different ways from a node. */
static bool is_parting(const struct ptx_native_flow *f, int32_t node)
{
    const struct ptx_node *range = &f->graph->nodes[node];
    const struct ptx_instruction *last = &f->function->instructions[range->end - 1];
    return f->uniform.is_divergent[node] || last->opcode == PTX_OPCODE_brx ||
           (last->guard >= 0 && !f->uniform.registers[last->guard]);
}

/* Nodes that threads come to from one, which is not among them unless they come back to it: all, or, of those that all lanes come
 * to in step, only the first on each way. */
static void find_behind(const struct ptx_native_flow *f, int32_t from, bool is_all, bool *behind,
                        int32_t *queue)
{
    const struct ptx_flow *g = f->graph;
    size_t count = 0;
    memset(behind, 0, g->count * sizeof *behind);
    queue[count++] = from;
    for (size_t i = 0; i < count; i++) {
        const struct ptx_node *node = &g->nodes[queue[i]];
        if (i > 0 && !is_all && !f->uniform.is_divergent[queue[i]])
            continue;
        ptx_steps(g->arena, node->next_count + 1);
        for (uint32_t j = 0; j < node->next_count; j++) {
            if (behind[node->next[j]])
                continue;
            behind[node->next[j]] = true;
            if (node->next[j] != from)
                queue[count++] = node->next[j];
        }
    }
}

/* Whether lanes that part at a node may end before they meet again. */
static bool ends_apart(const struct ptx_native_flow *f, int32_t node, const bool *behind)
{
    bool is = is_leaving(f, node);
    for (size_t i = 0; !is && i < f->graph->reachable; i++) {
        const int32_t at = f->graph->order[i];
        is = behind[at] && f->uniform.is_divergent[at] && is_leaving(f, at);
    }
    return is;
}

/* Nodes that the lanes of a warp come to in step, and that may lack some which have left it before. Whether there are barriers
 * among them. */
static bool find_thin(struct ptx_native_flow *f, struct ptx_arena *arena)
{
    const struct ptx_flow *g = f->graph;
    bool *behind = ptx_arena_take(arena, g->count + 1), has_barrier = false;
    int32_t *queue = ptx_arena_array(arena, g->count + 1, sizeof *queue);
    f->is_thin = ptx_arena_take(arena, g->count + 1);
    for (size_t i = 0; i < g->reachable; i++) {
        const int32_t at = g->order[i];
        if (!is_parting(f, at))
            continue;
        find_behind(f, at, false, behind, queue);
        if (!ends_apart(f, at, behind))
            continue;
        find_behind(f, at, true, behind, queue);
        for (size_t j = 0; j < g->reachable; j++)
            f->is_thin[g->order[j]] |= behind[g->order[j]];
    }
    for (size_t i = 0; i < g->reachable; i++)
        has_barrier |= f->is_thin[g->order[i]] && f->sites[g->order[i]] > 0;
    return has_barrier;
}

/* Whether a warp's turns in several blocks may come before the next warp's: nothing is said between warps of a block, and each
 * turn is so short that its memory is still near when that of the next row is wanted. */
static bool may_sweep(const struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    if (f->is_parted || f->site_count > 0 || f->loop_count > 0 || n->e->plan->shared_count > 0 ||
        ptx_native_is_checked(n))
        return false;
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        if (in->space == PTX_SPACE_SHARED || in->opcode == PTX_OPCODE_call ||
            in->opcode == PTX_OPCODE_trap || in->opcode == PTX_OPCODE_atom ||
            in->opcode == PTX_OPCODE_red || in->opcode == PTX_OPCODE_brkpt)
            return false;
    }
    return true;
}

/* All lanes go on with a node. */
static void go(struct ptx_native *n, struct ptx_native_way way)
{
    if (way.to == NO_WAY) {
        ptx_native_jump(n, "done");
    } else if (n->flow->uniform.is_divergent[way.to]) {
        ptx_native_store_word(n, ptx_native_word_of(n, way.to), way.lanes);
        ptx_native_jump(n, ptx_format(n->e, "C%d", (int)way.to));
    } else {
        ptx_native_store_word(n, "%active", way.lanes);
        ptx_native_jump(n, ptx_format(n->e, "N%d", (int)way.to));
    }
}

/* Lanes are sent to nodes that are come to later. */
static void send(struct ptx_native *n, const struct ptx_native_way *ways, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ways[i].to == NO_WAY)
            continue;
        const char *word = ptx_native_word_of(n, ways[i].to);
        const char *there = ptx_native_load_word(n, word);
        ptx_native_store_word(n, word, ptx_native_emit(n, "or i32 %s, %s", there, ways[i].lanes));
    }
    ptx_native_jump(n, ptx_format(n->e, "X%d", (int)n->flow->node));
}

static const char *not_guarded(struct ptx_native *n, const char *lanes)
{
    const char *others = ptx_native_emit(n, "xor i32 %s, -1", lanes);
    return ptx_native_emit(n, "and i32 %s, %s", n->flow->mask, others);
}

static const struct ptx_targets *targets_of(const struct ptx_native_flow *f,
                                            const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_TARGETS)
            return &f->function->targets[in->operands[i].index];
    return NULL;
}

/* A switch: lanes by the number that they have. */
static size_t switched(struct ptx_native *n, const struct ptx_instruction *in,
                       struct ptx_native_way *ways)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_targets *targets = targets_of(f, in);
    const char *lanes = ptx_native_guarded(n, in);
    n->is_vector = true;
    const struct ptx_native_value number = ptx_native_read(n, &in->operands[0], PTX_U32);
    const char *rest = f->mask;
    for (size_t i = 0; i < targets->count; i++) {
        const char *is_it = ptx_native_emit(n, "icmp eq <32 x i32> %s, %s", number.text,
                                            ptx_native_constant(n, 32, i));
        const char *bits = ptx_native_emit(n, "bitcast <32 x i1> %s to i32", is_it);
        const char *these = ptx_native_emit(n, "and i32 %s, %s", bits, lanes);
        ways[i] = (struct ptx_native_way){
            node_at(f, f->function->labels[targets->labels[i]].instruction), these};
        const char *others = ptx_native_emit(n, "xor i32 %s, -1", these);
        rest = ptx_native_emit(n, "and i32 %s, %s", rest, others);
    }
    ways[targets->count] = (struct ptx_native_way){node_at(f, f->graph->nodes[f->node].end), rest};
    return targets->count + 1;
}

static size_t find_ways(struct ptx_native *n, const struct ptx_instruction *last,
                        struct ptx_native_way *ways)
{
    const struct ptx_native_flow *f = n->flow;
    const int32_t next = node_at(f, f->graph->nodes[f->node].end);
    const bool is_end = last->opcode == PTX_OPCODE_ret || last->opcode == PTX_OPCODE_exit ||
                        last->opcode == PTX_OPCODE_trap ||
                        (last->opcode == PTX_OPCODE_call && ptx_call_is_last(last));
    if (last->opcode == PTX_OPCODE_brx)
        return switched(n, last, ways);
    if (last->opcode != PTX_OPCODE_bra && !is_end) {
        ways[0] = (struct ptx_native_way){next, f->mask};
        return 1;
    }
    const int32_t to =
        is_end
            ? NO_WAY
            : node_at(
                  f,
                  f->function->labels[last->operands[last->operand_count - 1].index].instruction);
    if (last->guard < 0) {
        ways[0] = (struct ptx_native_way){to, f->mask};
        return 1;
    }
    const char *lanes = ptx_native_guarded(n, last);
    ways[0] = (struct ptx_native_way){to, lanes};
    ways[1] = (struct ptx_native_way){next, not_guarded(n, lanes)};
    return 2;
}

/* Of lanes that some may have left, none may be here. */
static void go_if_any(struct ptx_native *n, struct ptx_native_way way)
{
    const char *some = ptx_native_name(n, "go");
    if (strcmp(way.lanes, n->flow->mask) == 0) {
        go(n, way);
        return;
    }
    const char *is_any = ptx_native_emit(n, "icmp ne i32 %s, 0", way.lanes);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%done", is_any, some);
    ptx_native_label(n, some);
    go(n, way);
}

/* Two ways, of which all lanes take the same: the first where its lanes are any. */
static void go_one_way(struct ptx_native *n, const struct ptx_native_way ways[2])
{
    const char *first = ptx_native_name(n, "go"), *second = ptx_native_name(n, "go");
    const char *is_any = ptx_native_emit(n, "icmp ne i32 %s, 0", ways[0].lanes);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_any, first, second);
    ptx_native_label(n, first);
    go(n, (struct ptx_native_way){ways[0].to, n->flow->mask});
    ptx_native_label(n, second);
    go(n, (struct ptx_native_way){ways[1].to, n->flow->mask});
}

static void leave_node(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_node *node = &f->graph->nodes[f->node];
    const struct ptx_instruction *last = &f->function->instructions[node->end - 1];
    const struct ptx_targets *targets = last->opcode == PTX_OPCODE_brx ? targets_of(f, last) : NULL;
    struct ptx_native_way *ways =
        ptx_arena_array(n->e->arena, 2 + (targets ? targets->count : 0), sizeof *ways);
    const size_t count = find_ways(n, last, ways);
    put_all_back(n);
    ptx_native_tell_rest(n);
    size_t real = 0, which = 0;
    for (size_t i = 0; i < count; i++) {
        real += ways[i].to != NO_WAY;
        which = ways[i].to != NO_WAY ? i : which;
    }
    const bool is_together =
        !f->is_divergent && (real < 2 || (count == 2 && f->uniform.branches[f->node]));
    if (!is_together && !ptx_native_go_whole(n, ways, count))
        send(n, ways, count);
    else if (!is_together)
        return;
    else if (real == 0)
        ptx_native_jump(n, "done");
    else if (real == 1)
        go_if_any(n, ways[which]);
    else
        go_one_way(n, ways);
}

static void write_way(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    (void)in;
    leave_node(e->native);
}

/* ---- Nodes ---- */

/* The carry flag is a value within a node, and that of all lanes; vectors are moved as one register each. */
static void refuse_what_is_lost(struct ptx_native *n, const struct ptx_instruction *in)
{
    const bool reads_carry = in->opcode == PTX_OPCODE_addc || in->opcode == PTX_OPCODE_subc ||
                             in->opcode == PTX_OPCODE_madc;
    if (reads_carry && !n->carry.text)
        ptx_refuse(n->e, "a carry flag from before a branch, in the native form");
    else if ((in->flags & PTX_CC) && in->guard >= 0)
        ptx_refuse(n->e, "a carry flag under a guard, in the native form");
    else if (in->opcode == PTX_OPCODE_mov && in->width > 1)
        ptx_refuse(n->e, "a vector that is moved, in the native form");
}

static void write_instruction(struct ptx_native *n, const struct ptx_instruction *in)
{
    struct ptx_native_value results[PTX_NATIVE_RESULTS];
    size_t count = 0;
    n->e->instruction = in;
    ptx_native_at_source(n, in);
    if (ptx_is_barrier(in)) {
        ptx_native_park(n, in);
        return;
    }
    switch (in->opcode) {
    case PTX_OPCODE_bra:
    case PTX_OPCODE_brx:
    case PTX_OPCODE_ret:
    case PTX_OPCODE_exit:
    case PTX_OPCODE_brkpt:
    case PTX_OPCODE_nanosleep:
    case PTX_OPCODE_pmevent:
        return;
    case PTX_OPCODE_trap:
        ptx_native_trap(n, in);
        return;
    default:
        break;
    }
    if (ptx_native_picture(n, in) || ptx_native_write_answer(n, in) ||
        ptx_native_write_line(n, in) || ptx_native_compare_line(n, in) ||
        ptx_native_memory(n, in) || ptx_native_atomic(n, in) || ptx_native_mbarrier(n, in) ||
        ptx_native_warp(n, in) || ptx_native_call(n, in) || ptx_native_move(n, in))
        return;
    if (!ptx_native_has_operation(in)) {
        ptx_refuse(n->e, "an instruction that the native form has not");
        return;
    }
    refuse_what_is_lost(n, in);
    ptx_native_choose(n, in);
    const bool is_vector = n->is_vector;
    if (is_vector && ptx_native_count_line(n, in, &results[0]))
        count = 1;
    else
        ptx_native_operation(n, in, results, &count);
    n->is_vector = is_vector;
    ptx_native_keep(n, in, results, count);
}

/* Where all lanes are at one node, no other has any: LLVM, which cannot see it, then keeps no words of them. */
static void tell_nobody_waits(struct ptx_native *n)
{
    enum { MOST_NODES = 32 };
    const struct ptx_native_flow *f = n->flow;
    for (size_t i = 0; f->graph->reachable <= MOST_NODES && i < f->graph->reachable; i++)
        if (!f->has_legs || f->is_in_leg[f->graph->order[i]])
            ptx_native_store_word(n, ptx_native_word_of(n, f->graph->order[i]), "0");
}

static void begin_node(struct ptx_native *n, int32_t node)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_emitter *e = n->e;
    f->node = node;
    f->is_divergent = f->uniform.is_divergent[node];
    f->is_restored = false;
    f->stamp++;
    n->carry.text = NULL;
    ptx_native_label(n, ptx_format(e, "C%d", (int)node));
    const struct ptx_native_stroll *stroll =
        ptx_native_stroll_at(n, f->graph->position[node], false);
    if (stroll)
        ptx_native_begin_stroll(n, stroll);
    const char *here = ptx_native_load_word(n, ptx_native_word_of(n, node));
    const char *is_none = ptx_native_emit(n, "icmp eq i32 %s, 0", here);
    const bool may_wait = f->is_divergent && f->sites[node];
    ptx_native_do(n, "br i1 %s, label %%%c%d, label %%B%d", is_none, may_wait ? 'G' : 'X',
                  (int)node, (int)node);
    ptx_native_label(n, ptx_format(e, "B%d", (int)node));
    ptx_native_store_word(n, ptx_native_word_of(n, node), "0");
    f->mask = f->known_lanes[node] ? f->known_lanes[node] : here;
    if (f->is_divergent) {
        if (f->sites[node])
            ptx_native_wait(n, &f->function->instructions[f->graph->nodes[node].first]);
        return;
    }
    ptx_native_store_word(n, "%active", here);
    ptx_native_jump(n, ptx_format(e, "N%d", (int)node));
    ptx_native_label(n, ptx_format(e, "N%d", (int)node));
    if (f->is_full && !f->is_thin[node])
        tell_nobody_waits(n);
    f->mask = f->by_thread                      ? "1"
              : f->is_full && !f->is_thin[node] ? "-1"
              : f->known_lanes[node]            ? f->known_lanes[node]
                                                : ptx_native_load_word(n, "%active");
}

/* Where those go on that look for lanes: at the head of a loop that ends here, or behind it. */
static void end_node(struct ptx_native *n, int32_t position)
{
    const struct ptx_native_flow *f = n->flow;
    struct ptx_emitter *e = n->e;
    ptx_native_label(n, ptx_format(e, "X%d", (int)f->graph->order[position]));
    for (size_t i = f->loop_count; i > 0; i--) {
        if (!ptx_native_ends_loop(f, &f->loops[i - 1], position))
            continue;
        const int32_t head = f->graph->order[f->loops[i - 1].head];
        const char *behind = ptx_native_name(n, "behind");
        const char *there = ptx_native_load_word(n, ptx_native_word_of(n, head));
        const char *is_any = ptx_native_emit(n, "icmp ne i32 %s, 0", there);
        const struct ptx_native_stroll *stroll = ptx_native_stroll_at(n, position, true);
        if (stroll)
            ptx_native_end_stroll(n, stroll, is_any, behind);
        else
            ptx_native_do(n, "br i1 %s, label %%C%d, label %%%s", is_any, (int)head, behind);
        ptx_native_label(n, behind);
    }
    const int32_t next = ptx_native_next_in_leg(f, position);
    if ((size_t)next < f->graph->reachable)
        ptx_native_jump(n, ptx_format(e, "C%d", (int)f->graph->order[next]));
    else
        ptx_native_jump(n, "done");
}

static void write_body(struct ptx_native *n, const struct ptx_node *range)
{
    bool is_over = false;
    ptx_native_remake_constants(n, range);
    n->e->run_end = &n->e->function->instructions[range->end];
    for (uint32_t i = range->first; i < range->end && !is_over; i++) {
        const struct ptx_instruction *in = &n->flow->function->instructions[i];
        ptx_native_check_values(n, in);
        write_instruction(n, in);
        is_over = ptx_native_ends_leg(n->flow, in);
    }
    n->e->run_end = n->e->told = n->e->told_end = NULL;
    if (is_over)
        return;
    ptx_access(n->e, &(struct ptx_access){.kind = PTX_ACCESS_BRANCH, .write = write_way});
}

static void write_for_all(struct ptx_native *n, const struct ptx_node *range)
{
    struct ptx_native_flow *f = n->flow;
    const char *const mask = f->mask;
    const char *all = ptx_native_name(n, "all"), *some = ptx_native_name(n, "some"),
               *enter = f->is_whole[f->node] ? ptx_native_whole_name(n, f->node)
                                             : ptx_native_name(n, "enter");
    const char *is_all = ptx_native_emit(n, "icmp eq i32 %s, -1", mask);
    if (f->is_whole[f->node]) {
        const char *here = ptx_native_name(n, "here");
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_all, here, some);
        ptx_native_label(n, here);
        tell_nobody_waits(n);
        ptx_native_jump(n, enter);
    } else {
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_all, enter, some);
    }
    ptx_native_label(n, all);
    f->mask = "-1";
    f->whole = all;
    write_body(n, range);
    ptx_native_begin_rounds(n, enter);
    f->mask = mask;
    f->whole = NULL;
    f->is_some = true;
    f->stamp++;
    n->carry.text = NULL;
    ptx_native_label(n, some);
}

/* What all lanes go on with is another node, the others would end: of those the branch's guard is this. */
static bool guard_of_quick(const struct ptx_native_flow *f, const struct ptx_node *range,
                           int32_t *to, bool *wanted)
{
    const struct ptx_instruction *last = &f->function->instructions[range->end - 1];
    if (last->opcode != PTX_OPCODE_bra || last->guard < 0)
        return false;
    const int32_t next = node_at(f, range->end);
    const int32_t target =
        node_at(f, f->function->labels[last->operands[last->operand_count - 1].index].instruction);
    *to = target == NO_WAY ? next : target;
    *wanted = (target == NO_WAY) == last->guard_negated;
    return (target == NO_WAY) != (next == NO_WAY);
}

static void write_quick_way(struct ptx_native *n, const struct ptx_node *range)
{
    struct ptx_native_flow *f = n->flow;
    int32_t to;
    bool wanted;
    if (!guard_of_quick(f, range, &to, &wanted) || !ptx_native_has_quick_way(n, range, wanted))
        return;
    const char *all = ptx_native_name(n, "quick"), *some = ptx_native_name(n, "slow");
    const char *condition = ptx_native_quick_condition(n, range, wanted);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", condition, all, some);
    ptx_native_label(n, all);
    put_all_back(n);
    go(n, (struct ptx_native_way){to, f->mask});
    f->stamp++;
    n->carry.text = NULL;
    ptx_native_label(n, some);
}

static void write_node(struct ptx_native *n, int32_t position)
{
    struct ptx_native_flow *f = n->flow;
    const int32_t node = f->graph->order[position];
    const struct ptx_node *range = &f->graph->nodes[node];
    n->e->instruction = &f->function->instructions[range->first];
    begin_node(n, node);
    write_quick_way(n, range);
    if (ptx_native_is_doubled(n, range))
        write_for_all(n, range);
    write_body(n, range);
    f->is_some = false;
    end_node(n, position);
}

/* ---- The text around them ---- */

static unsigned places_of(const struct ptx_native *n, uint32_t index)
{
    return ptx_native_is_line(n, index) ? ptx_native_line_places(n, index)
                                        : ptx_native_parts(n, index);
}

/* Declares the places of registers, or has those be zeros that may be read before they are set. In a block's first leg all are, so that
 * nobody keeps what the warp before has had: LLVM leaves of that what lanes may want that are not there. */
static void for_places(struct ptx_native *n, bool is_begun)
{
    const struct ptx_native_flow *f = n->flow;
    for (uint32_t r = 0; r < f->function->register_count; r++)
        for (unsigned part = 0; f->has_place[r] && !f->is_framed[r] && part < places_of(n, r);
             part++) {
            const bool is_line = ptx_native_is_line(n, r);
            const char *type =
                is_line ? ptx_native_line_type(n, r, part) : ptx_native_place_type(n, r);
            const char *place =
                is_line ? ptx_native_line_place(n, r, part) : ptx_native_place(n, r, part);
            if (!is_begun)
                ptx_native_do(n, "%s = alloca %s", place, type);
            else if ((f->has_legs && f->leg == 0) ||
                     ptx_flow_is_live(f->graph, f->graph->order[0], r))
                ptx_native_do(n, "store %s zeroinitializer, %s %s", type,
                              ptx_native_pointer_type(n, type), place);
        }
}

static void declare_places(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    ptx_native_do(n, "%%active = alloca i32");
    for (size_t i = 0; i < f->graph->reachable; i++) {
        const int32_t node = f->graph->order[i];
        ptx_native_do(n, "%s = alloca i32", ptx_native_word_of(n, node));
        if (f->is_parted)
            ptx_native_store_word(n, ptx_native_word_of(n, node), "0");
        if (!f->sites[node] || !f->uniform.is_divergent[node])
            continue;
        ptx_native_do(n, "%%w.%d = alloca i32", (int)node);
        ptx_native_store_word(n, ptx_format(n->e, "%%w.%d", (int)node), "0");
        ptx_native_do(n, "%%t.%d = alloca i32", (int)node);
        ptx_native_store_word(n, ptx_format(n->e, "%%t.%d", (int)node), "0");
    }
    for_places(n, false);
    ptx_native_declare_of_block(n);
    for (unsigned i = 0; i < 5; i++)
        if (f->has_calls)
            ptx_native_do(n, "%%call.%u = getelementptr [5 x <32 x i64>], %s %%call, i32 0, i32 %u",
                          i, ptx_native_pointer_type(n, "[5 x <32 x i64>]"), i);
}

/* ---- The function ---- */

static void begin_nodes(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    if (!f->is_parted)
        for_places(n, true);
    f->mask = ptx_native_of_block(n, offsetof(struct ptx_native_block, lanes), "i32");
    ptx_native_store_word(n, ptx_native_word_of(n, f->graph->order[0]), f->mask);
    ptx_native_jump(n, ptx_format(n->e, "C%d", (int)f->graph->order[0]));
}

static void write_nodes(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    for (size_t i = 0; i < f->graph->reachable && n->e->status == PTX_OK; i++)
        if (!f->has_legs || f->is_in_leg[f->graph->order[i]])
            write_node(n, (int32_t)i);
}

/* Warp after warp, each with what it does at its turn. */
static void write_turns(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    ptx_native_jump(n, "turn");
    ptx_native_label(n, "turn");
    ptx_native_turn(n);
    for (size_t i = 0; i < f->graph->reachable; i++)
        ptx_native_store_word(n, ptx_native_word_of(n, f->graph->order[i]), "0");
    ptx_native_enter_turn(n);
    ptx_native_label(n, "start");
    begin_nodes(n);
    write_nodes(n);
    ptx_native_end_turn(n);
}

/* Of lanes that may part, as long as any go on. */
static void write_parted(struct ptx_native *n)
{
    const char *site = ptx_native_of_block(n, offsetof(struct ptx_native_block, site), "i32");
    ptx_text_add(n->e->out, "  switch i32 %s, label %%start [ i32 1, label %%again ]\n", site);
    ptx_native_label(n, "again");
    ptx_native_enter_again(n);
    ptx_native_label(n, "start");
    ptx_native_clear_sites(n);
    begin_nodes(n);
    write_nodes(n);
    ptx_native_label(n, "done");
    ptx_native_return(n);
}

static void write_function(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_emitter *e = n->e;
    e->out = f->head;
    ptx_native_find_sources(n);
    ptx_text_add(e->out,
                 "define internal i32 @clem_native_warp(i64 %%launch, i64 %%state) nounwind%s "
                 "{\nentry:\n",
                 ptx_native_subprogram(n));
    for (size_t i = 0; i < f->function->instruction_count; i++)
        f->has_calls |= f->function->instructions[i].opcode == PTX_OPCODE_call;
    if (f->has_calls)
        ptx_native_do(n, "%%call = alloca [5 x <32 x i64>]");
    ptx_native_declare_pictures(n);
    ptx_native_declare_list(n);
    if (f->is_parted)
        ptx_native_do(n, "%%members = alloca <32 x i32>");
    if (!f->is_parted)
        ptx_native_begin_turns(n);
    if (f->has_legs)
        ptx_native_declare_sure(n);
    declare_places(n);
    if (f->is_parted)
        for_places(n, true);
    e->out = f->code;
    if (f->is_parted)
        write_parted(n);
    else if (f->has_legs)
        ptx_native_write_legs(n);
    else
        write_turns(n);
    ptx_native_write_sources(n);
    ptx_text_put(e->out, "}\n");
}

static enum ptx_native_sweep sweep_of(const struct ptx_native_flow *f)
{
    return f->is_together  ? PTX_NATIVE_TOGETHER
           : f->is_swept   ? PTX_NATIVE_SWEPT
           : f->is_in_rows ? PTX_NATIVE_IN_ROWS
                           : PTX_NATIVE_ALONE;
}

/* How blocks follow each other, and whether threads have numbers in memory: those of a row follow from the warp's. */
static int way_of_blocks(const struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    const bool is_unnumbered = ptx_native_is_one_row(n->e->target->threads) && !f->is_parted &&
                               !f->has_calls && !ptx_native_is_checked(n);
    return (int)sweep_of(f) | (is_unnumbered ? PTX_NATIVE_UNNUMBERED : 0);
}

/* The two functions that launches call. */
static void write_symbols(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    struct ptx_text *out = f->code;
    const char *function = n->llvm_major < 15 ? "i32 (i64, i64)*" : "ptr";
    const char *bytes = n->llvm_major < 15 ? "i8*" : "ptr";
    const uint64_t later = f->adds_later ? PTX_NATIVE_LATER : 0;
    ptx_native_declare(n, "declare i64 @clem_native_bytes(i64, i64, i64, i64, i64)");
    ptx_native_declare(n,
                       "declare void @clem_native_blocks(i64, i64, i64, %s, %s, i64, i64, i64, "
                       "i64, i64, i64, i64)",
                       bytes, function);
    ptx_text_add(
        out,
        "define i64 @clem_native_scratch(i64 %%launch) nounwind {\n"
        "  %%r = call i64 @clem_native_bytes(i64 %%launch, i64 %zu, i64 %zu, i64 %d, i64 %" PRId64
        ")\n  ret i64 %%r\n}\n",
        f->frame_bytes, f->local_bytes, way_of_blocks(n), (int64_t)later);
    ptx_text_add(
        out,
        "define void @clem_native_run(i64 %%launch, i64 %%first, i64 %%count, %s "
        "%%scratch) nounwind {\n"
        "  call void @clem_native_blocks(i64 %%launch, i64 %%first, i64 %%count, %s "
        "%%scratch, %s @clem_native_warp, i64 %zu, i64 %zu, i64 %d, i64 %d, i64 %d, i64 %zu, i64 "
        "%" PRId64 ")\n"
        "  ret void\n}\n!0 = !{}\n!1 = !{!\"branch_weights\", i32 1000, i32 1}\n!8 = !{i32 0, i32 "
        "65536}\n!9 = !{i32 1}\n",
        bytes, bytes, function, f->frame_bytes, f->local_bytes,
        f->is_parted ? (int)f->site_count : 0, f->is_parted || f->is_quiet ? 0 : (int)f->site_count,
        way_of_blocks(n), f->row_count, (int64_t)later);
    ptx_native_describe_sources(n);
}

void ptx_native_kernel(struct ptx_emitter *e, struct ptx_body *entry, struct ptx_text *declarations,
                       struct ptx_text *head, struct ptx_text *code)
{
    struct ptx_native n = {
        .e = e, .declarations = declarations, .llvm_major = e->target->llvm_major};
    struct ptx_native_flow f = {.body = entry,
                                .head = head,
                                .code = code,
                                .stamp = 1,
                                .by_thread = e->plan->by_thread,
                                .write = write_instruction,
                                .begin_nodes = begin_nodes,
                                .write_nodes = write_nodes,
                                .put_back = put_all_back};
    struct ptx_text *const out = e->out;
    n.flow = &f;
    e->native = &n;
    struct ptx_function *const function = with_registers(&n, entry->function);
    ptx_native_take_known_copies(&n, function);
    f.function = function;
    if (!ptx_native_is_checked(&n))
        f.function = ptx_native_with_two_bounds(&n, function);
    f.local_bytes = round_up(e->plan->local_bytes, 16);
    const size_t slots = 4 * f.function->register_count + 4;
    f.held = ptx_arena_array(e->arena, slots, sizeof *f.held);
    f.held_in = ptx_arena_array(e->arena, slots, sizeof *f.held_in);
    f.dirty = ptx_arena_array(e->arena, slots, sizeof *f.dirty);
    f.is_dirty = ptx_arena_take(e->arena, slots);
    f.terms = ptx_arena_array(e->arena, slots / 4, sizeof *f.terms);
    f.term_in = ptx_arena_array(e->arena, slots / 4, sizeof *f.term_in);
    f.has_special = ptx_arena_take(e->arena, PTX_SPECIAL_OTHER + 1);
    f.has_launch = ptx_arena_take(e->arena, sizeof(struct ptx_native_launch) +
                                                sizeof(struct ptx_native_block));
    analyse(&n);
    f.is_swept = e->status == PTX_OK && !f.by_thread && may_sweep(&n);
    if (f.is_swept && ptx_native_may_go_past(&n))
        e->plan->vast = PTX_VAST_THREADS;
    f.goes_past = e->plan->vast != PTX_VAST_NONE && e->target->is_vast && !f.asks_beside &&
                  ptx_native_may_go_past(&n);
    const enum ptx_threads threads = e->target->threads;
    const bool may_thin_out = e->status != PTX_OK || find_thin(&f, e->arena);
    if (e->status == PTX_OK && ptx_native_is_checked(&n))
        ptx_native_refuse_unchecked(&n);
    f.is_full = !f.by_thread && (ptx_native_has_rows(threads) || threads == PTX_THREADS_HALVES) &&
                !f.is_parted && !may_thin_out;
    f.is_quiet = e->status == PTX_OK && ptx_native_can_be_quiet(&n);
    f.is_in_rows = e->status == PTX_OK && !f.by_thread && !f.is_parted && !f.is_swept &&
                   !f.is_together && !ptx_native_is_checked(&n) &&
                   (f.is_quiet || f.site_count == 0);
    if (e->status == PTX_OK) {
        ptx_native_find_rests(&n);
        ptx_native_find_lanes(&n);
        ptx_native_find_whole(&n);
        ptx_native_find_legs(&n);
        ptx_native_find_changed(&n);
        ptx_native_find_reread(&n);
    }
    if (e->status == PTX_OK)
        write_function(&n);
    if (e->status == PTX_OK)
        write_symbols(&n);
    e->out = out;
    e->native = NULL;
}
