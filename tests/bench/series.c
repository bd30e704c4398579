/* Tests of bench/series.c: medians, percentiles, spread, ratios, against numbers made by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <math.h>

#include "bench/series.h"

static struct series series_of(const double *values, size_t count)
{
    struct series series = {0};
    for (size_t i = 0; i < count; i++)
        assert_true(series_add(&series, values[i]));
    return series;
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-12)
        fail_msg("%.15g is not %.15g", value, expected);
}

TEST_BODY(series_median_of_odd_and_even)
{
    const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, same[] = {7, 7};
    struct series a = series_of(odd, 3), b = series_of(even, 4), c = series_of(same, 2);
    assert_near(series_median(&a), 3);
    assert_near(series_median(&b), 2.5);
    assert_near(series_median(&c), 7);
    series_free(&a);
    series_free(&b);
    series_free(&c);
}

TEST_BODY(series_of_nothing_and_of_one)
{
    struct series none = {0};
    struct series_summary summary = series_summarize(&none);
    assert_int_equal(summary.count, 0);
    assert_near(summary.median, 0);
    assert_near(series_cov(&none), 0);
    const double value = 4;
    struct series one = series_of(&value, 1);
    summary = series_summarize(&one);
    assert_int_equal(summary.count, 1);
    assert_near(summary.median, 4);
    assert_near(summary.p10, 4);
    assert_near(summary.p90, 4);
    assert_near(summary.cov, 0);
    series_free(&one);
}

TEST_BODY(series_percentiles_lie_between_neighbours)
{
    const double sorted[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110};
    assert_near(series_percentile(sorted, 11, 0), 10);
    assert_near(series_percentile(sorted, 11, 0.1), 20);
    assert_near(series_percentile(sorted, 11, 0.9), 100);
    assert_near(series_percentile(sorted, 11, 1), 110);
    assert_near(series_percentile(sorted, 2, 0.25), 12.5);
    assert_near(series_percentile(sorted, 1, 0.9), 10);
}

TEST_BODY(series_summary_does_not_sort_the_series)
{
    const double values[] = {3, 1, 2};
    struct series series = series_of(values, 3);
    struct series_summary summary = series_summarize(&series);
    assert_near(summary.best, 1);
    assert_near(summary.mean, 2);
    for (size_t i = 0; i < 3; i++)
        assert_near(series.values[i], values[i]);
    series_free(&series);
}

TEST_BODY(series_cov_is_deviation_over_mean)
{
    /* Mean 5, squares of deviations 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over 7. */
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9}, same[] = {3, 3, 3};
    struct series series = series_of(values, 8), steady = series_of(same, 3);
    assert_near(series_cov(&series), sqrt(32.0 / 7.0) / 5);
    assert_near(series_cov(&steady), 0);
    series_free(&series);
    series_free(&steady);
}

TEST_BODY(series_ratios_go_round_by_round)
{
    /* Rounds give 1, 10 and 2, median 2; the ratio of the medians would be 1. */
    const double over[] = {10, 100, 4}, under[] = {10, 10, 2};
    struct series a = series_of(over, 3), b = series_of(under, 3), shorter = series_of(under, 1);
    struct series empty = {0};
    assert_near(series_median_ratio(&a, &b), 2);
    assert_near(series_median_difference(&a, &b), 2);
    assert_near(series_median_ratio(&a, &shorter), 1);
    assert_near(series_median_ratio(&a, &empty), 0);
    series_free(&a);
    series_free(&b);
    series_free(&shorter);
}

TEST_BODY(series_grows)
{
    struct series series = {0};
    for (int i = 1000; i > 0; i--)
        assert_true(series_add(&series, i));
    assert_int_equal(series.count, 1000);
    assert_near(series_median(&series), 500.5);
    assert_near(series_summarize(&series).best, 1);
    series_free(&series);
}
