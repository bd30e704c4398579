/* Elements of four words as an array of structs, as four arrays, and in tiles of 32.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/tools.h"

enum layout { LAYOUT_AOS, LAYOUT_SOA, LAYOUT_TILED };

#define ADD 0x3D4B7C19u

static const char *const layouts[] = {"aos", "soa", "tiled"};

static size_t elements_of(const struct cell *cell)
{
    return cell->bytes / 16;
}

/* Where a word of an element lies, as kernels/access/layout.cl has it. */
static inline size_t place_of(enum layout layout, size_t elements, size_t element, size_t word)
{
    switch (layout) {
    case LAYOUT_AOS:
        return element * 4 + word;
    case LAYOUT_SOA:
        return word * elements + element;
    default:
        return element / 32 * 128 + word * 32 + element % 32;
    }
}

/* Which word of an element lies at a place. */
static size_t word_at(enum layout layout, size_t elements, size_t place)
{
    return layout == LAYOUT_AOS   ? place % 4
           : layout == LAYOUT_SOA ? place / elements
                                  : place / 32 % 4;
}

static void describe(const struct cell *cell, struct shot *shot, const char *kernel,
                     size_t target_bytes)
{
    shot->file = "layout";
    shot->kernel = kernel;
    shot_pass(shot, shot_out(shot, target_bytes));
    shot_pass(shot, shot_in(shot, cell->bytes));
    shot_pass_u32(shot, ADD);
    shot->useful = 2.0 * (double)target_bytes;
}

static void describe_items(const struct cell *cell, struct shot *shot)
{
    shot_items(shot, cell->device, elements_of(cell), 256);
}

static void describe_runs(const struct cell *cell, struct shot *shot)
{
    shot_pass_u64(shot, elements_of(cell));
    shot_pass_u64(shot, run_length(elements_of(cell), shot_chunks(shot, cell->device)));
}

static bool describe_aos(struct attempt *attempt, const struct cell *cell, size_t form,
                         struct shot *shot)
{
    static const char *const kernels[] = {"layout_aos", "layout_aos_vector", "layout_aos_chunked"};
    (void)attempt;
    describe(cell, shot, kernels[form], cell->bytes);
    (form == 2 ? describe_runs : describe_items)(cell, shot);
    return true;
}

static bool describe_aos_vector(struct attempt *attempt, const struct cell *cell, size_t form,
                                struct shot *shot)
{
    return describe_aos(attempt, cell, form + 1, shot);
}

static bool describe_soa(struct attempt *attempt, const struct cell *cell, size_t form,
                         struct shot *shot)
{
    static const char *const kernels[] = {"layout_soa", "layout_soa_chunked",
                                          "layout_soa_together"};
    (void)attempt;
    describe(cell, shot, kernels[form], cell->bytes);
    if (form == 0) {
        shot_pass_u64(shot, elements_of(cell));
        describe_items(cell, shot);
    } else {
        describe_runs(cell, shot);
    }
    return true;
}

static bool describe_tiled(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    (void)attempt;
    describe(cell, shot, form == 0 ? "layout_tiled" : "layout_tiled_chunked", cell->bytes);
    (form == 0 ? describe_items : describe_runs)(cell, shot);
    return true;
}

static uint64_t field_place(const struct cell *cell, uint64_t item)
{
    return 4 * place_of((enum layout)cell_parameter(cell, "layout"), elements_of(cell), item, 1);
}

static bool describe_field(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    static const char *const kernels[][2] = {{"layout_aos_field", "layout_aos_field_chunked"},
                                             {"layout_soa_field", "layout_soa_field_chunked"},
                                             {"layout_tiled_field", "layout_tiled_field_chunked"}};
    unsigned layout = cell_parameter(cell, "layout");
    (void)attempt;
    describe(cell, shot, kernels[layout][form], cell->bytes / 4);
    if (form == 0 && layout == LAYOUT_SOA)
        shot_pass_u64(shot, elements_of(cell));
    (form == 0 ? describe_items : describe_runs)(cell, shot);
    shot_predict_loads(shot, cell, elements_of(cell), 4, field_place);
    return true;
}

static uint32_t expected(enum layout layout, const struct cell *cell, const void *const memory[],
                         size_t place)
{
    uint32_t word = (uint32_t)word_at(layout, elements_of(cell), place);
    return ((const uint32_t *)memory[1])[place] + (word + 1) * ADD;
}

#define CHECK_ALL(name, layout)                                                                    \
    static uint32_t expected_##name(const struct cell *cell, const struct shot *shot,              \
                                    const void *const memory[], size_t place)                      \
    {                                                                                              \
        (void)shot;                                                                                \
        return expected(layout, cell, memory, place);                                              \
    }                                                                                              \
    static size_t check_##name(const struct cell *cell, const struct shot *shot,                   \
                               const void *const memory[], size_t runs)                            \
    {                                                                                              \
        (void)runs;                                                                                \
        return check_words(cell, shot, memory[0], cell->bytes / 4, memory, expected_##name);       \
    }
CHECK_ALL(aos, LAYOUT_AOS)
CHECK_ALL(soa, LAYOUT_SOA)
CHECK_ALL(tiled, LAYOUT_TILED)

static uint32_t expected_field(const struct cell *cell, const struct shot *shot,
                               const void *const memory[], size_t place)
{
    (void)shot;
    return ((const uint32_t *)memory[1])[field_place(cell, place) / 4] + ADD;
}

static size_t check_field(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[0], elements_of(cell), memory, expected_field);
}

