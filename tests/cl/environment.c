/* Tests of cl/base/environment.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/environment.h"

#include <string.h>

#include "tests/test.h"

static const char *const none[] = {NULL};
static char added[] = "CLEM_TEST_B=new";

TEST_BODY(environment_is_replaced_and_restored)
{
    char *const entries[] = {added, NULL};

    setenv("CLEM_TEST_A", "a", 1);
    setenv("CLEM_TEST_B", "old", 1);
    setenv("CLEM_TEST_BB", "bb", 1);
    assert_true(ocl_environment_replace(none, entries));
    assert_string_equal(getenv("CLEM_TEST_B"), "new");
    assert_string_equal(getenv("CLEM_TEST_A"), "a");
    assert_string_equal(getenv("CLEM_TEST_BB"), "bb");
    ocl_environment_restore();
    assert_string_equal(getenv("CLEM_TEST_B"), "old");
    setenv("CLEM_TEST_B", "newest", 1);
    assert_string_equal(getenv("CLEM_TEST_B"), "newest");
}

TEST_BODY(environment_loses_what_it_must)
{
    static const char *const prefixes[] = {"CLEM_TEST_", "CLEM_OTHER_", NULL};
    char *const entries[] = {NULL};

    setenv("CLEM_TEST_A", "a", 1);
    setenv("CLEM_OTHER_B", "b", 1);
    setenv("CLEM_TES", "kept", 1);
    assert_true(ocl_environment_replace(prefixes, entries));
    assert_null(getenv("CLEM_TEST_A"));
    assert_null(getenv("CLEM_OTHER_B"));
    assert_string_equal(getenv("CLEM_TES"), "kept");
}

/* What the program sets meanwhile is not taken back. */
TEST_BODY(environment_keeps_changes_in_between)
{
    char *const entries[] = {added, NULL};

    unsetenv("CLEM_TEST_C");
    assert_true(ocl_environment_replace(none, entries));
    setenv("CLEM_TEST_C", "c", 1);
    ocl_environment_restore();
    assert_string_equal(getenv("CLEM_TEST_C"), "c");
}
