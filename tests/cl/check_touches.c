/* Tests of cl/check/touches.c: where copies and fills are that a launch has to be told of.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/touches.h"

#include "kernels/ptx/host/host_race.h"
#include "tests/test.h"

enum { KERNEL = 1, COPIES = 2 }; /* lines */

/* A kernel that knows of the first two copies alone. */
static const struct ocl_stream_time kernel = {.line = KERNEL, .position = 1, .known[COPIES] = 2};

static void add_copy(uint32_t position, uint64_t address, uint64_t bytes)
{
    struct ocl_touch touch = {.time = {.line = COPIES, .position = position},
                              .rows = {.address = address},
                              .shape = {.width = bytes, .height = 1, .depth = 1},
                              .writes = true,
                              .what = "copy"};
    struct ocl_touch met;
    uint64_t at;
    for (uint32_t i = 0; i < position; i++)
        touch.time.known[COPIES] = i;
    assert_false(ocl_touches_add(&touch, &met, &at));
}

static void assert_range(const uint64_t range[2], uint64_t first, uint64_t end)
{
    assert_int_equal(range[0], first);
    assert_int_equal(range[1], end);
}

TEST_BODY(touches_leave_what_lies_between_them)
{
    uint64_t ranges[OCL_TOUCHED_RANGES][2];
    add_copy(1, 0x1000, 0x100);
    add_copy(2, 0x90000, 0x100);
    ocl_touches_bound(&kernel, ranges);
    assert_range(ranges[0], 0, 0);
    add_copy(3, 0x40000, 0x100);
    add_copy(4, 0x10000, 0x1000);
    add_copy(5, 0x40080, 0x100);
    add_copy(6, 0x10100, 0x10);
    ocl_touches_bound(&kernel, ranges);
    assert_range(ranges[0], 0x10000, 0x11000);
    assert_range(ranges[1], 0x40000, 0x40180);
    assert_range(ranges[2], 0, 0);
    add_copy(7, 0x11000, 0x2f000);
    ocl_touches_bound(&kernel, ranges);
    assert_range(ranges[0], 0x10000, 0x40180);
    assert_range(ranges[1], 0, 0);
}

/* Of many the gaps that are least go: those before an odd one. */
TEST_BODY(touches_are_bounded_together_where_there_are_many)
{
    uint64_t ranges[OCL_TOUCHED_RANGES][2];
    for (uint32_t i = 2 * OCL_TOUCHED_RANGES; i > 0; i--)
        add_copy(2 + (2 * OCL_TOUCHED_RANGES + 1 - i),
                 0x100000 + (i - 1) / 2 * UINT64_C(0x10000) + (i - 1) % 2 * UINT64_C(0x200), 0x100);
    ocl_touches_bound(&kernel, ranges);
    for (uint64_t i = 0; i < OCL_TOUCHED_RANGES; i++)
        assert_range(ranges[i], 0x100000 + i * 0x10000, 0x100300 + i * 0x10000);
}

TEST_BODY(touched_memory_is_that_of_the_ranges)
{
    const struct clem_check_launch head = {
        .touched_low = 100, .touched_high = 900, .touched = {{100, 200}, {800, 900}}};
    assert_true(clem_race_is_among(&head, 199, 215));
    assert_false(clem_race_is_among(&head, 200, 216));
    assert_false(clem_race_is_among(&head, 784, 800));
    assert_true(clem_race_is_among(&head, 785, 801));
    assert_true(clem_race_is_among(&head, 0, 1000));
    assert_false(clem_race_is_among(&head, 900, 916));
    assert_false(clem_race_is_among(&head, 0, 100));
}
