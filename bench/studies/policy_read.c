/* Cache policies of loads: the same reads along several paths, over several patterns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/policy.h"

#define SHIFT      1    /* words: how far unaligned reads are from a segment */
#define TAIL_WORDS 1024 /* behind the words, so that shifted ones are there */
#define TILE_WORDS 4096 /* 16 KiB, small enough for a first cache */
#define TIMES      17   /* an odd number, so that sums show all bits of a word */

enum pattern_kind { STREAM, UNALIGNED, STRIDED, GATHER, REREAD, HOT };
enum { FORM_ITEMS, FORM_RUNS };

static const char *const path_names[] = {"plain", "volatile", "readonly", "prefetch", "ca",
                                         "cg",    "cs",       "lu",       "cv"};
static const char *const pattern_names[] = {"stream", "unaligned", "strided",
                                            "gather", "reread",    "hot"};

static size_t words_of(const struct cell *cell)
{
    return cell->bytes / 4;
}

static size_t tile_count(const struct cell *cell)
{
    const size_t tiles = words_of(cell) / 16 / TILE_WORDS;
    return tiles ? tiles : 1;
}

/* A table that a quarter of the last cache holds, and not larger than the stream beside it. */
static size_t hot_words(const struct cell *cell)
{
    size_t words = words_of(cell) / 2;
    const size_t cache = cell->device->cache_bytes ? cell->device->cache_bytes : 4 << 20;
    while (words > 16384 && words * 4 > cache / 4)
        words /= 2;
    return words;
}

static unsigned bits_of(size_t power)
{
    unsigned bits = 0;
    while (power > 1) {
        power /= 2;
        bits++;
    }
    return bits;
}

static void pass_shuffle(struct shot *shot, size_t segments)
{
    shot_pass_u64(shot, segments - 1);
    shot_pass_u32(shot, bits_of(segments) / 2 + 1);
}

static void pass_buffers(struct shot *shot, size_t source_words, size_t items)
{
    shot_pass(shot, shot_in(shot, source_words * 4));
    shot_pass(shot, shot_out(shot, items * 4));
}

static size_t items_of(const struct shot *shot)
{
    return shot->groups[0] * shot->local[0];
}

static void describe_stream(const struct cell *cell, enum pattern_kind pattern, size_t form,
                            struct shot *shot)
{
    const size_t words = words_of(cell);
    const bool shifted = pattern == UNALIGNED;
    if (form == FORM_ITEMS)
        shot_items(shot, cell->device, words / 32, 256);
    else
        shot_chunks(shot, cell->device);
    shot->kernel = form != FORM_ITEMS   ? "policy_stream_chunked"
                   : pattern == STRIDED ? "policy_strided"
                                        : "policy_stream";
    pass_buffers(shot, words + (shifted ? TAIL_WORDS : 0), items_of(shot));
    shot_pass_u64(shot, shifted ? SHIFT : 0);
    if (form != FORM_ITEMS)
        shot_pass_u64(shot, words);
    shot->useful = (double)words * 4;
}

static void describe_gather(const struct cell *cell, size_t form, struct shot *shot)
{
    const size_t words = words_of(cell);
    if (form == FORM_ITEMS)
        shot_items(shot, cell->device, words / 32, 256);
    else
        shot_chunks(shot, cell->device);
    shot->kernel = form == FORM_ITEMS ? "policy_gather" : "policy_gather_chunked";
    pass_buffers(shot, words, items_of(shot));
    pass_shuffle(shot, words / 8);
    shot->useful = (double)words * 4;
}

static void describe_reread(const struct cell *cell, size_t form, struct shot *shot)
{
    const size_t tiles = tile_count(cell), words = tiles * TILE_WORDS;
    if (form == FORM_ITEMS) {
        shot_items(shot, cell->device, 256, 256);
        shot->groups[0] = tiles;
    } else {
        shot_chunks(shot, cell->device);
    }
    shot->kernel = form == FORM_ITEMS ? "policy_reread" : "policy_reread_chunked";
    pass_buffers(shot, words, items_of(shot));
    shot_pass_u64(shot, TILE_WORDS - 1);
    shot_pass_u64(shot, form == FORM_ITEMS ? TIMES * TILE_WORDS / shot->local[0] : TIMES);
    if (form != FORM_ITEMS)
        shot_pass_u64(shot, tiles);
    shot->useful = (double)words * 4 * TIMES;
}