/* One word of each element. */
static size_t field_bytes(const struct cell *cell, const struct shot *shot)
{
    (void)shot;
    return cell->bytes / 4;
}

FAST static void add_aos(uint32_t *restrict target, const uint32_t *restrict source, size_t begin,
                         size_t end)
{
    for (size_t i = begin; i < end; i++)
        for (uint32_t k = 0; k < 4; k++)
            target[4 * i + k] = source[4 * i + k] + (k + 1) * ADD;
}

FAST static void add_soa(uint32_t *restrict target, const uint32_t *restrict source,
                         size_t elements, size_t begin, size_t end)
{
    for (uint32_t k = 0; k < 4; k++)
        for (size_t i = k * elements + begin; i < k * elements + end; i++)
            target[i] = source[i] + (k + 1) * ADD;
}

FAST static void add_tiles(uint32_t *restrict target, const uint32_t *restrict source, size_t begin,
                           size_t end)
{
    for (size_t tile = begin; tile < end; tile++)
        for (uint32_t k = 0; k < 4; k++)
            for (size_t i = 0; i < 32; i++)
                target[tile * 128 + k * 32 + i] = source[tile * 128 + k * 32 + i] + (k + 1) * ADD;
}

static size_t piece_end(size_t begin, size_t count)
{
    return count - begin < PIECE ? count : begin + PIECE;
}

static void host_aos(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    size_t elements = elements_of(cell);
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < elements; i += PIECE)
        add_aos(memory[0], memory[1], i, piece_end(i, elements));
}

static void host_soa(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    size_t elements = elements_of(cell);
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < elements; i += PIECE)
        add_soa(memory[0], memory[1], elements, i, piece_end(i, elements));
}

static void host_tiled(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    size_t tiles = elements_of(cell) / 32;
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < tiles; i += PIECE)
        add_tiles(memory[0], memory[1], i, piece_end(i, tiles));
}

/* Loops of their own, because one with a layout to ask for would not be vectorised. */
#define TAKE_FIELD(name, layout)                                                                   \
    FAST static void name(uint32_t *restrict target, const uint32_t *restrict source,              \
                          size_t elements, size_t begin, size_t end)                               \
    {                                                                                              \
        for (size_t i = begin; i < end; i++)                                                       \
            target[i] = source[place_of(layout, elements, i, 1)] + ADD;                            \
    }
TAKE_FIELD(take_aos_field, LAYOUT_AOS)
TAKE_FIELD(take_soa_field, LAYOUT_SOA)
TAKE_FIELD(take_tiled_field, LAYOUT_TILED)

static void host_field(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    static void (*const takes[])(uint32_t *restrict, const uint32_t *restrict, size_t, size_t,
                                 size_t) = {take_aos_field, take_soa_field, take_tiled_field};
    size_t elements = elements_of(cell);
    unsigned layout = cell_parameter(cell, "layout");
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < elements; i += PIECE)
        takes[layout](memory[0], memory[1], elements, i, piece_end(i, elements));
}

#define COUNTS "each word read once and written once"

const struct study study_layout_aos = {
    .counts = COUNTS,
    .unit = UNIT_GB_S,
    .forms = {{"idiom", ON_ANY}, {"vector", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", 0, host_aos, NULL}},
    .describe = describe_aos,
    .check = check_aos,
};

const struct study study_layout_aos_vector = {
    .counts = COUNTS,
    .unit = UNIT_GB_S,
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", 0, host_aos, NULL}},
    .describe = describe_aos_vector,
    .check = check_aos,
};

const struct study study_layout_soa = {
    .counts = COUNTS,
    .unit = UNIT_GB_S,
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}, {"together", ON_CPU}},
    .hosts = {{"loop", 0, host_soa, NULL}},
    .describe = describe_soa,
    .check = check_soa,
};

const struct study study_layout_tiled = {
    .counts = COUNTS,
    .unit = UNIT_GB_S,
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", 0, host_tiled, NULL}},
    .describe = describe_tiled,
    .check = check_tiled,
};

const struct study study_layout_field = {
    .counts = "one word of each element read and written, once",
    .unit = UNIT_GB_S,
    .parameters = {{"layout", "", layouts, POINTS(0), POINTS(0, 1, 2), POINTS(0, 1, 2)}},
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", 0, host_field, NULL}},
    .describe = describe_field,
    .check = check_field,
    .bytes_that_matter = field_bytes,
};
