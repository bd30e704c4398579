/* What a run tells first, as text: a device in twenty lines, and a few more where kernels are measured as CUDA code too.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench/first.h"

enum { BAR = 40 };

static void device_line(FILE *file, const struct device_facts *facts)
{
    fprintf(file, "\n%.30s; ", facts->name);
    if (facts->opencl[0])
        fprintf(file, "%.*s ", (int)strcspn(facts->opencl, ","), facts->opencl);
    fprintf(file, "%.12s; %d compute units, %.1f GiB\n", facts->driver, facts->compute_units,
            (double)facts->memory_bytes / (1 << 30));
}

static void rate(FILE *file, const char *words, double value)
{
    if (value > 0)
        fprintf(file, " %s %.*f", words, value < 100 ? 1 : 0, value);
}

/* Arrays that a cache holds in part are said to be small. */
static void peak_line(FILE *file, const struct first *first)
{
    char size[24];
    text_size(size, (size_t)first->bytes);
    fputs("peaks, GB/s:", file);
    rate(file, "read", first->peaks[TRAFFIC_READ]);
    rate(file, "written", first->peaks[TRAFFIC_WRITE]);
    rate(file, "copied", first->peaks[TRAFFIC_COPY]);
    rate(file, "host's link", first->peaks[TRAFFIC_LINK]);
    fprintf(file, " (arrays of %s", size);
    if (first->caches > 0)
        fprintf(file, ": %.1f times the cache%s", first->caches,
                first->caches < 4 ? ", small" : "");
    fputs(")\n", file);
}

static void bar(FILE *file, double share)
{
    const int length = (int)(share * BAR + 0.5);
    for (int i = 0; i < length; i++)
        fputc('#', file);
    fputc('\n', file);
}

static void pattern_line(FILE *file, const struct first_pattern *pattern)
{
    fprintf(file, "  %-30s", pattern->words);
    if (pattern->rate > 0)
        fprintf(file, " %8.*f GB/s %4.0f %%  ", pattern->rate < 10 ? 2 : 1, pattern->rate,
                100 * pattern->share);
    else
        fprintf(file, "        - not measured");
    bar(file, pattern->share);
}

static bool has_translated(const struct first *first)
{
    for (size_t i = 0; i < FIRST_PATTERNS; i++)
        if (first->patterns[i].translated > 0)
            return true;
    return false;
}

/* What the compiler of a CUDA program and clem make of the same kernels, which need not be what the driver makes of OpenCL C. */
static void translated_lines(FILE *file, const struct first *first)
{
    if (!has_translated(first))
        return;
    fputs("the same kernels as CUDA code through clem:\n", file);
    for (size_t i = 0; i < FIRST_PATTERNS; i++) {
        const struct first_pattern *pattern = &first->patterns[i];
        if (pattern->translated > 0)
            fprintf(file, "  %-30s %8.*f GB/s%s%.3g\n", pattern->words,
                    pattern->translated < 10 ? 2 : 1, pattern->translated,
                    pattern->rate > 0 ? ", times as fast: " : "",
                    pattern->rate > 0 ? pattern->translated / pattern->rate : 0);
    }
}

static bool has_any(const struct first *first)
{
    for (size_t i = 0; i < FIRST_PATTERNS; i++)
        if (first->patterns[i].rate > 0)
            return true;
    return false;
}

void report_first(FILE *file, const struct device_report *device)
{
    struct first first;
    first_judge(device, &first);
    if (!has_any(&first))
        return;
    device_line(file, &device->facts);
    if (first.bytes > 0)
        peak_line(file, &first);
    for (size_t i = 0; i < FIRST_PATTERNS; i++)
        pattern_line(file, &first.patterns[i]);
    translated_lines(file, &first);
    for (size_t i = 0; i < first.worst_count; i++) {
        const struct first_pattern *pattern = &first.patterns[first.worst[i]];
        fprintf(file, "%s %s: %s\n", i == 0 ? "slowest:" : "        ", pattern->words,
                pattern->why);
    }
}
