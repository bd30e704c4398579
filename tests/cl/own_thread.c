/* Tests of cl/base/own_thread.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/own_thread.h"

#include <fenv.h>

#include "tests/test.h"

static int traps_and_rounding(void *unused)
{
    (void)unused;
    return fegetexcept() | (fegetround() == FE_TONEAREST ? 0 : 1 << 20);
}

static void *on_thread(void *result)
{
    *(int *)result = traps_and_rounding(NULL);
    return NULL;
}

/* Drivers start threads where they are called, and kernels on those must not end the program. */
TEST_BODY(own_thread_begins_without_the_callers_floats)
{
    int seen = -1;
    pthread_t thread;
    if (feenableexcept(FE_DIVBYZERO | FE_INVALID) < 0 ||
        fegetexcept() != (FE_DIVBYZERO | FE_INVALID))
        TEST_SKIP("the processor does not trap");
    fesetround(FE_UPWARD);
    assert_int_equal(own_thread_call(traps_and_rounding, NULL, -1), 0);
    assert_true(own_thread_start(&thread, 0, on_thread, &seen));
    pthread_join(thread, NULL);
    assert_int_equal(seen, 0);
    assert_int_equal(fegetexcept(), FE_DIVBYZERO | FE_INVALID);
    assert_int_equal(fegetround(), FE_UPWARD);
    fedisableexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
}
