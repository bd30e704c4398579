/* The sweep for peak bandwidth: operand, unrolling, group and traversal; writes, reads, copies.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows: S0-01 S0-14 S0-19 S1-05 S2-14 S2-15. */
#include "bench/study.h"

enum { WRITE, READ, COPY, COPY_TWO };
enum { INTERLEAVED, CHUNKED, ITEM };

static const char *const traversals[] = {"interleaved", "chunked", "item"};

/* In all components, or as much of it as a narrow operand has. */
#define VALUE 0x9D3B62E7u

/* Work-items of the traversals whose number is free: as many as a compute unit of a GPU holds at
 * once. */
#define ITEMS_PER_UNIT ((size_t)2048)

/* Bytewise loops over neighbours of other work-items are so slow on CPUs that a launch should not
 * take more than this; the same for all operands, so that they can be compared. */
#define MOST_BYTES_ON_CPU ((size_t)16 << 20)

static size_t units_of(const struct device_facts *device)
{
    return device->compute_units > 0 ? (size_t)device->compute_units : 1;
}

static const char *word_type(size_t operand)
{
    switch (operand) {
    case 1:
        return "uchar";
    case 2:
        return "ushort";
    case 4:
        return "uint";
    case 8:
        return "uint2";
    default:
        return "uint4";
    }
}

/* How many words are dealt with: all, or for one element per work-item whole groups' worth. */
static size_t words_of(const struct cell *cell)
{
    const size_t operand = cell_parameter(cell, "operand");
    const size_t tile = (size_t)cell_parameter(cell, "unroll") * cell_parameter(cell, "group");
    const bool is_much = cell->device->is_cpu && cell->bytes > MOST_BYTES_ON_CPU;
    const size_t words = (is_much ? MOST_BYTES_ON_CPU : cell->bytes) / operand;
    return cell_parameter(cell, "traversal") == ITEM ? words / tile * tile : words;
}

/* Chunks are as many on a CPU as keep its cores busy with one group each. */
static void shape_groups(const struct cell *cell, struct shot *shot, size_t words)
{
    const size_t group = cell_parameter(cell, "group"), units = units_of(cell->device);
    const unsigned traversal = cell_parameter(cell, "traversal");
    size_t groups = units * ITEMS_PER_UNIT / group;
    if (traversal == ITEM)
        groups = words / (cell_parameter(cell, "unroll") * group);
    else if (traversal == CHUNKED && cell->device->is_cpu)
        groups = units;
    shot->local[0] = group;
    shot->groups[0] = groups ? groups : 1;
}

/* Buffers and arguments in the order of the kernels' parameters. */
static void add_arrays(struct shot *shot, unsigned what, size_t bytes)
{
    const size_t items = shot->groups[0] * shot->local[0];
    const size_t pairs = what == COPY_TWO ? 2 : 1;
    for (size_t i = 0; i < pairs; i++)
        shot_pass(shot, shot_out(shot, what == READ ? items * sizeof(uint32_t) : bytes));
    for (size_t i = 0; i < pairs && what != WRITE; i++)
        shot_pass(shot, shot_in(shot, bytes));
    if (what == WRITE)
        shot_pass_u32(shot, VALUE);
}

static void add_extent(const struct cell *cell, struct shot *shot, size_t words)
{
    const size_t items = shot->groups[0] * shot->local[0];
    const unsigned traversal = cell_parameter(cell, "traversal");
    if (traversal != ITEM)
        shot_pass_u64(shot, words);
    if (traversal == CHUNKED)
        shot_pass_u64(shot, (words + items - 1) / items);
}

#define KERNELS(verb)                                                                              \
    {                                                                                              \
        "sweep_" verb "_interleaved", "sweep_" verb "_chunked", "sweep_" verb "_item"              \
    }

