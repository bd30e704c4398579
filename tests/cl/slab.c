/* Tests of cl/base/slab.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "cl/slab.h"

struct thing {
    void *slab_word;
    unsigned char bytes[49]; /* an odd size: the slab must align all the same */
};

enum { THINGS = 5000 };

TEST_BODY(slab_hands_out_zeroed_aligned_disjoint_objects)
{
    static struct ocl_slab slab = OCL_SLAB_INITIALIZER(sizeof(struct thing));
    static struct thing *things[THINGS];
    static const struct thing zero;
    for (unsigned i = 0; i < THINGS; i++) {
        things[i] = ocl_slab_take(&slab);
        assert_non_null(things[i]);
        assert_int_equal((uintptr_t)things[i] % 16, 0);
        assert_memory_equal(things[i], &zero, sizeof zero);
        memset(things[i], (int)(i % 255 + 1), sizeof *things[i]);
    }
    for (unsigned i = 0; i < THINGS; i++)
        for (size_t k = 0; k < sizeof things[i]->bytes; k++)
            assert_int_equal(things[i]->bytes[k], i % 255 + 1);
}

TEST_BODY(slab_keeps_contents_of_free_objects)
{
    static struct ocl_slab slab = OCL_SLAB_INITIALIZER(sizeof(struct thing));
    struct thing *thing = ocl_slab_take(&slab);
    memset(thing->bytes, 77, sizeof thing->bytes);
    ocl_slab_give(&slab, thing);
    for (size_t k = 0; k < sizeof thing->bytes; k++)
        assert_int_equal(thing->bytes[k], 77);
    assert_ptr_equal(ocl_slab_take(&slab), thing);
    assert_null(thing->slab_word);
    assert_int_equal(thing->bytes[0], 77);
}

TEST_BODY(slab_reuses_before_it_grows)
{
    static struct ocl_slab slab = OCL_SLAB_INITIALIZER(sizeof(struct thing));
    struct thing *first = ocl_slab_take(&slab);
    ocl_slab_give(&slab, first);
    const void *chunks = slab.chunks;
    for (int i = 0; i < 100000; i++)
        ocl_slab_give(&slab, ocl_slab_take(&slab));
    assert_ptr_equal(slab.chunks, chunks);
}

TEST_BODY(slab_holds_objects_larger_than_its_chunks)
{
    static struct ocl_slab slab = OCL_SLAB_INITIALIZER(100000);
    char *one = ocl_slab_take(&slab), *other = ocl_slab_take(&slab);
    memset(one, 1, 100000);
    memset(other, 2, 100000);
    assert_int_equal(one[99999], 1);
    assert_int_equal(other[0], 2);
}

static void count_marked(void *object, void *argument)
{
    const struct thing *thing = object;
    if (thing->bytes[0] == 9)
        ++*(unsigned *)argument;
}

TEST_BODY(slab_visit_reaches_every_object)
{
    static struct ocl_slab slab = OCL_SLAB_INITIALIZER(sizeof(struct thing));
    unsigned count = 0;
    ocl_slab_visit(&slab, count_marked, &count);
    assert_int_equal(count, 0);
    for (unsigned i = 0; i < THINGS; i++) {
        struct thing *thing = ocl_slab_take(&slab);
        thing->bytes[0] = 9;
    }
    ocl_slab_visit(&slab, count_marked, &count);
    assert_int_equal(count, THINGS);
}

struct user {
    struct ocl_slab *slab;
    unsigned char mark;
    unsigned damaged;
};

/* Fills objects with its mark and looks whether they stay so until they are given back. */
static void *use_slab(void *argument)
{
    struct user *user = argument;
    struct thing *held[64] = {0};
    for (unsigned i = 0; i < 40000; i++) {
        struct thing **place = &held[i * 7 % 64];
        if (*place) {
            for (size_t k = 0; k < sizeof(*place)->bytes; k++)
                user->damaged += (*place)->bytes[k] != user->mark;
            ocl_slab_give(user->slab, *place);
        }
        *place = ocl_slab_take(user->slab);
        memset((*place)->bytes, user->mark, sizeof(*place)->bytes);
    }
    return NULL;
}

TEST_BODY(slab_serves_many_threads)
{
    static struct ocl_slab slab = OCL_SLAB_INITIALIZER(sizeof(struct thing));
    struct user users[4];
    pthread_t threads[4];
    for (unsigned i = 0; i < 4; i++) {
        users[i] = (struct user){.slab = &slab, .mark = (unsigned char)(i + 1)};
        assert_int_equal(pthread_create(&threads[i], NULL, use_slab, &users[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(users[i].damaged, 0);
    }
}
