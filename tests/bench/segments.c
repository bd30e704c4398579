/* Tests of bench/segments.c: the figures that its sources publish.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <math.h>

#include "bench/segments.h"

#define BASE 0x10000u

/* What lane k of a warp asks for: BASE + offset + k * stride bytes. */
static struct segment_count line_of_lanes(enum segment_rule rule, size_t word, uint64_t offset,
                                          uint64_t stride)
{
    uint64_t addresses[SEGMENT_LANES];
    for (size_t lane = 0; lane < SEGMENT_LANES; lane++)
        addresses[lane] = BASE + offset + lane * stride;
    return segments_of(rule, addresses, SEGMENT_LANES, word);
}

static void assert_count(struct segment_count count, unsigned requests, unsigned segments,
                         uint64_t moved, double percent)
{
    assert_int_equal(count.requests, requests);
    assert_int_equal(count.segments, segments);
    assert_int_equal(count.moved, moved);
    if (fabs(segments_utilisation(&count) - percent) > 1e-9)
        fail_msg("%.9g %% is not %.9g %%", segments_utilisation(&count), percent);
}

TEST_BODY(segments_rules_by_compute_capability)
{
    assert_int_equal(segments_rule(1, 0, 1), SEGMENTS_IN_ORDER);
    assert_int_equal(segments_rule(1, 1, 0), SEGMENTS_IN_ORDER);
    assert_int_equal(segments_rule(1, 2, 1), SEGMENTS_ANY_ORDER);
    assert_int_equal(segments_rule(1, 3, 0), SEGMENTS_ANY_ORDER);
    assert_int_equal(segments_rule(2, 0, 1), SEGMENTS_LINES);
    assert_int_equal(segments_rule(2, 0, 0), SEGMENTS_SECTORS);
    assert_int_equal(segments_rule(9, 0, 1), SEGMENTS_LINES);
    assert_int_equal(segments_rule(9, 0, 0), SEGMENTS_SECTORS);
}

TEST_BODY(segments_of_lines_published)
{
    assert_count(line_of_lanes(SEGMENTS_LINES, 4, 0, 4), 1, 1, 128, 100);
    /* Misaligned: two lines, wherever in them. */
    for (uint64_t offset = 4; offset < 128; offset += 4)
        assert_count(line_of_lanes(SEGMENTS_LINES, 4, offset, 4), 1, 2, 256, 50);
    assert_count(line_of_lanes(SEGMENTS_LINES, 4, 128, 4), 1, 1, 128, 100);
    /* The same 4 bytes of one line. */
    assert_count(line_of_lanes(SEGMENTS_LINES, 4, 64, 0), 1, 1, 128, 3.125);
    /* Scattered over 32 lines. */
    assert_count(line_of_lanes(SEGMENTS_LINES, 4, 0, 4096), 1, 32, 4096, 3.125);
}

TEST_BODY(segments_of_sectors_published)
{
    assert_count(line_of_lanes(SEGMENTS_SECTORS, 4, 0, 4), 1, 4, 128, 100);
    /* Misaligned: five instead of four. */
    assert_count(line_of_lanes(SEGMENTS_SECTORS, 4, 44, 4), 1, 5, 160, 80);
    assert_count(line_of_lanes(SEGMENTS_SECTORS, 4, 32, 4), 1, 4, 128, 100);
    assert_count(line_of_lanes(SEGMENTS_SECTORS, 4, 64, 0), 1, 1, 32, 12.5);
    assert_count(line_of_lanes(SEGMENTS_SECTORS, 4, 0, 4096), 1, 32, 1024, 12.5);
}

