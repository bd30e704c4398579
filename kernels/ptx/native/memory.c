/* Loads, stores, copies and fences in the native form.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/native/native_flow.h"
#include "kernels/ptx/native/runtime.h"

/* Where lanes access memory: at base + offset each, or at the offset, which is an address then. */
struct place {
    const char *base; /* i64, or NULL */
    struct ptx_native_value offset;
    bool is_strided; /* known not to be neighbours */
    bool is_line;    /* the offset is that of the term, and has no text */
    struct ptx_native_term term;
};

struct transfer {
    struct place at;
    const char *lanes; /* that do it */
    bool may_be_none;  /* of them */
    unsigned bits, width;
    bool is_volatile, is_constant;
    struct ptx_native_value *values; /* width of them: what is stored, or was loaded */
};

/* ---- Addresses ---- */

/* "<i32 0,i32 4,...>": count numbers, of which number i is i / many * major + i % many * minor. */
static const char *numbers(struct ptx_native *n, unsigned bits, unsigned count, size_t many,
                           size_t major, size_t minor)
{
    char words[4096];
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%si%u %zu", i ? "," : "<",
                                 bits, i / many * major + i % many * minor);
    return ptx_format(n->e, "%s>", words);
}

static struct ptx_native_value add(struct ptx_native *n, struct ptx_native_value a,
                                   struct ptx_native_value b)
{
    if (a.is_vector || b.is_vector) {
        a = ptx_native_vector(n, a);
        b = ptx_native_vector(n, b);
    }
    if (!a.is_vector && strcmp(b.text, "0") == 0)
        return a;
    a.text = ptx_native_emit(n, "add %s %s, %s", ptx_native_value_type(n, a), a.text, b.text);
    return a;
}

static struct ptx_native_value number(struct ptx_native *n, unsigned bits, int64_t value)
{
    return ptx_native_number(n, bits, ptx_format(n->e, "%lld", (long long)value));
}

/* An ADDRESS as its own space counts. */
static struct ptx_native_value offset_of(struct ptx_native *n, const struct ptx_operand *address,
                                         unsigned bits)
{
    if (address->variable)
        return ptx_native_resize(n, ptx_native_variable(n, address->variable, address->bits), bits,
                                 false);
    if (address->index < 0)
        return number(n, bits, address->bits);
    const struct ptx_operand name = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    const bool is_vector = n->is_vector;
    n->is_vector = ptx_native_varies(n, &name);
    const struct ptx_native_value value = ptx_native_read(n, &name, bits == 64 ? PTX_B64 : PTX_B32);
    n->is_vector = is_vector;
    return address->bits == 0
               ? value
               : add(n, value,
                     number(n, bits, bits == 64 ? address->bits : (int32_t)address->bits));
}

static struct ptx_native_value local_address(struct ptx_native *n, struct ptx_native_value offset)
{
    struct ptx_emitter *e = n->e;
    const struct ptx_native_value lanes = {
        numbers(n, 64, PTX_NATIVE_LANES, 1, n->flow->local_bytes, 0), 64, true};
    ptx_need(e, PTX_NEED_LOCAL);
    const char *base = ptx_native_of_block(n, offsetof(struct ptx_native_block, local), "i64");
    offset = ptx_native_resize(n, offset, 64, false);
    return add(n, add(n, offset, ptx_native_number(n, 64, base)), lanes);
}

static uint8_t space_of(const struct ptx_operand *address, uint8_t space)
{
    return space == PTX_SPACE_GENERIC && address->variable ? address->variable->space : space;
}

/* Whether an address lies on a line; then it is that. */
static bool take_line(struct ptx_native *n, const struct ptx_operand *address, unsigned bits,
                      struct place *at)
{
    if (address->index < 0 || address->variable || !ptx_native_is_line(n, (uint32_t)address->index))
        return false;
    const struct ptx_operand name = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    const struct ptx_native_term term = ptx_native_term_of(n, &name, bits);
    if (term.line.kind <= PTX_LINE_NONE)
        return false;
    at->term = ptx_native_term_plus(n, term, address->bits, bits);
    at->is_line = true;
    at->offset = (struct ptx_native_value){NULL, (uint8_t)bits, true};
    return true;
}

static struct place place_of(struct ptx_native *n, const struct ptx_operand *address, uint8_t space)
{
    struct place at = {.is_strided = address->index >= 0 && n->flow->is_spread[address->index]};
    space = space_of(address, space);
    if (space == PTX_SPACE_SHARED) {
        ptx_need(n->e, PTX_NEED_SHARED | PTX_NEED_SHARED_BYTES);
        at.base = ptx_native_of_block(n, offsetof(struct ptx_native_block, shared), "i64");
    }
    if (space != PTX_SPACE_LOCAL && take_line(n, address, space == PTX_SPACE_SHARED ? 32 : 64, &at))
        return at;
    if (space == PTX_SPACE_SHARED) {
        at.offset = offset_of(n, address, 32);
    } else if (space == PTX_SPACE_LOCAL) {
        const struct ptx_native_value offset = offset_of(n, address, 32);
        at.is_strided |= !offset.is_vector;
        at.offset = local_address(n, offset);
    } else {
        at.offset = offset_of(n, address, 64);
    }
    return at;
}

static struct ptx_native_value full_address(struct ptx_native *n, struct place at)
{
    if (at.is_line)
        at.offset = ptx_native_of_term(n, at.term, at.offset.bits);
    if (!at.base)
        return at.offset;
    return add(n, ptx_native_resize(n, at.offset, 64, false), ptx_native_number(n, 64, at.base));
}

struct ptx_native_value ptx_native_address(struct ptx_native *n, const struct ptx_operand *address,
                                           uint8_t space)
{
    return full_address(n, place_of(n, address, space));
}

/* "<i32 16,...,i32 31>" */
static const char *numbers_from(struct ptx_native *n, unsigned first)
{
    char words[512];
    size_t used = 0;
    for (unsigned i = 0; i < 16; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%si32 %u", i ? "," : "<",
                                 first + i);
    return ptx_format(n->e, "%s>", words);
}

/* ---- One lane after the other, or by the processor's gathering ---- */

static bool has_gathering(const struct transfer *t)
{
    return !t->is_volatile && t->bits <= 64;
}

/* Whether nobody looks whether lanes are neighbours. */
static bool is_spread(const struct transfer *t)
{
    return t->at.is_strided || t->at.is_line;
}

static const char *suffix_of(struct ptx_native *n, const struct transfer *t)
{
    return ptx_format(n->e, "%s%u",
                      t->is_volatile ? "volatile_"
                      : is_spread(t) ? "spread_"
                                     : "",
                      t->bits);
}

/* A vector that other threads may write or read meanwhile is one access of the processor, as it is of a GPU: flags that lie
 * beside what they are about come with it. Other vectors are accessed element after element. */
static bool is_whole(const struct transfer *t)
{
    return t->is_volatile && (t->width > 1 || t->bits > 64);
}

/* The vector as words of the processor. */
static const char *piece_type(struct ptx_native *n, const struct transfer *t)
{
    const unsigned bits = t->bits * t->width;
    return bits > 64 ? ptx_format(n->e, "<%u x i64>", bits / 64) : ptx_native_integer(bits);
}

/* No more than words have: an address that is not that of a whole vector must not end the process. */
static unsigned piece_alignment(const struct transfer *t)
{
    const unsigned bytes = t->bits * t->width / 8;
    return bytes > 8 ? 8 : bytes;
}

