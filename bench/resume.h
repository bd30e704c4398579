/* What a long run has measured so far, in a file beside the one it is going to write.
 * SPDX-License-Identifier: Apache-2.0
 *
 * FILE.part has one JSON object a line: a result as the report has it, and whose it is. Each is
 * written as soon as its cell is measured, so that whatever ends the run loses one cell at most. */
#ifndef CLEM_BENCH_RESUME_H
#define CLEM_BENCH_RESUME_H

#include "bench/report.h"

struct resume {
    FILE *file; /* NULL: nothing is kept */
    char path[4096];
    const char *runtime, *mode;
    struct resume_cell *cells;
    size_t count;
};

/* Reads path.part, where there is one, and opens it for more. Lines that are not whole are passed
 * over, and so are those of other runtimes, versions and modes. False after a message when the file
 * cannot be written, or without memory. */
bool resume_open(struct resume *resume, const char *path, const char *runtime, const char *mode);

/* Fills result with what an earlier start measured for this task on this device and driver, unless
 * that was an error. Its text lives until resume_close. */
bool resume_find(const struct resume *resume, const struct device_facts *device,
                 const struct task *task, struct result *result);
/* How many of the tasks resume_find has. */
size_t resume_count(const struct resume *resume, const struct device_facts *device,
                    const struct task *tasks, size_t count);

void resume_add(struct resume *resume, const struct device_facts *device,
                const struct result *result);

/* done: the report has been written, so the file goes. */
void resume_close(struct resume *resume, bool done);

#endif
