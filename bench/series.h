/* Statistics of a series of samples: median, percentiles and spread.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_SERIES_H
#define CLEM_BENCH_SERIES_H

#include <stdbool.h>
#include <stddef.h>

struct series {
    double *values;
    size_t count, room;
};

struct series_summary {
    size_t count;
    double median, best, p10, p90; /* best: the smallest, because samples are times */
    double mean;
    double cov; /* standard deviation / mean, 0 for fewer than two samples */
};

/* A zeroed struct is an empty series. add returns false when there is no memory. */
bool series_add(struct series *series, double value);
void series_free(struct series *series);

/* All values 0 for an empty series. */
struct series_summary series_summarize(const struct series *series);
double series_median(const struct series *series);
double series_cov(const struct series *series);

/* The value below which the given part (0 to 1) of sorted[0..count-1] lies, linear between
 * neighbours. Needs: count > 0. */
double series_percentile(const double *sorted, size_t count, double part);

/* Median of over[i] / under[i], the rounds that both have. 0 when there is none. */
double series_median_ratio(const struct series *over, const struct series *under);
double series_median_difference(const struct series *from, const struct series *minus);

#endif
