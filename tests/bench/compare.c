/* Tests of bench/compare.c: what is noise and what has moved.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include "bench/compare.h"

static struct saved_value value(double seconds, double spread)
{
    return (struct saved_value){.method = "m",
                                .seconds = seconds,
                                .p10 = seconds * (1 - spread),
                                .p90 = seconds * (1 + spread),
                                .cov = spread / 2};
}

static enum moved moved(double before, double spread_before, double now, double spread_now)
{
    struct saved_value a = value(before, spread_before), b = value(now, spread_now);
    return compare_moved(&a, &b);
}

TEST_BODY(compare_tells_slower_from_faster)
{
    assert_int_equal(moved(1e-3, 0.01, 1.5e-3, 0.01), MOVED_SLOWER);
    assert_int_equal(moved(1.5e-3, 0.01, 1e-3, 0.01), MOVED_FASTER);
    assert_int_equal(moved(1e-3, 0.01, 1e-3, 0.01), MOVED_NOT);
}

TEST_BODY(compare_takes_noise_for_noise)
{
    /* The intervals overlap. */
    assert_int_equal(moved(1e-3, 0.3, 1.4e-3, 0.3), MOVED_NOT);
    /* They do not, but the ratio is inside of what steady rows move by. */
    assert_int_equal(moved(1e-3, 0.001, 1.02e-3, 0.001), MOVED_NOT);
    assert_int_equal(moved(1e-3, 0.001, 1.05e-3, 0.001), MOVED_SLOWER);
    /* Nor here, but both runs deviate too much in themselves. */
    struct saved_value a = value(1e-3, 0.02), b = value(1.1e-3, 0.02);
    a.cov = b.cov = 0.1;
    assert_int_equal(compare_moved(&a, &b), MOVED_NOT);
}

TEST_BODY(compare_needs_both_sides)
{
    struct saved_value a = value(1e-3, 0.01), none = {0}, zero = value(0, 0);
    assert_int_equal(compare_moved(&a, &none), MOVED_NOT);
    assert_int_equal(compare_moved(&none, &a), MOVED_NOT);
    assert_int_equal(compare_moved(&zero, &a), MOVED_NOT);
}
