/* Writes of one, two or four of the 32-byte pieces of each line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/tools.h"

enum { FORM_IDIOM, FORM_CHUNKED };

#define SEED 0x71C5E3D1u

static const char *const names[] = {"one", "two", "two-apart", "four"};
static const struct pieces {
    unsigned count, apart;
} kinds[] = {{1, 1}, {2, 1}, {2, 3}, {4, 1}};

static const struct pieces *pieces_of(const struct cell *cell)
{
    return &kinds[cell_parameter(cell, "pieces")];
}

static size_t lines_of(const struct cell *cell)
{
    return cell->bytes / 128;
}

static uint64_t place_of(const struct cell *cell, uint64_t item)
{
    const struct pieces *pieces = pieces_of(cell);
    uint64_t piece = item / 8;
    return piece / pieces->count * 128 + piece % pieces->count * 32 * pieces->apart + item % 8 * 4;
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    const struct pieces *pieces = pieces_of(cell);
    size_t lines = lines_of(cell), words = lines * pieces->count * 8;
    (void)attempt;
    shot->file = "pieces";
    shot->kernel = form == FORM_IDIOM ? "pieces" : "pieces_chunked";
    shot_define_number(shot, "PIECES", pieces->count);
    shot_define_number(shot, "APART", pieces->apart);
    shot_pass(shot, shot_out(shot, cell->bytes));
    shot_pass_u32(shot, SEED);
    if (form == FORM_IDIOM) {
        shot_items(shot, cell->device, words, 256);
    } else {
        shot_pass_u64(shot, lines);
        shot_pass_u64(shot, run_length(lines, shot_chunks(shot, cell->device)));
    }
    shot->useful = 4.0 * (double)words;
    shot_predict_stores(shot, cell, words, 4, place_of);
    return true;
}

/* The piece's number among those that are written, or 4. */
static size_t written_piece(const struct pieces *pieces, size_t piece)
{
    for (size_t i = 0; i < pieces->count; i++)
        if (i * pieces->apart == piece)
            return i;
    return 4;
}

static uint32_t expected(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t place)
{
    const struct pieces *pieces = pieces_of(cell);
    size_t piece = written_piece(pieces, place / 8 % 4);
    (void)shot;
    (void)memory;
    if (piece == 4)
        return POISON_WORD;
    return SEED + (uint32_t)((place / 32 * pieces->count + piece) * 8 + place % 8);
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[0], cell->bytes / 4, memory, expected);
}

FAST static void write_lines(uint32_t *target, size_t count, size_t apart, size_t begin, size_t end)
{
    for (size_t line = begin; line < end; line++)
        for (size_t k = 0; k < count; k++)
            for (size_t j = 0; j < 8; j++)
                target[line * 32 + k * 8 * apart + j] =
                    SEED + (uint32_t)((line * count + k) * 8 + j);
}

static void host_write(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    const struct pieces *pieces = pieces_of(cell);
    size_t lines = lines_of(cell);
    (void)shot;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < lines; i += PIECE)
        write_lines(memory[0], pieces->count, pieces->apart, i,
                    lines - i < PIECE ? lines : i + PIECE);
}

const struct study study_segments_write = {
    .counts = "each word that is written, once",
    .unit = UNIT_GB_S,
    .parameters = {{"pieces", "", names, POINTS(2, 3), POINTS(0, 1, 2, 3), POINTS(0, 1, 2, 3)}},
    .forms = {{"idiom", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop", FORM_IDIOM, host_write, NULL}},
    .describe = describe,
    .check = check,
};
