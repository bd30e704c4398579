/* What a run tells first: the peaks of a device's memory, fifteen patterns held against them, and the slowest.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_FIRST_H
#define CLEM_BENCH_FIRST_H

#include "bench/report.h"

enum { FIRST_PATTERNS = 15, FIRST_WORST = 3 };

/* Of the device's memory, each has a peak of its own. */
enum traffic { TRAFFIC_READ, TRAFFIC_WRITE, TRAFFIC_COPY, TRAFFICS };

struct first_pattern {
    const char *words;
    const struct result *result; /* the largest that was measured; NULL: none */
    double rate;                 /* GB/s; 0: not measured */
    double share;                /* of its peak: at most 1; 0: not known */
    const char *why;             /* what makes it slow on this class of device */
};

struct first {
    double
        peaks[TRAFFICS]; /* GB/s: the fastest of what was measured of arrays of `bytes`; 0: none */
    size_t bytes;        /* of the largest array that a peak was measured with */
    double caches;       /* so many times the last cache; 0: not known */
    struct first_pattern patterns[FIRST_PATTERNS];
    size_t worst[FIRST_WORST]; /* the slowest by share, the slowest first */
    size_t worst_count;
};

/* Whether a run of the patterns alone has the task. */
bool first_takes(const struct task *task);

/* What a device's results say. */
void first_judge(const struct device_report *device, struct first *first);

/* report_first.c: in twenty lines of at most 100 characters. Nothing where no pattern was measured. */
void report_first(FILE *file, const struct device_report *device);

#endif
