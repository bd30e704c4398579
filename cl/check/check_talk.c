/* Kernels that the host may wait for by what they write while they run, and that wait for the host so.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/check/check_race.h"
#include "cl/check/check_table.h"

/* An access that others are meant to see, or see others by: volatile, of the system's scope, or behind such a fence. */
static bool is_open(const struct ocl_access *a)
{
    const bool is_strong = a->kind == CLEM_CHECK_ATOMIC || a->order != CLEM_CHECK_ORDER_NONE;
    return a->order == CLEM_CHECK_ORDER_VOLATILE ||
           (is_strong && a->scope == CLEM_CHECK_SCOPE_SYS) ||
           (a->launch->is_fenced && a->kind != CLEM_CHECK_LOAD);
}

static bool is_of_host(const struct ocl_access *a)
{
    const struct ocl_checked_memory *m = ocl_check_find(a->address);
    return m && strcmp(m->kind, "device memory") != 0 && strstr(m->kind, "heap") == NULL;
}

void ocl_check_talk(const struct ocl_access *a)
{
    if (a->kind == CLEM_CHECK_FENCE && a->scope == CLEM_CHECK_SCOPE_SYS)
        a->launch->is_fenced = true;
    if (!ocl_access_is_memory(a) || a->space != CLEM_CHECK_GLOBAL || !is_open(a) || !is_of_host(a))
        return;
    if (a->kind != CLEM_CHECK_LOAD)
        ocl_stream_told(&a->launch->time);
    if (a->kind == CLEM_CHECK_STORE)
        return;
    ocl_stream_heard(&a->launch->time);
    a->launch->hears = true;
}
