/* Tests of bench/expect.c: verdicts on results made by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/expect.h"
#include "bench/plan.h"

static const struct study by_offset = {
    .unit = UNIT_GB_S, .parameters = {{.name = "offset"}}, .forms = {{"idiom", ON_ANY}}};
static const struct study by_steps = {
    .unit = UNIT_NS, .parameters = {{.name = "offset"}}, .forms = {{"idiom", ON_ANY}}};
static const struct row speed_row = {
    .name = "one", .work = WORK_STUDY, .rule = RULE_COUNTED, .study = &by_offset};
static const struct row steps_row = {
    .name = "steps", .work = WORK_STUDY, .rule = RULE_COUNTED, .study = &by_steps};
static const struct row time_row = {
    .name = "time", .work = WORK_ALLOC, .axis = AXIS_ALLOC, .rule = RULE_TIME};

/* A result whose samples spread by so much to both sides of its median. */
static struct result made(const struct row *row, unsigned offset, double seconds, double spread)
{
    struct result result = {.task = {.row = row, .parameters = {offset}, .useful = 1e9}};
    struct series_summary time = {.count = 11,
                                  .median = seconds,
                                  .p10 = seconds / (1 + spread),
                                  .p90 = seconds * (1 + spread)};
    result.by[BY_CUDA] = (struct measured){.method = "m", .count = 1, .time = time};
    return result;
}

static struct finding judged(struct result *results, size_t count, enum expect_kind kind,
                             double low, double high, const char *first, const char *second)
{
    struct device_report device = {.results = results, .count = count};
    struct expectation expectation = {"S0-15", ON_ANY, kind, low, high, first, second, "words"};
    struct finding finding;
    expectation_judge(&expectation, &device, &finding);
    return finding;
}

#define RATIO(results, low, high)                                                                  \
    judged(results, sizeof(results) / sizeof *(results), EXPECT_RATIO, low, high, "one{offset=1}", \
           "one{offset=0}")

TEST_BODY(expect_ratio_is_of_speeds)
{
    struct result results[] = {made(&speed_row, 0, 1, 0), made(&speed_row, 1, 2, 0)};
    struct finding finding = RATIO(results, 0.4, 0.6);
    assert_int_equal(finding.verdict, VERDICT_AS_EXPECTED);
    assert_true(finding.ratio > 0.499 && finding.ratio < 0.501);
    assert_int_equal(RATIO(results, 0.6, 1).verdict, VERDICT_DIFFERS);
    assert_int_equal(RATIO(results, 0, 0.4).verdict, VERDICT_DIFFERS);
}

TEST_BODY(expect_less_time_is_more_speed)
{
    struct result steps[] = {made(&steps_row, 0, 1, 0), made(&steps_row, 1, 4, 0)};
    struct finding finding =
        judged(steps, 2, EXPECT_RATIO, 0, 9, "steps{offset=1}", "steps{offset=0}");
    assert_true(finding.ratio > 0.249 && finding.ratio < 0.251);
    struct result times[] = {made(&time_row, 0, 1e-6, 0), made(&time_row, 0, 1e-5, 0)};
    times[1].task.bytes = 4096;
    finding = judged(times, 2, EXPECT_RATIO, 0, 90, "time{size=min}", "time{size=max}");
    assert_true(finding.ratio > 9.9 && finding.ratio < 10.1);
}

TEST_BODY(expect_spread_over_a_bound_is_inconclusive)
{
    struct result results[] = {made(&speed_row, 0, 1, 0.1), made(&speed_row, 1, 2, 0.1)};
    struct finding finding = RATIO(results, 0.45, 1);
    assert_int_equal(finding.verdict, VERDICT_INCONCLUSIVE);
    assert_true(finding.measured);
    assert_true(finding.low < 0.45 && finding.high > 0.45);
    assert_int_equal(RATIO(results, 0.3, 1).verdict, VERDICT_AS_EXPECTED);
    assert_int_equal(RATIO(results, 0.7, 1).verdict, VERDICT_DIFFERS);
    assert_int_equal(RATIO(results, 0, 0.55).verdict, VERDICT_INCONCLUSIVE);
}

