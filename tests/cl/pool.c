/* Tests of cl/memory/pool.c and cl/memory/pieces.c, over a driver that is only counters: what it was asked, and
 * when it refuses.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/block/block.h"
#include "cl/memory.h"
#include "tests/test.h"

#include <pthread.h>
#include <string.h>

#include "cl/memory/pieces.h"
#include "cl/memory/pool.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

/* --- A driver --- */

enum { SHIFT = 128 };

static struct driver {
    struct ocl_context context;
    uint64_t total;
    uint64_t available;
    uint64_t capacity; /* what it really has */
    bool has_bytes;    /* blocks stand for memory of the process */
    bool is_shared;    /* several threads: others may hold the lock */
    unsigned fail_at;  /* number of the create call that fails with fail_status; 0: none */
    ocl_status fail_status;
    unsigned creates, destroys;
    uint64_t live_bytes;
    uint64_t next_address;
    uint64_t last_destroyed; /* address */
    unsigned lock_was_held;
    struct ocl_pool *give_to; /* the next create call gives this piece back */
    struct ocl_piece *given;
    pthread_mutex_t lock;
} driver;

static void check_lock(void)
{
    if (driver.is_shared)
        return;
    if (pthread_mutex_trylock(&driver.context.memory_lock) == 0)
        pthread_mutex_unlock(&driver.context.memory_lock);
    else
        driver.lock_was_held++;
}

static ocl_status driver_create(struct ocl_context *context, size_t bytes, struct ocl_block **block)
{
    ocl_status status = OCL_OK;
    check_lock();
    if (driver.given) {
        ocl_pool_give(driver.give_to, driver.given);
        driver.given = NULL;
    }
    pthread_mutex_lock(&driver.lock);
    driver.creates++;
    if (driver.creates == driver.fail_at)
        status = driver.fail_status;
    else if (bytes > driver.capacity - driver.live_bytes)
        status = OCL_E_OUT_OF_MEMORY;
    if (status == OCL_OK) {
        driver.live_bytes += bytes;
        struct ocl_block *made = calloc(1, sizeof *made);
        made->context = context;
        made->bytes = bytes;
        made->pointer =
            driver.has_bytes ? aligned_alloc(4096, (bytes + 2 * 4096) / 4096 * 4096) : NULL;
        made->address =
            (driver.has_bytes ? (uint64_t)(uintptr_t)made->pointer : driver.next_address) + SHIFT;
        driver.next_address += bytes + 2 * MIB;
        *block = made;
    }
    pthread_mutex_unlock(&driver.lock);
    return status;
}

static void driver_destroy(struct ocl_block *block)
{
    check_lock();
    pthread_mutex_lock(&driver.lock);
    driver.destroys++;
    driver.live_bytes -= block->bytes;
    driver.last_destroyed = block->address;
    pthread_mutex_unlock(&driver.lock);
    free(block->pointer);
    free(block);
}

static size_t driver_first(const struct ocl_block *block)
{
    return (size_t)(-block->address & (OCL_MEMORY_ALIGNMENT - 1));
}

static uint64_t driver_total(struct ocl_context *context)
{
    (void)context;
    return driver.total;
}

static uint64_t driver_available(struct ocl_context *context)
{
    (void)context;
    return driver.available;
}

static const struct ocl_pool_source source = {
    .create = driver_create,
    .destroy = driver_destroy,
    .first = driver_first,
    .total = driver_total,
    .available = driver_available,
    .kept_most = (uint64_t)4 << 30,
};

static struct ocl_pool *make_pool(uint64_t total)
{
    struct ocl_pool *pool = NULL;
    driver = (struct driver){.total = total,
                             .available = UINT64_MAX,
                             .capacity = UINT64_MAX,
                             .next_address = 0x7f0000000000};
    pthread_mutex_init(&driver.context.memory_lock, NULL);
    pthread_mutex_init(&driver.lock, NULL);
    assert_int_equal(ocl_pool_create(&driver.context, &source, &pool), OCL_OK);
    assert_int_equal(driver.creates, 0);
    return pool;
}

static void end_pool(struct ocl_pool *pool)
{
    ocl_pool_destroy(pool);
    assert_int_equal(driver.live_bytes, 0);
    assert_int_equal(driver.lock_was_held, 0);
}

static struct ocl_piece *take(struct ocl_pool *pool, size_t bytes)
{
    struct ocl_piece *piece = NULL;
    assert_int_equal(ocl_pool_take(pool, bytes, &piece), OCL_OK);
    const struct ocl_piece_view view = ocl_pool_view(piece);
    assert_true(view.bytes >= bytes);
    assert_int_equal((view.block->address + view.offset) % OCL_MEMORY_ALIGNMENT, 0);
    return piece;
}

