/* Tests of cl/base/range_map.c: against a linear list, at boundaries, and beside writers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cl/range_map.h"

struct thing {
    uint64_t base, bytes;
};

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct ocl_range_map *make_map(void)
{
    struct ocl_range_map *map = NULL;
    assert_int_equal(ocl_range_map_create(&map), OCL_OK);
    return map;
}

/* --- One range: every byte at and around its ends --- */

static void check_ends(struct ocl_range_map *map, uint64_t base, size_t bytes, void *object)
{
    const uint64_t last = base + (bytes - 1);
    assert_ptr_equal(ocl_range_map_find(map, base), object);
    assert_ptr_equal(ocl_range_map_find(map, last), object);
    assert_ptr_equal(ocl_range_map_find(map, base + bytes / 2), object);
    if (base > 0)
        assert_null(ocl_range_map_find(map, base - 1));
    if (last < UINT64_MAX)
        assert_null(ocl_range_map_find(map, last + 1));
}

TEST_BODY(range_map_finds_first_and_last_byte_and_not_the_next)
{
    static const uint64_t bases[] = {
        0,
        1,
        255,
        256,
        4095,
        4096,
        0x7f1234567000,
        0x7f1234567010,
        0x7f12345670ff,
        0x1000000000000,
        0x1000000000001,
        0x7fffffe00000,
        0x7fffc0000000,
        0xffe8000000000100,
        0x10000000000000,
    };
    static const size_t sizes[] = {
        1,
        2,
        15,
        16,
        17,
        255,
        256,
        257,
        4095,
        4096,
        4097,
        2 << 20,
        (2 << 20) + 1,
        1 << 30,
        ((size_t)1 << 30) + 4095,
        (size_t)1 << 39,
        ((size_t)1 << 39) - 1,
        (size_t)1 << 52,
    };
    struct ocl_range_map *map = make_map();
    struct thing thing;
    for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            assert_true(ocl_range_map_is_free(map, bases[b], sizes[s]));
            assert_int_equal(ocl_range_map_insert(map, bases[b], sizes[s], &thing), OCL_OK);
            assert_false(ocl_range_map_is_free(map, bases[b], sizes[s]));
            check_ends(map, bases[b], sizes[s], &thing);
            ocl_range_map_erase(map, bases[b], sizes[s]);
            assert_null(ocl_range_map_find(map, bases[b]));
            assert_null(ocl_range_map_find(map, bases[b] + (sizes[s] - 1)));
        }
    }
    ocl_range_map_destroy(map);
}

TEST_BODY(range_map_holds_the_top_of_the_address_space)
{
    static const size_t sizes[] = {1, 16, 300, 4096, 1 << 21, (1 << 30) + 77, (size_t)1 << 52};
    struct ocl_range_map *map = make_map();
    struct thing thing;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const uint64_t base = UINT64_MAX - (sizes[s] - 1);
        assert_int_equal(ocl_range_map_insert(map, base, sizes[s], &thing), OCL_OK);
        check_ends(map, base, sizes[s], &thing);
        assert_null(ocl_range_map_find(map, 0));
        ocl_range_map_erase(map, base, sizes[s]);
    }
    assert_int_equal(ocl_range_map_insert(map, 0, SIZE_MAX, &thing), OCL_OK);
    assert_ptr_equal(ocl_range_map_find(map, UINT64_MAX - 1), &thing);
    assert_null(ocl_range_map_find(map, UINT64_MAX));
    ocl_range_map_erase(map, 0, SIZE_MAX);
    assert_null(ocl_range_map_find(map, 12345));
    ocl_range_map_destroy(map);
}

TEST_BODY(range_map_keeps_adjacent_ranges_apart)
{
    static const size_t sizes[] = {1, 3, 16, 256, 255, 4096, 100, 1 << 21, 1 << 12, 5};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    struct ocl_range_map *map = make_map();
    struct thing things[COUNT];
    uint64_t base = 0x7f00000ff9;
    for (size_t i = 0; i < COUNT; base += sizes[i], i++) {
        things[i] = (struct thing){base, sizes[i]};
        assert_int_equal(ocl_range_map_insert(map, base, sizes[i], &things[i]), OCL_OK);
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_ptr_equal(ocl_range_map_find(map, things[i].base), &things[i]);
        assert_ptr_equal(ocl_range_map_find(map, things[i].base + things[i].bytes - 1), &things[i]);
    }
    for (size_t i = 0; i < COUNT; i += 2)
        ocl_range_map_erase(map, things[i].base, things[i].bytes);
    for (size_t i = 0; i < COUNT; i++)
        assert_ptr_equal(ocl_range_map_find(map, things[i].base), i % 2 ? &things[i] : NULL);
    ocl_range_map_destroy(map);
}

