/* Matrix instructions of a warp as what they are made of, read in their place: shuffles that bring each thread what its
 * elements of the result want, and products and sums of those, one after the other.
 * - mma.sync: .m16n8k8 and .m16n8k16 of f16 and bf16, .m16n8k4 and .m16n8k8 of tf32, .m16n8k16, .m16n8k32 and .m8n8k16 of
 *   8-bit integers, .m8n8k4 of f64
 * - ldmatrix of .b16 in shared memory
 * - wmma of .m16n16k16 in f16, bf16 and 8-bit integers
 * Sums are of f32 where the hardware's are at least that exact; of f16 they are rounded at the end.
 *
 * Source: PTX ISA 9.0, Warp-level Matrix Instructions.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "kernels/ptx/parse/parse.h"

enum { MOST_GROUPS = 4, MOST_REGISTERS = 8, MOST_NAME = 64, MOST_WORDS = 20, MOST_WORD = 16 };

/* What stands between braces or commas. */
struct group {
    char names[MOST_REGISTERS][MOST_NAME];
    int count;
};

struct matrix {
    char words[MOST_WORDS][MOST_WORD]; /* "mma", "sync", "aligned" */
    int word_count;
    struct group groups[MOST_GROUPS];
    int count;
};

/* ---- Reading ---- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* One name or number, without blanks. NULL: it is none, or too long. */
static const char *read_name(const char *at, struct group *group)
{
    const size_t length = strcspn(at, " \t\r\n,{}[];/");
    if (length == 0 || length >= MOST_NAME || group->count == MOST_REGISTERS)
        return NULL;
    memcpy(group->names[group->count], at, length);
    group->names[group->count++][length] = '\0';
    return skip_blanks(at + length);
}

/* What stands in brackets, without blanks. */
static const char *read_address(const char *at, struct group *group)
{
    char *name = group->names[group->count++];
    size_t length = 0;
    for (; *at != ']'; at++) {
        if (strchr(",{}[;/", *at) || length + 1 == MOST_NAME)
            return NULL;
        if (!strchr(" \t\r\n", *at))
            name[length++] = *at;
    }
    name[length] = '\0';
    return skip_blanks(at + 1);
}

/* "{%r1, %r2}", "[%r1+16]", "%r3" */
static const char *read_group(const char *at, struct group *group)
{
    if (*at == '[')
        return read_address(at + 1, group);
    if (*at != '{')
        return read_name(at, group);
    at = read_name(skip_blanks(at + 1), group);
    while (at && *at == ',')
        at = read_name(skip_blanks(at + 1), group);
    return at && *at == '}' ? skip_blanks(at + 1) : NULL;
}

/* The words of an instruction, with dots or colons between. */
static const char *read_words(const char *at, struct matrix *m)
{
    for (;;) {
        const size_t length = strcspn(at, " \t\r\n{;[.:/");
        if (length == 0 || length >= MOST_WORD || m->word_count == MOST_WORDS)
            return NULL;
        memcpy(m->words[m->word_count], at, length);
        m->words[m->word_count++][length] = '\0';
        at += length;
        if (*at != '.' && *at != ':')
            return skip_blanks(at);
        at += strspn(at, ".:");
    }
}

static bool read_matrix(struct matrix *m, const char *at)
{
    at = read_words(at, m);
    while (at && *at != ';') {
        if (m->count == MOST_GROUPS)
            return false;
        at = read_group(at, &m->groups[m->count++]);
        if (at && *at == ',')
            at = skip_blanks(at + 1);
        else if (at && *at != ';')
            return false;
    }
    return at != NULL;
}

static bool has(const struct matrix *m, const char *word)
{
    for (int i = 0; i < m->word_count; i++)
        if (strcmp(m->words[i], word) == 0)
            return true;
    return false;
}

/* The last words name types: 1 is the last. */
static const char *last_word(const struct matrix *m, int from_end)
{
    return m->word_count > from_end ? m->words[m->word_count - from_end] : "";
}

/* ---- Elements ---- */

enum elements { OF_F16, OF_BF16, OF_TF32, OF_BYTES, OF_F64, OF_NONE };

