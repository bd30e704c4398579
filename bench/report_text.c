/* Tables for people: one for each kind of work on each device, and one across devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/first.h"
#include "bench/plan.h"
#include "bench/report.h"
#include "bench/seeds.h"
#include "bench/study.h"

static const char *variable_name(enum axis axis)
{
    if (axis == AXIS_ROW_BYTES)
        return "row of";
    return axis == AXIS_LIVE ? "live" : "size";
}

/* The part of a row's name before the first dot names its table. */
static size_t group_length(const struct result *result)
{
    return strcspn(result->task.row->name, ".");
}

/* Tables have one unit and one kind of variable. */
static bool same_table(const struct result *a, const struct result *b)
{
    return group_length(a) == group_length(b) &&
           memcmp(a->task.row->name, b->task.row->name, group_length(a)) == 0 &&
           unit_of(&a->task) == unit_of(&b->task) && !a->task.row->study == !b->task.row->study;
}

static void number(char out[16], double value)
{
    const char *format = value >= 1000  ? "%.0f"
                         : value >= 100 ? "%.1f"
                         : value >= 1   ? "%.2f"
                                        : "%.3f";
    snprintf(out, 16, format, value);
}

static void cell(FILE *file, const struct task *task, const struct measured *measured)
{
    char text[16] = "-";
    if (measured->method)
        number(text, value_of(task, measured->time.median));
    fprintf(file, " %9s", text);
}

static void ratio(FILE *file, double value)
{
    if (value > 0)
        fprintf(file, " %8.3f", value);
    else
        fprintf(file, " %8s", "-");
}

/* Microseconds more than raw OpenCL, for rows of time. */
static void difference(FILE *file, const struct result *result)
{
    if (result->speed_over_raw > 0)
        fprintf(file, " %+8.2f", result->difference_raw * 1e6);
    else
        fprintf(file, " %8s", "-");
}

static const char *unit_words(const struct result *result)
{
    static const char *const words[] = {"GB/s (medians)", "10^9 operations a second (medians)",
                                        "microseconds", "nanoseconds a step"};
    return result->task.row->work == WORK_CHECK ? "yes or no" : words[unit_of(&result->task)];
}

/* Studies vary over more than a number: their columns are wider. */
static int variable_width(const struct task *task)
{
    return task->row->study ? 44 : 9;
}

static void table_head(FILE *file, const char *ours, const struct result *first)
{
    const struct row *row = first->task.row;
    fprintf(file, "\n%.*s, %s\n", (int)group_length(first), row->name, unit_words(first));
    if (row->work == WORK_CHECK)
        return;
    fprintf(file, "  %-24s %*s %7s %9s %9s %9s %8s %8s %7s", "row", variable_width(&first->task),
            row->study ? "over" : variable_name(row->axis), "bytes", ours, "OpenCL", "C", "/OpenCL",
            "/C", "spread");
    fprintf(file, "%s  how: %s%sOpenCL | C\n", row->rule == RULE_TIME ? "  -OpenCL" : "",
            row->study ? ours : "", row->study ? " | " : "");
}

static void check_line(FILE *file, const struct result *result)
{
    fprintf(file, "  %-24s %s%s%s\n", result->task.row->name,
            result->status == STATUS_OK ? "holds" : status_name(result->status),
            result->reason[0] ? ": " : "", result->reason);
}

/* Which forms and methods the contenders chose, and what else is to be said. */
static void how(FILE *file, const struct result *result)
{
    const char *between = "  ";
    for (int i = result->task.row->study ? BY_CUDA : BY_RAW; i < CONTENDERS; i++) {
        if (!result->by[i].method)
            continue;
        fprintf(file, "%s%s", between, result->by[i].method);
        between = " | ";
    }
    for (size_t i = 0; i < result->task.extra_count; i++)
        fprintf(file, "  %s %.4g", result->task.extras[i].name, result->task.extras[i].value);
    if (result->status != STATUS_OK)
        fprintf(file, "  [%s: %s]", status_name(result->status), result->reason);
    else if (!result->by[BY_RAW].method && result->by[BY_RAW].reason[0])
        fprintf(file, "  [OpenCL: %s]", result->by[BY_RAW].reason);
    fputc('\n', file);
}

static void table_line(FILE *file, const struct result *result)
{
    char variable[VARIABLE_BYTES];
    const struct task *task = &result->task;
    if (task->row->work == WORK_CHECK) {
        check_line(file, result);
        return;
    }
    variable_of(variable, task);
    fprintf(file, "  %-24s %*s %7s", task->row->name, variable_width(task), variable,
            rule_name(task->row->rule));
    for (int i = 0; i < CONTENDERS; i++)
        cell(file, task, &result->by[i]);
    ratio(file, result->speed_over_raw);
    ratio(file, result->speed_over_host);
    if (result->by[BY_CUDA].method)
        fprintf(file, " %6.1f%%", 100 * result->by[BY_CUDA].time.cov);
    else
        fprintf(file, " %7s", "-");
    if (task->row->rule == RULE_TIME)
        difference(file, result);
    how(file, result);
}

static void device_head(FILE *file, const struct device_facts *facts)
{
    fprintf(file, "\n== device %d: %s\n", facts->index, facts->name);
    if (facts->opencl[0])
        fprintf(file, "   %s, driver %s\n   addresses: %s (%s)\n", facts->opencl, facts->driver,
                facts->strategy, facts->strategy_reason);
    else
        fprintf(file, "   driver %s\n", facts->driver);
    fprintf(file, "   %d compute units", facts->compute_units);
    if (facts->clock_khz)
        fprintf(file, " at up to %d MHz", facts->clock_khz / 1000);
    fprintf(file, ", %.1f GiB of memory, ECC %s, cache %zu KiB\n",
            (double)facts->memory_bytes / (1 << 30), facts->ecc ? "on" : "off or not known",
            facts->cache_bytes / 1024);
}

