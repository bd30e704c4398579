/* Loads and stores of lanes whose places are as far from each other as from the next, in the native form: each by an address that
 * is one number and a distance, eight lanes at a time, of which all may be there, or none.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

enum { HALF = PTX_NATIVE_LANES / 2, GROUP = 8, GROUPS = PTX_NATIVE_LANES / GROUP };

bool ptx_native_is_strided(const struct ptx_native_transfer *t)
{
    enum { FARTHEST = 1 << 20 };
    const int64_t stride = t->at.is_line ? ptx_native_stride_of(&t->at) : 0;
    return stride != 0 && stride >= -FARTHEST && stride <= FARTHEST && t->width == 1 &&
           !t->is_volatile && t->bits <= 64;
}

static const char *name_of(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    return ptx_format(n->e, "%u_%lld", t->bits, (long long)ptx_native_stride_of(&t->at));
}

/* Eight lanes from %b on, one after the other; those of %m are there, and the others' place is %w. */
static const char *eight(struct ptx_native *n, const struct ptx_native_transfer *t, bool is_store,
                         bool is_all)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(t->bits), *p = ptx_native_pointer_type(n, i);
    const char *text = "", *to = is_all ? "a" : "s";
    for (int k = 0; k < GROUP; k++) {
        const int l = is_store ? GROUP - 1 - k : k; /* the lowest lane's value stays */
        const long long behind = (long long)ptx_native_stride_of(&t->at) * l;
        const char *address = ptx_format(e, "%%%sb%d", to, l);
        text = ptx_format(e, "%s  %s = add i64 %%b, %lld\n", text, address, behind);
        if (!is_all) {
            text = ptx_format(e,
                              "%s  %%sc%d = and i32 %%m, %d\n  %%sd%d = icmp ne i32 %%sc%d, 0\n"
                              "  %%sf%d = select i1 %%sd%d, i64 %s, i64 %%w\n",
                              text, l, 1 << l, l, l, l, l, address);
            address = ptx_format(e, "%%sf%d", l);
        }
        text = ptx_format(e, "%s  %%%sp%d = inttoptr i64 %s to %s\n", text, to, l, address, p);
        if (is_store)
            text = ptx_format(e,
                              "%s  %%%sx%d = extractelement <8 x %s> %%x, i32 %d\n"
                              "  store %s %%%sx%d, %s %%%sp%d\n",
                              text, to, l, i, l, i, to, l, p, to, l);
        else
            text = ptx_format(e,
                              "%s  %%%sx%d = load %s, %s %%%sp%d\n"
                              "  %%%sr%d = insertelement <8 x %s> %s, %s %%%sx%d, i32 %d\n",
                              text, to, l, i, p, to, l, to, l, i,
                              l ? ptx_format(e, "%%%sr%d", to, l - 1) : "undef", i, to, l, l);
    }
    return ptx_format(e, "%s  ret %s\n", text,
                      is_store ? "void" : ptx_format(e, "<8 x %s> %%%sr7", i, to));
}

/* Lanes of every second, third or fourth element: all that lies between the first and the last is loaded in rows. Elements from
 * one lane to the next; 0: one by one is better. */
static int64_t elements_apart(const struct ptx_native_transfer *t)
{
    enum { MOST = 4 };
    const int64_t stride = ptx_native_stride_of(&t->at), bytes = t->bits / 8;
    return bytes > 0 && stride % bytes == 0 && stride > bytes && stride <= MOST * bytes
               ? stride / bytes
               : 0;
}

/* Which element the k-th row begins at: the last one ends with the last lane's. */
static int64_t row_begin(int64_t apart, int64_t k)
{
    const int64_t last = (GROUP - 1) * apart + 1 - GROUP;
    return k * GROUP < last ? k * GROUP : last;
}

/* Lane l's place in what is there of the rows before the k-th, and in that. */
static const char *taken_from_row(struct ptx_emitter *e, int64_t apart, int64_t k)
{
    const char *mask = "";
    for (int64_t l = 0; l < GROUP; l++) {
        const int64_t in_row = l * apart - row_begin(apart, k);
        const int64_t place = in_row < 0 ? (k > 1 ? l : l * apart) : GROUP + in_row;
        mask = in_row < GROUP ? ptx_format(e, "%s%si32 %lld", mask, l ? ", " : "", (long long)place)
                              : ptx_format(e, "%s%si32 undef", mask, l ? ", " : "");
    }
    return mask;
}

