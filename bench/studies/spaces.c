/* One probe for each of PTX's state spaces, and streams from each place that memory can be.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps that wait for one another, through the same circle of a few words in each space. PTX's
 * .sreg is read into a register before it is used; .tex is measured by the rows of textures, .const
 * and .global over all sizes by constant, workingset and chase. */
#include <string.h>

#include "bench/study.h"

#define TABLE_WORDS 256
#define BLOCK_WORDS 64
/* No multiple of the circle's length, so that a launch does not end where it began. */
#define STEPS 65521

enum space { REGISTER, CONSTANT, GLOBAL, LOCAL, PARAMETER, SHARED };

/* PTX's names: .local is OpenCL's private memory, .shared OpenCL's local memory. */
static const char *const space_names[] = {"reg", "const", "global", "local", "param", "shared"};

static uint32_t table_word(size_t i)
{
    return ((uint32_t)i * 1664525u + 1013904223u) % 16384u;
}

static uint32_t circle_of(const struct cell *cell)
{
    return cell_parameter(cell, "space") == PARAMETER ? BLOCK_WORDS : TABLE_WORDS;
}

static void fill_table(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)cell, (void)index;
    uint32_t *table = memory;
    for (size_t i = 0; i < bytes / 4; i++)
        table[i] = table_word(i);
}

static void fill_zero(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)cell, (void)index;
    memset(memory, 0, bytes);
}

static void pass_table(enum space space, struct shot *shot)
{
    static uint32_t block[BLOCK_WORDS];
    if (space == PARAMETER) {
        for (size_t i = 0; i < BLOCK_WORDS; i++)
            block[i] = table_word(i);
        shot_pass_block(shot, block, sizeof block);
        return;
    }
    const size_t table = shot_in(shot, TABLE_WORDS * 4);
    shot->buffers[table].fill = fill_table;
    shot_pass(shot, table);
}

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot)
{
    (void)attempt, (void)form;
    static const struct {
        const char *kernel;
        unsigned define; /* of constant.cl */
    } spaces[] = {[REGISTER] = {"spaces_register", 0}, [CONSTANT] = {"constant_chase", 2},
                  [GLOBAL] = {"constant_chase", 0},    [LOCAL] = {"spaces_private", 0},
                  [PARAMETER] = {"constant_chase", 3}, [SHARED] = {"spaces_local", 0}};
    const enum space space = cell_parameter(cell, "space");
    const bool is_own = space == REGISTER || space == LOCAL || space == SHARED;
    shot->file = is_own ? "spaces" : "constant";
    shot->kernel = spaces[space].kernel;
    if (!is_own)
        shot_define_number(shot, "SPACE", spaces[space].define);
    shot->groups[0] = shot->local[0] = 1;
    pass_table(space, shot);
    const size_t place = shot_out(shot, 64);
    shot->buffers[place].fill = fill_zero;
    shot_pass(shot, place);
    if (!is_own)
        shot_pass_u32(shot, circle_of(cell) - 1);
    shot_pass_u32(shot, STEPS);
    shot->useful = STEPS;
    return true;
}

static size_t check(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs)
{
    const uint32_t *place = memory[shot->buffer_count - 1];
    const uint32_t circle = circle_of(cell);
    uint32_t at = 0;
    for (size_t k = runs * STEPS % circle; k > 0; k--)
        at = table_word(at) % circle;
    return place[0] == at ? PATTERN_FINE : 0;
}

/* Only as much of a word is read as there are places. */
static size_t cannot_say(const struct cell *cell, const struct shot *shot)
{
    (void)cell, (void)shot;
    return SIZE_MAX;
}

const struct study study_spaces = {
    .counts = "steps, each of which waits for the one before",
    .unit = UNIT_NS,
    .parameters = {{.name = "space",
                    .names = space_names,
                    .quick = POINTS(REGISTER, CONSTANT, GLOBAL, LOCAL, PARAMETER, SHARED)}},
    .forms = {{"one work-item", ON_ANY}},
    .is_cached = true,
    .describe = describe,
    .check = check,
    .bytes_that_matter = cannot_say,
};

/* --- paths ------------------------------------------------------------------------------------ */

enum { FROM_DEVICE, FROM_MAPPED, FROM_MANAGED };
static const char *const place_names[] = {"device", "mapped", "managed"};

static bool describe_path(struct attempt *attempt, const struct cell *cell, size_t form,
                          struct shot *shot)
{
    static const enum place places[] = {DEVICE, MAPPED, MANAGED};
    (void)attempt, (void)form;
    const size_t words = cell->bytes / 4;
    shot->file = "policy";
    shot->kernel = "policy_stream";
    shot_define_number(shot, "PATH", 0);
    shot_define_number(shot, "HINT", 0);
    shot_items(shot, cell->device, words / 32, 256);
    const size_t source = shot_in(shot, cell->bytes);
    shot->buffers[source].place = places[cell_parameter(cell, "place")];
    shot_pass(shot, source);
    shot_pass(shot, shot_out(shot, words / 32 * 4));
    shot_pass_u64(shot, 0);
    shot->useful = (double)cell->bytes;
    return true;
}

static size_t check_path(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t runs)
{
    (void)runs;
    return check_sum(memory[1], shot->buffers[1].bytes / 4, sum_words(memory[0], cell->bytes / 4));
}

const struct study study_path = {
    .counts = "each word read once",
    .unit = UNIT_GB_S,
    .parameters = {{.name = "place",
                    .names = place_names,
                    .quick = POINTS(FROM_MAPPED),
                    .normal = POINTS(FROM_DEVICE, FROM_MAPPED, FROM_MANAGED)}},
    .forms = {{"items", ON_ANY}},
    .describe = describe_path,
    .check = check_path,
};
