/* Stores of some lanes side by side: where each counts the lanes before it that store as well, as programs do that keep what they
 * want of a row. A place is a number that is the same for all, and the count of a mask's bits below the lane's own. Where the
 * lanes that store are those of the mask, their words go together, by processors that have an instruction for it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/native/memory/memory.h"

enum { MOST_DEPTH = 6, MOST_ADDENDS = 4 };

/* What a place is made of: numbers that are the same for all lanes, and registers of them. */
struct packed {
    const struct ptx_instruction *store;
    const struct ptx_operand *wide[MOST_ADDENDS], *narrow[MOST_ADDENDS];
    size_t wide_count, narrow_count;
    bool is_signed; /* how the sum of the narrow ones is extended */
    const struct ptx_operand *mask;
};

/* ---- Whether it is such a place ---- */

/* Whether what an instruction computes is still what the store has: it is set there alone, and before the store in the same turn
 * of the innermost loop, or before that. */
static bool holds_still(const struct ptx_native *n, const struct packed *p,
                        const struct ptx_instruction *in)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *const all = f->function->instructions;
    const int32_t node = f->graph->node_of[in - all], end = f->graph->node_of[p->store - all];
    const struct ptx_native_loop *const inner = ptx_native_inner_loop(f, node);
    int32_t at = end;
    if (f->graph->position[node] == PTX_NO_NODE || in->guard >= 0 ||
        (inner && inner != ptx_native_inner_loop(f, end)))
        return false;
    while (at != node && at != PTX_NO_NODE)
        at = f->graph->dominator[at];
    return at == node && in < p->store;
}

static const struct ptx_instruction *set_by(const struct ptx_native *n, const struct packed *p,
                                            const struct ptx_operand *o)
{
    const struct ptx_native_flow *f = n->flow;
    if (o->kind != PTX_OPERAND_REGISTER || o->part || f->definitions[o->index] != 1)
        return NULL;
    const struct ptx_instruction *in = f->set_by[o->index];
    return holds_still(n, p, in) && in->width <= 1 && !in->has_second_destination ? in : NULL;
}

/* The same for all lanes, as it is at the store, and kept until there. */
static bool is_common(struct ptx_native *n, const struct packed *p, const struct ptx_operand *o)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *const all = f->function->instructions, *in = set_by(n, p, o);
    const int32_t node = f->graph->node_of[p->store - all];
    if (o->kind == PTX_OPERAND_INTEGER)
        return true;
    return in && !ptx_native_varies(n, o) &&
           (f->graph->node_of[in - all] == node ||
            ptx_flow_is_live(f->graph, node, (uint32_t)o->index));
}

static bool is_integer(const struct ptx_operand *o, int64_t number)
{
    return o->kind == PTX_OPERAND_INTEGER && (int32_t)o->bits == (int32_t)number;
}

static bool is_special(const struct ptx_native *n, const struct packed *p,
                       const struct ptx_operand *o, int32_t special)
{
    const struct ptx_instruction *in = set_by(n, p, o);
    return (o->kind == PTX_OPERAND_SPECIAL && o->index == special) ||
           (in && ptx_native_is_move(in) && in->operands[1].kind == PTX_OPERAND_SPECIAL &&
            in->operands[1].index == special);
}

static bool is_lane(const struct ptx_native *n, const struct packed *p, const struct ptx_operand *o)
{
    const struct ptx_instruction *in = set_by(n, p, o);
    const enum ptx_threads threads = n->e->target->threads;
    const bool are_rows = ptx_native_has_rows(threads) || threads == PTX_THREADS_ROW;
    return is_special(n, p, o, PTX_LANEID) || (are_rows && in && in->opcode == PTX_OPCODE_and &&
                                               is_special(n, p, &in->operands[1], PTX_TID_X) &&
                                               is_integer(&in->operands[2], PTX_NATIVE_LANES - 1));
}

/* A number shifted left by the lane's own. */
static bool is_shifted(const struct ptx_native *n, const struct packed *p,
                       const struct ptx_operand *o, int64_t number)
{
    const struct ptx_instruction *in = set_by(n, p, o);
    const struct ptx_instruction *from =
        in && in->opcode == PTX_OPCODE_shl ? set_by(n, p, &in->operands[1]) : NULL;
    return in && in->opcode == PTX_OPCODE_shl && is_lane(n, p, &in->operands[2]) &&
           (is_integer(&in->operands[1], number) ||
            (from && ptx_native_is_move(from) && is_integer(&from->operands[1], number)));
}

