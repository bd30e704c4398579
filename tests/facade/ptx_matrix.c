/* Matrix instructions of warps, against the product of the matrices that their fragments are of. Numbers are whole and so
 * small that every format has them and all sums.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "tests/facade/driver_support.h"

enum { LANES = 32, MOST_WORDS = 16 };

#define HEAD ".version 8.5\n.target sm_90\n.address_size 64\n"

enum elements { F16, BF16, TF32, S8, U8, F64 };

/* A kernel of one warp, in which each thread has a row of 16 words of `in`, and of `out`. */
struct product {
    const char *words;
    enum elements a, b;
    int high, depth;
    bool is_half; /* the sum */
};

static const struct product products[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32", F16, F16, 16, 16, false},
    {"m16n8k16.row.col.f16.f16.f16.f16", F16, F16, 16, 16, true},
    {"m16n8k8.row.col.f32.f16.f16.f32", F16, F16, 16, 8, false},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", BF16, BF16, 16, 16, false},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", TF32, TF32, 16, 8, false},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", TF32, TF32, 16, 4, false},
    {"m16n8k32.row.col.s32.s8.u8.s32", S8, U8, 16, 32, false},
    {"m16n8k16.row.col.s32.u8.s8.s32", U8, S8, 16, 16, false},
    {"m8n8k16.row.col.s32.s8.s8.s32", S8, S8, 8, 16, false},
    {"m8n8k4.row.col.f64.f64.f64.f64", F64, F64, 8, 4, false},
};

/* ---- Numbers in words ---- */

static unsigned half_bits(int value)
{
    const unsigned size = (unsigned)abs(value), sign = value < 0 ? 0x8000u : 0u;
    unsigned lead = 0;
    if (size == 0)
        return 0;
    while (size >> (lead + 1))
        lead++;
    return sign | (lead + 15) << 10 | ((size << (10 - lead)) & 0x3ffu);
}

static int half_value(unsigned bits)
{
    const int size =
        (bits & 0x7fffu) == 0 ? 0 : (int)(((bits & 0x3ffu) | 0x400u) << (bits >> 10 & 31u) >> 25);
    return bits & 0x8000u ? -size : size;
}

static unsigned float_bits(int value)
{
    const float number = (float)value;
    unsigned bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static int elements_of_word(enum elements kind)
{
    return kind == S8 || kind == U8 ? 4 : kind == F16 || kind == BF16 ? 2 : 1;
}

/* Puts an element into a fragment, of which a word begins all zero. */
static void put(uint32_t *word, enum elements kind, int place, int value)
{
    double number = value;
    switch (kind) {
    case F16:
        *word |= half_bits(value) << (16 * place);
        break;
    case BF16:
        *word |= (float_bits(value) >> 16) << (16 * place);
        break;
    case TF32:
        *word = float_bits(value);
        break;
    case F64:
        memcpy(word, &number, sizeof number);
        break;
    default:
        *word |= ((uint32_t)value & 255u) << (8 * place);
    }
}

static int sum_at(const struct product *p, const uint32_t *words, int i)
{
    double wide;
    float narrow;
    if (p->a == F64) {
        memcpy(&wide, words + 2 * i, sizeof wide);
        return (int)wide;
    }
    if (p->is_half)
        return half_value(words[i / 2] >> (i % 2 * 16) & 0xffffu);
    if (p->a == S8 || p->a == U8)
        return (int)words[i];
    memcpy(&narrow, words + i, sizeof narrow);
    return (int)narrow;
}

/* ---- Products ---- */

static int words_of_register(const struct product *p)
{
    return p->a == F64 ? 2 : 1;
}

static int a_words(const struct product *p)
{
    return p->high / 8 * p->depth / (4 * elements_of_word(p->a));
}

static int b_words(const struct product *p)
{
    return p->depth / (4 * elements_of_word(p->a));
}

static int sum_words(const struct product *p)
{
    return p->is_half ? p->high / 8 : p->high / 4;
}

static void list_of(char *text, size_t size, const char *prefix, int count)
{
    size_t used = (size_t)snprintf(text, size, "{");
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s%d", i ? ", " : "", prefix, i);
    snprintf(text + used, size - used, "}");
}

/* Registers a, b and c come from `in` one after the other; d goes to `out`. */
static void write_kernel(const struct product *p, char *text, size_t size)
{
    const char *type = p->a == F64 ? "b64" : "b32", *prefixes[] = {"%a", "%b", "%c"};
    const int counts[] = {a_words(p), b_words(p), sum_words(p)}, bytes = 4 * words_of_register(p);
    char lists[4][128];
    int place = 0;
    size_t used = (size_t)snprintf(
        text, size,
        HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %%r<4>;\n.reg .b64 "
             "%%rd<4>;\n"
             ".reg .%s %%a<8>, %%b<8>, %%c<8>, %%d<8>;\nld.param.u64 %%rd1, [in];\nld.param.u64 "
             "%%rd2, [out];\n"
             "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd3, %%r1, %d;\nadd.u64 %%rd1, %%rd1, %%rd3;\n"
             "add.u64 %%rd2, %%rd2, %%rd3;\n",
        type, 4 * MOST_WORDS);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < counts[k]; i++, place += bytes)
            used += (size_t)snprintf(text + used, size - used, "ld.global.%s %s%d, [%%rd1+%d];\n",
                                     type, prefixes[k], i, place);
    list_of(lists[0], sizeof lists[0], "%d", counts[2]);
    for (int k = 0; k < 3; k++)
        list_of(lists[k + 1], sizeof lists[0], prefixes[k], counts[k]);
    used +=
        (size_t)snprintf(text + used, size - used, "mma.sync.aligned.%s\n  %s,\n  %s, %s, %s;\n",
                         p->words, lists[0], lists[1], lists[2], lists[3]);
    for (int i = 0; i < counts[2]; i++)
        used += (size_t)snprintf(text + used, size - used, "st.global.%s [%%rd2+%d], %%d%d;\n",
                                 type, i * bytes, i);
    snprintf(text + used, size - used, "ret;\n}\n");
}

