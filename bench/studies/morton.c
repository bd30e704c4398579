/* Planes and volumes laid out by rows, in Morton order and in tiles, under several walks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows: S2-08, S2-09. */
#include "bench/morton.h"
#include "bench/study.h"

enum layout { BY_ROWS, BY_MORTON, BY_TILES };
enum walk { ALONG_ROWS, DOWN_COLUMNS, IN_BLOCKS, STENCIL, AT_RANDOM };

static const char *const layouts[] = {"rows", "morton", "tiles"};
static const char *const walks[] = {"rows", "columns", "blocks", "stencil", "random"};

/* As in morton.cl. */
enum { STEPS = 64 };

#define MOST_GROUPS 65535 /* in the second dimension of a grid */

/* What a cell asks. Sides are powers of two, as equal as they can be, the first one the longest. */
struct plane {
    enum layout layout;
    enum walk walk;
    unsigned dimensions;
    unsigned bits[3];
    const uint32_t *source;
};

static struct plane plane_of(const struct cell *cell)
{
    struct plane plane = {.layout = (enum layout)cell_parameter(cell, "layout"),
                          .walk = (enum walk)cell_parameter(cell, "walk"),
                          .dimensions = cell_parameter(cell, "dimensions")};
    unsigned next = 0;
    for (size_t words = cell->bytes / 4; words > 1; words /= 2) {
        plane.bits[next]++;
        next = (next + 1) % plane.dimensions;
    }
    return plane;
}

