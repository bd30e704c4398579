/* Sums of an array: the ladder of trees over a group's work-items, and the best way.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows: S2-03. */
#include "bench/fast.h"
#include "bench/study.h"

/* As in reduce.cl. */
#define GROUP ((size_t)256)

/* In the order in which each is better than the one before on GPUs. */
enum { INTERLEAVED, STRIDED, SEQUENTIAL, FIRST_ADD, UNROLLED, SUB_GROUP, WIDE, CHUNKED, LADDER };

static const char *const ladder[] = {"interleaved", "strided",   "sequential", "first-add",
                                     "unrolled",    "sub-group", "wide",       "chunked"};

/* How many words an item of a tree adds before the tree. */
static const struct rung {
    const char *kernel;
    size_t words_per_item; /* 0: no tree */
} rungs[] = {
    [INTERLEAVED] = {"reduce_interleaved", 1},
    [STRIDED] = {"reduce_strided", 1},
    [SEQUENTIAL] = {"reduce_sequential", 1},
    [FIRST_ADD] = {"reduce_first_add", 2},
    [UNROLLED] = {"reduce_unrolled", 2},
    [SUB_GROUP] = {"reduce_sub_group", 2},
    [WIDE] = {"reduce_wide", 32},
    [CHUNKED] = {"reduce_chunked", 0},
    [LADDER] = {"reduce_wide_sub_group", 32},
};

/* Runs of memory, several for each core of a CPU, so that a core that others use does not keep all
 * waiting; on a quiet machine 1, 4 and 8 were the same. A power of two. */
static size_t run_count(const struct device_facts *device, size_t words)
{
    size_t units = device->compute_units > 0 ? (size_t)device->compute_units : 1, count = 1;
    while (count < units * (device->is_cpu ? 4 : 2048) && count * 64 < words)
        count *= 2;
    return count;
}

static bool describe_tree(struct attempt *attempt, const struct cell *cell, const struct rung *rung,
                          size_t words, struct shot *shot)
{
    if (cell->device->max_threads < (int)GROUP)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no groups of 256 work-items");
    shot->kernel = rung->kernel;
    shot->local[0] = GROUP;
    shot->groups[0] = words / rung->words_per_item / GROUP;
    shot_pass(shot, shot_in(shot, words * 4));
    shot_pass(shot, shot_out(shot, shot->groups[0] * 4));
    return true;
}

static bool describe_runs(const struct cell *cell, const char *kernel, size_t words,
                          struct shot *shot)
{
    const size_t runs = run_count(cell->device, words);
    shot->kernel = kernel;
    shot_items(shot, cell->device, runs, cell->device->is_cpu ? 1 : GROUP);
    shot_pass(shot, shot_in(shot, words * 4));
    shot_pass(shot, shot_out(shot, runs * 4));
    shot_pass_u64(shot, words / 4 / runs);
    return true;
}

static bool describe_rung(struct attempt *attempt, const struct cell *cell, size_t rung,
                          size_t words, struct shot *shot)
{
    shot->file = "reduce";
    shot->useful = 4 * (double)words;
    if ((rung == SUB_GROUP || rung == LADDER) && !cell->device->has_sub_groups)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "the device has no sub-groups");
    return rungs[rung].words_per_item ? describe_tree(attempt, cell, &rungs[rung], words, shot)
                                      : describe_runs(cell, rungs[rung].kernel, words, shot);
}

static bool describe_ladder(struct attempt *attempt, const struct cell *cell, size_t form,
                            struct shot *shot)
{
    (void)form;
    return describe_rung(attempt, cell, cell_parameter(cell, "variant"), cell->bytes / 4, shot);
}

/* On CPUs sums of 16 bytes, as in the ladder, took 1.35 times as long as sums of 64. */
enum { FORM_IDIOM, FORM_WIDE, FORM_SUB_GROUP, FORM_LINES };

static bool describe_reduce(struct attempt *attempt, const struct cell *cell, size_t form,
                            struct shot *shot)
{
    static const size_t of_form[] = {UNROLLED, WIDE, LADDER};
    const size_t words = cell->bytes / 4 / cell_parameter(cell, "part");
    if (form < FORM_LINES)
        return describe_rung(attempt, cell, of_form[form], words, shot);
    shot->file = "reduce";
    shot->useful = 4 * (double)words;
    return cell->device->is_cpu
               ? describe_runs(cell, "reduce_lines", words, shot)
               : attempt_fail(attempt, STATUS_UNSUPPORTED, "a kernel for CPUs alone");
}

/* Every group and every run adds the words of its own place, so that each partial sum is known. */
static uint32_t partial_sum(const struct cell *cell, const struct shot *shot,
                            const void *const memory[], size_t place)
{
    const size_t words = shot->buffers[0].bytes / shot->buffers[1].bytes;
    const uint32_t *from = (const uint32_t *)memory[0] + place * words;
    uint32_t sum = 0;
    (void)cell;
    for (size_t i = 0; i < words; i++)
        sum += from[i];
    return sum;
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[1], shot->buffers[1].bytes / 4, memory, partial_sum);
}

FAST static uint32_t sum_run(const uint32_t *from, size_t words)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < words; i++)
        sum += from[i];
    return sum;
}

static void host_loop(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    const size_t runs = shot->buffers[1].bytes / 4, words = shot->buffers[0].bytes / 4 / runs;
    const uint32_t *source = memory[0];
    uint32_t *sums = memory[1];
    (void)cell;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < runs; i++)
        sums[i] = sum_run(source + i * words, words);
}

/* The widest tree needs a group's worth of words. */
static bool takes_part(const struct cell *cell)
{
    return cell->bytes / cell_parameter(cell, "part") >= 4 * 32 * GROUP;
}

const struct study study_reduce_variant = {
    .counts = "each byte once",
    .unit = UNIT_GB_S,
    .parameters = {{.name = "variant",
                    .names = ladder,
                    .quick = POINTS(INTERLEAVED, SEQUENTIAL),
                    .normal = POINTS(INTERLEAVED, STRIDED, SEQUENTIAL, FIRST_ADD, UNROLLED,
                                     SUB_GROUP, WIDE, CHUNKED)}},
    .forms = {{"idiom", ON_ANY}},
    .describe = describe_ladder,
    .check = check,
};

const struct study study_reduce = {
    .counts = "each byte once",
    .unit = UNIT_GB_S,
    .parameters = {{.name = "part",
                    .unit = "of the array",
                    .quick = POINTS(1),
                    .normal = POINTS(1, 16),
                    .full = POINTS(1, 4, 16, 64, 256)}},
    .forms = {{"idiom", ON_ANY}, {"wide", ON_GPU}, {"sub-group", ON_GPU}, {"lines", ON_CPU}},
    .hosts = {{"loop" ALL, FORM_LINES, host_loop, NULL}},
    .describe = describe_reduce,
    .check = check,
    .takes = takes_part,
};
