/* Elements beside each other that a thread loads one by one, or stores, as those of a structure: where the next lane's lie right behind
 * them, all lanes' are loaded, or stored, as one row. Loads do it where the first stands, stores where the last does; nothing may
 * stand between them that the others' place in the text has a meaning for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

/* FAR: instructions from the first to the last. */
enum { MOST = 4, FAR = 96 };

struct ptx_native_fields {
    const struct ptx_instruction *members[MOST]; /* by their places in memory */
    unsigned width, first, last;                 /* of them; which are first and last in the text */
    bool is_one;                                 /* of this turn of the text: they are one row */
    struct ptx_native_value values[MOST];
};

/* ---- Which stand beside each other ---- */

static const struct ptx_operand *address_of(const struct ptx_instruction *in)
{
    return &in->operands[in->opcode == PTX_OPCODE_ld];
}

static unsigned bits_of(const struct ptx_instruction *in)
{
    return ptx_native_bits((enum ptx_type)in->types[0]);
}

static bool is_of_memory(uint8_t space)
{
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC || space == PTX_SPACE_SHARED;
}

static bool is_element(const struct ptx_instruction *in)
{
    const bool is_any = in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_st;
    if (!is_any || in->guard >= 0 || in->width > 1 || in->operand_count != 2 ||
        ptx_is_volatile(in) || ptx_is_wide_access(in) || !is_of_memory(in->space))
        return false;
    const struct ptx_operand *o = address_of(in);
    return o->kind == PTX_OPERAND_ADDRESS && !o->variable && o->index >= 0 &&
           (bits_of(in) == 32 || bits_of(in) == 64);
}

/* Whether two are elements of one structure as far as the text tells: neighbours, or nearly. */
static bool are_near(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    if (b->opcode != a->opcode || !is_element(b) || bits_of(b) != bits_of(a) ||
        b->space != a->space || address_of(b)->index != address_of(a)->index)
        return false;
    const int64_t bytes = bits_of(a) / 8, apart = address_of(b)->bits - address_of(a)->bits;
    return apart != 0 && apart % bytes == 0 && apart < MOST * bytes && apart > -MOST * bytes;
}

static bool is_read_only(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_ld && (in->flags & PTX_NC) && !ptx_is_volatile(in);
}

/* Whether accesses of memory may change places with it: stores with what reads none that may be written, loads with any that
 * read; loads of memory that nobody writes with stores too. */
static bool lets_pass(const struct ptx_native_flow *f, const struct ptx_instruction *in,
                      const struct ptx_instruction *passing)
{
    if (ptx_flow_is_pure(f->function, in) || is_read_only(in))
        return true;
    if (passing->opcode == PTX_OPCODE_st || ptx_is_volatile(in) || in->guard >= 0)
        return false;
    return in->opcode == PTX_OPCODE_ld || (in->opcode == PTX_OPCODE_st && is_read_only(passing));
}

static bool has_place(const struct ptx_native_fields *b, const struct ptx_instruction *in)
{
    bool is_near = b->width < MOST;
    for (unsigned i = 0; i < b->width; i++)
        is_near = is_near && address_of(b->members[i])->bits != address_of(in)->bits;
    return is_near;
}

/* Whether an element may come to where those are that it belongs to, whose address it has still: a load before what stands between,
 * and what is stored behind. */
static bool may_move(const struct ptx_native_flow *f, const struct ptx_native_fields *b,
                     const struct ptx_instruction *in)
{
    const struct ptx_instruction *from = b->members[0];
    for (const struct ptx_instruction *at = from; at < in; at++)
        if (ptx_flow_writes_register(at, (uint32_t)address_of(in)->index))
            return false;
    for (const struct ptx_instruction *at = from + 1; at < in; at++) {
        bool is_member = false;
        for (unsigned i = 1; i < b->width; i++)
            is_member |= b->members[i] == at;
        if (!is_member && !lets_pass(f, at, in))
            return false;
    }
    return true;
}

/* From an element on to the node's end, in the text's order. */
static void gather(const struct ptx_native_flow *f, const struct ptx_instruction *from,
                   const struct ptx_instruction *end, struct ptx_native_fields *b)
{
    *b = (struct ptx_native_fields){.members = {from}, .width = 1};
    for (const struct ptx_instruction *at = from + 1; at < end && at - from < FAR; at++) {
        bool is_near = true;
        for (unsigned i = 0; i < b->width && is_near; i++)
            is_near = are_near(b->members[i], at);
        if (is_near && has_place(b, at)) {
            if (!may_move(f, b, at))
                return;
            b->members[b->width++] = at;
        }
    }
}

