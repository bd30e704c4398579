/* Loads and stores whose places are any, in the native form: lane by lane, by the processor's gathering, or as a vector where
 * lanes turn out to be neighbours.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

#include <string.h>

/* ---- One lane after the other, or by the processor's gathering ---- */

static bool has_gathering(const struct ptx_native_transfer *t)
{
    return !t->is_volatile && t->bits <= 64;
}

/* Whether nobody looks whether lanes are neighbours. */
static bool is_spread(const struct ptx_native_transfer *t)
{
    return t->at.is_strided || t->at.is_line;
}

const char *ptx_native_transfer_suffix(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    return ptx_format(n->e, "%s%u",
                      t->is_volatile ? "volatile_"
                      : is_spread(t) ? "spread_"
                                     : "",
                      t->bits);
}

/* A vector that other threads may write or read meanwhile is one access of the processor, as it is of a GPU: flags that lie
 * beside what they are about come with it. Other vectors are accessed element after element. */
bool ptx_native_is_whole(const struct ptx_native_transfer *t)
{
    return t->is_volatile && (t->width > 1 || t->bits > 64);
}

/* The vector as words of the processor. */
static const char *piece_type(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const unsigned bits = t->bits * t->width;
    return bits > 64 ? ptx_format(n->e, "<%u x i64>", bits / 64) : ptx_native_integer(bits);
}

/* No more than words have: an address that is not that of a whole vector must not end the process. */
static unsigned piece_alignment(const struct ptx_native_transfer *t)
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
                      bits / 8, ptx_native_numbers(n, 64, 16, 1, bits / 8, 0));
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

/* All lanes of half a warp, as the processor gathers them; otherwise one after the other. */
static const char *gather_text(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(t->bits), *p = ptx_native_pointer_type(n, i);
    const char *row = ptx_format(e, "<16 x %s>", i);
    const char *name =
        n->llvm_major < 15 ? ptx_format(e, "v16%s.v16p0%s", i, i) : ptx_format(e, "v16%s.v16p0", i);
    if (!e->target->has_wide_vectors || t->bits < 32)
        return pick_text(n, t->bits);
    ptx_native_declare(n, "declare %s @llvm.masked.gather.%s(<16 x %s>, i32, <16 x i1>, %s)", row,
                       name, p, row);
    return ptx_format(
        e,
        "  %%places = inttoptr <16 x i64> %%a to <16 x %s>\n"
        "  %%lanes = bitcast i16 %%m to <16 x i1>\n"
        "  %%g = call %s @llvm.masked.gather.%s(<16 x %s> %%places, i32 %u, <16 x i1> "
        "%%lanes, %s zeroinitializer)\n  ret %s %%g\n",
        p, row, name, p, t->bits / 8, row, row);
}

static void define_gather_half(struct ptx_native *n, const struct ptx_native_transfer *t)
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
            row, ptx_native_transfer_suffix(n, t), row, first_text, gather_text(n, t));
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
        row, ptx_native_transfer_suffix(n, t), half_text(n, t->bits), p, i, p, row, i, row, row,
        row, row, prow, row, i, row_name, prow, t->bits / 8, row, row, gather_text(n, t));
}

static void define_gather(struct ptx_native *n, const struct ptx_native_transfer *t)
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
        i, ptx_native_transfer_suffix(n, t), ptx_native_numbers(n, 32, 16, 1, 1, 0),
        ptx_native_numbers_from(n, 16), row, ptx_native_transfer_suffix(n, t), row,
        ptx_native_transfer_suffix(n, t), row, row, ptx_native_iota(32), i);
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

static void define_scatter_half(struct ptx_native *n, const struct ptx_native_transfer *t)
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
                           ptx_native_transfer_suffix(n, t), row, put_text(n, t->bits));
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
        ptx_native_transfer_suffix(n, t), row, half_text(n, t->bits), p, row, i, p, prow, i,
        row_name, row, prow, t->bits / 8, put_text(n, t->bits));
}

