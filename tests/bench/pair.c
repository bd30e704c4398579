/* Tests of bench/pair.c and of verdicts on cells that were measured in turn: series as they were recorded, and made ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/expect.h"

static const struct study by_offset = {
    .unit = UNIT_GB_S, .parameters = {{.name = "offset"}}, .forms = {{"idiom", ON_ANY}}};
static const struct row row = {
    .name = "one", .work = WORK_STUDY, .rule = RULE_COUNTED, .study = &by_offset};

/* Microseconds, of two reads of 64 MiB on two cores that eight others wanted as well. */
static const double noisy[PAIR_SIDES][45] = {
    {21900, 9491,  6099,  14020, 3007,  4127,  14690, 16880, 29940, 3151,  3000,  19770,
     12250, 13070, 10670, 17670, 16040, 18730, 26580, 17210, 29730, 23970, 12680, 24020,
     14360, 30500, 24640, 19610, 23960, 31990, 39940, 30980, 15970, 15990, 32200, 19690,
     16460, 20000, 12010, 22680, 19970, 16120, 16380, 16370, 19870},
    {3655,  8294,  41030, 20290, 4734,  3722,  28030, 3455,  20080, 5884,  4455,  19910,
     12020, 11900, 8030,  20320, 21330, 16330, 26360, 18750, 18250, 16030, 27360, 12000,
     26620, 15860, 20570, 23810, 20040, 16030, 29530, 3523,  20030, 11980, 19820, 28560,
     23330, 39930, 21380, 3983,  16410, 19760, 19330, 28020, 16110}};

/* The same, of strides: memory had two levels of speed, which changed in the midst. */
static const double levels[PAIR_SIDES][15] = {
    {2454, 11990, 9067, 9014, 7055, 8230, 10210, 13950, 12850, 2744, 2474, 2842, 7276, 3093, 2676},
    {5698, 5266, 3692, 5594, 4629, 5995, 5706, 6032, 8122, 6691, 2453, 2027, 2106, 1741, 1551}};

static struct result made(unsigned offset, const struct pair *pair, size_t side)
{
    struct series series = {0};
    struct result result = {.task = {.row = &row, .parameters = {offset}, .useful = 1e9},
                            .by[BY_CUDA] = {.method = "m", .count = 1}};
    for (size_t i = 0; i < pair->count; i++)
        assert_true(series_add(&series, pair->seconds[side][i]));
    result.by[BY_CUDA].time = series_summarize(&series);
    series_free(&series);
    return result;
}

/* What is found of the cells' samples alone, or with them as rounds in turn. Speed of the first over that of the second. */
static struct finding judged(struct pair *pair, double low, double high, bool in_turn)
{
    struct result results[] = {made(0, pair, PAIR_UNDER), made(1, pair, PAIR_OVER)};
    struct device_report device = {.results = results, .count = 2};
    const struct expectation expectation = {"S0-15", ON_ANY,          EXPECT_RATIO,    low,
                                            high,    "one{offset=1}", "one{offset=0}", "words"};
    struct finding finding;
    pair->cells[PAIR_OVER] = 1;
    pair->cells[PAIR_UNDER] = 0;
    device.pairs = pair;
    device.pair_count = in_turn;
    expectation_judge(&expectation, &device, &finding);
    return finding;
}

static struct pair taken(const double *over, const double *under, size_t count)
{
    struct pair pair = {.count = count};
    memcpy(pair.seconds[PAIR_OVER], over, count * sizeof *over);
    memcpy(pair.seconds[PAIR_UNDER], under, count * sizeof *under);
    return pair;
}

TEST_BODY(pair_interval_is_of_the_median)
{
    double ratios[PAIR_MOST_ROUNDS];
    struct pair_interval interval;
    for (size_t count = 1; count <= PAIR_MOST_ROUNDS; count++) {
        for (size_t i = 0; i < count; i++) /* 1 to count, in no order, but for multiples of 7 */
            ratios[i] = (double)((i * 7 + 3) % count) + 1;
        if (count % 7 == 0)
            continue;
        assert_int_equal(pair_interval(ratios, count, &interval), count >= 9);
        if (count < 9)
            continue;
        assert_true(interval.ratio == (double)(count + 1) / 2);
        assert_true(interval.low + interval.high == (double)count + 1);
    }
}

