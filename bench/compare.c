/* Ratios between saved runs, row by row; and what moved since an earlier run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/compare.h"

#include <math.h>
#include <stdlib.h>

#include "bench/measure_run.h"

/* Rows move by this much for no reason, however steady each run was in itself. */
#define LEAST_NOISE 0.03

enum moved compare_moved(const struct saved_value *before, const struct saved_value *now)
{
    if (!before->method || !now->method || before->seconds <= 0 || now->seconds <= 0)
        return MOVED_NOT;
    /* Two deviations of the difference between the runs. */
    double noise = 2 * sqrt(before->cov * before->cov + now->cov * now->cov);
    double change = log(now->seconds / before->seconds);
    if (fabs(change) <= log1p(noise > LEAST_NOISE ? noise : LEAST_NOISE))
        return MOVED_NOT;
    if (now->p10 > before->p90)
        return MOVED_SLOWER;
    return now->p90 < before->p10 ? MOVED_FASTER : MOVED_NOT;
}

#ifdef CLEM_BENCH_JSON
#include <cjson/cJSON.h>
#include <string.h>

/* One row of the files: the values and the ratio of each pair. result: of the first file. */
struct line {
    char name[64], variable[VARIABLE_BYTES], unit[8];
    struct series first, second, ratios;
};

struct lines {
    struct line *all;
    size_t count;
};

static struct line *line_for(struct lines *lines, const struct saved_result *result)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->all[i].name, result->row) == 0 &&
            strcmp(lines->all[i].variable, result->variable) == 0)
            return &lines->all[i];
    struct line *all = realloc(lines->all, (lines->count + 1) * sizeof *all);
    if (!all)
        return NULL;
    lines->all = all;
    struct line *line = &all[lines->count++];
    memset(line, 0, sizeof *line);
    snprintf(line->name, sizeof line->name, "%s", result->row);
    snprintf(line->variable, sizeof line->variable, "%s", result->variable);
    snprintf(line->unit, sizeof line->unit, "%s", result->unit);
    return line;
}

static bool add_row(struct lines *lines, const struct saved_result *first,
                    const struct saved_result *second)
{
    const struct saved_value *a = &first->by[BY_CUDA], *b = second ? &second->by[BY_CUDA] : NULL;
    if (!b || a->seconds <= 0 || b->seconds <= 0)
        return true;
    struct line *line = line_for(lines, first);
    return line && series_add(&line->first, a->median) && series_add(&line->second, b->median) &&
           series_add(&line->ratios, b->seconds / a->seconds);
}

/* Runs of one device each are compared whatever their devices are called. */
static const struct saved_result *partner(const struct saved *of, const struct saved *in,
                                          const struct saved_result *result)
{
    bool alone = of->device_count == 1 && in->device_count == 1;
    return saved_find(in, alone ? in->devices[0].index : result->device, result);
}

static bool add_pair(struct lines *lines, const char *first_path, const char *second_path)
{
    struct saved first, second = {0};
    bool fine =
        saved_read(first_path, &first) == SAVED_OK && saved_read(second_path, &second) == SAVED_OK;
    for (size_t i = 0; fine && i < first.result_count; i++)
        fine = add_row(lines, &first.results[i], partner(&first, &second, &first.results[i]));
    saved_free(&first);
    saved_free(&second);
    return fine;
}

static int widest(const struct lines *lines)
{
    size_t width = 12;
    for (size_t i = 0; i < lines->count; i++)
        if (strlen(lines->all[i].variable) > width)
            width = strlen(lines->all[i].variable);
    return (int)width;
}

