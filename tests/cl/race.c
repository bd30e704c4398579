/* Tests of cl/race/: which accesses are races.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/race/race.h"
#include "cl/check/check_race.h"

#include "tests/test.h"

enum { THREADS = 64, WORD = 0x1000, DATA = 0x2000, MEMORY = 64 << 20 };

/* What was found, and the last of it. */
struct found {
    unsigned counts[3];
    struct ocl_race_report last;
};

static void note(void *user, const struct ocl_race_report *report)
{
    struct found *found = user;
    found->counts[report->kind]++;
    found->last = *report;
}

struct bench {
    struct found found;
    struct ocl_race *race;
    uint32_t launch;
};

static void begin(struct bench *b)
{
    *b = (struct bench){0};
    b->race = ocl_race_new(MEMORY, note, &b->found);
    assert_non_null(b->race);
    b->launch = ocl_race_launch_begin(b->race, NULL);
}

static struct ocl_race_block *block(struct bench *b, uint64_t number)
{
    struct ocl_race_block *made = ocl_race_block_begin(b->race, b->launch, number, THREADS);
    assert_non_null(made);
    return made;
}

static void end(struct bench *b, unsigned differ, unsigned same, unsigned warp)
{
    assert_false(ocl_race_is_full(b->race));
    ocl_race_launch_end(b->race, b->launch);
    ocl_race_free(b->race);
    assert_int_equal(b->found.counts[OCL_RACE_DIFFERS], differ);
    assert_int_equal(b->found.counts[OCL_RACE_SAME], same);
    assert_int_equal(b->found.counts[OCL_RACE_WARP], warp);
}

static void touch(struct bench *b, struct ocl_race_block *k, uint32_t thread, uint64_t address,
                  uint64_t site, struct ocl_race_access how)
{
    how.address = address;
    how.site = site;
    how.bytes = how.bytes ? how.bytes : 4;
    ocl_race_access(b->race, k, thread, &how);
}

static const struct ocl_race_access reads = {.reads = true}, writes = {.writes = true},
                                    writes_same = {.writes = true, .is_same = true},
                                    shared_reads = {.reads = true, .is_shared = true},
                                    shared_writes = {.writes = true, .is_shared = true},
                                    adds = {.reads = true, .writes = true, .is_strong = true},
                                    sets = {.writes = true, .is_strong = true},
                                    looks = {.reads = true, .is_strong = true},
                                    releases = {.writes = true,
                                                .is_strong = true,
                                                .releases = true},
                                    acquires = {.reads = true, .is_strong = true, .acquires = true};

static struct ocl_race_access narrowly(struct ocl_race_access how)
{
    how.is_narrow = true;
    return how;
}

TEST_BODY(race_barrier_orders_a_block)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0);
    for (uint32_t t = 0; t < THREADS; t++)
        touch(&b, k, t, 4ul * t, 1, shared_writes);
    ocl_race_meet(b.race, k);
    for (uint32_t t = 0; t < THREADS; t++)
        touch(&b, k, t, 4ul * (THREADS - 1 - t), 2, shared_reads);
    ocl_race_meet(b.race, k);
    for (uint32_t t = 0; t < THREADS; t++)
        touch(&b, k, t, 4ul * t, 3, shared_writes);
    ocl_race_block_end(b.race, k);
    k = block(&b, 1);
    for (uint32_t t = 0; t < THREADS; t++)
        touch(&b, k, t, 4ul * (THREADS - 1 - t), 2, shared_writes);
    end(&b, 0, 0, 0);
}

