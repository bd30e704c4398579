/* The report as JSON: the run, the devices, and one object for each device, row and size.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"
#include "bench/seeds.h"
#include "bench/study.h"

#ifdef CLEM_BENCH_JSON
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

bool report_json_exists(void)
{
    return true;
}

static cJSON *device_object(const struct device_facts *facts)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "index", facts->index);
    cJSON_AddStringToObject(object, "name", facts->name);
    cJSON_AddStringToObject(object, "driver", facts->driver);
    cJSON_AddStringToObject(object, "opencl", facts->opencl);
    cJSON_AddStringToObject(object, "strategy", facts->strategy);
    cJSON_AddStringToObject(object, "strategy_reason", facts->strategy_reason);
    cJSON_AddBoolToObject(object, "is_cpu", facts->is_cpu);
    cJSON_AddBoolToObject(object, "ecc", facts->ecc);
    cJSON_AddNumberToObject(object, "compute_units", facts->compute_units);
    cJSON_AddNumberToObject(object, "clock_khz", facts->clock_khz);
    cJSON_AddNumberToObject(object, "memory_clock_khz", facts->memory_clock_khz);
    cJSON_AddNumberToObject(object, "memory_bus_bits", facts->memory_bus_bits);
    cJSON_AddNumberToObject(object, "memory_bytes", (double)facts->memory_bytes);
    cJSON_AddNumberToObject(object, "cache_bytes", (double)facts->cache_bytes);
    return object;
}

static cJSON *measured_object(const struct task *task, const struct measured *measured)
{
    const struct series_summary *time = &measured->time;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "method", measured->method);
    cJSON_AddNumberToObject(object, "median", value_of(task, time->median));
    cJSON_AddNumberToObject(object, "best", value_of(task, time->best));
    cJSON_AddNumberToObject(object, "seconds_median", time->median);
    cJSON_AddNumberToObject(object, "seconds_best", time->best);
    cJSON_AddNumberToObject(object, "seconds_p10", time->p10);
    cJSON_AddNumberToObject(object, "seconds_p90", time->p90);
    cJSON_AddNumberToObject(object, "cov", time->cov);
    cJSON_AddNumberToObject(object, "samples", (double)time->count);
    cJSON_AddNumberToObject(object, "repetitions", (double)measured->count);
    cJSON_AddStringToObject(object, "dropped", measured->reason);
    return object;
}

static void add_parameters(cJSON *object, const struct task *task)
{
    struct task_parameter parameter;
    cJSON *parameters = cJSON_AddObjectToObject(object, "parameters");
    for (size_t i = 0; task_parameter(task, i, &parameter); i++) {
        if (parameter.word)
            cJSON_AddStringToObject(parameters, parameter.name, parameter.word);
        else
            cJSON_AddNumberToObject(parameters, parameter.name, parameter.number);
    }
}

static void add_extras(cJSON *object, const struct task *task)
{
    cJSON *extras = cJSON_AddObjectToObject(object, "extras");
    for (size_t i = 0; i < task->extra_count; i++)
        cJSON_AddNumberToObject(extras, task->extras[i].name, task->extras[i].value);
}

/* The name of a row, and of its group: the part before the first dot. */
static void add_names(cJSON *object, const struct row *row)
{
    char group[32];
    snprintf(group, sizeof group, "%.*s", (int)strcspn(row->name, "."), row->name);
    cJSON_AddStringToObject(object, "row", row->name);
    cJSON_AddStringToObject(object, "group", group);
    cJSON_AddStringToObject(object, "about", row->about);
}