/* A product of m16 or m8 by n8: of which elements, how many rows of 8 and words along k. */
struct shape {
    enum elements kind;
    int rows, steps;
    const char *a, *b; /* types of bytes, as dp4a has them */
    bool is_half;      /* the sum, two to a word */
};

/* Registers of the expansion, in a scope of its own. */
static void write_registers(FILE *out)
{
    fputs(
        "{ .reg .pred clem_mma_p; .reg .b32 clem_mma_l, clem_mma_h, clem_mma_g, clem_mma_t, "
        "clem_mma_n, clem_mma_s, clem_mma_k, "
        "clem_mma_w<4>, "
        "clem_mma_i<4>; .reg .b16 clem_mma_u, clem_mma_v; .reg .f32 clem_mma_x<8>, clem_mma_f<4>; "
        ".reg .f64 clem_mma_y<4>, clem_mma_d<4>; mov.u32 clem_mma_l, %laneid; "
        "shr.u32 clem_mma_g, clem_mma_l, 2; and.b32 clem_mma_t, clem_mma_l, 3; ",
        out);
}

/* Word `into` becomes what `name` is in thread clem_mma_s, and of that the floats or the double that are multiplied. */
static void write_word(FILE *out, enum elements kind, int into, const char *name)
{
    if (kind == OF_F64) {
        fprintf(out,
                "mov.b64 {clem_mma_l, clem_mma_h}, %s; shfl.sync.idx.b32 clem_mma_l, clem_mma_l, "
                "clem_mma_s, 31, -1; "
                "shfl.sync.idx.b32 clem_mma_h, clem_mma_h, clem_mma_s, 31, -1; "
                "mov.b64 clem_mma_y%d, {clem_mma_l, clem_mma_h}; ",
                name, into);
        return;
    }
    fprintf(
        out,
        "mov.b32 clem_mma_l, %s; shfl.sync.idx.b32 clem_mma_w%d, clem_mma_l, clem_mma_s, 31, -1; ",
        name, into);
    if (kind == OF_F16)
        fprintf(
            out,
            "mov.b32 {clem_mma_u, clem_mma_v}, clem_mma_w%d; cvt.f32.f16 clem_mma_x%d, clem_mma_u; "
            "cvt.f32.f16 clem_mma_x%d, clem_mma_v; ",
            into, 2 * into, 2 * into + 1);
    else if (kind == OF_BF16)
        fprintf(out,
                "shl.b32 clem_mma_l, clem_mma_w%d, 16; mov.b32 clem_mma_x%d, clem_mma_l; "
                "and.b32 clem_mma_l, clem_mma_w%d, -65536; mov.b32 clem_mma_x%d, clem_mma_l; ",
                into, 2 * into, into, 2 * into + 1);
    else if (kind == OF_TF32)
        fprintf(out, "and.b32 clem_mma_l, clem_mma_w%d, -8192; mov.b32 clem_mma_x%d, clem_mma_l; ",
                into, 2 * into);
}

/* A sum grows by the products of two words. */
static void write_product(FILE *out, const struct shape *shape, int sum, int a, int b)
{
    const int parts = shape->kind == OF_TF32 ? 1 : 2;
    if (shape->kind == OF_F64)
        fprintf(out, "fma.rn.f64 clem_mma_d%d, clem_mma_y%d, clem_mma_y%d, clem_mma_d%d; ", sum, a,
                b, sum);
    else if (shape->kind == OF_BYTES)
        fprintf(out, "dp4a.%s.%s clem_mma_i%d, clem_mma_w%d, clem_mma_w%d, clem_mma_i%d; ",
                shape->a, shape->b, sum, a, b, sum);
    else
        for (int i = 0; i < parts; i++)
            fprintf(out, "fma.rn.f32 clem_mma_f%d, clem_mma_x%d, clem_mma_x%d, clem_mma_f%d; ", sum,
                    2 * a + i, 2 * b + i, sum);
}

static char sum_letter(const struct shape *shape)
{
    return shape->kind == OF_F64 ? 'd' : shape->kind == OF_BYTES ? 'i' : 'f';
}

