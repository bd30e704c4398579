/* Histograms of bytes: atomics in global memory, in local memory, in copies of it, and none at all.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows: S2-20. */
#include <string.h>

#include "bench/fast.h"
#include "bench/study.h"

/* As in histogram.cl. */
#define GROUP  ((size_t)256)
#define VALUES ((size_t)256)

enum { GLOBAL, LOCAL, COPIES };

static const char *const variants[] = {"global", "local", "copies"};
static const char *const kernels[] = {"histogram_global", "histogram_local", "histogram_copies"};

/* Random bytes below a number, a power of two. */
static void fill_values(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    const uint32_t mask = (cell_parameter(cell, "values") - 1) * 0x01010101u;
    uint32_t *words = memory;
    (void)index;
    pattern_fill(memory, bytes, PATTERN_WORDS, 0);
#pragma omp parallel for
    for (size_t i = 0; i < bytes / 4; i++)
        words[i] &= mask;
}

static void fill_zero(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)cell, (void)index;
    memset(memory, 0, bytes);
}

/* Atomics in memory are slow on CPUs. */
static size_t source_words(const struct cell *cell)
{
    return cell->bytes / 4 / (cell->device->is_cpu ? 4 : 1);
}

static void describe_memory(const struct cell *cell, struct shot *shot)
{
    const size_t words = source_words(cell);
    shot->file = "histogram";
    shot->useful = 4 * (double)words;
    shot_pass(shot, shot_in(shot, words * 4));
    shot_pass(shot, shot_out(shot, VALUES * 4));
    if (cell_parameter(cell, "values") < VALUES)
        shot->buffers[0].fill = fill_values;
    shot->buffers[1].fill = fill_zero;
}

static bool describe_groups(struct attempt *attempt, const struct cell *cell, const char *kernel,
                            struct shot *shot)
{
    const size_t units = cell->device->compute_units > 0 ? (size_t)cell->device->compute_units : 1;
    if (cell->device->max_threads < (int)GROUP)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no groups of 256 work-items");
    describe_memory(cell, shot);
    shot->kernel = kernel;
    shot->local[0] = GROUP;
    shot->groups[0] = units * (cell->device->is_cpu ? 4 : 8);
    shot_pass_u64(shot, source_words(cell));
    return true;
}

/* Four runs for each core; a power of two. */
static bool describe_private(const struct cell *cell, struct shot *shot)
{
    const size_t units = cell->device->compute_units > 0 ? (size_t)cell->device->compute_units : 1;
    size_t runs = 1;
    while (runs < 4 * units)
        runs *= 2;
    describe_memory(cell, shot);
    shot->kernel = "histogram_private";
    shot_items(shot, cell->device, runs, 1);
    shot_pass_u64(shot, source_words(cell) / runs);
    return true;
}

static bool describe_variant(struct attempt *attempt, const struct cell *cell, size_t form,
                             struct shot *shot)
{
    (void)form;
    return describe_groups(attempt, cell, kernels[cell_parameter(cell, "variant")], shot);
}

enum { FORM_IDIOM, FORM_COPIES, FORM_WIDE, FORM_PRIVATE };

static bool describe_histogram(struct attempt *attempt, const struct cell *cell, size_t form,
                               struct shot *shot)
{
    static const char *const of_form[] = {"histogram_local", "histogram_copies", "histogram_wide"};
    return form == FORM_PRIVATE ? describe_private(cell, shot)
                                : describe_groups(attempt, cell, of_form[form], shot);
}

/* Four counts at a time, because equal neighbours would wait for one another. */
FAST static void count_run(const uint32_t *from, size_t words, uint32_t counts[4][VALUES])
{
    memset(counts, 0, 4 * VALUES * sizeof counts[0][0]);
    for (size_t i = 0; i < words; i++) {
        uint32_t word = from[i];
        counts[0][word & 0xFF]++;
        counts[1][word >> 8 & 0xFF]++;
        counts[2][word >> 16 & 0xFF]++;
        counts[3][word >> 24]++;
    }
}

static void count_all(const uint32_t *source, size_t words, uint32_t bins[VALUES])
{
    const size_t runs = 16, each = (words + runs - 1) / runs;
#pragma omp parallel for schedule(static)
    for (size_t run = 0; run < runs; run++) {
        uint32_t counts[4][VALUES];
        const size_t begin = run * each < words ? run * each : words;
        const size_t count = each < words - begin ? each : words - begin;
        count_run(source + begin, count, counts);
#pragma omp critical
        for (size_t i = 0; i < VALUES; i++)
            bins[i] += counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i];
    }
}

static void host_loop(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    (void)cell;
    count_all(memory[0], shot->buffers[0].bytes / 4, memory[1]);
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    const uint32_t *bins = memory[1];
    uint32_t expected[VALUES] = {0};
    (void)cell;
    count_all(memory[0], shot->buffers[0].bytes / 4, expected);
    for (size_t i = 0; i < VALUES; i++)
        if (bins[i] != (uint32_t)(runs * expected[i]))
            return i * 4;
    return PATTERN_FINE;
}

#define VALUE_COUNTS                                                                               \
    {                                                                                              \
        .name = "values", .quick = POINTS(256), .normal = POINTS(256, 1),                          \
        .full = POINTS(256, 128, 64, 32, 16, 8, 4, 2, 1)                                           \
    }

const struct study study_histogram_variant = {
    .counts = "each byte once",
    .unit = UNIT_GB_S,
    .parameters = {{.name = "variant",
                    .names = variants,
                    .quick = POINTS(GLOBAL),
                    .normal = POINTS(GLOBAL, LOCAL, COPIES)},
                   VALUE_COUNTS},
    .forms = {{"idiom", ON_ANY}},
    .describe = describe_variant,
    .check = check,
};

const struct study study_histogram = {
    .counts = "each byte once",
    .unit = UNIT_GB_S,
    .parameters = {VALUE_COUNTS},
    .forms = {{"idiom", ON_ANY}, {"copies", ON_GPU}, {"wide", ON_GPU}, {"private", ON_CPU}},
    .hosts = {{"loop" ALL, FORM_PRIVATE, host_loop, NULL}},
    .describe = describe_histogram,
    .check = check,
};
