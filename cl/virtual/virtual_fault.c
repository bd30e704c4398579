/* What is known of an access to reserved addresses that ends the process.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>

#include "cl/base/crash.h"
#include "cl/virtual/mapping.h"
#include "cl/virtual/virtual_private.h"

static bool (*_Atomic is_reserved)(uint64_t address);

bool ocl_virtual_describe(uint64_t address, struct ocl_crash_line *line)
{
    bool (*const seems_reserved)(uint64_t address) = atomic_load(&is_reserved);
    if (!seems_reserved || !seems_reserved(address))
        return false;
    ocl_crash_write_address(line, address);
    ocl_crash_write(line, ", an address of cuMemAddressReserve(): nothing is mapped there, or "
                          "cuMemSetAccess() does not allow it");
    return true;
}

static bool witness(const struct ocl_crash *crash, struct ocl_crash_line *line)
{
    const size_t before = line->length;
    ocl_crash_write(line, "an access to ");
    if (ocl_virtual_describe(crash->address, line))
        return true;
    line->length = before;
    return false;
}

void ocl_virtual_watch(bool (*is_ours)(uint64_t address))
{
    atomic_store(&is_reserved, is_ours);
    ocl_crash_watch(witness);
}
