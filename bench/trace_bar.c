/* Holds what recording costs against its bars.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/trace_bar.h"

#include <math.h>
#include <stdbool.h>

#include "bench/pair.h"

static const double MOST_CALL_SECONDS = 0.3e-6, LEAST_RATE = 0.97, LONG_SECONDS = 1e-3;

/* The two fastest; the second is infinite where there is one alone. */
struct fastest {
    double first, second;
};

static struct fastest fastest_of(const double seconds[TRACE_MOST_ROUNDS])
{
    struct fastest fastest = {INFINITY, INFINITY};
    for (size_t i = 0; i < TRACE_MOST_ROUNDS; i++) {
        if (seconds[i] <= 0)
            continue;
        if (seconds[i] < fastest.first) {
            fastest.second = fastest.first;
            fastest.first = seconds[i];
        } else if (seconds[i] < fastest.second) {
            fastest.second = seconds[i];
        }
    }
    return fastest;
}

static bool is_measured(const struct fastest *fastest)
{
    return isfinite(fastest->first);
}

/* More seconds than this, or a smaller share. */
static enum trace_verdict verdict_of_call(const struct trace_interval *more)
{
    if (more->high <= MOST_CALL_SECONDS)
        return TRACE_WITHIN;
    return more->low > MOST_CALL_SECONDS ? TRACE_BEYOND : TRACE_OPEN;
}

static enum trace_verdict verdict_of_share(const struct trace_interval *share)
{
    if (share->low >= LEAST_RATE)
        return TRACE_WITHIN;
    return share->high < LEAST_RATE ? TRACE_BEYOND : TRACE_OPEN;
}

typedef double figure_of_round(double plain, double traced);

static double more_of(double plain, double traced)
{
    return traced - plain;
}

static double share_of(double plain, double traced)
{
    return plain / traced;
}

/* False: there are too few rounds. */
static bool find_median(const struct trace_row *row, figure_of_round *figure,
                        struct trace_interval *interval)
{
    double figures[TRACE_MOST_ROUNDS];
    struct pair_interval found;
    size_t count = 0;
    for (size_t i = 0; i < TRACE_MOST_ROUNDS; i++)
        if (row->seconds[TRACE_PLAIN][i] > 0 && row->seconds[TRACE_TRACED][i] > 0)
            figures[count++] = figure(row->seconds[TRACE_PLAIN][i], row->seconds[TRACE_TRACED][i]);
    if (!pair_interval(figures, count, &found))
        return false;
    *interval = (struct trace_interval){found.low, found.ratio, found.high};
    return true;
}

static enum trace_verdict both_of(enum trace_verdict one, enum trace_verdict other)
{
    if (one == other)
        return one;
    return (one == TRACE_WITHIN && other == TRACE_OPEN) ||
                   (one == TRACE_OPEN && other == TRACE_WITHIN)
               ? TRACE_WITHIN
               : TRACE_OPEN;
}

static enum trace_verdict judge_call(const struct trace_row *call, struct trace_interval *more)
{
    const struct fastest plain = fastest_of(call->seconds[TRACE_PLAIN]);
    const struct fastest traced = fastest_of(call->seconds[TRACE_TRACED]);
    if (!is_measured(&plain) || !is_measured(&traced))
        return TRACE_OPEN;
    *more = (struct trace_interval){traced.first - plain.second, traced.first - plain.first,
                                    traced.second - plain.first};
    const enum trace_verdict by_fastest = verdict_of_call(more);
    const bool has_median = find_median(call, more_of, more);
    return both_of(by_fastest, has_median ? verdict_of_call(more) : TRACE_OPEN);
}

/* False: a row that is not long, or was not measured both ways, says nothing. */
static bool judge_row(const struct trace_row *row, struct trace_interval *share,
                      enum trace_verdict *verdict)
{
    const struct fastest plain = fastest_of(row->seconds[TRACE_PLAIN]);
    const struct fastest traced = fastest_of(row->seconds[TRACE_TRACED]);
    if (!is_measured(&plain) || !is_measured(&traced) || plain.first < LONG_SECONDS)
        return false;
    *share = (struct trace_interval){plain.first / traced.second, plain.first / traced.first,
                                     plain.second / traced.first};
    const enum trace_verdict by_fastest = verdict_of_share(share);
    const bool has_median = find_median(row, share_of, share);
    *verdict = both_of(by_fastest, has_median ? verdict_of_share(share) : TRACE_OPEN);
    return true;
}

static enum trace_verdict graver(enum trace_verdict one, enum trace_verdict other)
{
    return one > other ? one : other;
}

struct trace_bar trace_judge(const struct trace_rounds *rounds)
{
    struct trace_bar bar = {TRACE_WITHIN, {0, 0, 0}, {0, 0, 0}};
    bar.verdict = judge_call(&rounds->call, &bar.more);
    for (size_t i = 0; i < TRACE_MOST_ROWS; i++) {
        struct trace_interval share;
        enum trace_verdict verdict;
        if (!judge_row(&rounds->others[i], &share, &verdict))
            continue;
        bar.verdict = graver(bar.verdict, verdict);
        if (bar.share.best == 0 || share.best < bar.share.best)
            bar.share = share;
    }
    return bar;
}
