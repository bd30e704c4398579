/* Elements of an array whose numbers are any, as memory brought them. Of loads the processor gathers them by their numbers. One that
 * cannot, and stores, have numbers of 32 bits go to its units for addresses from memory, and not as addresses of 64 bits out of vectors,
 * which takes most of the time otherwise.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

#include <string.h>

enum { HALF = PTX_NATIVE_LANES / 2 };

/* ---- Which places ---- */

static bool is_plain_register(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REGISTER && !o->part && !o->is_negated;
}

/* The instruction of the node before `end` that sets a register which no other sets; NULL: there is none. */
static const struct ptx_instruction *set_in_node(const struct ptx_native_flow *f,
                                                 const struct ptx_operand *o,
                                                 const struct ptx_instruction *end)
{
    if (!is_plain_register(o) || f->definitions[o->index] != 1)
        return NULL;
    const struct ptx_instruction *in = f->set_by[o->index];
    const struct ptx_instruction *first =
        &f->function->instructions[f->graph->nodes[f->node].first];
    return in >= first && in < end && in->guard < 0 ? in : NULL;
}

static bool is_written(const struct ptx_instruction *from, const struct ptx_instruction *to,
                       const struct ptx_operand *o)
{
    bool is = false;
    for (const struct ptx_instruction *in = from + 1; in < to; in++)
        is |= ptx_flow_writes_register(in, (uint32_t)o->index);
    return is;
}

/* A number of 32 bits times another that is known: as 64 bits, or as the `bits` of what it is added to. */
static bool is_product(const struct ptx_instruction *in, unsigned bits)
{
    if (!in || in->operand_count != 3 || !is_plain_register(&in->operands[1]) ||
        in->operands[2].kind != PTX_OPERAND_INTEGER ||
        ptx_native_bits((enum ptx_type)in->types[0]) != 32)
        return false;
    if (bits == 32)
        return (in->opcode == PTX_OPCODE_shl && in->operands[2].bits < 16) ||
               (in->opcode == PTX_OPCODE_mul && in->flags == PTX_LO);
    return in->opcode == PTX_OPCODE_mul && (in->flags & PTX_WIDE);
}

static int64_t scale_of(const struct ptx_instruction *product)
{
    const int64_t by = product->operands[2].bits;
    return product->opcode == PTX_OPCODE_shl ? INT64_C(1) << by : by;
}

/* Products of 32 bits must not wrap around. */
static bool is_small(unsigned number_bits, int64_t scale)
{
    return number_bits <= 16 && scale > 0 && scale <= INT16_MAX;
}

static bool is_one_for_all(const struct ptx_native *n, const struct ptx_operand *o, unsigned bits)
{
    return is_plain_register(o) && ptx_native_is_uniform(n, (uint32_t)o->index) &&
           ptx_native_bits((enum ptx_type)n->flow->function->registers[o->index].type) == bits;
}

/* Offsets in shared memory are some way from 0, in both directions. */
static const char *origin_text(struct ptx_native *n, const struct ptx_operand *origin,
                               unsigned bits, int64_t away)
{
    const struct ptx_native_value value =
        ptx_native_resize(n, ptx_native_read(n, origin, bits == 64 ? PTX_B64 : PTX_B32), 64, true);
    return ptx_native_emit(n, "add i64 %s, %lld", value.text, (long long)away);
}

/* The sum that an address of a register is made by, but for numbers that are known, which `away` gets. */
static const struct ptx_instruction *sum_of(const struct ptx_native_flow *f,
                                            struct ptx_operand name,
                                            const struct ptx_instruction *end, int64_t *away)
{
    for (;;) {
        const struct ptx_instruction *sum = set_in_node(f, &name, end);
        if (!sum || sum->opcode != PTX_OPCODE_add || sum->operand_count != 3)
            return NULL;
        if (sum->operands[2].kind != PTX_OPERAND_INTEGER)
            return sum;
        *away += ptx_native_bits((enum ptx_type)sum->types[0]) == 32
                     ? (int32_t)sum->operands[2].bits
                     : sum->operands[2].bits;
        name = sum->operands[1];
        end = sum;
    }
}

