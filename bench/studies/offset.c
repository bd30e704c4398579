/* Reads and writes that begin some words past an aligned place, for words of 1 to 16 bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/tools.h"

enum { FORM_IDIOM, FORM_UNROLLED, FORM_CHUNKED, FORM_STREAMING };

/* The unrolled form, where the cell itself has one item per word. */
#define BEST_UNROLL 4

#define EIGHT(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7
#define ALL_OFFSETS                                                                                \
    EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56),          \
        EIGHT(64), EIGHT(72), EIGHT(80), EIGHT(88), EIGHT(96), EIGHT(104), EIGHT(112), EIGHT(120), \
        128

static size_t words_of(const struct cell *cell)
{
    return cell->bytes / cell_parameter(cell, "word");
}

static const char *word_name(size_t word)
{
    return word == 1   ? "uchar"
           : word == 2 ? "ushort"
           : word == 4 ? "uint"
           : word == 8 ? "uint2"
                       : "uint4";
}

/* The whole curve for 4-byte words; the others where they differ. */
static bool takes(const struct cell *cell)
{
    unsigned offset = cell_parameter(cell, "offset"), word = cell_parameter(cell, "word");
    if (word != 4)
        return offset <= 1 && cell_parameter(cell, "unroll") == 1;
    return cell_parameter(cell, "unroll") == 1 || offset == 0 || offset == 11 || offset == 128;
}

static uint64_t shifted(const struct cell *cell, uint64_t item)
{
    return (item + cell_parameter(cell, "offset")) * cell_parameter(cell, "word");
}

static void describe_items(const struct cell *cell, struct shot *shot, unsigned unroll)
{
    shot_define_number(shot, "UNROLL", unroll);
    shot_items(shot, cell->device, words_of(cell) / unroll, 256);
    shot_pass_u64(shot, cell_parameter(cell, "offset"));
}

static void describe_runs(const struct cell *cell, struct shot *shot, bool writes)
{
    size_t words = words_of(cell), offset = cell_parameter(cell, "offset");
    size_t chunk = run_length(words, shot_chunks(shot, cell->device));
    shot_define_number(shot, "UNROLL", 1);
    shot_pass_u64(shot, writes ? offset : 0);
    shot_pass_u64(shot, writes ? 0 : offset);
    shot_pass_u64(shot, words);
    shot_pass_u64(shot, chunk);
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot, bool writes)
{
    size_t word = cell_parameter(cell, "word"), offset = cell_parameter(cell, "offset");
    unsigned unroll = cell_parameter(cell, "unroll");
    /* The memory of either side ends on a whole word of the fill. */
    size_t plain = cell->bytes, shifted_bytes = cell->bytes + (offset * word + 15) / 16 * 16;
    if (form == FORM_UNROLLED && unroll != 1)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "the cell is unrolled itself");
    if (form == FORM_STREAMING && word != 4)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "only for words of 4 bytes");
    shot->file = "offset";
    shot_define(shot, "WORD", word_name(word));
    shot_pass(shot, shot_out(shot, writes ? shifted_bytes : plain));
    shot_pass(shot, shot_in(shot, writes ? plain : shifted_bytes));
    shot->useful = 2.0 * (double)cell->bytes;
    if (form == FORM_IDIOM || form == FORM_UNROLLED) {
        shot->kernel = writes ? "offset_write" : "offset_read";
        describe_items(cell, shot, form == FORM_UNROLLED ? BEST_UNROLL : unroll);
    } else {
        shot->kernel = form == FORM_CHUNKED ? "offset_chunked" : "offset_streaming";
        describe_runs(cell, shot, writes);
    }
    (writes ? shot_predict_stores : shot_predict_loads)(shot, cell, words_of(cell), word, shifted);
    return true;
}

static bool describe_read(struct attempt *attempt, const struct cell *cell, size_t form,
                          struct shot *shot)
{
    return describe(attempt, cell, form, shot, false);
}

static bool describe_write(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    return describe(attempt, cell, form, shot, true);
}

static size_t gap_of(const struct cell *cell)
{
    return (size_t)cell_parameter(cell, "offset") * cell_parameter(cell, "word");
}

static size_t check_read(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t runs)
{
    (void)shot;
    (void)runs;
    return check_same(memory[0], (const char *)memory[1] + gap_of(cell), cell->bytes);
}

static size_t check_write(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    (void)shot;
    (void)runs;
    size_t gap = gap_of(cell), wrong = check_poisoned(memory[0], gap);
    if (wrong != PATTERN_FINE)
        return wrong;
    return check_from(gap, check_same((const char *)memory[0] + gap, memory[1], cell->bytes));
}

/* What lies before the offset is never read. */
static size_t bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)shot;
    return cell->bytes;
}

FAST static void copy_bytes(unsigned char *restrict target, const unsigned char *restrict source,
                            size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        target[i] = source[i];
}

static void host_copy(const struct cell *cell, unsigned char *target, const unsigned char *source)
{
    if (cell_parameter(cell, "word") >= 4) {
        host_copy_words((uint32_t *)(void *)target, (const uint32_t *)(const void *)source,
                        cell->bytes / 4);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < cell->bytes; i += PIECE)
        copy_bytes(target + i, source + i, cell->bytes - i < PIECE ? cell->bytes - i : PIECE);
}

static void host_read(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    (void)shot;
    host_copy(cell, memory[0], (const unsigned char *)memory[1] + gap_of(cell));
}

static void host_write(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    (void)shot;
    host_copy(cell, (unsigned char *)memory[0] + gap_of(cell), memory[1]);
}

/* A chunk's runs of uint4 and one item per uint4 gave nothing over runs of words, which compilers
 * join themselves. */
#define FORMS                                                                                      \
    {                                                                                              \
        {"idiom", ON_ANY}, {"unrolled", ON_GPU}, {"chunked", ON_CPU}, {"streaming", ON_CPU},       \
        {                                                                                          \
            NULL, ON_ANY                                                                           \
        }                                                                                          \
    }

const struct study study_offset_read = {
    .counts = "each word read once and written once",
    .unit = UNIT_GB_S,
    .parameters = {{"offset", "words", NULL, POINTS(0, 11), POINTS(0, 1, 11, 128),
                    POINTS(ALL_OFFSETS)},
                   {"unroll", "", NULL, POINTS(1), POINTS(1, 4), POINTS(1, 2, 4)},
                   {"word", "bytes", NULL, POINTS(4), POINTS(1, 4, 16), POINTS(1, 2, 4, 8, 16)}},
    .forms = FORMS,
    .hosts = {{"loop", FORM_IDIOM, host_read, NULL}},
    .describe = describe_read,
    .check = check_read,
    .takes = takes,
    .bytes_that_matter = bytes_that_matter,
};

const struct study study_offset_write = {
    .counts = "each word read once and written once",
    .unit = UNIT_GB_S,
    .parameters = {{"offset", "words", NULL, POINTS(11), POINTS(0, 1, 11), POINTS(ALL_OFFSETS)},
                   {"unroll", "", NULL, POINTS(1), POINTS(1), POINTS(1, 2, 4)},
                   {"word", "bytes", NULL, POINTS(4), POINTS(4, 16), POINTS(1, 2, 4, 8, 16)}},
    .forms = FORMS,
    .hosts = {{"loop", FORM_IDIOM, host_write, NULL}},
    .describe = describe_write,
    .check = check_write,
    .takes = takes,
    .bytes_that_matter = bytes_that_matter,
};
