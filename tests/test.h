/* What every test includes: cmocka, TEST_BODY and TEST_SKIP.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_TEST_H
#define CLEM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A test is a body here and a row TEST(folder/file, name) in the list; the test "rows" finds either one alone. CTest runs each
 * row in a process of its own. */
#define TEST_BODY(name)                                                                            \
    void test_##name(void **);                                                                     \
    void test_##name(void **state __attribute__((unused)))

/* Ends the test as skipped, with the reason as the last line. */
#define TEST_SKIP(...)                                                                             \
    do {                                                                                           \
        printf("skipped: " __VA_ARGS__);                                                           \
        printf("\n");                                                                              \
        fflush(stdout);                                                                            \
        _Exit(77);                                                                                 \
    } while (0)

#endif
