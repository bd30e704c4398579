/* Fills in raw OpenCL: the command with the pattern as given and widened, a mapping, or a kernel.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/raw_rect_kernels.h"

enum kernel_kind { ITEMS, CHUNK, STREAMING, KINDS };

struct set {
    struct raw *raw;
    struct raw_memory target;
    struct raw_form form;
    struct raw_rect_kernel kernels[KINDS];
};

static bool open_set(struct attempt *attempt)
{
    struct set *set = attempt->state = calloc(1, sizeof *set);
    if (!set)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    set->raw = raw_open(attempt);
    return set->raw &&
           raw_take(attempt, set->raw, &set->target, DEVICE, target_bytes(attempt->task));
}

static bool poison_set(struct attempt *attempt)
{
    struct set *set = attempt->state;
    return raw_poison(attempt, set->raw, &set->target);
}

static bool verify_set(struct attempt *attempt)
{
    struct set *set = attempt->state;
    return raw_check(attempt, set->raw, &set->target, CONTENT_VALUE);
}

static void close_set(struct attempt *attempt)
{
    struct set *set = attempt->state;
    if (!set)
        return;
    raw_kernel_close(&set->form.kernel);
    for (int i = 0; i < KINDS; i++)
        raw_rect_close(&set->kernels[i]);
    raw_give(set->raw, &set->target);
    free(set);
}

static bool is_linear(const struct attempt *attempt)
{
    return attempt->task->row->detail <= SET_4;
}

static bool has_rows(const struct attempt *attempt)
{
    return !is_linear(attempt);
}

static bool is_bytes(const struct attempt *attempt)
{
    return attempt->task->row->detail == SET_1;
}

static bool rows_on_cpu(const struct attempt *attempt)
{
    return has_rows(attempt) && attempt->device->is_cpu;
}

static bool fill(struct attempt *attempt, size_t pattern_bytes, size_t count)
{
    struct set *set = attempt->state;
    uint32_t pattern[32];
    for (size_t i = 0; i < 32; i++)
        pattern[i] = set_value(attempt->task);
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++)
        error = clEnqueueFillBuffer(set->raw->queue, set->target.buffer, pattern, pattern_bytes, 0,
                                    attempt->task->bytes, 0, NULL, NULL);
    return raw_ok(attempt, error, "clEnqueueFillBuffer") && raw_finish(attempt, set->raw);
}

static bool run_fill(struct attempt *attempt, size_t count)
{
    return fill(attempt, (size_t)attempt->task->row->detail, count);
}

static bool run_fill_wide(struct attempt *attempt, size_t count)
{
    return fill(attempt, 128, count);
}

static void set_mapped(const struct attempt *attempt, void *mapped)
{
    memset(mapped, (int)(set_value(attempt->task) & 0xFF), attempt->task->bytes);
}

static void set_mapped_rows(const struct attempt *attempt, void *mapped)
{
    const struct task *task = attempt->task;
    for (size_t slice = 0; slice < task->slices; slice++)
        for (size_t y = 0; y < task->rows; y++)
            memset((char *)mapped + (slice * task->slice_rows + y) * task->target_pitch,
                   (int)(set_value(task) & 0xFF), task->row_bytes);
}

static bool run_map(struct attempt *attempt, size_t count)
{
    struct set *set = attempt->state;
    return raw_map(attempt, set->raw, &set->target, CL_MAP_WRITE_INVALIDATE_REGION, count,
                   set_mapped);
}

static bool run_map_rows(struct attempt *attempt, size_t count)
{
    struct set *set = attempt->state;
    return raw_map(attempt, set->raw, &set->target, CL_MAP_WRITE, count, set_mapped_rows);
}

static bool run_rows(struct attempt *attempt, enum kernel_kind kind, size_t count)
{
    static const char *const names[] = {"rect_set_items", "rect_set_chunk", "rect_set_streaming"};
    struct set *set = attempt->state;
    size_t pitch = attempt->task->target_pitch;
    return raw_rect_make(attempt, set->raw, &set->kernels[kind], names[kind], set->target.buffer,
                         pitch, NULL, pitch) &&
           raw_kernel_run(attempt, set->raw, &set->kernels[kind].kernel, count);
}

static bool run_row_items(struct attempt *attempt, size_t count)
{
    return run_rows(attempt, ITEMS, count);
}

static bool run_row_chunks(struct attempt *attempt, size_t count)
{
    return run_rows(attempt, CHUNK, count);
}

#define FORM(verb, form_number)                                                                    \
    static bool run_##verb(struct attempt *attempt, size_t count)                                  \
    {                                                                                              \
        struct set *set = attempt->state;                                                          \
        return raw_form_run(attempt, set->raw, &set->form, PEAK_WRITE, form_number, &set->target,  \
                            NULL, NULL, count);                                                    \
    }                                                                                              \
    static bool verb##_suits(const struct attempt *attempt)                                        \
    {                                                                                              \
        return is_linear(attempt) && form_suits(attempt->device, PEAK_WRITE, form_number);         \
    }
FORM(item, FORM_ITEM)
FORM(chunked, FORM_CHUNKED)
FORM(streaming, FORM_STREAMING)

static const struct method methods[] = {
    {"clEnqueueFillBuffer", is_linear, run_fill},
    {"clEnqueueFillBuffer, 128", is_linear, run_fill_wide},
    {"map, memset", is_bytes, run_map},
    {"map, memset of rows", has_rows, run_map_rows},
    {"kernel, item", item_suits, run_item},
    {"kernel, chunked", chunked_suits, run_chunked},
    {"kernel, streaming", streaming_suits, run_streaming},
    {"kernel, items", has_rows, run_row_items},
    {"kernel, chunks", rows_on_cpu, run_row_chunks},
    {NULL, NULL, NULL},
};

const struct way raw_set = {open_set, poison_set, verify_set, close_set, methods};
