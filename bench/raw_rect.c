/* Copies of rows with padding, in raw OpenCL: the command, a mapping, or a kernel.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Host memory is dense here, so a linear command and a kernel that adds the padding compete too. */
#include <stdlib.h>
#include <string.h>

#include "bench/raw_rect_kernels.h"

enum kernel_kind { ITEMS, CHUNK, STREAMING, KINDS };

struct rect {
    struct raw *raw;
    struct raw_memory source, target, dense;
    struct raw_rect_kernel kernels[KINDS];
};

static bool open_rect(struct attempt *attempt)
{
    const struct task *task = attempt->task;
    struct rect *rect = attempt->state = calloc(1, sizeof *rect);
    if (!rect)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    rect->raw = raw_open(attempt);
    return rect->raw &&
           raw_take(attempt, rect->raw, &rect->source, task->row->source, source_bytes(task)) &&
           raw_take(attempt, rect->raw, &rect->target, task->row->target, target_bytes(task)) &&
           raw_fill(attempt, rect->raw, &rect->source, PATTERN_WORDS);
}

static bool poison_rect(struct attempt *attempt)
{
    struct rect *rect = attempt->state;
    return raw_poison(attempt, rect->raw, &rect->target);
}

static bool verify_rect(struct attempt *attempt)
{
    struct rect *rect = attempt->state;
    return raw_check(attempt, rect->raw, &rect->target, CONTENT_COPY);
}

static void close_rect(struct attempt *attempt)
{
    struct rect *rect = attempt->state;
    if (!rect)
        return;
    for (int i = 0; i < KINDS; i++)
        raw_rect_close(&rect->kernels[i]);
    raw_give(rect->raw, &rect->source);
    raw_give(rect->raw, &rect->target);
    raw_give(rect->raw, &rect->dense);
    free(rect);
}

static bool is_write(const struct attempt *attempt)
{
    return attempt->task->row->source != DEVICE;
}

static bool is_read(const struct attempt *attempt)
{
    return attempt->task->row->target != DEVICE;
}

static bool is_copy(const struct attempt *attempt)
{
    return !is_write(attempt) && !is_read(attempt);
}

static bool copies_on_cpu(const struct attempt *attempt)
{
    return is_copy(attempt) && attempt->device->is_cpu;
}

static bool run_command(struct attempt *attempt, size_t count)
{
    static const size_t origin[3] = {0, 0, 0};
    struct rect *rect = attempt->state;
    const struct task *task = attempt->task;
    const size_t region[3] = {task->row_bytes, task->rows, 1};
    size_t from = task->source_pitch, to = task->target_pitch;
    cl_command_queue queue = rect->raw->queue;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++) {
        if (is_write(attempt))
            error =
                clEnqueueWriteBufferRect(queue, rect->target.buffer, CL_TRUE, origin, origin,
                                         region, to, 0, from, 0, rect->source.host, 0, NULL, NULL);
        else if (is_read(attempt))
            error =
                clEnqueueReadBufferRect(queue, rect->source.buffer, CL_TRUE, origin, origin, region,
                                        from, 0, to, 0, rect->target.host, 0, NULL, NULL);
        else
            error = clEnqueueCopyBufferRect(queue, rect->source.buffer, rect->target.buffer, origin,
                                            origin, region, from, 0, to, 0, 0, NULL, NULL);
    }
    return raw_ok(attempt, error, "a rectangle command") && raw_finish(attempt, rect->raw);
}

static void copy_rows(const struct task *task, char *to, const char *from)
{
    for (size_t y = 0; y < task->rows; y++)
        memcpy(to + y * task->target_pitch, from + y * task->source_pitch, task->row_bytes);
}

static void copy_into(const struct attempt *attempt, void *mapped)
{
    const struct rect *rect = attempt->state;
    copy_rows(attempt->task, mapped, rect->source.host);
}

static void copy_from(const struct attempt *attempt, void *mapped)
{
    const struct rect *rect = attempt->state;
    copy_rows(attempt->task, rect->target.host, mapped);
}

static bool run_map_target(struct attempt *attempt, size_t count)
{
    struct rect *rect = attempt->state;
    return raw_map(attempt, rect->raw, &rect->target, CL_MAP_WRITE, count, copy_into);
}