static void write_sums_in(FILE *out, const struct shape *shape, const struct group *words)
{
    const char *type = shape->kind == OF_F64 ? "b64" : "b32";
    for (int i = 0; i < 2 * shape->rows; i++)
        if (!shape->is_half)
            fprintf(out, "mov.%s clem_mma_%c%d, %s; ", type, sum_letter(shape), i, words->names[i]);
        else if (i % 2 == 0)
            fprintf(out,
                    "mov.b32 {clem_mma_u, clem_mma_v}, %s; cvt.f32.f16 clem_mma_f%d, clem_mma_u; "
                    "cvt.f32.f16 clem_mma_f%d, clem_mma_v; ",
                    words->names[i / 2], i, i + 1);
}

static void write_sums_out(FILE *out, const struct shape *shape, const struct group *words)
{
    const char *type = shape->kind == OF_F64 ? "b64" : "b32";
    for (int i = 0; i < 2 * shape->rows; i++)
        if (!shape->is_half)
            fprintf(out, "mov.%s %s, clem_mma_%c%d; ", type, words->names[i], sum_letter(shape), i);
        else if (i % 2 == 0)
            fprintf(
                out,
                "cvt.rn.f16.f32 clem_mma_u, clem_mma_f%d; cvt.rn.f16.f32 clem_mma_v, clem_mma_f%d; "
                "mov.b32 %s, {clem_mma_u, clem_mma_v}; ",
                i, i + 1, words->names[i / 2]);
}

/* Thread 4 g + t has of the sum rows g and g + 8, columns 2 t and 2 t + 1. Of a row of a, four threads have a word each for
 * every step along k; of a column n of b, threads 4 n to 4 n + 3. A turn for each of the four. */
static void write_sums(FILE *out, const struct shape *shape, const struct group *a,
                       const struct group *b)
{
    fputs("mov.u32 clem_mma_k, 0; clem_mma_turn: ", out);
    for (int step = 0; step < shape->steps; step++) {
        fputs("mad.lo.u32 clem_mma_s, clem_mma_g, 4, clem_mma_k; ", out);
        for (int row = 0; row < shape->rows; row++)
            write_word(out, shape->kind, row, a->names[step * shape->rows + row]);
        for (int column = 0; column < 2; column++) {
            fprintf(out,
                    "mad.lo.u32 clem_mma_s, clem_mma_t, 8, clem_mma_k; add.u32 clem_mma_s, "
                    "clem_mma_s, %d; ",
                    4 * column);
            write_word(out, shape->kind, 2 + column, b->names[step]);
            for (int row = 0; row < shape->rows; row++)
                write_product(out, shape, 2 * row + column, row, 2 + column);
        }
    }
    fputs("add.u32 clem_mma_k, clem_mma_k, 1; setp.lt.u32 clem_mma_p, clem_mma_k, 4; @clem_mma_p "
          "bra clem_mma_turn; ",
          out);
}

/* ---- mma ---- */

static const char *byte_type(const char *word)
{
    return strcmp(word, "s8") == 0 ? "s32" : strcmp(word, "u8") == 0 ? "u32" : NULL;
}

static enum elements kind_of(const char *word)
{
    static const struct {
        const char *word;
        enum elements kind;
    } kinds[] = {{"f16", OF_F16},  {"bf16", OF_BF16}, {"tf32", OF_TF32},
                 {"s8", OF_BYTES}, {"u8", OF_BYTES},  {"f64", OF_F64}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, word) == 0)
            return kinds[i].kind;
    return OF_NONE;
}

/* How many elements along k a word has for each of four threads. */
static int depth_of(enum elements kind)
{
    return kind == OF_BYTES ? 16 : kind == OF_F16 || kind == OF_BF16 ? 8 : 4;
}

static bool read_size(const struct matrix *m, int *rows, int *depth)
{
    for (int i = 0; i < m->word_count; i++) {
        int high, wide;
        char behind;
        if (sscanf(m->words[i], "m%dn%dk%d%c", &high, &wide, depth, &behind) == 3 && wide == 8) {
            *rows = high / 8;
            return high == 8 || high == 16;
        }
    }
    return false;
}