void ptx_native_find_numbers(struct ptx_native *n, const struct ptx_operand *address,
                             struct ptx_native_place *at)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *here = n->e->instruction;
    const struct ptx_operand name = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    int64_t away = address->bits;
    const struct ptx_instruction *sum = address->variable ? NULL : sum_of(f, name, here, &away);
    if (!sum)
        return;
    const unsigned bits = ptx_native_bits((enum ptx_type)sum->types[0]);
    for (uint32_t i = 1; i < 3; i++) {
        const struct ptx_operand *origin = &sum->operands[i];
        const struct ptx_instruction *product = set_in_node(f, &sum->operands[3 - i], sum);
        if (!is_one_for_all(n, origin, bits) || !is_product(product, bits) ||
            ptx_native_is_uniform(n, (uint32_t)product->operands[1].index) ||
            is_written(product, here, &product->operands[1]) || is_written(sum, here, origin))
            continue;
        at->scale = scale_of(product);
        at->number_bits = ptx_native_number_bits(n, &product->operands[1]);
        if (bits == 32 && !is_small(at->number_bits, at->scale))
            return;
        const bool is_vector = n->is_vector;
        n->is_vector = false;
        at->origin = origin_text(n, origin, bits, away);
        n->is_vector = true;
        at->numbers = ptx_native_read(n, &product->operands[1], PTX_B32).text;
        n->is_vector = is_vector;
        at->is_signed = ptx_type_is_signed((enum ptx_type)product->types[0]);
        at->is_numbered = true;
        return;
    }
}

/* ---- The text ---- */

static const char *suffix_of(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    return ptx_format(n->e, "%c%lld_%u", t->at.is_signed ? 's' : 'u', (long long)t->at.scale,
                      t->bits);
}

/* Numbers are stored, and each is loaded by itself: an address that is a number keeps LLVM from seeing through that. */
static const char *lane_text(struct ptx_native *n, const struct ptx_native_transfer *t,
                             unsigned lane)
{
    const char *i = ptx_native_integer(t->bits), *pi = ptx_native_pointer_type(n, i),
               *pw = ptx_native_pointer_type(n, "i32");
    return ptx_format(n->e,
                      "  %%n%u = add i64 %%N, %u\n  %%q%u = inttoptr i64 %%n%u to %s\n"
                      "  %%j%u = load i32, %s %%q%u\n  %%w%u = %s i32 %%j%u to i64\n"
                      "  %%o%u = mul i64 %%w%u, %lld\n  %%a%u = add i64 %%origin, %%o%u\n"
                      "  %%p%u = inttoptr i64 %%a%u to %s\n  %%x%u = load %s, %s %%p%u\n"
                      "  %%r%u = insertelement <16 x %s> %s, %s %%x%u, i32 %u\n",
                      lane, 4 * lane, lane, lane, pw, lane, pw, lane, lane,
                      t->at.is_signed ? "sext" : "zext", lane, lane, lane, (long long)t->at.scale,
                      lane, lane, lane, lane, pi, lane, i, pi, lane, lane, i,
                      lane == 0 ? "undef" : ptx_format(n->e, "%%r%u", lane - 1), i, lane, lane);
}

static void define_half(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *i = ptx_native_integer(t->bits), *text = "",
               *p = ptx_native_pointer_type(n, "<16 x i32>");
    for (unsigned lane = 0; lane < HALF; lane++)
        text = ptx_format(n->e, "%s%s", text, lane_text(n, t, lane));
    ptx_native_declare(
        n,
        "define internal <16 x %s> @clem_pick_half_%s(i64 %%origin, <16 x i32> %%i) alwaysinline "
        "nounwind {\n"
        "  %%I = alloca <16 x i32>, align 64\n  store <16 x i32> %%i, %s %%I, align 64\n"
        "  %%N = ptrtoint %s %%I to i64\n%s  ret <16 x %s> %%r15\n}",
        i, suffix_of(n, t), p, p, text, i);
}

