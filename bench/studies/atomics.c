/* Atomic operations by kind, scope and contention, and what fences and barriers cost.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows: S2-20. */
#include <string.h>

#include "bench/study.h"

/* As in atomics.cl and fence.cl. */
#define GROUP       ((size_t)256)
#define ROUNDS      16
#define COUNTERS    ((size_t)256)
#define FENCE_ITEMS ((size_t)64)

enum { ADD, INC, MAX, CAS, FETCH };

static const char *const operations[] = {"add", "inc", "max", "cas", "fetch"};
static const char *const on_global[] = {"atomic_add_global", "atomic_inc_global",
                                        "atomic_max_global", "atomic_cas_global",
                                        "atomic_fetch_global"};
static const char *const on_local[] = {"atomic_add_local", "atomic_inc_local", "atomic_max_local",
                                       "atomic_cas_local", "atomic_fetch_local"};

static size_t units_of(const struct device_facts *device)
{
    return device->compute_units > 0 ? (size_t)device->compute_units : 1;
}

static void fill_zero(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    (void)cell, (void)index;
    memset(memory, 0, bytes);
}

/* The second buffer is the operands of add and max, or the results of cas and fetch. */
static void pass_second(unsigned operation, size_t items, struct shot *shot)
{
    if (operation == ADD || operation == MAX)
        shot_pass(shot, shot_in(shot, items * 4));
    if (operation != CAS && operation != FETCH)
        return;
    size_t results = shot_out(shot, items * 4);
    shot->buffers[results].fill = fill_zero;
    shot_pass(shot, results);
}

static bool describe(struct attempt *attempt, const struct cell *cell, const char *const names[],
                     size_t counters, struct shot *shot)
{
    const unsigned operation = cell_parameter(cell, "operation");
    if (cell->device->max_threads < (int)GROUP)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "no groups of 256 work-items");
    shot->file = "atomics";
    shot->kernel = names[operation];
    shot->local[0] = GROUP;
    /* Local memory is so fast on GPUs that less work would only measure launches. */
    shot->groups[0] = units_of(cell->device) * (counters || cell->device->is_cpu ? 16 : 512);
    const size_t items = shot->groups[0] * GROUP;
    size_t target = shot_out(shot, (counters ? counters : items) * 4);
    shot->buffers[target].fill = fill_zero;
    shot_pass(shot, target);
    shot_pass_u32(shot, cell_parameter(cell, "addresses"));
    pass_second(operation, items, shot);
    shot->useful = (double)(items * ROUNDS);
    return true;
}

static bool describe_global(struct attempt *attempt, const struct cell *cell, size_t form,
                            struct shot *shot)
{
    (void)form;
    return describe(attempt, cell, on_global, cell_parameter(cell, "addresses"), shot);
}

static bool describe_local(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    (void)form;
    return describe(attempt, cell, on_local, 0, shot);
}

/* The work-items first, first + step, ... share a counter: what it must hold after `runs` launches
 * that began with 0 (where a launch begins anew: runs is 1). */
struct sharers {
    size_t first, step, end;
};

static uint32_t sum_of_operands(struct sharers who, const uint32_t *source)
{
    uint32_t sum = 0;
    for (size_t i = who.first; i < who.end; i += who.step)
        for (uint32_t round = 0; round < ROUNDS; round++)
            sum += source[i] >> round;
    return sum;
}

static uint32_t largest_operand(struct sharers who, const uint32_t *source)
{
    uint32_t largest = 0;
    for (size_t i = who.first; i < who.end; i += who.step)
        for (uint32_t round = 0; round < ROUNDS; round++)
            if (source[i] + round > largest)
                largest = source[i] + round;
    return largest;
}

static size_t operations_of(struct sharers who)
{
    return who.first < who.end ? ((who.end - who.first - 1) / who.step + 1) * ROUNDS : 0;
}

static uint32_t sum_of_results(struct sharers who, const uint32_t *results)
{
    uint32_t sum = 0;
    for (size_t i = who.first; i < who.end; i += who.step)
        sum += results[i];
    return sum;
}

/* Old values are 0, 1, 2, ... each once; of a local counter in each launch anew. */
static bool fetch_is_right(struct sharers who, const uint32_t *results, uint32_t counter,
                           size_t lasting_runs, size_t runs)
{
    const uint64_t count = operations_of(who) * lasting_runs;
    const uint64_t sum = count % 2 ? (count - 1) / 2 * count : count / 2 * (count - 1);
    return counter == (uint32_t)count &&
           sum_of_results(who, results) == (uint32_t)(sum * (runs / lasting_runs));
}

/* A counter has moved once for each swap, and at least once. A local one began anew in the last
 * launch, so that only a single launch says how many. */
static bool cas_is_right(struct sharers who, const uint32_t *results, uint32_t counter,
                         size_t lasting_runs, size_t runs)
{
    const uint32_t swaps = sum_of_results(who, results);
    if (counter == 0 || counter > operations_of(who) * lasting_runs)
        return false;
    return lasting_runs == runs ? swaps == counter : swaps >= counter;
}

static bool counter_is_right(const struct cell *cell, struct sharers who, uint32_t counter,
                             const uint32_t *second, size_t lasting_runs, size_t runs)
{
    switch (cell_parameter(cell, "operation")) {
    case ADD:
        return counter == (uint32_t)(lasting_runs * sum_of_operands(who, second));
    case INC:
        return counter == (uint32_t)(lasting_runs * operations_of(who));
    case MAX:
        return counter == largest_operand(who, second);
    case CAS:
        return cas_is_right(who, second, counter, lasting_runs, runs);
    default:
        return fetch_is_right(who, second, counter, lasting_runs, runs);
    }
}