static void define_scatter(struct ptx_native *n, const struct ptx_native_transfer *t)
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
        ptx_native_transfer_suffix(n, t), i, ptx_native_numbers(n, 32, 16, 1, 1, 0),
        ptx_native_numbers_from(n, 16), i, i, ptx_native_numbers(n, 32, 16, 1, 1, 0), i, i,
        ptx_native_numbers_from(n, 16), ptx_native_transfer_suffix(n, t), row,
        ptx_native_transfer_suffix(n, t), row);
}

/* A loop over lanes, of which an array each has the addresses and the values, elements of that type. */
static void define_loop(struct ptx_native *n, const struct ptx_native_transfer *t, bool is_store,
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

static void define_element_loop(struct ptx_native *n, const struct ptx_native_transfer *t,
                                bool is_store)
{
    const char *i = ptx_native_integer(t->bits);
    define_loop(n, t, is_store, ptx_native_transfer_suffix(n, t), i,
                ptx_format(n->e, "<32 x %s>", i), t->bits / 8);
}

void ptx_native_define_lanes(struct ptx_native *n, const struct ptx_native_transfer *t,
                             bool is_store)
{
    if (!has_gathering(t))
        define_element_loop(n, t, is_store);
    else if (is_store)
        define_scatter(n, t);
    else
        define_gather(n, t);
}

/* Two words that lie beside each other are one place to go to. */
static bool is_of_pairs(const struct ptx_native_transfer *t)
{
    return t->bits == 32 && t->width % 2 == 0 && !t->is_volatile;
}

static struct ptx_native_transfer pairs_of(const struct ptx_native_transfer *t,
                                           struct ptx_native_value pairs[4])
{
    struct ptx_native_transfer as = *t;
    as.bits = 64;
    as.width = t->width / 2;
    as.values = pairs;
    return as;
}

/* By how much the upper words of all lanes' pairs are shifted: a vector, whatever the instruction at hand has. */
static const char *bits_of_word(struct ptx_native *n)
{
    const bool is_vector = n->is_vector;
    n->is_vector = true;
    const char *all = ptx_native_constant(n, 64, 32);
    n->is_vector = is_vector;
    return all;
}

static void gather_pairs(struct ptx_native *n, const struct ptx_native_transfer *t,
                         struct ptx_native_value a, struct ptx_native_value *to)
{
    struct ptx_native_value pairs[4];
    const struct ptx_native_transfer as = pairs_of(t, pairs);
    ptx_native_gather(n, &as, a, pairs);
    for (unsigned k = 0; k < as.width; k++) {
        const char *all = pairs[k].text;
        const char *above = ptx_native_emit(n, "lshr <32 x i64> %s, %s", all, bits_of_word(n));
        to[(size_t)2 * k] = (struct ptx_native_value){
            ptx_native_emit(n, "trunc <32 x i64> %s to <32 x i32>", all), 32, true};
        to[(size_t)2 * k + 1] = (struct ptx_native_value){
            ptx_native_emit(n, "trunc <32 x i64> %s to <32 x i32>", above), 32, true};
    }
}

static void scatter_pairs(struct ptx_native *n, const struct ptx_native_transfer *t,
                          struct ptx_native_value a)
{
    struct ptx_native_value pairs[4];
    const struct ptx_native_transfer as = pairs_of(t, pairs);
    for (unsigned k = 0; k < as.width; k++) {
        const char *low = ptx_native_vector(n, t->values[(size_t)2 * k]).text,
                   *high = ptx_native_vector(n, t->values[(size_t)2 * k + 1]).text;
        const char *below = ptx_native_emit(n, "zext <32 x i32> %s to <32 x i64>", low);
        const char *wide = ptx_native_emit(n, "zext <32 x i32> %s to <32 x i64>", high);
        const char *above = ptx_native_emit(n, "shl <32 x i64> %s, %s", wide, bits_of_word(n));
        pairs[k] = (struct ptx_native_value){
            ptx_native_emit(n, "or <32 x i64> %s, %s", below, above), 64, true};
    }
    ptx_native_scatter(n, &as, a);
}

void ptx_native_gather(struct ptx_native *n, const struct ptx_native_transfer *t,
                       struct ptx_native_value a, struct ptx_native_value *to)
{
    if (is_of_pairs(t)) {
        gather_pairs(n, t, a, to);
        return;
    }
    ptx_native_define_lanes(n, t, false);
    const char *i = ptx_native_integer(t->bits);
    for (unsigned k = 0; k < t->width; k++)
        to[k] = (struct ptx_native_value){
            ptx_native_emit(n, "call <32 x %s> @clem_gather_%s(<32 x i64> %s, i32 %s)", i,
                            ptx_native_transfer_suffix(n, t),
                            ptx_native_element_address(n, a, t, k).text, t->lanes),
            (uint8_t)t->bits, true};
}

void ptx_native_scatter(struct ptx_native *n, const struct ptx_native_transfer *t,
                        struct ptx_native_value a)
{
    if (is_of_pairs(t)) {
        scatter_pairs(n, t, a);
        return;
    }
    ptx_native_define_lanes(n, t, true);
    const char *i = ptx_native_integer(t->bits);
    for (unsigned k = 0; k < t->width; k++)
        ptx_native_do(n, "call void @clem_scatter_%s(<32 x i64> %s, <32 x %s> %s, i32 %s)",
                      ptx_native_transfer_suffix(n, t), ptx_native_element_address(n, a, t, k).text,
                      i, ptx_native_vector(n, t->values[k]).text, t->lanes);
}
/* ---- Neighbours ---- */

/* Where threads lie in rows of 16, those of a half are mostly neighbours, and the halves are not. */
static bool is_by_halves(const struct ptx_native *n, const struct ptx_native_transfer *t)
{
    return n->e->target->threads == PTX_THREADS_HALVES && t->width == 1;
}

/* The offset of the first lane of its half, or of the warp, for each lane. */
static const char *firsts_of(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *type = ptx_native_value_type(n, t->at.offset);
    return ptx_native_emit(
        n, "shufflevector %s %s, %s undef, <32 x i32> %s", type, t->at.offset.text, type,
        is_by_halves(n, t) ? ptx_native_numbers(n, 32, PTX_NATIVE_LANES, 16, 16, 0)
                           : "zeroinitializer");
}

static const char *start_at(struct ptx_native *n, const struct ptx_native_transfer *t,
                            unsigned lane)
{
    const struct ptx_native_value offset = t->at.offset;
    const char *first = ptx_native_emit(n, "extractelement %s %s, i32 %u",
                                        ptx_native_value_type(n, offset), offset.text, lane);
    if (!t->at.base)
        return first;
    const char *wide =
        ptx_native_emit(n, "zext %s %s to i64", ptx_native_integer(offset.bits), first);
    return ptx_native_emit(n, "add i64 %s, %s", wide, t->at.base);
}

void ptx_native_branch_on_neighbours(struct ptx_native *n, const struct ptx_native_transfer *t,
                                     const char *fast, const char *slow, const char *starts[2])
{
    const struct ptx_native_value offset = t->at.offset;
    const char *type = ptx_native_value_type(n, offset);
    const char *differences =
        ptx_native_emit(n, "sub %s %s, %s", type, offset.text, firsts_of(n, t));
    const size_t size = (size_t)(t->bits / 8) * t->width;
    const char *same = ptx_native_emit(
        n, "icmp eq %s %s, %s", type, differences,
        is_by_halves(n, t) ? ptx_native_ramp(n, offset.bits, (int64_t)size, false)
                           : ptx_native_numbers(n, offset.bits, PTX_NATIVE_LANES, 1, size, 0));
    const char *bits = ptx_native_emit(n, "bitcast <32 x i1> %s to i32", same);
    const char *both = ptx_native_emit(n, "and i32 %s, %s", bits, t->lanes);
    const char *is_fast = ptx_native_emit(n, "icmp eq i32 %s, -1", both);
    starts[0] = start_at(n, t, 0);
    starts[1] = is_by_halves(n, t) ? start_at(n, t, 16) : NULL;
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s%s", is_fast, fast, slow,
                  n->e->target->threads == PTX_THREADS_ANY ? "" : ", !prof !1");
}

