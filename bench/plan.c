/* Which tasks a run consists of.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/plan.h"

#include <stdlib.h>
#include <string.h>

#include "bench/first.h"
#include "bench/runtime.h"
#include "bench/study.h"
#include "bench/texture.h"

/* Studies and checks are defined in the files of bench/studies/ and bench/checks/. */
#define BENCH(name, work, source, target, detail, axis, rule, only, about)
#define STUDY(name, symbol, about)   extern const struct study symbol;
#define CHECK(name, function, about) extern bool function(struct attempt *attempt);
#include "bench/bench.def"
#undef BENCH
#undef STUDY
#undef CHECK

#define BENCH(name, work, source, target, detail, axis, rule, only, about)                         \
    {name, WORK_##work, source, target, detail, AXIS_##axis, RULE_##rule, only, about, NULL, NULL},
#define STUDY(name, symbol, about)                                                                 \
    {name, WORK_STUDY, NOWHERE, DEVICE, 0, AXIS_NONE, RULE_COUNTED, NULL, about, &symbol, NULL},
#define CHECK(name, function, about)                                                               \
    {name, WORK_CHECK, NOWHERE, NOWHERE, 0, AXIS_NONE, RULE_COUNTED, NULL, about, NULL, function},
const struct row bench_rows[] = {
#include "bench/bench.def"
};
#undef BENCH
#undef STUDY
#undef CHECK
const size_t bench_row_count = sizeof bench_rows / sizeof bench_rows[0];

#define K           ((size_t)1 << 10)
#define M           ((size_t)1 << 20)
#define G           ((size_t)1 << 30)
#define AXIS_POINTS 12

/* The points of each axis by mode; a zero ends the list. Device memory cuts the list off. */
struct axis_points {
    size_t cpu[AXIS_POINTS], gpu[AXIS_POINTS];
};

static const struct axis_points size_points[] = {
    [MODE_QUICK] = {{4 * K, 1 * M, 16 * M}, {4 * K, 1 * M, 64 * M}},
    [MODE_NORMAL] = {{4 * K, 64 * K, 1 * M, 16 * M, 64 * M},
                     {4 * K, 64 * K, 1 * M, 16 * M, 64 * M, 256 * M, 1 * G}},
    [MODE_FULL] = {{4 * K, 16 * K, 64 * K, 256 * K, 1 * M, 4 * M, 16 * M, 64 * M, 256 * M, 1 * G},
                   {4 * K, 16 * K, 64 * K, 256 * K, 1 * M, 4 * M, 16 * M, 64 * M, 256 * M, 1 * G}},
};
static const struct axis_points large_points[] = {
    [MODE_QUICK] = {{16 * M}, {64 * M}},
    [MODE_NORMAL] = {{1 * M, 64 * M}, {1 * M, 64 * M, 1 * G}},
    [MODE_FULL] = {{64 * K, 1 * M, 16 * M, 64 * M, 256 * M, 1 * G},
                   {64 * K, 1 * M, 16 * M, 64 * M, 256 * M, 1 * G}},
};
static const struct axis_points shape_points[] = {
    [MODE_QUICK] = {{16 * M}, {64 * M}},
    [MODE_NORMAL] = {{64 * M}, {256 * M}},
    [MODE_FULL] = {{64 * M, 256 * M}, {64 * M, 256 * M}},
};
static const struct axis_points row_points[] = {
    [MODE_QUICK] = {{16, 4 * K}, {16, 4 * K}},
    [MODE_NORMAL] = {{16, 64, 256, 1 * K, 3000, 4 * K, 16 * K, 64 * K},
                     {16, 64, 256, 1 * K, 3000, 4 * K, 16 * K, 64 * K}},
    [MODE_FULL] = {{16, 32, 64, 128, 256, 1 * K, 3000, 4 * K, 16 * K, 64 * K},
                   {16, 32, 64, 128, 256, 1 * K, 3000, 4 * K, 16 * K, 64 * K}},
};
static const struct axis_points alloc_points[] = {
    [MODE_QUICK] = {{4 * K, 16 * M}, {4 * K, 16 * M}},
    [MODE_NORMAL] = {{4 * K, 1 * M, 16 * M, 1 * G}, {4 * K, 1 * M, 16 * M, 1 * G}},
    [MODE_FULL] = {{4 * K, 1 * M, 16 * M, 1 * G}, {4 * K, 1 * M, 16 * M, 1 * G}},
};
static const struct axis_points live_points[] = {
    [MODE_QUICK] = {{1, 1000}, {1, 1000}},
    [MODE_NORMAL] = {{1, 1000, 100000}, {1, 1000, 100000}},
    [MODE_FULL] = {{1, 1000, 100000}, {1, 1000, 100000}},
};
static const struct axis_points total_points[] = {
    [MODE_QUICK] = {{4 * K, 16 * M}, {4 * K, 16 * M}},
    [MODE_NORMAL] = {{4 * K, 64 * K, 1 * M, 16 * M, 64 * M},
                     {4 * K, 64 * K, 1 * M, 16 * M, 64 * M}},
    [MODE_FULL] = {{4 * K, 16 * K, 64 * K, 256 * K, 1 * M, 4 * M, 16 * M, 64 * M},
                   {4 * K, 16 * K, 64 * K, 256 * K, 1 * M, 4 * M, 16 * M, 64 * M}},
};
static const struct axis_points alloc_host_points[] = {
    [MODE_QUICK] = {{16 * M}, {16 * M}},
    [MODE_NORMAL] = {{4 * K, 1 * M, 16 * M, 64 * M}, {4 * K, 1 * M, 16 * M, 64 * M}},
    [MODE_FULL] = {{4 * K, 1 * M, 16 * M, 64 * M, 256 * M},
                   {4 * K, 1 * M, 16 * M, 64 * M, 256 * M}},
};
static const struct axis_points none = {{0}, {0}};
static const struct axis_points once = {{1}, {1}};

const char *mode_name(enum mode mode)
{
    static const char *const names[] = {"first", "quick", "normal", "full"};
    return names[mode];
}

struct effort plan_effort(enum mode mode)
{
    static const struct effort efforts[] = {
        [MODE_FIRST] = {5, 0.3, 0.008},
        [MODE_QUICK] = {5, 0.05, 0.005},
        [MODE_NORMAL] = {11, 0.1, 0.008},
        [MODE_FULL] = {11, 0.5, 0.015},
    };
    return efforts[mode];
}

static bool part_takes(const char *part, size_t length, const char *name)
{
    if (part[0] == '=')
        return strlen(name) == length - 1 && strncmp(part + 1, name, length - 1) == 0;
    return strncmp(part, name, length) == 0;
}

/* The part that begins at or behind `from`, and its length; NULL: no more. */
static const char *next_part(const char *from, size_t *length)
{
    from += strspn(from, ",");
    *length = strcspn(from, ",");
    return *length > 0 ? from : NULL;
}

bool plan_takes(const char *filter, const char *name)
{
    size_t length = 0;
    if (!filter)
        return true;
    for (const char *part = next_part(filter, &length); part;
         part = next_part(part + length, &length))
        if (part_takes(part, length, name))
            return true;
    return false;
}

static bool takes_some_row(const char *part, size_t length)
{
    for (size_t i = 0; i < bench_row_count; i++)
        if (part_takes(part, length, bench_rows[i].name))
            return true;
    return false;
}

const char *plan_unknown(const char *filter, size_t *length)
{
    const char *part = filter ? next_part(filter, length) : NULL;
    if (filter && !part)
        return filter;
    while (part && takes_some_row(part, *length))
        part = next_part(part + *length, length);
    return part;
}

static const struct axis_points *points_of(enum axis axis, enum mode mode)
{
    switch (axis) {
    case AXIS_SIZE:
        return &size_points[mode];
    case AXIS_LARGE:
        return &large_points[mode];
    case AXIS_SHAPE:
    case AXIS_IMAGE:
        return &shape_points[mode];
    case AXIS_LATER:
        return mode == MODE_QUICK ? &none : &shape_points[mode];
    case AXIS_LAST:
        return mode == MODE_FULL ? &shape_points[mode] : &none;
    case AXIS_ALLOC_LATER:
        return mode == MODE_QUICK ? &none : &alloc_points[mode];
    case AXIS_ALLOC_HOST:
        return &alloc_host_points[mode];
    case AXIS_TOTAL:
        return &total_points[mode];
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

/* CPUs take long for texels: there are fewer. And as long for a small one as for a float, so that
 * there are no more of those. */
static size_t texture_bytes(const struct task *task, size_t point, enum mode mode,
                            const struct device_facts *device)
{
    if (task->row->work != WORK_TEXTURE || !device->is_cpu)
        return point;
    if (mode != MODE_FULL && mode != MODE_FIRST && point > 16 * M)
        point = 16 * M;
    const size_t texel = texture_texel_bytes(task);
    return texel < 4 ? point / 4 * texel : point;
}

static void shape_task(struct task *task, size_t point, enum mode mode,
                       const struct device_facts *device)
{
    switch (task->row->axis) {
    case AXIS_SIZE:
    case AXIS_LARGE:
    case AXIS_IMAGE:
    case AXIS_LATER:
    case AXIS_LAST:
    case AXIS_TOTAL:
        shape_linear(task, texture_bytes(task, point, mode, device));
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
    case AXIS_ALLOC_LATER:
    case AXIS_ALLOC_HOST:
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
    if (task->row->axis == AXIS_ALLOC || task->row->axis == AXIS_ALLOC_LATER)
        return true;
    return source_bytes(task) <= most && target_bytes(task) <= most;
}

static bool row_is_due(const struct row *row, enum mode mode, const char *filter)
{
    if (row->only && mode != MODE_FULL && !filter)
        return false;
    return plan_takes(filter, row->name);
}

struct plan {
    struct task *tasks;
    size_t count, room;
    enum mode mode;
    const struct device_facts *device;
};

static bool plan_add(struct plan *plan, const struct task *task)
{
    if (plan->mode == MODE_FIRST && !first_takes(task))
        return true;
    if (plan->count == plan->room) {
        size_t room = plan->room ? 2 * plan->room : 128;
        struct task *tasks = realloc(plan->tasks, room * sizeof *tasks);
        if (!tasks)
            return false;
        plan->tasks = tasks;
        plan->room = room;
    }
    plan->tasks[plan->count++] = *task;
    return true;
}

static bool add_points(struct plan *plan, const struct row *row)
{
    const bool is_first = plan->mode == MODE_FIRST;
    const size_t first[AXIS_POINTS] = {first_bytes(plan->device)};
    const struct axis_points *points = points_of(row->axis, is_first ? MODE_NORMAL : plan->mode);
    const size_t *point = is_first ? first : plan->device->is_cpu ? points->cpu : points->gpu;
    bool added = true;
    for (size_t i = 0; added && i < AXIS_POINTS && point[i]; i++) {
        struct task task = {
            .row = row, .form = FORM_NONE, .raw_beside = !is_first, .host_beside = !is_first};
        shape_task(&task, point[i], plan->mode, plan->device);
        if (fits(&task, plan->device))
            added = plan_add(plan, &task);
    }
    return added;
}

/* Halved until a sixteenth of the memory, and one allocation, holds so many. */
static size_t fit_memory(size_t bytes, const struct device_facts *device)
{
    while (bytes > 1 * M && (bytes > device->memory_bytes / 16 ||
                             (device->max_allocation && bytes > device->max_allocation)))
        bytes /= 2;
    return bytes;
}

size_t first_bytes(const struct device_facts *device)
{
    size_t bytes = device->is_cpu ? 64 * M : 256 * M;
    while (bytes < 4 * device->cache_bytes && bytes < 1 * G)
        bytes *= 2;
    return fit_memory(bytes, device);
}

size_t study_bytes(const struct device_facts *device, enum mode mode)
{
    static const size_t
        cpu[] = {[MODE_QUICK] = 16 * M, [MODE_NORMAL] = 64 * M, [MODE_FULL] = 64 * M},
        gpu[] = {[MODE_QUICK] = 64 * M, [MODE_NORMAL] = 256 * M, [MODE_FULL] = 1 * G};
    if (mode == MODE_FIRST)
        return first_bytes(device);
    size_t bytes = device->is_cpu ? cpu[mode] : gpu[mode];
    if (!device->is_cpu && mode != MODE_QUICK)
        while (bytes < 4 * device->cache_bytes && bytes < 1 * G)
            bytes *= 2;
    return fit_memory(bytes, device);
}

/* The values of a parameter in a mode: those of the nearest mode before it that has any. */
static const struct points *values_of(const struct parameter *parameter, enum mode mode)
{
    if (mode == MODE_FULL && parameter->full.count)
        return &parameter->full;
    return mode != MODE_QUICK && parameter->normal.count ? &parameter->normal : &parameter->quick;
}

/* What one repetition does, and the facts beside it, as the first form that works here says. */
static void describe_task(struct task *task, const struct cell *cell)
{
    const struct study *study = cell->study;
    for (size_t form = 0; study->forms[form].name; form++) {
        struct shot shot = {0};
        if (!task_has_form(task, form))
            continue;
        if (!study->describe(NULL, cell, form, &shot))
            continue;
        task->useful = shot.useful;
        task->extra_count = shot.extra_count;
        memcpy(task->extras, shot.extras, sizeof task->extras);
        return;
    }
}

static bool add_form(struct plan *plan, const struct row *row, const struct cell *cell, int form,
                     bool limits_beside)
{
    struct task task = {.row = row, .form = form, .bytes = cell->bytes};
    memcpy(task.parameters, cell->parameters, sizeof task.parameters);
    task.host_beside = limits_beside && plan->mode != MODE_FIRST;
    task.raw_beside = limits_beside && plan->mode > MODE_QUICK;
    describe_task(&task, cell);
    return plan_add(plan, &task);
}

/* The idiom, and the same as a CUDA program has it; the best form where there is another one for such a device; all of them in
 * a full run. */
static bool add_forms(struct plan *plan, const struct row *row, const struct cell *cell)
{
    const struct study *study = cell->study;
    const unsigned here = plan->device->is_cpu ? ON_CPU : ON_GPU;
    bool has_other = false;
    for (size_t form = 1; study->forms[form].name; form++)
        has_other = has_other || (study->forms[form].best_on & here);
    if (!add_form(plan, row, cell, 0, !has_other && !study->is_sweep))
        return false;
    if (!study->is_sweep && runtime_translates() &&
        !add_form(plan, row, cell, FORM_TRANSLATED, false))
        return false;
    for (size_t form = 1; plan->mode == MODE_FULL && study->forms[form].name; form++)
        if ((study->forms[form].best_on & here) && !add_form(plan, row, cell, (int)form, false))
            return false;
    return !has_other || add_form(plan, row, cell, FORM_BEST, !study->is_sweep);
}

/* The next choice of parameters, the last one changing fastest; false after the last choice. */
static bool next_choice(const struct study *study, enum mode mode, size_t at[STUDY_PARAMETERS])
{
    size_t count = 0;
    while (count < STUDY_PARAMETERS && study->parameters[count].name)
        count++;
    while (count-- > 0) {
        if (++at[count] < values_of(&study->parameters[count], mode)->count)
            return true;
        at[count] = 0;
    }
    return false;
}

static bool add_study(struct plan *plan, const struct row *row)
{
    const struct study *study = row->study;
    size_t at[STUDY_PARAMETERS] = {0};
    do {
        struct cell cell = {
            .study = study, .device = plan->device, .bytes = study_bytes(plan->device, plan->mode)};
        for (size_t i = 0; i < STUDY_PARAMETERS && study->parameters[i].name; i++)
            cell.parameters[i] = values_of(&study->parameters[i], plan->mode)->values[at[i]];
        if ((!study->takes || study->takes(&cell)) && !add_forms(plan, row, &cell))
            return false;
    } while (next_choice(study, plan->mode, at));
    return true;
}

static bool add_row(struct plan *plan, const struct row *row)
{
    struct task check = {.row = row, .form = FORM_NONE};
    if (row->work == WORK_CHECK)
        return plan_add(plan, &check);
    return row->study ? add_study(plan, row) : add_points(plan, row);
}

bool plan_make(enum mode mode, const char *filter, const struct device_facts *device,
               struct task **tasks, size_t *count)
{
    struct plan plan = {.mode = mode, .device = device};
    bool added = true;
    for (size_t i = 0; added && i < bench_row_count; i++)
        if (row_is_due(&bench_rows[i], mode, filter))
            added = add_row(&plan, &bench_rows[i]);
    if (!added) {
        free(plan.tasks);
        plan = (struct plan){0};
    }
    *tasks = plan.tasks;
    *count = plan.count;
    return added;
}