/* Sums are of f32, and of f16 from f16 alone. */
static bool read_sum(const struct matrix *m, struct shape *shape)
{
    const char *d = last_word(m, 4), *c = last_word(m, 1);
    const char *sum = shape->kind == OF_BYTES ? "s32" : shape->kind == OF_F64 ? "f64" : "f32";
    shape->is_half = shape->kind == OF_F16 && strcmp(d, "f16") == 0;
    return strcmp(d, c) == 0 && (shape->is_half || strcmp(d, sum) == 0);
}

static bool write_mma(const struct matrix *m, FILE *out)
{
    struct shape shape = {.kind = kind_of(last_word(m, 3)),
                          .b = byte_type(last_word(m, 2)),
                          .a = byte_type(last_word(m, 3))};
    int depth;
    const bool is_pair =
        shape.kind == OF_BYTES ? shape.b != NULL : kind_of(last_word(m, 2)) == shape.kind;
    if (!has(m, "sync") || !has(m, "row") || !has(m, "col") || m->count != 4 ||
        shape.kind == OF_NONE || !is_pair || !has(m, "aligned") || m->word_count != 10 ||
        !read_sum(m, &shape) || !read_size(m, &shape.rows, &depth))
        return false;
    shape.steps = depth / depth_of(shape.kind);
    const int words = shape.rows * shape.steps, sums = shape.is_half ? shape.rows : 2 * shape.rows;
    if (shape.steps < 1 || shape.steps > 2 || depth % depth_of(shape.kind) ||
        m->groups[0].count != sums || m->groups[1].count != words ||
        m->groups[2].count != shape.steps || m->groups[3].count != sums)
        return false;
    write_registers(out);
    write_sums_in(out, &shape, &m->groups[3]);
    write_sums(out, &shape, &m->groups[1], &m->groups[2]);
    write_sums_out(out, &shape, &m->groups[0]);
    fputs("}", out);
    return true;
}

/* ---- ldmatrix ---- */

/* Thread 8 i + j has the address of row j of matrix i. A thread gets the elements 2 t and 2 t + 1 of row g, or of column g. */
static void write_rows(FILE *out, const char *into, int matrix, bool is_turned)
{
    fprintf(out,
            is_turned ? "mad.lo.u32 clem_mma_s, clem_mma_t, 2, %d; "
                      : "add.u32 clem_mma_s, clem_mma_g, %d; ",
            8 * matrix);
    fputs("shfl.sync.idx.b32 clem_mma_l, clem_mma_n, clem_mma_s, 31, -1; ", out);
    if (!is_turned) {
        fprintf(
            out,
            "mad.lo.u32 clem_mma_l, clem_mma_t, 4, clem_mma_l; ld.shared.b32 %s, [clem_mma_l]; ",
            into);
        return;
    }
    fprintf(out,
            "add.u32 clem_mma_s, clem_mma_s, 1; shfl.sync.idx.b32 clem_mma_h, clem_mma_n, "
            "clem_mma_s, 31, -1; "
            "mad.lo.u32 clem_mma_l, clem_mma_g, 2, clem_mma_l; mad.lo.u32 clem_mma_h, clem_mma_g, "
            "2, clem_mma_h; "
            "ld.shared.b16 clem_mma_u, [clem_mma_l]; ld.shared.b16 clem_mma_v, [clem_mma_h]; "
            "mov.b32 %s, {clem_mma_u, clem_mma_v}; ",
            into);
}

/* Whether an address begins with a register of 64 bits. */
static bool is_wide_register(struct ptx_parser *p, const char *name)
{
    const size_t length = strcspn(name, "+");
    const char *kept = ptx_arena_text(&p->scratch, name, length); /* atoms point to their names */
    struct ptx_atom *atom = ptx_atom_of(p, kept, length, ptx_hash(kept, length));
    const struct ptx_binding *binding = ptx_look_up(p, atom);
    const struct ptx_register *registers = p->registers.items;
    return binding && binding->kind == PTX_BIND_REGISTER &&
           ptx_type_bytes((enum ptx_type)registers[binding->index].type) == 8;
}

