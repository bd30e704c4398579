/* What a run tells first: bench/first.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/first.h"

#include <string.h>

#include "bench/selector.h"

/* How a pattern uses memory: READ, WRITE and COPY as they are named; to and from the host. */
enum use { USE_READ, USE_WRITE, USE_COPY, USE_IN, USE_OUT };

struct pattern {
    const char *words; /* NULL: a peak */
    enum use use;
    const char *selector, *why_cpu, *why_gpu;
};

#define PEAK(use, selector) {NULL, USE_##use, selector, NULL, NULL},
#define PATTERN(words, use, selector, why_cpu, why_gpu)                                            \
    {words, USE_##use, selector, why_cpu, why_gpu},
static const struct pattern patterns[] = {
#include "bench/first.def"
};
#undef PEAK
#undef PATTERN
enum { PATTERNS = sizeof patterns / sizeof *patterns };

bool first_takes(const struct task *task)
{
    struct selector selector;
    for (size_t i = 0; i < PATTERNS; i++)
        if (selector_parse(patterns[i].selector, &selector) && selector_fits(&selector, task))
            return true;
    return false;
}

static bool is_measured(const struct result *result)
{
    return result->status == STATUS_OK && result->by[BY_CUDA].method &&
           unit_of(&result->task) == UNIT_GB_S;
}

/* The largest of those that the selector names, or NULL. */
static const struct result *largest(const char *text, const struct device_report *device)
{
    struct selector selector;
    const struct result *found = NULL;
    if (!selector_parse(text, &selector))
        return NULL;
    for (size_t i = 0; i < device->count; i++) {
        const struct result *result = &device->results[i];
        if (is_measured(result) && selector_fits(&selector, &result->task) &&
            (!found || result->task.bytes > found->task.bytes))
            found = result;
    }
    return found;
}

/* On a CPU a copy between host and device reads and writes the same memory, and its bytes were counted once. On a GPU the
 * device's memory is only written, or read. */
static enum traffic traffic_of(enum use use, bool is_cpu)
{
    switch (use) {
    case USE_READ:
        return TRAFFIC_READ;
    case USE_WRITE:
        return TRAFFIC_WRITE;
    case USE_IN:
        return is_cpu ? TRAFFIC_COPY : TRAFFIC_WRITE;
    case USE_OUT:
        return is_cpu ? TRAFFIC_COPY : TRAFFIC_READ;
    case USE_COPY:
        break;
    }
    return TRAFFIC_COPY;
}

/* What the memory did, in GB/s. */
static double traffic_rate(enum use use, bool is_cpu, double rate)
{
    return is_cpu && (use == USE_IN || use == USE_OUT) ? 2 * rate : rate;
}

static double rate_of(const struct result *result)
{
    return result ? value_of(&result->task, result->by[BY_CUDA].time.median) : 0;
}

/* A pattern that is faster than the kernels meant to be the fastest is the peak. Smaller arrays than theirs tell of caches. */
static void raise_peak(struct first *first, const struct pattern *pattern, bool is_cpu,
                       const struct result *result)
{
    double *peak = &first->peaks[traffic_of(pattern->use, is_cpu)];
    const double rate = traffic_rate(pattern->use, is_cpu, rate_of(result));
    if (result && result->task.bytes >= first->bytes && rate > *peak)
        *peak = rate;
}

static void find_bytes(struct first *first, const struct device_report *device)
{
    for (size_t i = 0; i < PATTERNS; i++) {
        const struct result *result =
            patterns[i].words ? NULL : largest(patterns[i].selector, device);
        if (result && result->task.bytes > first->bytes)
            first->bytes = result->task.bytes;
    }
    if (device->facts.cache_bytes)
        first->caches = (double)first->bytes / (double)device->facts.cache_bytes;
}

/* Keeps the slowest in order. */
static void rank(struct first *first, size_t pattern)
{
    const double share = first->patterns[pattern].share;
    size_t at = first->worst_count;
    if (share <= 0)
        return;
    while (at > 0 && first->patterns[first->worst[at - 1]].share > share)
        at--;
    if (at == FIRST_WORST)
        return;
    if (first->worst_count < FIRST_WORST)
        first->worst_count++;
    for (size_t i = first->worst_count - 1; i > at; i--)
        first->worst[i] = first->worst[i - 1];
    first->worst[at] = pattern;
}

static void judge(struct first *first, size_t index, const struct pattern *pattern, bool is_cpu)
{
    struct first_pattern *judged = &first->patterns[index];
    const double peak = first->peaks[traffic_of(pattern->use, is_cpu)];
    judged->words = pattern->words;
    judged->why = is_cpu ? pattern->why_cpu : pattern->why_gpu;
    judged->rate = rate_of(judged->result);
    if (peak > 0)
        judged->share = traffic_rate(pattern->use, is_cpu, judged->rate) / peak;
    if (judged->share > 1) /* of a smaller array, in a cache */
        judged->share = 1;
    rank(first, index);
}

void first_judge(const struct device_report *device, struct first *first)
{
    const bool is_cpu = device->facts.is_cpu;
    size_t count = 0;
    *first = (struct first){0};
    find_bytes(first, device);
    for (size_t i = 0; i < PATTERNS; i++) {
        const struct result *result = largest(patterns[i].selector, device);
        raise_peak(first, &patterns[i], is_cpu, result);
        if (patterns[i].words)
            first->patterns[count++].result = result;
    }
    count = 0;
    for (size_t i = 0; i < PATTERNS; i++)
        if (patterns[i].words)
            judge(first, count++, &patterns[i], is_cpu);
}