static size_t check_global(const struct cell *cell, const struct shot *shot,
                           const void *const memory[], size_t runs)
{
    const size_t addresses = cell_parameter(cell, "addresses");
    const size_t items = shot->groups[0] * shot->local[0];
    const uint32_t *counters = memory[0];
    for (size_t i = 0; i < addresses; i++)
        if (!counter_is_right(cell, (struct sharers){i, addresses, items}, counters[i], memory[1],
                              runs, runs))
            return i * 4;
    return PATTERN_FINE;
}

/* The counters that nobody has are written by nobody. */
static bool local_is_right(const struct cell *cell, size_t group, size_t place, uint32_t counter,
                           const uint32_t *second, size_t runs)
{
    const size_t addresses = cell_parameter(cell, "addresses");
    const struct sharers who = {group * GROUP + place, addresses, (group + 1) * GROUP};
    return place < addresses ? counter_is_right(cell, who, counter, second, 1, runs) : counter == 0;
}

static size_t check_local(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    const uint32_t *counters = memory[0];
    for (size_t i = 0; i < shot->groups[0] * COUNTERS; i++)
        if (!local_is_right(cell, i / COUNTERS, i % COUNTERS, counters[i], memory[1], runs))
            return i * 4;
    return PATTERN_FINE;
}

/* The operands that add and max take; a smaller one of max does not show. */
static size_t operands_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)shot;
    return cell_parameter(cell, "operation") == MAX ? SIZE_MAX : 0;
}

static bool takes_global(const struct cell *cell)
{
    return cell_parameter(cell, "addresses") <= units_of(cell->device) * 16 * GROUP;
}

#define OPERATIONS                                                                                 \
    {                                                                                              \
        .name = "operation", .names = operations, .quick = POINTS(ADD),                            \
        .normal = POINTS(ADD, INC, MAX, CAS, FETCH)                                                \
    }

const struct study study_atomic_global = {
    .counts = "atomic operations",
    .unit = UNIT_GOP_S,
    .parameters = {OPERATIONS,
                   {.name = "addresses",
                    .quick = POINTS(1, 4096),
                    .normal = POINTS(1, 32, 4096),
                    .full = POINTS(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
                                   16384, 65536, 262144)}},
    .forms = {{"idiom", ON_ANY}},
    .is_cached = true,
    .describe = describe_global,
    .check = check_global,
    .takes = takes_global,
    .bytes_that_matter = operands_that_matter,
};

const struct study study_atomic_local = {
    .counts = "atomic operations",
    .unit = UNIT_GOP_S,
    .parameters = {OPERATIONS,
                   {.name = "addresses",
                    .quick = POINTS(1, 256),
                    .full = POINTS(1, 2, 4, 8, 16, 32, 64, 128, 256)}},
    .forms = {{"idiom", ON_ANY}},
    .is_cached = true,
    .describe = describe_local,
    .check = check_local,
    .bytes_that_matter = operands_that_matter,
};

enum { NO_FENCE, FENCE_LOCAL, FENCE_GLOBAL, BARRIER_LOCAL, BARRIER_GLOBAL };

static const char *const fences[] = {"none", "local", "global", "barrier-local", "barrier-global"};
static const char *const fence_kernels[] = {"fence_none", "fence_local", "fence_global",
                                            "fence_barrier_local", "fence_barrier_global"};

/* Enough for what is measured to be more than a launch. */
static uint32_t fence_rounds(const struct cell *cell)
{
    return cell->device->is_cpu ? 64 : 4096;
}

/* One small group for each compute unit: what a group waits, not how much of it others hide. */
static bool describe_fence(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    const size_t items = units_of(cell->device) * FENCE_ITEMS;
    (void)attempt, (void)form;
    shot->file = "fence";
    shot->kernel = fence_kernels[cell_parameter(cell, "fence")];
    shot_items(shot, cell->device, items, FENCE_ITEMS);
    shot_pass(shot, shot_in(shot, items * 4));
    shot_pass(shot, shot_out(shot, items * 4));
    shot_pass_u32(shot, fence_rounds(cell));
    shot->useful = fence_rounds(cell);
    return true;
}

static uint32_t last_value(const struct cell *cell, const struct shot *shot,
                           const void *const memory[], size_t place)
{
    uint32_t value = ((const uint32_t *)memory[0])[place];
    const uint32_t rounds = fence_rounds(cell);
    (void)shot;
    for (uint32_t round = 0; round < rounds; round++)
        value = value * 5 + round;
    return value;
}

static size_t check_fence(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[1], shot->buffers[1].bytes / 4, memory, last_value);
}

const struct study study_fence = {
    .counts = "stores of a group of 64 and the fence behind each",
    .unit = UNIT_NS,
    .parameters = {{.name = "fence",
                    .names = fences,
                    .quick = POINTS(NO_FENCE, FENCE_GLOBAL),
                    .normal = POINTS(NO_FENCE, FENCE_LOCAL, FENCE_GLOBAL, BARRIER_LOCAL,
                                     BARRIER_GLOBAL)}},
    .forms = {{"idiom", ON_ANY}},
    .is_cached = true,
    .describe = describe_fence,
    .check = check_fence,
};
