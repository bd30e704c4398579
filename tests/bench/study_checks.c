/* Tests that the checks of studies see wrong outputs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "bench/device.h"
#include "bench/plan.h"
#include "bench/study_run.h"

#define SMALL_BYTES ((size_t)256 << 10)
#define FLIPS       30
#define FILTER      "local,reduce,histogram,atomic,fence,transpose,block"

/* What a form left in memory after one launch, and what it was given. */
struct outcome {
    const void *memory[STUDY_BUFFERS];
    void *outputs[STUDY_BUFFERS];
};

static void read_outcome(struct attempt *attempt, struct outcome *outcome)
{
    struct study_run *run = attempt->state;
    memset(outcome, 0, sizeof *outcome);
    for (size_t i = 0; i < run->shot.buffer_count; i++) {
        const size_t bytes = run->shot.buffers[i].bytes;
        outcome->outputs[i] = malloc(bytes);
        assert_non_null(outcome->outputs[i]);
        assert_true(run->side->read(attempt, run, 0, i, outcome->outputs[i]));
        outcome->memory[i] = outcome->outputs[i];
    }
}

static void free_outcome(struct outcome *outcome)
{
    for (size_t i = 0; i < STUDY_BUFFERS; i++)
        free(outcome->outputs[i]);
}

/* How many wrong bytes, in places all over the outputs, the study's check does not see. */
static size_t unseen_bytes(const struct study_run *run, const struct outcome *outcome)
{
    size_t unseen = 0;
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < run->shot.buffer_count; i++) {
        unsigned char *output = outcome->outputs[i];
        for (size_t k = 0; run->shot.buffers[i].role == BUFFER_OUT && k < FLIPS; k++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            const size_t place = (random >> 8) % run->shot.buffers[i].bytes;
            output[place] ^= 0x10;
            unseen +=
                run->cell.study->check(&run->cell, &run->shot, outcome->memory, 1) == PATTERN_FINE;
            output[place] ^= 0x10;
        }
    }
    return unseen;
}

/* The task's form, or of the best ones the last that is for this device. */
static size_t form_of(const struct task *task, const struct device_facts *device)
{
    const struct cell cell = task_cell(task, device);
    size_t last = 0;
    if (task->form != FORM_BEST)
        return task_first_form(task);
    for (size_t form = 1; cell.study->forms[form].name; form++) {
        struct shot shot = {0};
        if (cell.study->describe(NULL, &cell, form, &shot))
            last = form;
    }
    return last;
}

static void check_form(const struct task *task, const struct device_facts *device)
{
    struct attempt attempt = {.task = task, .device = device};
    struct outcome outcome;
    const size_t form = form_of(task, device);
    assert_true(cuda_study.open(&attempt));
    if (study_run_form(&attempt, form, 1)) {
        const struct study_run *run = attempt.state;
        read_outcome(&attempt, &outcome);
        assert_true(run->cell.study->check(&run->cell, &run->shot, outcome.memory, 1) ==
                    PATTERN_FINE);
        const size_t unseen = unseen_bytes(run, &outcome);
        if (unseen)
            fail_msg("%s: %zu wrong bytes are not seen", task->row->name, unseen);
        free_outcome(&outcome);
    } else {
        assert_int_equal(attempt.status, STATUS_UNSUPPORTED);
    }
    cuda_study.close(&attempt);
}

TEST_BODY(study_checks_see_wrong_bytes)
{
    struct device_facts device;
    struct task *tasks;
    size_t count;
    assert_true(device_count() > 0 && device_describe(0, &device));
    assert_true(plan_make(MODE_QUICK, FILTER, &device, &tasks, &count));
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++) {
        tasks[i].bytes = SMALL_BYTES;
        if (tasks[i].form != FORM_TRANSLATED) /* which is the idiom once more */
            check_form(&tasks[i], &device);
    }
    free(tasks);
    study_forget_kernels();
    study_forget_words();
}
