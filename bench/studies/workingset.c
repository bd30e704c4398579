/* Working sets: memory of some size that is read again and again, or walked in a random circle.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The curve has a step where each cache ends. Bandwidth: every group of work-items goes through the
 * set, and together they read each word equally often. Latency: one work-item follows a circle
 * through all places of the set, one in every 128 bytes, and stands at the end of a launch where
 * the next one begins. */
#include <string.h>

#include "bench/fast.h"
#include "bench/study.h"

#define KIB ((size_t)1024)
/* Words of 16 bytes that a group reads at least: 2 MiB, twice or more what a first cache holds. */
#define GROUP_WORDS ((size_t)131072)
/* What a work-item of the chunked form reads at least. How often it reads a word is an odd number,
 * as in the other form: a sum of four times the same word would not show its first two bits. */
#define CHUNK_BYTES ((size_t)16 << 20)
/* Places of the circle are so many 32-bit words apart: two cache lines, so that no neighbour comes
 * along. */
#define PLACE_WORDS ((size_t)32)
#define CHASE_STEPS 65536

enum { FORM_ROUND, FORM_CHUNKED };

static size_t set_bytes(const struct cell *cell)
{
    return cell_parameter(cell, "set") * KIB;
}

/* Up to four times the last cache, as far as memory goes. */
static bool takes(const struct cell *cell)
{
    const struct device_facts *device = cell->device;
    size_t bytes = set_bytes(cell), cache = device->cache_bytes ? device->cache_bytes : 16 << 20;
    return bytes < 8 * cache && bytes <= device->memory_bytes / 16 &&
           (!device->max_allocation || bytes <= device->max_allocation);
}

static size_t power_below(size_t most)
{
    size_t power = 1;
    while (2 * power <= most)
        power *= 2;
    return power;
}

/* How many rows of `row` words a group reads: whole rounds through a small set, otherwise a part
 * that the groups' parts together make whole rounds of. */
static size_t steps_of(size_t words, size_t apart, size_t row)
{
    if (words < row)
        return GROUP_WORDS / row + 1;
    if (words <= GROUP_WORDS)
        return (GROUP_WORDS / words | 1) * (words / row);
    return (apart > GROUP_WORDS ? apart : GROUP_WORDS) / row;
}

static void describe_round(const struct cell *cell, struct shot *shot)
{
    const int units = cell->device->compute_units;
    const size_t words = set_bytes(cell) / 16,
                 groups = power_below(16 * (size_t)(units ? units : 1));
    const size_t apart = words / groups;
    shot_items(shot, cell->device, 256, 256);
    shot->local[0] = power_below(shot->local[0]);
    shot->groups[0] = groups;
    const size_t steps = steps_of(words, apart, shot->local[0]);
    shot->kernel = "workingset_read";
    shot_pass(shot, shot_in(shot, words * 16));
    shot_pass(shot, shot_out(shot, groups * shot->local[0] * 4));
    shot_pass_u64(shot, words - 1);
    shot_pass_u64(shot, apart);
    shot_pass_u64(shot, steps);
    shot->useful = (double)(steps * shot->local[0] * groups) * 16;
}

static void describe_chunked(const struct cell *cell, struct shot *shot)
{
    const size_t bytes = set_bytes(cell);
    const size_t passes = bytes < CHUNK_BYTES ? CHUNK_BYTES / bytes + 1 : 1;
    const size_t items = shot_chunks(shot, cell->device);
    shot->kernel = "workingset_chunked";
    shot_pass(shot, shot_in(shot, bytes));
    shot_pass(shot, shot_out(shot, items * 4));
    shot_pass_u64(shot, bytes / 16);
    shot_pass_u64(shot, passes);
    shot->useful = (double)(bytes * passes * items);
}

static bool describe_read(struct attempt *attempt, const struct cell *cell, size_t form,
                          struct shot *shot)
{
    (void)attempt;
    shot->file = "workingset";
    if (form == FORM_ROUND)
        describe_round(cell, shot);
    else
        describe_chunked(cell, shot);
    return true;
}

/* Work-items side by side, whose words are in the same cache lines. */
#define BESIDE ((size_t)16)

static void item_sums(const uint32_t *set, uint64_t mask, size_t at, size_t row, uint64_t steps,
                      uint32_t sums[BESIDE])
{
    memset(sums, 0, BESIDE * sizeof *sums);
    for (uint64_t k = 0; k < steps; k++, at += row)
        for (size_t i = 0; i < BESIDE; i++)
            for (size_t part = 0; part < 4; part++)
                sums[i] += set[((at + i) & mask) * 4 + part];
}

/* Exact for as many groups as read each word at least once. The sum of all groups counts a word too
 * often to show all of its bits, but shows whether all groups did their work. */
static size_t check_round(const struct shot *shot, const uint32_t *set, const uint32_t *sums)
{
    const uint64_t mask = shot->arguments[2].value.u64, steps = shot->arguments[4].value.u64;
    const size_t row = shot->local[0], part = row * (size_t)steps,
                 apart = (size_t)shot->arguments[3].value.u64;
    const size_t stride = part > mask || apart == 0 ? shot->groups[0] : part / apart;
    size_t wrong = PATTERN_FINE;
#pragma omp parallel for reduction(min : wrong)
    for (size_t first = 0; first < row; first += BESIDE)
        for (size_t group = 0; group < shot->groups[0]; group += stride) {
            uint32_t expected[BESIDE];
            item_sums(set, mask, group * apart + first, row, steps, expected);
            for (size_t i = first; i < row && i < first + BESIDE; i++)
                if (sums[group * row + i] != expected[i - first] && (group * row + i) * 4 < wrong)
                    wrong = (group * row + i) * 4;
        }
    return wrong;
}

