/* Rows of shared memory that warps which go alone (solo.c) have stored, and read again in the next step of a tree: what is read is the
 * value that was stored, and nothing waits for memory. Where a row is follows from the numbers of the warp's threads, or it is
 * known by the register that points there. One of which the place is known is stored late: before something that may read it, or what else is at
 * that place, and never where the block ends before.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

#include <stddef.h>

#include "kernels/ptx/host/runtime.h"

/* ---- Where it is ---- */

static bool find_number(struct ptx_native *n, const struct ptx_operand *o, int depth,
                        int64_t *number);

static int64_t extended(int64_t number, enum ptx_type type)
{
    if (ptx_native_bits(type) != 32)
        return number;
    return ptx_type_is_signed(type) ? (int64_t)(int32_t)number : (int64_t)(uint32_t)number;
}

/* What an instruction gives the warp's first thread. */
static bool compute(struct ptx_native *n, const struct ptx_instruction *in, int depth,
                    int64_t *number)
{
    const enum ptx_type to = (enum ptx_type)in->types[0],
                        from = (enum ptx_type)in->types[in->type_count > 1];
    int64_t a = 0, b = 0;
    if (in->guard >= 0 || (in->flags & ~(uint32_t)(PTX_LO | PTX_WIDE)) || ptx_type_is_float(to) ||
        ptx_type_is_float(from) || ptx_native_bits(to) < 32 || ptx_native_bits(from) < 32 ||
        !find_number(n, &in->operands[1], depth, &a) ||
        (in->operand_count > 2 && !find_number(n, &in->operands[2], depth, &b)))
        return false;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
        break;
    case PTX_OPCODE_cvt:
        a = extended(a, from);
        break;
    case PTX_OPCODE_add:
        a = (int64_t)((uint64_t)a + (uint64_t)b);
        break;
    case PTX_OPCODE_mul:
        a = ptx_native_times(in->flags & PTX_WIDE ? extended(a, to) : a,
                             in->flags & PTX_WIDE ? extended(b, to) : b);
        break;
    case PTX_OPCODE_shl:
        if (b < 0 || b >= (int64_t)ptx_native_bits(to))
            return false;
        a = (int64_t)((uint64_t)a << b);
        break;
    default:
        return false;
    }
    *number = in->flags & PTX_WIDE ? a : extended(a, to);
    return true;
}

static bool find_number(struct ptx_native *n, const struct ptx_operand *o, int depth,
                        int64_t *number)
{
    enum { MOST_DEPTH = 6 };
    const struct ptx_native_flow *f = n->flow;
    if (o->part || o->is_negated || depth > MOST_DEPTH)
        return false;
    switch (o->kind) {
    case PTX_OPERAND_INTEGER:
        *number = o->bits;
        return true;
    case PTX_OPERAND_SPECIAL:
        *number = (int64_t)f->solo_warp * PTX_NATIVE_LANES;
        return o->index == PTX_TID_X;
    case PTX_OPERAND_VARIABLE:
        if (!o->variable || o->variable->space != PTX_SPACE_SHARED)
            return false;
        *number = (int64_t)ptx_native_shared_offset(n, o->variable) + o->bits;
        return true;
    case PTX_OPERAND_REGISTER:
        return f->is_fixed[o->index] && compute(n, f->set_by[o->index], depth + 1, number);
    default:
        return false;
    }
}

/* Of the first thread's word; register_: -1 where it is a number of bytes in the block's memory; false: not known. */
static bool find_place(struct ptx_native *n, const struct ptx_operand *o, int32_t *register_,
                       int64_t *at)
{
    const struct ptx_operand base = {.kind = PTX_OPERAND_REGISTER, .index = o->index};
    *register_ = -1;
    if (o->index < 0) {
        *at = o->variable ? (int64_t)ptx_native_shared_offset(n, o->variable) : 0;
    } else if (!find_number(n, &base, 0, at)) {
        *register_ = o->index;
        *at = 0;
    }
    *at += o->bits;
    return *register_ < 0 || n->flow->solo_warp == 0;
}

/* ---- What it is ---- */

static bool can_be_kept(const struct ptx_native_transfer *t)
{
    return t->shared && (t->bits == 32 || t->bits == 64) && t->width == 1 && !t->is_volatile &&
           !t->may_be_none && !t->checked &&
           (!t->at.offset.is_vector || (t->at.is_line && t->at.term.line.kind == PTX_LINE_PLAIN));
}

static int64_t bytes_of(const struct ptx_native_kept *row)
{
    return (int64_t)row->count * row->bits / 8;
}

static bool is_within(const struct ptx_native_kept *a, const struct ptx_native_kept *b)
{
    return a->base == b->base && a->at >= b->at && a->at + bytes_of(a) <= b->at + bytes_of(b);
}

static const char *value_of(struct ptx_native *n, const struct ptx_native_kept *row)
{
    const char *type = ptx_format(n->e, "<32 x i%u>", row->bits);
    return row->is_in_slot ? ptx_native_emit(n, "load %s, %s %s", type,
                                             ptx_native_pointer_type(n, type), row->value)
                           : row->value;
}

/* The value goes to an alloca of its own. */
static void put_in_slot(struct ptx_native *n, struct ptx_native_kept *row)
{
    const char *type = ptx_format(n->e, "<32 x i%u>", row->bits),
               *slot = ptx_format(n->e, "%%%s", ptx_native_name(n, "slot"));
    struct ptx_text *const out = n->e->out;
    n->e->out = n->flow->head;
    ptx_native_do(n, "%s = alloca %s", slot, type);
    n->e->out = out;
    ptx_native_do(n, "store %s %s, %s %s", type, row->value, ptx_native_pointer_type(n, type),
                  slot);
    row->value = slot;
    row->is_in_slot = true;
}

