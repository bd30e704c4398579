/* Copies of rows: close together, and each on an aligned place.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/tools.h"

enum { FORM_IDIOM, FORM_ROWS };

/* 512 bytes: what cudaMallocPitch aligns rows to. */
#define ALIGNMENT 128

static const char *const pitches[] = {"tight", "aligned"};

static size_t width_of(const struct cell *cell)
{
    return cell_parameter(cell, "width");
}

static size_t aligned_width(const struct cell *cell)
{
    return (width_of(cell) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t pitch_of(const struct cell *cell)
{
    return cell_parameter(cell, "pitch") ? aligned_width(cell) : width_of(cell);
}

/* As many as fit with either pitch, in fours; CUDA's grids have at most 65535 groups of one row. */
static size_t rows_of(const struct cell *cell)
{
    size_t rows = cell->bytes / 4 / aligned_width(cell) / 4 * 4;
    if (rows > 65532)
        rows = 65532;
    return rows ? rows : 4;
}

/* 64 items along a row, 4 rows, or fewer where groups are small. */
static void describe_plane(const struct cell *cell, struct shot *shot)
{
    size_t most = cell->device->max_threads > 0 ? (size_t)cell->device->max_threads : 256;
    shot->local[0] = most < 64 ? most : 64;
    shot->local[1] = most < 256 ? 1 : 4;
    shot->groups[0] = (width_of(cell) + shot->local[0] - 1) / shot->local[0];
    shot->groups[1] = rows_of(cell) / shot->local[1];
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    size_t bytes = rows_of(cell) * pitch_of(cell) * 4;
    (void)attempt;
    shot->file = "pitch";
    shot->kernel = form == FORM_IDIOM ? "pitch_copy" : "pitch_rows";
    shot_pass(shot, shot_out(shot, bytes));
    shot_pass(shot, shot_in(shot, bytes));
    shot_pass_u64(shot, width_of(cell));
    shot_pass_u64(shot, pitch_of(cell));
    if (form == FORM_IDIOM) {
        describe_plane(cell, shot);
    } else {
        size_t items = shot_chunks(shot, cell->device);
        shot_pass_u64(shot, rows_of(cell));
        shot_pass_u64(shot, (rows_of(cell) + items - 1) / items);
    }
    shot->useful = 8.0 * (double)(rows_of(cell) * width_of(cell));
    shot_extra(shot, "pitch_bytes", 4.0 * (double)pitch_of(cell));
    return true;
}

static uint32_t expected(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t place)
{
    (void)shot;
    return place % pitch_of(cell) < width_of(cell) ? ((const uint32_t *)memory[1])[place]
                                                   : POISON_WORD;
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[0], shot->buffers[0].bytes / 4, memory, expected);
}

static size_t bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)shot;
    return 4 * rows_of(cell) * width_of(cell);
}

FAST static void copy_pitch_row(uint32_t *restrict target, const uint32_t *restrict source,
                                size_t words)
{
    for (size_t i = 0; i < words; i++)
        target[i] = source[i];
}

static void host_copy(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    size_t width = width_of(cell), pitch = pitch_of(cell), rows = rows_of(cell);
    uint32_t *target = memory[0];
    const uint32_t *source = memory[1];
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < rows; y++)
        copy_pitch_row(target + y * pitch, source + y * pitch, width);
}

const struct study study_pitch_copy = {
    .counts = "each word of the width, read once and written once",
    .unit = UNIT_GB_S,
    .parameters = {{"width", "words", NULL, POINTS(1001), POINTS(88, 1001),
                    POINTS(88, 100, 1000, 1001, 1023, 1024, 1025, 4001)},
                   {"pitch", "", pitches, POINTS(0, 1), POINTS(0, 1), POINTS(0, 1)}},
    .forms = {{"idiom", ON_ANY}, {"rows", ON_CPU}},
    .hosts = {{"loop", FORM_IDIOM, host_copy, NULL}},
    .describe = describe,
    .check = check,
    .bytes_that_matter = bytes_that_matter,
};
