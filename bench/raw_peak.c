/* The kernels of kernels/peak.cl in raw OpenCL.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/raw_opencl.h"

struct peak {
    struct raw *raw;
    struct raw_memory target, first, second;
    struct raw_form form;
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
    if (!raw_take(attempt, peak->raw, &peak->first, DEVICE, bytes) ||
        !raw_fill(attempt, peak->raw, &peak->first, triad ? PATTERN_FIRST : PATTERN_WORDS))
        return false;
    return !triad || (raw_take(attempt, peak->raw, &peak->second, DEVICE, bytes) &&
                      raw_fill(attempt, peak->raw, &peak->second, PATTERN_SECOND));
}

static bool open_peak(struct attempt *attempt)
{
    struct peak *peak = attempt->state = calloc(1, sizeof *peak);
    if (!peak)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    size_t bytes = form_target_bytes(attempt->device, what(attempt), attempt->task->bytes);
    peak->raw = raw_open(attempt);
    return peak->raw && raw_take(attempt, peak->raw, &peak->target, DEVICE, bytes) &&
           take_sources(attempt, peak);
}

static bool poison_peak(struct attempt *attempt)
{
    struct peak *peak = attempt->state;
    return raw_poison(attempt, peak->raw, &peak->target);
}

static bool verify_sums(struct attempt *attempt, struct peak *peak)
{
    uint32_t sum;
    if (!raw_sum(attempt, peak->raw, &peak->target, peak->form.kernel.global[0] * sizeof sum, &sum))
        return false;
    return sum == pattern_sum(attempt->task->bytes) || attempt_wrong(attempt, 0);
}

static bool verify_peak(struct attempt *attempt)
{
    struct peak *peak = attempt->state;
    if (what(attempt) == PEAK_READ)
        return verify_sums(attempt, peak);
    return raw_check(attempt, peak->raw, &peak->target, content_of(attempt->task));
}

static void close_peak(struct attempt *attempt)
{
    struct peak *peak = attempt->state;
    if (!peak)
        return;
    raw_kernel_close(&peak->form.kernel);
    raw_give(peak->raw, &peak->target);
    raw_give(peak->raw, &peak->first);
    raw_give(peak->raw, &peak->second);
    free(peak);
}

#define FORM(verb, form_number)                                                                    \
    static bool run_##verb(struct attempt *attempt, size_t count)                                  \
    {                                                                                              \
        struct peak *peak = attempt->state;                                                        \
        return raw_form_run(attempt, peak->raw, &peak->form, what(attempt), form_number,           \
                            &peak->target, &peak->first, &peak->second, count);                    \
    }                                                                                              \
    static bool verb##_suits(const struct attempt *attempt)                                        \
    {                                                                                              \
        return form_suits(attempt->device, what(attempt), form_number);                            \
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

const struct way raw_peak = {open_peak, poison_peak, verify_peak, close_peak, methods};
