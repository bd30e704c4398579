/* Loads of shared memory that cannot race, of kernels that are checked: from one barrier of the block to the next nobody stores there.
 * Then they are right where their bytes lie below what the host knows to be there and written (host/phase.h): the text sees
 * that itself.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <sys/types.h>

#include "kernels/ptx/emit/checked.h"
#include "kernels/ptx/host/phase.h"
#include "kernels/ptx/native/memory/memory.h"

enum { HALF = PTX_NATIVE_LANES / 2 };

/* ---- Which loads ---- */

/* Parts of nodes, cut at barriers; those that ways lead between are one phase, whichever way. All threads of a block come to each of
 * these barriers (ptx_native_refuse_unchecked()), so that what two of them do between the same two is of one phase. */
struct phases {
    struct ptx_native *n;
    int32_t *first;  /* per node: its first part */
    int32_t *joined; /* per part: one that is of its phase; itself: it stands for it */
    int32_t count;
};

static bool is_cut(const struct ptx_native *n, const struct ptx_instruction *in)
{
    return in->guard < 0 && ptx_is_barrier(in) && ptx_native_is_plain_barrier(n->flow, in) &&
           in->operands[0].bits == 0;
}

static bool may_be_shared(const struct ptx_native *n, const struct ptx_operand *address,
                          uint8_t space)
{
    space = ptx_native_space_of(address, space);
    return space == PTX_SPACE_SHARED || (space == PTX_SPACE_GENERIC && n->e->plan->has_windows);
}

/* Whether it may change shared memory. */
static bool may_store(const struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OPCODE_ld)
        return false;
    if (in->opcode == PTX_OPCODE_call)
        return !(in->operand_count > 1 && in->operands[1].function &&
                 ptx_native_has_math(in->operands[1].function));
    if (in->opcode == PTX_OPCODE_cp || in->opcode == PTX_OPCODE_mbarrier)
        return true;
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_ADDRESS &&
            may_be_shared(n, &in->operands[i], in->space))
            return true;
    return false;
}

static int32_t phase_of(const struct phases *p, int32_t part)
{
    while (p->joined[part] != part)
        part = p->joined[part] = p->joined[p->joined[part]];
    return part;
}

static int32_t last_part(const struct phases *p, const struct ptx_flow *g, size_t node)
{
    return (node + 1 < g->count ? p->first[node + 1] : p->count) - 1;
}

static void find_parts(struct phases *p)
{
    const struct ptx_native_flow *f = p->n->flow;
    const struct ptx_flow *g = f->graph;
    for (size_t node = 0; node < g->count; node++) {
        p->first[node] = p->count++;
        for (uint32_t i = g->nodes[node].first; i < g->nodes[node].end; i++)
            p->count += is_cut(p->n, &f->function->instructions[i]);
    }
}

static void join_parts(struct phases *p)
{
    const struct ptx_flow *g = p->n->flow->graph;
    for (int32_t part = 0; part < p->count; part++)
        p->joined[part] = part;
    for (size_t node = 0; node < g->count; node++)
        for (uint32_t i = 0; i < g->nodes[node].next_count; i++)
            p->joined[phase_of(p, last_part(p, g, node))] =
                phase_of(p, p->first[g->nodes[node].next[i]]);
}

/* Calls for each instruction with its phase. */
typedef void phase_function(const struct phases *p, uint32_t instruction, int32_t phase,
                            bool *marks);
static void go_through(const struct phases *p, phase_function *function, bool *marks)
{
    const struct ptx_native_flow *f = p->n->flow;
    for (size_t node = 0; node < f->graph->count; node++) {
        int32_t part = p->first[node];
        for (uint32_t i = f->graph->nodes[node].first; i < f->graph->nodes[node].end; i++) {
            part += is_cut(p->n, &f->function->instructions[i]);
            function(p, i, phase_of(p, part), marks);
        }
    }
}

static void mark_store(const struct phases *p, uint32_t instruction, int32_t phase, bool *stored)
{
    stored[phase] |= may_store(p->n, &p->n->flow->function->instructions[instruction]);
}

static void mark_load(const struct phases *p, uint32_t instruction, int32_t phase, bool *stored)
{
    struct ptx_native_flow *const f = p->n->flow;
    f->is_calm[instruction] =
        !stored[phase] && f->function->instructions[instruction].opcode == PTX_OPCODE_ld;
}

void ptx_native_find_calm(struct ptx_native *n)
{
    struct ptx_native_flow *const f = n->flow;
    struct ptx_arena *const arena = n->e->arena;
    struct phases p = {.n = n};
    p.first = ptx_arena_take(arena, f->graph->count * sizeof *p.first);
    find_parts(&p);
    p.joined = ptx_arena_take(arena, (size_t)p.count * sizeof *p.joined);
    join_parts(&p);
    bool *const stored = ptx_arena_take(arena, (size_t)p.count);
    f->is_calm = ptx_arena_take(arena, f->function->instruction_count);
    go_through(&p, mark_store, stored);
    go_through(&p, mark_load, stored);
}