static uint64_t address_of(const struct ocl_piece *piece)
{
    const struct ocl_piece_view view = ocl_pool_view(piece);
    return view.block->address + view.offset;
}

static void refuse(struct ocl_pool *pool, size_t bytes)
{
    struct ocl_piece *piece = NULL;
    assert_int_equal(ocl_pool_take(pool, bytes, &piece), OCL_E_OUT_OF_MEMORY);
    assert_null(piece);
}

static uint64_t free_bytes(struct ocl_pool *pool)
{
    uint64_t left = 0, total = 0;
    ocl_pool_info(pool, &left, &total);
    assert_int_equal(total, driver.total);
    assert_true(left <= total);
    return left;
}

/* --- Pieces --- */

TEST_BODY(pool_shares_a_block_among_small_sizes)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    uint64_t end = 0;
    for (int i = 0; i < 512; i++) {
        struct ocl_piece *piece = take(pool, 4 * KIB);
        assert_true(address_of(piece) >= end); /* an empty block is handed out upward */
        end = address_of(piece) + 4 * KIB;
    }
    assert_int_equal(driver.creates, 1);
    assert_int_equal(driver.live_bytes, 2 * MIB);
    take(pool, 1);
    assert_int_equal(driver.creates, 2);
    end_pool(pool);
}

TEST_BODY(pool_reuses_what_was_given_back)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    static const size_t sizes[] = {1, 256, 257, 4 * KIB, 4 * KIB + 1, 100000, MIB};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct ocl_piece *piece = take(pool, sizes[s]);
        const uint64_t address = address_of(piece);
        for (int i = 0; i < 1000; i++) {
            ocl_pool_give(pool, piece);
            piece = take(pool, sizes[s]);
            assert_int_equal(address_of(piece), address);
        }
        ocl_pool_give(pool, piece);
    }
    assert_int_equal(driver.creates, 1);
    assert_int_equal(driver.destroys, 0);
    end_pool(pool);
}

/* Of two blocks one after the other that the host's processors use each begins at another place of its pages; those whose memory is
 * another's begin where the driver puts them, as do those of whole MiB, and one that the driver has just room for. */
TEST_BODY(pool_staggers_large_blocks)
{
    enum { PAGE = 4096, COUNT = 8, MOST = 64 };
    const size_t bytes = 4 * MIB + PAGE, most = MOST * MIB - PAGE;
    static struct ocl_device device = {.facts = {.max_alloc_bytes = MOST * MIB - 1}};
    static struct ocl_pool_source staggered;
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    ocl_pool_destroy(pool);
    driver.context.device = &device;
    staggered = source;
    staggered.is_staggered = true;
    for (int is_host = 0; is_host < 2; is_host++) {
        uint64_t places[COUNT];
        driver.context.capability.device_is_host_memory = is_host != 0;
        assert_int_equal(ocl_pool_create(&driver.context, &staggered, &pool), OCL_OK);
        for (int i = 0; i < COUNT; i++) {
            struct ocl_piece *piece = take(pool, bytes);
            const struct ocl_piece_view view = ocl_pool_view(piece);
            assert_true(view.offset + bytes <= view.block->bytes + driver_first(view.block));
            places[i] = (view.offset - driver_first(view.block)) % PAGE;
            if (i > 0)
                assert_int_equal(places[i] != places[i - 1], is_host);
        }
        assert_int_equal(ocl_pool_view(take(pool, 4 * MIB)).block->bytes, 4 * MIB);
        assert_int_equal(ocl_pool_view(take(pool, most)).block->bytes, most);
        end_pool(pool);
    }
}

TEST_BODY(pool_joins_freed_neighbours)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    struct ocl_piece *pieces[512];
    for (int i = 0; i < 512; i++)
        pieces[i] = take(pool, 4 * KIB);
    for (int i = 0; i < 512; i += 2)
        ocl_pool_give(pool, pieces[i]);
    for (int i = 1; i < 512; i += 2)
        ocl_pool_give(pool, pieces[i]);
    struct ocl_piece *halves[] = {take(pool, MIB), take(pool, MIB)};
    assert_int_equal(driver.creates, 1);
    ocl_pool_give(pool, halves[0]);
    ocl_pool_give(pool, halves[1]);
    end_pool(pool);
}

TEST_BODY(pool_wastes_at_most_an_eighth)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    for (size_t bytes = 1; bytes <= MIB; bytes += bytes / 37 + 1) {
        struct ocl_piece *piece = take(pool, bytes);
        assert_true(ocl_pool_view(piece).bytes <= (bytes + 255) / 256 * 256 + bytes / 8);
        ocl_pool_give(pool, piece);
    }
    end_pool(pool);
}

