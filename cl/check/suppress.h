/* Which reports the user's file takes away. Private to check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SUPPRESS_H
#define OCL_SUPPRESS_H

#include <stdbool.h>

struct ocl_report;

/* Reads --suppressions=FILE once, and complains where it cannot be read or a line is none. A line is CHECK:PATTERN: a word of
 * check.def or *, and text with * and ? in it that stands in the report's sentence, in a line of it, or in a frame of one of its stacks.
 * Empty lines and what begins with # say nothing. */
void ocl_suppress_read(const char *path);

/* may_allocate: false in handlers of signals, where names of C++'s match as they are alone. */
bool ocl_suppress_has(const struct ocl_report *report, bool may_allocate);

#endif