TEST_BODY(range_map_refuses_any_overlap_and_changes_nothing)
{
    struct ocl_range_map *map = make_map();
    struct thing old, new;
    const uint64_t base = 0x1000000001010;
    const size_t bytes = 0x5020;
    assert_int_equal(ocl_range_map_insert(map, base, bytes, &old), OCL_OK);
    static const struct {
        int64_t from;
        size_t bytes;
    } overlaps[] = {
        {0, 1},
        {0, 0x5020},
        {0x501f, 1},
        {0x501f, 0x100000},
        {-0x100000, 0x100001},
        {-0x40000000, 0x80000000},
        {0x10, 16},
        {0xff0, 4096},
        {-1, 2},
        {-0x1000000000000 - 0x1010, (size_t)1 << 52},
    };
    for (size_t i = 0; i < sizeof overlaps / sizeof overlaps[0]; i++) {
        const uint64_t first = base + (uint64_t)overlaps[i].from;
        assert_int_equal(ocl_range_map_insert(map, first, overlaps[i].bytes, &new), OCL_E_ALREADY);
        assert_false(ocl_range_map_is_free(map, first, overlaps[i].bytes));
        check_ends(map, base, bytes, &old);
    }
    assert_int_equal(ocl_range_map_insert(map, base - 0x100000, 0x100000, &new), OCL_OK);
    assert_int_equal(ocl_range_map_insert(map, base + bytes, 0x100000, &new), OCL_OK);
    assert_ptr_equal(ocl_range_map_find(map, base + bytes - 1), &old);
    assert_ptr_equal(ocl_range_map_find(map, base + bytes), &new);
    assert_ptr_equal(ocl_range_map_find(map, base - 1), &new);
    assert_ptr_equal(ocl_range_map_find(map, base), &old);
    ocl_range_map_destroy(map);
}

/* --- Memory --- */

static size_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*s %lu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

TEST_BODY(range_map_uses_emptied_nodes_again)
{
    struct ocl_range_map *map = make_map();
    struct thing thing;
    ocl_range_map_insert(map, 1, 1, &thing);
    const size_t before = resident_bytes();
    for (uint64_t i = 1; i < 4000; i++) { /* a path of its own each, 80 KB of nodes */
        assert_int_equal(ocl_range_map_insert(map, (i << 52) + i, 1, &thing), OCL_OK);
        ocl_range_map_erase(map, (i << 52) + i, 1);
    }
    assert_true(resident_bytes() < before + ((size_t)16 << 20));
    ocl_range_map_destroy(map);
}

/* --- Random steps against a linear list --- */

enum { MODEL_THINGS = 300 };

static struct thing *model_find(struct thing *things, uint64_t address)
{
    for (size_t i = 0; i < MODEL_THINGS; i++)
        if (things[i].bytes > 0 && address - things[i].base < things[i].bytes)
            return &things[i];
    return NULL;
}

/* The nearest thing that begins at or below the address, or ends at or above it. */
static struct thing *model_near(struct thing *things, uint64_t address, bool is_below)
{
    struct thing *found = NULL;
    for (struct thing *thing = things; thing < things + MODEL_THINGS; thing++) {
        const bool is_there =
            is_below ? thing->base <= address : thing->base + (thing->bytes - 1) >= address;
        if (thing->bytes > 0 && is_there &&
            (!found || (is_below ? thing->base > found->base : thing->base < found->base)))
            found = thing;
    }
    return found;
}

static bool model_overlaps(const struct thing *things, uint64_t base, uint64_t bytes)
{
    const uint64_t last = base + (bytes - 1);
    for (size_t i = 0; i < MODEL_THINGS; i++)
        if (things[i].bytes > 0 && base <= things[i].base + (things[i].bytes - 1) &&
            things[i].base <= last)
            return true;
    return false;
}

/* An address in one of a few crowded neighbourhoods, so that ranges meet. */
static uint64_t random_address(uint64_t *state)
{
    static const uint64_t places[] = {0, 0x7ffff7fe0000, 0x1000000000000, 0x40000000 - 0x8000,
                                      0xffffffffffff0000};
    static const uint64_t spans[] = {300, 0x3000, 0x10000, 0x10000};
    return places[random_next(state) % 5] + random_next(state) % spans[random_next(state) % 4];
}

static uint64_t random_bytes(uint64_t *state, uint64_t base)
{
    static const uint64_t most[] = {3, 40, 600, 9000, 70000, (uint64_t)5 << 20, (uint64_t)3 << 30};
    const uint64_t bytes = 1 + random_next(state) % most[random_next(state) % 7];
    const uint64_t room = UINT64_MAX - base;
    return bytes - 1 > room ? room + 1 : bytes;
}

static void model_step(struct ocl_range_map *map, struct thing *things, uint64_t *state)
{
    struct thing *thing = &things[random_next(state) % MODEL_THINGS];
    if (thing->bytes > 0) {
        ocl_range_map_erase(map, thing->base, thing->bytes);
        thing->bytes = 0;
    } else {
        const uint64_t base = random_address(state), bytes = random_bytes(state, base);
        const bool overlaps = model_overlaps(things, base, bytes);
        assert_int_equal(ocl_range_map_is_free(map, base, bytes), !overlaps);
        assert_int_equal(ocl_range_map_insert(map, base, bytes, thing),
                         overlaps ? OCL_E_ALREADY : OCL_OK);
        if (!overlaps)
            *thing = (struct thing){base, bytes};
    }
    const struct thing *near = &things[random_next(state) % MODEL_THINGS];
    const uint64_t asked[] = {random_address(state), near->base, near->base - 1,
                              near->base + near->bytes, near->base + near->bytes - 1};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        assert_ptr_equal(ocl_range_map_find(map, asked[i]), model_find(things, asked[i]));
        assert_ptr_equal(ocl_range_map_find_below(map, asked[i]),
                         model_near(things, asked[i], true));
        assert_ptr_equal(ocl_range_map_find_above(map, asked[i]),
                         model_near(things, asked[i], false));
    }
}

