/* Copies in another order inside segments of 32 words.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/tools.h"

enum { FORM_IDIOM, FORM_SEGMENTS, FORM_SHUFFLED };

static const char *const orders[] = {"straight", "reversed", "shuffled"};

/* Where a lane reads: as kernels/access/permute.cl has it. */
static inline size_t place_of(unsigned order, size_t lane)
{
    return (order == 0 ? lane : order == 1 ? lane * 31 + 31 : lane * 13 + 7) & 31;
}

static uint64_t permuted(const struct cell *cell, uint64_t item)
{
    return 4 * ((item & ~(uint64_t)31) + place_of(cell_parameter(cell, "order"), item & 31));
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    static const char *const kernels[] = {"permute", "permute_segments", "permute_shuffled"};
    size_t words = cell->bytes / 4;
    (void)attempt;
    shot->file = "permute";
    shot->kernel = kernels[form];
    shot_define_number(shot, "ORDER", cell_parameter(cell, "order"));
    shot_pass(shot, shot_out(shot, cell->bytes));
    shot_pass(shot, shot_in(shot, cell->bytes));
    if (form == FORM_IDIOM) {
        shot_items(shot, cell->device, words, 256);
    } else {
        shot_pass_u64(shot, words / 32);
        shot_pass_u64(shot, run_length(words / 32, shot_chunks(shot, cell->device)));
    }
    shot->useful = 2.0 * (double)cell->bytes;
    shot_predict_loads(shot, cell, words, 4, permuted);
    return true;
}

static uint32_t expected(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t place)
{
    (void)shot;
    return ((const uint32_t *)memory[1])[permuted(cell, place) / 4];
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[0], cell->bytes / 4, memory, expected);
}

/* The order is a constant of each loop, as it is in the kernels. */
#define COPY(name, order)                                                                          \
    FAST static void name(uint32_t *restrict target, const uint32_t *restrict source,              \
                          size_t segments)                                                         \
    {                                                                                              \
        for (size_t segment = 0; segment < segments; segment++)                                    \
            for (size_t lane = 0; lane < 32; lane++)                                               \
                target[segment * 32 + lane] = source[segment * 32 + place_of(order, lane)];        \
    }
COPY(copy_straight, 0)
COPY(copy_reversed, 1)
COPY(copy_shuffled, 2)

static void host_permute(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    static void (*const copies[])(uint32_t *restrict, const uint32_t *restrict,
                                  size_t) = {copy_straight, copy_reversed, copy_shuffled};
    size_t segments = cell->bytes / 128;
    unsigned order = cell_parameter(cell, "order");
    uint32_t *target = memory[0];
    const uint32_t *source = memory[1];
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < segments; i += PIECE / 32)
        copies[order](target + i * 32, source + i * 32,
                      segments - i < PIECE / 32 ? segments - i : PIECE / 32);
}

const struct study study_permute_read = {
    .counts = "each word read once and written once",
    .unit = UNIT_GB_S,
    .parameters = {{"order", "", orders, POINTS(2), POINTS(0, 1, 2), POINTS(0, 1, 2)}},
    .forms = {{"idiom", ON_ANY}, {"segments", ON_CPU}, {"shuffled", ON_CPU}},
    .hosts = {{"loop", FORM_IDIOM, host_permute, NULL}},
    .describe = describe,
    .check = check,
};