/* Of all lanes' elements in the order of memory, where those at place k of each lane are. */
static const char *picked(struct ptx_native *n, const struct ptx_native_transfer *t, unsigned k)
{
    char words[1024];
    size_t used = 0;
    for (unsigned i = 0; i < PTX_NATIVE_LANES; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%si32 %u", i ? "," : "<",
                                 i * t->width + k);
    return ptx_format(n->e, "%s>", words);
}

static const char *whole_type(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    return ptx_format(n->e, "<%u x i%u>", PTX_NATIVE_LANES * t->width, t->bits);
}

void ptx_native_load_neighbours(struct ptx_native *n, const struct ptx_native_transfer *t,
                                const char *start, struct ptx_native_value *to)
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
const char *ptx_native_joined(struct ptx_native *n, unsigned bits, unsigned count, const char *a,
                              const char *b)
{
    return ptx_native_emit(n, "shufflevector <%u x i%u> %s, <%u x i%u> %s, <%u x i32> %s", count,
                           bits, a, count, bits, b, 2 * count,
                           ptx_native_numbers(n, 32, 2 * count, 1, 1, 0));
}

static const char *interleaved(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *parts[8] = {"", "", "", "undef"};
    unsigned count = PTX_NATIVE_LANES, width = t->width == 3 ? 4 : t->width;
    for (unsigned k = 0; k < t->width; k++)
        parts[k] = ptx_native_vector(n, t->values[k]).text;
    for (; width > 1; width /= 2, count *= 2)
        for (unsigned k = 0; k < width / 2; k++)
            parts[k] = ptx_native_joined(n, t->bits, count, parts[(size_t)2 * k],
                                         parts[(size_t)2 * k + 1]);
    const unsigned elements = PTX_NATIVE_LANES * t->width;
    return ptx_native_emit(n, "shufflevector <%u x i%u> %s, <%u x i%u> undef, <%u x i32> %s", count,
                           t->bits, parts[0], count, t->bits, elements,
                           ptx_native_numbers(n, 32, elements, t->width, 1, PTX_NATIVE_LANES));
}

