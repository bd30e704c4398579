/* Tests of cl/check/wishes.c: what CLEM_CHECK and CLEM_CHECK_OPTIONS ask for. Each is a process of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/check.h"
#include "cl/check/wishes.h"
#include "tests/test.h"

static struct ocl_check_wishes wishes_of(const char *list, const char *options)
{
    struct ocl_check_wishes wishes;
    setenv("CLEM_CHECK", list, 1);
    setenv("CLEM_CHECK_OPTIONS", options, 1);
    ocl_check_read_wishes(&wishes);
    return wishes;
}

TEST_BODY(wishes_are_read_with_their_options)
{
    const struct ocl_check_wishes wishes =
        wishes_of("memory,leak", "output=/a\\:b\\\\c:max-reports=7:format=junit:guard-align=16:"
                                 "suppressions=/known:error-exitcode=3:begun:");
    assert_int_equal(wishes.kinds, OCL_CHECK_MEMORY | OCL_CHECK_LEAK);
    assert_string_equal(wishes.output, "/a:b\\c");
    assert_string_equal(wishes.refused, "/known");
    assert_int_equal(wishes.most, 7);
    assert_int_equal(wishes.format, OCL_CHECK_JUNIT);
    assert_int_equal(wishes.align, 16);
    assert_int_equal(wishes.error_code, 3);
    assert_true(wishes.is_begun);
}

TEST_BODY(wishes_that_are_none_change_nothing)
{
    const struct ocl_check_wishes wishes =
        wishes_of("all", "error-exitcode=300:max-reports=-1:format=xml:guard-align=3:colour=red:"
                         "output");
    assert_int_equal(wishes.kinds, OCL_CHECK_ALL);
    assert_int_equal(wishes.error_code, 0);
    assert_int_equal(wishes.most, 100);
    assert_int_equal(wishes.format, OCL_CHECK_TEXT);
    assert_int_equal(wishes.align, 256);
    assert_false(wishes.is_begun);
}

TEST_BODY(wishes_with_an_unknown_word_check_nothing)
{
    assert_int_equal(wishes_of("memory,lek", "").kinds, 0);
}
