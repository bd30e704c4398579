/* One-line messages on stderr when CLEM_TRACE is set.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRACE_H
#define OCL_TRACE_H

#include <stdbool.h>

/* Whether CLEM_TRACE is set; cheap enough for hot paths. */
bool ocl_trace_on(void);

/* Prints "clem: ..." with one newline, in one write, when tracing is on. */
void ocl_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Hands a message (for example a compiler's log) to whoever listens: the facade's log list, set once at start. */
typedef void ocl_log_listener(bool is_error, const char *message);
void ocl_trace_listen(ocl_log_listener *listener);

/* Sends a message to the listener, and to stderr when tracing is on. */
void ocl_log(bool is_error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sends an error to the listener, and to stderr unless CLEM_TRACE is 0: for what a program does not
 * see coming and its error code does not tell. */
void ocl_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line on stderr unless CLEM_TRACE is 0, and calls nobody: for what people should know that no
 * call of the program has failed for. */
void ocl_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
