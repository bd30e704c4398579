/* Ratios between pairs of JSON files, row by row: medians where there are several pairs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"

#ifdef CLEM_BENCH_JSON
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* One row of the files: the first value and the ratio of each pair. */
struct line {
    char name[64], unit[8];
    double bytes, row_bytes, live;
    struct series first, second, ratios;
};

struct lines {
    struct line *all;
    size_t count;
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long bytes;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (bytes = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = calloc(1, (size_t)bytes + 1)) != NULL &&
        fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static cJSON *parse_file(const char *path)
{
    char *text = read_file(path);
    cJSON *object = text ? cJSON_Parse(text) : NULL;
    free(text);
    if (!object || !cJSON_IsArray(cJSON_GetObjectItem(object, "results"))) {
        fprintf(stderr, "%s: not a result in JSON\n", path);
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* The median time through the CUDA API, 0 when the row has none. */
static double seconds_of(const cJSON *row)
{
    return number_of(cJSON_GetObjectItem(row, "cuda"), "seconds_median");
}

static double value_in(const cJSON *row)
{
    return number_of(cJSON_GetObjectItem(row, "cuda"), "median");
}

static const cJSON *find_row(const cJSON *file, const cJSON *wanted)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(file, "results"))
    {
        if (strcmp(text_of(row, "row"), text_of(wanted, "row")) == 0 &&
            number_of(row, "bytes") == number_of(wanted, "bytes") &&
            number_of(row, "row_bytes") == number_of(wanted, "row_bytes") &&
            number_of(row, "live") == number_of(wanted, "live"))
            return row;
    }
    return NULL;
}

static struct line *line_for(struct lines *lines, const cJSON *row)
{
    for (size_t i = 0; i < lines->count; i++) {
        struct line *line = &lines->all[i];
        if (strcmp(line->name, text_of(row, "row")) == 0 &&
            line->bytes == number_of(row, "bytes") &&
            line->row_bytes == number_of(row, "row_bytes") && line->live == number_of(row, "live"))
            return line;
    }
    struct line *all = realloc(lines->all, (lines->count + 1) * sizeof *all);
    if (!all)
        return NULL;
    lines->all = all;
    struct line *line = &all[lines->count++];
    memset(line, 0, sizeof *line);
    snprintf(line->name, sizeof line->name, "%s", text_of(row, "row"));
    snprintf(line->unit, sizeof line->unit, "%s", text_of(row, "unit"));
    line->bytes = number_of(row, "bytes");
    line->row_bytes = number_of(row, "row_bytes");
    line->live = number_of(row, "live");
    return line;
}

static bool add_row(struct lines *lines, const cJSON *first, const cJSON *second)
{
    double a = seconds_of(first), b = second ? seconds_of(second) : 0;
    if (a <= 0 || b <= 0)
        return true;
    struct line *line = line_for(lines, first);
    return line && series_add(&line->first, value_in(first)) &&
           series_add(&line->second, value_in(second)) && series_add(&line->ratios, b / a);
}

static bool add_pair(struct lines *lines, const char *first_path, const char *second_path)
{
    cJSON *first = parse_file(first_path), *second = parse_file(second_path);
    bool fine = first && second;
    const cJSON *row;
    if (fine)
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(first, "results"))
        {
            fine = fine && add_row(lines, row, find_row(second, row));
        }
    cJSON_Delete(first);
    cJSON_Delete(second);
    return fine;
}

/* The number a row varies over: like variable_of, from what the file holds. */
static void line_variable(char out[24], const struct line *line)
{
    if (line->live > 0)
        snprintf(out, 24, "%.0f", line->live);
    else if (strncmp(line->name, "rect.", 5) == 0)
        text_size(out, (size_t)line->row_bytes);
    else if (line->bytes > 0)
        text_size(out, (size_t)line->bytes);
    else
        out[0] = '\0';
}

static void print_line(FILE *file, const struct line *line)
{
    char variable[24];
    struct series_summary ratios = series_summarize(&line->ratios);
    double most = 0;
    for (size_t i = 0; i < line->ratios.count; i++)
        most = line->ratios.values[i] > most ? line->ratios.values[i] : most;
    line_variable(variable, line);
    fprintf(file, "%-26s %12s %11.3f %11.3f %-5s %8.3f %8.3f %8.3f %5zu\n", line->name, variable,
            series_median(&line->first), series_median(&line->second), line->unit, ratios.median,
            ratios.best, most, ratios.count);
}

static void free_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        series_free(&lines->all[i].first);
        series_free(&lines->all[i].second);
        series_free(&lines->all[i].ratios);
    }
    free(lines->all);
}

bool report_compare(FILE *file, char **files, int count)
{
    struct lines lines = {0};
    bool fine = true;
    for (int i = 0; fine && i + 1 < count; i += 2)
        fine = add_pair(&lines, files[i], files[i + 1]);
    if (fine)
        fprintf(file, "%-26s %12s %11s %11s %-5s %8s %8s %8s %5s\n", "row", "size", "first",
                "second", "unit", "ratio", "lowest", "highest", "pairs");
    for (size_t i = 0; fine && i < lines.count; i++)
        print_line(file, &lines.all[i]);
    if (fine)
        fprintf(file, "ratio: of speeds, first over second; the median over pairs of files.\n");
    free_lines(&lines);
    return fine;
}

#else

bool report_compare(FILE *file, char **files, int count)
{
    (void)file;
    (void)files;
    (void)count;
    return report_json_exists();
}

#endif