/* What half a warp's lanes are: %f is the first that is there, %near whether all are beside each other, and %same whether all
 * are at its place. Neighbours are done at once, as those of rows of 16 threads are. */
static const char *half_text(struct ptx_native *n, unsigned bits)
{
    return ptx_format(n->e,
                      "  %%k = bitcast i16 %%m to <16 x i1>\n"
                      "  %%f = call i16 @llvm.cttz.i16(i16 %%m, i1 false)\n"
                      "  %%f1 = and i16 %%f, 15\n  %%f2 = zext i16 %%f1 to i64\n"
                      "  %%a0 = extractelement <16 x i64> %%a, i64 %%f2\n"
                      "  %%i0 = insertelement <16 x i64> undef, i64 %%a0, i32 0\n"
                      "  %%s0 = shufflevector <16 x i64> %%i0, <16 x i64> undef, <16 x i32> "
                      "zeroinitializer\n"
                      "  %%e0 = icmp ne <16 x i64> %%a, %%s0\n"
                      "  %%e1 = bitcast <16 x i1> %%e0 to i16\n  %%e2 = and i16 %%e1, %%m\n"
                      "  %%same = icmp eq i16 %%e2, 0\n"
                      "  br i1 %%same, label %%one, label %%look\n"
                      "look:\n  %%b0 = mul i64 %%f2, %u\n  %%b = sub i64 %%a0, %%b0\n"
                      "  %%i1 = insertelement <16 x i64> undef, i64 %%b, i32 0\n"
                      "  %%s1 = shufflevector <16 x i64> %%i1, <16 x i64> undef, <16 x i32> "
                      "zeroinitializer\n"
                      "  %%o = sub <16 x i64> %%a, %%s1\n"
                      "  %%n0 = icmp ne <16 x i64> %%o, %s\n"
                      "  %%n1 = bitcast <16 x i1> %%n0 to i16\n  %%n2 = and i16 %%n1, %%m\n"
                      "  %%near = icmp eq i16 %%n2, 0\n"
                      "  br i1 %%near, label %%row, label %%far\n",
                      bits / 8, numbers(n, 64, 16, 1, bits / 8, 0));
}

/* All of half a warp's lanes: those that are not there read where the first one does. */
static const char *pick_text(struct ptx_native *n, unsigned bits)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer_type(n, i);
    const char *text = "  %safe = select <16 x i1> %k, <16 x i64> %a, <16 x i64> %s0\n";
    for (int l = 0; l < 16; l++)
        text = ptx_format(e,
                          "%s  %%pa%d = extractelement <16 x i64> %%safe, i32 %d\n"
                          "  %%pq%d = inttoptr i64 %%pa%d to %s\n  %%px%d = load %s, %s %%pq%d\n"
                          "  %%pr%d = insertelement <16 x %s> %s, %s %%px%d, i32 %d\n",
                          text, l, l, l, l, p, l, i, p, l, l, i,
                          l ? ptx_format(e, "%%pr%d", l - 1) : "undef", i, l, l);
    return ptx_format(e, "%s  ret <16 x %s> %%pr15\n", text, i);
}

/* The first lane that is there, and its address in all. */
static const char first_text[] =
    "  %k = bitcast i16 %m to <16 x i1>\n"
    "  %f = call i16 @llvm.cttz.i16(i16 %m, i1 false)\n"
    "  %f1 = and i16 %f, 15\n  %f2 = zext i16 %f1 to i64\n"
    "  %a0 = extractelement <16 x i64> %a, i64 %f2\n"
    "  %i0 = insertelement <16 x i64> undef, i64 %a0, i32 0\n"
    "  %s0 = shufflevector <16 x i64> %i0, <16 x i64> undef, <16 x i32> zeroinitializer\n";

static void define_gather_half(struct ptx_native *n, const struct transfer *t)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(t->bits), *p = ptx_native_pointer_type(n, i);
    const char *row = ptx_format(e, "<16 x %s>", i), *prow = ptx_native_pointer_type(n, row);
    const char *row_name = n->llvm_major < 15 ? ptx_format(e, "p0v16%s", i) : "p0";
    ptx_native_declare(n, "declare i16 @llvm.cttz.i16(i16, i1)");
    if (is_spread(t)) {
        ptx_native_declare(
            n,
            "define internal %s @clem_gather_half_%s(<16 x i64> %%a, i16 %%m) alwaysinline "
            "nounwind {\n"
            "  %%there = icmp ne i16 %%m, 0\n  br i1 %%there, label %%some, label %%none\n"
            "none:\n  ret %s zeroinitializer\nsome:\n%s%s}",
            row, suffix_of(n, t), row, first_text, pick_text(n, t->bits));
        return;
    }
    ptx_native_declare(n, "declare %s @llvm.masked.load.v16%s.%s(%s, i32, <16 x i1>, %s)", row, i,
                       row_name, prow, row);
    ptx_native_declare(
        n,
        "define internal %s @clem_gather_half_%s(<16 x i64> %%a, i16 %%m) alwaysinline nounwind "
        "{\n%s"
        "one:\n  %%q = inttoptr i64 %%a0 to %s\n  %%there = icmp ne i16 %%m, 0\n"
        "  br i1 %%there, label %%some, label %%none\n"
        "some:\n  %%x = load %s, %s %%q\n"
        "  %%xi = insertelement %s undef, %s %%x, i32 0\n"
        "  %%xs = shufflevector %s %%xi, %s undef, <16 x i32> zeroinitializer\n  ret %s %%xs\n"
        "none:\n  ret %s zeroinitializer\n"
        "row:\n  %%pr = inttoptr i64 %%b to %s\n"
        "  %%r = call %s @llvm.masked.load.v16%s.%s(%s %%pr, i32 %u, <16 x i1> %%k, %s "
        "zeroinitializer)\n  ret %s %%r\n"
        "far:\n%s}",
        row, suffix_of(n, t), half_text(n, t->bits), p, i, p, row, i, row, row, row, row, prow, row,
        i, row_name, prow, t->bits / 8, row, row, pick_text(n, t->bits));
}

static void define_gather(struct ptx_native *n, const struct transfer *t)
{
    const char *i = ptx_native_integer(t->bits), *row = ptx_format(n->e, "<16 x %s>", i);
    define_gather_half(n, t);
    ptx_native_declare(
        n,
        "define internal <32 x %s> @clem_gather_%s(<32 x i64> %%a, i32 %%m) noinline nounwind {\n"
        "  %%al = shufflevector <32 x i64> %%a, <32 x i64> undef, <16 x i32> %s\n"
        "  %%ah = shufflevector <32 x i64> %%a, <32 x i64> undef, <16 x i32> %s\n"
        "  %%ml = trunc i32 %%m to i16\n  %%m1 = lshr i32 %%m, 16\n"
        "  %%mh = trunc i32 %%m1 to i16\n"
        "  %%l = call %s @clem_gather_half_%s(<16 x i64> %%al, i16 %%ml)\n"
        "  %%h = call %s @clem_gather_half_%s(<16 x i64> %%ah, i16 %%mh)\n"
        "  %%r = shufflevector %s %%l, %s %%h, <32 x i32> %s\n  ret <32 x %s> %%r\n}",
        i, suffix_of(n, t), numbers(n, 32, 16, 1, 1, 0), numbers_from(n, 16), row, suffix_of(n, t),
        row, suffix_of(n, t), row, row, ptx_native_iota(32), i);
}

/* Half a warp's lanes one after the other, the lowest last, so that its value stays. Those that are not there write where nobody
 * reads. */
