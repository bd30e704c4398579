/* What a run tells first: bench/first.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/first.h"

#include <stdio.h>
#include <string.h>

#include "bench/selector.h"

/* How a pattern uses memory, as first.def says it. */
enum use { USE_READ, USE_WRITE, USE_COPY, USE_LINK, USE_MOVE };

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
_Static_assert(sizeof patterns / sizeof *patterns == FIRST_ROWS, "FIRST_PATTERNS counts them");

const char *first_selector(size_t row)
{
    return patterns[row].selector;
}

enum { SELECTOR_BYTES = 96 };

/* The selector of a pattern's idiom as CUDA C++; false: it has none. */
static bool translated_selector(const char *selector, char out[SELECTOR_BYTES])
{
    static const char idiom[] = "form=idiom";
    const char *at = strstr(selector, idiom);
    if (at)
        snprintf(out, SELECTOR_BYTES, "%.*sform=translated%s", (int)(at - selector), selector,
                 at + strlen(idiom));
    return at != NULL;
}

static bool fits(const char *text, const struct task *task)
{
    struct selector selector;
    return selector_parse(text, &selector) && selector_fits(&selector, task);
}

bool first_takes(const struct task *task)
{
    char translated[SELECTOR_BYTES];
    for (size_t i = 0; i < FIRST_ROWS; i++)
        if (fits(patterns[i].selector, task) ||
            (translated_selector(patterns[i].selector, translated) && fits(translated, task)))
            return true;
    return false;
}

static enum traffic traffic_of(enum use use, bool is_cpu)
{
    switch (use) {
    case USE_READ:
        return TRAFFIC_READ;
    case USE_WRITE:
        return TRAFFIC_WRITE;
    case USE_LINK:
    case USE_MOVE:
        return is_cpu ? TRAFFIC_COPY : TRAFFIC_LINK;
    case USE_COPY:
        break;
    }
    return TRAFFIC_COPY;
}

/* What memory or link did, in GB/s. A copy between host and device reads and writes a CPU's one memory, and its bytes were
 * counted once. */
static double traffic_rate(enum use use, bool is_cpu, double rate)
{
    return is_cpu && use == USE_LINK ? 2 * rate : rate;
}

/* A pattern that is faster than the kernels meant to be the fastest is the peak. Smaller arrays than theirs tell of caches. */
static void raise_peak(struct first *first, enum use use, bool is_cpu,
                       const struct first_measured *measured)
{
    double *peak = &first->peaks[traffic_of(use, is_cpu)];
    const double rate = traffic_rate(use, is_cpu, measured->rate);
    if (measured->bytes >= first->bytes && rate > *peak)
        *peak = rate;
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

static void weigh(struct first *first, size_t index, double rate, bool is_cpu)
{
    const struct pattern *pattern = &patterns[FIRST_PEAKS + index];
    struct first_pattern *weighed = &first->patterns[index];
    const double peak = first->peaks[traffic_of(pattern->use, is_cpu)];
    *weighed = (struct first_pattern){
        .words = pattern->words, .rate = rate, .why = is_cpu ? pattern->why_cpu : pattern->why_gpu};
    if (peak > 0)
        weighed->share = traffic_rate(pattern->use, is_cpu, rate) / peak;
    if (weighed->share > 1) /* of a smaller array, in a cache */
        weighed->share = 1;
    rank(first, index);
}

void first_weigh(const struct first_measured rows[FIRST_ROWS], bool is_cpu, double cache_bytes,
                 struct first *first)
{
    *first = (struct first){0};
    for (size_t i = 0; i < FIRST_PEAKS; i++)
        if (rows[i].rate > 0 && rows[i].bytes > first->bytes)
            first->bytes = rows[i].bytes;
    if (cache_bytes > 0)
        first->caches = first->bytes / cache_bytes;
    for (size_t i = 0; i < FIRST_ROWS; i++)
        raise_peak(first, patterns[i].use, is_cpu, &rows[i]);
    for (size_t i = 0; i < FIRST_PATTERNS; i++)
        weigh(first, i, rows[FIRST_PEAKS + i].rate, is_cpu);
}

static bool is_measured(const struct result *result)
{
    return result->status == STATUS_OK && result->by[BY_CUDA].method &&
           unit_of(&result->task) == UNIT_GB_S;
}

/* The largest of those that the selector names, of those alike the fastest. */
static struct first_measured largest(const char *text, const struct device_report *device)
{
    struct selector selector;
    struct first_measured found = {0};
    if (!selector_parse(text, &selector))
        return found;
    for (size_t i = 0; i < device->count; i++) {
        const struct result *result = &device->results[i];
        if (!is_measured(result) || !selector_fits(&selector, &result->task))
            continue;
        const struct first_measured measured = {
            value_of(&result->task, result->by[BY_CUDA].time.median), (double)result->task.bytes};
        if (measured.bytes > found.bytes ||
            (measured.bytes >= found.bytes && measured.rate > found.rate))
            found = measured;
    }
    return found;
}

void first_judge(const struct device_report *device, struct first *first)
{
    struct first_measured rows[FIRST_ROWS];
    for (size_t i = 0; i < FIRST_ROWS; i++)
        rows[i] = largest(patterns[i].selector, device);
    first_weigh(rows, device->facts.is_cpu, (double)device->facts.cache_bytes, first);
    for (size_t i = 0; i < FIRST_PATTERNS; i++) {
        char translated[SELECTOR_BYTES];
        if (translated_selector(first_selector(FIRST_PEAKS + i), translated))
            first->patterns[i].translated = largest(translated, device).rate;
    }
}