TEST_BODY(race_barrier_of_the_block_that_runs_orders_it_where_no_more_is_known)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 4);
    touch(&b, k, 3, 40, 1, shared_writes);
    assert_false(ocl_race_meets(b.race, b.launch, 5));
    assert_false(ocl_race_meets(b.race, b.launch + 1, 4));
    assert_true(ocl_race_meets(b.race, b.launch, 4));
    touch(&b, k, 35, 40, 2, shared_reads);
    ocl_race_fence(b.race, k, 35, false); /* is for ocl_race_meet() to know of */
    assert_false(ocl_race_meets(b.race, b.launch, 4));
    ocl_race_meet(b.race, k);
    assert_true(ocl_race_meets(b.race, b.launch, 4));
    struct ocl_race_block *other = block(&b, 5);
    touch(&b, other, 0, 40, 1, shared_writes);
    assert_false(ocl_race_meets(b.race, b.launch, 4));
    assert_true(ocl_race_meets(b.race, b.launch, 5));
    touch(&b, other, 33, 80, 1, shared_writes);
    assert_true(ocl_race_warp_meets(b.race, b.launch, 5, 1));
    touch(&b, other, 34, 80, 2, shared_reads);
    assert_false(ocl_race_warp_meets(b.race, b.launch, 4, 1));
    touch(&b, other, 35, 84, 1, shared_writes);
    assert_true(ocl_race_warp_meets(b.race, b.launch, 5, 0));
    touch(&b, other, 36, 84, 2, shared_reads);
    end(&b, 0, 0, 1);
}

TEST_BODY(race_of_blocks_of_changing_size_takes_memory_once)
{
    enum { ROUNDS = 3000 };
    static const uint32_t sizes[] = {THREADS, 1024, 32};
    struct bench b;
    begin(&b);
    struct ocl_race_block *large = NULL, *k = NULL;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        k = ocl_race_block_begin(b.race, b.launch, 2 * i, sizes[i % 3]);
        large = ocl_race_block_begin(b.race, b.launch, 2 * i + 1, 1024);
        assert_non_null(large);
        ocl_race_fence(b.race, large, 1023, false); /* nobody who has its place later had one */
        ocl_race_block_end(b.race, k);
        ocl_race_block_end(b.race, large);
    }
    end(&b, 0, 0, 0);
}

TEST_BODY(race_without_a_barrier_is_found)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 7);
    touch(&b, k, 3, 40, 1, shared_writes);
    touch(&b, k, 35, 40, 2, shared_reads);
    assert_int_equal(b.found.last.before.thread, 3);
    assert_int_equal(b.found.last.now.thread, 35);
    assert_int_equal(b.found.last.before.site, 1);
    assert_int_equal(b.found.last.now.site, 2);
    assert_int_equal(b.found.last.now.block, 7);
    assert_int_equal(b.found.last.address, 40);
    assert_true(b.found.last.before.writes);
    ocl_race_meet(b.race, k);
    for (uint32_t t = 0; t < THREADS; t++) /* all read what one writes */
        touch(&b, k, t, 40, 3, shared_reads);
    touch(&b, k, 0, 40, 4, shared_writes);
    assert_true(b.found.counts[OCL_RACE_DIFFERS] > 1);
    assert_int_equal(b.found.last.now.site, 4);
    end(&b, b.found.counts[OCL_RACE_DIFFERS], 0, b.found.counts[OCL_RACE_WARP]);
}

TEST_BODY(race_is_counted_by_bytes)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0);
    struct ocl_race_access how = writes;
    how.bytes = 1;
    for (uint32_t t = 0; t < THREADS; t++)
        touch(&b, k, t, DATA + t, 1, how);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 0);
    how.bytes = 2;
    touch(&b, k, 40, DATA + 7, 2, how); /* the bytes of threads 7 and 8 */
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 2);
    assert_int_equal(b.found.last.address, DATA + 8);
    assert_int_equal(b.found.last.bytes, 1);
    end(&b, 2, 0, 0);
}

TEST_BODY(race_of_the_same_value_is_said_to_be_one)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0);
    touch(&b, k, 1, DATA, 1, writes);
    touch(&b, k, 33, DATA, 1, writes_same);
    assert_int_equal(b.found.counts[OCL_RACE_SAME], 1);
    touch(&b, k, 2, DATA + 4, 1, reads);
    touch(&b, k, 34, DATA + 4, 1, writes_same);
    touch(&b, k, 2, DATA + 4, 1, reads);
    assert_int_equal(b.found.counts[OCL_RACE_SAME], 3);
    struct ocl_race_access by_chance = writes_same;
    by_chance.is_shared = true;
    touch(&b, k, 2, 8, 1, shared_reads);
    touch(&b, k, 34, 8, 1, by_chance);
    end(&b, 1, 3, 0);
}

