/* Runs that were saved as JSON, read back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/saved.h"

#ifdef CLEM_BENCH_JSON
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static int whole_of(const cJSON *object, const char *name)
{
    double number = number_of(object, name);
    return number > -1e9 && number < 1e9 ? (int)number : 0;
}

/* A number of bytes; 0 where no memory has so many. */
static size_t size_of(double number)
{
    return number > 0 && number < 1e18 ? (size_t)number : 0;
}

static const char *text_in(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static bool truth_of(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static struct saved_value read_value(const cJSON *object)
{
    struct saved_value value = {0};
    if (!cJSON_IsObject(object))
        return value;
    value.method = text_in(object, "method");
    value.median = number_of(object, "median");
    value.best = number_of(object, "best");
    value.seconds = number_of(object, "seconds_median");
    value.seconds_best = number_of(object, "seconds_best");
    value.p10 = number_of(object, "seconds_p10");
    value.p90 = number_of(object, "seconds_p90");
    value.cov = number_of(object, "cov");
    value.samples = number_of(object, "samples");
    value.repetitions = number_of(object, "repetitions");
    value.dropped = text_in(object, "dropped");
    return value;
}

/* What format 1 said in three numbers of which the row decides which one counts. */
static void read_old_variable(const cJSON *object, struct saved_result *result)
{
    double live = number_of(object, "live"), row_bytes = number_of(object, "row_bytes");
    struct task_parameter parameter = {"size", NULL, result->bytes};
    if (live > 0)
        parameter = (struct task_parameter){"live", NULL, live};
    else if (strcmp(result->group, "rect") == 0)
        parameter = (struct task_parameter){"row", NULL, row_bytes};
    else if (result->bytes <= 0)
        return;
    result->parameters[result->parameter_count++] = parameter;
    if (live > 0)
        snprintf(result->variable, sizeof result->variable, "%.0f", live);
    else if (row_bytes == 3000 && strcmp(result->group, "set") == 0)
        snprintf(result->variable, sizeof result->variable, "%zu MB",
                 size_of(result->bytes) / 1000000);
    else
        text_size(result->variable, size_of(parameter.number));
}

static void read_parameters(const cJSON *object, struct saved_result *result)
{
    const cJSON *item;
    if (!cJSON_IsObject(object))
        return;
    cJSON_ArrayForEach(item, object)
    {
        if (result->parameter_count == STUDY_PARAMETERS)
            return;
        result->parameters[result->parameter_count++] = (struct task_parameter){
            item->string, cJSON_IsString(item) ? item->valuestring : NULL, item->valuedouble};
    }
}

static void read_extras(const cJSON *object, struct saved_result *result)
{
    const cJSON *item;
    if (!cJSON_IsObject(object))
        return;
    cJSON_ArrayForEach(item, object)
    {
        if (result->extra_count == STUDY_EXTRAS)
            return;
        result->extras[result->extra_count++] = (struct extra){item->string, item->valuedouble};
    }
}

/* "offset=1" of "offset=1 form=idiom". */
static void cut_form(struct saved_result *result)
{
    memcpy(result->point, result->variable, sizeof result->point);
    char *form = strstr(result->point, "form=");
    if (!result->form[0] || !form || (form > result->point && form[-1] != ' '))
        return;
    while (form > result->point && form[-1] == ' ')
        form--;
    *form = '\0';
}

bool saved_result_read(const cJSON *object, struct saved_result *result)
{
    *result = (struct saved_result){.device = whole_of(object, "device"),
                                    .row = text_in(object, "row"),
                                    .about = text_in(object, "about"),
                                    .counts = text_in(object, "counts"),
                                    .unit = text_in(object, "unit"),
                                    .status = text_in(object, "status"),
                                    .reason = text_in(object, "reason"),
                                    .form = text_in(object, "form"),
                                    .bytes = number_of(object, "bytes"),
                                    .useful = number_of(object, "useful"),
                                    .wrong_data = truth_of(object, "wrong_data"),
                                    .over_raw = number_of(object, "speed_over_raw"),
                                    .more_than_raw = number_of(object, "seconds_more_than_raw"),
                                    .over_host = number_of(object, "speed_over_host")};
    const cJSON *variable = cJSON_GetObjectItemCaseSensitive(object, "variable");
    snprintf(result->group, sizeof result->group, "%.*s", (int)strcspn(result->row, "."),
             result->row);
    if (cJSON_IsString(variable))
        snprintf(result->variable, sizeof result->variable, "%s", variable->valuestring);
    else
        read_old_variable(object, result);
    read_parameters(cJSON_GetObjectItemCaseSensitive(object, "parameters"), result);
    read_extras(cJSON_GetObjectItemCaseSensitive(object, "extras"), result);
    cut_form(result);
    for (int i = 0; i < CONTENDERS; i++)
        result->by[i] =
            read_value(cJSON_GetObjectItemCaseSensitive(object, contender_name((enum contender)i)));
    return result->row[0] != '\0';
}

static void read_device(const cJSON *object, struct saved_device *device)
{
    *device = (struct saved_device){.index = whole_of(object, "index"),
                                    .name = text_in(object, "name"),
                                    .driver = text_in(object, "driver"),
                                    .opencl = text_in(object, "opencl"),
                                    .strategy = text_in(object, "strategy"),
                                    .strategy_reason = text_in(object, "strategy_reason"),
                                    .is_cpu = truth_of(object, "is_cpu"),
                                    .ecc = truth_of(object, "ecc"),
                                    .compute_units = whole_of(object, "compute_units"),
                                    .clock_khz = whole_of(object, "clock_khz"),
                                    .memory_clock_khz = whole_of(object, "memory_clock_khz"),
                                    .memory_bus_bits = whole_of(object, "memory_bus_bits"),
                                    .memory_bytes = number_of(object, "memory_bytes"),
                                    .cache_bytes = number_of(object, "cache_bytes")};
}

static void read_seed(const cJSON *object, struct saved_seed *seed)
{
    const cJSON *measured = cJSON_GetObjectItemCaseSensitive(object, "measured");
    *seed = (struct saved_seed){.device = whole_of(object, "device"),
                                .id = text_in(object, "id"),
                                .what = text_in(object, "what"),
                                .verdict = text_in(object, "verdict"),
                                .words = text_in(object, "words"),
                                .covered_by = text_in(object, "covered_by"),
                                .measured = !measured || cJSON_IsTrue(measured)};
}

/* NULL, which has no items, for what is no list: an object has items, too. */
static const cJSON *list_in(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsArray(item) ? item : NULL;
}

static size_t length_of(const cJSON *list)
{
    int length = list ? cJSON_GetArraySize(list) : 0;
    return length > 0 ? (size_t)length : 0;
}

static bool read_arrays(struct saved *saved)
{
    const cJSON *devices = list_in(saved->root, "devices");
    const cJSON *results = list_in(saved->root, "results");
    const cJSON *seeds = list_in(saved->root, "seeds");
    const cJSON *item;
    saved->devices = calloc(length_of(devices) + 1, sizeof *saved->devices);
    saved->results = calloc(length_of(results) + 1, sizeof *saved->results);
    saved->seeds = calloc(length_of(seeds) + 1, sizeof *saved->seeds);
    if (!saved->devices || !saved->results || !saved->seeds)
        return false;
    cJSON_ArrayForEach(item, devices) read_device(item, &saved->devices[saved->device_count++]);
    cJSON_ArrayForEach(item, results) saved->result_count +=
        saved_result_read(item, &saved->results[saved->result_count]);
    cJSON_ArrayForEach(item, seeds) read_seed(item, &saved->seeds[saved->seed_count++]);
    return true;
}

/* What would move the cursor or change colours of a terminal becomes '?': ASCII's control characters,
 * and those that UTF-8 writes as C2 80 to C2 9F. */
static void blank_controls(char *text)
{
    for (unsigned char *c = (unsigned char *)text; c && *c; c++) {
        if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
            c[0] = c[1] = '?';
        else if (*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
}

/* A file may come from anyone. The parser bounds how deep it can be. */
static void clean(cJSON *item)
{
    for (; item; item = item->next) {
        blank_controls(item->string);
        blank_controls(item->valuestring);
        clean(item->child);
    }
}

bool saved_take(cJSON *root, struct saved *saved)
{
    clean(root);
    *saved = (struct saved){.root = root};
    saved->runtime = text_in(root, "runtime");
    saved->version = text_in(root, "version");
    saved->date = text_in(root, "date");
    saved->mode = text_in(root, "mode");
    saved->command = text_in(root, "command");
    saved->format = whole_of(root, "format");
    saved->load_before = number_of(root, "load_before");
    saved->load_after = number_of(root, "load_after");
    saved->host_cores = number_of(root, "host_cores");
    saved->host_memory_bytes = number_of(root, "host_memory_bytes");
    return saved->format >= 1 && saved->format <= 2 &&
           cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(root, "results")) && read_arrays(saved);
}

char *saved_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t used = 0, room = 0, got = 1;
    while (file && got > 0) {
        if (used + 1 >= room) {
            char *longer = realloc(text, room = room ? 2 * room : 65536);
            if (!longer)
                break;
            text = longer;
        }
        got = fread(text + used, 1, room - used - 1, file);
        used += got;
    }
    if (file && (got > 0 || ferror(file))) {
        free(text);
        text = NULL;
        errno = got > 0 ? ENOMEM : EIO;
    } else if (file) {
        text[used] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

enum saved_status saved_read(const char *path, struct saved *saved)
{
    *saved = (struct saved){.path = path};
    char *text = saved_text(path);
    if (!text) {
        perror(path);
        return errno == ENOMEM ? SAVED_NO_MEMORY : SAVED_MISSING;
    }
    cJSON *root = cJSON_Parse(text);
    free(text);
    bool taken = saved_take(root, saved);
    saved->path = path;
    if (taken)
        return SAVED_OK;
    if (root && saved->format > 2)
        fprintf(stderr, "%s: format %d is of a later version of this program\n", path,
                saved->format);
    else
        fprintf(stderr, "%s: not a result in JSON\n", path);
    return SAVED_BAD;
}

void saved_free(struct saved *saved)
{
    free(saved->devices);
    free(saved->results);
    free(saved->seeds);
    cJSON_Delete(saved->root);
    *saved = (struct saved){0};
}

bool saved_same(const struct saved_result *a, const struct saved_result *b)
{
    return strcmp(a->row, b->row) == 0 && strcmp(a->variable, b->variable) == 0;
}

const struct saved_result *saved_find(const struct saved *saved, int device,
                                      const struct saved_result *wanted)
{
    for (size_t i = 0; i < saved->result_count; i++)
        if (saved->results[i].device == device && saved_same(&saved->results[i], wanted))
            return &saved->results[i];
    return NULL;
}

#endif