static void run(const char *text, const void *in, uint32_t (*out)[MOST_WORDS])
{
    enum { BYTES = LANES * MOST_WORDS * 4 };
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory = driver_allocate(2 * BYTES), half = memory + BYTES;
    assert_driver(cuModuleLoadData(&module, text));
    assert_driver(cuModuleGetFunction(&function, module, "k"));
    assert_driver(cuMemcpyHtoD(memory, in, BYTES));
    void *arguments[] = {&memory, &half};
    assert_driver(cuLaunchKernel(function, 1, 1, 1, LANES, 1, 1, 0, NULL, arguments, NULL));
    assert_driver(cuMemcpyDtoH(out, half, BYTES));
    assert_driver(cuModuleUnload(module));
    assert_driver(cuMemFree(memory));
}

static int a[16][32], b[32][8], c[16][8];

static void fill_matrices(const struct product *p, uint32_t seed)
{
    unsigned char bytes[16 * 32 + 32 * 8 + 16 * 8];
    fill_with(bytes, sizeof bytes, seed);
    const unsigned char *next = bytes;
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 32; k++)
            a[i][k] = *next++ % 8 - (p->a == U8 ? 0 : 4);
    for (int k = 0; k < 32; k++)
        for (int j = 0; j < 8; j++)
            b[k][j] = *next++ % 8 - (p->b == U8 ? 0 : 4);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++)
            c[i][j] = *next++ % 64 - 32;
}

static void pack(const struct product *p, int lane, uint32_t *words)
{
    const int g = lane / 4, t = lane % 4, each = elements_of_word(p->a), step = 4 * each;
    const int width = words_of_register(p);
    uint32_t *at = words;
    for (int i = 0; i < a_words(p); i++, at += width)
        for (int e = 0; e < each; e++)
            put(at, p->a, e, a[g + i % (p->high / 8) * 8][i / (p->high / 8) * step + t * each + e]);
    for (int i = 0; i < b_words(p); i++, at += width)
        for (int e = 0; e < each; e++)
            put(at, p->b, e, b[i * step + t * each + e][g]);
    for (int i = 0; i < p->high / 4; i++) {
        const int value = c[g + i / 2 * 8][2 * t + i % 2];
        if (p->is_half)
            put(at + i / 2, F16, i % 2, value);
        else if (p->a == S8 || p->a == U8)
            at[i] = (uint32_t)value;
        else
            put(at + i * width, p->a == F64 ? F64 : TF32, 0, value);
    }
}

static void check_product(const struct product *p)
{
    static char text[8192];
    static uint32_t in[LANES][MOST_WORDS], out[LANES][MOST_WORDS];
    memset(in, 0, sizeof in);
    fill_matrices(p, 5);
    for (int lane = 0; lane < LANES; lane++)
        pack(p, lane, in[lane]);
    write_kernel(p, text, sizeof text);
    run(text, in, out);
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < p->high / 4; i++) {
            const int row = lane / 4 + i / 2 * 8, column = 2 * (lane % 4) + i % 2;
            int wanted = c[row][column];
            for (int k = 0; k < p->depth; k++)
                wanted += a[row][k] * b[k][column];
            if (sum_at(p, out[lane], i) != wanted)
                fail_msg("%s: row %d, column %d: %d, not %d", p->words, row, column,
                         sum_at(p, out[lane], i), wanted);
        }
}

TEST_BODY(ptx_matrix_products_are_those_of_matrices)
{
    driver_use_primary();
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        check_product(&products[i]);
}

/* Four matrices of 8 by 8, whose element is 8 times its row and its column, and 64 times its number. The first time as they
 * are, by addresses of 32 bits, then two turned, by those of 64. */