static void add_task(cJSON *object, const struct task *task)
{
    const struct row *row = task->row;
    char variable[VARIABLE_BYTES];
    add_names(object, row);
    variable_of(variable, task);
    cJSON_AddStringToObject(object, "variable", variable);
    cJSON_AddStringToObject(object, "form", form_of(task));
    add_parameters(object, task);
    cJSON_AddNumberToObject(object, "bytes", (double)task->bytes);
    cJSON_AddNumberToObject(object, "row_bytes", (double)task->row_bytes);
    cJSON_AddNumberToObject(object, "rows", (double)task->rows);
    cJSON_AddNumberToObject(object, "slices", (double)task->slices);
    cJSON_AddNumberToObject(object, "live", (double)task->live);
    cJSON_AddStringToObject(object, "rule", rule_name(row->rule));
    cJSON_AddStringToObject(object, "counts",
                            row->study ? row->study->counts : rule_name(row->rule));
    cJSON_AddNumberToObject(object, "useful", useful_bytes(task));
    cJSON_AddStringToObject(object, "unit",
                            row->work == WORK_CHECK ? "" : unit_name(unit_of(task)));
    add_extras(object, task);
}

static void add_ratios(cJSON *object, const struct result *result)
{
    if (result->speed_over_raw > 0) {
        cJSON_AddNumberToObject(object, "speed_over_raw", result->speed_over_raw);
        cJSON_AddNumberToObject(object, "seconds_more_than_raw", result->difference_raw);
    }
    if (result->speed_over_host > 0)
        cJSON_AddNumberToObject(object, "speed_over_host", result->speed_over_host);
}

cJSON *report_json_result(const struct device_facts *facts, const struct result *result)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "device", facts->index);
    add_task(object, &result->task);
    cJSON_AddStringToObject(object, "status", status_name(result->status));
    cJSON_AddStringToObject(object, "reason", result->reason);
    cJSON_AddBoolToObject(object, "wrong_data", result->wrong_data);
    for (int i = 0; i < CONTENDERS; i++) {
        const char *name = contender_name((enum contender)i);
        if (result->by[i].method)
            cJSON_AddItemToObject(object, name, measured_object(&result->task, &result->by[i]));
        else
            cJSON_AddNullToObject(object, name);
    }
    add_ratios(object, result);
    return object;
}

static cJSON *run_object(const struct report *report)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "format", 2);
    cJSON_AddStringToObject(object, "runtime", report->runtime);
    cJSON_AddStringToObject(object, "version", BENCH_VERSION);
    cJSON_AddStringToObject(object, "date", report->date);
    cJSON_AddStringToObject(object, "mode", report->mode);
    cJSON_AddStringToObject(object, "command", report->command ? report->command : "");
    cJSON_AddNumberToObject(object, "load_before", report->load_before);
    cJSON_AddNumberToObject(object, "load_after", report->load_after);
    cJSON_AddNumberToObject(object, "host_cores", (double)report->host_cores);
    cJSON_AddNumberToObject(object, "host_memory_bytes", (double)report->host_memory_bytes);
    return object;
}

cJSON *report_json_object(const struct report *report)
{
    cJSON *object = run_object(report);
    cJSON *devices = cJSON_AddArrayToObject(object, "devices");
    cJSON *results = cJSON_AddArrayToObject(object, "results");
    cJSON *verdicts = cJSON_AddArrayToObject(object, "seeds");
    for (size_t d = 0; d < report->device_count; d++) {
        const struct device_report *device = &report->devices[d];
        cJSON_AddItemToArray(devices, device_object(&device->facts));
        for (size_t i = 0; i < device->count; i++)
            cJSON_AddItemToArray(results, report_json_result(&device->facts, &device->results[i]));
        report_seeds_json(verdicts, device);
    }
    return object;
}

bool report_json_write(FILE *file, cJSON *object, bool is_for_people)
{
    char *text = is_for_people ? cJSON_Print(object) : cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (!text)
        return false;
    fputs(text, file);
    fputc('\n', file);
    free(text);
    return true;
}

bool report_json(FILE *file, const struct report *report)
{
    return report_json_write(file, report_json_object(report), true);
}

#else

bool report_json_exists(void)
{
    fprintf(stderr,
            "no JSON: this program was built without libcjson. On Debian and Ubuntu install "
            "libcjson-dev and build again.\n");
    return false;
}

bool report_json(FILE *file, const struct report *report)
{
    (void)file;
    (void)report;
    return report_json_exists();
}

#endif
