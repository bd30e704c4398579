/* Whether this process may still call the driver.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROCESS_H
#define OCL_PROCESS_H

#include <stdbool.h>

/* True in a child made by fork() after OpenCL was started: the driver's threads and handles stayed
 * with the parent. */
bool ocl_process_is_forked(void);

/* True once exit handlers run: drivers take themselves apart in theirs, and some abort when they
 * are called later. */
bool ocl_process_is_exiting(void);

/* True a little earlier: once the process waits, at its end, for the work that it has left. */
bool ocl_process_is_ending(void);
void ocl_process_note_ending(void);

/* What exit() was called with; EXIT_FAILURE before, and where nobody noted it. Safe in handlers of signals. */
int ocl_process_status(void);
void ocl_process_note_status(int status);

/* Begins to watch for a fork and the end.
 * Order: after the driver has registered its own exit handlers, because handlers run in reverse
 *        order and ours must run first; calling it again later is harmless and puts ours in front
 *        again. */
void ocl_process_watch(void);

/* Whether the program has more rights than whoever started it (setuid, setgid, capabilities): then the
 * environment is somebody else's, and neither variables nor folders that it names are used. */
bool ocl_process_is_privileged(void);

#endif
