/* A matrix is transposed, or copied in the same layout: the ladder of CUDA's ways, and the best one.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows: S3-05, S2-08. */
#include "bench/fast.h"
#include "bench/study.h"

/* As in transpose.cl. */
#define TILE   ((size_t)32)
#define WIDE   ((size_t)64)
#define SQUARE ((size_t)16)

enum { COPY, ROW, COLUMN, TILED, PADDED, DIAGONAL };

static const char *const variants[] = {"copy", "row", "column", "tile", "padded", "diagonal"};
static const char *const variant_kernels[] = {"transpose_copy",   "transpose_row",
                                              "transpose_column", "transpose_tile",
                                              "transpose_padded", "transpose_diagonal"};

enum { WORK_IS_COPY, WORK_IS_TRANSPOSE };

static const char *const works[] = {"copy", "transpose"};

static size_t width_of(const struct cell *cell)
{
    size_t width = 1;
    while (width * width < cell->bytes / 4)
        width *= 2;
    return width;
}

static size_t height_of(const struct cell *cell)
{
    return cell->bytes / 4 / width_of(cell);
}

static void describe_matrix(const struct cell *cell, size_t rows, struct shot *shot)
{
    const size_t bytes = width_of(cell) * height_of(cell) * 4;
    shot->file = "transpose";
    shot->useful = 2 * (double)bytes;
    shot_define_number(shot, "ROWS", (unsigned)rows);
    shot_pass(shot, shot_out(shot, bytes));
    shot_pass(shot, shot_in(shot, bytes));
}

static void pass_shape(const struct cell *cell, struct shot *shot)
{
    shot_pass_u64(shot, width_of(cell));
    shot_pass_u64(shot, height_of(cell));
}

static bool describe_tiles(struct attempt *attempt, const struct cell *cell, const char *kernel,
                           size_t rows, struct shot *shot)
{
    describe_matrix(cell, rows, shot);
    if ((size_t)cell->device->max_threads < TILE * rows)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no groups of %zu work-items",
                            TILE * rows);
    shot->kernel = kernel;
    shot->local[0] = TILE;
    shot->local[1] = rows;
    shot->groups[0] = width_of(cell) / TILE;
    shot->groups[1] = height_of(cell) / TILE;
    pass_shape(cell, shot);
    return true;
}

static bool describe_variant(struct attempt *attempt, const struct cell *cell, size_t form,
                             struct shot *shot)
{
    const unsigned variant = cell_parameter(cell, "variant");
    (void)form;
    if (!describe_tiles(attempt, cell, variant_kernels[variant], cell_parameter(cell, "rows"),
                        shot))
        return false;
    if (variant == COLUMN) {
        shot->groups[0] = height_of(cell) / TILE;
        shot->groups[1] = width_of(cell) / TILE;
    }
    return true;
}

/* Wide tiles, and a copy by words of 16 bytes. */
static bool describe_wide(struct attempt *attempt, const struct cell *cell, const char *kernel,
                          struct shot *shot)
{
    const size_t words = width_of(cell) * height_of(cell);
    const bool copies = cell_parameter(cell, "work") == WORK_IS_COPY;
    describe_matrix(cell, 8, shot);
    if (cell->device->max_threads < 256)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no groups of 256 work-items");
    shot->kernel = copies ? "copy_wide4" : kernel;
    shot->local[0] = 256;
    shot->groups[0] = copies ? words / 4 / 256 : words / WIDE / WIDE;
    if (!copies)
        pass_shape(cell, shot);
    return true;
}

/* Strips of whole squares, several for each core; a power of two. */
static bool describe_strips(struct attempt *attempt, const struct cell *cell, const char *kernel,
                            struct shot *shot)
{
    size_t strips = 1,
           units = cell->device->compute_units > 0 ? (size_t)cell->device->compute_units : 1;
    describe_matrix(cell, 8, shot);
    if (!cell->device->is_cpu)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "a kernel for CPUs alone");
    while (strips < 4 * units && height_of(cell) / strips > WIDE)
        strips *= 2;
    shot->kernel = kernel;
    shot_items(shot, cell->device, strips, 1);
    pass_shape(cell, shot);
    shot_pass_u32(shot, (uint32_t)(height_of(cell) / strips));
    return true;
}

enum { FORM_IDIOM, FORM_WIDE2, FORM_WIDE4, FORM_LINES, FORM_STREAMING };