static void describe_hot(const struct cell *cell, struct shot *shot)
{
    const size_t words = words_of(cell), hot = hot_words(cell);
    shot_items(shot, cell->device, words / 32, 256);
    shot->kernel = "policy_hot";
    pass_buffers(shot, words, items_of(shot));
    shot_pass(shot, shot_in(shot, hot * 4));
    pass_shuffle(shot, hot / 8);
    shot_extra(shot, "hot_bytes", (double)hot * 4);
    shot->useful = (double)words * 4 * 2;
}

static bool describe_read(struct attempt *attempt, const struct cell *cell, size_t form,
                          struct shot *shot)
{
    const enum pattern_kind pattern = cell_parameter(cell, "pattern");
    const unsigned path = cell_parameter(cell, "path");
    if (!policy_path_works(attempt, cell->device, path))
        return false;
    if (form == FORM_RUNS && pattern == HOT)
        return policy_refuse(attempt, "this pattern has no other form");
    shot->file = "policy";
    shot_define_number(shot, "PATH", path);
    shot_define_number(shot, "HINT", POLICY_WRITE);
    if (pattern == GATHER)
        describe_gather(cell, form, shot);
    else if (pattern == REREAD)
        describe_reread(cell, form, shot);
    else if (pattern == HOT)
        describe_hot(cell, shot);
    else
        describe_stream(cell, pattern, form, shot);
    return true;
}

/* What policy_shuffle of policy.cl says. */
static size_t shuffle(size_t i, uint64_t mask, unsigned down)
{
    size_t place = i * 0x9E3779B1u & mask;
    place ^= place >> down;
    return place * 0x85EBCA6Bu & mask;
}

static uint32_t expected_hot(const struct cell *cell, const struct shot *shot,
                             const void *const memory[], size_t item)
{
    (void)cell;
    const uint32_t *source = memory[0], *hot = memory[2];
    const uint64_t mask = shot->arguments[3].value.u64;
    const size_t row = shot->local[0], first = item / row * row * 32 + item % row;
    uint32_t sum = 0;
    for (size_t k = 0; k < 32; k++) {
        const size_t at = first + k * row;
        sum += source[at] +
               hot[shuffle(at / 8 & mask, mask, shot->arguments[4].value.u32) * 8 + at % 8];
    }
    return sum;
}

static size_t check_read(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t runs)
{
    (void)runs;
    const enum pattern_kind pattern = cell_parameter(cell, "pattern");
    const uint32_t *source = memory[0];
    const size_t items = shot->buffers[1].bytes / 4;
    size_t words = shot->buffers[0].bytes / 4;
    if (pattern == HOT)
        return check_words(cell, shot, memory[1], items, memory, expected_hot);
    if (pattern == UNALIGNED) {
        source += SHIFT;
        words -= TAIL_WORDS;
    }
    return check_sum(memory[1], items, sum_words(source, words) * (pattern == REREAD ? TIMES : 1));
}

/* Not all bytes are read where reads are shifted. */
static size_t bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)shot;
    return cell_parameter(cell, "pattern") == UNALIGNED ? SIZE_MAX : 0;
}

FAST static uint32_t sum_policy_part(const uint32_t *from, size_t begin, size_t end)
{
    uint32_t sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += from[i];
    return sum;
}

static size_t begin_of(size_t count, size_t item, size_t items)
{
    return count * item / items;
}