static const char loads[] = HEAD
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n"
    ".shared .align 16 .b8 s[512];\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nmov.u32 "
    "%r1, %tid.x;\n"
    "mul.wide.u32 %rd3, %r1, 64;\nadd.u64 %rd1, %rd1, %rd3;\nadd.u64 %rd2, %rd2, %rd3;\nmov.u32 "
    "%r2, s;\n"
    "mad.lo.u32 %r3, %r1, 16, %r2;\nld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1];\n"
    "st.shared.v4.u32 [%r3], {%r4, %r5, %r6, %r7};\nbar.sync 0;\n"
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r3];\n"
    "sub.u32 %r3, %r3, 16;\ncvt.u64.u32 %rd4, %r3;\n"
    "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%r12, %r13}, [%rd4 + 16];\n"
    "st.global.v4.u32 [%rd2], {%r8, %r9, %r10, %r11};\nst.global.v2.u32 [%rd2+16], {%r12, "
    "%r13};\nret;\n}\n";

TEST_BODY(ptx_matrix_fragments_are_loaded)
{
    static uint32_t in[LANES][MOST_WORDS], out[LANES][MOST_WORDS];
    driver_use_primary();
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < 4; i++)
            in[lane][i] = (8 * lane + 2 * i) | (8 * lane + 2 * i + 1) << 16;
    run(loads, in, out);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t g = lane / 4, t = lane % 4;
        for (uint32_t m = 0; m < 4; m++)
            assert_int_equal(out[lane][m], (64 * m + 8 * g + 2 * t) | (64 * m + 8 * g + 2 * t + 1)
                                                                          << 16);
        for (uint32_t m = 0; m < 2; m++)
            assert_int_equal(out[lane][4 + m], (64 * m + 16 * t + g) | (64 * m + 16 * t + 8 + g)
                                                                           << 16);
    }
}

/* a of 16 by 16 in rows or columns, b and the sum likewise, in memory behind each other: in what all formats have. */
static void check_tiles(bool is_a_row, bool is_b_row, bool is_sum_row, bool is_half)
{
    static char text[4096];
    static uint16_t operands[2][16][16];
    static unsigned char in[LANES * MOST_WORDS * 4];
    static uint32_t out[LANES][MOST_WORDS];
    const char *sum = is_half ? "f16" : "f32",
               *words =
                   is_half ? "{%c0, %c1, %c2, %c3}" : "{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}";
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %%a<8>, "
                  "%%b<8>, %%c<8>, %%r<2>;\n"
                  ".reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [in];\nld.param.u64 %%rd2, "
                  "[out];\nmov.u32 %%r1, 16;\n"
                  "wmma.load.a.sync.aligned.%s.m16n16k16.global.f16 {%%a0, %%a1, %%a2, %%a3, %%a4, "
                  "%%a5, %%a6, %%a7}, [%%rd1], 16;\n"
                  "wmma.load.b.sync.aligned.%s.m16n16k16.f16 {%%b0, %%b1, %%b2, %%b3, %%b4, %%b5, "
                  "%%b6, %%b7}, [%%rd1+512], %%r1;\n"
                  "wmma.load.c.sync.aligned.%s.m16n16k16.global.%s %s, [%%rd1+1024], %%r1;\n"
                  "wmma.mma.sync.aligned.%s.%s.m16n16k16.%s.%s %s, {%%a0, %%a1, %%a2, %%a3, %%a4, "
                  "%%a5, %%a6, %%a7}, "
                  "{%%b0, %%b1, %%b2, %%b3, %%b4, %%b5, %%b6, %%b7}, %s;\n"
                  "wmma.store.d.sync.aligned.row.m16n16k16.global.%s [%%rd2], %s, %%r1;\nret;\n}\n",
             is_a_row ? "row" : "col", is_b_row ? "row" : "col", is_sum_row ? "row" : "col", sum,
             words, is_a_row ? "row" : "col", is_b_row ? "row" : "col", sum, sum, words, words, sum,
             words);
    int left[16][16], right[16][16], begin[16][16];
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            left[i][j] = (i * 3 + j * 5) % 7 - 3;
            right[i][j] = (i * 2 + j * 11) % 9 - 4;
            begin[i][j] = 0;
            operands[0][is_a_row ? i : j][is_a_row ? j : i] = (uint16_t)half_bits(left[i][j]);
            operands[1][is_b_row ? i : j][is_b_row ? j : i] = (uint16_t)half_bits(right[i][j]);
        }
    memcpy(in, operands, sizeof operands);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            const int place = is_sum_row ? 16 * i + j : 16 * j + i;
            begin[i][j] = (i * 5 + j) % 11 - 5;
            const uint32_t word = is_half ? half_bits(begin[i][j]) : float_bits(begin[i][j]);
            memcpy(in + 1024 + place * (is_half ? 2 : 4), &word, is_half ? 2 : 4);
        }
    run(text, in, out);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            int wanted = begin[i][j];
            for (int k = 0; k < 16; k++)
                wanted += left[i][k] * right[k][j];
            uint32_t word = 0;
            memcpy(&word, (unsigned char *)out + (16 * i + j) * (is_half ? 2 : 4), is_half ? 2 : 4);
            assert_int_equal(word, is_half ? half_bits(wanted) : float_bits(wanted));
        }
}

TEST_BODY(ptx_matrix_tiles_are_loaded_multiplied_and_stored)
{
    driver_use_primary();
    check_tiles(true, false, true, false);
    check_tiles(false, true, false, true);
}
