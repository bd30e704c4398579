/* What small calls cost: launches, 4-byte copies, queries, event records, pointer lookups.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_side.h"

/* Enough for one 4-byte copy and every size of neighbour. */
#define SMALL 256

struct overhead {
    struct span host, device;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cudaEvent_t event;
    void **live;
    size_t live_count;
};

static bool take_neighbours(struct attempt *attempt, struct overhead *overhead)
{
    overhead->live = calloc(attempt->task->live, sizeof *overhead->live);
    if (!overhead->live)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    for (; overhead->live_count < attempt->task->live; overhead->live_count++)
        if (!cuda_ok(attempt, cudaMalloc(&overhead->live[overhead->live_count], SMALL),
                     "cudaMalloc"))
            return false;
    return true;
}

static bool open_overhead(struct attempt *attempt)
{
    const struct task *task = attempt->task;
    struct overhead *overhead = attempt->state = calloc(1, sizeof *overhead);
    if (!overhead)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    enum place place = task->row->source == NOWHERE ? PAGEABLE : task->row->source;
    if (place == DEVICE) /* what is copied out of is the other one */
        place = PAGEABLE;
    if (!span_take(attempt, &overhead->host, place, SMALL) ||
        !span_take(attempt, &overhead->device, DEVICE, SMALL))
        return false;
    if (task->row->work == WORK_LAUNCH)
        return kernels_load(attempt, KERNELS_PEAK, &overhead->library) &&
               cuda_ok(attempt,
                       cudaLibraryGetKernel(&overhead->kernel, overhead->library,
                                            task->row->detail == LAUNCH_ARGUMENTS
                                                ? "bench_arguments"
                                                : "bench_empty"),
                       "cudaLibraryGetKernel");
    if (task->row->detail == CALL_RECORD)
        return cuda_ok(attempt, cudaEventCreate(&overhead->event), "cudaEventCreate");
    return task->live == 0 || take_neighbours(attempt, overhead);
}

static bool is_copy(const struct attempt *attempt)
{
    return attempt->task->row->work == WORK_CALL && attempt->task->row->detail <= CALL_COPY_ASYNC;
}

static bool poison_overhead(struct attempt *attempt)
{
    struct overhead *overhead = attempt->state;
    if (!is_copy(attempt))
        return true;
    bool out = attempt->task->row->detail == CALL_COPY_OUT;
    return span_fill(attempt, out ? &overhead->device : &overhead->host, PATTERN_WORDS) &&
           span_poison(attempt, out ? &overhead->host : &overhead->device);
}

/* The 4 bytes have arrived. The other calls move no data. */
static bool verify_overhead(struct attempt *attempt)
{
    struct overhead *overhead = attempt->state;
    uint32_t expected[2], arrived = 0;
    if (!is_copy(attempt))
        return true;
    pattern_fill(expected, sizeof expected, PATTERN_WORDS, 0);
    if (attempt->task->row->detail == CALL_COPY_OUT)
        memcpy(&arrived, overhead->host.pointer, 4);
    else if (!cuda_ok(attempt,
                      cudaMemcpy(&arrived, overhead->device.pointer, 4, cudaMemcpyDeviceToHost),
                      "cudaMemcpy"))
        return false;
    return arrived == expected[0] || attempt_wrong(attempt, 0);
}

static void close_overhead(struct attempt *attempt)
{
    struct overhead *overhead = attempt->state;
    if (!overhead)
        return;
    while (overhead->live_count)
        cudaFree(overhead->live[--overhead->live_count]);
    free(overhead->live);
    if (overhead->event)
        cudaEventDestroy(overhead->event);
    if (overhead->library)
        cudaLibraryUnload(overhead->library);
    span_give(&overhead->host);
    span_give(&overhead->device);
    free(overhead);
}

static bool run_launch(struct attempt *attempt, size_t count)
{
    struct overhead *overhead = attempt->state;
    dim3 one = {1, 1, 1};
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        error = cudaLaunchKernel((const void *)overhead->kernel, one, one, NULL, 0, NULL);
        if (error == cudaSuccess && attempt->task->row->detail == LAUNCH_SYNC)
            error = cudaStreamSynchronize(NULL);
    }
    return cuda_ok(attempt, error, "cudaLaunchKernel") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

/* Other arguments each time. */
static bool run_launch_arguments(struct attempt *attempt, size_t count)
{
    struct overhead *overhead = attempt->state;
    const dim3 one = {1, 1, 1};
    char *memory[2] = {overhead->device.pointer, overhead->device.pointer};
    unsigned long long number = 0;
    void *arguments[] = {&memory[0], &memory[1], &number};
    cudaError_t error = cudaSuccess;
    for (; error == cudaSuccess && number < count; number++) {
        memory[1] = memory[0] + 128 * (number % 2);
        error = cudaLaunchKernel((const void *)overhead->kernel, one, one, arguments, 0, NULL);
    }
    return cuda_ok(attempt, error, "cudaLaunchKernel") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static bool has_arguments(const struct attempt *attempt)
{
    return attempt->task->row->detail == LAUNCH_ARGUMENTS;
}

static bool has_no_arguments(const struct attempt *attempt)
{
    return !has_arguments(attempt);
}

static cudaError_t copy_in(struct overhead *overhead)
{
    return cudaMemcpy(overhead->device.pointer, overhead->host.pointer, 4, cudaMemcpyHostToDevice);
}

static cudaError_t copy_out(struct overhead *overhead)
{
    return cudaMemcpy(overhead->host.pointer, overhead->device.pointer, 4, cudaMemcpyDeviceToHost);
}

static cudaError_t copy_async(struct overhead *overhead)
{
    return cudaMemcpyAsync(overhead->device.pointer, overhead->host.pointer, 4,
                           cudaMemcpyHostToDevice, NULL);
}

static cudaError_t query(struct overhead *overhead)
{
    (void)overhead;
    return cudaStreamQuery(NULL);
}

static cudaError_t record(struct overhead *overhead)
{
    return cudaEventRecord(overhead->event, NULL);
}

/* A different neighbour each time, far from the last one; or the one pointer that is not the device's. */
static cudaError_t look_up(struct overhead *overhead)
{
    static size_t turn;
    struct cudaPointerAttributes attributes;
    if (overhead->live_count == 0)
        return cudaPointerGetAttributes(&attributes, overhead->host.pointer);
    turn += 7919;
    return cudaPointerGetAttributes(&attributes, overhead->live[turn % overhead->live_count]);
}

static bool run_calls(struct attempt *attempt, size_t count)
{
    static cudaError_t (*const calls[])(struct overhead *) = {
        [CALL_COPY_IN] = copy_in, [CALL_COPY_OUT] = copy_out, [CALL_COPY_ASYNC] = copy_async,
        [CALL_QUERY] = query,     [CALL_RECORD] = record,     [CALL_POINTER] = look_up};
    cudaError_t (*call)(struct overhead *) = calls[attempt->task->row->detail];
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = call(attempt->state);
    return cuda_ok(attempt, error, attempt->task->row->name) &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static const struct method launch_methods[] = {
    {"cudaLaunchKernel", has_no_arguments, run_launch},
    {"cudaLaunchKernel with arguments", has_arguments, run_launch_arguments},
    {NULL, NULL, NULL}};
static const struct method call_methods[] = {{"the call", NULL, run_calls}, {NULL, NULL, NULL}};

const struct way cuda_launch = {open_overhead, NULL, NULL, close_overhead, launch_methods};
const struct way cuda_call = {open_overhead, poison_overhead, verify_overhead, close_overhead,
                              call_methods};
