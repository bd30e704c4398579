/* Reads and writes of every stride-th word.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/tools.h"

enum { FORM_IDIOM, FORM_CHUNKED };

/* How many words an item of stride_read takes, and what stride_write adds to a word's number. */
#define READS 16
#define SEED  0x2F6E2B1u

/* The words that are taken, in whole groups of 256 items where there are so many. */
static size_t words_of(const struct cell *cell, size_t per_item)
{
    size_t items = cell->bytes / 4 / cell_parameter(cell, "stride") / per_item;
    if (items > 256)
        items = items / 256 * 256;
    return (items ? items : 1) * per_item;
}

static uint64_t strided(const struct cell *cell, uint64_t item)
{
    return 4 * item * cell_parameter(cell, "stride");
}

static bool describe_read(struct attempt *attempt, const struct cell *cell, size_t form,
                          struct shot *shot)
{
    size_t words = words_of(cell, READS), stride = cell_parameter(cell, "stride");
    (void)attempt;
    shot->file = "stride";
    if (form == FORM_IDIOM)
        shot_items(shot, cell->device, words / READS, 256);
    else
        shot_chunks(shot, cell->device);
    size_t items = shot->groups[0] * shot->local[0];
    shot->kernel = form == FORM_IDIOM ? "stride_read" : "stride_read_chunked";
    shot_pass(shot, shot_out(shot, items * 4));
    shot_pass(shot, shot_in(shot, words * stride * 4));
    shot_pass_u64(shot, stride);
    if (form == FORM_CHUNKED) {
        shot_pass_u64(shot, words);
        shot_pass_u64(shot, run_length(words, items));
    }
    shot->useful = 4.0 * (double)words;
    shot_predict_loads(shot, cell, words, 4, strided);
    return true;
}

static bool describe_write(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    size_t words = words_of(cell, 1), stride = cell_parameter(cell, "stride");
    (void)attempt;
    shot->file = "stride";
    shot->kernel = form == FORM_IDIOM ? "stride_write" : "stride_write_chunked";
    shot_pass(shot, shot_out(shot, words * stride * 4));
    shot_pass_u32(shot, SEED);
    shot_pass_u64(shot, stride);
    if (form == FORM_IDIOM) {
        shot_items(shot, cell->device, words, 256);
    } else {
        shot_pass_u64(shot, words);
        shot_pass_u64(shot, run_length(words, shot_chunks(shot, cell->device)));
    }
    shot->useful = 4.0 * (double)words;
    shot_predict_stores(shot, cell, words, 4, strided);
    return true;
}

FAST static uint32_t strided_sum(const uint32_t *words, size_t stride, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += words[i * stride];
    return sum;
}

static uint32_t sum_of(const uint32_t *source, size_t stride, size_t words)
{
    uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < words; i += PIECE)
        sum += strided_sum(source + i * stride, stride, words - i < PIECE ? words - i : PIECE);
    return sum;
}

static size_t check_read(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t runs)
{
    (void)runs;
    return check_sum(memory[0], shot->buffers[0].bytes / 4,
                     sum_of(memory[1], cell_parameter(cell, "stride"), words_of(cell, READS)));
}

static uint32_t expected_write(const struct cell *cell, const struct shot *shot,
                               const void *const memory[], size_t place)
{
    size_t stride = cell_parameter(cell, "stride");
    (void)shot;
    (void)memory;
    return place % stride ? POISON_WORD : SEED + (uint32_t)(place / stride);
}

static size_t check_write(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[0], shot->buffers[0].bytes / 4, memory, expected_write);
}

static size_t bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)shot;
    return 4 * words_of(cell, READS);
}

/* The sum goes where the idiom's first item leaves its own; the others' stay zero. */
static void host_read(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    uint32_t *sums = memory[0];
    for (size_t i = 0; i < shot->buffers[0].bytes / 4; i++)
        sums[i] = 0;
    sums[0] = sum_of(memory[1], cell_parameter(cell, "stride"), words_of(cell, READS));
}

FAST static void write_strided(uint32_t *target, size_t stride, uint32_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        target[i * stride] = first + (uint32_t)i;
}

static void host_write(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    size_t words = words_of(cell, 1), stride = cell_parameter(cell, "stride");
    uint32_t *target = memory[0];
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < words; i += PIECE)
        write_strided(target + i * stride, stride, SEED + (uint32_t)i,
                      words - i < PIECE ? words - i : PIECE);
}

#define EIGHT(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7
#define ALL_STRIDES                                                                                \
    EIGHT(1), EIGHT(9), EIGHT(17), EIGHT(25), EIGHT(33), EIGHT(41), EIGHT(49), EIGHT(57)

const struct study study_stride_read = {
    .counts = "each word that is asked for, once",
    .unit = UNIT_GB_S,
    .parameters = {{"stride", "words", NULL, POINTS(1, 32), POINTS(1, 2, 4, 8, 16, 32),
                    POINTS(ALL_STRIDES)}},
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", FORM_CHUNKED, host_read, NULL}},
    .describe = describe_read,
    .check = check_read,
    .bytes_that_matter = bytes_that_matter,
};

const struct study study_stride_write = {
    .counts = "each word that is written, once",
    .unit = UNIT_GB_S,
    .parameters = {{"stride", "words", NULL, POINTS(32), POINTS(1, 8, 32), POINTS(ALL_STRIDES)}},
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", FORM_IDIOM, host_write, NULL}},
    .describe = describe_write,
    .check = check_write,
};
