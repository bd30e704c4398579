/* A kernel that reads each word of mapped host memory, or of device memory, several times.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/cuda_side.h"

enum { GROUP = 256 };

struct touch {
    struct span source, sums;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned touches;
};

static bool open_touch(struct attempt *attempt)
{
    const struct task *task = attempt->task;
    struct touch *touch = attempt->state = calloc(1, sizeof *touch);
    if (!touch)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    touch->touches = (unsigned)task->row->detail;
    return span_take(attempt, &touch->source, task->row->source, task->bytes) &&
           span_take(attempt, &touch->sums, DEVICE, task->bytes / 4) &&
           span_fill(attempt, &touch->source, PATTERN_WORDS) &&
           kernels_load(attempt, KERNELS_PEAK, &touch->library) &&
           cuda_ok(attempt, cudaLibraryGetKernel(&touch->kernel, touch->library, "touch_read"),
                   "cudaLibraryGetKernel");
}

static bool poison_touch(struct attempt *attempt)
{
    struct touch *touch = attempt->state;
    return span_poison(attempt, &touch->sums);
}

static bool verify_touch(struct attempt *attempt)
{
    struct touch *touch = attempt->state;
    uint32_t sum;
    if (!span_sum(attempt, &touch->sums, touch->sums.bytes, &sum))
        return false;
    return sum == touch->touches * pattern_sum(attempt->task->bytes) || attempt_wrong(attempt, 0);
}

static void close_touch(struct attempt *attempt)
{
    struct touch *touch = attempt->state;
    if (!touch)
        return;
    if (touch->library)
        cudaLibraryUnload(touch->library);
    span_give(&touch->source);
    span_give(&touch->sums);
    free(touch);
}

static bool run_touch(struct attempt *attempt, size_t count)
{
    struct touch *touch = attempt->state;
    const size_t words = attempt->task->bytes / 16;
    const unsigned group = words < GROUP ? (unsigned)words : GROUP;
    const dim3 grid = {(unsigned)(words / group), 1, 1}, block = {group, 1, 1};
    void *arguments[] = {&touch->sums.device, &touch->source.device, &touch->touches};
    bool queued = true;
    for (size_t i = 0; queued && i < count; i++)
        queued = cuda_ok(
            attempt, cudaLaunchKernel((const void *)touch->kernel, grid, block, arguments, 0, NULL),
            "cudaLaunchKernel");
    return cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize") && queued;
}

static const struct method methods[] = {{"kernel", NULL, run_touch}, {NULL, NULL, NULL}};

const struct way cuda_touch = {open_touch, poison_touch, verify_touch, close_touch, methods};
