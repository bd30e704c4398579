/* Copies of rows with padding between them, through the CUDA API.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/cuda_side.h"

struct rect {
    struct span source, target;
};

static bool open_rect(struct attempt *attempt)
{
    const struct task *task = attempt->task;
    struct rect *rect = attempt->state = calloc(1, sizeof *rect);
    if (!rect)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    return span_take(attempt, &rect->source, task->row->source, source_bytes(task)) &&
           span_take(attempt, &rect->target, task->row->target, target_bytes(task)) &&
           span_fill(attempt, &rect->source, PATTERN_WORDS);
}

static bool poison_rect(struct attempt *attempt)
{
    struct rect *rect = attempt->state;
    return span_poison(attempt, &rect->target);
}

static bool verify_rect(struct attempt *attempt)
{
    struct rect *rect = attempt->state;
    return span_check(attempt, &rect->target, CONTENT_COPY);
}

static void close_rect(struct attempt *attempt)
{
    struct rect *rect = attempt->state;
    if (!rect)
        return;
    span_give(&rect->source);
    span_give(&rect->target);
    free(rect);
}

static bool is_on_device(const struct attempt *attempt)
{
    return attempt->task->row->source == DEVICE && attempt->task->row->target == DEVICE;
}

static bool touches_host(const struct attempt *attempt)
{
    return !is_on_device(attempt);
}

static bool run_copy(struct attempt *attempt, size_t count)
{
    struct rect *rect = attempt->state;
    const struct task *task = attempt->task;
    enum cudaMemcpyKind kind =
        task->row->source == DEVICE ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = cudaMemcpy2D(rect->target.pointer, task->target_pitch, rect->source.pointer,
                             task->source_pitch, task->row_bytes, task->rows, kind);
    return cuda_ok(attempt, error, "cudaMemcpy2D");
}

static bool run_copy_async(struct attempt *attempt, size_t count)
{
    struct rect *rect = attempt->state;
    const struct task *task = attempt->task;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = cudaMemcpy2DAsync(rect->target.pointer, task->target_pitch, rect->source.pointer,
                                  task->source_pitch, task->row_bytes, task->rows,
                                  cudaMemcpyDeviceToDevice, NULL);
    return cuda_ok(attempt, error, "cudaMemcpy2DAsync") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static const struct method methods[] = {
    {"cudaMemcpy2D", touches_host, run_copy},
    {"cudaMemcpy2DAsync", is_on_device, run_copy_async},
    {NULL, NULL, NULL},
};

const struct way cuda_rect = {open_rect, poison_rect, verify_rect, close_rect, methods};
