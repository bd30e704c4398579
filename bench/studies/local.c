/* Local memory (CUDA: shared) read at a stride between work-items, and in two layouts of pairs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows: S2-02, S2-15. */
#include "bench/banks.h"
#include "bench/study.h"

/* As in local.cl. */
#define GROUP  ((size_t)256)
#define WORDS  ((size_t)1024)
#define BEYOND ((size_t)288)
#define ROUNDS 64
#define SHIFT  16

enum { SPLIT, PAIR };

static const char *const layouts[] = {"split", "pair"};

/* Groups enough for a GPU's launch to take longer than its start. */
static size_t group_count(const struct device_facts *device)
{
    size_t units = device->compute_units > 0 ? (size_t)device->compute_units : 1;
    return units * (device->is_cpu ? 8 : 32);
}

static bool describe(struct attempt *attempt, const struct cell *cell, const char *kernel,
                     size_t stride, struct shot *shot)
{
    const size_t word = cell_parameter(cell, "word"), groups = group_count(cell->device);
    if (cell->device->max_threads < (int)GROUP)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no groups of 256 work-items");
    shot->file = "local";
    shot->kernel = kernel;
    shot_define(shot, "WORD", word == 4 ? "uint" : word == 8 ? "uint2" : "uint4");
    shot->groups[0] = groups;
    shot->local[0] = GROUP;
    shot_pass(shot, shot_in(shot, groups * WORDS * word));
    shot_pass(shot, shot_out(shot, groups * GROUP * 4));
    shot_pass_u32(shot, (uint32_t)stride);
    shot_pass_u32(shot, SHIFT);
    shot->useful = (double)(groups * GROUP * ROUNDS * 16 * word);
    shot_extra(shot, "conflict degree", banks_conflict_of_stride(stride, word));
    return true;
}

static bool describe_stride(struct attempt *attempt, const struct cell *cell, size_t form,
                            struct shot *shot)
{
    (void)form;
    return describe(attempt, cell, "local_stride", cell_parameter(cell, "stride"), shot);
}

static bool describe_pairs(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    const bool pair = cell_parameter(cell, "layout") == PAIR;
    (void)form;
    return describe(attempt, cell, pair ? "local_pair" : "local_split", pair ? 2 : 1, shot);
}

/* What a group sees: the sum of the components of each word of its tile; sums of all words before a
 * place, and of every other word before it. */
struct tile {
    uint32_t before[WORDS + BEYOND + 1];
    uint32_t others_before[WORDS + BEYOND + 2];
};

static void sum_tile(struct tile *tile, const uint32_t *source, size_t units)
{
    tile->before[0] = tile->others_before[0] = tile->others_before[1] = 0;
    for (size_t i = 0; i < WORDS + BEYOND; i++) {
        uint32_t word = 0;
        for (size_t k = 0; k < units; k++)
            word += source[i % WORDS * units + k];
        tile->before[i + 1] = tile->before[i] + word;
        tile->others_before[i + 2] = tile->others_before[i] + word;
    }
}

static uint32_t run_of(const struct tile *tile, size_t place, size_t words)
{
    return tile->before[place + words] - tile->before[place];
}

/* Every other one of 16 words. */
static uint32_t half_of(const struct tile *tile, size_t place)
{
    return tile->others_before[place + 16] - tile->others_before[place];
}

static uint32_t stride_round(const struct tile *tile, size_t place)
{
    return run_of(tile, place, 16);
}

static uint32_t pair_round(const struct tile *tile, size_t place)
{
    return half_of(tile, place) + 5 * half_of(tile, place + 1);
}

static uint32_t split_round(const struct tile *tile, size_t place)
{
    return run_of(tile, place, 8) + 5 * run_of(tile, place + GROUP, 8);
}

typedef uint32_t round_sum(const struct tile *tile, size_t place);

static bool item_is_right(const struct tile *tile, round_sum *sum, size_t stride, size_t item,
                          uint32_t found)
{
    uint32_t total = 0;
    for (size_t round = 0; round < ROUNDS; round++)
        total = total * 3 + sum(tile, (item * stride + round * SHIFT) % WORDS);
    return total == found;
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    round_sum *sum)
{
    const size_t units = cell_parameter(cell, "word") / 4, stride = shot->arguments[2].value.u32;
    const uint32_t *source = memory[0], *target = memory[1];
    size_t wrong = SIZE_MAX;
#pragma omp parallel for reduction(min : wrong)
    for (size_t group = 0; group < shot->groups[0]; group++) {
        struct tile tile;
        sum_tile(&tile, source + group * WORDS * units, units);
        for (size_t item = 0; item < GROUP; item++) {
            const size_t at = group * GROUP + item;
            if (!item_is_right(&tile, sum, stride, item, target[at]) && at < wrong)
                wrong = at;
        }
    }
    return wrong == SIZE_MAX ? PATTERN_FINE : wrong * 4;
}

static size_t check_stride(const struct cell *cell, const struct shot *shot,
                           const void *const memory[], size_t runs)
{
    (void)runs;
    return check(cell, shot, memory, stride_round);
}

static size_t check_pairs(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    (void)runs;
    return check(cell, shot, memory,
                 cell_parameter(cell, "layout") == PAIR ? pair_round : split_round);
}

#define WORD_WIDTHS                                                                                \
    {                                                                                              \
        .name = "word", .unit = "bytes", .quick = POINTS(4), .normal = POINTS(4, 8, 16)            \
    }

const struct study study_local_stride = {
    .counts = "each time a byte of local memory is read",
    .unit = UNIT_GB_S,
    .parameters = {WORD_WIDTHS,
                   {.name = "stride",
                    .unit = "words",
                    .quick = POINTS(1, 32),
                    .normal = POINTS(1, 2, 8, 32, 33),
                    .full = POINTS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                   19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33)}},
    .forms = {{"idiom", ON_ANY}},
    .is_cached = true,
    .describe = describe_stride,
    .check = check_stride,
};

const struct study study_local_pairs = {
    .counts = "each time a byte of local memory is read",
    .unit = UNIT_GB_S,
    .parameters = {WORD_WIDTHS, {.name = "layout", .names = layouts, .quick = POINTS(SPLIT, PAIR)}},
    .forms = {{"idiom", ON_ANY}},
    .is_cached = true,
    .describe = describe_pairs,
    .check = check_pairs,
};