static const char *put_text(struct ptx_native *n, unsigned bits)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer_type(n, i);
    const char *text = ptx_format(
        e,
        "  %%waste = alloca %s\n  %%w0 = ptrtoint %s %%waste to i64\n"
        "  %%w1 = insertelement <16 x i64> undef, i64 %%w0, i32 0\n"
        "  %%w2 = shufflevector <16 x i64> %%w1, <16 x i64> undef, <16 x i32> zeroinitializer\n"
        "  %%safe = select <16 x i1> %%k, <16 x i64> %%a, <16 x i64> %%w2\n",
        i, p);
    for (int l = 15; l >= 0; l--)
        text = ptx_format(e,
                          "%s  %%pa%d = extractelement <16 x i64> %%safe, i32 %d\n"
                          "  %%pq%d = inttoptr i64 %%pa%d to %s\n"
                          "  %%px%d = extractelement <16 x %s> %%x, i32 %d\n"
                          "  store %s %%px%d, %s %%pq%d\n",
                          text, l, l, l, l, p, l, i, l, i, l, p, l);
    return ptx_format(e, "%s  ret void\n", text);
}

static void define_scatter_half(struct ptx_native *n, const struct transfer *t)
{
    const char *i = ptx_native_integer(t->bits), *p = ptx_native_pointer_type(n, i);
    const char *row = ptx_format(n->e, "<16 x %s>", i), *prow = ptx_native_pointer_type(n, row);
    const char *row_name = n->llvm_major < 15 ? ptx_format(n->e, "p0v16%s", i) : "p0";
    ptx_native_declare(n, "declare i16 @llvm.cttz.i16(i16, i1)");
    if (is_spread(t)) {
        ptx_native_declare(n,
                           "define internal void @clem_scatter_half_%s(<16 x i64> %%a, %s %%x, i16 "
                           "%%m) alwaysinline "
                           "nounwind {\n  %%k = bitcast i16 %%m to <16 x i1>\n%s}",
                           suffix_of(n, t), row, put_text(n, t->bits));
        return;
    }
    ptx_native_declare(n, "declare void @llvm.masked.store.v16%s.%s(%s, %s, i32, <16 x i1>)", i,
                       row_name, row, prow);
    ptx_native_declare(
        n,
        "define internal void @clem_scatter_half_%s(<16 x i64> %%a, %s %%x, i16 %%m) alwaysinline "
        "nounwind {\n%s"
        "one:\n  %%q = inttoptr i64 %%a0 to %s\n  %%there = icmp ne i16 %%m, 0\n"
        "  br i1 %%there, label %%some, label %%none\n"
        "some:\n  %%x0 = extractelement %s %%x, i64 %%f2\n  store %s %%x0, %s %%q\n  ret void\n"
        "none:\n  ret void\n"
        "row:\n  %%pr = inttoptr i64 %%b to %s\n"
        "  call void @llvm.masked.store.v16%s.%s(%s %%x, %s %%pr, i32 %u, <16 x i1> %%k)\n"
        "  ret void\n"
        "far:\n%s}",
        suffix_of(n, t), row, half_text(n, t->bits), p, row, i, p, prow, i, row_name, row, prow,
        t->bits / 8, put_text(n, t->bits));
}

static void define_scatter(struct ptx_native *n, const struct transfer *t)
{
    const char *i = ptx_native_integer(t->bits), *row = ptx_format(n->e, "<16 x %s>", i);
    define_scatter_half(n, t);
    ptx_native_declare(
        n,
        "define internal void @clem_scatter_%s(<32 x i64> %%a, <32 x %s> %%x, i32 %%m) noinline "
        "nounwind {\n"
        "  %%al = shufflevector <32 x i64> %%a, <32 x i64> undef, <16 x i32> %s\n"
        "  %%ah = shufflevector <32 x i64> %%a, <32 x i64> undef, <16 x i32> %s\n"
        "  %%xl = shufflevector <32 x %s> %%x, <32 x %s> undef, <16 x i32> %s\n"
        "  %%xh = shufflevector <32 x %s> %%x, <32 x %s> undef, <16 x i32> %s\n"
        "  %%ml = trunc i32 %%m to i16\n  %%m1 = lshr i32 %%m, 16\n"
        "  %%mh = trunc i32 %%m1 to i16\n"
        "  call void @clem_scatter_half_%s(<16 x i64> %%ah, %s %%xh, i16 %%mh)\n"
        "  call void @clem_scatter_half_%s(<16 x i64> %%al, %s %%xl, i16 %%ml)\n  ret void\n}",
        suffix_of(n, t), i, numbers(n, 32, 16, 1, 1, 0), numbers_from(n, 16), i, i,
        numbers(n, 32, 16, 1, 1, 0), i, i, numbers_from(n, 16), suffix_of(n, t), row,
        suffix_of(n, t), row);
}

/* A loop over lanes, of which an array each has the addresses and the values, elements of that type. */
static void define_loop(struct ptx_native *n, const struct transfer *t, bool is_store,
                        const char *suffix, const char *element, const char *all,
                        unsigned alignment)
{
    struct ptx_emitter *e = n->e;
    const char *p = ptx_native_pointer_type(n, element), *pall = ptx_native_pointer_type(n, all);
    const char *pa = ptx_native_pointer_type(n, "i64");
    const char *v = t->is_volatile ? "volatile " : "";
    const char *pva = ptx_native_pointer_type(n, "<32 x i64>");
    /* Aligned, as the ISA asks for, so that it is one access of the processor. */
    const char *act =
        is_store ? ptx_format(e, "  %%x1 = load %s, %s %%px\n  store %s%s %%x1, %s %%q, align %u\n",
                              element, p, v, element, p, alignment)
                 : ptx_format(e, "  %%x1 = load %s%s, %s %%q, align %u\n  store %s %%x1, %s %%px\n",
                              v, element, p, alignment, element, p);
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    ptx_native_declare(n, "declare i32 @llvm.ctlz.i32(i32, i1)");
    ptx_native_declare(
        n,
        "define internal %s @clem_%s_%s(<32 x i64> %%a, %si32 %%m) noinline nounwind {\n"
        "  %%A = alloca <32 x i64>\n  %%X = alloca %s\n"
        "  store <32 x i64> %%a, %s %%A\n  store %s %s, %s %%X\n"
        "  br label %%next\n"
        "next:\n  %%rest = phi i32 [%%m, %%0], [%%less, %%do]\n"
        "  %%none = icmp eq i32 %%rest, 0\n  br i1 %%none, label %%end, label %%do\n"
        "do:\n  %%c = call i32 @llvm.%s.i32(i32 %%rest, i1 true)\n"
        "  %%lane = %s i32 %s, %%c\n"
        "  %%bit = shl i32 1, %%lane\n  %%less = xor i32 %%rest, %%bit\n"
        "  %%A0 = bitcast %s %%A to %s\n  %%X0 = bitcast %s %%X to %s\n"
        "  %%pA = getelementptr i64, %s %%A0, i32 %%lane\n"
        "  %%px = getelementptr %s, %s %%X0, i32 %%lane\n"
        "  %%a1 = load i64, %s %%pA\n  %%q = inttoptr i64 %%a1 to %s\n"
        "%s  br label %%next\n"
        "end:\n%s}",
        is_store ? "void" : all, is_store ? "scatter" : "gather", suffix,
        is_store ? ptx_format(e, "%s %%x, ", all) : "", all, pva, all,
        is_store ? "%x" : "zeroinitializer", pall, is_store ? "ctlz" : "cttz",
        is_store ? "sub" : "or", is_store ? "31" : "0", pva, pa, pall, p, pa, element, p, pa, p,
        act,
        is_store ? "  ret void\n"
                 : ptx_format(e, "  %%r = load %s, %s %%X\n  ret %s %%r\n", all, pall, all));
}

