/* What a task varies over, and its form, in words.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"
#include "bench/study.h"

void text_size(char out[24], size_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    snprintf(out, 24, "%zu %s", bytes, units[unit]);
}

void variable_of(char out[VARIABLE_BYTES], const struct task *task)
{
    out[0] = '\0';
    if (task->row->study) {
        task_parameters_text(task, out, VARIABLE_BYTES);
        return;
    }
    switch (task->row->axis) {
    case AXIS_ROW_BYTES:
        text_size(out, task->row_bytes);
        break;
    case AXIS_LIVE:
        snprintf(out, VARIABLE_BYTES, "%zu", task->live);
        break;
    case AXIS_NONE:
        break;
    case AXIS_SHAPE:
        snprintf(out, VARIABLE_BYTES, "%zu MB", task->bytes / 1000000);
        break;
    default:
        text_size(out, task->bytes);
        break;
    }
}

static bool study_parameter(const struct task *task, size_t index, struct task_parameter *parameter)
{
    const struct parameter *its = task->row->study->parameters;
    for (size_t i = 0; i <= index; i++)
        if (index >= STUDY_PARAMETERS || !its[i].name)
            return false;
    unsigned value = task->parameters[index];
    parameter->name = its[index].name;
    parameter->word = its[index].names ? its[index].names[value] : NULL;
    parameter->number = value;
    return true;
}

bool task_parameter(const struct task *task, size_t index, struct task_parameter *parameter)
{
    *parameter = (struct task_parameter){.name = "size", .number = (double)task->bytes};
    if (task->row->study)
        return study_parameter(task, index, parameter);
    if (task->row->axis == AXIS_ROW_BYTES)
        *parameter = (struct task_parameter){.name = "row", .number = (double)task->row_bytes};
    if (task->row->axis == AXIS_LIVE)
        *parameter = (struct task_parameter){.name = "live", .number = (double)task->live};
    return index == 0 && task->row->axis != AXIS_NONE;
}

const char *form_of(const struct task *task)
{
    return task->row->study && task->form == 0 ? "idiom" : task_form_name(task);
}
