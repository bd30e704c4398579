/* Kernels that read, write, copy and add at full speed, through the CUDA API.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/cuda_side.h"

struct peak {
    struct span target, first, second;
    struct peak_launch launch;
};

static enum peak_detail what(const struct attempt *attempt)
{
    return (enum peak_detail)attempt->task->row->detail;
}

static bool take_sources(struct attempt *attempt, struct peak *peak)
{
    size_t bytes = attempt->task->bytes;
    bool triad = what(attempt) == PEAK_TRIAD;
    if (what(attempt) == PEAK_WRITE)
        return true;
    if (!span_take(attempt, &peak->first, DEVICE, bytes) ||
        !span_fill(attempt, &peak->first, triad ? PATTERN_FIRST : PATTERN_WORDS))
        return false;
    return !triad || (span_take(attempt, &peak->second, DEVICE, bytes) &&
                      span_fill(attempt, &peak->second, PATTERN_SECOND));
}

static bool open_peak(struct attempt *attempt)
{
    struct peak *peak = attempt->state = calloc(1, sizeof *peak);
    if (!peak)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    size_t bytes = form_target_bytes(attempt->device, what(attempt), attempt->task->bytes);
    if (!span_take(attempt, &peak->target, DEVICE, bytes) || !take_sources(attempt, peak))
        return false;
    peak->launch.target = peak->target.device;
    peak->launch.first = peak->first.device;
    peak->launch.second = peak->second.device;
    peak->launch.value = set_value(attempt->task);
    return kernels_load(attempt, KERNELS_PEAK, &peak->launch.library);
}

static bool poison_peak(struct attempt *attempt)
{
    struct peak *peak = attempt->state;
    return span_poison(attempt, &peak->target);
}

static bool verify_sums(struct attempt *attempt, struct peak *peak)
{
    uint32_t sum;
    size_t items = peak->launch.geometry.groups * peak->launch.geometry.local;
    if (!span_sum(attempt, &peak->target, items * sizeof sum, &sum))
        return false;
    return sum == pattern_sum(attempt->task->bytes) || attempt_wrong(attempt, 0);
}

static bool verify_peak(struct attempt *attempt)
{
    struct peak *peak = attempt->state;
    if (what(attempt) == PEAK_READ)
        return verify_sums(attempt, peak);
    return span_check(attempt, &peak->target, content_of(attempt->task));
}

static void close_peak(struct attempt *attempt)
{
    struct peak *peak = attempt->state;
    if (!peak)
        return;
    if (peak->launch.library)
        cudaLibraryUnload(peak->launch.library);
    span_give(&peak->target);
    span_give(&peak->first);
    span_give(&peak->second);
    free(peak);
}

static bool run_form(struct attempt *attempt, enum kernel_form form, size_t count)
{
    struct peak *peak = attempt->state;
    if ((!peak->launch.kernel || peak->launch.form != form) &&
        !peak_prepare(attempt, &peak->launch, what(attempt), form, attempt->task->bytes))
        return false;
    return peak_run(attempt, &peak->launch, count);
}

/* A method for each form. */
#define FORM(verb, form)                                                                           \
    static bool run_##verb(struct attempt *attempt, size_t count)                                  \
    {                                                                                              \
        return run_form(attempt, form, count);                                                     \
    }                                                                                              \
    static bool verb##_suits(const struct attempt *attempt)                                        \
    {                                                                                              \
        return form_suits(attempt->device, what(attempt), form);                                   \
    }
FORM(item, FORM_ITEM)
FORM(interleaved, FORM_INTERLEAVED)
FORM(chunked, FORM_CHUNKED)
FORM(streaming, FORM_STREAMING)

static const struct method methods[] = {
    {"item", item_suits, run_item},
    {"interleaved", interleaved_suits, run_interleaved},
    {"chunked", chunked_suits, run_chunked},
    {"streaming", streaming_suits, run_streaming},
    {NULL, NULL, NULL},
};

const struct way cuda_peak = {open_peak, poison_peak, verify_peak, close_peak, methods};
