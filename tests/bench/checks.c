/* Tests of clem-bench's checks, and of the rows that have ways of their own: right answers, and no
 * answer at all where the work was not done.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/checks/checks.h"

#include <string.h>

#include "bench/device.h"
#include "bench/plan.h"
#include "tests/test.h"

static struct device_facts the_device(void)
{
    struct device_facts facts;
    assert_true(device_count() > 0);
    assert_true(device_describe(0, &facts));
    return facts;
}

TEST_BODY(checks_hold_or_say_why_not)
{
    const struct device_facts device = the_device();
    size_t held = 0;
    for (size_t i = 0; i < bench_row_count; i++) {
        const struct task task = {.row = &bench_rows[i]};
        struct attempt attempt = {.task = &task, .device = &device};
        /* Beyond 4 GiB the pages of a host that lends memory are few; that row has tests. */
        if (bench_rows[i].work != WORK_CHECK || strcmp(bench_rows[i].name, "check.sizes") == 0)
            continue;
        const bool holds = bench_rows[i].check(&attempt);
        if (!holds && attempt.status != STATUS_UNSUPPORTED)
            fail_msg("%s: %s", bench_rows[i].name, attempt.reason);
        assert_true(holds || attempt.reason[0] != '\0');
        assert_int_equal(cudaGetLastError(), cudaSuccess);
        held += holds;
    }
    assert_true(held >= 10);
}

TEST_BODY(checks_notice_other_words)
{
    const struct device_facts device = the_device();
    uint32_t expected[100], *memory = NULL;
    struct attempt attempt = {.device = &device};
    pattern_fill(expected, sizeof expected, PATTERN_WORDS, 0);
    assert_int_equal(cudaMalloc((void **)&memory, sizeof expected), cudaSuccess);
    assert_int_equal(cudaMemcpy(memory, expected, sizeof expected, cudaMemcpyHostToDevice),
                     cudaSuccess);
    assert_true(check_words_at(&attempt, memory, expected, 100));
    expected[99] ^= 0x100;
    assert_false(check_words_at(&attempt, memory, expected, 100));
    assert_true(attempt.wrong_data);
    assert_non_null(strstr(attempt.reason, "396"));
    assert_int_equal(cudaFree(memory), cudaSuccess);
}

TEST_BODY(checks_notice_other_errors)
{
    struct attempt attempt = {0};
    check_function *function = NULL;
    assert_true(check_error(&attempt, cudaErrorInvalidValue, cudaErrorInvalidValue, "a call"));
    assert_false(check_error(&attempt, cudaSuccess, cudaErrorInvalidValue, "a call"));
    assert_int_equal(attempt.status, STATUS_ERROR);
    assert_string_equal(attempt.reason, "a call gave cudaSuccess instead of cudaErrorInvalidValue");
    attempt = (struct attempt){0};
    assert_true(check_that(&attempt, true, "so"));
    assert_int_equal(attempt.status, STATUS_OK);
    assert_false(check_that(&attempt, false, "not so"));
    assert_string_equal(attempt.reason, "not so");
    attempt = (struct attempt){0};
    assert_false(check_driver(&attempt, "cuNoSuchThing", &function));
    assert_true(check_driver(&attempt, "cuMemAlloc", &function));
    assert_true(function != NULL);
}

static const struct way *way_of(enum work work)
{
    switch (work) {
    case WORK_SUM:
        return &cuda_sum;
    case WORK_STAGING:
        return &cuda_staging;
    case WORK_PINNED:
        return &cuda_pinned;
    case WORK_PEER:
        return &cuda_peer;
    case WORK_ALLOC:
        return &cuda_alloc;
    default:
        return NULL;
    }
}

/* A task of 1 MiB and some bytes, so that the last chunk and the last row are short. */
static struct task odd_task(const struct row *row)
{
    enum { BYTES = (1 << 20) + 4096 };
    return (struct task){.row = row,
                         .bytes = BYTES,
                         .row_bytes = 4096,
                         .source_pitch = 4096,
                         .target_pitch = 4096,
                         .rows = BYTES / 4096,
                         .slice_rows = BYTES / 4096,
                         .slices = 1};
}

/* Each method that suits does its work; without it the answer is not right. */
static size_t try_row(const struct row *row, const struct device_facts *device)
{
    const struct task task = odd_task(row);
    const struct way *way = way_of(row->work);
    struct attempt attempt = {.task = &task, .device = device};
    size_t tried = 0;
    const bool is_open = way->open(&attempt);
    if (!is_open && attempt.status == STATUS_ERROR)
        fail_msg("%s: %s", row->name, attempt.reason);
    for (const struct method *method = way->methods; is_open && method->name; method++) {
        if (method->suits && !method->suits(&attempt))
            continue;
        if (way->poison) {
            assert_true(way->poison(&attempt));
            assert_false(way->verify(&attempt));
        }
        attempt.wrong_data = false;
        if (!method->run(&attempt, 3) || !way->verify(&attempt))
            fail_msg("%s, %s: %s", row->name, method->name, attempt.reason);
        tried++;
    }
    way->close(&attempt);
    return tried;
}

TEST_BODY(ways_of_their_own_do_their_work)
{
    const struct device_facts device = the_device();
    size_t tried = 0;
    for (size_t i = 0; i < bench_row_count; i++)
        if (way_of(bench_rows[i].work))
            tried += try_row(&bench_rows[i], &device);
    assert_true(tried >= 20);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}