static void order(struct ptx_native_fields *b)
{
    const struct ptx_instruction *const first = b->members[0], *const last =
                                                                   b->members[b->width - 1];
    for (unsigned i = 1; i < b->width; i++) {
        const struct ptx_instruction *const moved = b->members[i];
        unsigned to = i;
        for (; to > 0 && address_of(b->members[to - 1])->bits > address_of(moved)->bits; to--)
            b->members[to] = b->members[to - 1];
        b->members[to] = moved;
    }
    for (unsigned i = 0; i < b->width; i++) {
        b->first = b->members[i] == first ? i : b->first;
        b->last = b->members[i] == last ? i : b->last;
    }
}

/* In order: without a gap. */
static bool are_beside(const struct ptx_native_fields *b)
{
    const int64_t bytes = bits_of(b->members[0]) / 8;
    return b->width > 1 &&
           address_of(b->members[b->width - 1])->bits - address_of(b->members[0])->bits ==
               (b->width - 1) * bytes;
}

static void find_of_node(struct ptx_native *n, const struct ptx_node *node)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *const all = f->function->instructions;
    for (uint32_t i = node->first; i < node->end; i++) {
        struct ptx_native_fields found;
        if (f->fields[i] || !is_element(&all[i]))
            continue;
        gather(f, &all[i], &all[node->end], &found);
        order(&found);
        bool is_new = are_beside(&found);
        for (unsigned k = 0; k < found.width; k++)
            is_new = is_new && !f->fields[found.members[k] - all];
        if (!is_new)
            continue;
        struct ptx_native_fields *made = ptx_arena_take(n->e->arena, sizeof *made);
        *made = found;
        for (unsigned k = 0; k < found.width; k++)
            f->fields[found.members[k] - all] = made;
    }
}

void ptx_native_find_fields(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    f->fields = ptx_arena_array(n->e->arena, f->function->instruction_count + 1, sizeof *f->fields);
    if (ptx_native_is_checked(n) || f->by_thread)
        return;
    for (size_t i = 0; i < f->graph->reachable; i++)
        find_of_node(n, &f->graph->nodes[f->graph->order[i]]);
}

/* ---- Loading and storing them ---- */

static struct ptx_native_fields *fields_of(const struct ptx_native *n,
                                           const struct ptx_instruction *in)
{
    const struct ptx_function *function = n->flow->function;
    const bool is_there =
        in >= function->instructions && in < function->instructions + function->instruction_count;
    return is_there ? n->flow->fields[in - function->instructions] : NULL;
}

static unsigned place_in(const struct ptx_native_fields *b, const struct ptx_instruction *in)
{
    unsigned i = 0;
    while (b->members[i] != in)
        i++;
    return i;
}

static bool is_one_row(const struct ptx_native_fields *b, const struct ptx_native_transfer *t)
{
    if (t->checked || t->shared)
        return false;
    if (!t->at.is_line && t->at.offset.is_vector && !t->at.is_numbered)
        return b->width % 2 == 0 && t->bits == 32;
    return t->at.is_line && t->at.term.line.is_whole &&
           ptx_native_stride_of(&t->at) == (int64_t)b->width * t->bits / 8;
}

bool ptx_native_joins(struct ptx_native *n, const struct ptx_instruction *in,
                      const struct ptx_native_transfer *t)
{
    struct ptx_native_fields *b = fields_of(n, in);
    if (b && in == b->members[b->first])
        b->is_one = is_one_row(b, t);
    return b && b->is_one;
}

const struct ptx_operand *ptx_native_first_field(const struct ptx_native *n,
                                                 const struct ptx_instruction *in)
{
    return address_of(fields_of(n, in)->members[0]);
}

unsigned ptx_native_count_fields(const struct ptx_native *n, const struct ptx_instruction *in)
{
    return fields_of(n, in)->width;
}

bool ptx_native_has_loaded(const struct ptx_native *n, const struct ptx_instruction *in,
                           struct ptx_native_value *value)
{
    const struct ptx_native_fields *b = fields_of(n, in);
    if (!b || !b->is_one || in == b->members[b->first])
        return false;
    *value = b->values[place_in(b, in)];
    return true;
}

struct ptx_native_value ptx_native_note_loaded(struct ptx_native *n,
                                               const struct ptx_instruction *in,
                                               const struct ptx_native_value *values)
{
    struct ptx_native_fields *b = fields_of(n, in);
    for (unsigned i = 0; i < b->width; i++)
        b->values[i] = values[i];
    return values[b->first];
}

bool ptx_native_has_all(struct ptx_native *n, const struct ptx_instruction *in,
                        struct ptx_native_value *values)
{
    struct ptx_native_fields *b = fields_of(n, in);
    b->values[place_in(b, in)] = values[0];
    for (unsigned i = 0; i < b->width; i++)
        values[i] = b->values[i];
    return in == b->members[b->last];
}
