/* Tests of holders that threads take and let go on counters of their own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/holders.h"

#include <pthread.h>

#include "tests/test.h"

TEST_BODY(holders_end_with_the_last)
{
    struct ocl_holders holders;
    ocl_holders_begin(&holders);
    for (int i = 0; i < 3; i++)
        ocl_holders_take(&holders);
    assert_false(ocl_holders_give(&holders));
    assert_false(ocl_holders_end(&holders));
    assert_false(ocl_holders_give(&holders));
    assert_true(ocl_holders_give(&holders));
    ocl_holders_begin(&holders);
    assert_true(ocl_holders_end(&holders)); /* nobody else had it */
    ocl_holders_begin(&holders);
    ocl_holders_take(&holders);
    assert_false(ocl_holders_give(&holders)); /* the owner has it still */
    assert_true(ocl_holders_end(&holders));
}

/* What threads that let it go share with their owner. */
struct shared {
    struct ocl_holders holders;
    _Atomic int taken, given, ends;
};

enum { ROUNDS = 200, HOLDERS = 500 };

static void *let_go(void *unknown)
{
    struct shared *shared = unknown;
    for (;;) {
        int mine = atomic_load(&shared->given);
        if (mine == HOLDERS)
            return NULL;
        if (mine >= atomic_load(&shared->taken) ||
            !atomic_compare_exchange_weak(&shared->given, &mine, mine + 1))
            continue;
        if (ocl_holders_give(&shared->holders))
            atomic_fetch_add(&shared->ends, 1);
    }
}

/* One is the last, whoever that is. */
TEST_BODY(holders_have_one_last)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct shared shared = {.taken = 0};
        pthread_t threads[2];
        ocl_holders_begin(&shared.holders);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, let_go, &shared), 0);
        for (int i = 0; i < HOLDERS; i++) {
            ocl_holders_take(&shared.holders);
            atomic_fetch_add(&shared.taken, 1);
        }
        const bool was_last = ocl_holders_end(&shared.holders);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(atomic_load(&shared.ends) + was_last, 1);
    }
}