TEST_BODY(race_of_a_warp_ends_where_lanes_meet)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0);
    touch(&b, k, 32, 0, 1, shared_writes);
    touch(&b, k, 34, 0, 2, shared_reads); /* in step: only warned of */
    touch(&b, k, 33, 8, 1, shared_writes);
    ocl_race_warp(b.race, k, 1, 0x0000000f); /* some */
    touch(&b, k, 35, 8, 2, shared_reads);
    touch(&b, k, 36, 8, 2, shared_reads);
    touch(&b, k, 40, 16, 1, shared_writes);
    ocl_race_warp(b.race, k, 1, ~0u);
    touch(&b, k, 63, 16, 2, shared_reads);
    touch(&b, k, 0, 16, 2, shared_reads);   /* of the other warp */
    touch(&b, k, 41, 24, 5, shared_writes); /* by one instruction */
    touch(&b, k, 42, 24, 5, shared_writes);
    end(&b, 2, 0, 2);
}

TEST_BODY(race_of_warps_ends_at_their_barrier)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = ocl_race_block_begin(b.race, b.launch, 0, 128);
    touch(&b, k, 0, 0, 1, shared_writes);
    ocl_race_pass(b.race, k, 1, (uint32_t[32]){~0u, ~0u});
    touch(&b, k, 40, 0, 2, shared_reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 0);
    touch(&b, k, 70, 0, 2, shared_reads); /* was not there */
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 1);
    ocl_race_meet(b.race, k);
    touch(&b, k, 100, 0, 3, shared_writes);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 1);
    /* Those who only arrive tell what they did before, and learn nothing. */
    for (uint32_t t = 0; t < 32; t++) {
        touch(&b, k, t, 128 + 4ul * t, 4, shared_writes);
        ocl_race_arrive(b.race, k, 2, t);
    }
    touch(&b, k, 1, 512, 5, shared_writes);
    ocl_race_pass(b.race, k, 2, (uint32_t[32]){0, ~0u});
    touch(&b, k, 33, 128, 6, shared_reads);
    touch(&b, k, 34, 252, 6, shared_reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 1);
    touch(&b, k, 35, 512, 6, shared_reads);
    end(&b, 2, 0, 0);
}

TEST_BODY(race_of_launches_at_one_time)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0);
    touch(&b, k, 0, DATA, 1, writes);
    touch(&b, k, 0, DATA + 4, 1, writes);
    const uint32_t first = b.launch, second = ocl_race_launch_begin(b.race, NULL);
    struct ocl_race_block *m = ocl_race_block_begin(b.race, second, 0, THREADS);
    touch(&b, m, 0, DATA, 2, writes); /* as of another stream */
    assert_int_equal(b.found.last.before.launch, first);
    assert_int_equal(b.found.last.now.launch, second);
    ocl_race_launch_end(b.race, second);
    b.launch = ocl_race_launch_begin(b.race, NULL);
    m = block(&b, 0);
    touch(&b, m, 1, DATA, 3, writes); /* behind the second, while the first still runs */
    touch(&b, m, 1, DATA + 4, 3, writes);
    ocl_race_launch_end(b.race, first);
    end(&b, 2, 0, 0);
}

/* A launch of a thread's: all of one order with the host's, as the checks have it. */
static uint32_t begin_part(struct bench *b, uint64_t told, bool is_tail)
{
    static const uint32_t known[] = {1};
    const struct ocl_race_order order = {
        .line = 0, .position = 1, .known = known, .told = told, .is_tail = is_tail};
    return ocl_race_launch_begin(b->race, &order);
}

