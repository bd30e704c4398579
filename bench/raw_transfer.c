/* Copies of one block in raw OpenCL: the command, a mapping, or a kernel.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/raw_opencl.h"

struct transfer {
    struct raw *raw;
    struct raw_memory source, target;
    struct raw_form form;
};

static bool open_transfer(struct attempt *attempt)
{
    const struct task *task = attempt->task;
    struct transfer *transfer = attempt->state = calloc(1, sizeof *transfer);
    if (!transfer)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    transfer->raw = raw_open(attempt);
    if (!transfer->raw ||
        !raw_take(attempt, transfer->raw, &transfer->source, task->row->source, task->bytes) ||
        !raw_take(attempt, transfer->raw, &transfer->target, task->row->target, task->bytes) ||
        !raw_fill(attempt, transfer->raw, &transfer->source, PATTERN_WORDS))
        return false;
    if (task->row->source != MAPPED && task->row->target != MAPPED)
        return true;
    return raw_learn(attempt, transfer->raw, &transfer->source) &&
           raw_learn(attempt, transfer->raw, &transfer->target);
}

static bool poison_transfer(struct attempt *attempt)
{
    struct transfer *transfer = attempt->state;
    return raw_poison(attempt, transfer->raw, &transfer->target);
}

static bool verify_transfer(struct attempt *attempt)
{
    struct transfer *transfer = attempt->state;
    return raw_check(attempt, transfer->raw, &transfer->target, CONTENT_COPY);
}

static void close_transfer(struct attempt *attempt)
{
    struct transfer *transfer = attempt->state;
    if (!transfer)
        return;
    raw_kernel_close(&transfer->form.kernel);
    raw_give(transfer->raw, &transfer->source);
    raw_give(transfer->raw, &transfer->target);
    free(transfer);
}

static bool is_write(const struct attempt *attempt)
{
    return attempt->task->row->source != DEVICE && attempt->task->row->source != MAPPED;
}

static bool is_read(const struct attempt *attempt)
{
    return attempt->task->row->target != DEVICE && attempt->task->row->target != MAPPED;
}

static bool is_copy(const struct attempt *attempt)
{
    return attempt->task->row->source == DEVICE && attempt->task->row->target == DEVICE;
}

static bool maps_target(const struct attempt *attempt)
{
    return attempt->task->row->source != DEVICE;
}

static bool maps_source(const struct attempt *attempt)
{
    return attempt->task->row->target != DEVICE;
}

static bool takes_kernel(const struct attempt *attempt)
{
    const struct row *row = attempt->task->row;
    return row->source == MAPPED || row->target == MAPPED || is_copy(attempt);
}

static bool run_write(struct attempt *attempt, size_t count)
{
    struct transfer *transfer = attempt->state;
    cl_bool blocking = attempt->task->row->source == PAGEABLE;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++)
        error = clEnqueueWriteBuffer(transfer->raw->queue, transfer->target.buffer, blocking, 0,
                                     attempt->task->bytes, transfer->source.host, 0, NULL, NULL);
    return raw_ok(attempt, error, "clEnqueueWriteBuffer") && raw_finish(attempt, transfer->raw);
}

static bool run_read(struct attempt *attempt, size_t count)
{
    struct transfer *transfer = attempt->state;
    cl_bool blocking = attempt->task->row->target == PAGEABLE;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++)
        error = clEnqueueReadBuffer(transfer->raw->queue, transfer->source.buffer, blocking, 0,
                                    attempt->task->bytes, transfer->target.host, 0, NULL, NULL);
    return raw_ok(attempt, error, "clEnqueueReadBuffer") && raw_finish(attempt, transfer->raw);
}

static bool run_copy(struct attempt *attempt, size_t count)
{
    struct transfer *transfer = attempt->state;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++)
        error =
            clEnqueueCopyBuffer(transfer->raw->queue, transfer->source.buffer,
                                transfer->target.buffer, 0, 0, attempt->task->bytes, 0, NULL, NULL);
    return raw_ok(attempt, error, "clEnqueueCopyBuffer") && raw_finish(attempt, transfer->raw);
}

static void copy_into(const struct attempt *attempt, void *mapped)
{
    const struct transfer *transfer = attempt->state;
    memcpy(mapped, transfer->source.host, attempt->task->bytes);
}

static void copy_from(const struct attempt *attempt, void *mapped)
{
    const struct transfer *transfer = attempt->state;
    memcpy(transfer->target.host, mapped, attempt->task->bytes);
}

static bool run_map_target(struct attempt *attempt, size_t count)
{
    struct transfer *transfer = attempt->state;
    return raw_map(attempt, transfer->raw, &transfer->target, CL_MAP_WRITE_INVALIDATE_REGION, count,
                   copy_into);
}

static bool run_map_source(struct attempt *attempt, size_t count)
{
    struct transfer *transfer = attempt->state;
    return raw_map(attempt, transfer->raw, &transfer->source, CL_MAP_READ, count, copy_from);
}

#define FORM(verb, form_number)                                                                    \
    static bool run_##verb(struct attempt *attempt, size_t count)                                  \
    {                                                                                              \
        struct transfer *transfer = attempt->state;                                                \
        return raw_form_run(attempt, transfer->raw, &transfer->form, PEAK_COPY, form_number,       \
                            &transfer->target, &transfer->source, NULL, count);                    \
    }                                                                                              \
    static bool verb##_suits(const struct attempt *attempt)                                        \
    {                                                                                              \
        return takes_kernel(attempt) && form_suits(attempt->device, PEAK_COPY, form_number);       \
    }
FORM(item, FORM_ITEM)
FORM(chunked, FORM_CHUNKED)
FORM(streaming, FORM_STREAMING)

static const struct method methods[] = {
    {"clEnqueueWriteBuffer", is_write, run_write},
    {"clEnqueueReadBuffer", is_read, run_read},
    {"clEnqueueCopyBuffer", is_copy, run_copy},
    {"map, memcpy", maps_target, run_map_target},
    {"map, memcpy", maps_source, run_map_source},
    {"kernel, item", item_suits, run_item},
    {"kernel, chunked", chunked_suits, run_chunked},
    {"kernel, streaming", streaming_suits, run_streaming},
    {NULL, NULL, NULL},
};

const struct way raw_transfer = {open_transfer, poison_transfer, verify_transfer, close_transfer,
                                 methods};