static void host_stream(const struct shot *shot, const uint32_t *source, uint32_t *sums)
{
    const size_t shift = (size_t)shot->arguments[2].value.u64,
                 words = (size_t)shot->arguments[3].value.u64, items = shot->buffers[1].bytes / 4;
#pragma omp parallel for schedule(static)
    for (size_t item = 0; item < items; item++)
        sums[item] = sum_policy_part(source + shift, begin_of(words, item, items),
                                     begin_of(words, item + 1, items));
}

FAST static uint32_t gather_policy_part(const uint32_t *source, size_t begin, size_t end,
                                        uint64_t mask, unsigned down)
{
    uint32_t sum = 0;
    for (size_t i = begin; i < end; i++) {
        const uint32_t *from = source + shuffle(i, mask, down) * 8;
        for (size_t k = 0; k < 8; k++)
            sum += from[k];
    }
    return sum;
}

static void host_gather(const struct shot *shot, const uint32_t *source, uint32_t *sums)
{
    const uint64_t mask = shot->arguments[2].value.u64;
    const size_t items = shot->buffers[1].bytes / 4;
#pragma omp parallel for schedule(static)
    for (size_t item = 0; item < items; item++)
        sums[item] = gather_policy_part(source, begin_of((size_t)mask + 1, item, items),
                                        begin_of((size_t)mask + 1, item + 1, items), mask,
                                        shot->arguments[3].value.u32);
}

static void host_reread(const struct shot *shot, const uint32_t *source, uint32_t *sums)
{
    const size_t tiles = (size_t)shot->arguments[4].value.u64, items = shot->buffers[1].bytes / 4;
#pragma omp parallel for schedule(static)
    for (size_t item = 0; item < items; item++) {
        uint32_t sum = 0;
        for (size_t tile = begin_of(tiles, item, items); tile < begin_of(tiles, item + 1, items);
             tile++)
            for (size_t k = 0; k < TIMES; k++)
                sum += sum_policy_part(source, tile * TILE_WORDS, (tile + 1) * TILE_WORDS);
        sums[item] = sum;
    }
}

static void host_read(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    const enum pattern_kind pattern = cell_parameter(cell, "pattern");
    if (pattern == GATHER)
        host_gather(shot, memory[0], memory[1]);
    else if (pattern == REREAD)
        host_reread(shot, memory[0], memory[1]);
    else
        host_stream(shot, memory[0], memory[1]);
}

static bool host_suits(const struct cell *cell)
{
    return cell_parameter(cell, "pattern") != HOT && cell_parameter(cell, "path") == POLICY_PLAIN;
}

/* One cell is enough to say that there are no operators. */
static bool takes_read(const struct cell *cell)
{
    const unsigned path = cell_parameter(cell, "path");
    return path < POLICY_CA || policy_reads_ptx(cell->device) ||
           (path == POLICY_CA && cell_parameter(cell, "pattern") == REREAD);
}

/* Words read again come from a cache. */
static bool reads_again(const struct cell *cell)
{
    const unsigned pattern = cell_parameter(cell, "pattern");
    return pattern == REREAD || pattern == HOT;
}

const struct study study_policy_read = {
    .counts = "each time a word is read",
    .unit = UNIT_GB_S,
    .parameters =
        {
            {.name = "path",
             .names = path_names,
             .quick = POINTS(POLICY_PLAIN, POLICY_VOLATILE, POLICY_CA),
             .normal = POINTS(POLICY_PLAIN, POLICY_VOLATILE, POLICY_READ_ONLY, POLICY_PREFETCH,
                              POLICY_CA, POLICY_CG, POLICY_CS, POLICY_LU, POLICY_CV)},
            {.name = "pattern",
             .names = pattern_names,
             .quick = POINTS(REREAD),
             .normal = POINTS(STREAM, STRIDED, GATHER, REREAD),
             .full = POINTS(STREAM, UNALIGNED, STRIDED, GATHER, REREAD, HOT)},
        },
    .forms = {{"items", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop" ALL, FORM_RUNS, host_read, host_suits}},
    .caches = reads_again,
    .describe = describe_read,
    .check = check_read,
    .takes = takes_read,
    .bytes_that_matter = bytes_that_matter,
};
