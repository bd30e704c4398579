/* Small questions about attempts and tasks: names, bytes that count, values, ceilings.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "bench/study.h"

bool attempt_fail(struct attempt *attempt, enum status status, const char *format, ...)
{
    va_list arguments;
    if (!attempt)
        return false;
    va_start(arguments, format);
    vsnprintf(attempt->reason, sizeof attempt->reason, format, arguments);
    va_end(arguments);
    attempt->status = status;
    return false;
}

bool attempt_wrong(struct attempt *attempt, size_t offset)
{
    attempt->wrong_data = true;
    return attempt_fail(attempt, STATUS_ERROR, "wrong data at byte %zu", offset);
}

const char *status_name(enum status status)
{
    static const char *const names[] = {"ok", "unsupported", "skipped", "error", "suspect"};
    return names[status];
}

const char *contender_name(enum contender contender)
{
    static const char *const names[] = {"cuda", "raw", "host"};
    return names[contender];
}

const char *rule_name(enum rule rule)
{
    static const char *const names[] = {"copied", "r", "w", "r+w", "r+r+w", "time", "counted"};
    return names[rule];
}

double useful_bytes(const struct task *task)
{
    static const double weights[] = {
        [RULE_COPIED] = 1, [RULE_R] = 1,    [RULE_W] = 1,      [RULE_R_W] = 2,
        [RULE_R_R_W] = 3,  [RULE_TIME] = 0, [RULE_COUNTED] = 0};
    if (task->row->rule == RULE_COUNTED)
        return task->useful;
    return weights[task->row->rule] * (double)task->bytes;
}

enum unit unit_of(const struct task *task)
{
    if (task->row->study)
        return task->row->study->unit;
    return task->row->rule == RULE_TIME ? UNIT_US : UNIT_GB_S;
}

const char *unit_name(enum unit unit)
{
    static const char *const names[] = {"GB/s", "Gop/s", "us", "ns"};
    return names[unit];
}

double value_of(const struct task *task, double seconds)
{
    double useful = useful_bytes(task);
    switch (unit_of(task)) {
    case UNIT_US:
        return seconds * 1e6;
    case UNIT_NS:
        return useful > 0 ? seconds * 1e9 / useful : 0;
    default:
        return seconds > 0 ? useful / seconds / 1e9 : 0;
    }
}

static bool is_on_device(enum place place)
{
    return place == DEVICE || place == ARRAY;
}

/* Whether a study means to find its memory in the caches. */
static bool task_is_cached(const struct task *task, const struct device_facts *device)
{
    if (!task->row->study)
        return false;
    const struct cell cell = task_cell(task, device);
    return cell_is_cached(&cell);
}

/* A CPU: every core two 64-byte words per clock from its first cache, at half as much again as the
 * clock it tells (which is not the highest it runs at), or as 5 GHz where that is not known; from 16 MiB on four times the best that plain C reaches in the same run. A GPU: 1.1
 * times the bus of its memory for what the cache cannot hold; otherwise, or where the bus is not
 * known, 50 TB/s. Host and device: 1 TB/s, beyond any link of today. */
double ceiling_of(const struct task *task, const struct device_facts *device, double host_seconds)
{
    const struct row *row = task->row;
    const bool is_cached = task_is_cached(task, device);
    bool on_device =
        is_on_device(row->target) && (is_on_device(row->source) || row->source == NOWHERE);
    if (is_cached)
        host_seconds = 0;
    if (device->is_cpu) {
        double hertz = device->clock_khz ? device->clock_khz * 1e3 : 5e9;
        double first_cache = 1.5 * device->compute_units * hertz * 128 / 1e9;
        double measured = host_seconds > 0 && task->bytes >= 16 << 20
                              ? 4 * value_of(task, host_seconds)
                              : first_cache;
        return measured < first_cache ? measured : first_cache;
    }
    if (!on_device)
        return 1000;
    double bus = 2.0 * device->memory_clock_khz * 1e3 * device->memory_bus_bits / 8 / 1e9;
    bool fits = !row->study && task->bytes <= 4 * device->cache_bytes;
    return bus > 0 && !is_cached && !fits ? 1.1 * bus : 50000;
}

size_t source_bytes(const struct task *task)
{
    return task->source_pitch * task->rows * task->slices;
}

size_t target_bytes(const struct task *task)
{
    return task->target_pitch * task->slice_rows * task->slices;
}

uint32_t set_value(const struct task *task)
{
    if (task->row->work == WORK_PEAK || task->row->detail == SET_4)
        return 0x9E3779B9u;
    return task->row->detail == SET_2 ? 0xB1C3B1C3u : 0xA7A7A7A7u;
}
