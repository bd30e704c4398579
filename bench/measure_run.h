/* A whole run: every task of every chosen device, one after the other.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_MEASURE_RUN_H
#define CLEM_BENCH_MEASURE_RUN_H

#include "bench/options.h"
#include "bench/report.h"
#include "bench/resume.h"

/* Measures the first `devices` devices, as far as options choose them, and tells on standard error
 * how far it is. Cells that resume has are not measured again; those that are measured are added to
 * it. SIGINT and SIGTERM end it after the cell that is being measured, the second one at once:
 * *stopped is the signal, or 0. Owns: run_free, in any case; some text is resume's. False without memory. */
bool run_measure(const struct options *options, int devices, struct resume *resume,
                 struct report *report, int *stopped);
void run_free(struct report *report);

#endif
