/* Tests of bench/first.c and report_first.c: what a run measures first, and what is told of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/first.h"
#include "bench/plan.h"

#define M ((size_t)1 << 20)
/* To a millionth. */
#define assert_about(a, b) assert_true((a) > (b)-1e-6 && (a) < (b) + 1e-6)

static struct device_facts facts_of(bool is_cpu)
{
    struct device_facts facts = {.is_cpu = is_cpu,
                                 .name = "a device",
                                 .driver = "1.0",
                                 .compute_units = 2,
                                 .max_threads = 256,
                                 .memory_bytes = (size_t)16 << 30,
                                 .cache_bytes = 20 * M};
    return facts;
}

/* Every planned task measured at so many GB/s. */
struct run {
    struct device_report device;
    struct result results[64];
};

static void make_run(struct run *run, bool is_cpu, double rate)
{
    struct task *tasks;
    size_t count;
    *run = (struct run){.device = {.facts = facts_of(is_cpu)}};
    assert_true(plan_make(MODE_FIRST, NULL, &run->device.facts, &tasks, &count));
    assert_true(count <= sizeof run->results / sizeof *run->results);
    for (size_t i = 0; i < count; i++) {
        run->results[i].task = tasks[i];
        run->results[i].by[BY_CUDA] = (struct measured){
            .method = "m", .time = {.count = 1, .median = useful_bytes(&tasks[i]) / (rate * 1e9)}};
    }
    run->device.results = run->results;
    run->device.count = count;
    free(tasks);
}

static struct result *find(struct run *run, const char *row)
{
    for (size_t i = 0; i < run->device.count; i++)
        if (strcmp(run->results[i].task.row->name, row) == 0)
            return &run->results[i];
    fail_msg("no row %s", row);
    return NULL;
}

static void slow_down(struct run *run, const char *row, double times)
{
    find(run, row)->by[BY_CUDA].time.median *= times;
}

static const struct first_pattern *pattern_of(const struct first *first, const char *words)
{
    for (size_t i = 0; i < FIRST_PATTERNS; i++)
        if (strcmp(first->patterns[i].words, words) == 0)
            return &first->patterns[i];
    fail_msg("no pattern %s", words);
    return NULL;
}

/* Of the patterns that have an idiom of CUDA. */
enum { TRANSLATED = 7 };

static size_t count_translated(const struct run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->device.count; i++)
        count += run->results[i].task.form == FORM_TRANSLATED;
    return count;
}

TEST_BODY(first_plan_has_each_pattern_once)
{
    for (int is_cpu = 0; is_cpu < 2; is_cpu++) {
        struct run run;
        struct first first;
        make_run(&run, is_cpu, 1);
        assert_int_equal(run.device.count, FIRST_ROWS + TRANSLATED);
        assert_int_equal(count_translated(&run), TRANSLATED);
        first_judge(&run.device, &first);
        for (size_t i = 0; i < FIRST_PATTERNS; i++)
            assert_true(first.patterns[i].rate > 0);
        for (size_t i = 0; i < run.device.count; i++) {
            assert_int_equal(run.results[i].task.bytes / M, is_cpu ? 128 : 256);
            assert_false(run.results[i].task.raw_beside || run.results[i].task.host_beside);
        }
    }
}

TEST_BODY(first_arrays_hold_four_caches_where_memory_does)
{
    struct device_facts facts = facts_of(true);
    facts.cache_bytes = 0;
    assert_int_equal(first_bytes(&facts), 64 * M);
    facts.cache_bytes = 32 * M;
    assert_int_equal(first_bytes(&facts), 128 * M);
    facts.cache_bytes = 33 * M;
    assert_int_equal(first_bytes(&facts), 256 * M);
    facts.cache_bytes = 2048 * M;
    assert_int_equal(first_bytes(&facts), 1024 * M);
    facts.memory_bytes = 1024 * M;
    assert_int_equal(first_bytes(&facts), 64 * M);
    facts.max_allocation = 16 * M;
    assert_int_equal(first_bytes(&facts), 16 * M);
}

