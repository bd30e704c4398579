/* clem-bench: plans, measures and reports.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/device.h"
#include "bench/options.h"
#include "bench/report.h"
#include "bench/runtime.h"

enum { EXIT_WRONG_DATA = 1, EXIT_NO_DEVICE = 2, EXIT_USAGE = 64, EXIT_OUTPUT = 74 };

/* OpenMP's threads spin between parallel regions unless this is set before the program starts, and
 * on a machine with few cores that slows the other contenders. */
static void start_with_patient_threads(char **argv)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
}

static int list_rows(void)
{
    for (size_t i = 0; i < bench_row_count; i++)
        printf("%-24s %s\n", bench_rows[i].name, bench_rows[i].about);
    return 0;
}

static int list_devices(int count)
{
    for (int i = 0; i < count; i++) {
        struct device_facts facts;
        if (device_describe(i, &facts))
            printf("%d: %s, driver %s%s%s\n", i, facts.name, facts.driver,
                   facts.opencl[0] ? ", " : "", facts.opencl);
    }
    return 0;
}

static void progress(size_t done, size_t count, const struct task *task)
{
    char variable[24];
    if (!isatty(STDERR_FILENO))
        return;
    if (!task) {
        fprintf(stderr, "\r\033[K");
        return;
    }
    variable_of(variable, task);
    fprintf(stderr, "\r\033[K[%zu/%zu] %s %s", done + 1, count, task->row->name, variable);
}

/* A failed row must not take the others with it: an error that sticks goes with the context. */
static void recover(void)
{
    if (cudaDeviceSynchronize() == cudaSuccess)
        return;
    runtime_close_raw();
    cudaDeviceReset();
    cudaGetLastError();
}

/* Measures one device; false without memory. */
static bool measure_device(const struct options *options, const struct device_facts *facts,
                           struct device_report *device)
{
    struct task *tasks = NULL;
    struct effort effort = plan_effort(options->mode);
    device->facts = *facts;
    if (cudaSetDevice(facts->index) != cudaSuccess)
        return true;
    if (!plan_make(options->mode, options->filter, facts, &tasks, &device->count))
        return false;
    device->results = calloc(device->count ? device->count : 1, sizeof *device->results);
    for (size_t i = 0; device->results && i < device->count; i++) {
        progress(i, device->count, &tasks[i]);
        measure_task(&tasks[i], facts, &effort, &device->results[i]);
        if (device->results[i].status == STATUS_ERROR)
            recover();
    }
    progress(0, 0, NULL);
    runtime_close_raw();
    free(tasks);
    return device->results != NULL;
}

static void describe_run(struct report *report, enum mode mode)
{
    static const char *const names[] = {"quick", "normal", "full"};
    time_t now = time(NULL);
    report->runtime = runtime_name();
    report->program = runtime_program();
    report->mode = names[mode];
    strftime(report->date, sizeof report->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    getloadavg(&report->load_before, 1);
    report->host_cores = sysconf(_SC_NPROCESSORS_ONLN);
    report->host_memory_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

static bool measure_all(const struct options *options, struct report *report, int count)
{
    struct device_facts facts;
    describe_run(report, options->mode);
    report->devices = calloc((size_t)count, sizeof *report->devices);
    for (int i = 0; report->devices && i < count; i++) {
        if (!device_describe(i, &facts) || !device_is_chosen(&facts, options->device))
            continue;
        if (!measure_device(options, &facts, &report->devices[report->device_count++]))
            return false;
    }
    getloadavg(&report->load_after, 1);
    return report->devices != NULL;
}

static bool write_format(FILE *file, enum format format, const struct report *report)
{
    if (format == FORMAT_JSON)
        return report_json(file, report);
    if (format == FORMAT_CSV)
        report_csv(file, report);
    else
        report_text(file, report);
    return true;
}

/* path NULL: standard output. */
static bool write_file(const char *path, enum format format, const struct report *report)
{
    FILE *file = path ? fopen(path, "w") : stdout;
    if (!file) {
        perror(path);
        return false;
    }
    bool written = write_format(file, format, report) && fflush(file) == 0 && !ferror(file);
    if (path)
        written = fclose(file) == 0 && written;
    return written;
}

static bool write_all(const struct options *options, const struct report *report)
{
    bool written = write_file(options->output, options->format, report);
    if (options->csv)
        written = write_file(options->csv, FORMAT_CSV, report) && written;
    if (options->json && report_json_exists())
        written = write_file(options->json, FORMAT_JSON, report) && written;
    return written;
}

static bool any_wrong(const struct report *report)
{
    for (size_t d = 0; d < report->device_count; d++)
        for (size_t i = 0; i < report->devices[d].count; i++)
            if (report->devices[d].results[i].wrong_data)
                return true;
    return false;
}

static void free_report(struct report *report)
{
    for (size_t d = 0; d < report->device_count; d++)
        free(report->devices[d].results);
    free(report->devices);
}

static int run(const struct options *options, int count)
{
    struct report report = {0};
    int status = 0;
    if (options->format == FORMAT_JSON && !report_json_exists())
        return EXIT_USAGE;
    if (!measure_all(options, &report, count)) {
        fprintf(stderr, "%s: no memory for the results\n", runtime_program());
        status = EXIT_OUTPUT;
    } else if (report.device_count == 0) {
        fprintf(stderr, "%s: no device called %s\n", runtime_program(), options->device);
        status = EXIT_NO_DEVICE;
    } else if (!write_all(options, &report)) {
        status = EXIT_OUTPUT;
    } else if (any_wrong(&report)) {
        fprintf(stderr, "%s: some data was wrong\n", runtime_program());
        status = EXIT_WRONG_DATA;
    }
    free_report(&report);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    if (!options_parse(&options, argc, argv))
        return EXIT_USAGE;
    switch (options.action) {
    case ACTION_HELP:
        options_help();
        return 0;
    case ACTION_VERSION:
        printf("%s %s\n", runtime_program(), BENCH_VERSION);
        return 0;
    case ACTION_LIST:
        return list_rows();
    case ACTION_COMPARE:
        return report_compare(stdout, options.files, options.file_count) ? 0 : EXIT_OUTPUT;
    default:
        break;
    }
    start_with_patient_threads(argv);
    int count = device_count();
    if (count == 0) {
        fprintf(stderr, "%s", runtime_advice());
        return EXIT_NO_DEVICE;
    }
    return options.action == ACTION_LIST_DEVICES ? list_devices(count) : run(&options, count);
}
