/* Tests of bench/saved.c and of the text that identifies a result.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>
#include <unistd.h>

#include "bench/plan.h"
#include "bench/saved.h"
#include "bench/study.h"

static const struct row *row_named(const char *name)
{
    for (size_t i = 0; i < bench_row_count; i++)
        if (strcmp(bench_rows[i].name, name) == 0)
            return &bench_rows[i];
    fail_msg("there is no row %s", name);
    return NULL;
}

static void assert_variable(struct task task, const char *expected)
{
    char text[VARIABLE_BYTES];
    variable_of(text, &task);
    assert_string_equal(text, expected);
}

TEST_BODY(variable_of_plain_rows_is_what_they_vary_over)
{
    assert_variable((struct task){.row = row_named("transfer.d2d"), .bytes = 1 << 20}, "1 MiB");
    assert_variable(
        (struct task){.row = row_named("rect.d2d"), .bytes = 1 << 20, .row_bytes = 3000}, "3000 B");
    assert_variable((struct task){.row = row_named("call.pointer"), .live = 1000}, "1000");
    assert_variable((struct task){.row = row_named("launch.empty")}, "");
}

TEST_BODY(variable_of_studies_has_parameters_and_form)
{
    struct task task = {.row = row_named("stride.read"), .parameters = {8}};
    assert_variable(task, "stride=8 form=idiom");
    task.form = FORM_BEST;
    assert_variable(task, "stride=8 form=best");
    assert_string_equal(form_of(&task), "best");
}

/* Words, not their numbers; and every task of a plan has a text of its own. */
TEST_BODY(variable_of_every_task_differs_in_its_row)
{
    struct device_facts device = {
        .is_cpu = true, .compute_units = 2, .max_threads = 4096, .memory_bytes = (size_t)64 << 30};
    struct task *tasks;
    size_t count;
    assert_true(plan_make(MODE_NORMAL, NULL, &device, &tasks, &count));
    for (size_t i = 0; i < count; i++) {
        char one[VARIABLE_BYTES], other[VARIABLE_BYTES];
        variable_of(one, &tasks[i]);
        assert_true(strlen(one) < VARIABLE_BYTES - 1);
        for (size_t j = 0; j < i; j++) {
            if (tasks[j].row != tasks[i].row)
                continue;
            variable_of(other, &tasks[j]);
            assert_string_not_equal(one, other);
        }
    }
    free(tasks);
}

TEST_BODY(parameters_of_tasks_have_names)
{
    struct task_parameter parameter;
    struct task task = {.row = row_named("transfer.d2d"), .bytes = 4096};
    assert_true(task_parameter(&task, 0, &parameter));
    assert_string_equal(parameter.name, "size");
    assert_true(parameter.number == 4096 && !parameter.word);
    assert_false(task_parameter(&task, 1, &parameter));
    task = (struct task){.row = row_named("transpose.variant")};
    assert_true(task_parameter(&task, 0, &parameter));
    assert_non_null(parameter.word);
    task = (struct task){.row = row_named("launch.empty")};
    assert_false(task_parameter(&task, 0, &parameter));
}

static void read_text(const char *text, struct saved *saved, enum saved_status expected)
{
    char path[] = "/tmp/clem_saved_XXXXXX";
    int file = mkstemp(path);
    if (!report_json_exists())
        TEST_SKIP("built without libcjson");
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    assert_int_equal(saved_read(path, saved), expected);
    unlink(path);
}

TEST_BODY(saved_reads_the_first_format)
{
    struct saved saved;
    read_text("{\"format\":1,\"results\":["
              "{\"device\":0,\"row\":\"set.1\",\"bytes\":4096,\"row_bytes\":4096,\"live\":0},"
              "{\"device\":0,\"row\":\"rect.d2d\",\"bytes\":1e6,\"row_bytes\":3000,\"live\":0},"
              "{\"device\":0,\"row\":\"call.pointer\",\"bytes\":0,\"row_bytes\":0,\"live\":1000},"
              "{\"device\":0,\"row\":\"set.2d\",\"bytes\":67107000,\"row_bytes\":3000,\"live\":0},"
              "{\"device\":0,\"bytes\":1}]}",
              &saved, SAVED_OK);
    assert_int_equal(saved.result_count, 4);
    assert_string_equal(saved.results[0].variable, "4 KiB");
    assert_string_equal(saved.results[1].variable, "3000 B");
    assert_string_equal(saved.results[2].variable, "1000");
    assert_string_equal(saved.results[3].variable, "67 MB");
    saved_free(&saved);
}

TEST_BODY(saved_tells_point_and_form_apart)
{
    struct saved saved;
    read_text("{\"format\":2,\"results\":["
              "{\"row\":\"a.b\",\"variable\":\"offset=1 form=best\",\"form\":\"best\"},"
              "{\"row\":\"a.b\",\"variable\":\"form=idiom\",\"form\":\"idiom\"},"
              "{\"row\":\"a.b\",\"variable\":\"platform=x\",\"form\":\"\"}]}",
              &saved, SAVED_OK);
    assert_string_equal(saved.results[0].point, "offset=1");
    assert_string_equal(saved.results[0].group, "a");
    assert_string_equal(saved.results[1].point, "");
    assert_string_equal(saved.results[2].point, "platform=x");
    saved_free(&saved);
}

TEST_BODY(saved_takes_lists_where_objects_belong)
{
    struct saved saved;
    read_text("{\"format\":2,\"results\":[{\"row\":\"a\",\"parameters\":[1,[2],\"x\"],"
              "\"extras\":[3,{}]},{\"row\":\"a\",\"parameters\":7,\"extras\":\"x\"}]}",
              &saved, SAVED_OK);
    assert_int_equal(saved.result_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(saved.results[i].parameter_count, 0);
        assert_int_equal(saved.results[i].extra_count, 0);
    }
    saved_free(&saved);
    read_text("{\"format\":2,\"results\":[],\"devices\":{\"a\":{},\"b\":{}},"
              "\"seeds\":{\"c\":{},\"d\":{}}}",
              &saved, SAVED_OK);
    assert_int_equal(saved.device_count + saved.seed_count, 0);
    saved_free(&saved);
}

TEST_BODY(saved_has_no_control_characters)
{
    struct saved saved;
    read_text("{\"format\":2,\"devices\":[{\"name\":\"a\\u001b[31mb\\u0007\\u007f\\u009b\"}],"
              "\"results\":[{\"row\":\"r\",\"parameters\":{\"p\\u001b\":\"\\n\"}}]}",
              &saved, SAVED_OK);
    assert_string_equal(saved.devices[0].name, "a?[31mb????");
    assert_string_equal(saved.results[0].parameters[0].name, "p?");
    assert_string_equal(saved.results[0].parameters[0].word, "?");
    saved_free(&saved);
}

TEST_BODY(saved_refuses_what_is_no_run)
{
    struct saved saved;
    static const char *const texts[] = {"",
                                        "[]",
                                        "{}",
                                        "{\"results\":[]}",
                                        "{\"format\":2}",
                                        "{\"format\":3,\"results\":[]}",
                                        "{\"format\":2,"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        read_text(texts[i], &saved, SAVED_BAD);
        saved_free(&saved);
    }
    assert_int_equal(saved_read("/nonexistent", &saved), SAVED_MISSING);
    saved_free(&saved);
}
