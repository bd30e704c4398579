/* Tests of bench/report_seeds.c: what people read about the seed rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/plan.h"
#include "bench/seeds.h"

/* Owns: the caller frees the text. */
static char *written(const struct device_report *device)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    report_seeds_text(file, device);
    fclose(file);
    return text;
}

TEST_BODY(report_seeds_lists_what_was_not_measured)
{
    struct device_report device = {.facts = {.is_cpu = true}};
    char *text = written(&device);
    assert_non_null(strstr(text, "0 inconclusive"));
    assert_non_null(strstr(text, "71 not measured in this run"));
    for (size_t i = 0; i < SEEDS; i++)
        assert_non_null(strstr(text, seeds[i].id));
    free(text);
}

static struct result answer(const char *row, enum status status)
{
    struct result result = {.status = status, .reason = "because"};
    for (size_t i = 0; i < bench_row_count; i++)
        if (strcmp(bench_rows[i].name, row) == 0)
            result.task.row = &bench_rows[i];
    assert_non_null(result.task.row);
    return result;
}

TEST_BODY(report_seeds_counts_and_gives_reasons)
{
    struct result results[] = {
        answer("check.pointers", STATUS_OK),       /* S0-02 */
        answer("check.memory", STATUS_ERROR),      /* S0-09 */
        answer("check.ecc", STATUS_UNSUPPORTED),   /* S3-06 */
        answer("check.host_flags", STATUS_SUSPECT) /* S4-04 */
    };
    struct device_report device = {.facts = {.is_cpu = true}, .results = results, .count = 4};
    char *text = written(&device);
    assert_non_null(strstr(text, "1 as-expected, 1 unsupported, 0 inconclusive, 1 differs, "
                                 "1 suspect, 67 not measured"));
    assert_non_null(strstr(text, "S0-09 differs"));
    assert_non_null(strstr(text, "S3-06 unsupported"));
    assert_non_null(strstr(text, "S4-04 suspect"));
    assert_non_null(strstr(text, "check.ecc: because"));
    assert_null(strstr(text, "S0-02"));
    free(text);
}
