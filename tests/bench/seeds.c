/* Tests of bench/seeds.def and bench/expect.def: nothing is missing and every name exists.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/expect.h"
#include "bench/plan.h"
#include "bench/selector.h"

#define TEST(file, name) #file "/" #name,
static const char *const test_names[] = {
#include "tests/tests.def"
};
#undef TEST
#define TEST_COUNT (sizeof test_names / sizeof test_names[0])

TEST_BODY(seeds_are_the_71)
{
    static const unsigned rows[] = {19, 7, 21, 8, 16};
    size_t place = 0;
    for (unsigned source = 0; source < 5; source++) {
        for (unsigned row = 1; row <= rows[source]; row++, place++) {
            char id[8];
            snprintf(id, sizeof id, "S%u-%02u", source, row);
            assert_string_equal(seeds[place].id, id);
            assert_true(strlen(seeds[place].what) > 10);
        }
    }
    assert_int_equal(place, SEEDS);
}

static bool covers_a_row(const char *word, size_t length)
{
    for (size_t i = 0; i < bench_row_count; i++)
        if (seed_word_covers(word, length, bench_rows[i].name))
            return true;
    return false;
}

static bool covers_a_test(const char *word, size_t length)
{
    for (size_t i = 0; i < TEST_COUNT; i++)
        if (seed_word_covers(word, length, test_names[i]))
            return true;
    return false;
}

TEST_BODY(seeds_are_covered_by_what_exists)
{
    size_t missing = 0;
    for (size_t i = 0; i < SEEDS; i++) {
        const char *word = seeds[i].covers;
        assert_true(*word != '\0');
        while (*word) {
            size_t length = strcspn(word, " ");
            bool is_test = memchr(word, '/', length) != NULL;
            if (!(is_test ? covers_a_test(word, length) : covers_a_row(word, length))) {
                print_error("%s: there is no %.*s\n", seeds[i].id, (int)length, word);
                missing++;
            }
            word += length + (word[length] == ' ');
        }
    }
    assert_int_equal(missing, 0);
}

TEST_BODY(seeds_words_end_where_names_do)
{
    assert_true(seed_word_covers("peak", 4, "peak.read"));
    assert_true(seed_word_covers("peak.read", 9, "peak.read"));
    assert_false(seed_word_covers("pea", 3, "peak.read"));
    assert_false(seed_word_covers("peak.read.fast", 14, "peak.read"));
    assert_true(seed_word_covers("facade/memory_copy", 18, "facade/memory_copy/one"));
    assert_false(seed_word_covers("facade/memory_copy", 18, "facade/memory_copy_rect/one"));
    assert_false(seed_word_covers("facade/memory_copy/on", 21, "facade/memory_copy/one"));
}

static const struct seed *seed_called(const char *id)
{
    for (size_t i = 0; i < SEEDS; i++)
        if (strcmp(seeds[i].id, id) == 0)
            return &seeds[i];
    return NULL;
}

TEST_BODY(seeds_have_expectations_on_both_classes)
{
    for (size_t i = 0; i < expectation_count; i++) {
        assert_non_null(seed_called(expectations[i].seed));
        assert_true(expectations[i].kind == EXPECT_WORKS ||
                    expectations[i].low < expectations[i].high);
        assert_true((expectations[i].kind == EXPECT_RATIO) == (expectations[i].second != NULL));
    }
    size_t missing = 0;
    for (size_t i = 0; i < SEEDS; i++) {
        unsigned on = 0;
        for (size_t j = 0; j < expectation_count; j++)
            if (strcmp(expectations[j].seed, seeds[i].id) == 0)
                on |= expectations[j].on;
        if (on != ON_ANY) {
            print_error("%s expects nothing on %s\n", seeds[i].id,
                        on == ON_CPU   ? "GPUs"
                        : on == ON_GPU ? "CPUs"
                                       : "any device");
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

static bool is_covered(const struct seed *seed, const char *row)
{
    const char *word = seed->covers;
    while (*word) {
        size_t length = strcspn(word, " ");
        if (seed_word_covers(word, length, row))
            return true;
        word += length + (word[length] == ' ');
    }
    return false;
}

/* The first row is what the expectation is about, the second what it is held against. */
TEST_BODY(seeds_tell_the_rows_that_are_judged)
{
    size_t missing = 0;
    for (size_t i = 0; i < expectation_count; i++) {
        struct selector selector;
        assert_true(selector_parse(expectations[i].first, &selector));
        size_t length = strlen(selector.row);
        if (length > 1 && strcmp(selector.row + length - 2, ".*") == 0)
            selector.row[length - 2] = '\0';
        if (!is_covered(seed_called(expectations[i].seed), selector.row)) {
            print_error("%s does not tell %s\n", expectations[i].seed, selector.row);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

/* What a device of a class would do in a mode, with nothing measured. */
static void plan_device(enum device_class class, enum mode mode, struct device_report *device)
{
    struct task *tasks;
    memset(device, 0, sizeof *device);
    device->facts = (struct device_facts){.is_cpu = class == ON_CPU,
                                          .compute_units = class == ON_CPU ? 4 : 100,
                                          .max_threads = 1024,
                                          .memory_bytes = (size_t)64 << 30,
                                          .cache_bytes = (size_t)32 << 20};
    assert_true(plan_make(mode, NULL, &device->facts, &tasks, &device->count));
    device->results = calloc(device->count, sizeof *device->results);
    assert_non_null(device->results);
    for (size_t i = 0; i < device->count; i++)
        device->results[i].task = tasks[i];
    free(tasks);
}

static size_t not_planned(const struct expectation *expectation, const char *text,
                          const struct device_report *device)
{
    static const struct result *found[8192];
    struct selector selector;
    if (!text)
        return 0;
    if (selector_parse(text, &selector) && selector_find(&selector, device, found, 8192) > 0)
        return 0;
    print_error("%s on %s: the plan has no %s\n", expectation->seed,
                device->facts.is_cpu ? "CPUs" : "GPUs", text);
    return 1;
}

static size_t missing_on(enum device_class class)
{
    struct device_report device;
    size_t missing = 0;
    plan_device(class, MODE_FULL, &device);
    for (size_t i = 0; i < expectation_count; i++) {
        const struct expectation *expectation = &expectations[i];
        if (!(expectation->on & class))
            continue;
        missing += not_planned(expectation, expectation->first, &device);
        missing += not_planned(expectation, expectation->second, &device);
    }
    free(device.results);
    return missing;
}

/* The sweeps leave out of a full run nothing that a normal run has, nor does any other row. */
TEST_BODY(seeds_expect_what_is_planned)
{
    assert_int_equal(missing_on(ON_CPU) + missing_on(ON_GPU), 0);
}

/* Results as if every planned cell had taken one second. */
static size_t not_judged(enum device_class class, enum mode mode)
{
    struct device_report device;
    struct seed_verdict verdicts[SEEDS];
    size_t missing = 0;
    plan_device(class, mode, &device);
    for (size_t i = 0; i < device.count; i++) {
        struct measured *measured = &device.results[i].by[BY_CUDA];
        device.results[i].task.useful = 1;
        measured->method = "m";
        measured->time = (struct series_summary){.count = 5, .median = 1, .p10 = 1, .p90 = 1};
    }
    seeds_judge(&device, verdicts);
    for (size_t i = 0; i < SEEDS; i++) {
        if (!verdicts[i].measured)
            print_error("%s on %s: %s\n", seeds[i].id, class == ON_CPU ? "CPUs" : "GPUs",
                        verdicts[i].words);
        missing += !verdicts[i].measured;
    }
    free(device.results);
    return missing;
}

TEST_BODY(seeds_are_all_judged_in_a_normal_run)
{
    assert_int_equal(not_judged(ON_CPU, MODE_NORMAL) + not_judged(ON_GPU, MODE_NORMAL), 0);
}

TEST_BODY(seeds_are_all_judged_in_a_quick_run)
{
    assert_int_equal(not_judged(ON_CPU, MODE_QUICK) + not_judged(ON_GPU, MODE_QUICK), 0);
}

/* Nothing measured: every row says so, and none of them anything else. */
TEST_BODY(seeds_judge_an_empty_report)
{
    struct device_report device = {.facts = {.is_cpu = true}};
    struct seed_verdict verdicts[SEEDS];
    seeds_judge(&device, verdicts);
    for (size_t i = 0; i < SEEDS; i++) {
        assert_int_equal(verdicts[i].verdict, VERDICT_INCONCLUSIVE);
        assert_false(verdicts[i].measured);
        assert_true(verdicts[i].words[0] != '\0');
    }
}

TEST_BODY(seeds_print_every_row)
{
    char *text = NULL;
    size_t bytes = 0, rows = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    seeds_print(file);
    fclose(file);
    for (size_t i = 0; i < SEEDS; i++) {
        const char *line = strstr(text, seeds[i].id);
        assert_non_null(line);
        rows += strstr(line, "rows: ") || strstr(line, "tests: ");
    }
    assert_int_equal(rows, SEEDS);
    free(text);
}
