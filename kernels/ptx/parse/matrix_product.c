/* Products of matrices: mma, dense and sparse, and wmma.mma. A fragment is in pieces of 8 rows: thread 4 g + t has of a sum
 * row g and columns 2 t and 2 t + 1; of a row of a, four threads have a register each for every step along k, and of a
 * column n of b, threads 4 n to 4 n + 3 have. So wmma, whose fragments nobody else knows, has them too.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/parse/matrix.h"

struct product {
    const struct matrix_type *a, *b;
    int rows, columns, steps;         /* pieces of 8 rows and columns; registers of b along k */
    bool is_half_before, is_half_now; /* sums are of f16, two to a register */
    bool is_saturating, is_sparse, is_and;
    const char *rounding; /* of f64 */
    const struct matrix_group *indices;
    int selector;
};

/* ---- Registers as numbers ---- */

static bool is_exact(const struct product *p)
{
    return p->a->kind == OF_BYTES || p->a->kind == OF_NIBBLES || p->a->kind == OF_BITS;
}

static char sum_letter(const struct product *p)
{
    return p->a->kind == OF_F64 ? 'd' : is_exact(p) ? 'i' : 'f';
}

/* Of 8 bits to float: e5m2 is the upper half of f16, e4m3 has a NaN and a range of its own. */
static void write_small_floats(FILE *out, const struct matrix_type *type, int into)
{
    for (int i = 0; i < 4; i++) {
        const int x = 4 * into + i;
        ptx_matrix_put(out, "bfe.u32 $l, $w%d, %d, 8; ", into, 8 * i);
        if (type->kind == OF_E5M2) {
            ptx_matrix_put(out, "shl.b32 $l, $l, 8; cvt.u16.u32 $u, $l; cvt.f32.f16 $x%d, $u; ", x);
            continue;
        }
        ptx_matrix_put(out,
                       "and.b32 $h, $l, 127; shl.b32 $n, $h, 7; cvt.u16.u32 $u, $n; "
                       "cvt.f32.f16 $x%d, $u; mul.f32 $x%d, $x%d, 0f43800000; "
                       "setp.eq.u32 $p, $h, 127; selp.f32 $x%d, 0f7fffffff, $x%d, $p; ",
                       x, x, x, x, x);
        ptx_matrix_put(out,
                       "and.b32 $l, $l, 128; shl.b32 $l, $l, 24; mov.b32 $h, $x%d; "
                       "or.b32 $h, $h, $l; mov.b32 $x%d, $h; ",
                       x, x);
    }
}

/* The floats of register w of that number: x of four times the number, and those behind it. */
static void write_floats(FILE *out, const struct matrix_type *type, int into)
{
    const int x = 4 * into;
    if (type->kind == OF_F16)
        ptx_matrix_put(out, "mov.b32 {$u, $v}, $w%d; cvt.f32.f16 $x%d, $u; cvt.f32.f16 $x%d, $v; ",
                       into, x, x + 1);
    else if (type->kind == OF_BF16)
        ptx_matrix_put(out,
                       "shl.b32 $l, $w%d, 16; mov.b32 $x%d, $l; and.b32 $l, $w%d, -65536; "
                       "mov.b32 $x%d, $l; ",
                       into, x, into, x + 1);
    else if (type->kind == OF_TF32)
        ptx_matrix_put(out, "and.b32 $l, $w%d, -8192; mov.b32 $x%d, $l; ", into, x);
    else if (type->kind == OF_E4M3 || type->kind == OF_E5M2)
        write_small_floats(out, type, into);
}

/* Register `into` becomes what `name` is in thread $s. */
static void write_register(FILE *out, const struct matrix_type *type, int into, const char *name)
{
    if (type->kind == OF_F64)
        ptx_matrix_put(out,
                       "mov.b64 {$l, $h}, %s; shfl.sync.idx.b32 $l, $l, $s, 31, -1; "
                       "shfl.sync.idx.b32 $h, $h, $s, 31, -1; mov.b64 $y%d, {$l, $h}; ",
                       name, into);
    else
        ptx_matrix_put(out, "mov.b32 $l, %s; shfl.sync.idx.b32 $w%d, $l, $s, 31, -1; ", name, into);
}

/* ---- Products ---- */

/* Of 4 bits: as 8 bits that are 16 times as much, so that products are 256 times. First those of odd places. */
static void write_nibbles(FILE *out, const struct product *p, int sum, int a, int b)
{
    ptx_matrix_put(out, "and.b32 $l, $w%d, -252645136; and.b32 $h, $w%d, -252645136; ", a, b);
    ptx_matrix_put(out, "dp4a.%s.%s $i%d, $l, $h, $i%d; ", p->a->product, p->b->product, sum, sum);
    ptx_matrix_put(out, "shl.b32 $l, $w%d, 4; shl.b32 $h, $w%d, 4; ", a, b);
    ptx_matrix_put(out, "and.b32 $l, $l, -252645136; and.b32 $h, $h, -252645136; ");
    ptx_matrix_put(out, "dp4a.%s.%s $i%d, $l, $h, $i%d; ", p->a->product, p->b->product, sum, sum);
}