/* ---- Rows that are stored late ---- */

static void store(struct ptx_native *n, const struct ptx_native_kept *row)
{
    const char *i = ptx_native_integer(row->bits),
               *type = ptx_format(n->e, "<%u x %s>", row->count, i);
    const char *shared = ptx_native_of_block(n, offsetof(struct ptx_native_block, shared), "i64");
    const char *at = ptx_native_emit(n, "add i64 %s, %lld", shared, (long long)row->at);
    const char *all = value_of(n, row),
               *value = row->count == PTX_NATIVE_LANES
                            ? all
                            : ptx_native_emit(
                                  n, "shufflevector <32 x %s> %s, <32 x %s> undef, <%u x i32> %s",
                                  i, row->value, i, row->count,
                                  ptx_native_numbers(n, 32, row->count, 1, 1, 0));
    ptx_native_do(n, "store %s %s, %s %s, align %u", type, value, ptx_native_pointer_type(n, type),
                  ptx_native_pointer(n, type, at), row->bits / 8);
}

void ptx_native_store_late(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    for (size_t i = 0; i < f->late_count; i++)
        store(n, &f->late[i]);
    f->late_count = 0;
}

/* Nobody reads what it covers any more. */
static bool store_later(struct ptx_native *n, const struct ptx_native_kept *row)
{
    struct ptx_native_flow *f = n->flow;
    size_t left = 0;
    if (row->base >= 0)
        return false;
    for (size_t i = 0; i < f->late_count; i++)
        if (!is_within(&f->late[i], row))
            f->late[left++] = f->late[i];
    f->late_count = left;
    if (left == PTX_NATIVE_KEPT)
        ptx_native_store_late(n);
    f->late[f->late_count++] = *row;
    return true;
}

/* ---- Rows that are known ---- */

bool ptx_native_keep_row(struct ptx_native *n, const struct ptx_native_transfer *t, unsigned count,
                         const char *value)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_native_kept row = {.value = value, .count = count, .bits = t->bits};
    size_t left = 0;
    if (!can_be_kept(t) || !find_place(n, t->shared, &row.base, &row.at))
        return false;
    if (f->fills_slots)
        put_in_slot(n, &row);
    /* What lies across it, or may, is known no longer. */
    for (size_t i = 0; i < f->kept_count; i++) {
        const struct ptx_native_kept *kept = &f->kept[i];
        const bool is_apart =
            row.at + bytes_of(&row) <= kept->at || kept->at + bytes_of(kept) <= row.at;
        if (kept->base == row.base && is_apart)
            f->kept[left++] = *kept;
    }
    f->kept_count = left < PTX_NATIVE_KEPT ? left : 0;
    f->kept[f->kept_count++] = row;
    f->has_kept = true;
    return store_later(n, &row);
}

/* The row that so many words are of, and the first one's number in it; NULL: they are of none. */
static const struct ptx_native_kept *
find_row(struct ptx_native *n, const struct ptx_native_transfer *t, unsigned count, unsigned *first)
{
    const struct ptx_native_flow *f = n->flow;
    const int64_t bytes = t->bits / 8;
    int32_t base;
    int64_t at;
    if (!can_be_kept(t) || f->kept_count == 0 || !find_place(n, t->shared, &base, &at))
        return NULL;
    for (size_t i = 0; i < f->kept_count; i++) {
        const struct ptx_native_kept *kept = &f->kept[i];
        const int64_t behind = at - kept->at;
        if (kept->base != base || kept->bits != t->bits || behind < 0 || behind % bytes != 0 ||
            behind / bytes + count > kept->count)
            continue;
        *first = (unsigned)(behind / bytes);
        return kept;
    }
    return NULL;
}

const char *ptx_native_kept_row(struct ptx_native *n, const struct ptx_native_transfer *t,
                                unsigned count)
{
    const char *numbers = "";
    unsigned first = 0;
    const struct ptx_native_kept *kept = find_row(n, t, count, &first);
    if (!kept)
        return NULL;
    for (unsigned l = 0; l < PTX_NATIVE_LANES; l++)
        numbers = l < count ? ptx_format(n->e, "%s%si32 %u", numbers, l ? "," : "", l + first)
                            : ptx_format(n->e, "%s,i32 undef", numbers);
    return ptx_native_emit(n, "shufflevector <32 x i%u> %s, <32 x i%u> undef, <32 x i32> <%s>",
                           t->bits, value_of(n, kept), t->bits, numbers);
}

const char *ptx_native_kept_word(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    unsigned first = 0;
    const struct ptx_native_kept *kept = find_row(n, t, 1, &first);
    return kept ? ptx_native_emit(n, "extractelement <32 x i%u> %s, i32 %u", t->bits,
                                  value_of(n, kept), first)
                : NULL;
}

bool ptx_native_knows_row(struct ptx_native *n, const struct ptx_native_transfer *t, unsigned count)
{
    unsigned first;
    return find_row(n, t, count, &first) != NULL;
}

bool ptx_native_stores_late(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    int32_t base;
    int64_t at;
    return can_be_kept(t) && find_place(n, t->shared, &base, &at) && base < 0;
}
