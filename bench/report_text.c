/* Tables for people: one for each kind of work on each device, and one across devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/report.h"

void text_size(char out[24], size_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    snprintf(out, 24, "%zu %s", bytes, units[unit]);
}

void variable_of(char out[24], const struct task *task)
{
    switch (task->row->axis) {
    case AXIS_ROW_BYTES:
        text_size(out, task->row_bytes);
        break;
    case AXIS_LIVE:
        snprintf(out, 24, "%zu", task->live);
        break;
    case AXIS_NONE:
        out[0] = '\0';
        break;
    case AXIS_SHAPE:
        snprintf(out, 24, "%zu MB", task->bytes / 1000000);
        break;
    default:
        text_size(out, task->bytes);
        break;
    }
}

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

static bool same_group(const struct result *a, const struct result *b)
{
    return group_length(a) == group_length(b) &&
           memcmp(a->task.row->name, b->task.row->name, group_length(a)) == 0;
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

static void table_head(FILE *file, const char *ours, const struct result *first)
{
    const struct row *row = first->task.row;
    fprintf(file, "\n%.*s, %s\n", (int)group_length(first), row->name,
            row->rule == RULE_TIME ? "microseconds" : "GB/s (medians)");
    fprintf(file, "  %-24s %9s %6s %9s %9s %9s %8s %8s %7s", "row", variable_name(row->axis),
            "bytes", ours, "OpenCL", "C", "/OpenCL", "/C", "spread");
    fprintf(file, "%s  how: OpenCL | C\n", row->rule == RULE_TIME ? "  -OpenCL" : "");
}

static void table_line(FILE *file, const struct result *result)
{
    char variable[24];
    const struct task *task = &result->task;
    variable_of(variable, task);
    fprintf(file, "  %-24s %9s %6s", task->row->name, variable, rule_name(task->row->rule));
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
    if (result->by[BY_RAW].method)
        fprintf(file, "  %s", result->by[BY_RAW].method);
    if (result->by[BY_HOST].method)
        fprintf(file, " | %s", result->by[BY_HOST].method);
    if (result->status != STATUS_OK)
        fprintf(file, "  [%s: %s]", status_name(result->status), result->reason);
    else if (!result->by[BY_RAW].method && result->by[BY_RAW].reason[0])
        fprintf(file, "  [OpenCL: %s]", result->by[BY_RAW].reason);
    fputc('\n', file);
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
        if (i == 0 || !same_group(&device->results[i], &device->results[i - 1]))
            table_head(file, ours, &device->results[i]);
        table_line(file, &device->results[i]);
    }
}

/* Orders tasks by row and by what the row varies over, whatever the whole is on each device. */
static int order_of(const struct task *a, const struct task *b)
{
    enum axis axis = a->row->axis;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (axis == AXIS_ROW_BYTES)
        return (a->row_bytes > b->row_bytes) - (a->row_bytes < b->row_bytes);
    if (axis == AXIS_LIVE)
        return (a->live > b->live) - (a->live < b->live);
    return axis == AXIS_SHAPE ? 0 : (a->bytes > b->bytes) - (a->bytes < b->bytes);
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
    char variable[24], text[16];
    variable_of(variable, task);
    fprintf(file, "  %-24s %9s", task->row->name, variable);
    for (size_t d = 0; d < report->device_count; d++) {
        const struct result *result = find_same(&report->devices[d], task);
        strcpy(text, "-");
        if (result && result->by[BY_CUDA].method)
            number(text, value_of(task, result->by[BY_CUDA].time.median));
        fprintf(file, " %14s", text);
    }
    fprintf(file, "  %s\n", task->row->rule == RULE_TIME ? "us" : "GB/s");
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

void report_text(FILE *file, const struct report *report)
{
    fprintf(
        file,
        "%s %s, %s, mode %s, load %.2f before and %.2f after, host with %ld cores and %.1f GiB\n",
        report->program, BENCH_VERSION, report->date, report->mode, report->load_before,
        report->load_after, report->host_cores, (double)report->host_memory_bytes / (1 << 30));
    fprintf(file,
            "GB = 10^9 bytes; bytes that count: copied = each byte once, r = read, w = written. "
            "Ratios of speeds, "
            "medians over rounds;\nabove 1: %s is faster.\n",
            report->runtime);
    for (size_t d = 0; d < report->device_count; d++)
        device_tables(file, report->runtime, &report->devices[d]);
    if (report->device_count > 1)
        comparison(file, report);
}