TEST_BODY(pool_makes_larger_blocks_as_use_grows)
{
    struct ocl_pool *pool = make_pool((uint64_t)64 << 30);
    for (int i = 0; i < 1024; i++)
        take(pool, MIB);
    assert_true(driver.creates < 50);
    assert_true(driver.live_bytes <= 1024 * MIB + 32 * MIB);
    end_pool(pool);
}

/* --- Random use, every byte looked at --- */

enum { HELD = 400 };

struct held {
    struct ocl_piece *piece;
    size_t bytes;
    unsigned char mark;
};

static unsigned char *bytes_of(const struct held *held)
{
    const struct ocl_piece_view view = ocl_pool_view(held->piece);
    return (unsigned char *)view.block->pointer + SHIFT + view.offset;
}

static unsigned damage(const struct held *held)
{
    const unsigned char *bytes = bytes_of(held);
    unsigned count = 0;
    for (size_t i = 0; i < held->bytes; i++)
        count += bytes[i] != held->mark;
    return count;
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t random_bytes(uint64_t *state)
{
    static const size_t most[] = {256, 1000, 5000, 5000, 20000, 70000};
    if (random_next(state) % 1000 == 0)
        return MIB / 2 + random_next(state) % (2 * MIB);
    return 1 + random_next(state) % most[random_next(state) % 6];
}

/* Returns the number of damaged bytes, and of failed calls. */
static unsigned random_step(struct ocl_pool *pool, struct held *all, uint64_t *state)
{
    struct held *held = &all[random_next(state) % HELD];
    unsigned wrong = 0;
    if (held->piece) {
        wrong = damage(held);
        ocl_pool_give(pool, held->piece);
        held->piece = NULL;
    } else {
        held->bytes = random_bytes(state);
        held->mark = (unsigned char)random_next(state);
        if (ocl_pool_take(pool, held->bytes, &held->piece) != OCL_OK)
            return 1;
        memset(bytes_of(held), held->mark, held->bytes);
    }
    return wrong;
}

static unsigned give_all(struct ocl_pool *pool, struct held *all)
{
    unsigned wrong = 0;
    for (int i = 0; i < HELD; i++)
        if (all[i].piece) {
            wrong += damage(&all[i]);
            ocl_pool_give(pool, all[i].piece);
        }
    return wrong;
}

TEST_BODY(pool_pieces_never_share_a_byte)
{
    static struct held all[HELD];
    struct ocl_pool *pool = make_pool((uint64_t)1 << 30);
    driver.has_bytes = true;
    uint64_t random = 4711;
    for (int step = 0; step < 100000; step++) {
        assert_int_equal(random_step(pool, all, &random), 0);
        if (step % 20000 == 19999)
            ocl_pool_trim(pool);
    }
    assert_int_equal(give_all(pool, all), 0);
    const uint64_t kept = driver.live_bytes;
    assert_true(kept > 0);
    assert_int_equal(free_bytes(pool), driver.total);
    ocl_pool_trim(pool);
    assert_int_equal(driver.live_bytes, 0);
    end_pool(pool);
}

struct user {
    struct ocl_pool *pool;
    uint64_t random;
    unsigned wrong;
    struct held all[HELD];
};

static void *use_pool(void *argument)
{
    struct user *user = argument;
    for (int step = 0; step < 10000; step++) {
        user->wrong += random_step(user->pool, user->all, &user->random);
        if (step % 1000 == 999)
            ocl_pool_trim(user->pool);
    }
    user->wrong += give_all(user->pool, user->all);
    return NULL;
}

TEST_BODY(pool_serves_many_threads)
{
    static struct user users[4];
    pthread_t threads[4];
    struct ocl_pool *pool = make_pool((uint64_t)4 << 30);
    driver.has_bytes = driver.is_shared = true;
    for (unsigned i = 0; i < 4; i++) {
        users[i].pool = pool;
        users[i].random = 1000 + i;
        assert_int_equal(pthread_create(&threads[i], NULL, use_pool, &users[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(users[i].wrong, 0);
    }
    assert_int_equal(free_bytes(pool), driver.total);
    end_pool(pool);
}

/* --- Blocks that are kept --- */

TEST_BODY(pool_keeps_large_blocks_for_sizes_a_little_smaller)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    struct ocl_piece *piece = take(pool, 9 * MIB);
    const uint64_t address = address_of(piece);
    ocl_pool_give(pool, piece);
    piece = take(pool, 8 * MIB); /* 12.5 % of it more is 9 MiB */
    assert_int_equal(address_of(piece), address);
    ocl_pool_give(pool, piece);
    piece = take(pool, 9 * MIB);
    assert_int_equal(address_of(piece), address);
    ocl_pool_give(pool, piece);
    assert_int_equal(driver.creates, 1);
    take(pool, 8 * MIB - 64 * KIB); /* and of this less */
    assert_int_equal(driver.creates, 2);
    take(pool, 9 * MIB + 1);
    assert_int_equal(driver.creates, 3);
    end_pool(pool);
}

TEST_BODY(pool_takes_the_best_fitting_kept_block)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    static const size_t sizes[] = {44, 40, 43, 42, 41};
    struct ocl_piece *pieces[5];
    for (int i = 0; i < 5; i++)
        pieces[i] = take(pool, sizes[i] * MIB);
    const uint64_t best = address_of(pieces[4]);
    for (int i = 0; i < 5; i++)
        ocl_pool_give(pool, pieces[i]);
    assert_int_equal(address_of(take(pool, 41 * MIB - 5000)), best);
    end_pool(pool);
}

TEST_BODY(pool_drops_the_oldest_beyond_its_limit)
{
    struct ocl_pool *pool = make_pool(16 * 64 * MIB); /* keeps 64 MiB */
    static const size_t sizes[] = {30, 20, 40, 90};
    struct ocl_piece *pieces[4];
    uint64_t addresses[4];
    for (int i = 0; i < 4; i++) {
        pieces[i] = take(pool, sizes[i] * MIB);
        addresses[i] = ocl_pool_view(pieces[i]).block->address;
    }
    ocl_pool_give(pool, pieces[0]);
    ocl_pool_give(pool, pieces[1]);
    assert_int_equal(driver.destroys, 0);
    ocl_pool_give(pool, pieces[2]); /* 90 MiB: the first goes */
    assert_int_equal(driver.destroys, 1);
    assert_int_equal(driver.last_destroyed, addresses[0]);
    ocl_pool_give(pool, pieces[3]); /* more than all that may be kept: not kept at all */
    assert_int_equal(driver.destroys, 2);
    assert_int_equal(driver.last_destroyed, addresses[3]);
    assert_int_equal(driver.live_bytes, 60 * MIB);
    end_pool(pool);
}

TEST_BODY(pool_keeps_no_more_than_its_source_says)
{
    struct ocl_pool *pool = make_pool((uint64_t)1 << 40);
    struct ocl_piece *pieces[6];
    for (int i = 0; i < 6; i++)
        pieces[i] = take(pool, 1024 * MIB);
    for (int i = 0; i < 6; i++)
        ocl_pool_give(pool, pieces[i]);
    assert_int_equal(driver.live_bytes, (uint64_t)4 << 30);
    end_pool(pool);
}

TEST_BODY(pool_cuts_kept_blocks_and_keeps_one_empty)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    ocl_pool_give(pool, take(pool, 6 * MIB));
    struct ocl_piece *small = take(pool, 100);
    assert_int_equal(driver.creates, 1); /* the 6 MiB are cut now */
    assert_int_equal(free_bytes(pool), driver.total - 6 * MIB);
    ocl_pool_give(pool, small);
    assert_int_equal(free_bytes(pool), driver.total);
    assert_int_equal(driver.destroys, 0);
    assert_true(ocl_pool_trim(pool));
    assert_int_equal(driver.destroys, 1);
    assert_false(ocl_pool_trim(pool));
    end_pool(pool);
}

TEST_BODY(pool_releases_empty_small_blocks)
{
    struct ocl_pool *pool = make_pool(16 * 8 * MIB); /* keeps 8 MiB */
    struct ocl_piece *pieces[60];
    for (int i = 0; i < 60; i++)
        pieces[i] = take(pool, MIB);
    for (int i = 0; i < 60; i++)
        ocl_pool_give(pool, pieces[i]);
    assert_true(driver.destroys > 0);
    assert_true(driver.live_bytes <= (8 + 32) * MIB);
    assert_int_equal(free_bytes(pool), driver.total);
    end_pool(pool);
}

TEST_BODY(pool_keeps_a_block_that_turned_out_not_to_be_needed)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    struct ocl_piece *first = take(pool, MIB), *second = take(pool, MIB);
    const uint64_t address = address_of(second);
    driver.give_to = pool;
    driver.given = second; /* another thread is done with it while this one waits for the driver */
    second = take(pool, MIB);
    assert_int_equal(driver.creates, 2);
    assert_int_equal(address_of(second), address);
    assert_int_equal(free_bytes(pool), driver.total - 2 * MIB);
    ocl_pool_give(pool, first);
    ocl_pool_give(pool, second);
    assert_int_equal(free_bytes(pool), driver.total);
    ocl_pool_trim(pool);
    assert_int_equal(driver.live_bytes, 0);
    end_pool(pool);
}

