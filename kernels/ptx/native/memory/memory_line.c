/* Loads and stores whose places lie on a line (lines.c), in the native form: as rows, without looking at each lane.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lines ---- */

enum { HALF = PTX_NATIVE_LANES / 2 };

int64_t ptx_native_stride_of(const struct ptx_native_place *at)
{
    return ptx_native_step_of(at->term.line);
}

/* Masks of vectors of these elements are the processor's own. */
static bool has_masks(const struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const bool is_wide = t->bits == 32 || t->bits == 64;
    const bool is_narrow = t->bits == 8 || t->bits == 16;
    return t->width == 1 && !n->e->target->lacks_masks &&
           (is_wide || (is_narrow && n->e->target->has_byte_masks));
}

static bool is_all(const char *lanes)
{
    return strcmp(lanes, "-1") == 0;
}

const char *ptx_native_is_straight(struct ptx_native *n, const struct ptx_native_term *term)
{
    const struct ptx_native_line line = term->line;
    const char *all = NULL;
    if (line.kind != PTX_LINE_WIDE)
        return NULL;
    const int64_t reach = line.step * (line.is_whole ? PTX_NATIVE_LANES - 1 : HALF - 1);
    const int64_t least = line.is_signed ? INT32_MIN : 0,
                  most = line.is_signed ? INT32_MAX : UINT32_MAX;
    for (unsigned h = 0; h < (line.is_whole || line.is_twin ? 1 : 2); h++) {
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
const char *ptx_native_line_start(struct ptx_native *n, const struct ptx_native_place *at,
                                  unsigned half)
{
    const struct ptx_native_term *term = &at->term;
    half = term->line.is_twin ? 0 : half;
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
static const char *load_row(struct ptx_native *n, const struct ptx_native_transfer *t,
                            unsigned count, const char *start, const char *mask)
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

static void store_row(struct ptx_native *n, const struct ptx_native_transfer *t, unsigned count,
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
static const char *mask_of(struct ptx_native *n, const struct ptx_native_transfer *t, bool is_whole,
                           unsigned half)
{
    if (is_all(t->lanes) || !has_masks(n, t))
        return NULL;
    if (is_whole)
        return ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", t->lanes);
    const char *lanes = half ? ptx_native_emit(n, "lshr i32 %s, 16", t->lanes) : t->lanes;
    return ptx_native_emit(n, "bitcast i16 %s to <16 x i1>",
                           ptx_native_emit(n, "trunc i32 %s to i16", lanes));
}

static const char *half_of(struct ptx_native *n, const char *type, const char *value, unsigned half)
{
    return ptx_native_emit(
        n, "shufflevector <32 x %s> %s, <32 x %s> undef, <16 x i32> %s", type, value, type,
        half ? ptx_native_numbers_from(n, HALF) : ptx_native_numbers(n, 32, HALF, 1, 1, 0));
}

/* A number for each half, of which a load reads where no lane is there as well: there it is the other half's place. */
static const char *place_of_half(struct ptx_native *n, const struct ptx_native_transfer *t,
                                 const char *const starts[2], unsigned half)
{
    if (is_all(t->lanes))
        return starts[half];
    const char *is_there =
        half ? ptx_native_emit(n, "icmp ugt i32 %s, 65535", t->lanes)
             : ptx_native_emit(n, "icmp ne i16 %s, 0",
                               ptx_native_emit(n, "trunc i32 %s to i16", t->lanes));
    return ptx_native_emit(n, "select i1 %s, i64 %s, i64 %s", is_there, starts[half],
                           starts[1 - half]);
}

static struct ptx_native_value load_two_places(struct ptx_native *n,
                                               const struct ptx_native_transfer *t)
{
    const char *i = ptx_native_integer(t->bits), *p = ptx_native_pointer_type(n, i);
    const char *starts[2] = {ptx_native_line_start(n, &t->at, 0),
                             ptx_native_line_start(n, &t->at, 1)};
    struct ptx_native_term pair = {.line = {.kind = PTX_LINE_PLAIN}};
    for (unsigned h = 0; h < 2; h++)
        pair.base[h] =
            ptx_native_emit(n, "load %s, %s %s, align %u", i, p,
                            ptx_native_pointer(n, i, place_of_half(n, t, starts, h)), t->bits / 8);
    return ptx_native_of_term(n, pair, t->bits);
}

/* Of halves that are alike: those lanes that are in any. */
static const char *mask_of_both(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    if (is_all(t->lanes) || !has_masks(n, t))
        return NULL;
    const char *upper = ptx_native_emit(n, "lshr i32 %s, 16", t->lanes);
    const char *both = ptx_native_emit(n, "or i32 %s, %s", t->lanes, upper);
    return ptx_native_emit(n, "bitcast i16 %s to <16 x i1>",
                           ptx_native_emit(n, "trunc i32 %s to i16", both));
}

/* ---- Rows of the first lanes ---- */

/* How many lanes there are from the first on, where that is known and less than all: a power of two. Otherwise 0. */
static unsigned first_lanes(const struct ptx_native_transfer *t)
{
    if (t->lanes[0] < '0' || t->lanes[0] > '9' || t->width != 1 || t->bits < 8)
        return 0;
    const unsigned long lanes = strtoul(t->lanes, NULL, 10);
    for (unsigned count = 1; count <= HALF; count *= 2)
        if (lanes == (1ul << count) - 1)
            return count;
    return 0;
}

/* A vector of so many lanes as one of all, of which the others are anything; and its first lanes. */
static const char *widened(struct ptx_native *n, const char *element, unsigned count,
                           const char *value)
{
    const char *numbers = "";
    for (unsigned l = 0; l < PTX_NATIVE_LANES; l++)
        numbers = l < count ? ptx_format(n->e, "%s%si32 %u", numbers, l ? "," : "", l)
                            : ptx_format(n->e, "%s,i32 undef", numbers);
    return ptx_native_emit(n, "shufflevector <%u x %s> %s, <%u x %s> undef, <32 x i32> <%s>", count,
                           element, value, count, element, numbers);
}

static const char *narrowed(struct ptx_native *n, const char *element, unsigned count,
                            const char *value)
{
    return ptx_native_emit(n, "shufflevector <32 x %s> %s, <32 x %s> undef, <%u x i32> %s", element,
                           value, element, count, ptx_native_numbers(n, 32, count, 1, 1, 0));
}

/* ---- Rows whose lanes go down ---- */

static const char *reversed(struct ptx_native *n, const struct ptx_native_transfer *t,
                            const char *value)
{
    return ptx_native_emit(n, "shufflevector <32 x i%u> %s, <32 x i%u> undef, <32 x i32> %s",
                           t->bits, value, t->bits, ptx_native_down());
}

static const char *last_start(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    return ptx_native_emit(n, "sub i64 %s, %u", ptx_native_line_start(n, &t->at, 0),
                           (PTX_NATIVE_LANES - 1) * t->bits / 8);
}

static const char *reversed_mask(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    if (is_all(t->lanes) || !has_masks(n, t))
        return NULL;
    ptx_native_declare(n, "declare i32 @llvm.bitreverse.i32(i32)");
    return ptx_native_emit(n, "bitcast i32 %s to <32 x i1>",
                           ptx_native_emit(n, "call i32 @llvm.bitreverse.i32(i32 %s)", t->lanes));
}

static bool goes_down(const struct ptx_native_transfer *t)
{
    return ptx_native_stride_of(&t->at) == -(int64_t)(t->bits / 8) && t->width == 1 &&
           t->at.term.line.is_whole;
}

/* Of lanes that are known to be there, and of which nothing has to hold (ptx_native_row_condition()). */
unsigned ptx_native_lanes_of_row(const struct ptx_native_transfer *t)
{
    const bool is_row = t->at.is_line && t->at.term.line.is_whole && t->width == 1 &&
                        t->at.term.line.kind == PTX_LINE_PLAIN &&
                        ptx_native_stride_of(&t->at) == (int64_t)(t->bits / 8);
    return !is_row ? 0 : is_all(t->lanes) ? PTX_NATIVE_LANES : first_lanes(t);
}

/* ---- Either ---- */

void ptx_native_load_on_line(struct ptx_native *n, const struct ptx_native_transfer *t,
                             struct ptx_native_value *to)
{
    const struct ptx_native_line line = t->at.term.line;
    const char *i = ptx_native_integer(t->bits);
    if (goes_down(t)) {
        const char *row = load_row(n, t, PTX_NATIVE_LANES, last_start(n, t), reversed_mask(n, t));
        to[0] = (struct ptx_native_value){reversed(n, t, row), (uint8_t)t->bits, true};
        return;
    }
    if (line.is_whole) {
        const char *start = ptx_native_line_start(n, &t->at, 0);
        const unsigned few = first_lanes(t);
        const char *mask = few ? NULL : mask_of(n, t, true, 0);
        const unsigned row = ptx_native_lanes_of_row(t);
        const char *kept = row > 0 ? ptx_native_kept_row(n, t, row) : NULL;
        if (!kept && !few && !mask)
            kept = ptx_native_row_beside(n, t, start);
        if (kept)
            to[0] = (struct ptx_native_value){kept, (uint8_t)t->bits, true};
        else if (few)
            to[0] = (struct ptx_native_value){widened(n, i, few, load_row(n, t, few, start, NULL)),
                                              (uint8_t)t->bits, true};
        else if (!mask)
            ptx_native_load_neighbours(n, t, start, to);
        else
            to[0] = (struct ptx_native_value){load_row(n, t, PTX_NATIVE_LANES, start, mask),
                                              (uint8_t)t->bits, true};
        return;
    }
    if (ptx_native_stride_of(&t->at) == 0) {
        to[0] = load_two_places(n, t);
        return;
    }
    const char *halves[2];
    for (unsigned h = 0; h < (line.is_twin ? 1 : 2); h++)
        halves[h] = load_row(n, t, HALF, ptx_native_line_start(n, &t->at, h),
                             line.is_twin ? mask_of_both(n, t) : mask_of(n, t, false, h));
    to[0] = (struct ptx_native_value){
        ptx_native_joined(n, t->bits, HALF, halves[0], halves[line.is_twin ? 0 : 1]),
        (uint8_t)t->bits, true};
}

void ptx_native_store_on_line(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *value = ptx_native_vector(n, t->values[0]).text, *i = ptx_native_integer(t->bits);
    if (goes_down(t)) {
        store_row(n, t, PTX_NATIVE_LANES, last_start(n, t), reversed_mask(n, t),
                  reversed(n, t, value));
        return;
    }
    if (t->at.term.line.is_whole) {
        const char *start = ptx_native_line_start(n, &t->at, 0);
        const unsigned few = first_lanes(t);
        const char *mask = few ? NULL : mask_of(n, t, true, 0);
        const unsigned row = ptx_native_lanes_of_row(t);
        if (row > 0 && ptx_native_keep_row(n, t, row, value))
            return;
        if (few)
            store_row(n, t, few, start, NULL, narrowed(n, i, few, value));
        else if (!mask)
            ptx_native_store_neighbours(n, t, start);
        else
            store_row(n, t, PTX_NATIVE_LANES, start, mask, value);
        return;
    }
    for (unsigned h = 2; h > 0; h--) /* the lower lanes' values stay */
        store_row(n, t, HALF, ptx_native_line_start(n, &t->at, h - 1), mask_of(n, t, false, h - 1),
                  half_of(n, i, value, h - 1));
}

void ptx_native_load_rows(struct ptx_native *n, const struct ptx_native_transfer *t,
                          const char *const starts[2], struct ptx_native_value *to)
{
    const char *halves[2];
    for (unsigned h = 0; h < 2; h++)
        halves[h] = load_row(n, t, HALF, starts[h], NULL);
    to[0] = (struct ptx_native_value){ptx_native_joined(n, t->bits, HALF, halves[0], halves[1]),
                                      (uint8_t)t->bits, true};
}

void ptx_native_store_rows(struct ptx_native *n, const struct ptx_native_transfer *t,
                           const char *const starts[2])
{
    const char *value = ptx_native_vector(n, t->values[0]).text;
    for (unsigned h = 2; h > 0; h--) /* the lower lanes' values stay */
        store_row(n, t, HALF, starts[h - 1], NULL,
                  half_of(n, ptx_native_integer(t->bits), value, h - 1));
}

/* Of elements that LLVM has no masks for: where the lanes' places are a row within one page, of which some lane reads, the whole
 * row can be read, as at the edges of an image. */
static const char *read_in_page(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    enum { PAGE = 4096 }; /* the smallest */
    const unsigned size = t->bits / 8;
    const char *row = ptx_format(n->e, "<32 x i%u>", (unsigned)t->bits);
    if (has_masks(n, t))
        return "";
    return ptx_format(n->e,
                      "  %%first = extractelement <32 x i64> %%a, i32 0\n"
                      "  %%last = extractelement <32 x i64> %%a, i32 31\n"
                      "  %%length = sub i64 %%last, %%first\n"
                      "  %%is.row = icmp eq i64 %%length, %u\n"
                      "  %%within = and i64 %%first, %d\n"
                      "  %%is.in = icmp ule i64 %%within, %u\n"
                      "  %%is.read = icmp ne i32 %%m, 0\n"
                      "  %%is.both = and i1 %%is.row, %%is.in\n"
                      "  %%is.whole = and i1 %%is.both, %%is.read\n"
                      "  br i1 %%is.whole, label %%whole, label %%single\n"
                      "whole:\n"
                      "  %%pointer = inttoptr i64 %%first to %s\n"
                      "  %%values = load %s, %s %%pointer, align 1\n"
                      "  ret %s %%values\n"
                      "single:\n",
                      31 * size, PAGE - 1, PAGE - 32 * size, ptx_native_pointer_type(n, row), row,
                      ptx_native_pointer_type(n, row), row);
}

/* Where a line is no row after all, a function that stands once in the text looks at its lanes: it is given the numbers of
 * the line, and not a vector that all others would have to make room for. Its name. */
static const char *define_far(struct ptx_native *n, const struct ptx_native_transfer *t,
                              bool is_store)
{
    struct ptx_emitter *e = n->e;
    const struct ptx_native_line line = t->at.term.line;
    const bool is_wide = line.kind == PTX_LINE_WIDE;
    const long long step = (long long)(is_wide ? line.step : ptx_native_stride_of(&t->at));
    const long long slope = (long long)(is_wide ? line.slope : 0);
    const char *i = ptx_native_integer(t->bits), *do_it = is_store ? "scatter" : "gather";
    const char *name = ptx_format(e, "clem_%s_line_%u_%s_%lld_%lld_%lld", do_it, t->bits,
                                  is_wide ? line.is_signed ? "s" : "u" : "p", step,
                                  is_wide ? (long long)line.scale : 1ll, slope);
    const char *addresses =
        is_wide
            ? ptx_format(e,
                         "  %%b1 = insertelement <32 x i32> undef, i32 %%b, i32 0\n"
                         "  %%b2 = shufflevector <32 x i32> %%b1, <32 x i32> undef, <32 x i32> "
                         "zeroinitializer\n"
                         "  %%b3 = add <32 x i32> %%b2, %s\n"
                         "  %%b4 = %s <32 x i32> %%b3 to <32 x i64>\n"
                         "  %%c1 = insertelement <32 x i64> undef, i64 %lld, i32 0\n"
                         "  %%c2 = shufflevector <32 x i64> %%c1, <32 x i64> undef, <32 x i32> "
                         "zeroinitializer\n"
                         "  %%o1 = mul <32 x i64> %%b4, %%c2\n"
                         "  %%o = add <32 x i64> %%o1, %s\n",
                         ptx_native_ramp(n, 32, line.step, true), line.is_signed ? "sext" : "zext",
                         (long long)line.scale, ptx_native_ramp(n, 64, slope, true))
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
                         ptx_native_transfer_suffix(n, t), i)
            : ptx_format(e,
                         "%s  %%r = call <32 x %s> @clem_gather_%s(<32 x i64> %%a, i32 %%m)\n"
                         "  ret <32 x %s> %%r\n",
                         read_in_page(n, t), i, ptx_native_transfer_suffix(n, t), i));
    return name;
}

void ptx_native_far_line(struct ptx_native *n, const struct ptx_native_transfer *t, bool is_store,
                         struct ptx_native_value *to)
{
    const bool is_wide = t->at.term.line.kind == PTX_LINE_WIDE;
    struct ptx_native_transfer one = *t; /* the functions are those of one element of each lane */
    one.width = 1;
    ptx_native_define_lanes(n, &one, is_store);
    const char *i = ptx_native_integer(t->bits), *name = define_far(n, &one, is_store);
    struct ptx_native_value start = ptx_native_number(
        n, 64, is_wide ? t->at.term.start[0] : ptx_native_line_start(n, &t->at, 0));
    const char *base = is_wide ? t->at.term.base[0] : "0";
    for (unsigned k = 0; k < t->width; k++) {
        const char *at = ptx_native_element_address(n, start, t, k).text;
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

/* Whether lanes' places are a row each half, a row that goes down, or, to be read, one place. */
bool ptx_native_is_row(const struct ptx_native_transfer *t, bool is_store)
{
    const int64_t stride = ptx_native_stride_of(&t->at);
    if (!t->at.is_line || t->is_volatile)
        return false;
    if (goes_down(t))
        return true;
    if (stride == (int64_t)(t->bits / 8) * t->width)
        return t->width == 1 || t->at.term.line.is_whole;
    return stride == 0 && !is_store && t->width == 1 && !t->at.term.line.is_whole;
}

bool ptx_native_takes_none(const struct ptx_native *n, const struct ptx_native_transfer *t,
                           bool is_store)
{
    return ptx_native_is_row(t, is_store) && has_masks(n, t) && ptx_native_stride_of(&t->at) != 0;
}

/* What has to hold for it: the i1, or NULL: nothing. */
const char *ptx_native_row_condition(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *is = ptx_native_is_straight(n, &t->at.term);
    const bool is_few = first_lanes(t) > 0 && t->at.term.line.is_whole && !goes_down(t);
    const bool needs_all =
        !is_all(t->lanes) && !is_few && !has_masks(n, t) && ptx_native_stride_of(&t->at) != 0;
    if (!needs_all)
        return is;
    const char *all = ptx_native_emit(n, "icmp eq i32 %s, -1", t->lanes);
    return is ? ptx_native_emit(n, "and i1 %s, %s", is, all) : all;
}
