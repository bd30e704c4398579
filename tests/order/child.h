/* The process that runs programs, so that one that crashes or never ends is a finding as well.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_CHILD_H
#define ORDER_CHILD_H

#include <sys/types.h>

#include "interpret.h"

/* A program that takes longer never ends; one that was seen not to end is given less. */
enum { PATIENCE_MS = 30000, SHORT_PATIENCE_MS = 4000 };

/* What both processes see. */
struct shared {
    struct program program;
    struct outcome outcome;
    struct facts facts;
};

struct child {
    pid_t id;
    int orders, answers; /* pipes, a byte for a program */
    int patience_ms;
    bool is_opencl;
    const char *look; /* a command that gets the number of a process that never ends, or NULL */
    struct shared *shared;
};

/* child_start: the caller has not called CUDA. False with the reason in the outcome. */
bool child_start(struct child *child);

void child_stop(struct child *child);

/* child_fails: runs the program up to so many times; whether one was wrong, which is in the outcome. The child is started
 * where there is none, and not used again after a finding. */
bool child_fails(struct child *child, const struct program *program, int times);

#endif