/* A sum grows by the products of two registers. */
static void write_product(FILE *out, const struct product *p, int sum, int a, int b)
{
    switch (p->a->kind) {
    case OF_F64:
        ptx_matrix_put(out, "fma.%s.f64 $d%d, $y%d, $y%d, $d%d; ", p->rounding, sum, a, b, sum);
        break;
    case OF_BYTES:
        ptx_matrix_put(out, "dp4a.%s.%s $i%d, $w%d, $w%d, $i%d; ", p->a->product, p->b->product,
                       sum, a, b, sum);
        break;
    case OF_NIBBLES:
        write_nibbles(out, p, sum, a, b);
        break;
    case OF_BITS:
        ptx_matrix_put(out, "%s.b32 $l, $w%d, $w%d; popc.b32 $l, $l; add.u32 $i%d, $i%d, $l; ",
                       p->is_and ? "and" : "xor", a, b, sum, sum);
        break;
    default:
        for (int i = 0; i < ptx_matrix_elements_of(p->a); i++)
            ptx_matrix_put(out, "fma.rn.f32 $f%d, $x%d, $x%d, $f%d; ", sum, 4 * a + i, 4 * b + i,
                           sum);
    }
}

static void write_columns(FILE *out, const struct product *p, const struct matrix_group *b,
                          int step)
{
    for (int column = 0; column < 2 * p->columns; column++) {
        ptx_matrix_put(out, "mad.lo.u32 $s, $t, 8, $k; add.u32 $s, $s, %d; ", column % 2 * 4);
        write_register(out, p->b, p->rows, b->names[column / 2 * p->steps + step]);
        write_floats(out, p->b, p->rows);
        for (int row = 0; row < p->rows; row++)
            write_product(out, p, (column / 2 * p->rows + row) * 2 + column % 2, row, p->rows);
    }
}

static void write_dense(FILE *out, const struct product *p, const struct matrix_group *a,
                        const struct matrix_group *b)
{
    for (int step = 0; step < p->steps; step++) {
        ptx_matrix_put(out, "mad.lo.u32 $s, $g, 4, $k; ");
        for (int row = 0; row < p->rows; row++) {
            write_register(out, p->a, row, a->names[step * p->rows + row]);
            write_floats(out, p->a, row);
        }
        write_columns(out, p, b, step);
    }
}

/* ---- Sparse a ---- */

/* Of a, a register stands for as many elements as two of b: of each four pieces that these have, of 16 bits or of 8, two. The
 * indices of a register's are 4 bits for 16 bits, and 8 for pieces of 8: in $q of the row, as what prmt takes to choose from
 * the two registers of b. `part` is the register's place among four threads. */
static void write_choice(FILE *out, const struct product *p, int step, int part, int row)
{
    const bool is_long = p->steps == 4, is_byte = p->a->bits < 16;
    const int owner = is_byte ? (is_long ? 2 * step + row : 2 * p->selector + row)
                              : (is_long ? 2 * p->selector + step : p->selector);
    ptx_matrix_put(
        out, "mov.b32 $l, %s; mad.lo.u32 $s, $g, 4, %d; shfl.sync.idx.b32 $h, $l, $s, 31, -1; ",
        p->indices->names[0], owner);
    if (is_byte) {
        ptx_matrix_put(out, "shl.b32 $l, $k, 3; add.u32 $l, $l, %d; shr.u32 $h, $h, $l; ",
                       8 * part);
        ptx_matrix_put(out, "and.b32 $q%d, $h, 3; or.b32 $q%d, $q%d, 17408; ", row, row, row);
        for (int i = 1; i < 4; i++)
            ptx_matrix_put(out,
                           "bfe.u32 $l, $h, %d, 2; shl.b32 $l, $l, %d; add.u32 $q%d, $q%d, $l; ",
                           2 * i, 4 * i, row, row);
        return;
    }
    ptx_matrix_put(out, "shl.b32 $l, $k, 2; add.u32 $l, $l, %d; shr.u32 $h, $h, $l; ",
                   16 * row + 4 * part);
    ptx_matrix_put(out,
                   "and.b32 $l, $h, 3; mad.lo.u32 $q%d, $l, 34, 4112; bfe.u32 $l, $h, 2, 2; "
                   "mad.lo.u32 $q%d, $l, 8704, $q%d; ",
                   row, row, row);
}