/* --- No room --- */

TEST_BODY(pool_gives_kept_blocks_back_when_the_driver_is_full)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    driver.capacity = 100 * MIB;
    struct ocl_piece *small = take(pool, 100);
    ocl_pool_give(pool, take(pool, 60 * MIB));
    struct ocl_piece *large = take(pool, 90 * MIB); /* needs the 60 */
    assert_int_equal(driver.destroys, 1);
    refuse(pool, 20 * MIB);
    ocl_pool_give(pool, small);
    ocl_pool_give(pool, large);
    take(pool, 100 * MIB); /* needs the empty small block too */
    end_pool(pool);
}

TEST_BODY(pool_falls_back_to_smaller_shared_blocks)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    driver.capacity = 64 * MIB + 2 * MIB + 8 * KIB;
    for (int i = 0; i < 66; i++)
        take(pool, MIB); /* growing blocks do not fit at the end, 2 MiB ones do */
    take(pool, 5 * KIB); /* and then 8 KiB by itself */
    refuse(pool, 300 * KIB);
    end_pool(pool);
}

TEST_BODY(pool_refuses_what_accounting_says_is_not_there)
{
    struct ocl_pool *pool = make_pool(100 * MIB); /* the driver would promise anything */
    refuse(pool, 101 * MIB);
    refuse(pool, SIZE_MAX);
    refuse(pool, SIZE_MAX / 2);
    assert_int_equal(driver.creates, 0);
    struct ocl_piece *piece = take(pool, 80 * MIB);
    assert_int_equal(free_bytes(pool), 20 * MIB);
    refuse(pool, 21 * MIB);
    take(pool, 20 * MIB);
    assert_int_equal(free_bytes(pool), 0);
    refuse(pool, 1);
    ocl_pool_give(pool, piece);
    assert_int_equal(free_bytes(pool), 80 * MIB);
    driver.total = 10 * MIB; /* PoCL's total moves */
    assert_int_equal(free_bytes(pool), 0);
    refuse(pool, 2 * MIB);
    end_pool(pool);
}

