/* Copies of structs of three parts: packed, and with a fourth part that aligns them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/studies/tools.h"

enum { FORM_IDIOM, FORM_WORDS, FORM_CHUNKED, FORM_WORDS_CHUNKED };

static size_t part_of(const struct cell *cell)
{
    return cell_parameter(cell, "payload") / 3;
}

static size_t element_bytes(const struct cell *cell)
{
    return (cell_parameter(cell, "align") > 1 ? 4 : 3) * part_of(cell);
}

static size_t elements_of(const struct cell *cell)
{
    return cell->bytes / (4 * part_of(cell));
}

static const char *part_name(size_t part)
{
    return part == 1 ? "uchar" : part == 2 ? "ushort" : part == 4 ? "uint" : "ulong";
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    static const char *const kernels[] = {"record", "record_words", "record_chunked",
                                          "record_words_chunked"};
    bool in_words = form == FORM_WORDS || form == FORM_WORDS_CHUNKED;
    size_t bytes = elements_of(cell) * element_bytes(cell);
    size_t count = in_words ? bytes / 16 : elements_of(cell);
    if (in_words && bytes % 16)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no whole words of 16 bytes");
    shot->file = "record";
    shot->kernel = kernels[form];
    shot_define(shot, "PART", part_name(part_of(cell)));
    shot_define_number(shot, "ALIGN", cell_parameter(cell, "align"));
    shot_pass(shot, shot_out(shot, bytes));
    shot_pass(shot, shot_in(shot, bytes));
    if (form == FORM_IDIOM || form == FORM_WORDS) {
        shot_items(shot, cell->device, count, 256);
    } else {
        shot_pass_u64(shot, count);
        shot_pass_u64(shot, run_length(count, shot_chunks(shot, cell->device)));
    }
    shot->useful = 2.0 * cell_parameter(cell, "payload") * (double)elements_of(cell);
    shot_extra(shot, "element_bytes", (double)element_bytes(cell));
    return true;
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)cell;
    (void)runs;
    return check_same(memory[0], memory[1], shot->buffers[0].bytes);
}

static void host_copy(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    (void)cell;
    host_copy_words(memory[0], memory[1], shot->buffers[0].bytes / 4);
}

const struct study study_layout_struct = {
    .counts = "the three parts of each struct, read once and written once",
    .unit = UNIT_GB_S,
    .parameters = {{"payload", "bytes", NULL, POINTS(12), POINTS(3, 12), POINTS(3, 6, 12, 24)},
                   {"align", "parts", NULL, POINTS(1, 4), POINTS(1, 4), POINTS(1, 2, 4)}},
    .forms = {{"idiom", ON_ANY}, {"words", ON_ANY}, {"chunked", ON_CPU}, {"words-chunked", ON_CPU}},
    .hosts = {{"loop", FORM_IDIOM, host_copy, NULL}},
    .describe = describe,
    .check = check,
};