static void define_element_loop(struct ptx_native *n, const struct transfer *t, bool is_store)
{
    const char *i = ptx_native_integer(t->bits);
    define_loop(n, t, is_store, suffix_of(n, t), i, ptx_format(n->e, "<32 x %s>", i), t->bits / 8);
}

static struct ptx_native_value element_address(struct ptx_native *n, struct ptx_native_value a,
                                               const struct transfer *t, unsigned k)
{
    return k == 0 ? a : add(n, a, number(n, 64, (int64_t)k * t->bits / 8));
}

static void define_any(struct ptx_native *n, const struct transfer *t, bool is_store)
{
    if (!has_gathering(t))
        define_element_loop(n, t, is_store);
    else if (is_store)
        define_scatter(n, t);
    else
        define_gather(n, t);
}

static void gather(struct ptx_native *n, const struct transfer *t, struct ptx_native_value a,
                   struct ptx_native_value *to)
{
    define_any(n, t, false);
    const char *i = ptx_native_integer(t->bits);
    for (unsigned k = 0; k < t->width; k++)
        to[k] = (struct ptx_native_value){
            ptx_native_emit(n, "call <32 x %s> @clem_gather_%s(<32 x i64> %s, i32 %s)", i,
                            suffix_of(n, t), element_address(n, a, t, k).text, t->lanes),
            (uint8_t)t->bits, true};
}

static void scatter(struct ptx_native *n, const struct transfer *t, struct ptx_native_value a)
{
    define_any(n, t, true);
    const char *i = ptx_native_integer(t->bits);
    for (unsigned k = 0; k < t->width; k++)
        ptx_native_do(n, "call void @clem_scatter_%s(<32 x i64> %s, <32 x %s> %s, i32 %s)",
                      suffix_of(n, t), element_address(n, a, t, k).text, i,
                      ptx_native_vector(n, t->values[k]).text, t->lanes);
}

/* ---- Neighbours ---- */

/* Jumps where all lanes are there and each is beside the one before it; *start is lane 0's address. */
static void branch_on_neighbours(struct ptx_native *n, const struct transfer *t, const char *fast,
                                 const char *slow, const char **start)
{
    const struct ptx_native_value offset = t->at.offset;
    const char *type = ptx_native_value_type(n, offset), *i = ptx_native_integer(offset.bits);
    const char *first = ptx_native_emit(n, "extractelement %s %s, i32 0", type, offset.text);
    const struct ptx_native_value all =
        ptx_native_vector(n, ptx_native_number(n, offset.bits, first));
    const char *differences = ptx_native_emit(n, "sub %s %s, %s", type, offset.text, all.text);
    const char *same = ptx_native_emit(
        n, "icmp eq %s %s, %s", type, differences,
        numbers(n, offset.bits, PTX_NATIVE_LANES, 1, (size_t)(t->bits / 8) * t->width, 0));
    const char *bits = ptx_native_emit(n, "bitcast <32 x i1> %s to i32", same);
    const char *both = ptx_native_emit(n, "and i32 %s, %s", bits, t->lanes);
    const char *is_fast = ptx_native_emit(n, "icmp eq i32 %s, -1", both);
    *start = first;
    if (t->at.base) {
        const char *wide = ptx_native_emit(n, "zext %s %s to i64", i, first);
        *start = ptx_native_emit(n, "add i64 %s, %s", wide, t->at.base);
    }
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_fast, fast, slow);
}

/* Of all lanes' elements in the order of memory, where those at place k of each lane are. */
static const char *picked(struct ptx_native *n, const struct transfer *t, unsigned k)
{
    char words[1024];
    size_t used = 0;
    for (unsigned i = 0; i < PTX_NATIVE_LANES; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%si32 %u", i ? "," : "<",
                                 i * t->width + k);
    return ptx_format(n->e, "%s>", words);
}

static const char *whole_type(struct ptx_native *n, const struct transfer *t)
{
    return ptx_format(n->e, "<%u x i%u>", PTX_NATIVE_LANES * t->width, t->bits);
}

static void load_neighbours(struct ptx_native *n, const struct transfer *t, const char *start,
                            struct ptx_native_value *to)
{
    const char *type = whole_type(n, t);
    const char *p = ptx_native_pointer(n, type, start);
    const char *all = ptx_native_emit(n, "load %s, %s %s, align %u", type,
                                      ptx_native_pointer_type(n, type), p, t->bits / 8);
    for (unsigned k = 0; k < t->width; k++)
        to[k] = (struct ptx_native_value){
            t->width == 1 ? all
                          : ptx_native_emit(n, "shufflevector %s %s, %s undef, <32 x i32> %s", type,
                                            all, type, picked(n, t, k)),
            (uint8_t)t->bits, true};
}

/* a and b, each of so many elements, as one vector. */
static const char *joined(struct ptx_native *n, unsigned bits, unsigned count, const char *a,
                          const char *b)
{
    return ptx_native_emit(n, "shufflevector <%u x i%u> %s, <%u x i%u> %s, <%u x i32> %s", count,
                           bits, a, count, bits, b, 2 * count, numbers(n, 32, 2 * count, 1, 1, 0));
}

static const char *interleaved(struct ptx_native *n, const struct transfer *t)
{
    const char *parts[8] = {""};
    unsigned count = PTX_NATIVE_LANES, width = t->width;
    for (unsigned k = 0; k < t->width; k++)
        parts[k] = ptx_native_vector(n, t->values[k]).text;
    for (; width > 1; width /= 2, count *= 2)
        for (unsigned k = 0; k < width / 2; k++)
            parts[k] = joined(n, t->bits, count, parts[(size_t)2 * k], parts[(size_t)2 * k + 1]);
    return ptx_native_emit(n, "shufflevector %s %s, %s undef, <%u x i32> %s", whole_type(n, t),
                           parts[0], whole_type(n, t), count,
                           numbers(n, 32, count, t->width, 1, PTX_NATIVE_LANES));
}

static void store_neighbours(struct ptx_native *n, const struct transfer *t, const char *start)
{
    const char *type = whole_type(n, t);
    const char *all = t->width == 1 ? ptx_native_vector(n, t->values[0]).text : interleaved(n, t);
    const char *p = ptx_native_pointer(n, type, start);
    ptx_native_do(n, "store %s %s, %s %s, align %u", type, all, ptx_native_pointer_type(n, type), p,
                  t->bits / 8);
}

/* ---- Vectors that are accessed as a whole ---- */

/* The function's name behind the word for what it does. */
static const char *define_pieces(struct ptx_native *n, const struct transfer *t, bool is_store)
{
    const unsigned bits = t->bits * t->width;
    const char *element = piece_type(n, t), *suffix = ptx_format(n->e, "whole_%u", bits);
    const char *all = bits > 64 ? ptx_format(n->e, "<%u x i64>", PTX_NATIVE_LANES * bits / 64)
                                : ptx_format(n->e, "<32 x %s>", element);
    define_loop(n, t, is_store, suffix, element, all, piece_alignment(t));
    return all;
}

