/* A two-dimensional copy by blocks of several shapes, of arrays whose rows have odd lengths.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows: S3-01. */
#include <string.h>

#include "bench/fast.h"
#include "bench/study.h"

enum { FORM_BLOCK, FORM_LINE, FORM_CHUNKED, FORM_STREAMING };

/* As many rows as there is room for, and as a grid of CUDA can have groups; a multiple of 4. */
static size_t height_of(const struct cell *cell)
{
    const size_t rows = cell->bytes / 4 / cell_parameter(cell, "width") / 4 * 4;
    const size_t most = (size_t)65532 * cell_parameter(cell, "y");
    return rows < most ? rows : most;
}

static size_t words_of(const struct cell *cell)
{
    return height_of(cell) * cell_parameter(cell, "width");
}

static size_t groups_for(size_t count, size_t local)
{
    return (count + local - 1) / local;
}

static bool describe_block(struct attempt *attempt, const struct cell *cell, struct shot *shot)
{
    const size_t x = cell_parameter(cell, "x"), y = cell_parameter(cell, "y");
    const size_t width = cell_parameter(cell, "width"), height = height_of(cell);
    if ((size_t)cell->device->max_threads < x * y)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no groups of %zu work-items", x * y);
    shot->kernel = "block_copy";
    shot->local[0] = x;
    shot->local[1] = y;
    shot->groups[0] = groups_for(width, x);
    shot->groups[1] = groups_for(height, y);
    shot_pass_u64(shot, width);
    shot_pass_u64(shot, height);
    return true;
}

static void describe_chunks(const struct cell *cell, struct shot *shot)
{
    const size_t words = words_of(cell) / 4, items = 4 * shot_chunks(shot, cell->device);
    shot->groups[0] *= 4;
    shot_pass_u64(shot, words);
    shot_pass_u64(shot, groups_for(words, items));
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    shot->file = "block";
    shot->useful = 8 * (double)words_of(cell);
    shot_pass(shot, shot_out(shot, words_of(cell) * 4));
    shot_pass(shot, shot_in(shot, words_of(cell) * 4));
    if (form == FORM_BLOCK)
        return describe_block(attempt, cell, shot);
    if (form == FORM_STREAMING && !cell->device->is_cpu)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "a kernel for CPUs alone");
    shot->kernel = form == FORM_LINE      ? "block_line"
                   : form == FORM_CHUNKED ? "block_chunked"
                                          : "block_streaming";
    if (form == FORM_LINE)
        shot_items(shot, cell->device, words_of(cell) / 4, 256);
    else
        describe_chunks(cell, shot);
    return true;
}

static uint32_t same_word(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t place)
{
    (void)cell, (void)shot;
    return ((const uint32_t *)memory[1])[place];
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[0], words_of(cell), memory, same_word);
}

FAST static void copy_block_row(uint32_t *restrict to, const uint32_t *restrict from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
}

static void host_rows(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    const size_t width = cell_parameter(cell, "width"), height = height_of(cell);
    uint32_t *target = memory[0];
    const uint32_t *source = memory[1];
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < height; y++)
        copy_block_row(target + y * width, source + y * width, width);
}

const struct study study_block = {
    .counts = "each byte read and written once",
    .unit = UNIT_GB_S,
    .parameters =
        {{.name = "width",
          .unit = "words",
          .quick = POINTS(1000),
          .normal = POINTS(1000, 1024, 1056),
          .full = POINTS(1000, 1001, 1008, 1016, 1023, 1024, 1025, 1032, 1040, 1048, 1055, 1056)},
         {.name = "x",
          .unit = "items",
          .quick = POINTS(32),
          .normal = POINTS(8, 32),
          .full = POINTS(8, 16, 24, 32, 48, 64)},
         {.name = "y", .unit = "items", .quick = POINTS(8), .full = POINTS(1, 2, 4, 8, 16)}},
    .forms = {{"idiom", ON_ANY}, {"line", ON_GPU}, {"chunked", ON_CPU}, {"streaming", ON_CPU}},
    .hosts = {{"rows" ALL, FORM_CHUNKED, host_rows, NULL}},
    .describe = describe,
    .check = check,
};
