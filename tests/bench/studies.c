/* Tests of every study of clem-bench: sound descriptions, right answers, no dead code.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "bench/device.h"
#include "bench/plan.h"
#include "bench/study_run.h"
#include "tests/test.h"

/* Small enough to be quick, large enough for a few groups of 256 items with 16 words each. */
#define SMALL_BYTES ((size_t)256 << 10)
#define FLIPS       200

static struct device_facts the_device(void)
{
    struct device_facts facts;
    assert_true(device_count() > 0);
    assert_true(device_describe(0, &facts));
    return facts;
}

/* The tasks of a quick run that are studies, made small. Owns: the caller frees. */
static struct task *small_tasks(const struct device_facts *device, size_t *count)
{
    struct task *tasks;
    size_t kept = 0;
    assert_true(plan_make(MODE_QUICK, NULL, device, &tasks, count));
    for (size_t i = 0; i < *count; i++) {
        if (!tasks[i].row->study)
            continue;
        tasks[kept] = tasks[i];
        tasks[kept++].bytes = SMALL_BYTES;
    }
    *count = kept;
    return tasks;
}

static void name_task(const struct task *task, char *out, size_t room)
{
    char parameters[128];
    task_parameters_text(task, parameters, sizeof parameters);
    snprintf(out, room, "%s %s", task->row->name, parameters);
}

TEST_BODY(studies_describe_themselves)
{
    const struct device_facts device = the_device();
    size_t count;
    struct task *tasks = small_tasks(&device, &count);
    for (size_t i = 0; i < count; i++) {
        const struct study *study = tasks[i].row->study;
        const struct cell cell = task_cell(&tasks[i], &device);
        struct attempt attempt = {.task = &tasks[i], .device = &device};
        struct shot shot = {0};
        assert_non_null(study->counts);
        assert_non_null(study->check);
        const size_t form = task_first_form(&tasks[i]);
        if (!study->describe(&attempt, &cell, form, &shot)) {
            assert_int_equal(attempt.status, STATUS_UNSUPPORTED);
            continue;
        }
        assert_non_null(shot.file);
        assert_non_null(shot.kernel);
        assert_true(shot.useful > 0);
        assert_true(shot.buffer_count > 0 && shot.groups[0] > 0 && shot.local[0] > 0);
    }
    assert_true(count > 10);
    free(tasks);
}

/* Runs each method that suits once and checks what it left. */
static size_t run_methods(const struct task *task, const struct device_facts *device,
                          const struct way *way)
{
    size_t wrong = 0;
    char name[200];
    name_task(task, name, sizeof name);
    for (const struct method *method = way->methods; method->name; method++) {
        struct attempt attempt = {.task = task, .device = device};
        if (!method->suits(&attempt))
            continue;
        const bool fine = way->open(&attempt) && method->run(&attempt, 3) && way->verify(&attempt);
        if (!fine && attempt.status != STATUS_UNSUPPORTED) {
            print_error("%s, method %s: %s\n", name, method->name, attempt.reason);
            wrong++;
        }
        way->close(&attempt);
    }
    return wrong;
}

TEST_BODY(studies_give_right_answers)
{
    const struct device_facts device = the_device();
    size_t count, wrong = 0;
    struct task *tasks = small_tasks(&device, &count);
    for (size_t i = 0; i < count; i++)
        wrong += run_methods(&tasks[i], &device, &cuda_study);
    free(tasks);
    study_forget_kernels();
    study_forget_words();
    assert_int_equal(wrong, 0);
}

static bool adds_over_sub_groups(const struct task *task, const struct device_facts *device)
{
    const struct study *study = task->row->study;
    const struct cell cell = task_cell(task, device);
    for (size_t form = 0; study && study->forms[form].name; form++) {
        struct attempt attempt = {.task = task, .device = device};
        struct shot shot = {0};
        if (study->describe(&attempt, &cell, form, &shot) && strstr(shot.kernel, "sub_group"))
            return true;
    }
    return false;
}

/* Of a normal run, where quick ones leave the variants of reductions out. */
TEST_BODY(studies_of_sub_groups_give_right_answers)
{
    const struct device_facts device = the_device();
    struct task *tasks;
    size_t count, found = 0, wrong = 0;
    if (!device.has_sub_groups)
        TEST_SKIP("the device has no sub-groups");
    assert_true(plan_make(MODE_NORMAL, "reduce", &device, &tasks, &count));
    for (size_t i = 0; i < count; i++) {
        tasks[i].bytes = 16 * SMALL_BYTES; /* some reduce parts of it */
        if (!adds_over_sub_groups(&tasks[i], &device))
            continue;
        found++;
        wrong += run_methods(&tasks[i], &device, &cuda_study);
    }
    free(tasks);
    study_forget_kernels();
    study_forget_words();
    assert_true(found > 1);
    assert_int_equal(wrong, 0);
}

TEST_BODY(studies_in_plain_c_give_right_answers)
{
    const struct device_facts device = the_device();
    size_t count, wrong = 0;
    struct task *tasks = small_tasks(&device, &count);
    for (size_t i = 0; device.is_cpu && i < count; i++)
        if (tasks[i].row->study->hosts[0].name)
            wrong += run_methods(&tasks[i], &device, &host_study);
    free(tasks);
    study_forget_words();
    assert_int_equal(wrong, 0);
}

