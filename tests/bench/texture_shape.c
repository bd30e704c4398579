/* Tests of texture rows: where texels come from, and that each row does what it says.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/texture.h"

#include <stdlib.h>
#include <string.h>

#include "bench/device.h"
#include "bench/plan.h"
#include "bench/runtime.h"
#include "tests/test.h"

/* Texels of 16 bytes lie as 64 x 64, those of one byte as 256 x 256. */
#define SMALL_BYTES ((size_t)64 << 10)

/* Memory is checked in lines of a page, as for linear work. */
static void make_small(struct task *task)
{
    task->bytes = SMALL_BYTES;
    task->row_bytes = task->source_pitch = task->target_pitch = 4096;
    task->rows = task->slice_rows = SMALL_BYTES / 4096;
    task->slices = 1;
}

static struct task small_task(const struct row *row)
{
    struct task task = {.row = row, .form = FORM_NONE};
    make_small(&task);
    return task;
}

static bool is_texture(size_t i)
{
    return bench_rows[i].work == WORK_TEXTURE;
}

TEST_BODY(texture_walks_take_each_texel_once)
{
    size_t rows = 0;
    for (size_t i = 0; i < bench_row_count; i++) {
        if (!is_texture(i))
            continue;
        const struct task task = small_task(&bench_rows[i]);
        const size_t count = task.bytes / texture_texel_bytes(&task);
        unsigned char *taken = calloc(count, 1);
        assert_non_null(taken);
        for (size_t texel = 0; texel < count; texel++) {
            const size_t from = texture_source_texel(&task, texel);
            assert_true(from < count);
            taken[from]++;
        }
        for (size_t texel = 0; texel < count; texel++)
            assert_int_equal(taken[texel], 1);
        free(taken);
        rows++;
    }
    assert_true(rows > 20);
}

TEST_BODY(texture_shots_have_an_item_for_each_texel)
{
    for (size_t i = 0; i < bench_row_count; i++) {
        struct shot shot = {0};
        if (!is_texture(i))
            continue;
        const struct task task = small_task(&bench_rows[i]);
        texture_shot(&task, &shot);
        assert_non_null(shot.kernel);
        assert_int_equal(shot.groups[0] * shot.groups[1] * shot.local[0] * shot.local[1],
                         task.bytes / texture_texel_bytes(&task));
    }
}

TEST_BODY(texture_check_finds_a_wrong_texel)
{
    for (size_t i = 0; i < bench_row_count; i++) {
        if (!is_texture(i))
            continue;
        const struct task task = small_task(&bench_rows[i]);
        const size_t texel = texture_texel_bytes(&task), last = task.bytes / texel - 1;
        unsigned char *source = malloc(task.bytes), *target = malloc(task.bytes);
        size_t wrong;
        assert_true(source && target);
        pattern_fill(source, task.bytes, texture_format(&task)->pattern, 0);
        for (size_t n = 0; n <= last; n++)
            memcpy(target + n * texel, source + texture_source_texel(&task, n) * texel, texel);
        assert_true(texture_check(&task, target, &wrong));
        assert_true(wrong == PATTERN_FINE);
        target[task.bytes - 1] ^= 1;
        assert_true(texture_check(&task, target, &wrong));
        assert_int_equal(wrong, last * texel);
        free(target);
        free(source);
    }
}

/* Does a task, or not, and lets the contender check that. Drivers need not have every format of
 * images, clem does: raw OpenCL may not even begin. */
static void check_task(const struct task *task, const struct device_facts *device,
                       const struct way *way, bool runs)
{
    struct attempt attempt = {.task = task, .device = device};
    const bool is_open = way->open(&attempt);
    bool right = is_open && way->poison(&attempt);
    if (right && runs)
        right = way->methods[0].run(&attempt, 1);
    right = right && way->verify(&attempt);
    way->close(&attempt);
    if (right != runs && (is_open || way == &cuda_texture))
        fail_msg("%s: %s", task->row->name, attempt.reason);
}

static void check_rows(const char *filter)
{
    struct device_facts device;
    struct task *tasks;
    size_t count;
    assert_true(device_count() > 0);
    assert_true(device_describe(0, &device));
    assert_true(plan_make(MODE_NORMAL, filter, &device, &tasks, &count));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        make_small(&tasks[i]);
        const struct way *raw = runtime_raw_way(&tasks[i]);
        check_task(&tasks[i], &device, &cuda_texture, true);
        check_task(&tasks[i], &device, &cuda_texture, false);
        if (raw)
            check_task(&tasks[i], &device, raw, true);
    }
    free(tasks);
    runtime_close_raw();
}

TEST_BODY(texture_rows_of_floats_are_right)
{
    check_rows("texture.r32f.point,texture.r32f.linear,texture.r32f.copied");
}

TEST_BODY(texture_rows_of_buffers_are_right)
{
    check_rows("texture.r32f.buffer,texture.r32f.plain");
}

TEST_BODY(texture_rows_of_vectors_are_right)
{
    check_rows("texture.rg32,texture.rgba32");
}

TEST_BODY(texture_rows_of_small_texels_are_right)
{
    check_rows("texture.r8,texture.r16,texture.rgba8,texture.rgba16");
}

TEST_BODY(texture_rows_of_surfaces_are_right)
{
    check_rows("surface.read,surface.write");
}