void ptx_native_store_neighbours(struct ptx_native *n, const struct ptx_native_transfer *t,
                                 const char *start)
{
    const char *type = whole_type(n, t);
    const char *all = t->width == 1 ? ptx_native_vector(n, t->values[0]).text : interleaved(n, t);
    const char *p = ptx_native_pointer(n, type, start);
    const char *store =
        ptx_format(n->e, "store %s %s, %s %s", type, all, ptx_native_pointer_type(n, type), p);
    if (ptx_native_goes_past(n, t))
        ptx_native_store_past(n, start, store);
    else
        ptx_native_do(n, "%s, align %u", store, t->bits / 8);
}

/* ---- Vectors that are accessed as a whole ---- */

/* The function's name behind the word for what it does. */
static const char *define_pieces(struct ptx_native *n, const struct ptx_native_transfer *t,
                                 bool is_store)
{
    const unsigned bits = t->bits * t->width;
    const char *element = piece_type(n, t), *suffix = ptx_format(n->e, "whole_%u", bits);
    const char *all = bits > 64 ? ptx_format(n->e, "<%u x i64>", PTX_NATIVE_LANES * bits / 64)
                                : ptx_format(n->e, "<32 x %s>", element);
    define_loop(n, t, is_store, suffix, element, all, piece_alignment(t));
    return all;
}

void ptx_native_load_pieces(struct ptx_native *n, const struct ptx_native_transfer *t,
                            struct ptx_native_value a, struct ptx_native_value *to)
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

void ptx_native_store_pieces(struct ptx_native *n, const struct ptx_native_transfer *t,
                             struct ptx_native_value a)
{
    const char *all = define_pieces(n, t, true);
    const char *stored =
        ptx_native_emit(n, "bitcast %s %s to %s", whole_type(n, t), interleaved(n, t), all);
    ptx_native_do(n, "call void @clem_scatter_whole_%u(<32 x i64> %s, %s %s, i32 %s)",
                  t->bits * t->width, a.text, all, stored, t->lanes);
}

void ptx_native_one_piece(struct ptx_native *n, struct ptx_native_transfer *t, bool is_store)
{
    const char *type = piece_type(n, t), *p = ptx_native_pointer_type(n, type);
    const char *parts = ptx_format(n->e, "<%u x i%u>", t->width, t->bits);
    const char *at = ptx_native_pointer(n, type, ptx_native_full_address(n, t->at).text);
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
