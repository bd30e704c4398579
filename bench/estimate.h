/* How long a run is going to take: guessed from the effort, corrected by what cells took so far.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_ESTIMATE_H
#define CLEM_BENCH_ESTIMATE_H

#include "bench/bench.h"

struct estimate {
    double left;           /* predicted seconds of cells that have not been measured */
    double done, measured; /* predicted and true seconds of those that have been */
};

/* Predicted seconds of one cell. */
double estimate_task(const struct task *task, const struct effort *effort);

void estimate_add(struct estimate *estimate, double predicted);
/* One of the cells that were added took so many seconds; skipped: none, it is not measured. */
void estimate_done(struct estimate *estimate, double predicted, double seconds);
void estimate_skip(struct estimate *estimate, double predicted);
double estimate_left(const struct estimate *estimate);

/* "2 h 05 min", "12 min", "40 s" */
void estimate_text(char out[32], double seconds);

#endif