/* Eight lanes from %b on out of rows of eight elements. */
static const char *eight_of_rows(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    struct ptx_emitter *e = n->e;
    const int64_t apart = elements_apart(t);
    const char *row = ptx_format(e, "<8 x i%u>", t->bits), *p = ptx_native_pointer_type(n, row);
    const char *text = "";
    for (int64_t k = 0; k < apart; k++) {
        const int number = (int)k;
        const int64_t behind = row_begin(apart, k) * (int64_t)(t->bits / 8);
        text = ptx_format(e,
                          "%s  %%rb%d = add i64 %%b, %lld\n  %%rp%d = inttoptr i64 %%rb%d to %s\n"
                          "  %%rx%d = load %s, %s %%rp%d, align %u\n",
                          text, number, (long long)behind, number, number, p, number, row, p,
                          number, t->bits / 8);
        if (k > 0)
            text =
                ptx_format(e, "%s  %%rr%d = shufflevector %s %%%s%d, %s %%rx%d, <8 x i32> <%s>\n",
                           text, number, row, k > 1 ? "rr" : "rx", number - 1, row, number,
                           taken_from_row(e, apart, k));
    }
    return ptx_format(e, "%s  ret %s %%rr%d\n", text, row, (int)apart - 1);
}

static const char *eight_of_all(struct ptx_native *n, const struct ptx_native_transfer *t,
                                bool is_store)
{
    return !is_store && elements_apart(t) > 0 ? eight_of_rows(n, t) : eight(n, t, is_store, true);
}

static void define_eight(struct ptx_native *n, const struct ptx_native_transfer *t, bool is_store)
{
    const char *row = ptx_format(n->e, "<8 x i%u>", t->bits);
    ptx_native_declare(
        n,
        "define internal %s @clem_%s_eight_%s(i64 %%b, %si64 %%w, i32 %%m) alwaysinline nounwind "
        "{\n"
        "  %%none = icmp eq i32 %%m, 0\n  br i1 %%none, label %%not, label %%any\n"
        "any:\n  %%all = icmp eq i32 %%m, 255\n  br i1 %%all, label %%whole, label %%part\n"
        "not:\n  ret %s\nwhole:\n%spart:\n%s}",
        is_store ? "void" : row, is_store ? "scatter" : "gather", name_of(n, t),
        is_store ? ptx_format(n->e, "%s %%x, ", row) : "",
        is_store ? "void" : ptx_format(n->e, "%s zeroinitializer", row),
        eight_of_all(n, t, is_store), eight(n, t, is_store, false));
}

/* Where lanes that are not there read: at the place of the first that is. */
static const char *safe_text(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    return ptx_format(n->e,
                      "  %%f = call i32 @llvm.cttz.i32(i32 %%m, i1 false)\n"
                      "  %%in = and i32 %%f, 15\n  %%wide = zext i32 %%in to i64\n"
                      "  %%many = mul i64 %%wide, %lld\n  %%low = icmp ult i32 %%f, 16\n"
                      "  %%first = select i1 %%low, i64 %%s, i64 %%t\n"
                      "  %%w = add i64 %%first, %%many\n",
                      (long long)ptx_native_stride_of(&t->at));
}

/* All lanes, in groups; the halves begin at %s and %t. */
static const char *groups_text(struct ptx_native *n, const struct ptx_native_transfer *t,
                               bool is_store)
{
    struct ptx_emitter *e = n->e;
    const char *text = "", *row = ptx_format(e, "<8 x i%u>", t->bits);
    for (int k = 0; k < GROUPS; k++) {
        const int g = is_store ? GROUPS - 1 - k : k;
        text = ptx_format(e,
                          "%s  %%b%d = add i64 %s, %lld\n  %%n%d = lshr i32 %%m, %d\n"
                          "  %%m%d = and i32 %%n%d, 255\n",
                          text, g, g < 2 ? "%s" : "%t",
                          (long long)(g % 2) * (long long)GROUP *
                              (long long)ptx_native_stride_of(&t->at),
                          g, GROUP * g, g, g);
        if (is_store)
            text =
                ptx_format(e,
                           "%s  %%x%d = shufflevector <32 x i%u> %%x, <32 x i%u> undef, <8 x "
                           "i32> <i32 %d,i32 %d,i32 %d,i32 %d,i32 %d,i32 %d,i32 %d,i32 %d>\n"
                           "  call void @clem_scatter_eight_%s(i64 %%b%d, %s %%x%d, i64 %%w, "
                           "i32 %%m%d)\n",
                           text, g, t->bits, t->bits, 8 * g, 8 * g + 1, 8 * g + 2, 8 * g + 3,
                           8 * g + 4, 8 * g + 5, 8 * g + 6, 8 * g + 7, name_of(n, t), g, row, g, g);
        else
            text = ptx_format(e,
                              "%s  %%x%d = call %s @clem_gather_eight_%s(i64 %%b%d, i64 %%w, i32 "
                              "%%m%d)\n",
                              text, g, row, name_of(n, t), g, g);
    }
    return text;
}