static bool run_map_source(struct attempt *attempt, size_t count)
{
    struct rect *rect = attempt->state;
    return raw_map(attempt, rect->raw, &rect->source, CL_MAP_READ, count, copy_from);
}

static bool run_kernel(struct attempt *attempt, enum kernel_kind kind, size_t count)
{
    static const char *const names[] = {"rect_copy_items", "rect_copy_chunk",
                                        "rect_copy_streaming"};
    struct rect *rect = attempt->state;
    const struct task *task = attempt->task;
    return raw_rect_make(attempt, rect->raw, &rect->kernels[kind], names[kind], rect->target.buffer,
                         task->target_pitch, rect->source.buffer, task->source_pitch) &&
           raw_kernel_run(attempt, rect->raw, &rect->kernels[kind].kernel, count);
}

static bool run_items(struct attempt *attempt, size_t count)
{
    return run_kernel(attempt, ITEMS, count);
}

static bool run_chunk(struct attempt *attempt, size_t count)
{
    return run_kernel(attempt, CHUNK, count);
}

static bool run_streaming(struct attempt *attempt, size_t count)
{
    return run_kernel(attempt, STREAMING, count);
}

/* The dense side goes through a device buffer of its own with one linear command; a kernel does the
 * padding. */
static bool prepare_dense(struct attempt *attempt, struct rect *rect)
{
    const struct task *task = attempt->task;
    bool write = is_write(attempt);
    const char *name = attempt->device->is_cpu ? "rect_copy_chunk" : "rect_copy_items";
    if (!rect->dense.buffer && !raw_take(attempt, rect->raw, &rect->dense, DEVICE, task->bytes))
        return false;
    return raw_rect_make(attempt, rect->raw, &rect->kernels[ITEMS], name,
                         write ? rect->target.buffer : rect->dense.buffer, task->target_pitch,
                         write ? rect->dense.buffer : rect->source.buffer, task->source_pitch);
}

static bool run_dense_write(struct attempt *attempt, size_t count)
{
    struct rect *rect = attempt->state;
    bool done = prepare_dense(attempt, rect);
    for (size_t i = 0; done && i < count; i++)
        done = raw_ok(attempt,
                      clEnqueueWriteBuffer(rect->raw->queue, rect->dense.buffer, CL_FALSE, 0,
                                           attempt->task->bytes, rect->source.host, 0, NULL, NULL),
                      "clEnqueueWriteBuffer") &&
               raw_kernel_run(attempt, rect->raw, &rect->kernels[ITEMS].kernel, 1);
    return done;
}

static bool run_dense_read(struct attempt *attempt, size_t count)
{
    struct rect *rect = attempt->state;
    const struct raw_kernel *kernel = &rect->kernels[ITEMS].kernel;
    bool done = prepare_dense(attempt, rect);
    for (size_t i = 0; done && i < count; i++)
        done = raw_ok(attempt,
                      clEnqueueNDRangeKernel(rect->raw->queue, kernel->kernel, kernel->dimensions,
                                             NULL, kernel->global, kernel->local, 0, NULL, NULL),
                      "clEnqueueNDRangeKernel") &&
               raw_ok(attempt,
                      clEnqueueReadBuffer(rect->raw->queue, rect->dense.buffer, CL_TRUE, 0,
                                          attempt->task->bytes, rect->target.host, 0, NULL, NULL),
                      "clEnqueueReadBuffer");
    return done;
}

static const struct method methods[] = {
    {"rectangle command", NULL, run_command},
    {"map, memcpy of rows", is_write, run_map_target},
    {"map, memcpy of rows", is_read, run_map_source},
    {"write, kernel", is_write, run_dense_write},
    {"kernel, read", is_read, run_dense_read},
    {"kernel, items", is_copy, run_items},
    {"kernel, chunks", copies_on_cpu, run_chunk},
    {"kernel, streaming", copies_on_cpu, run_streaming},
    {NULL, NULL, NULL},
};

const struct way raw_rect = {open_rect, poison_rect, verify_rect, close_rect, methods};