TEST_BODY(range_map_agrees_with_a_list)
{
    static struct thing things[MODEL_THINGS];
    struct ocl_range_map *map = make_map();
    uint64_t random = 20240607;
    for (int step = 0; step < 100000; step++)
        model_step(map, things, &random);
    for (size_t i = 0; i < MODEL_THINGS; i++)
        if (things[i].bytes > 0)
            ocl_range_map_erase(map, things[i].base, things[i].bytes);
    assert_true(ocl_range_map_is_free(map, 0, SIZE_MAX));
    ocl_range_map_destroy(map);
}

/* --- Many threads --- */

enum { STABLE = 64, CHURN_STEPS = 60000, WRITERS = 2, READERS = 2, SPACING = 0x3000 };

struct shared {
    struct ocl_range_map *map;
    struct thing stable[STABLE];
    struct thing churn[WRITERS];
    _Atomic int writers_left;
    _Atomic unsigned wrong;
};

struct worker {
    struct shared *shared;
    unsigned index;
};

/* Stable range i lies in its own 12 KiB; writers come and go in the rest of these pages and far
 * away, so that nodes of the stable ranges' neighbourhood change and nodes move between places. */
static uint64_t stable_base(unsigned index)
{
    return 0x7f0000000000 + (uint64_t)index * SPACING + 0x1008;
}

static void *write_ranges(void *argument)
{
    const struct worker *worker = argument;
    struct shared *shared = worker->shared;
    struct thing *thing = &shared->churn[worker->index];
    uint64_t state = 99 + worker->index;
    for (unsigned step = 0; step < CHURN_STEPS; step++) {
        const uint64_t slot = random_next(&state) % STABLE;
        const uint64_t near = 0x7f0000000000 + slot * SPACING + (worker->index ? 0x2000 : 0x1100);
        const uint64_t far = ((uint64_t)0x1000000000000 << worker->index) + slot * 0x40201000;
        const uint64_t base = step % 2 ? near : far;
        const size_t bytes = 1 + random_next(&state) % 0x900;
        if (ocl_range_map_insert(shared->map, base, bytes, thing) != OCL_OK ||
            ocl_range_map_find(shared->map, base + bytes - 1) != thing)
            atomic_fetch_add(&shared->wrong, 1);
        ocl_range_map_erase(shared->map, base, bytes);
    }
    atomic_fetch_sub(&shared->writers_left, 1);
    return NULL;
}

static bool is_ours(const struct shared *shared, const void *found)
{
    return (found >= (const void *)shared->stable &&
            found < (const void *)(shared->stable + STABLE)) ||
           (found >= (const void *)shared->churn &&
            found < (const void *)(shared->churn + WRITERS));
}

static void *read_ranges(void *argument)
{
    const struct worker *worker = argument;
    struct shared *shared = worker->shared;
    uint64_t state = 7 + worker->index;
    while (atomic_load(&shared->writers_left) > 0) {
        const unsigned slot = (unsigned)(random_next(&state) % STABLE);
        struct thing *thing = &shared->stable[slot];
        if (ocl_range_map_find(shared->map, thing->base + random_next(&state) % thing->bytes) !=
            thing)
            atomic_fetch_add(&shared->wrong, 1);
        const uint64_t passing = 0x7f0000000000 + random_next(&state) % (STABLE * SPACING);
        const void *found = ocl_range_map_find(shared->map, passing);
        if (found && !is_ours(shared, found))
            atomic_fetch_add(&shared->wrong, 1);
    }
    return NULL;
}

TEST_BODY(range_map_readers_find_what_stays_beside_writers)
{
    static struct shared shared;
    shared.map = make_map();
    atomic_store(&shared.writers_left, WRITERS);
    for (unsigned i = 0; i < STABLE; i++) {
        shared.stable[i] = (struct thing){stable_base(i), i % 2 ? 0x55 : 0xf8};
        assert_int_equal(ocl_range_map_insert(shared.map, shared.stable[i].base,
                                              shared.stable[i].bytes, &shared.stable[i]),
                         OCL_OK);
    }
    pthread_t threads[WRITERS + READERS];
    struct worker workers[WRITERS + READERS];
    for (unsigned i = 0; i < WRITERS + READERS; i++) {
        workers[i] = (struct worker){&shared, i < WRITERS ? i : i - WRITERS};
        assert_int_equal(pthread_create(&threads[i], NULL, i < WRITERS ? write_ranges : read_ranges,
                                        &workers[i]),
                         0);
    }
    for (unsigned i = 0; i < WRITERS + READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&shared.wrong), 0);
    ocl_range_map_destroy(shared.map);
}