static void define_store(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *i = ptx_native_integer(t->bits), *p = ptx_native_pointer_type(n, i);
    define_eight(n, t, true);
    ptx_native_declare(
        n,
        "define internal void @clem_scatter_stride_%s(i64 %%s, i64 %%t, <32 x %s> %%x, i32 %%m) "
        "alwaysinline nounwind {\n  %%waste = alloca %s\n  %%w = ptrtoint %s %%waste to i64\n%s"
        "  ret void\n}",
        name_of(n, t), i, i, p, groups_text(n, t, true));
    ptx_native_declare(
        n,
        "define internal void @clem_scatter_far_%s(i64 %%s, i64 %%t, <32 x %s> %%x, i32 %%m) "
        "noinline nounwind {\n"
        "  call void @clem_scatter_stride_%s(i64 %%s, i64 %%t, <32 x %s> %%x, i32 %%m)\n"
        "  ret void\n}",
        name_of(n, t), i, name_of(n, t), i);
}

static void define_load(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *i = ptx_native_integer(t->bits);
    define_eight(n, t, false);
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    ptx_native_declare(
        n,
        "define internal <32 x %s> @clem_gather_stride_%s(i64 %%s, i64 %%t, i32 %%m) alwaysinline "
        "nounwind {\n%s%s"
        "  %%y0 = shufflevector <8 x %s> %%x0, <8 x %s> %%x1, <16 x i32> %s\n"
        "  %%y1 = shufflevector <8 x %s> %%x2, <8 x %s> %%x3, <16 x i32> %s\n"
        "  %%r = shufflevector <16 x %s> %%y0, <16 x %s> %%y1, <32 x i32> %s\n"
        "  ret <32 x %s> %%r\n}",
        i, name_of(n, t), safe_text(n, t), groups_text(n, t, false), i, i,
        ptx_native_numbers(n, 32, 16, 1, 1, 0), i, i, ptx_native_numbers(n, 32, 16, 1, 1, 0), i, i,
        ptx_native_iota(32), i);
    ptx_native_declare(n,
                       "define internal <32 x %s> @clem_gather_far_%s(i64 %%s, i64 %%t, i32 %%m) "
                       "noinline nounwind {\n"
                       "  %%r = call <32 x %s> @clem_gather_stride_%s(i64 %%s, i64 %%t, i32 %%m)\n"
                       "  ret <32 x %s> %%r\n}",
                       i, name_of(n, t), i, name_of(n, t), i);
}

/* Where the lanes of the halves begin. */
static void starts_of(struct ptx_native *n, const struct ptx_native_transfer *t,
                      const char *starts[2])
{
    starts[0] = ptx_native_line_start(n, &t->at, 0);
    starts[1] = !t->at.term.line.is_whole
                    ? ptx_native_line_start(n, &t->at, 1)
                    : ptx_native_emit(n, "add i64 %s, %lld", starts[0],
                                      (long long)HALF * (long long)ptx_native_stride_of(&t->at));
}

/* In place where all lanes are there, and the text does not grow by it without end. */
static const char *how_to_call(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    enum { MOST_IN_PLACE = 16 };
    const bool is_in_place = t->lanes[0] == '-' && n->in_place < MOST_IN_PLACE;
    n->in_place += is_in_place;
    return is_in_place ? "stride" : "far";
}

void ptx_native_load_strided(struct ptx_native *n, const struct ptx_native_transfer *t,
                             struct ptx_native_value *to)
{
    const char *starts[2];
    define_load(n, t);
    starts_of(n, t, starts);
    to[0] = (struct ptx_native_value){
        ptx_native_emit(n, "call <32 x i%u> @clem_gather_%s_%s(i64 %s, i64 %s, i32 %s)", t->bits,
                        how_to_call(n, t), name_of(n, t), starts[0], starts[1], t->lanes),
        (uint8_t)t->bits, true};
}

void ptx_native_store_strided(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *starts[2];
    define_store(n, t);
    starts_of(n, t, starts);
    ptx_native_do(n, "call void @clem_scatter_%s_%s(i64 %s, i64 %s, <32 x i%u> %s, i32 %s)",
                  how_to_call(n, t), name_of(n, t), starts[0], starts[1], t->bits,
                  ptx_native_vector(n, t->values[0]).text, t->lanes);
}
