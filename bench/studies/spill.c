/* Private arrays that grow out of the registers: the same work with arrays of 0 to 1024 bytes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * With fixed places a compiler can keep the array in registers, as long as it has enough; with
 * places that move it cannot, whatever the size. */
#include "bench/study.h"

#define ITEM_WORDS 256
#define STEP       5

enum { FIXED, MOVING };
enum { FORM_ITEMS, FORM_CHUNKED };

static const char *const index_names[] = {"fixed", "moving"};

/* CPUs calculate here rather than read. */
static size_t items_of(const struct cell *cell)
{
    const size_t most = cell->device->is_cpu ? (size_t)16 << 20 : cell->bytes;
    return (cell->bytes < most ? cell->bytes : most) / 4 / ITEM_WORDS;
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    (void)attempt;
    static const char *const kernels[2][2] = {{"spill_fixed", "spill_fixed_chunked"},
                                              {"spill_moving", "spill_moving_chunked"}};
    const unsigned index = cell_parameter(cell, "index");
    const size_t items = items_of(cell);
    shot->file = "spill";
    shot->kernel = kernels[index][form];
    shot_define_number(shot, "WORDS", cell_parameter(cell, "array") / 4);
    shot_items(shot, cell->device, items, form == FORM_CHUNKED && cell->device->is_cpu ? 16 : 128);
    shot_pass(shot, shot_in(shot, items * ITEM_WORDS * 4));
    shot_pass(shot, shot_out(shot, items * 4));
    shot_pass_u32(shot, index == FIXED ? 1 : STEP);
    shot->useful = (double)items * (ITEM_WORDS + 1) * 4;
    return true;
}

/* One item's sum: with words is 0, of a plain variable. */
static uint32_t item_sum(const uint32_t *from, size_t apart, uint32_t words, uint32_t step)
{
    uint32_t own[ITEM_WORDS] = {0}, sum = 0;
    const uint32_t mask = words ? words - 1 : 0;
    for (uint32_t k = 0; k < ITEM_WORDS; k++)
        own[k * step & mask] += from[k * apart];
    for (uint32_t k = 0; k < ITEM_WORDS; k++)
        sum = 3 * sum + (k <= mask ? 1 : 2) * own[k * step & mask];
    for (uint32_t k = ITEM_WORDS; k-- > 0;)
        sum = 3 * sum + 2 * own[k * step & mask];
    return sum;
}

static bool is_chunked(const struct shot *shot)
{
    return shot->kernel[sizeof "spill_fixed" - 1] == '_' ||
           shot->kernel[sizeof "spill_moving" - 1] == '_';
}

static uint32_t expected(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t item)
{
    const uint32_t *source = memory[0];
    const size_t row = shot->local[0];
    const uint32_t words = cell_parameter(cell, "array") / 4, step = shot->arguments[2].value.u32;
    if (is_chunked(shot))
        return item_sum(source + item * ITEM_WORDS, 1, words, step);
    return item_sum(source + item / row * row * ITEM_WORDS + item % row, row, words, step);
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[1], items_of(cell), memory, expected);
}

const struct study study_spill = {
    .counts = "each word read once, each sum written",
    .unit = UNIT_GB_S,
    .parameters =
        {
            {.name = "index",
             .names = index_names,
             .quick = POINTS(MOVING),
             .normal = POINTS(FIXED, MOVING)},
            {.name = "array",
             .unit = "bytes",
             .quick = POINTS(0, 1024),
             .normal = POINTS(0, 64, 256, 1024),
             .full = POINTS(0, 16, 32, 64, 128, 256, 512, 1024)},
        },
    .forms = {{"items", ON_ANY}, {"chunked", ON_CPU}},
    .describe = describe,
    .check = check,
};