TEST_BODY(first_shares_are_of_the_peak_of_their_kind)
{
    struct run run;
    struct first first;
    make_run(&run, true, 10);
    slow_down(&run, "peak.write", 2);
    slow_down(&run, "set.4", 4);
    first_judge(&run.device, &first);
    assert_about(first.peaks[TRAFFIC_READ], 10);
    assert_about(first.peaks[TRAFFIC_WRITE], 5);
    assert_about(pattern_of(&first, "fill")->rate, 2.5);
    assert_about(pattern_of(&first, "fill")->share, 0.5);
    /* A copy between host and device is two accesses of the one memory: with 10 GB/s it moved 20, the most. */
    assert_about(first.peaks[TRAFFIC_COPY], 20);
    assert_about(pattern_of(&first, "device to device")->share, 0.5);
    make_run(&run, false, 10);
    slow_down(&run, "transfer.pinned.h2d", 20);
    slow_down(&run, "transfer.pinned.d2h", 10);
    slow_down(&run, "transfer.pageable.h2d", 40);
    slow_down(&run, "transfer.pageable.d2h", 40);
    slow_down(&run, "managed.pingpong", 40);
    first_judge(&run.device, &first);
    assert_about(first.peaks[TRAFFIC_COPY], 10);
    assert_about(first.peaks[TRAFFIC_LINK], 1);
    assert_about(pattern_of(&first, "pinned memory to the device")->share, 0.5);
    assert_about(pattern_of(&first, "managed memory to and fro")->share, 0.25);
}

/* A small array may be in a cache: it is no peak, and no share is above 1. */
TEST_BODY(first_peaks_are_of_the_largest_arrays)
{
    struct run run;
    struct first first;
    make_run(&run, true, 10);
    find(&run, "set.4")->task.bytes /= 4;
    first_judge(&run.device, &first);
    assert_about(first.peaks[TRAFFIC_WRITE], 10);
    find(&run, "set.4")->by[BY_CUDA].time.median /= 100;
    first_judge(&run.device, &first);
    assert_about(first.peaks[TRAFFIC_WRITE], 10);
    assert_about(pattern_of(&first, "fill")->share, 1);
    assert_about(first.bytes, 128.0 * M);
    assert_about(first.caches, 6.4);
}

TEST_BODY(first_tells_the_three_slowest)
{
    struct run run;
    struct first first;
    make_run(&run, false, 10);
    slow_down(&run, "gather", 4);
    slow_down(&run, "scatter", 8);
    slow_down(&run, "reduce", 2);
    slow_down(&run, "transpose", 1.5);
    find(&run, "stride.read")->status = STATUS_UNSUPPORTED;
    first_judge(&run.device, &first);
    assert_int_equal(first.worst_count, FIRST_WORST);
    assert_string_equal(first.patterns[first.worst[0]].words, "words written at random");
    assert_string_equal(first.patterns[first.worst[1]].words, "words read at random");
    assert_string_equal(first.patterns[first.worst[2]].words, "sum, as CUDA writes it");
    assert_about(pattern_of(&first, "every 8th word read")->rate, 0);
}

TEST_BODY(first_tells_what_cuda_code_gets)
{
    struct run run;
    struct first first;
    make_run(&run, true, 10);
    for (size_t i = 0; i < run.device.count; i++)
        if (run.results[i].task.form == FORM_TRANSLATED)
            run.results[i].by[BY_CUDA].time.median /= 2;
    first_judge(&run.device, &first);
    assert_about(pattern_of(&first, "sum, as CUDA writes it")->rate, 10);
    assert_about(pattern_of(&first, "sum, as CUDA writes it")->translated, 20);
    assert_about(pattern_of(&first, "fill")->translated, 0);
    /* What they are held against stays what it is. */
    assert_about(first.peaks[TRAFFIC_READ], 10);
}