static bool describe_transpose(struct attempt *attempt, const struct cell *cell, size_t form,
                               struct shot *shot)
{
    const bool copies = cell_parameter(cell, "work") == WORK_IS_COPY;
    switch (form) {
    case FORM_IDIOM:
        return describe_tiles(attempt, cell, copies ? "transpose_copy" : "transpose_padded", 8,
                              shot);
    case FORM_WIDE2:
        return describe_wide(attempt, cell, "transpose_wide2", shot);
    case FORM_WIDE4:
        return describe_wide(attempt, cell, "transpose_wide4", shot);
    case FORM_LINES:
        return describe_strips(attempt, cell, copies ? "copy_lines" : "transpose_lines", shot);
    default:
        return describe_strips(attempt, cell, copies ? "copy_streaming" : "transpose_streaming",
                               shot);
    }
}

static uint32_t copied_word(const struct cell *cell, const struct shot *shot,
                            const void *const memory[], size_t place)
{
    (void)cell, (void)shot;
    return ((const uint32_t *)memory[1])[place];
}

/* Row by row of the target, whose rows are the source's columns: by squares, so that checking a
 * large matrix takes no longer than copying it. */
static size_t check_transposed(const struct cell *cell, const uint32_t *target,
                               const uint32_t *source)
{
    const size_t width = width_of(cell), height = height_of(cell);
    size_t wrong = SIZE_MAX;
#pragma omp parallel for reduction(min : wrong)
    for (size_t from_y = 0; from_y < height; from_y += SQUARE)
        for (size_t from_x = 0; from_x < width; from_x += SQUARE)
            for (size_t i = 0; i < SQUARE * SQUARE; i++) {
                const size_t x = from_x + i / SQUARE, y = from_y + i % SQUARE;
                if (target[x * height + y] != source[y * width + x] && x * height + y < wrong)
                    wrong = x * height + y;
            }
    return wrong == SIZE_MAX ? PATTERN_FINE : wrong * 4;
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    bool copies)
{
    return copies
               ? check_words(cell, shot, memory[0], shot->buffers[0].bytes / 4, memory, copied_word)
               : check_transposed(cell, memory[0], memory[1]);
}

static size_t check_variant(const struct cell *cell, const struct shot *shot,
                            const void *const memory[], size_t runs)
{
    (void)runs;
    return check(cell, shot, memory, cell_parameter(cell, "variant") == COPY);
}

static size_t check_transpose(const struct cell *cell, const struct shot *shot,
                              const void *const memory[], size_t runs)
{
    (void)runs;
    return check(cell, shot, memory, cell_parameter(cell, "work") == WORK_IS_COPY);
}

FAST static void copy_transpose_row(uint32_t *restrict to, const uint32_t *restrict from,
                                    size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
}

static void host_copy(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    const size_t width = width_of(cell), height = height_of(cell);
    uint32_t *target = memory[0];
    const uint32_t *source = memory[1];
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < height; y++)
        copy_transpose_row(target + y * width, source + y * width, width);
}

/* One square of the target. */
FAST static void transpose_square(uint32_t *restrict to, size_t height,
                                  const uint32_t *restrict from, size_t width)
{
    for (size_t i = 0; i < SQUARE; i++)
        for (size_t j = 0; j < SQUARE; j++)
            to[i * height + j] = from[j * width + i];
}

static void host_squares(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    const size_t width = width_of(cell), height = height_of(cell);
    uint32_t *target = memory[0];
    const uint32_t *source = memory[1];
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < height; y += SQUARE)
        for (size_t x = 0; x < width; x += SQUARE)
            transpose_square(target + x * height + y, height, source + y * width + x, width);
}

static bool is_copy(const struct cell *cell)
{
    return cell_parameter(cell, "work") == WORK_IS_COPY;
}

static bool is_transpose(const struct cell *cell)
{
    return !is_copy(cell);
}

const struct study study_transpose_variant = {
    .counts = "each byte read and written once",
    .unit = UNIT_GB_S,
    .parameters = {{.name = "variant",
                    .names = variants,
                    .quick = POINTS(ROW, TILED),
                    .normal = POINTS(COPY, ROW, COLUMN, TILED, PADDED, DIAGONAL)},
                   {.name = "rows",
                    .unit = "of a tile at once",
                    .quick = POINTS(8),
                    .full = POINTS(2, 4, 8, 16, 32)}},
    .forms = {{"idiom", ON_ANY}},
    .describe = describe_variant,
    .check = check_variant,
};

const struct study study_transpose = {
    .counts = "each byte read and written once",
    .unit = UNIT_GB_S,
    .parameters = {{.name = "work",
                    .names = works,
                    .quick = POINTS(WORK_IS_COPY, WORK_IS_TRANSPOSE)}},
    .forms = {{"idiom", ON_ANY},
              {"wide2", ON_GPU},
              {"wide4", ON_GPU},
              {"lines", ON_CPU},
              {"streaming", ON_CPU}},
    .hosts = {{"rows" ALL, FORM_LINES, host_copy, is_copy},
              {"squares" ALL, FORM_LINES, host_squares, is_transpose}},
    .describe = describe_transpose,
    .check = check_transpose,
};
