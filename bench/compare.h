/* Whether a row moved between two runs, or only its samples spread.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_COMPARE_H
#define CLEM_BENCH_COMPARE_H

#include "bench/plan.h"
#include "bench/saved.h"

enum moved { MOVED_NOT, MOVED_SLOWER, MOVED_FASTER };

/* Moved: the runs' intervals from the 10th to the 90th percentile have nothing in common, and the
 * ratio of the medians is outside of two standard deviations of both runs together (at least 3 %). */
enum moved compare_moved(const struct saved_value *before, const struct saved_value *now);

/* What it takes to measure again what a saved run measured. */
struct again {
    enum mode mode;
    char *filter;  /* its rows that filter takes, as plan_takes() reads it */
    char *devices; /* their names, each between line ends */
};

/* mode: left as it is when the run's is none of this program's. False after a message when the file
 * cannot be read. Owns: again_free(), in any case. */
bool again_read(const char *path, const char *filter, struct again *again);
void again_free(struct again *again);

#endif
