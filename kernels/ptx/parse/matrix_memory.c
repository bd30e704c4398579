/* Matrices between registers and memory: ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/parse/matrix.h"

/* ---- ldmatrix, stmatrix, movmatrix ---- */

/* Into $n: what "[%r1+16]" says, which is of shared memory. */
static void write_shared_address(const struct matrix *m, const char *address, FILE *out)
{
    const size_t length = strcspn(address, "+");
    ptx_matrix_put(out, "%s $n, %.*s; add.u32 $n, $n, %s; ",
                   m->has_wide_address ? "cvt.u32.u64" : "mov.b32", (int)length, address,
                   address[length] ? address + length + 1 : "0");
}

/* Thread 8 i + j has the address of row j of matrix i. A thread has the elements 2 t and 2 t + 1 of row g, whose address
 * becomes $l, or of column g: $l and $h. */
static void write_row_addresses(FILE *out, int matrix, bool is_turned)
{
    if (!is_turned) {
        ptx_matrix_put(out,
                       "add.u32 $s, $g, %d; shfl.sync.idx.b32 $l, $n, $s, 31, -1; "
                       "mad.lo.u32 $l, $t, 4, $l; ",
                       8 * matrix);
        return;
    }
    ptx_matrix_put(out,
                   "mad.lo.u32 $s, $t, 2, %d; shfl.sync.idx.b32 $l, $n, $s, 31, -1; "
                   "add.u32 $s, $s, 1; shfl.sync.idx.b32 $h, $n, $s, 31, -1; "
                   "mad.lo.u32 $l, $g, 2, $l; mad.lo.u32 $h, $g, 2, $h; ",
                   8 * matrix);
}

static void write_load(FILE *out, const char *into, bool is_turned)
{
    if (is_turned)
        ptx_matrix_put(
            out, "ld.shared.b16 $u, [$l]; ld.shared.b16 $v, [$h]; mov.b32 %s, {$u, $v}; ", into);
    else
        ptx_matrix_put(out, "ld.shared.b32 %s, [$l]; ", into);
}

static void write_store(FILE *out, const char *from, bool is_turned)
{
    if (is_turned)
        ptx_matrix_put(
            out, "mov.b32 {$u, $v}, %s; st.shared.b16 [$l], $u; st.shared.b16 [$h], $v; ", from);
    else
        ptx_matrix_put(out, "st.shared.b32 [$l], %s; ", from);
}

/* Of row g and columns 2 t and 2 t + 1 of the turned matrix: half g % 2 of what two threads have. */
static bool write_turn(const struct matrix *m, FILE *out)
{
    if (!ptx_matrix_has(m, "m8n8") || !ptx_matrix_has(m, "trans") || !ptx_matrix_has(m, "b16") ||
        m->count != 2 || m->groups[0].count != 1 || m->groups[1].count != 1)
        return false;
    ptx_matrix_put_registers(out);
    ptx_matrix_put(out,
                   "mov.b32 $n, %s; shr.u32 $s, $g, 1; mad.lo.u32 $s, $t, 8, $s; "
                   "shfl.sync.idx.b32 $l, $n, $s, 31, -1; add.u32 $s, $s, 4; "
                   "shfl.sync.idx.b32 $h, $n, $s, 31, -1; and.b32 $s, $g, 1; "
                   "mad.lo.u32 $s, $s, 8738, 21520; prmt.b32 %s, $l, $h, $s; }",
                   m->groups[1].names[0], m->groups[0].names[0]);
    return true;
}

bool ptx_matrix_write_rows(const struct matrix *m, FILE *out)
{
    if (m->words[0][0] == 'm')
        return write_turn(m, out);
    const bool is_load = m->words[0][0] == 'l', is_turned = ptx_matrix_has(m, "trans");
    const int count = ptx_matrix_has(m, "x4")   ? 4
                      : ptx_matrix_has(m, "x2") ? 2
                      : ptx_matrix_has(m, "x1") ? 1
                                                : 0;
    const struct matrix_group *words = &m->groups[is_load ? 0 : 1];
    if (!ptx_matrix_has(m, "m8n8") || !ptx_matrix_has(m, "shared") || !ptx_matrix_has(m, "b16") ||
        m->count != 2 || count == 0 || words->count != count)
        return false;
    ptx_matrix_put_registers(out);
    write_shared_address(m, m->groups[is_load ? 1 : 0].names[0], out);
    for (int i = 0; i < count; i++) {
        write_row_addresses(out, i, is_turned);
        if (is_load)
            write_load(out, words->names[i], is_turned);
        else
            write_store(out, words->names[i], is_turned);
    }
    ptx_matrix_put(out, "}");
    return true;
}