/* Two registers of b, of threads side by side, and of them for each row what a's indices say. */
static void write_chosen(FILE *out, const struct product *p, const char *name, int column)
{
    ptx_matrix_put(out, "mad.lo.u32 $s, $t, 8, %d; mad.lo.u32 $s, $k, 2, $s; ", 4 * column);
    write_register(out, p->b, 2, name);
    ptx_matrix_put(out, "add.u32 $s, $s, 1; ");
    write_register(out, p->b, 3, name);
    for (int row = 0; row < p->rows; row++) {
        ptx_matrix_put(out, "prmt.b32 $w4, $w2, $w3, $q%d; ", row);
        write_floats(out, p->b, 4);
        write_product(out, p, 2 * row + column, row, 4);
    }
}

/* The turns are two: what b has of four threads' registers of a lies in two of its own. */
static void write_sparse(FILE *out, const struct product *p, const struct matrix_group *a,
                         const struct matrix_group *b)
{
    for (int step = 0; step < p->steps; step++) {
        for (int row = 0; row < p->rows; row++) {
            write_choice(out, p, step / 2, step % 2 * 2, row);
            ptx_matrix_put(out, "mad.lo.u32 $s, $g, 4, %d; add.u32 $s, $s, $k; ", step % 2 * 2);
            write_register(out, p->a, row, a->names[step / 2 * p->rows + row]);
            write_floats(out, p->a, row);
        }
        for (int column = 0; column < 2; column++)
            write_chosen(out, p, b->names[step], column);
    }
}

/* ---- Sums ---- */

static int sum_count(const struct product *p)
{
    return 2 * p->rows * p->columns;
}

/* Integers are added to what there was in the end, where they may saturate. */
static void write_sums_before(FILE *out, const struct product *p, const struct matrix_group *from)
{
    for (int i = 0; i < sum_count(p); i++)
        if (is_exact(p))
            ptx_matrix_put(out, "mov.b32 $i%d, 0; ", i);
        else if (!p->is_half_before)
            ptx_matrix_put(out, "mov.%s $%c%d, %s; ", p->a->kind == OF_F64 ? "b64" : "b32",
                           sum_letter(p), i, from->names[i]);
        else if (i % 2 == 0)
            ptx_matrix_put(out,
                           "mov.b32 {$u, $v}, %s; cvt.f32.f16 $f%d, $u; cvt.f32.f16 $f%d, $v; ",
                           from->names[i / 2], i, i + 1);
}

static void write_exact_sum(FILE *out, const struct product *p, int i, const char *from,
                            const char *into)
{
    if (p->a->kind == OF_NIBBLES)
        ptx_matrix_put(out, "shr.s32 $i%d, $i%d, 8; ", i, i);
    ptx_matrix_put(out, "mov.b32 $l, %s; add%s.s32 $l, $l, $i%d; mov.b32 %s, $l; ", from,
                   p->is_saturating ? ".sat" : "", i, into);
}

static void write_sums_now(FILE *out, const struct product *p, const struct matrix_group *from,
                           const struct matrix_group *into)
{
    for (int i = 0; i < sum_count(p); i++)
        if (is_exact(p))
            write_exact_sum(out, p, i, from->names[i], into->names[i]);
        else if (!p->is_half_now)
            ptx_matrix_put(out, "mov.%s %s, $%c%d; ", p->a->kind == OF_F64 ? "b64" : "b32",
                           into->names[i], sum_letter(p), i);
        else if (i % 2 == 0)
            ptx_matrix_put(
                out, "cvt.rn.f16.f32 $u, $f%d; cvt.rn.f16.f32 $v, $f%d; mov.b32 %s, {$u, $v}; ", i,
                i + 1, into->names[i / 2]);
}

static void write_whole(FILE *out, const struct product *p, const struct matrix *m)
{
    ptx_matrix_put_registers(out);
    write_sums_before(out, p, &m->groups[3]);
    ptx_matrix_put(out, "mov.u32 $k, 0; $turn: ");
    if (p->is_sparse)
        write_sparse(out, p, &m->groups[1], &m->groups[2]);
    else
        write_dense(out, p, &m->groups[1], &m->groups[2]);
    ptx_matrix_put(out, "add.u32 $k, $k, 1; setp.lt.u32 $p, $k, %d; @$p bra $turn; ",
                   p->is_sparse ? 2 : 4);
    write_sums_now(out, p, &m->groups[3], &m->groups[0]);
    ptx_matrix_put(out, "}");
}

/* ---- What is known ---- */

static bool is_sum_of(const struct matrix_type *type, const struct product *p, bool *is_half)
{
    const bool may_be_half = p->a->kind == OF_F16 || p->a->kind == OF_E4M3 || p->a->kind == OF_E5M2;
    *is_half = type->kind == OF_F16;
    return type->kind == (p->a->kind == OF_F64 ? OF_F64
                          : is_exact(p)        ? OF_S32
                                               : OF_F32) ||
           (may_be_half && *is_half);
}

