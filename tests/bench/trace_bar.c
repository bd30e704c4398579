/* Tests of bench/trace_bar.c: verdicts on rounds made by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/trace_bar.h"

/* So many rounds of a call of 100 ns, which takes more with a trace, and of one row, which is slower by a factor. Each round
 * but the first is slowed down by other work, by up to noise, in an order of its own for each way. */
static struct trace_bar judged(size_t count, double more, double seconds, double slower,
                               double noise)
{
    struct trace_rounds rounds;
    memset(&rounds, 0, sizeof rounds);
    for (size_t i = 0; i < count; i++) {
        const double plain = 1 + noise * (double)(i * 7 % count) / (double)count;
        const double traced = 1 + noise * (double)(i * 5 % count) / (double)count;
        rounds.call.seconds[TRACE_PLAIN][i] = 100e-9 * plain;
        rounds.call.seconds[TRACE_TRACED][i] = (100e-9 + more) * traced;
        rounds.others[3].seconds[TRACE_PLAIN][i] = seconds * plain;
        rounds.others[3].seconds[TRACE_TRACED][i] = seconds * slower * traced;
    }
    return trace_judge(&rounds);
}

static enum trace_verdict verdict(size_t count, double more, double slower, double noise)
{
    return judged(count, more, 2e-3, slower, noise).verdict;
}

TEST_BODY(trace_bar_without_noise)
{
    assert_int_equal(verdict(3, 90e-9, 1.01, 0), TRACE_WITHIN);
    assert_int_equal(verdict(3, 310e-9, 1.01, 0), TRACE_OPEN); /* until the median says so too */
    assert_int_equal(verdict(9, 310e-9, 1.01, 0), TRACE_BEYOND);
    assert_int_equal(verdict(9, 90e-9, 1.04, 0), TRACE_BEYOND);
    assert_int_equal(judged(3, 90e-9, 0.9e-3, 1.04, 0).verdict, TRACE_WITHIN); /* no long row */
    const struct trace_bar bar = judged(3, 90e-9, 2e-3, 1.25, 0);
    assert_true(bar.share.best > 0.799 && bar.share.best < 0.801);
    assert_true(bar.more.best > 89e-9 && bar.more.best < 91e-9);
}

/* What noise alone could have made is no verdict, and more rounds come to one. */
TEST_BODY(trace_bar_in_noise_is_open_until_there_are_rounds)
{
    assert_int_equal(verdict(3, 90e-9, 1.01, 0.15), TRACE_OPEN);
    assert_int_equal(verdict(9, 90e-9, 1.01, 0.15), TRACE_WITHIN);
    assert_int_equal(verdict(3, 90e-9, 1.04, 0.15), TRACE_OPEN);
    assert_int_equal(verdict(15, 90e-9, 1.06, 0.15), TRACE_OPEN);
    assert_int_equal(verdict(15, 90e-9, 1.25, 0.15), TRACE_BEYOND);
    assert_int_equal(verdict(3, 290e-9, 1.0, 0.5), TRACE_OPEN);
    assert_int_equal(verdict(9, 600e-9, 1.0, 0.2), TRACE_BEYOND);
}

/* Milliseconds of a fill that a trace costs nothing: one round without it was faster than all others, as nothing was before or
 * after. The fastest alone would say that a trace costs a tenth; the rounds' ratios do not. */
TEST_BODY(trace_bar_takes_no_stroke_of_luck_for_a_cost)
{
    static const double plain[] = {2.31, 2.29, 2.33, 2.05, 2.06, 2.30, 2.28, 2.34, 2.32};
    static const double traced[] = {2.30, 2.31, 2.32, 2.29, 2.33, 2.28, 2.31, 2.30, 2.35};
    struct trace_rounds rounds;
    memset(&rounds, 0, sizeof rounds);
    for (size_t i = 0; i < 9; i++) {
        rounds.call.seconds[TRACE_PLAIN][i] = rounds.call.seconds[TRACE_TRACED][i] = 1e-7;
        rounds.others[0].seconds[TRACE_PLAIN][i] = plain[i] * 1e-3;
        rounds.others[0].seconds[TRACE_TRACED][i] = traced[i] * 1e-3;
    }
    const struct trace_bar bar = trace_judge(&rounds);
    assert_int_equal(bar.verdict, TRACE_OPEN);
    assert_true(bar.share.best > 0.97);
}

/* What drifts slows both of a round: the fastest ones are far apart, the ratios are not. */
TEST_BODY(trace_bar_follows_what_drifts)
{
    struct trace_rounds rounds;
    memset(&rounds, 0, sizeof rounds);
    for (size_t i = 0; i < 15; i++) {
        const double drift = 1 + 0.1 * (double)(14 - i);
        rounds.call.seconds[TRACE_PLAIN][i] = rounds.call.seconds[TRACE_TRACED][i] = 1e-7;
        rounds.others[0].seconds[TRACE_PLAIN][i] = 2e-3 * drift;
        rounds.others[0].seconds[TRACE_TRACED][i] = 2e-3 * drift * (i % 2 ? 1.01 : 1.02);
    }
    const struct trace_bar bar = trace_judge(&rounds);
    assert_int_equal(bar.verdict, TRACE_WITHIN);
    assert_true(bar.share.low > 0.979 && bar.share.high < 0.991);
}

/* One round bounds nothing, and a row that was measured one way only says nothing. */
TEST_BODY(trace_bar_needs_two_rounds_both_ways)
{
    struct trace_rounds rounds;
    assert_int_equal(verdict(1, 90e-9, 1.0, 0), TRACE_OPEN);
    assert_int_equal(verdict(2, 90e-9, 1.0, 0), TRACE_WITHIN);
    memset(&rounds, 0, sizeof rounds);
    assert_int_equal(trace_judge(&rounds).verdict, TRACE_OPEN);
    for (size_t i = 0; i < 3; i++) {
        rounds.call.seconds[TRACE_PLAIN][i] = rounds.call.seconds[TRACE_TRACED][i] = 1e-7;
        rounds.others[0].seconds[TRACE_TRACED][i] = 1;
    }
    assert_int_equal(trace_judge(&rounds).verdict, TRACE_WITHIN);
    assert_true(trace_judge(&rounds).share.best == 0);
}