/* ---- wmma ---- */

/* An operand or a sum in memory: its lines are rows, or columns. */
struct tile {
    const struct matrix *m;
    const struct matrix_type *type;
    const char *space;
    bool is_turned; /* what lies side by side in a register does not in memory */
};

static const char *space_of(const struct matrix *m)
{
    return ptx_matrix_has(m, "shared") ? ".shared" : ptx_matrix_has(m, "global") ? ".global" : "";
}

/* $b: where it begins, $n: elements from line to line. */
static void write_base(FILE *out, const struct tile *tile, const char *address, int densest)
{
    const size_t length = strcspn(address, "+");
    ptx_matrix_put(out, "%s $b, %.*s; add.u64 $b, $b, %s; ",
                   tile->m->has_wide_address ? "mov.b64" : "cvt.u64.u32", (int)length, address,
                   address[length] ? address + length + 1 : "0");
    if (tile->m->count == 3)
        ptx_matrix_put(out, "mov.b32 $n, %s; ", tile->m->groups[2].names[0]);
    else
        ptx_matrix_put(out, "mov.b32 $n, %d; ", densest);
}

/* $a becomes where the element is that is `more` behind `scale` times $t in line $g + `line`. */
static void write_place(FILE *out, const struct tile *tile, int line, int more, int scale)
{
    ptx_matrix_put(out, "add.u32 $h, $g, %d; mad.lo.u32 $s, $t, %d, %d; ", line, scale, more);
    ptx_matrix_put(out,
                   tile->is_turned ? "mad.lo.u32 $l, $s, $n, $h; " : "mad.lo.u32 $l, $h, $n, $s; ");
    if (tile->type->bits < 8)
        ptx_matrix_put(out, "shr.u32 $l, $l, %d; ", tile->type->bits == 4 ? 1 : 3);
    ptx_matrix_put(out, "mul.wide.u32 $o, $l, %d; add.u64 $a, $b, $o; ",
                   tile->type->bits < 8 ? 1 : tile->type->bits / 8);
}

/* A register of a or b, whose elements lie side by side along k. */
static void write_operand(FILE *out, const struct tile *tile, const char *into, int line, int more)
{
    const int elements = ptx_matrix_elements_of(tile->type);
    if (!tile->is_turned || elements == 1) {
        write_place(out, tile, line, more, elements);
        ptx_matrix_put(out, "ld%s.b%d %s, [$a]; ", tile->space, tile->type->bits > 32 ? 64 : 32,
                       into);
        return;
    }
    for (int i = 0; i < elements; i++) {
        write_place(out, tile, line, more + i, elements);
        if (elements == 2)
            ptx_matrix_put(out, "ld%s.b16 $%c, [$a]; ", tile->space, i ? 'v' : 'u');
        else if (i == 0)
            ptx_matrix_put(out, "ld%s.u8 $k, [$a]; ", tile->space);
        else
            ptx_matrix_put(out, "ld%s.u8 $l, [$a]; shl.b32 $l, $l, %d; or.b32 $k, $k, $l; ",
                           tile->space, 8 * i);
    }
    ptx_matrix_put(out, elements == 2 ? "mov.b32 %s, {$u, $v}; " : "mov.b32 %s, $k; ", into);
}