/* The same spread of more samples: the medians are known better. */
TEST_BODY(expect_more_samples_settle_what_is_inconclusive)
{
    struct result results[] = {made(&speed_row, 0, 1, 0.1), made(&speed_row, 1, 2, 0.1)};
    assert_int_equal(RATIO(results, 0.45, 1).verdict, VERDICT_INCONCLUSIVE);
    results[0].by[BY_CUDA].time.count = results[1].by[BY_CUDA].time.count = 100;
    assert_int_equal(RATIO(results, 0.45, 1).verdict, VERDICT_AS_EXPECTED);
    assert_int_equal(RATIO(results, 0.53, 1).verdict, VERDICT_DIFFERS);
    results[0].by[BY_CUDA].time.count = results[1].by[BY_CUDA].time.count = 1;
    assert_int_equal(RATIO(results, 0.42, 1).verdict, VERDICT_INCONCLUSIVE);
}

/* Cells of a row that expect.def knows: stride.read, every 32nd word and every word, on a CPU. */
static const struct study strides = {
    .unit = UNIT_GB_S, .parameters = {{.name = "stride"}}, .forms = {{"best", ON_ANY}}};
static const struct row stride_row = {
    .name = "stride.read", .work = WORK_STUDY, .rule = RULE_COUNTED, .study = &strides};

TEST_BODY(expect_open_pairs_are_those_of_open_verdicts)
{
    struct result results[] = {made(&stride_row, 7, 1, 0), made(&stride_row, 32, 2, 0.1),
                               made(&stride_row, 1, 1, 0.1)};
    const struct device_report device = {.facts.is_cpu = true, .results = results, .count = 3};
    static struct pair pairs[8];
    assert_int_equal(expectation_open_pairs(&device, pairs, 8),
                     2); /* 0.5 is the bound; 4, of what falls */
    assert_int_equal(pairs[0].cells[PAIR_OVER], 1);
    assert_int_equal(pairs[0].cells[PAIR_UNDER], 2);
    assert_int_equal(pairs[0].count, 0);
    assert_int_equal(expectation_open_pairs(&device, pairs, 1), 1);
    results[1] = made(&stride_row, 32, 8, 0.1);
    assert_int_equal(expectation_open_pairs(&device, pairs, 8), 0);
}

TEST_BODY(expect_suspect_cells_are_those_of_cpus)
{
    struct result results[] = {made(&stride_row, 7, 1, 0), made(&stride_row, 1, 1, 0)};
    struct device_report device = {.facts.is_cpu = true, .results = results, .count = 2};
    size_t cells[2] = {0, 0};
    assert_int_equal(expectation_suspect_cells(&device, cells, 2), 0);
    results[1].status = STATUS_SUSPECT;
    assert_int_equal(expectation_suspect_cells(&device, cells, 2), 1);
    assert_int_equal(cells[0], 1);
    device.facts.is_cpu = false;
    assert_int_equal(expectation_suspect_cells(&device, cells, 2), 0);
}

/* Plain C that something slowed down is no limit, where it was faster before at the same size. */
TEST_BODY(expect_suspect_cells_are_held_against_the_best_of_plain_c)
{
    const struct device_facts cpu = {.is_cpu = true, .compute_units = 2, .clock_khz = 3000000};
    struct result result = made(&stride_row, 1, 0.1, 0); /* 10 GB/s */
    result.task.bytes = 64 << 20;
    mark_suspect(&result, &cpu, 0.5);
    assert_int_equal(result.status, STATUS_SUSPECT);
    assert_non_null(strstr(result.reason, "ceiling of 8.0 GB/s"));
    mark_suspect(&result, &cpu, 0.2);
    assert_int_equal(result.status, STATUS_OK);
    assert_string_equal(result.reason, "");
    result.status = STATUS_SUSPECT;
    result.by[BY_CUDA].method = NULL; /* suspect for another reason */
    mark_suspect(&result, &cpu, 0.2);
    assert_int_equal(result.status, STATUS_SUSPECT);
}

