/* Studies: building shots, and what tasks and checks ask of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/study.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static size_t add_buffer(struct shot *shot, enum role role, size_t bytes)
{
    assert(shot->buffer_count < STUDY_BUFFERS);
    shot->buffers[shot->buffer_count] =
        (struct shot_buffer){.role = role, .place = DEVICE, .bytes = bytes};
    return shot->buffer_count++;
}

size_t shot_in(struct shot *shot, size_t bytes)
{
    return add_buffer(shot, BUFFER_IN, bytes);
}

size_t shot_out(struct shot *shot, size_t bytes)
{
    return add_buffer(shot, BUFFER_OUT, bytes);
}

void shot_define(struct shot *shot, const char *name, const char *value)
{
    size_t i = 0;
    while (i < STUDY_DEFINES && shot->defines[i].name)
        i++;
    assert(i < STUDY_DEFINES);
    shot->defines[i].name = name;
    snprintf(shot->defines[i].value, sizeof shot->defines[i].value, "%s", value);
}

void shot_define_number(struct shot *shot, const char *name, unsigned value)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    shot_define(shot, name, text);
}

static struct shot_argument *add_argument(struct shot *shot)
{
    assert(shot->argument_count < STUDY_ARGUMENTS);
    return &shot->arguments[shot->argument_count++];
}

void shot_pass(struct shot *shot, size_t buffer)
{
    *add_argument(shot) = (struct shot_argument){.kind = ARGUMENT_BUFFER, .buffer = buffer};
}

void shot_pass_u32(struct shot *shot, uint32_t value)
{
    *add_argument(shot) = (struct shot_argument){.kind = ARGUMENT_U32, .value.u32 = value};
}

void shot_pass_u64(struct shot *shot, uint64_t value)
{
    *add_argument(shot) = (struct shot_argument){.kind = ARGUMENT_U64, .value.u64 = value};
}

void shot_pass_f32(struct shot *shot, float value)
{
    *add_argument(shot) = (struct shot_argument){.kind = ARGUMENT_F32, .value.f32 = value};
}

void shot_pass_block(struct shot *shot, void *bytes, size_t count)
{
    *add_argument(shot) =
        (struct shot_argument){.kind = ARGUMENT_BLOCK, .value.block = {bytes, count}};
}

void shot_extra(struct shot *shot, const char *name, double value)
{
    assert(shot->extra_count < STUDY_EXTRAS);
    shot->extras[shot->extra_count++] = (struct extra){name, value};
}

static size_t largest_local(const struct device_facts *device, size_t local)
{
    size_t most = device->max_threads > 0 ? (size_t)device->max_threads : 256;
    while (local > most)
        local /= 2;
    return local ? local : 1;
}

void shot_items(struct shot *shot, const struct device_facts *device, size_t items, size_t local)
{
    local = largest_local(device, local);
    while (local > 1 && items % local)
        local /= 2;
    shot->local[0] = local;
    shot->groups[0] = items / local;
}

size_t shot_chunks(struct shot *shot, const struct device_facts *device)
{
    size_t units = device->compute_units > 0 ? (size_t)device->compute_units : 1;
    shot->local[0] = device->is_cpu ? 1 : largest_local(device, 256);
    shot->groups[0] = device->is_cpu ? units : 16 * units;
    return shot->groups[0] * shot->local[0];
}

unsigned cell_parameter(const struct cell *cell, const char *name)
{
    size_t i = 0;
    while (i < STUDY_PARAMETERS && cell->study->parameters[i].name &&
           strcmp(cell->study->parameters[i].name, name) != 0)
        i++;
    assert(i < STUDY_PARAMETERS && cell->study->parameters[i].name);
    return cell->parameters[i];
}

bool cell_is_cached(const struct cell *cell)
{
    return cell->study->is_cached || (cell->study->caches && cell->study->caches(cell));
}

size_t check_words(const struct cell *cell, const struct shot *shot, const uint32_t *output,
                   size_t words, const void *const memory[],
                   uint32_t (*expected)(const struct cell *cell, const struct shot *shot,
                                        const void *const memory[], size_t place))
{
    size_t wrong = SIZE_MAX;
#pragma omp parallel for reduction(min : wrong)
    for (size_t i = 0; i < words; i++)
        if (output[i] != expected(cell, shot, memory, i) && i < wrong)
            wrong = i;
    return wrong == SIZE_MAX ? PATTERN_FINE : wrong * sizeof *output;
}

uint32_t sum_words(const uint32_t *words, size_t count)
{
    uint32_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += words[i];
    return sum;
}

size_t check_sum(const uint32_t *output, size_t words, uint32_t sum)
{
    return sum_words(output, words) == sum ? PATTERN_FINE : 0;
}

struct cell task_cell(const struct task *task, const struct device_facts *device)
{
    struct cell cell = {.study = task->row->study, .device = device, .bytes = task->bytes};
    memcpy(cell.parameters, task->parameters, sizeof cell.parameters);
    return cell;
}

const char *task_form_name(const struct task *task)
{
    if (!task->row->study || task->form == FORM_NONE)
        return "";
    if (task->form == FORM_TRANSLATED)
        return "translated";
    return task->form == FORM_BEST ? "best" : task->row->study->forms[task->form].name;
}

bool task_has_form(const struct task *task, size_t form)
{
    return task->form == FORM_BEST || (size_t)task->form == form ||
           (task->form == FORM_TRANSLATED && form == 0);
}

size_t task_first_form(const struct task *task)
{
    size_t form = 0;
    while (!task_has_form(task, form))
        form++;
    return form;
}

void task_parameters_text(const struct task *task, char *out, size_t room)
{
    const struct study *study = task->row->study;
    size_t used = 0;
    out[0] = '\0';
    if (!study)
        return;
    for (size_t i = 0; i < STUDY_PARAMETERS && study->parameters[i].name && used < room; i++) {
        const struct parameter *parameter = &study->parameters[i];
        if (parameter->names)
            used += (size_t)snprintf(out + used, room - used, "%s=%s ", parameter->name,
                                     parameter->names[task->parameters[i]]);
        else
            used += (size_t)snprintf(out + used, room - used, "%s=%u ", parameter->name,
                                     task->parameters[i]);
    }
    if (used < room)
        snprintf(out + used, room - used, "form=%s", task_form_name(task));
}
