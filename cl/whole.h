/* System calls carried through: one that a signal interrupts is made again, and one that did part of
 * its work goes on. Programs have handlers of their own, and not all ask for SA_RESTART.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_WHOLE_H
#define CL_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As open(), for this process alone: never inherited. */
int whole_open(const char *path, int flags, mode_t mode);
/* The open file under a number that no standard stream has: a program may run without those, and what any of its threads
 * says on stderr would be written into the file. file is closed where that takes another number; -1: errno says why. */
int whole_above_streams(int file);
/* How many bytes there were, fewer only at the end of what is read; -1: errno says why. */
ssize_t whole_read(int file, void *to, size_t bytes);
/* False: not all of it was written, and errno says why; no SIGPIPE or SIGXFSZ (ulimit -f) comes of it. */
bool whole_write(int file, const void *from, size_t bytes);
/* One write to stderr, so that lines of different threads stay apart. Where nobody reads it any more the text is lost.
 * errno is the caller's. */
void whole_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* All that is left to read, with a NUL behind it that *bytes does not count; the caller frees it.
 * NULL: errno says why. bytes may be NULL. */
char *whole_rest(int file, size_t *bytes);
/* False: its status went elsewhere, to a wait of the program's or with SIGCHLD ignored. It has ended,
 * and *status is 0. */
bool whole_wait(pid_t child, int *status);
/* Sleeps so long at least. */
void whole_pause(uint64_t nanoseconds);

#endif
