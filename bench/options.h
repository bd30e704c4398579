/* The command line.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_OPTIONS_H
#define CLEM_BENCH_OPTIONS_H

#include "bench/plan.h"

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };
enum action {
    ACTION_RUN,
    ACTION_LIST,
    ACTION_LIST_DEVICES,
    ACTION_COMPARE,
    ACTION_HELP,
    ACTION_VERSION
};

struct options {
    enum action action;
    enum mode mode;
    enum format format;
    const char *device, *filter;
    const char *output, *csv, *json; /* files; NULL: none, output: standard output */
    char **files;                    /* what --compare compares */
    int file_count;
};

/* False after a message on stderr. */
bool options_parse(struct options *options, int argc, char **argv);
void options_help(void);

#endif
