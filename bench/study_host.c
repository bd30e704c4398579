/* Studies in plain C on the host.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/study_run.h"

struct host_run {
    struct study_run run;
    void *memory[STUDY_SETS][STUDY_BUFFERS];
    const struct host_form *host;
};

static bool take(struct attempt *attempt, struct study_run *run, size_t set, size_t index)
{
    struct host_run *own = (struct host_run *)run;
    size_t bytes = run->shot.buffers[index].bytes;
    if (posix_memalign(&own->memory[set][index], 4096, bytes ? bytes : 1) == 0)
        return true;
    own->memory[set][index] = NULL;
    return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
}

static void give(struct study_run *run, size_t set, size_t index)
{
    struct host_run *own = (struct host_run *)run;
    free(own->memory[set][index]);
    own->memory[set][index] = NULL;
}

static bool write(struct attempt *attempt, struct study_run *run, size_t set, size_t index,
                  size_t offset, const void *from, size_t bytes)
{
    (void)attempt;
    memcpy((char *)((struct host_run *)run)->memory[set][index] + offset, from, bytes);
    return true;
}

static bool read(struct attempt *attempt, struct study_run *run, size_t set, size_t index, void *to)
{
    (void)attempt;
    memcpy(to, ((struct host_run *)run)->memory[set][index], run->shot.buffers[index].bytes);
    return true;
}

static bool prepare(struct attempt *attempt, struct study_run *run)
{
    (void)attempt;
    (void)run;
    return true;
}

static void drop(struct study_run *run)
{
    (void)run;
}

static bool launch(struct attempt *attempt, struct study_run *run, size_t set)
{
    struct host_run *own = (struct host_run *)run;
    (void)attempt;
    own->host->run(&run->cell, &run->shot, own->memory[set]);
    return true;
}

static bool finish(struct attempt *attempt, struct study_run *run)
{
    (void)attempt;
    (void)run;
    return true;
}

static const struct study_side side = {take, give, write, read, prepare, drop, launch, finish};

static bool open_study(struct attempt *attempt)
{
    attempt->state = calloc(1, sizeof(struct host_run));
    return study_open(attempt, &side);
}

static void close_study(struct attempt *attempt)
{
    study_close(attempt->state);
    free(attempt->state);
}

static bool run_host(struct attempt *attempt, size_t number, size_t count)
{
    struct host_run *own = attempt->state;
    own->host = &own->run.cell.study->hosts[number];
    return study_run_form(attempt, own->host->form, count);
}

static bool host_suits(const struct attempt *attempt, size_t number)
{
    const struct study *study = attempt->task->row->study;
    const struct cell cell = task_cell(attempt->task, attempt->device);
    for (size_t i = 0; i <= number; i++)
        if (!study->hosts[i].name)
            return false;
    return !study->hosts[number].suits || study->hosts[number].suits(&cell);
}

#define HOST(number)                                                                               \
    static bool run_##number(struct attempt *attempt, size_t count)                                \
    {                                                                                              \
        return run_host(attempt, number, count);                                                   \
    }                                                                                              \
    static bool suits_##number(const struct attempt *attempt)                                      \
    {                                                                                              \
        return host_suits(attempt, number);                                                        \
    }
HOST(0)
HOST(1)
HOST(2)
HOST(3)

static const struct method methods[] = {{"0", suits_0, run_0},
                                        {"1", suits_1, run_1},
                                        {"2", suits_2, run_2},
                                        {"3", suits_3, run_3},
                                        {NULL, NULL, NULL}};

const struct way host_study = {open_study, study_poison, study_verify, close_study, methods};