bool ptx_native_is_calm(const struct ptx_native *n, const struct ptx_checked *c)
{
    const size_t at = (size_t)(n->e->instruction - n->flow->function->instructions);
    return c->is_seen && CLEM_CHECK_KIND(c->what) == CLEM_CHECK_LOAD &&
           CLEM_CHECK_SPACE(c->what) == CLEM_CHECK_SHARED &&
           (!c->races || (n->flow->is_calm && n->flow->is_calm[at]));
}

/* ---- Whether one is seen to be right ---- */

const char *ptx_native_word_at(struct ptx_native *n, const char *address, size_t at)
{
    address = ptx_native_emit(n, "add i64 %s, %zu", address, at);
    return ptx_native_emit(n, "load i64, %s %s", ptx_native_pointer_type(n, "i64"),
                           ptx_native_pointer(n, "i64", address));
}

const char *ptx_native_changing_word(struct ptx_native *n, const char *address, size_t at)
{
    address = ptx_native_emit(n, "add i64 %s, %zu", address, at);
    return ptx_native_emit(n, "load volatile i64, %s %s", ptx_native_pointer_type(n, "i64"),
                           ptx_native_pointer(n, "i64", address));
}

/* Bytes from the start of shared memory that may be read. */
static const char *limit(struct ptx_native *n)
{
    const char *bytes = ptx_native_word_at(
        n, ptx_native_of_launch(n, offsetof(struct ptx_native_launch, checked), "i64"),
        offsetof(struct clem_check_launch, shared_bytes));
    if (!(n->e->target->checks & PTX_CHECK_INIT))
        return bytes;
    const char *known = ptx_native_word_at(
        n, ptx_native_of_block(n, offsetof(struct ptx_native_block, phase), "i64"),
        offsetof(struct ptx_phase, known));
    const char *is_less = ptx_native_emit(n, "icmp ult i64 %s, %s", known, bytes);
    return ptx_native_emit(n, "select i1 %s, i64 %s, i64 %s", is_less, known, bytes);
}

static const char *both(struct ptx_native *n, const char *a, const char *b)
{
    return a && b ? ptx_native_emit(n, "and i1 %s, %s", a, b) : a ? a : b;
}

/* Whether `reach` bytes from an address of the host's on are below the limit, and it is a multiple of `bytes`. */
static const char *is_below(struct ptx_native *n, const struct ptx_native_transfer *t,
                            const char *address, uint64_t reach, uint32_t bytes, const char *most)
{
    const char *own = ptx_native_emit(n, "sub i64 %s, %s", address, t->at.base);
    const char *low = ptx_native_emit(n, "and i64 %s, %lld", own, (long long)UINT32_MAX);
    const char *end = ptx_native_emit(n, "add i64 %s, %llu", low, (unsigned long long)reach);
    const char *is_in = ptx_native_emit(n, "icmp ule i64 %s, %s", end, most);
    if (bytes == 1)
        return is_in;
    const char *rest = ptx_native_emit(n, "and i64 %s, %u", low, bytes - 1);
    return both(n, is_in, ptx_native_emit(n, "icmp eq i64 %s, 0", rest));
}

/* From the place of the first lane of some on a line. */
static const char *are_below(struct ptx_native *n, const struct ptx_native_transfer *t,
                             const char *first, unsigned lanes, uint32_t bytes, const char *most)
{
    const int64_t stride = ptx_native_stride_of(&t->at), way = stride * (lanes - 1);
    if (way < 0)
        first = ptx_native_emit(n, "add i64 %s, %lld", first, (long long)way);
    return is_below(n, t, first, (uint64_t)(way < 0 ? -way : way) + bytes, bytes, most);
}

static const char *is_line_below(struct ptx_native *n, const struct ptx_native_transfer *t,
                                 uint32_t bytes)
{
    const char *most = limit(n), *is_straight = ptx_native_is_straight(n, &t->at.term);
    const char *first = ptx_native_line_start(n, &t->at, 0);
    if (t->at.term.line.is_whole)
        return both(n, is_straight, are_below(n, t, first, PTX_NATIVE_LANES, bytes, most));
    const char *is_first = are_below(n, t, first, HALF, bytes, most);
    if (!t->at.term.line.is_twin)
        is_first = both(n, is_first,
                        are_below(n, t, ptx_native_line_start(n, &t->at, 1), HALF, bytes, most));
    return both(n, is_straight, is_first);
}

const char *ptx_native_seen_calm(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const struct ptx_checked *const c = t->checked;
    const uint32_t bytes = CLEM_CHECK_BYTES(c->what);
    if (!ptx_native_is_calm(n, c))
        return NULL;
    if (!c->looks)
        return "true";
    if (!t->at.base)
        return NULL;
    if (!t->at.offset.is_vector)
        return is_below(n, t, ptx_native_full_address(n, t->at).text, bytes, bytes, limit(n));
    if (!t->at.is_line || ptx_native_stride_of(&t->at) % (int64_t)bytes != 0)
        return NULL;
    return is_line_below(n, t, bytes);
}