static size_t check_read(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t runs)
{
    (void)cell, (void)runs;
    const uint32_t *set = memory[0], *sums = memory[1];
    const size_t items = shot->buffers[1].bytes / 4;
    const uint64_t reads = (uint64_t)shot->useful / shot->buffers[0].bytes;
    const uint32_t sum = sum_words(set, shot->buffers[0].bytes / 4);
    const size_t wrong = shot->argument_count == 5 ? check_round(shot, set, sums) : PATTERN_FINE;
    if (wrong != PATTERN_FINE)
        return wrong;
    for (size_t i = 0; shot->argument_count == 4 && i < items; i++)
        if (sums[i] != (uint32_t)(reads / items * sum))
            return i * 4;
    return check_sum(sums, items, (uint32_t)(reads * sum));
}

FAST static uint32_t sum_set_part(const uint32_t *set, size_t begin, size_t end)
{
    uint32_t sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += set[i];
    return sum;
}

/* Reading a large set for each byte that is tried would take long. */
static size_t bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)shot;
    return set_bytes(cell) > 1024 * KIB ? SIZE_MAX : 0;
}

/* As many shares as work-items, so that the sums are in as many words. */
static void host_read(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    (void)cell;
    const size_t words = shot->buffers[0].bytes / 4, items = shot->buffers[1].bytes / 4;
    const uint64_t passes = shot->arguments[3].value.u64;
    const uint32_t *set = memory[0];
    uint32_t *sums = memory[1];
#pragma omp parallel for schedule(static)
    for (size_t item = 0; item < items; item++) {
        const size_t begin = words / items * item;
        uint32_t sum = 0;
        for (uint64_t k = 0; k < passes; k++)
            sum += sum_set_part(set, begin, words) + sum_set_part(set, 0, begin);
        sums[item] = sum;
    }
}

#define SETS                                                                                       \
    {                                                                                              \
        .name = "set", .unit = "KiB", .quick = POINTS(16, 65536),                                  \
        .normal = POINTS(4, 32, 256, 1024, 4096, 16384, 65536, 262144),                            \
        .full = POINTS(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384,       \
                       32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304)            \
    }

const struct study study_workingset_read = {
    .counts = "each time a byte is read",
    .unit = UNIT_GB_S,
    .parameters = {SETS},
    .forms = {{"round", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop" ALL, FORM_CHUNKED, host_read, NULL}},
    .is_cached = true,
    .describe = describe_read,
    .check = check_read,
    .takes = takes,
    .bytes_that_matter = bytes_that_matter,
};

/* One circle through all places: Sattolo's shuffle, which swaps each place with an earlier one. */
static void fill_circle(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)cell, (void)index;
    uint32_t *next = memory;
    const size_t places = bytes / 4 / PLACE_WORDS;
    uint64_t random = 0x9E3779B97F4A7C15u;
    memset(memory, 0, bytes);
    for (size_t i = 0; i < places; i++)
        next[i * PLACE_WORDS] = (uint32_t)(i * PLACE_WORDS);
    for (size_t i = places - 1; i > 0; i--) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const size_t other = (size_t)((random >> 32) * i >> 32);
        const uint32_t kept = next[i * PLACE_WORDS];
        next[i * PLACE_WORDS] = next[other * PLACE_WORDS];
        next[other * PLACE_WORDS] = kept;
    }
}

static void fill_zero(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)cell, (void)index;
    memset(memory, 0, bytes);
}

static bool describe_chase(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    (void)attempt, (void)form;
    shot->file = "workingset";
    shot->kernel = "workingset_chase";
    shot->groups[0] = shot->local[0] = 1;
    shot_pass(shot, shot_in(shot, set_bytes(cell)));
    shot_pass(shot, shot_out(shot, 64));
    shot_pass_u32(shot, CHASE_STEPS);
    shot->buffers[0].fill = fill_circle;
    shot->buffers[1].fill = fill_zero;
    shot->useful = CHASE_STEPS;
    return true;
}

/* Once round the circle ends where it began, so only the rest has to be walked here. */
static size_t check_chase(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    (void)cell;
    const uint32_t *next = memory[0], *place = memory[1];
    const size_t places = shot->buffers[0].bytes / 4 / PLACE_WORDS;
    uint32_t at = 0;
    for (size_t k = runs * CHASE_STEPS % places; k > 0; k--)
        at = next[at];
    return place[0] == at ? PATTERN_FINE : 0;
}

static void host_chase(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    (void)cell, (void)shot;
    const uint32_t *next = memory[0];
    uint32_t *place = memory[1], at = place[0];
    for (size_t k = 0; k < CHASE_STEPS; k++)
        at = next[at];
    place[0] = at;
}

/* Most bytes of the circle are never read. */
static size_t cannot_say(const struct cell *cell, const struct shot *shot)
{
    (void)cell, (void)shot;
    return SIZE_MAX;
}

const struct study study_chase = {
    .counts = "steps, each of which waits for the one before",
    .unit = UNIT_NS,
    .parameters = {SETS},
    .forms = {{"one work-item", ON_ANY}},
    .hosts = {{"loop, one thread", 0, host_chase, NULL}},
    .is_cached = true,
    .describe = describe_chase,
    .check = check_chase,
    .takes = takes,
    .bytes_that_matter = cannot_say,
};