static char *text_of(const struct device_report *device)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    report_first(file, device);
    assert_int_equal(fclose(file), 0);
    return text;
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (const char *line = text + 1; *line; line = strchr(line, '\n') + 1) {
        assert_true(strcspn(line, "\n") <= 100);
        lines++;
    }
    return lines;
}

static void leave_out_translated(struct run *run)
{
    for (size_t i = 0; i < run->device.count; i++)
        if (run->results[i].task.form == FORM_TRANSLATED)
            run->results[i].status = STATUS_UNSUPPORTED;
}

TEST_BODY(first_text_is_a_device_in_twenty_lines)
{
    struct run run;
    make_run(&run, true, 1234.5);
    memset(run.device.facts.name, 'n', sizeof run.device.facts.name - 1);
    strcpy(run.device.facts.opencl, "Portable Computing Language, OpenCL 3.0 PoCL");
    strcpy(run.device.facts.driver, "3.1+debian-and-more");
    find(&run, "gather")->status = STATUS_UNSUPPORTED;
    char *text = text_of(&run.device);
    assert_int_equal(lines_of(text), 20 + 1 + TRANSLATED);
    assert_non_null(strstr(text, "\nthe same kernels as CUDA code through clem:\n"));
    free(text);
    leave_out_translated(&run);
    text = text_of(&run.device);
    assert_int_equal(lines_of(text), 20);
    assert_non_null(strstr(text, "6.4 times the cache)"));
    assert_non_null(strstr(text, "words read at random                  - not measured"));
    free(text);
    run.device.facts.cache_bytes = 64 * M;
    text = text_of(&run.device);
    assert_non_null(strstr(text, "2.0 times the cache, small)"));
    free(text);
    run.device.count = 0;
    text = text_of(&run.device);
    assert_string_equal(text, "");
    free(text);
}

TEST_BODY(first_text_fits_a_terminal)
{
    struct run run;
    char *text = NULL;
    size_t bytes = 0;
    make_run(&run, true, 1234.5);
    struct report report = {.program = "clem-bench-native",
                            .mode = "first",
                            .date = "2026-01-31T12:34:56Z",
                            .host_cores = 256,
                            .host_memory_bytes = 2048ull << 30,
                            .load_before = 123.4,
                            .load_after = 123.4,
                            .devices = &run.device,
                            .device_count = 1};
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    report_text(file, &report);
    assert_int_equal(fclose(file), 0);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 100);
    free(text);
}

/* Whoever gets the file learns of the device, not of the machine's owner. */
TEST_BODY(first_share_has_nothing_private)
{
    struct run run;
    char *text = NULL;
    size_t bytes = 0;
    if (!report_json_exists())
        TEST_SKIP("built without libcjson");
    make_run(&run, true, 10);
    strcpy(run.device.facts.strategy_reason, "/home/somebody/driver.so");
    find(&run, "gather")->status = STATUS_ERROR;
    strcpy(find(&run, "gather")->reason, "/home/somebody/cache: no space");
    strcpy(find(&run, "scatter")->by[BY_CUDA].reason, "/home/somebody/kernel.cl:1");
    struct report report = {.runtime = "clem",
                            .program = "/home/somebody/clem-bench",
                            .mode = "first",
                            .command = "/home/somebody/clem-bench --json secret.json",
                            .devices = &run.device,
                            .device_count = 1};
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    assert_true(report_share(file, &report));
    fclose(file);
    assert_null(strstr(text, "somebody"));
    assert_null(strstr(text, "secret"));
    assert_null(strstr(text, "load_"));
    assert_non_null(strstr(text, "\"a device\""));
    assert_non_null(strstr(text, "\"row\":\"transfer.d2d\""));
    assert_non_null(strstr(text, "\"median\":10"));
    free(text);
}