/* All outputs of a set, one after the other. Owns: the caller frees. */
static unsigned char *outputs_of(struct attempt *attempt, size_t *bytes)
{
    struct study_run *run = attempt->state;
    *bytes = 0;
    for (size_t i = 0; i < run->shot.buffer_count; i++)
        if (run->shot.buffers[i].role == BUFFER_OUT)
            *bytes += run->shot.buffers[i].bytes;
    unsigned char *all = malloc(*bytes);
    assert_non_null(all);
    for (size_t i = 0, at = 0; i < run->shot.buffer_count; i++) {
        if (run->shot.buffers[i].role != BUFFER_OUT)
            continue;
        assert_true(run->side->read(attempt, run, 0, i, all + at));
        at += run->shot.buffers[i].bytes;
    }
    return all;
}

static unsigned char *run_again(struct attempt *attempt, size_t form, size_t *bytes)
{
    struct study_run *run = attempt->state;
    run->next = 0;
    assert_true(study_poison(attempt));
    assert_true(study_run_form(attempt, form, 1));
    return outputs_of(attempt, bytes);
}

/* Whether another byte at a place of an input makes other outputs. */
static bool flip_shows(struct attempt *attempt, size_t form, size_t index, size_t place,
                       const unsigned char *usual)
{
    struct study_run *run = attempt->state;
    const unsigned char *content = run->inputs[index];
    const unsigned char was =
        content
            ? content[place]
            : ((const unsigned char *)study_words(index, run->shot.buffers[index].bytes))[place];
    const unsigned char flipped = was ^ 0x10;
    size_t bytes;
    assert_true(run->side->write(attempt, run, 0, index, place, &flipped, 1));
    unsigned char *outputs = run_again(attempt, form, &bytes);
    assert_true(run->side->write(attempt, run, 0, index, place, &was, 1));
    const bool shows = memcmp(outputs, usual, bytes) != 0;
    free(outputs);
    return shows;
}

/* How many of some bytes spread over the inputs show, and how many should. */
static bool flips_show(struct attempt *attempt, size_t form)
{
    struct study_run *run = attempt->state;
    size_t all = 0, shown = 0, bytes;
    unsigned char *usual = run_again(attempt, form, &bytes);
    for (size_t i = 0; i < run->shot.buffer_count; i++)
        if (run->shot.buffers[i].role == BUFFER_IN && !run->shot.buffers[i].fill)
            all += run->shot.buffers[i].bytes;
    uint64_t random = 88172645463325252u;
    size_t tried = 0;
    for (; all > 0 && tried < FLIPS; tried++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t place = (random >> 8) % all, i = 0;
        while (run->shot.buffers[i].role != BUFFER_IN || run->shot.buffers[i].fill ||
               place >= run->shot.buffers[i].bytes) {
            if (run->shot.buffers[i].role == BUFFER_IN && !run->shot.buffers[i].fill)
                place -= run->shot.buffers[i].bytes;
            i++;
        }
        shown += flip_shows(attempt, form, i, place, usual);
    }
    free(usual);
    const struct study *study = attempt->task->row->study;
    size_t matter = study->bytes_that_matter ? study->bytes_that_matter(&run->cell, &run->shot) : 0;
    if (all == 0 || matter == 0 || matter >= all)
        return shown == tried;
    const double share = (double)matter / (double)all, seen = (double)shown / (double)tried;
    return seen > share - 0.12 && seen < share + 0.12 && shown > 0;
}

/* A kernel whose compiler left work out would not notice. */
TEST_BODY(studies_have_no_dead_code)
{
    const struct device_facts device = the_device();
    size_t count, wrong = 0;
    struct task *tasks = small_tasks(&device, &count);
    for (size_t i = 0; i < count; i++) {
        const struct study *study = tasks[i].row->study;
        struct attempt attempt = {.task = &tasks[i], .device = &device};
        const struct cell cell = task_cell(&tasks[i], &device);
        const size_t form = tasks[i].form == FORM_BEST ? 1 : task_first_form(&tasks[i]);
        struct shot shot = {0};
        if (tasks[i].form == FORM_TRANSLATED) /* the idiom once more */
            continue;
        if (!study->forms[form].name || !study->describe(NULL, &cell, form, &shot) ||
            (study->bytes_that_matter && study->bytes_that_matter(&cell, &shot) == SIZE_MAX))
            continue;
        if (!cuda_study.open(&attempt) || !study_run_form(&attempt, form, 1)) {
            cuda_study.close(&attempt);
            continue;
        }
        if (!flips_show(&attempt, form)) {
            char name[200];
            name_task(&tasks[i], name, sizeof name);
            print_error("%s: changed bytes do not show as they should\n", name);
            wrong++;
        }
        cuda_study.close(&attempt);
    }
    free(tasks);
    study_forget_kernels();
    study_forget_words();
    assert_int_equal(wrong, 0);
}
