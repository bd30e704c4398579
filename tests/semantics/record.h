/* How a child process reports the steps of its case to the runner.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ORACLE_RECORD_H
#define ORACLE_RECORD_H

#include <stdio.h>

/* One line per report: a letter, a tab, the step, and for results a tab and the value.
 *   B step         the step begins
 *   V step value   the step's result
 *   P step value   the result of a step that left a lasting error; the child ends */
enum { EXIT_POISONED = 77, MAX_STEP = 200, MAX_VALUE = 200, MAX_KNOWN = 400 };

/* The step that a case records instead of the steps that the device cannot do. */
#define SKIPPED_STEP "(skipped)"

/* record_open: reports go to out; without a protocol they are plain rows of the case named. */
void record_open(FILE *out, const char *case_name, int protocol);

/* record_known: the step is not executed again, its value is this. At most MAX_KNOWN of them. */
void record_known(const char *step, const char *value);

#endif