static size_t side(const struct plane *plane, unsigned axis)
{
    return (size_t)1 << plane->bits[axis];
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Groups of at most 256 items along dimension 0; fewer there, where dimension 1 would have too many
 * groups. */
static void launch_rows(struct shot *shot, size_t across, size_t down)
{
    size_t local[2] = {smaller(across, 256), 1};
    while (down / local[1] > MOST_GROUPS) {
        local[0] /= 2;
        local[1] *= 2;
    }
    for (int i = 0; i < 2; i++) {
        shot->local[i] = local[i];
        shot->groups[i] = (i ? down : across) / local[i];
    }
}

static void launch_blocks(struct shot *shot, const struct plane *plane)
{
    shot->local[0] = plane->dimensions == 3 ? 8 : 16;
    shot->local[1] = plane->dimensions == 3 ? 32 : 16;
    shot->groups[0] = side(plane, 0) / shot->local[0];
    shot->groups[1] = side(plane, 1) * side(plane, 2) / shot->local[1];
}

static void launch(struct shot *shot, const struct cell *cell, const struct plane *plane)
{
    const unsigned last = plane->dimensions - 1;
    const size_t words = cell->bytes / 4;
    if (plane->walk == AT_RANDOM)
        shot_items(shot, cell->device, words / STEPS, 256);
    else if (plane->walk == IN_BLOCKS)
        launch_blocks(shot, plane);
    else if (plane->walk == DOWN_COLUMNS)
        launch_rows(shot, side(plane, last), words / side(plane, last));
    else
        launch_rows(shot, side(plane, 0), words / side(plane, 0));
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    const struct plane plane = plane_of(cell);
    const bool is_random = plane.walk == AT_RANDOM;
    (void)form;
    if (cell->device->max_threads < 256)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no groups of 256 work-items");
    shot->file = "morton";
    shot->kernel = "morton";
    shot_define_number(shot, "DIMS", plane.dimensions);
    shot_define_number(shot, "LAYOUT", plane.layout);
    shot_define_number(shot, "WALK", plane.walk);
    shot_pass(shot, shot_out(shot, is_random ? cell->bytes / STEPS : cell->bytes));
    shot_pass(shot, shot_in(shot, cell->bytes));
    for (int i = 0; i < 3; i++)
        shot_pass_u32(shot, plane.bits[i]);
    launch(shot, cell, &plane);
    shot->useful = (is_random ? 1 : 2) * (double)cell->bytes;
    return true;
}

/* ---- What must come out ---- */

static size_t tile_place(const struct plane *plane, const uint32_t at[3])
{
    const unsigned *bits = plane->bits;
    const size_t x = at[0], y = at[1], z = at[2];
    if (plane->dimensions == 2)
        return ((y >> 3 << (bits[0] - 3)) + (x >> 3)) * 64 + (y & 7) * 8 + (x & 7);
    return ((((z >> 2 << (bits[1] - 2)) + (y >> 2)) << (bits[0] - 2)) + (x >> 2)) * 64 +
           (z & 3) * 16 + (y & 3) * 4 + (x & 3);
}

static uint32_t word_at(const struct plane *plane, const uint32_t at[3])
{
    const unsigned *bits = plane->bits;
    switch (plane->layout) {
    case BY_MORTON:
        return plane->source[plane->dimensions == 3 ? morton_encode3(at[0], at[1], at[2])
                                                    : morton_encode2(at[0], at[1])];
    case BY_TILES:
        return plane->source[tile_place(plane, at)];
    default:
        return plane->source[((((size_t)at[2] << bits[1]) + at[1]) << bits[0]) + at[0]];
    }
}

static uint32_t stencil_at(const struct plane *plane, const uint32_t at[3])
{
    uint32_t sum = word_at(plane, at);
    for (unsigned axis = 0; axis < 3; axis++) {
        uint32_t next[3] = {at[0], at[1], at[2]};
        next[axis] = at[axis] + 1;
        if (next[axis] < side(plane, axis))
            sum += word_at(plane, next);
        next[axis] = at[axis] - 1;
        if (at[axis] > 0)
            sum += word_at(plane, next);
    }
    return sum;
}

static uint32_t random_walk(const struct plane *plane, size_t item)
{
    static const unsigned shifts[] = {7, 15, 11};
    uint32_t state = (uint32_t)item * 2654435761u, sum = 0, at[3];
    for (unsigned axis = 0; axis < 3; axis++)
        at[axis] = state >> shifts[axis] & (uint32_t)(side(plane, axis) - 1);
    for (int step = 0; step < STEPS; step++) {
        sum += word_at(plane, at);
        state = state * 1664525u + 1013904223u;
        const unsigned axis = (state >> 16) % plane->dimensions;
        at[axis] = (at[axis] + (state >> 31 ? 1u : ~0u)) & (uint32_t)(side(plane, axis) - 1);
    }
    return sum;
}

static uint32_t expected(const struct plane *plane, size_t i)
{
    const unsigned last = plane->dimensions - 1;
    uint32_t at[3] = {0};
    if (plane->walk == AT_RANDOM)
        return random_walk(plane, i);
    for (unsigned n = 0; n <= last; n++) { /* the axis that changes fastest first */
        const unsigned axis = plane->walk != DOWN_COLUMNS ? n : n == 0 ? last : n - 1;
        at[axis] = (uint32_t)(i & (side(plane, axis) - 1));
        i >>= plane->bits[axis];
    }
    return plane->walk == STENCIL ? stencil_at(plane, at) : word_at(plane, at);
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    const uint32_t *output = memory[0];
    struct plane plane = plane_of(cell);
    size_t wrong = PATTERN_FINE;
    plane.source = memory[1];
    (void)runs;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (size_t i = 0; i < shot->buffers[0].bytes / 4; i++)
        if (output[i] != expected(&plane, i) && i * 4 < wrong)
            wrong = i * 4;
    return wrong;
}

/* Random walks miss some words. */
static size_t bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)shot;
    return cell_parameter(cell, "walk") == AT_RANDOM ? SIZE_MAX : 0;
}

const struct study study_morton = {
    .counts = "each word in and out; a stencil's neighbours not; of random walks the steps",
    .unit = UNIT_GB_S,
    .parameters = {{.name = "dimensions", .quick = POINTS(2), .full = POINTS(2, 3)},
                   {.name = "layout",
                    .names = layouts,
                    .quick = POINTS(BY_ROWS, BY_MORTON),
                    .normal = POINTS(BY_ROWS, BY_MORTON, BY_TILES)},
                   {.name = "walk",
                    .names = walks,
                    .quick = POINTS(ALONG_ROWS, DOWN_COLUMNS),
                    .normal = POINTS(ALONG_ROWS, DOWN_COLUMNS, IN_BLOCKS, STENCIL, AT_RANDOM)}},
    .forms = {{"idiom", ON_ANY}},
    .describe = describe,
    .check = check,
    .bytes_that_matter = bytes_that_matter,
};