static bool describe(struct attempt *attempt, const struct cell *cell, struct shot *shot,
                     unsigned what)
{
    static const char *const kernels[][3] = {KERNELS("write"), KERNELS("read"), KERNELS("copy"),
                                             KERNELS("copy2")};
    static const double weights[] = {[WRITE] = 1, [READ] = 1, [COPY] = 2, [COPY_TWO] = 4};
    const int most = cell->device->max_threads;
    const unsigned group = cell_parameter(cell, "group");
    if (most > 0 && group > (unsigned)most)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "groups have at most %d work-items", most);
    const size_t operand = cell_parameter(cell, "operand"), words = words_of(cell);
    shot->file = "sweep";
    shot->kernel = kernels[what][cell_parameter(cell, "traversal")];
    shot_define(shot, "WORD", word_type(operand));
    shot_define_number(shot, "UNROLL", cell_parameter(cell, "unroll"));
    shape_groups(cell, shot, words);
    add_arrays(shot, what, words * operand);
    add_extent(cell, shot, words);
    shot->useful = weights[what] * (double)(words * operand);
    return true;
}

static size_t check_write(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    (void)runs;
    static const uint32_t masks[] = {[1] = 0x000000FF, [2] = 0x0000FFFF, [4] = 0xFFFFFFFF};
    const size_t operand = cell_parameter(cell, "operand"), width = operand < 4 ? operand : 4;
    const size_t count = (size_t)shot->useful / width;
    const unsigned char *bytes = memory[0];
    size_t wrong = SIZE_MAX;
#pragma omp parallel for reduction(min : wrong)
    for (size_t i = 0; i < count; i++) {
        uint32_t word = 0;
        for (size_t b = 0; b < width; b++)
            word |= (uint32_t)bytes[i * width + b] << 8 * b;
        if (word != (VALUE & masks[width]) && i * width < wrong)
            wrong = i * width;
    }
    return wrong == SIZE_MAX ? PATTERN_FINE : wrong;
}

/* The sum of all unsigned numbers of this width in memory, modulo 2^32. */
static uint32_t sum_narrow(const unsigned char *bytes, size_t count, size_t width)
{
    uint32_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += width == 1 ? bytes[i] : (uint32_t)bytes[2 * i] | (uint32_t)bytes[2 * i + 1] << 8;
    return sum;
}

static size_t check_read(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t runs)
{
    (void)runs;
    const size_t operand = cell_parameter(cell, "operand"), bytes = shot->buffers[1].bytes;
    const uint32_t sum = operand < 4 ? sum_narrow(memory[1], bytes / operand, operand)
                                     : sum_words(memory[1], bytes / 4);
    return check_sum(memory[0], shot->buffers[0].bytes / 4, sum);
}

static size_t compare_bytes(const unsigned char *is, const unsigned char *must, size_t bytes)
{
    size_t wrong = SIZE_MAX;
#pragma omp parallel for reduction(min : wrong)
    for (size_t i = 0; i < bytes; i++)
        if (is[i] != must[i] && i < wrong)
            wrong = i;
    return wrong == SIZE_MAX ? PATTERN_FINE : wrong;
}

static size_t check_copy(const struct cell *cell, const struct shot *shot,
                         const void *const memory[], size_t runs)
{
    (void)cell;
    (void)runs;
    const size_t pairs = shot->buffer_count / 2;
    size_t wrong = PATTERN_FINE;
    for (size_t i = 0; i < pairs && wrong == PATTERN_FINE; i++)
        wrong = compare_bytes(memory[i], memory[pairs + i], shot->buffers[i].bytes);
    return wrong;
}

#define DESCRIBE(verb, what)                                                                       \
    static bool describe_##verb(struct attempt *attempt, const struct cell *cell, size_t form,     \
                                struct shot *shot)                                                 \
    {                                                                                              \
        (void)form;                                                                                \
        return describe(attempt, cell, shot, what);                                                \
    }
DESCRIBE(write, WRITE)
DESCRIBE(read, READ)
DESCRIBE(copy, COPY)
DESCRIBE(copy2, COPY_TWO)

