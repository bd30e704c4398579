/* clem-run --trace, --summary and --merge. Private to facade/tools/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TOOLS_TRACE_RUN_H
#define FACADE_TOOLS_TRACE_RUN_H

#include <stdbool.h>

#include "facade/tools/trace_write.h"

struct trace_wishes {
    const char *trace; /* the file, by whose ending its form is chosen; NULL: none */
    bool has_summary;
    enum trace_summary_form summary;
    const char *summary_file; /* NULL: stderr */
    const char *after;        /* seconds, or "profiler"; NULL: from the start on */
    const char *most_mb;      /* NULL: as much as libclem takes by itself */
    bool is_api_only;
};

/* Reads --summary's value: "text", "csv" or "json", and a file behind a colon. */
bool trace_read_summary(struct trace_wishes *wishes, const char *value);

/* Runs the program in a process of its own, and writes what it and its children did once it has ended. Signals that would
 * end clem-run go to it instead. Returns its exit status; where a signal ended it, clem-run ends by the same. */
int trace_run(const struct trace_wishes *wishes, const char *path, char **argv, bool is_elf);

/* Joins traces of one form, or what killed processes left, into one. Returns the exit status. */
int trace_merge(char *const *files, int count);

#endif
