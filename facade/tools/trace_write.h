/* The forms that a trace is written in. Private to facade/tools/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TOOLS_TRACE_WRITE_H
#define FACADE_TOOLS_TRACE_WRITE_H

#include <stdio.h>

#include "facade/tools/trace_read.h"

/* Perfetto's protobuf. first_sequence: sequences have the numbers from there on; returns the next one. Traces of several
 * processes that follow each other in a file, with numbers of their own, are one trace. */
uint32_t trace_write_perfetto(const struct trace *trace, FILE *to, uint32_t first_sequence);

/* Appends a file that trace_write_perfetto() wrote, with other numbers; 0: it is none. */
uint32_t trace_append_perfetto(const char *path, FILE *to, uint32_t first_sequence);

/* Chrome's JSON: an array, one event a line, opened and closed by the caller. */
void trace_write_json(const struct trace *trace, FILE *to, bool is_first);

/* Where time went. peaks: what copies of a kind can reach at best, in bytes a second; 0: not known. */
enum trace_summary_form { TRACE_TEXT, TRACE_CSV, TRACE_JSON };
enum trace_peak { TRACE_PEAK_TO_DEVICE, TRACE_PEAK_TO_HOST, TRACE_PEAK_WITHIN, TRACE_PEAKS };
bool trace_summarize(const struct trace *trace, FILE *to, enum trace_summary_form form,
                     const double peaks[TRACE_PEAKS], bool is_first);

/* What stands behind the summaries of all processes, of which there may be none. is_first: there was none. JSON is one array
 * with an object for each process. */
void trace_end_summary(FILE *to, enum trace_summary_form form, bool is_first);

#endif
