/* Reads and writes at random places that an index array names.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/tools.h"

enum { FORM_IDIOM, FORM_FOUR, FORM_CHUNKED };

/* How far a word may lie from its own place: in 32 words, in 1024 words, anywhere. */
static const char *const reaches[] = {"segment", "page", "all"};

static size_t words_of(const struct cell *cell)
{
    return cell->bytes / 4;
}

/* Numbers below 2^bits in another order: each step can be undone, so none comes twice. */
static uint32_t mixed(uint32_t number, unsigned bits, uint32_t key)
{
    uint32_t mask = (uint32_t)(((uint64_t)1 << bits) - 1);
    unsigned half = bits > 1 ? bits / 2 : 1;
    number = (number * 0x9E3779B1u + key) & mask;
    number ^= number >> half;
    number = (number * 0x85EBCA6Bu + key) & mask;
    number ^= number >> half;
    return (number * 0xC2B2AE35u) & mask;
}

static unsigned bits_of(const struct cell *cell)
{
    unsigned all = 0, reach = cell_parameter(cell, "reach");
    while ((size_t)2 << all <= words_of(cell))
        all++;
    unsigned wanted = reach == 0 ? 5 : reach == 1 ? 10 : 32;
    return wanted < all ? wanted : all;
}

static uint32_t place_of(unsigned bits, uint32_t item)
{
    uint32_t inside = (uint32_t)(((uint64_t)1 << bits) - 1);
    uint32_t block = (uint32_t)((uint64_t)item >> bits);
    return (item & ~inside) | mixed(item & inside, bits, block * 0x27D4EB2Fu);
}

static void fill_index(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    uint32_t *places = memory;
    unsigned bits = bits_of(cell);
    (void)index;
#pragma omp parallel for
    for (size_t i = 0; i < bytes / 4; i++)
        places[i] = place_of(bits, (uint32_t)i);
}

static uint64_t random_place(const struct cell *cell, uint64_t item)
{
    return 4 * (uint64_t)place_of(bits_of(cell), (uint32_t)item);
}

static void describe(const struct cell *cell, size_t form, struct shot *shot,
                     const char *const kernels[])
{
    size_t words = words_of(cell);
    shot->file = "gather";
    shot->kernel = kernels[form];
    shot_pass(shot, shot_out(shot, cell->bytes));
    shot_pass(shot, shot_in(shot, cell->bytes));
    size_t index = shot_in(shot, cell->bytes);
    shot->buffers[index].fill = fill_index;
    shot_pass(shot, index);
    shot_pass_u32(shot, (uint32_t)(words - 1));
    if (form == FORM_CHUNKED) {
        shot_pass_u64(shot, words);
        shot_pass_u64(shot, run_length(words, shot_chunks(shot, cell->device)));
    } else {
        shot_items(shot, cell->device, form == FORM_FOUR ? words / 4 : words, 256);
    }
    shot->useful = 3.0 * (double)cell->bytes;
}

static bool describe_gather(struct attempt *attempt, const struct cell *cell, size_t form,
                            struct shot *shot)
{
    static const char *const kernels[] = {"gather", "gather_four", "gather_chunked"};
    (void)attempt;
    describe(cell, form, shot, kernels);
    shot_predict_loads(shot, cell, words_of(cell), 4, random_place);
    return true;
}

static bool describe_scatter(struct attempt *attempt, const struct cell *cell, size_t form,
                             struct shot *shot)
{
    static const char *const kernels[] = {"scatter", "scatter_four", "scatter_chunked"};
    (void)attempt;
    describe(cell, form, shot, kernels);
    shot_predict_stores(shot, cell, words_of(cell), 4, random_place);
    return true;
}

/* Indices are masked as in the kernels, because a test changes them. */
static size_t check_pairs(const struct cell *cell, const uint32_t *places, const uint32_t *random,
                          const uint32_t *straight, const uint32_t *output)
{
    size_t words = words_of(cell), wrong = PATTERN_FINE;
#pragma omp parallel for reduction(min : wrong)
    for (size_t i = 0; i < words; i++) {
        size_t place = places[i] & (words - 1);
        size_t at = output == random ? place : i;
        if (random[place] != straight[i] && 4 * at < wrong)
            wrong = 4 * at;
    }
    return wrong;
}

static size_t check_gather(const struct cell *cell, const struct shot *shot,
                           const void *const memory[], size_t runs)
{
    (void)shot;
    (void)runs;
    return check_pairs(cell, memory[2], memory[1], memory[0], memory[0]);
}

static size_t check_scatter(const struct cell *cell, const struct shot *shot,
                            const void *const memory[], size_t runs)
{
    (void)shot;
    (void)runs;
    return check_pairs(cell, memory[2], memory[0], memory[1], memory[0]);
}

/* All words, and of each index the bytes that the mask leaves. */
static size_t bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    size_t words = words_of(cell), bytes = 0;
    (void)shot;
    while (bytes < 4 && (words - 1) >> (8 * bytes))
        bytes++;
    return cell->bytes + words * bytes;
}

FAST static void gather_part(uint32_t *restrict target, const uint32_t *restrict source,
                             const uint32_t *restrict places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        target[i] = source[places[i]];
}

FAST static void scatter_part(uint32_t *restrict target, const uint32_t *restrict source,
                              const uint32_t *restrict places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        target[places[i]] = source[i];
}

static void host_gather(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    size_t words = words_of(cell);
    uint32_t *target = memory[0];
    const uint32_t *source = memory[1], *places = memory[2];
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < words; i += PIECE)
        gather_part(target + i, source, places + i, words - i < PIECE ? words - i : PIECE);
}

static void host_scatter(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    size_t words = words_of(cell);
    uint32_t *target = memory[0];
    const uint32_t *source = memory[1], *places = memory[2];
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < words; i += PIECE)
        scatter_part(target, source + i, places + i, words - i < PIECE ? words - i : PIECE);
}

/* On CPUs prefetching 64 words ahead, and loops without gather instructions, gave nothing. */
#define PARAMETERS                                                                                 \
    {                                                                                              \
        {                                                                                          \
            "reach", "", reaches, POINTS(2), POINTS(0, 2), POINTS(0, 1, 2)                         \
        }                                                                                          \
    }
#define FORMS                                                                                      \
    {                                                                                              \
        {"idiom", ON_ANY}, {"four", ON_GPU},                                                       \
        {                                                                                          \
            "chunked", ON_CPU                                                                      \
        }                                                                                          \
    }

const struct study study_gather = {
    .counts = "each index, word read and word written, once",
    .unit = UNIT_GB_S,
    .parameters = PARAMETERS,
    .forms = FORMS,
    .hosts = {{"loop", FORM_IDIOM, host_gather, NULL}},
    .describe = describe_gather,
    .check = check_gather,
    .bytes_that_matter = bytes_that_matter,
};

const struct study study_scatter = {
    .counts = "each index, word read and word written, once",
    .unit = UNIT_GB_S,
    .parameters = PARAMETERS,
    .forms = FORMS,
    .hosts = {{"loop", FORM_IDIOM, host_scatter, NULL}},
    .describe = describe_scatter,
    .check = check_scatter,
    .bytes_that_matter = bytes_that_matter,
};
