/* Which tasks a run consists of.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/plan.h"

#include <stdlib.h>
#include <string.h>

#define BENCH(name, work, source, target, detail, axis, rule, only, about)                         \
    {name, WORK_##work, source, target, detail, AXIS_##axis, RULE_##rule, only, about},
const struct row bench_rows[] = {
#include "bench/bench.def"
};
#undef BENCH
const size_t bench_row_count = sizeof bench_rows / sizeof bench_rows[0];

#define K      ((size_t)1 << 10)
#define M      ((size_t)1 << 20)
#define G      ((size_t)1 << 30)
#define POINTS 12

/* The points of each axis by mode; a zero ends the list. Device memory cuts the list off. */
struct points {
    size_t cpu[POINTS], gpu[POINTS];
};

static const struct points size_points[] = {
    [MODE_QUICK] = {{4 * K, 1 * M, 16 * M}, {4 * K, 1 * M, 64 * M}},
    [MODE_NORMAL] = {{4 * K, 64 * K, 1 * M, 16 * M, 64 * M},
                     {4 * K, 64 * K, 1 * M, 16 * M, 64 * M, 256 * M, 1 * G}},
    [MODE_FULL] = {{4 * K, 16 * K, 64 * K, 256 * K, 1 * M, 4 * M, 16 * M, 64 * M, 256 * M, 1 * G},
                   {4 * K, 16 * K, 64 * K, 256 * K, 1 * M, 4 * M, 16 * M, 64 * M, 256 * M, 1 * G}},
};
static const struct points large_points[] = {
    [MODE_QUICK] = {{16 * M}, {64 * M}},
    [MODE_NORMAL] = {{1 * M, 64 * M}, {1 * M, 64 * M, 1 * G}},
    [MODE_FULL] = {{64 * K, 1 * M, 16 * M, 64 * M, 256 * M, 1 * G},
                   {64 * K, 1 * M, 16 * M, 64 * M, 256 * M, 1 * G}},
};
static const struct points shape_points[] = {
    [MODE_QUICK] = {{16 * M}, {64 * M}},
    [MODE_NORMAL] = {{64 * M}, {256 * M}},
    [MODE_FULL] = {{64 * M, 256 * M}, {64 * M, 256 * M}},
};
static const struct points row_points[] = {
    [MODE_QUICK] = {{16, 4 * K}, {16, 4 * K}},
    [MODE_NORMAL] = {{16, 64, 256, 1 * K, 3000, 4 * K, 16 * K, 64 * K},
                     {16, 64, 256, 1 * K, 3000, 4 * K, 16 * K, 64 * K}},
    [MODE_FULL] = {{16, 32, 64, 128, 256, 1 * K, 3000, 4 * K, 16 * K, 64 * K},
                   {16, 32, 64, 128, 256, 1 * K, 3000, 4 * K, 16 * K, 64 * K}},
};
static const struct points alloc_points[] = {
    [MODE_QUICK] = {{4 * K, 16 * M}, {4 * K, 16 * M}},
    [MODE_NORMAL] = {{4 * K, 1 * M, 16 * M, 1 * G}, {4 * K, 1 * M, 16 * M, 1 * G}},
    [MODE_FULL] = {{4 * K, 1 * M, 16 * M, 1 * G}, {4 * K, 1 * M, 16 * M, 1 * G}},
};
static const struct points live_points[] = {
    [MODE_QUICK] = {{1, 1000}, {1, 1000}},
    [MODE_NORMAL] = {{1, 1000, 100000}, {1, 1000, 100000}},
    [MODE_FULL] = {{1, 1000, 100000}, {1, 1000, 100000}},
};
static const struct points once = {{1}, {1}};

struct effort plan_effort(enum mode mode)
{
    static const struct effort efforts[] = {
        [MODE_QUICK] = {5, 0.05, 0.005},
        [MODE_NORMAL] = {11, 0.15, 0.008},
        [MODE_FULL] = {11, 0.5, 0.015},
    };
    return efforts[mode];
}

bool plan_takes(const char *filter, const char *name)
{
    if (!filter)
        return true;
    for (const char *part = filter; *part;) {
        size_t length = strcspn(part, ",");
        if (length > 0 && strncmp(part, name, length) == 0)
            return true;
        part += length + (part[length] == ',');
    }
    return false;
}

