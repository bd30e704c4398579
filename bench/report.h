/* What a run found, and its three forms on paper.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_REPORT_H
#define CLEM_BENCH_REPORT_H

#include <stdio.h>

#include "bench/bench.h"

struct device_report {
    struct device_facts facts;
    struct result *results;
    size_t count;
    /* What left verdicts open, measured in turn. */
    struct pair *pairs;
    size_t pair_count;
    /* Other programs wanted the host's cores as well: times of minutes apart say little. */
    bool host_was_busy;
};

struct report {
    const char *runtime, *program;
    const char *mode;
    bool has_tables;                /* the text has all results, and not only what is told first */
    const char *command;            /* how the program was called */
    char date[32];                  /* UTC, ISO 8601 */
    double load_before, load_after; /* one-minute averages */
    long host_cores;
    size_t host_memory_bytes;
    struct device_report *devices;
    size_t device_count;
};

/* report_text.c: what is told first, then the tables. text_size: "4 KiB", "3000 B", with room for 24 characters. */
void report_text(FILE *file, const struct report *report);
void text_size(char out[24], size_t bytes);

/* report_csv.c. csv_field writes one field, quoted where RFC 4180 asks for it. */
void report_csv(FILE *file, const struct report *report);
void csv_field(FILE *file, const char *text);

/* report_json.c. False without memory; both say so when the program was built without a JSON
 * library. */
bool report_json(FILE *file, const struct report *report);
bool report_json_exists(void);
#ifdef CLEM_BENCH_JSON
struct cJSON;
/* The report, or one of its results, as objects. Owns: the caller deletes them. */
struct cJSON *report_json_object(const struct report *report);
/* Writes and deletes the object, with lines and indents or all in one line. False without memory. */
bool report_json_write(FILE *file, struct cJSON *object, bool is_for_people);
struct cJSON *report_json_result(const struct device_facts *facts, const struct result *result);
#endif

/* report_share.c: the patterns of first.def and what the devices are, without command, paths, reasons and loads. As
 * report_json. */
bool report_share(FILE *file, const struct report *report);

/* compare.c: medians of the ratios between files A and B, A2 and B2, ... compared: how many rows
 * they share. False after a message when they cannot be read. */
bool report_compare(FILE *file, char **files, int count, size_t *compared);
/* Lists which rows of this run moved, against an earlier run's file, by more than their noise.
 * slower, compared: how many of them are slower now, and how many both have. False after a message
 * when the file cannot be read. */
bool report_moved(FILE *file, const char *earlier, const struct report *report, size_t *slower,
                  size_t *compared);

#define VARIABLE_BYTES 128
/* What a row varies over, in the text that together with the row's name identifies a result: its
 * size, its row bytes, its live allocations, a study's "offset=11 form=idiom", or "". */
void variable_of(char out[VARIABLE_BYTES], const struct task *task);
/* One thing that a task varies over: a study's parameter, or "size", "row" (bytes of one) or "live"
 * of other rows. word: NULL where the value is a number. */
struct task_parameter {
    const char *name, *word;
    double number;
};
/* False from the first index on that it has no parameter for. */
bool task_parameter(const struct task *task, size_t index, struct task_parameter *parameter);
/* "idiom" for a study's first form whatever its name, another form's name, "best", or "". */
const char *form_of(const struct task *task);

#endif