static void device_tables(FILE *file, const char *ours, const struct device_report *device)
{
    device_head(file, &device->facts);
    for (size_t i = 0; i < device->count; i++) {
        if (i == 0 || !same_table(&device->results[i], &device->results[i - 1]))
            table_head(file, ours, &device->results[i]);
        table_line(file, &device->results[i]);
    }
    report_seeds_text(file, device);
}

static int order_of_numbers(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int order_of_choices(const struct task *a, const struct task *b)
{
    for (size_t i = 0; i < STUDY_PARAMETERS; i++)
        if (a->parameters[i] != b->parameters[i])
            return a->parameters[i] < b->parameters[i] ? -1 : 1;
    return (a->form > b->form) - (a->form < b->form);
}

/* Orders tasks by row and by what the row varies over, whatever the whole is on each device. */
static int order_of(const struct task *a, const struct task *b)
{
    enum axis axis = a->row->axis;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->row->study)
        return order_of_choices(a, b);
    if (axis == AXIS_ROW_BYTES)
        return order_of_numbers(a->row_bytes, b->row_bytes);
    if (axis == AXIS_LIVE)
        return order_of_numbers(a->live, b->live);
    return axis == AXIS_SHAPE ? 0 : order_of_numbers(a->bytes, b->bytes);
}

static int order_of_pointers(const void *a, const void *b)
{
    return order_of(*(const struct task *const *)a, *(const struct task *const *)b);
}

static const struct result *find_same(const struct device_report *device, const struct task *task)
{
    for (size_t i = 0; i < device->count; i++)
        if (order_of(&device->results[i].task, task) == 0)
            return &device->results[i];
    return NULL;
}

static void comparison_line(FILE *file, const struct report *report, const struct task *task)
{
    char variable[VARIABLE_BYTES], text[16];
    variable_of(variable, task);
    fprintf(file, "  %-24s %*s", task->row->name, variable_width(task), variable);
    for (size_t d = 0; d < report->device_count; d++) {
        const struct result *result = find_same(&report->devices[d], task);
        strcpy(text, "-");
        if (result && result->by[BY_CUDA].method)
            number(text, value_of(task, result->by[BY_CUDA].time.median));
        else if (result && task->row->work == WORK_CHECK)
            strcpy(text, result->status == STATUS_OK ? "holds" : status_name(result->status));
        fprintf(file, " %14s", text);
    }
    fprintf(file, "  %s\n", task->row->work == WORK_CHECK ? "" : unit_name(unit_of(task)));
}

/* The tasks of all devices in order. Owns: the caller frees them. NULL without memory. */
static const struct task **all_tasks(const struct report *report, size_t *count)
{
    *count = 0;
    for (size_t d = 0; d < report->device_count; d++)
        *count += report->devices[d].count;
    const struct task **tasks = calloc(*count + 1, sizeof *tasks);
    size_t n = 0;
    for (size_t d = 0; tasks && d < report->device_count; d++)
        for (size_t i = 0; i < report->devices[d].count; i++)
            tasks[n++] = &report->devices[d].results[i].task;
    if (tasks)
        qsort(tasks, n, sizeof *tasks, order_of_pointers);
    return tasks;
}

static void comparison(FILE *file, const struct report *report)
{
    size_t count;
    const struct task **tasks = all_tasks(report, &count);
    fprintf(file, "\n== the devices side by side (%s, medians)\n  %-24s %9s", report->runtime,
            "row", "");
    for (size_t d = 0; d < report->device_count; d++)
        fprintf(file, " %14.14s", report->devices[d].facts.name);
    fputc('\n', file);
    for (size_t i = 0; tasks && i < count; i++)
        if (i == 0 || order_of(tasks[i - 1], tasks[i]) != 0)
            comparison_line(file, report, tasks[i]);
    free(tasks);
}

static void tables(FILE *file, const struct report *report)
{
    fprintf(file,
            "\nGB = 10^9 bytes; bytes that count: copied = each byte once, r = read, w = written. "
            "Ratios of speeds, "
            "medians over rounds;\nabove 1: %s is faster.\n",
            report->runtime);
    for (size_t d = 0; d < report->device_count; d++)
        device_tables(file, report->runtime, &report->devices[d]);
    if (report->device_count > 1)
        comparison(file, report);
}

static void without_tables(FILE *file, const struct report *report)
{
    const bool is_first = strcmp(report->mode, mode_name(MODE_FIRST)) == 0;
    for (size_t d = 0; d < report->device_count && !is_first; d++)
        report_seeds_text(file, &report->devices[d]);
    fprintf(file, "\nAll that was measured: --table.%s\n",
            is_first ? " All rows: --normal, some fifteen minutes for a CPU with two cores." : "");
}

void report_text(FILE *file, const struct report *report)
{
    fprintf(file, "%s %s, %s, mode %s, %ld cores, %.0f GiB, load %.1f to %.1f\n", report->program,
            BENCH_VERSION, report->date, report->mode, report->host_cores,
            (double)report->host_memory_bytes / (1 << 30), report->load_before, report->load_after);
    for (size_t d = 0; d < report->device_count; d++)
        report_first(file, &report->devices[d]);
    if (report->has_tables)
        tables(file, report);
    else
        without_tables(file, report);
}
