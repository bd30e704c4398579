/* Tests of bench/estimate.c: predictions that learn.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include "bench/estimate.h"
#include "bench/plan.h"

TEST_BODY(estimate_grows_with_contenders_and_effort)
{
    struct task alone = {.row = &bench_rows[0]}, beside = alone;
    struct effort quick = plan_effort(MODE_QUICK), full = plan_effort(MODE_FULL);
    beside.raw_beside = beside.host_beside = true;
    assert_true(estimate_task(&alone, &quick) > 0);
    assert_true(estimate_task(&beside, &quick) > estimate_task(&alone, &quick));
    assert_true(estimate_task(&alone, &full) > estimate_task(&alone, &quick));
}

TEST_BODY(estimate_follows_what_cells_took)
{
    struct estimate estimate = {0};
    for (int i = 0; i < 100; i++)
        estimate_add(&estimate, 1);
    assert_float_equal(estimate_left(&estimate), 100, 1e-6);
    for (int i = 0; i < 50; i++)
        estimate_done(&estimate, 1, 3);
    /* 50 predicted seconds are left, and cells take about three times what was predicted. */
    assert_true(estimate_left(&estimate) > 120 && estimate_left(&estimate) < 150);
    for (int i = 0; i < 50; i++)
        estimate_skip(&estimate, 1);
    assert_float_equal(estimate_left(&estimate), 0, 1e-6);
    estimate_skip(&estimate, 1);
    assert_float_equal(estimate_left(&estimate), 0, 1e-6);
}

TEST_BODY(estimate_is_told_in_suitable_units)
{
    char text[32];
    estimate_text(text, 40);
    assert_string_equal(text, "40 s");
    estimate_text(text, 600);
    assert_string_equal(text, "10 min");
    estimate_text(text, 7500);
    assert_string_equal(text, "2 h 05 min");
}