TEST_BODY(race_of_a_kernel_and_what_it_launched)
{
    struct bench b;
    begin(&b);
    ocl_race_launch_end(b.race, b.launch);
    const uint32_t parent = b.launch = begin_part(&b, 0, false);
    struct ocl_race_block *k = block(&b, 0);
    touch(&b, k, 0, DATA, 1, writes);
    touch(&b, k, 40, DATA + 4, 1, writes);
    ocl_race_meet(b.race, k);
    touch(&b, k, 1, DATA + 8, 2, writes);
    touch(&b, k, 0, DATA + 12, 2, writes);
    const uint64_t told = ocl_race_launches(b.race, k, 0);
    touch(&b, k, 0, DATA + 16, 3, writes);
    ocl_race_block_end(b.race, k);
    ocl_race_launch_end(b.race, parent);

    const uint32_t child = b.launch = begin_part(&b, told, false);
    k = block(&b, 0);
    touch(&b, k, 0, DATA, 4, reads);
    touch(&b, k, 1, DATA + 4, 4, reads);
    touch(&b, k, 0, DATA + 12, 4, reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 0);
    touch(&b, k, 0, DATA + 8, 4, reads); /* another thread's, that it did not meet */
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 1);
    assert_int_equal(b.found.last.before.launch, parent);
    touch(&b, k, 0, DATA + 16, 4, reads); /* its own, behind the launch */
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 2);
    const uint64_t told_further = ocl_race_launches(b.race, k, 0);
    ocl_race_block_end(b.race, k);
    ocl_race_launch_end(b.race, child);

    const uint32_t further = b.launch = begin_part(&b, told_further, false);
    k = block(&b, 0);
    touch(&b, k, 0, DATA, 5, writes); /* known by way of the child, whose thread read there */
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 2);
    touch(&b, k, 0, DATA + 16, 5, reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 3);
    ocl_race_block_end(b.race, k);
    ocl_race_launch_end(b.race, further);

    const uint32_t tail = b.launch = begin_part(&b, told, true);
    k = block(&b, 0);
    touch(&b, k, 5, DATA + 8, 6, writes);
    touch(&b, k, 5, DATA + 16, 6, writes);
    ocl_race_block_end(b.race, k);
    ocl_race_launch_end(b.race, tail);

    b.launch = begin_part(&b, UINT64_MAX, false); /* what no call has answered */
    k = block(&b, 0);
    touch(&b, k, 0, DATA + 16, 7, writes);
    end(&b, 3, 0, 0);
}

/* Each block leaves a value; the last one that comes reads all. */
static void last_block(struct bench *b, bool fences)
{
    enum { BLOCKS = 300 };
    begin(b);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        struct ocl_race_block *k = block(b, i);
        touch(b, k, 0, DATA + 4 * i, 1, writes);
        if (fences)
            ocl_race_fence(b->race, k, 0, false);
        touch(b, k, 0, WORD, 2, adds);
        ocl_race_meet(b->race, k);
        for (uint32_t t = 0; i == BLOCKS - 1 && t < BLOCKS; t++)
            touch(b, k, t % THREADS, DATA + 4 * t, 3, reads);
        ocl_race_block_end(b->race, k);
    }
}

/* Each thread of a block leaves a value before its fence or behind it, and one sets a flag behind the barrier; another block sees it
 * and reads all. */
static void leave_around_fence(struct bench *b, bool is_behind, bool in_step)
{
    begin(b);
    struct ocl_race_block *k = block(b, 0);
    for (uint32_t first = 0; first < THREADS; first += in_step ? 32 : 1)
        for (uint32_t step = 0; step < 3; step++)
            for (uint32_t t = first; t < first + (in_step ? 32 : 1); t++)
                if (step == 1)
                    ocl_race_fence(b->race, k, t, false);
                else if (is_behind == (step == 2))
                    touch(b, k, t, DATA + 4ul * t, 1, writes);
    ocl_race_meet(b->race, k);
    touch(b, k, 0, WORD, 2, sets);
    ocl_race_block_end(b->race, k);
    k = block(b, 1);
    touch(b, k, 0, WORD, 3, looks);
    ocl_race_fence(b->race, k, 0, false);
    ocl_race_meet(b->race, k);
    for (uint32_t t = 0; t < THREADS; t++)
        touch(b, k, t, DATA + 4ul * t, 4, reads);
    ocl_race_block_end(b->race, k);
}

TEST_BODY(race_fence_hands_on_what_was_before_it)
{
    struct bench b;
    for (int in_step = 0; in_step < 2; in_step++) {
        leave_around_fence(&b, false, in_step != 0);
        end(&b, 0, 0, 0);
        leave_around_fence(&b, true, in_step != 0);
        assert_true(b.found.counts[OCL_RACE_DIFFERS] > 0);
        end(&b, b.found.counts[OCL_RACE_DIFFERS], 0, 0);
    }
}

