/* Constants: a small table in several kinds of memory, read at the same place by all or by none.
 * SPDX-License-Identifier: Apache-2.0
 *
 * CUDA's memory for constants answers all work-items of a warp at once where they ask for the same
 * word, and one after the other where they do not. Natively the table is a __constant__ variable
 * that begins with the same words as the buffer here.
 *
 * On PoCL a run of sums for each core that loads 16 words in one piece won: items with a loop or
 * with 16 single loads reached a quarter to a half of it. */
#include <string.h>

#include "bench/fast.h"
#include "bench/study.h"

#define BLOCK_WORDS 64
#define ROUNDS      4
#define LOADS       (16 * ROUNDS)

enum space { GLOBAL, READ_ONLY, CONSTANT, PARAMETER };
enum place_kind { IMMEDIATE, UNIFORM, BLOCK, THREAD };
enum { FORM_LOOP, FORM_UNROLLED, FORM_CHUNKED };

static const char *const space_names[] = {"global", "readonly", "constant", "parameter"};
static const char *const place_names[] = {"immediate", "uniform", "block", "thread"};

static uint32_t table_word(size_t i)
{
    return ((uint32_t)i * 1664525u + 1013904223u) % 16384u;
}

static void fill_table(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)cell, (void)index;
    uint32_t *table = memory;
    for (size_t i = 0; i < bytes / 4; i++)
        table[i] = table_word(i);
}

static size_t group_items(const struct device_facts *device)
{
    return device->max_threads > 0 && device->max_threads < 256 ? (size_t)device->max_threads : 256;
}

static void fill_starts(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)index;
    const enum place_kind kind = cell_parameter(cell, "index");
    const uint32_t group = (uint32_t)group_items(cell->device);
    uint32_t *starts = memory;
    for (uint32_t i = 0; i < bytes / 4; i++)
        starts[i] = kind == THREAD ? i : kind == BLOCK ? i / group : 5;
}

/* Enough for the loads to take longer than the launch, and few enough for the slowest form. */
static size_t items_of(const struct cell *cell)
{
    const size_t items = cell->bytes / 4, most = cell->device->is_cpu ? 1 << 19 : 1 << 24;
    return items < most ? items : most;
}

static uint32_t mask_of(const struct cell *cell)
{
    return cell_parameter(cell, "bytes") / 4 - 1;
}

static void pass_table(const struct cell *cell, struct shot *shot)
{
    static uint32_t block[BLOCK_WORDS];
    const size_t bytes = cell_parameter(cell, "bytes");
    if (cell_parameter(cell, "space") == PARAMETER) {
        for (size_t i = 0; i < BLOCK_WORDS; i++)
            block[i] = table_word(i);
        shot_pass_block(shot, block, sizeof block);
        return;
    }
    const size_t table = shot_in(shot, bytes);
    shot->buffers[table].fill = fill_table;
    shot_pass(shot, table);
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    static const char *const kernels[][3] = {
        {"constant_loop", "constant_unrolled", "constant_chunked"},
        {"constant_immediate", "constant_immediate_unrolled", "constant_immediate_chunked"}};
    const bool immediate = cell_parameter(cell, "index") == IMMEDIATE;
    const size_t items = items_of(cell);
    (void)attempt;
    shot->file = "constant";
    shot->kernel = kernels[immediate][form];
    shot_define_number(shot, "SPACE", cell_parameter(cell, "space"));
    if (form == FORM_CHUNKED)
        shot_chunks(shot, cell->device);
    else
        shot_items(shot, cell->device, items, group_items(cell->device));
    pass_table(cell, shot);
    const size_t starts = shot_in(shot, items * 4);
    shot->buffers[starts].fill = fill_starts;
    shot_pass(shot, starts);
    shot_pass(shot, shot_out(shot, items * 4));
    if (!immediate || form == FORM_LOOP) {
        shot_pass_u32(shot, mask_of(cell));
        shot_pass_u32(shot, ROUNDS);
    }
    if (form == FORM_CHUNKED)
        shot_pass_u64(shot, items);
    shot->useful = (double)items * LOADS;
    return true;
}

