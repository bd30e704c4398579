/* Whether libclem gives commands to its queues between their begin and their end alone (cl/queue/command.h).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_COMMANDS_H
#define TESTS_FAULT_COMMANDS_H

/* An OpenCL function was called from caller to give queue a command. What the program itself enqueues is its own affair. */
void fault_check_command(const char *name, const void *queue, const void *caller);

/* A queue that was just created: libclem tells if it is one of its own. */
void fault_forget_queue(const void *queue);

/* The first function by which libclem gave a command to a queue outside begin and end; NULL: there was none. */
const char *fault_command_outside(void);

#endif