/* Two launches, the second on another line, of which the first is known up to a position. */
static void launch_twice(struct bench *b, uint32_t known, uint32_t position)
{
    const uint32_t none[2] = {0, 0}, first[2] = {known, 0};
    const struct ocl_race_order one = {.line = 0, .position = 1, .known = none},
                                two = {.line = 1, .position = position, .known = first};
    *b = (struct bench){0};
    b->race = ocl_race_new(MEMORY, note, &b->found);
    assert_non_null(b->race);
    b->launch = ocl_race_launch_begin(b->race, &one);
    struct ocl_race_block *k = block(b, 0);
    touch(b, k, 0, DATA, 1, writes);
    ocl_race_block_end(b->race, k);
    ocl_race_launch_end(b->race, b->launch);
    b->launch = ocl_race_launch_begin(b->race, &two);
    k = block(b, 0);
    touch(b, k, 0, DATA, 2, reads);
    ocl_race_block_end(b->race, k);
}

TEST_BODY(race_launches_are_in_order_as_told)
{
    struct bench b;
    launch_twice(&b, 1, 1);
    end(&b, 0, 0, 0);
    launch_twice(&b, 0, 1);
    assert_int_equal(b.found.last.before.site, 1);
    end(&b, 1, 0, 0);
    launch_twice(&b, 0, 0); /* in order with all */
    end(&b, 0, 0, 0);
}

TEST_BODY(race_of_a_command_is_found_in_what_kernels_did)
{
    const uint32_t all[2] = {1, 1}, first[2] = {1, 0};
    struct ocl_race_report found = {0};
    struct bench b;
    launch_twice(&b, 1, 1);
    struct ocl_race_order order = {.line = 0, .position = 2, .known = first};
    assert_false(ocl_race_find(b.race, &order, DATA, 4, false, &found));
    assert_false(ocl_race_find(b.race, &order, DATA + 4, 4096, true, &found));
    assert_true(ocl_race_find(b.race, &order, DATA - 4096, 8192, true, &found));
    assert_int_equal(found.address, DATA);
    assert_int_equal(found.before.site, 2);
    assert_false(found.before.writes);
    assert_false(ocl_race_are_all_before(b.race, &order));
    order.known = all;
    assert_true(ocl_race_are_all_before(b.race, &order));
    assert_false(ocl_race_find(b.race, &order, DATA, 4, true, &found));
    end(&b, 0, 0, 0);
}

TEST_BODY(race_last_block_reads_all)
{
    struct bench b;
    last_block(&b, true);
    end(&b, 0, 0, 0);
    last_block(&b, false);
    end(&b, 299, 0, 0); /* its own value goes through the barrier */
}

TEST_BODY(race_release_is_seen_by_who_acquires)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0), *m;
    for (uint32_t t = 0; t < THREADS; t++)
        touch(&b, k, t, DATA + 4 * t, 1, writes);
    ocl_race_meet(b.race, k);
    touch(&b, k, 0, WORD, 2, releases);
    touch(&b, k, 1, DATA + 0x400, 1, writes); /* not released */
    m = block(&b, 1);
    touch(&b, m, 5, WORD, 3, acquires);
    touch(&b, m, 5, DATA + 8, 4, reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 0);
    touch(&b, m, 6, DATA + 12, 4, reads); /* another thread, which has not met 5 */
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 1);
    ocl_race_warp(b.race, m, 0, ~0u);
    touch(&b, m, 7, DATA + 12, 4, reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 1);
    touch(&b, m, 5, DATA + 0x400, 4, reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 2);
    end(&b, 2, 0, 0);
}

