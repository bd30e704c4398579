/* The check of where accesses go.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cl/check/check_launch.h"

static const char *verb(const struct ocl_access *a)
{
    return a->kind == CLEM_CHECK_LOAD    ? "read"
           : a->kind == CLEM_CHECK_STORE ? "written"
                                         : "changed";
}

static bool is_within(const struct ocl_access *a, uint64_t bytes)
{
    return a->offset <= bytes && a->bytes <= bytes - a->offset;
}

static bool check_window(const struct ocl_access *a, const char *whose, uint64_t bytes)
{
    char what[128], about[128];
    if (is_within(a, bytes))
        return true;
    snprintf(what, sizeof what, "%u bytes %s beyond %s", (unsigned)a->bytes, verb(a), whose);
    snprintf(about, sizeof about, "it has %llu bytes", (unsigned long long)bytes);
    ocl_check_report_access(
        a, &(struct ocl_finding){.check = OCL_CHECK_MEMORY, .what = what, .about = about});
    return false;
}

bool ocl_check_memory(const struct ocl_access *a)
{
    if (a->space == CLEM_CHECK_SHARED)
        return check_window(a, "the block's shared memory", a->launch->shared_bytes);
    return true;
}