/* a is in lines where it is .row, b where it is .col. Of f16, there are 8 registers whatever the shape. */
static bool write_operands(const struct matrix *m, FILE *out)
{
    const bool is_a = ptx_matrix_has(m, "a");
    struct tile tile = {.m = m,
                        .type = m->types[0],
                        .space = space_of(m),
                        .is_turned = !ptx_matrix_has(m, is_a ? "row" : "col")};
    const int pieces = (is_a ? m->high : m->wide) / 8, step = ptx_matrix_step_of(tile.type),
              steps = m->depth / step, count = pieces * steps;
    const bool is_repeated = tile.type->kind == OF_F16;
    if (tile.type->kind >= OF_F32 || count < 1 || count > MATRIX_REGISTERS ||
        m->groups[0].count != (is_repeated ? 8 : count) || (tile.is_turned && tile.type->bits < 8))
        return false;
    ptx_matrix_put_registers(out);
    write_base(out, &tile, m->groups[1].names[0], tile.is_turned ? 8 * pieces : m->depth);
    for (int i = 0; i < count; i++)
        write_operand(out, &tile, m->groups[0].names[i], 8 * (is_a ? i % pieces : i / steps),
                      step * (is_a ? i / pieces : i % steps));
    for (int i = count; is_repeated && i < 8; i++)
        ptx_matrix_put(out, "mov.b32 %s, %s; ", m->groups[0].names[i],
                       m->groups[0].names[i % count]);
    ptx_matrix_put(out, "}");
    return true;
}

/* Element i of a thread's sums, which are pieces of 8 rows, and those by columns. */
static void write_sum(FILE *out, const struct tile *tile, const struct matrix_group *words, int i,
                      bool is_load)
{
    const int rows = tile->m->high / 8, bits = tile->type->bits;
    const char *half = i % 2 ? "v" : "u";
    write_place(out, tile, i / 2 % rows * 8, i / 2 / rows * 8 + i % 2, 2);
    if (bits > 16) {
        ptx_matrix_put(out, is_load ? "ld%s.b%d %s, [$a]; " : "st%s.b%d [$a], %s; ", tile->space,
                       bits, words->names[i]);
        return;
    }
    if (!is_load && i % 2 == 0)
        ptx_matrix_put(out, "mov.b32 {$u, $v}, %s; ", words->names[i / 2]);
    ptx_matrix_put(out, is_load ? "ld%s.b16 $%s, [$a]; " : "st%s.b16 [$a], $%s; ", tile->space,
                   half);
    if (is_load && i % 2)
        ptx_matrix_put(out, "mov.b32 %s, {$u, $v}; ", words->names[i / 2]);
}

static bool write_sums(const struct matrix *m, FILE *out, bool is_load)
{
    const struct tile tile = {
        .m = m, .type = m->types[0], .space = space_of(m), .is_turned = ptx_matrix_has(m, "col")};
    const struct matrix_group *words = &m->groups[is_load ? 0 : 1],
                              *address = &m->groups[is_load ? 1 : 0];
    const int count = m->high * m->wide / 32;
    const bool is_half = tile.type->kind == OF_F16;
    if ((!is_half && tile.type->kind < OF_F64) || count > MATRIX_REGISTERS ||
        words->count != (is_half ? count / 2 : count))
        return false;
    ptx_matrix_put_registers(out);
    write_base(out, &tile, address->names[0], tile.is_turned ? m->high : m->wide);
    for (int i = 0; i < count; i++)
        write_sum(out, &tile, words, i, is_load);
    ptx_matrix_put(out, "}");
    return true;
}

static bool is_shape(const struct matrix *m)
{
    return m->depth > 0 && m->high % 8 == 0 && m->wide % 8 == 0 && m->high <= 32 && m->wide <= 32;
}

bool ptx_matrix_write_tiles(const struct matrix *m, FILE *out)
{
    if (m->type_count != 1 || !is_shape(m) || m->count < 2 || m->count > 3 ||
        (m->count == 3 && m->groups[2].count != 1))
        return false;
    if (ptx_matrix_has(m, "store"))
        return ptx_matrix_has(m, "d") && write_sums(m, out, false);
    if (ptx_matrix_has(m, "load") && ptx_matrix_has(m, "c"))
        return write_sums(m, out, true);
    return ptx_matrix_has(m, "load") && (ptx_matrix_has(m, "a") || ptx_matrix_has(m, "b")) &&
           m->depth % ptx_matrix_step_of(m->types[0]) == 0 && write_operands(m, out);
}