/* The block that came first goes on last, when the others have come to the next barrier of the grid. */
TEST_BODY(race_barrier_of_a_grid_orders_what_is_before)
{
    struct ocl_race_access comes = adds, looks_up = acquires;
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0), *m = block(&b, 1);
    comes.releases = true;
    comes.parties = looks_up.parties = 2;
    touch(&b, k, 0, DATA, 1, writes);
    touch(&b, k, 0, WORD, 2, comes);
    touch(&b, m, 0, DATA + 4, 1, writes);
    touch(&b, m, 0, WORD, 2, comes);
    touch(&b, m, 0, WORD, 3, looks_up);
    touch(&b, m, 0, DATA, 4, reads);
    touch(&b, m, 0, DATA + 8, 5, writes);
    touch(&b, m, 0, WORD, 2, comes);
    touch(&b, k, 0, WORD, 3, looks_up);
    touch(&b, k, 0, DATA + 4, 4, reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 0);
    touch(&b, k, 0, DATA + 8, 5, reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 1);
    touch(&b, k, 0, WORD, 2, comes);
    touch(&b, k, 0, WORD, 3, looks_up);
    touch(&b, k, 0, DATA + 8, 6, reads);
    end(&b, 1, 0, 0);
}

TEST_BODY(race_scope_must_hold_both)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0);
    touch(&b, k, 0, DATA, 1, writes);
    touch(&b, k, 0, WORD, 2, narrowly(releases));
    touch(&b, k, 40, WORD, 3, narrowly(acquires));
    touch(&b, k, 40, DATA, 4, reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 0);
    struct ocl_race_block *m = block(&b, 1);
    touch(&b, m, 1, WORD, 3, acquires);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 1);
    assert_true(b.found.last.is_scope);
    touch(&b, m, 1, DATA, 4, reads);
    end(&b, 2, 0, 0);
}

static void locked(struct bench *b, struct ocl_race_block *k, bool fences)
{
    touch(b, k, 0, WORD, 1, adds); /* compare and swap */
    if (fences)
        ocl_race_fence(b->race, k, 0, false);
    touch(b, k, 0, DATA, 2, reads);
    touch(b, k, 0, DATA, 3, writes);
    if (fences)
        ocl_race_fence(b->race, k, 0, false);
    touch(b, k, 0, WORD, 4, sets);
    ocl_race_block_end(b->race, k);
}

TEST_BODY(race_lock_keeps_others_out)
{
    struct bench b;
    begin(&b);
    for (uint32_t i = 0; i < 100; i++)
        locked(&b, block(&b, i), true);
    end(&b, 0, 0, 0);
    begin(&b);
    for (uint32_t i = 0; i < 3; i++)
        locked(&b, block(&b, i), false);
    end(&b, 4, 0, 0); /* the second reads and writes what was written, as does the third */
}

TEST_BODY(race_chain_of_releases_hands_on)
{
    enum { BLOCKS = 200 };
    struct bench b;
    begin(&b);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        struct ocl_race_block *k = block(&b, i);
        if (i > 0) {
            touch(&b, k, 0, WORD + 4 * (i - 1), 1, looks);
            ocl_race_fence(b.race, k, 0, false);
            ocl_race_meet(b.race, k);
            for (uint32_t t = 0; t < i; t++)
                touch(&b, k, t % THREADS, DATA + 4 * t, 2, reads);
        }
        touch(&b, k, 9, DATA + 4 * i, 3, writes);
        ocl_race_meet(b.race, k);
        ocl_race_fence(b.race, k, 0, false);
        touch(&b, k, 0, WORD + 4 * i, 4, sets);
        ocl_race_block_end(b.race, k);
    }
    end(&b, 0, 0, 0);
}

TEST_BODY(race_volatile_orders_nothing)
{
    struct bench b;
    begin(&b);
    struct ocl_race_access write = writes, read = reads;
    write.is_volatile = read.is_volatile = true;
    struct ocl_race_block *k = block(&b, 0), *m;
    touch(&b, k, 0, DATA, 1, writes);
    ocl_race_fence(b.race, k, 0, false);
    touch(&b, k, 0, WORD, 2, write);
    m = block(&b, 1);
    touch(&b, m, 0, WORD, 3, read);
    ocl_race_fence(b.race, m, 0, false);
    touch(&b, m, 0, DATA, 4, reads);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 2);
    touch(&b, m, 0, WORD + 4, 5, adds); /* looked at while others add to it */
    touch(&b, k, 0, WORD + 4, 6, read);
    end(&b, 2, 0, 0);
}

