/* Tests of cl/transfer/copy_pool.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer/copy_pool.h"

#include <pthread.h>
#include <string.h>

#include "tests/test.h"

enum { BYTES = 3 * 1024 * 1024 };

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static unsigned char *make_bytes(unsigned seed)
{
    unsigned char *bytes = malloc(BYTES);

    assert_non_null(bytes);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(i * 31 + (i >> 8) + seed);
    return bytes;
}

static void check_run(struct ocl_copy_pool *pool, size_t to, size_t from, size_t bytes,
                      bool is_streaming)
{
    unsigned char *source = make_bytes(1), *target = make_bytes(2), *expected = make_bytes(2);
    const struct ocl_copy copy = {{address_of(source + from), bytes, bytes},
                                  {address_of(target + to), bytes, bytes},
                                  bytes,
                                  1,
                                  1};

    memcpy(expected + to, source + from, bytes);
    ocl_copy_pool_run(pool, &copy, is_streaming);
    assert_memory_equal(target, expected, BYTES);
    free(source);
    free(target);
    free(expected);
}

TEST_BODY(copy_pool_copies_runs)
{
    static const size_t sizes[] = {1, 63, 64, 65, 1000, 262143, 262144, 300001, 2500003};
    struct ocl_copy_pool *pool;

    assert_int_equal(ocl_copy_pool_create(4, &pool), OCL_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t offset = 0; offset < 20; offset += 7) {
            check_run(pool, offset, 3, sizes[i], false);
            check_run(pool, offset, 3, sizes[i], true);
        }
    }
    ocl_copy_pool_destroy(pool);
}

static void check_rows(struct ocl_copy_pool *pool, size_t width, size_t height, size_t depth)
{
    unsigned char *source = make_bytes(1), *target = make_bytes(2), *expected = make_bytes(2);
    const struct ocl_copy copy = {{address_of(source), width + 1, (width + 1) * height + 2},
                                  {address_of(target + 5), width + 3, (width + 3) * height},
                                  width,
                                  height,
                                  depth};

    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            memcpy(expected + 5 + z * copy.target.slice_bytes + y * copy.target.pitch,
                   source + z * copy.source.slice_bytes + y * copy.source.pitch, width);
    ocl_copy_pool_run(pool, &copy, false);
    assert_memory_equal(target, expected, BYTES);
    free(source);
    free(target);
    free(expected);
}

TEST_BODY(copy_pool_copies_rows)
{
    struct ocl_copy_pool *pool;

    assert_int_equal(ocl_copy_pool_create(4, &pool), OCL_OK);
    check_rows(pool, 1, 3, 1);
    check_rows(pool, 16, 50000, 1);
    check_rows(pool, 100, 77, 300);
    check_rows(pool, 900000, 3, 1);
    check_rows(pool, 300000, 2, 4);
    ocl_copy_pool_destroy(pool);
}

TEST_BODY(copy_pool_of_one_thread_has_no_helpers)
{
    struct ocl_copy_pool *pool;

    for (unsigned threads = 0; threads < 2; threads++) {
        assert_int_equal(ocl_copy_pool_create(threads, &pool), OCL_OK);
        check_run(pool, 0, 0, 2000000, false);
        ocl_copy_pool_destroy(pool);
    }
    ocl_copy_pool_destroy(NULL);
}

static void *copy_repeatedly(void *pool)
{
    for (int round = 0; round < 20; round++)
        check_run(pool, 1, 2, 1000000 + (size_t)round, round % 2);
    return NULL;
}

TEST_BODY(copy_pool_is_shared_by_threads)
{
    struct ocl_copy_pool *pool;
    pthread_t threads[6];

    assert_int_equal(ocl_copy_pool_create(3, &pool), OCL_OK);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copy_repeatedly, pool), 0);
    for (size_t i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    ocl_copy_pool_destroy(pool);
}
