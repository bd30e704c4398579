/* The report as JSON: the run, the devices, and one object for each device, row and size.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"
#include "bench/runtime.h"

#ifdef CLEM_BENCH_JSON
#include <cjson/cJSON.h>
#include <stdlib.h>

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

static void add_task(cJSON *object, const struct task *task)
{
    cJSON_AddStringToObject(object, "row", task->row->name);
    cJSON_AddNumberToObject(object, "bytes", (double)task->bytes);
    cJSON_AddNumberToObject(object, "row_bytes", (double)task->row_bytes);
    cJSON_AddNumberToObject(object, "rows", (double)task->rows);
    cJSON_AddNumberToObject(object, "slices", (double)task->slices);
    cJSON_AddNumberToObject(object, "live", (double)task->live);
    cJSON_AddStringToObject(object, "rule", rule_name(task->row->rule));
    cJSON_AddStringToObject(object, "unit", task->row->rule == RULE_TIME ? "us" : "GB/s");
}

static cJSON *result_object(const struct device_facts *facts, const struct result *result)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "device", facts->index);
    add_task(object, &result->task);
    cJSON_AddStringToObject(object, "status", status_name(result->status));
    cJSON_AddStringToObject(object, "reason", result->reason);
    for (int i = 0; i < CONTENDERS; i++) {
        const char *name = contender_name((enum contender)i);
        if (result->by[i].method)
            cJSON_AddItemToObject(object, name, measured_object(&result->task, &result->by[i]));
        else
            cJSON_AddNullToObject(object, name);
    }
    if (result->speed_over_raw > 0) {
        cJSON_AddNumberToObject(object, "speed_over_raw", result->speed_over_raw);
        cJSON_AddNumberToObject(object, "seconds_more_than_raw", result->difference_raw);
    }
    if (result->speed_over_host > 0)
        cJSON_AddNumberToObject(object, "speed_over_host", result->speed_over_host);
    return object;
}

static cJSON *report_object(const struct report *report)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "format", 1);
    cJSON_AddStringToObject(object, "runtime", report->runtime);
    cJSON_AddStringToObject(object, "version", BENCH_VERSION);
    cJSON_AddStringToObject(object, "date", report->date);
    cJSON_AddStringToObject(object, "mode", report->mode);
    cJSON_AddNumberToObject(object, "load_before", report->load_before);
    cJSON_AddNumberToObject(object, "load_after", report->load_after);
    cJSON_AddNumberToObject(object, "host_cores", (double)report->host_cores);
    cJSON_AddNumberToObject(object, "host_memory_bytes", (double)report->host_memory_bytes);
    return object;
}

bool report_json(FILE *file, const struct report *report)
{
    cJSON *object = report_object(report);
    cJSON *devices = cJSON_AddArrayToObject(object, "devices");
    cJSON *results = cJSON_AddArrayToObject(object, "results");
    for (size_t d = 0; d < report->device_count; d++) {
        const struct device_report *device = &report->devices[d];
        cJSON_AddItemToArray(devices, device_object(&device->facts));
        for (size_t i = 0; i < device->count; i++)
            cJSON_AddItemToArray(results, result_object(&device->facts, &device->results[i]));
    }
    char *text = cJSON_Print(object);
    cJSON_Delete(object);
    if (!text)
        return false;
    fputs(text, file);
    fputc('\n', file);
    free(text);
    return true;
}

#else

bool report_json_exists(void)
{
    fprintf(stderr,
            "%s: no JSON: this program was built without libcjson. On Debian and Ubuntu install "
            "libcjson-dev and build "
            "again.\n",
            runtime_program());
    return false;
}

bool report_json(FILE *file, const struct report *report)
{
    (void)file;
    (void)report;
    return report_json_exists();
}

#endif
