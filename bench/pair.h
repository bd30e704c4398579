/* Two cells that were measured in turn: the ratio of their speeds.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Speeds of a machine wander and jump between levels. Of two cells that were measured minutes apart, that is in the ratio; of
 * two samples that were taken one behind the other, it is not. So each round has a ratio of its own, and the median of these
 * counts, with an interval that supposes nothing about how they are distributed. */
#ifndef CLEM_BENCH_PAIR_H
#define CLEM_BENCH_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/bench.h"

enum { PAIR_OVER, PAIR_UNDER, PAIR_SIDES };
enum { PAIR_LEAST_ROUNDS = 15, PAIR_MOST_ROUNDS = 135 };

struct pair {
    size_t cells[PAIR_SIDES]; /* indexes of the device's results */
    size_t count;
    double seconds[PAIR_SIDES][PAIR_MOST_ROUNDS]; /* of a repetition, by round */
};

/* The median of some ratios, and between which of them it lies with 99 % confidence. */
struct pair_interval {
    double low, ratio, high;
};

/* ratios: sorted by this. False for fewer than nine, which say nothing at that confidence. */
bool pair_interval(double *ratios, size_t count, struct pair_interval *interval);

/* measure.c. Takes rounds, through the CUDA API alone, until the pair has that many or ten seconds are over. False where one
 * of the tasks cannot be done or gave wrong data: then the pair has no rounds. */
bool measure_pair(const struct task *const tasks[PAIR_SIDES], const struct device_facts *device,
                  const struct effort *effort, size_t rounds, struct pair *pair);

#endif
