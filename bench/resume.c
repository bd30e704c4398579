/* What a long run has measured so far.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/resume.h"

#include "bench/saved.h"

#ifdef CLEM_BENCH_JSON
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct resume_cell {
    cJSON *object;
    struct saved_result result;
};

static bool says(const cJSON *object, const char *name, const char *text)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return value && strcmp(value, text) == 0;
}

static bool is_of_this_run(const struct resume *resume, const cJSON *object)
{
    return says(object, "of_runtime", resume->runtime) && says(object, "of_mode", resume->mode) &&
           says(object, "of_version", BENCH_VERSION);
}

static bool keep(struct resume *resume, cJSON *object)
{
    struct resume_cell *cells = realloc(resume->cells, (resume->count + 1) * sizeof *cells);
    if (!cells) {
        cJSON_Delete(object);
        return false;
    }
    resume->cells = cells;
    cells[resume->count].object = object;
    if (saved_result_read(object, &cells[resume->count].result))
        resume->count++;
    else
        cJSON_Delete(object);
    return true;
}

static bool read_line(struct resume *resume, const char *line, size_t length)
{
    cJSON *object = cJSON_ParseWithLength(line, length);
    if (object && is_of_this_run(resume, object))
        return keep(resume, object);
    cJSON_Delete(object);
    return true;
}

/* A line without an end was being written when the run ended. Returns false without memory. */
static bool read_lines(struct resume *resume, const char *text)
{
    bool read = true;
    for (const char *end; read && (end = strchr(text, '\n')) != NULL; text = end + 1)
        read = read_line(resume, text, (size_t)(end - text));
    return read;
}

/* What follows a torn line must not become its end. */
static bool end_torn_line(struct resume *resume, const char *text)
{
    size_t length = strlen(text);
    return length == 0 || text[length - 1] == '\n' || fputc('\n', resume->file) != EOF;
}

bool resume_open(struct resume *resume, const char *path, const char *runtime, const char *mode)
{
    *resume = (struct resume){.runtime = runtime, .mode = mode};
    snprintf(resume->path, sizeof resume->path, "%s.part", path);
    char *text = saved_text(resume->path);
    if (!text && errno != ENOENT) {
        perror(resume->path);
        return false;
    }
    resume->file = fopen(resume->path, "a");
    if (!resume->file)
        perror(resume->path);
    bool opened =
        resume->file && (!text || (end_torn_line(resume, text) && read_lines(resume, text)));
    free(text);
    return opened;
}

static struct measured restore_measured(const struct saved_value *value)
{
    struct measured measured = {.method = value->method, .count = (size_t)value->repetitions};
    if (!value->method)
        return measured;
    measured.time = (struct series_summary){.count = (size_t)value->samples,
                                            .median = value->seconds,
                                            .best = value->seconds_best,
                                            .p10 = value->p10,
                                            .p90 = value->p90,
                                            .mean = value->seconds,
                                            .cov = value->cov};
    snprintf(measured.reason, sizeof measured.reason, "%s", value->dropped);
    return measured;
}

static bool restore_status(const char *name, enum status *status)
{
    for (int i = STATUS_OK; i <= STATUS_SUSPECT; i++) {
        *status = (enum status)i;
        if (strcmp(status_name(*status), name) == 0)
            return *status != STATUS_ERROR;
    }
    return false;
}

static bool restore(const struct saved_result *from, const struct task *task, struct result *result)
{
    *result = (struct result){.task = *task,
                              .speed_over_raw = from->over_raw,
                              .speed_over_host = from->over_host,
                              .difference_raw = from->more_than_raw,
                              .wrong_data = from->wrong_data};
    snprintf(result->reason, sizeof result->reason, "%s", from->reason);
    for (int i = 0; i < CONTENDERS; i++)
        result->by[i] = restore_measured(&from->by[i]);
    return restore_status(from->status, &result->status);
}

static bool is_device(const struct resume_cell *cell, const struct device_facts *device)
{
    return says(cell->object, "of_device", device->name) &&
           says(cell->object, "of_driver", device->driver) &&
           says(cell->object, "of_opencl", device->opencl);
}

/* Sizes may follow what memory the device says it has at the time. */
static bool is_task(const struct saved_result *result, const struct task *task,
                    const char *variable)
{
    return strcmp(result->row, task->row->name) == 0 && strcmp(result->variable, variable) == 0 &&
           result->bytes == (double)task->bytes;
}

bool resume_find(const struct resume *resume, const struct device_facts *device,
                 const struct task *task, struct result *result)
{
    char variable[VARIABLE_BYTES];
    variable_of(variable, task);
    for (size_t i = resume->count; i-- > 0;) {
        const struct resume_cell *cell = &resume->cells[i];
        if (is_task(&cell->result, task, variable) && is_device(cell, device))
            return restore(&cell->result, task, result);
    }
    return false;
}

void resume_add(struct resume *resume, const struct device_facts *device,
                const struct result *result)
{
    if (!resume->file)
        return;
    cJSON *object = report_json_result(device, result);
    cJSON_AddStringToObject(object, "of_runtime", resume->runtime);
    cJSON_AddStringToObject(object, "of_version", BENCH_VERSION);
    cJSON_AddStringToObject(object, "of_mode", resume->mode);
    cJSON_AddStringToObject(object, "of_device", device->name);
    cJSON_AddStringToObject(object, "of_driver", device->driver);
    cJSON_AddStringToObject(object, "of_opencl", device->opencl);
    char *line = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (line)
        fprintf(resume->file, "%s\n", line);
    fflush(resume->file);
    free(line);
}

void resume_close(struct resume *resume, bool done)
{
    if (resume->file)
        fclose(resume->file);
    if (resume->file && done)
        unlink(resume->path);
    for (size_t i = 0; i < resume->count; i++)
        cJSON_Delete(resume->cells[i].object);
    free(resume->cells);
    *resume = (struct resume){0};
}

#else

bool resume_open(struct resume *resume, const char *path, const char *runtime, const char *mode)
{
    (void)path;
    *resume = (struct resume){.runtime = runtime, .mode = mode};
    return true;
}

bool resume_find(const struct resume *resume, const struct device_facts *device,
                 const struct task *task, struct result *result)
{
    (void)resume;
    (void)device;
    (void)task;
    (void)result;
    return false;
}

void resume_add(struct resume *resume, const struct device_facts *device,
                const struct result *result)
{
    (void)resume;
    (void)device;
    (void)result;
}

void resume_close(struct resume *resume, bool done)
{
    (void)resume;
    (void)done;
}

#endif

size_t resume_count(const struct resume *resume, const struct device_facts *device,
                    const struct task *tasks, size_t count)
{
    struct result result;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += resume_find(resume, device, &tasks[i], &result);
    return found;
}