/* The tables differ in what quick and normal runs do of them. */
#define SWEEP(verb, counted, quick_operands, normal_operands, quick_traversals)                    \
    const struct study study_sweep_##verb = {                                                      \
        .counts = counted,                                                                         \
        .unit = UNIT_GB_S,                                                                         \
        .parameters = {{.name = "operand",                                                         \
                        .unit = "bytes",                                                           \
                        .quick = quick_operands,                                                   \
                        .normal = normal_operands,                                                 \
                        .full = POINTS(1, 2, 4, 8, 16)},                                           \
                       {.name = "unroll",                                                          \
                        .unit = "words",                                                           \
                        .quick = POINTS(4),                                                        \
                        .normal = POINTS(1, 8),                                                    \
                        .full = POINTS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)},    \
                       {.name = "group",                                                           \
                        .unit = "work-items",                                                      \
                        .quick = POINTS(256),                                                      \
                        .full = POINTS(32, 64, 128, 256, 512, 1024)},                              \
                       {.name = "traversal",                                                       \
                        .unit = "",                                                                \
                        .names = traversals,                                                       \
                        .quick = quick_traversals,                                                 \
                        .normal = POINTS(INTERLEAVED, CHUNKED, ITEM)},                             \
                       {.name = NULL}},                                                            \
        .forms = {{"idiom", ON_ANY}},                                                              \
        .is_sweep = true,                                                                          \
        .describe = describe_##verb,                                                               \
        .check = check_##verb,                                                                     \
    }
#define check_copy2 check_copy
SWEEP(write, "each byte written", POINTS(4, 16), POINTS(1, 2, 4, 8, 16), POINTS(ITEM));
SWEEP(read, "each byte read", POINTS(4, 16), POINTS(4, 16), POINTS(ITEM));
SWEEP(copy, "each byte read and written", POINTS(4, 16), POINTS(4, 16),
      POINTS(INTERLEAVED, CHUNKED, ITEM));
SWEEP(copy2, "each byte read and written, in two arrays each", POINTS(4, 16), POINTS(4, 16),
      POINTS(ITEM));

/* The listing's GPUmemset<T>: any number of words, any grid. What lies behind the words stays. */
static bool describe_memset(struct attempt *attempt, const struct cell *cell, size_t form,
                            struct shot *shot)
{
    (void)attempt;
    (void)form;
    const size_t operand = cell_parameter(cell, "operand");
    const size_t most = (size_t)1 << 20, words = most / operand - 7;
    shot->file = "sweep";
    shot->kernel = "sweep_write_interleaved";
    shot_define(shot, "WORD", word_type(operand));
    shot_define_number(shot, "UNROLL", 1);
    shot_items(shot, cell->device, 256, 256);
    shot->groups[0] = cell_parameter(cell, "blocks");
    shot_pass(shot, shot_out(shot, most));
    shot_pass_u32(shot, VALUE);
    shot_pass_u64(shot, words);
    shot->useful = (double)(words * operand);
    return true;
}

static size_t check_memset(const struct cell *cell, const struct shot *shot,
                           const void *const memory[], size_t runs)
{
    const unsigned char *bytes = memory[0];
    for (size_t i = (size_t)shot->useful; i < shot->buffers[0].bytes; i++)
        if (bytes[i] != POISON)
            return i;
    return check_write(cell, shot, memory, runs);
}

const struct study study_sweep_memset = {
    .counts = "each byte written",
    .unit = UNIT_GB_S,
    .parameters =
        {{.name = "operand", .unit = "bytes", .quick = POINTS(4), .full = POINTS(1, 2, 4, 8, 16)},
         {.name = "blocks",
          .unit = "",
          .quick = POINTS(1),
          .normal = POINTS(1, 1000),
          .full = POINTS(1, 3, 1000)},
         {.name = NULL}},
    .forms = {{"idiom", ON_ANY}},
    .is_sweep = true,
    .describe = describe_memset,
    .check = check_memset,
};