/* Into clem_mma_n: what "[%r1+16]" says, which is of shared memory. */
static void write_address(FILE *out, const char *address, bool is_wide)
{
    const size_t length = strcspn(address, "+");
    fprintf(out, "%s clem_mma_n, %.*s; ", is_wide ? "cvt.u32.u64" : "mov.b32", (int)length,
            address);
    fprintf(out, "add.u32 clem_mma_n, clem_mma_n, %s; ",
            address[length] ? address + length + 1 : "0");
}

static bool write_ldmatrix(const struct matrix *m, FILE *out, bool is_wide)
{
    const int count = has(m, "x4") ? 4 : has(m, "x2") ? 2 : has(m, "x1") ? 1 : 0;
    if (!has(m, "m8n8") || !has(m, "shared") || !has(m, "b16") || m->count != 2 || count == 0 ||
        m->groups[0].count != count || m->groups[1].count != 1 || m->groups[1].names[0][0] != '%')
        return false;
    write_registers(out);
    write_address(out, m->groups[1].names[0], is_wide);
    for (int i = 0; i < count; i++)
        write_rows(out, m->groups[0].names[i], i, has(m, "trans"));
    fputs("}", out);
    return true;
}

/* ---- wmma ---- */

/* m16n16k16: a fragment of a is that of mma, one of b those of two products side by side, and so are sums. Of f16, a and b
 * have each word twice. */
struct tiles {
    enum elements kind;
    int words; /* of a and of b */
    bool is_half;
};

static bool read_tiles(const struct matrix *m, const char *word, struct tiles *tiles)
{
    tiles->kind = kind_of(word);
    tiles->words = tiles->kind == OF_BYTES ? 2 : 4;
    return has(m, "m16n16k16") && has(m, "sync") &&
           (tiles->kind == OF_F16 || tiles->kind == OF_BF16 || tiles->kind == OF_BYTES);
}

static struct group part_of(const struct group *group, int from, int count)
{
    struct group part = {.count = count};
    for (int i = 0; i < count; i++)
        memcpy(part.names[i], group->names[from + i], MOST_NAME);
    return part;
}

static bool write_wmma_product(const struct matrix *m, FILE *out)
{
    const bool is_short = m->word_count == 9; /* of f16, d and c alone have types */
    struct tiles tiles;
    if (m->count != 4 || (!is_short && m->word_count != 11) ||
        !read_tiles(m, is_short ? "f16" : last_word(m, 3), &tiles))
        return false;
    struct shape shape = {.kind = tiles.kind,
                          .rows = 2,
                          .steps = tiles.words / 2,
                          .a = byte_type(last_word(m, 3)),
                          .b = byte_type(last_word(m, 2))};
    shape.is_half = is_short && strcmp(last_word(m, 2), "f16") == 0;
    const int given = tiles.kind == OF_F16 ? 8 : tiles.words, sums = shape.is_half ? 2 : 4;
    if (is_short ? strcmp(last_word(m, 1), last_word(m, 2)) != 0
                 : strcmp(last_word(m, 3), last_word(m, 2)) != 0)
        return false;
    if (m->groups[0].count != 2 * sums || m->groups[1].count != given ||
        m->groups[2].count != given || m->groups[3].count != 2 * sums)
        return false;
    write_registers(out);
    for (int tile = 0; tile < 2; tile++) {
        const struct group b = part_of(&m->groups[2], tile * shape.steps, shape.steps);
        const struct group c = part_of(&m->groups[3], tile * sums, sums),
                           d = part_of(&m->groups[0], tile * sums, sums);
        fputs("{ ", out); /* a label of its own */
        write_sums_in(out, &shape, &c);
        write_sums(out, &shape, &m->groups[1], &b);
        write_sums_out(out, &shape, &d);
        fputs("} ", out);
    }
    fputs("}", out);
    return true;
}

/* Where element `minor` of line `major` is, both of them numbers and registers: clem_mma_a. */
static void write_place(FILE *out, int bytes)
{
    fprintf(out,
            "mad.lo.u32 clem_mma_l, clem_mma_h, clem_mma_n, clem_mma_s; mul.wide.u32 clem_mma_a, "
            "clem_mma_l, %d; "
            "add.u64 clem_mma_a, clem_mma_a, clem_mma_b; ",
            bytes);
}