static void print_line(FILE *file, const struct line *line, int width)
{
    struct series_summary ratios = series_summarize(&line->ratios);
    double most = 0;
    for (size_t i = 0; i < line->ratios.count; i++)
        most = line->ratios.values[i] > most ? line->ratios.values[i] : most;
    fprintf(file, "%-26s %*s %11.3f %11.3f %-5s %8.3f %8.3f %8.3f %5zu\n", line->name, width,
            line->variable, series_median(&line->first), series_median(&line->second), line->unit,
            ratios.median, ratios.best, most, ratios.count);
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

bool report_compare(FILE *file, char **files, int count, size_t *compared)
{
    struct lines lines = {0};
    bool fine = true;
    for (int i = 0; fine && i + 1 < count; i += 2)
        fine = add_pair(&lines, files[i], files[i + 1]);
    int width = widest(&lines);
    if (fine)
        fprintf(file, "%-26s %*s %11s %11s %-5s %8s %8s %8s %5s\n", "row", width, "size", "first",
                "second", "unit", "ratio", "lowest", "highest", "pairs");
    for (size_t i = 0; fine && i < lines.count; i++)
        print_line(file, &lines.all[i], width);
    if (fine)
        fprintf(file, "ratio: of speeds, first over second; the median over pairs of files.\n");
    *compared = lines.count;
    free_lines(&lines);
    return fine;
}

/* The earlier run's device of the same name. */
static const struct saved_device *same_device(const struct saved *earlier,
                                              const struct saved_device *device)
{
    for (size_t i = 0; i < earlier->device_count; i++)
        if (strcmp(earlier->devices[i].name, device->name) == 0)
            return &earlier->devices[i];
    return NULL;
}

static void print_moved(FILE *file, const struct saved_result *before,
                        const struct saved_result *now, enum moved moved)
{
    const struct saved_value *a = &before->by[BY_CUDA], *b = &now->by[BY_CUDA];
    fprintf(file, "  %-24s %-36s %11.3f -> %11.3f %-5s %6.2f times as fast: %s\n", now->row,
            now->variable, a->median, b->median, now->unit, a->seconds / b->seconds,
            moved == MOVED_SLOWER ? "SLOWER" : "faster");
}

struct tally {
    size_t compared, slower, faster, without;
};

static void compare_device(FILE *file, const struct saved *earlier, const struct saved *now,
                           const struct saved_device *device, struct tally *tally)
{
    const struct saved_device *before = same_device(earlier, device);
    fprintf(file, "\n== moved since %s, %s (%s): %s\n", earlier->date, earlier->path,
            earlier->runtime, device->name);
    if (!before) {
        fprintf(file, "  that run has no device of this name\n");
        return;
    }
    if (strcmp(before->driver, device->driver) != 0)
        fprintf(file, "  the driver was %s, now it is %s\n", before->driver, device->driver);
    for (size_t i = 0; i < now->result_count; i++) {
        const struct saved_result *result = &now->results[i];
        if (result->device != device->index)
            continue;
        const struct saved_result *old = saved_find(earlier, before->index, result);
        if (!old || !old->by[BY_CUDA].method || !result->by[BY_CUDA].method) {
            tally->without += result->unit[0] != '\0';
            continue;
        }
        enum moved moved = compare_moved(&old->by[BY_CUDA], &result->by[BY_CUDA]);
        tally->compared++;
        tally->slower += moved == MOVED_SLOWER;
        tally->faster += moved == MOVED_FASTER;
        if (moved != MOVED_NOT)
            print_moved(file, old, result, moved);
    }
}

static void list_rows(FILE *list, const struct saved *earlier, const char *filter)
{
    for (size_t i = 0; i < earlier->result_count; i++) {
        const char *row = earlier->results[i].row;
        if (plan_takes(filter, row) && (i == 0 || strcmp(row, earlier->results[i - 1].row) != 0))
            fprintf(list, "=%s,", row);
    }
}

/* What `write` prints, or NULL without memory. */
static char *list_of(void (*write)(FILE *, const struct saved *, const char *),
                     const struct saved *earlier, const char *filter)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *list = open_memstream(&text, &bytes);
    if (!list)
        return NULL;
    write(list, earlier, filter);
    if (fclose(list) == 0)
        return text;
    free(text);
    return NULL;
}

static void list_devices(FILE *list, const struct saved *earlier, const char *filter)
{
    (void)filter;
    for (size_t i = 0; i < earlier->device_count; i++)
        fprintf(list, "\n%s", earlier->devices[i].name);
    fputc('\n', list);
}

bool again_read(const char *path, const char *filter, struct again *again)
{
    struct saved earlier;
    bool read = saved_read(path, &earlier) == SAVED_OK;
    for (int i = MODE_FIRST; read && i <= MODE_FULL; i++)
        if (strcmp(mode_name((enum mode)i), earlier.mode) == 0)
            again->mode = (enum mode)i;
    again->filter = read ? list_of(list_rows, &earlier, filter) : NULL;
    again->devices = read ? list_of(list_devices, &earlier, NULL) : NULL;
    saved_free(&earlier);
    return again->filter && again->devices;
}

bool report_moved(FILE *file, const char *path, const struct report *report, size_t *slower,
                  size_t *compared)
{
    struct saved earlier, now = {0};
    struct tally tally = {0};
    bool fine =
        saved_read(path, &earlier) == SAVED_OK && saved_take(report_json_object(report), &now);
    for (size_t i = 0; fine && i < now.device_count; i++)
        compare_device(file, &earlier, &now, &now.devices[i], &tally);
    if (fine)
        fprintf(file,
                "%zu rows compared: %zu slower and %zu faster by more than their noise; %zu have "
                "no partner.\n",
                tally.compared, tally.slower, tally.faster, tally.without);
    *slower = tally.slower;
    *compared = tally.compared;
    saved_free(&earlier);
    saved_free(&now);
    return fine;
}

#else

bool report_compare(FILE *file, char **files, int count, size_t *compared)
{
    *compared = 0;
    (void)file;
    (void)files;
    (void)count;
    return report_json_exists();
}

bool again_read(const char *path, const char *filter, struct again *again)
{
    (void)path;
    (void)filter;
    (void)again;
    return report_json_exists();
}

bool report_moved(FILE *file, const char *path, const struct report *report, size_t *slower,
                  size_t *compared)
{
    (void)file;
    (void)path;
    (void)report;
    *slower = *compared = 0;
    return report_json_exists();
}

#endif

void again_free(struct again *again)
{
    free(again->filter);
    free(again->devices);
}