static void load_pieces(struct ptx_native *n, const struct transfer *t, struct ptx_native_value a,
                        struct ptx_native_value *to)
{
    const char *all = define_pieces(n, t, false), *type = whole_type(n, t);
    const char *loaded = ptx_native_emit(n, "call %s @clem_gather_whole_%u(<32 x i64> %s, i32 %s)",
                                         all, t->bits * t->width, a.text, t->lanes);
    loaded = ptx_native_emit(n, "bitcast %s %s to %s", all, loaded, type);
    for (unsigned k = 0; k < t->width; k++)
        to[k] = (struct ptx_native_value){
            ptx_native_emit(n, "shufflevector %s %s, %s undef, <32 x i32> %s", type, loaded, type,
                            picked(n, t, k)),
            (uint8_t)t->bits, true};
}

static void store_pieces(struct ptx_native *n, const struct transfer *t, struct ptx_native_value a)
{
    const char *all = define_pieces(n, t, true);
    const char *stored =
        ptx_native_emit(n, "bitcast %s %s to %s", whole_type(n, t), interleaved(n, t), all);
    ptx_native_do(n, "call void @clem_scatter_whole_%u(<32 x i64> %s, %s %s, i32 %s)",
                  t->bits * t->width, a.text, all, stored, t->lanes);
}

static void one_piece(struct ptx_native *n, struct transfer *t, bool is_store)
{
    const char *type = piece_type(n, t), *p = ptx_native_pointer_type(n, type);
    const char *parts = ptx_format(n->e, "<%u x i%u>", t->width, t->bits);
    const char *at = ptx_native_pointer(n, type, full_address(n, t->at).text);
    if (!is_store) {
        const char *loaded = ptx_native_emit(n, "load volatile %s, %s %s, align %u", type, p, at,
                                             piece_alignment(t));
        loaded = ptx_native_emit(n, "bitcast %s %s to %s", type, loaded, parts);
        for (unsigned k = 0; k < t->width; k++)
            t->values[k] = ptx_native_number(
                n, t->bits, ptx_native_emit(n, "extractelement %s %s, i32 %u", parts, loaded, k));
        return;
    }
    const char *all = "undef";
    for (unsigned k = 0; k < t->width; k++)
        all = ptx_native_emit(n, "insertelement %s %s, i%u %s, i32 %u", parts, all, t->bits,
                              ptx_native_first(n, t->values[k], t->lanes).text, k);
    all = ptx_native_emit(n, "bitcast %s %s to %s", parts, all, type);
    ptx_native_do(n, "store volatile %s %s, %s %s, align %u", type, all, p, at, piece_alignment(t));
}

/* ---- Lines ---- */

enum { HALF = PTX_NATIVE_LANES / 2 };

/* How far it is from one lane's place to the next one's. */
static int64_t stride_of(const struct place *at)
{
    const struct ptx_native_line line = at->term.line;
    return line.kind == PTX_LINE_WIDE ? (int64_t)((uint64_t)line.step * (uint64_t)line.scale)
                                      : line.step;
}

/* Masks of vectors of these elements are the processor's own. */
static bool has_masks(const struct transfer *t)
{
#if defined __x86_64__
    return t->width == 1 && (t->bits == 32 || t->bits == 64);
#else
    (void)t;
    return false;
#endif
}

static bool is_all(const char *lanes)
{
    return strcmp(lanes, "-1") == 0;
}

/* Whether the numbers that a wide line is made of do not wrap around: the i1, or NULL: they never do. */
static const char *is_straight(struct ptx_native *n, const struct ptx_native_term *term)
{
    const struct ptx_native_line line = term->line;
    const char *all = NULL;
    if (line.kind != PTX_LINE_WIDE)
        return NULL;
    const int64_t reach = line.step * (line.is_whole ? PTX_NATIVE_LANES - 1 : HALF - 1);
    const int64_t least = line.is_signed ? INT32_MIN : 0,
                  most = line.is_signed ? INT32_MAX : UINT32_MAX;
    for (unsigned h = 0; h < (line.is_whole ? 1 : 2); h++) {
        const char *is =
            reach >= 0 ? ptx_native_emit(n, "icmp %s i32 %s, %d", line.is_signed ? "sle" : "ule",
                                         term->base[h], (int)(int32_t)(uint32_t)(most - reach))
                       : ptx_native_emit(n, "icmp %s i32 %s, %d", line.is_signed ? "sge" : "uge",
                                         term->base[h], (int)(int32_t)(uint32_t)(least - reach));
        all = all ? ptx_native_emit(n, "and i1 %s, %s", all, is) : is;
    }
    return all;
}

/* The first lane's address, of the warp or of a half. Of shared memory lanes that are not there may be before its start. */
static const char *line_start(struct ptx_native *n, const struct place *at, unsigned half)
{
    const struct ptx_native_term *term = &at->term;
    const char *base = term->base[half];
    if (term->line.kind == PTX_LINE_WIDE) {
        const char *wide =
            ptx_native_emit(n, "%s i32 %s to i64", term->line.is_signed ? "sext" : "zext", base);
        const char *many =
            ptx_native_emit(n, "mul i64 %s, %lld", wide, (long long)term->line.scale);
        return ptx_native_emit(n, "add i64 %s, %s", many, term->start[half]);
    }
    if (!at->base)
        return base;
    const char *wide = ptx_native_emit(n, "sext i32 %s to i64", base);
    return ptx_native_emit(n, "add i64 %s, %s", wide, at->base);
}

/* Of so many lanes from a place on. */
static const char *load_row(struct ptx_native *n, const struct transfer *t, unsigned count,
                            const char *start, const char *mask)
{
    const char *i = ptx_native_integer(t->bits), *type = ptx_format(n->e, "<%u x %s>", count, i);
    const char *p = ptx_native_pointer_type(n, type), *at = ptx_native_pointer(n, type, start);
    if (!mask)
        return ptx_native_emit(n, "load %s, %s %s, align %u", type, p, at, t->bits / 8);
    const char *name = n->llvm_major < 15 ? ptx_format(n->e, "v%u%s.p0v%u%s", count, i, count, i)
                                          : ptx_format(n->e, "v%u%s.p0", count, i);
    ptx_native_declare(n, "declare %s @llvm.masked.load.%s(%s, i32, <%u x i1>, %s)", type, name, p,
                       count, type);
    return ptx_native_emit(n,
                           "call %s @llvm.masked.load.%s(%s %s, i32 %u, <%u x i1> %s, %s "
                           "zeroinitializer)",
                           type, name, p, at, t->bits / 8, count, mask, type);
}

static void store_row(struct ptx_native *n, const struct transfer *t, unsigned count,
                      const char *start, const char *mask, const char *value)
{
    const char *i = ptx_native_integer(t->bits), *type = ptx_format(n->e, "<%u x %s>", count, i);
    const char *p = ptx_native_pointer_type(n, type), *at = ptx_native_pointer(n, type, start);
    if (!mask) {
        ptx_native_do(n, "store %s %s, %s %s, align %u", type, value, p, at, t->bits / 8);
        return;
    }
    const char *name = n->llvm_major < 15 ? ptx_format(n->e, "v%u%s.p0v%u%s", count, i, count, i)
                                          : ptx_format(n->e, "v%u%s.p0", count, i);
    ptx_native_declare(n, "declare void @llvm.masked.store.%s(%s, %s, i32, <%u x i1>)", name, type,
                       p, count);
    ptx_native_do(n, "call void @llvm.masked.store.%s(%s %s, %s %s, i32 %u, <%u x i1> %s)", name,
                  type, value, p, at, t->bits / 8, count, mask);
}

