/* What is told of accesses: how many launches there were, and where an access is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_launch.h"

#include <stdlib.h>

static _Atomic uint64_t launches;

uint64_t ocl_check_launches(void)
{
    return atomic_load(&launches);
}

uint64_t ocl_check_count_launch(void)
{
    return atomic_fetch_add(&launches, 1) + 1;
}

/* ---- Reports ---- */

static void divide(uint64_t number, const uint32_t of[3], uint32_t parts[3])
{
    parts[0] = (uint32_t)(number % of[0]);
    parts[1] = (uint32_t)(number / of[0] % of[1]);
    parts[2] = (uint32_t)(number / of[0] / of[1]);
}

static _Atomic(ocl_check_namer *) namer;

void ocl_check_name_by(ocl_check_namer *by)
{
    atomic_store(&namer, by);
}

/* Where the memory was made that an access is in, and where it was freed. */
static void name_memory(const struct ocl_access *access, struct ocl_finding *finding)
{
    ocl_check_namer *const by = atomic_load(&namer);
    if (by && ocl_access_is_memory(access) && access->space == CLEM_CHECK_GLOBAL)
        by(access->offset, finding);
}

void ocl_check_report_access(const struct ocl_access *access, struct ocl_finding *finding)
{
    static const char *const spaces[] = {
        [CLEM_CHECK_GLOBAL] = "global",
        [CLEM_CHECK_SHARED] = "shared",
        [CLEM_CHECK_LOCAL] = "local",
        [CLEM_CHECK_PARAM] = "parameter",
    };
    const struct ocl_check_launch *launch = access->launch;
    char *source = ptx_module_source(launch->module, access->location);
    finding->kernel = launch->kernel;
    finding->has_thread = access->thread != CLEM_CHECK_ALL;
    divide(access->block, launch->grid, finding->block);
    if (finding->has_thread)
        divide(access->thread, launch->threads, finding->thread);
    finding->space = ocl_access_is_memory(access) ? spaces[access->space] : NULL;
    finding->address = access->offset;
    finding->bytes = access->bytes;
    finding->ptx_line = access->line;
    finding->source = source;
    finding->launch = &launch->stack;
    name_memory(access, finding);
    ocl_check_report(finding);
    free(source);
}
