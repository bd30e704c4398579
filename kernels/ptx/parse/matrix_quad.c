/* mma of m8n8k4 of f16: product j is that of threads 4 j to 4 j + 3, which have rows and columns 0 to 3, and of those 16
 * further, which have 4 to 7. Of a in rows and b in columns a thread has one whole, otherwise of each of its group's four the
 * element of its own number. Of a sum of f16 it has a row; of f32 two columns side by side of two rows, and these 4 further.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/parse/matrix.h"

struct quads {
    const struct matrix *m;
    bool is_half_before, is_half_now, is_a_turned, is_b_turned;
};

/* $x of that number: element $h of the four that thread $s has in two registers. */
static void write_element(FILE *out, int into, const char *low, const char *high)
{
    ptx_matrix_put(
        out,
        "mov.b32 $l, %s; shfl.sync.idx.b32 $w0, $l, $s, 31, -1; mov.b32 $l, %s; "
        "shfl.sync.idx.b32 $w1, $l, $s, 31, -1; mov.b64 $a, {$w0, $w1}; shl.b32 $h, $h, 4; "
        "shr.u64 $a, $a, $h; cvt.u16.u64 $u, $a; cvt.f32.f16 $x%d, $u; ",
        low, high, into);
}

/* Where element (line, along k) is: line $q + more of those of the group that begins with thread `group` + `further`. */
static void write_element_place(FILE *out, bool is_turned, const char *group, int further, int line,
                                int more)
{
    ptx_matrix_put(out, "add.u32 $l, $q%d, %d; ", line, more);
    ptx_matrix_put(out,
                   is_turned ? "add.u32 $s, %s, %d; add.u32 $s, $s, $k; mov.b32 $h, $l; "
                             : "add.u32 $s, %s, %d; add.u32 $s, $s, $l; mov.b32 $h, $k; ",
                   group, further);
}

/* Of a sum, which row piece and column. */
static int row_of(const struct quads *q, int i)
{
    return q->is_half_now ? 0 : i / 2 % 2;
}

static int column_of(const struct quads *q, int i)
{
    return q->is_half_now ? i % 4 : i % 2;
}

static void write_before(FILE *out, const struct quads *q, int i)
{
    const struct matrix_group *c = &q->m->groups[3];
    if (!q->is_half_before) {
        ptx_matrix_put(out, "mov.b32 $f%d, %s; ", i, c->names[i]);
        return;
    }
    ptx_matrix_put(out, "add.u32 $s, clem_mma_n, $q0; add.u32 $s, $s, %d; add.u32 $h, $q1, %d; ",
                   2 * row_of(q, i), column_of(q, i));
    const int low = i < 4 ? 0 : 2;
    write_element(out, 0, c->names[low], c->names[low + 1]);
    ptx_matrix_put(out, "mov.b32 $f%d, $x0; ", i);
}

static void write_turn(FILE *out, const struct quads *q)
{
    const struct matrix_group *a = &q->m->groups[1], *b = &q->m->groups[2];
    for (int row = 0; row < (q->is_half_now ? 1 : 2); row++) {
        write_element_place(out, q->is_a_turned, "clem_mma_n", 0, 0, 2 * row);
        write_element(out, row, a->names[0], a->names[1]);
    }
    for (int i = 0; i < 8; i++) {
        if (row_of(q, i) == 0) {
            write_element_place(out, q->is_b_turned, "clem_mma_t", i / 4 * 16, 1, column_of(q, i));
            write_element(out, 2 + column_of(q, i), b->names[0], b->names[1]);
        }
        ptx_matrix_put(out, "fma.rn.f32 $f%d, $x%d, $x%d, $f%d; ", i, row_of(q, i),
                       2 + column_of(q, i), i);
    }
}

static void write_now(FILE *out, const struct quads *q)
{
    const struct matrix_group *d = &q->m->groups[0];
    for (int i = 0; i < 8; i++)
        if (!q->is_half_now)
            ptx_matrix_put(out, "mov.b32 %s, $f%d; ", d->names[i], i);
        else if (i % 2 == 0)
            ptx_matrix_put(
                out, "cvt.rn.f16.f32 $u, $f%d; cvt.rn.f16.f32 $v, $f%d; mov.b32 %s, {$u, $v}; ", i,
                i + 1, d->names[i / 2]);
}

/* "mma", "sync", "aligned", "m8n8k4", the order of a, that of b, and types. */
static bool read_quads(const struct matrix *m, struct quads *q)
{
    q->m = m;
    q->is_half_now = m->types[0]->kind == OF_F16;
    q->is_half_before = m->types[3]->kind == OF_F16;
    q->is_a_turned = m->words[4][0] == 'c';
    q->is_b_turned = m->words[5][0] == 'r';
    return m->high == 8 && m->wide == 8 && m->count == 4 && m->word_count == 10 &&
           (q->is_half_now || m->types[0]->kind == OF_F32) &&
           (q->is_half_before || (m->types[3]->kind == OF_F32 && !q->is_half_now)) &&
           m->groups[0].count == (q->is_half_now ? 4 : 8) && m->groups[1].count == 2 &&
           m->groups[2].count == 2 && m->groups[3].count == (q->is_half_before ? 4 : 8);
}

/* $t is the first thread of the product, $n that of the thread's own half of it, $q0 the first of its rows there, and $q1 of
 * its columns. */
bool ptx_matrix_write_quads(const struct matrix *m, FILE *out)
{
    struct quads q;
    if (!read_quads(m, &q))
        return false;
    ptx_matrix_put_registers(out);
    ptx_matrix_put(out, "mov.u32 $l, %%laneid; and.b32 $t, $l, 12; and.b32 $n, $l, 28; ");
    ptx_matrix_put(out, "and.b32 $q0, $l, %d; and.b32 $q1, $l, %d; ", q.is_half_now ? 3 : 1,
                   q.is_half_now ? 0 : 2);
    for (int i = 0; i < 8; i++)
        write_before(out, &q, i);
    ptx_matrix_put(out, "mov.u32 $k, 0; $turn: ");
    write_turn(out, &q);
    ptx_matrix_put(out, "add.u32 $k, $k, 1; setp.lt.u32 $p, $k, 4; @$p bra $turn; ");
    write_now(out, &q);
    ptx_matrix_put(out, "}");
    return true;
}