/* The lanes below the own one. */
static bool is_below(const struct ptx_native *n, const struct packed *p,
                     const struct ptx_operand *o)
{
    const struct ptx_instruction *in = set_by(n, p, o);
    if (is_special(n, p, o, PTX_LANEMASK_LT))
        return true;
    if (!in || ptx_native_bits((enum ptx_type)in->types[0]) != 32)
        return false;
    if (in->opcode == PTX_OPCODE_not)
        return is_shifted(n, p, &in->operands[1], -1);
    return (in->opcode == PTX_OPCODE_add && is_shifted(n, p, &in->operands[1], 1) &&
            is_integer(&in->operands[2], -1)) ||
           (in->opcode == PTX_OPCODE_sub && is_shifted(n, p, &in->operands[1], 1) &&
            is_integer(&in->operands[2], 1));
}

static bool counts_below(struct ptx_native *n, struct packed *p, const struct ptx_operand *o)
{
    const struct ptx_instruction *in = set_by(n, p, o);
    const struct ptx_instruction *of =
        in && in->opcode == PTX_OPCODE_popc ? set_by(n, p, &in->operands[1]) : NULL;
    if (!of || of->opcode != PTX_OPCODE_and || ptx_native_bits((enum ptx_type)of->types[0]) != 32)
        return false;
    for (uint32_t i = 1; i < 3; i++)
        if (is_common(n, p, &of->operands[i]) && is_below(n, p, &of->operands[3 - i])) {
            p->mask = &of->operands[i];
            return true;
        }
    return false;
}

/* A sum of 32 bits. */
static bool is_count(struct ptx_native *n, struct packed *p, const struct ptx_operand *o, int depth)
{
    if (counts_below(n, p, o))
        return true;
    const struct ptx_instruction *in = set_by(n, p, o);
    if (!in || depth == MOST_DEPTH || in->opcode != PTX_OPCODE_add || (in->flags & PTX_CC) ||
        ptx_native_bits((enum ptx_type)in->types[0]) != 32)
        return false;
    for (uint32_t i = 1; i < 3; i++)
        if (p->narrow_count < MOST_ADDENDS && is_common(n, p, &in->operands[i])) {
            p->narrow[p->narrow_count++] = &in->operands[i];
            return is_count(n, p, &in->operands[3 - i], depth + 1);
        }
    return false;
}

/* Words from there on. */
static bool is_index(struct ptx_native *n, struct packed *p, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    p->is_signed = ptx_type_is_signed(type);
    return (in->opcode == PTX_OPCODE_mul || in->opcode == PTX_OPCODE_mad) &&
           (in->flags & PTX_WIDE) && ptx_native_bits(type) == 32 &&
           is_integer(&in->operands[2], 4) && is_count(n, p, &in->operands[1], 0);
}

static bool is_place(struct ptx_native *n, struct packed *p, const struct ptx_operand *o)
{
    const struct ptx_instruction *in = set_by(n, p, o);
    if (in && in->opcode == PTX_OPCODE_mad && is_common(n, p, &in->operands[3])) {
        p->wide[p->wide_count++] = &in->operands[3];
        return is_index(n, p, in);
    }
    if (!in || in->opcode != PTX_OPCODE_add || (in->flags & PTX_CC) ||
        ptx_native_bits((enum ptx_type)in->types[0]) != 64)
        return false;
    for (uint32_t i = 1; i < 3; i++) {
        const struct ptx_instruction *index = set_by(n, p, &in->operands[3 - i]);
        if (is_common(n, p, &in->operands[i]) && index && index->opcode == PTX_OPCODE_mul) {
            p->wide[p->wide_count++] = &in->operands[i];
            return is_index(n, p, index);
        }
    }
    return false;
}

/* ---- The store ---- */

static const char *sum_of(struct ptx_native *n, const struct ptx_operand *const addends[],
                          size_t count, enum ptx_type type)
{
    const char *sum = "0";
    n->is_vector = false;
    for (size_t i = 0; i < count; i++)
        sum = ptx_native_emit(n, "add i%u %s, %s", ptx_native_bits(type), sum,
                              ptx_native_read(n, addends[i], type).text);
    return sum;
}