/* The line and the element in it. */
static void write_line(FILE *out, int line, int first, const char *of_first, int scale)
{
    fprintf(out, "add.u32 clem_mma_h, clem_mma_g, %d; mad.lo.u32 clem_mma_s, %s, %d, %d; ", line,
            of_first, scale, first);
}

static void write_swap(FILE *out)
{
    fputs("mov.b32 clem_mma_l, clem_mma_h; mov.b32 clem_mma_h, clem_mma_s; mov.b32 clem_mma_s, "
          "clem_mma_l; ",
          out);
}

/* What an address begins with, and the elements from line to line. */
static void write_base(FILE *out, const char *address, const char *stride, bool is_wide)
{
    const size_t length = strcspn(address, "+");
    fprintf(out,
            ".reg .b64 clem_mma_a, clem_mma_b; %s clem_mma_b, %.*s; add.u64 clem_mma_b, "
            "clem_mma_b, %s; ",
            is_wide ? "mov.b64" : "cvt.u64.u32", (int)length, address,
            address[length] ? address + length + 1 : "0");
    fprintf(out, "mov.b32 clem_mma_n, %s; ", stride);
}

static const char *space_of(const struct matrix *m)
{
    return has(m, "shared") ? ".shared" : has(m, "global") ? ".global" : "";
}

/* Words of a or b: elements that lie side by side in one line are one word of memory. */
static bool write_wmma_operand(const struct matrix *m, FILE *out, bool is_wide)
{
    struct tiles tiles;
    const bool is_a = has(m, "a"), is_along = has(m, is_a ? "row" : "col");
    if (!read_tiles(m, last_word(m, 1), &tiles) || (tiles.kind == OF_BYTES && !is_along))
        return false;
    const int given = tiles.kind == OF_F16 ? 8 : tiles.words,
              bytes = tiles.kind == OF_BYTES ? 1 : 2;
    const char *space = space_of(m);
    if (m->groups[0].count != given)
        return false;
    write_registers(out);
    write_base(out, m->groups[1].names[0], m->groups[2].names[0], is_wide);
    for (int i = 0; i < tiles.words; i++) {
        const int steps = tiles.words / 2, line = is_a ? i % 2 : i / steps,
                  step = is_a ? i / 2 : i % steps;
        const char *name = m->groups[0].names[i];
        for (int e = 0; e < (is_along ? 1 : 2); e++) {
            write_line(out, 8 * line, 8 * step + e, "clem_mma_t", 4 / bytes);
            if (!is_along)
                write_swap(out);
            write_place(out, bytes);
            if (is_along)
                fprintf(out, "ld%s.b32 %s, [clem_mma_a]; ", space, name);
            else
                fprintf(out, "ld%s.b16 clem_mma_%c, [clem_mma_a]; ", space, e ? 'v' : 'u');
        }
        if (!is_along)
            fprintf(out, "mov.b32 %s, {clem_mma_u, clem_mma_v}; ", name);
        if (tiles.kind == OF_F16)
            fprintf(out, "mov.b32 %s, %s; ", m->groups[0].names[i + 4], name);
    }
    fputs("}", out);
    return true;
}

