/* The command line.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_OPTIONS_H
#define CLEM_BENCH_OPTIONS_H

#include "bench/plan.h"

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_SHARE /* a file only */ };
enum action {
    ACTION_RUN,
    ACTION_LIST,
    ACTION_LIST_DEVICES,
    ACTION_SEED_ROWS,
    ACTION_COMPARE,
    ACTION_REPORT,
    ACTION_HELP,
    ACTION_VERSION
};

struct options {
    enum action action;
    enum mode mode;
    enum format format;
    const char *device, *filter;
    const char *devices; /* those of earlier: names, each between line ends; NULL: all */
    const char *output, *csv, *json, *share; /* files; NULL: none, output: standard output */
    char **files;                            /* what --compare compares, or report shows */
    int file_count;
    bool has_mode;       /* one was given */
    bool wants_tables;   /* the text has all results, not only what a run tells first */
    const char *earlier; /* the run that this one is compared with, or NULL */
    char command[512];   /* how the program was called; cut off where it is longer */
};

/* False after a message on stderr. */
bool options_parse(struct options *options, int argc, char **argv);
void options_help(void);

#endif
