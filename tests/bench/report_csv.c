/* Tests of bench/report_csv.c: what is quoted and how.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/plan.h"
#include "bench/report.h"

static void assert_field(const char *text, const char *expected)
{
    char *written = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&written, &bytes);
    assert_non_null(file);
    csv_field(file, text);
    fclose(file);
    assert_string_equal(written, expected);
    free(written);
}

TEST_BODY(csv_plain_fields_stay_plain)
{
    assert_field("", "");
    assert_field("memcpy", "memcpy");
    assert_field("a b;c", "a b;c");
}

TEST_BODY(csv_fields_with_commas_quotes_and_lines_are_quoted)
{
    assert_field("memcpy, OpenMP", "\"memcpy, OpenMP\"");
    assert_field("say \"hi\"", "\"say \"\"hi\"\"\"");
    assert_field("two\nlines", "\"two\nlines\"");
    assert_field("\r", "\"\r\"");
    assert_field("\"", "\"\"\"\"");
}

/* Fields outside quotes. */
static size_t count_fields(const char *line)
{
    size_t count = 1;
    bool quoted = false;
    for (; *line && (*line != '\n' || quoted); line++) {
        if (*line == '"')
            quoted = !quoted;
        count += *line == ',' && !quoted;
    }
    return count;
}

static void fill_report(struct report *report, struct device_report *device, struct result *results)
{
    results[0].task = (struct task){.row = &bench_rows[0], .bytes = 4096};
    results[0].by[BY_CUDA] =
        (struct measured){.method = "a, b", .count = 2, .time = {.count = 3, .median = 1e-6}};
    results[0].by[BY_RAW] = results[0].by[BY_CUDA];
    results[0].speed_over_raw = 1;
    results[1].task = results[0].task;
    results[1].status = STATUS_ERROR;
    snprintf(results[1].reason, sizeof results[1].reason, "broken, \"badly\"");
    snprintf(device->facts.name, sizeof device->facts.name, "a device, of some kind");
    device->results = results;
    device->count = 2;
    report->mode = "quick";
    report->devices = device;
    report->device_count = 1;
}

TEST_BODY(csv_lines_have_as_many_fields_as_the_head)
{
    struct report report = {0};
    struct device_report device = {0};
    struct result results[2];
    char *written = NULL;
    size_t bytes = 0;
    memset(results, 0, sizeof results);
    FILE *file = open_memstream(&written, &bytes);
    assert_non_null(file);
    fill_report(&report, &device, results);
    report_csv(file, &report);
    fclose(file);
    const char *line = written;
    size_t fields = count_fields(line), lines = 0;
    for (; *line; line = strchr(line, '\n') + 1, lines++)
        assert_int_equal(count_fields(line), fields);
    assert_int_equal(lines, 3);
    assert_non_null(strstr(written, ",error,\"broken, \"\"badly\"\"\","));
    assert_non_null(strstr(written, ",4.096,")); /* 4096 bytes in a microsecond, in GB/s */
    free(written);
}