static bool read_shape(const struct matrix *m, struct product *p)
{
    p->rows = m->high / 8;
    p->columns = m->wide / 8;
    p->steps = m->depth / ptx_matrix_step_of(p->a);
    return m->depth > 0 && m->high % 8 == 0 && m->wide % 8 == 0 && p->rows >= 1 && p->rows <= 4 &&
           p->columns >= 1 && p->columns <= 4 && p->steps >= 1 && p->steps <= 4 &&
           m->depth % ptx_matrix_step_of(p->a) == 0;
}

static bool read_modifiers(const struct matrix *m, struct product *p)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    p->rounding = "rn";
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (ptx_matrix_has(m, roundings[i]))
            p->rounding = roundings[i];
    p->is_saturating = ptx_matrix_has(m, "satfinite");
    p->is_and = ptx_matrix_has(m, "and");
    return (is_exact(p) || !p->is_saturating) &&
           (p->a->kind == OF_BITS) ==
               (ptx_matrix_has(m, "popc") && (p->is_and || ptx_matrix_has(m, "xor")));
}

static bool is_pair(const struct matrix_type *a, const struct matrix_type *b)
{
    const bool is_small = a->kind == OF_E4M3 || a->kind == OF_E5M2;
    return a->kind < OF_F32 &&
           (a->kind == b->kind || (is_small && (b->kind == OF_E4M3 || b->kind == OF_E5M2)));
}

static bool has_counts(const struct matrix *m, int d, int a, int b, int c)
{
    return m->groups[0].count == d && m->groups[1].count == a && m->groups[2].count == b &&
           m->groups[3].count == c;
}

/* Each register of a, which is half of what it stands for, has two of b along k. */
static bool read_sparse(const struct matrix *m, struct product *p)
{
    const struct matrix_group *selector = &m->groups[5];
    p->is_sparse = true;
    if (m->count != 6 || m->groups[4].count != 1 || selector->count != 1 || p->rows != 2 ||
        p->steps % 2 || p->a->kind == OF_F64 || p->a->kind == OF_BITS)
        return false;
    p->indices = &m->groups[4];
    p->selector = selector->names[0][0] - '0';
    const int most = p->steps == 2 ? (p->a->bits < 16 ? 1 : 3) : p->a->bits < 16 ? 0 : 1;
    return p->selector >= 0 && p->selector <= most && selector->names[0][1] == '\0';
}

bool ptx_matrix_write_mma(const struct matrix *m, FILE *out)
{
    if (m->type_count != 4 || !is_pair(m->types[1], m->types[2]))
        return false;
    struct product p = {.a = m->types[1], .b = m->types[2]};
    if (p.a->kind == OF_F16 && m->depth == 4)
        return ptx_matrix_write_quads(m, out);
    if (!ptx_matrix_has(m, "row") || !ptx_matrix_has(m, "col") || !read_shape(m, &p) ||
        p.rows > 2 || p.columns != 1 || !read_modifiers(m, &p) ||
        !is_sum_of(m->types[0], &p, &p.is_half_now) ||
        !is_sum_of(m->types[3], &p, &p.is_half_before))
        return false;
    const bool is_sparse = ptx_matrix_has(m, "sp");
    if (is_sparse ? !read_sparse(m, &p) : m->count != 4)
        return false;
    const int sums = sum_count(&p), a = p.rows * p.steps;
    if (!has_counts(m, p.is_half_now ? sums / 2 : sums, is_sparse ? a / 2 : a, p.steps,
                    p.is_half_before ? sums / 2 : sums))
        return false;
    write_whole(out, &p, m);
    return true;
}

/* Of f16, d and c alone have types, and a and b 8 registers each, which are the same ones again where there are fewer. */
bool ptx_matrix_write_wmma_product(const struct matrix *m, FILE *out)
{
    static const struct matrix_type half = {"f16", OF_F16, 16, NULL};
    const bool is_short = m->type_count == 2;
    if (m->count != 4 || (!is_short && m->type_count != 4) ||
        (!is_short && !is_pair(m->types[1], m->types[2])))
        return false;
    struct product p = {.a = is_short ? &half : m->types[1], .b = is_short ? &half : m->types[2]};
    if (!read_shape(m, &p) || !read_modifiers(m, &p) ||
        !is_sum_of(m->types[0], &p, &p.is_half_now) ||
        !is_sum_of(m->types[m->type_count - 1], &p, &p.is_half_before) || sum_count(&p) > 8)
        return false;
    const int sums = sum_count(&p);
    if (!has_counts(m, p.is_half_now ? sums / 2 : sums, is_short ? 8 : p.rows * p.steps,
                    is_short ? 8 : p.columns * p.steps, p.is_half_before ? sums / 2 : sums))
        return false;
    write_whole(out, &p, m);
    return true;
}
