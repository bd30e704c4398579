/* clem-bench: plans, measures and reports.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/compare.h"
#include "bench/device.h"
#include "bench/html/html.h"
#include "bench/measure_run.h"
#include "bench/runtime.h"
#include "bench/seeds.h"

enum {
    EXIT_WRONG_DATA = 1,
    EXIT_NO_DEVICE = 2,
    EXIT_SLOWER = 3,
    EXIT_USAGE = 64,
    EXIT_OUTPUT = 74,
    EXIT_SIGNAL = 128 /* and the signal's number */
};

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

static int refuse_no_device(void)
{
    const char *advice = runtime_advice();
    fprintf(stderr, "%s", advice ? advice : "");
    return advice ? EXIT_NO_DEVICE : EXIT_USAGE;
}

static bool write_format(FILE *file, enum format format, const struct report *report)
{
    if (format == FORMAT_JSON)
        return report_json(file, report);
    if (format == FORMAT_SHARE)
        return report_share(file, report);
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
    if (options->share && report_json_exists())
        written = write_file(options->share, FORMAT_SHARE, report) && written;
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

/* Where a full run keeps what it has: beside its file, if it writes one. False after a message. */
static bool open_resume(const struct options *options, struct resume *resume)
{
    const char *path = options->json     ? options->json
                       : options->output ? options->output
                                         : options->csv;
    *resume = (struct resume){0};
    return options->mode != MODE_FULL || !path ||
           resume_open(resume, path, runtime_name(), mode_name(options->mode));
}

static int refuse_nothing_shared(void)
{
    fprintf(stderr, "%s: the runs to compare have no measured row in common\n", runtime_program());
    return EXIT_USAGE;
}

/* After the report: what moved since --compare's file. */
static int tell_moved(const struct options *options, const struct report *report)
{
    size_t slower = 0, compared = 0;
    FILE *file = options->format == FORMAT_TEXT && !options->output ? stdout : stderr;
    if (!options->earlier)
        return 0;
    if (!report_moved(file, options->earlier, report, &slower, &compared))
        return EXIT_OUTPUT;
    if (compared == 0)
        return refuse_nothing_shared();
    return slower ? EXIT_SLOWER : 0;
}

static int judge_run(const struct options *options, const struct report *report)
{
    if (report->device_count == 0) {
        fprintf(stderr, "%s: no device called %s%s%s\n", runtime_program(), options->device,
                options->earlier ? " is one of those in " : "",
                options->earlier ? options->earlier : "");
        return EXIT_USAGE;
    }
    if (!write_all(options, report))
        return EXIT_OUTPUT;
    int moved = tell_moved(options, report);
    if (any_wrong(report)) {
        fprintf(stderr, "%s: some data was wrong\n", runtime_program());
        return EXIT_WRONG_DATA;
    }
    return moved;
}

static int run(const struct options *options, int count)
{
    struct report report = {0};
    struct resume resume;
    int status = EXIT_OUTPUT, stopped = 0;
    if (options->format == FORMAT_JSON && !report_json_exists())
        return EXIT_USAGE;
    if (!open_resume(options, &resume)) {
        resume_close(&resume, false);
        return EXIT_OUTPUT;
    }
    if (run_measure(options, count, &resume, &report, &stopped))
        status = judge_run(options, &report);
    else
        fprintf(stderr, "%s: no memory for the results\n", runtime_program());
    run_free(&report);
    resume_close(&resume, status != EXIT_OUTPUT && !stopped);
    if (stopped)
        fprintf(stderr, "%s: stopped; what was measured before is reported\n", runtime_program());
    return stopped && status == 0 ? EXIT_SIGNAL + stopped : status;
}

/* A filter that takes no row measures nothing, which must not look like success. */
static int check_filter(const char *filter)
{
    size_t length = 0;
    const char *part = plan_unknown(filter, &length);
    if (part)
        fprintf(stderr, "%s: no row's name begins with '%.*s'; --list shows them\n",
                runtime_program(), (int)length, part);
    return part ? EXIT_USAGE : 0;
}

/* An earlier run's file says what is measured again. It is read before hours are spent. */
static int read_earlier(struct options *options, struct again *again)
{
    again->mode = options->mode;
    if (!again_read(options->earlier, options->filter, again))
        return EXIT_OUTPUT;
    if (!options->has_mode)
        options->mode = again->mode;
    options->devices = again->devices;
    options->filter = again->filter;
    for (size_t i = 0; i < bench_row_count; i++)
        if (plan_takes(options->filter, bench_rows[i].name))
            return 0;
    return refuse_nothing_shared();
}

static int compare_files(const struct options *options)
{
    size_t compared = 0;
    if (!report_compare(stdout, options->files, options->file_count, &compared))
        return EXIT_OUTPUT;
    return compared ? 0 : refuse_nothing_shared();
}

static int measure(struct options *options, char **argv)
{
    struct again again = {0};
    int status = check_filter(options->filter);
    if (status == 0 && options->earlier)
        status = read_earlier(options, &again);
    if (status == 0) {
        start_with_patient_threads(argv);
        const int count = device_count();
        if (count == 0)
            status = refuse_no_device();
        else
            status =
                options->action == ACTION_LIST_DEVICES ? list_devices(count) : run(options, count);
    }
    again_free(&again);
    return status;
}

static int act(int argc, char **argv)
{
    struct options options;
    setenv("CLEM_DEVICE", "all", 0); /* a CPU beside a GPU is a device to measure */
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
    case ACTION_SEED_ROWS:
        seeds_print(stdout);
        return 0;
    case ACTION_COMPARE:
        return compare_files(&options);
    case ACTION_REPORT:
        return html_report(options.output, options.files, (size_t)options.file_count);
    default:
        return measure(&options, argv);
    }
}

int main(int argc, char **argv)
{
    const int status = act(argc, argv);
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != 0)
        return status;
    perror("standard output");
    return EXIT_OUTPUT;
}
