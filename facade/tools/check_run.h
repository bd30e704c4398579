/* The options of clem-run --check, as variables for the program. Private to tools/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_RUN_H
#define CHECK_RUN_H

#include <stdbool.h>

/* What getopt_long() gives for them; below are those of clem-run's own. */
enum check_option {
    CHECK_LIST = 512,
    CHECK_ERROR_EXITCODE,
    CHECK_MAX_REPORTS,
    CHECK_SUPPRESSIONS,
    CHECK_FORMAT,
    CHECK_OUTPUT,
    CHECK_GUARD_ALIGN
};

struct check_wishes {
    const char *list; /* NULL: nothing is checked */
    const char *error_exitcode, *max_reports, *suppressions, *format, *output, *guard_align;
};

/* False: the value is none that the option takes. value is NULL where it may be left out. */
bool check_keep_wish(struct check_wishes *wishes, int option, const char *value);

/* Sets CLEM_CHECK and CLEM_CHECK_OPTIONS. False, having said why: an option needs --check, a file cannot be read or made, or
 * there is no memory. */
bool check_set_environment(const struct check_wishes *wishes);

#endif
