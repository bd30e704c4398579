/* A run as one file for others: what a table of devices needs, and nothing that tells whose machine it was.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/first.h"

#ifdef CLEM_BENCH_JSON
#include <cjson/cJSON.h>

/* What is handed on, by name: whatever the report gets later stays at home. Texts of drivers and reasons may hold paths. */
static const char *const run_names[] = {"format", "runtime",    "version",           "date",
                                        "mode",   "host_cores", "host_memory_bytes", NULL};
static const char *const device_names[] = {
    "index",           "name",         "driver",        "opencl",    "strategy",
    "is_cpu",          "ecc",          "compute_units", "clock_khz", "memory_clock_khz",
    "memory_bus_bits", "memory_bytes", "cache_bytes",   NULL};
static const char *const result_names[] = {"device",     "row",    "group",  "variable",
                                           "form",       "bytes",  "counts", "unit",
                                           "parameters", "status", NULL};
static const char *const value_names[] = {"method",      "median", "seconds_median", "seconds_p10",
                                          "seconds_p90", "cov",    "samples",        NULL};

static cJSON *some_of(const cJSON *object, const char *const *names)
{
    cJSON *some = cJSON_CreateObject();
    for (size_t i = 0; names[i]; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, names[i]);
        if (item)
            cJSON_AddItemToObject(some, names[i], cJSON_Duplicate(item, true));
    }
    return some;
}

static void add_results(cJSON *results, const struct device_report *device)
{
    for (size_t i = 0; i < device->count; i++) {
        if (!first_takes(&device->results[i].task))
            continue;
        cJSON *whole = report_json_result(&device->facts, &device->results[i]);
        cJSON *some = some_of(whole, result_names);
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(whole, "cuda");
        if (cJSON_IsObject(value))
            cJSON_AddItemToObject(some, "cuda", some_of(value, value_names));
        cJSON_AddItemToArray(results, some);
        cJSON_Delete(whole);
    }
}

static cJSON *share_object(const struct report *report)
{
    cJSON *whole = report_json_object(report);
    cJSON *share = some_of(whole, run_names);
    cJSON *devices = cJSON_AddArrayToObject(share, "devices");
    cJSON *results = cJSON_AddArrayToObject(share, "results");
    const cJSON *device;
    cJSON_ArrayForEach(device, cJSON_GetObjectItemCaseSensitive(whole, "devices"))
        cJSON_AddItemToArray(devices, some_of(device, device_names));
    for (size_t d = 0; d < report->device_count; d++)
        add_results(results, &report->devices[d]);
    cJSON_Delete(whole);
    return share;
}

bool report_share(FILE *file, const struct report *report)
{
    return report_json_write(file, share_object(report), false);
}

#else

bool report_share(FILE *file, const struct report *report)
{
    return report_json(file, report);
}

#endif
