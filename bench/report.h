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
};

struct report {
    const char *runtime, *program;
    const char *mode;
    char date[32];                  /* UTC, ISO 8601 */
    double load_before, load_after; /* one-minute averages */
    long host_cores;
    size_t host_memory_bytes;
    struct device_report *devices;
    size_t device_count;
};

/* report_text.c. text_size: "4 KiB", "3000 B", with room for 24 characters. */
void report_text(FILE *file, const struct report *report);
void text_size(char out[24], size_t bytes);

/* report_csv.c. csv_field writes one field, quoted where RFC 4180 asks for it. */
void report_csv(FILE *file, const struct report *report);
void csv_field(FILE *file, const char *text);

/* report_json.c. False without memory; both say so when the program was built without a JSON
 * library. */
bool report_json(FILE *file, const struct report *report);
bool report_json_exists(void);

/* compare.c: medians of the ratios between files A and B, A2 and B2, ... True when they could be
 * read. */
bool report_compare(FILE *file, char **files, int count);

/* What a row varies over, as text: its size, its row bytes, its live allocations or "". */
void variable_of(char out[24], const struct task *task);

#endif