static const struct points *points_of(enum axis axis, enum mode mode)
{
    switch (axis) {
    case AXIS_SIZE:
        return &size_points[mode];
    case AXIS_LARGE:
        return &large_points[mode];
    case AXIS_SHAPE:
    case AXIS_IMAGE:
        return &shape_points[mode];
    case AXIS_ROW_BYTES:
        return &row_points[mode];
    case AXIS_ALLOC:
        return &alloc_points[mode];
    case AXIS_LIVE:
        return &live_points[mode];
    case AXIS_NONE:
        break;
    }
    return &once;
}

/* Rows of 3000 bytes lie 4096 apart, short ones twice their length: a third more, rounded up. */
static size_t pitch_for(size_t row_bytes)
{
    size_t unit = row_bytes >= 2048 ? 512 : 32;
    return (row_bytes + row_bytes / 3 + unit - 1) / unit * unit;
}

static void shape_linear(struct task *task, size_t bytes)
{
    task->bytes = bytes;
    task->row_bytes = task->source_pitch = task->target_pitch = bytes < 4 * K ? bytes : 4 * K;
    task->rows = task->slice_rows = bytes / task->row_bytes;
    task->slices = 1;
}

static void shape_rows(struct task *task, size_t row_bytes, size_t bytes)
{
    task->row_bytes = row_bytes;
    task->rows = task->slice_rows = bytes / row_bytes;
    task->slices = 1;
    task->source_pitch = task->row->source == PAGEABLE ? row_bytes : pitch_for(row_bytes);
    task->target_pitch = task->row->target == PAGEABLE ? row_bytes : pitch_for(row_bytes);
    task->bytes = task->row_bytes * task->rows;
}

static void shape_slices(struct task *task, size_t bytes)
{
    shape_rows(task, 3000, bytes);
    task->slices = task->rows / 60;
    task->rows = 60;
    task->slice_rows = 64;
    task->bytes = task->row_bytes * task->rows * task->slices;
}

/* The total of a rectangle copy: 64 MiB, because from there on the bars hold. */
static size_t rect_total(enum mode mode, const struct device_facts *device)
{
    if (mode == MODE_QUICK)
        return 4 * M;
    return device->is_cpu ? 64 * M : 256 * M;
}

static void shape_task(struct task *task, size_t point, enum mode mode,
                       const struct device_facts *device)
{
    switch (task->row->axis) {
    case AXIS_SIZE:
    case AXIS_LARGE:
    case AXIS_IMAGE:
        shape_linear(task, point);
        break;
    case AXIS_SHAPE:
        if (task->row->detail == SET_3D)
            shape_slices(task, point);
        else
            shape_rows(task, 3000, point);
        break;
    case AXIS_ROW_BYTES:
        shape_rows(task, point, rect_total(mode, device));
        break;
    case AXIS_ALLOC:
        task->bytes = point;
        break;
    case AXIS_LIVE:
        task->live = point;
        break;
    case AXIS_NONE:
        break;
    }
}

/* At most an eighth of the memory for one array, and what one allocation can be. One allocation
 * alone may be larger: where it does not fit, the row says so. */
static bool fits(const struct task *task, const struct device_facts *device)
{
    size_t most = device->memory_bytes / 8;
    if (device->max_allocation && device->max_allocation < most)
        most = device->max_allocation;
    if (task->row->axis == AXIS_ALLOC)
        return true;
    return source_bytes(task) <= most && target_bytes(task) <= most;
}

static bool row_is_due(const struct row *row, enum mode mode, const char *filter)
{
    if (row->only && mode != MODE_FULL && !filter)
        return false;
    return plan_takes(filter, row->name);
}

static size_t add_row(struct task *tasks, const struct row *row, enum mode mode,
                      const struct device_facts *device)
{
    const struct points *points = points_of(row->axis, mode);
    const size_t *point = device->is_cpu ? points->cpu : points->gpu;
    size_t count = 0;
    for (size_t i = 0; i < POINTS && point[i]; i++) {
        struct task task = {.row = row};
        shape_task(&task, point[i], mode, device);
        if (fits(&task, device))
            tasks[count++] = task;
    }
    return count;
}

bool plan_make(enum mode mode, const char *filter, const struct device_facts *device,
               struct task **tasks, size_t *count)
{
    *count = 0;
    *tasks = calloc(bench_row_count * POINTS, sizeof **tasks);
    if (!*tasks)
        return false;
    for (size_t i = 0; i < bench_row_count; i++)
        if (row_is_due(&bench_rows[i], mode, filter))
            *count += add_row(*tasks + *count, &bench_rows[i], mode, device);
    return true;
}