/* The lanes of a half, or of the warp, as bits of a vector; NULL: all of them. */
static const char *mask_of(struct ptx_native *n, const struct transfer *t, bool is_whole,
                           unsigned half)
{
    if (is_all(t->lanes) || !has_masks(t))
        return NULL;
    if (is_whole)
        return ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", t->lanes);
    const char *lanes = half ? ptx_native_emit(n, "lshr i32 %s, 16", t->lanes) : t->lanes;
    return ptx_native_emit(n, "bitcast i16 %s to <16 x i1>",
                           ptx_native_emit(n, "trunc i32 %s to i16", lanes));
}

static const char *half_of(struct ptx_native *n, const char *type, const char *value, unsigned half)
{
    return ptx_native_emit(n, "shufflevector <32 x %s> %s, <32 x %s> undef, <16 x i32> %s", type,
                           value, type,
                           half ? numbers_from(n, HALF) : numbers(n, 32, HALF, 1, 1, 0));
}

static void load_line(struct ptx_native *n, const struct transfer *t, struct ptx_native_value *to)
{
    const char *i = ptx_native_integer(t->bits);
    const bool is_row = stride_of(&t->at) != 0;
    if (t->at.term.line.is_whole) {
        const char *start = line_start(n, &t->at, 0);
        const char *mask = mask_of(n, t, true, 0);
        if (!mask)
            load_neighbours(n, t, start, to);
        else
            to[0] = (struct ptx_native_value){load_row(n, t, PTX_NATIVE_LANES, start, mask),
                                              (uint8_t)t->bits, true};
        return;
    }
    const char *halves[2];
    for (unsigned h = 0; h < 2; h++) {
        const char *start = line_start(n, &t->at, h);
        if (is_row) {
            halves[h] = load_row(n, t, HALF, start, mask_of(n, t, false, h));
            continue;
        }
        const char *p = ptx_native_pointer(n, i, start);
        halves[h] = ptx_native_emit(n, "load %s, %s %s, align %u", i, ptx_native_pointer_type(n, i),
                                    p, t->bits / 8);
    }
    const struct ptx_native_term pair = {.line = {PTX_LINE_PLAIN, false, false, 0, 0, 0},
                                         .base = {halves[0], halves[1]}};
    to[0] = is_row ? (struct ptx_native_value){joined(n, t->bits, HALF, halves[0], halves[1]),
                                               (uint8_t)t->bits, true}
                   : ptx_native_of_term(n, pair, t->bits);
}

static void store_line(struct ptx_native *n, const struct transfer *t)
{
    const char *value = ptx_native_vector(n, t->values[0]).text, *i = ptx_native_integer(t->bits);
    if (t->at.term.line.is_whole) {
        const char *start = line_start(n, &t->at, 0), *mask = mask_of(n, t, true, 0);
        if (!mask)
            store_neighbours(n, t, start);
        else
            store_row(n, t, PTX_NATIVE_LANES, start, mask, value);
        return;
    }
    for (unsigned h = 2; h > 0; h--) /* the lower lanes' values stay */
        store_row(n, t, HALF, line_start(n, &t->at, h - 1), mask_of(n, t, false, h - 1),
                  half_of(n, i, value, h - 1));
}

/* Where a line is no row after all, a function that stands once in the text looks at its lanes: it is given the numbers of
 * the line, and not a vector that all others would have to make room for. Its name. */
static const char *define_far(struct ptx_native *n, const struct transfer *t, bool is_store)
{
    struct ptx_emitter *e = n->e;
    const struct ptx_native_line line = t->at.term.line;
    const bool is_wide = line.kind == PTX_LINE_WIDE;
    const long long step = (long long)(is_wide ? line.step : stride_of(&t->at));
    const char *i = ptx_native_integer(t->bits), *do_it = is_store ? "scatter" : "gather";
    const char *name = ptx_format(e, "clem_%s_line_%u_%s_%lld_%lld", do_it, t->bits,
                                  is_wide ? line.is_signed ? "s" : "u" : "p", step,
                                  is_wide ? (long long)line.scale : 1ll);
    const char *addresses =
        is_wide ? ptx_format(e,
                             "  %%b1 = insertelement <32 x i32> undef, i32 %%b, i32 0\n"
                             "  %%b2 = shufflevector <32 x i32> %%b1, <32 x i32> undef, <32 x i32> "
                             "zeroinitializer\n"
                             "  %%b3 = add <32 x i32> %%b2, %s\n"
                             "  %%b4 = %s <32 x i32> %%b3 to <32 x i64>\n"
                             "  %%c1 = insertelement <32 x i64> undef, i64 %lld, i32 0\n"
                             "  %%c2 = shufflevector <32 x i64> %%c1, <32 x i64> undef, <32 x i32> "
                             "zeroinitializer\n"
                             "  %%o = mul <32 x i64> %%b4, %%c2\n",
                             ptx_native_ramp(n, 32, line.step, true),
                             line.is_signed ? "sext" : "zext", (long long)line.scale)
                : ptx_format(e, "  %%o = add <32 x i64> %s, zeroinitializer\n",
                             ptx_native_ramp(n, 64, step, true));
    ptx_native_declare(
        n,
        "define internal %s @%s(i64 %%s, i32 %%b, %si32 %%m) noinline nounwind cold {\n%s"
        "  %%s1 = insertelement <32 x i64> undef, i64 %%s, i32 0\n"
        "  %%s2 = shufflevector <32 x i64> %%s1, <32 x i64> undef, <32 x i32> zeroinitializer\n"
        "  %%a = add <32 x i64> %%s2, %%o\n%s}",
        is_store ? "void" : ptx_format(e, "<32 x %s>", i), name,
        is_store ? ptx_format(e, "<32 x %s> %%x, ", i) : "", addresses,
        is_store
            ? ptx_format(e,
                         "  call void @clem_scatter_%s(<32 x i64> %%a, <32 x %s> %%x, i32 %%m)\n"
                         "  ret void\n",
                         suffix_of(n, t), i)
            : ptx_format(e,
                         "  %%r = call <32 x %s> @clem_gather_%s(<32 x i64> %%a, i32 %%m)\n"
                         "  ret <32 x %s> %%r\n",
                         i, suffix_of(n, t), i));
    return name;
}

static void far_line(struct ptx_native *n, const struct transfer *t, bool is_store,
                     struct ptx_native_value *to)
{
    const bool is_wide = t->at.term.line.kind == PTX_LINE_WIDE;
    define_any(n, t, is_store);
    const char *i = ptx_native_integer(t->bits), *name = define_far(n, t, is_store);
    struct ptx_native_value start =
        ptx_native_number(n, 64, is_wide ? t->at.term.start[0] : line_start(n, &t->at, 0));
    const char *base = is_wide ? t->at.term.base[0] : "0";
    for (unsigned k = 0; k < t->width; k++) {
        const char *at = element_address(n, start, t, k).text;
        if (is_store)
            ptx_native_do(n, "call void @%s(i64 %s, i32 %s, <32 x %s> %s, i32 %s)", name, at, base,
                          i, ptx_native_vector(n, t->values[k]).text, t->lanes);
        else
            to[k] = (struct ptx_native_value){
                ptx_native_emit(n, "call <32 x %s> @%s(i64 %s, i32 %s, i32 %s)", i, name, at, base,
                                t->lanes),
                (uint8_t)t->bits, true};
    }
}

