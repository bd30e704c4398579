/* Neighbouring work-items that read, or write, one and the same word.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/tools.h"

enum { FORM_IDIOM, FORM_CHUNKED };

/* How many words an item of same_read takes. */
#define READS 16

static size_t lanes_of(const struct cell *cell)
{
    return cell_parameter(cell, "lanes");
}

/* Words of which each is read. */
static size_t distinct_reads(const struct cell *cell)
{
    return cell->bytes / 4 / lanes_of(cell);
}

static uint64_t shared_place(const struct cell *cell, uint64_t item)
{
    return 4 * (item & ~(uint64_t)(lanes_of(cell) - 1));
}

static bool describe_read(struct attempt *attempt, const struct cell *cell, size_t form,
                          struct shot *shot)
{
    (void)attempt;
    shot->file = "same";
    shot_define(shot, "WORD", "uint");
    if (form == FORM_IDIOM)
        shot_items(shot, cell->device, cell->bytes / 4 / READS, 256);
    else
        shot_chunks(shot, cell->device);
    size_t items = shot->groups[0] * shot->local[0];
    shot->kernel = form == FORM_IDIOM ? "same_read" : "same_read_chunked";
    shot_pass(shot, shot_out(shot, items * 4));
    shot_pass(shot, shot_in(shot, cell->bytes));
    shot_pass_u32(shot, (uint32_t)lanes_of(cell));
    if (form == FORM_CHUNKED) {
        shot_pass_u64(shot, distinct_reads(cell));
        shot_pass_u64(shot, run_length(distinct_reads(cell), items));
    }
    shot->useful = 4.0 * (double)distinct_reads(cell);
    shot_predict_loads(shot, cell, cell->bytes / 4, 4, shared_place);
    return true;
}

static uint32_t expected_read(const struct cell *cell, const struct shot *shot,
                              const void *const memory[], size_t item)
{
    size_t size = shot->local[0];
    size_t first = item / size * size * READS + item % size;
    uint32_t sum = 0;
    for (size_t k = 0; k < READS; k++)
        sum += ((const uint32_t *)memory[1])[shared_place(cell, first + k * size) / 4];
    return sum;
}

FAST static uint32_t distinct_sum(const uint32_t *words, size_t lanes, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += words[i * lanes];
    return sum;
}

/* Each word once, not once per lane. */
static uint32_t sum_of(const struct cell *cell, const uint32_t *source)
{
    size_t words = distinct_reads(cell), lanes = lanes_of(cell);
    uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < words; i += PIECE)
        sum += distinct_sum(source + i * lanes, lanes, words - i < PIECE ? words - i : PIECE);
    return sum;
}

static size_t check_read(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t runs)
{
    (void)runs;
    size_t words = shot->buffers[0].bytes / 4;
    bool is_idiom = shot->argument_count == 3;
    return is_idiom ? check_words(cell, shot, memory[0], words, memory, expected_read)
                    : check_sum(memory[0], words, sum_of(cell, memory[1]));
}

static size_t bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)shot;
    return 4 * distinct_reads(cell);
}

static void host_read(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    uint32_t *sums = memory[0];
    for (size_t i = 0; i < shot->buffers[0].bytes / 4; i++)
        sums[i] = 0;
    sums[0] = sum_of(cell, memory[1]);
}

/* One write for every 4 bytes of the cell; so many lanes of them meet in each word. */
static size_t writes_of(const struct cell *cell)
{
    return cell->bytes / 4;
}

static uint64_t written_place(const struct cell *cell, uint64_t item)
{
    return item / lanes_of(cell) * cell_parameter(cell, "word");
}

static uint32_t shift_of(size_t lanes)
{
    uint32_t shift = 0;
    while ((size_t)1 << shift < lanes)
        shift++;
    return shift;
}

static bool describe_write(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    size_t word = cell_parameter(cell, "word"), words = writes_of(cell) / lanes_of(cell);
    (void)attempt;
    shot->file = "same";
    shot->kernel = form == FORM_IDIOM ? "same_write" : "same_write_chunked";
    shot_define(shot, "WORD", word == 4 ? "uint" : word == 8 ? "uint2" : "uint4");
    shot_pass(shot, shot_out(shot, words * word));
    shot_pass_u32(shot, shift_of(lanes_of(cell)));
    if (form == FORM_IDIOM) {
        shot_items(shot, cell->device, writes_of(cell), 256);
    } else {
        shot_pass_u64(shot, words);
        shot_pass_u64(shot, run_length(words, shot_chunks(shot, cell->device)));
    }
    shot->useful = (double)(words * word);
    shot_predict_stores(shot, cell, writes_of(cell), word, written_place);
    return true;
}

/* Whether a word is what one of its writers wrote, all of it. */
static bool is_of_one_writer(const uint32_t *word, size_t parts, uint32_t first, size_t lanes)
{
    const uint32_t item = word[0], whole[] = {item, ~item, item * 3, item * 5};
    if (item - first >= lanes)
        return false;
    for (size_t i = 1; i < parts; i++)
        if (word[i] != whole[i])
            return false;
    return true;
}

static size_t check_write(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    size_t lanes = lanes_of(cell), parts = cell_parameter(cell, "word") / 4, wrong = PATTERN_FINE;
    const uint32_t *output = memory[0];
    (void)runs;
#pragma omp parallel for reduction(min : wrong)
    for (size_t i = 0; i < shot->buffers[0].bytes / 4 / parts; i++)
        if (!is_of_one_writer(output + i * parts, parts, (uint32_t)(i * lanes), lanes) &&
            4 * i * parts < wrong)
            wrong = 4 * i * parts;
    return wrong;
}

FAST static void write_words(uint32_t *target, size_t parts, size_t lanes, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        uint32_t item = (uint32_t)(i * lanes + lanes - 1);
        const uint32_t whole[] = {item, ~item, item * 3, item * 5};
        for (size_t part = 0; part < parts; part++)
            target[i * parts + part] = whole[part];
    }
}

static void host_write(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    size_t lanes = lanes_of(cell), words = writes_of(cell) / lanes;
    size_t parts = cell_parameter(cell, "word") / 4;
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < words; i += PIECE)
        write_words(memory[0], parts, lanes, i, words - i < PIECE ? words : i + PIECE);
}

const struct study study_same_read = {
    .counts = "each word once, however many lanes read it",
    .unit = UNIT_GB_S,
    .parameters = {{"lanes", "", NULL, POINTS(32), POINTS(1, 32),
                    POINTS(1, 2, 4, 8, 16, 32, 64, 128, 256)}},
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", FORM_CHUNKED, host_read, NULL}},
    .describe = describe_read,
    .check = check_read,
    .bytes_that_matter = bytes_that_matter,
};

const struct study study_same_write = {
    .is_cached = true, /* the same few words again and again */
    .counts = "each word once, however many lanes write to it",
    .unit = UNIT_GB_S,
    .parameters = {{"word", "bytes", NULL, POINTS(16), POINTS(4, 16), POINTS(4, 8, 16)},
                   {"lanes", "", NULL, POINTS(32), POINTS(32), POINTS(1, 2, 8, 32, 256)}},
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", FORM_IDIOM, host_write, NULL}},
    .describe = describe_write,
    .check = check_write,
};
