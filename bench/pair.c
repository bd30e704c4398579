/* The interval of a median of ratios.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/pair.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 9 };

static int compare_doubles(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* How many of the smallest, and of the largest, lie outside. As many ratios as not are below the median of all there could be:
 * how many are is a binomial number, whose deviation is half the root of the count; 2.58 of these leave one in a hundred. */
static size_t outside_of(size_t count)
{
    return (size_t)(((double)count - 2.5758 * sqrt((double)count)) / 2);
}

bool pair_interval(double *ratios, size_t count, struct pair_interval *interval)
{
    if (count < LEAST)
        return false;
    const size_t outside = outside_of(count);
    qsort(ratios, count, sizeof *ratios, compare_doubles);
    *interval =
        (struct pair_interval){ratios[outside], (ratios[(count - 1) / 2] + ratios[count / 2]) / 2,
                               ratios[count - 1 - outside]};
    return true;
}