/* Whether lanes' places are a row each half or, to be read, one place. */
static bool is_row(const struct transfer *t, bool is_store)
{
    const int64_t stride = stride_of(&t->at);
    if (!t->at.is_line || t->is_volatile)
        return false;
    if (stride == (int64_t)(t->bits / 8) * t->width)
        return t->width == 1 || t->at.term.line.is_whole;
    return stride == 0 && !is_store && t->width == 1 && !t->at.term.line.is_whole;
}

/* What has to hold for it: the i1, or NULL: nothing. */
static const char *row_condition(struct ptx_native *n, const struct transfer *t)
{
    const char *is = is_straight(n, &t->at.term);
    const bool needs_all = !is_all(t->lanes) && (!has_masks(t) || stride_of(&t->at) == 0);
    if (!needs_all)
        return is;
    const char *all = ptx_native_emit(n, "icmp eq i32 %s, -1", t->lanes);
    return is ? ptx_native_emit(n, "and i1 %s, %s", is, all) : all;
}

/* ---- One place for all lanes ---- */

static void one_place(struct ptx_native *n, struct transfer *t, bool is_store)
{
    if (is_whole(t)) {
        one_piece(n, t, is_store);
        return;
    }
    const struct ptx_native_value a = full_address(n, t->at);
    const char *type = ptx_native_integer(t->bits), *p = ptx_native_pointer_type(n, type);
    const char *v = t->is_volatile ? "volatile " : "";
    for (unsigned k = 0; k < t->width; k++) {
        const char *at = ptx_native_pointer(n, type, element_address(n, a, t, k).text);
        if (is_store)
            ptx_native_do(n, "store %s%s %s, %s %s, align %u", v, type,
                          ptx_native_first(n, t->values[k], t->lanes).text, p, at, t->bits / 8);
        else
            t->values[k] = ptx_native_number(
                n, t->bits,
                ptx_native_emit(n, "load %s%s, %s %s, align %u%s", v, type, p, at, t->bits / 8,
                                t->is_constant ? ", !invariant.load !0" : ""));
    }
}

/* ---- All of them ---- */

static void phi(struct ptx_native *n, const struct transfer *t, const struct ptx_native_value *a,
                const char *from_a, const struct ptx_native_value *b, const char *from_b)
{
    for (unsigned k = 0; k < t->width; k++) {
        t->values[k] = a[k];
        t->values[k].text =
            ptx_native_emit(n, "phi %s [%s, %%%s], [%s, %%%s]", ptx_native_value_type(n, a[k]),
                            a[k].text, from_a, b ? b[k].text : "undef", from_b);
    }
}

static void many_places(struct ptx_native *n, struct transfer *t, bool is_store)
{
    struct ptx_native_value near[8], far[8];
    const char *fast = ptx_native_name(n, "near"), *slow = ptx_native_name(n, "far");
    const char *end = ptx_native_name(n, "did"), *start;
    const bool is_known = is_row(t, is_store);
    const bool is_slow = !is_known && (t->at.is_line || t->at.is_strided || t->is_volatile);
    if (is_whole(t) && is_store) {
        store_pieces(n, t, full_address(n, t->at));
        return;
    }
    if (is_whole(t)) {
        load_pieces(n, t, full_address(n, t->at), t->values);
        return;
    }
    if (is_slow && is_store) {
        scatter(n, t, full_address(n, t->at));
        return;
    }
    if (is_slow) {
        gather(n, t, full_address(n, t->at), t->values);
        return;
    }
    const char *condition = is_known ? row_condition(n, t) : NULL;
    if (is_known && !condition) {
        if (is_store)
            store_line(n, t);
        else
            load_line(n, t, t->values);
        return;
    }
    if (is_known)
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", condition, fast, slow);
    else
        branch_on_neighbours(n, t, fast, slow, &start);
    ptx_native_label(n, fast);
    if (is_known && is_store)
        store_line(n, t);
    else if (is_known)
        load_line(n, t, near);
    else if (is_store)
        store_neighbours(n, t, start);
    else
        load_neighbours(n, t, start, near);
    ptx_native_jump(n, end);
    ptx_native_label(n, slow);
    const bool is_far = is_known && t->at.term.line.is_whole;
    if (is_far)
        far_line(n, t, is_store, far);
    else if (is_store)
        scatter(n, t, full_address(n, t->at));
    else
        gather(n, t, full_address(n, t->at), far);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    if (!is_store)
        phi(n, t, near, fast, far, slow);
}

static void transfer(struct ptx_native *n, struct transfer *t, bool is_store)
{
    const bool is_one = !t->at.offset.is_vector;
    if (!t->may_be_none) {
        if (is_one)
            one_place(n, t, is_store);
        else
            many_places(n, t, is_store);
        return;
    }
    const char *some = ptx_native_name(n, "some"), *end = ptx_native_name(n, "none");
    const char *before = n->flow->block;
    const char *is_any = ptx_native_emit(n, "icmp ne i32 %s, 0", t->lanes);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_any, some, end);
    ptx_native_label(n, some);
    if (is_one)
        one_place(n, t, is_store);
    else
        many_places(n, t, is_store);
    const char *after = n->flow->block;
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    if (!is_store)
        phi(n, t, t->values, after, NULL, before);
}

/* ---- Instructions ---- */

static uint32_t parts_of(struct ptx_native *n, const struct ptx_instruction *in,
                         const struct ptx_operand *list, struct ptx_operand parts[8])
{
    if (list->kind == PTX_OPERAND_VECTOR) {
        for (uint32_t i = 0; i < list->count && i < 8; i++)
            parts[i] = list->list[i];
        return list->count > 8 ? 8 : list->count;
    }
    const bool is_whole = in->width > 1 && list->kind == PTX_OPERAND_REGISTER && list->part == 0 &&
                          n->flow->function->registers[list->index].width == in->width;
    for (uint32_t i = 0; is_whole && i < in->width; i++) {
        parts[i] = *list;
        parts[i].part = (uint8_t)(1 + i);
    }
    if (is_whole)
        return in->width;
    parts[0] = *list;
    return 1;
}

static void fence(struct ptx_native *n, uint8_t scope, uint8_t order)
{
    ptx_native_do(n, "fence %s%s", scope == PTX_SCOPE_CTA ? "syncscope(\"singlethread\") " : "",
                  order == PTX_ORDER_SC ? "seq_cst" : "acq_rel");
}

static void fence_before(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->order == PTX_ORDER_RELEASE || in->order == PTX_ORDER_ACQ_REL ||
        in->order == PTX_ORDER_SC)
        fence(n, in->scope, in->order);
}

static void fence_after(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->order == PTX_ORDER_ACQUIRE || in->order == PTX_ORDER_ACQ_REL ||
        in->order == PTX_ORDER_SC)
        fence(n, in->scope, in->order);
}

static struct transfer transfer_of(struct ptx_native *n, const struct ptx_instruction *in,
                                   const struct ptx_operand *address,
                                   struct ptx_native_value values[8])
{
    struct transfer t = {.bits = ptx_native_bits((enum ptx_type)in->types[0]),
                         .width = 1,
                         .is_volatile = ptx_is_volatile(in),
                         .values = values};
    t.may_be_none = in->guard >= 0;
    t.lanes = ptx_native_guarded(n, in);
    t.at = place_of(n, address, in->space);
    return t;
}

