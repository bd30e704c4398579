/* Tests of bench/selector.c: words that name results.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/selector.h"
#include "bench/study.h"

static const char *const kinds[] = {"plain", "volatile", NULL};
static const struct study reading = {
    .parameters = {{.name = "offset"}, {.name = "kind", .names = kinds}},
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
};
static const struct row study_row = {.name = "offset.read", .work = WORK_STUDY, .study = &reading};
static const struct row other_row = {.name = "offset.write", .work = WORK_STUDY, .study = &reading};
static const struct row plain_row = {.name = "set.1", .axis = AXIS_LARGE};

static struct result study_result(const struct row *row, unsigned offset, unsigned kind, int form)
{
    return (struct result){.task = {.row = row, .parameters = {offset, kind}, .form = form}};
}

/* Two offsets in two kinds and a best form; another study; two sizes of a plain row. */
static size_t fill(struct result results[8])
{
    size_t n = 0;
    results[n++] = study_result(&study_row, 0, 0, 0);
    results[n++] = study_result(&study_row, 0, 1, 0);
    results[n++] = study_result(&study_row, 32, 0, 0);
    results[n++] = study_result(&study_row, 32, 0, FORM_BEST);
    results[n++] = study_result(&other_row, 32, 1, 1);
    results[n++] = (struct result){.task = {.row = &plain_row, .bytes = 1 << 20}};
    results[n++] = (struct result){.task = {.row = &plain_row, .bytes = 64 << 20}};
    return n;
}

/* The places of what text names, as digits: "02". */
static void assert_finds(const char *text, const char *places)
{
    struct result results[8];
    struct device_report device = {.results = results, .count = fill(results)};
    const struct result *found[8];
    struct selector selector;
    char got[9] = "";
    assert_true(selector_parse(text, &selector));
    size_t count = selector_find(&selector, &device, found, 8);
    for (size_t i = 0; i < count; i++)
        got[i] = (char)('0' + (found[i] - results));
    got[count] = '\0';
    assert_string_equal(got, places);
}

TEST_BODY(selector_takes_rows_and_conditions_apart)
{
    struct selector selector;
    assert_true(selector_parse("a.b", &selector));
    assert_string_equal(selector.row, "a.b");
    assert_int_equal(selector.count, 0);
    assert_null(selector_axis(&selector));
    assert_true(selector_parse("a{x=1,y=*,form=best}", &selector));
    assert_string_equal(selector.row, "a");
    assert_int_equal(selector.count, 3);
    assert_string_equal(selector.conditions[0].name, "x");
    assert_string_equal(selector.conditions[0].value, "1");
    assert_string_equal(selector.conditions[2].value, "best");
    assert_string_equal(selector_axis(&selector), "y");
}

TEST_BODY(selector_refuses_what_is_none)
{
    static const char *const bad[] = {"",
                                      "{x=1}",
                                      "a{",
                                      "a{}",
                                      "a{x}",
                                      "a{x=}",
                                      "a{=1}",
                                      "a{x=1",
                                      "a{x=1,}",
                                      "a{x=1}b",
                                      "a{x=1}{y}",
                                      "a{x=1}}",
                                      "a{x=1,,y=2}",
                                      "a}",
                                      "a{x=1=2}",
                                      "a,b",
                                      "a{a=1,b=1,c=1,d=1,e=1,f=1,g=1}",
                                      "a{a_name_that_is_longer_than_any=1}",
                                      "a_row_that_has_a_name_which_is_longer_than_any_row_of_ours"};
    struct selector selector;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(selector_parse(bad[i], &selector));
}

TEST_BODY(selector_finds_by_parameters)
{
    assert_finds("offset.read", "0123");
    assert_finds("offset.read{offset=0}", "01");
    assert_finds("offset.read{offset=0,kind=1}", "1");
    assert_finds("offset.read{kind=volatile}", "1");
    assert_finds("offset.read{kind=plain,offset=*}", "023");
    assert_finds("offset.read{offset=16}", "");
    assert_finds("offset.read{kind=other}", "");
    assert_finds("offset.read{stride=1}", "");
    assert_finds("offset.read{size=0}", "");
}

TEST_BODY(selector_finds_by_form)
{
    assert_finds("offset.read{form=idiom}", "012");
    assert_finds("offset.read{form=best}", "3");
    assert_finds("offset.write{form=chunked}", "4");
    assert_finds("offset.write{form=idiom}", "");
    assert_finds("set.1{form=idiom}", "");
}

TEST_BODY(selector_finds_several_rows)
{
    assert_finds("offset.*", "01234");
    assert_finds("offset.*{kind=volatile}", "14");
    assert_finds("off.*", "");
    assert_finds("offset", "");
    assert_finds("set.*", "56");
}

TEST_BODY(selector_finds_extremes_of_what_fits)
{
    assert_finds("offset.read{offset=max}", "23");
    assert_finds("offset.read{offset=max,form=idiom}", "2");
    assert_finds("offset.read{kind=1,offset=max}", "1");
    assert_finds("set.1{size=max}", "6");
    assert_finds("set.1{size=min}", "5");
}

TEST_BODY(selector_reads_sizes)
{
    assert_finds("set.1{size=1M}", "5");
    assert_finds("set.1{size=1024K}", "5");
    assert_finds("set.1{size=67108864}", "6");
    assert_finds("set.1{size=1G}", "");
    assert_finds("set.1{size=1T}", "");
    assert_finds("set.1{size=1MB}", "");
}

TEST_BODY(selector_keeps_to_its_room)
{
    struct result results[8];
    struct device_report device = {.results = results, .count = fill(results)};
    const struct result *found[2];
    struct selector selector;
    assert_true(selector_parse("offset.*", &selector));
    assert_int_equal(selector_find(&selector, &device, found, 2), 2);
}
