/* Running studies: what is the same through the CUDA API, raw OpenCL and in plain C.
 * SPDX-License-Identifier: Apache-2.0
 *
 * study_run.c takes memory, fills, poisons, runs and checks; a contender says how through the
 * functions of struct study_side. */
#ifndef CLEM_BENCH_STUDY_RUN_H
#define CLEM_BENCH_STUDY_RUN_H

#include "bench/study.h"

/* So many sets of buffers are used in turn where one could stay in the cache. */
#define STUDY_SETS 2

struct study_run;

/* All but give and drop return false after attempt_fail. */
struct study_side {
    /* Takes memory for run->shot.buffers[index]. */
    bool (*take)(struct attempt *attempt, struct study_run *run, size_t set, size_t index);
    /* Accepts memory that was not taken. */
    void (*give)(struct study_run *run, size_t set, size_t index);
    bool (*write)(struct attempt *attempt, struct study_run *run, size_t set, size_t index,
                  size_t offset, const void *from, size_t bytes);
    bool (*read)(struct attempt *attempt, struct study_run *run, size_t set, size_t index,
                 void *to);
    /* Gets run->shot ready to be launched, and gives back what prepare took. */
    bool (*prepare)(struct attempt *attempt, struct study_run *run);
    void (*drop)(struct study_run *run);
    /* Queues one launch, and waits for all. */
    bool (*launch)(struct attempt *attempt, struct study_run *run, size_t set);
    bool (*finish)(struct attempt *attempt, struct study_run *run);
};

/* A contender's state begins with this. */
struct study_run {
    const struct study_side *side;
    struct cell cell;
    struct shot shot;
    int form; /* that shot describes; -1: none */
    size_t sets, next;
    size_t launches[STUDY_SETS]; /* since the last fill */
    /* What inputs hold that the study filled itself; NULL: the random words. */
    void *inputs[STUDY_BUFFERS];
};

/* The ways' functions: open wants attempt->state made and zeroed. */
bool study_open(struct attempt *attempt, const struct study_side *side);
bool study_poison(struct attempt *attempt);
bool study_verify(struct attempt *attempt);
/* Gives back all but the state itself. */
void study_close(struct study_run *run);
/* Runs a form of the study so often and waits. */
bool study_run_form(struct attempt *attempt, size_t form, size_t count);

/* One method for each form of a study, for the CUDA API and raw OpenCL. */
extern const struct method study_methods[];

/* Random words that stand for what a buffer without a fill holds, cached between tasks. Returns NULL
 * without memory. */
const void *study_words(size_t index, size_t bytes);

/* Give back what is kept from task to task: kernels, before a device is reset or changed; words, at
 * the end. */
void study_forget_kernels(void);
void study_forget_words(void);

extern const struct way cuda_study, raw_study, host_study;

#endif