static const char *halves(struct ptx_native *n, const char *type, const char *whole, unsigned half)
{
    return ptx_native_emit(
        n, "shufflevector <32 x %s> %s, <32 x %s> undef, <16 x i32> %s", type, whole, type,
        half == 0 ? ptx_native_numbers(n, 32, HALF, 1, 1, 0) : ptx_native_numbers_from(n, HALF));
}

/* Lanes that are not there read where the first one does; of a half that nobody is of, nothing is read. */
static void define_some(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *i = ptx_native_integer(t->bits), *suffix = suffix_of(n, t);
    ptx_native_declare(n, "declare i16 @llvm.cttz.i16(i16, i1)");
    ptx_native_declare(
        n,
        "define internal <16 x %s> @clem_pick_some_%s(i64 %%origin, <16 x i32> %%i, i16 %%m) "
        "noinline nounwind {\n"
        "  %%there = icmp ne i16 %%m, 0\n  br i1 %%there, label %%some, label %%none\n"
        "none:\n  ret <16 x %s> zeroinitializer\n"
        "some:\n  %%k = bitcast i16 %%m to <16 x i1>\n"
        "  %%f = call i16 @llvm.cttz.i16(i16 %%m, i1 true)\n  %%f1 = and i16 %%f, 15\n"
        "  %%f2 = zext i16 %%f1 to i64\n  %%e = extractelement <16 x i32> %%i, i64 %%f2\n"
        "  %%e1 = insertelement <16 x i32> undef, i32 %%e, i32 0\n"
        "  %%e2 = shufflevector <16 x i32> %%e1, <16 x i32> undef, <16 x i32> zeroinitializer\n"
        "  %%safe = select <16 x i1> %%k, <16 x i32> %%i, <16 x i32> %%e2\n"
        "  %%r = call <16 x %s> @clem_pick_half_%s(i64 %%origin, <16 x i32> %%safe)\n"
        "  ret <16 x %s> %%r\n}",
        i, suffix, i, i, suffix, i);
}

static const char *pick(struct ptx_native *n, const struct ptx_native_transfer *t,
                        const char *origin, unsigned half)
{
    const char *i = ptx_native_integer(t->bits), *numbers = halves(n, "i32", t->at.numbers, half);
    if (strcmp(t->lanes, "-1") == 0)
        return ptx_native_emit(n, "call <16 x %s> @clem_pick_half_%s(i64 %s, <16 x i32> %s)", i,
                               suffix_of(n, t), origin, numbers);
    const char *high = ptx_native_emit(n, "lshr i32 %s, %u", t->lanes, half * HALF);
    return ptx_native_emit(n, "call <16 x %s> @clem_pick_some_%s(i64 %s, <16 x i32> %s, i16 %s)", i,
                           suffix_of(n, t), origin, numbers,
                           ptx_native_emit(n, "trunc i32 %s to i16", high));
}

/* ---- By the processor's gathering ---- */

/* Half a warp's lanes at an origin and numbers of 32 bits, which LLVM takes for the operands that the instruction has. */
static const char *gather_half(struct ptx_native *n, const struct ptx_native_transfer *t,
                               const char *origin, unsigned half, const char *mask)
{
    const char *i = ptx_native_integer(t->bits), *row = ptx_format(n->e, "<16 x %s>", i);
    const bool is_element = t->at.scale == t->bits / 8;
    const char *step = is_element ? i : ptx_format(n->e, "[%lld x i8]", (long long)t->at.scale);
    const char *p = ptx_native_pointer_type(n, i), *ps = ptx_native_pointer_type(n, step);
    const char *numbers =
        ptx_native_emit(n, "%s <16 x i32> %s to <16 x i64>", t->at.is_signed ? "sext" : "zext",
                        halves(n, "i32", t->at.numbers, half));
    const char *at = ptx_native_emit(n, "getelementptr %s, %s %s, <16 x i64> %s", step, ps,
                                     ptx_native_pointer(n, step, origin), numbers);
    if (n->llvm_major < 15 && !is_element)
        at = ptx_native_emit(n, "bitcast <16 x %s> %s to <16 x %s>", ps, at, p);
    const char *name = n->llvm_major < 15 ? ptx_format(n->e, "v16%s.v16p0%s", i, i)
                                          : ptx_format(n->e, "v16%s.v16p0", i);
    ptx_native_declare(n, "declare %s @llvm.masked.gather.%s(<16 x %s>, i32, <16 x i1>, %s)", row,
                       name, p, row);
    return ptx_native_emit(n,
                           "call %s @llvm.masked.gather.%s(<16 x %s> %s, i32 %u, <16 x i1> %s, %s "
                           "zeroinitializer)",
                           row, name, p, at, t->bits / 8, mask, row);
}