/* The buffers of starts and sums: a table that is a parameter takes none. */
static const uint32_t *starts_of(const struct shot *shot, const void *const memory[])
{
    return memory[shot->buffer_count - 2];
}

static uint32_t expected(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t item)
{
    const uint32_t mask = mask_of(cell), start = starts_of(shot, memory)[item];
    const bool immediate = cell_parameter(cell, "index") == IMMEDIATE;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < LOADS; i++)
        sum += immediate ? table_word(i % 16) ^ (start + i / 16) : table_word((start + i) & mask);
    return sum;
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[shot->buffer_count - 1], items_of(cell), memory,
                       expected);
}

/* Sixteen words that the table's end does not part are one run of memory. */
static inline uint32_t sixteen(const uint32_t *table, uint32_t at, uint32_t mask)
{
    const uint32_t *from = table + (at & mask);
    uint32_t sum = 0;
    if ((at & mask) + 15 <= mask) {
        for (uint32_t k = 0; k < 16; k++)
            sum += from[k];
        return sum;
    }
    for (uint32_t k = 0; k < 16; k++)
        sum += table[(at + k) & mask];
    return sum;
}

FAST static void sum_constant_part(const uint32_t *restrict table, const uint32_t *restrict starts,
                                   uint32_t *restrict sums, uint32_t mask, size_t begin, size_t end)
{
    for (size_t item = begin; item < end; item++) {
        uint32_t at = starts[item], sum = 0;
        for (uint32_t r = 0; r < ROUNDS; r++, at += 16)
            sum += sixteen(table, at, mask);
        sums[item] = sum;
    }
}

FAST static void immediate_part(const uint32_t *restrict table, const uint32_t *restrict starts,
                                uint32_t *restrict sums, size_t begin, size_t end)
{
    for (size_t item = begin; item < end; item++) {
        uint32_t sum = 0;
        for (uint32_t r = 0; r < ROUNDS; r++)
            for (uint32_t i = 0; i < 16; i++)
                sum += table[i] ^ (starts[item] + r);
        sums[item] = sum;
    }
}

static void host(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    const bool immediate = cell_parameter(cell, "index") == IMMEDIATE;
    const uint32_t mask = mask_of(cell);
    const uint32_t *table =
        shot->buffer_count == 3 ? memory[0] : shot->arguments[0].value.block.bytes;
    const uint32_t *starts = memory[shot->buffer_count - 2];
    uint32_t *sums = memory[shot->buffer_count - 1];
    const size_t items = items_of(cell), parts = 256;
#pragma omp parallel for schedule(static)
    for (size_t part = 0; part < parts; part++) {
        const size_t begin = items * part / parts, end = items * (part + 1) / parts;
        if (immediate)
            immediate_part(table, starts, sums, begin, end);
        else
            sum_constant_part(table, starts, sums, mask, begin, end);
    }
}

/* A parameter has one size. */
static bool takes(const struct cell *cell)
{
    const bool is_block = cell_parameter(cell, "bytes") == 4 * BLOCK_WORDS;
    return cell_parameter(cell, "space") != PARAMETER || is_block;
}

/* Whether all of a small table is read depends on the places. */
static size_t bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)cell, (void)shot;
    return SIZE_MAX;
}

const struct study study_constant = {
    .counts = "loads of 4 bytes out of a table",
    .unit = UNIT_GOP_S,
    .parameters =
        {
            {.name = "space",
             .names = space_names,
             .quick = POINTS(GLOBAL, CONSTANT),
             .normal = POINTS(GLOBAL, READ_ONLY, CONSTANT, PARAMETER)},
            {.name = "index",
             .names = place_names,
             .quick = POINTS(UNIFORM, THREAD),
             .normal = POINTS(IMMEDIATE, UNIFORM, BLOCK, THREAD)},
            {.name = "bytes",
             .unit = "bytes",
             .quick = POINTS(256),
             .normal = POINTS(256, 65536),
             .full = POINTS(64, 256, 1024, 4096, 16384, 65536)},
        },
    .forms = {{"loop", ON_ANY}, {"unrolled", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop" ALL, FORM_LOOP, host, NULL}},
    .is_cached = true,
    .describe = describe,
    .check = check,
    .takes = takes,
    .bytes_that_matter = bytes_that_matter,
};
