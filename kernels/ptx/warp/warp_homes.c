/* Where registers lie in the frame of a warp: those that are at no time needed together share a home, so that the frames of
 * a block's warps stay within caches and __local memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/warp/warp.h"

/* ---- Which registers have one ---- */

struct visiting {
    bool *crosses;
    int32_t *last; /* per register: 1 + the node that touched it last, or 0 */
    int32_t node;
};

static void visit(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct visiting *v = with;
    v->crosses[index] |= v->last[index] != 0 && v->last[index] != v->node + 1;
    v->last[index] = v->node + 1;
}

/* What several nodes touch, each for itself, has one home for all of them too. */
static void find_crossing(struct ptx_emitter *e)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_function *f = w->flow->function;
    w->crosses = ptx_arena_array(e->arena, f->register_count + 1, sizeof *w->crosses);
    struct visiting v = {.crosses = w->crosses};
    v.last = ptx_arena_array(e->arena, f->register_count + 1, sizeof *v.last);
    for (size_t i = 0; i < w->flow->reachable; i++) {
        v.node = w->flow->order[i];
        const struct ptx_node *node = &w->flow->nodes[v.node];
        for (uint32_t j = node->first; j < node->end; j++) {
            ptx_body_reads(ptx_current_body(e), j, visit, &v);
            ptx_flow_writes(&f->instructions[j], visit, &v);
        }
        for (size_t j = 0; j < f->register_count; j++)
            w->crosses[j] |= ptx_flow_is_live(w->flow, v.node, (uint32_t)j);
    }
    for (size_t i = 0; i < f->register_count; i++)
        w->crosses[i] &= !w->is_constant[i];
}

/* ---- Which share one ---- */

static void place(struct ptx_emitter *e, uint32_t index, size_t *end)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const size_t bytes = ptx_warp_home_bytes(e, index), step = bytes > 64 ? 64 : bytes;
    *end = (*end + step - 1) / step * step;
    w->homes[index] = (int32_t)*end;
    *end += bytes;
}

/* A register's home holds something in nodes that begin with it, and in those that touch it. */
struct homes {
    struct ptx_emitter *e;
    uint64_t
        *nodes; /* `words` per register: a bit for each such node; of a home: of all that have it */
    size_t words;
    bool *stays_alone; /* per register */
    int32_t node;
    uint32_t *all; /* the first register of each home that others may have too */
    size_t count;
};

static void mark(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct homes *h = with;
    h->nodes[index * h->words + (size_t)h->node / 64] |= (uint64_t)1 << h->node % 64;
}

static void stay_alone(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((struct homes *)with)->stays_alone[index] = true;
}

/* What a run of copies reads need not be alive where the run's instructions have their operands from. */
static void mark_touched(struct homes *h, uint32_t i)
{
    const struct ptx_body *body = ptx_current_body(h->e);
    ptx_body_reads(body, i, mark, h);
    ptx_flow_writes(&body->function->instructions[i], mark, h);
    if (body->copies && body->copies[i])
        ptx_body_reads(body, i, stay_alone, h);
}

static void mark_all(struct homes *h)
{
    const struct ptx_flow *flow = h->e->warp_writer->flow;
    const uint32_t registers = (uint32_t)flow->function->register_count;
    for (size_t i = 0; i < flow->reachable; i++) {
        h->node = flow->order[i];
        ptx_steps(h->e->arena, registers);
        for (uint32_t j = flow->nodes[h->node].first; j < flow->nodes[h->node].end; j++)
            mark_touched(h, j);
        for (uint32_t j = 0; j < registers; j++)
            if (ptx_flow_is_live(flow, h->node, j))
                mark(h, j, true);
    }
}

static bool never_meet(const struct homes *h, uint32_t a, uint32_t b)
{
    const uint64_t *one = h->nodes + a * h->words, *other = h->nodes + b * h->words;
    ptx_steps(h->e->arena, h->words);
    for (size_t i = 0; i < h->words; i++)
        if (one[i] & other[i])
            return false;
    return true;
}

static void take_home(struct homes *h, uint32_t index, uint32_t first)
{
    struct ptx_warp_writer *w = h->e->warp_writer;
    w->homes[index] = w->homes[first];
    for (size_t i = 0; i < h->words; i++)
        h->nodes[first * h->words + i] |= h->nodes[index * h->words + i];
}

/* A lane has its own element of a home, wherever it is on its way: elements of one size share homes, and what is one
 * variable for all lanes shares none. */
