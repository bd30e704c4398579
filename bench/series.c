/* Statistics of a series of samples.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/series.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool series_add(struct series *series, double value)
{
    if (series->count == series->room) {
        size_t room = series->room ? series->room * 2 : 32;
        double *values = realloc(series->values, room * sizeof *values);
        if (!values)
            return false;
        series->values = values;
        series->room = room;
    }
    series->values[series->count++] = value;
    return true;
}

void series_free(struct series *series)
{
    free(series->values);
    memset(series, 0, sizeof *series);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A sorted copy, or NULL when the series is empty or there is no memory. */
static double *sorted_copy(const struct series *series)
{
    if (series->count == 0)
        return NULL;
    double *sorted = malloc(series->count * sizeof *sorted);
    if (!sorted)
        return NULL;
    memcpy(sorted, series->values, series->count * sizeof *sorted);
    qsort(sorted, series->count, sizeof *sorted, compare_doubles);
    return sorted;
}

double series_percentile(const double *sorted, size_t count, double part)
{
    assert(count > 0);
    double position = part * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

static double mean_of(const struct series *series)
{
    double sum = 0;
    for (size_t i = 0; i < series->count; i++)
        sum += series->values[i];
    return series->count ? sum / (double)series->count : 0;
}

double series_cov(const struct series *series)
{
    double mean = mean_of(series), squares = 0;
    if (series->count < 2 || mean == 0)
        return 0;
    for (size_t i = 0; i < series->count; i++)
        squares += (series->values[i] - mean) * (series->values[i] - mean);
    return sqrt(squares / (double)(series->count - 1)) / fabs(mean);
}

struct series_summary series_summarize(const struct series *series)
{
    struct series_summary summary = {0};
    double *sorted = sorted_copy(series);
    if (!sorted)
        return summary;
    summary.count = series->count;
    summary.median = series_percentile(sorted, series->count, 0.5);
    summary.best = sorted[0];
    summary.p10 = series_percentile(sorted, series->count, 0.1);
    summary.p90 = series_percentile(sorted, series->count, 0.9);
    summary.mean = mean_of(series);
    summary.cov = series_cov(series);
    free(sorted);
    return summary;
}

double series_median(const struct series *series)
{
    return series_summarize(series).median;
}

double series_median_ratio(const struct series *over, const struct series *under)
{
    struct series ratios = {0};
    for (size_t i = 0; i < over->count && i < under->count; i++)
        if (under->values[i] > 0 && !series_add(&ratios, over->values[i] / under->values[i]))
            break;
    double median = series_median(&ratios);
    series_free(&ratios);
    return median;
}

double series_median_difference(const struct series *from, const struct series *minus)
{
    struct series differences = {0};
    for (size_t i = 0; i < from->count && i < minus->count; i++)
        if (!series_add(&differences, from->values[i] - minus->values[i]))
            break;
    double median = series_median(&differences);
    series_free(&differences);
    return median;
}
