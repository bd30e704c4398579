/* Tests of cl/base/options.c. Each test is a process of its own, so each reads the environment afresh.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/options.h"

#include "tests/cl/captured.h"

static void clear_variables(void)
{
    unsetenv("CLEM_DEVICE");
    unsetenv("CLEM_ADDRESS");
    unsetenv("CLEM_CACHE_DIR");
    unsetenv("CLEM_TRACE");
    unsetenv("CUDA_VISIBLE_DEVICES");
}

/* Reads the options and returns what was printed meanwhile. */
static const struct ocl_options *read_options(char *printed, size_t bytes)
{
    struct capture capture = capture_begin();
    const struct ocl_options *options = ocl_options_get();
    capture_end(&capture, printed, bytes);
    return options;
}

TEST_BODY(options_are_empty_without_variables)
{
    char printed[4096];
    clear_variables();
    const struct ocl_options *options = read_options(printed, sizeof printed);
    assert_null(options->device);
    assert_null(options->address);
    assert_null(options->cache_dir);
    assert_null(options->visible);
    assert_false(options->trace);
}

TEST_BODY(options_take_every_variable)
{
    char printed[4096];
    clear_variables();
    setenv("CLEM_DEVICE", "radeon", 1);
    setenv("CLEM_ADDRESS", "handle", 1);
    setenv("CLEM_CACHE_DIR", "/tmp/cache", 1);
    setenv("CLEM_TRACE", "1", 1);
    setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
    const struct ocl_options *options = read_options(printed, sizeof printed);
    assert_string_equal(options->device, "radeon");
    assert_string_equal(options->address, "handle");
    assert_string_equal(options->cache_dir, "/tmp/cache");
    assert_string_equal(options->visible, "1,0");
    assert_true(options->trace);
    assert_null(strstr(printed, "is ignored"));
}

TEST_BODY(options_treat_empty_as_unset_but_in_lists)
{
    char printed[4096];
    clear_variables();
    setenv("CLEM_DEVICE", "", 1);
    setenv("CLEM_ADDRESS", "", 1);
    setenv("CLEM_CACHE_DIR", "", 1);
    setenv("CLEM_TRACE", "", 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    const struct ocl_options *options = read_options(printed, sizeof printed);
    assert_null(options->device);
    assert_null(options->address);
    assert_null(options->cache_dir);
    assert_false(options->trace);
    assert_false(options->is_silent);
    assert_string_equal(options->visible, "");
    assert_null(strstr(printed, "CLEM_ADDRESS"));
}

TEST_BODY(options_trace_zero_is_off)
{
    char printed[4096];
    clear_variables();
    setenv("CLEM_TRACE", "0", 1);
    const struct ocl_options *options = read_options(printed, sizeof printed);
    assert_false(options->trace);
    assert_true(options->is_silent);
}

TEST_BODY(options_report_unknown_values_once_and_ignore_them)
{
    char printed[4096];
    clear_variables();
    setenv("CLEM_ADDRESS", "us", 1); /* a part of a known word */
    const struct ocl_options *options = read_options(printed, sizeof printed);
    assert_null(options->address);
    assert_int_equal(count_text(printed, "CLEM_ADDRESS=us"), 1);
    assert_non_null(strstr(printed, "bda usm raw svm handle"));
    read_options(printed, sizeof printed);
    assert_string_equal(printed, "");
}

TEST_BODY(options_report_unknown_names_and_no_others)
{
    char printed[4096];
    clear_variables();
    setenv("CLEM_DEVICES", "x", 1);
    setenv("CLEM", "x", 1);
    setenv("MY_CLEM_THING", "x", 1);
    read_options(printed, sizeof printed);
    assert_int_equal(count_text(printed, "clem: CLEM_DEVICES "), 1);
    assert_int_equal(count_text(printed, "\n"), 1);
}

TEST_BODY(options_outlive_changes_of_the_environment)
{
    char printed[4096];
    clear_variables();
    char *value = strdup("CLEM_DEVICE=first");
    putenv(value); /* the environment points at our text now */
    const struct ocl_options *options = read_options(printed, sizeof printed);
    memset(value, 'x', strlen(value));
    assert_string_equal(options->device, "first");
    assert_string_equal(ocl_options_get()->device, "first");
    free(value);
    clearenv();
}
