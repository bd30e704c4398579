/* Tests of cl/check/check_flow.c and of how check_shadow.c keeps bits: what becomes of what nobody wrote.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_flow.h"
#include "cl/check/check_shadow.h"
#include "tests/test.h"

TEST_BODY(flows_are_followed_bit_by_bit)
{
    static const struct {
        unsigned how;
        uint64_t value;
        uint32_t bytes;
        uint64_t sources[4], wanted;
    } rows[] = {
        {CLEM_CHECK_MIX, 0, 4, {1}, 0xffffffff},
        {CLEM_CHECK_MIX, 0, 4, {0}, 0},
        {CLEM_CHECK_MOVE, 0, 2, {0x12345678}, 0x5678},
        {CLEM_CHECK_MASK, 0x38, 4, {0xffffffff}, 0x38},
        {CLEM_CHECK_JOIN, 0x0f, 4, {0xff}, 0xf0},
        {CLEM_CHECK_LEFT, 12, 4, {0xff}, 0xff000},
        {CLEM_CHECK_LEFT, 64, 8, {0xff}, 0},
        {CLEM_CHECK_RIGHT, 3, 4, {0xff}, 0x1f},
        {CLEM_CHECK_SIGNED, 28, 4, {0x80000000}, 0xfffffff8},
        {CLEM_CHECK_SIGNED, 28, 4, {0x40000000}, 4},
        {CLEM_CHECK_PACK, 2, 4, {0, 0xffff}, 0xffff0000},
        {CLEM_CHECK_EXTEND, 1, 4, {0xffff}, 0xff},
        {CLEM_CHECK_EXTEND, 1 | 256, 4, {0x80}, 0xffffff80},
        {CLEM_CHECK_EXTEND, 1 | 256, 4, {0x40}, 0x40},
        {CLEM_CHECK_EXTRACT, 9 | 6 << 8, 4, {0xff00}, 0x3f},
        {CLEM_CHECK_EXTRACT, 9 | 6 << 8 | 1 << 16, 4, {1 << 14}, 0xffffffe0},
        {CLEM_CHECK_EXTRACT, 40 | 6 << 8, 4, {0xffffffff}, 0},
        {CLEM_CHECK_INSERT, 8 | 8 << 8, 4, {0, 0xffffffff}, 0xffff00ff},
        {CLEM_CHECK_INSERT, 4 | 8 << 8, 4, {0xfff, 0}, 0xff0},
        {CLEM_CHECK_PERMUTE, 0x0123, 4, {0xff}, 0xff000000},
        {CLEM_CHECK_PERMUTE, 0x7400, 4, {0, 0xff}, 0x00ff0000},
        {CLEM_CHECK_PERMUTE, 0x8888, 4, {0x80}, 0xffffffff},
        {CLEM_CHECK_FUNNEL, 24, 4, {0xff000000, 0xf}, 0xfff},
        {CLEM_CHECK_CHOOSE, 0, 4, {0xf0}, 0xf0},
        {CLEM_CHECK_CHOOSE, 0, 4, {0, 1}, 0xffffffff},
        {CLEM_CHECK_BOTH, 0, 1, {0xff, 0xff}, 0xff},
        {CLEM_CHECK_BOTH, 0, 1, {0xff, 0}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(ocl_flow(rows[i].how, rows[i].value, rows[i].bytes, rows[i].sources),
                         rows[i].wanted);
}

TEST_BODY(copies_of_padding_compute_nothing)
{
    static const uint64_t one[4] = {0xff00}, both[4] = {0xff, 0xff}, apart[4] = {0xff, 0xff00};
    assert_false(ocl_flow_computes(CLEM_CHECK_MOVE, 0, 4, one));
    assert_false(ocl_flow_computes(CLEM_CHECK_LEFT, 8, 4, one));
    assert_true(ocl_flow_computes(CLEM_CHECK_LEFT, 3, 4, one));
    assert_false(ocl_flow_computes(CLEM_CHECK_JOIN, 0, 4, apart));
    assert_true(ocl_flow_computes(CLEM_CHECK_JOIN, 0, 4, both));
    assert_false(ocl_flow_computes(CLEM_CHECK_MASK, 0xffffffc7, 4, one));
    assert_true(ocl_flow_computes(CLEM_CHECK_MASK, 0xff, 4, one));
    assert_true(ocl_flow_computes(CLEM_CHECK_MIX, 0, 4, one));
}

TEST_BODY(bits_of_bytes_are_kept)
{
    for (unsigned bits = 0; bits < 256; bits++) {
        const unsigned char kept = ocl_written_but(bits, false);
        assert_int_equal(ocl_unwritten_bits(kept),
                         bits == 0xaa ? 0xff : bits); /* one has no number */
        assert_true((kept == OCL_WRITTEN) == (bits == 0));
    }
    assert_int_equal(ocl_written_but(0xff, false), OCL_UNWRITTEN);
    assert_int_equal(ocl_written_but(0xff, true), OCL_COMPUTED);
}
