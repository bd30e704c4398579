/* Tests of cl/base/processor.c, on files that look like those of several kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/processor.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"

/* What is told of a host whose kernel lists this; NULL: lists nothing. */
static void tell(const char *listing, char digits[OCL_PROCESSOR_BYTES])
{
    char root[] = "/tmp/clem-processor-XXXXXX", folder[64], path[96];
    assert_non_null(mkdtemp(root));
    snprintf(folder, sizeof folder, "%s/proc", root);
    snprintf(path, sizeof path, "%s/cpuinfo", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    FILE *file = listing ? fopen(path, "w") : NULL;
    if (file) {
        fputs(listing, file);
        fclose(file);
    }
    strcpy(digits, "none");
    ocl_processor_features(root, digits);
    unlink(path);
    rmdir(folder);
    rmdir(root);
}

static bool are_same(const char *first, const char *second)
{
    char digits[2][OCL_PROCESSOR_BYTES];
    tell(first, digits[0]);
    tell(second, digits[1]);
    assert_int_equal(strlen(digits[0]), OCL_PROCESSOR_BYTES - 1);
    assert_int_equal(strlen(digits[1]), OCL_PROCESSOR_BYTES - 1);
    return strcmp(digits[0], digits[1]) == 0;
}

#define X86 "processor\t: 0\ncpu family\t: 25\nmodel name\t: Some\nbugs\t\t: none\n"

TEST_BODY(processor_is_told_by_its_instructions)
{
    assert_true(are_same(X86 "flags\t\t: fpu avx avx2\n", X86 "flags\t\t: avx2 fpu avx\n"));
    assert_true(are_same(X86 "cpu MHz\t: 2400.1\nflags\t: fpu avx\n",
                         X86 "cpu MHz\t: 3100.7\nflags\t: fpu avx\nbogomips\t: 1\n"));
    assert_false(are_same(X86 "flags\t\t: fpu avx avx2\n", X86 "flags\t\t: fpu avx\n"));
    assert_false(are_same(X86 "flags\t\t: fpu avx avx2\n", X86 "flags\t\t: fpu avx avx512f\n"));
    assert_false(are_same(X86 "flags\t\t: fpu avx\n", X86 "flags\t\t: fpuavx\n"));
}

TEST_BODY(processor_is_listed_by_other_names)
{
    assert_false(are_same("processor\t: 0\nFeatures\t: fp asimd sve\n",
                          "processor\t: 0\nFeatures\t: fp asimd\n"));
    assert_false(
        are_same("hart\t\t: 0\nisa\t\t: rv64imafdcv\n", "hart\t\t: 0\nisa\t\t: rv64imafdc\n"));
    assert_false(are_same("cpu\t\t: POWER9\nclock\t: 1\n", "cpu\t\t: POWER8\nclock\t: 1\n"));
}

TEST_BODY(processor_that_is_not_listed_has_no_digits)
{
    char digits[OCL_PROCESSOR_BYTES];
    tell(NULL, digits);
    assert_string_equal(digits, "");
    tell(X86 "my flags\t: fpu\n", digits);
    assert_string_equal(digits, "");
    ocl_processor_features("", digits); /* this host's */
    char again[OCL_PROCESSOR_BYTES];
    ocl_processor_features("", again);
    assert_string_equal(digits, again);
}