TEST_BODY(segments_of_strides)
{
    const struct {
        uint64_t words;
        unsigned lines, sectors;
    } rows[] = {{1, 1, 4},  {2, 2, 8},    {3, 3, 12},   {4, 4, 16},
                {8, 8, 32}, {16, 16, 32}, {32, 32, 32}, {64, 32, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t stride = 4 * rows[i].words;
        assert_int_equal(line_of_lanes(SEGMENTS_LINES, 4, 0, stride).segments, rows[i].lines);
        assert_int_equal(line_of_lanes(SEGMENTS_SECTORS, 4, 0, stride).segments, rows[i].sectors);
    }
    /* One transaction of 32 bytes for each 4-byte word: an eighth. */
    assert_count(line_of_lanes(SEGMENTS_SECTORS, 4, 0, 32), 1, 32, 1024, 12.5);
}

TEST_BODY(segments_of_wide_words_are_several_requests)
{
    assert_count(line_of_lanes(SEGMENTS_LINES, 1, 0, 1), 1, 1, 128, 25);
    assert_count(line_of_lanes(SEGMENTS_LINES, 2, 0, 2), 1, 1, 128, 50);
    assert_count(line_of_lanes(SEGMENTS_LINES, 8, 0, 8), 2, 2, 256, 100);
    assert_count(line_of_lanes(SEGMENTS_LINES, 16, 0, 16), 4, 4, 512, 100);
    /* Each of the requests is misaligned, and asks for the line between two requests again. */
    assert_count(line_of_lanes(SEGMENTS_LINES, 8, 8, 8), 2, 4, 512, 50);
    assert_count(line_of_lanes(SEGMENTS_SECTORS, 16, 16, 16), 4, 20, 640, 80);
}

TEST_BODY(segments_in_order_are_strict)
{
    assert_count(line_of_lanes(SEGMENTS_IN_ORDER, 4, 0, 4), 2, 2, 128, 100);
    assert_count(line_of_lanes(SEGMENTS_IN_ORDER, 8, 0, 8), 2, 2, 256, 100);
    assert_count(line_of_lanes(SEGMENTS_IN_ORDER, 16, 0, 16), 2, 4, 512, 100);
    /* Small words, a shifted base, one word for all, a gap: 16 times 32 bytes for each half. */
    assert_count(line_of_lanes(SEGMENTS_IN_ORDER, 1, 0, 1), 2, 32, 1024, 3.125);
    assert_count(line_of_lanes(SEGMENTS_IN_ORDER, 2, 0, 2), 2, 32, 1024, 6.25);
    assert_count(line_of_lanes(SEGMENTS_IN_ORDER, 4, 4, 4), 2, 32, 1024, 12.5);
    assert_int_equal(line_of_lanes(SEGMENTS_IN_ORDER, 4, 0, 0).segments, 32);
    assert_int_equal(line_of_lanes(SEGMENTS_IN_ORDER, 4, 0, 8).segments, 32);
    /* A base that is a multiple of 64 bytes will do. */
    assert_int_equal(line_of_lanes(SEGMENTS_IN_ORDER, 4, 64, 4).segments, 2);
}

TEST_BODY(segments_permuted_are_free_from_1_2_on)
{
    uint64_t straight[SEGMENT_LANES], mixed[SEGMENT_LANES];
    for (size_t lane = 0; lane < SEGMENT_LANES; lane++) {
        straight[lane] = BASE + 4 * lane;
        mixed[lane] = BASE + 4 * ((lane & 16) | ((lane * 5 + 3) & 15));
    }
    const enum segment_rule free_rules[] = {SEGMENTS_ANY_ORDER, SEGMENTS_LINES, SEGMENTS_SECTORS,
                                            SEGMENTS_STORES};
    for (size_t i = 0; i < sizeof free_rules / sizeof *free_rules; i++) {
        struct segment_count a = segments_of(free_rules[i], straight, SEGMENT_LANES, 4);
        struct segment_count b = segments_of(free_rules[i], mixed, SEGMENT_LANES, 4);
        assert_int_equal(a.segments, b.segments);
        assert_int_equal(a.moved, b.moved);
    }
    assert_int_equal(segments_of(SEGMENTS_IN_ORDER, straight, SEGMENT_LANES, 4).segments, 2);
    assert_int_equal(segments_of(SEGMENTS_IN_ORDER, mixed, SEGMENT_LANES, 4).segments, 32);
}

TEST_BODY(segments_of_half_warps_shrink)
{
    /* 16 words of 4 bytes lie in 64 bytes of a 128-byte segment. */
    assert_count(line_of_lanes(SEGMENTS_ANY_ORDER, 4, 0, 4), 2, 2, 128, 100);
    assert_count(line_of_lanes(SEGMENTS_ANY_ORDER, 8, 0, 8), 2, 2, 256, 100);
    assert_count(line_of_lanes(SEGMENTS_ANY_ORDER, 16, 0, 16), 2, 4, 512, 100);
    /* Bytes fill half of a 32-byte segment, 2-byte words half of a 64-byte one. */
    assert_count(line_of_lanes(SEGMENTS_ANY_ORDER, 1, 0, 1), 2, 2, 64, 50);
    assert_count(line_of_lanes(SEGMENTS_ANY_ORDER, 2, 0, 2), 2, 2, 64, 100);
    /* One word on: the first half-warp's words lie in both halves of 128 bytes, the second's in two
     * segments, of which 64 and 32 bytes are enough. */
    assert_count(line_of_lanes(SEGMENTS_ANY_ORDER, 4, 4, 4), 2, 3, 128 + 64 + 32,
                 100.0 * 128 / 224);
    assert_count(line_of_lanes(SEGMENTS_ANY_ORDER, 4, 0, 0), 2, 2, 64, 12.5);
    assert_count(line_of_lanes(SEGMENTS_ANY_ORDER, 4, 0, 4096), 2, 32, 1024, 12.5);
}

TEST_BODY(segments_of_stores_take_one_two_or_four)
{
    assert_count(line_of_lanes(SEGMENTS_STORES, 4, 0, 4), 1, 1, 128, 100);
    uint64_t addresses[SEGMENT_LANES];
    for (size_t lane = 0; lane < SEGMENT_LANES; lane++)
        addresses[lane] = lane < 16 ? BASE + 64 + 4 * lane : SEGMENT_IDLE;
    assert_count(segments_of(SEGMENTS_STORES, addresses, SEGMENT_LANES, 4), 1, 1, 64, 100);
    /* Two words of one line but of different halves: one transaction of four pieces; of different
     * lines: two of one piece. */
    uint64_t apart[2] = {BASE, BASE + 96}, far[2] = {BASE, BASE + 128}, near[2] = {BASE, BASE + 32};
    assert_count(segments_of(SEGMENTS_STORES, apart, 2, 4), 1, 1, 128, 6.25);
    assert_count(segments_of(SEGMENTS_STORES, far, 2, 4), 1, 2, 64, 12.5);
    assert_count(segments_of(SEGMENTS_STORES, near, 2, 4), 1, 1, 64, 12.5);
}

TEST_BODY(segments_of_idle_lanes_and_words_across_a_border)
{
    uint64_t idle[SEGMENT_LANES];
    for (size_t lane = 0; lane < SEGMENT_LANES; lane++)
        idle[lane] = SEGMENT_IDLE;
    assert_count(segments_of(SEGMENTS_LINES, idle, SEGMENT_LANES, 4), 0, 0, 0, 0);
    assert_count(segments_of(SEGMENTS_IN_ORDER, idle, 0, 4), 0, 0, 0, 0);
    idle[5] = BASE + 20;
    assert_count(segments_of(SEGMENTS_IN_ORDER, idle, 16, 4), 1, 1, 64, 6.25);
    uint64_t across = BASE + 126;
    assert_count(segments_of(SEGMENTS_LINES, &across, 1, 4), 1, 2, 256, 100.0 * 4 / 256);
    assert_count(segments_of(SEGMENTS_STORES, &across, 1, 4), 1, 2, 64, 100.0 * 4 / 64);
    struct segment_count sum = {1, 2, 3, 4}, more = {10, 20, 30, 40};
    segments_add(&sum, &more);
    assert_int_equal(sum.requests, 11);
    assert_int_equal(sum.segments, 22);
    assert_int_equal(sum.useful, 33);
    assert_int_equal(sum.moved, 44);
}