TEST_BODY(pool_refuses_what_the_host_does_not_have)
{
    struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
    ocl_pool_destroy(pool);
    driver.available = 400 * MIB;
    assert_int_equal(ocl_pool_create(&driver.context, &source, &pool), OCL_OK);
    assert_int_equal(free_bytes(pool), 400 * MIB);
    refuse(pool, 401 * MIB);
    take(pool, 300 * MIB);
    assert_int_equal(free_bytes(pool), 100 * MIB);
    driver.available = 50 * MIB; /* other programs took some */
    refuse(pool, 51 * MIB);
    take(pool, 50 * MIB);
    driver.available = 1000 * MIB; /* and gave it back */
    take(pool, 600 * MIB);
    assert_int_equal(free_bytes(pool), 50 * MIB);
    end_pool(pool);
}

TEST_BODY(pool_survives_a_failure_of_any_driver_call)
{
    static const size_t sizes[] = {100,       MIB, MIB, MIB, 5 * MIB, 3 * MIB,
                                   700 * KIB, MIB, MIB, MIB, 40 * MIB};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    static const ocl_status failures[] = {OCL_E_OUT_OF_MEMORY, CL_INVALID_CONTEXT};
    for (int f = 0; f < 2; f++) {
        for (unsigned n = 1;; n++) {
            struct ocl_pool *pool = make_pool((uint64_t)16 << 30);
            struct ocl_piece *pieces[COUNT];
            unsigned failed = 0;
            driver.fail_at = n;
            driver.fail_status = failures[f];
            for (int i = 0; i < COUNT; i++) {
                pieces[i] = NULL;
                const ocl_status status = ocl_pool_take(pool, sizes[i], &pieces[i]);
                assert_true(status == OCL_OK || status == failures[f]);
                assert_int_equal(pieces[i] == NULL, status != OCL_OK);
                failed += status != OCL_OK;
            }
            for (int i = 0; i < COUNT; i++)
                if (pieces[i])
                    ocl_pool_give(pool, pieces[i]);
            const bool was_reached = driver.creates >= n;
            assert_true(failed <= 1);
            assert_int_equal(free_bytes(pool), driver.total);
            end_pool(pool);
            if (!was_reached)
                break;
            assert_true(failed == 1 || failures[f] == OCL_E_OUT_OF_MEMORY);
        }
    }
}
