/* Holds what recording costs against its bars.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/trace_bar.h"

#include <math.h>
#include <stdbool.h>

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

static enum trace_verdict verdict_of_call(const struct trace_row *call, struct trace_interval *more)
{
    const struct fastest plain = fastest_of(call->seconds[TRACE_PLAIN]);
    const struct fastest traced = fastest_of(call->seconds[TRACE_TRACED]);
    if (!is_measured(&plain) || !is_measured(&traced))
        return TRACE_OPEN;
    *more = (struct trace_interval){traced.first - plain.second, traced.first - plain.first,
                                    traced.second - plain.first};
    if (more->high <= MOST_CALL_SECONDS)
        return TRACE_WITHIN;
    return more->low > MOST_CALL_SECONDS ? TRACE_BEYOND : TRACE_OPEN;
}

/* A row that is not long, or was not measured both ways, says nothing. */
static bool share_of(const struct trace_row *row, struct trace_interval *share)
{
    const struct fastest plain = fastest_of(row->seconds[TRACE_PLAIN]);
    const struct fastest traced = fastest_of(row->seconds[TRACE_TRACED]);
    if (!is_measured(&plain) || !is_measured(&traced) || plain.first < LONG_SECONDS)
        return false;
    *share = (struct trace_interval){plain.first / traced.second, plain.first / traced.first,
                                     plain.second / traced.first};
    return true;
}

static enum trace_verdict verdict_of_share(const struct trace_interval *share)
{
    if (share->low >= LEAST_RATE)
        return TRACE_WITHIN;
    return share->high < LEAST_RATE ? TRACE_BEYOND : TRACE_OPEN;
}

static enum trace_verdict graver(enum trace_verdict one, enum trace_verdict other)
{
    return one > other ? one : other;
}

struct trace_bar trace_judge(const struct trace_rounds *rounds)
{
    struct trace_bar bar = {TRACE_WITHIN, {0, 0, 0}, {0, 0, 0}};
    bar.verdict = verdict_of_call(&rounds->call, &bar.more);
    for (size_t i = 0; i < TRACE_MOST_ROWS; i++) {
        struct trace_interval share;
        if (!share_of(&rounds->others[i], &share))
            continue;
        bar.verdict = graver(bar.verdict, verdict_of_share(&share));
        if (bar.share.best == 0 || share.best < bar.share.best)
            bar.share = share;
    }
    return bar;
}
