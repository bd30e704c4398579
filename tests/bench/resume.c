/* Tests of bench/resume.c: what a run leaves for the next start.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>
#include <unistd.h>

#include "bench/plan.h"
#include "bench/resume.h"

static const struct device_facts device = {
    .name = "a \"device\"", .driver = "1.2", .opencl = "P, OpenCL"};

/* A new name; the file does not exist. */
static void new_path(char path[64])
{
    strcpy(path, "/tmp/clem_resume_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
}

static struct result measured(size_t bytes, enum status status)
{
    struct result result = {.task = {.row = &bench_rows[0], .bytes = bytes, .form = FORM_NONE},
                            .status = status,
                            .speed_over_raw = 1.25,
                            .difference_raw = -1e-7};
    result.by[BY_CUDA] = (struct measured){
        .method = "cudaMemcpy",
        .count = 7,
        .time = {
            .count = 11, .median = 2e-6, .best = 1e-6, .p10 = 1.5e-6, .p90 = 3e-6, .cov = 0.1}};
    snprintf(result.by[BY_RAW].reason, sizeof result.by[BY_RAW].reason, "no such thing");
    return result;
}

static bool reopen(struct resume *resume, const char *path)
{
    if (!report_json_exists())
        TEST_SKIP("built without libcjson");
    return resume_open(resume, path, "clem", "full");
}

/* Leaves path.part with results of so many sizes. */
static void leave(const char *path, size_t count, enum status status)
{
    struct resume resume;
    assert_true(reopen(&resume, path));
    for (size_t i = 0; i < count; i++) {
        struct result result = measured((size_t)4096 << i, status);
        resume_add(&resume, &device, &result);
    }
    resume_close(&resume, false);
}

static bool finds(const struct resume *resume, const struct device_facts *facts, size_t bytes)
{
    struct result found, wanted = measured(bytes, STATUS_OK);
    return resume_find(resume, facts, &wanted.task, &found);
}

static void append(const char *path, const char *text)
{
    char part[80];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "a");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void forget(const char *path)
{
    char part[80];
    snprintf(part, sizeof part, "%s.part", path);
    unlink(part);
}

TEST_BODY(resume_gives_back_what_was_measured)
{
    char path[64];
    struct resume resume;
    struct result found, wanted = measured(4096, STATUS_OK);
    new_path(path);
    leave(path, 2, STATUS_OK);
    assert_true(reopen(&resume, path));
    assert_true(resume_find(&resume, &device, &wanted.task, &found));
    assert_string_equal(found.by[BY_CUDA].method, "cudaMemcpy");
    assert_int_equal(found.by[BY_CUDA].count, 7);
    assert_int_equal(found.by[BY_CUDA].time.count, 11);
    assert_true(found.by[BY_CUDA].time.median == 2e-6 && found.by[BY_CUDA].time.best == 1e-6);
    assert_true(found.by[BY_CUDA].time.p10 == 1.5e-6 && found.by[BY_CUDA].time.p90 == 3e-6);
    assert_true(found.speed_over_raw == 1.25 && found.difference_raw == -1e-7);
    assert_null(found.by[BY_RAW].method);
    assert_true(finds(&resume, &device, 8192));
    assert_false(finds(&resume, &device, 16384));
    resume_close(&resume, false);
    forget(path);
}

TEST_BODY(resume_passes_over_torn_lines)
{
    char path[64];
    struct resume resume;
    new_path(path);
    leave(path, 1, STATUS_OK);
    append(path, "nonsense\n{\"row\": \"transfer.pag");
    leave(path, 2, STATUS_OK);
    append(path, "{");
    assert_true(reopen(&resume, path));
    assert_int_equal(resume.count, 3);
    assert_true(finds(&resume, &device, 8192));
    resume_close(&resume, false);
    forget(path);
}

TEST_BODY(resume_takes_only_what_is_of_this_run)
{
    char path[64];
    struct resume resume;
    struct device_facts other = device;
    new_path(path);
    leave(path, 1, STATUS_OK);
    assert_true(reopen(&resume, path));
    snprintf(other.driver, sizeof other.driver, "1.3");
    assert_true(finds(&resume, &device, 4096));
    assert_false(finds(&resume, &other, 4096));
    resume_close(&resume, false);
    assert_true(resume_open(&resume, path, "native", "full"));
    assert_int_equal(resume.count, 0);
    resume_close(&resume, false);
    assert_true(resume_open(&resume, path, "clem", "quick"));
    assert_int_equal(resume.count, 0);
    resume_close(&resume, false);
    forget(path);
}

TEST_BODY(resume_tries_errors_again)
{
    char path[64];
    struct resume resume;
    new_path(path);
    leave(path, 1, STATUS_ERROR);
    assert_true(reopen(&resume, path));
    assert_false(finds(&resume, &device, 4096));
    resume_close(&resume, false);
    leave(path, 1, STATUS_UNSUPPORTED);
    assert_true(reopen(&resume, path));
    assert_true(finds(&resume, &device, 4096));
    resume_close(&resume, false);
    forget(path);
}

TEST_BODY(resume_leaves_nothing_when_done)
{
    char path[64], part[80];
    struct resume resume;
    new_path(path);
    leave(path, 1, STATUS_OK);
    assert_true(reopen(&resume, path));
    resume_close(&resume, true);
    snprintf(part, sizeof part, "%s.part", path);
    assert_int_not_equal(access(part, F_OK), 0);
    assert_false(reopen(&resume, "/nonexistent/folder/file"));
    resume_close(&resume, true);
}
