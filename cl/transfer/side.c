/* What the ends of copies and fills are.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer/side.h"

#include "cl/managed/managed_private.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"

/* Managed memory whose pages move counts as device memory: commands find it there. */
static bool is_migrating(const struct ocl_allocation *allocation)
{
    return ocl_region_of(allocation) != NULL;
}

static const struct ocl_region *region_of(const struct ocl_side *side)
{
    return side && side->kind == OCL_SIDE_DEVICE ? ocl_region_of(side->allocation) : NULL;
}

bool ocl_sides_begin(const struct ocl_side *source, const struct ocl_side *target)
{
    const struct ocl_region *from = region_of(source), *to = region_of(target);

    if (!from && !to)
        return false;
    ocl_migration_begin_transfer(from, to);
    return true;
}

void ocl_sides_end(void)
{
    ocl_migration_end_transfer();
}

bool ocl_side_is_host_memory(const struct ocl_side *side)
{
    if (side->kind != OCL_SIDE_DEVICE)
        return true;
    return side->allocation->context->capability.device_is_host_memory &&
           !is_migrating(side->allocation);
}

struct ocl_side ocl_side_find(uint64_t address)
{
    return ocl_side_in(ocl_address_acquire(address), address);
}

struct ocl_side ocl_side_in(struct ocl_allocation *allocation, uint64_t address)
{
    if (!allocation)
        return (struct ocl_side){.kind = OCL_SIDE_PAGEABLE, .address = address};
    const uint64_t offset = ocl_allocation_offset(allocation, address);
    const bool is_device = allocation->kind == OCL_MEMORY_DEVICE || is_migrating(allocation);
    return (struct ocl_side){
        .kind = is_device ? OCL_SIDE_DEVICE : OCL_SIDE_PINNED,
        .allocation = allocation,
        .address =
            (is_device ? allocation->address : (uint64_t)(uintptr_t)allocation->host) + offset,
        .kernel_address = allocation->address + offset,
    };
}

void ocl_side_release(struct ocl_side *side)
{
    if (side->allocation)
        ocl_allocation_release(side->allocation);
    side->allocation = NULL;
}

bool ocl_side_is_reached(const struct ocl_side *side, const struct ocl_context *context)
{
    if (side->kind == OCL_SIDE_PAGEABLE || side->allocation->context != context)
        return false;
    switch (side->allocation->kind) {
    case OCL_MEMORY_HOST:
        return context->capability.reaches_pinned_host;
    case OCL_MEMORY_REGISTERED:
        return context->capability.reaches_registered_host;
    case OCL_MEMORY_DEVICE:
    case OCL_MEMORY_MANAGED:
        break;
    }
    return true;
}

struct ocl_place ocl_side_place(const struct ocl_side *side, uint64_t address)
{
    return ocl_allocation_place(side->allocation, address);
}
