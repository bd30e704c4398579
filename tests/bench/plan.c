/* Tests of bench/plan.c: filters, clamps and shapes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "bench/plan.h"
#include "bench/study.h"

TEST_BODY(plan_filters_by_prefix)
{
    assert_true(plan_takes(NULL, "set.1"));
    assert_true(plan_takes("set", "set.1"));
    assert_true(plan_takes("peak,set.1", "set.1"));
    assert_false(plan_takes("et", "set.1"));
    assert_false(plan_takes("set.10", "set.1"));
    assert_false(plan_takes(",,", "set.1"));
}

static struct device_facts facts_with(size_t memory)
{
    struct device_facts facts = {.is_cpu = true, .compute_units = 2, .memory_bytes = memory};
    return facts;
}

TEST_BODY(plan_keeps_within_an_eighth_of_the_memory)
{
    struct device_facts facts = facts_with((size_t)64 << 20);
    struct task *tasks;
    size_t count;
    assert_true(plan_make(MODE_FULL, NULL, &facts, &tasks, &count));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        if (tasks[i].row->axis == AXIS_ALLOC)
            continue;
        assert_true(source_bytes(&tasks[i]) <= (size_t)8 << 20);
        assert_true(target_bytes(&tasks[i]) <= (size_t)8 << 20);
    }
    free(tasks);
}

/* Behind each idiom, of the same parameters. */
TEST_BODY(plan_has_each_idiom_as_cuda_code)
{
    struct device_facts facts = facts_with((size_t)64 << 30);
    struct task *tasks;
    size_t count, translated = 0;
    assert_true(plan_make(MODE_NORMAL, NULL, &facts, &tasks, &count));
    for (size_t i = 0; i < count; i++) {
        const struct task *next = i + 1 < count ? &tasks[i + 1] : &tasks[0];
        if (!tasks[i].row->study || tasks[i].form != 0)
            continue;
        assert_int_equal(next->form == FORM_TRANSLATED, !tasks[i].row->study->is_sweep);
        translated += next->form == FORM_TRANSLATED;
        if (next->form == FORM_TRANSLATED)
            assert_memory_equal(next->parameters, tasks[i].parameters, sizeof next->parameters);
    }
    assert_true(translated > 50);
    free(tasks);
}

TEST_BODY(plan_shapes_fit_their_pitches)
{
    struct device_facts facts = facts_with((size_t)64 << 30);
    struct task *tasks;
    size_t count;
    assert_true(plan_make(MODE_FULL, NULL, &facts, &tasks, &count));
    for (size_t i = 0; i < count; i++) {
        const struct task *task = &tasks[i];
        if (task->rows == 0)
            continue;
        assert_int_equal(task->bytes, task->row_bytes * task->rows * task->slices);
        assert_true(task->row_bytes <= task->source_pitch && task->row_bytes <= task->target_pitch);
        assert_true(task->rows <= task->slice_rows);
        assert_int_equal(task->row_bytes % 8, 0);
        assert_int_equal(task->target_pitch % 8, 0);
    }
    free(tasks);
}