/* The same of a half that nobody may be of, for which the processor would take as long. */
static const char *gather_some(struct ptx_native *n, const struct ptx_native_transfer *t,
                               const char *origin, unsigned half)
{
    const char *some = ptx_native_name(n, "gather"), *end = ptx_native_name(n, "gather");
    const char *lanes = ptx_native_emit(n, "lshr i32 %s, %u", t->lanes, half * HALF);
    const char *word = ptx_native_emit(n, "trunc i32 %s to i16", lanes);
    const char *is_any = ptx_native_emit(n, "icmp ne i16 %s, 0", word), *before = n->flow->block;
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_any, some, end);
    ptx_native_label(n, some);
    const char *row =
        gather_half(n, t, origin, half, ptx_native_emit(n, "bitcast i16 %s to <16 x i1>", word));
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    return ptx_native_emit(n, "phi <16 x %s> [%s, %%%s], [zeroinitializer, %%%s]",
                           ptx_native_integer(t->bits), row, some, before);
}

static const char *gather(struct ptx_native *n, const struct ptx_native_transfer *t,
                          const char *origin, unsigned half)
{
    return strcmp(t->lanes, "-1") == 0
               ? gather_half(n, t, origin, half, ptx_native_emit(n, "bitcast i16 -1 to <16 x i1>"))
               : gather_some(n, t, origin, half);
}

static bool has_gathering(const struct ptx_native *n, const struct ptx_native_transfer *t)
{
    enum { MOST_BYTES = 1 << 16 };
    return n->e->target->has_wide_vectors && (t->bits == 32 || t->bits == 64) && t->at.scale > 0 &&
           t->at.scale <= MOST_BYTES;
}

void ptx_native_gather_numbered(struct ptx_native *n, const struct ptx_native_transfer *t,
                                struct ptx_native_value *to)
{
    const bool gathers = has_gathering(n, t);
    if (gathers) /* loads before it begin before it, which is long, and the processor sees no more of what is behind */
        ptx_native_do(n, "fence syncscope(\"singlethread\") acq_rel");
    else
        define_half(n, t);
    if (!gathers && strcmp(t->lanes, "-1") != 0)
        define_some(n, t);
    for (unsigned k = 0; k < t->width; k++) {
        const char *origin = ptx_native_emit(n, "add i64 %s, %u", t->at.origin, k * t->bits / 8);
        const char *rows[2];
        for (unsigned half = 0; half < 2; half++)
            rows[half] = gathers ? gather(n, t, origin, half) : pick(n, t, origin, half);
        to[k] = (struct ptx_native_value){ptx_native_joined(n, t->bits, HALF, rows[0], rows[1]),
                                          (uint8_t)t->bits, true};
    }
}

/* ---- Stores ---- */

void ptx_native_number_offsets(struct ptx_native_place *at)
{
    if (!at->base || at->is_line || at->is_numbered || !at->offset.is_vector ||
        at->offset.bits != 32)
        return;
    at->origin = at->base;
    at->numbers = at->offset.text;
    at->number_bits = 32;
    at->scale = 1;
    at->is_numbered = at->is_signed = true; /* none is as much as 2^31 */
}