/* Half of the lanes: from a pointer on, so many. */
static const char *half_text(struct ptx_native *n, char half, const char *at)
{
    return ptx_format(n->e,
                      "  %%k%c = bitcast i16 %%m%c to <16 x i1>\n"
                      "  %%c%c = call <16 x i32> @llvm.x86.avx512.mask.compress.v16i32(<16 x i32> "
                      "%%x%c, <16 x i32> zeroinitializer, <16 x i1> %%k%c)\n"
                      "  %%w%c = zext i16 %%m%c to i32\n"
                      "  %%n%c = call i32 @llvm.ctpop.i32(i32 %%w%c)\n"
                      "  %%a%c = shl i32 1, %%n%c\n  %%b%c = sub i32 %%a%c, 1\n"
                      "  %%d%c = trunc i32 %%b%c to i16\n  %%s%c = bitcast i16 %%d%c to <16 x i1>\n"
                      "  call void @llvm.masked.store.v16i32.p0(<16 x i32> %%c%c, ptr %s, i32 4, "
                      "<16 x i1> %%s%c)\n",
                      half, half, half, half, half, half, half, half, half, half, half, half, half,
                      half, half, half, half, half, at, half);
}

static void define_store(struct ptx_native *n)
{
    ptx_native_declare(n, "declare i32 @llvm.ctpop.i32(i32)");
    ptx_native_declare(
        n, "declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, i32, <16 x i1>)");
    ptx_native_declare(n, "declare <16 x i32> @llvm.x86.avx512.mask.compress.v16i32("
                          "<16 x i32>, <16 x i32>, <16 x i1>)");
    ptx_native_declare(
        n,
        "define internal void @clem_store_packed(i64 %%a, <32 x i32> %%x, i32 %%m) alwaysinline "
        "nounwind {\n"
        "  %%xl = shufflevector <32 x i32> %%x, <32 x i32> undef, <16 x i32> %s\n"
        "  %%xh = shufflevector <32 x i32> %%x, <32 x i32> undef, <16 x i32> %s\n"
        "  %%ml = trunc i32 %%m to i16\n  %%m1 = lshr i32 %%m, 16\n  %%mh = trunc i32 %%m1 to i16\n"
        "  %%p = inttoptr i64 %%a to ptr\n%s"
        "  %%q = getelementptr i32, ptr %%p, i32 %%nl\n%s  ret void\n}",
        ptx_native_numbers(n, 32, 16, 1, 1, 0), ptx_native_numbers_from(n, 16),
        half_text(n, 'l', "%p"), half_text(n, 'h', "%q"));
}

/* Whether the lanes that store are the mask's, and no sum wraps around among them. */
static const char *condition(struct ptx_native *n, const struct packed *p, const char *first,
                             const char *lanes)
{
    n->is_vector = false;
    const char *mask = ptx_native_read(n, p->mask, PTX_U32).text;
    const char *are = ptx_native_emit(n, "icmp eq i32 %s, %s", mask, lanes);
    const char *is_straight =
        p->is_signed
            ? ptx_native_emit(n, "icmp sle i32 %s, %d", first, INT32_MAX - PTX_NATIVE_LANES)
            : ptx_native_emit(n, "icmp ule i32 %s, -%d", first, PTX_NATIVE_LANES);
    return ptx_native_emit(n, "and i1 %s, %s", are, is_straight);
}

const char *ptx_native_store_packed(struct ptx_native *n, const struct ptx_instruction *in,
                                    struct ptx_native_transfer *t)
{
    const struct ptx_operand *address = &in->operands[0];
    struct packed p = {.store = in};
    const struct ptx_operand place = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    if (!n->e->target->has_byte_masks || n->llvm_major < 15 || t->width != 1 || t->bits != 32 ||
        t->is_volatile || t->checked || in->space != PTX_SPACE_GLOBAL || address->index < 0 ||
        !ptx_native_varies(n, &place) || !is_place(n, &p, &place))
        return NULL;
    const char *packed = ptx_native_name(n, "packed"), *apart = ptx_native_name(n, "apart"),
               *end = ptx_native_name(n, "stored");
    const struct ptx_native_value x = ptx_native_vector(n, t->values[0]);
    const char *first = sum_of(n, p.narrow, p.narrow_count, PTX_U32);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", condition(n, &p, first, t->lanes), packed,
                  apart);
    ptx_native_label(n, packed);
    define_store(n);
    const char *wide = ptx_native_emit(n, "%s i32 %s to i64", p.is_signed ? "sext" : "zext", first);
    const char *behind = ptx_native_emit(n, "shl i64 %s, 2", wide);
    const char *from = ptx_native_emit(n, "add i64 %s, %lld", behind, (long long)address->bits);
    const char *at =
        ptx_native_emit(n, "add i64 %s, %s", from, sum_of(n, p.wide, p.wide_count, PTX_U64));
    ptx_native_do(n, "call void @clem_store_packed(i64 %s, <32 x i32> %s, i32 %s)", at, x.text,
                  t->lanes);
    ptx_native_jump(n, end);
    ptx_native_label(n, apart);
    t->at.is_strided = true;
    return end;
}
