/* Tests of bench/report_text.c: sizes in words, and the table across devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/plan.h"
#include "bench/report.h"

TEST_BODY(text_sizes_use_the_largest_unit_that_divides)
{
    char text[24];
    text_size(text, 0);
    assert_string_equal(text, "0 B");
    text_size(text, 3000);
    assert_string_equal(text, "3000 B");
    text_size(text, 4096);
    assert_string_equal(text, "4 KiB");
    text_size(text, (size_t)64 << 20);
    assert_string_equal(text, "64 MiB");
    text_size(text, (size_t)1 << 30);
    assert_string_equal(text, "1 GiB");
}

static void fill_device(struct device_report *device, struct result *results, size_t count,
                        const char *name, double seconds)
{
    memset(results, 0, count * sizeof *results);
    for (size_t i = 0; i < count; i++) {
        results[i].task = (struct task){.row = &bench_rows[0], .bytes = (size_t)4096 << i};
        results[i].by[BY_CUDA] =
            (struct measured){.method = "m", .time = {.count = 1, .median = seconds}};
    }
    *device = (struct device_report){.results = results, .count = count};
    snprintf(device->facts.name, sizeof device->facts.name, "%s", name);
}

static char *written_report(size_t devices)
{
    struct report report = {
        .runtime = "clem", .program = "clem-bench", .mode = "quick", .has_tables = true};
    struct device_report all[2];
    struct result first[1], second[2];
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    fill_device(&all[0], first, 1, "alpha", 1e-6);
    fill_device(&all[1], second, 2, "beta", 2e-6);
    report.devices = all;
    report.device_count = devices;
    report_text(file, &report);
    fclose(file);
    return text;
}

TEST_BODY(text_compares_several_devices)
{
    char *one = written_report(1), *two = written_report(2);
    assert_null(strstr(one, "side by side"));
    const char *table = strstr(two, "side by side");
    assert_non_null(table);
    assert_non_null(strstr(table, "alpha"));
    assert_non_null(strstr(table, "beta"));
    /* 4 KiB on both; 8 KiB, which the first device did not do, only on the second. */
    assert_non_null(strstr(table, "4 KiB           4.10           2.05"));
    assert_non_null(strstr(table, "8 KiB              -           4.10"));
    free(one);
    free(two);
}