/* Ranks as tables of the sign test have them: of 9 all, of 15 the third, of 45 the 14th, of 135 the 53rd from either end. */
TEST_BODY(pair_interval_has_the_ranks_of_the_sign_test)
{
    static const size_t ranks[][2] = {{9, 1}, {15, 3}, {45, 14}, {135, 53}};
    double ratios[PAIR_MOST_ROUNDS];
    struct pair_interval interval;
    for (size_t n = 0; n < sizeof ranks / sizeof *ranks; n++) {
        for (size_t i = 0; i < ranks[n][0]; i++)
            ratios[i] = (double)i + 1;
        assert_true(pair_interval(ratios, ranks[n][0], &interval));
        assert_true(interval.low == (double)ranks[n][1]);
    }
}

TEST_BODY(pair_of_noise_is_settled_by_more_rounds)
{
    struct pair some = taken(noisy[PAIR_OVER], noisy[PAIR_UNDER], 15);
    struct pair all = taken(noisy[PAIR_OVER], noisy[PAIR_UNDER], 45);
    const struct finding open = judged(&some, 0.4, 1.6, true);
    assert_int_equal(open.verdict, VERDICT_INCONCLUSIVE);
    assert_int_equal(open.rounds, 15);
    const struct finding settled = judged(&all, 0.4, 1.6, true);
    assert_int_equal(settled.verdict, VERDICT_AS_EXPECTED);
    assert_non_null(strstr(settled.words, "45 rounds in turn"));
    assert_int_equal(judged(&all, 2, 3, true).verdict, VERDICT_DIFFERS);
}

TEST_BODY(pair_of_two_levels_is_settled_where_both_change)
{
    struct pair pair = taken(levels[PAIR_OVER], levels[PAIR_UNDER], 15);
    assert_int_equal(judged(&pair, 0.003, 1.1, true).verdict, VERDICT_AS_EXPECTED);
    for (size_t i = 0; i < 15;
         i++) /* one of them changes: half of the rounds say this, half that */
        pair.seconds[PAIR_OVER][i] = pair.seconds[PAIR_UNDER][i] * (i % 2 ? 0.8 : 1.6);
    assert_int_equal(judged(&pair, 0.003, 1.1, true).verdict, VERDICT_INCONCLUSIVE);
}

/* Both get slower by and by, four times in all: samples alone say little, rounds all. */
TEST_BODY(pair_of_what_drifts_is_known_well)
{
    struct pair pair = {.count = 45};
    for (size_t i = 0; i < pair.count; i++) {
        pair.seconds[PAIR_UNDER][i] = 1e-3 * (1 + 3 * (double)i / 45);
        pair.seconds[PAIR_OVER][i] = 0.8 * pair.seconds[PAIR_UNDER][i] * (i % 2 ? 1.02 : 0.98);
    }
    assert_int_equal(judged(&pair, 1.1, 2, false).verdict, VERDICT_INCONCLUSIVE);
    const struct finding finding = judged(&pair, 1.1, 2, true);
    assert_int_equal(finding.verdict, VERDICT_AS_EXPECTED);
    assert_true(finding.ratio > 1.22 && finding.ratio < 1.28);
    assert_true(finding.low > 1.2 && finding.high < 1.3);
}

/* A ratio that is a bound keeps it, if it is known to be that; where it is beyond, it differs however near. */
TEST_BODY(pair_at_a_bound_keeps_it)
{
    struct pair pair = {.count = 45};
    for (size_t i = 0; i < pair.count; i++) {
        pair.seconds[PAIR_UNDER][i] = 1e-3;
        pair.seconds[PAIR_OVER][i] = i % 2 ? 1.01e-3 : 0.99e-3;
    }
    assert_int_equal(judged(&pair, 1, 2, true).verdict, VERDICT_AS_EXPECTED);
    assert_int_equal(judged(&pair, 0.1, 1, true).verdict, VERDICT_AS_EXPECTED);
    for (size_t i = 0; i < pair.count; i++)
        pair.seconds[PAIR_OVER][i] = i % 2 ? 1.015e-3 : 1.005e-3;
    assert_int_equal(judged(&pair, 1, 2, true).verdict, VERDICT_DIFFERS);
    for (size_t i = 0; i < pair.count; i++)
        pair.seconds[PAIR_OVER][i] = i % 2 ? 1.1e-3 : 0.9e-3;
    assert_int_equal(judged(&pair, 1, 2, true).verdict, VERDICT_INCONCLUSIVE);
}

/* Too few rounds say nothing: the samples count. */
TEST_BODY(pair_of_few_rounds_counts_for_nothing)
{
    struct pair pair = taken(noisy[PAIR_OVER], noisy[PAIR_UNDER], 8);
    assert_int_equal(judged(&pair, 0.4, 1.6, true).rounds, 0);
}
