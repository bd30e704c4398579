/* Zeros, one value and random words, read in the same way: memory that compresses its content would
 * otherwise be taken for faster than it is.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench/study.h"

enum content_kind { ZEROS, CONSTANT, RANDOM };
enum { IDIOM, CHUNKED };
static const char *const content_names[] = {"zero", "constant", "random"};

static void fill_zeros(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)cell, (void)index;
    memset(memory, 0, bytes);
}

static void fill_constant(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)cell, (void)index;
    memset(memory, 0x5C, bytes);
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    const size_t words = cell->bytes / 16;
    (void)attempt;
    size_t items;
    shot->file = "content";
    shot->kernel = form == IDIOM ? "content_read" : "content_read_chunked";
    if (form == IDIOM) {
        items = words / 16;
        shot_items(shot, cell->device, items, 256);
    } else {
        items = shot_chunks(shot, cell->device);
    }
    size_t source = shot_in(shot, cell->bytes), sums = shot_out(shot, items * sizeof(uint32_t));
    const unsigned content = cell_parameter(cell, "content");
    if (content != RANDOM)
        shot->buffers[source].fill = content == ZEROS ? fill_zeros : fill_constant;
    shot_pass(shot, source);
    shot_pass(shot, sums);
    if (form == CHUNKED) {
        shot_pass_u64(shot, words);
        shot_pass_u64(shot, (words + items - 1) / items);
    }
    shot->useful = (double)cell->bytes;
    return true;
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)runs;
    return check_sum(memory[1], shot->buffers[1].bytes / 4, sum_words(memory[0], cell->bytes / 4));
}

const struct study study_content = {
    .counts = "each word read once",
    .unit = UNIT_GB_S,
    .parameters = {{.name = "content",
                    .names = content_names,
                    .quick = POINTS(RANDOM),
                    .normal = POINTS(ZEROS, CONSTANT, RANDOM)}},
    .forms = {{"idiom", ON_GPU}, {"chunked", ON_CPU}},
    .describe = describe,
    .check = check,
};
