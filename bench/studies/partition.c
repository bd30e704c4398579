/* Reads whose next chunk of 256 bytes always lies the same distance on, over all memory.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where memory is spread over controllers by plain address bits, strides of large powers of two keep
 * to one of them; the primes beside them do not. */
#include "bench/fast.h"
#include "bench/studies/tools.h"

enum { FORM_IDIOM, FORM_CHUNKED };

#define CHUNK_WORDS 64
#define STEPS       16

static size_t stride_of(const struct cell *cell)
{
    return cell_parameter(cell, "stride");
}

/* A multiple of the steps that a group takes, so that groups come out even. */
static size_t rows_of(const struct cell *cell)
{
    size_t rows = cell->bytes / 4 / CHUNK_WORDS / stride_of(cell) / STEPS * STEPS;
    return rows ? rows : STEPS;
}

static size_t words_of(const struct cell *cell)
{
    return rows_of(cell) * stride_of(cell) * CHUNK_WORDS;
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    size_t places = rows_of(cell) * stride_of(cell);
    if (cell->device->max_threads > 0 && cell->device->max_threads < CHUNK_WORDS &&
        form == FORM_IDIOM)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no groups of %d work-items", CHUNK_WORDS);
    shot->file = "partition";
    shot->kernel = form == FORM_IDIOM ? "partition" : "partition_chunked";
    if (form == FORM_IDIOM) {
        shot->groups[0] = places / STEPS;
        shot->local[0] = CHUNK_WORDS;
    } else {
        shot_chunks(shot, cell->device);
    }
    size_t items = shot->groups[0] * shot->local[0];
    shot_pass(shot, shot_out(shot, items * 4));
    shot_pass(shot, shot_in(shot, words_of(cell) * 4));
    shot_pass_u32(shot, (uint32_t)rows_of(cell));
    shot_pass_u32(shot, (uint32_t)stride_of(cell));
    if (form == FORM_CHUNKED)
        shot_pass_u64(shot, run_length(places, items));
    shot->useful = 4.0 * (double)words_of(cell);
    shot_extra(shot, "stride_bytes", 4.0 * CHUNK_WORDS * (double)stride_of(cell));
    return true;
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)runs;
    return check_sum(memory[0], shot->buffers[0].bytes / 4, sum_words(memory[1], words_of(cell)));
}

FAST static uint32_t read_places(const uint32_t *source, size_t rows, size_t stride, size_t begin,
                                 size_t end)
{
    uint32_t sum = 0;
    for (size_t place = begin; place < end; place++) {
        const uint32_t *chunk = source + (place % rows * stride + place / rows) * CHUNK_WORDS;
        for (size_t i = 0; i < CHUNK_WORDS; i++)
            sum += chunk[i];
    }
    return sum;
}

static void host_read(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    size_t rows = rows_of(cell), stride = stride_of(cell), places = rows * stride;
    uint32_t sum = 0, *sums = memory[0];
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < places; i += STEPS)
        sum += read_places(memory[1], rows, stride, i, i + STEPS);
    for (size_t i = 0; i < shot->buffers[0].bytes / 4; i++)
        sums[i] = 0;
    sums[0] = sum;
}

const struct study study_partition = {
    .counts = "each word read, once",
    .unit = UNIT_GB_S,
    .parameters = {{"stride", "x 256 bytes", NULL, POINTS(1, 4096), POINTS(1, 61, 64, 4093, 4096),
                    POINTS(1, 2, 3, 4, 7, 8, 16, 17, 31, 32, 61, 64, 127, 128, 251, 256, 509, 512,
                           1021, 1024, 2039, 2048, 4093, 4096, 8191, 8192, 16381, 16384)}},
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", FORM_CHUNKED, host_read, NULL}},
    .describe = describe,
    .check = check,
};