TEST_BODY(race_atomic_races_with_plain_accesses)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0);
    for (uint32_t t = 0; t < THREADS; t++)
        touch(&b, k, t, DATA, 1, adds);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS], 0);
    touch(&b, k, 0, DATA, 2, reads);
    ocl_race_block_end(b.race, k);
    assert_true(b.found.counts[OCL_RACE_DIFFERS] + b.found.counts[OCL_RACE_WARP] > 0);
    end(&b, b.found.counts[OCL_RACE_DIFFERS], 0, b.found.counts[OCL_RACE_WARP]);
}

TEST_BODY(race_read_that_is_compared_and_swapped_is_none)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0);
    for (uint32_t t = 0; t < THREADS; t++) {
        touch(&b, k, t, DATA, 1, reads);
        touch(&b, k, t, DATA, 2, adds);
    }
    ocl_race_block_end(b.race, k);
    assert_int_equal(b.found.counts[OCL_RACE_DIFFERS] + b.found.counts[OCL_RACE_WARP], 0);
    k = block(&b, 1);
    touch(&b, k, 5, DATA, 1, reads);
    touch(&b, k, 5, DATA + 4, 2, adds); /* elsewhere */
    ocl_race_block_end(b.race, k);
    assert_true(b.found.counts[OCL_RACE_DIFFERS] > 0);
    end(&b, b.found.counts[OCL_RACE_DIFFERS], 0, 0);
}

TEST_BODY(race_launches_come_one_after_the_other)
{
    struct bench b;
    begin(&b);
    touch(&b, block(&b, 0), 0, DATA, 1, writes);
    ocl_race_launch_end(b.race, b.launch);
    b.launch = ocl_race_launch_begin(b.race, NULL);
    struct ocl_race_block *k = block(&b, 0);
    touch(&b, k, 1, DATA, 1, writes);
    ocl_race_forget(b.race, DATA - 8, 9);
    touch(&b, k, 63, DATA, 1, writes);
    end(&b, 0, 0, 0);
}

TEST_BODY(race_memory_of_another_has_no_earlier_accesses)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0);
    for (uint32_t thread = 0; thread < 4; thread++)
        touch(&b, k, thread, DATA, 1, reads);
    ocl_race_forget(b.race, DATA, 4);
    touch(&b, k, 9, DATA, 2, writes);
    end(&b, 0, 0, 0);
}

TEST_BODY(race_blocks_take_turns)
{
    struct bench b;
    begin(&b);
    struct ocl_race_block *k = block(&b, 0), *m = block(&b, 1);
    touch(&b, k, 0, DATA, 1, writes);
    touch(&b, m, 0, DATA + 4, 1, writes);
    touch(&b, k, 0, DATA, 2, writes);
    ocl_race_meet(b.race, k);
    touch(&b, m, 0, WORD, 2, acquires);
    touch(&b, k, 40, DATA, 2, reads); /* its own block, in an earlier turn */
    assert_ptr_equal(ocl_race_block_find(b.race, b.launch, 1), m);
    touch(&b, m, 40, DATA + 4, 3, reads);
    assert_int_equal(b.found.last.before.block, 1);
    end(&b, 1, 0, 0);
}

TEST_BODY(race_memory_has_a_limit)
{
    struct found found = {0};
    struct ocl_race *race = ocl_race_new(1 << 20, note, &found);
    const uint32_t launch = ocl_race_launch_begin(race, NULL);
    struct ocl_race_block *k = ocl_race_block_begin(race, launch, 0, 32);
    for (uint64_t at = 0; at < 1 << 20; at += 1024) {
        const struct ocl_race_access access = {
            .address = at, .bytes = 4, .site = 1, .writes = true};
        ocl_race_access(race, k, 0, &access);
    }
    assert_true(ocl_race_is_full(race));
    ocl_race_launch_end(race, launch);
    ocl_race_free(race);
}

/* Names of kernels and numbers of lines are near each other. */
TEST_BODY(race_reports_of_kernels_are_told_apart)
{
    static const char names[64] = "";
    struct ocl_check_launch one = {.kernel = names};
    assert_true(ocl_check_is_first(&one, 40));
    assert_false(ocl_check_is_first(&one, 40));
    for (uint64_t i = 1; i < 40; i++) {
        struct ocl_check_launch other = {.kernel = names + i};
        assert_true(ocl_check_is_first(&other, 40 - i));
    }
}
