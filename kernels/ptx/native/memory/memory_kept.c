/* Rows of shared memory that warps which go alone (solo.c) have stored, and read again in the next step of a tree: what is read is the
 * value that was stored, and nothing waits for memory. Where a row is follows from the numbers of the warp's threads, or it is
 * known by the register that points there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

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
    return t->shared && (t->bits == 32 || t->bits == 64) && t->width == 1 && !t->is_volatile;
}

void ptx_native_keep_row(struct ptx_native *n, const struct ptx_native_transfer *t, unsigned count,
                         const char *value)
{
    struct ptx_native_flow *f = n->flow;
    struct ptx_native_kept row = {.value = value, .count = count, .bits = t->bits};
    size_t left = 0;
    if (!can_be_kept(t) || !find_place(n, t->shared, &row.base, &row.at))
        return;
    /* What lies across it, or may, is known no longer. */
    for (size_t i = 0; i < f->kept_count; i++) {
        const struct ptx_native_kept *kept = &f->kept[i];
        const bool is_apart = row.at + (int64_t)count * t->bits / 8 <= kept->at ||
                              kept->at + (int64_t)kept->count * kept->bits / 8 <= row.at;
        if (kept->base == row.base && is_apart)
            f->kept[left++] = *kept;
    }
    f->kept_count = left < PTX_NATIVE_KEPT ? left : 0;
    f->kept[f->kept_count++] = row;
    f->has_kept = true;
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
                           t->bits, kept->value, t->bits, numbers);
}

const char *ptx_native_kept_word(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    unsigned first = 0;
    const struct ptx_native_kept *kept = find_row(n, t, 1, &first);
    return kept ? ptx_native_emit(n, "extractelement <32 x i%u> %s, i32 %u", t->bits, kept->value,
                                  first)
                : NULL;
}
