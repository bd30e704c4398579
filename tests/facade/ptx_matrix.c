/* Matrix instructions of warps between memory and registers: ldmatrix, and wmma whole. Products: tests/programs/tensor.cu.
 * Numbers are whole and so small that every format has them and all sums.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "tests/facade/driver_support.h"

enum { LANES = 32, MOST_WORDS = 16 };

#define HEAD ".version 8.5\n.target sm_90\n.address_size 64\n"

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

static unsigned float_bits(int value)
{
    const float number = (float)value;
    unsigned bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
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