static void place_crossing(struct homes *h, uint32_t index, size_t *end)
{
    struct ptx_emitter *e = h->e;
    const bool is_alone = h->stays_alone[index] || e->warp_writer->is_uniform[index];
    for (size_t i = 0; i < h->count && !is_alone; i++) {
        const uint32_t first = h->all[i];
        if (ptx_warp_home_bytes(e, first) != ptx_warp_home_bytes(e, index) ||
            !never_meet(h, first, index))
            continue;
        take_home(h, index, first);
        return;
    }
    place(e, index, end);
    if (!is_alone)
        h->all[h->count++] = index;
}

static void place_all_crossing(struct ptx_emitter *e, size_t *end)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    const uint32_t registers = (uint32_t)w->flow->function->register_count;
    struct homes h = {.e = e, .words = w->flow->count / 64 + 1};
    h.nodes = ptx_arena_lend(e->arena, (registers + 1) * h.words, sizeof *h.nodes);
    h.stays_alone = ptx_arena_lend(e->arena, registers + 1, sizeof *h.stays_alone);
    h.all = ptx_arena_lend(e->arena, registers + 1, sizeof *h.all);
    mark_all(&h);
    for (uint32_t i = 0; i < registers; i++)
        if (w->crosses[i])
            place_crossing(&h, i, end);
    ptx_arena_return(e->arena, h.all);
    ptx_arena_return(e->arena, h.stays_alone);
    ptx_arena_return(e->arena, h.nodes);
}

/* ---- What nodes have for themselves ---- */

struct touching {
    struct ptx_emitter *e;
    int32_t *items; /* per register: number of the last item that touched it in this node */
    bool *in_lanes; /* per register: and whether any was a loop over lanes */
    int32_t item;
    bool is_loop;
    size_t *end;
};

/* Vectors cannot be told lane by lane: what a loop over lanes shares with what stands beside it has a home too. */
static void touch(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct touching *t = with;
    struct ptx_warp_writer *w = t->e->warp_writer;
    if (w->is_uniform[index] || w->homes[index] != PTX_NO_HOME)
        return;
    if (t->items[index] >= 0 && t->items[index] != t->item && (t->is_loop || t->in_lanes[index]))
        place(t->e, index, t->end);
    t->items[index] = t->item;
    t->in_lanes[index] |= t->is_loop;
}

static void place_of_node(struct touching *t, int32_t number)
{
    const struct ptx_warp_writer *w = t->e->warp_writer;
    const struct ptx_node *node = &w->flow->nodes[number];
    uint8_t before = PTX_ITEM_NOTHING;
    for (uint32_t i = node->first; i < node->end; i++) {
        const struct ptx_instruction *in = &w->flow->function->instructions[i];
        const uint8_t item = w->items[i];
        t->item += item != PTX_ITEM_LANES || before != PTX_ITEM_LANES;
        t->is_loop = item == PTX_ITEM_LANES || item == PTX_ITEM_STORE;
        ptx_body_reads(ptx_current_body(t->e), i, touch, t);
        ptx_flow_writes(in, touch, t);
        before = item;
    }
}

/* What crosses has a home that is its own wherever it matters; what does not shares it with what other nodes have so. */
static void place_all(struct ptx_emitter *e)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const size_t registers = w->flow->function->register_count;
    size_t end = (size_t)4 * 128, last = 0;
    w->numbers = 0;
    w->carries = 3 * 128;
    w->homes = ptx_arena_array(e->arena, registers + 1, sizeof *w->homes);
    struct touching t = {.e = e};
    t.items = ptx_arena_array(e->arena, registers + 1, sizeof *t.items);
    t.in_lanes = ptx_arena_array(e->arena, registers + 1, sizeof *t.in_lanes);
    for (uint32_t i = 0; i < registers; i++)
        w->homes[i] = PTX_NO_HOME, t.items[i] = -1;
    place_all_crossing(e, &end);
    end = last = (end + 63) / 64 * 64;
    for (size_t i = 0; i < w->flow->reachable; i++) {
        size_t own = end;
        t.end = &own;
        place_of_node(&t, w->flow->order[i]);
        last = own > last ? own : last;
    }
    w->frame_bytes = (last + 127) / 128 * 128;
}

void ptx_warp_find_homes(struct ptx_emitter *e)
{
    find_crossing(e);
    place_all(e);
}
