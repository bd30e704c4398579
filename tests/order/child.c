/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void serve(struct child *child)
{
    char byte = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("CUDA_MODULE_LOADING", "EAGER",
           0); /* loading may wait for work, which waits for the caller */
    if (!interpreter_begin(&child->shared->facts, child->is_opencl, &child->shared->outcome) ||
        write(child->answers, &byte, 1) != 1)
        _exit(2);
    setenv("STUB_FAULT_ARMED", "1", 1); /* tests/stub/faulty.c, where that is in use */
    while (read(child->orders, &byte, 1) == 1) {
        interpret(&child->shared->program, &child->shared->outcome);
        if (write(child->answers, &byte, 1) != 1)
            break;
    }
    _exit(0);
}

bool child_start(struct child *child)
{
    int orders[2];
    int answers[2];
    if (pipe(orders) || pipe(answers))
        return false;
    fflush(NULL);
    child->id = fork();
    if (child->id < 0)
        return false;
    child->orders = orders[child->id == 0 ? 0 : 1];
    child->answers = answers[child->id == 0 ? 1 : 0];
    close(orders[child->id == 0 ? 1 : 0]);
    close(answers[child->id == 0 ? 0 : 1]);
    if (child->id == 0)
        serve(child);
    char byte;
    return read(child->answers, &byte, 1) == 1;
}

/* end: what became of the child. */
static int end(struct child *child, bool is_killed)
{
    int status = 0;
    if (!child->id)
        return 0;
    close(child->orders);
    if (is_killed)
        kill(child->id, SIGKILL);
    waitpid(child->id, &status, 0);
    close(child->answers);
    child->id = 0;
    return status;
}

void child_stop(struct child *child)
{
    end(child, false);
}

/* Before the process is killed; not again for each try of shrinking. */
static void look_at(const struct child *child)
{
    char command[1000];

    if (!child->look || child->patience_ms != PATIENCE_MS)
        return;
    if (snprintf(command, sizeof command, "%s %d >&2", child->look, (int)child->id) <
        (int)sizeof command)
        (void)!system(command);
}

static void run(struct child *child, const struct program *program)
{
    struct outcome *outcome = &child->shared->outcome;
    char byte = 0;

    child->shared->program = *program;
    outcome->is_wrong = true;
    outcome->command = -1;
    outcome->text[0] = 0;
    if (!child->id && !child_start(child)) {
        if (!outcome->text[0])
            snprintf(outcome->text, sizeof outcome->text, "no process: %s", strerror(errno));
        return;
    }
    struct pollfd wanted = {.fd = child->answers, .events = POLLIN};
    const bool is_sent = write(child->orders, &byte, 1) == 1;
    const int ready = is_sent ? poll(&wanted, 1, child->patience_ms) : -1;
    if (ready > 0 && read(child->answers, &byte, 1) == 1) {
        if (outcome->is_wrong)
            end(child, true);
        return;
    }
    if (ready == 0)
        look_at(child);
    const int status = end(child, ready == 0);
    outcome->is_wrong = true;
    if (ready == 0)
        snprintf(outcome->text, sizeof outcome->text, "no end after %d s",
                 child->patience_ms / 1000);
    else if (WIFSIGNALED(status))
        snprintf(outcome->text, sizeof outcome->text, "killed by signal %d", WTERMSIG(status));
    else if (!outcome->text[0])
        snprintf(outcome->text, sizeof outcome->text, "exit status %d", WEXITSTATUS(status));
}

bool child_fails(struct child *child, const struct program *program, int times)
{
    for (int i = 0; i < times; i++) {
        run(child, program);
        if (child->shared->outcome.is_wrong)
            return true;
    }
    return false;
}
