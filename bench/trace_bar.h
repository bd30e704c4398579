/* What recording costs, from rounds of measurements without and with it: within the bars, beyond them, or open.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_TRACE_BAR_H
#define CLEM_BENCH_TRACE_BAR_H

#include <stddef.h>

enum { TRACE_PLAIN, TRACE_TRACED, TRACE_WAYS };
enum { TRACE_LEAST_ROUNDS = 3, TRACE_MOST_ROUNDS = 15, TRACE_MOST_ROWS = 16 };

/* Seconds of a repetition without and with a trace, a number for each round; 0: not measured. */
struct trace_row {
    double seconds[TRACE_WAYS][TRACE_MOST_ROUNDS];
};

/* Two ways to bound a figure. Other work of the machine only adds: so the fastest of each way counts, and how far the second lies
 * from it says how well it is known; one round alone bounds nothing. From nine rounds on also the median of the rounds' own
 * figures, in which both ways were measured one behind the other, with its interval of 99 % (pair.h). Either may find the
 * bars kept; that they are not, both have to. The interval that is told is the second one where there is one. */
struct trace_interval {
    double low, best, high;
};

struct trace_rounds {
    struct trace_row call;                    /* does nearly nothing */
    struct trace_row others[TRACE_MOST_ROWS]; /* those of 1 ms and longer count */
};

enum trace_verdict { TRACE_WITHIN, TRACE_OPEN, TRACE_BEYOND };

struct trace_bar {
    enum trace_verdict verdict;
    struct trace_interval more; /* seconds that a call takes more; bar: 0.3 us */
    struct trace_interval
        share; /* of its rate that the slowest long row keeps; 0: no row is long; bar: 0.97 */
};

struct trace_bar trace_judge(const struct trace_rounds *rounds);

#endif
