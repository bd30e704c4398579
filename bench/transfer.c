/* Copies of one block through the CUDA API, from and to each kind of memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/cuda_side.h"

struct transfer {
    struct span source, target;
    struct peak_launch launch; /* for mapped memory, which a kernel reads or writes */
};

static bool is_mapped(const struct attempt *attempt)
{
    return attempt->task->row->source == MAPPED || attempt->task->row->target == MAPPED;
}

static bool open_transfer(struct attempt *attempt)
{
    const struct task *task = attempt->task;
    struct transfer *transfer = attempt->state = calloc(1, sizeof *transfer);
    if (!transfer)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    if (!span_take(attempt, &transfer->source, task->row->source, task->bytes) ||
        !span_take(attempt, &transfer->target, task->row->target, task->bytes) ||
        !span_fill(attempt, &transfer->source, PATTERN_WORDS))
        return false;
    transfer->launch.target = transfer->target.device;
    transfer->launch.first = transfer->source.device;
    return !is_mapped(attempt) || kernels_load(attempt, KERNELS_PEAK, &transfer->launch.library);
}

static bool poison_transfer(struct attempt *attempt)
{
    struct transfer *transfer = attempt->state;
    return span_poison(attempt, &transfer->target);
}

static bool verify_transfer(struct attempt *attempt)
{
    struct transfer *transfer = attempt->state;
    return span_check(attempt, &transfer->target, CONTENT_COPY);
}

static void close_transfer(struct attempt *attempt)
{
    struct transfer *transfer = attempt->state;
    if (!transfer)
        return;
    if (transfer->launch.library)
        cudaLibraryUnload(transfer->launch.library);
    span_give(&transfer->source);
    span_give(&transfer->target);
    free(transfer);
}

static enum cudaMemcpyKind kind_of(const struct row *row)
{
    if (row->source != DEVICE)
        return cudaMemcpyHostToDevice;
    return row->target == DEVICE ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
}

static bool is_pageable(const struct attempt *attempt)
{
    return attempt->task->row->source == PAGEABLE || attempt->task->row->target == PAGEABLE;
}

static bool copies_async(const struct attempt *attempt)
{
    return !is_pageable(attempt) && !is_mapped(attempt);
}

static bool run_memcpy(struct attempt *attempt, size_t count)
{
    struct transfer *transfer = attempt->state;
    enum cudaMemcpyKind kind = kind_of(attempt->task->row);
    for (size_t i = 0; i < count; i++) {
        cudaError_t error = cudaMemcpy(transfer->target.pointer, transfer->source.pointer,
                                       attempt->task->bytes, kind);
        if (error != cudaSuccess)
            return cuda_ok(attempt, error, "cudaMemcpy");
    }
    return true;
}

static bool run_memcpy_async(struct attempt *attempt, size_t count)
{
    struct transfer *transfer = attempt->state;
    enum cudaMemcpyKind kind = kind_of(attempt->task->row);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = cudaMemcpyAsync(transfer->target.pointer, transfer->source.pointer,
                                attempt->task->bytes, kind, NULL);
    return cuda_ok(attempt, error, "cudaMemcpyAsync") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static bool run_form(struct attempt *attempt, enum kernel_form form, size_t count)
{
    struct transfer *transfer = attempt->state;
    if ((!transfer->launch.kernel || transfer->launch.form != form) &&
        !peak_prepare(attempt, &transfer->launch, PEAK_COPY, form, attempt->task->bytes))
        return false;
    return peak_run(attempt, &transfer->launch, count);
}

static bool run_item(struct attempt *attempt, size_t count)
{
    return run_form(attempt, FORM_ITEM, count);
}

static bool run_chunked(struct attempt *attempt, size_t count)
{
    return run_form(attempt, FORM_CHUNKED, count);
}

static bool run_streaming(struct attempt *attempt, size_t count)
{
    return run_form(attempt, FORM_STREAMING, count);
}

static bool item_suits(const struct attempt *attempt)
{
    return is_mapped(attempt) && form_suits(attempt->device, PEAK_COPY, FORM_ITEM);
}

static bool chunked_suits(const struct attempt *attempt)
{
    return is_mapped(attempt) && form_suits(attempt->device, PEAK_COPY, FORM_CHUNKED);
}

static bool streaming_suits(const struct attempt *attempt)
{
    return is_mapped(attempt) && form_suits(attempt->device, PEAK_COPY, FORM_STREAMING);
}

static const struct method methods[] = {
    {"cudaMemcpy", is_pageable, run_memcpy},
    {"cudaMemcpyAsync", copies_async, run_memcpy_async},
    {"kernel, item", item_suits, run_item},
    {"kernel, chunked", chunked_suits, run_chunked},
    {"kernel, streaming", streaming_suits, run_streaming},
    {NULL, NULL, NULL},
};

const struct way cuda_transfer = {open_transfer, poison_transfer, verify_transfer, close_transfer,
                                  methods};
