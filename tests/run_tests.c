/* Runs one test by name, in this process: CTest starts one process per row of tests.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tests/test.h"

#define TEST(file, name) void test_##name(void **);
#include "rows.def"
#undef TEST

static const struct CMUnitTest tests[] = {
#define TEST(file, name) {#name, test_##name, NULL, NULL, NULL},
#include "rows.def"
#undef TEST
};

static int list_tests(void)
{
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        printf("%s\n", tests[i].name);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s NAME | --list\n", argv[0]);
        return 64;
    }
    if (strcmp(argv[1], "--list") == 0)
        return list_tests();
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        const struct CMUnitTest one[] = {tests[i]};
        if (strcmp(tests[i].name, argv[1]) == 0)
            return cmocka_run_group_tests_name(argv[1], one, NULL, NULL) == 0 ? 0 : 1;
    }
    fprintf(stderr, "no test named %s\n", argv[1]);
    return 2;
}