TEST_BODY(expect_what_was_not_measured_is_inconclusive)
{
    struct result results[] = {made(&speed_row, 0, 1, 0), made(&speed_row, 2, 2, 0)};
    struct finding finding = RATIO(results, 0.4, 0.6);
    assert_int_equal(finding.verdict, VERDICT_INCONCLUSIVE);
    assert_false(finding.measured);
    assert_non_null(strstr(finding.words, "one{offset=1}"));
    finding = judged(results, 1, EXPECT_RATIO, 0, 2, "one{offset=min}", "one{offset=max}");
    assert_int_equal(finding.verdict, VERDICT_INCONCLUSIVE);
    assert_false(finding.measured);
    finding = judged(results, 1, EXPECT_SPREAD, 0, 2, "one", NULL);
    assert_int_equal(finding.verdict, VERDICT_INCONCLUSIVE);
    finding = judged(results, 1, EXPECT_FALLS, 0, 2, "one{offset=*}", NULL);
    assert_int_equal(finding.verdict, VERDICT_INCONCLUSIVE);
    finding = judged(results, 1, EXPECT_WORKS, 0, 0, "two", NULL);
    assert_int_equal(finding.verdict, VERDICT_INCONCLUSIVE);
    assert_false(finding.measured);
}

TEST_BODY(expect_says_why_nothing_was_measured)
{
    static const struct {
        enum status status;
        enum verdict verdict;
    } cases[] = {{STATUS_UNSUPPORTED, VERDICT_UNSUPPORTED},
                 {STATUS_SUSPECT, VERDICT_SUSPECT},
                 {STATUS_ERROR, VERDICT_SUSPECT},
                 {STATUS_SKIPPED, VERDICT_INCONCLUSIVE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result results[] = {made(&speed_row, 0, 1, 0), made(&speed_row, 1, 2, 0)};
        results[i % 2].status = cases[i].status;
        strcpy(results[i % 2].reason, "because");
        struct finding finding = RATIO(results, 0.4, 0.6);
        assert_int_equal(finding.verdict, cases[i].verdict);
        assert_true(finding.measured);
        assert_non_null(strstr(finding.words, "because"));
    }
}

TEST_BODY(expect_wrong_data_is_never_passed_over)
{
    struct result results[] = {made(&speed_row, 0, 1, 0), made(&speed_row, 1, 2, 0),
                               made(&speed_row, 1, 3, 0)};
    results[2].status = STATUS_ERROR;
    results[2].wrong_data = true;
    assert_int_equal(RATIO(results, 0.4, 0.6).verdict, VERDICT_SUSPECT);
    results[2].wrong_data = false; /* merely failed: the other one counts */
    assert_int_equal(RATIO(results, 0.4, 0.6).verdict, VERDICT_AS_EXPECTED);
}

TEST_BODY(expect_takes_the_fastest_of_several)
{
    struct result results[] = {made(&speed_row, 0, 1, 0), made(&speed_row, 1, 8, 0),
                               made(&speed_row, 1, 2, 0)};
    assert_int_equal(RATIO(results, 0.4, 0.6).verdict, VERDICT_AS_EXPECTED);
}

TEST_BODY(expect_spread_is_fastest_over_slowest)
{
    struct result results[] = {made(&speed_row, 0, 2, 0), made(&speed_row, 1, 1, 0),
                               made(&speed_row, 2, 3, 0)};
    struct finding finding = judged(results, 3, EXPECT_SPREAD, 2.5, 3.5, "one", NULL);
    assert_int_equal(finding.verdict, VERDICT_AS_EXPECTED);
    assert_int_equal(judged(results, 3, EXPECT_SPREAD, 1, 2, "one", NULL).verdict, VERDICT_DIFFERS);
}

static enum verdict falls(const double seconds[4])
{
    /* In no order: the judge sorts. */
    struct result results[] = {
        made(&speed_row, 4, seconds[2], 0), made(&speed_row, 1, seconds[0], 0),
        made(&speed_row, 64, seconds[3], 0), made(&speed_row, 2, seconds[1], 0)};
    return judged(results, 4, EXPECT_FALLS, 3, 5, "one{offset=*}", NULL).verdict;
}

TEST_BODY(expect_falls_all_along)
{
    assert_int_equal(falls((double[]){1, 2, 3, 4}), VERDICT_AS_EXPECTED);
    assert_int_equal(falls((double[]){1, 4, 3.5, 4}), VERDICT_AS_EXPECTED); /* a little faster */
    assert_int_equal(falls((double[]){1, 4, 2, 4}), VERDICT_DIFFERS);
    assert_int_equal(falls((double[]){1, 1, 1, 1}), VERDICT_DIFFERS);
    assert_int_equal(falls((double[]){1, 2, 4, 8}), VERDICT_DIFFERS);
}

TEST_BODY(expect_works_needs_all_that_is_named)
{
    static const struct row check = {.name = "check.a", .work = WORK_CHECK};
    static const struct row other = {.name = "check.b", .work = WORK_CHECK};
    struct result results[] = {{.task = {.row = &check}}, {.task = {.row = &other}}};
    assert_int_equal(judged(results, 2, EXPECT_WORKS, 0, 0, "check.*", NULL).verdict,
                     VERDICT_AS_EXPECTED);
    results[1].status = STATUS_UNSUPPORTED;
    strcpy(results[1].reason, "because");
    struct finding finding = judged(results, 2, EXPECT_WORKS, 0, 0, "check.*", NULL);
    assert_int_equal(finding.verdict, VERDICT_UNSUPPORTED);
    assert_non_null(strstr(finding.words, "because"));
    assert_int_equal(judged(results, 2, EXPECT_WORKS, 0, 0, "check.a", NULL).verdict,
                     VERDICT_AS_EXPECTED);
    results[0].status = STATUS_ERROR;
    assert_int_equal(judged(results, 2, EXPECT_WORKS, 0, 0, "check.*", NULL).verdict,
                     VERDICT_DIFFERS);
    results[1].wrong_data = true;
    assert_int_equal(judged(results, 2, EXPECT_WORKS, 0, 0, "check.*", NULL).verdict,
                     VERDICT_SUSPECT);
}

/* On a busy host a CPU's ratio proves nothing against it; a check's answer does. */
TEST_BODY(expect_busy_host_makes_cpus_inconclusive)
{
    struct result results[2] = {{.wrong_data = false}};
    const struct row *rows[2] = {NULL, NULL};
    for (size_t i = 0; i < bench_row_count; i++) {
        if (strcmp(bench_rows[i].name, "transfer.pageable.h2d") == 0)
            rows[0] = &bench_rows[i];
        if (strcmp(bench_rows[i].name, "transfer.pinned.h2d") == 0)
            rows[1] = &bench_rows[i];
    }
    assert_true(rows[0] && rows[1]);
    for (size_t i = 0; i < 2; i++) {
        results[i] = made(rows[i], 0, i ? 1 : 1e-3, 0); /* pinned is a thousand times slower */
        results[i].task.bytes = 4096;
    }
    for (int busy = 0; busy < 2; busy++) {
        for (int cpu = 0; cpu < 2; cpu++) {
            struct device_report device = {
                .facts = {.is_cpu = cpu}, .results = results, .count = 2, .host_was_busy = busy};
            struct seed_verdict verdicts[SEEDS];
            seeds_judge(&device, verdicts);
            size_t place = SEEDS - 16; /* S4-01 */
            assert_string_equal(seeds[place].id, "S4-01");
            assert_int_equal(verdicts[place].verdict,
                             busy && cpu ? VERDICT_INCONCLUSIVE : VERDICT_DIFFERS);
            assert_true(verdicts[place].measured);
        }
    }
}