/* A sum from memory or to it, element by element. */
static bool write_wmma_sum(const struct matrix *m, FILE *out, bool is_load, bool is_wide)
{
    const struct group *words = &m->groups[is_load ? 0 : 1], *address = &m->groups[is_load ? 1 : 0];
    const char *type = last_word(m, 1), *space = space_of(m), *verb = is_load ? "ld" : "st";
    const bool is_half = strcmp(type, "f16") == 0;
    if (!has(m, "m16n16k16") ||
        (!is_half && strcmp(type, "f32") != 0 && strcmp(type, "s32") != 0) ||
        words->count != (is_half ? 4 : 8))
        return false;
    write_registers(out);
    write_base(out, address->names[0], m->groups[2].names[0], is_wide);
    for (int i = 0; i < 8; i++) {
        const char *name = words->names[is_half ? i / 2 : i];
        write_line(out, i % 4 / 2 * 8, i / 4 * 8 + i % 2, "clem_mma_t", 2);
        if (has(m, "col"))
            write_swap(out);
        write_place(out, is_half ? 2 : 4);
        if (is_half && !is_load && i % 2 == 0)
            fprintf(out, "mov.b32 {clem_mma_u, clem_mma_v}, %s; ", name);
        if (is_load)
            fprintf(out, "%s%s.%s %s, [clem_mma_a]; ", verb, space, is_half ? "b16" : "b32",
                    is_half ? (i % 2 ? "clem_mma_v" : "clem_mma_u") : name);
        else
            fprintf(out, "%s%s.%s [clem_mma_a], %s; ", verb, space, is_half ? "b16" : "b32",
                    is_half ? (i % 2 ? "clem_mma_v" : "clem_mma_u") : name);
        if (is_half && is_load && i % 2)
            fprintf(out, "mov.b32 %s, {clem_mma_u, clem_mma_v}; ", name);
    }
    fputs("}", out);
    return true;
}

static const struct group *address_of(const struct matrix *m)
{
    return &m->groups[m->words[0][0] == 'w' && has(m, "store") ? 0 : 1];
}

static bool write_wmma(const struct matrix *m, FILE *out, bool is_wide)
{
    if (has(m, "mma"))
        return write_wmma_product(m, out);
    if (m->count != 3 || m->groups[2].count != 1 || address_of(m)->count != 1 ||
        address_of(m)->names[0][0] != '%')
        return false;
    if (has(m, "store") && has(m, "d"))
        return write_wmma_sum(m, out, false, is_wide);
    if (has(m, "load") && has(m, "c"))
        return write_wmma_sum(m, out, true, is_wide);
    return has(m, "load") && (has(m, "a") || has(m, "b")) && write_wmma_operand(m, out, is_wide);
}

/* ---- Reading in their place ---- */

enum { MOST_BYTES = 32768 };

/* The text of what they are made of, in the module's memory, as names in it are. NULL: another instruction, or a form that is
 * not known. Nothing leaves by longjmp() while the file is open. */
static const char *expand(struct ptx_parser *p)
{
    struct matrix m = {.count = 0};
    if (!read_matrix(&m, p->token.text))
        return NULL;
    const bool is_mma = strcmp(m.words[0], "mma") == 0;
    const bool is_wide = !is_mma && m.count >= 2 && is_wide_register(p, address_of(&m)->names[0]);
    char *room = ptx_arena_take(&p->scratch, MOST_BYTES);
    FILE *out = fmemopen(room, MOST_BYTES, "w");
    if (!out)
        longjmp(p->scratch.out_of_memory, 1);
    const bool is_known = is_mma                 ? write_mma(&m, out)
                          : m.words[0][0] == 'w' ? write_wmma(&m, out, is_wide)
                                                 : write_ldmatrix(&m, out, is_wide);
    const bool is_whole = fflush(out) == 0 && ftell(out) < MOST_BYTES;
    fclose(out);
    if (!is_known || !is_whole)
        return NULL;
    const size_t bytes = strlen(room) + 1;
    return memcpy(ptx_arena_take(&p->module->arena, bytes), room, bytes);
}

bool ptx_read_matrix(struct ptx_parser *p, void (*read_statement)(struct ptx_parser *p))
{
    if (!ptx_at_word(p, "mma") && !ptx_at_word(p, "ldmatrix") && !ptx_at_word(p, "wmma"))
        return false;
    const char *text = expand(p);
    if (!text)
        return false;
    while (p->token.kind != ';' && p->token.kind != PTX_TOKEN_END)
        ptx_next(p);
    ptx_expect(p, ';');
    const struct ptx_lexer lexer = p->lexer;
    const struct ptx_token token = p->token;
    const char *consumed = p->consumed;
    p->lexer = (struct ptx_lexer){.at = text, .line = lexer.line};
    ptx_next(p);
    while (p->token.kind != PTX_TOKEN_END)
        read_statement(p);
    p->lexer = lexer;
    p->token = token;
    p->consumed = consumed;
    return true;
}