static void write_load(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    struct ptx_operand parts[8];
    struct ptx_native_value values[8];
    const struct ptx_operand *address = &in->operands[1];
    struct transfer t = transfer_of(n, in, address, values);
    const uint32_t count = parts_of(n, in, &in->operands[0], parts);
    t.width = count;
    t.is_constant = space_of(address, in->space) == PTX_SPACE_PARAM;
    if (count == 0 || (count & (count - 1)) != 0) {
        ptx_refuse(e, "a vector of this size");
        return;
    }
    transfer(n, &t, false);
    fence_after(n, in);
    for (uint32_t i = 0; i < count; i++)
        ptx_native_set(n, in, &parts[i], (enum ptx_type)in->types[0], values[i]);
}

static void write_store(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    struct ptx_operand parts[8];
    struct ptx_native_value values[8];
    fence_before(n, in);
    struct transfer t = transfer_of(n, in, &in->operands[0], values);
    const uint32_t count = parts_of(n, in, &in->operands[1], parts);
    t.width = count;
    if (count == 0 || (count & (count - 1)) != 0) {
        ptx_refuse(e, "a vector of this size");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        n->is_vector = ptx_native_varies(n, &parts[i]);
        values[i] = ptx_native_read(n, &parts[i], (enum ptx_type)in->types[0]);
    }
    transfer(n, &t, true);
}

/* What lanes want fewer bytes of has zeros there. */
static void cut_values(struct ptx_native *n, struct ptx_native_value values[4], uint32_t count,
                       struct ptx_native_value bytes)
{
    bytes = ptx_native_vector(n, bytes);
    const bool is_vector = n->is_vector;
    n->is_vector = true;
    for (uint32_t k = 0; k < count; k++) {
        const struct ptx_native_value value = ptx_native_vector(n, values[k]);
        const char *lack =
            ptx_native_emit(n, "sub <32 x i32> %s, %s",
                            ptx_native_constant(n, 32, 4 * ((uint64_t)k + 1)), bytes.text);
        const char *over = ptx_native_emit(n, "icmp sgt <32 x i32> %s, zeroinitializer", lack);
        const char *all =
            ptx_native_emit(n, "icmp sgt <32 x i32> %s, %s", lack, ptx_native_constant(n, 32, 3));
        const char *eight =
            ptx_native_emit(n, "shl <32 x i32> %s, %s", lack, ptx_native_constant(n, 32, 3));
        const char *safe =
            ptx_native_emit(n, "and <32 x i32> %s, %s", eight, ptx_native_constant(n, 32, 31));
        const char *some = ptx_native_emit(n, "lshr <32 x i32> %s, %s",
                                           ptx_native_constant(n, 32, UINT32_MAX), safe);
        const char *mask = ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> %s, <32 x i32> %s",
                                           over, some, ptx_native_constant(n, 32, UINT32_MAX));
        const char *last = ptx_native_emit(
            n, "select <32 x i1> %s, <32 x i32> zeroinitializer, <32 x i32> %s", all, mask);
        values[k] = (struct ptx_native_value){
            ptx_native_emit(n, "and <32 x i32> %s, %s", value.text, last), 32, true};
    }
    n->is_vector = is_vector;
}

/* How many bytes lanes want of a copy's source. */
static struct ptx_native_value wanted_bytes(struct ptx_native *n, const struct ptx_operand *o,
                                            int64_t size)
{
    const bool is_ignored =
        o->kind == PTX_OPERAND_REGISTER && n->flow->function->registers[o->index].type == PTX_PRED;
    n->is_vector = ptx_native_varies(n, o);
    struct ptx_native_value value = ptx_native_read(n, o, is_ignored ? PTX_PRED : PTX_U32);
    if (!is_ignored)
        return value;
    value = ptx_native_vector(n, value);
    n->is_vector = true;
    return (struct ptx_native_value){
        ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> zeroinitializer, <32 x i32> %s",
                        value.text, ptx_native_constant(n, 32, (uint64_t)size)),
        32, true};
}

static void write_copy(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    const struct ptx_operand *o = in->operands;
    const int64_t size = in->operand_count >= 3 ? o[2].bits : 0;
    struct ptx_native_value values[8], bytes = {0};
    if (size != 4 && size != 8 && size != 16) {
        ptx_refuse(e, "a copy of this size has no translation");
        return;
    }
    struct transfer t = {.bits = 32, .width = (unsigned)(size / 4), .values = values};
    t.may_be_none = in->guard >= 0 || in->operand_count > 3;
    const char *all = t.lanes = ptx_native_guarded(n, in);
    t.at = place_of(n, &o[1], PTX_SPACE_GLOBAL);
    if (in->operand_count > 3) {
        bytes = wanted_bytes(n, &o[3], size);
        const struct ptx_native_value wanted = ptx_native_vector(n, bytes);
        const char *some =
            ptx_native_emit(n, "icmp ne <32 x i32> %s, zeroinitializer", wanted.text);
        const char *lanes = ptx_native_emit(n, "bitcast <32 x i1> %s to i32", some);
        t.lanes = ptx_native_emit(n, "and i32 %s, %s", lanes, all);
    }
    transfer(n, &t, false);
    if (in->operand_count > 3)
        cut_values(n, values, t.width, bytes);
    t.lanes = all;
    t.may_be_none = in->guard >= 0;
    t.at = place_of(n, &o[0], PTX_SPACE_SHARED);
    transfer(n, &t, true);
}

static void write_fence(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    fence(e->native, in->scope, in->opcode == PTX_OPCODE_membar ? PTX_ORDER_SC : in->order);
}

static void access_memory(struct ptx_native *n, const struct ptx_instruction *in,
                          enum ptx_access_kind kind, uint8_t space,
                          void (*write)(struct ptx_emitter *, const struct ptx_instruction *))
{
    ptx_access(n->e, &(struct ptx_access){.kind = (uint8_t)kind,
                                          .space = space,
                                          .type = in->types[0],
                                          .width = in->width,
                                          .write = write});
}

static bool has_address(struct ptx_native *n, const struct ptx_instruction *in, uint32_t which)
{
    if (in->operand_count >= 2 && in->operands[which].kind == PTX_OPERAND_ADDRESS)
        return true;
    ptx_refuse(n->e, "operands of a kind that does not belong here");
    return false;
}

static void copy(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (strncmp(in->words, "cp.async", 8) != 0 || strstr(in->words, ".bulk") ||
        strstr(in->words, ".mbarrier") || strstr(in->words, ".reduce"))
        ptx_refuse(n->e, "bulk copies and copies that arrive at barriers have no translation");
    else if (!strstr(in->words, "_group") && !strstr(in->words, "wait_all"))
        access_memory(n, in, PTX_ACCESS_COPY, PTX_SPACE_SHARED, write_copy);
}

bool ptx_native_memory(struct ptx_native *n, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_ld:
    case PTX_OPCODE_ldu:
        if (has_address(n, in, 1))
            access_memory(n, in, PTX_ACCESS_LOAD, space_of(&in->operands[1], in->space),
                          write_load);
        return true;
    case PTX_OPCODE_st:
        if (has_address(n, in, 0))
            access_memory(n, in, PTX_ACCESS_STORE, space_of(&in->operands[0], in->space),
                          write_store);
        return true;
    case PTX_OPCODE_cp:
        copy(n, in);
        return true;
    case PTX_OPCODE_membar:
    case PTX_OPCODE_fence:
        access_memory(n, in, PTX_ACCESS_FENCE, PTX_SPACE_GENERIC, write_fence);
        return true;
    case PTX_OPCODE_prefetch:
    case PTX_OPCODE_prefetchu:
    case PTX_OPCODE_discard:
    case PTX_OPCODE_applypriority:
        return true;
    default:
        return false;
    }
}
