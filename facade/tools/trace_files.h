/* The files that clem-run writes and joins. Private to facade/tools/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TOOLS_TRACE_FILES_H
#define FACADE_TOOLS_TRACE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Whether the file's ending is one of those that traces have. */
bool trace_has_form(const char *file);

/* The ending of such a file. */
const char *trace_ending(const char *file);

/* Whether a file can be made at this path; else errno says why not. */
bool trace_can_be_at(const char *path);

/* A file that is written to, by its ending packed or not. */
struct trace_output {
    FILE *file;
    pid_t gzip; /* that writes the file from what file gives it; or 0 */
};

/* Both say on stderr what went wrong. */
bool trace_open_output(struct trace_output *output, const char *path);
bool trace_close_output(struct trace_output *output, const char *path);

/* Writes one trace of all these: traces of the form that path has, and what libclem wrote (OCL_SPOOL_SUFFIX). False after a
 * line on stderr, where one of them cannot be read or not all be written; the others are in it. */
bool trace_join(const char *path, char *const *files, size_t count);

/* Says on stderr how many records there was no room for, if any. */
struct trace;
void trace_tell_lost(const struct trace *trace);

/* What libclem wrote of a run, that is files whose names begin with stem and a dot. */
struct trace_spool {
    unsigned long long process;
    unsigned part; /* of those of one process: after an exec a new one begins */
    char *path;
};

/* Those of a process stand together, in order. *spools is the caller's to give back. False without memory, or after a line
 * on stderr. */
bool trace_find_spools(const char *stem, struct trace_spool **spools, size_t *count);
void trace_free_spools(struct trace_spool *spools, size_t count);

#endif
