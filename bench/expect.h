/* Expected shapes: what the results of a seed row should be like, by class of device.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_EXPECT_H
#define CLEM_BENCH_EXPECT_H

#include "bench/pair.h"
#include "bench/seeds.h"
#include "bench/study.h"

/* Speeds are what is greater where the device is faster, whatever the unit. Where a selector names
 * several results, the fastest counts, but for SPREAD and FALLS. */
enum expect_kind {
    EXPECT_RATIO,  /* speed of the first over speed of the second */
    EXPECT_SPREAD, /* speed of the fastest over speed of the slowest of the first */
    EXPECT_FALLS,  /* along the "*" of the first: speed at its least over speed at its greatest, and
                    * nowhere much faster than at the point before */
    EXPECT_WORKS   /* all that the first names ran and gave right data */
};

struct expectation {
    const char *seed;
    enum device_class on;
    enum expect_kind kind;
    double low, high; /* what the ratio should lie between */
    const char *first, *second;
    const char *words;
};
extern const struct expectation expectations[];
extern const size_t expectation_count;

/* What one expectation comes to. The interval is of the ratio of medians, with 95 % confidence; of cells that were measured in
 * turn, of the median of the rounds' ratios (pair.h). */
struct finding {
    enum verdict verdict;
    bool measured;
    size_t rounds; /* in turn; 0: the cells were measured at times of their own */
    double low, ratio, high;
    const struct result *over, *under; /* of the ratio; NULL where there is none */
    char words[320];
};
void expectation_judge(const struct expectation *expectation, const struct device_report *device,
                       struct finding *finding);

/* The cells, as indexes of the device's results, in which a CPU was faster than it can be. Returns how many, no more than
 * room. */
size_t expectation_suspect_cells(const struct device_report *device, size_t *cells, size_t room);

/* The pairs of cells that should be measured in turn, or for longer, each once and without its rounds: the ratio's interval
 * lies across a bound, or beyond one without having been measured in turn. Returns how many, no more than room. */
size_t expectation_open_pairs(const struct device_report *device, struct pair *pairs, size_t room);

#endif
