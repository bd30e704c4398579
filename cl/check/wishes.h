/* What is asked of the checks, from the environment. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_WISHES_H
#define OCL_WISHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ocl_check_format { OCL_CHECK_TEXT, OCL_CHECK_JSON, OCL_CHECK_JUNIT };

struct ocl_check_wishes {
    unsigned kinds; /* bits of enum ocl_check */
    int error_code; /* exit status where there are errors and the program says 0; 0: it stays 0 */
    uint64_t most;  /* reports that are shown */
    size_t align;   /* of guarded memory: 256, 16 or 1 */
    const char *output;  /* file; NULL: standard error */
    bool is_begun;       /* by clem-run, which emptied it: what is in it is of this run */
    const char *refused; /* file of suppressions; NULL: none */
    enum ocl_check_format format;
};

/* Reads CLEM_CHECK and CLEM_CHECK_OPTIONS, and says on stderr what of them is ignored, and why. */
void ocl_check_read_wishes(struct ocl_check_wishes *wishes);

/* Needs: ocl_check_wants() has been asked. */
const struct ocl_check_wishes *ocl_check_wishes(void);

/* Who is called first where anything is checked: is above those who ask. Needs: nobody has asked. */
void ocl_check_begin_by(void (*begin)(void));

/* The word of a check, as in check.def. */
const char *ocl_check_word(unsigned check);

/* Whether this process ends, in which something was checked, and with which status. */
bool ocl_check_has_ended(int *status);

#endif
