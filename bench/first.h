/* What a run tells first: the peaks of a device's memory, fifteen patterns held against them, and the slowest.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_FIRST_H
#define CLEM_BENCH_FIRST_H

#include "bench/report.h"

enum {
    FIRST_PATTERNS = 15,
    FIRST_PEAKS = 4,
    FIRST_ROWS = FIRST_PEAKS + FIRST_PATTERNS,
    FIRST_WORST = 3
};

/* Of the device's memory, and over the link between the host and a GPU: each has a peak of its own. */
enum traffic { TRAFFIC_READ, TRAFFIC_WRITE, TRAFFIC_COPY, TRAFFIC_LINK, TRAFFICS };

/* What was measured of a row of first.def. */
struct first_measured {
    double rate;  /* GB/s; 0: nothing was measured */
    double bytes; /* of an array */
};

struct first_pattern {
    const char *words;
    double rate;       /* GB/s; 0: not measured */
    double share;      /* of its peak: at most 1; 0: not known */
    const char *why;   /* what makes it slow on this class of device */
    double translated; /* GB/s as CUDA C++ that clem translates; 0: not measured */
};

struct first {
    double
        peaks[TRAFFICS]; /* GB/s: the fastest of what was measured of arrays of `bytes`; 0: none */
    double bytes;        /* of the largest array that a peak was measured with; 0: none */
    double caches;       /* so many times the last cache; 0: not known */
    struct first_pattern patterns[FIRST_PATTERNS];
    size_t worst[FIRST_WORST]; /* the slowest by share, the slowest first */
    size_t worst_count;
};

/* Whether a run of the patterns alone has the task. */
bool first_takes(const struct task *task);

/* The results that a row is of, without their size (selector.h). */
const char *first_selector(size_t row);

/* What measurements say, which are in the order of first.def: the peaks, then the patterns. */
void first_weigh(const struct first_measured rows[FIRST_ROWS], bool is_cpu, double cache_bytes,
                 struct first *first);
/* What a device's results say. */
void first_judge(const struct device_report *device, struct first *first);

/* report_first.c: in twenty lines of at most 100 characters, and one more for each pattern that was measured as CUDA C++. Nothing
 * where no pattern was measured. */
void report_first(FILE *file, const struct device_report *device);

#endif
