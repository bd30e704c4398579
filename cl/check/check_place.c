/* Accesses to surfaces, and fetches from linear memory, that go beyond; barriers of the grid where none can be.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cl/check/check_race.h"

static void tell_surface(const struct ocl_access *a)
{
    char what[128], about[128];
    (void)snprintf(what, sizeof what, "%u bytes %s beyond a surface", (unsigned)a->bytes,
                   a->more ? "written" : "read");
    (void)snprintf(about, sizeof about,
                   "at byte %d of row %d, with cudaBoundaryModeTrap, as is the default",
                   (int)a->value, (int)(a->value >> 32));
    ocl_check_report_access(
        a, &(struct ocl_finding){.check = OCL_CHECK_MEMORY, .what = what, .about = about});
}

/* CUDA gives 0 there. */
static void tell_texel(const struct ocl_access *a)
{
    char about[128];
    if (a->value == 0) {
        ocl_check_report_access(
            a,
            &(struct ocl_finding){.check = OCL_CHECK_MEMORY,
                                  .what = "a fetch from a texture that is none, or was destroyed"});
        return;
    }
    (void)snprintf(about, sizeof about, "element %d of %u", (int)a->call->address,
                   (unsigned)a->value);
    ocl_check_report_access(
        a, &(struct ocl_finding){.check = OCL_CHECK_MEMORY,
                                 .is_warning = true,
                                 .what = "a fetch from linear memory beyond its texture",
                                 .about = about});
}

void ocl_check_place(const struct ocl_access *a)
{
    if (a->kind == CLEM_CHECK_SURFACE && (int64_t)a->call->address < 0)
        tell_surface(a);
    if (a->kind == CLEM_CHECK_TEXTURE && a->call->address >= a->value &&
        ocl_check_is_first(a->launch, ((uint64_t)a->location << 32 | a->line) * 31 + 7))
        tell_texel(a);
}

void ocl_check_trap(const struct ocl_access *a)
{
    if (a->launch->is_cooperative ||
        !ocl_check_is_first(a->launch, (uint64_t)a->location << 32 | a->line))
        return;
    ocl_check_report_access(
        a,
        &(struct ocl_finding){
            .check = OCL_CHECK_SYNC,
            .what = "a kernel with barriers of the grid traps, and its launch is not cooperative"});
}