static const char *put_text(struct ptx_native *n, const struct ptx_native_transfer *t, int lane)
{
    const char *i = ptx_native_integer(t->bits), *pi = ptx_native_pointer_type(n, i),
               *pw = ptx_native_pointer_type(n, "i32");
    return ptx_format(
        n->e,
        "  %%n%d = add i64 %%N, %d\n  %%q%d = inttoptr i64 %%n%d to %s\n"
        "  %%j%d = load i32, %s %%q%d\n  %%w%d = %s i32 %%j%d to i64\n"
        "  %%o%d = mul i64 %%w%d, %lld\n  %%a%d = add i64 %%origin, %%o%d\n"
        "  %%p%d = inttoptr i64 %%a%d to %s\n"
        "  %%x%d = extractelement <32 x %s> %%x, i32 %d\n  store %s %%x%d, %s %%p%d\n",
        lane, 4 * lane, lane, lane, pw, lane, pw, lane, lane, t->at.is_signed ? "sext" : "zext",
        lane, lane, lane, (long long)t->at.scale, lane, lane, lane, lane, pi, lane, i, lane, i,
        lane, pi, lane);
}

/* The lowest lane last, so that its value stays; those that are not there store what that does. */
static const char *define_put(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *i = ptx_native_integer(t->bits), *v = ptx_format(n->e, "<32 x %s>", i),
               *p = ptx_native_pointer_type(n, "<32 x i32>"), *text = "";
    const char *name = ptx_format(n->e, "clem_put_%s", suffix_of(n, t));
    if (ptx_native_has_declared(n, ptx_format(n->e, "define internal void @%s(", name)))
        return name;
    for (int lane = PTX_NATIVE_LANES - 1; lane >= 0; lane--)
        text = ptx_format(n->e, "%s%s", text, put_text(n, t, lane));
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    ptx_native_declare(
        n,
        "define internal void @%s(i64 %%origin, <32 x i32> %%i, %s %%y, i32 %%m) noinline nounwind "
        "{\n"
        "  %%I = alloca <32 x i32>, align 64\n  %%N = ptrtoint %s %%I to i64\n"
        "  %%all = icmp eq i32 %%m, -1\n  br i1 %%all, label %%put, label %%some\n"
        "some:\n  %%none = icmp eq i32 %%m, 0\n  br i1 %%none, label %%end, label %%safe\n"
        "safe:\n  %%k = bitcast i32 %%m to <32 x i1>\n"
        "  %%f = call i32 @llvm.cttz.i32(i32 %%m, i1 true)\n  %%f1 = and i32 %%f, 31\n"
        "  %%e = extractelement <32 x i32> %%i, i32 %%f1\n"
        "  %%e1 = insertelement <32 x i32> undef, i32 %%e, i32 0\n"
        "  %%e2 = shufflevector <32 x i32> %%e1, <32 x i32> undef, <32 x i32> zeroinitializer\n"
        "  %%i.safe = select <32 x i1> %%k, <32 x i32> %%i, <32 x i32> %%e2\n"
        "  %%z = extractelement %s %%y, i32 %%f1\n"
        "  %%z1 = insertelement %s undef, %s %%z, i32 0\n"
        "  %%z2 = shufflevector %s %%z1, %s undef, <32 x i32> zeroinitializer\n"
        "  %%y.safe = select <32 x i1> %%k, %s %%y, %s %%z2\n  br label %%put\n"
        "put:\n  %%at = phi <32 x i32> [%%i, %%0], [%%i.safe, %%safe]\n"
        "  %%x = phi %s [%%y, %%0], [%%y.safe, %%safe]\n"
        "  store <32 x i32> %%at, %s %%I, align 64\n%s  ret void\nend:\n  ret void\n}",
        name, v, p, v, v, i, v, v, v, v, v, p, text);
    return name;
}

void ptx_native_scatter_numbered(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *name = define_put(n, t), *v = ptx_format(n->e, "<32 x i%u>", t->bits);
    ptx_native_do(n, "call void @%s(i64 %s, <32 x i32> %s, %s %s, i32 %s)", name, t->at.origin,
                  t->at.numbers, v, ptx_native_vector(n, t->values[0]).text, t->lanes);
}
