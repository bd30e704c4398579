/* One CSV line for each device, row and size, with units in the line.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench/report.h"
#include "bench/study.h"

void csv_field(FILE *file, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void head(FILE *file)
{
    fputs("runtime,version,date,mode,device_index,device,driver,opencl,strategy,row,bytes,row_"
          "bytes,rows,slices,live,variable,form",
          file);
    for (int i = 1; i <= STUDY_PARAMETERS; i++)
        fprintf(file, ",p%d_name,p%d", i, i);
    fputs(",rule,counts,useful,unit,status,reason", file);
    for (int i = 0; i < CONTENDERS; i++) {
        const char *name = contender_name((enum contender)i);
        fprintf(file,
                ",%s_method,%s_median,%s_best,%s_seconds_median,%s_seconds_best,%s_seconds_p10,"
                "%s_seconds_p90,%s_cov,%s_samples,%s_repetitions",
                name, name, name, name, name, name, name, name, name, name);
    }
    fputs(",speed_over_raw,speed_over_host,seconds_more_than_raw,extras\n", file);
}

static void contender(FILE *file, const struct task *task, const struct measured *measured)
{
    const struct series_summary *time = &measured->time;
    fputc(',', file);
    if (!measured->method) {
        fputs(",,,,,,,,,", file);
        return;
    }
    csv_field(file, measured->method);
    fprintf(file, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.4g,%zu,%zu", value_of(task, time->median),
            value_of(task, time->best), time->median, time->best, time->p10, time->p90, time->cov,
            time->count, measured->count);
}

static void ratio(FILE *file, bool exists, double value)
{
    if (exists)
        fprintf(file, ",%.5g", value);
    else
        fputc(',', file);
}

/* A study's parameters in its order; for other rows what they vary over, by the name that the
 * command line and JSON have for it. */
static void parameters(FILE *file, const struct task *task)
{
    for (size_t i = 0; i < STUDY_PARAMETERS; i++) {
        struct task_parameter parameter;
        fputc(',', file);
        if (!task_parameter(task, i, &parameter)) {
            fputc(',', file);
            continue;
        }
        csv_field(file, parameter.name);
        fputc(',', file);
        if (parameter.word)
            csv_field(file, parameter.word);
        else
            fprintf(file, "%.17g", parameter.number);
    }
}

/* What a task is: everything that does not come from measuring it. */
static void question(FILE *file, const struct task *task)
{
    char variable[VARIABLE_BYTES];
    variable_of(variable, task);
    fprintf(file, ",%s,%zu,%zu,%zu,%zu,%zu,", task->row->name, task->bytes, task->row_bytes,
            task->rows, task->slices, task->live);
    csv_field(file, variable);
    fprintf(file, ",%s", form_of(task));
    parameters(file, task);
    fprintf(file, ",%s,", rule_name(task->row->rule));
    csv_field(file, task->row->study ? task->row->study->counts : "");
    fprintf(file, ",%.17g,%s,", useful_bytes(task),
            task->row->work == WORK_CHECK ? "" : unit_name(unit_of(task)));
}

/* One field for all: "segments=2;utilisation=0.5". */
static void extras(FILE *file, const struct task *task)
{
    fputc(',', file);
    for (size_t i = 0; i < task->extra_count; i++)
        fprintf(file, "%s%s=%.6g", i ? ";" : "", task->extras[i].name, task->extras[i].value);
}

static void line(FILE *file, const struct report *report, const struct device_facts *facts,
                 const struct result *result)
{
    const struct task *task = &result->task;
    fprintf(file, "%s,%s,%s,%s,%d,", report->runtime, BENCH_VERSION, report->date, report->mode,
            facts->index);
    csv_field(file, facts->name);
    fputc(',', file);
    csv_field(file, facts->driver);
    fputc(',', file);
    csv_field(file, facts->opencl);
    fprintf(file, ",%s", facts->strategy);
    question(file, task);
    fprintf(file, "%s,", status_name(result->status));
    csv_field(file, result->reason);
    for (int i = 0; i < CONTENDERS; i++)
        contender(file, task, &result->by[i]);
    ratio(file, result->speed_over_raw > 0, result->speed_over_raw);
    ratio(file, result->speed_over_host > 0, result->speed_over_host);
    ratio(file, result->speed_over_raw > 0, result->difference_raw);
    extras(file, task);
    fputc('\n', file);
}

void report_csv(FILE *file, const struct report *report)
{
    head(file);
    for (size_t d = 0; d < report->device_count; d++)
        for (size_t i = 0; i < report->devices[d].count; i++)
            line(file, report, &report->devices[d].facts, &report->devices[d].results[i]);
}
